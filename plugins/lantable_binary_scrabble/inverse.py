"""Operations backwards: which operand would give a wanted value; and how large a result can be at most.

What is told of functions is told of those of this family by name; about any other function, such as that of a house
rule, nothing is known, and whoever asks must try all operands. A truth table tells all of it by itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from math import isqrt
from typing import Any, Final, NamedTuple

from lantable_binary_scrabble import arithmetic
from lantable_binary_scrabble.arithmetic import flip, whole_if_possible
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import Undefined, Value


class Many(Enum):
    """More than one operand may do."""

    MANY = "many"


MANY: Final = Many.MANY
Undone = Value | Many | None
"""The one operand that can give the wanted value; None: none can."""
Undo = Callable[[Value, Sequence[Value]], "list[Any]"]
"""(wanted value, other operands) -> for each of them this operand. It may still give no result: try it forwards.

Many at once, since that is what there are; a list of `Undone`, which lists of numbers alone are not to a type checker.
"""


class Undoing(NamedTuple):
    """How to find the left operand, and the right one."""

    left: Undo
    right: Undo


Reach = Callable[[int, int], int]
"""(size of the left operand at most, of the right) -> size of the result at most. Sizes are absolute values."""
UNLIMITED: Final = 1 << 256
Sizes = tuple[int, int]
"""From, to (inclusive): how large absolute values may be."""
EVERY: Final[Sizes] = (0, UNLIMITED)


# -- binary operators


def _subtract(value: Value, known: Sequence[Value]) -> list[Any]:
    return [value - other for other in known]


def _minuend(value: Value, subtrahends: Sequence[Value]) -> list[Any]:
    return [value + other for other in subtrahends]


def _subtrahend(value: Value, minuends: Sequence[Value]) -> list[Any]:
    return [other - value for other in minuends]


def _factor(value: Value, known: Sequence[Value]) -> list[Any]:
    if value == 0:
        return [0 if other else MANY for other in known]
    return [value // other if other and value % other == 0 else None for other in known]


def _rational_factor(value: Value, known: Sequence[Value]) -> list[Any]:
    if value == 0:
        return [0 if other else MANY for other in known]
    return [whole_if_possible(Fraction(value) / other) if other else None for other in known]


def _dividend(value: Value, divisors: Sequence[Value]) -> list[Any]:
    return [value * other if other else None for other in divisors]


def _divisor(value: Value, dividends: Sequence[Value]) -> list[Any]:
    if value == 0:
        return [None if other else MANY for other in dividends]
    return [other // value if other and other % value == 0 else None for other in dividends]


def _rational_divisor(value: Value, dividends: Sequence[Value]) -> list[Any]:
    if value == 0:
        return [None if other else MANY for other in dividends]
    return [whole_if_possible(Fraction(other) / value) if other else None for other in dividends]


EVEN: Final = frozenset({_subtract, _minuend, _subtrahend})
"""The larger the known operand, the larger the other all along, or the smaller."""
_UNDOING: Final[Mapping[object, Undoing]] = {
    arithmetic.add: Undoing(_subtract, _subtract),
    arithmetic.subtract: Undoing(_minuend, _subtrahend),
    arithmetic.multiply: Undoing(_factor, _factor),
    arithmetic.divide_exactly: Undoing(_dividend, _divisor),
}
_RATIONAL: Final[Mapping[object, Undoing]] = {
    arithmetic.multiply: Undoing(_rational_factor, _rational_factor),
    arithmetic.divide_exactly: Undoing(_dividend, _rational_divisor),
}
"""Where a quotient need not be whole. `arithmetic.divide_exactly` stands for division whatever it gives."""


def undoing(rules: RuleSet, operator: str) -> Undoing | None:
    """How to find operands; None where nothing is known but trying."""
    row = rules.operators[operator]
    if row.table is not None:
        # Only where each bit of one operand, whatever it is, lets the other's through or turns it.
        return Undoing(_undo_xor, _undo_xor) if row.table == _XOR else None
    division = rules.settings.division
    if row.function is arithmetic.divide_exactly and division == "floor":
        return None
    if division == "rational" and row.function in _RATIONAL:
        return _RATIONAL[row.function]
    return _UNDOING.get(row.function)


_XOR: Final = 0b0110
_AND: Final = 0b1000


def _undo_xor(value: Value, known: Sequence[Value]) -> list[Any]:
    if not isinstance(value, int):
        return [None for _ in known]
    return [value ^ other if isinstance(other, int) else None for other in known]


def _sum(left: int, right: int) -> int:
    return left + right


def _product(left: int, right: int) -> int:
    return min(left * right, UNLIMITED)


def _left(left: int, _right: int) -> int:
    return left


def _bits(left: int, right: int) -> int:
    return (1 << max(left.bit_length(), right.bit_length())) - 1


def _signed_bits(left: int, right: int) -> int:
    # -100 OR 1 is -11, but -11 AND -10 is -100: one more than the largest of as many digits.
    return 1 << max(left.bit_length(), right.bit_length())


def _unlimited(_left: int, _right: int) -> int:
    return UNLIMITED


def reach(rules: RuleSet, operator: str) -> Reach:
    """How large a result of an operator can be."""
    row = rules.operators[operator]
    negative = rules.settings.negatives != "none"
    if row.table is not None:
        return _signed_bits if negative else min if row.table == _AND else _bits
    if row.function is arithmetic.divide_exactly and not (rules.closing and rules.settings.division == "rational"):
        # Only a bracket can make a divisor smaller than 1.
        return _left
    reaches: dict[object, Reach] = {
        arithmetic.add: _sum,
        arithmetic.subtract: _sum if negative else _left,
        arithmetic.multiply: _product,
    }
    return reaches.get(row.function, _unlimited)


def largest_reaches(reaches: Iterable[Reach]) -> tuple[Reach, ...]:
    """Reaches without those that others of them always exceed; the same tuple for the same set."""
    found = set(reaches)
    if found & {_sum, _left}:
        found -= {min}
    if _sum in found:
        found -= {_left}
    return tuple(sorted(found, key=_ORDER.index))


_ORDER: Final[tuple[Reach, ...]] = (_sum, _product, _left, min, _bits, _signed_bits, _unlimited)


# -- numbers


def undress(rules: RuleSet, before: str, after: str, value: Value, width: int, widest: int) -> Undone:
    """The number of `width` digits that has this value with these signs around it."""
    sign, prefixes = ("-", before[1:]) if before[:1] == "-" else ("", before)
    number: Value = -value if sign else value
    flips = sum(rules.prefixes[prefix].function is None for prefix in prefixes)
    functions: list[Any] = [rules.prefixes[prefix].function for prefix in prefixes]
    functions += [rules.postfixes[after].function] if after else []
    if flips % 2:
        try:
            number = flip(number, rules.flip_width(width, widest))
        except Undefined:
            return None
    for function in filter(None, functions):
        undone = _UNARY[function](number) if function in _UNARY else MANY
        if undone is None or isinstance(undone, Many):
            return undone
        number = undone
    return number


def _root(value: Value) -> Undone:
    if not isinstance(value, int) or value < 0:
        return None
    root = isqrt(value)
    return root if root * root == value else None


def _square(value: Value) -> Undone:
    return value * value if value >= 0 else None


_UNARY: Final[Mapping[object, Callable[[Value], Undone]]] = {arithmetic.square: _root, arithmetic.square_root: _square}


def number_sizes(rules: RuleSet, before: str, after: str, sizes: Sizes) -> Sizes:
    """How large a number may be, or less closely, if what it becomes by the signs around it must be within `sizes`."""
    functions = [rules.prefixes[prefix].function for prefix in before if prefix in rules.prefixes]
    functions += [rules.postfixes[after].function] if after else []
    low, high = sizes
    for function in functions:
        if function is arithmetic.square:
            low, high = isqrt(low), isqrt(high)
        elif function is arithmetic.square_root:
            low, high = low * low, (high + 1) * (high + 1)
        else:
            return EVERY
    return low, high


def dressed_reach(rules: RuleSet, before: str, after: str, number: int, widths: tuple[int, int], widest: int) -> int:
    """How large a number of at most `number`, with fewest and most digits, can become by the signs around it."""
    functions = [rules.prefixes[prefix].function for prefix in before if prefix in rules.prefixes]
    if after:
        functions.insert(0, rules.postfixes[after].function)
    for function in functions:
        if function is None:
            number = max(number, _flipped_reach(rules, widths, widest))
        elif function is arithmetic.square:
            number = _product(number, number)
        elif function is not arithmetic.square_root:
            number = UNLIMITED
    return number


def _flipped_reach(rules: RuleSet, widths: tuple[int, int], widest: int) -> int:
    for width in reversed(widths):
        try:
            return (1 << rules.flip_width(width, widest)) - 1
        except Undefined:
            continue
    return -1


def least_dressed(rules: RuleSet, before: str, after: str, number: int) -> int:
    """How large a number of at least `number` stays at least with the signs around it."""
    functions = [rules.prefixes[prefix].function for prefix in before if prefix in rules.prefixes]
    if after:
        functions.insert(0, rules.postfixes[after].function)
    for function in functions:
        if function is arithmetic.square:
            number = number * number
        elif function is arithmetic.square_root:
            number = isqrt(number)
        else:
            return 0
    return number
