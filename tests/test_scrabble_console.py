"""Binary Scrabble at the keyboard: hidden racks, trying before playing, checking expressions, samples, refusals."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lantable.dealing.fair import FairDealing
from lantable.dealing.seed import SeedDealer, SeedDealing, commitment
from lantable.errors import UnknownRules
from lantable.events import Seat
from lantable.game import Game
from lantable.keys import sha256
from lantable_console.replay import samples
from lantable_replays.audit import audit
from tests.cli import ROOT, Desk, program, program_environment
from tests.games import GOLDEN, Sitting, file, key, make_host

PLUGINS = [
    str(ROOT / "plugins" / f"lantable_{name}" / "__init__.py")
    for name in ("binary_scrabble", "xor_tiles", "rotated_equals")
]
FILES = [part for path in PLUGINS for part in ("--plugin", path)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "home", plugins=PLUGINS)


def typed(home: Path, *words: str, lines: str) -> list[str]:
    """What `lantable` prints for lines that are piped into it."""
    done = subprocess.run(
        [sys.executable, "-m", "lantable", "--home", str(home), *FILES, *words],
        env=program_environment(LANTABLE_PLUGINS=""),
        cwd=ROOT,
        input=lines,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == "" and done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def racks(lines: list[str]) -> list[str]:
    return [line for line in lines if re.match(r"\s*>?\s*player \d  \d+ points.*rack", line)]


# -- playing


def test_a_rack_is_shown_only_once_its_player_sits_down(tmp_path: Path) -> None:
    """Before Enter the board hides every rack, and neither moves nor tries tell anything."""
    said = typed(tmp_path, "play", "binary-scrabble", "--hotseat", lines="board\nmoves\ntry pass\nquit\n")
    assert racks(said) == [] and sum("press Enter" in line for line in said) == 3
    said = typed(tmp_path, "play", "binary-scrabble", "--hotseat", lines="\npass\nboard\n\nquit\n")
    seen = [re.findall(r"player (\d)", line)[0] for line in racks(said)]
    assert sorted(seen) == ["1", "2"]
    assert "* your turn, player 1: type a move" in said and "* your turn, player 2: type a move" in said


def test_a_move_can_be_tried_before_it_is_played(tmp_path: Path) -> None:
    """It says what a move makes, or why it is none, and plays nothing."""
    said = typed(tmp_path, "play", "binary-scrabble", "--hotseat", lines="\ntry pass\ntry 1A 1=1\n1A 1=1\nquit\n")
    assert "  valid: That may be played; it scores nothing." in said
    assert sum("not valid: The first move must cover the centre square." in line for line in said) <= 1
    assert any(line.startswith("* not played (") for line in said)
    assert not any("plays 1A" in line for line in said)


def test_a_hint_is_a_move_and_plays_nothing(tmp_path: Path) -> None:
    """Asked of the strongest computer player, for whoever is to move and sits there."""
    said = typed(tmp_path, "play", "binary-scrabble", "--hotseat", lines="hint\n\nhint\nquit\n")
    assert any("a hint is for whoever is to move and sits here" in line for line in said)
    (hint,) = [line.removeprefix("  hint: ") for line in said if line.startswith("  hint: ")]
    assert make_host().game("binary-scrabble").make({}, ()).parse(hint) == hint
    assert not any(" plays " in line for line in said)


def test_an_exchange_tells_others_only_how_many(tmp_path: Path) -> None:
    """In the news while it is played, and in the log until the game is over."""
    desk = Desk(tmp_path / "home", plugins=PLUGINS)
    sitting = Sitting("binary-scrabble", seed=6)
    state = sitting.table.position.state
    sitting.move(f"-{state.racks[state.turn][:3]}")
    name = desk.keep(sitting)
    said = desk("log", "show", name).out + desk("replay", name, typed="last\nmoves\nquit\n").out
    assert "plays -___" in said and f"-{state.racks[state.turn][:3]}" not in said
    assert "draws 3 tiles for seat" in said and not re.search("rack [^e]", said)
    blind = Desk(tmp_path / "blind", plugins=[])
    blind.keep(sitting)
    assert f"-{state.racks[state.turn][:3]}" not in blind("log", "show", name).out


def test_a_finished_game_hides_nothing(desk: Desk) -> None:
    """Replayed, it shows every rack."""
    done = desk("replay", str(GOLDEN / "scrabble-training.jsonl"), "--at", "4")
    assert done.code == 0 and len(racks(done.lines)) == 2


def test_a_game_against_the_computer(tmp_path: Path) -> None:
    """Played to its end, with its own record good at all three levels."""
    said = typed(
        tmp_path, "play", "binary-scrabble", "--against", "greedy", "--auto", "easy", "--rules", "scoreless_limit=1",
        lines="",
    )  # fmt: skip
    assert any(line.startswith("* game over: ") for line in said)
    (record,) = (tmp_path / "records").glob("*.jsonl")
    report = audit(record.read_bytes(), make_host().rules_for)
    assert (report.code, report.deal.verdict) == (0, "good")


def test_an_unfinished_game_goes_on_with_the_same_bag(tmp_path: Path) -> None:
    """The seed comes from the key file and event 0; another key file is refused."""
    typed(tmp_path, "play", "binary-scrabble", "--hotseat", lines="pass\nquit\n")
    said = typed(tmp_path, "resume", "--no-discovery", lines="\npass\npass\npass\n")
    assert any(line.startswith("* the record is complete") for line in said)
    (record,) = (tmp_path / "records").glob("*.jsonl")
    assert audit(record.read_bytes(), make_host().rules_for).code == 0


# -- over a network


def test_a_dealing_must_be_named() -> None:
    """An offer that deals nothing for a game with a bag is nobody's rules."""
    offer = replace(Sitting("binary-scrabble").table.chain.offer, dealing=None)
    with pytest.raises(UnknownRules, match="needs a dealing"):
        make_host().rules_for(offer)


