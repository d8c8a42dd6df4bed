"""seed/1: all chance of a game from one committed 32-byte seed, for games in which one machine holds every seat.

    deal.toss   {seat}           who starts
    deal.tiles  {tiles, to}      the tiles a seat gets, in the order drawn
    deal.seed   {seed}           after the game: what all of it was derived from

Every number is drawn by SHA-256 from (purpose, seed, number of the event, how many were drawn before for it), and taken
modulo n by rejection, so that no value is likelier than another. A tile is drawn by its place in the bag, whose
kinds have a fixed order; this is the same as shuffling first and costs no shuffle. Nothing is remembered between
events: what event n gets depends on the seed, n and what is in the bag, so anyone who knows the seed gets the same.

The seed itself comes from the secret in the key file and the fresh nonce of the offer. So it need not be kept, a
restored backup cannot lose it, and no two games share one.

What is judged when: that an answer fits its want, that the bag holds the tiles, and that the seed opens the
commitment are rules of the table and checked at once. That an answer is the one the seed gives can be said only
once the seed is known: that is the audit's third level.
"""

# pyright: reportPrivateUsage=false
# The table below the class is made of its own methods.

import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final

from lantable.canonical import Fields, Json
from lantable.dealing import MAX_TILES, Answer, Draw, Moved, Ready, Reveal, Spent, Swap, Toss, Turn, Want
from lantable.errors import IllegalMove, Misuse, PluginFault, Untrusted
from lantable.keys import length_prefixed, sha256

NAME: Final = "seed/1"
SEED_BYTES: Final = 32
TOSS: Final = "deal.toss"
TILES: Final = "deal.tiles"
SEED: Final = "deal.seed"
EVENTS: Final = (TOSS, TILES, SEED)
DEALER: Final = 0
"""The seat that writes what is dealt: one key plays every seat, and it signs as the first."""

_COMMIT: Final = b"lantable/seed1/commit/v1\0"
_SEED: Final = b"lantable/seed1/seed/v1\0"
_DRAW: Final = b"lantable/seed1/draw/v1\0"
_TOSS: Final = b"lantable/seed1/toss/v1\0"
_RANGE: Final = 1 << 64


def commitment(seed: bytes) -> bytes:
    """What binds a machine to a seed without showing it (32 bytes)."""
    return sha256(_COMMIT, seed)


def derive(secret: bytes, nonce: bytes) -> bytes:
    """The seed of the game that is offered with this nonce (32 bytes)."""
    return hmac.digest(secret, length_prefixed(_SEED, nonce), "sha512")[:32]


@dataclass(frozen=True, slots=True)
class SeedDealing:
    """`seed/1`, with the commitment to its seed (32 bytes)."""

    commit: bytes

    @property
    def name(self) -> str:
        return NAME

    @property
    def alone(self) -> bool:
        return True

    def as_json(self) -> Json:
        return {"commit": self.commit.hex(), "name": NAME}

    @classmethod
    def read(cls, fields: Fields) -> "SeedDealing":
        """Raises `Untrusted`."""
        return cls(fields.hex("commit", 32))

    def begun(self, seats: int, tiles: Sequence[str]) -> "SeedDeal":
        return SeedDeal(self, tuple((kind, tiles.count(kind)) for kind in dict.fromkeys(tiles)))


# -- how far it has come


@dataclass(frozen=True, slots=True)
class SeedDeal:
    """Where the dealing of a game stands; see `dealing.Deal`."""

    dealing: SeedDealing
    bag: tuple[tuple[str, int], ...]
    """(kind, how many) in the bag, in the order in which the rules name the kinds first."""
    want: Want | None = None
    over: bool = False
    drawn: Answer | None = None
    """The answer to `want` once an event has brought it."""
    answers: int = 0
    shown: bytes | None = None
    """The seed, once shown."""

    @property
    def left(self) -> int:
        return sum(count for _, count in self.bag)

    @property
    def count(self) -> int:
        return self.answers + (self.shown is not None)

    @property
    def stopped(self) -> bool:
        return False

    @property
    def slow(self) -> bool:
        return False

    @property
    def due(self) -> int | None:
        return DEALER if self.want is not None or (self.over and self.shown is None) else None

    def faces(self, wants: Sequence[Want], *, over: bool) -> "SeedDeal":
        return replace(self, want=wants[0] if wants else None, over=over)

    def answer(self) -> Ready | None:
        return None if self.drawn is None else Ready(self.drawn, replace(self, drawn=None))

    def take(self, turn: Turn, kind: str, body: Mapping[str, Any]) -> Moved:
        """The deal after one of its events. Raises `Untrusted` if the body is not of its form, else `IllegalMove`."""
        if kind not in _TAKES:
            raise IllegalMove("deal", "this game is dealt by one seed")
        if self.want is None and kind != SEED:
            raise IllegalMove("deal", "nothing is wanted from the bag")
        return Moved(_TAKES[kind](self, body))

    def moved(self, turn: Turn, body: Mapping[str, Any], spent: Spent, rack: Sequence[str]) -> Moved:
        if set(body) != {"move"}:
            raise Untrusted("schema", "a move is {move: text}")
        return Moved(self)

    def left_by(self, game: bytes, seat: int, seed: bytes | None) -> Moved:
        if seed is not None:
            raise Untrusted("schema", "no seat has a secret of its own under seed/1")
        return Moved(self)

    # -- its events

    def _toss(self, body: Mapping[str, Any]) -> "SeedDeal":
        fields = Fields(body, TOSS)
        seat = fields.number("seat", 0, 3)
        fields.done()
        if not isinstance(self.want, Toss):
            raise IllegalMove("deal", "another answer is wanted from the bag")
        if seat not in self.want.seats:
            raise IllegalMove("deal", "the lot fell on a seat that was not asked about")
        return replace(self, drawn=seat, answers=self.answers + 1)

    def _tiles(self, body: Mapping[str, Any]) -> "SeedDeal":
        fields = Fields(body, TILES)
        items, to = fields.array("tiles", MAX_TILES), fields.number("to", 0, 3)
        fields.done()
        if not all(isinstance(item, str) and 0 < len(item) <= 16 for item in items):
            raise Untrusted("schema", f"{TILES}: tiles are texts of 1 to 16 characters")
        want, tiles = self.want, tuple(map(str, items))
        if not isinstance(want, Draw | Swap) or to != want.seat:
            raise IllegalMove("deal", "the tiles are for another seat than the one that draws")
        if len(tiles) != (want.count if isinstance(want, Draw) else len(want.tiles)):
            raise IllegalMove("deal", "that is not the number of tiles to be drawn")
        if isinstance(want, Draw) and not satisfied(self, want, tiles):
            raise IllegalMove("deal", "such a rack is dealt again")
        deal = without(self, tiles)
        if isinstance(want, Swap):
            deal = with_back(deal, want.tiles)
        return replace(deal, drawn=tiles, answers=self.answers + 1)

    def _shown(self, body: Mapping[str, Any]) -> "SeedDeal":
        fields = Fields(body, SEED)
        seed = fields.hex("seed", SEED_BYTES)
        fields.done()
        if self.want is not None or not self.over:
            raise IllegalMove("deal", "a seed is shown when play is over")
        if commitment(seed) != self.dealing.commit:
            raise IllegalMove("seed", "this is not the seed that was committed to before the game")
        return replace(self, shown=seed)


