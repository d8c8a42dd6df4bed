"""A seeded simulator of sessions in memory, on virtual time.

Homes with disks that can lose what was not synced, links that can be cut with frames in flight, crashes that
fall between any two effects, restored backups, and at most one dishonest seat. Every choice comes from one
seeded generator, so a seed names a run for ever.

The rules of honest behaviour that the design marks (!) are switched off one at a time by `MUTANTS`; a simulator that
cannot find each of them missing would prove nothing by finding no fault in the real one.
"""

import functools
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lantable.chain import Chain, ForkProof
from lantable.clock import Clock
from lantable.dealing.fair import FairDealing
from lantable.dealing.fair_dealer import FairDealer
from lantable.events import FLAG, Ack, Event, Offer, Seal, Seat, Signed, genesis_body, is_seal, read_event, sign
from lantable.game import Game, Rules
from lantable.keys import PrivateKey, PublicKey, sha256
from lantable.table import Table
from lantable_dots_and_boxes.rules import DOTS_AND_BOXES
from lantable_net import messages
from lantable_net.effects import Append, Create, Effect, Keep, Reckon, Send, SetMark, Tell
from lantable_net.mark import Mark
from lantable_net.messages import Head, Message
from lantable_net.news import Forked, Refused
from lantable_net.session import Session
from lantable_replays.audit import audit
from tests.tiles import LAY

KEYS = [PrivateKey(bytes([seat + 1]) * 32) for seat in range(4)]
DIGEST = bytes(32)
CLOCKS = (None, Clock(30), None, Clock(4, "move", points=2), Clock(10, add=1))
"""One run in so many has each of these. Some games end by time, some by the last move."""
STEP = 500
"""Milliseconds that a step of a run takes."""


# Reading and verifying are pure, and three homes read the same bytes: the simulator remembers the answers.
_read = functools.lru_cache(maxsize=4096)(messages.read)
_read_event = functools.lru_cache(maxsize=4096)(read_event)


class Violation(AssertionError):
    """The run broke a promise; the message says which, the seed reproduces it."""


# -- rules switched off, one at a time


class SendsBeforeWriting(Session):
    def _disk_then_send(self, disk: list[Effect], sends: list[Effect]) -> list[Effect]:
        return [*sends, *disk]


class SignsAtOnceAfterStart(Session):
    def _caught_up(self) -> bool:
        return True


class KeepsProofsToItself(Session):
    def _spread(self, message: Message) -> list[Effect]:
        return []


class BeatsWithoutHead(Session):
    def beat(self) -> list[Effect]:
        return []


class ServesNoAcks(Session):
    def _acks_held(self) -> list[Ack]:
        return []


class ServesOnlyItsOwnLines(Session):
    def _serve(self, link: int, head: Head) -> list[Effect]:
        def mine(effect: Effect) -> bool:
            message = effect.message if isinstance(effect, Send) else None
            return (
                isinstance(message, Head | Seal) or getattr(getattr(message, "event", message), "seat", -1) == self.me
            )

        return [effect for effect in super()._serve(link, head) if mine(effect)]


class ServesNoSeals(Session):
    def _serve(self, link: int, head: Head) -> list[Effect]:
        return [e for e in super()._serve(link, head) if not (isinstance(e, Send) and isinstance(e.message, Seal))]


class AcksOnlyToAuthor(Session):
    def _to_seats(self, message: Message) -> list[Effect]:
        sends = super()._to_seats(message)
        if not isinstance(message, Ack):
            return sends
        author = self.table.chain.key(self.table.chain.last.event.seat)
        return [send for send in sends if isinstance(send, Send) and self._links[send.link] == author]


@dataclass(frozen=True)
class Mutant:
    """One rule switched off, in the session or in the edge that runs it, and the weather that shows it."""

    weather: str
    session: type[Session] = Session
    head_during_write: bool = False
    old_link_still_read: bool = False
    forgets_mark: bool = False


HONEST = Mutant("storm")
MUTANTS = {
    "order of writing": Mutant("calm", SendsBeforeWriting),
    "nothing signed after a start before every HEAD": Mutant("amnesia", SignsAtOnceAfterStart),
    "proofs go to everyone": Mutant("hostile", KeepsProofsToItself),
    "HEAD in every heartbeat": Mutant("apart", BeatsWithoutHead),
    "HEAD computed after a write has ended": Mutant("amnesia", head_during_write=True),
    "serve every ack": Mutant("storm", ServesNoAcks),
    "serve K lines": Mutant("storm", ServesNoSeals),
    "serve lines whoever signed them": Mutant("apart", ServesOnlyItsOwnLines),
    "acks go to every seat": Mutant("calm", AcksOnlyToAuthor),
    "a new connection closes the older and discards its bytes": Mutant("amnesia", old_link_still_read=True),
    "the mark": Mutant("storm", forgets_mark=True),
}


