"""The commands that need a network: who is here, hosting, joining, watching, resuming.

`Lobby` puts the parts together (home, plugins, node, service, discovery), tells what happens and hands a game
that begins to the play loop. Nothing about a game is decided here.
"""

import secrets
import shlex
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import trio

from lantable.clock import Clock
from lantable.dealing import dealt, only_alone, starting
from lantable.dealing.fair import FairDealing
from lantable.errors import LantableError, Misuse
from lantable.game import Game, Opponent, OptionValue, continuing, nearest, typed
from lantable.keys import PublicKey
from lantable.text import safe_name, safe_text
from lantable.words import WORDS
from lantable_console import commands, identity, inviting, joining, language, network
from lantable_console.commands import Place
from lantable_console.context import Context
from lantable_console.face import Main, until_signal
from lantable_console.home import now_ms, timer_ms
from lantable_console.language import by_language, told, tr
from lantable_console.naming import introduce
from lantable_console.people import shown
from lantable_console.play import (
    Acquaintance,
    Do,
    Loop,
    News,
    lately,
    local_game,
    names_of,
    opponent_of,
    play_here,
    resume,
    resumed_here,
)
from lantable_console.quiet import Quiet
from lantable_console.rules import rules_lines
from lantable_console.together import Together
from lantable_net import news
from lantable_net.channel import TokenBucket
from lantable_net.connection import show_address
from lantable_net.discovery import Discovery, SilentDiscovery
from lantable_net.handshake import Identity, Peer
from lantable_net.invitation import is_invitation, read_invitation
from lantable_net.messages import TableInfo
from lantable_net.node import Close, Effect, Node, Stored
from lantable_net.service import Listed, Missing, Service, Slow, Someone, Unwelcome
from lantable_net.session import Session
from lantable_net.trust import MAX_PEOPLE, State, TrustStore, Verdict, same_name

FINISH_SECONDS: Final = 5.0
"""How long a finished game waits for the others to say that they have all of it."""


