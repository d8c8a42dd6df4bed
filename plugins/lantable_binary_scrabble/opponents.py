"""Computer players. They see one seat's rack and the board, and the same seed gives the same move."""

import random

from lantable_binary_scrabble.board import Board
from lantable_binary_scrabble.generator import best, moves
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import PASS, Exchange, Move, Pending, State, Word

_ACCEPT = Word("accept")
_CHALLENGE = Word("challenge")


def easy(rules: RuleSet, state: State, seat: int, seed: bytes) -> Move:
    """Any legal placement, each as likely as the other; if there is none, it exchanges or passes."""
    reply = _reply(state)
    if reply is not None:
        return reply
    rng = random.Random(seed)  # noqa: S311 - a game move, not a secret
    chosen = None
    # Reservoir sampling: one pass over a stream of unknown length, nothing kept.
    for seen, move in enumerate(moves(rules, state.board, _seen(state, seat)), 1):
        if rng.randrange(seen) == 0:
            chosen = move
    return chosen.placement if chosen else _otherwise(rules, state, seat)


def greedy(rules: RuleSet, state: State, seat: int, seed: bytes) -> Move:
    """The placement that scores most; if there is none, it exchanges or passes."""
    reply = _reply(state)
    if reply is not None:
        return reply
    found = best(rules, state.board, _seen(state, seat), 1)
    return found[0].placement if found else _otherwise(rules, state, seat)


def hints(rules: RuleSet, board: Board, rack: str, count: int) -> list[Move]:
    """The `count` highest-scoring placements from a rack that is known."""
    return [move.placement for move in best(rules, board, rack, count)]


def _seen(state: State, seat: int) -> str:
    return state.racks[seat].replace("_", "")


def _reply(state: State) -> Move | None:
    """What to say to a play under a challenge rule: challenge exactly those that are wrong."""
    pending: Pending | None = state.pending
    if pending is not None and not pending.legal:
        return _CHALLENGE
    return _ACCEPT if state.phase == "answer" else None


def _otherwise(rules: RuleSet, state: State, seat: int) -> Move:
    """No placement: all tiles go back if the bag allows it, since dead racks stay dead."""
    rack = _seen(state, seat)
    return Exchange(rack) if rack and state.bag >= rules.settings.rack_size else PASS
