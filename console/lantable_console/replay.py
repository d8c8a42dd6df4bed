"""`lantable replay`: a record stepped through, forwards and backwards, or run at the players' own pace.

What is shown are the positions the players had: `Cursor` takes the record through the same chain and the same
step as live play. In line mode each step prints the event and the position after it, and nothing is rewritten.
A run rests between two events as long as the players did, but for no longer than the cap, which is always told.
What can be typed stands in `commands`.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

import trio

from lantable.dealing import dealt
from lantable.errors import LantableError, Misuse, PluginFault, UnknownRules, Untrusted
from lantable.events import Offer
from lantable.fold import Position
from lantable.game import Picture, aloud, gloss, told
from lantable.text import safe_name, safe_text
from lantable_console import commands, keyboard, language
from lantable_console.commands import Place
from lantable_console.context import Context
from lantable_console.eyes import Eyes
from lantable_console.face import Main, until_signal
from lantable_console.language import N_, tr
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
from lantable_replays.highlights import Highlight, highlights
from lantable_replays.record import load, read

SPEEDS: Final = (0.25, 16.0)
SHORTEST: Final = 0.1
"""Seconds that every event of a run can be seen, at the players' own pace."""
TELLING: Final = 60
"""Seconds from which a pause that is cut is told of by itself."""
WIDEST: Final = 1000
"""Characters of one line of a picture or panel."""


def run(context: Context) -> int | Main:
    """`lantable replay FILE|GAME-ID [--at N]`. Exit code as `log show`: the audit's, but 0 for an unfinished game."""
    data = load(chosen_record(context))
    report = audit(data, context.host.rules_for)
    try:
        cursor = Cursor(data, context.host.rules_for)
    except UnknownRules:
        _without_pictures(context, report, data)
    except Untrusted:
        pass  # not even event 0 is good: there is nothing to show, and the conclusion says why
    else:
        if context.args.at is None:
            return lambda: until_signal(lambda: _stepped(context, report, cursor, data))
        _with_pictures(context, report, cursor)
    return conclude(context, report)


def samples() -> dict[str, Path]:
    """The records that come with lantable, by name."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "samples").glob("*.jsonl"))}


def chosen_record(context: Context) -> Path:
    """Where the record lies that is to be replayed. Raises `Misuse`."""
    file, sample = context.args.file, context.args.sample
    if (file is None) == (sample is None):
        raise Misuse(tr("name a record to replay, or type --sample for one that comes with lantable"))
    if sample is None:
        return context.record_path(file)
    there = samples()
    if sample and sample not in there:
        raise Misuse(tr("no sample is called {sample}; there is {there}", sample=repr(sample), there=", ".join(there)))
    return there[sample or min(there)]


def _with_pictures(context: Context, report: Report, cursor: Cursor) -> None:
    """The one position that was asked for."""
    cursor.seek(context.args.at)
    context.say(header(context, report, cursor.offer))
    Viewer(context, cursor, report).show()


async def _stepped(context: Context, report: Report, cursor: Cursor, data: bytes) -> int:
    if not context.face.full:
        context.say(header(context, report, cursor.offer))
    await Viewer(context, cursor, report, cap=context.settings.number("idle_cap"), data=data).watch()
    return conclude(context, report)


def _without_pictures(context: Context, report: Report, data: bytes) -> None:
    """What happened, as far as it can be told without the rules."""
    chain, at = read(data).chain, context.args.at
    if chain is None:
        return
    there = range(len(chain.events))
    if at is not None and at not in there:
        raise Misuse(
            tr("there is no event {at} to go to; this record has events 0 to {there}", at=at, there=len(there) - 1)
        )
    context.say(header(context, report, chain.offer))
    for seq in there if at is None else [at]:
        context.say(event_line(chain, seq, teller(context.host, chain.offer)))


def header(context: Context, report: Report, offer: Offer) -> str:
    word, why = standing(report)
    players = ", ".join(
        tr("seat {seat} {name} ({words}..)", seat=p.seat, name=p.name, words="-".join(p.key.words.split("-")[:2]))
        for p in report.players
    )
    return tr(
        "REPLAY {game}: {game_words}; {players}; {word}: {why}",
        game=report.game[:8],
        game_words=game_words(context.host, offer),
        players=players,
        word=tr(word),
        why=why,
    )


def picture(position: Position, eyes: Eyes) -> Picture:
    """The position as these eyes see it. Raises `PluginFault`."""
    with _drawing():
        return position.rules.picture(eyes.view(position))


def panel(position: Position, image: Picture, eyes: Eyes, looks: Looks) -> list[str]:
    """What is said beside its picture. Raises `PluginFault`."""
    with _drawing():
        more = gloss(position.rules, eyes.view(position)) if looks.shadow else ()
        return [safe_text(language.shown(line), WIDEST) for line in (*image.panel, *more)]


@contextmanager
def _drawing() -> Generator[None]:
    try:
        yield
    except LantableError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginFault(
            tr("the game could not be drawn: {kind}: {error}", kind=type(error).__name__, error=error)
        ) from error


def drawn(position: Position, eyes: Eyes | None = None, looks: Looks | None = None) -> list[str]:
    """The position as these eyes, or a spectator's, see it: rows and then panel lines. Raises `PluginFault`."""
    eyes, looks = eyes or Eyes(), looks or Looks()
    image = picture(position, eyes)
    rows = [safe_text(row, WIDEST) for row in image.text(rich=looks.unicode)]
    return [*rows, *panel(position, image, eyes, looks)]


