"""The commands that need files alone, and the command line itself, as a person meets them."""

import importlib
import json
import re
import shlex
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lantable import canonical
from lantable.chain import prove_events
from lantable.events import LAST_MOMENT, Nack, Signed
from lantable.keys import PublicKey
from lantable_console import cli, commands, replay
from lantable_console.commands import Place
from lantable_console.home import Home, local_time
from lantable_console.log import event_line
from lantable_console.people import two_words
from lantable_net.trust import State, TrustStore
from lantable_replays.audit import audit
from lantable_replays.cursor import Cursor
from tests.cli import DOTS, ROOT, SCRABBLE, TOY, Desk, Done, program, program_environment, run
from tests.games import BEGIN, GOLDEN, Sitting, file, key, make_host
from tests.test_host import BROKEN, good, install, write

BOB, EVE = key(1).public, key(9).public


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A fresh player's folder."""
    return Desk(tmp_path / "home")


def small(moves: int = 100, **options: Any) -> Sitting:
    """A game of one box, which four moves end."""
    return Sitting(options="size=1x1", **options).play(moves)


def meet(desk: Desk, *people: tuple[PublicKey, str, State]) -> None:
    """Write people into the trust store, as if met a minute after the tests' clock began."""
    store = Home(desk.home).trust()
    for person, name, state in people:
        act = {
            State.NEW: store.meet,
            State.SEEN: store.trust,
            State.COMPARED: store.compare,
            State.BLOCKED: store.block,
        }
        act[state](person, name, BEGIN + 60_000)
    Home(desk.home).save_trust(store)


def known(desk: Desk) -> TrustStore:
    """The trust store of a folder."""
    return Home(desk.home).trust()


# -- the command line


def parsers() -> Iterator[list[str]]:
    """The words of every command, and of every command's own commands."""
    verbs = {"log": ["list", "show"], "plugins": ["list"], "id": ["show", "name", "alias", "trust", "forget", "block"]}
    for command in cli.COMMANDS:
        yield [command.name]
        yield from ([command.name, verb] for verb in verbs.get(command.name, []))


@pytest.mark.parametrize("words", [[], *parsers()], ids=" ".join)
def test_help_begins_with_examples(words: list[str]) -> None:
    """Whoever asks for help wants to see how it is typed."""
    done = run(*words, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.lines[0] == "examples:" and done.lines[1].startswith("  lantable") and "usage: lantable" in done.out


@pytest.mark.parametrize("line", [line for command in cli.COMMANDS for line in command.examples if line != "lantable"])
def test_every_example_is_understood(line: str) -> None:
    """An example that does not parse teaches a mistake."""
    assert cli.build_parser().parse_args(shlex.split(line)[1:]).run


@pytest.mark.parametrize("command", cli.COMMANDS, ids=lambda command: command.name)
def test_every_command_names_a_function_that_exists(command: cli.Command) -> None:
    """The table is data, so a misspelt name would show only when the command is run."""
    module, _, function = command.run.partition(":")
    assert callable(getattr(importlib.import_module(f"lantable_console.{module}"), function))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("adit x", "no command is called 'adit'; did you mean 'audit'? See  lantable --help"),
        ("zzz", "no command is called 'zzz'; there is lobby, host, join"),
        ("log shew x", "no command is called 'shew'; did you mean 'show'? See  lantable log --help"),
        ("audit --jsn x", "unrecognized arguments: --jsn; see  lantable"),
        ("audit", "the following arguments are required: FILE|GAME-ID; see  lantable audit --help"),
        ("log", "the following arguments are required: list|show; see  lantable log --help"),
        ("replay x --at soon", "argument --at: invalid int value: 'soon'"),
        ("audit 00ff", "no record here begins with 00ff"),
        ("id trust Nobody", "nobody met here answers to 'Nobody'; there is none"),
    ],
)
def test_a_usage_error_is_one_line_and_2(desk: Desk, line: str, words: str) -> None:
    """What, where, and what to do."""
    done = desk(*line.split())
    assert (done.code, done.out) == (2, "") and words in done.error


def test_the_version_is_the_package_s() -> None:
    """One line, nothing else."""
    assert run("--version") == Done(0, "lantable 0.1.0\n", "")


def test_without_a_command_and_a_terminal_there_is_help() -> None:
    """The lobby is for a terminal, or for who asks for it with --plain."""
    done = run()
    assert (done.code, done.out) == (2, "") and done.err.startswith("examples:")


def test_common_options_may_stand_anywhere(tmp_path: Path) -> None:
    """Before the command, after it, and after its own command."""
    for words in (["--home", str(tmp_path), "id", "show"], ["id", "--home", str(tmp_path), "show"]):
        assert f"folder   {tmp_path}" in run(*words).lines
    assert f"folder   {tmp_path}" in run("id", "show", "--home", str(tmp_path)).lines
    assert f"folder   {tmp_path}" in run("id", "show", LANTABLE_HOME=str(tmp_path)).lines


