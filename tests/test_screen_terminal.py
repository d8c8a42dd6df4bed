"""The full screen in a real pseudo-terminal: how it opens, and that every way out leaves the terminal as it was."""

import os
import re
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.games import Sitting
from tests.programs import Stage
from tests.terminals import Pty, known

ENTER_ALTERNATE, LEAVE_ALTERNATE = b"\x1b[?1049h", b"\x1b[?1049l"
ALONE = ("play", "dots-and-boxes", "--rules", "size=2x2")


@pytest.fixture
def open_(tmp_path: Path) -> Iterator[Callable[..., Pty]]:
    """Start lantable with a home of its own in a terminal; whatever still runs at the end is killed."""
    started: list[Pty] = []

    def start(*arguments: str, width: int = 80, height: int = 24, **env: str) -> Pty:
        command = [sys.executable, "-m", "lantable", "--home", known(tmp_path / "home"), *arguments]
        started.append(Pty(command, width, height, **env))
        return started[-1]

    yield start
    for pty in started:
        pty.child.close(force=True)


def in_game(open_: Callable[..., Pty], *more: str, **how: str) -> Pty:
    pty = open_(*ALONE, *more, **how)
    pty.expect("YOUR MOVE", "cursor on a1r")
    assert ENTER_ALTERNATE in pty.raw
    return pty


# -- ways out


def test_quit(open_: Callable[..., Pty]) -> None:
    """0, and what is worth knowing stands on the ordinary screen."""
    pty = in_game(open_)
    pty.type(":q\r")
    assert pty.code() == 0
    pty.assert_given_back()
    assert b"* the game is kept; go on with it later: lantable resume" in pty.raw.rpartition(LEAVE_ALTERNATE)[2]


def test_ctrl_c_twice(open_: Callable[..., Pty]) -> None:
    """130, with the mouse on too."""
    pty = in_game(open_)
    pty.type("\x14")
    pty.until(lambda: b"\x1b[?1000h" in pty.raw, "the mouse on")
    pty.type("\x03")
    pty.expect("Ctrl-C again leaves")
    pty.type("\x03")
    assert pty.code() == 130
    pty.assert_given_back()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)], ids=lambda one: str(one)
)
def test_signals(open_: Callable[..., Pty], number: signal.Signals, code: int, tmp_path: Path) -> None:
    """128 + n; the record is whole and can be gone on with."""
    pty = in_game(open_)
    pty.type("\r")
    pty.expect("1 player plays a1r")
    os.kill(pty.child.pid, number)
    assert pty.code() == code
    pty.assert_given_back()
    (record,) = (tmp_path / "home" / "records").glob("*.jsonl")
    assert record.read_bytes().endswith(b"\n")
    again = open_("resume")
    again.expect("YOUR MOVE", "last line")
    again.type(":q\r")
    assert again.code() == 0


def test_a_plugin_that_fails_while_playing(open_: Callable[..., Pty], tmp_path: Path) -> None:
    """Its rules raise: one line that names whose fault it was, on a terminal that works."""
    source = (Path(__file__).parent / "toy.py").read_text().replace("count-to", "count-up")
    source = source.replace("return state.mover\n", "return state.mover if not state.total else 1 // 0\n", 1)
    (tmp_path / "bad.py").write_text(source)
    pty = open_("--plugin", str(tmp_path / "bad.py"), "play", "count-up", "--hotseat")
    pty.expect("YOUR MOVE")
    pty.type("\r")
    code = pty.code()
    pty.assert_given_back()
    assert code == 4 and b"lantable: the game's own rules failed: ZeroDivisionError" in pty.raw


def test_the_terminal_works_afterwards(tmp_path: Path) -> None:
    """Echo, line editing, signals: as `stty` had them before, whichever way it ended."""
    for ending in (":q\r", "\x03\x03"):
        pty = Pty(["sh"], PS1="$ ")
        pty.expect("$")
        before = termios.tcgetattr(pty.child.fileno())
        home = tmp_path / str(len(ending))
        pty.type(f"{sys.executable} -m lantable --home {known(home)} {' '.join(ALONE)}\r")
        pty.expect("YOUR MOVE")
        pty.type(ending)
        pty.until(lambda pty=pty: LEAVE_ALTERNATE in pty.raw, "the end")  # type: ignore[misc]  # binds
        pty.type("echo it $((40 + 2)) works\r")
        pty.expect("it 42 works")
        assert termios.tcgetattr(pty.child.fileno()) == before
        pty.child.close(force=True)


