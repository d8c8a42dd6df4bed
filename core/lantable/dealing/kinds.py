"""The dealings there are, by the names that event 0 may hold. A name, once here, stays for ever."""

from collections.abc import Callable
from typing import Final

from lantable.canonical import Fields
from lantable.dealing import Deal, Dealer, Dealing, fair, seed
from lantable.dealing.fair import FairDeal, FairDealing
from lantable.dealing.fair_dealer import FairDealer
from lantable.dealing.seed import SeedDeal, SeedDealer, SeedDealing
from lantable.errors import Untrusted

EVENTS: Final = (*seed.EVENTS, *fair.EVENTS)
"""Every type of event that deals."""
_READ: Final[dict[str, Callable[[Fields], Dealing]]] = {seed.NAME: SeedDealing.read, fair.NAME: FairDealing.read}


def read_dealing(value: object) -> Dealing:
    """The dealing that event 0 names. Raises `Untrusted`, with code `newer` for one that is not known here."""
    fields = Fields(value, "dealing")
    name = fields.text("name", 32)
    if name not in _READ:
        raise Untrusted("newer", f"unknown dealing {name!r}: a newer lantable is needed")
    dealing = _READ[name](fields)
    fields.done()
    return dealing


def shown(game: bytes, deal: Deal) -> tuple[Dealer | None, list[int]]:
    """A dealer that holds every secret shown in a record by now, if any is; and the seats that have shown none."""
    if isinstance(deal, SeedDeal):
        return (None, [seed.DEALER]) if deal.shown is None else (SeedDealer(deal.shown, deal.dealing), [])
    assert isinstance(deal, FairDeal)  # noqa: S101 - there are no others
    seeds = {seat: secrets.seed for seat, secrets in deal.shown.items()}
    return FairDealer(game, seeds, {}), fair.owing(deal)
