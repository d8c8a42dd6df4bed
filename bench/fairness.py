"""How long hidden tiles keep people waiting: between whole services, with every event synced on every disk.

From event 0 until whoever is first may move there go by: the toss, the commitments, keys, a shuffle by every seat and
the shares, each event judged and acknowledged by all.

All services run in one process and one thread of trio. So what several computers do at the same time, to judge an event
and to read and write its frames, is done here one after the other: with four seats nearly four times.
"""

import secrets
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import trio
from tests.games import Sitting, key, make_host

from bench.measure import Distribution, Say, Target
from bench.moving import FOLDER
from lantable.chain import Chain
from lantable.dealing.fair import FairDealing
from lantable.dealing.fair_dealer import FairDealer
from lantable.keys import PublicKey, sha256
from lantable_net.discovery import SilentDiscovery
from lantable_net.handshake import Identity
from lantable_net.messages import TableInfo
from lantable_net.news import Began, TablesChanged
from lantable_net.node import Node
from lantable_net.service import Service
from lantable_net.session import Session
from lantable_net.trust import TrustStore
from lantable_replays.archive import Archive
from lantable_replays.audit import audit

GAME: Final = "binary-scrabble"
SETUP_MS: Final = {2: 300.0, 3: 450.0, 4: 600.0}
DRAW_MS: Final = 20.0
DRAW_MORE_MS: Final = 15.0
"""For every seat beyond two."""
GAP_MS: Final = 50.0
AUDIT_MS: Final = 1000.0
ROUNDS: Final = 7
DRAWS: Final = 12
TICK_SECONDS: Final = 0.001


def run(say: Say, rounds: int = ROUNDS, draws: int = DRAWS, folder: Path = FOLDER) -> list[Target]:
    """Set-up, the wait for a draw, the longest gap of the loop, and the audit, for 2 to 4 seats."""
    folder.mkdir(exist_ok=True)
    targets: list[Target] = []
    for seats, most in SETUP_MS.items():
        timed = Timed()
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as name:
                trio.run(_game, Path(name), seats, draws, timed)
        setup = Distribution(f"{seats} seats: event 0 to first mover due", timed.setups)
        draw = Distribution(f"{seats} seats: a draw", timed.draws)
        gaps = Distribution(f"{seats} seats: longest gap of the loop in set-up", timed.gaps)
        busy = Distribution(f"{seats} seats: processor time of all in that time", timed.busy)
        for line in (setup, busy, draw, gaps):
            say(str(line))
        wanted = DRAW_MS + DRAW_MORE_MS * (seats - 2)
        targets += [
            Target(f"{seats} seats are dealt within {most:.0f} ms", f"{setup.median:.0f} ms", setup.median <= most),
            Target(
                f"{seats} seats: a draw adds at most {wanted:.0f} ms", f"{draw.median:.1f} ms", draw.median <= wanted
            ),
            Target(f"{seats} seats: no gap above {GAP_MS:.0f} ms", f"{gaps.median:.1f} ms", gaps.median <= GAP_MS),
        ]
    return [*targets, *(_audited(say, seats, rounds) for seats in SETUP_MS)]


def _audited(say: Say, seats: int, rounds: int) -> Target:
    sitting = Sitting(GAME, seats=seats, fair=True).robots("greedy")
    times: list[float] = []
    for _ in range(rounds):
        begin = time.process_time()
        assert audit(sitting.data, sitting.host.rules_for).code == 0
        times.append(1000 * (time.process_time() - begin))
    took = Distribution(f"{seats} seats: audit of {len(sitting.lines) // 2} events, processor time", times)
    say(str(took))
    return Target(f"{seats} seats: audit within {AUDIT_MS:.0f} ms", f"{took.median:.0f} ms", took.median <= AUDIT_MS)


@dataclass
class Timed:
    """Milliseconds of everything measured, over all games of so many seats."""

    setups: list[float] = field(default_factory=list[float])
    busy: list[float] = field(default_factory=list[float])
    """Processor time of the same, of all seats together."""
    draws: list[float] = field(default_factory=list[float])
    gaps: list[float] = field(default_factory=list[float])
    largest: float = 0.0


