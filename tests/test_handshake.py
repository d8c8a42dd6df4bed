"""The signed handshake: honest sides agree, and no relay, replay, reflection or downgrade passes."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable import canonical
from lantable.errors import Misuse, Untrusted
from lantable.keys import PrivateKey
from lantable_net.handshake import Handshake, Identity, session_words, transcript

ADA = Identity(PrivateKey(b"\1" * 32), b"\xcc" * 16, "Ada")
BOB = Identity(PrivateKey(b"\2" * 32), b"\x55" * 16, "Çağrı")
EVE = Identity(PrivateKey(b"\3" * 32), b"\x66" * 16, "Eve")
NONCE_C, NONCE_S, CERT = b"\x11" * 32, b"\x22" * 32, b"\x33" * 32

Tamper = Callable[[int, bytes], bytes]
"""What a pipe does to message 1 to 4."""


def client(identity: Identity = ADA, cert: bytes = CERT, nonce: bytes = NONCE_C, **more: Any) -> Handshake:
    return Handshake.client(identity, nonce, cert, **more)


def server(identity: Identity = BOB, cert: bytes = CERT, nonce: bytes = NONCE_S, **more: Any) -> Handshake:
    return Handshake.server(identity, nonce, cert, **more)


def talk(one: Handshake, other: Handshake, tamper: Tamper = lambda _number, payload: payload) -> list[bytes]:
    """Run client `one` against server `other`; the messages as they arrived. Raises what either side raises."""
    sent, said = one.start(), list[bytes]()
    for listener in (other, one, other, one):
        (payload,) = sent
        payload = tamper(len(said) + 1, payload)
        said.append(payload)
        sent = listener.receive(payload)
    assert sent == [] and one.done and other.done
    return said


def changed(number: int, **fields: object) -> Tamper:
    """A pipe that sets fields of one message and keeps it canonical."""

    def tamper(at: int, payload: bytes) -> bytes:
        return canonical.write({**json.loads(payload), **fields}) if at == number else payload

    return tamper


def refused(one: Handshake, other: Handshake, tamper: Tamper = lambda _number, payload: payload) -> str:
    """The code with which somebody ended it; then neither side is done, and neither takes another word."""
    with pytest.raises(Untrusted) as caught:
        talk(one, other, tamper)
    assert not other.done or not one.done
    return caught.value.code


def test_honest_sides_know_each_other_and_read_the_same_words() -> None:
    """Key, home, name and version of the other one; equal words on both screens."""
    one, other = client(), server()
    talk(one, other)
    assert one.peer and other.peer
    assert (one.peer.key, one.peer.home, one.peer.name, one.peer.version) == (BOB.key.public, BOB.home, "Çağrı", 1)
    assert (other.peer.key, other.peer.home, other.peer.name) == (ADA.key.public, ADA.home, "Ada")
    assert one.peer.words == other.peer.words


GOLDEN = (
    (
        '{"commit":"155b6265f3fb2183a215bbf4f8a834d814644c1de88f8d0ec98fe185e7cde838","home_c":"ccccccccccccc'
        'ccccccccccccccccccc","id_c":"8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c","name'
        '_c":"Ada","versions_c":[1],"want_id_s":null}'
    ),
    (
        '{"home_s":"55555555555555555555555555555555","id_s":"8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a'
        '25df60f5b8fc9b394","name_s":"Çağrı","nonce_s":"22222222222222222222222222222222222222222222222222222'
        '22222222222","version":1,"versions_s":[1]}'
    ),
    (
        '{"nonce_c":"1111111111111111111111111111111111111111111111111111111111111111","sig_c":"cc31fb12f7c0d'
        "61545ce2fdbf79dc8d7afec083efdebc4c71d878171e2aac0e4ddaaf48835bd67849d4fb1402fe5828ef027cf8999d6b2a84"
        'e253142ce7ed60c"}'
    ),
    (
        '{"sig_s":"97df8706a7eedd1a1c7cde630caaceb09aa203fc9d6c8d856e4cf3dea7f5a0d0779227b2b71da5ef4bf09a6a83'
        'fabf6ec2cdd314637321201398329d09c1120c"}'
    ),
)


def test_golden_messages_transcript_and_words() -> None:
    """Made with another library from the same seeds and nonces; other versions must say the same words."""
    said = talk(client(), server())
    assert tuple(payload.decode() for payload in said) == GOLDEN
    t = transcript(CERT, said[0], said[1], NONCE_C)
    assert t.hex() == "fa17d37de24411157d9ee3a205dad92b6692b436020f6084f77d4b937e865396"
    assert session_words(t) == "hammer-apron-eagle-pickle"


def test_a_relay_with_its_own_certificate_is_refused() -> None:
    """It passes every byte on, yet each end hashed another certificate; the client has proved nothing to it."""
    one, other = client(cert=b"\x44" * 32), server()
    assert refused(one, other) == "signature"
    assert other.peer is None and one.peer is None


def test_a_relay_that_lets_the_server_through_is_refused_by_the_client() -> None:
    """Even a server that signs anything: its signature covers another certificate."""
    one, other = client(cert=b"\x44" * 32), server(cert=b"\x44" * 32)
    fake = server(cert=CERT)
    (h1,) = one.start()
    (h2,) = other.receive(h1)
    assert fake.receive(h1) == [h2]
    (h3,) = one.receive(h2)
    with pytest.raises(Untrusted, match="signature"):
        fake.receive(h3)
    sig = BOB.key.sign(b"lantable/auth/server/v1\0", transcript(CERT, h1, h2, NONCE_C))
    with pytest.raises(Untrusted, match="signature"):
        one.receive(canonical.write({"sig_s": sig.hex()}))


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_message_of_another_run_is_refused(number: int) -> None:
    """Record one run, play one of its messages into a second with fresh nonces."""
    recorded = talk(client(), server())
    one, other = client(nonce=b"\x77" * 32), server(nonce=b"\x88" * 32)
    expected = {1: "commit", 2: "signature", 3: "commit", 4: "signature"}[number]
    assert refused(one, other, lambda at, payload: recorded[at - 1] if at == number else payload) == expected


def test_a_whole_recorded_run_is_refused() -> None:
    """Whoever replays all of a client's messages meets a fresh nonce of the server."""
    h1, _, h3, _ = talk(client(), server())
    other = server(nonce=b"\x88" * 32)
    other.receive(h1)
    with pytest.raises(Untrusted, match="signature"):
        other.receive(h3)


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (1, {"name_c": "Mallory"}),
        (1, {"home_c": "00" * 16}),
        (1, {"versions_c": [1, 9]}),
        (2, {"name_s": "Mallory"}),
        (2, {"home_s": "00" * 16}),
        (2, {"versions_s": [1, 9]}),
        (2, {"nonce_s": "00" * 32}),
        (3, {"sig_c": "00" * 64}),
        (4, {"sig_s": "00" * 64}),
    ],
)
def test_every_field_is_signed(number: int, fields: dict[str, object]) -> None:
    """Whatever a pipe changes, a signature no longer fits."""
    assert refused(client(), server(), changed(number, **fields)) == "signature"


