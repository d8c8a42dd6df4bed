"""Dots and Boxes as `lantable.game.Rules`, with its options, and the `Game` on offer.

Everything is public in this game: a view is the state itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lantable.canonical import Json
from lantable.errors import IllegalMove, Misuse, Untrusted
from lantable.game import Assessed, Flag, Game, HouseRule, OptionValue, Outcome, Picture, Size
from lantable.wording import joined, verbatim
from lantable_dots_and_boxes.board import LARGEST, SMALLEST, Board, board
from lantable_dots_and_boxes.lens import lens
from lantable_dots_and_boxes.notation import read_position, write_position
from lantable_dots_and_boxes.opponents import careful, easy, expert
from lantable_dots_and_boxes.picture import picture
from lantable_dots_and_boxes.reading import aloud
from lantable_dots_and_boxes.solver import Solver, TooLong, nothing
from lantable_dots_and_boxes.state import MOST_SEATS, State, continued, draw, leaders, opening, withdraw
from lantable_dots_and_boxes.wording import msg, msgs

ANALYSIS = 200_000
"""Steps of the solver for all lines of a position: some seconds."""


@dataclass(frozen=True, slots=True)
class DotsAndBoxes:
    """The rules on one board. `award_rest`: whoever resigns against one opponent also gives it the open boxes."""

    board: Board
    award_rest: bool = False
    pause: Callable[[], None] = field(default=nothing, compare=False, repr=False)
    """Called again and again while an ending is solved; it may raise to end that."""

    def pausing(self, pause: Callable[[], None]) -> "DotsAndBoxes":
        return replace(self, pause=pause)

    def start(self, seats: int) -> State:
        return opening(self.board, seats)

    def starts(self, state: State, seat: int) -> State:
        """2: "who sits there is drawn by lot by the players themselves": here any seat may be the one that begins."""
        return replace(state, mover=seat)

    def continued(self, position: str, seats: Sequence[int]) -> State:
        """Raises `Untrusted("position")` or `IllegalMove("from")`."""
        try:
            broken = read_position(position)
        except Misuse as error:
            raise Untrusted("position", verbatim("{error}", error=error)) from None
        if broken.board != self.board:
            raise Untrusted(
                "position", msg("a position of {other} is none of {size}", other=broken.board, size=self.board)
            )
        return continued(broken, seats)

    def bag_left(self, state: State) -> Sequence[str]:
        return ()

    def to_move(self, state: State) -> int | None:
        return state.mover

    def play(self, state: State, seat: int, move: str) -> State:
        """Raises `IllegalMove` with code `not_your_turn`, `drawn` or one of those of `parse`."""
        if seat != state.mover:
            raise IllegalMove("not_your_turn", msg("it is not player {seat}'s turn", seat=seat + 1))
        line = self.board.numbers.get(move)
        if line is None:
            raise IllegalMove("notation", msg("this line is written {notation}", notation=self.parse(move)))
        if state.is_drawn(line):
            raise IllegalMove("drawn", msg("{move} is already drawn; choose a line that is not", move=move))
        return draw(state, line)

    def legal(self, state: State, seat: int) -> Sequence[str]:
        """In the order of line numbers: horizontal lines first, row by row."""
        if seat != state.mover:
            return ()
        return tuple(name for line, name in enumerate(self.board.names) if not state.is_drawn(line))

    def withdraw(self, state: State, seat: int) -> State:
        """Raises `IllegalMove` with code `over` or `not_in`."""
        if state.mover is None:
            raise IllegalMove("over", msg("the game is over"))
        if seat not in state.seats_in:
            raise IllegalMove("not_in", msg("player {seat} is not in the game", seat=seat + 1))
        return withdraw(state, seat)

    def standing(self, state: State) -> Outcome:
        return Outcome(self._scores(state), leaders(state))

    def parse(self, text: str) -> str:
        """Raises `IllegalMove` with code `notation`, `off_board` or `not_neighbours`."""
        return self.board.parse(text)

    def position(self, state: State) -> str:
        return write_position(state)

    def view(self, state: State, seat: int | None) -> State:
        return state

    def aloud(self, view: State, part: str) -> str | None:
        return aloud(view, part)

    def picture(self, view: State) -> Picture:
        return picture(view, self.standing(view))

    def analyse(self, view: State, seat: int, count: int, also: Sequence[str]) -> Sequence[Assessed]:
        """Lines by how many more boxes than the other their player gets from here on, if both play perfectly.

        None where more than two are in, or too many lines are left to say.
        """
        if seat != view.mover or len(view.seats_in) != 2:
            return ()
        solver = Solver(self.board, ANALYSIS, self.pause)
        lines = [line for line in range(len(self.board.names)) if not view.is_drawn(line)]
        try:
            values = {line: solver.after(view.lines, line) for line in lines}
        except TooLong:
            return ()
        best = sorted(lines, key=lambda line: (-values[line], line))[:count]
        best += [line for line in map(self.board.numbers.__getitem__, also) if line not in best]
        return [Assessed(self.board.names[line], _margin(values[line]), values[line]) for line in best]

    def set_up(self, text: str) -> State:
        """Raises `Misuse`."""
        state = read_position(text)
        if state.board != self.board:
            raise Misuse(
                msg(
                    "this position is on {board}, not on {ours}; say --rules size={board}",
                    board=state.board,
                    ours=self.board,
                )
            )
        return state

    def gloss(self, view: State) -> Sequence[str]:
        return tuple(lens(view))

    def describe(self) -> Json:
        return {
            "rows": self.board.rows,
            "columns": self.board.cols,
            "award_rest": self.award_rest,
            "first": "seat 0",
            "turn": "draw one undrawn line between orthogonal neighbours",
            "claim": "whoever draws the fourth side",
            "after_claim": "draw again once",
            "passing": False,
            "claiming_forced": False,
            "end": "every line drawn or one seat in",
            "winners": "most boxes among seats in, shared when equal",
            "withdrawn": "skipped, keeps its boxes, cannot win",
            "notation": "upper or left dot, r or d",
        }

    def _scores(self, state: State) -> tuple[int, ...]:
        """Boxes held. "`award_rest` gives the open boxes to the opponent (two players only, default off)" """
        held = state.boxes_held
        if self.award_rest and len(held) == 2 and len(state.seats_in) == 1:
            heir = state.seats_in[0]
            return tuple(boxes + (state.open_boxes if seat == heir else 0) for seat, boxes in enumerate(held))
        return held


def make(options: Mapping[str, OptionValue], house_rules: Sequence[HouseRule]) -> DotsAndBoxes:
    """The rules for chosen options. Raises `Misuse` for a house rule: this game defines none."""
    if house_rules:
        raise Misuse(msg("Dots and Boxes takes no house rules; leave out {name}", name=house_rules[0].name))
    rows, _, cols = str(options["size"]).partition("x")
    return DotsAndBoxes(board(int(rows), int(cols)), bool(options["award_rest"]))


def _margin(value: int) -> str:
    """What a line is worth, in words."""
    if value > 0:
        return msgs("wins {n} box more from here on", "wins {n} boxes more from here on", value)
    if value < 0:
        return msgs("loses by {n} box from here on", "loses by {n} boxes from here on", -value)
    return msg("as many boxes for both from here on")


RULES_TEXT = joined(
    "\n\n",
    (
        msg("""\
