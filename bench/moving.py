"""How long a durable move takes, from entering it on one side until the other side shows it.

Both sides are whole: a `Service` with its own node, archive on disk and TLS connection over the loopback interface.
They run in one process and one thread of trio, so nothing here is faster than between two computers except the
wire. In that time the move is signed, judged, appended and synced, marked, sent, received, checked, judged again,
and appended and synced there: only then is `Played` told.

The floor does the least that "durable on both sides, then shown" can mean: append and sync a line of that size
twice, on two files, and send a frame of that size to and fro over TLS with trio. It is measured after every move.
"""

import os
import secrets
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import trio
from tests.games import key, make_host

from bench.measure import Distribution, Say, Target
from lantable.host import Host
from lantable.keys import PublicKey
from lantable_net.channel import TlsStream, drop
from lantable_net.discovery import SilentDiscovery
from lantable_net.framing import encode
from lantable_net.handshake import Identity
from lantable_net.messages import TableInfo
from lantable_net.news import Acknowledged, Began, Played, TablesChanged
from lantable_net.node import Node
from lantable_net.service import Service
from lantable_net.session import Session
from lantable_net.tls import Tls
from lantable_net.trust import TrustStore
from lantable_replays.archive import Archive

TIMES: Final = 1.5
PLUS_MS: Final = 2.0
"""A move may take 1.5 times the floor, or this much more than it, whichever is larger."""
MOVES: Final = 250
PAUSE_SECONDS: Final = 0.01
"""Before each measurement: people do not move back to back."""
SIZE: Final = "12x12"
GAME: Final = "dots-and-boxes"
FOLDER: Final = Path(__file__).parent.parent / "build"
"""Where the records go: beside the sources, since a system's folder for temporary files may be kept in memory."""


def run(say: Say, moves: int = MOVES, size: str = SIZE, folder: Path = FOLDER) -> list[Target]:
    """One move, signed, synced on both disks and sent over TLS, in one process; from entered to shown there."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as name:
        samples = trio.run(_play, Path(name), moves, size)
    syncs = Distribution("append and sync, twice", [sample.syncs for sample in samples])
    trips = Distribution("TLS round trip", [sample.trip for sample in samples])
    floor = Distribution("both", [sample.syncs + sample.trip for sample in samples])
    shown = Distribution("move entered to shown there", [sample.shown for sample in samples])
    acknowledged = Distribution("move entered to acknowledged here", [sample.acknowledged for sample in samples])
    ratio, plus = shown.median / floor.median, shown.median - floor.median
    for line in (str(syncs), str(trips), f"{floor}  (floor)", f"{shown}  {ratio:.2f} x floor", str(acknowledged)):
        say(line)
    aim = f"a move within {TIMES} x the floor or {PLUS_MS} ms above it"
    return [Target(aim, f"{ratio:.2f} x, {plus:.2f} ms above", ratio <= TIMES or plus <= PLUS_MS)]


@dataclass(frozen=True, slots=True)
class Sample:
    """One move and the floor beside it, in milliseconds."""

    shown: float
    acknowledged: float
    syncs: float
    trip: float


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two players."""

    service: Service
    archive: Archive
    host: Host

    @classmethod
    def make(cls, folder: Path, number: int) -> "Side":
        identity = Identity(key(number), secrets.token_bytes(16), f"player {number}")
        archive = Archive(folder / f"records{number}", folder / f"marks{number}")
        host, people = make_host(), TrustStore()
        node = Node(identity, host.rules_for, clock=_now, entropy=secrets.token_bytes)
        service = Service(node, archive, SilentDiscovery(), identity, lambda peer: people.meet(peer.key, peer.name, 0))
        return cls(service, archive, host)

    @property
    def key(self) -> PublicKey:
        return self.service.node.identity.key.public

    def session(self, game: bytes) -> Session:
        return self.service.node.sessions[game]

    async def hear(self, kind: type[Any]) -> Any:
        """The next news of that kind, as told: with the game it is about."""
        async for tell in self.service.news:
            if isinstance(tell.news, kind):
                return tell
        raise AssertionError("the news have no end")

    async def move(self, game: bytes, move: str) -> None:
        """What the console does with a move that was typed."""
        await self.service.do(lambda node: node.act(game, lambda session: session.write("move", {"move": move})))


