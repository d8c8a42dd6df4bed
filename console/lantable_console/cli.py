"""The command line: one table of commands, and `main`, which turns arguments into an exit code.

Starting must be quick, so nothing heavier than argparse is imported here; each command's module is imported
when that command runs. Every error raised on purpose ends as one line on stderr that says what, where and
what to do.
"""

import argparse
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

USAGE: Final = 2
CANNOT_JUDGE: Final = 4
UNREADABLE: Final = 6
OUR_BUG: Final = 70
INTERRUPTED: Final = 128 + 2
PIPE_CLOSED: Final = 128 + 13

Arguments = Callable[[argparse.ArgumentParser], None]


@dataclass(frozen=True, slots=True)
class Command:
    """One row of the table. `run` is `module:function`, a function of `Context` that returns the exit code."""

    name: str
    summary: str
    examples: tuple[str, ...]
    run: str
    arguments: Arguments = lambda _: None


def _rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rules", default="", metavar="PRESET,NAME=VALUE,...", help="options, such as standard,size=3x4"
    )
    parser.add_argument(
        "--house-rule", action="append", default=[], metavar="NAME", help="a house rule; may be repeated"
    )


def _automatic(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--auto", metavar="OPPONENT", help="let a computer player play your seat, such as easy")
    parser.add_argument("--seed", default="0", help="seed of computer players; the same seed, the same moves")


def _listening(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, metavar="N", help="listen on this port (default: 4471, else the next free)")
    parser.add_argument(
        "--no-discovery", action="store_true", help="do not announce or look for anybody on the network"
    )


def _host(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="such as dots-and-boxes")
    parser.add_argument("--seats", type=int, default=2, metavar="N", help="how many play, you included (2)")
    parser.add_argument("--table", metavar="NAME", help="the table's name (default: one is made up)")
    parser.add_argument("--no-watching", action="store_true", help="nobody but the players may see the game")
    _rules(parser)
    _automatic(parser)
    _listening(parser)


def _join(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE|HOST:PORT", help="a table's name, or where its host listens")
    parser.add_argument("--watch", action="store_true", help="look on without playing")
    parser.add_argument(
        "--wait", type=float, default=30.0, metavar="SECONDS", help="how long to look for the table (30)"
    )
    _automatic(parser)
    _listening(parser)


def _resume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game", nargs="?", metavar="GAME-ID", help="first digits of the game's id (default: the only open one)"
    )
    _automatic(parser)
    _listening(parser)


def _play(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="such as dots-and-boxes")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--hotseat", action="store_true", help="several people take turns at this keyboard")
    how.add_argument("--against", default="easy", metavar="OPPONENT", help="a computer player (easy)")
    parser.add_argument("--seats", type=int, default=2, metavar="N", help="how many play (2)")
    _rules(parser)
    _automatic(parser)


def _replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE|GAME-ID", help="a record file, or the first digits of a game's id")
    parser.add_argument("--at", type=int, metavar="N", help="show only the position after event N")


def _audit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE|GAME-ID", help="record files, or first digits of game ids")
    parser.add_argument("--json", action="store_true", help="print the reports as JSON")
    parser.add_argument("--require-trusted", action="store_true", help="exit 5 unless you know every player's key")


def _log(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", required=True, metavar="list|show")
    what.add_parser("list", help="all records of this folder")
    show = what.add_parser("show", help="one record, an event a line")
    show.add_argument("file", metavar="FILE|GAME-ID")


def _plugins(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", required=True, metavar="list")
    listing = what.add_parser("list", help="all plugins, also broken ones, with the games and house rules they offer")
    listing.add_argument("--json", action="store_true", help="print the list as JSON")


def _identity(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", required=True, metavar="show|name|trust|forget|block")
    what.add_parser("show", help="your name, key and words, and the people you met")
    what.add_parser("name", help="choose the name others see").add_argument("name")
    for name, help_text in (
        ("trust", "accept a key, also one that changed, after you compared its words"),
        ("forget", "forget a key; it will be new again"),
        ("block", "refuse a key from now on"),
    ):
        what.add_parser(name, help=help_text).add_argument("key", metavar="KEY|NAME", help="first digits, or a name")


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", default="dots-and-boxes", metavar="GAME")
    parser.add_argument("--rules", default="", metavar="PRESET,NAME=VALUE,...")
    parser.add_argument("--keep", metavar="DIR", help="keep both players' folders there")


COMMANDS: Final = (
    Command(
        "lobby", "who is here, open tables and invitations (also without any command)",
        ("lantable", "lantable lobby --port 5000"), "lobby:run_lobby", _listening,
    ),
    Command(
        "host", "open a table on this network and play when somebody joins",
        (
            "lantable host dots-and-boxes",
            "lantable host dots-and-boxes --rules size=3x4 --seats 3",
            "lantable host dots-and-boxes --table oak-7 --port 5000",
        ),
        "lobby:run_host", _host,
    ),
    Command(
        "join", "sit down at a table",
        ("lantable join oak-7", "lantable join 192.168.1.20:4471", "lantable join oak-7 --watch"),
        "lobby:run_join", _join,
    ),
    Command(
        "resume", "go on with an unfinished game over the network",
        ("lantable resume", "lantable resume 4f1c"), "lobby:run_resume", _resume,
    ),
    Command(
        "play", "play at this computer, alone or with others at one keyboard",
        (
            "lantable play dots-and-boxes",
            "lantable play dots-and-boxes --rules size=3x3 --against easy",
            "lantable play dots-and-boxes --hotseat --seats 3",
        ),
        "play:run", _play,
    ),
    Command(
        "replay", "step through a recorded game, forwards and backwards",
        ("lantable replay game.jsonl", "lantable replay game.jsonl --at 12", "lantable replay 4f1c"),
        "replay:run", _replay,
    ),
    Command(
        "audit", "check recorded games: untouched, by the rules, complete",
        ("lantable audit game.jsonl", "lantable audit --json *.jsonl", "lantable audit --require-trusted 4f1c"),
        "audit:run", _audit,
    ),
    Command("log", "list and print records", ("lantable log list", "lantable log show 4f1c"), "log:run", _log),
    Command(
        "plugins", "list plugins and what they offer",
        ("lantable plugins list", "lantable plugins list --json", "lantable --plugin ./my_rule.py plugins list"),
        "plugins:run", _plugins,
    ),
    Command(
        "id", "your key and the keys of others",
        ("lantable id show", "lantable id name Ada", "lantable id trust 3f9a", "lantable id block Mallory"),
        "identity:run", _identity,
    ),
    Command(
        "demo", "see it all work: two peers on this machine find each other, play, and are checked",
        ("lantable demo", "lantable demo dots-and-boxes --rules size=2x2"), "demo:run", _demo,
    ),
)  # fmt: skip


class _Parser(argparse.ArgumentParser):
    """argparse, with help that starts with examples, and errors of one line."""

    examples: tuple[str, ...] = ()

    def format_help(self) -> str:
        lines = ["examples:", *(f"  {example}" for example in self.examples), ""]
        return "\n".join(lines) + "\n" + super().format_help() if self.examples else super().format_help()

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"lantable: {message}; see  {self.prog} --help\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser for the whole table. The options every command takes may stand before or after its name."""
    parser = _Parser(
        prog="lantable", description="A game table with no server: play on one LAN, keep records anyone can check."
    )
    parser.examples = (
        "lantable demo",
        "lantable play dots-and-boxes",
        "lantable host dots-and-boxes",
        "lantable join oak-7",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    _common(parser, default=None)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.summary, description=command.summary)
        sub.examples = command.examples
        _common(sub, default=argparse.SUPPRESS)
        command.arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def _common(parser: argparse.ArgumentParser, default: Any) -> None:
    parser.add_argument(
        "--home", metavar="DIR", default=default, help="folder of keys, records and trust (LANTABLE_HOME)"
    )
    parser.add_argument(
        "--plugin", metavar="FILE", action="append", default=default, help="load one plugin file; may be repeated"
    )
    parser.add_argument(
        "--plain", action="store_true", default=default, help="line mode: one event a line, nothing rewritten"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code. Never raises."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a peer's name must not end the program.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader (such as head) has seen enough. Point stdout away, or Python complains while it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return PIPE_CLOSED
    return code


def _run(argv: Sequence[str]) -> int:
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.version:
        from lantable import __version__

        print(f"lantable {__version__}")
        return 0
    if args.command is None:
        if not (sys.stdin.isatty() and sys.stdout.isatty()) and not args.plain:
            parser.print_help(sys.stderr)
            return USAGE
        args = parser.parse_args([*argv, "lobby"])
    return _guarded(args)


def _guarded(args: argparse.Namespace) -> int:
    """Run a command; errors raised on purpose become one line and a code, anything else is our bug."""
    from lantable_console.context import Context

    context = Context(args)
    try:
        module, _, function = args.run.partition(":")
        run: Callable[[Context], int] = getattr(importlib.import_module(f"lantable_console.{module}"), function)
        return run(context)
    except BaseException as error:  # noqa: BLE001 - the last line of defence: a person never sees a traceback
        return _reported(error)
    finally:
        context.close()


def _reported(error: BaseException) -> int:
    """Say what went wrong in one line; the exit code."""
    from lantable.errors import DiskFault, LantableError, Misuse, UnknownRules
    from lantable.text import safe_text

    while isinstance(error, BaseExceptionGroup):
        # Tasks fail in groups; a person wants the one reason.
        error = error.exceptions[0]
    if isinstance(error, LantableError):
        print(f"lantable: {safe_text(str(error), 600)}", file=sys.stderr)
        codes = {Misuse: USAGE, DiskFault: UNREADABLE, UnknownRules: CANNOT_JUDGE}
        return next((code for kind, code in codes.items() if isinstance(error, kind)), 1)
    if not isinstance(error, Exception) or isinstance(error, BrokenPipeError) or os.environ.get("LANTABLE_DEBUG"):
        raise error
    what = safe_text(f"{type(error).__name__}: {error}", 300)
    print(f"lantable: this is a bug of lantable, sorry: {what}; LANTABLE_DEBUG=1 shows where", file=sys.stderr)
    return OUR_BUG
