"""What the person is told of the network: what was tried on each interface, who is there, who is gone."""

import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import trio

from lantable.errors import Misuse
from lantable.keys import PublicKey
from lantable.text import safe_name, safe_text
from lantable_console.home import local_time
from lantable_console.language import tr
from lantable_console.people import shown
from lantable_net.connection import show_address
from lantable_net.discovery import Hint
from lantable_net.presence import Presence
from lantable_net.service import Someone
from lantable_net.survey import announced, local_interfaces, survey

if TYPE_CHECKING:
    from lantable_console.lobby import Lobby

NOBODY_SECONDS: Final = 10.0
"""Finding each other takes well under two seconds where it works."""
SAVE_SECONDS: Final = 0.5
ANSWER_SECONDS: Final = 2.5
"""For a host to show a sign of life after we asked for a seat; its heartbeats come every second."""


def addresses_of(port: int) -> list[str]:
    """How others may type their way here."""
    return [show_address((host, port)) for host in announced(local_interfaces())]


async def network_lines(lobby: "Lobby") -> list[str]:
    """A line for each interface: its addresses, whether people can be found there, how many were."""
    if lobby.context.args.no_discovery:
        return [tr("nobody is looked for, because of --no-discovery")]
    nics = await survey(local_interfaces())
    here = [someone.hint for someone in lobby.service.people() if someone.hint is not None]
    lines = [
        tr(
            "{nic}; {count} found there",
            nic=safe_text(str(nic), 120),
            count=_count(nic.has(host) for host in _hosts(here)),
        )
        for nic in nics
    ]
    return lines or [tr("this computer is on no network: only people on this same computer can be found")]


def _hosts(hints: Iterable[Hint]) -> list[str]:
    """The address of each that is tried first; one counts on one interface."""
    return [hint.addresses[0][0] for hint in hints if hint.addresses]


def _count(found: Iterable[bool]) -> str:
    number = sum(found)
    return f"{number or 'nobody'}" if number < 2 else tr("{number} people", number=number)


async def offer_address(lobby: "Lobby") -> None:
    """Once, if nobody is found for some time: what was tried, and that an address can be typed."""
    await trio.sleep(NOBODY_SECONDS)
    if lobby.context.args.no_discovery or lobby.service.people():
        return
    lobby.say(
        tr(
            "* nobody was found in {nobody_seconds} seconds; what was tried:",
            nobody_seconds=format(NOBODY_SECONDS, "g"),
        )
    )
    for line in await network_lines(lobby):
        lobby.say(f"*   {line}")
    lobby.say(
        tr("* perhaps nobody is here yet, or the network hides people from each other, as guest Wi-Fi and VPNs do")
    )
    lobby.say(
        tr(
            "* an address always works: lantable join HOST:PORT (yours: {addresses_of})",
            addresses_of=", ".join(addresses_of(lobby.node.port)),
        )
    )
    lobby.say(tr("* lantable doctor looks for the cause"))


def note_addresses(lobby: "Lobby") -> None:
    """Write down where people listen as they say so: a program that is killed could not do it at its end.

    Whoever says it a thousand times a second is not written down as often; `keep_addresses` does it then.
    """
    now = trio.current_time()
    lobby.unsaved = lobby.saves.wait(now) > 0
    if not lobby.unsaved:
        lobby.saves.spend(1)
        lobby.context.home.remember_addresses(lobby.node.addresses)


async def keep_addresses(lobby: "Lobby") -> None:
    """Write down, at a bounded pace, what could not be written at once."""
    while True:
        if lobby.unsaved:
            lobby.unsaved = False
            await trio.to_thread.run_sync(lobby.context.home.remember_addresses, dict(lobby.node.addresses))
        await trio.sleep(SAVE_SECONDS)


def people_lines(lobby: "Lobby") -> list[str]:
    """A line for everybody connected or listed."""
    return [person_line(lobby, someone) for someone in lobby.service.people()]


def person_line(lobby: "Lobby", someone: Someone) -> str:
    """Somebody connected or listed, and why they are not connected."""
    if someone.presence is Presence.HERE and someone.peer is not None:
        return lobby.who(someone.peer)
    verdict = lobby.store.judge(someone.key, someone.name)
    text = shown(lobby.store, someone.key, someone.name, verdict.word)
    if someone.presence is Presence.GONE:
        return tr("{text}: gone? no sign of life for {silent} s", text=text, silent=format(someone.silent, ".0f"))
    if someone.key in lobby.service.refused:
        return tr("{text}: refused until you decide about the key", text=text)
    return tr("{text}: listed, not connected, so not proved", text=text)


def about(lobby: "Lobby", key: PublicKey) -> list[str]:
    """All that is known of somebody who was met, is connected or listed."""
    someone = next((one for one in lobby.service.people() if one.key == key), None)
    known, link = lobby.store.get(key), lobby.node.link_to(key)
    name = someone.name if someone else known.name if known else ""
    lines = [person_line(lobby, someone) if someone else tr("{store}: not here", store=shown(lobby.store, key, name))]
    lines.append(tr("key {words}, {hex}", words=key.words, hex=key.hex))
    if known:
        lines.append(
            tr(
                "first seen {first}, last {last}, met {times} times",
                first=local_time(known.first),
                last=local_time(known.last),
                times=known.times,
            )
        )
    if link is not None:
        peer = lobby.node.links[link].peer
        lines.append(
            tr("words for now, equal on both your screens unless somebody sits in between: {words}", words=peer.words)
        )
        lines.append(tr("if they are:  compared {name}", name=shlex.quote(safe_name(name))))
    if someone and someone.hint:
        lines.append(tr("announced at {addresses}", addresses=", ".join(map(show_address, someone.hint.addresses))))
    return lines


def announced_table(hint: Hint) -> str:
    """The open table that somebody announced, as they said it; empty if none."""
    words = hint.status.split()
    return words[1] if words[:1] == ["open"] and len(words) > 1 else ""


def host_of(lobby: "Lobby", table: str) -> str:
    """For a table that nobody connected shows: who announced it and does not answer, in words; else nothing."""
    for someone in lobby.service.people():
        if someone.hint is not None and announced_table(someone.hint) == table:
            return tr("; {person_line} announced it", person_line=person_line(lobby, someone))
    return ""


async def expect_answer(lobby: "Lobby", key: PublicKey, table: str) -> None:
    """Wait for a sign of life after a request. Raises `Misuse` in words if none comes."""
    if not await lobby.service.answers(key, ANSWER_SECONDS):
        person = lobby.store.get(key)
        host = shown(lobby.store, key, person.name) if person else tr("the host")
        raise Misuse(
            tr(
                "{host} does not answer: gone? Whoever comes back will still hear that you want {table}",
                host=host,
                table=safe_name(table),
            )
        )
