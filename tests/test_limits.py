"""What strangers may cost: places among connections, memory, the screen, and nothing of a game that runs."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lantable.keys import PrivateKey, PublicKey
from lantable_console.quiet import LINES_AT_ONCE, Quiet
from lantable_net.handshake import Peer
from lantable_net.messages import TableInfo, Tables
from lantable_net.news import TablesChanged
from lantable_net.node import CROWDED, MAX_KNOWN, MAX_LINKS, Close, Node
from tests.games import key
from tests.hosts import Lan
from tests.mesh import Mesh
from tests.programs import GAME, ROOT, Program, Stage, crowd, environment

# -- places among connections


class Door:
    """A node, and strangers who come in from hosts."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.closed: list[int] = []
        self._next = 1000

    def enter(self, host: str, who: PublicKey | None = None) -> int | None:
        """Somebody connects, with a fresh key unless one is given; the link, or None if they were refused."""
        self._next += 1
        link, public = self._next, who or PrivateKey(self._next.to_bytes(32, "big")).public
        peer = Peer(public, bytes(16), f"guest {link}", 1, "four-words-to-compare")
        effects = self.node.link_up(link, peer, dialled=False, address=(host, 4471))
        self.closed += [effect.link for effect in effects if isinstance(effect, Close) and effect.link != link]
        assert all(effect.reason == CROWDED for effect in effects if isinstance(effect, Close))
        return link if link in self.node.links else None


@pytest.fixture
def door() -> Door:
    """A node nobody is connected to."""
    return Door(Mesh(1).nodes[0])


def test_a_crowd_from_one_host_displaces_only_itself(door: Door) -> None:
    """64 keys from one machine fill the places; each newcomer from elsewhere takes one of theirs, the oldest."""
    crowd = [door.enter("10.0.0.66") for _ in range(2 * MAX_LINKS)]
    assert None not in crowd[:MAX_LINKS] and not any(crowd[MAX_LINKS:])
    friends = [door.enter(f"10.0.0.{number}") for number in range(1, 11)]
    assert None not in friends and door.closed == crowd[:10]
    assert [door.enter("10.0.0.66") for _ in range(100)] == [None] * 100
    assert not {*friends} & {*door.closed} and len(door.node.links) == MAX_LINKS


def test_among_equals_nobody_is_displaced(door: Door) -> None:
    """One from each of 64 machines: the 65th is refused, or they would take turns for ever."""
    assert None not in [door.enter(f"10.0.1.{number}") for number in range(MAX_LINKS)]
    assert door.enter("10.0.2.1") is None and not door.closed


def test_a_seat_of_a_running_game_always_has_a_place() -> None:
    """In a house full of strangers Bob comes back, and is not the one who goes when more come."""
    net = Mesh(2).sit("size=2x2")
    net.cut(0, 1)
    door = Door(net.nodes[0])
    for number in range(MAX_LINKS):
        door.enter(f"10.0.1.{number}")
    bob = door.enter("10.0.1.7", key(1).public)
    assert bob is not None and len(door.closed) == 1
    for _ in range(100):
        door.enter("10.0.3.3")
    assert bob in door.node.links and len(door.node.links) == MAX_LINKS


def test_addresses_of_made_up_keys_do_not_pile_up() -> None:
    """Those of the game's players stay."""
    net = Mesh(2).sit("size=2x2")
    node = net.nodes[0]
    node.learn(key(1).public, [("10.0.0.1", 4471)])
    for number in range(2 * MAX_KNOWN):
        node.learn(PrivateKey(number.to_bytes(32, "big")).public, [("10.0.0.66", number % 60000 + 1)])
    assert len(node.addresses) == MAX_KNOWN and ("10.0.0.1", 4471) in node.addresses[key(1).public]


def test_the_same_list_of_tables_again_is_no_news() -> None:
    """However often it is sent; a change is."""
    net = Mesh(2)
    net.connect(0, 1)
    before = len(net.told(0, TablesChanged))
    one = Tables((TableInfo("a", "g", "1", {}, (), 2, ()),), 4471)
    for message in (one, one, one, Tables((), 4471), one):
        net.send(1, 0, message)
    assert len(net.told(0, TablesChanged)) == before + 3


