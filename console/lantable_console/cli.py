"""The command line: one table of commands, and `main`, which turns arguments into an exit code.

Whoever only asks what there is should not wait. `lantable --help` is drawn from the tables here, and this file
imports next to nothing that a bare interpreter has not loaded: argparse or typing alone take about as long to
import as Python to start, dataclasses twice as long. argparse is imported when there are arguments to take apart,
each command's module when that command runs.

Every error raised on purpose ends as one line on stderr that says what, where and what to do.
"""

from __future__ import annotations

import io
import os
import sys

from lantable_console import language
from lantable_console.language import N_, tr

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Final

    from lantable_console.context import Context
    from lantable_console.face import Face, Main
    from lantable_console.parser import Parser
    from lantable_console.settings import Settings

    Arguments = Callable[[Parser], None]
    Options = dict[str, dict[str, Any]]

USAGE: Final = 2
CANNOT_JUDGE: Final = 4
UNREADABLE: Final = 6
OUR_BUG: Final = 70
INTERRUPTED: Final = 128 + 2
PIPE_CLOSED: Final = 128 + 13


class Command:
    """One row of the table. `run` is `module:function`, a function of `Context` that returns the exit code.

    Where a person has something before them for a while (`screen`), it returns what is to be run for that, and on a
    terminal this is done on a full screen.
    """

    def __init__(
        self,
        name: str,
        summary: str,
        examples: tuple[str, ...],
        run: str,
        arguments: Arguments = lambda _: None,
        *,
        screen: bool = False,
    ) -> None:
        self.name = name
        self.summary = summary
        self.examples = examples
        self.run = run
        self.arguments = arguments
        self.screen = screen


def _rules(parser: Parser) -> None:
    parser.add_argument(
        "--rules", default="", metavar="PRESET,NAME=VALUE,...", help=tr("options, such as standard,size=3x4")
    )
    parser.add_argument(
        "--house-rule", action="append", default=[], metavar="NAME", help=tr("a house rule; may be repeated")
    )

    parser.add_argument(
        "--preset", metavar="P", help=tr("the game's own set of options of that name; --rules may add to it")
    )


def _clock(parser: Parser) -> None:
    parser.add_argument(
        "--clock", metavar="TIME", help=tr("10+5: ten minutes each, and 5 seconds more a move; 30s/move: for each move")
    )
    parser.add_argument(
        "--overtime",
        default="forfeit",
        metavar="WHAT",
        help=tr("forfeit, or penalty=N: N points a started minute (forfeit)"),
    )


def _automatic(parser: Parser) -> None:
    parser.add_argument("--auto", metavar="OPPONENT", help=tr("let a computer player play your seat, such as easy"))
    parser.add_argument("--seed", default="0", help=tr("seed of computer players; the same seed, the same moves"))


def _named(parser: Parser) -> None:
    parser.add_argument(
        "--name", metavar="NAME", help=tr("what others call you, from now on (asked for on the first run)")
    )


def _listening(parser: Parser) -> None:
    _named(parser)
    parser.add_argument(
        "--port", type=int, metavar="N", help=tr("listen on this port (default: 4471, else the next free)")
    )
    parser.add_argument(
        "--no-discovery", action="store_true", help=tr("do not announce or look for anybody on the network")
    )


def _host(parser: Parser) -> None:
    parser.add_argument("game", metavar="GAME", help=tr("such as dots-and-boxes"))
    parser.add_argument("--seats", type=int, default=2, metavar="N", help=tr("how many play, you included (2)"))
    parser.add_argument("--table", metavar="NAME", help=tr("the table's name (default: one is made up)"))
    parser.add_argument(
        "--first", choices=("lot", "me"), default="lot", help=tr("who begins, where the game leaves it open (lot)")
    )
    parser.add_argument("--no-watching", action="store_true", help=tr("nobody but the players may see the game"))
    parser.add_argument("--qr", action="store_true", help=tr("show the invitation as a QR code, too"))
    parser.add_argument(
        "--open",
        action="store_true",
        help=tr("anybody may sit down, no questions (default: you are asked about each key)"),
    )
    _rules(parser)
    _clock(parser)
    _automatic(parser)
    _listening(parser)


def _join(parser: Parser) -> None:
    parser.add_argument(
        "table",
        metavar="TABLE|HOST:PORT|INVITATION",
        help=tr("a table's name, where its host listens, or lantable://..."),
    )
    parser.add_argument("--watch", action="store_true", help=tr("look on without playing"))
    parser.add_argument(
        "--wait", type=float, default=30.0, metavar="SECONDS", help=tr("how long to look for the table (30)")
    )
    _automatic(parser)
    _listening(parser)


