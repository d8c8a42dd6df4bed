"""All that a person can be told: of a game, and of the people and tables around."""

from dataclasses import dataclass

from lantable.chain import ForkProof
from lantable.events import Nack, Notice, Offer
from lantable.fold import Position
from lantable_net.again import Again
from lantable_net.handshake import Peer
from lantable_net.messages import Address, TableInfo
from lantable_net.offers import Closed, OpenOffer

# -- of a game


@dataclass(frozen=True, slots=True)
class Played:
    """Event `position.seq` is on this disk and stands."""

    position: Position
    seen: int | None = None
    """Of another's timed event, the milliseconds that it took by our clock."""


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Everyone has acknowledged the last event; whoever is due may write."""

    position: Position


@dataclass(frozen=True, slots=True)
class Settled:
    """After a start: every other seat has been heard and caught up with; this seat may sign again."""

    position: Position


@dataclass(frozen=True, slots=True)
class Wished:
    """Another seat would like to resign or leave."""

    notice: Notice


@dataclass(frozen=True, slots=True)
class Offered:
    """Another seat offers to take back, to draw or to stop, and waits for an answer."""

    offer: OpenOffer


@dataclass(frozen=True, slots=True)
class Agreed:
    """A seat agrees to an open offer; with more than two seats others may still have to."""

    seat: int
    offer: OpenOffer


@dataclass(frozen=True, slots=True)
class OfferClosed:
    """An offer is not open any more, and why; `by` is the seat that declined it."""

    offer: OpenOffer
    why: Closed
    by: int | None = None


@dataclass(frozen=True, slots=True)
class Forked:
    """A key signed twice; the game stops."""

    proof: ForkProof


@dataclass(frozen=True, slots=True)
class Refused:
    """A seat refuses an event; the game stops."""

    nack: Nack


@dataclass(frozen=True, slots=True)
class Stuck:
    """The game cannot go on here for now, and why, in plain words."""

    reason: str


GameNews = Played | Acknowledged | Settled | Wished | Offered | Agreed | OfferClosed | Forked | Refused | Stuck


# -- of people and tables


@dataclass(frozen=True, slots=True)
class Met:
    """Somebody is connected. `again` if this replaced an older connection."""

    peer: Peer
    again: bool


@dataclass(frozen=True, slots=True)
class Parted:
    """Somebody's connection ended; `farewell` is the reason they gave, if they gave one. Raw."""

    peer: Peer
    farewell: str = ""


@dataclass(frozen=True, slots=True)
class Twice:
    """A key that is connected came from a second data folder, at this address, and was refused."""

    peer: Peer
    address: Address


@dataclass(frozen=True, slots=True)
class TablesChanged:
    """A peer's list of open tables."""

    peer: Peer
    tables: tuple[TableInfo, ...]


@dataclass(frozen=True, slots=True)
class SatDown:
    """Somebody took a seat at a table of ours; `free` are left."""

    table: str
    peer: Peer
    free: int


@dataclass(frozen=True, slots=True)
class StoodUp:
    """Somebody left a table of ours before the game began."""

    table: str
    peer: Peer


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody would like to sit down at a table of ours, and waits for our answer."""

    table: str
    peer: Peer


@dataclass(frozen=True, slots=True)
class AskedNoMore:
    """Somebody who waited for an answer does not wait any more."""

    table: str
    peer: Peer


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said something, in a game if `game` is one. Raw."""

    peer: Peer
    text: str
    game: bytes | None


@dataclass(frozen=True, slots=True)
class WentAway:
    """Somebody went away from the keyboard, or is back."""

    peer: Peer
    away: bool


@dataclass(frozen=True, slots=True)
class RematchWished:
    """A player of a game would like to play it again, or to go on with it without somebody."""

    peer: Peer
    again: Again

    @property
    def game(self) -> bytes:
        return self.again.game


@dataclass(frozen=True, slots=True)
class RematchOff:
    """Nothing comes of that: this player declined it or is gone."""

    peer: Peer
    again: Again

    @property
    def game(self) -> bytes:
        return self.again.game


@dataclass(frozen=True, slots=True)
class Declined:
    """A request or an offer of ours was declined, or we declined theirs."""

    peer: Peer
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Began:
    """A game began, or is held again after a start: its session may be asked from now on."""

    game: bytes
    offer: Offer
    again: bool = False
    """Whether it was held again, rather than begun."""


@dataclass(frozen=True, slots=True)
class NeverBegan:
    """A game whose event 0 a seat can no longer accept was set aside."""

    game: bytes
