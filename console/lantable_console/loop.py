"""One game at the keyboard: what happened is told, what is typed is done.

The loop knows no game and no network. It speaks to a `Driver`, which runs the session: `play.LocalTable` when one
machine holds every seat, else `games.NetworkTable`. So a move takes the same way everywhere: `commands.read` finds no
command in a typed line, the rules parse it, and `telling.Telling.act` takes it to `session.Session.write`.
What is told, who sees what, whose turn it is and what can be asked are parts of their own; here they are put together.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

import trio

from lantable.errors import DiskFault, IllegalMove, LantableError, Misuse
from lantable.events import NoticeKind
from lantable.fold import Position
from lantable.game import Opponent, read
from lantable.text import safe_name, safe_text
from lantable_console import commands, language
from lantable_console.board import Board
from lantable_console.commands import Place
from lantable_console.computers import Computers
from lantable_console.context import Context
from lantable_console.driver import Driver, Elsewhere, News
from lantable_console.language import tr
from lantable_console.showing import Showing
from lantable_console.telling import Telling
from lantable_console.turns import Turns

DISK_FAILED: Final = 6


class _Left(Exception):
    """The person wants out."""


class Loop:
    """Plays one game until it is over, stopped, or left. `robots` play the seats they are given.

    `told` is the last event that was told before this began; None: all that are there when it begins.
    """

    place: ClassVar[Place] = Place.GAME

    def __init__(
        self,
        context: Context,
        driver: Driver,
        news: News,
        *,
        robots: Mapping[int, Opponent] | None = None,
        seed: bytes = b"",
        elsewhere: Elsewhere | None = None,
        told: int | None = None,
    ) -> None:
        self.context = context
        self.driver = driver
        self.news = news
        self.elsewhere: Elsewhere | None = elsewhere
        self.board: Board = Board(context, driver, robots or {})
        self.telling: Telling = Telling(self.board, news, told)
        self.showing: Showing = Showing(self.board)
        self.computers: Computers = Computers(self.telling, seed)
        self.turns: Turns = Turns(self.telling, self.computers, self.showing)
        self.switching = False
        """Whether the person left for another game, and this one goes on."""
        self.reminded = -1
        """Event after which the person was told, in another game, that it is their turn in this one."""
        self._left = False
        self._away = False
        """Whether the others were told that nobody sits here."""

    # -- asking

    @property
    def can_rematch(self) -> bool:
        """Whether a game of ours is over."""
        return self.board.session.me is not None and self.board.session.table.complete

    @property
    def can_wish(self) -> bool:
        """Whether this seat has a say in a game that goes on."""
        return self.board.session.may_sign and self.board.position.outcome is None

    @property
    def left(self) -> bool:
        """Whether the person said to leave it."""
        return self._left

    # -- running

    async def run(self) -> int:
        """Play. The exit code: 0 over or left in good order, 1 stopped by a fork or a refusal, 6 by the disk.

        May be run again for a game that was left for another one.
        """
        self._left = self.switching = False
        self.turns.forget()
        with self.context.face.show(self):
            await self._play()
            self._say_goodbye(self.board.session.game.hex()[:8])
            if (
                self.board.over
                and not self.telling.never_began
                and not self._left
                and not self.driver.next
                and self._lingers
            ):
                await self._linger()
        for offer in list(self.board.session.offers.open.values()):
            self.context.questions.drop(self.telling.about(offer))
        if self.board.session.stopped:
            return 1
        return 0 if self.driver.running or self.telling.never_began else DISK_FAILED

    @property
    def _lingers(self) -> bool:
        """On a full screen the end is looked at; in lines only by a person, and not where a robot plays alone."""
        return self.context.face.full or (self.context.face.lingers and not self.board.all_robots())

    async def _linger(self) -> None:
        """It is over: the board, words and a rematch are still there, until the person leaves or a new game begins."""
        if not self.context.face.full:
            self.board.say(tr("* rematch asks for another game, quit leaves"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_lines, nursery.cancel_scope)
            while not self.driver.next:
                await self.news.wait()
                self.telling.tell_all()
            nursery.cancel_scope.cancel()

    def _say_hello(self, game: str) -> None:
        if self.board.log:
            self.board.say(tr("* back in game {game}; {players}", game=game, players=self.showing.players()))
            return
        offer = self.board.offer
        self.context.diary.note("game_began", game=game, plugin=offer.game, seats=len(offer.seats))
        self.telling.told = self.board.position.seq if self.telling.told is None else self.telling.told
        how = tr("? shows every key") if self.context.face.full else tr("type help for what you can do")
        self.board.say(tr("* game {game} begins; {players}; {how}", game=game, players=self.showing.players(), how=how))
        if (clock := offer.clock) is not None:
            self.board.say(tr("* clock {clock}: {words}", clock=clock, words=clock.words))
        if self.context.face.full:  # the lobby, where this was said, is out of sight
            for line in self.showing.words_to_compare():
                self.board.say(f"* {line}")

    async def _play(self) -> None:
        self._say_hello(self.board.session.game.hex()[:8])
        try:
            async with trio.open_nursery() as nursery:
                if self.board.position.clocks is not None:
                    nursery.start_soon(self.turns.mind_clock)
                self.computers.helpers = nursery
                if not self.board.all_robots():
                    nursery.start_soon(self._read_lines, nursery.cancel_scope)
                await self._follow()
                nursery.cancel_scope.cancel()
        finally:
            self.telling.tell_all()
            with trio.CancelScope(shield=True):
                await self.driver.finish()
            self.telling.tell_all()

    def _say_goodbye(self, game: str) -> None:
        how = (
            "game_stopped"
            if self.board.session.stopped
            else "game_over"
            if self.board.session.table.complete
            else "game_left"
        )
        self.context.diary.note(how, game=game, events=self.board.session.table.chain.seq)
        if self.board.session.stopped:
            self.board.say(tr("* the game was stopped for good; this shows why: lantable audit {game}", game=game))
        elif self.telling.never_began:
            self.board.say(tr("* game {game} was never begun and is set aside", game=game))
        elif self.driver.next and not self.board.session.table.complete:
            self.board.say(tr("* game {game} stays as it is; another game goes on from it", game=game))
        elif self.board.session.table.complete:
            self.board.say(tr("* the record is complete: lantable audit {game}, lantable replay {game}", game=game))
        elif self.switching and self.driver.stays:
            self.board.say(tr("* game {game} goes on meanwhile; switch leads back to it", game=game))
        else:
            self.board.say(tr("* the game is kept; go on with it later: lantable resume {game}", game=game))

    async def _follow(self) -> None:
        """Tell what happens and let robots move, until the game is over or stopped."""
        self.telling.tell_all()
        await self.turns.next()
        while not self.board.over and not self.driver.next:
            await self.news.wait()
            self.telling.tell_all()
            await self.turns.next()

    # -- what is typed

    async def _read_lines(self, scope: trio.CancelScope) -> None:
        try:
            async for line in self.context.face.lines():
                await self.obey(line)
        except _Left:
            self._left = True
        scope.cancel()

    async def obey(self, line: str) -> None:
        """One typed line: a command or a move; what is wrong with it is said."""
        command, rest = commands.read(Place.GAME, line)
        try:
            if command is None:
                await self._move(line.strip().removeprefix(":"))
            elif (doing := command.do(self, rest)) is not None:
                await doing
        except IllegalMove as error:
            self.board.say(tr("* not played ({code}): {error}", code=error.code, error=safe_text(language.told(error))))
        except DiskFault:
            raise  # what the session knows is not on the disk, so it must not go on
        except LantableError as error:
            self.board.say(f"* {safe_text(language.told(error))}")

    async def _move(self, text: str) -> None:
        await self._back_again()
        await self.turns.next()
        if not self.board.typed:
            await self.turns.until_mine()  # a pipe writes ahead
        position = self.board.position
        seat, view = position.mover, self.board.seen(position.mover)
        move = read(position.rules, position.state, text)
        try:
            await self.telling.act(lambda session: session.write("move", {"move": move}))
        except IllegalMove as error:
            why = await self.showing.explained(view, seat, move)
            if why is None or why.valid:
                raise
            self.showing.say_explained(tr("* not played ({code}): ", code=error.code), why)

    # -- wishes

    async def wish(self, kind: NoticeKind, to: int | None = None) -> None:
        """Ask for it, or do it if that takes nobody else."""
        if kind == "leave" and len(set(self.board.position.owners)) <= 2:
            raise IllegalMove("resign_instead", tr("with two players, leaving is resigning; type  resign"))
        if kind in ("resign", "leave") and self.board.position.mover in self.board.robots:
            seats = range(len(self.board.position.owners))
            here = [seat for seat in seats if self.board.yours(seat) and seat not in self.board.position.out]
            if here:
                # It is due, but it is not the one who goes, and nobody who goes waits for it.
                self.computers.stop()
                await self.telling.act(lambda session: session.write(kind, {"of": here[0]}))
                return
        # A computer player at this table answers first: it is not the one who takes back.
        await self.turns.next()
        open_before = self.board.session.offers.open.get(kind)
        await self.telling.act(lambda session: session.wish(kind, to))
        if kind in self.board.session.wishes().get(self.board.session.me or 0, []):
            offer = self.board.session.offers.open.get(kind)
            what = kind if offer is None else self.telling.offer_words(offer)
            mine = offer is None or offer != open_before
            self.board.say(
                tr("* noted, and the others are asked: {what}", what=what)
                if mine
                else tr("* you agree: {what}", what=what)
            )
        elif open_before is not None:
            self.context.questions.drop(self.telling.about(open_before))

    async def undo(self, text: str) -> None:
        """Ask to take back to event N, by default to just before one's own last move."""
        if text and not text.isdecimal():
            raise Misuse(tr("undo takes the number of the event to go back to, such as  undo 12"))
        await self.wish("takeback", int(text) if text else self._before_my_last_move())

    def _before_my_last_move(self) -> int:
        position: Position | None = self.board.position
        while position is not None and position.last is not None:
            if position.last.type == "move" and self.board.yours(position.last.seat):
                return position.seq - 1
            position = position.before
        raise Misuse(tr("you have not moved yet"))

    # -- with the others

    async def answer(self, text: str, *, yes: bool) -> None:
        """Answer a question by its number. Raises `Misuse`."""
        await self.context.questions.answer(text, yes=yes)

    @property
    def can_go_on(self) -> bool:
        return self.driver.can_go_on

    async def go_on(self) -> None:
        """Go on with those who are here, as another game, without whoever is not."""
        names = await self.driver.go_on()
        if not self.driver.next:
            self.board.say(
                tr(
                    "* the others are asked to go on without {names}, as another game; tiles, if any, are drawn anew",
                    names=names,
                )
            )

    async def rematch(self) -> None:
        """Ask for another game of the same rules, or agree to one."""
        await self.driver.rematch()
        if not self.driver.next:
            self.board.say(tr("* the others are asked for a rematch, in which the next player begins"))

    async def chat(self, text: str) -> None:
        await self._back_again()
        await self.driver.chat(text)

    def mute(self, name: str, *, muted: bool) -> None:
        self.driver.mute(name, muted=muted)

    def talkers(self) -> list[str]:
        return self.driver.talkers()

    async def go_away(self, *, away: bool) -> None:
        """Tell the others whether somebody sits here."""
        await self.driver.go_away(away=away)
        self._away = away
        self.board.say(
            tr("* the others see that you are away; your clock, if there is one, runs on")
            if away
            else tr("* you are back")
        )

    async def _back_again(self) -> None:
        """Whoever does something is not away any more."""
        if self._away:
            await self.go_away(away=False)

    async def never_mind(self) -> None:
        """Drop one's own wishes."""
        mine = self.board.session.wishes().get(self.board.session.me or 0, [])
        for kind in mine:
            await self.telling.act(lambda session, kind=kind: session.unwish(kind))  # type: ignore[misc]  # binds the loop variable
        self.board.say(tr("  wishes dropped: {mine}", mine=", ".join(mine) or tr("there were none")))

    # -- elsewhere

    def others(self) -> Elsewhere:
        """What goes on besides. Raises `Misuse` where nothing can."""
        if self.elsewhere is None:
            raise Misuse(tr("this game is played without a network; lantable alone opens the lobby"))
        return self.elsewhere

    def invitations(self) -> list[str]:
        return self.elsewhere.invitations() if self.elsewhere is not None else []

    def waiting(self) -> list[str]:
        return self.elsewhere.waiting() if self.elsewhere is not None else []

    def show_invitations(self) -> None:
        """Tables one could sit down at, and games that have begun besides this one."""
        for line in self.others().invitation_lines():
            self.board.say(f"  {line}")
        names, games = self.invitations(), self.waiting()
        self.board.say(
            tr(
                "  invitations: {tables}; sit down with: join TABLE",
                tables=", ".join(map(safe_name, names)) or tr("none"),
            )
        )
        self.board.say(
            tr("  other games that run: {games}; go there with: switch GAME", games=", ".join(games) or tr("none"))
        )

    async def join(self, name: str) -> None:
        """Ask for a seat at another table; this game goes on."""
        others, names = self.others(), self.invitations()
        name = name or next(iter(names), "")
        if not name:
            raise Misuse(tr("there is no invitation now"))
        await others.join(name)
        self.board.say(
            tr(
                "* asked for a seat at {name}; this game goes on, and you are told when that one begins",
                name=safe_name(name),
            )
        )

    def switch(self, game: str) -> None:
        """Go to another game that runs."""
        self.others().choose(game)
        self.switching = True
        raise _Left

    def help(self) -> None:
        self.board.say(tr("  anything else is a move in the game's notation"))
        for line in commands.help_lines(Place.GAME):
            self.board.say(f"  {line}")

    def quit(self) -> None:
        raise _Left
