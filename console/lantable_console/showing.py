"""What a person may ask of a game: the position, the moves, the players, whether a move would do. Nothing changes."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from lantable.errors import Misuse
from lantable.fold import Position
from lantable.game import Explanation, Rules, explain, read
from lantable.text import safe_text
from lantable_console import language
from lantable_console.board import Board
from lantable_console.eyes import Eyes
from lantable_console.language import tr
from lantable_console.replay import drawn, in_words
from lantable_console.rules import rules_lines
from lantable_console.thinking import think

LISTED: Final = 200
"""Legal moves that are listed at most; some games have 100,000."""
NEWS: Final = 10
"""Lines of news that are told once more."""


class Showing:
    """Answers, each a few lines; those of one game."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def board(self, part: str = "") -> None:
        """The position as a picture with its panel; or a row, a column or a cell of it in words. Raises `Misuse`."""
        if part:
            view = Eyes(self._board.eyes()).view(self._board.position)
            self._board.say(f"  {in_words(self._board.position, view, part)}")
            return
        for line in drawn(self._board.position, Eyes(self._board.eyes()), self._board.context.face.looks):
            self._board.say(f"  {line}")

    async def moves(self) -> None:
        """The legal moves on one line, not more than a person may want to read."""
        position, mover = self._board.position, self._board.position.mover
        if mover is not None and not self._board.sits(mover):
            raise Misuse(tr("moves are listed for whoever is to move and sits here; press Enter to sit down"))
        moves = [] if mover is None else await think(position.rules, lambda rules: _first_moves(rules, position, mover))
        apart = "; " if any(" " in move for move in moves) else " "
        more = tr("{apart}and more than {listed} in all", apart=apart, listed=LISTED) if len(moves) > LISTED else ""
        self._board.say("  " + (apart.join(moves[:LISTED]) + more if moves else tr("there is no move to be made")))

    def score(self) -> None:
        """Who has how much, and whose turn it is."""
        mover = self._board.position.mover
        nobody = tr("the game is over") if self._board.position.outcome is not None else tr("something is being dealt")
        turn = nobody if mover is None else tr("{name} is to move", name=self._board.name(mover))
        self._board.say(f"  {self._board.score(self._board.position.standing)}; {turn}")

    def time(self) -> None:
        """What each has left, who is thinking, and the clock's terms."""
        clock = self._board.offer.clock
        if clock is None:
            raise Misuse(tr("there is no clock in this game"))
        each = ", ".join(
            f"{self._board.name(seat)} {self._board.clock_words(seat)}"
            for seat in range(len(self._board.position.owners))
        )
        mover = self._board.position.mover
        runs = (
            tr("nobody's clock runs")
            if mover is None or self._board.over
            else tr("{name} is to move", name=self._board.name(mover))
        )
        self._board.say(f"  {each}; {runs}; {clock.words}")

    def news(self) -> None:
        """What was told last, once more."""
        for line in lately(self._board.log):
            self._board.context.say(f"  {line}")

    def rules(self) -> None:
        """The rules of this game as it tells them itself."""
        for line in rules_lines(self._board.context.host.game(self._board.offer.game)):
            self._board.context.say(f"  {line}")

    def who(self) -> None:
        """Every player with key, trust and whether they are there; for new ones the words to compare."""
        for seat, chair in enumerate(self._board.offer.seats):
            self._board.say(
                tr(
                    "  player {seat} {name}, key {words}, {notes}",
                    seat=seat + 1,
                    name=self._board.name(seat),
                    words=chair.key.words,
                    notes=", ".join(self.notes(seat)),
                )
            )
        for line in self.words_to_compare():
            self._board.say(f"  {line}")

    def notes(self, seat: int) -> list[str]:
        """Where a player is, and how far they are trusted, in words."""
        owner = self._board.session.table.chain.owners[seat]
        if owner == self._board.session.me:
            return [tr("computer") if seat in self._board.robots else tr("you")]
        person = self._board.driver.person(seat)
        there = tr("not connected") if owner in self._board.session.missing() else tr("connected")
        there = tr("away") if self._board.driver.away(owner) else there
        return [there, tr(person.word)] if person is not None else [there]

    def words_to_compare(self) -> list[str]:
        """A line for everybody whom we meet for the first time."""
        seats = self._board.offer.seats
        people = [(seat, self._board.driver.person(seat)) for seat in range(len(seats))]
        return [
            tr(
                "first time with {name}: both of you should now see the words  {words}",
                name=self._board.name(seat),
                words=person.words,
            )
            for seat, person in people
            if person is not None and person.word == "new" and person.words
        ]

    def players(self) -> str:
        seats = range(len(self._board.offer.seats))
        return ", ".join(tr("player {seat} is {name}", seat=seat + 1, name=self._board.name(seat)) for seat in seats)

    async def try_out(self, text: str) -> None:
        """Say whether a move may be played and what it would make, and play nothing. Raises as `play`, and `Misuse`.

        While another is to move, it is tried as if it were one's own turn.
        """
        position, seat = self._board.position, self._board.hand()
        if not text:
            raise Misuse(tr("type a move behind it, as you would play it"))
        if seat is None:
            raise Misuse(tr("a move can be tried by whoever plays and sits here; press Enter to sit down"))
        move = read(position.rules, position.state, text)
        why = await self.explained(self._board.seen(seat), seat, move)
        if why is None:
            position.rules.play(position.state, seat, move)
            self._board.say(tr("  valid: {move} may be played", move=move))
        else:
            self.say_explained("  valid: " if why.valid else tr("  not valid: "), why)

    async def explained(self, view: Any, seat: int | None, move: str) -> Explanation | None:
        if seat is None:
            return None
        return await think(self._board.position.rules, lambda rules: explain(rules, view, seat, move))

    def say_explained(self, intro: str, why: Explanation) -> None:
        first, *more = why.lines
        self._board.say(f"{intro}{safe_text(language.shown(first), 600)}")
        for line in more:
            self._board.say(f"  {safe_text(language.shown(line), 600)}")


def lately(log: Sequence[str]) -> list[str]:
    """The last news of a log, without the sign that marks it."""
    return [line.removeprefix("* ") for line in log if line.startswith("* ")][-NEWS:]


def _first_moves(rules: Rules[Any], position: Position, seat: int) -> list[str]:
    return list(islice(rules.legal(position.state, seat), LISTED + 1))
