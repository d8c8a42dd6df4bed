"""A `RuleSet`: one game of the family with its options chosen and its house rules merged in.

Everything the other modules ask about the rules is answered here, from tables: which faces there are and how they
read, what an operator does, which fragments are identities, what a tile is worth. Nothing else in the package
knows that there are two bases, or that XOR is a plugin.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final

from lantable.canonical import Json
from lantable.errors import Misuse, PluginFault
from lantable.game import Choice, Flag, Number, Option, OptionValue
from lantable_binary_scrabble import arithmetic
from lantable_binary_scrabble.tables import (
    BLANK,
    EQUALS,
    Change,
    Face,
    Fragment,
    Operator,
    Postfix,
    Prefix,
    Tile,
    Undefined,
    Value,
    as_blank,
)
from lantable_binary_scrabble.wording import msg

MAX_DIGITS: Final = 64
"""Longest number in an expression; checked before it is read."""
_FIXED_WIDTHS: Final = tuple(f"fixed:{n}" for n in range(1, MAX_DIGITS + 1))


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option by name (docs/binary-scrabble.md lists them all). Raises `Misuse` for a value it cannot have."""

    rack_size: int = 9
    leading_zeros: str = "not_only"
    negatives: str = "none"
    not_width: str = "written"
    not_chain: bool = False
    division: str = "exact"
    precedence: str = "math"
    allow_trivial: bool = True
    allow_x1: bool = True
    allow_pm0: bool = True
    allow_logic_id: bool = True
    allow_div1: bool = True
    and1: str = "semantic"
    allow_chained_id: bool = False
    max_new_equals: int = 1
    cross_runs: str = "equation"
    bonus: str = "high_bit"
    bingo: int = 50
    scoreless_limit: int = 2
    endgame: str = "add_only"
    validation: str = "automatic"
    redraw_dead_opening: bool = False

    def __post_init__(self) -> None:
        for option in OPTIONS:
            value = getattr(self, option.name)
            if not option.check(value):
                raise Misuse(
                    msg(
                        "{name} must be {values}, not {value}",
                        name=option.name,
                        values=option.values,
                        value=repr(value),
                    )
                )


OPTIONS: Final[tuple[Option, ...]] = (
    Number("rack_size", 9, 7, 12, msg("tiles on a rack")),
    Choice("leading_zeros", "not_only", ("not_only", "never", "always"), msg("numbers may start with 0")),
    Choice("negatives", "none", ("none", "intermediate", "signed"), msg("values below zero")),
    Choice("not_width", "written", ("written", "widest", *_FIXED_WIDTHS), msg("how many bits NOT flips")),
    Flag("not_chain", False, msg("NOT NOT is allowed")),
    Choice("division", "exact", ("exact", "floor", "rational"), msg("what division gives")),
    Choice("precedence", "math", ("math", "ltr", "pascal"), msg("which operator comes first")),
    Flag("allow_trivial", True, msg("equations whose sides are all spelled alike")),
    Flag("allow_x1", True, msg("x1 is allowed")),
    Flag("allow_pm0", True, msg("+0 and -0 are allowed")),
    Flag("allow_logic_id", True, msg("OR 0, XOR 0 and AND 1 are allowed")),
    Flag("allow_div1", True, msg("/1 is allowed")),
    Choice("and1", "semantic", ("semantic", "textual"), msg("which AND 1 is an identity")),
    Flag("allow_chained_id", False, msg("more than one identity fragment on a side")),
    Number("max_new_equals", 1, 1, 12, msg("new tiles used as = in one move")),
    Choice("cross_runs", "equation", ("equation", "numbers"), msg("what a crosswise run may be")),
    Choice("bonus", "high_bit", ("high_bit", "log2", "bit_length", "none", "root_up"), msg("bonus of an equation")),
    Number("bingo", 50, 0, 1000, msg("points for laying a full rack; 0 is off")),
    Number("scoreless_limit", 2, 1, 20, msg("rounds of scoreless turns that end the game")),
    Choice("endgame", "add_only", ("add_only", "scrabble", "digits_only", "none"), msg("the final account")),
    Choice(
        "validation", "automatic", ("automatic", "challenge_single", "challenge_double"), msg("who finds illegal plays")
    ),
    Flag("redraw_dead_opening", False, msg("a first rack without = or blank is dealt again")),
)

