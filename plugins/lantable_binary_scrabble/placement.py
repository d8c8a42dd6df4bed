"""Whether tiles laid on the board are a legal move, and what it scores: sections 5 to 7 of the rules.

`judge_laid` is the one authority: it takes tiles on squares, however they came about, and goes through the checks
in the order of section 9. A `Placement` is the same in the shape players speak of it: from a square, across or
down, these tiles, skipping what already lies there.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lantable.errors import IllegalMove
from lantable_binary_scrabble.board import CENTRE, EMPTY, EQUATION_PREMIUM, SIZE, TILE_PREMIUM, Board, Laid, Run
from lantable_binary_scrabble.expression import Verdict, judge
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import EQUALS, Value, face_of


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """Tiles laid in one line from a square on, skipping occupied squares; `tiles` are symbols.

    A single tile has no direction of its own: it counts as across, so that one move has one form.
    """

    row: int
    col: int
    across: bool
    tiles: str

    def __post_init__(self) -> None:
        if not (0 <= self.row < SIZE and 0 <= self.col < SIZE) or not self.tiles:
            raise ValueError("a placement starts on the board and lays a tile")
        if len(self.tiles) == 1 and not self.across:
            object.__setattr__(self, "across", True)

    def on(self, board: Board) -> tuple[Laid, ...]:
        """The tiles on their squares. Raises `IllegalMove("off_board")` if the line is too short."""
        line, start = (board.row(self.row), self.col) if self.across else (board.column(self.col), self.row)
        free = [at for at in range(start, SIZE) if line[at] == EMPTY or at == start]
        if len(free) < len(self.tiles):
            raise IllegalMove("off_board", "the tiles reach over the edge of the board")
        places = zip(free, self.tiles, strict=False)
        if self.across:
            return tuple(Laid(self.row, at, symbol) for at, symbol in places)
        return tuple(Laid(at, self.col, symbol) for at, symbol in places)


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation a move made: its text in tile codes, its place, its value, what it scored after premiums."""

    text: str
    across: bool
    row: int
    col: int
    value: Value
    score: int


@dataclass(frozen=True, slots=True)
class Play:
    """A legal placement: what it scores in all, its equations, and the board after it."""

    score: int
    equations: tuple[Equation, ...]
    bingo: bool
    board: Board


def judge_laid(rules: RuleSet, board: Board, rack: str, laid: Sequence[Laid]) -> Play:
    """What a placement makes. `rack` holds tile codes. Raises `IllegalMove` with the first code of section 9."""
    _squares_free(rules, board, laid)
    _tiles_held(rules, rack, laid)
    after = board.with_tiles(laid)
    _in_line(after, laid)
    _joined(board, laid)
    return _scored(rules, board, after, laid)


def unchecked(rules: RuleSet, board: Board, rack: str, laid: Sequence[Laid]) -> tuple[int, bool, Board]:
    """Under a challenge rule: (score, whether it is legal, board after). Raises `IllegalMove` for what nobody can lay.

    Geometry, rack and the number of new `=` are refused at once; whether the runs are equations is for the next
    player to say. A run that is none scores its tiles and premiums, and no bonus.
    """
    try:
        play = judge_laid(rules, board, rack, laid)
    except IllegalMove as illegal:
        if illegal.code not in ("equation", "no_equation"):
            raise
    else:
        return play.score, True, play.board
    after = board.with_tiles(laid)
    new = {tile.row * SIZE + tile.col for tile in laid}
    score = rules.settings.bingo if len(laid) == rules.settings.rack_size else 0
    for run, _ in runs_made(after, laid):
        verdict = judge(rules, "".join(map(face_of, run.text)))
        score += _run_score(rules, run, verdict.bonus or 0, new)
    return score, False, after


def try_out(rules: RuleSet, board: Board, laid: Sequence[Laid]) -> Play:
    """As `judge_laid` for a player whose rack is not known: the tiles are taken to be held. Raises `IllegalMove`."""
    held = "".join(rules.tile_of.get(tile.symbol, "") for tile in laid)
    return judge_laid(rules, board, held, laid)


def _squares_free(rules: RuleSet, board: Board, laid: Sequence[Laid]) -> None:
    if not laid:
        raise IllegalMove("empty_move", "no tile was laid")
    for row, col, _ in laid:
        if not (0 <= row < SIZE and 0 <= col < SIZE):
            raise IllegalMove("off_board", "a tile lies outside the board")
    squares = [(row, col) for row, col, _ in laid]
    # Section 9: "`occupied` also when one move names a square twice".
    if len(set(squares)) < len(squares) or any(board.at(row, col) != EMPTY for row, col in squares):
        raise IllegalMove("occupied", "a tile already lies on that square")
    for tile in laid:
        if tile.symbol not in rules.tile_of:
            raise IllegalMove("bad_symbol", f"no tile can show {face_of(tile.symbol)!r} so")


