"""`lantable rules GAME`: the rules of a game for people, as the game itself tells them, and what can be chosen."""

import textwrap
from collections.abc import Iterator
from typing import Final

from lantable.game import Game, typed
from lantable.text import safe_text
from lantable_console.context import Context
from lantable_console.language import by_language, shown, tr

WIDTH: Final = 78
LONGEST: Final = 4000
"""Characters of one paragraph."""


def run(context: Context) -> int:
    """`lantable rules GAME`."""
    for line in rules_lines(context.host.game(context.args.game)):
        context.say(line)
    return 0


def rules_lines(game: Game) -> Iterator[str]:
    """Title, the game's own text paragraph by paragraph, and its options, presets and computer players."""
    yield f"{safe_text(by_language(game.titles))} {game.version}"
    text = shown(by_language(game.rules_text)) if game.rules_text else tr("This game brings no text of its rules.")
    for paragraph in text.split("\n\n"):
        yield ""
        yield from textwrap.wrap(safe_text(" ".join(paragraph.split()), LONGEST), WIDTH)
    yield ""
    low, high = game.seats
    yield tr("players: {low} to {high}", low=low, high=high) if low != high else tr("players: {low}", low=low)
    for option in game.options:
        yield safe_text(
            tr(
                "option {name}={typed}: {title}: {values}",
                name=option.name,
                typed=typed(option.default),
                title=option.title,
                values=option.values,
            )
        )
    for name in game.presets:
        yield safe_text(tr("preset {name}", name=name))
    for name in game.opponents:
        yield safe_text(tr("computer player {name}", name=name))
