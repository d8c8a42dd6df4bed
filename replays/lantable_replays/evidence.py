"""The judgement of a side file: what a proof or a refusal says, beside the record it belongs to.

Both are checked from the ground up against event 0 of the record, which holds the keys.
"""

from typing import Final

from lantable import canonical
from lantable.canonical import Fields
from lantable.chain import Chain, read_proof
from lantable.errors import Untrusted
from lantable.events import MAX_EVENT_LINE, Nack, read_event
from lantable.table import FindRules
from lantable.text import safe_text
from lantable.wording import msg
from lantable_replays.audit import Report, audit
from lantable_replays.record import split

MAX_SIDE: Final = 4 * MAX_EVENT_LINE
"""Bytes of a side file: two event lines as JSON text, in which every quotation mark takes two more."""


def judge_proof(proof: bytes, record: bytes) -> str:
    """What a proof proves, in words. Raises `Untrusted` if it proves nothing about this record."""
    chain = _event_0(record)
    found = read_proof(canonical.read(proof, MAX_SIDE), chain)
    what = msg("acknowledged event") if found.acks else msg("signed two different events")
    times = msg(" twice, differently") if found.acks else ""
    # "A proof says 'this key signed twice', never 'this person cheated' (a restored backup can do it)"
    return msg(
        "the key of seat {seat} ({words}) {what} {seq}{times}",
        seat=found.seat + 1,
        words=chain.key(found.seat).words,
        what=what,
        seq=found.seq,
        times=times,
    )


def judge_refusal(refusal: bytes, record: bytes, find_rules: FindRules) -> tuple[str, Report]:
    """Who refused which event and why, in words, and the audit of the record up to and with that event.

    If the rules level of the report is broken at that event, the refusal was right. Raises `Untrusted` if the
    refusal does not belong to this record.
    """
    chain = _event_0(record)
    fields = Fields(canonical.read(refusal, MAX_SIDE), "refusal")
    line = fields.text("line", MAX_EVENT_LINE).encode()
    nack = Nack.from_json(fields.value("nack"))
    fields.done()
    signed = read_event(line)
    fits = (nack.game, nack.seq, nack.h) == (chain.game, signed.event.seq, signed.h) and signed.event.seq > 0
    if not fits or nack.seat >= len(chain.offer.seats) or not nack.by(chain.key(nack.seat)):
        raise Untrusted("refusal", msg("this is no signed refusal of an event of this record"))
    lines, _ = split(record)
    before = b"".join(good + b"\n" for good in lines[: 2 * nack.seq])
    words = safe_text(msg("seat {seat} refuses event {seq}: {code}", seat=nack.seat + 1, seq=nack.seq, code=nack.code))
    return words, audit(before + line + b"\n", find_rules)


def _event_0(record: bytes) -> Chain:
    lines, _ = split(record)
    if not lines:
        raise Untrusted("empty", msg("the record holds no event"))
    return Chain.begin(lines[0])
