"""The languages people are spoken to: texts that can still be translated, catalogues that are complete, the fold."""

import ast
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable.errors import IllegalMove, LantableError, Misuse, Untrusted
from lantable.text import fold
from lantable.wording import Text, Wording, in_language, msg, msgs, verbatim
from lantable_console import cli, language
from lantable_console.commands import COMMANDS, Place, find
from lantable_console.language import NATIVE, look_up, shown, systems, told, tr, trs
from tests import screens
from tests.cli import program, run
from tests.test_architecture import ROOT, ROOTS, sources

catalogues = pytest.importorskip("tests.catalogues", reason="Babel is not installed here")
PAIRS = [(domain, code) for domain in catalogues.domains() for code in catalogues.LANGUAGES]


@pytest.fixture
def speaking(tmp_path: Path) -> Iterator[Path]:
    """A folder whose catalogues count; afterwards English is spoken again."""
    language.FOLDERS.append(str(tmp_path))
    yield tmp_path
    language.FOLDERS.remove(str(tmp_path))
    language.speak("en")


# -- texts


def test_a_text_is_the_english_string() -> None:
    """Compared, stored and sent like any other; only who shows it need know."""
    text = msg("there is no event {seq} to go to", seq=7)
    assert text == "there is no event 7 to go to" and hash(text) == hash("there is no event 7 to go to")
    assert f"* {text}" == "* there is no event 7 to go to"
    assert pickle.loads(pickle.dumps(text)) == text and msg("{no} braces") == "{no} braces"


@pytest.mark.parametrize("kind", [Misuse, IllegalMove, Untrusted])
def test_an_error_keeps_what_it_says(kind: type[LantableError]) -> None:
    """`str()` gives the text itself, so that it can be translated where it is shown."""
    text = msg("a name is 1 to {most} characters", most=64)
    error = Misuse(text) if kind is Misuse else kind("code", text)
    assert isinstance(str(error), Text)
    assert in_language(str(error), lambda domain, one, *_: f"<{one}>" if domain else one).endswith(">")


def test_texts_are_translated_with_what_was_filled_in() -> None:
    """Texts in texts, each in its own domain; what is no text is left alone."""
    other = Wording("lantable_x")
    text = verbatim("{code}: {why}", code="off", why=other("no {n} here", n=other("square")))
    assert text == "off: no square here"
    assert in_language(text, lambda domain, one, many, n: f"<{one}>" if domain else one) == "off: <no <square> here>"
    assert in_language("plain", lambda *_: "never") == "plain"


def test_counting() -> None:
    """One and many in English; the number is always there to be filled in."""
    assert [msgs("{n} tile", "{n} tiles", n) for n in (0, 1, 2)] == ["0 tiles", "1 tile", "2 tiles"]
    asked: list[tuple[str, str, int]] = []

    def look(domain: str, one: str, many: str, n: int) -> str:
        asked.append((one, many, n))
        return many

    assert in_language(msgs("{n} tile", "{n} tiles", 5), look) == "5 tiles" and asked == [("{n} tile", "{n} tiles", 5)]


# -- which language


@pytest.mark.parametrize(
    ("environ", "code"),
    [
        ({}, "en"),
        ({"LANG": "tr_TR.UTF-8"}, "tr"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "it_IT", "LC_MESSAGES": "tr_TR"}, "tr"),
        ({"LANG": "it_IT", "LC_ALL": "C"}, "en"),
        ({"LANG": "it_IT", "LANGUAGE": "sw:tr:it"}, "tr"),
        ({"LANG": "de_DE@euro"}, "en"),
        ({"LC_ALL": "", "LANG": "it"}, "it"),
    ],
)
def test_the_systems_language(environ: dict[str, str], code: str) -> None:
    """By the variables of POSIX, in their order; English where there is no catalogue."""
    assert systems(environ) == code


