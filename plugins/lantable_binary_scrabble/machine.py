"""Sides of equations read sign by sign: the rule set as an automaton, built as far as it is needed.

The generator lays one tile after the other and must know at once whether what lies there can still become a valid
side, and what it is worth if it ends here. A `Node` stands for everything about the signs so far that can still
matter: what is pending, the number being written, whether an identity fragment was used. Two beginnings that
cannot be told apart by any continuation share one node, so the automaton stays small (some ten thousand nodes
serve a whole game) and a step is one dictionary look-up.

It calculates by the same rules as `expression.judge` (a property test compares them on random texts) but has only
one answer to a mistake: there is no such node.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from lantable_binary_scrabble.expression import COMPLETE, FOLLOWS, OPEN, kind_of
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import Undefined, Value, face_of, is_blank

MAX_NODES: Final = 200_000
"""The automaton forgets everything and starts afresh beyond this, to bound its memory (about 100 MB)."""


Pending = tuple[tuple[Value, str], ...]
"""What waits for its right operand: (left operand, operator), or (0, OPEN) for an open bracket."""


class Reading(NamedTuple):
    """What a node stands for. `state` is that of the grammar: operand, sign, prefix, number, done."""

    state: str
    pending: Pending
    before: str = ""
    value: Value = 0
    width: int = 0
    direct: bool = False
    """Whether an operator stands directly before the number."""
    used: int = 0
    """Identity fragments so far; counted only where a second one is forbidden."""
    reached: bool = False
    """Whether some number is as wide as the widest may be; kept only where NOT looks at that."""


class Node(dict[str, "Node | None"]):
    """A beginning of a side. Look up a symbol to append it: the node after it, or None where nothing valid begins so.

    `value` is the side's value if it ends here, or None if it must not; `reached` see `Reading`.
    """

    __slots__ = ("_machine", "_reading", "reached", "value")
    __hash__ = object.__hash__  # type: ignore[assignment]  # nodes are interned: one object, one beginning

    def __init__(self, machine: "Machine", reading: Reading) -> None:
        super().__init__()
        self._machine = machine
        self._reading = reading
        self.value, self.reached = machine.ended(reading)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __missing__(self, symbol: str) -> "Node | None":
        node = self[face_of(symbol)] if is_blank(symbol) else self._machine.after(self._reading, symbol)
        self[symbol] = node
        return node


class Machine:
    """The automaton of a rule set. `widest` is the longest number allowed (only `not_width=widest` needs it)."""

    def __init__(self, rules: RuleSet, widest: int = 0) -> None:
        self._rules = rules
        self._widest = widest
        self._nodes: dict[Reading, Node] = {}
        self.start = self._node(Reading("operand", ()))

    def renew(self) -> None:
        """Forget what was built if it has grown too large. Nodes given out before must not be used any more."""
        if len(self._nodes) > MAX_NODES:
            self._nodes.clear()
            self.start = self._node(Reading("operand", ()))

    def _node(self, reading: Reading) -> Node:
        node = self._nodes.get(reading)
        if node is None:
            node = self._nodes[reading] = Node(self, reading)
        return node

    def after(self, reading: Reading, symbol: str) -> Node | None:
        """The node after one more symbol; None where nothing valid begins so."""
        signs = self._rules.reading.get(symbol)
        if signs is None:
            return None
        try:
            for sign in signs:
                reading = self._step(reading, sign)
        except ArithmeticError:
            return None
        return self._node(reading)

    def ended(self, reading: Reading) -> tuple[Value | None, bool]:
        """Value of the side if it ends here (None: it must not), and `reached`."""
        if reading.state not in COMPLETE:
            return None, False
        try:
            pending, value, _, reached = self._finished(reading, 0)
            return (None, False) if pending else (self._rules.side(value), reached)
        except ArithmeticError:
            return None, False

    def _step(self, reading: Reading, sign: str) -> Reading:
        """One more sign. Raises `ArithmeticError` where nothing valid begins so."""
        state = reading.state
        kind = kind_of(self._rules, state, reading.before, sign)
        if kind == "number":
            return self._digit(reading, int(sign))
        if (state, kind) not in FOLLOWS:
            raise Undefined("syntax")
        if kind == "binary":
            pending, value, used, reached = self._finished(reading, self._rules.rank[sign])
            return Reading("operand", (*pending, (value, sign)), "", 0, 0, True, used, reached)
        if kind == "postfix":
            return Reading("done", *self._number(reading, sign))
        if kind == "close":
            pending, value, used, reached = self._finished(reading, 0)
            if not pending:
                raise Undefined("syntax")
            return Reading("done", pending[:-1], "", value, 0, False, used, reached)
        if kind == "open":
            return reading._replace(pending=(*reading.pending, (0, OPEN)), direct=False)
        return reading._replace(state=FOLLOWS[state, kind], before=reading.before + sign)

    def _digit(self, reading: Reading, digit: int) -> Reading:
        state, pending, before, value, width, direct, used, reached = reading
        if state == "number":
            if value == 0 and not self._rules.leading_zero(before):
                raise Undefined("leading_zero")
            value = value * self._rules.kind.base + digit
        elif state == "done":
            raise Undefined("syntax")
        else:
            value = digit
        width += 1
        if self._widest:
            if width > self._widest:
                raise Undefined("too_wide")
        elif not before:
            # Nothing depends on the width of a bare number: forget it, to share nodes.
            width = 1
        return Reading("number", pending, before, value, width, direct, used, reached)

    def _finished(self, reading: Reading, rank: int) -> tuple[Pending, Value, int, bool]:
        """What is left pending, the value at hand, `used` and `reached`, after an operator of this rank (0: the end).

        Does what is pending and binds at least as tightly, back to an open bracket.
        """
        pending, value, used, reached = reading.pending, reading.value, reading.used, reading.reached
        if reading.state == "number":
            pending, _, value, _, _, used, reached = self._number(reading)
        ranks = self._rules.rank
        while pending:
            left, operator = pending[-1]
            if operator == OPEN or ranks[operator] < rank:
                break
            value = self._rules.apply(operator, left, value)
            pending = pending[:-1]
        return pending, value, used, reached

    def _number(self, reading: Reading, after: str = "") -> tuple[Pending, str, Value, int, bool, int, bool]:
        """A number that ends here as an operand: the fields of a `Reading` from `pending` on."""
        _, pending, before, value, width, direct, used, reached = reading
        if direct and not before:
            used += self._fragment(pending, value, used)
        if after:
            value = self._rules.postfixed(after, value)
        if before:
            value = self._rules.operand(before, value, width, self._widest)
        return pending, "", value, 0, False, used, reached or (self._widest > 0 and width == self._widest)

    def _fragment(self, pending: Pending, literal: Value, used: int) -> int:
        """1 if number and operator before it are an identity fragment to be counted. Raises if it must not be."""
        left, operator = pending[-1]
        fragment = self._rules.fragment(operator, literal, left)
        if fragment is None:
            return 0
        if not self._rules.allows(fragment):
            raise Undefined("identity")
        if self._rules.settings.allow_chained_id:
            return 0
        if used:
            raise Undefined("chained")
        return 1


@lru_cache(maxsize=64)
def machine(rules: RuleSet, widest: int) -> Machine:
    """The automaton of these rules; kept, since the next position needs mostly the same nodes."""
    return Machine(rules, widest)
