"""Moves, expressions and positions as text: what people type, what is written, and the way back.

Expressions. Typed text uses the tile codes, or words and signs for operators in either case: `1 AND 1 = 1`,
`10*11=110`, `1xor1`. The longest word is read first, and words are recognised even when their plugin is off. A
turned equals sign is typed `H`; its code `E` is never typed, "so the Italian `100 E 1` is refused rather than read
as 100111".

Moves. `8D 1+1=10` starts in row 8, column D and goes across; `D8 …` goes down. The canonical form names the tiles laid
and nothing else, in typed signs without spaces, a blank as its face followed by `?`. Tiles already there may be
typed in parentheses and are then compared with the board if one is given. `-01=` exchanges; `-__` exchanges two
tiles without telling which; `pass`, `challenge`, `accept`.

Positions. The whole state in one line, and back: `read_position(rules, show_position(state)) == state`.
"""

import re
from functools import lru_cache
from typing import Final

from lantable.dealing import HIDDEN, Draw, Reveal, Swap, Toss, Want
from lantable.errors import IllegalMove, Untrusted
from lantable_binary_scrabble.board import EMPTY, SIZE, Board
from lantable_binary_scrabble.expression import MAX_TEXT
from lantable_binary_scrabble.placement import Placement
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import (
    PHASES,
    Exchange,
    Move,
    Pending,
    State,
    Word,
)
from lantable_binary_scrabble.tables import BLANK, as_blank, face_of, is_blank
from lantable_binary_scrabble.wording import msg

MAX_MOVE: Final = 256
"""Longest typed move, in characters."""
COLUMNS: Final = "ABCDEFGHIJKLMNO"
_WORDS: Final = {"AND": "&", "OR": "|", "NOT": "!", "XOR": "^"}
SIGNS: Final = {"*": "x", "X": "x", "\u00d7": "x", "\u00f7": "/", "\u2212": "-", "\u00b2": "s", "\u221a": "r"}
"""Signs that may be typed for codes."""
_NEVER: Final = "\u2205"
"""What a code becomes that may not be typed: a sign no rule set can have."""
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
"""Symbols of blanks live there; nobody types them."""


# -- expressions


@lru_cache(maxsize=64)
def _spellings(rules: RuleSet) -> tuple[dict[str, str], re.Pattern[str]]:
    """What may be typed, in capitals -> code; and a pattern that finds the longest of them."""
    table = dict(SIGNS)
    table |= {face.upper(): face for face in rules.symbols_read}
    table |= _WORDS
    table |= {word.upper(): code for code, words in rules.words.items() for word in words}
    table |= {face.code: _NEVER for face in rules.faces.values()}
    table |= {face.typed.upper(): face.code for face in rules.faces.values()}
    longest_first = sorted(table, key=lambda spelling: (-len(spelling), spelling))
    return table, re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)


def read_faces(rules: RuleSet, text: str) -> str:
    """Typed text as tile codes, for `judge`. Never raises; what is no sign stays as it is and will be `bad_symbol`.

    "Spaces are ignored, but not between two digits": there one is kept, which `judge` calls `syntax`.
    """
    if len(text) > MAX_TEXT:
        return text  # which `judge` refuses by its length alone
    table, pattern = _spellings(rules)
    spaced = re.sub(r"(?<=[0-9])\s+(?=[0-9])", "\0", _PRIVATE.sub(_NEVER, text))
    joined = "".join(spaced.split()).replace("\0", " ")
    return pattern.sub(lambda found: table.get(found[0].upper(), found[0]), joined)


def show_faces(rules: RuleSet, text: str, *, words: bool = False) -> str:
    """Symbols as people write them: `1&1` or, with words, `1 AND 1`; a turned equals as it is typed."""
    turned = {face.code: face.typed for face in rules.faces.values()}
    named = {code: words[0] for code, words in rules.words.items() if words[0].isalpha()}
    shown = [turned.get(face, face) for face in map(face_of, text)]
    if words:
        shown = [f" {named[face]} " if face in named else face for face in shown]
    return " ".join("".join(shown).split()) if words else "".join(shown)


