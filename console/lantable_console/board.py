"""One game as it is before the person: where it stands, what of it may be seen here, and what was said of it.

Several people may take turns at one keyboard, and computer players may have seats of ours. So whose eyes look at the
screen is asked here and nowhere else, and nothing hidden is drawn, listed or explained but through `Board.seen`.
"""

from collections.abc import Mapping
from typing import Any, Final

from lantable.clock import shown
from lantable.dealing import dealt
from lantable.events import Offer
from lantable.fold import Position
from lantable.game import Opponent, Outcome
from lantable.text import safe_name
from lantable_console import keyboard, language
from lantable_console.context import Context
from lantable_console.driver import Driver
from lantable_net.session import Session

LOW: Final = (60_000, 10_000)
"""Milliseconds left at which the person is told that there is little left."""


class Board:
    """`robots` play the seats they are given."""

    def __init__(self, context: Context, driver: Driver, robots: Mapping[int, Opponent]) -> None:
        self.context = context
        self.driver = driver
        self.robots = robots
        self.log: list[str] = []
        """What was told of this game, a line each."""
        self._seated: int | None = None
        """Of several players at this keyboard, in a game that hides something: who sits there now."""
        self._mine: tuple[Position, Position] | None = None
        """The newest position as everybody may see it, and as it is seen here."""

    # -- the game

    @property
    def typed(self) -> bool:
        """Whether a person types, rather than a pipe."""
        return self.context.face.full or keyboard.is_typed()

    def say(self, text: str) -> None:
        """One line about this game."""
        self.log.append(language.shown(text))
        self.context.say(text)

    def forget_answers(self) -> None:
        """Of what was said only the news may still be seen: answers were for one player's eyes."""
        self.log = [line for line in self.log if line.startswith("* ")]

    @property
    def session(self) -> Session:
        return self.driver.session

    @property
    def offer(self) -> Offer:
        return self.session.table.chain.offer

    @property
    def position(self) -> Position:
        """Where the game stands, as whoever sits here sees it. To see hidden tiles takes reckoning: done once each."""
        whole = self.session.table.position
        if self._mine is None or self._mine[0] is not whole:
            self._mine = whole, self.session.position
        return self._mine[1]

    @property
    def over(self) -> bool:
        """Whether nothing more happens here."""
        return self.session.stopped or self.session.table.complete or not self.driver.running

    def name(self, seat: int) -> str:
        """A player's name as the record has it, made safe."""
        return safe_name(self.session.table.chain.offer.seats[seat].name)

    def score(self, outcome: Outcome) -> str:
        return ", ".join(f"{self.name(seat)} {score}" for seat, score in enumerate(outcome.scores))

    @property
    def has_clock(self) -> bool:
        return self.position.clocks is not None

    def clock_words(self, seat: int) -> str:
        """What a seat has left, such as `9:41`, or `0:09 LOW`; empty without clocks."""
        left = self.session.left(seat)
        if left is None:
            return ""
        word = " OVER" if left < 0 else " LOW" if left <= LOW[0] and self._was_long() else ""
        return f"{shown(left)}{word}"

    def _was_long(self) -> bool:
        """Whether a clock begins with more than what counts as little."""
        clock = self.offer.clock
        return clock is not None and clock.time * 1000 > LOW[0]

    # -- who sits here

    def yours(self, seat: int) -> bool:
        """Whether the person at this keyboard plays that seat."""
        return self.session.table.chain.owners[seat] == self.session.me and seat not in self.robots

    def all_robots(self) -> bool:
        owners = self.session.table.chain.owners
        mine = [seat for seat, owner in enumerate(owners) if owner == self.session.me]
        return bool(mine) and all(seat in self.robots for seat in mine)

    def eyes(self) -> int | None:
        """The seat through whose eyes the game is shown; None for a spectator, and while players change places."""
        if dealt(self.position.rules) is None:
            return self.session.me
        mine = [seat for seat in range(len(self.position.owners)) if self.yours(seat)]
        if len(mine) > 1:
            return self._seated if self._seated == self.position.mover else None
        return next(iter(mine), None)

    def seen(self, seat: int | None) -> Any:
        """The game as that seat, or a spectator (None), may see it now: all that is shown or explained."""
        return self.position.rules.view(self.position.state, seat)

    def hand(self) -> int | None:
        """The seat for which a move may be put together at this keyboard now; None where that would show too much."""
        if self.position.outcome is not None:
            return None
        mover = self.position.mover
        if mover is not None and self.yours(mover):
            return mover if self.sits(mover) else None
        return self.eyes()

    def sits(self, seat: int) -> bool:
        """Whether what `seat` may see can be on the screen now."""
        return dealt(self.position.rules) is None or self.eyes() == seat

    @property
    def someone_waits(self) -> bool:
        """Whether somebody is to sit down at this keyboard before anything hidden is shown."""
        mover = self.position.mover
        return mover is not None and self.yours(mover) and not self.sits(mover)

    def sit(self, seat: int) -> None:
        """That seat's player sits at the keyboard now."""
        self._seated = seat

    def rise(self, seat: int) -> None:
        """It is that seat's turn: any other player gets up."""
        if self._seated != seat:
            self._seated = None
