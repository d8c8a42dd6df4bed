"""Chance and hidden tiles: what a state wants from the bag, and how the answers come into the record.

Rules never draw. A state says what it *wants*, in order: who starts (`Toss`), tiles for a seat (`Draw`), others for
some given back (`Swap`), what is left on a rack (`Reveal`). A `Dealer` answers, and every answer is an event of the
record like any move, judged by `fold.step` like any move. While something is wanted nobody moves.

    deal.toss   {seat}           who starts
    deal.tiles  {tiles, to}      the tiles a seat gets, in the order drawn
    deal.seed   {seed}           after the game: what all of it was derived from

Event 0 names the dealing, and it stays readable for ever. `seed/1` (seed.py) is for games in which one machine holds
every seat: it commits to a seed before the game, derives every answer from it, and shows it at the end, so that anyone
can recompute the game's chance. It proves that nothing was chosen *during* the game. It hides nothing from the
machine itself, which is why several machines may not use it.

What is judged when: that an answer fits its want, that the bag holds the tiles, and that the seed opens the
commitment are rules of the table and checked at once (here). That an answer is the one the seed gives can be said
only once the seed is known: that is the audit's third level.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Protocol, TypeVar, cast

from lantable.canonical import Fields
from lantable.errors import IllegalMove, Untrusted
from lantable.keys import sha256

S = TypeVar("S")
SEED_BYTES: Final = 32
MAX_TILES: Final = 64
"""Most tiles of one answer: checked before a plugin sees them."""
COMMIT: Final = b"lantable/seed1/commit/v1\0"


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


class Dealt(Protocol[S]):
    """What `game.Rules` has besides, if anything in the game is drawn by chance. Games without need none of it."""

    def bag(self) -> Sequence[str]:
        """Every tile there is at the start; equal tiles are equal texts of at most 16 characters."""
        ...

    def wants(self, state: S) -> Sequence[Want]:
        """What must be answered, in this order, before anybody moves."""
        ...

    def answer(self, state: S, answer: Answer) -> S:
        """The state once its first want was answered."""
        ...


def dealt(rules: object) -> Dealt[Any] | None:
    """The rules' own word on chance, or None if they have none."""
    return cast("Dealt[Any]", rules) if hasattr(rules, "wants") else None


# -- what is named in event 0


@dataclass(frozen=True, slots=True)
class Dealing:
    """How a game is dealt: `seed/1`, with the commitment to its seed (32 bytes)."""

    commit: bytes

    NAME: ClassVar = "seed/1"

    def as_json(self) -> dict[str, Any]:
        return {"commit": self.commit.hex(), "name": self.NAME}

    @classmethod
    def from_json(cls, value: object) -> "Dealing":
        """Raises `Untrusted`."""
        fields = Fields(value, "dealing")
        if (name := fields.text("name", 32)) != cls.NAME:
            raise Untrusted("newer", f"unknown dealing {name!r}: a newer lantable is needed")
        dealing = cls(fields.hex("commit", 32))
        fields.done()
        return dealing


def commitment(seed: bytes) -> bytes:
    """What binds a machine to a seed without showing it (32 bytes)."""
    return sha256(COMMIT, seed)


# -- how far it has come


@dataclass(frozen=True, slots=True)
class Deal:
    """Where the dealing of a game stands. It only ever goes on: a takeback does not turn it back."""

    dealing: Dealing
    bag: tuple[tuple[str, int], ...]
    """(kind, how many) in the bag, in the order in which the rules name the kinds first."""
    answers: int = 0
    seed: bytes | None = None
    """Once shown."""

    @property
    def left(self) -> int:
        """How many tiles are in the bag."""
        return sum(count for _, count in self.bag)


def begun(dealing: Dealing, tiles: Sequence[str]) -> Deal:
    """A deal with all tiles in the bag."""
    return Deal(dealing, tuple((kind, tiles.count(kind)) for kind in dict.fromkeys(tiles)))


