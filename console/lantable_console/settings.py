"""What a person may set, from where it comes, and the file in which it is kept.

A setting said on the command line wins over one in the environment (`LANTABLE_THEME`), that over one in the person's
file, and that over what is usual. The file is TOML, in the folder that this system has for such things; LANTABLE_CONFIG
names another one, or none if it is empty. Whatever is wrong in it is told and left out, since a program that does not
start cannot be asked how to set it right.

`SETTINGS` is the one table of them: options, environment, file, `lantable config` and its page are made from it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lantable.errors import LantableError, Misuse
from lantable.game import Choice, Flag, Number, OptionValue, nearest, typed
from lantable_console.cli import has_settings
from lantable_console.language import AUTO, N_, NATIVE, shown, told, tr
from lantable_replays import system

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

ENVIRONMENT: Final = "LANTABLE_"
USUAL: Final = "default"
"""The origin of what nobody has set."""
ALL_PLUGINS: Final = "*"
MAX_FILE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Words:
    """A setting that is any text."""

    name: str
    default: str
    title: str

    def read(self, text: str) -> str:
        return text

    def check(self, value: object) -> bool:
        return isinstance(value, str)

    @property
    def values(self) -> str:
        return tr("a text")


Setting = Flag | Number | Choice | Words

SETTINGS: Final[tuple[Setting, ...]] = (
    Choice("lang", AUTO, (AUTO, *NATIVE), N_("the language of everything but moves and operators; auto: the system's")),
    Choice("theme", "dark", ("dark", "light", "contrast"), N_("the colours of the full screen")),
    Flag("unicode", False, N_("draw lines and signs with Unicode, where the terminal's font has them")),
    Flag("shadow", False, N_("show what a game has for learners, such as decimal values beside binary ones")),
    Flag("plain", False, N_("line mode, also on a terminal that could show a full screen")),
    Flag("mouse", False, N_("let clicks act; text is then selected with Shift held down")),
    Flag("bell", False, N_("ring the bell when it is your move")),
    Number("idle_cap", 2, 0, 86_400, N_("a replay cuts longer pauses to so many seconds; 0 keeps them")),
    Number("port", 4471, 0, 65_535, N_("listen on this port; unless it is set, the next free one will do")),
    Words("home", "", N_("folder of keys, records and trust; empty: the usual place of this system")),
    Words("plugins", ALL_PLUGINS, N_("installed plugins to be loaded, by name; *: all of them")),
)
BY_NAME: Final[Mapping[str, Setting]] = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Value:
    """What is set, and by whom: an option, a variable, the path of the file, or `default`."""

    value: OptionValue
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its value; `warnings` are what was wrong in the environment and the file."""

    values: Mapping[str, Value]
    warnings: tuple[str, ...] = ()

    def flag(self, name: str) -> bool:
        return bool(self.values[name].value)

    def number(self, name: str) -> int:
        return int(self.values[name].value)

    def text(self, name: str) -> str:
        return str(self.values[name].value)

    @classmethod
    def usual(cls) -> "Settings":
        """With nothing set."""
        return cls({setting.name: Value(setting.default, USUAL) for setting in SETTINGS})

    @classmethod
    def load(cls, given: Mapping[str, Any], environ: Mapping[str, str]) -> "Settings":
        """As set by the arguments of this run, the environment and the file. Raises `Misuse` for bad arguments."""
        values, warnings = dict(cls.usual().values), list[str]()
        # To know for sure takes longer than `--help` may take.
        path = config_file(environ) if has_settings(environ) else None
        values |= _from_file(path, warnings)
        values |= _from_environment(environ, warnings)
        values |= _from_arguments(given)
        return cls(values, tuple(warnings))


@dataclass(slots=True)
class Looks:
    """How things are shown, as far as a person can change it while the program runs."""

    theme: str = "dark"
    unicode: bool = False
    """Whether lines and signs may be drawn with more than ASCII."""
    shadow: bool = False
    """Whether what a game has for learners is shown."""
    size: int = 0
    """In which of its sizes a board is drawn on the full screen, 1 the smallest; 0 as fits."""

    def switch(self, name: str) -> bool:
        """Turn on what is off, or off what is on; whether it is on now."""
        value = not getattr(self, name)
        setattr(self, name, value)
        return value

    @classmethod
    def of(cls, settings: Settings) -> "Looks":
        """As they are set."""
        return cls(settings.text("theme"), settings.flag("unicode"), settings.flag("shadow"))


def setting_called(name: str) -> Setting:
    """Raises `Misuse` with the nearest name."""
    if name not in BY_NAME:
        raise Misuse(tr("there is no setting {name}", name=repr(name)) + nearest(name, BY_NAME))
    return BY_NAME[name]


