"""Clocks: how long each seat may think, and what it costs to take longer. Values; no clock is read here.

A clock is part of the offer, so everybody agrees to it; a game without one has no field for it. Every event that the
seat to move writes then says how many milliseconds its author `used` since its turn began, by the author's own
monotonic clock. That number is charged and nothing else: nobody can know better, and whoever doubts it can see their
own measure beside it. A seat that writes nothing is charged nothing, so it pauses the game and never ends it.

    10+5        ten minutes for the game, and five seconds more after each move
    30s/move    thirty seconds for each move; what is left of them is lost

Time that is over forfeits: the seat is out, and its move does not count. Or it costs points for each started minute.
What was charged is never given back, whatever is taken back.
"""

import re
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Self

from lantable.canonical import Fields, Json
from lantable.errors import Misuse, Untrusted
from lantable.game import Outcome
from lantable.wording import msg

LONGEST: Final = 7 * 24 * 3600
"""Most seconds of a clock: a week."""
MAX_USED: Final = 366 * 24 * 3600 * 1000
"""Most milliseconds that one event may say it took."""
MAX_POINTS: Final = 1000
MINUTE: Final = 60_000
RAN_OUT: Final = "ran out of time"
_SPELLING: Final = re.compile(r"([0-9]{1,6})([smh]?)(?:\+([0-9]{1,4})s?|(/move))?")
_UNITS: Final = {"s": 1, "m": 60, "": 60, "h": 3600}

Per = Literal["game", "move"]


