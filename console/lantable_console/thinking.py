"""What takes long in a game, off the event loop, and ended when nobody waits for it any more.

Python cannot stop a thread. So rules that may compute for long look up now and then whether they are still wanted
(`game.pausing`); what the thread of rules that do not finds out in the end is dropped.
"""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import trio

from lantable.game import Rules, pausing

T = TypeVar("T")


class Unwanted(Exception):
    """Nobody waits for the result any more."""


async def think(rules: Rules[Any], work: Callable[[Rules[Any]], T]) -> T:
    """The result of `work`, done in a thread. If this is cancelled, that ends by itself soon after."""
    unwanted = threading.Event()

    def pause() -> None:
        if unwanted.is_set():
            raise Unwanted

    try:
        return await trio.to_thread.run_sync(work, pausing(rules, pause), abandon_on_cancel=True)
    finally:
        unwanted.set()
