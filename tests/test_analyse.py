"""`lantable analyse`: the best moves of a position, out of a record, typed, or where a replay stands."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli import DOTS, ROOT, SCRABBLE, TOY, Desk
from tests.games import Sitting

SAMPLE = ("--sample", "turned")
TURNED = str(ROOT / "plugins" / "lantable_rotated_equals" / "__init__.py")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "home", (DOTS, SCRABBLE, TOY, TURNED))


def small() -> Sitting:
    """A finished game of four boxes."""
    sitting = Sitting(options="size=2x2")
    sitting.play(100)
    return sitting


def told(desk: Desk, *args: str) -> dict[str, Any]:
    """The answer as JSON."""
    found: dict[str, Any] = json.loads(desk("analyse", *args, "--json").out)
    return found


def test_a_typed_position(desk: Desk) -> None:
    """Lines by what they win or lose by; --best says how many."""
    done = desk("analyse", "dots-and-boxes", "1x2 3c .. 1", "--rules", "size=1x2")
    assert (done.code, done.lines[0]) == (0, "1. a1r: as many boxes for both from here on")
    assert len(desk("analyse", "dots-and-boxes", "2x2 0 .... 1", "--rules", "size=2x2", "--best", "3").lines) == 3


def test_a_record_says_how_the_move_played_compares(desk: Desk) -> None:
    """At every event: by its worth among the best, not by its place in a list."""
    game = desk.keep(small())
    for seq in range(12):
        found = told(desk, game, "--at", str(seq))
        worths = {move["move"]: move["value"] for move in found["moves"]}
        better = sum(value > worths[found["played"]] for value in worths.values())
        last = desk("analyse", game, "--at", str(seq)).lines[-1]
        assert f" played {found['played']}: " in last
        assert last.endswith("none is better" if better == 0 else f"{better} of these are better")


def test_a_move_worse_than_all_that_are_told(desk: Desk) -> None:
    """Its worth is told all the same."""
    game = desk.keep(small())
    worse = [
        seq
        for seq in range(12)
        if "all of these are better" in desk("analyse", game, "--at", str(seq), "--best", "1").out
    ]
    assert worse


def test_a_game_that_is_over_hides_nothing(desk: Desk) -> None:
    """The racks of the sample are known, so its placements are told with their scores."""
    done = desk("replay", *SAMPLE, typed="goto 4\nanalyse\ngoto 5\nanalyse\nquit\n")
    assert "nobody is to move there; choose another event" in done.out
    assert "1. 4C H0H/H1001: 130 points\n" in done.out and "points; none is better\n" in done.out


def test_what_is_hidden_is_not_analysed(desk: Desk) -> None:
    """A spectator's view of an unfinished game has no racks."""
    sitting = Sitting("binary-scrabble")
    sitting.play(2)
    done = desk("analyse", desk.keep(sitting))
    assert done.code == 0 and "cannot be told here: hidden" in done.out


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("dots-and-boxes", "x"), "a position reads ROWSxCOLS"),
        (("dots-and-boxes", "1x2 35 2. 2"), "say --rules size=1x2"),
        (("binary-scrabble", "x y"), "this is no position of binary-scrabble: "),
        (("dots-and-boxes", "1x1 f 1 -", "--rules", "size=1x1"), "nobody is to move there"),
        (("dots-and-boxes", "1x1 0 . 1", "--rules", "size=1x1", "--best", "0"), "--best takes a number from 1 on"),
        (("count-to", "0"), "positions of this game cannot be typed"),
    ],
)
def test_what_cannot_be_analysed(desk: Desk, args: tuple[str, ...], why: str) -> None:
    """One line, and the code of a misuse."""
    done = desk("analyse", *args)
    assert done.code == 2 and why in done.error


def test_a_game_that_tells_nothing(desk: Desk) -> None:
    """A plugin need not know what its moves are worth."""
    sitting = Sitting("count-to")
    sitting.play(1)
    done = desk("analyse", desk.keep(sitting))
    assert done.code == 2 and "do not tell what a move is worth" in done.error


def test_positions_of_both_games_come_back(desk: Desk) -> None:
    """What --json calls the position can be typed."""
    game = desk.keep(small())
    found = told(desk, game, "--at", "3")
    assert told(desk, "dots-and-boxes", found["position"], "--rules", "size=2x2")["moves"] == found["moves"][:10]


def test_a_game_that_breaks_is_named(desk: Desk, tmp_path: Path) -> None:
    """Its fault is not ours, and not a traceback."""
    plugin = tmp_path / "broken.py"
    plugin.write_text(
        "from dataclasses import replace\n"
        "from lantable.hookspecs import hookimpl\n"
        "from lantable_dots_and_boxes.rules import DOTS_AND_BOXES, DotsAndBoxes\n"
        "class Broken(DotsAndBoxes):\n"
        "    def analyse(self, view, seat, count, also):\n"
        "        raise ZeroDivisionError('oh')\n"
        "def make(options, rules):\n"
        "    made = DOTS_AND_BOXES.make(options, rules)\n"
        "    return Broken(made.board, made.award_rest)\n"
        "@hookimpl\n"
        "def lantable_games():\n"
        "    return [replace(DOTS_AND_BOXES, id='broken', make=make)]\n"
    )
    done = Desk(tmp_path / "other", (str(plugin),))("analyse", "broken", "5x5 0 " + "." * 25 + " 1")
    assert done.code == 4 and "could not tell its best moves: ZeroDivisionError: oh" in done.error
