"""The judgement of a record, from its bytes alone, at three levels that are told apart.

integrity  the lines hang together and everyone signed what they must; needs no plugin
rules      the moves keep the rules that event 0 names: same plugin, version and digest
deal       what was drawn by chance was drawn fairly

What a record cannot show it is not said to show: keys stand beside every name, since anyone may write any
name, and a record in which one key plays every seat says so.

The line between exit codes 1 and 6: bytes that begin as every record begins claim to be one, and whatever they
then fail is a 1. What does not begin so, ends before event 0 does, or cannot be read at all is a 6.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from lantable.canonical import Json
from lantable.chain import Chain
from lantable.dealing import Dealer, Reveal, Turn
from lantable.dealing.fair import FairDeal, conserved
from lantable.dealing.kinds import EVENTS, shown
from lantable.errors import PluginFault, Untrusted
from lantable.fold import Position
from lantable.game import Outcome
from lantable.keys import PublicKey, sha256
from lantable.table import FindRules
from lantable.text import safe_name, safe_text
from lantable.wording import msg, verbatim
from lantable_replays.replay import Replay, replay

GOOD: Final = 0
TAMPERED: Final = 1
UNFINISHED: Final = 3
CANNOT_JUDGE: Final = 4
UNTRUSTED_SIGNER: Final = 5
UNREADABLE: Final = 6
OUR_BUG: Final = 70
WORST_FIRST: Final = (OUR_BUG, TAMPERED, UNREADABLE, UNTRUSTED_SIGNER, CANNOT_JUDGE, UNFINISHED, GOOD)
"""Exit codes of an audit; 2 (usage) and 128 + n (ended by signal n) are the command's own."""


def worst(codes: Iterable[int]) -> int:
    """The one code for many files or findings: the worst of them, `GOOD` for none."""
    return min(codes, key=WORST_FIRST.index, default=GOOD)


@dataclass(frozen=True, slots=True)
class Level:
    """One of the three judgements: a verdict of a fixed vocabulary, and a sentence for people.

    integrity: good, incomplete, broken, newer, unreadable; rules: good, broken, unknown, not judged;
    deal: good, broken, sealed (play goes on), unaudited (play is over and a seat withholds its secret), not dealt,
    not judged.
    """

    verdict: str
    message: str
    event: int | None = None
    """Number of the event at fault."""

    def as_json(self) -> Json:
        return {"verdict": self.verdict, "message": self.message, "event": self.event}


NOT_JUDGED: Final = Level(msg("not judged"), msg("the record itself is not good"))
PROOF_BEGINS: Final = b'{"acks":['
REFUSAL_BEGINS: Final = b'{"line":"'


