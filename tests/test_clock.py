"""Clocks: what they mean, what an event is charged, and what being late costs. Times are milliseconds unless named."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable import canonical, fold
from lantable.clock import LONGEST, MAX_POINTS, MAX_USED, RAN_OUT, Clock, Clocks, shown, span
from lantable.errors import IllegalMove, Misuse, Untrusted
from lantable.events import Event, Offer
from lantable.fold import Position
from lantable.game import Outcome
from tests import toy
from tests.games import Sitting
from tests.test_fold import consent, event, sitting

POINTS = st.none() | st.integers(1, MAX_POINTS)
CLOCKS = st.builds(Clock, st.integers(1, LONGEST), st.just("game"), st.integers(0, 9999), POINTS) | st.builds(
    Clock, st.integers(1, LONGEST), st.just("move"), st.just(0), POINTS
)
USED = st.integers(0, 200_000)
KINDS = st.sampled_from(["move", "takeback", "resign"])


def opening(clock: Clock, seats: int = 2) -> Position:
    """Where a game of Count To with a clock begins."""
    return fold.opening(toy.CountTo(90), sitting(seats, clock=clock).table.chain.offer)


def timed(position: Position, used: Any, kind: str = "move", **body: Any) -> Position:
    """The position after an event of whoever is due that took so long."""
    return fold.step(
        position, event(position, kind, {**({"move": "1"} if kind == "move" else {}), **body, "used": used})
    )


# -- spellings


@given(CLOCKS)
def test_a_clock_round_trips(clock: Clock) -> None:
    """In a record, and as it is typed."""
    assert Clock.from_json(canonical.read(canonical.write(clock.as_json()))) == clock
    assert Clock.read(str(clock), clock.overtime) == clock


@pytest.mark.parametrize(
    ("typed", "clock"),
    [
        ("10+5", Clock(600, add=5)),
        ("10", Clock(600)),
        ("90s+2", Clock(90, add=2)),
        ("1h", Clock(3600)),
        ("30s/move", Clock(30, "move")),
        ("2m/move", Clock(120, "move")),
        ("3/move", Clock(180, "move")),
    ],
)
def test_what_may_be_typed(typed: str, clock: Clock) -> None:
    """Minutes unless a unit is named, then seconds more a move, or so much for each move."""
    assert Clock.read(typed) == clock


@pytest.mark.parametrize(
    ("clock", "overtime"),
    [
        ("", "forfeit"),
        ("0", "forfeit"),
        ("10+", "forfeit"),
        ("10+5/move", "forfeit"),
        ("x", "forfeit"),
        ("200h", "forfeit"),
        ("١0", "forfeit"),
        ("10", "lose"),
        ("10", "penalty=0"),
        ("10", "penalty=1001"),
        ("10", "penalty="),
    ],
)
def test_what_may_not(clock: str, overtime: str) -> None:
    """It says what may be typed."""
    with pytest.raises(Misuse):
        Clock.read(clock, overtime)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"per": "game", "time": 1},
        {"per": "move", "time": 1, "add": 0},
        {"per": "day", "time": 1},
        {"per": "move", "time": 0},
        {"per": "move", "time": 1.5},
        {"per": "move", "time": 1, "points": 0},
        {"per": "game", "time": LONGEST + 1, "add": 0},
    ],
)
def test_a_record_has_one_spelling(value: Any) -> None:
    """What is no clock is no clock of another kind either."""
    with pytest.raises(Untrusted):
        Clock.from_json(value)


def test_without_a_clock_there_is_no_field() -> None:
    """Records of before stay good byte for byte; with one it is part of the offer, and so of what all agree to."""
    offer = sitting().table.chain.offer
    assert "clock" not in offer.as_json()
    clocked = replace(offer, clock=Clock(600, add=5))
    assert Offer.from_json(clocked.as_json()) == clocked and clocked.hash != offer.hash


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (0, "0:00"),
        (1, "0:01"),
        (59_000, "0:59"),
        (581_000, "9:41"),
        (3_723_000, "1:02:03"),
        (-12_000, "-0:12"),
        (-500, "-0:01"),
    ],
)
def test_time_as_people_read_it(left: int, words: str) -> None:
    """Away from zero: 0:00 means that nothing is left, and nothing over."""
    assert shown(left) == words


def test_spans() -> None:
    """In the largest unit that fits."""
    assert [span(ms) for ms in (5000, 90_000, 600_000, 7_200_000)] == ["5 s", "90 s", "10 min", "2 h"]
    assert Clock.read("10+5").words == "10 min each and 5 s more after each move; whoever runs out of time is out"
    assert Clock.read("30s/move", "penalty=10").words == "30 s a move; a started minute over costs 10 points"


# -- charging


@given(CLOCKS, st.lists(st.tuples(st.integers(0, 2), USED, KINDS), max_size=30))
def test_nobody_pays_for_another(clock: Clock, events: list[tuple[int, int, str]]) -> None:
    """A seat's clock depends on its own events alone, in their order, and overtime is never given back."""
    clocks = Clocks.begun(clock, 3)
    alone = [Clocks.begun(clock, 1) for _ in range(3)]
    for seat, used, kind in events:
        before, clocks = clocks, clocks.charged(seat, used, kind)
        alone[seat] = alone[seat].charged(0, used, kind)
        assert all(one >= other for one, other in zip(clocks.minutes, before.minutes, strict=True))
    if clock.per == "game":
        assert clocks.left == tuple(one.left[0] for one in alone)
        assert clocks.minutes == tuple(one.minutes[0] for one in alone)


