"""What is shown, as frozen values: taken from a game, the lobby or a replay as they are now, and made safe here.

Nothing here draws and nothing there asks: `views` sees only these values. Equal values look equal on the screen, so
the program need not draw while they do not change.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lantable.errors import LantableError, PluginFault
from lantable.game import Look, Picture, Sketch, fitted, gloss, told, widths
from lantable.text import safe_name, safe_text
from lantable_console import language
from lantable_console.eyes import Eyes
from lantable_console.language import tr
from lantable_console.screen.compose import Composer
from lantable_console.screen.picture import columns_for, remembered, without_spots
from lantable_console.screen.theme import enriched

if TYPE_CHECKING:
    from lantable.fold import Position
    from lantable.game import Rules
    from lantable_console.context import Context
    from lantable_console.desk import Desk
    from lantable_console.loop import Loop
    from lantable_console.replay import Viewer
    from lantable_console.settings import Looks
    from lantable_net.service import Someone

MOVES: Final = 20
"""Newest moves that are listed."""
LOG: Final = 300
"""Lines of what was said that can be scrolled back to."""


@dataclass(frozen=True, slots=True)
class Key:
    """One item of the bar: a key, what it does, and what a click on it does."""

    key: str
    words: str
    act: str


@dataclass(frozen=True, slots=True)
class Page:
    """A text over everything: help, or an answer of more than one line.

    `code` is a picture of text rows that is of use only whole, such as a QR code; the text stands beside or below it.
    """

    title: str
    lines: tuple[str, ...]
    code: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Person:
    """The state of the screen itself, in so far as it can be seen."""

    message: str = ""
    """What was said last."""
    typing: bool = False
    hints: str = ""
    """How what is being typed may go on."""
    page: int = 0
    scroll: int = 0
    """How many lines of the log lie below what is seen."""
    at: tuple[int, int] | None = None
    """Where the cursor is in the picture."""
    over: Page | None = None
    bar: tuple[Key, ...] = ()
    aside: bool = False
    """Whether the person is in the panel beside a board on which a move is put together."""
    fresh: bool = False
    """Whether something was said since the last key."""
    clicks: bool = False
    """Whether clicks act here."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An open question of somebody else: its number, and what is asked."""

    number: int
    text: str


def asked(context: "Context") -> tuple[Asked, ...]:
    """The open questions, the oldest first."""
    return tuple(Asked(question.number, question.text) for question in context.questions.open())


# -- a game


@dataclass(frozen=True, slots=True)
class Player:
    """One seat. `note` says who or where, and how far trusted: you; computer; connected, compared; resigned. `score`
    is None where the game tells it in its own way."""

    name: str
    note: str
    due: bool
    clock: str = ""
    """What is left of its time, if there is a clock and it does not run; the one that runs stands beside the turn."""
    score: int | None = None


@dataclass(frozen=True, slots=True)
class GameView:
    """A game as the person at this keyboard may see it."""

    title: str
    game: str
    turn: str
    """Whose turn it is, or how it ended, in words."""
    mine: bool
    """Whether this person is to move."""
    players: tuple[Player, ...]
    picture: Picture | None
    fault: str
    """Why there is no picture."""
    standing: str
    """How far the record has come."""
    log: tuple[str, ...]
    questions: tuple[Asked, ...] = ()
    sketch: Sketch | None = None
    """The move that is being put together, with its own picture; None where none is."""
    moves: tuple[str, ...] = ()
    """The newest moves, a line each."""
    elsewhere: tuple[str, ...] = ()
    """What calls from elsewhere: an invitation, another game that has begun."""


def game_view(loop: "Loop", composer: Composer, width: int = 80) -> GameView:
    """A game as it is now, for a screen of some width. A plugin that cannot draw it is told in its place."""
    session, looks, eyes = loop.board.session, loop.context.face.looks, Eyes(loop.board.eyes())
    sketch = composer.sketch(_look(looks, loop.board.position.rules, width))
    if sketch is None:
        picture, fault = pictured(loop.board.position, eyes, looks, width)
    else:
        picture, fault = _sketched(sketch.picture, loop.board.position, eyes, looks)
    turn, mine = _turn(loop)
    return GameView(
        title=title_of(loop),
        game=session.game.hex()[:8],
        turn=turn,
        mine=mine,
        players=_players(loop),
        picture=picture,
        fault=fault,
        standing=tr("log ok #{seq}", seq=session.table.chain.seq) if not session.stopped else "STOPPED",
        log=recent(loop.board.log),
        questions=asked(loop.context),
        sketch=sketch,
        moves=() if sketch is None else _moves(loop.board.position)(loop.board.name),
        elsewhere=tuple(_elsewhere(loop)),
    )


