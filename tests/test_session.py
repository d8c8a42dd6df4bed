"""One game among its seats: wishes, forks, refusals, catching up after a start, and what may never be signed twice."""

from dataclasses import replace

import pytest

from lantable.errors import IllegalMove, Misuse
from lantable.events import Ack, Event, Signed, sign
from lantable_net.mark import Mark
from lantable_net.messages import Head, Proof, write
from lantable_net.news import Agreed, Forked, Offered, Played, Refused, Settled, Stuck
from lantable_net.node import Stored
from lantable_net.offers import OpenOffer
from tests.games import key
from tests.mesh import Mesh


def game(people: int = 2, size: str = "1x2", moves: int = 0) -> Mesh:
    """So many people some moves into a game."""
    return Mesh(people).sit(f"size={size}").play(moves)


def signed_by(net: Mesh, who: int, move: str, *, seat: int | None = None, t: int = 5) -> Signed:
    """A move that the key of `who` signs as the next event, whatever the rules say."""
    chain = net.session(who).table.chain
    event = Event(
        game=chain.game,
        prev=chain.next_prev(),
        seat=who if seat is None else seat,
        seq=chain.seq + 1,
        t=t,
        type="move",
        body={"move": move},
    )
    return sign(event, key(who))


def last_types(net: Mesh) -> list[str]:
    return [event.event.type for event in net.session(0).table.chain.events[-2:]]


# -- wishes


def test_resigning_on_turn_is_written_at_once() -> None:
    """ "without when it is its own" """
    net = game()
    net.wish(0, "resign")
    assert net.session(1).table.position.withdrawn == ((0, "resigned"),)
    assert net.session(1).table.complete and len(net.records()) == 1


def test_anothers_resignation_is_written_by_whoever_is_due() -> None:
    """ "written at once by whoever is due to write next" """
    net = game()
    net.wish(1, "resign")
    assert last_types(net)[-1] == "resign"
    assert net.session(0).table.position.outcome is not None
    assert len(net.records()) == 1


def test_a_wish_stands_until_its_seat_can_be_served() -> None:
    """Said while the mover is away, signed anew for each head, written when the mover is back."""
    net = game(moves=1)
    net.cut(0, 1)
    mover = next(who for who in (0, 1) if net.session(who).table.position.due == who)
    net.wish(1 - mover, "resign")
    assert net.session(0).table.position.outcome is None
    net.connect(0, 1)
    assert net.session(0).table.position.withdrawn == ((1 - mover, "resigned"),)


@pytest.mark.parametrize("kind", ["draw", "stop"])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_a_draw_or_a_stop_needs_everyone(kind: str, order: tuple[int, ...]) -> None:
    """In any order of agreeing; the seat to move writes it down with the notices of all others."""
    net = game(3)
    for who in order[:2]:
        net.wish(who, kind)  # type: ignore[arg-type]
        assert net.session(0).table.position.outcome is None
    net.wish(order[2], kind)  # type: ignore[arg-type]
    assert net.session(1).table.complete and last_types(net)[-1] == kind
    assert [offered.offer for offered in net.told(order[2], Offered)] == [OpenOffer(order[0], kind)]  # type: ignore[arg-type]
    assert [agreed.seat for agreed in net.told(order[2], Agreed)] == [order[1]]


def test_a_takeback_by_consent_brings_the_earlier_state_back() -> None:
    """Both name the same event; the chain goes on, the state stands again."""
    net = game(moves=4)
    before = net.session(0).table.position.back_to(2).state
    net.wish(0, "takeback", 2)
    with pytest.raises(Misuse, match="answer it first"):
        net.wish(1, "takeback", 1)
    assert net.session(0).table.chain.seq == 4
    net.wish(1, "takeback", 2)
    assert net.session(0).table.chain.seq == 5
    assert net.session(1).table.position.state == before
    net.play()
    assert len(net.records()) == 1


def test_a_dropped_wish_is_not_signed_again() -> None:
    """`unwish`: what was signed for this head still counts, the next head is free of it."""
    net = game(size="2x2")
    net.wish(0, "draw")
    net.act(0, lambda session: session.unwish("draw"))
    net.play(1)
    net.wish(1, "draw")
    assert net.session(0).table.position.outcome is None