PRESETS: Final[dict[str, dict[str, OptionValue]]] = {
    "training": {"allow_chained_id": True},
    "standard": {},
    "strict": {
        "allow_trivial": False,
        "allow_x1": False,
        "allow_pm0": False,
        "allow_logic_id": False,
        "allow_div1": False,
    },
}
"""4.4: `training` (everything allowed), `standard` (defaults), `strict` (4.3 all off, `allow_trivial` off)."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A game of the family: its base, its tables, and the defaults it replaces. `styles` are its precedences."""

    name: str
    base: int
    tables: Change
    defaults: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])
    styles: tuple[str, ...] = ("math", "ltr")

    def options(self) -> tuple[Option, ...]:
        """The option schema, with this game's defaults."""
        return tuple(self._own(option) for option in OPTIONS)

    def _own(self, option: Option) -> Option:
        changed: dict[str, Any] = {}
        if option.name in self.defaults:
            changed["default"] = self.defaults[option.name]
        if option.name == "precedence":
            changed["choices"] = self.styles
        return replace(option, **changed)


def _ranks(math: int, pascal: int) -> dict[str, int]:
    """3.5: `math` and `pascal` as given; `ltr` is one rank for all, "strictly left to right"."""
    return {"math": math, "ltr": 1, "pascal": pascal}


_BASIC: Final = (
    Operator("+", _ranks(4, 1), function=arithmetic.add),
    Operator("-", _ranks(4, 1), function=arithmetic.subtract),
    Operator("x", _ranks(5, 2), function=arithmetic.multiply),
    Operator("/", _ranks(5, 2), function=arithmetic.divide_exactly),
)
_BASIC_FRAGMENTS: Final = (
    Fragment("x", 1, "allow_x1"),
    Fragment("/", 1, "allow_div1"),
    Fragment("+", 0, "allow_pm0"),
    Fragment("-", 0, "allow_pm0"),
)

BINARY: Final = Kind(
    "binary-scrabble",
    2,
    Change(
        tiles=(
            Tile("0", 28, 1),
            Tile("1", 28, 1),
            Tile("=", 14, 1),
            Tile("+", 5, 1),
            Tile("-", 5, 1),
            Tile("x", 3, 2),
            Tile("/", 2, 4),
            Tile("|", 4, 1),
            Tile("&", 4, 1),
            Tile("!", 4, 1),
            Tile(BLANK, 3, 0),
        ),
        operators=(
            *_BASIC,
            Operator("&", _ranks(3, 2), table=0b1000, words=("AND",)),
            Operator("|", _ranks(1, 1), table=0b1110, words=("OR",)),
        ),
        prefixes=(Prefix("!", words=("NOT",)),),
        fragments=(
            *_BASIC_FRAGMENTS,
            Fragment("|", 0, "allow_logic_id"),
            Fragment("&", 1, "allow_logic_id", unchanged=True),
        ),
    ),
    styles=("math", "ltr", "pascal"),
)

NUMBER: Final = Kind(
    "number-scrabble",
    10,
    Change(
        tiles=(
            *(Tile(digit, 5, 1) for digit in "0123456789"),
            Tile("=", 20, 1),
            Tile("+", 7, 1),
            Tile("-", 7, 1),
            Tile("x", 5, 2),
            Tile("/", 5, 2),
            Tile("s", 3, 3),
            Tile("r", 3, 3),
            Tile(BLANK, 2, 0),
        ),
        operators=_BASIC,
        prefixes=(Prefix("r", arithmetic.square_root, words=("\u221a",), signed=True),),
        postfixes=(Postfix("s", arithmetic.square, words=("\u00b2",)),),
        fragments=_BASIC_FRAGMENTS,
    ),
    defaults={"leading_zeros": "never", "negatives": "signed", "bonus": "root_up"},
)


_DIRECT: Final[Mapping[int, Callable[[int, int], int]]] = {
    0b1000: int.__and__,
    0b1110: int.__or__,
    0b0110: int.__xor__,
}
"""Truth tables for which the machine has an instruction."""


