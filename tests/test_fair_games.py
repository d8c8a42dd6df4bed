"""Properties of fair dealing over random whole games: nobody is ever stuck, no tile is lost, nobody knows more or less.

`Steps` plays a game event by event, so that resigning, leaving and taking back may fall between any two of them, in the
middle of the toss, the keys, a shuffle or an exchange too. After every event everything is checked with all secrets.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable import fold
from lantable.dealing import HIDDEN, Turn, dealt
from lantable.dealing.egb1 import Secrets
from lantable.dealing.fair import EVENTS, FAULT, FairDeal, conserved
from lantable.dealing.fair_dealer import FairDealer
from lantable.errors import IllegalMove, Untrusted
from lantable.events import Event, read_event
from lantable.fold import Position
from lantable.private import move_body
from lantable.table import Table
from lantable_binary_scrabble import state as scrabble
from lantable_binary_scrabble.rules import Scrabble
from lantable_net.effects import Append, reckoned
from lantable_net.messages import Head
from lantable_net.session import Session
from lantable_replays.audit import GOOD, audit
from tests.conftest import EVIDENCE
from tests.games import Sitting, tile_host

HOST: Final = tile_host()
Step = Callable[[], object]
MOST: Final = 400
"""Events of a game that is played on at random, before it is passed to its end."""


class Steps(Sitting):
    """A fair game of which every event is written by a choice of the test's."""

    def __init__(self, game: str, options: str, seats: int, seed: int) -> None:
        super().__init__(game, options, seats, seed=seed, fair=True, host=HOST)

    def deal(self) -> None:
        """Nothing by itself: `serve` is a step like any other."""

    @property
    def fair(self) -> FairDeal:
        deal = self.table.position.deal
        assert isinstance(deal, FairDeal)
        return deal

    @property
    def over(self) -> bool:
        return self.table.position.outcome is not None

    def secrets(self, seat: int) -> Secrets:
        dealer = self.dealers[seat]
        assert isinstance(dealer, FairDealer)
        return dealer._secrets[seat]

    # -- what may happen next

    def serve(self) -> bool:
        """What the dealing asks for next; whether it asked for anything."""
        turn = self.turn
        assert turn is not None
        dealer, deal = self.dealers[turn.seat], self.table.position.deal
        assert dealer is not None
        if (bad := dealer.fault(deal, turn)) is not None:
            self.write(FAULT, bad)
        elif self.table.position.deals:
            self.write(*dealer.owes(deal, turn))
        else:
            return False
        return True

    def steps(self) -> Iterator[Step]:
        """Serve or move first; whatever else may happen after."""
        position = self.table.position
        if position.deals:
            yield self.serve
        else:
            yield from (lambda move=move: self.move(move) for move in self.moves())
        if position.want is not None or position.player is not None:
            still_in = [seat for seat in range(len(self.keys)) if seat not in position.out]
            yield from (lambda seat=seat: self.resign(seat) for seat in still_in)
            if len(self.keys) > 2:
                yield from (lambda seat=seat: self.leave(seat) for seat in still_in)
        if position.want is not None or position.player is not None:
            yield self.take_back
            yield lambda: self.agree("stop")

    def moves(self) -> Sequence[str]:
        assert self.turn is not None
        position = self.seen(self.turn.seat)
        return list(position.rules.legal(position.state, self.turn.seat))

    def take_back(self) -> None:
        """The last event, if the table lets them."""
        before, count = self.table.position, self.fair.count
        try:
            self.agree("takeback", self.table.position.seq - 1)
        except IllegalMove:
            assert self.table.position is before
        else:
            assert self.fair.count == count, "a takeback never reveals a draw"

    # -- what must always be so

    def check(self) -> None:
        """All that is promised of a position, judged with every secret at hand."""
        position, deal = self.table.position, self.fair
        assert (position.due is None) == self.over
        everything = {seat: self.secrets(seat) for seat in deal.keys}
        assert conserved(replace(deal, shown=everything))
        assert dealt(position.rules) is not None
        hiding: Any = position.rules
        for seat in range(len(self.keys)):
            public = Counter(hiding.rack(position.state, seat))
            hidden = deal.hidden(seat)
            # Whoever agrees to stop in the middle of an exchange stops there.
            if position.agreed is not None:
                continue
            assert public[HIDDEN] == len(hidden)
            mine = Counter(hiding.rack(self.seen(seat).state, seat))
            truth = Counter(deal.tiles[number] for number in self.truth(seat).values() if number is not None)
            assert mine == public - Counter({HIDDEN: public[HIDDEN]}) + truth
            for other in range(len(self.keys)):
                if other != seat:
                    assert hiding.rack(self.seen(other).state, seat) == hiding.rack(position.state, seat)
        assert self.total(position) == len(deal.tiles)

    def truth(self, seat: int) -> dict[int, int | None]:
        """What lies in a seat's hidden slots, opened with the secrets of all."""
        everything = replace(self.fair, shown={at: self.secrets(at) for at in self.fair.keys})
        return {slot: everything.opened(replace(held, shares={})) for slot, held in self.fair.hidden(seat).items()}

    def total(self, position: Position) -> int:
        rules: Any = position.rules
        counted = scrabble.total(rules.rules, position.state) if isinstance(rules, Scrabble) else None
        return (counted or rules.total(position.state)).total()


