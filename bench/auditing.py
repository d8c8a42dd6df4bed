"""How much of an audit is verifying signatures, which nobody can save.

The floor calls libsodium directly on the very messages and keys of the record. Both are timed by the processor
time of this thread, which other people's work disturbs least: so the figures are per core.
"""

import time
from collections.abc import Callable
from typing import Final

import nacl.bindings as sodium
from tests.games import Sitting

from bench.measure import Distribution, Say, Target
from lantable.chain import Chain
from lantable.events import Ack
from lantable.keys import ACK, EVENT_SIG, sha256
from lantable_replays.audit import GOOD, audit
from lantable_replays.record import read

LEAST: Final = 0.6
"""Of the signatures a second that the bare loop checks."""
ROUNDS: Final = 30
SIZE: Final = "12x12"


def run(say: Say, rounds: int = ROUNDS, size: str = SIZE) -> list[Target]:
    """Signatures a second and core, of an audit and of a bare loop over the same signatures."""
    return [_measured(say, rounds, size, seats) for seats in (2, 4)]


def _measured(say: Say, rounds: int, size: str, seats: int) -> Target:
    sitting = Sitting(options=f"size={size}", seats=seats).play()
    data, find_rules = sitting.data, sitting.host.rules_for
    chain = read(data).chain
    assert chain is not None and audit(data, find_rules).code == GOOD
    messages = signed_messages(chain)

    def bare() -> None:
        for message, key in messages:
            sodium.crypto_sign_open(message, key)

    floors: list[float] = []
    found: list[float] = []
    for _ in range(rounds):
        floors.append(len(messages) / seconds(bare) / 1000)
        found.append(len(messages) / seconds(lambda: audit(data, find_rules)) / 1000)
    what = f"{size}, {seats} seats, {len(messages)} signatures"
    floor, one = Distribution(f"bare verify, {what}", floors, "k/s"), Distribution(f"audit, {what}", found, "k/s")
    ratio = one.median / floor.median
    say(f"{floor}  (floor)")
    say(f"{one}  {ratio:.2f} x floor")
    aim = f"audit of {size} with {seats} seats at {LEAST} x bare verifying or more"
    return Target(aim, f"{ratio:.2f} x", ratio >= LEAST)


def signed_messages(chain: Chain) -> list[tuple[bytes, bytes]]:
    """Every signature of a record with the message below it, as libsodium wants it, and its key."""
    result: list[tuple[bytes, bytes]] = []
    for signed, seal in zip(chain.events, chain.seals, strict=True):
        result.append((signed.sig + EVENT_SIG + signed.h, chain.key(signed.event.seat).raw))
        message = Ack.message(chain.game, signed.event.seq, sha256(signed.line))
        result += [(sig + ACK + message, chain.key(seat).raw) for seat, sig in seal.sigs.items()]
    return result


def seconds(do: Callable[[], object]) -> float:
    """Processor time that one call takes."""
    begin = time.thread_time()
    do()
    return time.thread_time() - begin
