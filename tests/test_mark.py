"""The file that remembers what was signed: the newest mark, or after a crash the one before, and nothing else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable.canonical import MAX_LINE
from lantable.errors import Untrusted
from lantable_replays.mark import PLACE, MarkFile, read

MARKS = st.lists(st.text("abc 01", max_size=40).map(str.encode), min_size=1, max_size=5)


def written(path: Path, *marks: bytes) -> bytes:
    """The bytes of the file after these marks, each by a program of its own."""
    path.unlink(missing_ok=True)
    path.touch()
    for mark in marks:
        file = MarkFile(path)
        file.write(mark)
        file.close()
    return path.read_bytes()


def test_the_newest_mark_counts(tmp_path: Path) -> None:
    """By one program or by many, however long the one before was."""
    path = tmp_path / "mark"
    file = MarkFile(path)
    for mark in (b"x" * MAX_LINE, b"short", b"", b"y" * MAX_LINE, b"last"):
        file.write(mark)
        assert read(path.read_bytes()) == mark
    file.close()
    assert written(path, b"1", b"22", b"3") == path.read_bytes() and read(path.read_bytes()) == b"3"
    assert path.stat().st_size <= 2 * PLACE


@given(marks=MARKS, data=st.data())
def test_a_torn_mark_leaves_the_one_before(
    tmp_path_factory: pytest.TempPathFactory, marks: list[bytes], data: st.DataObject
) -> None:
    """At whatever byte a crash cuts the write, the file says the old mark or the new one."""
    path = tmp_path_factory.getbasetemp() / "torn"
    before, after = written(path, *marks[:-1]), written(path, *marks)
    begin = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    cut = data.draw(st.integers(begin, len(after)))
    torn = after[:cut] + before[cut:]
    assert read(torn) in (marks[-2] if len(marks) > 1 else None, marks[-1])


def test_a_torn_mark_is_written_over(tmp_path: Path) -> None:
    """The one before stands until the new one is whole."""
    path = tmp_path / "mark"
    data = written(path, b"one", b"two", b"three")
    path.write_bytes(b"torn" + data[4:])
    assert read(path.read_bytes()) == b"two"
    file = MarkFile(path)
    file.write(b"three again")
    file.close()
    assert read(path.read_bytes()) == b"three again" and read(path.read_bytes()[PLACE:]) == b"two"


def test_a_mark_that_no_crash_explains_is_refused(tmp_path: Path) -> None:
    """Nothing was marked, or one place is torn: both happen. Two torn places are damage, and no reason to sign."""
    assert read(b"") is None and read(b"torn") is None
    data = written(tmp_path / "mark", b"one", b"two")
    with pytest.raises(Untrusted, match="damaged"):
        read(b"torn" + data[4:PLACE] + b"torn" + data[PLACE + 4 :])
