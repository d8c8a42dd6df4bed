"""Offers: one open of a kind, three of a kind in a game, and everybody closes each at the same event."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable.errors import LantableError, Misuse
from lantable.events import Notice, NoticeKind
from lantable_net.news import Agreed, OfferClosed, Offered
from lantable_net.offers import MOST, OFFERS, Closed, OpenOffer
from tests.games import key
from tests.mesh import Mesh


def game(people: int = 2, size: str = "2x2", moves: int = 0) -> Mesh:
    return Mesh(people).sit(f"size={size}").play(moves)


def closed(net: Mesh, who: int) -> list[tuple[Closed, int | None]]:
    return [(news.why, news.by) for news in net.told(who, OfferClosed)]


def answer(net: Mesh, who: int, offer: OpenOffer, *, agree: bool) -> None:
    net.act(who, lambda session: session.answer(offer, agree=agree))


def test_an_offer_is_told_once_and_answered_by_its_name() -> None:
    """It stands while its own seat moves on; whoever agrees grants it."""
    net = game(moves=1)
    offer = OpenOffer(1, "draw")
    net.wish(1, "draw")
    net.move()
    assert [news.offer for news in net.told(0, Offered)] == [offer]
    answer(net, 0, offer, agree=True)
    assert net.session(1).table.complete and closed(net, 0) == closed(net, 1) == [(Closed.GRANTED, None)]


def test_an_offer_is_declined() -> None:
    """Its seat is told by whom, does not sign it again, and may offer again."""
    net = game(moves=1)
    net.wish(1, "stop")
    answer(net, 0, OpenOffer(1, "stop"), agree=False)
    assert closed(net, 1) == [(Closed.DECLINED, 0)] and net.session(1).wishes() == {}
    net.wish(0, "stop")
    assert not net.session(0).table.complete
    answer(net, 1, OpenOffer(0, "stop"), agree=True)
    assert net.session(0).table.complete


def test_an_offer_is_withdrawn() -> None:
    """The other sees it go, and an answer that comes too late is refused in words."""
    net = game(moves=1)
    net.wish(1, "draw")
    net.act(1, lambda session: session.unwish("draw"))
    assert closed(net, 0) == [(Closed.WITHDRAWN, None)]
    with pytest.raises(Misuse, match="not open any more"):
        answer(net, 0, OpenOffer(1, "draw"), agree=True)


def test_playing_on_is_an_answer() -> None:
    """At the same event for everybody: the offer can surprise nobody later."""
    net = game(3, moves=1)
    net.wish(0, "draw")
    net.wish(2, "draw")
    assert not any(closed(net, who) for who in range(3))
    net.move()
    for who in range(3):
        assert closed(net, who) == [(Closed.PLAYED_ON, None)] and net.session(who).wishes() == {}
    net.wish(1, "draw")
    assert not net.session(0).table.complete


def test_one_of_a_kind_is_open() -> None:
    """Another kind may be; a second of the kind must wait for the answer, whoever makes it."""
    net = game(moves=3)
    net.wish(1, "takeback", 1)
    net.wish(1, "stop")
    for who, to in ((0, 2), (1, 2), (1, 1)):
        with pytest.raises(Misuse):
            net.wish(who, "takeback", to)
    assert {news.offer.kind for news in net.told(0, Offered)} == {"takeback", "stop"}


def test_three_of_a_kind_in_a_game() -> None:
    """Then no more: by one's own program, and by the other's if it comes all the same."""
    net = game(moves=1)
    for _ in range(MOST):
        net.wish(1, "draw")
        answer(net, 0, OpenOffer(1, "draw"), agree=False)
    with pytest.raises(Misuse, match="3 times"):
        net.wish(1, "draw")
    head = net.session(0).table.chain.last.h
    net.send(1, 0, Notice(game=net.game, head=head, seat=1, kind="draw").signed(key(1)))
    assert len(net.told(0, Offered)) == MOST and not net.session(0).offers.open


def test_offers_that_cross() -> None:
    """Equal ones are agreement; of different ones the lower seat's stands, for both."""
    net = game(moves=4)
    net.do(0, lambda node: node.act(net.game, lambda s: s.wish("takeback", 1)))
    net.do(1, lambda node: node.act(net.game, lambda s: s.wish("takeback", 2)))
    net.settle()
    for who in (0, 1):
        assert net.session(who).offers.open == {"takeback": OpenOffer(0, "takeback", 1)}
    assert closed(net, 1) == [(Closed.CROSSED, None)]
    answer(net, 1, OpenOffer(0, "takeback", 1), agree=True)
    assert net.session(0).table.chain.last.event.body["to"] == 1


def test_what_cannot_be_granted_is_not_asked() -> None:
    """A takeback to nowhere never reaches the other person."""
    net = game(moves=1)
    head = net.session(0).table.chain.last.h
    net.send(1, 0, Notice(game=net.game, head=head, seat=1, kind="takeback", to=7).signed(key(1)))
    assert not net.told(0, Offered) and not net.session(0).offers.open


def test_three_must_agree() -> None:
    """Each agreement is told; one no is enough to close it."""
    net = game(3, moves=1)
    net.wish(0, "stop")
    answer(net, 1, OpenOffer(0, "stop"), agree=True)
    assert [news.seat for news in net.told(2, Agreed)] == [1]
    answer(net, 2, OpenOffer(0, "stop"), agree=False)
    assert closed(net, 0) == closed(net, 1) == [(Closed.DECLINED, 2)]
    assert not net.session(0).table.complete


def test_an_open_offer_survives_a_new_connection_and_a_start_of_the_other() -> None:
    """It is signed for this head, and sent again to whoever comes."""
    net = game(moves=1)
    net.wish(1, "draw")
    net.restart(0)
    net.beat()
    assert net.session(0).offers.open == {"draw": OpenOffer(1, "draw")}
    answer(net, 0, OpenOffer(1, "draw"), agree=True)
    assert net.session(1).table.complete


DEEDS = st.tuples(st.integers(0, 2), st.sampled_from([*OFFERS, "yes", "no", "drop", "move"]), st.integers(0, 8))


@settings(max_examples=60)
@given(st.integers(2, 3), st.lists(DEEDS, max_size=25))
def test_everybody_sees_the_same_offers(people: int, acts: list[tuple[int, str, int]]) -> None:
    """Whatever people do, in whatever order: once all is delivered, the same offers are open for all."""
    net = game(people, size="3x3", moves=2)
    for who, what, to in acts:
        who %= people
        session: Any = net.session(who)
        offered: NoticeKind = OFFERS[to % len(OFFERS)]
        standing = session.offers.open.get(offered)
        try:
            if what == "move":
                net.move()
            elif what == "drop":
                net.act(who, lambda s, kind=offered: s.unwish(kind))  # type: ignore[misc]  # binds
            elif what in ("yes", "no"):
                if standing is not None:
                    answer(net, who, standing, agree=what == "yes")
            else:
                net.wish(who, what, to if what == "takeback" else None)  # type: ignore[arg-type]
        except LantableError:
            pass
        views = [net.session(other).offers.open for other in range(people)]
        assert all(view == views[0] for view in views)
        if net.session(0).table.complete:
            break
    assert len(net.records()) == 1
