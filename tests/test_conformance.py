"""The conformance checks can fail: each catches a game that breaks what it demands."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from lantable.errors import IllegalMove, LantableError
from lantable.game import Opponent, Outcome, Picture
from lantable_dots_and_boxes.board import board
from lantable_dots_and_boxes.rules import DOTS_AND_BOXES, DotsAndBoxes
from lantable_dots_and_boxes.state import State, opening
from tests import conformance
from tests.conformance import CHECKS, Check, Playout, play_out

RULES = DotsAndBoxes(board(2, 2))
Broken = Mapping[str, Callable[..., Any]]


class Sabotaged:
    """Sound rules with some methods replaced."""

    def __init__(self, broken: Broken) -> None:
        self._broken = broken

    def __getattr__(self, name: str) -> Any:
        return self._broken.get(name) or getattr(RULES, name)


numbers = count(1)


def other_start(seats: int) -> State:
    """Each time another line is drawn already."""
    return replace(opening(RULES.board, seats), lines=1 << next(numbers) % 4)


def without_a_winner(state: State) -> Outcome:
    return replace(RULES.standing(state), winners=())


def listed_twice(state: State, seat: int) -> list[str]:
    return [*RULES.legal(state, seat)] * 2


def one_too_few(state: State, seat: int) -> Sequence[str]:
    legal = RULES.legal(state, seat)
    return legal if len(legal) < 2 else legal[1:]


def anybody_plays(state: State, seat: int, move: str) -> State:
    mover = RULES.to_move(state)
    if mover is None:
        raise IllegalMove("over")
    return RULES.play(state, mover, move)


def never_the_same(text: str) -> str:
    return text if text in RULES.board.numbers else text + "x"


def lines_only(state: State) -> str:
    return f"{state.lines:x}"


def beeping(view: State) -> Picture:
    return replace(RULES.picture(view), panel=("\a",))


def stays(state: State, seat: int) -> State:
    return state


def unpredictable(*_: Any) -> str:
    return RULES.board.names[next(numbers) % 12]


def game_of(broken: Broken, **opponents: Opponent) -> Playout:
    """A game of 2x2 played out under sabotaged rules."""
    game = replace(DOTS_AND_BOXES, make=lambda options, house_rules: Sabotaged(broken), opponents=opponents)
    return play_out(game, "", 2, seed=1, junk="junk")


SABOTAGE: dict[Check, Broken] = {
    conformance.states_live_and_replayed_are_equal: {"start": other_start},
    conformance.signed_record_leads_to_the_same_states: {"start": other_start},
    conformance.rules_are_described_the_same_way_twice: {"describe": lambda: next(numbers)},
    conformance.game_ends_with_a_winner_that_is_in: {"standing": without_a_winner},
    conformance.legal_moves_come_once_and_in_a_fixed_order: {"legal": listed_twice},
    conformance.exactly_the_legal_moves_can_be_played: {"legal": one_too_few},
    conformance.only_the_seat_to_move_can_play: {"play": anybody_plays},
    conformance.notation_round_trips: {"parse": never_the_same},
    conformance.equal_states_and_only_those_have_equal_positions: {"position": lines_only},
    conformance.pictures_can_be_printed: {"picture": beeping},
    conformance.any_seat_may_withdraw: {"withdraw": stays},
    conformance.opponents_play_legal_moves_and_repeat_themselves: {},
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_each_check_catches_its_fault(check: Check) -> None:
    """On the very game that passes every check once nothing is broken."""
    with pytest.raises((AssertionError, LantableError, pytest.fail.Exception)):
        check(game_of(SABOTAGE[check], odd=unpredictable))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_nothing_broken_passes(check: Check) -> None:
    """So it is the sabotage that is caught."""
    check(game_of({}))