def test_suspended_and_resumed(tmp_path: Path) -> None:
    """Ctrl-Z gives the shell its terminal; fg draws everything anew, with what was being typed."""
    pty = Pty(["bash", "--norc", "-i"], PS1="$ ")
    pty.expect("$")
    pty.type(f"{sys.executable} -m lantable --home {known(tmp_path / 'home')} {' '.join(ALONE)}\r")
    pty.expect("YOUR MOVE")
    pty.type("half")
    pty.expect("move> half")
    pty.type("\x1a")
    pty.until(lambda: pty.raw.rfind(LEAVE_ALTERNATE) > pty.raw.rfind(ENTER_ALTERNATE), "the shell")
    pty.type("echo back $((1 + 1)) here\r")
    pty.until(lambda: b"back 2 here" in pty.raw, "the shell's answer")
    pty.type("fg\r")
    pty.until(lambda: pty.raw.rfind(ENTER_ALTERNATE) > pty.raw.rfind(b"back 2 here"), "the screen")
    pty.expect("YOUR MOVE", "move> half")
    pty.type("\x03\x03")
    pty.until(lambda: pty.raw.rfind(LEAVE_ALTERNATE) > pty.raw.rfind(ENTER_ALTERNATE), "the end")
    pty.child.close(force=True)


# -- which face


@pytest.mark.parametrize(("words", "terminal"), [(["--plain"], "xterm"), ([], "dumb")], ids=["--plain", "dumb"])
def test_line_mode_where_asked_for(open_: Callable[..., Pty], words: list[str], terminal: str) -> None:
    """No cursor is moved and nothing rewritten."""
    pty = open_(*words, *ALONE, TERM=terminal)
    pty.until(lambda: b"your turn, player: type a move" in pty.raw, "line mode")
    assert b"\x1b" not in pty.raw
    pty.type("quit\r")
    assert pty.code() == 0


def test_a_lobby_opens_on_a_terminal(open_: Callable[..., Pty]) -> None:
    """`lantable` alone; q leaves."""
    pty = open_("lobby", "--no-discovery", "--port", "0")
    pty.expect("lantable lobby", "PEOPLE", "? help")
    pty.type("q")
    assert pty.code() == 0
    pty.assert_given_back()


def test_nothing_but_ascii_and_no_more_colour_than_wanted(open_: Callable[..., Pty]) -> None:
    """With NO_COLOR bold and reverse are all there is; a theme of the terminal's own palette leaves its paper alone."""
    for env in ({"NO_COLOR": "1"}, {}, {"LANTABLE_THEME": "light"}):
        pty = in_game(open_, **env)
        pty.type(":q\r")
        pty.code()
        assert pty.raw.isascii()
        styles = set(re.findall(rb"\x1b\[([0-9;]*)m", pty.raw))
        plain = {b"0", b"0;1", b"0;7", b""}
        assert styles <= plain if "NO_COLOR" in env else styles & plain and not styles <= plain
        assert not [style for style in styles if re.search(rb"(^|;)(4[0-9]|10[0-7])(;|$)", style)], styles


def test_contrast_is_white_on_black(open_: Callable[..., Pty]) -> None:
    """Whatever the terminal's own colours are, in every cell."""
    pty = in_game(open_, LANTABLE_THEME="contrast", COLORTERM="truecolor")
    cells = {(cell.fg, cell.bg) for row in pty.screen.buffer.values() for cell in row.values() if cell.data.strip()}
    assert len(cells) == 1, cells


@pytest.mark.parametrize(("width", "height"), [(500, 200), (80, 24), (60, 24), (40, 20), (20, 5), (2, 2)])
def test_every_size(open_: Callable[..., Pty], width: int, height: int, tmp_path: Path) -> None:
    """It opens, says no more than fits, and ends well."""
    (tmp_path / "game.jsonl").write_bytes(Sitting(options="size=12x12").play(40).data)
    pty = open_("replay", str(tmp_path / "game.jsonl"), width=width, height=height)
    pty.expect("REPLAY" if width >= 40 else "40x20" if width >= 20 else "to")
    assert "Window too small" not in pty.text
    # Where there is no room to say that it is opening, one cannot see when it is open.
    while pty.child.isalive():
        pty.type("q")
        pty._read()
    assert pty.code() == 0
    pty.assert_given_back()


