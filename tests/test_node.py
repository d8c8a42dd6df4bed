"""Sitting down, the birth of a game, two connections to one person: what a node decides."""

from dataclasses import replace

import pytest

from lantable.errors import Misuse
from lantable.events import Notice, read_genesis
from lantable.keys import PrivateKey
from lantable_net import messages
from lantable_net.handshake import Peer
from lantable_net.messages import Accept, Decline, Head, Join, Proposal, Watch
from lantable_net.news import (
    Acknowledged,
    Began,
    Declined,
    Met,
    NeverBegan,
    Parted,
    SatDown,
    StoodUp,
    TablesChanged,
    Twice,
)
from tests.games import key
from tests.mesh import Mesh


@pytest.mark.parametrize("people", [2, 3, 4])
def test_a_table_fills_and_the_game_begins_everywhere(people: int) -> None:
    """Everyone holds the same event 0 with its K line; the host sits first."""
    net = Mesh(people).sit("size=1x1")
    assert len(net.records()) == 1
    assert all(net.session(who).table.chain.sealed for who in range(people))
    assert [seat.key for seat in net.session(0).table.chain.offer.seats] == [key(who).public for who in range(people)]


def test_a_whole_game_leaves_identical_files() -> None:
    """Two, three and four players: one record, complete everywhere."""
    for people in (2, 3, 4):
        net = Mesh(people).sit("size=2x2").play()
        assert len(net.records()) == 1
        assert all(net.session(who).everyone_has_it() for who in range(people))


def test_the_host_hears_who_sits_down_and_who_stands_up() -> None:
    """A guest who is gone before event 0 frees the seat, and the table is open again."""
    net = Mesh(3)
    info = net.info(seats=3)
    net.do(0, lambda n: n.host(info, bytes(32)))
    net.settle()
    net.do(1, lambda n: n.join(key(0).public, "oak-7"))
    net.settle()
    assert [news.free for news in net.told(0, SatDown)] == [1]
    net.cut(0, 1)
    assert len(net.told(0, StoodUp)) == 1
    assert net.nodes[0].hosting["oak-7"].info.taken == ("Ada",)


def test_tables_are_announced_to_everyone_connected() -> None:
    """A new table, a taken seat and a closed table reach the others."""
    net = Mesh(2)
    net.do(0, lambda n: n.host(net.info(seats=3), bytes(32)))
    net.settle()
    net.do(0, lambda n: n.close_table("oak-7"))
    net.settle()
    assert [len(news.tables) for news in net.told(1, TablesChanged)][-2:] == [1, 0]


def test_rules_that_are_not_as_here_are_declined_with_the_reason() -> None:
    """A digest that differs: the guest says no, the host hears why, the seat is free again."""
    net = Mesh(2)
    net.do(0, lambda n: n.host(net.info(), bytes(32)))
    net.settle()
    net.do(1, lambda n: n.join(key(0).public, "oak-7"))
    net.settle()
    assert "digest differs" in net.told(1, Declined)[0].reason
    assert "digest differs" in net.told(0, Declined)[0].reason
    assert not net.told(0, Began) and "oak-7" in net.nodes[0].hosting


def test_an_offer_nobody_asked_for_is_ignored() -> None:
    """Only a table one asked to sit at may make an offer."""
    net = Mesh(2).sit()
    offer = net.session(0).table.chain.offer
    before = len(net.seen[1])
    net.nodes[1]._asked.clear()
    net.send(0, 1, Proposal("elm-9", offer, {}))
    assert len(net.seen[1]) == before


@pytest.mark.parametrize("seats", ["swapped", "not me", "twice"])
def test_an_offer_must_hold_my_seat_once_and_the_hosts_first(seats: str) -> None:
    """The guest checks the seats before it gives a nonce."""
    net = Mesh(2)
    info = net.info()
    _, _, digest = net.host.rules(net.host.game(info.game), info.options)
    net.do(0, lambda n: n.host(info, digest))
    net.settle()
    net.do(1, lambda n: n.join(key(0).public, "oak-7"))
    other = Mesh(2).sit().session(0).table.chain.offer
    ada, bob = other.seats
    wrong = {"swapped": (bob, ada), "not me": (ada, replace(bob, name="Bobby")), "twice": (bob, bob)}[seats]
    net.send(0, 1, Proposal("oak-7", replace(other, seats=wrong), {}))
    assert net.told(1, Declined)


