"""What every game must keep, whatever its rules. A new game is held to all of it in three lines:

    @conforms(GAME, st.sampled_from(["size=1x3", "size=3x3,award_rest=yes"]))
    def test_conforms(check: Check, playout: Playout) -> None:
        check(playout)

A `Playout` is one random game, played through `fold.step` like any other, now and then with a seat that resigns
or leaves. A check is a plain function of a playout that asserts; its name says what it demands.
"""

import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeVar, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lantable import canonical, fold
from lantable.dealing import Turn, dealt
from lantable.dealing.seed import SeedDeal, SeedDealer, SeedDealing, commitment
from lantable.errors import IllegalMove
from lantable.events import NO_GAME, NO_LINK, Ack, Event, Offer, Seat, genesis_body, sign
from lantable.fold import Position
from lantable.game import Game, Picture, Rules, gloss, rules_digest
from lantable.keys import PrivateKey
from lantable.table import Table

KEYS: Final = tuple(PrivateKey(bytes([number]) * 32) for number in range(1, 5))
UNHURRIED: Final = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How long a game takes depends on what else the machine does."""
UNSIGNED: Final = "00" * 64
"""What stands for a signature where nobody looks at it."""
SAMPLES: Final = 6
"""Positions of a playout that the dearer checks look at."""
MOST: Final = 200
"""Legal moves looked at in one position; a game may have 100,000 there. Of a longer list the rest is left alone."""
SEED: Final = bytes(32)
"""What games with hidden tiles are dealt from; all their seats are played by the first key."""


# -- what is asked again and again

F = TypeVar("F", bound=Callable[..., Any])


def remembered(most: int) -> Callable[[F], F]:
    """Keeps the latest answers of a pure function, with what it was asked; objects are told apart by identity.

    Every check looks at the same games, since examples are drawn alike for all of them, and listing the legal moves
    is most of the work of playing one.
    """

    def decorate(function: F) -> F:
        kept: dict[tuple[Any, ...], tuple[tuple[Any, ...], Any]] = {}

        @functools.wraps(function)
        def ask(*args: Any) -> Any:
            at = tuple(arg if isinstance(arg, str | int) else id(arg) for arg in args)
            if at not in kept:
                # The arguments are kept too, lest another object gets the identity of one that is gone.
                kept[at] = args, function(*args)
                if len(kept) > most:
                    del kept[next(iter(kept))]
            return kept[at][1]

        return cast("F", ask)

    return decorate


# -- one random game


@dataclass(frozen=True)
class Playout:
    """A whole game. Its repr is what makes it again: `play_out(game, options, seats, seed, junk)`."""

    game: Game = field(repr=False)
    options: str
    seats: int
    seed: int
    junk: str
    """Text that is almost surely no move."""
    offer: Offer = field(repr=False)
    positions: tuple[Position, ...] = field(repr=False)

    @property
    def rules(self) -> Rules[Any]:
        return self.positions[0].rules

    @property
    def states(self) -> list[Any]:
        return [position.state for position in self.positions]

    @property
    def events(self) -> list[Event]:
        return [position.last for position in self.positions if position.last is not None]

    @property
    def end(self) -> Position:
        return self.positions[-1]

    @property
    def sample(self) -> Sequence[Position]:
        """A few positions, evenly spread, the opening and the end among them."""
        step = max(1, len(self.positions) // SAMPLES)
        return (*self.positions[:-1:step], self.end)


def play_out(game: Game, options: str, seats: int, seed: int, junk: str = "") -> Playout:
    """A random game by `seed`: the same arguments give the same game."""
    offer, start = begin(game, options, seats)
    positions, chance = [start], random.Random(seed)
    while positions[-1].due is not None:
        positions.append(fold.step(positions[-1], _any_event(offer, positions[-1], chance)))
    return Playout(game, options, seats, seed, junk, offer, tuple(positions))


def playouts(game: Game, options: st.SearchStrategy[str]) -> st.SearchStrategy[Playout]:
    """Random whole games for a property."""
    seeds = st.integers(0, 2**32 - 1)

    @remembered(most=16)
    def played(options: str, seats: int, seed: int, junk: str) -> Playout:
        return play_out(game, options, seats, seed, junk)

    return st.builds(played, options, st.integers(*game.seats), seeds, st.text(max_size=12))


def begin(game: Game, options: str, seats: int) -> tuple[Offer, Position]:
    """An offer of that game to the first test keys, and the position it opens with."""
    chosen = game.read_options(options)
    rules = game.make(chosen, ())
    deals = dealt(rules) is not None
    offer = Offer(
        game=game.id,
        version=game.version,
        digest=rules_digest(game, chosen, (), rules),
        options=chosen,
        house_rules=(),
        seats=tuple(Seat(KEYS[0 if deals else at].public, f"player {at + 1}") for at in range(seats)),
        nonce=bytes(32),
        dealing=SeedDealing(commitment(SEED)) if deals else None,
    )
    return offer, fold.opening(rules, offer)


def event(position: Position, kind: str, **body: Any) -> Event:
    """The next event by whoever is due, unsigned: `fold` asks for no signature."""
    due = position.due
    assert due is not None, "the game is over"
    return Event(game=NO_GAME, prev=NO_LINK, seat=due, seq=position.seq + 1, t=0, type=kind, body=body)


def moved(position: Position, *notations: str) -> Position:
    """The position after moves, each by whoever is then due. Raises `IllegalMove`."""
    for notation in notations:
        position = fold.step(position, event(position, "move", move=notation))
    return position


def settled(position: Position) -> Position:
    """The position once everything that is to be dealt was."""
    while position.deals:
        position = fold.step(position, _dealt_event(position))
    return position


def _dealt_event(position: Position) -> Event:
    assert isinstance(position.deal, SeedDeal)
    turn = Turn(NO_GAME, NO_LINK, 0, position.seq + 1)
    kind, body = SeedDealer(SEED, position.deal.dealing).owes(position.deal, turn)
    return event(position, kind, **body)


def resigned(position: Position, seat: int) -> Position:
    """The position after `seat`, whoever is due, resigned."""
    # Whether a notice is truly signed is the chain's business; `fold` asks only that there is one.
    own = position.due is not None and position.owners[seat] == position.owners[position.due]
    notice = {} if own else {"notice": UNSIGNED}
    return fold.step(position, event(position, "resign", of=seat, **notice))


def _any_event(offer: Offer, position: Position, chance: random.Random) -> Event:
    if position.deals:
        return _dealt_event(position)
    mover, in_game = position.mover, len(position.owners) - len(position.out)
    if chance.random() < 0.01:
        return event(position, "leave" if in_game > 2 and not offer.dealing else "resign", of=mover)
    return event(position, "move", move=chance.choice(_legal(position)))


def _listed(position: Position) -> list[str]:
    """The legal moves, or the first `MOST` of them."""
    mover = position.mover
    return [] if mover is None else list(islice(position.rules.legal(position.state, mover), MOST))


_legal = remembered(most=2000)(_listed)


# -- checks

Check = Callable[[Playout], None]


def states_live_and_replayed_are_equal(playout: Playout) -> None:
    """ "the list of states of the live table equals the replayed one", here under rules made anew."""
    rules = _made_anew(playout)
    replayed = list(fold.states(fold.opening(rules, playout.offer), playout.events))
    assert [position.state for position in replayed] == playout.states
    assert [position.outcome for position in replayed] == [position.outcome for position in playout.positions]
    assert _picture(replayed[-1]) == _picture(playout.end), "a replayed game looks different"


def signed_record_leads_to_the_same_states(playout: Playout) -> None:
    """Written by signing tables and loaded from its lines, a game passes through the same states."""
    table = _signed_table(playout)
    states = [table.position.state]
    for happened in playout.events:
        draft = table.draft(happened.type, happened.body, happened.t)
        signed = sign(draft, _key(playout.offer, draft.seat))
        table.add(signed, table.judge(signed))
        _acknowledge(table)
        states.append(table.position.state)
    assert states == playout.states and table.complete
    loaded = Table.load(table.chain.lines(), lambda _: _made_anew(playout))
    assert loaded.position.state == playout.end.state and loaded.complete


def rules_are_described_the_same_way_twice(playout: Playout) -> None:
    """Two programs that made the same rules agree on the digest."""
    assert canonical.write(playout.rules.describe()) == canonical.write(_made_anew(playout).describe())


def game_ends_with_a_winner_that_is_in(playout: Playout) -> None:
    """Play ends; somebody wins, nobody who withdrew does, and every seat has a score."""
    outcome = playout.end.outcome
    assert outcome is not None and playout.end.due is None
    assert outcome.winners and set(outcome.winners) <= set(range(playout.seats)) - playout.end.out
    assert len(outcome.scores) == playout.seats
    assert all(position.outcome is None for position in playout.positions[:-1])


def legal_moves_come_once_and_in_a_fixed_order(playout: Playout) -> None:
    """The seat to move has moves, each once, in an order that does not change; the others have none."""
    anew = _made_anew(playout)
    for position in playout.sample:
        assert _listed(position) == _legal(position), "the list of legal moves is another when asked for again"
    for position in playout.positions:
        moves = _legal(position)
        assert bool(moves) == (position.mover is not None)
        assert len(set(moves)) == len(moves), "a legal move is listed twice"
        for seat in range(playout.seats):
            listed = list(islice(anew.legal(position.state, seat), MOST))
            assert listed == (moves if seat == position.mover else []), "the list of legal moves is not fixed"


def exactly_the_legal_moves_can_be_played(playout: Playout) -> None:
    """Each legal move plays, any other notation is refused, and trying changes nothing."""
    vocabulary = {notation: None for position in playout.sample for notation in (*_legal(position), *_drawn(position))}
    for position in playout.sample[:-1]:
        before, legal = playout.rules.position(position.state), _legal(position)
        for notation in legal:
            moved(position, notation)
        # Of a list that was cut short nobody can say what is not in it.
        for notation in [*(vocabulary if len(legal) < MOST else ()), playout.junk, ""]:
            if notation not in legal:
                assert _refuses(position, notation), f"{notation!r} is not legal, yet it can be played"
        assert playout.rules.position(position.state) == before, "a state changed when a move was tried"


def only_the_seat_to_move_can_play(playout: Playout) -> None:
    """The rules themselves refuse a move by another seat."""
    for position in playout.sample[:-1]:
        for seat in set(range(playout.seats)) - {position.mover}:
            with pytest.raises(IllegalMove):
                playout.rules.play(position.state, seat, next(iter(_legal(position)), ""))


def notation_round_trips(playout: Playout) -> None:
    """Canonical notation is its own parse; other text is refused or becomes canonical notation."""
    for position in playout.sample:
        for notation in _legal(position):
            assert playout.rules.parse(notation) == notation
    try:
        understood = playout.rules.parse(playout.junk)
    except IllegalMove:
        return
    assert playout.rules.parse(understood) == understood


def equal_states_and_only_those_have_equal_positions(playout: Playout) -> None:
    """Over the whole game, and over what two moves lead to in either order. One printable line each."""
    states = [*playout.states, *(state for position in playout.sample for state in _two_moves_on(position))]
    texts = [playout.rules.position(state) for state in states]
    assert all(text.isascii() and text.isprintable() for text in texts)
    for state, text in zip(states, texts, strict=True):
        for other, other_text in zip(states, texts, strict=True):
            assert (state == other) == (text == other_text), f"{text} and {other_text}"


def pictures_can_be_printed(playout: Playout) -> None:
    """For every seat and for a spectator: printable lines, the same twice, and moves in canonical notation."""
    for position in playout.sample:
        for seat in (None, *range(playout.seats)):
            view = playout.rules.view(position.state, seat)
            picture = playout.rules.picture(view)
            assert picture == playout.rules.picture(view)
            lines = (*picture.text(), *picture.panel, *gloss(playout.rules, view))
            assert picture.rows and all(line.isprintable() for line in lines)
            rich = [cell for row in picture.rows for cell in row if cell.rich]
            assert all(len(cell.rich) == len(cell.text) and cell.rich.isprintable() for cell in rich)


def any_seat_may_withdraw(playout: Playout) -> None:
    """Whoever resigns is no longer to move and cannot win; the last seat left wins at once."""
    for position in playout.sample[:-1]:
        if position.deals and position.want is None:
            continue  # play is over, and only the seed of the dealing is still to be shown
        for seat in set(range(playout.seats)) - position.out:
            after = settled(resigned(position, seat))
            left = set(range(playout.seats)) - after.out
            assert after.mover != seat and seat not in playout.rules.standing(after.state).winners
            # With more than one left a game may go on, or end by a limit that counts those still in.
            if len(left) == 1:
                assert after.outcome is not None and set(after.outcome.winners) == left


def opponents_play_legal_moves_and_repeat_themselves(playout: Playout) -> None:
    """A computer player gives a legal move, and the same one for the same arguments."""
    for opponent in playout.game.opponents.values():
        for position in playout.sample[:-1]:
            mover, seed = position.mover, playout.seed.to_bytes(8)
            if mover is None:
                continue
            view = playout.rules.view(position.state, mover)
            chosen = opponent(playout.rules, view, mover, seed)
            legal = _legal(position)
            assert chosen in legal or (len(legal) == MOST and moved(position, chosen))
            assert chosen == opponent(_made_anew(playout), view, mover, seed)


CHECKS: Final[tuple[Check, ...]] = (
    states_live_and_replayed_are_equal,
    signed_record_leads_to_the_same_states,
    rules_are_described_the_same_way_twice,
    game_ends_with_a_winner_that_is_in,
    legal_moves_come_once_and_in_a_fixed_order,
    exactly_the_legal_moves_can_be_played,
    only_the_seat_to_move_can_play,
    notation_round_trips,
    equal_states_and_only_those_have_equal_positions,
    pictures_can_be_printed,
    any_seat_may_withdraw,
    opponents_play_legal_moves_and_repeat_themselves,
)


def conforms(game: Game, options: st.SearchStrategy[str], examples: int = 12) -> Callable[[Any], Any]:
    """Decorates a test of (check, playout) so that it runs once per check, each on `examples` random games."""

    def decorate(test: Any) -> Any:
        on_random_games = settings(parent=UNHURRIED, max_examples=examples)(
            given(playout=playouts(game, options))(test)
        )
        return pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)(on_random_games)

    return decorate


# -- what the checks share


def _made_anew(playout: Playout) -> Rules[Any]:
    return playout.game.make(playout.game.read_options(playout.options), ())


def _picture(position: Position) -> Picture:
    return position.rules.picture(position.rules.view(position.state, position.mover))


def _drawn(position: Position) -> list[str]:
    """What the cells of a position's picture start: a second source of notations beside the list of legal moves."""
    return [cell.move for row in _picture(position).rows for cell in row if cell.move is not None]