@given(st.integers(1, 600), st.integers(0, 30), st.lists(USED, max_size=30))
def test_time_for_the_game(time: int, add: int, useds: list[int]) -> None:
    """Left is the time less all that was used, and the increment for each move made in time."""
    clocks = Clocks.begun(Clock(time, add=add), 1)
    left = time * 1000
    for used in useds:
        clocks = clocks.charged(0, used, "move")
        left -= used
        left += add * 1000 if left >= 0 else 0
        assert clocks.left == (left,)
    worst = min(clocks.left[0], 0)
    assert clocks.minutes == (-(worst // 60_000) if worst else 0,)


@given(st.integers(1, 600), st.lists(USED, min_size=1, max_size=30))
def test_time_for_each_move(time: int, useds: list[int]) -> None:
    """Each move begins with all of it; each started minute over, of each move, counts."""
    clocks = Clocks.begun(Clock(time, "move"), 1)
    for used in useds:
        clocks = clocks.charged(0, used, "move")
        assert clocks.left == (time * 1000,)
    assert clocks.minutes == (sum(-(-max(used - time * 1000, 0) // 60_000) for used in useds),)


@given(CLOCKS, st.lists(USED, min_size=1, max_size=6))
def test_a_turn_in_parts_costs_as_much_as_whole(clock: Clock, parts: list[int]) -> None:
    """Another's resignation, written down in between, neither saves nor costs time."""
    clocks = Clocks.begun(clock, 1)
    for part in parts[:-1]:
        clocks = clocks.charged(0, part, "resign")
    whole = Clocks.begun(clock, 1).charged(0, sum(parts), "move")
    assert clocks.charged(0, parts[-1], "move") == whole


# -- in a game


def test_every_event_of_the_mover_says_its_time() -> None:
    """In a game with a clock, and only there, and only where somebody is to move."""
    position = opening(Clock(60))
    for body in (
        {"move": "1"},
        {"move": "1", "used": -1},
        {"move": "1", "used": MAX_USED + 1},
        {"move": "1", "used": True},
    ):
        with pytest.raises(Untrusted):
            fold.step(position, event(position, "move", body))
    with pytest.raises(Untrusted):
        fold.step(position, event(position, "stop", {"notices": consent(position)}))
    plain = fold.opening(toy.CountTo(20), sitting().table.chain.offer)
    untimed: list[tuple[str, dict[str, Any]]] = [("move", {"move": "1"}), ("resign", {"of": 0}), ("flag", {})]
    for kind, body in untimed:
        with pytest.raises(Untrusted):
            fold.step(plain, event(plain, kind, {**body, "used": 5}))


def test_what_is_charged() -> None:
    """The author's own number, from the author's clock; the increment comes after."""
    position = timed(opening(Clock(60, add=5)), 10_000)
    assert position.clocks is not None and position.clocks.left == (55_000, 60_000)
    position = timed(position, 20_000)
    assert position.clocks is not None and position.clocks.left == (55_000, 45_000)


def test_clocks_do_not_go_back() -> None:
    """A takeback lets the game stand again as it was, and costs the time it took."""
    position = timed(timed(opening(Clock(60)), 10_000), 20_000)
    back = timed(position, 5_000, "takeback", to=0, notices=consent(position))
    assert back.state == opening(Clock(60)).state and back.clocks is not None
    assert back.clocks.left == (45_000, 40_000)


def test_a_late_move_forfeits() -> None:
    """It does not count; of two the other has won, and the game is over."""
    position = opening(Clock(60))
    late = timed(position, 60_001)
    assert late.withdrawn == ((0, RAN_OUT),)
    assert late.outcome is not None and late.outcome.winners == (1,) and late.outcome.how == "player 1 ran out of time"
    assert timed(position, 60_000).withdrawn == ()


def test_whoever_runs_out_is_skipped() -> None:
    """Of three the others play on; one's own flag says it without a move, and only when it is true."""
    position = timed(opening(Clock(60), 3), 1)
    with pytest.raises(IllegalMove) as caught:
        timed(position, 60_000, "flag")
    assert caught.value.code == "time"
    after = timed(position, 60_001, "flag")
    assert after.out == {1} and after.due == 2 and after.outcome is None
    assert timed(timed(after, 1), 1).due == 2
    with pytest.raises(Untrusted):
        timed(position, 60_001, "flag", move="1")


def test_what_all_agreed_to_stands() -> None:
    """A draw that was agreed to late is a draw; another's resignation counts, and the next move is late."""
    position = opening(Clock(60), 3)
    drawn = timed(position, 90_000, "draw", notices=consent(position))
    assert drawn.outcome is not None and drawn.outcome.how == "drawn by agreement"
    resigned = timed(position, 90_000, "resign", of=1, notice="00" * 64)
    assert resigned.out == {1}
    assert timed(resigned, 0).out == {0, 1}


def test_a_takeback_cannot_undo_running_out() -> None:
    """As with any leaving."""
    position = timed(timed(opening(Clock(60), 3), 1), 60_001)
    with pytest.raises(IllegalMove) as caught:
        timed(position, 1, "takeback", to=1, notices=consent(position))
    assert caught.value.code == "takeback"


def test_overtime_costs_points() -> None:
    """For each started minute, from what the rules say; nobody is out."""
    position = opening(Clock(60, points=10))
    position = timed(timed(position, 61_000), 60_000)
    # Under these rules a move counts one.
    assert position.out == frozenset() and position.standing.scores == (1 - 10, 1)
    position = timed(position, 59_000)
    assert position.standing.scores == (2 - 10, 1)
    assert timed(timed(position, 1), 1).standing.scores == (3 - 20, 2 - 10)
    with pytest.raises(IllegalMove):
        timed(position, 99_000, "flag")


@pytest.mark.parametrize(
    ("scores", "winners", "minutes", "after"),
    [
        ((9, 7), (0,), (0, 0), (0,)),
        ((9, 7), (0,), (1, 0), (1,)),
        ((9, 7), (0,), (0, 3), (0,)),
        ((9, 4), (0,), (1, 0), (0, 1)),
        ((7, 7), (0,), (0, 0), (0,)),  # by a rule for ties
        ((7, 7), (0,), (1, 1), (0,)),
        ((7, 7), (0,), (1, 0), (1,)),
        ((3, 9), (0,), (0, 1), (0,)),  # where the fewest points win
    ],
)
def test_who_wins_after_overtime(
    scores: tuple[int, int], winners: tuple[int, ...], minutes: tuple[int, int], after: tuple[int, ...]
) -> None:
    """Whoever has most then; the rules' own word on ties holds as long as the tie does."""
    clocks = Clocks(Clock(60, points=5), (0, 0), minutes)
    assert clocks.adjusted(Outcome(scores, winners), frozenset()).winners == after


@given(st.integers(0, 1000))
def test_a_clocked_game_replays_the_same(seed: int) -> None:
    """Live, read back line by line, and folded from the events alone: one path."""
    played = Sitting("count-to", "target=20", 3, seed=seed, clock=Clock.read("20s+2")).play()
    events: list[Event] = [signed.event for signed in played.table.chain.events[1:]]
    start = fold.opening(played.table.position.rules, played.table.chain.offer)
    assert list(fold.states(start, events))[-1] == played.table.position
    assert played.copy().table.position == played.table.position
