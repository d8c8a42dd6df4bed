"""Who is there: two player keys sign one transcript inside the TLS channel. No I/O, no clock, no randomness.

    C→S  H1 {versions_c, id_c, home_c, commit = SHA256("lantable/commit/v1\\0" + LP(id_c, nonce_c)), name_c, want_id_s}
    S→C  H2 {version, versions_s, id_s, home_s, nonce_s, name_s}
    C→S  H3 {nonce_c, sig_c = Ed25519(id_c, "lantable/auth/client/v1\\0" + T)}
    S→C  H4 {sig_s = Ed25519(id_s, "lantable/auth/server/v1\\0" + T)}
    T = SHA256(LP("lantable/handshake/v1", cert_hash, H1, H2, nonce_c))
    words = first 32 bits of SHA256("lantable/words/v1\\0" + T)

`LP` writes each part behind its length in four bytes, big-endian. Messages are canonical JSON objects, bytes
as lower-case hexadecimal; T covers H1 and H2 exactly as they were sent. Why it holds:

* a relay shows its own certificate, so `cert_hash`, and with it T, differs at both ends;
* a replayed message meets a fresh nonce of the side that hears it, and T covers both nonces;
* a reflected message meets its own key, which is refused, and the labels name the roles;
* versions stand in T, so none can be struck out on the way;
* the client is bound to `nonce_c` before it sees `nonce_s`, so neither side can search for good words.

A server that will not go on (own key, another key wanted, no common version) still answers with H2 before it
refuses H3: H2 is public and signs nothing, and lets the dialling side tell its person what is wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Final, Self

from lantable import canonical
from lantable.canonical import Fields
from lantable.errors import Misuse, Untrusted
from lantable.events import MAX_NAME, PROTOCOL
from lantable.keys import KEY_BYTES, SIG_BYTES, PrivateKey, PublicKey, length_prefixed, sha256, verify
from lantable.wording import msg
from lantable.words import spoken

VERSIONS: Final = (PROTOCOL,)
NO_VERSION: Final = 0
"""`version` of an H2 that found none in common."""
HANDSHAKE_LIMIT: Final = 4096
"""Bytes of one message; the honest ones stay below 1,000."""
NONCE_BYTES: Final = 32
HOME_BYTES: Final = 16

AUTH_CLIENT: Final = b"lantable/auth/client/v1\0"
AUTH_SERVER: Final = b"lantable/auth/server/v1\0"
COMMIT: Final = b"lantable/commit/v1\0"
WORDS: Final = b"lantable/words/v1\0"
_TRANSCRIPT: Final = b"lantable/handshake/v1"


def commitment(key: PublicKey, nonce: bytes) -> bytes:
    """What binds the client to its nonce before it sees the server's (32 bytes)."""
    return sha256(COMMIT, length_prefixed(key.raw, nonce))


def transcript(cert_hash: bytes, h1: bytes, h2: bytes, nonce_c: bytes) -> bytes:
    """T: everything both sides must have seen alike (32 bytes)."""
    return sha256(length_prefixed(_TRANSCRIPT, cert_hash, h1, h2, nonce_c))


def session_words(t: bytes) -> str:
    """Four words for both screens. Equal words mean one channel, without anybody in the middle."""
    return spoken(sha256(WORDS, t)[:4])


@dataclass(frozen=True, slots=True)
class Identity:
    """Who we are: the player key, the random id of the data folder (16 bytes), the name as we show it."""

    key: PrivateKey
    home: bytes
    name: str

    def __post_init__(self) -> None:
        if len(self.home) != HOME_BYTES:
            raise Misuse(msg("the id of a data folder has {home_bytes} bytes", home_bytes=HOME_BYTES))
        if len(self.name) > MAX_NAME:
            raise Misuse(
                msg("a name has at most {max_name} characters; please choose a shorter one", max_name=MAX_NAME)
            )


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is there, proved. `name` is as they sent it: raw, it proves nothing, and needs `safe_name` on screen.

    `words` are those of this one connection. One key with another `home` is a second folder with a copied key.
    """

    key: PublicKey
    home: bytes
    name: str
    version: int
    words: str


@dataclass(frozen=True, slots=True)
class H1:
    """The client's hello."""

    versions: tuple[int, ...]
    key: PublicKey
    home: bytes
    commit: bytes
    name: str
    want: PublicKey | None

    def write(self) -> bytes:
        return canonical.write(
            {
                "versions_c": list(self.versions),
                "id_c": self.key.hex,
                "home_c": self.home.hex(),
                "commit": self.commit.hex(),
                "name_c": self.name,
                "want_id_s": self.want.hex if self.want else None,
            }
        )

    @classmethod
    def read(cls, payload: bytes) -> Self:
        fields = _fields(payload, "H1")
        want = fields.value("want_id_s")
        h1 = cls(
            versions=_versions(fields.array("versions_c", 16)),
            key=PublicKey(fields.hex("id_c", KEY_BYTES)),
            home=fields.hex("home_c", HOME_BYTES),
            commit=fields.hex("commit", 32),
            name=fields.text("name_c", MAX_NAME),
            want=None if want is None else PublicKey(canonical.from_hex(want, KEY_BYTES, "H1: want_id_s")),
        )
        fields.done()
        return h1


