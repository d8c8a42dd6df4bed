"""The plugin host: what is offered, what is broken and why, and whose rules a record names."""

import ast
import importlib
import importlib.metadata
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable import hookspecs
from lantable.errors import Misuse, PluginFault, UnknownRules
from lantable.events import Offer, Seat
from lantable.game import Choice, Flag, Game, HouseRule, Number, Size, nearest, rules_digest
from lantable.host import GROUP, Host
from tests import toy
from tests.conformance import CHECKS, play_out
from tests.games import Sitting, key

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "plugins.md"

GOOD = """
from lantable.hookspecs import hookimpl
from lantable.game import HouseRule

@hookimpl
def lantable_house_rules():
    return [HouseRule(game="count-to", name="NAME", version="1", titles={"en": "a rule"}, change=4)]
"""


def good(name: str) -> str:
    """Source of a plugin that offers one house rule of that name."""
    return GOOD.replace("NAME", name)


def hook(body: str, name: str = "lantable_games", arguments: str = "") -> str:
    """Source of a plugin with one hook."""
    return (
        "from lantable.hookspecs import hookimpl\nfrom tests import toy\n\n"
        f"@hookimpl\ndef {name}({arguments}):\n    {body}\n"
    )


BROKEN = {
    "raises on import": ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
    "leaves on import": ("import sys; sys.exit('bye')", "SystemExit: bye"),
    "needs what is not there": ("import nowhere_to_be_found", "ModuleNotFoundError: No module named"),
    "is not Python": ("def", "SyntaxError: "),
    "raises many lines": ("raise ValueError('one\\ntwo')", "ValueError: one two"),
    "raises in a hook": (hook("1 / 0"), "ZeroDivisionError: division by zero"),
    "leaves in a hook": (hook("raise SystemExit(3)"), "SystemExit: 3"),
    "gives a game, not a list": (hook("return toy.COUNT_TO"), "lantable_games must return a list, not Game"),
    "gives a number": (hook("return 7"), "lantable_games must return a list, not int"),
    "gives other values": (hook("return [toy.BIG_STEPS]"), "lantable_games must give Game values, not HouseRule"),
    "gives text": (hook("return 'nim'"), "lantable_games must give Game values, not str"),
    "gives a game twice": (hook("return [toy.COUNT_TO, toy.COUNT_TO]"), "'count-to' is already offered"),
    "misspells a hook": (hook("return []", name="lantable_game"), "unknown hook 'lantable_game'"),
    "wants an argument": (hook("return []", arguments="key"), "key"),
    "makes a bad game": (
        "from tests import toy\nfrom dataclasses import replace\nreplace(toy.COUNT_TO, id='No!')",
        "names are",
    ),
}


def write(folder: Path, name: str, source: str) -> str:
    """A plugin file; its path."""
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    return str(path)


def install(folder: Path, **sources: str) -> None:
    """What `pip install` leaves behind: modules and a distribution that names them as entry points."""
    info = folder / "stranger-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n" + "".join(f"{name} = {name}\n" for name in sources))
    for name, source in sources.items():
        write(folder, name, source)


def error_of(host: Host) -> str:
    """The one error a host lists; it must be one line."""
    (error,) = (plugin.error for plugin in host.plugins if plugin.error is not None)
    assert "\n" not in error
    return error


# -- loading


def test_a_bare_host_holds_nothing() -> None:
    """`only=[]` loads no plugin at all; there is no global state that an earlier host left behind."""
    Host.load(only=[], files=[str(ROOT / "tests" / "toy.py")])
    host = Host.load(only=[])
    assert (host.plugins, host.games, host.house_rules) == ([], {}, {})


def test_a_file_needs_no_packaging() -> None:
    """`--plugin FILE`: games and house rules are there, and the list says where they came from."""
    path = str(ROOT / "tests" / "toy.py")
    host = Host.load(only=[], files=[path])
    assert set(host.games) == {"count-to"} and set(host.house_rules) == {("count-to", "big-steps")}
    assert [(plugin.path, plugin.error) for plugin in host.plugins] == [(path, None)]


