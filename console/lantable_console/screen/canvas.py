"""A frame on the terminal: its rows as prompt_toolkit's text around the input line, the cursor, what a click means."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout import BufferControl, Dimension, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.utils import get_cwidth

from lantable_console.screen import theme
from lantable_console.screen.frame import Frame, Row
from lantable_console.settings import Looks

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone


class Canvas:
    """Three windows: what is above the input line, the line itself, what is below. `click` is told what was clicked."""

    def __init__(self, looks: Looks, buffer: Buffer, mouse: Callable[[], bool], click: Callable[[str], None]) -> None:
        self.frame = Frame((), 0)
        self._looks = looks
        self._mouse = mouse
        self._click = click
        self._top = Window(
            FormattedTextControl(self._above, focusable=True, get_cursor_position=self._cursor),
            height=lambda: _exactly(len(self.frame.rows) if self.frame.line is None else self.frame.line),
        )
        self._line = Window(
            BufferControl(buffer, input_processors=[BeforeInput(lambda: self.frame.prompt)]),
            height=lambda: _exactly(0 if self.frame.line is None else 1),
        )
        below = Window(
            FormattedTextControl(self._below),
            height=lambda: _exactly(0 if self.frame.line is None else len(self.frame.rows) - self.frame.line - 1),
        )
        self.layout = Layout(HSplit([self._top, self._line, below], style="class:screen"), focused_element=self._top)

    def focus(self, *, typing: bool) -> None:
        """Keys go to the input line, or to the board."""
        self.layout.focus(self._line if typing else self._top)

    def _above(self) -> StyleAndTextTuples:
        return self._fragments(self.frame.rows[: self.frame.line])

    def _below(self) -> StyleAndTextTuples:
        return [] if self.frame.line is None else self._fragments(self.frame.rows[self.frame.line + 1 :])

    def _fragments(self, rows: tuple[Row, ...]) -> StyleAndTextTuples:
        result: StyleAndTextTuples = []
        for row in rows:
            for piece in theme.signed(row) if self._looks.unicode else row:
                style = theme.fragment(piece.style)
                if piece.act and self._mouse():
                    result.append((style, piece.text, self._clicks(piece.act)))
                else:
                    result.append((style, piece.text))
            result.append(("", "\n"))
        return result[:-1]

    def _cursor(self) -> Point:
        """The cursor's place counted in characters, as prompt_toolkit wants it."""
        column, line = self.frame.cursor
        if line >= len(self.frame.rows):
            return Point(0, 0)
        text = "".join(piece.text for piece in self.frame.rows[line])
        at = cells = 0
        while at < len(text) and cells < column:
            cells += get_cwidth(text[at])
            at += 1
        return Point(at, line)

    def _clicks(self, act: str) -> "Callable[[MouseEvent], NotImplementedOrNone]":
        def clicked(event: MouseEvent) -> "NotImplementedOrNone":
            if event.event_type is not MouseEventType.MOUSE_UP:
                return NotImplemented
            self._click(act)
            return None

        return clicked


def _exactly(rows: int) -> Dimension:
    """So many rows, and never a complaint that they do not fit."""
    return Dimension(min=0, preferred=rows, max=rows)