async def _play(folder: Path, moves: int, size: str) -> list[Sample]:
    sides = [Side.make(folder, number) for number in range(2)]
    async with trio.open_nursery() as nursery:
        for side in sides:
            await nursery.start(side.service.run, 0)
        game = await _begin(sides, size)
        async with _floor(folder) as floor:
            samples = [await _sample(sides, game, floor) for _ in range(moves)]
        nursery.cancel_scope.cancel()
    for side in sides:
        side.archive.close_all()
    return samples


async def _begin(sides: Sequence[Side], size: str) -> bytes:
    """Host, connect, sit down; the game's id once everybody has acknowledged event 0."""
    host, guest = sides
    offered = host.host.game(GAME)
    options = offered.read_options(f"size={size}")
    _, _, digest = host.host.rules(offered, options)
    info = TableInfo("bench", GAME, offered.version, dict(options), (), len(sides), ())
    await host.service.do(lambda node: node.host(info, digest))
    await guest.service.connect([("127.0.0.1", host.service.node.port)])
    await guest.hear(TablesChanged)
    await guest.service.do(lambda node: node.join(host.key, info.name))
    game: bytes = (await guest.hear(Began)).game
    for side in sides:
        while not side.session(game).table.chain.sealed:
            await side.service.changed()
    return game


async def _sample(sides: Sequence[Side], game: bytes, floor: "Floor") -> Sample:
    mover, other = sides if sides[0].session(game).my_turn else sides[::-1]
    position = mover.session(game).table.position
    move = secrets.choice(list(position.rules.legal(position.state, position.due or 0)))
    await floor.settle()
    begin = time.perf_counter()
    await mover.move(game, move)
    await other.hear(Played)
    shown = time.perf_counter()
    await mover.hear(Acknowledged)
    acknowledged = time.perf_counter()
    await other.hear(Acknowledged)
    syncs, trip = await floor.once(mover.session(game).table.chain.last.line)
    return Sample(1000 * (shown - begin), 1000 * (acknowledged - begin), syncs, trip)


def _now() -> int:
    return time.time_ns() // 1_000_000


# -- the floor


@dataclass(frozen=True, slots=True)
class Floor:
    """Two files to append to, and a connection whose other end sends back what it gets."""

    files: Sequence[int]
    stream: TlsStream

    async def once(self, line: bytes) -> tuple[float, float]:
        """Milliseconds of two appends with their syncs, and of the round trip of a frame between them."""
        await self.settle()
        frame = encode(line)
        times = [time.perf_counter()]
        self._append(0, line)
        times.append(time.perf_counter())
        await self.stream.send_all(frame)
        missing = len(frame)
        while missing:
            missing -= len(await self.stream.receive_some(missing))
        times.append(time.perf_counter())
        self._append(1, line)
        times.append(time.perf_counter())
        here, trip, there = (1000 * (after - before) for before, after in pairwise(times))
        return here + there, trip

    async def settle(self) -> None:
        """Let the disk finish with what came before: a sync right after another waits for that one's journal."""
        for file in self.files:
            os.fsync(file)
        await trio.sleep(PAUSE_SECONDS)

    def _append(self, file: int, line: bytes) -> None:
        os.write(self.files[file], line + b"\n")
        os.fsync(self.files[file])


@asynccontextmanager
async def _floor(folder: Path) -> AsyncGenerator[Floor]:
    tls = Tls.fresh()
    files = [os.open(folder / f"floor{number}", os.O_WRONLY | os.O_APPEND | os.O_CREAT) for number in range(2)]
    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(_echo, listener, tls)
        port: int = listener.socket.getsockname()[1]
        stream = trio.SSLStream(await trio.open_tcp_stream("127.0.0.1", port), tls.client)
        await stream.do_handshake()
        yield Floor(files, stream)
        await drop(stream)
        nursery.cancel_scope.cancel()
    for file in files:
        os.close(file)


async def _echo(listener: trio.SocketListener, tls: Tls) -> None:
    """Send back whatever comes on one connection."""
    async with listener, await listener.accept() as plain:
        stream = trio.SSLStream(plain, tls.server, server_side=True)
        try:
            while data := await stream.receive_some(65_536):
                await stream.send_all(data)
        except trio.BrokenResourceError:
            pass  # the other end is dropped when all is measured
