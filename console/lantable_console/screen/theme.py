"""The colours of the full screen, in three themes, and the signs of Unicode, for whoever wants them.

A piece of the screen says what it *is* (`Piece.style`): `bold`, `reverse` and `underline` hold in every theme and
survive NO_COLOR; every other word is a role that a theme may colour. So nothing is told by hue alone: a role without
such a word beside it is also told by a letter or a word on the screen. `dark` and `light` use the terminal's own
palette and leave its background alone, with two hues at most; `contrast` is white on black and nothing else.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

from prompt_toolkit.styles import Style

from lantable.game import Cell, Picture
from lantable_console.screen.frame import Piece, Row, width_of
from lantable_console.screen.picture import remembered

PLAIN: Final = frozenset({"bold", "reverse", "underline"})
"""Words of a style that hold in every theme."""

THEMES: Final[Mapping[str, Mapping[str, str]]] = {
    "dark": {
        "head": "ansicyan", "last": "ansiyellow", "due": "ansiyellow", "key": "ansicyan", "seat0": "ansicyan",
        "seat1": "ansiyellow", "dim": "ansibrightblack", "alarm": "ansiyellow",
    },
    "light": {
        "head": "ansiblue", "last": "ansired", "due": "ansired", "key": "ansiblue", "seat0": "ansiblue",
        "seat1": "ansired", "dim": "ansigray", "alarm": "ansired",
    },
    "contrast": {
        "screen": "bg:#000000 #ffffff", "last": "underline", "due": "underline", "key": "underline",
    },
}  # fmt: skip
"""Role -> what prompt_toolkit makes of it."""

UNICODE: Final = str.maketrans({"-": "─", "|": "│", "#": "█", ".": "░"})
"""Signs that the screen itself draws: rules, bars, the timeline."""


@cache
def style(theme: str) -> Style:
    """A theme as prompt_toolkit has it."""
    return Style.from_dict(dict(THEMES[theme]))


@cache
def fragment(words: str) -> str:
    """The words of a piece as prompt_toolkit reads them: roles are its classes."""
    return " ".join(word if word in PLAIN else f"class:{word}" for word in words.split())


def signed(row: Row) -> Row:
    """A row with Unicode's signs where the screen itself drew some."""
    if all("drawn" not in piece.style for piece in row):
        return row
    return tuple(
        Piece(piece.text.translate(UNICODE), piece.style, piece.act) if "drawn" in piece.style.split() else piece
        for piece in row
    )


@remembered
def enriched(picture: Picture) -> Picture:
    """A game's picture with the Unicode it offers, as far as that is as wide as what stands there without."""
    return Picture(tuple(tuple(map(_rich, cells)) for cells in picture.rows), picture.panel)


def _rich(cell: Cell) -> Cell:
    if not cell.rich or width_of((Piece(cell.rich),)) != width_of((Piece(cell.text),)):
        return cell
    return Cell(cell.rich, cell.mark, cell.move)