@pytest.mark.parametrize(("source", "error"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_listed_and_the_others_load(tmp_path: Path, source: str, error: str) -> None:
    """Its error in one line, and nothing of what it offers."""
    files = [write(tmp_path, name, text) for name, text in (("a", good("a")), ("bad", source), ("z", good("z")))]
    host = Host.load(only=[], files=files)
    assert [plugin.path for plugin in host.plugins] == files
    assert error in error_of(host)
    assert set(host.house_rules) == {("count-to", "a"), ("count-to", "z")} and not host.games


@pytest.mark.parametrize("name", ["missing.py", "folder", "notes.txt"])
def test_a_path_that_is_no_plugin_is_listed(tmp_path: Path, name: str) -> None:
    """Nothing there, a folder, or not a Python file."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    assert error_of(Host.load(only=[], files=[str(tmp_path / name)]))


def test_one_file_twice_is_loaded_once(tmp_path: Path) -> None:
    """The second is listed as broken, and the first stays."""
    path = write(tmp_path, "a", good("a"))
    host = Host.load(only=[], files=[path, path])
    assert error_of(host) == "a plugin of this name is already loaded" and len(host.house_rules) == 1


def test_entry_points_load_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of their names, each with its version; a broken one does not stop the next."""
    install(tmp_path, stranger_z=good("z"), stranger_bad="raise RuntimeError('no')", stranger_a=good("a"))
    monkeypatch.syspath_prepend(str(tmp_path))
    names = ["stranger_a", "stranger_bad", "stranger_z"]
    host = Host.load(only=names)
    assert [(plugin.name, plugin.version) for plugin in host.plugins] == [(name, "1.2") for name in names]
    assert error_of(host) == "RuntimeError: no"
    assert set(host.house_rules) == {("count-to", "a"), ("count-to", "z")}
    assert [plugin.name for plugin in Host.load(only=["stranger_a"]).plugins] == ["stranger_a"]
    assert set(names) <= {plugin.name for plugin in Host.load().plugins}


@pytest.mark.parametrize("value", ["stranger_nowhere", "json:nothing", "not a module"])
def test_a_broken_entry_point_is_listed(value: str) -> None:
    """Whatever stands behind the name."""
    host = Host()
    host.load_entry_point(importlib.metadata.EntryPoint("odd", value, GROUP))
    assert error_of(host)


def test_registering_raises_and_takes_in_nothing() -> None:
    """A second plugin with the same game is refused, and so is its house rule."""
    host = Host()
    host.register(toy, "one")

    class Second:
        """The same game once more, and a rule of its own."""

        lantable_games = staticmethod(toy.lantable_games)

        @staticmethod
        @hookspecs.hookimpl
        def lantable_house_rules() -> list[HouseRule]:
            return [replace(toy.BIG_STEPS, name="other")]

    second = Second()
    with pytest.raises(PluginFault, match="'count-to' is already offered"):
        host.register(second, "two")
    assert set(host.house_rules) == {("count-to", "big-steps")} and len(host.plugins) == 1
    del host.games["count-to"]
    host.register(second, "two")


def test_a_plugin_that_leaves_in_a_hook_is_a_plugin_fault() -> None:
    """`sys.exit` in a plugin must not end the table, whoever registered it."""

    class Leaver:
        @hookspecs.hookimpl
        def lantable_games(self) -> list[Game]:
            sys.exit(3)

    with pytest.raises(PluginFault, match="SystemExit: 3"):
        Host().register(Leaver(), "leaver")


# -- hooks


def specs() -> dict[str, Callable[..., object]]:
    """The hooks, by name."""
    return {name: spec for name, spec in vars(hookspecs).items() if hasattr(spec, f"{hookspecs.PROJECT}_spec")}


def test_hook_lantable_games() -> None:
    """The games of a plugin are there by their id."""

    class Plugin:
        @hookspecs.hookimpl
        def lantable_games(self) -> list[Game]:
            return [toy.COUNT_TO]

    host = Host()
    host.register(Plugin(), "one")
    assert host.game("count-to") is toy.COUNT_TO


def test_hook_lantable_house_rules() -> None:
    """The house rules of a plugin change the rules of their game."""

    class Plugin:
        @hookspecs.hookimpl
        def lantable_house_rules(self) -> tuple[HouseRule, ...]:
            return (toy.BIG_STEPS,)

    host = Host()
    host.register(Plugin(), "one")
    rules, chosen, _ = host.rules(toy.COUNT_TO, toy.COUNT_TO.read_options(""), ["big-steps"])
    assert chosen == (toy.BIG_STEPS,) and len(list(rules.legal(rules.start(2), 0))) == 5


def test_every_hook_has_a_test() -> None:
    """A hook nobody tries here does not exist."""
    assert specs() and {f"test_hook_{name}" for name in specs()} <= set(globals())


def test_every_hook_has_a_heading_with_its_signature() -> None:
    """docs/plugins.md names each hook exactly as it is, and none that is not."""
    tree = ast.parse(inspect.getsource(hookspecs))
    signatures = {
        f"{node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}"
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.returns
    }
    headings = set(re.findall(r"^### `(lantable_.*)`$", DOCS.read_text(encoding="utf-8"), re.MULTILINE))
    assert headings == signatures


def test_no_hook_is_handed_anything() -> None:
    """No keys, no streams, no files: the hooks take no arguments at all."""
    for spec in specs().values():
        assert not inspect.signature(spec).parameters


# -- the page for authors


def plugin_files(folder: Path) -> dict[str, Path]:
    """The plugins shown in docs/plugins.md, as files; each block begins with its name."""
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    for name, source in blocks:
        (folder / name).write_text(source, encoding="utf-8")
    return {name: folder / name for name, _ in blocks}


def test_the_plugins_on_the_authors_page_work(tmp_path: Path) -> None:
    """Saved as shown they load, keep everything a game must keep, and the house rule changes who wins."""
    files = plugin_files(tmp_path)
    host = Host.load(only=[], files=[str(files["nim.py"]), str(files["misere.py"])])
    assert [plugin.error for plugin in host.plugins] == [None, None]
    nim = host.game("nim")
    for seed, options in enumerate(("", "marienbad", "heaps=1-3-5-7", "")):
        playout = play_out(nim, options, 2 + seed % 3, seed, junk="a0")
        for check in CHECKS:
            check(playout)
    winners = []
    for house_rules in ([], ["misere"]):
        rules, _, _ = host.rules(nim, nim.read_options(""), house_rules)
        state = rules.start(2)
        for move in (" A3 ", "b4", "c5"):
            seat = rules.to_move(state)
            assert seat is not None
            state = rules.play(state, seat, rules.parse(move))
        winners.append(rules.standing(state).winners)
    assert winners == [(0,), (1,)]


def test_the_test_on_the_authors_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The three lines that hold a new game to everything."""
    plugin_files(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("nim", "test_nim"):
        monkeypatch.setitem(sys.modules, name, None)  # so that both are forgotten afterwards
        del sys.modules[name]
    importlib.import_module("test_nim").test_conforms(check=CHECKS[0])


def test_the_commands_on_the_authors_page_work(tmp_path: Path) -> None:
    """Typed as shown, in the folder where the files are."""
    plugin_files(tmp_path)
    commands = re.findall(r"^lantable (.*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) == 5
    for command in commands:
        run = subprocess.run(
            [sys.executable, "-m", "lantable", *shlex.split(command)],
            cwd=tmp_path,
            env=child_environment() | {"LANTABLE_HOME": str(tmp_path / "home"), "LANTABLE_PLUGINS": "binary-scrabble"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert run.returncode == 0 and run.stdout and not run.stderr, run.stdout + run.stderr


def child_environment(*more: Path) -> dict[str, str]:
    """An environment in which a child finds what this process finds, and some folders more."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, more), *filter(None, sys.path)])}


# -- choosing


def toy_host() -> Host:
    """A host with the toy game."""
    host = Host()
    host.register(toy, "count-to", "1.0")
    return host


def test_an_unknown_name_suggests_the_nearest() -> None:
    """Game, house rule, preset, option: what was meant, or else what there is."""
    with pytest.raises(Misuse, match="no game is called 'count-tp'; did you mean 'count-to'"):
        toy_host().game("count-tp")
    with pytest.raises(Misuse, match="there is count-to"):
        toy_host().game("go")
    with pytest.raises(Misuse, match="no house rule 'big-step'; did you mean 'big-steps'"):
        toy_host().rules(toy.COUNT_TO, {"target": 10}, ["big-step"])
    with pytest.raises(Misuse, match="no preset 'shrot'; did you mean 'short'"):
        toy.COUNT_TO.read_options("shrot")
    with pytest.raises(Misuse, match="no option 'traget'; did you mean 'target'"):
        toy.COUNT_TO.read_options("traget=5")
    with pytest.raises(Misuse, match="there is none"):
        Host().game("go")
    assert nearest("x", []) == "; there is none"


def test_rules_that_cannot_be_made_are_the_plugins_fault() -> None:
    """Whether `make` raises or `describe` gives what has no one spelling; but `Misuse` passes as it is."""

    def fail(*_: object) -> Any:
        raise KeyError("oops")

    def conflict(*_: object) -> Any:
        raise Misuse("these two house rules exclude each other")

    class Vague(toy.CountTo):
        def describe(self) -> Any:
            return {"odds": 0.5}

    options = {"target": 10}
    with pytest.raises(PluginFault, match="count-to could not be set up: KeyError: 'oops'"):
        toy_host().rules(replace(toy.COUNT_TO, make=fail), options)
    with pytest.raises(PluginFault, match="must give plain data"):
        toy_host().rules(replace(toy.COUNT_TO, make=lambda *_: Vague(10)), options)
    with pytest.raises(Misuse, match="exclude each other"):
        toy_host().rules(replace(toy.COUNT_TO, make=conflict), options)


# -- whose rules a record names


OFFER = Sitting("count-to", "target=12", seats=3, house_rules=("big-steps",)).table.chain.offer


def test_an_offer_finds_exactly_its_rules() -> None:
    """The same game, options and house rules as were offered."""
    rules = toy_host().rules_for(OFFER)
    assert rules == toy.CountTo(12, 5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"game": "go"}, "'go' is not installed here"),
        ({"game": "os"}, "not installed"),
        ({"game": "../../evil"}, "not installed"),
        ({"version": "2.0"}, "count-to 2.0 is needed, 1.0 is installed"),
        ({"digest": bytes(32)}, "digest differs"),
        ({"options": {"target": 13}}, "digest differs"),
        ({"options": {}}, "'target' is missing or unknown"),
        ({"options": {"target": 12, "more": 1}}, "'more' is missing or unknown"),
        ({"options": {"target": 0}}, "target must be a whole number from 1 to 1000"),
        ({"options": {"target": True}}, "target must be"),
        ({"options": {"target": {"a": []}}}, "target must be"),
        ({"house_rules": ()}, "digest differs"),
        (
            {"house_rules": (("big-steps", "2.0"),)},
            "rule 'big-steps' differs in its version: 2.0 there, 1.0 here; both need the same plugin, here count-to",
        ),
        ({"house_rules": (("os", "1.0"),)}, "house rule 'os' 1.0 is not installed"),
        ({"house_rules": (("big-steps", "1.0"), ("big-steps", "1.0"))}, "digest differs"),
        ({"seats": OFFER.seats[:1]}, "for 2 to 4 seats, not 1"),
        ({"seats": (*OFFER.seats, *OFFER.seats)}, "for 2 to 4 seats, not 6"),
    ],
)
def test_other_rules_are_unknown_rules(change: dict[str, Any], words: str) -> None:
    """Another version, digest, option, house rule or number of seats: nobody here can judge those moves."""
    with pytest.raises(UnknownRules, match=re.escape(words)):
        toy_host().rules_for(replace(OFFER, **change))


