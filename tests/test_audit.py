"""The audit: what is said of a good record, of an unfinished one, and of one that breaks the rules."""

import hashlib
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import nacl.bindings as sodium
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable import canonical
from lantable.chain import prove_acks, prove_events
from lantable.errors import Untrusted
from lantable.events import Ack, Nack, Signed, read_event
from lantable.game import Outcome, Rules
from lantable.host import Host
from lantable.keys import ACK, PublicKey
from lantable.text import safe_text
from lantable_replays.archive import Archive
from lantable_replays.audit import WORST_FIRST, Report, audit, outcome_text, worst
from lantable_replays.evidence import judge_proof, judge_refusal
from lantable_replays.record import MAX_FILE, MAX_LINES
from tests import toy
from tests.games import GOLDEN, Sitting, file, key, make_host, play_record

HOST = make_host()


def judged(data: bytes, host: Host = HOST, trusted: set[PublicKey] | None = None) -> Report:
    report = audit(data, host.rules_for, trusted)
    # Whatever was judged: the report can be printed on any terminal and written as JSON.
    assert all(line == safe_text(line, 2000) for line in report.lines())
    assert json.loads(json.dumps(report.as_json()))["code"] == report.code
    return report


def small(moves: int = 100, **options: Any) -> Sitting:
    return Sitting(options="size=1x1", **options).play(moves)


# -- good records


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_golden_records_are_good_for_ever(path: Path) -> None:
    """Records of earlier versions stay readable, byte for byte."""
    report = judged(path.read_bytes())
    assert (report.code, report.complete, report.owes) == (0, True, "")
    verdicts = (report.integrity.verdict, report.rules.verdict, report.deal.verdict)
    assert verdicts == ("good", "good", "good" if b'"deal.toss"' in path.read_bytes() else "not dealt")


def test_there_are_golden_records() -> None:
    """Else the test above would pass by finding none."""
    assert len(list(GOLDEN.glob("*.jsonl"))) == 18


