"""Finding the legal moves of Binary Scrabble, and the best 20, over positions of seeded self-play games.

Full racks as they were in those games, without a blank and with one; then, on the same boards, `best(20)` for racks of
two blanks and seven random tiles, under the usual rules, with both house rules, and where NOT looks at the widest
number. One process, in the order of play: what was built for one position may serve the next, as it does for a
player. Times are processor time, so that a busy machine distorts them less.
"""

import random
import resource
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from bench.measure import Distribution, Say, Target
from lantable.dealing import Draw, Swap
from lantable_binary_scrabble.board import Board
from lantable_binary_scrabble.generator import best, moves
from lantable_binary_scrabble.opponents import greedy
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import answer, play, start
from lantable_rotated_equals import TURNED
from lantable_xor_tiles import XOR

GAMES: Final = 4
LIMIT_MS: Final = 1000.0
VARIANTS: Final = {
    "usual rules": RuleSet(),
    "xor tiles and turned equals": RuleSet(changes=[("xor-tiles", XOR), ("rotated-equals", TURNED)]),
    "not_width=widest": RuleSet(options={"not_width": "widest"}),
}


def run(say: Say, games: int = GAMES) -> list[Target]:
    """Milliseconds for every legal move, and for the best 20 with two blanks: at most a second each."""
    rules = VARIANTS["usual rules"]
    size = rules.settings.rack_size
    full = [(board, rack) for seed in range(games) for board, rack in positions(rules, seed) if len(rack) == size]
    for blanks in (0, 1):
        racks = [(board, rack) for board, rack in full if rack.count("?") == blanks]
        found: list[float] = []
        times = [milliseconds(lambda: found.append(_every(rules, *at))) for at in racks]  # noqa: B023 - called at once
        say(str(Distribution(f"all moves, {blanks} blanks", times)))
        say(str(Distribution("  how many there are", found, "moves")))
    targets: list[Target] = []
    for name, varied in VARIANTS.items():
        plain = [tile.code for tile in varied.tiles.values() for _ in range(tile.count) if tile.code != "?"]
        chance = random.Random(2)
        racks = [(board, "??" + "".join(chance.sample(plain, size - 2))) for board, _ in full]
        taken = Distribution(name, [milliseconds(partial(best, varied, board, rack, 20)) for board, rack in racks])
        say(str(taken))
        aim = f"best 20 with two blanks, {name}, within {LIMIT_MS:.0f} ms"
        targets.append(Target(aim, f"at most {taken.at(1):.0f} ms", taken.at(1) <= LIMIT_MS))
    say(f"  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
    return targets


def positions(rules: RuleSet, seed: int) -> Iterator[tuple[Board, str]]:
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


def _every(rules: RuleSet, board: Board, rack: str) -> float:
    return float(sum(1 for _ in moves(rules, board, rack)))
