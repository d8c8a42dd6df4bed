"""`Discovery` by multicast DNS, with zeroconf in threads of its own.

Its callbacks only hand a name over to trio; everything else happens there. Each of these was measured or seen:

* with its default interfaces zeroconf sees no IPv6-only peers and fails without a default route: take all;
* `get_service_info` inside a callback starves the engine: ask from outside, few at a time;
* answers mostly come with all details, so a name that never answers does not delay the others: look into the
  cache first, and ask only if that is not enough;
* an interface that comes later needs `update_interfaces` *and* a new browser;
* names carry the key, so nobody else can use ours, and RFC 6762 §8.1 lets us skip the probing, which would
  cost more than a second before others see us;
* a unicast answer reaches only one of the programs on a machine that share the mDNS port (RFC 6762 §15.1), so
  every question asks for a multicast one;
* zeroconf keeps errors of sending to itself, and its loopback works behind a closed firewall: whether we can
  hear a network is seen by sending something to ourselves there (`survey`).
"""

import asyncio
import ipaddress
import logging
import math
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

import trio
from zeroconf import (
    DNSQuestionType,
    InterfaceChoice,
    IPVersion,
    ServiceBrowser,
    ServiceInfo,
    ServiceStateChange,
    Zeroconf,
)

from lantable.errors import Untrusted
from lantable.keys import PublicKey
from lantable.wording import msg
from lantable_net.channel import Address
from lantable_net.discovery import (
    Event,
    Hint,
    Roster,
    Standing,
    Trouble,
    instance_name,
    is_instance_name,
    read_hint,
    write_txt,
)
from lantable_net.survey import SERVICE, SILENCE, Interfaces, announced, local_interfaces, survey

ASKING_AT_ONCE: Final = 4
ASK_SECONDS: Final = 3.0
SWEEP_SECONDS: Final = 0.05
"""Names heard are looked at this often at most, together, however fast they come."""
MAX_HEARD: Final = 1024
"""Names heard between two sweeps that are looked at; a home has a few."""
POLL_SECONDS: Final = 2.0
"""How often the interfaces are looked at."""
CLOSE_SECONDS: Final = 1.0
"""Saying goodbye takes 0.3 s; after that only threads are tidied up."""

NO_NETWORK: Final = msg("This computer is on no network: only people on this same computer can be listed.")
DEAF: Final = msg(
    "A firewall on this computer keeps out multicast DNS (UDP port 5353), so nobody can be listed. "
    "Allow it, or connect by typing an address."
)

_log: Final = logging.getLogger(__name__)
T = TypeVar("T")