@dataclass(frozen=True, slots=True)
class Player:
    """Who sat where, for people: `seat` counts from 1, and the key is who it was; the name is only what was shown."""

    seat: int
    name: str
    key: PublicKey

    def as_json(self) -> Json:
        return {"seat": self.seat, "name": self.name, "words": self.key.words, "key": self.key.hex}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What an audit found. All text in it is fit for a terminal, whatever the record holds."""

    sha256: str
    """Of the bytes that were judged."""
    game: str = ""
    """Game id, 32 hexadecimal digits."""
    title: str = ""
    """Plugin id and version, as event 0 names them."""
    players: tuple[Player, ...] = ()
    events: int = 0
    integrity: Level
    rules: Level = NOT_JUDGED
    deal: Level = NOT_JUDGED
    complete: bool = False
    """Whether it is good and the rules expect nothing more."""
    outcome: Outcome | None = None
    owes: str = ""
    """Who owes what, if the record is good but unfinished, as far as that can be told."""
    notes: tuple[str, ...] = ()
    strangers: tuple[int, ...] = ()
    """Seats (from 1) whose keys are not among those that were to be trusted."""

    @property
    def code(self) -> int:
        """The exit code."""
        found = {_INTEGRITY_CODES[self.integrity.verdict], _RULES_CODES[self.rules.verdict]}
        found.add(_DEAL_CODES.get(self.deal.verdict, GOOD))
        if self.strangers:
            found.add(UNTRUSTED_SIGNER)
        if not self.complete:
            found.add(UNFINISHED)
        return worst(found)

    @property
    def result(self) -> str:
        """The outcome in words, or "" while there is none."""
        return "" if self.outcome is None else outcome_text(self.outcome)

    def as_json(self) -> dict[str, Json]:
        """The report as plain data; seats count from 1 in it."""
        outcome = self.outcome
        return {
            "format": 1,
            "sha256": self.sha256,
            "game": self.game,
            "title": self.title,
            "players": [player.as_json() for player in self.players],
            "events": self.events,
            "integrity": self.integrity.as_json(),
            "rules": self.rules.as_json(),
            "deal": self.deal.as_json(),
            "outcome": None
            if outcome is None
            else {
                "scores": list(outcome.scores),
                "winners": [seat + 1 for seat in outcome.winners],
                "how": outcome.how,
                "text": self.result,
            },
            "owes": self.owes,
            "notes": list(self.notes),
            "strangers": list(self.strangers),
            "code": self.code,
        }

    def lines(self) -> list[str]:
        """The report for people, a fact a line."""
        levels = ((msg("integrity"), self.integrity), (msg("rules"), self.rules), (msg("deal"), self.deal))
        facts = [
            (msg("game"), verbatim("{game} {title}", game=self.game, title=self.title) if self.game else ""),
            *((name, verbatim("{verdict}: {why}", verdict=_told(at.verdict), why=at.message)) for name, at in levels),
            *((msg("seat {seat}", seat=p.seat), _player(p)) for p in self.players),
            (msg("result"), self.result),
            (msg("unfinished"), self.owes),
            *((msg("untrusted"), msg("the key of seat {seat} is not one you trust", seat=at)) for at in self.strangers),
            *((msg("note"), note) for note in self.notes),
        ]
        return [verbatim("{label:<10} {text}", label=label, text=text) for label, text in facts if text]


def _player(player: Player) -> str:
    return msg("{name}, key {words} {hex}", name=player.name, words=player.key.words, hex=player.key.hex)


_VERDICTS: Final = {
    str(text): text
    for text in (
        msg("good"), msg("broken"), msg("unreadable"), msg("incomplete"), msg("unknown"), msg("newer"), msg("sealed"),
        msg("unaudited"), msg("not judged"), msg("not dealt"),
    )
}  # fmt: skip


def _told(verdict: str) -> str:
    """A verdict for people; in JSON it is the word itself."""
    return _VERDICTS.get(verdict, verdict)


_INTEGRITY_CODES: Final = {
    "good": GOOD,
    "incomplete": UNFINISHED,
    "broken": TAMPERED,
    "newer": CANNOT_JUDGE,
    "unreadable": UNREADABLE,
}
_DEAL_CODES: Final = {"broken": TAMPERED, "unaudited": CANNOT_JUDGE}
_RULES_CODES: Final = {"good": GOOD, "broken": TAMPERED, "unknown": CANNOT_JUDGE, "not judged": GOOD}


def audit(data: bytes, find_rules: FindRules, trusted: Collection[PublicKey] | None = None) -> Report:
    """Judge the bytes of a record file. Raises nothing that bytes can cause.

    `find_rules` is `Host.rules_for`: it looks only among plugins that are loaded already. With `trusted`, seats
    whose keys are not among them are named. O(len(data)), nearly all of it for verifying signatures.
    """
    digest = sha256(data).hex()
    try:
        found = replay(data, find_rules)
    except Untrusted as error:
        return Report(sha256=digest, integrity=_refused(error, data))
    chain = found.reading.chain
    rules, outcome, due = _rules(found)
    over = chain is not None and chain.sealed and outcome is not None
    integrity = _integrity(found, over=over)
    if chain is None:
        return Report(sha256=digest, integrity=integrity)
    good = integrity.verdict in ("good", "incomplete") and rules.verdict != "broken"
    players = tuple(Player(n + 1, safe_name(seat.name), seat.key) for n, seat in enumerate(chain.offer.seats))
    return Report(
        sha256=digest,
        game=chain.game.hex(),
        title=safe_text(f"{chain.offer.game} {chain.offer.version}"),
        players=players,
        events=len(chain.events),
        integrity=integrity,
        rules=rules,
        deal=_deal(found, rules),
        complete=over and good and rules.verdict == "good",
        outcome=outcome,
        owes=_owed(chain, outcome, due) if good else "",
        notes=_notes(chain, ended=found.reading.ended),
        strangers=tuple(player.seat for player in players if trusted is not None and player.key not in trusted),
    )


def outcome_text(outcome: Outcome) -> str:
    """`9 to 7: seat 1 wins (played out)`."""
    who = _seats(outcome.winners)
    end = (
        msg("{who} wins", who=who)
        if len(outcome.winners) == 1
        else msg("{who} share first place", who=who)
        if who
        else msg("nobody wins")
    )
    return safe_text(f"{_scores(outcome)}: {end} ({outcome.how})")


# -- the levels


def _refused(error: Untrusted, data: bytes) -> Level:
    """The verdict on bytes that are not even looked into."""
    if error.code != "no_record":
        return Level("broken", error.detail)
    if data.startswith(PROOF_BEGINS):
        return Level("unreadable", msg("this is a proof that a key signed twice; it is judged beside its record"))
    if data.startswith(REFUSAL_BEGINS):
        return Level("unreadable", msg("this is a refusal; it is judged beside its record"))
    return Level("unreadable", error.detail)


def _integrity(found: Replay, *, over: bool) -> Level:
    chain, fault = found.reading.chain, found.reading.fault
    if fault is None:
        return Level("unreadable", msg("the file is empty")) if chain is None else Level("good", _count(chain))
    if fault.code == "newer":
        return Level("newer", safe_text(str(fault)), fault.seq)
    if fault.code != "torn":
        return Level("broken", safe_text(str(fault)), fault.seq)
    if chain is None:
        return Level("unreadable", msg("the file ends before event 0 does"))
    if over:
        # Nothing is ever written after the end, so no crash can have left this.
        return Level(
            "broken",
            msg("event {seq} (line {line}): something follows the end", seq=fault.seq, line=fault.line),
            fault.seq,
        )
    return Level("incomplete", str(fault), fault.seq)


def _count(chain: Chain) -> str:
    acks = sum(len(seal.sigs) for seal in chain.seals)
    return msg(
        "{events} events and {acks} acknowledgements, signed by whom they must be", events=len(chain.events), acks=acks
    )


def _rules(found: Replay) -> tuple[Level, Outcome | None, int | None]:
    """The verdict, and as far as the rules reach: how the game ended, and who is to move."""
    seq, good = len(found.positions), found.reading.chain is not None
    if not good:
        return NOT_JUDGED, None, None
    if found.illegal is not None:
        return (
            Level("broken", safe_text(msg("event {seq}: {illegal}", seq=seq, illegal=found.illegal)), seq),
            None,
            None,
        )
    if found.unjudged is not None:
        return (
            Level("unknown", safe_text(msg("event {seq}: {unjudged}", seq=seq, unjudged=found.unjudged)), seq),
            None,
            None,
        )
    try:
        outcome, due = found.positions[-1].outcome, found.positions[-1].due
    except PluginFault as error:
        return Level("unknown", safe_text(msg("event {seq}: {error}", seq=seq - 1, error=error)), seq - 1), None, None
    return Level("good", msg("events 0 to {seq} keep them", seq=seq - 1)), outcome, due


def _deal(found: Replay, rules: Level) -> Level:
    """Every message of the dealing computed again from the secrets, and the first that differs named."""
    chain = found.reading.chain
    if chain is None or chain.offer.dealing is None:
        return Level(msg("not dealt"), msg("nothing in this game is drawn by chance"))
    if rules.verdict != "good":
        return Level(msg("not judged"), msg("what was drawn can be judged only together with the rules"))
    last = found.positions[-1]
    assert last.deal is not None  # noqa: S101 - event 0 names a dealing
    dealer, lacking = shown(chain.game, last.deal)
    wrong = None if dealer is None else _deviation(chain, found.positions, dealer)
    if wrong is not None:
        return wrong
    # A rack that is wanted for the account is shown by its seat's seed and by nothing else: play itself is over.
    playing = last.player is not None or not isinstance(last.want, Reveal | None)
    if lacking and playing:
        return Level("sealed", msg("the seeds are shown when the game is over; until then no draw can be checked"))
    if lacking:
        return Level("unaudited", msg("{named} withheld its seed", named=_named(chain, lacking)))
    if isinstance(last.deal, FairDeal) and not conserved(last.deal):
        return Level("broken", msg("the bag and the slots drawn from it do not hold every tile just once"), last.seq)
    return Level(
        "good", msg("all {count} messages are what the seeds give that were committed to before", count=last.deal.count)
    )


def _deviation(chain: Chain, positions: Sequence[Position], dealer: Dealer) -> Level | None:
    """The first event that is not what its author's secret gives."""
    for before, after in pairwise(positions):
        event = after.last
        if event is None or before.deal is None or event.type not in (*EVENTS, "move"):
            continue
        turn = Turn(event.game, event.prev, event.seat, event.seq)
        if not dealer.gives(before.deal, turn, event.type, event.body):
            who = _named(chain, [event.seat])
            what = msg(
                "event {seq}: {who} wrote a {type} that is not what its seed gives",
                seq=event.seq,
                who=who,
                type=event.type,
            )
            return Level("broken", what, event.seq)
    return None


