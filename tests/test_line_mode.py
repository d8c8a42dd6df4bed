"""The line mode as people and scripts meet it: real programs, typed to through pipes and terminals.

`exercises` notes which verbs of the table a test types; the last test wants each of them to be somewhere.
"""

import shlex
import shutil
import signal
import socket
import sys
import termios
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Any, Final, TypeVar

import pexpect  # type: ignore[import-untyped]  # it has no types of its own
import pytest

from lantable_console.commands import Place, at
from lantable_console.home import Home, KeyFile
from lantable_net.trust import State
from tests.hosts import small_disk
from tests.programs import GAME, LANTABLE, PATIENCE, ROOT, Program, Stage, environment

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
    for program in dict.fromkeys((player, *watchers)):
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
    """The end of the input leaves in good order; afterwards the computer still plays its seat, without a network."""
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


@exercises("board", "moves", "score", "who", "rules", "help", "news", "unicode", "shadow")
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
            ("rules", "must draw again"),
            ("news", "  1 ada plays a1r"),
            ("unicode", "* unicode is on; for good:  lantable config set unicode yes"),
            ("board", "\u2022\u2500"),
            ("unicode", "* unicode is off"),
            ("shadow", "* shadow is on"),
        ):
            player.type(verb)
            player.expect(answer)
    words: list[str] = []
    for player, who in ((ada, "player 2 bob"), (bob, "player 1 ada")):
        player.type("who")
        player.expect(who, ", connected, new")
        words.append(player.match(r"^  first time with .* now see the words  (\S+)$")[1])
    assert words[0] == words[1]
    # What is piped ahead waits for its turn; what is no move is refused then.
    ada.type("xyzzy")
    bob.type("a1d")
    ada.expect_move("bob", "a1d")
    ada.expect("not played (notation)")
    ada.type("a2r")
    play(bob, "b1d", ada)
    end_well(stage, ada, bob)


@exercises("undo", "nevermind", "quit")
def test_taking_back_needs_the_other_and_works_in_both_orders(stage: Stage) -> None:
    """Whoever is to move offers and the other agrees, then the other way round; an offer can be withdrawn."""
    ada, bob = sit_down(stage)
    play(ada, "a1r", bob)
    play(bob, "a2r", ada)
    ada.expect("your turn")
    # Ada is to move and asks first.
    ada.type("undo")
    ada.expect("the others are asked: back to move 0, the beginning")
    bob.expect("1: ada offers back to move 0, the beginning; y 1 says yes, n 1 says no")
    bob.type("y 1")
    for player in (ada, bob):
        player.expect("* 3 ada takes back to event 0")
    play(ada, "a3r", bob)
    # Ada is not to move and asks first.
    ada.type("undo 3")
    bob.expect("2: ada offers back to move 3, when ada takes back to event 0")
    bob.type("undo 3")
    for player in (ada, bob):
        player.expect("* 5 bob takes back to event 3")
    ada.type("undo 99", "undo x", "nevermind")
    ada.expect("(takeback)")
    ada.expect("the number of the event")
    ada.expect("there were none")
    bob.type("undo", "undo 4")
    bob.expect("the others are asked")
    bob.expect("your own offer of that kind is open")
    ada.expect("1: bob offers back to move")
    bob.type("nevermind")
    bob.expect("wishes dropped: takeback")
    ada.expect("1: the offer of bob is not open any more (withdrawn)")
    ada.type("y 1")
    ada.expect("question 1 is not open any more")
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
    ada.expect("1: bob offers", "playing on says no")
    bob.type("nevermind")
    bob.expect(f"wishes dropped: {verb}")
    ada.type("a1r")
    bob.expect("your turn")
    ada.type(verb)
    bob.expect("1: ada offers")
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
        player.expect("* 2 bob leaves;") if due else player.expect("* 1 ada writes that", "bob leaves;")
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


