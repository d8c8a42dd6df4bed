"""What people ask of each other and say to each other: seats, rematches, words, being away.

Nothing of it is in a record. Whatever others wrote passes `safe_text`, comes at a bounded pace, and can be muted.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import trio

from lantable.errors import Misuse
from lantable.game import nearest
from lantable.keys import PublicKey
from lantable.text import safe_name, safe_text
from lantable_console.language import tr
from lantable_console.people import two_words
from lantable_console.questions import Question
from lantable_console.quiet import Quiet
from lantable_net import news
from lantable_net.again import Again
from lantable_net.channel import TokenBucket
from lantable_net.handshake import Peer
from lantable_net.messages import MAX_CHAT
from lantable_net.service import Slow
from lantable_net.session import Session
from lantable_net.trust import State
from lantable_replays.system import SUSPENSION_SIGNALS, stop_here

if TYPE_CHECKING:
    from lantable_console.lobby import Lobby

WORDS_AT_ONCE: Final = 5
WORDS_A_SECOND: Final = 1.0


class Together:
    """One program's share in it. `lines` turns news into lines; the rest is what the person does."""

    def __init__(self, lobby: "Lobby") -> None:
        self._lobby = lobby
        self._muted: set[PublicKey] = set()
        self._voices = Quiet(WORDS_A_SECOND, WORDS_AT_ONCE)
        self._own: TokenBucket | None = None
        self._before = False
        self.game: bytes | None = None
        """The game that is played here, or was last."""
        self.playing = False
        """Whether it is before the person."""

    # -- what others do

    def lines(self, item: Any) -> list[str] | None:
        """What to tell of a piece of news; None if it is none of these."""
        match item:
            case news.Asked(table, peer):
                question = self.ask_about(table, peer)
                return [question.line] if self._lobby.heeds(item) else []
            case news.AskedNoMore(table, peer):
                return self._withdrawn(("seat", table, peer.key))
            case news.RematchWished(peer, again):
                return self._rematch_wished(peer, again)
            case news.RematchOff(peer, again):
                self._lobby.context.questions.drop(("rematch", again.game))
                what = tr("a rematch") if again.continues is None else tr("going on")
                return [tr("nothing comes of {what} with {called} now", what=what, called=self._lobby.called(peer))]
            case news.Said(peer, text, game):
                return self._said(peer, text, game)
            case news.WentAway(peer, away) if self._lobby.heeds(item):
                return [
                    tr(
                        "{who} is {what}",
                        who=self._lobby.who(peer),
                        what=tr("away from the keyboard") if away else tr("back"),
                    )
                ]
            case news.WentAway():
                return []
            case _:
                return None

    def ask_about(self, table: str, peer: Peer) -> Question:
        """Who wants to sit down. A name proves nothing, so key, trust and the words of this connection stand there."""
        lobby = self._lobby
        text = tr(
            "{who} asks for a seat at {table}, key {words}, both of you see the words  {words2}",
            who=lobby.who(peer),
            table=safe_name(table),
            words=peer.key.words,
            words2=peer.words,
        )
        return lobby.context.questions.ask(
            ("seat", table, peer.key),
            text,
            partial(self._admit, table, peer.key),
            partial(self._refuse, table, peer.key),
        )

    async def _admit(self, table: str, key: PublicKey) -> None:
        if self.busy:
            raise Misuse(tr("finish or leave your game first; they wait, and may give up waiting"))
        await self._lobby.service.do(lambda node: node.admit(table, key))

    async def _refuse(self, table: str, key: PublicKey) -> None:
        await self._lobby.service.do(lambda node: node.turn_away(table, key))

    def _withdrawn(self, about: tuple[Any, ...]) -> list[str]:
        question = self._lobby.context.questions.drop(about)
        return (
            []
            if question is None
            else [tr("{number} needs no answer any more: {text}", number=question.number, text=question.text)]
        )

    def _rematch_wished(self, peer: Peer, again: Again) -> list[str]:
        """Agreeing is asking too: if we did already, there is nothing left to ask."""
        game, going_on = again.game, again.continues is not None
        if self._lobby.node.wishes_rematch(game):
            return [
                tr(
                    "{called} agrees to {what}",
                    called=self._lobby.called(peer),
                    what=tr("go on") if going_on else tr("a rematch"),
                )
            ]

        async def yes() -> None:
            if self.busy and self.game != game:
                raise Misuse(tr("finish or leave your game first"))
            await self._lobby.service.do(lambda node: node.go_on(game) if going_on else node.rematch(game))

        async def no() -> None:
            await self._lobby.service.do(lambda node: node.no_rematch(game))

        text = tr(
            "{called} asks for a rematch: the same again, and the next player begins", called=self._lobby.called(peer)
        )
        if going_on:
            without = ", ".join(self.not_here(game))
            text = tr(
                "{called} asks to go on without {without}, as another game; tiles, if any, are drawn anew",
                called=self._lobby.called(peer),
                without=without,
            )
        return [self._lobby.context.questions.ask(("rematch", game), text, yes, no).line]

    def _said(self, peer: Peer, text: str, game: bytes | None) -> list[str]:
        if peer.key in self._muted:
            return []
        known = self._lobby.store.get(peer.key)
        # In a game every player has a measure of their own; elsewhere strangers share one, since keys cost nothing.
        key = peer.key if game is not None or (known is not None and known.state is not State.NEW) else None
        who = self._lobby.called(peer) if game is not None else self._lobby.who(peer)
        if self._voices.tells(key, trio.current_time()):
            return [tr("{who} says: {text}", who=who, text=safe_text(text, MAX_CHAT))]
        return (
            [tr("{who} says too much at once, and not all of it is shown", who=who)] if self._voices.hushes(key) else []
        )

    def pause(self, session: Session, item: Any) -> str | None:
        """What it means for a game that somebody is slow, lost or here again."""
        peer = getattr(item, "peer", None)
        if peer is None or session.table.complete or session.stopped:
            return None
        if session.me is None or session.table.chain.owner_of(peer.key) not in session.table.chain.present():
            return None
        name = self._lobby.called(peer)
        match item:
            case Slow(_, over):
                return (
                    tr("resumed: {name} answers again", name=name)
                    if over
                    else tr("slow: the game waits for a sign of life of {name}", name=name)
                )
            case news.Parted() if self._lobby.node.link_to(peer.key) is None:
                return tr(
                    "paused: {name} is lost for now; nothing is lost of the game, and it goes on when {name} is back",
                    name=name,
                )
            case news.Met():
                return tr(
                    "resumed: {name} is connected, and the game goes on once both have the same record", name=name
                )
            case _:
                return None

    # -- what the person does

    @property
    def busy(self) -> bool:
        """Whether a game is being played that is not over."""
        session = self._lobby.node.sessions.get(self.game) if self.game is not None else None
        return self.playing and session is not None and not session.table.complete and not session.stopped

    @property
    def can_rematch(self) -> bool:
        session = self._lobby.node.sessions.get(self.game) if self.game is not None else None
        return session is not None and session.me is not None and session.table.complete

    async def rematch(self) -> None:
        """Ask the players of the last game to play it again. Raises `Misuse`."""
        game = self.game
        if game is None:
            raise Misuse(tr("there was no game yet that could be played again"))
        self._lobby.context.questions.drop(("rematch", game))
        await self._lobby.service.do(lambda node: node.rematch(game))

    def not_here(self, game: bytes) -> list[str]:
        """Who of a game is not here, as they were called in it."""
        node = self._lobby.node
        table, here = node.sessions[game].table, node.here(game)
        out = table.position.out
        return [safe_name(seat.name) for at, seat in enumerate(table.chain.offer.seats) if at not in {*here, *out}]

    async def go_on(self, game: bytes) -> None:
        """Ask those who are here to go on without those who are not. Raises `Misuse`."""
        self._lobby.context.questions.drop(("rematch", game))
        await self._lobby.service.do(lambda node: node.go_on(game))

    async def chat(self, text: str, game: bytes | None = None) -> None:
        """Say something. Raises `Misuse` for too much of it."""
        now = trio.current_time()
        self._own = self._own or TokenBucket(WORDS_A_SECOND, WORDS_AT_ONCE, now)
        if self._own.wait(now) > 0:
            raise Misuse(tr("not sent: wait a moment between two messages"))
        await self._lobby.service.do(lambda node: node.say(text, game))
        self._own.spend(1)

    def talkers(self) -> list[str]:
        """Everybody connected, as the person calls them."""
        return [self._lobby.called(link.peer) for link in self._lobby.node.links.values()]

    def mute(self, name: str, *, muted: bool) -> None:
        """By name, or by the words of the key where two have one name. Raises `Misuse`."""
        peers = [link.peer for link in self._lobby.node.links.values()]
        wanted = name.lower()
        found = [p for p in peers if wanted in (self._lobby.called(p).lower(), two_words(p.key), p.key.words)]
        if len(found) != 1:
            several = " or ".join(two_words(peer.key) for peer in found)
            raise Misuse(
                tr("several are called {name}: say {several}", name=repr(name), several=several)
                if found
                else tr("nobody here is called {name}", name=repr(name)) + nearest(name, self.talkers())
            )
        (self._muted.add if muted else self._muted.discard)(found[0].key)
        heard = tr("nothing of what they say is shown now") if muted else tr("what they say is shown again")
        self._lobby.say(f"* {self._lobby.who(found[0])}: {heard}")

    async def go_away(self, *, away: bool) -> None:
        await self._lobby.service.go_away(away=away)

    async def suspended(self, stopped: bool) -> None:
        """Say that nobody sits here, and when the program goes on whatever held before."""
        if stopped:
            self._before = self._lobby.node.away
        await self.go_away(away=stopped or self._before)

    async def mind_suspension(self) -> None:
        """In line mode: Ctrl-Z stops the program, and the others should know why it is silent."""
        if not SUSPENSION_SIGNALS:
            return
        with trio.open_signal_receiver(*SUSPENSION_SIGNALS) as signals:
            async for _ in signals:
                await self.suspended(True)
                stop_here()
                await self.suspended(False)