@dataclass(slots=True)
class Lobby:
    """One running table on the network."""

    context: Context
    service: Service
    verdicts: dict[PublicKey, Verdict] = field(default_factory=dict[PublicKey, Verdict])
    trouble: str = ""
    log: list[str] = field(default_factory=list[str])
    """What was told in the lobby, a line each."""
    asked: set[str] = field(default_factory=set[str])
    """Tables at which we asked for a seat."""
    leaving: trio.CancelScope = field(default_factory=trio.CancelScope)
    """Cancelled when the person leaves while something is waited for."""
    quiet: Quiet = field(default_factory=Quiet)
    unsaved: bool = False
    """Whether somebody said where they listen, and that is not on the disk yet."""
    saves: TokenBucket = field(default_factory=lambda: TokenBucket(1.0, 8.0, 0.0))
    """How often that may be written at once."""
    store: TrustStore = field(init=False)
    """The people met, as of the last one who came."""
    together: Together = field(init=False)
    playing: bool = False
    """Whether a game is before the person."""
    desk: "Desk" = field(init=False)
    boards: "dict[bytes, NetworkTable]" = field(default_factory=dict[bytes, "NetworkTable"])
    """Games of the node that are or were before the person."""
    waiting: list[bytes] = field(default_factory=list[bytes])
    """Those that have begun and are not before the person; the next one first."""

    def __post_init__(self) -> None:
        self.together = Together(self)
        self.store = self.context.home.trust()
        self.desk = Desk(self)

    @property
    def own_key(self) -> PublicKey:
        return self.node.identity.key.public

    def running(self) -> list[tuple[bytes, Session]]:
        """Games that this node holds for us and that are not over."""
        return [
            (game, session)
            for game, session in self.node.sessions.items()
            if session.me is not None and not session.table.complete and not session.stopped
        ]

    @property
    def node(self) -> Node:
        return self.service.node

    def say(self, text: str) -> None:
        self.log.append(language.shown(text))
        self.context.say(text)

    # -- people

    def who(self, peer: Peer) -> str:
        """A person for the screen, by the rules of `people.shown`."""
        return shown(self.store, peer.key, peer.name, self.trust_word(peer))

    def called(self, peer: Peer) -> str:
        """A person's name: our own for them if we have one."""
        known = self.store.get(peer.key)
        return known.called if known else safe_name(peer.name)

    def trust_word(self, peer: Peer) -> str:
        verdict = self.verdicts.get(peer.key)
        return verdict.word if verdict else "new"

    def familiar(self, key: PublicKey) -> bool:
        """Whether this is somebody met before."""
        known = self.store.get(key)
        return known is not None and known.state in (State.SEEN, State.COMPARED)

    def is_away(self, key: PublicKey) -> bool:
        """Whether somebody connected said to be away from the keyboard."""
        link = self.node.link_to(key)
        return link is not None and self.node.links[link].away

    def plays_with(self, key: PublicKey) -> bool:
        """Whether an unfinished game with that person is held here."""
        sessions = self.node.sessions.values()
        return any(not s.table.complete and s.table.chain.owner_of(key) is not None for s in sessions)

    def meet(self, peer: Peer) -> Verdict:
        """The trust store's verdict on a proved key, remembered for display. From any thread."""
        before = self.store.judge(peer.key, peer.name)
        verdict = self.context.home.meet(peer)
        # What is shown must not be read from the disk line by line.
        self.store = self.context.home.trust()
        self.verdicts[peer.key] = before if before.state is None else verdict
        if len(self.verdicts) > MAX_PEOPLE:
            del self.verdicts[next(iter(self.verdicts))]
        return verdict

    def named(self, someone: Someone) -> str:
        """What to call somebody who is connected or listed."""
        known = self.store.get(someone.key)
        return known.called if known else safe_name(someone.name)

    async def decided(self, key: PublicKey) -> None:
        """The person decided about a key: from now on it is shown and treated so."""
        self.store = await trio.to_thread.run_sync(self.context.home.trust)
        link = self.node.link_to(key)
        known = self.store.get(key)
        self.verdicts.pop(key, None)
        if link is None:
            self.service.reconsider(key)
        elif known is not None and known.state is State.BLOCKED:
            await self.service.do(lambda _: [Close(link, tr("the other side wants no connection"))])
        else:
            peer = self.node.links[link].peer
            self.verdicts[key] = self.store.judge(key, peer.name)

    def heeds(self, item: Any) -> bool:
        """Whether the person is told of this; strangers who make much noise are told of once."""
        peer = getattr(item, "peer", None)
        if peer is None:
            return True
        known = self.store.get(peer.key)
        key = peer.key if known and known.state is not State.NEW else None
        if self.quiet.tells(key, trio.current_time()):
            return True
        if self.quiet.hushes(key):
            self.say(
                tr(
                    "* {what} too often; no more of it is told",
                    what=tr("new people come and go") if key is None else self.who(peer),
                )
            )
        return False

    # -- news

    def tell(self, item: Any) -> None:
        """One line of lobby news."""
        if isinstance(item, news.TablesChanged):
            network.note_addresses(self)
        elif (lines := self.together.lines(item)) is not None:
            for line in lines:
                self.say(f"* {line}")
        elif self.heeds(item):
            self._tell(item)

    def _tell(self, item: Any) -> None:
        match item:
            case news.Met(peer, again):
                self._tell_met(peer, again)
            case news.Began(game, again=True):
                digits = game.hex()[:8]
                self.say(
                    tr("* game {digits} is not finished; go on with it later: lantable resume {digits}", digits=digits)
                )
            case news.Twice(peer, address):
                where = safe_text(show_address(address), 80)
                self.say(
                    tr(
                        "* refused {where}: the key of {who}, who is here, from a second data folder",
                        where=where,
                        who=self.who(peer),
                    )
                )
            case news.Parted(peer, farewell):
                self.context.diary.note("parted", key=peer.key.words)
                why = f": {safe_text(farewell)}" if farewell else ""
                self.say(tr("* {who} is not connected any more{why}", who=self.who(peer), why=why))
            case Slow(peer, over):
                what = tr("heard again") if over else tr("gone? nothing heard for some seconds; waiting")
                self.say(f"* {self.who(peer)}: {what}")
            case Missing(peer, removed):
                what = tr("not listed any more") if removed else tr("gone? nobody answers where they were")
                self.say(f"* {self.who(peer)}: {what}")
            case Unwelcome(peer, verdict):
                self._tell_unwelcome(peer, verdict)
            case news.SatDown(table, peer, free):
                left = tr("the game begins") if free == 0 else tr("{free} more to come", free=free)
                self.say(
                    tr("* {who} sat down at {table}; {left}", who=self.who(peer), table=safe_name(table), left=left)
                )
            case news.StoodUp(table, peer):
                self.say(tr("* {who} left {table} before the game began", who=self.who(peer), table=safe_name(table)))
            case news.Declined(peer, what, reason):
                self.asked.discard(what)
                self.say(
                    tr(
                        "* {who}: no to {what}: {reason}",
                        who=self.who(peer),
                        what=safe_text(what, 40),
                        reason=safe_text(reason),
                    )
                )
            case news.NeverBegan(game):
                self.say(tr("* game {game} was never begun and is set aside", game=game.hex()[:8]))
            case Listed(_, trouble) if trouble != self.trouble:
                self.trouble = trouble
                self.say(f"* {safe_text(trouble)}" if trouble else tr("* people on this network can be found again"))
            case _:
                pass

    def _tell_met(self, peer: Peer, again: bool) -> None:
        self.context.diary.note("met", key=peer.key.words, trust=self.trust_word(peer))
        self.say(tr("* {who} is {what}", who=self.who(peer), what=tr("connected again") if again else tr("here")))
        verdict = self.verdicts.get(peer.key)
        # Also on a newer connection: it has other words, and both sides should speak of the same.
        if verdict is not None and verdict.word == "new":
            self.say(
                tr(
                    "* first time with {name}: both of you should now see the words  {words}",
                    name=safe_name(peer.name),
                    words=peer.words,
                )
            )

    def _tell_unwelcome(self, peer: Peer, verdict: Verdict) -> None:
        self.context.diary.note("refused", key=peer.key.words, trust=verdict.word)
        name = safe_name(peer.name)
        if verdict.word == "blocked":
            self.say(tr("* refused {name}: you blocked the key {words}", name=name, words=peer.key.words))
            return
        for known in verdict.changed:
            self.say(tr("* {name} shows another key than the one you know", name=name))
            self.say(tr("*   known: {words} ({hex})", words=known.key.words, hex=known.key.hex[:16]))
            self.say(tr("*   shown: {words} ({hex})", words=peer.key.words, hex=peer.key.hex[:16]))
        # The name is a stranger's, and the line is there to be copied into a shell.
        consent = f"lantable id trust {peer.key.hex} --name {shlex.quote(name)}"
        self.say(tr("* refused until you ask {name} in person and consent: {consent}", name=name, consent=consent))
        self.say(tr("*   or, in the lobby: trust {hex} {name}", hex=peer.key.hex[:16], name=shlex.quote(name)))

    # -- tables

    def tables(self) -> list[tuple[Peer, TableInfo]]:
        """All open tables of those connected."""
        return [(link.peer, info) for link in self.node.links.values() for info in link.tables]

    def table_line(self, peer: Peer, info: TableInfo) -> str:
        taken = ", ".join(safe_name(name) for name in info.taken)
        return tr(
            "{name}: {game_line}; {taken}; {seats_left}; host {who}",
            name=safe_name(info.name),
            game_line=self.game_line(info),
            taken=taken,
            seats_left=self.seats_left(info),
            who=self.who(peer),
        )

    def game_line(self, info: TableInfo) -> str:
        """What is played at a table: the title and every option."""
        game = self.context.host.games.get(info.game)
        title = by_language(game.titles) if game else tr("{game} (not installed here)", game=safe_text(info.game, 40))
        options = [f"{safe_text(k, 32)}={safe_text(typed(v), 32)}" for k, v in sorted(info.options.items())]
        clock = (
            []
            if info.clock is None
            else [tr("clock {clock}", clock=info.clock), tr("overtime {overtime}", overtime=info.clock.overtime)]
        )
        return ", ".join([title, *options, *clock])

    @staticmethod
    def seats_left(info: TableInfo) -> str:
        return tr("{seats} free", seats=info.seats - len(info.taken))

    # -- games

    async def next_game(self) -> bytes:
        """Tell news until a game begins; its id."""
        async for tell in self.service.news:
            match tell.news:
                case news.Began(game, again=False):
                    return game
                case _:
                    self.tell(tell.news)
        raise AssertionError("the news channel has no end")

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
        table = self.boards.get(game) or self._board(game, told)
        loop = table.loop
        self.together.game, self.playing = game, True
        if game in self.waiting:
            self.waiting.remove(game)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.desk.beside, loop.news)
            code = await loop.run()
            nursery.cancel_scope.cancel()
        self.playing = False
        if loop.switching:
            self.waiting.append(game)
        elif loop.over:
            self.boards.pop(game, None)
        following = table.following
        if following is None and self.waiting and (loop.switching or (loop.over and not loop.left)):
            following = self.waiting[0]
        return None if loop.never_began else code, following

    def _board(self, game: bytes, told: int) -> "NetworkTable":
        """A game of the node as something to be played."""
        session = self.node.sessions[game]
        args = self.context.args
        robots = {}
        if getattr(args, "auto", None):
            robot = opponent_of(self.context.host.game(session.table.chain.offer.game), args.auto)
            robots = {s: robot for s, o in enumerate(session.table.chain.owners) if o == session.me}
        table = NetworkTable(self, game, session)
        seed = args.seed.encode()
        table.loop = Loop(self.context, table, News(), robots=robots, seed=seed, told=told, elsewhere=self.desk)
        self.boards[game] = table
        return table


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