class RuleSet:
    """Rules with everything chosen. Pure and immutable; what it derives it derives once.

    `options` are those that differ from the game's defaults; `changes` are (name, change) of the house rules.
    Raises `Misuse` when two house rules, or a house rule and an option chosen differently, do not go together.
    """

    def __init__(
        self,
        kind: Kind = BINARY,
        options: Mapping[str, OptionValue] | None = None,
        changes: Iterable[tuple[str, Change]] = (),
    ) -> None:
        self.kind = kind
        self._options = dict(options or {})
        self._changes = tuple(changes)
        named = [(kind.name, kind.tables), *self._changes]
        self.settings = _settings(kind, self._options, self._changes)
        self.tiles: dict[str, Tile] = _merge("tile", named, lambda change: change.tiles)
        self.faces: dict[str, Face] = _merge("face", named, lambda change: change.faces)
        self.operators: dict[str, Operator] = _merge("operator", named, lambda change: change.operators)
        self.prefixes: dict[str, Prefix] = _merge("prefix", named, lambda change: change.prefixes)
        self.postfixes: dict[str, Postfix] = _merge("postfix", named, lambda change: change.postfixes)
        self.fragments: dict[tuple[str, int], Fragment] = _merge(
            "fragment", named, lambda change: change.fragments, lambda row: (row.operator, row.literal)
        )
        self.closing: dict[str, str] = {row.left: row.right for _, change in named for row in change.brackets}
        self.digits = "0123456789"[: kind.base]
        self._check()
        style = self.settings.precedence
        self.rank: dict[str, int] = {code: row.ranks[style] for code, row in self.operators.items()}
        self._spare: dict[str, int] = {}
        self.functions = {code: self._function(row) for code, row in self.operators.items()}

    def varied(self, options: Mapping[str, OptionValue]) -> "RuleSet":
        """The same rules with some options chosen otherwise. Raises `Misuse`."""
        return RuleSet(self.kind, {**self._options, **options}, self._changes)

    def with_operator(self, row: Operator) -> "RuleSet":
        """The same rules with one operator doing something else: what a mistaken reader thinks it does."""

        def swapped(change: Change) -> Change:
            return replace(change, operators=tuple(row if old.code == row.code else old for old in change.operators))

        kind = replace(self.kind, tables=swapped(self.kind.tables))
        return RuleSet(kind, self._options, [(name, swapped(change)) for name, change in self._changes])

    # -- reading

    @cached_property
    def reading(self) -> dict[str, str]:
        """How each symbol reads, as digits, operators, `=` and brackets; blanks included, turned faces too."""
        plain = {face: face for face in self.symbols_read}
        turned = {face.code: face.reads for face in self.faces.values()}
        # 5.6: a blank "stands for any face in use ... Not a turned `=`".
        blanks = {as_blank(face): face for face in self.tiles if face != BLANK}
        return plain | turned | blanks

    @cached_property
    def symbols_read(self) -> frozenset[str]:
        """The signs an expression is made of once its faces are read."""
        brackets = [*self.closing, *self.closing.values()]
        return frozenset([*self.digits, EQUALS, *self.operators, *self.prefixes, *self.postfixes, *brackets])

    @cached_property
    def words(self) -> dict[str, tuple[str, ...]]:
        """By code, the words people may type for it."""
        found = {row.code: row.words for row in self.operators.values()}
        found |= {row.code: row.words for row in self.prefixes.values()}
        found |= {row.code: row.words for row in self.postfixes.values()}
        return {code: words for code, words in found.items() if words}

    @cached_property
    def tile_of(self) -> dict[str, str]:
        """The tile each symbol is laid with: the rows "a face a tile may be laid with" turned around."""
        plain = {tile: tile for tile in self.tiles if tile != BLANK}
        turned = {face.code: face.tile for face in self.faces.values()}
        blanks = {as_blank(tile): BLANK for tile in plain} if BLANK in self.tiles else {}
        return plain | turned | blanks

    @cached_property
    def points(self) -> dict[str, int]:
        """Points of each symbol; a blank scores nothing whatever it shows."""
        return {symbol: self.tiles[tile].points for symbol, tile in self.tile_of.items()}

    def is_digits(self, symbol: str) -> bool:
        """Whether a symbol reads as digits only."""
        return set(self.reading[symbol]) <= set(self.digits)

    def digits_to_spare(self, symbol: str) -> int:
        """How many digits a symbol brings beyond those it calls for: every operator and `=` calls for one more number.

        A row of symbols can only be an equation if these add up to 1 or more.
        """
        spare = self._spare.get(symbol)
        if spare is None:
            spare = self._spare[symbol] = sum(map(self._to_spare, self.reading[symbol]))
        return spare

    def _to_spare(self, sign: str) -> int:
        if sign in self.digits:
            return 1
        if sign == EQUALS:
            return -1
        # Under `signed` a minus may be the sign of a number and then calls for none.
        return -1 if sign in self.operators and (sign != "-" or self.settings.negatives != "signed") else 0

    # -- calculating

    def apply(self, operator: str, a: Value, b: Value) -> Value:
        """One step of an evaluation. Raises `Undefined` with the detail of `arith`."""
        value = self.functions[operator](a, b)
        return value if value >= 0 else self.checked(value)

    def checked(self, value: Value) -> Value:
        """2.4: under `none` "no step of the evaluation below zero"."""
        if value < 0 and self.settings.negatives == "none":
            raise Undefined("negative")
        return value

    def operand(self, before: str, value: Value, width: int, widest: int) -> Value:
        """A number with what stands before it (`-`, `!`, `!!`, `r`, `-r`). Raises `Undefined`.

        `width` is how many digits it is written with, `widest` that of the longest number in the equation.
        """
        sign, prefixes = ("-", before[1:]) if before[:1] == "-" else ("", before)
        flips = 0
        for prefix in reversed(prefixes):
            function = self.prefixes[prefix].function
            if function is None:
                flips += 1
            else:
                value = self.checked(function(value))
        if flips:
            # 3.2 and 3.3: a chain keeps the width of the first NOT, so an even number of flips is none.
            bits = self.flip_width(width, widest)
            value = arithmetic.flip(value, bits) if flips % 2 else value
        return -value if sign else value

    def postfixed(self, sign: str, value: Value) -> Value:
        """A number with the postfix behind it. Raises `Undefined`."""
        return self.checked(self.postfixes[sign].function(value))

    def flip_width(self, width: int, widest: int) -> int:
        setting = self.settings.not_width
        if setting == "written":
            return width
        if setting == "widest":
            return widest
        bits = int(setting.removeprefix("fixed:"))
        # 3.2: "NOT on a number written with more than N digits is illegal; other numbers are not limited".
        if width > bits:
            raise Undefined("not_width")
        return bits

    def side(self, value: Value) -> Value:
        """2.4: under `intermediate` "every side ends at zero or above". Raises `Undefined`."""
        if value < 0 and self.settings.negatives != "signed":
            raise Undefined("negative")
        return value

    def leading_zero(self, before: str) -> bool:
        """2.3: whether a number with these prefixes may be written with a zero in front."""
        setting = self.settings.leading_zeros
        if setting != "not_only":
            return setting == "always"
        # "except directly after NOT, where the written width matters"
        return before[-1:] in self.prefixes and self.prefixes[before[-1]].function is None

    def fragment(self, operator: str, literal: Value, left: Value) -> Fragment | None:
        """The identity fragment that `operator` with this literal right behind it is, if it is one (4.3)."""
        found = self.fragments.get((operator, int(literal)))
        if found is None or not found.unchanged or self.settings.and1 == "textual":
            return found
        try:
            return found if self.functions[operator](left, literal) == left else None
        except Undefined:
            return None

    def allows(self, fragment: Fragment) -> bool:
        """Whether the toggle of an identity fragment is on."""
        return fragment.toggle is not None and bool(getattr(self.settings, fragment.toggle))

    def bonus(self, value: Value) -> int:
        """Bonus of an equation of this value, before premiums (7.2)."""
        return arithmetic.bonus(self.settings.bonus, value)

    # -- describing

    def describe(self) -> Json:
        """Everything that makes these rules what they are, inside the canonical JSON profile."""
        return {
            "kind": self.kind.name,
            "base": self.kind.base,
            "settings": {row.name: getattr(self.settings, row.name) for row in fields(self.settings)},
            "tiles": [[row.code, row.count, row.points] for row in self.tiles.values()],
            "faces": sorted([row.code, row.tile, row.reads, row.typed] for row in self.faces.values()),
            "operators": [self._describe_operator(self.operators[code]) for code in sorted(self.operators)],
            "prefixes": sorted(
                [row.code, row.signed, arithmetic.fingerprint(row.function, 1) if row.function else "flip"]
                for row in self.prefixes.values()
            ),
            "postfixes": sorted([row.code, arithmetic.fingerprint(row.function, 1)] for row in self.postfixes.values()),
            "fragments": sorted(
                [row.operator, row.literal, row.toggle or "", row.unchanged] for row in self.fragments.values()
            ),
            "brackets": sorted([opening, closing] for opening, closing in self.closing.items()),
        }

    def _describe_operator(self, row: Operator) -> Json:
        does: Json = row.table if row.table is not None else arithmetic.fingerprint(self.functions[row.code], 2)
        return {"code": row.code, "rank": self.rank[row.code], "does": does}

    # -- compiling

    def _function(self, row: Operator) -> Callable[[Value, Value], Value]:
        if row.table is not None:
            return self._bitwise(row.table)
        if row.function is arithmetic.divide_exactly:
            return arithmetic.DIVISION[self.settings.division]
        assert row.function is not None  # noqa: S101 - one of the two is there, says Operator
        return row.function

    def _bitwise(self, table: int) -> Callable[[Value, Value], Value]:
        signed = self.settings.negatives == "signed"
        direct = _DIRECT.get(table)

        def function(a: Value, b: Value) -> Value:
            if direct is not None and isinstance(a, int) and isinstance(b, int) and (signed or (a >= 0 and b >= 0)):
                return direct(a, b)
            # 2.4: under `intermediate` "no logic operator sees a negative".
            if not signed and (a < 0 or b < 0):
                raise Undefined("logic_domain")
            return arithmetic.bitwise(table, a, b)

        return function

    def _check(self) -> None:
        """Rows must refer to rows that exist. Raises `Misuse`."""
        style = self.settings.precedence
        if style not in self.kind.styles:
            raise Misuse(
                msg(
                    "{name}: precedence must be {styles}, not {style}",
                    name=self.kind.name,
                    styles=" or ".join(self.kind.styles),
                    style=repr(style),
                )
            )
        for row in self.operators.values():
            if style not in row.ranks:
                raise Misuse(
                    msg("the operator {code} has no rank under precedence={style}", code=row.code, style=style)
                )
        for face in self.faces.values():
            if face.tile not in self.tiles or not set(face.reads) <= self.symbols_read:
                raise Misuse(
                    msg(
                        "the face {code} needs a tile {tile} and must read as signs in use",
                        code=face.code,
                        tile=face.tile,
                    )
                )
        if odd := [tile for tile in self.tiles if tile not in self.symbols_read and tile != BLANK]:
            raise Misuse(msg("the tile {odd} has no meaning: a house rule that gives it one is missing", odd=odd[0]))
        if EQUALS not in self.tiles:
            raise PluginFault(msg("a game of this family needs tiles for ="))


