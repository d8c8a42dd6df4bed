"""The JSON profile: one value, one spelling; and the parse order, step by step."""

import contextlib
import json
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lantable import canonical
from lantable.canonical import MAX_DEPTH, MAX_INT, MAX_LINE, Fields, Json
from lantable.errors import Untrusted

KEYS = st.from_regex(r"[a-z0-9_]{1,32}", fullmatch=True)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
LEAVES = st.none() | st.booleans() | st.integers(-MAX_INT, MAX_INT) | TEXT


def _one_level_more(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)


def _values(levels: int) -> st.SearchStrategy[Json]:
    """Values of the profile that nest at most `levels` deep."""
    return LEAVES if levels == 0 else LEAVES | _one_level_more(_values(levels - 1))


VALUES = _values(4)


def refused(data: bytes, limit: int = MAX_LINE) -> str:
    """The code with which `read` refuses `data`."""
    with pytest.raises(Untrusted) as caught:
        canonical.read(data, limit)
    return caught.value.code


# -- one value, one spelling


@given(VALUES)
def test_every_value_of_the_profile_round_trips(value: Json) -> None:
    """What `write` spells, `read` gives back."""
    assert canonical.read(canonical.write(value)) == value


@given(VALUES)
def test_the_spelling_is_that_of_rfc_8785(value: Json) -> None:
    """Inside the profile sorted, compact, unescaped JSON is the canonical form, and only that form is read."""
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    assert canonical.write(value) == plain
    for other in (json.dumps(value), json.dumps(value, indent=1), json.dumps(value, separators=(",", ":"))):
        if other.encode() != plain:
            assert refused(other.encode()) == "not_canonical"


@pytest.mark.parametrize(
    ("value", "spelling"),
    [
        # RFC 8785, section 3.2.2.2: which characters are escaped, and how.
        ("\x00\x08\t\n\x0b\x0c\r\x1f", rb'"\u0000\b\t\n\u000b\f\r\u001f"'),
        ('"\\/\x7f\u2028€', '"\\"\\\\/\x7f\u2028€"'.encode()),
        ({"b": [1, -2], "a_0": {"0": None}}, b'{"a_0":{"0":null},"b":[1,-2]}'),
        ([True, False, MAX_INT, -MAX_INT, 0], b"[true,false,9007199254740991,-9007199254740991,0]"),
    ],
)
def test_golden_spellings(value: Json, spelling: bytes) -> None:
    """Spellings fixed for ever: signatures cover them."""
    assert canonical.write(value) == spelling
    assert canonical.read(spelling) == value


def read_or_refuse(data: bytes) -> None:
    """The sentence to fuzz: bytes raise only `Untrusted`, and what is read is spelt as it came."""
    try:
        value = canonical.read(data)
    except Untrusted:
        return
    assert canonical.write(value) == data


@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbf{}")
@example(b'"\\')
@example(b'"\\ud83d\\ude00"')
def test_any_bytes_raise_only_untrusted(data: bytes) -> None:
    """Random bytes."""
    read_or_refuse(data)


JSON_TOKENS = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"',
        "a",
        "0",
        "1",
        "-",
        "e",
        ".",
        "null",
        "true",
        "NaN",
        "\\ud800",
        '\\"',
        "1e5",
        "-0",
    ]
)


@given(st.lists(JSON_TOKENS, max_size=40).map("".join))
def test_almost_json_raises_only_untrusted(text: str) -> None:
    """Tokens of JSON in any order reach the later checks more often than random bytes do."""
    read_or_refuse(text.encode())


@given(VALUES, st.data())
def test_a_damaged_line_raises_only_untrusted(value: Json, data: st.DataObject) -> None:
    """A good line with one byte replaced, dropped or doubled."""
    line = canonical.write(value)
    at = data.draw(st.integers(0, len(line) - 1))
    middle = data.draw(st.sampled_from([b"", line[at : at + 1] * 2]) | st.binary(min_size=1, max_size=1))
    read_or_refuse(line[:at] + middle + line[at + 1 :])


# -- the parse order, each step by its code


