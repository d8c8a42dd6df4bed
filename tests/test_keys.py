"""One verify for every signature, and keys that are points of the prime-order group."""

import ast
import hashlib
import re
from collections import Counter
from pathlib import Path

import nacl.bindings as sodium
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable.errors import Untrusted
from lantable.keys import ACK, EVENT, EVENT_SIG, NACK, NOTICE, PrivateKey, PublicKey, sha256, verify
from lantable.words import WORDS, spoken

ROOT = Path(__file__).parent.parent
SOURCES = ("core", "net", "plugins", "replays", "console")

P = 2**255 - 19
"""The field of Curve25519."""
L = 2**252 + 27742317777372353535851937790883648493
"""The order of the group that player keys live in."""

ALICE = PrivateKey(bytes(range(32)))

# The eight points of small order (RFC 8032's curve has cofactor 8), by y; each x comes with either sign.
IDENTITY = (1).to_bytes(32, "little")
ORDER_2 = (P - 1).to_bytes(32, "little")
ORDER_4 = bytes(32)
ORDER_8 = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
SMALL_ORDER = [IDENTITY, ORDER_2, ORDER_4, ORDER_8]
SIGN = 1 << 255


def little(number: int) -> bytes:
    return number.to_bytes(32, "little")


def other_sign(point: bytes) -> bytes:
    """The same y with the other x."""
    return little(int.from_bytes(point, "little") ^ SIGN)


# -- a small Edwards curve, to build points that libsodium will not give away

D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]


def unpack(data: bytes) -> Point:
    """x and y of an encoded point (RFC 8032, section 5.1.3)."""
    number = int.from_bytes(data, "little")
    y, sign = number % SIGN, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert x * x % P == square
    return (x if x % 2 == sign else -x % P), y


def plus(one: Point, other: Point) -> Point:
    (a, b), (c, d) = one, other
    k = D * a * b * c * d % P
    return (a * d + b * c) * pow(1 + k, -1, P) % P, (b * d + a * c) * pow(1 - k, -1, P) % P


def pack(point: Point) -> bytes:
    x, y = point
    return little(y | (x & 1) << 255)


def tagged(key: bytes, tag: bytes) -> bytes:
    """`key` plus a point of small order: a mixed-order point that names the same player a second time."""
    return pack(plus(unpack(key), unpack(tag)))


# -- signing


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=100))
def test_what_a_key_signs_it_verifies(seed: bytes, message: bytes) -> None:
    """Signing is deterministic, and only the same key, domain and message verify."""
    key = PrivateKey(seed)
    sig = key.sign(ACK, message)
    assert len(sig) == 64 and sig == PrivateKey(seed).sign(ACK, message)
    assert verify(key.public, ACK, message, sig)
    assert not verify(key.public, NOTICE, message, sig)
    assert not verify(key.public, ACK, message + b"\0", sig)
    if key != ALICE:
        assert not verify(ALICE.public, ACK, message, sig)


@given(st.integers(0, 511), st.binary(max_size=20))
def test_every_bit_of_a_signature_counts(bit: int, message: bytes) -> None:
    """One flipped bit and it verifies no more."""
    sig = ALICE.sign(EVENT_SIG, message)
    flipped = (int.from_bytes(sig, "little") ^ 1 << bit).to_bytes(64, "little")
    assert not verify(ALICE.public, EVENT_SIG, message, flipped)


@given(st.binary(max_size=130), st.binary(max_size=40))
def test_verify_never_raises(signature: bytes, message: bytes) -> None:
    """Bytes of any length are simply not a signature."""
    assert not verify(ALICE.public, ACK, message, signature)


def test_a_signature_has_exactly_64_bytes() -> None:
    """Bytes moved from the domain or the message into the signature do not help."""
    sig = ALICE.sign(ACK, b"move")
    assert not verify(ALICE.public, b"", b"move", sig + ACK)
    assert not verify(ALICE.public, ACK[1:], b"move", sig + ACK[:1])
    assert not verify(ALICE.public, ACK, b"move", sig[:63])
    assert not verify(ALICE.public, ACK, b"move", b"")


