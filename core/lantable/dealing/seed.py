"""seed/1: all chance of a game from one committed 32-byte seed, for games in which one machine holds every seat.

Every number is drawn by SHA-256 from (purpose, seed, number of the event, how many were drawn before for it), and taken
modulo n by rejection, so that no value is likelier than another. A tile is drawn by its place in the bag, whose
kinds have a fixed order; this is the same as shuffling first and costs no shuffle. Nothing is remembered between
events: what event n gets depends on the seed, n and what is in the bag, so anyone who knows the seed gets the same.

The seed itself comes from the secret in the key file and the fresh nonce of the offer. So it need not be kept, a
restored backup cannot lose it, and no two games share one.
"""

import hmac
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, Final

from lantable.dealing import (
    SEED,
    TILES,
    TOSS,
    Deal,
    Dealing,
    Draw,
    Reveal,
    Swap,
    Toss,
    Want,
    commitment,
    satisfied,
    without,
)
from lantable.errors import Misuse, PluginFault
from lantable.keys import length_prefixed, sha256

_SEED: Final = b"lantable/seed1/seed/v1\0"
_DRAW: Final = b"lantable/seed1/draw/v1\0"
_TOSS: Final = b"lantable/seed1/toss/v1\0"
_RANGE: Final = 1 << 64


def derive(secret: bytes, nonce: bytes) -> bytes:
    """The seed of the game that is offered with this nonce (32 bytes)."""
    return hmac.digest(secret, length_prefixed(_SEED, nonce), "sha512")[:32]


class SeedDealer:
    """Deals one game. Raises `Misuse` if the seed is not the one that event 0 is bound to."""

    def __init__(self, seed: bytes, dealing: Dealing) -> None:
        if commitment(seed) != dealing.commit:
            raise Misuse("this game was dealt with another key file; put that one back to go on with it")
        self._seed = seed

    def owes(self, deal: Deal, want: Want | None, seq: int) -> tuple[str, dict[str, Any]]:
        """Type and body of event `seq`; see `Dealer`. Raises `PluginFault` for what is never wanted here."""
        match want:
            case None:
                return SEED, {"seed": self._seed.hex()}
            case Toss(seats):
                return TOSS, {"seat": seats[_below(len(seats), _numbers(_TOSS, self._seed, seq))]}
            case Draw(seat):
                return TILES, {"tiles": list(self._draw(deal, want, seq)), "to": seat}
            case Swap(seat, tiles):
                return TILES, {"tiles": list(self._draw(deal, Draw(seat, len(tiles)), seq)), "to": seat}
            case Reveal():
                raise PluginFault("where one machine deals, no rack is hidden from the rules")

    def _draw(self, deal: Deal, want: Draw, seq: int) -> Sequence[str]:
        if want.count > deal.left:
            raise PluginFault(f"{want.count} tiles are wanted from a bag of {deal.left}")
        numbers = _numbers(_DRAW, self._seed, seq)
        while True:
            tiles = _some(deal, want.count, numbers)
            if not want.one_of or satisfied(deal, want, tiles):
                return tiles


def _some(deal: Deal, wanted: int, numbers: Iterator[int]) -> list[str]:
    """So many tiles out of the bag, each tile in it as likely as any other."""
    tiles: list[str] = []
    for _ in range(wanted):
        at = _below(deal.left, numbers)
        for kind, there in deal.bag:
            if at < there:
                tiles.append(kind)
                deal = without(deal, [kind])
                break
            at -= there
    return tiles


def _numbers(purpose: bytes, seed: bytes, seq: int) -> Iterator[int]:
    """Numbers below 2**64, endlessly, none telling anything of another."""
    for index in count():
        yield int.from_bytes(sha256(purpose, seed, seq.to_bytes(8), index.to_bytes(8))[:8])


def _below(bound: int, numbers: Iterator[int]) -> int:
    """A number below `bound`, each as likely as any other: those beyond the last full multiple are passed over."""
    return next(number % bound for number in numbers if number < _RANGE - _RANGE % bound)
