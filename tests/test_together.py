"""Playing together, without a network: who may sit down, clocks that tick, words, being away, and once more."""

from dataclasses import replace

import pytest

from lantable.errors import Misuse
from lantable.events import Offer
from lantable_net.messages import MAX_CHAT, Chat, Join, Proposal, Rematch
from lantable_net.news import (
    Asked,
    AskedNoMore,
    Began,
    Declined,
    Played,
    RematchOff,
    RematchWished,
    Said,
    SatDown,
    TablesChanged,
    WentAway,
)
from tests.games import key
from tests.mesh import Mesh

# -- sitting down


def asking(people: int = 3, seats: int = 2) -> Mesh:
    """Ada's table, at which she is asked about everybody; all others ask for a seat."""
    net = Mesh(people)
    info = net.info(seats=seats)
    digest = net.host.rules(net.host.game(info.game), info.options)[2]
    net.do(0, lambda node: node.host(info, digest, ask=True))
    net.settle()
    for who in range(1, people):
        net.do(who, lambda node: node.join(key(0).public, info.name))
        net.settle()
    return net


def test_nobody_sits_down_unasked() -> None:
    """The host is asked about each key once, and whoever is let in sits down; the others hear that it is full."""
    net = asking()
    assert [asked.peer.name for asked in net.told(0, Asked)] == ["Bob", "Cyd"] and not net.told(0, SatDown)
    net.do(0, lambda node: node.admit("oak-7", key(2).public))
    net.settle()
    assert net.session(2).table.chain.seq == 0
    assert [declined.reason for declined in net.told(1, Declined)] == ["all seats are taken"]
    assert [gone.peer.name for gone in net.told(0, AskedNoMore)] == ["Bob"]


def test_somebody_is_turned_away() -> None:
    """They are told; asking again is answered at once and does not reach the person."""
    net = asking(2)
    net.do(0, lambda node: node.turn_away("oak-7", key(1).public))
    net.settle()
    net.do(1, lambda node: node.join(key(0).public, "oak-7"))
    net.settle()
    assert [declined.reason for declined in net.told(1, Declined)] == ["the host would rather not"] * 2
    assert len(net.told(0, Asked)) == 1 and not net.told(0, SatDown)


def test_an_answer_that_comes_too_late() -> None:
    """Whoever hung up does not ask any more; on coming back they ask anew, by themselves."""
    net = asking(2)
    net.cut(0, 1)
    assert len(net.told(0, AskedNoMore)) == 1
    with pytest.raises(Misuse, match="any more"):
        net.do(0, lambda node: node.admit("oak-7", key(1).public))
    net.connect(0, 1)
    assert len(net.told(0, Asked)) == 2


def test_whoever_was_let_in_is_not_asked_about_again() -> None:
    """At that table, also on another connection."""
    net = asking(2, seats=3)
    net.do(0, lambda node: node.admit("oak-7", key(1).public))
    net.cut(0, 1)
    net.connect(0, 1)
    assert len(net.told(0, Asked)) == 1 and len(net.told(0, SatDown)) == 2


def test_a_class_of_twenty() -> None:
    """Ten open tables on one network, nobody is asked anything: all sit down, and who comes too late hears it."""
    net = Mesh(20)
    info = net.info(seats=2)
    digest = net.host.rules(net.host.game(info.game), info.options)[2]
    for who in range(0, 20, 2):
        net.do(who, lambda node, who=who: node.host(replace(info, name=f"desk-{who}"), digest))  # type: ignore[misc]  # binds
    net.settle()
    for who in range(1, 20, 2):
        net.do(who, lambda node, who=who: node.join(key(who - 1).public, f"desk-{who - 1}"))  # type: ignore[misc]  # binds
    net.settle()
    net.send(19, 0, Join("desk-0"))
    assert all(len(net.told(who, Began)) == 1 and not net.told(who, Asked) for who in range(20))
    assert [declined.reason for declined in net.told(19, Declined)] == ["there is no such open table any more"]


# -- clocks


def test_a_clock_is_announced_and_agreed_to() -> None:
    """It stands in the table's line, in the offer, and so in event 0."""
    net = Mesh(2).sit(clock="10+5")
    (shown,) = [news.tables[0].clock for news in net.told(1, TablesChanged) if news.tables][:1]
    assert shown is not None and str(shown) == "10+5" and net.session(1).table.chain.offer.clock == shown


