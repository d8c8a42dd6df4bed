"""One record file: reading any bytes that claim to be one, and appending to ours so that a crash loses nothing.

Reading is pure: `read` takes bytes and gives the lines that are good, in order, and where and why they end.
Resume, replay and audit all read through it. A bad line is never skipped: what follows it is not looked at.

Writing holds a lock from opening to closing. A line is one `write` of its bytes and a newline, so what a crash
leaves is a prefix of what was written. Hence on opening:

* a last line that only lost its newline and passes every check gets it back;
* any other bad last line moves to a side file `<name>.torn-<n>`, and the game catches up with its peers;
* a bad line that is not last is damage of another kind and is refused with its byte offset.

After a failed write or sync nobody knows what is on the disk, so the file is closed and every later call
raises `DiskFault`: only a fresh opening, which reads it again, can tell.
"""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from lantable import canonical
from lantable.chain import Chain, read_line
from lantable.errors import DiskFault, Untrusted
from lantable.events import LOG_VERSION, Seal, Signed
from lantable.wording import msg
from lantable_replays import system
from lantable_replays.system import reporting

MAX_FILE: Final = 16 * 1024 * 1024
MAX_LINES: Final = 50_000
EVENT_BEGINS: Final = b'{"e":{"body":'
SEAL_BEGINS: Final = b'{"k":{"game":"'
"""How every event line and every K line begins, since keys are sorted."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a record stops being good, and why."""

    seq: int
    """Number of the event whose line or K line is at fault."""
    line: int
    """The line, counted from 1, and where it begins in the file."""
    offset: int
    code: str
    """As `Untrusted.code`; also `torn` for the beginning of a line, and `version` for one of another version."""
    detail: str
    at_end: bool
    """Whether the file ends with this line, so that a crash may have caused it."""

    def __str__(self) -> str:
        return msg(
            "event {seq} (line {line}, byte {offset}): {detail}",
            seq=self.seq,
            line=self.line,
            offset=self.offset,
            detail=self.detail,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """What some bytes are, as a record: the chain of all lines before the first fault."""

    chain: Chain | None
    """None if not even event 0 is good."""
    lines: list[bytes]
    rest: bytes
    """The bytes from the faulty line on."""
    fault: Fault | None
    ended: bool
    """Whether the last good line has its newline."""


def split(data: bytes) -> tuple[list[bytes], bytes]:
    """The lines of a file, and what follows its last newline. Locks nothing and needs only the bytes.

    Raises `Untrusted`: `no_record` if neither the first nor the second line begins as a line of a record does
    (one of them may be damaged), `too_long` beyond 16 MiB or 50,000 lines. Nothing is ever decompressed.
    """
    begins = (EVENT_BEGINS, SEAL_BEGINS)
    second = data.find(b"\n") + 1
    if not (data.startswith(begins) or data.startswith(begins, second) or EVENT_BEGINS.startswith(data)):
        raise Untrusted("no_record", msg("this is not a lantable record"))
    if len(data) > MAX_FILE:
        raise Untrusted("too_long", msg("a record is at most {max_file} bytes", max_file=MAX_FILE))
    if data.count(b"\n") > MAX_LINES:
        raise Untrusted("too_long", msg("a record is at most {max_lines} lines", max_lines=MAX_LINES))
    *lines, tail = data.split(b"\n")
    return lines, tail


def read(data: bytes) -> Reading:
    """Check a record line by line until the first fault. O(len(data)); nearly all of it is verifying signatures.

    Raises `Untrusted` as `split`; whatever is wrong after that is the `fault` of the answer.
    """
    lines, tail = split(data)
    chain: Chain | None = None
    every = [*lines, tail] if tail else lines
    # Taking lines apart and verifying signatures take turns for whole files: for single lines, each slows the other.
    for number, (line, part) in enumerate(zip(every, list(_parts(every)), strict=False)):
        try:
            chain = _taken(chain, part)
        except Untrusted as error:
            at_end = number == len(lines) - (not tail)
            offset = sum(len(good) + 1 for good in lines[:number])
            code, detail = _diagnosis(error, chain, line, whole=number < len(lines))
            fault = Fault(_seq(chain), number + 1, offset, code, detail, at_end)
            return Reading(chain, lines[:number], data[offset:], fault, ended=True)
    return Reading(chain, [*lines, tail] if tail else lines, b"", None, ended=not tail)


def load(path: Path) -> bytes:
    """The bytes of a file somebody named, at most one more than a record may have. Raises `DiskFault`."""
    with reporting("read", path), path.open("rb") as stream:
        return stream.read(MAX_FILE + 1)


def unused(path: Path) -> Path:
    """`path`, or the first of `path-2`, `path-3`, … that does not exist: side files never replace one another."""
    base, number = path.name.removesuffix("-1"), 2
    while path.exists():
        path, number = path.with_name(f"{base}-{number}"), number + 1
    return path


def _parts(lines: list[bytes]) -> Iterator[Signed | Seal | Untrusted]:
    """Each line taken apart, up to the first that cannot be, and why not."""
    for number, line in enumerate(lines):
        try:
            yield read_line(number, line)
        except Untrusted as error:
            yield error
            return


def _taken(chain: Chain | None, part: Signed | Seal | Untrusted) -> Chain:
    if isinstance(part, Untrusted):
        raise part
    if chain is not None:
        chain.take_part(part)
        return chain
    assert isinstance(part, Signed)  # noqa: S101 - `read_line` makes an event of line 0, or raises
    return Chain(part)


def _seq(chain: Chain | None) -> int:
    """Number of the event to which the next line belongs."""
    if chain is None:
        return 0
    return chain.seq + 1 if chain.sealed else chain.seq


def _diagnosis(error: Untrusted, chain: Chain | None, line: bytes, *, whole: bool) -> tuple[str, str]:
    """Code and detail of a refused line."""
    if not whole and error.code in ("not_json", "not_utf8") and _begins_well(chain, line):
        return "torn", msg("the last line is incomplete, as a crash while writing leaves it")
    # Event 0 promises one version for the whole record, so after it another version is a change and no news.
    if chain is not None and error.code == "newer" and canonical.read_object(line)["e"]["v"] != LOG_VERSION:
        return "version", msg("it claims another version than event 0")
    return error.code, error.detail


def _begins_well(chain: Chain | None, line: bytes) -> bool:
    """Whether an incomplete line is the beginning of one that belongs here."""
    begin = EVENT_BEGINS
    if chain is not None and not chain.sealed:
        begin = Seal(chain.game, chain.last.h, chain.seq, {}).line.removesuffix(b"}}")
        # Two closing braces end a K line: what holds them and is no JSON is a whole line with something after it.
        if b"}}" in line:
            return False
    return line.startswith(begin) or begin.startswith(line)


class RecordFile:
    """A record of this home, open for appending and locked. `lines` are those in the file."""

    def __init__(self, path: Path, file: int) -> None:
        """Use `open` or `create`."""
        self.path = path
        self.lines: list[bytes] = []
        self.torn: Path | None = None
        """Where opening put an incomplete last line, if there was one."""
        self._size = 0
        self._file: int | None = file

    @classmethod
    def create(cls, path: Path, line: bytes) -> Self:
        """A new record holding event 0; it and its name are on disk on return. Raises `DiskFault`."""
        with reporting(msg("create the record"), path):
            record = cls(path, system.create_private(path))
        with record._or_closed(msg("create the record")):
            record._lock()
            record.append(line, sync=True)
            system.sync_folder(path.parent)
        return record

    @classmethod
    def open(cls, path: Path) -> Self:
        """An existing record, its end mended as the top of this file says. `lines` may be empty.

        Raises `DiskFault`, also if another program has it open, and `Untrusted` if it is not a good record.
        """
        with reporting(msg("open the record"), path):
            record = cls(path, system.open_file(path, append=True))
        with record._or_closed(msg("read the record")):
            record._lock()
            with open(record.fileno(), "rb", closefd=False) as stream:
                data = stream.read(MAX_FILE + 1)
            record._recover(data, read(data))
        return record

    def append(self, line: bytes, *, sync: bool) -> None:
        """One more line by a single write; if `sync`, on disk on return. Raises `DiskFault`, and then always."""
        if len(self.lines) >= MAX_LINES or self._size + len(line) >= MAX_FILE:
            raise DiskFault(
                msg("the record {name} is full; nothing more can be played in this game", name=self.path.name)
            )
        with self._or_closed(msg("write to")):
            system.write(self.fileno(), line + b"\n")
            if sync:
                system.sync_file(self.fileno())
        self.lines.append(line)
        self._size += len(line) + 1

    def close(self) -> None:
        """Give back the file and its lock. Again is harmless."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def fileno(self) -> int:
        """The open file. Raises `DiskFault` once it is closed."""
        if self._file is None:
            raise DiskFault(
                msg("the record {name} was closed after a failure; start again to read it anew", name=self.path.name)
            )
        return self._file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _or_closed(self, what: str) -> Generator[None]:
        # Whatever interrupts a write, even Ctrl-C, leaves us not knowing what is on the disk.
        try:
            with reporting(what, self.path):
                yield
        except BaseException:
            self.close()
            raise

    def _lock(self) -> None:
        if not system.try_lock(self.fileno()):
            raise DiskFault(
                msg("the record {name} is in use by another lantable; close that one first", name=self.path.name)
            )

    def _recover(self, data: bytes, reading: Reading) -> None:
        fault = reading.fault
        if fault is None and not reading.ended:
            system.write(self.fileno(), b"\n")
            system.sync_file(self.fileno())
        elif fault is not None:
            # A line of a newer version is whole: moving it away would lose what a newer lantable wrote.
            if not fault.at_end or fault.code == "newer":
                raise Untrusted(
                    fault.code, msg("the record {name} stays as it is: {fault}", name=self.path.name, fault=fault)
                )
            self._set_aside(reading.rest, len(data) - len(reading.rest))
        self.lines = reading.lines
        self._size = sum(len(line) + 1 for line in self.lines)

    def _set_aside(self, rest: bytes, size: int) -> None:
        """Copy the torn line out, and only then cut it off: a crash between leaves it twice, never lost."""
        self.torn = unused(self.path.with_name(f"{self.path.name}.torn-1"))
        system.replace(self.torn, rest, sync=True)
        os.ftruncate(self.fileno(), size)
        system.sync_file(self.fileno())
