"""What may reach a terminal: `safe_text`, the one gate for every string that a peer or a file supplied.

Control bytes move the cursor, bidirectional marks turn text around, zero-width characters hide in names.
`str.isprintable` is False for C0, C1, Cf, line and paragraph separators and unassigned code points; those are
replaced, and with them the fillers and variation selectors that count as printable but show nothing
(Unicode's Default_Ignorable_Code_Point). Raw bytes stay in the signed record: sanitising happens only at display.
"""

import re
import unicodedata
from typing import Final

NAME_LENGTH: Final = 24
REPLACEMENT: Final = "?"
_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Default ignorable yet printable; U+2800, the empty braille cell, is a blank by another name."""


def safe_text(text: str, longest: int = 200) -> str:
    """`text` made inert: one line, printable, at most `longest` characters and few combining marks in a row."""
    kept: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", text[: 4 * longest]):
        # A pile of combining marks paints over neighbouring lines; three in a row (Burmese) is what names need.
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= 3:
            kept.append(char if char.isprintable() and not _INVISIBLE.match(char) else REPLACEMENT)
    if len(kept) > longest:
        kept[longest - 1 :] = "…"
    return "".join(kept)


def safe_name(text: str) -> str:
    """A player's or table's name for display: `safe_text`, trimmed, at most 24 characters, never empty."""
    return safe_text(text, NAME_LENGTH).strip() or "(no name)"


def fold(word: str) -> str:
    """A typed word as it is compared: without regard to case, and with one i.

    Turkish has two, and their capitals are crossed over: `QUIT` in lower case is `quıt` there, and `quit` in capitals
    is `QUİT`. Whoever types a command means the one i that it has.
    """
    return word.replace("İ", "i").replace("I", "i").replace("ı", "i").casefold().replace("i\u0307", "i")
