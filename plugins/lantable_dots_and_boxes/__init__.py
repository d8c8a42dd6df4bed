"""Dots and Boxes (La Pipopipette, Édouard Lucas, 1889), registered exactly as a stranger's plugin would be.

board     the lattice: how lines and boxes are numbered and named
state     one position: drawing, claiming, withdrawing, who leads; nothing else changes a game
notation  a whole position in one line of text, and back
picture   a position drawn in cells, and the panel beside it
rules     these as `lantable.game.Rules`, and the `Game` on offer
strings   what is left of a drawing as a graph of chains and joints
solver    perfect play of two
lens      what learners may see of that beside the picture
opponents computer players
"""

from collections.abc import Iterable

from lantable.game import Game
from lantable.hookspecs import hookimpl
from lantable_dots_and_boxes.rules import DOTS_AND_BOXES


@hookimpl
def lantable_games() -> Iterable[Game]:
    return [DOTS_AND_BOXES]
