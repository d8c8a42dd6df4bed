"""A move put together on the screen: the drafts of whoever plays at this keyboard, kept in step with the game.

What a draft is the game says (`lantable.game.Composing`); here it is only held, one for each seat that plays here, and
handed back to the game whenever what that seat sees has changed. So it is up to date before every key and every
frame, and nothing that happens in between can be missed. What only one person may see is shown to nobody else: there
is a draft only for whom `Board.hand` names.

Everything asked of the game here is a stranger's code; where it fails the person types moves instead, and is told why.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from lantable.errors import IllegalMove, LantableError
from lantable.game import Composing, Look, Sketch, composing, read
from lantable.text import safe_text
from lantable_console.language import shown, tr

if TYPE_CHECKING:
    from lantable_console.board import Board

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept:
    """A seat's draft, and the view it was made for."""

    view: Any
    draft: Any


class Composer:
    """The drafts of one game at this keyboard."""

    def __init__(self, board: "Board") -> None:
        self._board = board
        self._kept: dict[int, _Kept] = {}
        self._drawn: tuple[Any, Look, Sketch] | None = None
        self.fault = ""
        """Why moves can only be typed."""

    def sketch(self, look: Look) -> Sketch | None:
        """What is before the person, as it is to be shown; None where nothing is put together."""
        return self._ask(lambda game, draft: self._sketched(game, draft, look))

    def _sketched(self, game: Composing, draft: Any, look: Look) -> Sketch:
        """Drawn once for each draft: drafts are values, so the same one looks the same."""
        if self._drawn is None or self._drawn[0] is not draft or self._drawn[1] != look:
            self._drawn = draft, look, _translated(game.sketch(draft, look))
        return self._drawn[2]

    def press(self, act: str) -> bool:
        """A key or act of the draft; whether it meant anything."""
        after = self._ask(lambda game, draft: game.typed(draft, act))
        return after is not None and self._keep(after)

    def means(self, act: str) -> bool:
        """Whether a key or act would mean anything."""
        return self._ask(lambda game, draft: game.typed(draft, act)) is not None

    def names(self, word: str) -> bool:
        """Whether a typed word is an act of the draft, and not a move by itself."""
        return bool(self._ask(lambda game, draft: word in _acts(game, draft) and not self._is_move(word)))

    def _is_move(self, text: str) -> bool:
        try:
            return bool(self._parsed(text))
        except IllegalMove:
            return False

    def judged(self, text: str) -> str:
        """Of a typed move, why it may be played or not; "" if it is none."""
        typed = text.removeprefix(":")
        found = self._ask(lambda game, draft: game.sketch(game.drafted(draft, self._parsed(typed)), Look()))
        return "" if found is None else found.why

    def _parsed(self, text: str) -> str:
        position = self._board.position
        return read(position.rules, position.state, text)

    def take(self, move: str) -> bool:
        """A whole move in place of what was laid; whether the draft can hold it."""
        after = self._ask(lambda game, draft: game.drafted(draft, move))
        return after is not None and self._keep(after)

    def _keep(self, draft: Any) -> bool:
        seat = self._board.hand()
        if seat is not None:
            self._kept[seat] = _Kept(self._kept[seat].view, draft)
        return seat is not None

    def _ask(self, question: Callable[[Composing, Any], T | None]) -> T | None:
        """Ask the game about the draft as it is on what is seen now."""
        if self.fault:
            return None
        try:
            game, seat = composing(self._board.position.rules), self._board.hand()
            return None if game is None or seat is None else question(game, self._follow(game, seat))
        except LantableError:
            return None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code: the game must go on
            self.fault = safe_text(
                tr("moves must be typed here: {kind}: {error}", kind=type(error).__name__, error=error)
            )
            self._board.say(f"* {self.fault}")
            return None

    def _follow(self, game: Composing, seat: int) -> Any:
        view, kept = self._board.seen(seat), self._kept.get(seat)
        if kept is None or kept.view != view:
            kept = _Kept(view, game.draft(view, seat, None if kept is None else kept.draft))
            self._kept[seat] = kept
        return kept.draft


def _translated(sketch: Sketch) -> Sketch:
    return replace(
        sketch,
        picture=replace(sketch.picture, panel=tuple(map(shown, sketch.picture.panel))),
        line=shown(sketch.line),
        more=shown(sketch.more),
        verdict=shown(sketch.verdict),
        why=shown(sketch.why),
    )


def _acts(game: Composing, draft: Any) -> list[str]:
    return [press.act for press in game.sketch(draft, Look()).presses]
