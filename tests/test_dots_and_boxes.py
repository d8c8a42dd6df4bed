"""Dots and Boxes, point by point as the rules page has it; the numbers in the test names are its points."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lantable_dots_and_boxes
from lantable import fold
from lantable.errors import IllegalMove, Misuse, Untrusted
from lantable.fold import Position
from lantable.game import HouseRule, Outcome
from lantable.host import Host
from lantable_dots_and_boxes.board import Board, board
from lantable_dots_and_boxes.notation import read_position
from lantable_dots_and_boxes.opponents import easy
from lantable_dots_and_boxes.rules import DOTS_AND_BOXES, DotsAndBoxes
from lantable_dots_and_boxes.state import State, certain_winner
from tests import golden
from tests.conformance import UNHURRIED, UNSIGNED, Check, Playout, begin, conforms, event, moved, playouts, resigned

SIDES = st.integers(1, 5)
OPTIONS = st.builds("size={}x{},award_rest={}".format, SIDES, SIDES, st.sampled_from(["yes", "no"]))


@conforms(DOTS_AND_BOXES, OPTIONS)
def test_conforms(check: Check, playout: Playout) -> None:
    """What every game must keep."""
    check(playout)


def rules_of(size: str = "5x5", *, award_rest: bool = False) -> DotsAndBoxes:
    rows, _, cols = size.partition("x")
    return DotsAndBoxes(board(int(rows), int(cols)), award_rest)


def played(size: str, moves: str, seats: int = 2) -> Position:
    """The position after moves by whoever is due, from an empty board."""
    return moved(begin(DOTS_AND_BOXES, f"size={size}", seats)[1], *moves.split())


def after(size: str, moves: str, seats: int = 2) -> State:
    """The state of `played`."""
    state: State = played(size, moves, seats).state
    return state


def refusal(size: str, text: str, state: State | None = None) -> tuple[str, str]:
    """Code and sentence with which typed text is refused."""
    rules = rules_of(size)
    with pytest.raises(IllegalMove) as caught:
        rules.play(state or rules.start(2), 0, rules.parse(text))
    return caught.value.code, caught.value.detail


def standing(position: str, *, award_rest: bool = False) -> Outcome:
    """The standing of a position in notation."""
    state = read_position(position)
    return rules_of(str(state.board), award_rest=award_rest).standing(state)


def panel(state: State) -> tuple[str, ...]:
    return rules_of(str(state.board)).picture(state).panel


# -- 1. Board


def test_1_default_board_is_5x5() -> None:
    """6x6 dots, 60 lines, 25 boxes; nothing is drawn at the start."""
    options = DOTS_AND_BOXES.read_options("")
    assert options == {"size": "5x5", "award_rest": False} == DOTS_AND_BOXES.read_options("standard")
    state = DOTS_AND_BOXES.make(options, ()).start(2)
    assert (len(state.board.names), state.board.boxes, state.lines, state.open_boxes) == (60, 25, 0, 25)


@given(st.integers(1, 12), st.integers(1, 12))
def test_1_any_oblong_from_1x1_to_12x12(rows: int, cols: int) -> None:
    """Each box has four sides of its own numbering; a line borders one box at the rim and else two."""
    lattice = board(rows, cols)
    assert DOTS_AND_BOXES.make(DOTS_AND_BOXES.read_options(f"size={rows}x{cols}"), ()) == DotsAndBoxes(lattice)
    assert len(set(lattice.names)) == 2 * rows * cols + rows + cols
    assert all(sides.bit_count() == 4 for sides in lattice.sides)
    assert sum(len(boxes) for boxes in lattice.beside) == 4 * rows * cols
    assert sum(len(boxes) == 1 for boxes in lattice.beside) == 2 * (rows + cols)


@given(st.integers(1, 12), st.integers(1, 12), st.randoms(use_true_random=False))
def test_1_a_box_is_closed_by_its_four_sides(rows: int, cols: int, chance: Random) -> None:
    """The sets of all boxes that are found at once are those that one finds box by box."""
    lattice = board(rows, cols)
    lines = lattice.full
    while lines:
        each = [box for box, sides in enumerate(lattice.sides) if lines & sides == sides]
        assert lattice.closed(lines) == sum(1 << box for box in each)
        lines &= chance.getrandbits(len(lattice.names)) | chance.getrandbits(len(lattice.names))
    assert lattice.closed(0) == 0


@pytest.mark.parametrize("size", ["0x1", "13x1", "5x13", "05x5", "5", "5x", "x"])
def test_1_other_sizes_are_refused(size: str) -> None:
    """And the message says what is allowed."""
    with pytest.raises(Misuse, match="from 1x1 to 12x12"):
        DOTS_AND_BOXES.read_options(f"size={size}")


@pytest.mark.parametrize("size", [(0, 1), (1, 0), (13, 1), (1, 13)])
def test_1_no_such_board_can_be_made(size: tuple[int, int]) -> None:
    """Even past the options."""
    with pytest.raises(Misuse, match="1x1 to 12x12"):
        Board(*size)


def test_1_largest_board_plays_to_the_end() -> None:
    """312 lines, by way of the fold; one line a move."""
    end = played("12x12", " ".join(board(12, 12).names))
    assert end.seq == 312 and end.outcome is not None and sum(end.outcome.scores) == 144


# -- 2. Players


def test_2_two_to_four_seats_and_the_first_draws_first() -> None:
    """The order of seats decides who begins, and the turn goes round in that order."""
    assert DOTS_AND_BOXES.seats == (2, 4)
    for seats in (2, 3, 4):
        assert [after("2x2", " ".join(moves), seats).mover for moves in ("", ["a1r"])] == [0, 1]
        assert after("2x2", " ".join(["a1r", "b1r", "a3r", "b3r"][:seats]), seats).mover == 0


# -- 3. Turn


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("a1-b2", "not_neighbours", "a1 and b2 are not neighbours; from a1 draw to b1 or a2"),
        ("b2-a1", "not_neighbours", "b2 and a1 are not neighbours; from b2 draw to b1 or a2 or c2 or b3"),
        ("a1-c1", "not_neighbours", "a1 and c1 are not neighbours; from a1 draw to b1 or a2"),
        ("a1-a1", "not_neighbours", "a1 and a1 are not neighbours; from a1 draw to b1 or a2"),
        ("c1r", "off_board", "this board has no dot d1; choose among its dots, a1 to c3"),
        ("a3d", "off_board", "this board has no dot a4; choose among its dots, a1 to c3"),
        ("z9-a1", "off_board", "this board has no dot z9; choose among its dots, a1 to c3"),
        ("", "notation", "such as a1r or a1d, or two dots, such as a1-b1"),
        ("pass", "notation", "'pass' is no line"),
        ("a1u", "notation", "'a1u' is no line"),
        ("a0r", "notation", "'a0r' is no line"),
        ("a01r", "notation", "'a01r' is no line"),
        ("a1-b1-c1", "notation", "'a1-b1-c1' is no line"),
        ("a１r", "notation", "is no line"),
        ("\x1b[2J" * 200, "notation", "is no line"),
    ],
)
def test_3_exactly_one_line_between_neighbours(text: str, code: str, says: str) -> None:
    """Diagonals, longer lines and what leaves the board are refused, each with one sentence that says what to type."""
    found, sentence = refusal("2x2", text)
    assert found == code and says in sentence
    assert sentence.isprintable() and len(sentence) < 160


def test_3_a_drawn_line_is_refused() -> None:
    """Whoever drew it and however it is spelt."""
    state = after("2x2", "a1r b1r")
    assert refusal("2x2", "b1-a1", state) == ("drawn", "a1r is already drawn; choose a line that is not")


def test_3_play_takes_canonical_notation_only() -> None:
    """Other spellings are for `parse`; the sentence tells the canonical one."""
    rules = rules_of("2x2")
    with pytest.raises(IllegalMove, match="this line is written a1r") as caught:
        rules.play(rules.start(2), 0, "A1-B1")
    assert caught.value.code == "notation"


# -- 4. Boxes


def test_4_the_fourth_side_claims_whoever_drew_the_other_three() -> None:
    """Player 1 drew two of the sides and player 2 claims; the other box stays open."""
    state = after("1x2", "a1r a2r a1d b1d")
    assert state.owners == b"\2\0" and state.boxes_held == (0, 1)


def test_4_one_line_can_complete_two_boxes() -> None:
    """Both go to whoever drew it."""
    state = after("1x2", "a1r b1r a2r b2r a1d c1d b1d")
    assert state.owners == b"\1\1" and state.boxes_held == (2, 0)


# -- 5. Extra turn


def test_5_after_claiming_the_same_player_draws_again() -> None:
    """A duty: the mover does not change until a line claims nothing."""
    assert [after("1x2", moves).mover for moves in ("a1r a2r a1d", "a1r a2r a1d b1d", "a1r a2r a1d b1d b1r")] == [
        1,
        1,
        0,
    ]


def test_5_two_boxes_give_one_extra_turn() -> None:
    """After b1d, which claims two boxes of 1x3, player 2 draws once more and the turn passes."""
    moves = "a1r b1r c1r a2r b2r a1d c1d b1d"
    assert [after("1x3", moves).mover, after("1x3", moves + " c2r").mover] == [1, 0]


def test_5_with_three_players_too() -> None:
    """Player 3 claims, draws again, and only then player 1 moves."""
    moves = "a1r b1r b2r a2r a1d b1d"
    assert [after("1x2", m, seats=3).mover for m in (moves, moves + " c1d")] == [2, None]
    assert after("2x2", "a1r b1r a1d b3r a2r b1d", seats=3).mover == 2
    assert after("2x2", "a1r b1r a1d b3r a2r b1d c1d", seats=3).mover == 0


def test_5_claiming_is_never_forced() -> None:
    """With a box to be taken by b1d, every other undrawn line is legal too."""
    state = after("2x2", "a1r a2r a1d")
    assert rules_of("2x2").legal(state, 1) == ("b1r", "b2r", "a3r", "b3r", "b1d", "c1d", "a2d", "b2d", "c2d")


# -- 6. End


@settings(parent=UNHURRIED, max_examples=30)
@given(playouts(DOTS_AND_BOXES, OPTIONS))
def test_6_the_last_line_claims_and_then_nobody_is_to_move(playout: Playout) -> None:
    """Played out, every box is claimed; the scores add up; the last line completed a box."""
    end = playout.end.state
    if end.lines == end.board.full:
        before = playout.positions[-2].state
        assert end.mover is None and end.open_boxes == 0 and sum(end.boxes_held) == end.board.boxes
        assert before.completes(end.last)
    else:
        assert sum(end.present) == 1


@settings(parent=UNHURRIED, max_examples=30)
@given(playouts(DOTS_AND_BOXES, OPTIONS))
def test_6_most_boxes_wins(playout: Playout) -> None:
    """Whoever is in and has the top score shares first place, nobody else. Two players draw on even boards only."""
    outcome, end = playout.end.outcome, playout.end.state
    assert outcome is not None
    if not playout.end.out:
        assert outcome.winners == tuple(s for s, n in enumerate(outcome.scores) if n == max(outcome.scores))
        assert playout.seats > 2 or len(outcome.winners) == 1 or end.board.boxes % 2 == 0


def test_6_shared_first_place_has_no_tie_break() -> None:
    """Two players draw; of three players two can share the win."""
    assert standing("1x2 7f 12 -") == Outcome((1, 1), (0, 1))
    assert standing("1x5 ffff 11223 - 123") == Outcome((2, 2, 1), (0, 1))
    assert "the game is over: a draw" in panel(read_position("1x2 7f 12 -"))
    assert "the game is over: players 1 and 2 share first place" in panel(read_position("1x5 ffff 11223 - 123"))


# -- 7. Decided early


@pytest.mark.parametrize(
    ("position", "winner"),
    [
        ("1x3 c9 1.. 1", None),  # leads by 1 with 2 open
        ("1x4 733 11.. 1", None),  # leads by 2 with 2 open, holds just half
        ("1x3 1db 11. 1", 0),  # 2 of 3
        ("1x5 fef7 222.1 1", 1),  # 3 of 5, whoever is to move
        ("1x5 7def 2211. 1", None),
        ("1x7 3ffbf7 111.234 1 1234", 0),  # 3 of 7, but ahead by 2 with 1 open
        ("1x7 3ffbf7 111.233 1 1234", None),  # ahead by 1 with 1 open
        ("1x5 fef7 222.1 1 1-3", None),  # player 2 is out: 1 to 0 with 1 open
        ("1x6 3f7df 22211. 1 1-3", 0),  # player 2 is out: 2 to 0 with 1 open
        ("2x2 ced 2..1 - -2", 1),  # one seat left
        ("1x2 7f 12 -", None),  # a draw is nobody's win
    ],
)
def test_7_more_than_half_or_a_lead_greater_than_what_is_open(position: str, winner: int | None) -> None:
    """Then the winner is certain, and not before."""
    assert certain_winner(read_position(position)) == winner


@settings(parent=UNHURRIED, max_examples=30)
@given(playouts(DOTS_AND_BOXES, OPTIONS))
def test_7_a_certain_winner_wins(playout: Playout) -> None:
    """More than half is certain; and whoever was certain wins, unless it withdraws."""
    outcome = playout.end.outcome
    assert outcome is not None
    for position in playout.positions:
        state, winner = position.state, certain_winner(position.state)
        for seat in state.seats_in:
            assert winner == seat or 2 * state.boxes_held[seat] <= state.board.boxes
        if winner is not None and winner not in playout.end.out:
            assert outcome.winners == (winner,)


def test_7_it_is_shown_and_play_goes_on() -> None:
    """The panel says so, and there is still a player to move."""
    state = read_position("2x2 7df 111. 1")
    assert "player 1 has won already: 3 of 4 boxes" in panel(state) and state.mover == 0
    assert "first to 3 boxes is sure to win" in panel(read_position("2x2 7db .1.. 1"))


# -- 8. Leaving


def test_8_whoever_resigns_loses_whatever_the_score() -> None:
    """The outcome keeps both the score on the board and how it came about."""
    begun = played("1x2", "a1r a2r a1d b1d")
    assert resigned(begun, 1).outcome == Outcome((0, 1), (0,), "player 2 resigned")
    assert resigned(begun, 0).outcome == Outcome((0, 1), (1,), "player 1 resigned")


def test_8_a_seat_that_is_out_is_skipped_and_keeps_its_boxes() -> None:
    """Of three players the second claims and leaves: the third moves, then the first; the box stays its own."""
    rules = rules_of("2x2")
    state = after("2x2", "a1r b1r b2r a2r c1d b1d", seats=3)
    assert (state.mover, state.boxes_held) == (2, (0, 0, 1))
    gone = rules.withdraw(state, 2)
    assert (gone.mover, gone.boxes_held) == (0, (0, 0, 1))
    assert [rules.play(gone, 0, "a2d").mover, rules.withdraw(gone, 1).mover] == [1, None]


def test_8_leaving_out_of_turn_changes_nobody_elses_turn() -> None:
    """An extra turn stays with the mover; a seat after it is skipped when its turn comes."""
    rules = rules_of("2x2")
    state = rules.withdraw(after("2x2", "a1r", seats=4), 2)
    assert state.mover == 1
    assert rules.play(state, 1, "b1r").mover == 3


def test_8_a_seat_that_is_out_cannot_win() -> None:
    """Whatever it holds; the last seat left wins even without a box."""
    assert standing("1x6 3f7df 22211. 1 1-3").winners == (0,)
    assert standing("2x2 def 22.1 - --3") == Outcome((1, 2, 0), (2,))
    assert "  player 2  B  2 boxes, out" in panel(read_position("2x2 def 22.1 - --3"))


@pytest.mark.parametrize(
    ("position", "kept", "awarded"),
    [
        ("2x2 ced 2..1 - 1-", (1, 1), (3, 1)),
        ("2x2 ced 2..1 - -2", (1, 1), (1, 3)),
        ("2x2 ced 2..1 1", (1, 1), (1, 1)),
        ("2x2 def 22.1 - --3", (1, 2, 0), (1, 2, 0)),
    ],
)
def test_8_award_rest_gives_the_open_boxes_to_the_opponent(
    position: str, kept: tuple[int, ...], awarded: tuple[int, ...]
) -> None:
    """In the score of two players, once one is out; off unless chosen, and without effect for more players."""
    assert standing(position).scores == kept
    assert standing(position, award_rest=True).scores == awarded
    assert standing(position).winners == standing(position, award_rest=True).winners


@pytest.mark.parametrize(("position", "seat", "code"), [("1x2 7f 12 -", 0, "over"), ("2x2 0 .... 1 1-3", 1, "not_in")])
def test_8_nobody_withdraws_twice_or_after_the_end(position: str, seat: int, code: str) -> None:
    """The rules refuse it themselves."""
    state = read_position(position)
    with pytest.raises(IllegalMove) as caught:
        rules_of(str(state.board)).withdraw(state, seat)
    assert caught.value.code == code


# -- 9. Not derivable


def test_9_the_side_to_move_does_not_follow_from_the_picture() -> None:
    """On 1x3 two orders of the same lines, with the same owners, leave different players to move."""
    at_once = after("1x3", "a1r b1r c1r a2r b2r a1d c1d b1d")
    one_by_one = after("1x3", "a1r b1r a2r b2r a1d b1d c1d c1r")
    assert (at_once.lines, at_once.owners) == (one_by_one.lines, one_by_one.owners)
    rules = rules_of("1x3")
    assert rules.picture(at_once).text() == rules.picture(one_by_one).text()
    assert [rules.position(state) for state in (at_once, one_by_one)] == ["1x3 1df 22. 2", "1x3 1df 22. 1"]


# -- 10. Notation


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        *((text, "a1r") for text in ("a1r", "a1-b1", "b1-a1", "a1b1", "b1a1", "A1R", " A1-b1  ", "a1 - b1", "a1 b1")),
        *((text, "a1d") for text in ("a1d", "a1-a2", "a2-a1", "a1a2", "A2A1")),
        *((text, "c1r") for text in ("c1d1", "d1-c1", "c1r")),
        *((text, "d2d") for text in ("d2d3", "d2d", "d3d2")),
        *((text, "m11d") for text in ("m11d", "m12-m11", "M11M12")),
    ],
)
def test_10_lines_as_typed(typed: str, canonical: str) -> None:
    """Two dots in either order, or the upper or left one and a direction; one canonical form."""
    assert rules_of("12x12").parse(typed) == canonical


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_10_every_line_by_its_two_dots(rows: int, cols: int, data: st.DataObject) -> None:
    """In either order, with and without a hyphen, in capitals: the same line."""
    lattice = board(rows, cols)
    line = data.draw(st.sampled_from(lattice.names))
    col, row, right = line[0], int(line[1:-1]), line[-1] == "r"
    ends = [f"{col}{row}", f"{chr(ord(col) + 1)}{row}" if right else f"{col}{row + 1}"]
    for pair in (ends, ends[::-1]):
        assert {lattice.parse(hyphen.join(pair)) for hyphen in ("", "-", " - ")} == {line}
        assert lattice.parse("".join(pair).upper()) == line


def test_10_lines_are_numbered_horizontal_first_row_by_row() -> None:
    """Names of 2x2 in the order of their bits."""
    assert " ".join(board(2, 2).names) == "a1r b1r a2r b2r a3r b3r a1d b1d c1d a2d b2d c2d"


def test_10_the_position_of_the_rules_page() -> None:
    """`1x2 35 2. 2`: four lines about the left box, which player 2 claimed and so moves again."""
    state = after("1x2", "a1r a2r a1d b1d")
    assert rules_of("1x2").position(state) == "1x2 35 2. 2"
    assert read_position("1x2 35 2. 2") == state == read_position("  1X2  035 2.  2 ")


@settings(parent=UNHURRIED, max_examples=40)
@given(playouts(DOTS_AND_BOXES, OPTIONS))
def test_10_positions_round_trip(playout: Playout) -> None:
    """Every state of every game, with seats out too, is read back as itself."""
    for state in playout.states:
        assert read_position(playout.rules.position(state)) == state


def test_10_seats_follow_unless_two_are_in() -> None:
    """One character a seat: its number while in, - once out."""
    rules = rules_of("1x1")
    assert rules.position(rules.start(2)) == "1x1 0 . 1"
    assert rules.position(rules.start(3)) == "1x1 0 . 1 123"
    assert rules.position(rules.withdraw(rules.start(4), 1)) == "1x1 0 . 1 1-34"
    assert rules.position(rules.withdraw(rules.start(2), 0)) == "1x1 0 . - -2"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "ROWSxCOLS LINES OWNERS MOVER"),
        ("1x2 35 2.", "ROWSxCOLS LINES OWNERS MOVER"),
        ("1x2 0x35 2. 2", "ROWSxCOLS LINES OWNERS MOVER"),
        ("13x2 35 2. 2", "1x1 to 12x12"),
        ("1x2 80 .. 1", "has 7 lines"),
        ("1x2 35 2.. 2", "has 2 boxes"),
        ("1x2 35 .. 2", "box 1 of row 1"),
        ("1x2 35 22 2", "box 2 of row 1"),
        ("1x2 35 3. 2", "1 to 2"),
        ("1x2 35 2. -", "somebody must be to move"),
        ("1x2 7f 12 1", "nobody is to move"),
        ("1x2 35 2. 3", "player 3 cannot be to move"),
        ("1x2 35 2. 2 1-3", "player 2 cannot be to move"),
        ("1x2 35 2. 1 1-", "nobody is to move"),
        ("1x2 35 2. - --", "at least one of them is in"),
        ("1x2 35 2. 1 1", "2 to 4 seats"),
        ("1x2 35 2. 2 132", "SEATS"),
        ("1x2 35 2. 2 12341", "SEATS"),
    ],
)
def test_10_positions_that_make_no_sense_are_refused(text: str, says: str) -> None:
    """One line that says what does not fit."""
    with pytest.raises(Misuse, match=says) as caught:
        read_position(text)
    assert "\n" not in str(caught.value)


@given(st.text() | st.from_regex(r"[1-3]x[1-3] [0-9a-f]{1,4} [.1-4]{1,9} [1-4-]( [1-4-]{1,5})?", fullmatch=True))
def test_10_any_text_is_a_position_or_misuse(text: str) -> None:
    """Nothing else is raised, and what is read is written so that it reads the same."""
    try:
        state = read_position(text)
    except Misuse:
        return
    assert read_position(rules_of(str(state.board)).position(state)) == state


def test_10_the_last_line_is_no_part_of_the_position() -> None:
    """Two orders that lead to one position are equal states, though the picture marks different lines."""
    one, other = after("1x3", "a1r b1r c1r"), after("1x3", "c1r b1r a1r")
    assert one == other and hash(one) == hash(other) and one.last != other.last


def test_10_the_last_line_must_be_drawn() -> None:
    """A state that contradicts itself cannot be made."""
    with pytest.raises(Misuse, match="drawn last"):
        State(board(1, 1), 1, b"\0", 1, (True, True), last=2)


# -- 11. The log is per line


def test_11_undo_is_a_refold_without_the_last_lines() -> None:
    """Taken back by consent in the middle of an extra turn, an earlier state stands again."""
    position = played("2x2", "a1r a2r a1d b1d")
    back = fold.step(position, event(position, "takeback", to=3, notices={"0": UNSIGNED}))
    assert back.state == after("2x2", "a1r a2r a1d") and back.seq == 5


# -- Exact values


@pytest.mark.parametrize(("size", "value"), [("1x1", -1), ("1x2", 0), ("2x1", 0), ("1x3", -1), ("3x1", -1), ("2x2", 2)])
def test_exact_values_of_small_boards(size: str, value: int) -> None:
    """Player 1 minus player 2 under perfect play, by trying everything; a transposed board has the same value."""
    rules = rules_of(size)

    @cache
    def margin(lines: int) -> int:
        # The value depends on the undrawn lines only, so any owners will do.
        owners = bytes(lines & sides == sides for sides in rules.board.sides)
        if lines == rules.board.full:
            return 0
        state = State(rules.board, lines, owners, 0, (True, True))
        return max(gain(state, move) for move in rules.legal(state, 0))

    def gain(state: State, move: str) -> int:
        then = rules.play(state, 0, move)
        claimed = state.open_boxes - then.open_boxes
        return claimed + margin(then.lines) * (1 if claimed else -1)

    assert margin(0) == value


# -- The picture


def test_picture_of_a_position() -> None:
    """Four columns and two rows a box, letters and numbers in the margins, owners' letters in the boxes."""
    state = after("2x3", "a1r a2r a1d b1d c3r")
    picture = rules_of("2x3").picture(state)
    assert picture.text() == [
        "    a   b   c   d",
        " 1  o---o   o   o",
        "    | B |",
        " 2  o---o   o   o",
        "",
        " 3  o   o   o---o",
    ]
    assert picture.panel == (
        "> player 1  A  0 boxes",
        "  player 2  B  1 box",
        "lines 5 of 17, 5 boxes open",
        "last line c3r",
        "first to 4 boxes is sure to win",
        "player 1 to move",
    )
    marks = {cell.mark: cell.text for row in picture.rows for cell in row if cell.mark}
    assert marks == {"last": "---", "seat1": " B "}


