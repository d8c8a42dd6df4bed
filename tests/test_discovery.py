"""Discovery is a list of hints: short, bounded, unreadable ones left out; and multicast DNS really finds people."""

import os
import shutil
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from zeroconf import IPVersion, ServiceInfo, Zeroconf
from zeroconf._dns import DNSPointer
from zeroconf._protocol.outgoing import DNSOutgoing

from lantable.errors import Untrusted
from lantable.keys import PrivateKey, PublicKey
from lantable_net import mdns
from lantable_net.discovery import (
    MAX_HINTS,
    MAX_TXT,
    Changed,
    Discovery,
    Event,
    FakeLan,
    Found,
    Hint,
    Lost,
    Roster,
    Standing,
    Trouble,
    instance_name,
    is_instance_name,
    read_hint,
    write_txt,
)
from lantable_net.mdns import (
    DEAF,
    NO_NETWORK,
    ZeroconfDiscovery,
    worth_dialling,
)
from lantable_net.survey import SERVICE, SILENCE, Interfaces, announced, local_interfaces, survey

ROOT = Path(__file__).parent.parent


def key(number: int) -> PublicKey:
    return PrivateKey(number.to_bytes(32, "big")).public


ADA, BOB, EVE = key(1), key(2), key(3)
HERE = (("10.0.0.9", 4471),)


def hint(instance: str = "bob", **fields: str) -> Hint:
    return Hint(instance, HERE, None, fields.pop("name", "Bob"), **fields)


# -- names and texts

names = st.text(max_size=64)


@given(names, st.text(max_size=300))
def test_what_we_announce_is_read_back(name: str, status: str) -> None:
    """Whatever we are called; long texts are cut, and it always fits."""
    txt = write_txt(ADA, name, status, "0123abcd")
    assert len(txt) <= MAX_TXT
    read = read_hint("x", HERE, txt)
    assert read.key == ADA and read.run == "0123abcd"
    assert name.startswith(read.name) and status.startswith(read.status)
    assert (read.name, read.status) == (name, status) or len(txt) > 150


@given(names)
def test_an_instance_name_is_a_plain_label(name: str) -> None:
    """One DNS label that zeroconf takes, the same each time, and another for another key."""
    label = instance_name(name, ADA)
    assert is_instance_name(label) and label.endswith(ADA.hex[:8])
    assert label == label.lower() == instance_name(name, ADA) != instance_name(name, BOB)
    ServiceInfo(SERVICE, f"{label}.{SERVICE}")


def test_equal_names_are_different_instances() -> None:
    """And no name at all is one too."""
    assert instance_name("Bob @ Home", BOB) == f"bob---home-{BOB.hex[:8]}"
    assert instance_name("☃", BOB) == f"player-{BOB.hex[:8]}"


@pytest.mark.parametrize("text", ["", "x" * 64, "\ufffd", "a.b", "a b", "\u202e", "a\0", "é" * 32])
def test_what_we_would_never_be_called_is_no_instance(text: str) -> None:
    """Nothing that could move a cursor, and nothing zeroconf cannot write."""
    assert not is_instance_name(text)


def field(text: bytes) -> bytes:
    return bytes([len(text)]) + text


@pytest.mark.parametrize(
    "txt",
    [
        bytes(MAX_TXT + 1),
        b"\xff",
        b"\x05ab",
        field(b"id=zz"),
        field(b"id=" + b"0" * 64),
        field(b"id=" + ADA.hex[:62].encode()),
        field(b"id=" + ADA.hex[:62].encode() + b"  "),
        field(b"id=" + "é".encode() * 32),
        field(b"n=\xff"),
        field(b"n=" + b"x" * 65),
        field(b"s=" + b"x" * 200),
        field(b"r=" + b"x" * 17),
    ],
)
def test_what_cannot_be_read_is_refused(txt: bytes) -> None:
    """Too long, cut off, no key, no text."""
    with pytest.raises(Untrusted):
        read_hint("x", HERE, txt)


