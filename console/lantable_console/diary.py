"""The log file: when the program ran, what it met and what failed, for whoever has to find out why.

It is made to be sent to somebody else. So it cannot hold a rack, a move, a name, a word that was said or a secret:
a line is one of `EVENTS` with the fields that stand there, and a field is a number, the first digits of a game's id,
the spoken words of a public key, or a word of the program's own such as an error's class. Whatever does not have the
form of its field is written as `?`. Of a fault only its class and the places in our own source are kept, never its
text, which may quote anything.

One program at a time writes here, under the lock of the home; so the file may be turned over when it is full.
"""

import logging
import re
import traceback
from collections.abc import Mapping
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from lantable_replays import system

FILE: Final = "lantable.log"
FULL: Final = 256 * 1024
"""Bytes after which a new file is begun."""
KEPT: Final = 3
"""Older files that are kept."""

EVENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "began": ("version", "command", "python", "system"),
    "ended": (),
    "listening": ("port",),
    "met": ("key", "trust"),
    "parted": ("key",),
    "refused": ("key", "trust"),
    "game_began": ("game", "plugin", "seats"),
    "game_left": ("game", "events"),
    "game_over": ("game", "events"),
    "game_stopped": ("game", "events"),
    "error": ("kind", "why"),
    "bug": ("kind", "where"),
}
"""Every kind of line with its fields."""

_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,40}\Z")
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}\Z")
_GAME: Final = re.compile(r"[0-9a-f]{8}\Z")
_KEY: Final = re.compile(r"[a-z]{1,12}(-[a-z]{1,12}){3}\Z")
_WHERE: Final = re.compile(r"(?:\w+\.py:[0-9]+:[A-Za-z0-9_<>]+>?){1,8}\Z", re.ASCII)
_FORMS: Final[Mapping[str, re.Pattern[str]]] = {
    "port": _NUMBER, "seats": _NUMBER, "events": _NUMBER,
    "game": _GAME, "key": _KEY, "where": _WHERE,
}  # fmt: skip


class Diary:
    """The log of one home. A disk that fails ends the log and nothing else."""

    def __init__(self, folder: Path) -> None:
        self._handler: RotatingFileHandler | None = None
        with suppress(OSError):
            system.make_folder(folder)
            self._handler = _Silent(folder / FILE, maxBytes=FULL, backupCount=KEPT, encoding="ascii", delay=True)
            self._handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))

    def note(self, event: str, **fields: object) -> None:
        """One line. Raises `KeyError` for an event that `EVENTS` does not have, or with other fields."""
        named = " ".join(f"{name}={formed(name, fields.pop(name))}" for name in EVENTS[event])
        if fields:
            raise KeyError(f"{event} has no {min(fields)}")
        if self._handler is not None:
            record = logging.LogRecord("lantable", logging.INFO, "", 0, f"{event} {named}".rstrip(), None, None)
            self._handler.emit(record)

    def bug(self, error: BaseException) -> None:
        """A fault of ours: its class, and the way to it through the source."""
        steps = traceback.extract_tb(error.__traceback__)
        where = ">".join(f"{Path(step.filename).name}:{step.lineno}:{step.name}" for step in steps[-8:])
        self.note("bug", kind=type(error).__name__, where=where)

    def close(self) -> None:
        """Give back the file. Again is harmless."""
        if self._handler is not None:
            self._handler.close()


def formed(name: str, value: object) -> str:
    """A field as it is written."""
    text = str(value)
    return text if _FORMS.get(name, _WORD).match(text) else "?"


class _Silent(RotatingFileHandler):
    """A handler that never speaks on the screen: a full disk is told of by whoever needs the disk."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - as logging calls it
        pass
