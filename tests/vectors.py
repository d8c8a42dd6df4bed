"""Runs test vectors: JSON Lines made by an independent implementation of the rules, one case a line.

    python -m tests.vectors FILE...

prints one line per failing case (its id, what was expected, what came out), then what could not be judged here,
then `N passed, N failed`; exit status 0 or 1. `kind` selects the runner in `RUNNERS`, `id` names the case. A runner
yields a `Check` for each fact it judges; a case passes if all agree. Values of perfect play that would take too long
are summed up in a line of their own and make no case pass or fail.

Vectors name a line h{row},{col} (above a box of that row) or v{row},{col} (left of a box of that column), rows and
columns from 0. That spelling lives in this file only.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from lantable.errors import LantableError
from lantable_dots_and_boxes.board import Board, board
from lantable_dots_and_boxes.rules import DotsAndBoxes
from lantable_dots_and_boxes.solver import Solver, TooLong
from lantable_dots_and_boxes.state import State
from tests import scrabble_vectors

Case = Mapping[str, Any]


UNKNOWN: Final = object()
"""What came out where that would take too long."""
STEPS: Final = 120_000
"""Work of the solver for one case: some seconds."""


class Check(NamedTuple):
    """One fact of a case: what it is, what the case says, what came out."""

    what: str
    expected: object
    got: object


Runner = Callable[[Case], Iterable[Check]]


# -- Dots and Boxes


def line_name(vector: str) -> str:
    """`h0,1` as `b1r`."""
    match = re.fullmatch(r"([hv])(\d+),(\d+)", vector)
    if match is None:
        raise ValueError(f"{vector!r} is no line")
    kind, row, col = match.groups()
    return f"{chr(ord('a') + int(col))}{int(row) + 1}{'r' if kind == 'h' else 'd'}"


def vector_name(line: str) -> str:
    """`b1r` as `h0,1`."""
    dot, way = line[:-1], line[-1]
    return f"{'h' if way == 'r' else 'v'}{int(dot[1:]) - 1},{ord(dot[0]) - ord('a')}"


def _lines(state: State) -> list[str]:
    """The legal lines under the names that vectors use, sorted."""
    rules = DotsAndBoxes(state.board)
    return [] if state.mover is None else sorted(vector_name(line) for line in rules.legal(state, state.mover))


def _played(case: Case) -> State:
    rules = DotsAndBoxes(board(case["rows"], case["cols"]))
    state = rules.start(2)
    for vector in case["moves"]:
        if state.mover is None:
            raise ValueError(f"{vector} is played after the end")
        state = rules.play(state, state.mover, line_name(vector))
    return state


def _owners(state: State) -> dict[str, int]:
    places = (divmod(box, state.board.cols) for box in range(state.board.boxes))
    return {f"{row},{col}": owner for (row, col), owner in zip(places, state.owners, strict=True) if owner}


def _undrawn_only(where: Board, undrawn: Iterable[str]) -> State:
    """A state with just these lines undrawn. Who owns the closed boxes, and who is to move, is not told."""
    lines = where.full
    for vector in undrawn:
        lines &= ~(1 << where.numbers[line_name(vector)])
    return State(where, lines, bytes(lines & sides == sides for sides in where.sides), 0, (True, True))


def _values(state: State, case: Case, margin: str, moves: str) -> Iterator[Check]:
    """The value of a position, and of every line in it, for whoever moves."""
    solver = Solver(state.board, STEPS)
    try:
        value: object = solver.margin(state.lines)
        found: object = {
            name: solver.after(state.lines, state.board.numbers[line_name(name)]) for name in _lines(state)
        }
    except TooLong:
        value = found = UNKNOWN
    yield Check(margin, case[margin], value)
    yield Check(moves, case[moves], found)


def run_board(case: Case) -> Iterator[Check]:
    state = DotsAndBoxes(board(case["rows"], case["cols"])).start(2)
    yield Check("first moves", sorted(case["first_move_values"]), _lines(state))
    yield from _values(state, case, "margin_p1", "first_move_values")


def run_position(case: Case) -> Iterator[Check]:
    state = _played(case)
    yield Check("to_move", case["to_move"], None if state.mover is None else state.mover + 1)
    yield Check("score", case["score"], list(DotsAndBoxes(state.board).standing(state).scores))
    yield Check("owners", case["owners"], _owners(state))
    yield Check("undrawn", sorted(case["undrawn"]), _lines(state))
    yield Check("free", case["free"], len(_lines(state)))
    yield Check("remaining_boxes", case["remaining_boxes"], state.open_boxes)
    yield Check("moves with a value", sorted(case["move_values"]), _lines(state))
    for check in _perfect(state, case):
        yield check
        if check.what == "margin":
            yield Check("final_margin_p1", case["final_margin_p1"], _final(state, check.got))


def _perfect(state: State, case: Case) -> Iterator[Check]:
    """What perfect play comes to, and the lines that keep to it."""
    for check in _values(state, case, "margin", "move_values"):
        yield check
        if isinstance(check.got, dict):
            found = cast("dict[str, int]", check.got)
            best = sorted(name for name in found if found[name] == max(found.values()))
            yield Check("optimal", sorted(case["optimal"]), best)


def _final(state: State, margin: object) -> object:
    """The whole difference at the end, seen by player 1, if the side to move still gets so much more."""
    one, other = state.boxes_held
    to_come = margin if isinstance(margin, int) else 0
    return UNKNOWN if margin is UNKNOWN else one - other + (to_come if state.mover == 0 else -to_come)


def run_trap(case: Case) -> Iterator[Check]:
    state = _undrawn_only(board(case["rows"], case["cols"]), case["undrawn"])
    yield Check("undrawn", sorted(case["undrawn"]), _lines(state))
    yield Check("moves with a value", sorted(case["move_values"]), _lines(state))
    yield from _perfect(state, case)


DOTS_AND_BOXES: Final[dict[str, Runner]] = {
    "board": run_board,
    "position": run_position,
    "hard": run_position,
    "deep": run_position,
    "trap": run_trap,
}


def _checked(facts: Callable[[Case], Iterable[tuple[str, object, object]]]) -> Runner:
    return lambda case: (Check(*fact) for fact in facts(case))


RUNNERS: Final[dict[str, Runner]] = {
    **DOTS_AND_BOXES,
    **{kind: _checked(facts) for kind, facts in scrabble_vectors.RUNNERS.items()},
}


# -- running


@dataclass
class Tally:
    """What came of the cases so far."""

    passed: int = 0
    failed: int = 0
    unjudged: Counter[str] = field(default_factory=Counter[str])


def failure(case: Case) -> str | None:
    """Why a case fails, or None if it passes."""
    return judged(case)[0]


def judged(case: Case) -> tuple[str | None, list[str]]:
    """Why a case fails, or None if it passes; and what of it was not judged."""
    runner = RUNNERS.get(str(case.get("kind")))
    if runner is None:
        return "unknown kind", []
    try:
        checks = list(runner(case))
    except (LantableError, LookupError, TypeError, ValueError) as error:
        # A case that cannot be played says as much about us as one that comes out wrong.
        return f"expected a case that can be run, got {type(error).__name__}: {error}", []
    wrong = [
        f"{what}: expected {_short(expected)}, got {_short(got)}"
        for what, expected, got in checks
        if got is not UNKNOWN and expected != got
    ]
    return "; ".join(wrong) or None, [what for what, _, got in checks if got is UNKNOWN]


def run_line(text: str, where: str, tally: Tally) -> str | None:
    """One line of a file: counted in `tally`; the line to print if it failed."""
    case, why, unjudged = _read(text)
    tally.unjudged.update(unjudged)
    if why is None:
        tally.passed += 1
        return None
    tally.failed += 1
    return f"{case.get('id', where)}: {why}"


def _read(text: str) -> tuple[Case, str | None, list[str]]:
    """The case in a line, why it fails, if it does, and what of it was not judged."""
    try:
        case: Any = json.loads(text)
    except ValueError as error:
        return {}, f"expected JSON, got {error}", []
    return (case, *judged(case)) if isinstance(case, dict) else ({}, "expected an object", [])


def run(paths: Iterable[str], tally: Tally) -> Iterator[str]:
    """Every case of every file; yields what to print."""
    for path in paths:
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            tally.failed += 1
            yield f"{path}: cannot be read: {error}"
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and (report := run_line(line, f"{path}:{number}", tally)) is not None:
                yield report


def _short(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def main(paths: list[str]) -> int:
    if not paths:
        print("usage: python -m tests.vectors FILE...", file=sys.stderr)
        return 2
    tally = Tally()
    for report in run(paths, tally):
        print(report)
    if tally.unjudged:
        counts = ", ".join(f"{count} {name}" for name, count in sorted(tally.unjudged.items()))
        print(f"not judged, since that takes too long: {counts}")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
