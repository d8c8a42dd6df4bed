"""Public chance between machines that do not trust each other: who starts.

    toss.commit   SHA-256(LP(domain, game, seat, nonce))    of every seat, in seat order
    toss.open     nonce                                     of every seat, in seat order
    the start     SHA-256(LP(domain, nonce, nonce, ...)) modulo the number of seats

All nonces are bound before the first is shown, so one that cannot be foretold makes the result so. The last to open
knows it before the others and can stop playing, which the record shows; it cannot change it.

A nonce comes from the secret in the key file, so a program that crashed between the two events shows what it promised.
"""

import hmac
from collections.abc import Sequence
from typing import Final

from lantable.keys import length_prefixed, sha256

NONCE_BYTES: Final = 32
_NONCE: Final = b"lantable/toss-nonce/v1"
_COMMIT: Final = b"lantable/toss-commit/v1"
_START: Final = b"lantable/toss-start/v1"


def toss_nonce(secret: bytes, game: bytes, seat: int) -> bytes:
    """What a seat adds to the chance of a game (32 bytes), from the dealing secret of its key file."""
    return hmac.digest(secret, length_prefixed(_NONCE, game, seat.to_bytes(8)), "sha512")[:NONCE_BYTES]


def toss_commit(game: bytes, seat: int, nonce: bytes) -> bytes:
    """What binds a seat to its nonce without showing it (32 bytes)."""
    return sha256(length_prefixed(_COMMIT, game, seat.to_bytes(8), nonce))


def toss_start(nonces: Sequence[bytes], seats: Sequence[int]) -> int:
    """The seat that the lot falls on. `nonces` of all seats that gave one, in seat order."""
    return seats[int.from_bytes(sha256(length_prefixed(_START, *nonces))) % len(seats)]
