"""`lantable doctor`: why people do not find or reach each other, seen from this computer, and what to do about it.

Every check is a row of what was found and, unless all is well, advice. It says nothing to anybody about who we are:
no home is opened, the key under which it is seen for some seconds is made up, and nobody is authenticated. Whether
others can reach us only others can show: whoever runs lantable here dials whoever is announced, and that is counted.
"""

import ipaddress
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import trio

from lantable.errors import Misuse
from lantable.keys import PrivateKey
from lantable.text import safe_name, safe_text
from lantable.wording import msg
from lantable_console.context import Context
from lantable_console.language import N_, shown, tr
from lantable_net.connection import DEFAULT_PORT, knock, open_listeners, port_of, show_address
from lantable_net.discovery import CHECKUP, Changed, Found, Hint, Lost
from lantable_net.mdns import ZeroconfDiscovery
from lantable_net.messages import Address
from lantable_net.survey import SILENCE, Nic, local_interfaces, survey
from lantable_net.tls import Tls

LOOK_SECONDS: Final = 4.0
"""Others find us well within two seconds, and dial at once or a second later."""
MAX_KNOCKS: Final = 8
OK, FAIL, UNSURE = "ok", "FAIL", "??"
WIDTH: Final = 11


@dataclass(frozen=True, slots=True)
class Check:
    """One line: whether that is well, what was found, and what to do if it is not."""

    name: str
    state: str
    found: str
    advice: str = ""

    def __str__(self) -> str:
        advice = f" -> {shown(self.advice)}" if self.advice else ""
        return f"{self.state:<4}  {tr(self.name):<{WIDTH}} {safe_text(shown(self.found), 300)}{advice}"


def run(context: Context) -> int:
    """`lantable doctor [HOST:PORT]`: 0 if nothing is wrong here, else 1."""
    from lantable_console.joining import read_address

    typed = context.args.address
    address = read_address(typed) if typed else None
    if typed and address is None:
        raise Misuse(
            msg("{typed} is no address; type HOST:PORT, such as 192.168.1.20:4471", typed=safe_text(typed, 80))
        )
    checks = trio.run(examine, context.port, address)
    good = all(check.state != FAIL for check in checks)
    if context.args.json:
        rows = [{"check": c.name, "state": c.state, "found": c.found, "advice": c.advice} for c in checks]
        context.say(json.dumps({"good": good, "checks": rows}, indent=2))
    else:
        for check in checks:
            context.say(str(check))
        context.say(msg("nothing is wrong here") if good else msg("what is marked FAIL keeps people apart"))
    return 0 if good else 1


async def examine(port: int | None, address: Address | None) -> list[Check]:
    """All checks, in the order in which one thing needs the other."""
    tls = Tls.fresh()
    nics = await survey(local_interfaces())
    checks = check_nics(nics)
    checked, listeners = await _check_port(DEFAULT_PORT if port is None else port, tls)
    checks.append(checked)
    if any(nic.works for nic in nics):
        checks += await _check_people(listeners, tls, ours=checked.state == OK and not checked.advice)
    for listener in listeners:
        await listener.aclose()
    if address is not None:
        checks.append(await _check_address(address, tls))
    now = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
    return [*checks, Check(N_("clock"), OK, msg("{now}; nothing depends on it", now=now))]


# -- interfaces


def check_nics(nics: Sequence[Nic]) -> list[Check]:
    """A row for each interface. One that cannot work is wrong only if none does."""
    if not nics:
        return [
            Check(N_("network"), FAIL, msg("this computer is on no network"), msg("plug in a cable or join a Wi-Fi"))
        ]
    spare = any(nic.works for nic in nics)
    return [_check_nic(nic, spare=spare) for nic in nics]


def _check_nic(nic: Nic, *, spare: bool) -> Check:
    name = safe_text(nic.name, 40)
    found = str(nic).partition(": ")[2]
    if nic.works and nic.tunnel:
        return Check(
            name,
            UNSURE,
            msg("{found}; it is a VPN or tunnel", found=found),
            msg("if nobody is found, allow the local network in it"),
        )
    if nic.works:
        return Check(name, OK, found)
    if nic.link:
        advice = msg("switch it on") if "off" in nic.link else msg("plug in the cable, or join the Wi-Fi")
        return Check(name, UNSURE if spare else FAIL, found, advice)
    if nic.tunnel:
        return Check(
            name, UNSURE if spare else FAIL, found, msg("people behind a VPN are not found; type their addresses")
        )
    if nic.reason == SILENCE:
        return Check(name, FAIL, found, msg("allow UDP port 5353 in this computer's firewall, or type addresses"))
    return Check(name, FAIL, found, msg("allow multicast on UDP port 5353 here (firewall, VPN), or type addresses"))


# -- our port


async def _check_port(port: int, tls: Tls) -> tuple[Check, list[trio.SocketListener]]:
    """Whether we can listen there; and listeners, there or elsewhere."""
    try:
        listeners = await open_listeners(port)
    except Misuse as error:
        elsewhere = await open_listeners()
        if not await knock(("127.0.0.1", port), tls):
            advice = msg("to see whether others reach it, close it first and run this again")
            return Check(
                N_("port"), OK, msg("a lantable runs here and listens on TCP port {port}", port=port), advice
            ), elsewhere
        free = port_of(elsewhere)
        advice = msg(
            "lantable would take {free}; then others must type HOST:{free}. Or end that program, or use --port N",
            free=free,
        )
        found = msg("TCP port {port} is taken by another program", port=port) if "in use" in str(error) else str(error)
        return Check(N_("port"), FAIL, found, advice), elsewhere
    return Check(N_("port"), OK, msg("TCP port {port_of} is free", port_of=port_of(listeners))), listeners


