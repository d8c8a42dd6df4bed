"""The cursor: the same positions whichever way one comes to them, and they are those of live play."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable.errors import Misuse, UnknownRules, Untrusted
from lantable.fold import Position
from lantable.host import Host
from lantable.table import Table
from lantable_replays.cursor import Cursor
from tests.games import Sitting, file, make_host

HOST = make_host()
SITTINGS = {
    "dots and boxes": Sitting(options="size=2x3", seats=3).play(),
    "another game": Sitting("count-to", "target=30", seats=4, seed=1).play(),
    "taken back": Sitting(options="size=2x2", seed=2).play(4).agree("takeback", 1).play(3).agree("takeback", 6).play(),
    "left and resigned": Sitting(options="size=3x3", seats=4, seed=3).play(2).leave(1).play(3).resign(3).play(5),
}
ANY = st.sampled_from(sorted(SITTINGS))


def live(lines: list[bytes]) -> list[Position]:
    """The positions of the live table, as it took line after line."""
    table = Table.begin(lines[0], HOST.rules_for)
    positions = [table.position]
    for line in lines[1:]:
        table.accept(line)
        if table.position is not positions[-1]:
            positions.append(table.position)
    return positions


def cursor(name: str) -> Cursor:
    return Cursor(SITTINGS[name].data, HOST.rules_for)


@pytest.mark.parametrize("name", SITTINGS)
def test_replay_is_live_play(name: str) -> None:
    """Walking forward gives exactly the positions the live table went through, with the events between them."""
    walk, positions = cursor(name), live(SITTINGS[name].lines)
    assert len(walk) == len(positions) and walk.broken is None
    for seq, position in enumerate(positions):
        assert (walk.at, walk.position, walk.event.event.seq) == (seq, position, seq)
        assert walk.position.last in (None, walk.event.event)
        assert walk.forward() == (seq + 1 < len(positions))


@given(ANY, st.lists(st.sampled_from(["forward", "back"]) | st.integers(0, 40), max_size=60))
def test_every_way_leads_to_the_same_position(name: str, steps: list[str | int]) -> None:
    """Forwards, backwards and by seeking, as one likes."""
    walk, straight, at = cursor(name), cursor(name), 0
    for step in steps:
        if isinstance(step, int):
            at = min(step, len(walk) - 1)
            walk.seek(at)
        else:
            wanted = at + 1 if step == "forward" else at - 1
            moved = walk.forward() if step == "forward" else walk.back()
            assert moved == (0 <= wanted < len(walk))
            at = wanted if moved else at
    while straight.at < at:
        straight.forward()
    assert walk.at == at and walk.position == straight.position and walk.event is not None
    assert walk.position.rules.position(walk.position.state) == straight.position.rules.position(
        straight.position.state
    )


def test_there_is_nothing_before_the_first_event_nor_after_the_last() -> None:
    """At both ends a step does nothing; seeking beyond them says what there is."""
    walk = cursor("dots and boxes")
    assert not walk.back() and walk.at == 0
    walk.seek(len(walk) - 1)
    assert not walk.forward() and walk.position.outcome is not None
    for seq in (-1, len(walk)):
        with pytest.raises(Misuse, match="this record has events 0 to 17"):
            walk.seek(seq)
    assert walk.at == len(walk) - 1


@given(ANY, st.data())
def test_a_broken_record_can_be_watched_up_to_its_last_good_event(name: str, data: st.DataObject) -> None:
    """It stops there and says at which event, and why."""
    sitting = SITTINGS[name]
    lines = sitting.lines
    bad = data.draw(st.integers(1, len(lines) - 1))
    lines[bad] = lines[bad].replace(b'"seq":', b'"seq":1', 1)
    walk = Cursor(file(lines), HOST.rules_for)
    good = bad // 2 if bad % 2 == 0 else bad // 2 + 1
    assert len(walk) == good
    assert walk.broken is not None and walk.broken[0] == bad // 2 and walk.broken[1]
    walk.seek(good - 1)
    assert walk.position == live(sitting.lines)[good - 1]


def test_a_move_against_the_rules_is_where_a_replay_ends() -> None:
    """Even if everybody signed it, and played on."""
    sitting = Sitting(options="size=1x1")
    sitting.move("a1r")
    sitting.force("move", {"move": "a1r"})
    walk = Cursor(sitting.data, HOST.rules_for)
    assert len(walk) == 2 and walk.broken is not None
    assert walk.broken[0] == 2 and "already drawn" in walk.broken[1]


def test_a_torn_line_is_where_a_replay_ends() -> None:
    """The events before it can be watched."""
    walk = Cursor(Sitting(options="size=1x1").play(2).data[:-5], HOST.rules_for)
    assert len(walk) == 3 and walk.broken is not None and "incomplete" in walk.broken[1]


def test_without_the_rules_there_are_no_positions() -> None:
    """The error says what is missing."""
    with pytest.raises(UnknownRules, match="'dots-and-boxes' is not installed here"):
        Cursor(SITTINGS["dots and boxes"].data, Host().rules_for)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b'{"e":{"body":', b'{"e":{"body":1},"h":"","s":""}\n'])
def test_without_event_0_there_is_nothing_to_watch(data: bytes) -> None:
    """Bytes of any kind raise only `Untrusted`."""
    with pytest.raises(Untrusted):
        Cursor(data, HOST.rules_for)
