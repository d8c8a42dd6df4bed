"""Nodes joined in memory: bytes go from one to the other at once, disks are lists.

    net = Mesh(3)                 three people who know each other
    net.sit("size=1x1")           the first hosts, the others join; the game has begun everywhere
    net.play(); net.wish(1, "resign")
    net.restart(1, lines=4)       its program starts again with the first lines of its record
    Mesh(2, dealer_of=fair_dealer).sit("", game="binary-scrabble")    hidden tiles, dealt by all together

`seen[i]` collects what person i is told. Nothing waits; `settle` delivers until all is quiet.
"""

import itertools
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from lantable.chain import Chain
from lantable.clock import Clock
from lantable.dealing import Dealer, dealt
from lantable.dealing.fair import FairDealing
from lantable.dealing.fair_dealer import FairDealer
from lantable.events import NoticeKind
from lantable.host import Host
from lantable.keys import sha256
from lantable_net import messages
from lantable_net.effects import Append, Create, Keep, Send, SetMark
from lantable_net.handshake import Identity, Peer
from lantable_net.messages import Message, TableInfo
from lantable_net.node import Close, Effect, Node, OnDisk, Reckon, SetAside, Stored, Tell
from lantable_net.session import Session
from tests.games import NAMES, key, make_host

T = TypeVar("T")


def fair_dealer(who: int, chain: Chain) -> FairDealer | None:
    """What person `who` knows of a game that all seats deal together; None if they only look on."""
    seats = [seat for seat, chair in enumerate(chain.offer.seats) if chair.key == key(who).public]
    return FairDealer.of(sha256(b"a deal secret of the tests", bytes([who])), chain.game, seats) if seats else None


class Disk:
    """One home's records, marks and side files."""

    def __init__(self) -> None:
        self.lines: dict[bytes, list[bytes]] = {}
        self.marks: dict[bytes, bytes] = {}
        self.kept: list[tuple[str, bytes]] = []
        self.aside: list[bytes] = []

    def stored(self, game: bytes) -> Stored | None:
        return Stored(list(self.lines[game]), self.marks.get(game)) if game in self.lines else None

    def write(self, effect: OnDisk | SetAside) -> None:
        match effect:
            case OnDisk(game, Create(line)):
                assert game not in self.lines
                self.lines[game] = [line]
            case OnDisk(game, Append(line, _)):
                self.lines[game].append(line)
            case OnDisk(game, SetMark(data)):
                self.marks[game] = data
            case OnDisk(_, Keep(kind, data)):
                self.kept.append((kind, data))
            case SetAside(game):
                self.aside.append(game)
                del self.lines[game]
            case _:
                raise AssertionError(effect)


