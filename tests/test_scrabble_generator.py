"""Every legal placement and no other, and the best of them: against trying everything, under random rules."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable_binary_scrabble.board import Board
from lantable_binary_scrabble.expression import judge
from lantable_binary_scrabble.generator import Move, best, moves
from lantable_binary_scrabble.machine import Node, machine
from lantable_binary_scrabble.placement import Placement
from lantable_binary_scrabble.ruleset import NUMBER, PRESETS, RuleSet
from lantable_binary_scrabble.tables import Change, Face, Operator, Tile, Undefined, Value
from lantable_rotated_equals import TURNED
from lantable_xor_tiles import XOR
from tests.conftest import EVIDENCE
from tests.scrabble_games import BRACKETS, by_trying_everything, random_position, rule_sets

BOTH = [("xor-tiles", XOR), ("rotated-equals", TURNED)]


def _power(a: Value, b: Value) -> Value:
    if not isinstance(a, int) or not isinstance(b, int) or not 0 <= b <= 8:
        raise Undefined("logic_domain")
    return int(a**b)


ODD = Change(
    tiles=(Tile("@", 9, 3), Tile("%", 9, 2)),
    operators=(
        Operator("@", {"math": 6, "ltr": 1, "pascal": 3}, function=_power),
        Operator("%", {"math": 3, "ltr": 1, "pascal": 2}, table=0b0100),
    ),
    faces=(Face("P", tile="+", reads="1+", typed="P"), Face("Q", tile="@", reads="0", typed="Q")),
)
"""What no rule set of ours has: an operator that cannot be undone, another truth table, faces that read as more."""
RULES = {
    "widest": RuleSet(options={"not_width": "widest", "leading_zeros": "always"}),
    "both house rules": RuleSet(changes=BOTH),
    "widest, both house rules": RuleSet(options={"not_width": "widest", "max_new_equals": 2}, changes=BOTH),
    "widest, chained": RuleSet(options={"not_width": "widest", "not_chain": True, "negatives": "signed"}),
    "number-scrabble": RuleSet(NUMBER),
    "number-scrabble, training": RuleSet(NUMBER, {**PRESETS["training"], "cross_runs": "numbers"}),
    "brackets": RuleSet(options={"division": "rational"}, changes=[("brackets", BRACKETS)]),
    "an odd house rule": RuleSet(options={"negatives": "signed"}, changes=[("odd", ODD)]),
}
few = settings(max_examples=300 if EVIDENCE else 12, deadline=None)
seeds = st.integers(0, 10**6)


def whole(rules: RuleSet, board: Board, rack: str) -> list[Move]:
    """All placements in the documented order."""
    return sorted(moves(rules, board, rack), key=lambda move: move.rank)


@few
@given(rule_sets(), seeds, st.integers(0, 5), st.integers(1, 4))
def test_generator_finds_what_trying_everything_finds(rules: RuleSet, seed: int, plies: int, tiles: int) -> None:
    """Same placements, same scores, none twice, whatever the rules."""
    _compare(rules, seed, plies, tiles if "?" not in rules.tiles else min(tiles, 3))


@pytest.mark.parametrize("name", RULES)
@few
@given(seeds, st.integers(0, 6), st.integers(1, 3))
def test_and_under_rules_that_are_hard_to_search(name: str, seed: int, plies: int, tiles: int) -> None:
    """Where the widest number matters, digits stand for two, numbers are decimal, and operators are anybody's."""
    _compare(RULES[name], seed, plies, tiles)


def _compare(rules: RuleSet, seed: int, plies: int, tiles: int) -> None:
    board, rack = random_position(rules, seed, plies, tiles)
    found = list(moves(rules, board, rack))
    assert len({move[:4] for move in found}) == len(found)
    assert {move[:4]: move.score for move in found} == by_trying_everything(rules, board, rack)


