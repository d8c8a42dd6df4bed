"""Games over the network, as the person has them: which one is before them, which go on meanwhile, which comes next.

Also how a game that is kept comes back: the node holds it again from its record.
"""

from typing import Final

import trio

from lantable.errors import Misuse
from lantable.game import continuing
from lantable.text import safe_name
from lantable_console.computers import opponent_of
from lantable_console.context import Context
from lantable_console.driver import Acquaintance, Do, Elsewhere, News
from lantable_console.language import tr
from lantable_console.lobby import Lobby
from lantable_console.loop import Loop
from lantable_net import news
from lantable_net.node import Effect, Node, Stored, Tell
from lantable_net.session import Session

FINISH_SECONDS: Final = 5.0
"""How long a finished game waits for the others to say that they have all of it."""


class NetworkTable:
    """The play loop's driver for a game over the network."""

    def __init__(self, lobby: Lobby, game: bytes, session: Session) -> None:
        self._lobby = lobby
        self._game = game
        self._session = session
        self.loop: Loop
        self.following: bytes | None = None
        """A game that began when this one was over, and is played next."""

    @property
    def stays(self) -> bool:
        return True

    @property
    def next(self) -> bool:
        return self.following is not None

    @property
    def session(self) -> Session:
        # After a failed write the node drops the session; what it knew may still be shown.
        return self._lobby.node.sessions.get(self._game, self._session)

    @property
    def running(self) -> bool:
        return self._game in self._lobby.node.sessions

    def person(self, seat: int) -> Acquaintance | None:
        node = self._lobby.node
        key = self.session.table.chain.offer.seats[seat].key
        if key == node.identity.key.public:
            return None
        link = node.link_to(key)
        if link is not None:
            peer = node.links[link].peer
            return Acquaintance(self._lobby.trust_word(peer), peer.words)
        known = self._lobby.store.get(key)
        return Acquaintance(known.state.value if known else "new")

    async def act(self, do: Do) -> None:
        await self._lobby.service.do(lambda node: node.act(self._game, do))

    def follows(self, began: news.Began) -> bool:
        """Whether a game that has begun comes after this one: this is over, or that goes on from it."""
        from_this = began.offer.continues is not None and began.offer.continues.game == self._game
        return self.session.table.complete or from_this

    def away(self, owner: int) -> bool:
        return self._lobby.is_away(self.session.table.chain.key(owner))

    async def rematch(self) -> None:
        await self._lobby.together.rematch()

    @property
    def can_go_on(self) -> bool:
        table = self.session.table
        some = bool(self.session.missing()) and len(self._lobby.node.here(self._game)) > 1
        return some and self.running and not table.complete and continuing(table.position.rules) is not None

    async def go_on(self) -> str:
        names = ", ".join(self._lobby.together.not_here(self._game))
        await self._lobby.together.go_on(self._game)
        return names

    async def chat(self, text: str) -> None:
        await self._lobby.together.chat(text, self._game)

    def mute(self, name: str, *, muted: bool) -> None:
        self._lobby.together.mute(name, muted=muted)

    def talkers(self) -> list[str]:
        return self._lobby.together.talkers()

    async def go_away(self, *, away: bool) -> None:
        await self._lobby.together.go_away(away=away)

    async def finish(self) -> None:
        """Stay until all is on disk and the others say that they have the whole game, for a little while."""
        with trio.move_on_after(FINISH_SECONDS):
            # The end of a game is told before its last line is written: what is asked now is done after that.
            await self._lobby.service.do(lambda _: [])
            while self.session.table.complete and not self.session.everyone_has_it():
                await self._lobby.service.changed()


