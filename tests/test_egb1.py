"""Dealing without a dealer: what comes out is a shuffled bag, and what is false, forged or used twice is refused.

python -m tests.test_egb1       writes the vectors of tests/egb1-vectors.json anew; they must never change
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import nacl
import nacl.bindings as sodium
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lantable import canonical
from lantable.dealing import egb1, group, lots
from lantable.dealing.egb1 import Ciphertext, Ciphertexts, KeyPost, Secrets, Share
from lantable.errors import Misuse, Untrusted
from lantable.events import MAX_EVENT_LINE
from lantable.keys import length_prefixed, sha256
from tests import egb1_reference as slow
from tests.egb1_deal import GAME, dealt, prev_of, secret_of
from tests.test_keys import IDENTITY, ORDER_2, ORDER_4, ORDER_8, other_sign, tagged

VECTORS: Final = Path(__file__).parent / "egb1-vectors.json"
L: Final = slow.L
EIGHT: Final = dealt(2, 8)
"""A bag of eight tiles, shuffled by two."""

bytes16 = st.binary(min_size=16, max_size=16)
bytes32 = st.binary(min_size=32, max_size=32)


def number(scalar: bytes) -> int:
    return int.from_bytes(scalar, "little")


def scalar(number: int) -> bytes:
    return (number % L).to_bytes(32, "little")


def with_part(share: Share, name: str, value: int) -> Share:
    """The share with another S (`point`), c or z."""
    parts: dict[str, Any] = {name: value.to_bytes(32, "little")}
    return replace(share, **parts)


# -- a deal


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_tile_is_dealt_once(seats: int) -> None:
    """ "All tiles have distinct ids" and all of them come out, in an order that nobody gave."""
    deal = dealt(seats, 20)
    opened = [deal.opened(slot) for slot in range(20)]
    assert sorted(number for number in opened if number is not None) == list(range(20))
    assert opened != list(range(20))


def test_a_bag_of_a_hundred() -> None:
    """As large as that of Binary Scrabble, with as many as may play."""
    deal = dealt(4, 100)
    shares = [[egb1.share_of(seat.x, entry.c1) for seat in deal.seats] for entry in deal.bag.entries]
    opened = [egb1.open_(entry, own, 100) for entry, own in zip(deal.bag.entries, shares, strict=True)]
    assert set(opened) == set(range(100))


@given(st.integers(2, 4), st.integers(1, 8), bytes16)
def test_any_deal_is_a_permutation(seats: int, tiles: int, game: bytes) -> None:
    """In any game, of any number of tiles."""
    deal = dealt(seats, tiles, game)
    assert {deal.opened(slot) for slot in range(tiles)} == set(range(tiles))


def test_a_share_less_and_nobody_sees_a_tile() -> None:
    """ "The drawing seat keeps its own share back; it alone learns T" """
    deal = dealt(3, 6)
    for entry in deal.bag.entries:
        shares = [egb1.share_of(seat.x, entry.c1) for seat in deal.seats]
        for left_out in range(3):
            assert egb1.open_(entry, shares[:left_out] + shares[left_out + 1 :], 6) is None


def test_what_is_no_tile_opens_as_none() -> None:
    """A tile beyond those of this game is none either."""
    shares = [egb1.share_of(seat.x, group.BASE) for seat in EIGHT.seats]
    for point, found in ((egb1.tile(7), 7), (egb1.tile(8), None), (group.BASE, None)):
        entry = Ciphertext(group.BASE, group.plus(point, EIGHT.joint))
        assert egb1.open_(entry, shares, 8) == found


def test_an_exchange_shuffles_old_entries_with_the_rest() -> None:
    """ "a new list = rest of the bag + the k old ciphertexts, re-shuffled by all" """
    back = Ciphertexts(EIGHT.bag.entries[4:] + EIGHT.bag.entries[:2])
    again = back
    for seat in EIGHT.seats:
        again = seat.shuffle(prev_of(100 + seat.seat), again, EIGHT.joint)
        egb1.check_list(6, again)
    after = replace(EIGHT, lists=(again,))
    tiles = [EIGHT.opened(slot) for slot in (0, 1, 4, 5, 6, 7)]
    shares = [[egb1.share_of(seat.x, entry.c1) for seat in after.seats] for entry in again.entries]
    assert {egb1.open_(entry, own, 8) for entry, own in zip(again.entries, shares, strict=True)} == set(tiles)


# -- one seed, and no secret twice


def test_the_same_message_has_the_same_bytes() -> None:
    """ "a crashed client recomputes its state from the record" """
    assert dealt(2, 8) == EIGHT
    assert EIGHT.shares(0, 3) == EIGHT.shares(0, 3)
    assert EIGHT.shares(0, 1, 3)[1] == EIGHT.shares(0, 3)[0]


def test_games_and_seats_share_no_seed() -> None:
    """One key file, many games."""
    seeds = {egb1.deal_seed(secret_of(0), bytes([game]) * 16, seat) for game in range(3) for seat in range(4)}
    assert len(seeds) == 12 and all(len(seed) == 32 for seed in seeds)


SHUFFLES: Final[dict[str, Callable[[], Ciphertexts]]] = {
    "as it was": lambda: EIGHT.seats[0].shuffle(prev_of(2), EIGHT.lists[0], EIGHT.joint),
    "after another event": lambda: EIGHT.seats[0].shuffle(prev_of(3), EIGHT.lists[0], EIGHT.joint),
    "of another list": lambda: EIGHT.seats[0].shuffle(prev_of(2), EIGHT.lists[1], EIGHT.joint),
    "of another order": lambda: EIGHT.seats[0].shuffle(
        prev_of(2), Ciphertexts(EIGHT.lists[0].entries[::-1]), EIGHT.joint
    ),
    "under another key": lambda: EIGHT.seats[0].shuffle(prev_of(2), EIGHT.lists[0], EIGHT.seats[1].public),
    "by another seat": lambda: replace(EIGHT.seats[0], seat=1).shuffle(prev_of(2), EIGHT.lists[0], EIGHT.joint),
    "in another game": lambda: replace(EIGHT.seats[0], game=bytes(16)).shuffle(prev_of(2), EIGHT.lists[0], EIGHT.joint),
    "from another seed": lambda: replace(EIGHT.seats[0], seed=bytes(32)).shuffle(
        prev_of(2), EIGHT.lists[0], EIGHT.joint
    ),
}


def test_any_other_context_shuffles_independently() -> None:
    """ "Same context: same bytes; any other context: independent secrets." """
    assert SHUFFLES["as it was"]() == EIGHT.lists[1]
    points = [entry.raw for make in SHUFFLES.values() for entry in make().entries]
    assert len(set(points)) == len(points)


def test_no_secret_is_derived_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a whole deal with all shares, and then again after other events."""
    seen: Counter[bytes] = Counter()
    derive = Secrets._secret

    def counted(self: Secrets, purpose: str, prev: bytes, about: bytes, index: int) -> bytes:
        secret = derive(self, purpose, prev, about, index)
        seen[secret] += 1
        return secret

    monkeypatch.setattr(Secrets, "_secret", counted)
    deal = dealt(3, 5)
    for seat in range(3):
        deal.shares(seat, *range(5))
        deal.seats[seat].shares(prev_of(50), deal.bag.digest, [(0, deal.bag.entries[0].c1)])
    assert len(seen) == 3 * (1 + 1 + 5 + 5 + 1) and set(seen.values()) == {1}


