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
from heapq import heappush, heapreplace
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
_FEW: Final = 3
"""Sides with at most so many holes are tabulated to find bounds."""
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


class Rack:
    """The tiles at hand as a packed multiset, with what each can show."""

    def __init__(self, rules: RuleSet, tiles: str) -> None:
        kinds = [kind for kind in rules.tiles if kind in tiles]
        self._unit = {kind: 1 << index * _FIELD for index, kind in enumerate(kinds)}
        self.guards = sum(unit << _FIELD - 1 for unit in self._unit.values())
        self.full = sum(self._unit[tile] for tile in tiles)
        self.size = len(tiles)
        self._worth = [(index * _FIELD, rules.tiles[kind].points) for index, kind in enumerate(kinds)]
        self._each = [rules.tiles[tile].points for tile in tiles]
        self._points: dict[int, int] = {}
        laid_with = [(symbol, tile) for symbol, tile in rules.tile_of.items() if tile in self._unit]
        self.symbols = [symbol for symbol, _ in laid_with]
        self.equals = [(symbol, self._unit[tile]) for symbol, tile in laid_with if face_of(symbol) == EQUALS]
        self._others = [(symbol, self._unit[tile]) for symbol, tile in laid_with if face_of(symbol) != EQUALS]
        self._next: dict[int, list[tuple[str, int]]] = {}
        best: dict[str, int] = {}
        for symbol, tile in laid_with:
            if face_of(symbol) != EQUALS:
                best[tile] = max(rules.digits_to_spare(symbol), best.get(tile, -1))
        as_equals = {rules.tile_of[symbol] for symbol, _ in self.equals}
        self._bring = [best[tile] for tile in tiles if tile in best]
        self._either = [best[tile] for tile in tiles if tile in best and tile in as_equals]
        self.digit_tiles = sum(bring > 0 for bring in self._bring)
        self._only_equals = sum(tile not in best for tile in tiles)

    def next(self, left: int) -> list[tuple[str, int]]:
        """What may be laid besides `=` from the tiles left: (symbol, tiles left then)."""
        found = self._next.get(left)
        if found is None:
            mask = (1 << _FIELD) - 1
            found = self._next[left] = [(s, left - unit) for s, unit in self._others if left & unit * mask]
        return found

    def points(self, used: int) -> int:
        """Points of the tiles used, without premiums."""
        points = self._points.get(used)
        if points is None:
            points = self._points[used] = sum((used >> shift & 31) * worth for shift, worth in self._worth)
        return points

    def digits_to_spare(self, tiles: int, equals: int) -> int | None:
        """The most that so many tiles can bring, of which `equals` are laid as `=`; None: they cannot be had."""
        bring = list(self._bring)
        # Tiles that can only be `=` go first; then those that would bring least.
        for spare in sorted(self._either)[: max(equals - self._only_equals, 0)]:
            bring.remove(spare)
        wanted = tiles - equals
        if not 0 <= wanted <= len(bring) or equals > self._only_equals + len(self._either):
            return None
        return sum(sorted(bring, reverse=True)[:wanted]) - equals

    def most_points(self, tiles: int) -> int:
        """The most that so many of these tiles are worth."""
        return sum(sorted(self._each, reverse=True)[:tiles])