def _resume(parser: Parser) -> None:
    parser.add_argument(
        "game", nargs="?", metavar="GAME-ID", help=tr("first digits of the game's id (default: the only open one)")
    )
    _automatic(parser)
    _listening(parser)


def _play(parser: Parser) -> None:
    parser.add_argument("game", metavar="GAME", help=tr("such as dots-and-boxes"))
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--hotseat", action="store_true", help=tr("several people take turns at this keyboard"))
    how.add_argument("--against", default="easy", metavar="OPPONENT", help=tr("a computer player (easy)"))
    parser.add_argument("--seats", type=int, default=2, metavar="N", help=tr("how many play (2)"))
    _named(parser)
    _rules(parser)
    _clock(parser)
    _automatic(parser)


def _check(parser: Parser) -> None:
    parser.add_argument("game", metavar="GAME", help=tr("such as binary-scrabble"))
    parser.add_argument(
        "texts", nargs="+", metavar="TEXT", help=tr("such as 1+1=10; - reads lines; put -- before -1=-1")
    )
    _rules(parser)
    parser.add_argument("--json", action="store_true", help=tr("print one JSON object a text"))


def _recorded(parser: Parser) -> None:
    parser.add_argument(
        "file", nargs="?", metavar="FILE|GAME-ID", help=tr("a record file, or the first digits of a game's id")
    )
    parser.add_argument(
        "--sample",
        nargs="?",
        const="",
        metavar="NAME",
        help=tr("a game that comes with lantable; a wrong name lists them"),
    )


def _analyse(parser: Parser) -> None:
    parser.add_argument(
        "what", metavar="FILE|GAME-ID|GAME", help=tr("a record, or a game if a position is typed behind it")
    )
    parser.add_argument("position", nargs="?", metavar="POSITION", help=tr("in the game's own notation, in quotes"))
    parser.add_argument("--at", type=int, metavar="N", help=tr("of a record: the position after event N (the last)"))
    parser.add_argument("--best", type=int, default=10, metavar="N", help=tr("how many moves to tell (10)"))
    _rules(parser)
    parser.add_argument("--json", action="store_true", help=tr("print one JSON object"))


def _page(parser: Parser) -> None:
    _recorded(parser)
    parser.add_argument("--to", metavar="FILE", help=tr("where to write it (lantable-GAME-ID.html, in this folder)"))


def _replay(parser: Parser) -> None:
    _recorded(parser)
    parser.add_argument("--at", type=int, metavar="N", help=tr("show only the position after event N"))


def _audit(parser: Parser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE|GAME-ID", help=tr("record files, or first digits of game ids")
    )
    parser.add_argument("--json", action="store_true", help=tr("print the reports as JSON"))
    parser.add_argument("--require-trusted", action="store_true", help=tr("exit 5 unless you know every player's key"))


def _log(parser: Parser) -> None:
    what = _verbs(
        parser, list=tr("all records of this folder, the newest first"), show=tr("one record, an event a line")
    )
    what["show"].add_argument(
        "file", metavar="FILE|GAME-ID", help=tr("a record file, or the first digits of a game's id")
    )


def _plugins(parser: Parser) -> None:
    what = _verbs(parser, list=tr("all plugins, also broken ones, with the games and house rules they offer"))
    what["list"].add_argument("--json", action="store_true", help=tr("print the list as JSON"))


def _identity(parser: Parser) -> None:
    what = _verbs(
        parser,
        show=tr("your name, key and words, and the people you met"),
        name=tr("choose the name others see"),
        alias=tr("call somebody by a name of your own; an empty one takes it back"),
        trust=tr("accept a key, also one that changed"),
        forget=tr("forget a key; it will be new again"),
        block=tr("refuse a key from now on"),
    )
    what["name"].add_argument("name", metavar="NAME", help=tr("at most 64 printable characters"))
    what["alias"].add_argument("key", metavar="KEY|NAME", help=tr("the first digits of a key (4 or more), or a name"))
    what["alias"].add_argument("name", metavar="ALIAS", help=tr("at most 64 printable characters; only you see it"))
    for verb in ("trust", "forget", "block"):
        what[verb].add_argument("key", metavar="KEY|NAME", help=tr("the first digits of a key (4 or more), or a name"))
    for verb in ("trust", "block"):
        what[verb].add_argument("--name", metavar="NAME", help=tr("whose key it is; needed for a key never met here"))
    what["trust"].add_argument(
        "--compared", action="store_true", help=tr("you have compared the words, and they are equal")
    )


