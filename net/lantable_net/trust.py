"""Whom we have met: which key showed which name, and how far it is trusted. A value; no clock, no file.

Identity is the key and only the key. Names are what people type, so they unlock nothing here: first contact
is trust on first use, beside four words that both can compare, and a known name with another key is refused
until the person says so. What happens to a key is the table `_NEXT`, and nothing else.

Names are equal here if they look equal on the screen: made safe, then NFC and case-folded.
"""

import unicodedata
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Self

from lantable import canonical
from lantable.canonical import Fields
from lantable.errors import Misuse, Untrusted
from lantable.events import LAST_MOMENT, MAX_NAME
from lantable.keys import KEY_BYTES, PublicKey
from lantable.text import safe_name
from lantable.wording import msg

MAX_PEOPLE: Final = 1000
"""Keys remembered. When full, a stranger takes the place of the `new` one met longest ago, and of nobody else:
nobody may be pushed out by a crowd of made-up keys once met again, compared, blocked or renamed."""
MAX_FILE: Final = 2 << 20
"""Bytes of a stored trust store; `MAX_PEOPLE` with the longest names need less."""
STORE_VERSION: Final = 1


class State(Enum):
    """How far a key is trusted."""

    NEW = "new"
    SEEN = "seen"
    COMPARED = "compared"
    BLOCKED = "blocked"


class Act(Enum):
    """What can happen to a key: it is met again, or the person at this keyboard decides. The value is its column."""

    MEET = 0
    TRUST = 1
    COMPARE = 2
    BLOCK = 3


