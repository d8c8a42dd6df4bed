"""All fillings of a pattern from a rack, in binary, as a lattice of beginnings.

Theory. A pattern is cut at its equals signs into *sides* (cuts.py).

1. For each side, all fillings from the rack, as a lattice: level by level, from the left, the beginnings that lead to
   the same `Node` of the automaton (machine.py) with the same tiles left are one point of the lattice, which remembers
   the ways that lead to it. Levels are kept by the beginning of the pattern, so all windows share them.
2. Tabulate the ends of a side by value, then by tiles used; join the sides of a pattern on equal values, keeping
   pairs that the rack can pay for together (meet in the middle: a side is never extended by the fillings of the other).
3. The texts of a group of fillings with the same tiles and value are written out only when they are wanted.

The cost of 1 is the number of distinct beginnings of sides, of 2 the number of pairs of equal value. With two digits
beginnings coincide so often that nothing known to us lists all moves faster. In base ten they hardly ever do; there,
and where only the best moves are wanted, parts.py does less.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from lantable_binary_scrabble.cells import HOLE, RESTRICTED, Rack, is_hole
from lantable_binary_scrabble.cuts import Cut, Cuts
from lantable_binary_scrabble.machine import Node, machine
from lantable_binary_scrabble.parts import Pause, nothing
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import EQUALS, Value, face_of

_MASK: Final = 31
"""As many of one kind of tile as fit into a packed multiset (cells.py)."""
Ways = tuple["Ways", "Ways | str"] | tuple[()]
"""A point of the lattice, by how one gets there: () the start; (point before, symbol laid); or (ways, other ways).

