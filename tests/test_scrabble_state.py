"""Turns, bag, challenges and the end: section 8, and what must hold in every state of every game."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable.dealing import HIDDEN, Draw, Reveal, Swap
from lantable.errors import IllegalMove, Misuse
from lantable.game import Look
from lantable_binary_scrabble.generator import moves
from lantable_binary_scrabble.picture import fitted, picture
from lantable_binary_scrabble.placement import Placement
from lantable_binary_scrabble.ruleset import NUMBER, RuleSet
from lantable_binary_scrabble.state import (
    ACCEPT,
    CHALLENGE,
    PASS,
    Exchange,
    Move,
    State,
    answer,
    final_account,
    play,
    standing,
    start,
    total,
    winners,
    withdraw,
)
from tests.scrabble_dealing import SeededBag, states

PLAIN = RuleSet()
SINGLE = RuleSet(options={"validation": "challenge_single"})
DOUBLE = RuleSet(options={"validation": "challenge_double"})
FIRST = Placement(7, 5, across=True, tiles="1+1=10")
WRONG = Placement(7, 5, across=True, tiles="1+1=11")


def any_move(rules: RuleSet, state: State, rng: random.Random) -> Move:
    """Any kind of move that is allowed, placements most often; now and then a wrong one under a challenge rule."""
    seat = state.turn
    rack = state.racks[seat]
    if state.pending is not None and (state.phase == "answer" or rng.random() < 0.3):
        return rng.choice([ACCEPT, CHALLENGE])
    if rng.random() < 0.1:
        return PASS
    if state.bag >= rules.settings.rack_size and rng.random() < 0.1:
        return Exchange("".join(rng.sample(rack, rng.randint(1, len(rack)))))
    if rules.settings.validation != "automatic" and state.board.empty and set("10=") <= set(rack):
        return Placement(7, 7, across=True, tiles="1=0")
    found = sorted(moves(rules, state.board, rack[:5]))
    return rng.choice(found).placement if found else PASS


def dealt(rules: RuleSet, *racks: str, bag: int = 50, first: int = 0) -> State:
    """A game about to begin with these racks."""
    state = answer(rules, start(rules, len(racks)), first)
    return State(racks=racks, scores=state.scores, bag=bag, wants=(), phase="play", turn=first)


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 4),
    st.sampled_from(["automatic", "challenge_single", "challenge_double"]),
    st.sampled_from([None, NUMBER]),
)
def test_no_tile_is_lost_or_made(seed: int, seats: int, validation: str, kind: object) -> None:
    """In every state of every game: all tiles are there, the bag has as many as the state says."""
    rules = RuleSet(NUMBER if kind else PLAIN.kind, {"validation": validation})
    tiles = sorted(tile.code for tile in rules.tiles.values() for _ in range(tile.count))
    last = None
    for state, bag in states(rules, seats, seed, any_move):
        there = total(rules, state)
        assert there.pop(HIDDEN, 0) == state.bag == len(bag.tiles)
        assert sorted([*there.elements(), *bag.tiles]) == tiles
        last = state
    assert last is not None
    assert last.phase == "over"
    assert last.how in ("played out", "scoreless turns")
    assert standing(last).winners == winners(last.scores)


def test_a_state_says_what_it_wants() -> None:
    """Who starts, then a rack for each in turn order, then refills."""
    state = answer(PLAIN, start(PLAIN, 3), 1)
    assert state.wants == (Draw(1, 9), Draw(2, 9), Draw(0, 9))
    assert state.bag == 73
    assert state.to_move is None
    for tiles in ("1110+=00-", HIDDEN * 9, HIDDEN * 9):
        state = answer(PLAIN, state, tiles)
    state = play(PLAIN, state, 1, FIRST)
    assert (state.scores, state.racks[1], state.wants) == ((0, 16, 0), "-00", (Draw(1, 6),))


def test_wrong_answers_are_misuse() -> None:
    """The bag gives what was wanted."""
    state = start(PLAIN, 2)
    with pytest.raises(Misuse):
        answer(PLAIN, state, 2)
    state = answer(PLAIN, state, 0)
    for wrong in ("111", 3, "ABCDEFGHI"):
        with pytest.raises(Misuse):
            answer(PLAIN, state, wrong)
    with pytest.raises(Misuse):
        start(PLAIN, 5)


def test_hidden_tiles_may_be_anything() -> None:
    """A play from a rack one cannot see is judged by its tiles; what is left stays hidden."""
    state = dealt(PLAIN, HIDDEN * 9, "111111111")
    after = play(PLAIN, state, 0, FIRST)
    assert after.racks[0] == HIDDEN * 3
    swapped = play(PLAIN, state, 0, Exchange(HIDDEN * 2))
    assert (swapped.racks[0], swapped.wants) == (HIDDEN * 7, (Swap(0, ("_", "_")),))
    with pytest.raises(IllegalMove) as refused:
        play(PLAIN, dealt(PLAIN, HIDDEN * 5, "1"), 0, FIRST)
    assert refused.value.code == "not_in_rack"


def test_exchange_and_pass_score_nothing() -> None:
    """8.1 to 8.3: after two rounds of scoreless turns the game ends, and an exchange needs a full bag."""
    state = dealt(PLAIN, "111111111", "000000000")
    for seat, move in ((0, Exchange("11")), (1, PASS), (0, PASS), (1, Exchange("0"))):
        assert state.phase == "play"
        state = play(PLAIN, state, seat, move)
        state = answer(PLAIN, state, "1" * len(move.tiles)) if isinstance(move, Exchange) else state
    assert (state.phase, state.how, state.scores) == ("over", "scoreless turns", (0, 0))
    for bag, tiles, code in ((8, "1", "bag_low"), (50, "0", "not_in_rack"), (50, "", "empty_move")):
        with pytest.raises(IllegalMove) as refused:
            play(PLAIN, dealt(PLAIN, "111111111", "0", bag=bag), 0, Exchange(tiles))
        assert refused.value.code == code


def test_out_of_turn() -> None:
    """Only the seat to move moves."""
    with pytest.raises(IllegalMove) as refused:
        play(PLAIN, dealt(PLAIN, "1", "0"), 1, PASS)
    assert refused.value.code == "not_your_turn"
    with pytest.raises(IllegalMove) as refused:
        play(PLAIN, dealt(PLAIN, "1", "0"), 0, CHALLENGE)
    assert refused.value.code == "no_play"


def test_going_out_asks_for_the_racks_that_are_hidden() -> None:
    """8.4: the account needs all racks; `none` needs none."""
    state = dealt(PLAIN, "01+11=", HIDDEN * 3, bag=0)
    over = play(PLAIN, state, 0, FIRST)
    assert (over.phase, over.wants) == ("reveal", (Reveal(1),))
    for wrong in ("1", "11_"):
        with pytest.raises(Misuse):
            answer(PLAIN, over, wrong)
    done = answer(PLAIN, over, "/x0")
    assert (done.phase, done.how, done.scores) == ("over", "played out", (16 + 7, 0))
    quiet = RuleSet(options={"endgame": "none"})
    assert play(quiet, state, 0, FIRST).phase == "over"


def test_a_right_challenge_takes_the_play_back() -> None:
    """8.6: "A challenged illegal play is taken back and its turn is lost"."""
    state = dealt(SINGLE, "1110+=00-", "111111111")
    laid = play(SINGLE, state, 0, FIRST)
    assert laid.pending is not None and laid.pending.legal
    state = dealt(SINGLE, "11110+=0-", "111111111")
    laid = play(SINGLE, state, 0, WRONG)
    assert (laid.to_move, laid.scores, laid.wants) == (1, (0, 0), ())
    back = play(SINGLE, laid, 1, CHALLENGE)
    assert (back.board, back.racks, back.scores, back.scoreless) == (state.board, ("+-001111=", "111111111"), (0, 0), 1)
    assert back.to_move == 1


def test_a_wrong_challenge() -> None:
    """It costs nothing under `single` and the next turn under `double`, which counts as scoring 0."""
    for rules, turn, scoreless in ((SINGLE, 1, 0), (DOUBLE, 0, 1)):
        laid = play(rules, dealt(rules, "1110+=00-", "111111111"), 0, FIRST)
        after = play(rules, laid, 1, CHALLENGE)
        assert (after.turn, after.scores, after.scoreless, after.wants) == (turn, (16, 0), scoreless, (Draw(0, 6),))


def test_a_play_stands_when_the_next_player_moves() -> None:
    """Even a wrong one; its rack is refilled before the other's."""
    laid = play(SINGLE, dealt(SINGLE, "11110+=0-", "111111111"), 0, WRONG)
    for move, wants in ((ACCEPT, (Draw(0, 6),)), (PASS, (Draw(0, 6),)), (Exchange("1"), (Draw(0, 6), Swap(1, ("1",))))):
        after = play(SINGLE, laid, 1, move)
        assert (after.scores, after.wants, after.pending) == ((12, 0), wants, None)


