"""Looking at a record: marks, running at the players' own pace, and how fast one gets anywhere.

Stepping, jumping and what a header says are tested with the other commands, in `test_commands`.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing

from lantable.game import Outcome
from lantable_console.replay import SPEEDS, Viewer, lasting, picture
from lantable_console.screen import views
from lantable_console.screen.state import Person, replay_view
from lantable_replays.audit import audit
from lantable_replays.cursor import Cursor
from lantable_replays.highlights import MANY, highlights
from tests.cli import DOTS, SCRABBLE, Desk
from tests.games import BEGIN, GOLDEN, Sitting, make_host
from tests.screens import context

DAY = 86_400_000


class Listening:
    """A face that keeps what is said, with the moment of trio's clock."""

    full = False

    def __init__(self) -> None:
        from lantable_console.settings import Looks

        self.looks = Looks()
        self.said: list[tuple[float, str]] = []

    def say(self, text: str) -> None:
        self.said.append((0.0 if self.start is None else round(trio.current_time() - self.start, 3), text))

    start: float | None = 0.0
    """trio's time when it began; None where there is no trio."""

    def refresh(self) -> None:
        pass

    @property
    def events(self) -> list[tuple[float, int]]:
        """Every event shown: when, and its number."""
        shown = ((at, re.match(r" *(\d+)  \d{4}-", text)) for at, text in self.said)
        return [(at, int(found[1])) for at, found in shown if found]


def viewer(sitting: Sitting, cap: int = 2) -> tuple[Viewer, Listening]:
    """A record before somebody who listens."""
    host, face = make_host(), Listening()
    made = Viewer(context(), Cursor(sitting.data, host.rules_for), audit(sitting.data, host.rules_for), cap=cap)
    made.context.face = face  # type: ignore[assignment]  # no more of a face is needed
    return made, face


def paced(*pauses: int) -> Sitting:
    """A game whose players thought so many milliseconds before each move."""
    sitting = Sitting(options="size=1x1")
    moments = [BEGIN]
    for pause in pauses:
        moments.append(moments[-1] + pause)
    sitting.moment = moments.__getitem__  # type: ignore[assignment]  # the test's own clock
    return sitting.play(len(pauses))


async def run_through(viewer: Viewer, face: Listening, *commands: str) -> None:
    """Type these, then wait until it stands."""
    async with trio.open_nursery() as nursery:
        face.start = trio.current_time()
        nursery.start_soon(viewer._roll)
        for line in commands:
            viewer.obey(line)
        with trio.fail_after(1e6):
            await viewer._stopped.wait()
        nursery.cancel_scope.cancel()


async def until(seen: Callable[[], bool]) -> None:
    """Virtual time passes until it is so."""
    while not seen():
        await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(0.1)


# -- at the players' own pace


async def test_it_runs_as_it_was_played(autojump_clock: trio.testing.MockClock) -> None:
    """Each event after the pause its author made; it says that it runs, how fast, and that it stays at the end."""
    looked, face = viewer(paced(500, 1500, 1000, 2000))
    await run_through(looked, face, "play")
    assert face.events == [(0.5, 1), (2.0, 2), (3.0, 3), (5.0, 4)]
    assert "it runs at 1x the players' pace, pauses cut to 2 s" in face.said[0][1]
    assert looked.cursor.at == 4 and "event 4 is the last one" in face.said[-1][1]


async def test_long_pauses_are_cut_and_that_is_told(autojump_clock: trio.testing.MockClock) -> None:
    """Three days of real time are silly; two seconds stand for them, and a line says so."""
    looked, face = viewer(paced(1000, 3 * DAY, 5000, 1000))
    await run_through(looked, face, "play")
    assert [at for at, _ in face.events] == [1.0, 3.0, 5.0, 6.0]
    assert [text for _, text in face.said if "3 days" in text] == ["* a pause of 3 days is cut to 2 s"]


@pytest.mark.parametrize(("speed", "factor"), [("0.25", 0.25), ("1", 1), ("16x", 16), ("2.5", 2.5)])
async def test_every_speed(autojump_clock: trio.testing.MockClock, speed: str, factor: float) -> None:
    """So many times the players' pace, also what is left of a long pause."""
    looked, face = viewer(paced(1000, 1000, 5000, 1000))
    await run_through(looked, face, f"speed {speed}", "play")
    assert [at for at, _ in face.events] == [pytest.approx(at / factor, abs=0.002) for at in (1, 2, 4, 5)]