def _settings(kind: Kind, options: Mapping[str, OptionValue], changes: Iterable[tuple[str, Change]]) -> Settings:
    """Options over defaults, house rules over both, no field written twice. Raises `Misuse`."""
    known = {row.name for row in fields(Settings)}
    values: dict[str, Any] = dict(kind.defaults)
    base = Settings(**values)
    owner = {name: "the options" for name, value in options.items() if name in known and value != getattr(base, name)}
    values |= options
    for rule, change in changes:
        for name, value in change.settings.items():
            if name in owner and not (owner[name] == "the options" and options[name] == value):
                raise Misuse(
                    msg(
                        "{name} is set by {owner} and by the house rule {rule}: drop one of them",
                        name=name,
                        owner=owner[name],
                        rule=rule,
                    )
                )
            owner[name] = msg("the house rule {rule}", rule=rule)
            values[name] = value
    if odd := sorted(set(values) - known):
        raise Misuse(msg("there is no setting {odd}", odd=repr(odd[0])))
    return Settings(**values)


def _merge(
    what: str,
    named: list[tuple[str, Change]],
    rows: Callable[[Change], tuple[Any, ...]],
    key: Callable[[Any], Any] = lambda row: row.code,
) -> dict[Any, Any]:
    """One table from all changes, in order; each row by one owner only. Raises `Misuse`."""
    table: dict[Any, Any] = {}
    owner: dict[Any, str] = {}
    for name, change in named:
        for row in rows(change):
            if key(row) in table:
                raise Misuse(
                    msg(
                        "the {what} {key} is defined by {owner} and by {name}: drop one of them",
                        what=what,
                        key=key(row),
                        owner=owner[key(row)],
                        name=name,
                    )
                )
            table[key(row)], owner[key(row)] = row, name
    return table