@given(
    st.sampled_from([("dots-and-boxes", "size=2x2"), ("count-to", "target=12")]),
    st.integers(2, 4),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_every_game_played_to_its_end_is_good(game: tuple[str, str], seats: int, seed: int, shared: bool) -> None:
    """Any game, any number of seats, one machine or several."""
    assert judged(file(play_record(*game, seats, seed, shared))).code == 0


def test_the_report_names_players_by_seat_name_words_and_key() -> None:
    """Seats count from 1 for people, and no name stands without its key."""
    report = judged(small().data)
    assert [player.as_json() for player in report.players] == [
        {"seat": n + 1, "name": name, "words": key(n).public.words, "key": key(n).public.hex}
        for n, name in enumerate(("Ada", "Bob"))
    ]
    shown = "\n".join(report.lines())
    for n in (0, 1):
        assert key(n).public.words in shown and key(n).public.hex in shown
    assert report.title == "dots-and-boxes 1.0" and report.events == 5
    assert report.result == "0 to 1: seat 2 wins (played out)"


def test_one_machine_and_shared_keys_are_said() -> None:
    """A record cannot show more people than keys."""
    assert judged(small(shared_keys=True).data).notes == ("one machine signed everything",)
    assert judged(small(seats=3, keys=[key(0), key(1), key(0)]).data).notes == ("seats 1 and 3 share one key",)
    assert judged(small().data).notes == ()


def test_a_lost_last_newline_is_the_one_change_that_does_no_harm() -> None:
    """Opening the record gives it back, so the audit says 0 and mentions it."""
    report = judged(small().data[:-1])
    assert report.code == 0 and "lost its newline" in report.notes[0]


# -- unfinished records


@pytest.mark.parametrize(
    ("data", "owes"),
    [
        (file(small(2).lines), "seat 1 owes event 3"),
        (file(small(1).lines), "seat 2 owes event 2"),
        (file(small(2).lines[:-1]), "seat 1 owes its acknowledgement of event 2"),
        (file(small(0).lines[:-1]), "seat 2 owes its acknowledgement of event 0"),
        (file(small(1, seats=4).lines[:-1]), "seats 2, 3 and 4 owe their acknowledgements of event 1"),
        (file(small().lines[:-1]), "play is over: 0 to 1 by the rules; seat 1 owes its acknowledgement"),
        (file(small(shared_keys=True).lines[:-1]), "play is over: 0 to 1 by the rules; the last line is missing"),
    ],
)
def test_an_unfinished_record_says_who_owes_what(data: bytes, owes: str) -> None:
    """Neither "complete" nor "tampered"."""
    report = judged(data)
    assert (report.code, report.owes) == (3, owes)
    assert report.integrity.verdict == report.rules.verdict == "good"


@given(st.integers(0, 2**16))
def test_every_cut_of_a_record_is_unfinished_or_unreadable(cut: int) -> None:
    """Truncation is never 0 and never 1: what is left is good as far as it goes."""
    data = Sitting(options="size=2x2", seats=3).play().data
    size = cut % (len(data) - 1)
    report = judged(data[:size])
    assert report.code == (3 if b"\n" in data[:size] else 6)
    assert bool(report.owes) == (report.code == 3)


def test_a_torn_last_line_is_unfinished_and_said() -> None:
    """A crash leaves it; opening the record to play on moves it away."""
    report = judged(small(2).data[:-7])
    assert (report.code, report.integrity.verdict, report.integrity.event) == (3, "incomplete", 2)
    assert report.owes == "seat 1 owes its acknowledgement of event 2"


@pytest.mark.parametrize("junk", [b"x", b"\n", b"\0" * 512, b'{"e":{"body":', b'{"k":{', b"{}\n", small().lines[-1]])
def test_junk_after_the_end_is_tampering(junk: bytes) -> None:
    """Nothing is ever written after a finished game, so no crash can have left it."""
    report = judged(small().data + junk)
    assert (report.code, report.integrity.event) == (1, 5)


# -- against the rules


def forced(kind: str, body: dict[str, Any], seat: int | None = None, before: int = 1) -> Sitting:
    sitting = small(before, seats=3)
    sitting.force(kind, body, seat)
    return sitting


@pytest.mark.parametrize(
    ("sitting", "event", "words"),
    [
        (forced("move", {"move": "z9r"}), 2, "no dot z9"),
        (forced("move", {"move": "A1D"}), 2, "not in canonical notation"),
        (forced("move", {"move": "a1d"}, seat=2), 2, "it is player 2's turn, not player 3's"),
        (forced("move", {"move": "a1d", "note": 1}), 2, "a move is"),
        (forced("move", {"move": 7}), 2, "a move is"),
        (forced("resign", {"of": 2}), 2, "own word"),
        (forced("stop", {"notices": {}}), 2, "every other player must have agreed"),
        (forced("takeback", {"notices": {}, "to": 0}), 2, "every other player must have agreed"),
        (forced("move", {"move": "a1r"}, seat=0, before=9), 5, "the game is over"),
    ],
)
def test_a_record_against_the_rules_is_not_good_though_all_signed_it(sitting: Sitting, event: int, words: str) -> None:
    """Integrity is good, the rules are not: three levels, told apart."""
    report = judged(sitting.data)
    assert (report.code, report.integrity.verdict, report.rules.verdict) == (1, "good", "broken")
    assert report.rules.event == event and words in report.rules.message
    assert f"event {event}: " in report.rules.message
    assert not report.owes and report.outcome is None and not report.complete


# -- what nobody here can judge


def without(name: str) -> Host:
    host = Host()
    if name != "count-to":
        host.register(toy, "count-to")
    return host


@pytest.mark.parametrize(
    ("data", "host", "words"),
    [
        (small().data, without("dots-and-boxes"), "'dots-and-boxes' is not installed"),
        (small(change=lambda offer: {**offer, "version": "1.1"}).data, HOST, "1.1 is needed, 1.0 is installed"),
        (small(change=lambda offer: {**offer, "digest": "00" * 32}).data, HOST, "digest differs"),
        (small(change=lambda offer: {**offer, "options": {}}).data, HOST, "missing or unknown"),
        (small(change=lambda offer: {**offer, "options": {"size": [], "award_rest": {}}}).data, HOST, "must be"),
        (
            small(change=lambda offer: {**offer, "house_rules": [{"name": "x", "version": "1"}]}).data,
            HOST,
            "house rule",
        ),
    ],
    ids=["game", "version", "digest", "no options", "odd options", "house rule"],
)
def test_integrity_is_judged_without_the_rules(data: bytes, host: Host, words: str) -> None:
    """The same plugin, version, digest, or nothing is said about the moves."""
    report = judged(data, host)
    assert (report.code, report.integrity.verdict, report.rules.verdict) == (4, "good", "unknown")
    assert words in report.rules.message and report.events == 5 and len(report.players) == 2
    assert judged(file(data.splitlines()[:-1]), host).owes == "seat 1 owes its acknowledgement of event 4"


class Breaks:
    """Rules that break where they are told to."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.rules = toy.CountTo(10)

    def __getattr__(self, name: str) -> Callable[..., object]:
        def broken(*_: object) -> object:
            raise ZeroDivisionError("a plugin's own fault")

        found: Callable[..., object] = broken if name == self.method else getattr(self.rules, name)
        return found


@pytest.mark.parametrize("method", ["start", "to_move", "play", "standing", "parse"])
def test_a_plugin_that_breaks_is_named_and_does_not_break_the_audit(method: str) -> None:
    """Nobody can judge then; whose fault it was is said."""
    data = Sitting("count-to").play().data
    report = audit(data, lambda offer: cast("Rules[Any]", Breaks(method)))
    assert (report.code, report.integrity.verdict, report.rules.verdict) == (4, "good", "unknown")
    assert "a plugin's own fault" in report.rules.message


def test_a_newer_record_says_so() -> None:
    """An unknown type that its author signed is news; in event 0 so is an unknown version."""
    sitting = small(1)
    sitting.force("fanfare", {})
    report = judged(sitting.data)
    assert (report.code, report.integrity.verdict, report.integrity.event) == (4, "newer", 2)
    assert "a newer lantable is needed" in report.integrity.message
    first = small(0).lines[0].replace(b'"v":1}', b'"v":2}')
    assert judged(first + b"\n").code == 4


def test_another_version_after_event_0_is_tampering() -> None:
    """Event 0 promises one version for the whole record."""
    lines = small().lines
    lines[4] = lines[4].replace(b'"v":1}', b'"v":2}')
    report = judged(file(lines))
    assert (report.code, report.integrity.event) == (1, 2)
    assert "another version than event 0" in report.integrity.message


# -- signers


def test_untrusted_signers_are_named_only_if_somebody_asked() -> None:
    """Exit code 5 needs a list of keys."""
    data = small(seats=3).data
    assert judged(data, trusted={key(n).public for n in (0, 1, 2)}).code == 0
    report = judged(data, trusted={key(1).public})
    assert (report.code, report.strangers) == (5, (1, 3)) and report.complete
    assert "untrusted  the key of seat 1 is not one you trust" in report.lines()


def test_a_whole_record_made_anew_with_other_keys_is_another_game() -> None:
    """It holds together, so only the keys tell: they stand beside the names, and a list of keys finds them."""
    forged = small(keys=[key(7), key(8)])
    report = judged(forged.data)
    assert report.code == 0 and report.game != judged(small().data).game
    assert [player.name for player in report.players] == ["Ada", "Bob"]
    assert report.players[0].key != key(0).public
    assert judged(forged.data, trusted={key(0).public, key(1).public}).code == 5


# -- no record


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"PK\x03\x04" + bytes(64), "not a lantable record"),
        (b"\x1f\x8b\x08" + bytes(64), "not a lantable record"),
        (b"\xef\xbb\xbf" + small().lines[0], "not a lantable record"),
        (b"[]\n", "not a lantable record"),
        (b'{"acks":[],"lines":[],"seat":0,"seq":0}', "a proof that a key signed twice; it is judged beside its record"),
        (b'{"line":"","nack":{}}', "refusal; it is judged beside"),
        (small().data[:9], "ends before event 0"),
        (small().data[:300], "ends before event 0"),
    ],
)
def test_what_is_no_record_is_unreadable(data: bytes, words: str) -> None:
    """Exit code 6, not 1: nobody tampered with what never was a record."""
    report = judged(data)
    assert (report.code, report.integrity.verdict) == (6, "unreadable") and words in report.integrity.message
    assert report.rules.verdict == report.deal.verdict == "not judged" and not report.players


@pytest.mark.parametrize("data", [small().data + b"x" * MAX_FILE, small().data + b"\n" * MAX_LINES])
def test_a_record_beyond_the_limits_is_no_good_record(data: bytes) -> None:
    """It begins as a record, so it claims to be one; and no record is that long."""
    assert judged(data).code == 1


@given(st.binary(max_size=300), st.sampled_from([b"", b'{"e":{"body":', b'{"k":{"game":"', small().data]))
def test_the_audit_raises_nothing_and_never_finds_junk_good(junk: bytes, begin: bytes) -> None:
    """Strangers' bytes cause a report, whatever they are."""
    assert judged(begin + junk).code == 0 if not junk and begin == small().data else judged(begin + junk).code != 0


def test_of_many_files_the_worst_wins() -> None:
    """70, 1, 6, 5, 4, 3, 0."""
    assert WORST_FIRST == (70, 1, 6, 5, 4, 3, 0)
    for place, code in enumerate(WORST_FIRST):
        assert worst(WORST_FIRST[place:]) == worst(reversed(WORST_FIRST[place:])) == code
    assert worst([]) == 0


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome((9, 7), (0,)), "9 to 7: seat 1 wins (played out)"),
        (Outcome((8, 8), (0, 1), "drawn by agreement"), "8 to 8: seats 1 and 2 share first place (drawn by agreement)"),
        (Outcome((3, 3, 3, 0), (0, 1, 2)), "3 to 3 to 3 to 0: seats 1, 2 and 3 share first place (played out)"),
        (Outcome((1, 2), (), "player 1 resigned"), "1 to 2: nobody wins (player 1 resigned)"),
    ],
)
def test_an_outcome_in_words(outcome: Outcome, words: str) -> None:
    """Scores, who won, and how it ended."""
    assert outcome_text(outcome) == words


