"""`lantable analyse`: the best moves of a position, out of a record or typed in the game's notation.

The game itself tells them (`game.Analysing`). Where a record goes on, the move that was played is told as well, and
which of the best it was.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from lantable.errors import LantableError, Misuse, PluginFault, Untrusted
from lantable.game import Assessed, Rules, analyse, set_up
from lantable.text import safe_name, safe_text
from lantable_console.context import Context
from lantable_console.language import shown, tr
from lantable_console.replay import Viewer, chosen_record
from lantable_console.thinking import Unwanted, think
from lantable_replays.audit import audit
from lantable_replays.cursor import Cursor
from lantable_replays.record import load

BEST: Final = 10
LONGEST: Final = 200
"""Characters of a move."""


class Question(NamedTuple):
    """What is to be analysed: the rules, what is seen, who is to move and how that is called, and what was played."""

    rules: Rules[Any]
    view: Any
    seat: int | None
    name: str
    position: str
    played: str | None = None


def run(context: Context) -> int:
    """`lantable analyse FILE|GAME-ID [--at N]`, or GAME POSITION. Raises `Misuse`."""
    if context.args.best < 1:
        raise Misuse(tr("--best takes a number from 1 on"))
    question = _of_record(context) if context.args.position is None else _typed(context)
    found = _found(question.rules, question, context.args.best)
    for line in [_json(question, found)] if context.args.json else lines(question, found, context.args.best):
        context.say(line)
    return 0


def _typed(context: Context) -> Question:
    args = context.args
    args.game = args.what
    game, options = context.chosen_game()
    rules, _, _ = context.host.rules(game, options, args.house_rule)
    try:
        state = set_up(rules, args.position)
    except Untrusted as error:
        raise Misuse(tr("this is no position of {id}: {why}", id=game.id, why=shown(str(error)))) from error
    seat = rules.to_move(state)
    name = "" if seat is None else tr("player {seat}", seat=seat + 1)
    return Question(rules, state if seat is None else rules.view(state, seat), seat, name, rules.position(state))


def _of_record(context: Context) -> Question:
    args = context.args
    args.file, args.sample = args.what, None
    data = load(chosen_record(context))
    viewer = Viewer(context, Cursor(data, context.host.rules_for), audit(data, context.host.rules_for))
    viewer.cursor.seek(viewer.last if args.at is None else args.at)
    return of_viewer(viewer)


def of_viewer(viewer: Viewer) -> Question:
    """The position a replay stands at, seen as the replay sees it."""
    cursor, position = viewer.cursor, viewer.cursor.position
    seat = position.mover
    name = "" if seat is None else safe_name(cursor.offer.seats[seat].name)
    played = None
    if cursor.at < viewer.last:
        after = cursor.chain.events[cursor.at + 1].event
        played = str(after.body["move"]) if after.type == "move" else None
    view = viewer.eyes().view(position)
    return Question(position.rules, view, seat, name, position.rules.position(view), played)


def _found(rules: Rules[Any], question: Question, count: int) -> Sequence[Assessed]:
    """What the rules tell. Raises `Misuse`, `PluginFault`."""
    if question.seat is None:
        raise Misuse(tr("nobody is to move there; choose another event"))
    try:
        also = () if question.played is None else (question.played,)
        found = analyse(rules, question.view, question.seat, count, also)
    except (LantableError, Unwanted):
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise PluginFault(tr("the game could not tell its best moves: {what}", what=safe_text(what))) from error
    if found is None:
        raise Misuse(tr("the rules of this game do not tell what a move is worth"))
    return found


async def told(viewer: Viewer) -> list[str]:
    """The best moves where a replay stands, found in a thread. Raises `Misuse`."""
    question = of_viewer(viewer)
    found = await think(question.rules, lambda rules: _found(rules, question, BEST))
    return list(lines(question, found, BEST))


def lines(question: Question, found: Sequence[Assessed], count: int) -> Iterator[str]:
    """What is told of a position, a line each that makes sense alone."""
    if not found:
        yield tr("the best moves of {name} cannot be told here: hidden, or too far from the end", name=question.name)
    for place, assessed in enumerate(found[:count], 1):
        move, worth = safe_text(assessed.move, LONGEST), safe_text(shown(assessed.worth))
        yield tr("{place}. {move}: {worth}", place=place, move=move, worth=worth)
    for assessed in found:
        if assessed.move == question.played:
            # Moves that are worth the same share the first place of them.
            better = sum(other.value > assessed.value for other in found)
            move, worth = safe_text(assessed.move, LONGEST), safe_text(shown(assessed.worth))
            what = tr("{name} played {move}: {worth}", name=question.name, move=move, worth=worth)
            if better == 0:
                yield tr("{what}; none is better", what=what)
            elif better < count:
                yield tr("{what}; {better} of these are better", what=what, better=better)
            else:
                yield tr("{what}; all of these are better", what=what)


def _json(question: Question, found: Sequence[Assessed]) -> str:
    told = [{"move": assessed.move, "value": assessed.value, "worth": assessed.worth} for assessed in found]
    return json.dumps({"position": question.position, "seat": question.seat, "moves": told, "played": question.played})
