"""One person on the screen, always by the same rules: our alias first, two words of the key, the trust in a word.

Names prove nothing, so whatever could make one person pass for another is said beside the name.
"""

from datetime import date
from typing import Final

from lantable.keys import PublicKey
from lantable.text import safe_name
from lantable_console.language import N_, tr
from lantable_net.trust import Person, TrustStore, mixed_scripts

TRUST: Final = (N_("new"), N_("seen"), N_("compared"), N_("blocked"), N_("refused"))
"""What the store says of a key, for people."""
PRESENCE: Final = (N_("here"), N_("listed"), N_("gone?"))
"""What the list says of somebody, for people."""


def two_words(key: PublicKey) -> str:
    """The beginning of a key's words: enough to tell two people of one name apart at a glance."""
    return "-".join(key.words.split("-")[:2])


def shown(store: TrustStore, key: PublicKey, name: str, word: str = "") -> str:
    """Somebody who shows this name (raw), such as `Bob (maple-crow, compared)`.

    `word` is how far they are trusted, by default what stands in the store. Added as the case may be: the name they
    show if we call them otherwise, that they were first seen today, letters of several alphabets, and whom the name
    is made to look like.
    """
    known = store.get(key)
    called = known.called if known else safe_name(name)
    notes = [] if safe_name(name) == called else [tr("shows the name {name}", name=safe_name(name))]
    trust = word or (known.state.value if known else "new")
    notes += [two_words(key), tr(trust)]
    if known and trust != "new" and _is_today(known):
        notes.append(tr("first seen today"))
    return f"{called} ({', '.join([*notes, *doubts(store, key, name)])})"


def doubts(store: TrustStore, key: PublicKey, name: str) -> list[str]:
    """What could make this name (raw) pass for somebody else, in words."""
    notes: list[str] = []
    if scripts := mixed_scripts(name):
        notes.append(tr("letters of {scripts}", scripts=" and ".join(scripts)))
    if double := store.lookalike(key, name):
        notes.append(tr("not the key you know as {called}", called=double.called))
    return notes


def _is_today(person: Person) -> bool:
    try:
        return date.fromtimestamp(person.first / 1000) == date.today()
    except (ValueError, OverflowError, OSError):
        return False  # a damaged clock may have written any year
