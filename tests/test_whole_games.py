"""A whole game of each kind between two people, from invitation to rematch: on two screens, and line by line."""

import re
import sys
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import pytest

from tests.programs import Program, Stage
from tests.terminals import Pty, known

DOTS, SCRABBLE = "dots-and-boxes", "binary-scrabble"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with Stage(tmp_path) as stage:
        yield stage


# -- on two screens


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[Callable[[str], Pty]]:
    """`lobby("Ada")`: the lobby of that person on a screen."""
    started: list[Pty] = []

    def start(name: str) -> Pty:
        home = known(tmp_path / name, name)
        words = ["-m", "lantable", "--home", home, "lobby", "--no-discovery", "--port", "0"]
        started.append(Pty([sys.executable, *words], width=95))
        started[-1].expect("PEOPLE", "? help")
        return started[-1]

    yield start
    for pty in started:
        pty.child.close(force=True)


def invited(lobby: Callable[[str], Pty], *words: str) -> tuple[Pty, Pty]:
    """Ada opens a table, Bob reaches her by address and accepts, Ada lets him in; the game has begun."""
    ada, bob = lobby("Ada"), lobby("Bob")
    ada.type(f":host {' '.join(words)}\r")
    ada.expect("yours, 1 free")
    port = re.search(r"port (\d+)", ada.text)
    assert port is not None
    bob.type(f"c127.0.0.1:{port[1]}\r")
    bob.expect("INVITATION from Ada", "a accept")
    bob.type("a")
    ada.expect("y 1 or n 1", "Bob", "asks for a seat")
    ada.type("y1\r")
    for one in (ada, bob):
        one.expect("log ok #")
    return ada, bob


def rematch_and_leave(ada: Pty, bob: Pty, number: int) -> None:
    """Bob asks for another game, Ada agrees; in it Bob resigns."""
    for one in (ada, bob):
        one.expect("GAME OVER", "r rematch", "q quit")
    bob.type("r")
    ada.expect(f"y {number} or n {number}: Bob asks for a rematch")
    ada.type(f":y {number}\r")
    for one in (ada, bob):
        one.until(lambda one=one: "YOUR MOVE" in one.text or "is to move" in one.text, "a new game")  # type: ignore[misc]  # binds
    bob.type(":resign\r")
    for one in (ada, bob):
        one.expect("GAME OVER: Ada wins")
        one.type("q")
        one.expect("PEOPLE", "? help")
        one.type("q")
        assert one.code() == 0
        one.assert_given_back()


def assert_both_have_both(stage: Stage) -> None:
    """The first game and the rematch, each the same for both, and good at all three levels."""
    ada, bob = ({path.name: path.read_bytes() for path in stage.records(name)} for name in ("Ada", "Bob"))
    assert len(ada) == 2 and ada == bob
    assert stage.audit("Ada") == 0


def test_dots_and_boxes_on_two_screens(lobby: Callable[[str], Pty], stage: Stage) -> None:
    """One box: Enter draws the line under the cursor, and a move can be typed; whoever closes the box wins."""
    ada, bob = invited(lobby, DOTS, "size=1x1", "first=me")
    players = {"Ada": ada, "Bob": bob}
    ada.expect("YOUR MOVE", "cursor on a1r")
    ada.type("\r")
    for turn, (name, move) in enumerate([("Bob", "a2r"), ("Ada", "a1d"), ("Bob", "b1d")], 2):
        players[name].expect("YOUR MOVE")
        players[name].type(f"{move}\r")
        for both in (ada, bob):
            both.expect(f"{turn} {name} plays {move}")
    for one in (ada, bob):
        one.expect("GAME OVER: Bob wins")
    rematch_and_leave(ada, bob, 2)
    assert_both_have_both(stage)


