"""Chance and hidden tiles: what a state wants from the bag, and how the answers come into the record.

Rules never draw. A state says what it *wants*, in order: who starts (`Toss`), tiles for a seat (`Draw`), others for
some given back (`Swap`), what is left on a rack (`Reveal`). The dealing answers, and all that it takes to answer is
in events of the record like any move, judged by `fold.step` like any move. While something is wanted nobody moves.

Event 0 names the dealing, and it stays readable for ever:

    seed/1  (seed.py)  one machine holds every seat: all chance comes from one seed, committed to before the game and
                       shown after it. Nothing is chosen during the game; nothing is hidden from that machine.
    egb1/1  (fair.py)  every seat has a share in every draw. Nobody sees another's tiles or the order of the bag,
                       and nobody can choose.

How a dealing is written, so that both go through the one fold:

    Deal     a frozen value: how far the dealing of a game has come, as everybody sees it. It `faces` what is wanted
             now, says which seat is `due` to write for it, takes `events`, and has an `answer` once there is one.
    Dealer   what one home knows besides: its secrets. It says what a seat of its own `owes`, what its moves must
             carry, and what its hidden tiles are. Pure: the same question gives the same answer, so a crash in
             between changes nothing, and the audit asks the same questions once the secrets are known.

A tile that those who look cannot see is `HIDDEN`. A state holds hidden tiles where racks are hidden; what one seat
sees of it in private is the same state with its own tiles `seen` (`Concealing`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar, cast

from lantable.canonical import Json
from lantable.game import Rules

S = TypeVar("S")
HIDDEN: Final = "_"
"""A tile that is there and cannot be seen. No kind of tile is called so."""
MAX_TILES: Final = 64
"""Most tiles of one answer: checked before a plugin sees them."""


# -- what is wanted


@dataclass(frozen=True, slots=True)
class Toss:
    """Which of these seats starts. Answered by one of them."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """So many tiles for a seat. Answered by them.

    With `one_of`, tiles drawn without any of these kinds go back and are drawn anew, as long as the bag holds one.
    """

    seat: int
    count: int
    one_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Swap:
    """Others for the tiles a seat gives back; these go back only once the new ones are drawn. Answered by the new."""

    seat: int
    tiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reveal:
    """What is left on a rack that not everybody sees. Answered by its tiles. Never wanted under `seed/1`."""

    seat: int


Want = Toss | Draw | Swap | Reveal
Answer = int | Sequence[str]
"""A seat, or tiles."""


# -- what rules have besides `game.Rules`, if anything in the game is drawn by chance. Games without need none of it.


class Dealt(Protocol[S]):
    """Rules with a bag."""

    def bag(self) -> Sequence[str]:
        """Every tile there is at the start; equal tiles are equal texts of at most 16 characters."""
        ...

    # A rule that looks at tiles before they are kept (`Draw.one_of`) names its option in `only_alone`.

    def wants(self, state: S) -> Sequence[Want]:
        """What must be answered, in this order, before anybody moves."""
        ...

    def answer(self, state: S, answer: Answer) -> S:
        """The state once its first want was answered."""
        ...


@dataclass(frozen=True, slots=True)
class Spent:
    """Tiles of its rack that a move uses: laid for all to see, or given back without being shown."""

    tiles: tuple[str, ...]
    shown: bool


class Concealing(Dealt[S], Protocol[S]):
    """Rules with racks that only their seats see."""

    def rack(self, state: S, seat: int) -> Sequence[str]:
        """The tiles on a rack, `HIDDEN` where they are not known."""
        ...

    def seen(self, state: S, seat: int, tiles: Sequence[str]) -> S:
        """The state once so many hidden tiles of a rack are known to be these."""
        ...

    def spends(self, state: S, seat: int, move: str) -> Spent:
        """What a move in canonical notation takes off the rack, whether the rack holds it or not."""
        ...

    def written(self, state: S, seat: int, move: str) -> str:
        """A move of this seat, which knows its tiles, as it is written down: without those that others do not see."""
        ...


class Starting(Protocol[S]):
    """Rules without a bag, under which any seat may begin: who does can be drawn by lot."""

    def starts(self, state: S, seat: int) -> S:
        """The opening with another seat to move."""
        ...


class Revealing(Protocol):
    """What they may have besides, for a game that is over and hides nothing any more."""

    def revealed(self, state: Any) -> Any:
        """As `game.Rules.view`, with everything that was hidden from anybody."""
        ...


def revealed(rules: Rules[Any], state: Any, seat: int | None) -> Any:
    """What may be seen of a game that is over: all of it, or as `seat` saw it if the rules reveal nothing."""
    return cast("Revealing", rules).revealed(state) if hasattr(rules, "revealed") else rules.view(state, seat)


def only_alone(rules: object) -> str:
    """The option of these rules that only one machine which deals can keep; "" if there is none or it is off."""
    return cast("str", getattr(rules, "only_alone", ""))


def dealt(rules: object) -> Dealt[Any] | None:
    """The rules' own word on chance, or None if they have none."""
    return cast("Dealt[Any]", rules) if hasattr(rules, "wants") else None


