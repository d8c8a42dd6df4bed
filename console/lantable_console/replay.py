"""`lantable replay`: a record stepped through, forwards and backwards, in line mode.

What is shown are the positions the players had: `Cursor` takes the record through the same chain and the same
step as live play. Lines are read from a terminal or a pipe alike; each step prints the event and the position
after it, and nothing is rewritten. What can be typed stands in `commands`.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from lantable.errors import LantableError, Misuse, PluginFault, UnknownRules, Untrusted
from lantable.events import Offer
from lantable.fold import Position
from lantable.game import gloss, told
from lantable.text import safe_text
from lantable_console import commands
from lantable_console.commands import Place
from lantable_console.context import Context
from lantable_console.face import Main, until_signal
from lantable_console.log import (
    Tell,
    conclude,
    ending,
    event_line,
    game_words,
    good_events,
    short_line,
    standing,
    teller,
)
from lantable_console.settings import Looks
from lantable_replays.audit import Report, audit
from lantable_replays.cursor import Cursor
from lantable_replays.record import load, read

WIDEST: Final = 1000
"""Characters of one line of a picture or panel."""


def run(context: Context) -> int | Main:
    """`lantable replay FILE|GAME-ID [--at N]`. Exit code as `log show`: the audit's, but 0 for an unfinished game."""
    data = load(_path(context))
    report = audit(data, context.host.rules_for)
    try:
        cursor = Cursor(data, context.host.rules_for)
    except UnknownRules:
        _without_pictures(context, report, data)
    except Untrusted:
        pass  # not even event 0 is good: there is nothing to show, and the conclusion says why
    else:
        if context.face.full:
            return lambda: until_signal(lambda: _on_screen(context, report, cursor))
        _with_pictures(context, report, cursor)
    return conclude(context, report)