# -- a record names plugins; naming never imports


EVIL = ("os", "../../evil", "..\\evil", "evil_package", "evil_package:hook", "lantable_dots_and_boxes.rules")
_heard: list[str] | None = None


def _hear(event: str, args: tuple[object, ...]) -> None:
    if _heard is not None and event in ("import", "exec", "compile"):
        _heard.append(f"{event} {args[0]!r}")


sys.addaudithook(_hear)  # there is no way to take a hook out again, so it listens only while a test asks it to


@pytest.mark.parametrize("name", EVIL)
def test_a_plugin_named_by_a_record_is_never_imported(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the audit nor the listing looks anywhere but among the plugins that are loaded already."""
    global _heard
    (tmp_path / "evil_package.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    data = small(change=lambda offer: {**offer, "game": name, "version": name}).data
    game = read_event(data.splitlines()[0]).game
    archive = Archive(tmp_path)
    archive.path(game).write_bytes(data)
    audit(small().data, HOST.rules_for)
    _heard = []
    try:
        report, summary = audit(data, HOST.rules_for), archive.summary(game, HOST.rules_for)
        heard = _heard
    finally:
        _heard = None
    assert not heard
    assert report.code == 4 and summary.state == "unknown rules"
    assert "evil_package" not in sys.modules


# -- proofs and refusals beside a record


def two_events() -> tuple[Sitting, Signed, Signed]:
    """A game, and two different events 2 by the seat that was due."""
    sitting = small(1)
    one = sitting.draft("move", {"move": "a1d"})
    other = sitting.draft("move", {"move": "a2r"} if "a2r" in _legal(sitting) else {"move": "b1d"})
    return sitting, one, other


def _legal(sitting: Sitting) -> list[str]:
    position = sitting.table.position
    return list(position.rules.legal(position.state, position.due or 0))


def test_a_proof_is_judged_beside_its_record() -> None:
    """ "This key signed twice", never "this person cheated"."""
    sitting, one, other = two_events()
    proof = prove_events(sitting.table.chain, one, other)
    assert proof is not None
    data = canonical.write(proof.as_json())
    words = f"the key of seat 2 ({key(1).public.words}) signed two different events 2"
    assert judge_proof(data, sitting.data) == words
    for stranger in (small(seed=5).data, b"", b"PK"):
        with pytest.raises(Untrusted):
            judge_proof(data, stranger)
    with pytest.raises(Untrusted):
        judge_proof(data.replace(b"a1d", b"b1d"), sitting.data)


def test_a_proof_of_two_acknowledgements_is_judged_too() -> None:
    """A second signature needs a signer that breaks the rule that signing is deterministic."""
    sitting, one, _ = two_events()
    other = _second_signature(0, Ack.message(one.game, one.event.seq, Ack.make(one, 0, key(0)).sha))
    proof = prove_acks(sitting.table.chain, one, Ack.make(one, 0, key(0)).sig, other, 0)
    assert proof is not None
    words = judge_proof(canonical.write(proof.as_json()), sitting.data)
    assert words == f"the key of seat 1 ({key(0).public.words}) acknowledged event 2 twice, differently"


def _second_signature(seat: int, message: bytes) -> bytes:
    """Another valid Ed25519 signature over the same bytes, from a nonce that does not follow the standard."""
    order = 2**252 + 27742317777372353535851937790883648493
    digest = bytearray(hashlib.sha512(key(seat).seed).digest()[:32])
    digest[0] &= 248
    digest[31] = digest[31] & 127 | 64
    nonce = 12345
    point = sodium.crypto_scalarmult_ed25519_base_noclamp(nonce.to_bytes(32, "little"))
    hashed = hashlib.sha512(point + key(seat).public.raw + ACK + message).digest()
    challenge = int.from_bytes(hashed, "little") % order
    answer = (nonce + challenge * int.from_bytes(digest, "little")) % order
    return point + answer.to_bytes(32, "little")


def refused(signed: Signed, reason: str, **changes: Any) -> bytes:
    """The side file of a refusal by seat 0."""
    nack = Nack(signed.game, signed.event.seq, signed.h, reason, 0).signed(key(0)).as_json()
    assert isinstance(nack, dict)
    return canonical.write({"line": signed.line.decode(), "nack": {**nack, **changes}})


def test_a_refusal_is_judged_by_the_rules() -> None:
    """ "The audit of either copy judges the event by the rules": the refuser was right, or was not."""
    sitting = small(1)
    wrong, right = sitting.draft("move", {"move": "z9r"}), sitting.draft("move", {"move": _legal(sitting)[0]})
    words, report = judge_refusal(refused(wrong, "off_board"), sitting.data, HOST.rules_for)
    assert words == "seat 1 refuses event 2: off_board"
    assert (report.code, report.rules.verdict, report.rules.event) == (1, "broken", 2)
    _, report = judge_refusal(refused(right, "drawn"), sitting.data, HOST.rules_for)
    assert (report.code, report.rules.verdict) == (3, "good")
    for changes in ({"code": "other"}, {"seat": 1}, {"seq": 1}, {"h": "00" * 32}, {"game": "00" * 16}):
        with pytest.raises(Untrusted):
            judge_refusal(refused(wrong, "off_board", **changes), sitting.data, HOST.rules_for)


# -- docs/record-format.md


PAGE = (Path(__file__).parent.parent / "docs" / "record-format.md").read_text(encoding="utf-8")
SAMPLE = GOLDEN / "1x1-two-seats.jsonl"


def block(mark: str) -> str:
    """The code block after a marking comment on the page."""
    return PAGE.partition(f"<!-- {mark}")[2].partition("```")[2].partition("\n")[2].partition("```")[0]


def stranger() -> Callable[[bytes], str]:
    """The auditor printed on the page, as a function."""
    space: dict[str, Any] = {}
    exec(compile(block("test: integrity"), "record-format.md", "exec"), space)
    check: Callable[[bytes], str] = space["check"]
    return check


def test_the_example_on_the_page_is_in_a_golden_record() -> None:
    """Line breaks aside, byte for byte."""
    shown = [part.replace("\n", "").encode() for part in block("example").split("\n\n")]
    assert shown == SAMPLE.read_bytes().splitlines()[2:4]


def test_the_auditor_on_the_page_agrees_with_ours() -> None:
    """Good records are good to both, and a changed byte to neither."""
    check, lot = stranger(), random.Random(0)
    for path in GOLDEN.glob("*.jsonl"):
        assert check(path.read_bytes()) == judged(path.read_bytes()).game
    data = SAMPLE.read_bytes()
    for _ in range(300):
        place, bit = lot.randrange(len(data)), 1 << lot.randrange(8)
        changed = data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]
        assert judged(changed).code != 0
        with pytest.raises(Exception):  # noqa: B017, PT011 - a sketch may fail in any way; it must not find it good
            check(changed)


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
def test_the_shell_lines_on_the_page_find_a_wrong_hash(tmp_path: Path) -> None:
    """Nothing is printed for a good record, and the one hash that does not fit for a changed one."""

    def printed(data: bytes) -> str:
        (tmp_path / "record.jsonl").write_bytes(data)
        return subprocess.run(
            ["sh", "-c", block("test: hashes")], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout

    for path in GOLDEN.glob("*.jsonl"):
        assert printed(path.read_bytes()) == ""
    lines = SAMPLE.read_bytes().splitlines()
    bad = json.loads(lines[4])["h"]
    lines[4] = lines[4].replace(b'"t":1', b'"t":2')
    assert printed(file(lines)) == f"bad: {bad}\n"


def test_the_page_lists_every_exit_code_and_verdict() -> None:
    """What the audit can say stands on the page."""
    for code in (*WORST_FIRST, 2):
        assert f"| {code} | " in PAGE
    for verdict in (
        *("good", "incomplete", "broken", "newer", "unreadable", "unknown", "not judged", "not dealt", "sealed"),
    ):
        assert f"`{verdict}`" in PAGE
