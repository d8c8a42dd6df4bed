"""Computer players: by name, in the seats they have here, and as advisers of the person.

A computer player is asked in a thread, so the game goes on while it thinks; it stops when nobody waits any more.
"""

import trio

from lantable.errors import Misuse
from lantable.fold import Position
from lantable.game import Game, Opponent, nearest
from lantable.text import safe_text
from lantable_console.language import tr
from lantable_console.telling import Telling
from lantable_console.thinking import think
from lantable_net.effects import Effect
from lantable_net.session import Session


def opponent_of(game: Game, name: str) -> Opponent:
    """A computer player by name. Raises `Misuse`."""
    if name not in game.opponents:
        raise Misuse(
            tr("{id} has no computer player {name}", id=game.id, name=repr(name)) + nearest(name, game.opponents)
        )
    return game.opponents[name]


def names_of(opponent: str, count: int) -> list[str]:
    """What so many computer players of one kind are called."""
    return [opponent] if count == 1 else [f"{opponent} {seat}" for seat in range(1, count + 1)]


class Computers:
    """Those of one game at this keyboard; `seed` is what their choices depend on besides the position."""

    def __init__(self, telling: Telling, seed: bytes) -> None:
        self._board = telling.board
        self.helpers: trio.Nursery | None = None
        """Where a hint is looked for while the game goes on."""
        self._telling = telling
        self._seed = seed
        self._moving = trio.Lock()
        """Held while one moves: it is asked once, whoever of two tasks comes first."""
        self._turn: trio.CancelScope | None = None
        """What the one to move thinks in, while it does."""
        self._thinking: trio.CancelScope | None = None

    async def play(self) -> None:
        """Let them move as long as it is their turn. Whoever asks while one thinks waits for it."""
        board = self._board
        async with self._moving:
            while board.session.my_turn and (mover := board.position.mover) is not None and mover in board.robots:
                if not await self._move(board.position, mover):
                    return

    def stop(self) -> None:
        """Whoever resigns or leaves does not wait for the one that is to move: it stops thinking."""
        if self._turn is not None:
            self._turn.cancel()

    async def _move(self, position: Position, seat: int) -> bool:
        """Whether it came to a move."""
        view, robot = position.rules.view(position.state, seat), self._board.robots[seat]
        move = ""
        with trio.CancelScope() as self._turn:
            move = await think(position.rules, lambda rules: robot(rules, view, seat, self._seed))
        self._turn = None
        if not move:
            return False

        def write(session: Session) -> list[Effect]:
            # While it was thinking, another's resignation may have been written down in its place.
            unchanged = session.my_turn and session.table.position.seq == position.seq
            return session.write("move", {"move": move}) if unchanged else []

        await self._telling.act(write)
        return True

    # -- hints

    @property
    def can_hint(self) -> bool:
        """Whether somebody here is to move, and a computer player knows the game."""
        seat = self._board.hand()
        return seat is not None and seat == self._board.position.mover and bool(self._advisers())

    @property
    def thinking(self) -> bool:
        """Whether a hint is being looked for."""
        return self._thinking is not None

    def _advisers(self) -> list[Opponent]:
        return list(self._board.context.host.game(self._board.offer.game).opponents.values())

    async def hint(self) -> None:
        """Ask the strongest computer player what it would play, and show that; nothing is played.

        On the screen the game goes on meanwhile, and the person may drop the question.
        """
        seat = self._board.hand()
        if seat is None or not self.can_hint:
            raise Misuse(tr("a hint is for whoever is to move and sits here, in a game that a computer player knows"))
        self.drop()
        if self._board.context.face.full and self.helpers is not None:
            self.helpers.start_soon(self._find_hint, seat)
        else:
            await self._find_hint(seat)

    async def _find_hint(self, seat: int) -> None:
        position, view, adviser = self._board.position, self._board.seen(seat), self._advisers()[-1]
        with trio.CancelScope() as scope:
            self._thinking = scope
            try:
                move = await think(position.rules, lambda rules: adviser(rules, view, seat, self._seed))
            except Exception as error:  # noqa: BLE001 - a stranger's code: the game must go on
                self._board.context.say(tr("* no hint: {fault}", fault=safe_text(f"{type(error).__name__}: {error}")))
            else:
                if position.seq == self._board.position.seq:
                    self._board.context.face.suggest(move)
            finally:
                if self._thinking is scope:
                    self._thinking = None

    def drop(self) -> None:
        """Whoever looks for a hint need not go on."""
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None