# -- moves


def read_move(rules: RuleSet, text: str, board: Board | None = None) -> Move:
    """A typed or written move. Raises `IllegalMove("notation")`, and `bad_symbol` for signs no tile shows.

    With a board, tiles in parentheses must be those that lie there.
    """
    if len(text) > MAX_MOVE:
        raise _unreadable(msg("a move is not that long"))
    text = text.strip()
    if text.lower() in ("pass", "challenge", "accept"):
        return Word(text.lower())
    if text.startswith("-"):
        return Exchange(_read_tiles(rules, text[1:]))
    return _read_placement(rules, text, board)


def _unreadable(why: str) -> IllegalMove:
    return IllegalMove(
        "notation", msg("{why}; a move looks like 8D 1+1=10 (across), D8 1+1=10 (down), -01 or pass", why=why)
    )


def _read_tiles(rules: RuleSet, text: str) -> str:
    tiles = read_faces(rules, text.replace(" ", ""))
    if odd := [tile for tile in tiles if tile not in rules.tiles and tile != HIDDEN]:
        raise IllegalMove("bad_symbol", msg("there is no tile {odd}", odd=repr(odd[0])))
    return "".join(sorted(tiles))


_PLACE: Final = re.compile(
    r"(?:(1[0-5]|[1-9])([A-O])|([A-O])(1[0-5]|[1-9]))(?:\s+|(?=\())(.*)", re.IGNORECASE | re.DOTALL
)
_PIECES: Final = re.compile(r"\(([^()]*)\)|([^()]+)|(.)", re.DOTALL)


def _read_placement(rules: RuleSet, text: str, board: Board | None) -> Placement:
    match = _PLACE.fullmatch(text)
    if match is None:
        raise _unreadable(msg("that names no square"))
    across = match[1] is not None
    row = int(match[1] or match[4]) - 1
    col = COLUMNS.index((match[2] or match[3]).upper())
    pieces = [("", match[5])] if set("()") & rules.symbols_read else _pieces(match[5])
    laid, at = "", 0
    start = None
    for there, tiles in pieces:
        if there:
            symbols = _symbols(rules, there)
            _compare(rules, board, (row, col + at) if across else (row + at, col), symbols, across=across)
            at += len(symbols)
        elif symbols := _symbols(rules, tiles):
            start = at if start is None else start
            laid += symbols
            at = _after(board, row, col, at, across=across, count=len(symbols))
    if start is None:
        raise _unreadable(msg("no tile is laid"))
    row, col = (row, col + start) if across else (row + start, col)
    if row >= SIZE or col >= SIZE:
        raise IllegalMove("off_board", msg("the tiles lie outside the board"))
    return Placement(row, col, across, laid)


def _pieces(text: str) -> list[tuple[str, str]]:
    """(tiles already there, tiles laid) alternately."""
    pieces: list[tuple[str, str]] = []
    for there, tiles, odd in _PIECES.findall(text):
        if odd or (not there and not tiles):
            raise _unreadable(msg("a parenthesis is open or empty"))
        pieces.append((there, tiles))
    return pieces


def _symbols(rules: RuleSet, typed: str) -> str:
    """Typed tiles as symbols: `1?` is a blank that shows 1."""
    symbols: list[str] = []
    for face in read_faces(rules, typed).replace(" ", ""):
        if face == BLANK and symbols and not is_blank(symbols[-1]):
            symbols[-1] = as_blank(symbols[-1])
        else:
            symbols.append(face)
    if odd := [symbol for symbol in symbols if symbol not in rules.tile_of]:
        raise IllegalMove("bad_symbol", msg("no tile shows {odd} so", odd=repr(face_of(odd[0]))))
    return "".join(symbols)


