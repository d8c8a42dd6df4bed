"""Sentences for people, in English until whoever shows them puts them into the reader's language.

The core, the network, the records and the games know nobody's language, and what they write down must be the same for
everybody. So what they have to say is a `Text`: an ordinary English string wherever it is compared, stored, sent or
logged, which still remembers the sentence it was made from and what was filled in. The side that faces a person looks
that sentence up and fills it again (`in_language`). Texts may be filled into texts.

    msg = Wording("lantable")
    raise Misuse(msg("there is no event {seq} to go to", seq=seq))
    msgs("{n} tile", "{n} tiles", count)

The sentence must be a literal, so that it can be found and translated; what changes has a name in braces. A domain is
the catalogue in which a sentence is looked up: a plugin has one of its own, called as its package.
"""

from collections.abc import Callable, Mapping
from typing import Final, Self

LookUp = Callable[[str, str, str, int], str]
"""(domain, sentence, sentence of several or "", how many) -> the translation, or the sentence itself."""
DOMAIN: Final = "lantable"
"""The catalogue of everything that is no plugin."""


class Text(str):
    """An English string that remembers how it was made. Equal to, and used as, the plain string."""

    __slots__ = ("args", "domain", "many", "msgid")

    domain: str
    msgid: str
    many: str
    """The sentence for several of something, if it counts; `args["n"]` says how many."""
    args: Mapping[str, object]

    def __new__(cls, domain: str, msgid: str, args: Mapping[str, object], many: str = "") -> Self:
        made = super().__new__(cls, filled(many if many and args["n"] != 1 else msgid, args))
        made.domain, made.msgid, made.many, made.args = domain, msgid, many, args
        return made

    def __str__(self) -> "Text":
        # `str(error)` asks its text for this; a plain copy would have forgotten how it was made.
        return self

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, ("".join(self),)


class Wording:
    """Makes the texts of one domain."""

    def __init__(self, domain: str) -> None:
        self.domain = domain

    def __call__(self, msgid: str, /, **args: object) -> Text:
        """A sentence, with what stands in braces filled in. Raises `KeyError` if something is missing."""
        return Text(self.domain, msgid, args)

    def count(self, one: str, many: str, n: int, /, **args: object) -> Text:
        """A sentence about `n` of something, which stands in it as `{n}`."""
        return Text(self.domain, one, {**args, "n": n}, many)


def filled(sentence: str, args: Mapping[str, object]) -> str:
    """The sentence with what stands in braces filled in; as it stands if there is nothing to fill in."""
    return sentence.format_map(args) if args else sentence


def in_language(text: str, look_up: LookUp) -> str:
    """A text, and the texts that were filled into it, in another language. Any other string stays as it is."""
    if not isinstance(text, Text):
        return text
    args = {name: in_language(value, look_up) if isinstance(value, str) else value for name, value in text.args.items()}
    n = text.args["n"] if text.many else 1
    return filled(look_up(text.domain, text.msgid, text.many, n if isinstance(n, int) else 1), args)


def verbatim(pattern: str, **args: object) -> Text:
    """Texts put together in a way that is the same in every language, such as `verbatim("{code}: {why}", …)`."""
    return Text("", pattern, args)


msg: Final = Wording(DOMAIN)
msgs: Final = msg.count