def two_lobbies(stage: Stage) -> tuple[Program, Program, str]:
    """Ada and Bob in the lobby, connected; and Ada's address."""
    ada, bob = stage.start("ada", "lobby"), stage.start("bob", "lobby")
    address = ada.address()
    bob.type(f"connect {address}")
    bob.expect("first time with ada")
    return ada, bob, address


def test_words_are_compared_in_the_lobby(stage: Stage) -> None:
    """Both screens show the same four; who says so there is compared from then on, also for the list and the file."""
    ada, bob, _ = two_lobbies(stage)
    words = ada.match(r"now see the words  (\S+)$")[1]
    assert any(line.endswith(f"now see the words  {words}") for line in bob.lines)
    ada.type("info bob")
    ada.expect("  bob (", "new")
    ada.expect("equal on both your screens", words)
    ada.type("compared bob")
    ada.expect("* trusted: bob (", "compared")
    ada.type("who")
    ada.expect("  bob (", "compared")
    ada.type("alias bob Robert", "filter rob", "filter zzz", "compared nobody", 'alias "x')
    ada.expect("* you call them: Robert (shows the name bob")
    ada.expect("  Robert (")
    ada.expect("  1 of 1 people and tables match rob")
    ada.expect("  0 of 1 people and tables match zzz")
    ada.expect("nobody met here answers to 'nobody'")
    ada.expect("type PERSON [NAME]")
    person = Home(stage.home("ada")).trust().people()[0]
    assert (person.state, person.called) == (State.COMPARED, "Robert")
    ada.type("block Robert")
    bob.expect("* ada", "is not connected any more")
    ada.type("trust Robert", "forget Robert")
    ada.expect("* forgotten: ")
    assert not Home(stage.home("ada")).trust().people()


def test_a_changed_key_is_consented_to_in_the_lobby(stage: Stage) -> None:
    """Refused under the name of somebody else until its digits are typed; then both are known and connected."""
    ada, _, address = two_lobbies(stage)
    cyd = stage.start("cyd", "lobby", "--name", "bob")
    cyd.type(f"connect {address}")
    digits = ada.match(r"or, in the lobby: trust ([0-9a-f]{16}) bob$")[1]
    ada.type("trust bob")
    ada.expect("* trusted: bob (")
    ada.type(f"trust {digits} bob")
    ada.expect("the name bob is known with another key")
    ada.expect("* trusted: bob (")
    cyd.type(f"connect {address}")
    ada.expect("* bob (", "not the key you know as bob", "is here")


@exercises("invitations", "join", "switch")
def test_an_invitation_reaches_one_who_plays(stage: Stage) -> None:
    """It is told on the board, can be followed from there, and both games can be gone back to."""
    ada, bob, _ = two_lobbies(stage)
    ada.type(f"solo {GAME} size=2x2")
    ada.expect("your turn")
    bob.type(f"host {GAME} size=1x1 first=me open=yes")
    ada.expect("* INVITATION from bob (new) to ", "sit down with: join ")
    ada.type("switch", "invitations")
    ada.expect("no other game of yours has begun")
    ada.expect("  INVITATION from bob (new)")
    ada.type("join")
    ada.expect("asked for a seat at ", "this game goes on")
    ada.expect("another game has begun, with bob: go there with  switch ")
    ada.type("switch")
    alone = ada.match(r"the game is kept; go on with it later: lantable resume (\w+)$")[1]
    ada.expect("* game", "begins; player 1 is bob, player 2 is ada")
    play(bob, "a1r", ada)
    ada.expect("your turn, ada")
    ada.type("q")
    ada.expect("the game is kept")
    ada.type("resume")
    ada.expect("* back in game", "player 1 is bob")
    for player, move in ((ada, "a2r"), (bob, "a1d"), (ada, "b1d")):
        play(player, move, ada, bob)
    ada.expect("the record is complete")
    ada.type(f"resume {alone}")
    ada.expect("your turn, ada")
    ada.type("q", "q")
    assert ada.ends() == 0


