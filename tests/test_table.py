"""A table: the chain of its lines + the position they lead to. A line is accepted here or nowhere."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable.canonical import Json
from lantable.errors import IllegalMove, PluginFault, UnknownRules, Untrusted
from lantable.events import Ack, Offer, read_event, read_seal, sign
from lantable.game import Rules
from lantable.keys import ACK
from lantable.table import Table
from tests import toy
from tests.games import Sitting, key, make_host


def sitting(seats: int = 2, **more: Any) -> Sitting:
    """A short game of Count To."""
    return Sitting("count-to", "short", seats, **more)


def load(lines: list[bytes]) -> Table:
    """A table from a record, with the plugins of the tests."""
    return Table.load(lines, make_host().rules_for)


@settings(max_examples=20)
@given(seats=st.integers(2, 4), seed=st.integers(0, 999), shared=st.booleans())
def test_a_loaded_table_equals_the_live_one(seats: int, seed: int, shared: bool) -> None:
    """Same lines, same position, same verdict that it is complete; resuming goes on from there."""
    live = sitting(seats, seed=seed, shared_keys=shared)
    for _ in range(20):
        loaded = load(live.lines)
        assert loaded.position == live.table.position and loaded.chain.lines() == live.lines
        assert loaded.complete == live.table.complete
        if live.table.complete:
            return
        live.play(1)
    pytest.fail("a short game ends")


def test_judging_changes_nothing() -> None:
    """What an event would lead to is a question; taking it is another."""
    game = sitting()
    signed = game.draft("move", {"move": "2"})
    before = (game.lines, game.table.position)
    after = game.table.judge(signed)
    assert (game.lines, game.table.position) == before and after.state.total == 2
    game.table.add(signed, after)
    assert game.table.position == after and not game.table.complete


@pytest.mark.parametrize("refuse", ["chain", "rules"])
def test_a_refused_line_leaves_the_table_as_it_was(refuse: str) -> None:
    """Whether the chain or the rules said no."""
    game = sitting()
    bad = {
        "chain": sign(replace(game.draft("move", {"move": "2"}).event, seq=5), key(0)),
        "rules": game.draft("move", {"move": "9"}),
    }[refuse]
    before = (game.lines, game.table.position)
    with pytest.raises((Untrusted, IllegalMove)):
        game.table.accept(bad.line)
    assert (game.lines, game.table.position) == before


@given(line=st.binary(max_size=120))
def test_any_line_raises_only_untrusted(line: bytes) -> None:
    """Bytes at either place of a record, whatever they begin with."""
    table = load(sitting().lines)
    for data in (line, b'{"k"' + line, b'{"e"' + line):
        with pytest.raises(Untrusted):
            table.accept(data)
    with pytest.raises(Untrusted):
        load([line])


def test_a_record_without_a_line_is_refused() -> None:
    """An empty file holds no game."""
    with pytest.raises(Untrusted, match="without a line"):
        load([])


def test_lines_come_in_turn() -> None:
    """An event and its K line; the same line again, or the other kind, is refused."""
    lines = sitting().play(1).lines
    table = load(lines[:3])
    for wrong in (lines[2], lines[1], lines[0]):
        with pytest.raises(Untrusted, match="chain"):
            table.accept(wrong)
    table.accept(lines[3])
    with pytest.raises(Untrusted, match="chain"):
        table.accept(lines[3])


# -- acknowledgements


def waiting(seats: int = 3) -> Table:
    """A table whose event 1, by seat 0, waits for its K line."""
    game = sitting(seats)
    signed = game.draft("move", {"move": "1"})
    game.table.add(signed, game.table.judge(signed))
    return game.table


def test_the_k_line_is_ready_when_everyone_acknowledged() -> None:
    """In any order, each as often as it comes."""
    table = waiting()
    acks = [Ack.make(table.chain.last, seat, key(seat)) for seat in (2, 1)]
    assert table.take_ack(acks[0]) and table.take_ack(acks[0]) and table.ready_seal() is None
    assert table.take_ack(acks[1])
    seal = table.ready_seal()
    assert seal is not None and list(read_seal(seal.line).sigs) == [1, 2]
    table.seal(seal)
    assert table.acks == {} and table.ready_seal() is None
    assert not table.take_ack(acks[1]), "nothing is awaited any more"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda ack: replace(ack, game=b"g" * 16),
        lambda ack: replace(ack, seq=2),
        lambda ack: replace(ack, sha=bytes(32)),
        lambda ack: replace(ack, sha=bytes(32), sig=key(1).sign(ACK, Ack.message(ack.game, ack.seq, bytes(32)))),
        lambda ack: replace(ack, sig=bytes(64)),
        lambda ack: replace(ack, seat=0),
        lambda ack: replace(ack, seat=2),
        lambda ack: replace(ack, seat=3),
    ],
)
def test_a_bad_acknowledgement_is_not_taken(spoil: Callable[[Ack], Ack]) -> None:
    """Another game, number or line (well signed or not), a wrong signature, the author's seat, another's, or none."""
    table = waiting()
    assert not table.take_ack(spoil(Ack.make(table.chain.last, 1, key(1))))
    assert table.acks == {}


def test_one_machine_seals_each_event_once() -> None:
    """Nothing is awaited, so the K line is ready at once; and it is not ready again when it is there."""
    game = sitting(3, shared_keys=True)
    assert game.table.ready_seal() is None
    signed = game.draft("move", {"move": "1"})
    game.table.add(signed, game.table.judge(signed))
    seal = game.table.ready_seal()
    assert seal is not None and seal.sigs == {}
    game.table.seal(seal)
    assert game.table.ready_seal() is None


# -- drafting


def test_a_draft_is_the_next_line() -> None:
    """By whoever is due, fit to be signed and accepted."""
    game = sitting(3).play(1)
    draft = game.table.draft("move", {"move": "1"}, t=5)
    assert (draft.seat, draft.seq, draft.t, draft.game) == (1, 2, 5, game.game)
    game.table.accept(sign(draft, key(1)).line)


def test_nothing_is_drafted_out_of_turn() -> None:
    """Not before the last event is acknowledged, and not after the end."""
    with pytest.raises(IllegalMove, match="not yet acknowledged"):
        waiting().draft("move", {"move": "1"}, 0)
    with pytest.raises(IllegalMove, match="over"):
        sitting().play().table.draft("move", {"move": "1"}, 0)


# -- how a game ends


def test_a_game_is_complete_with_the_last_k_line() -> None:
    """Not when play is over: a withheld last acknowledgement leaves the game unfinished."""
    lines = sitting().play().lines
    table = load(lines[:-1])
    assert table.position.outcome is not None and not table.complete
    table.accept(lines[-1])
    assert table.complete


# -- whose rules


def test_a_table_is_begun_only_under_rules_that_are_known() -> None:
    """The acknowledgement of event 0 means "I play under exactly these rules\""""
    lines = sitting().lines
    with pytest.raises(UnknownRules, match="not installed"):
        Table.begin(lines[0], _no_game)
    assert Table.begin(lines[0], make_host().rules_for).position.seq == 0