@dataclass(frozen=True, slots=True)
class H2:
    """The server's answer."""

    version: int
    versions: tuple[int, ...]
    key: PublicKey
    home: bytes
    nonce: bytes
    name: str

    def write(self) -> bytes:
        return canonical.write(
            {
                "version": self.version,
                "versions_s": list(self.versions),
                "id_s": self.key.hex,
                "home_s": self.home.hex(),
                "nonce_s": self.nonce.hex(),
                "name_s": self.name,
            }
        )

    @classmethod
    def read(cls, payload: bytes) -> Self:
        fields = _fields(payload, "H2")
        h2 = cls(
            version=fields.number("version", NO_VERSION, _HIGHEST_VERSION),
            versions=_versions(fields.array("versions_s", 16)),
            key=PublicKey(fields.hex("id_s", KEY_BYTES)),
            home=fields.hex("home_s", HOME_BYTES),
            nonce=fields.hex("nonce_s", NONCE_BYTES),
            name=fields.text("name_s", MAX_NAME),
        )
        fields.done()
        return h2


_HIGHEST_VERSION: Final = 65_535


def _versions(items: list[Any]) -> tuple[int, ...]:
    for item in items:
        if not isinstance(item, int) or isinstance(item, bool) or not 0 < item <= _HIGHEST_VERSION:
            raise Untrusted("schema", msg("a protocol version is a whole number from 1"))
    return tuple(items)


def _fields(payload: bytes, what: str) -> Fields:
    return Fields(canonical.read(payload, HANDSHAKE_LIMIT), what)


class State(Enum):
    """Which message is due. The client passes AWAIT_H2, AWAIT_H4; the server AWAIT_H1, AWAIT_H3."""

    AWAIT_H1 = "H1"
    AWAIT_H2 = "H2"
    AWAIT_H3 = "H3"
    AWAIT_H4 = "H4"
    DONE = "done"
    REFUSED = "refused"


