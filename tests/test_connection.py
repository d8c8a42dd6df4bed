"""Connections over real sockets on this machine: who gets a channel, who is refused, and what it may cost.

Ports are always 0, and where something must run into a time limit, the limit is made short instead of waiting.
"""

import math
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import ifaddr
import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

import lantable_net
from lantable.errors import LantableError, Misuse, Untrusted
from lantable.keys import PrivateKey
from lantable_net import connection
from lantable_net.channel import Address, Channel, ChannelLimits, ChannelOver, TokenBucket, Wire
from lantable_net.connection import (
    DEFAULT_PORT,
    LIMITS,
    PORTS_TRIED,
    Limits,
    Unreachable,
    dial,
    open_listeners,
    port_of,
    serve,
    show_address,
)
from lantable_net.framing import MAX_FRAME, encode
from lantable_net.handshake import Handshake, Identity
from lantable_net.tls import ALPN, Tls, cert_hash

ADA = Identity(PrivateKey(b"\1" * 32), b"\xaa" * 16, "Ada")
BOB = Identity(PrivateKey(b"\2" * 32), b"\xbb" * 16, "Bob")
EVE = Identity(PrivateKey(b"\3" * 32), b"\xee" * 16, "Eve")
TLS = {who.name: Tls.fresh() for who in (ADA, BOB, EVE)}
QUICK = Limits(auth_seconds=0.15)


def has_ipv6() -> bool:
    """Whether this machine can talk to itself by IPv6."""
    try:
        with socket.socket(socket.AF_INET6) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="IPv6 is off on this machine")


class Hall:
    """A server for one test: where it listens, who came in, who was refused."""

    def __init__(self, nursery: trio.Nursery, port: int) -> None:
        self.nursery = nursery
        self.port = port
        self.address: Address = ("127.0.0.1", port)
        self.came_in, self.came = trio.open_memory_channel[Channel](math.inf)
        self.strangers: list[trio.abc.AsyncResource] = []
        """Closed at the end of the test."""
        self.went_away, self.refused = trio.open_memory_channel[LantableError](math.inf)

    async def dial(self, identity: Identity = ADA, **more: object) -> Channel:
        """Ada, unless somebody else, calls here."""
        return await dial(self.nursery, [self.address], identity, TLS[identity.name], **more)  # type: ignore[arg-type]  # passed through

    async def pair(self, limits: ChannelLimits = LIMITS.channel) -> tuple[Channel, Channel]:
        """The two ends of one connection: Ada's and Bob's."""
        return await self.dial(limits=limits), await self.came.receive()

    async def tcp(self) -> trio.SocketStream:
        """A stranger's bare connection."""
        stream = await trio.open_tcp_stream(*self.address)
        self.strangers.append(stream)
        return stream

    async def silent(self) -> Address:
        """Where something listens and never answers."""
        listeners = await open_listeners(0)
        self.strangers += listeners
        return ("127.0.0.1", port_of(listeners))

    async def dead(self) -> Address:
        """Where nothing listens."""
        address = await self.silent()
        await self.leave()
        return address

    async def leave(self) -> None:
        """All strangers go."""
        while self.strangers:
            await trio.aclose_forcefully(self.strangers.pop())

    async def tls(self) -> trio.SSLStream[trio.SocketStream]:
        """A stranger who speaks TLS."""
        stream = trio.SSLStream(await self.tcp(), TLS["Eve"].client)
        await stream.do_handshake()
        return stream

    async def why(self) -> str:
        """The code, or else the text, with which the next stranger was turned away."""
        error = await self.refused.receive()
        return error.code if isinstance(error, Untrusted) else str(error)


@asynccontextmanager
async def hall(
    identity: Identity = BOB, limits: Limits = LIMITS, on_channel: Callable[[Channel], None] | None = None
) -> AsyncIterator[Hall]:
    """A server that runs for the length of the block; no test may take longer than 5 s."""
    listeners = await open_listeners(0)
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            here = Hall(nursery, port_of(listeners))
            nursery.start_soon(
                lambda: serve(
                    listeners,
                    identity,
                    TLS[identity.name],
                    on_channel or here.came_in.send_nowait,
                    on_refused=lambda _address, error: here.went_away.send_nowait(error),
                    limits=limits,
                )
            )
            yield here
            await here.leave()
            nursery.cancel_scope.cancel()


async def ends(stream: trio.abc.ReceiveStream) -> None:
    """Wait until the other side has closed, by whatever means."""
    try:
        while await stream.receive_some():
            pass
    except trio.BrokenResourceError:
        pass


