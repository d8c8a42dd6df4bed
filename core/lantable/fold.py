"""step(): the only place where a game changes.

Mine, theirs, resumed, watched, replayed and audited events all come through here, and nothing here knows
which of these it is: there is no who-am-I. A `Position` is a frozen value; it remembers the one before, so that
a takeback can let an earlier state stand again without turning back the chain.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from lantable import dealing
from lantable.canonical import Fields
from lantable.chain import notices_in
from lantable.clock import RAN_OUT, Clocks, used_in
from lantable.dealing import Answer, Deal, Moved, Reveal, Toss, Turn, Want
from lantable.dealing.kinds import EVENTS as DEALS
from lantable.errors import IllegalMove, LantableError, PluginFault, Untrusted
from lantable.events import FLAG, Event, Offer
from lantable.game import Outcome, Rules, continuing

T = TypeVar("T")
MAX_MOVE: Final = 512
"""Longest move notation, in characters: checked before a plugin sees it."""
BAD_BAG: Final = "stopped: the bag was proved bad"
_AGREED: Final = {"draw": "drawn by agreement", "stop": "stopped by agreement"}


@dataclass(frozen=True, slots=True)
class Position:
    """Where a game stands after event `seq`."""

    rules: Rules[Any]
    owners: tuple[int, ...]
    """For each seat the lowest seat with the same key."""
    state: Any
    seq: int = 0
    withdrawn: tuple[tuple[int, str], ...] = ()
    """Seats that resigned, left or ran out of time, in order, each with which of these it was."""
    agreed: str | None = None
    """How the game was ended before the rules did: all agreed to it, or the bag was proved bad."""
    deal: Deal | None = None
    """How far the dealing has come, in games in which anything is dealt."""
    tossed: int | None = None
    """The seat on which the lot fell to start, once it was drawn."""
    clocks: Clocks | None = None
    """What each seat has left, in games with a clock."""
    last: Event | None = None
    before: "Position | None" = field(default=None, repr=False, compare=False)

    @property
    def out(self) -> frozenset[int]:
        """Seats that resigned, left or ran out of time."""
        return frozenset(seat for seat, _ in self.withdrawn)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while the rules still expect something. Raises `PluginFault`."""
        return _guarded(self._outcome)

    def _outcome(self) -> Outcome | None:
        if self.due is not None:
            return None
        standing = self._standing()
        if self.agreed == _AGREED["draw"]:
            still_in = tuple(seat for seat in range(len(self.owners)) if seat not in self.out)
            return replace(standing, winners=still_in, how=self.agreed)
        if self.agreed is not None:
            return replace(standing, winners=() if self.agreed == BAD_BAG else standing.winners, how=self.agreed)
        if self.withdrawn:
            how = ", ".join(f"player {seat + 1} {what}" for seat, what in self.withdrawn)
            return replace(standing, how=how)
        return standing

    @property
    def standing(self) -> Outcome:
        """Scores and leaders as if the game stopped here, overtime included. Raises `PluginFault`."""
        return _guarded(self._standing)

    def _standing(self) -> Outcome:
        standing = self.rules.standing(self.state)
        return standing if self.clocks is None else self.clocks.adjusted(standing, self.out)

    @property
    def timed(self) -> bool:
        """Whether the next event says how long its author took: some seat is to move, and there is a clock."""
        return self.clocks is not None and self.mover is not None

    @property
    def due(self) -> int | None:
        """The one seat that may write the next event; None when the game is over. Raises `PluginFault`."""
        return self.mover if self.deal is None or self.deal.due is None else self.deal.due

    @property
    def mover(self) -> int | None:
        """The seat to move; None while something is dealt, and when play is over. Raises `PluginFault`."""
        return None if self.deals else self.player

    @property
    def player(self) -> int | None:
        """The seat whose turn it is by the rules; None when they want something else, and when play is over."""
        return None if self.agreed or self.want else _guarded(lambda: self.rules.to_move(self.state))

    @property
    def want(self) -> Want | None:
        """What is to be dealt before anybody moves. Raises `PluginFault`."""
        return next(iter(self.wants), None)

    @property
    def wants(self) -> Sequence[Want]:
        """All that is to be dealt before anybody moves, in order. Raises `PluginFault`."""
        if self.deal is None or self.agreed:
            return ()
        if rules := dealing.dealt(self.rules):
            return _guarded(lambda: rules.wants(self.state))
        still_in = tuple(seat for seat in range(len(self.owners)) if seat not in self.out)
        return () if self.tossed is not None else (Toss(still_in),)

    @property
    def deals(self) -> bool:
        """Whether the next event is the dealing's."""
        return self.deal is not None and self.deal.due is not None

    def consenters(self) -> frozenset[int]:
        """Owners whose notice a takeback, draw or stop needs now: every other key with a seat still in."""
        due = self.due
        if due is None:
            return frozenset()
        return frozenset(self.owners[s] for s in range(len(self.owners)) if s not in self.out) - {self.owners[due]}

    def back_to(self, seq: int) -> "Position":
        """The position after event `seq` <= this one. O(events between)."""
        position = self
        while position.seq > seq:
            assert position.before is not None  # noqa: S101 - seq counts down to 0 by construction
            position = position.before
        return position


