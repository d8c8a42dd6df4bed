"""How long it takes to find every legal move, and the best 20, over positions from seeded self-play games.

    python -m bench.generator [GAMES]

plays greedy games from the seeds 0, 1, …, and prints the distribution of times and of the number of moves for full
racks with no blank and with one, then `best(20)` for racks of two blanks and seven random tiles on the same boards,
with the peak memory of the whole process. One process, in the order of play: what was built for one position
may serve the next, as it does for a player. Times are processor time, so that a busy machine distorts them less.
"""

import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from lantable_binary_scrabble.board import Board
from lantable_binary_scrabble.generator import best, moves
from lantable_binary_scrabble.opponents import greedy
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import Draw, Swap, answer, play, start

Timed = tuple[float, int]
"""Milliseconds, and how many moves were found."""


def positions(rules: RuleSet, seed: int) -> Iterator[tuple[Board, str]]:
    """Board and rack before every turn of a greedy game dealt from one shuffled bag."""
    rng = random.Random(seed)
    bag = [tile.code for tile in rules.tiles.values() for _ in range(tile.count)]
    rng.shuffle(bag)
    state = answer(rules, start(rules, 2), 0)
    while True:
        while state.wants:
            want = state.wants[0]
            back = want.tiles if isinstance(want, Swap) else ""
            count = want.count if isinstance(want, Draw) else len(back)
            drawn, bag = bag[:count], [*bag[count:], *back]
            state = answer(rules, state, "".join(drawn))
        if state.to_move is None:
            return
        yield state.board, state.racks[state.turn]
        state = play(rules, state, state.turn, greedy(rules, state, state.turn, b""))


def timed(count: Callable[[], int]) -> Timed:
    """One run of something that counts moves."""
    started = time.process_time()
    found = count()
    return (time.process_time() - started) * 1000, found


def _every(rules: RuleSet, board: Board, rack: str) -> int:
    return sum(1 for _ in moves(rules, board, rack))


def _best(rules: RuleSet, board: Board, rack: str) -> int:
    return len(best(rules, board, rack, 20))


def told(what: str, runs: list[Timed]) -> str:
    """Percentiles of times and counts, one line."""
    times, counts = sorted(ms for ms, _ in runs), sorted(found for _, found in runs)
    at = [min(len(runs) - 1, int(len(runs) * share)) for share in (0.5, 0.9, 0.99, 1)]
    shown = "  ".join(
        f"{name} {times[i]:7.1f} ms {counts[i]:7d}" for name, i in zip(("p50", "p90", "p99", "max"), at, strict=True)
    )
    return f"{what:12} {len(runs):4} positions  {shown}"


def main(games: int) -> None:
    """Print the distributions."""
    rules = RuleSet()
    plain = [tile.code for tile in rules.tiles.values() for _ in range(tile.count) if tile.code != "?"]
    rng = random.Random(2)
    every: dict[int, list[Timed]] = {0: [], 1: []}
    top: list[Timed] = []
    for seed in range(games):
        for board, rack in positions(rules, seed):
            if len(rack) < rules.settings.rack_size:
                continue
            blanks = rack.count("?")
            if blanks in every:
                every[blanks].append(timed(partial(_every, rules, board, rack)))
            two = "??" + "".join(rng.sample(plain, rules.settings.rack_size - 2))
            top.append(timed(partial(_best, rules, board, two)))
    for blanks, runs in every.items():
        if runs:
            print(told(f"{blanks} blanks, all", runs))
    print(told("2 blanks, 20", top))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
