"""step(): the only place where a game changes. Tried on a game the table knows nothing of."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable import fold
from lantable.errors import IllegalMove, PluginFault, Untrusted
from lantable.events import NO_GAME, NO_LINK, Event, NoticeKind
from lantable.fold import MAX_MOVE, Position
from tests import toy
from tests.games import Sitting, key
from tests.test_events import JSON_VALUES


def sitting(seats: int = 2, options: str = "target=20", **more: Any) -> Sitting:
    """A game of Count To with room for some moves."""
    return Sitting("count-to", options, seats, **more)


def opening(seats: int = 2, target: int = 20) -> Position:
    """Where a game of Count To begins."""
    return fold.opening(toy.CountTo(target), sitting(seats).table.chain.offer)


def event(position: Position, kind: str, body: Any, seat: int | None = None) -> Event:
    """The next event, by whoever is due unless another seat is named; `fold` asks for no signature."""
    author = position.due if seat is None else seat
    return Event(game=NO_GAME, prev=NO_LINK, seat=author or 0, seq=position.seq + 1, t=0, type=kind, body=body)


def moved(position: Position, *moves: str) -> Position:
    """The position after these moves by whoever is due."""
    for move in moves:
        position = fold.step(position, event(position, "move", {"move": move}))
    return position


def refused(position: Position, happened: Event) -> str:
    """The code with which the rules refuse an event."""
    with pytest.raises(IllegalMove) as caught:
        fold.step(position, happened)
    return caught.value.code


def withdraw(position: Position, kind: str, seat: int) -> Position:
    """The position after `seat` resigned or left, whoever is due."""
    notice = {} if seat == position.due else {"notice": "00" * 64}
    return fold.step(position, event(position, kind, {"of": seat, **notice}))


def consent(position: Position) -> dict[str, str]:
    """Notices of everyone who must agree; their signatures are the chain's business."""
    return {str(seat): "00" * 64 for seat in position.consenters()}


# -- moves


def test_seats_move_in_turn() -> None:
    """The state names exactly one legal author for the next event."""
    position = opening(3)
    for seat in (0, 1, 2, 0):
        assert position.due == seat
        for other in {0, 1, 2} - {seat}:
            assert refused(position, event(position, "move", {"move": "1"}, other)) == "not_your_turn"
        position = moved(position, "1")


def test_a_move_has_one_spelling() -> None:
    """ "One canonical form is printed and stored": what a person may type, a record may not hold."""
    position = opening()
    assert toy.CountTo(20).parse(" 2 ") == "2"
    assert refused(position, event(position, "move", {"move": " 2 "})) == "notation"
    assert refused(position, event(position, "move", {"move": "two"})) == "notation"
    assert refused(position, event(position, "move", {"move": "9"})) == "step"


@pytest.mark.parametrize("body", [{}, {"move": 2}, {"move": "2", "more": 1}, {"move": "2" * (MAX_MOVE + 1)}])
def test_a_move_has_one_form(body: dict[str, Any]) -> None:
    """Checked before the plugin sees it."""
    with pytest.raises(Untrusted, match="a move is"):
        fold.step(opening(), event(opening(), "move", body))


def test_nothing_happens_after_the_end() -> None:
    """Nobody is due, and no kind of event is legal any more."""
    end = moved(opening(target=3), "3")
    assert end.due is None and end.outcome is not None and end.outcome.winners == (0,)
    assert end.outcome.how == "played out"
    for kind in fold.STEPS:
        assert refused(end, event(end, kind, {})) == "over"


def test_a_step_leaves_the_position_before_it_alone() -> None:
    """Positions are values: trying a move changes nothing, and the same step gives the same position."""
    position = opening()
    one, other = moved(position, "2"), moved(position, "2")
    assert one == other and position == opening() and (one.seq, position.seq) == (1, 0)
    assert one.before is position and one.last is not None and one.last.body == {"move": "2"}


@given(
    kind=st.sampled_from([*fold.STEPS, "genesis", "toss"]),
    body=st.dictionaries(st.sampled_from(["move", "of", "to", "notices", "notice"]), JSON_VALUES, max_size=3),
)
def test_any_body_is_refused_as_illegal_or_untrusted(kind: str, body: dict[str, Any]) -> None:
    """A stranger's event blames the stranger: never the plugin, and never a KeyError of ours."""
    position = moved(opening(3), "1")
    try:
        fold.step(position, event(position, kind, body))
    except (IllegalMove, Untrusted):
        return
    assert kind in ("resign", "leave") or (kind == "move" and body["move"] in ("1", "2", "3"))


