"""What this computer's networks are good for, one interface after the other.

Whether we can be found there is seen by sending a question to ourselves: what a firewall keeps out of this
computer does not come back, and what may not be sent fails. Whether the cable is in is asked of the system where
it tells (Linux). Nothing here speaks to anybody else.
"""

import ipaddress
import os
import secrets
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import ifaddr
import trio

from lantable.wording import msg
from lantable_net.discovery import MAX_ADDRESSES

SERVICE: Final = "_lantable._tcp.local."
MDNS_PORT: Final = 5353
GROUPS: Final = {4: "224.0.0.251", 6: "ff02::fb"}
ECHO_SECONDS: Final = 0.5
"""What we send by multicast must come back to us within this; it takes well under a millisecond."""
SILENCE: Final = msg("multicast DNS does not come back in: a firewall keeps out UDP port 5353")

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
Interface = ipaddress.IPv4Interface | ipaddress.IPv6Interface
Interfaces = frozenset[tuple[str, Interface]]


def local_interfaces() -> Interfaces:
    """Names and addresses of this machine's interfaces, loopback included. Takes well under a millisecond."""
    return frozenset(
        (adapter.nice_name, ipaddress.ip_interface(f"{ip.ip[0] if ip.is_IPv6 else ip.ip}/{ip.network_prefix}"))
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
    )


def announced(interfaces: Interfaces) -> list[str]:
    """The addresses under which others may reach us: those of the LAN; loopback only if there is nothing else."""
    ips = {interface.ip for _, interface in interfaces}
    far = {ip for ip in ips if not ip.is_loopback}
    ordered = sorted(far or ips, key=lambda ip: (ip.version, ip.is_link_local, int(ip)))
    return [str(ip) for ip in ordered[:MAX_ADDRESSES]]


@dataclass(frozen=True, slots=True)
class Nic:
    """One interface and what was tried there. `failures` are by IP version, empty where multicast came back."""

    name: str
    networks: tuple[Interface, ...]
    link: str = ""
    """Why nothing can pass at all, in words; empty if something may."""
    tunnel: bool = False
    """Whether it leads to one other end only, as VPNs do."""
    failures: tuple[tuple[int, str], ...] = ()

    @property
    def works(self) -> bool:
        """Whether people can be found there: multicast came back in at least one version of IP."""
        return not self.link and any(not why for _, why in self.failures)

    @property
    def reason(self) -> str:
        """Why nobody can be found there; empty if they can."""
        if self.works:
            return ""
        return self.link or next((why for _, why in self.failures), msg("it has no address"))

    def has(self, host: str) -> bool:
        """Whether this address lies on one of its networks."""
        try:
            ip = ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            return False
        return any(ip in interface.network for interface in self.networks)

    def __str__(self) -> str:
        addresses = ", ".join(str(interface.ip) for interface in self.networks) or msg("no address")
        kind = msg(" (a VPN or tunnel)") if self.tunnel else ""
        return f"{self.name}{kind}: {addresses}: {self.reason or 'multicast works'}"


async def survey(interfaces: Interfaces, system: Path = Path("/sys/class/net")) -> tuple[Nic, ...]:
    """Try every interface but loopback, side by side; by name. Takes `ECHO_SECONDS` at most."""
    names = {name for name, interface in interfaces if not interface.is_loopback}
    found: dict[str, Nic] = {}

    async def look(name: str) -> None:
        networks = sorted((i for n, i in interfaces if n == name), key=lambda i: (i.version, i.is_link_local, i))
        failures = [(version, await _echo_on(name, networks, version)) for version in (4, 6)]
        tried = tuple((version, why) for version, why in failures if why is not None)
        found[name] = Nic(name, tuple(networks), link_trouble(system / name), is_tunnel(system / name), tried)

    async with trio.open_nursery() as nursery:
        for name in names:
            nursery.start_soon(look, name)
    return tuple(found[name] for name in sorted(found))


async def _echo_on(name: str, networks: Iterable[Interface], version: int) -> str | None:
    """`echo` with the first address of this version; None if the interface has none."""
    for interface in networks:
        if interface.version == version:
            return await echo(name, interface.ip)
    return None


async def echo(name: str, ip: Ip) -> str:
    """Whether multicast DNS sent on this interface comes back in, as it must: empty, or why not in words.

    What is sent is a question nobody answers.
    """
    labels = (secrets.token_hex(8), *SERVICE.split("."))
    wire = b"".join(bytes([len(label)]) + label.encode() for label in labels)
    question = struct.pack("!6H", 0, 0, 1, 0, 0, 0) + wire + struct.pack("!2H", 16, 1)
    family = socket.AF_INET if ip.version == 4 else socket.AF_INET6
    try:
        with trio.socket.socket(family, socket.SOCK_DGRAM) as sock, trio.move_on_after(ECHO_SECONDS):
            # The port is shared with zeroconf, and perhaps with the system's own responder.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            reuse_port = getattr(socket, "SO_REUSEPORT", None)  # Windows has none and needs none
            if reuse_port is not None:
                sock.setsockopt(socket.SOL_SOCKET, reuse_port, 1)
            await sock.sendto(question, await _enter_group(sock, name, ip))
            while await sock.recv(len(question)) != question:
                pass
            return ""
    except OSError as error:
        return _in_words(error)
    return SILENCE


async def _enter_group(sock: trio.socket.SocketType, name: str, ip: Ip) -> tuple[str | int, ...]:
    """Listen to the group on this interface, and send there; the group's address."""
    group = GROUPS[ip.version]
    if ip.version == 4:
        await sock.bind((group, MDNS_PORT))
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + ip.packed)
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, ip.packed)
        return group, MDNS_PORT
    index = socket.if_nametoindex(name)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    await sock.bind((group, MDNS_PORT, 0, index))
    membership = socket.inet_pton(socket.AF_INET6, group) + struct.pack("@I", index)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, membership)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
    return group, MDNS_PORT, 0, index


def _in_words(error: OSError) -> str:
    text = os.strerror(error.errno) if error.errno is not None and error.errno > 0 else str(error)
    return msg("multicast DNS cannot be sent or heard ({text})", text=text)


def link_trouble(folder: Path) -> str:
    """Why nothing can pass through an interface, by what Linux says of it; empty elsewhere."""
    try:
        carrier = (folder / "carrier").read_text().strip()
    except FileNotFoundError:
        return ""
    except OSError:
        return msg("it is switched off")  # the kernel answers EINVAL for an interface that is down
    return "" if carrier == "1" else msg("no cable, or not in a Wi-Fi")


def is_tunnel(folder: Path) -> bool:
    """Whether Linux calls it point-to-point (IFF_POINTOPOINT, linux/if.h)."""
    try:
        return bool(int((folder / "flags").read_text(), 16) & 0x10)
    except (OSError, ValueError):
        return False
