"""What a drawing is made of, for learners: safe lines, and the chains and loops that decide who must open one."""

from collections.abc import Iterator

from lantable_dots_and_boxes.solver import graph_of, takeable
from lantable_dots_and_boxes.state import State
from lantable_dots_and_boxes.strings import GROUND
from lantable_dots_and_boxes.wording import msg, msgs


def lens(state: State) -> Iterator[str]:
    """Lines to stand beside the picture while a game goes on."""
    if state.mover is None:
        return
    board = state.board
    taken, _, rest = takeable(board, board.full & ~state.lines)
    if taken:
        yield msgs("{n} box can be taken now", "{n} boxes can be taken now", taken)
    safe = sum(gives_nothing(state, state.lines, line) for line in range(len(board.names)) if not state.is_drawn(line))
    yield msgs("{n} line gives no box away", "{n} lines give no box away", safe)
    rows = graph_of(board, rest).rows()
    lengths = {True: list[int](), False: list[int]()}
    for one, other, coins in rows:
        if coins:
            lengths[one == other != GROUND].append(coins)
    if lengths[False]:
        yield msg("chains: {lengths}", lengths=_in_order(lengths[False]))
    if lengths[True]:
        yield msg("loops: {lengths}", lengths=_in_order(lengths[True]))


def _in_order(lengths: list[int]) -> str:
    return " ".join(map(str, sorted(lengths)))


def gives_nothing(state: State, lines: int, line: int) -> bool:
    """Whether no box has three sides after this line that had not before, if these lines are drawn."""
    sides = state.board.sides
    return all((lines & sides[box]).bit_count() < 2 for box in state.board.beside[line])
