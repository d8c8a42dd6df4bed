"""What dealing without a dealer costs (egb1/1), beside the bare operations of libsodium that it cannot do without.

A bag of a hundred tiles. The floor of each is the same number of multiplications, additions and point checks in a bare
loop: whatever is above it is hashing, objects and Python. Times are processor time of this thread, which other
people's work disturbs least.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Final

import nacl.bindings as sodium

from bench.measure import Distribution, Say, Target
from lantable.dealing import egb1, group
from lantable.keys import sha256

MOST: Final = 1.35
"""Times the floor."""
ROUNDS: Final = 40
TILES: Final = 100
SEATS: Final = 4
GAME: Final = bytes(16)
PREV: Final = bytes(32)


def run(say: Say, rounds: int = ROUNDS, tiles: int = TILES) -> list[Target]:
    """One shuffle, the check of a list, a share, its check, and opening a slot, for four seats."""
    seats = [egb1.Secrets(sha256(bytes([seat])), GAME, seat) for seat in range(SEATS)]
    key = egb1.joint(seat.public for seat in seats)
    bag = seats[0].shuffle(PREV, egb1.initial(tiles, key), key)
    first, digest, c1 = seats[0], bag.digest, bag.entries[0].c1
    (share,) = first.shares(PREV, digest, [(0, c1)])
    points = [egb1.share_of(seat.x, c1) for seat in seats]
    base, times, plus = partial(group.times_base, first.x), partial(_times, first.x, c1), partial(_plus, c1, key)
    valid = partial(sodium.crypto_core_ed25519_is_valid_point, c1)
    things: dict[str, tuple[Callable[[], object], list[tuple[Callable[[], object], int]]]] = {
        f"shuffle of {tiles}": (
            lambda: first.shuffle(PREV, bag, key),
            [(base, tiles), (times, tiles), (plus, 2 * tiles)],
        ),
        f"check of a list of {tiles}": (lambda: egb1.check_list(tiles, bag), [(valid, 2 * tiles)]),
        "a share": (lambda: first.shares(PREV, digest, [(0, c1)]), [(base, 1), (times, 2)]),
        "check of a share": (
            lambda: egb1.check_share(GAME, 0, PREV, digest, first.public, c1, share),
            [(base, 1), (times, 3), (plus, 2)],
        ),
        f"opening, {SEATS} seats": (lambda: egb1.open_(bag.entries[0], points, tiles), [(plus, SEATS)]),
    }
    return [_measured(say, name, rounds, *thing) for name, thing in things.items()]


def _times(scalar: bytes, point: bytes) -> bytes:
    return sodium.crypto_scalarmult_ed25519_noclamp(scalar, point)


def _plus(one: bytes, other: bytes) -> bytes:
    return sodium.crypto_core_ed25519_add(one, other)


def _measured(
    say: Say, name: str, rounds: int, thing: Callable[[], object], bare: list[tuple[Callable[[], object], int]]
) -> Target:
    floors: list[float] = []
    found: list[float] = []
    thing()  # points of tiles are computed once
    for _ in range(rounds):
        floors.append(sum(milliseconds(operation, count) for operation, count in bare))
        found.append(milliseconds(thing))
    floor, one = Distribution(f"bare operations, {name}", floors), Distribution(name, found)
    ratio = one.median / floor.median
    say(f"{floor}  (floor)")
    say(f"{one}  {ratio:.2f} x floor")
    return Target(f"{name} at most {MOST} x its bare operations", f"{ratio:.2f} x", ratio <= MOST)


def milliseconds(do: Callable[[], object], count: int = 1) -> float:
    """Processor time of so many calls."""
    begin = time.thread_time()
    for _ in range(count):
        do()
    return (time.thread_time() - begin) * 1000
