"""How long a person waits for `lantable --help`, beside a bare interpreter.

Measured on what users have: a fresh environment with the wheel in it, installed by pip, with pip's own script and
compiled modules. (An editable install searches five more folders.) `--help` needs no dependency, so none is there.
"""

import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.measure import Distribution, Say, Target

ROOT: Final = Path(__file__).parent.parent
MOST: Final = 2.5
"""Times a bare interpreter: room for one import such as argparse, none for pluggy or a scan of entry points."""
STARTS: Final = 60


def run(say: Say, starts: int = STARTS) -> list[Target]:
    """`lantable --help` to its end, beside `python -c pass`, in a fresh environment."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        programs = install(Path(name))
        commands = {
            "bare": [str(programs / "python"), "-c", "pass"],
            "lantable --help": [str(programs / "lantable"), "--help"],
            "python -m lantable --help": [str(programs / "python"), "-m", "lantable", "--help"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(starts):
            for name, command in commands.items():
                times[name].append(milliseconds(command))
    floor, *found = (Distribution(name, values) for name, values in times.items())
    say(f"{floor}  (floor)")
    targets: list[Target] = []
    for one in found:
        ratio = one.median / floor.median
        say(f"{one}  {ratio:.2f} x floor")
        targets.append(Target(f"{one.name} within {MOST} x a bare interpreter", f"{ratio:.2f} x", ratio <= MOST))
    return targets


def install(folder: Path) -> Path:
    """Build the wheel and install it into a fresh environment in `folder`; where its programs are."""
    venv.create(folder / "venv", symlinks=True)
    programs = folder / "venv" / "bin"
    quietly(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    (wheel,) = folder.glob("*.whl")
    pip = (sys.executable, "-m", "pip", "--python", str(programs / "python"), "--disable-pip-version-check")
    quietly(*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    return programs


def quietly(*command: str) -> None:
    """Run a command that must succeed; what it said is shown only if it does not."""
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def environment() -> dict[str, str]:
    """Ours without Python's own settings: one of them keeps compiled modules from being written."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def milliseconds(command: Sequence[str]) -> float:
    """From starting a program until it has ended well."""
    env = environment()
    begin = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - begin)
