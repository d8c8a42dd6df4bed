"""A whole screen as rows of pieces, cut to size by cells.

A name may hold characters two cells wide, so nothing here counts characters. A style is words: `bold` and `reverse`
survive NO_COLOR, the others are roles, which `theme` may colour; nothing is told by a style that is not also told by a
sign or a word.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from prompt_toolkit.utils import get_cwidth

from lantable.text import safe_text

WIDEST: Final = 1000
"""Characters of one line of anything."""


@lru_cache(maxsize=8192)
def safe(text: str) -> str:
    """`safe_text`, remembered: the same few cells are drawn again and again."""
    return safe_text(text, WIDEST)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of one style. `act` is what a click on it does, as `app.Screen.click` reads it."""

    text: str
    style: str = ""
    act: str = ""

    @property
    def width(self) -> int:
        return get_cwidth(self.text)


Row = tuple[Piece, ...]
BLANK: Final[Row] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """The screen: exactly `height` rows, none wider than `width` cells."""

    rows: tuple[Row, ...]
    width: int
    cursor: tuple[int, int] = (0, 0)
    """Column and row of the terminal's own cursor while nothing is being typed; screen readers follow it."""
    line: int | None = None
    """The row of the input line, if there is room for one."""
    prompt: str = ""
    """What stands before what is typed."""

    def text(self) -> list[str]:
        """The rows as plain lines."""
        return ["".join(piece.text for piece in row).rstrip() for row in self.rows]


def row(*pieces: Piece | str) -> Row:
    made = (Piece(piece) if isinstance(piece, str) else piece for piece in pieces)
    return tuple(piece for piece in made if piece.text)


def width_of(pieces: Iterable[Piece]) -> int:
    return sum(piece.width for piece in pieces)


def cut(text: str, width: int) -> str:
    """`text` in at most `width` cells; two full stops at its end tell that something is missing."""
    if get_cwidth(text) <= width:
        return text
    kept, used, mark = "", 0, ".." if width > 4 else ""
    for char in text:
        used += get_cwidth(char)
        if used > width - len(mark):
            break
        kept += char
    return kept + mark


def clipped(pieces: Iterable[Piece], width: int) -> Row:
    """A row in at most `width` cells."""
    kept: list[Piece] = []
    for piece in pieces:
        if width <= 0:
            break
        if piece.width > width:
            kept.append(Piece(cut(piece.text, width), piece.style, piece.act))
            break
        kept.append(piece)
        width -= piece.width
    return tuple(kept)


def padded(pieces: Iterable[Piece], width: int) -> Row:
    """A row in exactly `width` cells."""
    kept = clipped(pieces, width)
    left = width - width_of(kept)
    return (*kept, Piece(" " * left)) if left > 0 else kept


def between(left: str, right: str, width: int, style: str = "", right_style: str = "") -> Row:
    """Two texts at the ends of a row; where both do not fit, the left one is cut."""
    right = cut(right, width)
    room = width - get_cwidth(right)
    left = cut(left, max(room - 1, 0))
    return row(Piece(left + " " * (room - get_cwidth(left)), style), Piece(right, right_style or style))


def rule(width: int) -> Row:
    return row(Piece("-" * width, "dim drawn"))


def wrapped(text: str, width: int, hang: int = 2) -> list[str]:
    """`text` as lines of at most `width` cells, broken at spaces if there are any; all but the first are indented."""
    if width <= hang + 1:
        return [cut(text, max(width, 0))]
    lines: list[str] = []
    rest = text
    while True:
        indent = " " * hang if lines else ""
        room = width - len(indent)
        if get_cwidth(rest) <= room:
            return [*lines, indent + rest]
        kept = _fitting(rest, room)
        at = kept.rfind(" ")
        kept = kept if at <= hang or rest[len(kept) : len(kept) + 1] == " " else kept[:at]
        lines.append(indent + kept.rstrip())
        rest = rest[len(kept) :].lstrip()


def _fitting(text: str, width: int) -> str:
    used = 0
    for at, char in enumerate(text):
        used += get_cwidth(char)
        if used > width:
            return text[:at] or text[:1]
    return text


def stacked(rows: Sequence[Row], height: int) -> list[Row]:
    """Exactly `height` rows: cut at the end, or with blank ones after them."""
    return [*rows[:height], *[BLANK] * (height - len(rows))]


def beside(left: Sequence[Row], right: Sequence[Row], at: int, width: int) -> list[Row]:
    """Two columns with a line of bars between them; the left one has `at` cells."""
    height = max(len(left), len(right))
    return [
        (*padded(one, at), *clipped((Piece("| ", "dim drawn"), *other), width - at))
        for one, other in zip(stacked(left, height), stacked(right, height), strict=True)
    ]
