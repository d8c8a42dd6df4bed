"""What a rule set is made of, as data: tiles, faces, operators, fragments, brackets, and the `Change` a house rule is.

A game of this family is a `Change` to nothing; a house rule is a `Change` to a game. Merging them only ever adds
rows to tables or replaces a setting, and nobody may write the same row or setting twice, so the order in which
house rules are applied cannot change what they mean.

Faces and symbols. A *face* is one character, the code used in records (`0 1 = + - x / & | ! ^ E`, section 1 of
the rules). A *symbol* is a face together with whether a blank shows it: the face itself, or the same character
moved into Unicode's private use area. A row of laid tiles is then simply a string, and cheap to cut and join.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from lantable.errors import PluginFault
from lantable.game import OptionValue

Value = int | Fraction
"""The value of an expression: exact, whole except under `division=rational`."""

EQUALS: Final = "="
BLANK: Final = "?"
_PRIVATE: Final = 0xE000


class Undefined(ArithmeticError):
    """An operation has no result under these rules. The argument is the detail of `arith` (div_zero, inexact, …)."""


def as_blank(face: str) -> str:
    """The symbol of a blank that shows `face`."""
    return chr(_PRIVATE + ord(face))


def is_blank(symbol: str) -> bool:
    """Whether a symbol is a blank showing something."""
    return "\ue000" <= symbol < "\uf000"


def face_of(symbol: str) -> str:
    """What a symbol shows."""
    return chr(ord(symbol) - _PRIVATE) if is_blank(symbol) else symbol


@dataclass(frozen=True, slots=True)
class Tile:
    """A kind of tile: its code, how many are in the bag, its points. The code is also the face it is laid with."""

    code: str
    count: int
    points: int

    def __post_init__(self) -> None:
        _check_code("tile", self.code)
        if not 1 <= self.count <= 100 or not 0 <= self.points <= 100:
            raise PluginFault(f"tile {self.code!r}: count must be 1 to 100 and points 0 to 100")


@dataclass(frozen=True, slots=True)
class Face:
    """One more face a tile may be laid with, and how it reads. `typed` is what people type and see for it."""

    code: str
    tile: str
    reads: str
    typed: str

    def __post_init__(self) -> None:
        _check_code("face", self.code)
        _check_code("face (as typed)", self.typed)
        if not self.reads or EQUALS in self.reads:
            raise PluginFault(f"face {self.code!r} must read as one or more digits or operators")


@dataclass(frozen=True, slots=True)
class Operator:
    """A binary operator: a rank per precedence style (higher binds tighter), and what it does.

    Either `table`, the truth table of a bitwise operator (bit 2a+b is the result for the bits a, b: AND is 0b1000),
    or `function`, exact on the values of its operands, raising `Undefined` where it has no result.
    """

    code: str
    ranks: Mapping[str, int]
    table: int | None = None
    function: Callable[[Value, Value], Value] | None = None
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_code("operator", self.code)
        if (self.table is None) == (self.function is None):
            raise PluginFault(f"operator {self.code!r} needs a truth table or a function, and only one of them")
        # Numbers have endless leading zeros: 0 op 0 = 1 would set endlessly many bits.
        if self.table is not None and self.table not in range(0, 16, 2):
            raise PluginFault(f"operator {self.code!r}: a truth table has four bits, and 0 with 0 must give 0")


@dataclass(frozen=True, slots=True)
class Prefix:
    """An operator in front of a number. Without `function` it flips the bits of the number as written (NOT).

    `signed` says whether a sign may stand before it (`-r9`; but `-NOT 1` is illegal).
    """

    code: str
    function: Callable[[Value], Value] | None = None
    words: tuple[str, ...] = ()
    signed: bool = False

    def __post_init__(self) -> None:
        _check_code("prefix", self.code)


@dataclass(frozen=True, slots=True)
class Postfix:
    """An operator right behind a number; it acts before any prefix or sign."""

    code: str
    function: Callable[[Value], Value]
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_code("postfix", self.code)


@dataclass(frozen=True, slots=True)
class Fragment:
    """An operator directly followed by a literal of this value: an identity fragment (4.3).

    `toggle` is the option that allows it; without one it is always forbidden. `unchanged`: it is one only where
    the operation leaves its left operand as it was.
    """

    operator: str
    literal: int
    toggle: str | None = None
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Bracket:
    """A pair of signs that group."""

    left: str
    right: str

    def __post_init__(self) -> None:
        _check_code("bracket", self.left)
        _check_code("bracket", self.right)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a house rule changes: rows added to the tables, and settings replaced (by option name)."""

    tiles: tuple[Tile, ...] = ()
    faces: tuple[Face, ...] = ()
    operators: tuple[Operator, ...] = ()
    prefixes: tuple[Prefix, ...] = ()
    postfixes: tuple[Postfix, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    brackets: tuple[Bracket, ...] = ()
    settings: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])


def _check_code(what: str, code: str) -> None:
    # Dot, underscore and the separators have a meaning of their own in records; the bound leaves `as_blank` its range.
    if len(code) != 1 or not "!" <= code <= "\u0fff" or not code.isprintable() or code in ".,:;_~":
        raise PluginFault(f"{what} {code!r}: a code is one printable character, and none of . , : ; _ ~")
