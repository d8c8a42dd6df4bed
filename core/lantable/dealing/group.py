"""The group that hidden tiles are dealt in: the prime-order subgroup of edwards25519, through libsodium.

A point is 32 bytes, a scalar 32 bytes little-endian, below the order L.
The curve has eight times as many points as the group. A point outside of it, such as a tile plus the point (0, -1) of
order 2, would carry a mark through every re-encryption, and a share of it would give away bits of a secret. So
whatever comes from others must pass `is_point` or be multiplied, which refuses the same points.

libsodium decides that, and one of its versions decided wrongly (CVE-2025-69277: a member plus (0, -1) was valid; so in
PyNaCl 1.6.1). A version alone says little where systems bring their own libsodium; hence `self_test`, which runs when
this module is loaded. So nothing is ever dealt or checked by a library that takes such a point.

Zero is no scalar and the identity no point here. An honest one comes up once in 2**252 times, and libsodium refuses
to multiply by or to either.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Final

import nacl
import nacl.bindings as sodium
import nacl.exceptions

from lantable.errors import Misuse, Untrusted

POINT_BYTES: Final = 32
SCALAR_BYTES: Final = 32
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""RFC 8032, section 5.1: L."""
BASE: Final = sodium.crypto_scalarmult_ed25519_base_noclamp((1).to_bytes(SCALAR_BYTES, "little"))
"""RFC 8032, section 5.1: B."""
ORDER_2: Final = (2**255 - 20).to_bytes(POINT_BYTES, "little")
"""The point (0, -1)."""
TAGGED: Final = sodium.crypto_core_ed25519_add(BASE, ORDER_2)
"""B + (0, -1): on the curve, not in the group."""
PYNACL: Final = (1, 6, 2)
"""The first version that brings a libsodium without that fault."""


# -- points


def is_point(data: bytes) -> bool:
    """Whether these bytes are a point of the group other than the identity, in its one spelling."""
    return len(data) == POINT_BYTES and sodium.crypto_core_ed25519_is_valid_point(data)


def from_uniform(data: bytes) -> bytes:
    """The point that 32 bytes of hash are mapped to (Elligator 2, then times 8). Nobody knows its logarithm."""
    return sodium.crypto_core_ed25519_from_uniform(data)


def times_base(scalar: bytes) -> bytes:
    """scalar·B; a fifth of what `times` costs."""
    return sodium.crypto_scalarmult_ed25519_base_noclamp(scalar)


def times(scalar: bytes, point: bytes) -> bytes:
    """scalar·point. Raises `Untrusted("point")` if `point` is not one of the group; so no other check is needed."""
    return _point(sodium.crypto_scalarmult_ed25519_noclamp, scalar, point)


def plus(one: bytes, other: bytes) -> bytes:
    """The sum of two points. Of the group if both are; a cancelled pair gives the identity.

    Raises `Untrusted("point")` for what is not on the curve at all.
    """
    return _point(sodium.crypto_core_ed25519_add, one, other)


def minus(one: bytes, other: bytes) -> bytes:
    """The difference of two points; see `plus`."""
    return _point(sodium.crypto_core_ed25519_sub, one, other)


def _point(operation: Callable[[bytes, bytes], bytes], one: bytes, other: bytes) -> bytes:
    try:
        return operation(one, other)
    except (nacl.exceptions.CryptoError, nacl.exceptions.TypeError):
        raise Untrusted("point", "not a point of the prime-order group") from None


def total(points: Iterable[bytes]) -> bytes:
    """The sum of one or more points."""
    return reduce(plus, points)


# -- scalars


def is_scalar(data: bytes) -> bool:
    """Whether these bytes are a number from 1 to L - 1: then they are its only spelling."""
    return len(data) == SCALAR_BYTES and 0 < int.from_bytes(data, "little") < ORDER


def reduced(data: bytes) -> bytes:
    """64 bytes of hash as a scalar: the number modulo L, all as likely as any other but for 2**-259."""
    return sodium.crypto_core_ed25519_scalar_reduce(data)


def hashed(data: bytes) -> bytes:
    """SHA-512 reduced modulo L."""
    return reduced(hashlib.sha512(data).digest())


def multiply_add(scalar: bytes, factor: bytes, addend: bytes) -> bytes:
    """scalar·factor + addend modulo L, without branches on secrets."""
    return sodium.crypto_core_ed25519_scalar_add(sodium.crypto_core_ed25519_scalar_mul(scalar, factor), addend)


# -- the library


def self_test() -> None:
    """Refuse a libsodium that takes a point outside of the group. Raises `Misuse`."""
    version = tuple(map(int, re.findall(r"\d+", nacl.__version__)[:3]))
    if version < PYNACL or is_point(ORDER_2) or is_point(TAGGED) or _multiplies(TAGGED) or not is_point(BASE):
        raise Misuse(
            f"PyNaCl {nacl.__version__} here takes points of a curve that must be refused;"
            f" install {'.'.join(map(str, PYNACL))} or newer: python -m pip install --upgrade PyNaCl"
        )


def _multiplies(point: bytes) -> bool:
    try:
        times((1).to_bytes(SCALAR_BYTES, "little"), point)
    except Untrusted:
        return False
    return True


self_test()
