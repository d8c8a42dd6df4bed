"""How the full screen feels: from starting it to its first frame, from a key to the drawing that answers it, and idle.

The program is a real one in a pseudo-terminal; its frames are what arrives there. For a key, the clock runs from the
byte written to the terminal until the answer has come out of it, with a 12x12 board on the screen and twenty lines
of news a second arriving.
"""

import itertools
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from fcntl import ioctl
from pathlib import Path
from typing import Final

from bench.measure import Distribution, Say, Target
from lantable_console.home import Home

FIRST_MS: Final = 400.0
KEY_MS: Final = 20.0
MEGABYTES: Final = 80.0
IDLE_PERCENT: Final = 0.5
STARTS: Final = 10
KEYS: Final = 300
IDLE_SECONDS: Final = 10.0
NEWS_A_SECOND: Final = 20
ROOT: Final = Path(__file__).parent.parent
SOURCES: Final = ("core", "net", "plugins", "replays", "console")
BUSY: Final = """
import threading, time
from lantable_console.cli import main
from lantable_console.screen.app import Screen
opened = Screen.open
def open(self, load):
    def talk():
        n = 0
        while True:
            time.sleep(1 / {rate})
            n += 1
            if self.subject is not None:
                self.subject.board.log.append("* news %d" % n)
                self.say("* news %d" % n)
    threading.Thread(target=talk, daemon=True).start()
    return opened(self, load)
Screen.open = open
{more}
raise SystemExit(main())
"""
"""The same program, to which something happens twenty times a second."""
FULL: Final = """
from dataclasses import replace
from lantable_binary_scrabble.board import Board
from lantable_console import board
line = "1+1=10&11=10|0="
squares = [line[(col + 4 * row) % 15] if row != 7 else "." for row in range(15) for col in range(15)]
squares[7 * 15] = "1"
kept, full = board.Board.position.fget, {}
def position(self):
    now, bag = kept(self), 20 + len(self.log) % 2
    if now.mover is None:
        return now
    if bag not in full:
        state = replace(now.state, board=Board("".join(squares)), bag=bag, racks=("00111=+x?", "00111=+x?"))
        full[bag] = replace(now, state=state)
    return full[bag]
board.Board.position = property(position)
"""
"""A board on which one row is empty, all others full, and something in the position changes with every line of news."""


class Terminal:
    """A program in a pseudo-terminal of some size."""

    def __init__(self, home: Path, *command: str, width: int = 120, height: int = 40) -> None:
        self.fd, child = pty.openpty()
        ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        outside = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LANTABLE_"))}
        env = {
            **outside,
            "TERM": "xterm-256color",
            "PYTHONPATH": os.pathsep.join(str(ROOT / source) for source in SOURCES),
            "PYTHONPYCACHEPREFIX": str(home / "compiled"),  # as installed: compiled once, by the first start
            "LANTABLE_HOME": str(home),
        }
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=child, stdout=child, stderr=child, env=env, cwd=ROOT, start_new_session=True
        )
        os.close(child)

    def until(self, what: bytes, seconds: float = 20.0) -> float:
        """When something has come out of it."""
        seen, deadline = b"", time.perf_counter() + seconds
        while what not in seen:
            ready, _, _ = select.select([self.fd], [], [], max(deadline - time.perf_counter(), 0))
            if not ready:
                raise TimeoutError(f"{what!r} never came; the last was {seen[-200:]!r}")
            try:
                seen = seen[-4096:] + os.read(self.fd, 65536)
            except OSError:
                raise EOFError(f"it ended before {what!r}: {seen[-300:]!r}") from None
        return time.perf_counter()

    def drain(self, seconds: float) -> None:
        """Read what comes for a while."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                os.read(self.fd, 65536)

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def seconds_of_processor(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Its resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1000

    def close(self) -> None:
        """End it; the folder's lock must be free for the next one."""
        self.process.kill()
        self.process.wait()
        os.close(self.fd)


