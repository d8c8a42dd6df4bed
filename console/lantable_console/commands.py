"""Everything that can be typed or pressed while the program runs, in one table.

A row names a command, says where it applies and what does it. Line mode and full screen, keys, completion, help and
the bar of keys all read this table, so what a key does can always be typed as well. A key stands for the line that
would be typed in its place, with the argument that is given beside it.

A row that is marked `screen` changes only what is shown (the cursor, a page, help); line mode has no use for it.
What it does it does to the screen; all others act on what is before the person: a game, the lobby, a replay.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lantable.errors import Misuse
from lantable.game import nearest, typed
from lantable.text import fold
from lantable_console.language import N_, shown, tr

if TYPE_CHECKING:
    from lantable_console.desk import Desk
    from lantable_console.loop import Loop
    from lantable_console.replay import Viewer
    from lantable_console.screen.app import Screen

    Game: TypeAlias = Loop
    Lobby: TypeAlias = Desk
    Replay: TypeAlias = Viewer
    Done: TypeAlias = Awaitable[None] | None

WIDE: Final = 10
"""How many events a wide step of a replay takes."""


class Place(Enum):
    """What is before the person, and so which keys mean what."""

    GAME = "game"
    BOARD = "board"
    """A game in which a move is put together: what is typed goes to the board."""
    BESIDE = "beside"
    """The panel beside such a board: letters are commands."""
    LOBBY = "lobby"
    REPLAY = "replay"
    FORM = "form"
    LINE = "line"
    """The input line, while something is being typed into it."""
    OPENING = "opening"
    """Nothing is there yet: what is typed is kept until there is."""


TOGETHER: Final = (Place.GAME, Place.LOBBY)
PUTTING: Final = (Place.BOARD, Place.BESIDE)
IN_GAME: Final = (Place.GAME, *PUTTING)
BOARDS: Final = (*IN_GAME, Place.REPLAY)
PAGES: Final = (*IN_GAME, Place.LOBBY, Place.REPLAY)
EVERYWHERE: Final = (*PAGES, Place.FORM, Place.LINE)
ALWAYS: Final = (*EVERYWHERE, Place.OPENING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One row. `help` begins in lower case and names no key: those stand beside it."""

    name: str
    help: str
    places: tuple[Place, ...]
    do: Callable[[Any, str], Done]
    also: tuple[str, ...] = ()
    """Other words for it. "" is an empty line."""
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    """Keys as prompt_toolkit names them, each with the argument it stands for."""
    argument: str = ""
    """What must follow the word, such as `N`; in brackets if it may be left out."""
    completes: Callable[[Any], Iterable[str]] = lambda _: ()
    """What may stand as the argument now."""
    when: Callable[[Any], bool] = lambda _: True
    """Whether there is anything behind it now; while not, its keys are not shown. Asked of what `do` acts on."""
    screen: bool = False
    bar: str = ""
    """What the bar of keys says; "" keeps it out of the bar."""

    @property
    def words(self) -> tuple[str, ...]:
        return (self.name, *self.also)

    @property
    def usage(self) -> str:
        """`goto N or g N`"""
        return " or ".join(f"{word} {self.argument}".strip() for word in self.words if word)

    @property
    def needs_argument(self) -> bool:
        return bool(self.argument) and not self.argument.startswith("[")

    def check(self, argument: str) -> None:
        """Raises `Misuse` if an argument is missing, or given to a command that takes none."""
        if (self.needs_argument and not argument) or (argument and not self.argument):
            raise Misuse(tr("type  {usage}", usage=self.usage))


def at(place: Place, *, screen: bool = True) -> Iterator[Command]:
    """The rows of one place, in the order of the table; without those of the screen if there is none."""
    return (command for command in COMMANDS if place in command.places and (screen or not command.screen))


def find(place: Place, word: str, *, screen: bool = False) -> Command | None:
    """The command a word means there."""
    return next((command for command in at(place, screen=screen) if fold(word) in command.words), None)


