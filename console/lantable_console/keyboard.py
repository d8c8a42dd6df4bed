"""Typed lines as they come, without stopping anything else, and without losing one.

Whoever waits for a line may stop waiting: the lobby does when a game begins. A thread then still sits in `read`, and
what it brings belongs to whoever asks next. So there is one reader for each run of trio, and lines wait in it.
"""

import os
import sys
import threading
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final

import trio

LONGEST_LINE: Final = 8192


def is_typed() -> bool:
    """Whether a person sits there, rather than a pipe or a file."""
    return sys.stdin is not None and sys.stdin.isatty()


async def lines() -> AsyncGenerator[str]:
    """Lines from standard input until its end, each to whoever asked for it first."""
    try:
        reader = _readers.get()
    except LookupError:
        reader = _Reader(trio.lowlevel.current_trio_token())
        _readers.set(reader)
    while (line := await reader.line()) is not None:
        yield line


class _Reader:
    """Reads standard input when a line is wanted and none is there.

    The thread blocks in `read` and is left behind when the program ends; reading the descriptor itself, past
    Python's buffer, holds no lock that the interpreter would wait for at exit.
    """

    def __init__(self, token: trio.lowlevel.TrioToken) -> None:
        self._token = token
        self._lines: deque[str] = deque()
        self._rest = b""
        self._ended = False
        self._reading = False
        self._more = trio.Event()

    async def line(self) -> str | None:
        """The next line; None after the last."""
        await trio.lowlevel.checkpoint()
        while not self._lines and not self._ended:
            if not self._reading:
                self._reading = True
                threading.Thread(target=self._read, name="keyboard", daemon=True).start()
            await self._more.wait()
        return self._lines.popleft() if self._lines else None

    def _read(self) -> None:
        try:
            chunk = os.read(0, LONGEST_LINE)
        except OSError:
            chunk = b""
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._take, chunk)

    def _take(self, chunk: bytes) -> None:
        self._reading, self._ended = False, not chunk
        *whole, rest = (self._rest + chunk).split(b"\n")
        if self._ended and rest.strip():
            whole.append(rest)
        self._rest = rest[:LONGEST_LINE]
        self._lines.extend(line[:LONGEST_LINE].decode("utf-8", "replace").strip() for line in whole)
        self._more.set()
        self._more = trio.Event()


_readers: Final[trio.lowlevel.RunVar[_Reader]] = trio.lowlevel.RunVar("keyboard")
