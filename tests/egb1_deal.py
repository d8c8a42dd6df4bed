"""A whole bag dealt under egb1/1 in memory, for tests: `dealt(seats, tiles)` and everything is there."""

from dataclasses import dataclass
from typing import Final

from lantable.dealing import egb1
from lantable.dealing.egb1 import Ciphertexts, KeyPost, Secrets, Share
from lantable.keys import sha256

GAME: Final = bytes(range(16))


def secret_of(seat: int) -> bytes:
    """The dealing secret in the key file of whoever sits there."""
    return sha256(b"dealing secret", bytes([seat]))


def prev_of(message: int) -> bytes:
    """The link before the event that holds the n-th message: any 32 bytes that differ."""
    return sha256(b"link before", bytes([message]))


def seated(seats: int, game: bytes = GAME) -> tuple[Secrets, ...]:
    """What each seat knows at the start of a game."""
    return tuple(Secrets(egb1.deal_seed(secret_of(seat), game, seat), game, seat) for seat in range(seats))


@dataclass(frozen=True)
class Dealt:
    """A bag that every seat has shuffled. Messages are numbered: the keys first, then the lists, then shares."""

    seats: tuple[Secrets, ...]
    posts: tuple[KeyPost, ...]
    joint: bytes
    lists: tuple[Ciphertexts, ...]
    """As it was at the start, and after each seat."""

    @property
    def bag(self) -> Ciphertexts:
        return self.lists[-1]

    @property
    def last(self) -> bytes:
        """The link before the event after all lists."""
        return prev_of(2 * len(self.seats))

    def shares(self, seat: int, *slots: int) -> tuple[Share, ...]:
        """What a seat writes for these slots in that event."""
        return self.seats[seat].shares(self.last, self.bag.digest, [(n, self.bag.entries[n].c1) for n in slots])

    def check(self, seat: int, share: Share) -> None:
        """Raises `Untrusted` for a false one."""
        secrets, c1 = self.seats[seat], self.bag.entries[share.slot].c1
        egb1.check_share(secrets.game, seat, self.last, self.bag.digest, secrets.public, c1, share)

    def opened(self, slot: int) -> int | None:
        """The tile that all seats find there together, every share checked."""
        shares = [self.shares(seat, slot)[0] for seat in range(len(self.seats))]
        for seat, share in enumerate(shares):
            self.check(seat, share)
        return egb1.open_(self.bag.entries[slot], [share.point for share in shares], len(self.bag))


def dealt(seats: int = 2, tiles: int = 6, game: bytes = GAME) -> Dealt:
    """Every key and list checked by everybody."""
    secrets = seated(seats, game)
    posts = tuple(secret.key(prev_of(secret.seat)) for secret in secrets)
    for secret, post in zip(secrets, posts, strict=True):
        egb1.check_key(game, secret.seat, secret.commit, post)
    joint = egb1.joint(post.key for post in posts)
    lists = [egb1.initial(tiles, joint)]
    for secret in secrets:
        lists.append(secret.shuffle(prev_of(seats + secret.seat), lists[-1], joint))
        egb1.check_list(tiles, lists[-1])
    return Dealt(secrets, posts, joint, tuple(lists))
