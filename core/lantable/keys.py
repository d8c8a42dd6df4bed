"""Ed25519 identities and the one verify.

A single function checks every signature, live and in audit, with libsodium. Libraries differ on edge cases
(R = identity, small-order keys, S + L), and two verifiers would disagree about one record. Player keys must
be points of the prime-order group.

Every signature and hash is made under a domain, so that bytes signed for one purpose mean nothing in another.
"""

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import nacl.bindings as sodium
import nacl.exceptions

from lantable.errors import Untrusted
from lantable.words import spoken

KEY_BYTES: Final = 32
SIG_BYTES: Final = 64

EVENT: Final = b"lantable/event/v1\0"
EVENT_SIG: Final = b"lantable/event-sig/v1\0"
ACK: Final = b"lantable/ack/v1\0"
LINK: Final = b"lantable/link/v1\0"
NOTICE: Final = b"lantable/notice/v1\0"
NACK: Final = b"lantable/nack/v1\0"
RULES: Final = b"lantable/rules/v1\0"
OFFER: Final = b"lantable/offer/v1\0"
FINGERPRINT: Final = b"lantable/key-words/v1\0"
# The handshake's domains stand beside the handshake (net): AUTH, COMMIT and WORDS.


def sha256(*parts: bytes) -> bytes:
    """SHA-256 of the concatenated parts (32 bytes)."""
    return hashlib.sha256(b"".join(parts)).digest()


def length_prefixed(*parts: bytes) -> bytes:
    """LP: every part behind its length (4 bytes, big-endian), so that no two lists of parts give one string."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


@dataclass(frozen=True, slots=True, order=True)
class PublicKey:
    """A player's key: a point of the prime-order group, 32 bytes. Raises `Untrusted("key")` otherwise."""

    raw: bytes

    def __post_init__(self) -> None:
        if len(self.raw) != KEY_BYTES or not sodium.crypto_core_ed25519_is_valid_point(self.raw):
            raise Untrusted("key", "not a point of the prime-order group")

    @property
    def hex(self) -> str:
        return self.raw.hex()

    @property
    def words(self) -> str:
        """Four words people can compare: the first 32 bits of a hash of the key."""
        return spoken(sha256(FINGERPRINT, self.raw)[:4])


def verify(key: PublicKey, domain: bytes, message: bytes, signature: bytes) -> bool:
    """The one verify: whether `signature` by `key` covers domain + message. Never raises on any bytes."""
    return len(signature) == SIG_BYTES and _opens(key.raw, signature + domain + message)


# An acknowledgement comes over several connections, and once more in the K line. All that is ever verified is short.
@lru_cache(maxsize=1024)
def _opens(key: bytes, signed: bytes) -> bool:
    try:
        sodium.crypto_sign_open(signed, key)
    except (nacl.exceptions.CryptoError, ValueError, TypeError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """A signing identity from a 32-byte seed. Ed25519 is deterministic: the same message, the same bytes."""

    seed: bytes = field(repr=False)
    public: PublicKey = field(init=False)
    _secret: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        public, secret = sodium.crypto_sign_seed_keypair(self.seed)
        object.__setattr__(self, "public", PublicKey(public))
        object.__setattr__(self, "_secret", secret)

    def sign(self, domain: bytes, message: bytes) -> bytes:
        """64 bytes of signature over domain + message."""
        return sodium.crypto_sign(domain + message, self._secret)[:SIG_BYTES]
