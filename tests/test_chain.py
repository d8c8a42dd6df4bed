"""The hash chain: which line may come next, who acknowledges it, and proof that a key signed twice."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import nacl.bindings as sodium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable import canonical
from lantable.chain import Chain, ForkProof, prove_acks, prove_events, read_proof
from lantable.errors import Untrusted
from lantable.events import NO_GAME, Ack, Notice, Seal, Signed, genesis_body, read_event, read_seal, sign
from lantable.keys import ACK, EVENT_SIG, PrivateKey, sha256
from tests.games import Sitting, key


def sitting(seats: int = 2, **more: Any) -> Sitting:
    """A short game of Count To."""
    return Sitting("count-to", "short", seats, **more)


def chain_of(lines: list[bytes]) -> Chain:
    """A chain grown line by line, as the audit grows it. Raises `Untrusted`."""
    if not lines:
        raise Untrusted("chain", "no lines")
    chain = Chain.begin(lines[0])
    for line in lines[1:]:
        chain.take(line)
    return chain


def refused(do: Callable[..., object], *args: Any) -> str:
    """The code with which `do(*args)` is refused."""
    with pytest.raises(Untrusted) as caught:
        do(*args)
    return caught.value.code


def next_event(table: Sitting, number: int, **fields: Any) -> Signed:
    """The next move of a game with some fields replaced, properly signed by key `number`."""
    return sign(replace(table.draft("move", {"move": "1"}).event, **fields), key(number))


# -- an honest record


@given(seats=st.integers(2, 4), seed=st.integers(0, 99), shared=st.booleans())
@settings(max_examples=20)
def test_an_honest_record_is_a_chain(seats: int, seed: int, shared: bool) -> None:
    """Its lines alone, without any rules, lead to the same chain, and it spells them again."""
    lines = sitting(seats, seed=seed, shared_keys=shared).play().lines
    chain = chain_of(lines)
    assert chain.lines() == lines and chain.sealed
    for after in range(-1, chain.seq + 1):
        assert chain.lines(after) == lines[2 * (after + 1) :]


def test_prev_covers_the_event_line_and_its_k_line() -> None:
    """Signatures are covered too: another K line would be another history."""
    game = sitting()
    game.play(1)
    event, k = game.lines[2:4]
    assert game.draft("move", {"move": "1"}).event.prev == sha256(b"lantable/link/v1\0", event, b"\n", k)


@settings(max_examples=40)
@given(data=st.data())
def test_lines_dropped_doubled_or_swapped_are_refused(data: st.DataObject) -> None:
    """A record is one order of lines; any other is no prefix of it and is refused."""
    lines = sitting(3, seed=data.draw(st.integers(0, 3))).play(4).lines
    other = list(lines)
    at = data.draw(st.integers(0, len(lines) - 1))
    how = data.draw(st.sampled_from(["drop", "double", "swap"]))
    if how == "drop":
        del other[at]
    elif how == "double":
        other.insert(at, other[at])
    else:
        with_ = data.draw(st.integers(0, len(lines) - 1))
        other[at], other[with_] = other[with_], other[at]
    if other != lines[: len(other)]:
        with pytest.raises(Untrusted):
            chain_of(other)


def test_every_byte_of_a_record_counts() -> None:
    """One changed bit in any byte of any line: refused, and by nothing else than `Untrusted`."""
    lines = sitting(3).play(1).lines
    for number, line in enumerate(lines):
        for at in range(len(line)):
            broken = [*lines[:number], line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :], *lines[number + 1 :]]
            with pytest.raises(Untrusted):
                chain_of(broken)


def test_every_start_of_a_record_is_a_chain() -> None:
    """A game may be cut off after any line; what is there is good."""
    lines = sitting(3).play().lines
    for end in range(1, len(lines) + 1):
        assert chain_of(lines[:end]).lines() == lines[:end]


# -- the next line


def test_the_next_line_has_one_number_game_link_and_author() -> None:
    """Each thing that can be wrong with an otherwise well signed event has its code."""
    game = sitting(3)
    game.play(1)
    check = game.table.chain.check
    check(next_event(game, 1))
    assert refused(check, next_event(game, 1, seq=1)) == "chain"
    assert refused(check, next_event(game, 1, seq=3)) == "chain"
    assert refused(check, next_event(game, 1, game=b"g" * 16)) == "chain"
    assert refused(check, next_event(game, 1, prev=b"p" * 32)) == "link"
    assert refused(check, next_event(game, 1, seat=3)) == "seat"
    assert refused(check, next_event(game, 2)) == "signature"
    assert refused(check, next_event(game, 1, type="resign")) == "schema"
    assert refused(check, next_event(game, 1, type="genesis")) == "chain"


def test_a_link_is_judged_only_of_what_its_author_signed() -> None:
    """ "Another history" is the author's own word or nobody's: a stranger cannot raise the alarm."""
    game = sitting()
    assert refused(game.table.chain.check, next_event(game, 1, prev=b"p" * 32)) == "signature"


def test_an_event_waits_for_the_k_line_before_it() -> None:
    """ "Event n+1 is accepted only with the K line of n.\""""
    game = sitting()
    lines = game.play(2).lines
    chain = chain_of(lines[:3])
    assert not chain.sealed
    assert refused(chain.check, read_event(lines[4])) == "chain"


