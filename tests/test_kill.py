"""`kill -9` at every point of every event, and disks that went back in time: nobody signs twice, all records agree."""

import json
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from lantable.events import Ack, Signed
from lantable_net import messages
from tests.cli import run
from tests.crashing import POINTS, SENT
from tests.programs import GAME, Program, Stage

NAMES = ("ada", "bob")
ADA, BOB = 0, 1
LONG = 120.0
"""Seconds for a program of many lives."""


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with Stage(tmp_path) as stage:
        yield stage


def crashing(seat: int, deaths: list[tuple[int, str]]) -> tuple[str, ...]:
    return (sys.executable, "-m", "tests.crashing", json.dumps({"seat": seat, "deaths": deaths}))


def sit_down(stage: Stage, size: str, *deaths: list[tuple[int, str]]) -> tuple[Program, Program]:
    """Ada hosts and Bob joins; each dies these deaths and comes back."""
    port = str(stage.port())
    words = ("host", GAME, "--rules", f"size={size}", "--table", "oak-7", "--auto", "easy", "--port", port)
    ada = stage.start("ada", *words, program=crashing(ADA, deaths[ADA]))
    ada.address()
    bob = stage.start("bob", "join", f"127.0.0.1:{port}", "--auto", "easy", program=crashing(BOB, deaths[BOB]))
    return ada, bob


def signatures(stage: Stage) -> dict[tuple[object, ...], set[bytes]]:
    """For each key, game, number and kind: every signature that was ever handed to a connection."""
    found: dict[tuple[object, ...], set[bytes]] = defaultdict(set)
    for name in NAMES:
        for payload in (stage.folder / name / SENT).read_bytes().splitlines():
            match messages.read(payload):
                case Signed(event=event, sig=sig, game=game):
                    found["event", game, event.seq, event.seat].add(sig)
                case Ack(game=game, seq=seq, seat=seat, sig=sig):
                    found["ack", game, seq, seat].add(sig)
                case _:
                    pass
    return found


def assert_one_game_was_played(stage: Stage, last: int) -> None:
    """Both hold the same good record of `last` events, nothing was signed twice, and nobody accuses anybody."""
    records = [[p for p in stage.records(name) if p.read_bytes().count(b"\n") > 2] for name in NAMES]
    (ada,), (bob,) = records
    assert ada.read_bytes() == bob.read_bytes()
    assert ada.read_bytes().count(b"\n") == 2 * (last + 1)
    assert run("audit", str(ada), str(bob)).code == 0
    assert not [side for name in NAMES for side in stage.sides(name) if "torn" not in side]
    signed = signatures(stage)
    assert all(len(sigs) == 1 for sigs in signed.values())
    game = bytes.fromhex(ada.stem)
    assert {(kind, seq) for kind, of, seq, _ in signed if of == game} == {
        (kind, seq) for kind in ("event", "ack") for seq in range(last + 1)
    }


GROUPS = (
    ("before the write", "marked", "acknowledged"),
    ("half written", "written", "sent"),
    ("synced", "half sealed"),
)
"""All points, so that the later ones of a group can still be reached after the death at an earlier one."""


def all_deaths(events: int, points: tuple[str, ...]) -> list[tuple[int, str]]:
    return [(event, point) for event in range(events) for point in points]


def test_the_groups_are_all_points() -> None:
    """None is forgotten."""
    assert sorted(point for group in GROUPS for point in group) == sorted(POINTS)


@pytest.mark.parametrize("points", GROUPS, ids=", ".join)
@pytest.mark.parametrize("who", NAMES)
def test_killed_at_every_point_of_every_event(stage: Stage, who: str, points: tuple[str, ...]) -> None:
    """A whole game with two or three deaths of one side in each of its eight events."""
    programs = sit_down(stage, "2x1", *(all_deaths(8, points) if name == who else [] for name in NAMES))
    assert [program.ends(LONG) for program in programs] == [0, 0]
    assert_one_game_was_played(stage, 7)


def test_both_are_killed_in_every_event(stage: Stage) -> None:
    """Each at another point than the other."""
    deaths = [[(event, POINTS[(event + shift) % len(POINTS)]) for event in range(8)] for shift in (0, 3)]
    assert [program.ends(LONG) for program in sit_down(stage, "2x1", *deaths)] == [0, 0]
    assert_one_game_was_played(stage, 7)


@pytest.mark.evidence
@pytest.mark.parametrize("points", GROUPS, ids=", ".join)
@pytest.mark.parametrize("who", NAMES)
def test_killed_at_every_point_of_a_long_game(stage: Stage, who: str, points: tuple[str, ...]) -> None:
    """The same for the 61 events of the default board."""
    programs = sit_down(stage, "5x5", *(all_deaths(61, points) if name == who else [] for name in NAMES))
    assert [program.ends(10 * LONG) for program in programs] == [0, 0]
    assert_one_game_was_played(stage, 60)


def test_a_restored_backup_catches_up_before_it_signs(stage: Stage) -> None:
    """Bob's folder goes back by three events, two of them his own; alone he signs nothing; then the game goes on."""
    port = ("--port", str(stage.port()))
    ada = stage.start("ada", "host", GAME, "--rules", "size=2x1", *port, program=crashing(ADA, []))
    bob = stage.start("bob", "join", ada.address(), program=crashing(BOB, []))
    play(ada, "a1r", bob)
    backup = stage.folder / "backup"
    shutil.copytree(stage.folder / "bob", backup)
    play(bob, "a2r", ada)
    play(ada, "a3r", bob)
    play(bob, "a1d", ada)
    ada.expect("your turn")
    for program in (ada, bob):
        program.kill()
    sent = (stage.folder / "bob" / SENT).read_bytes()
    shutil.rmtree(stage.folder / "bob")
    backup.rename(stage.folder / "bob")
    (stage.folder / "bob" / SENT).write_bytes(sent)
    bob = stage.start("bob", "resume", program=crashing(BOB, []))
    bob.type("resign")
    bob.expect("still waiting to hear from player 1")
    ada = stage.start("ada", "resume", *port, program=crashing(ADA, []))
    for program in (ada, bob):
        program.expect("everyone is here")
    play(ada, "b1d", bob)
    play(ada, "a2d", bob)
    play(bob, "b2d", ada)
    assert (ada.ends(), bob.ends()) == (0, 0)
    assert_one_game_was_played(stage, 7)


def play(player: Program, move: str, watcher: Program) -> None:
    """Type a move when asked for it; both tell of it."""
    player.expect("your turn")
    player.type(move)
    for program in (player, watcher):
        program.expect_move(player.name, move)