def test_an_option_wins_over_the_environment_over_the_file(tmp_path: Path) -> None:
    """From the first word on, so that help and wrong options are in that language too."""
    file = tmp_path / "config.toml"
    file.write_text('lang = "it"\n')
    env = {"LANTABLE_CONFIG": str(file)}
    assert run("config", "set", "x", **env).error.startswith("mancano questi argomenti: VALUE")
    assert run("config", "set", "x", LANTABLE_LANG="tr", **env).error.startswith("şunlar eksik: VALUE")
    assert run("--lang=en", "config", "set", "x", LANTABLE_LANG="tr", **env).error.startswith("the following arg")
    assert run("config", "set", "x", LANTABLE_CONFIG="", LC_ALL="it_IT.UTF-8").error.startswith("mancano")
    assert run("--lang", "xx", "id", "show").code == 2


def test_help_in_another_language_loads_little_more() -> None:
    """A catalogue and what reads it; in English not even that."""
    code = "import sys\nfrom lantable_console.cli import main\nmain(['--lang', 'tr', '--help'])\n"
    heavy = (
        "print(*(set(sys.modules) & {'trio', 'prompt_toolkit', 'pluggy', 'babel', 'tomllib', 'dataclasses'}), 'end')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code + heavy], env=os.environ | {"PYTHONPATH": ":".join(ROOTS)}, cwd=ROOT,
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1].strip() == "end"


def test_a_catalogue_of_ones_own_can_be_tried(speaking: Path) -> None:
    """The pseudo-language: every sentence in brackets, what is filled in without."""
    catalogues.pseudo(speaking, "it")
    language.speak("it")
    assert tr("{name} must be {values}", name="x", values=msg("a text")) == "[[x must be [[a text]]]]"
    assert trs("{n} seat", "{n} seats", 2) == "2 seats", "what no catalogue has is English"
    assert told(Misuse(msg("a text"))) == "[[a text]]" and shown("plain") == "plain"
    assert look_up("nobody", "x") == "x"


# -- the catalogues


@pytest.mark.parametrize(("domain", "code"), PAIRS)
def test_every_sentence_is_translated(domain: str, code: str) -> None:
    """None missing, none left over, none fuzzy, each with the same placeholders; otherwise: make catalogues"""
    faults = list(catalogues.faults(domain, code))
    assert not faults, "\n".join(faults)


def test_what_is_translated_is_a_literal() -> None:
    """Else it could not be found. What changes has a name."""
    wrong: list[str] = []
    for path in sources(*ROOTS):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in catalogues.KEYWORDS:
                count = len(catalogues.KEYWORDS[node.func.id] or (1,))
                literal = all(isinstance(arg, ast.Constant) and isinstance(arg.value, str) for arg in node.args[:count])
                # `tr(variable)` translates what was marked with N_ where it stands.
                if not literal and not (node.func.id == "tr" and isinstance(node.args[0], ast.Attribute | ast.Name)):
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not wrong


def test_every_language_calls_itself_by_its_own_name() -> None:
    """And there is a catalogue for each but English."""
    assert set(catalogues.LANGUAGES) == set(NATIVE) - {"en"}
    assert all(catalogues.path_of("lantable", code).exists() for code in catalogues.LANGUAGES)


@pytest.mark.parametrize("code", catalogues.LANGUAGES)
def test_operators_are_never_translated(code: str) -> None:
    """AND, OR, NOT and XOR are signs of the games, whatever language is spoken around them."""
    for domain in catalogues.domains():
        for message in catalogues.sentences(catalogues.kept(domain, code)).values():
            if catalogues.forms(message.id)[0].startswith(("GOOD AND", "NOT VALID", "SIGNED BY")):
                continue  # words in capitals that are no operators
            for word in ("AND", "OR", "NOT", "XOR"):
                wanted = word in " ".join(catalogues.forms(message.id)).replace("-", " ").split()
                assert not wanted or all(word in text for text in catalogues.forms(message.string)), message.id


# -- the fold


@pytest.mark.parametrize("typed", ["quit", "QUIT", "QUİT", "quıt", "Quit", "qui\u0307t"])
def test_a_turkish_keyboard_types_the_same_commands(typed: str) -> None:
    """`quıt` is what QUIT becomes in Turkish lower case, QUİT what quit becomes in capitals: one i is meant."""
    command = find(Place.LOBBY, typed)
    assert command is not None and command.name == "quit"


