"""The lobby as the person has it before them: what is listed there, what others invite to, and all that can be typed.

While a game is before the person the lobby goes on, and what happens there is told beside that game.
"""

import secrets
import shlex
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

import trio

from lantable.errors import LantableError, Misuse
from lantable.game import Game, Opponent, OptionValue, nearest
from lantable.keys import PublicKey
from lantable.text import safe_name, safe_text
from lantable_console import commands, identity, inviting, joining, network
from lantable_console.commands import Place
from lantable_console.computers import names_of
from lantable_console.context import Context
from lantable_console.driver import Do, News
from lantable_console.games import Games, is_local, take_up, unfinished
from lantable_console.language import by_language, told, tr
from lantable_console.lobby import Lobby
from lantable_console.opening import Chosen, new_table
from lantable_console.play import local_game, play_here, resumed_here
from lantable_console.rules import rules_lines
from lantable_console.showing import lately
from lantable_net import news
from lantable_net.handshake import Peer
from lantable_net.invitation import is_invitation
from lantable_net.messages import TableInfo
from lantable_net.session import Session
from lantable_net.trust import same_name


class _Left(Exception):
    """The person wants out."""


class Desk:
    """One lobby at this keyboard, and the games that begin in it; an `Elsewhere` of each of these."""

    place: ClassVar[Place] = Place.LOBBY

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.games = Games(lobby, self)
        self.busy: bool = False
        """Whether one certain game is waited for."""
        self.wanted = ""
        """Only people and tables with this in their line are shown."""
        self._announced: dict[tuple[bytes, str], str] = {}
        self._aside: set[tuple[bytes, str]] = set()
        """Invitations that were declined."""
        self._next: Callable[[], Awaitable[object]] | None = None
        """What is to be played once the wait in the lobby has ended."""

    @property
    def context(self) -> Context:
        return self.lobby.context

    # -- asking

    def open_tables(self) -> list[tuple[Peer, TableInfo]]:
        """Tables of others at which a seat is free."""
        return [(peer, info) for peer, info in self.lobby.tables() if len(info.taken) < info.seats]

    def invited(self) -> list[tuple[Peer, TableInfo]]:
        """Open tables of others that were not put aside, as far as their games can be played here."""
        games = self.lobby.context.host.games
        return [
            (peer, info)
            for peer, info in self.open_tables()
            if (peer.key.raw, info.name) not in self._aside and info.game in games and info.name not in self.lobby.asked
        ]

    def invitations(self) -> list[str]:
        """The names of those tables, the oldest first."""
        return [info.name for _, info in self.invited()]

    def invitation_lines(self, name: str = "") -> list[str]:
        """An invitation in words, the oldest unless one is named: from whom, to what, and whether it can be played."""
        invited = [(peer, info) for peer, info in self.invited() if name in ("", info.name)]
        if not invited:
            return []
        (peer, info), lobby = invited[0], self.lobby
        game = lobby.context.host.games[info.game]
        here = tr("as yours") if game.version == info.version else tr("yours is {version}", version=game.version)
        more = tr("  ({invited} more)", invited=len(invited) - 1) if len(invited) > 1 else ""
        return [
            tr(
                "INVITATION from {called} ({trust_word}) to {name}{more}",
                called=lobby.called(peer),
                trust_word=lobby.trust_word(peer),
                name=safe_name(info.name),
                more=more,
            ),
            tr(
                "{game_line}; you would be player {taken} of {seats}",
                game_line=lobby.game_line(info),
                taken=len(info.taken) + 1,
                seats=info.seats,
            ),
            tr(
                "plays {game} {version}, {here}",
                game=safe_text(info.game, 64),
                version=safe_text(info.version, 32),
                here=here,
            ),
        ]

    def running_games(self) -> list[str]:
        """Games of ours that run here and can be gone on with, by the first digits of their ids."""
        return [game.hex()[:8] for game, _ in self.lobby.running()]

    def table_names(self) -> list[str]:
        return [info.name for _, info in self.lobby.tables()]

    def own_tables(self) -> list[str]:
        """Tables of ours that wait for players."""
        return self.lobby.node.open_tables()

    @property
    def can_rematch(self) -> bool:
        """Whether a game of ours is over."""
        return self.lobby.together.can_rematch

    def talkers(self) -> list[str]:
        return self.lobby.together.talkers()

    def game_names(self) -> list[str]:
        return list(self.lobby.context.host.games)

    # -- waiting

    async def run(self) -> int:
        """The lobby, and every game that begins in it, until the person leaves."""
        while True:
            self._next = None
            with self.lobby.context.face.show(self):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._read, nursery.cancel_scope)
                    nursery.start_soon(self._listen, nursery.cancel_scope)
            if (go_on := self._chosen_next()) is None:
                return 0
            await go_on()

    def _chosen_next(self) -> Callable[[], Awaitable[object]] | None:
        """What ended the wait, if it was not the person who left."""
        return self._next

    async def attending(self, wait: Callable[[], Awaitable[bytes]], *, reads: bool = False) -> bytes:
        """The game that is waited for; the lobby is before the person meanwhile, as far as lines are read.

        In line mode a pipe writes ahead, and what it says is for the game, unless somebody must answer questions.
        """
        face = self.lobby.context.face
        self.busy = True
        with face.show(self):
            async with trio.open_nursery() as nursery:
                if face.full or reads:
                    nursery.start_soon(self._read, self.lobby.leaving)
                game = await wait()
                nursery.cancel_scope.cancel()
        return game

    async def _listen(self, scope: trio.CancelScope) -> None:
        async for tell in self.lobby.service.news:
            if isinstance(tell.news, news.Began):
                self._go_and_play(tell.news.game)
                scope.cancel()
                return
            if self.games.deliver(tell):
                continue
            self.lobby.tell(tell.news)
            if isinstance(tell.news, news.TablesChanged) and self.lobby.heeds(tell.news):
                self._tell_new_tables()

    # -- while a game is before the person

    async def beside(self, board: News) -> None:
        """Tell there what happens elsewhere; news of other games go to their own boards."""
        invited = set(self.invitations())
        async for tell in self.lobby.service.news:
            delivered = self.games.deliver(tell, board)
            if isinstance(tell.news, news.Began) and not tell.news.again and not delivered:
                self.games.note_begun(tell.news, board)
            elif tell.game is None:
                self._tell_beside(tell.news, board)
            if isinstance(tell.news, news.TablesChanged):
                invited = self._tell_invitation(tell.news, invited, board)

    def waiting(self) -> list[str]:
        return [game.hex()[:8] for game in self.games.waiting]

    def choose(self, game: str) -> None:
        self.games.choose(game)

    def _tell_invitation(self, item: news.TablesChanged, before: set[str], board: News) -> set[str]:
        """One line about a peer's new tables, as long as strangers are still heard; all invitations there are now."""
        now = set(self.invitations())
        new = [info.name for info in item.tables if info.name in now - before]
        if new and self.lobby.heeds(item):
            board.put(
                tr(
                    "{invitation_lines}; sit down with: join {new}",
                    invitation_lines=self.invitation_lines(new[0])[0],
                    new=safe_name(new[0]),
                )
            )
        return now

    def _tell_beside(self, item: Any, board: News) -> None:
        """News of people, told beside the game, and in it where it matters to it."""
        shown, together = self.games.shown(board), self.lobby.together
        lines = together.lines(item)
        if lines is None:
            self.lobby.tell(item)
            what = together.pause(shown.session, item) if shown is not None else None
            lines = [] if what is None else [what]
        for line in lines:
            board.put(line)

    def _go_and_play(self, game: bytes) -> None:
        self._next = lambda: self.games.play(game)

    def _tell_new_tables(self) -> None:
        now = {(peer.key.raw, info.name): self.lobby.table_line(peer, info) for peer, info in self.lobby.tables()}
        open_ones = {(peer.key.raw, info.name) for peer, info in self.open_tables()}
        for at, line in now.items():
            if self._announced.get(at) != line:
                what = tr("sit down with: join") if at in open_ones else tr("look on with: watch")
                self.lobby.say(tr("* open table {line}; {what} {at}", line=line, what=what, at=safe_name(at[1])))
        self._announced = now

    async def _read(self, scope: trio.CancelScope) -> None:
        async for line in self.lobby.context.face.lines():
            try:
                if line:
                    await self.obey(line)
            except _Left:
                break
            except LantableError as error:
                self.lobby.say(f"* {safe_text(told(error))}")
            if self._next is not None:
                break
        scope.cancel()

    async def obey(self, line: str) -> None:
        """One typed line. Raises `Misuse` and whatever the command raises."""
        command, rest = commands.understood(Place.LOBBY, line)
        if (doing := command.do(self, rest)) is not None:
            await doing

    # -- what can be typed

    def filter(self, text: str) -> None:
        """Show only people and tables with this in their line; nothing: all."""
        self.wanted = text
        if not self.lobby.context.face.full:
            lines = [*network.people_lines(self.lobby), *(self.lobby.table_line(*one) for one in self.lobby.tables())]
            found = [line for line in lines if matches(text, line)]
            for line in found:
                self.lobby.say(f"  {line}")
            self.lobby.say(
                tr("  {found} of {lines} people and tables", found=len(found), lines=len(lines))
                + (tr(" match {text}", text=text) if text else "")
            )

    def people_typed(self) -> dict[PublicKey, str]:
        """Whoever is here or listed, as they can be typed: by name, or by digits of the key where names are equal."""
        named = {someone.key: self.lobby.named(someone) for someone in self.lobby.service.people()}
        many = Counter(name.casefold() for name in named.values())
        return {key: shlex.quote(name) if many[name.casefold()] == 1 else key.hex[:8] for key, name in named.items()}

    def person_names(self) -> list[str]:
        return list(self.people_typed().values())

    def show_person(self, text: str) -> None:
        """All that is known of somebody."""
        for line in network.about(self.lobby, self._key_of(text)):
            self.lobby.say(f"  {line}")

    def _stranger(self, text: str) -> tuple[PublicKey, str] | None:
        """Who is here, listed or refused without being in the trust store: key and name, by name or first digits."""
        service, known = self.lobby.service, self.lobby.store.get
        named = [(someone.key, someone.name) for someone in service.people()]
        named += [(key, verdict.name) for key, verdict in service.refused.items()]
        for key, name in named:
            if known(key) is None and (same_name(name, text) or (len(text) >= 4 and key.hex.startswith(text.lower()))):
                return key, name
        return None

    def _key_of(self, text: str) -> PublicKey:
        """Whom a name or first digits mean. Raises `Misuse`."""
        (text,) = _words(text, "PERSON", 1)
        try:
            return identity.one(self.lobby.store, text).key
        except Misuse:
            if (stranger := self._stranger(text)) is None:
                raise
            return stranger[0]

    async def decide(self, what: str, text: str, *, compared: bool = False) -> None:
        """Trust, block, forget or rename somebody, as `lantable id` does while no program runs."""
        who, *rest = _words(text, "PERSON [NAME]", 2)
        name = rest[0] if rest else None
        if (stranger := self._stranger(who)) is not None and not identity.matching(self.lobby.store, who):
            who, name = stranger[0].hex, name or stranger[1]
        home = self.lobby.context.home
        decided = await trio.to_thread.run_sync(lambda: identity.decide(home, what, who, name, compared=compared))
        for line in decided.lines:
            self.lobby.say(f"* {line}")
        await self.lobby.decided(decided.key)

    def show_people(self) -> None:
        for line in network.people_lines(self.lobby):
            self.lobby.say(f"  {line}")
        here = len(self.lobby.node.links)
        self.lobby.say(
            tr(
                "  {here} connected, {people} more listed on the network",
                here=here,
                people=len(self.lobby.service.people()) - here,
            )
        )

    def show_news(self) -> None:
        """What was told last, once more."""
        for line in lately(self.lobby.log):
            self.context.say(f"  {line}")

    async def show_network(self) -> None:
        for line in await network.network_lines(self.lobby):
            self.lobby.say(f"  {line}")
        self.lobby.say(
            tr("  others can type: {addresses_of}", addresses_of=", ".join(network.addresses_of(self.lobby.node.port)))
        )

    def show_tables(self) -> None:
        for peer, info in self.lobby.tables():
            self.lobby.say(f"  {self.lobby.table_line(peer, info)}")
        self.lobby.say(tr("  {tables} open tables", tables=len(self.lobby.tables())))

    async def join(self, name: str) -> None:
        if is_invitation(name):
            await inviting.join_invited(self.lobby, name)
            return
        key = self._host_of(name)
        await self.lobby.service.do(lambda node: node.join(key, name))
        self.lobby.asked.add(name)
        self.lobby.say(tr("* asked for a seat at {name}; the host may have to say yes", name=safe_name(name)))
        await network.expect_answer(self.lobby, key, name)

    async def watch(self, name: str) -> None:
        key = self._host_of(name)
        await self.lobby.service.do(lambda node: node.watch(key, name))
        await network.expect_answer(self.lobby, key, name)

    def _host_of(self, name: str) -> PublicKey:
        for peer, info in self.lobby.tables():
            if info.name == name:
                return peer.key
        gone = network.host_of(self.lobby, name)
        raise Misuse(
            tr("no open table is called {name}{gone}", name=repr(name), gone=gone or nearest(name, self.table_names()))
        )

    async def accept(self, name: str) -> None:
        await self.join(self._invitation(name)[1].name)

    def decline(self, name: str) -> None:
        peer, info = self._invitation(name)
        self._aside.add((peer.key.raw, info.name))
        self.lobby.say(
            tr("* put aside: the table {name}; it stays open, join it if you like", name=safe_name(info.name))
        )

    def _invitation(self, name: str) -> tuple[Peer, TableInfo]:
        for peer, info in self.invited():
            if name in ("", info.name):
                return peer, info
        raise Misuse(tr("there is no such invitation") if name else tr("there is no invitation now"))

    async def host(self, rest: str) -> None:
        game, options, chosen = self._chosen(rest)
        info, digest = new_table(self.lobby.context, game, options, chosen.seats, clock=chosen.clock, lot=chosen.lot)
        await self.lobby.service.do(lambda node: node.host(info, digest, ask=not chosen.open))
        self.lobby.say(
            tr("* table {name} is open: {titles}; waiting for players", name=info.name, titles=by_language(game.titles))
        )

    async def close(self, name: str) -> None:
        own = self.own_tables()
        name = name or (own[0] if len(own) == 1 else "")
        await self.lobby.service.do(lambda node: node.close_table(name))
        self.lobby.say(tr("* the table {name} is closed", name=safe_name(name)))

    def solo(self, rest: str) -> None:
        """A game against the computer, while all that goes on here goes on."""
        if self.busy:
            raise Misuse(tr("a game with others is about to begin; leave first"))
        game, options, chosen = self._chosen(rest)
        seats = chosen.seats
        if not game.opponents:
            raise Misuse(tr("{id} has no computer player", id=game.id))
        name, robot = next(iter(game.opponents.items()))
        context = self.lobby.context
        session = local_game(context, game, options, (), ["", *names_of(name, seats - 1)], chosen.clock)
        robots = dict.fromkeys(range(1, seats), robot)
        self._next = lambda: self._play_here(session, robots, lambda session: session.begin({}))

    async def _play_here(self, session: Session, robots: Mapping[int, Opponent], begin: Do) -> None:
        await play_here(self.lobby.context, session, robots, begin, secrets.token_bytes(8), self)
        if self.games.waiting:
            await self.games.play(self.games.waiting[0])

    async def resume(self, wanted: str) -> None:
        """Go on with a game that runs here or is kept. Raises `Misuse`."""
        if self.busy:
            raise Misuse(tr("a game with others is about to begin; leave first"))
        lobby = self.lobby
        running = [game for game, _ in lobby.running() if game.hex().startswith(wanted)]
        game = running[0] if len(running) == 1 else await trio.to_thread.run_sync(unfinished, lobby.context, wanted)
        if game not in lobby.node.sessions and await trio.to_thread.run_sync(is_local, lobby.context, game):
            session, robots = await trio.to_thread.run_sync(resumed_here, lobby.context, game)
            self._next = lambda: self._play_here(session, robots, lambda session: session.resettle())
            return
        seq = await take_up(lobby, game)
        self._next = lambda: self.games.play(game, seq)

    def invite(self, name: str) -> None:
        """An invitation to a table of ours, also as a QR code; without one, how we can be reached."""
        own = self.own_tables()
        if name and name not in own:
            raise Misuse(tr("you host no table called {name}", name=repr(name)) + nearest(name, own))
        inviting.show_card(self.lobby, name or next(iter(own), ""))

    def _chosen(self, rest: str) -> tuple[Game, dict[str, OptionValue], Chosen]:
        """`GAME [RULES] [seats=N] …` with rules separated by commas or spaces. Raises `Misuse`."""
        name, _, text = rest.partition(" ")
        game = self.lobby.context.host.game(name)
        parts = text.replace(",", " ").split()
        own = dict(part.split("=", 1) for part in parts if part.split("=")[0] in Chosen.NAMES and "=" in part)
        options = game.read_options(",".join(part for part in parts if part.split("=")[0] not in own))
        return game, options, Chosen.read(own, game.seats[0])

    def show_rules(self, name: str) -> None:
        for line in rules_lines(self.lobby.context.host.game(name)):
            self.lobby.context.say(f"  {line}")

    # -- with the others

    async def answer(self, text: str, *, yes: bool) -> None:
        """Answer a question by its number. Raises `Misuse`."""
        await self.lobby.context.questions.answer(text, yes=yes)

    async def rematch(self) -> None:
        await self.lobby.together.rematch()
        self.lobby.say(tr("* the others are asked for a rematch, in which the next player begins"))

    async def chat(self, text: str) -> None:
        await self.lobby.together.chat(text)

    def mute(self, name: str, *, muted: bool) -> None:
        self.lobby.together.mute(name, muted=muted)

    async def go_away(self, *, away: bool) -> None:
        await self.lobby.together.go_away(away=away)
        self.lobby.say(tr("* the others see that you are away") if away else tr("* you are back"))

    async def connect(self, rest: str) -> None:
        address = joining.read_address(rest)
        if address is None:
            raise Misuse(tr("type an address, such as  connect 192.168.1.20:4471"))
        await self.lobby.service.connect([address])

    def help(self) -> None:
        for line in commands.help_lines(Place.LOBBY):
            self.lobby.say(f"  {line}")

    def quit(self) -> None:
        raise _Left


def matches(text: str, *parts: str) -> bool:
    """Whether what is looked for stands in any of the parts, in any case."""
    return any(text.casefold() in part.casefold() for part in parts)


def _words(text: str, usage: str, most: int) -> list[str]:
    """One to so many words, in quotation marks where they hold blanks. Raises `Misuse`."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not 0 < len(words) <= most:
        raise Misuse(tr("type {usage}; a name with blanks in it wants quotation marks", usage=usage))
    return words
