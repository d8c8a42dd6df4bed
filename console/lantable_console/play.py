"""One game at the keyboard, in line mode: what happened is told, what is typed is done.

The loop knows no game and no network. It speaks to a `Driver`: `LocalTable` here, when one machine holds every
seat, or the network's in `lobby`. Both run the same `Session`, so a move takes the same way everywhere.
Each line makes sense alone, and output is never rewritten.
"""

import argparse
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, ClassVar, Final, Protocol

import trio

from lantable.clock import RAN_OUT, Clock, shown
from lantable.dealing import dealt, fair
from lantable.dealing.kinds import EVENTS as DEALS
from lantable.dealing.seed import SeedDealing, commitment
from lantable.errors import DiskFault, IllegalMove, LantableError, Misuse
from lantable.events import FLAG, NO_GAME, NO_LINK, Event, NoticeKind, Offer, Seat, genesis_body, sign
from lantable.fold import Position
from lantable.game import Explanation, Game, Opponent, OptionValue, Outcome, explain, nearest, told
from lantable.keys import PrivateKey
from lantable.table import Table
from lantable.text import safe_name, safe_text
from lantable_console import commands, keyboard, language
from lantable_console.commands import Place
from lantable_console.context import Context
from lantable_console.eyes import Eyes
from lantable_console.face import Main, until_signal
from lantable_console.home import now_ms, timer_ms
from lantable_console.language import N_, tr
from lantable_console.log import event_words
from lantable_console.naming import introduce
from lantable_console.replay import drawn
from lantable_console.rules import rules_lines
from lantable_net.effects import Effect, Tell, reckoned
from lantable_net.mark import Mark
from lantable_net.news import (
    Acknowledged,
    Agreed,
    Forked,
    NeverBegan,
    OfferClosed,
    Offered,
    Played,
    Refused,
    Settled,
    Stuck,
    Wished,
)
from lantable_net.node import OnDisk
from lantable_net.offers import Closed, OpenOffer
from lantable_net.service import write_effect
from lantable_net.session import Session
from lantable_replays.archive import Archive

DISK_FAILED: Final = 6
Do = Callable[[Session], list[Effect]]
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """What we know of another player: `word` is new, seen, compared or the like; `words` are those to compare now."""

    word: str
    words: str = ""


class Driver(Protocol):
    """What runs the session that a loop plays."""

    @property
    def session(self) -> Session: ...

    @property
    def running(self) -> bool:
        """Whether the session is still at work: it ends early if the disk fails, or if its game never began."""
        ...

    def person(self, seat: int) -> Acquaintance | None:
        """What we know of the player of a seat; None if the seat is ours."""
        ...

    async def act(self, do: Do) -> None:
        """Do something in the game and wait until it is on disk. Raises what the session raises."""
        ...

    async def finish(self) -> None:
        """The game is over or left: do what should still be done for the others."""
        ...

    @property
    def next(self) -> bool:
        """Whether another game has begun that is to be played now."""
        ...

    def away(self, owner: int) -> bool:
        """Whether a player said to be away from the keyboard."""
        ...

    @property
    def stays(self) -> bool:
        """Whether the game goes on while another one is before the person."""
        ...

    async def rematch(self) -> None:
        """Ask for, or agree to, the same again with the seats moved on. Raises `Misuse`."""
        ...

    @property
    def can_go_on(self) -> bool:
        """Whether those who are here can go on, as another game, without those who are not."""
        ...

    async def go_on(self) -> str:
        """Ask for that, or agree to it. The names of those who are not here. Raises `Misuse`."""
        ...

    async def chat(self, text: str) -> None:
        """Say something to the other players. Raises `Misuse`."""
        ...

    def mute(self, name: str, *, muted: bool) -> None:
        """Show nothing more of what somebody says, or do again. Raises `Misuse`."""
        ...

    def talkers(self) -> list[str]:
        """Whom one could mute."""
        ...

    async def go_away(self, *, away: bool) -> None:
        """Tell the others that the person here is away from the keyboard, or back."""
        ...


class Elsewhere(Protocol):
    """What goes on besides the game that is before the person: tables of others, and other games."""

    def invitations(self) -> list[str]:
        """Tables of others at which one could sit down, by name."""
        ...

    def invitation_lines(self) -> list[str]:
        """The oldest of these in words; empty if there is none."""
        ...

    def waiting(self) -> list[str]:
        """Other games that have begun, by the first digits of their ids; the next one first."""
        ...

    def choose(self, game: str) -> None:
        """Which of these comes next. Raises `Misuse`."""
        ...

    async def join(self, name: str) -> None:
        """Ask for a seat. Raises `Misuse`."""
        ...

    async def beside(self, board: "News") -> None:
        """Tell what happens there as news of this game, until cancelled."""
        ...


class News:
    """What happened and is not yet told. Whichever task tells next takes all of it, so the order stands."""

    def __init__(self) -> None:
        self._items: list[Any] = []
        self._there = trio.Event()

    def put(self, item: Any) -> None:
        self._items.append(item)
        self._there.set()

    async def wait(self) -> None:
        """Until there is something to tell."""
        await self._there.wait()

    def take(self) -> list[Any]:
        items, self._items = self._items, []
        if self._there.is_set():
            self._there = trio.Event()
        return items


# -- one machine


