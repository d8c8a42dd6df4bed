"""Who else may be on this network: a list of hints, and nothing more than hints.

Whatever is heard here was said by anybody. A hint names addresses worth dialling and the key to expect there;
who is really there is settled by the handshake. So strangers can waste a line of the list and no more: texts
are short, the list has an end, and what cannot be read is left out.

This module is what the rest of the program knows of discovery: values, the list itself, the interface, and
a network for tests. `mdns` implements it with multicast DNS.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Protocol

import trio

from lantable.errors import Untrusted
from lantable.events import MAX_NAME
from lantable.keys import KEY_BYTES, PublicKey
from lantable_net.channel import Address

TXT_VERSION: Final = b"1"
MAX_TXT: Final = 400
"""Bytes of TXT data that are looked at; ours have at most 350."""
NAME_BYTES: Final = 96
STATUS_BYTES: Final = 160
LABEL_BYTES: Final = 40
CHECKUP: Final = "checkup"
"""Status of a program that only tries the network: to be dialled, and no person to be shown."""
MAX_HINTS: Final = 64
"""Instances listed at once, and again as many waiting for a place or for an answer."""
MAX_ADDRESSES: Final = 16


@dataclass(frozen=True, slots=True)
class Hint:
    """What an instance says of itself; all of it may be lies.

    `key` is None if it gave none. `status` is short text such as `open oak-7 dots-and-boxes`. `run` differs
    each time the program is started: a change means that it is worth dialling again. Texts are raw.
    """

    instance: str
    addresses: tuple[Address, ...]
    key: PublicKey | None
    name: str
    status: str = ""
    run: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """An instance that was not listed before."""

    hint: Hint


@dataclass(frozen=True, slots=True)
class Changed:
    """A listed instance says something else than before: other addresses, status, name, run."""

    hint: Hint


@dataclass(frozen=True, slots=True)
class Lost:
    """An instance said goodbye or was not heard of for long. One that was killed stays listed for many minutes."""

    instance: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why people may be missing from the list, in plain words; empty when all is well again."""

    text: str


Event = Found | Changed | Lost | Trouble


class Discovery(Protocol):
    """Announces us and lists others. `run` once, read `events` meanwhile."""

    @property
    def events(self) -> trio.MemoryReceiveChannel[Event]:
        """What happens on the network. Never full: the list has an end."""
        ...

    async def run(self, port: int) -> None:
        """Announce that we listen on `port`, and listen for others, until cancelled. Raises nothing else."""
        ...

    def update_status(self, text: str) -> None:
        """Say something else about ourselves, now or, before `run`, from the start. Long texts are cut."""
        ...

    def weigh(self, standing: "Callable[[PublicKey | None], Standing]") -> None:
        """From now on, ask this who stays when the list is full."""
        ...


# -- names and texts


def instance_name(name: str, key: PublicKey) -> str:
    """Our name on the network: letters and digits of `name` and the beginning of the key.

    The key makes it unique. Without it, two equal names that start together are never told apart by
    multicast DNS, whose probing has been seen to fail at it.
    """
    letters = "".join(char if char.isalnum() else "-" for char in unicodedata.normalize("NFC", name).lower())
    return f"{_clipped(letters, LABEL_BYTES).strip('-') or 'player'}-{key.hex[:8]}"


def is_instance_name(text: str) -> bool:
    """Whether `instance_name` may have made it: one DNS label of letters, digits and hyphens."""
    return 0 < len(text.encode()) <= 63 and all(char.isalnum() or char == "-" for char in text)


def _clipped(text: str, longest: int) -> str:
    """At most `longest` bytes of UTF-8, whole characters only."""
    return text.encode()[:longest].decode("utf-8", "ignore")


def write_txt(key: PublicKey, name: str, status: str, run: str) -> bytes:
    """TXT data (RFC 6763 §6) of at most `MAX_TXT` bytes: v, id, n, s, r. Long texts are cut."""
    fields = (
        b"v=" + TXT_VERSION,
        b"id=" + key.hex.encode(),
        b"n=" + _clipped(name, NAME_BYTES).encode(),
        b"s=" + _clipped(status, STATUS_BYTES).encode(),
        b"r=" + run.encode(),
    )
    return b"".join(bytes([len(field)]) + field for field in fields)


def read_hint(instance: str, addresses: Iterable[Address], txt: bytes) -> Hint:
    """A hint from what strangers announced. Raises `Untrusted("txt")` or `Untrusted("key")`."""
    fields = _read_txt(txt)
    given = fields.get(b"id")
    return Hint(
        instance=instance,
        addresses=tuple(addresses)[:MAX_ADDRESSES],
        key=None if given is None else _read_key(given),
        name=_read_text(fields.get(b"n", instance.encode()), MAX_NAME),
        status=_read_text(fields.get(b"s", b""), STATUS_BYTES),
        run=_read_text(fields.get(b"r", b""), 16),
    )


