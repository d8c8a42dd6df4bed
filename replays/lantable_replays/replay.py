"""A record's bytes taken through the chain and the rules, each as far as it is good.

This is what live play does with a peer's lines: `Chain.take`, then `fold.step`. There is no other way to read
a record, so what a replay shows is what the players saw.
"""

from dataclasses import dataclass

from lantable import fold
from lantable.errors import IllegalMove, LantableError, Untrusted
from lantable.fold import Position
from lantable.table import FindRules
from lantable_replays.record import Reading, read


@dataclass(frozen=True, slots=True)
class Replay:
    """`positions[n]` stands after event n. They share their states, so memory is O(events)."""

    reading: Reading
    positions: tuple[Position, ...] = ()
    """Empty if not even event 0 is good, or nobody here knows the rules."""
    illegal: str | None = None
    """Why the rules, or the table's own, refuse event `len(positions)`."""
    unjudged: str | None = None
    """Why nobody here can judge event `len(positions)`: rules not installed, or a plugin that breaks."""

    @property
    def broken(self) -> tuple[int, str] | None:
        """Number of the first event that is not good or cannot be judged, and why; None if there is none."""
        refused = self.illegal or self.unjudged
        if refused is not None:
            return len(self.positions), refused
        fault = self.reading.fault
        return None if fault is None else (fault.seq, fault.detail)


def replay(data: bytes, find_rules: FindRules) -> Replay:
    """Replay a record. Raises `Untrusted` only for bytes that are no record at all, as `record.split`."""
    reading = read(data)
    if reading.chain is None:
        return Replay(reading)
    offer, positions = reading.chain.offer, list[Position]()
    illegal = unjudged = None
    try:
        positions.append(fold.opening(find_rules(offer), offer))
        for signed in reading.chain.events[1:]:
            positions.append(fold.step(positions[-1], signed.event))
    except (IllegalMove, Untrusted) as error:
        illegal = error.detail or error.code
    except LantableError as error:
        unjudged = str(error)
    return Replay(reading, tuple(positions), illegal, unjudged)
