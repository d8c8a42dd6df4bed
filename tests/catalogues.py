"""The translations: what there is to translate, and whether it is translated.

    python -m tests.catalogues            says what is missing or left over; exit status 1 if anything is
    python -m tests.catalogues --write    brings the catalogues up to date (new sentences are empty), and compiles them

Sentences are the literals in calls of `tr`, `trs`, `N_` (console) and `msg`, `msgs` (everything pure), plus what
argparse says of itself. A plugin has a domain and catalogues of its own.
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po
from hatch_build import compile_catalogues

from lantable.wording import DOMAIN
from lantable_console.language import ENGLISH, NATIVE
from tests.test_architecture import ROOT, ROOTS, packages

LANGUAGES: Final = tuple(code for code in NATIVE if code != ENGLISH)
KEYWORDS: Final[dict[str, tuple[int, ...] | None]] = {
    "tr": None, "N_": None, "msg": None, "trs": (1, 2), "msgs": (1, 2),
}  # fmt: skip
ARGPARSE: Final = (
    "usage: ",
    "positional arguments",
    "options",
    "show this help message and exit",
    "%(prog)s: error: %(message)s\n",
    "the following arguments are required: %s",
    "unrecognized arguments: %s",
    "expected one argument",
    "expected at least one argument",
    "argument %(argument_name)s: %(message)s",
    "invalid %(type)s value: %(value)r",
    "invalid choice: %(value)r (choose from %(choices)s)",
    "not allowed with argument %s",
    "ignored explicit argument %r",
    "ambiguous option: %(option)s could match %(matches)s",
)
"""What argparse says of itself in our commands, as Python 3.11 words it; other versions may word a few differently."""


def domains() -> dict[str, tuple[Path, list[Path]]]:
    """By domain: where its catalogues lie, and the files it is spoken in."""
    ours = [ROOT / root / name for name, root in packages().items() if root != "plugins"]
    found = {DOMAIN: (ROOT / "console" / "lantable_console" / "locale", ours)}
    for name, root in packages().items():
        if root == "plugins":
            found[name] = (ROOT / root / name / "locale", [ROOT / root / name])
    assert set(ROOTS) == {path.relative_to(ROOT).parts[0] for _, paths in found.values() for path in paths}
    return found


def template(domain: str) -> Catalog:
    """Every sentence of a domain."""
    catalogue = Catalog(domain=domain)
    for path in sorted(file for folder in domains()[domain][1] for file in folder.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for _, text, _, _ in extract_from_file("python", path, KEYWORDS):
            catalogue.add(text, locations=[(name, 0)])
    for text in ARGPARSE if domain == DOMAIN else ():
        catalogue.add(text, locations=[("argparse", 0)])
    return catalogue


def path_of(domain: str, language: str) -> Path:
    return domains()[domain][0] / language / "LC_MESSAGES" / f"{domain}.po"


def kept(domain: str, language: str) -> Catalog:
    """A catalogue as it is in the repository; an empty one if there is none."""
    path = path_of(domain, language)
    if not path.exists():
        return Catalog(locale=language, domain=domain)
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=domain, abort_invalid=True)


def sentences(catalogue: Catalog) -> dict[str, Message]:
    """Its messages by what is to be translated, without the header."""
    return {_key(message): message for message in catalogue if message.id}


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def forms(texts: str | tuple[str, ...] | list[str] | None) -> list[str]:
    """A sentence, or each of its plural forms."""
    return [texts] if isinstance(texts, str) else list(texts or ())


PLACE: Final = re.compile(r"\{[^{}]*\}|%\([a-z_]+\)[srd]|%[srd]")


HEADERS: Final = re.compile(rb'"(?!Language:|Plural-Forms:|Content-|MIME-)[A-Z][A-Za-z-]+: .*\\n"$')


def places(text: str) -> set[str]:
    """What is filled into a sentence."""
    return set(PLACE.findall(text))


def faults(domain: str, language: str) -> Iterator[str]:
    """What is wrong with a catalogue: missing, left over, fuzzy, or with other placeholders."""
    wanted, there = sentences(template(domain)), sentences(kept(domain, language))
    for key, message in wanted.items():
        found = there.get(key)
        where = f"{domain}/{language}: {key!r}"
        if found is None or forms(found.id) != forms(message.id):
            yield f"{where} is missing"
        elif not all(forms(found.string)):
            yield f"{where} is not translated"
        elif found.fuzzy:
            yield f"{where} is fuzzy"
        else:
            many = places(forms(message.id)[-1])
            for text in forms(found.string):
                # A form for exactly one may leave out the number.
                if not places(text) <= many or not many - {"{n}"} <= places(text):
                    yield f"{where} has other placeholders: {text!r}"
    yield from (f"{domain}/{language}: {key!r} is left over" for key in there if key not in wanted)


def write(domain: str, language: str) -> None:
    """Bring a catalogue up to date: what is new is empty, what is left over goes."""
    old, new = sentences(kept(domain, language)), template(domain)
    if not len(new):
        return
    catalogue = Catalog(locale=language, domain=domain, header_comment=f"# {NATIVE[language]}", fuzzy=False)
    for key, message in sorted(sentences(new).items()):
        known = old.get(key)
        text = known.string if known is not None and forms(known.id) == forms(message.id) else None
        catalogue.add(message.id, text, locations=sorted(set(message.locations)))
    path = path_of(domain, language)
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = io.BytesIO()
    write_po(whole, catalogue, width=120, include_lineno=False)
    # Dates and versions would change with every run and say nothing.
    path.write_bytes(b"".join(line for line in whole.getvalue().splitlines(keepends=True) if not HEADERS.match(line)))


def pseudo(folder: Path, language: str, dress: str = "[[{}]]") -> None:
    """Catalogues in which every sentence stands in brackets: what a person then sees without was never wrapped."""
    from babel.messages.mofile import write_mo

    for domain in domains():
        catalogue = Catalog(locale=language, domain=domain)
        for message in sentences(template(domain)).values():
            texts = [dress.replace("{}", text) for text in forms(message.id)]
            dressed = texts[0] if isinstance(message.id, str) else tuple(texts[-catalogue.num_plurals :])
            catalogue.add(message.id, dressed)
        path = folder / language / "LC_MESSAGES" / f"{domain}.mo"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            write_mo(file, catalogue)


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--write"]):
        print("usage: python -m tests.catalogues [--write]", file=sys.stderr)
        return 2
    pairs = [(domain, language) for domain in domains() for language in LANGUAGES]
    if arguments:
        for pair in pairs:
            write(*pair)
        compile_catalogues(ROOT)
    found = [fault for pair in pairs for fault in faults(*pair)]
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
