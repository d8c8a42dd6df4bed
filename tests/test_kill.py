"""`kill -9` at every point of every event, and disks that went back in time: nobody signs twice, all records agree."""

import json
import shutil
import socket
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from lantable.events import Ack, Signed
from lantable_net import messages
from tests.crashing import POINTS, SENT
from tests.programs import GAME, Program, Stage

NAMES = ("ada", "bob")
ADA, BOB = 0, 1


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with Stage(tmp_path) as stage:
        yield stage


def free_port() -> int:
    """A port to come back to after a crash."""
    with socket.socket() as listener:
        listener.bind(("", 0))
        port: int = listener.getsockname()[1]
        return port


def crashing(seat: int, deaths: list[tuple[int, str]]) -> tuple[str, ...]:
    return (sys.executable, "-m", "tests.crashing", json.dumps({"seat": seat, "deaths": deaths}))


def sit_down(stage: Stage, size: str, *deaths: list[tuple[int, str]]) -> tuple[Program, Program]:
    """Ada hosts and Bob joins; each dies these deaths and comes back."""
    port = str(free_port())
    words = ("host", GAME, "--rules", f"size={size}", "--table", "oak-7", "--auto", "easy", "--port", port)
    ada = stage.start("ada", *words, program=crashing(ADA, deaths[ADA]))
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
    assert stage.start("ada", "audit", str(ada), str(bob)).ends() == 0
    assert not [side for name in NAMES for side in stage.sides(name) if "torn" not in side]
    signed = signatures(stage)
    assert all(len(sigs) == 1 for sigs in signed.values())
    game = bytes.fromhex(ada.stem)
    assert {(kind, seq) for kind, of, seq, _ in signed if of == game} == {
        (kind, seq) for kind in ("event", "ack") for seq in range(last + 1)
    }


@pytest.mark.parametrize("offset", range(len(POINTS)))
@pytest.mark.parametrize("who", NAMES)
def test_killed_once_in_every_event(stage: Stage, who: str, offset: int) -> None:
    """Eight events, each at another point: the eight offsets together are every point of every event."""
    deaths = [(event, POINTS[(event + offset) % len(POINTS)]) for event in range(8)]
    programs = sit_down(stage, "2x1", *(deaths if name == who else [] for name in NAMES))
    assert [program.ends() for program in programs] == [0, 0]
    assert_one_game_was_played(stage, 7)
