"""Every message two tables may exchange after the handshake, and who may send it when.

The table `WIRE` below is the protocol: docs/wire-format.md prints it, `read` refuses what it does not allow
by form, and the node asks `Row.sender` before it acts. `Row.when` is for people: a message at another time finds
nothing to act on. A `line` is a record line itself, raw,
without an envelope; everything else is canonical JSON with its kind under "m".
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from lantable import canonical
from lantable.canonical import Fields, Json
from lantable.clock import Clock
from lantable.dealing import Dealing
from lantable.dealing.kinds import read_dealing
from lantable.errors import Untrusted
from lantable.events import (
    MAX_SEATS,
    Ack,
    Nack,
    Notice,
    NoticeKind,
    Offer,
    Seal,
    Signed,
    house_rule_from_json,
    is_seal,
    notice_kind,
    read_event,
    read_seal,
)

MAX_TABLES: Final = 16
MAX_TEXT: Final = 200
MAX_CHAT: Final = 300
"""Characters of one chat message."""
MAX_ADDRESSES: Final = 16
NOTHING: Final = -1
"""`Head.seq` of somebody who holds no line of the game."""

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class TableInfo:
    """An open table as its host announces it. `taken` names who sits there already."""

    name: str
    game: str
    version: str
    options: dict[str, Any]
    house_rules: tuple[tuple[str, str], ...]
    """Names and versions, in order."""
    seats: int
    taken: tuple[str, ...]
    clock: Clock | None = None
    dealing: Dealing | None = None

    def as_json(self) -> Json:
        clock: dict[str, Json] = {} if self.clock is None else {"clock": self.clock.as_json()}
        dealing: dict[str, Json] = {} if self.dealing is None else {"dealing": self.dealing.as_json()}
        return (
            clock
            | dealing
            | {
                "name": self.name,
                "game": self.game,
                "version": self.version,
                "options": self.options,
                "house_rules": [{"name": name, "version": version} for name, version in self.house_rules],
                "seats": self.seats,
                "taken": list(self.taken),
            }
        )

    @classmethod
    def from_json(cls, value: object) -> "TableInfo":
        fields = Fields(value, "table")
        info = cls(
            fields.text("name", 64),
            fields.text("game", 64),
            fields.text("version", 32),
            fields.mapping("options"),
            tuple(house_rule_from_json(item) for item in fields.array("house_rules", 16)),
            fields.number("seats", 1, 4),
            _texts(fields, "taken", 4),
            Clock.from_json(fields.value("clock")) if fields.has("clock") else None,
            read_dealing(fields.value("dealing")) if fields.has("dealing") else None,
        )
        fields.done()
        return info


@dataclass(frozen=True, slots=True)
class Tables:
    """The open tables I host, whole; sent on connecting and whenever it changes. Also says where I listen."""

    tables: tuple[TableInfo, ...]
    port: int


@dataclass(frozen=True, slots=True)
class Join:
    """I would like to sit down at your table."""

    table: str


@dataclass(frozen=True, slots=True)
class Watch:
    """I would like to see this table's game (by name) without playing."""

    table: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """The seats are filled: these are exactly the rules. Addresses are hints where each seat may be dialled."""

    table: str
    offer: Offer
    addresses: dict[int, tuple[Address, ...]]


@dataclass(frozen=True, slots=True)
class Accept:
    """I will play under the offer with this hash; my fresh nonce for its event 0."""

    offer: bytes
    nonce: bytes


@dataclass(frozen=True, slots=True)
class Decline:
    """No to a join (table name), an offer (hash) or an event 0 (game id), and why, in plain words."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Head:
    """Where my copy of a game ends: the last event, whether its K line is there, whose acks I hold for it."""

    game: bytes
    seq: int
    h: bytes
    sealed: bool
    acks: frozenset[int] = frozenset()
    file: bytes | None = None
    """SHA-256 of the whole file once the game is complete."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The offer of this kind that `seat` made is not open any more: I made it and withdraw it, or I decline it."""

    game: bytes
    seat: int
    kind: NoticeKind


@dataclass(frozen=True, slots=True)
class Rematch:
    """I would play the same again, with the seats moved on by one, so that the next one begins.

    With `seats` and `head`: I would go on from that event of an unfinished game, with only these of its seats.
    """

    game: bytes
    seats: tuple[int, ...] = ()
    head: bytes | None = None


@dataclass(frozen=True, slots=True)
class Chat:
    """Words for people: for the seats of a game, or for whoever is connected. Never in a record."""

    text: str
    game: bytes | None = None


@dataclass(frozen=True, slots=True)
class Away:
    """Whether the person here is away from the keyboard."""

    away: bool


@dataclass(frozen=True, slots=True)
class Proof:
    """A fork proof, to be checked against the game it names."""

    game: bytes
    proof: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Beat:
    """I am alive."""


@dataclass(frozen=True, slots=True)
class Bye:
    """I close this connection on purpose, and why, in plain words."""

    reason: str