def _compare(rules: RuleSet, board: Board | None, first: tuple[int, int], symbols: str, *, across: bool) -> None:
    """Tiles said to lie there must lie there; a blank may be told by its face alone."""
    for at, symbol in enumerate(symbols if board is not None else ""):
        row, col = (first[0], first[1] + at) if across else (first[0] + at, first[1])
        if board is None or row >= SIZE or col >= SIZE:
            raise IllegalMove("notation", msg("({typed}) is beyond the edge", typed=_show_symbols(rules, symbol)))
        there = board.at(row, col)
        if there != symbol and (is_blank(symbol) or there != as_blank(symbol)):
            raise IllegalMove("notation", _differs(rules, f"{row + 1}{COLUMNS[col]}", there, symbol))


def _differs(rules: RuleSet, square: str, there: str, symbol: str) -> str:
    typed = _show_symbols(rules, symbol)
    if there == EMPTY:
        return msg("{square} is empty, where ({typed}) was typed", square=square, typed=typed)
    lies = _show_symbols(rules, there)
    return msg("{square} holds {lies}, where ({typed}) was typed", square=square, lies=lies, typed=typed)


def _after(board: Board | None, row: int, col: int, at: int, *, across: bool, count: int) -> int:
    """Where the line is after `count` tiles, which skip occupied squares if the board is known."""
    if board is None:
        return at + count
    line, start = (board.row(row), col) if across else (board.column(col), row)
    while count and start + at < SIZE:
        count -= line[start + at] == EMPTY
        at += 1
    return at + count


def show_move(rules: RuleSet, move: Move, board: Board | None = None) -> str:
    """The canonical form; with a board, for people: the whole run, with what already lies there in parentheses."""
    if isinstance(move, Word):
        return move.word
    if isinstance(move, Exchange):
        return "-" + "".join(sorted(move.tiles))
    row, col = move.row, move.col
    text = _show_symbols(rules, move.tiles)
    if board is not None:
        row, col, text = _in_full(rules, move, board)
    square = f"{row + 1}{COLUMNS[col]}" if move.across else f"{COLUMNS[col]}{row + 1}"
    return f"{square} {text}"


def _show_symbols(rules: RuleSet, symbols: str) -> str:
    return "".join(show_faces(rules, symbol) + (BLANK if is_blank(symbol) else "") for symbol in symbols)


def _in_full(rules: RuleSet, move: Placement, board: Board) -> tuple[int, int, str]:
    """First square and text of the run a placement makes."""
    laid = move.on(board)
    new = {tile.row * SIZE + tile.col for tile in laid}
    after = board.with_tiles(laid)
    run = after.run(move.row, move.col, across=move.across)
    text = ""
    for square, symbol in zip(run.squares(), run.text, strict=True):
        text += _show_symbols(rules, symbol) if square in new else f"({_show_symbols(rules, symbol)})"
    return run.row, run.col, text.replace(")(", "")


# -- positions

_NOTHING: Final = "~"
_LONGEST_POSITION: Final = 4096


def show_board(board: Board) -> str:
    """15 rows from the top, separated by commas; dots are empty squares, `?` follows the face of a blank."""
    return ",".join(
        "".join(face_of(symbol) + BLANK * is_blank(symbol) for symbol in board.row(row)) for row in range(SIZE)
    )


def read_board(rules: RuleSet, text: str) -> Board:
    """The board of `show_board`. Raises `Untrusted("position")`."""
    rows = [[as_blank(face) if blank else face for face, blank in _FACES.findall(row)] for row in text.split(",")]
    if len(rows) != SIZE or any(len(row) != SIZE for row in rows):
        raise Untrusted("position", msg("a board has 15 rows of 15 squares"))
    squares = "".join(map("".join, rows))
    if not set(squares) <= {EMPTY, *rules.tile_of}:
        raise Untrusted("position", msg("the board shows a sign that is not in use"))
    return Board(squares)


_FACES: Final = re.compile(r"(.)(\??)", re.DOTALL)


