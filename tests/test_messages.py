"""The wire table: every message has one spelling, and strangers' bytes raise only `Untrusted`."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable.clock import Clock
from lantable.errors import Untrusted
from lantable.events import Ack, Nack, Notice
from lantable_net import messages
from lantable_net.messages import (
    NOTHING,
    WIRE,
    Accept,
    Away,
    Beat,
    Bye,
    Chat,
    Decline,
    Drop,
    Head,
    Join,
    Message,
    Proof,
    Proposal,
    Rematch,
    TableInfo,
    Tables,
    Watch,
    game_of,
    sender_of,
)
from lantable_net.node import SENDERS
from tests.games import Sitting, key

SITTING = Sitting(options="size=1x2").play(3)
CHAIN = SITTING.table.chain
INFO = TableInfo("oak-7", "dots-and-boxes", "1.0", {"size": "1x2"}, (("odd", "1"),), 2, ("Ada",))
SAMPLES: list[Message] = [
    Tables((INFO, replace(INFO, clock=Clock(600, add=5))), 4471),
    Join("oak-7"),
    Watch("oak-7"),
    Proposal("oak-7", CHAIN.offer, {1: (("192.0.2.7", 4471), ("fe80::1%eth0", 4472))}),
    Accept(bytes(32), bytes(range(32))),
    Decline("oak-7", "all seats are taken"),
    Ack.make(CHAIN.last, 0, key(0)),
    Head(CHAIN.game, NOTHING, bytes(32), False),
    Head(CHAIN.game, 3, CHAIN.last.h, True, frozenset({0, 2}), bytes(32)),
    Notice(game=CHAIN.game, head=CHAIN.last.h, seat=1, kind="takeback", to=2).signed(key(1)),
    Nack(CHAIN.game, 3, CHAIN.last.h, "drawn", 1).signed(key(1)),
    Drop(CHAIN.game, 1, "draw"),
    Proof(CHAIN.game, {"seat": 0}),
    Rematch(CHAIN.game),
    Rematch(CHAIN.game, (0, 2), bytes(32)),
    Chat("well played \x1b[2J"),
    Chat("ça va", CHAIN.game),
    Away(away=True),
    Beat(),
    Bye("the program was closed"),
    CHAIN.last,
    CHAIN.seals[-1],
]


def test_every_message_has_a_sample_here() -> None:
    """The list above grows with the table."""
    assert {row.kind for row in WIRE.values()} <= {type(sample) for sample in SAMPLES}


@pytest.mark.parametrize("message", SAMPLES, ids=lambda m: type(m).__name__)
def test_what_is_written_reads_back(message: Message) -> None:
    """One spelling each way."""
    data = messages.write(message)
    assert messages.read(data) == message
    assert messages.write(messages.read(data)) == data


@pytest.mark.parametrize("message", SAMPLES, ids=lambda m: type(m).__name__)
def test_every_message_says_who_may_send_it(message: Message) -> None:
    """The node has an answer for every sender the table names."""
    assert sender_of(message) in SENDERS


def test_games_and_tables_are_told_apart() -> None:
    """What belongs to a game names it; the rest names none."""
    about_games = {type(m).__name__ for m in SAMPLES if game_of(m) is not None}
    assert about_games == {"Ack", "Head", "Notice", "Drop", "Nack", "Proof", "Rematch", "Chat", "Signed", "Seal"}


@pytest.mark.parametrize("message", SAMPLES, ids=lambda m: type(m).__name__)
@given(data=st.data())
def test_a_flipped_byte_is_another_message_or_refused(message: Message, data: st.DataObject) -> None:
    """Never another exception."""
    frame = bytearray(messages.write(message))
    at = data.draw(st.integers(0, len(frame) - 1))
    frame[at] ^= data.draw(st.integers(1, 255))
    _read_or_refuse(bytes(frame))


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_refused(frame: bytes) -> None:
    """The one documented exception."""
    _read_or_refuse(frame)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(sorted(WIRE)), st.dictionaries(st.sampled_from(["table", "game", "seq", "h", "acks"]), _JSON))
def test_any_fields_are_a_message_or_refused(kind: str, fields: dict[str, Any]) -> None:
    """Right kind, wrong content."""

    _read_or_refuse(json.dumps({**fields, "m": kind}, sort_keys=True, separators=(",", ":")).encode())


def _read_or_refuse(frame: bytes) -> None:
    try:
        message = messages.read(frame)
    except Untrusted:
        return
    assert messages.write(message) == frame
