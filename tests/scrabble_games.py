"""Helpers for Binary Scrabble tests: random rule sets and positions, and a slow but simple list of legal placements."""

import random
from collections.abc import Iterator
from itertools import permutations, product

from hypothesis import strategies as st

from lantable.errors import IllegalMove
from lantable.game import Choice, Flag, OptionValue
from lantable_binary_scrabble.board import EMPTY, SIZE, Board
from lantable_binary_scrabble.generator import moves
from lantable_binary_scrabble.placement import Placement, judge_laid
from lantable_binary_scrabble.ruleset import BINARY, NUMBER, OPTIONS, RuleSet
from lantable_binary_scrabble.tables import Bracket, Change, Tile
from lantable_rotated_equals import TURNED
from lantable_xor_tiles import XOR

BRACKETS = Change(tiles=(Tile("[", 3, 1), Tile("]", 3, 1)), brackets=(Bracket("[", "]"),))
CHANGES = (("xor-tiles", XOR), ("rotated-equals", TURNED), ("brackets", BRACKETS))
_VARIED = (
    "leading_zeros",
    "negatives",
    "not_chain",
    "division",
    "precedence",
    "allow_trivial",
    "allow_x1",
    "allow_pm0",
)
_ALSO = ("allow_logic_id", "allow_div1", "and1", "allow_chained_id", "cross_runs", "bonus")


def _values(name: str) -> list[OptionValue]:
    option = next(option for option in OPTIONS if option.name == name)
    if isinstance(option, Flag):
        return [False, True]
    assert isinstance(option, Choice)
    return list(option.choices)


@st.composite
def rule_sets(draw: st.DrawFn, kinds: tuple[str, ...] = ("binary", "binary", "binary", "number")) -> RuleSet:
    """A rule set with some options and house rules chosen at random."""
    binary = draw(st.sampled_from(kinds)) == "binary"
    names = draw(st.lists(st.sampled_from(_VARIED + _ALSO), max_size=5, unique=True))
    options: dict[str, OptionValue] = {name: draw(st.sampled_from(_values(name))) for name in names}
    if draw(st.booleans()):
        options["not_width"] = draw(st.sampled_from(["widest", "fixed:1", "fixed:3"]))
    if draw(st.integers(0, 4)) == 0:
        options["max_new_equals"] = 2
    if not binary and options.get("precedence") == "pascal":
        del options["precedence"]
    changes = draw(st.lists(st.sampled_from(CHANGES if binary else CHANGES[2:]), max_size=2, unique_by=lambda c: c[0]))
    return RuleSet(BINARY if binary else NUMBER, options, changes)


def random_position(rules: RuleSet, seed: int, plies: int, tiles: int) -> tuple[Board, str]:
    """A board after some random legal moves, and a rack of so many tiles."""
    rng = random.Random(seed)
    bag = [tile.code for tile in rules.tiles.values() for _ in range(tile.count)]
    board = Board()
    for _ in range(plies):
        found = sorted(moves(rules, board, "".join(rng.sample(bag, 6))))
        if found:
            board = board.with_tiles(rng.choice(found).placement.on(board))
    return board, "".join(sorted(rng.sample(bag, tiles)))


def by_trying_everything(rules: RuleSet, board: Board, rack: str) -> dict[tuple[int, int, bool, str], int]:
    """Every legal placement and its score, by asking `judge_laid` about every row of tiles on every square."""
    showing: dict[str, list[str]] = {}
    for symbol, tile in rules.tile_of.items():
        showing.setdefault(tile, []).append(symbol)
    found: dict[tuple[int, int, bool, str], int] = {}
    for count in range(1, len(rack) + 1):
        rows = {row for tiles in set(permutations(rack, count)) for row in product(*(showing[tile] for tile in tiles))}
        for place in _places(board, count):
            for row in rows:
                placement = Placement(*place, "".join(row))
                try:
                    found[(*place, placement.tiles)] = judge_laid(rules, board, rack, placement.on(board)).score
                except IllegalMove:
                    continue
    return found


def _places(board: Board, count: int) -> Iterator[tuple[int, int, bool]]:
    for row, col, across in product(range(SIZE), range(SIZE), (True, False)):
        if board.at(row, col) != EMPTY or (count == 1 and not across):
            continue
        try:
            laid = Placement(row, col, across, "0" * count).on(board)
        except IllegalMove:
            continue
        if board.empty or any(board.touches(tile.row, tile.col) for tile in laid):
            yield row, col, across
