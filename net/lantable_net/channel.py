"""A `Channel`: one authenticated connection that carries frames.

Exactly one task runs `Channel.run`, which is the only writer and the only one to close the socket, so the
connection ends with that task and cannot outlive its nursery.

Cancelling `send_all` half-way leaves a TLS stream unusable. Hence nothing ever puts a timeout around it:
`send` only queues, and a peer that does not read is cut when its queue is full. Reading may be cancelled at
any time: what has arrived stays in the frame reader.
"""

from dataclasses import dataclass
from typing import Final

import trio

from lantable.errors import LantableError, Untrusted
from lantable.wording import msg
from lantable_net.framing import MAX_FRAME, FrameReader, encode
from lantable_net.handshake import HANDSHAKE_LIMIT, Peer

Address = tuple[str, int]
"""Host (name, IPv4, or IPv6 with its scope such as `fe80::1%eth0`) and port."""
TlsStream = trio.SSLStream[trio.SocketStream]

QUEUE_BYTES: Final = 1 << 20
"""Bytes that may wait for a peer to read them."""
_CHUNK: Final = 65_536

PACE_RATE: Final = 1 << 20
"""Tokens a second that one peer may spend: a token is a byte, and every frame costs `FRAME_TOKENS` besides."""
PACE_BURST: Final = 1 << 22
"""Tokens it may spend at once, enough to send the record of a long game without being slowed."""
FRAME_TOKENS: Final = 1024
"""A tiny frame still costs a parse, often a signature: some 50 µs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelLimits:
    """What one authenticated peer may cost us."""

    queue_bytes: int = QUEUE_BYTES
    pace_rate: float = PACE_RATE
    pace_burst: float = PACE_BURST


CHANNEL_LIMITS: Final = ChannelLimits()


class ChannelOver(LantableError):
    """The connection has ended. `code`: `closed` (by us), `gone` (cut or closed by the other side), `slow`
    (the other side did not read), `refused` (it sent what is no frame).
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class TokenBucket:
    """A pace that may be exceeded by `burst` at once. Time is handed in, in seconds; every call is O(1).

    Spending is always allowed and may run into debt; `wait` says how long to do nothing until it is paid.
    """

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._at = now

    def spend(self, tokens: float) -> None:
        self._tokens -= tokens

    def wait(self, now: float) -> float:
        """Seconds until the debt is paid; 0 if there is none."""
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        return max(0.0, -self._tokens / self._rate)


class Wire:
    """A TLS stream cut into frames, before and after authentication."""

    def __init__(self, stream: TlsStream) -> None:
        self.stream = stream
        self.frames = FrameReader(HANDSHAKE_LIMIT)

    async def next_frame(self) -> bytes:
        """The next payload. Cancelling loses nothing. Raises `trio.BrokenResourceError` at the end of the stream."""
        while (payload := self.frames.next()) is None:
            self.frames.feed(await self._some())
        return payload

    async def _some(self) -> bytes:
        data = await self.stream.receive_some(_CHUNK)
        if not data:
            raise trio.BrokenResourceError(msg("the stream has ended"))
        return bytes(data)

    async def send(self, payloads: list[bytes]) -> None:
        for payload in payloads:
            await self.stream.send_all(encode(payload))


_GONE: Final = msg("the connection was cut or closed by the other side")


class Channel:
    """One authenticated connection. `send` from anywhere, `receive` from one task at a time.

    `peer` is proved. `dialled` says whether we called. `address` is the other end's host and port.
    """

    def __init__(self, wire: Wire, peer: Peer, address: Address, *, dialled: bool, limits: ChannelLimits) -> None:
        self.peer = peer
        self.address = address
        self.dialled = dialled
        self.over: ChannelOver | None = None
        """Why it ended, or None while it lasts."""
        self._wire = wire
        self._limits = limits
        self._queue = bytearray()
        self._queued = trio.Event()
        self._drained = trio.Event()
        self._drained.set()
        self._writing = trio.CancelScope()
        self._pace = TokenBucket(limits.pace_rate, limits.pace_burst, trio.current_time())
        wire.frames.limit = MAX_FRAME

    @property
    def room(self) -> int:
        """Bytes, four per frame included, that `send` still takes before it gives the peer up as too slow."""
        return self._limits.queue_bytes - len(self._queue)

    def send(self, payload: bytes) -> None:
        """Queue one frame; never blocks. A frame without room in the queue ends the channel as too slow.

        On an ended channel it does nothing: whether the last frames before the end arrived is never known
        anyway, and the reader learns of the end. Raises `Misuse` for a payload that is no frame.
        """
        frame = encode(payload)
        if self.over:
            return
        if len(frame) > self.room:
            self._end("slow", f"{len(self._queue)} bytes wait and the other side does not read them")
            return
        self._queue += frame
        self._queued.set()
        if self._drained.is_set():
            self._drained = trio.Event()

    async def drain(self) -> None:
        """Wait until all that was queued is handed to the network, or the channel is over. May be cancelled."""
        await self._drained.wait()

    async def receive(self) -> bytes:
        """The next frame's payload, at a bounded pace. Cancelling it loses nothing.

        Raises `ChannelOver` when the channel is over, and only that. Nothing is returned after `close`, even
        if it had arrived before.
        """
        await trio.sleep(self._pace.wait(trio.current_time()))
        if self.over:
            raise self.over
        try:
            payload = await self._wire.next_frame()
        except Untrusted as error:
            raise self._end("refused", msg("the other side broke the protocol ({error})", error=error)) from None
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise self._end("gone", _GONE) from None
        if self.over:
            raise self.over
        self._pace.spend(len(payload) + FRAME_TOKENS)
        return payload

    def close(self) -> None:
        """End it now; what is queued or unread is dropped. Doing it twice does nothing."""
        self._end("closed", msg("the connection was closed here"))

    async def run(self) -> None:
        """The one writer: send what is queued until the channel is over, then close the socket. Never raises."""
        try:
            with self._writing:
                await self._write()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._end("gone", _GONE)
        finally:
            self.close()
            await drop(self._wire.stream)

    async def _write(self) -> None:
        while True:
            await self._queued.wait()
            self._queued = trio.Event()
            while self._queue:
                chunk = bytes(self._queue[:_CHUNK])
                del self._queue[:_CHUNK]
                await self._wire.stream.send_all(chunk)
            self._drained.set()

    def _end(self, code: str, text: str) -> ChannelOver:
        """Why it is over: the first reason stands."""
        if not self.over:
            self.over = ChannelOver(code, text)
            self._queue.clear()
            self._drained.set()
            self._writing.cancel()
        return self.over


async def drop(stream: TlsStream) -> None:
    """Close without TLS's goodbye, which could block on a peer that does not read."""
    await trio.aclose_forcefully(stream.transport_stream)
