"""What all tests share: how hypothesis runs, and that the long evidence runs only when asked for."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings

# Whoever runs the tests may have settings and a language of their own; here and in every program started from here
# there are none.
os.environ["XDG_CONFIG_HOME"] = os.path.join(os.path.dirname(__file__), "no-settings-here")
for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
    os.environ.pop(name, None)
os.environ["LANG"] = "C.UTF-8"

# A build compiles the translations; a checkout that was never installed has none yet.
with suppress(ImportError):
    from hatch_build import compile_catalogues

    compile_catalogues(Path(__file__).parent.parent)

EVIDENCE = os.environ.get("LANTABLE_EVIDENCE") == "1"

# A test that fails must fail again, here and elsewhere, so every run draws the same examples; the evidence
# runs look further. A slow machine is no failure.
settings.register_profile("every-day", derandomize=True, deadline=None, max_examples=60)
settings.register_profile("evidence", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("evidence" if EVIDENCE else "every-day")

# A shell lets its background jobs ignore Ctrl-C, and nohup lets them ignore a hang-up. Programs under test would
# inherit that, and not end when a test asks them to. A handler is not inherited, and one that does nothing ignores too.
for number in (getattr(signal, name, None) for name in ("SIGINT", "SIGHUP")):
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda _number, _frame: None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are cores: what programs and networks do takes time in which nothing is computed."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked `evidence` unless LANTABLE_EVIDENCE=1."""
    skip = pytest.mark.skip(reason="takes long; run by LANTABLE_EVIDENCE=1")
    for item in items:
        if not EVIDENCE and item.get_closest_marker("evidence"):
            item.add_marker(skip)
