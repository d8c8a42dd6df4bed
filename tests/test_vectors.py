"""The vector runner: it passes what is right, reports what is wrong, and runs the shared vectors where they are."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable_dots_and_boxes.board import board
from tests import vectors

SAMPLE = Path(__file__).parent / "vectors-sample.jsonl"
SHARED = Path(__file__).parents[2] / "shared" / "vectors"
CLAIMED: dict[str, Any] = next(
    case for case in map(json.loads, SAMPLE.read_text().splitlines()) if case["id"] == "one-claimed"
)


def lines_of(capsys: pytest.CaptureFixture[str], *paths: Path) -> tuple[int, list[str]]:
    """Exit status and printed lines of `python -m tests.vectors PATHS`."""
    status = vectors.main([str(path) for path in paths])
    return status, capsys.readouterr().out.splitlines()


def test_the_sample_passes(capsys: pytest.CaptureFixture[str]) -> None:
    """Every case of our own sample passes."""
    assert lines_of(capsys, SAMPLE) == (0, ["4 passed, 0 failed"])


def test_what_takes_too_long_is_said_and_not_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules of such a case are judged all the same."""
    monkeypatch.setattr(vectors, "STEPS", 0)
    status, lines = lines_of(capsys, SAMPLE)
    assert status == 0 and lines[1:] == ["4 passed, 0 failed"]
    assert lines[0].startswith("not judged, since that takes too long: ") and " move_values" in lines[0]


def test_the_shared_vectors_pass(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The independent implementation's cases pass; the longest endings are for LANTABLE_EVIDENCE."""
    path = SHARED / "dots-and-boxes.jsonl"
    if os.environ.get("LANTABLE_EVIDENCE") != "1":
        monkeypatch.setattr(vectors, "STEPS", 3_000)
    if not path.exists():
        pytest.skip("the shared vectors are not beside this repository")
    status, lines = lines_of(capsys, path)
    cases = len(path.read_text().splitlines())
    assert status == 0 and lines[-1] == f"{cases} passed, 0 failed"


@pytest.mark.parametrize(
    ("field", "wrong", "report"),
    [
        ("to_move", 1, "to_move: expected 1, got 2"),
        ("score", [1, 0], "score: expected [1, 0], got [0, 1]"),
        ("owners", {"0,0": 1}, 'owners: expected {"0,0": 1}, got {"0,0": 2}'),
        ("owners", {}, 'owners: expected {}, got {"0,0": 2}'),
        ("undrawn", ["v0,2"], 'undrawn: expected ["v0,2"], got ["h0,1", "h1,1", "v0,2"]'),
        ("free", 4, "free: expected 4, got 3"),
        ("remaining_boxes", 2, "remaining_boxes: expected 2, got 1"),
        ("margin", 3, "margin: expected 3, got 1"),
        ("final_margin_p1", 3, "final_margin_p1: expected 3, got -2"),
        ("optimal", ["v0,2"], 'optimal: expected ["v0,2"], got ["h0,1", "h1,1", "v0,2"]'),
        ("move_values", {"v0,2": 1}, 'moves with a value: expected ["v0,2"], got ["h0,1", "h1,1", "v0,2"]'),
    ],
)
def test_a_wrong_expectation_fails(field: str, wrong: object, report: str) -> None:
    """Each judged field, spoilt alone, fails and is named with what was expected and what came out."""
    assert (vectors.failure({**CLAIMED, field: wrong}) or "").split("; ")[0] == report


@pytest.mark.parametrize(
    ("spoilt", "report"),
    [
        ({"kind": "no-such"}, "unknown kind"),
        ({"kind": ["position"]}, "unknown kind"),
        ({"moves": ["h0,0", "h0,0"]}, "IllegalMove"),
        ({"moves": ["x0,0"]}, "is no line"),
        ({"moves": ["h0,7"]}, "no dot"),
        ({"moves": 3}, "TypeError"),
        ({"rows": 13}, "Misuse"),
        ({"rows": "1"}, "TypeError"),
    ],
)
def test_a_case_that_cannot_be_run_fails(spoilt: dict[str, object], report: str) -> None:
    """It does not stop the run."""
    assert report in (vectors.failure({**CLAIMED, **spoilt}) or "")


def test_a_missing_expectation_fails() -> None:
    """A case without what its kind promises is not passed over in silence."""
    assert "KeyError" in (vectors.failure({name: CLAIMED[name] for name in CLAIMED if name != "owners"}) or "")


def test_failing_cases_are_printed_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line a failing case with its id, or its place if it has none; then the count, and exit status 1."""
    path = tmp_path / "cases.jsonl"
    cases = [json.dumps(CLAIMED), json.dumps({**CLAIMED, "free": 9}), "[]", "not json", ""]
    path.write_text("\n".join(cases))
    status, lines = lines_of(capsys, path, tmp_path / "absent")
    assert status == 1 and lines[-1] == "1 passed, 4 failed"
    assert lines[0] == "one-claimed: free: expected 9, got 3"
    assert lines[1].startswith(f"{path}:3: ") and lines[2].startswith(f"{path}:4: expected JSON")
    assert lines[3].startswith(f"{tmp_path / 'absent'}: cannot be read")


def test_without_a_file_it_says_how_to_use_it(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2, as for any misuse."""
    assert vectors.main([]) == 2 and "FILE" in capsys.readouterr().err


@given(st.integers(1, 12), st.integers(1, 12))
def test_lines_have_two_spellings(rows: int, cols: int) -> None:
    """The mapping at this boundary: h first, row by row, then v, in the very order of our line numbers."""
    named = [f"h{row},{col}" for row in range(rows + 1) for col in range(cols)]
    named += [f"v{row},{col}" for row in range(rows) for col in range(cols + 1)]
    assert tuple(map(vectors.line_name, named)) == board(rows, cols).names
    assert [vectors.vector_name(line) for line in board(rows, cols).names] == named