def test_rules_that_break_are_the_plugins_fault() -> None:
    """An offer for a game whose plugin fails names the plugin."""
    broken = Host()
    broken.games["count-to"] = replace(toy.COUNT_TO, make=lambda *_: 1 / 0)  # type: ignore[arg-type]  # a plugin without types
    with pytest.raises(PluginFault, match="could not be set up"):
        broken.rules_for(replace(OFFER, house_rules=()))


NAMING = """
import sys
from dataclasses import replace
from lantable.errors import UnknownRules
from lantable.events import Offer
from lantable.host import Host
from lantable.keys import PrivateKey
from tests.games import Sitting

toy, names = sys.argv[1], sys.argv[2:]
host = Host.load(only=[], files=[toy])
offer = Sitting("count-to", seats=2).table.chain.offer
host.rules_for(offer)
watched, seen = {"import", "open", "exec", "compile"}, []
sys.addaudithook(lambda event, args: seen.append((event, args)) if event in watched else None)
for name in names:
    for change in ({"game": name}, {"house_rules": ((name, "1.0"),)}, {"version": name}):
        try:
            host.rules_for(replace(offer, **change))
        except UnknownRules:
            continue
        sys.exit(f"{change} found rules")
print(seen)
import evil_package
"""


def test_naming_never_imports(tmp_path: Path) -> None:
    """A record can name anything: looking for it imports, opens and runs nothing, though the package is there."""
    (tmp_path / "evil_package.py").write_text("raise SystemExit('evil was imported')")
    names = [
        "os",
        "antigravity",
        "evil_package",
        "../../evil_package",
        "evil_package:main",
        "lantable_net",
        str(tmp_path),
    ]
    run = subprocess.run(
        [sys.executable, "-c", NAMING, str(ROOT / "tests" / "toy.py"), *names],
        env=child_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert run.stdout == "[]\n" and run.stderr == "evil was imported\n", run.stdout + run.stderr


# -- options


PIECES = Game(
    id="pieces",
    version="1",
    titles={"en": "Pieces"},
    options=(
        Flag("award_rest", False, "award"),
        Number("target", 10, -5, 1000, "target"),
        Choice("style", "plain", ("plain", "fancy"), "style"),
        Size("size", "5x5", 1, 12, "size"),
    ),
    make=toy.make,
    presets={"big": {"size": "12x12", "target": 99}, "tiny": {"size": "1x1"}},
)
DEFAULTS = {"award_rest": False, "target": 10, "style": "plain", "size": "5x5"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        (" , ,", {}),
        ("big", {"size": "12x12", "target": 99}),
        ("big,size=3x4", {"size": "3x4", "target": 99}),
        ("size=3x4,big", {"size": "12x12", "target": 99}),
        ("big , tiny", {"size": "1x1", "target": 99}),
        (" award_rest = YES , style=fancy", {"award_rest": True, "style": "fancy"}),
        ("award_rest=0,target=-5,size=2X3", {"target": -5, "size": "2x3"}),
        ("target=1,target=2", {"target": 2}),
    ],
)
def test_the_option_grammar(text: str, values: dict[str, Any]) -> None:
    """`PRESET,name=value,…`: both parts optional, later values win, what is not named has its default."""
    chosen = PIECES.read_options(text)
    assert chosen == DEFAULTS | values
    assert PIECES.check(chosen) == chosen


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("award_rest=perhaps", "award_rest must be yes or no, not 'perhaps'"),
        ("target=1001", "target must be a whole number from -5 to 1000, not '1001'"),
        ("target=1.5", "target must be a whole number"),
        ("target=", "target must be a whole number"),
        ("target=" + "9" * 5000, "target must be a whole number"),
        ("target=٣", "target must be a whole number"),
        ("style=fency", "style must be plain or fancy, not 'fency'; did you mean 'fancy'?"),
        ("size=0x5", "size must be ROWSxCOLUMNS from 1x1 to 12x12, not '0x5'"),
        ("size=05x5", "size must be"),
        ("size=5", "size must be"),
        ("size=5x13", "size must be"),
        ("=3", "pieces has no option ''"),
        ("bigg", "pieces has no preset 'bigg'; did you mean 'big'?"),
    ],
)
def test_what_an_option_cannot_be(text: str, words: str) -> None:
    """One line: what, where and what would do."""
    with pytest.raises(Misuse, match=re.escape(words)):
        PIECES.read_options(text)