def test_a_nonce_that_was_not_promised_is_refused() -> None:
    """Else the client could search for words after it has seen the server's nonce."""
    assert refused(client(), server(), changed(3, nonce_c="00" * 32)) == "commit"


def test_somebody_elses_key_cannot_be_claimed() -> None:
    """Eve says she is Ada and signs with her own key."""
    one, other = client(EVE), server()
    assert refused(one, other, changed(1, id_c=ADA.key.public.hex)) == "commit"
    assert refused(client(), server(EVE), changed(2, id_s=BOB.key.public.hex)) == "signature"


def test_our_own_key_is_refused_on_both_sides() -> None:
    """Dialling oneself: the answer tells the dialling side; the serving side does not sign."""
    assert refused(client(ADA), server(ADA)) == "self"
    one, other = client(ADA), server(ADA)
    (h1,) = one.start()
    other.receive(h1)
    with pytest.raises(Untrusted, match="self"):
        other.receive(canonical.write({"nonce_c": NONCE_C.hex(), "sig_c": "00" * 64}))


def test_a_reflected_handshake_is_refused() -> None:
    """A client that hears its own message, and a server's H2 given back to a server."""
    one = client()
    (h1,) = one.start()
    with pytest.raises(Untrusted, match="schema"):
        one.receive(h1)
    mirror = server(ADA)
    (h2,) = mirror.receive(h1)
    with pytest.raises(Untrusted, match="self"):
        client().receive(h2)


def test_another_key_than_the_wanted_is_refused_on_both_sides() -> None:
    """The client hears who is there instead; the server does not sign for a caller who wants somebody else."""
    one, other = client(want=EVE.key.public), server(BOB)
    (h1,) = one.start()
    (h2,) = other.receive(h1)
    with pytest.raises(Untrusted, match=BOB.key.public.words) as caught:
        one.receive(h2)
    assert caught.value.code == "other_key" and EVE.key.public.words in caught.value.detail
    with pytest.raises(Untrusted, match="other_key"):
        other.receive(canonical.write({"nonce_c": NONCE_C.hex(), "sig_c": "00" * 64}))


def test_the_wanted_key_is_accepted() -> None:
    """And whoever is there if nobody in particular is wanted."""
    talk(client(want=BOB.key.public), server())
    talk(client(), server())


def test_the_highest_common_version_is_spoken() -> None:
    """An older side is met at its version."""
    one, other = client(versions=(1, 2, 3)), server(versions=(2, 1))
    talk(one, other)
    assert one.peer and one.peer.version == 2 and other.peer and other.peer.version == 2


