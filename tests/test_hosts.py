"""Whole games between hosts that share nothing but a LAN: discovery, the mesh, typed addresses, a pulled cable."""

import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.hosts import Lan
from tests.programs import GAME, PATIENCE, ROOT, TOGETHER, Program, Stage, environment

pytestmark = pytest.mark.netns

MakeLan = Callable[..., tuple[Lan, Stage]]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeLan]:
    """`make("ada", "bob", ipv4=False)`: a LAN of these hosts, and the stage for programs on them."""
    with ExitStack() as stack:

        def make(*hosts: str, **how: Any) -> tuple[Lan, Stage]:
            lan = stack.enter_context(Lan(*hosts, **how))
            return lan, stack.enter_context(Stage(tmp_path))

        yield make


def host(lan: Lan, stage: Stage, *arguments: str, seats: int = 2, discovery: bool = True) -> Program:
    """Ada opens the table oak-7."""
    words = ("host", GAME, "--table", "oak-7", "--seats", str(seats), "--port", "4471", *arguments)
    return stage.start("ada", *words, where=lan.at("ada"), discovery=discovery)


def join(lan: Lan, stage: Stage, name: str, *arguments: str, discovery: bool = True) -> Program:
    return stage.start(name, "join", *arguments, where=lan.at(name), discovery=discovery)


def play(player: Program, move: str, *watchers: Program) -> None:
    """Type a move when asked for it; these tell of it."""
    player.expect("your turn")
    player.type(move)
    for watcher in watchers:
        watcher.expect_move(player.name, move)


@pytest.mark.parametrize("names", [("ada", "bob"), ("ada", "bob", "cyd")], ids=["two", "three"])
def test_people_on_one_lan_find_each_other_and_play(make: MakeLan, names: tuple[str, ...]) -> None:
    """By multicast DNS alone: they meet, play to the end, and hold the same record, which the audit calls good."""
    lan, stage = make(*names)
    players = [host(lan, stage, "--auto", "easy", "--rules", "size=2x2", seats=len(names))]
    players += [join(lan, stage, name, "oak-7", "--auto", "easy") for name in names[1:]]
    assert [player.ends() for player in players] == [0] * len(names)
    stage.assert_all_good(*names)


def test_a_lan_with_nothing_but_link_local_ipv6(make: MakeLan) -> None:
    """No router, no IPv4: the table is found by name all the same."""
    lan, stage = make("ada", "bob", ipv4=False)
    players = [
        host(lan, stage, "--auto", "easy", "--rules", "size=1x1"),
        join(lan, stage, "bob", "oak-7", "--auto", "easy"),
    ]
    assert [player.ends() for player in players] == [0, 0]
    stage.assert_all_good("ada", "bob")


def test_a_typed_address_needs_no_discovery(make: MakeLan) -> None:
    """`lantable join HOST:PORT` on hosts that neither announce nor look."""
    lan, stage = make("ada", "bob")
    ada = host(lan, stage, "--auto", "easy", "--rules", "size=1x1", discovery=False)
    ada.expect(f"or by address: lantable join {lan.address('ada')}:4471")
    bob = join(lan, stage, "bob", f"{lan.address('ada')}:4471", "--auto", "easy", discovery=False)
    assert (ada.ends(), bob.ends()) == (0, 0)
    stage.assert_all_good("ada", "bob")


def test_where_multicast_is_blocked_the_host_tells_the_guests_of_each_other(make: MakeLan) -> None:
    """Three who know only the host's address: what the host says of the others is enough for the mesh."""
    lan, stage = make("ada", "bob", "cyd", multicast=False)
    ada = host(lan, stage, "--auto", "easy", "--rules", "size=1x1", seats=3)
    ada.address()
    guests = [join(lan, stage, name, f"{lan.address('ada')}", "--auto", "easy") for name in ("bob", "cyd")]
    # Bob and Cyd are connected to each other, too: without that no K line would ever be written.
    assert "cyd" in guests[0].match(r"\* (\S+) .* is here").string or guests[0].expect("* cyd (")
    assert [player.ends() for player in (ada, *guests)] == [0, 0, 0]
    stage.assert_all_good("ada", "bob", "cyd")


def test_a_killed_program_comes_back_at_another_port(make: MakeLan) -> None:
    """It said no goodbye, so the network still announces the old one; the new one is found all the same."""
    lan, stage = make("ada", "bob")
    ada, bob = host(lan, stage, "--rules", "size=1x1"), join(lan, stage, "bob", "oak-7")
    play(ada, "a1r", ada, bob)
    bob.kill()
    ada.expect("* bob", "is not connected any more")
    resume = ("resume", "--auto", "easy", "--port")
    bob = stage.start("bob", *resume, "5001", where=lan.at("bob"), discovery=True)
    ada.expect("* bob", "is here")
    ada.expect("bob plays")
    ada.kill()
    bob.expect("* ada", "is not connected any more")
    ada = stage.start("ada", *resume, "5002", where=lan.at("ada"), discovery=True)
    assert (ada.ends(), bob.ends()) == (0, 0)
    stage.assert_all_good("ada", "bob")


def test_a_game_of_three_survives_a_pulled_cable(make: MakeLan) -> None:
    """Bob's cable is out for a moment and his connections wait for it; Cyd's is out until all of hers are dead."""
    lan, stage = make("ada", "bob", "cyd")
    ada = host(lan, stage, "--rules", "size=2x1", seats=3)
    ada.address()
    players = [ada]
    for name in ("bob", "cyd"):
        players.append(join(lan, stage, name, "oak-7"))
        ada.expect(f"* {name} ", "sat down")
    _, bob, cyd = players

    play(ada, "a1r", *players)
    # What Bob needs for his move must be with him before his cable is out.
    bob.expect("your turn")
    lan.unplug("bob")
    bob.type("a2r")
    bob.expect_move("bob", "a2r")
    lan.plug("bob")
    for player in (ada, cyd):
        player.expect_move("bob", "a2r")
    play(cyd, "a3r", *players)
    lan.unplug("cyd")
    play(ada, "a1d", ada, bob)
    # Event 4 now lacks Cyd's acknowledgement.
    lan.forget_connections("cyd")
    for _ in range(2):
        cyd.expect("is not connected any more")
    lan.plug("cyd")
    cyd.expect_move("ada", "a1d")
    play(bob, "b1d", *players)
    play(bob, "a2d", *players)
    play(cyd, "b2d", *players)
    assert [player.ends() for player in players] == [0, 0, 0]
    stage.assert_all_good("ada", "bob", "cyd")


KILLED_RUN = """
import signal, sys
from pathlib import Path
from tests.hosts import Lan, small_disk
from tests.programs import Stage

folder = Path(sys.argv[1])
with Lan("ada") as lan, small_disk(folder / "ada"), Stage(folder) as stage:
    stage.start("ada", "lobby", where=lan.at("ada")).address()
    print("ready", flush=True)
    signal.pause()
"""


@pytest.mark.skipif(not TOGETHER, reason="needs setpriv")
def test_a_test_run_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """Programs, networks and disks end with it. A namespace has no name here: it is gone with its last process."""
    command = [sys.executable, "-c", KILLED_RUN, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        if run.stdout.readline() != b"ready\n":
            pytest.skip("no namespaces here")
        left = [os.pidfd_open(int(pid)) for pid in Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()]
        run.kill()
    assert len(left) == 4  # two networks, a disk, and Ada
    for process in left:
        assert select.select([process], [], [], PATIENCE)[0]
        os.close(process)
