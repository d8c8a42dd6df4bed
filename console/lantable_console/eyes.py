"""Who looks at a game, and so what may be shown of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lantable.fold import Position


@dataclass(frozen=True, slots=True)
class Eyes:
    """Through whose eyes a position is seen: a seat's or a spectator's (None), or with everything `revealed`."""

    seat: int | None = None
    revealed: bool = False

    def view(self, position: "Position") -> Any:
        """What they see, to be drawn."""
        from lantable.dealing import revealed  # the first frame is drawn without it

        rules, state = position.rules, position.state
        return revealed(rules, state, self.seat) if self.revealed else rules.view(state, self.seat)