def test_picture_says_the_extra_turn_in_words() -> None:
    """To whoever just claimed, and not to the one who moves because the claimer left."""
    state = after("1x3", "a1r a2r a1d b1d", seats=3)
    assert state.mover == 0 and panel(state)[-1] == "box! move again"
    assert panel(rules_of("1x3").withdraw(state, 0))[-1] == "player 2 to move"


@settings(parent=UNHURRIED, max_examples=30)
@given(playouts(DOTS_AND_BOXES, OPTIONS))
def test_picture_offers_every_undrawn_line(playout: Playout) -> None:
    """Each undrawn line is one cell with its notation; while somebody is to move these are the legal moves."""
    for state in playout.states:
        cells = [cell for row in playout.rules.picture(state).rows for cell in row]
        moves = [cell.move for cell in cells if cell.move is not None]
        assert sorted(moves) == sorted(n for line, n in enumerate(state.board.names) if not state.is_drawn(line))
        assert state.mover is None or sorted(moves) == sorted(playout.rules.legal(state, state.mover))


def test_picture_of_the_largest_board_fits_60_columns() -> None:
    """Every row is as wide as the last dot, whatever is drawn."""
    rules = rules_of("12x12")
    widths = {sum(len(cell.text) for cell in row) for row in rules.picture(rules.start(4)).rows}
    assert widths == {53}