def _config(parser: Parser) -> None:
    what = _verbs(
        parser,
        show=tr("every setting and its value, as the file would have it"),
        set=tr("keep a setting in your file, for all later runs"),
        path=tr("where that file is, or would be"),
    )
    what["show"].add_argument("--origin", action="store_true", help=tr("say where each value comes from"))
    what["set"].add_argument("name", metavar="NAME", help=tr("a setting, such as theme"))
    what["set"].add_argument("value", metavar="VALUE", help=tr("its value, such as light"))


def _doctor(parser: Parser) -> None:
    parser.add_argument("address", nargs="?", metavar="HOST:PORT", help=tr("also try whether lantable answers there"))
    parser.add_argument("--port", type=int, metavar="N", help=tr("the port you want to listen on (4471)"))
    parser.add_argument("--json", action="store_true", help=tr("print the checks as JSON"))


def _rules_of(parser: Parser) -> None:
    parser.add_argument("game", metavar="GAME", help=tr("such as dots-and-boxes"))


def _demo(parser: Parser) -> None:
    parser.add_argument("game", nargs="?", default="dots-and-boxes", metavar="GAME")
    parser.add_argument("--rules", default="", metavar="PRESET,NAME=VALUE,...")
    parser.add_argument("--keep", metavar="DIR", help=tr("keep both players' folders there"))


def _verbs(parser: Parser, **summaries: str) -> dict[str, Parser]:
    """A command's own commands by name, which take the common options too."""
    verbs = parser.add_verbs(summaries)
    for verb in verbs.values():
        verb.add_options(OPTIONS)
    return verbs


ABOUT: Final = N_("A game table with no server: play on one LAN, keep records anyone can check.")
EXAMPLES: Final = (
    "lantable demo",
    "lantable play dots-and-boxes",
    "lantable host dots-and-boxes",
    "lantable join oak-7",
)
VERSION: Final[Options] = {"--version": {"action": "store_true", "help": N_("print the version and exit")}}
OPTIONS: Final[Options] = {
    "--home": {"metavar": "DIR", "help": N_("folder of keys, records and trust (LANTABLE_HOME)")},
    "--plugin": {"metavar": "FILE", "action": "append", "help": N_("load one plugin file; may be repeated")},
    "--plain": {"action": "store_true", "help": N_("line mode: one event a line, nothing rewritten")},
    "--lang": {"metavar": "LANG", "help": N_("en, it or tr; auto: the language of your system")},
    "--theme": {"metavar": "THEME", "help": N_("colours: dark, light or contrast")},
    "--set": {"metavar": "NAME=VALUE", "action": "append", "help": N_("any other setting for this run")},
}
"""What every command takes, before or after its name, as argparse wants it."""