def without(deal: Deal, tiles: Sequence[str]) -> Deal:
    """The deal with these tiles taken out of the bag. Raises `IllegalMove("not_in_bag")`."""
    left = dict(deal.bag)
    for tile in tiles:
        if not left.get(tile):
            raise IllegalMove("not_in_bag", "the bag does not hold the tiles that were drawn")
        left[tile] -= 1
    return replace(deal, bag=tuple(left.items()))


def with_back(deal: Deal, tiles: Sequence[str]) -> Deal:
    """The deal with these tiles put back into the bag."""
    left = dict(deal.bag)
    for tile in tiles:
        left[tile] = left.get(tile, 0) + 1
    return replace(deal, bag=tuple(left.items()))


# -- events

EventBody = Mapping[str, Any]


def answered(deal: Deal, want: Want, kind: str, body: EventBody) -> tuple[Deal, Answer]:
    """The deal after an event that answers `want`, and the answer for the rules.

    Raises `Untrusted` if the body is not of its form, `IllegalMove` if it is no answer to what is wanted.
    """
    if kind != _ANSWERED_BY[type(want)]:
        raise IllegalMove("deal", "another answer is wanted from the bag")
    deal, answer = _ANSWERS[kind](deal, want, body)
    return replace(deal, answers=deal.answers + 1), answer


def _toss(deal: Deal, want: Want, body: EventBody) -> tuple[Deal, Answer]:
    fields = Fields(body, TOSS)
    seat = fields.number("seat", 0, 3)
    fields.done()
    if not isinstance(want, Toss) or seat not in want.seats:
        raise IllegalMove("deal", "the lot fell on a seat that was not asked about")
    return deal, seat


def _tiles(deal: Deal, want: Want, body: EventBody) -> tuple[Deal, Answer]:
    fields = Fields(body, TILES)
    items, to = fields.array("tiles", MAX_TILES), fields.number("to", 0, 3)
    fields.done()
    if not all(isinstance(item, str) and 0 < len(item) <= 16 for item in items):
        raise Untrusted("schema", f"{TILES}: tiles are texts of 1 to 16 characters")
    tiles = tuple(map(str, items))
    if not isinstance(want, Draw | Swap) or to != want.seat:
        raise IllegalMove("deal", "the tiles are for another seat than the one that draws")
    if len(tiles) != (want.count if isinstance(want, Draw) else len(want.tiles)):
        raise IllegalMove("deal", "that is not the number of tiles to be drawn")
    if isinstance(want, Draw) and not satisfied(deal, want, tiles):
        raise IllegalMove("deal", "such a rack is dealt again")
    drawn = without(deal, tiles)
    return with_back(drawn, want.tiles) if isinstance(want, Swap) else drawn, tiles


def satisfied(deal: Deal, want: Draw, tiles: Sequence[str]) -> bool:
    """Whether tiles that were drawn may be kept."""
    return any(tile in want.one_of for tile in tiles) or not any(n and kind in want.one_of for kind, n in deal.bag)


def shown(deal: Deal, body: EventBody) -> Deal:
    """The deal once its seed was shown. Raises `Untrusted`, or `IllegalMove` for a seed that was not committed to."""
    fields = Fields(body, SEED)
    seed = fields.hex("seed", SEED_BYTES)
    fields.done()
    if commitment(seed) != deal.dealing.commit:
        raise IllegalMove("seed", "this is not the seed that was committed to before the game")
    return replace(deal, seed=seed)


TOSS: Final = "deal.toss"
TILES: Final = "deal.tiles"
SEED: Final = "deal.seed"
EVENTS: Final = (TOSS, TILES, SEED)
"""Every type of event that deals; only the first two are answers."""
_ANSWERED_BY: Final[dict[type, str]] = {Toss: TOSS, Draw: TILES, Swap: TILES, Reveal: ""}
_ANSWERS: Final[dict[str, Callable[[Deal, Want, EventBody], tuple[Deal, Answer]]]] = {TOSS: _toss, TILES: _tiles}


class Dealer(Protocol):
    """Who answers. Pure: the same question gives the same answer, so a crash in between changes nothing."""

    def owes(self, deal: Deal, want: Want | None, seq: int) -> tuple[str, dict[str, Any]]:
        """Type and body of event `seq`, which answers `want`, or ends the dealing (None)."""
        ...