_NEXT: Final[dict[State | None, tuple[State, State, State, State]]] = {
    # known as: met again, trust, compare, block
    None: (State.NEW, State.SEEN, State.COMPARED, State.BLOCKED),
    State.NEW: (State.SEEN, State.SEEN, State.COMPARED, State.BLOCKED),
    State.SEEN: (State.SEEN, State.SEEN, State.COMPARED, State.BLOCKED),
    State.COMPARED: (State.COMPARED, State.COMPARED, State.COMPARED, State.BLOCKED),
    # Words that match do not undo a block; only saying so does.
    State.BLOCKED: (State.BLOCKED, State.SEEN, State.BLOCKED, State.BLOCKED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A key we have met. `name` as it was last shown to us, raw; `petname` is our own alias and comes first.

    `first` and `last` are milliseconds since 1970; `times` counts meetings.
    """

    key: PublicKey
    name: str
    petname: str | None = None
    state: State
    first: int
    last: int
    times: int

    def __post_init__(self) -> None:
        if max(len(self.name), len(self.petname or "")) > MAX_NAME:
            raise Misuse(msg("a name or alias has at most {max_name} characters", max_name=MAX_NAME))

    @property
    def called(self) -> str:
        """What to call them on the screen: our alias, else their name, made safe."""
        return safe_name(self.petname or self.name)

    def as_json(self) -> dict[str, Any]:
        return {
            "key": self.key.hex,
            "name": self.name,
            "petname": self.petname,
            "state": self.state.value,
            "first": self.first,
            "last": self.last,
            "times": self.times,
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        fields = Fields(value, "person")
        person = cls(
            key=PublicKey(fields.hex("key", KEY_BYTES)),
            name=fields.text("name", MAX_NAME),
            petname=_optional_name(fields.value("petname")),
            state=_state(fields.text("state", 16)),
            first=fields.number("first", 0, LAST_MOMENT),
            last=fields.number("last", 0, LAST_MOMENT),
            times=fields.number("times"),
        )
        fields.done()
        return person


def _optional_name(value: object) -> str | None:
    if value is None or (isinstance(value, str) and len(value) <= MAX_NAME):
        return value
    raise Untrusted("schema", "person: petname must be a short text or null")


def _state(text: str) -> State:
    try:
        return State(text)
    except ValueError:
        raise Untrusted("schema", f"person: unknown state {text!r}") from None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the store says when a key has shown a name.

    `changed` lists the people known by that name under other keys; while it is not empty the newcomer is
    refused until `trust` is called for `key`, and both keys should be shown. `state` is what stands in the
    store, None if the key is not in it.
    """

    key: PublicKey
    name: str
    state: State | None
    changed: tuple[Person, ...] = ()

    @property
    def word(self) -> str:
        """new, seen, compared, blocked or changed."""
        if self.state is State.BLOCKED:
            return "blocked"
        return "changed" if self.changed else (self.state or State.NEW).value

    @property
    def welcome(self) -> bool:
        """Whether to go on without asking the person."""
        return self.word not in ("blocked", "changed")


def same_name(one: str, other: str) -> bool:
    """Whether two names look alike but for case."""
    return _folded(one) == _folded(other)


@lru_cache(4 * MAX_PEOPLE)
def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", safe_name(name).casefold())


# -- names that deceive

_TOGETHER: Final = (
    frozenset({"Latin", "Cjk", "Hiragana", "Katakana"}),
    frozenset({"Latin", "Cjk", "Hangul"}),
    frozenset({"Latin", "Cjk", "Bopomofo"}),
)
"""Alphabets that honest names mix (UTS 39 §5.2, "highly restrictive")."""


def mixed_scripts(name: str) -> tuple[str, ...]:
    """The alphabets of a name if no honest name mixes them, such as `("Cyrillic", "Latin")`; else nothing."""
    letters = [char for char in unicodedata.normalize("NFKC", safe_name(name)) if char.isalpha()]
    scripts = {unicodedata.name(char, "?").split()[0].capitalize() for char in letters if _has_script(char)}
    honest = len(scripts) < 2 or any(scripts <= together for together in _TOGETHER)
    return () if honest else tuple(sorted(scripts))


def _has_script(char: str) -> bool:
    return unicodedata.category(char) in ("Lu", "Ll", "Lt", "Lo")


_ALIKE: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u043a\u043c\u0442\u0432\u043d"
    "\u03b1\u03bf\u03bd\u03c1\u03c4\u03c5\u03ba\u03b9\u03b5\u03b7\u03c7\u03b2\u03bc\u03b6"
    "\u0131i01|!",
    "aeopcyxljshdqwkmtbhaovptuklehxbmzllolll",
)
"""Small letters of Cyrillic and Greek, and what else is taken for a Latin letter in either case: a selection of
Unicode's confusables (UTS 39)."""


@lru_cache(4 * MAX_PEOPLE)
def _skeleton(name: str) -> str:
    return unicodedata.normalize("NFKC", _folded(name)).translate(_ALIKE)


def looks_like(one: str, other: str) -> bool:
    """Whether two names are easily taken for each other; equal ones are."""
    return _skeleton(one) == _skeleton(other)


class TrustStore:
    """The people we have met, by key. Each method is O(people); there are at most `MAX_PEOPLE`."""

    def __init__(self) -> None:
        self._people: dict[PublicKey, Person] = {}

    @classmethod
    def load(cls, data: bytes) -> Self:
        """A store from what `dump` gave. Raises `Untrusted` for anything else."""
        fields = Fields(canonical.read(data, MAX_FILE), "trust store")
        if fields.number("v") != STORE_VERSION:
            raise Untrusted("newer", msg("the trust store was written by a newer lantable"))
        people = [Person.from_json(item) for item in fields.array("people", MAX_PEOPLE)]
        fields.done()
        store = cls()
        store._people = {person.key: person for person in people}
        if len(store._people) != len(people):
            raise Untrusted("schema", "trust store: a key stands in it twice")
        return store

    def dump(self) -> bytes:
        """The store as one canonical JSON object, the same bytes for the same people."""
        people = [person.as_json() for person in self.people()]
        return canonical.write({"v": STORE_VERSION, "people": people})

    # -- asking

    def people(self) -> list[Person]:
        """Everybody, sorted by key."""
        return sorted(self._people.values(), key=lambda person: person.key)

    def get(self, key: PublicKey) -> Person | None:
        return self._people.get(key)

    def judge(self, key: PublicKey, name: str) -> Verdict:
        """What `meet` would say, without meeting."""
        person = self._people.get(key)
        # Whoever stands here under this name already was consented to, or came before the namesake.
        settled = person is not None and same_name(person.name, name)
        changed = () if settled else tuple(p for p in self.people() if p.key != key and _answers_to(p, name))
        return Verdict(key, name, person.state if person else None, changed)

    def lookalike(self, key: PublicKey, name: str) -> Person | None:
        """Somebody with another key whose name or alias this one is easily taken for, the best trusted first."""
        alike = [p for p in self._people.values() if p.key != key and looks_like(p.petname or p.name, name)]
        order = list(State)
        return max(alike, key=lambda p: (p.petname is not None, order.index(p.state)), default=None)

    # -- meeting and deciding

    def meet(self, key: PublicKey, name: str, now: int) -> Verdict:
        """A connection proved `key` and showed `name`. Remembers it only if the verdict is welcome."""
        verdict = self.judge(key, name)
        if not verdict.welcome:
            return verdict
        person = self._act(Act.MEET, key, name, now)
        return replace(verdict, state=person.state)

    def trust(self, key: PublicKey, name: str, now: int) -> Person:
        """The person consents to `key` under `name`, though the name is known with another key or was blocked."""
        return self._act(Act.TRUST, key, name, now)

    def compare(self, key: PublicKey, name: str, now: int) -> Person:
        """The person has compared the words with the other one's screen and they are equal."""
        return self._act(Act.COMPARE, key, name, now)

    def block(self, key: PublicKey, name: str, now: int) -> Person:
        """The person wants nothing more from this key; `trust` takes it back."""
        return self._act(Act.BLOCK, key, name, now)

    def rename(self, key: PublicKey, petname: str | None) -> Person:
        """Give somebody our own alias, or take it away. Raises `Misuse` if unknown, too long, or taken by another."""
        person = self._known(key)
        if petname and any(p.key != key and _answers_to(p, petname) for p in self._people.values()):
            raise Misuse(
                msg("somebody else is already called {petname}; choose another alias", petname=safe_name(petname))
            )
        return self._put(replace(person, petname=petname))

    def forget(self, key: PublicKey) -> None:
        """As if never met. Raises `Misuse` if the key is not known."""
        del self._people[self._known(key).key]

    def _known(self, key: PublicKey) -> Person:
        try:
            return self._people[key]
        except KeyError:
            raise Misuse(msg("nobody with the key {words} is known here", words=key.words)) from None

    def _act(self, act: Act, key: PublicKey, name: str, now: int) -> Person:
        person = self._people.get(key)
        if person is None:
            return self._put(Person(key=key, name=name, state=_NEXT[None][act.value], first=now, last=now, times=1))
        met = act is Act.MEET
        return self._put(
            replace(person, name=name, state=_NEXT[person.state][act.value], last=now, times=person.times + met)
        )

    def _put(self, person: Person) -> Person:
        if person.key not in self._people and len(self._people) >= MAX_PEOPLE and not self._make_room(person.state):
            return person
        self._people[person.key] = person
        return person

    def _make_room(self, newcomer: State) -> bool:
        """Drop the `new` stranger met longest ago. Whether there is room now."""
        strangers = [p for p in self._people.values() if p.state is State.NEW and p.petname is None]
        if strangers:
            del self._people[min(strangers, key=lambda person: person.last).key]
        elif newcomer is not State.NEW:
            raise Misuse(msg("{max_people} people are remembered; forget somebody first", max_people=MAX_PEOPLE))
        return bool(strangers)


def _answers_to(person: Person, name: str) -> bool:
    return same_name(person.name, name) or (person.petname is not None and same_name(person.petname, name))
