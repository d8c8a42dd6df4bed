"""Record files and the archive: what is written is on the disk, and what a crash leaves can be played on from."""

import errno
import os
import re
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lantable.errors import DiskFault, Misuse, Untrusted
from lantable.events import read_event
from lantable.journal import Journal
from lantable_replays import record, system
from lantable_replays.archive import NEVER_BEGUN, Archive
from lantable_replays.record import MAX_FILE, MAX_LINES, RecordFile
from tests.games import Sitting, file, make_host, play_record

LINES = play_record()
DATA = file(LINES)
GAME = read_event(LINES[0]).game
NAME = f"{GAME.hex()}.jsonl"
FIND_RULES = make_host().rules_for


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / NAME


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    archive = Archive(tmp_path / "records")
    yield archive
    archive.close_all()


def reopened(path: Path) -> list[bytes]:
    with RecordFile.open(path) as again:
        return again.lines


def sides(path: Path) -> list[bytes]:
    """What opening moved out of a record, in order."""
    return [side.read_bytes() for side in sorted(path.parent.glob(f"{path.name}.torn-*"))]


# -- appending


def test_what_is_appended_is_read_again(path: Path) -> None:
    """A record grows by whole lines, and opening it anew gives them all."""
    with RecordFile.create(path, LINES[0]) as new:
        for line in LINES[1:4]:
            new.append(line, sync=False)
    with RecordFile.open(path) as again:
        for line in LINES[4:]:
            again.append(line, sync=True)
        assert again.lines == LINES
    assert path.read_bytes() == DATA


def test_one_program_at_a_time(path: Path) -> None:
    """The lock lasts from opening to closing, and a second opening says what to do."""
    with RecordFile.create(path, LINES[0]), pytest.raises(DiskFault, match="in use by another lantable; close"):
        RecordFile.open(path)
    assert reopened(path) == LINES[:1]


def test_a_new_record_never_replaces_another(path: Path) -> None:
    """Not even a broken one, nor a link that somebody placed there."""
    path.symlink_to(path.with_name("elsewhere"))
    with pytest.raises(DiskFault, match="exists"):
        RecordFile.create(path, LINES[0])
    assert not path.with_name("elsewhere").exists()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is asked of the disk, in order."""
    seen: list[str] = []

    def spy(name: str, owner: object) -> None:
        real = getattr(owner, name)

        def call(*args: object, **named: object) -> object:
            seen.append(name)
            return real(*args, **named)

        monkeypatch.setattr(owner, name, call)

    for name in ("write", "sync_file", "sync_folder", "replace"):
        spy(name, system)
    spy("ftruncate", os)
    return seen


def test_a_new_record_and_its_name_are_synced(path: Path, calls: list[str]) -> None:
    """A file whose folder was not synced may be gone after a power cut."""
    RecordFile.create(path, LINES[0]).close()
    assert calls == ["write", "sync_file", "sync_folder"]


def test_a_line_is_one_write_and_synced_if_asked(path: Path, calls: list[str]) -> None:
    """K lines need no sync of their own; events do."""
    with RecordFile.create(path, LINES[0]) as new:
        calls.clear()
        new.append(LINES[1], sync=False)
        new.append(LINES[2], sync=True)
    assert calls == ["write", "write", "sync_file"]


def test_a_torn_line_is_safe_elsewhere_before_it_is_cut_off(path: Path, calls: list[str]) -> None:
    """Copied, synced with its folder, and only then truncated."""
    path.write_bytes(DATA[:-30])
    RecordFile.open(path).close()
    assert calls == ["replace", "write", "sync_file", "sync_folder", "ftruncate", "sync_file"]


# -- the torn tail


@pytest.fixture
def no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what is written and not of when: syncing is most of their time."""
    monkeypatch.setattr(system, "sync_file", lambda file: None)
    monkeypatch.setattr(system, "sync_folder", lambda path: None)


