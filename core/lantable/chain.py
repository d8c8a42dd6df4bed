"""The hash chain: which line may come next, who must acknowledge it, and proof that somebody signed twice.

A chain needs only the record itself: keys stand in event 0, so integrity can be judged without the game's
plugin. It grows by two steps in turn: `add` an event, then `seal` it with the K line. Event n+1 fits only
onto the K line of n, and its `prev` covers the bytes of both lines.
"""

from dataclasses import dataclass
from typing import Any, Self

from lantable import canonical
from lantable.canonical import Fields
from lantable.clock import MAX_USED
from lantable.dealing.kinds import EVENTS as DEALS
from lantable.errors import Untrusted
from lantable.events import (
    FLAG,
    NO_GAME,
    NO_LINK,
    Ack,
    Event,
    Notice,
    Offer,
    Seal,
    Signed,
    link,
    notice_kind,
    read_event,
    read_genesis,
    read_seal,
)
from lantable.keys import ACK, PublicKey, sha256, verify


class Chain:
    """Events with their K lines, each checked as it came. Only the last event may still lack its K line."""

    def __init__(self, first: Signed) -> None:
        event = first.event
        if event.seq != 0 or event.type != "genesis" or event.game != NO_GAME or event.prev != NO_LINK:
            raise Untrusted("chain", "a record begins with a genesis event of number 0")
        self.offer: Offer
        self.offer, nonces = read_genesis(event.body)
        self.game = first.game
        self.owners = self.offer.owners()
        self._left: set[int] = set()
        self._present = frozenset(self.owners)
        if event.seat >= len(self.offer.seats) or self.owners[event.seat] != event.seat:
            raise Untrusted("seat", "event 0 is not by a seat of this game")
        self._verify_author(first)
        others = {owner for owner in self.owners if owner != event.seat}
        if set(nonces) != others:
            raise Untrusted("schema", "genesis: one nonce of every other key is needed")
        self.nonces = nonces
        self.events: list[Signed] = [first]
        self.seals: list[Seal] = []

    @classmethod
    def begin(cls, line: bytes) -> Self:
        """A chain from the bytes of event 0. Raises `Untrusted`."""
        return cls(read_event(line))

    # -- asking

    @property
    def last(self) -> Signed:
        return self.events[-1]

    @property
    def seq(self) -> int:
        """Number of the last event."""
        return len(self.events) - 1

    @property
    def sealed(self) -> bool:
        """Whether the last event has its K line."""
        return len(self.seals) == len(self.events)

    def key(self, seat: int) -> PublicKey:
        return self.offer.seats[seat].key

    def owner_of(self, key: PublicKey) -> int | None:
        """The lowest seat this key plays, or None for a stranger to this game."""
        return next((s for s, seat in enumerate(self.offer.seats) if seat.key == key), None)

    def present(self) -> frozenset[int]:
        """Owners (one per key) that have not left: those who acknowledge, and whose HEAD is awaited."""
        return self._present

    def awaited(self) -> frozenset[int]:
        """Owners whose acknowledgement of the last event its K line must hold: every other key still in."""
        return self.present() - {self.owners[self.last.event.seat]}

    def next_prev(self) -> bytes:
        """`prev` that event n+1 must carry. Only a sealed chain has one."""
        return link(self.last.line, self.seals[-1].line)

    def lines(self, after: int = -1) -> list[bytes]:
        """Record lines from event `after` + 1 on, events and K lines in turn, without newlines."""
        result: list[bytes] = []
        for seq in range(after + 1, len(self.events)):
            result.append(self.events[seq].line)
            if seq < len(self.seals):
                result.append(self.seals[seq].line)
        return result

    # -- growing

    def check(self, signed: Signed) -> None:
        """Raise `Untrusted` unless `signed` is the one next event: number, game, link, author, notices.

        Codes: `chain` (does not fit here), `link` (another history), `seat`, `signature`, `notice`, `schema`.
        """
        event = signed.event
        if not self.sealed or event.seq != self.seq + 1 or event.game != self.game:
            raise Untrusted("chain", f"event {event.seq} does not follow event {self.seq} of this game")
        if event.seat >= len(self.offer.seats) or event.seat in self._left:
            raise Untrusted("seat", f"event {event.seq}: no such seat is in this game")
        self._verify_author(signed)
        # After the signature: only the author's own word that another history lies behind it matters.
        if event.prev != self.next_prev():
            raise Untrusted("link", f"event {event.seq} follows other lines than these")
        if event.type == "genesis":
            raise Untrusted("chain", f"event {event.seq}: a second genesis")
        self._verify_wishes(event)

    def add(self, signed: Signed) -> None:
        """Append an event that `check` let pass."""
        self.events.append(signed)
        if signed.event.type == "leave":
            self._left.add(signed.event.body["of"])
            self._present = frozenset(owner for seat, owner in enumerate(self.owners) if seat not in self._left)

    def seal(self, seal: Seal) -> None:
        """Append the K line of the last event, or raise `Untrusted` (`chain`, `signature`)."""
        if self.sealed or seal.game != self.game or seal.seq != self.seq or seal.head != self.last.h:
            raise Untrusted("chain", f"a K line for event {seal.seq} does not belong after event {self.seq}")
        if frozenset(seal.sigs) != self.awaited():
            raise Untrusted("chain", f"the K line of event {seal.seq} must hold exactly the other players' signatures")
        message = Ack.message(self.game, self.seq, sha256(self.last.line))
        for seat, sig in seal.sigs.items():
            if not verify(self.key(seat), ACK, message, sig):
                raise Untrusted("signature", f"K line of event {seal.seq}: seat {seat} did not sign this")
        self.seals.append(seal)

    def take(self, line: bytes) -> Signed | Seal:
        """Read, check and append one line of a record of either kind. Raises `Untrusted`."""
        part = read_line(len(self.events) + len(self.seals), line)
        self.take_part(part)
        return part

    def take_part(self, part: Signed | Seal) -> None:
        """Check and append what `read_line` made of the next line. The whole of the integrity audit."""
        if isinstance(part, Seal):
            self.seal(part)
        else:
            self.check(part)
            self.add(part)

    def _verify_wishes(self, event: Event) -> None:
        signers = {self.owners[event.seat]}
        for notice in notices_in(event, self.last.h):
            if notice.seat >= len(self.owners) or not notice.by(self.key(notice.seat)):
                raise Untrusted("notice", f"event {event.seq}: seat {notice.seat} did not sign this wish")
            signers.add(self.owners[notice.seat])
        # Whoever left signs no K line any more, so its own word is needed here already, rules or no rules.
        if event.type == "leave" and dict(enumerate(self.owners)).get(event.body["of"]) not in signers:
            raise Untrusted("notice", f"event {event.seq}: seat {event.body['of']} did not sign its leaving")

    def _verify_author(self, signed: Signed) -> None:
        if not signed.by(self.key(signed.event.seat)):
            raise Untrusted("signature", f"event {signed.event.seq} is not signed by seat {signed.event.seat}")


