"""`lantable play`: a game in which this machine has every seat, alone or with others at one keyboard.

`LocalTable` runs the session with an empty list of links. It is the same session, and makes the same record, as over
a network, and goes before the person through the same `loop.Loop`.
"""

import argparse
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import trio

from lantable.clock import Clock
from lantable.dealing import dealt
from lantable.dealing.seed import SeedDealing, commitment
from lantable.errors import Misuse
from lantable.events import NO_GAME, NO_LINK, Event, Offer, Seat, genesis_body, sign
from lantable.game import Game, Opponent, OptionValue
from lantable.keys import PrivateKey
from lantable.table import Table
from lantable_console.computers import names_of, opponent_of
from lantable_console.context import Context
from lantable_console.driver import Acquaintance, Do, Elsewhere, News
from lantable_console.face import Main, until_signal
from lantable_console.home import now_ms, timer_ms
from lantable_console.language import tr
from lantable_console.loop import Loop
from lantable_console.naming import introduce
from lantable_net.effects import Effect, Tell, reckoned
from lantable_net.mark import Mark
from lantable_net.node import OnDisk
from lantable_net.service import write_effect
from lantable_net.session import Session
from lantable_replays.archive import Archive


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