def _no_game(offer: Offer) -> Rules[Any]:
    raise UnknownRules(f"the game {offer.game!r} is not installed here")


def test_rules_that_cannot_begin_are_the_plugins_fault() -> None:
    """A table is not made of half a game."""
    with pytest.raises(PluginFault):
        Table.begin(sitting().lines[0], lambda _: object())  # type: ignore[arg-type,return-value]  # a plugin without types


@dataclass(frozen=True, slots=True)
class Liar(toy.CountTo):
    """Rules that allow greater steps than they describe, so that their digest is the honest one."""

    def describe(self) -> Json:
        return toy.CountTo(self.target).describe()


def test_a_plugin_that_lies_about_its_rules_is_found_out() -> None:
    """The digest fits and event 0 is acknowledged; the first move that only the liar allows is refused."""
    honest = Sitting("count-to", "target=20").table
    liar = make_host()
    liar.games["count-to"] = replace(toy.COUNT_TO, make=lambda *_: Liar(20, step=5))
    lying = Table.load(honest.chain.lines(), liar.rules_for)
    signed = sign(lying.draft("move", {"move": "5"}, 0), key(0))
    assert lying.judge(signed).state.total == 5
    with pytest.raises(IllegalMove, match="not one of the steps"):
        honest.judge(signed)


def test_a_hostile_peer_never_changes_a_position() -> None:
    """Every kind of bad line against one table, which then goes on as if nothing had been."""
    game, other = sitting(3), sitting(3, seed=9).play(1)
    chain, before = game.table.chain, game.table.position
    bad = [
        other.lines[2],
        game.draft("move", {"move": "99"}).line,
        sign(game.draft("move", {"move": "1"}).event, key(2)).line,
        sign(replace(game.draft("move", {"move": "1"}).event, seat=1), key(1)).line,
        game.lines[1],
        chain.last.line,
    ]
    for line in bad:
        with pytest.raises((Untrusted, IllegalMove)):
            game.table.accept(line)
        assert game.table.position is before
    assert read_event(game.lines[0]).game == game.play().table.chain.game
