"""Offers of one game: to take back, to draw, to stop. Which are open, and what closes them. No I/O.

An offer is a wish that needs everybody: its notice is signed anew for each head, and is still the same offer. One of a
kind is open at a time, whoever made it; whoever else wishes the same agrees to it. It closes when it is granted, when
somebody declines it, when its own seat withdraws it, and when another seat plays on: that is an answer too. Every
side sees the same record, so all close it at the same event, and no offer lies about to be granted by surprise.

Two that cross on the wire are one if they want the same, and else the lower seat's stands.
"""

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Final

from lantable.errors import Misuse
from lantable.events import NoticeKind
from lantable.wording import msg

OFFERS: Final[tuple[NoticeKind, ...]] = ("takeback", "draw", "stop")
"""The notices that need everybody's consent."""
MOST: Final = 3
"""How often one seat may offer one kind in a game."""


@dataclass(frozen=True, slots=True)
class OpenOffer:
    """What `seat` (the lowest of its key) would like; `to` is the event to take back to."""

    seat: int
    kind: NoticeKind
    to: int | None = None


class Closed(Enum):
    """Why an offer is not open any more; the value is for people."""

    GRANTED = "granted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    PLAYED_ON = msg("the game was played on")
    CROSSED = msg("another's came first")
    TOO_LATE = msg("it cannot be done any more")


class Offers:
    """The open offers of one game, one of a kind."""

    def __init__(self) -> None:
        self.open: dict[NoticeKind, OpenOffer] = {}
        self._made: Counter[tuple[int, NoticeKind]] = Counter()

    def spent(self, offer: OpenOffer) -> bool:
        """Whether its seat has made as many of the kind as it may."""
        return self._made[offer.seat, offer.kind] >= MOST

    def make(self, offer: OpenOffer) -> None:
        """Open an offer. Raises `Misuse` if its seat may not, or must answer another first."""
        standing = self.open.get(offer.kind)
        if standing is not None:
            mine = standing.seat == offer.seat
            raise Misuse(
                msg("your own offer of that kind is open; withdraw it first")
                if mine
                else msg("another offer of that kind is open; answer it first")
            )
        if self.spent(offer):
            raise Misuse(msg("that was offered {most} times in this game, and no more is allowed", most=MOST))
        self._made[offer.seat, offer.kind] += 1
        self.open[offer.kind] = offer

    def close(self, offer: OpenOffer) -> bool:
        """Whether it was open; it is not any more."""
        if self.open.get(offer.kind) != offer:
            return False
        del self.open[offer.kind]
        return True
