"""`lantable audit`: the judgement of records and of what stands beside them, for people or as JSON.

The verdicts are those of `lantable_replays`; here they are printed and put into one exit code. A proof or a
refusal is judged beside its record, so naming either names both. A proof that holds, and a refusal that was
right, are a 1: somebody signed what the rules of the game or of the record forbid.
"""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from lantable.canonical import Json
from lantable.errors import DiskFault, Untrusted
from lantable.keys import PublicKey
from lantable.table import FindRules
from lantable.text import safe_text
from lantable_console.context import Context
from lantable_console.home import Home
from lantable_console.language import N_, shown, tr
from lantable_net.trust import State
from lantable_replays.archive import RECORD, SIDES, Archive
from lantable_replays.audit import (
    CANNOT_JUDGE,
    GOOD,
    TAMPERED,
    UNFINISHED,
    UNREADABLE,
    UNTRUSTED_SIGNER,
    Report,
    audit,
    worst,
)
from lantable_replays.evidence import judge_proof, judge_refusal
from lantable_replays.record import load

TRUSTED: Final = (State.SEEN, State.COMPARED)
VERDICTS: Final = {
    GOOD: N_("GOOD AND COMPLETE"),
    UNFINISHED: N_("GOOD BUT UNFINISHED"),
    CANNOT_JUDGE: N_("CANNOT BE JUDGED HERE"),
    UNTRUSTED_SIGNER: N_("SIGNED BY A KEY YOU DO NOT TRUST"),
    UNREADABLE: "UNREADABLE",
}
_REFUSALS: Final = {
    "good": N_("WRONGLY REFUSED"),
    "broken": N_("RIGHTLY REFUSED"),
    "unknown": N_("REFUSED, WHICH CANNOT BE JUDGED HERE"),
}
"""By the verdict of the rules on the refused event."""
_SIDE_FILE: Final = re.compile(r"(.+)\.(proof|refused)(-\d+)?")


@dataclass(frozen=True, slots=True)
class Side:
    """A proof or a refusal beside a record, judged. `kind` is proof or refused."""

    kind: str
    verdict: str
    message: str
    code: int

    def as_json(self) -> Json:
        return {"kind": self.kind, "verdict": self.verdict, "message": self.message, "code": self.code}


@dataclass(frozen=True, slots=True)
class Judged:
    """One record as named on the command line, with all that stands beside it. All text is fit for a terminal."""

    file: str
    report: Report
    sides: list[Side] = field(default_factory=list[Side])

    @property
    def code(self) -> int:
        return worst([self.report.code, *(side.code for side in self.sides)])

    @property
    def verdict(self) -> str:
        """What the exit code means, in words; a 1 is told apart."""
        if self.code != TAMPERED:
            return VERDICTS[self.code]
        if self.report.integrity.verdict == "broken":
            return N_("TAMPERED WITH")
        if self.report.rules.verdict == "broken":
            return N_("AGAINST THE RULES")
        if self.report.deal.verdict == "broken":
            return N_("DEALT FALSELY")
        return next(side.verdict for side in self.sides if side.code == TAMPERED)

    def lines(self) -> list[str]:
        """The verdict, and the facts it rests on, each on a line of its own."""
        facts = self.report.lines() + [
            f"{side.kind:<10} {tr(side.verdict)}: {shown(side.message)}" for side in self.sides
        ]
        return [f"{self.file}: {tr(self.verdict)}", *(f"  {shown(fact)}" for fact in facts)]

    def as_json(self) -> dict[str, Json]:
        """The report's fields, with the exit code of record and side files together."""
        sides: Json = [side.as_json() for side in self.sides]
        return {**self.report.as_json(), "file": self.file, "verdict": self.verdict, "sides": sides, "code": self.code}


def run(context: Context) -> int:
    """`lantable audit FILE|GAME-ID...`: a block of lines, or with --json one line of JSON, for each. The worst code."""
    args = context.args
    trusted = trusted_keys(context.home) if args.require_trusted else None
    # All names first: a mistyped one is told before anything is judged.
    files = [(safe_text(name), context.record_path(name)) for name in args.files]
    return worst([_one(context, file, path, trusted) for file, path in files])


def _one(context: Context, file: str, path: Path, trusted: Collection[PublicKey] | None) -> int:
    """Judge and print one file; its exit code."""
    try:
        judged = judge(file, path, context.host.rules_for, trusted)
    except DiskFault as error:
        context.warn(str(error))
        if context.args.json:
            context.say(json.dumps({"file": file, "verdict": VERDICTS[UNREADABLE], "code": UNREADABLE}))
        return UNREADABLE
    # JSON keeps to ASCII, so that it is inert and the same in every locale.
    for line in [json.dumps(judged.as_json())] if context.args.json else judged.lines():
        context.say(line)
    return judged.code


def trusted_keys(home: Home) -> set[PublicKey]:
    """The keys met more than once, consented to or compared, and our own."""
    own = {home.key_file().key.public} if home.has_key() else set[PublicKey]()
    return own | {person.key for person in home.trust().people() if person.state in TRUSTED}


def judge(file: str, path: Path, find_rules: FindRules, trusted: Collection[PublicKey] | None = None) -> Judged:
    """A record, or a side file together with its record. Raises `DiskFault` if one of them cannot be read."""
    side = _SIDE_FILE.fullmatch(path.name)
    record = path.with_name(side[1] + RECORD) if side else path
    data = load(record)
    judged = Judged(file, audit(data, find_rules, trusted))
    for kind in SIDES:
        # By the game's id, as they are kept; the one that was named may have any name.
        found = Archive(record.parent).kept(bytes.fromhex(judged.report.game), kind) if judged.report.game else []
        if side and side[2] == kind and (named := load(path)) not in found:
            found.append(named)
        judged.sides.extend(_side(kind, item, data, find_rules) for item in found)
    return judged


def _side(kind: str, side: bytes, record: bytes, find_rules: FindRules) -> Side:
    try:
        if kind == "proof":
            return Side(kind, N_("SIGNED TWICE"), judge_proof(side, record), TAMPERED)
        words, report = judge_refusal(side, record, find_rules)
    except Untrusted as error:
        return Side(kind, N_("FALSE EVIDENCE"), safe_text(f"about this record: {error.detail or error.code}"), TAMPERED)
    if report.integrity.verdict != "good":
        return Side(kind, N_("FALSE EVIDENCE"), f"{words}; {report.integrity.message}", report.code)
    # The refused event has no K line, so even a good one leaves that copy unfinished: the record itself tells it.
    code = GOOD if report.code == UNFINISHED else report.code
    return Side(kind, _REFUSALS[report.rules.verdict], f"{words}; {report.rules.message}", code)