# -- putting it together


Body = Callable[[Lobby], Awaitable[int]]


def _with_lobby(context: Context, body: Body) -> Main:
    """Lock the home; then, when run: go on the network, run `body`, say goodbye."""
    home = context.home
    context.lock()
    if warning := home.warning():
        context.warn(warning)
    identity = introduce(context)
    node = Node(
        identity,
        context.host.rules_for,
        clock=now_ms,
        timer=timer_ms,
        entropy=secrets.token_bytes,
        stored=lambda g: stored(context, g),
        dealer_of=home.dealer_of,
    )
    for key, addresses in home.addresses().items():
        node.learn(key, addresses)
    discovery = _discovery(context, identity)
    lobby = Lobby(
        context,
        Service(
            node,
            home.archive,
            discovery,
            identity,
            lambda peer: lobby.meet(peer),
            familiar=lambda key: lobby.familiar(key),
        ),
    )

    async def main() -> int:
        async with trio.open_nursery() as nursery:
            await nursery.start(lobby.service.run, context.port)
            context.diary.note("listening", port=lobby.node.port)
            nursery.start_soon(network.offer_address, lobby)
            nursery.start_soon(network.keep_addresses, lobby)
            context.face.on_away = lobby.together.suspended
            if not context.face.full:
                nursery.start_soon(lobby.together.mind_suspension)
            try:
                code = await until_signal(lambda: _until_left(lobby, body))
            finally:
                with trio.CancelScope(shield=True):
                    await lobby.service.goodbye(tr("the program was closed"))
                home.remember_addresses(node.addresses)
            nursery.cancel_scope.cancel()
        return code

    return main


