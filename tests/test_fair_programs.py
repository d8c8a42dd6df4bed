"""Games with hidden tiles between real programs on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lantable_replays.audit import audit
from tests.games import make_host
from tests.programs import Program, Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with Stage(tmp_path) as stage:
        yield stage


@pytest.mark.parametrize("seats", [2, 3])
def test_a_game_over_the_network_is_dealt_by_all_together(stage: Stage, seats: int) -> None:
    """Two or three programs; every copy is the same, complete, and good at all three levels."""
    rules = ("--rules", "scoreless_limit=1", "--auto", "easy")
    ada = stage.start("ada", "host", "binary-scrabble", "--seats", str(seats), *rules)
    names = ["ada", "bob", "cyd"][:seats]
    others = [stage.start(name, "join", ada.address(), "--auto", "easy") for name in names[1:]]
    for player in (ada, *others):
        player.expect("game over")
        assert player.ends() == 0
    stage.assert_all_good(*names)


def three(stage: Stage, *words: str) -> list[Program]:
    """Ada hosts a table of three; Bob and Cyd sit down in that order."""
    ada = stage.start("ada", "host", *words, "--seats", "3", "--open")
    address = ada.address()
    bob = stage.start("bob", "join", address)
    ada.expect("bob", "sat down")
    return [ada, bob, stage.start("cyd", "join", address)]


def without_cyd(ada: Program, bob: Program, cyd: Program) -> None:
    """Cyd is gone for good; Ada asks to go on, and Bob agrees."""
    cyd.kill()
    ada.expect("paused: cyd is lost")
    bob.expect("paused: cyd is lost")
    ada.type("continue")
    ada.expect("the others are asked to go on without cyd")
    number = bob.match(r"(\d+): ada asks to go on without cyd")[1]
    bob.type(f"y {number}")
    for player in (ada, bob):
        player.expect("stays as it is; another game goes on from it")
        player.expect("begins; player 1 is ada, player 2 is bob")


def finished(stage: Stage) -> None:
    """Ada and Bob hold the same finished record, and an unfinished one: one of them may hold a line more of that."""
    over: list[bytes] = []
    for name in ("ada", "bob"):
        codes = {audit(data := path.read_bytes(), make_host().rules_for).code: data for path in stage.records(name)}
        assert sorted(codes) == [0, 3]
        over.append(codes[0])
    assert over[0] == over[1]


def test_those_who_are_left_go_on_without_who_vanished(stage: Stage) -> None:
    """ "survivors open a NEW game": board and scores stay, all else is drawn anew; the old record stays unfinished."""
    ada, bob, cyd = three(stage, "binary-scrabble")
    for player in (ada, bob, cyd):
        player.expect("the lot fell on")
    without_cyd(ada, bob, cyd)
    ada.type("stop")
    number = bob.match(r"(\d+): ada offers to stop")[1]
    bob.type(f"y {number}")
    for player in (ada, bob):
        player.expect("game over", "stopped by agreement")
        assert player.ends() == 0
    finished(stage)


def test_boxes_of_who_vanished_are_nobodys(stage: Stage) -> None:
    """Cyd owns a box and has to draw again when the program dies; Ada wins what is left."""
    ada, bob, cyd = players = three(stage, "dots-and-boxes", "--rules", "size=1x2", "--first", "me")
    for player, move in ((ada, "a1r"), (bob, "a2r"), (cyd, "c1d"), (ada, "b1d"), (bob, "b1r"), (cyd, "a1d")):
        player.type(move)
        for each in players:
            each.expect(move)
    without_cyd(ada, bob, cyd)
    ada.type("b2r")
    for player in (ada, bob):
        player.expect("game over: ada wins (ada 1, bob 0")
        assert player.ends() == 0
    finished(stage)