def test_the_last_play_is_answered_before_the_account() -> None:
    """8.6, even by a player who would rather pass; a taken-back play does not end the game."""
    for first, code, totals in ((FIRST, "over", (16 + 9, 0)), (WRONG, "play", (0, 0))):
        rack = "".join(sorted(first.tiles))
        laid = play(DOUBLE, dealt(DOUBLE, rack, "111111111", bag=0), 0, first)
        assert laid.phase == "answer"
        with pytest.raises(IllegalMove) as refused:
            play(DOUBLE, laid, 1, PASS)
        assert refused.value.code == "answer"
        after = play(DOUBLE, laid, 1, CHALLENGE)
        assert (after.phase, after.scores) == (code, totals)


def test_geometry_is_refused_even_under_a_challenge_rule() -> None:
    """Only what the runs say is left to the next player."""
    with pytest.raises(IllegalMove) as refused:
        play(SINGLE, dealt(SINGLE, "11110+=0-", "1"), 0, Placement(0, 0, across=True, tiles="1=1"))
    assert refused.value.code == "centre"


def test_resigning() -> None:
    """5.1: with two the other wins whatever the score; with more the seat is skipped and cannot win."""
    two = withdraw(PLAIN, dealt(PLAIN, "111", "000"), 0)
    assert (two.phase, standing(two).winners) == ("over", (1,))
    three = withdraw(PLAIN, dealt(PLAIN, "111", "000", "11"), 0)
    assert (three.phase, three.turn) == ("play", 1)
    three = play(PLAIN, three, 1, PASS)
    assert three.turn == 2
    for seat in (2, 1, 2):
        assert three.phase == "play"
        three = play(PLAIN, three, seat, PASS)
    assert (three.how, standing(three).winners) == ("scoreless turns", (1, 2))


