"""Fair dealing without a dealer: nobody sees another's tiles, nobody chooses, and the audit names who deviated."""

from collections import Counter
from typing import Any

import pytest

from lantable.dealing import HIDDEN
from lantable.dealing.fair import FairDeal
from lantable_replays.audit import audit
from tests.games import Sitting, make_host

SEATS = pytest.mark.parametrize("seats", [2, 3, 4])


def fair(options: str = "", seats: int = 2, seed: int = 1, **more: Any) -> Sitting:
    """A game of Binary Scrabble that all seats deal together, once somebody is to move."""
    return Sitting("binary-scrabble", options, seats, seed=seed, fair=True, **more)


def rack(sitting: Sitting, seat: int) -> str:
    """A rack as its own seat sees it."""
    return str(sitting.seen(seat).state.racks[seat])


def deal(sitting: Sitting) -> FairDeal:
    """How far the dealing has come."""
    found = sitting.table.position.deal
    assert isinstance(found, FairDeal)
    return found


@SEATS
def test_everybody_draws_a_rack_that_nobody_else_sees(seats: int) -> None:
    """The state that all compute holds hidden tiles; each seat sees its own, and all racks together fit the bag."""
    sitting = fair(seats=seats)
    assert [set(rack) for rack in sitting.table.position.state.racks] == [{HIDDEN}] * seats
    racks = [rack(sitting, seat) for seat in range(seats)]
    assert all(len(tiles) == 9 and HIDDEN not in tiles for tiles in racks)
    assert not Counter("".join(racks)) - Counter(sitting.table.position.rules.bag())  # type: ignore[attr-defined]
    for seat in range(seats):
        others = [tiles for at, tiles in enumerate(sitting.seen(seat).state.racks) if at != seat]
        assert others == [HIDDEN * 9] * (seats - 1)


@SEATS
def test_a_whole_game_is_good_at_all_three_levels(seats: int) -> None:
    """Played by computers, audited from the bytes alone."""
    sitting = fair("scoreless_limit=1", seats).robots("greedy")
    report = audit(sitting.data, make_host().rules_for)
    print(report.lines())
    assert (report.code, report.deal.verdict, report.complete) == (0, "good", True)
    assert sitting.table.position.outcome is not None
