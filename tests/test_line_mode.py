"""The line mode as people and scripts meet it: real programs, typed to through pipes and terminals.

`exercises` notes which verbs of the table a test types; the last test wants each of them to be somewhere.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import pexpect
import pytest

from lantable_console.home import Home, KeyFile
from lantable_console.play import VERBS
from tests.programs import GAME, LANTABLE, PATIENCE, Program, Stage, environment

NAMES: Final = ("ada", "bob", "cyd")
EXERCISED: Final = set[str]()
Test = TypeVar("Test", bound=Callable[..., Any])


def exercises(*verbs: str) -> Callable[[Test], Test]:
    """Mark a test as one that types these verbs."""
    EXERCISED.update(verbs)
    return lambda test: test


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with Stage(tmp_path) as stage:
        yield stage


def sit_down(stage: Stage, size: str = "2x1", seats: int = 2, *options: str) -> list[Program]:
    """Ada hosts, the others join in order, and the game has begun."""
    ada = stage.start("ada", "host", GAME, "--rules", f"size={size}", "--seats", str(seats), *options)
    address = ada.address()
    players = [ada]
    for name in NAMES[1:seats]:
        players.append(stage.start(name, "join", address))
        ada.expect(f"* {name} ", "sat down")
    for player in players:
        player.expect("* game", "begins")
    return players


def play(player: Program, move: str, *watchers: Program) -> None:
    """Type a move when asked for it; all tell of it."""
    player.expect("your turn")
    player.type(move)
    for program in (player, *watchers):
        program.expect_move(player.name, move)


def end_well(stage: Stage, *players: Program) -> None:
    """All end by themselves, and hold the same complete record."""
    assert [player.ends() for player in players] == [0] * len(players)
    stage.assert_all_good(*(player.name for player in players))


# -- alone


def test_alone_against_the_computer_by_a_pipe(stage: Stage) -> None:
    """Lines are typed ahead, whatever is drawn by then: each refusal is one line with its code; the game ends well."""
    ada = stage.start("ada", "play", GAME, "--rules", "size=1x1")
    ada.type("a1r", "zz", "a1r", "a2r", "a1d", "b1d")
    assert ada.ends() == 0
    refused = [line for line in ada.lines if "not played" in line]
    assert "(notation)" in refused[0] and "(drawn)" in refused[1]
    assert any("game over" in line for line in ada.lines) and ada.errors == []
    stage.assert_all_good("ada")


def test_three_at_one_keyboard(stage: Stage) -> None:
    """`--hotseat`: each is asked in turn, and one machine signed everything."""
    ada = stage.start("ada", "play", GAME, "--rules", "size=2x1", "--hotseat", "--seats", "3")
    for seat, move in zip("1231223", ("a1r", "a2r", "a3r", "a1d", "b1d", "a2d", "b2d"), strict=True):
        ada.expect("your turn", f"player {seat}")
        ada.type(move)
    end_well(stage, ada)


def test_a_game_alone_is_left_and_resumed(stage: Stage) -> None:
    """The end of the input leaves in good order; the computer still plays its seat afterwards, and no network is opened."""
    ada = stage.start("ada", "play", GAME, "--rules", "size=2x2", "--against", "easy")
    ada.expect("your turn")
    ada.type("a1r")
    ada.expect_move("easy", r"\w+")
    ada.hang_up()
    assert ada.ends() == 0
    assert stage.audit("ada") == 3
    ada = stage.start("ada", "resume", "--auto", "easy")
    assert ada.ends() == 0
    assert not any("port" in line or "is here" in line for line in ada.lines)
    stage.assert_all_good("ada")


# -- every verb


@exercises("board", "moves", "score", "who", "help")
def test_asking_changes_nothing(stage: Stage) -> None:
    """Position, moves, score, players and help can be asked at any time by anybody."""
    ada, bob = sit_down(stage, "1x1")
    play(ada, "a1r", bob)
    for player in (ada, bob):
        for verb, answer in (
            ("board", "o-"),
            ("b", "o-"),
            ("moves", "  a2r a1d b1d"),
            ("score", "bob is to move"),
            ("who", "player 1 ada, key "),
            ("help", "resign: you lose"),
            ("?", "anything else is a move"),
        ):
            player.type(verb)
            player.expect(answer)
    bob.type("who")
    bob.expect("player 2 bob", "you")
    ada.type("a2r", "xyzzy")
    play(bob, "a1d", ada)
    play(ada, "a2r", bob)
    ada.expect("not played (notation)")
    play(bob, "b1d", ada)
    end_well(stage, ada, bob)


@exercises("undo", "nevermind", "quit")
def test_taking_back_needs_the_other_and_works_in_both_orders(stage: Stage) -> None:
    """Whoever is to move asks and the other agrees, then the other way round; a wish can be dropped."""
    ada, bob = sit_down(stage)
    play(ada, "a1r", bob)
    play(bob, "a2r", ada)
    ada.expect("your turn")
    # Ada is to move and asks first.
    ada.type("undo")
    ada.expect("the others are asked: takeback")
    bob.expect("undo 0")
    bob.type("undo 0")
    for player in (ada, bob):
        player.expect("* 3 ada takes back to event 0")
    play(ada, "a3r", bob)
    # Ada is not to move and asks first.
    ada.type("undo 3")
    bob.expect("undo 3")
    bob.type("undo 3")
    for player in (ada, bob):
        player.expect("* 5 bob takes back to event 3")
    ada.type("undo 99", "undo x", "nevermind")
    ada.expect("(takeback)")
    ada.expect("the number of the event")
    ada.expect("there were none")
    bob.type("undo", "undo 4")
    bob.expect("the others are asked")
    ada.expect("would like to take back")
    bob.type("nevermind")
    bob.expect("wishes dropped: takeback")
    ada.type("quit")
    ada.expect("lantable resume")
    assert ada.ends() == 0
    bob.expect("is not connected any more")


@exercises("quit")
def test_whoever_quits_can_resume(stage: Stage) -> None:
    """The others see it, wait, and go on when the player is back, at whatever port."""
    ada, bob = sit_down(stage, "1x1")
    play(ada, "a1r", bob)
    bob.type("q")
    bob.expect("go on with it later: lantable resume")
    assert bob.ends() == 0
    ada.expect("* bob", "is not connected any more")
    ada.type("who")
    ada.expect("player 2 bob", "not connected")
    bob = stage.start("bob", "resume")
    for player in (ada, bob):
        player.expect("is here")
    bob.expect("everyone is here")
    for player, move in ((bob, "a2r"), (ada, "a1d"), (bob, "b1d")):
        play(player, move, ada, bob)
    end_well(stage, ada, bob)


@exercises("resign")
@pytest.mark.parametrize("due", [True, False], ids=["who is to move", "who is not"])
def test_resigning(stage: Stage, due: bool) -> None:
    """It is written down at once, by whoever is to move, and ends a game of two."""
    ada, bob = sit_down(stage)
    ada.expect("your turn")
    (ada if due else bob).type("resign")
    for player in (ada, bob):
        player.expect("game over: bob wins" if due else "game over: ada wins")
    end_well(stage, ada, bob)


@exercises("draw", "stop", "nevermind")
@pytest.mark.parametrize(("verb", "how"), [("draw", "drawn by agreement"), ("stop", "stopped by agreement")])
def test_ending_by_agreement(stage: Stage, verb: str, how: str) -> None:
    """An offer is dropped, or played past; then it is made again and agreed to, which ends the game."""
    ada, bob = sit_down(stage)
    ada.expect("your turn")
    bob.type(verb)
    ada.expect("* bob", f"agree with  {verb}")
    bob.type("nevermind")
    bob.expect(f"wishes dropped: {verb}")
    ada.type("a1r")
    bob.expect("your turn")
    ada.type(verb)
    bob.expect("* ada", f"agree with  {verb}")
    bob.type(verb)
    for player in (ada, bob):
        player.expect("game over", how)
    end_well(stage, ada, bob)


@exercises("leave")
@pytest.mark.parametrize("due", [True, False], ids=["who is to move", "who is not"])
def test_leaving_a_game_of_three(stage: Stage, due: bool) -> None:
    """The other two play on without waiting; whoever left still sees the end."""
    players = sit_down(stage, "1x1", 3)
    ada, bob, cyd = players
    if due:
        play(ada, "a1r", *players)
        bob.expect("your turn")
    bob.type("leave")
    for player in players:
        player.expect("bob leaves" if due else "writes that bob leaves")
    if not due:
        play(ada, "a1r", *players)
    bob.type("resign")
    bob.expect("you have left this game")
    play(cyd, "a2r", *players)
    play(ada, "a1d", *players)
    play(cyd, "b1d", *players)
    end_well(stage, *players)


@exercises("leave")
def test_two_cannot_leave_but_resign(stage: Stage) -> None:
    """It says so, to either of them, and nothing happens."""
    players = sit_down(stage, "1x1")
    for player in players:
        player.type("leave")
        player.expect("(resign_instead)")


def test_every_verb_is_typed_somewhere() -> None:
    """A new verb needs a test."""
    assert {verb.words[0] for verb in VERBS} == EXERCISED