def _discovery(context: Context, identity: Identity) -> Discovery:
    if context.args.no_discovery:
        return SilentDiscovery()
    from lantable_net.mdns import ZeroconfDiscovery  # zeroconf takes a tenth of the time to start

    return ZeroconfDiscovery(identity.key.public, identity.name)


async def _until_left(lobby: Lobby, body: Body) -> int:
    with lobby.leaving:
        return await body(lobby)
    return 0


def stored(context: Context, game: bytes) -> Stored | None:
    """A game as this home holds it, for the node."""
    archive = context.home.archive
    if not archive.path(game).exists():
        return None
    lines, mark = archive.open(game)
    return Stored(lines, mark, context.home.evidence(game)) if lines else None


# -- commands


def run_host(context: Context) -> Main:
    """`lantable host GAME`."""
    game, options = context.chosen_game()
    args = context.args
    if args.auto:
        opponent_of(game, args.auto)
    clock, lot = context.chosen_clock(), args.first == "lot"
    info, digest = new_table(context, game, options, args.seats, args.table, args.house_rule, lot=lot, clock=clock)

    async def begun(lobby: Lobby) -> bytes:
        if args.qr:
            inviting.show_card(lobby, info.name)
        return await lobby.next_game()

    async def body(lobby: Lobby) -> int:
        code: int | None = None
        while code is None:
            await lobby.service.do(lambda node: node.host(info, digest, watch=not args.no_watching, ask=not args.open))
            lobby.say(
                tr(
                    "* table {name} is open: {titles}, {seats} seats; waiting for players",
                    name=safe_name(info.name),
                    titles=by_language(game.titles),
                    seats=args.seats,
                )
            )
            lobby.say(tr("* others join with: lantable join {name}", name=safe_name(info.name)))
            for address in network.addresses_of(lobby.node.port):
                lobby.say(tr("*   or by address: lantable join {address}", address=address))
            inviting.tell_invitation(lobby, info.name)
            # A guest that crashes just then cannot accept event 0 any more: "offer again".
            code = await lobby.play(await lobby.desk.attending(lambda: begun(lobby), reads=not args.open))
        return code

    return _with_lobby(context, body)


