"""Every byte, field and line of finished records, changed: the audit never says 0, and names the event.

Verifying a signature and taking a line apart are pure functions, and most of the time these tests would take, so
within this file their answers are remembered: same bytes, same answer.
"""

import json
import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest

from lantable import canonical, chain, events, keys
from lantable.events import is_seal, read_event, sign
from lantable_replays.audit import Report, audit
from tests.games import Sitting, file, key, make_host, play_record

HOST = make_host()
SMALL = play_record()
LARGE = Sitting(options="size=5x5").play().lines
WIDE = Sitting(options="size=2x2", seats=4).play(4).leave(2).resign(0).play().lines
"""Beside moves it holds wishes embedded in events."""


@pytest.fixture(autouse=True, scope="module")
def _remembered() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        verify = lru_cache(10_000)(keys.verify)
        patch.setattr(chain, "verify", verify)
        patch.setattr(events, "verify", verify)
        patch.setattr(chain, "read_event", lru_cache(1000)(events.read_event))
        patch.setattr(chain, "read_seal", lru_cache(1000)(events.read_seal))
        yield


def judged(data: bytes) -> Report:
    return audit(data, HOST.rules_for)


def test_what_is_changed_here_was_good() -> None:
    """Else the tests below would show nothing."""
    assert [judged(file(lines)).code for lines in (SMALL, LARGE, WIDE)] == [0, 0, 0]


# -- bytes


def flipped(data: bytes, place: int, mask: int) -> bytes:
    return data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]


def check_flip(data: bytes, place: int, mask: int) -> None:
    """A changed byte is tampering, named at the line it stands in; only event 0 can claim a newer version."""
    report = judged(flipped(data, place, mask))
    line = data[:place].count(b"\n")
    if report.code == 4:
        assert report.integrity.verdict == "newer" and line == 0
    else:
        assert report.code == 1 and report.integrity.event == line // 2


@pytest.mark.parametrize("mask", [0x01, 0x80])
def test_every_byte_of_a_finished_record(mask: int) -> None:
    """One bit at every place."""
    data = file(SMALL)
    for place in range(len(data)):
        check_flip(data, place, mask)


def test_bytes_of_a_long_record() -> None:
    """Five hundred places and bits by lot."""
    data, lot = file(LARGE), random.Random(500)
    for _ in range(500):
        check_flip(data, lot.randrange(len(data)), 1 << lot.randrange(8))


@pytest.mark.evidence
@pytest.mark.parametrize("bit", range(8))
def test_every_bit_of_a_long_record(bit: int) -> None:
    """The full sweep."""
    data = file(LARGE)
    for place in range(len(data)):
        check_flip(data, place, 1 << bit)


@pytest.mark.parametrize("lines", [SMALL, LARGE], ids=["1x1", "5x5"])
def test_bytes_taken_out_or_put_in(lines: list[bytes]) -> None:
    """A byte less or more, by lot."""
    data, lot = file(lines), random.Random(0)
    for _ in range(100):
        place = lot.randrange(len(data) - 1)
        for changed in (data[:place] + data[place + 1 :], data[:place] + bytes([lot.randrange(256)]) + data[place:]):
            assert judged(changed).code == 1 or changed == data


# -- lines


def check_lines(lines: list[bytes], event: int) -> None:
    report = judged(file(lines))
    assert (report.code, report.integrity.event) == (1, event)


