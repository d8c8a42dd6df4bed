"""Playing together as people do it: real programs that ask, answer, talk, go away, run out of time and play again."""

import re
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from lantable_console.lobby import Lobby
from lantable_net.news import Said
from lantable_net.trust import TrustStore
from tests.mesh import Mesh
from tests.programs import GAME, Program, Stage
from tests.screens import context

SHORT = ("--rules", "size=1x1")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with Stage(tmp_path) as stage:
        yield stage


def met(stage: Stage, *options: str, asks: bool = False) -> tuple[Program, Program]:
    """Ada hosts, Bob joins, and the game has begun."""
    ada = stage.start("ada", "host", GAME, *(options or SHORT), asks=asks)
    bob = stage.start("bob", "join", ada.address())
    if asks:
        ada.type(f"y {question(ada, 'bob', 'asks for a seat')}")
    for player in (ada, bob):
        player.expect("* game", "begins")
    return ada, bob


def question(program: Program, *texts: str) -> str:
    """The number of the next question that says this."""
    return program.match(r"^\* (\d+): .*" + ".*".join(map(re.escape, texts)))[1]


def test_an_evening_of_two(stage: Stage) -> None:
    """Invited in the lobby, let in by key, words, a takeback, a draw refused, a stop agreed, and a rematch."""
    ada = stage.start("ada", "lobby")
    bob = stage.start("bob", "lobby")
    bob.type(f"connect {ada.address()}")
    ada.expect("bob", "is here")
    ada.type(f"host {GAME} size=2x2 clock=10+5 first=me")
    bob.expect("open table", "clock 10+5", "sit down with")
    bob.type("accept")
    bob.expect("the host may have to say yes")
    words = ada.match(r"both of you should now see the words +(\S+)")[1]
    number = question(ada, "bob", "asks for a seat", "words", words)
    ada.type(f"yes {number}")
    for player in (ada, bob):
        player.expect("* game", "begins")
        player.expect("* clock 10+5: 10 min each and 5 s more after each move")
    ada.type("a1r", "chat good luck, bob")
    bob.expect_move("ada", "a1r")
    bob.expect("ada says: good luck, bob")
    bob.type("a2r")
    ada.expect_move("bob", "a2r")
    bob.type("undo")
    number = question(ada, "bob offers back to move 1, when ada plays a1r")
    ada.type(f"y {number}")
    for player in (ada, bob):
        player.expect("takes back to event 1")
    bob.type("draw")
    ada.type(f"n {question(ada, 'bob offers a draw')}")
    bob.expect("ada declines: a draw")
    bob.type("a3r", "time")
    bob.expect("ada", "bob", "is to move; 10 min each")
    ada.expect_move("bob", "a3r")
    ada.type("stop")
    bob.type(f"y {question(bob, 'ada offers to stop here and count')}")
    for player in (ada, bob):
        player.expect("game over", "stopped by agreement")
        player.expect("the record is complete")
    first = stage.record("ada")
    bob.type("rematch")
    ada.type(f"y {question(ada, 'bob asks for a rematch')}")
    for player in (ada, bob):
        player.expect("* game", "player 1 is bob, player 2 is ada")
    bob.type("resign")
    for player in (ada, bob):
        player.expect("game over: ada wins")
        player.type("quit")
        assert player.ends() == 0
    assert len(stage.records("ada")) == len(stage.records("bob")) == 2
    assert first in [path.read_bytes() for path in stage.records("bob")]
    assert stage.audit("ada") == stage.audit("bob") == 0


def to_move(program: Program) -> str:
    """Who is to move, once everything is dealt."""
    while True:
        program.type("score")
        if name := program.match(r"; (\w+) is to move|something is being dealt")[1]:
            return name


