"""Placing tiles and what it scores: sections 5 to 7, by examples and by symmetry."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable.errors import IllegalMove
from lantable_binary_scrabble.board import CENTRE, EQUATION_PREMIUM, SIZE, SQUARES, TILE_PREMIUM, Board, Laid
from lantable_binary_scrabble.generator import moves
from lantable_binary_scrabble.placement import Placement, judge_laid, try_out
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import as_blank
from lantable_rotated_equals import TURNED
from tests.scrabble_games import random_position, rule_sets

PLAIN = RuleSet()
TURNING = RuleSet(changes=[("rotated-equals", TURNED)])
NUMBERS = RuleSet(options={"cross_runs": "numbers"})


def row(text: str, at: int = 7, col: int = 5) -> list[Laid]:
    """Tiles in a row; dots are squares left out."""
    return [Laid(at, col + index, sign) for index, sign in enumerate(text) if sign != "."]


def column(text: str, at: int, top: int) -> list[Laid]:
    """Tiles in a column; dots are squares left out."""
    return [Laid(top + index, at, sign) for index, sign in enumerate(text) if sign != "."]


SUM = Board().with_tiles(row("1+1=10"))


def code(laid: list[Laid], board: Board = SUM, rules: RuleSet = PLAIN) -> str:
    """Why a placement is refused, or "legal"."""
    try:
        try_out(rules, board, laid)
    except IllegalMove as illegal:
        return illegal.code
    return "legal"


def test_the_board_has_the_premiums_of_scrabble() -> None:
    """1.1: 8 triple, 17 double equations (the centre is one), 12 triple, 24 double tiles; alike in both axes."""
    assert [EQUATION_PREMIUM.count(3), EQUATION_PREMIUM.count(2), TILE_PREMIUM.count(3), TILE_PREMIUM.count(2)] == [
        8,
        17,
        12,
        24,
    ]
    assert EQUATION_PREMIUM[CENTRE] == 2
    for premiums in (EQUATION_PREMIUM, TILE_PREMIUM):
        for at in range(SQUARES):
            assert premiums[at] == premiums[at % SIZE * SIZE + at // SIZE] == premiums[SQUARES - 1 - at]


def test_worked_scores() -> None:
    """7.5, and an example with a crosswise equation and a full rack."""
    assert judge_laid(PLAIN, Board(), "1+1=10000", row("1+1=10")).score == 16
    assert judge_laid(PLAIN, SUM, "10", [Laid(7, 4, "1"), Laid(7, 11, "0")]).score == 7
    full = judge_laid(PLAIN, Board(), "1111=1111", row("1111=1111", col=3))
    # The last 1 lies on a double-tile square; the centre doubles; the bonus of 15 is 8.
    assert (full.score, full.bingo) == ((9 + 2 + 8) * 2 + 50, True)


def test_a_blank_scores_nothing_but_counts_for_premiums() -> None:
    """5.6 and 7.3."""
    plain = judge_laid(PLAIN, Board(), "1=1", row("1=1", col=6)).score
    blank = judge_laid(PLAIN, Board(), "1=?", row(f"1={as_blank('1')}", col=6)).score
    assert (plain, blank) == (8, 6)


@pytest.mark.parametrize(
    ("laid", "why"),
    [
        ([], "empty_move"),
        ([Laid(15, 0, "1")], "off_board"),
        (row("1", col=5), "occupied"),
        ([Laid(7, 4, "1"), Laid(7, 4, "1")], "occupied"),
        (row("2", col=4), "bad_symbol"),
        (row("E", col=4), "bad_symbol"),
        (row("=1=1", col=11), "too_many_equals"),
        (row(f"=1{as_blank('=')}1", col=11), "too_many_equals"),
        ([Laid(6, 4, "1"), Laid(7, 11, "1")], "not_in_line"),
        (row("1.1", at=8, col=5), "gap"),
        (row("1=1", at=0, col=0), "not_connected"),
        (row("1", col=4), "equation"),
        (row("=1=1", at=6, col=5), "too_many_equals"),
        (column("1=", at=5, top=5), "legal"),
        (row("1......0", col=4), "legal"),
    ],
)
def test_reasons_in_order(laid: list[Laid], why: str) -> None:
    """Section 9."""
    assert code(laid) == why


def test_the_first_move() -> None:
    """5.3: it covers the centre; a lone tile there makes no equation."""
    assert code(row("1=1", col=0), Board()) == "centre"
    assert code(row("1", col=7), Board()) == "no_equation"


def test_a_rack_must_hold_the_tiles() -> None:
    """A blank is no other tile's substitute."""
    for rack, symbol in (("0", "1"), ("1", as_blank("1"))):
        with pytest.raises(IllegalMove) as refused:
            judge_laid(PLAIN, SUM, rack + "0", [Laid(7, 4, symbol), Laid(7, 11, "0")])
        assert refused.value.code == "not_in_rack"


def test_a_turned_equals_is_two_digits() -> None:
    """5.7: it is not counted as a new `=`, scores 1, and no blank can be one."""
    assert code(row("E=11", col=5), Board(), TURNING) == "legal"
    assert judge_laid(TURNING, Board(), "E=11=".replace("E", "="), row("E=11", col=5)).score == (4 + 2) * 2
    assert code(row(f"{as_blank('E')}=11", col=5), Board(), TURNING) == "bad_symbol"


def test_crosswise_numbers() -> None:
    """6.5: tolerated under `numbers`, scoring nothing, but never what joins the move to the board."""
    beside = row("1=1", at=8, col=5)
    assert code(beside) == "equation"
    board = Board().with_tiles(row("1=1", col=7))
    for rules, why in ((PLAIN, "equation"), (NUMBERS, "not_connected")):
        assert code(row("1=1", at=8, col=9), board, rules) == why
    joined = Board().with_tiles([*row("10=10", col=5), *column("=10", at=5, top=8)])
    play = try_out(NUMBERS, joined, row("=0", at=10, col=6))
    assert [equation.text for equation in play.equations] == ["0=0"]


@settings(max_examples=10, deadline=None)
@given(rule_sets(), st.integers(0, 10**6), st.integers(0, 6))
def test_rows_and_columns_are_alike(rules: RuleSet, seed: int, plies: int) -> None:
    """Seen in a mirror along the diagonal, a position has the same moves with the same scores."""
    board, rack = random_position(rules, seed, plies, 4)
    mirrored = Board("".join(board.column(index) for index in range(SIZE)))
    here = {Placement(m.row, m.col, m.across, m.tiles): m.score for m in moves(rules, board, rack)}
    there = {Placement(m.col, m.row, not m.across, m.tiles): m.score for m in moves(rules, mirrored, rack)}
    assert here == there
