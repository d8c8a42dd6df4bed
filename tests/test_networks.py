"""Networks as they are: several at once, late, dead, moving, swallowed by a VPN; and hosts that just vanish.

Real programs in network namespaces, none of which has a default route unless a test gives it one.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lantable_net.presence import GONE_SECONDS
from tests.hosts import Lan
from tests.programs import GAME, Program, Stage

pytestmark = pytest.mark.netns

MakeLan = Callable[..., tuple[Lan, Stage]]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeLan]:
    """`make("ada", "bob", cables={"ada": (0, 1)})`: hosts and their cables, and the stage for programs on them."""
    with ExitStack() as stack:

        def make(*hosts: str, **how: Any) -> tuple[Lan, Stage]:
            lan = stack.enter_context(Lan(*hosts, **how))
            return lan, stack.enter_context(Stage(tmp_path))

        yield make


def lobby(lan: Lan, stage: Stage, name: str, *arguments: str) -> Program:
    """Somebody in the lobby."""
    return stage.start(name, "lobby", "--port", "4471", *arguments, where=lan.at(name), discovery=True)


def host(lan: Lan, stage: Stage, name: str, *arguments: str) -> Program:
    """Somebody hosts the table oak-7 and lets the computer play."""
    words = ("host", GAME, "--table", "oak-7", "--rules", "size=1x1", "--auto", "easy", *arguments)
    return stage.start(name, *words, where=lan.at(name), discovery=True)


def join(lan: Lan, stage: Stage, name: str, what: str = "oak-7", *arguments: str) -> Program:
    return stage.start(name, "join", what, "--auto", "easy", *arguments, where=lan.at(name), discovery=True)


def listed(program: Program, word: str = "who") -> str:
    """What `who` or `network` answers, up to its last line."""
    last = {"who": "more listed on the network", "network": "others can type"}[word]
    begin = len(program.lines)
    program.type(word)
    program.expect(last)
    return "\n".join(program.lines[begin:])


# -- which network


def test_one_host_on_two_networks_is_found_on_both(make: MakeLan) -> None:
    """Each side dials the address it can reach, and not half-way round through the other one."""
    lan, stage = make("ada", "bob", "cyd", cables={"ada": (0, 1), "cyd": (1,)})
    ada = lobby(lan, stage, "ada")
    bob, cyd = lobby(lan, stage, "bob"), lobby(lan, stage, "cyd")
    for guest in (bob, cyd):
        guest.expect("* ada (", "is here")
        ada.expect("* ", "is here")
    connected = {guest.name: lan.do(guest.name, "ss -Htn state established") for guest in (bob, cyd)}
    for name, switch in (("bob", 0), ("cyd", 1)):
        peers = re.findall(r"(\S+):\d+\s*$", connected[name], re.MULTILINE)
        assert peers and all(
            peer.strip("[]").startswith((f"10.{9 - switch}.", "fe80:", "::ffff:10.")) for peer in peers
        )
    report = listed(ada, "network")
    assert re.search(r"lan0: 10\.9\.0\.1, fe80::\S+: multicast works; 1 found there", report)
    assert re.search(r"lan1: 10\.8\.0\.1, fe80::\S+: multicast works; 1 found there", report)
    assert "bob" not in listed(cyd)


def test_two_networks_with_nothing_in_common_say_what_was_tried(make: MakeLan) -> None:
    """Nobody for ten seconds: once, interface by interface, and that an address can be typed."""
    lan, stage = make("ada", "bob", cables={"bob": (1,)})
    ada, bob = lobby(lan, stage, "ada"), lobby(lan, stage, "bob")
    for somebody, nic in ((ada, "lan0: 10.9.0.1"), (bob, "lan1: 10.8.0.2")):
        somebody.expect("nobody was found in 10 seconds; what was tried")
        somebody.expect(nic, "multicast works; nobody found there")
        somebody.expect("an address always works: lantable join HOST:PORT")
        somebody.expect("lantable doctor")


def test_a_vpn_that_takes_everything_leaves_the_lan_usable(make: MakeLan) -> None:
    """A tunnel with the default route that nobody reads from: people on the LAN are found, and typed addresses work."""
    lan, stage = make("ada", "bob")
    for name, inside in (("ada", "10.200.0.1"), ("bob", "10.200.0.2")):
        lan.do(name, "ip tuntap add dev tun0 mode tun")
        lan.do(name, f"ip addr add {inside}/32 dev tun0")
        lan.do(name, "ip link set tun0 up")
        lan.do(name, "ip route add default dev tun0")
    players = [host(lan, stage, "ada"), join(lan, stage, "bob")]
    assert [player.ends() for player in players] == [0, 0]
    stage.assert_all_good("ada", "bob")


def test_interfaces_that_are_down_dead_or_late(make: MakeLan) -> None:
    """One is off, one has no cable, the good one comes when the program already runs: then people are found."""
    lan, stage = make("ada", "bob", cables={"ada": ()})
    for nic, address in (("off0", "10.1.0.1"), ("dead0", "10.2.0.1")):
        lan.do("ada", f"ip link add {nic} type veth peer name {nic}x")
        lan.do("ada", f"ip addr add {address}/24 dev {nic}")
    lan.do("ada", "ip link set dead0 up")
    ada, bob = lobby(lan, stage, "ada"), lobby(lan, stage, "bob")
    ada.expect("can reach you at")
    report = listed(ada, "network")
    assert "off0: 10.1.0.1: it is switched off" in report
    assert re.search(r"dead0: 10\.2\.0\.1.*: no cable", report)
    lan.connect("ada")
    ada.expect("* bob (", "is here")
    bob.expect("* ada (", "is here")
    assert "lan0: 10.9.0.1" in listed(ada, "network")


def test_an_address_that_changes_is_found_again(make: MakeLan) -> None:
    """Bob's network gives him another address: the silent connection is replaced by one to the new one."""
    lan, stage = make("ada", "bob")
    ada, bob = lobby(lan, stage, "ada"), lobby(lan, stage, "bob")
    ada.expect("* bob (", "is here")
    # Without IPv6 nothing but the address that changes leads to Bob.
    lan.do("bob", "ip -6 addr flush dev lan0")
    lan.do("bob", f"ip addr del {lan.address('bob')}/24 dev lan0")
    lan.do("bob", "ip addr add 10.9.0.77/24 dev lan0")
    ada.expect("* bob (", "connected again")
    assert "gone?" not in listed(ada)
    bob.type("quit")


