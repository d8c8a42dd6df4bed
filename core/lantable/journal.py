"""What a home must not lose, as the small protocol through which the network writes.

`lantable_replays` implements it with files and hands it to the network by way of the console; tests
implement it in memory. Every method blocks until done and raises `DiskFault` if it could not do it; after
that the session signs nothing more in this process.
"""

from typing import Protocol


class Journal(Protocol):
    """Append-only records by game id, with a mark and side files beside each."""

    def create(self, game: bytes, line: bytes) -> None:
        """A new record holding event 0, synced to disk together with its folder."""
        ...

    def append(self, game: bytes, line: bytes, *, sync: bool) -> None:
        """One more line by a single write; if `sync`, on disk before this returns."""
        ...

    def mark(self, game: bytes, data: bytes) -> None:
        """Replace the high-water mark: the newest thing signed for this game. Needs no sync."""
        ...

    def keep(self, game: bytes, kind: str, data: bytes) -> None:
        """Keep a side file (`proof`, `refused`) beside the record, synced. Never overwrites another."""
        ...

    def set_aside(self, game: bytes) -> None:
        """Move away a record whose game was never begun."""
        ...