def _named(chain: Chain, seats: Sequence[int]) -> str:
    """`seat 2 (Bob)`: whose deed it was, by seat and by the name as shown."""
    return " and ".join(
        msg("seat {seat} ({name})", seat=seat + 1, name=safe_name(chain.offer.seats[seat].name)) for seat in seats
    )


# -- in words


def _owed(chain: Chain, outcome: Outcome | None, due: int | None) -> str:
    """Who owes what; "" if nobody does, or if it takes unknown rules to tell."""
    if chain.sealed:
        return "" if due is None else msg("seat {due} owes event {seq}", due=due + 1, seq=chain.seq + 1)
    awaited = sorted(chain.awaited())
    if not awaited:
        missing = msg("the last line is missing")
    elif len(awaited) == 1:
        missing = msg("{seats} owes its acknowledgement", seats=_seats(awaited))
    else:
        missing = msg("{seats} owe their acknowledgements", seats=_seats(awaited))
    if outcome is None:
        return msg("{missing} of event {seq}", missing=missing, seq=chain.seq)
    # "the audit of that copy says 'play is over: 9 to 7 by the rules; seat 1 owes its acknowledgement'"
    return msg("play is over: {scores} by the rules; {missing}", scores=_scores(outcome), missing=missing)


def _notes(chain: Chain, *, ended: bool) -> tuple[str, ...]:
    notes: list[str] = []
    for owner in sorted(set(chain.owners)):
        seats = [seat for seat, of in enumerate(chain.owners) if of == owner]
        if len(seats) == len(chain.owners):
            notes.append(msg("one machine signed everything"))
        elif len(seats) > 1:
            notes.append(msg("{seats} share one key", seats=_seats(seats)))
    if (before := chain.offer.continues) is not None:
        notes.append(
            msg(
                "goes on from event {seq} of game {game}, without some of its players; that game's "
                "own record shows how it came to that position",
                seq=before.seq,
                game=before.game.hex(),
            )
        )
    if not ended:
        notes.append(msg("the last line lost its newline; opening the record to play on gives it back"))
    return tuple(notes)


def _scores(outcome: Outcome) -> str:
    return " to ".join(map(str, outcome.scores))


def _seats(seats: Collection[int]) -> str:
    """`seat 2`, `seats 1 and 3`, `seats 1, 2 and 4`: people count from 1."""
    *most, last = (str(seat + 1) for seat in seats) if seats else ("",)
    return (
        msg("seats {most} and {last}", most=", ".join(most), last=last)
        if most
        else msg("seat {last}", last=last)
        if last
        else ""
    )
