"""`lantable id show|name|alias|trust|forget|block`: our own key, and what we think of the keys of others.

A key is named by its first digits, at least four, or by the name it goes by, as long as that means one key:
names prove nothing, so where two answer to one name both are shown with their words and digits are asked for.
A key that was refused because it came under a known name is in no store; all 64 digits and --name accept it.
What writes holds the home's lock, so that no running program overwrites it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from lantable.errors import Misuse, Untrusted
from lantable.game import nearest
from lantable.keys import PublicKey
from lantable.text import safe_name, safe_text
from lantable_console.context import Context
from lantable_console.home import Home, checked_name, local_time, now_ms
from lantable_console.language import tr
from lantable_console.people import shown
from lantable_net.trust import Person, TrustStore, same_name

_DIGITS: Final = re.compile(r"[0-9a-f]{4,64}")
_WHOLE_KEY: Final = 64


def run(context: Context) -> int:
    """`lantable id show|name|alias|trust|forget|block`."""
    {"show": _show, "name": _name}.get(context.args.what, _decide)(context)
    return 0


# -- reading


def _show(context: Context) -> None:
    """Reads only: no key is made, and a program may be running here."""
    home = context.home
    if warning := home.warning():
        context.warn(warning)
    if home.has_key():
        own = home.key_file()
        context.say(tr("you      {name}", name=safe_name(own.name)))
        context.say(tr("words    {words}", words=own.key.public.words))
        context.say(tr("key      {hex}", hex=own.key.public.hex))
    else:
        context.say(tr("you      have no key yet; one is made when you first play, or now: lantable id name NAME"))
    context.say(tr("folder   {folder}", folder=safe_text(str(home.folder), 600)))
    store = home.trust()
    people = store.people()
    for person in sorted(people, key=lambda person: person.called.casefold()):
        seen = tr("first seen {first}, last seen {last}", first=local_time(person.first), last=local_time(person.last))
        context.say(tr("person   {described}, {seen}", described=_described(store, person), seen=seen))
    if not people:
        context.say(tr("people   nobody met yet"))


def _described(store: TrustStore, person: Person) -> str:
    """A person, and the digits that name the key here."""
    return tr("{store}, key {hex}", store=shown(store, person.key, person.name), hex=person.key.hex[:8])


# -- writing


def _name(context: Context) -> None:
    context.home.lock()
    own = context.home.rename(context.args.name)
    context.say(
        tr("others see you as {name} from now on; your key stays {words}", name=own.name, words=own.key.public.words)
    )


def _decide(context: Context) -> None:
    args = context.args
    context.home.lock()
    compared = getattr(args, "compared", False)
    decided = decide(context.home, args.what, args.key, getattr(args, "name", None), compared=compared)
    for line in decided.lines:
        context.say(line)


@dataclass(frozen=True, slots=True)
class Decided:
    """What a person decided about a key, in words."""

    key: PublicKey
    lines: tuple[str, ...]


def decide(home: Home, what: str, text: str, name: str | None = None, *, compared: bool = False) -> Decided:
    """Alias, trust, block or forget whoever `text` means: first digits, a name, or all digits of a key never met.

    The home must be locked. Raises `Misuse`.
    """
    deciding: dict[str, Callable[[TrustStore, str, str | None], Decided]] = {
        "alias": _alias,
        "trust": partial(_trust, compared=compared),
        "block": _block,
        "forget": _forget,
    }
    return home.change_trust(lambda store: deciding[what](store, text, name))


def _trust(store: TrustStore, text: str, name: str | None, *, compared: bool) -> Decided:
    key, name = _chosen(store, "trust", text, name)
    lines = [
        tr(
            "the name {name} is known with another key: {described}, {words}",
            name=safe_name(name),
            described=_described(store, known),
            words=known.key.words,
        )
        for known in store.judge(key, name).changed
    ]
    person = store.trust(key, name, now_ms())
    if compared:
        # After `trust`: equal words alone do not lift a block, but whoever says trust means to.
        person = store.compare(key, name, now_ms())
    return Decided(
        key, (*lines, tr("trusted: {described}, {words}", described=_described(store, person), words=key.words))
    )


def _alias(store: TrustStore, text: str, name: str | None) -> Decided:
    person = store.rename(one(store, text).key, checked_name(name or "") or None)
    return Decided(person.key, (tr("you call them: {described}", described=_described(store, person)),))


def _block(store: TrustStore, text: str, name: str | None) -> Decided:
    key, name = _chosen(store, "block", text, name)
    person = store.block(key, name, now_ms())
    takes_back = f"lantable id trust {key.hex[:8]} takes it back"
    return Decided(
        key, (tr("blocked: {described}; {takes_back}", described=_described(store, person), takes_back=takes_back),)
    )


def _forget(store: TrustStore, text: str, _name: str | None) -> Decided:
    person = one(store, text)
    described = _described(store, person)
    store.forget(person.key)
    return Decided(person.key, (tr("forgotten: {described}; it will be new again", described=described),))


def _chosen(store: TrustStore, what: str, text: str, name: str | None) -> tuple[PublicKey, str]:
    """The key that KEY|NAME means, met or not, and the name to keep with it."""
    if len(text) == _WHOLE_KEY and _DIGITS.fullmatch(text.lower()) and not matching(store, text):
        if name is None:
            raise Misuse(
                tr("nobody with this key was met; say whose it is: lantable id {what} KEY --name NAME", what=what)
            )
        return _key(text.lower()), name
    person = one(store, text)
    return person.key, person.name if name is None else name


def _key(digits: str) -> PublicKey:
    try:
        return PublicKey(bytes.fromhex(digits))
    except Untrusted:
        raise Misuse(tr("these 64 digits are no player's key; copy the whole of it")) from None


def one(store: TrustStore, text: str) -> Person:
    """The one person that first digits or a name mean. Raises `Misuse`, which names the candidates or the nearest."""
    found = matching(store, text)
    if len(found) == 1:
        return found[0]
    if found:
        listed = "; ".join(_described(store, person) for person in found[:5])
        raise Misuse(
            tr(
                "{found} keys answer to {text}: {listed}; give more digits of the one you mean",
                found=len(found),
                text=repr(text),
                listed=listed,
            )
        )
    raise Misuse(
        tr("nobody met here answers to {text}", text=repr(text))
        + nearest(text, [person.called for person in store.people()])
    )


def matching(store: TrustStore, text: str) -> list[Person]:
    """Everybody met whose key begins so, or who goes by that name."""
    digits = text.lower() if _DIGITS.fullmatch(text.lower()) else None
    return [
        person
        for person in store.people()
        if (digits and person.key.hex.startswith(digits))
        or any(same_name(text, name) for name in (person.name, person.petname) if name is not None)
    ]
