"""What is handed on: the wheel, an outside plugin beside it, and the two commands of a checkout."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import EntryPoint, version
from pathlib import Path

import pytest

from lantable.dealing import group
from tests.test_architecture import PYPROJECT, ROOT, ROOTS
from tests.test_host import good, install


def run(*command: str, cwd: Path = ROOT, **environment: str) -> str:
    """What a command printed; it must succeed."""
    done = finished(*command, cwd=cwd, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def finished(*command: str, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A command that ended. These tests may themselves run under make, which must not tell an inner one anything."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        command, cwd=cwd, env={**outside, **environment}, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked: a folder from which it can be imported."""
    pytest.importorskip("hatchling", reason="the wheel is built with hatchling, which is not installed here")
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    (built,) = folder.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def files(folder: Path) -> set[str]:
    """Every file below a folder, as a path relative to it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def info(wheel: Path) -> Path:
    """The folder of the wheel's metadata."""
    (folder,) = wheel.glob("*.dist-info")
    return folder


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path) -> None:
    """Each module, py.typed, sample, part of a page and compiled catalogue; no tests, no docs, nothing else."""
    ours = {
        name
        for root in ROOTS
        for name in files(ROOT / root)
        if name.endswith((".py", "py.typed", ".jsonl", ".mo", ".html", ".css", ".js")) and "/." not in name
    }
    ours |= {name.removesuffix(".po") + ".mo" for root in ROOTS for name in files(ROOT / root) if name.endswith(".po")}
    held = {name for name in files(wheel) if not name.startswith(info(wheel).name)}
    assert held == ours


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    """License, the oldest Python, and one version everywhere."""
    metadata = (info(wheel) / "METADATA").read_text(encoding="utf-8")
    project = PYPROJECT["project"]
    for line in (f"Version: {project['version']}", "License-Expression: MIT", "License-File: LICENSE"):
        assert f"\n{line}\n" in metadata
    assert f"\nRequires-Python: {project['requires-python']}\n" in metadata
    assert (info(wheel) / "licenses" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    named = re.search(r'^__version__ = "(.*)"$', (wheel / "lantable" / "__init__.py").read_text(), re.MULTILINE)
    assert named is not None and named[1] == project["version"]


def test_the_wheel_registers_the_command_and_the_game(wheel: Path) -> None:
    """As pyproject.toml says, and each names a module that is in the wheel."""
    text = (info(wheel) / "entry_points.txt").read_text(encoding="utf-8")
    project = PYPROJECT["project"]
    for name, value in {**project["scripts"], **project["entry-points"]["lantable"]}.items():
        assert f"\n{name} = {value}\n" in text
        module = EntryPoint(name, value, "").module.replace(".", "/")
        assert (wheel / f"{module}.py").exists() or (wheel / module / "__init__.py").exists()


LOAD = """
import lantable, sys
from lantable.host import Host
host = Host.load(only=["dots-and-boxes", "stranger_rule"])
print(lantable.__file__)
print([(plugin.name, plugin.error) for plugin in host.plugins])
"""


def test_an_outside_plugin_runs_beside_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """Installed, not checked out: a stranger's package is found by its entry point."""
    install(tmp_path, stranger_rule=good("a-rule"))
    printed = run(sys.executable, "-c", LOAD, cwd=tmp_path, PYTHONPATH=os.pathsep.join([str(wheel), str(tmp_path)]))
    where, plugins = printed.splitlines()
    assert Path(where).is_relative_to(wheel)
    assert plugins == "[('dots-and-boxes', None), ('stranger_rule', None)]"


@pytest.mark.parametrize(("code", "said"), [("it", "nessuno: "), ("tr", "yok: ")])
def test_the_wheel_speaks_every_language(wheel: Path, tmp_path: Path, code: str, said: str) -> None:
    """The compiled catalogues are in it, and found there."""
    command = (sys.executable, "-m", "lantable", "--lang", code, "config", "path")
    assert run(*command, cwd=tmp_path, PYTHONPATH=str(wheel), LANTABLE_CONFIG="").startswith(said)


def test_the_wheel_makes_pages(wheel: Path, tmp_path: Path) -> None:
    """What they are made of is no Python, and in it all the same."""
    command = (sys.executable, "-m", "lantable", "page", "--sample", "turned", "--to", str(tmp_path / "turned.html"))
    run(*command, cwd=tmp_path, PYTHONPATH=str(wheel), LANTABLE_CONFIG="")
    assert (tmp_path / "turned.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_every_dependency_is_named_with_a_lower_bound() -> None:
    """An old one is then refused by pip and not by a stranger's bug report."""
    project = PYPROJECT["project"]
    for dependency in sum(project["optional-dependencies"].values(), project["dependencies"]):
        assert re.fullmatch(r"[A-Za-z-]+(\[[a-z]+\])?>=[0-9.]+", dependency), dependency


def numbers(version: str) -> tuple[int, ...]:
    """`0.149.16` as numbers that compare."""
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


@pytest.mark.parametrize(("name", "floor"), PYPROJECT["tool"]["lantable"]["floors"].items())
def test_nothing_installed_has_a_hole_that_is_known(name: str, floor: str) -> None:
    """And pip installs nothing older than that either."""
    assert numbers(version(name)) >= numbers(floor), f"update it: python -m pip install --upgrade '{name}>={floor}'"
    assert f"{name}>={floor}" in PYPROJECT["project"]["dependencies"]


def test_the_floor_of_pynacl_is_that_of_the_self_test() -> None:
    """The program itself refuses an older one."""
    assert numbers(PYPROJECT["tool"]["lantable"]["floors"]["PyNaCl"]) == group.PYNACL


# -- the commands of a checkout


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed here")
def test_make_alone_lists_its_targets() -> None:
    """Every target a person may call, each with a few words."""
    printed = run("make")
    listed = re.findall(r"^  make (\w+) +\S", printed, re.MULTILINE)
    (phony,) = re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(listed) == set(phony.split()) - {"help"} and {"play", "test", "check"} <= set(listed)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed here")
@pytest.mark.parametrize("python", ["false", "/nowhere/python3"])
def test_make_says_in_one_line_that_python_is_too_old(tmp_path: Path, python: str) -> None:
    """What is missing and what to do, before anything is made."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    done = finished("make", "play", f"PYTHON={python}", cwd=tmp_path)
    assert done.returncode != 0 and not (tmp_path / ".venv").exists()
    (said,) = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("make: ***")]
    assert "Python 3.11 or newer is needed" in said and "PYTHON=" in said


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed here")
def test_the_ci_script_can_run() -> None:
    """Executable, and bash can read it."""
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    run("bash", "-n", ".ci/run")


def test_the_oldest_python_is_named_once() -> None:
    """pyproject, pyright, ruff and the Makefile speak of the same version."""
    oldest = PYPROJECT["project"]["requires-python"].removeprefix(">=")
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert tool["pyright"]["pythonVersion"] == oldest
    assert tool["ruff"]["target-version"] == "py" + oldest.replace(".", "")
    assert f"({oldest.replace('.', ', ')})" in (ROOT / "Makefile").read_text()
