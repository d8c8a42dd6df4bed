"""Whether somebody listed is still there: the words, the times, and that a sign of life brings anybody back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable_net.presence import GONE_SECONDS, REMOVE_SECONDS, Presence, Signs


@pytest.mark.parametrize(
    ("signs", "after", "word"),
    [
        (Signs(0), 100, "listed"),
        (Signs(0, connected=True), 1, "here"),
        (Signs(0, connected=True), GONE_SECONDS + 1, "gone?"),
        (Signs(0, failed=True), 1, "gone?"),
        (Signs(0, failed=True), REMOVE_SECONDS + 1, "removed"),
        (Signs(0, connected=True, failed=True), REMOVE_SECONDS + 1, "removed"),
        (Signs(0, goodbye=True), 0, "removed"),
    ],
)
def test_each_case_has_its_word(signs: Signs, after: float, word: str) -> None:
    """The table at the top of the module."""
    assert signs.presence(after).value == word


def test_a_killed_host_is_doubted_in_time_and_removed_in_time() -> None:
    """ "marked gone? in < 10 s, removed < 30 s", with room for a dial that takes seconds to fail."""
    assert GONE_SECONDS + 2.5 < 10 and REMOVE_SECONDS + 2 * 2.5 < 30


@given(st.booleans(), st.booleans(), st.booleans(), st.floats(0, 1000))
def test_a_sign_of_life_brings_anybody_back(connected: bool, failed: bool, goodbye: bool, now: float) -> None:
    """Whatever was thought of them before."""
    signs = Signs(0, connected=connected, failed=failed, goodbye=goodbye)
    signs.alive(now)
    assert signs.presence(now) is (Presence.HERE if connected else Presence.LISTED)
