"""Typed lines as they come, without stopping anything else, and without losing one.

Whoever waits for a line may stop waiting: the lobby does when a game begins. A thread then still sits in `read`, and
what it brings belongs to whoever asks next. So there is one reader for each run of trio, and lines wait in it.

At a terminal we see every key (`keys_seen`), so we know whether somebody is in the middle of a line, and what is said
meanwhile waits until that line is finished. Nothing is ever rewritten: characters are only appended, and taking one
back rubs out the person's own last character, as every terminal does. From a pipe, lines are read as they are.
"""

import codecs
import io
import os
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import takewhile
from typing import Final, Protocol, Self

import trio

from lantable.text import safe_text
from lantable_replays import system

LONGEST_LINE: Final = 8192
ERASE: Final = ("\x7f", "\b")
DROP: Final = "\x15"
DROP_WORD: Final = "\x17"
END: Final = "\x04"
TAB: Final = "\t"
BEFORE: Final = "\x10"
AFTER: Final = "\x0e"
"""Through the lines typed before: Ctrl-P and Ctrl-N, and what the arrows stand for."""
ARROWS: Final = {"A": BEFORE, "B": AFTER}
REMEMBERED: Final = 200
"""Lines typed before that can be had again."""
OFFERED: Final = 30
"""Ways to go on that are listed at most."""


def is_typed() -> bool:
    """Whether a person sits there, rather than a pipe or a file."""
    return sys.stdin is not None and sys.stdin.isatty()


class Typing:
    """A line being typed at a terminal. News is said through `say`, which holds it back meanwhile."""

    def __init__(self) -> None:
        self.text = ""
        self.prompt = ""
        self.offers: Callable[[str], Sequence[str]] = lambda _: ()
        """How a line that is begun may go on, for Tab."""
        self._typed: deque[str] = deque(maxlen=REMEMBERED)
        self._back = 0
        """How many lines back the person has gone; 0 in a line of its own."""
        self._held: list[str] = []
        self._fresh = True
        """Whether nothing stands on the terminal's line, not even a prompt."""

    def say(self, text: str) -> None:
        """Print a line, or keep it until what is being typed is finished."""
        if self.text:
            self._held.append(text)
            return
        if not self._fresh:
            # The prompt stands there. It is not taken back: a line of its own follows it.
            print(flush=True)
            self._fresh = True
        print(text, flush=True)

    def ask(self, prompt: str) -> None:
        """Show what stands before the next line."""
        self.prompt = prompt
        if prompt:
            print(prompt, end="", flush=True)
            self._fresh = False

    def show_again(self) -> None:
        """What is half typed once more, where somebody else has used the terminal meanwhile."""
        if self.prompt or self.text:
            print(f"\n{self.prompt}{safe_text(self.text, LONGEST_LINE)}", end="", flush=True)

    def release(self) -> None:
        """Print what was held back."""
        held, self._held = self._held, []
        for text in held:
            self.say(text)

    def key(self, char: str) -> str | None:
        """One character from the keyboard; the line, if it is finished by this."""
        if char in "\r\n":
            line, self.text = self.text, ""
            self._remember(line)
            print(flush=True)
            self._fresh = True
            self.release()
            return line
        if char in ERASE:
            self._rub_out(1)
        elif char == DROP:
            self._rub_out(len(self.text))
        elif char == DROP_WORD:
            self._rub_out(len(self.text) - len(self.text.rstrip().rpartition(" ")[0]))
        elif char == TAB:
            self._complete()
        elif char in (BEFORE, AFTER):
            self._recall(self._back + (1 if char == BEFORE else -1))
        elif char.isprintable() and len(self.text) < LONGEST_LINE:
            self.text += char
            print(safe_text(char, 4), end="", flush=True)
        return None

    def _rub_out(self, count: int) -> None:
        gone = self._take_back(count)
        if gone and not self.text:
            self.release()

    def _take_back(self, count: int) -> str:
        gone = self.text[len(self.text) - count :] if count else ""
        self.text = self.text[: len(self.text) - len(gone)]
        width = sum(2 if _is_wide(char) else 1 for char in gone)
        print("\b \b" * width, end="", flush=True)
        return gone

    def _put(self, text: str) -> None:
        self.text += text
        print(safe_text(text, LONGEST_LINE), end="", flush=True)

    # -- completion, and lines typed before

    def _complete(self) -> None:
        """Go on as far as there is only one way; where there are several, list them and show what is typed again."""
        ways = self.offers(self.text)
        rest = _common(ways)[len(self.text) :]
        if rest or len(ways) == 1:
            self._put(rest if len(ways) > 1 or self.text.endswith(" ") else f"{rest} ")
        elif ways:
            print(f"\n  {safe_text('  '.join(ways[:OFFERED]), LONGEST_LINE)}", end="", flush=True)
            self.show_again()

    def _remember(self, line: str) -> None:
        self._back = 0
        if line.strip() and (not self._typed or self._typed[-1] != line):
            self._typed.append(line)

    def _recall(self, back: int) -> None:
        """The line typed so many lines before, in place of what is typed now; 0 is an empty one."""
        if 0 <= back <= len(self._typed) and back != self._back:
            self._back = back
            self._take_back(len(self.text))
            self._put(self._typed[-back] if back else "")
            if not self.text:
                self.release()