def test_an_evening_with_hidden_tiles(stage: Stage) -> None:
    """The same with Binary Scrabble: nothing is taken back past tiles that were drawn; a pass is."""
    ada = stage.start("ada", "lobby")
    bob = stage.start("bob", "lobby")
    bob.type(f"connect {ada.address()}")
    ada.expect("bob", "is here")
    ada.type("host binary-scrabble clock=30s/move overtime=penalty=10 first=me")
    bob.expect("open table", "sit down with")
    bob.type("accept")
    ada.type(f"y {question(ada, 'bob', 'asks for a seat')}")
    for player in (ada, bob):
        player.expect("* game", "begins")
    players = {"ada": ada, "bob": bob}
    mover = players.pop(to_move(ada))
    (other,) = players.values()
    mover.type("pass")
    other.expect_move(mover.name, "pass")
    other.type("chat your tiles again?", "undo 1")
    mover.expect(f"{other.name} says: your tiles again?")
    other.expect("not played (takeback)", "past")
    mover.type("undo")
    other.type(f"y {question(other, 'offers back to move', ', the beginning')}")
    for player in (ada, bob):
        player.expect("takes back to event")
    other.type("draw")
    mover.type(f"n {question(mover, 'offers a draw')}")
    other.expect(f"{mover.name} declines: a draw")
    mover.type("stop")
    other.type(f"y {question(other, 'offers to stop here and count')}")
    for player in (ada, bob):
        player.expect("game over", "stopped by agreement")
        player.expect("the record is complete")
    ada.type("rematch")
    bob.type(f"y {question(bob, 'ada asks for a rematch')}")
    for player in (ada, bob):
        player.expect("* game", "begins")  # whoever sat after the one on whom the lot fell sits first now
    assert to_move(bob) in ("ada", "bob")
    ada.type("resign")
    for player in (ada, bob):
        player.expect("game over: bob wins")
        player.expect("the record is complete")
        player.type("quit")
    assert [player.ends() for player in (ada, bob)] == [0, 0]
    assert len(stage.records("ada")) == 2 and stage.audit("ada") == stage.audit("bob") == 0


def test_the_host_turns_somebody_away(stage: Stage) -> None:
    """By number and only so; the guest hears it, and the next one may sit down."""
    ada = stage.start("ada", "host", GAME, *SHORT, asks=True)
    address = ada.address()
    eve = stage.start("eve", "join", address)
    number = question(ada, "eve", "asks for a seat")
    ada.type("", "y", "yes 99", f"n {number}")
    ada.expect("type  yes NUMBER or y NUMBER")
    ada.expect("say which question by its number", f"{number}: eve")
    assert eve.ends() == 2 and "the host would rather not" in eve.errors[0]
    bob = stage.start("bob", "join", address)
    ada.type(f"y {question(ada, 'bob')}")
    bob.expect("* game", "begins")


def test_whoever_gives_up_needs_no_answer(stage: Stage) -> None:
    """The question goes away, and answering it late does nothing."""
    ada = stage.start("ada", "host", GAME, *SHORT, asks=True)
    eve = stage.start("eve", "join", ada.address())
    number = question(ada, "eve")
    eve.signal(signal.SIGTERM)
    ada.expect(f"* {number} needs no answer any more")
    ada.type(f"y {number}")
    ada.expect(f"question {number} is not open any more")


def test_a_table_for_a_class(stage: Stage) -> None:
    """`--open` and a preset: nobody is asked anything, and moves typed ahead are for the game."""
    ada = stage.start("ada", "host", GAME, "--preset", "standard", *SHORT)
    ada.type("a1r")
    bob = stage.start("bob", "join", ada.address())
    bob.expect_move("ada", "a1r")
    assert not any("asks for a seat" in line for line in ada.lines)


def test_a_preset_that_is_not_there(stage: Stage) -> None:
    """One line that names those there are."""
    ada = stage.start("ada", "host", GAME, "--preset", "standrd")
    assert ada.ends() == 2 and "did you mean 'standard'?" in ada.errors[0]


@pytest.mark.parametrize(("clock", "says"), [("10:5", "such as 10+5 or 30s/move"), ("0", "1 second to 7 days")])
def test_a_clock_that_is_none(stage: Stage, clock: str, says: str) -> None:
    """One line that says how it is typed."""
    ada = stage.start("ada", "host", GAME, "--clock", clock)
    assert ada.ends() == 2 and says in ada.errors[0]


def test_running_out_of_time(stage: Stage) -> None:
    """One's own program says so, in words before and at the end; the record is complete, and the same for both."""
    ada, bob = met(stage, *SHORT, "--clock", "2s/move")
    ada.type("a1r")
    bob.expect("your turn, bob (0:02 left)")
    for player in (ada, bob):
        player.expect("* 2 bob runs out of time")
        player.expect("game over: ada wins", "player 2 ran out of time")
    assert [player.ends() for player in (ada, bob)] == [0, 0]
    stage.assert_all_good("ada", "bob")