def samples() -> dict[str, Path]:
    """The records that come with lantable, by name."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "samples").glob("*.jsonl"))}


def _path(context: Context) -> Path:
    """What is to be replayed. Raises `Misuse`."""
    file, sample = context.args.file, context.args.sample
    if (file is None) == (sample is None):
        raise Misuse("name a record to replay, or type --sample for one that comes with lantable")
    if sample is None:
        return context.record_path(file)
    there = samples()
    if sample and sample not in there:
        raise Misuse(f"no sample is called {sample!r}; there is {', '.join(there)}")
    return there[sample or min(there)]


def _with_pictures(context: Context, report: Report, cursor: Cursor) -> None:
    viewer, at = Viewer(context, cursor, report), context.args.at
    if at is not None:
        cursor.seek(at)
    context.say(header(context, report, cursor.offer))
    if at is not None:
        viewer.show()
    else:
        viewer.follow(typed_lines(viewer.prompt))


async def _on_screen(context: Context, report: Report, cursor: Cursor) -> int:
    await Viewer(context, cursor, report).watch()
    return conclude(context, report)


def _without_pictures(context: Context, report: Report, data: bytes) -> None:
    """What happened, as far as it can be told without the rules."""
    chain, at = read(data).chain, context.args.at
    if chain is None:
        return
    there = range(len(chain.events))
    if at is not None and at not in there:
        raise Misuse(f"there is no event {at} to go to; this record has events 0 to {len(there) - 1}")
    context.say(header(context, report, chain.offer))
    for seq in there if at is None else [at]:
        context.say(event_line(chain, seq, teller(context.host, chain.offer)))


def header(context: Context, report: Report, offer: Offer) -> str:
    word, why = standing(report)
    players = ", ".join(f"seat {p.seat} {p.name} ({'-'.join(p.key.words.split('-')[:2])}..)" for p in report.players)
    return f"REPLAY {report.game[:8]}: {game_words(context.host, offer)}; {players}; {word}: {why}"


def drawn(position: Position, seat: int | None = None, looks: Looks | None = None) -> list[str]:
    """The position as `seat`, or a spectator, may see it: rows and then panel lines. Raises `PluginFault`."""
    try:
        view = position.rules.view(position.state, seat)
        picture = position.rules.picture(view)
        looks = looks or Looks()
        more = gloss(position.rules, view) if looks.shadow else ()
        return [safe_text(line, WIDEST) for line in (*picture.text(rich=looks.unicode), *picture.panel, *more)]
    except LantableError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginFault(f"the game could not be drawn: {type(error).__name__}: {error}") from error


def acting(position: Position) -> int | None:
    """Who is to move or draws."""
    return getattr(position.want, "seat", None) if position.mover is None else position.mover


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

    place: ClassVar[Place] = Place.REPLAY
    context: Context
    cursor: Cursor
    report: Report
    done: bool = False
    _words: tuple[str, ...] = ()

    @property
    def last(self) -> int:
        """The last event there is to see."""
        return len(self.cursor) - 1

    def prompt(self) -> str:
        return f"event {self.cursor.at} of {self.last}> "

    def follow(self, lines: Iterator[str]) -> None:
        """Show event 0, then do what each line says until `quit` or the last one."""
        self.context.say("type help for what you can do; an empty line goes one event on")
        self.show()
        while not self.done and (line := next(lines, None)) is not None:
            self.obey(line)

    async def watch(self) -> int:
        """The same on a full screen."""
        with self.context.face.show(self):
            async for line in self.context.face.lines():
                self.obey(line)
                if self.done:
                    break
        return 0

    def obey(self, line: str) -> None:
        """One typed line; what is wrong with it is said."""
        try:
            command, argument = commands.understood(Place.REPLAY, line)
            command.do(self, argument)
        except LantableError as error:
            self.context.say(safe_text(str(error), 600))

    # -- what may be seen

    def eyes(self) -> int | None:
        """The seat through whose eyes it is shown. A finished game hides nothing: it is shown as who acts saw it."""
        return acting(self.cursor.position) if self.report.complete else None

    def tell(self) -> Tell | None:
        """What hides in an unfinished record what the players still hide from each other."""
        return None if self.report.complete else partial(told, self.cursor.position.rules)

    # -- what can be typed

    def show(self) -> None:
        """The event just played, and the position after it. A full screen has both in sight."""
        if self.context.face.full:
            return
        self.context.say(event_line(self.cursor.chain, self.cursor.at, self.tell()))
        for line in drawn(self.cursor.position, self.eyes(), self.context.face.looks):
            self.context.say(line)

    def go(self, seq: int) -> None:
        """To event `seq`. Raises `Misuse` if there is none."""
        self.cursor.seek(seq)
        self.show()

    def goto(self, text: str) -> None:
        """To the event of that number. Raises `Misuse`."""
        self.go(_number(text, "goto"))

    def step(self, text: str, way: int) -> None:
        """So many events on or back (one, if nothing is said), or as far as there are any. Raises `Misuse`."""
        wanted = self.cursor.at + way * (_number(text, "next or prev") if text else 1)
        to = min(max(wanted, 0), self.last)
        if to != self.cursor.at:
            self.go(to)
        elif way < 0:
            self.context.say("event 0 is the first one")
        else:
            self.context.say(self.at_the_end())

    def at_the_end(self) -> str:
        """What there is to say after the last event."""
        if self.cursor.broken is None:
            return f"event {self.cursor.at} is the last one; {ending(self.report)}"
        seq, why = self.cursor.broken
        return f"event {self.cursor.at} is the last good one; event {seq} is not: {safe_text(why)}"

    def show_events(self) -> None:
        for seq in range(good_events(self.report)):
            here = ">" if seq == self.cursor.at else " "
            self.context.say(f"{here} {event_line(self.cursor.chain, seq, self.tell())}")

    def event_words(self) -> tuple[str, ...]:
        """Every event in few words: its number, who and what."""
        if not self._words:
            offer, events = self.cursor.offer, self.cursor.chain.events[: good_events(self.report)]
            self._words = tuple(short_line(signed.event, offer, self.tell()) for signed in events)
        return self._words

    def help(self) -> None:
        for line in commands.help_lines(Place.REPLAY):
            self.context.say(line)

    def quit(self) -> None:
        self.done = True


def _number(text: str, word: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise Misuse(f"{word} takes the number of an event, such as  goto 12")
    return int(text)
