"""Programs in real pseudo-terminals: typed at, and what is on the screen read back with pyte.

ada = Pty([sys.executable, "-m", "lantable", "--home", known(tmp_path / "ada", "ada"), "lobby"])
ada.expect("PEOPLE")
ada.type("q")
assert ada.code() == 0
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pyte
import pytest

from lantable_console.home import Home
from tests.programs import environment

pexpect: Any = pytest.importorskip("pexpect", reason="it drives a real terminal")
PATIENCE: Final = 30.0
"""Seconds until something that should be seen counts as never seen."""


class Pty:
    """A program in a terminal of some size; `text` is what is on it now."""

    def __init__(self, command: list[str], width: int = 80, height: int = 24, **env: str) -> None:
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        given = environment(**{"TERM": "xterm-256color", **env})
        self.child = pexpect.spawn(command[0], command[1:], dimensions=(height, width), env=given, timeout=PATIENCE)

    @property
    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.screen.display)

    def until(self, seen: Callable[[], object], what: object) -> None:
        deadline = time.monotonic() + PATIENCE
        while not seen():
            assert time.monotonic() < deadline, f"never seen: {what}\n{self.text}"
            self._read()

    def _read(self) -> bool:
        try:
            data = self.child.read_nonblocking(65536, 0.05)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        self._stream.feed(data)
        return True

    def expect(self, *texts: str) -> None:
        self.until(lambda: all(text in self.text for text in texts), texts)

    def type(self, text: str) -> None:
        self.child.send(text)

    def resize(self, width: int, height: int) -> None:
        """As a person does who drags the window's edge."""
        self._read()
        self.screen.resize(height, width)
        self.child.setwinsize(height, width)

    @property
    def under_cursor(self) -> str:
        cursor = self.screen.cursor
        return self.screen.display[cursor.y][cursor.x]

    def code(self) -> int:
        """The exit code of a program that ends now; all that it wrote is read."""
        deadline = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < deadline, f"it does not end\n{self.text}"
        self.child.close()
        return int(128 + self.child.signalstatus if self.child.exitstatus is None else self.child.exitstatus)

    def assert_given_back(self) -> None:
        """Alternate screen, mouse, bracketed paste and the hidden cursor: all undone, the last of each."""
        for on, off in (
            (b"\x1b[?1049h", b"\x1b[?1049l"),
            (b"\x1b[?2004h", b"\x1b[?2004l"),
            (b"\x1b[?25l", b"\x1b[?25h"),
        ):
            assert self.raw.rfind(off) > self.raw.rfind(on), (on, self.raw[-300:])
        assert self.raw.rfind(b"\x1b[?1000l") >= self.raw.rfind(b"\x1b[?1000h")


def known(folder: Path, name: str = "player") -> str:
    """A folder of somebody who was here before and is not asked for a name."""
    home = Home(folder)
    if not home.has_key():
        home.key_file(name)
    return str(folder)
