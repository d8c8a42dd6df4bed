"""Perfect play in Dots and Boxes: against trying everything, and as a player."""

import os
from functools import cache
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable_dots_and_boxes.board import Board, board
from lantable_dots_and_boxes.opponents import careful, easy, expert
from lantable_dots_and_boxes.rules import DOTS_AND_BOXES, DotsAndBoxes
from lantable_dots_and_boxes.solver import Solver, TooLong, takeable, worth
from lantable_dots_and_boxes.state import State, draw, opening
from lantable_dots_and_boxes.strings import GROUND, Graph, Shape, Shapes

SMALL = ((1, 1), (1, 2), (1, 4), (2, 2), *(((2, 3),) if os.environ.get("LANTABLE_EVIDENCE") == "1" else ()))
lines_of = st.sampled_from(SMALL).flatmap(
    lambda size: st.tuples(st.just(board(*size)), st.integers(0, board(*size).full))
)
"""A small board and any set of drawn lines on it."""


@cache
def tried(where: Board, lines: int) -> int:
    """The value of a position by trying every line: the rules and nothing else."""
    best = -where.boxes if lines != where.full else 0
    for line in range(len(where.names)):
        if not lines >> line & 1:
            best = max(best, tried_after(where, lines, line))
    return best


def tried_after(where: Board, lines: int, line: int) -> int:
    drawn = lines | 1 << line
    closed = (where.closed(drawn) ^ where.closed(lines)).bit_count()
    return closed + tried(where, drawn) if closed else -tried(where, drawn)


# -- values


@settings(max_examples=60, deadline=None)
@given(lines_of)
def test_a_value_is_what_trying_everything_gives(position: tuple[Board, int]) -> None:
    """Of the position, and of each line in it, whatever can be taken at once."""
    where, lines = position
    solver = Solver(where)
    assert solver.margin(lines) == tried(where, lines)
    for line in range(len(where.names)):
        if not lines >> line & 1:
            assert solver.after(lines, line) == tried_after(where, lines, line)


@pytest.mark.parametrize(
    ("size", "margin"),
    [((1, 1), -1), ((1, 2), 0), ((1, 5), -1), ((1, 8), 0), ((2, 2), 2), ((2, 3), -2), ((3, 2), -2)],
)
def test_boards_of_known_value(size: tuple[int, int], margin: int) -> None:
    """What player 1 wins by from an empty board. A transposed board has the same value."""
    assert Solver(board(*size)).margin(0) == margin


def test_endings_of_chains_and_loops() -> None:
    """It is enough to open the shortest chain or the shortest loop: by trying all, for up to six of them."""

    @cache
    def best(rows: tuple[int, ...], among: bool) -> int:
        # Chains are their lengths, loops theirs below zero.
        ends = {min((row for row in rows if row > 0), default=0), max((row for row in rows if row < 0), default=0)}
        worths = [
            -worth(abs(row), 4 if row < 0 else 2 if row > 2 else 0, best(rows[:at] + rows[at + 1 :], among))
            for at, row in enumerate(rows)
            if among or row in ends
        ]
        return max(worths, default=0)

    for count in range(7):
        for rows in combinations_with_replacement((-10, -8, -6, -4, 1, 2, 3, 4, 5, 7), count):
            assert best(rows, True) == best(rows, False)


def test_it_ends_where_it_is_told_to() -> None:
    """At the same point every time; and whoever waits no longer can end it."""
    solver = Solver(board(3, 3), limit=300)
    with pytest.raises(TooLong):
        solver.margin(0)
    assert 300 < solver.steps < 400 and not isinstance(solver, type)

    def ended() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        Solver(board(3, 3), pause=ended).margin(0)


def test_an_expert_that_nobody_waits_for_stops() -> None:
    """While an ending is solved, and while endings are tried."""

    def ended() -> None:
        raise InterruptedError

    for size in ((3, 3), (5, 5)):
        rules = DotsAndBoxes(board(*size)).pausing(ended)
        state = opening(rules.board, 2)
        for name in ("b2r", "c2d", "a3r", "b1d"):
            state = draw(state, rules.board.numbers[name])
        while size == (5, 5) and len(rules.legal(state, state.mover or 0)) > 38:
            state = draw(state, rules.board.numbers[careful(rules, state, state.mover or 0, b"")])
        with pytest.raises(InterruptedError):
            expert(rules, state, state.mover or 0, b"")


# -- what can be taken


@pytest.mark.parametrize(
    ("moves", "taken", "left"),
    [
        ("", 0, 0),
        ("a1r a2r a1d", 1, 0),
        ("a1r a2r b1r b2r c1r c2r a1d", 3, 2),
        ("a1r a2r b1r b2r c1r c2r a1d d1d", 3, 0),
        ("a1r a2r b1r b2r c1r c2r d1r d2r a1d e1d", 4, 4),
    ],
)
def test_what_can_be_taken_and_left(moves: str, taken: int, left: int) -> None:
    """A row taken from one end can be left but for two boxes, one taken from both but for four."""
    where = board(1, 4)
    lines = sum(1 << where.numbers[name] for name in moves.split())
    assert takeable(where, where.full & ~lines)[:2] == (taken, left)


