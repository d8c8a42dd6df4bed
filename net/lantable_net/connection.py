"""Getting to a `Channel` over trio: dial somebody, or serve those who dial.

A dialled channel runs in the nursery handed to `dial`, an accepted one inside `serve`.

A stranger costs little: few connections that are not authenticated, few seconds, small messages. Before
authentication there is a timeout around everything, sending included, because the stream is thrown away after it.
"""

import errno
import ipaddress
import logging
import os
import secrets
import socket
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import trio

from lantable.errors import LantableError, Misuse, Untrusted
from lantable.keys import PublicKey
from lantable.wording import joined, msg, verbatim
from lantable_net.channel import CHANNEL_LIMITS, Address, Channel, ChannelLimits, TlsStream, Wire, drop
from lantable_net.handshake import NONCE_BYTES, Handshake, Identity
from lantable_net.tls import ALPN, Tls, cert_hash

DEFAULT_PORT: Final = 4471
PORTS_TRIED: Final = 20

AUTH_SECONDS: Final = 5.0
"""From the first packet to a proved key."""
MAX_BEFORE_AUTH: Final = 32
MAX_BEFORE_AUTH_EACH: Final = 4
"""Of these, from one address."""

CONNECT_SECONDS: Final = 2.5
"""For looking up a name, and again for TCP: long enough for one lost packet, short enough for whoever waits."""
STAGGER_SECONDS: Final = 0.1
"""Head start of each address over the next: the least that RFC 8305 §8 recommends; a LAN answers within it."""
PROOF_SECONDS: Final = 2.0
"""While one address proves itself the others wait this long at most."""
MAX_TARGETS: Final = 16
"""Addresses tried in one dial."""

_log: Final = logging.getLogger(__name__)


class Unreachable(LantableError):
    """Nobody could be talked to at any of the addresses; the text says what happened at each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one server grants to strangers and peers."""

    before_auth: int = MAX_BEFORE_AUTH
    before_auth_each: int = MAX_BEFORE_AUTH_EACH
    auth_seconds: float = AUTH_SECONDS
    channel: ChannelLimits = CHANNEL_LIMITS


LIMITS: Final = Limits()


# -- dialling


async def dial(
    nursery: trio.Nursery,
    addresses: Sequence[Address],
    identity: Identity,
    tls: Tls,
    *,
    want: PublicKey | None = None,
    seconds: float = AUTH_SECONDS,
    stagger: float = STAGGER_SECONDS,
    limits: ChannelLimits = CHANNEL_LIMITS,
) -> Channel:
    """Dial all addresses, each a little after the one before, and keep the first that *authenticates* (as RFC 8305).

    `want` is the only key to accept. `seconds` is granted to each address. Names are looked up; a link-local
    IPv6 address without a scope is tried on every interface. The channel runs in `nursery`.

    Raises `Unreachable`, or `Untrusted` if somebody was there and was refused: `other_key`, `self`, `version`,
    `signature` and the other codes of `Handshake.receive`, `frame`, `alpn`.
    """
    race = _Race(identity, tls, want, seconds, limits)
    channel = await race.run(await _targets(addresses, race.failures), stagger)
    nursery.start_soon(channel.run)
    return channel


_FAILURES: Final = (Untrusted, OSError, trio.BrokenResourceError, trio.TooSlowError)
"""All that can go wrong on the way to an authenticated channel without anything being wrong with us."""


@dataclass(frozen=True, slots=True)
class _Target:
    family: socket.AddressFamily
    sockaddr: tuple[Any, ...]
    address: Address


async def knock(address: Address, tls: Tls) -> str:
    """Whether a lantable listens there, without saying who we are: empty, or why not in words."""
    failures: list[tuple[Address, Exception]] = []
    for target in await _targets([address], failures):
        try:
            with trio.fail_after(CONNECT_SECONDS):
                async with _kept_if_good(trio.SSLStream(await _connect(target), tls.client)) as stream:
                    await _shake_tls(stream)
                    await drop(stream)
                    return ""
        except _FAILURES as error:
            failures.append((target.address, error))
    return _in_words(failures[0][1]) if failures else msg("no address is known")


