"""How each thing looks at each size: a value of `state`, the state of the screen and a size in, a `Frame` out.

A board comes first: it is whole wherever it fits, and what it does not leave room for goes to a second page, the
panel before all else. Rows have the same order everywhere: what this is, the thing itself, what was said, the input
line, the keys. Of the keys `? help` goes last.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from prompt_toolkit.utils import get_cwidth

from lantable.game import Picture, Sketch
from lantable_console.language import tr
from lantable_console.screen.form import Form
from lantable_console.screen.frame import (
    BLANK,
    Frame,
    Piece,
    Row,
    beside,
    between,
    clipped,
    cut,
    padded,
    row,
    rule,
    safe,
    stacked,
    width_of,
    wrapped,
)
from lantable_console.screen.picture import PANEL, drawn, focused, marked, middle, size, window, with_cursor
from lantable_console.screen.state import GameView, Key, LobbyView, Page, Person, ReplayView, chosen_in

SMALLEST: Final = (40, 20)
"""Columns and rows below which only a few words are shown."""
WIDEST_PANEL: Final = 60
BESIDE_CODE: Final = 26
"""Columns that text beside a QR code needs."""
BOTH_LISTS: Final = 60
"""Columns from which the lobby shows people and tables together."""
SAID: Final = 4
"""Rows that the lists leave to what was said in the lobby."""
FOOT: Final = 3
"""Rows below the body: what was said, the input line, the keys."""

View = GameView | ReplayView | LobbyView | Form
Body = tuple[list[Row], tuple[int, int]]
"""Rows, and where the cursor is in them."""


def compose(view: View | Page, person: Person, width: int, height: int) -> Frame:
    """The whole screen."""
    if width < SMALLEST[0] or height < SMALLEST[1]:
        return _too_small(view, width, height)
    if person.over is not None and person.over.code and not person.typing:
        return _card(person.over, person, width, height)
    if isinstance(view, GameView) and view.sketch is not None and not person.over:
        return _putting(view, view.sketch, person, width, height)
    heads = _heads(view, width)
    ruled = _has_room_for_rules(view, person, width, height - len(heads) - FOOT)
    above = [*heads, rule(width)] if ruled else heads
    question = _question(view, width)
    below = [question or rule(width)] if ruled else []
    room = height - len(above) - len(below) - FOOT
    body, (x, y) = _body(view, person, width, room)
    hints = person.hints if person.typing else ""
    message = clipped((Piece(hints or person.message),), width)
    if question and not ruled and not hints:
        message = question  # at the cost of what was said last, never of the board
    rows = [*above, *stacked(body, room), *below, message, BLANK, bar(person.bar, width)]
    prompt = " move> " if isinstance(view, GameView) and not person.over else " > "
    return Frame(tuple(rows), width, (x, y + len(above)), height - 2, prompt)


def _question(view: View | Page, width: int) -> Row | None:
    """The oldest open question. How to answer comes first, so that it is never cut off."""
    if not isinstance(view, GameView | LobbyView) or not view.questions:
        return None
    first, *more = view.questions
    yes, no = f"y {first.number}", f"n {first.number}"
    others = tr(" ({more} more)", more=len(more)) if more else ""
    pieces = (Piece(" "), Piece(yes, "bold", f"type {yes}"), Piece(" or "), Piece(no, "bold", f"type {no}"))
    return clipped((*pieces, Piece(f"{others}: {first.text}", "bold")), width)


# -- a move being put together


def _putting(view: GameView, sketch: Sketch, person: Person, width: int, height: int) -> Frame:
    """A board with a draft on it: what there is to lay, what is laid, and why it may be played or not stand below it.

    The board never gives way. What is left below it is shared out so: two rows hold the tiles and the move with a word
    about it; then come why in a sentence, what was said last, a rule, and a second row of why.
    """
    room = height - 2
    columns, lines = size(sketch.picture)
    below = min(max(room - lines, min(_BELOW)), max(_BELOW))
    ruled = [rule(width)] if room - lines > below else []
    panel = _composing_panel(view, person)
    body, cursor = _board_and_panel(sketch, panel, person, width, room - below - len(ruled))
    above = [_putting_head(view, width, narrow=width - columns - 3 < PANEL), *ruled]
    foot: list[Row] = []
    line: int | None = None
    why = wrapped(person.hints if person.typing else sketch.why, width - 2, 0)
    for part in _BELOW[below]:
        if part == "move" and person.typing:
            line = len(above) + len(body) + len(foot)
        # What somebody asks comes before what was said last.
        asked = _question(view, width) if part == "said" else None
        foot.append(asked or _below(part, sketch, why, person, width, alone=below == min(_BELOW)))
    rows = [*above, *body, *foot, bar(person.bar, width)]
    return Frame(tuple(rows), width, (cursor[0], cursor[1] + len(above)), line, " move> ")


_BELOW: Final[dict[int, tuple[str, ...]]] = {
    2: ("tray", "move"),
    3: ("tray", "move", "why"),
    4: ("tray", "move", "why", "said"),
    5: ("rule", "tray", "move", "why", "said"),
    6: ("rule", "tray", "move", "why", "more", "said"),
}
"""What stands below the board in so many rows."""


def _below(part: str, sketch: Sketch, why: Sequence[str], person: Person, width: int, *, alone: bool) -> Row:
    match part:
        case "rule":
            return rule(width)
        case "tray":
            cells = [Piece(safe(cell.text), "reverse" if cell.mark == "loose" else "") for cell in sketch.tray]
            return clipped((Piece(" "), *cells), width)
        case "move":
            if alone and person.fresh:
                return clipped((Piece(f" {person.message}"),), width)
            right = sketch.verdict if alone else sketch.more
            return between(f" {safe(sketch.line)}", f"{safe(right)} ", width)
        case "said":
            return clipped((Piece(f" {person.message}"),), width)
        case _:
            at = ("why", "more").index(part)
            return clipped((Piece(f" {safe(why[at])}"),), width) if at < len(why) else BLANK


def _putting_head(view: GameView, width: int, *, narrow: bool) -> Row:
    """What this is; where there is no panel that tells it, how it stands."""
    left = f" {view.title}  {view.game}"
    if narrow:
        left = " " + "  ".join(f"{cut(one.name, 10)} {one.score} {one.clock}".rstrip() for one in view.players)
    return between(f"{left}  {view.standing}", f"{cut(view.turn, width - 1)} ", width, "bold")


def _board_and_panel(sketch: Sketch, panel: "Panel", person: Person, width: int, room: int) -> Body:
    """The board with its cursor, and the panel beside it or in its place."""
    columns, _ = size(sketch.picture)
    margin, side = _sides(columns, width)
    if person.aside and side < PANEL:
        return stacked([padded((Piece(" "), *one), width) for one in panel(width - 1, room)], room), (0, 0)
    at = None if person.aside else sketch.at
    place = middle(sketch.picture, sketch.at)
    drawn_rows = with_cursor(sketch.picture, at, clicks=person.clicks)
    seen, (x, y) = window(drawn_rows, place, min(columns, width - margin), room)
    seen = [(Piece(" " * margin), *one) for one in seen]
    if side < PANEL:
        return stacked(seen, room), (place[0] - x + margin, place[1] - y)
    wide = min(side, WIDEST_PANEL)
    rows = beside(stacked(seen, room), panel(wide, room), columns + margin + 1, width)
    return rows, (columns + margin + 3, 0) if person.aside else (place[0] - x + margin, place[1] - y)


def _sides(columns: int, width: int) -> tuple[int, int]:
    """Columns left of a board and for a panel right of it. The margin is for looks: never at the cost of either."""
    spare = width - columns
    margin = 1 if spare > 0 and spare != PANEL + 3 else 0
    return margin, spare - margin - 3


def _composing_panel(view: GameView, person: Person) -> "Panel":
    """Players and the game's own lines; then the newest moves, or, for whoever is in the panel, all that was said."""

    def panel(width: int, room: int) -> list[Row]:
        rows = [_player(seat, view, width) for seat in range(len(view.players))]
        own = view.picture.panel if view.picture is not None else ()
        rows += [row(part) for line in own for part in wrapped(safe(line), width)]
        left = room - len(rows) - 1
        if person.aside:
            return [*rows[:room], *_log(view.log, person, width, left)]
        moves = [part for line in view.moves for part in wrapped(safe(line), width, 4)]
        return [*rows[:room], *([rule(width), *map(row, moves[-left:])] if left > 0 and moves else [])]

    return panel