async def test_a_cap_of_nothing_keeps_every_pause(autojump_clock: trio.testing.MockClock) -> None:
    """For whoever wants to feel the three days."""
    looked, face = viewer(paced(1000, 100_000, 1000, 1000))
    await run_through(looked, face, "cap 0", "play")
    assert [at for at, _ in face.events] == [1.0, 101.0, 102.0, 103.0]
    assert "pauses as they were" in face.said[0][1]


async def test_clocks_that_go_backwards_stop_nothing(autojump_clock: trio.testing.MockClock) -> None:
    """Each author's clock is its own."""
    looked, face = viewer(paced(1000, -5000, 1000, 1000))
    await run_through(looked, face, "play")
    assert [seq for _, seq in face.events] == [1, 2, 3, 4]


async def test_an_empty_line_stops_it_and_steps_are_taken_meanwhile(autojump_clock: trio.testing.MockClock) -> None:
    """Then it goes on from there; a jump while it runs does not wait for the pause that was."""
    looked, face = viewer(paced(1000, 1000, 1000, 1000))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(looked._roll)
        looked.obey("play")
        await until(lambda: looked.cursor.at == 1)
        looked.obey("")
        assert not looked.running and looked.cursor.at == 1
        looked.obey("play")
        looked.obey("goto 3")
        await looked._stopped.wait()
        assert looked.cursor.at == 4
        looked.obey("play")
        assert not looked.running and "is the last one" in face.said[-1][1]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("line", ["speed 0.2", "speed 17", "speed fast", "speed nan", "cap -1", "cap x", "speed"])
def test_a_speed_that_is_none_is_refused(line: str) -> None:
    """In words, and nothing changes."""
    looked, face = viewer(paced(1000))
    face.start = None
    looked.obey(line)
    assert (looked.speed, looked.cap) == (1.0, 2) and re.search("takes a number|type  ", face.said[-1][1])


def test_slower_and_faster_end_somewhere() -> None:
    """At a quarter and at sixteen times."""
    looked, face = viewer(paced(1000))
    face.start = None
    for command, end in (("slower", SPEEDS[0]), ("faster", SPEEDS[1])):
        for _ in range(10):
            looked.obey(command)
        assert looked.speed == end


def test_it_runs_in_a_pipe_too(tmp_path: Path) -> None:
    """What is typed behind waits until it has run; every line makes sense alone."""
    desk = Desk(tmp_path, plugins=(DOTS,))
    done = desk("replay", desk.keep(Sitting(options="size=1x1").play()), typed="speed 16\nplay\nprev\nquit\n")
    numbers = [int(found[1]) for line in done.lines if (found := re.match(r" +(\d)  \d{4}-", line))]
    assert done.code == 0 and numbers == [0, 1, 2, 3, 4, 3]


def test_times_are_said_in_their_largest_unit() -> None:
    """As people would."""
    assert [lasting(s) for s in (2, 59, 119, 120, 3 * 3600, 3 * 86_400)] == [
        "2 s",
        "59 s",
        "119 s",
        "2 min",
        "3 h",
        "3 days",
    ]


# -- marks


def marks(sitting: Sitting) -> list[tuple[int, str, int]]:
    return [mark[:3] for mark in highlights(Cursor(sitting.data, make_host().rules_for).replay.positions)]


def test_a_second_turn_and_the_end_are_marked() -> None:
    """A box gives another turn, but there is none after the last line."""
    sitting = Sitting(options="size=1x2")
    for move in ("a1r", "a1d", "a2r", "c1d", "b1d", "b1r", "b2r"):
        sitting.move(move)
    assert (5, "again", 0) in marks(sitting) and (7, "end", 1) in marks(sitting)


def test_what_is_no_move_is_marked() -> None:
    """Takebacks, resignations and agreements are what one looks for in a record."""
    assert (2, "takeback") in [mark[:2] for mark in marks(Sitting().play(1).agree("takeback", 0))]
    assert [mark[:2] for mark in marks(Sitting().play(2).resign(0))] == [(3, "resign"), (3, "end")]
    assert (3, "draw") in [mark[:2] for mark in marks(Sitting().play(2).agree("draw"))]


def test_many_points_and_another_leader_are_marked() -> None:
    """In a game of numbers: the toy game counts to its target, three at a time at most."""
    sitting = Sitting("binary-scrabble", seed=3).robots("greedy", 12)
    found = highlights(Cursor(sitting.data, make_host().rules_for).replay.positions)
    positions = Cursor(sitting.data, make_host().rules_for).replay.positions
    for mark in found:
        before, after = (p.rules.standing(p.state) for p in (positions[mark.seq - 1], positions[mark.seq]))
        if mark.kind == "points":
            assert mark.points == after.scores[mark.seat] - before.scores[mark.seat] >= MANY
        if mark.kind == "lead":
            assert after.winners == (mark.seat,) != before.winners
    assert {mark.kind for mark in found} >= {"points", "lead"}


