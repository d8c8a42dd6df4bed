"""trio's part of the screen: it runs as a guest on prompt_toolkit's loop, in the same thread, without locks.

It is loaded after the first frame is drawn, since importing trio takes longer than drawing. Whatever comes from outside
(a typed line, the wish to end) enters through trio's own token, so it runs between two steps of trio's tasks.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import trio
from outcome import Outcome

from lantable.errors import LantableError
from lantable_console.face import Main

if TYPE_CHECKING:
    from lantable_console.screen.app import Load

LINES_KEPT = 10_000


class Guest:
    """One run of trio beside the loop that is running now. `code` is the exit code if it is ended from outside."""

    def __init__(self, code: int) -> None:
        self.code = code
        self._scope = trio.CancelScope()
        self._put, self._get = trio.open_memory_channel[str](LINES_KEPT)
        self._token: trio.lowlevel.TrioToken | None = None

    def start(self, main: Main) -> "asyncio.Future[Outcome[int]]":
        """Begin to run `main`; the future has its outcome."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[Outcome[int]] = loop.create_future()
        trio.lowlevel.start_guest_run(
            self._run,
            main,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            done_callback=ended.set_result,
            host_uses_signal_set_wakeup_fd=True,
        )
        return ended

    async def _run(self, main: Main) -> int:
        self._token = trio.lowlevel.current_trio_token()
        with self._scope:
            return await main()
        return self.code

    def cancel(self) -> None:
        """End it, from outside of it. Again, or too late, is harmless."""
        self._soon(self._scope.cancel)

    def call(self, do: Callable[[], Awaitable[None]]) -> "asyncio.Future[None]":
        """Do something inside of it, from outside; the future is done when that is. Errors on purpose are dropped."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def run() -> None:
            with suppress(LantableError):
                await do()
            if not done.done():
                done.set_result(None)

        self._soon(lambda: trio.lowlevel.spawn_system_task(run))
        return done

    def send(self, line: str) -> None:
        """Hand it a line. Where ten thousand wait, a key is held down and nobody reads: those are dropped."""
        self._soon(lambda: self._deliver(line))

    def _deliver(self, line: str) -> None:
        with suppress(trio.WouldBlock):
            self._put.send_nowait(line)

    def _soon(self, do: Callable[[], object]) -> None:
        if self._token is not None:
            with suppress(trio.RunFinishedError):
                self._token.run_sync_soon(do)

    def lines(self, obeyed: Callable[[], None]) -> AsyncIterator[str]:
        """The lines, inside of it. Whoever asks for one has obeyed the one before: then `obeyed` is called."""
        return _Lines(self._get, obeyed)


class _Lines:
    """No generator: one that is left unfinished would have to be closed."""

    def __init__(self, get: trio.MemoryReceiveChannel[str], obeyed: Callable[[], None]) -> None:
        self._get = get
        self._obeyed = obeyed

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        self._obeyed()
        return await self._get.receive()


def from_thread(ask: Callable[[str], Awaitable[str]], question: str) -> str:
    """Ask inside of it, from a thread that it waits for."""
    return trio.from_thread.run(ask, question)


async def loaded(load: "Load") -> int:
    """Inside: load a command in a thread, then run it; its exit code."""
    import gc

    context, run = await trio.to_thread.run_sync(load)
    with context.opened():
        # In a thread too: it may ask something, load plugins, or read a long record.
        result = await trio.to_thread.run_sync(run, context)
        # What is loaded stays. To look through all of it for garbage now and then would hold up a key by 40 ms.
        gc.freeze()
        return result if isinstance(result, int) else await result()
