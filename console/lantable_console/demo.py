"""`lantable demo`: two peers on this machine find each other by real multicast DNS, play a whole game over real
TLS, and then everything that lantable promises is checked from the files alone.

The two are real programs with folders of their own; nothing here is a shortcut past what two people would do.
"""

import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from lantable.errors import Misuse
from lantable.fold import Position
from lantable_console.computers import opponent_of
from lantable_console.context import Context
from lantable_console.language import by_language, tr
from lantable_replays.audit import audit
from lantable_replays.cursor import Cursor

PATIENCE_SECONDS: Final = 60.0
"""A whole game of the default size takes a few seconds; a demo that hangs must end by itself."""
PLAYERS: Final = ("Ada", "Bob")


@dataclass(slots=True)
class Player:
    """One of the two programs, its folder and what it printed."""

    name: str
    home: Path
    process: subprocess.Popen[str]
    printed: list[str] = field(default_factory=list[str])

    def echo(self, stream: IO[str], say: Callable[[str], None]) -> None:
        for line in stream:
            self.printed.append(line.rstrip("\n"))
            say(f"  {self.name} | {line.rstrip()}")

    @property
    def record(self) -> bytes:
        """The one record of this player. Raises `Misuse` if there is none."""
        files = sorted((self.home / "records").glob("*.jsonl"))
        if len(files) != 1:
            raise Misuse(
                tr("{name} holds {files} records where the demo expects one", name=self.name, files=len(files))
            )
        return files[0].read_bytes()


def run(context: Context) -> int:
    """0 only if they met, played to the end, and everything checked afterwards held."""
    game, _ = context.chosen_game()
    opponent_of(game, "easy")
    folder = Path(context.args.keep or tempfile.mkdtemp(prefix="lantable-demo-"))
    homes = [folder / name.lower() for name in PLAYERS]
    if any((home / "records").exists() for home in homes):
        raise Misuse(tr("{folder} already holds a demo; choose another folder", folder=folder))
    context.say(
        tr(
            "* {players} and {players2} play {titles}; their folders are in {folder}",
            players=PLAYERS[0],
            players2=PLAYERS[1],
            titles=by_language(game.titles),
            folder=folder,
        )
    )
    started = time.monotonic()
    players = _play(context, homes)
    checks = _checks(context, players)
    for text, held in checks:
        context.say(f"* {'ok  ' if held else 'FAIL'} {text}")
    good = all(held for _, held in checks)
    context.say(
        tr(
            "* {what}, in {seconds} s",
            what=tr("everything held") if good else tr("something did not hold"),
            seconds=format(time.monotonic() - started, ".1f"),
        )
    )
    return 0 if good else 1


def _play(context: Context, homes: Sequence[Path]) -> list[Player]:
    """Start both programs and wait until they are done; what they print is shown as it comes."""
    table = f"demo-{secrets.token_hex(3)}"
    args = context.args
    host = ["host", args.game, "--rules", args.rules, "--table", table, "--open"]
    players: list[Player] = []
    threads: list[threading.Thread] = []
    for name, home, command in zip(PLAYERS, homes, (host, ["join", table]), strict=True):
        _program(context, home, ["id", "name", name]).wait(PATIENCE_SECONDS)
        process = _program(context, home, [*command, "--auto", "easy", "--seed", name])
        player = Player(name, home, process)
        players.append(player)
        for stream in (process.stdout, process.stderr):
            assert stream is not None  # noqa: S101 - asked for as pipes
            threads.append(threading.Thread(target=player.echo, args=(stream, context.say)))
            threads[-1].start()
    deadline = time.monotonic() + PATIENCE_SECONDS
    for player in players:
        try:
            player.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            player.process.kill()
    for thread in threads:
        thread.join()
    return players


def _program(context: Context, home: Path, arguments: list[str]) -> subprocess.Popen[str]:
    plugins = [word for file in context.args.plugin or () for word in ("--plugin", file)]
    return subprocess.Popen(  # noqa: S603 - our own program, with arguments of our own
        [sys.executable, "-m", "lantable", "--home", str(home), "--plain", *plugins, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def _checks(context: Context, players: Sequence[Player]) -> list[tuple[str, bool]]:
    """What must hold, as sentences with whether it did. Later checks need the earlier ones."""
    checks = [
        (tr("{name} finished with exit code 0", name=player.name), player.process.returncode == 0) for player in players
    ]
    met = all(any(line.endswith("is here") for line in player.printed) for player in players)
    words = [[line for line in player.printed if "should now see the words" in line] for player in players]
    # If both dialled at once, the words of the connection that stayed are the last.
    same = all(words) and len({lines[-1].rsplit(" ", 1)[1] for lines in words}) == 1
    checks += [(tr("both found each other"), met), (tr("both saw the same four words"), same)]
    if not all(held for _, held in checks):
        return checks
    first, second = (player.record for player in players)
    checks.append((tr("both records are the same, byte for byte ({first} bytes)", first=len(first)), first == second))
    for player in players:
        report = audit(player.record, context.host.rules_for)
        checks.append(
            (tr("the audit of {name}'s record: {result}", name=player.name, result=report.result), report.code == 0)
        )
    cursor = Cursor(first, context.host.rules_for)
    checks.append(
        (tr("the game replays forwards and backwards ({cursor} events)", cursor=len(cursor)), _replays(cursor))
    )
    return checks


def _replays(cursor: Cursor) -> bool:
    """Whether every position is the same reached forwards, backwards and by seeking."""
    if cursor.broken is not None:
        return False
    forwards = [cursor.position]
    while cursor.forward():
        forwards.append(cursor.position)
    backwards = [cursor.position]
    while cursor.back():
        backwards.append(cursor.position)
    sought: list[Position] = []
    for seq in range(len(forwards)):
        cursor.seek(seq)
        sought.append(cursor.position)
    return forwards == backwards[::-1] == sought
