"""Who is there and what is told of them: one running node, the people it meets, and the tables they show.

Nothing about a game is decided here. `desk.Desk` is what the person does in a lobby; `games.Games` plays what begins.
"""

import shlex
from dataclasses import dataclass, field
from typing import Any

import trio

from lantable.game import typed
from lantable.keys import PublicKey
from lantable.text import safe_name, safe_text
from lantable_console import language, network
from lantable_console.context import Context
from lantable_console.language import by_language, tr
from lantable_console.people import shown
from lantable_console.quiet import Quiet
from lantable_console.together import Together
from lantable_net import news
from lantable_net.channel import TokenBucket
from lantable_net.connection import show_address
from lantable_net.handshake import Peer
from lantable_net.messages import TableInfo
from lantable_net.node import Close, Node
from lantable_net.service import Listed, Missing, Service, Slow, Someone, Unwelcome
from lantable_net.session import Session
from lantable_net.trust import MAX_PEOPLE, State, TrustStore, Verdict


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

    def __post_init__(self) -> None:
        self.together = Together(self)
        self.store = self.context.home.trust()

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

    async def next_game(self) -> bytes:
        """Tell news until a game begins; its id."""
        async for tell in self.service.news:
            match tell.news:
                case news.Began(game, again=False):
                    return game
                case _:
                    self.tell(tell.news)
        raise AssertionError("the news channel has no end")
