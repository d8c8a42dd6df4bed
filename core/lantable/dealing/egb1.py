"""egb1/1: hidden tiles between machines that do not trust each other, without a dealer.

**Theory.** Every tile is a public point T of the prime-order group (group.py). A tile is hidden by ElGamal under a
key that no seat has alone, the sum X of every seat's X_p = x_p·B: the pair (C1, C2) = (r·B, T + r·X). Anybody can add
(r'·B, r'·X), and nobody else can tell that it is the same tile; so each seat in turn re-encrypts and permutes the
whole bag, and one honest seat is enough that nobody knows its order. To open a slot takes a share S_p = x_p·C1 of
every seat, since T = C2 - ΣS_p. The others give theirs to the seat that draws; it keeps its own back until it plays
the tile. This is the mental poker of Barnett and Smart (2003).

**All of a seat's secrets come from one seed** that it binds itself to before the game and shows after it. So the
audit computes every message again and compares bytes, and a program that crashed computes its state from the record.

**No secret serves twice.** x_p comes from the seed alone. Everything else that is secret (permutation, re-encryption
scalars, nonces of proofs) is derived from the seed under a label that holds the link before the event and a hash of
everything the value will be used on. The same message, the same bytes; in any other, independent ones. Otherwise a
restored backup that meets other messages would be asked to use a nonce on two challenges, which gives away x_p, or
a permutation on two lists, which gives away the permutation.

**Proofs.** With a key comes a proof that its owner knows x_p (Schnorr), or the last seat could choose a key that
cancels the others'. With a share comes a proof that it was made with the x_p of that key (Chaum and Pedersen).
Challenges are hashes of the whole statement (the strong form of Fiat and Shamir): to one that left out S somebody
could fit a false S.

LP = `keys.length_prefixed`, H = SHA-256 of LP, H' = SHA-512 of LP modulo L. Numbers (seats from 0, slots, indexes)
are 8 bytes big-endian; scalars and points 32 bytes as in RFC 8032; game 16 bytes; prev 32 bytes, that of the event
in which the message stands; a list is the concatenation C1 C2 C1 C2 ... of its entries, 64 bytes each.
<p> is `lantable/egb1/p/v1`.

    T_i         from_uniform(H(<tile>, "egb1/1", i))
    seed        first 32 bytes of HMAC-SHA512(dealing secret, LP("lantable/deal-seed/v1", game, seat))
    x           HMAC-SHA512(seed, LP(<x>)) modulo L
    secret      HMAC-SHA512(seed, LP(<purpose>, game, seat, prev, SHA-256(statement), index)); scalars modulo L

    message      what it says          how it comes about                       statement of its secrets
    deal.commit  c_p                   H(<commit>, game, seat, seed)
    deal.key     X, R, z               X = x·B, R = k·B, z = k + c·x            LP(<key-proof>, game, seat, c_p, X)
                                       c = H'(statement, R)                     k: <key-nonce>, index 0
    deal.shuffle a list                entry j = old entry order[j]             LP(X, list before)
                                       + (r_j·B, r_j·X)                         r_j: <reencryption>, j
                                                                                order: <permutation>, 0
    shares       slot, S, c, z         S = x·C1, A = k·B, A' = k·C1             LP(<share-proof>, game, seat, prev,
                                       z = k + c·x                              SHA-256(list), slot, X_p, C1, S)
                                       c = H'(statement, A, A')                 k: <share-nonce>, slot

`order` is made by Fisher and Yates from the end, with numbers from SHAKE-256 of the secret: 2 bytes each, big-endian;
those beyond the last full multiple of the bound are passed over.

What could be otherwise, and why it is so:

* A proof of a share is (c, z), not (A, A', z): a third shorter, and A and A' come out of the check in their one
  spelling, so nothing about them needs checking. Of a key it is (R, z), for one look at one equation.
* The statement of a shuffle holds the joint key beside the list. The link before it fixes that key already; but then
  one place shows that any other input gives independent secrets.
* `check_...` raise; they do not return False. A check whose result somebody forgets to look at would accept a lie.
* A list is one array of hexadecimal texts, one an entry, so that slot n is found by counting. 200 entries fit an event.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Self

from lantable.canonical import Fields, from_hex, is_array
from lantable.dealing import group
from lantable.errors import Untrusted
from lantable.keys import length_prefixed, sha256

VERSION: Final = b"egb1/1"
SEED_BYTES: Final = 32
GAME_BYTES: Final = 16
ENTRY_BYTES: Final = 2 * group.POINT_BYTES
MAX_ENTRIES: Final = 200
"""Most entries of a list: 26,200 bytes of an event line, and 20 ms to check."""
MAX_SLOT: Final = 2**32 - 1
_SEED: Final = b"lantable/deal-seed/v1"
_WORD: Final = 1 << 16


def _label(purpose: str) -> bytes:
    return f"lantable/egb1/{purpose}/v1".encode("ascii")


def _number(number: int) -> bytes:
    return number.to_bytes(8)


# -- tiles


@cache
def tile(number: int) -> bytes:
    """T_i: the point of a tile. Nobody knows how it comes from the base, or its shares could be computed."""
    return group.from_uniform(sha256(length_prefixed(_label("tile"), VERSION, _number(number))))


@cache
def _numbers_of(tiles: int) -> Mapping[bytes, int]:
    return {tile(number): number for number in range(tiles)}


# -- what is written down


@dataclass(frozen=True, slots=True)
class KeyPost:
    """X_p and the proof (R, z) that its owner knows x_p. Raises `Untrusted` if these are not of their form."""

    key: bytes
    r: bytes
    z: bytes

    def __post_init__(self) -> None:
        _require("key", len(self.key) == len(self.r) == group.POINT_BYTES and group.is_scalar(self.z))

    def as_json(self) -> dict[str, Any]:
        return {"key": self.key.hex(), "r": self.r.hex(), "z": self.z.hex()}

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Raises `Untrusted`."""
        fields = Fields(value, "deal.key")
        post = cls(fields.hex("key", 32), fields.hex("r", 32), fields.hex("z", 32))
        fields.done()
        return post