def concealing(rules: object) -> Concealing[Any] | None:
    """The rules' own word on hidden racks, or None if they have none."""
    return cast("Concealing[Any]", rules) if hasattr(rules, "spends") else None


def starting(rules: object) -> Starting[Any] | None:
    """Rules that deal nothing but under which it can be drawn who begins, or None."""
    return cast("Starting[Any]", rules) if hasattr(rules, "starts") and dealt(rules) is None else None


def seen_by(rules: object, state: Any, seat: int, tiles: Sequence[str]) -> Any:
    """The state as a seat sees it that knows its hidden tiles to be these; the state itself if it knows none."""
    hiding = concealing(rules)
    return state if hiding is None or not tiles else hiding.seen(state, seat, tiles)


# -- how a dealing is written


@dataclass(frozen=True, slots=True)
class Turn:
    """Where an event stands or will stand: all that a dealing message may depend on besides the deal and a secret."""

    game: bytes
    prev: bytes
    seat: int
    seq: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The first want answered, and the deal after it."""

    answer: Answer
    deal: "Deal"


@dataclass(frozen=True, slots=True)
class Moved:
    """The deal after an event, and the tiles of a rack that everybody has seen by it."""

    deal: "Deal"
    seat: int = 0
    tiles: tuple[str, ...] = ()


class Deal(Protocol):
    """How far the dealing of a game has come. It only ever goes on: a takeback does not turn it back."""

    @property
    def left(self) -> int:
        """Tiles in the bag that were not yet drawn."""
        ...

    @property
    def count(self) -> int:
        """How many events have changed it: equal counts of one game are equal deals."""
        ...

    @property
    def stopped(self) -> bool:
        """Whether the bag was proved bad, which ends the game."""
        ...

    @property
    def due(self) -> int | None:
        """The seat that must write the next event for it; None if nothing is owed now."""
        ...

    @property
    def slow(self) -> bool:
        """Whether its events take tens of milliseconds to make and to check, so that nobody should wait for them."""
        ...

    def faces(self, wants: Sequence[Want], *, over: bool) -> "Deal":
        """The deal once this is wanted; `over` when play has ended and nothing is wanted but what ends the dealing."""
        ...

    def answer(self) -> Ready | None:
        """The answer to the first of what is wanted, if all that it takes is there."""
        ...

    def take(self, turn: Turn, kind: str, body: Mapping[str, Any]) -> Moved:
        """The deal after one of its own events by the seat that is due. Raises `Untrusted` or `IllegalMove`."""
        ...

    def moved(self, turn: Turn, body: Mapping[str, Any], spent: Spent, rack: Sequence[str]) -> Moved:
        """The deal after a move, whose `body` holds what it must carry besides the move itself.

        Raises `Untrusted` or `IllegalMove`.
        """
        ...

    def left_by(self, game: bytes, seat: int, seed: bytes | None) -> Moved:
        """The deal once a seat has left and, in a dealing of secrets, given its own. Raises `IllegalMove`."""
        ...


class Dealer(Protocol):
    """What one home knows of the dealing of one game. Every `deal` is one that this home's own seats play in."""

    def owes(self, deal: Any, turn: Turn) -> tuple[str, dict[str, Any]]:
        """Type and body of the event with which `turn.seat`, a seat of this home that is due, serves the deal."""
        ...

    def fault(self, deal: Any, turn: Turn) -> dict[str, Any] | None:
        """Body of the event that proves the bag bad, written in place of anything else; None while it is good."""
        ...

    def carries(self, deal: Any, turn: Turn, spent: Spent, rack: Sequence[str]) -> dict[str, Any]:
        """What the body of a move must hold besides the move: `rack` with its hidden tiles, as everybody sees it."""
        ...

    def knows(self, deal: Any, seat: int) -> Sequence[str]:
        """The hidden tiles of a seat's rack, in the order drawn; () if they are not known here."""
        ...

    def seed(self, deal: Any, seat: int) -> bytes | None:
        """The secret a seat gives when it leaves in good order; None where it is not bound to one, or showed it."""
        ...

    def gives(self, deal: Any, turn: Turn, kind: str, body: Mapping[str, Any]) -> bool:
        """Whether an event is what the secrets known here give, byte for byte, as far as it follows from them."""
        ...


class Dealing(Protocol):
    """How a game is dealt, as event 0 names it."""

    @property
    def name(self) -> str: ...

    @property
    def alone(self) -> bool:
        """Whether it is only for games in which one key plays every seat."""
        ...

    def as_json(self) -> Json: ...

    def begun(self, seats: int, tiles: Sequence[str]) -> Deal:
        """A deal with all tiles in the bag."""
        ...


def short(spent: Sequence[str], rack: Sequence[str]) -> Counter[str]:
    """What of the tiles spent must come from the hidden ones of a rack."""
    return Counter(spent) - Counter(tile for tile in rack if tile != HIDDEN)
