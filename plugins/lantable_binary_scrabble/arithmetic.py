"""What operators do: exact functions on values, bit patterns from truth tables, the bonus of a value.

Numbers are Python's, exact and without end; under `negatives=signed` logic sees two's complement with endless
sign bits, which is what Python's own operators do.
"""

import hashlib
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from lantable_binary_scrabble.tables import Undefined, Value


def add(a: Value, b: Value) -> Value:
    return a + b


def subtract(a: Value, b: Value) -> Value:
    return a - b


def multiply(a: Value, b: Value) -> Value:
    return a * b


def divide_exactly(a: Value, b: Value) -> Value:
    """3.4: "must come out whole at every step"."""
    quotient = divide_down(a, b)
    if quotient * b != a:
        raise Undefined("inexact")
    return quotient


def divide_down(a: Value, b: Value) -> Value:
    """3.4: "towards minus infinity: under `signed`, `-11/10 = -10`"."""
    if b == 0:
        raise Undefined("div_zero")
    return a // b


def divide_rational(a: Value, b: Value) -> Value:
    if b == 0:
        raise Undefined("div_zero")
    return whole_if_possible(Fraction(a) / Fraction(b))


DIVISION: Final[dict[str, Callable[[Value, Value], Value]]] = {
    "exact": divide_exactly,
    "floor": divide_down,
    "rational": divide_rational,
}


def square(a: Value) -> Value:
    return a * a


def square_root(a: Value) -> Value:
    """ "A root must come out whole, of a number that is not negative.\""""
    if a < 0 or not isinstance(a, int):
        raise Undefined("negative")
    root = math.isqrt(a)
    if root * root != a:
        raise Undefined("inexact")
    return root


def whole_if_possible(a: Value) -> Value:
    """The same value, as an int where it is one: one value, one form."""
    return a.numerator if isinstance(a, Fraction) and a.denominator == 1 else a


def bitwise(table: int, a: Value, b: Value) -> Value:
    """A truth table applied to every pair of bits, the shorter number padded on the left (3.1)."""
    if not isinstance(a, int) or not isinstance(b, int):
        raise Undefined("logic_domain")
    return (a & b if table & 0b1000 else 0) | (a & ~b if table & 0b0100 else 0) | (~a & b if table & 0b0010 else 0)


def flip(value: Value, width: int) -> Value:
    """NOT on a number of `width` binary digits (3.2)."""
    return (1 << width) - 1 - value


def _whole(value: Value) -> int:
    """7.2: "of the absolute value under `signed`; of the whole part of the absolute value under `rational`"."""
    return abs(value.numerator) // value.denominator


def _high_bit(value: int) -> int:
    return 1 << value.bit_length() - 1 if value else 0


def _log2(value: int) -> int:
    return max(value.bit_length() - 1, 0)


def _root_up(value: int) -> int:
    """Number Scrabble: "the square root of the equation's absolute value, rounded up"."""
    return math.isqrt(value - 1) + 1 if value else 0


BONUS: Final[dict[str, Callable[[int], int]]] = {
    "high_bit": _high_bit,
    "log2": _log2,
    "bit_length": int.bit_length,
    "none": lambda _value: 0,
    "root_up": _root_up,
}


def bonus(kind: str, value: Value) -> int:
    """The bonus an equation of this value earns, before premiums (7.2)."""
    return BONUS[kind](_whole(value))


def fingerprint(function: Callable[..., Value], operands: int) -> str:
    """A hash of what a function does to small numbers: two functions may share a name, and bytes of code are no rule.

    Raises whatever the function raises besides `Undefined`: an operator that fails on small numbers is broken.
    """
    small = range(-4, 17)
    cases: list[tuple[int, ...]] = [(a,) for a in small] if operands == 1 else [(a, b) for a in small for b in small]
    told = ";".join(f"{','.join(map(str, case))}={_result(function, case)}" for case in cases)
    return hashlib.sha256(told.encode()).hexdigest()


def _result(function: Callable[..., Any], case: tuple[int, ...]) -> str:
    try:
        return str(function(*case))
    except Undefined as undefined:
        return str(undefined)
