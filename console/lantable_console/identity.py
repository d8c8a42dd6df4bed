"""`lantable id show|name|alias|trust|forget|block`: our own key, and what we think of the keys of others.

A key is named by its first digits, at least four, or by the name it goes by, as long as that means one key:
names prove nothing, so where two answer to one name both are shown with their words and digits are asked for.
A key that was refused because it came under a known name is in no store; all 64 digits and --name accept it.
What writes holds the home's lock, so that no running program overwrites it.
"""

import re
from typing import Final

from lantable.errors import Misuse, Untrusted
from lantable.game import nearest
from lantable.keys import PublicKey
from lantable.text import safe_name, safe_text
from lantable_console.context import Context
from lantable_console.home import checked_name, local_time, now_ms
from lantable_console.people import shown
from lantable_net.trust import Person, TrustStore, same_name

_DIGITS: Final = re.compile(r"[0-9a-f]{4,64}")
_WHOLE_KEY: Final = 64


def run(context: Context) -> int:
    """`lantable id show|name|alias|trust|forget|block`."""
    what = {"show": _show, "name": _name, "trust": _trust, "forget": _forget, "block": _block, "alias": _alias}
    what[context.args.what](context)
    return 0


# -- reading


def _show(context: Context) -> None:
    """Reads only: no key is made, and a program may be running here."""
    home = context.home
    if warning := home.warning():
        context.warn(warning)
    if home.has_key():
        own = home.key_file()
        context.say(f"you      {safe_name(own.name)}")
        context.say(f"words    {own.key.public.words}")
        context.say(f"key      {own.key.public.hex}")
    else:
        context.say("you      have no key yet; one is made when you first play, or now: lantable id name NAME")
    context.say(f"folder   {safe_text(str(home.folder), 600)}")
    store = home.trust()
    people = store.people()
    for person in sorted(people, key=lambda person: person.called.casefold()):
        seen = f"first seen {local_time(person.first)}, last seen {local_time(person.last)}"
        context.say(f"person   {_described(store, person)}, {seen}")
    if not people:
        context.say("people   nobody met yet")


def _described(store: TrustStore, person: Person) -> str:
    """A person, and the digits that name the key here."""
    return f"{shown(store, person.key, person.name)}, key {person.key.hex[:8]}"


# -- writing


def _name(context: Context) -> None:
    context.home.lock()
    own = context.home.rename(context.args.name)
    context.say(f"others see you as {own.name} from now on; your key stays {own.key.public.words}")


def _trust(context: Context) -> None:
    store, key, name = _chosen(context)
    for known in store.judge(key, name).changed:
        context.say(
            f"the name {safe_name(name)} is known with another key: {_described(store, known)}, {known.key.words}"
        )
    person = store.trust(key, name, now_ms())
    if context.args.compared:
        # After `trust`: equal words alone do not lift a block, but whoever says trust means to.
        person = store.compare(key, name, now_ms())
    context.home.save_trust(store)
    context.say(f"trusted: {_described(store, person)}, {key.words}")


def _alias(context: Context) -> None:
    context.home.lock()
    store = context.home.trust()
    person = store.rename(_one(store, context.args.key).key, checked_name(context.args.name) or None)
    context.home.save_trust(store)
    context.say(f"you call them: {_described(store, person)}")


def _block(context: Context) -> None:
    store, key, name = _chosen(context)
    person = store.block(key, name, now_ms())
    context.home.save_trust(store)
    context.say(f"blocked: {_described(store, person)}; lantable id trust {key.hex[:8]} takes it back")


def _forget(context: Context) -> None:
    context.home.lock()
    store = context.home.trust()
    person = _one(store, context.args.key)
    store.forget(person.key)
    context.home.save_trust(store)
    context.say(f"forgotten: {_described(store, person)}; it will be new again")


def _chosen(context: Context) -> tuple[TrustStore, PublicKey, str]:
    """Lock the home; its store, the key that KEY|NAME means, met or not, and the name to keep with it."""
    context.home.lock()
    text, name = context.args.key, context.args.name
    store = context.home.trust()
    if len(text) == _WHOLE_KEY and _DIGITS.fullmatch(text.lower()) and not _matching(store, text):
        if name is None:
            raise Misuse(
                f"nobody with this key was met; say whose it is: lantable id {context.args.what} KEY --name NAME"
            )
        return store, _key(text.lower()), name
    person = _one(store, text)
    return store, person.key, person.name if name is None else name


def _key(digits: str) -> PublicKey:
    try:
        return PublicKey(bytes.fromhex(digits))
    except Untrusted:
        raise Misuse("these 64 digits are no player's key; copy the whole of it") from None


def _one(store: TrustStore, text: str) -> Person:
    """The one person that first digits or a name mean. Raises `Misuse`, which names the candidates or the nearest."""
    found = _matching(store, text)
    if len(found) == 1:
        return found[0]
    if found:
        listed = "; ".join(_described(store, person) for person in found[:5])
        raise Misuse(f"{len(found)} keys answer to {text!r}: {listed}; give more digits of the one you mean")
    raise Misuse(f"nobody met here answers to {text!r}" + nearest(text, [person.called for person in store.people()]))


def _matching(store: TrustStore, text: str) -> list[Person]:
    digits = text.lower() if _DIGITS.fullmatch(text.lower()) else None
    return [
        person
        for person in store.people()
        if (digits and person.key.hex.startswith(digits))
        or any(same_name(text, name) for name in (person.name, person.petname) if name is not None)
    ]