def opening(rules: Rules[Any], offer: Offer) -> Position:
    """The position after event 0."""
    clocks = None if offer.clock is None else Clocks.begun(offer.clock, len(offer.seats))
    state, tiles = _guarded(lambda: _opened(rules, offer))
    start = Position(rules, offer.owners(), state, clocks=clocks)
    if offer.dealing is None:
        return start
    begun = replace(start, deal=offer.dealing.begun(len(offer.seats), tiles))
    return _guarded(lambda: _answered(begun))


def _opened(rules: Rules[Any], offer: Offer) -> tuple[Any, Sequence[str]]:
    """The opening state and the tiles in the bag. Raises `Untrusted` or `IllegalMove` if it cannot be gone on from."""
    if offer.continues is None:
        deals = dealing.dealt(rules)
        return rules.start(len(offer.seats)), () if deals is None else deals.bag()
    going_on = continuing(rules)
    if going_on is None:
        raise IllegalMove("from", "under these rules a game cannot go on without some of its players")
    state = going_on.continued(offer.continues.position, offer.continues.seats)
    return state, going_on.bag_left(state)


def step(position: Position, event: Event) -> Position:
    """The position after one more event.

    Raises `IllegalMove` if the rules (the game's, or the table's for dealing, resigning, taking back and agreeing)
    refuse it, `Untrusted` if its body is not of the form, `PluginFault` if the game's own code breaks.
    """
    if event.type not in STEPS:
        raise Untrusted("schema", f"{event.type} is no step of a game")
    # "The state names exactly one legal author for seq n."
    if position.due is None:
        raise IllegalMove("over", "the game is over")
    if event.seat != position.due:
        raise IllegalMove("not_your_turn", f"it is player {position.due + 1}'s turn, not player {event.seat + 1}'s")
    if position.want is None and position.player is None and event.type not in DEALS:
        raise IllegalMove("over", "play is over; only what ends the dealing is still to be written")
    return _guarded(lambda: _answered(_charged(position, event, STEPS[event.type])))


def states(start: Position, events: Iterable[Event]) -> Iterator[Position]:
    """`start` and then every position after it, one an event. Raises as `step`."""
    yield start
    for event in events:
        start = step(start, event)
        yield start


def _guarded(compute: Callable[[], T]) -> T:
    """A plugin's exception must not look like ours: it pauses one game and names whose fault it was."""
    try:
        return compute()
    except LantableError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginFault(f"the game's own rules failed: {type(error).__name__}: {error}") from error


def _after(position: Position, event: Event, **changes: Any) -> Position:
    """The position one event later, changed as that event demands."""
    return replace(position, seq=position.seq + 1, last=event, before=position, **changes)


