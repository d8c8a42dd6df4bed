"""What gets written down: genesis, events, acknowledgements, notices and nacks, as values with one spelling.

A record line is an event `{"e":…,"h":…,"s":…}` or the acknowledgement (K) line that follows it,
`{"k":…,"sigs":…}`. Reading either raises only `Untrusted`. Everything here knows bytes and schemas;
whether a line fits a game is asked in `chain`, whether a move is legal in `fold`.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Self

from lantable import canonical
from lantable.canonical import Fields, Json
from lantable.clock import Clock
from lantable.dealing import Dealing
from lantable.dealing.kinds import EVENTS, read_dealing
from lantable.errors import Untrusted
from lantable.keys import (
    ACK,
    EVENT,
    EVENT_SIG,
    LINK,
    NACK,
    NOTICE,
    OFFER,
    SIG_BYTES,
    PrivateKey,
    PublicKey,
    sha256,
    verify,
)

PROTOCOL: Final = 1
LOG_VERSION: Final = 1
MAX_SEATS: Final = 4
MAX_POSITION: Final = 8192
"""Longest position that a game may go on from, in characters."""
MAX_NAME: Final = 64
"""Longest name a record may hold, in characters; the screen cuts sooner."""
MAX_EVENT_LINE: Final = 30_000
"""Bytes of one event line. A fork proof carries two of them and must fit into one 64 KiB frame."""
LAST_MOMENT: Final = 253_402_300_799_999
"""31 December 9999 in milliseconds. `t` is for people: range-checked, and nothing depends on it."""
NO_GAME: Final = bytes(16)
NO_LINK: Final = bytes(32)

NoticeKind = Literal["resign", "leave", "takeback", "draw", "stop"]
NOTICE_KINDS: Final[tuple[NoticeKind, ...]] = ("resign", "leave", "takeback", "draw", "stop")
FLAG: Final = "flag"
"""The author's own word that its time is over."""
EVENT_TYPES: Final = ("genesis", "move", FLAG, *NOTICE_KINDS, *EVENTS)


@dataclass(frozen=True, slots=True)
class Seat:
    """A chair at the table: whose key plays it, and the name as shown when the game began."""

    key: PublicKey
    name: str

    def as_json(self) -> Json:
        return {"key": self.key.hex, "name": self.name}

    @classmethod
    def from_json(cls, value: object) -> Self:
        fields = Fields(value, "seat")
        seat = cls(PublicKey(fields.hex("key", 32)), fields.text("name", MAX_NAME))
        fields.done()
        return seat