def _refuses(position: Position, notation: str) -> bool:
    try:
        moved(position, notation)
    except IllegalMove:
        return True
    return False


def _two_moves_on(position: Position) -> list[Any]:
    """States two moves on, by the first few legal moves in either order."""
    few = _legal(position)[:3]
    return [_later(settled(_later(position, one)), other).state for one in few for other in few if one != other]


def _later(position: Position, notation: str) -> Position:
    return moved(position, notation) if notation in _legal(position) else position


def _signed_table(playout: Playout) -> Table:
    """A table whose event 0 is signed and acknowledged by everybody."""
    nonces = {seat: bytes([seat]) * 32 for seat in set(playout.offer.owners()) - {0}}
    genesis = Event(
        game=NO_GAME, prev=NO_LINK, seat=0, seq=0, t=0, type="genesis", body=genesis_body(playout.offer, nonces)
    )
    table = Table.begin(sign(genesis, KEYS[0]).line, lambda _: playout.rules)
    _acknowledge(table)
    return table


def _key(offer: Offer, seat: int) -> PrivateKey:
    return KEYS[offer.owners()[seat]]


def _acknowledge(table: Table) -> None:
    for seat in sorted(table.chain.awaited()):
        assert table.take_ack(Ack.make(table.chain.last, seat, KEYS[seat]))
    seal = table.ready_seal()
    assert seal is not None
    table.seal(seal)
