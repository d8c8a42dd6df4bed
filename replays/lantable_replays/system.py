"""Everything in which operating systems differ, and nothing else of the project knows which one this is.

What is promised on each: a lock that one process at a time holds on an open file and that the system releases
when the process dies; bytes that are on the disk when `sync_file` returns; files that others cannot read;
files replaced as a whole or not at all. Functions here raise `OSError`; `reporting` turns it into `DiskFault`.
"""

import errno
import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Final

from lantable.errors import DiskFault
from lantable.text import safe_text

if sys.platform == "win32":
    import msvcrt

    CAN_READ_KEYS: Final = False
    """Whether a terminal can be told to hand over every key at once, and be waited for."""

    TERMINATION_SIGNALS: Final = (signal.SIGTERM, signal.SIGBREAK)
    SUSPENSION_SIGNALS: Final[tuple[signal.Signals, ...]] = ()
else:
    import fcntl
    import termios

    CAN_READ_KEYS: Final = True
    TERMINATION_SIGNALS: Final = (signal.SIGTERM, signal.SIGHUP)
    """The signals that ask a program to end, beside Ctrl-C: `kill`, a shutdown, a window closed."""
    SUSPENSION_SIGNALS: Final[tuple[signal.Signals, ...]] = (signal.SIGTSTP,)
    """The signals that ask a program to stop for a while: Ctrl-Z."""


def stop_here() -> None:
    """Stop this process, until the shell lets it go on. Its terminal is as it was meanwhile."""
    if sys.platform != "win32":
        with _lent():
            os.kill(os.getpid(), signal.SIGSTOP)


def stop_group() -> None:
    """As Ctrl-Z does where it is no key: stop whatever was started with this process."""
    if sys.platform != "win32":
        os.kill(0, signal.SIGTSTP)


SYSTEM: Final = sys.platform
"""What this system calls itself."""
PRIVATE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
OTHERS: Final = 0o077
_BINARY: Final[int] = getattr(os, "O_BINARY", 0)
"""Windows would otherwise turn every newline we write into two bytes, and no signature would fit."""
_LOCKED_BYTE: Final = 2**30
"""Windows locks bytes, and against readers too: so one far behind the end of any record."""

ADVICE: Final = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some of your quota",
    errno.EACCES: "check who owns it and its permissions",
    errno.EPERM: "check who owns it and its permissions",
    errno.EROFS: "the disk is read-only: choose another folder",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.EISDIR: "it is a folder: name a file in it",
    errno.EIO: "the disk may be failing: copy what matters off it",
    errno.EFBIG: "it would be too large",
}


@contextmanager
def reporting(what: str, path: Path) -> Generator[None]:
    """Turn an `OSError` inside into a `DiskFault` that says what, where and what to do."""
    try:
        yield
    except OSError as error:
        advice = ADVICE.get(error.errno or 0, "check the disk and its permissions")
        reason = error.strerror or str(error)
        raise DiskFault(f"cannot {what} {safe_text(str(path), 500)}: {reason}; {advice}") from error


# -- locks


def try_lock(file: int) -> bool:
    """Take the exclusive lock on an open file; False if another holds it. Closing the file gives it back."""
    # flock, not lockf: the lock belongs to this opening of the file, so closing another one does not lose it.
    try:
        if sys.platform == "win32":
            here = os.lseek(file, 0, os.SEEK_CUR)
            os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            finally:
                os.lseek(file, here, os.SEEK_SET)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            return False
        raise
    return True


# -- terminals


@contextmanager
def reading_keys(terminal: int, again: Callable[[], object]) -> Generator[None]:
    """While inside, each key is handed over at once and nothing is echoed; Ctrl-C and Ctrl-Z keep their meaning.

    Whoever stops the program for a while finds the terminal as it was, and so does whoever ends it. `again` is called
    when it goes on.
    """
    if sys.platform == "win32":
        yield
        return
    before = termios.tcgetattr(terminal)
    keys = termios.tcgetattr(terminal)
    keys[3] &= ~(termios.ICANON | termios.ECHO)
    keys[6][termios.VMIN], keys[6][termios.VTIME] = 1, 0

    @contextmanager
    def lend() -> Generator[None]:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        yield
        termios.tcsetattr(terminal, termios.TCSADRAIN, keys)
        again()

    global _lent
    usual = signal.signal(signal.SIGTSTP, lambda number, frame: stop_here())
    _lent = lend
    termios.tcsetattr(terminal, termios.TCSADRAIN, keys)
    try:
        yield
    finally:
        _lent = nullcontext
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        signal.signal(signal.SIGTSTP, usual)


_lent: Callable[[], AbstractContextManager[None]] = nullcontext
"""Gives a terminal whose keys are read back for a while."""


# -- files and folders


def open_file(path: Path, *, append: bool) -> int:
    """An existing file, open for reading and, if `append`, for writing at its end."""
    return os.open(path, (os.O_RDWR | os.O_APPEND if append else os.O_RDONLY) | _BINARY)


def create_private(path: Path) -> int:
    """A new file that only its owner can read, open for reading and appending. Never an existing one."""
    # O_EXCL also refuses a link that somebody placed there; the mode is set at birth, not after.
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | _BINARY, PRIVATE)


def open_in_place(path: Path) -> int:
    """A file that only its owner can read, open for reading and for `write_at`; an empty one if there was none."""
    try:
        return os.open(path, os.O_RDWR | _BINARY)
    except FileNotFoundError:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, PRIVATE)


def readable_by_others(path: Path) -> bool:
    """Whether anyone but its owner may touch a file. Windows keeps a person's folders private by other means."""
    return sys.platform != "win32" and bool(path.stat().st_mode & OTHERS)


def write(file: int, data: bytes) -> None:
    """All of `data` by one system call, so that a crash tears one line at most and no other writer comes between."""
    written = os.write(file, data)
    if written != len(data):
        raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes were written")


def write_at(file: int, data: bytes, offset: int) -> None:
    """As `write`, but over what stands at `offset`."""
    os.lseek(file, offset, os.SEEK_SET)
    write(file, data)


def sync_file(file: int) -> None:
    """Return when what was written is on the disk itself."""
    # After a failed fsync the system may drop the unwritten pages and let the next one succeed, so a failure is final.
    if sys.platform == "darwin":
        # There fsync leaves the data in the drive's cache; some file systems know no F_FULLFSYNC.
        try:
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
        except OSError:
            os.fsync(file)
    else:
        os.fsync(file)


def sync_folder(path: Path) -> None:
    """Return when the names in a folder are on the disk. Windows does this by itself and offers no call for it."""
    if sys.platform != "win32":
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        except OSError as error:
            # A file system that cannot sync a folder says EINVAL; there is nothing more to be had from it.
            if error.errno != errno.EINVAL:
                raise
        finally:
            os.close(folder)


def make_folder(path: Path) -> None:
    """A private folder and the ones above it, on the disk, unless they are there already."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(PRIVATE_FOLDER, exist_ok=True)
        sync_folder(path.parent)


def replace(path: Path, data: bytes, *, sync: bool) -> None:
    """Make `data` the content of a private file, as a whole or not at all; if `sync`, on disk on return."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    file = create_private(new)
    try:
        write(file, data)
        if sync:
            sync_file(file)
    finally:
        os.close(file)
    new.replace(path)
    if sync:
        sync_folder(path.parent)


def move(path: Path, to: Path) -> None:
    """Move a file within one disk, on the disk on return."""
    path.replace(to)
    sync_folder(to.parent)
    sync_folder(path.parent)
