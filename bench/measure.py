"""Distributions of what was measured, and targets that hold or do not."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

Say = Callable[[str], None]
SHOWN: Final = {"min": 0.0, "p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


@dataclass(frozen=True, slots=True)
class Distribution:
    """Measured values of one thing, in one unit."""

    name: str
    values: Sequence[float]
    unit: str = "ms"

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def at(self, share: float) -> float:
        """The smallest value that at least that share of all values does not exceed."""
        return sorted(self.values)[max(0, math.ceil(share * len(self.values)) - 1)]

    def __str__(self) -> str:
        shown = "  ".join(f"{label} {self.at(share):8.2f}" for label, share in SHOWN.items())
        return f"  {self.name:<42} {shown}  {self.unit}  ({len(self.values)} times)"


@dataclass(frozen=True, slots=True)
class Target:
    """What was aimed at, what came out, and whether that is good enough."""

    aim: str
    found: str
    held: bool

    def __str__(self) -> str:
        return f"{'held    ' if self.held else 'NOT HELD'}  {self.aim}: {self.found}"
