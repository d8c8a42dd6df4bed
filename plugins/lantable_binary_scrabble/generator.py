"""Every legal placement with its score, and the best n, under any rule set.

Theory. A placement fills the holes of a window (windows.py). Cut the window's pattern at its equals signs, the old
ones and at most `max_new_equals` holes: what is between them are sides. Go through the values of a short side, and
look what gives the same value in the others with the tiles that are left (parts.py). Tiles used and value give the
score of a whole group of fillings, up to a few squares with tile premiums or crosswise equations; the rows of tiles
of a group are written out only when they are wanted (texts.py).

The best n are found by branch and bound. What a value can earn in a window is known before anything is searched for:
all the tiles' points, the bonus, the premiums. So places for equals signs, and then values, are taken in the order of
what they could score at most, until that is less than what the n-th best found so far scores. Most of a board is never
looked at.

Under `not_width=widest` the value of a NOT depends on the widest number of the whole equation. So every width is
tried by itself, for the fillings that hold a NOT and, on some side, a number of just that width.
"""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import product
from typing import NamedTuple

from lantable_binary_scrabble.board import Board
from lantable_binary_scrabble.cells import Cells, Entries, Rack, is_hole
from lantable_binary_scrabble.cuts import Cut, Cuts
from lantable_binary_scrabble.lattice import Lattice
from lantable_binary_scrabble.parts import MAYBE, NOT, WIDE, Bundle, Part, Parts, Pause, nothing, size
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import EQUALS, Value
from lantable_binary_scrabble.texts import Texts
from lantable_binary_scrabble.windows import Frame, Move, Rank, Windows

__all__ = ["Move", "Search", "best", "moves", "nothing"]


class Ask(NamedTuple):
    """What the other sides of a leg are to hold, by their places; those before `wide` no number of the width."""

    sides: tuple[tuple[int, Part], ...]
    wide: int = 0


class Leg(NamedTuple):
    """A side of a cut pattern whose values are gone through, with at most so many blanks.

    Every filling has one leg that keeps to its limit; those in which side `other` has at most `above` blanks are
    another leg's. The other sides are asked for what the rules want besides: nothing, or a NOT and a number of the
    width; `if_wide` where the leg's side has that number.
    """

    side: int
    part: Part
    blanks: int
    other: int
    above: int
    if_wide: tuple[Ask, ...]
    if_not: tuple[Ask, ...]


class Group(NamedTuple):
    """Fillings of a cut pattern that share value and tiles: points and bonus together, each side's entry, and the
    symbols at the cuts ("" where an equals sign already lies there)."""

    base: int
    value: Value
    sides: tuple[tuple[Part, int], ...]
    signs: tuple[str, ...]


@dataclass(slots=True)
class Prospect:
    """A cut pattern, and the widest number in it if that matters, on its way to its moves; then one leg of it, gone
    through shelf by shelf, the largest values first."""

    pattern: str
    frames: list[Frame]
    points: int
    """No tiles that fill it are worth more."""
    cut: Cut
    widest: int
    most: int = 0
    """No value is larger."""
    bonus: int = 0
    """No value earns more."""
    leg: Leg | None = None
    shelf: int = 0

    @property
    def bound(self) -> int:
        """No move scores more."""
        return max((self.points + self.bonus) * frame.factor + frame.most for frame in self.frames)

    def promises(self, best: "Best", bonus: int) -> bool:
        """Whether a move that earns so much may be among the best."""
        return any((self.points + bonus) * frame.factor + frame.most > best.least for frame in self.frames)