def test_leaving_a_game_of_three_goes_on_without_waiting() -> None:
    """ "from that event on its acks are neither awaited nor written into K lines" """
    net = game(3, "1x3", moves=1)
    net.wish(2, "leave")
    assert net.session(0).table.position.withdrawn == ((2, "left"),)
    net.cut(0, 2)
    net.cut(1, 2)
    net.play()
    assert net.session(0).table.complete and net.session(1).table.complete
    assert all(2 not in seal.sigs for seal in net.session(0).table.chain.seals[-3:])
    net.connect(0, 2)
    net.connect(1, 2)
    net.beat()
    assert len(net.records()) == 1


def test_who_said_that_it_has_the_whole_game_has_it() -> None:
    """Also if a newer connection ends before anything was said there: nobody waits for what will not come."""
    net = game().play()
    assert net.session(0).everyone_has_it() and net.session(1).everyone_has_it()
    net.do(0, lambda n: n.link_up(99, net.nodes[0].links[1].peer, dialled=True, address=("10.0.0.1", 4471)))
    net.do(0, lambda n: n.link_down(99))
    assert net.session(0).everyone_has_it()


def test_whoever_left_is_shown_the_game_to_its_end_by_anybody() -> None:
    """ "it is served like a spectator": every event as soon as it stands, by either of the others, and none waits."""
    net = game(3, "1x3", moves=1)
    net.wish(2, "leave")
    net.cut(1, 2)
    while net.session(0).table.position.outcome is None:
        net.move()
        assert net.session(2).table.chain.lines() == net.session(0).table.chain.lines()
    assert net.session(2).everyone_has_it()


def test_with_two_players_leaving_is_not_written() -> None:
    """The rules say resign; an odd wish of another stops nobody's own move."""
    net = game()
    net.wish(1, "leave")
    net.play()
    assert net.session(0).table.complete


# -- what the local person may not do


def test_a_move_out_of_turn_or_against_the_rules_changes_nothing() -> None:
    """My own move is judged exactly as anybody's."""
    net = game()
    with pytest.raises(IllegalMove, match="turn"):
        net.act(1, lambda s: s.write("move", {"move": "a1r"}))
    net.move("a1r")
    with pytest.raises(IllegalMove):
        net.act(1, lambda s: s.write("move", {"move": "a1r"}))
    with pytest.raises(IllegalMove):
        net.act(1, lambda s: s.write("move", {"move": "A2R"}))
    assert net.session(0).table.chain.seq == 1


def test_the_next_event_waits_for_the_k_line() -> None:
    """ "Event n+1 is accepted only with the K line of n." """
    net = game(size="2x2")
    net.cut(0, 1)
    net.act(0, lambda s: s.write("move", {"move": "a1r"}))
    with pytest.raises(IllegalMove, match="acknowledged"):
        net.session(0).table.draft("move", {"move": "b1r"}, 0)
    assert net.session(1).table.chain.seq == 0


# -- forks


def fork(net: Mesh, who: int) -> tuple[Signed, Signed]:
    position = net.session(who).table.position
    moves = list(position.rules.legal(position.state, who))
    return signed_by(net, who, moves[0]), signed_by(net, who, moves[1])


def test_two_events_under_one_number_reach_everyone_as_a_proof() -> None:
    """Equivocation: a different event 1 to B and to C; both end with the proof file."""
    net = game(3)
    one, other = fork(net, 0)
    net.send(0, 1, one)
    net.send(0, 2, other)
    net.beat()
    for who in (1, 2):
        assert net.told(who, Forked)[0].proof.seat == 0
        assert [kind for kind, _ in net.disks[who].kept] == ["proof"]
        assert net.session(who).stopped
        with pytest.raises(Misuse, match="stopped"):
            net.act(who, lambda s: s.write("move", {"move": "b1r"}))