def test_rows_that_meet_can_only_be_left_as_the_last_of_them_is() -> None:
    """Three rows to one box: whichever comes last can be taken from both ends, so four can be left and not two."""
    where = board(3, 3)
    undrawn = [where.numbers[name] for name in ("b1d", "b2r", "b2d", "c2d")]
    assert takeable(where, sum(1 << line for line in undrawn)) == (5, 4, 0)


# -- strings and coins


@given(st.integers(0, board(2, 3).full), st.booleans(), st.booleans())
def test_mirrored_boards_are_one(lines: int, over: bool, upside_down: bool) -> None:
    """A drawing and its mirror images have the same shapes."""
    where, shapes = board(2, 3), Shapes()

    def image(line: int) -> int:
        cols, rows, standing = where.cols, where.rows, where.down(0, 0)
        row, col = divmod(line, cols) if line < standing else divmod(line - standing, cols + 1)
        if upside_down:
            row = (rows if line < standing else rows - 1) - row
        if over:
            col = (cols - 1 if line < standing else cols) - col
        return where.across(row, col) if line < standing else where.down(row, col)

    def numbers(free: list[int]) -> tuple[int, tuple[int, ...]]:
        ties = [(*where.beside[line], GROUND)[:2] for line in free]
        graph = Graph((max(ends), min(ends), 0) for ends in ties)
        return graph.settle(), shapes.numbers(graph)

    free = [line for line in range(len(where.names)) if not lines >> line & 1]
    assert numbers(free) == numbers([image(line) for line in free])


def test_chains_and_loops_by_their_length() -> None:
    """Whatever way they take on the board."""
    chain, loop = Graph([(0, GROUND, 0), (1, 0, 0), (2, 1, 0), (2, GROUND, 0)]), Graph([(1, 0, 3), (1, 0, 2)])
    assert chain.settle() == loop.settle() == 0
    assert chain.shapes() == [Shape(0, ((GROUND, GROUND, 3),))] and not chain.shapes()[0].is_loop
    assert loop.shapes()[0].is_loop and loop.shapes()[0].chains[0][2] == 7


# -- players


def played(size: str, players: tuple[object, object], seed: int) -> tuple[int, ...]:
    """The boxes at the end of a game of two computer players."""
    rules = DOTS_AND_BOXES.make(DOTS_AND_BOXES.read_options(f"size={size}"), ())
    assert isinstance(rules, DotsAndBoxes)
    state = opening(rules.board, 2)
    while state.mover is not None:
        choose = players[state.mover]
        assert callable(choose)
        state = rules.play(state, state.mover, choose(rules, state, state.mover, seed.to_bytes(4)))
    return state.boxes_held


@pytest.mark.parametrize("seed", range(2))
def test_the_expert_beats_the_careful_who_beats_the_easy(seed: int) -> None:
    """On a board where the ending decides, whoever begins."""
    for weaker, stronger in ((easy, careful), (careful, expert)):
        ours = played("3x3", (stronger, weaker), seed)[0] + played("3x3", (weaker, stronger), seed)[1]
        assert ours > 9


def test_the_expert_plays_perfectly_once_it_can() -> None:
    """Every line it draws keeps the value of the position."""
    rules = DotsAndBoxes(board(3, 3))
    state, solver = opening(rules.board, 2), Solver(rules.board)
    for name in ("b2r", "c2d", "a3r", "d1d", "b1d", "c3d"):
        state = draw(state, rules.board.numbers[name])
    while state.mover is not None:
        move = rules.board.numbers[expert(rules, state, state.mover, b"seed")]
        assert solver.after(state.lines, move) == solver.margin(state.lines)
        state = draw(state, move)


@pytest.mark.parametrize("choose", [careful, expert])
@settings(max_examples=10, deadline=None)
@given(seats=st.integers(2, 4), drawn=st.integers(0, 23), seed=st.binary(max_size=2))
def test_a_computer_player_is_a_pure_function(choose: object, seats: int, drawn: int, seed: bytes) -> None:
    """The same seed, the same legal move, for any number of seats."""
    assert callable(choose)
    rules = DotsAndBoxes(board(3, 3))
    state: State = opening(rules.board, seats)
    for line in range(drawn):
        state = draw(state, line * 7 % 24)
    assert state.mover is not None
    move = choose(rules, state, state.mover, seed)
    assert move == choose(rules, state, state.mover, seed) and move in rules.legal(state, state.mover)


@given(st.integers(0, board(2, 4).full))
def test_careful_gives_away_as_little_as_it_can(lines: int) -> None:
    """It takes a box, else gives none away, else as few as any line."""
    where = board(2, 4)
    owners = bytes(lines & sides == sides for sides in where.sides)
    state = State(where, lines, owners, None if lines == where.full else 0, (True, True))
    undrawn = [line for line in range(len(where.names)) if not state.is_drawn(line)]
    if not undrawn:
        return
    chosen = where.numbers[careful(DotsAndBoxes(where), state, 0, b"")]

    def gift(line: int) -> int:
        return 0 if state.completes(line) else takeable(where, where.full & ~(lines | 1 << line))[0]

    if any(map(state.completes, undrawn)):
        assert state.completes(chosen)
    elif all(map(gift, undrawn)):
        assert gift(chosen) == min(map(gift, undrawn))
    else:
        assert all((lines & where.sides[box]).bit_count() < 2 for box in where.beside[chosen])
