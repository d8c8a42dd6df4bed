"""The data folder of one player: key, trust, records, and the lock that keeps a second program out.

key.json      the signing key and what is derived from it; readable by the owner alone
trust.json    people met: new, seen, compared, blocked
records/      one file a game, named by its id
lock          held while a program runs here: two would sign different events with one key, and
              accuse their honest owner of a fork
"""

import os
import secrets
import threading
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import platformdirs

from lantable import canonical
from lantable.canonical import Fields, Json
from lantable.chain import Chain
from lantable.dealing import Dealer
from lantable.dealing.fair_dealer import FairDealer
from lantable.dealing.seed import SeedDealer, SeedDealing, derive
from lantable.errors import DiskFault, Misuse, Untrusted
from lantable.events import MAX_NAME, Nack
from lantable.keys import PrivateKey, PublicKey
from lantable.text import safe_text
from lantable_console.language import tr
from lantable_net.handshake import Identity, Peer
from lantable_net.messages import Address, Message, Proof, read_addresses
from lantable_net.trust import TrustStore, Verdict
from lantable_replays import system
from lantable_replays.archive import Archive

KEY_VERSION: Final = 1
MAX_ADDRESS_FILE: Final = 1 << 20
T = TypeVar("T")


def timer_ms() -> int:
    """Milliseconds that only ever grow, whatever is done to the clock on the wall."""
    return time.monotonic_ns() // 1_000_000


def now_ms() -> int:
    """Milliseconds since 1970, for people."""
    return time.time_ns() // 1_000_000


