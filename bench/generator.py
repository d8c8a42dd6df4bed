"""Finding the legal moves of Binary Scrabble, and the best 20, over positions of seeded self-play games.

Boards and full racks as they were in games of the greedy player: every move without a blank, with one, and with two;
and the best 20. Racks with two blanks are rare in play, so there two blanks and seven tiles by lot are put on the
same boards: under the usual rules, every preset, both house rules, where NOT looks at the widest number, all of that
together, and in Number Scrabble on boards of its own. One process, in the order of play: what was kept of one
position may serve the next, as it does for a player. Times are processor time, so that a busy machine distorts them
less.
"""

import random
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Final

from bench.measure import Distribution, Say, Target
from lantable.dealing import Draw, Swap
from lantable_binary_scrabble.board import Board
from lantable_binary_scrabble.generator import best, moves
from lantable_binary_scrabble.opponents import greedy
from lantable_binary_scrabble.ruleset import NUMBER, PRESETS, RuleSet
from lantable_binary_scrabble.state import answer, play, start
from lantable_rotated_equals import TURNED
from lantable_xor_tiles import XOR

GAMES: Final = 10
FEW: Final = 12
"""Positions in which every move with two blanks is listed: there are a hundred thousand."""
SOME: Final = 40
"""Positions in which the best 20 with two blanks are looked for, under each rule set."""
BOTH: Final = [("xor-tiles", XOR), ("rotated-equals", TURNED)]
VARIANTS: Final = {
    "standard": RuleSet(),
    "training": RuleSet(options=PRESETS["training"]),
    "strict": RuleSet(options=PRESETS["strict"]),
    "both house rules": RuleSet(changes=BOTH),
    "not_width=widest": RuleSet(options={"not_width": "widest"}),
    "both house rules, not_width=widest": RuleSet(options={"not_width": "widest"}, changes=BOTH),
}
Position = tuple[Board, str]


def run(say: Say, games: int = GAMES) -> list[Target]:
    """Milliseconds for every legal move, and for the best 20."""
    rules = VARIANTS["standard"]
    full = list(_full(rules, games))
    listed = {blanks: _all_moves(say, rules, _with(full, blanks), f"{blanks} blanks") for blanks in (0, 1)}
    _all_moves(say, rules, [(board, _rack(rules, board)) for board, _ in full[:FEW]], "2 blanks")
    targets = [
        _target("every move without a blank, median", listed[0].at(0.5), 25),
        _target("every move without a blank, p99", listed[0].at(0.99), 300),
        _target("every move with one blank, p90", listed[1].at(0.9), 600),
    ]
    for blanks in (0, 1):
        _best(say, rules, _with(full, blanks), f"best 20, {blanks} blanks")
    for name, varied in VARIANTS.items():
        racks = [(board, _rack(varied, board)) for board, _ in full[:SOME]]
        taken = _best(say, varied, racks, f"best 20, 2 blanks, {name}")
        targets.append(_target(f"best 20 with two blanks, {name}", taken.at(1), 1000))
    number = RuleSet(NUMBER)
    racks = [(board, _rack(number, board)) for board, _ in islice(_full(number, games), SOME)]
    taken = _best(say, number, racks, "best 20, 2 blanks, number-scrabble")
    targets.append(_target("best 20 with two blanks, number-scrabble", taken.at(1), 1000))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    say(f"  peak memory {memory} MB")
    return [*targets, Target("peak memory within 200 MB", f"{memory} MB", memory <= 200)]


def _target(aim: str, found: float, most: float) -> Target:
    return Target(f"{aim}, within {most:.0f} ms", f"{found:.0f} ms", found <= most)


def _full(rules: RuleSet, games: int) -> Iterator[Position]:
    """Positions with full racks."""
    for seed in range(games):
        yield from (at for at in positions(rules, seed) if len(at[1]) == rules.settings.rack_size)


def _with(found: list[Position], blanks: int) -> list[Position]:
    return [(board, rack) for board, rack in found if rack.count("?") == blanks]


def _rack(rules: RuleSet, board: Board) -> str:
    """Two blanks and other tiles by lot, always the same for a board."""
    plain = [tile.code for tile in rules.tiles.values() for _ in range(tile.count) if tile.code != "?"]
    return "??" + "".join(random.Random(board.squares).sample(plain, rules.settings.rack_size - 2))


def _all_moves(say: Say, rules: RuleSet, racks: list[Position], name: str) -> Distribution:
    found: list[float] = []

    def count(board: Board, rack: str) -> None:
        found.append(float(sum(1 for _ in moves(rules, board, rack))))

    taken = Distribution(f"all moves, {name}", [milliseconds(partial(count, *at)) for at in racks])
    say(str(taken))
    say(str(Distribution("  how many there are", found, "moves")))
    return taken


def _best(say: Say, rules: RuleSet, racks: list[Position], name: str) -> Distribution:
    taken = Distribution(name, [milliseconds(partial(best, rules, board, rack, 20)) for board, rack in racks])
    say(str(taken))
    return taken


def positions(rules: RuleSet, seed: int) -> Iterator[Position]:
    """Board and rack before every turn of a greedy game dealt from one shuffled bag."""
    rng = random.Random(seed)
    bag = [tile.code for tile in rules.tiles.values() for _ in range(tile.count)]
    rng.shuffle(bag)
    state = answer(rules, start(rules, 2), 0)
    while True:
        while state.wants:
            want = state.wants[0]
            back = want.tiles if isinstance(want, Swap) else ()
            count = want.count if isinstance(want, Draw) else len(back)
            drawn, bag = bag[:count], [*bag[count:], *back]
            state = answer(rules, state, "".join(drawn))
        if state.to_move is None:
            return
        yield state.board, state.racks[state.turn]
        state = play(rules, state, state.turn, greedy(rules, state, state.turn, b""))


def milliseconds(do: Callable[[], object]) -> float:
    """Processor time of one run."""
    started = time.process_time()
    do()
    return (time.process_time() - started) * 1000