def test_two_acknowledgements_of_one_event_are_a_proof() -> None:
    """ "even over one hash" """
    net = game(3, moves=1)
    event = net.session(1).table.chain.last
    good = Ack.make(event, 1, key(1))
    # Ed25519 as signed here is deterministic; a dishonest key holder can still sign again with another nonce.
    other = _second_signature(event)
    assert good.sig != other.sig and other.by(key(1).public)
    net.send(1, 0, other)
    net.beat()
    assert net.told(0, Forked)[0].proof.seat == 1
    assert net.told(2, Forked)


def _second_signature(event: Signed) -> Ack:
    """Another valid acknowledgement by key 1, made with a nonce of its own (RFC 8032, 5.1.6, with r at will)."""
    import hashlib

    import nacl.bindings as sodium

    from lantable.keys import ACK

    secret = key(1)
    digest = bytearray(hashlib.sha512(secret.seed).digest()[:32])
    digest[0] &= 248
    digest[31] = (digest[31] & 127) | 64
    order = 2**252 + 27742317777372353535851937790883648493
    made = Ack.make(event, 1, secret)
    message = ACK + Ack.message(made.game, made.seq, made.sha)
    r = (12345).to_bytes(32, "little")
    big_r = sodium.crypto_scalarmult_ed25519_base_noclamp(r)
    k = int.from_bytes(hashlib.sha512(big_r + secret.public.raw + message).digest(), "little")
    s = (12345 + k * int.from_bytes(digest, "little")) % order
    return replace(made, sig=big_r + s.to_bytes(32, "little"))


def test_a_proof_survives_a_restart_and_reaches_late_comers() -> None:
    """A stopped game stays stopped, and whoever connects later hears why."""
    net = game(3)
    one, other = fork(net, 0)
    net.cut(1, 2)
    net.send(0, 1, one)
    net.send(0, 1, other)
    assert net.session(1).stopped
    net.cut(0, 2)
    net.connect(1, 2)
    assert net.told(2, Forked)


def test_a_false_proof_costs_its_sender_the_link() -> None:
    """A proof is checked from the ground up."""
    net = game(3, moves=2)
    line = net.session(0).table.chain.events[1].line.decode()
    net.send(2, 1, Proof(net.game, {"seat": 0, "seq": 1, "lines": [line, line], "acks": []}))
    assert not net.session(1).stopped
    assert net.nodes[1].link_to(key(2).public) is None


def test_a_head_with_another_hash_is_answered_with_my_line() -> None:
    """So that both sides can find where their histories part."""
    net = game(moves=2)
    chain = net.session(1).table.chain
    net.send(0, 1, Head(net.game, 1, bytes(32), True))
    assert not net.session(1).stopped and chain.seq == 2


# -- refusals


@pytest.mark.parametrize(
    ("move", "seat"), [("a1r", 1), ("zz", 1), ("A2R", 1), ("a2r", 0)], ids=["drawn", "nonsense", "spelling", "seat"]
)
def test_an_illegal_event_is_refused_under_signature_and_ends_the_game(move: str, seat: int) -> None:
    """ "seat 1 refuses event n: <rule>": kept with the refused line; the state does not change."""
    net = game(3, moves=1)
    state = net.session(0).table.position.state
    author = 1 if seat == 1 else 0
    event = signed_by(net, author, move, seat=seat)
    net.send(author, 2, event)
    net.beat()
    assert net.told(2, Refused)[0].nack.seq == 2
    assert net.session(2).table.position.state == state and net.session(2).stopped
    assert [kind for kind, _ in net.disks[2].kept] == ["refused"]


def test_an_event_that_others_refuse_stops_also_those_who_would_take_it() -> None:
    """A refusal may come before the event it speaks of; it ends the game all the same."""
    net = game(3, moves=1)
    event = signed_by(net, 1, "a1r")
    net.send(1, 2, event)
    assert net.session(2).stopped
    net.beat()
    assert all(net.session(who).stopped or not net.session(who).table.complete for who in (0, 1))


def test_a_signature_by_nobody_costs_the_link_only() -> None:
    """Without the author's own signature it is not the author's deed."""
    net = game(moves=1)
    event = signed_by(net, 0, "b1r", seat=1)
    net.send(0, 1, event)
    assert not net.session(1).stopped and net.nodes[1].link_to(key(0).public) is None


# -- starting again


