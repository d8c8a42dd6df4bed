"""The trust store: keys are identities, names are not, and a known name with another key needs consent."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable import canonical
from lantable.errors import Misuse, Untrusted
from lantable.keys import PrivateKey, PublicKey
from lantable_net import trust
from lantable_net.trust import State, TrustStore, looks_like, mixed_scripts, same_name


def key(number: int) -> PublicKey:
    return PrivateKey(number.to_bytes(32, "big")).public


ALICE, MALLORY, BOB = key(1), key(2), key(3)
DAY = 86_400_000


def store(*met: tuple[PublicKey, str]) -> TrustStore:
    """People met once each, a day apart."""
    result = TrustStore()
    for day, (who, name) in enumerate(met):
        result.meet(who, name, day * DAY)
    return result


def test_first_new_then_seen() -> None:
    """Trust on first use; times and dates are counted for people."""
    people = TrustStore()
    assert people.meet(ALICE, "Alice", 5).word == "new"
    assert people.meet(ALICE, "Alice", 9).word == "seen"
    alice = people.get(ALICE)
    assert alice and (alice.first, alice.last, alice.times) == (5, 9, 2)


def test_a_known_name_with_another_key_is_refused_until_the_person_consents() -> None:
    """Both keys are named, nothing is remembered of the newcomer, and the old entry stays as it was."""
    people = store((ALICE, "Alice"))
    before = people.dump()
    verdict = people.meet(MALLORY, "alice", DAY)
    assert verdict.word == "changed" and not verdict.welcome
    assert verdict.key == MALLORY and [person.key for person in verdict.changed] == [ALICE]
    assert people.dump() == before
    people.trust(MALLORY, "alice", DAY)
    assert people.meet(MALLORY, "alice", DAY).word == "seen"
    assert people.meet(ALICE, "Alice", DAY).word == "seen"


def test_a_known_key_that_takes_anothers_name_is_refused_too() -> None:
    """Bob, well known, calls himself Alice; as Bob he stays welcome."""
    people = store((ALICE, "Alice"), (BOB, "Bob"))
    people.compare(BOB, "Bob", DAY)
    assert people.meet(BOB, "ALICE", DAY).word == "changed"
    assert people.meet(BOB, "Bobby", DAY).word == "compared"


def test_an_alias_is_protected_like_a_name() -> None:
    """Whoever shows the name we gave to somebody else needs consent."""
    people = store((ALICE, "xX_alice_Xx"))
    people.rename(ALICE, "Alice")
    assert people.meet(MALLORY, "Alice", DAY).word == "changed"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice", "aLICE"),
        ("Stra\u00dfe", "STRASSE"),
        ("A\u030angstrom", "\u00c5ngstrom"),
        ("Alice", " Alice "),
        ("A\x07", "A\x1b"),
    ],
)
def test_names_are_equal_if_they_look_equal(one: str, other: str) -> None:
    """NFC, case-folded, and made safe first, since that is what the screen shows."""
    assert same_name(one, other)


def test_other_letters_are_other_names() -> None:
    """Latin and Cyrillic A differ here; the screen flags the mixture."""
    assert not same_name("Alice", "\u0410lice")


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("\u0410lice", ("Cyrillic", "Latin")),
        ("Al\u03b9ce", ("Greek", "Latin")),
        ("\u0410\u043b\u0438\u0441\u0430", ()),
        ("Çağrı 2", ()),
        ("Ken \u5065 \u30b1\u30f3", ()),
        ("☃ 42", ()),
        ("", ()),
    ],
)
def test_names_that_mix_alphabets_are_told(name: str, scripts: tuple[str, ...]) -> None:
    """No honest name has Latin and Cyrillic letters; Japanese ones mix three, and often Latin."""
    assert mixed_scripts(name) == scripts


@pytest.mark.parametrize("other", ["\u0410lice", "AIice", "A1ice", "alice", "\uff21lice", "Al\u0456c\u0435"])
def test_who_looks_like_somebody_known_is_told(other: str) -> None:
    """ "Аlice"/"Alice": the key is another, and the screen says whose name is worn."""
    people = store((ALICE, "Alice"))
    double = people.lookalike(MALLORY, other)
    assert double is not None and double.key == ALICE
    assert people.lookalike(ALICE, other) is None
    assert not looks_like("Alice", "Alicia")


# What each state becomes when met again, trusted, compared, blocked.
TABLE = {
    None: ("new", "seen", "compared", "blocked"),
    "new": ("seen", "seen", "compared", "blocked"),
    "seen": ("seen", "seen", "compared", "blocked"),
    "compared": ("compared", "compared", "compared", "blocked"),
    "blocked": ("blocked", "seen", "blocked", "blocked"),
}


@pytest.mark.parametrize(("state", "act"), list(product(TABLE, range(4))))
def test_every_act_in_every_state(state: str | None, act: int) -> None:
    """The whole table, entered by hand once more."""
    people = TrustStore()
    if state:
        {"new": people.meet, "seen": people.trust, "compared": people.compare, "blocked": people.block}[state](
            ALICE, "Alice", 1
        )
    (people.meet, people.trust, people.compare, people.block)[act](ALICE, "Alice", 2)
    assert people.judge(ALICE, "Alice").word == TABLE[state][act]


def test_the_blocked_are_turned_away_whatever_they_call_themselves() -> None:
    """And meeting them changes nothing."""
    people = store((MALLORY, "Mallory"))
    people.block(MALLORY, "Mallory", 1)
    before = people.dump()
    for name in ("Mallory", "Nice Person"):
        assert not people.meet(MALLORY, name, DAY).welcome
    assert people.dump() == before


def test_rename_and_forget() -> None:
    """An alias comes first, two people cannot share one, and the forgotten are new again."""
    people = store((ALICE, "Alice"), (BOB, "Bob"))
    assert people.rename(ALICE, "Sis").called == "Sis"
    with pytest.raises(Misuse, match="already called"):
        people.rename(BOB, "sis")
    with pytest.raises(Misuse):
        people.rename(BOB, "x" * 65)
    assert people.rename(ALICE, None).called == "Alice"
    people.forget(ALICE)
    assert people.judge(ALICE, "Alice").word == "new"
    for unknown in (people.forget, lambda who: people.rename(who, "x")):
        with pytest.raises(Misuse, match=ALICE.words):
            unknown(ALICE)


def test_a_crowd_of_strangers_pushes_out_only_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full store forgets the `new` met longest ago; somebody met twice, compared or renamed stays."""
    monkeypatch.setattr(trust, "MAX_PEOPLE", 5)
    people = store((ALICE, "Alice"), (BOB, "Bob"))
    people.meet(ALICE, "Alice", DAY)
    people.rename(BOB, "Bobby")
    for number in range(10, 40):
        assert people.meet(key(number), f"Crowd {number}", number * DAY).word == "new"
    assert {person.name for person in people.people()} == {"Alice", "Bob", "Crowd 37", "Crowd 38", "Crowd 39"}
    for number in range(37, 40):
        people.compare(key(number), f"Crowd {number}", 50 * DAY)
    assert people.meet(MALLORY, "Mallory", 51 * DAY).word == "new"
    assert people.get(MALLORY) is None
    with pytest.raises(Misuse, match="forget somebody"):
        people.compare(MALLORY, "Mallory", 51 * DAY)