def _charged(position: Position, event: Event, do: Callable[[Position, Event], Position]) -> Position:
    """The position after an event, once its author's clock was charged for it."""
    if (used := used_in(event.body)) is not None and not position.timed:
        raise Untrusted("schema", f"{event.type}: nothing is timed here")
    after = do(position, event)
    if position.clocks is None or not position.timed:
        return after
    if used is None:
        raise Untrusted("schema", f"{event.type}: in this game it says what time was used")
    # An agreement and another's withdrawal are not the author's alone, so they stand; its next event is late again.
    if position.clocks.late(event.seat, used) and event.type in ("move", "takeback", FLAG):
        after = _lose_on_time(position, event)
    elif event.type == FLAG:
        raise IllegalMove("time", "there is time left")
    return replace(after, clocks=position.clocks.charged(event.seat, used, event.type))


def _lose_on_time(position: Position, event: Event) -> Position:
    state = position.rules.withdraw(position.state, event.seat)
    return _after(position, event, state=state, withdrawn=(*position.withdrawn, (event.seat, RAN_OUT)))


def _flag(position: Position, event: Event) -> Position:
    if set(event.body) != {"used"}:
        raise Untrusted("schema", "a flag is {used: milliseconds}")
    return _after(position, event)


def _move(position: Position, event: Event) -> Position:
    move = event.body.get("move")
    if not isinstance(move, str) or len(move) > MAX_MOVE:
        raise Untrusted("schema", "a move is {move: text}")
    if position.deals:
        raise IllegalMove("deal", "something is still to be drawn before anybody moves")
    # "One canonical form is printed and stored": another spelling would be a second history of one game.
    if position.rules.parse(move) != move:
        raise IllegalMove("notation", "the move is not in canonical notation")
    now = _shown(position, _carried(position, event, move))
    return _after(position, event, deal=now.deal, state=position.rules.play(now.state, event.seat, move))


def _carried(position: Position, event: Event, move: str) -> Moved | None:
    """What the dealing makes of a move: the tiles it lays must be the mover's own, and are seen from now on."""
    hiding, deal = dealing.concealing(position.rules), position.deal
    body = _untimed(event)
    if hiding is None or deal is None:
        if set(body) != {"move"}:
            raise Untrusted("schema", "a move is {move: text}")
        return None
    spent = hiding.spends(position.state, event.seat, move)
    return deal.moved(_turn(event), body, spent, hiding.rack(position.state, event.seat))


def _untimed(event: Event) -> dict[str, Any]:
    """What an event says besides the time its author used."""
    return {name: value for name, value in event.body.items() if name != "used"}


def _turn(event: Event) -> Turn:
    return Turn(event.game, event.prev, event.seat, event.seq)


def _shown(position: Position, moved: Moved | None) -> Position:
    """The position once the dealing has gone on, and shown some tiles of a rack."""
    if moved is None:
        return position
    state = dealing.seen_by(position.rules, position.state, moved.seat, moved.tiles)
    return replace(position, deal=moved.deal, state=state)


def _withdraw(position: Position, event: Event) -> Position:
    seat = Fields(event.body, event.type).number("of", 0, 3)
    if seat >= len(position.owners) or seat in position.out:
        raise IllegalMove("not_in", "that seat is not in the game")
    if event.type == "leave" and len(set(position.owners)) <= 2:
        raise IllegalMove("resign_instead", "with two players, leaving is resigning")
    # "with the notice when it is another's, without when it is its own"
    own = position.owners[seat] == position.owners[event.seat]
    if own == ("notice" in event.body):
        raise IllegalMove("consent", "a withdrawal needs that player's own word, and only that")
    what = "resigned" if event.type == "resign" else "left"
    gone = replace(position, state=position.rules.withdraw(position.state, seat))
    if event.type == "leave":
        gone = _shown(gone, _seed_given(position.deal, event, seat))
    return _after(position, event, state=gone.state, deal=gone.deal, withdrawn=(*position.withdrawn, (seat, what)))


