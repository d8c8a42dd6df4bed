"""The decimal shadow: every equation on the board once more, with its numbers in base ten, for learners.

Only numbers are changed. Operators keep their names in every language.
"""

import re
from collections.abc import Iterator
from typing import Final

from lantable_binary_scrabble.board import EMPTY, SIZE, Board, Run
from lantable_binary_scrabble.notation import COLUMNS, show_faces
from lantable_binary_scrabble.ruleset import RuleSet

_NUMBER: Final = re.compile("[01]+")
_EQUALS: Final = "=H"
"""As people type it, upright or turned."""


def shadow(rules: RuleSet, board: Board) -> Iterator[str]:
    """`8F  1+1=10  is  1+1=2`, a line for each run that states an equation; none where numbers are decimal anyway."""
    if rules.kind.base != 2:
        return
    for run in _runs(board):
        text = show_faces(rules, run.text, words=True)
        if any(sign in text for sign in _EQUALS):
            square = f"{run.row + 1}{COLUMNS[run.col]}" if run.across else f"{COLUMNS[run.col]}{run.row + 1}"
            yield f"{square}  {text}  is  {in_decimal(text)}"


def in_decimal(text: str) -> str:
    """A text with each binary number in base ten."""
    return _NUMBER.sub(lambda number: str(int(number[0], 2)), text)


def _runs(board: Board) -> Iterator[Run]:
    """Every maximal run of two tiles or more, rows first."""
    for across in (True, False):
        for line in range(SIZE):
            symbols = board.row(line) if across else board.column(line)
            for at in range(SIZE):
                if symbols[at] != EMPTY and (at == 0 or symbols[at - 1] == EMPTY):
                    run = board.run(line, at, across=True) if across else board.run(at, line, across=False)
                    if len(run.text) > 1:
                        yield run