def _elsewhere(loop: "Loop") -> list[str]:
    """Invitations and games that wait while this one is played, a line each, with what to type."""
    if loop.elsewhere is None:
        return []
    lines = (
        [tr("{invitation_lines}: type join", invitation_lines=loop.elsewhere.invitation_lines()[0])]
        if loop.invitations()
        else []
    )
    waiting = loop.waiting()
    return [*lines, *([tr("{waiting} other game(s) of yours: type switch", waiting=len(waiting))] if waiting else [])]


def _look(looks: "Looks", rules: "Rules[Any]", width: int) -> Look:
    """What to ask a game for, on a screen of some width."""
    return Look(columns_for(_widths(rules), width, looks.size), width - 1, looks.unicode)


def _widths(rules: "Rules[Any]") -> Sequence[int]:
    try:
        return widths(rules)
    except Exception:  # noqa: BLE001 - a stranger's code: `pictured` will say so
        return ()


_drawn: Final[deque[tuple["Rules[Any]", Any, Look, bool, Picture]]] = deque(maxlen=4)
"""The newest pictures and what they are of. Views are compared, not hashed: a game need not be able to."""


def pictured(position: "Position", eyes: Eyes, looks: "Looks", width: int = 80) -> tuple[Picture | None, str]:
    """The picture these eyes see as the person wants it to look, or why there is none."""
    rules = position.rules
    return _tried(lambda: _pictured(rules, eyes.view(position), _look(looks, rules, width), shadow=looks.shadow))


def _sketched(picture: Picture, position: "Position", eyes: Eyes, looks: "Looks") -> tuple[Picture | None, str]:
    """The picture of a draft, with what is for learners."""
    return _tried(lambda: _glossed(picture, position.rules, eyes.view(position)) if looks.shadow else picture)


def _tried(draw: Callable[[], Picture]) -> tuple[Picture | None, str]:
    try:
        return draw(), ""
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code: the screen must go on
        words = str(error) if isinstance(error, PluginFault) else f"{type(error).__name__}: {error}"
        return None, safe_text(tr("the game could not be drawn: {words}", words=words))


def _glossed(picture: Picture, rules: "Rules[Any]", view: Any) -> Picture:
    return replace(picture, panel=(*picture.panel, *map(language.shown, gloss(rules, view))))


def _pictured(rules: "Rules[Any]", view: Any, look: Look, *, shadow: bool) -> Picture:
    for known_rules, known_view, known_look, known_shadow, picture in _drawn:
        known = known_rules is rules and (known_look, known_shadow) == (look, shadow)
        if known and (known_view is view or known_view == view):
            return picture
    picture = fitted(rules, view, look)
    picture = replace(picture, panel=tuple(map(language.shown, picture.panel)))
    picture = enriched(picture) if look.unicode else picture
    picture = _glossed(picture, rules, view) if shadow else picture
    _drawn.appendleft((rules, view, look, shadow, picture))
    return picture


@remembered
def _moves(position: "Position") -> Callable[[Callable[[int], str]], tuple[str, ...]]:
    """The newest moves with what each brought, as everybody may read them."""
    found: list[tuple[int, int, str, int]] = []
    at: Position | None = position
    while at is not None and at.last is not None and len(found) < MOVES:
        before = at.before
        if at.last.type == "move" and before is not None:
            seat = at.last.seat
            gain = _score(at, seat) - _score(before, seat)
            found.append((at.seq, seat, told(at.rules, str(at.last.body["move"])), gain))
        at = before
    return lambda name: tuple(f"{seq:3} {name(seat)} {move}  {gain:+}" for seq, seat, move, gain in reversed(found))


def _score(position: "Position", seat: int) -> int:
    return position.standing.scores[seat]


def title_of(loop: "Loop") -> str:
    """The game's title and what is not as usual in it."""
    from lantable_console.log import game_words

    return game_words(loop.context.host, loop.board.session.table.chain.offer)


def _turn(loop: "Loop") -> tuple[str, bool]:
    """Whose turn it is, with the one clock that runs; and whether it is this person's."""
    words, mine = _turn_words(loop)
    mover = loop.board.position.mover
    clock = "" if mover is None or loop.board.over else loop.board.clock_words(mover)
    return f"{words}  {clock}".rstrip(), mine


