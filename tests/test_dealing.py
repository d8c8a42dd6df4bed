"""Chance from one committed seed: fair, the same for everyone who knows the seed, and judged like any move."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable import fold
from lantable.dealing import HIDDEN, Answer, Draw, Reveal, Swap, Toss, Turn, Want
from lantable.dealing.kinds import EVENTS
from lantable.dealing.seed import SEED as SEED_SHOWN
from lantable.dealing.seed import SeedDeal, SeedDealer, SeedDealing, commitment, derive
from lantable.errors import IllegalMove, Misuse, PluginFault, Untrusted
from lantable.events import NO_GAME, NO_LINK, Offer, Seat
from lantable.fold import Position
from lantable_binary_scrabble.rules import BINARY_SCRABBLE
from lantable_binary_scrabble.state import State
from tests.conformance import KEYS, begin, event, moved, resigned, settled
from tests.games import Sitting

SEED = bytes(range(32))
BAG = ["a"] * 3 + ["bb"] * 2 + ["c"]


def dealer(seed: bytes = SEED) -> SeedDealer:
    return SeedDealer(seed, SeedDealing(commitment(seed)))


def fresh(*wants: Want, seed: bytes = SEED) -> SeedDeal:
    """A full bag, and what is wanted from it."""
    return SeedDealing(commitment(seed)).begun(2, BAG).faces(wants, over=not wants)


def turn(seq: int = 1) -> Turn:
    return Turn(NO_GAME, NO_LINK, 0, seq)


def drawn(want: Want, seq: int = 1, seed: bytes = SEED) -> tuple[SeedDeal, Answer]:
    """What the dealer answers, judged."""
    deal = fresh(want, seed=seed)
    ready = deal.take(turn(seq), *dealer(seed).owes(deal, turn(seq))).deal.answer()
    assert ready is not None and isinstance(ready.deal, SeedDeal)
    return ready.deal, ready.answer


def tiles(want: Want, seq: int) -> tuple[str, ...]:
    """The tiles that event `seq` brings."""
    answer = drawn(want, seq=seq)[1]
    assert not isinstance(answer, int)
    return tuple(answer)


# -- seed/1


@given(st.binary(min_size=32, max_size=32), st.integers(0, 6), st.integers(1, 10**6))
def test_what_is_drawn_was_in_the_bag(seed: bytes, count: int, seq: int) -> None:
    """No tile is made or lost, and asking again changes nothing."""
    deal, tiles = drawn(Draw(0, count), seq=seq, seed=seed)
    assert isinstance(tiles, tuple) and len(tiles) == count
    assert Counter(BAG) == Counter(dict(deal.bag)) + Counter(tiles)
    assert drawn(Draw(0, count), seq=seq, seed=seed) == (deal, tiles)


@given(st.binary(min_size=32, max_size=32), st.lists(st.sampled_from("xyz"), min_size=1, max_size=6))
def test_tiles_given_back_cannot_be_drawn_at_once(seed: bytes, back: list[str]) -> None:
    """ "the new ones are drawn before the old ones go back" """
    deal, tiles = drawn(Swap(1, tuple(back)), seed=seed)
    assert isinstance(tiles, tuple) and not set(tiles) & set(back)
    assert Counter(dict(deal.bag)) + Counter(tiles) == Counter(BAG) + Counter(back)


def test_every_tile_and_every_seat_is_as_likely() -> None:
    """Over 6000 events the counts lie within 5 standard deviations."""
    seats = Counter(drawn(Toss((0, 2, 3)), seq=seq)[1] for seq in range(6000))
    assert set(seats) == {0, 2, 3} and all(abs(count - 2000) < 5 * 36.6 for count in seats.values())
    first = Counter(next(iter(tiles(Draw(0, 1), seq=seq))) for seq in range(6000))
    assert all(abs(first[tile] - 1000 * BAG.count(tile)) < 5 * 38.8 for tile in set(BAG))


def test_a_rack_without_what_it_must_hold_is_drawn_again() -> None:
    """As long as the bag holds such a tile; otherwise any rack will do."""
    for seq in range(50):
        assert "c" in tiles(Draw(0, 2, ("c",)), seq=seq)
        assert drawn(Draw(0, 2, ("z",)), seq=seq)


def test_the_numbers_of_this_version_stay_for_ever() -> None:
    """Records name seed/1; whoever reads them must get the same tiles."""
    assert derive(bytes(32), bytes(32)).hex()[:16] == "6d2978fc37ea8a8e"
    assert [drawn(Toss((0, 1, 2, 3)), seq=seq)[1] for seq in range(8)] == [1, 2, 2, 1, 0, 3, 1, 2]
    assert drawn(Draw(0, 6))[1] == ("bb", "a", "a", "a", "bb", "c")


def test_another_seed_is_another_key_file() -> None:
    """Nothing is dealt with a seed that was not committed to."""
    with pytest.raises(Misuse, match="another key file"):
        SeedDealer(bytes(32), SeedDealing(commitment(SEED)))


def test_what_is_never_wanted_where_one_machine_deals() -> None:
    """The plugin is named."""
    for want in (Reveal(0), Draw(0, 7)):
        with pytest.raises(PluginFault):
            dealer().owes(fresh(want), turn())


# -- answers are judged


@pytest.mark.parametrize(
    ("want", "kind", "body"),
    [
        (Toss((0, 1)), "deal.toss", {"seat": 2}),
        (Toss((0, 1)), "deal.tiles", {"tiles": ["a"], "to": 0}),
        (Draw(0, 1), "deal.toss", {"seat": 0}),
        (Draw(0, 1), "deal.tiles", {"tiles": ["a"], "to": 1}),
        (Draw(0, 1), "deal.tiles", {"tiles": ["a", "a"], "to": 0}),
        (Draw(0, 1), "deal.tiles", {"tiles": ["z"], "to": 0}),
        (Draw(0, 2), "deal.tiles", {"tiles": ["c", "c"], "to": 0}),
        (Draw(0, 1, ("c",)), "deal.tiles", {"tiles": ["a"], "to": 0}),
        (Swap(0, ("z",)), "deal.tiles", {"tiles": ["z"], "to": 0}),
        (Reveal(0), "deal.tiles", {"tiles": ["a"], "to": 0}),
    ],
)
def test_what_is_no_answer_is_refused(want: Want, kind: str, body: dict[str, Any]) -> None:
    """Another seat, another number of tiles, tiles that are not in the bag."""
    with pytest.raises(IllegalMove):
        fresh(want).take(turn(), kind, body)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3), st.lists, max_leaves=4)


@given(st.sampled_from(EVENTS), st.dictionaries(st.sampled_from(["seat", "tiles", "to", "seed"]), JSON))
def test_any_body_raises_only_what_is_documented(kind: str, body: dict[str, Any]) -> None:
    """At the opening, where a lot is to be drawn."""
    position = begin(BINARY_SCRABBLE, "", 2)[1]
    with suppress(Untrusted, IllegalMove):
        fold.step(position, event(position, kind, **body))


def test_a_seed_must_open_the_commitment() -> None:
    """Another seed at the end is against the rules."""
    with pytest.raises(IllegalMove, match="committed"):
        fresh().take(turn(), SEED_SHOWN, {"seed": bytes(32).hex()})
    shown = fresh().take(turn(), SEED_SHOWN, {"seed": SEED.hex()}).deal
    assert isinstance(shown, SeedDeal) and shown.shown == SEED


def test_several_keys_may_not_share_one_dealing_machine() -> None:
    """`seed/1` hides nothing from the machine that deals."""
    offer = begin(BINARY_SCRABBLE, "", 2)[0]
    with pytest.raises(Untrusted, match="one key"):
        replace(offer, seats=tuple(Seat(key.public, "x") for key in KEYS[:2]))


def test_event_0_names_the_dealing_or_says_nothing() -> None:
    """A field that games without chance never had; an unknown dealing needs a newer lantable."""
    offer = begin(BINARY_SCRABBLE, "", 2)[0]
    assert Offer.from_json(offer.as_json()) == offer
    assert "dealing" not in replace(offer, dealing=None).as_json()
    with pytest.raises(Untrusted, match="newer"):
        Offer.from_json({**offer.as_json(), "dealing": {"name": "egb9/1", "commit": "00" * 32}})


# -- a game with a bag


def dealt(options: str = "", seats: int = 2) -> Position:
    """A game of Binary Scrabble in which somebody is to move."""
    return settled(begin(BINARY_SCRABBLE, options, seats)[1])


def test_nobody_moves_while_something_is_wanted() -> None:
    """The dealer is due; then the seat on which the lot fell."""
    position = begin(BINARY_SCRABBLE, "", 3)[1]
    assert (position.due, position.mover, position.want) == (0, None, Toss((0, 1, 2)))
    with pytest.raises(IllegalMove, match="drawn before"):
        moved(position, "pass")
    position = settled(position)
    assert position.due == position.mover == position.state.turn and position.want is None


def test_whoever_resigns_before_the_deal_gets_no_tiles() -> None:
    """The lot falls on somebody else, and the bag keeps the tiles."""
    position = settled(resigned(begin(BINARY_SCRABBLE, "", 3)[1], 1))
    assert position.mover != 1 and position.state.racks[1] == ""
    assert position.deal is not None and position.deal.left == position.state.bag == 82


def test_after_the_end_the_seed_and_nothing_else() -> None:
    """The game is over only once it was shown."""
    position = fold.step(dealt(), event(dealt(), "stop", notices={}))
    assert position.outcome is None and position.due == 0
    for kind, body in (("move", {"move": "pass"}), ("resign", {"of": 0}), ("draw", {"notices": {}})):
        with pytest.raises(IllegalMove, match="over"):
            fold.step(position, event(position, kind, **body))
    over = settled(position)
    assert over.outcome is not None and over.outcome.how == "stopped by agreement" and over.due is None


def test_a_takeback_never_goes_past_a_draw() -> None:
    """A pass can be taken back; the lot, the racks and an exchange cannot."""
    position = moved(dealt(), "pass")
    again = fold.step(position, event(position, "takeback", notices={}, to=position.seq - 1))
    assert again.state == dealt().state
    swapped = settled(moved(dealt(), f"-{dealt().state.racks[dealt().state.turn][0]}"))
    for taken, to in ((dealt(), 0), (swapped, dealt().seq)):
        with pytest.raises(IllegalMove, match="drawn"):
            fold.step(taken, event(taken, "takeback", notices={}, to=to))


def test_a_dead_first_rack_is_dealt_again() -> None:
    """8.7, under seed/1: no first rack without `=` and blank."""
    for seed in range(20):
        state: State = Sitting("binary-scrabble", "redraw_dead_opening=yes", seed=seed).table.position.state
        assert all(set(rack) & set("=?") for rack in state.racks)


def test_tiles_are_conserved_after_every_event() -> None:
    """Board, racks and bag together hold what the bag held, through a whole game."""
    position: Position | None = Sitting("binary-scrabble", seed=3).robots("greedy").table.position
    while position is not None and isinstance(position.deal, SeedDeal):
        rules: Any = position.rules
        state: State = position.state
        swapping = [tile for want in state.wants if isinstance(want, Swap) for tile in want.tiles]
        tiles = Counter(rules.rules.tile_of[symbol] for symbol in state.board.squares if symbol != ".")
        for rack in (*state.racks, swapping):
            tiles.update(rack)
        assert tiles + Counter(dict(position.deal.bag)) == Counter(rules.bag())
        position = position.before


def test_a_view_hides_what_others_hold() -> None:
    """Racks, tiles to be swapped and the rack behind a play that may be challenged; nothing once the game is over."""
    sitting = Sitting("binary-scrabble", "validation=challenge_single", seed=5).robots("greedy", 1)
    position = sitting.table.position
    for seat in (None, 0, 1):
        view = position.rules.view(position.state, seat)
        assert [set(rack) == {HIDDEN} for rack in view.racks] == [seat != 0, seat != 1]
        assert (set(view.pending.rack) == {HIDDEN}) == (seat != view.pending.seat)
    swap = moved(dealt(), f"-{dealt().state.racks[dealt().state.turn][:2]}")
    hidden = swap.rules.view(swap.state, None).wants[0]
    assert hidden.tiles == (HIDDEN, HIDDEN)
    end = sitting.robots("easy").table.position
    assert end.rules.view(end.state, None) == end.state
