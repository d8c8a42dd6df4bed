"""How soon people see each other on one network: whoever comes, and whoever is there already.

Both sides are whole `ZeroconfDiscovery`s in one process, with an engine and threads of their own, over the real
interfaces of this machine. Measured is the time from starting to run the newcomer's discovery until the one who was
there lists the newcomer ("a new peer"), and until the newcomer lists who was there ("one already there").

The floor is zeroconf as its own examples use it, in the same run: a browser and a registered service on each side,
seen when the browser's callback has the name. It probes for its name first (RFC 6762 §8.1), which we may skip, since
our names carry the key; so its newcomers come later than ours.
"""

import socket
import threading
import time
from contextlib import ExitStack
from typing import Final

import trio
from zeroconf import InterfaceChoice, IPVersion, ServiceBrowser, ServiceInfo, ServiceStateChange, Zeroconf

from bench.measure import Distribution, Say, Target
from lantable.keys import PrivateKey, PublicKey
from lantable_net.discovery import Changed, Found
from lantable_net.mdns import ZeroconfDiscovery
from lantable_net.survey import local_interfaces, survey

NEW_MS: Final = 1500.0
THERE_MS: Final = 200.0
ROUNDS: Final = 12
PATIENCE: Final = 10.0
FLOOR_SERVICE: Final = "_lantable-floor._tcp.local."
"""A service of its own, so that neither is disturbed by the other's names."""


def run(say: Say, rounds: int = ROUNDS) -> list[Target]:
    """Seeing by multicast DNS on this machine's own interfaces, beside bare zeroconf."""
    if not any(nic.works for nic in trio.run(survey, local_interfaces())):
        say("  multicast does not work on this machine, so nothing was measured")
        return []
    ours, bare = [trio.run(_ours, number) for number in range(rounds)], [_bare(number) for number in range(rounds)]
    new = Distribution("a new peer is seen", [sample[0] for sample in ours])
    there = Distribution("one already there is seen", [sample[1] for sample in ours])
    say(str(Distribution("bare zeroconf: a new peer is seen", [sample[0] for sample in bare])))
    say(str(new))
    say(str(Distribution("bare zeroconf: one already there is seen", [sample[1] for sample in bare])))
    say(str(there))
    return [
        Target(
            f"a new peer is seen within {NEW_MS / 1000} s", f"{new.at(0.99):.0f} ms at most", new.at(0.99) <= NEW_MS
        ),
        Target(
            f"one already there within {THERE_MS / 1000} s, as a median",
            f"{there.median:.0f} ms",
            there.median <= THERE_MS,
        ),
    ]


# -- ours


async def _ours(number: int) -> tuple[float, float]:
    """Milliseconds until the one who was there lists the newcomer, and the other way round."""
    here, comer = (_discovery(2 * number + side) for side in range(2))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(here.run, 4471)
        with trio.fail_after(PATIENCE):
            await _announced(here)
        begin = time.perf_counter()
        nursery.start_soon(comer.run, 4472)
        times: dict[str, float] = {}

        async def wait(name: str, who: ZeroconfDiscovery, key: PublicKey) -> None:
            with trio.fail_after(PATIENCE):
                await _lists(who, key)
            times[name] = 1000 * (time.perf_counter() - begin)

        async with trio.open_nursery() as waiting:
            waiting.start_soon(wait, "new", here, _key(2 * number + 1))
            waiting.start_soon(wait, "there", comer, _key(2 * number))
        nursery.cancel_scope.cancel()
    return times["new"], times["there"]


def _key(number: int) -> PublicKey:
    return PrivateKey((10_000 + number).to_bytes(32, "big")).public


def _discovery(number: int) -> ZeroconfDiscovery:
    return ZeroconfDiscovery(_key(number), f"bench {number}")


async def _announced(who: ZeroconfDiscovery) -> None:
    """Wait until it has said who it is: a third one sees it."""
    witness = ZeroconfDiscovery(_key(9_999_999), "witness")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(witness.run, 4473)
        async for event in witness.events:
            if isinstance(event, Found) and event.hint.instance == who.instance:
                break
        nursery.cancel_scope.cancel()


async def _lists(who: ZeroconfDiscovery, key: PublicKey) -> None:
    async for event in who.events:
        if isinstance(event, Found | Changed) and event.hint.key == key:
            return


# -- the floor


class _Bare:
    """One program that uses zeroconf as its examples do."""

    def __init__(self, name: str) -> None:
        self.full = f"{name}.{FLOOR_SERVICE}"
        self.seen: dict[str, float] = {}
        self.heard = threading.Condition()
        self.engine = Zeroconf(interfaces=InterfaceChoice.All, ip_version=IPVersion.All)
        self.browser = ServiceBrowser(self.engine, FLOOR_SERVICE, handlers=[self._note])
        self._addresses = [socket.inet_aton("127.0.0.1")]

    def register(self) -> None:
        self.engine.register_service(ServiceInfo(FLOOR_SERVICE, self.full, port=9, addresses=self._addresses))

    def _note(self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        del zeroconf, service_type
        if state_change is ServiceStateChange.Added:
            with self.heard:
                self.seen.setdefault(name, time.perf_counter())
                self.heard.notify_all()

    def sees(self, name: str) -> float:
        """When it heard of that name."""
        with self.heard:
            self.heard.wait_for(lambda: name in self.seen, PATIENCE)
            return self.seen[name]

    def close(self) -> None:
        self.browser.cancel()
        self.engine.close()


def _bare(number: int) -> tuple[float, float]:
    """The same two times for bare zeroconf."""
    with ExitStack() as stack:
        here = _Bare(f"here-{number}")
        stack.callback(here.close)
        here.register()
        begin = time.perf_counter()
        comer = _Bare(f"comer-{number}")
        stack.callback(comer.close)
        comer.register()
        return 1000 * (here.sees(comer.full) - begin), 1000 * (comer.sees(here.full) - begin)