# -- the screen


def test_new_people_share_one_measure_and_friends_have_their_own() -> None:
    """Made-up keys cannot fill the screen; who was met before is not silenced by them; calm brings the news back."""
    quiet = Quiet()
    assert [quiet.tells(None, 0.0) for _ in range(1000)].count(True) <= LINES_AT_ONCE + 1
    assert quiet.hushes(None) and not quiet.hushes(None)
    assert quiet.tells(key(1).public, 0.0)
    assert quiet.tells(None, 100.0) and quiet.hushes(None)


# -- floods against real programs


def resident(program: Program) -> int:
    """Bytes of memory a program holds now (Linux)."""
    return int(Path(f"/proc/{program.pid}/statm").read_text().split()[1]) * 4096


def flood(*words: str, where: Sequence[str] = ()) -> "subprocess.Popen[str]":
    """Start an attacker."""
    command = [*where, sys.executable, "-m", "tests.flooding", *words]
    return subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)


def port_of(ada: Program) -> str:
    """Where it said that it listens."""
    return next(line.rpartition(":")[2] for line in ada.lines if "by address" in line)


SAFE_MOVES = [f"{column}{row}r" for row in range(1, 7) for column in "abcde"]
"""All lines along the rows of a 5x5 board: none closes a box, so two players take turns."""


def play_under(stage: Stage, start: Callable[[Program], "subprocess.Popen[str]"], **where: Any) -> int:
    """Two people play, move by move, until a flood against the host is over; how much came.

    The game must go on at a person's pace, its record be good, the screen be readable, and memory be bounded.
    """
    at = where.get("at", lambda _: ())
    discovery = bool(where)
    words = ("host", GAME, "--table", "oak-7", "--rules", "size=5x5", "--port", "0")
    ada = stage.start("ada", *words, where=at("ada"), discovery=discovery)
    bob = stage.start("bob", "join", ada.address(where.get("host", "127.0.0.1")), where=at("bob"), discovery=discovery)
    ada.expect("your turn")
    before, slowest, at_first = resident(ada), 0.0, crowd()
    with start(ada) as attacker:
        assert attacker.stdout
        assert attacker.stdout.readline() == "go\n"
        for number, move in enumerate(SAFE_MOVES):
            mover = (ada, bob)[number % 2]
            begin = time.monotonic()
            mover.type(move)
            for player in (ada, bob):
                player.match(rf"^\* {number + 1} {mover.name} .*\b{move};", seconds=5)
            slowest = max(slowest, time.monotonic() - begin)
        came = int(attacker.stdout.read())
    grown, limit = resident(ada) - before, 2 * max(at_first, crowd())
    print(f"{came} came; the slowest move took {slowest:.2f} s; memory grew by {grown >> 10} KiB")
    assert slowest < limit and grown < 32 << 20 and len(ada.lines) < 200
    ada.type("resign")
    for player in (ada, bob):
        player.expect("game over")
    assert (ada.ends(), bob.ends()) == (0, 0)
    stage.assert_all_good("ada", "bob")
    return came


@pytest.mark.parametrize("kind", ["silent", "frames"])
def test_a_game_goes_on_under_a_flood(tmp_path: Path, kind: str) -> None:
    """Connections that never say who they are; then eighty made-up keys that send whatever they may, unceasingly."""
    with Stage(tmp_path) as stage:
        assert play_under(stage, lambda ada: flood(kind, "127.0.0.1", port_of(ada), "4")) > 100 / crowd()


@pytest.mark.netns
def test_a_game_goes_on_under_ten_thousand_announcements(tmp_path: Path) -> None:
    """Multicast DNS from a third machine, each with a name, a key and an address of its own."""
    with Lan("ada", "bob", "eve") as lan, Stage(tmp_path) as stage:
        words = ("names", lan.address("eve"), "10000", "4")
        came = play_under(stage, lambda _: flood(*words, where=lan.at("eve")), at=lan.at, host=lan.address("ada"))
        assert came == 10_000
