"""The newest thing a seat has signed for a game, so that it never signs another in its place."""

from dataclasses import dataclass
from typing import Any, Self

from lantable import canonical
from lantable.canonical import Fields
from lantable.events import Signed


@dataclass(frozen=True, slots=True)
class Mark:
    """The newest thing this seat signed for a game, kept beside the key in case the record's end is lost.

    "It refuses any other signature at that seq": `line` is the whole event if this seat is its author.
    """

    seq: int
    h: bytes
    line: bytes | None = None

    @classmethod
    def of(cls, signed: Signed, *, author: bool) -> Self:
        return cls(signed.event.seq, signed.h, signed.line if author else None)

    def allows(self, seq: int, h: bytes) -> bool:
        """Below the mark this seat signed too, and the other copies it has caught up with hold what it signed."""
        return seq != self.seq or h == self.h

    def write(self) -> bytes:
        value: dict[str, Any] = {"seq": self.seq, "h": self.h.hex()}
        if self.line is not None:
            value["line"] = self.line.decode()
        return canonical.write(value)

    @classmethod
    def read(cls, data: bytes) -> Self:
        """Raises `Untrusted`."""
        fields = Fields(canonical.read(data), "mark")
        line = fields.text("line", canonical.MAX_LINE).encode() if fields.has("line") else None
        mark = cls(fields.number("seq"), fields.hex("h", 32), line)
        fields.done()
        return mark
