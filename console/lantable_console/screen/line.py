"""The input line of the screen: what is being typed, and which of the ways to go on stands there now."""

from collections.abc import Sequence

from prompt_toolkit.buffer import Buffer


class InputLine:
    """Closed, or open with some text."""

    def __init__(self) -> None:
        self.buffer = Buffer(multiline=False)
        self.is_open = False
        self._cycle: tuple[str, int, str] | None = None
        """What was begun, which way to go on was put there last, and what then stood in the line."""

    @property
    def text(self) -> str:
        return self.buffer.text

    @property
    def begun(self) -> str:
        """What the person typed, before it was completed; whatever is typed after that begins anew."""
        return self._cycle[0] if self._cycle is not None and self._cycle[2] == self.text else self.text

    def open(self, text: str) -> None:
        """Begin to type, with some text already there."""
        self.is_open, self._cycle = True, None
        self._put(text)

    def close(self) -> None:
        """Nothing is typed any more."""
        self.is_open, self._cycle = False, None
        self.buffer.reset()

    def cycle(self, offered: Sequence[str], step: int) -> None:
        """Put the next of the ways to go on with what was begun."""
        if offered:
            begun = self.begun
            at = self._cycle[1] if self._cycle is not None and self._cycle[2] == self.text else -1
            at = (at + step) % len(offered)
            self._put(offered[at])
            self._cycle = begun, at, self.text

    def _put(self, text: str) -> None:
        self.buffer.text = text
        self.buffer.cursor_position = len(text)