class _Race:
    """Several addresses of one peer, tried side by side."""

    def __init__(
        self, identity: Identity, tls: Tls, want: PublicKey | None, seconds: float, limits: ChannelLimits
    ) -> None:
        self.failures: list[tuple[Address, Exception]] = []
        self._identity = identity
        self._tls = tls
        self._want = want
        self._seconds = seconds
        self._limits = limits
        self._winner: Channel | None = None
        # The server counts us as connected when it has H3. Were two attempts to send theirs, the server would
        # close the older connection just as we drop the newer one. So one at a time, until one has won.
        self._proving = trio.Lock()

    async def run(self, targets: Sequence[_Target], stagger: float) -> Channel:
        async with trio.open_nursery() as nursery:
            for target in targets:
                failed = trio.Event()
                nursery.start_soon(self._attempt, target, failed, nursery.cancel_scope)
                with trio.move_on_after(stagger):
                    await failed.wait()
        if self._winner is None:
            raise _verdict(self.failures)
        return self._winner

    async def _attempt(self, target: _Target, failed: trio.Event, race: trio.CancelScope) -> None:
        try:
            with trio.fail_after(self._seconds):
                with trio.fail_after(CONNECT_SECONDS):
                    stream = await _connect(target)
                async with _kept_if_good(trio.SSLStream(stream, self._tls.client)) as tls:
                    await self._authenticate(tls, target, race)
        except _FAILURES as error:
            self.failures.append((target.address, error))
            failed.set()

    async def _authenticate(self, stream: TlsStream, target: _Target, race: trio.CancelScope) -> None:
        await _shake_tls(stream)
        wire = Wire(stream)
        shown = stream.getpeercert(binary_form=True)
        handshake = Handshake.client(self._identity, _nonce(), cert_hash(shown or b""), self._want)
        await wire.send(handshake.start())
        proof = handshake.receive(await wire.next_frame())
        async with self._proving:
            with trio.fail_after(PROOF_SECONDS):
                await wire.send(proof)
                handshake.receive(await wire.next_frame())
            assert handshake.peer  # noqa: S101 - H4 was good, or `receive` would have raised
            self._winner = Channel(wire, handshake.peer, target.address, dialled=True, limits=self._limits)
            race.cancel()


async def _targets(addresses: Sequence[Address], failures: list[tuple[Address, Exception]]) -> list[_Target]:
    """What to connect to for each address, in order. What cannot be looked up is noted among the failures."""
    targets: list[_Target] = []
    for host, port in addresses:
        for scoped in _scoped(host):
            try:
                with trio.fail_after(CONNECT_SECONDS):
                    found = await trio.socket.getaddrinfo(scoped, port, type=socket.SOCK_STREAM)
            except (OSError, trio.TooSlowError) as error:
                failures.append(((host, port), error))
            except ValueError:
                # A label of more than 63 characters, a NUL: such a name exists nowhere.
                failures.append(((host, port), OSError(errno.EINVAL, msg("not the name of a computer"))))
            else:
                targets += [_Target(family, sockaddr, (scoped, port)) for family, _, _, _, sockaddr in found]
    return targets[:MAX_TARGETS]


def _scoped(host: str) -> list[str]:
    """`host`, or for a link-local IPv6 address that has lost its scope, one per interface it may belong to."""
    try:
        ip = ipaddress.IPv6Address(host)
    except ValueError:
        return [host]
    # `%0` means no interface; resolvers have been seen to give it.
    if not ip.is_link_local or ip.scope_id not in (None, "0"):
        return [host]
    return [f"{host.partition('%')[0]}%{name}" for _, name in socket.if_nameindex()]


async def _connect(target: _Target) -> trio.SocketStream:
    sock = trio.socket.socket(target.family, socket.SOCK_STREAM)
    try:
        await sock.connect(target.sockaddr)
        return trio.SocketStream(sock)
    except BaseException:
        sock.close()
        raise


def _verdict(failures: list[tuple[Address, Exception]]) -> LantableError:
    """The most telling of what went wrong: somebody we refused, else all of it."""
    refused = [error for _, error in failures if isinstance(error, Untrusted)]
    # Reaching ourselves is normal on one of several addresses (a bridge that every machine has).
    strangers = [error for error in refused if error.code != "self"]
    if strangers or (refused and len(refused) == len(failures)):
        return (strangers or refused)[0]
    texts = dict.fromkeys(
        verbatim("{address}: {why}", address=show_address(address), why=_in_words(error)) for address, error in failures
    )
    return Unreachable(msg("cannot connect. {why}", why=joined("; ", texts) if texts else msg("No address is known")))


def _in_words(error: Exception) -> str:
    if isinstance(error, trio.TooSlowError):
        return msg("no answer in time")
    if isinstance(error, trio.BrokenResourceError):
        return msg("something is there, but it hung up: no lantable, or it is busy or refuses us")
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        # Not its own text: trio puts the address into that. (A failed lookup has a negative number.)
        return os.strerror(error.errno)
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error)


