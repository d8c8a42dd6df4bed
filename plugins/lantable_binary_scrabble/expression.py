"""Whether a row of signs is a valid equation, and if not, why: sections 2 to 4 of the rules, codes of section 9.

`judge` goes through the checks in the order of section 9 and does each "on all sides before the next": signs,
`=`, grammar, leading zeros, calculation, equality, identity fragments, spelling. Each is one pass over the tokens;
nothing backtracks and nothing recurses, so the time is linear in the length, which is checked first.

The grammar is a table: which kind of sign may follow which. Calculation is the usual two-stack method, where an
operator first completes everything on its left that binds at least as tightly.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from lantable_binary_scrabble.ruleset import MAX_DIGITS, RuleSet
from lantable_binary_scrabble.tables import EQUALS, Fragment, Undefined, Value
from lantable_binary_scrabble.wording import msg

MAX_TEXT: Final = 4096
"""Longest expression, in characters."""
LONGEST_SHOWN: Final = 256
"""Bits of the longest value written out in a message."""
OPEN: Final = "("
"""Stands for an open bracket among pending operators."""

Span = tuple[int, int]
"""Where in the text: from, to (exclusive)."""


class Refused(Exception):
    """A check failed: its code, detail and place."""

    def __init__(self, reason: str, detail: str, span: Span) -> None:
        super().__init__(reason)
        self.reason, self.detail, self.span = reason, detail, span


class Operand(NamedTuple):
    """A number as written: what stands before it (`-`, `!`, `r`), its digits, a postfix sign or "", and its place."""

    before: str
    digits: str
    after: str
    start: int
    end: int


class Sign(NamedTuple):
    """A binary operator or bracket, and its place."""

    text: str
    start: int


Side = list[Operand | Sign]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `judge` found. Valid: `value` and `bonus` are set. Otherwise `reason`, `detail` and `span` (in the text)."""

    text: str
    reason: str | None
    detail: str | None = None
    span: Span = (0, 0)
    value: Value | None = None
    bonus: int | None = None
    sides: tuple[Value, ...] = ()
    """Values of the sides, as far as the calculation came."""

    @property
    def valid(self) -> bool:
        return self.reason is None


def judge(rules: RuleSet, text: str) -> Verdict:
    """Whether `text`, in tile codes (blanks as what they show), is a valid equation. O(len(text)); never raises."""
    sides: list[Value] = []
    place = _Places(text)
    try:
        if len(text) > MAX_TEXT:
            raise Refused("syntax", "too_long", (MAX_TEXT, len(text)))
        signs = _read_faces(rules, text, place)
        parsed = parse(rules, signs)
        _leading_zeros(rules, parsed)
        fragments = _calculate(rules, parsed, sides)
        _same_value(sides, len(signs))
        _identities(rules, fragments)
        if not rules.settings.allow_trivial and len(set(signs.split(EQUALS))) == 1:
            raise Refused("trivial", msg("all sides are spelled alike"), (0, len(signs)))
    except Refused as refused:
        return Verdict(text, refused.reason, refused.detail, place.in_text(refused.span), sides=tuple(sides))
    return Verdict(text, None, value=sides[0], bonus=rules.bonus(sides[0]), sides=tuple(sides))