@few
@given(rule_sets(), seeds, st.integers(0, 5), st.integers(1, 9), st.integers(0, 2), st.integers(1, 30))
def test_the_best_are_the_first_of_all(
    rules: RuleSet, seed: int, plies: int, tiles: int, blanks: int, count: int
) -> None:
    """With blanks or without, no other move scores more."""
    _compare_best(rules, seed, plies, tiles, blanks, count)


@pytest.mark.parametrize("name", RULES)
@few
@given(seeds, st.integers(0, 6), st.integers(1, 7), st.integers(0, 2), st.integers(1, 30))
def test_and_the_best_under_rules_that_are_hard_to_search(
    name: str, seed: int, plies: int, tiles: int, blanks: int, count: int
) -> None:
    """Bounds that cut off too much would show here."""
    _compare_best(RULES[name], seed, plies, tiles, blanks, count)


def _compare_best(rules: RuleSet, seed: int, plies: int, tiles: int, blanks: int, count: int) -> None:
    board, rack = random_position(rules, seed, plies, tiles)
    # With many blanks on a long rack there would be too many moves to list.
    most = 9 if rules.kind.base == 2 else 6
    rack = "?" * blanks + rack.replace("?", "1")[: most - 2 * blanks]
    _are_the_best(rules, board, rack, count)


def _are_the_best(rules: RuleSet, board: Board, rack: str, count: int) -> None:
    """No other move scores more, no score is wrong, none comes twice, and they stand in order."""
    found, every = best(rules, board, rack, count), whole(rules, board, rack)
    assert [move.score for move in found] == [move.score for move in every[:count]]
    assert set(found) <= set(every) and len(set(found)) == len(found)
    assert found == sorted(found, key=lambda move: move.rank)


@pytest.mark.parametrize(("name", "rack"), [("usual", "??1=0+01"), ("number-scrabble", "??=2s4")])
def test_the_best_of_a_hundred_thousand(name: str, rack: str) -> None:
    """Two blanks beside tiles that go together, after `11=11`."""
    rules = RULES.get(name, RuleSet())
    board = Board().with_tiles(Placement(7, 5, across=True, tiles="11=11").on(Board()))
    _are_the_best(rules, board, rack, 20)


def test_equal_scores_have_an_order() -> None:
    """The order is that of `Move.rank`, and no two moves are equal in it."""
    found = whole(RuleSet(), Board(), "11=11+0")
    ranks = [move.rank for move in found]
    assert len(set(ranks)) == len(ranks) and ranks == sorted(ranks)
    assert len({move.score for move in found}) < len(found)


class Stopped(Exception):
    """Somebody does not want to wait any more."""


def test_long_work_can_be_ended() -> None:
    """It pauses again and again, and lets through what is raised then."""
    rules, pauses = RULES["number-scrabble"], 0

    def pause() -> None:
        nonlocal pauses
        pauses += 1
        if pauses == 50:
            raise Stopped

    board = Board().with_tiles(Placement(7, 5, across=True, tiles="11=11").on(Board()))
    with pytest.raises(Stopped):
        best(rules, board, "??=2s45+x", 20, pause)
    pauses = 0
    with pytest.raises(Stopped):
        list(moves(rules, board, "??=2s45+x", pause))


@given(rule_sets(), st.integers(1, 6), st.data())
def test_the_automaton_judges_as_judge_does(rules: RuleSet, widest: int, data: st.DataObject) -> None:
    """A side has a value by the automaton exactly when `side=side` is an equation, and the same value."""
    rules = rules.varied({"allow_trivial": True})
    side = data.draw(st.text("".join(sorted(rules.symbols_read - {"="})), min_size=1, max_size=8))
    node: Node | None = machine(rules, widest if rules.settings.not_width == "widest" else 0).start
    for sign in side:
        node = node[sign] if node is not None else None
    if node is not None and (node.reached or rules.settings.not_width != "widest"):
        assert node.value == judge(rules, f"{side}={side}").value
    elif rules.settings.not_width != "widest":
        assert judge(rules, f"{side}={side}").value is None