@given(st.binary(max_size=450))
def test_random_txt_raises_only_untrusted(txt: bytes) -> None:
    """Whatever strangers announce."""
    with suppress(Untrusted):
        read_hint("x", HERE, txt)


def test_the_first_of_two_fields_counts_and_unknown_ones_are_ignored() -> None:
    """RFC 6763 §6.4; a later version may say more."""
    read = read_hint("bob-1", HERE * 20, field(b"n=Bob") + field(b"n=Eve") + field(b"new=1") + field(b""))
    assert (read.name, read.key, read.status) == ("Bob", None, "")
    assert len(read.addresses) == 16
    assert read_hint("bob-1", HERE, b"").name == "bob-1"


# -- the list


def told(roster: Roster, *hints: Hint) -> list[Event]:
    """What is news after these became known."""
    for one in hints:
        roster.know(one)
    return roster.news()


def test_an_instance_is_found_changed_and_lost_once_each() -> None:
    """The same again is no news, nor is what came and went unseen."""
    roster = Roster("me")
    assert told(roster, hint()) == [Found(hint())]
    assert told(roster, hint()) == []
    assert told(roster, hint(status="open oak-7")) == [Changed(hint(status="open oak-7"))]
    roster.lose("bob")
    assert roster.news() == [Lost("bob")]
    roster.know(hint())
    roster.lose("bob")
    assert roster.news() == [] and roster.hints == ()


def test_our_own_announcement_is_not_listed() -> None:
    """It comes back to us all the time."""
    roster = Roster("me")
    roster.wait("me")
    assert told(roster, hint("me")) == [] and roster.ask() is None


def test_the_newest_is_asked_about_first() -> None:
    """Names that never answer do not delay the others."""
    roster = Roster("me")
    for number in range(200):
        roster.wait(f"dead-{number}")
    roster.wait("alive")
    assert roster.ask() == "alive"
    roster.answered("alive", hint("alive"))
    assert roster.news() == [Found(hint("alive"))]
    assert roster.ask() == "dead-199"
    roster.answered("dead-199", None)
    assert roster.news() == []


def test_who_left_before_the_answer_is_not_listed() -> None:
    """The answer was old."""
    roster = Roster("me")
    roster.wait("bob")
    assert roster.ask() == "bob"
    roster.lose("bob")
    roster.answered("bob", hint())
    assert roster.news() == []


# -- a list that is full


def at(host: str, number: int, **fields: str) -> Hint:
    """Somebody with a key of their own who says that they are there."""
    return Hint(f"guest-{number}", ((host, 4471),), key(number), f"Guest {number}", **fields)


def spoofed(many: int, *, apart: bool) -> list[Hint]:
    """Made-up people, all at one address or each at another."""
    return [at(f"10.6.6.{number}" if apart else "10.6.6.250", number + 1000) for number in range(many)]


BOB_THERE = at("10.0.0.2", 2)


@pytest.mark.parametrize("apart", [False, True], ids=["one address", "an address each"])
def test_two_hundred_made_up_people_do_not_keep_a_real_one_off_the_list(apart: bool) -> None:
    """Whether he comes before them, or later; and a list once full is not full for good."""
    early, late = Roster("me"), Roster("me")
    assert told(early, BOB_THERE, *spoofed(200, apart=apart))[0] == Found(BOB_THERE)
    assert Found(BOB_THERE) in told(late, *spoofed(200, apart=apart), BOB_THERE)
    for roster in (early, late):
        assert len(roster.hints) == MAX_HINTS and BOB_THERE in roster.hints


def test_whoever_was_proved_or_met_before_stays() -> None:
    """Strangers go before friends, and those who were dialled in vain before strangers."""
    roster, standings = Roster("me"), dict[PublicKey | None, Standing]()
    roster.standing = lambda who: standings.get(who, Standing.STRANGE)
    everybody = [at(f"10.0.0.{number}", number) for number in range(1, MAX_HINTS + 1)]
    standings |= dict.fromkeys((one.key for one in everybody), Standing.KNOWN)
    standings[key(7)] = Standing.PROVED
    told(roster, *everybody)
    assert told(roster, *spoofed(200, apart=True)) == []
    standings[key(9)] = Standing.STRANGE
    friend = at("10.1.0.1", 900)
    standings[friend.key] = Standing.KNOWN
    assert told(roster, friend) == [Lost("guest-9"), Found(friend)]
    standings[key(7)] = Standing.SILENT
    assert told(roster, at("10.1.0.2", 901)) == [Lost("guest-7"), Found(at("10.1.0.2", 901))]


