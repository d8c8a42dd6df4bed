"""One seat of the games that `fairness` measures: a process with a service, a disk and a computer player of its own."""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import trio
from tests.games import key, make_host

from lantable.chain import Chain
from lantable.dealing.fair import FairDealing
from lantable.dealing.fair_dealer import FairDealer
from lantable_net.discovery import SilentDiscovery
from lantable_net.handshake import Identity
from lantable_net.messages import TableInfo
from lantable_net.news import Began, TablesChanged
from lantable_net.node import Node
from lantable_net.service import Service
from lantable_net.session import Session
from lantable_net.trust import TrustStore
from lantable_replays.archive import Archive

GAME: Final = "binary-scrabble"
TABLE: Final = "bench"
TICK_SECONDS: Final = 0.01


@dataclass
class Seen:
    """What one seat saw, in seconds by the machine's monotonic clock."""

    began: float = 0.0
    """When event 0 was written here."""
    turns: dict[int, float] = field(default_factory=dict[int, float])
    """When it might first move, by the number of the event before."""
    moves: dict[int, float] = field(default_factory=dict[int, float])
    """When all had acknowledged a move of its own, by the number of the move."""
    busy: float = 0.0
    """Processor time from event 0 until somebody might move."""
    gap: float = 0.0
    """The longest time in which nothing else could run in that time."""


def sit(number: int, seats: int, draws: int, folder: Path, pipe: Connection) -> None:
    """Play so many moves of a game between all seats. Says its port, hears those of all, and says what it saw."""
    trio.run(_Seat(number, seats, draws, folder, pipe).play)


class _Seat:
    def __init__(self, number: int, seats: int, draws: int, folder: Path, pipe: Connection) -> None:
        self._number, self._seats, self._draws, self._pipe = number, seats, draws, pipe
        self._seen, self._gap = Seen(), 0.0
        self._host = make_host()
        self._archive = Archive(folder / f"records{number}", folder / f"marks{number}")
        identity = Identity(key(number), secrets.token_bytes(16), f"player {number}")
        people, secret = TrustStore(), secrets.token_bytes(32)

        def dealer_of(chain: Chain) -> FairDealer:
            seats = [seat for seat, chair in enumerate(chain.offer.seats) if chair.key == identity.key.public]
            return FairDealer.of(secret, chain.game, seats)

        node = Node(
            identity,
            self._host.rules_for,
            clock=lambda: time.time_ns() // 1_000_000,
            entropy=secrets.token_bytes,
            dealer_of=dealer_of,
        )
        self._service = Service(
            node, self._archive, SilentDiscovery(), identity, lambda peer: people.meet(peer.key, peer.name, 0)
        )

    async def play(self) -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(self._service.run, 0)
            nursery.start_soon(self._tick)
            self._pipe.send(self._service.node.port)
            await self._begin(await trio.to_thread.run_sync(self._pipe.recv))
            await self._moves()
            self._pipe.send(self._seen)
            # The others may still need what only this seat has.
            await trio.to_thread.run_sync(self._wait_for_the_end)
            nursery.cancel_scope.cancel()
        self._archive.close_all()

    def _wait_for_the_end(self) -> None:
        try:
            self._pipe.recv()
        except EOFError:
            return

    async def _tick(self) -> None:
        """Whatever else wants to run, such as the screen, waits as long as this does."""
        before = time.monotonic()
        while True:
            await trio.sleep(TICK_SECONDS)
            now = time.monotonic()
            self._gap = max(self._gap, now - before - TICK_SECONDS)
            before = now

    async def _begin(self, ports: Sequence[int]) -> None:
        """Everybody with everybody, as a table needs it; then sit down, until event 0 is there."""
        for port in ports[: self._number]:
            await self._service.connect([("127.0.0.1", port)])
        while len(self._service.node.links) < self._seats - 1:
            await self._service.changed()
        if self._number == 0:
            await self._service.do(lambda node: node.host(*self._table()))
        else:
            while not any(known.tables for known in self._service.node.links.values()):
                await self._hear(TablesChanged)
            await self._service.do(lambda node: node.join(key(0).public, TABLE))
        self._game: bytes = (await self._hear(Began)).game
        self._seen.began, self._seen.busy, self._gap = time.monotonic(), -time.process_time(), 0.0

    def _table(self) -> tuple[TableInfo, bytes]:
        offered = self._host.game(GAME)
        options = offered.read_options("scoreless_limit=20")
        _, _, digest = self._host.rules(offered, options)
        info = TableInfo(TABLE, GAME, offered.version, dict(options), (), self._seats, (), None, FairDealing())
        return info, digest

    async def _hear(self, kind: type[Any]) -> Any:
        async for tell in self._service.news:
            if isinstance(tell.news, kind):
                return tell
        raise AssertionError("the news have no end")

    async def _moves(self) -> None:
        """Play when it is my turn; until all have played so many moves and what these drew is there."""
        await self._until_somebody_may_move()
        self._seen.busy += time.process_time()
        self._seen.gap = self._gap
        while self._played() < self._draws and self._session.table.position.outcome is None:
            if self._session.my_turn:
                await self._move()
            else:
                await self._service.changed()
            await self._until_somebody_may_move()

    async def _until_somebody_may_move(self) -> None:
        table = self._session.table
        while table.position.deals or not table.chain.sealed:
            await self._service.changed()
        if self._session.my_turn:
            self._seen.turns.setdefault(table.chain.seq, time.monotonic())

    async def _move(self) -> None:
        position, opponent = self._session.position, self._host.game(GAME).opponents["easy"]
        assert position.due is not None
        move = opponent(position.rules, position.rules.view(position.state, position.due), position.due, bytes(32))
        chain = self._session.table.chain
        number = chain.seq + 1
        await self._service.do(lambda node: node.act(self._game, lambda s: s.write("move", {"move": move})))
        while not chain.sealed and chain.seq == number:
            await self._service.changed()
        self._seen.moves[number] = time.monotonic()

    @property
    def _session(self) -> Session:
        return self._service.node.sessions[self._game]

    def _played(self) -> int:
        return sum(signed.event.type == "move" for signed in self._session.table.chain.events)
