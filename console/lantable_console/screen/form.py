"""A game's options as something to choose from. What is chosen becomes the line that could be typed instead."""

from dataclasses import dataclass, replace
from typing import Final

from lantable.game import Choice, Flag, Game, Number, Option, OptionValue, Size, typed
from lantable.text import safe_text
from lantable_console.language import N_, by_language, shown, tr

TITLES: Final = {"host": N_("A new table"), "solo": N_("A game against the computer")}


CLOCKS: Final = ("none", "5+3", "10+5", "20+10", "30s/move", "2m/move")
"""Clocks to choose from; any other can be typed."""


@dataclass(frozen=True, slots=True)
class Form:
    """`command` GAME with options, then those of the table; `row` is the field that is chosen, 0 being the game."""

    command: str
    games: tuple[Game, ...]
    which: int = 0
    values: tuple[OptionValue, ...] = ()
    row: int = 0

    @classmethod
    def blank(cls, command: str, games: tuple[Game, ...]) -> "Form":
        """With everything as usual; computer players are needed for a game against them."""
        fit = tuple(game for game in games if command != "solo" or game.opponents)
        return cls(command, fit)._fresh(0)

    def _fresh(self, which: int) -> "Form":
        form = replace(self, which=which, row=0)
        return replace(form, values=tuple(option.default for option in form.options))

    @property
    def title(self) -> str:
        return TITLES[self.command]

    @property
    def game(self) -> Game:
        return self.games[self.which]

    @property
    def options(self) -> tuple[Option, ...]:
        """The game's own, and what a table has whatever is played at it."""
        return (*self.game.options, *_of_a_table(self.command, *self.game.seats))

    def fields(self) -> list[tuple[str, str]]:
        """Every field with its value as it is typed."""
        named = [(option.name, typed(value)) for option, value in zip(self.options, self.values, strict=True)]
        fields = [("game", by_language(self.game.titles)), *named]
        return [(safe_text(name, 40), safe_text(value, 40)) for name, value in fields]

    def about(self) -> str:
        """What the chosen field is for, and what it may be."""
        if self.row == 0:
            return (
                tr("one of {games} installed", games=len(self.games))
                if len(self.games) > 1
                else tr("the only one installed")
            )
        option = self.options[self.row - 1]
        return safe_text(f"{shown(option.title)}: {shown(option.values)}")

    def moved(self, way: str) -> "Form":
        """The field above or below."""
        row = self.row + (1 if way == "down" else -1)
        return replace(self, row=min(max(row, 0), len(self.values)))

    def changed(self, way: str) -> "Form":
        """The next value of the chosen field, or the one before."""
        step = 1 if way == "right" else -1
        if self.row == 0:
            return self._fresh((self.which + step) % len(self.games))
        at = self.row - 1
        value = _next(self.options[at], self.values[at], step)
        return replace(self, values=(*self.values[:at], value, *self.values[at + 1 :]))

    def line(self) -> str:
        """What would be typed for it: only what is not as usual is named."""
        options = zip(self.options, self.values, strict=True)
        odd = [f"{option.name}={typed(value)}" for option, value in options if value != option.default]
        return " ".join([self.command, self.game.id, *odd])


def _of_a_table(command: str, low: int, high: int) -> tuple[Option, ...]:
    """What is chosen for every game: its seats and clock; among people also who begins, and who may sit down."""
    usual: tuple[Option, ...] = (
        Number("seats", low, low, high, tr("how many play")),
        Choice("clock", CLOCKS[0], CLOCKS, tr("how long each may think; 10+5: 10 min each and 5 s more a move")),
    )
    among_people: tuple[Option, ...] = (
        Choice("first", "lot", ("lot", "me"), tr("who begins")),
        Flag("open", False, tr("whether anybody may sit down without a question")),
    )
    return usual if command == "solo" else (*usual, *among_people)


def _next(option: Option, value: OptionValue, step: int) -> OptionValue:
    match option:
        case Flag():
            return not value
        case Choice():
            return option.choices[(option.choices.index(str(value)) + step) % len(option.choices)]
        case Number():
            return min(max(int(value) + step, option.low), option.high)
        case Size():
            # Square ones; any other can be typed.
            side = int(str(value).partition("x")[0]) + step
            return f"{min(max(side, option.low), option.high)}x{min(max(side, option.low), option.high)}"