def test_a_friend_s_key_in_other_mouths_counts_once() -> None:
    """Keys are public: whoever says it two hundred times takes one place."""
    roster = Roster("me")
    roster.standing = lambda who: Standing.KNOWN if who == BOB else Standing.STRANGE
    liars = [Hint(f"bob-{number}", ((f"10.6.0.{number}", 1),), BOB, "Bob") for number in range(200)]
    told(roster, *liars)
    strangers = [at(f"10.0.0.{number}", number + 100) for number in range(MAX_HINTS)]
    told(roster, *strangers)
    assert [one.key for one in roster.hints].count(BOB) == 1


def test_a_freed_place_goes_to_one_who_was_left_out() -> None:
    """A full list does not forget everybody else for good; whoever is listed may go on changing."""
    roster = Roster("me")
    told(roster, *(hint(f"guest-{number}") for number in range(MAX_HINTS)))
    assert told(roster, hint("late")) == [] and roster.ask() is None
    assert told(roster, hint("guest-5", status="here")) == [Changed(hint("guest-5", status="here"))]
    roster.lose("guest-3")
    roster.reconsider()
    assert roster.ask() == "late"


def test_ten_thousand_made_up_names_cost_nothing() -> None:
    """The list stays as short as it was, who came first stays in it, and memory is flat."""
    roster = Roster("me")
    roster.know(BOB_THERE)

    def flood(prefix: str) -> int:
        for number in range(5000):
            roster.know(hint(f"{prefix}-{number}"))
            roster.wait(f"{prefix}-dead-{number}")
        roster.news()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first = flood("a")
        assert flood("b") - first < 10_000
    finally:
        tracemalloc.stop()
    assert len(roster.hints) == MAX_HINTS and roster.hints[0] == BOB_THERE


steps = st.lists(
    st.tuples(st.sampled_from(["wait", "know", "lose", "ask", "reconsider", "news"]), st.integers(0, 90)), max_size=200
)


@given(steps)
def test_events_tell_exactly_what_the_list_holds(todo: list[tuple[str, int]]) -> None:
    """Replaying the events gives the list, whenever it is asked for them, and no limit is ever passed."""
    roster, shadow = Roster("0"), dict[str, Hint]()
    for what, number in [*todo, ("news", 0)]:
        name = str(number)
        if what == "wait":
            roster.wait(name)
        elif what == "know":
            roster.know(hint(name, status=str(number % 2)))
        elif what == "lose":
            roster.lose(name)
        elif what == "reconsider":
            roster.reconsider()
        elif what == "ask":
            if (asked := roster.ask()) is not None:
                roster.answered(asked, hint(asked))
        else:
            for event in roster.news():
                if isinstance(event, Lost):
                    del shadow[event.instance]
                elif isinstance(event, Found | Changed):
                    assert (event.hint.instance in shadow) == isinstance(event, Changed)
                    shadow[event.hint.instance] = event.hint
            assert {entry.instance: entry for entry in roster.hints} == shadow
        assert len(roster.hints) <= MAX_HINTS and "0" not in shadow


# -- the network for tests


async def heard(discovery: Discovery) -> Event:
    """The next thing this discovery tells, trouble left out."""
    with trio.fail_after(5):
        async for event in discovery.events:
            if not isinstance(event, Trouble):
                return event
    raise AssertionError


