"""Every legal placement and no other: the generator against trying everything, under random rules."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lantable_binary_scrabble.expression import judge
from lantable_binary_scrabble.generator import best, equation_value, moves
from lantable_binary_scrabble.ruleset import RuleSet
from tests.scrabble_games import by_trying_everything, random_position, rule_sets

SLOW = settings(max_examples=25, deadline=None)


@SLOW
@given(rule_sets(), st.integers(0, 10**6), st.integers(0, 5), st.integers(1, 4))
def test_generator_finds_what_trying_everything_finds(rules: RuleSet, seed: int, plies: int, tiles: int) -> None:
    """Same placements, same scores, none twice, whatever the rules."""
    board, rack = random_position(rules, seed, plies, tiles if "?" not in rules.tiles else min(tiles, 3))
    found = list(moves(rules, board, rack))
    assert len({move[:4] for move in found}) == len(found)
    assert {move[:4]: move.score for move in found} == by_trying_everything(rules, board, rack)


@SLOW
@given(rule_sets(), st.integers(0, 10**6), st.integers(0, 5), st.integers(1, 9), st.integers(1, 30))
def test_best_are_the_highest_scores(rules: RuleSet, seed: int, plies: int, tiles: int, count: int) -> None:
    """`best` gives legal moves, with exactly the highest scores there are."""
    board, rack = random_position(rules, seed, plies, tiles)
    rack = rack.replace("?", "1")
    every = list(moves(rules, board, rack))
    top = best(rules, board, rack, count)
    assert set(top) <= set(every)
    assert [move.score for move in top] == sorted((move.score for move in every), reverse=True)[:count]


@given(rule_sets(), st.data())
def test_the_automaton_judges_as_judge_does(rules: RuleSet, data: st.DataObject) -> None:
    """A run is an equation by the automaton exactly when it is one by the passes of section 9, and of equal value."""
    signs = "".join(sorted(rules.symbols_read))
    side = st.text(signs.replace("=", ""), min_size=1, max_size=6)
    text = "=".join(data.draw(st.lists(side, min_size=2, max_size=3)))
    assert equation_value(rules, text) == judge(rules, text).value
