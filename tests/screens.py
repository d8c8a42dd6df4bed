"""The full screen, typed at and read back: without a terminal here, in a real one in `tests/terminals.py`.

    with shown("game", 80, 24) as text: ...          one scene, drawn once: rows of text as pyte reads them
    typed_at(arguments, script)                      a whole command; `script(terminal)` types and expects

    python -m tests.screens            says which kept screens differ from what is drawn now; exit status 1 if any does
    python -m tests.screens --write    draws them anew: then read the diff

One scene at one size is one file `tests/golden/screens/SCENE-WIDTHxHEIGHT.txt`, as a person sees it.
"""

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, TextIO, cast
from unittest import mock

import pyte
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output.vt100 import Vt100_Output

from lantable.events import Event
from lantable.fold import Position
from lantable_binary_scrabble.board import Board
from lantable_binary_scrabble.state import State
from lantable_console import cli
from lantable_console.context import Context
from lantable_console.desk import Desk
from lantable_console.driver import Acquaintance
from lantable_console.lobby import Lobby
from lantable_console.loop import Loop
from lantable_console.play import LocalTable
from lantable_console.replay import Viewer
from lantable_console.screen.app import Screen
from lantable_console.screen.theme import THEMES
from lantable_console.settings import Settings
from lantable_net.news import Acknowledged, Offered, Played
from lantable_net.node import Link
from lantable_net.presence import Presence
from lantable_net.service import Someone
from lantable_net.trust import TrustStore
from lantable_replays.audit import audit
from lantable_replays.cursor import Cursor
from tests.cli import DOTS, TOY
from tests.games import BEGIN, Sitting, key, make_host
from tests.mesh import Mesh

FOLDER: Final = Path(__file__).parent / "golden" / "screens"
PATIENCE: Final = 20.0
SIZES: Final = ((95, 24), (80, 24), (60, 24), (48, 24), (40, 20))
MOVES: Final = ["a1r", "b1r", "c1d", "a2d", "a3r", "a1d", "b1d", "b2d", "b2r", "a2r", "c2d", "d1r", "e1d", "f5d"]


ACQUAINTANCES: Final = (None, Acquaintance("compared"))


class Paper:
    """Where the program writes: a terminal that pyte plays."""

    encoding = "utf-8"

    def __init__(self, width: int, height: int) -> None:
        self.screen = pyte.Screen(width, height)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.lock = threading.Lock()

    def write(self, text: str) -> int:
        data = text.encode("utf-8", "replace")
        with self.lock:
            self.raw += data
            self.stream.feed(data)
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def resize(self, width: int, height: int) -> None:
        with self.lock:
            self.screen.resize(height, width)

    @property
    def size(self) -> Size:
        return Size(self.screen.lines, self.screen.columns)

    def text(self) -> list[str]:
        with self.lock:
            return [row.rstrip() for row in self.screen.display]

    @property
    def output(self) -> Vt100_Output:
        return Vt100_Output(cast("TextIO", self), lambda: self.size, term="xterm-256color", enable_cpr=False)


class Terminal:
    """A person's hands and eyes: typing, and waiting for what should appear."""

    def __init__(self, screen: Screen, paper: Paper, keys: PipeInput) -> None:
        self.screen = screen
        self.paper = paper
        self._keys = keys

    def type(self, text: str) -> None:
        self._keys.send_text(text)

    def leave_by(self, text: str) -> None:
        """Type what should end it, and see that it does."""
        self.type(text)
        self.until(lambda: not self.screen.app.is_running, f"the end, after {text!r}")

    def paste(self, text: str) -> None:
        self._keys.send_text(f"\x1b[200~{text}\x1b[201~")

    def resize(self, width: int, height: int) -> None:
        self.paper.resize(width, height)
        assert self.screen.app.loop is not None
        self.screen.app.loop.call_soon_threadsafe(self.screen.app._on_resize)

    @property
    def text(self) -> str:
        return "\n".join(self.paper.text())

    def expect(self, *texts: str) -> str:
        """The screen, as soon as it shows all of these."""
        self.until(lambda: all(text in self.text for text in texts), f"{texts}")
        return self.text

    def until(self, seen: Callable[[], object], what: str = "") -> None:
        deadline = time.monotonic() + PATIENCE
        while not seen():
            assert time.monotonic() < deadline, f"never seen: {what}\n{self.text}"
            time.sleep(0.002)

    def changes_from(self, header: str) -> None:
        """Until the first row says something else."""
        self.until(lambda: self.text.splitlines()[0] != header, f"another header than {header}")

    def until_width(self, width: int) -> None:
        """Until a frame of that width is drawn."""
        self.until(lambda: self.screen.canvas.frame.width == width, f"a frame of {width} columns")

    @property
    def row_of_cursor(self) -> str:
        return self.paper.text()[self.paper.screen.cursor.y]


