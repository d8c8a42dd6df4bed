"""A folder of records: the journal through which the network writes, and the list of what was played.

Names on disk come from the game id alone, 32 hexadecimal digits, never from anything a record says:

    <id>.jsonl      the record, one line a line
    <id>.mark       the newest thing signed here for that game, see `mark`
    <id>.proof      that a key signed twice; a second one would be <id>.proof-2
    <id>.refused    an event somebody refused, with the signed refusal
    never-begun/    records of games that were offered and never began
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from lantable import fold
from lantable.chain import Chain
from lantable.errors import DiskFault, LantableError, Misuse, PluginFault, UnknownRules, Untrusted
from lantable.events import Event, Offer, is_seal, read_event
from lantable.game import Outcome
from lantable.table import FindRules
from lantable.wording import msg
from lantable_replays import mark as marks
from lantable_replays import system
from lantable_replays.mark import MarkFile
from lantable_replays.record import RecordFile, load, split, unused
from lantable_replays.system import reporting

RECORD: Final = ".jsonl"
MARK: Final = ".mark"
SIDES: Final = {"proof": ".proof", "refused": ".refused"}
NEVER_BEGUN: Final = "never-begun"
_ID: Final = re.compile(r"[0-9a-f]{32}\Z")
_PREFIX: Final = re.compile(r"[0-9a-f]{1,32}\Z")

State = Literal["complete", "unfinished", "unknown rules", "broken"]


@dataclass(frozen=True, slots=True)
class Summary:
    """A record as listed. A hint for people: no signature but that of event 0 was checked for it."""

    game: bytes
    path: Path
    state: State
    note: str = ""
    """Why a record is broken or its rules unknown."""
    offer: Offer | None = None
    events: int = 0
    began: int = 0
    """`t` of event 0 and of the last event: milliseconds since 1970 by the players' own clocks."""
    ended: int = 0
    outcome: Outcome | None = None
    stopped: bool = False
    """Whether a proof or a refusal stands beside it, so that nothing more is played."""