def _turn_words(loop: "Loop") -> tuple[str, bool]:
    session = loop.board.session
    if session.stopped:
        return tr("STOPPED"), False
    try:
        outcome, due = loop.board.position.outcome, loop.board.position.due
    except LantableError as error:
        return safe_text(str(error)), False
    if outcome is not None:
        from lantable_console.telling import ending

        return tr("GAME OVER: {ending}", ending=ending(loop.board, outcome)), False
    if due is None:
        return tr("nobody is to move"), False
    if missing := sorted(session.missing()):
        return tr("waiting for {missing}", missing=", ".join(loop.board.name(seat) for seat in missing)), False
    if loop.board.position.mover is None:
        return tr("something is being dealt"), False
    last = loop.board.position.last
    again = last is not None and last.type == "move" and last.seat == due
    if not loop.board.yours(due):
        name = loop.board.name(due)
        return tr("{name} is to move again", name=name) if again else tr("{name} is to move", name=name), False
    mine = session.my_turn
    if not mine:
        return tr("wait for the others to acknowledge"), False
    several = len(
        [
            owner
            for seat, owner in enumerate(loop.board.position.owners)
            if owner == session.me and loop.board.yours(seat)
        ]
    )
    if not loop.board.sits(due):
        return tr("{name}, sit down: s, when only you see the screen", name=loop.board.name(due)), False
    who = f"{loop.board.name(due)}, " if several > 1 else ""
    return tr("{who}YOUR MOVE AGAIN", who=who) if again else tr("{who}YOUR MOVE", who=who), True


def _players(loop: "Loop") -> tuple[Player, ...]:
    return tuple(_player(loop, seat) for seat in range(len(loop.board.position.owners)))


def _player(loop: "Loop", seat: int) -> Player:
    position = loop.board.position
    gone = dict(position.withdrawn)
    runs = seat == position.mover and not loop.board.over
    return Player(
        name=loop.board.name(seat),
        note=", ".join([gone[seat]] if seat in gone else loop.showing.notes(seat)),
        due=seat == position.due,
        clock="" if runs else loop.board.clock_words(seat),
        # What offers several widths leaves to the table what the table can tell of every game.
        score=position.standing.scores[seat] if _widths(position.rules) else None,
    )


# -- a replay


@dataclass(frozen=True, slots=True)
class ReplayView:
    """A record at one of its events."""

    title: str
    verdict: str
    """VERIFIED and the like, in words."""
    why: str
    at: int
    last: int
    event: str
    picture: Picture | None
    fault: str
    events: tuple[str, ...]
    """One line an event, the one we are at marked."""
    marks: tuple[int, ...]
    """The events worth a mark."""
    marked: str
    """Why the one we are at has one."""
    secrecy: str
    """Whether what was hidden is shown."""
    pace: str
    """Whether it runs and how fast, how long the game had lasted, and what is left out."""


def replay_view(viewer: "Viewer", width: int = 80) -> ReplayView:
    """A replay as it is now, for a screen of some width."""
    from lantable_console.log import event_line, game_words, standing

    cursor = viewer.cursor
    picture, fault = pictured(cursor.position, viewer.eyes(), viewer.context.face.looks, width)
    picture = None if picture is None else without_spots(picture)
    word, why = standing(viewer.report)
    players = ", ".join(player.name for player in viewer.report.players)
    if cursor.at == viewer.last:
        why = viewer.at_the_end()
    return ReplayView(
        title=f"{game_words(viewer.context.host, cursor.offer)}  {players}",
        verdict=tr(word),
        why=why,
        at=cursor.at,
        last=viewer.last,
        event=event_line(cursor.chain, cursor.at, viewer.tell()).strip(),
        picture=picture,
        fault=fault,
        events=viewer.event_words(),
        marks=tuple(viewer.marks()),
        marked=viewer.marks().get(cursor.at, ""),
        secrecy=viewer.secrecy(),
        pace=f"{tr('runs') if viewer.running else tr('stands')} {viewer.speed:g}x  {viewer.elapsed()}  {viewer.cut()}",
    )


