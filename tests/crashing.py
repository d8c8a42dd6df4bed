"""lantable, killed by itself with `kill -9` at chosen moments and started again, as one program to the outside.

    python -m tests.crashing PLAN --home DIR COMMAND ARGUMENT OPTIONS

PLAN is JSON: `{"seat": 0, "deaths": [[event, point], …]}`. The first life runs the command and dies at the first
event and point of the list; each next life goes on with the game (or repeats the command, if no record holds an
event yet) and dies at the next one; the last life plays to the end, and its exit code is the program's.

A life is a fork of a process that has imported everything and done nothing, so that a hundred of them take no
minute, and its death is a real SIGKILL. The product has no hook for this: its functions are wrapped from outside.
The clocks of reconnecting run faster than in earnest. Every frame handed to a connection is kept in the file
`sent` of the home, so that a test can look for a second signature among all that may have left the machine.
"""

import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import trio

from lantable.events import Ack, Seal, Signed
from lantable.host import Host
from lantable_console import cli, games
from lantable_net import messages, service
from lantable_net.channel import Channel
from lantable_net.mark import Mark
from lantable_net.node import Node
from lantable_replays import system
from lantable_replays.archive import Archive
from lantable_replays.record import RecordFile
from tests.forking import end_with_parent, reseed

POINTS: Final = (
    "before the write",
    "half written",
    "written",
    "synced",
    "marked",
    "sent",
    "acknowledged",
    "half sealed",
)
"""Moments in the life of an event, at its author or at another who takes it.

`sent`: what one signed of it, the line or an acknowledgement, has left, or its connection has ended; and nothing
later is written yet. `acknowledged`: the author has received the acknowledgement and done nothing about it; the other
has just written the K line."""
SENT: Final = "sent"
FASTER: Final = {
    service: {"BEAT_SECONDS": 0.1, "DIAL_SECONDS": 0.05, "LARGER_WAITS": 0.2, "RETRY_SECONDS": 0.1, "RETRY_MOST": 0.5},
    # Not faster but more patient: who has finished waits for one who is still being killed.
    games: {"FINISH_SECONDS": 30.0},
}
MISSED: Final = 99
"""Exit code if a life ended otherwise than by the death it was to die."""


def main(arguments: list[str]) -> int:
    plan, command = json.loads(arguments[0]), arguments[1:]
    end_with_parent()
    Host.load()  # imports every plugin, which each life would have to do
    code = 0
    for number, death in enumerate([*plan["deaths"], None]):
        words = command if number == 0 else next_command(command)
        print(f"life {number}: {words[2]}, until {death or 'the end'}", flush=True)
        child = os.fork()
        if child == 0:
            os._exit(live(words, plan["seat"], death))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if death and code != -signal.SIGKILL:
            print(f"life {number} ended with {code}", flush=True)
            return MISSED
    return code


def next_command(command: list[str]) -> list[str]:
    """What a person would start after a crash: `resume` if a record holds an event, else the same again."""
    records = Path(command[1]) / "records"
    games = [path.stem for path in sorted(records.glob("*.jsonl")) if b"\n" in path.read_bytes()]
    options = [word for word in ("--no-discovery", "--auto", "easy") if word in command]
    port = command[command.index("--port") :][:2]
    return [*command[:2], "resume", games[0], *options, *port] if games else command


def live(command: list[str], seat: int, death: tuple[int, str] | None) -> int:
    """One life, to its end or its death."""
    end_with_parent()
    reseed()
    for module, paces in FASTER.items():
        for name, seconds in paces.items():
            setattr(module, name, seconds)
    keep_what_is_sent(Path(command[1]) / SENT)
    if death:
        Watch(seat, *death).begin()
    code = cli.main(command)
    sys.stdout.flush()
    return code