def unbound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels without what the secret is used on: how it must not be."""
    derive = Secrets._secret
    monkeypatch.setattr(Secrets, "_secret", lambda self, purpose, _, __, index: derive(self, purpose, b"", b"", index))


def secret_from_two(one: Share, other: Share) -> bytes:
    """x, if both proofs were made with one nonce: z - z' = (c - c')·x."""
    return scalar((number(one.z) - number(other.z)) * pow(number(one.c) - number(other.c), -1, L))


def twice_asked() -> Iterator[tuple[Share, Share]]:
    """Pairs of shares of one slot that a restored backup can be led to write: one thing differs in each."""
    seat, listing, c1 = EIGHT.seats[0], EIGHT.bag.digest, EIGHT.bag.entries[3].c1
    for asked in ((prev_of(99), listing, c1), (EIGHT.last, bytes(32), c1), (EIGHT.last, listing, group.BASE)):
        yield EIGHT.shares(0, 3)[0], seat.shares(asked[0], asked[1], [(3, asked[2])])[0]


def test_two_shares_do_not_give_away_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """They do where a label leaves out its input; a backup is restored, another list comes, and x is known."""
    assert all(secret_from_two(*pair) != EIGHT.seats[0].x for pair in twice_asked())
    unbound(monkeypatch)
    assert all(secret_from_two(*pair) == EIGHT.seats[0].x for pair in twice_asked())


def order_from_two(*runs: tuple[Ciphertexts, Ciphertexts]) -> list[list[int]]:
    """For each new entry the old ones it may come from, if both runs added the same r·B at the same place."""
    before, after = zip(*runs, strict=True)
    added = [
        [[group.minus(new.c1, old.c1) for old in olds.entries] for new in news.entries]
        for olds, news in zip(before, after, strict=True)
    ]
    return [
        [at for at, (one, other) in enumerate(zip(row, twin, strict=True)) if one == other]
        for row, twin in zip(*added, strict=True)
    ]


def test_two_shuffles_do_not_give_away_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """They do where a label leaves out its input: another list is shuffled in the same way."""
    seat, lists = EIGHT.seats[0], (EIGHT.lists[1], EIGHT.lists[2])

    def runs() -> list[tuple[Ciphertexts, Ciphertexts]]:
        return [(inputs, seat.shuffle(prev_of(9), inputs, EIGHT.joint)) for inputs in lists]

    assert order_from_two(*runs()) == [[]] * 8
    unbound(monkeypatch)
    order = egb1.permutation(seat._secret("permutation", b"", b"", 0), 8)
    assert order_from_two(*runs()) == [[at] for at in order]


@given(bytes32, st.integers(0, 300))
@example(bytes(32), 5000)
def test_a_permutation_is_one(secret: bytes, size: int) -> None:
    """Each number once, and as the slow reference has it: also where words are passed over or used up."""
    order = egb1.permutation(secret, size)
    assert sorted(order) == list(range(size)) and order == slow.order_of(secret, size)


def test_every_permutation_is_as_likely() -> None:
    """Over 6000 of three, each count lies within 5 standard deviations."""
    found = Counter(tuple(egb1.permutation(sha256(n.to_bytes(4)), 3)) for n in range(6000))
    assert len(found) == 6 and all(abs(count - 1000) < 5 * 28.9 for count in found.values())


# -- keys


@given(bytes32, bytes32, st.integers(0, 3))
def test_a_key_is_proved(seed: bytes, prev: bytes, seat: int) -> None:
    """By whoever knows its secret, for this seat of this game and this commitment only."""
    secrets = Secrets(seed, GAME, seat)
    post = secrets.key(prev)
    egb1.check_key(GAME, seat, secrets.commit, post)
    for game, where, commit in ((bytes(16), seat, secrets.commit), (GAME, 4, secrets.commit), (GAME, seat, bytes(32))):
        with pytest.raises(Untrusted, match="deal_key"):
            egb1.check_key(game, where, commit, post)


@given(st.sampled_from(["key", "r", "z"]), st.integers(0, 255))
def test_every_bit_of_a_key_counts(name: str, bit: int) -> None:
    """One flipped, and it is no proof."""
    post = EIGHT.posts[0]
    flipped = number(getattr(post, name)) ^ 1 << bit
    with pytest.raises(Untrusted):
        egb1.check_key(GAME, 0, EIGHT.seats[0].commit, replace(post, **{name: flipped.to_bytes(32, "little")}))


def test_a_key_that_cancels_another_cannot_be_proved() -> None:
    """ "no rogue keys": the last seat alone would know the secret of the sum."""
    known = scalar(12345)
    victim, own = EIGHT.posts[0], EIGHT.seats[1]
    rogue = group.minus(group.times_base(known), victim.key)
    assert egb1.joint([victim.key, rogue]) == group.times_base(known)
    nonce = scalar(99)
    r = group.times_base(nonce)
    c = group.hashed(
        length_prefixed(b"lantable/egb1/key-proof/v1", GAME, (1).to_bytes(8), own.commit, rogue) + length_prefixed(r)
    )
    for post in (
        KeyPost(rogue, r, group.multiply_add(c, known, nonce)),
        KeyPost(rogue, r, group.multiply_add(c, own.x, nonce)),
        replace(EIGHT.posts[1], key=rogue),
        replace(victim, key=rogue),
        victim,
    ):
        with pytest.raises(Untrusted, match="deal_key"):
            egb1.check_key(GAME, 1, own.commit, post)


def test_keys_that_cancel_make_no_joint_key() -> None:
    """The sum must be a point of the group too, and the identity is none."""
    key = EIGHT.posts[0].key
    with pytest.raises(Untrusted, match="cancel"):
        egb1.joint([key, group.minus(IDENTITY, key)])


# -- lists


def test_a_list_has_as_many_entries_as_before() -> None:
    """None dropped, none added."""
    for entries in (EIGHT.bag.entries[:-1], EIGHT.bag.entries + EIGHT.bag.entries[:1], ()):
        with pytest.raises(Untrusted, match="entries, and 8"):
            egb1.check_list(8, Ciphertexts(entries))


def test_no_entry_comes_twice() -> None:
    """ "entries pairwise different" """
    with pytest.raises(Untrusted, match="the same"):
        egb1.check_list(8, Ciphertexts((*EIGHT.bag.entries[:-1], EIGHT.bag.entries[0])))


NO_POINTS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "the identity": lambda _: IDENTITY,
    "the point (0, -1)": lambda _: ORDER_2,
    "a point of order 4": lambda _: ORDER_4,
    "a point of order 8": lambda _: ORDER_8,
    "tagged with order 2": lambda point: tagged(point, ORDER_2),
    "tagged with order 4": lambda point: tagged(point, ORDER_4),
    "tagged with order 8": lambda point: tagged(point, ORDER_8),
    "not on the curve": lambda _: (2).to_bytes(32, "little"),
    "y beyond the field": lambda _: (slow.P + 1).to_bytes(32, "little"),
    "the identity with a sign": lambda _: other_sign(IDENTITY),
    "ones": lambda _: bytes([255]) * 32,
}
every_no_point = pytest.mark.parametrize("bad", NO_POINTS.values(), ids=NO_POINTS.keys())


@every_no_point
@pytest.mark.parametrize("half", ["c1", "c2"])
def test_both_points_of_every_entry_are_checked(bad: Callable[[bytes], bytes], half: str) -> None:
    """In either half of any entry."""
    for slot in (0, 7):
        entries = list(EIGHT.bag.entries)
        entries[slot] = replace(entries[slot], **{half: bad(getattr(entries[slot], half))})
        with pytest.raises(Untrusted, match=f"entry {slot} is not made of points"):
            egb1.check_list(8, Ciphertexts(tuple(entries)))


def test_a_tag_would_be_carried_through_every_shuffle() -> None:
    """Why: "adding the order-2 point (0,-1) to C2 marks a ciphertext through every re-encryption" """
    first, *others = EIGHT.bag.entries
    marked = Ciphertexts((replace(first, c2=tagged(first.c2, ORDER_2)), *others))
    again = EIGHT.seats[1].shuffle(prev_of(7), marked, EIGHT.joint)
    outside = [slow.pack(slow.times(L, slow.unpack(entry.c2))) for entry in again.entries]
    assert sorted(outside) == sorted([ORDER_2, *[IDENTITY] * 7])


def test_own_encryptions_pass_as_a_list() -> None:
    """What a list cannot show: these are other tiles than before. The audit computes the list again and finds it."""
    forged = Ciphertexts(
        tuple(
            Ciphertext(group.times_base(scalar(r)), group.plus(egb1.tile(5), group.times(scalar(r), EIGHT.joint)))
            for r in range(1, 9)
        )
    )
    egb1.check_list(8, forged)
    assert forged != EIGHT.seats[1].shuffle(prev_of(3), EIGHT.lists[1], EIGHT.joint) == EIGHT.lists[2]
    deal = replace(EIGHT, lists=(forged,))
    assert [deal.opened(slot) for slot in (0, 1)] == [5, 5]


# -- shares


def refused(share: Share, seat: int = 0, **context: Any) -> None:
    """It is not taken where one thing is not as it should be."""
    c1 = context.pop("c1", EIGHT.bag.entries[3].c1)
    usual = {"game": GAME, "seat": seat, "prev": EIGHT.last, "listing": EIGHT.bag.digest}
    usual["key"] = EIGHT.seats[0].public
    with pytest.raises(Untrusted):
        egb1.check_share(**{**usual, **context}, c1=c1, share=share)


def test_a_share_holds_in_one_place_only() -> None:
    """For its game, seat, event, list, slot, key and ciphertext."""
    share = EIGHT.shares(0, 3)[0]
    EIGHT.check(0, share)
    refused(share, game=bytes(16))
    refused(share, seat=1)
    refused(share, prev=prev_of(0))
    refused(share, listing=EIGHT.lists[1].digest)
    refused(share, key=EIGHT.seats[1].public)
    refused(share, c1=EIGHT.bag.entries[4].c1)
    refused(replace(share, slot=4))
    refused(replace(share, slot=4), c1=EIGHT.bag.entries[4].c1)


def test_another_share_is_false() -> None:
    """That of another seat or slot, or one made with another secret, whatever the proof."""
    share = EIGHT.shares(0, 3)[0]
    refused(replace(share, point=EIGHT.shares(1, 3)[0].point))
    refused(replace(share, point=EIGHT.shares(0, 4)[0].point))
    refused(EIGHT.shares(1, 3)[0])
    liar = replace(EIGHT.seats[0], seed=bytes(32))
    refused(liar.shares(EIGHT.last, EIGHT.bag.digest, [(3, EIGHT.bag.entries[3].c1)])[0])


@given(st.sampled_from(["point", "c", "z"]), st.integers(0, 255))
def test_every_bit_of_a_share_counts(name: str, bit: int) -> None:
    """ "flip one bit in S, c, z, tile id" """
    share = EIGHT.shares(0, 3)[0]
    flipped = number(getattr(share, name)) ^ 1 << bit
    with pytest.raises(Untrusted):
        EIGHT.check(0, with_part(share, name, flipped))


@every_no_point
def test_a_share_is_a_point_of_the_group(bad: Callable[[bytes], bytes]) -> None:
    """ "X_p, the sum X and S valid points"; and no share is given for what is not one."""
    share, c1 = EIGHT.shares(0, 3)[0], EIGHT.bag.entries[3].c1
    refused(replace(share, point=bad(share.point)))
    refused(share, key=bad(EIGHT.seats[0].public))
    refused(share, c1=bad(c1))
    with pytest.raises(Untrusted, match="point"):
        EIGHT.seats[0].shares(EIGHT.last, EIGHT.bag.digest, [(3, bad(c1))])
    with pytest.raises(Untrusted, match="point"):
        egb1.share_of(EIGHT.seats[0].x, bad(c1))
    with pytest.raises(Untrusted):
        egb1.check_key(GAME, 0, EIGHT.seats[0].commit, replace(EIGHT.posts[0], key=bad(EIGHT.posts[0].key)))


def test_scalars_have_one_spelling() -> None:
    """ "c and z canonical": a number plus L would verify as well; nought is none."""
    share, post = EIGHT.shares(0, 3)[0], EIGHT.posts[0]
    for bad in (number(share.z) + L, number(share.c) + L, L, 0, 2**256 - 1):
        for name in ("c", "z"):
            with pytest.raises(Untrusted):
                with_part(share, name, bad)
        with pytest.raises(Untrusted):
            replace(post, z=bad.to_bytes(32, "little"))


def forged() -> Share:
    """A false share that fits a challenge made of A and A' alone: S is chosen last, as (z·C1 - A') / c."""
    seat, c1 = EIGHT.seats[0], EIGHT.bag.entries[3].c1
    a, b = scalar(11), scalar(22)
    c = egb1._challenge(b"whatever it is", group.times_base(a), group.times(b, c1))
    z = group.multiply_add(c, seat.x, a)
    point = group.times(scalar((number(z) - number(b)) * pow(number(c), -1, L)), c1)
    assert point != egb1.share_of(seat.x, c1)
    return Share(3, point, c, z)


def test_a_challenge_covers_the_whole_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    """ "A challenge without the statement let a test forge a valid proof of a wrong share." """
    refused(forged())
    monkeypatch.setattr(egb1, "_challenge", lambda _, *rest: group.hashed(length_prefixed(*rest)))
    EIGHT.check(0, forged())


# -- the group


@given(bytes32)
def test_only_one_spelling_of_a_scalar(data: bytes) -> None:
    """From 1 to L - 1, 32 bytes."""
    assert group.is_scalar(data) == (0 < number(data) < L)
    assert not group.is_scalar(data + b"\0") and not group.is_scalar(data[:31])
    assert group.is_scalar(scalar(-1)) and not group.is_scalar(L.to_bytes(32, "little"))


@given(st.binary(max_size=40))
def test_any_bytes_are_a_point_or_not(data: bytes) -> None:
    """Nothing but `Untrusted` is ever raised, and multiplying refuses what is no point."""
    valid = group.is_point(data)
    try:
        group.times(scalar(3), data)
    except Untrusted:
        assert not valid
    else:
        assert valid
    for operation in (group.plus, group.minus):
        with suppress(Untrusted):
            operation(group.BASE, data)


def test_tiles_are_points_that_differ() -> None:
    """ "All tiles have distinct ids, the 28 zeros too." """
    tiles = [egb1.tile(number) for number in range(egb1.MAX_ENTRIES)]
    assert len(set(tiles)) == len(tiles) and all(map(group.is_point, tiles))


def test_a_library_that_takes_tagged_points_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As PyNaCl 1.6.1 does (CVE-2025-69277); each part of the self-test finds it alone."""
    assert group.ORDER_2 == ORDER_2 and tagged(group.BASE, ORDER_2) == group.TAGGED
    group.self_test()
    valid, multiplied = sodium.crypto_core_ed25519_is_valid_point, sodium.crypto_scalarmult_ed25519_noclamp
    with monkeypatch.context() as patch:
        patch.setattr(sodium, "crypto_core_ed25519_is_valid_point", lambda p: p == group.TAGGED or valid(p))
        with pytest.raises(Misuse, match=r"install 1\.6\.2 or newer"):
            group.self_test()
    with monkeypatch.context() as patch:
        patch.setattr(
            sodium,
            "crypto_scalarmult_ed25519_noclamp",
            lambda n, p: p if p == group.TAGGED else multiplied(n, p),
        )
        with pytest.raises(Misuse):
            group.self_test()
    monkeypatch.setattr(nacl, "__version__", "1.6.1")
    with pytest.raises(Misuse, match=r"PyNaCl 1\.6\.1"):
        group.self_test()


