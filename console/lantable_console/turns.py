"""Whose turn it is: computer players move, people are asked once, sit down where tiles are hidden, mind their clock."""

import shutil
from typing import Final

import trio

from lantable.clock import shown
from lantable.events import FLAG
from lantable_console.board import LOW
from lantable_console.computers import Computers
from lantable_console.language import tr
from lantable_console.showing import Showing
from lantable_console.telling import Telling
from lantable_net.effects import Effect
from lantable_net.session import Session

LOOK_AT_CLOCK: Final = 0.2
"""Seconds between two looks at it."""


class Turns:
    """Those of one game at this keyboard."""

    def __init__(self, telling: Telling, computers: Computers, showing: Showing) -> None:
        self._board = telling.board
        self._telling = telling
        self._computers = computers
        self._showing = showing
        self._asked = -1
        """Event after which the person was last asked to move, so as to ask once."""
        self._mine = trio.Event()

    def forget(self) -> None:
        """Whoever comes back to a game is asked again."""
        self._asked = -1

    async def next(self) -> None:
        """Let computer players move as long as it is their turn, then ask the person once."""
        await self._computers.play()
        board, telling = self._board, self._telling
        mover, seq = board.position.mover, board.position.seq
        if not board.driver.running:
            return  # what the session takes for its turn is not on the disk
        # The session is ahead of what it tells: nobody is asked for the answer to a move that was not told yet.
        told = telling.told is None or telling.told >= seq
        if board.session.my_turn and mover is not None and told and self._asked != seq:
            self._asked = seq
            self._ask(mover)
            self._mine.set()

    async def until_mine(self) -> None:
        """Wait until the person here is asked for a move: then all that led to it has been told."""
        while not (self._board.session.my_turn and self._asked == self._board.position.seq):
            self._mine = trio.Event()
            await self._mine.wait()

    def _ask(self, seat: int) -> None:
        """Say whose turn it is. What only one of several people here may see waits until that one sits down."""
        board, full = self._board, self._board.context.face.full
        board.rise(seat)
        name = board.name(seat)
        if not board.sits(seat):
            # What was shown to the player before must not stay on the screen.
            board.forget_answers()
            if board.typed and not full:
                board.context.say("\n" * shutil.get_terminal_size().lines)
            key = "s" if full else "Enter"
            board.say(tr("* {name} is to move: press {key} when only {name} sees the screen", name=name, key=key))
            return
        if board.typed and not board.context.args.plain and not full:
            self._showing.board()
        left = board.clock_words(seat)
        time = tr(" ({clock_words} left)", clock_words=left) if board.has_clock else ""
        board.say(tr("* your turn, {name}{time}: type a move", name=name, time=time))

    async def sit_down(self) -> None:
        """Whoever is to move takes the keyboard, and now sees what only this seat may see."""
        await self.next()
        board = self._board
        mover = board.position.mover
        if mover is not None and board.someone_waits:
            board.sit(mover)
            if not board.context.face.full:
                self._showing.board()
            board.say(tr("* your turn, {name}: type a move", name=board.name(mover)))

    # -- the clock

    async def mind_clock(self) -> None:
        """Tell the person when little time is left, and the others when it is over."""
        seen = (-1, 0)
        while not self._board.over:
            mover = self._board.position.mover
            left = self._board.session.left(mover) if mover is not None and self._board.session.my_turn else None
            if mover is not None and left is not None:
                stage = sum(left <= limit for limit in LOW) + (left < 0)
                if seen[0] == self._board.position.seq and stage > seen[1]:
                    self._tell_low(mover, left)
                seen = self._board.position.seq, stage
                if left < 0:
                    await self._run_out()
            await trio.sleep(LOOK_AT_CLOCK)

    def _tell_low(self, seat: int, left: int) -> None:
        clock = self._board.offer.clock
        if left >= 0:
            self._board.say(tr("* time is low: {name} has {left} left", name=self._board.name(seat), left=shown(left)))
        elif clock is not None and clock.points is not None:
            self._board.say(
                tr(
                    "* time is over: each started minute costs {name} {points} points now",
                    name=self._board.name(seat),
                    points=clock.points,
                )
            )

    async def _run_out(self) -> None:
        """Write down that the time of whoever is to move here is over, if that puts a seat out."""

        def write(session: Session) -> list[Effect]:
            position, mover = session.table.position, session.table.position.mover
            late = mover is not None and position.clocks is not None and position.clocks.late(mover, session.elapsed)
            return session.write(FLAG, {}) if late and session.my_turn else []

        await self._telling.act(write)