@dataclass(frozen=True, slots=True)
class Clock:
    """`time` seconds for the whole game, `add` more after each move; or `time` seconds for each move."""

    time: int
    per: Per = "game"
    add: int = 0
    points: int | None = None
    """What each started minute of overtime costs; None if it forfeits."""

    def __post_init__(self) -> None:
        good = 0 < self.time <= LONGEST and 0 <= self.add <= (LONGEST if self.per == "game" else 0)
        if not good or not (self.points is None or 0 < self.points <= MAX_POINTS):
            raise Untrusted("schema", "clock: a time is out of range")

    def as_json(self) -> dict[str, Json]:
        value: dict[str, Json] = {"per": self.per, "time": self.time}
        if self.per == "game":
            value["add"] = self.add
        return value if self.points is None else {**value, "points": self.points}

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Raises `Untrusted`."""
        fields = Fields(value, "clock")
        per, time = fields.text("per", 8), fields.number("time", 1, LONGEST)
        if per not in ("game", "move"):
            raise Untrusted("schema", "clock: per must be game or move")
        add = fields.number("add", 0, LONGEST) if per == "game" else 0
        points = fields.number("points", 1, MAX_POINTS) if fields.has("points") else None
        fields.done()
        return cls(time, "game" if per == "game" else "move", add, points)

    @classmethod
    def read(cls, text: str, overtime: str = "forfeit") -> Self:
        """What a person types: `10+5`, `10`, `90s+2`, `30s/move`; and `forfeit` or `penalty=N`. Raises `Misuse`."""
        match = _SPELLING.fullmatch(text)
        cost = re.fullmatch(r"forfeit|penalty=([0-9]{1,4})", overtime)
        if match is None:
            raise Misuse(
                msg(
                    "a clock is MINUTES+SECONDS or SECONDSs/move, such as 10+5 or 30s/move, not {text}", text=repr(text)
                )
            )
        if cost is None:
            raise Misuse(
                msg(
                    "overtime is forfeit, or penalty=N for N points a started minute, not {overtime}",
                    overtime=repr(overtime),
                )
            )
        time, unit, add, move = match.groups()
        points = None if cost[1] is None else int(cost[1])
        try:
            return cls(int(time) * _UNITS[unit], "move" if move else "game", int(add or 0), points)
        except Untrusted:
            raise Misuse(
                msg(
                    "a clock has 1 second to 7 days, a penalty 1 to {max_points} points: {text}",
                    max_points=MAX_POINTS,
                    text=repr(text),
                )
            ) from None

    def __str__(self) -> str:
        """As it is typed, without the overtime."""
        whole = self.time % 60 == 0
        if self.per == "move":
            return f"{self.time // 60}m/move" if whole else f"{self.time}s/move"
        return f"{self.time // 60 if whole else f'{self.time}s'}+{self.add}"

    @property
    def overtime(self) -> str:
        """As it is typed."""
        return "forfeit" if self.points is None else f"penalty={self.points}"

    @property
    def words(self) -> str:
        """For people, in a sentence."""
        each = (
            msg("{time} a move", time=span(self.time * 1000))
            if self.per == "move"
            else msg("{time} each", time=span(self.time * 1000))
        )
        more = msg(" and {add} s more after each move", add=self.add) if self.add else ""
        cost = msg("whoever runs out of time is out")
        return msg(
            "{each}{more}; {what}",
            each=each,
            more=more,
            what=cost
            if self.points is None
            else msg("a started minute over costs {points} points", points=self.points),
        )


@dataclass(frozen=True, slots=True)
class Clocks:
    """What each seat has left, in milliseconds, and how many started minutes of overtime it was charged."""

    clock: Clock
    left: tuple[int, ...]
    minutes: tuple[int, ...]

    @classmethod
    def begun(cls, clock: Clock, seats: int) -> Self:
        return cls(clock, (clock.time * 1000,) * seats, (0,) * seats)

    def charged(self, seat: int, used: int, kind: str) -> "Clocks":
        """The clocks after an event of this kind by `seat`, which took `used` milliseconds. Time only goes down."""
        before, after = self.left[seat], self.left[seat] - used
        minutes = self.minutes[seat] + _started(after) - _started(before)
        clocks = replace(self, minutes=_at(self.minutes, seat, minutes))
        if self.clock.per == "move" and kind in ("move", "takeback"):
            # Somebody begins to think anew.
            return replace(clocks, left=(self.clock.time * 1000,) * len(self.left))
        # Nobody earns time back out of overtime: the same minute would be charged twice.
        gained = self.clock.add * 1000 if kind == "move" and after >= 0 else 0
        return replace(clocks, left=_at(self.left, seat, after + gained))

    def late(self, seat: int, used: int) -> bool:
        """Whether so much more puts `seat` out."""
        return self.clock.points is None and used > self.left[seat]

    def adjusted(self, standing: Outcome, out: frozenset[int]) -> Outcome:
        """A standing less what overtime cost. The rules' own winners stay, unless it changed who has most."""
        if self.clock.points is None or not any(self.minutes):
            return standing
        cost = self.clock.points
        scores = tuple(score - cost * over for score, over in zip(standing.scores, self.minutes, strict=True))
        before, now = _best(standing.scores, out), _best(scores, out)
        if not set(standing.winners) <= set(before):
            return replace(standing, scores=scores)  # under these rules the most points do not win
        # A tie that the rules broke is broken as before; a tie that overtime made is one.
        broken = tuple(seat for seat in now if seat in standing.winners) if standing.winners != before else ()
        return replace(standing, scores=scores, winners=broken or now)


def _started(left: int) -> int:
    """How many minutes of overtime have begun with so much left."""
    return -(left // MINUTE) if left < 0 else 0


def _at(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def _best(scores: tuple[int, ...], out: frozenset[int]) -> tuple[int, ...]:
    """The seats still in that have most."""
    still_in = [seat for seat in range(len(scores)) if seat not in out]
    return tuple(seat for seat in still_in if scores[seat] == max(scores[other] for other in still_in))


def shown(left: int) -> str:
    """Milliseconds left as `9:41`, `1:02:03`, or `-0:12` in overtime; at 0:00 nothing is left and nothing is over."""
    seconds = -(-left // 1000) if left > 0 else left // 1000
    hours, rest = divmod(abs(seconds), 3600)
    minutes = f"{hours}:{rest // 60:02}" if hours else f"{rest // 60}"
    return f"{'-' if seconds < 0 else ''}{minutes}:{rest % 60:02}"


def span(milliseconds: int) -> str:
    """A span in words, such as `10 min`, `90 s`, `2 h`."""
    seconds = round(milliseconds / 1000)
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def used_in(body: dict[str, Any]) -> int | None:
    """What an event says it took, if it says so. Raises `Untrusted`."""
    return Fields(body, "event").number("used", 0, MAX_USED) if "used" in body else None