def new_table(
    context: Context,
    game: Game,
    options: Mapping[str, OptionValue],
    seats: int,
    name: str | None = None,
    house_rules: Iterable[str] = (),
    *,
    lot: bool = True,
    clock: Clock | None = None,
) -> tuple[TableInfo, bytes]:
    """A table to be opened, and the digest of its rules. Raises `Misuse`.

    Without `lot` its host begins, where the game leaves that to the players.
    """
    low, high = game.seats
    if not low <= seats <= high:
        raise Misuse(
            tr("{id} is for {low} to {high} players, not {seats}", id=game.id, low=low, high=high, seats=seats)
        )
    made, chosen, digest = context.host.rules(game, options, house_rules)
    if option := only_alone(made):
        raise Misuse(
            tr("{option} is only for games at one computer, where one machine deals; leave it out", option=option)
        )
    dealing = FairDealing() if dealt(made) or (lot and starting(made) and seats > 1) else None
    rules = tuple((rule.name, rule.version) for rule in chosen)
    info = TableInfo(
        name or made_up_name(), game.id, game.version, dict(options), rules, seats, (), clock=clock, dealing=dealing
    )
    return info, digest


def made_up_name() -> str:
    """A table name that is easy to say, such as oak-7."""
    return f"{secrets.choice([word for word in WORDS if len(word) <= 5])}-{secrets.randbelow(90) + 10}"


def run_join(context: Context) -> Main:
    """`lantable join TABLE|HOST:PORT|INVITATION`."""
    args = context.args
    invited = is_invitation(args.table)
    if invited:
        read_invitation(args.table)  # what is mistyped is said before anything else is done
    address = None if invited else joining.read_address(args.table)
    if not invited and address is None and args.no_discovery:
        raise Misuse(tr("with --no-discovery no table is found by its name; type HOST:PORT or an invitation"))

    async def sit_down(lobby: Lobby) -> bytes:
        if invited:
            lobby.say(tr("* following the invitation to {table}", table=safe_name(read_invitation(args.table).table)))
            peer, table = await inviting.follow(lobby.service, args.table)
            key = await inviting.until_shown(lobby, peer, table)
        elif address is not None:
            lobby.say(tr("* connecting to {address}", address=safe_text(show_address(address), 80)))
            peer = await lobby.service.connect([address])
            key, table = await joining.only_table(lobby, peer, args.wait)
        else:
            key, table = await joining.table_called(lobby, args.table, args.wait)
        await lobby.service.do(lambda node: node.watch(key, table) if args.watch else node.join(key, table))
        return await joining.game_or_no(lobby, key, table)

    async def body(lobby: Lobby) -> int:
        return await lobby.play(await lobby.desk.attending(lambda: sit_down(lobby))) or 0

    return _with_lobby(context, body)


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


def run_resume(context: Context) -> Main:
    """`lantable resume [GAME-ID]`."""
    game = unfinished(context, context.args.game or "")
    if is_local(context, game):
        return resume(context, game)

    async def body(lobby: Lobby) -> int:
        lobby.service.hurry()
        code = await lobby.play(game, await take_up(lobby, game))
        if code is None:
            raise Misuse(tr("that game never began, so there is nothing to resume; open a table again"))
        return code

    return _with_lobby(context, body)


