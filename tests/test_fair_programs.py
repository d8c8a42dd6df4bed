"""Games with hidden tiles between real programs on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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
