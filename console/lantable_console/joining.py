"""The way to a table from a command line: what is done is said at once, and what else to try if it takes long."""

import ipaddress
from typing import TYPE_CHECKING, Final

import trio

from lantable.errors import Misuse
from lantable.game import nearest
from lantable.keys import PublicKey
from lantable.text import safe_name, safe_text
from lantable_console import network
from lantable_console.language import tr
from lantable_net import news
from lantable_net.channel import Address
from lantable_net.connection import DEFAULT_PORT, show_address
from lantable_net.handshake import Peer
from lantable_net.presence import Presence
from lantable_net.service import Someone

if TYPE_CHECKING:
    from lantable_console.lobby import Lobby

LOOK_SECONDS: Final = 0.25
DOUBT_SECONDS: Final = 3.0
"""Where finding each other works, it takes less."""
PROGRESS_SECONDS: Final = 10.0


def read_address(text: str) -> Address | None:
    """HOST:PORT, an IP address with or without a port; None if it reads as a table's name. Raises `Misuse`."""
    bare = text.strip("[]")
    try:
        ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        host, colon, port = text.rpartition(":")
        if not colon:
            return None
        if not port.isdecimal() or not 0 < int(port) < 65536 or not host:
            raise Misuse(
                tr("{text} is no address; type HOST:PORT, such as 192.168.1.20:4471", text=safe_text(text, 80))
            ) from None
        return host.strip("[]"), int(port)
    return bare, DEFAULT_PORT


async def table_called(lobby: "Lobby", name: str, seconds: float) -> tuple[PublicKey, str]:
    """Wait until somebody shows a table of that name, and tell what comes of it meanwhile. Raises `Misuse`."""
    lobby.say(
        tr(
            "* looking for the table {name}, for {seconds} seconds at most; Ctrl-C ends it",
            name=safe_name(name),
            seconds=format(seconds, "g"),
        )
    )
    lobby.service.hurry()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_Search(lobby, name, seconds).report)
        found = await _shown(lobby, name, seconds)
        nursery.cancel_scope.cancel()
    if found is not None:
        return found, name
    known = [info.name for _, info in lobby.tables()]
    raise Misuse(
        tr(
            "no table called {name} was found in {seconds} seconds{nearest}; if this network hides "
            "people from each other, join by address: lantable join HOST:PORT",
            name=repr(name),
            seconds=format(seconds, "g"),
            nearest=nearest(name, known),
        )
    )


async def _shown(lobby: "Lobby", name: str, seconds: float) -> PublicKey | None:
    with trio.move_on_after(seconds):
        while True:
            for peer, info in lobby.tables():
                if info.name == name:
                    return peer.key
            lobby.tell((await lobby.service.news.receive()).news)
    return None


class _Search:
    """What a person should hear while a table is looked for: who announced it, who does not answer, what to try."""

    def __init__(self, lobby: "Lobby", name: str, seconds: float) -> None:
        self._lobby = lobby
        self._name = name
        self._end = trio.current_time() + seconds
        self._announced = set[PublicKey]()
        self._doubted = set[PublicKey]()

    async def report(self) -> None:
        """Until cancelled."""
        begin = trio.current_time()
        doubt, progress = begin + DOUBT_SECONDS, begin + PROGRESS_SECONDS
        while True:
            for someone in self._lobby.service.people():
                self._see(someone)
            now = trio.current_time()
            if now >= doubt:
                doubt = self._end + 1
                self._advise()
            if now >= progress:
                progress += PROGRESS_SECONDS
                left, found = self._end - now, len(self._lobby.service.people())
                self._lobby.say(
                    tr(
                        "* still looking for {name}: {left} s left, {found} people found",
                        name=safe_name(self._name),
                        left=format(left, ".0f"),
                        found=found,
                    )
                )
            await trio.sleep(LOOK_SECONDS)

    def _see(self, someone: Someone) -> None:
        hint = someone.hint
        if hint is None or network.announced_table(hint) != self._name:
            return
        where = ", ".join(map(show_address, hint.addresses[:2]))
        who = network.person_line(self._lobby, someone)
        if someone.key not in self._announced:
            self._announced.add(someone.key)
            self._lobby.say(tr("* {who} announced it at {where}; connecting", who=who, where=where))
        elif someone.presence is Presence.GONE and someone.key not in self._doubted:
            self._doubted.add(someone.key)
            self._lobby.say(
                tr("* {who}; nobody answers at {where}, tried again until the time is up", who=who, where=where)
            )
            self._lobby.say(
                tr(
                    "*   is lantable still running there? lantable doctor {address} tries it",
                    address=where.partition(",")[0],
                )
            )

    def _advise(self) -> None:
        if self._announced:
            return
        people = ", ".join(safe_name(self._lobby.named(someone)) for someone in self._lobby.service.people()[:5])
        self._lobby.say(
            tr(
                "* nobody has announced {name} so far; found are: {people}",
                name=safe_name(self._name),
                people=people or tr("nobody"),
            )
        )
        self._lobby.say(tr("*   is that its name, and is its host still there? An address always works:"))
        self._lobby.say(
            tr("*   lantable join HOST:PORT, as the host's screen says; lantable doctor looks for the cause")
        )


async def only_table(lobby: "Lobby", peer: Peer, seconds: float) -> tuple[PublicKey, str]:
    """The one open table of a host reached by address. Raises `Misuse` if there is none, or a choice."""
    waits = False
    with trio.move_on_after(seconds):
        while True:
            item = (await lobby.service.news.receive()).news
            lobby.tell(item)
            if isinstance(item, news.TablesChanged) and item.peer.key == peer.key:
                names = [info.name for info in item.tables]
                if len(names) == 1:
                    return peer.key, names[0]
                if names:
                    raise Misuse(
                        tr(
                            "{name} has {names} tables; join one: {names2}",
                            name=safe_name(peer.name),
                            names=len(names),
                            names2=", ".join(names),
                        )
                    )
                if not waits:
                    waits = True
                    lobby.say(
                        tr(
                            "* {name} has no table open; waiting for one, {seconds} s at most",
                            name=safe_name(peer.name),
                            seconds=format(seconds, "g"),
                        )
                    )
    raise Misuse(tr("{name} has no open table", name=safe_name(peer.name)))


async def game_or_no(lobby: "Lobby", key: PublicKey, table: str) -> bytes:
    """Tell news until the game begins. Raises `Misuse` if we are not let in."""
    lobby.say(
        tr(
            "* asked for a place at {table}: the host may have to say yes, and the game begins when "
            "all seats are taken",
            table=safe_name(table),
        )
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_doubt, lobby, key, table)
        game = await _begun(lobby, table)
        nursery.cancel_scope.cancel()
    return game


async def _doubt(lobby: "Lobby", key: PublicKey, table: str) -> None:
    """Say so if the host gives no sign of life; the request stands."""
    try:
        await network.expect_answer(lobby, key, table)
    except Misuse as error:
        lobby.say(f"* {error}")


async def _begun(lobby: "Lobby", table: str) -> bytes:
    async for tell in lobby.service.news:
        match tell.news:
            case news.Began(game, again=False):
                return game
            case news.Declined(_, what, reason) if what == table:
                raise Misuse(tr("not seated at {table}: {reason}", table=safe_name(table), reason=safe_text(reason)))
            case _:
                lobby.tell(tell.news)
    raise AssertionError("the news channel has no end")
