"""What one home makes of a position with what it knows of the dealing: the tiles it sees, and how it writes its moves.

Nothing from here goes into a fold. A position stays what everybody can compute; what only one seat sees is laid over
it for the person, and taken off again before a move is written down.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lantable.dealing import Dealer, Turn, concealing, seen_by
from lantable.fold import Position


def eyes(position: Position, dealer: Dealer | None, seats: Iterable[int]) -> Position:
    """The position with the hidden tiles of these seats seen, as far as the dealer knows them. For the person only."""
    deal, state = position.deal, position.state
    if dealer is None or deal is None or concealing(position.rules) is None:
        return position
    for seat in seats:
        state = seen_by(position.rules, state, seat, dealer.knows(deal, seat))
    return replace(position, state=state)


def move_body(position: Position, dealer: Dealer | None, turn: Turn, move: str) -> dict[str, Any]:
    """The body of a move: without what others may not know, and with the proofs of what they may.

    The move is first judged in private, as its reason may speak of tiles that only its seat sees. Raises `IllegalMove`.
    """
    hiding, deal = concealing(position.rules), position.deal
    if hiding is None or deal is None or dealer is None:
        return {"move": move}
    private = eyes(position, dealer, [turn.seat]).state
    position.rules.play(private, turn.seat, position.rules.parse(move))
    spent, rack = hiding.spends(private, turn.seat, move), hiding.rack(position.state, turn.seat)
    return {"move": hiding.written(position.state, turn.seat, move), **dealer.carries(deal, turn, spent, rack)}
