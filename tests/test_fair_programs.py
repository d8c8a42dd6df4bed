"""Games with hidden tiles between real programs on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from lantable_replays.audit import audit
from tests.games import make_host
from tests.programs import Stage


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


def test_those_who_are_left_go_on_without_who_vanished(stage: Stage) -> None:
    """ "survivors open a NEW game": board and scores stay, all else is drawn anew; the old record stays unfinished."""
    ada = stage.start("ada", "host", "binary-scrabble", "--seats", "3", "--open")
    address = ada.address()
    bob = stage.start("bob", "join", address)
    ada.expect("bob", "sat down")
    cyd = stage.start("cyd", "join", address)
    for player in (ada, bob, cyd):
        player.expect("the lot fell on")
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
    ada.type("stop")
    number = bob.match(r"(\d+): ada offers to stop")[1]
    bob.type(f"y {number}")
    for player in (ada, bob):
        player.expect("game over", "stopped by agreement")
        assert player.ends() == 0
    over: list[bytes] = []
    for name in ("ada", "bob"):
        codes = {audit(data := path.read_bytes(), make_host().rules_for).code: data for path in stage.records(name)}
        assert sorted(codes) == [0, 3]  # of the old game one may hold a line more than the other
        over.append(codes[0])
    assert over[0] == over[1]