def show_address(address: Address) -> str:
    """`host:port`, with brackets around IPv6 as people type it."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


# -- authenticating, on both sides


def _nonce() -> bytes:
    return secrets.token_bytes(NONCE_BYTES)


@asynccontextmanager
async def _kept_if_good(stream: TlsStream) -> AsyncGenerator[TlsStream]:
    """Close the stream if the block raises or is cancelled."""
    try:
        yield stream
    except BaseException:
        await drop(stream)
        raise


async def _shake_tls(stream: TlsStream) -> None:
    await stream.do_handshake()
    # OpenSSL carries on without a common protocol if the other side offers none.
    if stream.selected_alpn_protocol() != ALPN:
        raise Untrusted("alpn", msg("the other side does not speak {alpn}", alpn=ALPN))


# -- serving

OnChannel = Callable[[Channel], None]
"""Takes a new channel, at once; `nursery.start_soon(session, channel)` is typical."""
OnRefused = Callable[[Address, LantableError], None]
"""Hears of a connection that did not authenticate."""


async def serve(
    listeners: Sequence[trio.SocketListener],
    identity: Identity,
    tls: Tls,
    on_channel: OnChannel,
    *,
    on_refused: OnRefused = lambda _address, _error: None,
    limits: Limits = LIMITS,
) -> None:
    """Accept until cancelled; then the listeners and all accepted channels are closed.

    Whatever one connection does ends only that connection. Running out of file descriptors pauses accepting
    for a moment (`trio.serve_listeners`).
    """
    doorman = _Doorman(identity, tls, on_channel, on_refused, limits)
    await trio.serve_listeners(doorman.greet, list(listeners))


class _Doorman:
    def __init__(
        self, identity: Identity, tls: Tls, on_channel: OnChannel, on_refused: OnRefused, limits: Limits
    ) -> None:
        self._identity = identity
        self._tls = tls
        self._on_channel = on_channel
        self._on_refused = on_refused
        self._limits = limits
        self._waiting: Counter[str] = Counter()
        """Connections that are not authenticated yet, by host."""

    async def greet(self, stream: trio.SocketStream) -> None:
        """The life of one connection, from `accept` to its end. Never raises but when cancelled."""
        address: Address = ("?", 0)
        try:
            address = stream.socket.getpeername()[:2]
            async with _kept_if_good(trio.SSLStream(stream, self._tls.server, server_side=True)) as tls:
                with self._counted(address[0]), trio.fail_after(self._limits.auth_seconds):
                    channel = await self._authenticate(tls, address)
                self._on_channel(channel)
        except Untrusted as error:
            self._on_refused(address, error)
        except _FAILURES as error:
            self._on_refused(address, Unreachable(f"{show_address(address)}: {_in_words(error)}"))
        except Exception:  # noqa: BLE001 - our bug, perhaps one a stranger can trigger, must not end everybody's evening
            _log.exception("greeting %s failed", show_address(address))
        else:
            await channel.run()

    async def _authenticate(self, stream: TlsStream, address: Address) -> Channel:
        await _shake_tls(stream)
        wire = Wire(stream)
        handshake = Handshake.server(self._identity, _nonce(), self._tls.cert_hash)
        while not handshake.done:
            await wire.send(handshake.receive(await wire.next_frame()))
        assert handshake.peer  # noqa: S101 - the same as `done`
        return Channel(wire, handshake.peer, address, dialled=False, limits=self._limits.channel)

    @contextmanager
    def _counted(self, host: str) -> Generator[None]:
        full = self._waiting.total() >= self._limits.before_auth
        if full or self._waiting[host] >= self._limits.before_auth_each:
            raise Untrusted("crowded", msg("too many connections that have not said who they are"))
        self._waiting[host] += 1
        try:
            yield
        finally:
            self._waiting[host] -= 1
            # Hosts must not pile up in the table.
            self._waiting += Counter()


# -- listening


async def open_listeners(port: int | None = None) -> list[trio.SocketListener]:
    """Listen on all interfaces, IPv4 and IPv6 as far as this machine has them, on one and the same port.

    None means the first free of `DEFAULT_PORT` and the 19 after it, else any; 0 means any; another number
    means that one or `Misuse`.
    """
    wanted = [*range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED), *_ANY] if port is None else [port] if port else _ANY
    failure = OSError()
    for candidate in wanted:
        try:
            return await _listen(candidate)
        except OSError as error:
            failure = error
    raise Misuse(
        msg(
            "cannot listen on port {port}: {in_words}; choose another port",
            port=port or DEFAULT_PORT,
            in_words=_in_words(failure),
        )
    )


def port_of(listeners: Sequence[trio.SocketListener]) -> int:
    """The port that `open_listeners` found."""
    port: int = listeners[0].socket.getsockname()[1]
    return port


_ANY: Final = [0, 0, 0]
"""The port that is free in IPv4 may be taken in IPv6: three tries."""
_NO_SUCH_FAMILY: Final = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT)


async def _listen(port: int) -> list[trio.SocketListener]:
    """Both families on one port. Raises `OSError` if it is taken in either, or neither is there."""
    listeners: list[trio.SocketListener] = []
    try:
        for host in ("0.0.0.0", "::"):  # noqa: S104 - to be reachable on the LAN is the purpose
            with _family_may_be_missing():
                listeners += await trio.open_tcp_listeners(port, host=host)
                port = port_of(listeners)
        if not listeners:
            raise OSError(errno.EAFNOSUPPORT, msg("this machine has neither IPv4 nor IPv6"))
    except OSError:
        for listener in listeners:
            await listener.aclose()
        raise
    return listeners


@contextmanager
def _family_may_be_missing() -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_SUCH_FAMILY:
            raise
