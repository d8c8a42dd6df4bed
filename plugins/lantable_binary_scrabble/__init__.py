"""Binary Scrabble and its parent, Number Scrabble: equations laid on a board, by one engine.

tables -> ruleset                    rules as data; a game with options chosen and house rules merged
arithmetic, expression               what operators do; whether a text is a valid equation, and why not
board -> placement                   squares and premiums; whether a placement is legal, and its score
machine -> generator                 expressions read sign by sign; every legal placement, and the best n
state                                a game being played, as a value: what it wants from the bag and what answers do
notation, picture                    moves and positions as one line of text; a position drawn, in three widths
composing                            a move put together on the board, key by key
tutor, opponents                     why a text does not hold and what would; computer players
rules                                all of it as `lantable.game.Rules`, and the games on offer
"""

from collections.abc import Iterable

from lantable.game import Game
from lantable.hookspecs import hookimpl
from lantable_binary_scrabble.rules import BINARY_SCRABBLE, NUMBER_SCRABBLE


@hookimpl
def lantable_games() -> Iterable[Game]:
    return [BINARY_SCRABBLE, NUMBER_SCRABBLE]