@pytest.mark.parametrize("name", golden.GOLDENS)
def test_golden_playthrough(name: str) -> None:
    """Drawn as a person sees it; after a wanted change: `python -m tests.golden --write`, and read the diff."""
    assert golden.draw(name) == golden.path(name).read_text()


# -- Opponents


def choices(state: State, seeds: Iterable[int]) -> set[str]:
    assert state.mover is not None
    return {easy(rules_of(str(state.board)), state, state.mover, seed.to_bytes(2)) for seed in seeds}


def test_easy_takes_a_box_if_one_can_be_taken() -> None:
    """Any of them, by seed."""
    state = after("1x4", "a1r a2r a1d d1r d2r e1d b1r")
    assert choices(state, range(40)) == {"b1d", "d1d"}


def test_easy_draws_any_line_otherwise() -> None:
    """All of 2x2 come up, the same by the same seed on every machine."""
    state = after("2x2", "")
    assert choices(state, range(200)) == set(rules_of("2x2").legal(state, 0))
    assert [easy(rules_of("2x2"), state, 0, bytes([seed])) for seed in range(4)] == ["a1r", "b3r", "b1r", "b1r"]


# -- As a plugin


def test_the_plugin_is_taken_in_by_the_host() -> None:
    """Registered as any stranger's, and asked for by name."""
    host = Host()
    host.register(lantable_dots_and_boxes, "dots-and-boxes")
    game = host.game("dots-and-boxes")
    assert game.titles == {"en": "Dots and Boxes", "it": "Punti e linee", "tr": "Noktalar ve Kutular"}
    rules, _, digest = host.rules(game, game.read_options("size=3x3"))
    assert rules == rules_of("3x3") and digest != host.rules(game, game.read_options("size=3x4"))[2]