def read(place: Place, line: str) -> tuple[Command | None, str]:
    """A typed line as a command (None if its first word is none) and the rest of the line. A slash is a word alone."""
    line = line.strip().removeprefix(":")
    word, _, rest = (line[:1], "", line[1:]) if line.startswith("/") else line.partition(" ")
    return find(place, word), rest.strip()


def understood(place: Place, line: str) -> tuple[Command, str]:
    """As `read`, where nothing but commands can be typed. Raises `Misuse` with the nearest."""
    command, rest = read(place, line)
    if command is None:
        word = line.strip().removeprefix(":").partition(" ")[0]
        known = [word for row in at(place, screen=False) for word in row.words if word]
        raise Misuse(tr("{word} is not understood", word=repr(word)) + shown(nearest(word, known)))
    command.check(rest)
    return command, rest


def completions(subject: Game | Lobby | Replay, line: str) -> list[str]:
    """How a line may go on in line mode: commands there is anything behind now, and what may stand behind them."""
    word, space, rest = line.partition(" ")
    if not space:
        known = [row.name for row in at(subject.place, screen=False) if row.when(subject)]
        return [name for name in dict.fromkeys(known) if name.startswith(fold(word))]
    row = find(subject.place, word)
    offered = row.completes(subject) if row is not None else ()
    return [f"{word} {one}" for one in offered if one.startswith(rest)]


def help_lines(place: Place) -> list[str]:
    """What line mode prints for `help`."""
    return [f"{command.usage}: {tr(command.help)}" for command in at(place, screen=False)]


# -- handlers, each checked against what it acts on


def _on_game(do: Callable[[Game, str], Done]) -> Callable[[Any, str], Done]:
    return do


def _in_lobby(do: Callable[[Lobby, str], Done]) -> Callable[[Any, str], Done]:
    return do


def _in_replay(do: Callable[[Replay, str], Done]) -> Callable[[Any, str], Done]:
    return do


def _anywhere(do: Callable[[Game | Lobby | Replay, str], Done]) -> Callable[[Any, str], Done]:
    return do


def _on_screen(do: Callable[[Screen, str], None]) -> Callable[[Any, str], Done]:
    return do


def _game_is(asked: Callable[[Game], bool]) -> Callable[[Any], bool]:
    return asked


def _lobby_has(asked: Callable[[Lobby], bool]) -> Callable[[Any], bool]:
    return asked


def _screen_has(asked: Callable[[Screen], bool]) -> Callable[[Any], bool]:
    return asked


def _together(do: Callable[[Game | Lobby, str], Done]) -> Callable[[Any, str], Done]:
    return do


def _questions(subject: Game | Lobby) -> list[str]:
    return subject.context.questions.numbers()


def _asked(subject: Game | Lobby) -> bool:
    return bool(subject.context.questions.numbers())


def _over_together(subject: Game | Lobby) -> bool:
    return subject.can_rematch


def _talkers(subject: Game | Lobby) -> list[str]:
    return subject.talkers()


def _invitations(desk: Lobby) -> list[str]:
    return desk.invitations()


def switch(subject: Game | Lobby | Replay, name: str) -> None:
    """Change how things are shown, on or off, and say how to keep it so."""
    on = subject.context.face.looks.switch(name)
    so = tr("* {name} is on", name=name) if on else tr("* {name} is off", name=name)
    how = f"lantable config set {name} {typed(on)}"
    subject.context.say(tr("{so}; for good:  {how}", so=so, how=how))