def test_what_only_one_dealer_can_do_is_refused_over_a_network(desk: Desk) -> None:
    """8.7: racks are dealt again "only where one machine deals": said before a table is opened, and of any offer."""
    done = desk("host", "binary-scrabble", "--rules", "redraw_dead_opening=yes", "--no-discovery")
    assert done.code == 2 and "redraw_dead_opening is only for games at one computer" in done.error
    offer = Sitting("binary-scrabble", "redraw_dead_opening=yes").table.chain.offer
    seats = tuple(Seat(key(number).public, "x") for number in (0, 1))
    with pytest.raises(UnknownRules, match="redraw_dead_opening"):
        make_host().rules_for(replace(offer, dealing=FairDealing(), seats=seats))


# -- house rules


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("number-scrabble", "--house-rule", "xor-tiles"), "number-scrabble has no house rule 'xor-tiles'"),
        (("binary-scrabble", "--house-rule", "xor-tile"), "did you mean 'xor-tiles'?"),
        (("binary-scrabble", "--rules", "negatives=signd"), "negatives must be none or intermediate or signed"),
        (("number-scrabble", "--rules", "precedence=pascal"), "precedence must be math or ltr"),
    ],
)
def test_what_does_not_go_together_is_said_before_the_game(desk: Desk, words: tuple[str, ...], error: str) -> None:
    """And nothing is made."""
    done = desk("play", *words)
    assert done.code == 2 and error in done.error and not desk.home.exists()


def test_the_same_house_rule_twice_is_a_conflict(desk: Desk) -> None:
    """Named with what both define."""
    done = desk("play", "binary-scrabble", "--house-rule", "xor-tiles", "--house-rule", "xor-tiles")
    assert done.code == 2 and "the tile ^ is defined by xor-tiles and by xor-tiles: drop one" in done.error


def test_a_record_of_other_rules_says_so() -> None:
    """Another version, or the same that describes other rules: exit 4, and no score."""
    data = (GOLDEN / "scrabble-strict-xor.jsonl").read_bytes()
    host = make_host()
    game: Game = host.games["binary-scrabble"]
    host.games["binary-scrabble"] = replace(game, version="1.1")
    host.plugins = [replace(plugin, games=tuple(host.games[g.id] for g in plugin.games)) for plugin in host.plugins]
    report = audit(data, host.rules_for)
    assert (report.code, report.outcome) == (4, None) and "versions differ" in report.rules.message
    host = make_host()
    rule = host.house_rules["binary-scrabble", "xor-tiles"]
    changed = replace(rule, change=replace(rule.change, tiles=(replace(rule.change.tiles[0], points=2),)))
    host.house_rules["binary-scrabble", "xor-tiles"] = changed
    host.plugins = [
        replace(plugin, house_rules=tuple(host.house_rules[r.game, r.name] for r in plugin.house_rules))
        for plugin in host.plugins
    ]
    report = audit(data, host.rules_for)
    assert (report.code, report.outcome) == (4, None)
    assert "the digest differs" in report.rules.message and "xor-tiles" in report.rules.message