@given(st.sampled_from([word for row in COMMANDS for word in row.words if word]))
def test_every_command_is_found_in_every_spelling(word: str) -> None:
    """As it stands, in English and in Turkish capitals, and in what Turkish makes of English capitals."""
    turkish = word.replace("i", "İ").replace("ı", "I").upper()
    back = word.upper().replace("I", "ı").lower()
    assert fold(word) == fold(word.upper()) == fold(turkish) == fold(back) == word.lower()


@given(st.text())
def test_the_fold_is_settled(text: str) -> None:
    """Folded once or twice is the same."""
    assert fold(fold(text)) == fold(text)


def test_a_program_of_its_own_speaks_turkish() -> None:
    """Not only inside the tests."""
    done = program("config", "path", LANTABLE_LANG="tr", LANTABLE_CONFIG="")
    assert done.lines == ["yok: LANTABLE_CONFIG boş"]


# -- nothing is left unwrapped


def bare(text: str) -> str:
    """What stands outside of all brackets of the pseudo-language."""
    depth, kept = 0, ""
    for part in re.split(r"(\[\[|\]\])", text):
        depth += {"[[": 1, "]]": -1}.get(part, 0)
        kept += part if depth == 0 and part not in ("[[", "]]") else " "
    return kept


SENTENCE = re.compile(r"\b[a-z]{2,} [a-z]+ [a-z]{2,}\b")
"""Three words of prose in a row; names, moves, options and commands are shorter."""


SCENERY = ("shows every key", "people and tables are told")
"""What the scenes themselves say."""


def unwrapped(text: str) -> list[str]:
    lines = [line for line in bare(text).splitlines() if SENTENCE.search(line)]
    return [line for line in lines if not any(words in line for words in SCENERY)]


def test_every_help_page_is_wrapped(speaking: Path) -> None:
    """The front page, and what each command takes."""
    catalogues.pseudo(speaking, "it")
    pages = [run("--lang", "it", "--help").out]
    pages += [run("--lang", "it", command.name, "--help").out for command in cli.COMMANDS]
    # Usage has brackets of its own, and examples are typed as they stand.
    pages = [page.replace("[NAME]]", "") for page in pages]
    assert not [line for page in pages for line in unwrapped(page) if "lantable " not in line]


@pytest.mark.parametrize("game", ["dots-and-boxes", "binary-scrabble", "number-scrabble"])
def test_the_rules_are_told_in_the_language(speaking: Path, game: str) -> None:
    """Every paragraph below the title, which a game says in each language itself."""
    catalogues.pseudo(speaking, "it")
    _, *paragraphs = run("--lang", "it", "rules", game).out.split("\n\n")
    assert len(paragraphs) > 6 and not unwrapped("\n".join(" ".join(text.split()) for text in paragraphs))


@pytest.mark.parametrize(
    ("game", "rules", "typed"),
    [
        ("dots-and-boxes", "size=2x2", "help\nmoves\nscore\nwho\ntime\nzz\na1r\nboard\nundo 1\nstop\nnews\nquit\n"),
        ("dots-and-boxes", "size=1x1", "a1r\na2r\na1d\nb1d\n"),
        ("binary-scrabble", "", "help\nscore\nwho\nboard\n8H 1\ntry 8H 1\n8A 1+1=11\npass\nhint\nresign\n"),
    ],
)
def test_a_whole_game_in_line_mode_is_wrapped(
    speaking: Path, tmp_path: Path, game: str, rules: str, typed: str
) -> None:
    """Everything that is said from the first line to the last."""
    catalogues.pseudo(speaking, "it")
    rest = ("--name", "Ada", "--plain", "--rules", rules)
    done = run("--home", str(tmp_path / "home"), "--lang", "it", "play", game, *rest, typed=typed)
    assert done.code == 0 and not unwrapped(done.out + done.err)


@pytest.mark.parametrize("scene", ["game", "lobby", "replay", "together", "asked", "putting"])
def test_every_screen_is_wrapped(speaking: Path, scene: str) -> None:
    """Wide enough that no bracket is cut off."""
    catalogues.pseudo(speaking, "it")
    language.speak("it")
    seen: list[str] = []

    def script(terminal: screens.Terminal) -> None:
        terminal.until(lambda: "?" in terminal.text, "a drawn screen")
        seen.append(terminal.text)

    screens.show(scene, script, 240, 60)
    assert seen and not unwrapped(seen[0])