class Handshake:
    """One side of one handshake: frame payloads in, frame payloads out.

    Send what `start` gives, hand each payload that arrives to `receive` and send what that gives, until `done`.
    Then `peer` says who is there. Send nothing else before.
    """

    def __init__(
        self,
        state: State,
        identity: Identity,
        nonce: bytes,
        cert_hash: bytes,
        want: PublicKey | None = None,
        versions: tuple[int, ...] = VERSIONS,
    ) -> None:
        if len(nonce) != NONCE_BYTES:
            raise Misuse(msg("a nonce has {nonce_bytes} bytes", nonce_bytes=NONCE_BYTES))
        self.state = state
        self.peer: Peer | None = None
        self._me = identity
        self._nonce = nonce
        self._cert_hash = cert_hash
        self._want = want
        self._versions = versions
        self._h1 = b""
        self._h2 = b""

    @classmethod
    def client(
        cls,
        identity: Identity,
        nonce: bytes,
        cert_hash: bytes,
        want: PublicKey | None = None,
        versions: tuple[int, ...] = VERSIONS,
    ) -> Self:
        """The dialling side. `nonce`: 32 fresh random bytes; `cert_hash`: of the certificate it was shown;
        `want`: the only key to accept, or None for whoever is there.
        """
        return cls(State.AWAIT_H2, identity, nonce, cert_hash, want, versions)

    @classmethod
    def server(cls, identity: Identity, nonce: bytes, cert_hash: bytes, versions: tuple[int, ...] = VERSIONS) -> Self:
        """The accepting side. `nonce`: 32 fresh random bytes; `cert_hash`: of its own certificate."""
        return cls(State.AWAIT_H1, identity, nonce, cert_hash, None, versions)

    @property
    def done(self) -> bool:
        """Whether both sides are proved; from here on frames of the session may be sent and read."""
        return self.state is State.DONE

    def start(self) -> list[bytes]:
        """What to send before anything arrives: H1 from the client, nothing from the server."""
        if self.state is not State.AWAIT_H2:
            return []
        me = self._me
        commit = commitment(me.key.public, self._nonce)
        self._h1 = H1(self._versions, me.key.public, me.home, commit, me.name, self._want).write()
        return [self._h1]

    def receive(self, payload: bytes) -> list[bytes]:
        """Judge the message that is due and give what to send in answer.

        Raises `Untrusted`, after which every further message is refused too. Codes beside those of the JSON
        profile, schema and keys: `self` (our own key), `other_key` (not the one that was wanted), `version`
        (none in common, or not the highest), `commit`, `signature`, `state` (nothing is due any more).
        """
        if self.state not in self._STEPS:
            raise Untrusted("state", msg("no handshake message is due any more"))
        step, following = self._STEPS[self.state]
        self.state = State.REFUSED
        answer = step(self, payload)
        self.state = following
        return answer

    def _take_h1(self, payload: bytes) -> list[bytes]:
        hello = H1.read(payload)
        me = self._me
        version = _highest_common(self._versions, hello.versions)
        self._h1 = payload
        self._h2 = H2(version, self._versions, me.key.public, me.home, self._nonce, me.name).write()
        return [self._h2]

    def _take_h2(self, payload: bytes) -> list[bytes]:
        answer = H2.read(payload)
        self._check_key(answer.key, self._want, answer.key)
        self._check_version(answer.version, answer.versions)
        self._h2 = payload
        t = transcript(self._cert_hash, self._h1, payload, self._nonce)
        sig = self._me.key.sign(AUTH_CLIENT, t)
        return [canonical.write({"nonce_c": self._nonce.hex(), "sig_c": sig.hex()})]

    def _take_h3(self, payload: bytes) -> list[bytes]:
        fields = _fields(payload, "H3")
        nonce, sig = fields.hex("nonce_c", NONCE_BYTES), fields.hex("sig_c", SIG_BYTES)
        fields.done()
        hello = H1.read(self._h1)
        self._check_key(hello.key, hello.want, self._me.key.public)
        version = self._check_version(_highest_common(self._versions, hello.versions), hello.versions)
        if commitment(hello.key, nonce) != hello.commit:
            raise Untrusted("commit", msg("the nonce is not the one that was promised"))
        t = transcript(self._cert_hash, self._h1, self._h2, nonce)
        if not verify(hello.key, AUTH_CLIENT, t, sig):
            raise Untrusted(
                "signature", msg("the dialling side did not sign this channel: someone may stand in between")
            )
        self.peer = Peer(hello.key, hello.home, hello.name, version, session_words(t))
        return [canonical.write({"sig_s": self._me.key.sign(AUTH_SERVER, t).hex()})]

    def _take_h4(self, payload: bytes) -> list[bytes]:
        fields = _fields(payload, "H4")
        sig = fields.hex("sig_s", SIG_BYTES)
        fields.done()
        answer = H2.read(self._h2)
        t = transcript(self._cert_hash, self._h1, self._h2, self._nonce)
        if not verify(answer.key, AUTH_SERVER, t, sig):
            raise Untrusted(
                "signature", msg("the answering side did not sign this channel: someone may stand in between")
            )
        self.peer = Peer(answer.key, answer.home, answer.name, answer.version, session_words(t))
        return []

    def _check_key(self, theirs: PublicKey, wanted: PublicKey | None, found: PublicKey) -> None:
        """`theirs` is no key of ours, and `found`, the server's, is the one the client wanted."""
        if theirs == self._me.key.public:
            raise Untrusted("self", msg("this is our own key: you reached yourself, or your key is in use elsewhere"))
        if wanted is not None and wanted != found:
            raise Untrusted(
                "other_key",
                msg("key {words} is there, not {words2} that was wanted", words=found.words, words2=wanted.words),
            )

    def _check_version(self, version: int, theirs: tuple[int, ...]) -> int:
        common = _highest_common(self._versions, theirs)
        if common == NO_VERSION:
            raise Untrusted(
                "version",
                msg(
                    "they speak protocol {listed}, we {listed2}",
                    listed=_listed(theirs),
                    listed2=_listed(self._versions),
                ),
            )
        if version != common:
            raise Untrusted(
                "version", msg("protocol {version} was chosen where both know {common}", version=version, common=common)
            )
        return version

    # Message due -> who judges it, and what is due then. A state that is not here takes nothing.
    _STEPS: ClassVar[dict[State, tuple[Callable[["Handshake", bytes], list[bytes]], State]]] = {
        State.AWAIT_H1: (_take_h1, State.AWAIT_H3),
        State.AWAIT_H3: (_take_h3, State.DONE),
        State.AWAIT_H2: (_take_h2, State.AWAIT_H4),
        State.AWAIT_H4: (_take_h4, State.DONE),
    }


def _highest_common(ours: tuple[int, ...], theirs: tuple[int, ...]) -> int:
    return max(set(ours) & set(theirs), default=NO_VERSION)


def _listed(versions: tuple[int, ...]) -> str:
    return ", ".join(map(str, versions)) or "none"