def read_line(number: int, line: bytes) -> Signed | Seal:
    """Line `number` of a record, from 0, taken apart. Raises `Untrusted`."""
    # Inside a record the kind of line is settled by its place, which catches swapped and dropped lines.
    return read_seal(line) if number % 2 else read_event(line)


def notices_in(event: Event, head: bytes) -> list[Notice]:
    """The notices an event embeds, rebuilt so that their signatures can be checked. Raises `Untrusted`.

    `resign` and `leave` say whose (`of`) and carry that seat's `notice` when it is another's; `leave` also the `seed`
    that a seat with a dealing secret gives; `takeback`,
    `draw` and `stop` carry one from every other seat. The schema of these bodies is settled here, since it
    is the same in every game.
    """
    if event.type in ("genesis", "move", FLAG, *DEALS):
        return []
    kind = notice_kind(event.type)
    fields = Fields(event.body, event.type)
    if kind in ("resign", "leave"):
        of = fields.number("of", 0, 3)
        sigs = {of: fields.hex("notice", 64)} if fields.has("notice") else {}
        seed = fields.hex("seed", 32) if kind == "leave" and fields.has("seed") else None
        to = None
    else:
        to, seed = fields.number("to") if kind == "takeback" else None, None
        given = Fields(fields.value("notices"), "notices")
        sigs = {seat: given.hex(str(seat), 64) for seat in range(4) if given.has(str(seat))}
        given.done()
    if fields.has("used"):  # where there is a clock; the rules say where that is
        fields.number("used", 0, MAX_USED)
    fields.done()
    return [
        Notice(game=event.game, head=head, seat=seat, kind=kind, to=to, seed=seed, sig=sig)
        for seat, sig in sorted(sigs.items())
    ]