async def ended(channel: Channel) -> str:
    """The code with which reading the channel ends."""
    try:
        while True:
            await channel.receive()
    except ChannelOver as over:
        return over.code


# -- two honest sides


async def test_two_sides_know_each_other_and_exchange_frames() -> None:
    """Both prove who they are; frames go both ways, in order, of every size."""
    async with hall() as here:
        ada, bob = await here.pair()
        assert (ada.peer.key, ada.peer.name, ada.dialled) == (BOB.key.public, "Bob", True)
        assert (bob.peer.key, bob.peer.name, bob.dialled) == (ADA.key.public, "Ada", False)
        assert ada.peer.words == bob.peer.words
        assert ada.address == here.address and bob.address[0] == "127.0.0.1"
        sent = [bytes([size % 256]) * size for size in (1, 2, 4095, 4096, 4097, MAX_FRAME)]
        for payload in sent:
            ada.send(payload)
            bob.send(payload)
        assert [await bob.receive() for _ in sent] == sent == [await ada.receive() for _ in sent]


async def test_a_large_frame_right_behind_the_handshake() -> None:
    """The server may speak as soon as it has sent H4; the client then knows already that frames are large."""
    speak: Callable[[Channel], None] = lambda channel: channel.send(bytes(MAX_FRAME))  # noqa: E731
    async with hall(on_channel=speak) as here:
        assert await (await here.dial()).receive() == bytes(MAX_FRAME)


async def test_reading_may_be_cancelled_at_any_time() -> None:
    """A frame that comes in pieces between cancelled reads is not lost."""
    async with hall() as here:
        ada, bob = await here.pair()
        sent = [bytes([number]) * 30_000 for number in range(30)]
        for payload in sent:
            ada.send(payload)
        got: list[bytes] = []
        while len(got) < len(sent):
            with trio.move_on_after(0.0005):
                got.append(await bob.receive())
        assert got == sent


async def test_drain_waits_until_all_is_handed_over() -> None:
    """And does not wait if there is nothing."""
    async with hall() as here:
        ada, bob = await here.pair()
        await ada.drain()
        ada.send(b"bye")
        await ada.drain()
        assert ada.room == LIMITS.channel.queue_bytes
        ada.close()
        assert await bob.receive() == b"bye"
        assert await ended(bob) == "gone"


async def test_closing_is_final_and_may_be_repeated() -> None:
    """What had arrived is not read any more, sending does nothing, a waiting reader wakes."""
    async with hall() as here:
        ada, bob = await here.pair()
        ada.send(b"one")
        assert await bob.receive() == b"one"
        ada.send(b"two")
        await ada.drain()
        here.nursery.start_soon(ended, bob)
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(2):
            bob.close()
            bob.send(b"nobody hears this")
            await bob.drain()
            assert await ended(bob) == "closed"
        assert await ended(ada) == "gone"


async def test_a_channel_ends_with_its_nursery() -> None:
    """Nothing outlives it: the other side sees the end."""
    async with hall() as here:
        async with trio.open_nursery() as nursery:
            await dial(nursery, [here.address], ADA, TLS["Ada"])
            nursery.cancel_scope.cancel()
        assert await ended(await here.came.receive()) == "gone"


async def test_a_peer_that_does_not_read_is_cut() -> None:
    """`send` never blocks; without room the channel ends as too slow, and says nothing later."""
    async with hall() as here:
        ada, bob = await here.pair(ChannelLimits(queue_bytes=100_000))
        while ada.over is None:
            assert ada.room >= 0
            ada.send(bytes(30_000))
        assert ada.over.code == "slow"
        assert await ended(ada) == "slow"
        assert await ended(bob) == "gone"


async def test_what_is_no_frame_is_our_own_mistake() -> None:
    """It is not sent, and the channel lives on."""
    async with hall() as here:
        ada, bob = await here.pair()
        for payload in (b"", bytes(MAX_FRAME + 1)):
            with pytest.raises(Misuse):
                ada.send(payload)
        ada.send(b"fine")
        assert await bob.receive() == b"fine"


# -- strangers