Bare tuples on purpose: the garbage collector stops tracking those that hold nothing but strings and such tuples, and
with hundreds of thousands of points its passes were two thirds of the time.
"""
Level = dict[int, dict[Node, Ways]]
"""Tiles left -> node -> ways."""
End = tuple[int, bool, int, Ways]
"""How a side may end: tiles used, `reached`, points of those tiles, ways."""
Table = dict[Value, list[End]]
"""Value -> ends with that value, one for each multiset of tiles used."""


class Group(NamedTuple):
    """Fillings of a pattern that share value and tiles: points and bonus together, each side's ways, and the symbols
    at the equals signs ("" where it already lies there)."""

    base: int
    sides: tuple[Ways, ...]
    signs: tuple[str, ...]


class Lattice:
    """All sides a rack can fill, by pattern, for one automaton. `sets` are the symbols that restricted holes take.

    `widest` is how wide the widest number of an equation is, which only `not_width=widest` needs to know; 0 elsewhere.
    `pause` is called again and again during long work, and may raise to end it.
    """

    def __init__(
        self,
        rules: RuleSet,
        rack: Rack,
        sets: list[frozenset[str]],
        cuts: Cuts,
        widest: int = 0,
        pause: Pause = nothing,
    ) -> None:
        self._rules, self._rack, self._sets, self._cuts, self._pause = rules, rack, sets, cuts, pause
        self._widest = widest
        self._others = [
            (symbol, rack.unit[tile]) for symbol, tile in rack.laid_with.items() if face_of(symbol) != EQUALS
        ]
        self._next: dict[int, list[tuple[str, int]]] = {}
        automaton = machine(rules, widest)
        automaton.renew()
        self._levels: dict[str, Level] = {"": {rack.full: {automaton.start: ()}}}
        # No cycles of references here: what a search leaves behind must not have to wait for the garbage collector.
        self._tables: dict[str, Table] = {}
        self._bonuses: dict[Value, int] = {}
        self._written: dict[int, tuple[Ways, list[str]]] = {}
        self._long = rack.size - 3

    def fillings(self, cut: Cut) -> Iterator[tuple[str, int]]:
        """Every row of tiles that makes an equation of a cut pattern, with its points and bonus together."""
        for group in self._join(cut):
            for text in self._texts_of(group):
                yield text, group.base

    def _join(self, cut: Cut) -> Iterator[Group]:
        """The fillings in which all sides have one value."""
        for at, side in enumerate(cut.sides):
            if len(side) > self._long and len(cut.sides) == 2 and side[-1] == HOLE and _holes(side) > self._long:
                yield from self._join_long(at, side, cut.sides[1 - at], cut.signs)
                return
        tables: list[Table] = []
        for side in cut.sides:
            table = self._tabulate(side)
            if not table:
                return
            tables.append(table)
        common = tables[0].keys() & tables[1].keys()
        for table in tables[2:]:
            common &= table.keys()
        if not common:
            return
        # The order of a set is nobody's business.
        values = sorted(common)
        for symbols, points, left in self._cuts.choices(cut.signs):
            for value in values:
                yield from self._pair([table[value] for table in tables], symbols, points + self._bonus(value), left)

    def _join_long(self, at: int, side: str, short: str, signs: str) -> Iterator[Group]:
        """As `join` where one side takes nearly the whole rack and ends in a hole.

        Hardly anything is left for the other side then, so the last and by far largest level need not be built: for
        every multiset left, only values the other side can still have are of interest.
        """
        rack, table = self._rack, self._tabulate(short)
        if not table:
            return
        guards = rack.guards
        for symbols, base, left in self._cuts.choices(signs):
            payable: dict[int, Table] = {}
            taken = rack.full + guards - left
            for before, nodes in self._level(side[:-1]).items():
                for symbol, rest in self._may_follow(before):
                    if rest not in payable:
                        payable[rest] = _payable(table, rest + guards - taken, guards)
                    partners = payable[rest]
                    if not partners:
                        continue
                    points = base + rack.points(rack.full - rest)
                    for node, ways in nodes.items():
                        after = node[symbol]
                        if after is not None and (value := after.value) is not None and value in partners:
                            bonus = self._bonus(value)
                            for _, reached, more, others in partners[value]:
                                if reached or after.reached or not self._widest:
                                    both = ((ways, symbol), others) if at == 0 else (others, (ways, symbol))
                                    yield Group(points + bonus + more, both, symbols)

    def _bonus(self, value: Value) -> int:
        bonus = self._bonuses.get(value)
        if bonus is None:
            bonus = self._bonuses[value] = self._rules.bonus(value)
        return bonus

    def _texts_of(self, group: Group) -> list[str]:
        """The tiles laid, in order, for every filling of a group."""
        texts = self._texts(group.sides[0])
        for sign, side in zip(group.signs, group.sides[1:], strict=True):
            more = self._texts(side)
            if sign:
                more = [sign + text for text in more]
            texts = [before + after for before in texts for after in more]
        return texts

    def _texts(self, ways: Ways) -> list[str]:
        """The tiles laid on every way to a point, each point written out once."""
        known = self._written.get(id(ways))
        if known is None:
            texts: list[str] = []
            more: list[Ways] = [ways]
            while more:
                match more.pop():
                    case ():
                        texts.append("")
                    case (before, str() as symbol):
                        texts += [text + symbol for text in self._texts(before)]
                    case (some, others):
                        more += (some, others)
            # The point is kept with its texts, so that its id stays its own.
            known = self._written[id(ways)] = (ways, texts)
        return known[1]

    def _pair(self, ends: list[list[End]], signs: tuple[str, ...], base: int, left: int) -> Iterator[Group]:
        """One end of each side, where the tiles suffice for all: `left` are those besides the new equals signs."""
        guards = self._rack.guards
        partial: list[tuple[int, bool, int, tuple[Ways, ...]]] = [
            (left - used, reached, base + points, (ways,)) for used, reached, points, ways in ends[0]
        ]
        for others in ends[1:]:
            partial = [
                (rest - used, so_far or reached, score + points, (*sides, ways))
                for rest, so_far, score, sides in partial
                if rest & guards == guards
                for used, reached, points, ways in others
                if rest - used & guards == guards
            ]
        for _, reached, score, sides in partial:
            if reached or not self._widest:
                yield Group(score, sides, signs)

    def _tabulate(self, side: str) -> Table:
        """The ends of a side by value; nodes that differ only in what could follow are one end."""
        known = self._tables.get(side)
        if known is not None:
            return known
        table: Table = {}
        full = self._rack.full
        for left, nodes in self._level(side).items():
            found: dict[tuple[Value, bool], Ways] = {}
            for node, ways in nodes.items():
                if node.value is not None:
                    key = node.value, node.reached
                    found[key] = (found[key], ways) if key in found else ways
            points = self._rack.points(full - left)
            for (value, reached), ways in found.items():
                table.setdefault(value, []).append((full - left, reached, points, ways))
        self._tables[side] = table
        return table

    def _level(self, side: str) -> Level:
        level = self._levels.get(side)
        if level is None:
            self._pause()
            before, sign = self._level(side[:-1]), side[-1]
            if sign == HOLE:
                level = self._grown(before, None)
            elif ord(sign) >= RESTRICTED:
                level = self._grown(before, self._sets[ord(sign) - RESTRICTED])
            else:
                level = _passed(before, sign)
            self._levels[side] = level
        return level

    def _may_follow(self, left: int) -> list[tuple[str, int]]:
        """What may be laid besides `=` from the tiles left: (symbol, tiles left then)."""
        found = self._next.get(left)
        if found is None:
            found = self._next[left] = [(s, left - unit) for s, unit in self._others if left & unit * _MASK]
        return found

    def _grown(self, before: Level, allowed: frozenset[str] | None) -> Level:
        """A level further, over a hole."""
        level: Level = {}
        for left, nodes in before.items():
            for symbol, rest in self._may_follow(left):
                if allowed is not None and symbol not in allowed:
                    continue
                points = level.setdefault(rest, {})
                for node, ways in nodes.items():
                    after = node[symbol]
                    if after is None:
                        continue
                    known = points.get(after)
                    points[after] = (ways, symbol) if known is None else (known, (ways, symbol))
        return level


def _payable(table: Table, spare: int, guards: int) -> Table:
    """The part of a table that `spare` tiles (with guard bits) suffice for."""
    if spare & guards != guards:
        return {}
    kept = {value: [end for end in ends if spare - end[0] & guards == guards] for value, ends in table.items()}
    return {value: ends for value, ends in kept.items() if ends}


def _holes(side: str) -> int:
    return sum(map(is_hole, side))


def _passed(before: Level, sign: str) -> Level:
    """A level further, over a tile that already lies there."""
    level: Level = {}
    for left, nodes in before.items():
        points: dict[Node, Ways] = {}
        for node, ways in nodes.items():
            after = node[sign]
            if after is not None:
                points[after] = (points[after], ways) if after in points else ways
        if points:
            level[left] = points
    return level