@asynccontextmanager
async def running(discovery: Discovery, port: int) -> AsyncIterator[None]:
    """The discovery runs for the length of the block."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(discovery.run, port)
        yield
        nursery.cancel_scope.cancel()


async def test_two_on_a_fake_network_hear_of_each_other() -> None:
    """Found, changed, lost, as on a real one; who comes later hears of who is there."""
    lan = FakeLan()
    ada, bob = lan.discovery(ADA, "Ada"), lan.discovery(BOB, "Bob", "10.0.0.2")
    bob.update_status("open oak-7")
    async with running(ada, 1):
        async with running(bob, 2):
            found = await heard(ada)
            assert isinstance(found, Found)
            assert (found.hint.key, found.hint.name) == (BOB, "Bob")
            assert (found.hint.addresses, found.hint.status) == ((("10.0.0.2", 2),), "open oak-7")
            there = await heard(bob)
            assert isinstance(there, Found) and there.hint.key == ADA
            bob.update_status("")
            assert isinstance(await heard(ada), Changed)
        assert await heard(ada) == Lost(found.hint.instance)


async def test_a_liar_on_a_fake_network_is_listed_like_everybody() -> None:
    """A hint with Alice's key and Eve's port: that is for the handshake to find out."""
    lan = FakeLan()
    lie = Hint("alice-x", (("10.0.0.66", 6),), ADA, "Alice")
    lan.announce(lie)
    bob = lan.discovery(BOB, "Bob")
    async with running(bob, 2):
        assert await heard(bob) == Found(lie)
        lan.withdraw("alice-x")
        assert await heard(bob) == Lost("alice-x")


async def test_who_is_killed_stays_listed() -> None:
    """Only a goodbye takes one off the list at once; liveness is found out by talking."""
    lan = FakeLan()
    ada, bob = lan.discovery(ADA, "Ada"), lan.discovery(BOB, "Bob", goodbye=False)
    async with running(ada, 1):
        async with running(bob, 2):
            assert isinstance(await heard(ada), Found)
        with pytest.raises(trio.WouldBlock):
            ada.events.receive_nowait()


# -- addresses


def interfaces(*cidrs: str) -> Interfaces:
    return frozenset((f"if{number}", ip_interface(cidr)) for number, cidr in enumerate(cidrs))


def test_the_lan_is_announced_and_loopback_only_without_one() -> None:
    """Two peers on one machine without a network still find each other."""
    loopback = ("127.0.0.1/8", "::1/128")
    assert announced(interfaces(*loopback)) == ["127.0.0.1", "::1"]
    lan = interfaces(*loopback, "fe80::5/64", "fd00::5/64", "10.0.0.5/24")
    assert announced(lan) == ["10.0.0.5", "fd00::5", "fe80::5"]
    assert len(announced(interfaces(*(f"10.0.{n}.1/24" for n in range(50))))) == 16


def test_addresses_on_a_network_of_ours_are_dialled_first() -> None:
    """A host on two networks announces both; the other one's bridge is not where it is."""
    ours = interfaces("127.0.0.1/8", "10.0.0.5/24", "fe80::5/64")
    said = ["172.17.0.1", "127.0.0.1", "fe80::9%2", "0.0.0.0", "224.0.0.1", "10.0.0.9", "fd00::9"]
    assert worth_dialling(said, ours) == ["10.0.0.9", "fe80::9%2", "172.17.0.1", "fd00::9"]


def test_loopback_is_dialled_only_by_those_who_have_nothing_else() -> None:
    """Else a stranger could make us knock at our own machine's doors."""
    assert worth_dialling(["127.0.0.1", "::1"], interfaces("127.0.0.1/8", "::1/128")) == ["127.0.0.1", "::1"]
    assert worth_dialling(["127.0.0.1", "::1"], interfaces("127.0.0.1/8", "10.0.0.5/24")) == []


# -- the real thing


def multicast_works() -> bool:
    async def any_hears() -> bool:
        return any(nic.works for nic in await survey(local_interfaces()))

    return trio.run(any_hears)


needs_multicast = pytest.mark.skipif(not multicast_works(), reason="multicast does not work on this machine")


async def hears_of(discovery: Discovery, who: PublicKey) -> Hint:
    """Wait until it lists this key."""
    while True:
        event = await heard(discovery)
        if isinstance(event, Found) and event.hint.key == who:
            return event.hint