# -- what is written down

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.binary(max_size=64).map(bytes.hex),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["key", "r", "z", "c", "point", "slot"]), inner)
    ),
    max_leaves=8,
)
READERS: Final[dict[str, Callable[[object], KeyPost | Share | Ciphertexts]]] = {
    "key": KeyPost.from_json,
    "share": Share.from_json,
    "list": Ciphertexts.from_json,
}
every_reader = pytest.mark.parametrize("what", READERS)


@every_reader
@given(value=JSON)
def test_any_json_raises_only_untrusted(what: str, value: object) -> None:
    """Whatever a stranger sends."""
    with suppress(Untrusted):
        READERS[what](value)


@given(
    st.fixed_dictionaries({"c": bytes32, "point": bytes32, "z": bytes32}),
    st.integers(-1, 7) | st.just(2**32),
)
def test_any_share_of_the_right_form_is_judged(parts: dict[str, bytes], slot: int) -> None:
    """Random bytes of the right length are refused too, at one of the two doors."""
    form = {**{name: part.hex() for name, part in parts.items()}, "slot": slot}
    with pytest.raises(Untrusted):
        EIGHT.check(0, Share.from_json(form))


SAMPLES: Final[dict[str, Any]] = {
    "key": EIGHT.posts[0],
    "share": EIGHT.shares(0, 3)[0],
    "list": EIGHT.bag,
}