async def test_a_relay_with_its_own_certificate_is_refused_by_both() -> None:
    """It passes on every byte; the server refuses the signature, and the client hears no proof."""
    async with hall() as here:
        relay = await open_listeners(0)

        async def pump(source: trio.abc.Stream, sink: trio.abc.Stream) -> None:
            try:
                async for data in source:
                    await sink.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            await trio.aclose_forcefully(sink)

        async def between(stream: trio.SocketStream) -> None:
            victim = trio.SSLStream(stream, TLS["Eve"].server, server_side=True)
            target = trio.SSLStream(await here.tcp(), TLS["Eve"].client)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump, victim, target)
                nursery.start_soon(pump, target, victim)

        here.nursery.start_soon(trio.serve_listeners, between, relay)
        with pytest.raises(Unreachable, match="hung up"):
            await dial(here.nursery, [("127.0.0.1", port_of(relay))], ADA, TLS["Ada"])
        assert await here.why() == "signature"


async def test_we_do_not_talk_to_ourselves() -> None:
    """Dialling one's own port, as a reflected announcement would make us do."""
    async with hall(BOB) as here:
        with pytest.raises(Untrusted, match="self"):
            await here.dial(BOB)


async def test_another_key_than_the_wanted_is_named() -> None:
    """A fake announces Alice's id with its own port; what was wanted and what is there are both said."""
    async with hall(BOB) as here:
        with pytest.raises(Untrusted) as caught:
            await here.dial(want=EVE.key.public)
        assert caught.value.code == "other_key"
        assert BOB.key.public.words in str(caught.value) and EVE.key.public.words in str(caught.value)
        assert (await here.dial(want=BOB.key.public)).peer.key == BOB.key.public


HTTP = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("junk", [HTTP, bytes(300), b"\x16\x03\x01\xff\xff" + bytes(400)])
async def test_what_is_no_tls_is_refused_at_once(junk: bytes) -> None:
    """HTTP, zeros, a broken ClientHello: closed long before any time limit, and the server serves on."""
    async with hall() as here:
        stream = await here.tcp()
        await stream.send_all(junk)
        with trio.fail_after(1):
            await ends(stream)
        await here.why()
        await here.pair()


@pytest.mark.parametrize("length", [0, 4097, MAX_FRAME + 1, 2**31, 2**32 - 1])
async def test_a_bad_length_before_authentication_is_refused_at_once(length: int) -> None:
    """Four bytes are enough; 4 KiB is the most a handshake message may have."""
    async with hall() as here:
        stream = await here.tls()
        await stream.send_all(length.to_bytes(4, "big"))
        with trio.fail_after(1):
            await ends(stream)
        assert await here.why() == "frame"


async def test_junk_instead_of_a_hello_is_refused_at_once() -> None:
    """A frame, but no H1."""
    async with hall() as here:
        stream = await here.tls()
        await stream.send_all(encode(b'{"hello":1}'))
        await ends(stream)
        assert await here.why() == "schema"


@pytest.mark.parametrize("length", [0, MAX_FRAME + 1, 2**31, 2**32 - 1])
async def test_a_bad_length_after_authentication_ends_the_channel(length: int) -> None:
    """Also somebody with a key may send only frames."""
    async with hall() as here:
        stream = await here.tls()
        eve = Handshake.client(EVE, bytes(32), cert_hash(stream.getpeercert(binary_form=True) or b""))
        for payload in eve.start():
            await stream.send_all(encode(payload))
        received = bytearray()
        while not eve.done:
            received += await stream.receive_some()
            length_there = int.from_bytes(received[:4], "big")
            if len(received) >= 4 + length_there:
                for payload in eve.receive(bytes(received[4 : 4 + length_there])):
                    await stream.send_all(encode(payload))
                del received[: 4 + length_there]
        await stream.send_all(length.to_bytes(4, "big"))
        assert await ended(await here.came.receive()) == "refused"
        await ends(stream)


async def test_a_silent_client_is_cut_when_its_time_is_up() -> None:
    """Before TLS and inside it."""
    async with hall(limits=QUICK) as here:
        for stream in (await here.tcp(), await here.tls()):
            await ends(stream)
            assert "no answer in time" in await here.why()


async def test_one_byte_at_a_time_does_not_stretch_the_time() -> None:
    """The limit is for the whole handshake, not for each byte."""
    async with hall(limits=QUICK) as here:
        stream = await here.tls()
        (h1,) = Handshake.client(EVE, bytes(32), bytes(32)).start()
        started = trio.current_time()

        async def drip() -> None:
            for byte in encode(h1):
                await stream.send_all(bytes([byte]))
                await trio.sleep(0.01)

        with pytest.raises(trio.BrokenResourceError):
            await drip()
        assert trio.current_time() - started < 1
        assert "no answer in time" in await here.why()


