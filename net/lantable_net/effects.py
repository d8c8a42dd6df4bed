"""What a session would like done, in order, one after the other, before its next input."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lantable_net.messages import Message
from lantable_net.news import GameNews

LinkId = int


@dataclass(frozen=True, slots=True)
class Create:
    """Begin the record with event 0; on disk before anything else happens."""

    line: bytes


@dataclass(frozen=True, slots=True)
class Append:
    """One more record line; if `sync`, on disk before anything else happens."""

    line: bytes
    sync: bool


@dataclass(frozen=True, slots=True)
class SetMark:
    """Replace the high-water mark."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep a side file beside the record; on disk before anything else happens."""

    kind: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Send:
    """Hand a message to a connection's queue."""

    link: LinkId
    message: Message


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell the person. All that can be told about a game is `GameNews`."""

    news: GameNews


@dataclass(frozen=True, slots=True)
class Reckon:
    """Something pure that takes tens of milliseconds: a shuffle, or the proofs of one.

    `find` may run in any thread; what `then` makes of its result is the rest of this input, before any other.
    """

    find: Callable[[], Any]
    then: Callable[[Any], "list[Effect]"]


Effect = Create | Append | SetMark | Keep | Send | Tell | Reckon


def reckoned(effects: Iterable[Effect]) -> "Iterator[Create | Append | SetMark | Keep | Send | Tell]":
    """The effects with all that is to be reckoned reckoned here and now."""
    for effect in effects:
        if isinstance(effect, Reckon):
            yield from reckoned(effect.then(effect.find()))
        else:
            yield effect