class Lattice:
    """All sides a rack can fill, by pattern, for one automaton (steps 1 to 3)."""

    def __init__(self, rules: RuleSet, rack: Rack, sets: list[frozenset[str]], widest: int = 0) -> None:
        self._rules = rules
        self._rack = rack
        self._sets = sets
        self._widest = widest
        self._most = rules.settings.max_new_equals
        automaton = machine(rules, widest)
        automaton.renew()
        self._levels: dict[str, Level] = {"": {rack.full: {automaton.start: ()}}}
        # No cycles of references here: what a search leaves behind must not have to wait for the garbage collector.
        self._tables: dict[str, Table] = {}
        self._bonuses: dict[Value, int] = {}
        self._enough: dict[tuple[str, int], bool] = {}
        self._chosen: dict[str, list[tuple[tuple[str, ...], int, int]]] = {}
        self._written: dict[int, tuple[Ways, list[str]]] = {}
        self._long = rack.size - 3
        self._most_signs = max(map(len, rules.reading.values()))

    def groups(self, pattern: str) -> Iterator[Group]:
        """The fillings of a pattern in which all sides have one value, before spelling is looked at."""
        for cuts in self.cuts(pattern):
            yield from self.join(pattern, cuts)

    def cuts(self, pattern: str) -> Iterator[tuple[int, ...]]:
        """Where the equals signs of a filling may be: the old ones, and some holes."""
        old = tuple(at for at, sign in enumerate(pattern) if sign == EQUALS)
        if old:
            yield old
        free = [at for at, sign in enumerate(pattern) if sign != EQUALS and self._equals_at(sign)]
        for count in range(1, self._most + 1):
            for new in combinations(free, count):
                yield tuple(sorted(old + new)) if old else new

    def join(self, pattern: str, cuts: tuple[int, ...]) -> Iterator[Group]:
        """The fillings with equals signs at just these places."""
        sides = _sides(pattern, cuts)
        if not all(sides) or not self._enough_digits(pattern, len(cuts)):
            return
        signs = "".join([pattern[cut] for cut in cuts])
        for at, side in enumerate(sides):
            if len(side) > self._long and len(sides) == 2 and side[-1] == HOLE and _holes(side) > self._long:
                yield from self._join_long(at, side, sides[1 - at], signs)
                return
        tables: list[Table] = []
        for side in sides:
            table = self._tables.get(side)
            if table is None:
                table = self._tabulate(side)
            if not table:
                return
            tables.append(table)
        values = tables[0].keys() & tables[1].keys()
        for table in tables[2:]:
            values &= table.keys()
        if not values:
            return
        for symbols, points, left in self._choices(signs):
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
        for symbols, base, left in self._choices(signs):
            payable: dict[int, Table] = {}
            taken = rack.full + guards - left
            for before, nodes in self._level(side[:-1]).items():
                for symbol, rest in rack.next(before):
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

    def _choices(self, signs: str) -> list[tuple[tuple[str, ...], int, int]]:
        """What may stand at cuts where the pattern has these signs: symbols, their points, tiles left with guards."""
        found = self._chosen.get(signs)
        if found is None:
            found = self._chosen[signs] = []
            full, guards = self._rack.full, self._rack.guards
            options = [_LIES_THERE if sign == EQUALS else self._equals_at(sign) for sign in signs]
            for chosen in product(*options):
                taken = sum(unit for _, unit in chosen)
                if ((full | guards) - taken) & guards == guards:
                    symbols = tuple(symbol for symbol, _ in chosen)
                    found.append((symbols, self._rack.points(taken), (full | guards) - taken))
        return found

    def ceiling(self, pattern: str, cuts: tuple[int, ...]) -> int | None:
        """No filling with equals signs at these places earns a larger bonus; None: there is no filling.

        Looks only at sides with few holes, whose tables are small.
        """
        sides = _sides(pattern, cuts)
        if not all(sides) or not self._enough_digits(pattern, len(cuts)):
            return None
        fewest = max(min(map(_holes, sides)), _FEW)
        values: set[Value] | None = None
        for side in sides:
            if _holes(side) <= fewest:
                table = self._tabulate(side)
                values = set(table) if values is None else values & table.keys()
        return max(map(self._bonus, values or ()), default=None)

    def _enough_digits(self, pattern: str, cuts: int) -> bool:
        """Whether a filling with so many equals signs could have a digit for every number it needs, and one number
        as long as the automaton wants."""
        found = self._enough.get((pattern, cuts))
        if found is None and self._widest and self._most_digits(pattern) < self._widest:
            found = self._enough[pattern, cuts] = False
        if found is None:
            old = [sign for sign in pattern if sign != HOLE and ord(sign) < _RESTRICTED]
            bring = self._rack.digits_to_spare(len(pattern) - len(old), cuts - old.count(EQUALS))
            found = bring is not None and bring + sum(map(self._rules.digits_to_spare, old)) >= 1
            self._enough[pattern, cuts] = found
        return found

    def _most_digits(self, pattern: str) -> int:
        """No number in a filling has more digits: those of its longest side, or those there are at all."""
        old = sum(self._rules.digits_to_spare(sign) > 0 for sign in pattern if sign != HOLE and ord(sign) < _RESTRICTED)
        longest = max(map(len, pattern.split(EQUALS)))
        return min(old + self._rack.digit_tiles, longest) * self._most_signs

    def _bonus(self, value: Value) -> int:
        bonus = self._bonuses.get(value)
        if bonus is None:
            bonus = self._bonuses[value] = self._rules.bonus(value)
        return bonus

    def texts(self, group: Group) -> list[str]:
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

    def _equals_at(self, sign: str) -> list[tuple[str, int]]:
        """The symbols showing `=` that may be laid at a pattern character, each with the tile it takes."""
        if ord(sign) < _RESTRICTED:
            return self._rack.equals if sign == HOLE else []
        allowed = self._sets[ord(sign) - _RESTRICTED]
        return [(symbol, unit) for symbol, unit in self._rack.equals if symbol in allowed]

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
                    points[after] = (ways, symbol) if known is None else (known, (ways, symbol))
        return level