@needs_multicast
async def test_two_really_find_each_other_quickly() -> None:
    """Both list each other in 1.5 s; a changed status is seen, and so is the goodbye."""
    ada, bob = ZeroconfDiscovery(ADA, "Ada"), ZeroconfDiscovery(BOB, "Bob")
    async with running(ada, 41):
        async with running(bob, 42):
            with trio.fail_after(1.5):
                seen = await hears_of(ada, BOB)
                assert (await hears_of(bob, ADA)).name == "Ada"
            assert seen.name == "Bob" and {port for _, port in seen.addresses} == {42}
            bob.update_status("open oak-7 dots-and-boxes")
            while (event := await heard(ada)) != Changed(event.hint) or not event.hint.status:  # type: ignore[union-attr]  # Lost has none
                pass
            assert event.hint.status == "open oak-7 dots-and-boxes"
        while await heard(ada) != Lost(seen.instance):
            pass


@needs_multicast
async def test_names_that_never_answer_do_not_delay_the_others() -> None:
    """Two hundred pointers to nothing, then Bob: he is listed in less than a second."""
    ada, bob = ZeroconfDiscovery(ADA, "Ada"), ZeroconfDiscovery(BOB, "Bob")
    async with running(ada, 41):
        with Zeroconf(ip_version=IPVersion.All) as crowd:
            for number in range(200):
                crowd.send(pointer(f"dead-{number}"))
            async with running(bob, 42):
                with trio.fail_after(1):
                    await hears_of(ada, BOB)


def pointer(instance: str) -> DNSOutgoing:
    """An answer that says only that there is such an instance."""
    answer = DNSOutgoing(0x8400)
    answer.add_answer_at_time(DNSPointer(SERVICE, 12, 1, 4500, f"{instance}.{SERVICE}"), 0)
    return answer


@needs_multicast
async def test_a_name_that_cannot_be_written_is_forgotten() -> None:
    """zeroconf's browser dies when it repeats a name whose broken UTF-8 has grown; one packet would be enough."""
    ada = ZeroconfDiscovery(ADA, "Ada")
    name = "(" + "\ufffd" * 40 + "." + SERVICE
    with Zeroconf(interfaces=["127.0.0.1"]) as engine:

        async def known() -> int:
            return len(engine.cache.async_entries_with_name(SERVICE))

        async def learn() -> None:
            engine.cache.async_add_records([DNSPointer(SERVICE, 12, 1, 4500, name)])

        await mdns._over_there(engine, learn())
        assert await mdns._over_there(engine, known()) == 1
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ada._sweep, engine)
            ada._hear(name, False)
            await trio.testing.wait_all_tasks_blocked()
            assert await mdns._over_there(engine, known()) == 0
            nursery.cancel_scope.cancel()
    with pytest.raises(trio.WouldBlock):
        ada.events.receive_nowait()


async def trouble(discovery: Discovery) -> str:
    """What it complains of next."""
    with trio.fail_after(5):
        async for event in discovery.events:
            if isinstance(event, Trouble):
                return event.text
    raise AssertionError


async def test_where_multicast_is_impossible_it_says_so_and_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """No exception comes out; once it works, all is well."""
    tries = list[str]()

    def fails_twice(**settings: Any) -> Zeroconf:
        tries.append("once more")
        if len(tries) <= 2:
            raise OSError("no such device")
        return Zeroconf(**settings)

    monkeypatch.setattr(mdns, "Zeroconf", fails_twice)
    ada = ZeroconfDiscovery(ADA, "Ada", poll_seconds=0.01)
    async with running(ada, 41):
        assert "no such device" in await trouble(ada)
        assert "no such device" not in await trouble(ada)
        assert len(tries) == 3


