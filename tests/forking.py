"""Programs as forks of a process that has imported everything and done nothing; Linux only.

    server(command, cwd).start(["lantable", "--home", "ada", "play", …])

runs `python -m lantable …`, or another module that is known here, with pipes as `subprocess.Popen` would.

Importing is nine tenths of what a short program does. A fork is a process of its own all the same: with its own
descriptors, signals, group, environment and exit, which is the interpreter's own. Tests that start programs elsewhere
or with another environment, and those of starting itself, run them from nothing.
"""

import atexit
import functools
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

MODULES: Final = ("lantable", "tests.crashing")
CAN_FORK: Final = sys.platform == "linux"
MAX_REQUEST: Final = 1 << 17


class Forked:
    """As much of `subprocess.Popen` as is needed. To be used by one thread, together with all others of its server."""

    def __init__(self, server: "Server", pid: int, pipes: Sequence[IO[bytes]]) -> None:
        self.pid = pid
        self.stdin, self.stdout, self.stderr = pipes
        self._server = server

    @property
    def returncode(self) -> int | None:
        return self._server.codes.get(self.pid)

    def poll(self) -> int | None:
        self._server.hear(0)
        return self.returncode

    def wait(self, seconds: float | None = None) -> int:
        deadline = None if seconds is None else time.monotonic() + seconds
        while (code := self.poll()) is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise subprocess.TimeoutExpired("lantable", seconds or 0)
            self._server.hear(left)
        return code

    def send_signal(self, number: int) -> None:
        # The server has reaped it before it tells: until then the number is no other process's.
        if self.poll() is None:
            os.kill(self.pid, number)


class Server:
    """Our end of the process that is forked."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self.codes: dict[int, int] = {}
        """How those that ended did, as `subprocess` has it."""
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # With pipes, so that its standard streams are already as those of its forks are to be.
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                env=env,
                cwd=cwd,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        atexit.register(self.close)

    def close(self) -> None:
        """It ends with this connection, and what still runs ends with it."""
        self._socket.close()
        self._process.communicate()

    def start(self, arguments: Sequence[str]) -> Forked:
        ends = [os.pipe() for _ in range(3)]
        (stdin, ours), *outs = ends[0], *ends[1:]
        theirs = [stdin, *(write for _, write in outs)]
        socket.send_fds(self._socket, [json.dumps(list(arguments)).encode()], theirs)
        for file in theirs:
            os.close(file)
        pipes: list[IO[bytes]] = [os.fdopen(ours, "wb"), *(os.fdopen(read, "rb") for read, _ in outs)]
        return Forked(self, self._started(), pipes)

    def _started(self) -> int:
        while (pid := self.hear(None)) is None:
            pass
        return pid

    def hear(self, seconds: float | None) -> int | None:
        """Wait for one message: the number of a process that was started, or None after noting one that ended."""
        if select.select([self._socket], [], [], seconds)[0]:
            message = self._socket.recv(MAX_REQUEST)
            assert message, f"the process that is forked has ended: {self._process.communicate()[1].decode()}"
            pid, code = json.loads(message)
            if code is None:
                return int(pid)
            self.codes[pid] = code
        return None


@functools.cache
def server(command: tuple[str, ...], cwd: Path) -> Server:
    """The server of this process, started when first needed; it ends with us."""
    from tests.programs import environment

    return Server(command, environment(), cwd)


# -- in the server


def serve(ours: socket.socket) -> list[str]:
    """Fork for every request. Returns in the fork, with the module that it is to run and its command line."""
    awake, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    while True:
        ready = select.select([ours.fileno(), awake], [], [])[0]
        if awake in ready:
            os.read(awake, 4096)
            report(ours)
        if ours.fileno() not in ready:
            continue
        request, files, _, _ = socket.recv_fds(ours, MAX_REQUEST, 3)
        if not request:
            sys.exit()
        if (pid := os.fork()) == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            become(files, [awake, wake, ours.detach()])
            return list(json.loads(request))
        for file in files:
            os.close(file)
        with suppress(OSError):  # the fork does it too; whoever comes first
            os.setpgid(pid, pid)
        ours.send(json.dumps([pid, None]).encode())


def report(ours: socket.socket) -> None:
    """Tell of all that have ended."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        ours.send(json.dumps([pid, os.waitstatus_to_exitcode(status)]).encode())


def become(files: Sequence[int], superfluous: Sequence[int]) -> None:
    """In a fork: be like a program that was started."""
    end_with_parent()
    os.setpgid(0, 0)
    for at, file in enumerate(files):
        os.dup2(file, at)
    for file in (*files, *superfluous):
        os.close(file)
    reseed()


def reseed() -> None:
    """Forks must not roll the same dice, neither ours nor those by which trio orders its tasks."""
    from trio._core import _run

    random.seed()
    _run._r.seed()


def end_with_parent() -> None:
    """An interrupted test run must leave nobody behind."""
    import ctypes

    pr_set_pdeathsig = 1
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def main(file: int) -> int:
    import gc

    from lantable.host import Host
    from lantable_console import cli, online, play, replay  # noqa: F401 - what a program would load
    from lantable_net import mdns  # noqa: F401
    from tests import crashing

    end_with_parent()
    Host.load()
    gc.freeze()
    module, *arguments = serve(socket.socket(fileno=file))
    return cli.main(arguments) if module == "lantable" else crashing.main(arguments)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
