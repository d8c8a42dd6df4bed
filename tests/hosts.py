"""A LAN inside this machine: network namespaces as hosts, each with one cable to a common switch.

    with Lan("ada", "bob", "cyd") as lan, Stage(tmp_path) as stage:
        ada = stage.start("ada", "host", "dots-and-boxes", where=lan.at("ada"), discovery=True)
        lan.unplug("cyd"); lan.cut("cyd"); lan.plug("cyd")

The hosts have no default route and nothing in common with the machine they run on, whose own network is not
touched. Needs root and iproute2, and skips the test with the reason where either is missing or namespaces are
not allowed. Names are unique to the process, so that tests may run side by side; closing the LAN deletes
everything, also after a failure half-way.
"""

import itertools
import os
import shutil
import subprocess
from contextlib import ExitStack
from typing import Final, Self

import pytest

_numbers: Final = itertools.count(1)
BRIDGE: Final = "bridge0"
CABLE: Final = "lan0"


def run(*words: str) -> str:
    """Run a command that must succeed; its output."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Lan:
    """Hosts on one switch: 10.9.0.1, 10.9.0.2, … in the order of their names, and link-local IPv6.

    Without `ipv4` they have IPv6 link-local addresses and nothing else; without `multicast` the switch
    drops every multicast packet, as guest networks do.
    """

    def __init__(self, *hosts: str, ipv4: bool = True, multicast: bool = True) -> None:
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
        run("ip", "-n", self._switch, "link", "add", "name", BRIDGE, "type", "bridge", "mcast_snooping", "0")
        run("ip", "-n", self._switch, "link", "set", BRIDGE, "up")
        for number, host in enumerate(self._hosts, 1):
            self._make(self._space(host))
            self._connect(number, host)

    def _make(self, space: str) -> None:
        try:
            run("ip", "netns", "add", space)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no network namespaces here: {error.stderr.strip()}")
        self._undo.callback(run, "ip", "netns", "del", space)
        run("ip", "-n", space, "link", "set", "lo", "up")

    def _connect(self, number: int, host: str) -> None:
        space = self._space(host)
        run(
            *("ip", "link", "add", CABLE, "netns", space, "type", "veth"),
            *("peer", "name", host, "netns", self._switch),
        )
        # Duplicate address detection would take two seconds. The higher of the two settings counts.
        off = [f"net.ipv6.conf.{which}.accept_dad=0" for which in ("all", CABLE)]
        run(*self.at(host), "sysctl", "-qw", *off)
        run("ip", "-n", self._switch, "link", "set", host, "master", BRIDGE, "up")
        if not self._multicast:
            run("ip", "-n", self._switch, "link", "set", host, "type", "bridge_slave", "mcast_flood", "off")
        if self._ipv4:
            run("ip", "-n", space, "addr", "add", f"10.9.0.{number}/24", "dev", CABLE)
        run("ip", "-n", space, "link", "set", CABLE, "up")

    @property
    def _switch(self) -> str:
        return f"{self._prefix}-switch"

    def _space(self, host: str) -> str:
        return f"{self._prefix}-{host}"

    # -- using

    def at(self, host: str) -> list[str]:
        """The beginning of a command line that runs the rest of it on a host."""
        return ["ip", "netns", "exec", self._space(host)]

    def address(self, host: str) -> str:
        """The host's IPv4 address."""
        return f"10.9.0.{1 + self._hosts.index(host)}"

    def unplug(self, host: str) -> None:
        """Pull the cable out of the switch. Connections stand, and wait."""
        run("ip", "-n", self._switch, "link", "set", host, "down")

    def plug(self, host: str) -> None:
        """Put it back."""
        run("ip", "-n", self._switch, "link", "set", host, "up")

    def forget_connections(self, host: str) -> None:
        """The host drops every TCP connection it has, as after a long sleep; while unplugged, nobody else is told."""
        run(*self.at(host), "ss", "-K", "state", "established")
