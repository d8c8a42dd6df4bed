"""Invitations at the keyboard: writing one for a table of ours, and following one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import trio

from lantable.errors import Misuse, Untrusted
from lantable.game import nearest
from lantable.keys import PublicKey
from lantable.text import safe_name
from lantable_console.language import tr
from lantable_net.connection import show_address
from lantable_net.handshake import Peer
from lantable_net.invitation import Invitation, read_invitation
from lantable_net.news import TablesChanged
from lantable_net.node import Node
from lantable_net.service import Service
from lantable_net.survey import announced, local_interfaces

if TYPE_CHECKING:
    from lantable_console.lobby import Lobby

SHOWN_SECONDS = 3.0
"""A host that is connected shows its tables at once."""


def invitation(node: Node, table: str) -> Invitation:
    """For a table of ours, at the address that most others can reach."""
    return Invitation((announced(local_interfaces())[0], node.port), table, node.identity.key.public)


def tell_invitation(lobby: "Lobby", table: str) -> None:
    """Print it, quoted for a shell."""
    lobby.say(
        tr("*   or by invitation, which also proves the key: {follow_line}", follow_line=_follow_line(lobby, table))
    )


def show_card(lobby: "Lobby", table: str) -> None:
    """Everything with which others get to us: the invitation, also as a QR code, our addresses, our key.

    Without a table there is no invitation yet, and it says how one comes to be.
    """
    node = lobby.node
    addresses = [show_address((host, node.port)) for host in announced(local_interfaces())]
    key = tr("your key: {words}", words=node.identity.key.public.words)
    if not table:
        by_hand = ", ".join(addresses)
        lobby.context.face.card(
            [
                tr(
                    "open a table first, and this shows its invitation; you can be reached at {by_hand}",
                    by_hand=by_hand,
                ),
                key,
            ],
            (),
        )
        return
    code: Sequence[str] = ()
    try:
        from lantable_console import qr  # few ask for one

        qr.check_terminal()
        code = qr.qr_lines(str(invitation(node, table)))
    except Misuse as error:
        lobby.say(f"* {error}")
    lines = [tr("INVITATION to {table}. Whoever follows it reaches you, and nobody else:", table=safe_name(table))]
    lines += [
        _follow_line(lobby, table),
        tr("Or, to be typed:"),
        *(f"lantable join {address}" for address in addresses),
    ]
    lobby.context.face.card([*lines, key], code)


def _follow_line(lobby: "Lobby", table: str) -> str:
    return f"lantable join '{invitation(lobby.node, table)}'"


async def follow(service: Service, text: str) -> tuple[Peer, str]:
    """Connect to who invites; the peer and the table's name. Raises `Misuse`, `Unreachable`, `Untrusted`."""
    to = read_invitation(text)
    try:
        return await service.connect([to.address], to.key), to.table
    except Untrusted as error:
        if error.code != "other_key":
            raise
        raise Untrusted(
            error.code, tr("{detail}: the invitation is old, or not from who is there now", detail=error.detail)
        ) from error


async def until_shown(lobby: "Lobby", peer: Peer, table: str) -> PublicKey:
    """Tell news until the host shows the table; the host's key. Raises `Misuse` if it shows none of that name."""
    with trio.move_on_after(SHOWN_SECONDS):
        async for tell in lobby.service.news:
            lobby.tell(tell.news)
            match tell.news:
                case TablesChanged(host, tables) if host.key == peer.key:
                    names = [info.name for info in tables]
                    if table in names:
                        return peer.key
                    raise Misuse(
                        tr(
                            "{name} has no open table {table} any more{nearest}; ask for a new invitation",
                            name=safe_name(peer.name),
                            table=repr(table),
                            nearest=nearest(table, names),
                        )
                    )
                case _:
                    pass
    raise Misuse(tr("{name} does not say which tables are open; try again", name=safe_name(peer.name)))


async def join_invited(lobby: "Lobby", text: str) -> None:
    """In the lobby, where news is told elsewhere: connect, wait for the table, ask for a seat."""
    peer, table = await follow(lobby.service, text)
    with trio.move_on_after(SHOWN_SECONDS):
        while (peer.key, table) not in [(host.key, info.name) for host, info in lobby.tables()]:
            await lobby.service.changed()
    await lobby.service.do(lambda node: node.join(peer.key, table))
