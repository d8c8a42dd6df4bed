"""A real browser without a window, as a person uses one: pages opened, keys pressed, things clicked, text read.

    with browsing() as browser:
        tab = browser.open(path)
        tab.press("ArrowLeft")
        tab.read("document.title")

Chromium is told what to do over a pipe, in its own DevTools protocol: one JSON object a message, each ended by a zero
byte. It gets a profile of its own, and no page may be fetched from anywhere but this machine's disk.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Final

import pytest

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
QUIET: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
    "--remote-debugging-pipe",
)  # fmt: skip
KEYS: Final = {
    "ArrowLeft": 37,
    "ArrowRight": 39,
    "Home": 36,
    "End": 35,
    " ": 32,
    "[": 219,
    "]": 221,
    ".": 190,
    ",": 188,
}
"""What a key is called, and the number that a keyboard sends for it."""


class Tab:
    """One page. What it logs as an error, or raises, is kept in `faults`."""

    def __init__(self, browser: "Browser", url: str) -> None:
        self._browser = browser
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session: str = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.faults: list[str] = []
        browser.watch(self._session, self._note)
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self._loaded = False
        self.go(url)

    def _note(self, event: dict[str, Any]) -> None:
        if event["method"] == "Page.loadEventFired":
            self._loaded = True
        elif event["method"] == "Runtime.exceptionThrown" or (
            event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error"
        ):
            self.faults.append(json.dumps(event["params"]))

    def go(self, url: str) -> None:
        """Load another page, and wait until it is there."""
        self._loaded = False
        self.ask("Page.navigate", url=url)
        while not self._loaded:
            self._browser.hear()

    def ask(self, method: str, **parameters: Any) -> Any:
        return self._browser.ask(method, self._session, **parameters)

    def read(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def text(self, where: str) -> str:
        """What stands in the first element that a selector finds."""
        return str(self.read(f"document.querySelector({json.dumps(where)}).textContent"))

    def press(self, *keys: str) -> None:
        """Keys, as a keyboard sends them."""
        for key in keys:
            key_of = {"key": key, "windowsVirtualKeyCode": KEYS[key], **({"text": key} if len(key) == 1 else {})}
            self.ask("Input.dispatchKeyEvent", type="keyDown", **key_of)
            self.ask("Input.dispatchKeyEvent", type="keyUp", **key_of)

    def click(self, where: str) -> None:
        """The middle of the first element that a selector finds, scrolled into view."""
        place = self.read(
            f"(() => {{ const it = document.querySelector({json.dumps(where)}); it.scrollIntoView({{block: 'center'}});"
            " const box = it.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)


class Browser:
    """The program, at the other end of two pipes."""

    def __init__(self, to: BinaryIO, answers: BinaryIO) -> None:
        self._to, self._from = to, answers
        self._numbers = count(1)
        self._rest = b""
        self._answers: dict[int, dict[str, Any]] = {}
        self._watchers: dict[str, Callable[[dict[str, Any]], None]] = {}

    def open(self, path: Path, at: str = "") -> Tab:
        return Tab(self, path.as_uri() + at)

    def watch(self, session: str, note: Callable[[dict[str, Any]], None]) -> None:
        self._watchers[session] = note

    def ask(self, method: str, session: str = "", **parameters: Any) -> Any:
        number = next(self._numbers)
        question = {"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        self._to.write(json.dumps(question).encode() + b"\0")
        self._to.flush()
        while number not in self._answers:
            self.hear()
        answer = self._answers.pop(number)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def hear(self) -> None:
        """Wait for one message, an answer or an event."""
        while b"\0" not in self._rest:
            more = os.read(self._from.fileno(), 1 << 16)
            assert more, "the browser is gone"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "id" in message:
            self._answers[message["id"]] = message
        elif note := self._watchers.get(message.get("sessionId", "")):
            note(message)


@contextmanager
def browsing() -> Generator[Browser]:
    """A browser while this lasts; the test is skipped where there is none."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip(f"no browser is installed here (one of {', '.join(PROGRAMS)})")
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # Chromium reads from descriptor 3 and writes to descriptor 4.
        line = f'exec "$0" "$@" 3<&{theirs_in} 4>&{theirs_out}'
        process = subprocess.Popen(
            ["bash", "-c", line, program, *QUIET, f"--user-data-dir={profile}"],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            with os.fdopen(ours_out, "wb") as to, os.fdopen(ours_in, "rb") as answers:
                browser = Browser(to, answers)
                yield browser
                browser.ask("Browser.close")
        finally:
            process.kill()
            process.wait()