@dataclass(frozen=True, slots=True)
class Share:
    """What one seat adds to open a slot: S = x_p·C1 (`point`), and the proof (c, z) that it is this.

    Raises `Untrusted` if these are not of their form; whether they are true is asked by `check_share`.
    """

    slot: int
    point: bytes
    c: bytes
    z: bytes

    def __post_init__(self) -> None:
        _require("share", 0 <= self.slot <= MAX_SLOT and len(self.point) == group.POINT_BYTES)
        _require("share", group.is_scalar(self.c) and group.is_scalar(self.z))

    def as_json(self) -> dict[str, Any]:
        return {"c": self.c.hex(), "point": self.point.hex(), "slot": self.slot, "z": self.z.hex()}

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Raises `Untrusted`."""
        fields = Fields(value, "share")
        share = cls(
            fields.number("slot", 0, MAX_SLOT), fields.hex("point", 32), fields.hex("c", 32), fields.hex("z", 32)
        )
        fields.done()
        return share


@dataclass(frozen=True, slots=True)
class Ciphertext:
    """One hidden tile: (C1, C2) = (r·B, T + r·X). Whether both are points of the group is asked by `check_list`."""

    c1: bytes
    c2: bytes

    def __post_init__(self) -> None:
        _require("entry", len(self.c1) == len(self.c2) == group.POINT_BYTES)

    @property
    def raw(self) -> bytes:
        """64 bytes."""
        return self.c1 + self.c2


@dataclass(frozen=True, slots=True)
class Ciphertexts:
    """A bag in some order: `entries[n]` is what lies n-th in it."""

    entries: tuple[Ciphertext, ...]
    raw: bytes = field(init=False, repr=False, compare=False)
    """64 bytes an entry."""
    digest: bytes = field(init=False, repr=False, compare=False)
    """SHA-256 of the list (32 bytes): what a share names it by."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "raw", b"".join(entry.raw for entry in self.entries))
        object.__setattr__(self, "digest", sha256(self.raw))

    def __len__(self) -> int:
        return len(self.entries)

    def as_json(self) -> list[str]:
        return [entry.raw.hex() for entry in self.entries]

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Raises `Untrusted`. The points are not looked at; see `check_list`."""
        if not is_array(value) or len(value) > MAX_ENTRIES:
            raise Untrusted("schema", f"deal.shuffle: a list of at most {MAX_ENTRIES} was expected")
        entries = (from_hex(item, ENTRY_BYTES, "deal.shuffle: an entry") for item in value)
        return cls(tuple(Ciphertext(raw[: group.POINT_BYTES], raw[group.POINT_BYTES :]) for raw in entries))


def _require(what: str, fits: bool) -> None:
    if not fits:
        raise Untrusted("schema", f"dealing: a {what} is not of its form")


# -- what a seat knows


def deal_seed(secret: bytes, game: bytes, seat: int) -> bytes:
    """The seed of a seat in one game (32 bytes), from the dealing secret of its key file.

    The game's id holds a fresh nonce of every seat, so no two games share one.
    """
    return hmac.digest(secret, length_prefixed(_SEED, game, _number(seat)), "sha512")[:SEED_BYTES]


@dataclass(frozen=True, slots=True)
class Secrets:
    """A seat's part in the dealing of a game: everything it writes, computed from its seed.

    The same whether it plays, comes back after a crash, left and gave its seed, or is audited. All methods are pure.
    Raises `Untrusted` if the seed or the game's id has another length.
    """

    seed: bytes = field(repr=False)
    game: bytes
    seat: int
    x: bytes = field(init=False, repr=False, compare=False)
    """x_p: 32 bytes."""
    public: bytes = field(init=False, compare=False)
    """X_p = x_p·B: 32 bytes."""

    def __post_init__(self) -> None:
        _require("seed", len(self.seed) == SEED_BYTES and len(self.game) == GAME_BYTES)
        object.__setattr__(self, "x", group.reduced(hmac.digest(self.seed, length_prefixed(_label("x")), "sha512")))
        object.__setattr__(self, "public", group.times_base(self.x))

    @property
    def commit(self) -> bytes:
        """c_p: what binds the seat to its seed without showing it (32 bytes)."""
        return sha256(length_prefixed(_label("commit"), self.game, _number(self.seat), self.seed))

    def key(self, prev: bytes) -> KeyPost:
        """X_p with the proof that x_p is known (Schnorr), for the event after `prev`."""
        statement = _key_statement(self.game, self.seat, self.commit, self.public)
        nonce = group.reduced(self._secret("key-nonce", prev, sha256(statement), 0))
        r = group.times_base(nonce)
        return KeyPost(self.public, r, group.multiply_add(_challenge(statement, r), self.x, nonce))

    def shuffle(self, prev: bytes, inputs: Ciphertexts, joint: bytes) -> Ciphertexts:
        """The list re-encrypted and permuted, for the event after `prev`. `inputs` have passed `check_list`.

        Most of it is one multiplication by `joint` an entry: 18 ms for 100 entries.
        """
        about = sha256(length_prefixed(joint, inputs.raw))
        order = permutation(self._secret("permutation", prev, about, 0), len(inputs))
        scalars = (group.reduced(self._secret("reencryption", prev, about, at)) for at in range(len(inputs)))
        old = (inputs.entries[at] for at in order)
        return Ciphertexts(tuple(map(_reencrypted, old, scalars, [joint] * len(inputs))))

    def shares(self, prev: bytes, listing: bytes, slots: Iterable[tuple[int, bytes]]) -> tuple[Share, ...]:
        """This seat's shares of (slot, C1), for the event after `prev`. `listing` is the digest of their list.

        Raises `Untrusted("point")` if a C1 is not a point of the group. 0.3 ms a share.
        """
        return tuple(self._share(prev, listing, slot, c1) for slot, c1 in slots)

    def _share(self, prev: bytes, listing: bytes, slot: int, c1: bytes) -> Share:
        point = group.times(self.x, c1)
        statement = _share_statement(self.game, self.seat, prev, listing, slot, self.public, c1, point)
        nonce = group.reduced(self._secret("share-nonce", prev, sha256(statement), slot))
        c = _challenge(statement, group.times_base(nonce), group.times(nonce, c1))
        return Share(slot, point, c, group.multiply_add(c, self.x, nonce))

    def _secret(self, purpose: str, prev: bytes, about: bytes, index: int) -> bytes:
        """64 bytes that only this seat knows, for this one use. `about` is SHA-256 of all they are used on."""
        label = length_prefixed(_label(purpose), self.game, _number(self.seat), prev, about, _number(index))
        return hmac.digest(self.seed, label, "sha512")


def permutation(secret: bytes, size: int) -> list[int]:
    """The numbers below `size` in an order in which each is as likely as any other (Fisher and Yates)."""
    words, order = _words(secret), list(range(size))
    for last in range(size - 1, 0, -1):
        bound = last + 1
        at = next(word % bound for word in words if word < _WORD - _WORD % bound)
        order[last], order[at] = order[at], order[last]
    return order


def _words(secret: bytes) -> Iterator[int]:
    """Numbers of 2 bytes from SHAKE-256, endlessly. A longer output begins as the shorter one."""
    at, size = 0, 512
    while True:
        stream = hashlib.shake_256(secret).digest(size)
        yield from (int.from_bytes(stream[here : here + 2]) for here in range(at, size, 2))
        at, size = size, 2 * size


def _reencrypted(entry: Ciphertext, scalar: bytes, joint: bytes) -> Ciphertext:
    return Ciphertext(group.plus(entry.c1, group.times_base(scalar)), group.plus(entry.c2, group.times(scalar, joint)))


# -- statements


def _key_statement(game: bytes, seat: int, commit: bytes, key: bytes) -> bytes:
    return length_prefixed(_label("key-proof"), game, _number(seat), commit, key)


def _share_statement(
    game: bytes, seat: int, prev: bytes, listing: bytes, slot: int, key: bytes, c1: bytes, point: bytes
) -> bytes:
    return length_prefixed(_label("share-proof"), game, _number(seat), prev, listing, _number(slot), key, c1, point)


def _challenge(statement: bytes, *commitments: bytes) -> bytes:
    """c: a hash of the whole statement and of what the prover chose before."""
    return group.hashed(statement + length_prefixed(*commitments))


# -- what everybody computes and checks


def check_key(game: bytes, seat: int, commit: bytes, post: KeyPost) -> None:
    """Refuse a key whose owner does not know x_p. Raises `Untrusted`."""
    c = _challenge(_key_statement(game, seat, commit, post.key), post.r)
    if group.minus(group.times_base(post.z), group.times(c, post.key)) != post.r:
        raise Untrusted("deal_key", "the proof that its owner knows the secret of this key is false")


def joint(keys: Iterable[bytes]) -> bytes:
    """X: the sum of the keys of all seats, each of which has passed `check_key`. Raises `Untrusted`."""
    result = group.total(keys)
    if not group.is_point(result):
        raise Untrusted("deal_key", "the keys of all seats cancel each other")
    return result


def initial(tiles: int, joint: bytes) -> Ciphertexts:
    """The list that the first seat shuffles: (B, T_i + X), which is every tile in order, hidden with r = 1."""
    return Ciphertexts(tuple(Ciphertext(group.BASE, group.plus(tile(i), joint)) for i in range(tiles)))


def check_list(count: int, outputs: Ciphertexts) -> None:
    """Refuse a list that cannot be a shuffle of `count` entries. Raises `Untrusted`.

    All points are looked at, both of each entry: 10 ms for 100 entries. That the entries are the *same tiles* as before
    cannot be seen; a tile twice shows when it is opened, and the audit sees all.
    """
    if len(outputs) != count:
        raise Untrusted("deal_list", f"{len(outputs)} entries, and {count} were to be shuffled")
    if len(set(outputs.entries)) != count:
        raise Untrusted("deal_list", "two entries are the same")
    for number, entry in enumerate(outputs.entries):
        if not (group.is_point(entry.c1) and group.is_point(entry.c2)):
            raise Untrusted("deal_list", f"entry {number} is not made of points of the prime-order group")


def share_of(x: bytes, c1: bytes) -> bytes:
    """S = x·C1, without proof: one's own, or that of a seat whose seed everybody knows. Raises `Untrusted`."""
    return group.times(x, c1)


def check_share(game: bytes, seat: int, prev: bytes, listing: bytes, key: bytes, c1: bytes, share: Share) -> None:
    """Refuse a share that was not made with the secret of `key`. Raises `Untrusted`.

    Binds the share to the event after `prev`, the list with this digest, its slot, and C1. That `share.slot` holds `c1`
    is for the caller to look up. 0.4 ms.
    """
    statement = _share_statement(game, seat, prev, listing, share.slot, key, c1, share.point)
    # Multiplying by c and z also refuses keys and shares that are not points of the group.
    a = group.minus(group.times_base(share.z), group.times(share.c, key))
    b = group.minus(group.times(share.z, c1), group.times(share.c, share.point))
    if _challenge(statement, a, b) != share.c:
        raise Untrusted("deal_share", f"the share of slot {share.slot} is false")


def open_(entry: Ciphertext, shares: Sequence[bytes], tiles: int) -> int | None:
    """Which of `tiles` tiles lies under an entry, given the shares (S) of all seats; None if it is no tile."""
    return _numbers_of(tiles).get(group.minus(entry.c2, group.total(shares)))
