"""Where on a board a placement may go, and what that place makes of it.

A *window* is a stretch of one line that becomes a maximal run. What it reads, with a dot for each hole, is its
*pattern* (cells.py); many windows of a board share one. A hole where the move would also make a crosswise run takes
only the symbols for which that run is valid, and is a pattern character of its own, which stands for that set.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import NamedTuple

from lantable_binary_scrabble.board import CENTRE, EMPTY, EQUATION_PREMIUM, SIZE, SQUARES, TILE_PREMIUM, Board
from lantable_binary_scrabble.cells import HOLE, RESTRICTED, Rack, is_hole
from lantable_binary_scrabble.expression import judge
from lantable_binary_scrabble.placement import Placement, tolerated
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import EQUALS, Value, face_of

Rank = tuple[int, int, int, bool, str]


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

    @property
    def rank(self) -> Rank:
        """The order moves are listed in: by score; of one score by row, column, down before across, and tiles."""
        return -self.score, self.row, self.col, self.across, self.tiles


@lru_cache(maxsize=1 << 15)
def equation_value(rules: RuleSet, text: str) -> Value | None:
    """The value of a run, in tile codes, if it is a valid equation."""
    return judge(rules, text).value


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

    def crosses(self, text: str) -> bool:
        """Whether these tiles make a crosswise equation."""
        return any(
            square in self.crossings and symbol in self.crossings[square].equations
            for square, symbol in zip(self.holes, text, strict=True)
        )


class Frame(NamedTuple):
    """What a window makes of a filling's points and bonus: times `factor`, plus `more`, plus what single symbols add.

    `most` bounds `more` and the additions together.
    """

    window: Window
    factor: int
    more: int
    extras: list[tuple[int, dict[str, int]]]
    most: int
    place: tuple[int, int, bool]
    """Row, column and direction of its moves."""

    def filled(self, fillings: Iterable[tuple[str, int]]) -> Iterator[Move]:
        """The moves of some (tiles, points and bonus)."""
        window, factor, more, extras, _, (row, col, across) = self
        if window.needs_crossing:
            fillings = [(text, base) for text, base in fillings if window.crosses(text)]
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


class Windows:
    """All windows of a board for a rack, by pattern, and the sets that restricted holes stand for, in order."""

    def __init__(self, rules: RuleSet, board: Board, rack: Rack) -> None:
        self._rules, self._rack = rules, rack
        self._faces = "".join(map(face_of, board.squares))
        self._first = board.empty
        self._signs: dict[frozenset[str], str] = {}
        self._points = {symbol: rules.points[symbol] for symbol in rack.laid_with}
        self.sets: list[frozenset[str]] = []
        self.by_pattern: dict[str, list[Window]] = {}
        if rack.size:
            self._find_windows()

    # -- what a window makes of tiles

    def frame(self, window: Window, *, bounded: bool = True) -> Frame:
        """The frame of a window; `most` is needed only where somebody looks for the best."""
        factor = prod(EQUATION_PREMIUM[square] for square in window.holes)
        settings = self._rules.settings
        more = settings.bingo if len(window.holes) == settings.rack_size else 0
        extras = self._extras(window, factor)
        row, col = divmod(window.holes[0], SIZE)
        # A single tile has no direction: `Placement` calls it across.
        across = window.across or len(window.holes) == 1
        most = more + self._most(window, factor, extras) if bounded else 0
        return Frame(window, factor, more, extras, most, (row, col, across))

    def _extras(self, window: Window, factor: int) -> list[tuple[int, dict[str, int]]]:
        """What single symbols add by where they lie: tile premiums, and crosswise equations."""
        extras: list[tuple[int, dict[str, int]]] = []
        for at, square in enumerate(window.holes):
            more = (TILE_PREMIUM[square] - 1) * factor
            crossing = window.crossings.get(square)
            if crossing is not None:
                extras.append((at, {s: score + self._points[s] * more for s, score in crossing.scores.items()}))
            elif more:
                extras.append((at, {s: points * more for s, points in self._points.items()}))
        return extras

    def _most(self, window: Window, factor: int, extras: list[tuple[int, dict[str, int]]]) -> int:
        """No row of tiles gets more extras: the dearest tiles on the premiums, each only once."""
        crossing = sum(max(extra.values()) for at, extra in extras if window.holes[at] in window.crossings)
        plain = [TILE_PREMIUM[square] - 1 for square in window.holes if square not in window.crossings]
        return crossing + factor * self._rack.most_on([more for more in plain if more])

    # -- finding them

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
            self._signs[symbols] = chr(RESTRICTED + len(self.sets))
            self.sets.append(symbols)
        return self._signs[symbols]

    def _add(self, across: bool, pattern: str, holes: list[int], crossings: dict[int, Crossing]) -> None:
        here = {square: crossings[square] for square in holes if square in crossings}
        if not across and len(holes) == 1 and here:
            # 6.3: a one-tile move is one move. Where its run across is an equation too, that window has it.
            ((_, crossing),) = here.items()
            sign = self._set_sign(frozenset(crossing.scores) - crossing.equations)
            if not sign:
                return
            pattern = "".join(sign if ord(char) >= RESTRICTED else char for char in pattern)
        old = not all(map(is_hole, pattern))
        needs = not old and not self._first and self._rules.settings.cross_runs == "numbers"
        self.by_pattern.setdefault(pattern, []).append(Window(across, holes, here, needs))

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
        for symbol in self._rack.laid_with:
            face = face_of(symbol)
            if may_equal or (face == EQUALS and before and after):
                value = equation_value(rules, before + face + after)
                if value is not None:
                    points = self._points[symbol] * TILE_PREMIUM[square] + rules.bonus(value)
                    scores[symbol] = points * EQUATION_PREMIUM[square]
                    equations.add(symbol)
                    continue
            if numbers and tolerated(rules, before + symbol + after):
                scores[symbol] = 0
        return Crossing(scores, frozenset(equations))
