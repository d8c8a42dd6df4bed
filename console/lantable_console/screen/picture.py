"""A game's picture on the screen. What a game draws is cells, and this knows no game.

The cursor has a place (column and row) in the picture. It stands on the nearest of the *spots*, the cells that start
a move; so it stays where it is when a spot is played, and goes to the next one beside it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import Final, TypeVar

from lantable.game import Cell, Picture
from lantable_console.screen.frame import Piece, Row, safe, width_of

K = TypeVar("K")
V = TypeVar("V")
Point = tuple[int, int]
"""Column and row."""
TINTED: Final = ("last", "seat0", "seat1", "seat2", "seat3")
"""Marks that a theme may colour."""
TALL: Final = 2
"""A cell of a terminal is about twice as high as it is wide."""
PANEL: Final = 24
"""Columns that a panel beside the board needs."""
EASY_PANEL: Final = 28
"""Columns for which a panel may ask before the board gets wider cells."""
STYLES: Final = {"last": "bold", "apart": "bold", "loose": "reverse"}
"""What marks of cells look like; each is also told by a sign or a word."""
WAYS: Final[dict[str, Point]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


@dataclass(frozen=True, slots=True)
class Spot:
    """A cell that starts a move. `at` is the middle of its text."""

    at: Point
    move: str


def columns_for(widths: Sequence[int], width: int, size: int = 0) -> int:
    """Which of a game's pictures, widest first, suits so many columns: the widest that leaves room for a panel; where
    none does, the widest that fits. A `size` is chosen by the person, 1 the smallest; 0 leaves it to us."""
    if size and widths:
        return sorted(widths)[min(size, len(widths)) - 1]
    for panel in (EASY_PANEL + 4, PANEL + 3, 0):
        for columns in widths:
            if columns + panel <= width:
                return columns
    return min(widths, default=width)


def remembered(compute: Callable[[K], V]) -> Callable[[K], V]:
    """`compute`, with its last few answers kept by identity: to hash a large picture takes as long as to draw it."""
    kept: deque[tuple[K, V]] = deque(maxlen=4)

    @wraps(compute)
    def answer(value: K) -> V:
        for known, result in kept:
            if known is value:
                return result
        result = compute(value)
        kept.appendleft((value, result))
        return result

    return answer


@remembered
def spots(picture: Picture) -> list[Spot]:
    """The cells that start a move, row by row."""
    found: list[Spot] = []
    for y, cells in enumerate(picture.rows):
        x = 0
        for cell in cells:
            width = _piece(cell).width
            if cell.move is not None and width:
                found.append(Spot((x + (width - 1) // 2, y), cell.move))
            x += width
    return found


def focused(picture: Picture, at: Point | None) -> Spot | None:
    """The spot nearest to a place, or the first one if there is no place yet. O(cells)."""
    there = spots(picture)
    if at is None or not there:
        return there[0] if there else None
    return min(there, key=lambda spot: _distance(spot.at, at))


def beyond(picture: Picture, at: Point, way: str) -> Spot | None:
    """The next spot that way: along the row to its next one, up and down to the nearest row that has any.

    So every spot can be reached from every other, whatever a picture looks like: up and down come to every row
    with spots, left and right to all of one row. On a lattice this alternates between lying and standing lines.
    """
    dx, dy = WAYS[way]
    side = [spot for spot in spots(picture) if (spot.at[0] - at[0]) * dx + (spot.at[1] - at[1]) * dy > 0]
    if dx:
        side = [spot for spot in side if spot.at[1] == at[1]]
    return min(side, key=lambda spot: (abs(spot.at[1] - at[1]), abs(spot.at[0] - at[0])), default=None)


def _distance(one: Point, other: Point) -> int:
    return (one[0] - other[0]) ** 2 + (TALL * (one[1] - other[1])) ** 2


def marked(picture: Picture, mark: str) -> Point | None:
    """Where the first cell with that mark is, such as the `last` move."""
    for y, cells in enumerate(picture.rows):
        x = 0
        for cell in cells:
            width = _piece(cell).width
            if mark in cell.mark.split():
                return x + (width - 1) // 2, y
            x += width
    return None


@remembered
def without_spots(picture: Picture) -> Picture:
    """The same picture where nothing can be played."""
    return Picture(tuple(tuple(replace(cell, move=None) for cell in cells) for cells in picture.rows), picture.panel)


@remembered
def size(picture: Picture) -> Point:
    """Columns and rows of the whole picture."""
    return max(map(width_of, _plain(picture)), default=0), len(picture.rows)


@remembered
def _plain(picture: Picture) -> list[Row]:
    """The picture without a cursor."""
    return [_plain_row(cells) for cells in picture.rows]


@lru_cache(maxsize=256)
def _plain_row(cells: tuple[Cell, ...]) -> Row:
    """Remembered: a key changes one row or two of a picture."""
    return tuple(_merged(map(_piece, cells)))


def drawn(picture: Picture, focus: Spot | None) -> list[Row]:
    """The picture with its cursor: a blank cell is filled with a sign there, and every cell is in reverse video."""
    rows = list(_plain(picture))
    if focus is not None:
        y = focus.at[1]
        rows[y] = tuple(_merged(_piece(cell, cell.move == focus.move) for cell in picture.rows[y]))
    return rows


def with_cursor(picture: Picture, at: Point | None, *, clicks: bool) -> list[Row]:
    """The picture with the cursor on a cell (row and cell), in reverse video; each cell can be pointed at if `clicks`.

    A cell that is in reverse video anyway is bold under the cursor; the terminal's own cursor stands there too.
    """
    rows = list(_plain(picture))
    for y, cells in enumerate(picture.rows):
        if clicks or (at is not None and at[0] == y):
            rows[y] = tuple(_merged(_cell(cell, (y, x), at, clicks=clicks) for x, cell in enumerate(cells)))
    return rows


def _cell(cell: Cell, here: Point, at: Point | None, *, clicks: bool) -> Piece:
    piece = _piece(cell)
    style = piece.style
    if here == at:
        style = "bold" if style == "reverse" else "reverse"
    return Piece(piece.text, style, f"at {here[0]} {here[1]}" if clicks else "")


def middle(picture: Picture, at: Point) -> Point:
    """Column and row of the middle of what a cell (row and cell) shows."""
    cells = picture.rows[at[0]]
    text = safe(cells[at[1]].text)
    bare = text.strip() or text
    lead = width_of([Piece(text[: text.index(bare)])]) + (width_of([Piece(bare)]) - 1) // 2
    return width_of(map(_piece, cells[: at[1]])) + lead, at[0]


def _piece(cell: Cell, under_cursor: bool = False) -> Piece:
    text = safe(cell.text)
    act = "" if cell.move is None else f"spot {cell.move}"
    if under_cursor:
        return Piece(text if text.strip() else ("#" if len(text) == 1 else "=" * len(text)), "reverse", act)
    # The last move is also named in words beside the picture, and an owner by a letter in it.
    marks = cell.mark.split()
    styles = [STYLES[mark] for mark in marks if mark in STYLES][:1]
    return Piece(text, " ".join([*styles, *(mark for mark in marks if mark in TINTED)]), act)


def _merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Neighbours that differ in nothing as one: a large board has many hundred cells."""
    merged: list[Piece] = []
    for piece in pieces:
        if merged and (merged[-1].style, merged[-1].act) == (piece.style, piece.act):
            merged[-1] = Piece(merged[-1].text + piece.text, piece.style, piece.act)
        else:
            merged.append(piece)
    return merged


def window(rows: list[Row], focus: Point | None, width: int, height: int) -> tuple[list[Row], Point]:
    """What is seen of a picture in so many cells, and how far it is scrolled to keep `focus` in sight."""
    whole = max(map(width_of, rows), default=0)
    x = _offset(focus[0] if focus else 0, whole, width)
    y = _offset(focus[1] if focus else 0, len(rows), height)
    return [_from(row, x, width) for row in rows[y : y + height]], (x, y)


def _offset(at: int, whole: int, seen: int) -> int:
    return 0 if whole <= seen else min(max(at - seen // 2, 0), whole - seen)


def _from(row: Row, x: int, width: int) -> Row:
    """The cells from `x` on. A picture is made of cells one wide; a wider character at the edge becomes a blank."""
    if x == 0 and width_of(row) <= width:
        return row
    kept: list[Piece] = []
    at = 0
    for piece in row:
        text = ""
        for char in piece.text:
            wide = Piece(char).width
            if at >= x and at + wide <= x + width:
                text += char
            elif at < x + width and at + wide > x:
                text += " "
            at += wide
        if text:
            kept.append(Piece(text, piece.style, piece.act))
    return tuple(kept)
