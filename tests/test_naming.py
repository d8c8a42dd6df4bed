"""The first run: a person at a terminal is asked for a name, a script never is, and the system's is never taken."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from lantable_console.home import Home
from tests.cli import DOTS, ROOT, Desk, program_environment


def at_a_terminal(home: Path, typed: Sequence[str], *words: str) -> str:
    """Run a command on a terminal of its own, type a line at each `]: ` it asks, hang up; what the screen showed."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "lantable", "--home", str(home), "--plugin", DOTS, *words]
    # In line mode; on the full screen the same question is tried in test_screen_terminal.py.
    environment = program_environment(LANTABLE_PLUGINS="", USER="secret-login", TERM="dumb")
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        screen = b""
        lines = list(typed)
        while True:
            try:
                screen += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if lines and screen.endswith(b"]: "):
                os.write(ours, lines.pop(0).encode() + b"\n")
            elif b"type a move" in screen:
                process.terminate()
        os.close(ours)
    return screen.decode()


def name_of(home: Path) -> str:
    return Home(home).key_file().name


pty = pytest.importorskip("pty", reason="there are no pseudo-terminals on this system")
PLAY = ("play", "dots-and-boxes", "--rules", "size=1x1")


@pytest.mark.parametrize(("typed", "name"), [([" Çağrı "], "Çağrı"), ([""], "player"), (["\x1b[2J", "Ada"], "Ada")])
def test_a_person_is_asked_once(tmp_path: Path, typed: list[str], name: str) -> None:
    """Enter alone is `player`; what others would not see right is asked again; the next run does not ask."""
    assert "What should others call you?" in at_a_terminal(tmp_path, typed, *PLAY)
    assert name_of(tmp_path) == name
    assert "call you" not in at_a_terminal(tmp_path, [], *PLAY)


def test_nobody_is_asked_twice_for_what_the_command_line_says(tmp_path: Path) -> None:
    """--name makes the key under that name, and renames later."""
    for name in ("Ada", "Ada Lovelace"):
        assert "call you" not in at_a_terminal(tmp_path, [], *PLAY, "--name", name)
        assert name_of(tmp_path) == name


def test_a_script_is_never_asked(tmp_path: Path) -> None:
    """And nobody is called by their login name unless they say so."""
    desk = Desk(tmp_path, environment={"LANTABLE_PLUGINS": "", "USER": "secret-login"})
    done = desk(*PLAY, "--auto", "easy")
    assert done.code == 0 and name_of(tmp_path) == "player" and "secret-login" not in done.out


@pytest.mark.parametrize("name", ["", "x" * 65, "\x07"])
def test_a_name_on_the_command_line_is_checked(tmp_path: Path, name: str) -> None:
    """One line, 2, and no key is made."""
    done = Desk(tmp_path)(*PLAY, "--name", name)
    assert done.code == 2 and done.error == "a name is 1 to 64 printable characters" and not Home(tmp_path).has_key()
