"""The language-neutral cases for Binary Scrabble, by the runner that any file in that encoding goes through."""

from pathlib import Path

import pytest

from tests import vectors

SHARED = Path(__file__).parents[2] / "shared" / "vectors" / "binary-scrabble.jsonl"


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not beside this repository")
def test_all_cases_pass(capsys: pytest.CaptureFixture[str]) -> None:
    """Every case of every kind."""
    cases = len(SHARED.read_text("utf-8").splitlines())
    assert vectors.main([str(SHARED)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"{cases} passed, 0 failed"


def test_a_failing_case_is_told() -> None:
    """The runner says what was expected and what came out."""
    case = {
        "kind": "expr",
        "text": "1=1",
        "options": {},
        "valid": False,
        "value": None,
        "bonus": None,
        "reason": "unequal",
    }
    assert (vectors.failure(case) or "").startswith("valid: expected false, got true")


def test_a_placement_may_be_refused_for_any_reason_the_case_lists() -> None:
    """And for no other."""
    case = {"kind": "place", "options": {}, "board": ["." * 15] * 15, "blanks": [], "rack": "1=1", "legal": False}
    case |= {"move": [[0, 0, "1", False]], "reasons": [["centre", ""], ["no_equation", ""]], "equations": []}
    assert vectors.failure(case) is None
    assert "got" in (vectors.failure({**case, "reasons": [["gap", ""]]}) or "")
