"""The JSON profile: one value, one spelling.

Signatures cover bytes, so every value must have exactly one encoding. Inside this profile the standard
library's sorted, compact, unescaped output equals RFC 8785; outside it encoders part ways. Hence:

* objects with keys `[a-z0-9_]{1,32}`, arrays, strings without lone surrogates, true, false, null;
* integers of magnitude below 2**53 and no floats at all;
* nesting of at most `MAX_DEPTH`, a line of at most `MAX_LINE` bytes.

`read` goes from the cheapest check to the dearest, so that hostile input is refused before it costs
anything: length, strict UTF-8, bracket depth, JSON, profile, and last that re-encoding gives the same bytes.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn, TypeGuard

from lantable.errors import Untrusted

Json = None | bool | int | str | list[Any] | dict[str, Any]
"""A value inside the profile. Containers hold `Json` too; mypy has no cheap way to say so without casts."""

MAX_DEPTH: Final = 8
MAX_LINE: Final = 60 * 1024
MAX_INT: Final = 2**53 - 1
_KEY: Final = re.compile(r"[a-z0-9_]{1,32}\Z")
_LONGEST_INT: Final = len(str(-MAX_INT))
_STRING_OR_FILLING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[^][{}"]+', re.DOTALL)
"""A string, perhaps without its end, or what is neither a string nor a bracket. Each place is looked at once."""


def write(value: Json) -> bytes:
    """Encode `value` in its one spelling.

    Raises `Untrusted("profile")` if it lies outside the profile: what we sign must be readable by others.
    """
    _check(value, 0)
    return _spelling(value)


def read(data: bytes, limit: int = MAX_LINE) -> Json:
    """Decode bytes from a stranger. O(len(data)); refuses before it allocates more than that.

    Raises `Untrusted` with code `too_long`, `not_utf8`, `too_deep`, `not_json`, `profile` or `not_canonical`.
    """
    if len(data) > limit:
        raise Untrusted("too_long", f"{len(data)} bytes, at most {limit} are allowed")
    try:
        text = data.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        raise Untrusted("not_utf8", f"byte {error.start} is not UTF-8") from None
    _scan_depth(text)
    try:
        value: Json = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Untrusted("not_json", f"no JSON from character {error.pos} on: {error.msg}") from None
    # All other steps of `write` were taken on the way: the depth by the scan, keys and numbers by the decoder's hooks.
    if _spelling(value) != data:
        raise Untrusted("not_canonical", "the same value has another spelling")
    return value


def _spelling(value: Json) -> bytes:
    try:
        return _ENCODER.encode(value).encode("utf-8", "strict")
    except UnicodeEncodeError:
        raise Untrusted("profile", "a string holds a lone surrogate") from None


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value that was read is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Whether a value that was read is an array."""
    return isinstance(value, list)


def read_object(data: bytes, limit: int = MAX_LINE) -> dict[str, Any]:
    """As `read`, for the common case that only an object will do. Raises also `Untrusted("schema")`."""
    value = read(data, limit)
    if not isinstance(value, dict):
        raise Untrusted("schema", "an object was expected")
    return value


def _scan_depth(text: str) -> None:
    """Refuse deep nesting before the recursive parser sees it. Brackets inside strings do not count."""
    # No text nests deeper than it has opening brackets, and most lines have few: this settles them at C speed.
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for char in _STRING_OR_FILLING.sub("", text):
        depth += 1 if char in "[{" else -1
        if depth > MAX_DEPTH:
            raise Untrusted("too_deep", f"more than {MAX_DEPTH} levels")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Untrusted("profile", "an object names a key twice")
    _check_keys(result)
    return result


def _no_float(_text: str) -> NoReturn:
    raise Untrusted("profile", "only whole numbers are allowed")


def _int(text: str) -> int:
    # int() of a very long numeral is slow; no number in the profile is longer than this.
    if len(text) > _LONGEST_INT:
        raise Untrusted("profile", "a number is too large")
    value = int(text)
    if abs(value) > MAX_INT:
        raise Untrusted("profile", "a number is too large")
    return value


# Made once: json.dumps and json.loads with arguments build a new one for every call. Nothing that gets as far as the
# encoder holds itself, since its depth was checked.
_ENCODER: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
)
_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_no_float, parse_constant=_no_float, parse_int=_int
)