def test_another_clock_than_announced_is_declined() -> None:
    """As any other rule would be."""
    net = Mesh(2)
    info = net.info()
    digest = net.host.rules(net.host.game(info.game), info.options)[2]
    net.do(0, lambda node: node.host(info, digest))
    table = net.nodes[0].hosting["oak-7"]
    net.settle()
    table.info = replace(table.info, clock=net.info(clock=None).clock, options={"size": "2x2"})
    net.do(1, lambda node: node.join(key(0).public, "oak-7"))
    net.settle()
    assert net.told(0, Declined)[0].reason == "the rules are not those that were announced"


def test_a_turn_is_measured_by_whoever_has_it() -> None:
    """From the K line before it to the event; the others say what they measured, and refuse nothing."""
    net = Mesh(2).sit("size=2x2", clock="1")
    net.ticks = 7000
    assert [net.session(who).left(0) for who in (0, 1)] == [53_000, 53_000]
    net.move()
    clocks = net.session(1).table.position.clocks
    assert clocks is not None and clocks.left == (53_000, 60_000)
    assert [played.seen for played in net.told(1, Played)] == [7000]
    assert net.session(0).elapsed == 0


def test_another_measure_is_shown_and_not_refused() -> None:
    """A program started anew counts from when it could write; whoever waited sees the difference."""
    net = Mesh(2).sit("size=2x2", clock="1")
    net.ticks = 20_000
    net.restart(0)
    net.beat()
    net.ticks = 25_000
    net.move()
    (played,) = net.told(1, Played)
    assert played.seen == 25_000 and played.position.last is not None and played.position.last.body["used"] == 5000
    assert not net.session(1).stopped


def test_nobody_pays_for_the_acknowledgements_of_others() -> None:
    """While an event waits for its K line, no clock runs."""
    net = Mesh(2).sit("size=2x2", clock="1")
    net.cut(0, 1)
    net.do(0, lambda node: node.act(net.game, lambda s: s.write("move", {"move": "a1r"})))
    net.ticks = 50_000
    assert [net.session(0).left(seat) for seat in (0, 1)] == [60_000, 60_000]
    net.connect(0, 1)
    assert net.session(1).left(1) == 60_000


def test_running_out_of_time() -> None:
    """Its own program says so, and the record is complete and the same for both."""
    net = Mesh(2).sit("size=2x2", clock="30s")
    net.ticks = 30_001
    net.act(0, lambda session: session.write("flag", {}))
    for who in (0, 1):
        outcome = net.session(who).table.position.outcome
        assert outcome is not None and outcome.winners == (1,) and net.session(who).table.complete
    assert len(net.records()) == 1


def test_whoever_never_moves_only_pauses_the_game() -> None:
    """However late it is by the others' clocks, nothing is written for them."""
    net = Mesh(2).sit("size=2x2", clock="30s")
    net.ticks = 10**9
    net.beat()
    assert net.session(1).table.chain.seq == 0 and net.session(1).table.position.outcome is None


def test_what_others_want_is_timed_too() -> None:
    """A resignation that is written down in between says the time so far; the turn goes on."""
    net = Mesh(3).sit("size=2x2", clock="1")
    net.ticks = 4000
    net.wish(2, "resign")
    net.ticks = 9000
    net.move()
    used = [signed.event.body["used"] for signed in net.session(1).table.chain.events[1:]]
    assert used == [4000, 5000]


# -- words, and being away


def test_words_reach_the_players_of_a_game_and_nobody_else() -> None:
    """Never the record. To everybody connected, if no game is named."""
    net = Mesh(3).sit(seats=2)
    before = net.records()
    net.do(0, lambda node: node.say("nice one", net.game))
    net.do(1, lambda node: node.say("hello all"))
    net.settle()
    assert [(said.text, said.game) for said in net.told(1, Said)] == [("nice one", net.game)]
    assert [(said.text, said.game) for said in net.told(2, Said)] == [("hello all", None)]
    assert net.records() == before


@pytest.mark.parametrize("text", ["", "x" * (MAX_CHAT + 1)])
def test_words_have_a_measure(text: str) -> None:
    """Here in words to the person; a peer that sends more loses the connection, as for any bad message."""
    net = Mesh(2)
    with pytest.raises(Misuse):
        net.do(0, lambda node: node.say(text))
    net.send(0, 1, Chat("x" * (MAX_CHAT + 1)))
    assert not net.told(1, Said) and net.nodes[1].link_to(key(0).public) is None


def test_only_players_are_heard_in_a_game() -> None:
    """A spectator's words, or words in a game that is not here, go nowhere."""
    net = Mesh(3).sit(seats=2)
    net.send(2, 0, Chat("psst: a2d", net.game))
    net.send(2, 0, Chat("psst", bytes(16)))
    assert not net.told(0, Said)