def test_a_bug_of_ours_is_one_line_and_70(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person sees no traceback; a developer may ask for one. Ctrl-C is 130."""

    def fails(_: object) -> int:
        raise failure

    failure: BaseException = ZeroDivisionError("\x1b[2J")
    monkeypatch.setattr("lantable_console.log.run", fails)
    done = desk("log", "list")
    assert done.code == 70 and done.error.startswith("this is a bug of lantable, sorry: ZeroDivisionError: ?[2J")
    desk.environment["LANTABLE_DEBUG"] = "1"
    with pytest.raises(ZeroDivisionError):
        desk("log", "list")
    failure = KeyboardInterrupt()
    assert desk("log", "list").code == 130


def test_help_starts_quickly() -> None:
    """ "`--help` imports none of the last two" (pluggy, an entry-point scan), nor anything else that is heavy."""
    done = program("--help", python=["-X", "importtime"])
    imported = {line.rpartition("|")[2].strip() for line in done.err.splitlines()}
    assert done.code == 0 and "lantable_console.cli" in imported
    slow = {"pluggy", "importlib.metadata", "difflib", "asyncio", "ssl"}
    heavy = {"trio", "cryptography", "zeroconf", "prompt_toolkit", "nacl", "lantable.game", "platformdirs"} | slow
    assert not imported & heavy


@pytest.mark.parametrize("words", [["--help"], ["--plugin", DOTS, "log", "show", str(GOLDEN / "5x5-stopped.jsonl")]])
def test_a_reader_that_goes_away_causes_no_traceback(words: list[str]) -> None:
    """As `| head` does."""
    command = [sys.executable, "-m", "lantable", *words]
    with subprocess.Popen(
        command, env=program_environment(LANTABLE_PLUGINS=""), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_terminal_that_knows_only_ascii_shows_what_it_can() -> None:
    """A player named "Çağrı" does not end the program."""
    done = program(
        *("--plugin", DOTS, "log", "show", str(GOLDEN / "names.jsonl")),
        LANG="C",
        LC_ALL="C",
        PYTHONIOENCODING="ascii",
        LANTABLE_PLUGINS="",
    )
    assert done.code == 0 and "seat 2 ?a?r? ?, key" in done.out and done.err == ""


# -- what reaches the terminal

NASTY = "\x1b[2J\x07\x9b31m\x1b]52;c;cm0=\x07\u202e\u2066\u200b\n\r\t<b>"
HOSTILE = st.text(
    st.sampled_from("\x1b\x07\x9b\x7f\r\n\t\x01\u202e\u2066\u200b\u200d\ufeff\u2028[2J]52;cA'\"\\"), max_size=30
)


@settings(max_examples=3)
@given(HOSTILE)
@example(NASTY[:30])
@example("x" * 30)
def test_nothing_a_stranger_wrote_moves_the_cursor(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """No control or format character of a name, a move, an option, a rule, a file name reaches the screen."""
    desk = Desk(tmp_path_factory.mktemp("hostile"), plugins=[DOTS])
    names = (text, f"{NASTY}{text}", text * 2, "")
    rule = {"house_rules": [{"name": text, "version": text}]}
    games = [
        small(names=names),
        small(2, names=names),
        small(1, names=names, change=lambda offer: {**offer, "game": text, "version": text}),
        small(1, names=names, change=lambda offer: {**offer, "options": {"size": text, "award_rest": [text]}, **rule}),
        small(1, names=names),
        small(1, names=names, seed=1),
    ]
    games[2].force("move", {"move": text})
    games[4].force("move", {"move": text})
    games[5].force(text or "fanfare", {})
    desk.keep(*games)
    desk.archive.keep(games[4].game, "refused", refusal(games[4].table.chain.last, text))
    meet(desk, (BOB, text, State.NEW), (EVE, f"{text}{NASTY}", State.SEEN), (key(8).public, text, State.COMPARED))
    ids = [game.game.hex() for game in games]
    lines: list[list[str]] = [["log", "list"], ["id", "show"], ["audit", *ids], ["audit", "--json", *ids]]
    lines += [["log", "show", name] for name in ids] + [["replay", name] for name in ids[:2]]
    lines += [["id", "trust", text], ["id", "trust", EVE.hex, "--name", NASTY], ["id", "name", text]]
    lines += [["id", "trust", key(7).public.hex, "--name", text]]
    lines += [["audit", f"{text}?"], ["log", "show", f"{NASTY}?"], [f"a{text}"], ["plugins", f"list{text}"]]
    for line in lines:
        done = desk(*line, typed=f"n\n{text}\nmoves\ngoto {text}\n")
        assert not done.active, (line, done)
        assert done.code != 70, (line, done)


def refusal(signed: Signed, code: str) -> bytes:
    """The side file of a refusal by seat 0."""
    nack = Nack(signed.game, signed.event.seq, signed.h, code, 0).signed(key(0)).as_json()
    return canonical.write({"line": signed.line.decode(), "nack": nack})


def test_a_name_of_ten_kilobytes_is_cut_or_refused(desk: Desk, tmp_path: Path) -> None:
    """In an argument, in a file name, and as one's own name."""
    long = "x" * 10_000
    for line in (["id", "name", long], ["id", "block", long], ["audit", long], ["log", "show", long], [long]):
        done = desk(*line)
        assert done.code in (2, 6) and len(done.error) < 700, line
    (tmp_path / f"{NASTY[:4]}.jsonl").write_bytes(small().data)
    done = desk("audit", str(tmp_path / f"{NASTY[:4]}.jsonl"))
    assert done.code == 0 and "?[2J.jsonl: GOOD AND COMPLETE" in done.out


# -- audit


def test_an_audit_prints_the_verdict_and_what_it_rests_on(desk: Desk) -> None:
    """The three levels apart, the players with the words of their keys, the outcome."""
    done = desk("audit", desk.keep(small()))
    assert (done.code, done.err) == (0, "")
    assert done.lines[0] == f"{small().game.hex()}: GOOD AND COMPLETE"
    for fact in ("integrity  good: ", "rules      good: ", "deal       not dealt: ", "result     0 to 1: seat 2 wins"):
        assert any(line.startswith(f"  {fact}") for line in done.lines)
    for number, name in enumerate(("Ada", "Bob")):
        assert f"  seat {number + 1}     {name}, key {key(number).public.words} {key(number).public.hex}" in done.lines


def against_the_rules() -> Sitting:
    """A game whose second event is no legal move, though all acknowledged it."""
    sitting = small(1)
    sitting.force("move", {"move": "z9r"})
    return sitting


def in_another_game() -> Sitting:
    return small(change=lambda offer: {**offer, "game": "go"})


VERDICTS: list[tuple[str, bytes, int, str]] = [
    ("good", small().data, 0, "GOOD AND COMPLETE"),
    ("unfinished", small(2).data, 3, "GOOD BUT UNFINISHED"),
    ("torn", small(2).data[:-7], 3, "GOOD BUT UNFINISHED"),
    ("tampered", small().data.replace(b"b1d", b"a1d"), 1, "TAMPERED WITH"),
    ("illegal", against_the_rules().data, 1, "AGAINST THE RULES"),
    ("unknown", in_another_game().data, 4, "CANNOT BE JUDGED HERE"),
    ("no record", b"PK\x03\x04", 6, "UNREADABLE"),
    ("empty", b"", 6, "UNREADABLE"),
]


@pytest.mark.parametrize(("data", "code", "word"), [row[1:] for row in VERDICTS], ids=[row[0] for row in VERDICTS])
def test_each_verdict_has_its_word_and_code(desk: Desk, tmp_path: Path, data: bytes, code: int, word: str) -> None:
    """In words for people, as a code for programs, and the same in JSON."""
    path = tmp_path / "game.jsonl"
    path.write_bytes(data)
    done, as_json = desk("audit", str(path)), desk("audit", "--json", str(path))
    assert done.code == as_json.code == code
    assert done.lines[0] == f"{path}: {word}"
    report = json.loads(as_json.out)
    assert (report["file"], report["verdict"], report["code"]) == (str(path), word, code)
    assert audit(data, make_host().rules_for).as_json().items() <= {**report, "code": code}.items()


def test_unfinished_says_who_owes_what(desk: Desk) -> None:
    """Neither "complete" nor "tampered"."""
    assert "  unfinished seat 1 owes event 3" in desk("audit", desk.keep(small(2))).lines


def test_of_many_files_the_worst_decides(desk: Desk, tmp_path: Path) -> None:
    """Each is judged, also after one that cannot be read; the code is the worst of all."""
    paths = []
    for name, data, _, _ in VERDICTS:
        paths.append(str(tmp_path / name))
        Path(paths[-1]).write_bytes(data)
    missing = str(tmp_path / "missing")
    assert desk("audit", paths[0], paths[1]).code == 3
    assert desk("audit", paths[0], paths[5], paths[1]).code == 4
    done = desk("audit", paths[0], missing, paths[1])
    assert done.code == 6 and done.error == f"cannot read {missing}: No such file or directory; check the path"
    assert [line.rpartition(": ")[2] for line in done.lines if line[0] != " "] == [VERDICTS[0][3], VERDICTS[1][3]]
    done = desk("audit", "--json", missing, *paths)
    assert done.code == 1 and [json.loads(line)["code"] for line in done.lines] == [6, *(row[2] for row in VERDICTS)]


def test_a_folder_is_no_record(desk: Desk, tmp_path: Path) -> None:
    """One line, 6."""
    assert desk("audit", str(tmp_path)).error.endswith("it is a folder: name a file in it")
    assert desk("replay", str(tmp_path)).code == desk("log", "show", str(tmp_path)).code == 6


def test_a_record_is_found_by_the_first_digits_of_its_id(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as it takes; a file of that name wins; two that fit are a question."""
    games = [small(seed=seed) for seed in range(17)]
    desk.keep(*games)
    name = games[0].game.hex()
    assert desk("audit", name[:8]).code == desk("audit", name.upper()).code == 0
    done = desk("audit", max("0123456789abcdef", key=lambda digit: sum(g.game.hex()[0] == digit for g in games)))
    assert done.code == 2 and "give more digits" in done.error
    monkeypatch.chdir(desk.home)
    Path(name[:8]).write_bytes(b"no record")
    assert desk("audit", name[:8]).code == 6


def test_trusted_signers_are_those_met_again_or_compared_and_ourselves(desk: Desk) -> None:
    """Met once is not enough, blocked is none; without the option nobody asks."""
    name = desk.keep(small(seats=3))
    people = [key(number).public for number in range(3)]
    assert desk("audit", name).code == 0
    done = desk("audit", "--require-trusted", name)
    assert done.code == 5 and done.lines[0].endswith(": SIGNED BY A KEY YOU DO NOT TRUST")
    assert sum("is not one you trust" in line for line in done.lines) == 3
    meet(desk, (people[0], "Ada", State.COMPARED), (people[1], "Bob", State.SEEN), (people[2], "Cyd", State.NEW))
    done = desk("audit", "--require-trusted", name)
    assert "  untrusted  the key of seat 3 is not one you trust" in done.lines and done.code == 5
    desk("id", "trust", people[2].hex[:8])
    assert desk("audit", "--require-trusted", name).code == 0
    desk("id", "block", "Bob")
    assert desk("audit", "--require-trusted", name).code == 5


def test_our_own_key_is_trusted(desk: Desk) -> None:
    """A game of ours alone needs nobody's trust."""
    desk("id", "name", "Ada")
    own = Home(desk.home).key_file().key
    assert desk("audit", "--require-trusted", desk.keep(small(keys=[own, own]))).code == 0


def forked() -> tuple[Sitting, bytes]:
    """A game, and the proof that seat 2 signed two different events 2."""
    sitting = small(1)
    moves = list(sitting.table.position.rules.legal(sitting.table.position.state, 1))
    one, other = (sitting.draft("move", {"move": move}) for move in moves[:2])
    proof = prove_events(sitting.table.chain, one, other)
    assert proof is not None
    return sitting, canonical.write(proof.as_json())


def test_a_proof_beside_a_record_is_judged_with_it(desk: Desk) -> None:
    """ "A proof says 'this key signed twice', never 'this person cheated'"; naming the proof names the record."""
    sitting, proof = forked()
    name = desk.keep(sitting)
    desk.archive.keep(sitting.game, "proof", proof)
    done = desk("audit", name)
    assert done.code == 1 and done.lines[0] == f"{name}: SIGNED TWICE"
    words = f"the key of seat 2 ({BOB.words}) signed two different events 2"
    assert done.lines[-1] == f"  proof      SIGNED TWICE: {words}"
    assert desk("audit", str(desk.archive.folder / f"{name}.proof")).lines[1:] == done.lines[1:]
    (side,) = json.loads(desk("audit", "--json", name).out)["sides"]
    assert side == {"kind": "proof", "verdict": "SIGNED TWICE", "message": words, "code": 1}


def test_a_proof_under_another_name_is_judged_beside_the_record_of_that_name(desk: Desk, tmp_path: Path) -> None:
    """Copies that somebody sent; without the record nothing can be said."""
    sitting, proof = forked()
    (tmp_path / "sent.proof").write_bytes(proof)
    done = desk("audit", str(tmp_path / "sent.proof"))
    assert done.code == 6 and f"cannot read {tmp_path / 'sent.jsonl'}" in done.error
    (tmp_path / "sent.jsonl").write_bytes(sitting.data)
    assert desk("audit", str(tmp_path / "sent.proof")).lines[0].endswith("sent.proof: SIGNED TWICE")
    (tmp_path / "sent.jsonl").write_bytes(small(seed=5).data)
    done = desk("audit", str(tmp_path / "sent.proof"))
    assert done.code == 1 and done.lines[0].endswith("FALSE EVIDENCE")


def test_a_refusal_is_judged_by_the_rules(desk: Desk) -> None:
    """Right, wrong, or not to be told here; a refusal that was wrong leaves the record what it is."""
    sitting = small(1)
    wrong, right = sitting.draft("move", {"move": "z9r"}), sitting.draft("move", {"move": "a1d"})
    name = desk.keep(sitting)
    side = desk.archive.path(sitting.game, ".refused")
    for signed, code, word in ((wrong, 1, "RIGHTLY REFUSED"), (right, 3, "WRONGLY REFUSED")):
        side.write_bytes(refusal(signed, "off_board"))
        done = desk("audit", name)
        assert done.code == code and f"  refused    {word}: seat 1 refuses event 2: off_board; " in done.lines[-1]
    assert Desk(desk.home, plugins=[])("audit", name).lines[-1].startswith("  refused    REFUSED, WHICH CANNOT BE")
    side.write_bytes(side.read_bytes().replace(b'"code":"off_board"', b'"code":"off_bored"'))
    assert desk("audit", name).lines[0] == f"{name}: FALSE EVIDENCE"


# -- log


def test_the_list_has_a_line_for_every_record(desk: Desk) -> None:
    """Newest first: id, begin, game, players, and how it stands in words."""
    assert desk("log", "list").lines == [f"there is no record in {desk.home / 'records'}"]
    done_with, open_game, illegal, unknown = small(seed=1), small(2, seed=2), against_the_rules(), in_another_game()
    fork, proof = Sitting("count-to"), forked()[1]
    desk.keep(done_with, open_game, illegal, unknown, fork)
    desk.archive.keep(fork.game, "proof", proof)
    desk.archive.path(bytes(16)).write_bytes(b"junk")
    done = desk("log", "list")
    lines = {line.split("  ")[0]: line.split("  ")[1:] for line in done.lines}
    begin = datetime.fromtimestamp(BEGIN / 1000).isoformat(" ")
    assert (done.code, done.err) == (0, "")
    assert lines[done_with.game.hex()[:8]] == [
        *(begin, "Dots and Boxes 1.0, size=1x1", "Ada, Bob"),
        "complete: 0 to 1: seat 2 wins (played out)",
    ]
    assert lines[open_game.game.hex()[:8]][-1] == "unfinished: seat 1 owes event 3"
    assert lines[illegal.game.hex()[:8]][-1].startswith("broken at 2: event 2: ")
    assert lines[unknown.game.hex()[:8]][-1].startswith("unknown rules: the game 'go' is not installed")
    assert lines[fork.game.hex()[:8]][1] == "Count To 1.0"
    assert lines[fork.game.hex()[:8]][-1].startswith("stopped, lantable audit tells why; unfinished: seat 1 owes")
    assert lines["00000000"] == ["broken: no_record: this is not a lantable record"]
    assert done.lines[-1].startswith("00000000")


def test_show_tells_an_event_a_line(desk: Desk) -> None:
    """Number, time, who, what, and how many acknowledged it; nothing is missing and each line makes sense alone."""
    sitting = Sitting(options="size=3x3,award_rest=yes", seats=4, seed=2)
    sitting.play(2).agree("takeback", 1).play(1).resign(1).leave(2).play(1).agree("stop")
    done = desk("log", "show", desk.keep(sitting))
    assert (done.code, done.err) == (0, "")
    assert done.lines[0] == f"game {sitting.game.hex()}: Dots and Boxes 1.0, award_rest=yes, size=3x3"
    assert done.lines[2] == f"seat 2 Bob, key {BOB.words} {BOB.hex}"
    assert done.lines[-1].startswith("complete: 0 to 0 to 0 to 0: ")
    told = [line.split("  ") for line in done.lines[5:-1]]
    assert [int("".join(line[:-4])) for line in told] == list(range(9))
    assert told[1][-4:-2] == [datetime.fromtimestamp(BEGIN / 1000 + 1).isoformat(" "), "seat 1 Ada"]
    acks = ["(3 acknowledgements)"] * 7 + ["(2 acknowledgements)"] * 2
    assert [line[-1] for line in told] == acks
    said = [line[-2] for line in told]
    assert said[0] == "begins a game of 4 seats" and said[1].startswith("plays ")
    assert said[3:] == [
        "takes back to event 1, as all agreed",
        said[4],
        "writes that seat 2 Bob resigns",
        "leaves",
        said[7],
        "stops the game, as all agreed",
    ]


def test_show_needs_no_plugin_but_says_that_it_judged_nothing(desk: Desk) -> None:
    """Moves are shown as the players wrote them."""
    done = Desk(desk.home, plugins=[])("log", "show", str(GOLDEN / "1x1-two-seats.jsonl"))
    assert done.code == 4 and sum("  plays " in line for line in done.lines) == 4
    assert done.error.startswith("unknown rules: event 0: the game 'dots-and-boxes' is not installed here")


def test_show_stops_at_the_last_good_event(desk: Desk, tmp_path: Path) -> None:
    """Then it says so, and the code is 1."""
    lines = small().lines
    lines[6] = lines[6].replace(b'"t":1', b'"t":2')
    for data, seq in ((file(lines), 3), (against_the_rules().data, 2)):
        (tmp_path / "game").write_bytes(data)
        done = desk("log", "show", str(tmp_path / "game"))
        assert done.code == 1 and done.error.startswith(f"broken at {seq}: event {seq}")
        assert done.lines[-1].split()[0] == str(seq - 1)


def test_unfinished_records_are_shown_without_reproach(desk: Desk) -> None:
    """An event that not everyone acknowledged yet is shown as that."""
    sitting = small(2)
    (desk.home / "x.jsonl").parent.mkdir(parents=True)
    (desk.home / "x.jsonl").write_bytes(file(sitting.lines[:-1]))
    done = desk("log", "show", str(desk.home / "x.jsonl"))
    assert done.code == 0 and done.lines[-2].endswith("(not yet acknowledged)")
    assert done.lines[-1] == "unfinished: seat 1 owes its acknowledgement of event 2"


def take_zone() -> None:
    """Let TZ take effect in this process, where that can be done."""
    if sys.platform != "win32":
        time.tzset()


@pytest.mark.parametrize("ms", [0, BEGIN, LAST_MOMENT])
def test_any_moment_a_record_may_claim_can_be_shown(ms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also the last second of the year 9999, wherever this computer stands."""
    for zone in ("Pacific/Kiritimati", "UTC", "America/Anchorage"):
        monkeypatch.setenv("TZ", zone)
        take_zone()
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\(moment \d+\)", local_time(ms))
    monkeypatch.undo()
    take_zone()
    assert local_time(BEGIN + 999) == local_time(BEGIN) == datetime.fromtimestamp(BEGIN / 1000).isoformat(" ")


# -- rules


def test_rules_are_read_in_the_program(desk: Desk) -> None:
    """The game's own words, every option with its default; a game without words still tells its options."""
    done = desk("rules", "dots-and-boxes")
    assert (done.code, done.err) == (0, "") and done.lines[0] == "Dots and Boxes 1.0"
    assert "Whoever draws the fourth side of a box owns it" in done.out and max(map(len, done.lines[:20])) <= 78
    with_all = Desk(desk.home, plugins=[DOTS, TOY, SCRABBLE])
    for game in make_host().games.values():
        done = with_all("rules", game.id)
        assert done.code == 0 and all(f"option {option.name}=" in done.out for option in game.options)
    assert desk("rules", "nothing").code == 2


# -- replay

WALKED = Sitting(options="size=2x2", seats=3, seed=4).play(5).agree("takeback", 2).play()


def positions(sitting: Sitting) -> Cursor:
    return Cursor(sitting.data, make_host().rules_for)


def test_at_shows_one_position(desk: Desk) -> None:
    """Header, event, rows of the picture, panel; nothing is asked."""
    cursor, name = positions(WALKED), desk.keep(WALKED)
    for at in (0, 6, len(cursor) - 1):
        done = desk("replay", name, "--at", str(at))
        cursor.seek(at)
        assert (done.code, done.err) == (0, "")
        assert done.lines[0].startswith(f"REPLAY {name[:8]}: Dots and Boxes 1.0, size=2x2; seat 1 Ada (")
        assert "; VERIFIED: " in done.lines[0] and done.lines[1].startswith(f"{at:>4}  ")
        assert done.lines[2:] == replay.drawn(cursor.position)
    for beyond in ("-1", str(len(cursor))):
        done = desk("replay", name, "--at", beyond)
        assert (done.code, done.out) == (2, "")
        assert done.error == f"there is no event {beyond} to go to; this record has events 0 to {len(cursor) - 1}"


STEPS = st.one_of(
    st.sampled_from(["", "n", "next", "p", "prev", "first", "last", "b", "N"]),
    st.integers(-2, len(positions(WALKED))).map(lambda seq: f"g {seq}"),
)


@settings(max_examples=8)
@given(st.lists(STEPS, max_size=12))
def test_every_walk_shows_what_the_players_saw(tmp_path_factory: pytest.TempPathFactory, steps: list[str]) -> None:
    """To and fro as one likes: after any steps the picture is that of playing forward to there."""
    desk, cursor, at = Desk(tmp_path_factory.mktemp("walk"), plugins=[DOTS]), positions(WALKED), 0
    for step in steps:
        moves: dict[str, int] = {"": at + 1, "n": at + 1, "next": at + 1, "p": at - 1, "prev": at - 1}
        moves |= {"first": 0, "last": len(cursor) - 1, "b": at}
        to = int(step[2:]) if step.startswith("g") else moves[step.lower()]
        at = to if 0 <= to < len(cursor) else at
    done = desk("replay", desk.keep(WALKED), typed="".join(f"{step}\n" for step in [*steps, "board"]))
    cursor.seek(at)
    shown = replay.drawn(cursor.position)
    assert done.code == 0 and done.lines[-len(shown) :] == shown
    assert done.lines[-len(shown) - 1].partition("  [")[0] == event_line(cursor.chain, at)


def test_one_table_feeds_parsing_and_help(desk: Desk) -> None:
    """Every word does one thing, and help names them all."""
    rows = list(commands.at(Place.REPLAY, screen=False))
    words = [word for command in rows for word in command.words]
    assert len(set(words)) == len(words)
    done = desk("replay", desk.keep(small()), typed="help\nquit\nnext\n")
    told = done.lines[done.lines.index("player 1 to move") + 1 :]
    assert told == [f"{command.usage}: {command.help}" for command in rows]


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("nxt", "'nxt' is not understood; did you mean 'next'?"),
        ("board z", "'z' is no row, column or cell of this board"),
        ("next soon", "next or prev takes the number of an event, such as  goto 12"),
        ("goto", "type  goto N or g N"),
        ("goto soon", "goto takes the number of an event, such as  goto 12"),
        ("g ²", "goto takes the number of an event, such as  goto 12"),
        ("goto 99", "there is no event 99 to go to; this record has events 0 to 4"),
        ("prev", "event 0 is the first one"),
        (b"\xff\xfe", "'\ufffd\ufffd' is not understood; there is next, n, prev"),
    ],
)
def test_what_cannot_be_done_is_said_and_the_replay_goes_on(desk: Desk, typed: str | bytes, words: str) -> None:
    """An answer like any other; the end of the input ends it well."""
    line = typed.encode() if isinstance(typed, str) else typed
    done = desk("replay", desk.keep(small()), typed=line + b"\nlast\nn\n")
    assert done.code == 0 and any(line.startswith(words) for line in done.lines)
    assert done.lines[-1] == "event 4 is the last one; complete: 0 to 1: seat 2 wins (played out)"


def test_moves_lists_all_and_marks_where_one_is(desk: Desk) -> None:
    """The mark is a sign, no colour."""
    done = desk("replay", desk.keep(small()), typed="g 2\nmoves\n")
    assert [line[:7] for line in done.lines[-5:]] == [">    2 " if n == 2 else f"     {n} " for n in range(5)]


def test_the_header_says_how_far_to_believe_it(desk: Desk, tmp_path: Path) -> None:
    """One machine's record is signed, but nobody else vouches for it: UNSIGNED BY OTHERS is what that is called."""
    tampered = small().data.replace(b"b1d", b"a1d")
    for record, word, code in (
        (small().data, "VERIFIED", 0),
        (small(2).data, "VERIFIED", 0),
        (small(shared_keys=True).data, "UNSIGNED BY OTHERS", 0),
        (against_the_rules().data, "BROKEN at 2", 1),
        (tampered, "BROKEN at 1", 1),
        (in_another_game().data, "UNKNOWN RULES", 4),
    ):
        (tmp_path / "game").write_bytes(record)
        done = desk("replay", str(tmp_path / "game"), typed="")
        assert f"; {word}: " in done.lines[0] and done.code == code, done
        assert bool(done.err) == (code != 0)
    (tmp_path / "game").write_bytes(small().data.replace(b'"seat":0', b'"seat":1', 1))
    done = desk("replay", str(tmp_path / "game"))
    assert (done.code, done.out) == (1, "") and done.error.startswith("broken at 0: ")


def test_a_broken_record_is_walked_to_its_last_good_event(desk: Desk) -> None:
    """It stops there and says why; the code is 1 however one leaves."""
    name = desk.keep(against_the_rules())
    done = desk("replay", name, typed="last\nn\nmoves\nquit\n")
    assert done.code == 1 and done.error.startswith("broken at 2: event 2: ")
    assert any(line.startswith("event 1 is the last good one; event 2 is not: ") for line in done.lines)
    assert done.lines[-1].startswith(">    1 ")
    assert desk("replay", name, "--at", "1").code == 1
    assert desk("replay", name, "--at", "2").code == 2


def test_unknown_rules_leave_the_events(desk: Desk) -> None:
    """What can be told without pictures is told."""
    name = desk.keep(in_another_game())
    done = desk("replay", name)
    assert done.code == 4 and [line.split()[0] for line in done.lines[1:]] == ["0", "1", "2", "3", "4"]
    assert desk("replay", name, "--at", "3").lines[1:] == [done.lines[4]]
    assert desk("replay", name, "--at", "5").code == 2


def test_a_game_that_cannot_be_drawn_is_the_plugin_s_fault(desk: Desk, tmp_path: Path) -> None:
    """One line that says whose fault it is; 4, or in the midst of a replay an answer like any other."""
    source = (
        "from dataclasses import replace\nfrom lantable.hookspecs import hookimpl\nfrom tests import toy\n\n"
        "class Rules(toy.CountTo):\n    def picture(self, view):\n        if view.total:\n"
        "            raise SystemExit('no\\x1b ink')\n        return super().picture(view)\n\n"
        "@hookimpl\ndef lantable_games():\n"
        "    return [replace(toy.COUNT_TO, make=lambda options, rules: Rules(options['target']))]\n"
    )
    desk.plugins, sitting = [write(tmp_path, "inkless", source)], Sitting("count-to").play()
    done = desk("replay", desk.keep(sitting), "--at", "1")
    assert done.code == 4 and done.error == "the game could not be drawn: SystemExit: no? ink"
    done = desk("replay", sitting.game.hex(), typed="n\n")
    assert done.code == 0 and done.lines[-1] == "the game could not be drawn: SystemExit: no? ink"


# -- plugins


def test_plugins_are_listed_with_what_they_offer(desk: Desk) -> None:
    """A fact a line, each of which can be read alone."""
    done = desk("plugins", "list")
    assert (done.code, done.err) == (0, "")
    for line in (
        f"plugin file-{TOY}, from {TOY}: ok",
        "game count-to 1.0: Count To, for 2 to 4 players",
        "option of count-to: target=10 unless told otherwise; the number to reach: a whole number from 1 to 1000",
        "preset of count-to: short, that is target=4",
        "computer player of count-to: greedy",
        "house rule big-steps 1.0 of count-to: Steps up to 5",
        "preset of dots-and-boxes: standard, that is every option as usual",
    ):
        assert line in done.lines


def test_the_list_as_json_says_the_same(desk: Desk, tmp_path: Path) -> None:
    """For programs; broken ones too, and the code is 0."""
    desk.plugins = [TOY, write(tmp_path, "bad", BROKEN["raises on import"][0])]
    done = desk("plugins", "list", "--json")
    toy, bad = json.loads(done.out)["plugins"]
    assert done.code == 0 and (toy["state"], toy["error"], toy["path"]) == ("ok", None, TOY)
    assert toy["games"][0]["options"][0] == {
        "name": "target",
        "default": 10,
        "values": "a whole number from 1 to 1000",
        "title": "the number to reach",
    }
    assert toy["games"][0]["presets"] == {"short": {"target": 4}, "long": {"target": 120}}
    assert toy["house_rules"] == [{"game": "count-to", "name": "big-steps", "version": "1.0", "title": "Steps up to 5"}]
    assert (bad["state"], bad["error"], bad["games"]) == ("broken", "RuntimeError: no luck", [])


@pytest.mark.parametrize("source", [BROKEN[kind][0] for kind in ("raises on import", "leaves in a hook", "gives text")])
def test_a_broken_plugin_is_listed_and_the_program_runs(desk: Desk, tmp_path: Path, source: str) -> None:
    """Everyone is told once, on stderr, and nothing else is disturbed."""
    path = write(tmp_path, "bad", source)
    desk.plugins = [path, TOY]
    done = desk("plugins", "list")
    assert done.code == 0 and any(line.startswith(f"plugin file-{path}, from {path}: broken: ") for line in done.lines)
    assert done.error.startswith(f"plugin file-{path} is broken and left out: ")
    assert desk("audit", desk.keep(Sitting("count-to").play())).code == 0


def test_a_plugin_cannot_move_the_cursor_either(desk: Desk, tmp_path: Path) -> None:
    """Its errors and titles are shown like anybody's text."""
    source = good("nasty").replace('"a rule"', repr(NASTY))
    desk.plugins = [write(tmp_path, "nasty", source), write(tmp_path, "worse", f"raise ValueError({NASTY!r})")]
    for words in (["plugins", "list"], ["plugins", "list", "--json"]):
        done = desk(*words)
        assert done.code == 0 and not done.active


def test_installed_plugins_are_found_unless_told_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LANTABLE_PLUGINS names the ones to load; empty, it is a bare start."""
    install(tmp_path, stranger_one=good("one"), stranger_two=good("two"), stranger_bad="1 / 0")
    monkeypatch.syspath_prepend(tmp_path)

    def listed(**environment: str) -> set[str]:
        done = run("plugins", "list", **environment)
        assert done.code == 0
        return {line.split()[1] for line in done.lines if line.startswith("plugin ")}

    assert {"stranger_one", "stranger_two", "stranger_bad"} <= listed()
    assert listed(LANTABLE_PLUGINS="stranger_one, stranger_bad") == {"stranger_one", "stranger_bad"}
    assert listed(LANTABLE_PLUGINS="") == set()
    assert run("plugins", "list", LANTABLE_PLUGINS="").lines[0].startswith("no plugin is loaded")
    assert "plugin stranger_two 1.2, from stranger_two: ok" in run("plugins", "list").lines


# -- id


def test_showing_makes_nothing(desk: Desk) -> None:
    """Neither a key nor a folder; it may run beside the program."""
    done = desk("id", "show")
    assert done.code == 0 and not desk.home.exists()
    assert done.lines[0].endswith("lantable id name NAME") and done.lines[-1] == "people   nobody met yet"


def test_a_name_is_kept_with_the_key(desk: Desk) -> None:
    """The first name makes the key, later ones leave it as it is."""
    assert desk("id", "name", "Ada").code == 0
    own = Home(desk.home).key_file().key.public
    for name in ("Çağrı", unicodedata.normalize("NFD", "Zoë"), "  Bob  "):
        done = desk("id", "name", name)
        shown = unicodedata.normalize("NFC", name.strip())
        assert done.lines == [f"others see you as {shown} from now on; your key stays {own.words}"]
    assert desk("id", "show").lines == [
        "you      Bob",
        f"words    {own.words}",
        f"key      {own.hex}",
        f"folder   {desk.home}",
        "people   nobody met yet",
    ]


@pytest.mark.parametrize("name", ["", "  ", "x" * 65, "a\x1b[2J", "\u202eadA", "A\u200bda"])
def test_a_name_others_would_not_see_right_is_refused(desk: Desk, name: str) -> None:
    """One line, 2, and no key is made."""
    done = desk("id", "name", name)
    assert done.code == 2 and done.error == "a name is 1 to 64 printable characters" and not Home(desk.home).has_key()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a person's folders private by other means")
def test_a_key_that_others_can_read_is_warned_of(desk: Desk) -> None:
    """With the command that mends it."""
    desk("id", "name", "Ada")
    assert desk("id", "show").err == ""
    (desk.home / "key.json").chmod(0o644)
    assert desk("id", "show").error == f"others on this computer can read your key: run  chmod 600 {desk.home}/key.json"


def test_people_are_shown_with_state_words_and_dates(desk: Desk) -> None:
    """An alias comes first; no name stands without words of its key."""
    meet(desk, (BOB, "Bob", State.COMPARED), (EVE, "Bob", State.SEEN))
    store = known(desk)
    store.rename(EVE, "Eve from work")
    Home(desk.home).save_trust(store)
    when = local_time(BEGIN + 60_000)
    dates = f"first seen {when}, last seen {when}"
    two = ["-".join(person.words.split("-")[:2]) for person in (BOB, EVE)]
    like = "not the key you know as Bob"
    assert desk("id", "show").lines[-2:] == [
        f"person   Bob ({two[0]}, compared), key {BOB.hex[:8]}, {dates}",
        f"person   Eve from work (shows the name Bob, {two[1]}, seen, {like}), key {EVE.hex[:8]}, {dates}",
    ]


@pytest.mark.parametrize("named", [BOB.hex, BOB.hex[:4].upper(), "bob", "Robert"])
def test_a_key_is_named_by_digits_or_by_name(desk: Desk, named: str) -> None:
    """Trust, compare, block, take back, forget: each says whose key it was about, with its words."""
    meet(desk, (BOB, "Bob", State.NEW))
    store = known(desk)
    store.rename(BOB, "Robert")
    Home(desk.home).save_trust(store)
    for words, state in (
        (["trust"], State.SEEN),
        (["trust", "--compared"], State.COMPARED),
        (["block"], State.BLOCKED),
        (["trust"], State.SEEN),
        (["block"], State.BLOCKED),
        (["trust", "--compared"], State.COMPARED),
    ):
        done = desk("id", *words, named)
        person = known(desk).get(BOB)
        assert done.code == 0 and person is not None and (person.state, person.name) == (state, "Bob")
        assert f"Robert (shows the name Bob, {two_words(BOB)}, " in done.out
    assert desk("id", "forget", named).code == 0 and known(desk).get(BOB) is None
    assert desk("id", "forget", named).code == 2


def test_an_alias_comes_first_and_can_be_taken_back(desk: Desk) -> None:
    """Only we see it; one that another answers to is refused."""
    meet(desk, (BOB, "Bob", State.SEEN), (EVE, "Eve", State.SEEN))
    assert f"Robert (shows the name Bob, {two_words(BOB)}, seen)" in desk("id", "alias", "Bob", " Robert ").out
    assert (
        desk("id", "alias", EVE.hex[:8], "robert").error
        == "somebody else is already called robert; choose another alias"
    )
    assert desk("id", "alias", "Eve", "\x1b[2J").code == 2
    assert f"you call them: Bob ({two_words(BOB)}, seen)" in desk("id", "alias", "Robert", "").out


def test_a_name_that_two_keys_bear_is_a_question(desk: Desk) -> None:
    """One line shows both with their words; nothing is changed, and digits decide."""
    meet(desk, (BOB, "Bob", State.COMPARED), (EVE, "bob", State.NEW), (EVE, "bob", State.SEEN))
    before = known(desk).dump()
    for verb in ("trust", "forget", "block"):
        done = desk("id", verb, "Bob")
        assert done.code == 2 and done.error.startswith("2 keys answer to 'Bob': ")
        for person in (BOB, EVE):
            assert two_words(person) in done.error and f"key {person.hex[:8]}" in done.error
    assert known(desk).dump() == before
    assert desk("id", "block", EVE.hex[:8]).code == 0 and known(desk).get(EVE).state is State.BLOCKED  # type: ignore[union-attr]  # it is known


def test_three_digits_are_no_key(desk: Desk) -> None:
    """Too easy to hit by a slip; and the nearest name is offered."""
    meet(desk, (BOB, "Robert", State.NEW))
    assert desk("id", "trust", BOB.hex[:3]).code == 2
    assert desk("id", "trust", "Rbert").error == "nobody met here answers to 'Rbert'; did you mean 'Robert'?"


def test_a_key_refused_under_a_known_name_is_accepted_by_all_its_digits(desk: Desk) -> None:
    """ "A changed key for a known name needs typed consent and shows both"."""
    meet(desk, (BOB, "Bob", State.COMPARED))
    assert known(desk).judge(EVE, "Bob").word == "changed"
    done = desk("id", "trust", EVE.hex)
    assert done.code == 2 and done.error.endswith("say whose it is: lantable id trust KEY --name NAME")
    done = desk("id", "trust", EVE.hex, "--name", "Bob")
    assert done.code == 0 and BOB.words in done.lines[0] and EVE.words in done.lines[1]
    assert known(desk).judge(EVE, "Bob").word == "seen" and known(desk).judge(BOB, "Bob").word == "compared"
    assert desk("id", "block", key(7).public.hex, "--name", "Mallory").code == 0
    assert known(desk).judge(key(7).public, "Mallory").word == "blocked"


def test_sixty_four_digits_need_not_be_a_key(desk: Desk) -> None:
    """A slip in copying must not be stored."""
    done = desk("id", "trust", "00" * 32, "--name", "Bob")
    assert done.code == 2 and "no player's key" in done.error and not known(desk).people()


CHANGES: list[Callable[[Desk], Done]] = [
    lambda desk: desk("id", "name", "Ada"),
    lambda desk: desk("id", "alias", "Bob", "Robert"),
    lambda desk: desk("id", "trust", "Bob"),
    lambda desk: desk("id", "forget", "Bob"),
    lambda desk: desk("id", "block", "Bob"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_changed_under_a_running_program(desk: Desk, change: Callable[[Desk], Done]) -> None:
    """It would write back what it holds. Reading is always possible."""
    meet(desk, (BOB, "Bob", State.NEW))
    before = known(desk).dump()
    running = Home(desk.home)
    running.lock()
    done = change(desk)
    assert done.code == 2 and done.error.startswith("another lantable already runs with the folder")
    assert known(desk).dump() == before and not running.has_key()
    assert desk("id", "show").code == desk("log", "list").code == 0
    running.close()
    assert change(desk).code == 0
    assert change(desk).code in (0, 2)


def test_a_damaged_store_is_told_and_left_alone(desk: Desk) -> None:
    """6, with what to do."""
    meet(desk, (BOB, "Bob", State.NEW))
    (desk.home / "trust.json").write_bytes(b"{}")
    for words in (["id", "show"], ["id", "block", "Bob"], ["audit", "--require-trusted", str(GOLDEN / "names.jsonl")]):
        done = desk(*words)
        assert done.code == 6 and "restore it from a backup, or move it away" in done.error
    assert (desk.home / "trust.json").read_bytes() == b"{}"