def around(owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Let `wrapper` be called in place of a function, with the function itself before the arguments."""
    original = getattr(owner, name)
    setattr(owner, name, lambda *args, **named: wrapper(original, *args, **named))


def keep_what_is_sent(path: Path) -> None:
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def keep(send: Callable[[Channel, bytes], None], channel: Channel, payload: bytes) -> None:
        os.write(file, payload + b"\n")
        send(channel, payload)

    around(Channel, "send", keep)


class Watch:
    """Watches one life for the moment at which it is to end: this point of this event."""

    def __init__(self, seat: int, event: int, point: str) -> None:
        self.seat = seat
        self.event = event
        self.point = point
        self.writing = -1
        """Number of the event whose line is being written."""
        self.sending = -1
        """Number of the event of which what we signed is queued to be sent, on the channel `through`."""
        self.through: Channel | None = None

    def begin(self) -> None:
        around(RecordFile, "append", self.append)
        around(system, "sync_file", self.sync_file)
        around(Archive, "mark", self.mark)
        around(Channel, "send", self.send)
        around(trio.SSLStream, "send_all", self.send_all)
        around(Node, "receive", self.receive)

    def reached(self, point: str, event: int) -> None:
        if (point, event) == (self.point, self.event):
            os.kill(os.getpid(), signal.SIGKILL)

    def tear(self, point: str, event: int, file: int, line: bytes) -> None:
        if (point, event) == (self.point, self.event):
            os.write(file, line[: len(line) // 2])
            self.reached(point, event)

    def append(self, original: Callable[..., None], record: RecordFile, line: bytes, *, sync: bool) -> None:
        match messages.read(line):
            case Seal(seq=seq):
                self.tear("half sealed", seq, record.fileno(), line)
                original(record, line, sync=sync)
                if read_author(record.lines[-2]) != self.seat:
                    self.reached("acknowledged", seq)
            case Signed(event=event):
                self.finish_sending(event.seq)
                self.reached("before the write", event.seq)
                self.tear("half written", event.seq, record.fileno(), line)
                self.writing = event.seq
                original(record, line, sync=sync)
                self.writing = -1
                self.reached("synced", event.seq)

    def finish_sending(self, next_event: int) -> None:
        """The disk's thread may be quicker than the connection: what is to leave first leaves first."""
        if (self.point, self.event) == ("sent", self.sending) and next_event > self.event:
            assert self.through is not None
            trio.from_thread.run(self.through.drain)
            self.reached("sent", self.sending)

    def sync_file(self, original: Callable[[int], None], file: int) -> None:
        self.reached("written", self.writing)
        original(file)

    def mark(self, original: Callable[..., None], archive: Archive, game: bytes, data: bytes) -> None:
        original(archive, game, data)
        self.reached("marked", Mark.read(data).seq)

    def send(self, original: Callable[..., None], channel: Channel, payload: bytes) -> None:
        original(channel, payload)
        match messages.read(payload):
            case Signed(event=event) if event.seat == self.seat:
                self.sending, self.through = event.seq, channel
            case Ack(seat=self.seat, seq=seq):
                self.sending, self.through = seq, channel
            case Seal(sigs=sigs, seq=seq) if self.seat in sigs:
                self.sending, self.through = seq, channel
            case _:
                pass

    async def send_all(self, original: Callable[..., Awaitable[None]], stream: object, data: bytes) -> None:
        mine = self.through is not None and self.through._wire.stream is stream
        sending = self.sending if mine else -1
        await original(stream, data)
        self.reached("sent", sending)

    def receive(self, original: Callable[..., Any], node: Node, link: int, payload: bytes) -> Any:
        match messages.read(payload):
            case Ack(seat=seat, seq=seq) if seat != self.seat:
                self.reached("acknowledged", seq)
            case Seal(sigs=sigs, seq=seq) if self.seat not in sigs:
                self.reached("acknowledged", seq)
            case _:
                pass
        return original(node, link, payload)


def read_author(line: bytes) -> int:
    signed = messages.read(line)
    assert isinstance(signed, Signed)
    return signed.event.seat


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
