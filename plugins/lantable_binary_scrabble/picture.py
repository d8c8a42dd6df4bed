"""A position as a person sees it: a board of 15 rows, two to four columns a square, and the panel beside it.

Empty squares show their premium by a letter. A blank shows its face and `*`, or a word in lower case; in two columns a
word is its sign, which the panel explains. Tiles that are not played yet stand in brackets where there is room, and
are marked where there is not. Nothing is told by style alone: what is last and what is loose is also told in words.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from lantable.dealing import HIDDEN
from lantable.game import Cell, Look, Picture
from lantable_binary_scrabble.board import CENTRE, EMPTY, EQUATION_PREMIUM, SIZE, SQUARES, TILE_PREMIUM, Board, Laid
from lantable_binary_scrabble.notation import COLUMNS, show_faces
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import State
from lantable_binary_scrabble.tables import face_of, is_blank
from lantable_binary_scrabble.wording import msg, msgs

_MARGIN: Final = 3
_CELLS: Final = (4, 3, 2)
"""Columns a square may have, widest first."""
_USUAL: Final = 3
WIDTHS: Final = tuple(_MARGIN + SIZE * cell for cell in _CELLS)
"""Columns of the pictures there are."""
_PREMIUMS: Final = msg("T D: 3x 2x the equation   t d: 3x 2x the tile   * start")
_SHORT_PREMIUMS: Final = (msg("T 3x equation  t 3x tile"), msg("D 2x equation  d 2x tile"))
_OTHER_SIGNS: Final = {
    "&": "\u2227", "|": "\u2228", "!": "\u00ac", "^": "\u2295", "x": "\u00d7", "/": "\u00f7", "-": "\u2212",
    EMPTY: "\u00b7", "*": "\u2605",
}  # fmt: skip
"""What stands for a sign where others than ASCII are wished for; words stay words."""


def picture(rules: RuleSet, view: State) -> Picture:
    """16 rows of 48 columns, and a panel that says everything."""
    plain, rich = (board_rows(rules, view.board, (), view.last, _USUAL, unicode) for unicode in (False, True))
    rows = tuple(
        tuple(replace(cell, rich=other.text) for cell, other in zip(*pair, strict=True))
        for pair in zip(plain, rich, strict=True)
    )
    bag = msg("bag {bag}, scoreless turns in a row {scoreless}", bag=view.bag, scoreless=view.scoreless)
    return Picture(rows, (*_seats(rules, view), bag, *_course(view), *_turn(view), _PREMIUMS))


def fitted(rules: RuleSet, view: State, look: Look, laid: tuple[Laid, ...] = (), *, racks: bool = True) -> Picture:
    """The board with some tiles on their way to it, in the widest of three widths; the panel is short.

    Without `racks`: they are shown elsewhere.
    """
    cell = next((cell for cell, width in zip(_CELLS, WIDTHS, strict=True) if width <= look.columns), _CELLS[-1])
    rows = board_rows(rules, view.board, laid, view.last, cell, look.unicode)
    seen = [
        msg("player {seat}: {rack}", seat=seat + 1, rack=_rack(rules, rack))
        for seat, rack in enumerate(view.racks)
        if _is_seen(rack)
    ]
    signs = _signs(rules, look) if cell == _CELLS[-1] else ()
    most = rules.settings.scoreless_limit * len(view.seats_in())
    bag = msg("bag {bag}", bag=view.bag) + (
        msg(", scoreless {scoreless} of {most}", scoreless=view.scoreless, most=most) if view.scoreless else ""
    )
    return Picture(rows, (*(seen if racks else ()), bag, *_course(view), *_SHORT_PREMIUMS, *signs))


def board_rows(
    rules: RuleSet, board: Board, laid: tuple[Laid, ...], last: tuple[int, ...], cell: int, unicode: bool
) -> tuple[tuple[Cell, ...], ...]:
    """The letters of the columns, and 15 rows of squares behind their number."""
    squares = board.with_tiles(laid).squares
    loose = frozenset(tile.row * SIZE + tile.col for tile in laid)
    letters = (Cell(_placed(letter, cell)) for letter in COLUMNS)
    rows: list[tuple[Cell, ...]] = [(Cell(" " * _MARGIN), *letters)]
    for start in range(0, SQUARES, SIZE):
        row, here = squares[start : start + SIZE], range(start, start + SIZE)
        rows.append(
            _row(rules, start, row, loose.intersection(here), frozenset(last).intersection(here), cell, unicode)
        )
    return tuple(rows)


@lru_cache(maxsize=64)
def _row(
    rules: RuleSet, start: int, symbols: str, loose: frozenset[int], last: frozenset[int], cell: int, unicode: bool
) -> tuple[Cell, ...]:
    """A row behind its number. Remembered, since a key changes one row or two."""
    cells, before = [Cell(f"{start // SIZE + 1:2} ")], ""
    for square, symbol in enumerate(symbols, start):
        text = "" if symbol == EMPTY else _tile(rules, symbol, cell, unicode)
        # Two words that fill their squares would read as one.
        apart = "apart" if len(before) == len(text) == cell else ""
        if not text:
            cells.append(_premium(square, cell, unicode))
        elif square in loose:
            cells.append(_loose(text, cell))
        else:
            cells.append(Cell(_placed(text, cell), "last" if square in last else apart))
        before = text
    return tuple(cells)


def _loose(text: str, cell: int) -> Cell:
    """A tile that is not played yet: in brackets, or marked where those find no room."""
    if len(text) + 2 <= cell:
        return Cell(_placed(f"[{text}]", cell))
    return Cell(_placed(text, cell), "loose")


def _placed(text: str, cell: int) -> str:
    """A text in its square: to the right of two columns, in the middle of three, behind a gap in four."""
    return text.rjust(cell) if cell < _USUAL else text.center(_USUAL).rjust(cell)


def _premium(square: int, cell: int, unicode: bool) -> Cell:
    sign = {2: "D", 3: "T"}.get(EQUATION_PREMIUM[square]) or {2: "d", 3: "t"}.get(TILE_PREMIUM[square]) or EMPTY
    sign = "*" if square == CENTRE else sign
    shown = _OTHER_SIGNS.get(sign, sign) if unicode else sign
    return Cell(_placed(shown, cell), "" if sign == EMPTY else "premium")


def _tile(rules: RuleSet, symbol: str, cell: int, unicode: bool) -> str:
    """A laid tile in at most so many columns."""
    shown = shown_tile(rules, face_of(symbol), unicode, words=cell >= _USUAL)
    if not is_blank(symbol):
        return shown
    return f"{shown}*" if len(shown) == 1 else shown.lower()


def shown_tile(rules: RuleSet, tile: str, unicode: bool, *, words: bool) -> str:
    """A tile by its word or sign."""
    shown = spoken(rules, tile) if words or tile == HIDDEN else show_faces(rules, tile)
    return _OTHER_SIGNS.get(shown, shown) if unicode else shown


def spoken(rules: RuleSet, tile: str) -> str:
    """A tile as people call it: a word if it has one."""
    return show_faces(rules, tile, words=True) if tile != HIDDEN else HIDDEN


# -- the panel


def premium_words(square: int) -> str:
    """What an empty square multiplies; "" if nothing."""
    equation, tile = EQUATION_PREMIUM[square], TILE_PREMIUM[square]
    return (
        msg("{equation}x the equation", equation=equation)
        if equation > 1
        else msg("{tile}x the tile", tile=tile)
        if tile > 1
        else ""
    )


def _seats(rules: RuleSet, view: State) -> Iterator[str]:
    for seat, score in enumerate(view.scores):
        pointer = ">" if seat == view.to_move else " "
        out = msg(", out") if seat in view.out else ""
        yield msg(
            "{pointer} player {seat}  {score} points{out}  {rack}",
            pointer=pointer,
            seat=seat + 1,
            score=score,
            out=out,
            rack=_rack(rules, view.racks[seat]),
        )


def _rack(rules: RuleSet, rack: str) -> str:
    known = " ".join(spoken(rules, tile) for tile in rack if tile != HIDDEN)
    if not (hidden := rack.count(HIDDEN)):
        return msg("rack {tiles}", tiles=known) if rack else msg("rack empty")
    if known:
        return msgs("rack {tiles} and {n} hidden tile", "rack {tiles} and {n} hidden tiles", hidden, tiles=known)
    return msgs("{n} tile", "{n} tiles", hidden)


def _is_seen(rack: str) -> bool:
    return any(tile != HIDDEN for tile in rack)


def _course(view: State) -> Iterator[str]:
    """What there is to say about a play that may be challenged, and the end."""
    if view.pending is not None:
        yield msg(
            "player {seat} laid tiles for {score}: challenge, accept, or move on",
            seat=view.pending.seat + 1,
            score=view.pending.score,
        )
    if view.phase == "over":
        yield msg("the game is over ({how})", how=view.how) if view.how else msg("the game is over")
    elif view.to_move is None:
        yield msg("something is still to be drawn")


def _turn(view: State) -> Iterator[str]:
    if view.to_move is not None:
        yield msg("player {to_move} to move", to_move=view.to_move + 1)


def _signs(rules: RuleSet, look: Look) -> tuple[str, ...]:
    """What the signs of words mean, where only the signs find room."""
    named = [(show_faces(rules, tile), spoken(rules, tile)) for tile in rules.tiles]
    shown = [f"{_OTHER_SIGNS.get(sign, sign) if look.unicode else sign} {word}" for sign, word in named if sign != word]
    return ("  ".join(shown),) if shown else ()
