"""Golden playthroughs: whole games drawn position by position, as a person sees them, kept as text files.

    python -m tests.golden            says which files differ from what is drawn now; exit status 1 if any does
    python -m tests.golden --write    draws them anew: then read the diff

One entry in `GOLDENS` is one file `tests/golden/NAME.txt`.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lantable.fold import Position
from lantable.game import Game
from lantable_dots_and_boxes.rules import DOTS_AND_BOXES
from tests.conformance import begin, moved

FOLDER: Final = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Golden:
    """A game and the moves to draw."""

    game: Game
    options: str
    seats: int
    moves: str


GOLDENS: Final = {
    # A box is declined (8. b2d), one line claims two (10. a2r), and then the winner is certain before the end.
    "dots-and-boxes-2x2": Golden(
        DOTS_AND_BOXES, "size=2x2", 2, "a1r b1r c1d a2d a3r a1d b1d b2d b2r a2r c2d b3r"
    ),
}  # fmt: skip


def draw(name: str) -> str:
    """The playthrough as it is drawn now."""
    golden = GOLDENS[name]
    _, position = begin(golden.game, golden.options, golden.seats)
    lines = [f"{golden.game.titles['en']}, {golden.options}, {golden.seats} players", "", *_show(position)]
    for number, notation in enumerate(golden.moves.split(), 1):
        assert position.due is not None
        lines += ["", f"{number}. player {position.due + 1}: {notation}", ""]
        position = moved(position, notation)
        lines += _show(position)
    return "\n".join(lines) + "\n"


def path(name: str) -> Path:
    """Where the playthrough is kept."""
    return FOLDER / f"{name}.txt"


def _show(position: Position) -> Iterator[str]:
    rules, state, due = position.rules, position.state, position.due
    picture = rules.picture(rules.view(state, None))
    yield from picture.text()
    yield from picture.panel
    yield f"position: {rules.position(state)}"
    if due is not None:
        yield f"legal: {' '.join(rules.legal(state, due))}"
    if (outcome := position.outcome) is not None:
        winners = " and ".join(str(seat + 1) for seat in outcome.winners)
        yield f"outcome: {'-'.join(map(str, outcome.scores))}, {outcome.how}, winners: {winners}"


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--write"]):
        print("usage: python -m tests.golden [--write]", file=sys.stderr)
        return 2
    stale = [name for name in GOLDENS if not path(name).exists() or path(name).read_text() != draw(name)]
    for name in stale:
        if arguments:
            path(name).write_text(draw(name))
        print(f"{path(name)}: {'written' if arguments else 'differs from what is drawn now'}")
    return 1 if stale and not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
