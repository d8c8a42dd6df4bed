"""Notation: what is typed, one canonical form, and the way back."""

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable.errors import IllegalMove, Untrusted
from lantable_binary_scrabble.board import SIZE, Board, Laid
from lantable_binary_scrabble.expression import MAX_TEXT, judge
from lantable_binary_scrabble.notation import (
    read_faces,
    read_move,
    read_position,
    show_faces,
    show_move,
    show_position,
)
from lantable_binary_scrabble.placement import Placement
from lantable_binary_scrabble.ruleset import NUMBER, RuleSet
from lantable_binary_scrabble.state import ACCEPT, CHALLENGE, PASS, Exchange, Move
from lantable_rotated_equals import TURNED
from lantable_xor_tiles import XOR
from tests.scrabble_dealing import states
from tests.scrabble_games import rule_sets
from tests.test_scrabble_state import any_move

PLAIN = RuleSet()
ALL = RuleSet(changes=[("xor-tiles", XOR), ("rotated-equals", TURNED)])


@pytest.mark.parametrize(
    ("typed", "codes"),
    [
        ("1 AND 1 = 1", "1&1=1"),
        ("1xor1=0", "1^1=0"),
        ("1X1=1", "1x1=1"),
        ("10*11=110", "10x11=110"),
        ("10\u00d711=110", "10x11=110"),
        ("110\u00f71=110", "110/1=110"),
        ("nOt 0=1", "!0=1"),
        ("1or1=1", "1|1=1"),
        ("h=11", "E=11"),
        ("1 0 = 10", "1 0=10"),
        ("1  + 1\t=10", "1+1=10"),
    ],
)
def test_typed_text_is_read_by_its_longest_words(typed: str, codes: str) -> None:
    """1.5: "The longest word is read first, so `1xor1` is XOR and `1X1` is times"."""
    assert read_faces(ALL, typed) == codes


def test_codes_that_are_not_typed() -> None:
    """ "`E` is a code of records and vectors only", and XOR is read even where there is none."""
    assert judge(ALL, read_faces(ALL, "100 E 1")).reason == "bad_symbol"
    assert judge(PLAIN, read_faces(PLAIN, "1xor1=0")).reason == "bad_symbol"
    assert judge(PLAIN, read_faces(PLAIN, "1 0=10")).reason == "syntax"
    assert judge(PLAIN, read_faces(PLAIN, "\ue031=1")).reason == "bad_symbol"


def test_signs_of_number_scrabble() -> None:
    """Square and root may be typed with their signs."""
    assert read_faces(RuleSet(NUMBER), "\u221a9 = 3, 3\u00b2 = 9") == "r9=3,3s=9"


def test_words_are_shown_with_spaces() -> None:
    """The line under the board spells the run."""
    assert show_faces(ALL, "1&!0^E", words=True) == "1 AND NOT 0 XOR H"


@given(st.text(max_size=30))
def test_typed_text_only_makes_verdicts_and_illegal_moves(text: str) -> None:
    """Whatever is typed is judged or refused, and never anything else."""
    judge(ALL, read_faces(ALL, text))
    try:
        move = read_move(ALL, text)
    except IllegalMove:
        return
    assert read_move(ALL, show_move(ALL, move)) == move


@given(rule_sets(), st.data())
def test_moves_round_trip(rules: RuleSet, data: st.DataObject) -> None:
    """Every move is what its canonical form says, and the canonical form is its own."""
    tiles = st.text(sorted(rules.tile_of), min_size=1, max_size=9)
    square = st.integers(0, SIZE - 1)
    placements = st.builds(Placement, square, square, st.booleans(), tiles)
    exchanges = st.text([*sorted(rules.tiles), "_"], min_size=1, max_size=9).map(lambda t: Exchange("".join(sorted(t))))
    move: Move = data.draw(st.one_of(placements, exchanges, st.sampled_from([PASS, CHALLENGE, ACCEPT])))
    shown = show_move(rules, move)
    assert read_move(rules, shown) == move
    assert show_move(rules, read_move(rules, shown.lower())) == shown


def test_tiles_that_lie_there_stand_in_parentheses() -> None:
    """They are printed for people, accepted when typed, and must be right if the board is known."""
    board = Board().with_tiles([Laid(7, 5 + at, face) for at, face in enumerate("1+1=10")])
    full = "8E 1(1+1=10)0"
    move = Placement(7, 4, across=True, tiles="10")
    assert show_move(PLAIN, move, board) == full
    assert read_move(PLAIN, full) == read_move(PLAIN, full, board) == read_move(PLAIN, "8E 10") == move
    with pytest.raises(IllegalMove, match=r"8G holds \+, where"):
        read_move(PLAIN, "8E 1(1-1=10)0", board)
    with pytest.raises(IllegalMove, match="8L is empty, where"):
        read_move(PLAIN, "8E 1(1+1=100)", board)
    with pytest.raises(IllegalMove, match="beyond the edge"):
        read_move(PLAIN, "8N 1(1+)", board.with_tiles([Laid(7, 14, "1")]))


@pytest.mark.parametrize("text", ["", "8D", "16A 1", "8P 1", "8D (1)", "8D (1", "8D 1)", "-", "8D ()", "x" * 300])
def test_unreadable_moves_are_refused_in_words(text: str) -> None:
    """An empty exchange is a move, which the rules then refuse; everything else says what a move looks like."""
    if text == "-":
        assert read_move(PLAIN, text) == Exchange("")
        return
    with pytest.raises(IllegalMove):
        read_move(PLAIN, text)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["automatic", "challenge_double"]))
def test_positions_round_trip(seed: int, validation: str) -> None:
    """Equal states and only those have equal positions, at every point of a game."""
    rules = RuleSet(options={"validation": validation}, changes=[("rotated-equals", TURNED)])
    seen: dict[str, object] = {}
    for state, _ in states(rules, 3, seed, any_move):
        shown = show_position(state)
        assert "\n" not in shown
        assert read_position(rules, shown) == state
        assert seen.setdefault(shown, state) == state


@given(st.integers(0, 10**6), st.text(max_size=3))
def test_positions_of_strangers_only_raise_untrusted(seed: int, put: str) -> None:
    """A damaged line is refused, or is another position written as it should be."""
    rng = random.Random(seed)
    state = next(iter(states(PLAIN, 2, 1, any_move)))[0]
    shown = show_position(state)
    at = rng.randrange(len(shown))
    damaged = shown[:at] + put + shown[at + 1 :]
    with contextlib.suppress(Untrusted):
        assert show_position(read_position(PLAIN, damaged)) == damaged


def test_long_text_is_not_read_at_all() -> None:
    """The length is checked first."""
    assert judge(PLAIN, read_faces(PLAIN, "1" * 10**6)).detail == "too_long"
    assert judge(PLAIN, "1" * (MAX_TEXT + 1)).reason == "syntax"
    assert judge(PLAIN, "1" * 65 + "=1").detail == "too_long"
