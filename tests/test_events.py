"""What gets written down: every value has one spelling, and every field of it counts."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable import canonical
from lantable.canonical import MAX_INT, Json
from lantable.errors import Untrusted
from lantable.events import (
    EVENT_TYPES,
    LAST_MOMENT,
    MAX_EVENT_LINE,
    NO_GAME,
    NOTICE_KINDS,
    Ack,
    Event,
    Nack,
    Notice,
    NoticeKind,
    Offer,
    Seal,
    Seat,
    genesis_body,
    is_seal,
    link,
    read_event,
    read_genesis,
    read_seal,
    sign,
)
from lantable.keys import LINK, sha256
from tests.games import Sitting, key
from tests.test_canonical import KEYS as FIELD_NAMES
from tests.test_canonical import TEXT

T = TypeVar("T")
SIXTEEN, THIRTY_TWO, SIXTY_FOUR = (st.binary(min_size=size, max_size=size) for size in (16, 32, 64))
SEATS = st.integers(0, 3)
NUMBERS = st.integers(0, MAX_INT)
PUBLIC = [key(number).public for number in range(4)]

OFFERS = st.builds(
    Offer,
    game=TEXT.filter(lambda text: len(text) <= 64),
    version=st.just("1.0"),
    digest=THIRTY_TWO,
    options=st.dictionaries(FIELD_NAMES, st.booleans() | NUMBERS | TEXT, max_size=3),
    house_rules=st.lists(st.tuples(st.just("a-rule"), st.just("2")), max_size=3).map(tuple),
    seats=st.lists(st.builds(Seat, st.sampled_from(PUBLIC), st.text("aZ é", max_size=64)), min_size=1, max_size=4).map(
        tuple
    ),
    nonce=THIRTY_TWO,
    watch=st.booleans(),
)
EVENTS = st.builds(
    Event,
    game=SIXTEEN,
    prev=THIRTY_TWO,
    seat=SEATS,
    seq=NUMBERS,
    t=st.integers(0, LAST_MOMENT),
    type=st.sampled_from(EVENT_TYPES),
    body=st.dictionaries(FIELD_NAMES, NUMBERS | TEXT, max_size=3),
)
ACKS = st.builds(Ack, SIXTEEN, NUMBERS, THIRTY_TWO, SEATS, SIXTY_FOUR)
NACKS = st.builds(Nack, SIXTEEN, NUMBERS, THIRTY_TWO, st.text("a_", max_size=32), SEATS, SIXTY_FOUR)
SEALS = st.builds(Seal, SIXTEEN, THIRTY_TWO, NUMBERS, st.dictionaries(SEATS, SIXTY_FOUR))


@st.composite
def notices(draw: st.DrawFn) -> Notice:
    kind: NoticeKind = draw(st.sampled_from(NOTICE_KINDS))
    to = draw(NUMBERS) if kind == "takeback" else None
    return Notice(game=draw(SIXTEEN), head=draw(THIRTY_TWO), seat=draw(SEATS), kind=kind, to=to, sig=draw(SIXTY_FOUR))


def again(value: Json) -> Json:
    """A value written down and read back."""
    return canonical.read(canonical.write(value))


# -- round trips


@given(OFFERS)
def test_an_offer_round_trips(offer: Offer) -> None:
    """Also inside the body of event 0, with its nonces."""
    assert Offer.from_json(again(offer.as_json())) == offer
    nonces = {1: bytes(32), 3: b"\1" * 32}
    assert read_genesis(again(genesis_body(offer, nonces))) == (offer, nonces)


@given(EVENTS)
def test_an_event_round_trips(event: Event) -> None:
    """Signed, spelt and read back it is the same, under the same hash, by the same key."""
    signed = sign(event, key(0))
    assert read_event(signed.line) == signed
    assert signed.by(key(0).public) and not signed.by(key(1).public)


@given(ACKS, NACKS, notices(), SEALS)
def test_acknowledgements_and_wishes_round_trip(ack: Ack, nack: Nack, notice: Notice, seal: Seal) -> None:
    """What `as_json` spells, `from_json` gives back."""
    assert Ack.from_json(again(ack.as_json())) == ack
    assert Nack.from_json(again(nack.as_json())) == nack
    assert Notice.from_json(again(notice.as_json())) == notice
    assert read_seal(seal.line) == seal


@given(EVENTS, SEALS)
def test_the_first_bytes_tell_the_kind_of_line(event: Event, seal: Seal) -> None:
    """Keys are sorted, so an event line begins with e and a K line with k."""
    assert is_seal(seal.line) and not is_seal(sign(event, key(0)).line)


@given(OFFERS)
def test_seats_that_share_a_key_have_its_lowest_seat_as_owner(offer: Offer) -> None:
    """Owners are their own owners, and two seats have one owner exactly if they have one key."""
    owners = offer.owners()
    for seat, owner in enumerate(owners):
        assert owner <= seat and owners[owner] == owner
        assert offer.seats[owner].key == offer.seats[seat].key


# -- every field counts


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside a JSON value, itself first."""
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in inner:
        yield from places(item, (*at, name))