def test_the_first_run_asks_for_a_name(tmp_path: Path) -> None:
    """On the screen, before anything else; it is what the game then says."""
    pty = Pty([sys.executable, "-m", "lantable", "--home", str(tmp_path / "home"), *ALONE])
    pty.expect("What should others call you?")
    pty.type("mouse\x7f\x7f\x7f\x7f\x7f\x7fAda\r")
    pty.expect("YOUR MOVE", "1 Ada, you")
    pty.type(":q\r")
    assert pty.code() == 0
    pty.assert_given_back()


def test_what_is_typed_before_it_is_open_is_not_lost(open_: Callable[..., Pty], tmp_path: Path) -> None:
    """Even before it has the terminal: the shell's way of typing ahead. The first run's question is answered so too."""
    pty = open_("play", "dots-and-boxes", "--hotseat", "--rules", "size=2x2")
    pty.type("a1r\rb1r\r")
    pty.expect("2 player 2 plays b1r")
    pty.type(":q\r")
    assert pty.code() == 0
    new = Pty([sys.executable, "-m", "lantable", "--home", str(tmp_path / "new"), *ALONE])
    new.type("Ada\ra1r\r")
    new.expect("1 Ada plays a1r")
    new.type(":q\r")
    assert new.code() == 0


# -- manners while it runs


def test_a_window_that_is_resized_while_it_runs(open_: Callable[..., Pty]) -> None:
    """SIGWINCH through every layout, below the smallest and back: the board is there again, with what was typed."""
    pty = in_game(open_)
    pty.type("half")
    for width, height in ((95, 24), (60, 24), (48, 24), (40, 20), (30, 8), (80, 24)):
        pty.resize(width, height)
        pty.expect("too small" if width < 40 else "YOUR MOVE")
        assert "Window too small" not in pty.text
    pty.expect("move> half", "Tab complete")
    pty.type("\x1b:q\r")
    assert pty.code() == 0


def test_a_paste_commits_nothing(open_: Callable[..., Pty]) -> None:
    """Bracketed paste is asked for; its newlines are blanks in the line."""
    pty = in_game(open_)
    assert b"\x1b[?2004h" in pty.raw
    pty.type("\x1b[200~a1r\nb1r\r\n\x1b[201~")
    pty.expect("move> a1r b1r", "log ok #0")
    pty.type("\x1b:q\r")
    assert pty.code() == 0


def test_the_cursor_is_where_the_eye_is(open_: Callable[..., Pty]) -> None:
    """The terminal's own cursor stands on the cell in focus, or in the line: screen readers and braille follow it."""
    pty = in_game(open_)
    for key, move in (("\x1b[C", "b1r"), ("\x1b[B", "b1d"), ("\x1b[D", "a1d")):
        pty.type(key)
        pty.expect(f"cursor on {move}")
        pty.until(lambda: pty.under_cursor in "=#", f"the cursor on {move}")
    pty.type("xy")
    pty.expect("move> xy")
    pty.until(lambda: "move> xy" in pty.screen.display[pty.screen.cursor.y], "the cursor in the line")
    pty.type("\x1b:q\r")
    assert pty.code() == 0


def test_flow_control_keys_do_nothing(open_: Callable[..., Pty]) -> None:
    """Ctrl-S does not freeze the screen, Ctrl-Q needs not thaw it, Ctrl-R searches nothing."""
    pty = in_game(open_)
    pty.type("\x13\x12")
    pty.type("\x1b[B")
    pty.expect("cursor on a1d")
    pty.type("\x11:q\r")
    assert pty.code() == 0


def test_the_title_is_set_and_cleared(open_: Callable[..., Pty]) -> None:
    """OSC 2 on one's move; nothing of it stays in the window's title, and nothing rings."""
    pty = in_game(open_)
    pty.until(lambda: b"\x1b]2;your move\x07" in pty.raw, "the title")
    pty.type(":q\r")
    assert pty.code() == 0
    titles = re.findall(rb"\x1b\]2;([^\x07]*)\x07", pty.raw)
    assert titles[-1] == b"" and pty.raw.count(b"\x07") == len(titles)