def test_house_rules_are_refused_not_ignored() -> None:
    """This game defines none, so nobody may think that one is in force."""
    rule = HouseRule(game="dots-and-boxes", name="swedish", version="1", titles={"en": "Swedish"}, change=None)
    with pytest.raises(Misuse, match="leave out swedish"):
        DOTS_AND_BOXES.make(DOTS_AND_BOXES.read_options(""), (rule,))


def test_the_page_for_players_tells_everything() -> None:
    """Its drawing is what the program draws; every option, computer player and code of refusal is named."""
    page = (Path(__file__).parents[1] / "docs" / "dots-and-boxes.md").read_text()
    assert f"version {DOTS_AND_BOXES.version}" in page
    assert all(f"\n{row}" in page for row in rules_of().picture(after("5x5", "a1r a2r a1d b1d d4d")).text())
    names = [option.name for option in DOTS_AND_BOXES.options]
    codes = ["notation", "off_board", "not_neighbours", "drawn", "not_your_turn"]
    assert all(f"`{word}`" in page for word in (*names, *codes, *DOTS_AND_BOXES.opponents, *DOTS_AND_BOXES.presets))
    for position in re.findall(r"`(\d+x\d+ [0-9a-f]+ [.1-4]+ .*?)`", page):
        read_position(position)