def _too_small(view: View | Page, width: int, height: int) -> Frame:
    """The game runs on; only the picture of it waits for room."""
    lines = [
        tr(
            "too small: {width}x{height}, need {smallest}x{smallest2}",
            width=width,
            height=height,
            smallest=SMALLEST[0],
            smallest2=SMALLEST[1],
        )
    ]
    if isinstance(view, GameView):
        lines.append(view.turn)
    lines.append(tr("the game runs on") if isinstance(view, GameView) else tr("make the window larger"))
    rows = [row(part) for line in lines for part in wrapped(line, width, 0)]
    return Frame(tuple(clipped(one, width) for one in stacked(rows, height)), width)


def bar(keys: Sequence[Key], width: int) -> Row:
    """The bar of keys: as many as fit, help before all others, in the order they are given."""
    ranked = sorted(keys, key=lambda key: key.words != "help")
    chosen: list[Key] = []
    left = width - 1
    for key in ranked:
        needed = width_of((Piece(f"{key.key} {key.words}"),)) + (2 if chosen else 0)
        if needed <= left:
            chosen.append(key)
            left -= needed
    pieces: list[Piece] = [Piece(" ")]
    for key in [key for key in keys if key in chosen]:
        pieces += [Piece(key.key, "bold key", key.act), Piece(f" {key.words}", "", key.act), Piece("  ")]
    return clipped(pieces, width)