@dataclass(frozen=True, slots=True)
class Player:
    """One of the homes."""

    service: Service
    archive: Archive

    @classmethod
    def make(cls, folder: Path, number: int) -> "Player":
        identity = Identity(key(number), secrets.token_bytes(16), f"player {number}")
        archive = Archive(folder / f"records{number}", folder / f"marks{number}")
        people, secret = TrustStore(), secrets.token_bytes(32)

        def dealer_of(chain: Chain) -> FairDealer:
            seats = [seat for seat, chair in enumerate(chain.offer.seats) if chair.key == identity.key.public]
            return FairDealer.of(sha256(secret), chain.game, seats)

        node = Node(
            identity,
            make_host().rules_for,
            clock=lambda: time.time_ns() // 1_000_000,
            entropy=secrets.token_bytes,
            dealer_of=dealer_of,
        )
        service = Service(node, archive, SilentDiscovery(), identity, lambda peer: people.meet(peer.key, peer.name, 0))
        return cls(service, archive)

    @property
    def key(self) -> PublicKey:
        return self.service.node.identity.key.public

    def session(self, game: bytes) -> Session:
        return self.service.node.sessions[game]

    async def hear(self, kind: type[Any]) -> Any:
        async for tell in self.service.news:
            if isinstance(tell.news, kind):
                return tell
        raise AssertionError("the news have no end")


async def _game(folder: Path, seats: int, draws: int, timed: Timed) -> None:
    players = [Player.make(folder, number) for number in range(seats)]
    async with trio.open_nursery() as nursery:
        for player in players:
            await nursery.start(player.service.run, 0)
        nursery.start_soon(_tick, timed)
        await _connected(players)
        game = await _begun(players, timed)
        for _ in range(draws):
            await _move(players, game, timed.draws)
        nursery.cancel_scope.cancel()
    for player in players:
        player.archive.close_all()


async def _tick(timed: Timed) -> None:
    """Whatever else wants to run, such as the screen, waits as long as this does."""
    before = time.perf_counter()
    while True:
        await trio.sleep(TICK_SECONDS)
        now = time.perf_counter()
        timed.largest = max(timed.largest, 1000 * (now - before - TICK_SECONDS))
        before = now


async def _connected(players: Sequence[Player]) -> None:
    """Everybody with everybody, as a table needs it."""
    for number, player in enumerate(players):
        for other in players[:number]:
            await player.service.connect([("127.0.0.1", other.service.node.port)])


async def _begun(players: Sequence[Player], timed: Timed) -> bytes:
    """Sit down; the game's id once somebody may move."""
    host = make_host()
    offered = host.game(GAME)
    options = offered.read_options("scoreless_limit=20")
    _, _, digest = host.rules(offered, options)
    info = TableInfo("bench", GAME, offered.version, dict(options), (), len(players), (), None, FairDealing())
    first, *guests = players
    await first.service.do(lambda node: node.host(info, digest))
    for guest in guests:
        while not any(known.tables for known in guest.service.node.links.values()):
            await guest.hear(TablesChanged)
        await guest.service.do(lambda node: node.join(first.key, info.name))
    game: bytes = (await first.hear(Began)).game
    begin, busy, timed.largest = time.perf_counter(), time.process_time(), 0.0
    await _somebody_may_move(players, game)
    timed.setups.append(1000 * (time.perf_counter() - begin))
    timed.busy.append(1000 * (time.process_time() - busy))
    timed.gaps.append(timed.largest)
    return game


async def _somebody_may_move(players: Sequence[Player], game: bytes) -> Player:
    """Whoever is to move, once their own program would let them."""
    found: list[Player] = []
    async with trio.open_nursery() as nursery:
        for player in players:
            nursery.start_soon(_until_may_move, player, game, found, nursery.cancel_scope)
    return found[0]


async def _until_may_move(player: Player, game: bytes, found: list[Player], scope: trio.CancelScope) -> None:
    while True:
        session = player.service.node.sessions.get(game)
        if session is not None and session.my_turn and not session.table.position.deals:
            found.append(player)
            scope.cancel()
        await player.service.changed()


async def _move(players: Sequence[Player], game: bytes, times: list[float]) -> None:
    """A play by whoever may: from when all have acknowledged it until the tiles for it are drawn."""
    mover = await _somebody_may_move(players, game)
    session = mover.session(game)
    position, opponent = session.position, make_host().game(GAME).opponents["easy"]
    assert position.due is not None
    move = opponent(position.rules, position.rules.view(position.state, position.due), position.due, bytes(32))
    before = session.table.chain.seq
    await mover.service.do(lambda node: node.act(game, lambda s: s.write("move", {"move": move})))
    while not session.table.chain.sealed and session.table.chain.seq == before + 1:
        await mover.service.changed()
    begin = time.perf_counter()
    await _somebody_may_move(players, game)
    if session.table.chain.seq > before + 1:
        times.append(1000 * (time.perf_counter() - begin))
