"""What a computer player computes ends when nobody waits for it any more."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import trio

from lantable.game import pausing
from lantable_console.thinking import Unwanted, think
from tests.cli import Desk


@dataclass
class Slow:
    """Rules that compute for ever, unless they are told to stop in a pause."""

    pause: Callable[[], None] = lambda: None
    started: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    def pausing(self, pause: Callable[[], None]) -> "Slow":
        return Slow(pause, self.started, self.ended)

    def compute(self) -> str:
        self.started.set()
        try:
            while True:
                self.pause()
        except Unwanted:
            self.ended.set()
            raise


async def test_a_thread_ends_soon_after_it_is_cancelled() -> None:
    """Whoever leaves leaves no processor busy behind."""
    slow: Any = Slow()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(think, slow, lambda rules: rules.compute())
        assert await trio.to_thread.run_sync(slow.started.wait, 10)
        nursery.cancel_scope.cancel()
    assert await trio.to_thread.run_sync(slow.ended.wait, 10)


async def test_what_is_found_is_handed_back() -> None:
    """Rules that never compute for long need not know of pauses."""
    rules: Any = object()
    assert await think(rules, lambda same: same is rules) is True
    assert pausing(rules, lambda: None) is rules


SLOW = """
from dataclasses import replace
from lantable.hookspecs import hookimpl
from lantable_dots_and_boxes.rules import DOTS_AND_BOXES

def slow(rules, view, seat, seed):
    while True:
        rules.pause()

@hookimpl
def lantable_games():
    return [replace(DOTS_AND_BOXES, id="slow", opponents={"slow": slow})]
"""


@pytest.mark.parametrize(
    ("typed", "ended"), [("resign", "slow wins"), ("quit", "the game is kept")], ids=["resign", "quit"]
)
def test_nobody_who_goes_waits_for_a_computer(tmp_path: Path, typed: str, ended: str) -> None:
    """It thinks for ever here, and is not waited for."""
    plugin = tmp_path / "slow.py"
    plugin.write_text(SLOW)
    desk = Desk(tmp_path / "home", (str(plugin),))
    done = desk("play", "slow", "--against", "slow", "--rules", "size=2x2", "--name", "Ada", typed=f"a1r\n{typed}\n")
    assert done.code == 0 and ended in done.out, done.out + done.err