@every_reader
def test_what_is_written_is_read(what: str) -> None:
    """Also through the one spelling of JSON."""
    written = canonical.write(SAMPLES[what].as_json())
    assert READERS[what](canonical.read(written)) == SAMPLES[what]


@pytest.mark.parametrize("what", ["key", "share"])
def test_every_field_has_one_form(what: str) -> None:
    """None missing, none besides, lower case, full length."""
    good = dict(SAMPLES[what].as_json())
    bad: list[dict[str, Any]] = [{**good, "more": 1}]
    for name, value in good.items():
        bad += [{**good, name: other} for other in (None, 1.5, -1, True, f"{value}00", f"{value}"[:-2], [value])]
        bad.append({other: value for other, value in good.items() if other != name})
        if isinstance(value, str):
            bad.append({**good, name: value.upper()})
    for form in bad:
        with pytest.raises(Untrusted):
            READERS[what](form)


def test_a_list_has_one_form() -> None:
    """Texts of 128 hexadecimal digits, not too many."""
    good = EIGHT.bag.as_json()
    one = good[0]
    forms: list[object] = [None, {}, one, [*good, 1], [*good, one[:-2]], [one.upper()], [[one]], good * 26]
    for bad in forms:
        with pytest.raises(Untrusted):
            Ciphertexts.from_json(bad)