def test_binary_scrabble_on_two_screens(lobby: Callable[[str], Pty], stage: Stage) -> None:
    """Dealt by both. Whoever begins asks for a hint and lays it with Enter; then both pass until the game is over."""
    ada, bob = invited(lobby, SCRABBLE, "scoreless_limit=1")
    players = {"Ada": ada, "Bob": bob}
    ada.until(lambda: "YOUR MOVE" in ada.text or "Bob is to move" in ada.text, "who begins")
    first = "Ada" if "YOUR MOVE" in ada.text else "Bob"
    mover, other = players.pop(first), next(iter(players.values()))
    mover.expect("YOUR MOVE", "h hint")
    mover.type("h")
    mover.expect("a hint: ")
    laid = "Enter plays it" in mover.text
    hint = re.search(r"a hint: (.+)", mover.text)
    assert hint is not None
    # A rack with which nothing can be laid is exchanged.
    mover.type("\r" if laid else f":{hint[1]}\r")
    other.expect(f"{first} plays")
    for one in cycle((other, mover)):
        one.until(lambda one=one: "YOUR MOVE" in one.text or "GAME OVER" in one.text, "a turn, or the end")  # type: ignore[misc]  # binds
        if "GAME OVER" in one.text:
            break
        one.type(":pass\r")
        one.until(lambda one=one: "YOUR MOVE" not in one.text, "the pass")  # type: ignore[misc]  # binds
    rematch_and_leave(ada, bob, 2)
    assert_both_have_both(stage)


# -- line by line


def question(program: Program, *texts: str) -> str:
    """The number of the next question that says this."""
    return program.match(r"^\* (\d+): .*" + ".*".join(map(re.escape, texts)))[1]


def invited_in_lines(stage: Stage, *words: str) -> tuple[Program, Program]:
    ada, bob = stage.start("Ada", "lobby"), stage.start("Bob", "lobby")
    bob.type(f"connect {ada.address()}")
    ada.expect("Bob", "is here")
    ada.type(f"host {' '.join(words)}")
    bob.expect("open table", "sit down with")
    bob.type("accept")
    ada.type(f"y {question(ada, 'Bob', 'asks for a seat')}")
    for player in (ada, bob):
        player.expect("* game", "begins")
    return ada, bob


def rematch_and_leave_in_lines(ada: Program, bob: Program) -> None:
    for player in (ada, bob):
        player.expect("the record is complete")
    bob.type("rematch")
    ada.type(f"y {question(ada, 'Bob asks for a rematch')}")
    for player in (ada, bob):
        player.expect("* game", "begins; player 1 is")
    bob.type("resign")
    for player in (ada, bob):
        player.expect("game over: Ada wins")
        player.type("quit")
        assert player.ends() == 0


def test_dots_and_boxes_in_lines(stage: Stage) -> None:
    """The same with words alone: each move is told to both, and so is who won."""
    ada, bob = invited_in_lines(stage, DOTS, "size=1x1", "first=me")
    for player, move in [(ada, "a1r"), (bob, "a2r"), (ada, "a1d"), (bob, "b1d")]:
        player.expect("your turn")
        player.type(move)
        for one in (ada, bob):
            one.expect_move(player.name, move)
    rematch_and_leave_in_lines(ada, bob)
    assert_both_have_both(stage)


def test_binary_scrabble_in_lines(stage: Stage) -> None:
    """A hint is a move that can be typed; then both pass until the game is over."""
    ada, bob = invited_in_lines(stage, SCRABBLE, "scoreless_limit=1")
    first = ada.match(r"the lot fell on (\w+),")[1]
    mover, other = (ada, bob) if first == "Ada" else (bob, ada)
    mover.expect("your turn")
    mover.type("hint")
    mover.type(mover.match(r"^ +hint: (.*)")[1])
    for player in cycle((other, mover)):
        if player.match("your turn|game over")[0] == "game over":
            break
        player.type("pass")
    rematch_and_leave_in_lines(ada, bob)
    assert_both_have_both(stage)
