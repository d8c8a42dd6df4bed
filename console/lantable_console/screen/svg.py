"""A frame as a picture file: what the terminal shows, cell by cell, as SVG that any browser draws the same.

Every piece is stretched to its cells, so no font can move a column. Names in a frame are safe text; here they are
escaped as markup too.
"""

from collections.abc import Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape

from prompt_toolkit.utils import get_cwidth

from lantable_console.screen.frame import Frame, Piece, Row
from lantable_console.screen.theme import THEMES

CELL: Final = (9, 18)
"""Pixels of a cell."""
PALETTES: Final[Mapping[str, Mapping[str, str]]] = {
    "dark": {
        "paper": "#10151c", "": "#d8dee6", "bold": "#ffffff", "ansicyan": "#5cc8d8", "ansiyellow": "#e8c468",
        "ansibrightblack": "#66707c",
    },
    "light": {
        "paper": "#fbfbf8", "": "#2b2f36", "bold": "#000000", "ansiblue": "#1c4fb5", "ansired": "#b3261e",
        "ansigray": "#a8adb5",
    },
    "contrast": {"paper": "#000000", "": "#ffffff", "bold": "#ffffff"},
}  # fmt: skip
"""The paper, and what a theme calls its colours, as a terminal may show them."""


def svg(frame: Frame, theme: str = "dark") -> str:
    """The frame, with the cursor as a line under its cell."""
    palette = PALETTES[theme]
    across, down = CELL
    width, height = (frame.width + 2) * across, (len(frame.rows) + 1) * down
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f'<rect width="{width}" height="{height}" rx="6" fill="{palette["paper"]}"/>',
        f'<g font-family="monospace" font-size="15" fill="{palette[""]}" xml:space="preserve">',
    ]
    for at, row in enumerate(frame.rows):
        lines += _row(row, at, theme)
    x, y = (frame.cursor[0] + 1) * across, (frame.cursor[1] + 1) * down + down // 2 - 1
    lines += ["</g>", f'<rect x="{x}" y="{y}" width="{across}" height="2" fill="{palette["bold"]}"/>', "</svg>"]
    return "\n".join(lines) + "\n"


def _row(row: Row, at: int, theme: str) -> list[str]:
    across, down = CELL
    lines: list[str] = []
    column = 1
    for piece in row:
        cells = get_cwidth(piece.text)
        if "reverse" in piece.style.split():
            lines.append(
                f'<rect x="{column * across}" y="{at * down + down // 2}" width="{cells * across}" height="{down}" '
                f'fill="{PALETTES[theme][""]}"/>'
            )
        if piece.text.strip():
            lines.append(_text(piece, column * across, (at + 1) * down + 4, cells * across, theme))
        column += cells
    return lines


def _text(piece: Piece, x: int, y: int, length: int, theme: str) -> str:
    looks = _looks(piece.style.split(), theme)
    fit = f'textLength="{length}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x}" y="{y}" {fit}{looks}>{escape(piece.text)}</text>'


def _looks(words: Sequence[str], theme: str) -> str:
    """The attributes of a piece of this style."""
    palette = PALETTES[theme]
    made = [part for word in words for part in THEMES[theme].get(word, "").split()]
    if "reverse" in words:
        return f' fill="{palette["paper"]}"'
    color = next((palette[part] for part in made if part in palette), palette["bold"] if "bold" in words else "")
    looks = f' fill="{color}"' if color else ""
    looks += ' font-weight="bold"' if "bold" in words else ""
    return looks + (' text-decoration="underline"' if "underline" in made else "")
