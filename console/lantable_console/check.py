"""`lantable check GAME TEXT...`: whether a text, such as an expression, holds under a game's rules, and why.

The game's own tutor explains; the console knows only that there is one. A text a line, or with --json one object a
line; `-` reads texts from standard input, a line each.
"""

import json
import sys
from collections.abc import Iterator
from typing import Final

from lantable.errors import Misuse
from lantable.game import Explanation
from lantable.text import safe_text
from lantable_console.context import Context
from lantable_console.language import shown, tr

WRONG: Final = 1
LONGEST: Final = 8192
"""Characters of one line that are read from standard input."""


def run(context: Context) -> int:
    """0 if every text holds, 1 if one does not."""
    args = context.args
    game, options = context.chosen_game()
    if game.tutor is None:
        raise Misuse(tr("{id} has nothing to check: its rules explain no texts", id=game.id))
    rules, _, _ = context.host.rules(game, options, args.house_rule)
    valid = True
    for text in _texts(args.texts):
        told = game.tutor(rules, text)
        valid = valid and told.valid
        for line in [_json(text, told)] if args.json else _lines(text, told):
            context.say(line)
    return 0 if valid else WRONG


def _texts(given: list[str]) -> Iterator[str]:
    for text in given:
        if text != "-":
            yield text
            continue
        while line := sys.stdin.readline(LONGEST):
            if line.strip():
                yield line.strip()


def _lines(text: str, told: Explanation) -> Iterator[str]:
    first, *more = told.lines
    how = tr("{text}: valid. {why}") if told.valid else tr("{text}: not valid. {why}")
    yield safe_text(how.format(text=text, why=shown(first)), 600)
    for line in more:
        yield f"  {safe_text(shown(line), 600)}"


def _json(text: str, told: Explanation) -> str:
    # JSON keeps to ASCII, so that it is inert and the same in every locale.
    return json.dumps({**told.data, "typed": text, "valid": told.valid, "lines": list(told.lines)})
