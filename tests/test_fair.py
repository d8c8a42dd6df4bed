"""Fair dealing without a dealer: nobody sees another's tiles, nobody chooses, and the audit names who deviated."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from lantable.dealing import HIDDEN, egb1
from lantable.dealing.egb1 import Ciphertext
from lantable.dealing.fair import TOSS_COMMIT, TOSS_OPEN, FairDeal, FairDealing
from lantable.dealing.kinds import read_dealing
from lantable.errors import IllegalMove, Untrusted
from lantable.events import Continued
from lantable.table import Table
from lantable_net.again import rematch_of
from lantable_replays.audit import audit
from lantable_replays.cursor import Cursor
from tests.games import Sitting, make_host

SEATS = pytest.mark.parametrize("seats", [2, 3, 4])


def fair(options: str = "", seats: int = 2, seed: int = 1, **more: Any) -> Sitting:
    """A game of Binary Scrabble that all seats deal together, once somebody is to move."""
    return Sitting("binary-scrabble", options, seats, seed=seed, fair=True, **more)


def rack(sitting: Sitting, seat: int) -> str:
    """A rack as its own seat sees it."""
    return str(sitting.seen(seat).state.racks[seat])


def deal(sitting: Sitting) -> FairDeal:
    """How far the dealing has come."""
    found = sitting.table.position.deal
    assert isinstance(found, FairDeal)
    return found


@SEATS
def test_everybody_draws_a_rack_that_nobody_else_sees(seats: int) -> None:
    """The state that all compute holds hidden tiles; each seat sees its own, and all racks together fit the bag."""
    sitting = fair(seats=seats)
    assert [set(rack) for rack in sitting.table.position.state.racks] == [{HIDDEN}] * seats
    racks = [rack(sitting, seat) for seat in range(seats)]
    assert all(len(tiles) == 9 and HIDDEN not in tiles for tiles in racks)
    assert not Counter("".join(racks)) - Counter(sitting.table.position.rules.bag())  # type: ignore[attr-defined]
    for seat in range(seats):
        others = [tiles for at, tiles in enumerate(sitting.seen(seat).state.racks) if at != seat]
        assert others == [HIDDEN * 9] * (seats - 1)


@SEATS
def test_a_whole_game_is_good_at_all_three_levels(seats: int) -> None:
    """Played by computers, audited from the bytes alone."""
    sitting = fair("scoreless_limit=1", seats).robots("greedy")
    report = audit(sitting.data, make_host().rules_for)
    print(report.lines())
    assert (report.code, report.deal.verdict, report.complete) == (0, "good", True)
    assert sitting.table.position.outcome is not None


def test_an_exchange_tells_nobody_what_went_back() -> None:
    """Others learn how many; the seat sees its new tiles; the bag is shuffled again by all."""
    sitting = fair()
    mover = sitting.table.position.mover
    assert mover is not None
    before, slots = rack(sitting, mover), deal(sitting).hidden(mover)
    sitting.move(f"-{before[:3]}")
    written = [event.event for event in sitting.table.chain.events if event.event.type == "move"][-1]
    assert written.body["move"] == f"-{HIDDEN * 3}" and len(written.body["slots"]) == 3
    after = deal(sitting).hidden(mover)
    assert len(rack(sitting, mover)) == 9 and len(slots.keys() - after.keys()) == len(after.keys() - slots.keys()) == 3
    assert not Counter(before[3:]) - Counter(rack(sitting, mover))
    assert sitting.table.position.mover == 1 - mover and deal(sitting).left == 82


def test_a_play_shows_its_tiles_and_no_others() -> None:
    """What is laid leaves the rack of the state that all compute; what is left stays hidden."""
    sitting = fair().robots("greedy", 1)
    position = sitting.table.position.before
    laid = 100 - 18 - deal(sitting).left
    seat = next(s for s in (0, 1) if s != sitting.table.position.mover)
    assert laid >= 3 and sitting.table.position.state.racks[seat] == HIDDEN * 9
    assert position is not None and len(deal(sitting).seen) == laid


def test_a_takeback_never_goes_past_a_draw_or_an_opened_tile() -> None:
    """A pass can be taken back, nothing that showed a tile."""
    sitting = fair(seed=3)
    start = sitting.table.position
    sitting.move("pass")
    sitting.agree("takeback", start.seq)
    assert sitting.table.position.state == start.state
    sitting.robots("greedy", 1)
    with pytest.raises(IllegalMove, match="drawn"):
        sitting.agree("takeback", start.seq)


@pytest.mark.parametrize("moves", range(4))
def test_who_leaves_gives_its_secret_and_the_game_goes_on(moves: int) -> None:
    """3 players: its rack becomes public, its shares are computed by all, it writes nothing more."""
    sitting = fair("scoreless_limit=1", 3, seed=5).robots("greedy", moves)
    sitting.leave(1)
    assert HIDDEN not in sitting.table.position.state.racks[1] and 1 not in deal(sitting).present
    mover = sitting.table.position.mover
    assert mover is not None
    sitting.move(f"-{rack(sitting, mover)[:2]}")  # draws and a shuffle without it
    sitting.robots("greedy")
    assert 1 not in {event.event.seat for event in sitting.table.chain.events[-5:]}
    report = audit(sitting.data, make_host().rules_for)
    assert (report.code, report.deal.verdict) == (0, "good")


def test_who_resigns_still_deals_and_reveals() -> None:
    """Its tiles stay out of play, hidden until the end."""
    sitting = fair("", 3, seed=6).robots("greedy", 2).resign(2)
    assert set(sitting.table.position.state.racks[2]) == {HIDDEN}
    sitting.robots("greedy")
    assert HIDDEN not in sitting.table.position.state.racks[2]
    assert audit(sitting.data, make_host().rules_for).code == 0


def test_challenged_tiles_go_back_seen() -> None:
    """An illegal play that is taken back has shown its tiles: they are known from then on, also when exchanged."""
    sitting = fair("validation=challenge_single", seed=11)
    mover = sitting.table.position.mover
    assert mover is not None
    wrong = next(
        move
        for pair in ("11", "00", "10")
        for move in [f"8H {pair}"]
        if not Counter(pair) - Counter(rack(sitting, mover))
    )
    sitting.move(wrong)
    sitting.move("challenge")
    tiles = wrong.split()[1]
    assert not Counter(tiles) - Counter(sitting.table.position.state.racks[mover])
    sitting.move("pass")
    hidden = next(tile for tile, count in (Counter(rack(sitting, mover)) - Counter(tiles)).items() if count)
    sitting.move(f"-{tiles}{hidden}")
    written = [event.event for event in sitting.table.chain.events if event.event.type == "move"][-1]
    assert written.body["move"] == f"-{''.join(sorted(tiles + HIDDEN))}"
    sitting.agree("stop")
    assert audit(sitting.data, make_host().rules_for).code == 0


def test_who_starts_is_drawn_where_the_game_leaves_it_open() -> None:
    """Dots and Boxes: commitments, then openings, then the seat on which the lot fell moves first."""
    starts = set[int]()
    for seed in range(8):
        sitting = Sitting(options="size=1x1", fair=True, seed=seed)
        assert sitting.table.chain.seq == 4 and sitting.table.position.mover == sitting.table.position.tossed
        starts.add(sitting.table.position.mover or 0)
        sitting.play()
        assert audit(sitting.data, make_host().rules_for).code == 0
    assert starts == {0, 1}


def passed_on(offer: dict[str, Any]) -> dict[str, Any]:
    """An offer in which the first seat starts."""
    return {**offer, "dealing": {"lot": False, "name": "egb1/1"}}


@SEATS
def test_in_a_rematch_the_start_passes_on(seats: int) -> None:
    """The lot decides once: of the same players who goes on, whoever sat after the one that started starts."""
    sitting = fair("scoreless_limit=1", seats, change=passed_on)
    position = sitting.table.position
    assert (position.mover, position.tossed) == (0, 0)
    types = {signed.event.type for signed in sitting.table.chain.events}
    assert TOSS_COMMIT not in types and TOSS_OPEN not in types
    sitting.robots("easy")
    assert audit(sitting.data, make_host().rules_for).code == 0
    again = rematch_of(sitting.table)
    assert again.seats == (*range(1, seats), 0)
    assert again.info(sitting.table).dealing == FairDealing(lot=False)
    tossed = fair("scoreless_limit=1", seats).robots("easy")
    started = tossed.table.position.tossed or 0
    assert rematch_of(tossed.table).seats[0] == (started + 1) % seats
    assert rematch_of(tossed.table).info(tossed.table).dealing == FairDealing(lot=False)


def test_there_is_one_spelling_of_a_dealing() -> None:
    """The lot decides where nothing is said of it."""
    for dealing in (FairDealing(), FairDealing(lot=False)):
        assert read_dealing(dealing.as_json()) == dealing
    with pytest.raises(Untrusted):
        read_dealing({"lot": True, "name": "egb1/1"})


def test_a_replay_shows_the_racks_once_they_are_revealed() -> None:
    """At every event, as its seat saw it; before the end of a game it shows none."""
    sitting = fair("scoreless_limit=1", seed=2).robots("greedy", 2)
    playing, then = Cursor(sitting.data, make_host().rules_for), len(sitting.table.chain.events) - 1
    playing.seek(then)
    assert {HIDDEN} == set("".join(playing.position.state.racks))
    racks = [rack(sitting, seat) for seat in (0, 1)]
    sitting.robots("greedy")
    over = Cursor(sitting.data, make_host().rules_for)
    over.seek(then)
    assert list(over.position.state.racks) == racks


@pytest.mark.parametrize("dealt", range(3))
def test_stopped_in_an_exchange_its_seat_keeps_what_it_gave(dealt: int) -> None:
    """However far the exchange has come: at the end all tiles are seen, by others too."""
    sitting = fair(seed=3)
    mover = sitting.table.position.mover
    assert mover is not None
    before, deal_all, left = [rack(sitting, seat) for seat in (0, 1)], sitting.deal, iter(range(dealt))

    def deal_some() -> None:
        if next(left, None) is not None:
            deal_all()

    sitting.deal = deal_some  # type: ignore[method-assign]
    sitting.move(f"-{before[mover][:3]}")
    sitting.agree("stop")
    sitting.deal = deal_all  # type: ignore[method-assign]
    sitting.deal()
    over = Cursor(sitting.data, make_host().rules_for)
    over.seek(len(over) - 1)
    assert list(over.position.state.racks) == before
    assert audit(sitting.data, make_host().rules_for).code == 0


def test_another_game_goes_on_from_a_broken_off_one() -> None:
    """Board and scores of those who are left stay; "all tiles not on the board go into a new bag", drawn anew."""
    broken = fair("", 3, seed=4).robots("greedy", 4)
    position, last = broken.table.position, broken.table.chain.last
    going_on = Continued(broken.game, position.seq, last.h, position.rules.position(position.state), (0, 2))
    sitting = fair("", 2, change=lambda offer: {**offer, "from": going_on.as_json()})
    state, before = sitting.table.position.state, position.state
    assert (state.board, state.scores) == (before.board, (before.scores[0], before.scores[2]))
    assert state.turn == (0 if before.turn == 0 else 1)
    laid = sum(symbol != "." for symbol in state.board.squares)
    assert [len(rack(sitting, seat)) for seat in (0, 1)] == [9, 9]
    assert deal(sitting).left + 18 == len(deal(sitting).tiles) == 100 - laid
    report = audit(sitting.robots("greedy").data, make_host().rules_for)
    assert report.code == 0 and any("goes on from event" in note for note in report.notes)


@pytest.mark.parametrize("seats", [(0,), (0, 3), (1, 0)])
def test_nobody_goes_on_who_was_not_in_it(seats: tuple[int, ...]) -> None:
    """Two at least, and only seats of the other game."""
    state = fair("", 3, seed=4).table.position
    going_on = Continued(bytes(16), 1, bytes(32), state.rules.position(state.state), seats)
    with pytest.raises((IllegalMove, Untrusted)):
        state.rules.continued(  # type: ignore[attr-defined]
            going_on.position, Continued.from_json(going_on.as_json()).seats
        )


def test_only_what_was_made_here_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table checks every list and share but those that its own seats have just made, to the bit."""
    checked: list[str] = []

    def counting(name: str) -> None:
        check = getattr(egb1, name)

        def counted(*args: Any) -> None:
            checked.append(name)
            check(*args)

        monkeypatch.setattr(egb1, name, counted)

    counting("check_list")
    counting("check_share")
    mine = fair(seats=3)
    assert not checked  # all three sit at one table here
    Table.load(mine.lines, make_host().rules_for)
    assert Counter(checked) == {"check_list": 3, "check_share": 3 * 18}
    made = deal(mine).made
    checked.clear()
    seat = mine.table.position.mover
    assert seat is not None
    turn, listing, _, c1, share = next(each for each in made.shares if each[0].seat == seat)
    for at, of, what in (
        (replace(turn, prev=bytes(32)), listing, share),
        (turn, bytes(32), share),
        (turn, listing, replace(share, slot=share.slot + 1)),
    ):
        with pytest.raises(Untrusted, match="false"):
            deal(mine)._check_share(at, of, Ciphertext(c1, c1), what)
    with pytest.raises(Untrusted, match="false"):
        replace(deal(mine), keys={seat: mine.keys[0].public.raw})._check_share(turn, listing, Ciphertext(c1, c1), share)
    assert checked == ["check_share"] * 4