# -- proofs


@dataclass(frozen=True, slots=True)
class ForkProof:
    """Two different valid signatures by one key for one (kind, game, seq).

    Says "this key signed twice", never "this person cheated": a restored backup can do it too. Either two
    events, or one event with two acknowledgements by `seat`.
    """

    seat: int
    seq: int
    lines: tuple[bytes, ...]
    acks: tuple[Ack, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "seat": self.seat,
            "seq": self.seq,
            "lines": [line.decode() for line in self.lines],
            "acks": [ack.as_json() for ack in self.acks],
        }


def prove_events(chain: Chain, one: Signed, other: Signed) -> ForkProof | None:
    """A proof if `one` and `other` are two events by one seat under one number of this game, else None."""
    a, b = one.event, other.event
    if one.line == other.line or (one.game, a.seq, a.seat) != (other.game, b.seq, b.seat):
        return None
    if one.game != chain.game or a.seat >= len(chain.offer.seats):
        return None
    key = chain.key(a.seat)
    if not (one.by(key) and other.by(key)):
        return None
    first, second = sorted((one.line, other.line))
    return ForkProof(a.seat, a.seq, (first, second))


def prove_acks(chain: Chain, signed: Signed, one: bytes, other: bytes, seat: int) -> ForkProof | None:
    """A proof if `seat` gave two different valid acknowledgements of the one event `signed`, else None."""
    author = signed.event.seat
    if one == other or max(seat, author) >= len(chain.offer.seats):
        return None
    # Acknowledgements count only of what its author signed: a line anybody could write is no event.
    if not signed.by(chain.key(author)):
        return None
    sha = sha256(signed.line)
    acks = tuple(Ack(chain.game, signed.event.seq, sha, seat, sig) for sig in sorted((one, other)))
    if not all(ack.by(chain.key(seat)) for ack in acks):
        return None
    return ForkProof(seat, signed.event.seq, (signed.line,), acks)


def read_proof(value: object, chain: Chain) -> ForkProof:
    """A proof from a peer or a file, checked from the ground up against this game. Raises `Untrusted`."""
    fields = Fields(value, "proof")
    seat = fields.number("seat", 0, 3)
    fields.number("seq")
    lines = [_line(item) for item in fields.array("lines", 2)]
    acks = [Ack.from_json(item) for item in fields.array("acks", 2)]
    fields.done()
    proof: ForkProof | None = None
    if len(lines) == 2 and not acks:
        proof = prove_events(chain, lines[0], lines[1])
    elif len(lines) == 1 and len(acks) == 2 and lines[0].game == chain.game:
        proof = prove_acks(chain, lines[0], acks[0].sig, acks[1].sig, seat)
    if proof is None or canonical.write(proof.as_json()) != canonical.write(dict(value)):  # type: ignore[call-overload]  # Fields proved it is a dict
        raise Untrusted("proof", "this does not prove that a key signed twice")
    return proof


def _line(value: object) -> Signed:
    if not isinstance(value, str):
        raise Untrusted("schema", "proof: a line must be text")
    return read_event(value.encode("utf-8", "surrogatepass"))
