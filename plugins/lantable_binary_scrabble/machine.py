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

from lantable_binary_scrabble.expression import FOLLOWS, OPEN, kind_of
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import Undefined, Value

MAX_NODES: Final = 200_000
"""The automaton forgets everything and starts afresh beyond this, to bound its memory (about 100 MB)."""


class Reading(NamedTuple):
    """What a node stands for. `state` is that of the grammar: operand, sign, prefix, number, done."""

    state: str
    pending: tuple[tuple[Value, str], ...]
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
        node = self[symbol] = self._machine.after(self._reading, symbol)
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
        if reading.state not in ("number", "done"):
            return None, False
        try:
            reading = self._completed(self._closed(reading), 0)
            if reading.pending:
                return None, False
            return self._rules.side(reading.value), reading.reached
        except ArithmeticError:
            return None, False

    def _step(self, reading: Reading, sign: str) -> Reading:
        """One more sign. Raises `ArithmeticError` where nothing valid begins so."""
        kind = kind_of(self._rules, reading.state, reading.before, sign)
        if kind == "number":
            return self._digit(reading, int(sign))
        if (reading.state, kind) not in FOLLOWS:
            raise Undefined("syntax")
        if kind == "binary":
            return self._operator(reading, sign)
        if kind == "postfix":
            return self._closed(reading, sign)
        if kind == "close":
            return self._close(reading)
        if kind == "open":
            return reading._replace(pending=(*reading.pending, (0, OPEN)), direct=False)
        return reading._replace(state=FOLLOWS[reading.state, kind], before=reading.before + sign)

    def _digit(self, reading: Reading, digit: int) -> Reading:
        rules, value = self._rules, digit
        if reading.state == "number":
            if reading.value == 0 and not rules.leading_zero(reading.before):
                raise Undefined("leading_zero")
            value += reading.value * rules.kind.base
        elif reading.state == "done":
            raise Undefined("syntax")
        width = reading.width + 1
        if self._widest:
            if width > self._widest:
                raise Undefined("too_wide")
        elif not reading.before:
            # Nothing depends on the width of a bare number: forget it, to share nodes.
            width = 1
        return reading._replace(state="number", value=value, width=width)

    def _closed(self, reading: Reading, after: str = "") -> Reading:
        """A number that ends here becomes an operand; an identity fragment is counted."""
        if reading.state == "done":
            return reading
        rules, used, value = self._rules, reading.used, reading.value
        if reading.direct and not reading.before:
            used += self._fragment(reading)
        if after:
            value = rules.postfixed(after, value)
        value = rules.operand(reading.before, value, reading.width, self._widest)
        reached = reading.reached or (self._widest > 0 and reading.width == self._widest)
        return Reading("done", reading.pending, value=value, used=used, reached=reached)

    def _fragment(self, reading: Reading) -> int:
        left, operator = reading.pending[-1]
        fragment = self._rules.fragment(operator, reading.value, left)
        if fragment is None:
            return 0
        if not self._rules.allows(fragment):
            raise Undefined("identity")
        if self._rules.settings.allow_chained_id:
            return 0
        if reading.used:
            raise Undefined("chained")
        return 1

    def _operator(self, reading: Reading, sign: str) -> Reading:
        done = self._completed(self._closed(reading), self._rules.rank[sign])
        return Reading(
            "operand", (*done.pending, (done.value, sign)), direct=True, used=done.used, reached=done.reached
        )

    def _close(self, reading: Reading) -> Reading:
        done = self._completed(self._closed(reading), 0)
        if not done.pending:
            raise Undefined("syntax")
        return done._replace(pending=done.pending[:-1])

    def _completed(self, reading: Reading, rank: int) -> Reading:
        """Do what is pending and binds at least as tightly as `rank`, back to an open bracket."""
        pending, value = reading.pending, reading.value
        while pending and pending[-1][1] != OPEN and self._rules.rank[pending[-1][1]] >= rank:
            left, operator = pending[-1]
            value = self._rules.apply(operator, left, value)
            pending = pending[:-1]
        return reading._replace(pending=pending, value=value)


@lru_cache(maxsize=64)
def machine(rules: RuleSet, widest: int = 0) -> Machine:
    """The automaton of these rules; kept, since the next position needs mostly the same nodes."""
    return Machine(rules, widest)