class LocalTable:
    """A game in which this machine holds every seat. The same session and record as over a network."""

    running = True
    """A disk that fails is an exception here."""

    def __init__(self, archive: Archive, session: Session) -> None:
        self.session = session
        self.next = False
        self._archive = archive
        self.news = News()

    @property
    def stays(self) -> bool:
        return False

    def person(self, seat: int) -> Acquaintance | None:
        return None

    async def act(self, do: Do) -> None:
        effects = list(reckoned(do(self.session)))
        disk: list[Effect] = [effect for effect in effects if not isinstance(effect, Tell)]
        await trio.to_thread.run_sync(self._write, disk)
        for effect in effects:
            if isinstance(effect, Tell):
                self.news.put(effect.news)

    def _write(self, effects: list[Effect]) -> None:
        for effect in effects:
            write_effect(self._archive, OnDisk(self.session.game, effect))

    async def finish(self) -> None:
        self._archive.close(self.session.game)

    def away(self, owner: int) -> bool:
        return False

    async def rematch(self) -> None:
        if not self.session.table.complete:
            raise Misuse(tr("a rematch is for a game that is over"))
        self.next = True
        self.news.put(None)

    can_go_on = False

    async def go_on(self) -> str:
        raise Misuse(tr("everybody in this game sits here"))

    async def chat(self, text: str) -> None:
        raise Misuse(tr("everybody in this game sits here: just say it"))

    def mute(self, name: str, *, muted: bool) -> None:
        raise Misuse(tr("everybody in this game sits here"))

    def talkers(self) -> list[str]:
        return []

    async def go_away(self, *, away: bool) -> None:
        raise Misuse(tr("everybody in this game sits here; quit keeps the game, and it can be resumed"))


def local_session(context: Context, key: PrivateKey, offer: Offer) -> Session:
    """A fresh game by one key alone, nothing written yet."""
    event = Event(game=NO_GAME, prev=NO_LINK, seat=0, seq=0, t=now_ms(), type="genesis", body=genesis_body(offer, {}))
    table = Table.begin(sign(event, key).line, context.host.rules_for)
    return Session(table, key, clock=now_ms, timer=timer_ms, dealer=context.home.dealer_of(table.chain))


def make_offer(
    context: Context,
    game: Game,
    options: Mapping[str, Any],
    house_rules: Sequence[str],
    seats: tuple[Seat, ...],
    clock: Clock | None = None,
) -> Offer:
    """An offer of these rules with a fresh nonce, dealt by this machine if anything is dealt. Raises `Misuse`."""
    made, rules, digest = context.host.rules(game, options, house_rules)
    nonce = secrets.token_bytes(32)
    return Offer(
        game=game.id,
        version=game.version,
        digest=digest,
        options=dict(options),
        house_rules=tuple((rule.name, rule.version) for rule in rules),
        seats=seats,
        nonce=nonce,
        dealing=SeedDealing(commitment(context.home.deal_seed(nonce))) if dealt(made) else None,
        clock=clock,
    )


def run(context: Context) -> Main:
    """`lantable play`: at this computer, alone or with others at one keyboard."""
    game, options = context.chosen_game()
    args = context.args
    robots = _robots(game, args)
    if args.hotseat:
        names = [f"player {seat + 1}" for seat in range(args.seats)]
    else:
        names = ["", *names_of(args.against, args.seats - 1)]
    context.host.rules(game, options, args.house_rule)  # what does not go together is told before anything is made
    context.lock()
    session = local_game(context, game, options, tuple(args.house_rule), names, context.chosen_clock())
    return _play_here(context, session, robots, lambda session: session.begin({}))


def resume(context: Context, game: bytes) -> Main:
    """`lantable resume` for a game that `lantable play` began: it has every seat, so no network is needed."""
    context.lock()
    session, robots = resumed_here(context, game)
    return _play_here(context, session, robots, lambda session: session.resettle())


def resumed_here(context: Context, game: bytes) -> tuple[Session, dict[int, Opponent]]:
    """Such a game as it was left, and which seats the computer plays. Raises `Misuse`."""
    lines, mark = context.home.archive.open(game)
    table = Table.load(lines, context.host.rules_for)
    session = Session(
        table,
        context.home.identity().key,
        clock=now_ms,
        timer=timer_ms,
        mark=None if mark is None else Mark.read(mark),
        dealer=context.home.dealer_of(table.chain),
        resumed=True,
        evidence=context.home.evidence(game),
    )
    if session.me is None:
        raise Misuse(tr("none of the seats in that game is yours; lantable replay shows it"))
    offer = table.chain.offer
    opponents = context.host.game(offer.game).opponents
    # `play` names a computer player's seat after it; with one key in all seats nobody else can have chosen the names.
    named = {seat: opponents.get(chair.name.partition(" ")[0]) for seat, chair in enumerate(offer.seats)}
    robots = {seat: robot for seat, robot in named.items() if robot is not None and seat > 0}
    if context.args.auto:
        robots = dict.fromkeys(named, opponent_of(context.host.game(offer.game), context.args.auto)) | robots
    return session, robots


def _play_here(context: Context, session: Session, robots: Mapping[int, Opponent], begin: Do) -> Main:
    seed = context.args.seed.encode()
    return lambda: until_signal(lambda: play_here(context, session, robots, begin, seed))


async def play_here(
    context: Context,
    session: Session,
    robots: Mapping[int, Opponent],
    begin: Do,
    seed: bytes,
    elsewhere: Elsewhere | None = None,
) -> int:
    """Play a game that has every seat on this machine."""
    while True:
        table = LocalTable(context.home.archive, session)
        await table.act(begin)
        async with trio.open_nursery() as nursery:
            if elsewhere is not None:
                nursery.start_soon(elsewhere.beside, table.news)
            code = await Loop(context, table, table.news, robots=robots, seed=seed, elsewhere=elsewhere).run()
            nursery.cancel_scope.cancel()
        if not table.next:
            return code
        session, robots, begin = _again(context, session, robots)


def _again(
    context: Context, session: Session, robots: Mapping[int, Opponent]
) -> tuple[Session, dict[int, Opponent], Do]:
    """A finished game once more, the seats moved on by one with whoever plays them."""
    old = session.table.chain.offer
    seats = (*old.seats[1:], old.seats[0])
    game, rules = context.host.game(old.game), [name for name, _ in old.house_rules]
    offer = make_offer(context, game, old.options, rules, seats, old.clock)
    moved = {(seat - 1) % len(seats): robot for seat, robot in robots.items()}
    return local_session(context, context.home.identity().key, offer), moved, lambda session: session.begin({})