def test_two_games_at_once(stage: Stage) -> None:
    """A table of one's own fills while another game is played: it waits, and one goes to and fro between both."""
    ada, bob, address = two_lobbies(stage)
    cyd = stage.start("cyd", "lobby")
    cyd.type(f"connect {address}")
    tables = []
    for _ in range(2):
        ada.type(f"host {GAME} size=1x1 first=me open=yes")
        tables.append(ada.match(r"^\* table (\S+) is open")[1])
    for guest, table in zip((bob, cyd), tables, strict=True):
        guest.expect("* open table", table)
    bob.type(f"join {tables[0]}")
    ada.expect("your turn")
    cyd.type(f"join {tables[1]}")
    ada.expect("another game has begun, with cyd: go there with  switch ")
    play_on(ada, bob, "a1r")
    ada.type("switch")
    ada.expect("goes on meanwhile; switch leads back to it")
    ada.expect("your turn")
    play_on(ada, cyd, "a1r")
    bob.type("a2r")
    ada.expect("it is your turn in the other game: switch")
    ada.type("switch")
    ada.expect("* back in game", "player 2 is bob")
    ada.expect_move("bob", "a2r")
    play_on(ada, bob, "a1d")
    play(bob, "b1d", ada)
    ada.expect("the record is complete")
    ada.expect("* back in game", "player 2 is cyd")
    for player, move in ((cyd, "a2r"), (ada, "a1d"), (cyd, "b1d")):
        play(player, move, ada, cyd)


def play_on(player: Program, other: Program, move: str) -> None:
    """A move by one who was asked before."""
    player.type(move)
    for program in (player, other):
        program.expect_move(player.name, move)


def test_every_verb_is_typed_somewhere() -> None:
    """A new verb needs a test."""
    # Typed in test_scrabble_console.py, where there is something to hide and to explain.
    elsewhere = {"sit", "try", "hint"}
    elsewhere |= {
        "yes",
        "no",
        "time",
        "chat",
        "mute",
        "unmute",
        "away",
        "back",
        "rematch",
        "continue",
    }  # test_together_programs.py
    assert {command.name for command in at(Place.GAME, screen=False)} - elsewhere == EXERCISED


# -- ending


SIGNALS = ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129))


def test_a_signal_ends_it_and_the_game_is_kept(stage: Stage) -> None:
    """Ctrl-C, `kill` and a closed window: the record is whole, the other side sees it at once, and resuming works."""
    ada, bob = sit_down(stage, "1x1")
    for (number, code), move in zip(SIGNALS, ("a1r", "a2r", "a1d"), strict=True):
        mover = bob if move == "a2r" else ada
        if move != "a1d":  # Ada was asked for this one before Bob was gone, and is not asked again.
            mover.expect("your turn")
        mover.type(move)
        for program in (ada, bob):
            program.expect_move(mover.name, move)
        if move == "a2r":
            ada.expect("your turn")
        bob.signal(number)
        assert bob.ends() == code and bob.errors == []
        ada.expect("* bob", "is not connected any more")
        assert stage.audit("bob") == 3
        bob = stage.start("bob", "resume")
        ada.expect("* bob", "is here")
    play(bob, "b1d", ada)
    end_well(stage, ada, bob)


@pytest.mark.parametrize(
    ("words", "ending"), list(zip((("host", GAME), ("lobby",), ("play", GAME)), SIGNALS, strict=True)), ids=str
)
def test_a_signal_while_waiting(stage: Stage, words: tuple[str, ...], ending: tuple[signal.Signals, int]) -> None:
    """There is nothing to lose, and nothing is said."""
    ada = stage.start("ada", *words)
    ada.expect("* ")
    ada.signal(ending[0])
    assert ada.ends() == ending[1] and ada.errors == []


def test_the_end_of_the_input_ends_the_lobby(stage: Stage) -> None:
    """There is nobody left to obey."""
    ada = stage.start("ada", "lobby")
    ada.hang_up()
    assert ada.ends() == 0