_LIES_THERE: Final = [("", 0)]


def _payable(table: Table, spare: int, guards: int) -> Table:
    """The part of a table that `spare` tiles (with guard bits) suffice for."""
    if spare & guards != guards:
        return {}
    kept = {value: [end for end in ends if spare - end[0] & guards == guards] for value, ends in table.items()}
    return {value: ends for value, ends in kept.items() if ends}


def _sides(pattern: str, cuts: tuple[int, ...]) -> list[str]:
    sides: list[str] = []
    start = 0
    for cut in cuts:
        sides.append(pattern[start:cut])
        start = cut + 1
    sides.append(pattern[start:])
    return sides


def _holes(side: str) -> int:
    return sum(sign == HOLE or ord(sign) >= _RESTRICTED for sign in side)


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


# -- the board


@lru_cache(maxsize=1 << 15)
def equation_value(rules: RuleSet, text: str) -> Value | None:
    """The value of a run if it is a valid equation. As `judge`, by the automaton where that can tell."""
    if rules.settings.not_width == "widest" or not rules.settings.allow_trivial:
        return judge(rules, text).value
    start = machine(rules, 0).start
    values: set[Value | None] = set()
    for side in text.split(EQUALS):
        node: Node | None = start
        for sign in side:
            if node is None:
                return None
            node = node[sign]
        values.add(None if node is None else node.value)
    return values.pop() if len(values) == 1 and EQUALS in text else None


@dataclass(slots=True)
class Crossing:
    """An empty square where a crosswise run would arise: what may be laid there, and what it scores crosswise."""

    scores: dict[str, int]
    equations: frozenset[str]
    """Those of the symbols for which the run is an equation, not a mere number (6.5)."""


@dataclass(slots=True)
class Window:
    """A stretch of a line to be filled: where it is, its holes' squares, and the crossings among them."""

    across: bool
    holes: list[int]
    crossings: dict[int, Crossing] = field(default_factory=dict[int, Crossing])
    needs_crossing: bool = False
    """No old tile lies in it: some crossing must be an equation."""


class Frame(NamedTuple):
    """What a window makes of a filling's points and bonus: times `factor`, plus `more`, plus what single symbols add.

    `most` bounds `more` and the additions together.
    """

    window: Window
    factor: int
    more: int
    extras: list[tuple[int, dict[str, int]]]
    most: int