class _Places:
    """From places among the signs to places in the text: a turned `=` reads as two signs."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] | None = None
        self._length = len(text)

    def widened(self, readings: list[str]) -> None:
        self._starts = [index for index, reading in enumerate(readings) for _ in reading]

    def in_text(self, span: Span) -> Span:
        starts = self._starts
        if starts is None:
            return span
        start, end = (starts[at] if at < len(starts) else self._length for at in span)
        return start, max(end, start + 1) if span[1] > span[0] else end


def _read_faces(rules: RuleSet, text: str, place: _Places) -> str:
    """The text as signs: digits, operators, `=`. A space may still stand between two digits."""
    reading = rules.reading
    try:
        readings = [reading[face] if face != " " else " " for face in text]
    except KeyError:
        at = next(index for index, face in enumerate(text) if face not in reading and face != " ")
        raise Refused("bad_symbol", text[at], (at, at + 1)) from None
    signs = "".join(readings)
    if len(signs) != len(text):
        place.widened(readings)
    if EQUALS not in signs:
        raise Refused("no_equals", "there is no equals sign", (0, len(text)))
    return signs


# -- grammar

FOLLOWS: Final[dict[tuple[str, str], str]] = {
    ("operand", "number"): "number",
    ("operand", "prefix"): "prefix",
    ("operand", "sign"): "sign",
    ("operand", "open"): "operand",
    ("sign", "number"): "number",
    ("sign", "signed prefix"): "prefix",
    ("prefix", "number"): "number",
    ("prefix", "chained prefix"): "prefix",
    ("number", "binary"): "operand",
    ("number", "postfix"): "done",
    ("number", "close"): "done",
    ("done", "binary"): "operand",
    ("done", "close"): "done",
}
"""(what came before, what comes) -> what that makes. 2.1, 2.2, 3.2, 3.3, 3.6; what is not here is `syntax`."""
COMPLETE: Final = frozenset({"number", "done"})
_RUNS: Final = re.compile(r"[0-9]+|.", re.DOTALL)


def parse(rules: RuleSet, signs: str) -> list[Side]:
    """The sides of an equation as operands and signs. Raises `Refused("syntax")`. O(len(signs))."""
    sides: list[Side] = []
    start, mode = 0, _opening(rules)
    for text in signs.split(EQUALS):
        sides.append(_side(mode, start, text))
        start += len(text) + 1
    return sides


def _side(mode: "_Mode", at: int, text: str) -> Side:
    """One side, read from left to right, with its place in the whole equation."""
    side: Side = []
    before, opened = "", 0
    # A named tuple made as a bare one, which takes a third of the time: half of all that parsing costs.
    new: Any = tuple.__new__  # pyright: ignore  # typeshed leaves open what its items are
    for run in _RUNS.findall(text):
        kind, after = mode[run[0]]
        if kind == "number":
            if len(run) > MAX_DIGITS:
                raise _at_fault("too_long", at)
            side.append(new(Operand, (before, run, "", at - len(before), at + len(run))))
            before = ""
        elif kind == "before":
            before += run
        elif kind == "postfix":
            number = side[-1]
            assert isinstance(number, Operand)  # noqa: S101 - the table lets it follow nothing else
            side[-1] = number._replace(after=run, end=at + 1)
        elif kind:
            opened += _DEPTH[kind]
            if opened < 0:
                raise _at_fault("bracket", at)
            side.append(new(Sign, (run, at)))
        else:
            raise _at_fault("operator_expected" if mode.state in COMPLETE else "operand_expected", at)
        mode = after
        at += len(run)
    if mode.state not in COMPLETE:
        raise _at_fault("operand_expected" if text else "empty_side", at)
    if opened:
        raise _at_fault("bracket", at)
    return side


_DEPTH: Final = {"binary": 0, "open": 1, "close": -1}


def _at_fault(detail: str, at: int) -> Refused:
    return Refused("syntax", detail, (at, at + 1))


class _Mode(dict[str, tuple[str, "_Mode"]]):
    """A state of the grammar, with the last sign in front of the number to come (a minus stands there alone).

    Look up a sign to learn what it is ("" if it must not stand there) and the mode after it. Found when it is needed
    first.
    """

    __slots__ = ("_last", "_modes", "_rules", "state")

    def __init__(self, rules: RuleSet, modes: "dict[tuple[str, str], _Mode]", state: str, last: str) -> None:
        super().__init__()
        self._rules, self._modes, self.state, self._last = rules, modes, state, last
        modes[state, last] = self

    def __missing__(self, sign: str) -> "tuple[str, _Mode]":
        kind = kind_of(self._rules, self.state, self._last, sign)
        state = FOLLOWS.get((self.state, kind))
        if state is None:
            return "", self
        before = state in ("sign", "prefix")
        key = state, sign if before else ""
        after = self._modes[key] if key in self._modes else _Mode(self._rules, self._modes, *key)
        self[sign] = "before" if before else kind, after
        return self[sign]


@lru_cache(maxsize=64)
def _opening(rules: RuleSet) -> _Mode:
    return _Mode(rules, {}, "operand", "")


def kind_of(rules: RuleSet, state: str, before: str, sign: str) -> str:
    """The kind of a sign in the table, where `state` is reached and `before` stands in front of the number to come."""
    if sign in rules.digits:
        return "number"
    if sign in rules.operators:
        # 2.4: under `signed` "minus may stand directly before a number".
        return "sign" if sign == "-" and state == "operand" and rules.settings.negatives == "signed" else "binary"
    if sign in rules.prefixes:
        return _prefix_kind(rules, before, sign)
    if sign in rules.postfixes:
        return "postfix"
    if sign in rules.closing:
        return "open"
    return "close" if sign in rules.closing.values() else "space"


def _prefix_kind(rules: RuleSet, before: str, code: str) -> str:
    if not before:
        return "prefix"
    if before == "-":
        return "signed prefix" if rules.prefixes[code].signed else "prefix after sign"
    # 3.3: "NOT NOT is illegal unless `not_chain`"; roots "may not be stacked". What stands further in front was judged.
    flips = all(rules.prefixes[sign].function is None for sign in (before[-1], code))
    return "chained prefix" if flips and rules.settings.not_chain else "second prefix"


# -- numbers and calculation


def _leading_zeros(rules: RuleSet, sides: list[Side]) -> None:
    if rules.settings.leading_zeros == "always":
        return
    for side in sides:
        for item in side:
            if isinstance(item, Operand) and _padded(item.digits) and not rules.leading_zero(item.before):
                raise Refused("leading_zero", item.digits, (item.start, item.end))


def _padded(digits: str) -> bool:
    return digits[0] == "0" and len(digits) > 1


def widest_number(sides: list[Side]) -> int:
    """Digits of the longest number "as written, leading zeros included, in the whole equation" (3.2)."""
    return max(len(item.digits) for side in sides for item in side if isinstance(item, Operand))


def _calculate(rules: RuleSet, sides: list[Side], values: list[Value]) -> list[list[tuple[Fragment, Span]]]:
    """Appends each side's value to `values`; gives each side's identity fragments. Raises `Refused("arith")`."""
    widest = widest_number(sides)
    found: list[list[tuple[Fragment, Span]]] = []
    calculation = Calculation(rules, widest)
    for side in sides:
        values.append(calculation.run(side))
        found.append(calculation.fragments)
    return found


class Calculation:
    """The two-stack method, side by side: pending (left operand, operator, its place, its rank), and the value at hand.

    Of the last side, `fragments` are the identity fragments, and `steps` what was done, in order: (left, operator,
    right, result), if that is `traced`. In a long text there are thousands of steps, so the loop looks nothing up
    twice.
    """

    def __init__(self, rules: RuleSet, widest: int, *, traced: bool = False) -> None:
        self._rules = rules
        self._widest = widest
        self._pending: list[tuple[Value, str, int, int]] = []
        self._traced = traced
        self.fragments: list[tuple[Fragment, Span]] = []
        self.steps: list[tuple[Value, str, Value, Value]] = []

    def run(self, side: Side) -> Value:
        """The value of the side. Raises `Refused("arith")`."""
        ranks, closing, pending, complete = self._rules.rank, self._rules.closing, self._pending, self._complete
        literals, base = self._rules.fragments, self._rules.kind.base
        self.fragments, self.steps = [], []
        value: Value = 0
        direct = False
        for item in side:
            if isinstance(item, Operand):
                before, digits, after, _, end = item
                value = bare = int(digits, base)
                if before or after:
                    value = self._dressed(item, value)
                if direct and not before and (fragment := literals.get((pending[-1][1], bare))):
                    self._note(fragment, end, bare)
                direct = False
                continue
            sign, start = item
            rank = ranks.get(sign)
            if rank is not None:
                pending.append((complete(value, rank) if pending else value, sign, start, rank))
                direct = True
            elif sign in closing:
                pending.append((0, OPEN, start, -1))
                direct = False
            else:
                value = complete(value, 0)
                pending.pop()
        value = complete(value, 0)
        if value >= 0:
            return value
        return self._guard(lambda: self._rules.side(value), (_start(side[0]), _end(side[-1])))

    def _dressed(self, item: Operand, value: Value) -> Value:
        return self._guard(lambda: self._dress(item, value), (item.start, item.end))

    def _dress(self, item: Operand, value: Value) -> Value:
        if item.after:
            value = self._rules.postfixed(item.after, value)
        return self._rules.operand(item.before, value, len(item.digits), self._widest)

    def _note(self, fragment: Fragment, end: int, literal: int) -> None:
        left, operator, start, _ = self._pending[-1]
        if not fragment.unchanged or self._rules.fragment(operator, literal, left):
            self.fragments.append((fragment, (start, end)))

    def _complete(self, value: Value, rank: int) -> Value:
        """Do what is pending and binds at least as tightly as `rank`, up to an open bracket."""
        pending, rules, start = self._pending, self._rules, 0
        try:
            while pending and pending[-1][3] >= rank:
                left, operator, start, _ = pending.pop()
                right, value = value, rules.functions[operator](left, value)
                if value < 0:
                    value = rules.checked(value)
                if self._traced:
                    self.steps.append((left, operator, right, value))
        except ArithmeticError as error:
            raise Refused("arith", _detail(error), (start, start + 1)) from None
        return value

    @staticmethod
    def _guard(compute: Callable[[], Value], span: Span) -> Value:
        try:
            return compute()
        except ArithmeticError as error:
            raise Refused("arith", _detail(error), span) from None


def _start(item: Operand | Sign) -> int:
    return item.start


def _end(item: Operand | Sign) -> int:
    return item.end if isinstance(item, Operand) else item.start + 1


def _detail(error: ArithmeticError) -> str:
    """A house rule's function may also fail in Python's own words (ZeroDivisionError)."""
    return str(error) if isinstance(error, Undefined) else "div_zero"


def spelled(value: Value) -> str:
    """A value in decimal; of an absurdly long one only its size, since printing it would cost more than reading it."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    return str(value) if bits <= LONGEST_SHOWN else msg("a number of {bits} bits", bits=bits)


def _same_value(values: list[Value], length: int) -> None:
    if any(value != values[0] for value in values):
        raise Refused("unequal", "|".join(map(spelled, values)), (0, length))


def _identities(rules: RuleSet, sides: list[list[tuple[Fragment, Span]]]) -> None:
    for fragments in sides:
        for fragment, span in fragments:
            if not rules.allows(fragment):
                raise Refused("identity", (fragment.toggle or "fragment").removeprefix("allow_"), span)
    if rules.settings.allow_chained_id:
        return
    for fragments in sides:
        # 4.4: "at most one identity fragment on each side, counting all kinds, also those whose toggle is on".
        if len(fragments) > 1:
            raise Refused("identity", "chained", fragments[1][1])
