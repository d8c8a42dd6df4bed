"""A position as a person sees it: four columns and two rows a box, letters and numbers in the margins.

Drawn lines need no owner; boxes carry their owner's letter, A to D by seat, or `-` for nobody's. The cell of every
undrawn line carries its notation as `move`. Nothing is told by style alone: the panel names the last line too.
"""

from collections.abc import Iterator

from lantable.game import Cell, Outcome, Picture
from lantable_dots_and_boxes.state import NOBODY, State, certain_winner
from lantable_dots_and_boxes.wording import msg, msgs

_MARGIN = 4
_BLANK = Cell(" " * _MARGIN)
_DOT = Cell("o", rich="\u2022")
_RICH = {"---": "\u2500\u2500\u2500", "|": "\u2502"}
"""Lines, for people who want Unicode's signs."""


def picture(state: State, standing: Outcome) -> Picture:
    """`state` drawn: 2 * rows + 2 lines of 4 * cols + 5 columns, and the panel with the scores of `standing`."""
    rows = [_letters(state)]
    for row in range(state.board.rows):
        rows += [_dots(state, row), _walls(state, row)]
    rows.append(_dots(state, state.board.rows))
    return Picture(tuple(tuple(cells) for cells in rows), tuple(_panel(state, standing)))


# -- the board


def _letters(state: State) -> Iterator[Cell]:
    columns = (chr(ord("a") + col) for col in range(state.board.cols + 1))
    yield _BLANK
    yield Cell("   ".join(columns))


def _dots(state: State, row: int) -> Iterator[Cell]:
    yield Cell(f"{row + 1:2}".ljust(_MARGIN))
    for col in range(state.board.cols):
        yield _DOT
        yield _line(state, state.board.across(row, col), "---")
    yield _DOT


def _walls(state: State, row: int) -> Iterator[Cell]:
    yield _BLANK
    for col in range(state.board.cols):
        yield _line(state, state.board.down(row, col), "|")
        yield _box(state, row * state.board.cols + col)
    yield _line(state, state.board.down(row, state.board.cols), "|")


def _line(state: State, line: int, ink: str) -> Cell:
    if not state.is_drawn(line):
        return Cell(" " * len(ink), move=state.board.names[line])
    return Cell(ink, "last" if line == state.last else "", rich=_RICH[ink])


def _box(state: State, box: int) -> Cell:
    owner = state.owners[box]
    if owner == NOBODY:
        return Cell(" - ")
    return Cell(f" {_letter(owner - 1)} ", f"seat{owner - 1}") if owner else Cell("   ")


def _letter(seat: int) -> str:
    return "ABCD"[seat]


# -- the panel


def _panel(state: State, standing: Outcome) -> Iterator[str]:
    for seat, score in enumerate(standing.scores):
        yield _score(state, seat, score)
    yield msg(
        "lines {drawn} of {lines}, {open_boxes} open",
        drawn=state.lines.bit_count(),
        lines=len(state.board.names),
        open_boxes=_boxes(state.open_boxes),
    )
    if gone := state.board.boxes - state.boxes_at_stake:
        yield msg("-  {boxes} of players who are gone, nobody's", boxes=_boxes(gone))
    if state.last is not None:
        yield msg("last line {names}", names=state.board.names[state.last])
    yield from _course(state) if state.mover is not None else _result(standing)


def _score(state: State, seat: int, score: int) -> str:
    pointer = ">" if seat == state.mover else " "
    out = "" if state.present[seat] else msg(", out")
    return msg(
        "{pointer} player {seat}  {letter}  {boxes}{out}",
        pointer=pointer,
        seat=seat + 1,
        letter=_letter(seat),
        boxes=_boxes(score),
        out=out,
    )


def _course(state: State) -> Iterator[str]:
    """What there is to say while the game goes on."""
    assert state.mover is not None  # noqa: S101 - `_panel` asked
    winner = certain_winner(state)
    if winner is None:
        yield msg("first to {boxes} is sure to win", boxes=_boxes(state.boxes_at_stake // 2 + 1))
    else:
        # "the winner is certain and shown, and play goes on to the last line unless all agree to stop"
        yield msg(
            "player {winner} has won already: {boxes_held} of {boxes}",
            winner=winner + 1,
            boxes_held=state.boxes_held[winner],
            boxes=_boxes(state.boxes_at_stake),
        )
    yield msg("player {mover} to move", mover=state.mover + 1)
    if _has_extra_turn(state):
        yield msg("box! move again")


def _has_extra_turn(state: State) -> bool:
    """Whether the mover has just claimed: a box beside the last line can only have been completed by that line."""
    if state.last is None or state.mover is None:
        return False
    return any(state.owners[box] == state.mover + 1 for box in state.board.beside[state.last])


def _result(standing: Outcome) -> Iterator[str]:
    winners = standing.winners
    if len(winners) == 1:
        yield msg("the game is over: player {winners} has won", winners=winners[0] + 1)
    elif len(standing.scores) == 2:
        yield msg("the game is over: a draw")
    else:
        yield msg(
            "the game is over: players {winners} share first place",
            winners=" and ".join(str(seat + 1) for seat in winners),
        )


def _boxes(count: int) -> str:
    return msgs("{n} box", "{n} boxes", count)
