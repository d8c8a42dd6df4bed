"""An invitation: one line that says where a table is and whose key to expect there.

    lantable://192.168.1.20:4471/oak-7?key=<64 hex>

It travels outside lantable, by mail, chat or as a QR code, so it reaches people whom the network hides from each
other. The key pins the host: at that address nobody else will do. The line holds nothing secret, and whoever has
it may only ask for a seat.

People paste and type it, so capital letters and the line breaks of a narrow screen do not matter, and whatever
else is wrong is said in one sentence.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from lantable.errors import Misuse, Untrusted
from lantable.keys import PublicKey
from lantable.wording import msg
from lantable_net.messages import Address

SCHEME: Final = "lantable://"
MAX_TABLE: Final = 64
"""Characters of a table's name, as on the wire."""
MAX_LENGTH: Final = 1024
"""Characters looked at; the longest honest one has fewer."""
_EXAMPLE: Final = "lantable://192.168.1.20:4471/oak-7?key=<64 hexadecimal digits>"
_PLACE: Final = re.compile(
    r"(?:\[(?P<six>[0-9a-f:.]+(?:%25\w+)?)\]|(?P<four>[^:\[\]@]+)):(?P<port>\d{1,5})", re.IGNORECASE
)
_WHOLE_KEY: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Invitation:
    """A host's address, the name of its table, and the key that proves who is there."""

    address: Address
    table: str
    key: PublicKey

    def __str__(self) -> str:
        host, port = self.address
        place = f"[{host.replace('%', '%25')}]" if ":" in host else host
        return f"{SCHEME}{place}:{port}/{quote(self.table, safe='')}?key={self.key.hex}"


def is_invitation(text: str) -> bool:
    """Whether somebody who typed this meant an invitation, be it right or wrong."""
    return bool(re.match(r"\s*lantable\s*:", text, re.IGNORECASE)) or "?key=" in text.lower()


def read_invitation(text: str) -> Invitation:
    """An invitation as it was pasted or typed. Raises `Misuse`, which says what is wrong with it."""
    bare = "".join(text.split())
    if len(bare) > MAX_LENGTH:
        raise _wrong(msg("it has {bare} characters", bare=len(bare)))
    if not bare.lower().startswith(SCHEME):
        raise _wrong(msg("it must begin with {scheme}", scheme=SCHEME))
    place, _, rest = bare[len(SCHEME) :].partition("/")
    table, question, digits = rest.partition("?")
    if not question or not digits.lower().startswith("key="):
        raise _wrong(msg("the key is missing; copy the whole of it"))
    return Invitation(_read_place(place), _read_table(table), _read_key(digits[len("key=") :]))


def _wrong(what: str) -> Misuse:
    return Misuse(msg("this is no invitation: {what}. One reads {example}", what=what, example=_EXAMPLE))


def _read_place(text: str) -> Address:
    match = _PLACE.fullmatch(text)
    if match is None:
        raise _wrong(msg("after lantable:// there must be HOST:PORT"))
    port = int(match["port"])
    if not 0 < port < 65536:
        raise _wrong(msg("there is no port {port}", port=port))
    return (match["six"] or match["four"]).replace("%25", "%"), port


def _read_table(text: str) -> str:
    try:
        name = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        name = ""
    if not 0 < len(name) <= MAX_TABLE:
        raise _wrong(msg("the table's name is missing") if not text else msg("the table's name cannot be read"))
    return name


def _read_key(text: str) -> PublicKey:
    digits = text.lower()
    if not _WHOLE_KEY.fullmatch(digits):
        wrong = msg("with other signs among them") if len(digits) == 64 else msg("not {digits}", digits=len(digits))
        raise _wrong(msg("its key has 64 hexadecimal digits, {wrong}; copy the whole of it", wrong=wrong))
    try:
        return PublicKey(bytes.fromhex(digits))
    except Untrusted:
        raise _wrong(msg("no player has this key; a digit of it is mistyped")) from None
