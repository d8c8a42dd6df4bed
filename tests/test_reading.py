"""A board read by rows, columns and cells: one line each, which makes sense alone."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lantable.game import Cell, Picture, Rules, aloud
from lantable_console.commands import COMMANDS
from lantable_console.screen.app import Screen
from tests.cli import SCRABBLE, Desk
from tests.games import Sitting
from tests.screens import putting


@pytest.fixture
def tiles() -> tuple[Rules[Any], Any]:
    """The game of the drawings."""
    position = putting(cast("Screen", None)).board.position
    return position.rules, position.state


def test_binary_scrabble_is_read_by_rows_columns_and_squares(tiles: tuple[Rules[Any], Any]) -> None:
    """Tiles behind the square they lie on, signs as words; what is empty is not read square by square."""
    rules, view = tiles
    assert aloud(rules, view, "8") == "row 8: E 1, F 1, G plus, H 1, I equals, J 1, K 0, L 0"
    assert aloud(rules, view, "D") == "column D: 12 1"
    assert aloud(rules, view, " 1 ") == "row 1: empty"
    assert aloud(rules, view, "7") == "row 7: J OR"
    assert aloud(rules, view, "g8") == aloud(rules, view, "8G") == "G8: plus"
    assert aloud(rules, view, "F12") == "F12: AND, of the last move"
    assert aloud(rules, view, "A1") == "A1: empty, 3x the equation"
    assert aloud(rules, view, "B1") == "B1: empty"


@pytest.mark.parametrize("part", ["16", "0", "P", "P8", "A16", "A8B", "", "8 F", "\u0664"])
def test_what_is_no_part_of_it(tiles: tuple[Rules[Any], Any], part: str) -> None:
    """None, and never an error."""
    assert aloud(*tiles, part) is None


def test_dots_and_boxes_is_read_by_its_boxes() -> None:
    """Whose each is, or at which lines it is open."""
    position = Sitting(options="size=1x2").table.position
    state = position.state
    for seat, move in ((0, "a1r"), (1, "a2r"), (0, "a1d"), (1, "b1d")):
        state = position.rules.play(state, seat, move)
    assert aloud(position.rules, state, "1") == "row 1: box a1 is player 2's; box b1 is open at b1r b2r c1d"
    assert aloud(position.rules, state, "B") == "column b: box b1 is open at b1r b2r c1d"
    assert aloud(position.rules, state, "a1") == "box a1 is player 2's"
    assert aloud(position.rules, state, "2") is aloud(position.rules, state, "c") is None


def test_a_game_that_says_nothing_has_the_rows_of_its_picture() -> None:
    """By what stands before a row, else by its number."""
    rows = ((Cell("  "), Cell("a "), Cell("b")), (Cell("2 "), Cell("o"), Cell("x")), (Cell("  "),))
    rules = cast("Rules[Any]", SimpleNamespace(picture=lambda _: Picture(rows)))
    assert [aloud(rules, None, part) for part in ("2", "1", "3", "4", "x")] == [
        "row 2: o, x", "row 1: a, b", "row 3: empty", None, None,
    ]  # fmt: skip


def test_it_is_typed_in_a_game_and_in_a_replay(tmp_path: Path) -> None:
    """`board 8`, in line mode as on the screen; a wrong part is told in a line."""
    desk = Desk(tmp_path)
    said = desk("play", "dots-and-boxes", "--hotseat", "--rules", "size=1x1", typed="a1r\nboard 1\nb Z\nquit\n")
    assert "  row 1: box a1 is open at a2r a1d b1d" in said.lines
    assert "* 'Z' is no row, column or cell of this board; they are called as beside the board" in said.lines
    game = desk.keep(Sitting(options="size=1x1").play())
    assert "  box a1 is player" in desk("replay", game, typed="last\nboard a1\nquit\n").out
    said = Desk(tmp_path / "tiles", plugins=(SCRABBLE,))(
        "play", "binary-scrabble", "--hotseat", typed="\nboard 8\nquit\n"
    )
    assert "  row 8: empty" in said.lines
    assert all(row.argument == "[PART]" for row in COMMANDS if row.name == "board")
