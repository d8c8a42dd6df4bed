"""Commands as a person runs them: what they printed, and how they ended.

    desk = Desk(tmp_path)                     one player's folder, with Dots and Boxes and the toy game
    desk.keep(sitting)                        put a record into it
    desk("log", "show", "4f1c")               a command run in this process
    desk("replay", "4f1c", typed="n\\nquit\\n")
    program("--help")                         the same as a program of its own

In this process the output goes through real text streams, so that encoding is tried too.
"""

import io
import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from lantable_console import cli
from lantable_replays.archive import Archive
from tests.games import Sitting

ROOT = Path(__file__).parent.parent
ROOTS = ("core", "net", "plugins", "replays", "console")
DOTS = str(ROOT / "plugins" / "lantable_dots_and_boxes" / "__init__.py")
SCRABBLE = str(ROOT / "plugins" / "lantable_binary_scrabble" / "__init__.py")
TOY = str(ROOT / "tests" / "toy.py")


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def error(self) -> str:
        """The one line on stderr."""
        (line,) = self.err.splitlines()
        assert line.startswith("lantable: "), line
        return line.removeprefix("lantable: ")

    @property
    def active(self) -> set[str]:
        """Characters printed that a terminal would obey, or that turn or hide text; none, if all is well."""
        return {char for char in self.out + self.err if char not in "\n " and unicodedata.category(char)[0] in "CZ"}


def run(*args: str, typed: str | bytes = "", encoding: str = "utf-8", **environment: str) -> Done:
    """One command line, run in this process; `environment` is all it finds of ours there."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2))
    data = typed.encode() if isinstance(typed, str) else typed
    with (
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding)),
        mock.patch.dict(os.environ, _clean(environment), clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = cli.main(args)
    return Done(code, _printed(out, encoding), _printed(err, encoding))


def _printed(stream: io.TextIOWrapper, encoding: str) -> str:
    raw = stream.detach()
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode(encoding)


def _clean(environment: dict[str, str]) -> dict[str, str]:
    ours = ("LANTABLE_", "PYTHONIOENCODING", "PYTHONUNBUFFERED")
    outside = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**outside, **environment}


@dataclass
class Desk:
    """One player's folder, and the commands run in it. No installed plugin is loaded, only these files."""

    home: Path
    plugins: Iterable[str] = (DOTS, TOY)
    encoding: str = "utf-8"
    environment: dict[str, str] = field(default_factory=lambda: {"LANTABLE_PLUGINS": ""})

    def __call__(self, *args: str, typed: str | bytes = "") -> Done:
        files = [part for path in self.plugins for part in ("--plugin", path)]
        line = ("--home", str(self.home), *files, *args)
        return run(*line, typed=typed, encoding=self.encoding, **self.environment)

    @property
    def archive(self) -> Archive:
        return Archive(self.home / "records", self.home / "marks")

    def keep(self, *sittings: Sitting) -> str:
        """Put records into the folder; the id of the last one."""
        archive = self.archive
        archive.folder.mkdir(parents=True, exist_ok=True)
        for sitting in sittings:
            archive.path(sitting.game).write_bytes(sitting.data)
        return sittings[-1].game.hex()


def program(*args: str, python: Iterable[str] = (), folder: Path = ROOT, **environment: str) -> Done:
    """`python -m lantable` with these arguments, as a program of its own; `python` are options of the interpreter."""
    done = subprocess.run(
        [sys.executable, *python, "-m", "lantable", *args],
        env=program_environment(**environment),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def program_environment(**environment: str) -> dict[str, str]:
    """What such a program finds: our sources, and of ours nothing but what is given."""
    path = os.pathsep.join([environment.pop("PYTHONPATH", ""), *(str(ROOT / root) for root in ROOTS)]).strip(os.pathsep)
    return {**_clean({}), "PYTHONPATH": path, **environment}
