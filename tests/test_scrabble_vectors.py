"""The language-neutral cases of an independent reference implementation."""

from pathlib import Path

import pytest
from tests.scrabble_vectors import RUNNERS, failures

SHARED = Path(__file__).parents[2] / "shared" / "vectors" / "binary-scrabble.jsonl"


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not beside this repository")
def test_all_cases_pass() -> None:
    """Every case of every kind."""
    assert list(failures(SHARED)) == []


def test_a_failing_case_is_told() -> None:
    """The runner says what was expected and what came out."""
    case = {"text": "1=1", "options": {}, "valid": False, "value": None, "bonus": None, "reason": "unequal"}
    assert RUNNERS["expr"](case)[0] == "valid: expected False, got True"
