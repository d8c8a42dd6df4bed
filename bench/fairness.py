"""How long hidden tiles keep people waiting: every seat a process with a service, every event synced on every disk.

From event 0 until whoever is first may move there go by: the toss, the commitments, keys, a shuffle by every seat and
the shares, each event judged and acknowledged by all.

The processes of one machine share its processors, which the computers of so many people would not. So the processor
time of all of them is told beside the wait: divided by the number of processors it is the least that can come out here.
Times of different processes are compared by the machine's one monotonic clock.
"""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from tests.games import Sitting

from bench.fair_seat import GAME, Seen, sit
from bench.measure import Distribution, Say, Target
from bench.moving import FOLDER
from lantable_replays.audit import audit

SETUP_MS: Final = {2: 300.0, 3: 450.0, 4: 600.0}
DRAW_MS: Final = 20.0
DRAW_MORE_MS: Final = 15.0
"""For every seat beyond two."""
GAP_MS: Final = 50.0
AUDIT_MS: Final = 1000.0
ROUNDS: Final = 7
DRAWS: Final = 12
SECONDS: Final = 120.0
"""So long one game may take before the bench gives up."""


def run(say: Say, rounds: int = ROUNDS, draws: int = DRAWS, folder: Path = FOLDER) -> list[Target]:
    """Set-up, the wait for a draw, the longest gap of a loop, and the audit, for 2 to 4 seats, each a process."""
    folder.mkdir(exist_ok=True)
    targets: list[Target] = []
    for seats, most in SETUP_MS.items():
        timed = Timed()
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(prefix="bench-", dir=folder) as name:
                timed.note(_game(Path(name), seats, draws))
        setup = Distribution(f"{seats} seats: event 0 to first mover due", timed.setups)
        busy = Distribution(f"{seats} seats: processor time of all in that time", timed.busy)
        draw = Distribution(f"{seats} seats: a draw", timed.draws)
        gaps = Distribution(f"{seats} seats: longest gap of a loop in that time", timed.gaps)
        for line in (setup, busy, draw, gaps):
            say(str(line))
        wanted, cores = DRAW_MS + DRAW_MORE_MS * (seats - 2), f"{os.cpu_count()} processors"
        targets += [
            Target(
                f"{seats} seats are dealt within {most:.0f} ms", f"{setup.median:.0f} ms, {cores}", setup.median <= most
            ),
            Target(
                f"{seats} seats: a draw adds at most {wanted:.0f} ms", f"{draw.median:.1f} ms", draw.median <= wanted
            ),
            Target(f"{seats} seats: no gap above {GAP_MS:.0f} ms", f"{gaps.median:.1f} ms", gaps.median <= GAP_MS),
        ]
    return [*targets, *(_audited(say, seats, rounds) for seats in SETUP_MS)]


def _audited(say: Say, seats: int, rounds: int) -> Target:
    sitting = Sitting(GAME, seats=seats, fair=True).robots("greedy")
    times: list[float] = []
    for _ in range(rounds):
        begin = time.process_time()
        assert audit(sitting.data, sitting.host.rules_for).code == 0
        times.append(1000 * (time.process_time() - begin))
    took = Distribution(f"{seats} seats: audit of {len(sitting.lines) // 2} events, processor time", times)
    say(str(took))
    return Target(f"{seats} seats: audit within {AUDIT_MS:.0f} ms", f"{took.median:.0f} ms", took.median <= AUDIT_MS)


@dataclass
class Timed:
    """Milliseconds of everything measured, over all games of so many seats."""

    setups: list[float] = field(default_factory=list[float])
    busy: list[float] = field(default_factory=list[float])
    """Processor time of the same, of all seats together."""
    draws: list[float] = field(default_factory=list[float])
    gaps: list[float] = field(default_factory=list[float])

    def note(self, seats: Sequence[Seen]) -> None:
        """One game, as each of its seats saw it."""
        begin = min(seen.began for seen in seats)
        turns = sorted((seq, at) for seen in seats for seq, at in seen.turns.items())
        self.setups.append(1000 * (turns[0][1] - begin))
        self.busy.append(1000 * sum(seen.busy for seen in seats))
        self.gaps.append(1000 * max(seen.gap for seen in seats))
        moves = {seq: at for seen in seats for seq, at in seen.moves.items()}
        for move, sealed in moves.items():
            after = next(((seq, at) for seq, at in turns if seq >= move), None)
            # The rest drew nothing, or were played when the bag was empty.
            if after is not None and after[0] > move:
                self.draws.append(1000 * (after[1] - sealed))


def _game(folder: Path, seats: int, draws: int) -> list[Seen]:
    """One game between so many processes, which begin as forks of one that has imported everything."""
    able = multiprocessing.get_all_start_methods()
    context = (
        multiprocessing.get_context("forkserver") if "forkserver" in able else multiprocessing.get_context("spawn")
    )
    context.set_forkserver_preload(["bench.fair_seat"])
    ours: list[Connection] = []
    running: list[multiprocessing.process.BaseProcess] = []
    for number in range(seats):
        here, there = context.Pipe()
        process = context.Process(target=sit, args=(number, seats, draws, folder, there), daemon=True)
        process.start()
        there.close()
        ours.append(here)
        running.append(process)
    ports = [_hear(pipe) for pipe in ours]
    for pipe in ours:
        pipe.send(ports)
    found: list[Seen] = [_hear(pipe) for pipe in ours]
    for pipe in ours:
        pipe.close()
    for each in running:
        each.join()
    return found


def _hear(pipe: Connection) -> Any:
    if not pipe.poll(SECONDS):
        raise TimeoutError("a seat of the bench says nothing")
    return pipe.recv()
