"""A move put together on the board, key by key, as a frozen value: `lantable.game.Composing` for this family.

A `Draft` is what one person has before them: the cursor and its direction, the rack in the order they like, and the
tiles laid so far, each from one slot of the rack. A tile is always in exactly one place: its slot is either free or
named by one tile on the board. So nothing can be lost or conjured, whatever is typed and whatever arrives meanwhile:
a draft on a new view takes up the new rack, keeps what still lies on an empty square, and returns the rest.

    on the board      a sign lays that tile at the cursor, which steps on over what lies there already
    slots             the same, but 1 to 9 (a b c) name slots of the rack: digits are tiles otherwise
    a blank           `.` takes one; the next sign says what it stands for, so none lies there without a meaning
    exchange          1 to 9 pick what is given back; what was laid waits, and is there again afterwards
    a word            pass, challenge, accept: shown like a move, and played like one

Nothing here plays: `sketch` says which move it would be, and whether the rules would take it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from lantable.dealing import HIDDEN
from lantable.errors import IllegalMove
from lantable.game import Cell, Look, Press, Sketch
from lantable.wording import verbatim
from lantable_binary_scrabble import state as engine
from lantable_binary_scrabble import tutor
from lantable_binary_scrabble.board import CENTRE, EMPTY, SIZE, SQUARES, Laid, Run
from lantable_binary_scrabble.notation import COLUMNS, SIGNS, read_move, show_faces, show_move
from lantable_binary_scrabble.picture import fitted, premium_words, shown_tile, spoken
from lantable_binary_scrabble.placement import Placement, unchecked
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import Exchange, State, Word
from lantable_binary_scrabble.tables import BLANK, as_blank, face_of, is_blank
from lantable_binary_scrabble.wording import msg, msgs

SLOTS: Final = "123456789abc"
"""What the slots of a rack are called."""
BLANK_KEY: Final = "."
"""Takes a blank; `?`, which a blank is written with, asks for help."""


class Put(NamedTuple):
    """A tile laid in a draft: its square, the symbol it shows, and the slot of the rack it came from."""

    square: int
    symbol: str
    slot: int


@dataclass(frozen=True, slots=True)
class Draft:
    """Raises `ValueError` unless every tile is in one place."""

    view: State
    seat: int
    rack: str
    """The tiles of the rack in the order of their slots, laid ones too."""
    at: int = CENTRE
    across: bool = True
    puts: tuple[Put, ...] = ()
    """In the order they were laid."""
    slots: bool = False
    """Whether digits name slots."""
    blank: int | None = None
    """The slot of the blank whose meaning is asked for."""
    picked: tuple[int, ...] | None = None
    """The slots to be exchanged; None while nothing is being exchanged."""
    word: str = ""
    """A move that is a word."""
    note: str = ""
    """What the last key could not do: a few words, and more behind a colon."""

    def __post_init__(self) -> None:
        taken, squares = [put.slot for put in self.puts], [put.square for put in self.puts]
        free = all(self.view.board.squares[square] == EMPTY for square in squares)
        if sorted(self.rack) != sorted(self.view.racks[self.seat]) or not free:
            raise ValueError("a draft holds the tiles of its rack, and lays them on empty squares")
        if len(set(taken)) < len(taken) or len(set(squares)) < len(squares):
            raise ValueError("a tile is in one place, and a square holds one tile")

    @property
    def laid(self) -> tuple[Laid, ...]:
        return tuple(Laid(*divmod(put.square, SIZE), put.symbol) for put in sorted(self.puts))

    def free(self, tile: str) -> int | None:
        """The first slot that still holds such a tile."""
        taken = {put.slot for put in self.puts}
        return next((slot for slot, held in enumerate(self.rack) if held == tile and slot not in taken), None)

    def symbol(self, square: int) -> str:
        """What is seen on a square."""
        return next((put.symbol for put in self.puts if put.square == square), self.view.board.squares[square])


# -- a draft and what happens to the game


def begin(rules: RuleSet, view: State, seat: int, before: Draft | None) -> Draft:
    """A draft on this view. Of an earlier one the cursor stays, the order of the rack, and all tiles that still fit."""
    if before is None:
        return _sort(rules, Draft(view, seat, view.racks[seat]))
    rack, moved = _restocked(before, view.racks[seat], view.board.squares)
    stay = [put for put in before.puts if put.slot in moved and view.board.squares[put.square] == EMPTY]
    puts = tuple(put._replace(slot=moved[put.slot]) for put in stay)
    gone = len(before.puts) - len(puts)
    note = "" if not gone or _is_mine(before, view) else msg("{tiles} back: the board has changed", tiles=_tiles(gone))
    return Draft(view, seat, rack, before.at, before.across, puts, before.slots, note=note)


def _is_mine(before: Draft, view: State) -> bool:
    """Whether the squares of the draft now show just what was laid on them: it was played."""
    return all(view.board.squares[put.square] == put.symbol for put in before.puts)


def _restocked(before: Draft, held: str, squares: str) -> tuple[str, dict[int, int]]:
    """The new rack in the old order, new tiles in the places of old ones, and where each slot that stays is now."""
    left = Counter(held)
    stay: set[int] = set()
    loose = {put.slot: squares[put.square] == EMPTY for put in before.puts}
    # Of equal tiles those stay first that are still on their way; those go first that were just played.
    for slot in sorted(range(len(before.rack)), key=lambda slot: (not loose.get(slot, False), slot in loose, slot)):
        if left[before.rack[slot]]:
            left[before.rack[slot]] -= 1
            stay.add(slot)
    new = iter(sorted(left.elements()))
    rack, moved = "", dict[int, int]()
    for slot, tile in enumerate(before.rack):
        if slot in stay:
            moved[slot] = len(rack)
        rack += tile if slot in stay else next(new, "")
    return rack + "".join(new), moved


def of_move(rules: RuleSet, draft: Draft, text: str) -> Draft:
    """A whole move in place of what was laid. Raises `IllegalMove`, also for tiles the rack does not hold."""
    bare = replace(draft, puts=(), picked=None, word="", blank=None, note="")
    move = read_move(rules, text, draft.view.board)
    if isinstance(move, Word):
        return replace(bare, word=move.word)
    if isinstance(move, Exchange):
        return replace(bare, picked=_slots_of(bare, move.tiles))
    laid = move.on(draft.view.board)
    after = replace(bare, across=move.across)
    for tile in laid:
        square = tile.row * SIZE + tile.col
        slot = after.free(rules.tile_of[tile.symbol])
        if slot is None:
            raise IllegalMove(
                "not_in_rack", msg("the rack holds no {tile_of} for that", tile_of=rules.tile_of[tile.symbol])
            )
        if draft.view.board.squares[square] != EMPTY:
            raise IllegalMove("occupied", msg("a tile already lies on that square"))
        after = replace(after, puts=(*after.puts, Put(square, tile.symbol, slot)), at=square)
    return _stepped(after)


def _slots_of(draft: Draft, tiles: str) -> tuple[int, ...]:
    slots: list[int] = []
    for tile in tiles:
        slot = next((at for at, held in enumerate(draft.rack) if held == tile and at not in slots), None)
        if slot is None:
            raise IllegalMove("not_in_rack", msg("the rack does not hold these tiles"))
        slots.append(slot)
    return tuple(sorted(slots))


# -- keys


@lru_cache(maxsize=64)
def typed_faces(rules: RuleSet) -> Mapping[str, str]:
    """Character -> the face it lays: codes and signs, and the first letter of a word where that is free."""
    plain = [code for code in rules.tiles if code != BLANK]
    table = {code: code for code in plain}
    table |= {sign: code for sign, code in SIGNS.items() if code in plain}
    table |= {code.swapcase(): code for code in plain if code.isalpha() and code.swapcase() not in table}
    # A turned `=` is typed in the one way it is shown.
    table |= {face.typed: face.code for face in rules.faces.values()}
    for code, words in rules.words.items():
        if code in plain and words[0].isalpha():
            for letter in (words[0][0].upper(), words[0][0].lower()):
                table.setdefault(letter, code)
    return table


def typed(rules: RuleSet, draft: Draft, key: str) -> Draft | None:
    """The draft after a character, an act, or `at ROW CELL`; None if that means nothing."""
    draft = replace(draft, note="")
    if key.startswith("at "):
        return _pointed(draft, *map(int, key.split()[1:]))
    if len(key) > 1:
        act = _ACTS.get(key)
        return None if act is None else act(rules, draft)
    if draft.word:
        return None
    if draft.picked is not None:
        return _pick(draft, key)
    if draft.blank is not None:
        return _designated(rules, draft, key)
    if draft.slots and key in SLOTS:
        return _from_slot(rules, draft, key)
    if key == BLANK_KEY and BLANK in rules.tiles:
        slot = draft.free(BLANK)
        return replace(draft, note="no blank left") if slot is None else replace(draft, blank=slot)
    face = typed_faces(rules).get(key)
    return None if face is None else _lay(rules, draft, face)


def _lay(rules: RuleSet, draft: Draft, face: str) -> Draft:
    """A tile at the cursor. What is loose there goes back; what lies there is stepped over if it shows the same."""
    there = draft.view.board.squares[draft.at]
    if there != EMPTY:
        if rules.reading[there] == rules.reading[face]:
            return _stepped(draft)
        return replace(draft, note=f"{_square(draft.at)} is taken")
    lifted = _lifted(draft, draft.at)
    slot = lifted.free(rules.tile_of[face])
    if slot is None:
        return replace(draft, note=f"no {spoken(rules, face)} left{_or_blank(rules, draft)}")
    return _put(lifted, face, slot)


def _or_blank(rules: RuleSet, draft: Draft) -> str:
    return (
        msg(": {blank_key} lays a blank as one", blank_key=BLANK_KEY)
        if BLANK in rules.tiles and draft.free(BLANK) is not None
        else ""
    )


def _put(draft: Draft, symbol: str, slot: int) -> Draft:
    return _stepped(replace(draft, puts=(*draft.puts, Put(draft.at, symbol, slot))))


def _lifted(draft: Draft, square: int) -> Draft:
    """Without the loose tile on a square."""
    return replace(draft, puts=tuple(put for put in draft.puts if put.square != square))


def _stepped(draft: Draft) -> Draft:
    """The cursor one on, and over tiles that lie there already; it stays on the last square of its line."""
    ahead = list(_ahead(draft.at, draft.across))
    free = next((square for square in ahead if draft.view.board.squares[square] == EMPTY), None)
    return replace(draft, at=free if free is not None else ahead[-1] if ahead else draft.at)


def _ahead(square: int, across: bool) -> range:
    end = (square // SIZE + 1) * SIZE
    return range(square + 1, end) if across else range(square + SIZE, SQUARES, SIZE)


def _from_slot(rules: RuleSet, draft: Draft, key: str) -> Draft:
    slot = SLOTS.index(key)
    if slot >= len(draft.rack) or slot in {put.slot for put in draft.puts}:
        return replace(draft, note=f"no tile {key} left")
    if draft.view.board.squares[draft.at] != EMPTY:
        return replace(draft, note=f"{_square(draft.at)} is taken")
    if draft.rack[slot] == BLANK:
        return replace(draft, blank=slot)
    if draft.rack[slot] == HIDDEN:
        return replace(draft, note=f"tile {key} is hidden: it has not been seen yet")
    return _put(_lifted(draft, draft.at), draft.rack[slot], slot)


def _designated(rules: RuleSet, draft: Draft, key: str) -> Draft | None:
    """What a blank stands for: 5.6, any face in use but a turned `=`."""
    face, slot = typed_faces(rules).get(key), draft.blank
    assert slot is not None  # noqa: S101 - `typed` has looked
    if face is None or as_blank(face) not in rules.tile_of:
        return None
    if draft.view.board.squares[draft.at] != EMPTY:
        return replace(draft, blank=None, note=f"{_square(draft.at)} is taken")
    return _put(replace(_lifted(draft, draft.at), blank=None), as_blank(face), slot)


def _pick(draft: Draft, key: str) -> Draft | None:
    slot = SLOTS.find(key)
    if not 0 <= slot < len(draft.rack):
        return None
    picked = draft.picked or ()
    return replace(draft, picked=tuple(sorted({*picked} ^ {slot})))


def _pointed(draft: Draft, row: int, cell: int) -> Draft | None:
    """The picture has the letters above and the numbers before the board."""
    if not (1 <= row <= SIZE and 1 <= cell <= SIZE):
        return None
    return replace(draft, at=(row - 1) * SIZE + cell - 1)


def _walk(rows: int, cols: int) -> Callable[[RuleSet, Draft], Draft]:
    def walked(_: RuleSet, draft: Draft) -> Draft:
        row, col = divmod(draft.at, SIZE)
        row, col = min(max(row + rows, 0), SIZE - 1), min(max(col + cols, 0), SIZE - 1)
        return replace(draft, at=row * SIZE + col)

    return walked


def _flip(_: RuleSet, draft: Draft) -> Draft:
    """The other way: from the last tile on, if the cursor has just stepped on from there."""
    turned = replace(draft, across=not draft.across)
    if draft.puts and _stepped(replace(draft, at=draft.puts[-1].square)).at == draft.at:
        return _stepped(replace(turned, at=draft.puts[-1].square))
    return turned


def _back(_: RuleSet, draft: Draft) -> Draft | None:
    """The last tile goes back to its slot, and the cursor to its square. A blank is then a blank again."""
    if draft.blank is not None:
        return replace(draft, blank=None)
    if not draft.puts or draft.picked is not None or draft.word:
        return None
    *rest, last = draft.puts
    return replace(draft, puts=tuple(rest), at=last.square)


def _clear(_: RuleSet, draft: Draft) -> Draft | None:
    """First what is open is closed; then all tiles go back."""
    if draft.blank is not None or draft.picked is not None or draft.word:
        return replace(draft, blank=None, picked=None, word="")
    if not draft.puts:
        return None
    return replace(draft, puts=(), at=draft.puts[0].square)


def _sort(rules: RuleSet, draft: Draft) -> Draft:
    """The rack in the order of the list of tiles; laid tiles keep theirs."""
    order = [*rules.tiles, HIDDEN]
    slots = sorted(range(len(draft.rack)), key=lambda slot: order.index(draft.rack[slot]))
    moved = {old: new for new, old in enumerate(slots)}
    return replace(
        draft,
        rack="".join(draft.rack[slot] for slot in slots),
        puts=tuple(put._replace(slot=moved[put.slot]) for put in draft.puts),
        picked=None if draft.picked is None else tuple(sorted(moved[slot] for slot in draft.picked)),
        blank=None if draft.blank is None else moved[draft.blank],
    )


def _by_slots(_: RuleSet, draft: Draft) -> Draft:
    return replace(draft, slots=not draft.slots)


def _swap(_: RuleSet, draft: Draft) -> Draft:
    return replace(draft, picked=() if draft.picked is None else None, word="", blank=None)


def _say(word: str) -> Callable[[RuleSet, Draft], Draft]:
    return lambda _, draft: replace(draft, word="" if draft.word == word else word, picked=None, blank=None)


_ACTS: Final[Mapping[str, Callable[[RuleSet, Draft], Draft | None]]] = {
    "left": _walk(0, -1),
    "right": _walk(0, 1),
    "up": _walk(-1, 0),
    "down": _walk(1, 0),
    "start": _walk(0, -SIZE),
    "end": _walk(0, SIZE),
    "flip": _flip,
    "takeback": _back,
    "clear": _clear,
    "sort": _sort,
    "slots": _by_slots,
    "swap": _swap,
    "pass": _say("pass"),
    "challenge": _say("challenge"),
    "accept": _say("accept"),
}


# -- what is shown


def sketch(rules: RuleSet, draft: Draft, look: Look) -> Sketch:
    """The draft as it is to be shown, judged anew."""
    laid = draft.laid if draft.picked is None and not draft.word else ()
    row, col = divmod(draft.at, SIZE)
    judged = _judged(rules, draft, laid)
    line, more = _line(rules, draft, laid)
    return Sketch(
        picture=fitted(rules, draft.view, look, laid, racks=False),
        at=(row + 1, col + 1),
        tray=_tray(rules, draft, look),
        line=line,
        more=more,
        move=judged.move,
        ready=judged.ready,
        verdict=draft.note.partition(":")[0] or judged.verdict,
        why=draft.note or judged.why,
        presses=tuple(_presses(rules, draft)),
    )


class _Judged(NamedTuple):
    move: str | None
    ready: bool
    verdict: str
    why: str


def _judged(rules: RuleSet, draft: Draft, laid: tuple[Laid, ...]) -> _Judged:
    if draft.blank is not None:
        return _Judged(None, False, msg("blank = ?"), msg("type what the blank stands for: a digit, an operator, or ="))
    if draft.picked is not None:
        return _exchanged(rules, draft)
    if draft.word:
        return _said(rules, draft)
    return _placed(rules, draft, laid) if laid else _Judged(None, False, "", "")


def _said(rules: RuleSet, draft: Draft) -> _Judged:
    try:
        engine.play(rules, draft.view, draft.seat, Word(draft.word))
    except IllegalMove as illegal:
        return _Judged(draft.word, False, msg("no: {code}", code=illegal.code), f"{illegal.detail}.")
    return _Judged(draft.word, True, "Enter", msg("it scores nothing.") if draft.word == "pass" else "")


def _exchanged(rules: RuleSet, draft: Draft) -> _Judged:
    tiles = "".join(sorted(draft.rack[slot] for slot in draft.picked or ()))
    move = show_move(rules, Exchange(tiles)) if tiles else None
    try:
        engine.check_exchange(rules, draft.view.racks[draft.seat], tiles, engine.bag_after_pending(rules, draft.view))
    except IllegalMove as illegal:
        why = (
            msg("pick the tiles to give back")
            if illegal.code == "empty_move"
            else verbatim("{why}.", why=illegal.detail)
        )
        return _Judged(move, False, msg("no: {code}", code=illegal.code), why)
    return _Judged(move, True, "Enter", msg("{tiles} for as many others; it scores nothing.", tiles=_tiles(len(tiles))))


def _placed(rules: RuleSet, draft: Draft, laid: tuple[Laid, ...]) -> _Judged:
    told = tutor.check_move(rules, draft.view.board, draft.view.racks[draft.seat], laid, briefly=True)
    placement = _as_placement(draft, laid)
    move = None if placement is None else show_move(rules, placement)
    if told.valid:
        return _Judged(
            move,
            True,
            msg("ok {score}", score=told.score),
            msg("valid: {what}", what=told.gain),
        )
    verdict, why = msg("no: {reason}", reason=told.reason), msg("NOT VALID: {sentence}", sentence=told.sentence)
    if move is not None and rules.settings.validation != "automatic" and _may_be_laid(rules, draft, laid):
        return _Judged(move, True, verdict, msg("{why} It may be laid, and challenged.", why=why))
    return _Judged(move, False, verdict, why)


def _may_be_laid(rules: RuleSet, draft: Draft, laid: tuple[Laid, ...]) -> bool:
    """Under a challenge rule a wrong equation may be laid; it is for the next player to say so."""
    try:
        unchecked(rules, draft.view.board, draft.view.racks[draft.seat], laid)
    except IllegalMove:
        return False
    return True


def _as_placement(draft: Draft, laid: tuple[Laid, ...]) -> Placement | None:
    """The tiles as a move, if they lie in one line without a gap that nothing fills."""
    first = laid[0]
    across = all(tile.row == first.row for tile in laid)
    placement = Placement(first.row, first.col, across, "".join(tile.symbol for tile in laid))
    try:
        return placement if placement.on(draft.view.board) == laid else None
    except IllegalMove:
        return None


def _tiles(count: int) -> str:
    return msgs("{n} tile", "{n} tiles", count)


def _square(square: int) -> str:
    row, col = divmod(square, SIZE)
    return f"{COLUMNS[col]}{row + 1}"


# -- the line and the rack


def _line(rules: RuleSet, draft: Draft, laid: tuple[Laid, ...]) -> tuple[str, str]:
    """What is being done, or what is under the cursor; and what else there is to say of it."""
    if draft.blank is not None:
        return msg("a blank at {square} as ..", square=_square(draft.at)), ""
    if draft.picked is not None:
        return msg(
            "exchange {picked}", picked=" ".join(spoken(rules, draft.rack[slot]) for slot in draft.picked) or ".."
        ), ""
    if draft.word:
        return draft.word, ""
    if not laid:
        way: str = msg("across") if draft.across else msg("down")
        return f"{_place(draft.at, draft.across)} {_under_cursor(rules, draft)}".rstrip(), way
    if _as_placement(draft, laid) is None:
        return msg("{tiles}, not in one line yet", tiles=_tiles(len(laid))), ""
    run = _main_run(draft, laid)
    way = "across" if run.across else "down"
    line = f"{_place(run.row * SIZE + run.col, run.across)} {_spelled(rules, run, laid)}"
    return line, msg("{way}, {tiles} from the rack", way=way, tiles=_tiles(len(laid)))


def _main_run(draft: Draft, laid: tuple[Laid, ...]) -> Run:
    """The run that what is laid makes; of the two that a single tile makes, the one that is more than itself."""
    after, first = draft.view.board.with_tiles(laid), laid[0]
    if len(laid) > 1:
        return after.run(first.row, first.col, across=first.row == laid[1].row)
    runs = [after.run(first.row, first.col, across=across) for across in (draft.across, not draft.across)]
    return max(runs, key=lambda run: len(run.text) > 1)


def _spelled(rules: RuleSet, run: Run, laid: tuple[Laid, ...]) -> str:
    """A run with words apart, and what lies there already in parentheses."""
    new = {tile.row * SIZE + tile.col for tile in laid}
    text = ""
    for square, symbol in zip(run.squares(), run.text, strict=True):
        shown = spoken(rules, face_of(symbol)) + ("?" if is_blank(symbol) else "")
        shown = f" {shown} " if shown[:2].isalpha() and len(shown) > 1 else shown
        text += shown if square in new else f"({shown})"
    return " ".join(text.replace(")(", "").split()).replace("( ", "(").replace(" )", ")")


def _place(square: int, across: bool) -> str:
    row, col = divmod(square, SIZE)
    return f"{row + 1}{COLUMNS[col]}>" if across else f"{COLUMNS[col]}{row + 1}v"


def _under_cursor(rules: RuleSet, draft: Draft) -> str:
    """The runs through a tile, with words apart; or what an empty square multiplies."""
    board = draft.view.board
    row, col = divmod(draft.at, SIZE)
    if board.squares[draft.at] == EMPTY:
        return premium_words(draft.at)
    runs = [board.run(row, col, across=across).text for across in (draft.across, not draft.across)]
    return "   ".join(show_faces(rules, run, words=True) for run in runs if len(run) > 1)


def _tray(rules: RuleSet, draft: Draft, look: Look) -> tuple[Cell, ...]:
    """The slots of the rack in the longest of some spellings that fits."""
    named = [_slots(rules, draft, look, words=True), _slots(rules, draft, look, words=False)]
    spelled = [
        [Cell("rack "), *_apart(named[0], "{}[{}]")],
        _apart(named[0], "{}[{}]"),
        _apart(named[1], "{}:{}"),
        _apart(named[1], "{1}"),
    ]
    fits = (tray for tray in spelled if sum(len(cell.text) for cell in tray) <= look.across)
    return tuple(next(fits, spelled[-1]))


def _slots(rules: RuleSet, draft: Draft, look: Look, *, words: bool) -> list[tuple[str, str, bool]]:
    """Of each slot its name, what it holds (nothing once that is laid), and whether it is picked."""
    exchanging = draft.picked is not None or bool(draft.word)
    taken = set[int]() if exchanging else {put.slot for put in draft.puts}
    picked = [*(draft.picked or ()), draft.blank]
    shown = [shown_tile(rules, tile, look.unicode, words=words) for tile in draft.rack]
    return [(SLOTS[slot], "." if slot in taken else text, slot in picked) for slot, text in enumerate(shown)]


def _apart(slots: list[tuple[str, str, bool]], form: str) -> list[Cell]:
    cells: list[Cell] = []
    for name, text, picked in slots:
        shown = form.format(name, text)
        # Picked is told by a sign too.
        cells += [Cell(f"<{text}>" if picked else shown, "loose" if picked else ""), Cell(" ")]
    return cells[:-1]


# -- which keys mean something now


def _presses(rules: RuleSet, draft: Draft) -> Iterator[Press]:
    text = typed_faces(rules)
    mine = draft.view.to_move == draft.seat
    busy = draft.blank is not None or draft.picked is not None or bool(draft.word)
    if draft.puts or busy:
        yield Press("escape", "clear", "back" if busy else "clear", msg("close what is open, or take all tiles back"))
    if not busy:
        other = "down" if draft.across else "across"
        yield Press(" ", "flip", other, msg("go on across or down"))
    for press in _TURNS:
        if mine and press.act in _turns_now(rules, draft):
            yield replace(press, anywhere=press.key not in text)
    if (draft.puts and not busy) or draft.blank is not None:
        yield Press("backspace", "takeback", "", msg("take back the last tile"))
    for way in ("left", "right", "up", "down") if not busy else ():
        yield Press(way, way, "", msg("move the cursor"))
    if not busy:
        yield Press("home", "start", "", msg("to the first square of the row"))
        yield Press("end", "end", "", msg("to the last square of the row"))
        yield Press(
            "f3", "slots", "signs" if draft.slots else "slots", msg("let 1 to 9 name slots of the rack, or tiles")
        )
    yield Press("c-r", "sort", "sort", msg("sort the rack"))


_TURNS: Final = (
    Press("s", "swap", "swap", "exchange tiles"),
    Press("p", "pass", "pass", "pass: the turn goes on and scores nothing"),
    Press("C", "challenge", "challenge", "say that the last play is wrong"),
    Press("Y", "accept", "accept", "say that the last play is right"),
)
"""Turns that lay nothing."""


def _turns_now(rules: RuleSet, draft: Draft) -> set[str]:
    view = draft.view
    answers = {"challenge", "accept"} if view.pending is not None else set[str]()
    if view.phase != "play":
        return answers
    enough = engine.bag_after_pending(rules, view) >= rules.settings.rack_size
    return answers | {"pass"} | ({"swap"} if enough and draft.rack else set())