def test_f9_gives_the_mouse_and_takes_it_back(open_: Callable[..., Pty]) -> None:
    """Off at first, so that text can be selected."""
    pty = in_game(open_)
    assert b"\x1b[?1000h" not in pty.raw
    pty.type("\x1b[20~")
    pty.until(lambda: b"\x1b[?1000h" in pty.raw, "the mouse on")
    pty.type("\x1b[20~")
    pty.until(lambda: pty.raw.rfind(b"\x1b[?1000l") > pty.raw.rfind(b"\x1b[?1000h"), "the mouse off")
    pty.type(":q\r")
    assert pty.code() == 0


def test_ctrl_c_in_the_lobby_leaves_at_once(open_: Callable[..., Pty]) -> None:
    """No game runs that could be lost."""
    pty = open_("lobby", "--no-discovery", "--port", "0")
    pty.expect("PEOPLE", "? help")
    pty.type("\x03")
    assert pty.code() == 130
    pty.assert_given_back()


LOUD = """
import threading, time
from lantable_console.cli import main
from lantable_console.screen.app import Screen
drawn = []
marked = Screen._mark_drawn
def mark(self, app=None):
    drawn.append(time.monotonic())
    marked(self, app)
Screen._mark_drawn = mark
opened = Screen.open
def open(self, load):
    def talk():
        while self.subject is None:
            time.sleep(0.01)
        drawn.clear()
        end = time.monotonic() + 2
        while time.monotonic() < end:
            self.say("* loud news")
            time.sleep(0.001)
        count = len(drawn)
        self.say("* it was drawn %d times" % count)
    threading.Thread(target=talk, daemon=True).start()
    return opened(self, load)
Screen.open = open
raise SystemExit(main())
"""


def test_news_is_drawn_at_most_twenty_times_a_second(tmp_path: Path) -> None:
    """However much of it comes."""
    pty = Pty([sys.executable, "-c", LOUD, "--home", known(tmp_path / "home"), *ALONE])
    pty.expect("it was drawn")
    found = re.search(r"it was drawn (\d+) times", pty.text)
    assert found is not None and 0 < int(found[1]) <= 2 * 20 + 3
    pty.type(":q\r")
    assert pty.code() == 0


@pytest.mark.parametrize(
    "env", [{"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C.UTF-8"}], ids=["ascii", "utf-8"]
)
def test_names_of_all_the_world(open_: Callable[..., Pty], tmp_path: Path, env: dict[str, str]) -> None:
    """Wide, accented and turned-around names push nothing out of its column, and a terminal of ASCII alone lives."""
    names = ("\ud55c\uad6d\uc5b4", "\xc7a\u011fr\u0131", "\u202eadA", "a\u0301\u0301\u0301\u0301\u0301")
    (tmp_path / "game.jsonl").write_bytes(Sitting(options="size=2x2", seats=4, names=names).play().data)
    pty = open_("replay", str(tmp_path / "game.jsonl"), **env)
    pty.expect("VERIFIED", "0/")
    assert "\u202e" not in pty.text and b"\xe2\x80\xae" not in pty.raw
    assert len({row.index("|") for row in pty.screen.display[2:12]}) == 1, pty.text
    assert pty.screen.buffer[0][78].data == "D", "the verdict ends where the screen does"
    pty.type("q")
    assert pty.code() == 0
    pty.assert_given_back()


# -- two people


