"""Perfect play of two: how many more boxes the side to move will get than the other, from any position.

Theory. The value of a position depends on its undrawn lines only, and so on its shapes (strings.py). Facts that make
the search small, each proved or verified by exhaustive search in the literature (Berlekamp, *The Dots and Boxes Game*;
Barker and Korf, "Solving Dots-And-Boxes", AAAI 2012):

* what can be taken now is taken whole, or but for two coins (the end of a chain), or four (a loop): that hands the turn
  over and is worth it where whoever must move next loses by it;
* within a chain or loop one line stands for all, and shapes that are alike count once;
* where nothing is left but chains and loops, it is enough to open the shortest chain or the shortest loop (Buzzard and
  Ciere, "Playing Simple Loony Dots and Boxes Endgames Optimally", Integers 14, 2014). Beside joints that is not so.

So a move is a `Cut`: the other takes `taken`, and then moves on in what is left, worth v to whoever moves there, or
leaves `spared` and lets us move there: max(taken + v, taken - 2 * spared - v) = taken - spared + |v + spared|.

The search is alpha-beta over multisets of shapes, with a table of bounds, in which the children's bounds are looked at
before any of them is searched; the value is closed in on by searches with an empty window (Plaat's MTD(f)).
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from lantable_dots_and_boxes.board import Board
from lantable_dots_and_boxes.strings import GROUND, Graph, Shapes

Shaped = tuple[int, ...]
"""The numbers of the shapes of a position in which nothing can be taken, in order."""
Bounds = tuple[int, int]
ENDLESS: Final = 1 << 62


class TooLong(Exception):
    """The work that was allowed is done, and the value is not known."""


def nothing() -> None:
    """What is done in a pause by default."""


class Solver:
    """Values of positions on one board. What was found for one serves the next.

    `limit` bounds the work of all that is asked, in steps of some tens of microseconds: beyond it `TooLong` is raised,
    at the same point on every machine. `pause` is called again and again, and may raise to end the work.
    """

    def __init__(self, board: Board, limit: int = ENDLESS, pause: Callable[[], None] = nothing) -> None:
        self._board, self._limit, self._pause = board, limit, pause
        self._shapes = Shapes()
        self._known: dict[Shaped, Bounds] = {(): (0, 0)}
        self._positions: dict[int, int] = {}
        self._searched = 0

    @property
    def steps(self) -> int:
        """The work done so far. To work out a shape takes about ten times as long as to look at a position."""
        return self._searched + 10 * self._shapes.worked_out

    def margin(self, lines: int) -> int:
        """Boxes that the side to move will get less those of the other, if these lines are drawn. Raises `TooLong`.

        The boxes of the position that are closed count for nobody.
        """
        found = self._positions.get(lines)
        if found is None:
            taken, spared, rest = takeable(self._board, self._board.full & ~lines)
            found = self._positions[lines] = worth(taken, spared, self._value(self._shaped(rest)))
        return found

    def after(self, lines: int, line: int) -> int:
        """The same for the side that draws `line` now, be it good or bad. Raises `TooLong`."""
        drawn = lines | 1 << line
        closed = sum(drawn & self._board.sides[box] == self._board.sides[box] for box in self._board.beside[line])
        return closed + self.margin(drawn) if closed else -self.margin(drawn)

    # -- shapes

    def _shaped(self, free: int) -> Shaped:
        """The shapes of these undrawn lines, with which nothing can be taken."""
        return self._shapes.numbers(graph_of(self._board, free))

    def _value(self, shaped: Shaped) -> int:
        """Its value: the window is moved until bounds from above and below meet."""
        coins = self._coins(shaped)
        low, high = self._known.get(shaped, (-coins, coins))
        # Every coin goes to one side or the other, so values are odd or even as coins are.
        guess = coins & 1
        while low < high:
            beta = min(max(guess, low + 1), high)
            guess = self._search(shaped, beta)
            low, high = (guess, high) if guess >= beta else (low, guess)
        return low

    def _coins(self, shaped: Shaped) -> int:
        return sum([self._shapes.coins[number] for number in shaped])

    def _search(self, shaped: Shaped, beta: int) -> int:
        """A bound of its value, from below if it is `beta` or more, else from above."""
        coins = self._coins(shaped)
        low, high = self._known.get(shaped, (-coins, coins))
        if low >= beta or low == high:
            return low
        if high < beta:
            return high
        self._searched += 1
        if self.steps > self._limit:
            raise TooLong
        moves, best = self._moves(shaped, coins, beta)
        for most, taken, spared, left in moves:
            best = max(best, -self._response(taken, spared, left, 1 - beta) if most >= beta else most)
            if best >= beta:
                break
        self._known[shaped] = (best, high) if best >= beta else (low, best)
        return best

    def _moves(self, shaped: Shaped, coins: int, beta: int) -> tuple[list[tuple[int, int, int, Shaped]], int]:
        """The moves, those first that give least away, each with a bound of its worth from above, and what any position
        is worth at least; or none, and a bound that reaches `beta`, if some move is known to have it."""
        found: dict[tuple[int, int, Shaped], int] = {}
        self._pause()
        for at in self._worth_cutting(shaped):
            number, rest = shaped[at], shaped[:at] + shaped[at + 1 :]
            for taken, spared, left in self._shapes.cuts(number):
                child = tuple(sorted(rest + left)) if left else rest
                there = coins - taken
                low, high = self._known.get(child, (-there, there))
                if taken == 0:
                    least, most = -high, -low
                elif spared:
                    near, far = _spread(low + spared, high + spared)
                    least, most = spared - taken - far, spared - taken - near
                else:
                    least, most = -taken - high, -taken - low
                if least >= beta:
                    return [], least
                found[taken, spared, child] = most
        moves = [(most, taken, spared, child) for (taken, spared, child), most in found.items()]
        # Few chains are soon looked through. Measured: half of the work of an order by bounds alone.
        chains = self._chains
        moves.sort(key=lambda move: (move[1], sum([chains(number) for number in move[3]]), -move[0], move[3]))
        return moves, -coins

    def _chains(self, number: int) -> int:
        return len(self._shapes[number].chains)

    def _worth_cutting(self, shaped: Shaped) -> Iterable[int]:
        """Places of the shapes in which something may be worth doing, of equal ones the first."""
        if any(self._shapes[number].joints for number in shaped):
            return [at for at, number in enumerate(shaped) if not at or shaped[at - 1] != number]
        shortest: dict[bool, int] = {}
        for at in sorted(range(len(shaped)), key=lambda at: self._shapes.coins[shaped[at]]):
            shortest.setdefault(self._shapes[shaped[at]].is_loop, at)
        return shortest.values()

    def _response(self, taken: int, spared: int, left: Shaped, beta: int) -> int:
        """A bound of what a cut is worth to the other, as `_search` gives it for a position."""
        if taken == 0:
            return self._search(left, beta)
        if not spared:
            return taken + self._search(left, beta - taken)
        # `worth` reaches beta where v + spared is far enough from 0, above or below.
        wanted = beta - taken + spared
        if wanted <= 0:
            return taken - spared
        high = self._search(left, wanted - spared)
        if high >= wanted - spared:
            return worth(taken, spared, high)
        low = self._search(left, 1 - wanted - spared)
        if low < 1 - wanted - spared:
            return worth(taken, spared, low)
        return max(worth(taken, spared, low), worth(taken, spared, high))


def worth(taken: int, spared: int, value: int) -> int:
    """What it is worth to take so many coins, or to leave `spared` of them, before a rest of this value."""
    return taken - spared + abs(value + spared) if spared else taken + value


def _spread(low: int, high: int) -> Bounds:
    """The least and the largest absolute value between two numbers."""
    least = 0 if low <= 0 <= high else min(abs(low), abs(high))
    return least, max(abs(low), abs(high))


def graph_of(board: Board, free: int) -> Graph:
    """The settled graph of these undrawn lines, with which nothing can be taken."""
    ties = [(*board.beside[line], GROUND)[:2] for line in range(free.bit_length()) if free >> line & 1]
    graph = Graph((max(ends), min(ends), 0) for ends in ties)
    graph.settle()
    return graph


# -- what can be taken


def takeable(board: Board, free: int) -> tuple[int, int, int]:
    """How many boxes can be taken now, one after the other, how many of these can be left so that the turn passes, and
    the undrawn lines after all were taken."""
    ends = _ends(board, free)
    taken, rest = _take(board, free, ends)
    return taken, _leavable(board, free, {}) if ends else 0, rest


def _ends(board: Board, free: int) -> list[int]:
    """The sides of every box that can be taken at once."""
    return [sides for sides in board.sides if (free & sides).bit_count() == 1]


def _leavable(board: Board, free: int, known: dict[int, int]) -> int:
    """How many boxes of a last row can be left: 2 of one whose other end is not to be taken, or 4 of one that can be
    taken from both ends, as a loop that was opened; 0 if there is no such row.

    Rows meet in joints, so which one comes last, and what it is then, depends on the order in which all are taken.
    """
    if free not in known:
        rows = [_row(board, free, end) for end in _ends(board, free)]
        if len(rows) == 1 + rows[0].closed:
            known[free] = rows[0].leavable
        else:
            known[free] = min((_leavable(board, free & ~row.lines, known) for row in rows), key=lambda left: left or 9)
    return known[free]


def _take(board: Board, free: int, ends: list[int]) -> tuple[int, int]:
    """Take boxes with one undrawn side while there are any, beginning with `ends` (boxes are meant by their sides): how
    many, and the lines left."""
    taken, todo = 0, list(ends)
    while todo:
        line = free & todo.pop()
        if line.bit_count() != 1:
            continue
        free ^= line
        for box in board.beside[line.bit_length() - 1]:
            other = board.sides[box]
            undrawn = (free & other).bit_count()
            taken += undrawn == 0
            if undrawn == 1:
                todo.append(other)
    return taken, free


class Row(NamedTuple):
    """Boxes that can be taken one after the other: how many, by which lines, and whether from both ends."""

    length: int
    lines: int
    closed: bool

    @property
    def leavable(self) -> int:
        if self.closed:
            return 4 if self.length >= 4 else 0
        return 2 if self.length >= 2 else 0


def _row(board: Board, free: int, sides: int) -> Row:
    """The row that begins with the box of these sides, as far as the next joint."""
    length, line = 1, free & sides
    lines = line
    while True:
        others = [board.sides[box] for box in board.beside[line.bit_length() - 1] if board.sides[box] != sides]
        if not others:
            return Row(length, lines, closed=False)
        (sides,) = others
        onward = free & sides & ~line
        if not onward:
            return Row(length + 1, lines, closed=True)
        if onward.bit_count() > 1:
            return Row(length, lines, closed=False)
        length, line = length + 1, onward
        lines |= line
