"""The high-water mark of one game on the disk: a small file, written anew before everything that is sent.

So it has to be cheap, and to rename one file over another is not: the file system then changes its own books, and
waits whenever they are just being written, as they are after each sync of a record. That was seen to take as long
as the sync itself. Here nothing is made, renamed or cut. The file has two places of `PLACE` bytes, and each mark
goes by one write over the older of the two:

    <SHA-256 of the rest, in hexadecimal> <number> <mark> newline

The place with the higher number holds the newest mark. A place that a crash left half written does not have its
hash, and then the other one counts: the mark before, as if the newest had not been written yet. Nothing is
synced, for what a mark speaks of has been.
"""

import os
from pathlib import Path
from typing import Final

from lantable.errors import Untrusted
from lantable.keys import sha256
from lantable.wording import msg
from lantable_replays import system

PLACE: Final = 1 << 16
"""More than the longest mark, which is one line of canonical JSON."""


class MarkFile:
    """The mark of one game, open for writing. Everything may raise `OSError`."""

    def __init__(self, path: Path) -> None:
        self._file = system.open_in_place(path)
        self._number, _ = _newest(os.read(self._file, 2 * PLACE)) or (0, b"")

    def write(self, mark: bytes) -> None:
        """Replace the mark. After a failure the one before stands."""
        rest = b"%d %s" % (self._number + 1, mark)
        line = b"%s %s\n" % (sha256(rest).hex().encode(), rest)
        system.write_at(self._file, line, _place(self._number + 1))
        self._number += 1

    def close(self) -> None:
        os.close(self._file)


def read(data: bytes) -> bytes | None:
    """The mark, from the bytes of its file; None if none was ever written whole.

    Raises `Untrusted("mark")` if both places were written and neither is whole: one crash cannot do that.
    """
    found = _newest(data)
    if found is None and len(data) > PLACE:
        raise Untrusted("mark", msg("the file that remembers what was signed is damaged"))
    return None if found is None else found[1]


def _newest(data: bytes) -> tuple[int, bytes] | None:
    return max(filter(None, (_whole(data[:PLACE]), _whole(data[PLACE:]))), default=None)


def _place(number: int) -> int:
    # The first mark goes to the front: the second place is written only when that one is whole.
    return (number - 1) % 2 * PLACE


def _whole(place: bytes) -> tuple[int, bytes] | None:
    """Number and mark of one place, or None."""
    line, _, _ = place.partition(b"\n")
    digest, _, rest = line.partition(b" ")
    number, _, mark = rest.partition(b" ")
    whole = digest == sha256(rest).hex().encode() and number.isdigit()
    return (int(number), mark) if whole else None
