"""A LAN inside this machine: network namespaces as hosts, each with a cable to a switch, or to several.

    with Lan("ada", "bob", "cyd") as lan, Stage(tmp_path) as stage:
        ada = stage.start("ada", "host", "dots-and-boxes", where=lan.at("ada"), discovery=True)
        lan.unplug("cyd"); lan.plug("cyd"); lan.firewall("cyd", "input", "udp dport 5353 drop")

The hosts have no default route and nothing in common with the machine they run on, whose own network is not
touched. Needs root and iproute2, and skips the test with the reason where either is missing or namespaces are
not allowed. Names are unique to the process, so that tests may run side by side; closing the LAN deletes
everything, also after a failure half-way.
"""

import itertools
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Final, Self

import pytest

_numbers: Final = itertools.count(1)


def run(*words: str) -> str:
    """Run a command that must succeed; its output."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


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
        self._prefix = f"lantable-{os.getpid()}-{next(_numbers)}"
        self._hosts = hosts
        self._ipv4 = ipv4
        self._multicast = multicast
        self._undo = ExitStack()

    def __enter__(self) -> Self:
        if os.geteuid() or not shutil.which("ip"):
            pytest.skip("needs root and iproute2")
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
        self._make(self._switch)
        for switch in {0, *(switch for plugged in self._cables.values() for switch in plugged)}:
            run(
                "ip",
                "-n",
                self._switch,
                "link",
                "add",
                "name",
                f"bridge{switch}",
                "type",
                "bridge",
                "mcast_snooping",
                "0",
            )
            run("ip", "-n", self._switch, "link", "set", f"bridge{switch}", "up")
        for host in self._hosts:
            self._make(self._space(host))
            for switch in self._cables.get(host, (0,)):
                self.connect(host, switch)

    def _make(self, space: str) -> None:
        try:
            run("ip", "netns", "add", space)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no network namespaces here: {error.stderr.strip()}")
        self._undo.callback(run, "ip", "netns", "del", space)
        run("ip", "-n", space, "link", "set", "lo", "up")

    def connect(self, host: str, switch: int = 0) -> None:
        """Put a cable between a host and a switch; the host's interface has an address and is up."""
        space, nic, plug = self._space(host), f"lan{switch}", f"{host}{switch}"
        run("ip", "link", "add", nic, "netns", space, "type", "veth", "peer", "name", plug, "netns", self._switch)
        # Duplicate address detection would take two seconds. The higher of the two settings counts.
        off = [f"net.ipv6.conf.{which}.accept_dad=0" for which in ("all", nic)]
        run(*self.at(host), "sysctl", "-qw", *off)
        run("ip", "-n", self._switch, "link", "set", plug, "master", f"bridge{switch}", "up")
        if not self._multicast:
            run("ip", "-n", self._switch, "link", "set", plug, "type", "bridge_slave", "mcast_flood", "off")
        if self._ipv4:
            run("ip", "-n", space, "addr", "add", f"{self.address(host, switch)}/24", "dev", nic)
        run("ip", "-n", space, "link", "set", nic, "up")

    @property
    def _switch(self) -> str:
        return f"{self._prefix}-switch"

    def _space(self, host: str) -> str:
        return f"{self._prefix}-{host}"

    # -- using

    def at(self, host: str) -> list[str]:
        """The beginning of a command line that runs the rest of it on a host."""
        return ["ip", "netns", "exec", self._space(host)]

    def address(self, host: str, switch: int = 0) -> str:
        """The host's IPv4 address on a switch."""
        return f"10.{9 - switch}.0.{1 + self._hosts.index(host)}"

    def unplug(self, host: str, switch: int = 0) -> None:
        """Pull the cable out of the switch. Connections stand, and wait."""
        run("ip", "-n", self._switch, "link", "set", f"{host}{switch}", "down")

    def plug(self, host: str, switch: int = 0) -> None:
        """Put it back."""
        run("ip", "-n", self._switch, "link", "set", f"{host}{switch}", "up")

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
        run(*self.at(host), "ss", "-K", "state", "established")