def _heads(view: View | Page, width: int) -> list[Row]:
    match view:
        case GameView():
            turn = cut(view.turn, width - 1)
            due = "bold due" if view.mine else ""
            return [between(f" {view.title}  {view.game}  {view.standing}", f"{turn} ", width, "bold head", due)]
        case ReplayView():
            good = "bold head" if view.verdict.isalpha() else "bold alarm"
            return [between(tr(" REPLAY {title}", title=view.title), f"{view.verdict} ", width, "bold head", good)]
        case LobbyView():
            port = tr("port {port} ", port=view.port) if view.port else " "
            return [
                between(
                    tr(" lantable lobby  {me}  key {words}", me=view.me, words=view.words), port, width, "bold head"
                )
            ]
        case Page() | Form():
            return [between(f" {view.title}", "", width, "bold head")]


def _has_room_for_rules(view: View | Page, person: Person, width: int, room: int) -> bool:
    """Two rows of dashes are for looks: never at the cost of a row of the board."""
    if isinstance(view, GameView | ReplayView) and view.picture is not None and not person.over:
        return size(view.picture)[1] + 2 <= room
    return room >= SMALLEST[1]


def _body(view: View | Page, person: Person, width: int, room: int) -> Body:
    if person.over is not None:
        return _page(person.over, person, width, room)
    match view:
        case GameView():
            return _with_board(view.picture, view.fault, _game_panel(view, person), person, width, room)
        case ReplayView():
            body, cursor = _with_board(view.picture, view.fault, _replay_panel(view), person, width, room - 1)
            return [*stacked(body, room - 1), _timeline(view, width)], cursor
        case LobbyView():
            return _lobby(view, person, width, room)
        case Form():
            return _form(view, width, room)
        case Page():
            return _page(view, person, width, room)


def _page(page: Page, person: Person, width: int, room: int) -> Body:
    rows = [row(f" {part}") for line in page.lines for part in wrapped(line, width - 2, 6)]
    seen = _scrolled(rows, person, room)
    if len(rows) > room > 1:
        more = tr("PgUp PgDn: more of it") if person.scroll else tr("PgDn: more of it")
        seen = [*seen[: room - 1], row(Piece(f" {more}", "bold"))]
    return seen, (0, 0)


def _scrolled(rows: list[Row], person: Person, room: int) -> list[Row]:
    """As many as there is room for, from where one has scrolled to."""
    top = min(max(-person.scroll, 0), max(len(rows) - room + 1, 0))
    return rows[top : top + room]