def run_lobby(context: Context) -> Main:
    """`lantable`: who is here, and what one can do about it."""
    context.args.auto, context.args.seed = None, "0"

    async def body(lobby: Lobby) -> int:
        lobby.say(
            tr(
                "* you are {name}, key {words}",
                name=safe_name(lobby.node.identity.name),
                words=lobby.node.identity.key.public.words,
            )
        )
        for address in network.addresses_of(lobby.node.port):
            lobby.say(tr("* others can reach you at {address}", address=address))
        how = tr("? shows every key") if context.face.full else tr("type help for what you can do")
        lobby.say(tr("* {how}; people and tables are told as they come", how=how))
        return await lobby.desk.run()

    return _with_lobby(context, body)


# -- the lobby before the person


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is chosen for a table beside the game's own rules."""

    NAMES: ClassVar = ("seats", "clock", "overtime", "open", "first")
    seats: int
    clock: Clock | None
    open: bool
    """Whether anybody may sit down without being asked about."""
    lot: bool
    """Whether it is drawn who begins, where the game leaves it open; else the host does."""

    @classmethod
    def read(cls, given: Mapping[str, str], seats: int) -> "Chosen":
        """From what was typed as `name=value`. Raises `Misuse`."""
        number = given.get("seats", str(seats))
        if not number.isdecimal() or len(number) > 3:
            raise Misuse(tr("seats takes a number, such as seats=3"))
        clock = Clock.read(given["clock"], given.get("overtime", "forfeit")) if "clock" in given else None
        if given.get("open", "no") not in ("yes", "no"):
            raise Misuse(tr("open is yes or no; with open=yes anybody may sit down without a question"))
        if given.get("first", "lot") not in ("lot", "me"):
            raise Misuse(tr("first is lot or me: who begins"))
        return cls(int(number), clock, given.get("open") == "yes", given.get("first") != "me")


class _Left(Exception):
    """The person wants out."""