def test_the_longest_list_fits_an_event() -> None:
    """With 2000 bytes to spare for everything else in the line."""
    longest = Ciphertexts((EIGHT.bag.entries * 25)[: egb1.MAX_ENTRIES])
    assert len(longest) == 200 and len(canonical.write(longest.as_json())) <= MAX_EVENT_LINE - 2000


@given(st.binary(max_size=33), st.binary(max_size=17))
def test_a_seed_has_32_bytes(seed: bytes, game: bytes) -> None:
    """And a game's id 16: they may come out of a stranger's `leave`."""
    if (len(seed), len(game)) != (32, 16):
        with pytest.raises(Untrusted):
            Secrets(seed, game, 0)


def test_secrets_are_not_shown() -> None:
    """A traceback or a log that holds them gives nothing away."""
    shown = repr(EIGHT.seats[0])
    for secret in (EIGHT.seats[0].seed, EIGHT.seats[0].x):
        assert repr(secret) not in shown and secret.hex() not in shown


# -- who starts


def test_a_nonce_is_bound_before_it_is_shown() -> None:
    """To its game and seat; the same after a crash."""
    nonce = lots.toss_nonce(secret_of(0), GAME, 0)
    assert nonce == lots.toss_nonce(secret_of(0), GAME, 0) and len(nonce) == 32
    others = [lots.toss_nonce(secret_of(1), GAME, 0), lots.toss_nonce(secret_of(0), bytes(16), 0)]
    assert nonce not in [*others, lots.toss_nonce(secret_of(0), GAME, 1), egb1.deal_seed(secret_of(0), GAME, 0)]
    bound = {
        lots.toss_commit(game, seat, what) for game in (GAME, bytes(16)) for seat in (0, 1) for what in (nonce, GAME)
    }
    assert len(bound) == 8