# -- the deal, audited


def test_before_the_end_the_deal_is_sealed() -> None:
    """The audit says that it cannot be checked yet."""
    report = audit(Sitting("binary-scrabble", seed=6).data, make_host().rules_for)
    assert (report.code, report.deal.verdict) == (3, "sealed") and "seed" in report.deal.message


def test_the_first_false_draw_is_named() -> None:
    """A machine that chose its tiles plays on unnoticed, and fails the audit once the seed is known."""
    sitting = Sitting("binary-scrabble", seed=6)
    honest, position = sitting.dealers, sitting.table.position
    rack = position.state.racks[position.state.turn]
    seed = sha256(b"chosen")
    sitting.dealers = [SeedDealer(seed, SeedDealing(commitment(seed)))] * 2
    sitting.move(f"-{rack[:5]}")
    sitting.dealers = honest
    false = sitting.table.position.seq
    sitting.agree("stop")
    report = audit(sitting.data, make_host().rules_for)
    assert (report.code, report.rules.verdict) == (1, "good")
    assert (report.deal.verdict, report.deal.event) == ("broken", false)


def test_a_changed_draw_breaks_the_chain() -> None:
    """Tiles cannot be changed in a finished file."""
    lines = (GOLDEN / "scrabble-training.jsonl").read_bytes().splitlines()
    at = next(number for number, line in enumerate(lines) if b'"deal.tiles"' in line)
    lines[at] = lines[at].replace(b'"0"', b'"1"', 1)
    assert audit(file(lines), make_host().rules_for).code == 1


# -- check


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("1+1=10",), 0, "1+1=10: valid. It holds: 2 = 2; bonus 2."),
        (("100 AND 1 = 101",), 1, "With OR it would hold: 100 OR 001 = 101."),
        (("1 XOR 1 = 0",), 1, "The sign ^ is not in use here."),
        (("1 XOR 1 = 0", "--house-rule", "xor-tiles"), 0, "valid. It holds: 0 = 0"),
        (("H = 11", "--house-rule", "rotated-equals"), 0, "It holds: 3 = 3"),
        (("10=10x1", "--rules", "strict"), 1, "With allow_x1=yes it would be valid"),
        (("--", "-1=-1"), 1, "A number must stand here"),
        (("1=1", "1=10"), 1, "1=10: not valid."),
    ],
)
def test_an_expression_is_checked_and_explained(desk: Desk, words: tuple[str, ...], code: int, told: str) -> None:
    """0 if all hold, 1 if one does not; the reason in a sentence."""
    done = desk("check", "binary-scrabble", *words)
    assert done.code == code and told in done.out and done.err == ""


def test_lines_are_checked_and_told_as_json(desk: Desk) -> None:
    """One object a line, in ASCII, with the code of section 9."""
    done = desk("check", "binary-scrabble", "-", "--json", typed="1=1\n\n1÷1=\n")
    found = [json.loads(line) for line in done.lines]
    assert done.code == 1 and [item["valid"] for item in found] == [True, False]
    assert found[1]["reason"] == "syntax" and done.out.isascii()


def test_a_game_without_a_tutor_has_nothing_to_check(tmp_path: Path) -> None:
    """Said in a line."""
    done = Desk(tmp_path / "home")("check", "count-to", "1")
    assert done.code == 2 and "explain no texts" in done.error


# -- samples


@pytest.mark.parametrize("name", sorted(samples()))
def test_the_samples_are_good_games(desk: Desk, name: str) -> None:
    """They replay to their end and pass the audit."""
    assert audit(samples()[name].read_bytes(), make_host().rules_for).code == 0
    done = desk("replay", "--sample", name, typed="last\nquit\n")
    assert done.code == 0 and "the game is over" in done.out


def test_a_sample_is_named_or_the_first_is_shown(desk: Desk) -> None:
    """A wrong name lists them; a record and a sample together are one too many."""
    assert set(samples()) == {"training", "turned"}
    assert desk("replay", "--sample", typed="quit\n").code == 0
    assert "training, turned" in desk("replay", "--sample", "nope").error
    assert desk("replay").code == 2 and desk("replay", "x", "--sample", "turned").code == 2


def test_what_the_samples_show() -> None:
    """One uses what the stricter presets forbid, the other turns an equals sign."""
    assert re.search(r'"move":"\w+ [^"]*(x1|[+-]0)', samples()["training"].read_text())
    assert re.search(r'"move":"\w+ [^"]*H', samples()["turned"].read_text())
    assert program("--version").code == 0