class ScrabbleSteps(Steps):
    """Binary Scrabble: a few moves of every sort, right and wrong ones, since all legal ones are too many."""

    def moves(self) -> Sequence[str]:
        assert self.turn is not None
        seat = self.turn.seat
        position = self.seen(seat)
        rules, state = position.rules, position.state
        rack = state.racks[seat]
        tried = ["pass", "challenge", "accept", *(f"-{rack[:count]}" for count in (1, 4, len(rack)))]
        digits = "".join(tile for tile in rack if tile in "01")
        tried += [f"H{row} {digits[:2]}" for row in (7, 9)]  # nonsense, which may be laid under a challenge rule
        found = [self.host.game("binary-scrabble").opponents["easy"](rules, rules.view(state, seat), seat, self.seed)]
        for move in tried:
            try:
                rules.play(state, seat, rules.parse(move))
            except IllegalMove:
                continue
            found.append(rules.parse(move))
        return found


def play_on(game: Steps, choices: Sequence[int]) -> Steps:
    """Every choice a step of its own, most of them serving or moving; then everybody passes to the end."""
    game.check()
    for choice in choices:
        if game.over:
            return game
        steps = list(game.steps())
        usual = 1 if game.table.position.deals else len(game.moves())
        # Of ten choices one may be anything, the others serve or move.
        steps[choice // 10 % len(steps) if choice % 10 == 0 else choice // 10 % usual]()
        game.check()
    for _ in range(MOST):
        if game.over:
            return game
        if not game.serve():
            moves = game.moves()
            game.move("accept" if "accept" in moves else "pass")
        game.check()
    raise AssertionError(f"{MOST} events later the game is not over: {game.table.position}")


def assert_good(game: Steps) -> None:
    report = audit(game.data, HOST.rules_for)
    assert (report.code, report.deal.verdict) == (GOOD, "good"), report.lines()


choices = st.lists(st.integers(0, 999), max_size=60)


# -- whole games


@settings(max_examples=1000 if EVIDENCE else 30)
@given(st.integers(2, 4), st.integers(8, 12), choices)
def test_any_game_of_lay_comes_to_a_good_end(seats: int, tiles: int, choices: list[int]) -> None:
    """Small bags: exchanges, empty bags, and withdrawals in the middle of everything."""
    assert_good(play_on(Steps("lay", f"tiles={tiles}", seats, seed=tiles), choices))


OPTIONS = st.sampled_from(
    ["", "validation=challenge_double", "validation=challenge_single", "endgame=none", "endgame=scrabble,rack_size=12"]
)


@settings(max_examples=100 if EVIDENCE else 4)
@given(st.integers(2, 4), OPTIONS, choices)
def test_any_game_of_binary_scrabble_comes_to_a_good_end(seats: int, options: str, choices: list[int]) -> None:
    """With challenges, answers, plays that are taken back, and exchanges of seen and hidden tiles."""
    together = ",".join(filter(None, ["scoreless_limit=1", options]))
    assert_good(play_on(ScrabbleSteps("binary-scrabble", together, seats, seed=1), choices))


@contextmanager
def suppress_over() -> Iterator[None]:
    """When play is over, nobody withdraws any more."""
    try:
        yield
    except IllegalMove as error:
        if error.code != "over":
            raise


@pytest.mark.parametrize("what", ["resign", "leave"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_withdrawing_at_any_event_of_a_game(what: str, seats: int) -> None:
    """One game for every event and seat: from the toss to the last seed, the game goes on or ends well."""
    if (what, seats) == ("leave", 2):
        pytest.skip("with two players, leaving is resigning")
    script = [3, 3, 5, 0, 7, 1] * 3
    whole = play_on(Steps("lay", "tiles=9", seats, seed=seats), [10 * choice + 1 for choice in script * 2])
    for at in range(1, whole.table.chain.seq, 1 if EVIDENCE else 3):
        for seat in range(seats) if EVIDENCE else [at % seats]:
            game = Steps("lay", "tiles=9", seats, seed=seats)
            for number in range(1, at):
                game.table.accept(whole.lines[2 * number])
                game.table.accept(whole.lines[2 * number + 1])
            with suppress_over():
                getattr(game, what)(seat)
            assert_good(play_on(game, []))


def test_a_tile_that_was_seen_hides_no_other_of_its_kind() -> None:
    """A play that was challenged goes back to the rack, seen by all; its seat still sees its other tiles."""
    for seed in range(40):
        game = ScrabbleSteps("binary-scrabble", "validation=challenge_double", 2, seed)
        while game.serve():
            pass
        assert game.turn is not None
        seat, rack = game.turn.seat, game.seen(game.turn.seat).state.racks[game.turn.seat]
        if rack.count("1") > 2:
            break
    game.move("H8 11")
    game.move("challenge")
    assert Counter(game.table.position.state.racks[seat]) == {"1": 2, HIDDEN: len(rack) - 2}
    assert game.seen(seat).state.racks[seat] == rack
    game.move("pass")
    game.move(f"-{'1' * rack.count('1')}")
    assert game.table.chain.last.event.body["move"] == f"-11{HIDDEN * (rack.count('1') - 2)}"


# -- a crash, or a restored backup, changes nothing


def recorded(game: str, seats: int, seed: int, script: Sequence[int]) -> Steps:
    options = "tiles=9" if game == "lay" else "scoreless_limit=1"
    make = Steps if game == "lay" else ScrabbleSteps
    return play_on(make(game, options, seats, seed), script)


@settings(max_examples=200 if EVIDENCE else 6)
@given(st.integers(2, 4), choices)
def test_from_any_prefix_the_same_bytes_follow(seats: int, choices: list[int]) -> None:
    """Whatever a backup holds: once it has heard the others, a seat writes the very events it wrote before."""
    assert_same_bytes(recorded("lay", seats, 0, choices))


def test_from_any_prefix_of_binary_scrabble_the_same_bytes_follow() -> None:
    """Once with a real bag."""
    assert_same_bytes(recorded("binary-scrabble", 2, 0, [21, 11, 31, 11] * 8))


def assert_same_bytes(game: Steps) -> None:
    table = Table.load(game.lines[:2], HOST.rules_for)
    for number in range(1, game.table.chain.seq + 1):
        line, seal = game.lines[2 * number], game.lines[2 * number + 1]
        event = read_event(line).event
        if event.type in EVENTS:
            assert written_after(game, game.lines[: 2 * number], event) == line
        elif event.type == "move":
            fresh = type(game)._dealer(game, event.seat)
            turn = Turn(event.game, event.prev, event.seat, event.seq)
            private = spoken(game, table.position, event)
            assert move_body(table.position, fresh, turn, private) == event.body
        table.accept(line)
        table.accept(seal)


def spoken(game: Steps, position: Position, event: Event) -> str:
    """The move as its own player typed it: hidden tiles of an exchange named."""
    deal, move = position.deal, str(event.body["move"])
    if "slots" not in event.body:
        return move
    assert isinstance(deal, FairDeal)
    opened = replace(deal, shown={at: game.secrets(at) for at in deal.keys})
    numbers = [opened.opened(replace(deal.held[slot], shares={})) for slot in event.body["slots"]]
    return "-" + "".join(sorted(deal.tiles[number] for number in numbers if number is not None))


def written_after(game: Steps, lines: list[bytes], event: Event) -> bytes:
    """The next event of a program that starts with these lines, and hears that the others hold the same."""
    table = Table.load(lines, HOST.rules_for)
    key, dealer = game.keys[event.seat], type(game)._dealer(game, event.seat)
    session = Session(table, key, clock=lambda: event.t, dealer=dealer, resumed=True)
    effects = session.resettle()
    assert session.my_turn == (len(table.chain.present()) == 1)
    for link in table.chain.present() - {event.seat}:
        effects += session.link_up(link, game.keys[link].public)
        effects += session.receive(link, Head(table.chain.game, table.chain.seq, table.chain.last.h, sealed=True))
    lines = [effect.line for effect in reckoned(effects) if isinstance(effect, Append)]
    return lines[0]


# -- whatever comes, in whatever state


def positions() -> list[Position]:
    """Every stage of the dealing: of a game of three with exchanges, a withdrawal in each, and its end."""
    game = play_on(Steps("lay", "tiles=9", 3, 5), [11, 11, 51, 71, 31, 61] * 12)
    found = list(fold.states(game.table.position.back_to(0), [s.event for s in game.table.chain.events[1:]]))
    other = play_on(Steps("lay", "tiles=9", 3, 6), [11] * 16 + [0, 71, 30, 51, 41, 60, 51, 20])
    return [*found, *fold.states(other.table.position.back_to(0), [s.event for s in other.table.chain.events[1:]])]


STAGES: Final = positions()
BODIES: Final = [position.last.body for position in STAGES if position.last is not None]
values = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2**53 - 1) | st.text("0123456789abcdef_-", max_size=130),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["slot", "c", "z", "point"]), inner),
    max_leaves=6,
)
NAMES: Final = ("move", "open", "slots", "shares", "list", "seed", "commit", "nonce", "key", "r", "z", "of", "used")


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    """Any body, or one of a real event in which something was changed, dropped, added or put elsewhere."""
    if draw(st.booleans()):
        return draw(st.dictionaries(st.sampled_from(NAMES), values, max_size=3))
    body = dict(draw(st.sampled_from(BODIES)))
    if draw(st.booleans()):
        body[draw(st.sampled_from(NAMES))] = draw(values)
    for name, value in list(body.items()):
        if isinstance(value, list) and value:
            at, items = draw(st.integers(0, len(value) - 1)), list(value)
            items[at] = draw(values | st.sampled_from(items))
            body[name] = items
            if isinstance(value[at], dict) and value[at] and draw(st.booleans()):
                items[at] = {**value[at], draw(st.sampled_from(sorted(value[at]))): draw(values)}
    return body


@settings(max_examples=20_000 if EVIDENCE else 600)
@given(st.sampled_from(STAGES), st.sampled_from((*EVENTS, "move", "leave", "resign")), bodies(), st.binary(max_size=32))
def test_any_body_in_any_state_is_judged_or_refused(
    position: Position, kind: str, body: dict[str, Any], prev: bytes
) -> None:
    """Nothing but `Untrusted` and `IllegalMove` comes out, and nothing but what is written for it gets in."""
    if position.due is None or (kind in ("leave", "resign") and "of" not in body):
        return
    last = position.last
    game, seq = (last.game, last.seq) if last is not None else (bytes(16), 0)
    event = Event(game=game, prev=prev.ljust(32), seat=position.due, seq=seq + 1, t=0, type=kind, body=body)
    try:
        after = fold.step(position, event)
    except (Untrusted, IllegalMove):
        return
    assert after.due is not None or after.outcome is not None


def test_whoever_has_shown_its_seed_may_still_leave() -> None:
    """While others still owe theirs: it gives no second one."""
    game = Steps("lay", "tiles=9", 3, 1)
    while 0 not in game.fair.shown:
        if not game.serve():
            game.move("pass")
    game.leave(0)
    assert_good(play_on(game, []))
