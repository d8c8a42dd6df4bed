"""What the loop of one game needs of whatever runs that game: one machine that has every seat, or a network.

`Driver` runs the session, `Elsewhere` is all that goes on besides, and both put what happened into `News`.
`play.LocalTable` and `games.NetworkTable` are drivers, `desk.Desk` is an elsewhere; the loop knows none of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import trio

from lantable_net.effects import Effect
from lantable_net.session import Session

Do = Callable[[Session], list[Effect]]
"""Something done in a game: what comes of it is carried out in this order."""


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """What we know of another player: `word` is new, seen, compared or the like; `words` are those to compare now."""

    word: str
    words: str = ""


class Driver(Protocol):
    """What runs the session that a loop plays."""

    @property
    def session(self) -> Session: ...

    @property
    def running(self) -> bool:
        """Whether the session is still at work: it ends early if the disk fails, or if its game never began."""
        ...

    def person(self, seat: int) -> Acquaintance | None:
        """What we know of the player of a seat; None if the seat is ours."""
        ...

    async def act(self, do: Do) -> None:
        """Do something in the game and wait until it is on disk. Raises what the session raises."""
        ...

    async def finish(self) -> None:
        """The game is over or left: do what should still be done for the others."""
        ...

    @property
    def next(self) -> bool:
        """Whether another game has begun that is to be played now."""
        ...

    def away(self, owner: int) -> bool:
        """Whether a player said to be away from the keyboard."""
        ...

    @property
    def stays(self) -> bool:
        """Whether the game goes on while another one is before the person."""
        ...

    async def rematch(self) -> None:
        """Ask for, or agree to, the same again with the seats moved on. Raises `Misuse`."""
        ...

    @property
    def can_go_on(self) -> bool:
        """Whether those who are here can go on, as another game, without those who are not."""
        ...

    async def go_on(self) -> str:
        """Ask for that, or agree to it. The names of those who are not here. Raises `Misuse`."""
        ...

    async def chat(self, text: str) -> None:
        """Say something to the other players. Raises `Misuse`."""
        ...

    def mute(self, name: str, *, muted: bool) -> None:
        """Show nothing more of what somebody says, or do again. Raises `Misuse`."""
        ...

    def talkers(self) -> list[str]:
        """Whom one could mute."""
        ...

    async def go_away(self, *, away: bool) -> None:
        """Tell the others that the person here is away from the keyboard, or back."""
        ...


class Elsewhere(Protocol):
    """What goes on besides the game that is before the person: tables of others, and other games."""

    def invitations(self) -> list[str]:
        """Tables of others at which one could sit down, by name."""
        ...

    def invitation_lines(self) -> list[str]:
        """The oldest of these in words; empty if there is none."""
        ...

    def waiting(self) -> list[str]:
        """Other games that have begun, by the first digits of their ids; the next one first."""
        ...

    def choose(self, game: str) -> None:
        """Which of these comes next. Raises `Misuse`."""
        ...

    async def join(self, name: str) -> None:
        """Ask for a seat. Raises `Misuse`."""
        ...

    async def beside(self, board: "News") -> None:
        """Tell what happens there as news of this game, until cancelled."""
        ...


class News:
    """What happened and is not yet told. Whichever task tells next takes all of it, so the order stands."""

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._there = trio.Event()

    def put(self, item: Any) -> None:
        self._items.append(item)
        self._there.set()

    async def wait(self) -> None:
        """Until there is something to tell."""
        await self._there.wait()

    def take(self) -> list[Any]:
        items, self._items = self._items, []
        if self._there.is_set():
            self._there = trio.Event()
        return items
