"""egb1/1 a second time, slowly: own arithmetic on the curve, plain integers, nothing of libsodium or of the program.

Two implementations that share no line agree on bytes only if the description at the top of egb1.py says everything.
Not for play: its time depends on secrets.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence
from typing import Any, Final

P: Final = 2**255 - 19
L: Final = 2**252 + 27742317777372353535851937790883648493
D: Final = -121665 * pow(121666, -1, P) % P
ROOT: Final = pow(2, (P - 1) // 4, P)
"""A square root of -1."""
A: Final = 486662
"""Of Curve25519 in Montgomery's form, on which Elligator works."""

Point = tuple[int, int, int, int]
"""X, Y, Z and T with x = X/Z, y = Y/Z, xy = T/Z (RFC 8032, section 5.1.4)."""


# -- arithmetic


def root(square: int) -> int | None:
    """One of the square roots, if there is any."""
    guess = pow(square, (P + 3) // 8, P)
    return next((x for x in (guess, guess * ROOT % P) if x * x % P == square % P), None)


def affine(x: int, y: int) -> Point:
    return x, y, 1, x * y % P


def plus(one: Point, other: Point) -> Point:
    a, b = (one[1] - one[0]) * (other[1] - other[0]), (one[1] + one[0]) * (other[1] + other[0])
    c, d = 2 * D * one[3] * other[3], 2 * one[2] * other[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar: int, point: Point) -> Point:
    result = affine(0, 1)
    while scalar:
        if scalar & 1:
            result = plus(result, point)
        point, scalar = plus(point, point), scalar >> 1
    return result


def minus(one: Point, other: Point) -> Point:
    x, y, z, t = other
    return plus(one, (-x % P, y, z, -t % P))


def pack(point: Point) -> bytes:
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def unpack(data: bytes) -> Point:
    number = int.from_bytes(data, "little")
    y, sign = number % 2**255, number >> 255
    x = root((y * y - 1) * pow(D * y * y + 1, -1, P))
    assert x is not None
    return affine(x if x & 1 == sign else -x % P, y)


BASE: Final = unpack(bytes([0x58]) + bytes([0x66]) * 31)


def from_uniform(data: bytes) -> Point:
    """Elligator 2 with the non-residue 2; the highest bit is the sign of x; times 8 to be in the group."""
    number = int.from_bytes(data, "little")
    r, sign = number % 2**255 % P, number >> 255
    u = -A * pow(1 + 2 * r * r, -1, P) % P
    v = root(u**3 + A * u * u + u)
    if v is None:
        u = (-u - A) % P
        v = root(u**3 + A * u * u + u)
    scale = root(-A - 2)
    assert v is not None and scale is not None
    x, y = scale * u * pow(v, -1, P) % P, (u - 1) * pow(u + 1, -1, P) % P
    return times(8, affine(x if x & 1 == sign else -x % P, y))


# -- bytes


def lp(*parts: bytes | int) -> bytes:
    """Parts behind their lengths; a number is 8 bytes."""
    raw = [struct.pack(">Q", part) if isinstance(part, int) else part for part in parts]
    return b"".join(struct.pack(">I", len(part)) + part for part in raw)


def label(purpose: str) -> bytes:
    return b"lantable/egb1/" + purpose.encode() + b"/v1"


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def mod_l(data: bytes) -> int:
    return int.from_bytes(data, "little") % L


def little(number: int) -> bytes:
    return number.to_bytes(32, "little")


def challenge(*parts: bytes | int) -> int:
    return mod_l(hashlib.sha512(lp(*parts)).digest())


# -- the messages


def tile(number: int) -> Point:
    return from_uniform(sha(lp(label("tile"), b"egb1/1", number)))


def deal_seed(secret: bytes, game: bytes, seat: int) -> bytes:
    return hmac.new(secret, lp(b"lantable/deal-seed/v1", game, seat), "sha512").digest()[:32]


def order_of(secret: bytes, size: int) -> list[int]:
    """A permutation out of a secret."""
    words: Iterator[int] = iter(struct.unpack(">8192H", hashlib.shake_256(secret).digest(16384)))
    order = list(range(size))
    for last in reversed(range(1, size)):
        word = next(words)
        while word >= 65536 // (last + 1) * (last + 1):
            word = next(words)
        other = word % (last + 1)
        order[last], order[other] = order[other], order[last]
    return order


Entry = tuple[Point, Point]


def raw(entries: Sequence[Entry]) -> bytes:
    return b"".join(pack(point) for entry in entries for point in entry)


class Seat:
    """What one seat writes."""

    def __init__(self, seed: bytes, game: bytes, seat: int) -> None:
        self.seed, self.game, self.seat = seed, game, seat
        self.x = mod_l(hmac.new(seed, lp(label("x")), "sha512").digest())
        self.public = times(self.x, BASE)
        self.commit = sha(lp(label("commit"), game, seat, seed))

    def secret(self, purpose: str, prev: bytes, statement: bytes, index: int) -> bytes:
        message = lp(label(purpose), self.game, self.seat, prev, sha(statement), index)
        return hmac.new(self.seed, message, "sha512").digest()

    def key(self, prev: bytes) -> dict[str, str]:
        statement = (label("key-proof"), self.game, self.seat, self.commit, pack(self.public))
        nonce = mod_l(self.secret("key-nonce", prev, lp(*statement), 0))
        r = pack(times(nonce, BASE))
        z = (nonce + challenge(*statement, r) * self.x) % L
        return {"key": pack(self.public).hex(), "r": r.hex(), "z": little(z).hex()}

    def shuffle(self, prev: bytes, entries: Sequence[Entry], joint: Point) -> list[Entry]:
        statement = lp(pack(joint), raw(entries))
        result: list[Entry] = []
        for at, old in enumerate(order_of(self.secret("permutation", prev, statement, 0), len(entries))):
            r = mod_l(self.secret("reencryption", prev, statement, at))
            c1, c2 = entries[old]
            result.append((plus(c1, times(r, BASE)), plus(c2, times(r, joint))))
        return result

    def share(self, prev: bytes, entries: Sequence[Entry], slot: int) -> dict[str, Any]:
        c1, listing = entries[slot][0], sha(raw(entries))
        point = times(self.x, c1)
        statement: tuple[bytes | int, ...] = (label("share-proof"), self.game, self.seat, prev, listing, slot)
        statement += (pack(self.public), pack(c1), pack(point))
        nonce = mod_l(self.secret("share-nonce", prev, lp(*statement), slot))
        c = challenge(*statement, pack(times(nonce, BASE)), pack(times(nonce, c1)))
        z = (nonce + c * self.x) % L
        return {"c": little(c).hex(), "point": pack(point).hex(), "slot": slot, "z": little(z).hex()}


def share_holds(seat: Seat, prev: bytes, entries: Sequence[Entry], said: dict[str, Any]) -> bool:
    """Whether a share is proved, from what everybody knows of the seat."""
    c1, listing, public = entries[said["slot"]][0], sha(raw(entries)), seat.public
    point, c, z = unpack(bytes.fromhex(said["point"])), mod_l(bytes.fromhex(said["c"])), mod_l(bytes.fromhex(said["z"]))
    a, b = minus(times(z, BASE), times(c, public)), minus(times(z, c1), times(c, point))
    statement = (label("share-proof"), seat.game, seat.seat, prev, listing, said["slot"], pack(public), pack(c1))
    return c == challenge(*statement, pack(point), pack(a), pack(b))