def local_time(ms: int) -> str:
    """Milliseconds since 1970 as this computer's time of day, such as `2025-11-30 12:00:01`."""
    try:
        return datetime.fromtimestamp(ms // 1000).isoformat(sep=" ")
    except (ValueError, OverflowError, OSError):
        return tr(
            "(moment {ms})", ms=ms
        )  # a record may claim the last second of the year 9999, which not every zone can show


def default_folder() -> Path:
    """Where data goes unless --home or LANTABLE_HOME says otherwise."""
    return Path(platformdirs.user_data_dir("lantable", appauthor=False))


def checked_name(name: str) -> str:
    """A name as it is kept, or nothing if it is empty. Raises `Misuse` for one that others would not see right."""
    checked = unicodedata.normalize("NFC", name.strip())
    if len(checked) > MAX_NAME or safe_text(checked, MAX_NAME) != checked:
        raise Misuse(tr("a name is 1 to {max_name} printable characters", max_name=MAX_NAME))
    return checked


@dataclass(frozen=True, slots=True)
class KeyFile:
    """What key.json holds. `deal` is a second secret, from which the dealing of hidden tiles derives its seeds."""

    key: PrivateKey
    deal: bytes
    home: bytes
    name: str

    def write(self) -> bytes:
        return canonical.write(
            {
                "v": KEY_VERSION,
                "seed": self.key.seed.hex(),
                "deal": self.deal.hex(),
                "home": self.home.hex(),
                "name": self.name,
            }
        )

    @classmethod
    def read(cls, data: bytes) -> "KeyFile":
        """Raises `Untrusted`."""
        fields = Fields(canonical.read(data.rstrip(b"\n")), "key file")
        if fields.number("v") != KEY_VERSION:
            raise Untrusted("newer", tr("the key file was written by a newer lantable"))
        file = cls(
            PrivateKey(fields.hex("seed", 32)),
            fields.hex("deal", 32),
            fields.hex("home", 16),
            fields.text("name", MAX_NAME),
        )
        fields.done()
        return file


class Home:
    """An opened data folder. `open` takes the lock; reading commands use it without."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.archive = Archive(folder / "records", folder / "marks")
        self._lock: int | None = None
        self._changing = threading.Lock()
        self._remembering = threading.Lock()

    # -- the lock

    def lock(self) -> None:
        """Be the one running program here. Raises `Misuse` if another is."""
        path = self.folder / "lock"
        with system.reporting("open", path):
            system.make_folder(self.folder)
            self._lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            if not system.try_lock(self._lock):
                raise Misuse(
                    tr(
                        "another lantable already runs with the folder {folder}; close it, or use "
                        "another one with --home DIR",
                        folder=self.folder,
                    )
                )

    def close(self) -> None:
        """Give back the lock and every record. Again is harmless."""
        self.archive.close_all()
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    # -- identity

    def has_key(self) -> bool:
        return (self.folder / "key.json").exists()

    def key_file(self, name: str | None = None) -> KeyFile:
        """The key, made on first use. Raises `DiskFault` or `Misuse`."""
        path = self.folder / "key.json"
        if not path.exists():
            return self._make_key(path, name or "player")
        with system.reporting("read", path):
            data = path.read_bytes()
        try:
            return KeyFile.read(data)
        except Untrusted as error:
            raise DiskFault(
                tr(
                    "{path} is not a key file ({error}); restore it from a backup, or move it away",
                    path=path,
                    error=error,
                )
            ) from error

    def _make_key(self, path: Path, name: str) -> KeyFile:
        file = KeyFile(PrivateKey(secrets.token_bytes(32)), secrets.token_bytes(32), secrets.token_bytes(16), name)
        with system.reporting("write", path):
            system.make_folder(self.folder)
            handle = system.create_private(path)
            try:
                system.write(handle, file.write() + b"\n")
                system.sync_file(handle)
            finally:
                os.close(handle)
            system.sync_folder(self.folder)
        return file

    def rename(self, name: str) -> KeyFile:
        """Show another name from now on. Raises `Misuse`."""
        checked = checked_name(name)
        if not checked:
            raise Misuse(tr("a name is 1 to {max_name} printable characters", max_name=MAX_NAME))
        old = self.key_file(checked)
        file = KeyFile(old.key, old.deal, old.home, checked)
        path = self.folder / "key.json"
        with system.reporting("write", path):
            system.replace(path, file.write() + b"\n", sync=True)
        return file

    def identity(self, name: str | None = None) -> Identity:
        """Who we are on the network. `name` serves only when the key is made now."""
        file = self.key_file(name)
        return Identity(file.key, file.home, file.name)

    def deal_seed(self, nonce: bytes) -> bytes:
        """The seed of the game that is offered with this nonce, where this machine deals alone."""
        return derive(self.key_file().deal, nonce)

    def dealer_of(self, chain: Chain) -> Dealer | None:
        """Who deals for our seats of a game, if anything is dealt in it.

        Raises `Misuse` for a game of another key file.
        """
        file, offer = self.key_file(), chain.offer
        mine = [seat for seat, chair in enumerate(offer.seats) if chair.key == file.key.public]
        if offer.dealing is None or not mine:
            return None
        if isinstance(offer.dealing, SeedDealing):
            return SeedDealer(self.deal_seed(offer.nonce), offer.dealing)
        return FairDealer.of(file.deal, chain.game, mine)

    def warning(self) -> str | None:
        """What the owner should know about the key file's permissions."""
        path = self.folder / "key.json"
        if path.exists() and system.readable_by_others(path):
            return tr("others on this computer can read your key: run  chmod 600 {path}", path=path)
        return None

    # -- where others were last reached

    def addresses(self) -> dict[PublicKey, tuple[Address, ...]]:
        """Where people could be dialled last time: hints for resuming where nobody can be discovered."""
        path = self.folder / "addresses.json"
        try:
            value: Any = canonical.read(path.read_bytes(), MAX_ADDRESS_FILE)
            return {PublicKey(bytes.fromhex(key)): read_addresses(known) for key, known in value}
        except (OSError, ValueError, TypeError, Untrusted):
            return {}  # only hints: without them one dials by hand

    def remember_addresses(self, addresses: dict[PublicKey, tuple[Address, ...]]) -> None:
        """Keep the addresses of the people in this home's trust store. They are only hints: failing costs nothing.

        From any thread.
        """
        people = {person.key for person in self.trust().people()}
        value: Json = [
            [key.hex, [[host, port] for host, port in known]] for key, known in addresses.items() if key in people
        ]
        with suppress(OSError), self._remembering:
            system.replace(self.folder / "addresses.json", canonical.write(value), sync=False)

    # -- trust

    def trust(self) -> TrustStore:
        """The people met. Raises `DiskFault` if the file is damaged."""
        path = self.folder / "trust.json"
        if not path.exists():
            return TrustStore()
        with system.reporting("read", path):
            data = path.read_bytes()
        try:
            return TrustStore.load(data)
        except Untrusted as error:
            raise DiskFault(
                tr("{path} is damaged ({error}); restore it from a backup, or move it away", path=path, error=error)
            ) from error

    def save_trust(self, store: TrustStore) -> None:
        path = self.folder / "trust.json"
        with system.reporting("write", path):
            system.make_folder(self.folder)
            system.replace(path, store.dump(), sync=True)

    def evidence(self, game: bytes) -> tuple[Message, ...]:
        """What stopped a game: the proofs and refusals kept beside its record. Raises `Untrusted`."""
        proofs = [Proof(game, canonical.read_object(data)) for data in self.archive.kept(game, "proof")]
        refusals = [canonical.read_object(data) for data in self.archive.kept(game, "refused")]
        return (*proofs, *(Nack.from_json(refusal.get("nack")) for refusal in refusals))

    def meet(self, peer: Peer) -> Verdict:
        """A connection proved this peer's key: what the trust store says, remembered if welcome. From any thread."""
        return self.change_trust(lambda store: store.meet(peer.key, peer.name, now_ms()))

    def change_trust(self, change: Callable[[TrustStore], T]) -> T:
        """What `change` gives, after the store as it leaves it is kept. The home must be locked. From any thread."""
        # Two people may come in at once; each must find what the other left.
        with self._changing:
            store = self.trust()
            before = store.dump()
            result = change(store)
            if store.dump() != before:
                self.save_trust(store)
        return result