@pytest.mark.parametrize(
    ("code", "data"),
    [
        ("too_long", b'"' + b"a" * (MAX_LINE - 1) + b'"'),
        ("not_utf8", b'"\xff"'),
        ("not_utf8", b'"\xc0\x80"'),  # an overlong NUL
        ("not_utf8", b'"\xed\xa0\x80"'),  # a surrogate spelt in bytes
        ("too_deep", b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1)),
        ("too_deep", b"[" * 900 + b"]" * 900),
        ("too_deep", b'{"a":' * 900 + b"1" + b"}" * 900),
        ("not_json", b""),
        ("not_json", b'{"a":1'),
        ("not_json", b"1 2"),
        ("not_json", b'"\n"'),
        ("not_json", b"]" * 20),
        ("profile", b'{"a":1,"a":2}'),
        ("profile", b'{"a":1,"a":1}'),
        ("profile", b"NaN"),
        ("profile", b"-Infinity"),
        ("profile", b"1e400"),
        ("profile", b"1.0"),
        ("profile", b"1e0"),
        ("profile", b'"\\ud800"'),
        ("profile", b'["\\ud800"]'),
        ("profile", b'{"a":"\\udfff\\ud800"}'),
        ("profile", b"9007199254740992"),
        ("profile", b"-9007199254740992"),
        ("profile", b"1" * 5000),
        ("profile", b'{"A":1}'),
        ("profile", b'{"":1}'),
        ("profile", b'{"' + b"a" * 33 + b'":1}'),
        ("profile", '{"é":1}'.encode()),
        ("not_canonical", b"-0"),
        ("not_canonical", b" 1"),
        ("not_canonical", b"1\n"),
        ("not_canonical", b'{"a": 1}'),
        ("not_canonical", b'{"b":1,"a":2}'),
        ("not_canonical", b'"\\u0041"'),
        ("not_canonical", b'"\\/"'),
        ("not_canonical", b'"\\u000B"'),
    ],
)
def test_each_step_of_the_parse_order_refuses(code: str, data: bytes) -> None:
    """Length, UTF-8, depth, JSON, profile, spelling: each refuses what is its own to refuse."""
    assert refused(data) == code


def test_a_hundred_thousand_brackets_never_reach_the_recursive_parser() -> None:
    """Within a generous limit the depth scan still stops at the ninth bracket."""
    assert refused(b"[" * 100_000, limit=1_000_000) == "too_deep"
    assert refused(b"[" * 100_000) == "too_long"


def test_the_bounds_themselves_are_allowed() -> None:
    """A line of exactly `MAX_LINE` bytes, `MAX_DEPTH` levels, and brackets inside a string, which are no levels."""
    assert canonical.read(b'"' + b"a" * (MAX_LINE - 2) + b'"')
    assert canonical.read(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert canonical.read(b'["\\"[[[[[[[[[[{{{{"]') == ['"[[[[[[[[[[{{{{']


@pytest.mark.parametrize(
    "value", [1.0, float("nan"), {1: 2}, {"A": 1}, "\ud800", ["\ud800"], (1,), b"", 2**53, {"a": object()}]
)
def test_nothing_outside_the_profile_is_written(value: Json) -> None:
    """What we sign must be readable by others, so writing checks as reading does."""
    with pytest.raises(Untrusted):
        canonical.write(value)


def test_a_value_that_holds_itself_is_too_deep() -> None:
    """Writing ends, whatever it is given."""
    knot: list[object] = []
    knot.append(knot)
    with pytest.raises(Untrusted, match="too_deep"):
        canonical.write(knot)


# -- taking objects apart


@given(VALUES)
def test_every_getter_raises_only_untrusted(value: Json) -> None:
    """Whatever stands in a field, a getter gives its own kind or refuses."""
    for get in ("number", "flag", "mapping", "value"):
        with contextlib.suppress(Untrusted):
            getattr(Fields({"a": value}), get)("a")


@pytest.mark.parametrize(
    ("take", "good", "bad"),
    [
        (lambda f: f.number("a", 1, 5), [1, 5], [0, 6, True, "1", None, [1]]),
        (lambda f: f.text("a", 3), ["", "abc"], ["abcd", 1, None]),
        (lambda f: f.hex("a", 2), ["00ff"], ["00FF", "00f", "00fff", "", "zzzz", "00ff\n", 1]),
        (lambda f: f.flag("a"), [True, False], [0, 1, "true", None]),
        (lambda f: f.array("a", 2), [[], [1, 2]], [[1, 2, 3], {}, "ab"]),
        (lambda f: f.mapping("a"), [{}, {"b": 1}], [[], None, "a"]),
    ],
)
def test_a_getter_takes_its_own_kind_within_its_bounds(
    take: Callable[[Fields], object], good: list[Json], bad: list[Json]
) -> None:
    """The bounds are inclusive; every other kind of value is refused, and so is a missing field."""
    for value in good:
        take(Fields({"a": value}))
    for fields in [*({"a": value} for value in bad), {}]:
        with pytest.raises(Untrusted, match="schema"):
            take(Fields(fields))


def test_a_field_left_over_is_refused() -> None:
    """Two readers must not see different things in one message."""
    fields = Fields({"a": 1, "b": 2})
    fields.number("a")
    with pytest.raises(Untrusted, match="unknown field b"):
        fields.done()
    assert fields.has("b") and not fields.has("a")


def test_only_an_object_has_fields() -> None:
    """`Fields` and `read_object` refuse every other value."""
    with pytest.raises(Untrusted, match="schema"):
        Fields([1])
    with pytest.raises(Untrusted, match="schema"):
        canonical.read_object(b"[]")
    assert canonical.read_object(b'{"a":1}') == {"a": 1}