def test_every_seat_is_as_likely_to_start() -> None:
    """Over 6000 tosses the counts lie within 5 standard deviations, whoever's nonce changes."""
    for which in (0, 1):
        nonces = ([sha256(n.to_bytes(4)), bytes(32)] for n in range(6000))
        found = Counter(lots.toss_start(pair if which else pair[::-1], (0, 2, 3)) for pair in nonces)
        assert set(found) == {0, 2, 3} and all(abs(count - 2000) < 5 * 36.6 for count in found.values())


# -- the same for ever


def vectors() -> dict[str, Any]:
    """A small deal with everything that goes in and comes out, in hexadecimal."""
    deal = dealt(3, 5)
    nonces = [lots.toss_nonce(secret_of(seat), GAME, seat) for seat in range(3)]
    return {
        "version": egb1.VERSION.decode(),
        "game": GAME.hex(),
        "dealing_secrets": [secret_of(seat).hex() for seat in range(3)],
        "tiles": [egb1.tile(number).hex() for number in range(5)],
        "seeds": [seat.seed.hex() for seat in deal.seats],
        "secret_scalars": [seat.x.hex() for seat in deal.seats],
        "commits": [seat.commit.hex() for seat in deal.seats],
        "keys": [{"prev": prev_of(at).hex(), **post.as_json()} for at, post in enumerate(deal.posts)],
        "joint": deal.joint.hex(),
        "lists": [
            {"prev": prev_of(2 + at).hex() if at else None, "list": entries.as_json()}
            for at, entries in enumerate(deal.lists)
        ],
        "shares": {
            "prev": deal.last.hex(),
            "listing": deal.bag.digest.hex(),
            "by_seat": [[share.as_json() for share in deal.shares(seat, *range(5))] for seat in range(3)],
        },
        "opened": [deal.opened(slot) for slot in range(5)],
        "permutation_of_100": egb1.permutation(bytes(64), 100),
        "toss": {
            "nonces": [nonce.hex() for nonce in nonces],
            "commits": [lots.toss_commit(GAME, seat, nonce).hex() for seat, nonce in enumerate(nonces)],
            "starts": [lots.toss_start([bytes([n]) * 32, *nonces], (0, 1, 2)) for n in range(10)],
        },
    }


