"""The benches run, so that they do not rot, and say what they should. How fast anything is, is not for tests."""

import importlib.util
from pathlib import Path

import pytest
from bench import __main__ as command
from bench import auditing, dealing, endings, fairness, moving, opening, seeing, starting
from bench.measure import Distribution, Target


def test_starting_is_measured_on_an_installed_wheel() -> None:
    """Built, installed into a fresh environment, and started in both ways."""
    for needed in ("hatchling", "pip"):
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"the wheel is made and installed with {needed}, which is not there")
    said: list[str] = []
    targets = starting.run(said.append, starts=1)
    assert len(said) == 3 and said[0].endswith("(floor)")
    assert [target.aim.split(" within")[0] for target in targets] == ["lantable --help", "python -m lantable --help"]


def test_a_move_is_measured_between_two_services(tmp_path: Path) -> None:
    """A whole small game is more than enough, and nothing is left behind."""
    said: list[str] = []
    (target,) = moving.run(said.append, moves=4, size="2x2", folder=tmp_path)
    assert "above" in target.found and "(floor)" in "".join(said) and list(tmp_path.iterdir()) == []


def test_an_audit_is_measured_beside_bare_verifying() -> None:
    """For two seats and for four; the bare loop verifies every signature of the record."""
    said: list[str] = []
    targets = auditing.run(said.append, rounds=1, size="1x1")
    assert len(targets) == 2
    assert "2 seats, 10 signatures" in said[0] and "4 seats, 20 signatures" in said[2]


def test_opening_is_measured_for_information() -> None:
    """Time and memory of each way to open a record."""
    said: list[str] = []
    assert opening.run(said.append, rounds=1, size="1x1") == []
    assert sum("keeps" in line for line in said) == 3


def test_dealing_is_measured_beside_bare_operations() -> None:
    """Five things, each with its floor; the bag is small here."""
    said: list[str] = []
    targets = dealing.run(said.append, rounds=1, tiles=5)
    assert len(targets) == 5 and len(said) == 10 and all("(floor)" in line for line in said[::2])


def test_a_fair_deal_is_measured_between_services(tmp_path: Path) -> None:
    """For two, three and four seats, each game a service of its own; and the audit of what they may write."""
    said: list[str] = []
    targets = fairness.run(said.append, rounds=1, draws=2, folder=tmp_path)
    assert len(targets) == 12 and len(said) == 15 and list(tmp_path.iterdir()) == []


def test_a_distribution_shows_values_that_occurred() -> None:
    """The nearest rank, never something between two measurements; only the median may be."""
    times = Distribution("x", list(range(100, 0, -1)))
    assert [times.at(share) for share in (0.0, 0.5, 0.9, 0.99, 1.0)] == [1, 50, 90, 99, 100]
    assert times.median == 50.5 and "(100 times)" in str(times)
    assert Distribution("x", [7.0]).at(0.5) == 7.0


@pytest.mark.parametrize(("held", "code"), [(True, 0), (False, 1)])
def test_the_exit_code_says_whether_every_target_was_held(
    held: bool, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last lines are the targets, one each."""
    good = Target("one thing", "fine", held=True)
    benches = {"a": lambda _: [good], "b": lambda _: [Target("another", "9.99 x", held)], "c": lambda _: []}
    monkeypatch.setattr(command, "BENCHES", benches)
    assert command.main([]) == code
    assert capsys.readouterr().out.splitlines()[-2:] == [str(good), str(Target("another", "9.99 x", held))]
    assert command.main(["a"]) == 0
    with pytest.raises(SystemExit, match="2"):
        command.main(["zzz"])


def test_seeing_is_measured_beside_bare_zeroconf() -> None:
    """Four times of each kind; where multicast does not work it says so, and holds nothing against anybody."""
    said: list[str] = []
    targets = seeing.run(said.append, rounds=1)
    assert (len(said) == 4 and len(targets) == 2) or "multicast does not work" in said[0]


def test_the_expert_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small board and one game of each side."""
    monkeypatch.setattr(endings, "GAMES", {(2, 2): 2})
    said: list[str] = []
    assert endings.run(said.append) == [] and "expert's moves on 2x2" in said[0] and "boxes" in said[1]