KEYS: Final = {
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
    "s-right": "\x1b[1;2C", "s-left": "\x1b[1;2D", "pageup": "\x1b[5~", "pagedown": "\x1b[6~", "f9": "\x1b[20~",
    "enter": "\r", "tab": "\t", "escape": "\x1b", "backspace": "\x7f",
}  # fmt: skip


@contextmanager
def acting(
    script: Callable[[Terminal], None], width: int, height: int, settings: Settings | None = None
) -> Iterator[Screen]:
    """A screen whose keys are pressed by `script`, in a thread of its own. What the script raises is raised here."""
    paper, failed = Paper(width, height), list[BaseException]()
    with create_pipe_input() as keys:
        screen = Screen(settings or Settings.usual(), input=keys, output=paper.output)
        terminal = Terminal(screen, paper, keys)

        def act() -> None:
            try:
                terminal.until(lambda: paper.raw, "anything")
                script(terminal)
            except BaseException as error:  # noqa: BLE001 - raised again where the test can see it
                failed.append(error)
            finally:
                deadline = time.monotonic() + PATIENCE
                while screen.app.is_running and time.monotonic() < deadline:
                    screen.leave()
                    time.sleep(0.005)

        thread = threading.Thread(target=act)
        thread.start()
        try:
            yield screen
        finally:
            thread.join()
    if failed:
        raise failed[0]


def typed_at(
    home: Path, *arguments: str, script: Callable[[Terminal], None], width: int = 80, height: int = 24
) -> int | BaseException:
    """One command line on a screen in this process. Its exit code, or what it raised."""
    args = cli.build_parser().parse_args(["--home", str(home), "--plugin", DOTS, "--plugin", TOY, *arguments])
    settings = Settings.load(vars(args), {"LANTABLE_PLUGINS": ""})
    with acting(script, width, height, settings) as screen:
        try:
            return screen.open(lambda: cli._loaded(args, settings, screen))
        except Exception as error:  # noqa: BLE001 - the answer of a test that asks for it
            return error


# -- scenes


def context(screen: Screen | None = None) -> Context:
    """What a command would get, with the tests' games and no folder."""
    args = argparse.Namespace(auto=None, seed="0", plain=False, home=None, plugin=None)
    made = Context(args, screen, Settings.usual())
    made.__dict__["host"] = make_host()
    return made


def game(screen: Screen, mesh: Mesh | None = None, robots: Any = None) -> Loop:
    """Ada's view of a game with Bob, as it stands in a mesh."""
    mesh = mesh or _played(Mesh(2).sit("size=5x5"))
    driver = SimpleNamespace(
        session=mesh.session(0),
        running=True,
        next=False,
        can_go_on=False,
        away=lambda _: False,
        person=lambda seat: ACQUAINTANCES[seat],
    )
    loop = Loop(context(screen), cast("Any", driver), cast("Any", None), robots=robots)
    loop.board.say(f"* game {mesh.game.hex()[:8]} begins; player 1 is Ada, player 2 is Bob; ? shows every key")
    for news in mesh.seen[0]:
        if isinstance(news, Played | Acknowledged | Offered):
            loop.telling.tell(news)
    return loop


def _played(mesh: Mesh) -> Mesh:
    for move in MOVES:
        mesh.move(move)
    return mesh