COMMANDS: Final = (
    # -- a game
    Command(
        name="board", also=("b",), argument="[PART]", places=(Place.GAME,),
        help=N_("show the position; or a row, a column or a cell of it in words, such as  board 2"),
        do=_on_game(lambda game, part: game.showing.board(part)),
    ),
    Command(
        name="sit", also=("",), places=(Place.GAME,), keys={"s": ""}, bar=N_("sit down"),
        help=N_("sit down at the keyboard and see what only you may see; so does an empty line"),
        do=_on_game(lambda game, _: game.turns.sit_down()), when=_game_is(lambda game: game.board.someone_waits),
    ),
    Command(
        name="moves",
        help=N_("list the legal moves"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.showing.moves()),
    ),
    Command(
        name="try", argument="MOVE",
        help=N_("say whether a move may be played and what it makes, and play nothing"),
        places=(Place.GAME,), do=_on_game(lambda game, text: game.showing.try_out(text)),
    ),
    Command(
        name="news",
        help=N_("what happened lately, once more"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.showing.news()),
    ),
    Command(
        name="hint",
        help=N_("what the strongest computer player would play; nothing is played"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.computers.hint()), when=_game_is(lambda game: game.computers.can_hint),
    ),
    Command(
        name="score",
        help=N_("who has how much, and whose turn it is"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.showing.score()),
    ),
    Command(
        name="who",
        help=N_("the players, their keys, and who is connected"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.showing.who()),
    ),
    Command(
        name="undo", argument="[N]", places=(Place.GAME,),
        help=N_("offer to take back your last move, or to go back to move N"),
        do=_on_game(lambda game, text: game.undo(text)),
        when=_game_is(lambda game: game.can_wish),
    ),
    Command(
        name="draw",
        help=N_("offer a draw"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.wish("draw")), when=_game_is(lambda game: game.can_wish),
    ),
    Command(
        name="stop",
        help=N_("offer to stop here and count"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.wish("stop")), when=_game_is(lambda game: game.can_wish),
    ),
    Command(
        name="nevermind",
        help=N_("withdraw your offers to undo, draw and stop"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.never_mind()), when=_game_is(lambda game: game.can_wish),
    ),
    Command(
        name="resign",
        help=N_("resign: you lose, whatever the score"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.wish("resign")), when=_game_is(lambda game: game.can_wish),
    ),
    Command(
        name="leave",
        help=N_("leave a game of three or four for good; it goes on without you"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.wish("leave")), when=_game_is(lambda game: game.can_wish),
    ),
    Command(
        name="time",
        help=N_("what time each player has left"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.showing.time()), when=_game_is(lambda game: game.board.has_clock),
    ),
    Command(
        name="yes", also=("y",), argument="NUMBER", places=(Place.GAME,),
        help=N_("say yes to the question of that number: an offer, a seat, a rematch"),
        do=_together(lambda subject, text: subject.answer(text, yes=True)),
        completes=_questions, when=_asked,
    ),
    Command(
        name="yes", also=("y",), argument="NUMBER", places=(Place.LOBBY,), keys={"y": ""}, bar=N_("answer"),
        help=N_("say yes to the question of that number: a seat, a rematch"),
        do=_together(lambda subject, text: subject.answer(text, yes=True)),
        completes=_questions, when=_asked,
    ),
    Command(
        name="no", also=("n",), argument="NUMBER", places=TOGETHER,
        help=N_("say no to the question of that number"),
        do=_together(lambda subject, text: subject.answer(text, yes=False)),
        completes=_questions, when=_asked,
    ),
    Command(
        name="continue", places=(Place.GAME,),
        help=N_("when somebody is gone for good: go on without them, as another game from here, if the others agree"),
        do=_on_game(lambda game, _: game.go_on()), when=_game_is(lambda game: game.can_go_on),
    ),
    Command(
        name="rematch", places=TOGETHER, keys={"r": ""}, bar=N_("rematch"),
        help=N_("after a game: the same again, and the next player begins"),
        do=_together(lambda subject, _: subject.rematch()), when=_over_together,
    ),
    Command(
        name="chat", argument="TEXT", places=TOGETHER,
        help=N_("say something: in a game to its players, in the lobby to everybody there; no record keeps it"),
        do=_together(lambda subject, text: subject.chat(text)),
    ),
    Command(
        name="mute", argument="NAME", places=TOGETHER, help=N_("show nothing more of what somebody says"),
        do=_together(lambda subject, name: subject.mute(name, muted=True)), completes=_talkers,
    ),
    Command(
        name="unmute", argument="NAME", places=TOGETHER, help=N_("show again what somebody says"),
        do=_together(lambda subject, name: subject.mute(name, muted=False)), completes=_talkers,
    ),
    Command(
        name="away",
        help=N_("tell the others that you are away for a while"), places=TOGETHER,
        do=_together(lambda subject, _: subject.go_away(away=True)),
    ),
    Command(
        name="back",
        help=N_("tell the others that you are back; a move says it too"), places=TOGETHER,
        do=_together(lambda subject, _: subject.go_away(away=False)),
    ),
    Command(
        name="rules",
        help=N_("the rules of this game, to be read"), places=(Place.GAME,),
        do=_on_game(lambda game, _: game.showing.rules()),
    ),
    Command(
        name="invitations", places=(Place.GAME,), help=N_("to what others invite you meanwhile, and your other games"),
        do=_on_game(lambda game, _: game.show_invitations()), when=_game_is(lambda game: game.elsewhere is not None),
    ),
    Command(
        name="join", argument="[TABLE]", places=(Place.GAME,),
        help=N_("follow the oldest invitation, or that to a table; this game goes on"),
        do=_on_game(lambda game, text: game.join(text)), completes=lambda game: game.invitations(),
        when=_game_is(lambda game: bool(game.invitations())),
    ),
    Command(
        name="switch", argument="[GAME]", places=(Place.GAME,), help=N_("to another game of yours that has begun"),
        do=_on_game(lambda game, text: game.switch(text)), completes=lambda game: game.waiting(),
        when=_game_is(lambda game: bool(game.waiting())),
    ),
    # -- the lobby
    Command(
        name="who",
        help=N_("who is connected, and who else is listed"), places=(Place.LOBBY,),
        do=_in_lobby(lambda desk, _: desk.show_people()),
    ),
    Command(
        name="news",
        help=N_("what happened lately, once more"), places=(Place.LOBBY,),
        do=_in_lobby(lambda desk, _: desk.show_news()),
    ),
    Command(
        name="network",
        help=N_("what was tried on each interface, and your addresses"), places=(Place.LOBBY,),
        do=_in_lobby(lambda desk, _: desk.show_network()),
    ),
    Command(
        name="tables",
        help=N_("open tables"), places=(Place.LOBBY,),
        do=_in_lobby(lambda desk, _: desk.show_tables()),
    ),
    Command(
        name="join", argument="TABLE", places=(Place.LOBBY,), bar=N_("join"),
        help=N_("sit down at an open table, or follow an invitation"),
        do=_in_lobby(lambda desk, rest: desk.join(rest)), keys={"j": ""},
        completes=lambda desk: desk.table_names(), when=_lobby_has(lambda desk: bool(desk.table_names())),
    ),
    Command(
        name="watch", argument="TABLE",
        help=N_("look on without playing"), places=(Place.LOBBY,), bar=N_("watch"),
        do=_in_lobby(lambda desk, rest: desk.watch(rest)), keys={"w": ""},
        completes=lambda desk: desk.table_names(), when=_lobby_has(lambda desk: bool(desk.table_names())),
    ),
    Command(
        name="accept", argument="[TABLE]", places=(Place.LOBBY,), bar=N_("accept"),
        help=N_("accept the oldest invitation, or that to a table: sit down there"),
        do=_in_lobby(lambda desk, rest: desk.accept(rest)), keys={"a": ""},
        completes=_invitations, when=_lobby_has(lambda desk: bool(desk.invitations())),
    ),
    Command(
        name="decline", argument="[TABLE]", places=(Place.LOBBY,), bar=N_("decline"),
        help=N_("put the oldest invitation aside, or that to a table; the table stays in the list"),
        do=_in_lobby(lambda desk, rest: desk.decline(rest)), keys={"d": ""},
        completes=_invitations, when=_lobby_has(lambda desk: bool(desk.invitations())),
    ),
    Command(
        name="host", argument="GAME [RULES] [seats=N] [clock=10+5] [overtime=penalty=10] [open=yes] [first=me]",
        places=(Place.LOBBY,),
        help=N_(
            "open a table, such as  host GAME size=3x3 seats=3; you are asked about each who joins, unless it is open"
        ),
        do=_in_lobby(lambda desk, rest: desk.host(rest)), completes=lambda desk: desk.game_names(),
    ),
    Command(
        name="close", argument="[TABLE]",
        help=N_("close a table of yours that waits for players"), places=(Place.LOBBY,),
        do=_in_lobby(lambda desk, rest: desk.close(rest)),
        completes=lambda desk: desk.own_tables(), when=_lobby_has(lambda desk: bool(desk.own_tables())),
    ),
    Command(
        name="solo", argument="GAME [RULES] [seats=N] [clock=10+5]", places=(Place.LOBBY,),
        help=N_("play here and now against the computer"),
        do=_in_lobby(lambda desk, rest: desk.solo(rest)), completes=lambda desk: desk.game_names(),
        when=_lobby_has(lambda desk: not desk.busy),
    ),
    Command(
        name="resume", argument="[GAME]", places=(Place.LOBBY,),
        help=N_("go on with an unfinished game; without its digits, with the only one that runs or is kept"),
        do=_in_lobby(lambda desk, rest: desk.resume(rest)), completes=lambda desk: desk.running_games(),
        when=_lobby_has(lambda desk: not desk.busy),
    ),
    Command(
        name="rules", argument="GAME", help=N_("the rules of a game, to be read"), places=(Place.LOBBY,),
        do=_in_lobby(lambda desk, rest: desk.show_rules(rest)), completes=lambda desk: desk.game_names(),
    ),
    Command(
        name="connect", argument="HOST:PORT",
        help=N_("reach somebody whom the network hides"), places=(Place.LOBBY,),
        do=_in_lobby(lambda desk, rest: desk.connect(rest)), keys={"c": ""}, bar=N_("connect"),
    ),
    Command(
        name="invite", argument="[TABLE]", places=(Place.LOBBY,),
        help=N_("your code: an invitation to your table, also as a QR code, and your addresses"),
        do=_in_lobby(lambda desk, rest: desk.invite(rest)), keys={"k": ""}, bar=N_("my code"),
        completes=lambda desk: desk.own_tables(),
    ),
    Command(
        name="form",
        help=N_("choose a game and its options, and open a table"), places=(Place.LOBBY,), screen=True,
        do=_on_screen(lambda screen, _: screen.open_form("host")), keys={"n": ""}, bar=N_("new table"),
    ),
    Command(
        name="alone",
        help=N_("choose a game and its options, and play against the computer"), places=(Place.LOBBY,),
        screen=True, do=_on_screen(lambda screen, _: screen.open_form("solo")), keys={"s": ""}, bar=N_("solo"),
    ),
    Command(
        name="info", argument="PERSON", places=(Place.LOBBY,), bar=N_("who is it"),
        help=N_("all that is known of somebody, with the words to compare"), keys={"i": ""},
        do=_in_lobby(lambda desk, rest: desk.show_person(rest)), completes=lambda desk: desk.person_names(),
        when=_lobby_has(lambda desk: bool(desk.person_names())),
    ),
    Command(
        name="compared", argument="PERSON", places=(Place.LOBBY,),
        help=N_("you compared the four words with theirs, and they are equal"),
        do=_in_lobby(lambda desk, rest: desk.decide("trust", rest, compared=True)),
        completes=lambda desk: desk.person_names(),
    ),
    Command(
        name="trust", argument="PERSON [NAME]", places=(Place.LOBBY,),
        help=N_("accept a key, also one that came under a known name; name it by its digits, and say whose it is"),
        do=_in_lobby(lambda desk, rest: desk.decide("trust", rest)), completes=lambda desk: desk.person_names(),
    ),
    Command(
        name="block", argument="PERSON", places=(Place.LOBBY,), help=N_("refuse somebody's key from now on"),
        do=_in_lobby(lambda desk, rest: desk.decide("block", rest)), completes=lambda desk: desk.person_names(),
    ),
    Command(
        name="forget", argument="PERSON", places=(Place.LOBBY,), help=N_("forget a key; it will be new again"),
        do=_in_lobby(lambda desk, rest: desk.decide("forget", rest)), completes=lambda desk: desk.person_names(),
    ),
    Command(
        name="alias", argument="PERSON [NAME]", places=(Place.LOBBY,),
        help=N_("call somebody by a name of your own; without one, by theirs again"),
        do=_in_lobby(lambda desk, rest: desk.decide("alias", rest)), completes=lambda desk: desk.person_names(),
    ),
    Command(
        name="filter", also=("/",), argument="[TEXT]", places=(Place.LOBBY,),
        help=N_("only people and tables with this in their line; without it, all again"),
        do=_in_lobby(lambda desk, rest: desk.filter(rest)),
    ),
    Command(
        name="find",
        help=N_("filter both lists while you type"), places=(Place.LOBBY,), screen=True,
        do=_on_screen(lambda screen, _: screen.start_line("/")), keys={"/": ""}, bar=N_("find"),
    ),
    # -- a replay
    Command(
        name="next", also=("n", ""), argument="[N]", help=N_("one event on, or N; so does an empty line"),
        places=(Place.REPLAY,), do=_in_replay(lambda viewer, text: viewer.step(text, 1)),
        keys={"right": "", "s-right": str(WIDE)}, bar=N_("on"),
    ),
    Command(
        name="prev", also=("p",), argument="[N]", help=N_("one event back, or N"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, text: viewer.step(text, -1)),
        keys={"left": "", "s-left": str(WIDE)}, bar=N_("back"),
    ),
    Command(
        name="first",
        help=N_("to event 0, before the first move"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.go(0)), keys={"home": ""}, bar=N_("first"),
    ),
    Command(
        name="last",
        help=N_("to the last good event"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.go(viewer.last)), keys={"end": ""}, bar=N_("last"),
    ),
    Command(
        name="goto", also=("g",), argument="N", help=N_("to the position after event N"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, text: viewer.goto(text)), keys={"g": ""}, bar=N_("goto"),
    ),
    Command(
        name="board", also=("b",), argument="[PART]", places=(Place.REPLAY,),
        help=N_("the position once more; or a row, a column or a cell of it in words, such as  board 2"),
        do=_in_replay(lambda viewer, part: viewer.show_part(part)),
    ),
    Command(
        name="analyse",
        help=N_("the best moves here, and which of them was played"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.analyse()), keys={"a": ""}, bar=N_("analyse"),
    ),
    Command(
        name="export", argument="[FILE]", places=(Place.REPLAY,), keys={"x": ""},
        help=N_("write the game as a page that any browser steps through; without FILE under a name that is free"),
        do=_in_replay(lambda viewer, file: viewer.export(file)),
    ),
    Command(
        name="moves", also=("m",), help=N_("all events, with > before the one you are at"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.show_events()),
    ),
    Command(
        name="play",
        help=N_("let it run at the players' own pace, or stop it"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.play()), keys={" ": ""}, bar=N_("run"),
    ),
    Command(
        name="slower",
        help=N_("let it run half as fast, down to 0.25x"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.change_speed(0.5)), keys={",": ""}, bar=N_("slower"),
    ),
    Command(
        name="faster",
        help=N_("let it run twice as fast, up to 16x"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.change_speed(2.0)), keys={".": ""}, bar=N_("faster"),
    ),
    Command(
        name="speed", argument="X",
        help=N_("let it run X times as fast as it was played, 0.25 to 16"),
        places=(Place.REPLAY,), do=_in_replay(lambda viewer, text: viewer.set_speed(text)),
    ),
    Command(
        name="cap", argument="SECONDS",
        help=N_("cut longer pauses to so many seconds; 0 keeps them"),
        places=(Place.REPLAY,), do=_in_replay(lambda viewer, text: viewer.set_cap(text)),
    ),
    Command(
        name="mark",
        help=N_("to the next mark: a turn of the game, many points, its end"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.leap(1)), keys={"]": ""}, bar=N_("mark"),
    ),
    Command(
        name="backmark",
        help=N_("to the mark before this"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.leap(-1)), keys={"[": ""},
    ),
    Command(
        name="marks",
        help=N_("every mark with its reason"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.show_marks()),
    ),
    # -- the screen
    Command(
        name="lay",
        help=N_("play what is laid"), places=PUTTING, screen=True,
        do=_on_screen(lambda screen, _: screen.play_draft()), keys={"enter": ""}, bar=N_("play"),
        when=_screen_has(lambda screen: screen.can_play_draft),
    ),
    Command(
        name="advise",
        help=N_("show what the strongest computer player would lay"), places=PUTTING, screen=True,
        do=_on_screen(lambda screen, _: screen.submit("hint")), keys={"h": ""}, bar=N_("hint"),
        when=_screen_has(lambda screen: screen.can_advise and not screen.lays("h")),
    ),
    Command(
        name="why",
        help=N_("why what is laid may be played or not, with the working"), places=PUTTING, screen=True,
        do=_on_screen(lambda screen, _: screen.explain_draft()), keys={"w": ""}, bar=N_("why"),
        when=_screen_has(lambda screen: screen.can_explain and not screen.lays("w")),
    ),
    Command(
        name="aside",
        help=N_("to the panel beside the board, where letters are commands, and back"), places=PUTTING,
        screen=True, do=_on_screen(lambda screen, _: screen.turn_aside()), keys={"tab": ""}, bar=N_("panel"),
    ),
    Command(
        name="select",
        help=N_("play the move under the cursor"), places=(Place.GAME,), screen=True,
        do=_on_screen(lambda screen, _: screen.play_focused()), keys={"enter": ""}, bar=N_("play"),
        when=_screen_has(lambda screen: screen.can_play_focused),
    ),
    Command(
        name="open",
        help=N_("the obvious thing with what is marked: sit down there, or tell who it is"),
        places=(Place.LOBBY,), screen=True, keys={"enter": ""}, bar=N_("open"),
        do=_on_screen(lambda screen, _: screen.open_selected()),
        when=_screen_has(lambda screen: screen.can_open_selected),
    ),
    Command(
        name="go",
        help=N_("move the cursor"), places=(Place.GAME,), screen=True, argument="up|down|left|right",
        do=_on_screen(lambda screen, way: screen.move_cursor(way)),
        keys={"up": "up", "down": "down", "left": "left", "right": "right"},
    ),
    Command(
        name="go",
        help=N_("move within the list"), places=(Place.LOBBY, Place.FORM), screen=True, argument="up|down",
        do=_on_screen(lambda screen, way: screen.move_cursor(way)), keys={"up": "up", "down": "down"},
    ),
    Command(
        name="change",
        help=N_("change the value"), places=(Place.FORM,), screen=True, argument="left|right",
        do=_on_screen(lambda screen, way: screen.change_value(way)), keys={"left": "left", "right": "right"},
        bar=N_("change"),
    ),
    Command(
        name="confirm",
        help=N_("do it with these values"), places=(Place.FORM,), screen=True,
        do=_on_screen(lambda screen, _: screen.confirm_form()), keys={"enter": ""}, bar=N_("do it"),
    ),
    Command(
        name="help", help=N_("this list"), places=(Place.FORM,), screen=True,
        do=_on_screen(lambda screen, _: screen.open_help()), keys={"?": ""}, bar=N_("help"),
    ),
    Command(
        name="page", help=N_("show the "
        "other page or list"), places=(Place.GAME, Place.LOBBY, Place.REPLAY), screen=True,
        do=_on_screen(lambda screen, _: screen.turn_page()), keys={"tab": ""}, bar=N_("page"),
        when=_screen_has(lambda screen: screen.has_pages),
    ),
    Command(
        name="scroll",
        help=N_("scroll what was said"), places=PAGES, screen=True, argument="up|down",
        do=_on_screen(lambda screen, way: screen.scroll(way)), keys={"pageup": "up", "pagedown": "down"},
    ),
    Command(
        name="type",
        help=N_("type a command"), places=PAGES, screen=True,
        do=_on_screen(lambda screen, _: screen.start_line(":")), keys={":": ""}, bar=N_("command"),
    ),
    Command(
        name="submit",
        help=N_("do what was typed"), places=(Place.LINE,), screen=True,
        do=_on_screen(lambda screen, _: screen.submit_line()), keys={"enter": ""}, bar=N_("do it"),
    ),
    Command(
        name="complete",
        help=N_("complete what was typed, or the next way to do so"), places=(Place.LINE,), screen=True,
        do=_on_screen(lambda screen, _: screen.complete(1)), keys={"tab": ""}, bar=N_("complete"),
    ),
    Command(
        name="clear",
        help=N_("drop what was typed, close what is open"), places=EVERYWHERE, screen=True,
        do=_on_screen(lambda screen, _: screen.escape()), keys={"escape": ""}, bar=N_("close"),
        when=_screen_has(lambda screen: screen.can_escape),
    ),
    Command(
        name="theme", argument="[NAME]",
        help=N_("colours: dark, light or contrast, else the next of them"),
        places=PAGES, screen=True, do=_on_screen(lambda screen, name: screen.choose_theme(name)),
        completes=lambda _: ("dark", "light", "contrast"),
    ),
    Command(
        name="size", argument="[N]",
        help=N_("draw the board in its size N, 1 the smallest; without N as fits the window"),
        places=BOARDS, screen=True, do=_on_screen(lambda screen, size: screen.change_size(size)),
    ),
    Command(
        name="mouse",
        help=N_("let clicks act here, or leave them to the terminal"), places=EVERYWHERE, screen=True,
        do=_on_screen(lambda screen, _: screen.toggle_mouse()), keys={"c-t": "", "f9": ""},
    ),
    Command(
        name="redraw",
        help=N_("draw everything anew"), places=ALWAYS, screen=True,
        do=_on_screen(lambda screen, _: screen.redraw()), keys={"c-l": ""},
    ),
    Command(
        name="suspend",
        help=N_("back to the shell for a while; fg returns"), places=ALWAYS, screen=True,
        do=_on_screen(lambda screen, _: screen.suspend()), keys={"c-z": ""},
    ),
    Command(
        name="interrupt",
        help=N_("leave; asked once more while it runs, and it can be resumed"), places=IN_GAME,
        screen=True, do=_on_screen(lambda screen, _: screen.interrupt()), keys={"c-c": ""}, bar=N_("leave"),
    ),
    Command(
        name="interrupt",
        help=N_("leave; asked once more if a game runs"),
        places=(Place.LOBBY, Place.REPLAY, Place.FORM, Place.LINE, Place.OPENING),
        screen=True, do=_on_screen(lambda screen, _: screen.interrupt()), keys={"c-c": ""},
    ),
    # -- everywhere
    Command(
        name="unicode",
        help=N_("draw lines and signs with Unicode, or with ASCII again"), places=PAGES,
        do=_anywhere(lambda subject, _: switch(subject, "unicode")),
    ),
    Command(
        name="shadow",
        help=N_("show or hide what the game has for learners, such as decimal values"), places=BOARDS,
        do=_anywhere(lambda subject, _: switch(subject, "shadow")),
    ),
    Command(
        name="help", also=("?",), help=N_("this list"), places=PAGES,
        do=_anywhere(lambda subject, _: subject.help()), keys={"?": ""}, bar=N_("help"),
    ),
    Command(
        name="quit", also=("q",), help=N_("close the program; an unfinished game is kept and can be resumed"),
        places=(Place.GAME,), do=_on_game(lambda game, _: game.quit()), keys={"q": ""}, bar=N_("quit"),
        when=_game_is(lambda game: game.board.over),
    ),
    Command(
        name="quit", also=("q",), help=N_("close the program"), places=(Place.LOBBY,),
        do=_in_lobby(lambda desk, _: desk.quit()), keys={"q": ""}, bar=N_("quit"),
    ),
    Command(
        name="quit", also=("q",), help=N_("close the record"), places=(Place.REPLAY,),
        do=_in_replay(lambda viewer, _: viewer.quit()), keys={"q": ""}, bar=N_("quit"),
    ),
)  # fmt: skip