@settings(max_examples=200)
@given(st.text("abt=,xX5big0 -\u0663é", max_size=20))
def test_any_option_text_is_read_or_refused_as_misuse(text: str) -> None:
    """Whatever a person types; what is read is what a record may hold."""
    try:
        chosen = PIECES.read_options(text)
    except Misuse:
        return
    assert PIECES.check(chosen) == chosen


def test_equal_options_have_one_digest() -> None:
    """Another spelling of the same choice is no other game."""
    digests = {
        rules_digest(toy.COUNT_TO, options, (), toy.CountTo(4))
        for options in (toy.COUNT_TO.read_options("short"), toy.COUNT_TO.read_options("target=004"))
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"id": "Count To"},
        {"id": ""},
        {"version": "1.0\n"},
        {"titles": {"de": "Zähl"}},
        {"seats": (0, 2)},
        {"seats": (3, 2)},
        {"seats": (2, 5)},
        {"options": (Number("Target", 10, 1, 20, ""),)},
        {"options": (Number("target", 10, 1, 20, ""), Flag("target", True, ""))},
        {"options": (Number("target", 30, 1, 20, ""),)},
        {"presets": {"odd": {"target": 0}}},
        {"presets": {"odd": {"speed": 1}}},
    ],
)
def test_a_game_that_could_not_work_cannot_be_made(change: dict[str, Any]) -> None:
    """Names, versions, titles, seats, defaults and presets are checked in the constructor."""
    with pytest.raises(PluginFault):
        replace(toy.COUNT_TO, **{"presets": {}} | change)


@pytest.mark.parametrize("change", [{"name": "Big"}, {"version": ""}, {"titles": {}}])
def test_a_house_rule_that_could_not_be_named_cannot_be_made(change: dict[str, Any]) -> None:
    """The record must be able to name it."""
    with pytest.raises(PluginFault):
        replace(toy.BIG_STEPS, **change)


def test_seats_are_not_a_hosts_business() -> None:
    """An offer of any keys finds the same rules: who plays is no part of them."""
    seats = tuple(Seat(key(number).public, "x") for number in range(3))
    assert toy_host().rules_for(replace(OFFER, seats=seats)) == toy_host().rules_for(OFFER)
    assert isinstance(OFFER, Offer)
