"""The thin trio edge around a `Node`: sockets, discovery, time and the journal. Nothing is decided here.

One task is the actor: it takes inputs from the inbox, hands each to the node and carries out the effects in
order before it takes the next. Everything else only puts into the inbox: a reader per connection, the heartbeat,
the dialler, and the person through `do`.
"""

import itertools
import math
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import trio

from lantable.errors import DiskFault, LantableError
from lantable.journal import Journal
from lantable.keys import PublicKey
from lantable_net import discovery as mdns
from lantable_net import messages
from lantable_net.channel import Address, Channel, ChannelOver
from lantable_net.connection import dial, open_listeners, port_of, serve
from lantable_net.discovery import Discovery, Hint, Standing
from lantable_net.effects import Append, Create, Keep, Send, SetMark
from lantable_net.handshake import Identity, Peer
from lantable_net.messages import Bye, game_of
from lantable_net.news import Parted, Stuck
from lantable_net.node import CROWDED, MAX_LINKS, Close, Effect, Node, OnDisk, Reckon, SetAside, Tell
from lantable_net.presence import GONE_SECONDS, Presence, Signs
from lantable_net.tls import Tls
from lantable_net.trust import Verdict

BEAT_SECONDS: Final = 1.0
SLOW_SECONDS: Final = GONE_SECONDS
LOST_SECONDS: Final = 15.0
DIAL_SECONDS: Final = 0.25
"""How often the dialler looks whether somebody is wanted."""
LARGER_WAITS: Final = 1.0
"""Head start of the smaller key in dialling, so that two sides seldom dial each other at once."""
RETRY_SECONDS: Final = 1.0
RETRY_MOST: Final = 30.0
GOODBYE_SECONDS: Final = 0.5
MAX_WELCOMING: Final = 16
"""Connections with a proved key for which the trust store is asked at once."""
MAX_REFUSED: Final = 256
"""Keys remembered as refused."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Nothing was heard from somebody for a while; the connection still stands."""

    peer: Peer
    over: bool = False
    """Whether something is heard again."""


@dataclass(frozen=True, slots=True)
class Unwelcome:
    """Somebody proved a key that the person must decide about first: changed, or blocked."""

    peer: Peer
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Missing:
    """Somebody who was connected does not answer where they are listed: gone, perhaps."""

    peer: Peer
    removed: bool = False
    """Whether that has lasted so long that they are not listed any more."""


@dataclass(frozen=True, slots=True)
class Someone:
    """Somebody on the list. `peer` is who proved the key on the newest connection, None if nobody has yet."""

    key: PublicKey
    name: str
    """As announced, or as proved; raw."""
    presence: Presence
    silent: float
    """Seconds since the last sign of life."""
    peer: Peer | None
    hint: Hint | None


@dataclass(frozen=True, slots=True)
class Listed:
    """Who announces themselves on the network now; hints, not identities."""

    hints: tuple[Hint, ...]
    trouble: str = ""


Meet = Callable[[Peer], Verdict]
Input = Callable[[Node], list[Effect]]


@dataclass(slots=True)
class _Job:
    """An input with somebody who waits for it."""

    input: Input
    done: trio.Event
    error: LantableError | None = None


@dataclass(slots=True)
class _Attempt:
    """What is known of dialling one key."""

    since: float
    failures: int = 0
    unanswered: int = 0
    """Failures since somebody was last reached there."""
    next: float = 0.0
    running: bool = False


