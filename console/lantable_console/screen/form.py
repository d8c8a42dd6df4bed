"""A game's options as something to choose from. What is chosen becomes the line that could be typed instead."""

from dataclasses import dataclass, replace
from typing import Final

from lantable.game import Choice, Flag, Game, Number, Option, OptionValue, Size, typed
from lantable.text import safe_text
from lantable_console.language import N_, by_language, tr

TITLES: Final = {"host": N_("A new table"), "solo": N_("A game against the computer")}


@dataclass(frozen=True, slots=True)
class Form:
    """`command` GAME with options and seats; `row` is the field that is chosen: the game, an option, or the seats."""

    command: str
    games: tuple[Game, ...]
    which: int = 0
    values: tuple[OptionValue, ...] = ()
    seats: int = 0
    row: int = 0

    @classmethod
    def blank(cls, command: str, games: tuple[Game, ...]) -> "Form":
        """With everything as usual; computer players are needed for a game against them."""
        fit = tuple(game for game in games if command != "solo" or game.opponents)
        return cls(command, fit)._fresh(0)

    def _fresh(self, which: int) -> "Form":
        game = self.games[which]
        usual = tuple(option.default for option in game.options)
        return replace(self, which=which, values=usual, seats=game.seats[0], row=0)

    @property
    def title(self) -> str:
        return TITLES[self.command]

    @property
    def game(self) -> Game:
        return self.games[self.which]

    def fields(self) -> list[tuple[str, str]]:
        """Every field with its value as it is typed."""
        options = zip(self.game.options, self.values, strict=True)
        named = [(option.name, typed(value)) for option, value in options]
        fields = [("game", by_language(self.game.titles)), *named, ("seats", str(self.seats))]
        return [(safe_text(name, 40), safe_text(value, 40)) for name, value in fields]

    def about(self) -> str:
        """What the chosen field is for, and what it may be."""
        if self.row == 0:
            return (
                tr("one of {games} installed", games=len(self.games))
                if len(self.games) > 1
                else tr("the only one installed")
            )
        if self.row > len(self.values):
            low, high = self.game.seats
            return tr("how many play: {low} to {high}", low=low, high=high)
        option = self.game.options[self.row - 1]
        return safe_text(f"{option.title}: {option.values}")

    def moved(self, way: str) -> "Form":
        """The field above or below."""
        row = self.row + (1 if way == "down" else -1)
        return replace(self, row=min(max(row, 0), len(self.values) + 1))

    def changed(self, way: str) -> "Form":
        """The next value of the chosen field, or the one before."""
        step = 1 if way == "right" else -1
        if self.row == 0:
            return self._fresh((self.which + step) % len(self.games))
        if self.row > len(self.values):
            low, high = self.game.seats
            return replace(self, seats=min(max(self.seats + step, low), high))
        at = self.row - 1
        value = _next(self.game.options[at], self.values[at], step)
        return replace(self, values=(*self.values[:at], value, *self.values[at + 1 :]))

    def line(self) -> str:
        """What would be typed for it: only what is not as usual is named."""
        options = zip(self.game.options, self.values, strict=True)
        odd = [f"{option.name}={typed(value)}" for option, value in options if value != option.default]
        seats = [f"seats={self.seats}"] if self.seats != self.game.seats[0] else []
        return " ".join([self.command, self.game.id, *odd, *seats])


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