def toy(screen: Screen) -> Loop:
    """A stranger's game: nothing in the console knows it."""
    mesh = Mesh(2)
    info = mesh.info("target=20", game="count-to")
    digest = mesh.host.rules(mesh.host.game("count-to"), info.options)[2]
    mesh.do(0, lambda node: node.host(info, digest))
    mesh.settle()
    mesh.do(1, lambda node: node.join(key(0).public, info.name))
    mesh.settle()
    for move in ["3", "2"]:
        mesh.move(move)
    return game(screen, mesh)


def desk(screen: Screen) -> Desk:
    """Ada's lobby: Bob, compared, invites to a table; Cyd, seen, has a full one; Dan is new; Eve is only listed.

    Somebody writes Bob with a Cyrillic letter, and Fay does not answer any more.
    """
    mesh = Mesh(4)
    for host, options, name in ((1, "size=5x5", "fig-2"), (2, "size=3x4", "elm-9")):
        info = mesh.info(options, 3 if host == 2 else 2)
        digest = mesh.host.rules(mesh.host.game(info.game), info.options)[2]
        info = replace(info, name=name)
        mesh.do(host, lambda node, info=info, digest=digest: node.host(info, digest))  # type: ignore[misc]  # binds
    mesh.settle()
    made = context(screen)
    made.__dict__["home"] = SimpleNamespace(trust=known_people)
    people = [Someone(link.peer.key, link.peer.name, Presence.HERE, 0, link.peer, None) for link in links_of(mesh)]
    people += [
        Someone(key(number).public, name, presence, 7, None, None)
        for number, name, presence in (
            (4, "Eve", Presence.LISTED),
            (5, "B\u043eb", Presence.LISTED),
            (6, "Fay", Presence.GONE),
        )
    ]
    service = SimpleNamespace(node=mesh.nodes[0], people=lambda: people, refused={})
    lobby = Lobby(made, cast("Any", service))
    lobby.verdicts = {one.key: lobby.store.judge(one.key, one.name) for one in people}
    lobby.node.port = 4471
    lobby.say("* you are Ada, key alley-moon-oak-satin")
    lobby.say("* ? shows every key; people and tables are told as they come")
    return Desk(lobby)


def links_of(mesh: Mesh) -> list[Link]:
    return list(mesh.nodes[0].links.values())


def known_people() -> TrustStore:
    """Bob was compared, Cyd met twice."""
    store = TrustStore()
    store.compare(key(1).public, "Bob", 0)
    store.trust(key(2).public, "Cyd", 0)
    return store


def together(screen: Screen) -> Loop:
    """With a clock, and Bob would like to take back."""
    mesh = Mesh(2).sit("size=5x5", clock="10+5")
    for move in MOVES[:6]:
        mesh.ticks += 45_000
        mesh.move(move)
    mesh.ticks += 19_000
    mesh.wish(1, "takeback", 3)
    return game(screen, mesh)


def asked(screen: Screen) -> Desk:
    """Bob would like to sit down at Ada's table, and waits for an answer."""
    made = desk(screen)
    peer = next(iter(made.lobby.node.links.values())).peer
    made.lobby.together.ask_about("oak-7", peer)
    return made


def viewer(screen: Screen) -> Viewer:
    """A record of three, stepped to event 11."""
    data = Sitting(options="size=4x4", seats=3, seed=4).play().data
    host = make_host()
    looked = Viewer(context(screen), Cursor(data, host.rules_for), audit(data, host.rules_for))
    looked.go(11)
    return looked


TURNS: Final = ((0, "8F 1+1=10"), (1, "8E 10"), (0, "J4 100|=101"), (1, "12D 10&11=0"))
"""Seat and move: the game of the drawings."""
RACK: Final = "1110+=!|?"