class Mesh:
    """Some people on one network, each with a node and a disk."""

    def __init__(
        self,
        people: int,
        host: Host | None = None,
        *,
        connected: bool = True,
        dealer_of: Callable[[int, Chain], Dealer | None] = lambda who, chain: None,
    ) -> None:
        """`dealer_of` gives what the home of a person knows of the dealing of a game."""
        self.host = host or make_host()
        self._dealer_of = dealer_of
        self.disks = [Disk() for _ in range(people)]
        self.seen: list[list[Any]] = [[] for _ in range(people)]
        self.closed: list[str] = []
        self.now = 1_764_504_000_000
        self.ticks = 0
        """Everybody's timer, in milliseconds; it stands still unless a test moves it."""
        self._ids = itertools.count(1)
        self._random = itertools.count(1)
        self._pipes: dict[tuple[int, int], tuple[int, int]] = {}
        """(person, link) -> (the other person, the link's number there)."""
        self._flying: deque[tuple[int, int, bytes]] = deque()
        self.frames: list[tuple[int, int, bytes]] = []
        """All that was ever sent: from whom, to whom, what."""
        self.nodes = [self._node(who) for who in range(people)]
        if connected:
            for a, b in itertools.combinations(range(people), 2):
                self.connect(a, b)

    def _node(self, who: int) -> Node:
        name = NAMES[who] if who < len(NAMES) else f"pupil {who}"
        identity = Identity(key(who), bytes([who]) * 16, name)
        return Node(
            identity,
            self.host.rules_for,
            clock=self._clock,
            timer=lambda: self.ticks,
            entropy=self._entropy,
            stored=self.disks[who].stored,
            dealer_of=lambda chain: self._dealer_of(who, chain),
        )

    def _clock(self) -> int:
        self.now += 1000
        return self.now

    def _entropy(self, size: int) -> bytes:
        return next(self._random).to_bytes(size, "big")

    # -- the network

    def connect(self, a: int, b: int, *, home: bytes | None = None) -> tuple[int, int]:
        """A new authenticated connection, dialled by a. `home` is a's data folder, if another than usual."""
        at_a, at_b = next(self._ids), next(self._ids)
        self._pipes[a, at_a] = b, at_b
        self._pipes[b, at_b] = a, at_a
        for who, link, other in ((a, at_a, b), (b, at_b, a)):
            identity = self.nodes[other].identity
            folder = home if home is not None and other == a else identity.home
            peer = Peer(identity.key.public, folder, identity.name, 1, "four-words-to-compare")
            self.do(who, lambda n, link=link, peer=peer, who=who: n.link_up(  # type: ignore[misc]  # binds
                link, peer, dialled=who == a, address=(f"10.0.0.{who}", 4471)))  # fmt: skip
        self.settle()
        return at_a, at_b

    def cut(self, a: int, b: int) -> None:
        """Every connection between two people ends."""
        for (who, link), (other, _) in list(self._pipes.items()):
            if {who, other} == {a, b}:
                del self._pipes[who, link]
                self.do(who, lambda n, link=link: n.link_down(link))  # type: ignore[misc]  # binds
        self.settle()

    def settle(self) -> None:
        """Deliver until nothing is on its way."""
        while self._flying:
            who, link, data = self._flying.popleft()
            if (who, link) in self._pipes:
                self.do(who, lambda n, link=link, data=data: n.receive(link, data))  # type: ignore[misc]  # binds

    def beat(self) -> None:
        """Everybody's heartbeat."""
        for who in range(len(self.nodes)):
            self.do(who, lambda n: n.beat())
        self.settle()

    def send(self, a: int, b: int, message: Message | bytes) -> None:
        """Put a frame of a's on the wire to b, whatever a's node thinks of it."""
        data = message if isinstance(message, bytes) else messages.write(message)
        link = next(link for (who, link), (other, _) in self._pipes.items() if (who, other) == (b, a))
        self._flying.append((b, link, data))
        self.settle()

    # -- what a person does

    def do(self, who: int, act: Callable[[Node], list[Effect]]) -> None:
        """Hand an input to a node and carry out its effects."""
        self.carry_out(who, act(self.nodes[who]))

    def carry_out(self, who: int, effects: list[Effect]) -> None:
        """Effects of a node, strictly in order."""
        for effect in effects:
            match effect:
                case Send(link, message):
                    if (who, link) in self._pipes:
                        other, theirs = self._pipes[who, link]
                        self._flying.append((other, theirs, messages.write(message)))
                        self.frames.append((who, other, self._flying[-1][2]))
                case OnDisk() | SetAside():
                    self.disks[who].write(effect)
                case Reckon(_, find, then):
                    self.carry_out(who, then(find()))
                case Tell(_, news):
                    self.seen[who].append(news)
                case Close(link, reason):
                    self.closed.append(reason)
                    self._hang_up(who, link)

    def _hang_up(self, who: int, link: int) -> None:
        other, theirs = self._pipes.pop((who, link), (None, None))
        if other is not None and theirs is not None:
            self._pipes.pop((other, theirs), None)
            self.do(other, lambda n: n.link_down(theirs))

    def info(
        self,
        options: str = "size=1x1",
        seats: int | None = None,
        game: str = "dots-and-boxes",
        clock: Clock | None = None,
    ) -> TableInfo:
        """A table of these rules for everybody here."""
        offered = self.host.game(game)
        chosen = offered.read_options(options)
        dealing = FairDealing() if dealt(self.host.rules(offered, chosen)[0]) else None
        return TableInfo("oak-7", game, offered.version, dict(chosen), (), seats or len(self.nodes), (), clock, dealing)

    def sit(
        self, options: str = "size=1x1", seats: int | None = None, clock: str = "", game: str = "dots-and-boxes"
    ) -> "Mesh":
        """Person 0 hosts and the next ones join, until the game has begun."""
        info = self.info(options, seats, game, Clock.read(clock) if clock else None)
        _, _, digest = self.host.rules(self.host.game(info.game), info.options)
        self.do(0, lambda n: n.host(info, digest))
        self.settle()
        for who in range(1, info.seats):
            self.do(who, lambda n: n.join(key(0).public, info.name))
            self.settle()
        return self

    @property
    def game(self) -> bytes:
        return next(game for node in self.nodes for game in node.sessions)

    def session(self, who: int) -> Session:
        return self.nodes[who].sessions[self.game]

    def act(self, who: int, do: Callable[[Session], Any]) -> None:
        """Something in the game, by one person, delivered to all."""
        self.do(who, lambda n: n.act(self.game, do))
        self.settle()

    def move(self, move: str | None = None) -> None:
        """The next move by whoever may, the first legal one unless named."""
        who = next(who for who in range(len(self.nodes)) if self.session(who).my_turn)
        position = self.session(who).table.position
        assert position.due is not None
        chosen = move or next(iter(position.rules.legal(position.state, position.due)))
        self.act(who, lambda s: s.write("move", {"move": chosen}))

    def play(self, moves: int = 1000) -> "Mesh":
        """Moves until the game is over, or so many."""
        for _ in range(moves):
            if self.session(0).table.position.outcome is not None:
                break
            self.move()
        return self

    def wish(self, who: int, kind: NoticeKind, to: int | None = None) -> None:
        self.act(who, lambda s: s.wish(kind, to))

    def restart(self, who: int, *, lines: int | None = None, mark: bool = True) -> None:
        """The program dies and starts again, with its record as it was after so many lines, and reconnects."""
        game = self.game
        for other in range(len(self.nodes)):
            if other != who:
                self.cut(who, other)
        disk = self.disks[who]
        disk.lines[game] = disk.lines[game][:lines]
        if not mark:
            disk.marks.clear()
        self.nodes[who] = self._node(who)
        stored = disk.stored(game)
        assert stored is not None
        self.do(who, lambda n: n.resume(stored))
        for other in range(len(self.nodes)):
            if other != who:
                self.connect(who, other)

    def told(self, who: int, kind: type[T]) -> list[T]:
        """What person `who` was told, of one kind."""
        return [news for news in self.seen[who] if isinstance(news, kind)]

    def records(self) -> set[bytes]:
        """All different records of the game; one of them means that all agree."""
        return {b"\n".join(disk.lines[self.game]) for disk in self.disks if self.game in disk.lines}
