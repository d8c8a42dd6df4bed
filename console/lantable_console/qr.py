"""A QR code in a terminal of 80x24: two rows of it share a line of half blocks.

What is light is drawn, as a block, so that the code is dark on light where terminals are dark; scanners take it
the other way round as well.
"""

import sys
from typing import Final

import segno

from lantable.errors import Misuse
from lantable_console.language import tr

BORDER: Final = 2
"""Light modules around it: half of what the standard asks for, and enough for every scanner that was tried."""
MAX_LINES: Final = 23
"""One line of 24 is left for the cursor."""
_BLOCKS: Final = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
"""By whether the upper and the lower module are light."""


def qr_lines(text: str) -> list[str]:
    """The code as lines of equal width. Raises `Misuse` if it is too large for a screen of 24 lines."""
    code = segno.make(text, error="l", micro=False, boost_error=False)
    light = [[not module for module in row] for row in code.matrix_iter(border=BORDER)]
    if len(light) % 2:
        light.append([False] * len(light[0]))
    lines = [
        "".join(_BLOCKS[pair] for pair in zip(*rows, strict=True)) for rows in zip(light[::2], light[1::2], strict=True)
    ]
    if len(lines) > MAX_LINES:
        raise Misuse(
            tr(
                "the QR code would have {lines} lines; give the table a shorter name, or pass on the text",
                lines=len(lines),
            )
        )
    return lines


def check_terminal() -> None:
    """Raises `Misuse` if standard output cannot show half blocks."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        "".join(_BLOCKS.values()).encode(encoding)
    except UnicodeEncodeError:
        raise Misuse(
            tr(
                "a QR code cannot be shown in {encoding}; use a terminal with UTF-8, or pass on the text",
                encoding=encoding,
            )
        ) from None