_TAKES: Final[dict[str, Callable[[SeedDeal, Mapping[str, Any]], SeedDeal]]] = {
    TOSS: SeedDeal._toss,
    TILES: SeedDeal._tiles,
    SEED: SeedDeal._shown,
}


def without(deal: SeedDeal, tiles: Sequence[str]) -> SeedDeal:
    """The deal with these tiles taken out of the bag. Raises `IllegalMove("not_in_bag")`."""
    left = dict(deal.bag)
    for tile in tiles:
        if not left.get(tile):
            raise IllegalMove("not_in_bag", "the bag does not hold the tiles that were drawn")
        left[tile] -= 1
    return replace(deal, bag=tuple(left.items()))


def with_back(deal: SeedDeal, tiles: Sequence[str]) -> SeedDeal:
    """The deal with these tiles put back into the bag."""
    left = dict(deal.bag)
    for tile in tiles:
        left[tile] = left.get(tile, 0) + 1
    return replace(deal, bag=tuple(left.items()))


def satisfied(deal: SeedDeal, want: Draw, tiles: Sequence[str]) -> bool:
    """Whether tiles that were drawn may be kept."""
    return any(tile in want.one_of for tile in tiles) or not any(n and kind in want.one_of for kind, n in deal.bag)


# -- who deals


class SeedDealer:
    """Deals one game; see `dealing.Dealer`. Raises `Misuse` if the seed is not the one that event 0 is bound to."""

    def __init__(self, seed: bytes, dealing: SeedDealing) -> None:
        if commitment(seed) != dealing.commit:
            raise Misuse("this game was dealt with another key file; put that one back to go on with it")
        self._seed = seed

    def owes(self, deal: SeedDeal, turn: Turn) -> tuple[str, dict[str, Any]]:
        """Raises `PluginFault` for what is never wanted here."""
        match deal.want:
            case None:
                return SEED, {"seed": self._seed.hex()}
            case Toss(seats):
                return TOSS, {"seat": seats[_below(len(seats), _numbers(_TOSS, self._seed, turn.seq))]}
            case Draw(seat):
                return TILES, {"tiles": list(self._draw(deal, deal.want, turn.seq)), "to": seat}
            case Swap(seat, tiles):
                return TILES, {"tiles": list(self._draw(deal, Draw(seat, len(tiles)), turn.seq)), "to": seat}
            case Reveal():
                raise PluginFault("where one machine deals, no rack is hidden from the rules")

    def fault(self, deal: SeedDeal, turn: Turn) -> None:
        return None

    def carries(self, deal: SeedDeal, turn: Turn, spent: Spent, rack: Sequence[str]) -> dict[str, Any]:
        return {}

    def knows(self, deal: SeedDeal, seat: int) -> Sequence[str]:
        return ()

    def seed(self, deal: SeedDeal, seat: int) -> None:
        return None

    def gives(self, deal: SeedDeal, turn: Turn, kind: str, body: Mapping[str, Any]) -> bool:
        return kind not in EVENTS or (kind, body) == self.owes(deal, turn)

    def _draw(self, deal: SeedDeal, want: Draw, seq: int) -> Sequence[str]:
        if want.count > deal.left:
            raise PluginFault(f"{want.count} tiles are wanted from a bag of {deal.left}")
        numbers = _numbers(_DRAW, self._seed, seq)
        while True:
            tiles = _some(deal, want.count, numbers)
            if not want.one_of or satisfied(deal, want, tiles):
                return tiles


def _some(deal: SeedDeal, wanted: int, numbers: Iterator[int]) -> list[str]:
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