# -- resigning and leaving


def test_whoever_resigns_is_skipped_and_cannot_win() -> None:
    """The seat keeps its points; play goes on among the others."""
    position = withdraw(moved(opening(3), "3"), "resign", 1)
    assert position.due == 2 and position.out == {1} and position.outcome is None
    position = withdraw(position, "resign", 0)
    assert position.outcome is not None and position.outcome.winners == (2,)
    assert position.outcome.scores == (3, 0, 0)
    assert position.outcome.how == "player 2 resigned, player 1 resigned"


def test_a_resignation_needs_the_word_of_who_resigns_and_only_that() -> None:
    """ "with the notice when it is another's, without when it is its own\""""
    position = opening(3)
    assert refused(position, event(position, "resign", {"of": 1})) == "consent"
    assert refused(position, event(position, "resign", {"of": 0, "notice": "00" * 64})) == "consent"
    assert withdraw(position, "resign", 0).out == {0}
    assert withdraw(position, "resign", 1).out == {1}


def test_a_seat_with_the_key_of_the_author_needs_no_notice() -> None:
    """Seats that share a key act as one."""
    game = sitting(3, keys=[key(0), key(1), key(0)])
    game.resign(2)
    assert game.table.position.out == {2} and "notice" not in game.table.chain.last.event.body


def test_only_a_seat_still_in_can_resign_or_leave() -> None:
    """Once, and only one of the two."""
    position = withdraw(opening(4), "resign", 1)
    for kind in ("resign", "leave"):
        assert refused(position, event(position, kind, {"of": 1, "notice": "00" * 64})) == "not_in"
    position = opening(3)
    assert refused(position, event(position, "resign", {"of": 3, "notice": "00" * 64})) == "not_in"


def test_with_two_players_leaving_is_resigning() -> None:
    """So nobody of two gets rid of the duty to acknowledge."""
    position = opening(2)
    assert refused(position, event(position, "leave", {"of": 0})) == "resign_instead"
    assert withdraw(opening(3), "leave", 0).withdrawn == ((0, "left"),)


def test_players_are_counted_by_their_keys() -> None:
    """Three seats of two keys are two players."""
    game = sitting(3, keys=[key(0), key(1), key(0)])
    with pytest.raises(IllegalMove, match="leaving is resigning"):
        game.leave(0)


# -- taking back


def test_a_takeback_lets_an_earlier_state_stand_again() -> None:
    """ "the game state of `to` stands again at a new seq; the chain never goes back\""""
    game = sitting().play(3)
    states = [position.state for position in history(game.table.position)]
    game.agree("takeback", 1)
    assert game.table.position.state == states[1] and game.table.position.seq == game.table.chain.seq == 4
    assert game.table.position.due == 1
    game.play()
    assert game.table.complete


def history(position: Position) -> list[Position]:
    """All positions up to this one, the opening first."""
    return [position.back_to(seq) for seq in range(position.seq + 1)]


@settings(max_examples=40)
@given(data=st.data(), seats=st.integers(2, 4))
def test_after_any_takeback_the_game_goes_on_as_it_did_from_there(data: st.DataObject, seats: int) -> None:
    """Takebacks over takebacks over resignations: the state equals the earlier one, and so does every way on."""
    position, states = opening(seats), [opening(seats).state]
    for _ in range(data.draw(st.integers(1, 8))):
        if position.due is None:
            break
        kind = data.draw(st.sampled_from(["move", "move", "move", "resign", "takeback"]))
        if kind == "move":
            position = moved(
                position, data.draw(st.sampled_from(list(position.rules.legal(position.state, position.due))))
            )
        elif kind == "resign":
            still_in = sorted(set(range(seats)) - position.out)
            position = withdraw(position, "resign", data.draw(st.sampled_from(still_in)))
        else:
            to = data.draw(st.integers(0, position.seq))
            wish = event(position, "takeback", {"to": to, "notices": consent(position)})
            if to == position.seq or position.back_to(to).withdrawn != position.withdrawn:
                assert refused(position, wish) == "takeback"
                continue
            position = fold.step(position, wish)
            assert position.state == states[to]
        states.append(position.state)
        assert [earlier.state for earlier in history(position)] == states


def test_a_takeback_cannot_go_past_a_resignation() -> None:
    """ "Legal only if no ... resign or leave lies after `to`.\""""
    game = sitting(3).play(2).resign(0).play(1)
    for to in (0, 1, 2):
        with pytest.raises(IllegalMove, match="leaving"):
            game.agree("takeback", to)
    game.agree("takeback", 3)