class Games:
    """Those of one lobby; `elsewhere` is what goes on besides the one that is before the person."""

    def __init__(self, lobby: Lobby, elsewhere: Elsewhere) -> None:
        self.waiting: list[bytes] = []
        """Those that have begun and are not before the person; the next one first."""
        self._lobby = lobby
        self._elsewhere = elsewhere
        self._tables: dict[bytes, NetworkTable] = {}
        """Those that are or were before the person."""

    # -- playing

    async def play(self, game: bytes, told: int = 0) -> int | None:
        """Play a game, and rematches of it, until the person leaves; None if it turns out that it never began.

        `told` is the last event that is no news.
        """
        while True:
            code, following = await self._play_one(game, told)
            if following is None:
                return code
            game, told = following, 0

    async def _play_one(self, game: bytes, told: int) -> tuple[int | None, bytes | None]:
        """One game, and which one is to be played next: its rematch, another one that waits, or none."""
        table = self._tables.get(game) or self._table(game, told)
        loop = table.loop
        together = self._lobby.together
        together.game, together.playing = game, True
        if game in self.waiting:
            self.waiting.remove(game)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._elsewhere.beside, loop.news)
            code = await loop.run()
            nursery.cancel_scope.cancel()
        together.playing = False
        if loop.switching:
            self.waiting.append(game)
        elif loop.board.over:
            self._tables.pop(game, None)
        following = table.following
        if following is None and self.waiting and (loop.switching or (loop.board.over and not loop.left)):
            following = self.waiting[0]
        return None if loop.telling.never_began else code, following

    def _table(self, game: bytes, told: int) -> NetworkTable:
        """A game of the node as something to be played."""
        session = self._lobby.node.sessions[game]
        context = self._lobby.context
        args, robots = context.args, {}
        if getattr(args, "auto", None):
            robot = opponent_of(context.host.game(session.table.chain.offer.game), args.auto)
            robots = {s: robot for s, o in enumerate(session.table.chain.owners) if o == session.me}
        table, seed = NetworkTable(self._lobby, game, session), args.seed.encode()
        table.loop = Loop(context, table, News(), robots=robots, seed=seed, told=told, elsewhere=self._elsewhere)
        self._tables[game] = table
        return table

    # -- while one is before the person

    def shown(self, board: News) -> NetworkTable | None:
        """The game over the network that is before the person, if it is one."""
        return next((table for table in self._tables.values() if table.loop.news is board), None)

    def deliver(self, tell: Tell, board: News | None = None) -> bool:
        """Give news of a game to its own board; whether it was that. Its turn is told on the other `board`."""
        table = None if tell.game is None else self._tables.get(tell.game)
        if table is None:
            return False
        table.loop.news.put(tell.news)
        if board is not None and table.loop.news is not board:
            self._remind(table.loop, board)
        return True

    @staticmethod
    def _remind(other: Loop, board: News) -> None:
        session, seq = other.board.session, other.board.position.seq
        if session.my_turn and other.reminded != seq:
            other.reminded = seq
            board.put(tr("it is your turn in the other game: switch {game}", game=session.game.hex()[:8]))

    def note_begun(self, began: news.Began, board: News) -> None:
        """A game begins while another is before the person: it comes next if it follows from that, else it waits."""
        game, shown = began.game, self.shown(board)
        if shown is not None and shown.follows(began):
            shown.following = game
            board.put(None)
            return
        self.waiting.append(game)
        offer = self._lobby.node.sessions[game].table.chain.offer
        others = ", ".join(safe_name(seat.name) for seat in offer.seats if seat.key != self._lobby.own_key)
        board.put(
            tr(
                "another game has begun, with {others}: go there with  switch {game}",
                others=others,
                game=game.hex()[:8],
            )
        )

    def choose(self, game: str) -> None:
        """Which of the waiting games comes next. Raises `Misuse`."""
        waiting = self.waiting
        found = [one for one in waiting if one.hex().startswith(game)]
        if not found:
            raise Misuse(
                tr("no other game of yours has begun")
                if not waiting
                else tr("no other game is called {game}", game=repr(game))
            )
        waiting.remove(found[0])
        waiting.insert(0, found[0])


def stored(context: Context, game: bytes) -> Stored | None:
    """A game as this home holds it, for the node."""
    archive = context.home.archive
    if not archive.path(game).exists():
        return None
    lines, mark = archive.open(game)
    return Stored(lines, mark, context.home.evidence(game)) if lines else None


def unfinished(context: Context, wanted: str) -> bytes:
    """The game whose id begins so, by default the only unfinished one. Raises `Misuse`."""
    archive = context.home.archive
    if wanted:
        return archive.find(wanted)
    kept = [summary.game for summary in archive.list(context.host.rules_for) if summary.state == "unfinished"]
    if len(kept) != 1:
        ids = ", ".join(game.hex()[:8] for game in kept)
        raise Misuse(tr("say which game to resume: {ids}", ids=ids) if ids else tr("there is no unfinished game here"))
    return kept[0]


def is_local(context: Context, game: bytes) -> bool:
    """Whether one key has every seat, so that no network is needed."""
    offer = context.home.archive.summary(game, context.host.rules_for).offer
    return offer is not None and len({seat.key for seat in offer.seats}) == 1


async def take_up(lobby: Lobby, game: bytes) -> int:
    """Let the node hold a game from its record; its last event. Raises `Misuse`."""

    def held(node: Node) -> list[Effect]:
        # In the one task that acts: whoever is back before us may have asked about this game, and so opened its record.
        if game in node.sessions:
            return []
        on_disk = stored(lobby.context, game)
        if on_disk is None:
            raise Misuse(tr("the record of game {game} is empty", game=game.hex()[:8]))
        return node.resume(on_disk)

    await lobby.service.do(held)
    return lobby.node.sessions[game].table.position.seq
