"""Which language people are spoken to, and the catalogues it is looked up in.

    tr("{name} sat down", name=name)           translated now
    trs("{n} seat is free", "{n} seats are free", free)
    N_("who is here")                          only marked: translated where it is shown, by tr(variable)
    shown(text)                                a `lantable.wording.Text`, which the core, the net or a plugin made

This module imports nothing until a language other than English is spoken, since `lantable --help` passes through it.
A catalogue is `locale/LANGUAGE/LC_MESSAGES/DOMAIN.mo` in the package that the domain is called after (a plugin's), or
here. Where it, or a sentence of it, is missing, English is spoken.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from gettext import NullTranslations
    from typing import Final

ENGLISH: Final = "en"
NATIVE: Final[dict[str, str]] = {ENGLISH: "English", "it": "Italiano", "tr": "Türkçe"}
"""Every language by its code, as it calls itself."""
AUTO: Final = "auto"
FOLDERS: Final[list[str]] = []
"""Where catalogues are looked for first, whatever their domain: for those who write one."""
_HERE: Final = "lantable"
"""The domain whose catalogues lie beside this file."""

_spoken = ENGLISH
_catalogues: dict[str, NullTranslations] = {}


def speak(language: str) -> None:
    """Speak this language from now on; `auto`, or one that is not known, is the system's."""
    global _spoken
    _spoken = language if language in NATIVE else systems(os.environ)
    _catalogues.clear()


def spoken() -> str:
    """The code of the language that is spoken now."""
    return _spoken


def systems(environ: Mapping[str, str]) -> str:
    """The first language of the system's that there is a catalogue for; English if there is none."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        # As POSIX has it: the first of these that is set decides, and LANGUAGE may name several.
        if wanted := environ.get(name):
            codes = [part.partition(".")[0].partition("_")[0].lower() for part in wanted.split(":")]
            return next((code for code in codes if code in NATIVE), ENGLISH)
    return ENGLISH


def N_(msgid: str) -> str:  # noqa: N802 - as gettext calls it
    """Marks a sentence for the catalogue and does nothing else."""
    return msgid


def tr(msgid: str, /, **args: object) -> str:
    """A sentence of the program in the language that is spoken, with what stands in braces filled in."""
    return _filled(look_up(_HERE, msgid), args)


def trs(one: str, many: str, n: int, /, **args: object) -> str:
    """A sentence about `n` of something, which stands in it as `{n}`."""
    return _filled(look_up(_HERE, one, many, n), {**args, "n": n})


def _filled(sentence: str, args: Mapping[str, object]) -> str:
    if not args:
        return sentence
    return sentence.format_map({name: shown(part) if isinstance(part, str) else part for name, part in args.items()})


def shown(text: str) -> str:
    """A text of the core, the net or a plugin in the language that is spoken; any other string as it is."""
    if _spoken == ENGLISH or not hasattr(text, "msgid"):
        return text
    from lantable.wording import in_language

    return in_language(text, look_up)


def told(error: BaseException) -> str:
    """What an error says, in the language that is spoken."""
    return shown(str(error))


def look_up(domain: str, one: str, many: str = "", n: int = 1) -> str:
    """The translation of a sentence, or for several of something; itself if there is none."""
    if _spoken == ENGLISH or not domain or not one:
        return many if many and n != 1 else one
    if domain not in _catalogues:
        _catalogues[domain] = _load(domain)
    catalogue = _catalogues[domain]
    return catalogue.ngettext(one, many, n) if many else catalogue.gettext(one)


def _load(domain: str) -> NullTranslations:
    import gettext

    for folder in _folders(domain):
        path = gettext.find(domain, folder, [_spoken])
        if path is not None:
            return gettext.translation(domain, folder, [_spoken])
    return gettext.NullTranslations()


def _folders(domain: str) -> Sequence[str]:
    package = __name__.partition(".")[0] if domain == _HERE else domain
    file = getattr(sys.modules.get(package), "__file__", None)
    return [*FOLDERS, *([os.path.join(os.path.dirname(file), "locale")] if file else [])]


def in_argparse() -> None:
    """Let argparse speak the language too: it asks gettext, which asks the environment."""
    if _spoken == ENGLISH and not any(os.environ.get(name) for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")):
        return
    import gettext

    folder = next((folder for folder in _folders(_HERE) if gettext.find(_HERE, folder, [_spoken])), None)
    gettext.bindtextdomain(_HERE, folder)
    gettext.textdomain(_HERE)
    # What this program starts speaks it too.
    os.environ["LANGUAGE"] = _spoken


def by_language(texts: Mapping[str, str]) -> str:
    """What a plugin says in several languages: that of the language spoken, else the English."""
    return texts.get(_spoken) or texts[ENGLISH]