# -- others


@dataclass(slots=True)
class _Sighting:
    """Who was seen on the network, and from where somebody came to us."""

    hints: dict[str, Hint] = field(default_factory=dict[str, Hint])
    came: list[str] = field(default_factory=list[str])

    async def look(self, discovery: ZeroconfDiscovery) -> None:
        async for event in discovery.events:
            match event:
                case Found(hint) | Changed(hint):
                    self.hints[hint.instance] = hint
                case Lost(instance):
                    self.hints.pop(instance, None)
                case _:
                    pass

    async def count(self, stream: trio.SocketStream) -> None:
        """Somebody connected: that is all we want to know."""
        async with stream:
            host = str(stream.socket.getpeername()[0])
            if not _is_ours(host):
                self.came.append(host.removeprefix("::ffff:"))


async def _check_people(listeners: list[trio.SocketListener], tls: Tls, *, ours: bool) -> list[Check]:
    """Announce ourselves for some seconds: who is found, who reaches us, whom we reach.

    `ours` says whether we listen where lantable would: only then do those who do not come tell of a firewall.
    """
    seen = _Sighting()
    discovery = ZeroconfDiscovery(PrivateKey(secrets.token_bytes(32)).public, "doctor")
    discovery.update_status(CHECKUP)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(discovery.run, port_of(listeners))
        nursery.start_soon(seen.look, discovery)
        nursery.start_soon(trio.serve_listeners, seen.count, listeners)
        await trio.sleep(LOOK_SECONDS)
        nursery.cancel_scope.cancel()
    others = [hint for hint in seen.hints.values() if not all(_is_ours(host) for host, _ in hint.addresses)]
    if not others:
        advice = msg(
            "start lantable on another computer; if it stays so, the network hides people (guest Wi-Fi): type addresses"
        )
        return [
            Check(
                N_("people"),
                UNSURE,
                msg("nobody else was found in {look_seconds} seconds", look_seconds=format(LOOK_SECONDS, "g")),
                advice,
            )
        ]
    names = ", ".join(safe_name(hint.name) for hint in others[:MAX_KNOCKS])
    reached, failed = await _knock_all(others[:MAX_KNOCKS], tls)
    checks = [
        Check(N_("people"), OK, msg("{others} found: {names}", others=len(others), names=names)),
        _judge_out(reached, failed),
    ]
    return [*checks, _judge_in(seen.came, reached)] if ours else checks


async def _knock_all(hints: Iterable[Hint], tls: Tls) -> tuple[list[str], list[str]]:
    """Whom of these we reach at any address, and why not the others."""
    reached: list[str] = []
    failed: list[str] = []

    async def try_one(hint: Hint) -> None:
        why = ""
        for address in hint.addresses:
            why = await knock(address, tls)
            if not why:
                reached.append(msg("{name} at {address}", name=safe_name(hint.name), address=show_address(address)))
                return
        failed.append(
            msg(
                "{name} at {addresses}: {why}",
                name=safe_name(hint.name),
                addresses=show_address(hint.addresses[0]),
                why=why,
            )
        )

    async with trio.open_nursery() as nursery:
        for hint in hints:
            nursery.start_soon(try_one, hint)
    return reached, failed


def _judge_out(reached: list[str], failed: list[str]) -> Check:
    if not failed:
        return Check(N_("reach them"), OK, "; ".join(reached))
    advice = msg("there: allow the TCP port in the firewall, and run lantable doctor; or let them come to you")
    return Check(N_("reach them"), UNSURE, "; ".join(failed), advice)


def _judge_in(came: list[str], reached: list[str]) -> Check:
    if came:
        return Check(
            N_("reach me"), OK, msg("others reach this computer: {addresses}", addresses=", ".join(dict.fromkeys(came)))
        )
    if not reached:
        return Check(
            N_("reach me"),
            UNSURE,
            msg("nobody came"),
            msg("nobody could be reached either: type an address, or run this there"),
        )
    advice = msg(
        "allow this TCP port in this computer's firewall, or let the others host; if it is open, a "
        "firewall there keeps out UDP port 5353: run lantable doctor there"
    )
    return Check(N_("reach me"), FAIL, msg("I can reach out, nobody reaches me"), advice)


def _is_ours(host: str) -> bool:
    """Whether this is an address of this computer."""
    ip = ipaddress.ip_address(host.partition("%")[0].removeprefix("::ffff:"))
    return ip in {interface.ip for _, interface in local_interfaces()}


# -- a typed address


async def _check_address(address: Address, tls: Tls) -> Check:
    why = await knock(address, tls)
    if not why:
        return Check(N_("address"), OK, msg("a lantable answers at {address}", address=show_address(address)))
    advice = msg("there: is lantable running, is that its address, does its firewall allow the TCP port?")
    return Check(N_("address"), FAIL, f"{show_address(address)}: {why}", advice)