def test_golden_signatures() -> None:
    """Other versions of the program, and other programs, must give these same bytes."""
    assert ALICE.public.hex == "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
    assert ALICE.public.words == "aspen-basil-jigsaw-ivy"
    assert ALICE.sign(EVENT_SIG, bytes(32)).hex() == (
        "b38c9a711e4a8dbaf15c6f9ab6133323dc2608cac48601e96fb21a1189dcda37"
        "7cd008f7861a6489db2789866d9a19d90469ac6cd5bb54ee2927b3669c4d5f0b"
    )
    assert ALICE.sign(ACK, b"\1" * 56).hex() == (
        "0f53f4fb83f35e0dd27009c06b110662b99818eb94d5a3fb00423d874c2f65ae"
        "d2c0ed2b30d3bdb70839e42c05c856c0523df4eca7a9f56d67bf60af40dba706"
    )
    assert sha256(EVENT, b"{}").hex() == "d3fc04ac4c2484d4c2d284d95467f71130f02ca40ab633804fb1eba5e67d5493"


def test_rfc_8032_vector() -> None:
    """Test 2 of RFC 8032, section 7.1: without a domain we are plain Ed25519."""
    key = PrivateKey(bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
    sig = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert key.public.hex == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert key.sign(b"", b"\x72") == sig and verify(key.public, b"", b"\x72", sig)


# -- where libraries part


def crafted(sig_r: bytes, s: int) -> bytes:
    return sig_r + little(s)


def challenge(sig_r: bytes, key: bytes, message: bytes) -> int:
    """k of RFC 8032, section 5.1.7."""
    return int.from_bytes(hashlib.sha512(sig_r + key + message).digest(), "little") % L


def secret_scalar(key: PrivateKey) -> int:
    return int.from_bytes(sodium.crypto_sign_ed25519_sk_to_curve25519(key._secret), "little")


def test_r_equal_to_the_identity_is_refused() -> None:
    """S = k a with R = 0 satisfies the equation; some libraries take it, libsodium and so we do not."""
    k = challenge(IDENTITY, ALICE.public.raw, ACK + b"m")
    s = k * secret_scalar(ALICE) % L
    assert sodium.crypto_scalarmult_ed25519_base_noclamp(little(s)) == sodium.crypto_scalarmult_ed25519_noclamp(
        little(k), ALICE.public.raw
    ), "the equation S B = R + k A holds"
    assert not verify(ALICE.public, ACK, b"m", crafted(IDENTITY, s))


@pytest.mark.parametrize("point", SMALL_ORDER)
def test_a_key_of_small_order_is_no_key(point: bytes) -> None:
    """Under the identity any S with R = S B would verify every message."""
    for raw in (point, other_sign(point)):
        with pytest.raises(Untrusted, match="prime-order"):
            PublicKey(raw)


def test_s_plus_l_is_refused() -> None:
    """S + L names the same scalar: a second signature over one message, out of nothing (RFC 8032: S < L)."""
    sig = ALICE.sign(ACK, b"m")
    s = int.from_bytes(sig[32:], "little")
    assert verify(ALICE.public, ACK, b"m", crafted(sig[:32], s))
    assert not verify(ALICE.public, ACK, b"m", crafted(sig[:32], s + L))


@pytest.mark.parametrize("tag", SMALL_ORDER[1:])
def test_a_tagged_key_is_no_key(tag: bytes) -> None:
    """A point of mixed order (a good key plus a small one) is refused: one secret would own eight names."""
    raw = tagged(ALICE.public.raw, tag)
    assert raw != ALICE.public.raw and sodium.crypto_core_ed25519_add(ALICE.public.raw, ALICE.public.raw)
    with pytest.raises(Untrusted, match="prime-order"):
        PublicKey(raw)


def test_a_signature_with_a_tagged_r_is_refused() -> None:
    """R plus a point of small order satisfies only the equation times eight, which some verifiers use."""
    r = 5
    sig_r = tagged(sodium.crypto_scalarmult_ed25519_base_noclamp(little(r)), ORDER_8)
    s = (r + challenge(sig_r, ALICE.public.raw, ACK + b"m") * secret_scalar(ALICE)) % L
    assert not verify(ALICE.public, ACK, b"m", crafted(sig_r, s))


def test_the_same_recipe_with_an_honest_r_verifies() -> None:
    """The forgeries above fail for their R and not for a slip in making them."""
    r = 5
    sig_r = sodium.crypto_scalarmult_ed25519_base_noclamp(little(r))
    s = (r + challenge(sig_r, ALICE.public.raw, ACK + b"m") * secret_scalar(ALICE)) % L
    assert verify(ALICE.public, ACK, b"m", crafted(sig_r, s))


@pytest.mark.parametrize("raw", [b"", bytes(31), bytes(33), little(2), little(P), little(P + 1), b"\xff" * 32])
def test_bytes_that_encode_no_point_are_no_key(raw: bytes) -> None:
    """Wrong lengths, points off the curve, and a second spelling of a point (y >= p)."""
    with pytest.raises(Untrusted, match="key"):
        PublicKey(raw)


@given(st.binary(max_size=40))
def test_a_key_raises_only_untrusted(raw: bytes) -> None:
    """Any bytes are a key or are refused."""
    try:
        key = PublicKey(raw)
    except Untrusted:
        return
    assert key.raw == raw


def test_a_private_key_does_not_show_its_secret() -> None:
    """Neither the seed nor the expanded secret may reach a log by way of repr."""
    shown = repr(ALICE) + str(ALICE)
    for secret in (ALICE.seed, ALICE._secret):
        assert secret.hex() not in shown and repr(secret) not in shown and repr(secret)[2:20] not in shown


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_a_seed_has_32_bytes(size: int) -> None:
    """A seed of another length is the caller's mistake."""
    with pytest.raises(ValueError, match="seed"):
        PrivateKey(bytes(size))


# -- domains

DOMAIN = re.compile(rb"lantable/.*/v[0-9]")


def domains(root: Path) -> Counter[str]:
    """Every bytes literal of the program that names a signing or hashing domain, with how often it stands there."""
    found: Counter[str] = Counter()
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, bytes) and DOMAIN.match(node.value):
                    found[node.value.decode()] += 1
    return found