# -- the world


@dataclass
class Disk:
    """Lines with how many of them are safely on the platter, the mark, and side files."""

    lines: list[bytes] = field(default_factory=list[bytes])
    synced: int = 0
    mark: bytes | None = None
    older_mark: bytes | None = None
    """A mark needs no sync, so a power cut may bring back the one before."""
    kept: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def copy(self) -> "Disk":
        return Disk(list(self.lines), self.synced, self.mark, self.older_mark, dict(self.kept))


@dataclass(frozen=True)
class Hello:
    """First thing on a link in each direction: the other side has authenticated."""

    key: PublicKey


@dataclass
class Wire:
    """One connection between two homes; a queue of frames for each of them."""

    id: int
    ends: tuple[int, int]
    queues: dict[int, deque[bytes | Hello]]
    cut: bool = False
    gone: set[int] = field(default_factory=set[int])
    """Ends whose process died: nothing reaches them any more, though what they sent still does."""

    def other(self, end: int) -> int:
        return self.ends[1] if end == self.ends[0] else self.ends[0]


@dataclass
class Home:
    """One seat's machine: what survives a crash (`disk`) and what does not (the rest)."""

    seat: int
    disk: Disk = field(default_factory=Disk)
    session: Session | None = None
    pending: deque["Effect | _Sync"] = field(default_factory=deque["Effect | _Sync"])
    links: dict[int, int] = field(default_factory=dict[int, int])
    """Newest link by the other home's seat."""
    backups: list[Disk] = field(default_factory=list[Disk])
    """The disk as it was after each sync: what a backup program may have copied."""
    restored: bool = False
    mark_is_old: bool = False
    forked: ForkProof | None = None
    up: bool = True


@dataclass(frozen=True)
class Weather:
    """What a run is exposed to: faults and their weights, and what its network lacks."""

    seats: tuple[int, ...] = (2, 3)
    crashes: int = 0
    cuts: int = 0
    restores: int = 0
    beats: bool = True
    apart: bool = False
    """Seats 0 and 1 never reach each other: a third seat must carry everything between them."""
    hostile: bool = False
    """The last seat signs two events under one number."""
    sluggish: bool = False
    """Disks are slow and older connections are read late."""
    game: Game = DOTS_AND_BOXES
    options: str = "size=2x1"


WEATHERS = {
    "storm": Weather(crashes=1, cuts=1, restores=1),
    "calm": Weather(beats=False),
    "apart": Weather(seats=(3,), apart=True),
    "amnesia": Weather(crashes=1, restores=4, sluggish=True),
    "hostile": Weather(seats=(3,), hostile=True),
}
DEALT = {
    f"dealt {name}": replace(weather, game=LAY, options="tiles=8")
    for name, weather in WEATHERS.items()
    if not weather.hostile
}
"""The same with hidden tiles, dealt by all: a run costs ten times as much."""


