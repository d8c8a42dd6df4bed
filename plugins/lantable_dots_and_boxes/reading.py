"""A row or a column of boxes, or one box, in words, a line each: for whoever hears a board or reads it by lines."""

import re
from typing import Final

from lantable.wording import joined
from lantable_dots_and_boxes.state import NOBODY, State
from lantable_dots_and_boxes.wording import msg

_PART: Final = re.compile("([a-l])?([1-9]|1[0-2])?")


def aloud(state: State, part: str) -> str | None:
    """`2` a row of boxes, `b` a column, `b2` the box whose upper left dot that is; None for anything else."""
    named = _PART.fullmatch(part)
    if named is None or not part:
        return None
    letter, number = named.groups()
    rows = range(state.board.rows) if number is None else range(int(number) - 1, int(number))
    cols = range(state.board.cols) if letter is None else range(ord(letter) - ord("a"), ord(letter) - ord("a") + 1)
    if rows[-1] >= state.board.rows or cols[-1] >= state.board.cols:
        return None
    said = joined("; ", [_box(state, row, col) for row in rows for col in cols])
    if letter is None:
        return msg("row {row}: {boxes}", row=number, boxes=said)
    return said if number else msg("column {column}: {boxes}", column=letter, boxes=said)


def _box(state: State, row: int, col: int) -> str:
    """Whose a box is, or which of its sides are still open."""
    box = row * state.board.cols + col
    name, owner, board = f"{chr(ord('a') + col)}{row + 1}", state.owners[box], state.board
    if owner == NOBODY:
        return msg("box {box} is nobody's", box=name)
    if owner:
        return msg("box {box} is player {seat}'s", box=name, seat=owner)
    free = [board.names[line] for line in range(len(board.names)) if board.sides[box] & ~state.lines & 1 << line]
    return msg("box {box} is open at {lines}", box=name, lines=" ".join(free))