def test_the_text_of_the_rules_names_every_option() -> None:
    """What a person reads in the program tells all that can be chosen."""
    text = DOTS_AND_BOXES.rules_text["en"]
    assert all(f"{option.name}=" in text for option in DOTS_AND_BOXES.options)


# -- going on without somebody


def going_on(position: str, *seats: int) -> State:
    """The opening of the game in which these seats of a position go on."""
    return rules_of(position.split()[0]).continued(position, seats)


@pytest.mark.parametrize(
    ("position", "seats", "opening"),
    [
        ("2x2 1 .... 2 123", (0, 1), "2x2 1 .... 2"),
        ("2x2 1 .... 2 123", (0, 2), "2x2 1 .... 2"),  # player 2 is gone: the next one who is here draws
        ("2x2 1 .... 3 123", (0, 1), "2x2 1 .... 1"),
        ("1x2 35 2. 2 123", (1, 2), "1x2 35 1. 1"),
        ("1x2 35 2. 2 123", (0, 2), "1x2 35 x. 2"),
        ("1x2 35 x. 1 123", (1, 2), "1x2 35 x. 1"),
        ("1x2 35 3. 4 12-4", (0, 3), "1x2 35 x. 2"),  # left long ago, and is no less gone
        ("1x2 35 2. 2 1234", (0, 1, 3), "1x2 35 2. 2 123"),
    ],
)
def test_others_go_on_from_where_it_stands(position: str, seats: tuple[int, ...], opening: str) -> None:
    """Lines and boxes stay, the boxes of who is gone are nobody's, and the turn is the next one's who is here."""
    state = going_on(position, *seats)
    assert state == read_position(opening) and rules_of(position.split()[0]).position(state) == opening