def test_event_0_makes_the_game() -> None:
    """Zeros for game and link, number 0, by a seat under its own lowest number, with a nonce of every other key."""
    first = read_event(sitting(3).lines[0])
    nonces = {seat: bytes(32) for seat in (1, 2)}
    offer = chain_of([first.line]).offer

    def begun(number: int = 0, **fields: Any) -> Callable[[], Chain]:
        return lambda: Chain(sign(replace(first.event, **fields), key(number)))

    assert begun()().game == first.h[:16]
    assert refused(begun(seq=1)) == "chain"
    assert refused(begun(game=b"g" * 16)) == "chain"
    assert refused(begun(prev=b"p" * 32)) == "chain"
    assert refused(begun(type="move")) == "chain"
    assert refused(begun(number=1)) == "signature"
    assert refused(begun(seat=3)) == "seat"
    assert refused(begun(body={})) == "schema"
    for wrong in ({}, {1: bytes(32)}, {**nonces, 0: bytes(32)}, {**nonces, 3: bytes(32)}):
        assert refused(begun(body=genesis_body(offer, wrong))) == "schema"
    assert begun(number=1, seat=1, body=genesis_body(offer, {0: bytes(32), 2: bytes(32)}))().key(1) == key(1).public


def test_a_shared_key_begins_under_its_lowest_seat() -> None:
    """Seats that share a key act as one, under the lowest of them."""
    first = read_event(sitting(3, shared_keys=True).lines[0])
    assert refused(Chain, sign(replace(first.event, seat=1), key(0))) == "seat"


# -- acknowledgements


def sealed_by(game: Sitting, *seats: int) -> Seal:
    """A K line for the last event with the signatures of these seats."""
    chain = game.table.chain
    acks = {seat: Ack.make(chain.last, seat, game.keys[seat]).sig for seat in seats}
    return Seal(chain.game, chain.last.h, chain.seq, acks)


def written(game: Sitting) -> Signed:
    """A next move, appended but not sealed."""
    signed = game.draft("move", {"move": "1"})
    game.table.add(signed, game.table.judge(signed))
    return signed


def test_a_k_line_holds_the_acknowledgements_of_exactly_the_others() -> None:
    """Not fewer, not more, and not the author's own."""
    game = sitting(3)
    game.play(1)
    written(game)  # by seat 1
    chain = game.table.chain
    assert chain.awaited() == {0, 2}
    for wrong in ((), (0,), (2,), (0, 1, 2), (0, 1)):
        seal = sealed_by(game, *wrong)
        assert refused(chain.seal, seal) == "chain"
    chain.seal(sealed_by(game, 0, 2))
    assert refused(chain.seal, sealed_by(game, 0, 2)) == "chain"


