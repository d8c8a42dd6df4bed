"""A `Table`: one game being played = the chain of its lines + the position they lead to.

`judge` says what a line would lead to without changing anything, `accept` takes it. Live play, resume,
replay and audit all build their tables here, line by line.
"""

from collections.abc import Callable
from typing import Any

from lantable import fold
from lantable.chain import Chain
from lantable.errors import IllegalMove, Untrusted
from lantable.events import Ack, Event, Offer, Seal, Signed, is_seal, read_event, read_seal
from lantable.fold import Position
from lantable.game import Rules
from lantable.keys import sha256
from lantable.wording import msg

FindRules = Callable[[Offer], Rules[Any]]
"""Rules for an offer, or `UnknownRules`; `Host.rules_for` is the one in use."""


class Table:
    """One game: `chain` (what was written) and `position` (what it means). O(1) a line beside the rules' own cost."""

    def __init__(self, chain: Chain, rules: Rules[Any]) -> None:
        self.chain = chain
        self.position: Position = fold.opening(rules, chain.offer)
        self.acks: dict[int, bytes] = {}
        """Acknowledgements of the last event collected so far, by owner; empty once it is sealed."""

    @classmethod
    def begin(cls, line: bytes, find_rules: FindRules) -> "Table":
        """A table from the bytes of event 0. Raises `Untrusted` or `UnknownRules`."""
        chain = Chain.begin(line)
        return cls(chain, find_rules(chain.offer))

    @classmethod
    def load(cls, lines: list[bytes], find_rules: FindRules) -> "Table":
        """A table from the lines of a record. Raises `Untrusted`, `IllegalMove`, `UnknownRules` or `PluginFault`."""
        if not lines:
            raise Untrusted("chain", "a record without a line")
        table = cls.begin(lines[0], find_rules)
        for line in lines[1:]:
            table.accept(line)
        return table

    @property
    def complete(self) -> bool:
        """The rules expect nothing more and the last event has its K line."""
        return self.position.outcome is not None and self.chain.sealed

    def judge(self, signed: Signed) -> Position:
        """What the event would lead to. Changes nothing.

        Raises `Untrusted` if it is not the author's next line, `IllegalMove` if it is but the rules refuse it.
        """
        self.chain.check(signed)
        return fold.step(self.position, signed.event)

    def add(self, signed: Signed, position: Position) -> None:
        """Take an event together with what `judge` said of it."""
        self.chain.add(signed)
        self.position = position
        self.acks = {}

    def seal(self, seal: Seal) -> None:
        """Take the K line of the last event. Raises `Untrusted`."""
        self.chain.seal(seal)
        self.acks = {}

    def accept(self, line: bytes) -> None:
        """Take one record line of either kind. Raises as `judge` and `seal`."""
        if is_seal(line):
            self.seal(read_seal(line))
        else:
            signed = read_event(line)
            self.add(signed, self.judge(signed))

    def take_ack(self, ack: Ack) -> bool:
        """Collect an acknowledgement of the last event; False if it is not a good and awaited one."""
        chain = self.chain
        fits = not chain.sealed and ack.game == chain.game and ack.seq == chain.seq and ack.seat in chain.awaited()
        if not fits or ack.sha != sha256(chain.last.line) or not ack.by(chain.key(ack.seat)):
            return False
        self.acks[ack.seat] = ack.sig
        return True

    def ready_seal(self) -> Seal | None:
        """The K line of the last event if every awaited acknowledgement is there and it is not yet written."""
        chain = self.chain
        if chain.sealed or frozenset(self.acks) != chain.awaited():
            return None
        return Seal(chain.game, chain.last.h, chain.seq, dict(self.acks))

    def draft(self, kind: str, body: dict[str, Any], t: int, used: int = 0) -> Event:
        """The next event by whoever is due, unsigned. Raises `IllegalMove` if nothing may be written now.

        `used` is how many milliseconds its author took; where nothing is timed the event does not say it.
        """
        due = self.position.due
        if due is None:
            raise IllegalMove("over", msg("the game is over"))
        if not self.chain.sealed:
            raise IllegalMove("wait", msg("the last event is not yet acknowledged by everyone"))
        if self.position.timed:
            body = {**body, "used": used}
        chain = self.chain
        return Event(game=chain.game, prev=chain.next_prev(), seat=due, seq=chain.seq + 1, t=t, type=kind, body=body)
