"""What each part of the program may touch, read off its source.

`violations` holds one module to the tables below; every table is shown a bad module too, since a check that
cannot fail checks nothing. Names are compared as dotted paths, aliases resolved: after `import os as o` the use
`o.fsync` is a mention of `os.fsync`.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
ROOTS = ("core", "net", "plugins", "replays", "console")
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

PURE = ("core", "plugins")
"""The core and the games: values and functions, without clock, chance, file, socket or terminal."""

PURE_STDLIB = frozenset(
    [
        "__future__",
        "abc",
        "array",
        "bisect",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "hmac",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "struct",
        "textwrap",
        "types",
        "typing",
        "unicodedata",
    ]
)
"""All that pure code may import of the standard library. A name missing here is a question, not an oversight."""

NOT_PURE = ("open", "print", "input", "exec", "eval", "__import__", "breakpoint", "json.load", "json.dump")

UPWARD = "core/lantable/__main__.py"
""""The one upward import", so that `python -m lantable` works."""

DIRECTION = {
    "core": ("core",),
    "net": ("core", "net"),
    "replays": ("core", "replays"),
    "plugins": ("core", "plugins"),
    "console": ROOTS,
}
"""Which source roots a source root may import from."""

ONLY_IN = {
    # libraries
    "trio": ("net", "console"),
    "prompt_toolkit": ("console",),
    "zeroconf": ("net",),
    "pluggy": ("core/lantable/hookspecs.py", "core/lantable/host.py"),
    # "One verify" in keys, and the group that hidden tiles are dealt in
    "nacl": ("core/lantable/keys.py", "core/lantable/dealing/group.py"),
    # loading code by name
    "importlib": ("core/lantable/host.py", "net", "replays", "console"),
    # "no zlib/gzip import in net/, core/": nothing that comes from a peer is ever unpacked
    **dict.fromkeys(("zlib", "gzip", "bz2", "lzma", "zipfile", "tarfile"), ("console",)),
    # differences between operating systems
    **dict.fromkeys(
        (
            "fcntl",
            "msvcrt",
            "termios",
            "os.fsync",
            "os.name",
            "os.uname",
            "platform",
            "sys.platform",
            r"signal\.SIG\w+",
        ),
        ("replays/lantable_replays/system.py",),
    ),
}
"""Names (patterns) that may be mentioned only in these folders or files."""


def mentions(tree: ast.AST) -> set[str]:
    """Every dotted name a module imports or uses, aliases resolved as far as imports tell."""
    found: set[str] = set()
    alias: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
            alias |= {name.asname: name.name for name in node.names if name.asname}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            found |= {module, *(f"{module}.{name.name}" for name in node.names)}
            alias |= {name.asname or name.name: f"{module}.{name.name}" for name in node.names}
    found |= {name for node in ast.walk(tree) if (name := dotted(node, alias))}
    return found


def dotted(node: ast.AST, alias: dict[str, str]) -> str | None:
    """`a.b.c` for a chain of attributes that begins with a name, else None."""
    if isinstance(node, ast.Name):
        return alias.get(node.id, node.id)
    if isinstance(node, ast.Attribute) and (before := dotted(node.value, alias)):
        return f"{before}.{node.attr}"
    return None


def imports(tree: ast.AST) -> set[str]:
    """The top-level modules a module imports; a relative import is the name "."."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else (node.module or "").split(".")[0])
    return found


def packages() -> dict[str, str]:
    """Our packages and the source root each lies in. (A folder that holds only old bytecode is none.)"""
    return {path.name: root for root in ROOTS for path in (ROOT / root).iterdir() if any(path.glob("*.*"))}


def lies_in(path: str, places: tuple[str, ...]) -> bool:
    """Whether a file is one of these files or lies in one of these folders."""
    return any(PurePosixPath(path).is_relative_to(place) for place in places)


def violations(path: str, source: str) -> Iterator[str]:
    """What a module must not do, given where it lies; `path` is relative to the repository."""
    tree, root = ast.parse(source), path.split("/")[0]
    named = mentions(tree)
    ours = packages()
    for module in sorted(imports(tree)):
        if module in ours and ours[module] not in DIRECTION[root] and path != UPWARD:
            yield f"{path} imports {module}, which lies in {ours[module]}"
        if root in PURE and module not in PURE_STDLIB and module not in ours and not allowed(path, module):
            yield f"{path} imports {module}, and {root} is pure"
    for pattern, places in ONLY_IN.items():
        hits = [name for name in sorted(named) if re.fullmatch(rf"{pattern}(\..*)?", name)]
        if hits and not lies_in(path, places):
            yield f"{path} mentions {hits[0]}, which belongs in {' or '.join(places)}"
    if root in PURE:
        for name in sorted(named):
            if re.fullmatch("|".join(map(re.escape, NOT_PURE)), name):
                yield f"{path} mentions {name}, and {root} is pure"


