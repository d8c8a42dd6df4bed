"""The loop that plays one game, held still: no network, no terminal, news comes when a test says so."""

from types import SimpleNamespace
from typing import Any, cast

from lantable_console.driver import News
from lantable_console.loop import Loop
from lantable_net.news import Acknowledged, Played
from tests.mesh import Mesh
from tests.screens import context


def loop_of(mesh: Mesh, who: int, told: int = 0) -> Loop:
    """How one person of a mesh sees the game; nothing of its news was told yet."""
    driver = SimpleNamespace(session=mesh.session(who), running=True)
    return Loop(context(), cast("Any", driver), News(), told=told)


async def test_nobody_is_asked_before_the_move_was_told() -> None:
    """The session knows of a move before its news has come through: "your turn" waits for it."""
    mesh = Mesh(2).sit("size=2x2")
    mesh.move("a1r")
    loop = loop_of(mesh, 1)
    assert loop.board.session.my_turn
    await loop.turns.next()
    assert not loop.board.log
    for news in mesh.seen[1]:
        if isinstance(news, Played | Acknowledged):
            loop.news.put(news)
    loop.telling.tell_all()
    await loop.turns.next()
    assert [line.partition(";")[0] for line in loop.board.log] == ["* 1 Ada plays a1r", "* your turn, Bob: type a move"]
