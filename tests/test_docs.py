"""The pages are tied to the program: what they name exists, and what exists is named.

    python -m tests.test_docs       writes anew the tables of keys and messages, and the game in the README

Commands and code on the pages of plugins and records are tested beside their subjects.
"""

import argparse
import ast
import functools
import importlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from bench.__main__ import BENCHES

from lantable.events import Ack, Nack, Notice, Offer, Seat
from lantable.keys import PrivateKey
from lantable_console import cli, commands
from lantable_console.screen import keys
from lantable_net import messages
from lantable_net.messages import LINE_ROW, WIRE, Message
from lantable_replays import audit
from tests.simulator import MUTANTS
from tests.test_architecture import ROOT, ROOTS, packages

README: Final = ROOT / "README.md"
WIRE_PAGE: Final = ROOT / "docs" / "wire-format.md"
SECURITY_PAGE: Final = ROOT / "docs" / "security.md"
START_PAGE: Final = ROOT / "docs" / "start.md"
PAGES: Final = (README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def fenced(page: Path, info: str | None = None) -> list[str]:
    """The fenced blocks of a page, or those of one language."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL)
    return [body for language, body in blocks if info in (None, language)]


def prose(page: Path) -> str:
    """A page without its fenced blocks and comments."""
    text = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def inline(page: Path) -> list[str]:
    """What stands between backticks in the prose of a page."""
    return re.findall(r"`([^`\n]+)`", prose(page))


def rows(page: Path, *columns: str) -> list[list[str]]:
    """The rows of every table of a page whose header is `columns`, cell by cell."""
    found: list[list[str]] = []
    head: list[str] | None = None
    for line in text_of(page).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if cells is None:
            head = None
        elif head is None:
            head = cells
        elif head == list(columns) and not set("".join(cells)) <= set("-"):
            found.append(cells)
    assert found, f"{page.name} has no table of {', '.join(columns)}"
    return found


# -- links and names


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the common renderers make them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    """A file of the project, and if the link names a heading, that heading."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(there), f"{page.name}: {target}"


def test_the_readme_leads_to_every_page() -> None:
    """And names every folder of the project."""
    text = text_of(README)
    missing = [page.name for page in PAGES if page != README and f"({page.relative_to(ROOT).as_posix()})" not in text]
    assert not missing
    assert not [folder for folder in (*ROOTS, "tests", "docs", "bench") if f"{folder}/" not in text]


def modules(name: str) -> Iterator[Any]:
    """Our modules of this name, in whichever packages."""
    for package, root in packages().items():
        for path in sorted((ROOT / root / package).rglob(f"{name}.py")):
            yield importlib.import_module(".".join(path.relative_to(ROOT / root).with_suffix("").parts))


def resolves(name: str) -> bool:
    """Whether `module.Class.method` is there."""
    module, *attributes = name.split(".")
    for found in modules(module):
        for attribute in attributes:
            found = getattr(found, attribute, None)
        if found is not None:
            return True
    return False


@every_page
def test_names_of_the_program_exist(page: Path) -> None:
    """`session.Session.receive` and the like: a module of ours, and what is in it."""
    named = [re.match(r"[a-z_]+(\.\w+)+", token) for token in inline(page)]
    ours = {path.stem for root in ROOTS for path in (ROOT / root).rglob("*.py")}
    files = (".py", ".md", ".json", ".jsonl", ".toml")
    names = [match[0] for match in named if match and match[0].split(".")[0] in ours]
    assert not [name for name in names if not name.endswith(files) and not resolves(name)]


@every_page
def test_tests_that_are_named_exist(page: Path) -> None:
    """As file::function, in the folder of tests."""
    named = re.findall(r"`(?:tests/)?(\w+\.py)::(\w+)`", text_of(page))
    assert not [f"{file}::{name}" for file, name in named if name not in functions_of(file)]


@functools.cache
def functions_of(file: str) -> set[str]:
    """The names of the functions of a test file; none if there is no such file."""
    path = ROOT / "tests" / file
    if not path.exists():
        return set()
    tree = ast.parse(text_of(path))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_threat_has_its_test() -> None:
    """Or says that it belongs to what does not exist yet."""
    untested = [row[0] for row in rows(SECURITY_PAGE, "threat", "defence", "test") if not re.search("::|later", row[2])]
    assert not untested


# -- the command line


def options(parser: argparse.ArgumentParser, called: str) -> Iterator[tuple[str, str]]:
    """Every command with each of its options; a command without any comes with ""."""
    yield called, ""
    for action in parser._actions:  # argparse offers no other way to ask
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                yield from options(sub, f"{called} {name}")
        else:
            yield from ((called, option) for option in action.option_strings if option.startswith("--"))


def test_every_command_and_option_is_told() -> None:
    """In the list of the page for beginners: each command of the table with exactly its own options."""
    told: dict[str, set[str]] = {}
    for names, given in rows(START_PAGE, "command", "options"):
        for command in re.findall(r"`([^`]+)`", names) or ["all"]:
            told[command] = set(re.findall(r"`(--[a-z-]+)`", given))
    common = told.pop("all")
    there: dict[str, set[str]] = {}
    for called, option in options(cli.build_parser(), "lantable"):
        there.setdefault(called, set()).update({option} - {""} - common)
    groups = {called for called in there if any(other.startswith(f"{called} ") for other in there)} - {"lantable"}
    assert told == {called: given for called, given in there.items() if called not in groups}
    assert {command.name for command in cli.COMMANDS} == {called.split()[1] for called in told if " " in called}


def command_lines(lines: list[str]) -> list[str]:
    """Those lines that begin with the program, however it is called there, without what leads to it."""
    bare = [re.sub(r"^(\$ )?(uvx --from \. )?(\.venv[/\\](bin|Scripts)[/\\])?", "", line) for line in lines]
    return [line for line in bare if re.match(r"lantable( |$)", line)]


def parses(line: str) -> bool:
    """Whether the program's own parser takes it."""
    try:
        cli.build_parser().parse_args(shlex.split(line)[1:])
    except SystemExit as stop:
        return stop.code == 0
    return True


@every_page
def test_every_command_line_can_be_typed(page: Path) -> None:
    """Those in blocks as they stand; those in a sentence may also be a command's name alone."""
    lines = [line for block in fenced(page) for line in block.splitlines()]
    assert not [line for line in command_lines(lines) if not parses(line)]
    names = {called for called, _ in options(cli.build_parser(), "lantable")}
    assert not [line for line in command_lines(inline(page)) if line not in names and not parses(f"{line} --help")]


@every_page
def test_every_make_target_exists(page: Path) -> None:
    """Those in blocks and between backticks."""
    phony = re.findall(r"^\.PHONY: (.*)$", text_of(ROOT / "Makefile"), re.MULTILINE)[0].split()
    named = re.findall(r"(?:^|`)make ([a-z]+)\b", "\n".join([*fenced(page), text_of(page)]), re.MULTILINE)
    assert set(named) <= set(phony)


@every_page
def test_every_bench_exists(page: Path) -> None:
    """A figure without a command that measures it is no figure."""
    assert set(re.findall(r"python -m bench (\w+)", text_of(page))) <= set(BENCHES)


def test_the_exit_codes_are_those_of_the_program() -> None:
    """One row a code, and the order of the worst."""
    told = {row[0] for row in rows(START_PAGE, "code", "meaning")}
    codes = {*audit.WORST_FIRST, cli.USAGE, cli.CANNOT_JUDGE, cli.UNREADABLE, cli.OUR_BUG}
    assert told == {str(code) for code in codes} | {"128 + n"}
    assert f"in the order {', '.join(map(str, audit.WORST_FIRST))}." in text_of(START_PAGE)
    assert {f"{cli.INTERRUPTED} for Ctrl-C", f"{cli.PIPE_CLOSED} if"} <= set(
        re.findall(r"\d+ for Ctrl-C|\d+ if", text_of(START_PAGE))
    )


# -- the wire

KEY: Final = PrivateKey(bytes(32))
GAME: Final = bytes(16)
OFFER: Final = Offer(
    game="g",
    version="1",
    digest=bytes(32),
    options={},
    house_rules=(),
    seats=(Seat(KEY.public, "Ada"),),
    nonce=bytes(32),
)
SAMPLES: Final[dict[str, tuple[Message, ...]]] = {
    "tables": (messages.Tables((), 0),),
    "join": (messages.Join("t"),),
    "watch": (messages.Watch("t"),),
    "offer": (messages.Proposal("t", OFFER, {}),),
    "accept": (messages.Accept(OFFER.hash, bytes(32)),),
    "decline": (messages.Decline("t", "no"),),
    "ack": (Ack(GAME, 0, bytes(32), 0, bytes(64)),),
    "head": (
        messages.Head(GAME, 0, bytes(32), sealed=True, file=bytes(32)),
        messages.Head(GAME, 0, bytes(32), sealed=True),
    ),
    "notice": (
        Notice(game=GAME, head=bytes(32), seat=0, kind="takeback", to=0, sig=bytes(64)),
        Notice(game=GAME, head=bytes(32), seat=0, kind="draw", sig=bytes(64)),
    ),
    "drop": (messages.Drop(GAME, 0, "draw"),),
    "nack": (Nack(GAME, 0, bytes(32), "drawn", 0, bytes(64)),),
    "proof": (messages.Proof(GAME, {}),),
    "rematch": (messages.Rematch(GAME, (0, 2), bytes(32)), messages.Rematch(GAME)),
    "chat": (messages.Chat("hello", GAME), messages.Chat("hello")),
    "away": (messages.Away(away=True),),
    "beat": (messages.Beat(),),
    "bye": (messages.Bye("enough"),),
}
"""One message of each kind with every field, and where fields may be missing one without them."""


def fields(kind: str) -> dict[str, bool]:
    """The fields of a message, and whether each is always there."""
    written = [WIRE[kind].write(sample) for sample in SAMPLES[kind]]
    return {name: all(name in fields for fields in written) for name in written[0]}


def wire_table() -> str:
    """The table of messages as the program has it."""
    sender, when, purpose = LINE_ROW
    lines = ["| message | sent by | when | what for | fields |", "|---|---|---|---|---|"]
    lines.append(f"| `line` | {sender.value} | {when.value} | {purpose} | the record line itself |")
    for kind, row in WIRE.items():
        named = ", ".join(f"`{name}`" + "?" * (not always) for name, always in fields(kind).items())
        lines.append(f"| `{kind}` | {row.sender.value} | {row.when.value} | {row.purpose} | {named} |")
    return "\n".join(lines) + "\n"


def with_wire_table(text: str) -> str:
    """The page with the table in its place."""
    before, start, rest = text.partition("<!-- wire -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    return before + start + wire_table() + end + after


def test_the_table_of_messages_is_the_programs() -> None:
    """Name, sender, time, purpose, fields; otherwise: python -m tests.test_docs"""
    assert set(SAMPLES) == set(WIRE)
    assert text_of(WIRE_PAGE) == with_wire_table(text_of(WIRE_PAGE))


def test_every_field_of_every_message_is_told() -> None:
    """A row each, and none that does not exist."""
    told = [(row[0].strip("`"), row[1].strip("`")) for row in rows(WIRE_PAGE, "message", "field", "what it is")]
    assert sorted(told) == sorted((kind, name) for kind in WIRE for name in fields(kind))


def test_every_limit_is_the_programs() -> None:
    """The number beside each name is the number in the code."""
    for name, value, _ in rows(WIRE_PAGE, "limit", "value", "what for"):
        module, constant = name.strip("`").split(".")
        found = [getattr(module, constant) for module in modules(module) if hasattr(module, constant)]
        assert found == [float(value)], name


def test_every_rule_of_the_sync_loop_names_its_mutant() -> None:
    """And every rule that the simulator switches off is explained."""
    named = [row[2].strip('"') for row in rows(WIRE_PAGE, "rule (!)", "what goes wrong without it", "switched off as")]
    assert sorted(named) == sorted(MUTANTS)


# -- keys


def keys_table() -> str:
    """Every command of the program with its keys, as the page for beginners lists them."""
    lines = ["| where | keys | typed | what it does |", "|---|---|---|---|"]
    listed: list[commands.Command] = []
    for place in commands.Place:
        for row in commands.at(place):
            if any(row is one for one in listed):
                continue
            listed.append(row)
            where = ", ".join(one.value for one in commands.Place if one in row.places)
            pressed = " ".join(f"`{keys.shown(key)}`" for key in row.keys)
            typed = "" if row.screen and row.keys else f"`{row.usage}`".replace("|", "\\|")
            lines.append(f"| {where} | {pressed} | {typed} | {row.help} |")
    return "\n".join(lines) + "\n"


def with_keys_table(text: str) -> str:
    """The page with the table in its place."""
    before, start, rest = text.partition("<!-- keys -->\n")
    _, end, after = rest.partition("<!-- end of keys -->\n")
    return before + start + keys_table() + end + after


def test_the_table_of_keys_is_the_programs() -> None:
    """Otherwise: python -m tests.test_docs"""
    assert text_of(START_PAGE) == with_keys_table(text_of(START_PAGE))


@every_page
def test_pictures_that_are_shown_exist(page: Path) -> None:
    """`make pictures` draws them."""
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text_of(page))
    assert not [target for target in shown if not (page.parent / target).exists()]


# -- the game in the README


def pictured() -> str:
    """The block of the README that shows a game."""
    return next(block for block in fenced(README) if "lantable play" in block)


def is_typed(line: str) -> bool:
    """What a person typed, in a block of what a terminal showed."""
    return bool(line) and not line.startswith(("*", " "))


def played(home: Path, picture: str) -> str:
    """The same game played now: what is typed, where it is typed, and what the program says.

    Each line is typed after what stands before it was said, so nothing depends on who is faster.
    """
    command, *lines = picture.splitlines()
    python = [sys.executable, "-m", "lantable", "--home", str(home)]
    subprocess.run([*python, "id", "name", "Ada"], check=True, capture_output=True)
    arguments = shlex.split(command.removeprefix("$ lantable"))
    with subprocess.Popen(
        [*python, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdin and process.stdout
        guard = threading.Timer(30, process.kill)
        guard.start()
        said = [command]
        for line in lines:
            said.append(line if is_typed(line) else process.stdout.readline().rstrip())
            if is_typed(line):
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
        process.stdin.close()
        said += [line.rstrip() for line in process.stdout]
        guard.cancel()
    return "\n".join(said) + "\n"


def without_ids(text: str) -> str:
    """Every game has another id."""
    return re.sub(r"\b[0-9a-f]{8}\b", "<id>", text)


def test_the_game_in_the_readme_is_a_real_one(tmp_path: Path) -> None:
    """Line by line; otherwise: python -m tests.test_docs"""
    picture = pictured()
    assert without_ids(played(tmp_path, picture)) == without_ids(picture)


# -- the tree

WORKPLACE: Final = (
    r"[/](work|farm)[/]|farm-(bench|studio)|[.]library\b|\bsub[a]gents?\b|DEVELOPER[S][.]md|COMPAS[S][.]md"
    r"|files[.]pythonhosted|registry[.]npmjs|deb[.]debian"
)
"""Spelt so that it does not match itself."""


@pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(),
    reason="this is not a checkout, or git is not installed",
)
def test_no_line_speaks_of_one_workplace() -> None:
    """The project is the same on every machine: no private path, no registry's host."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = [
        f"{name}: {line.strip()[:120]}"
        for name in filter(None, listed.stdout.split("\0"))
        if (ROOT / name).is_file()
        for line in (ROOT / name).read_text(encoding="utf-8", errors="replace").splitlines()
        if re.search(WORKPLACE, line)
    ]
    assert not found


def main() -> None:
    """Write anew what is generated."""
    import tempfile

    START_PAGE.write_text(with_keys_table(text_of(START_PAGE)), encoding="utf-8")
    WIRE_PAGE.write_text(with_wire_table(text_of(WIRE_PAGE)), encoding="utf-8")
    with tempfile.TemporaryDirectory() as home:
        README.write_text(text_of(README).replace(pictured(), played(Path(home), pictured())), encoding="utf-8")


if __name__ == "__main__":
    main()
