"""Typed lines as they come, without stopping anything else.

At a terminal we see every key (`keys_seen`), so we know whether somebody is in the middle of a line, and what is said
meanwhile waits until that line is finished. Nothing is ever rewritten: characters are only appended, and taking one
back rubs out the person's own last character, as every terminal does. From a pipe, lines are read as they are.
"""

import codecs
import io
import os
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Self

import trio

from lantable.text import safe_text
from lantable_replays import system

LONGEST_LINE: Final = 8192
ERASE: Final = ("\x7f", "\b")
DROP: Final = "\x15"
DROP_WORD: Final = "\x17"
END: Final = "\x04"


def is_typed() -> bool:
    """Whether a person sits there, rather than a pipe or a file."""
    return sys.stdin is not None and sys.stdin.isatty()


class Typing:
    """A line being typed at a terminal. News is said through `say`, which holds it back meanwhile."""

    def __init__(self) -> None:
        self.text = ""
        self.prompt = ""
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
        elif char.isprintable() and len(self.text) < LONGEST_LINE:
            self.text += char
            print(safe_text(char, 4), end="", flush=True)
        return None

    def _rub_out(self, count: int) -> None:
        gone = self.text[len(self.text) - count :] if count else ""
        self.text = self.text[: len(self.text) - len(gone)]
        width = sum(2 if _is_wide(char) else 1 for char in gone)
        print("\b \b" * width, end="", flush=True)
        if gone and not self.text:
            self.release()


typing: Final = Typing()
"""The one terminal of this program."""


def _is_wide(char: str) -> bool:
    import unicodedata

    return unicodedata.east_asian_width(char) in "WF"


def keys_seen() -> AbstractContextManager[None]:
    """While inside, a terminal hands over every key at once. On each way out it is as it was."""
    file = _descriptor()
    return system.reading_keys(file, typing.show_again) if file is not None and is_typed() else nullcontext()


def lines(prompt: Callable[[], str] = str) -> AsyncIterator[str]:
    """Lines from standard input until its end; a person at a terminal is shown `prompt()` before each."""
    file = _descriptor()
    if file is None:
        return _Given()
    if is_typed() and system.CAN_READ_KEYS:
        return _Typed(file, prompt)
    return _Piped(file)


def _descriptor() -> int | None:
    """Standard input as the system knows it; None for a stand-in of Python's."""
    try:
        return sys.stdin.fileno()
    except (io.UnsupportedOperation, ValueError, AttributeError):
        return None


class _Lines:
    """No generator: one that is left unfinished would have to be closed."""

    def __init__(self) -> None:
        self._ready: deque[str] = deque()

    def __aiter__(self) -> Self:
        return self


class _Given(_Lines):
    """Lines of a stand-in for standard input."""

    async def __anext__(self) -> str:
        line = sys.stdin.readline()
        if not line:
            raise StopAsyncIteration
        return line.strip()


class _Typed(_Lines):
    """Lines of a person at a terminal, key by key."""

    def __init__(self, file: int, prompt: Callable[[], str]) -> None:
        super().__init__()
        self._file = file
        self._prompt = prompt
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._keys: Iterator[str] = iter(())

    async def __anext__(self) -> str:
        typing.ask(self._prompt())
        while True:
            for char in self._keys:
                if char == END and not typing.text:
                    typing.say("")
                    raise StopAsyncIteration
                if (line := typing.key(char)) is not None:
                    return line.strip()
            await trio.lowlevel.wait_readable(self._file)
            data = os.read(self._file, LONGEST_LINE)
            self._keys = _keys(self._decoder.decode(data)) if data else iter(END)


def _keys(text: str) -> Iterator[str]:
    """Characters, without the sequences of arrows and other keys that type nothing."""
    at = 0
    while at < len(text):
        if text[at] == "\x1b":
            at += 1
            if text[at : at + 1] in ("[", "O"):
                at += 1
                while at < len(text) and not "@" <= text[at] <= "~":
                    at += 1
            at += 1
        else:
            yield text[at]
            at += 1


class _Piped(_Lines):
    """Lines of a pipe or a file.

    A thread blocks in `read` and is left behind when the program ends; reading the descriptor itself, past Python's
    buffer, holds no lock that the interpreter would wait for at exit.
    """

    def __init__(self, file: int) -> None:
        super().__init__()
        self._file = file
        self._rest = b""

    async def __anext__(self) -> str:
        while not self._ready:
            chunk = await trio.to_thread.run_sync(os.read, self._file, LONGEST_LINE, abandon_on_cancel=True)
            if not chunk and not self._rest.strip():
                raise StopAsyncIteration
            *whole, rest = (self._rest + chunk).split(b"\n") if chunk else [self._rest, b""]
            self._rest = rest[:LONGEST_LINE]
            self._ready.extend(line[:LONGEST_LINE].decode("utf-8", "replace").strip() for line in whole)
        return self._ready.popleft()