@dataclass(frozen=True, slots=True)
class Continued:
    """What a game goes on from: another game, as it stood after event `seq`, with only these of its seats, in order.

    The position is in the rules' own notation. That the other game came to it, only its own record can show.
    """

    game: bytes
    seq: int
    head: bytes
    position: str
    seats: tuple[int, ...]

    def as_json(self) -> Json:
        return {
            "game": self.game.hex(),
            "seq": self.seq,
            "h": self.head.hex(),
            "position": self.position,
            "seats": list(self.seats),
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Raises `Untrusted`."""
        fields = Fields(value, "from")
        seats = fields.array("seats", MAX_SEATS)
        if list(seats) != sorted({seat for seat in seats if isinstance(seat, int) and 0 <= seat < MAX_SEATS}):
            raise Untrusted("schema", "from: seats are numbers in ascending order")
        continued = cls(
            fields.hex("game", 16),
            fields.number("seq"),
            fields.hex("h", 32),
            fields.text("position", MAX_POSITION),
            tuple(map(int, seats)),
        )
        fields.done()
        return continued


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Everything the players agree to by acknowledging event 0: "I play under exactly these rules"."""

    game: str
    version: str
    digest: bytes
    options: dict[str, Any]
    house_rules: tuple[tuple[str, str], ...]
    seats: tuple[Seat, ...]
    nonce: bytes
    watch: bool = True
    dealing: Dealing | None = None
    """How chance comes into the game; None, and no field in the record, where there is none."""
    clock: Clock | None = None
    """How long each may think; None, and no field in the record, where there is no clock."""
    continues: Continued | None = None
    """What the game goes on from; None, and no field in the record, for one that begins at its beginning."""

    def __post_init__(self) -> None:
        if self.dealing is not None and self.dealing.alone and len(set(self.owners())) > 1:
            raise Untrusted("dealing", f"{self.dealing.name} is only for games in which one key plays every seat")

    def as_json(self) -> dict[str, Json]:
        offer: dict[str, Json] = {
            "protocol": PROTOCOL,
            "log": LOG_VERSION,
            "game": self.game,
            "version": self.version,
            "digest": self.digest.hex(),
            "options": self.options,
            "house_rules": [{"name": name, "version": version} for name, version in self.house_rules],
            "seats": [seat.as_json() for seat in self.seats],
            "nonce": self.nonce.hex(),
            "watch": self.watch,
        }
        if self.clock is not None:
            offer["clock"] = self.clock.as_json()
        if self.continues is not None:
            offer["from"] = self.continues.as_json()
        return offer if self.dealing is None else {**offer, "dealing": self.dealing.as_json()}

    @classmethod
    def from_json(cls, value: object) -> Self:
        fields = Fields(value, "offer")
        for name, known in (("protocol", PROTOCOL), ("log", LOG_VERSION)):
            if fields.number(name) != known:
                raise Untrusted("newer", f"the offer's {name} version is unknown: a newer lantable is needed")
        offer = cls(
            game=fields.text("game", 64),
            version=fields.text("version", 32),
            digest=fields.hex("digest", 32),
            options=fields.mapping("options"),
            house_rules=tuple(house_rule_from_json(item) for item in fields.array("house_rules", 16)),
            seats=tuple(Seat.from_json(item) for item in fields.array("seats", MAX_SEATS)),
            nonce=fields.hex("nonce", 32),
            watch=fields.flag("watch"),
            dealing=read_dealing(fields.value("dealing")) if fields.has("dealing") else None,
            clock=Clock.from_json(fields.value("clock")) if fields.has("clock") else None,
            continues=Continued.from_json(fields.value("from")) if fields.has("from") else None,
        )
        fields.done()
        if not offer.seats:
            raise Untrusted("schema", "offer: no seats")
        if offer.continues is not None and len(offer.continues.seats) != len(offer.seats):
            raise Untrusted("schema", "offer: a game that goes on has just the seats it names")
        return offer

    @property
    def hash(self) -> bytes:
        return sha256(OFFER, canonical.write(self.as_json()))

    def owners(self) -> tuple[int, ...]:
        """For each seat the lowest seat with the same key: seats that share a key act as one."""
        keys = [seat.key for seat in self.seats]
        return tuple(keys.index(key) for key in keys)


def house_rule_from_json(value: object) -> tuple[str, str]:
    """Name and version of a house rule. Raises `Untrusted`."""
    fields = Fields(value, "house rule")
    result = fields.text("name", 64), fields.text("version", 32)
    fields.done()
    return result


def genesis_body(offer: Offer, nonces: dict[int, bytes]) -> dict[str, Json]:
    """Body of event 0: the offer and each other key's fresh nonce, under its lowest seat."""
    return {"offer": offer.as_json(), "nonces": _by_seat(nonces)}


def read_genesis(body: object) -> tuple[Offer, dict[int, bytes]]:
    """The offer and nonces in the body of event 0. Raises `Untrusted`."""
    fields = Fields(body, "genesis")
    offer, nonces = Offer.from_json(fields.value("offer")), read_by_seat(fields.value("nonces"), 32)
    fields.done()
    return offer, nonces


def _by_seat(values: dict[int, bytes]) -> dict[str, Json]:
    return {str(seat): value.hex() for seat, value in values.items()}


def read_by_seat(value: object, size: int) -> dict[int, bytes]:
    """`{"0": "<hex>", …}` as seat -> bytes. Raises `Untrusted`."""
    if not canonical.is_object(value):
        raise Untrusted("schema", "signatures must be an object keyed by seat")
    result: dict[int, bytes] = {}
    for name, item in value.items():
        if name not in ("0", "1", "2", "3"):
            raise Untrusted("schema", "a signature is keyed by something that is no seat")
        result[int(name)] = canonical.from_hex(item, size, f"value of seat {name}")
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened, before it is signed. `t` is milliseconds since 1970, for people only."""

    game: bytes
    prev: bytes
    seat: int
    seq: int
    t: int
    type: str
    body: dict[str, Any]

    def as_json(self) -> dict[str, Json]:
        return {
            "body": self.body,
            "game": self.game.hex(),
            "prev": self.prev.hex(),
            "seat": self.seat,
            "seq": self.seq,
            "t": self.t,
            "type": self.type,
            "v": LOG_VERSION,
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        fields = Fields(value, "event")
        if fields.number("v") != LOG_VERSION:
            raise Untrusted("newer", "unknown event version: a newer lantable is needed")
        event = cls(
            game=fields.hex("game", 16),
            prev=fields.hex("prev", 32),
            seat=fields.number("seat", 0, MAX_SEATS - 1),
            seq=fields.number("seq"),
            t=fields.number("t", 0, LAST_MOMENT),
            type=fields.text("type", 32),
            body=fields.mapping("body"),
        )
        fields.done()
        return event


@dataclass(frozen=True, slots=True)
class Signed:
    """An event as it stands in a record: `line` is the exact bytes, without the newline."""

    event: Event
    h: bytes
    sig: bytes
    line: bytes

    def by(self, key: PublicKey) -> bool:
        """Whether `key` signed it."""
        return verify(key, EVENT_SIG, self.h, self.sig)

    @property
    def game(self) -> bytes:
        """The game it belongs to. Event 0 *makes* the game: its id is the first 16 bytes of its own hash."""
        return self.h[:16] if self.event.seq == 0 else self.event.game


def sign(event: Event, key: PrivateKey) -> Signed:
    """Sign an event and spell its line. Raises `Untrusted("too_long")` if no proof could carry it."""
    h = sha256(EVENT, canonical.write(event.as_json()))
    sig = key.sign(EVENT_SIG, h)
    line = canonical.write({"e": event.as_json(), "h": h.hex(), "s": sig.hex()})
    if len(line) > MAX_EVENT_LINE:
        raise Untrusted("too_long", f"an event of {len(line)} bytes, at most {MAX_EVENT_LINE} are allowed")
    return Signed(event, h, sig, line)


_BEFORE_E: Final = len('{"e":')
_AFTER_E: Final = len(',"h":"","s":""}') + 2 * 32 + 2 * SIG_BYTES


def read_event(line: bytes) -> Signed:
    """An event line taken apart and its hash checked. The signature needs a key: ask `Signed.by`.

    Raises `Untrusted`, with code `newer` for an event of a version or type that is not known here.
    """
    fields = Fields(canonical.read(line, MAX_EVENT_LINE), "event line")
    event = Event.from_json(fields.value("e"))
    h, sig = fields.hex("h", 32), fields.hex("s", 64)
    fields.done()
    # canonical.read proved that this is the one spelling, in which `h` and `s` follow `e` and have fixed lengths.
    if sha256(EVENT, line[_BEFORE_E:-_AFTER_E]) != h:
        raise Untrusted("hash", f"event {event.seq}: h is not the hash of e")
    # Only now: a type changed by someone else is no news of a newer lantable.
    if event.type not in EVENT_TYPES:
        raise Untrusted("newer", f"unknown event type {event.type!r}: a newer lantable is needed")
    return Signed(event, h, sig, line)


@dataclass(frozen=True, slots=True)
class Seal:
    """A K line: the acknowledgements of every other key for event `seq`, sorted by seat."""

    game: bytes
    head: bytes
    seq: int
    sigs: dict[int, bytes]
    line: bytes = field(default=b"", repr=False, compare=False)
    """The exact bytes, without the newline; spelt here unless `read_seal` has them already."""

    def __post_init__(self) -> None:
        if not self.line:
            k = {"game": self.game.hex(), "head": self.head.hex(), "seq": self.seq}
            object.__setattr__(self, "line", canonical.write({"k": k, "sigs": _by_seat(self.sigs)}))


def read_seal(line: bytes) -> Seal:
    """A K line taken apart; its signatures are checked by `chain`. Raises `Untrusted`."""
    fields = Fields(canonical.read(line), "K line")
    k = Fields(fields.value("k"), "K line")
    sigs = read_by_seat(fields.value("sigs"), 64)
    seal = Seal(k.hex("game", 16), k.hex("head", 32), k.number("seq"), sigs, line)
    k.done()
    fields.done()
    return seal


def is_seal(line: bytes) -> bool:
    """Which of the two kinds of line this is; keys are sorted, so the first one tells."""
    return line.startswith(b'{"k"')


def link(event_line: bytes, seal_line: bytes) -> bytes:
    """`prev` of the next event: covers the bytes of both lines, signatures included."""
    return sha256(LINK, event_line, b"\n", seal_line)


@dataclass(frozen=True, slots=True)
class Ack:
    """ "I hold this line, byte for byte, and play on from it." `sha` is SHA-256 of the event line."""

    game: bytes
    seq: int
    sha: bytes
    seat: int
    sig: bytes

    @staticmethod
    def message(game: bytes, seq: int, sha: bytes) -> bytes:
        return game + seq.to_bytes(8, "big") + sha

    @classmethod
    def make(cls, signed: Signed, seat: int, key: PrivateKey) -> Self:
        sha = sha256(signed.line)
        seq = signed.event.seq
        return cls(signed.game, seq, sha, seat, key.sign(ACK, cls.message(signed.game, seq, sha)))

    def by(self, key: PublicKey) -> bool:
        return verify(key, ACK, self.message(self.game, self.seq, self.sha), self.sig)

    def as_json(self) -> dict[str, Json]:
        return {
            "game": self.game.hex(),
            "seq": self.seq,
            "sha": self.sha.hex(),
            "seat": self.seat,
            "sig": self.sig.hex(),
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        fields = Fields(value, "ack")
        ack = cls(
            fields.hex("game", 16),
            fields.number("seq"),
            fields.hex("sha", 32),
            fields.number("seat", 0, MAX_SEATS - 1),
            fields.hex("sig", 64),
        )
        fields.done()
        return ack


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A signed wish, valid only in the very next event after `head`: resign, leave, takeback, draw or stop.

    `to` goes with a takeback; `seed` with leaving a game in which the seat has a dealing secret: it gives it.
    """

    game: bytes
    head: bytes
    seat: int
    kind: NoticeKind
    to: int | None = None
    seed: bytes | None = None
    sig: bytes = b""

    def _signed_part(self) -> dict[str, Json]:
        part: dict[str, Json] = {
            "game": self.game.hex(),
            "head": self.head.hex(),
            "seat": self.seat,
            "kind": self.kind,
        }
        if self.to is not None:
            part["to"] = self.to
        if self.seed is not None:
            part["seed"] = self.seed.hex()
        return part

    def signed(self, key: PrivateKey) -> "Notice":
        return replace(self, sig=key.sign(NOTICE, canonical.write(self._signed_part())))

    def by(self, key: PublicKey) -> bool:
        return verify(key, NOTICE, canonical.write(self._signed_part()), self.sig)

    def as_json(self) -> dict[str, Json]:
        return {**self._signed_part(), "sig": self.sig.hex()}

    @classmethod
    def from_json(cls, value: object) -> Self:
        fields = Fields(value, "notice")
        game, head, seat = (
            fields.hex("game", 16),
            fields.hex("head", 32),
            fields.number("seat", 0, MAX_SEATS - 1),
        )
        kind = notice_kind(fields.text("kind", 16))
        to = fields.number("to") if kind == "takeback" else None
        seed = fields.hex("seed", 32) if kind == "leave" and fields.has("seed") else None
        notice = cls(game=game, head=head, seat=seat, kind=kind, to=to, seed=seed, sig=fields.hex("sig", 64))
        fields.done()
        return notice


def notice_kind(text: str) -> NoticeKind:
    """`text` as a kind of notice, or `Untrusted`."""
    for kind in NOTICE_KINDS:
        if kind == text:
            return kind
    raise Untrusted("newer", f"unknown notice {text!r}: a newer lantable is needed")


@dataclass(frozen=True, slots=True)
class Nack:
    """A signed refusal of an author's event: it ends the game, and the audit judges the event by the rules."""

    game: bytes
    seq: int
    h: bytes
    code: str
    seat: int
    sig: bytes = b""

    def _signed_part(self) -> dict[str, Json]:
        return {
            "game": self.game.hex(),
            "seq": self.seq,
            "h": self.h.hex(),
            "code": self.code,
            "seat": self.seat,
        }

    def signed(self, key: PrivateKey) -> "Nack":
        sig = key.sign(NACK, canonical.write(self._signed_part()))
        return Nack(self.game, self.seq, self.h, self.code, self.seat, sig)

    def by(self, key: PublicKey) -> bool:
        return verify(key, NACK, canonical.write(self._signed_part()), self.sig)

    def as_json(self) -> dict[str, Json]:
        return {**self._signed_part(), "sig": self.sig.hex()}

    @classmethod
    def from_json(cls, value: object) -> Self:
        fields = Fields(value, "nack")
        nack = cls(
            fields.hex("game", 16),
            fields.number("seq"),
            fields.hex("h", 32),
            fields.text("code", 32),
            fields.number("seat", 0, MAX_SEATS - 1),
            fields.hex("sig", 64),
        )
        fields.done()
        return nack