def replaced(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    """A copy of `value` with `new` at a path."""
    if not at:
        return new
    result = dict(value) if isinstance(value, dict) else list(value)
    result[at[0]] = replaced(value[at[0]], at[1:], new)
    return result


def damaged(value: Any) -> Iterator[Any]:
    """Copies of a JSON value with one thing changed in kind or in content, left out, or added."""
    for at in places(value):
        old = value
        for name in at:
            old = old[name]
        others: list[Any] = [None, True, False, -1, 0, 7, MAX_INT, "", "7", "A" * 64, [], {}]
        if isinstance(old, str):
            others += [old + "0", old[:-1], old.upper(), *([("1" if old[0] == "0" else "0") + old[1:]] if old else [])]
        if isinstance(old, int) and not isinstance(old, bool):
            others += [old + 1, old - 1]
        if isinstance(old, dict):
            others += [{**old, "zz": 1}, *({k: v for k, v in old.items() if k != gone} for gone in old)]
        if isinstance(old, list):
            others += [[*old, old[0]] if old else [1], old[1:], old[::-1]]
        for new in others:
            if new != old or type(new) is not type(old):
                yield replaced(value, at, new)


def survivors(value: Any, read: Callable[[Any], T], holds: Callable[[T], bool]) -> list[Any]:
    """Damaged copies of `value` that are read and still hold. Reading may raise only `Untrusted`."""
    found = []
    for copy in damaged(value):
        try:
            result = read(copy)
        except Untrusted:
            continue
        if holds(result):
            found.append(copy)
    return found


SITTING = Sitting("count-to", "short", seats=3)
LINE = SITTING.draft("move", {"move": "2"}).line


@pytest.mark.parametrize("line", [LINE, SITTING.lines[0]], ids=["move", "genesis"])
def test_every_field_of_an_event_line_counts(line: bytes) -> None:
    """Changed, left out or added, anywhere in the line: it is not read, or its author did not sign it."""
    author = key(0).public
    assert read_event(line).by(author)
    assert not survivors(
        canonical.read(line), lambda copy: read_event(canonical.write(copy)), lambda signed: signed.by(author)
    )


def test_every_byte_of_an_event_line_counts() -> None:
    """The same for every single bit of every byte: no second spelling, no bit left uncovered."""
    for at in range(len(LINE)):
        for bit in range(8):
            line = LINE[:at] + bytes([LINE[at] ^ 1 << bit]) + LINE[at + 1 :]
            try:
                signed = read_event(line)
            except Untrusted:
                continue
            assert not signed.by(key(0).public)


def test_every_field_of_a_wish_counts() -> None:
    """A notice holds for one game, head, seat, kind and (for a takeback) number."""
    for kind in NOTICE_KINDS:
        to = 3 if kind == "takeback" else None
        notice = Notice(game=b"g" * 16, head=b"h" * 32, seat=1, kind=kind, to=to).signed(key(1))
        assert notice.by(key(1).public)
        assert not survivors(notice.as_json(), Notice.from_json, lambda other: other.by(key(1).public))


def test_every_field_of_a_refusal_counts() -> None:
    """A nack is about one event of one game, by one seat, for one reason."""
    nack = Nack(b"g" * 16, 5, b"h" * 32, "step", 1).signed(key(1))
    assert nack.by(key(1).public)
    assert not survivors(nack.as_json(), Nack.from_json, lambda other: other.by(key(1).public))


def test_every_field_of_an_acknowledgement_counts_but_the_seat() -> None:
    """The seat only says where to look for the key: whose key it is decides, and the signature covers the rest."""
    ack = Ack.make(read_event(LINE), 1, key(1))
    left = survivors(ack.as_json(), Ack.from_json, lambda other: other.by(key(1).public))
    assert {copy["seat"] for copy in left} <= {0, 2} and all({**copy, "seat": 1} == ack.as_json() for copy in left)


def test_every_field_of_an_offer_counts() -> None:
    """What the seats agree to by its hash is the whole offer."""
    offer = Sitting("count-to", seats=3, house_rules=("big-steps",)).table.chain.offer
    assert not survivors(offer.as_json(), Offer.from_json, lambda other: other.hash == offer.hash)


def test_every_field_of_a_k_line_counts() -> None:
    """A K line that is read in spite of damage no longer names the same event and signatures."""
    seal = read_seal(SITTING.lines[1])
    left = survivors(canonical.read(seal.line), lambda copy: read_seal(canonical.write(copy)), lambda _: True)
    assert all(read_seal(canonical.write(copy)) != seal for copy in left)


# -- strangers' bytes


@pytest.mark.parametrize("read", [read_event, read_seal])
@given(data=st.binary(max_size=200))
def test_any_bytes_raise_only_untrusted(read: Callable[[bytes], object], data: bytes) -> None:
    """Random bytes are no line of a record."""
    with pytest.raises(Untrusted):
        read(data)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.sampled_from(["e", "k", "0", "aa" * 16, "bb" * 32, "move", "genesis"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["e", "h", "s", "k", "sigs", "body", "seat", "v", "type", "0", "9"]), inner)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "read",
    [Seat.from_json, Offer.from_json, Event.from_json, Ack.from_json, Notice.from_json, Nack.from_json, read_genesis],
)
@given(value=JSON_VALUES)
def test_any_json_raises_only_untrusted(read: Callable[[object], object], value: Json) -> None:
    """Well-formed values of the wrong shape are refused too."""
    with pytest.raises(Untrusted):
        read(value)