def test_a_game_that_breaks_has_no_more_marks() -> None:
    """A plugin that raises when asked how it stands costs marks and nothing else."""

    class Rules:
        def standing(self, state: Any) -> Outcome:
            raise RuntimeError

    position: Any = SimpleNamespace(outcome=None, rules=Rules(), state=None)
    assert highlights([position, position]) == ()


def test_marks_are_leapt_to_both_ways(tmp_path: Path) -> None:
    """`mark` and `backmark`, `marks` lists them; where there is none further on it says so."""
    desk = Desk(tmp_path, plugins=(DOTS,))
    sitting = Sitting(options="size=1x1").play(2).resign(0)
    done = desk("replay", desk.keep(sitting), typed="mark\nmark\nbackmark\nmarks\nmoves\n")
    assert any(line.startswith("   3  ") and line.endswith("[Ada resigns, the game ends]") for line in done.lines)
    for words in ("there is no mark further on", "there is no mark before this", "event 3: Ada resigns, the game ends"):
        assert words in done.lines


# -- secrets


def test_racks_are_shown_once_the_game_is_over(tmp_path: Path) -> None:
    """Everybody's, at every event, and the screen says so; before that nobody's."""
    desk = Desk(tmp_path, plugins=(SCRABBLE,))
    over = desk("replay", str(GOLDEN / "scrabble-standard-three-seats.jsonl"), "--at", "6")
    assert len([line for line in over.lines if " rack " in line]) == 3
    unfinished = Sitting("binary-scrabble", seed=1).robots("easy", 3)
    open_game = desk("replay", desk.keep(unfinished), "--at", "6")
    assert not [line for line in open_game.lines if " rack " in line and "empty" not in line]
    looked, _ = viewer(unfinished)
    assert looked.secrecy() == "racks: hidden until the game is over"


def test_of_a_seat_that_keeps_its_secret_the_rack_stays_hidden_and_why_is_said() -> None:
    """Who has shown a secret is seen with the tiles; the other's are a number, and the words name the seat."""
    sitting = Sitting("binary-scrabble", seed=3, fair=True)
    sitting.deal = lambda: None  # type: ignore[method-assign]  # whoever is due next is gone or will not
    sitting.agree("stop")
    turn = sitting.turn
    assert turn is not None
    dealer, deal = sitting.dealers[turn.seat], sitting.table.position.deal
    assert dealer is not None and deal is not None
    sitting.write(*dealer.owes(deal, turn))
    looked, _ = viewer(sitting)
    looked.cursor.seek(len(looked.cursor) - 1)
    first, second, *_ = picture(looked.cursor.position, looked.eyes()).panel
    assert "rack " in first and "hidden" not in first and second.endswith("9 tiles")
    assert looked.secrecy() == "racks: shown as far as they can be; seat 2 (Bob) withheld its seed"


# -- fast


@pytest.fixture(scope="module")
def long_record() -> bytes:
    """More than a thousand events."""
    sitting = Sitting(options="size=12x12", seed=2).play(300)
    while sitting.table.chain.seq < 1000:
        sitting.move()
        sitting.agree("takeback", sitting.table.chain.seq - 1)
    return sitting.data


def test_a_jump_in_a_long_record_takes_no_time(long_record: bytes) -> None:
    """From anywhere to anywhere, drawn: under 50 ms, so that scrubbing feels like turning pages."""
    host = make_host()
    looked = Viewer(context(), Cursor(long_record, host.rules_for), audit(long_record, host.rules_for))
    looked.context.face = SimpleNamespace(full=True, looks=Listening().looks)
    assert looked.last >= 1000
    replay_view(looked)  # the list of events is made once, when a record is opened
    taken: list[float] = []
    for seq in (1000, 0, 500, 999, 1, 750, 20):
        begun = time.process_time()  # what others do on this machine meanwhile is not ours
        looked.go(seq)
        views.compose(replay_view(looked), Person(), 120, 40)
        taken.append(time.process_time() - begun)
    assert sorted(taken)[len(taken) // 2] < 0.05


def test_back_is_as_exact_as_forward(long_record: bytes) -> None:
    """The state at each event, whichever way one came."""
    cursor = Cursor(long_record[: len(long_record) // 8], make_host().rules_for)
    there = [cursor.position.rules.position(cursor.position.state)]
    while cursor.forward():
        there.append(cursor.position.rules.position(cursor.position.state))
    while there:
        assert cursor.position.rules.position(cursor.position.state) == there.pop()
        cursor.back()