@dataclass(slots=True)
class Desk:
    """The lobby as the person has it before them: what is listed there, and what can be typed."""

    place: ClassVar[Place] = Place.LOBBY
    lobby: Lobby
    announced: dict[tuple[bytes, str], str] = field(default_factory=dict[tuple[bytes, str], str])
    aside: set[tuple[bytes, str]] = field(default_factory=set[tuple[bytes, str]])
    """Invitations that were declined."""
    next: Callable[[], Awaitable[object]] | None = None
    """What is to be played once the wait in the lobby has ended."""
    busy: bool = False
    """Whether one certain game is waited for."""
    wanted: str = ""
    """Only people and tables with this in their line are shown."""

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
            if (peer.key.raw, info.name) not in self.aside and info.game in games and info.name not in self.lobby.asked
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
            self.next = None
            with self.lobby.context.face.show(self):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._read, nursery.cancel_scope)
                    nursery.start_soon(self._listen, nursery.cancel_scope)
            if (go_on := self._chosen_next()) is None:
                return 0
            await go_on()

    def _chosen_next(self) -> Callable[[], Awaitable[object]] | None:
        """What ended the wait, if it was not the person who left."""
        return self.next

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
            if (table := self.lobby.boards.get(tell.game or b"")) is not None:
                table.loop.news.put(tell.news)
                continue
            self.lobby.tell(tell.news)
            if isinstance(tell.news, news.TablesChanged) and self.lobby.heeds(tell.news):
                self._tell_new_tables()

    # -- while a game is before the person

    async def beside(self, board: News) -> None:
        """Tell there what happens elsewhere; news of other games go to their own boards."""
        invited = set(self.invitations())
        async for tell in self.lobby.service.news:
            table = None if tell.game is None else self.lobby.boards.get(tell.game)
            if table is not None:
                table.loop.news.put(tell.news)
                if table.loop.news is not board:
                    self._tell_of_another_turn(table.loop, board)
            elif isinstance(tell.news, news.Began) and not tell.news.again:
                self._note_begun(tell.news, board)
            elif tell.game is None:
                self._tell_beside(tell.news, board)
            if isinstance(tell.news, news.TablesChanged):
                invited = self._tell_invitation(tell.news, invited, board)

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

    def _shown(self, board: News) -> "NetworkTable | None":
        """The game over the network that is before the person, if it is one."""
        return next((table for table in self.lobby.boards.values() if table.loop.news is board), None)

    def _tell_beside(self, item: Any, board: News) -> None:
        """News of people, told beside the game, and in it where it matters to it."""
        shown, together = self._shown(board), self.lobby.together
        lines = together.lines(item)
        if lines is None:
            self.lobby.tell(item)
            what = together.pause(shown.session, item) if shown is not None else None
            lines = [] if what is None else [what]
        for line in lines:
            board.put(line)

    def _note_begun(self, began: news.Began, board: News) -> None:
        game, shown = began.game, self._shown(board)
        if shown is not None and shown.follows(began):
            shown.following = game
            board.put(None)
            return
        self.lobby.waiting.append(game)
        offer = self.lobby.node.sessions[game].table.chain.offer
        others = ", ".join(safe_name(seat.name) for seat in offer.seats if seat.key != self.lobby.own_key)
        board.put(
            tr(
                "another game has begun, with {others}: go there with  switch {game}",
                others=others,
                game=game.hex()[:8],
            )
        )

    @staticmethod
    def _tell_of_another_turn(other: Loop, board: News) -> None:
        seq = other.position.seq
        if other.session.my_turn and other.reminded != seq:
            other.reminded = seq
            board.put(tr("it is your turn in the other game: switch {game}", game=other.session.game.hex()[:8]))

    def waiting(self) -> list[str]:
        return [game.hex()[:8] for game in self.lobby.waiting]

    def choose(self, game: str) -> None:
        """Which of the waiting games comes next. Raises `Misuse`."""
        waiting = self.lobby.waiting
        found = [one for one in waiting if one.hex().startswith(game)]
        if not found:
            raise Misuse(
                tr("no other game of yours has begun")
                if not waiting
                else tr("no other game is called {game}", game=repr(game))
            )
        waiting.remove(found[0])
        waiting.insert(0, found[0])

    def _go_and_play(self, game: bytes) -> None:
        self.next = lambda: self.lobby.play(game)

    def _tell_new_tables(self) -> None:
        now = {(peer.key.raw, info.name): self.lobby.table_line(peer, info) for peer, info in self.lobby.tables()}
        open_ones = {(peer.key.raw, info.name) for peer, info in self.open_tables()}
        for at, line in now.items():
            if self.announced.get(at) != line:
                what = tr("sit down with: join") if at in open_ones else tr("look on with: watch")
                self.lobby.say(tr("* open table {line}; {what} {at}", line=line, what=what, at=safe_name(at[1])))
        self.announced = now

    async def _read(self, scope: trio.CancelScope) -> None:
        async for line in self.lobby.context.face.lines():
            try:
                if line:
                    await self.obey(line)
            except _Left:
                break
            except LantableError as error:
                self.lobby.say(f"* {safe_text(told(error))}")
            if self.next is not None:
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
        self.aside.add((peer.key.raw, info.name))
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
        self.next = lambda: self._play_here(session, robots, lambda session: session.begin({}))

    async def _play_here(self, session: Session, robots: Mapping[int, Opponent], begin: Do) -> None:
        await play_here(self.lobby.context, session, robots, begin, secrets.token_bytes(8), self)
        if self.lobby.waiting:
            await self.lobby.play(self.lobby.waiting[0])

    async def resume(self, wanted: str) -> None:
        """Go on with a game that runs here or is kept. Raises `Misuse`."""
        if self.busy:
            raise Misuse(tr("a game with others is about to begin; leave first"))
        lobby = self.lobby
        running = [game for game, _ in lobby.running() if game.hex().startswith(wanted)]
        game = running[0] if len(running) == 1 else await trio.to_thread.run_sync(unfinished, lobby.context, wanted)
        if game not in lobby.node.sessions and await trio.to_thread.run_sync(is_local, lobby.context, game):
            session, robots = await trio.to_thread.run_sync(resumed_here, lobby.context, game)
            self.next = lambda: self._play_here(session, robots, lambda session: session.resettle())
            return
        seq = await take_up(lobby, game)
        self.next = lambda: lobby.play(game, seq)

    def invite(self, name: str) -> None:
        """An invitation to a table of ours, also as a QR code; without one, how we can be reached."""
        own = self.own_tables()
        if name and name not in own:
            raise Misuse(tr("you host no table called {name}", name=repr(name)) + nearest(name, own))
        inviting.show_card(self.lobby, name or next(iter(own), ""))

    def _chosen(self, rest: str) -> tuple[Game, dict[str, OptionValue], "Chosen"]:
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
