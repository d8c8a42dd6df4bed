"""Typed lines as they come, without stopping anything else."""

import os
import sys
from collections.abc import AsyncGenerator
from typing import Final

import trio

LONGEST_LINE: Final = 8192


def is_typed() -> bool:
    """Whether a person sits there, rather than a pipe or a file."""
    return sys.stdin is not None and sys.stdin.isatty()


async def lines() -> AsyncGenerator[str]:
    """Lines from standard input until its end.

    A thread blocks in `read` and is left behind when the program ends; reading the descriptor itself, past
    Python's buffer, holds no lock that the interpreter would wait for at exit.
    """
    buffer = b""
    while True:
        chunk = await trio.to_thread.run_sync(os.read, 0, LONGEST_LINE, abandon_on_cancel=True)
        if not chunk:
            break
        buffer += chunk
        *whole, buffer = buffer.split(b"\n")
        for line in whole:
            yield line[:LONGEST_LINE].decode("utf-8", "replace").strip()
        buffer = buffer[:LONGEST_LINE]
    if buffer.strip():
        yield buffer.decode("utf-8", "replace").strip()