def worth_dialling(hosts: Iterable[str], interfaces: Interfaces) -> list[str]:
    """Addresses somebody announced, the likely ones first: on a network of ours, then link-local, then others.

    Loopback is left out unless we have nothing else: it would be this machine, whoever said it.
    """
    networks = [interface.network for _, interface in interfaces]
    alone = all(network.is_loopback for network in networks)

    def order(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> tuple[bool, bool, int]:
        return not any(ip in network for network in networks), ip.is_link_local, ip.version

    ips = [ipaddress.ip_address(host) for host in hosts]
    good = [ip for ip in ips if (alone or not ip.is_loopback) and not ip.is_unspecified and not ip.is_multicast]
    return [str(ip) for ip in sorted(good, key=order)]


class ZeroconfDiscovery:
    """Implements `Discovery`. What goes wrong comes out as `Trouble`, never as an exception."""

    def __init__(self, key: PublicKey, name: str, *, poll_seconds: float = POLL_SECONDS) -> None:
        self.instance = instance_name(name, key)
        self._out, self.events = trio.open_memory_channel[Event](math.inf)
        self._key = key
        self._name = name
        self._status = ""
        self._run = secrets.token_hex(4)
        self._port = 0
        self._poll_seconds = poll_seconds
        self._roster = Roster(self.instance)
        self._interfaces: Interfaces = frozenset()
        self._heard: dict[str, bool] = {}
        """Names heard since the last sweep, and whether each was taken back."""
        self._stirred = trio.Event()
        self._swept = trio.lowlevel.ParkingLot()
        self._restate = trio.Event()
        self._trouble = ""
        self._engine_failed = False

    async def run(self, port: int) -> None:
        self._port = port
        self._look_around()
        engine = await self._open()
        try:
            async with trio.open_nursery() as nursery:
                for _ in range(ASKING_AT_ONCE):
                    nursery.start_soon(self._ask, engine)
                nursery.start_soon(self._sweep, engine)
                nursery.start_soon(self._announce, engine)
                await self._browse(engine, nursery)
        finally:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + CLOSE_SECONDS):
                await self._try(trio.to_thread.run_sync(engine.close, abandon_on_cancel=True))

    def update_status(self, text: str) -> None:
        if text != self._status:
            self._status = text
            self._restate.set()

    def weigh(self, standing: Callable[[PublicKey | None], Standing]) -> None:
        self._roster.standing = standing

    # -- zeroconf's side

    async def _open(self) -> Zeroconf:
        """Start zeroconf, however long it takes until there is an interface that allows it."""
        while True:
            start = partial(Zeroconf, interfaces=InterfaceChoice.All, ip_version=IPVersion.All)
            engine: Zeroconf | None = await self._try(trio.to_thread.run_sync(start))
            if engine is not None:
                return engine
            await trio.sleep(self._poll_seconds)
            self._look_around()

    async def _browse(self, engine: Zeroconf, nursery: trio.Nursery) -> None:
        """Listen for names; anew after each change of the interfaces."""
        token = trio.lowlevel.current_trio_token()
        loop = _loop(engine)
        loop.call_soon_threadsafe(loop.set_exception_handler, partial(self._note_failure, token))
        callback = partial(self._call_back, token)
        start = partial(ServiceBrowser, engine, SERVICE, handlers=[callback], question_type=DNSQuestionType.QM)
        while True:
            browser: ServiceBrowser | None = await self._try(trio.to_thread.run_sync(start))
            nursery.start_soon(self._judge_network)
            try:
                await self._interfaces_change()
                self._restate.set()
                await self._try(_over_there(engine, engine.async_update_interfaces()))
            finally:
                if browser is not None:
                    with trio.CancelScope(shield=True):
                        await self._try(trio.to_thread.run_sync(browser.cancel))

    def _call_back(
        self,
        token: trio.lowlevel.TrioToken,
        zeroconf: Zeroconf,
        service_type: str,
        name: str,
        state_change: ServiceStateChange,
    ) -> None:
        """In zeroconf's thread: hand the name over, nothing else."""
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(self._hear, name, state_change is ServiceStateChange.Removed)

    def _note_failure(
        self, token: trio.lowlevel.TrioToken, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]
    ) -> None:
        """In zeroconf's thread: something in it has failed, perhaps the browser."""
        _log.debug("zeroconf: %s", context)
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(setattr, self, "_engine_failed", True)

    async def _announce(self, engine: Zeroconf) -> None:
        """Keep what we say of ourselves up to date."""
        # Any: zeroconf's types leave open what these two coroutines give.
        untyped: Any = engine
        begin: Awaitable[Any] = untyped.async_register_service(self._about_us(), cooperating_responders=True)
        while True:
            await self._try(_over_there(engine, _to_the_end(begin)))
            await self._restate.wait()
            self._restate = trio.Event()
            begin = untyped.async_update_service(self._about_us())

    def _about_us(self) -> ServiceInfo:
        return ServiceInfo(
            SERVICE,
            _full(self.instance),
            port=self._port,
            server=f"{self.instance}.local.",
            properties=write_txt(self._key, self._name, self._status, self._run),
            parsed_addresses=announced(self._interfaces),
        )

    async def _try(self, attempt: Awaitable[T]) -> T | None:
        """Its result, or None and a `Trouble` if it failed."""
        try:
            return await attempt
        except Exception as error:  # noqa: BLE001 - discovery is a convenience; its failure must not end a game
            self._complain(msg("The network cannot be searched ({error}). Connect by typing an address.", error=error))
            return None

    # -- our side

    def _hear(self, name: str, removed: bool) -> None:
        """In trio, from a callback. Must not raise: that would end the whole program."""
        if name in self._heard or len(self._heard) < MAX_HEARD:
            self._heard[name] = removed
            self._stirred.set()

    async def _sweep(self, engine: Zeroconf) -> None:
        while True:
            await self._stirred.wait()
            self._stirred = trio.Event()
            heard, self._heard = self._heard, {}
            for name, removed in heard.items():
                instance = name.removesuffix(f".{SERVICE}").lower()
                if not is_instance_name(instance):
                    _purge(engine, name)
                elif removed:
                    self._roster.lose(instance)
                else:
                    self._look_up(engine, instance)
            self._tell_changes()
            self._swept.unpark_all()
            await trio.sleep(SWEEP_SECONDS)

    def _look_up(self, engine: Zeroconf, instance: str) -> None:
        info = ServiceInfo(SERVICE, _full(instance))
        if not info.load_from_cache(engine):
            self._roster.wait(instance)
        elif hint := self._hint(instance, info):
            self._roster.know(hint)

    async def _ask(self, engine: Zeroconf) -> None:
        """Ask about instances of which too little is known, one after the other."""
        while True:
            instance = self._roster.ask()
            if instance is None:
                await self._swept.park()
                continue
            info = ServiceInfo(SERVICE, _full(instance))
            request = info.async_request(engine, ASK_SECONDS * 1000, DNSQuestionType.QM)
            try:
                known = await _over_there(engine, request)
            except Exception as error:  # noqa: BLE001 - strangers' records can make it fail; then they did not answer
                _log.debug("asking about %r: %s", instance, error)
                known = False
            self._roster.answered(instance, self._hint(instance, info) if known else None)
            self._tell_changes()

    def _hint(self, instance: str, info: ServiceInfo) -> Hint | None:
        """What `info` says, or None if it cannot be read or nobody can be dialled."""
        hosts = worth_dialling(info.parsed_scoped_addresses(), self._interfaces)
        addresses: list[Address] = [(host, info.port) for host in hosts if info.port]
        try:
            return read_hint(instance, addresses, info.text) if addresses else None
        except Untrusted:
            return None

    async def _interfaces_change(self) -> None:
        """Return when they have changed, which nothing but looking again tells, or zeroconf needs a new browser."""
        while True:
            await trio.sleep(self._poll_seconds)
            self._roster.reconsider()
            self._swept.unpark_all()
            if self._look_around() or self._engine_failed:
                self._engine_failed = False
                return

    def _look_around(self) -> bool:
        """See which interfaces there are; whether they have changed."""
        before = self._interfaces
        # Without a free file descriptor we cannot look; then they are as they were.
        with suppress(OSError):
            self._interfaces = local_interfaces()
        return self._interfaces != before

    async def _judge_network(self) -> None:
        """Say what keeps people off the list, as far as it can be seen from here."""
        nics = await survey(self._interfaces)
        if not nics:
            self._complain(NO_NETWORK)
        elif any(nic.works for nic in nics):
            self._complain("")
        elif any(nic.reason == SILENCE for nic in nics):
            self._complain(DEAF)
        else:
            tried = "; ".join(f"{nic.name}: {nic.reason}" for nic in nics)
            self._complain(msg("Nobody can be listed ({tried}). Connect by typing an address.", tried=tried))

    def _complain(self, text: str) -> None:
        if text != self._trouble:
            self._trouble = text
            self._out.send_nowait(Trouble(text))

    def _tell_changes(self) -> None:
        """Once a sweep, so that whoever came and went within it, as a flood does, is no news."""
        for event in self._roster.news():
            self._out.send_nowait(event)