def _robots(game: Game, args: argparse.Namespace) -> dict[int, Opponent]:
    """Which seats the computer plays."""
    low, high = game.seats
    if not low <= args.seats <= high:
        raise Misuse(
            tr("{id} is for {low} to {high} players, not {seats}", id=game.id, low=low, high=high, seats=args.seats)
        )
    robots = {} if args.hotseat else dict.fromkeys(range(1, args.seats), opponent_of(game, args.against))
    if args.auto:
        robots = {seat: robots.get(seat, opponent_of(game, args.auto)) for seat in range(args.seats)}
    return robots


def names_of(opponent: str, count: int) -> list[str]:
    """What so many computer players of one kind are called."""
    return [opponent] if count == 1 else [f"{opponent} {seat}" for seat in range(1, count + 1)]


def local_game(
    context: Context,
    game: Game,
    options: Mapping[str, OptionValue],
    house_rules: tuple[str, ...],
    names: list[str],
    clock: Clock | None = None,
) -> Session:
    """A fresh game with every seat on this machine. A seat without a name has ours. Raises `Misuse`."""
    identity = introduce(context)
    seats = tuple(Seat(identity.key.public, name or identity.name) for name in names)
    return local_session(context, identity.key, make_offer(context, game, options, house_rules, seats, clock))


def opponent_of(game: Game, name: str) -> Opponent:
    """A computer player by name. Raises `Misuse`."""
    if name not in game.opponents:
        raise Misuse(
            tr("{id} has no computer player {name}", id=game.id, name=repr(name)) + nearest(name, game.opponents)
        )
    return game.opponents[name]


# -- the loop


LOW: Final = (60_000, 10_000)
"""Milliseconds left at which the person is told that there is little left."""
LOOK_AT_CLOCK: Final = 0.2
"""Seconds between two looks at it."""
DOUBT: Final = 5_000
"""Milliseconds by which two measures of a turn must differ to be worth telling."""
LISTED: Final = 200
"""Legal moves that are listed at most; some games have 100,000."""


NEWS: Final = 10
"""Lines of news that are told once more."""


class _Left(Exception):
    """The person wants out."""


