"""A table that is to be opened: its game and rules, its seats and clock, who begins and who may sit down."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from lantable.clock import Clock
from lantable.dealing import dealt, only_alone, starting
from lantable.dealing.fair import FairDealing
from lantable.errors import Misuse
from lantable.game import Game, OptionValue
from lantable.words import WORDS
from lantable_console.context import Context
from lantable_console.language import tr
from lantable_net.messages import TableInfo


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is chosen for a table beside the game's own rules."""

    NAMES: ClassVar = ("seats", "clock", "overtime", "open", "first")
    seats: int
    clock: Clock | None
    open: bool
    """Whether anybody may sit down without being asked about."""
    lot: bool
    """Whether it is drawn who begins, where the game leaves it open; else the host does."""

    @classmethod
    def read(cls, given: Mapping[str, str], seats: int) -> "Chosen":
        """From what was typed as `name=value`. Raises `Misuse`."""
        number = given.get("seats", str(seats))
        if not number.isdecimal() or len(number) > 3:
            raise Misuse(tr("seats takes a number, such as seats=3"))
        clock = Clock.read(given["clock"], given.get("overtime", "forfeit")) if "clock" in given else None
        if given.get("open", "no") not in ("yes", "no"):
            raise Misuse(tr("open is yes or no; with open=yes anybody may sit down without a question"))
        if given.get("first", "lot") not in ("lot", "me"):
            raise Misuse(tr("first is lot or me: who begins"))
        return cls(int(number), clock, given.get("open") == "yes", given.get("first") != "me")


def new_table(
    context: Context,
    game: Game,
    options: Mapping[str, OptionValue],
    seats: int,
    name: str | None = None,
    house_rules: Iterable[str] = (),
    *,
    lot: bool = True,
    clock: Clock | None = None,
) -> tuple[TableInfo, bytes]:
    """A table to be opened, and the digest of its rules. Raises `Misuse`.

    Without `lot` its host begins, where the game leaves that to the players.
    """
    low, high = game.seats
    if not low <= seats <= high:
        raise Misuse(
            tr("{id} is for {low} to {high} players, not {seats}", id=game.id, low=low, high=high, seats=seats)
        )
    made, chosen, digest = context.host.rules(game, options, house_rules)
    if option := only_alone(made):
        raise Misuse(
            tr("{option} is only for games at one computer, where one machine deals; leave it out", option=option)
        )
    dealing = FairDealing() if dealt(made) or (lot and starting(made) and seats > 1) else None
    rules = tuple((rule.name, rule.version) for rule in chosen)
    info = TableInfo(
        name or made_up_name(), game.id, game.version, dict(options), rules, seats, (), clock=clock, dealing=dealing
    )
    return info, digest


def made_up_name() -> str:
    """A table name that is easy to say, such as oak-7."""
    return f"{secrets.choice([word for word in WORDS if len(word) <= 5])}-{secrets.randbelow(90) + 10}"