def test_being_away_is_told_once_and_to_whoever_comes() -> None:
    """And coming back."""
    net = Mesh(3, connected=False)
    net.connect(0, 1)
    for away in (True, True):
        net.do(0, lambda node, away=away: node.go_away(away=away))  # type: ignore[misc]  # binds
    net.connect(0, 2)
    net.do(0, lambda node: node.go_away(away=False))
    net.settle()
    for who in (1, 2):
        assert [news.away for news in net.told(who, WentAway)] == [True, False]


# -- once more


def over(people: int = 2, clock: str = "") -> Mesh:
    return Mesh(people).sit(clock=clock).play()


def offers(net: Mesh, who: int) -> list[Offer]:
    return [news.offer for news in net.told(who, Began)]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_rematch_moves_the_seats_on(order: tuple[int, int]) -> None:
    """Whoever asks first: the same rules and clock, a new record, the second seat begins; the old record stays."""
    net = over(clock="10+5")
    game, before = net.game, net.records()
    for who in order:
        net.do(who, lambda node: node.rematch(game))
        net.settle()
    assert len(net.told(order[1], RematchWished)) == 1
    old, new = offers(net, 0)
    assert [seat.name for seat in new.seats] == ["Bob", "Ada"]
    assert (new.options, new.digest, new.clock) == (old.options, old.digest, old.clock) and new.nonce != old.nonce
    assert offers(net, 1) == [old, new] and net.records() == before
    assert all(len(disk.lines) == 2 for disk in net.disks)
    again = next(g for g in net.nodes[1].sessions if g != game)
    assert net.nodes[1].sessions[again].my_turn


def test_two_that_ask_at_once() -> None:
    """One new game, not two."""
    net = over()
    for who in (0, 1):
        net.do(who, lambda node: node.rematch(net.game))
    net.settle()
    assert [len(node.sessions) for node in net.nodes] == [2, 2]


def test_a_rematch_of_three_needs_all() -> None:
    """And then goes round: the third begins the third game."""
    net = over(3)
    for who in (0, 2):
        net.do(who, lambda node: node.rematch(net.game))
        net.settle()
    assert len(offers(net, 0)) == 1
    net.do(1, lambda node: node.rematch(net.game))
    net.settle()
    assert [seat.name for seat in offers(net, 2)[-1].seats] == ["Bob", "Cyd", "Ada"]


def test_a_rematch_is_declined() -> None:
    """The other is told, nobody waits, and it may be asked again."""
    net = over()
    net.do(0, lambda node: node.rematch(net.game))
    net.settle()
    net.do(1, lambda node: node.no_rematch(net.game))
    net.settle()
    assert [news.peer.name for news in net.told(0, RematchOff)] == ["Bob"]
    for who in (0, 1):
        net.do(who, lambda node: node.rematch(net.game))
        net.settle()
    assert len(offers(net, 0)) == 2


def test_whoever_leaves_wants_no_rematch() -> None:
    """A wish ends with the connection, and nobody can be asked who is not there."""
    net = over()
    net.do(1, lambda node: node.rematch(net.game))
    net.settle()
    net.cut(0, 1)
    assert len(net.told(0, RematchOff)) == 1
    with pytest.raises(Misuse, match="not connected"):
        net.do(0, lambda node: node.rematch(net.game))


def test_a_game_that_goes_on_has_no_rematch() -> None:
    """Nor has one of others."""
    net = Mesh(2).sit()
    with pytest.raises(Misuse, match="over"):
        net.do(0, lambda node: node.rematch(net.game))
    net.send(1, 0, Rematch(net.game))
    net.play()
    net.do(0, lambda node: node.rematch(net.game))
    net.settle()
    assert len(offers(net, 0)) == 1


def test_a_rematch_with_other_seats_or_rules_is_declined() -> None:
    """What the host offers then is judged as any offer is."""
    net = over()
    net.do(0, lambda node: node.rematch(net.game))
    net.settle()
    (name,) = [name for _, name in net.nodes[0]._asked]
    right = replace(net.session(0).table.chain.offer, nonce=bytes(32))
    seats = (right.seats[1], right.seats[0])
    for offer in (replace(right, seats=seats, options={"size": "2x2"}), right):
        net.send(1, 0, Proposal(name, offer, {}))
        assert net.told(0, Declined)[-1].what == name
    assert len(offers(net, 0)) == 1
