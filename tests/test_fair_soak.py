"""Whole computer games with hidden tiles whose programs die at random: all records agree, and the audit is content.

Between real programs, killed with `kill -9` at any event of the dealing or of play and started again; and between nodes
in memory, whose disks go back in time as well. One of each every day; together 200 in the evidence runs.
"""

import random
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lantable_replays.audit import GOOD, audit
from tests.conftest import EVIDENCE
from tests.games import file, tile_host
from tests.mesh import Mesh, fair_dealer
from tests.programs import Program, Stage

PROGRAMS = 60 if EVIDENCE else 2
NODES = 140 if EVIDENCE else 4
PLAYERS = ("ada", "bob", "cyd")
LONG = 180.0
AUTO = ("--auto", "easy")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with Stage(tmp_path) as stage:
        yield stage


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_programs_that_are_killed_at_random(stage: Stage, seed: int) -> None:
    """Two or three players; up to three deaths, in the setting up or later, of one or of several at once."""
    rng = random.Random(f"programs {seed}")
    names = PLAYERS[: 2 + seed % 2]
    ports = {name: str(stage.port()) for name in names}
    rules = ("--rules", "scoreless_limit=1", "--seats", str(len(names)))
    words = ("host", "binary-scrabble", *rules, "--table", "oak-7", "--port", ports["ada"], *AUTO)
    running = {"ada": stage.start("ada", *words)}
    running["ada"].address()
    for name in names[1:]:
        running[name] = stage.start(name, "join", f"127.0.0.1:{ports['ada']}", "--port", ports[name], *AUTO)
    event = 0
    for _ in range(rng.randint(1, 3)):
        event += rng.randint(1, 9)
        dying = rng.sample(names, rng.randint(1, len(names)))
        with suppress(GameOver):
            wait_for_event(running[dying[0]], event)
            for name in dying:
                running[name].kill()
            for name in dying:
                running[name] = stage.start(name, "resume", "--port", ports[name], *AUTO)
    assert [running[name].ends(LONG) for name in names] == [0] * len(names)
    first = stage.record("ada")
    for name in names:
        assert stage.record(name) == first and stage.audit(name) == GOOD
        assert not [side for side in stage.sides(name) if "torn" not in side]


class GameOver(Exception):
    """It was over before anybody was killed."""


def wait_for_event(program: Program, event: int) -> None:
    """Until the program tells of this event or a later one."""
    while True:
        line = program.match(r"^\* (\d+) |game over", LONG).string
        if "game over" in line:
            raise GameOver
        told = re.match(r"\* (\d+) ", line)
        if told and int(told[1]) >= event:
            return


@pytest.mark.parametrize("seed", range(NODES))
def test_nodes_whose_disks_go_back_in_time(seed: int) -> None:
    """Every few events somebody's program starts again, with all of its record or an older one beside its mark."""
    rng = random.Random(f"nodes {seed}")
    seats = 2 + seed % 3
    net = Mesh(seats, tile_host(), dealer_of=fair_dealer).sit("tiles=9", game="lay")
    for _ in range(400):
        if net.session(0).table.position.outcome is not None:
            break
        if rng.random() < 0.2:
            who = rng.randrange(seats)
            held = len(net.disks[who].lines[net.game])
            net.restart(who, lines=held if rng.random() < 0.5 else rng.randint(1, held))
            net.beat()
        net.beat()
        movers = [who for who in range(seats) if net.session(who).my_turn]
        if movers and not net.session(movers[0]).table.position.deals:
            position = net.session(movers[0]).position
            assert position.due is not None
            move = rng.choice(list(position.rules.legal(position.state, position.due)))
            net.act(movers[0], lambda session, move=move: session.write("move", {"move": move}))  # type: ignore[misc]
    for _ in range(3):
        net.beat()
    (record,) = net.records()
    assert audit(file(record.split(b"\n")), net.host.rules_for).code == GOOD
    assert not [kept for disk in net.disks for kept in disk.kept]