def _check(value: object, depth: int) -> None:
    if value is None or isinstance(value, bool | str):
        return
    if isinstance(value, int):
        if abs(value) > MAX_INT:
            raise Untrusted("profile", "a number is too large")
    elif is_array(value) or is_object(value):
        if depth >= MAX_DEPTH:
            raise Untrusted("too_deep", f"more than {MAX_DEPTH} levels")
        for item in _items(value):
            _check(item, depth + 1)
    else:
        raise Untrusted("profile", f"{type(value).__name__} is not in the profile")


def _items(value: list[Any] | dict[Any, Any]) -> Iterable[Any]:
    if isinstance(value, list):
        return value
    _check_keys(value)
    return value.values()


_good_keys: Final[set[str]] = set()
"""Remembered, since the same few names stand in every line and can be looked up all at once."""
_MANY_KEYS: Final = 1024


def _check_keys(names: Mapping[Any, Any]) -> None:
    if _good_keys.issuperset(names):
        return
    for name in names:
        if not (isinstance(name, str) and _KEY.match(name)):
            raise Untrusted("profile", "a key is not [a-z0-9_]{1,32}")
    # What strangers send must not fill the memory.
    if len(_good_keys) < _MANY_KEYS:
        _good_keys.update(names)


class Fields:
    """Takes an object apart, field by field, and refuses what is missing, left over or of the wrong kind.

    `Fields(obj).number("seq", 0, 9)`: every getter names the field and its bounds; `done()` refuses leftovers.
    All raise `Untrusted("schema")`.
    """

    __slots__ = ("_left", "_what")

    def __init__(self, value: object, what: str = "object") -> None:
        if not is_object(value):
            raise Untrusted("schema", f"{what}: an object was expected")
        self._left: dict[str, Any] = dict(value)
        self._what = what

    def _take(self, name: str) -> Any:
        try:
            return self._left.pop(name)
        except KeyError:
            raise Untrusted("schema", f"{self._what}: {name} is missing") from None

    def _refuse(self, name: str, want: str) -> NoReturn:
        raise Untrusted("schema", f"{self._what}: {name} must be {want}")

    def has(self, name: str) -> bool:
        """Whether an optional field is there and not yet taken."""
        return name in self._left

    def number(self, name: str, low: int = 0, high: int = MAX_INT) -> int:
        """A whole number in low..high."""
        value = self._take(name)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self._refuse(name, f"a whole number from {low} to {high}")
        return value

    def text(self, name: str, longest: int) -> str:
        """A string of at most `longest` characters."""
        value = self._take(name)
        if not isinstance(value, str) or len(value) > longest:
            self._refuse(name, f"text of at most {longest} characters")
        return value

    def hex(self, name: str, size: int) -> bytes:
        """Lower-case hexadecimal of exactly `size` bytes."""
        value = _bytes(self._take(name), size)
        return self._refuse(name, f"{size} bytes in lower-case hexadecimal") if value is None else value

    def flag(self, name: str) -> bool:
        """true or false."""
        value = self._take(name)
        if not isinstance(value, bool):
            self._refuse(name, "true or false")
        return value

    def array(self, name: str, longest: int) -> list[Any]:
        """An array of at most `longest` items."""
        value = self._take(name)
        if not is_array(value) or len(value) > longest:
            self._refuse(name, f"a list of at most {longest}")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """An object."""
        value = self._take(name)
        if not is_object(value):
            self._refuse(name, "an object")
        return value

    def value(self, name: str) -> Any:
        """A value of any kind."""
        return self._take(name)

    def rest(self) -> dict[str, Any]:
        """All fields not yet taken, taken."""
        left, self._left = self._left, {}
        return left

    def done(self) -> None:
        """Refuse fields nobody asked for: two readers must not see different things in one message."""
        if self._left:
            raise Untrusted("schema", f"{self._what}: unknown field {min(self._left)}")


def from_hex(value: object, size: int, what: str) -> bytes:
    """`size` bytes from lower-case hexadecimal, or `Untrusted("schema")`. Upper case would be a second spelling."""
    result = _bytes(value, size)
    if result is None:
        raise Untrusted("schema", f"{what} must be {size} bytes in lower-case hexadecimal")
    return result


def _bytes(value: object, size: int) -> bytes | None:
    if not isinstance(value, str) or len(value) != 2 * size:
        return None
    try:
        result = bytes.fromhex(value)
    except ValueError:
        return None
    # fromhex also takes upper case and blanks; only the one spelling comes back as it was.
    return result if result.hex() == value else None