# -- the lobby


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody in the lobby."""

    name: str
    key: str
    trust: str
    state: str
    typed: str
    """How one says who is meant."""
    doubts: tuple[str, ...] = ()
    """What could make this name pass for somebody else; said below the list, with two question marks in it."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """An open table. Ours are in the list too."""

    typed: str
    shown: str
    game: str
    players: str
    state: str


@dataclass(frozen=True, slots=True)
class LobbyView:
    """The lobby as it is now."""

    me: str
    words: str
    port: int
    people: tuple[PersonRow, ...]
    tables: tuple[TableRow, ...]
    invitation: tuple[str, ...]
    """The oldest invitation in words, and how many more there are; empty if there is none."""
    trouble: str
    log: tuple[str, ...]
    wanted: str = ""
    """What the lists are filtered by."""
    questions: tuple[Asked, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """The row of a list that is marked: list 0 or 1 and row, and how it is typed."""

    at: tuple[int, int]
    typed: str


def chosen_in(view: LobbyView, at: tuple[int, int] | None) -> Chosen:
    """What is marked if the mark was set there: lists grow shorter, and before any key the first person is marked."""
    which, row = at or (0, 0)
    rows: Sequence[PersonRow | TableRow] = (view.people, view.tables)[which % 2]
    row = min(row, max(len(rows) - 1, 0))
    return Chosen((which % 2, row), rows[row].typed if rows else "")


def lobby_view(desk: "Desk", wanted: str | None = None) -> LobbyView:
    """The lobby as it is now; the lists filtered by `wanted`, or by what was asked for last."""
    from lantable_console.desk import matches

    lobby = desk.lobby
    identity = lobby.node.identity
    text = desk.wanted if wanted is None else wanted
    return LobbyView(
        me=safe_name(identity.name),
        words=_short(identity.key.public.words),
        port=lobby.node.port,
        people=tuple(one for one in _people(desk) if matches(text, one.name, one.key, one.trust, one.state)),
        tables=tuple(one for one in _tables(desk) if matches(text, one.shown, one.game, one.players, one.state)),
        invitation=tuple(desk.invitation_lines()),
        trouble=safe_text(lobby.trouble),
        log=recent(lobby.log),
        wanted=safe_text(text),
        questions=asked(lobby.context),
    )


def _short(words: str) -> str:
    return "-".join(words.split("-")[:2])


def _people(desk: "Desk") -> list[PersonRow]:
    """Whoever is here first, then who is listed, then who does not answer."""
    from lantable_net.presence import Presence

    order = list(Presence)
    people = sorted(desk.lobby.service.people(), key=lambda someone: order.index(someone.presence))
    return [_person(desk, someone) for someone in people]


def _person(desk: "Desk", someone: "Someone") -> PersonRow:
    from lantable_console.people import doubts
    from lantable_net.presence import Presence

    lobby = desk.lobby
    refused = lobby.service.refused.get(someone.key)
    if someone.presence is Presence.HERE and someone.peer is not None:
        word = lobby.trust_word(someone.peer)
        trust = tr(word)
        state = (
            tr("away")
            if lobby.is_away(someone.key)
            else tr("in a game")
            if lobby.plays_with(someone.key)
            else tr("here")
        )
    else:
        word, there = refused.word if refused is not None else "", someone.presence.value
        trust = tr(word) if word else tr("not proved")
        state = tr("refused") if word else tr(there)
    notes = doubts(lobby.store, someone.key, someone.name)
    if refused is not None and refused.changed:
        notes.append(tr("another key than the one you know by this name"))
    key = _short(someone.key.words)
    typed = desk.people_typed()[someone.key]
    return PersonRow(lobby.named(someone), key, f"{trust} ??" if notes else trust, state, typed, tuple(notes))


def _tables(desk: "Desk") -> list[TableRow]:
    """Games of ours that go on, then open tables, ours first."""
    from lantable_console.log import game_words

    lobby = desk.lobby
    running = [
        TableRow(
            typed=game.hex()[:8],
            shown=tr("game {game}", game=game.hex()[:8]),
            game=game_words(lobby.context.host, session.table.chain.offer),
            players=", ".join(safe_name(seat.name) for seat in session.table.chain.offer.seats),
            state=tr("your move") if session.my_turn else tr("goes on"),
        )
        for game, session in lobby.running()
    ]
    own = [
        (table.info, tr("yours, {seats_left}", seats_left=lobby.seats_left(table.info)))
        for table in lobby.node.hosting.values()
    ]
    others = [
        (info, tr("you asked to sit") if info.name in lobby.asked else lobby.seats_left(info))
        for _, info in lobby.tables()
    ]
    return running + [
        TableRow(
            typed=info.name,
            shown=safe_name(info.name),
            game=lobby.game_line(info),
            players=", ".join(safe_name(name) for name in info.taken),
            state=state,
        )
        for info, state in [*own, *others]
    ]


def recent(log: Sequence[str]) -> tuple[str, ...]:
    return tuple(log[-LOG:])
