"""The tutor: one cause at a time, the working in columns, and only what has been tried."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable import canonical
from lantable_binary_scrabble.board import Board, Laid
from lantable_binary_scrabble.expression import judge
from lantable_binary_scrabble.ruleset import NUMBER, PRESETS, RuleSet
from lantable_binary_scrabble.tutor import check, check_move
from tests.scrabble_games import rule_sets

PLAIN = RuleSet()
STRICT = RuleSet(options=PRESETS["strict"])


def test_the_known_misprint() -> None:
    """Section 0: "the tutor must be able to explain exactly this mistake"."""
    told = check("100&1=101", PLAIN)
    assert told.sentence == "The sides differ: 100 AND 1 is 0, 101 is 5."
    assert told.misconception == "and_as_plus"
    assert told.hint == "with OR it would hold: 100 OR 001 = 101"
    assert told.working[:4] == ("      100", "  AND 001", "      ---", "      000   4 AND 1 = 0")


def test_carries_stand_above_their_columns() -> None:
    """The working of a sum."""
    assert check("11+1=100", PLAIN).working[:5] == (
        "    11    carried",
        "     11",
        "  +   1",
        "    ---",
        "     100   3 + 1 = 4",
    )


@pytest.mark.parametrize(
    ("text", "misconception"),
    [
        ("1+1=11", "glued"),
        ("11+11=0", "carry"),
        ("100&1=101", "and_as_plus"),
        ("1|1=10", "or_as_plus"),
        ("10x11=1000", "times_as_power"),
        ("1+10x10=110", "precedence"),
        ("!0101=10", "not_width"),
        ("!1=10", "not_width"),
        ("01=1", "leading_zero"),
        ("111=0", None),
    ],
)
def test_misconceptions(text: str, misconception: str | None) -> None:
    """The text would hold if the mistake were right."""
    told = check(text, PLAIN)
    assert told.misconception == misconception
    assert (told.mistake is None) == (misconception is None)


@pytest.mark.parametrize(
    ("text", "rules", "option"),
    [
        ("10x1=10", STRICT, "allow_x1=yes"),
        ("1=1", STRICT, "allow_trivial=yes"),
        ("01=1", PLAIN, "leading_zeros=always"),
        ("1-10+1=0", PLAIN, "negatives=intermediate"),
        ("!!1=1", PLAIN, "not_chain=yes"),
        ("1=1+0+0", PLAIN, "allow_chained_id=yes"),
        ("1++1=10", PLAIN, None),
    ],
)
def test_the_option_that_forbids_it(text: str, rules: RuleSet, option: str | None) -> None:
    """It is named, and with it the text would be valid."""
    told = check(text, rules)
    assert told.option == option
    assert option is None or told.sentence.endswith(f"With {option} it would be valid.")


@settings(max_examples=60, deadline=None)
@given(rule_sets(), st.lists(st.text("01+-x/&|!^9s", min_size=1, max_size=5), min_size=1, max_size=3).map("=".join))
def test_everything_it_says_has_been_tried(rules: RuleSet, text: str) -> None:
    """Valid exactly when `judge` says so; what it proposes holds; it fits into JSON."""
    told = check(text, rules)
    assert told.valid == judge(rules, text).valid
    assert told.nearest is None or judge(rules, told.nearest).valid
    canonical.write(told.as_json())


def test_number_scrabble_works_in_decimal() -> None:
    """No binary columns there."""
    told = check("2+3x4=20", RuleSet(NUMBER))
    assert told.working[:2] == ("  3 x 4 = 12", "  2 + 12 = 14")
    assert told.misconception == "precedence"


def test_a_move_is_explained_by_its_first_wrong_run() -> None:
    """Where it is and what it would read; or what the move scores."""
    board = Board().with_tiles([Laid(7, 5 + at, face) for at, face in enumerate("1+1=10")])
    wrong = check_move(PLAIN, board, "1", [Laid(7, 4, "1")])
    assert wrong.sentence.startswith("Row 8 would read 11+1=10: The sides differ")
    right = check_move(PLAIN, board, "10", [Laid(7, 4, "1"), Laid(7, 11, "0")])
    assert right.sentence == "That makes 11+1=100 for 7 (tiles 3, bonus 4)."
    assert check_move(PLAIN, board, "1", [Laid(0, 0, "1")]).reason == "not_connected"
