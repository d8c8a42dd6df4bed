"""safe_text: what a peer or a file supplied becomes inert before it reaches a terminal."""

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lantable.text import NAME_LENGTH, REPLACEMENT, safe_name, safe_text

ANY_TEXT = st.text(st.characters(), max_size=60)


@given(ANY_TEXT, st.integers(1, 40))
@example("a\x1b[2J\x07\x9b31m\x1b]52;c;cm0=\x07", 40)
@example("A\u202elice\u2066\u200b\u200d\ufeff\u2028\u2029\U000e0041", 40)
@example("e" + "\u0301" * 60, 40)
def test_whatever_comes_is_one_inert_line(text: str, longest: int) -> None:
    """No C0, C1, format, private, surrogate or unassigned character passes, nor any separator but the space."""
    shown = safe_text(text, longest)
    assert len(shown) <= longest
    assert all(unicodedata.category(char)[0] != "C" for char in shown)
    assert all(char == " " for char in shown if unicodedata.category(char)[0] == "Z")
    assert shown.encode().decode() == shown


def test_every_single_character_is_inert_or_replaced() -> None:
    """All 1,114,112 of them: what is not printable becomes the replacement, the rest stays itself."""
    for number in range(sys.maxunicode + 1):
        char = chr(number)
        if not char.isprintable():
            assert safe_text(char) == REPLACEMENT


@pytest.mark.parametrize(
    "char",
    ["\u034f", "\u115f", "\u1160", "\u17b4", "\u180b", "\u2800", "\u3164", "\ufe0f", "\uffa0", "\U000e0100", "\u200b"],
)
def test_characters_that_show_nothing_are_shown(char: str) -> None:
    """Two names must not look alike because one holds an invisible filler or variation selector."""
    assert safe_text(f"A{char}lice") == "A?lice"


@given(ANY_TEXT, st.integers(1, 40))
def test_what_is_safe_stays_as_it_is(text: str, longest: int) -> None:
    """Making safe twice changes nothing more."""
    assert safe_text(safe_text(text, longest), longest) == safe_text(text, longest)


@pytest.mark.parametrize("text", ["Ada", "Çağrı", "한글", "မြို့", "שָׁלוֹם"[:4], "naïve 42!", "Ὀδυσσεύς", "東京 ♟"])
def test_names_people_have_pass_unchanged(text: str) -> None:
    """Accents, other scripts and symbols are not what this is about."""
    assert safe_text(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("mark", ["\u0301", "\u20dd", "\u0488", "\u1ab0", "\u0e31"])
def test_a_pile_of_combining_marks_is_cut_down(mark: str) -> None:
    """It would paint over the lines above and below; whatever the mark's combining class."""
    shown = safe_text("x" + mark * 50 + "y")
    assert shown == "x" + mark * 3 + "y"


def test_one_spelling_of_an_accent() -> None:
    """NFC: e + combining acute is é, so equal names look and compare equal."""
    assert safe_text("Rene\u0301") == "René"


def test_long_text_is_cut_with_an_ellipsis() -> None:
    """The cut is visible, and it comes before any work on the rest."""
    assert safe_text("a" * 10, 10) == "a" * 10
    assert safe_text("a" * 11, 10) == "a" * 9 + "…"
    assert safe_text("a" * 10_000_000, 10) == "a" * 9 + "…"


@given(ANY_TEXT)
@example("")
@example("   ")
@example("\u0301" * 99)
def test_a_name_is_never_empty_and_never_long(text: str) -> None:
    """Somebody without a name is shown as such."""
    name = safe_name(text)
    assert 0 < len(name) <= NAME_LENGTH and name == name.strip()


def test_markup_is_only_text() -> None:
    """Escaping for a terminal is not escaping for HTML: what prints as itself stays itself."""
    assert safe_text("<b>&amp;%s{0}\\n") == "<b>&amp;%s{0}\\n"
    assert safe_text("a\nb\tc") == "a?b?c"
