"""What starting loads. Whoever only asks what there is should not wait for what it is made of."""

import subprocess
import sys
from collections.abc import Iterable

import pytest

from lantable_console import cli
from tests.cli import program_environment, run

HELP = "from lantable_console.cli import main; main(['--help'])"
MODULE = """
import contextlib, runpy
sys.argv[1:] = ["--help"]
with contextlib.suppress(SystemExit):
    runpy.run_module({!r}, run_name="__main__")
"""
EVERY_HELP = """
from lantable_console.cli import COMMANDS, main
for command in COMMANDS:
    assert main([command.name, "--help"]) == 0
assert main(["--version"]) == 0
"""
HEAVY = {"pluggy", "importlib.metadata", "inspect", "dataclasses", "trio", "nacl", "cryptography", "zeroconf", "ssl"}
HEAVY |= {"asyncio", "prompt_toolkit", "lantable_net", "lantable_replays", "lantable.host", "lantable_console.context"}
OURS = ("lantable_console", "lantable_console.cli", "lantable_console.language")


def loaded(source: str, *options: str) -> set[str]:
    """The modules in a program after some lines of it."""
    code = f"import sys\n{source}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        env=program_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.split())


def test_help_loads_next_to_nothing() -> None:
    """Beside what every Python has: the table, what would translate it, and no argparse, typing or dataclasses."""
    assert loaded(HELP) - loaded("") == {
        "__future__",
        "lantable_console",
        "lantable_console.cli",
        "lantable_console.language",
    }


def test_help_of_the_module_loads_no_more() -> None:
    """`python -m lantable --help`, beside what -m itself needs."""
    more = loaded(MODULE.format("lantable")) - loaded(MODULE.format("keyword"))
    assert more == {"__future__", "lantable", *OURS}


def test_help_of_a_command_loads_nothing_heavy() -> None:
    """ "`--help` imports none of the last two" (pluggy, an entry-point scan), nor what commands are made of."""
    assert not {name for name in loaded(EVERY_HELP) if name in HEAVY}


# -- the page that is drawn without argparse


@pytest.mark.parametrize("line", [["-h"], ["--plain", "--help"], ["--help", "play"]], ids=" ".join)
def test_there_is_one_help(line: list[str]) -> None:
    """However it is asked for, and whether or not argparse was needed to understand that."""
    assert run(*line) == run("--help")
    assert cli.build_parser().format_help() == run("--help").out


def test_help_names_every_command_and_option() -> None:
    """With the same words as argparse has, in lines that fit a narrow terminal."""
    lines = run("--help").lines
    parser = cli.build_parser()
    for command in cli.COMMANDS:
        assert any(words(line) == [command.name, *command.summary.split()] for line in lines)
    for action in parser._actions:
        if action.option_strings and action.dest != "help":
            shown = [*action.option_strings, *filter(None, [action.metavar]), *(action.help or "").split()]
            assert any(words(line) == shown for line in lines), action.dest
    assert max(map(len, lines)) < 80


def words(line: str) -> Iterable[object]:
    return line.split()