Message = (
    Signed | Seal  # a `line` frame: the record line itself
    | Tables | Join | Watch | Proposal | Accept | Decline | Ack | Head | Notice | Drop | Nack | Proof | Rematch
    | Chat | Away | Beat | Bye
)  # fmt: skip


class Sender(Enum):
    """Who may send a message. For game messages this is asked of the game it names."""

    ANYONE = "any authenticated peer"
    HOST = "the host of the table"
    GUEST = "somebody who joined the table"
    SEAT = "a seat of the game"
    READER = "a seat, or somebody watching"


class When(Enum):
    """In which state of the connection or game a message is meaningful; at other times it is ignored."""

    ALWAYS = "any time after the handshake"
    OPEN = "while the table is open"
    FILLED = "after the last seat is taken, before event 0"
    PLAYING = "once event 0 exists"


@dataclass(frozen=True, slots=True)
class Row:
    """One message of the protocol: its class, sender, time, purpose, and its two spellings."""

    kind: type[Any]
    sender: Sender
    when: When
    purpose: str
    write: Callable[[Any], dict[str, Json]]
    read: Callable[[Fields], Message]


def _texts(fields: Fields, name: str, longest: int) -> tuple[str, ...]:
    items = fields.array(name, longest)
    if not all(isinstance(item, str) and len(item) <= 64 for item in items):
        raise Untrusted("schema", f"{name} must be short texts")
    return tuple(items)


def _write_addresses(addresses: dict[int, tuple[Address, ...]]) -> Json:
    return {str(seat): [[host, port] for host, port in known] for seat, known in addresses.items()}


def _read_addresses(value: dict[str, Any]) -> dict[int, tuple[Address, ...]]:
    fields = Fields(value, "addresses")
    result: dict[int, tuple[Address, ...]] = {}
    for seat in range(4):
        if fields.has(str(seat)):
            result[seat] = read_addresses(fields.array(str(seat), MAX_ADDRESSES))
    fields.done()
    return result


def read_addresses(value: object) -> tuple[Address, ...]:
    """`[[host, port], ...]`. Raises `Untrusted`."""
    if not canonical.is_array(value):
        raise Untrusted("schema", "addresses are a list")
    return tuple(_read_address(item) for item in value)


def _read_address(item: object) -> Address:
    match item:
        case [str(host), int(port)] if (
            len(host) <= 64 and type(port) is int and 0 < port < 65536 and host.isprintable()
        ):
            return host, port
        case _:
            raise Untrusted("schema", "an address is [host, port]")


def _read_seats(fields: Fields, name: str) -> frozenset[int]:
    seats = fields.array(name, 4)
    if seats != sorted(set(seats)) or not all(type(seat) is int and 0 <= seat < 4 for seat in seats):
        raise Untrusted("schema", f"{name} must be seats in order")
    return frozenset(seats)


def _read_head(fields: Fields) -> Head:
    return Head(
        fields.hex("game", 16),
        fields.number("seq", NOTHING),
        fields.hex("h", 32),
        fields.flag("sealed"),
        _read_seats(fields, "acks"),
        fields.hex("file", 32) if fields.has("file") else None,
    )


def _write_head(head: Head) -> dict[str, Json]:
    value: dict[str, Json] = {
        "game": head.game.hex(),
        "seq": head.seq,
        "h": head.h.hex(),
        "sealed": head.sealed,
        "acks": sorted(head.acks),
    }
    if head.file is not None:
        value["file"] = head.file.hex()
    return value


def _write_rematch(message: Rematch) -> dict[str, Json]:
    value: dict[str, Json] = {"game": message.game.hex()}
    if message.head is not None:
        value |= {"head": message.head.hex(), "seats": [*message.seats]}
    return value


def _read_rematch(fields: Fields) -> Rematch:
    if not fields.has("head"):
        return Rematch(fields.hex("game", 16))
    seats = fields.array("seats", MAX_SEATS)
    if list(seats) != sorted({seat for seat in seats if isinstance(seat, int) and 0 <= seat < MAX_SEATS}):
        raise Untrusted("schema", "rematch: seats are numbers in ascending order")
    return Rematch(fields.hex("game", 16), tuple(map(int, seats)), fields.hex("head", 32))