def golden() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(VECTORS.read_text(encoding="utf-8"))
    return kept


def test_the_bytes_of_this_version_stay_for_ever() -> None:
    """Records name egb1/1; whoever audits them must compute the same messages."""
    assert vectors() == golden()


def test_a_second_implementation_gives_the_same_bytes() -> None:
    """Slow arithmetic of our own, from the description alone: every message of the deal, its proofs and its tiles."""
    kept = golden()
    game = bytes.fromhex(kept["game"])
    seats = [
        slow.Seat(slow.deal_seed(bytes.fromhex(secret), game, seat), game, seat)
        for seat, secret in enumerate(kept["dealing_secrets"])
    ]
    assert [seat.seed.hex() for seat in seats] == kept["seeds"]
    assert [slow.little(seat.x).hex() for seat in seats] == kept["secret_scalars"]
    assert [seat.commit.hex() for seat in seats] == kept["commits"]
    tiles = [slow.tile(number) for number in range(5)]
    assert [slow.pack(tile).hex() for tile in tiles] == kept["tiles"]
    for seat, post in zip(seats, kept["keys"], strict=True):
        assert {"prev": post["prev"], **seat.key(bytes.fromhex(post["prev"]))} == post
    joint = slow.plus(slow.plus(seats[0].public, seats[1].public), seats[2].public)
    entries = [(slow.BASE, slow.plus(tile, joint)) for tile in tiles]
    assert slow.raw(entries).hex() == "".join(kept["lists"][0]["list"])
    for seat, made in zip(seats, kept["lists"][1:], strict=True):
        entries = seat.shuffle(bytes.fromhex(made["prev"]), entries, joint)
        assert slow.raw(entries).hex() == "".join(made["list"])
    assert slow.sha(slow.raw(entries)).hex() == kept["shares"]["listing"]
    prev = bytes.fromhex(kept["shares"]["prev"])
    for seat, shares in zip(seats, kept["shares"]["by_seat"], strict=True):
        assert [seat.share(prev, entries, slot) for slot in range(5)] == shares
        assert slow.share_holds(seat, prev, entries, shares[2])
    for (c1, c2), tile in zip(entries, kept["opened"], strict=True):
        for seat in seats:
            c2 = slow.minus(c2, slow.times(seat.x, c1))
        assert slow.pack(c2).hex() == kept["tiles"][tile]


if __name__ == "__main__":
    VECTORS.write_text(json.dumps(vectors(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