def test_a_closed_keyboard_leaves_a_game_in_good_order(stage: Stage) -> None:
    """The end of the input is like `quit`."""
    ada, bob = sit_down(stage, "1x1")
    play(ada, "a1r", bob)
    bob.hang_up()
    bob.expect("lantable resume")
    assert bob.ends() == 0
    ada.expect("* bob", "is not connected any more")


SLOW_DISK = """
import sys, threading
from lantable_console import cli
from lantable_net import messages
from lantable_net.node import Node
from lantable_replays.record import RecordFile

asked = threading.Event()
receive, open_record = Node.receive, RecordFile.open

def heard(node, link, payload):
    effects = receive(node, link, payload)
    if isinstance(messages.read(payload), messages.Head):
        asked.set()
    return effects

def open_late(path):
    if threading.current_thread() is not threading.main_thread():
        asked.wait(30)
    return open_record(path)

Node.receive, RecordFile.open = heard, open_late
sys.exit(cli.main())
"""
"""lantable, where another task than the one that acts opens a record only after the other side asked about its game."""


def test_a_peer_that_is_killed_for_good(stage: Stage) -> None:
    """The other sees it and quits; both find together later, though the killed one listens at another port by then.

    It is back first, and asks about the game before the other has opened its record.
    """
    port = ("--port", str(stage.port()))
    ada, bob = sit_down(stage, "1x1", 2, *port)
    play(ada, "a1r", bob)
    bob.kill()
    ada.expect("* bob", "is not connected any more")
    ada.type("quit")
    assert ada.ends() == 0
    ada = stage.start("ada", "resume", *port, program=(sys.executable, "-c", SLOW_DISK))
    bob = stage.start("bob", "resume")
    play(bob, "a2r", ada)
    play(ada, "a1d", bob)
    play(bob, "b1d", ada)
    end_well(stage, ada, bob)


# -- what goes wrong


def assert_one_line(program: Program, *codes: int) -> str:
    """It ended with such a code and said why in one line; that line."""
    assert program.ends() in codes
    (line,) = program.errors
    assert line.startswith("lantable: ")
    return line


def test_a_second_program_in_the_same_folder(stage: Stage) -> None:
    """It would sign with the same key, so it is refused, whatever it wants to do."""
    ada = stage.start("ada", "host", GAME)
    ada.address()
    for words in (("host", GAME), ("play", GAME), ("join", "127.0.0.1:9")):
        assert "another lantable already runs" in assert_one_line(stage.start("ada", *words), 2)