def allowed(path: str, module: str) -> bool:
    """What a few files of the core may import beyond the pure list, each by name."""
    return lies_in(path, ONLY_IN.get(module, ())) or (module == "sys" and path in (UPWARD, "core/lantable/host.py"))


def sources(*roots: str) -> list[Path]:
    """Every Python file below these folders."""
    return [path for root in roots for path in sorted((ROOT / root).rglob("*.py"))]


# -- the program


def test_every_module_keeps_to_its_place() -> None:
    """Pure core, direction of imports, and who may mention what."""
    found = [
        fault
        for path in sources(*ROOTS)
        for fault in violations(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        # the core and the games are pure
        ("core/lantable/chain.py", "import time"),
        ("core/lantable/chain.py", "from datetime import datetime"),
        ("core/lantable/chain.py", "import random"),
        ("core/lantable/chain.py", "from secrets import token_bytes"),
        ("core/lantable/chain.py", "import os.path"),
        ("core/lantable/chain.py", "from pathlib import Path"),
        ("core/lantable/chain.py", "import socket"),
        ("core/lantable/chain.py", "def f():\n    import ssl"),
        ("core/lantable/chain.py", "import sys"),
        ("core/lantable/chain.py", "import importlib.metadata"),
        ("core/lantable/chain.py", "import locale"),
        ("core/lantable/chain.py", "open('x')"),
        ("core/lantable/chain.py", "print('x')"),
        ("core/lantable/chain.py", "show = print"),
        ("core/lantable/chain.py", "x = input()"),
        ("core/lantable/chain.py", "__import__('os')"),
        ("core/lantable/chain.py", "import json as j\nj.load(f)"),
        ("plugins/lantable_dots_and_boxes/rules.py", "import random"),
        ("plugins/lantable_dots_and_boxes/rules.py", "open('x')"),
        ("plugins/lantable_dots_and_boxes/rules.py", "import numpy"),
        # direction of imports
        ("core/lantable/chain.py", "import lantable_net"),
        ("core/lantable/chain.py", "from lantable_console.cli import main"),
        ("net/lantable_net/session.py", "from lantable_replays import record"),
        ("net/lantable_net/session.py", "import lantable_dots_and_boxes"),
        ("replays/lantable_replays/record.py", "import lantable_net.session"),
        ("replays/lantable_replays/record.py", "from lantable_console import cli"),
        ("plugins/lantable_dots_and_boxes/rules.py", "import lantable_net"),
        ("plugins/lantable_dots_and_boxes/rules.py", "from lantable_replays.record import read"),
        # who may mention what
        ("core/lantable/fold.py", "import trio"),
        ("replays/lantable_replays/record.py", "from trio import to_thread"),
        ("net/lantable_net/session.py", "import prompt_toolkit"),
        ("console/lantable_console/lobby.py", "import zeroconf"),
        ("console/lantable_console/cli.py", "import pluggy"),
        ("net/lantable_net/handshake.py", "import nacl.bindings"),
        ("core/lantable/dealing/egb1.py", "import nacl.bindings"),
        ("net/lantable_net/stream.py", "import zlib"),
        ("core/lantable/canonical.py", "import gzip"),
        ("replays/lantable_replays/record.py", "import zipfile"),
        ("replays/lantable_replays/record.py", "import os\nos.fsync(1)"),
        ("replays/lantable_replays/record.py", "import os as o\no.fsync(1)"),
        ("replays/lantable_replays/record.py", "from os import fsync"),
        ("console/lantable_console/cli.py", "import signal\nsignal.signal(signal.SIGTERM, f)"),
        ("console/lantable_console/cli.py", "from signal import SIGHUP"),
        ("console/lantable_console/cli.py", "import sys\nif sys.platform == 'win32': pass"),
        ("console/lantable_console/cli.py", "import os\nos.name"),
        ("console/lantable_console/cli.py", "import fcntl"),
        ("net/lantable_net/trust.py", "import msvcrt"),
    ],
)
def test_a_module_out_of_place_is_found(path: str, source: str) -> None:
    """One bad module for each rule."""
    assert list(violations(path, source))


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (UPWARD, "import sys\nfrom lantable_console.cli import main"),
        ("core/lantable/host.py", "import importlib.util\nimport sys\nimport pluggy"),
        ("core/lantable/keys.py", "import nacl.bindings as sodium"),
        ("core/lantable/chain.py", "from collections.abc import Callable\nopening = 1\nself.open()"),
        ("replays/lantable_replays/system.py", "import os, sys, fcntl\nos.fsync(1)\nsys.platform"),
        ("net/lantable_net/discovery.py", "import trio, zeroconf, socket, time"),
        (
            "console/lantable_console/app.py",
            "import lantable_net, lantable_replays, prompt_toolkit, trio, sys\nprint(sys.argv)",
        ),
    ],
)
def test_what_is_in_its_place_passes(path: str, source: str) -> None:
    """The rules are about these things and no others."""
    assert not list(violations(path, source))


