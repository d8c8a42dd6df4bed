"""What opening a long record costs: to play on, to replay it, and to list it. For information, without a target."""

import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.games import Sitting

from bench.auditing import seconds
from bench.measure import Distribution, Say, Target
from lantable.table import Table
from lantable_replays.archive import Archive
from lantable_replays.cursor import Cursor

ROUNDS: Final = 20
SIZE: Final = "12x12"


def run(say: Say, rounds: int = ROUNDS, size: str = SIZE) -> list[Target]:
    """Processor time and memory of opening one finished game with 4 seats; all its positions stay in memory."""
    sitting = Sitting(options=f"size={size}", seats=4).play()
    data, game, find_rules = sitting.data, sitting.game, sitting.host.rules_for
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        archive = Archive(Path(name))
        archive.path(game).write_bytes(data)

        def resume() -> Table:
            archive.close(game)
            lines, _ = archive.open(game)
            return Table.load(lines, find_rules)

        ways: dict[str, Callable[[], object]] = {
            "open the file and load the table": resume,
            "replay with every position": lambda: Cursor(data, find_rules),
            "sum up for the list of records": lambda: archive.summary(game, find_rules),
        }
        say(f"  {size}, 4 seats: {len(sitting.lines)} lines, {len(data) / 1024:.0f} KiB")
        for what, do in ways.items():
            kept, peak = memory(do)
            say(str(Distribution(what, [1000 * seconds(do) for _ in range(rounds)])))
            say(f"  {'':<42} keeps {kept / 1024:8.0f} KiB, {peak / 1024:.0f} KiB at most")
        archive.close_all()
    return []


def memory(do: Callable[[], object]) -> tuple[int, int]:
    """Bytes that what `do` returns keeps alive, and the most there were meanwhile."""
    do()  # what is cached by the first call belongs to the program, not to the record
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    result = do()
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del result
    return kept - before, peak - before