def test_a_table_that_is_not_there(stage: Stage) -> None:
    """It looks as long as it was told, and says what else could be tried."""
    ada = stage.start("ada", "join", "nowhere", "--wait", "1", discovery=True)
    ada.expect("looking for the table nowhere, for 1 seconds at most")
    assert "join by address" in assert_one_line(ada, 2)
    ada = stage.start("ada", "join", "nowhere")
    assert "with --no-discovery no table is found by its name" in assert_one_line(ada, 2)


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """Somebody who is no lantable; the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            # Closing the listener ends this.
            with suppress(OSError):
                while True:
                    with listener.accept()[0] as connection:
                        connection.recv(4096)
                        connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        # A plain close does not wake `accept`.
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""], ids=["a web server", "a hang-up"])
def test_an_address_where_something_else_answers(stage: Stage, answer: bytes) -> None:
    """One line that says so."""
    with answering(answer) as address:
        line = assert_one_line(stage.start("ada", "join", address), 1, 2)
    assert address in line


def test_an_address_where_nobody_listens(stage: Stage) -> None:
    """One line with the reason the system gave."""
    address = f"127.0.0.1:{stage.port()}"
    line = assert_one_line(stage.start("ada", "join", address), 1, 2)
    assert address in line and "refused" in line


def test_joining_oneself(stage: Stage) -> None:
    """The same key in another folder is still oneself."""
    ada = stage.start("ada", "host", GAME)
    address = ada.address()
    (stage.folder / "copy").mkdir()
    shutil.copy(stage.folder / "ada" / "key.json", stage.folder / "copy" / "key.json")
    assert_one_line(stage.start("copy", "join", address), 1, 2)


def test_a_host_without_a_table(stage: Stage) -> None:
    """The lobby of somebody who hosts nothing can be reached, but there is no seat."""
    ada = stage.start("ada", "lobby")
    bob = stage.start("bob", "join", ada.address(), "--wait", "1")
    bob.expect("* ada has no table open; waiting for one, 1 s at most")
    assert "no open table" in assert_one_line(bob, 2)


@pytest.mark.parametrize("lost", ["plugin", "record"])
def test_a_game_that_cannot_be_opened_here(stage: Stage, lost: str) -> None:
    """The other speaks of a game whose plugin is gone, or whose record is damaged: it is said once, and all goes on."""
    ada = stage.start("ada", "host", GAME)
    address = ada.address()
    bob = stage.start("bob", "join", address)
    play(ada, "a1r", bob)
    bob.type("quit")
    assert bob.ends() == 0
    if lost == "record":
        (path,) = stage.records("bob")
        path.write_bytes(path.read_bytes().replace(b'"seat":0', b'"seat":1', 1))
    bare: dict[str, str] = {"LANTABLE_PLUGINS": ""} if lost == "plugin" else {}
    bob = stage.start("bob", "lobby", **bare)  # type: ignore[arg-type]  # no key of it is another parameter
    bob.type(f"connect {address}")
    bob.expect("no to game", "not installed" if lost == "plugin" else "stays as it is")
    bob.type("who", "quit")
    bob.expect("1 connected")
    assert bob.ends() == 0


HOSTILE = "\x1b[2J\x07\x9b31m\u202eeve\u200d"


def test_a_hostile_name_stays_inert(stage: Stage) -> None:
    """Nothing the other side calls itself or its table moves the cursor, rings, or turns text around."""
    folder = stage.home("eve")
    file = Home(folder).key_file()
    (folder / "key.json").write_bytes(KeyFile(file.key, file.deal, file.home, HOSTILE).write() + b"\n")
    eve = stage.start("eve", "host", GAME, "--rules", "size=1x1", "--table", f"t{HOSTILE}")
    bob = stage.start("bob", "join", eve.address())
    bob.expect("game", "begins")
    eve.expect("your turn")
    eve.type("a1r")
    bob.expect("your turn")
    bob.type("who", "board", "draw")
    bob.expect("the others are asked: a draw")
    eve.type(f"chat {HOSTILE}")
    bob.expect("says: ?[2J??31m?eve?")
    eve.type("resign")
    bob.expect("game over")
    assert (eve.ends(), bob.ends()) == (0, 0)
    for program in (eve, bob):
        active = {char for line in program.lines for char in line if unicodedata.category(char)[0] == "C"}
        assert active == set()


# -- a disk that fails


def fill(file: Path) -> None:
    """Write until nothing more fits."""
    with suppress(OSError), file.open("wb", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))


def test_a_full_disk_stops_the_game_and_room_lets_it_go_on(stage: Stage) -> None:
    """One clear line, whichever write finds no room; nothing goes out that is not on the disk; `resume` completes."""
    with small_disk(stage.folder / "bob"):
        port = ("--port", str(stage.port()))
        ada, bob = sit_down(stage, "3x3", 2, *port)
        fill(stage.folder / "bob" / "filler")
        # What was begun still fits into the last block of the file. No box is closed by lines to the right.
        for move, player in zip((f"{dot}{row}r" for dot in "abc" for row in "1234"), cycle((ada, bob)), strict=False):
            player.type(move)
            if "cannot go on" in bob.match(rf"the game cannot go on here now|\b{move};").string:
                break
        assert bob.ends() == 6 and bob.errors == []
        assert "No space left" in bob.lines[-2] or "bytes were written" in bob.lines[-2]
        assert "free some space" in bob.lines[-2] and "lantable resume" in bob.lines[-1]
        ada.expect("* bob", "is not connected any more")
        ada.type("quit")
        assert ada.ends() == 0
        (stage.folder / "bob" / "filler").unlink()
        players = [
            stage.start("ada", "resume", "--auto", "easy", *port),
            stage.start("bob", "resume", "--auto", "easy"),
        ]
        assert [player.ends() for player in players] == [0, 0]
        assert stage.record("ada") == stage.record("bob")
        assert stage.audit("bob") == 0


# -- at a terminal


@pytest.fixture
def terminal(stage: Stage) -> Iterator[Callable[..., "pexpect.spawn[str]"]]:
    """`terminal("ada", "play", …)`: the program at a terminal of its own."""
    with ExitStack() as stack:

        def spawn(name: str, *words: str) -> "pexpect.spawn[str]":
            command = [*LANTABLE, "--home", str(stage.home(name)), *words]
            child = pexpect.spawn(command[0], command[1:], env=environment(), encoding="utf-8", timeout=PATIENCE)
            stack.callback(child.close, force=True)
            return child

        yield spawn


def test_a_game_at_a_terminal(terminal: Callable[..., "pexpect.spawn[str]"], stage: Stage) -> None:
    """Line mode asks for each move, obeys what is typed, and ends with 0."""
    ada = terminal("ada", "--plain", "play", GAME, "--rules", "size=1x1", "--hotseat")
    for move in ("a1r", "a2r", "a1d", "b1d"):
        ada.expect("your turn, player [12]: type a move")
        ada.sendline(move)
    ada.expect("the record is complete")
    ada.expect("rematch asks for another game")
    stage.assert_all_good("ada")
    ada.sendline("rematch")
    ada.expect("player 1 is player 2, player 2 is player 1")
    ada.expect("your turn, player 2: type a move")
    ada.sendline("quit")
    ada.expect(pexpect.EOF)
    ada.wait()
    assert ada.exitstatus == 0 and len(stage.records("ada")) == 2


def test_ctrl_c_at_a_terminal(terminal: Callable[..., "pexpect.spawn[str]"], stage: Stage) -> None:
    """130, the terminal as it was, and the game resumable."""
    ada = terminal("ada", "--plain", "play", GAME, "--rules", "size=1x1", "--hotseat")
    before = termios.tcgetattr(ada.child_fd)
    ada.expect("your turn")
    ada.sendline("a1r")
    ada.expect("your turn, player 2")
    ada.sendintr()
    ada.expect(pexpect.EOF)
    after = termios.tcgetattr(ada.child_fd)
    ada.wait()
    assert ada.exitstatus == 130 and after == before
    ada = terminal("ada", "--plain", "resume")
    ada.expect("your turn, player 2")
    ada.sendline("quit")
    ada.expect("lantable resume")
    ada.expect(pexpect.EOF)
    ada.wait()
    assert ada.exitstatus == 0


def test_news_waits_while_somebody_is_typing(terminal: Callable[..., "pexpect.spawn[str]"], stage: Stage) -> None:
    """What is half typed stays whole: news comes once it is finished, or rubbed out. Nothing is ever rewritten."""
    words = ("host", GAME, "--rules", "size=1x1", "--no-discovery", "--port", "0", "--first", "me", "--open")
    ada = terminal("ada", "--plain", *words)
    ada.expect(r"by address: lantable join \S+:(\d+)\r")
    bob = stage.start("bob", "join", f"127.0.0.1:{ada.match[1]}")
    ada.expect("your turn, ada: type a move")
    ada.sendline("a1r")
    ada.expect("1 ada plays a1r")
    ada.send("a2")
    ada.expect("a2")
    play(bob, "a1d")
    wait_until(lambda: b'"move":"a1d"' in stage.record("ada"))
    ada.send("x")
    ada.expect("x")
    assert "plays" not in ada.before, "it was told in the middle of the line"
    ada.send("\x7f")
    ada.sendline("r")
    ada.expect("r\r\n")
    ada.expect("2 bob plays a1d")
    ada.expect("3 ada plays a2r")
    ada.send("resig\x7f\x7f\x7f\x7f\x7f")
    play(bob, "b1d")
    ada.expect("4 bob plays b1d")
    ada.expect("the record is complete")
    ada.expect("quit leaves")
    ada.sendline("quit")
    ada.expect(pexpect.EOF)
    ada.wait()
    assert ada.exitstatus == 0 and bob.ends() == 0
    stage.assert_all_good("ada", "bob")


def test_tab_completes_and_arrows_bring_lines_back(terminal: Callable[..., "pexpect.spawn[str]"]) -> None:
    """As far as there is one way; several are listed. A line typed before is had again, and can be changed."""
    ada = terminal("ada", "--plain", "play", GAME, "--rules", "size=2x2", "--hotseat")
    ada.expect("your turn, player 1")
    ada.send("boa\t1\r")
    ada.expect("board 1\r\n +row 1: box a1 is open at")
    ada.send("s\t")
    ada.expect(r"\n  score  .*stop")
    ada.expect(r"\ns")
    ada.send("\x15a1r\r")
    ada.expect("1 player 1 plays a1r")
    ada.send("\x1b[A\x1b[A\x7f2\r")
    ada.expect("2\r\n +row 2: box a2 is open at")
    ada.send("\x1b[A\x1b[B")
    ada.sendline("quit")
    ada.expect("lantable resume")
    ada.expect(pexpect.EOF)


def test_a_terminal_is_given_back_for_a_while(stage: Stage) -> None:
    """Ctrl-Z: the shell finds it as it was; after fg typing goes on where it was."""
    command = shlex.join([*LANTABLE, "--home", str(stage.home("ada")), "--plain", "play", GAME, "--hotseat"])
    with ExitStack() as stack:
        shell = pexpect.spawn("bash", ["--norc"], env=environment(PS1="$ "), encoding="utf-8", timeout=PATIENCE)
        stack.callback(shell.close, force=True)
        shell.expect_exact("$ ")
        before = termios.tcgetattr(shell.child_fd)
        shell.sendline(command)
        shell.expect("your turn")
        shell.send("a1")
        shell.expect_exact("a1")
        shell.send("\x1a")
        shell.expect("Stopped")
        shell.expect_exact("$ ")
        shell.sendline("stty -a")
        shell.expect(r"[^-]icanon.*[^-]echo ")
        shell.sendline("fg")
        shell.expect(r"play dots-and-boxes[^\n]*\n.*a1")
        shell.sendline("r")
        shell.expect("1 player 1 plays a1r")
        shell.sendline("quit")
        shell.expect("lantable resume")
        shell.expect_exact("$ ")
        assert termios.tcgetattr(shell.child_fd) == before


def test_a_replay_at_a_terminal(terminal: Callable[..., "pexpect.spawn[str]"], stage: Stage) -> None:
    """Line mode: a prompt that says where one is, a run that an empty line stops, arrows that type nothing."""
    record = ROOT / "tests" / "golden" / "2x3-three-seats.jsonl"
    ada = terminal("ada", "--plain", "replay", str(record))
    ada.expect("event 0 of 17> ")
    ada.sendline("\x1b[C\x1bOAn")
    ada.expect("event 1 of 17> ")
    ada.sendline("speed 4")
    ada.expect("4x the players' pace")
    ada.sendline("play")
    ada.expect("it runs at 4x")
    ada.expect(r" 3  \d{4}-")
    ada.sendline("")
    ada.expect("it stands at event")
    ada.sendline("last")
    ada.expect("event 17 of 17> ")
    ada.sendline("quit")
    ada.expect(pexpect.EOF)
    ada.wait()
    assert ada.exitstatus == 0
    assert "\x1b" not in ada.before


def wait_until(done: Callable[[], object]) -> None:
    """Poll with a limit."""
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)