COMMANDS: Final = (
    Command(
        "lobby", N_("who is here, open tables, invitations (also without a command)"),
        ("lantable", "lantable lobby --port 5000"), "online:run_lobby", _listening, screen=True,
    ),
    Command(
        "host", N_("open a table on this network and play when somebody joins"),
        (
            "lantable host dots-and-boxes",
            "lantable host dots-and-boxes --rules size=3x4 --seats 3",
            "lantable host dots-and-boxes --table oak-7 --port 5000 --clock 10+5",
            "lantable host dots-and-boxes --preset standard --open",
        ),
        "online:run_host", _host, screen=True,
    ),
    Command(
        "join", N_("sit down at a table"),
        ("lantable join oak-7", "lantable join 192.168.1.20:4471", "lantable join oak-7 --watch"),
        "online:run_join", _join, screen=True,
    ),
    Command(
        "resume", N_("go on with an unfinished game over the network"),
        ("lantable resume", "lantable resume 4f1c"), "online:run_resume", _resume, screen=True,
    ),
    Command(
        "play", N_("play at this computer, alone or with others at one keyboard"),
        (
            "lantable play dots-and-boxes",
            "lantable play dots-and-boxes --rules size=3x3 --against easy",
            "lantable play dots-and-boxes --hotseat --seats 3",
        ),
        "play:run", _play, screen=True,
    ),
    Command(
        "check", N_("say whether an expression holds under a game's rules, and why"),
        (
            "lantable check binary-scrabble 1+1=10",
            "lantable check binary-scrabble '1 XOR 1 = 0' --house-rule xor-tiles",
            "lantable check binary-scrabble 10=10x1 --rules strict --json",
        ),
        "check:run", _check,
    ),
    Command(
        "replay", N_("step through a recorded game, forwards and backwards"),
        (
            "lantable replay game.jsonl",
            "lantable replay game.jsonl --at 12",
            "lantable replay 4f1c",
            "lantable replay --sample turned",
        ),
        "replay:run", _replay, screen=True,
    ),
    Command(
        "analyse", N_("tell the best moves of a position"),
        (
            "lantable analyse 4f1c --at 12",
            "lantable analyse dots-and-boxes '2x2 41a .... 1' --rules size=2x2",
            "lantable analyse game.jsonl --at 12 --best 3 --json",
        ),
        "analyse:run", _analyse,
    ),
    Command(
        "page", N_("write a recorded game as one page that any browser steps through"),
        ("lantable page 4f1c", "lantable page game.jsonl --to evening.html", "lantable page --sample turned"),
        "page:run", _page,
    ),
    Command(
        "audit", N_("check recorded games: untouched, by the rules, complete"),
        ("lantable audit game.jsonl", "lantable audit --json *.jsonl", "lantable audit --require-trusted 4f1c"),
        "audit:run", _audit,
    ),
    Command("log", N_("list and print records"), ("lantable log list", "lantable log show 4f1c"), "log:run", _log),
    Command(
        "plugins", N_("list plugins and what they offer"),
        ("lantable plugins list", "lantable plugins list --json", "lantable --plugin ./my_rule.py plugins list"),
        "plugins:run", _plugins,
    ),
    Command("rules", N_("the rules of a game, to be read"), ("lantable rules dots-and-boxes",), "rules:run", _rules_of),
    Command(
        "id", N_("your key and the keys of others"),
        (
            "lantable id show",
            "lantable id name Ada",
            "lantable id alias 3f9a Robert",
            "lantable id trust 3f9a --compared",
            "lantable id forget 3f9a",
            "lantable id block Mallory",
        ),
        "identity:run", _identity,
    ),
    Command(
        "config", N_("what is set, from where, and how to set it"),
        ("lantable config show --origin", "lantable config set theme light", "lantable config path"),
        "config:run", _config,
    ),
    Command(
        "doctor", N_("why people are not found: interfaces, firewall, port"),
        ("lantable doctor", "lantable doctor 192.168.1.20:4471", "lantable doctor --json"), "doctor:run", _doctor,
    ),
    Command(
        "demo", N_("see it work: two peers here meet, play, and are checked"),
        ("lantable demo", "lantable demo dots-and-boxes --rules size=2x2"), "demo:run", _demo,
    ),
)  # fmt: skip


def front_page() -> str:
    """What `lantable --help` prints."""
    commands = {command.name: tr(command.summary) for command in COMMANDS}
    options = {"-h, --help": tr("show this and exit; after a command, what it takes")}
    for flag, how in (VERSION | OPTIONS).items():
        title: str = how["help"]
        options[f"{flag} {how.get('metavar', '')}".rstrip()] = tr(title)
    blocks = (
        [tr("examples:"), *(f"  {example}" for example in EXAMPLES)],
        [tr("usage: lantable [OPTION ...] COMMAND ...")],
        [tr(ABOUT)],
        [tr("commands:"), *_rows(commands)],
        [tr("options:"), *_rows(options)],
    )
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _rows(table: dict[str, str]) -> list[str]:
    width = max(map(len, table))
    return [f"  {name:<{width}}  {text}" for name, text in table.items()]


def build_parser(line: Sequence[str] | None = None) -> Parser:
    """The parser for the whole table, or for as much of it as `line` may need."""
    from lantable_console.parser import Parser

    parser = Parser(prog="lantable")
    parser.page = front_page()
    parser.add_options(VERSION | OPTIONS, default=None)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, description=tr(command.summary))
        if line is None or command.name in line:
            sub.examples = command.examples
            sub.add_options(OPTIONS)
            command.arguments(sub)
            sub.set_defaults(run=command.run, screen=command.screen)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code. Never raises."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A terminal that cannot show a peer's name must not end the program, nor may odd bytes typed or piped.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        try:
            code = _run(sys.argv[1:] if argv is None else list(argv))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else USAGE
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (such as head) has seen enough. Point stdout away, or Python complains while it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return PIPE_CLOSED
    return code