def test_a_k_line_names_its_event_and_holds_good_signatures() -> None:
    """Game, number and head must be those of the last event; a signature must be that seat's over that line."""
    game = sitting()
    before = sealed_by(game, 1)
    written(game)
    chain, good = game.table.chain, sealed_by(game, 1)
    assert refused(chain.seal, replace(good, game=b"g" * 16)) == "chain"
    assert refused(chain.seal, replace(good, head=b"h" * 32)) == "chain"
    assert refused(chain.seal, replace(good, seq=2)) == "chain"
    assert refused(chain.seal, replace(good, sigs=before.sigs)) == "signature"
    assert refused(chain.seal, replace(good, sigs={1: bytes(64)})) == "signature"
    chain.seal(good)


def test_seats_that_share_a_key_acknowledge_once_under_the_lowest() -> None:
    """ "every other seat" then means every other key."""
    game = sitting(3, keys=[key(0), key(1), key(1)])
    assert game.table.chain.awaited() == {1}
    game.play(1)
    written(game)  # by seat 1, so seat 2 has nothing to add
    assert game.table.chain.awaited() == {0}
    assert game.table.chain.owner_of(key(1).public) == 1
    assert game.table.chain.owner_of(key(3).public) is None


def test_one_machine_acknowledges_nothing() -> None:
    """An all-local game has sigs {}."""
    game = sitting(4, shared_keys=True).play()
    assert all(read_seal(line).sigs == {} for line in game.lines[1::2])


def test_whoever_left_is_no_longer_awaited() -> None:
    """From the leave event on; a seat that only resigned still acknowledges."""
    game = sitting(4)
    game.play(1)
    game.resign(2)
    assert game.table.chain.present() == {0, 1, 2, 3}
    game.leave(3)
    assert game.table.chain.present() == {0, 1, 2}
    left = read_seal(game.lines[-1])
    assert set(left.sigs) == {0, 2}, "the seal of the leave event is without the leaver already"
    game.leave(0)
    assert set(read_seal(game.lines[-1]).sigs) == {2}
    assert chain_of(game.lines).lines() == game.lines


def test_whoever_left_writes_nothing_more() -> None:
    """Even if the rules named it due."""
    game = sitting(3).leave(1)
    assert refused(game.table.chain.check, next_event(game, 1, seat=1)) == "seat"


def test_nobody_is_sent_away_without_its_own_word() -> None:
    """A leave without the leaver's notice would silence its acknowledgement, so the chain itself refuses it."""
    game = sitting(3)
    for body in ({"of": 1}, {"of": 3}, {"of": 1, "notice": "00" * 64}):
        assert refused(game.table.chain.check, game.draft("leave", body)) == "notice"
    game.table.chain.check(game.draft("leave", {"of": 0}))


def test_a_wish_holds_only_right_after_its_head() -> None:
    """ "valid only in the very next event": a notice over an older head is refused."""
    game = sitting()
    old = Notice(game=game.game, head=game.table.chain.last.h, seat=1, kind="resign").signed(key(1)).sig.hex()
    body = {"of": 1, "notice": old}
    game.table.chain.check(game.draft("resign", body))
    game.play(1).play(1)
    assert refused(game.table.chain.check, game.draft("resign", body)) == "notice"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("resign", {}),
        ("resign", {"of": 4}),
        ("resign", {"of": 0, "more": 1}),
        ("resign", {"of": 0, "notice": "00"}),
        ("takeback", {"notices": {}}),
        ("takeback", {"to": -1, "notices": {}}),
        ("draw", {}),
        ("draw", {"notices": {"4": "00" * 64}}),
        ("draw", {"notices": []}),
        ("stop", {"notices": {}, "to": 1}),
    ],
)
def test_the_bodies_of_agreements_have_one_form(kind: str, body: dict[str, Any]) -> None:
    """The same in every game, so the chain settles it."""
    game = sitting()
    assert refused(game.table.chain.check, game.draft(kind, body)) == "schema"


