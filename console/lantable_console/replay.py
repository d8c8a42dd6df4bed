"""`lantable replay`: a record stepped through, forwards and backwards, in line mode.

What is shown are the positions the players had: `Cursor` takes the record through the same chain and the same
step as live play. Lines are read from a terminal or a pipe alike; each step prints the event and the position
after it, and nothing is rewritten. `COMMANDS` is the whole language: it feeds parsing and help.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from lantable.errors import LantableError, Misuse, PluginFault, UnknownRules, Untrusted
from lantable.events import Offer
from lantable.fold import Position
from lantable.game import nearest
from lantable.text import safe_text
from lantable_console.context import Context
from lantable_console.log import conclude, ending, event_line, game_words, good_events, standing
from lantable_replays.audit import Report, audit
from lantable_replays.cursor import Cursor
from lantable_replays.record import load, read

WIDEST: Final = 1000
"""Characters of one line of a picture or panel."""


def run(context: Context) -> int:
    """`lantable replay FILE|GAME-ID [--at N]`. Exit code as `log show`: the audit's, but 0 for an unfinished game."""
    data = load(context.record_path(context.args.file))
    report = audit(data, context.host.rules_for)
    try:
        cursor = Cursor(data, context.host.rules_for)
    except UnknownRules:
        _without_pictures(context, report, data)
    except Untrusted:
        pass  # not even event 0 is good: there is nothing to show, and the conclusion says why
    else:
        _with_pictures(context, report, cursor)
    return conclude(context, report)


def _with_pictures(context: Context, report: Report, cursor: Cursor) -> None:
    viewer, at = Viewer(context, cursor, report), context.args.at
    if at is not None:
        cursor.seek(at)
    context.say(_header(context, report, cursor.offer))
    if at is not None:
        viewer.show()
    else:
        viewer.follow(typed_lines(viewer.prompt))


def _without_pictures(context: Context, report: Report, data: bytes) -> None:
    """What happened, as far as it can be told without the rules."""
    chain, at = read(data).chain, context.args.at
    if chain is None:
        return
    there = range(len(chain.events))
    if at is not None and at not in there:
        raise Misuse(f"there is no event {at} to go to; this record has events 0 to {len(there) - 1}")
    context.say(_header(context, report, chain.offer))
    for seq in there if at is None else [at]:
        context.say(event_line(chain, seq))


def _header(context: Context, report: Report, offer: Offer) -> str:
    word, why = standing(report)
    players = ", ".join(f"seat {p.seat} {p.name} ({'-'.join(p.key.words.split('-')[:2])}..)" for p in report.players)
    return f"REPLAY {report.game[:8]}: {game_words(context.host, offer)}; {players}; {word}: {why}"


def drawn(position: Position, seat: int | None = None) -> list[str]:
    """The position as `seat`, or a spectator, may see it: rows and then panel lines. Raises `PluginFault`."""
    try:
        picture = position.rules.picture(position.rules.view(position.state, seat))
        return [safe_text(line, WIDEST) for line in (*picture.text(), *picture.panel)]
    except LantableError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginFault(f"the game could not be drawn: {type(error).__name__}: {error}") from error


def typed_lines(prompt: Callable[[], str]) -> Iterator[str]:
    """Lines from standard input until it ends; only a person at a terminal is prompted."""
    typed = sys.stdin.isatty()
    while True:
        if typed:
            print(prompt(), end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            break
        yield line.strip()
    if typed:
        print()


@dataclass(slots=True)
class Viewer:
    """One replay being looked at."""

    context: Context
    cursor: Cursor
    report: Report
    done: bool = False

    def prompt(self) -> str:
        return f"event {self.cursor.at} of {len(self.cursor) - 1}> "

    def follow(self, lines: Iterator[str]) -> None:
        """Show event 0, then do what each line says until `quit` or the last one."""
        self.context.say("type help for what you can do; an empty line goes one event on")
        self.show()
        while not self.done and (line := next(lines, None)) is not None:
            try:
                self.obey(line)
            except LantableError as error:
                self.context.say(safe_text(str(error), 600))

    def obey(self, line: str) -> None:
        """One typed line. Raises `Misuse` if it is not understood."""
        word, _, argument = line.partition(" ")
        command = _BY_WORD.get(word.lower())
        if command is None:
            raise Misuse(f"{word!r} is not understood" + nearest(word, filter(None, _BY_WORD)))
        if bool(argument) != bool(command.argument):
            raise Misuse(f"type  {command.usage}")
        command.do(self, argument.strip())

    def show(self) -> None:
        """The event just played, and the position after it."""
        self.context.say(event_line(self.cursor.chain, self.cursor.at))
        for line in drawn(self.cursor.position):
            self.context.say(line)

    def go(self, seq: int) -> None:
        """To event `seq`. Raises `Misuse` if there is none."""
        self.cursor.seek(seq)
        self.show()

    def last(self) -> int:
        return len(self.cursor) - 1


@dataclass(frozen=True, slots=True)
class Command:
    """What can be typed: its words (the first is the full one, "" an empty line), and whether a number follows."""

    words: tuple[str, ...]
    help: str
    do: Callable[[Viewer, str], None]
    argument: str = ""

    @property
    def usage(self) -> str:
        return " or ".join(f"{word} {self.argument}".strip() for word in self.words if word)


def _next(viewer: Viewer, _: str) -> None:
    if viewer.cursor.forward():
        viewer.show()
    elif viewer.cursor.broken is None:
        viewer.context.say(f"event {viewer.cursor.at} is the last one; {ending(viewer.report)}")
    else:
        seq, why = viewer.cursor.broken
        viewer.context.say(f"event {viewer.cursor.at} is the last good one; event {seq} is not: {safe_text(why)}")


def _previous(viewer: Viewer, _: str) -> None:
    if viewer.cursor.back():
        viewer.show()
    else:
        viewer.context.say("event 0 is the first one")


def _goto(viewer: Viewer, argument: str) -> None:
    if not argument.isascii() or not argument.isdecimal() or len(argument) > 9:
        raise Misuse("goto takes the number of an event, such as  goto 12")
    viewer.go(int(argument))


def _moves(viewer: Viewer, _: str) -> None:
    for seq in range(good_events(viewer.report)):
        here = ">" if seq == viewer.cursor.at else " "
        viewer.context.say(f"{here} {event_line(viewer.cursor.chain, seq)}")


def _help(viewer: Viewer, _: str) -> None:
    for command in COMMANDS:
        viewer.context.say(f"{command.usage}: {command.help}")


def _quit(viewer: Viewer, _: str) -> None:
    viewer.done = True


COMMANDS: Final = (
    Command(("next", "n", ""), "one event on; so does an empty line", _next),
    Command(("prev", "p"), "one event back", _previous),
    Command(("first",), "to event 0, before the first move", lambda viewer, _: viewer.go(0)),
    Command(("last",), "to the last good event", lambda viewer, _: viewer.go(viewer.last())),
    Command(("goto", "g"), "to the position after event N", _goto, "N"),
    Command(("board", "b"), "the position once more", lambda viewer, _: viewer.show()),
    Command(("moves", "m"), "all events, with > before the one you are at", _moves),
    Command(("help", "?"), "this list", _help),
    Command(("quit", "q"), "close the record", _quit),
)
_BY_WORD: Final = {word: command for command in COMMANDS for word in command.words}