def test_a_nonce_serves_one_event_0() -> None:
    """After a restart in between the seat declines, and the host sets the game aside as never begun."""
    net = Mesh(2)
    info = net.info()
    _, _, digest = net.host.rules(net.host.game(info.game), info.options)
    net.do(0, lambda n: n.host(info, digest))
    net.settle()
    net.do(1, lambda n: n.join(key(0).public, "oak-7"))
    # Deliver up to the acceptance, then the guest's program dies before event 0 reaches it.
    while net.nodes[0].hosting:
        who, link, data = net._flying.popleft()
        net.do(who, lambda n, link=link, data=data: n.receive(link, data))  # type: ignore[misc]
    net._flying.clear()
    net.cut(0, 1)
    net.nodes[1] = net._node(1)
    net.connect(1, 0)
    assert net.told(0, NeverBegan)
    assert net.disks[0].aside and not net.disks[0].lines and not net.disks[1].lines


def test_the_genesis_holds_every_guests_own_nonce() -> None:
    """Each other key's nonce stands in event 0 under its lowest seat."""
    net = Mesh(3).sit()
    offer, nonces = read_genesis(net.session(0).table.chain.events[0].event.body)
    assert set(nonces) == {1, 2} and len({offer.nonce, *nonces.values()}) == 3


def test_a_lost_record_comes_back_from_the_others() -> None:
    """A home that lost the file of a game it acknowledged takes it up again from the K line's proof."""
    net = Mesh(2).sit("size=2x2").play(5)
    game = net.game
    net.cut(0, 1)
    net.disks[1].lines.clear()
    net.disks[1].marks.clear()
    net.nodes[1] = net._node(1)
    net.connect(1, 0)
    net.beat()
    net.beat()
    assert net.disks[1].lines[game] == net.disks[0].lines[game]
    net.play()
    assert len(net.records()) == 1


def test_a_game_on_disk_is_taken_up_when_somebody_speaks_of_it() -> None:
    """The other side resumes; this side needs no command of its own."""
    net = Mesh(2).sit("size=1x2").play(2)
    game = net.game
    net.cut(0, 1)
    net.nodes[1] = net._node(1)
    net.connect(0, 1)
    assert game in net.nodes[1].sessions
    net.play()
    assert len(net.records()) == 1


def test_the_same_key_from_another_folder_is_refused_while_the_first_is_here() -> None:
    """`home` tells two folders with one key apart."""
    net = Mesh(2)
    net.connect(1, 0, home=b"another folder.."[:16])
    assert any("another data folder" in reason for reason in net.closed)
    assert net.nodes[0].link_to(key(1).public) is not None
    (twice,) = net.told(0, Twice)
    assert twice.peer.key == key(1).public


def test_a_newer_connection_takes_over() -> None:
    """A restarted program dials again before the old connection is known to be dead."""
    net = Mesh(2).sit("size=1x2")
    net.connect(1, 0)
    net.connect(1, 0)
    net.play()
    assert len(net.records()) == 1
    assert len(net.nodes[0].links) == 1


def test_who_dials_at_once_keeps_the_smaller_keys_connection() -> None:
    """While neither has carried anything, both ends keep the same one of two."""
    net = Mesh(2, connected=False)
    smaller = 0 if key(0).public < key(1).public else 1
    larger = 1 - smaller
    node = net.nodes[larger]
    peer_of_smaller = net.nodes[smaller].identity
    peer = Peer(peer_of_smaller.key.public, peer_of_smaller.home, peer_of_smaller.name, 1, "w")
    node.link_up(1, peer, dialled=False, address=("a", 1))
    effects = node.link_up(2, peer, dialled=True, address=("a", 1))
    assert list(node.links) == [1]
    assert "stays" in getattr(effects[0], "reason", "")


