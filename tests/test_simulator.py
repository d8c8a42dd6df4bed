"""The seeded simulator: honest sessions keep every promise in every weather, and each rule is needed.

Marked (!) in the design are the rules without which some run breaks a promise. Each is switched off here, and
the simulator must find the fault; otherwise its silence about the real thing would mean nothing.
"""

import pytest

from tests.conftest import EVIDENCE
from tests.simulator import DEALT, MUTANTS, WEATHERS, Violation, World, sweep

SEEDS = 20_000 if EVIDENCE else 500
DEALT_SEEDS = 1000 if EVIDENCE else 6
CHUNKS = 10


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_honest_sessions_keep_every_promise(chunk: int) -> None:
    """No seat signs twice, nothing acknowledged is lost, no proof against the honest, every game ends, files equal."""
    size = SEEDS // CHUNKS
    assert sweep(range(chunk * size, (chunk + 1) * size)) is None


@pytest.mark.parametrize("weather", DEALT)
def test_the_same_while_tiles_are_dealt_by_all(weather: str) -> None:
    """Crashes, restored backups and lost messages in every state of the dealing; the audit is content at the end."""
    for seed in range(DEALT_SEEDS):
        World(seed, weather).run()


@pytest.mark.parametrize("rule", MUTANTS)
def test_each_rule_is_needed(rule: str) -> None:
    """With one rule switched off the fault is found."""
    mutant = MUTANTS[rule]
    for seed in range(1000):
        try:
            World(seed, mutant.weather, mutant=mutant).run()
        except Violation:
            return
    pytest.fail(f"a thousand runs in {mutant.weather} weather found nothing wrong without: {rule}")


def test_clocked_games_end_by_moves_and_by_time() -> None:
    """Else the runs with clocks would show little."""
    ends: set[tuple[bool, bool]] = set()
    for seed in range(20):
        world = World(seed, "calm").run()
        outcome = world._table(world.homes[0].disk.lines).position.outcome
        assert outcome is not None
        ends.add((world.clock is not None, outcome.how == "played out"))
    assert ends == {(False, True), (True, True), (True, False)}


def test_a_seed_names_a_run_for_ever() -> None:
    """The same seed gives the same bytes on every disk."""
    for weather in WEATHERS:
        one, other = (World(7, weather).run() for _ in range(2))
        assert [home.disk.lines for home in one.homes] == [home.disk.lines for home in other.homes]