def _read_txt(txt: bytes) -> dict[bytes, bytes]:
    if len(txt) > MAX_TXT:
        raise Untrusted("txt", f"{len(txt)} bytes, at most {MAX_TXT} are looked at")
    fields: dict[bytes, bytes] = {}
    at = 0
    while at < len(txt):
        end = at + 1 + txt[at]
        if end > len(txt):
            raise Untrusted("txt", "a field ends after the data")
        name, _, value = txt[at + 1 : end].partition(b"=")
        # RFC 6763 §6.4: of fields with one name, all but the first are ignored.
        fields.setdefault(name, value)
        at = end
    return fields


def _read_key(value: bytes) -> PublicKey:
    try:
        raw = bytes.fromhex(value.decode("ascii"))
    except ValueError:
        raise Untrusted("key", "not hexadecimal") from None
    if len(value) != 2 * KEY_BYTES:
        raise Untrusted("key", "not the length of a key")
    return PublicKey(raw)


def _read_text(value: bytes, longest: int) -> str:
    try:
        text = value.decode("utf-8", "strict")
    except UnicodeDecodeError:
        raise Untrusted("txt", "a text is not UTF-8") from None
    if len(text) > longest:
        raise Untrusted("txt", f"a text of {len(text)} characters, at most {longest} are allowed")
    return text


# -- the list


class Standing(IntEnum):
    """How much is known of a listed key. Whoever stands lower makes room for whoever stands higher."""

    SILENT = 0
    """Dialled, and nobody proved it."""
    STRANGE = 1
    """Nothing is known yet."""
    KNOWN = 2
    """Met before, and so in the trust store as seen or compared."""
    PROVED = 3
    """Connected now: it was proved."""


def nobody_known(_key: PublicKey | None) -> Standing:
    """The standing of everybody for who knows nobody."""
    return Standing.STRANGE