def loaded_with(path: Path) -> set[str]:
    """What is imported while a module is: not what only its types name, nor what a function imports later."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return mentions(ast.Module([node for node in body if isinstance(node, ast.Import | ast.ImportFrom)], []))


def test_no_modules_import_each_other_in_a_circle() -> None:
    """What is below knows nothing of what is built on it, so every file can be read after those it needs."""
    files = [path.relative_to(ROOT) for path in sources(*ROOTS)]
    modules = {".".join(file.with_suffix("").parts[1:]): ROOT / file for file in files}
    needs = {module: loaded_with(path) & modules.keys() - {module} for module, path in modules.items()}
    while free := [module for module, needed in needs.items() if not needed & needs.keys()]:
        for module in free:
            del needs[module]
    assert not needs, f"these need each other: {needs}"


# -- the tests


def sleeps(source: str) -> Iterator[int]:
    """Lines that sleep for a fixed time.

    A sleep inside a loop is a poll or a pace (a slow sender); outside of one it is a guess how long something
    takes, and `trio.sleep(0)` is no sleep.
    """
    tree = ast.parse(source)
    looped = {id(node) for loop in ast.walk(tree) if isinstance(loop, ast.For | ast.While) for node in ast.walk(loop)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not re.fullmatch(r"(\w+\.)?sleep", dotted(node.func, {}) or ""):
            continue
        checkpoint = [arg.value for arg in node.args if isinstance(arg, ast.Constant)] == [0]
        if id(node) not in looped and not checkpoint:
            yield node.lineno


def test_no_test_sleeps_for_a_fixed_time() -> None:
    """Virtual clocks, events, and polling with a limit instead."""
    found = [f"{path.name}:{line}" for path in sources("tests") for line in sleeps(path.read_text(encoding="utf-8"))]
    assert not found, f"these wait and hope: {found}"


@pytest.mark.parametrize("call", ["time.sleep(1)", "await trio.sleep(0.1)", "sleep(DELAY)", "await asyncio.sleep(2)"])
def test_a_fixed_sleep_is_found(call: str) -> None:
    """Whatever it is called through."""
    assert list(sleeps(f"async def test():\n    {call}")) == [2]
    assert not list(sleeps(f"async def until(done):\n    while not done():\n        {call}"))
    assert not list(sleeps("async def test():\n    await trio.sleep(0)\n    await trio.sleep_forever()"))


# -- the packages


def test_the_wheel_holds_exactly_the_packages_there_are() -> None:
    """A package left out of the list would work here and be missing for everyone else."""
    listed = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(listed) == sorted(f"{root}/{name}" for name, root in packages().items())


def test_every_tool_knows_every_source_root() -> None:
    """Editable installs, mypy, pyright and ruff are told the same folders."""
    tool = PYPROJECT["tool"]
    assert tool["hatch"]["build"]["dev-mode-dirs"] == list(ROOTS)
    assert tool["mypy"]["mypy_path"] == tool["pyright"]["include"] == tool["pyright"]["extraPaths"] == list(ROOTS)
    assert set(ROOTS) <= set(tool["mypy"]["files"]) and set(ROOTS) <= set(tool["ruff"]["src"])


def test_every_package_is_typed_and_says_what_it_is() -> None:
    """py.typed for type checkers, a docstring for people."""
    for name, root in packages().items():
        folder = ROOT / root / name
        assert (folder / "py.typed").is_file(), f"{root}/{name}"
        assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))), f"{root}/{name}"


def test_every_plugin_that_is_shipped_is_registered() -> None:
    """As a stranger's would be: by an entry point."""
    entry_points = PYPROJECT["project"]["entry-points"]["lantable"]
    assert set(entry_points.values()) == {name for name, root in packages().items() if root == "plugins"}


def test_every_module_says_what_it_is_for() -> None:
    """The theory stands at the top of the file."""
    silent = [
        path for path in sources(*ROOTS, "tests") if path.read_text(encoding="utf-8").strip() and not _docstring(path)
    ]
    assert not silent


def _docstring(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
