"""A LAN inside this machine: network namespaces as hosts, each with a cable to a switch, or to several.

    with Lan("ada", "bob", "cyd") as lan, Stage(tmp_path) as stage:
        ada = stage.start("ada", "host", "dots-and-boxes", where=lan.at("ada"), discovery=True)
        lan.unplug("cyd"); lan.plug("cyd"); lan.firewall("cyd", "input", "udp dport 5353 drop")

The hosts have no default route and nothing in common with the machine they run on, whose own network is not
touched. Needs root, iproute2 and util-linux, and skips the test with the reason where one is missing or namespaces
are not allowed.

A namespace has no name and no file: it is that of one process that does nothing, and ends with whoever started it,
since its standard input ends then. So tests may run side by side, and a test run that is killed leaves nothing.
"""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Self

import pytest

SWITCH: Final = "the switches"
"""Stands for a host in whose network the switches are."""


def run(*words: str) -> str:
    """Run a command that must succeed; its output."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@contextmanager
def unshared(prepare: str, *kinds: str) -> Iterator[int]:
    """A process with namespaces of its own, of such kinds, in which a shell command was run; its number.

    Skips the test where that is not possible.
    """
    if os.geteuid() or not all(map(shutil.which, ("ip", "unshare", "nsenter"))):
        pytest.skip("needs root, iproute2 and util-linux")
    waits = ["unshare", *(f"--{kind}" for kind in kinds), "sh", "-c", f"{prepare} && echo ready && exec cat"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        if process.stdout.readline() != b"ready\n":
            pytest.skip(f"no namespaces here: {process.stderr.read().decode().strip()}")
        yield process.pid


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """`folder` is a disk of 1 MiB of its own, for the time being."""
    disk = folder.with_name(f"{folder.name}-disk")
    disk.mkdir(parents=True)
    with unshared(f"mount -t tmpfs -o size=1m tmpfs {shlex.quote(str(disk))}", "mount") as holder:
        # How the holder of the mount sees it; everybody else sees an empty folder there.
        folder.symlink_to(f"/proc/{holder}/root{disk.resolve()}")
        yield


class Lan:
    """Hosts on a switch: 10.9.0.1, 10.9.0.2, … in the order of their names, and link-local IPv6, on interface lan0.

    Without `ipv4` they have IPv6 link-local addresses and nothing else; without `multicast` the switches
    drop every multicast packet, as guest networks do. `cables` says to which switches a host is connected if not
    to switch 0: on switch 1 it is 10.8.0.x and the interface lan1; no cable at all leaves it with loopback.
    """

    def __init__(
        self,
        *hosts: str,
        ipv4: bool = True,
        multicast: bool = True,
        cables: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        self._cables = cables or {}
        self._hosts = hosts
        self._ipv4 = ipv4
        self._multicast = multicast
        self._spaces: dict[str, int] = {}
        """The process that holds each host's network; that of the switches is SWITCH's."""
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        try:
            self._build()
        except BaseException:
            self._undo.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    # -- building

    def _build(self) -> None:
        self._make(SWITCH)
        for switch in {0, *(switch for plugged in self._cables.values() for switch in plugged)}:
            self.do(SWITCH, f"ip link add name bridge{switch} type bridge mcast_snooping 0")
            self.do(SWITCH, f"ip link set bridge{switch} up")
        for host in self._hosts:
            self._make(host)
            for switch in self._cables.get(host, (0,)):
                self.connect(host, switch)

    def _make(self, space: str) -> None:
        # What /sys says of interfaces is said of those of the network in which it was mounted.
        prepare = "mount -t sysfs sysfs /sys && ip link set lo up"
        self._spaces[space] = self._undo.enter_context(unshared(prepare, "net", "mount"))

    def connect(self, host: str, switch: int = 0) -> None:
        """Put a cable between a host and a switch; the host's interface has an address and is up."""
        nic, plug = f"lan{switch}", f"{host}{switch}"
        cable = f"ip link add {nic} type veth peer name {plug} netns {self._spaces[SWITCH]}"
        self.do(host, cable)
        # Duplicate address detection would take two seconds. The higher of the two settings counts.
        self.do(host, " ".join(["sysctl -qw", *(f"net.ipv6.conf.{which}.accept_dad=0" for which in ("all", nic))]))
        self.do(SWITCH, f"ip link set {plug} master bridge{switch} up")
        if not self._multicast:
            self.do(SWITCH, f"ip link set {plug} type bridge_slave mcast_flood off")
        if self._ipv4:
            self.do(host, f"ip addr add {self.address(host, switch)}/24 dev {nic}")
        self.do(host, f"ip link set {nic} up")

    # -- using

    def at(self, host: str) -> list[str]:
        """The beginning of a command line that runs the rest of it on a host."""
        return ["nsenter", f"--target={self._spaces[host]}", "--net", "--mount", "--wd=."]

    def address(self, host: str, switch: int = 0) -> str:
        """The host's IPv4 address on a switch."""
        return f"10.{9 - switch}.0.{1 + self._hosts.index(host)}"

    def unplug(self, host: str, switch: int = 0) -> None:
        """Pull the cable out of the switch. Connections stand, and wait."""
        self.do(SWITCH, f"ip link set {host}{switch} down")

    def plug(self, host: str, switch: int = 0) -> None:
        """Put it back."""
        self.do(SWITCH, f"ip link set {host}{switch} up")

    def do(self, host: str, command: str) -> str:
        """Run a command on a host, such as `ip link set lan0 down`; its output."""
        return run(*self.at(host), *command.split())

    def firewall(self, host: str, direction: str, *rules: str) -> None:
        """Rules of nftables for what comes in (`input`) or goes out (`output`), such as `udp dport 5353 drop`.

        Loopback is let through, as firewalls do. Skips the test where there is no nftables.
        """
        if not shutil.which("nft"):
            pytest.skip("needs nftables")
        interface = "iifname" if direction == "input" else "oifname"
        chain = f"inet lantable {direction}"
        lines = ["add table inet lantable", f"add chain {chain} {{ type filter hook {direction} priority 0; }}"]
        lines += [f"add rule {chain} {interface} lo accept", *(f"add rule {chain} {rule}" for rule in rules)]
        subprocess.run([*self.at(host), "nft", "-f", "-"], input="\n".join(lines), check=True, text=True)

    def forget_connections(self, host: str) -> None:
        """The host drops every TCP connection it has, as after a long sleep; while unplugged, nobody else is told."""
        self.do(host, "ss -K state established")
