"""Lay: a toy game with a bag and hidden racks, so that dealing is tried on a game of a few tiles.

Every seat holds two tiles. A move lays one (`a`), shows one and keeps it (`a!`), exchanges some for others (`-ab`), or
passes. Play ends when a rack is empty, or all have passed in turn; then racks are shown, and most points win. A tile
laid is a point, a tile left is one less. Whoever withdraws keeps its tiles out of play.

Tiles on others' racks are `HIDDEN`. A rack of this state is a text of tiles in order, seen ones before hidden ones.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from lantable.canonical import Json
from lantable.dealing import HIDDEN, Answer, Draw, Reveal, Spent, Swap, Toss, Want
from lantable.errors import IllegalMove
from lantable.game import Cell, Game, HouseRule, Number, OptionValue, Outcome, Picture, Rules
from lantable.hookspecs import hookimpl

RACK = 2


@dataclass(frozen=True, slots=True)
class Laying:
    """`bag` counts the tiles that are there once everything wanted is drawn."""

    racks: tuple[str, ...]
    bag: int
    wants: tuple[Want, ...]
    laid: str = ""
    points: tuple[int, ...] = ()
    turn: int = 0
    passes: int = 0
    out: tuple[int, ...] = ()
    phase: str = "play"

    def seats_in(self) -> list[int]:
        return [seat for seat in range(len(self.racks)) if seat not in self.out]


@dataclass(frozen=True, slots=True)
class Lay:
    """The rules for a bag of so many tiles of four kinds."""

    tiles: str

    def start(self, seats: int) -> Laying:
        racks = ("",) * seats
        return Laying(racks, len(self.tiles), (Toss(tuple(range(seats))),), points=(0,) * seats)

    def to_move(self, state: Laying) -> int | None:
        return state.turn if state.phase == "play" and not state.wants else None

    # -- the bag

    def bag(self) -> Sequence[str]:
        return tuple(self.tiles)

    def wants(self, state: Laying) -> Sequence[Want]:
        return state.wants

    def answer(self, state: Laying, answer: Answer) -> Laying:
        want, state = state.wants[0], replace(state, wants=state.wants[1:])
        if isinstance(answer, int):
            state = replace(state, turn=answer)
            for seat in [*state.seats_in(), *state.seats_in()]:
                state = _drawing(state, seat, 1) if seat in state.seats_in() else state
            return state
        assert not isinstance(want, Toss)
        if isinstance(want, Reveal):
            assert HIDDEN not in answer and sorted(answer) == sorted(state.racks[want.seat])
        else:
            state = _with_rack(state, want.seat, state.racks[want.seat] + "".join(answer))
        return _settled(state) if state.phase == "shown" else state

    def rack(self, state: Laying, seat: int) -> Sequence[str]:
        return tuple(state.racks[seat])

    def seen(self, state: Laying, seat: int, tiles: Sequence[str]) -> Laying:
        rack = state.racks[seat]
        assert rack.count(HIDDEN) >= len(tiles)
        return _with_rack(state, seat, rack.replace(HIDDEN, "", len(tiles)) + "".join(tiles))

    def spends(self, state: Laying, seat: int, move: str) -> Spent:
        return Spent(tuple(re.sub("[-!]|pass", "", move)), shown=not move.startswith("-"))

    def written(self, state: Laying, seat: int, move: str) -> str:
        if not move.startswith("-"):
            return move
        named = Counter(move[1:]) & Counter(state.racks[seat].replace(HIDDEN, ""))
        return "-" + "".join(sorted([*named.elements(), *HIDDEN * (len(move) - 1 - named.total())]))

    # -- turns

    def play(self, state: Laying, seat: int, move: str) -> Laying:
        if move == "pass":
            return _next(replace(state, passes=state.passes + 1))
        tiles = "".join(self.spends(state, seat, move).tiles)
        left = without(state.racks[seat], tiles)
        if left is None:
            raise IllegalMove("not_in_rack", "the rack does not hold that")
        if move.startswith("-"):
            if state.bag < len(tiles):
                raise IllegalMove("bag_low", "the bag does not hold as many")
            state = replace(_with_rack(state, seat, left), wants=(*state.wants, Swap(seat, tuple(tiles))))
            return _next(replace(state, passes=0))
        if move.endswith("!"):
            return _next(replace(_with_rack(state, seat, left + tiles), passes=0))
        points = tuple(had + (at == seat) for at, had in enumerate(state.points))
        state = replace(_with_rack(state, seat, left), laid=state.laid + tiles, points=points, passes=0)
        return _next(_drawing(state, seat, 1))

    def legal(self, state: Laying, seat: int) -> Iterator[str]:
        if seat != self.to_move(state):
            return
        rack = state.racks[seat].replace(HIDDEN, "")
        yield "pass"
        for tile in sorted(set(rack)):
            yield from (tile, f"{tile}!")
        for count in range(1, min(len(rack), state.bag) + 1):
            yield from sorted({"-" + "".join(sorted(tiles)) for tiles in combinations(rack, count)})

    def withdraw(self, state: Laying, seat: int) -> Laying:
        state = replace(state, out=(*state.out, seat))
        state = _unwanted(state, seat)
        if len(last := state.seats_in()) == 1:
            return replace(_unwanted(state, last[0]), phase="over", wants=())
        if state.phase == "shown":
            return _settled(state)
        return replace(state, turn=_following(state)) if state.turn == seat else state

    def standing(self, state: Laying) -> Outcome:
        still_in = state.seats_in()
        best = max(state.points[seat] for seat in still_in)
        return Outcome(state.points, tuple(seat for seat in still_in if state.points[seat] == best))

    # -- text and picture

    def parse(self, text: str) -> str:
        move = text.strip()
        if not re.fullmatch(f"pass|[a-z]!?|-[a-z{HIDDEN}]{{1,{RACK}}}", move, re.ASCII):
            raise IllegalMove("notation", "a move is a, a!, -ab or pass")
        return "-" + "".join(sorted(move[1:])) if move.startswith("-") else move

    def position(self, state: Laying) -> str:
        return repr(state)

    def view(self, state: Laying, seat: int | None) -> Laying:
        if state.phase == "over":
            return state
        racks = (rack if at == seat else HIDDEN * len(rack) for at, rack in enumerate(state.racks))
        return replace(state, racks=tuple(racks))

    def picture(self, view: Laying) -> Picture:
        return Picture((tuple(Cell(tile) for tile in view.laid),), tuple(view.racks))

    def describe(self) -> Json:
        return {"tiles": self.tiles}

    def total(self, state: Laying) -> Counter[str]:
        """Every tile there is, as far as it is seen."""
        tiles = Counter(state.laid + "".join(state.racks))
        for want in state.wants:
            tiles.update(want.tiles if isinstance(want, Swap) else ())
        drawn = sum(want.count for want in state.wants if isinstance(want, Draw))
        tiles[HIDDEN] += state.bag + drawn
        return tiles


def without(rack: str, tiles: str) -> str | None:
    """The rack less these tiles, hidden ones standing in for what is not seen; None if it cannot hold them."""
    left = Counter(rack)
    left.subtract(tiles)
    left[HIDDEN] -= sum(-count for tile, count in left.items() if count < 0 and tile != HIDDEN)
    return None if left[HIDDEN] < 0 else "".join((+left).elements())


def _with_rack(state: Laying, seat: int, rack: str) -> Laying:
    racks = list(state.racks)
    racks[seat] = "".join(sorted(rack, key=lambda tile: (tile == HIDDEN, tile)))
    return replace(state, racks=tuple(racks))


def _drawing(state: Laying, seat: int, count: int) -> Laying:
    count = min(count, state.bag)
    return replace(state, bag=state.bag - count, wants=(*state.wants, Draw(seat, count))) if count else state


def _unwanted(state: Laying, seat: int) -> Laying:
    """Nothing is wanted for a seat any more; what it was giving back stays with it."""
    wants: list[Want] = []
    for want in state.wants:
        if isinstance(want, Toss):
            wants.append(Toss(tuple(other for other in want.seats if other != seat)))
        elif want.seat != seat:
            wants.append(want)
        elif isinstance(want, Draw):
            state = replace(state, bag=state.bag + want.count)
        elif isinstance(want, Swap):
            state = _with_rack(state, seat, state.racks[seat] + "".join(want.tiles))
    return replace(state, wants=tuple(wants))


def _following(state: Laying) -> int:
    seats = len(state.racks)
    return next(seat for add in range(1, seats + 1) if (seat := (state.turn + add) % seats) not in state.out)


def _next(state: Laying) -> Laying:
    drawing = {want.seat for want in state.wants if not isinstance(want, Toss)}
    done = any(not state.racks[seat] and seat not in drawing for seat in state.seats_in())
    if done or state.passes >= len(state.seats_in()):
        return _settled(replace(state, phase="shown"))
    return replace(state, turn=_following(state))


def _settled(state: Laying) -> Laying:
    """The account, once all that was to be drawn is and every rack can be seen."""
    if state.wants:
        return state
    if hidden := [seat for seat in state.seats_in() if HIDDEN in state.racks[seat]]:
        return replace(state, wants=tuple(map(Reveal, hidden)))
    points = tuple(had - len(rack) for had, rack in zip(state.points, state.racks, strict=True))
    return replace(state, phase="over", points=points)


def make(options: Mapping[str, OptionValue], house_rules: Sequence[HouseRule]) -> Lay:
    """The rules for a bag of so many tiles."""
    tiles = options["tiles"]
    assert isinstance(tiles, int)
    return Lay(("abcd" * tiles)[:tiles])


def first(rules: Rules[Laying], view: Laying, seat: int, seed: bytes) -> str:
    """A computer player that lays what it can."""
    return max(rules.legal(view, seat), key=lambda move: (move.isalpha() and move != "pass", move))


LAY = Game(
    id="lay",
    version="1.0",
    titles={"en": "Lay"},
    options=(Number("tiles", 10, 8, 26, "tiles in the bag"),),
    make=make,
    seats=(2, 4),
    opponents={"first": first},
)


@hookimpl
def lantable_games() -> Iterable[Game]:
    return [LAY]
