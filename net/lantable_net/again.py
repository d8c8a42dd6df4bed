"""One more game out of another: a rematch of one that is over, or what those make of one who are left in it.

Both come about in the same way. A player proposes it to the others who would play; once each of them has, whoever sits
first makes the offer, at a table that nobody else sees. What is proposed is a value, and two proposals of the same are
equal; so nobody can be drawn into another game than the one that was agreed to.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lantable.dealing import dealt
from lantable.dealing.fair import FairDealing
from lantable.errors import Misuse
from lantable.events import Continued
from lantable.game import continuing
from lantable.keys import PublicKey
from lantable.table import Table
from lantable.wording import msg
from lantable_net.messages import Rematch, TableInfo


@dataclass(frozen=True, slots=True)
class Again:
    """What is proposed: which seats of a game sit down again, in which order; and what they go on from, if they do."""

    game: bytes
    seats: tuple[int, ...]
    continues: Continued | None = None

    @property
    def name(self) -> str:
        """Of the table at which it is offered."""
        return f"{'again' if self.continues is None else 'on'}-{self.game.hex()}"

    @property
    def message(self) -> Rematch:
        going_on = self.continues
        return Rematch(self.game) if going_on is None else Rematch(self.game, self.seats, going_on.head)

    def keys(self, table: Table) -> list[PublicKey]:
        """Who would play, in order, given the table it comes out of."""
        return [table.chain.offer.seats[seat].key for seat in self.seats]

    def info(self, table: Table) -> TableInfo:
        """What must be offered. Where the lot fell on who began, a rematch moves the seats on instead."""
        offer = table.chain.offer
        dealing = offer.dealing if dealt(table.position.rules) is not None else None
        if isinstance(dealing, FairDealing) and self.continues is None:
            dealing = FairDealing(lot=False)
        return TableInfo(
            name=self.name,
            game=offer.game,
            version=offer.version,
            options=offer.options,
            house_rules=offer.house_rules,
            seats=len(self.seats),
            taken=(),
            clock=offer.clock,
            dealing=dealing,
        )


def rematch_of(table: Table) -> Again:
    """The same again; whoever sat after the one that began begins next time. Raises `Misuse` while it is not over."""
    if not table.complete:
        raise Misuse(msg("a rematch is for a game of yours that is over"))
    seats = list(range(len(table.chain.offer.seats)))
    after = (table.position.tossed or 0) + 1
    return Again(table.chain.game, (*seats[after:], *seats[:after]))


def going_on_of(table: Table, seats: Sequence[int]) -> Again:
    """Another game that goes on from where this one stands, with only these of its seats. Raises `Misuse`.

    "A game never loses a seat against its will: survivors open a NEW game"; this one stays as it is.
    """
    position, rules = table.position, continuing(table.position.rules)
    if table.complete or position.agreed is not None:
        raise Misuse(msg("that game is over; a rematch begins another"))
    if rules is None:
        raise Misuse(msg("this game cannot go on without one of its players; it waits, and  resume  takes it up again"))
    if len(seats) < 2 or any(seat in position.out for seat in seats):
        raise Misuse(msg("two or more of those who are still in the game must be here to go on with it"))
    # What not everybody acknowledged, and now nobody can, did not happen for the other game.
    chain, seq = table.chain, len(table.chain.seals) - 1
    text = position.rules.position(position.back_to(seq).state)
    return Again(chain.game, tuple(seats), Continued(chain.game, seq, chain.events[seq].h, text, tuple(seats)))
