"""Binary Scrabble and Number Scrabble as whole games of the table: everything every game must keep, and the bag."""

from hypothesis import strategies as st

from lantable_binary_scrabble.rules import BINARY_SCRABBLE, NUMBER_SCRABBLE
from tests.conformance import Check, Playout, conforms

OPTIONS = st.sampled_from(
    [
        "scoreless_limit=1",
        "strict,rack_size=7,scoreless_limit=1,redraw_dead_opening=yes",
        "training,rack_size=7,scoreless_limit=1,endgame=scrabble,cross_runs=numbers",
    ]
)


@conforms(BINARY_SCRABBLE, OPTIONS, examples=3)
def test_binary_scrabble_conforms(check: Check, playout: Playout) -> None:
    check(playout)


@conforms(NUMBER_SCRABBLE, OPTIONS, examples=2)
def test_number_scrabble_conforms(check: Check, playout: Playout) -> None:
    check(playout)