KEYS = [key(number) for number in range(1, 6)]
acts = st.tuples(st.sampled_from(["meet", "trust", "compare", "block"]), st.sampled_from(KEYS), st.text(max_size=5))


@given(st.lists(acts, max_size=12))
def test_what_is_dumped_loads_and_says_the_same(steps: list[tuple[str, PublicKey, str]]) -> None:
    """Any history survives being written down, byte for byte."""
    people = TrustStore()
    for now, (act, who, name) in enumerate(steps):
        getattr(people, act)(who, name, now)
    again = TrustStore.load(people.dump())
    assert again.dump() == people.dump() and again.people() == people.people()


PERSON = {
    "key": ALICE.hex,
    "name": "Alice",
    "petname": None,
    "state": "seen",
    "first": 1,
    "last": 2,
    "times": 3,
}


@pytest.mark.parametrize(
    "fields",
    [
        {"key": "00" * 32},
        {"name": 1},
        {"petname": 1},
        {"state": "friend"},
        {"first": -1},
        {"last": 10**15},
        {"times": True},
        {"more": 1},
    ],
)
def test_a_damaged_entry_is_refused(fields: dict[str, object]) -> None:
    """Every field is checked; nothing is guessed."""
    with pytest.raises(Untrusted):
        TrustStore.load(canonical.write({"v": 1, "people": [{**PERSON, **fields}]}))


def test_damaged_stores_are_refused() -> None:
    """Junk, a newer version, a key that stands there twice."""
    for data in (b"", b"{}", b"[]", canonical.write({"v": 2, "people": []})):
        with pytest.raises(Untrusted):
            TrustStore.load(data)
    with pytest.raises(Untrusted, match="twice"):
        TrustStore.load(canonical.write({"v": 1, "people": [PERSON, PERSON]}))
    assert TrustStore.load(canonical.write({"v": 1, "people": [PERSON]})).get(ALICE)


@settings(max_examples=50)
@given(st.binary(max_size=100))
def test_random_bytes_raise_only_untrusted(data: bytes) -> None:
    """A store is a file, and files are not trusted."""
    with pytest.raises(Untrusted):
        TrustStore.load(data)


def test_states_are_spoken_as_the_lobby_prints_them() -> None:
    """Trust is a word, never a colour only."""
    assert [state.value for state in State] == ["new", "seen", "compared", "blocked"]
