"""The trio edge: real TLS on loopback, a fake network for finding each other, journals that can fail."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import trio

from lantable.errors import DiskFault
from lantable_net.discovery import FakeLan
from lantable_net.handshake import Identity, Peer
from lantable_net.messages import TableInfo
from lantable_net.news import Began, Met, Parted, Stuck, TablesChanged
from lantable_net.node import Node
from lantable_net.service import LOST_SECONDS, Listed, Service, Unwelcome
from lantable_net.session import Session
from lantable_net.trust import TrustStore
from lantable_replays.archive import Archive
from tests.games import NAMES, key, make_host

T = TypeVar("T")
PATIENCE = 20.0
"""A deadline for what takes milliseconds; reached only when something is broken."""


@dataclass
class Failing:
    """A journal that fails from a given append on, as a full disk does."""

    inner: Archive
    good: int = 1_000_000

    def create(self, game: bytes, line: bytes) -> None:
        self.inner.create(game, line)

    def append(self, game: bytes, line: bytes, *, sync: bool) -> None:
        self.good -= 1
        if self.good < 0:
            raise DiskFault("cannot write the record: no space left; make room and resume")
        self.inner.append(game, line, sync=sync)

    def mark(self, game: bytes, data: bytes) -> None:
        self.inner.mark(game, data)

    def keep(self, game: bytes, kind: str, data: bytes) -> None:
        self.inner.keep(game, kind, data)

    def set_aside(self, game: bytes) -> None:
        self.inner.set_aside(game)


@dataclass
class Person:
    """A service with its home, and what was told."""

    service: Service
    journal: Failing
    store: TrustStore
    told: list[Any] = field(default_factory=list[Any])

    async def hears(self, kind: type[T], accept: Callable[[T], bool] = lambda _: True) -> T:
        """The next news of a kind; what comes before it is kept in `told`."""
        with trio.fail_after(PATIENCE):
            async for tell in self.service.news:
                self.told.append(tell.news)
                if isinstance(tell.news, kind) and accept(tell.news):
                    return tell.news
        raise AssertionError("the news ended")

    @property
    def session(self) -> Session:
        return next(iter(self.service.node.sessions.values()))

    async def play(self) -> None:
        """First legal moves for this seat until the game is over."""
        with trio.fail_after(PATIENCE):
            while not self.session.table.complete:
                if self.session.my_turn:
                    await self.service.do(lambda node: node.act(self.session.game, _first_legal))
                else:
                    await self.service.changed()


def _first_legal(session: Session) -> Any:
    position = session.table.position
    assert position.due is not None
    return session.write("move", {"move": next(iter(position.rules.legal(position.state, position.due)))})


@asynccontextmanager
async def people(folder: Path, *numbers: int, good: int = 1_000_000) -> AsyncGenerator[list[Person]]:
    """Some people on one fake network, each listening on a port of its own."""
    lan = FakeLan()
    host = make_host()
    made: list[Person] = []
    async with trio.open_nursery() as nursery:
        for number in numbers:
            identity = Identity(key(number), bytes([number]) * 16, NAMES[number])
            node = Node(identity, host.rules_for, clock=lambda: 1, entropy=lambda n, number=number: bytes([number]) * n)  # type: ignore[misc]  # binds
            journal = Failing(Archive(folder / str(number)), good if number == numbers[-1] else 1_000_000)
            store = TrustStore()
            discovery = lan.discovery(identity.key.public, identity.name)
            service = Service(
                node, journal, discovery, identity, lambda peer, store=store: store.meet(peer.key, peer.name, 1)  # type: ignore[misc]  # binds
            )  # fmt: skip
            await nursery.start(service.run, 0)
            made.append(Person(service, journal, store))
        yield made
        nursery.cancel_scope.cancel()


async def sit(ada: Person, *others: Person, size: str = "1x2") -> None:
    """Ada hosts, the others find the table and join; the game has begun everywhere."""
    host = make_host()
    game = host.game("dots-and-boxes")
    options = game.read_options(f"size={size}")
    _, _, digest = host.rules(game, options)
    info = TableInfo("oak-7", game.id, game.version, dict(options), (), 1 + len(others), ())
    await ada.service.do(lambda node: node.host(info, digest))
    for other in others:
        await other.hears(TablesChanged, lambda news: len(news.tables) == 1)
        await other.service.do(lambda node: node.join(key(0).public, "oak-7"))
    for person in (ada, *others):
        await person.hears(Began)


async def test_two_find_each_other_and_play_a_whole_game(tmp_path: Path) -> None:
    """Discovery, TLS, one dial, and identical files in the end."""
    async with people(tmp_path, 0, 1) as (ada, bob):
        await sit(ada, bob)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ada.play)
            nursery.start_soon(bob.play)
        game = ada.session.game
        assert ada.journal.inner.read(game) == bob.journal.inner.read(game)


async def test_three_form_a_full_mesh(tmp_path: Path) -> None:
    """Everyone is connected with everyone, and all files are the same."""
    async with people(tmp_path, 0, 1, 2) as (ada, bob, cyd):
        await sit(ada, bob, cyd)
        async with trio.open_nursery() as nursery:
            for person in (ada, bob, cyd):
                nursery.start_soon(person.play)
        game = ada.session.game
        assert len({person.journal.inner.read(game) for person in (ada, bob, cyd)}) == 1
        assert all(len(person.service.node.links) == 2 for person in (ada, bob, cyd))


async def test_a_full_disk_stops_the_game_here_and_signs_nothing_more(tmp_path: Path) -> None:
    """ "After a failed write or sync: close, sign nothing more in this process" """
    async with people(tmp_path, 0, 1, good=2) as (ada, bob):
        await sit(ada, bob, size="2x2")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_play_quietly, ada, nursery)
            nursery.start_soon(_play_quietly, bob, nursery)
            stuck = await bob.hears(Stuck)
            nursery.cancel_scope.cancel()
        assert "no space left" in stuck.reason
        assert not bob.service.node.sessions
        lines = ada.journal.inner.read(ada.session.game).splitlines()
        assert len(lines) <= 4


async def _play_quietly(person: Person, nursery: trio.Nursery) -> None:
    del nursery
    while person.service.node.sessions:
        if person.session.my_turn:
            await person.service.do(lambda node: node.act(person.session.game, _first_legal))
        else:
            await person.service.changed()


async def test_a_changed_key_under_a_known_name_is_refused(tmp_path: Path) -> None:
    """The person must decide first; both keys are in the verdict, and the link does not come up."""
    async with people(tmp_path, 0) as (ada,):
        ada.store.meet(key(3).public, NAMES[1], 1)
        async with people(tmp_path, 1) as (bob,):
            address = ("127.0.0.1", ada.service.node.port)
            await bob.service.connect([address])
            news = await ada.hears(Unwelcome)
            assert news.verdict.word == "changed"
            assert [person.key for person in news.verdict.changed] == [key(3).public]
            await bob.hears(Parted)
            assert not ada.service.node.links


async def test_a_typed_address_reaches_who_is_not_listed(tmp_path: Path) -> None:
    """Two networks that do not see each other: the address is enough."""
    async with people(tmp_path, 0) as (ada,), people(tmp_path, 1) as (bob,):
        peer: Peer = await bob.service.connect([("127.0.0.1", ada.service.node.port)])
        assert peer.key == key(0).public
        assert (await ada.hears(Met)).peer.key == key(1).public


async def test_who_says_goodbye_is_gone_at_once(tmp_path: Path) -> None:
    """No time-out is needed when a program is closed in good order."""
    async with people(tmp_path, 0) as (ada,), people(tmp_path, 1) as (bob,):
        await bob.service.connect([("127.0.0.1", ada.service.node.port)])
        await ada.hears(Met)
        with trio.fail_after(LOST_SECONDS / 2):
            await bob.service.goodbye("the program was closed")
            await ada.hears(Parted)


async def test_the_list_of_announcements_is_told(tmp_path: Path) -> None:
    """Who is listed reaches the person, as hints."""
    async with people(tmp_path, 0, 1) as (ada, _):
        news = await ada.hears(Listed, lambda listed: len(listed.hints) == 1)
        assert news.hints[0].key == key(1).public
