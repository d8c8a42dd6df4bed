"""Walking to and fro in a record: every position there is, and the event that led to it.

A broken record may be looked at too: the cursor ends at its last good event, and `broken` says why.
"""

from lantable.dealing import Dealer
from lantable.dealing.kinds import shown
from lantable.errors import Misuse, UnknownRules, Untrusted
from lantable.events import Offer, Signed
from lantable.fold import Position
from lantable.private import eyes
from lantable.table import FindRules
from lantable.wording import msg
from lantable_replays.replay import replay


class Cursor:
    """A place in a record. `len` counts its positions: event 0 and every good event after it. Moving is O(1)."""

    def __init__(self, data: bytes, find_rules: FindRules) -> None:
        """At event 0. Raises `Untrusted` if that is not good, `UnknownRules` if its rules are not installed here."""
        self.replay = replay(data, find_rules)
        chain = self.replay.reading.chain
        if chain is None:
            fault = self.replay.reading.fault
            raise Untrusted(fault.code, str(fault)) if fault else Untrusted("empty", msg("the record holds no event"))
        if not self.replay.positions:
            raise UnknownRules(self.replay.unjudged or self.replay.illegal or "")
        self.chain = chain
        deal = self.replay.positions[-1].deal
        self._dealer: Dealer | None = None if deal is None else shown(chain.game, deal)[0]
        self._seen: dict[int, Position] = {}
        self.at = 0
        """Number of the event just played."""

    def __len__(self) -> int:
        return len(self.replay.positions)

    @property
    def offer(self) -> Offer:
        return self.chain.offer

    @property
    def position(self) -> Position:
        """Where the game stands here, with every rack seen whose seat has shown its secret by the end of the record."""
        if self.at not in self._seen:
            position = self.replay.positions[self.at]
            self._seen[self.at] = eyes(position, self._dealer, range(len(self.offer.seats)))
        return self._seen[self.at]

    @property
    def event(self) -> Signed:
        """The event just played; its K line is `chain.seals[at]` if it has one."""
        return self.chain.events[self.at]

    @property
    def broken(self) -> tuple[int, str] | None:
        """Number of the first event that is not good, and why; None for a record that is good throughout."""
        return self.replay.broken

    def forward(self) -> bool:
        """One event on; False, and no step, at the last good one."""
        return self._to(self.at + 1)

    def back(self) -> bool:
        """One event back; False, and no step, at event 0."""
        return self._to(self.at - 1)

    def seek(self, seq: int) -> None:
        """To just after event `seq`. Raises `Misuse` if there is no such event."""
        if not self._to(seq):
            raise Misuse(
                msg("there is no event {seq} to go to; this record has events 0 to {last}", seq=seq, last=len(self) - 1)
            )

    def _to(self, seq: int) -> bool:
        there = 0 <= seq < len(self)
        if there:
            self.at = seq
        return there
