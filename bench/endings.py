"""How long the expert of Dots and Boxes thinks, and what that is worth.

Every move of games against the careful player, each beginning half of them, on three boards. One process, and nothing
is kept from move to move. Times are processor time, so that a busy machine distorts them less.
"""

import time
from collections.abc import Callable
from typing import Final

from bench.measure import Distribution, Say, Target
from lantable_dots_and_boxes.board import board
from lantable_dots_and_boxes.opponents import careful, expert
from lantable_dots_and_boxes.rules import DotsAndBoxes
from lantable_dots_and_boxes.state import State, opening

GAMES: Final = {(3, 3): 10, (5, 5): 10, (8, 8): 2}
PLAYERS: Final[tuple[Callable[[DotsAndBoxes, State, int, bytes], str], ...]] = (expert, careful)


def run(say: Say) -> list[Target]:
    """Milliseconds a move: at most a second on 5x5. Boxes won by, against the careful player."""
    targets: list[Target] = []
    for (rows, cols), games in GAMES.items():
        rules = DotsAndBoxes(board(rows, cols))
        times: list[float] = []
        margins = [_margin(rules, game, times) for game in range(games)]
        taken = Distribution(f"the expert's moves on {rows}x{cols}", times)
        say(str(taken))
        say(str(Distribution("  boxes won by against the careful", margins, "boxes")))
        if (rows, cols) == (5, 5):
            targets.append(Target("an expert's move on 5x5 within 1 s", f"{taken.at(1):.0f} ms", taken.at(1) <= 1000))
            won = sum(margin > 0 for margin in margins)
            targets.append(Target("it wins nine of ten against the careful", f"{won} of {games}", won >= 0.9 * games))
    return targets


def _margin(rules: DotsAndBoxes, game: int, times: list[float]) -> float:
    """By how much the expert wins one game; its times are added to `times`."""
    state, ours = opening(rules.board, 2), game % 2
    while state.mover is not None:
        started = time.process_time()
        move = PLAYERS[state.mover != ours](rules, state, state.mover, game.to_bytes(4))
        if state.mover == ours:
            times.append((time.process_time() - started) * 1000)
        state = rules.play(state, state.mover, move)
    return float(state.boxes_held[ours] - state.boxes_held[1 - ours])