def has_settings(environ: Mapping[str, str]) -> bool:
    """Whether the person may have a file of settings; if not, nothing that reads one need be loaded.

    These are the folders of platformdirs, on whichever system: a guess too many costs some milliseconds.
    """
    named = environ.get("LANTABLE_CONFIG")
    if named is not None:
        return bool(named)
    home = os.path.expanduser("~")
    folders = [f"{home}/.config", f"{home}/Library/Application Support"]
    folders += [folder for name in ("XDG_CONFIG_HOME", "LOCALAPPDATA") if (folder := environ.get(name))]
    return any(os.path.exists(os.path.join(folder, "lantable", "config.toml")) for folder in folders)


def _language(argv: list[str]) -> str:
    """The language to be spoken from the first word on: before arguments are understood, help may be asked for."""
    for word, after in zip(argv, [*argv[1:], ""], strict=False):
        if word == "--lang" or word.startswith("--lang="):
            return word.partition("=")[2] or after
    if named := os.environ.get("LANTABLE_LANG"):
        return named
    if not has_settings(os.environ):
        return language.AUTO
    from lantable_console.settings import Settings

    return Settings.load({}, os.environ).text("lang")


def _run(argv: list[str]) -> int:
    language.speak(_language(argv))
    if argv in (["--help"], ["-h"]):
        print(front_page(), end="")
        return 0
    language.in_argparse()
    args = build_parser(argv).parse_args(argv)
    if args.version:
        from lantable import __version__

        print(f"lantable {__version__}")
        return 0
    if args.command is None:
        if not (sys.stdin.isatty() and sys.stdout.isatty()) and not args.plain:
            print(front_page(), end="", file=sys.stderr)
            return USAGE
        line = [*argv, "lobby"]
        args = build_parser(line).parse_args(line)
    return _guarded(args)


def _guarded(args: argparse.Namespace) -> int:
    """Run a command; errors raised on purpose become one line and a code, anything else is our bug."""
    try:
        from lantable_console.settings import Settings

        settings = Settings.load(vars(args), os.environ)
        if args.screen and _wants_screen(args, settings):
            from lantable_console.screen.app import Screen

            screen = Screen(settings)
            return screen.open(lambda: _loaded(args, settings, screen))
        context, run = _loaded(args, settings)
        with context.opened():
            result = run(context)
            return result if isinstance(result, int) else context.face.run(result)
    except BaseException as error:  # noqa: BLE001 - the last line of defence: a person never sees a traceback
        return _reported(error)


def _wants_screen(args: argparse.Namespace, settings: Settings) -> bool:
    """Whether a person sits at a terminal that can place its cursor, and asked neither for lines nor for one event."""
    terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    able = os.environ.get("TERM") not in ("", "dumb", "unknown")
    return terminal and able and not settings.flag("plain") and getattr(args, "at", None) is None


def _loaded(
    args: argparse.Namespace, settings: Settings, face: Face | None = None
) -> tuple[Context, Callable[[Context], int | Main]]:
    """What a command needs and what it runs, imported only now. On a full screen this happens before one's eyes."""
    import importlib

    from lantable_console.context import Context

    module, _, function = args.run.partition(":")
    context = Context(args, face, settings)
    for warning in settings.warnings:
        context.warn(warning)
    return context, getattr(importlib.import_module(f"lantable_console.{module}"), function)


def _first(error: BaseException) -> BaseException:
    """Tasks fail in groups; a person wants the one reason."""
    if isinstance(error, BaseExceptionGroup):
        members: tuple[BaseException, ...] = error.exceptions  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]  # isinstance cannot know the group's parameter
        return _first(members[0])
    return error


def _reported(error: BaseException) -> int:
    """Say what went wrong in one line; the exit code."""
    from lantable.errors import DiskFault, LantableError, Misuse, PluginFault, UnknownRules
    from lantable.text import safe_text

    error = _first(error)
    if isinstance(error, LantableError):
        print(f"lantable: {safe_text(language.told(error), 600)}", file=sys.stderr)
        codes = {Misuse: USAGE, DiskFault: UNREADABLE, UnknownRules: CANNOT_JUDGE, PluginFault: CANNOT_JUDGE}
        return next((code for kind, code in codes.items() if isinstance(error, kind)), 1)
    if not isinstance(error, Exception) or isinstance(error, BrokenPipeError) or os.environ.get("LANTABLE_DEBUG"):
        raise error
    what = safe_text(f"{type(error).__name__}: {error}", 300)
    bug = tr("this is a bug of lantable, sorry: {what}; LANTABLE_DEBUG=1 shows where", what=what)
    print(f"lantable: {bug}", file=sys.stderr)
    return OUR_BUG