def show_position(state: State) -> str:
    """The whole state in one line; equal states and only those have equal positions.

    Eleven fields, separated by spaces: board, racks, scores, tiles in the bag, phase, turn, scoreless turns in a row,
    seats out, what is wanted, the pending play, how it ended. `~` where there is nothing.
    """
    fields = (
        show_board(state.board),
        ",".join(rack or _NOTHING for rack in state.racks),
        ",".join(map(str, state.scores)),
        str(state.bag),
        state.phase,
        str(state.turn),
        str(state.scoreless),
        "".join(map(str, state.out)),
        ";".join(map(_show_want, state.wants)),
        _show_pending(state.pending),
        state.how.replace(" ", "_"),
    )
    return " ".join(field or _NOTHING for field in fields)


def read_position(rules: RuleSet, text: str) -> State:
    """The state of `show_position`. Raises `Untrusted("position")` whatever the text is."""
    parts = text.split(" ") if len(text) <= _LONGEST_POSITION else []
    if len(parts) != 11:
        raise Untrusted("position", msg("a position has eleven fields"))
    board, racks, scores, bag, phase, turn, scoreless, out, wants, pending, how = (
        "" if part == _NOTHING else part for part in parts
    )
    try:
        state = State(
            board=read_board(rules, board),
            racks=tuple(_read_rack(rules, rack) for rack in racks.split(",")),
            scores=tuple(map(_read_number, scores.split(","))),
            bag=_read_number(bag),
            phase=phase,
            turn=_read_number(turn),
            scoreless=_read_number(scoreless),
            out=tuple(map(_read_number, out)),
            wants=tuple(_read_want(rules, want) for want in wants.split(";") if want),
            pending=_read_pending(rules, pending) if pending else None,
            how=how.replace("_", " "),
        )
    except (ValueError, KeyError) as error:
        raise Untrusted("position", msg("cannot be read: {error}", error=error)) from None
    if show_position(state) != text or len(state.racks) != len(state.scores) or phase not in PHASES:
        raise Untrusted("position", msg("that is not how a position is written"))
    return state


def _read_number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise ValueError("a number was expected")
    return int(text)


def _read_rack(rules: RuleSet, text: str) -> str:
    rack = "" if text == _NOTHING else text
    if not set(rack) <= {*rules.tiles, HIDDEN}:
        raise ValueError("a rack holds a sign that is no tile")
    return rack


def _show_want(want: Want) -> str:
    match want:
        case Toss(seats):
            return "toss:" + "".join(map(str, seats))
        case Draw(seat, count, one_of):
            return f"draw:{seat}:{count}:{''.join(one_of)}"
        case Swap(seat, tiles):
            return f"swap:{seat}:{''.join(tiles)}"
        case Reveal(seat):
            return f"reveal:{seat}"


def _read_want(rules: RuleSet, text: str) -> Want:
    match text.split(":"):
        case ["toss", seats]:
            return Toss(tuple(map(_read_number, seats)))
        case ["draw", seat, count, one_of]:
            return Draw(_read_number(seat), _read_number(count), tuple(_read_rack(rules, one_of)))
        case ["swap", seat, tiles]:
            return Swap(_read_number(seat), tuple(_read_rack(rules, tiles)))
        case ["reveal", seat]:
            return Reveal(_read_number(seat))
        case _:
            raise ValueError("a want was expected")


def _show_pending(pending: Pending | None) -> str:
    if pending is None:
        return ""
    legal = "legal" if pending.legal else "illegal"
    return f"{pending.seat}:{pending.score}:{legal}:{pending.rack}:{show_board(pending.board)}"


def _read_pending(rules: RuleSet, text: str) -> Pending:
    parts = text.split(":")
    if len(parts) != 5:
        raise ValueError("a pending play was expected")
    seat, score, legal, rack, board = parts
    return Pending(
        _read_number(seat), _read_number(score), legal == "legal", read_board(rules, board), _read_rack(rules, rack)
    )
