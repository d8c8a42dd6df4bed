"""Computer players: pure functions of rules, view, seat and seed, so that a game against one can be repeated.

easy     takes a box where it can, and gives boxes away without looking
careful  also gives none away while there is another line, and then as few as it can
expert   plays two-player endings perfectly (solver.py), and looks for a good one before

What is chosen by lot is drawn by SHA-256 of the seed and the position, so it is the same on every machine.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from lantable.game import Rules
from lantable.keys import sha256
from lantable_dots_and_boxes.lens import gives_nothing
from lantable_dots_and_boxes.solver import Solver, TooLong, takeable
from lantable_dots_and_boxes.state import State

EASY: Final = b"lantable/dots-and-boxes/easy/v1\0"
CAREFUL: Final = b"lantable/dots-and-boxes/careful/v1\0"
EXPERT: Final = b"lantable/dots-and-boxes/expert/v1\0"
PERFECT: Final = 12_000
"""Steps of the solver that a perfect move may take: about half a second."""
ROUNDS: Final = 12
"""Endings that are tried for each line while the game cannot be solved."""
ENDINGS: Final = 8_000
"""Steps for all of these together."""
BUSY: Final = 40
"""While more lines than this give nothing away, nobody can tell which of them is best."""


def easy(rules: Rules[Any], state: State, seat: int, seed: bytes) -> str:
    """Takes a box if one can be taken, any; else draws any line. Looks at nothing else and gives boxes away."""
    moves = list(rules.legal(state, seat))
    taking = [move for move in moves if state.completes(state.board.numbers[move])]
    choices = taking or moves
    return choices[_lot(EASY, rules, state, seed) % len(choices)]


def careful(rules: Rules[Any], state: State, seat: int, seed: bytes) -> str:
    """Takes a box if one can be taken; else draws a line that gives none away; else one that gives away the fewest."""
    lines = [line for line in range(len(state.board.names)) if not state.is_drawn(line)]
    good = [line for line in lines if state.completes(line)] or _safe(state, lines)
    if not good:
        gifts = {line: takeable(state.board, state.board.full & ~(state.lines | 1 << line))[0] for line in lines}
        good = [line for line in lines if gifts[line] == min(gifts.values())]
    return state.board.names[good[_lot(CAREFUL, rules, state, seed) % len(good)]]


def expert(rules: Any, state: State, seat: int, seed: bytes) -> str:
    """Plays perfectly where two are left and the ending is not too long; else as good as it can tell.

    `rules` are this game's, with their `pause`.
    """
    if len(state.seats_in) != 2:
        return careful(rules, state, seat, seed)
    lines = [line for line in range(len(state.board.names)) if not state.is_drawn(line)]
    safe = _safe(state, lines)
    if len(safe) <= BUSY:
        try:
            return state.board.names[_perfect(state, lines, rules.pause)]
        except TooLong:
            pass
    if len(safe) > BUSY or len(safe) < 2 or any(map(state.completes, lines)):
        return careful(rules, state, seat, seed)
    return state.board.names[_promising(state, safe, _lot(EXPERT, rules, state, seed), rules.pause)]


def _perfect(state: State, lines: Sequence[int], pause: Callable[[], None]) -> int:
    """The first of the best lines. Raises `TooLong`."""
    solver = Solver(state.board, PERFECT, pause)
    margin = solver.margin(state.lines)
    return next(line for line in lines if solver.after(state.lines, line) == margin)


def _promising(state: State, safe: Sequence[int], lot: int, pause: Callable[[], None]) -> int:
    """The line after which random play that gives nothing away ends best on the average, once all else is perfect.

    Who must open the first chain decides most games: it is seen here without being counted.
    """
    solver = Solver(state.board, ENDINGS, pause)
    sums = dict.fromkeys(_shuffled(safe, lot), 0)
    best = next(iter(sums))
    for round_ in range(ROUNDS):
        try:
            for line in sums:
                sums[line] += _ending(state, line, solver, lot ^ 1 + round_ * len(state.board.names) + line)
        except TooLong:
            break
        best = max(sums, key=sums.__getitem__)
    return best


def _ending(state: State, line: int, solver: Solver, lot: int) -> int:
    """What the mover of `line` comes to if both draw lines that give nothing away, by lot, while there are any."""
    board, lines, ours = state.board, state.lines | 1 << line, False
    for other in _shuffled(range(len(board.names)), lot):
        if not lines >> other & 1 and gives_nothing(state, lines, other):
            lines, ours = lines | 1 << other, not ours
    return solver.margin(lines) if ours else -solver.margin(lines)


def _safe(state: State, lines: Sequence[int]) -> list[int]:
    return [line for line in lines if gives_nothing(state, state.lines, line)]


def _shuffled(lines: Iterable[int], lot: int) -> list[int]:
    """Lines in an order by lot."""
    start = lot.to_bytes(32)
    return sorted(lines, key=lambda line: sha256(start, bytes([line // 256, line % 256])))


def _lot(name: bytes, rules: Rules[Any], state: State, seed: bytes) -> int:
    # A position holds no NUL byte, so the parts cannot be read in another way.
    return int.from_bytes(sha256(name, seed, b"\0", rules.position(state).encode()))