class Archive:
    """The records of one home; implements `lantable.journal.Journal`. Every method may raise `DiskFault`.

    `marks` is the folder of marks if they live elsewhere: beside the key they survive a restored record folder.
    """

    def __init__(self, folder: Path, marks: Path | None = None) -> None:
        self.folder = folder
        self.marks = marks or folder
        self._open: dict[bytes, RecordFile] = {}
        self._marks: dict[bytes, MarkFile] = {}

    # -- the journal

    def create(self, game: bytes, line: bytes) -> None:
        """A new record holding event 0, synced to disk together with its folder."""
        path = self.path(game)
        with reporting(msg("make the folder"), self.folder):
            system.make_folder(self.folder)
        if not path.exists():
            self._open[game] = RecordFile.create(path, line)
            return
        # A crash while event 0 was written leaves a record without lines, and the game may still begin.
        try:
            held, _ = self.open(game)
        except Untrusted as error:
            raise DiskFault(
                msg("the record {name} exists already and is damaged: {error}", name=path.name, error=error)
            ) from error
        if held:
            raise DiskFault(msg("the record {name} exists already; it is not written over", name=path.name))
        self._open[game].append(line, sync=True)

    def append(self, game: bytes, line: bytes, *, sync: bool) -> None:
        """One more line of a record that `create` or `open` opened; if `sync`, on disk before this returns."""
        self._open[game].append(line, sync=sync)

    def mark(self, game: bytes, data: bytes) -> None:
        """Replace the high-water mark: the newest thing signed for this game. Not synced."""
        path = self.path(game, MARK)
        with reporting("write", path):
            if game not in self._marks:
                system.make_folder(path.parent)
                self._marks[game] = MarkFile(path)
            self._marks[game].write(data)

    def keep(self, game: bytes, kind: str, data: bytes) -> None:
        """Keep a side file (`proof`, `refused`) beside the record, synced. Never overwrites another."""
        if data in self.kept(game, kind):
            return
        path = unused(self.path(game, SIDES[kind]))
        with reporting("write", path):
            system.make_folder(self.folder)
            system.replace(path, data, sync=True)

    def set_aside(self, game: bytes) -> None:
        """Move away a record whose game was never begun, with all that stands beside it."""
        self.close(game)
        for folder in {self.folder, self.marks}:
            with reporting(msg("move a record to"), folder / NEVER_BEGUN):
                system.make_folder(folder / NEVER_BEGUN)
                for path in folder.glob(f"{game.hex()}.*"):
                    system.move(path, unused(folder / NEVER_BEGUN / path.name))

    # -- opening

    def open(self, game: bytes) -> tuple[list[bytes], bytes | None]:
        """Lock a record for appending: its lines, and the mark if there is one.

        A torn end is mended first, see `record`; then `torn` names the side file. After a failed write every
        opening fails too: what this process would read need not be what is on the disk. Raises also `Untrusted`
        for a damaged record or one that is of another game than its name says.
        """
        if game not in self._open:
            record = RecordFile.open(self.path(game))
            if record.lines and read_event(record.lines[0]).game != game:
                record.close()
                raise Untrusted(
                    "name", msg("the record {name} holds another game than its name says", name=record.path.name)
                )
            self._open[game] = record
        self._open[game].fileno()
        path = self.path(game, MARK)
        mark = marks.read(load(path)) if path.exists() else None
        return list(self._open[game].lines), mark

    def torn(self, game: bytes) -> Path | None:
        """Where opening the record put an incomplete last line, if there was one."""
        return self._open[game].torn

    def close(self, game: bytes) -> None:
        """Give back a record and its lock. Again is harmless."""
        for held in (self._open.pop(game, None), self._marks.pop(game, None)):
            if held is not None:
                held.close()

    def close_all(self) -> None:
        """Give back every record."""
        for game in {*self._open, *self._marks}:
            self.close(game)

    # -- asking

    def path(self, game: bytes, suffix: str = RECORD) -> Path:
        """Where a file of that game lies."""
        return (self.marks if suffix == MARK else self.folder) / (game.hex() + suffix)

    def read(self, game: bytes) -> bytes:
        """The bytes of a record, without locking it: for replay and audit."""
        return load(self.path(game))

    def kept(self, game: bytes, kind: str) -> list[bytes]:
        """The side files of one kind beside a record, in the order they came."""
        first = self.path(game, SIDES[kind])
        others = [path for path in first.parent.glob(first.name + "-*") if path.name.rpartition("-")[2].isdigit()]
        others.sort(key=lambda path: (len(path.name), path.name))
        return [load(path) for path in [first, *others] if path.exists()]

    def games(self) -> list[bytes]:
        """The ids of all records here, in the order of their names."""
        with reporting("list", self.folder):
            names = sorted(path.stem for path in self.folder.glob("*" + RECORD))
        return [bytes.fromhex(name) for name in names if _ID.match(name)]

    def find(self, prefix: str) -> bytes:
        """The one game whose id begins so. Raises `Misuse` if there is none, or more than one."""
        prefix = prefix.strip().lower()
        if not _PREFIX.match(prefix):
            raise Misuse(msg("a game is named by the first few of its hexadecimal digits, such as 4f1c"))
        found = [game for game in self.games() if game.hex().startswith(prefix)]
        if not found:
            raise Misuse(
                msg("no record here begins with {prefix}; list the records to see what there is", prefix=prefix)
            )
        if len(found) > 1:
            raise Misuse(
                msg(
                    "{found} records begin with {prefix}; give more digits of the one you mean",
                    found=len(found),
                    prefix=prefix,
                )
            )
        return found[0]

    def list(self, find_rules: FindRules) -> Iterator[Summary]:
        """Every record, summed up one by one. A broken one is listed as broken; nothing is raised for it."""
        for game in self.games():
            yield self.summary(game, find_rules)

    def summary(self, game: bytes, find_rules: FindRules) -> Summary:
        """One record, summed up; raises nothing."""
        path = self.path(game)
        try:
            lines, _ = split(self.read(game))
            stopped = any(self.kept(game, kind) for kind in SIDES)
            return _summary(game, path, lines, stopped, find_rules)
        except (Untrusted, DiskFault) as error:
            return Summary(game, path, "broken", str(error))


def _summary(game: bytes, path: Path, lines: list[bytes], stopped: bool, find_rules: FindRules) -> Summary:
    if not lines:
        raise Untrusted("empty", msg("it holds no event"))
    chain = Chain.begin(lines[0])
    if chain.game != game:
        raise Untrusted("name", msg("it holds another game than its name says"))
    events = [chain.last.event] + [read_event(line).event for line in lines[1:] if not is_seal(line)]
    state, note, outcome = _standing(chain.offer, events, is_seal(lines[-1]), find_rules)
    return Summary(
        game=game,
        path=path,
        state=state,
        note=note,
        offer=chain.offer,
        events=len(events),
        began=events[0].t,
        ended=events[-1].t,
        outcome=outcome,
        stopped=stopped,
    )


def _standing(
    offer: Offer, events: list[Event], sealed: bool, find_rules: FindRules
) -> tuple[State, str, Outcome | None]:
    try:
        *_, position = fold.states(fold.opening(find_rules(offer), offer), events[1:])
        outcome = position.outcome
    except (UnknownRules, PluginFault) as error:
        return "unknown rules", str(error), None
    except LantableError as error:
        return "broken", str(error), None
    return "complete" if outcome is not None and sealed else "unfinished", "", outcome
