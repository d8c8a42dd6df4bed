"""What one home knows of a game that is dealt by `egb1/1`: the secrets of its seats.

From them and from the record it computes everything that its seats write, and what lies in their slots. Nothing of
it is kept anywhere: a program that crashed, and the audit once the secrets are shown, compute the same again.
"""

# pyright: reportPrivateUsage=false
# The table below the class is made of its own methods.

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from lantable.dealing import HIDDEN, Spent, Turn, egb1, short
from lantable.dealing.egb1 import Ciphertext, Secrets
from lantable.dealing.fair import COMMIT, KEY, REVEAL, SHARES, SHUFFLE, TOSS_COMMIT, TOSS_OPEN, FairDeal, Held
from lantable.dealing.lots import toss_commit, toss_nonce
from lantable.errors import Misuse


class FairDealer:
    """Deals for the seats whose seeds it holds; see `dealing.Dealer`."""

    def __init__(self, game: bytes, seeds: Mapping[int, bytes], nonces: Mapping[int, bytes]) -> None:
        self._secrets = {seat: Secrets(seed, game, seat) for seat, seed in seeds.items()}
        self._nonces = nonces
        self._tiles: dict[tuple[int, bytes], int | None] = {}
        """Tiles of my own hidden slots, found before: by seat and entry."""

    @classmethod
    def of(cls, secret: bytes, game: bytes, seats: Iterable[int]) -> "FairDealer":
        """The dealer of a home with this deal secret (32 bytes) for its seats of one game."""
        mine = tuple(seats)
        seeds = {seat: egb1.deal_seed(secret, game, seat) for seat in mine}
        return cls(game, seeds, {seat: toss_nonce(secret, game, seat) for seat in mine})

    def owes(self, deal: FairDeal, turn: Turn) -> tuple[str, dict[str, Any]]:
        """Raises `Misuse` if the record was begun with another key file."""
        assert deal.step is not None  # noqa: S101 - asked only of the seat that is due
        return deal.step, _OWED[deal.step](self, deal, turn)

    def fault(self, deal: FairDeal, turn: Turn) -> dict[str, Any] | None:
        if turn.seat not in self._secrets or deal.stopped or turn.seat in deal.shown:
            return None
        tiles = self._numbers(deal, turn.seat)
        counts = Counter(tile for tile in tiles.values() if tile is not None)
        seen = deal.seen
        bad = [slot for slot, tile in tiles.items() if tile is None or tile in seen or counts[tile] > 1]
        return {"shares": self._openings(deal, turn, bad)} if bad else None

    def carries(self, deal: FairDeal, turn: Turn, spent: Spent, rack: Sequence[str]) -> dict[str, Any]:
        """Raises `Misuse` if the seat holds no such tiles, so that the move was not first judged."""
        needed = short(spent.tiles, rack)
        kinds = {slot: deal.tiles[tile] for slot, tile in self._numbers(deal, turn.seat).items() if tile is not None}
        slots = _first_of(kinds, needed)
        if spent.shown:
            return {"open": self._openings(deal, turn, slots)} if slots else {}
        mine = ((slot, held.tile) for slot, held in sorted(deal.held.items()) if held.seat == turn.seat)
        seen = {slot: deal.tiles[tile] for slot, tile in mine if tile is not None}
        slots = sorted((*slots, *_first_of(seen, Counter(spent.tiles) - needed)))
        return {"slots": slots} if slots else {}

    def knows(self, deal: FairDeal, seat: int) -> Sequence[str]:
        if seat not in self._secrets:
            return ()
        numbers = self._numbers(deal, seat).values()
        return tuple(HIDDEN if tile is None else deal.tiles[tile] for tile in numbers)

    def seed(self, deal: FairDeal, seat: int) -> bytes | None:
        bound = seat in deal.commits and seat not in deal.shown
        return self._secrets[seat].seed if bound and seat in self._secrets else None

    def gives(self, deal: FairDeal, turn: Turn, kind: str, body: Mapping[str, Any]) -> bool:
        # The numbers of the toss do not come from the seeds; that they open their commitments was judged at once.
        if turn.seat not in self._secrets or kind in (TOSS_COMMIT, TOSS_OPEN):
            return True
        if kind in _OWED:
            return (kind, body) == self.owes(deal, turn)
        opened: Any = body.get("open" if kind == "move" else "shares", ())
        return list(opened) == self._openings(deal, turn, [share["slot"] for share in opened])

    # -- what each step takes

    def _mine(self, deal: FairDeal, seat: int) -> Secrets:
        secrets = self._secrets[seat]
        # "If my own deal.commit in the record does not match, sign nothing."
        if deal.commits.get(seat, secrets.commit) != secrets.commit:
            raise Misuse("this game was dealt with another key file; put that one back to go on with it")
        return secrets

    def _lot(self, deal: FairDeal, turn: Turn) -> dict[str, Any]:
        return {"commit": toss_commit(turn.game, turn.seat, self._nonces[turn.seat]).hex()}

    def _nonce(self, deal: FairDeal, turn: Turn) -> dict[str, Any]:
        return {"nonce": self._nonces[turn.seat].hex()}

    def _commit(self, deal: FairDeal, turn: Turn) -> dict[str, Any]:
        return {"commit": self._mine(deal, turn.seat).commit.hex()}

    def _key(self, deal: FairDeal, turn: Turn) -> dict[str, Any]:
        return self._mine(deal, turn.seat).key(turn.prev).as_json()

    def _shuffle(self, deal: FairDeal, turn: Turn) -> dict[str, Any]:
        assert deal.stir is not None  # noqa: S101 - the step says so
        joint = egb1.joint(deal.keys.values())
        shuffled = self._mine(deal, turn.seat).shuffle(turn.prev, deal.stir.entries, joint)
        deal.made.shuffles.add((deal.stir.entries.digest, shuffled.digest))
        return {"list": shuffled.as_json()}

    def _shares(self, deal: FairDeal, turn: Turn) -> dict[str, Any]:
        pile = deal.pile
        assert pile is not None  # noqa: S101 - the step says so
        slots = ((slot, pile.entries.digest, pile.entry(slot)) for slot in deal.owed_shares(turn.seat))
        return {"shares": [self._share(deal, turn, *slot) for slot in slots]}

    def _share(self, deal: FairDeal, turn: Turn, slot: int, listing: bytes, entry: Ciphertext) -> dict[str, Any]:
        """The seat's share of one slot."""
        secrets = self._mine(deal, turn.seat)
        (share,) = secrets.shares(turn.prev, listing, [(slot, entry.c1)])
        deal.made.shares.add((turn, listing, secrets.public, entry.c1, share))
        return share.as_json()

    def _seed(self, deal: FairDeal, turn: Turn) -> dict[str, Any]:
        return {"seed": self._mine(deal, turn.seat).seed.hex()}

    # -- my own tiles

    def _openings(self, deal: FairDeal, turn: Turn, slots: Iterable[int]) -> list[dict[str, Any]]:
        """My own shares of my own slots, for all to see."""
        held = ((slot, deal.held[slot]) for slot in sorted(slots))
        return [self._share(deal, turn, slot, there.listing, there.entry) for slot, there in held]

    def _numbers(self, deal: FairDeal, seat: int) -> dict[int, int | None]:
        """Number of the tile in every hidden slot of a seat, in the order of slots; None for what is no tile."""
        return {slot: self._number(deal, held) for slot, held in deal.hidden(seat).items()}

    def _number(self, deal: FairDeal, held: Held) -> int | None:
        at = held.seat, held.entry.raw
        if at not in self._tiles:
            self._tiles[at] = deal.opened(held, egb1.share_of(self._secrets[held.seat].x, held.entry.c1))
        return self._tiles[at]


def _first_of(kinds: Mapping[int, str], needed: Counter[str]) -> list[int]:
    """For each kind needed the first slots that hold it. Raises `Misuse` if there are not enough."""
    left, slots = Counter(needed), list[int]()
    for slot, kind in kinds.items():
        if left[kind] > 0:
            left[kind] -= 1
            slots.append(slot)
    if +left:
        raise Misuse("the rack does not hold these tiles")
    return slots


_OWED: Final[dict[str, Callable[[FairDealer, FairDeal, Turn], dict[str, Any]]]] = {
    TOSS_COMMIT: FairDealer._lot,
    TOSS_OPEN: FairDealer._nonce,
    COMMIT: FairDealer._commit,
    KEY: FairDealer._key,
    SHUFFLE: FairDealer._shuffle,
    SHARES: FairDealer._shares,
    REVEAL: FairDealer._seed,
}