def test_an_invitation_is_accepted_and_played(open_: Callable[..., Pty], tmp_path: Path) -> None:
    """Ada opens a table and waits before the lobby; Bob sees it announced, presses a, and both are at the board."""
    alone = ("--no-discovery", "--port", "0")
    ada = open_("--home", known(tmp_path / "ada", "Ada"), "host", "dots-and-boxes", "--first", "me", *alone)
    ada.expect("yours, 1 free", "lantable join 127." if "127." in ada.text else "port")
    found = re.search(r"port (\d+)", ada.text)
    assert found is not None
    bob = open_("--home", known(tmp_path / "bob", "Bob"), "lobby", "--no-discovery", "--port", "0")
    bob.expect("PEOPLE")
    bob.type(f"c127.0.0.1:{found[1]}\r")
    bob.expect("INVITATION from Ada", "a accept")
    bob.type("a")
    ada.expect("y 1 or n 1", "Bob", "asks for a seat")
    ada.type("\r")
    ada.type("y1\r")
    for one in (ada, bob):
        one.expect("Dots and Boxes 1.0", "log ok #0")
    ada.expect("YOUR MOVE", "Bob, connected, new", "first time with Bob")
    ada.type("\r")
    for one in (ada, bob):
        one.expect("log ok #1", "plays a1r")
    bob.expect("YOUR MOVE")
    bob.type("half a move")
    bob.expect("move> half a move")
    os.kill(ada.child.pid, signal.SIGTERM)
    assert ada.code() == 143
    bob.expect("waiting for Ada", "move> half a move")
    bob.type("\x03\x03")
    assert bob.code() == 130
    bob.assert_given_back()


def test_offers_and_a_rematch_on_two_screens(open_: Callable[..., Pty], tmp_path: Path) -> None:
    """A clock runs; a draw is offered and agreed to by its number; r asks for a rematch, and the other begins."""
    alone = ("--no-discovery", "--port", "0")
    how = ("--first", "me", "--open", "--clock", "10+5")
    ada = open_("--home", known(tmp_path / "ada", "Ada"), "host", "dots-and-boxes", *how, *alone)
    ada.expect("yours, 1 free", "port")
    found = re.search(r"port (\d+)", ada.text)
    assert found is not None
    bob = open_("--home", known(tmp_path / "bob", "Bob"), "join", f"127.0.0.1:{found[1]}", *alone)
    ada.expect("YOUR MOVE  ", "2 Bob, 10:00 left, connected")
    bob.expect("Ada is to move  ")
    bob.type("chat hello\r")
    ada.expect("Bob says: hello")
    bob.type("draw\r")
    ada.expect("y 1 or n 1: Bob offers a draw")
    ada.type("y 1\r")
    for one in (ada, bob):
        one.expect("GAME OVER: a draw between Ada and Bob", "r rematch", "q quit")
    bob.type("r")
    ada.expect("y 2 or n 2: Bob asks for a rematch")
    ada.type("y 2\r")
    bob.expect("1 Bob, you", "YOUR MOVE")
    ada.expect("1 Bob, connected", "Bob is to move")
    bob.type("resign\r")
    for one in (ada, bob):
        one.expect("GAME OVER: Ada wins")
        one.type("q")
        assert one.code() == 0
        one.assert_given_back()
    assert all(len(list((tmp_path / name / "records").glob("*.jsonl"))) == 2 for name in ("ada", "bob"))


def test_the_other_sees_that_somebody_is_suspended(tmp_path: Path) -> None:
    """Ctrl-Z is told to the others before the program stops; after fg what they did is there, and they see it too."""
    with Stage(tmp_path) as stage:
        pty = Pty(["bash", "--norc", "-i"], PS1="$ ")
        home = known(tmp_path / "ada", "Ada")
        words = "host dots-and-boxes --first me --open --no-discovery --port 0"
        pty.expect("$")
        pty.type(f"{sys.executable} -m lantable --home {home} {words}\r")
        pty.expect("yours, 1 free", "port")
        found = re.search(r"port (\d+)", pty.text)
        assert found is not None
        bob = stage.start("bob", "join", f"127.0.0.1:{found[1]}")
        pty.expect("YOUR MOVE")
        pty.type("a1r\r")
        bob.expect("your turn")
        pty.type("\x1a")
        bob.expect("Ada", "is away from the keyboard")
        bob.type("who", "a2r")
        bob.expect("player 1 Ada", "away")
        pty.until(lambda: pty.raw.rfind(LEAVE_ALTERNATE) > pty.raw.rfind(ENTER_ALTERNATE), "the shell")
        pty.type("fg\r")
        bob.expect("Ada", "is back")
        pty.expect("YOUR MOVE", "plays a2r")
        pty.type("\x03\x03")
        pty.until(lambda: pty.raw.rfind(LEAVE_ALTERNATE) > pty.raw.rfind(ENTER_ALTERNATE), "the end")
        pty.child.close(force=True)