def test_resigning_returns_what_was_to_be_drawn() -> None:
    """Tiles reserved for a seat stay in the bag; those it was exchanging stay with it."""
    state = dealt(PLAIN, "1110+=00-", "111111111", "0")
    drew = withdraw(PLAIN, play(PLAIN, state, 0, FIRST), 0)
    assert (drew.bag, drew.wants, drew.racks[0]) == (50, (), "-00")
    swapped = withdraw(PLAIN, play(PLAIN, state, 0, Exchange("11")), 0)
    assert (swapped.bag, swapped.wants, swapped.racks[0]) == (50, (), "+-000111=")


def test_the_limit_counts_the_players_still_in() -> None:
    """A withdrawal may be what brings the limit about."""
    state = dealt(PLAIN, "1", "0", "1")
    for seat in (0, 1, 2, 0, 1):
        state = play(PLAIN, state, seat, PASS)
    assert state.phase == "play"
    assert withdraw(PLAIN, state, 2).phase == "over"


def test_who_left_has_no_part_in_the_account() -> None:
    """Its tiles "do not count in 8.4"."""
    assert final_account(PLAIN, (10, 20, 30), ["", "xx", None]) == (14, 20, 30)
    assert winners((14, 20, 30), out=(2,)) == (1,)


def test_dead_openings_are_dealt_again_where_one_machine_deals() -> None:
    """8.7, only with the option on."""
    rules = RuleSet(options={"redraw_dead_opening": True})
    for seed in range(40):
        racks = SeededBag(rules, seed).settle(start(rules, 4)).racks
        assert all(set(rack) & set("=?") for rack in racks)


def test_of_a_rack_that_is_partly_seen_the_picture_shows_what_is_known() -> None:
    """By tiles and a number, in the wide picture and in the one that fits; of one that nobody sees only the number."""
    state = dealt(PLAIN, HIDDEN * 9, f"01{HIDDEN * 3}")
    assert [line.split("points  ")[-1] for line in picture(PLAIN, state).panel[:2]] == [
        "9 tiles",
        "rack 0 1 and 3 hidden tiles",
    ]
    assert fitted(PLAIN, state, Look(80)).panel[0] == "player 2: rack 0 1 and 3 hidden tiles"