def check_prefix(path: Path, size: int) -> None:
    """Any prefix of a record reopens to a prefix of its lines, with the rest in a side file."""
    for old in path.parent.glob(f"{path.name}*"):
        old.unlink()
    path.write_bytes(DATA[:size])
    lines = reopened(path)
    assert lines == LINES[: len(lines)]
    kept = b"".join(sides(path))
    if DATA[:size] + b"\n" == file(lines):
        assert not kept, "a line that only lost its newline is kept"
    else:
        assert file(lines) + kept == DATA[:size]
    assert path.read_bytes() == file(lines)


@given(st.integers(0, len(DATA)))
@example(0)
@example(1)
@example(len(DATA))
@example(len(DATA) - 1)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("no_sync")
def test_any_prefix_reopens(path: Path, size: int) -> None:
    """A crash at any byte loses nothing."""
    check_prefix(path, size)


@pytest.mark.evidence
@pytest.mark.usefixtures("no_sync")
def test_every_prefix_reopens(path: Path) -> None:
    """The same for every byte there is."""
    for size in range(len(DATA) + 1):
        check_prefix(path, size)


def test_a_lost_newline_is_given_back(path: Path) -> None:
    """A last line that lacks only its newline and passes every check is kept."""
    path.write_bytes(DATA[:-1])
    assert reopened(path) == LINES
    assert path.read_bytes() == DATA and not sides(path)


@pytest.mark.parametrize(
    "junk",
    [
        b"\0" * 4096,
        b"junk\n",
        b"\n",
        b"\xff\xfe",
        LINES[-1],
        LINES[3] + b"\n",
        LINES[-1][:-2] + b"}\x0b",
    ],
    ids=["zeros", "words", "empty line", "not text", "a line twice", "an old line", "a damaged newline"],
)
def test_a_bad_last_line_moves_to_a_side_file(path: Path, junk: bytes) -> None:
    """Whatever a crash left at the end, the lines before it are played on from, and no byte is lost."""
    path.write_bytes(DATA + junk)
    with RecordFile.open(path) as again:
        assert again.lines == LINES and again.torn is not None
        assert again.torn.read_bytes() == junk
    assert path.read_bytes() == DATA and reopened(path) == LINES


def test_a_second_torn_line_gets_its_own_file(path: Path) -> None:
    """Side files never replace one another."""
    for junk in (b"one", b"two", b"three"):
        path.write_bytes(DATA + junk)
        reopened(path)
    assert sides(path) == [b"one", b"two", b"three"]


