"""Computer players: pure functions of rules, view, seat and seed, so that a game against one can be repeated."""

from typing import Any, Final

from lantable.game import Rules
from lantable.keys import sha256
from lantable_dots_and_boxes.state import State

EASY: Final = b"lantable/dots-and-boxes/easy/v1\0"


def easy(rules: Rules[Any], state: State, seat: int, seed: bytes) -> str:
    """Takes a box if one can be taken, any; else draws any line. Looks at nothing else and gives boxes away.

    "Any" is drawn by SHA-256 of the seed and the position, so it is the same on every machine and in every version.
    """
    moves = list(rules.legal(state, seat))
    taking = [move for move in moves if state.completes(state.board.numbers[move])]
    choices = taking or moves
    # A position holds no NUL byte, so the two parts cannot be read in another way.
    drawn = sha256(EASY, seed, b"\0", rules.position(state).encode())
    return choices[int.from_bytes(drawn) % len(choices)]
