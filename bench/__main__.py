"""`python -m bench [NAME ...]`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Final

from bench import auditing, dealing, endings, fairness, generator, moving, opening, screen, seeing, starting
from bench.measure import Say, Target

BENCHES: Final[dict[str, Callable[[Say], list[Target]]]] = {
    "start": starting.run,
    "move": moving.run,
    "audit": auditing.run,
    "open": opening.run,
    "see": seeing.run,
    "screen": screen.run,
    "generator": generator.run,
    "endings": endings.run,
    "dealing": dealing.run,
    "fair": fairness.run,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benches that were named, or all; 1 if a target was not held."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure, beside a floor of the same run.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHES)} (default: all)")
    names: list[str] = parser.parse_args(argv).names or list(BENCHES)
    if unknown := [name for name in names if name not in BENCHES]:
        parser.error(f"there is no bench {unknown[0]!r}, only {', '.join(BENCHES)}")
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    targets: list[Target] = []
    for name in names:
        print(f"\n{name}: {BENCHES[name].__doc__}", flush=True)
        targets += BENCHES[name](lambda line: print(line, flush=True))
    print()
    for target in targets:
        print(target)
    return 0 if all(target.held for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