def test_without_a_common_version_both_refuse_and_the_caller_knows_why() -> None:
    """The server answers, signs nothing, and the caller can say which versions would be needed."""
    one, other = client(versions=(1,)), server(versions=(2, 3))
    (h1,) = one.start()
    (h2,) = other.receive(h1)
    with pytest.raises(Untrusted, match="they speak protocol 2, 3, we 1"):
        one.receive(h2)
    with pytest.raises(Untrusted, match="they speak protocol 1, we 2, 3"):
        other.receive(canonical.write({"nonce_c": NONCE_C.hex(), "sig_c": "00" * 64}))


def test_no_downgrade_in_a_pipe() -> None:
    """Striking out the newest version changes the transcript; choosing a lower one is seen at once."""

    def refused_with(tamper: Tamper) -> str:
        return refused(client(versions=(1, 2)), server(versions=(1, 2)), tamper)

    assert refused_with(changed(1, versions_c=[1])) == "version"
    assert refused_with(changed(2, version=1)) == "version"
    assert refused_with(changed(2, version=1, versions_s=[1])) == "signature"


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (1, {"id_c": "00" * 32}),
        (1, {"id_c": "01" + "00" * 31}),
        (1, {"commit": "00" * 31}),
        (1, {"home_c": "00" * 17}),
        (1, {"name_c": "x" * 65}),
        (1, {"versions_c": [True]}),
        (1, {"versions_c": [0]}),
        (1, {"versions_c": list(range(1, 18))}),
        (1, {"want_id_s": "00"}),
        (1, {"more": 1}),
        (2, {"nonce_s": "00" * 33}),
        (2, {"id_s": "00" * 32}),
        (2, {"version": -1}),
        (2, {"versions_s": ["1"]}),
        (3, {"nonce_c": "AA" * 32}),
        (3, {"sig_c": "00" * 63}),
        (4, {"sig_s": None}),
        (4, {"more": 1}),
    ],
)
def test_lengths_kinds_and_left_over_fields_are_exact(number: int, fields: dict[str, object]) -> None:
    """Every field has one size; keys are points of the group, the identity is none."""
    assert refused(client(), server(), changed(number, **fields)) in ("schema", "key")


def test_a_long_message_is_refused() -> None:
    """4 KiB each."""
    assert refused(client(), server(), changed(1, name_c="x" * 5000)) == "too_long"


def test_after_a_refusal_even_the_right_message_comes_too_late() -> None:
    """And after the end nothing more is due."""
    other = server()
    (h1,) = client().start()
    with pytest.raises(Untrusted, match="not_json"):
        other.receive(b"{")
    with pytest.raises(Untrusted, match="state"):
        other.receive(h1)
    one, other = client(), server()
    said = talk(one, other)
    for side in (one, other):
        with pytest.raises(Untrusted, match="state"):
            side.receive(said[3])


def test_our_own_mistakes_are_named_as_ours() -> None:
    """A short nonce, a short home, a long name."""
    with pytest.raises(Misuse):
        client(nonce=b"short")
    with pytest.raises(Misuse):
        Identity(ADA.key, b"short", "Ada")
    with pytest.raises(Misuse):
        Identity(ADA.key, ADA.home, "x" * 65)


leaves = st.none() | st.integers(-3, 70000) | st.text(max_size=8) | st.just(ADA.key.public.hex) | st.just("00" * 32)
values = leaves | st.lists(leaves, max_size=3)
FIELDS = ["versions_c", "id_c", "home_c", "commit", "name_c", "want_id_s", "version", "versions_s", "id_s", "home_s"]
names = st.sampled_from([*FIELDS, "nonce_s", "name_s", "nonce_c", "sig_c", "sig_s", "x"])


@given(st.integers(1, 4), st.binary(max_size=200) | st.dictionaries(names, values, max_size=7))
def test_strange_bytes_raise_only_untrusted(number: int, junk: bytes | dict[str, object]) -> None:
    """At every step, random bytes and well-formed nonsense alike."""
    payload = junk if isinstance(junk, bytes) else canonical.write({**junk})
    one, other = client(), server()
    with pytest.raises(Untrusted):
        talk(one, other, lambda at, honest: payload if at == number else honest)


@given(st.integers(1, 4), st.data())
def test_no_single_changed_byte_passes(number: int, data: st.DataObject) -> None:
    """Any byte of any message, changed to any other."""

    def tamper(at: int, payload: bytes) -> bytes:
        if at != number:
            return payload
        index = data.draw(st.integers(0, len(payload) - 1))
        flip = data.draw(st.integers(1, 255))
        return payload[:index] + bytes([payload[index] ^ flip]) + payload[index + 1 :]

    with pytest.raises(Untrusted):
        talk(client(), server(), tamper)
