"""The commands that need a network: `lantable`, and its host, join and resume.

Each puts the parts together (home, plugins, node, service, discovery) and says goodbye to the others at its end.
"""

import secrets
from collections.abc import Awaitable, Callable

import trio

from lantable.errors import Misuse
from lantable.text import safe_name, safe_text
from lantable_console import inviting, joining, network, play
from lantable_console.computers import opponent_of
from lantable_console.context import Context
from lantable_console.desk import Desk
from lantable_console.face import Main, until_signal
from lantable_console.games import is_local, stored, take_up, unfinished
from lantable_console.home import now_ms, timer_ms
from lantable_console.language import by_language, tr
from lantable_console.lobby import Lobby
from lantable_console.naming import introduce
from lantable_console.opening import new_table
from lantable_net.connection import show_address
from lantable_net.discovery import Discovery, SilentDiscovery
from lantable_net.handshake import Identity
from lantable_net.invitation import is_invitation, read_invitation
from lantable_net.node import Node
from lantable_net.service import Service

Body = Callable[[Desk], Awaitable[int]]


def _with_lobby(context: Context, body: Body) -> Main:
    """Lock the home; then, when run: go on the network, run `body`, say goodbye."""
    home = context.home
    context.lock()
    if warning := home.warning():
        context.warn(warning)
    identity = introduce(context)
    node = Node(
        identity,
        context.host.rules_for,
        clock=now_ms,
        timer=timer_ms,
        entropy=secrets.token_bytes,
        stored=lambda g: stored(context, g),
        dealer_of=home.dealer_of,
    )
    for key, addresses in home.addresses().items():
        node.learn(key, addresses)
    discovery = _discovery(context, identity)
    lobby = Lobby(
        context,
        Service(
            node,
            home.archive,
            discovery,
            identity,
            lambda peer: lobby.meet(peer),
            familiar=lambda key: lobby.familiar(key),
        ),
    )

    desk = Desk(lobby)

    async def main() -> int:
        async with trio.open_nursery() as nursery:
            await nursery.start(lobby.service.run, context.port)
            context.diary.note("listening", port=lobby.node.port)
            nursery.start_soon(network.offer_address, lobby)
            nursery.start_soon(network.keep_addresses, lobby)
            context.face.on_away = lobby.together.suspended
            if not context.face.full:
                nursery.start_soon(lobby.together.mind_suspension)
            try:
                code = await until_signal(lambda: _until_left(desk, body))
            finally:
                with trio.CancelScope(shield=True):
                    await lobby.service.goodbye(tr("the program was closed"))
                home.remember_addresses(node.addresses)
            nursery.cancel_scope.cancel()
        return code

    return main


def _discovery(context: Context, identity: Identity) -> Discovery:
    if context.args.no_discovery:
        return SilentDiscovery()
    from lantable_net.mdns import ZeroconfDiscovery  # zeroconf takes a tenth of the time to start

    return ZeroconfDiscovery(identity.key.public, identity.name)


async def _until_left(desk: Desk, body: Body) -> int:
    with desk.lobby.leaving:
        return await body(desk)
    return 0


def run_host(context: Context) -> Main:
    """`lantable host GAME`."""
    game, options = context.chosen_game()
    args = context.args
    if args.auto:
        opponent_of(game, args.auto)
    clock, lot = context.chosen_clock(), args.first == "lot"
    info, digest = new_table(context, game, options, args.seats, args.table, args.house_rule, lot=lot, clock=clock)

    async def begun(lobby: Lobby) -> bytes:
        if args.qr:
            inviting.show_card(lobby, info.name)
        return await lobby.next_game()

    async def body(desk: Desk) -> int:
        lobby = desk.lobby
        code: int | None = None
        while code is None:
            await lobby.service.do(lambda node: node.host(info, digest, watch=not args.no_watching, ask=not args.open))
            lobby.say(
                tr(
                    "* table {name} is open: {titles}, {seats} seats; waiting for players",
                    name=safe_name(info.name),
                    titles=by_language(game.titles),
                    seats=args.seats,
                )
            )
            lobby.say(tr("* others join with: lantable join {name}", name=safe_name(info.name)))
            for address in network.addresses_of(lobby.node.port):
                lobby.say(tr("*   or by address: lantable join {address}", address=address))
            inviting.tell_invitation(lobby, info.name)
            # A guest that crashes just then cannot accept event 0 any more: "offer again".
            code = await desk.games.play(await desk.attending(lambda: begun(lobby), reads=not args.open))
        return code

    return _with_lobby(context, body)


def run_join(context: Context) -> Main:
    """`lantable join TABLE|HOST:PORT|INVITATION`."""
    args = context.args
    invited = is_invitation(args.table)
    if invited:
        read_invitation(args.table)  # what is mistyped is said before anything else is done
    address = None if invited else joining.read_address(args.table)
    if not invited and address is None and args.no_discovery:
        raise Misuse(tr("with --no-discovery no table is found by its name; type HOST:PORT or an invitation"))

    async def sit_down(lobby: Lobby) -> bytes:
        if invited:
            lobby.say(tr("* following the invitation to {table}", table=safe_name(read_invitation(args.table).table)))
            peer, table = await inviting.follow(lobby.service, args.table)
            key = await inviting.until_shown(lobby, peer, table)
        elif address is not None:
            lobby.say(tr("* connecting to {address}", address=safe_text(show_address(address), 80)))
            peer = await lobby.service.connect([address])
            key, table = await joining.only_table(lobby, peer, args.wait)
        else:
            key, table = await joining.table_called(lobby, args.table, args.wait)
        await lobby.service.do(lambda node: node.watch(key, table) if args.watch else node.join(key, table))
        return await joining.game_or_no(lobby, key, table)

    async def body(desk: Desk) -> int:
        lobby = desk.lobby
        return await desk.games.play(await desk.attending(lambda: sit_down(lobby))) or 0

    return _with_lobby(context, body)


def run_resume(context: Context) -> Main:
    """`lantable resume [GAME-ID]`."""
    game = unfinished(context, context.args.game or "")
    if is_local(context, game):
        return play.resume(context, game)

    async def body(desk: Desk) -> int:
        lobby = desk.lobby
        lobby.service.hurry()
        code = await desk.games.play(game, await take_up(lobby, game))
        if code is None:
            raise Misuse(tr("that game never began, so there is nothing to resume; open a table again"))
        return code

    return _with_lobby(context, body)


def run_lobby(context: Context) -> Main:
    """`lantable`: who is here, and what one can do about it."""
    context.args.auto, context.args.seed = None, "0"

    async def body(desk: Desk) -> int:
        lobby = desk.lobby
        lobby.say(
            tr(
                "* you are {name}, key {words}",
                name=safe_name(lobby.node.identity.name),
                words=lobby.node.identity.key.public.words,
            )
        )
        for address in network.addresses_of(lobby.node.port):
            lobby.say(tr("* others can reach you at {address}", address=address))
        how = tr("? shows every key") if context.face.full else tr("type help for what you can do")
        lobby.say(tr("* {how}; people and tables are told as they come", how=how))
        return await desk.run()

    return _with_lobby(context, body)