@dataclass(slots=True)
class Loop:
    """Plays one game until it is over, stopped, or left. `robots` play the seats they are given."""

    place: ClassVar[Place] = Place.GAME
    context: Context
    driver: Driver
    news: News
    robots: Mapping[int, Opponent] = field(default_factory=dict[int, Opponent])
    seed: bytes = b""
    log: list[str] = field(default_factory=list[str])
    """What was told of this game, a line each."""
    elsewhere: Elsewhere | None = None
    told: int | None = None
    """The last event that was told, or had happened before this began; None: all that are there when it begins."""
    _asked: int = -1
    """Event after which the person was last asked to move, so as to ask once."""
    _turn: trio.Event = field(default_factory=trio.Event)
    _moving: trio.Lock = field(default_factory=trio.Lock)
    """Held while a robot moves: it is asked once, whoever of the two tasks comes first."""
    _said_over: bool = False
    _left: bool = False
    """Whether the person said to leave."""
    switching: bool = False
    """Whether that was for another game, and this one goes on."""
    reminded: int = -1
    """Event after which the person was told, in another game, that it is their turn in this one."""
    _seated: int | None = None
    """Of several players at this keyboard, in a game that hides something: who sits there now."""
    _away: bool = False
    """Whether the others were told that nobody sits here."""
    _mine: tuple[Position, Position] | None = None
    """The newest position as everybody may see it, and as it is seen here."""
    _helpers: trio.Nursery | None = None
    """Where a hint is looked for while the game goes on."""
    _thinking: trio.CancelScope | None = None
    never_began: bool = False
    """Whether the game turned out to be none: a seat could not accept its event 0 any more."""

    # -- asking

    @property
    def typed(self) -> bool:
        """Whether a person types, rather than a pipe."""
        return self.context.face.full or keyboard.is_typed()

    @property
    def session(self) -> Session:
        return self.driver.session

    @property
    def position(self) -> Position:
        """Where the game stands, as whoever sits here sees it. To see hidden tiles takes reckoning: done once each."""
        whole = self.session.table.position
        if self._mine is None or self._mine[0] is not whole:
            self._mine = whole, self.session.position
        return self._mine[1]

    def name(self, seat: int) -> str:
        """A player's name as the record has it, made safe."""
        return safe_name(self.session.table.chain.offer.seats[seat].name)

    def score(self, outcome: Outcome) -> str:
        return ", ".join(f"{self.name(seat)} {score}" for seat, score in enumerate(outcome.scores))

    def yours(self, seat: int) -> bool:
        """Whether the person at this keyboard plays that seat."""
        return self.session.table.chain.owners[seat] == self.session.me and seat not in self.robots

    def eyes(self) -> int | None:
        """The seat through whose eyes the game is shown; None for a spectator, and while players change places."""
        if dealt(self.position.rules) is None:
            return self.session.me
        mine = [seat for seat in range(len(self.position.owners)) if self.yours(seat)]
        if len(mine) > 1:
            return self._seated if self._seated == self.position.mover else None
        return next(iter(mine), None)

    def seen(self, seat: int | None) -> Any:
        """The game as that seat, or a spectator (None), may see it now: all that is shown or explained."""
        return self.position.rules.view(self.position.state, seat)

    def hand(self) -> int | None:
        """The seat for which a move may be put together at this keyboard now; None where that would show too much."""
        if self.position.outcome is not None:
            return None
        mover = self.position.mover
        if mover is not None and self.yours(mover):
            return mover if self.sits(mover) else None
        return self.eyes()

    def sits(self, seat: int) -> bool:
        """Whether what `seat` may see can be on the screen now."""
        return dealt(self.position.rules) is None or self.eyes() == seat

    @property
    def someone_waits(self) -> bool:
        """Whether somebody is to sit down at this keyboard before anything hidden is shown."""
        mover = self.position.mover
        return mover is not None and self.yours(mover) and not self.sits(mover)

    @property
    def has_clock(self) -> bool:
        return self.position.clocks is not None

    @property
    def can_rematch(self) -> bool:
        """Whether a game of ours is over."""
        return self.session.me is not None and self.session.table.complete

    # -- running

    @property
    def over(self) -> bool:
        """Whether nothing more happens here."""
        return self.session.stopped or self.session.table.complete or not self.driver.running

    @property
    def left(self) -> bool:
        """Whether the person said to leave it."""
        return self._left

    @property
    def can_wish(self) -> bool:
        """Whether this seat has a say in a game that goes on."""
        return self.session.may_sign and self.position.outcome is None

    def say(self, text: str) -> None:
        """One line about this game."""
        self.log.append(language.shown(text))
        self.context.say(text)

    async def run(self) -> int:
        """Play. The exit code: 0 over or left in good order, 1 stopped by a fork or a refusal, 6 by the disk.

        May be run again for a game that was left for another one.
        """
        self._left, self.switching, self._asked = False, False, -1
        with self.context.face.show(self):
            await self._play()
            self._say_goodbye(self.session.game.hex()[:8])
            if self.over and not self.never_began and not self._left and not self.driver.next and self._lingers:
                await self._linger()
        for offer in list(self.session.offers.open.values()):
            self.context.questions.drop(self._about(offer))
        if self.session.stopped:
            return 1
        return 0 if self.driver.running or self.never_began else DISK_FAILED

    @property
    def _lingers(self) -> bool:
        """On a full screen the end is looked at; in lines only by a person, and not where a robot plays alone."""
        return self.context.face.full or (self.context.face.lingers and not self._all_robots())

    async def _linger(self) -> None:
        """It is over: the board, words and a rematch are still there, until the person leaves or a new game begins."""
        if not self.context.face.full:
            self.say(tr("* rematch asks for another game, quit leaves"))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read_lines, nursery.cancel_scope)
            while not self.driver.next:
                await self.news.wait()
                self._tell_all()
            nursery.cancel_scope.cancel()

    def _say_hello(self, game: str) -> None:
        if self.log:
            self.say(tr("* back in game {game}; {players}", game=game, players=self._players()))
            return
        self.context.diary.note("game_began", game=game, plugin=self._offer.game, seats=len(self._offer.seats))
        self.told = self.position.seq if self.told is None else self.told
        how = tr("? shows every key") if self.context.face.full else tr("type help for what you can do")
        self.say(tr("* game {game} begins; {players}; {how}", game=game, players=self._players(), how=how))
        if (clock := self._offer.clock) is not None:
            self.say(tr("* clock {clock}: {words}", clock=clock, words=clock.words))
        if self.context.face.full:  # the lobby, where this was said, is out of sight
            for line in self._words_to_compare():
                self.say(f"* {line}")

    async def _play(self) -> None:
        self._say_hello(self.session.game.hex()[:8])
        try:
            async with trio.open_nursery() as nursery:
                if self.position.clocks is not None:
                    nursery.start_soon(self._mind_clock)
                self._helpers = nursery
                if not self._all_robots():
                    nursery.start_soon(self._read_lines, nursery.cancel_scope)
                await self._follow()
                nursery.cancel_scope.cancel()
        finally:
            self._tell_all()
            with trio.CancelScope(shield=True):
                await self.driver.finish()
            self._tell_all()

    def _say_goodbye(self, game: str) -> None:
        how = "game_stopped" if self.session.stopped else "game_over" if self.session.table.complete else "game_left"
        self.context.diary.note(how, game=game, events=self.session.table.chain.seq)
        if self.session.stopped:
            self.say(tr("* the game was stopped for good; this shows why: lantable audit {game}", game=game))
        elif self.never_began:
            self.say(tr("* game {game} was never begun and is set aside", game=game))
        elif self.driver.next and not self.session.table.complete:
            self.say(tr("* game {game} stays as it is; another game goes on from it", game=game))
        elif self.session.table.complete:
            self.say(tr("* the record is complete: lantable audit {game}, lantable replay {game}", game=game))
        elif self.switching and self.driver.stays:
            self.say(tr("* game {game} goes on meanwhile; switch leads back to it", game=game))
        else:
            self.say(tr("* the game is kept; go on with it later: lantable resume {game}", game=game))

    def _players(self) -> str:
        seats = range(len(self.session.table.chain.offer.seats))
        return ", ".join(tr("player {seat} is {name}", seat=seat + 1, name=self.name(seat)) for seat in seats)

    def _all_robots(self) -> bool:
        owners = self.session.table.chain.owners
        mine = [seat for seat, owner in enumerate(owners) if owner == self.session.me]
        return bool(mine) and all(seat in self.robots for seat in mine)

    async def _follow(self) -> None:
        """Tell what happens and let robots move, until the game is over or stopped."""
        self._tell_all()
        await self._next_turn()
        while not self.over and not self.driver.next:
            await self.news.wait()
            self._tell_all()
            await self._next_turn()

    def _tell_all(self) -> None:
        """Tell all news there is by now."""
        for item in self.news.take():
            self.tell(item)

    async def act(self, do: Do) -> None:
        """Do something in the game and tell what came of it."""
        await self.driver.act(do)
        self._tell_all()

    async def _next_turn(self) -> None:
        """Let robots move as long as it is their turn, then ask the person once."""
        async with self._moving:
            while self.session.my_turn and (mover := self.position.mover) is not None and mover in self.robots:
                await self._let_robot_move(self.position, mover)
        mover = self.position.mover
        if not self.driver.running:
            return  # what the session takes for its turn is not on the disk
        # The session is ahead of what it tells: nobody is asked for the answer to a move that was not told yet.
        told = self.told is None or self.told >= self.position.seq
        if self.session.my_turn and mover is not None and told and self._asked != self.position.seq:
            self._asked = self.position.seq
            self._ask(mover)
            self._turn.set()

    # -- the clock

    async def _mind_clock(self) -> None:
        """Tell the person when little time is left, and the others when it is over."""
        seen = (-1, 0)
        while not self.over:
            mover = self.position.mover
            left = self.session.left(mover) if mover is not None and self.session.my_turn else None
            if mover is not None and left is not None:
                stage = sum(left <= limit for limit in LOW) + (left < 0)
                if seen[0] == self.position.seq and stage > seen[1]:
                    self._tell_low(mover, left)
                seen = self.position.seq, stage
                if left < 0:
                    await self._run_out()
            await trio.sleep(LOOK_AT_CLOCK)

    def _tell_low(self, seat: int, left: int) -> None:
        clock = self._offer.clock
        if left >= 0:
            self.say(tr("* time is low: {name} has {left} left", name=self.name(seat), left=shown(left)))
        elif clock is not None and clock.points is not None:
            self.say(
                tr(
                    "* time is over: each started minute costs {name} {points} points now",
                    name=self.name(seat),
                    points=clock.points,
                )
            )

    async def _run_out(self) -> None:
        """Write down that the time of whoever is to move here is over, if that puts a seat out."""

        def write(session: Session) -> list[Effect]:
            position, mover = session.table.position, session.table.position.mover
            late = mover is not None and position.clocks is not None and position.clocks.late(mover, session.elapsed)
            return session.write(FLAG, {}) if late and session.my_turn else []

        await self.act(write)

    def clock_words(self, seat: int) -> str:
        """What a seat has left, such as `9:41`, or `0:09 LOW`; empty without clocks."""
        left = self.session.left(seat)
        if left is None:
            return ""
        word = " OVER" if left < 0 else " LOW" if left <= LOW[0] and self._was_long() else ""
        return f"{shown(left)}{word}"

    def _was_long(self) -> bool:
        """Whether a clock begins with more than what counts as little."""
        clock = self._offer.clock
        return clock is not None and clock.time * 1000 > LOW[0]

    def show_time(self) -> None:
        """What each has left, who is thinking, and the clock's terms."""
        clock = self._offer.clock
        if clock is None:
            raise Misuse(tr("there is no clock in this game"))
        each = ", ".join(f"{self.name(seat)} {self.clock_words(seat)}" for seat in range(len(self.position.owners)))
        mover = self.position.mover
        runs = (
            tr("nobody's clock runs") if mover is None or self.over else tr("{name} is to move", name=self.name(mover))
        )
        self.say(f"  {each}; {runs}; {clock.words}")

    def _ask(self, seat: int) -> None:
        """Say whose turn it is. What only one of several people here may see waits until that one sits down."""
        if self._seated != seat:
            self._seated = None
        if not self.sits(seat):
            # What was shown to the player before must not stay on the screen.
            self.log = [line for line in self.log if line.startswith("* ")]
            if self.typed and not self.context.face.full:
                self.context.say("\n" * shutil.get_terminal_size().lines)
            key = "s" if self.context.face.full else "Enter"
            self.say(
                tr("* {name} is to move: press {key} when only {name} sees the screen", name=self.name(seat), key=key)
            )
            return
        if self.typed and not self.context.args.plain and not self.context.face.full:
            self.show_board()
        time = (
            tr(" ({clock_words} left)", clock_words=self.clock_words(seat)) if self.position.clocks is not None else ""
        )
        self.say(tr("* your turn, {name}{time}: type a move", name=self.name(seat), time=time))

    async def sit_down(self) -> None:
        """Whoever is to move takes the keyboard, and now sees what only this seat may see."""
        await self._next_turn()
        mover = self.position.mover
        if mover is not None and self.someone_waits:
            self._seated = mover
            if not self.context.face.full:
                self.show_board()
            self.say(tr("* your turn, {name}: type a move", name=self.name(mover)))

    async def _let_robot_move(self, position: Position, seat: int) -> None:
        view = position.rules.view(position.state, seat)
        # Whoever leaves does not wait for it: what it still thinks of then is dropped.
        move = await trio.to_thread.run_sync(
            self.robots[seat], position.rules, view, seat, self.seed, abandon_on_cancel=True
        )

        def write(session: Session) -> list[Effect]:
            # While it was thinking, another's resignation may have been written down in its place.
            unchanged = session.my_turn and session.table.position.seq == position.seq
            return session.write("move", {"move": move}) if unchanged else []

        await self.act(write)

    # -- what happened

    def tell(self, news: Any) -> None:
        """One line of news."""
        match news:
            case Played(position, seen):
                self._tell_event(position, seen)
            case Offered(offer):
                self._ask_about(offer)
            case Agreed(seat, offer):
                self.say(
                    tr("* {name} agrees: {offer_words}", name=self.name(seat), offer_words=self.offer_words(offer))
                )
            case OfferClosed(offer, why, by):
                self._tell_closed(offer, why, by)
            case Acknowledged(position) if position.outcome is not None and not self._said_over:
                self._said_over = True
                self.say(tr("* game over: {ending}", ending=self.ending(position.outcome)))
            case Settled() if len(set(self.session.table.chain.owners)) > 1:
                self.say(tr("* everyone is here and has the same record; the game goes on"))
            case Wished(notice):
                self.say(f"* {self.name(notice.seat)} {_WISH_TEXT[notice.kind]}")
            case Forked(proof):
                self.say(
                    tr(
                        "* STOPPED: the key of {name} signed two different things as event {seq}; "
                        "the proof is kept beside the record",
                        name=self.name(proof.seat),
                        seq=proof.seq,
                    )
                )
            case Refused(nack):
                self.say(
                    tr(
                        "* STOPPED: {name} refuses event {seq} ({code}); both are kept beside the "
                        "record, and an audit judges them",
                        name=self.name(nack.seat),
                        seq=nack.seq,
                        code=safe_text(nack.code, 40),
                    )
                )
            case NeverBegan():
                self.never_began = True
            case Stuck(reason):
                self.say(tr("* the game cannot go on here now: {reason}", reason=safe_text(reason)))
            case str():
                self.say(f"* {news}")
            case _:
                pass

    # -- offers

    def offer_words(self, offer: OpenOffer) -> str:
        """What it would do, in words."""
        if offer.to is None:
            return tr("a draw") if offer.kind == "draw" else tr("to stop here and count")
        events = self.session.table.chain.events[: offer.to + 1]
        event = next((one.event for one in reversed(events) if one.event.type not in DEALS), None)
        if event is None or event.type == "genesis":
            return tr("back to move {to}, the beginning", to=offer.to)
        tell = partial(told, self.position.rules)
        return tr(
            "back to move {to}, when {name} {event_words}",
            to=offer.to,
            name=self.name(event.seat),
            event_words=event_words(event, self._offer, tell),
        )

    @property
    def _offer(self) -> Offer:
        return self.session.table.chain.offer

    def _about(self, offer: OpenOffer) -> tuple[bytes, OpenOffer]:
        return self.session.game, offer

    def _ask_about(self, offer: OpenOffer) -> None:
        """Somebody's offer is a question with a number, so that no key answers another than was meant."""

        async def answer(agree: bool) -> None:
            await self.act(lambda session: session.answer(offer, agree=agree))

        text = tr("{name} offers {offer_words}", name=self.name(offer.seat), offer_words=self.offer_words(offer))
        question = self.context.questions.ask(
            self._about(offer), text, partial(answer, True), partial(answer, False)
        )  # fmt: skip
        self.say(tr("* {line}; playing on says no", line=question.line))

    def _tell_closed(self, offer: OpenOffer, why: Closed, by: int | None) -> None:
        question = self.context.questions.drop(self._about(offer))
        what = self.offer_words(offer)
        if by is not None:
            self.say(tr("* {name} declines: {what}", name=self.name(by), what=what))
        elif why is not Closed.GRANTED and (question is not None or offer.seat == self.session.me):
            number = "" if question is None else f"{question.number}: "
            self.say(
                tr(
                    "* {number}the offer of {name} is not open any more ({value}): {what}",
                    number=number,
                    name=self.name(offer.seat),
                    value=why.value,
                    what=what,
                )
            )

    def _tell_event(self, position: Position, seen: int | None = None) -> None:
        event = position.last
        if event is None:
            return
        self.told = position.seq
        if position.tossed is not None and (position.before is None or position.before.tossed is None):
            self.say(tr("* the lot fell on {name}, who begins", name=self.name(position.tossed)))
        # Of the dealing's many events people want the outcome; `lantable log` has them all.
        if event.type in fair.EVENTS and event.type != fair.FAULT:
            return
        standing = position.standing
        tell = None if position.outcome is not None else partial(told, position.rules)
        what = event_words(event, self.session.table.chain.offer, tell)
        if event.type == "move" and (event.seat, RAN_OUT) in position.withdrawn:
            what += tr(", but ran out of time before")
        time = (
            tr("; {left} left", left=shown(position.clocks.left[event.seat]))
            if position.clocks and "used" in event.body
            else ""
        )
        self.say(
            tr(
                "* {seq} {name} {what}; score {score}{time}",
                seq=event.seq,
                name=self.name(event.seat),
                what=what,
                score=self.score(standing),
                time=time,
            )
        )
        used = event.body.get("used")
        if seen is not None and isinstance(used, int) and abs(seen - used) > DOUBT:
            here, there = round(seen / 1000), round(used / 1000)
            self.say(
                tr(
                    "* that took {here} s by the clock here and {there} s by the player's own, which counts",
                    here=here,
                    there=there,
                )
            )

    def ending(self, outcome: Outcome) -> str:
        """Who won, in words."""
        winners = [self.name(seat) for seat in outcome.winners]
        who = (
            tr("{winners} wins", winners=winners[0])
            if len(winners) == 1
            else tr("a draw between {winners}", winners=" and ".join(winners))
        )
        return f"{who} ({self.score(outcome)}; {outcome.how})"

    def show_board(self) -> None:
        """The position as a picture with its panel."""
        for line in drawn(self.position, Eyes(self.eyes()), self.context.face.looks):
            self.say(f"  {line}")

    # -- what is typed

    async def _read_lines(self, scope: trio.CancelScope) -> None:
        try:
            async for line in self.context.face.lines():
                await self.obey(line)
        except _Left:
            self._left = True
        scope.cancel()

    async def obey(self, line: str) -> None:
        """One typed line: a command or a move; what is wrong with it is said."""
        command, rest = commands.read(Place.GAME, line)
        try:
            if command is None:
                await self._move(line.strip().removeprefix(":"))
            elif (doing := command.do(self, rest)) is not None:
                await doing
        except IllegalMove as error:
            self.say(tr("* not played ({code}): {error}", code=error.code, error=safe_text(language.told(error))))
        except DiskFault:
            raise  # what the session knows is not on the disk, so it must not go on
        except LantableError as error:
            self.say(f"* {safe_text(language.told(error))}")

    async def _move(self, text: str) -> None:
        await self._back_again()
        await self._next_turn()
        if not self.typed:
            # A pipe writes ahead: its moves wait for their turn.
            while not self.session.my_turn:
                self._turn = trio.Event()
                await self._turn.wait()
        position = self.position
        seat, view = position.mover, self.seen(position.mover)
        move = position.rules.parse(text)
        try:
            await self.act(lambda session: session.write("move", {"move": move}))
        except IllegalMove as error:
            why = await self._explained(view, seat, move)
            if why is None or why.valid:
                raise
            self._say_explained(tr("* not played ({code}): ", code=error.code), why)

    async def _explained(self, view: Any, seat: int | None, move: str) -> Explanation | None:
        if seat is None:
            return None
        return await trio.to_thread.run_sync(explain, self.position.rules, view, seat, move)

    def _say_explained(self, intro: str, why: Explanation) -> None:
        first, *more = why.lines
        self.say(f"{intro}{safe_text(language.shown(first), 600)}")
        for line in more:
            self.say(f"  {safe_text(language.shown(line), 600)}")

    async def try_out(self, text: str) -> None:
        """Say whether a move may be played and what it would make, and play nothing. Raises as `play`, and `Misuse`.

        While another is to move, it is tried as if it were one's own turn.
        """
        position, seat = self.position, self.hand()
        if not text:
            raise Misuse(tr("type a move behind it, as you would play it"))
        if seat is None:
            raise Misuse(tr("a move can be tried by whoever plays and sits here; press Enter to sit down"))
        move = position.rules.parse(text)
        why = await self._explained(self.seen(seat), seat, move)
        if why is None:
            position.rules.play(position.state, seat, move)
            self.say(tr("  valid: {move} may be played", move=move))
        else:
            self._say_explained("  valid: " if why.valid else tr("  not valid: "), why)

    # -- hints

    @property
    def can_hint(self) -> bool:
        """Whether somebody here is to move, and a computer player knows the game."""
        seat = self.hand()
        return seat is not None and seat == self.position.mover and bool(self._advisers())

    @property
    def thinking(self) -> bool:
        """Whether a hint is being looked for."""
        return self._thinking is not None

    def _advisers(self) -> list[Opponent]:
        return list(self.context.host.game(self.session.table.chain.offer.game).opponents.values())

    async def hint(self) -> None:
        """Ask the strongest computer player what it would play, and show that; nothing is played.

        On the screen the game goes on meanwhile, and the person may drop the question.
        """
        seat = self.hand()
        if seat is None or not self.can_hint:
            raise Misuse(tr("a hint is for whoever is to move and sits here, in a game that a computer player knows"))
        self.drop_hint()
        if self.context.face.full and self._helpers is not None:
            self._helpers.start_soon(self._find_hint, seat)
        else:
            await self._find_hint(seat)

    async def _find_hint(self, seat: int) -> None:
        position, view = self.position, self.seen(seat)
        with trio.CancelScope() as scope:
            self._thinking = scope
            try:
                move = await trio.to_thread.run_sync(
                    self._advisers()[-1], position.rules, view, seat, self.seed, abandon_on_cancel=True
                )
            except Exception as error:  # noqa: BLE001 - a stranger's code: the game must go on
                self.context.say(tr("* no hint: {it}", it=safe_text(f"{type(error).__name__}: {error}")))
            else:
                if position.seq == self.position.seq:
                    self.context.face.suggest(move)
            finally:
                if self._thinking is scope:
                    self._thinking = None

    def drop_hint(self) -> None:
        """Whoever looks for a hint need not go on."""
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None

    async def wish(self, kind: NoticeKind, to: int | None = None) -> None:
        """Ask for it, or do it if that takes nobody else."""
        if kind == "leave" and len(set(self.position.owners)) <= 2:
            raise IllegalMove("resign_instead", tr("with two players, leaving is resigning; type  resign"))
        # A robot at this table answers first: it is not the one who resigns or takes back.
        await self._next_turn()
        open_before = self.session.offers.open.get(kind)
        await self.act(lambda session: session.wish(kind, to))
        if kind in self.session.wishes().get(self.session.me or 0, []):
            offer = self.session.offers.open.get(kind)
            what = kind if offer is None else self.offer_words(offer)
            mine = offer is None or offer != open_before
            self.say(
                tr("* noted, and the others are asked: {what}", what=what)
                if mine
                else tr("* you agree: {what}", what=what)
            )
        elif open_before is not None:
            self.context.questions.drop(self._about(open_before))

    async def undo(self, text: str) -> None:
        """Ask to take back to event N, by default to just before one's own last move."""
        if text and not text.isdecimal():
            raise Misuse(tr("undo takes the number of the event to go back to, such as  undo 12"))
        await self.wish("takeback", int(text) if text else self._before_my_last_move())

    def _before_my_last_move(self) -> int:
        position: Position | None = self.position
        while position is not None and position.last is not None:
            if position.last.type == "move" and self.yours(position.last.seat):
                return position.seq - 1
            position = position.before
        raise Misuse(tr("you have not moved yet"))

    def who(self) -> None:
        """Every player with key, trust and whether they are there; for new ones the words to compare."""
        for seat, chair in enumerate(self.session.table.chain.offer.seats):
            self.say(
                tr(
                    "  player {seat} {name}, key {words}, {notes}",
                    seat=seat + 1,
                    name=self.name(seat),
                    words=chair.key.words,
                    notes=", ".join(self.notes(seat)),
                )
            )
        for line in self._words_to_compare():
            self.say(f"  {line}")

    def notes(self, seat: int) -> list[str]:
        """Where a player is, and how far they are trusted, in words."""
        owner = self.session.table.chain.owners[seat]
        if owner == self.session.me:
            return [tr("computer") if seat in self.robots else tr("you")]
        person = self.driver.person(seat)
        there = tr("not connected") if owner in self.session.missing() else tr("connected")
        there = tr("away") if self.driver.away(owner) else there
        return [there, tr(person.word)] if person is not None else [there]

    def _words_to_compare(self) -> list[str]:
        """A line for everybody whom we meet for the first time."""
        seats = self.session.table.chain.offer.seats
        people = [(seat, self.driver.person(seat)) for seat in range(len(seats))]
        return [
            tr(
                "first time with {name}: both of you should now see the words  {words}",
                name=self.name(seat),
                words=person.words,
            )
            for seat, person in people
            if person is not None and person.word == "new" and person.words
        ]

    async def show_moves(self) -> None:
        """The legal moves on one line, not more than a person may want to read."""
        position, mover = self.position, self.position.mover
        if mover is not None and not self.sits(mover):
            raise Misuse(tr("moves are listed for whoever is to move and sits here; press Enter to sit down"))
        moves = [] if mover is None else await trio.to_thread.run_sync(_first_moves, position, mover)
        apart = "; " if any(" " in move for move in moves) else " "
        more = tr("{apart}and more than {listed} in all", apart=apart, listed=LISTED) if len(moves) > LISTED else ""
        self.say("  " + (apart.join(moves[:LISTED]) + more if moves else tr("there is no move to be made")))

    def show_news(self) -> None:
        """What was told last, once more."""
        for line in lately(self.log):
            self.context.say(f"  {line}")

    def show_score(self) -> None:
        """Who has how much, and whose turn it is."""
        mover = self.position.mover
        nobody = tr("the game is over") if self.position.outcome is not None else tr("something is being dealt")
        turn = nobody if mover is None else tr("{name} is to move", name=self.name(mover))
        self.say(f"  {self.score(self.position.standing)}; {turn}")

    def show_rules(self) -> None:
        """The rules of this game as it tells them itself."""
        for line in rules_lines(self.context.host.game(self.session.table.chain.offer.game)):
            self.context.say(f"  {line}")

    # -- with the others

    async def answer(self, text: str, *, yes: bool) -> None:
        """Answer a question by its number. Raises `Misuse`."""
        await self.context.questions.answer(text, yes=yes)

    @property
    def can_go_on(self) -> bool:
        return self.driver.can_go_on

    async def go_on(self) -> None:
        """Go on with those who are here, as another game, without whoever is not."""
        names = await self.driver.go_on()
        if not self.driver.next:
            self.say(
                tr(
                    "* the others are asked to go on without {names}: another game from here, with new tiles",
                    names=names,
                )
            )

    async def rematch(self) -> None:
        """Ask for another game of the same rules, or agree to one."""
        await self.driver.rematch()
        if not self.driver.next:
            self.say(tr("* the others are asked for a rematch, in which the next player begins"))

    async def chat(self, text: str) -> None:
        await self._back_again()
        await self.driver.chat(text)

    def mute(self, name: str, *, muted: bool) -> None:
        self.driver.mute(name, muted=muted)

    def talkers(self) -> list[str]:
        return self.driver.talkers()

    async def go_away(self, *, away: bool) -> None:
        """Tell the others whether somebody sits here."""
        await self.driver.go_away(away=away)
        self._away = away
        self.say(
            tr("* the others see that you are away; your clock, if there is one, runs on")
            if away
            else tr("* you are back")
        )

    async def _back_again(self) -> None:
        """Whoever does something is not away any more."""
        if self._away:
            await self.go_away(away=False)

    async def never_mind(self) -> None:
        """Drop one's own wishes."""
        mine = self.session.wishes().get(self.session.me or 0, [])
        for kind in mine:
            await self.act(lambda session, kind=kind: session.unwish(kind))  # type: ignore[misc]  # binds the loop variable
        self.say(tr("  wishes dropped: {mine}", mine=", ".join(mine) or tr("there were none")))

    # -- elsewhere

    def others(self) -> Elsewhere:
        """What goes on besides. Raises `Misuse` where nothing can."""
        if self.elsewhere is None:
            raise Misuse(tr("this game is played without a network; lantable alone opens the lobby"))
        return self.elsewhere

    def invitations(self) -> list[str]:
        return self.elsewhere.invitations() if self.elsewhere is not None else []

    def waiting(self) -> list[str]:
        return self.elsewhere.waiting() if self.elsewhere is not None else []

    def show_invitations(self) -> None:
        """Tables one could sit down at, and games that have begun besides this one."""
        for line in self.others().invitation_lines():
            self.say(f"  {line}")
        names, games = self.invitations(), self.waiting()
        self.say(
            tr("  invitations: {map}; sit down with: join TABLE", map=", ".join(map(safe_name, names)) or tr("none"))
        )
        self.say(
            tr("  other games that run: {games}; go there with: switch GAME", games=", ".join(games) or tr("none"))
        )

    async def join(self, name: str) -> None:
        """Ask for a seat at another table; this game goes on."""
        others, names = self.others(), self.invitations()
        name = name or next(iter(names), "")
        if not name:
            raise Misuse(tr("there is no invitation now"))
        await others.join(name)
        self.say(
            tr(
                "* asked for a seat at {name}; this game goes on, and you are told when that one begins",
                name=safe_name(name),
            )
        )

    def switch(self, game: str) -> None:
        """Go to another game that runs."""
        self.others().choose(game)
        self.switching = True
        raise _Left

    def help(self) -> None:
        self.say(tr("  anything else is a move in the game's notation"))
        for line in commands.help_lines(Place.GAME):
            self.say(f"  {line}")

    def quit(self) -> None:
        raise _Left


def lately(log: Sequence[str]) -> list[str]:
    """The last news of a log, without the sign that marks it."""
    return [line.removeprefix("* ") for line in log if line.startswith("* ")][-NEWS:]


def _first_moves(position: Position, seat: int) -> list[str]:
    return list(islice(position.rules.legal(position.state, seat), LISTED + 1))


_WISH_TEXT: Final[dict[NoticeKind, str]] = {
    "resign": "resigns",
    "leave": N_("leaves the game"),
}
