"""A seat that deviates from the fair dealing in one way, and is honest in everything else.

    cheat(SHARES, lambda deed: changed(deed, "shares", 0, "z"))     a game of Binary Scrabble in which seat 1 does that
    cheat(MOVE, forged, plan=["-", "greedy"], seats=3)                with what the seats play until all pass to the end

A twist gets a `Deed`: what the seat should write, where, and everything it knows. It returns the body it writes
instead. The result is a `Cheated`: either it was refused (`refusal`) or the game was played to its end, and audited.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lantable.dealing import Spent, Turn
from lantable.dealing.egb1 import Ciphertexts, Secrets
from lantable.dealing.fair import FairDeal
from lantable.dealing.fair_dealer import FairDealer
from lantable.errors import IllegalMove, Untrusted
from lantable_replays.audit import Report, audit
from tests.games import Sitting

MOVE: Final = "move"
CROOK: Final = 1
"""The seat that cheats unless said otherwise: neither the first nor, with three, the last to write."""


@dataclass(frozen=True)
class Deed:
    """What a crooked seat is about to write: `body` is what an honest one would."""

    kind: str
    body: dict[str, Any]
    deal: FairDeal
    turn: Turn
    secrets: Secrets
    dealer: FairDealer

    @property
    def stirred(self) -> Ciphertexts:
        """The list that is to be shuffled."""
        assert self.deal.stir is not None
        return self.deal.stir.entries

    @property
    def openings(self) -> Callable[[Sequence[int]], list[dict[str, Any]]]:
        """The seat's own shares of its own slots."""
        return lambda slots: self.dealer._openings(self.deal, self.turn, slots)


Twist = Callable[[Deed], dict[str, Any] | tuple[str, dict[str, Any]]]
"""The body that is written instead, perhaps with another type of event."""


class Crooked:
    """A dealer that is honest but for what a twist makes of events of some types."""

    def __init__(self, honest: FairDealer, secrets: Secrets, kinds: tuple[str, ...], twist: Twist) -> None:
        self.honest, self.secrets, self.kinds, self.twist = honest, secrets, kinds, twist
        # An honest program signs nothing once the commitment in the record is not its own.
        vars(honest)["_mine"] = lambda deal, seat: secrets

    def owes(self, deal: FairDeal, turn: Turn) -> tuple[str, dict[str, Any]]:
        kind, body = self.honest.owes(deal, turn)
        return self._twisted(deal, turn, kind, body)

    def carries(self, deal: FairDeal, turn: Turn, spent: Spent, rack: Sequence[str]) -> dict[str, Any]:
        return self._twisted(deal, turn, MOVE, self.honest.carries(deal, turn, spent, rack))[1]

    def _twisted(self, deal: FairDeal, turn: Turn, kind: str, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        if kind not in self.kinds:
            return kind, body
        made = self.twist(Deed(kind, body, deal, turn, self.secrets, self.honest))
        return made if isinstance(made, tuple) else (kind, made)

    def fault(self, deal: FairDeal, turn: Turn) -> dict[str, Any] | None:
        return self.honest.fault(deal, turn)

    def knows(self, deal: FairDeal, seat: int) -> Sequence[str]:
        return self.honest.knows(deal, seat)

    def seed(self, deal: FairDeal, seat: int) -> bytes | None:
        return self.honest.seed(deal, seat)


class Cheated(Sitting):
    """A fair game of Binary Scrabble with one crooked seat. It stops at the first event that the others refuse."""

    def __init__(
        self, kind: str | tuple[str, ...], twist: Twist, crook: int = CROOK, seats: int = 2, **more: Any
    ) -> None:
        self._cheat = (kind,) if isinstance(kind, str) else kind, twist
        self.crook = crook
        self.refusal: str | None = None
        """The code with which every honest seat refuses what was written."""
        self.refused: tuple[str, dict[str, Any]] | None = None
        """The event it refuses: type and body."""
        super().__init__("binary-scrabble", more.pop("options", "scoreless_limit=1"), seats, fair=True, **more)

    def _dealer(self, seat: int) -> Any:
        honest = super()._dealer(seat)
        assert isinstance(honest, FairDealer)
        return Crooked(honest, honest._secrets[seat], *self._cheat) if seat == self.crook else honest

    def write(self, kind: str, body: dict[str, Any]) -> None:
        if self.refusal is not None:
            return
        author, before = self.table.position.due, self.lines
        try:
            super().write(kind, body)
        except (Untrusted, IllegalMove) as error:
            if self.refusal is None:
                self.refusal, self.refused = error.code, (kind, body)
                self.is_crooked(author, before)

    def is_crooked(self, author: int | None, before: list[bytes]) -> None:
        """Only the crook is refused, and what is refused leaves no trace in the record."""
        assert author == self.crook, f"seat {author} is honest and was refused: {self.refusal} {self.refused}"
        assert self.lines == before

    def follow(self, plan: Sequence[str]) -> "Cheated":
        """Play as planned (a move, `-` and how many tiles to exchange, `easy` or `greedy`), then pass to the end."""
        for move in [*plan, *["pass"] * 100]:
            turn = self.turn
            if self.refusal is not None or turn is None:
                break
            if move in ("easy", "greedy"):
                self.robots(move, 1)
            elif move.startswith("-") and move[1:].isdigit():
                self.move(f"-{self.seen(turn.seat).state.racks[turn.seat][: int(move[1:])]}")
            else:
                self.move(move)
        return self

    @property
    def report(self) -> Report:
        """What anybody finds who has the file alone."""
        return audit(self.data, self.host.rules_for)


def cheat(kind: str | tuple[str, ...], twist: Twist, *, plan: Sequence[str] = ("easy",) * 6, **more: Any) -> Cheated:
    """The game with this one deviation, played as far as it goes."""
    return Cheated(kind, twist, **more).follow(plan)


def changed(deed: Deed, *path: str | int, to: Any = None) -> dict[str, Any]:
    """The honest body with what stands at `path` changed: to a value, or in its last hexadecimal digit but two."""
    return {**deed.body, **_changed(deed.body, path, to)}


def _changed(value: Any, path: Sequence[str | int], to: Any) -> Any:
    if not path:
        return to if to is not None else value[:4] + ("0" if value[4] != "0" else "1") + value[5:]
    here, rest = path[0], path[1:]
    if isinstance(value, Mapping):
        return {**value, here: _changed(value[here], rest, to)}
    return [_changed(item, rest, to) if at == int(here) % len(value) else item for at, item in enumerate(value)]
