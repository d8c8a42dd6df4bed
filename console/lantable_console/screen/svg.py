"""A frame as a picture file: what the terminal shows, cell by cell, as SVG that any browser draws the same.

Every piece is stretched to its cells, so no font can move a column. Names in a frame are safe text; here they are
escaped as markup too.
"""

from typing import Final
from xml.sax.saxutils import escape

from prompt_toolkit.utils import get_cwidth

from lantable_console.screen.frame import Frame, Piece, Row

CELL: Final = (9, 18)
"""Pixels of a cell."""
PAPER: Final = "#10151c"
INK: Final = "#d8dee6"
BOLD: Final = "#ffffff"


def svg(frame: Frame) -> str:
    """The frame, with the cursor as a line under its cell."""
    across, down = CELL
    width, height = (frame.width + 2) * across, (len(frame.rows) + 1) * down
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f'<rect width="{width}" height="{height}" rx="6" fill="{PAPER}"/>',
        f'<g font-family="monospace" font-size="15" fill="{INK}" xml:space="preserve">',
    ]
    for at, row in enumerate(frame.rows):
        lines += _row(row, at)
    x, y = (frame.cursor[0] + 1) * across, (frame.cursor[1] + 1) * down + down // 2 - 1
    lines += ["</g>", f'<rect x="{x}" y="{y}" width="{across}" height="2" fill="{BOLD}"/>', "</svg>"]
    return "\n".join(lines) + "\n"


def _row(row: Row, at: int) -> list[str]:
    across, down = CELL
    lines: list[str] = []
    column = 1
    for piece in row:
        cells = get_cwidth(piece.text)
        if piece.style == "reverse":
            lines.append(
                f'<rect x="{column * across}" y="{at * down + down // 2}" width="{cells * across}" height="{down}" '
                f'fill="{INK}"/>'
            )
        if piece.text.strip():
            lines.append(_text(piece, column * across, (at + 1) * down + 4, cells * across))
        column += cells
    return lines


def _text(piece: Piece, x: int, y: int, length: int) -> str:
    looks = {"reverse": f' fill="{PAPER}"', "bold": f' fill="{BOLD}" font-weight="bold"'}.get(piece.style, "")
    fit = f'textLength="{length}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x}" y="{y}" {fit}{looks}>{escape(piece.text)}</text>'
