"""Real lantable programs, driven as people and scripts drive them: typed to, read, and killed.

    with Stage(tmp_path) as stage:
        ada = stage.start("ada", "host", "dots-and-boxes", "--rules", "size=1x1")
        bob = stage.start("bob", "join", ada.address())
        ada.expect("your turn")
        ada.type("a1r")
        bob.expect_move("ada", "a1r")
        bob.kill()

Nothing here sleeps. `expect` returns as soon as the line is there, and fails with all that everybody printed
if it does not come in time, or can come no more because the program has ended. Whatever was started is killed
when the stage closes, and then no program may have spoken of a bug of its own.

A name is a folder below the stage's: the player's home, with a key made by an earlier run under that name.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Final, Self

from lantable_console.home import Home
from tests import forking
from tests.cli import run

ROOT: Final = Path(__file__).parent.parent
SOURCES: Final = ("core", "net", "plugins", "replays", "console")
PATIENCE: Final = 30.0
"""Seconds until something that should happen counts as not happening. All such times are for a machine that does
nothing else, and are stretched by `crowd` before they count."""
LANTABLE: Final = (sys.executable, "-m", "lantable")
TOGETHER: Final = ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
"""Begins the command line of a program that is killed when this one ends, even if this one is killed itself."""
FORKED: Final = (*TOGETHER, sys.executable, "-m", "tests.forking")
GAME: Final = "dots-and-boxes"


class Program:
    """One running program. `lines` are what it printed on both streams, `errors` those of stderr among them."""

    def __init__(self, name: str, process: "subprocess.Popen[bytes] | forking.Forked") -> None:
        self.name = name
        self.lines: list[str] = []
        self.errors: list[str] = []
        self._times: list[float] = []
        self._read = 0
        self._printed = threading.Condition()
        self._process = process
        self._readers = [
            threading.Thread(target=self._collect, args=(stream, kept), daemon=True)
            for stream, kept in ((self._process.stdout, None), (self._process.stderr, self.errors))
        ]
        for reader in self._readers:
            reader.start()

    def _collect(self, stream: IO[bytes], kept: list[str] | None) -> None:
        for raw in stream:
            line = raw.decode("utf-8", "replace").rstrip("\n")
            with self._printed:
                self.lines.append(line)
                self._times.append(time.monotonic())
                if kept is not None:
                    kept.append(line)
                self._printed.notify_all()
        with self._printed:
            self._readers.remove(threading.current_thread())
            self._printed.notify_all()

    @property
    def pid(self) -> int:
        return self._process.pid

    # -- reading

    def expect(self, *texts: str, seconds: float = PATIENCE) -> str:
        """The next line that contains these texts in this order; the following `expect` looks after it."""
        return self.match(".*".join(map(re.escape, texts)), seconds).string

    def match(self, pattern: str, seconds: float = PATIENCE) -> re.Match[str]:
        """As `expect`, for a regular expression."""
        deadline, stretched = time.monotonic() + seconds, False
        with self._printed:
            while True:
                while self._read < len(self.lines):
                    self._read += 1
                    if found := re.search(pattern, self.lines[self._read - 1]):
                        return found
                left = deadline - time.monotonic()
                if left <= 0 and self._readers and not stretched:
                    deadline, stretched = deadline + seconds * (crowd() - 1), True
                elif left <= 0 or not self._readers:
                    why = "within the time" if self._readers else "before it ended"
                    raise AssertionError(f"{self.name} did not print {pattern!r} {why}; it printed\n{self}")
                self._printed.wait(left)

    def expect_move(self, name: str, move: str) -> None:
        """The line that tells of this move of this player."""
        self.match(rf"^\* \d+ {name} .*\b{move};")

    def address(self, host: str = "127.0.0.1") -> str:
        """Where it listens, as it says when it opens a table or the lobby."""
        port = self.match(r"(?:by address: lantable join|can reach you at) \S+:(\d+)$")[1]
        return f"{host}:{port}"

    def __str__(self) -> str:
        """What it printed, each line with the second of the minute, to be compared with the others'."""
        said = zip(self._times, self.lines, strict=True)
        return "\n".join(f"  {at % 60:6.2f} {self.name} | {line}" for at, line in said) or f"  {self.name} | (nothing)"

    # -- typing

    def type(self, *lines: str) -> None:
        """Type lines, each with its Enter."""
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self._process.stdin.flush()

    def hang_up(self) -> None:
        """Close its standard input."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    # -- ending

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        """`kill -9`, and gone on return."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def ends(self, seconds: float = PATIENCE) -> int:
        """The exit code of a program that ends by itself; 128 + n if signal n ended it, as a shell has it."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        try:
            code = self._process.wait(seconds * (crowd() - 1) if self._process.returncode is None else 0)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} did not end in time; it printed\n{self}") from None
        for reader in list(self._readers):
            reader.join(PATIENCE)
        return code if code >= 0 else 128 - code

    def close(self) -> None:
        self.kill()
        for reader in list(self._readers):
            reader.join(PATIENCE)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


class Stage:
    """Where the programs of one test run: a folder with a home for each player. Closing it kills them all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs: list[Program] = []
        self._held = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for program in self.programs:
            program.close()
            print(program)  # pytest shows this of a test that failed
        self._held.close()
        for program in self.programs:
            confessions = [line for line in program.lines if "bug of lantable" in line or "Traceback" in line]
            assert not confessions, f"{program.name} found a bug:\n{program}"

    # -- homes

    def home(self, name: str) -> Path:
        """The player's folder, with a key under this name."""
        folder = self.folder / name
        home = Home(folder)
        if not home.has_key():
            home.key_file(name)
        return folder

    def records(self, name: str) -> list[Path]:
        return sorted((self.folder / name / "records").glob("*.jsonl"))

    def record(self, name: str) -> bytes:
        """The bytes of the one record in a home."""
        (path,) = self.records(name)
        return path.read_bytes()

    def sides(self, name: str) -> list[str]:
        """Names of the side files that speak of trouble in a home: proofs, refusals, torn lines."""
        files = (self.folder / name / "records").glob("*.*")
        return sorted(path.name for path in files if path.suffix != ".jsonl")

    # -- programs

    def port(self) -> int:
        """A port for a program that is to come back to it, and nobody else's until the stage closes.

        While no program listens there, connections to it are refused.
        """
        both = socket.has_dualstack_ipv6()
        held = self._held.enter_context(socket.socket(socket.AF_INET6 if both else socket.AF_INET))
        if both:
            held.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        # On Linux a port that is bound so, and at which nobody listens, can still be listened at by whoever names it,
        # and is given to nobody who does not: neither to a listener at port 0 nor to an outgoing connection.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("", 0))
        port: int = held.getsockname()[1]
        if sys.platform != "linux":
            self._held.close()
        return port

    def start(
        self,
        name: str,
        *arguments: str,
        program: Sequence[str] = LANTABLE,
        where: Sequence[str] = (),
        discovery: bool = False,
        stdin: int | None = subprocess.PIPE,
        asks: bool = False,
        **env: str,
    ) -> Program:
        """Start `lantable ARGUMENTS` with this player's home. `where` is a command that runs commands elsewhere.

        A host lets everybody sit down, unless it `asks`.
        Without `discovery` (and unless ports or discovery are spoken of) tests on one machine do not meet each other.
        """
        words = [*where, *program, "--home", str(self.home(name)), *arguments]
        if not discovery and arguments[0] in ("host", "join", "resume", "lobby"):
            words += ["--no-discovery"]
            words += [] if "--port" in arguments else ["--port", "0"]
        if arguments[0] == "host" and "--first" not in arguments:
            words += ["--first", "me"]  # a test that types moves must know who begins
        if arguments[0] == "host" and not asks:
            words += ["--open"]
        process: subprocess.Popen[bytes] | forking.Forked
        python, _, module, *rest = words
        if forking.CAN_FORK and python == sys.executable and module in forking.MODULES and stdin and not env:
            process = forking.server(FORKED, ROOT).start([module, *rest])
        else:
            # A group of its own, so that a program that starts others is killed with them.
            process = subprocess.Popen(
                [*TOGETHER, *words],
                cwd=ROOT,
                env=environment(**env),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,
            )
        self.programs.append(Program(name, process))
        return self.programs[-1]

    def audit(self, name: str, *arguments: str) -> int:
        """The exit code of `lantable audit` for the records of a home, run in this process."""
        return run(*arguments, "audit", *map(str, self.records(name))).code

    def assert_all_good(self, *names: str) -> None:
        """Everybody holds the same one record, complete and by the rules; and nobody has anything to prove."""
        first = self.record(names[0])
        for name in names:
            assert self.record(name) == first, f"the records of {names[0]} and {name} differ"
            assert self.sides(name) == []
            assert self.audit(name) == 0


def crowd() -> float:
    """How many times longer things take now than they would if this process had a core for itself.

    Ten users of two cores make every promise about seconds false, and say nothing about the program under test.
    """
    work = 0.05
    wall, busy = time.perf_counter(), time.thread_time()
    while time.thread_time() < busy + work:
        pass
    return max(1.0, (time.perf_counter() - wall) / work)


def environment(**more: str) -> dict[str, str]:
    """The environment for a program: this one without what would change how lantable or Python behaves.

    Some places forbid Python to keep its bytecode; compiling everything anew is a third of each program's start.
    """
    unlike = ("LANTABLE_", "PYTEST_", "PYTHON")
    env = {name: value for name, value in os.environ.items() if not name.startswith(unlike)}
    env["PYTHONPATH"] = os.pathsep.join([*(str(ROOT / folder) for folder in SOURCES), str(ROOT)])
    return env | more
