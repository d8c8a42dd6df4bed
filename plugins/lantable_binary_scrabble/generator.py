"""Every legal placement with its score, and the best n, under any rule set.

Theory. A placement fills the holes of a *window*: a stretch of one line that becomes a maximal run. What a window
reads, with a dot for each hole, is its *pattern* (`..1....`); many windows of a board share one. Squares where the
move would also make a crosswise run take only the symbols for which that run is valid; such a hole is a pattern
character of its own, which stands for that set.

1. Cut the pattern at its equals signs, the old ones and at most `max_new_equals` holes, into *sides*.
2. For each side, all fillings from the rack, as a lattice: level by level, from the left, the beginnings that lead to
   the same `Node` of the automaton (machine.py) with the same tiles left are one point of the lattice, which remembers
   the ways that lead to it. Levels are kept by the beginning of the pattern, so all windows share them.
3. Tabulate the ends of a side by value, then by tiles used; join the sides of a pattern on equal values, keeping
   pairs that the rack can pay for together (meet in the middle: a side is never extended by the fillings of the other).
4. Tiles used and value give the score of a whole group of fillings, up to a few squares with tile premiums or
   crosswise equations; the texts of a group are written out only when they are wanted.

The cost of 2 is the number of distinct beginnings of sides, of 3 the number of pairs of equal value, of 4 the number of
moves. Multisets of tiles are packed into one integer, five bits a kind of which the highest is a guard bit,
so that "does the rack hold both" is a subtraction and a mask.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, product
from math import prod
from typing import Final, NamedTuple

from lantable_binary_scrabble.board import CENTRE, EMPTY, EQUATION_PREMIUM, SIZE, SQUARES, TILE_PREMIUM, Board
from lantable_binary_scrabble.expression import judge
from lantable_binary_scrabble.machine import Node, machine
from lantable_binary_scrabble.placement import Placement, tolerated
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import EQUALS, Value, face_of

HOLE: Final = EMPTY
_FIELD: Final = 5
_RESTRICTED: Final = 0xF000
"""Pattern characters from here on are holes that take only some symbols."""


class Move(NamedTuple):
    """A legal placement and its score; the first four are those of a `Placement`."""

    row: int
    col: int
    across: bool
    tiles: str
    score: int

    @property
    def placement(self) -> Placement:
        return Placement(self.row, self.col, self.across, self.tiles)


class Ways:
    """A point of the lattice: how one gets there, as (point before, symbol) pairs, and the texts once written out."""

    __slots__ = ("_texts", "back")

    def __init__(self, back: "list[tuple[Ways, str]]", texts: list[str] | None = None) -> None:
        self.back = back
        self._texts = texts

    def texts(self) -> list[str]:
        """The tiles laid on every way here, in order."""
        if self._texts is None:
            self._texts = [text + symbol for before, symbol in self.back for text in before.texts()]
        return self._texts


Level = dict[int, dict[Node, Ways]]
"""Tiles left -> node -> ways."""
Table = dict[Value, list[tuple[int, bool, Ways]]]
"""Value -> (tiles used, `reached`, ways)."""


class Group(NamedTuple):
    """Fillings of a pattern that share value and tiles: each side's ways, and the new `=` between them ("" if old)."""

    value: Value
    used: int
    sides: tuple[Ways, ...]
    signs: tuple[str, ...]

    def texts(self) -> Iterator[str]:
        """The tiles laid, for every filling."""
        if len(self.sides) == 2:
            sign = self.signs[0]
            right = self.sides[1].texts()
            for left in self.sides[0].texts():
                before = left + sign
                for text in right:
                    yield before + text
            return
        for parts in product(*(ways.texts() for ways in self.sides)):
            yield parts[0] + "".join(map("".join, zip(self.signs, parts[1:], strict=True)))


class Rack:
    """The tiles at hand as a packed multiset, with what each can show."""

    def __init__(self, rules: RuleSet, tiles: str) -> None:
        kinds = [kind for kind in rules.tiles if kind in tiles]
        self._unit = {kind: 1 << index * _FIELD for index, kind in enumerate(kinds)}
        self.guards = sum(unit << _FIELD - 1 for unit in self._unit.values())
        self.full = sum(self._unit[tile] for tile in tiles)
        self.size = len(tiles)
        self._points = [(index * _FIELD, rules.tiles[kind].points) for index, kind in enumerate(kinds)]
        laid_with = [(symbol, tile) for symbol, tile in rules.tile_of.items() if tile in self._unit]
        self.symbols = [symbol for symbol, _ in laid_with]
        self.equals = [(symbol, self._unit[tile]) for symbol, tile in laid_with if face_of(symbol) == EQUALS]
        self._others = [(symbol, self._unit[tile]) for symbol, tile in laid_with if face_of(symbol) != EQUALS]
        self._next: dict[int, list[tuple[str, int]]] = {}

    def next(self, left: int) -> list[tuple[str, int]]:
        """What may be laid besides `=` from the tiles left: (symbol, tiles left then)."""
        found = self._next.get(left)
        if found is None:
            mask = (1 << _FIELD) - 1
            found = self._next[left] = [(s, left - unit) for s, unit in self._others if left & unit * mask]
        return found

    def points(self, used: int) -> int:
        """Points of the tiles used, without premiums."""
        return sum((used >> shift & 31) * points for shift, points in self._points)