Dots stand in rows and columns. In turn, each player draws one line between two dots that are neighbours \
across or down."""),
        msg("""\
Whoever draws the fourth side of a box owns it, whoever drew the other three, and must draw again. One line may close \
two boxes; that is still one more line to draw. Nobody has to close a box, and nobody may pass."""),
        msg("""\
When every line is drawn, whoever owns the most boxes has won; an equal number shares first place. Once a player \
cannot be caught up with any more this is shown, and play goes on to the last line unless all agree to stop."""),
        msg("""\
A line is written as its upper or left dot and a direction: a1r goes from a1 to the right, b2d from b2 down. \
a1-b1 means the same as a1r. Letters name columns from the left, numbers name rows from the top."""),
        msg("""\
Two to four play. Whoever resigns or leaves keeps their boxes, is skipped, and cannot win; the last one left wins."""),
        msg("""\
If somebody is gone for good the others can continue from where it stands. The boxes of who is gone stay on the \
board and count for nobody."""),
        msg("""\
size=ROWSxCOLUMNS: how many boxes, 5x5 unless told otherwise, from 1x1 to 12x12."""),
        msg("""\
award_rest=yes: with two players, whoever resigns gives the open boxes to the other; usually they stay open."""),
    ),
)

DOTS_AND_BOXES = Game(
    id="dots-and-boxes",
    version="1.0",
    titles={"en": "Dots and Boxes", "it": "Punti e linee", "tr": "Noktalar ve Kutular"},
    options=(
        Size("size", "5x5", SMALLEST, LARGEST, msg("boxes, rows x columns")),
        Flag("award_rest", False, msg("who resigns against one opponent gives it the open boxes")),
    ),
    make=make,
    seats=(2, MOST_SEATS),
    presets={"standard": {}},
    opponents={"easy": easy, "careful": careful, "expert": expert},
    rules_text={"en": RULES_TEXT},
)