def _card(page: Page, person: Person, width: int, height: int) -> Frame:
    """A code on all of the screen but the bar, since it is tall; its text beside it, or below, to be scrolled to."""
    across, room = len(page.code[0]), height - 1
    beside_it = width - across - 3
    code = [row(line) for line in page.code]
    if across > width or len(code) > room:
        needs = tr(
            "the QR code needs a screen of {across}x{code}; this one is {width}x{height}",
            across=across,
            code=len(code) + 1,
            width=width,
            height=height,
        )
        rows, _ = _page(Page("", (needs, *page.lines)), person, width, room)
    elif beside_it >= BESIDE_CODE:
        text = [row(part) for line in page.lines for part in wrapped(line, beside_it)]
        rows = [(*padded(one, across + 2), *other) for one, other in zip(*_equal(code, text), strict=True)]
    else:
        text = [row(f" {part}") for line in page.lines for part in wrapped(line, width - 2)]
        rows = _scrolled([*code, *text], person, room)
    return Frame((*stacked(rows, room), bar(person.bar, width)), width)


def _equal(one: list[Row], other: list[Row]) -> tuple[list[Row], list[Row]]:
    many = max(len(one), len(other))
    return stacked(one, many), stacked(other, many)


def _form(form: Form, width: int, room: int) -> Body:
    """One field a row, the chosen one marked and in sight; below stands what it may be, and what would be typed."""
    below = [BLANK, *[row(f"   {line}") for line in wrapped(form.about(), width - 4, 0)]]
    below += [BLANK, *[row(f"   {line}") for line in wrapped(tr("typed: {line}", line=form.line()), width - 4)]]
    fields = form.fields()
    many = max(room - len(below) - 1, 1)
    top = min(max(form.row - many // 2, 0), max(len(fields) - many, 0))
    rows: list[Row] = []
    for at, (name, value) in list(enumerate(fields))[top : top + many]:
        here = at == form.row
        text = f"{'>' if here else ' '} {name:<16} {f'< {value} >' if here else f'  {value}'}"
        rows.append(clipped((Piece(" "), Piece(text, "bold" if here else "", f"field {at}")), width))
    if len(fields) > many:
        rows.append(
            row(
                Piece(
                    tr(
                        "   {top} to {top2} of {fields}: Up, Down for more",
                        top=top + 1,
                        top2=top + many,
                        fields=len(fields),
                    ),
                    "bold",
                )
            )
        )
    return [*rows, *below], (1, form.row - top)


# -- boards

Panel = Callable[[int, int], list[Row]]
"""The panel in so many columns and rows."""


def _with_board(picture: Picture | None, fault: str, panel: Panel, person: Person, width: int, room: int) -> Body:
    """The board, and the panel beside it, below it, or on the second page."""
    if picture is None:
        return [*[row(f" {line}") for line in wrapped(fault, width - 2)], BLANK, *panel(width, room)], (0, 0)
    cols, lines = size(picture)
    margin, side = _sides(cols, width)
    focus = focused(picture, person.at)
    place = focus.at if focus else marked(picture, "last")
    if person.page % 2 and not (side >= PANEL and lines <= room):
        return [padded(one, width) for one in panel(width - 1, room)], (0, 0)
    fits = side >= PANEL
    board = min(cols, width - margin)
    seen, (x, y) = window(drawn(picture, focus), place, board, min(room, max(lines, 1)))
    seen = [(Piece(" "), *one) if margin else one for one in seen]
    at = (place[0] - x + margin, place[1] - y) if place else (0, 0)
    if fits:
        wide = min(side, WIDEST_PANEL)
        return beside(stacked(seen, room), panel(wide, room), board + margin + 1, width), at
    left = room - len(seen) - 1
    return [*seen, *([BLANK, *panel(width - 1, left)] if left > 1 else [])], at


def _game_panel(view: GameView, person: Person) -> Panel:
    def panel(width: int, room: int) -> list[Row]:
        rows = [_player(seat, view, width) for seat in range(len(view.players))]
        rows += [row(Piece(part, "bold")) for line in view.elsewhere for part in wrapped(line, width)]
        drawn_by_game = view.picture.panel if view.picture is not None else ()
        rows += [row(part) for line in drawn_by_game for part in wrapped(safe(line), width)]
        if view.picture is not None and (focus := focused(view.picture, person.at)) is not None:
            rows.append(clipped((Piece(tr("cursor on {move}", move=safe(focus.move))),), width))
        return [*rows[:room], *_log(view.log, person, width, room - len(rows) - 1)]

    return panel


def _player(seat: int, view: GameView, width: int) -> Row:
    player = view.players[seat]
    clock = tr("{clock} left, ", clock=player.clock) if player.clock else ""
    words = f"{'>' if player.due else ' '} {seat + 1} {player.name}, {clock}{player.note}"
    style = "bold due" if player.due else ""
    if player.score is None:
        return clipped((Piece(words, style),), width)
    return between(words, str(player.score), width, style)


def _log(log: Sequence[str], person: Person, width: int, room: int) -> list[Row]:
    """The newest lines that fit, or those further up that were scrolled to; a rule before them."""
    if room < 1:
        return []
    lines = [part for line in log[-room - max(person.scroll, 0) :] for part in wrapped(line.strip(), width)]
    end = len(lines) - min(max(person.scroll, 0), max(len(lines) - room, 0))
    return [rule(width), *[row(line) for line in lines[max(end - room, 0) : end]]]


def _replay_panel(view: ReplayView) -> Panel:
    def panel(width: int, room: int) -> list[Row]:
        given = view.picture.panel if view.picture is not None else ()
        tail = [row(part) for line in given for part in wrapped(safe(line), width)]
        said = (view.marked and f"* {view.marked}", view.secrecy, view.why)
        tail += [row(line) for text in said if text for line in wrapped(text, width)]
        many = max(room - len(tail) - 1, 3)
        return [*_events(view, width, many), rule(width), *tail]

    return panel


def _events(view: ReplayView, width: int, many: int) -> list[Row]:
    """The events around the one we are at, which has a mark before it."""
    top = min(max(view.at - many // 2, 0), max(len(view.events) - many, 0))
    rows: list[Row] = []
    for seq in range(top, min(top + many, len(view.events))):
        here = seq == view.at
        sign = "*" if seq in view.marks else " "
        piece = Piece(f"{'>' if here else ' '}{sign}{view.events[seq]}", "bold" if here else "", f"type goto {seq}")
        rows.append(clipped((piece,), width))
    return rows


def _timeline(view: ReplayView, width: int) -> Row:
    """How far one has come, and where the marks are; then the numbers, as far as there is room."""
    words = f" {view.at}/{view.last}  {view.pace}"
    room = max(width - get_cwidth(words) - 4, width // 4)
    if room < 8:
        return clipped((Piece(words),), width)
    line = ["#"] * room
    at = _column(view.at, view, room)
    line[at + 1 :] = ["."] * (room - at - 1)
    for seq in view.marks:
        line[_column(seq, view, room)] = "M"
    line[at] = ">"
    pieces = [
        Piece("".join(line[:at]), "head drawn"),
        Piece(">", "bold last"),
        Piece("".join(line[at + 1 :]), "dim drawn"),
    ]
    return clipped((Piece(" ["), *pieces, Piece(f"]{words}")), width)


def _column(seq: int, view: ReplayView, room: int) -> int:
    return round((room - 1) * seq / max(view.last, 1))


# -- the lobby


def _lobby(view: LobbyView, person: Person, width: int, room: int) -> Body:
    """Two lists, or one a page where it is narrow; then the invitation, then what was said."""
    asked = _asked(view, width)
    # Where both do not fit, the question comes first: somebody waits for the answer.
    invitation = [*(_invitation(view, width) if room >= 18 or not asked else []), *asked]
    left = room - len(invitation)
    chosen = chosen_in(view, person.at).at
    below = _notes(view, chosen, width)
    space = left - SAID - len(below)
    if width >= BOTH_LISTS:
        few = min(1 + max(len(view.tables), 1), max(space // 2, space - 2 - max(len(view.people), 1)))
        lists = [*_people(view, chosen, width, space - 1 - few), *below, BLANK]
        cursor = 1 + chosen[1] + (len(lists) if chosen[0] else 0)
        lists += _tables(view, chosen, width, few)
    else:
        lists = [*(_people, _tables)[chosen[0]](view, chosen, width, space), *below]
        cursor = chosen[1] + 1
    said = _log(view.log, person, width, left - len(lists) - 1)
    body = [*stacked([*lists, *said], left), *invitation]
    return [clipped(one, width) for one in body], (1, min(cursor, room - 1))


def _people(view: LobbyView, chosen: tuple[int, int], width: int, many: int) -> list[Row]:
    cells = [(one.name, one.trust, one.key, one.state) for one in view.people]
    rows = _table(
        tr("PEOPLE{found}", found=_found(view)), (tr("trust"), tr("key"), tr("where")), cells, chosen, 0, width, many
    )
    return rows if cells else [*rows, row(f"   {_nobody(view)}")]


def _tables(view: LobbyView, chosen: tuple[int, int], width: int, many: int) -> list[Row]:
    cells = [(f"{one.shown}  {one.game}", one.players, one.state) for one in view.tables]
    rows = _table(tr("TABLES{found}", found=_found(view)), (tr("players"), tr("state")), cells, chosen, 1, width, many)
    none = tr("no table matches") if view.wanted else tr("no open table; n opens one")
    return rows if cells else [*rows, row(f"   {none}")]


def _found(view: LobbyView) -> str:
    return f" /{view.wanted}" if view.wanted else ""


def _nobody(view: LobbyView) -> str:
    if view.wanted:
        return tr("nobody matches; Esc shows all again")
    return tr("nobody yet; c connects by address, where the network hides people")


def _notes(view: LobbyView, chosen: tuple[int, int], width: int) -> list[Row]:
    """What the network keeps from us, and what to know of whoever is chosen."""
    lines = wrapped(view.trouble, width - 3, 0) if view.trouble else []
    if chosen[0] == 0 and chosen[1] < len(view.people):
        one = view.people[chosen[1]]
        for doubt in one.doubts:
            lines += wrapped(f"?? {one.name} ({one.key}): {doubt}", width - 3)
    return [row(f"   {line}") for line in lines]


def _table(
    title: str,
    heads: tuple[str, ...],
    cells: Sequence[tuple[str, ...]],
    chosen: tuple[int, int],
    which: int,
    width: int,
    many: int,
) -> list[Row]:
    """A list under its title in at most so many rows; what is chosen has a mark before it and is always among them.

    The first column takes what the others leave.
    """
    columns = [
        max([len(heads[i]), *(width_of((Piece(line[i + 1]),)) for line in cells)]) + 2 for i in range(len(heads))
    ]
    columns = [min(column, 24, width - 20) for column in columns]
    while sum(columns) > width - 20 and columns:
        columns = columns[:-1]
    first = max(width - 3 - sum(columns), 8)

    def line(mark: str, parts: Iterable[str], style: str, act: str) -> Row:
        pieces = [
            piece
            for part, column in zip(parts, [first + 3 - len(mark), *columns], strict=False)
            for piece in padded((Piece(cut(part, column - 1), style, act),), column)
        ]
        return clipped((Piece(mark, style, act), *pieces), width)

    here = chosen[1] if chosen[0] == which else -1
    seen = max(many - 1, 1)
    top = max(here + 1 - seen, 0)
    counted = f"{title} ({seen} of {len(cells)})" if len(cells) > seen else title
    rows = [line(" ", (counted, *heads), "bold", "")]
    for at, parts in list(enumerate(cells))[top : top + seen]:
        rows.append(line(" > " if at == here else "   ", parts, "bold" if at == here else "", f"row {which} {at}"))
    return rows


def _invitation(view: LobbyView, width: int) -> list[Row]:
    """Who invites to what. It has keys of its own and takes none from anything else."""
    if not view.invitation:
        return []
    title, *rest = view.invitation
    lines = [part for line in rest for part in wrapped(line, width - 4)]
    return [
        rule(width),
        *[row(Piece(f" {line}", "bold")) for line in wrapped(title, width - 2)],
        *[row(f"   {line}") for line in lines],
        row("   ", Piece("a", "bold key", "type accept"), Piece(" accept", "", "type accept"), "   ",
            Piece("d", "bold key", "type decline"), Piece(" decline", "", "type decline")),
    ]  # fmt: skip


def _asked(view: LobbyView, width: int) -> list[Row]:
    """The oldest question in full: who is asked about is more than a name. It has no key, only its number."""
    if not view.questions:
        return []
    first = view.questions[0]
    return [rule(width), *[row(f" {line}") for line in wrapped(f"{first.number}: {first.text}", width - 2)]]


def has_pages(view: object, width: int, height: int) -> bool:
    """Whether there is a second page or list to turn to."""
    if isinstance(view, GameView | ReplayView) and view.picture is not None:
        cols, _ = size(view.picture)
        return width - cols - 3 < PANEL
    return isinstance(view, LobbyView)
