"""A position as a person sees it: a board of 15 rows, three columns a square, and the panel beside it.

Empty squares show their premium by a letter. A blank shows its face and `*`, a word fills its square in lower case.
Nothing is told by style alone.
"""

from collections.abc import Iterator
from typing import Final

from lantable.dealing import HIDDEN
from lantable.game import Cell, Picture
from lantable_binary_scrabble.board import CENTRE, EMPTY, EQUATION_PREMIUM, SIZE, TILE_PREMIUM
from lantable_binary_scrabble.notation import COLUMNS, show_faces
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import State
from lantable_binary_scrabble.tables import face_of, is_blank

_WIDTH = 3
_RICH: Final = str.maketrans({"x": "×", "/": "÷", "-": "−"})
"""Signs for people who want Unicode's. Operators that are words keep their names."""


def picture(rules: RuleSet, view: State) -> Picture:
    """16 rows of 48 columns, and the panel."""
    rows = [tuple(_letters())]
    rows += [tuple(_row(rules, view, row)) for row in range(SIZE)]
    return Picture(tuple(rows), tuple(_panel(rules, view)))


def _letters() -> Iterator[Cell]:
    yield Cell(" " * _WIDTH)
    yield from (Cell(letter.center(_WIDTH)) for letter in COLUMNS)


def _row(rules: RuleSet, view: State, row: int) -> Iterator[Cell]:
    yield Cell(f"{row + 1:2} ")
    for col in range(SIZE):
        symbol = view.board.at(row, col)
        yield _premium(row * SIZE + col) if symbol == EMPTY else _laid(rules, symbol)


def _laid(rules: RuleSet, symbol: str) -> Cell:
    shown = _tile(rules, symbol).center(_WIDTH)
    return Cell(shown, rich=shown.translate(_RICH))


def _premium(square: int) -> Cell:
    if square == CENTRE:
        return Cell(" * ", "premium")
    sign = {2: "D", 3: "T"}.get(EQUATION_PREMIUM[square]) or {2: "d", 3: "t"}.get(TILE_PREMIUM[square])
    return Cell(f" {sign} ", "premium") if sign else Cell(" . ")


def _tile(rules: RuleSet, symbol: str) -> str:
    """A tile in at most three columns."""
    shown = _spoken(rules, face_of(symbol))
    if not is_blank(symbol):
        return shown
    return f"{shown}*" if len(shown) == 1 else shown.lower()


def _spoken(rules: RuleSet, tile: str) -> str:
    return show_faces(rules, tile, words=True) if tile != HIDDEN else HIDDEN


# -- the panel


def _panel(rules: RuleSet, view: State) -> Iterator[str]:
    for seat, score in enumerate(view.scores):
        pointer = ">" if seat == view.to_move else " "
        out = ", out" if seat in view.out else ""
        yield f"{pointer} player {seat + 1}  {score} points{out}  {_rack(rules, view.racks[seat])}"
    yield f"bag {view.bag}, scoreless turns in a row {view.scoreless}"
    if view.pending is not None:
        yield f"player {view.pending.seat + 1} laid tiles for {view.pending.score}: challenge, accept, or move on"
    yield from _course(view)
    yield "T D: 3x 2x the equation   t d: 3x 2x the tile   * start"


def _rack(rules: RuleSet, rack: str) -> str:
    if HIDDEN in rack:
        return f"{len(rack)} tiles"
    return "rack " + (" ".join(_spoken(rules, tile) for tile in rack) or "empty")


def _course(view: State) -> Iterator[str]:
    if view.to_move is not None:
        yield f"player {view.to_move + 1} to move"
    elif view.phase == "over":
        yield f"the game is over ({view.how})" if view.how else "the game is over"
    else:
        yield "something is still to be drawn"