async def test_what_keeps_people_off_the_list_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """No network; then one, but a firewall; then all is well."""
    now, deaf = interfaces("127.0.0.1/8", "::1/128"), True

    async def echo(_name: str, _ip: object) -> str:
        return SILENCE if deaf else ""

    monkeypatch.setattr(mdns, "local_interfaces", lambda: now)
    monkeypatch.setattr("lantable_net.survey.echo", echo)
    ada = ZeroconfDiscovery(ADA, "Ada", poll_seconds=0.01)
    async with running(ada, 41):
        assert await trouble(ada) == NO_NETWORK
        now |= interfaces("10.0.0.5/24")
        assert await trouble(ada) == DEAF
        deaf = False
        now |= interfaces("10.0.0.6/24")
        assert await trouble(ada) == ""


def test_this_machine_has_interfaces() -> None:
    """Loopback at least, with its network."""
    assert ip_interface("127.0.0.1/8") in {interface for _, interface in local_interfaces()}


# -- networks of their own

SCRIPT = """
import sys, trio
from lantable.keys import PrivateKey
from lantable_net.mdns import ZeroconfDiscovery

async def main(me):
    one = ZeroconfDiscovery(PrivateKey(bytes([me]) * 32).public, str(me))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one.run, 4471)
        async for event in one.events:
            print(event, flush=True)

trio.run(main, int(sys.argv[1]))
"""
"""Prints what it hears until it is killed."""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def namespaces() -> Iterator[tuple[str, str]]:
    """Two machines, each with loopback and one end of a cable."""
    if os.geteuid() or not shutil.which("ip"):
        pytest.skip("needs root and iproute2")
    one, other = (f"lantable-{os.getpid()}-{end}" for end in "ab")
    try:
        for name in (one, other):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no network namespaces here: {error.stderr!r}")
    try:
        ip("link", "add", "cable", "netns", one, "type", "veth", "peer", "name", "cable", "netns", other)
        yield one, other
    finally:
        for name in (one, other):
            ip("netns", "del", name)


def meet(*where: str) -> list[str]:
    """Player 1 in the first namespace, 2 in the second: the first hint each heard, and what came before it."""
    path = os.pathsep.join(str(ROOT / folder) for folder in ("core", "net"))
    with ExitStack() as stack:
        players = [
            stack.enter_context(
                subprocess.Popen(
                    ["ip", "netns", "exec", name, sys.executable, "-c", SCRIPT, str(number)],
                    env={**os.environ, "PYTHONPATH": path},
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for number, name in enumerate(where, 1)
        ]
        for player in players:
            stack.callback(player.kill)
            # Whoever hears nothing is killed, and then its output ends.
            timer = threading.Timer(20, player.kill)
            timer.start()
            stack.callback(timer.cancel)
        return ["".join(until(player.stdout, "Found")) for player in players]


def until(lines: Iterable[str] | None, word: str) -> Iterator[str]:
    """The lines up to the first that begins with the word."""
    for line in lines or ():
        yield line
        if line.startswith(word):
            return


@pytest.mark.netns
def test_two_on_one_machine_without_any_network(namespaces: tuple[str, str]) -> None:
    """Only loopback: they find each other all the same, and are told that nobody else will be found."""
    for said in meet(namespaces[0], namespaces[0]):
        assert "('127.0.0.1', 4471)" in said and "on no network" in said


@pytest.mark.netns
@pytest.mark.parametrize(
    ("addresses", "first"), [(["10.9.0.1/24", "10.9.0.2/24"], "10.9.0."), ([], "fe80::")], ids=["IPv4", "IPv6 alone"]
)
def test_a_lan_without_a_router(namespaces: tuple[str, str], addresses: list[str], first: str) -> None:
    """No default route, or not even IPv4: the announced address is the one on the LAN, never loopback."""
    for name in namespaces:
        # Duplicate address detection would take two seconds. The higher of the two settings counts.
        off = [f"net.ipv6.conf.{which}.accept_dad=0" for which in ("all", "cable")]
        subprocess.run(["ip", "netns", "exec", name, "sysctl", "-qw", *off], check=True)
    for name, address in zip(namespaces, addresses, strict=False):
        ip("-n", name, "addr", "add", address, "dev", "cable")
    for name in namespaces:
        ip("-n", name, "link", "set", "cable", "up")
    for said in meet(*namespaces):
        assert f"addresses=(('{first}" in said and "127.0.0.1" not in said
