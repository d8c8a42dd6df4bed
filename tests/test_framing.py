"""Frames: four bytes of length, checked before the body; only `Untrusted` for whatever strangers send."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable.errors import Misuse, Untrusted
from lantable_net.framing import HEADER, MAX_FRAME, FrameReader, encode

payloads = st.binary(min_size=1, max_size=300)


def frames(reader: FrameReader) -> list[bytes]:
    """All payloads that are complete."""
    result: list[bytes] = []
    while (payload := reader.next()) is not None:
        result.append(payload)
    return result


@given(st.lists(payloads, max_size=5), st.integers(1, 50))
def test_frames_come_out_as_they_went_in_however_the_bytes_are_cut(sent: list[bytes], step: int) -> None:
    """What `encode` made arrives whole and in order, in chunks of any size."""
    stream = b"".join(encode(payload) for payload in sent)
    reader, got = FrameReader(), []
    for start in range(0, len(stream), step):
        reader.feed(stream[start : start + step])
        got += frames(reader)
    assert got == sent


@pytest.mark.parametrize("length", [0, MAX_FRAME + 1, 2**31, 2**32 - 1])
def test_a_bad_length_is_refused_before_the_body(length: int) -> None:
    """Four bytes are enough, and the reader never recovers: nobody knows where a frame would begin."""
    reader = FrameReader()
    reader.feed(length.to_bytes(HEADER, "big"))
    for _ in range(2):
        with pytest.raises(Untrusted, match="frame"):
            reader.next()


def test_the_longest_frame_passes() -> None:
    """65,536 bytes are allowed."""
    reader = FrameReader()
    reader.feed(encode(bytes(MAX_FRAME)))
    assert reader.next() == bytes(MAX_FRAME)


@pytest.mark.parametrize("payload", [b"", bytes(MAX_FRAME + 1)])
def test_we_do_not_send_what_others_must_refuse(payload: bytes) -> None:
    """Our own mistake is named as ours."""
    with pytest.raises(Misuse):
        encode(payload)


def test_the_limit_may_grow_between_two_frames_of_one_chunk() -> None:
    """A large frame right behind the handshake's last is not judged by the handshake's limit."""
    reader = FrameReader(limit=10)
    reader.feed(encode(b"small") + encode(bytes(5000)))
    assert reader.next() == b"small"
    reader.limit = MAX_FRAME
    assert reader.next() == bytes(5000)


@given(st.lists(st.binary(max_size=64), max_size=20))
def test_random_bytes_raise_only_untrusted(chunks: list[bytes]) -> None:
    """Whatever arrives either gives payloads, or waits for more, or raises `Untrusted`."""
    reader = FrameReader(limit=40)
    with suppress(Untrusted):
        for chunk in chunks:
            reader.feed(chunk)
            assert all(1 <= len(payload) <= 40 for payload in frames(reader))