def test_equal_names_are_told_apart(make: MakeLan) -> None:
    """Two Bobs: both are listed, each with the words of his key; the second one needs Ada's consent."""
    lan, stage = make("ada", "bob", "cyd")
    ada = lobby(lan, stage, "ada")
    for name in ("bob", "cyd"):
        lobby(lan, stage, name, "--name", "Bob")
    ada.expect("* Bob (", "is here")
    ada.expect("* Bob shows another key than the one you know")
    ada.expect("refused until you ask Bob in person")


@pytest.mark.parametrize("rule", ["tcp dport 4471 drop", "udp dport 5353 drop"])
def test_a_firewall_at_the_host_that_works_one_way(make: MakeLan, rule: str) -> None:
    """Ada cannot dial Bob, or Bob does not hear of Ada: one direction is enough, so they play."""
    lan, stage = make("ada", "bob")
    lan.firewall("bob", "input", rule)
    players = [host(lan, stage, "bob", "--port", "4471"), join(lan, stage, "ada")]
    assert [player.ends() for player in players] == [0, 0]
    stage.assert_all_good("ada", "bob")


@pytest.mark.parametrize("claim", [(), ("apart",)], ids=["one address", "an address each"])
def test_two_hundred_made_up_people_and_a_real_one_later(make: MakeLan, claim: tuple[str, ...]) -> None:
    """The list is full of them when Bob comes. He cannot dial; he is on Ada's list, so she does."""
    lan, stage = make("ada", "bob", "eve")
    lan.firewall("bob", "output", "tcp dport 4471 drop")
    ada = lobby(lan, stage, "ada")
    ada.expect("can reach you at")
    lan.do("eve", f"{sys.executable} -m tests.flooding names {lan.address('eve')} 200 1 {' '.join(claim)}")
    host(lan, stage, "bob", "--port", "4472")
    ada.expect("* bob (", "is here", seconds=5)
    ada.expect("open table oak-7")


# -- who vanishes


def test_a_killed_host_is_doubted_then_removed(make: MakeLan) -> None:
    """ "marked gone? in < 10 s, removed < 30 s, joining it fails in < 3 s with words" """
    lan, stage = make("ada", "bob")
    ada = lobby(lan, stage, "ada")
    bob = host(lan, stage, "bob")
    ada.expect("open table oak-7")
    bob.kill()
    ada.expect("* bob (", "gone? nobody answers where they were", seconds=10)
    ada.type("join oak-7")
    ada.expect("no open table is called 'oak-7'", "bob (", "gone?", "announced it", seconds=3)
    assert "bob" in listed(ada)
    ada.expect("* bob (", "not listed any more", seconds=30)
    assert "bob" not in listed(ada)


def test_a_pulled_cable_is_doubted_and_joining_there_fails_soon(make: MakeLan) -> None:
    """No packet says that it is gone: the heartbeats that do not come do; the request fails in words."""
    lan, stage = make("ada", "bob")
    ada = lobby(lan, stage, "ada")
    host(lan, stage, "bob")
    ada.expect("open table oak-7")
    lan.unplug("bob")
    ada.type("join oak-7")
    ada.expect("bob (", "does not answer: gone?", seconds=3.5)
    ada.expect("* bob (", "gone? nothing heard", seconds=GONE_SECONDS + 4)
    lan.plug("bob")


def test_looking_for_a_table_says_what_is_done(make: MakeLan) -> None:
    """At once what is looked for; who announced it and does not answer; what to try. One that comes then is found."""
    lan, stage = make("ada", "bob", "eve")
    ada = join(lan, stage, "ada", "flood", "--wait", "20")
    ada.expect("looking for the table flood, for 20 seconds at most", seconds=5)
    ada.expect("nobody has announced flood so far", "found are: nobody", seconds=5)
    ada.expect("An address always works")
    lan.do("eve", f"{sys.executable} -m tests.flooding names {lan.address('eve')} 1 0")
    ada.expect("mallory 0 (", "announced it at 10.9.0.250:9; connecting", seconds=5)
    ada.expect("mallory 0 (", "nobody answers at 10.9.0.250:9", seconds=10)
    ada.expect("still looking for flood", "1 people found")
    stage.start("bob", "host", GAME, "--table", "flood", where=lan.at("bob"), discovery=True)
    ada.expect("asked for a place at flood")


def test_an_address_where_nobody_is_any_more_fails_soon(make: MakeLan) -> None:
    """By a typed address, both where the machine still answers and where it does not."""
    lan, stage = make("ada", "bob")
    for unplugged, words in ((False, "Connection refused"), (True, "no answer in time")):
        if unplugged:
            lan.unplug("bob")
        ada = join(lan, stage, "ada", f"{lan.address('bob')}:4471")
        ada.expect("cannot connect", words, seconds=6)
        assert ada.ends() == 1