def _full(instance: str) -> str:
    return f"{instance}.{SERVICE}"


async def _over_there(engine: Zeroconf, coroutine: Coroutine[Any, Any, T]) -> T:
    """Await a coroutine of zeroconf's in its own loop. Cancelling this cancels that, so that closing need not wait."""
    done, token = trio.Event(), trio.lowlevel.current_trio_token()

    def wake(_future: object) -> None:
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(done.set)

    future = asyncio.run_coroutine_threadsafe(coroutine, _loop(engine))
    future.add_done_callback(wake)
    try:
        await done.wait()
    finally:
        future.cancel()
    return future.result()


async def _to_the_end(begin: Awaitable[Any]) -> None:
    """zeroconf gives back what is still to be done: repeating the announcement."""
    await (await begin)


def _purge(engine: Zeroconf, name: str) -> None:
    """Make zeroconf forget a name.

    It delivers names that it cannot write (bytes that are no UTF-8 grow when they are replaced), and its
    browser dies of listing them among the answers it knows; seen with 0.154.
    """

    def forget() -> None:
        pointers = engine.cache.async_entries_with_name(SERVICE)
        engine.cache.async_remove_records([record for record in pointers if getattr(record, "alias", "") == name])

    _loop(engine).call_soon_threadsafe(forget)


def _loop(engine: Zeroconf) -> asyncio.AbstractEventLoop:
    assert engine.loop  # noqa: S101 - it has one from its construction on
    return engine.loop