def test_overtime_that_costs_points(stage: Stage) -> None:
    """It is told when it begins, and taken from the score."""
    ada, bob = met(stage, *SHORT, "--clock", "1s", "--overtime", "penalty=3")
    ada.expect("time is over: each started minute costs ada 3 points now")
    ada.type("time", "a1r")
    ada.expect("ada -0:", "OVER")
    for player in (ada, bob):
        player.expect("* 1 ada plays a1r; score ada -3, bob 0; -0:")


def test_words_that_are_not_wanted(stage: Stage) -> None:
    """Muted is muted until it is not; too many words at once are not sent, and nobody is muted by a wrong name."""
    ada, bob = met(stage)
    ada.type("mute bo", "mute bob")
    ada.expect("did you mean 'bob'?")
    ada.expect("nothing of what they say is shown now")
    bob.type("chat one", "away")
    ada.expect("is away")
    ada.type("unmute bob")
    ada.expect("is shown again")
    bob.type("chat two")
    ada.expect("bob says: two")
    assert not any("says: one" in line for line in ada.lines)
    bob.type(*(f"chat {number}" for number in range(9)))
    bob.expect("not sent: wait a moment between two messages")


def test_going_away(stage: Stage) -> None:
    """Typed, or by Ctrl-Z: the other sees it, and that one is back, and the game goes on."""
    ada, bob = met(stage)
    bob.type("away")
    ada.expect("bob", "is away from the keyboard")
    bob.type("back")
    ada.expect("bob", "is back")
    bob.signal(signal.SIGTSTP)
    ada.expect("bob", "is away from the keyboard")
    ada.type("a1r")
    bob.signal(signal.SIGCONT)
    ada.expect("bob", "is back")
    bob.expect_move("ada", "a1r")
    bob.type("away", "a2r")
    bob.expect("* you are back")
    ada.expect_move("bob", "a2r")


def test_a_lost_player_in_words(stage: Stage) -> None:
    """Slow, lost, paused, resumed: each is said once, in the game it matters to."""
    ada, bob = met(stage)
    ada.type("a1r")
    bob.expect("your turn")
    bob.signal(signal.SIGSTOP)
    ada.expect("bob", "gone?")
    ada.expect("slow: the game waits for a sign of life of bob")
    bob.signal(signal.SIGCONT)
    ada.match("resumed: bob (answers again|is connected)")
    bob.kill()
    ada.expect("paused: bob is lost for now", "goes on when bob is back")
    stage.start("bob", "resume")
    ada.expect("resumed: bob is connected")


def test_a_rematch_that_is_declined(stage: Stage) -> None:
    """By number; and a question that nobody asks any more is gone."""
    ada, bob = stage.start("ada", "lobby"), stage.start("bob", "lobby")
    bob.type(f"connect {ada.address()}")
    ada.type(f"host {GAME} size=1x1 open=yes first=me")
    bob.expect("open table")
    bob.type("accept")
    for player in (ada, bob):
        player.expect("* game", "begins")
    ada.expect("your turn")
    ada.type("resign")
    for player in (ada, bob):
        player.expect("the record is complete")
    ada.type("rematch")
    bob.type(f"n {question(bob, 'ada asks for a rematch')}")
    ada.expect("nothing comes of a rematch with bob")
    ada.type("rematch")
    number = question(bob, "ada asks for a rematch")
    ada.type("quit")
    bob.expect("nothing comes of a rematch with ada")
    bob.type(f"y {number}")
    bob.expect(f"question {number} is not open any more")


def test_a_flood_of_words_is_shown_in_part() -> None:
    """Whatever the other program lets through: a few at once, then no more, and that is said once."""
    made = context()
    made.__dict__["home"] = SimpleNamespace(trust=TrustStore)
    lobby = Lobby(made, cast("Any", SimpleNamespace(node=Mesh(2).nodes[0], hints={}, refused={})))
    peer = next(iter(lobby.node.links.values())).peer

    async def main() -> list[str]:
        said = [lobby.together.lines(Said(peer, f"{number}\x07", bytes(16))) or [] for number in range(50)]
        return [line for lines in said for line in lines]

    lines = trio.run(main)
    assert lines[:2] == ["Bob says: 0?", "Bob says: 1?"]
    assert len(lines) <= 8 and lines[-1] == "Bob says too much at once, and not all of it is shown"
