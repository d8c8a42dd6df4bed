"""What the full screen looks like: every scene at every size, drawn without a terminal or through pyte."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from lantable.game import Cell, Picture
from lantable_console.screen import views
from lantable_console.screen.frame import Piece, cut, padded, row, width_of, wrapped
from lantable_console.screen.picture import WAYS, beyond, focused, size, spots
from lantable_console.screen.state import GameView, Key, Person, Player
from lantable_console.screen.svg import svg
from lantable_console.screen.theme import PLAIN, THEMES, fragment
from tests import pictures, screens
from tests.conformance import begin, moved
from tests.games import make_host

CONSOLE = Path(views.__file__).parent.parent
EXAMPLES = ("cli.py",)
"""Its examples are command lines that can be typed, so they name a game; they decide nothing."""
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cf"]), max_size=60)
WIDE = st.sampled_from(["Ada", "한국어", "Ça\u0301ğrı", "日本", "x" * 70, ""])


@pytest.mark.parametrize("one", list(screens.kept()), ids=lambda one: f"{one[0]}-{one[1]}x{one[2]}")
def test_every_kept_screen_is_what_is_drawn_now(one: tuple[str, int, int]) -> None:
    """Through prompt_toolkit and pyte; otherwise: make pictures, and read the diff."""
    assert screens.as_text(screens.drawn(*one), one[1]) == screens.path(*one).read_text()


@pytest.mark.parametrize("scene", pictures.PICTURES)
def test_every_picture_of_the_pages_is_what_is_drawn_now(scene: str) -> None:
    """Otherwise: make pictures"""
    assert pictures.drawn(scene) == pictures.path(scene).read_text()


def test_the_console_names_no_game() -> None:
    """A stranger's game appears without a change to it; `cli` may show how one is typed."""
    host = make_host()
    names = [name for game in host.games.values() for name in (game.id, *game.titles.values())]
    words = re.compile("|".join([*map(re.escape, names), "dots", "boxes", "scrabble"]), re.IGNORECASE)
    found = [
        f"{path.name}: {line.strip()}"
        for path in sorted(CONSOLE.rglob("*.py"))
        if path.name not in (*EXAMPLES, "demo.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if words.search(line)
    ]
    assert not found


# -- sizes


def a_game(rows: int = 5, cols: int = 5, name: str = "Ada") -> GameView:
    """A view of a game of some size."""
    _, position = begin(make_host().game("dots-and-boxes"), f"size={rows}x{cols}", 2)
    rules = position.rules
    picture = rules.picture(rules.view(moved(position, "a1r").state, None))
    players = (Player(name, "you", due=True), Player("Bob", "connected", due=False))
    return GameView(
        "Dots and Boxes 1.0", "00b8ee60", "YOUR MOVE", True, players, picture, "", "log ok #1", (name,) * 20
    )


BAR = (Key("Enter", "play", "do select"), Key(":", "command", "do type"), Key("?", "help", "do help"))
SIZES = [(500, 200), (80, 24), (79, 24), (60, 24), (59, 24), (48, 24), (40, 20), (20, 5), (2, 2), (1, 1), (39, 20)]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_frame_has_the_size_of_the_terminal(width: int, height: int) -> None:
    """Exactly so many rows, none wider: prompt_toolkit never has to say that a window is too small."""
    frame = views.compose(a_game(), Person(bar=BAR, message="m" * 300), width, height)
    assert len(frame.rows) == height
    assert all(width_of(one) <= width for one in frame.rows)
    assert frame.cursor[0] < width and frame.cursor[1] < height


@given(TEXT | WIDE, st.integers(1, 130), st.integers(1, 50), st.integers(1, 12), st.integers(1, 12))
def test_no_name_and_no_board_breaks_a_frame(name: str, width: int, height: int, rows: int, cols: int) -> None:
    """Cells are counted, not characters."""
    frame = views.compose(a_game(rows, cols, name), Person(bar=BAR, message=name, at=(9, 9)), width, height)
    assert len(frame.rows) == height and all(width_of(one) <= width for one in frame.rows)


@pytest.mark.parametrize(
    ("width", "height", "rows", "cols"),
    [(80, 24, 5, 5), (79, 24, 9, 9), (60, 24, 9, 12), (48, 24, 9, 10), (40, 20, 7, 8), (200, 50, 12, 12)],
)
def test_a_board_is_whole_where_it_fits(width: int, height: int, rows: int, cols: int) -> None:
    """The panel gives way first."""
    view = a_game(rows, cols)
    assert view.picture is not None
    text = "\n".join(views.compose(view, Person(bar=BAR, at=(0, 99)), width, height).text())
    assert f"{rows + 1:2}  o" in text and "a   b" in text and " 1  o---o" in text


@pytest.mark.parametrize("at", [(0, 0), (53, 0), (0, 26), (53, 26), (26, 13)])
def test_a_larger_board_scrolls_with_its_cursor(at: tuple[int, int]) -> None:
    """The cell under the cursor is always in sight, and the terminal's own cursor stands on it."""
    view = a_game(12, 12)
    frame = views.compose(view, Person(bar=BAR, at=at), 40, 20)
    x, y = frame.cursor
    under = "".join(piece.text for piece in frame.rows[y])
    assert under[x] in "=#" and view.picture is not None and focused(view.picture, at) is not None


def test_below_the_smallest_size_a_few_words_say_so() -> None:
    """And whose turn it is: the game runs on."""
    text = " ".join(views.compose(a_game(), Person(), 39, 20).text()).split()
    assert " ".join(text).startswith("too small: 39x20, need 40x20 YOUR MOVE")


@pytest.mark.parametrize("width", range(8, 60))
def test_help_is_the_last_key_to_vanish(width: int) -> None:
    """Whoever sees one key sees how to find the others."""
    text = "".join(piece.text for piece in views.bar(BAR, width))
    assert "? help" in text


def test_the_last_move_the_turn_and_the_owner_are_told_without_colour() -> None:
    """By bold and by words; the only styles there are survive NO_COLOR."""
    frame = views.compose(a_game(), Person(bar=BAR), 80, 24)
    styles = {word for one in frame.rows for piece in one for word in piece.style.split()}
    assert styles - {role for roles in THEMES.values() for role in roles} <= PLAIN | {"drawn", "seat2", "seat3"}
    assert any("bold" in piece.style.split() and "---" in piece.text for one in frame.rows for piece in one)
    text = "\n".join(frame.text())
    assert "last line a1r" in text and "YOUR MOVE" in text and "cursor on" in text
    assert text.isascii()


@pytest.mark.parametrize("theme", THEMES)
def test_every_kept_look_is_what_is_drawn_now(theme: str) -> None:
    """The colours and attributes of each cell, in each theme; otherwise: make pictures, and read the diff."""
    for scene in screens.LOOKED_AT:
        assert screens.looks(scene, theme) == screens.look_path(scene, theme).read_text()


def test_no_theme_tells_by_hue_alone() -> None:
    """Two hues at most; and without any colour the same cells still stand out."""
    for theme, roles in THEMES.items():
        hues = {
            look for look in roles.values() if look.startswith("ansi") and "black" not in look and "gray" not in look
        }
        assert len(hues) <= 2, theme
    for scene in screens.LOOKED_AT:
        plain = screens.looks(scene, "dark", NO_COLOR="1")
        assert "cyan" not in plain and "bold" in plain
        assert (
            emphasised(plain) == emphasised(screens.looks(scene, "dark")) == emphasised(screens.looks(scene, "light"))
        )


def emphasised(look: str) -> set[tuple[int, int]]:
    """The cells that are bold or reversed, whatever their colour."""
    body, _, legend = look.partition("\n\n")
    strong = {line[0] for line in legend.splitlines() if "bold" in line or "reverse" in line}
    return {(x, y) for y, row in enumerate(body.splitlines()) for x, sign in enumerate(row) if sign in strong}


def test_a_style_is_attributes_and_roles() -> None:
    """prompt_toolkit is told of both."""
    assert fragment("bold last") == "bold class:last" and fragment("") == ""


# -- the cursor


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_arrows_lead_from_every_cell_to_every_other(rows: int, cols: int, data: st.DataObject) -> None:
    """Whatever is drawn already: no cell that starts a move is out of reach."""
    _, position = begin(make_host().game("dots-and-boxes"), f"size={rows}x{cols}", 2)
    for _ in range(data.draw(st.integers(0, 20))):
        if position.due is None:
            return
        position = moved(position, data.draw(st.sampled_from(list(position.rules.legal(position.state, position.due)))))
    picture = position.rules.picture(position.rules.view(position.state, None))
    there = spots(picture)
    reached, edge = set(there[:1]), list(there[:1])
    while edge:
        here = edge.pop()
        for way in WAYS:
            spot = beyond(picture, here.at, way)
            if spot is not None and spot not in reached:
                reached.add(spot)
                edge.append(spot)
    assert reached == set(there)


@given(st.sampled_from(sorted(WAYS)), st.integers(0, 40), st.integers(0, 20))
def test_an_arrow_goes_its_own_way(way: str, x: int, y: int) -> None:
    """Never back, and to the nearest that way."""
    picture = a_game().picture
    assert picture is not None
    here = focused(picture, (x, y))
    assert here is not None
    there = beyond(picture, here.at, way)
    dx, dy = WAYS[way]
    assert there is None or (there.at[0] - here.at[0]) * dx + (there.at[1] - here.at[1]) * dy > 0


def test_the_cursor_stays_where_it_was_when_its_cell_is_played() -> None:
    """The nearest cell beside it takes over."""
    picture = Picture(((Cell("[1]", move="1"), Cell("[2]", move="2"), Cell("[3]", move="3")),))
    assert focused(picture, (4, 0)) == spots(picture)[1]
    played = Picture(((Cell("[1]", move="1"), Cell("[2]"), Cell("[3]", move="3")),))
    assert focused(played, (5, 0)) == spots(played)[1]
    assert focused(Picture(()), None) is None and size(Picture(())) == (0, 0)


# -- cells


@given(TEXT | WIDE, st.integers(0, 40))
def test_texts_are_cut_by_cells(text: str, width: int) -> None:
    """Also in the middle of a wide character; what is short enough is left alone."""
    assert get_cwidth(cut(text, width)) <= width
    assert get_cwidth(text) > width or cut(text, width) == text
    assert width_of(padded(row(Piece(text)), width)) == width


@given(st.text(st.sampled_from("ab 한")), st.integers(4, 30))
def test_wrapping_loses_nothing_and_keeps_to_the_width(text: str, width: int) -> None:
    """Words stay whole where they can."""
    lines = wrapped(text, width)
    assert all(get_cwidth(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_frame_as_svg_is_inert() -> None:
    """A name is text in it, never markup; every row has its place."""
    from xml.etree import ElementTree as ET

    drawn = svg(views.compose(a_game(name="<script>&"), Person(bar=BAR), 80, 24))
    root = ET.fromstring(drawn)
    texts = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]
    assert any("<script>&" in text for text in texts) and not [node for node in root.iter() if "script" in node.tag]