class World:
    """A game at one seed, in one weather. `run()` raises `Violation`."""

    def __init__(self, seed: int, weather: str = "storm", *, mutant: Mutant = HONEST) -> None:
        self.rng = random.Random(f"{weather} {seed}")
        self.mutant = mutant
        self.name = weather
        self.weather = (WEATHERS | DEALT)[weather]
        self.seats = self.rng.choice(self.weather.seats)
        self.hostile = self.seats - 1 if self.weather.hostile else None
        # Whoever is to sign twice must not run out of time before.
        self.clock = None if self.weather.hostile else CLOCKS[seed % len(CLOCKS)]
        self.now = 0
        self.steps = 0
        self.wires: dict[int, Wire] = {}
        self.made = 0
        self.homes = [Home(seat) for seat in range(self.seats)]
        self.sent: dict[tuple[str, int, int], bytes] = {}
        self.held: dict[int, bytes] = {}
        self.sealed: dict[int, bytes] = {}
        self.restores_left = self.weather.restores
        self.game = self.weather.game
        self.options = self.game.read_options(self.weather.options)
        self.rules: Rules[Any] = self.game.make(self.options, ())
        self.first = self._genesis()
        for home in self.homes[1:]:
            home.session = None
        self._begin(self.homes[0], self.first)

    # -- building

    def _genesis(self) -> Signed:
        seats = tuple(Seat(KEYS[seat].public, f"seat {seat}") for seat in range(self.seats))
        offer = Offer(
            game=self.game.id,
            version=self.game.version,
            digest=DIGEST,
            options={},
            house_rules=(),
            seats=seats,
            nonce=bytes(32),
            clock=self.clock,
            dealing=FairDealing() if self.game is LAY else None,
        )
        body = genesis_body(offer, {seat: bytes(32) for seat in range(1, self.seats)})
        event = Event(game=bytes(16), prev=bytes(32), seat=0, seq=0, t=0, type="genesis", body=body)
        return sign(event, KEYS[0])

    def _clock(self) -> int:
        self.now += 1
        return self.now

    def _timer(self) -> int:
        return self.steps * STEP

    def _table(self, lines: list[bytes]) -> Table:
        return Table.load(lines, lambda _: self.rules)

    def _session(self, home: Home, table: Table, **how: Any) -> Session:
        dealer = None
        if table.chain.offer.dealing is not None:
            dealer = FairDealer.of(sha256(bytes([home.seat])), table.chain.game, [home.seat])
        key = KEYS[home.seat]
        home.session = self.mutant.session(table, key, clock=self._clock, timer=self._timer, dealer=dealer, **how)
        return home.session

    def _begin(self, home: Home, first: Signed) -> None:
        session = self._session(home, self._table([first.line]))
        self._do(home, session.begin({link: KEYS[other].public for other, link in home.links.items()}))

    # -- effects, one at a time

    def _do(self, home: Home, effects: list[Effect]) -> None:
        home.pending.extend(effects)

    def perform(self, home: Home) -> None:
        """Carry out the next effect of a home, or its first half: a write and its sync are two steps."""
        effect = home.pending.popleft()
        match effect:
            case Create(line) | Append(line, _):
                home.disk.lines.append(line)
                if is_seal(line):
                    self._note_sealed(line)
                if isinstance(effect, Create) or effect.sync:
                    home.pending.appendleft(_Sync())
            case _Sync():
                home.disk.synced = len(home.disk.lines)
                home.backups.append(home.disk.copy())
                self._note_held(home)
            case SetMark(data):
                home.disk.older_mark, home.disk.mark = home.disk.mark, data
            case Keep(kind, data):
                home.disk.kept[kind] = data
            case Send(link, message):
                self._send(home, link, message)
            case Tell(news):
                self._told(home, news)
            case Reckon(find, then):
                home.pending.extendleft(reversed(then(find())))

    def _told(self, home: Home, news: object) -> None:
        if isinstance(news, Forked):
            home.forked = news.proof
            if news.proof.seat != self.hostile:
                raise Violation(f"a proof against honest seat {news.proof.seat}")
        if isinstance(news, Refused):
            raise Violation(f"seat {news.nack.seat} refuses an honest event: {news.nack.code}")

    def _note_sealed(self, line: bytes) -> None:
        seq = _read(line).seq  # type: ignore[union-attr]  # a K line
        if self.hostile is None and self.sealed.setdefault(seq, line) != line:
            raise Violation(f"two different K lines for event {seq}")

    def _note_held(self, home: Home) -> None:
        """A line on a disk of somebody other than its author is out in the world for good."""
        line = home.disk.lines[-1]
        if is_seal(line):
            return
        event = _read_event(line).event
        if event.seat in (home.seat, self.hostile):
            return
        if self.held.setdefault(event.seq, line) != line:
            raise Violation(f"two different events {event.seq} by seat {event.seat} are held")

    def _send(self, home: Home, link: int, message: Message) -> None:
        self._check_own_signature(home, message)
        wire = self.wires.get(link)
        if wire is not None and not wire.cut and wire.other(home.seat) not in wire.gone:
            wire.queues[wire.other(home.seat)].append(messages.write(message))

    def _check_own_signature(self, home: Home, message: Message) -> None:
        """What a seat sends under its signature is on its own disk, and the same as ever before."""
        what = _signature(message)
        if what is None or what[1] != home.seat or home.seat == self.hostile:
            return
        kind, seat, seq, data = what
        on_disk = home.disk.lines[: home.disk.synced]
        if not any(not is_seal(line) and _read_event(line).event.seq == seq for line in on_disk):
            raise Violation(f"seat {seat} sent its {kind} of event {seq} before it was on disk")
        if not home.restored and self.sent.setdefault((kind, seat, seq), data) != data:
            raise Violation(f"seat {seat} signed {kind} {seq} twice")

    # -- inputs

    def deliver(self, home: Home, wire: Wire) -> None:
        """Hand the next frame on a wire to a home that has nothing left to carry out."""
        item = wire.queues[home.seat].popleft()
        other = wire.other(home.seat)
        if isinstance(item, Hello):
            older = home.links.get(other)
            if older is not None and older > wire.id:
                return
            home.links[other] = wire.id
            if older is not None and not self.mutant.old_link_still_read:
                self._drop(home, older)
            if home.session:
                self._do(home, home.session.link_up(wire.id, item.key))
            return
        message = _read(item)
        if home.session is None:
            if isinstance(message, Signed) and message.event.seq == 0:
                self._begin(home, message)
            elif isinstance(message, Head):
                wire.queues[other].append(messages.write(Head(message.game, messages.NOTHING, bytes(32), False)))
            return
        self._do(home, home.session.receive(wire.id, message))

    def _drop(self, home: Home, link: int) -> None:
        """The link ends for this home; what it had not read is gone."""
        wire = self.wires.get(link)
        if wire is not None:
            wire.queues[home.seat].clear()
        if home.session:
            home.session.link_down(link)

    def connect(self, a: Home, b: Home) -> None:
        """A new connection; an older one between the two may still hold unread frames at either end."""
        wire = Wire(self.made + 1, (a.seat, b.seat), {a.seat: deque(), b.seat: deque()})
        wire.queues[a.seat].append(Hello(KEYS[b.seat].public))
        wire.queues[b.seat].append(Hello(KEYS[a.seat].public))
        self.made += 1
        self.wires = {w.id: w for w in self.wires.values() if (not w.cut and any(w.queues.values())) or self._newest(w)}
        self.wires[wire.id] = wire
        if self.mutant.head_during_write:
            for home in (a, b):
                if home.pending and home.disk.synced:
                    self._early_head(home, wire)

    def _newest(self, wire: Wire) -> bool:
        return any(self.homes[end].links.get(wire.other(end)) == wire.id for end in wire.ends)

    def _early_head(self, home: Home, wire: Wire) -> None:
        """The fault: answering a new connection from what the disk holds while a write is under way."""
        chain = Chain.begin(home.disk.lines[0])
        for line in home.disk.lines[1 : home.disk.synced]:
            chain.take(line)
        head = Head(chain.game, chain.seq, chain.last.h, chain.sealed)
        wire.queues[wire.other(home.seat)].append(messages.write(head))

    def cut(self, wire: Wire) -> None:
        """The cable breaks: frames in flight are lost, both sides notice."""
        wire.cut = True
        for end in wire.ends:
            home = self.homes[end]
            self._drop(home, wire.id)
            if home.links.get(wire.other(end)) == wire.id:
                del home.links[wire.other(end)]

    def crash(self, home: Home, *, power: bool) -> None:
        """The process dies between two effects; with the power, what was not synced may go too, even half a line."""
        home.session, home.up = None, False
        home.pending.clear()
        home.links.clear()
        for wire in self.wires.values():
            if home.seat in wire.ends:
                wire.queues[home.seat].clear()
                wire.gone.add(home.seat)
        disk = home.disk
        if power and len(disk.lines) > disk.synced:
            # A torn line is dropped by recovery, so it equals a lost one.
            del disk.lines[self.rng.randint(disk.synced, len(disk.lines)) :]
        disk.synced = len(disk.lines)
        if power and self.rng.random() < 0.5:
            disk.mark, home.mark_is_old = disk.older_mark, True

    def restore(self, home: Home, *, with_mark: bool) -> None:
        """An older backup of the record comes back, with its mark of then or beside the mark of now."""
        oldest = max(0, len(home.backups) - 3) if self.weather.sluggish else 0
        # What was backed up after it belongs to a past that this seat has now left.
        del home.backups[self.rng.randrange(oldest, len(home.backups)) + 1 :]
        backup = home.backups[-1].copy()
        if with_mark:
            backup.mark, backup.older_mark = home.disk.mark, home.disk.mark
        # Only a mark of now beside the older record lets this seat keep every promise it made.
        home.restored |= home.mark_is_old or not with_mark
        home.disk = backup
        self.restores_left -= 1

    def start(self, home: Home) -> None:
        """The process starts again and reads its disk."""
        home.up = True
        if not home.disk.lines:
            # It never began: the host offers again, for the others event 0 comes again.
            if home.seat == 0:
                self._begin(home, self.first)
            return
        mark = None if home.disk.mark is None or self.mutant.forgets_mark else Mark.read(home.disk.mark)
        self._session(home, self._table(home.disk.lines), mark=mark, resumed=True)

    def move(self, home: Home) -> None:
        """A random legal move by whoever may."""
        session = home.session
        assert session is not None
        position = session.position
        assert position.due is not None
        legal = sorted(position.rules.legal(position.state, position.due))
        move = self.rng.choice(legal)
        late = position.clocks is not None and position.clocks.late(position.due, session.elapsed)
        # A program says that its time is over; a person who moves just then is late all the same.
        self._do(home, session.write(FLAG, {}) if late and self.steps % 2 else session.write("move", {"move": move}))

    def equivocate(self, home: Home) -> None:
        """The dishonest seat signs two moves under one number and shows them to different players."""
        session = home.session
        assert session is not None
        position = session.table.position
        assert position.due is not None
        legal = sorted(position.rules.legal(position.state, position.due))
        two = [sign(session.table.draft("move", {"move": m}, self._clock()), KEYS[home.seat]) for m in (legal * 2)[:2]]
        others = [other for other in range(self.seats) if other != home.seat]
        plan = self.rng.choice(([(0, others[0]), (1, others[1])], [(0, others[0]), (0, others[1]), (1, others[0])]))
        for which, other in plan:
            link = home.links.get(other)
            if link is not None:
                self._send(home, link, two[which])
        home.session, home.up = None, False

    # -- running

    def choices(self, faults: bool) -> Iterator[tuple[int, Callable[[], None]]]:
        """What may happen next, with weights."""
        for home in self.homes:
            if not home.up:
                if home.seat != self.hostile:
                    yield 4, lambda home=home: self.start(home)  # type: ignore[misc]  # binds the loop variable
                continue
            if home.pending:
                yield 3 if self.weather.sluggish else 30, lambda home=home: self.perform(home)  # type: ignore[misc]
            else:
                yield from self._idle_choices(home)
            if faults and self.weather.crashes:
                weight = (
                    10 * self.weather.crashes if self.weather.sluggish and self._at_risk(home) else self.weather.crashes
                )
                yield weight, lambda home=home: self._crash_choice(home)  # type: ignore[misc]
        for a, b in self._unlinked():
            yield 6, lambda a=a, b=b: self.connect(a, b)  # type: ignore[misc]
        if faults and self.weather.cuts:
            for wire in list(self.wires.values())[-3:]:
                if not wire.cut:
                    yield self.weather.cuts, lambda wire=wire: self.cut(wire)  # type: ignore[misc]

    def _idle_choices(self, home: Home) -> Iterator[tuple[int, Callable[[], None]]]:
        for wire in self.wires.values():
            if home.seat in wire.ends and wire.queues[home.seat]:
                old = home.links.get(wire.other(home.seat)) != wire.id and not isinstance(
                    wire.queues[home.seat][0], Hello
                )
                yield 4 if old and self.weather.sluggish else 20, lambda wire=wire: self.deliver(home, wire)  # type: ignore[misc]
        session = home.session
        if session is None:
            return
        if session.my_turn and not session.table.position.deals:
            if home.seat == self.hostile and len(home.links) == self.seats - 1:
                yield 5, lambda: self.equivocate(home)
            else:
                yield 5, lambda: self.move(home)
        if self.weather.beats:
            yield 1, lambda: self._do(home, session.beat())

    def _crash_choice(self, home: Home) -> None:
        """The process dies, sometimes with the power; sometimes what comes back is an older backup."""
        if self.seats_down() or not home.disk.synced:
            return
        roll = self.rng.random()
        if self._may_restore(home) and (roll < 0.2 or self._at_risk(home)):
            self.crash(home, power=False)
            self.restore(home, with_mark=self.rng.random() < 0.5)
        elif not self.weather.sluggish:
            self.crash(home, power=roll < 0.6)

    def _may_restore(self, home: Home) -> bool:
        """One forgetful seat at a time: what two forget together, nobody can bring back."""
        others = [other.session for other in self.homes if other is not home]
        settled = all(session is not None and session.may_sign for session in others)
        return settled and bool(home.backups) and self.restores_left > 0

    def _at_risk(self, home: Home) -> bool:
        """Whether an event of this home is on its way or just being written: the worst moment to forget it."""
        messages_out = [
            _read(item)
            for wire in self.wires.values()
            if home.seat in wire.ends
            for item in wire.queues[wire.other(home.seat)]
            if isinstance(item, bytes)
        ]
        being_written = [
            _read(effect.line)
            for other in self.homes
            for effect in other.pending
            if isinstance(effect, Append) and other is not home
        ]
        events = [m.event for m in messages_out + being_written if isinstance(m, Signed)]
        return any(event.seat == home.seat for event in events)

    def seats_down(self) -> bool:
        return any(not home.up for home in self.homes)

    def _unlinked(self) -> list[tuple[Home, Home]]:
        up = [home for home in self.homes if home.up]
        pairs = [(a, b) for a in up for b in up if a.seat < b.seat]
        if self.weather.apart:
            pairs = [(a, b) for a, b in pairs if b.seat > 1]
        fresh = {
            frozenset(w.ends)
            for w in self.wires.values()
            if any(isinstance(i, Hello) for q in w.queues.values() for i in q)
        }
        return [
            (a, b)
            for a, b in pairs
            if (a.links.get(b.seat) is None or a.links.get(b.seat) != b.links.get(a.seat))
            and frozenset((a.seat, b.seat)) not in fresh
        ]

    def done(self) -> bool:
        """Everybody honest holds the whole game, or in a hostile world the proof."""
        honest = [home for home in self.homes if home.seat != self.hostile]
        sessions = [home.session for home in honest if home.session is not None and not home.pending]
        if len(sessions) < len(honest):
            return False
        if self.hostile is None:
            return all(session.table.complete for session in sessions)
        if self.homes[self.hostile].up:
            return False
        # A second signature may have come too early to fit and be gone; then all agree on the first.
        agree = len({session.table.chain.last.line for session in sessions}) == 1
        forked = [home.forked is not None for home in honest]
        return all(forked) or (agree and not any(forked))

    def run(self) -> "World":
        """Faults for a while (none in a calm world), then fair weather until the end."""
        fault_steps, most = (800, 20_000) if self.game is LAY else (250, 6000)
        for step in range(most):
            self.steps = step
            faults = step < fault_steps and (self.weather.crashes or self.weather.cuts) > 0
            if not faults and self.done():
                self._check_end()
                return self
            options = list(self.choices(faults))
            if not options:
                raise Violation("nothing can happen any more, and the game is not over")
            weights = [weight for weight, _ in options]
            self.rng.choices(options, weights)[0][1]()
        raise Violation("the game never ended although faults stopped")

    def _check_end(self) -> None:
        if self.hostile is not None:
            return
        files = {sha256(*home.disk.lines) for home in self.homes}
        if len(files) != 1:
            raise Violation("the final files differ")
        if self.game is LAY:
            self._check_deal()
        for seq, line in self.sealed.items():
            if line not in self.homes[0].disk.lines:
                raise Violation(f"event {seq} was acknowledged by all and is lost")

    def _check_deal(self) -> None:
        """Every message is what the seeds give that were shown."""
        report = audit(b"".join(line + b"\n" for line in self.homes[0].disk.lines), lambda _: self.rules)
        if report.code != 0:
            raise Violation(f"the audit is not content: {report.deal.message}")


@dataclass(frozen=True)
class _Sync:
    """The second half of a synced write."""


def _signature(message: Message) -> tuple[str, int, int, bytes] | None:
    """(kind, seat, seq, signed bytes) of an event or acknowledgement, else None."""
    match message:
        case Signed():
            return "event", message.event.seat, message.event.seq, message.line
        case Ack():
            return "ack", message.seat, message.seq, message.sha + message.sig
        case _:
            return None


def worlds(seed: int, mutant: Mutant = HONEST) -> Iterator[World]:
    """The runs that one seed stands for: a storm, and one of the other weathers in turn."""
    yield World(seed, "storm", mutant=mutant)
    others = list(WEATHERS)[1:]
    yield World(seed, others[seed % len(others)], mutant=mutant)


def sweep(seeds: range, mutant: Mutant = HONEST) -> tuple[int, str] | None:
    """The first seed that breaks a promise and how, or None."""
    for seed in seeds:
        for world in worlds(seed, mutant):
            try:
                world.run()
            except Violation as violation:
                return seed, f"{world.name}: {violation}"
    return None