class Roster:
    """Which instances are listed, and which wait: for an answer to who they are, or for a place in the list.

    Each has at most `MAX_HINTS` entries, so a flood of made-up names costs nothing more. A full list is shared out:
    whoever comes takes the place of somebody who stands lower, or of one of a larger crowd at one address. Among
    strangers of whom nothing else is known the newer half takes turns, and the older half stays: neither early nor
    late ones are shut out. Names are free, and so are addresses that are only claimed, but nobody can prove a key
    without being there: a crowd that does not answer gives way within one dial. Of several instances with one key
    only the latest counts for it.

    The newest waits the shortest: a crowd of names that never answer must not delay it.
    """

    def __init__(self, own: str) -> None:
        self.standing: Callable[[PublicKey | None], Standing] = nobody_known
        self._own = own
        self._listed: dict[str, Hint] = {}
        self._told: dict[str, Hint] = {}
        self._waiting: dict[str, None] = {}
        self._left_out: dict[str, None] = {}
        self._asked: set[str] = set()

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What is listed, in order of arrival."""
        return tuple(self._listed.values())

    def news(self) -> list[Event]:
        """How the list differs from when this was last asked."""
        events: list[Event] = [Lost(instance) for instance in self._told if instance not in self._listed]
        for instance, hint in self._listed.items():
            before = self._told.get(instance)
            if before != hint:
                events.append(Found(hint) if before is None else Changed(hint))
        self._told = dict(self._listed)
        return events

    def wait(self, instance: str) -> None:
        """An instance was heard of about which too little is known. Beyond the limit the oldest is dropped."""
        if instance != self._own:
            _queue(self._waiting, instance)

    def ask(self) -> str | None:
        """The instance to ask about next, or None. `answered` must follow."""
        instance = next(reversed(self._waiting), None)
        if instance is not None:
            del self._waiting[instance]
            self._asked.add(instance)
        return instance

    def reconsider(self) -> None:
        """Ask about those without a place once more, if there may be one by now. To be called now and then."""
        if len(self._listed) < MAX_HINTS or any(self._rank(hint) is Standing.SILENT for hint in self.hints):
            left_out, self._left_out = self._left_out, {}
            for instance in left_out:
                self.wait(instance)

    def answered(self, instance: str, hint: Hint | None) -> None:
        """What the question brought; nothing counts if the instance was lost meanwhile."""
        if instance in self._asked:
            self._asked.discard(instance)
            if hint is not None:
                self.know(hint)

    def know(self, hint: Hint) -> None:
        """All is known of an instance. Without a place it is left out, for now. O(list)."""
        if hint.instance == self._own:
            return
        for queue in (self._waiting, self._left_out):
            queue.pop(hint.instance, None)
        if hint.instance not in self._listed and len(self._listed) >= MAX_HINTS:
            leaves = self._makes_room_for(hint)
            if leaves is None:
                _queue(self._left_out, hint.instance)
                return
            del self._listed[leaves]
            _queue(self._left_out, leaves)
        self._listed[hint.instance] = hint

    def lose(self, instance: str) -> None:
        """An instance is gone."""
        for queue in (self._waiting, self._left_out, self._listed):
            queue.pop(instance, None)
        self._asked.discard(instance)

    def _rank(self, hint: Hint) -> Standing:
        return Standing.SILENT if hint.key is None else self.standing(hint.key)

    def _makes_room_for(self, comer: Hint) -> str | None:
        """Who leaves the list for somebody new, or None if nobody has to."""
        latest = {hint.key: hint.instance for hint in (*self.hints, comer)}
        crowd = Counter(map(_place, self.hints))

        def rank(hint: Hint) -> Standing:
            return self._rank(hint) if latest[hint.key] == hint.instance else Standing.SILENT

        lowest = min(self.hints, key=lambda hint: (rank(hint), -crowd[_place(hint)]))
        theirs, ours = rank(lowest), rank(comer)
        if theirs != ours:
            return lowest.instance if theirs < ours else None
        many, few = crowd[_place(lowest)], crowd[_place(comer)] + 1
        if many > few:
            return lowest.instance
        # Nobody is sent away by an equal who was met: they would take turns for ever.
        turns = few == 1 and ours is Standing.STRANGE
        newer = (hint.instance for hint in self.hints[MAX_HINTS // 2 :] if rank(hint) is Standing.STRANGE)
        return next(newer, None) if turns else None


def _queue(queue: dict[str, None], instance: str) -> None:
    """Put it last, and drop the first if there are too many."""
    queue.pop(instance, None)
    queue[instance] = None
    if len(queue) > MAX_HINTS:
        del queue[next(iter(queue))]


def _place(hint: Hint) -> str:
    """Where it says it is: a crowd that claims one address counts as one."""
    return hint.addresses[0][0] if hint.addresses else ""


# -- a network for tests


class FakeLan:
    """A network inside one test: whoever runs a `discovery` of it hears of all others at once."""

    def __init__(self) -> None:
        self._said: dict[str, Hint] = {}
        self._there: list[FakeDiscovery] = []

    def discovery(self, key: PublicKey, name: str, host: str = "127.0.0.1", *, goodbye: bool = True) -> "FakeDiscovery":
        """One machine's discovery. Without `goodbye` it ends as if killed: the others keep it listed."""
        return FakeDiscovery(self, key, name, host, goodbye=goodbye)

    def announce(self, hint: Hint) -> None:
        """Say something on the network; anybody may say anything."""
        self._said[hint.instance] = hint
        for one in self._there:
            one.hear(hint)

    def withdraw(self, instance: str) -> None:
        """What a goodbye does."""
        self._said.pop(instance, None)
        for one in self._there:
            one.miss(instance)

    def enter(self, one: "FakeDiscovery") -> None:
        self._there.append(one)
        for hint in self._said.values():
            one.hear(hint)

    def leave(self, one: "FakeDiscovery") -> None:
        self._there.remove(one)


class FakeDiscovery:
    """Implements `Discovery` on a `FakeLan`."""

    def __init__(self, lan: FakeLan, key: PublicKey, name: str, host: str, *, goodbye: bool) -> None:
        self._out, self.events = trio.open_memory_channel[Event](math.inf)
        self._lan = lan
        self._host = host
        self._goodbye = goodbye
        self._me = Hint(instance_name(name, key), (), key, name)
        self._roster = Roster(self._me.instance)

    async def run(self, port: int) -> None:
        self._me = replace(self._me, addresses=((self._host, port),))
        self._lan.enter(self)
        self._lan.announce(self._me)
        try:
            await trio.sleep_forever()
        finally:
            self._lan.leave(self)
            if self._goodbye:
                self._lan.withdraw(self._me.instance)

    def update_status(self, text: str) -> None:
        self._me = replace(self._me, status=text)
        if self._me.addresses:
            self._lan.announce(self._me)

    def weigh(self, standing: Callable[[PublicKey | None], Standing]) -> None:
        self._roster.standing = standing

    def hear(self, hint: Hint) -> None:
        """Take what somebody announced."""
        self._roster.know(hint)
        self._tell()

    def miss(self, instance: str) -> None:
        """Take somebody's goodbye."""
        self._roster.lose(instance)
        self._tell()

    def _tell(self) -> None:
        for event in self._roster.news():
            self._out.send_nowait(event)


class SilentDiscovery:
    """Announces nothing and lists nobody, for networks where one types addresses."""

    def __init__(self) -> None:
        self._tell, self.events = trio.open_memory_channel[Event](0)

    async def run(self, port: int) -> None:
        del port
        await trio.sleep_forever()

    def update_status(self, text: str) -> None:
        del text

    def weigh(self, standing: Callable[[PublicKey | None], Standing]) -> None:
        del standing