def _tiles_held(rules: RuleSet, rack: str, laid: Sequence[Laid]) -> None:
    if missing := Counter(rules.tile_of[tile.symbol] for tile in laid) - Counter(rack):
        raise IllegalMove("not_in_rack", f"the rack holds no {min(missing)} for that")
    # 5.4: "a blank standing for `=` counts; a turned `=` does not".
    if sum(face_of(tile.symbol) == EQUALS for tile in laid) > rules.settings.max_new_equals:
        raise IllegalMove("too_many_equals", f"at most {rules.settings.max_new_equals} new = in one move")


def _in_line(after: Board, laid: Sequence[Laid]) -> None:
    rows, cols = {tile.row for tile in laid}, {tile.col for tile in laid}
    if len(rows) > 1 and len(cols) > 1:
        raise IllegalMove("not_in_line", "all tiles must lie in one row or one column")
    # 5.2: "with the tiles already there they leave no gap".
    if any(
        after.at(row, col) == EMPTY
        for row in range(min(rows), max(rows) + 1)
        for col in range(min(cols), max(cols) + 1)
    ):
        raise IllegalMove("gap", "there is an empty square between the tiles")


def _joined(board: Board, laid: Sequence[Laid]) -> None:
    # 5.3: "The first placement covers the centre square; every later one touches a tile orthogonally."
    if board.empty:
        if all(tile.row * SIZE + tile.col != CENTRE for tile in laid):
            raise IllegalMove("centre", "the first move must cover the centre square")
    elif not any(board.touches(tile.row, tile.col) for tile in laid):
        raise IllegalMove("not_connected", "the tiles must touch what already lies there")


def _scored(rules: RuleSet, board: Board, after: Board, laid: Sequence[Laid]) -> Play:
    new = {tile.row * SIZE + tile.col for tile in laid}
    equations: list[Equation] = []
    old = board.empty
    for run, along in runs_made(after, laid):
        verdict = judge(rules, "".join(map(face_of, run.text)))
        if not verdict.valid:
            if not along and tolerated(rules, run.text):
                continue
            raise IllegalMove("equation", f"{verdict.text}: {verdict.reason}" + _detail(verdict))
        equations.append(_equation(rules, run, verdict, new))
        old = old or len(new.intersection(run.squares())) < len(run.text)
    if not equations:
        raise IllegalMove("no_equation", "the move makes no equation")
    # 6.5: "the move must still join the board through an equation that contains an old tile".
    if not old:
        raise IllegalMove("not_connected", "the move must join the board through an equation")
    bingo = len(laid) == rules.settings.rack_size
    score = sum(equation.score for equation in equations) + (rules.settings.bingo if bingo else 0)
    return Play(score, tuple(equations), bingo, after)


def runs_made(after: Board, laid: Sequence[Laid]) -> list[tuple[Run, bool]]:
    """The runs of two or more that the move made, each with whether it is the run along the move.

    6.3: "A one-tile move has no main direction", so neither of its runs is along it.
    """
    first = laid[0]
    if len(laid) == 1:
        found = [(after.run(first.row, first.col, across=across), False) for across in (True, False)]
    else:
        across = first.row == laid[1].row
        found = [(after.run(first.row, first.col, across=across), True)]
        found += [(after.run(tile.row, tile.col, across=not across), False) for tile in laid]
    return [(run, along) for run, along in found if len(run.text) > 1]


def tolerated(rules: RuleSet, run: str) -> bool:
    """6.5: under `cross_runs=numbers` "a crosswise run of digits only is tolerated if it is a well-formed number"."""
    if rules.settings.cross_runs != "numbers":
        return False
    signs = "".join(rules.reading[symbol] for symbol in run)
    if not set(signs) <= set(rules.digits):
        return False
    return rules.settings.leading_zeros == "always" or signs[0] != "0"


def _equation(rules: RuleSet, run: Run, verdict: Verdict, new: set[int]) -> Equation:
    """An equation the move made, with its score."""
    assert verdict.value is not None and verdict.bonus is not None  # noqa: S101 - the equation is valid
    score = _run_score(rules, run, verdict.bonus, new)
    return Equation(verdict.text, run.across, run.row, run.col, verdict.value, score)


def _run_score(rules: RuleSet, run: Run, bonus: int, new: set[int]) -> int:
    points, factor = counted(rules, run, new)
    return (points + bonus) * factor


def counted(rules: RuleSet, run: Run, new: set[int]) -> tuple[int, int]:
    """What the new squares of a run bring: points of its tiles, and the factor of its equation premiums."""
    # 7.1: "(points of the NEW tiles, each times its tile premium, + bonus) x the equation premiums under NEW tiles"
    points, factor = 0, 1
    for square, symbol in zip(run.squares(), run.text, strict=True):
        if square in new:
            points += rules.points[symbol] * TILE_PREMIUM[square]
            factor *= EQUATION_PREMIUM[square]
    return points, factor


def _detail(verdict: Verdict) -> str:
    return f" ({verdict.detail})" if verdict.detail else ""