# -- what a newer version wrote


def changed(line: bytes, **fields: Json) -> bytes:
    """An event line with fields of e replaced and its hash made to fit, as a newer version could write it."""
    e = {**canonical.read_object(line)["e"], **fields}
    whole = {"e": e, "h": sha256(b"lantable/event/v1\0", canonical.write(e)).hex(), "s": "00" * 64}
    return canonical.write(whole)


@pytest.mark.parametrize("fields", [{"v": 2}, {"v": 0}, {"type": "toss"}, {"type": "x"}])
def test_an_unknown_version_or_type_says_that_a_newer_program_is_needed(fields: dict[str, Json]) -> None:
    """It is not called tampered: a later lantable may know it."""
    with pytest.raises(Untrusted, match="newer lantable is needed") as caught:
        read_event(changed(LINE, **fields))
    assert caught.value.code == "newer"


@pytest.mark.parametrize("name", ["protocol", "log"])
def test_an_offer_of_another_version_says_so_too(name: str) -> None:
    """Neither protocol nor log version is ever guessed down."""
    with pytest.raises(Untrusted, match="newer"):
        Offer.from_json({**SITTING.table.chain.offer.as_json(), name: 2})


def test_an_unknown_wish_says_so_too() -> None:
    """Kinds of notices may be added later."""
    notice = Notice(game=b"g" * 16, head=b"h" * 32, seat=1, kind="draw").signed(key(1))
    with pytest.raises(Untrusted, match="newer"):
        Notice.from_json({**notice.as_json(), "kind": "dance"})


# -- the bounds


@pytest.mark.parametrize("t", [-1, LAST_MOMENT + 1])
def test_the_time_is_only_range_checked(t: int) -> None:
    """`t` is for people: any moment up to the year 9999 will do, and nothing depends on it."""
    with pytest.raises(Untrusted, match="t must be"):
        read_event(changed(LINE, t=t))
    assert read_event(changed(LINE, t=0)).event.t == 0


def test_no_seats_and_too_many_seats_are_no_offer() -> None:
    """One to four."""
    offer = SITTING.table.chain.offer.as_json()
    seat = SITTING.table.chain.offer.seats[0].as_json()
    for count in (0, 5):
        with pytest.raises(Untrusted, match="seats"):
            Offer.from_json({**offer, "seats": [seat] * count})


def test_an_event_too_long_for_a_proof_is_not_signed() -> None:
    """A fork proof carries two lines in one frame of 64 KiB."""
    event = read_event(LINE).event
    fits = MAX_EVENT_LINE - len(LINE) + len("2")
    longest = replace(event, body={"move": "2" * fits})
    assert len(sign(longest, key(0)).line) == MAX_EVENT_LINE
    with pytest.raises(Untrusted, match="too_long"):
        sign(replace(event, body={"move": "2" * (fits + 1)}), key(0))
    with pytest.raises(Untrusted, match="too_long"):
        read_event(b" " * (MAX_EVENT_LINE + 1))


def test_the_game_is_named_by_its_event_0() -> None:
    """game id = first 16 bytes of h of event 0; inside event 0 itself stand zeros."""
    first = read_event(SITTING.lines[0])
    assert first.event.game == NO_GAME and first.game == first.h[:16]
    assert read_event(LINE).game == first.game


def test_golden_hashes() -> None:
    """The bytes under the hashes, spelt out once more without the code that makes them."""
    event, k = SITTING.lines[:2]
    e = event[len('{"e":') : event.index(b',"h":')]
    assert read_event(event).h == hashlib.sha256(b"lantable/event/v1\0" + e).digest()
    assert (
        link(event, k)
        == hashlib.sha256(b"lantable/link/v1\0" + event + b"\n" + k).digest()
        == sha256(LINK, event, b"\n", k)
    )
    ack = Ack.make(read_event(LINE), 1, key(1))
    message = read_event(LINE).game + (1).to_bytes(8, "big") + hashlib.sha256(LINE).digest()
    assert ack.sig == key(1).sign(b"lantable/ack/v1\0", message)