def test_watching_shows_only_acknowledged_lines() -> None:
    """ "Lines without their K line go to seats only, never to spectators." """
    net = Mesh(3)
    net.sit("size=1x2", seats=2)
    net.do(2, lambda n: n.watch(key(0).public, "oak-7"))
    net.settle()
    assert net.told(2, Began)
    net.cut(0, 1)
    net.move()  # waits for seat 1's acknowledgement
    net.beat()
    assert net.session(0).table.chain.seq == 1
    assert net.session(2).table.chain.seq == 0
    net.connect(0, 1)
    net.play()
    assert len(net.records()) == 1
    assert net.told(2, Acknowledged)
    with pytest.raises(Misuse, match="watch"):
        net.act(2, lambda s: s.write("move", {"move": "a1r"}))


def test_a_table_that_may_not_be_watched_says_so() -> None:
    """`watch` of an unknown table, or one closed to onlookers, is declined."""
    net = Mesh(3)
    net.send(2, 0, Watch("oak-7"))
    assert "no such game" in net.told(2, Declined)[0].reason


def test_joining_what_is_full_or_gone_is_declined_in_words() -> None:
    """A late joiner hears why."""
    net = Mesh(3)
    net.send(2, 0, Join("elm-9"))
    assert "no such open table" in net.told(2, Declined)[0].reason
    net.do(0, lambda n: n.host(net.info(seats=2), bytes(32)))
    net.settle()
    net.nodes[0].hosting["oak-7"].guests.append(99)
    net.send(2, 0, Join("oak-7"))
    assert "all seats are taken" in net.told(2, Declined)[-1].reason


@pytest.mark.parametrize("frame", [b"", b"{}", b'{"m":"nonsense"}', b"[" * 50, b"\xff", b'{"e":1}', b'{"k":1}'])
def test_nonsense_costs_the_connection_and_nothing_else(frame: bytes) -> None:
    """A peer that sends what no honest peer sends loses the link; the game stands."""
    net = Mesh(2).sit("size=1x2").play(2)
    before = net.records()
    net.send(0, 1, frame)
    assert net.told(1, Parted) and not net.nodes[1].links
    assert net.records() == before
    net.connect(0, 1)
    net.play()
    assert len(net.records()) == 1


def test_messages_out_of_their_time_are_ignored() -> None:
    """An acceptance, a decline or a line of a game that does not exist change nothing."""
    net = Mesh(2)
    before = [len(seen) for seen in net.seen]
    net.send(0, 1, Accept(bytes(32), bytes(32)))
    net.send(0, 1, Head(bytes(16), messages.NOTHING, bytes(32), False))
    assert [len(seen) for seen in net.seen] == before
    net.send(0, 1, Mesh(2).sit().session(0).table.chain.events[0])
    assert "no longer hold the nonce" in net.told(0, Declined)[0].reason
    net.send(0, 1, Decline("oak-7", "no"))
    assert net.told(1, Declined)[0].reason == "no"


def test_a_key_with_no_seat_hears_of_no_other_persons_wish() -> None:
    """A wish comes from a seat: an onlooker's is ignored, and a seat that forges another's loses its link."""
    net = Mesh(3).sit("size=1x2", seats=2)
    net.do(2, lambda n: n.watch(key(0).public, "oak-7"))
    net.settle()
    head = net.session(0).table.chain.last.h
    stranger = PrivateKey(bytes(31) + b"\x07")
    forged = Notice(game=net.game, head=head, seat=0, kind="resign").signed(stranger)
    net.send(2, 0, forged)
    assert net.nodes[0].link_to(key(2).public) is not None
    net.send(1, 0, forged)
    assert net.nodes[0].link_to(key(1).public) is None
    assert net.session(0).table.position.withdrawn == ()


def test_people_are_told_who_comes_and_goes() -> None:
    """Met and Parted, once each."""
    net = Mesh(2)
    net.cut(0, 1)
    assert len(net.told(0, Met)) == len(net.told(0, Parted)) == 1