# -- proofs


def fork(seats: int = 3) -> tuple[Sitting, Signed, Signed]:
    """A game and two next events by its first seat, both signed."""
    game = sitting(seats)
    return game, game.draft("move", {"move": "1"}), game.draft("move", {"move": "2"})


def other_signature(private: PrivateKey, domain: bytes, message: bytes) -> bytes:
    """A second valid signature: Ed25519 as a dishonest signer makes it, with a nonce of its own choice."""
    order = 2**252 + 27742317777372353535851937790883648493
    scalar = int.from_bytes(sodium.crypto_sign_ed25519_sk_to_curve25519(private._secret), "little")
    r = 7
    sig_r = sodium.crypto_scalarmult_ed25519_base_noclamp(r.to_bytes(32, "little"))
    k = int.from_bytes(hashlib.sha512(sig_r + private.public.raw + domain + message).digest(), "little") % order
    return sig_r + ((r + k * scalar) % order).to_bytes(32, "little")


def ack_fork(game: Sitting, signed: Signed, seat: int) -> tuple[bytes, bytes]:
    """Two different valid acknowledgements of one event by one seat."""
    message = Ack.message(game.game, signed.event.seq, sha256(signed.line))
    return key(seat).sign(ACK, message), other_signature(key(seat), ACK, message)


def test_two_events_by_one_seat_under_one_number_are_a_proof() -> None:
    """In either order it is the same proof."""
    game, one, other = fork()
    proof = prove_events(game.table.chain, one, other)
    assert proof is not None and (proof.seat, proof.seq) == (0, 1) and proof.acks == ()
    assert proof == prove_events(game.table.chain, other, one)


def test_two_signatures_over_one_hash_are_a_proof_too() -> None:
    """ "are a proof, even over one hash": an honest signer is deterministic."""
    game, one, _ = fork()
    sig = other_signature(key(0), EVENT_SIG, one.h)
    e = one.event.as_json()
    other = read_event(canonical.write({"e": e, "h": one.h.hex(), "s": sig.hex()}))
    assert other.by(key(0).public) and other.h == one.h
    assert prove_events(game.table.chain, one, other) is not None


def test_two_acknowledgements_of_one_event_are_a_proof() -> None:
    """The proof carries the event, so that its author is named first."""
    game, one, _ = fork()
    first, second = ack_fork(game, one, 1)
    proof = prove_acks(game.table.chain, one, first, second, 1)
    assert proof is not None and (proof.seat, proof.seq, proof.lines) == (1, 1, (one.line,))
    assert proof == prove_acks(game.table.chain, one, second, first, 1)


def proofs() -> list[tuple[Chain, ForkProof]]:
    game, one, other = fork()
    events = prove_events(game.table.chain, one, other)
    acks = prove_acks(game.table.chain, one, *ack_fork(game, one, 1), 1)
    assert events is not None and acks is not None
    return [(game.table.chain, events), (game.table.chain, acks)]


PROOFS = proofs()


@pytest.mark.parametrize(("chain", "proof"), PROOFS, ids=["events", "acks"])
def test_a_proof_survives_the_way_to_another_seat(chain: Chain, proof: ForkProof) -> None:
    """As JSON within one frame, checked there from the ground up."""
    data = canonical.write(proof.as_json())
    assert read_proof(canonical.read(data), chain) == proof


@pytest.mark.parametrize(("chain", "proof"), PROOFS, ids=["events", "acks"])
@given(data=st.data())
def test_a_damaged_proof_proves_nothing(chain: Chain, proof: ForkProof, data: st.DataObject) -> None:
    """Any change to any byte of it is refused as untrusted."""
    spelt = canonical.write(proof.as_json())
    at = data.draw(st.integers(0, len(spelt) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != spelt[at]))
    with pytest.raises(Untrusted):
        read_proof(canonical.read(spelt[:at] + bytes([byte]) + spelt[at + 1 :]), chain)


