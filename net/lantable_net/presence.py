"""Whether somebody who is listed is still there. No clock, no socket: moments come in as seconds.

Multicast DNS keeps a program that was killed on the list for many minutes. So everybody listed is dialled, and the
connection carries heartbeats: that is the probe. What it says becomes one of four words by the table below.

    connected and heard of lately                      here
    not connected, and dialling has not failed         listed
    silent, or dialling fails                          gone?
    the same for long, or they said goodbye            not shown any more, until a sign of life

The question mark is meant: a cable that is pulled looks the same.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

GONE_SECONDS: Final = 5.0
"""A heartbeat comes every second; so much silence on a connection is doubtful."""
REMOVE_SECONDS: Final = 15.0
"""After so long without a sign of life, and with dialling failing, nobody is shown there any more."""


class Presence(Enum):
    """What the list says of somebody; the value is the word for people."""

    HERE = "here"
    LISTED = "listed"
    GONE = "gone?"
    REMOVED = "removed"


@dataclass(slots=True)
class Signs:
    """What is known of whether one key is alive: the last sign of life, and what came of dialling since."""

    last: float
    connected: bool = False
    failed: bool = False
    goodbye: bool = False
    told: Presence = Presence.LISTED
    """What was last said of them."""

    def alive(self, now: float) -> None:
        """Something came from them, or was announced by them."""
        self.last, self.failed, self.goodbye = now, False, False

    def presence(self, now: float) -> Presence:
        """The table above."""
        silent = now - self.last
        if self.connected and silent <= GONE_SECONDS:
            return Presence.HERE
        if self.goodbye or (self.failed and silent > REMOVE_SECONDS):
            return Presence.REMOVED
        return Presence.GONE if self.connected or self.failed else Presence.LISTED
