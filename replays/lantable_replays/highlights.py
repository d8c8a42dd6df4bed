"""The moments of a game that somebody who looks at its record may want to jump to. No game is named here.

What is told is read off positions alone: who was to move, and how the scores stood.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from lantable.dealing.kinds import EVENTS
from lantable.fold import Position
from lantable.game import Outcome

MANY: Final = 20
"""Points at once that are worth a mark."""


class Highlight(NamedTuple):
    """Why an event is marked.

    `kind` is the event's own type if it is no move (`resign`, `takeback`, …), `again` (the same seat moves on), `lead`
    (another seat leads alone), `points` (many at once), `end` (the game is over).
    """

    seq: int
    kind: str
    seat: int
    points: int = 0


def highlights(positions: Sequence[Position]) -> tuple[Highlight, ...]:
    """Every mark, in the order of the events; an event may have several. O(positions), each standing asked once."""
    found: list[Highlight] = []
    try:
        leader: int | None = None
        standing = _standing(positions[0])
        for before, after in pairwise(positions):
            last, now = after.last, _standing(after)
            if last is not None and last.type not in EVENTS:
                found += _of_event(before, after, standing, now)
                alone = now.winners[0] if len(now.winners) == 1 and len(set(now.scores)) > 1 else None
                if alone is not None and alone != leader and last.type == "move":
                    found += [Highlight(after.seq, "lead", alone)] if leader is not None else []
                    leader = alone
            standing = now
    except Exception:  # noqa: BLE001, S110 - a stranger's code: where it breaks, what was found so far stands
        pass
    return tuple(found)


def _of_event(before: Position, after: Position, was: Outcome, now: Outcome) -> Iterator[Highlight]:
    last = after.last
    assert last is not None  # noqa: S101 - the caller asked
    if last.type != "move":
        yield Highlight(after.seq, last.type, last.seat)
    else:
        gained = now.scores[last.seat] - was.scores[last.seat]
        if gained >= MANY:
            yield Highlight(after.seq, "points", last.seat, gained)
        if after.mover == last.seat and len(after.owners) > 1:
            yield Highlight(after.seq, "again", last.seat)
    if after.outcome is not None and before.outcome is None:
        yield Highlight(after.seq, "end", last.seat)


def _standing(position: Position) -> Outcome:
    return position.outcome or position.rules.standing(position.state)