# -- from where


def _from_arguments(given: Mapping[str, Any]) -> Iterator[tuple[str, Value]]:
    for name in BY_NAME:
        if (value := given.get(name)) is not None and value is not False:
            yield name, Value(setting_called(name).read(typed(value)), f"--{name}")
    for text in given.get("set") or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise Misuse(tr("--set takes NAME=VALUE, such as theme=light, not {text}", text=repr(text)))
        yield name, Value(setting_called(name).read(value), "--set")


def _from_environment(environ: Mapping[str, str], warnings: list[str]) -> Iterator[tuple[str, Value]]:
    for setting in SETTINGS:
        variable = ENVIRONMENT + setting.name.upper()
        text = environ.get(variable)
        # An empty one sets nothing, but LANTABLE_PLUGINS="" has always meant: none of them.
        if text is None or (not text and setting.name != "plugins"):
            continue
        try:
            yield setting.name, Value(setting.read(text), variable)
        except Misuse as error:
            warnings.append(tr("{where}: {what}; it is left out", where=variable, what=told(error)))


def _from_file(path: Path | None, warnings: list[str]) -> Iterator[tuple[str, Value]]:
    try:
        table = read_file(path)
    except LantableError as error:
        warnings.append(told(error))
        return
    for name, value in table.items():
        setting = BY_NAME.get(name)
        if setting is None:
            what = tr("there is no setting {name}", name=repr(name)) + nearest(name, BY_NAME)
        elif not setting.check(value):
            what = tr("{name} must be {values}", name=name, values=shown(setting.values))
        else:
            yield name, Value(value, str(path))
            continue
        warnings.append(tr("{where}: {what}; it is left out", where=str(path), what=what))


# -- the file


def config_file(environ: Mapping[str, str]) -> Path | None:
    """Where the person's file is or would be; None if they want none."""
    named = environ.get(f"{ENVIRONMENT}CONFIG")
    if named is not None:
        return Path(named).expanduser() if named else None
    import platformdirs

    return Path(platformdirs.user_config_dir("lantable", appauthor=False)) / "config.toml"


def read_file(path: Path | None) -> dict[str, Any]:
    """What the file says; nothing if there is none. Raises `DiskFault`, and `Misuse` for what is no TOML."""
    if path is None or not path.exists():
        return {}
    import tomllib

    with system.reporting("read", path):
        data = path.read_bytes()[:MAX_FILE]
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise Misuse(tr("{where} cannot be read: {why}; nothing in it counts", where=str(path), why=error)) from error


def write_setting(path: Path | None, name: str, text: str) -> str:
    """Put one setting into the file, which is made if need be; the line as it now stands there.

    Comments and everything else in the file stay. Raises `Misuse` and `DiskFault`.
    """
    if path is None:
        raise Misuse(tr("LANTABLE_CONFIG is empty, so there is no file to write to"))
    setting = setting_called(name)
    value = setting.read(text)
    read_file(path)  # a file that cannot be read is not written over
    line = f"{name} = {toml(value)}"
    with system.reporting("write", path):
        old = path.read_text(encoding="utf-8") if path.exists() else template()
        system.make_folder(path.parent)
        # A link is followed: people keep such files elsewhere.
        system.replace(path.resolve(), _with(old, name, value, line).encode(), sync=True)
    return line


def _with(old: str, name: str, value: OptionValue, line: str) -> str:
    import tomllib

    import tomlkit

    document: TOMLDocument = tomlkit.parse(old)
    if name in document:
        document[name] = value
        return tomlkit.dumps(document)
    # In place of its own commented line, else before everything: a later table would claim what stands behind it.
    new, found = re.subn(rf"^# {name} = .*$", lambda _: line, old, count=1, flags=re.MULTILINE)
    return new if found and tomllib.loads(new).get(name) == value else f"{line}\n{old}"


def toml(value: OptionValue) -> str:
    """A value as the file spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    # JSON's strings are TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def template() -> str:
    """A file in which nothing is set and everything is explained."""
    return "\n".join([*_commented(tr("Settings of lantable. What stands behind a # is not in force.")), *_blocks()])


def _blocks() -> Iterator[str]:
    for setting in SETTINGS:
        yield ""
        yield from _commented(f"{tr(setting.title)} ({shown(setting.values)})")
        yield f"# {setting.name} = {toml(setting.default)}"
    yield ""


def _commented(text: str) -> Iterable[str]:
    import textwrap

    return (f"# {line}" for line in textwrap.wrap(text, 90))