class Search:
    """All legal placements on one board from one rack. `moves` streams them, `best` finds the first few."""

    def __init__(self, rules: RuleSet, board: Board, tiles: str) -> None:
        self._rules = rules
        self._rack = Rack(rules, tiles)
        self._faces = "".join(map(face_of, board.squares))
        self._first = board.empty
        self._sets: list[frozenset[str]] = []
        self._signs: dict[frozenset[str], str] = {}
        self._windows: dict[str, list[Window]] = {}
        self._tile_values = {symbol: rules.points[symbol] for symbol in self._rack.symbols}
        self._bingo = rules.settings.bingo
        if tiles:
            self._find_windows()
        self._lattices = self._make_lattices()

    def moves(self) -> Iterator[Move]:
        """Every legal placement once, with its score; pattern by pattern, in a fixed order."""
        for pattern, windows in self._windows.items():
            fillings = [
                (text, group.base)
                for lattice in self._lattices
                for group in lattice.groups(pattern)
                for text in self._spelled(pattern, lattice.texts(group))
            ]
            if fillings:
                for window in windows:
                    yield from self._filled(self._frame(window), fillings)

    def best(self, count: int) -> list[Move]:
        """The `count` placements with the highest scores, highest first; among equals any, but always the same.

        Takes places for equals signs in order of what they could score at most, and stops when that is no more than
        what is already found. Does not hold more than `count` moves.
        """
        found: list[tuple[int, Move]] = []
        for most, pattern, cuts, lattice in sorted(self._prospects(), key=lambda prospect: -prospect[0]):
            if len(found) == count and most <= found[0][0]:
                break
            frames = [self._frame(window) for window in self._windows[pattern]]
            for group in lattice.join(pattern, cuts):
                for frame in frames:
                    if len(found) < count or group.base * frame.factor + frame.most > found[0][0]:
                        texts = self._spelled(pattern, lattice.texts(group))
                        _keep_best(found, count, self._filled(frame, [(text, group.base) for text in texts]))
        return [move for _, move in sorted(found, key=lambda entry: (-entry[0], entry[1]))]

    def _prospects(self) -> Iterator[tuple[int, str, tuple[int, ...], Lattice]]:
        """Every way to cut a pattern into sides, with a bound on the score of its moves."""
        for pattern, windows in self._windows.items():
            points = self._rack.most_points(len(windows[0].holes))
            frames = [self._frame(window) for window in windows]
            for lattice in self._lattices:
                for cuts in lattice.cuts(pattern):
                    bonus = lattice.ceiling(pattern, cuts)
                    if bonus is not None:
                        yield max((points + bonus) * f.factor + f.most for f in frames), pattern, cuts, lattice

    # -- fillings

    def _make_lattices(self) -> list[Lattice]:
        rules = self._rules
        if rules.settings.not_width != "widest":
            return [Lattice(rules, self._rack, self._sets)]
        longest = max((len(run) for pattern in self._windows for run in pattern.split(EQUALS)), default=0)
        return [Lattice(rules, self._rack, self._sets, widest) for widest in range(1, longest + 1)]

    def _spelled(self, pattern: str, texts: list[str]) -> list[str]:
        if self._rules.settings.allow_trivial:
            return texts
        return [text for text in texts if not self._spelled_alike(pattern, text)]

    def _frame(self, window: Window) -> Frame:
        factor = prod(EQUATION_PREMIUM[square] for square in window.holes)
        more = self._bingo if len(window.holes) == self._rules.settings.rack_size else 0
        extras = self._extras(window, factor)
        most = more + sum(max(extra.values()) for _, extra in extras)
        return Frame(window, factor, more, extras, most)

    def _filled(self, frame: Frame, fillings: Iterable[tuple[str, int]]) -> Iterator[Move]:
        """The moves of some (tiles, points and bonus) in one window."""
        window, factor, more, extras, _ = frame
        row, col = divmod(window.holes[0], SIZE)
        # A single tile has no direction: `Placement` calls it across.
        across = window.across or len(window.holes) == 1
        if window.needs_crossing:
            fillings = [(text, base) for text, base in fillings if self._crosses(window, text)]
        if not extras:
            for text, base in fillings:
                yield Move(row, col, across, text, base * factor + more)
        elif len(extras) == 1:
            ((at, extra),) = extras
            for text, base in fillings:
                yield Move(row, col, across, text, base * factor + more + extra[text[at]])
        else:
            for text, base in fillings:
                score = base * factor + more
                for at, extra in extras:
                    score += extra[text[at]]
                yield Move(row, col, across, text, score)

    def _extras(self, window: Window, factor: int) -> list[tuple[int, dict[str, int]]]:
        """What single symbols add by where they lie: tile premiums, and crosswise equations."""
        extras: list[tuple[int, dict[str, int]]] = []
        for at, square in enumerate(window.holes):
            more = (TILE_PREMIUM[square] - 1) * factor
            crossing = window.crossings.get(square)
            if crossing is not None:
                extras.append((at, {s: score + self._tile_values[s] * more for s, score in crossing.scores.items()}))
            elif more:
                extras.append((at, {s: points * more for s, points in self._tile_values.items()}))
        return extras

    def _crosses(self, window: Window, text: str) -> bool:
        return any(
            square in window.crossings and symbol in window.crossings[square].equations
            for square, symbol in zip(window.holes, text, strict=True)
        )

    def _spelled_alike(self, pattern: str, text: str) -> bool:
        symbols = iter(text)
        read = (next(symbols) if sign == HOLE or ord(sign) >= _RESTRICTED else sign for sign in pattern)
        return len(set("".join(self._rules.reading[symbol] for symbol in read).split(EQUALS))) == 1

    # -- windows

    def _find_windows(self) -> None:
        crossings = self._find_crossings()
        for across in (True, False):
            for index in range(SIZE):
                squares = range(index * SIZE, (index + 1) * SIZE) if across else range(index, SQUARES, SIZE)
                self._windows_of(across, squares, crossings[across])

    def _windows_of(self, across: bool, squares: range, crossings: dict[int, Crossing]) -> None:
        """All windows of one line that could be a legal move, added to their patterns."""
        line = [self._faces[square] for square in squares]
        if not self._first and all(sign == EMPTY for sign in line) and not any(s in crossings for s in squares):
            return
        signs = [self._sign(sign, crossings.get(square)) for sign, square in zip(line, squares, strict=True)]
        for start in range(SIZE):
            if start and line[start - 1] != EMPTY:
                continue
            holes: list[int] = []
            joined = False
            for end in range(start, SIZE):
                square = squares[end]
                if line[end] == EMPTY:
                    if not signs[end] or len(holes) == self._rack.size:
                        break
                    holes.append(square)
                joined = joined or signs[end] != HOLE or (self._first and square == CENTRE)
                closed = end == SIZE - 1 or line[end + 1] == EMPTY
                if joined and closed and holes and end > start:
                    self._add(across, "".join(signs[start : end + 1]), list(holes), crossings)

    def _sign(self, face: str, crossing: Crossing | None) -> str:
        """The pattern character of a square; "" where nothing can be laid."""
        if face != EMPTY:
            return face
        if crossing is None:
            return HOLE
        return self._set_sign(frozenset(crossing.scores))

    def _set_sign(self, symbols: frozenset[str]) -> str:
        if not symbols:
            return ""
        if symbols not in self._signs:
            self._signs[symbols] = chr(_RESTRICTED + len(self._sets))
            self._sets.append(symbols)
        return self._signs[symbols]

    def _add(self, across: bool, pattern: str, holes: list[int], crossings: dict[int, Crossing]) -> None:
        here = {square: crossings[square] for square in holes if square in crossings}
        if not across and len(holes) == 1 and here:
            # 6.3: a one-tile move is one move. Where its run across is an equation too, that window has it.
            ((_, crossing),) = here.items()
            sign = self._set_sign(frozenset(crossing.scores) - crossing.equations)
            if not sign:
                return
            pattern = "".join(sign if ord(char) >= _RESTRICTED else char for char in pattern)
        old = any(char != HOLE and ord(char) < _RESTRICTED for char in pattern)
        needs = not old and not self._first and self._rules.settings.cross_runs == "numbers"
        self._windows.setdefault(pattern, []).append(Window(across, holes, here, needs))

    def _find_crossings(self) -> dict[bool, dict[int, Crossing]]:
        """For moves across and down: the empty squares where a run the other way would arise."""
        found: dict[bool, dict[int, Crossing]] = {True: {}, False: {}}
        for across in (True, False):
            for index in range(SIZE):
                squares = range(index * SIZE, (index + 1) * SIZE) if across else range(index, SQUARES, SIZE)
                line = "".join(self._faces[square] for square in squares)
                for at in range(SIZE):
                    if line[at] != EMPTY:
                        continue
                    before = line[line.rfind(EMPTY, 0, at) + 1 : at]
                    end = line.find(EMPTY, at + 1)
                    after = line[at + 1 : end if end >= 0 else SIZE]
                    if before or after:
                        # The run lies along this line, so it is crosswise to moves the other way.
                        found[not across][squares[at]] = self._crossing(squares[at], before, after)
        return found

    def _crossing(self, square: int, before: str, after: str) -> Crossing:
        rules = self._rules
        numbers = rules.settings.cross_runs == "numbers"
        scores: dict[str, int] = {}
        equations: set[str] = set()
        may_equal = EQUALS in before or EQUALS in after
        for symbol in self._rack.symbols:
            face = face_of(symbol)
            if may_equal or (face == EQUALS and before and after):
                value = equation_value(rules, before + face + after)
                if value is not None:
                    points = self._tile_values[symbol] * TILE_PREMIUM[square] + rules.bonus(value)
                    scores[symbol] = points * EQUATION_PREMIUM[square]
                    equations.add(symbol)
                    continue
            if numbers and tolerated(rules, before + symbol + after):
                scores[symbol] = 0
        return Crossing(scores, frozenset(equations))


def _keep_best(found: list[tuple[int, Move]], count: int, more: Iterable[Move]) -> None:
    """Put moves into the heap of the best `count`."""
    for move in more:
        if len(found) < count:
            heappush(found, (move.score, move))
        elif move.score > found[0][0]:
            heapreplace(found, (move.score, move))


def moves(rules: RuleSet, board: Board, tiles: str) -> Iterator[Move]:
    """Every legal placement on `board` from a rack of `tiles` (tile codes), once each, with its score. Streams."""
    return Search(rules, board, tiles).moves()


def best(rules: RuleSet, board: Board, tiles: str, count: int) -> list[Move]:
    """The `count` highest-scoring placements, highest first, without making all of them."""
    return Search(rules, board, tiles).best(count)