def _seed_given(deal: Deal | None, event: Event, seat: int) -> Moved | None:
    """ "A player who leaves in good order posts the seed; its rack becomes public." """
    seed = bytes.fromhex(event.body["seed"]) if "seed" in event.body else None
    if deal is not None:
        return deal.left_by(event.game, seat, seed)
    if seed is not None:
        raise Untrusted("schema", "nothing is dealt in this game, so no seat has a secret to give")
    return None


def _takeback(position: Position, event: Event) -> Position:
    _need_consent(position, event)
    return _after(position, event, state=before_takeback(position, event.body["to"]).state)


def before_takeback(position: Position, to: int) -> Position:
    """The position that a takeback to event `to` lets stand again. Raises `IllegalMove`."""
    if not 0 <= to < position.seq:
        raise IllegalMove("takeback", f"there is no event {to} to go back to")
    earlier = position.back_to(to)
    # "Legal only if no ... resign or leave lies after `to`."
    if earlier.withdrawn != position.withdrawn:
        raise IllegalMove("takeback", "a takeback cannot go past a player's leaving")
    # "Legal only if no dealing event, opened tile ... lies after `to`": what was drawn has been seen.
    if earlier.deal is not None and position.deal is not None and earlier.deal.count != position.deal.count:
        raise IllegalMove("takeback", "a takeback cannot go past tiles that were drawn")
    return earlier


def _agree(position: Position, event: Event) -> Position:
    _need_consent(position, event)
    return _after(position, event, agreed=_AGREED[event.type])


def _deal(position: Position, event: Event) -> Position:
    if position.deal is None:
        raise IllegalMove("deal", "nothing is dealt in this game")
    moved = position.deal.take(_turn(event), event.type, _untimed(event))
    agreed = BAD_BAG if moved.deal.stopped else position.agreed
    return _after(position, event, deal=moved.deal, state=_shown(position, moved).state, agreed=agreed)


def _answered(position: Position) -> Position:
    """The position once everything is answered that the dealing has an answer to."""
    while (deal := position.deal) is not None:
        wants = position.wants
        facing = deal.faces(wants, over=not wants and position.player is None)
        ready = facing.answer()
        if ready is None:
            return replace(position, deal=facing)
        position = _given_to(replace(position, deal=ready.deal), wants[0], ready.answer)
    return position


def _given_to(position: Position, want: Want, answer: Answer) -> Position:
    """The position once the first want was answered: by the game's own rules, or by the table's for who starts."""
    rules, first = dealing.dealt(position.rules), dealing.starting(position.rules)
    if rules is not None:
        given = _rack(position, want.seat) if isinstance(want, Reveal) else answer
        tossed = answer if isinstance(want, Toss) and isinstance(answer, int) else position.tossed
        return replace(position, state=rules.answer(position.state, given), tossed=tossed)
    if first is None or not isinstance(answer, int):
        raise PluginFault("these rules do not say how another seat may start")
    return replace(position, state=first.starts(position.state, answer), tossed=answer)


def _rack(position: Position, seat: int) -> Sequence[str]:
    """A rack that has been revealed: every tile of it is seen by now."""
    hiding = dealing.concealing(position.rules)
    if hiding is None:
        raise PluginFault("these rules want a rack revealed and do not say what racks there are")
    return hiding.rack(position.state, seat)


def _need_consent(position: Position, event: Event) -> None:
    # "events of the seat to move that embed a notice from every other seat"
    given = frozenset(notice.seat for notice in notices_in(event, b""))
    if given != position.consenters():
        raise IllegalMove("consent", "every other player must have agreed to this")


STEPS: Final[dict[str, Callable[[Position, Event], Position]]] = {
    "move": _move,
    FLAG: _flag,
    "resign": _withdraw,
    "leave": _withdraw,
    "takeback": _takeback,
    "draw": _agree,
    "stop": _agree,
    **dict.fromkeys(DEALS, _deal),
}