def run(say: Say, starts: int = STARTS, keys: int = KEYS, idle: float = IDLE_SECONDS) -> list[Target]:
    """Start to the first frame, key to drawing on full boards amid news, memory, and the processor while idle."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        home = Path(name)
        Home(home).key_file("Ada")  # or the first run asks for a name
        _ready(home)
        first = Distribution("start to the first frame", [_first(home) for _ in range(starts)])
        ready = Distribution("start to the lobby", [_ready(home) for _ in range(starts)])
        answers = Distribution("key to drawing, 12x12, 20 news a second", _keys(home, keys))
        laying, megabytes = _laying(home, keys)
        laid = Distribution("key to drawing, full board of tiles, likewise", laying)
        percent = _idle(home, idle)
    for line in (first, ready, answers, laid):
        say(str(line))
    say(f"  resident memory with a full board of tiles: {megabytes:.1f} MB")
    say(f"  processor while idle, a game on the screen: {percent:.2f} %")
    return [
        Target(f"the first frame within {FIRST_MS:g} ms", f"{first.median:.0f} ms", first.median <= FIRST_MS),
        Target(f"99 of 100 keys drawn within {KEY_MS:g} ms", f"{answers.at(0.99):.1f} ms", answers.at(0.99) <= KEY_MS),
        Target(f"the same while laying tiles within {KEY_MS:g} ms", f"{laid.at(0.99):.1f} ms", laid.at(0.99) <= KEY_MS),
        Target(f"at most {MEGABYTES:g} MB resident", f"{megabytes:.1f} MB", megabytes <= MEGABYTES),
        Target(f"at most {IDLE_PERCENT} % of a processor while idle", f"{percent:.2f} %", percent <= IDLE_PERCENT),
    ]


def _first(home: Path) -> float:
    terminal = Terminal(home, sys.executable, "-m", "lantable", "lobby", "--no-discovery", "--port", "0")
    try:
        return 1000 * (terminal.until(b"opening") - terminal.begun)
    finally:
        terminal.close()


def _ready(home: Path) -> float:
    terminal = Terminal(home, sys.executable, "-m", "lantable", "lobby", "--no-discovery", "--port", "0")
    try:
        return 1000 * (terminal.until(b"PEOPLE") - terminal.begun)
    finally:
        terminal.close()


def _keys(home: Path, count: int) -> list[float]:
    """Typed letters, which must appear in the line, in milliseconds."""
    play = ("play", "dots-and-boxes", "--hotseat", "--rules", "size=12x12")
    terminal = Terminal(home, sys.executable, "-c", BUSY.format(rate=NEWS_A_SECOND, more=""), *play)
    times: list[float] = []
    try:
        terminal.until(b"YOUR")
        for way in itertools.islice(itertools.cycle(("\x1b[B", "\x1b[C", "\x1b[D", "\x1b[A")), count):
            terminal.drain(0.013)
            begin = time.perf_counter()
            terminal.type(way)
            terminal.until(b"\x1b[0;7m")  # the cell under the cursor, in reverse video
            times.append(1000 * (time.perf_counter() - begin))
    finally:
        terminal.close()
    return times


def _laying(home: Path, count: int) -> tuple[list[float], float]:
    """Tiles laid and taken back, each judged, in milliseconds; and the memory at the end."""
    play = ("play", "binary-scrabble", "--hotseat")
    terminal = Terminal(home, sys.executable, "-c", BUSY.format(rate=NEWS_A_SECOND, more=FULL), *play)
    times: list[float] = []
    try:
        terminal.until(b"sit down")
        terminal.type("s")
        terminal.until(b"\x1b[0;7m")
        for key in itertools.islice(itertools.cycle((*"10+1=1", *["\x7f"] * 6, "\x1b[B", "\x1b[A")), count):
            terminal.drain(0.013)
            begin = time.perf_counter()
            terminal.type(key)
            terminal.until(b"\x1b[0;7m")  # the square under the cursor, in reverse video
            times.append(1000 * (time.perf_counter() - begin))
        return times, terminal.megabytes()
    finally:
        terminal.close()


def _idle(home: Path, seconds: float) -> float:
    """Per cent of one processor, once everything is loaded."""
    play = ("play", "dots-and-boxes", "--hotseat", "--rules", "size=12x12")
    terminal = Terminal(home, sys.executable, "-m", "lantable", *play)
    try:
        terminal.until(b"YOUR")
        terminal.drain(1.0)
        before = terminal.seconds_of_processor()
        terminal.drain(seconds)
        return 100 * (terminal.seconds_of_processor() - before) / seconds
    finally:
        terminal.close()
