"""The lattice: `rows` x `cols` boxes between (rows + 1) x (cols + 1) dots.

Dots are named by column letter and row number from the top left: a1. A line is its upper or left dot and a
direction: a1r to the right, a1d down. Lines are also numbered, horizontal ones first, row by row, then the
vertical ones, row by row; a set of lines is an int whose bit i stands for line i. Boxes are numbered row by row.

    a1 -0- b1 -1- c1
     |      |      |      rows=1, cols=2: lines 0 to 3 lie, lines 4 to 6 stand.
     4  0   5  1   6      Box 0 has the sides 0, 2, 4 and 5.
     |      |      |
    a2 -2- b2 -3- c2
"""

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from lantable.errors import IllegalMove, Misuse
from lantable.text import fold, safe_text
from lantable_dots_and_boxes.wording import msg

SMALLEST: Final = 1
LARGEST: Final = 12
_DOT: Final = "([a-z])([1-9][0-9]?)"
_TYPED: Final = re.compile(f"{_DOT} *(?:([rd])|-? *{_DOT})")

Dot = tuple[int, int]
"""Row and column of a dot, from 0 at the top left."""


@dataclass(frozen=True)
class Board:
    """The lattice of one size. Raises `Misuse` outside 1x1 to 12x12. Equal sizes are equal boards.

    Tables are built once, when first asked for; get boards from `board()`, so that each is built once in all.
    """

    rows: int
    cols: int

    def __post_init__(self) -> None:
        if not all(SMALLEST <= side <= LARGEST for side in (self.rows, self.cols)):
            raise Misuse(
                msg(
                    "a board has {smallest}x{smallest} to {largest}x{largest} boxes, not {size}",
                    smallest=SMALLEST,
                    largest=LARGEST,
                    size=self,
                )
            )

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}"

    @property
    def boxes(self) -> int:
        """How many boxes there are."""
        return self.rows * self.cols

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Line number -> canonical notation."""
        across = [_name((row, col)) + "r" for row in range(self.rows + 1) for col in range(self.cols)]
        down = [_name((row, col)) + "d" for row in range(self.rows) for col in range(self.cols + 1)]
        return (*across, *down)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Canonical notation -> line number."""
        return {name: line for line, name in enumerate(self.names)}

    @cached_property
    def full(self) -> int:
        """The set of all lines."""
        return (1 << len(self.names)) - 1

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """Box number -> the set of its four lines."""
        return tuple(
            1 << self.across(row, col)
            | 1 << self.across(row + 1, col)
            | 1 << self.down(row, col)
            | 2 << self.down(row, col)
            for row in range(self.rows)
            for col in range(self.cols)
        )

    @cached_property
    def beside(self) -> tuple[tuple[int, ...], ...]:
        """Line number -> the one or two boxes it borders."""
        return tuple(
            tuple(box for box, sides in enumerate(self.sides) if sides >> line & 1) for line in range(len(self.names))
        )

    def closed(self, lines: int) -> int:
        """The set of boxes with all four sides in `lines`: bit i is box i. A few operations on whole sets."""
        # A set of lines and the same set moved by one row, or one column, meet where two opposite sides are drawn.
        above_and_below = lines & lines >> self.cols
        left_and_right = lines >> self.down(0, 0)
        left_and_right &= left_and_right >> 1
        # A row has one standing line more than it has boxes: the last one, which comes first in the digits.
        width = self.cols + 1
        digits = bytearray(f"{left_and_right:0{self.rows * width}b}", "ascii")
        del digits[::width]
        return int(digits, 2) & above_and_below

    def across(self, row: int, col: int) -> int:
        """Number of the line from dot (row, col) to the right."""
        return row * self.cols + col

    def down(self, row: int, col: int) -> int:
        """Number of the line from dot (row, col) down."""
        return (self.rows + 1) * self.cols + row * (self.cols + 1) + col

    def parse(self, text: str) -> str:
        """What a person typed as canonical notation: `a1r`, `a1-b1`, `b1-a1`, `a1b1`, in any case, spaces around.

        Raises `IllegalMove` with code `notation`, `off_board` or `not_neighbours`.
        """
        if text in self.numbers:
            return text
        match = _TYPED.fullmatch(fold(text.strip()))
        if match is None:
            raise IllegalMove(
                "notation",
                msg(
                    "{text} is no line; type a dot and right or down, such as a1r or a1d, or two dots, such as a1-b1",
                    text=repr(safe_text(text, 20)),
                ),
            )
        one, other = _ends(*match.groups())
        self._check_on_board(one, other)
        self._check_neighbours(one, other)
        return _name(min(one, other)) + ("r" if one[0] == other[0] else "d")

    def _check_on_board(self, *dots: Dot) -> None:
        for row, col in dots:
            if row > self.rows or col > self.cols:
                corner = _name((self.rows, self.cols))
                raise IllegalMove(
                    "off_board",
                    msg(
                        "this board has no dot {dot}; choose among its dots, a1 to {corner}",
                        dot=_name((row, col)),
                        corner=corner,
                    ),
                )

    def _check_neighbours(self, one: Dot, other: Dot) -> None:
        # "Draw exactly one line between two orthogonally neighbouring dots. Diagonals, longer lines ... are refused."
        near = [dot for dot in self._neighbours(one) if dot[0] <= self.rows and dot[1] <= self.cols and min(dot) >= 0]
        if other not in near:
            raise IllegalMove(
                "not_neighbours",
                msg(
                    "{one} and {other} are not neighbours; from {one} draw to {dots}",
                    one=_name(one),
                    other=_name(other),
                    dots=" or ".join(map(_name, near)),
                ),
            )

    @staticmethod
    def _neighbours(dot: Dot) -> list[Dot]:
        row, col = dot
        return [(row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)]


@cache
def board(rows: int, cols: int) -> Board:
    """The board of that size, shared. Raises `Misuse`."""
    return Board(rows, cols)


def _ends(col: str, row: str, way: str | None, to_col: str | None, to_row: str | None) -> tuple[Dot, Dot]:
    """The two dots of what `_TYPED` matched."""
    dot = _dot(col, row)
    if to_col is not None and to_row is not None:
        return dot, _dot(to_col, to_row)
    return dot, (dot[0], dot[1] + 1) if way == "r" else (dot[0] + 1, dot[1])


def _dot(col: str, row: str) -> Dot:
    return int(row) - 1, ord(col) - ord("a")


def _name(dot: Dot) -> str:
    row, col = dot
    return f"{chr(ord('a') + col)}{row + 1}"