typing: Final = Typing()
"""The one terminal of this program."""


def _common(ways: Sequence[str]) -> str:
    """What all of them begin with."""
    alike = takewhile(lambda chars: len(set(chars)) == 1, zip(*ways, strict=False))
    return "".join(chars[0] for chars in alike)


def _is_wide(char: str) -> bool:
    import unicodedata

    return unicodedata.east_asian_width(char) in "WF"


def keys_seen() -> AbstractContextManager[None]:
    """While inside, a terminal hands over every key at once. On each way out it is as it was."""
    file = _descriptor()
    return system.reading_keys(file, typing.show_again) if file is not None and is_typed() else nullcontext()


def lines(prompt: Callable[[], str] = str) -> AsyncIterator[str]:
    """Lines from standard input until its end, each to whoever asked for it first.

    A person at a terminal is shown `prompt()` before each.
    """
    return _Lines(prompt)


class _Lines:
    """No generator: one that is left unfinished would have to be closed."""

    def __init__(self, prompt: Callable[[], str]) -> None:
        self._prompt = prompt

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await _reader().line(self._prompt)
        if line is None:
            raise StopAsyncIteration
        return line


def _reader() -> "_Reader":
    """The one reader of this run of trio."""
    try:
        return _readers.get()
    except LookupError:
        file = _descriptor()
        if file is None:
            reader: _Reader = _Given()
        elif is_typed() and system.CAN_READ_KEYS:
            reader = _Typed(file)
        else:
            reader = _Piped(file, trio.lowlevel.current_trio_token())
        _readers.set(reader)
        return reader


def _descriptor() -> int | None:
    """Standard input as the system knows it; None for a stand-in of Python's."""
    try:
        return sys.stdin.fileno()
    except (io.UnsupportedOperation, ValueError, AttributeError):
        return None


class _Reader(Protocol):
    """Something that typed lines come from."""

    async def line(self, prompt: Callable[[], str]) -> str | None:
        """The next line; None after the last."""
        ...


class _Given:
    """Lines of a stand-in for standard input."""

    async def line(self, prompt: Callable[[], str]) -> str | None:
        await trio.lowlevel.checkpoint()
        line = sys.stdin.readline()
        return line.strip() if line else None


class _Typed:
    """Lines of a person at a terminal, key by key. Whoever stops waiting leaves what is half typed to the next."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._keys: Iterator[str] = iter(())
        self._waiting = trio.Lock()
        self._ended = False

    async def line(self, prompt: Callable[[], str]) -> str | None:
        async with self._waiting:
            if not typing.text:
                typing.ask(prompt())
            while not self._ended:
                for char in self._keys:
                    if char == END and not typing.text:
                        self._ended = True
                        typing.say("")
                        return None
                    if (line := typing.key(char)) is not None:
                        return line.strip()
                await trio.lowlevel.wait_readable(self._file)
                data = os.read(self._file, LONGEST_LINE)
                self._keys = _keys(self._decoder.decode(data)) if data else iter(END)
        return None


def _keys(text: str) -> Iterator[str]:
    """Characters; of the keys that send sequences only the arrows up and down mean anything."""
    at = 0
    while at < len(text):
        if text[at] == "\x1b":
            at += 1
            if text[at : at + 1] in ("[", "O"):
                at += 1
                begin = at
                while at < len(text) and not "@" <= text[at] <= "~":
                    at += 1
                if at == begin and text[at : at + 1] in ARROWS:
                    yield ARROWS[text[at]]
            at += 1
        else:
            yield text[at]
            at += 1


class _Piped:
    """Lines of a pipe or a file. It reads when a line is wanted and none is there.

    The thread blocks in `read` and is left behind when the program ends; reading the descriptor itself, past
    Python's buffer, holds no lock that the interpreter would wait for at exit.
    """

    def __init__(self, file: int, token: trio.lowlevel.TrioToken) -> None:
        self._file = file
        self._token = token
        self._lines: deque[str] = deque()
        self._rest = b""
        self._ended = False
        self._reading = False
        self._more = trio.Event()

    async def line(self, prompt: Callable[[], str]) -> str | None:
        await trio.lowlevel.checkpoint()
        while not self._lines and not self._ended:
            if not self._reading:
                self._reading = True
                threading.Thread(target=self._read, name="keyboard", daemon=True).start()
            await self._more.wait()
        return self._lines.popleft() if self._lines else None

    def _read(self) -> None:
        try:
            chunk = os.read(self._file, LONGEST_LINE)
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
