"""How the program speaks with the person: what it needs of a terminal, and the line mode's way of giving it.

Commands say lines, read typed lines and tell what is before the person. `Plain` prints and reads line by line;
`screen.app.Screen` does the same things on a full screen. What is typed means the same on both.
"""

import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import trio

from lantable.text import safe_text
from lantable_console import keyboard
from lantable_console.commands import completions
from lantable_console.language import shown
from lantable_console.settings import Looks, Settings
from lantable_replays.system import TERMINATION_SIGNALS

Main = Callable[[], Awaitable[int]]
OnAway = Callable[[bool], Awaitable[None]]
"""What tells the others that nobody sits here now, or somebody again."""


class Face(Protocol):
    """What commands need of the side that faces the person."""

    on_away: OnAway | None
    """Called when the program is about to be suspended, and when it goes on."""
    full: bool
    """Whether it shows a picture of everything at all times, so that nothing need be printed to be seen."""
    looks: Looks

    def run(self, main: Main) -> int:
        """Run `main` under trio to its end; its exit code."""
        ...

    def say(self, text: str) -> None:
        """One line for the person. What peers and files supplied in it must have passed `safe_text`."""
        ...

    def warn(self, text: str) -> None:
        """One line about a fault."""
        ...

    def card(self, lines: Sequence[str], code: Sequence[str]) -> None:
        """Lines to look at together, with a picture of text rows that only means something whole; it may be empty."""
        ...

    def suggest(self, move: str) -> None:
        """A move, in canonical notation, that the person might play: show it, and play nothing."""
        ...

    def lines(self, prompt: Callable[[], str] = str) -> AsyncIterator[str]:
        """What the person types, line by line. In line mode `prompt` says what a terminal shows before each."""
        ...

    def refresh(self) -> None:
        """Something that is shown at all times has changed."""
        ...

    def ask(self, question: str) -> str:
        """A question before anything is shown, and the line typed in answer. Not from inside trio."""
        ...

    def show(self, subject: Any) -> AbstractContextManager[None]:
        """While inside, `subject` (a game, the lobby, a replay) is what the person has before them."""
        ...

    @property
    def lingers(self) -> bool:
        """Whether somebody is there to look at the end of a game, and to say what comes next."""
        ...


class Plain:
    """Line mode: one line after the other, nothing rewritten."""

    full = False
    on_away: OnAway | None = None

    def __init__(self, settings: Settings) -> None:
        self.looks = Looks.of(settings)

    def run(self, main: Main) -> int:
        with keyboard.keys_seen():
            return trio.run(main)

    def say(self, text: str) -> None:
        keyboard.typing.say(shown(text))

    def warn(self, text: str) -> None:
        print(f"lantable: {safe_text(shown(text), 600)}", file=sys.stderr, flush=True)

    def card(self, lines: Sequence[str], code: Sequence[str]) -> None:
        for line in lines:
            self.say(f"  {line}")
        if code and sys.stdout.isatty() and shutil.get_terminal_size().columns < len(code[0]):
            self.say(f"  the code for a camera has {len(code[0])} columns; make the window wider and ask again")
        else:
            for line in code:
                self.say(line)

    def suggest(self, move: str) -> None:
        self.say(f"  hint: {safe_text(move, 300)}")

    def lines(self, prompt: Callable[[], str] = str) -> AsyncIterator[str]:
        return keyboard.lines(prompt)

    def refresh(self) -> None:
        return

    def ask(self, question: str) -> str:
        print(question, end="", flush=True)
        # Past Python's buffer: what is typed ahead stays for the game.
        return os.read(0, keyboard.LONGEST_LINE).decode("utf-8", "replace")

    @contextmanager
    def show(self, subject: Any) -> Generator[None]:
        def offers(line: str) -> list[str]:
            return completions(subject, line)

        before, keyboard.typing.offers = keyboard.typing.offers, offers
        try:
            yield
        finally:
            keyboard.typing.offers = before

    @property
    def lingers(self) -> bool:
        return keyboard.is_typed()


async def until_signal(body: Main) -> int:
    """Run `body`; a signal that asks the program to end cancels it, and 128 + the signal's number is returned."""
    code = 0
    async with trio.open_nursery() as nursery:

        async def listen() -> None:
            nonlocal code
            with trio.open_signal_receiver(*TERMINATION_SIGNALS) as signals:
                async for number in signals:
                    code = 128 + number
                    nursery.cancel_scope.cancel()

        nursery.start_soon(listen)
        code = await body()
        nursery.cancel_scope.cancel()
    return code