async def test_few_connections_that_have_not_said_who_they_are() -> None:
    """The next one is closed at once; when one of them leaves, there is room again."""
    async with hall(limits=Limits(before_auth=2)) as here:
        waiting = [await here.tcp(), await here.tcp()]
        await ends(await here.tcp())
        assert await here.why() == "crowded"
        await waiting[0].aclose()
        await here.why()
        await here.pair()


@needs_ipv6
async def test_fewer_of_them_from_one_address() -> None:
    """Others still come in; authenticated connections do not count."""
    async with hall(limits=Limits(before_auth_each=1)) as here:
        for _ in range(3):
            await here.pair()
        await here.tcp()
        await ends(await here.tcp())
        assert await here.why() == "crowded"
        await dial(here.nursery, [("::1", here.port)], ADA, TLS["Ada"])


async def test_our_own_bug_ends_one_connection_only(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever triggers it does not end the evening of everybody else; and it is logged."""
    came: list[Channel] = []

    def broken_once(channel: Channel) -> None:
        came.append(channel)
        if len(came) == 1:
            raise KeyError("a bug")

    async with hall(on_channel=broken_once) as here:
        assert await ended(await here.dial()) == "gone"
        await here.dial()
        assert len(came) == 2 and "a bug" in caplog.text


async def test_a_client_gives_up_on_a_silent_server() -> None:
    """Something listens and never answers."""
    async with hall() as here:
        with pytest.raises(Unreachable, match="no answer in time"):
            await dial(here.nursery, [await here.silent()], ADA, TLS["Ada"], seconds=0.1)


# -- several addresses


async def test_the_first_address_that_authenticates_wins() -> None:
    """A dead port, a silent server and somebody else's come first; the wanted one is reached all the same."""
    async with hall(EVE) as other, hall(BOB) as here:
        addresses = [await here.dead(), await here.silent(), other.address, here.address]
        started = trio.current_time()
        ada = await dial(here.nursery, addresses, ADA, TLS["Ada"], want=BOB.key.public, stagger=0.02)
        assert ada.peer.key == BOB.key.public and ada.address == here.address
        assert trio.current_time() - started < 1


@needs_ipv6
async def test_two_addresses_of_one_peer_give_one_connection() -> None:
    """Else the server would close the older one just when the client drops the newer one."""
    async with hall() as here:
        both = [("127.0.0.1", here.port), ("::1", here.port)] * 3
        ada = await dial(here.nursery, both, ADA, TLS["Ada"], stagger=0)
        bob = await here.came.receive()
        ada.send(b"still here")
        assert await bob.receive() == b"still here"
        await trio.testing.wait_all_tasks_blocked(0.05)
        with pytest.raises(trio.WouldBlock):
            here.came.receive_nowait()


async def test_who_only_claims_the_wanted_key_does_not_keep_us(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are public: a fake may show Bob's, but cannot sign; the true Bob is reached a moment later."""
    monkeypatch.setattr(connection, "PROOF_SECONDS", 0.3)

    async def fake(stream: trio.SocketStream) -> None:
        tls = trio.SSLStream(stream, TLS["Eve"].server, server_side=True)
        wire = Wire(tls)
        bob = Handshake.server(BOB, bytes(32), TLS["Eve"].cert_hash)
        await wire.send(bob.receive(await wire.next_frame()))
        await ends(tls)

    async with hall(BOB) as here:
        fakes = await open_listeners(0)
        here.nursery.start_soon(trio.serve_listeners, fake, fakes)
        both = [("127.0.0.1", port_of(fakes)), here.address]
        ada = await dial(here.nursery, both, ADA, TLS["Ada"], want=BOB.key.public, stagger=0.01)
        assert ada.address == here.address


@needs_ipv6
async def test_every_address_is_named_when_none_answers() -> None:
    """What was tried, and what happened there."""
    async with hall() as here:
        _, port = await here.dead()
        with pytest.raises(Unreachable) as caught:
            await dial(here.nursery, [("127.0.0.1", port), ("::1", port)], ADA, TLS["Ada"])
        assert f"127.0.0.1:{port}: Connection refused" in str(caught.value)
        assert f"[::1]:{port}: Connection refused" in str(caught.value)


NOWHERE = ["", "x" * 70, "no such name", "a\0b", "fe80::1%nowhere", "fe80::dead%0", "fe80::dead"]


@pytest.mark.parametrize("host", NOWHERE)
async def test_an_address_that_cannot_be_is_a_plain_error(host: str) -> None:
    """Typed by hand or announced by a fool: no traceback, whatever it is."""
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            with pytest.raises(Unreachable):
                await dial(nursery, [(host, 9)], ADA, TLS["Ada"], seconds=0.2)


async def test_no_address_at_all() -> None:
    """Says so."""
    async with trio.open_nursery() as nursery:
        with pytest.raises(Unreachable, match="No address is known"):
            await dial(nursery, [], ADA, TLS["Ada"])


async def test_a_link_local_address_without_its_scope_is_tried_on_every_interface() -> None:
    """Announcements lose the scope when they come by IPv4."""
    ours = [str(ip.ip[0]) for adapter in ifaddr.get_adapters() for ip in adapter.ips if ip.is_IPv6]
    local = [ip for ip in ours if ip.startswith("fe80")]
    if not local:
        pytest.skip("no link-local IPv6 address on this machine")
    async with hall() as here:
        ada = await dial(here.nursery, [(local[0], here.port)], ADA, TLS["Ada"])
        assert "%" in ada.address[0]


def test_addresses_are_shown_as_people_type_them() -> None:
    """IPv6 in brackets."""
    assert show_address(("10.0.0.9", 4471)) == "10.0.0.9:4471"
    assert show_address(("fe80::1%eth0", 4471)) == "[fe80::1%eth0]:4471"


# -- listening


@needs_ipv6
async def test_both_families_listen_on_one_port() -> None:
    """Whoever has one of them reaches us."""
    async with hall() as here:
        for host in ("127.0.0.1", "::1", "localhost"):
            await dial(here.nursery, [(host, here.port)], ADA, TLS["Ada"])


async def test_the_next_free_port_is_taken() -> None:
    """Two players on one machine: the usual port, then the next."""
    one, other = await open_listeners(), await open_listeners()
    ports = port_of(one), port_of(other)
    for listener in one + other:
        await listener.aclose()
    assert DEFAULT_PORT <= ports[0] < ports[1] < DEFAULT_PORT + PORTS_TRIED


async def test_a_typed_port_that_is_taken_is_an_error_in_words() -> None:
    """The person asked for exactly this one."""
    one = await open_listeners(0)
    with pytest.raises(Misuse, match=f"port {port_of(one)}: Address already in use; choose another"):
        await open_listeners(port_of(one))
    for listener in one:
        await listener.aclose()


# -- TLS


@pytest.mark.parametrize("change", ["no alpn", "tls 1.2"])
async def test_other_tls_is_refused(change: str) -> None:
    """TLS 1.3 with our own protocol name, or nothing."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if change == "tls 1.2":
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols([ALPN])
    async with hall() as here:
        stream = trio.SSLStream(await here.tcp(), context)
        try:
            await stream.do_handshake()
            await ends(stream)
        except trio.BrokenResourceError:
            assert change == "tls 1.2"
        assert await here.why() == "alpn" if change == "no alpn" else "hung up" in await here.why()


def test_every_process_has_its_own_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it stays on the disk, and no session can be resumed around it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    one, other = Tls.fresh(), Tls.fresh()
    assert one.cert_hash != other.cert_hash and one.server.num_tickets == 0
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_compressed() -> None:
    """No decompression bomb: no compressor is even imported, and TLS 1.3 has none."""
    for folder in lantable_net.__path__:
        for path in Path(folder).glob("*.py"):
            assert not {"zlib", "gzip", "bz2", "lzma"} & set(path.read_text().split())


# -- the pace


@given(st.lists(st.tuples(st.floats(0, 5), st.integers(0, 2000)), max_size=40))
def test_nobody_spends_more_than_burst_and_rate_allow(steps: list[tuple[float, int]]) -> None:
    """Over any stretch: at most the burst, the rate times the time, and one last purchase on credit."""
    bucket, now, spent = TokenBucket(rate=100, burst=500, now=0), 0.0, 0
    for pause, cost in steps:
        now += pause
        now += bucket.wait(now)
        assert spent <= 500 + 100 * now + 2000 + 1e-6
        assert bucket.wait(now) < 1e-9
        bucket.spend(cost)
        spent += cost


async def test_a_flood_is_read_slowly_not_dropped() -> None:
    """Beyond its burst a peer waits; every frame still comes."""
    async with hall(limits=Limits(channel=ChannelLimits(pace_rate=100_000, pace_burst=10_000))) as here:
        ada, bob = await here.pair()
        for number in range(30):
            ada.send(bytes([number]))
        started = trio.current_time()
        assert [await bob.receive() for _ in range(30)] == [bytes([number]) for number in range(30)]
        assert trio.current_time() - started > 0.15