class Best:
    """The best moves so far, at most `count`."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._ranks: list[Rank] = []

    @property
    def least(self) -> int:
        """Whatever scores no more than this is not wanted any more."""
        return -self._ranks[-1][0] if len(self._ranks) == self._count else -1

    def add(self, move: Move) -> None:
        if move.score > self.least:
            insort(self._ranks, move.rank)
            del self._ranks[self._count :]

    def moves(self) -> list[Move]:
        """From the best."""
        return [Move(row, col, across, tiles, -less) for less, row, col, across, tiles in self._ranks]


class Search:
    """All legal placements on one board from one rack. `moves` streams them, `best` finds the first few.

    `pause` is called again and again during long work, and may raise to end it.
    """

    def __init__(self, rules: RuleSet, board: Board, tiles: str, pause: Pause = nothing) -> None:
        self._rules, self._pause = rules, pause
        self._rack = Rack(rules, tiles)
        self._windows = Windows(rules, board, self._rack)
        self._cells = Cells(rules, self._rack, self._windows.sets)
        self._parts: dict[int, Parts] = {}
        self._texts: dict[int, Texts] = {}
        self._cuts = Cuts(rules, self._rack, self._windows.sets)
        self._made: list[Lattice] = []

    def moves(self) -> Iterator[Move]:
        """Every legal placement once, with its score, in a fixed order: pattern by pattern."""
        for pattern, windows in self._windows.by_pattern.items():
            fillings = list(self._fillings(pattern))
            for window in windows if fillings else ():
                yield from self._windows.frame(window, bounded=False).filled(fillings)

    def _fillings(self, pattern: str) -> Iterator[tuple[str, int]]:
        """Every row of tiles that makes an equation of a pattern, with its points and bonus."""
        if self._rules.kind.base == 2:
            for cut, lattice in product(self._cuts.of(pattern), self._lattices()):
                found = lattice.fillings(cut)
                if self._rules.settings.allow_trivial:
                    yield from found
                else:
                    yield from ((text, base) for text, base in found if self._differs(pattern, text))
            return
        parts, fillings = self._parts_of(0), list[tuple[str, int]]()
        for cut in self._cuts_of(pattern):
            for leg in self._legs(cut, 0):
                for group in self._groups(cut, parts, leg, parts.bundles(leg.part, leg.blanks), _always):
                    fillings += [(text, group.base) for text in self._written(pattern, 0, group)]
        # Entries come out of sets, whose order is nobody's business.
        yield from sorted(fillings)

    def _lattices(self) -> list[Lattice]:
        if not self._made:
            rules, widths = self._rules, [0]
            if rules.settings.not_width == "widest":
                patterns = self._windows.by_pattern
                longest = (self._cells.longest_number(run) for pattern in patterns for run in pattern.split(EQUALS))
                widths = list(range(1, max(longest, default=0) + 1))
            sets, cuts, pause = self._windows.sets, self._cuts, self._pause
            self._made = [Lattice(rules, self._rack, sets, cuts, widest, pause) for widest in widths]
        return self._made

    def best(self, count: int) -> list[Move]:
        """`count` placements, if there are so many, than which no others score more, in the order of `Move.rank`.

        Which of equal scores are among them is the same every time. Holds no more than that many moves.
        """
        best = Best(count)
        heap = [(-prospect.bound, number, prospect) for number, prospect in enumerate(self._prospects())]
        number = len(heap)
        heapify(heap)
        while heap and -heap[0][0] > best.least:
            for prospect in self._pursued(heappop(heap)[2], best):
                number += 1
                heappush(heap, (-prospect.bound, -number, prospect))
        return best.moves()

    # -- branch and bound

    def _prospects(self) -> Iterator[Prospect]:
        """Every way to cut a pattern into sides, with a bound on the score of its moves."""
        for pattern, windows in self._windows.by_pattern.items():
            points = self._rack.most_points(len(windows[0].holes))
            frames: list[Frame] = []
            for cut in self._cuts_of(pattern):
                frames = frames or [self._windows.frame(window) for window in windows]
                yield from self._bounded(Prospect(pattern, frames, points, cut, 0))
                if widest := self._widest(cut):
                    yield from self._bounded(Prospect(pattern, frames, points, cut, widest))

    def _bounded(self, prospect: Prospect) -> Iterator[Prospect]:
        """A prospect with its bound, if it has moves at all. The wider numbers may be, the larger it is."""
        most = self._bound(prospect.cut, prospect.widest, self._maybe(prospect.cut, prospect.widest))
        if most >= 0:
            yield replace(prospect, most=most, bonus=self._rules.bonus(most))

    def _maybe(self, cut: Cut, widest: int) -> Iterator[list[int]]:
        """What sides may be asked for: a NOT on any of them, if widths matter."""
        if not widest:
            yield [0] * len(cut.sides)
        for at, side in enumerate(cut.sides):
            if widest and self._cells.can_flip(side):
                yield [NOT if other == at else MAYBE for other in range(len(cut.sides))]

    def _bound(self, cut: Cut, widest: int, asked: Iterable[list[int]]) -> int:
        """No value that all sides can have is larger, whatever of this they are asked for; -1: there is none."""
        parts, spare, most = self._parts_of(widest), self._cuts.spare(cut.signs), -1
        for flags in asked if spare >= 0 else ():
            sides = tuple(parts.part(side, 0, flag) for side, flag in zip(cut.sides, flags, strict=True))
            most = max(most, parts.common_bound(sides, self._cells.full[spare]))
        return most

    def _pursued(self, prospect: Prospect, best: Best) -> Iterator[Prospect]:
        """One step with a prospect; what is left of it."""
        if not prospect.promises(best, prospect.bonus):
            return
        if prospect.leg is None:
            for leg in self._legs(prospect.cut, prospect.widest):
                most = self._leg_bound(prospect.cut, prospect.widest, leg)
                yield from self._shelved(replace(prospect, leg=leg, most=most), leg, most.bit_length() + 1)
            if prospect.widest > 1:
                yield from self._bounded(replace(prospect, widest=prospect.widest - 1))
        else:
            self._look(prospect, prospect.leg, best)
            yield from self._shelved(prospect, prospect.leg, prospect.shelf)

    def _leg_bound(self, cut: Cut, widest: int, leg: Leg) -> int:
        """As `_bound`, for what one leg asks for, and with a number of the width on any side."""
        flags = [MAYBE if widest else 0] * len(cut.sides)
        if widest and len(flags) == 2 and not leg.part.flags:
            flags = [NOT, NOT]
        flags[leg.side] = leg.part.flags
        wides = range(len(flags)) if widest else (-1,)
        return self._bound(
            cut, widest, ([flag | WIDE * (at == wide) for at, flag in enumerate(flags)] for wide in wides)
        )

    def _shelved(self, prospect: Prospect, leg: Leg, above: int) -> Iterator[Prospect]:
        """A prospect at the next shelf, if there is one."""
        shelf = self._parts_of(prospect.widest).next_shelf(leg.part, leg.blanks, above) if prospect.most >= 0 else -1
        if shelf >= 0:
            most = min(prospect.most, (1 << shelf) - 1)
            yield replace(prospect, shelf=shelf, bonus=self._rules.bonus(most))

    def _look(self, prospect: Prospect, leg: Leg, best: Best) -> None:
        """Try every filling of the values of one shelf."""

        def wanted(value: Value) -> bool:
            return prospect.promises(best, self._rules.bonus(value))

        parts = self._parts_of(prospect.widest)
        bundles = parts.bundles(leg.part, leg.blanks, prospect.shelf)
        for group in self._groups(prospect.cut, parts, leg, bundles, wanted):
            texts: list[tuple[str, int]] | None = None
            for frame in prospect.frames:
                if group.base * frame.factor + frame.most > best.least:
                    if texts is None:
                        written = self._written(prospect.pattern, prospect.widest, group)
                        texts = [(text, group.base) for text in written]
                    for move in frame.filled(texts):
                        best.add(move)

    def _cuts_of(self, pattern: str) -> Iterator[Cut]:
        yield from self._cuts.like(pattern, self._cells.variants(pattern))

    # -- widths

    def _parts_of(self, widest: int) -> Parts:
        if widest not in self._parts:
            plain = self._parts_of(0) if widest else None
            self._parts[widest] = Parts(self._cells, widest, plain, self._pause)
            self._texts[widest] = Texts(self._parts[widest])
        return self._parts[widest]

    def _widest(self, cut: Cut) -> int:
        """No number is wider in a filling that holds a NOT, if that matters; else 0."""
        if self._rules.settings.not_width != "widest" or not any(map(self._cells.can_flip, cut.sides)):
            return 0
        return max(map(self._cells.longest_number, cut.sides))

    def _enough_operators(self, cut: Cut, widest: int) -> bool:
        """Whether no number is wider, and there are enough signs to stand between such numbers."""
        if max(self._cells.measured(side).run for side in cut.sides) > widest:
            return False
        there = sum(self._cells.measured(side).odd for side in cut.sides)
        needed = sum(-(-(len(side) - widest) // (widest + 1)) for side in cut.sides if len(side) > widest)
        return needed <= there + self._rack.operators + max(self._cuts.spare(cut.signs), 0)

    # -- legs

    def _legs(self, cut: Cut, widest: int) -> Iterator[Leg]:
        """Which sides' values to go through."""
        spare, parts = self._cuts.spare(cut.signs), self._parts_of(widest)
        if spare < 0 or (widest and not self._enough_operators(cut, widest)):
            return
        sides = [parts.part(side) for side in cut.sides]
        short, longer = sorted(range(len(sides)), key=lambda at: (sides[at].holes, at))[:2]
        of_short, of_longer = parts.plan(sides[longer], sides[short], spare)
        for side, blanks, other, above in ((short, of_short, -1, -1), (longer, of_longer, short, of_short)):
            for flag in self._flags(cut.sides[side], widest) if blanks >= 0 else ():
                if_wide = tuple(self._asks(cut, widest, side, flips=not flag, wide=False))
                if_not = tuple(self._asks(cut, widest, side, flips=not flag, wide=True))
                yield Leg(side, parts.part(cut.sides[side], 0, flag), blanks, other, above, if_wide, if_not)

    def _flags(self, side: str, widest: int) -> tuple[int, ...]:
        return (0, NOT) if widest and self._cells.can_flip(side) else (0,)

    def _asks(self, cut: Cut, widest: int, leg: int, *, flips: bool, wide: bool) -> Iterator[Ask]:
        """What the other sides may hold, if that must include a NOT, and a number of the width."""
        parts = self._parts_of(widest)
        others = [(at, side) for at, side in enumerate(cut.sides) if at != leg]
        if not widest:
            yield Ask(tuple((at, parts.part(side)) for at, side in others))
            return
        places = [at for at, side in others if self._cells.longest_number(side) >= widest] if wide else [-1]
        for flags in product(*(self._flags(side, widest) for _, side in others)):
            if any(flags) or not flips:
                for place in places:
                    asked = [flag | WIDE * (at == place) for flag, (at, _) in zip(flags, others, strict=True)]
                    yield Ask(
                        tuple((at, parts.part(side, 0, flag)) for (at, side), flag in zip(others, asked, strict=True)),
                        place,
                    )

    # -- groups

    def _groups(
        self, cut: Cut, parts: Parts, leg: Leg, bundles: Iterable[Bundle], wanted: Callable[[Value], bool]
    ) -> Iterator[Group]:
        """All fillings of some values of one leg, while they are wanted; larger values are wanted first."""
        signed = self._rules.settings.negatives == "signed"
        for symbols, points, left in self._cuts.choices(cut.signs):
            for entries, values in bundles:
                for paid, asks in self._sorted(parts, leg, self._within(cut, leg, entries, left)):
                    have = self._cells.beside(left, paid)
                    for ask in asks:
                        most = min(parts.bound(side, have) for _, side in ask.sides)
                        for value in values:
                            if size(value) > most or (value < 0 and not signed):
                                continue
                            if not wanted(value):
                                break
                            if ends := self._ends(parts, leg, ask, value, have):
                                ends.insert(leg.side, (leg.part, paid))
                                base = points + self._rules.bonus(value)
                                for score, chosen in self._paid(ends, left):
                                    yield Group(base + score, value, chosen, symbols)

    def _within(self, cut: Cut, leg: Leg, entries: Entries, left: int) -> Entries:
        """The entries that leave enough for the other sides, to judge by numbers of tiles and digits."""
        guards, tiles = self._rack.guards, self._rack.tiles
        others = [self._cells.measured(side) for at, side in enumerate(cut.sides) if at != leg.side]
        holes, spare, can_fill = (
            sum(side.holes for side in others),
            sum(side.spare for side in others),
            self._cells.can_fill,
        )
        return tuple(
            [
                entry
                for entry in entries
                if (rest := left - (entry & tiles)) & guards == guards and can_fill(holes, spare, len(others), rest)
            ]
        )

    def _sorted(self, parts: Parts, leg: Leg, entries: Entries) -> Iterator[tuple[Entries, tuple[Ask, ...]]]:
        """Entries with what the other sides are asked for then."""
        if entries and not parts.widest:
            yield entries, leg.if_wide
        elif entries:
            wides = self._cells.wides
            for with_it, asks in ((True, leg.if_wide), (False, leg.if_not)):
                if some := tuple([entry for entry in entries if (entry & wides > 0) == with_it]):
                    yield some, asks

    def _ends(self, parts: Parts, leg: Leg, ask: Ask, value: Value, have: int) -> list[tuple[Part, Entries]]:
        """The other sides with their entries from these tiles; none if one of them cannot have the value."""
        ends: list[tuple[Part, Entries]] = []
        for at, side in ask.sides:
            entries = parts.find(side, value, have)
            if at == leg.other:
                entries = tuple([entry for entry in entries if self._rack.blanks_in(entry) > leg.above])
            if at < ask.wide:
                entries = tuple([entry for entry in entries if not entry & self._cells.wides])
            if not entries:
                return []
            ends.append((side, entries))
        return ends

    def _paid(self, ends: list[tuple[Part, Entries]], left: int) -> Iterator[tuple[int, tuple[tuple[Part, int], ...]]]:
        """One entry of each side where the tiles left suffice for all: their points, and the sides with the entries."""
        rack, guards, tiles = self._rack, self._rack.guards, self._rack.tiles
        partial: list[tuple[int, int, tuple[tuple[Part, int], ...]]] = [(left, 0, ())]
        for side, entries in ends:
            partial = [
                (rest - (entry & tiles), score + rack.points(entry), (*chosen, (side, entry)))
                for rest, score, chosen in partial
                for entry in entries
                if rest - (entry & tiles) & guards == guards
            ]
        for _, score, chosen in partial:
            yield score, chosen

    def _written(self, pattern: str, widest: int, group: Group) -> list[str]:
        """The tiles laid, in order, for every filling of a group."""
        spelled = [self._texts[widest].of(side, group.value, entry) for side, entry in group.sides]
        texts = spelled[0]
        for sign, more in zip(group.signs, spelled[1:], strict=True):
            texts = [before + sign + after for before in texts for after in more]
        return texts if self._rules.settings.allow_trivial else [text for text in texts if self._differs(pattern, text)]

    def _differs(self, pattern: str, text: str) -> bool:
        """Whether the sides are not all spelled alike."""
        symbols = iter(text)
        read = (next(symbols) if is_hole(sign) else sign for sign in pattern)
        return len(set("".join(self._rules.reading[symbol] for symbol in read).split(EQUALS))) > 1


def _always(_value: Value) -> bool:
    return True


def moves(rules: RuleSet, board: Board, tiles: str, pause: Pause = nothing) -> Iterator[Move]:
    """Every legal placement on `board` from a rack of `tiles` (tile codes), once each, with its score. Streams.

    `pause` is called again and again, and may raise to end the work.
    """
    return Search(rules, board, tiles, pause).moves()


def best(rules: RuleSet, board: Board, tiles: str, count: int, pause: Pause = nothing) -> list[Move]:
    """The `count` placements that score most, without making all of them, see `Search.best`. `pause` as for `moves`."""
    return Search(rules, board, tiles, pause).best(count)
