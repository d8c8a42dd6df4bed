"""A whole position in one line of text: `ROWSxCOLS LINES OWNERS MOVER`, such as `1x2 35 2. 2`.

LINES is the drawn lines as a hexadecimal number (bit i = line i), OWNERS one character a box, row by row (`.` open,
else the player, `x` one who is not in this game), MOVER the player to move or `-` after the end. A fifth field SEATS
follows unless two players are both in: one character a seat, its player while in, `-` once out, such as `1-3`. So
equal states and only those have equal positions. Players count from 1 here, as people do.
"""

import re
from typing import Final

from lantable.errors import Misuse
from lantable_dots_and_boxes.board import board
from lantable_dots_and_boxes.state import MOST_SEATS, State
from lantable_dots_and_boxes.wording import msg

_OWNERS: Final = ".1234x"
_BOTH_IN: Final = (True, True)
_POSITION: Final = re.compile(
    r"(?P<rows>[1-9][0-9]?)x(?P<cols>[1-9][0-9]?) +(?P<lines>[0-9a-f]+) +(?P<owners>[.1-4x]+) +(?P<mover>[1-4]|-)"
    r"(?: +(?P<seats>[1-4-]+))?"
)
_LONGEST: Final = 512


def write_position(state: State) -> str:
    """The one spelling of `state`."""
    owners = "".join(_OWNERS[owner] for owner in state.owners)
    fields = [str(state.board), f"{state.lines:x}", owners, "-" if state.mover is None else str(state.mover + 1)]
    if state.present != _BOTH_IN:
        fields.append("".join(str(seat + 1) if here else "-" for seat, here in enumerate(state.present)))
    return " ".join(fields)


def read_position(text: str) -> State:
    """The state that `text` spells; spaces around fields and the case of hexadecimal digits do not matter.

    Raises `Misuse` that says what does not fit.
    """
    match = _POSITION.fullmatch(text[:_LONGEST].strip().lower())
    if match is None:
        raise Misuse(
            msg("a position reads ROWSxCOLS LINES OWNERS MOVER and, if seats are out or not two, SEATS: 1x2 35 2. 2")
        )
    field = match.groupdict()
    return State(
        board(int(field["rows"]), int(field["cols"])),
        int(field["lines"], 16),
        bytes(_OWNERS.index(owner) for owner in field["owners"]),
        None if field["mover"] == "-" else int(field["mover"]) - 1,
        _read_seats(field["seats"]),
    )


def _read_seats(text: str | None) -> tuple[bool, ...]:
    if text is None:
        return _BOTH_IN
    if len(text) > MOST_SEATS or any(char not in (str(seat + 1), "-") for seat, char in enumerate(text)):
        raise Misuse(
            msg(
                "SEATS has one character a seat in order, its number or -, such as 1-3; not {text}", text=repr(text[:8])
            )
        )
    return tuple(char != "-" for char in text)