class Service:
    """A node on the network. `run` it in a nursery; `news` is what happens; `do` what the person does."""

    def __init__(
        self,
        node: Node,
        journal: Journal,
        discovery: Discovery,
        identity: Identity,
        meet: Meet,
        *,
        sociable: bool = True,
        familiar: Callable[[PublicKey], bool] = lambda _: False,
    ) -> None:
        self.node = node
        self.hints: dict[str, Hint] = {}
        self.refused: dict[PublicKey, Verdict] = {}
        """Keys not to be dialled again: the person must decide about them first."""
        self._journal = journal
        self._discovery = discovery
        self._identity = identity
        self._meet = meet
        self._sociable = sociable
        self._familiar = familiar
        discovery.weigh(self._standing)
        self._eager = False
        self._channels: dict[int, Channel] = {}
        self._heard_at: dict[int, float] = {}
        self._ids = itertools.count(1)
        self._attempts: dict[PublicKey, _Attempt] = {}
        self._signs: dict[PublicKey, Signs] = {}
        """Of everybody who is connected or listed."""
        self._met: dict[PublicKey, Peer] = {}
        """Of these, whoever has proved the key while this program runs."""
        self._welcoming = 0
        self._status = ""
        self._changed = trio.Event()
        self._nursery: trio.Nursery | None = None
        self._tls: Tls | None = None
        # The inbox holds little, so that a peer that floods us waits in its own socket.
        self._put, self._inbox = trio.open_memory_channel[_Job](8)
        self._tell, self.news = trio.open_memory_channel[Tell](100_000)

    # -- what the person does

    async def do(self, act: Input) -> None:
        """Hand an input to the node and wait until its effects are carried out. Raises what the node raises."""
        job = _Job(act, trio.Event())
        await self._put.send(job)
        await job.done.wait()
        if job.error is not None:
            raise job.error

    async def connect(self, addresses: list[Address], want: PublicKey | None = None) -> Peer:
        """Dial a typed address now. Raises `Unreachable`, `Untrusted`, `Misuse`; the person should hear why."""
        channel = await self._dial(addresses, want)
        await self._welcome(channel)
        return channel.peer

    def people(self) -> list[Someone]:
        """Everybody who is connected or listed and not known to be gone."""
        now = trio.current_time()
        hints = {hint.key: hint for hint in self.hints.values() if hint.key is not None}
        found: list[Someone] = []
        for key, signs in self._signs.items():
            peer, hint = self._met.get(key), hints.get(key)
            presence = signs.presence(now)
            shown = presence is not Presence.REMOVED and not (hint is not None and hint.status == mdns.CHECKUP)
            if shown and key != self._identity.key.public:
                name = peer.name if peer else hint.name if hint else ""
                found.append(Someone(key, name, presence, now - signs.last, peer, hint))
        return found

    async def answers(self, key: PublicKey, seconds: float) -> bool:
        """Wait for a sign of life of somebody connected; whether one came. Heartbeats come every second."""
        begin = trio.current_time()
        with trio.move_on_after(seconds):
            # The link itself is asked: stock of who is connected is taken only now and then.
            while self.node.link_to(key) is not None and not self._heard_since(key, begin):
                await self.changed()
        return self._heard_since(key, begin)

    def _heard_since(self, key: PublicKey, then: float) -> bool:
        return key in self._signs and self._signs[key].last > then

    async def changed(self) -> None:
        """Wait until the node has taken one more input of any kind."""
        await self._changed.wait()

    def hurry(self) -> None:
        """Dial whoever is needed or listed at once: the person waits for them."""
        self._eager = True

    def reconsider(self, key: PublicKey) -> None:
        """The person has decided about a key: it is not refused unseen any more, and dialled soon."""
        self.refused.pop(key, None)
        self._attempts.pop(key, None)

    # -- running

    async def run(
        self, port: int | None = None, *, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Listen, be found, and serve until cancelled. Reports the port. Raises `Misuse` if it cannot listen."""
        listeners = await open_listeners(port)
        self.node.port = port_of(listeners)
        self._tls = await trio.to_thread.run_sync(Tls.fresh)
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            nursery.start_soon(self._act)
            nursery.start_soon(self._every, BEAT_SECONDS, self._beat)
            nursery.start_soon(self._every, DIAL_SECONDS, self._look_around)
            nursery.start_soon(self._listen_to_discovery)
            nursery.start_soon(self._discovery.run, self.node.port)
            nursery.start_soon(serve, listeners, self._identity, self._tls, self._accept)
            task_status.started(self.node.port)

    async def goodbye(self, reason: str) -> None:
        """Tell everybody that we go, so that they need not wait for a time-out."""
        for channel in self._channels.values():
            channel.send(messages.write(Bye(reason)))
        await self._drain()

    async def go_away(self, *, away: bool) -> None:
        """Tell everybody that the person is away, or back; it is under way when this returns."""
        await self.do(lambda node: node.go_away(away=away))
        await self._drain()

    async def _drain(self) -> None:
        with trio.move_on_after(GOODBYE_SECONDS):
            for channel in list(self._channels.values()):
                await channel.drain()

    @staticmethod
    async def _every(seconds: float, what: Callable[[], Awaitable[None]]) -> None:
        while True:
            await what()
            await trio.sleep(seconds)

    # -- the actor

    async def _act(self) -> None:
        async for job in self._inbox:
            try:
                await self._carry_out(job.input(self.node))
            except LantableError as error:
                job.error = error
            finally:
                job.done.set()
            self._update_status()
            self._changed.set()
            self._changed = trio.Event()

    async def _carry_out(self, effects: list[Effect]) -> set[bytes]:
        """Effects strictly in order; neighbouring writes share one trip to a thread. The games whose disk failed."""
        failed: set[bytes] = set()
        for on_disk, group in itertools.groupby(effects, lambda effect: isinstance(effect, OnDisk | SetAside)):
            if on_disk:
                failed |= await trio.to_thread.run_sync(self._write, list(group))
                continue
            for effect in group:
                if _concerns(effect, failed):
                    continue
                if isinstance(effect, Reckon):
                    # The actor waits, so nothing changes meanwhile; the screen does not wait.
                    found = await trio.to_thread.run_sync(effect.find)
                    failed |= await self._carry_out(effect.then(found))
                else:
                    self._perform(effect)
        return failed

    def _write(self, effects: list[Effect]) -> set[bytes]:
        """In a thread: the journal's part. The games whose disk failed: nothing more is signed or sent for them."""
        failed: set[bytes] = set()
        for effect in effects:
            if _concerns(effect, failed):
                continue
            try:
                write_effect(self._journal, effect)
            except DiskFault as error:
                assert isinstance(effect, OnDisk | SetAside)  # noqa: S101 - only these are written
                failed.add(effect.game)
                trio.from_thread.run_sync(self._give_up, effect.game, error)
        return failed

    def _give_up(self, game: bytes, error: DiskFault) -> None:
        self.node.give_up(game)
        self._say(Tell(game, Stuck(str(error))))

    def _perform(self, effect: Effect) -> None:
        match effect:
            case Send(link, message) if link in self._channels:
                self._channels[link].send(messages.write(message))
            case Close(link, reason):
                self._part(link, reason)
            case Tell():
                self._say(effect)
            case _:
                pass  # to a link that has just ended

    def _say(self, tell: Tell) -> None:
        if isinstance(tell.news, Parted) and tell.news.farewell and tell.news.peer.key in self._signs:
            self._signs[tell.news.peer.key].goodbye = True
        # Whoever reads the news has stopped reading long ago; that must not end a game.
        with suppress(trio.WouldBlock):
            self._tell.send_nowait(tell)

    def _part(self, link: int, reason: str) -> None:
        channel = self._channels.pop(link, None)
        if channel is not None and self._nursery is not None:
            self._nursery.start_soon(_close_politely, channel, reason)

    def _update_status(self) -> None:
        infos = [self.node.hosting[name].info for name in self.node.open_tables()]
        open_tables = [f"open {info.name} {info.game}" for info in infos]
        status = open_tables[0] if open_tables else ""
        if status != self._status:
            self._status = status
            self._discovery.update_status(status)

    # -- connections

    def _accept(self, channel: Channel) -> None:
        assert self._nursery is not None  # noqa: S101 - serve runs inside run
        if self._welcoming < MAX_WELCOMING:
            self._nursery.start_soon(self._welcome, channel)
        else:
            channel.close()

    async def _dial(self, addresses: list[Address], want: PublicKey | None) -> Channel:
        assert self._nursery is not None and self._tls is not None  # noqa: S101 - run was started
        return await dial(self._nursery, addresses, self._identity, self._tls, want=want)

    async def _welcome(self, channel: Channel) -> None:
        """A proved key: ask the trust store, then let the node have it and read from it."""
        if not self.node.has_room(channel.peer.key, channel.address[0]):
            # Before the trust store is asked: a crowd is not written down.
            await _close_politely(channel, CROWDED)
            return
        self._welcoming += 1
        try:
            verdict = await trio.to_thread.run_sync(self._meet, channel.peer)
        finally:
            self._welcoming -= 1
        if not verdict.welcome:
            self.refused[channel.peer.key] = verdict
            if len(self.refused) > MAX_REFUSED:
                del self.refused[next(iter(self.refused))]
            self._say(Tell(None, Unwelcome(channel.peer, verdict)))
            await _close_politely(channel, "my owner must first decide about your key")
            return
        self.refused.pop(channel.peer.key, None)
        link = next(self._ids)
        self._channels[link] = channel
        self._heard_at[link] = trio.current_time()
        self._met[channel.peer.key] = channel.peer
        self._sign_of(channel.peer.key)
        await self.do(lambda node: node.link_up(link, channel.peer, dialled=channel.dialled, address=channel.address))
        if channel.peer.key in self._signs:
            self._signs[channel.peer.key].connected = self.node.link_to(channel.peer.key) is not None
        assert self._nursery is not None  # noqa: S101 - run was started
        self._nursery.start_soon(self._read, link, channel)
        self._nursery.start_soon(self._watch_over, link, channel)

    async def _read(self, link: int, channel: Channel) -> None:
        try:
            while True:
                payload = await channel.receive()
                self._heard_at[link] = trio.current_time()
                self._sign_of(channel.peer.key)
                await self.do(lambda node, payload=payload: node.receive(link, payload))  # type: ignore[misc]  # binds
        except ChannelOver:
            pass
        self._channels.pop(link, None)
        del self._heard_at[link]
        await self.do(lambda node: node.link_down(link))

    def _sign_of(self, key: PublicKey) -> None:
        """They are alive, now."""
        now = trio.current_time()
        self._signs.setdefault(key, Signs(now)).alive(now)

    async def _watch_over(self, link: int, channel: Channel) -> None:
        """Heartbeats notice what a dead cable never tells."""
        said = False
        while link in self._channels:
            silent = trio.current_time() - self._heard_at.get(link, 0.0)
            if silent > LOST_SECONDS:
                channel.close()
                return
            known = self.node.links.get(link)
            # Whoever said that they go away, as when the program is suspended, is not missed.
            slow = silent > SLOW_SECONDS and not (known is not None and known.away)
            if slow != said:
                self._say(Tell(None, Slow(channel.peer, over=said)))
            said = slow
            await trio.sleep(BEAT_SECONDS)

    async def _beat(self) -> None:
        await self.do(lambda node: node.beat())

    # -- finding people

    async def _listen_to_discovery(self) -> None:
        trouble = ""
        async for event in self._discovery.events:
            match event:
                case mdns.Found(hint) | mdns.Changed(hint):
                    self._heard_of(hint)
                case mdns.Lost(instance):
                    self.hints.pop(instance, None)
                case mdns.Trouble(text):
                    trouble = text
            self._say(Tell(None, Listed(tuple(self.hints.values()), trouble)))

    def _heard_of(self, hint: Hint) -> None:
        known = self.hints.get(hint.instance)
        self.hints[hint.instance] = hint
        if hint.key is not None:
            self.node.learn(hint.key, hint.addresses)
            if known is None or (known.run, known.addresses) != (hint.run, hint.addresses):
                self._attempts.pop(hint.key, None)  # started again, or moved: worth dialling at once
                self._sign_of(hint.key)

    def _standing(self, key: PublicKey | None) -> Standing:
        """How much is known of somebody who is listed."""
        if key is None:
            return Standing.SILENT
        if self.node.link_to(key) is not None:
            return Standing.PROVED
        attempt = self._attempts.get(key)
        silent = attempt is not None and attempt.unanswered > 0
        if self._familiar(key):
            return Standing.STRANGE if silent else Standing.KNOWN
        return Standing.SILENT if silent else Standing.STRANGE

    async def _look_around(self) -> None:
        """Dial whom a game needs, and whoever is listed, with patience that grows with each failure."""
        self._take_stock()
        wanted = self._to_dial()
        now = trio.current_time()
        for key in [key for key in self._attempts if key not in wanted and not self._attempts[key].running]:
            del self._attempts[key]
        for key, addresses in wanted.items():
            attempt = self._attempts.setdefault(key, _Attempt(now))
            smaller = self._eager or self._identity.key.public < key
            ready = attempt.next if smaller or attempt.failures else attempt.since + LARGER_WAITS
            if addresses and not attempt.running and now >= ready and key not in self.refused:
                attempt.running = True
                assert self._nursery is not None  # noqa: S101 - run was started
                self._nursery.start_soon(self._try, key, list(addresses), attempt)

    def _to_dial(self) -> dict[PublicKey, tuple[Address, ...]]:
        """Whom to dial, and where: also those whose connection is silent, since they may have moved."""
        wanted = self.node.wanted()
        if self._sociable and len(self.node.links) < MAX_LINKS:
            for key, addresses in self._listed_addresses().items():
                if self.node.link_to(key) is None:
                    wanted.setdefault(key, addresses)
        for link, known in self.node.links.items():
            if trio.current_time() - self._heard_at.get(link, math.inf) > SLOW_SECONDS:
                wanted.setdefault(known.peer.key, self.node.addresses.get(known.peer.key, ()))
        wanted.pop(self._identity.key.public, None)
        return wanted

    def _listed_addresses(self) -> dict[PublicKey, tuple[Address, ...]]:
        """Where each listed key is said to be, by whoever said it: one who lies must not hide where it is."""
        said: dict[PublicKey, dict[Address, None]] = {}
        for hint in self.hints.values():
            if hint.key is not None:
                said.setdefault(hint.key, {}).update(dict.fromkeys(hint.addresses))
        return {key: tuple(addresses) for key, addresses in said.items()}

    def _take_stock(self) -> None:
        """Note who is connected, forget whoever is neither connected nor listed, and say whom we miss now."""
        now = trio.current_time()
        listed = {hint.key for hint in self.hints.values()}
        for key, signs in list(self._signs.items()):
            signs.connected = self.node.link_to(key) is not None
            attempt = self._attempts.get(key)
            signs.failed = attempt is not None and attempt.unanswered > 0
            if not signs.connected and key not in listed:
                del self._signs[key]
                self._met.pop(key, None)
            elif signs.presence(now) is not signs.told:
                signs.told = signs.presence(now)
                self._tell_presence(key, signs)

    def _tell_presence(self, key: PublicKey, signs: Signs) -> None:
        peer = self._met.get(key)
        if peer is not None and signs.told is Presence.GONE and not signs.connected:
            self._say(Tell(None, Missing(peer)))
        if peer is not None and signs.told is Presence.REMOVED:
            del self._met[key]
            if not signs.goodbye:
                self._say(Tell(None, Missing(peer, removed=True)))
        self._changed.set()
        self._changed = trio.Event()

    async def _try(self, key: PublicKey, addresses: list[Address], attempt: _Attempt) -> None:
        try:
            channel = await self._dial(addresses, key)
        except LantableError:
            attempt.failures += 1
            attempt.unanswered += 1
            pause = min(RETRY_MOST, RETRY_SECONDS * 2 ** min(attempt.failures - 1, 8))
            # "redial after a random pause", lest two sides keep meeting half-way
            attempt.next = trio.current_time() + pause * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
        else:
            attempt.next = trio.current_time() + RETRY_SECONDS * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
            attempt.failures, attempt.unanswered = 1, 0
            await self._welcome(channel)
        finally:
            attempt.running = False


def write_effect(journal: Journal, effect: Any) -> None:
    """Carry out one disk effect. Raises `DiskFault`."""
    match effect:
        case OnDisk(game, Create(line)):
            journal.create(game, line)
        case OnDisk(game, Append(line, sync)):
            journal.append(game, line, sync=sync)
        case OnDisk(game, SetMark(data)):
            journal.mark(game, data)
        case OnDisk(game, Keep(kind, data)):
            journal.keep(game, kind, data)
        case SetAside(game):
            journal.set_aside(game)
        case _:
            raise AssertionError(f"{effect!r} is not for the disk")


def _concerns(effect: Effect, games: set[bytes]) -> bool:
    """Whether an effect belongs to one of these games."""
    match effect:
        case OnDisk(game, _) | SetAside(game) | Reckon(game):
            return game in games
        case Send(_, message):
            return game_of(message) in games
        case Tell(game, _):
            return game in games
        case _:
            return False


async def _close_politely(channel: Channel, reason: str) -> None:
    if reason:
        channel.send(messages.write(Bye(reason[: messages.MAX_TEXT])))
    with trio.move_on_after(GOODBYE_SECONDS):
        await channel.drain()
    channel.close()
