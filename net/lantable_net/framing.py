"""Frames on the wire: a 4-byte big-endian unsigned length, then that many bytes of payload.

A length of 0 or above the limit is refused as soon as its four bytes are there, before a byte of the body
is waited for, so a stranger can make us hold at most the limit plus one received chunk. The limit is small
until the other side has proved its key, `MAX_FRAME` afterwards.
"""

from typing import Final

from lantable.errors import Misuse, Untrusted

HEADER: Final = 4
MAX_FRAME: Final = 65_536
"""Longest payload in bytes. A record line has at most 60 KiB and travels raw."""


def encode(payload: bytes) -> bytes:
    """`payload` as one frame. Raises `Misuse` if it is empty or longer than `MAX_FRAME`."""
    if not 0 < len(payload) <= MAX_FRAME:
        raise Misuse(f"a frame carries 1 to {MAX_FRAME} bytes, not {len(payload)}")
    return len(payload).to_bytes(HEADER, "big") + payload


class FrameReader:
    """Bytes in, payloads out: `feed` a received chunk, then call `next` until it gives None.

    `next` is separate from `feed` because the limit may change between two frames of one chunk: the first
    frame after the handshake often arrives together with the handshake's last.
    """

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self.limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Store bytes as they came."""
        self._buffer += data

    def next(self) -> bytes | None:
        """The next payload, or None if more bytes are needed. Amortised O(1) beside copying the payload.

        Raises `Untrusted("frame")` for a length outside 1..limit, and again on every later call: after a
        wrong length nobody can tell where the next frame begins.
        """
        if len(self._buffer) < HEADER:
            return None
        length = int.from_bytes(self._buffer[:HEADER], "big")
        if not 0 < length <= self.limit:
            raise Untrusted("frame", f"a frame of {length} bytes was announced, 1 to {self.limit} are allowed")
        end = HEADER + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[HEADER:end])
        del self._buffer[:end]
        return payload
