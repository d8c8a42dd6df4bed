"""A row, a column or a square of the board in words, a line each: for whoever hears a board or reads it by lines."""

import re
from collections.abc import Iterable
from typing import Final

from lantable.wording import joined
from lantable_binary_scrabble.board import EMPTY, SIZE
from lantable_binary_scrabble.notation import COLUMNS
from lantable_binary_scrabble.picture import premium_words, spoken
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import State
from lantable_binary_scrabble.tables import is_blank
from lantable_binary_scrabble.wording import msg

_PART: Final = re.compile("(?P<before>[a-o]?)(?P<row>[1-9]|1[0-5])?(?P<behind>[a-o]?)")
_SIGNS: Final = {
    "+": msg("plus"), "-": msg("minus"), "=": msg("equals"), "x": msg("times"), "*": msg("times"),
    "/": msg("divided by"), "(": msg("open parenthesis"), ")": msg("close parenthesis"),
}  # fmt: skip
"""A sign alone says little when it is heard."""


def aloud(rules: RuleSet, view: State, part: str) -> str | None:
    """`8` a row, `d` a column, `d8` or `8d` a square; None for anything else."""
    named = _PART.fullmatch(part)
    if named is None or not part or (named["before"] and named["behind"]):
        return None
    letter, row = named["before"] or named["behind"], named["row"]
    if letter and row:
        return _square(rules, view, (int(row) - 1) * SIZE + COLUMNS.index(letter.upper()))
    if row:
        start = (int(row) - 1) * SIZE
        said = _tiles(rules, view, zip(COLUMNS, range(start, start + SIZE), strict=True))
        return msg("row {row}: {tiles}", row=row, tiles=said)
    numbers = (str(number + 1) for number in range(SIZE))
    column = range(COLUMNS.index(letter.upper()), SIZE * SIZE, SIZE)
    return msg(
        "column {column}: {tiles}", column=letter.upper(), tiles=_tiles(rules, view, zip(numbers, column, strict=True))
    )


def _tiles(rules: RuleSet, view: State, squares: Iterable[tuple[str, int]]) -> str:
    """What lies on some squares, each behind its name; empty ones are left out."""
    there = [(name, view.board.squares[square]) for name, square in squares]
    said = [msg("{square} {tile}", square=name, tile=_tile(rules, tile)) for name, tile in there if tile != EMPTY]
    return joined(", ", said) if said else msg("empty")


def _tile(rules: RuleSet, symbol: str) -> str:
    shown = spoken(rules, symbol)
    said = _SIGNS.get(shown, shown)
    return msg("{tile} on a blank", tile=said) if is_blank(symbol) else said


def _square(rules: RuleSet, view: State, square: int) -> str:
    name, symbol = f"{COLUMNS[square % SIZE]}{square // SIZE + 1}", view.board.squares[square]
    if symbol == EMPTY:
        worth = premium_words(square)
        return (
            msg("{square}: empty, {worth}", square=name, worth=worth) if worth else msg("{square}: empty", square=name)
        )
    tile = _tile(rules, symbol)
    if square in view.last:
        return msg("{square}: {tile}, of the last move", square=name, tile=tile)
    return msg("{square}: {tile}", square=name, tile=tile)