class Lattice:
    """All sides a rack can fill, by pattern, for one automaton (steps 1 to 3)."""

    def __init__(self, rules: RuleSet, rack: Rack, sets: list[frozenset[str]], widest: int = 0) -> None:
        self._rack = rack
        self._sets = sets
        self._widest = widest
        self._most = rules.settings.max_new_equals
        automaton = machine(rules, widest)
        automaton.renew()
        self._levels: dict[str, Level] = {"": {rack.full: {automaton.start: Ways([], [""])}}}
        self._tables: dict[str, Table] = {}

    def groups(self, pattern: str) -> Iterator[Group]:
        """The fillings of a pattern in which all sides have one value, before spelling is looked at."""
        old = [at for at, sign in enumerate(pattern) if sign == EQUALS]
        free = [at for at, sign in enumerate(pattern) if self._takes_equals(sign)] if self._rack.equals else []
        for count in range(0 if old else 1, self._most + 1):
            for new in combinations(free, count):
                yield from self._cut(pattern, old, new)

    def _takes_equals(self, sign: str) -> bool:
        if sign == HOLE:
            return True
        return ord(sign) >= _RESTRICTED and any(face_of(s) == EQUALS for s in self._sets[ord(sign) - _RESTRICTED])

    def _cut(self, pattern: str, old: list[int], new: tuple[int, ...]) -> Iterator[Group]:
        cuts = sorted([*old, *new]) if new else old
        tables: list[Table] = []
        start = 0
        for cut in [*cuts, len(pattern)]:
            if cut == start or not (table := self._table(pattern[start:cut])):
                return
            tables.append(table)
            start = cut + 1
        for signs, taken in self._new_signs(pattern, cuts, new):
            left = (self._rack.full | self._rack.guards) - taken
            if left & self._rack.guards == self._rack.guards:
                yield from self._join(tables, signs, taken, left)

    def _new_signs(self, pattern: str, cuts: list[int], new: tuple[int, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
        """What stands at each cut: "" for an old sign, or a symbol that shows `=`; and the tiles that takes."""
        choices = [self._rack.equals if cut in new else [("", 0)] for cut in cuts]
        for chosen in product(*choices):
            if all(self._fits(pattern[cut], symbol) for cut, (symbol, _) in zip(cuts, chosen, strict=True)):
                yield tuple(symbol for symbol, _ in chosen), sum(unit for _, unit in chosen)

    def _fits(self, sign: str, symbol: str) -> bool:
        return ord(sign) < _RESTRICTED or symbol in self._sets[ord(sign) - _RESTRICTED]

    def _join(self, tables: list[Table], signs: tuple[str, ...], taken: int, left: int) -> Iterator[Group]:
        guards, widest = self._rack.guards, self._widest
        first, *others = tables
        for value in min(tables, key=len):
            if any(value not in table for table in tables):
                continue
            partial = [(left - used, reached, (ways,)) for used, reached, ways in first[value]]
            for table in others:
                partial = [
                    (rest - used, so_far or reached, (*sides, ways))
                    for rest, so_far, sides in partial
                    if rest & guards == guards
                    for used, reached, ways in table[value]
                    if rest - used & guards == guards
                ]
            for rest, reached, sides in partial:
                if reached or not widest:
                    yield Group(value, left - rest + taken, sides, signs)

    def _table(self, side: str) -> Table:
        table = self._tables.get(side)
        if table is None:
            table = self._tables[side] = {}
            for left, nodes in self._level(side).items():
                for node, ways in nodes.items():
                    if node.value is not None:
                        table.setdefault(node.value, []).append((self._rack.full - left, node.reached, ways))
        return table

    def _level(self, side: str) -> Level:
        level = self._levels.get(side)
        if level is None:
            before, sign = self._level(side[:-1]), side[-1]
            if sign == HOLE:
                level = self._grown(before, None)
            elif ord(sign) >= _RESTRICTED:
                level = self._grown(before, self._sets[ord(sign) - _RESTRICTED])
            else:
                level = _passed(before, sign)
            self._levels[side] = level
        return level

    def _grown(self, before: Level, allowed: frozenset[str] | None) -> Level:
        """A level further, over a hole."""
        level: Level = {}
        for left, nodes in before.items():
            for symbol, rest in self._rack.next(left):
                if allowed is not None and symbol not in allowed:
                    continue
                points = level.setdefault(rest, {})
                for node, ways in nodes.items():
                    after = node[symbol]
                    if after is None:
                        continue
                    known = points.get(after)
                    if known is None:
                        points[after] = Ways([(ways, symbol)])
                    else:
                        known.back.append((ways, symbol))
        return level


def _passed(before: Level, sign: str) -> Level:
    """A level further, over a tile that already lies there."""
    level: Level = {}
    for left, nodes in before.items():
        points: dict[Node, Ways] = {}
        for node, ways in nodes.items():
            after = node[sign]
            if after is not None:
                points[after] = Ways([(points[after], ""), (ways, "")]) if after in points else ways
        if points:
            level[left] = points
    return level