@given(st.recursive(st.none() | st.integers(0, 3) | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)))
def test_a_proof_of_any_json_raises_only_untrusted(value: Any) -> None:
    """Also when the fields are there but hold something else."""
    chain, proof = PROOFS[0]
    for name in ("seat", "seq", "lines", "acks"):
        if value != proof.as_json()[name]:
            with pytest.raises(Untrusted):
                read_proof({**proof.as_json(), name: value}, chain)


def test_what_is_no_fork_is_no_proof() -> None:
    """One line twice, two numbers, two seats, two games, or a signature that is not the key's."""
    game, one, other = fork()
    chain = game.table.chain
    assert prove_events(chain, one, one) is None
    assert prove_events(chain, one, next_event(game, 0, seq=2)) is None
    assert prove_events(chain, one, next_event(game, 1, seat=1)) is None
    assert prove_events(chain, one, next_event(game, 0, game=b"g" * 16)) is None
    assert prove_events(chain, *(next_event(game, 0, game=b"g" * 16, t=t) for t in (1, 2))) is None
    assert prove_events(chain, *(next_event(game, 3, seat=3, t=t) for t in (1, 2))) is None
    assert prove_events(chain, one, replace(other, sig=bytes(64))) is None
    assert prove_events(chain, one, sign(other.event, key(1))) is None


def test_what_is_no_double_acknowledgement_is_no_proof() -> None:
    """One signature twice, of two seats, over two lines, or over a line that its author never signed."""
    game, one, other = fork()
    chain, (first, second) = game.table.chain, ack_fork(game, one, 1)
    assert prove_acks(chain, one, first, first, 1) is None
    assert prove_acks(chain, one, first, Ack.make(one, 2, key(2)).sig, 1) is None
    assert prove_acks(chain, one, first, Ack.make(other, 1, key(1)).sig, 1) is None
    assert prove_acks(chain, one, first, second, 3) is None
    forged = sign(one.event, key(1))
    assert prove_acks(chain, forged, *ack_fork(game, forged, 1), 1) is None
    stranger = next_event(game, 3, seat=3)
    assert prove_acks(chain, stranger, *ack_fork(game, stranger, 1), 1) is None


def test_acknowledgements_of_another_games_line_prove_nothing() -> None:
    """However they are signed: the line says which game it is about."""
    game = sitting(3)
    foreign = next_event(game, 0, game=b"g" * 16)
    sigs = sorted(ack_fork(game, foreign, 1))
    acks = tuple(Ack(game.game, 1, sha256(foreign.line), 1, sig) for sig in sigs)
    proof = ForkProof(1, 1, (foreign.line,), acks)
    assert all(ack.by(key(1).public) for ack in acks)
    assert refused(read_proof, proof.as_json(), game.table.chain) == "proof"


def test_two_games_with_one_beginner_are_no_fork() -> None:
    """ "two events 0 are two games": each names itself by its own hash."""
    one = sitting(seed=1)
    other = sitting(seed=2)
    first, second = (Chain.begin(game.lines[0]).last for game in (one, other))
    assert first.event.game == second.event.game == NO_GAME
    assert prove_events(one.table.chain, first, second) is None


@given(seats=st.integers(2, 4), seed=st.integers(0, 99))
@settings(max_examples=10)
def test_an_honest_game_holds_no_proof(seats: int, seed: int) -> None:
    """No two lines of it, and no two acknowledgements, ever prove anything."""
    game = sitting(seats, seed=seed).play()
    chain = game.table.chain
    for one in chain.events:
        assert not any(prove_events(chain, one, other) for other in chain.events)
    for signed, seal in zip(chain.events, chain.seals, strict=True):
        sigs = list(seal.sigs.values())
        assert not any(prove_acks(chain, signed, a, b, seat) for a in sigs for b in sigs for seat in range(seats))


def test_a_proof_of_another_game_is_refused() -> None:
    """A proof counts only at the table it is about."""
    _, proof = PROOFS[0]
    assert refused(read_proof, proof.as_json(), sitting(3, seed=5).table.chain) == "proof"
