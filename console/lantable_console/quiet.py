"""How much strangers may say on the screen.

Keys cost nothing, so a crowd of them can come, go and change its tables all evening, and each time there is a line
to print. People met before have a measure each; everybody new shares one, and what exceeds it is not told.
"""

from typing import Final

from lantable.keys import PublicKey
from lantable_net.channel import TokenBucket

LINES_AT_ONCE: Final = 30
LINES_A_SECOND: Final = 0.5


class Quiet:
    """Measures news by whom it is about. Moments come in as seconds."""

    def __init__(self, rate: float = LINES_A_SECOND, burst: float = LINES_AT_ONCE) -> None:
        self._rate, self._burst = rate, burst
        self._measures: dict[PublicKey | None, TokenBucket] = {}
        self._hushed: set[PublicKey | None] = set()

    def tells(self, key: PublicKey | None, now: float) -> bool:
        """Whether one more line about this person (None: about somebody new) may be shown; if so it counts."""
        measure = self._measures.setdefault(key, TokenBucket(self._rate, self._burst, now))
        if measure.wait(now) > 0:
            return False
        measure.spend(1)
        if measure.wait(now) == 0:
            self._hushed.discard(key)
        return True

    def hushes(self, key: PublicKey | None) -> bool:
        """Whether it is time to say that no more is told of them: once, until they calm down."""
        if key in self._hushed:
            return False
        self._hushed.add(key)
        return True