def test_a_crash_while_recovering_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the copy and the cut the torn line stands twice; the next start cuts it."""
    path.write_bytes(DATA[:-30])

    def power_cut(file: int, size: int) -> None:
        raise OSError(errno.EIO, "power cut")

    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", power_cut)
        with pytest.raises(DiskFault, match="power cut"):
            RecordFile.open(path)
    assert path.read_bytes() == DATA[:-30] and len(sides(path)) == 1
    assert reopened(path) == LINES[:-1]


# -- what is refused


@pytest.mark.parametrize("bad", range(len(LINES) - 1))
def test_a_bad_line_that_is_not_last_is_refused_with_its_offset(path: Path, bad: int) -> None:
    """Never skipped: the file stays as it is for a person to look at."""
    lines = [line if number != bad else line.replace(b"0", b"1", 1) for number, line in enumerate(LINES)]
    path.write_bytes(file(lines))
    offset = len(file(LINES[:bad]))
    with pytest.raises(Untrusted, match=rf"event {bad // 2} \(line {bad + 1}, byte {offset}\)"):
        RecordFile.open(path)
    assert path.read_bytes() == file(lines) and not sides(path)


def test_a_line_of_a_newer_version_is_left_alone(path: Path) -> None:
    """It is whole; a newer lantable can read it, so it is no torn tail."""
    newer = Sitting(options="size=1x1")
    newer.force("fanfare", {})
    path.write_bytes(newer.data)
    with pytest.raises(Untrusted, match="a newer lantable is needed"):
        RecordFile.open(path)
    path.write_bytes(file(newer.lines[:-1]))
    with pytest.raises(Untrusted, match="a newer lantable is needed"):
        RecordFile.open(path)
    assert path.read_bytes() == file(newer.lines[:-1])


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_no_archives(path: Path, compression: int) -> None:
    """A zip is refused and stays as it is; nothing is ever unpacked."""
    with zipfile.ZipFile(path, "w", compression) as bomb:
        bomb.writestr(NAME, DATA)
    before = path.read_bytes()
    with pytest.raises(Untrusted):
        RecordFile.open(path)
    assert path.read_bytes() == before and not sides(path)


@pytest.mark.parametrize("data", [b"PK\x03\x04" + bytes(100), b"\x1f\x8b\x08", b"hello\n", b"\n\n", b"[]", b'{"e":{"x'])
def test_what_is_no_record_is_refused_untouched(path: Path, data: bytes) -> None:
    """Recovery is for records; anything else under that name stays as it is."""
    path.write_bytes(data)
    with pytest.raises(Untrusted, match="not a lantable record"):
        RecordFile.open(path)
    assert path.read_bytes() == data


@pytest.mark.parametrize("data", [DATA + b"x" * MAX_FILE, DATA + b"\n" * MAX_LINES], ids=["bytes", "lines"])
def test_the_limits_of_a_record_are_checked_before_it_is_read(path: Path, data: bytes) -> None:
    """16 MiB and 50,000 lines."""
    path.write_bytes(data)
    with pytest.raises(Untrusted, match="too_long"):
        RecordFile.open(path)


def test_a_full_record_takes_no_more(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be read again is not written; the file stays good."""
    with RecordFile.create(path, LINES[0]) as new:
        for name, value in (("MAX_LINES", 1), ("MAX_FILE", len(file(LINES[:2])) - 1)):
            with monkeypatch.context() as patch:
                patch.setattr(record, name, value)
                with pytest.raises(DiskFault, match="full"):
                    new.append(LINES[1], sync=False)
        new.append(LINES[1], sync=False)
    assert reopened(path) == LINES[:2]


