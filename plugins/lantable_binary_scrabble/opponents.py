"""Computer players. They see one seat's rack and the board, and the same seed gives the same move.

`pause` is called again and again while they think, and may raise to end it.
"""

from collections.abc import Callable
from typing import Final

from lantable.dealing import HIDDEN
from lantable.keys import sha256
from lantable_binary_scrabble.generator import best, moves, nothing
from lantable_binary_scrabble.notation import show_position
from lantable_binary_scrabble.parts import Pause
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import (
    ACCEPT,
    CHALLENGE,
    PASS,
    Exchange,
    Move,
    Pending,
    State,
    bag_after_pending,
)

Player = Callable[[RuleSet, State, int, bytes, Pause], Move]
EASY: Final = b"lantable/binary-scrabble/easy/v1\0"


def easy(rules: RuleSet, state: State, seat: int, seed: bytes, pause: Pause = nothing) -> Move:
    """Any legal placement, each as likely as the other; if there is none, it exchanges or passes.

    "Any" is drawn by SHA-256 of the seed and what the seat sees, so it is the same on every machine.
    """
    reply = _reply(state)
    if reply is not None:
        return reply
    start = sha256(EASY, seed, b"\0", show_position(state).encode())
    chosen = None
    # Reservoir sampling: one pass over a stream of unknown length, nothing kept.
    for seen, move in enumerate(moves(rules, state.board, _seen(state, seat), pause), 1):
        if int.from_bytes(sha256(start, seen.to_bytes(8))[:8]) % seen == 0:
            chosen = move
    return chosen.placement if chosen else _otherwise(rules, state, seat)


def greedy(rules: RuleSet, state: State, seat: int, seed: bytes, pause: Pause = nothing) -> Move:
    """The placement that scores most, or one of several; if there is none, it exchanges or passes."""
    reply = _reply(state)
    if reply is not None:
        return reply
    found = best(rules, state.board, _seen(state, seat), 1, pause)
    return found[0].placement if found else _otherwise(rules, state, seat)


def _seen(state: State, seat: int) -> str:
    return state.racks[seat].replace(HIDDEN, "")


def _reply(state: State) -> Move | None:
    """What to say to a play under a challenge rule: challenge exactly those that are wrong."""
    pending: Pending | None = state.pending
    if pending is not None and not pending.legal:
        return CHALLENGE
    return ACCEPT if state.phase == "answer" else None


def _otherwise(rules: RuleSet, state: State, seat: int) -> Move:
    """No placement: all tiles go back if the bag allows it, since dead racks stay dead."""
    rack = _seen(state, seat)
    return Exchange(rack) if rack and bag_after_pending(rules, state) >= rules.settings.rack_size else PASS