def putting(screen: Screen, turns: int = 4, rack: str = RACK, board: Board | None = None) -> Loop:
    """Ada's view of Binary Scrabble with Bob, both at their own computers, after some turns; it is her turn."""
    sitting = Sitting("binary-scrabble", seed=1, keys=[key(0), key(0)])
    table = SimpleNamespace(chain=SimpleNamespace(owners=(0, 1), offer=sitting.table.chain.offer, seq=turns))
    table.complete = False
    rules = sitting.table.position.rules
    state = State((rack, "0" * 9), (0, 0), 59, (), board or Board(), "play", 0)
    table.position = Position(rules, (0, 1), state)
    for seat, move in TURNS[:turns]:
        table.position = after(table.position, seat, move)
    session: Any = Playing(
        table=table, game=b"\xa0k7\x00" * 8, me=0, stopped=False, my_turn=True, may_sign=True, missing=set, sent=[]
    )
    session.write = lambda _, body: session.sent.append(body["move"])
    driver = Hands(cast("Any", None), session)
    return Loop(context(screen), driver, driver.news)


class Hands(LocalTable):
    """A table without a disk, at which Bob is somebody else."""

    async def act(self, do: Callable[[Any], Any]) -> None:
        do(self.session)

    def person(self, seat: int) -> Acquaintance | None:
        return ACQUAINTANCES[seat]


class Playing(SimpleNamespace):
    """As much of a session as a screen asks for."""

    @property
    def position(self) -> Position:
        return cast("Position", self.table.position)

    def left(self, seat: int) -> int | None:
        """There is no clock."""
        return None


def after(position: Position, seat: int, move: str) -> Position:
    """The position after a move for which the seat happened to have the tiles; racks are then what they were."""
    state, text = position.state, move.partition(" ")[2]
    racks = tuple(text if holder == seat else rack for holder, rack in enumerate(state.racks))
    played = position.rules.play(replace(state, racks=racks, turn=seat), seat, position.rules.parse(move))
    event = Event(
        game=b"g" * 32, prev=b"p" * 32, seat=seat, seq=position.seq + 1, t=BEGIN, type="move", body={"move": move}
    )
    state = replace(played, racks=state.racks, wants=(), bag=state.bag, turn=1 - seat)
    return replace(position, state=state, seq=event.seq, last=event, before=position)


SCENES: Final[dict[str, Callable[[Screen], Any]]] = {
    "game": game, "toy": toy, "lobby": desk, "replay": viewer, "together": together, "asked": asked,
    "putting": putting,
}  # fmt: skip

Typing = Callable[[Terminal], None]


def _keys(text: str, seen: str) -> Typing:
    """Type something, and wait until the screen shows what comes of it."""

    def typing(terminal: Terminal) -> None:
        terminal.type(text)
        terminal.expect(seen)

    return typing


def _arrived(terminal: Terminal) -> None:
    """Bob plays through the tiles that Ada is laying."""
    _go(terminal, 4, "D", "10+1=1", "10+1=1(1)")
    loop = cast("Any", terminal.screen.subject)
    loop.board.session.table.position = after(loop.board.position, 1, "G4 10=11")
    loop.board.say("* 5 Bob plays G4 10=11; score Ada 32, Bob 38")
    terminal.expect("Bob plays G4")


def _go(terminal: Terminal, row: int, column: str, typed: str, seen: str) -> None:
    """The cursor goes to a square, and then something is typed there."""
    ups, lefts = 8 - row, ord("H") - ord(column)
    terminal.type(KEYS["up" if ups > 0 else "down"] * abs(ups) + KEYS["left" if lefts > 0 else "right"] * abs(lefts))
    terminal.type(typed)
    terminal.expect(seen)


MOMENTS: Final[dict[str, tuple[str, Typing]]] = {
    "putting-across": ("putting", lambda terminal: _go(terminal, 4, "D", "10+1=1", "10+1=1(1)")),
    "putting-down": ("putting", lambda terminal: _go(terminal, 10, "D", " 1=", "D10v 1=(1)")),
    "putting-wrong": ("putting", lambda terminal: _go(terminal, 4, "D", "1=10+1", "1=10+1(1)")),
    "putting-blank": ("putting", lambda terminal: _go(terminal, 4, "D", "1.", "a blank at E4")),
    "putting-exchange": ("putting", _keys("s18", "exchange 0")),
    "putting-why": ("putting", lambda terminal: _go(terminal, 4, "D", "1=10+1w", "Esc close")),
    "putting-arrived": ("putting", _arrived),
}
"""What happens in a scene before it is kept."""


