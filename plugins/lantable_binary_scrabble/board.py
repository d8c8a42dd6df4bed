"""The board: 225 squares as one string of symbols, and which of them carry premiums (1.1).

Squares are numbered 0 to 224, row by row. A line is a row or a column; the same code serves both, since a line is
a slice of the string. Empty squares are dots.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

SIZE: Final = 15
SQUARES: Final = SIZE * SIZE
CENTRE: Final = SQUARES // 2
EMPTY: Final = "."

# 1.1, "counted from 0, to be mirrored in both axes".
_TRIPLE_EQUATION: Final = ((0, 0), (0, 7), (7, 0))
_DOUBLE_EQUATION: Final = ((1, 1), (2, 2), (3, 3), (4, 4), (7, 7))
_TRIPLE_TILE: Final = ((1, 5), (5, 1), (5, 5))
_DOUBLE_TILE: Final = ((0, 3), (3, 0), (2, 6), (6, 2), (6, 6), (3, 7), (7, 3))


def _spread(*kinds: tuple[int, tuple[tuple[int, int], ...]]) -> tuple[int, ...]:
    factors = [1] * SQUARES
    last = SIZE - 1
    for factor, corner in kinds:
        for row, col in corner:
            for square in ((row, col), (row, last - col), (last - row, col), (last - row, last - col)):
                factors[square[0] * SIZE + square[1]] = factor
    return tuple(factors)


EQUATION_PREMIUM: Final = _spread((3, _TRIPLE_EQUATION), (2, _DOUBLE_EQUATION))
"""By square: what an equation is multiplied by when a tile is laid there."""
TILE_PREMIUM: Final = _spread((3, _TRIPLE_TILE), (2, _DOUBLE_TILE))
"""By square: what a tile laid there is multiplied by."""


class Laid(NamedTuple):
    """One tile on its way to the board: where, and the symbol it shows."""

    row: int
    col: int
    symbol: str


class Run(NamedTuple):
    """A maximal run of tiles: its symbols, its direction and its first square."""

    text: str
    across: bool
    row: int
    col: int

    def squares(self) -> range:
        """The numbers of its squares, in reading order."""
        start, step = self.row * SIZE + self.col, 1 if self.across else SIZE
        return range(start, start + step * len(self.text), step)


@dataclass(frozen=True, slots=True)
class Board:
    """What lies on the board. Raises `ValueError` unless it is 225 squares."""

    squares: str = EMPTY * SQUARES

    def __post_init__(self) -> None:
        if len(self.squares) != SQUARES:
            raise ValueError(f"a board has {SQUARES} squares, not {len(self.squares)}")

    @property
    def empty(self) -> bool:
        """Whether no tile has been laid yet."""
        return self.squares == EMPTY * SQUARES

    def at(self, row: int, col: int) -> str:
        """The symbol on a square, or a dot."""
        return self.squares[row * SIZE + col]

    def row(self, row: int) -> str:
        """The 15 symbols of a row."""
        return self.squares[row * SIZE : (row + 1) * SIZE]

    def column(self, col: int) -> str:
        """The 15 symbols of a column."""
        return self.squares[col::SIZE]

    def with_tiles(self, laid: Iterable[Laid]) -> "Board":
        """The board with these tiles on it."""
        squares = list(self.squares)
        for tile in laid:
            squares[tile.row * SIZE + tile.col] = tile.symbol
        return Board("".join(squares))

    def run(self, row: int, col: int, *, across: bool) -> Run:
        """The maximal run of tiles through an occupied square."""
        line, at = (self.row(row), col) if across else (self.column(col), row)
        start = line.rfind(EMPTY, 0, at) + 1
        end = line.find(EMPTY, at)
        text = line[start : end if end >= 0 else SIZE]
        return Run(text, across, row, start) if across else Run(text, across, start, col)

    def touches(self, row: int, col: int) -> bool:
        """Whether a tile lies orthogonally next to a square."""
        return any(
            0 <= r < SIZE and 0 <= c < SIZE and self.at(r, c) != EMPTY
            for r, c in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1))
        )