WIRE: Final[dict[str, Row]] = {
    "tables": Row(
        Tables, Sender.ANYONE, When.ALWAYS, "the open tables I host, and the port I listen on",
        lambda m: {"tables": [info.as_json() for info in m.tables], "port": m.port},
        lambda f: Tables(
            tuple(TableInfo.from_json(item) for item in f.array("tables", MAX_TABLES)), f.number("port", 0, 65535)
        ),
    ),
    "join": Row(
        Join, Sender.ANYONE, When.OPEN, "ask for a seat at an open table",
        lambda m: {"table": m.table},
        lambda f: Join(f.text("table", 64)),
    ),
    "watch": Row(
        Watch, Sender.ANYONE, When.ALWAYS, "ask to see a table's game",
        lambda m: {"table": m.table},
        lambda f: Watch(f.text("table", 64)),
    ),
    "offer": Row(
        Proposal, Sender.HOST, When.FILLED, "exactly these rules and seats; where each seat may be dialled",
        lambda m: {"table": m.table, "offer": m.offer.as_json(), "addresses": _write_addresses(m.addresses)},
        lambda f: Proposal(
            f.text("table", 64), Offer.from_json(f.value("offer")), _read_addresses(f.mapping("addresses"))
        ),
    ),
    "accept": Row(
        Accept, Sender.GUEST, When.FILLED, "hash of the offer and a fresh nonce that serves one event 0",
        lambda m: {"offer": m.offer.hex(), "nonce": m.nonce.hex()},
        lambda f: Accept(f.hex("offer", 32), f.hex("nonce", 32)),
    ),
    "decline": Row(
        Decline, Sender.ANYONE, When.ALWAYS, "no to a join, an offer or an event 0, with the reason",
        lambda m: {"what": m.what, "reason": m.reason},
        lambda f: Decline(f.text("what", 64), f.text("reason", MAX_TEXT)),
    ),
    "ack": Row(
        Ack, Sender.READER, When.PLAYING, "a seat's signature over the last event line; anyone may pass it on",
        lambda m: m.as_json(), lambda f: Ack.from_json(f.rest()),
    ),
    "head": Row(
        Head, Sender.READER, When.PLAYING, "where my copy ends; on connecting and in every heartbeat",
        _write_head, _read_head,
    ),
    "notice": Row(
        Notice, Sender.SEAT, When.PLAYING, "a signed wish: resign, leave, takeback, draw or stop",
        lambda m: m.as_json(), lambda f: Notice.from_json(f.rest()),
    ),
    "drop": Row(
        Drop, Sender.SEAT, When.PLAYING, "an offer is withdrawn by its own seat, or declined by another",
        lambda m: {"game": m.game.hex(), "seat": m.seat, "kind": m.kind},
        lambda f: Drop(f.hex("game", 16), f.number("seat", 0, MAX_SEATS - 1), notice_kind(f.text("kind", 16))),
    ),
    "nack": Row(
        Nack, Sender.SEAT, When.PLAYING, "a signed refusal of an event; it ends the game",
        lambda m: m.as_json(), lambda f: Nack.from_json(f.rest()),
    ),
    "proof": Row(
        Proof, Sender.READER, When.PLAYING, "a key signed twice; it ends the game",
        lambda m: {"game": m.game.hex(), "proof": m.proof},
        lambda f: Proof(f.hex("game", 16), f.mapping("proof")),
    ),
    "rematch": Row(
        Rematch, Sender.SEAT, When.PLAYING,
        "the same again with the seats moved on; or, with head and seats, going on from there with only these seats",
        _write_rematch, _read_rematch,
    ),
    "chat": Row(
        Chat, Sender.ANYONE, When.ALWAYS, "words for people; with a game, from one of its seats to the others",
        lambda m: {"text": m.text} if m.game is None else {"game": m.game.hex(), "text": m.text},
        lambda f: Chat(f.text("text", MAX_CHAT), f.hex("game", 16) if f.has("game") else None),
    ),
    "away": Row(
        Away, Sender.ANYONE, When.ALWAYS, "whether the person here is away from the keyboard",
        lambda m: {"away": m.away}, lambda f: Away(f.flag("away")),
    ),
    "beat": Row(Beat, Sender.ANYONE, When.ALWAYS, "I am alive; once a second", lambda _: {}, lambda _: Beat()),
    "bye": Row(
        Bye, Sender.ANYONE, When.ALWAYS, "I close this connection on purpose",
        lambda m: {"reason": m.reason}, lambda f: Bye(f.text("reason", MAX_TEXT)),
    ),
}  # fmt: skip
LINE_ROW: Final = (Sender.READER, When.PLAYING, "a record line, an event or a K line, raw and without envelope")
_KIND: Final = {row.kind: name for name, row in WIRE.items()}


def sender_of(message: Message) -> Sender:
    """Who may send a message like this one."""
    return LINE_ROW[0] if isinstance(message, Signed | Seal) else WIRE[_KIND[type(message)]].sender


def write(message: Message) -> bytes:
    """A message as the payload of one frame."""
    if isinstance(message, Signed | Seal):
        return message.line
    kind = _KIND[type(message)]
    return canonical.write({"m": kind, **WIRE[kind].write(message)})


def read(payload: bytes) -> Message:
    """The message in a frame from an authenticated peer. Raises `Untrusted`."""
    if payload.startswith((b'{"e"', b'{"k"')):
        return read_seal(payload) if is_seal(payload) else read_event(payload)
    fields = Fields(canonical.read(payload, limit=65_536), "message")
    kind = fields.text("m", 32)
    if kind not in WIRE:
        raise Untrusted("message", f"there is no message {kind!r}")
    message = WIRE[kind].read(fields)
    fields.done()
    return message


def game_of(message: Message) -> bytes | None:
    """The game a message belongs to, or None if it is about tables or the connection."""
    return getattr(message, "game", None)