def in_words(position: Position, view: Any, part: str) -> str:
    """A row, a column or a cell of the board in one line. Raises `Misuse`, `PluginFault`."""
    with _drawing():
        said = aloud(position.rules, view, part)
    if said is None:
        raise Misuse(
            tr("{part} is no row, column or cell of this board; they are called as beside the board", part=repr(part))
        )
    return safe_text(language.shown(said), WIDEST)


def acting(position: Position) -> int | None:
    """Who is to move or draws."""
    return getattr(position.want, "seat", None) if position.mover is None else position.mover


@dataclass(slots=True)
class Viewer:
    """One replay being looked at."""

    place: ClassVar[Place] = Place.REPLAY
    context: Context
    cursor: Cursor
    report: Report
    cap: int = 2
    """Seconds that it rests between two events at most, however long the players thought; 0 cuts nothing."""
    data: bytes = b""
    """The record as it lies on disk, where a page can be made of it."""
    speed: float = 1.0
    running: bool = False
    done: bool = False
    _changed: trio.Event = field(default_factory=trio.Event)
    """Set when something was done that a running replay must know of."""
    _stopped: trio.Event = field(default_factory=trio.Event)
    _asked: bool = False
    """Whether the best moves are asked for."""
    _words: tuple[str, ...] = ()
    _marks: dict[int, str] | None = None

    @property
    def last(self) -> int:
        """The last event there is to see."""
        return len(self.cursor) - 1

    def prompt(self) -> str:
        return tr("event {at} of {last}> ", at=self.cursor.at, last=self.last)

    async def watch(self) -> None:
        """Show event 0, then do what each line says until `quit` or the last one."""
        with self.context.face.show(self):
            if not self.context.face.full:
                self.context.say(tr("type help for what you can do; an empty line goes one event on"))
                self.show()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._roll)
                await self._read()
                nursery.cancel_scope.cancel()

    async def _read(self) -> None:
        async for line in self.context.face.lines(self.prompt):
            self.obey(line)
            if self.done:
                return
            if self._asked:
                await self._tell_best()
            # A pipe writes ahead: what it says next is for after the run.
            while self.running and not (self.context.face.full or keyboard.is_typed()):
                await self._stopped.wait()

    def obey(self, line: str) -> None:
        """One typed line; what is wrong with it is said."""
        if self.running and not line:
            self.play()
            return
        try:
            command, argument = commands.understood(Place.REPLAY, line)
            command.do(self, argument)
        except LantableError as error:
            self.context.say(safe_text(language.told(error), 600))

    # -- what may be seen

    def eyes(self) -> Eyes:
        """Through whose eyes it is shown: a finished game hides nothing, any other what it hides from spectators."""
        return Eyes(acting(self.cursor.position), revealed=True) if self._played() else Eyes()

    def _played(self) -> bool:
        """Whether play is over, even if a seat never shows its secret: what was hidden for its sake need not be."""
        return self.report.complete or self.report.deal.verdict == "unaudited"

    def tell(self) -> Tell | None:
        """What hides in an unfinished record what the players still hide from each other."""
        return None if self.report.complete else partial(told, self.cursor.position.rules)

    def secrecy(self) -> str:
        """Whether hidden tiles are shown, for games that have some."""
        if dealt(self.cursor.position.rules) is None:
            return ""
        if self.report.complete:
            return tr("racks: shown, the game is over")
        if self._played():
            return tr("racks: shown as far as they can be; {why}", why=language.shown(self.report.deal.message))
        return tr("racks: hidden until the game is over")

    def marks(self) -> Mapping[int, str]:
        """The events worth a mark, each with the reason in words."""
        if self._marks is None:
            found: dict[int, str] = {}
            for mark in highlights(self.cursor.replay.positions):
                words = _mark_words(mark, self.cursor.offer)
                found[mark.seq] = f"{found[mark.seq]}, {words}" if mark.seq in found else words
            self._marks = found
        return self._marks

    # -- what can be typed

    def show(self) -> None:
        """The event just played, and the position after it. A full screen has both in sight."""
        if self.context.face.full:
            return
        at = self.cursor.at
        self.context.say(event_line(self.cursor.chain, at, self.tell()) + self._marked(at))
        for line in drawn(self.cursor.position, self.eyes(), self.context.face.looks):
            self.context.say(line)

    def show_part(self, part: str) -> None:
        """The position once more; or only a row, a column or a cell of it, in words. Raises `Misuse`."""
        if part:
            position = self.cursor.position
            self.context.say(f"  {in_words(position, self.eyes().view(position), part)}")
        else:
            self.show()

    def _marked(self, seq: int) -> str:
        return f"  [{self.marks()[seq]}]" if seq in self.marks() else ""

    def go(self, seq: int) -> None:
        """To event `seq`. Raises `Misuse` if there is none."""
        self.cursor.seek(seq)
        self._changed.set()
        self.show()

    def goto(self, text: str) -> None:
        """To the event of that number. Raises `Misuse`."""
        self.go(_number(text, "goto"))

    def step(self, text: str, way: int) -> None:
        """So many events on or back (one, if nothing is said), or as far as there are any. Raises `Misuse`."""
        wanted = self.cursor.at + way * (_number(text, tr("next or prev")) if text else 1)
        to = min(max(wanted, 0), self.last)
        if to != self.cursor.at:
            self.go(to)
        elif way < 0:
            self.context.say(tr("event 0 is the first one"))
        else:
            self.context.say(self.at_the_end())

    def leap(self, way: int) -> None:
        """To the next mark that way."""
        ahead = [seq for seq in sorted(self.marks(), reverse=way < 0) if (seq - self.cursor.at) * way > 0]
        if ahead:
            self.go(ahead[0])
        else:
            self.context.say(tr("there is no mark further on") if way > 0 else tr("there is no mark before this"))

    def show_marks(self) -> None:
        """Every mark, one a line."""
        for seq, words in self.marks().items():
            self.context.say(tr("event {seq}: {words}", seq=seq, words=words))
        if not self.marks():
            self.context.say(tr("nothing in this game is marked"))

    def analyse(self) -> None:
        """Tell the best moves here, once they are found."""
        self._asked = True
        self.context.say(tr("* looking for the best moves after event {at}", at=self.cursor.at))

    async def _tell_best(self) -> None:
        from lantable_console import analyse  # most replays do without it

        self._asked = False
        try:
            for line in await analyse.told(self):
                self.context.say(line)
        except LantableError as error:
            self.context.say(safe_text(language.told(error), 600))

    def at_the_end(self) -> str:
        """What there is to say after the last event."""
        if self.cursor.broken is None:
            return tr("event {at} is the last one; {ending}", at=self.last, ending=ending(self.report))
        seq, why = self.cursor.broken
        return tr(
            "event {at} is the last good one; event {seq} is not: {why}", at=self.last, seq=seq, why=safe_text(why)
        )

    def show_events(self) -> None:
        for seq in range(good_events(self.report)):
            here = ">" if seq == self.cursor.at else " "
            self.context.say(f"{here} {event_line(self.cursor.chain, seq, self.tell())}{self._marked(seq)}")

    def event_words(self) -> tuple[str, ...]:
        """Every event in few words: its number, who and what."""
        if not self._words:
            offer, events = self.cursor.offer, self.cursor.chain.events[: good_events(self.report)]
            self._words = tuple(short_line(signed.event, offer, self.tell()) for signed in events)
        return self._words

    def export(self, to: str) -> None:
        """Write the game as a page for a browser, and tell where it lies. Raises `Misuse`, `DiskFault`."""
        from lantable_console.page import export

        self.context.say(tr("* {path} is written; open it in any browser", path=export(self, self.data, to)))

    # -- running

    def play(self) -> None:
        """Let it run, or stop it."""
        self.running = not self.running
        self._changed.set()
        if not self.running:
            self._stop()
            self.context.say(tr("* it stands at event {at}", at=self.cursor.at))
        elif self.cursor.at == self.last:
            self._stop()
            self.context.say(self.at_the_end())
        else:
            self._stopped = trio.Event()
            self.context.say(tr("* it runs at {pace}; an empty line stops it", pace=self.pace()))

    def _stop(self) -> None:
        self.running = False
        self._stopped.set()

    def pace(self) -> str:
        """How fast it runs, and what is left out of it."""
        return tr("{speed}x the players' pace, {cut}", speed=format(self.speed, "g"), cut=self.cut())

    def cut(self) -> str:
        """What is left out of long pauses."""
        return tr("pauses cut to {cap}", cap=lasting(self.cap)) if self.cap else tr("pauses as they were")

    def change_speed(self, factor: float) -> None:
        """So many times as fast, within `SPEEDS`."""
        self.set_speed(f"{min(max(self.speed * factor, SPEEDS[0]), SPEEDS[1]):g}")

    def set_speed(self, text: str) -> None:
        """That many times the players' own pace. Raises `Misuse`."""
        try:
            speed = float(text.removesuffix("x"))
        except ValueError:
            speed = 0.0
        if not SPEEDS[0] <= speed <= SPEEDS[1]:
            raise Misuse(
                tr(
                    "speed takes a number from {speeds} to {speeds2}, such as  speed 2",
                    speeds=format(SPEEDS[0], "g"),
                    speeds2=format(SPEEDS[1], "g"),
                )
            )
        self.speed = speed
        self._changed.set()
        self.context.say(f"* {self.pace()}")

    def set_cap(self, text: str) -> None:
        """Cut pauses to so many seconds. Raises `Misuse`."""
        self.cap = _number(text, "cap")
        self._changed.set()
        self.context.say(f"* {self.pace()}")

    def thought(self, seq: int) -> float:
        """Seconds that passed before event `seq` by its author's clock; clocks may differ, so never less than 0."""
        events = self.cursor.chain.events
        return max(events[seq].event.t - events[seq - 1].event.t, 0) / 1000 if seq else 0.0

    def elapsed(self) -> str:
        """How long the game had lasted here, such as `0:03:12`."""
        events = self.cursor.chain.events
        seconds = max(events[self.cursor.at].event.t - events[0].event.t, 0) // 1000
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"

    async def _roll(self) -> None:
        """While it runs, step on at the players' own pace times the speed, and stay at the last event."""
        while True:
            changed = self._changed = trio.Event()
            if self.running and self.cursor.at == self.last:
                self._stop()
                self.context.say(f"* {self.at_the_end()}")
            elif not self.running:
                await changed.wait()
            else:
                with trio.move_on_after(self._pause()) as rest:
                    await changed.wait()
                if rest.cancelled_caught:
                    self.go(self.cursor.at + 1)
                    self.context.face.refresh()

    def _pause(self) -> float:
        """How long to rest before the next event; a long pause that is cut is told of."""
        pause = self.thought(self.cursor.at + 1)
        if self.cap and pause > max(self.cap, TELLING):
            self.context.say(tr("* a pause of {pause} is cut to {cap}", pause=lasting(pause), cap=lasting(self.cap)))
        return max(min(pause, self.cap) if self.cap else pause, SHORTEST) / self.speed

    def help(self) -> None:
        for line in commands.help_lines(Place.REPLAY):
            self.context.say(line)

    def quit(self) -> None:
        self.done = True


def lasting(seconds: float) -> str:
    """A time in the largest unit that it fills: `2 s`, `5 min`, `3 days`."""
    for unit, length in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


_MARKS: Final[Mapping[str, str]] = {
    "again": N_("{name} moves again"),
    "lead": N_("{name} takes the lead"),
    "points": N_("{name} makes {points} points at once"),
    "end": N_("the game ends"),
    "resign": N_("{name} resigns"),
    "leave": N_("{name} leaves"),
    "takeback": N_("a takeback"),
    "draw": N_("a draw"),
    "stop": N_("stopped"),
}


def _mark_words(mark: Highlight, offer: Offer) -> str:
    words = _MARKS.get(mark.kind, mark.kind)
    return tr(words, name=safe_name(offer.seats[mark.seat].name), points=mark.points)


def _number(text: str, word: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        what = (
            tr("a number of seconds, such as  cap 5")
            if word == "cap"
            else tr("the number of an event, such as  goto 12")
        )
        raise Misuse(tr("{word} takes {what}", word=word, what=what))
    return int(text)
