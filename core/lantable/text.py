"""What may reach a terminal: `safe_text`, the one gate for every string that a peer or a file supplied.

Control bytes move the cursor, bidirectional marks turn text around, zero-width characters hide in names.
`str.isprintable` is False for all of them (C0, C1, Cf, line and paragraph separators) and for unassigned
code points; those are replaced. Raw bytes stay in the signed record: sanitising happens only at display.
"""

import unicodedata
from typing import Final

NAME_LENGTH: Final = 24
REPLACEMENT: Final = "?"


def safe_text(text: str, longest: int = 200) -> str:
    """`text` made inert: one line, printable, at most `longest` characters and few combining marks in a row."""
    kept: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", text[: 4 * longest]):
        # A pile of combining marks paints over neighbouring lines; two in a row is more than names need.
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= 2:
            kept.append(char if char.isprintable() else REPLACEMENT)
    if len(kept) > longest:
        kept[longest - 1 :] = "…"
    return "".join(kept)


def safe_name(text: str) -> str:
    """A player's or table's name for display: `safe_text`, trimmed, at most 24 characters, never empty."""
    return safe_text(text, NAME_LENGTH).strip() or "(no name)"
