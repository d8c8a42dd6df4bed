"""One position, and the ways it changes: it opens, afresh or from another game; a line is drawn, a seat withdraws.

The side to move does not follow from the picture (on 1x3 two orders of moves give the same lines and owners
with different players to move), so a state holds the mover and the owners beside the lines.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lantable.errors import IllegalMove, Misuse
from lantable_dots_and_boxes.board import Board
from lantable_dots_and_boxes.wording import msg

MOST_SEATS: Final = 4
NOBODY: Final = MOST_SEATS + 1
"""Owner of a box that was claimed by somebody who is not in this game: it counts for nobody."""
_CLAIMED: Final = b"0" + b"1" * 255
"""Owner -> the digit of a binary number: a whole board is compared at once, since every move makes a new state."""


@dataclass(frozen=True, slots=True)
class State:
    """A position. Raises `Misuse` if its parts do not fit together, so every state that exists makes sense.

    Not every state that makes sense can be reached by play; the ones people set up to analyse often cannot.
    """

    board: Board
    lines: int
    """The drawn lines: bit i is line i."""
    owners: bytes
    """One byte a box: 0 while it is open, else 1 + the seat that claimed it, or `NOBODY`."""
    mover: int | None
    """The seat to move; None once the game has ended."""
    present: tuple[bool, ...]
    """For each seat whether it is still in."""
    last: int | None = field(default=None, compare=False)
    """The line drawn last, for the picture; what comes next does not depend on it."""

    def __post_init__(self) -> None:
        self._check_parts()
        self._check_owners()
        self._check_mover()

    @property
    def open_boxes(self) -> int:
        """How many boxes nobody has claimed."""
        return self.owners.count(0)

    @property
    def boxes_held(self) -> tuple[int, ...]:
        """How many boxes each seat has claimed."""
        return tuple(self.owners.count(seat + 1) for seat in range(len(self.present)))

    @property
    def boxes_at_stake(self) -> int:
        """How many boxes count for anybody, or will."""
        return self.board.boxes - self.owners.count(NOBODY)

    @property
    def seats_in(self) -> tuple[int, ...]:
        """The seats that neither resigned nor left."""
        return tuple(seat for seat, present in enumerate(self.present) if present)

    def is_drawn(self, line: int) -> bool:
        return bool(self.lines >> line & 1)

    def completes(self, line: int) -> tuple[int, ...]:
        """The boxes (none, one or two) that drawing `line` would complete."""
        lines, sides = self.lines | 1 << line, self.board.sides
        return tuple(box for box in self.board.beside[line] if lines & sides[box] == sides[box])

    def _check_parts(self) -> None:
        board = self.board
        if not 2 <= len(self.present) <= MOST_SEATS or not any(self.present):
            raise Misuse(
                msg("a position has 2 to {most_seats} seats and at least one of them is in", most_seats=MOST_SEATS)
            )
        if not 0 <= self.lines <= board.full:
            raise Misuse(
                msg("a {board} board has {names} lines; the drawn ones name more", board=board, names=len(board.names))
            )
        if len(self.owners) != board.boxes:
            raise Misuse(
                msg(
                    "a {board} board has {boxes} boxes; {owners} owners are given",
                    board=board,
                    boxes=board.boxes,
                    owners=len(self.owners),
                )
            )
        if self.last is not None and not self.is_drawn(self.last):
            raise Misuse(msg("the line drawn last is not among the drawn ones"))

    def _check_owners(self) -> None:
        closed, seats = self.board.closed(self.lines), len(self.present)
        strangers = self.owners.translate(None, bytes([*range(seats + 1), NOBODY]))
        if int(self.owners[::-1].translate(_CLAIMED), 2) == closed and not strangers:
            return
        known = (*range(seats + 1), NOBODY)
        wrong = (b for b, owner in enumerate(self.owners) if (owner > 0) != closed >> b & 1 or owner not in known)
        row, col = divmod(next(wrong), self.board.cols)
        raise Misuse(
            msg(
                "box {col} of row {row}: a box has an owner, 1 to {seats}, when its four lines are "
                "drawn, and only then",
                col=col + 1,
                row=row + 1,
                seats=seats,
            )
        )

    def _check_mover(self) -> None:
        if self.mover is None:
            if not self._ended:
                raise Misuse(msg("somebody must be to move: lines are left to draw and two or more seats are in"))
        elif self._ended:
            raise Misuse(msg("nobody is to move once every line is drawn or one seat is left"))
        elif self.mover not in self.seats_in:
            raise Misuse(msg("player {mover} cannot be to move: that seat is not in", mover=self.mover + 1))

    @property
    def _ended(self) -> bool:
        # "The game ends when every line is drawn"; "when one seat is left the game ends and it wins".
        return self.lines == self.board.full or sum(self.present) == 1


def opening(board: Board, seats: int) -> State:
    """Nothing drawn, seat 0 to move."""
    return State(board, 0, bytes(board.boxes), 0, (True,) * seats)


def continued(broken: State, seats: Sequence[int]) -> State:
    """The opening of a game that goes on from another with only these of its seats, in order. Raises `IllegalMove`.

    Lines and boxes stay. The boxes of everybody else are nobody's, and the turn goes to the next who is here.
    """
    if broken.mover is None:
        raise IllegalMove("from", msg("there is no more play to go on from"))
    if len(seats) < 2 or not {*seats} <= {*broken.seats_in}:
        raise IllegalMove("from", msg("only players who are still in a game can go on with it, and two at least"))
    here = tuple(seat in seats for seat in range(len(broken.present)))
    first = broken.mover if broken.mover in seats else _next_seat(here, broken.mover)
    of = {0: 0} | {1 + seat: 1 + at for at, seat in enumerate(seats)}
    owners = bytes(of.get(owner, NOBODY) for owner in broken.owners)
    return State(broken.board, broken.lines, owners, seats.index(first), (True,) * len(seats))


def draw(state: State, line: int) -> State:
    """The state after the mover drew `line`, which must not be drawn yet. O(boxes)."""
    assert state.mover is not None and not state.is_drawn(line)  # noqa: S101 - `DotsAndBoxes.play` asked first
    mover: int | None = state.mover
    lines, owners, claimed = state.lines | 1 << line, state.owners, state.completes(line)
    if claimed:
        # "A line that completes the fourth side of a box claims it for whoever drew it, whoever drew the other three."
        held = bytearray(owners)
        for box in claimed:
            held[box] = state.mover + 1
        owners = bytes(held)
    else:
        # "If no box was claimed the turn passes." Else "the same player must draw again", also after two boxes.
        mover = _next_seat(state.present, state.mover)
    if lines == state.board.full:
        # "the last line always completes a box, and the extra turn then falls away: nobody is to move"
        mover = None
    return State(state.board, lines, owners, mover, state.present, line)


def withdraw(state: State, seat: int) -> State:
    """The state after `seat`, which must be in, resigned or left a game that goes on.

    "the seat is skipped, keeps its boxes and cannot win; if it was to move, the next seat moves; when one seat is
    left the game ends and it wins."
    """
    present = tuple(here and other != seat for other, here in enumerate(state.present))
    mover = state.mover
    if sum(present) == 1:
        mover = None
    elif mover == seat:
        mover = _next_seat(present, seat)
    return replace(state, present=present, mover=mover)


def leaders(state: State) -> tuple[int, ...]:
    """The seats still in that hold the most boxes. "a shared top score is a shared first place: no tie-break" """
    held = state.boxes_held
    most = max(held[seat] for seat in state.seats_in)
    return tuple(seat for seat in state.seats_in if held[seat] == most)


def certain_winner(state: State) -> int | None:
    """The seat that will win whatever is still drawn, if there is one yet.

    "When a player holds more than half of all boxes (13 of 25), or leads the second by more than the boxes still
    open." The second half says it all: against more than half, the second and the open boxes together are less
    than half. A seat that is out cannot win, so it is nobody's second.
    """
    held = state.boxes_held
    first, *others = sorted(state.seats_in, key=lambda seat: -held[seat])
    if not others or held[first] - held[others[0]] > state.open_boxes:
        return first
    return None


def _next_seat(present: tuple[bool, ...], seat: int) -> int:
    """The next seat in order that is in; `seat` itself if it is the only one."""
    count = len(present)
    return next(other % count for other in range(seat + 1, seat + count + 1) if present[other % count])