@given(st.binary(max_size=300), st.sampled_from([b"", b'{"e":{"body":', DATA[:900], file(LINES[:3])]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("no_sync")
def test_opening_any_bytes_raises_only_untrusted(path: Path, junk: bytes, begin: bytes) -> None:
    """And what opens is a good record."""
    path.write_bytes(begin + junk)
    try:
        lines = reopened(path)
    except Untrusted:
        return
    assert path.read_bytes() == file(lines)
    assert record.read(path.read_bytes()).fault is None


# -- disk faults


def failing(error: int) -> Callable[..., None]:
    def fail(*args: object, **named: object) -> None:
        raise OSError(error, os.strerror(error))

    return fail


def half_written(handle: int, data: bytes) -> int:
    return os.pwrite(handle, data[: len(data) // 2], os.fstat(handle).st_size)


@pytest.mark.parametrize(
    ("owner", "name", "fault", "words"),
    [
        (system, "write", failing(errno.ENOSPC), "No space left on device; free some space"),
        (system, "sync_file", failing(errno.EIO), "Input/output error; the disk may be failing"),
        (os, "write", half_written, r"only \d+ of \d+ bytes were written; free some space"),
    ],
    ids=["write", "sync", "short write"],
)
def test_after_a_failed_write_nothing_more_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str, fault: Callable[..., None], words: str
) -> None:
    """Nobody knows then what is on the disk: every later call fails, until the file is read anew."""
    new = RecordFile.create(path, LINES[0])
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, fault)
        with pytest.raises(DiskFault, match=f"cannot write to .*{NAME}: {words}"):
            new.append(LINES[1], sync=True)
    for sync in (False, True):
        with pytest.raises(DiskFault, match="start again"):
            new.append(LINES[1], sync=sync)
    assert reopened(path) in (LINES[:1], LINES[:2])


def test_an_interrupted_write_is_a_failed_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C at the wrong moment leaves the same doubt."""
    new = RecordFile.create(path, LINES[0])

    def interrupted(handle: int, data: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(system, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            new.append(LINES[1], sync=True)
    with pytest.raises(DiskFault):
        new.append(LINES[1], sync=True)


@pytest.mark.parametrize("name", ["write", "sync_file", "sync_folder", "create_private"])
def test_a_record_that_cannot_be_begun_is_a_disk_fault(path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """And no lock stays behind."""
    with monkeypatch.context() as patch:
        patch.setattr(system, name, failing(errno.EROFS))
        with pytest.raises(DiskFault, match="read-only: choose another folder"):
            RecordFile.create(path, LINES[0])
    if path.exists():
        assert reopened(path) in ([], LINES[:1])


def test_faults_name_what_and_where_and_what_to_do(tmp_path: Path) -> None:
    """A missing file, and a folder where a file should be."""
    with pytest.raises(DiskFault, match=r"cannot open the record .*none\.jsonl: No such file.*; check the path"):
        RecordFile.open(tmp_path / "none.jsonl")
    with pytest.raises(DiskFault, match=r"cannot read .*: Is a directory; it is a folder"):
        record.load(tmp_path)


WRITER = """
import sys
from pathlib import Path
from lantable_replays.record import RecordFile
lines = Path(sys.argv[2]).read_bytes().splitlines()
with RecordFile.create(Path(sys.argv[1]), lines[0]) as new:
    for line in lines[1:]:
        new.append(line, sync=False)
        print(flush=True)
"""


@pytest.mark.parametrize("after", [1, pytest.param(60, marks=pytest.mark.evidence)])
def test_a_killed_writer_leaves_whole_lines_and_no_lock(path: Path, after: int) -> None:
    """kill -9 in the midst of writing; the system gives the lock back."""
    lines = Sitting(options="size=5x5").play().lines
    source = path.with_name("source")
    source.write_bytes(file(lines))
    command = [sys.executable, "-c", WRITER, str(path), str(source)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(after):
            writer.stdout.readline()
        writer.kill()
    found = reopened(path)
    assert len(found) > after and found == lines[: len(found)]


# -- the system's side


def test_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    """A record, a mark and a key are made with mode 0600 from their first moment."""
    before = os.umask(0)
    try:
        os.close(system.create_private(tmp_path / "key"))
        system.replace(tmp_path / "mark", b"1", sync=True)
        system.make_folder(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    for name, mode in (("key", 0o600), ("mark", 0o600), ("a/b", 0o700)):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode
    assert not system.readable_by_others(tmp_path / "key")
    (tmp_path / "key").chmod(0o640)
    assert system.readable_by_others(tmp_path / "key")


def test_replacing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed or half-done replacement leaves the old content, and the next one succeeds."""
    path = tmp_path / "mark"
    system.replace(path, b"old", sync=False)
    with monkeypatch.context() as patch:
        patch.setattr(system, "sync_file", failing(errno.EIO))
        with pytest.raises(OSError, match="Input/output"):
            system.replace(path, b"new", sync=True)
    assert path.read_bytes() == b"old"
    system.replace(path, b"new", sync=True)
    assert path.read_bytes() == b"new" and [p.name for p in tmp_path.iterdir()] == ["mark"]


# -- the archive


def keep_record(archive: Archive, lines: list[bytes], game: bytes | None = None) -> bytes:
    """A record written through the journal and closed."""
    game = game or read_event(lines[0]).game
    archive.create(game, lines[0])
    for line in lines[1:]:
        archive.append(game, line, sync=False)
    archive.close(game)
    return game


def names(archive: Archive) -> list[str]:
    return sorted(str(path.relative_to(archive.folder)) for path in archive.folder.rglob("*") if path.is_file())


def test_an_archive_is_a_journal(archive: Archive) -> None:
    """What the network writes through the protocol of the core is there after a restart, with the newest mark."""
    journal: Journal = archive
    journal.mark(GAME, b"mark 0")
    journal.create(GAME, LINES[0])
    journal.append(GAME, LINES[1], sync=False)
    journal.mark(GAME, b"mark 1")
    archive.close_all()
    assert archive.open(GAME) == (LINES[:2], b"mark 1")
    assert archive.open(GAME) == (LINES[:2], b"mark 1"), "opening again is harmless"
    journal.append(GAME, LINES[2], sync=True)
    assert archive.read(GAME) == file(LINES[:3])
    assert names(archive) == [f"{GAME.hex()}.jsonl", f"{GAME.hex()}.mark"]


def test_after_a_failed_write_a_game_is_closed_to_this_process(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would be read back may stand in the system's memory only; after a fresh start the disk tells."""
    archive.create(GAME, LINES[0])
    with monkeypatch.context() as patch:
        patch.setattr(system, "sync_file", failing(errno.EIO))
        with pytest.raises(DiskFault, match="disk may be failing"):
            archive.append(GAME, LINES[1], sync=True)
    for act in (lambda: archive.append(GAME, LINES[1], sync=True), lambda: archive.open(GAME)):
        with pytest.raises(DiskFault, match="start again"):
            act()
    again = Archive(archive.folder)
    assert again.open(GAME)[0] == LINES[:2]
    again.close_all()


def test_marks_may_live_beside_the_key(tmp_path: Path) -> None:
    """A restored backup of the records does not take the marks back with it."""
    archive = Archive(tmp_path / "records", marks=tmp_path / "marks")
    archive.mark(GAME, b"mark")
    keep_record(archive, LINES)
    assert names(archive) == [NAME] and (tmp_path / "marks" / f"{GAME.hex()}.mark").exists()
    assert archive.open(GAME)[1] == b"mark"
    archive.set_aside(GAME)
    assert [path.name for path in (tmp_path / "marks" / NEVER_BEGUN).iterdir()] == [f"{GAME.hex()}.mark"]


def test_side_files_never_replace_one_another(archive: Archive) -> None:
    """Each is kept once, in the order it came, and synced."""
    keep_record(archive, LINES)
    contents = [b"proof %d" % n for n in range(12)]
    for data in [*contents, contents[3]]:
        archive.keep(GAME, "proof", data)
    archive.keep(GAME, "refused", b"refused")
    assert archive.kept(GAME, "proof") == contents and archive.kept(GAME, "refused") == [b"refused"]
    assert archive.summary(GAME, FIND_RULES).stopped


def test_a_game_that_was_never_begun_is_set_aside(archive: Archive) -> None:
    """Moved with all that stands beside it, twice if need be, and no longer listed."""
    for _ in range(2):
        archive.mark(GAME, b"mark")
        archive.create(GAME, LINES[0])
        archive.set_aside(GAME)
        assert archive.games() == []
    stem = f"{NEVER_BEGUN}/{GAME.hex()}"
    assert names(archive) == [f"{stem}.jsonl", f"{stem}.jsonl-2", f"{stem}.mark", f"{stem}.mark-2"]


def test_a_record_whose_first_write_was_torn_may_be_begun_again(archive: Archive) -> None:
    """The crash came before event 0 was on the disk, so nobody has acknowledged it."""
    archive.create(GAME, LINES[0])
    archive.close(GAME)
    archive.path(GAME).write_bytes(LINES[0][:100])
    assert archive.open(GAME) == ([], None) and archive.torn(GAME) is not None
    archive.create(GAME, LINES[0])
    archive.append(GAME, LINES[1], sync=True)
    with pytest.raises(DiskFault, match="exists already"):
        archive.create(GAME, LINES[0])
    assert archive.read(GAME) == file(LINES[:2])
    archive.close(GAME)
    archive.path(GAME).write_bytes(b"not a record\n")
    with pytest.raises(DiskFault, match="exists already and is damaged"):
        archive.create(GAME, LINES[0])


def test_a_record_under_another_name_is_refused(archive: Archive) -> None:
    """Else one game could be played on as another."""
    other = bytes(16)
    keep_record(archive, LINES, other)
    with pytest.raises(Untrusted, match="another game than its name says"):
        archive.open(other)
    assert archive.summary(other, FIND_RULES).state == "broken"


def test_the_list_tells_how_each_game_stands(archive: Archive) -> None:
    """Broken records are listed as broken, and nothing is raised for them."""
    finished = keep_record(archive, LINES)
    unsealed = keep_record(archive, play_record(seed=1)[:-1])
    going_on = keep_record(archive, Sitting(options="size=3x3", seats=3).play(4).lines)
    unknown = keep_record(archive, Sitting(change=lambda offer: {**offer, "version": "9.9"}).lines)
    damaged = keep_record(archive, play_record(seed=2))
    archive.path(damaged).write_bytes(archive.read(damaged).replace(b"move", b"m\x1bve"))
    empty, nothing = bytes(16), bytes(15) + b"\1"
    archive.path(empty).write_bytes(b"")
    archive.path(nothing).write_bytes(b"\x7fELF")
    (archive.folder / "notes.jsonl").write_bytes(b"a person's own file")
    listed = {summary.game: summary for summary in archive.list(FIND_RULES)}
    states = {game: summary.state for game, summary in listed.items()}
    assert states == {
        finished: "complete",
        unsealed: "unfinished",
        going_on: "unfinished",
        unknown: "unknown rules",
        damaged: "broken",
        empty: "broken",
        nothing: "broken",
    }
    whole = listed[finished]
    assert whole.offer is not None and [seat.name for seat in whole.offer.seats] == ["Ada", "Bob"]
    assert whole.outcome is not None and whole.outcome.how == "played out"
    assert (whole.events, whole.ended - whole.began) == (5, 4000)
    assert listed[going_on].outcome is None and not listed[going_on].note
    assert "9.9 is needed" in listed[unknown].note and listed[nothing].note


def test_a_record_is_found_by_the_beginning_of_its_id(archive: Archive) -> None:
    """The first digits do, if they are digits and fit one record only."""
    one, two = bytes.fromhex("ab" * 16), bytes.fromhex("ab" * 15 + "cd")
    keep_record(archive, LINES, one)
    keep_record(archive, LINES, two)
    assert archive.find("AB" * 15 + "c") == two and archive.find(one.hex()) == one
    for prefix, words in (("ab", "2 records begin"), ("ff", "no record here"), ("../", "hexadecimal"), ("", "hexa")):
        with pytest.raises(Misuse, match=words):
            archive.find(prefix)


def test_an_archive_that_is_not_there_is_empty(tmp_path: Path) -> None:
    """Listing makes no folder."""
    archive = Archive(tmp_path / "none")
    assert archive.games() == [] and list(archive.list(FIND_RULES)) == []
    assert not archive.folder.exists()


@pytest.mark.parametrize(
    "act",
    [
        lambda archive: archive.create(GAME, LINES[0]),
        lambda archive: archive.mark(GAME, b"mark"),
        lambda archive: archive.keep(GAME, "proof", b"proof"),
        lambda archive: archive.open(GAME),
        lambda archive: archive.read(GAME),
        lambda archive: archive.set_aside(GAME),
    ],
    ids=["create", "mark", "keep", "open", "read", "set aside"],
)
def test_every_failure_of_the_disk_is_a_disk_fault(tmp_path: Path, act: Callable[[Archive], None]) -> None:
    """Here a file stands where the folder should be."""
    (tmp_path / "records").write_bytes(b"")
    with pytest.raises(DiskFault, match=r"cannot .*records.*; "):
        act(Archive(tmp_path / "records"))


HOSTILE = ("../../x", "..\\x", "/etc/passwd", "CON", "a\0b", "x" * 64)


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_a_record_says_becomes_a_path(tmp_path: Path, name: str) -> None:
    """Names on disk come from the game id alone."""
    archive = Archive(tmp_path / "deep" / "down" / "records")
    sitting = Sitting(names=(name, name), change=lambda offer: {**offer, "game": name, "version": name[:32]})
    game = keep_record(archive, sitting.lines)
    archive.mark(game, sitting.lines[0])
    archive.keep(game, "refused", sitting.lines[0])
    archive.path(game).write_bytes(sitting.data + b"torn")
    archive.open(game)
    assert archive.summary(game, FIND_RULES).state == "unknown rules"
    found = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert len(found) == 4
    for path in found:
        assert re.fullmatch(r"deep/down/records/[0-9a-f]{32}\.(jsonl|mark|refused|jsonl\.torn-1)", path.as_posix())
    archive.close_all()