def show(
    scene: str,
    script: Callable[[Terminal], None],
    width: int = 80,
    height: int = 24,
    settings: Settings | None = None,
) -> None:
    """One scene before a person; what is typed goes to it as it would in the program."""
    scene, before = MOMENTS.get(scene, (scene, lambda _: None))

    def whole(terminal: Terminal) -> None:
        terminal.until(lambda: terminal.screen.subject is not None and terminal.screen.canvas.frame.width == width)
        terminal.expect("?", "help") if width >= 40 and height >= 20 else terminal.expect("t")
        before(terminal)
        script(terminal)

    with acting(whole, width, height, settings) as screen:
        subject = SCENES[scene](screen)

        async def main() -> int:
            if isinstance(subject, Viewer):
                await subject.watch()
                return 0
            with screen.show(subject):
                async for line in screen.lines():
                    done = subject.obey(line)
                    if done is not None:
                        await done
            return 0

        screen.run(main)


def drawn(scene: str, width: int, height: int) -> list[str]:
    """The rows of a scene as pyte reads them."""
    rows: list[str] = []

    def script(terminal: Terminal) -> None:
        rows.extend(terminal.paper.text())

    show(scene, script, width, height)
    return rows


LOOKED_AT: Final = ("game", "lobby", "replay")
"""Scenes of which every theme is kept."""


def looks(scene: str, theme: str, **env: str) -> str:
    """How each cell of a scene looks in a theme: a sign for each look, and below what the signs mean."""
    rows: list[str] = []
    signs: dict[str, str] = {"": "."}

    def script(terminal: Terminal) -> None:
        terminal.expect("? help")
        with terminal.paper.lock:
            grid = terminal.paper.screen
            for y in range(grid.lines):
                cells = [_look(grid.buffer[y][x]) for x in range(grid.columns)]
                rows.append("".join(signs.setdefault(cell, chr(ord("a") + len(signs) - 1)) for cell in cells))

    with mock.patch.dict(os.environ, env):
        show(scene, script, settings=Settings.load({"theme": theme}, {}))
    return "\n".join([*rows, "", *(f"{sign} {look}" for look, sign in signs.items() if look)]) + "\n"


def _look(cell: Any) -> str:
    words = [f"{name} {value}" for name, value in (("ink", cell.fg), ("paper", cell.bg)) if value != "default"]
    words += ["bold"] * cell.bold + ["reverse"] * cell.reverse + ["underlined"] * cell.underscore
    return ", ".join(words)


def look_path(scene: str, theme: str) -> Path:
    return FOLDER / f"{scene}-{theme}.txt"


def path(scene: str, width: int, height: int) -> Path:
    return FOLDER / f"{scene}-{width}x{height}.txt"


def kept() -> Iterator[tuple[str, int, int]]:
    """Every kept screen."""
    return ((scene, width, height) for scene in (*SCENES, *MOMENTS) for width, height in SIZES)


def as_text(rows: list[str], width: int) -> str:
    """Rows between bars, so that one sees how wide the screen is."""
    edge = f"+{'-' * width}+"
    return "\n".join([edge, *(f"|{row:<{width}}|" for row in rows), edge]) + "\n"


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--write"]):
        print("usage: python -m tests.screens [--write]", file=sys.stderr)
        return 2
    stale = 0
    FOLDER.mkdir(exist_ok=True)
    now = [(path(*one), as_text(drawn(*one), one[1])) for one in kept()]
    now += [(look_path(scene, theme), looks(scene, theme)) for scene in LOOKED_AT for theme in THEMES]
    for file, text in now:
        if not file.exists() or file.read_text() != text:
            stale += 1
            if arguments:
                file.write_text(text)
            print(f"{file}: {'written' if arguments else 'differs from what is drawn now'}")
    return 1 if stale and not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