@pytest.mark.parametrize("to", [2, 3, 99])
def test_a_takeback_goes_back(to: int) -> None:
    """To an event before the last one."""
    with pytest.raises(IllegalMove, match="no event"):
        sitting().play(2).agree("takeback", to)


# -- agreeing


@pytest.mark.parametrize("kind", ["takeback", "draw", "stop"])
def test_an_agreement_needs_every_other_player_still_in(kind: NoticeKind) -> None:
    """Not fewer, not more, and not whoever writes it down."""
    position = withdraw(moved(opening(4), "1"), "resign", 3)
    to = {"to": 0} if kind == "takeback" else {}
    assert position.due == 1 and position.consenters() == {0, 2}
    position = moved(position, "1", "1")
    assert position.due == 0 and position.consenters() == {1, 2}
    notice = "00" * 64
    for wrong in ({}, {"1": notice}, {"1": notice, "2": notice, "3": notice}, {"0": notice, "1": notice, "2": notice}):
        assert refused(position, event(position, kind, {"notices": wrong, **to})) == "consent"


def test_a_draw_is_shared_by_all_still_in() -> None:
    """Whatever the score says; the scores stay as they are."""
    outcome = sitting(3).play(2).resign(0).agree("draw").table.position.outcome
    assert outcome is not None and outcome.how == "drawn by agreement" and outcome.winners == (1, 2)


def test_a_stopped_game_stands_as_it_stands() -> None:
    """Whoever leads wins."""
    position = moved(opening(), "3", "1")
    position = fold.step(position, event(position, "stop", {"notices": consent(position)}))
    assert position.outcome is not None and position.due is None and position.consenters() == frozenset()
    assert (position.outcome.winners, position.outcome.how) == ((0,), "stopped by agreement")


def test_one_machine_agrees_with_itself() -> None:
    """Nobody else is to be asked."""
    game = sitting(3, shared_keys=True).play(2)
    assert game.table.position.consenters() == frozenset()
    game.agree("takeback", 0).agree("stop")
    assert game.table.chain.last.event.body == {"notices": {}}


# -- replay is the live path


@settings(max_examples=20)
@given(seats=st.integers(2, 4), seed=st.integers(0, 999))
def test_replayed_states_equal_the_live_ones(seats: int, seed: int) -> None:
    """`states` over the events of a record gives what the table went through."""
    game = sitting(seats, seed=seed).play(4)
    if seats > 2:
        game.leave(seed % seats)
    game.play(1).agree("takeback", game.table.position.seq - 1).play()
    position = game.table.position
    events = [signed.event for signed in game.table.chain.events[1:]]
    again = list(fold.states(fold.opening(position.rules, game.table.chain.offer), events))
    assert again == history(position)


def test_a_long_game_can_be_forgotten() -> None:
    """Each position remembers the one before; dropping fifty thousand of them at once is no recursion."""
    position = opening(target=1_000_000)
    for seq in range(50_000):
        position = Position(position.rules, position.owners, position.state, seq + 1, before=position)
    assert position.back_to(0).seq == 0
    del position


# -- broken plugins


def broken(method: str, error: BaseException) -> Any:
    """Count To with one method that raises."""

    def fail(*_: object) -> None:
        raise error

    whole = toy.CountTo(20)
    return SimpleNamespace(**{name: getattr(whole, name) for name in dir(whole) if name[0] != "_"} | {method: fail})


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("oops"), KeyError("oops"), RecursionError("oops"), SystemExit("oops")]
)
@pytest.mark.parametrize("method", ["start", "to_move", "play", "parse", "withdraw", "standing"])
def test_whatever_a_plugin_raises_is_named_as_its_fault(method: str, error: BaseException) -> None:
    """At every method the table calls; the message says what it was, in one line."""
    offer = sitting().table.chain.offer

    def whole_game() -> None:
        position = fold.opening(broken(method, error), offer)
        for kind, body in (("move", {"move": "2"}), ("resign", {"of": 1})):
            position = fold.step(position, event(position, kind, body))
        assert position.outcome

    with pytest.raises(PluginFault, match=f"the game's own rules failed: {type(error).__name__}: '?oops"):
        whole_game()


def test_a_plugin_may_say_no() -> None:
    """`IllegalMove` is how; it passes as it is."""
    with pytest.raises(IllegalMove, match="by itself"):
        fold.opening(broken("start", IllegalMove("no", "by itself")), sitting().table.chain.offer)
