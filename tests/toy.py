"""Count To: a stranger's game in one file, so that the table is tried on a game it knows nothing of.

Seats take turns to add 1, 2 or 3 to a running total, at most up to the target; who reaches it wins, and until
then whoever added most leads. Whoever withdraws is skipped and cannot win; the last seat left wins at once.

`lantable --plugin tests/toy.py` plays it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lantable.canonical import Json
from lantable.errors import IllegalMove
from lantable.game import Cell, Game, HouseRule, Number, OptionValue, Outcome, Picture, Rules
from lantable.hookspecs import hookimpl


@dataclass(frozen=True, slots=True)
class Count:
    """The total so far, who is to move (None after the end), what each seat added, who is out, who reached it."""

    total: int
    mover: int | None
    added: tuple[int, ...]
    out: tuple[int, ...] = ()
    reached: int | None = None


@dataclass(frozen=True, slots=True)
class CountTo:
    """The rules for one target and one greatest step."""

    target: int
    step: int = 3

    def start(self, seats: int) -> Count:
        return Count(0, 0, (0,) * seats)

    def to_move(self, state: Count) -> int | None:
        return state.mover

    def play(self, state: Count, seat: int, move: str) -> Count:
        if move not in self.legal(state, seat):
            raise IllegalMove("step", f"{move} is not one of the steps that are left")
        added = tuple(points + int(move) * (s == seat) for s, points in enumerate(state.added))
        state = replace(state, total=state.total + int(move), added=added)
        if state.total == self.target:
            return replace(state, mover=None, reached=seat)
        return replace(state, mover=_next(state, seat))

    def legal(self, state: Count, seat: int) -> Iterable[str]:
        if seat != state.mover:
            return []
        return [str(n) for n in range(1, min(self.step, self.target - state.total) + 1)]

    def withdraw(self, state: Count, seat: int) -> Count:
        state = replace(state, out=(*state.out, seat))
        if len(state.out) >= len(state.added) - 1:
            return replace(state, mover=None)
        return replace(state, mover=_next(state, seat)) if state.mover == seat else state

    def standing(self, state: Count) -> Outcome:
        if state.reached is not None:
            return Outcome(state.added, (state.reached,))
        still_in = [s for s in range(len(state.added)) if s not in state.out]
        most = max((state.added[s] for s in still_in), default=0)
        return Outcome(state.added, tuple(s for s in still_in if state.added[s] == most))

    def parse(self, text: str) -> str:
        move = text.strip()
        if not move.isascii() or not move.isdigit() or len(move) > 2 or move.startswith("0"):
            raise IllegalMove("notation", "a move is a number, such as 2")
        return move

    def position(self, state: Count) -> str:
        mover = "-" if state.mover is None else str(state.mover + 1)
        return f"{state.total}/{self.target} {','.join(map(str, state.added))} {state.out} {state.reached} {mover}"

    def view(self, state: Count, seat: int | None) -> Count:
        return state

    def picture(self, view: Count) -> Picture:
        steps = () if view.mover is None else tuple(self.legal(view, view.mover))
        row = (Cell(f"{view.total} of {self.target} "), *(Cell(f"[{n}]", move=n) for n in steps))
        return Picture((row,), tuple(f"player {s + 1}: {points}" for s, points in enumerate(view.added)))

    def describe(self) -> Json:
        return {"target": self.target, "step": self.step}


def _next(state: Count, seat: int) -> int:
    seats = len(state.added)
    return next(s % seats for s in range(seat + 1, seat + 1 + seats) if s % seats not in state.out)


def make(options: Mapping[str, OptionValue], house_rules: Sequence[HouseRule]) -> CountTo:
    """The rules for these options; the one house rule changes the greatest step."""
    target = options["target"]
    assert isinstance(target, int)
    rules = CountTo(target)
    for rule in house_rules:
        rules = replace(rules, step=rule.change)
    return rules


def greedy(rules: Rules[Count], view: Count, seat: int, seed: bytes) -> str:
    """A computer player that always takes the greatest step."""
    return list(rules.legal(view, seat))[-1]


COUNT_TO = Game(
    id="count-to",
    version="1.0",
    titles={"en": "Count To"},
    options=(Number("target", 10, 1, 1000, "the number to reach"),),
    make=make,
    presets={"short": {"target": 4}, "long": {"target": 120}},
    opponents={"greedy": greedy},
)
BIG_STEPS = HouseRule(game="count-to", name="big-steps", version="1.0", titles={"en": "Steps up to 5"}, change=5)


@hookimpl
def lantable_games() -> Iterable[Game]:
    return [COUNT_TO]


@hookimpl
def lantable_house_rules() -> Iterable[HouseRule]:
    return [BIG_STEPS]