@pytest.mark.parametrize("lines", [LARGE, WIDE], ids=["5x5", "four seats"])
def test_every_line_dropped_doubled_swapped_and_cut(lines: list[bytes]) -> None:
    """Lines belong where they stand; only losing the end leaves a good, unfinished record."""
    count = len(lines)
    for n in range(count):
        event = n // 2
        if n < count - 1:
            check_lines(lines[:n] + lines[n + 1 :], event)
            check_lines([*lines[:n], lines[n + 1], lines[n], *lines[n + 2 :]], event)
        check_lines([*lines[:n], lines[n], *lines[n:]], (n + 1) // 2)
        check_lines([*lines[:n], lines[n][: len(lines[n]) // 2], *lines[n + 1 :]], event)
        check_lines([*lines[:n], b"", *lines[n:]], event)


def test_losing_whole_lines_at_the_end_is_never_good() -> None:
    """Truncation leaves an unfinished record: 3."""
    for count in range(1, len(LARGE)):
        assert judged(file(LARGE[:count])).code == 3


def test_lines_of_another_game_do_not_fit() -> None:
    """Same players, same rules, same moves, other nonces."""
    other = Sitting(options="size=5x5", seed=1).play().lines
    for n in range(len(LARGE)):
        lines = [*LARGE[:n], other[n], *LARGE[n + 1 :]]
        report = judged(file(lines))
        assert report.code == 1 and report.integrity.event == (n // 2 if n else 0)


# -- fields


def leaves(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a document, containers included."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from leaves(item, (*path, name))


def other_value(value: object) -> Any:
    """A value of the same kind and another content."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if len(value) >= 32 and len(value) % 2 == 0:
            return ("1" if value[0] == "0" else "0") + value[1:]
        case str():
            return value + "x"
        case list():
            return [*value, 1]
        case dict():
            return {**value, "extra": 1}
        case _:
            return 1


def changed(line: bytes, path: tuple[Any, ...], *, drop: bool = False) -> bytes:
    """The line with one value changed or dropped, in canonical spelling."""
    document = json.loads(line)
    holder = document
    for name in path[:-1]:
        holder = holder[name]
    if drop:
        del holder[path[-1]]
    else:
        holder[path[-1]] = other_value(holder[path[-1]])
    return canonical.write(document)


@pytest.mark.parametrize(
    ("lines", "drop"), [(LARGE, False), (WIDE, False), (WIDE, True)], ids=["5x5", "four seats", "four seats, dropped"]
)
def test_every_field_changed_or_dropped(lines: list[bytes], drop: bool) -> None:
    """Each value of each line, in its own kind so that only the hash and signatures can tell."""
    for n, line in enumerate(lines):
        for path in leaves(json.loads(line)):
            report = judged(file([*lines[:n], changed(line, path, drop=drop), *lines[n + 1 :]]))
            newer = n == 0 and path == ("e", "v") and not drop
            assert (report.code, report.integrity.event) == (4 if newer else 1, n // 2), (n, path)


def rehashed(line: bytes, path: tuple[Any, ...]) -> bytes:
    """The line with one value of `e` changed and `h` made to fit, as far as one gets without the key."""
    document = json.loads(changed(line, path))
    document["h"] = keys.sha256(keys.EVENT, canonical.write(document["e"])).hex()
    return canonical.write(document)


def test_every_field_changed_with_its_hash() -> None:
    """Then the signature tells, or the schema, or that nobody knows such events."""
    for n in range(0, len(WIDE), 2):
        for path in leaves(json.loads(WIDE[n])):
            if path[0] == "e" and len(path) > 1:
                report = judged(file([*WIDE[:n], rehashed(WIDE[n], path), *WIDE[n + 1 :]]))
                unknown = path == ("e", "type") or (n == 0 and path[-1] in ("v", "protocol", "log"))
                assert report.code == (4 if unknown else 1), (n, path)
                assert report.integrity.event == n // 2


# -- signers


def test_an_event_signed_by_another_key_is_found() -> None:
    """Each event, signed anew by somebody else: the seat's key did not sign it."""
    for n in range(2, len(LARGE), 2):
        forged = sign(read_event(LARGE[n]).event, key(9))
        report = judged(file([*LARGE[:n], forged.line, *LARGE[n + 1 :]]))
        assert (report.code, report.integrity.event) == (1, n // 2)
        assert "is not signed by seat" in report.integrity.message


def test_everything_signed_anew_by_another_key_is_found() -> None:
    """Event 0 names the keys, so all that follows it must be theirs."""
    other = Sitting(options="size=1x1", keys=[key(9), key(8)]).play().lines
    for n in range(1, len(SMALL)):
        report = judged(file(SMALL[:n] + other[n:]))
        assert (report.code, report.integrity.event) == (1, n // 2)


def test_acknowledgements_cannot_be_swapped_or_moved() -> None:
    """Each covers its own event and stands under its own seat."""
    seals = [n for n, line in enumerate(WIDE) if is_seal(line)]
    for n in seals:
        document = json.loads(WIDE[n])
        sigs = document["sigs"]
        if len(sigs) > 1:
            one, other = sorted(sigs)[:2]
            sigs[one], sigs[other] = sigs[other], sigs[one]
            assert judged(file([*WIDE[:n], canonical.write(document), *WIDE[n + 1 :]])).code == 1
        for seat in list(sigs):
            fewer = {**document, "sigs": {s: sig for s, sig in json.loads(WIDE[n])["sigs"].items() if s != seat}}
            assert judged(file([*WIDE[:n], canonical.write(fewer), *WIDE[n + 1 :]])).code == 1