def test_every_domain_in_the_program_is_another() -> None:
    """Bytes signed for one purpose must mean nothing in another, so no domain is written down twice."""
    found = domains(ROOT)
    twice = {name for name, times in found.items() if times > 1}
    assert not twice
    assert {EVENT.decode(), EVENT_SIG.decode(), ACK.decode(), NOTICE.decode(), NACK.decode()} <= set(found)
    # A domain that begins another could be continued into it by the message.
    assert not [(a, b) for a in found for b in found if a != b and b.startswith(a)]


def test_a_domain_used_twice_would_be_found(tmp_path: Path) -> None:
    """The search above sees a second use in another folder."""
    for folder in ("core", "net"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text('A = b"lantable/ack/v1\\0"\n')
    assert domains(tmp_path) == {"lantable/ack/v1\0": 2}


# -- words


def test_words_are_fixed() -> None:
    """Two versions must say the same words: the list is pinned by its hash and its ends."""
    assert spoken(bytes([0, 1, 254, 255])) == "acid-acorn-snow-soup"
    assert sha256(" ".join(WORDS).encode()).hex() == "993d36f21f8564f2c68774ed315f799e62203f03e9b02c958c0a50a2f0300f99"
    assert all(word.isascii() and word.islower() and 3 <= len(word) <= 8 for word in WORDS)