def test_after_a_start_nothing_is_signed_before_everyone_was_heard() -> None:
    """The gate: a HEAD of every other seat, each on the newest connection."""
    net = game(3, "1x3", moves=2)
    net.cut(0, 1)
    net.cut(0, 2)
    mover = net.session(1).table.position.due
    assert mover is not None
    net.restart(mover)
    assert net.told(mover, Settled)
    for other in range(3):
        if other != mover:
            net.cut(mover, other)
    stored = net.disks[mover].stored(net.game)
    assert stored is not None
    net.nodes[mover] = net._node(mover)
    net.do(mover, lambda n: n.resume(stored))
    assert net.session(mover).unheard()
    with pytest.raises(Misuse, match="still waiting to hear"):
        net.act(mover, lambda s: s.write("move", {"move": "a1r"}))


@pytest.mark.parametrize("lines", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("mark", [True, False])
def test_a_restored_record_catches_up_and_signs_nothing_twice(lines: int, mark: bool) -> None:
    """A backup from any moment, with the mark of now or without one."""
    net = game(moves=3)
    net.restart(1, lines=lines, mark=mark)
    net.play()
    assert len(net.records()) == 1
    assert not any(net.disks[who].kept for who in (0, 1))


def test_a_marked_event_that_no_copy_holds_is_published_as_it_stands() -> None:
    """ "appended as it stands, never rebuilt" """
    net = game(size="2x2", moves=2)
    net.cut(0, 1)
    mover = net.session(0).table.position.due
    assert mover is not None
    net.act(mover, lambda s: s.write("move", {"move": next(iter(_legal(net)))}))
    line = net.disks[mover].lines[net.game][-1]
    net.restart(mover, lines=-1)
    assert net.disks[1 - mover].lines[net.game][5 + 1] == line or line in net.disks[1 - mover].lines[net.game]
    net.play()
    assert len(net.records()) == 1


def _legal(net: Mesh) -> list[str]:
    position = net.session(0).table.position
    assert position.due is not None
    return list(position.rules.legal(position.state, position.due))


def test_a_mark_of_what_is_not_at_hand_forbids_another_signature() -> None:
    """The record is older than the mark, and nobody else has what was signed: better stuck than signed twice."""
    net = game(moves=2)
    session = net.session(0)
    other = replace(session.table.chain.last, h=bytes(32))
    stored = net.disks[0].stored(net.game)
    assert stored is not None
    mark = Mark(session.table.chain.seq + 1, other.h)
    net.cut(0, 1)
    net.nodes[0] = net._node(0)
    net.do(0, lambda n: n.resume(Stored(stored.lines, mark.write())))
    net.connect(0, 1)
    assert not net.session(0).my_turn
    mover = net.session(1).table.position.due
    if mover == 1:
        net.move()
        assert net.told(0, Stuck)


def test_the_mark_round_trips() -> None:
    """What stands beside the key reads back as it was."""
    net = game(moves=1)
    event = net.session(0).table.chain.last
    for author in (True, False):
        mark = Mark.of(event, author=author)
        assert Mark.read(mark.write()) == mark
        assert mark.allows(event.event.seq, event.h) and not mark.allows(event.event.seq, bytes(32))


def test_everything_delivered_twice_changes_nothing() -> None:
    """Resync duplicates whatever it likes."""
    net = game(3, "1x2", moves=4)
    before = net.records()
    for line in net.session(0).table.chain.lines():
        for other in (1, 2):
            net.send(0, other, line)
    assert net.records() == before


def test_a_late_copy_is_served_in_batches() -> None:
    """A long game comes whole to an empty copy, however many answers it takes."""
    net = game(size="4x4", moves=30)
    net.restart(1, lines=2)
    assert len(net.records()) == 1
    assert len(net.told(1, Played)) >= 30


def test_a_frame_is_the_line_itself() -> None:
    """ "A `line` frame is the record line itself, raw, without envelope." """
    net = game(moves=1)
    chain = net.session(0).table.chain
    assert write(chain.last) == chain.last.line == net.disks[1].lines[net.game][-2]
    assert write(chain.seals[-1]) == net.disks[1].lines[net.game][-1]