@pytest.mark.parametrize(
    ("position", "seats", "code"),
    [
        ("1x2 35 2. 2 123", (0,), "from"),
        ("1x2 35 2. 2 123", (0, 3), "from"),
        ("1x2 35 2. 2 12-", (0, 2), "from"),
        ("1x1 f 1 - 123", (0, 1), "from"),
        ("1x1 f 1", (0, 1), "position"),
        ("1x1 0 x 1 123", (0, 1), "position"),
    ],
)
def test_nobody_goes_on_from_what_is_no_game_or_without_being_in_it(
    position: str, seats: tuple[int, ...], code: str
) -> None:
    """Two at least who are still in, lines left to draw, and a position that is one, of this board."""
    with pytest.raises((IllegalMove, Untrusted)) as caught:
        going_on(position, *seats)
    assert isinstance(caught.value, IllegalMove | Untrusted) and caught.value.code == code
    with pytest.raises(Untrusted, match="2x2"):
        rules_of("2x2").continued("1x1 0 . 1 123", (0, 1))


@UNHURRIED
@given(st.data())
def test_boxes_of_nobody_count_for_nobody(data: st.DataObject) -> None:
    """From any position: whoever is here keeps what was theirs, and what is at stake is all there is to win."""
    rules, drawn = rules_of("3x3"), data.draw(st.permutations(board(3, 3).names))
    broken = after("3x3", " ".join(drawn[: data.draw(st.integers(0, 23))]), 4)
    seats = data.draw(st.sampled_from([(0, 1), (0, 2), (1, 3), (0, 2, 3), (1, 2, 3)]))
    state = going_on(rules.position(broken), *seats)
    assert state.boxes_held == tuple(broken.boxes_held[seat] for seat in seats)
    assert state.lines == broken.lines and state.open_boxes == broken.open_boxes
    assert broken.mover not in seats or seats[state.mover or 0] == broken.mover
    while state.mover is not None:
        state = rules.play(state, state.mover, data.draw(st.sampled_from(rules.legal(state, state.mover))))
        assert read_position(rules.position(state)) == state
    assert sum(rules.standing(state).scores) == state.boxes_at_stake


def test_boxes_of_nobody_are_seen() -> None:
    """A dash in the box, and a line that says what it is."""
    picture = rules_of("1x2").picture(going_on("1x2 35 2. 2 123", 0, 2))
    assert picture.text()[2] == "    | - |"
    assert "-  1 box of players who are gone, nobody's" in picture.panel
    assert "first to 1 box is sure to win" in picture.panel
