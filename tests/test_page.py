"""A game as one page: everything in it, nothing hostile in it, and stepped through in a real browser."""

import base64
import json
import re
from collections.abc import Generator
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lantable_console.page import Once
from tests.browser import Browser, Tab, browsing
from tests.cli import DOTS, SCRABBLE, TOY, Desk
from tests.games import Sitting

HOSTILE = "</script><script>document.title='taken'</script><b>x</b>"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "home", (DOTS, SCRABBLE, TOY))


def small(**rest: Any) -> Sitting:
    """A finished game of nine boxes."""
    sitting = Sitting(options="size=3x3", **rest)
    sitting.play(100)
    return sitting


class Read(HTMLParser):
    """A page taken apart: its elements, the text of some, and what links lead to."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.links: list[str] = []
        self.scripts: list[str] = []
        self.board = self.said = self.policy = ""
        self.lines: list[str] = []
        self._in: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        self._in.append(found.get("id") or tag)
        self.links += [value for name in ("href", "src", "action") if (value := found.get(name))]
        self.policy = self.policy or (found.get("content") or "") if found.get("http-equiv") else self.policy
        if tag == "script":
            self.scripts.append("")
        if tag == "li":
            self.lines.append("")
        if tag in ("meta", "input", "link"):
            self._in.pop()

    def handle_endtag(self, tag: str) -> None:
        self._in.pop()

    def handle_data(self, data: str) -> None:
        if self._in and self._in[-1] in ("script", "game"):
            self.scripts[-1] += data
        elif "board" in self._in:
            self.board += data
        elif "said" in self._in:
            self.said += data
        elif "li" in self._in:
            self.lines[-1] += data

    @property
    def game(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.scripts[0])
        return found


def written(desk: Desk, sitting: Sitting, name: str = "game.html") -> Path:
    """The page of a game."""
    path = desk.home.parent / name
    done = desk("page", desk.keep(sitting), "--to", str(path))
    assert done.out == f"{path} is written; open it in any browser\n"
    return path


def taken_apart(path: Path) -> Read:
    return Read(path.read_text(encoding="utf-8"))


def boards(read: Read) -> list[list[str]]:
    """What is seen after each event, as lines."""
    shown = [["".join(text for text, _ in row).rstrip() for row in board] for board in read.game["boards"]]
    return [shown[step["board"]] for step in read.game["steps"]]


def replayed(desk: Desk, sitting: Sitting, seq: int) -> list[str]:
    """What a replay shows after an event: the line of the event, the board, the panel."""
    _, _, *rest = desk("replay", sitting.game.hex(), "--at", str(seq)).lines
    return [line.rstrip() for line in rest]


# -- what is in it


@pytest.mark.parametrize("game", ["dots-and-boxes", "binary-scrabble", "count-to"])
def test_every_event_and_what_is_seen_after_it(desk: Desk, game: str) -> None:
    """The same boards and panels as in a replay, for a game that has any event and for one nobody here wrote."""
    sitting = Sitting(game)
    sitting.play(6)
    read = taken_apart(written(desk, sitting))
    steps, seen = read.game["steps"], boards(read)
    assert len(steps) == len(read.lines) == len(sitting.table.chain.events)
    for seq in range(len(steps)):
        panel = [line.rstrip() for line in read.game["panels"][steps[seq]["panel"]]]
        assert replayed(desk, sitting, seq)[-len(seen[seq] + panel) :] == seen[seq] + panel
        assert read.lines[seq].startswith(steps[seq]["said"]) and steps[seq]["said"].startswith(f"{seq} ")


def test_without_its_script_it_shows_the_last_position_and_every_event(desk: Desk) -> None:
    """For whoever has scripts switched off, and for whatever reads pages aloud."""
    read = taken_apart(written(desk, small()))
    assert [line.rstrip() for line in read.board.strip("\n").splitlines()] == boards(read)[-1]
    assert read.said == read.game["steps"][-1]["said"] and len(read.lines) == 25


def test_the_record_is_in_it(desk: Desk) -> None:
    """Byte for byte, to be saved and audited."""
    sitting = small()
    (link,) = [link for link in taken_apart(written(desk, sitting)).links if link.startswith("data:")]
    assert base64.b64decode(link.partition("base64,")[2]) == sitting.data


def test_what_players_still_hide_is_not_in_it(desk: Desk) -> None:
    """An unfinished game is shown as its spectators saw it, and its record, which knows more, is left out."""
    sitting = Sitting("binary-scrabble")
    sitting.play(2)
    path = written(desk, sitting)
    drawn = [signed.event.body["tiles"] for signed in sitting.table.chain.events if "tiles" in signed.event.body]
    text = path.read_text(encoding="utf-8")
    assert drawn and not any(" ".join(tiles) in text for tiles in drawn)
    assert not [link for link in taken_apart(path).links if link.startswith("data:")]
    assert "racks: hidden until the game is over" in text


@settings(max_examples=25)
@given(st.lists(st.integers(0, 5)))
def test_what_is_alike_is_kept_once(things: list[int]) -> None:
    """Each is found again at its place."""
    once = Once()
    places = [once.place(thing) for thing in things]
    assert [once.all()[place] for place in places] == things and len(once.all()) == len(set(things))


# -- what is not in it


@pytest.mark.parametrize("name", [HOSTILE, "<!--", "]]>", "\x1b[2J\u202e&amp;", "${title}", "' onload='x"])
def test_names_are_text(desk: Desk, name: str) -> None:
    """As the program shows them, and nothing that a browser would obey."""
    plain = taken_apart(written(desk, small()))
    odd = taken_apart(written(desk, small(names=(name, "Bob")), "odd.html"))
    assert odd.tags == plain.tags and len(odd.scripts) == 2
    assert "\x1b" not in json.dumps(odd.game, ensure_ascii=False)


def test_it_loads_nothing_and_runs_one_script(desk: Desk) -> None:
    """Links lead to events of the page itself and to the record in it; the policy names the script by its hash."""
    read = taken_apart(written(desk, small()))
    assert all(re.fullmatch(r"#\d+|data:application/jsonl;base64,.*", link) for link in read.links)
    hashed = base64.b64encode(sha256(read.scripts[1].encode()).digest()).decode()
    assert read.policy.startswith("default-src 'none'; ") and f"script-src 'sha256-{hashed}'" in read.policy


# -- where it is written


def test_an_older_page_of_the_game_is_written_over_and_nothing_else(desk: Desk, tmp_path: Path) -> None:
    """A game that went on makes its page anew; somebody's own file is left alone."""
    sitting = Sitting(options="size=3x3")
    sitting.play(3)
    older = written(desk, sitting).read_text()
    sitting.play(3)
    assert written(desk, sitting).read_text() != older
    mine = tmp_path / "mine.html"
    mine.write_text("mine")
    for path, why in ((mine, "is there already"), (written(desk, small(seed=4), "other.html"), "is there already")):
        done = desk("page", sitting.game.hex(), "--to", str(path))
        assert done.code == 2 and why in done.error
    assert mine.read_text() == "mine"


def test_where_nothing_can_be_written(desk: Desk, tmp_path: Path) -> None:
    """One line, and the code of a disk."""
    done = desk("page", desk.keep(small()), "--to", str(tmp_path / "nowhere" / "game.html"))
    assert done.code == 6 and "cannot write" in done.error


def test_its_usual_name(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game's id, in the folder one is in."""
    monkeypatch.chdir(tmp_path)
    sitting = small()
    assert desk("page", desk.keep(sitting)).code == 0
    assert (tmp_path / f"lantable-{sitting.game.hex()[:8]}.html").exists()


def test_a_record_that_is_not_good(desk: Desk, tmp_path: Path) -> None:
    """It is shown to its last good event, with the word; one of unknown rules cannot be drawn."""
    sitting = Sitting(options="size=3x3")
    sitting.play(5)
    broken = tmp_path / "broken.jsonl"
    lines = sitting.data.splitlines(keepends=True)
    broken.write_bytes(b"".join(lines[:6]) + lines[6].replace(b'"move"', b'"moev"') + b"".join(lines[7:]))
    done = desk("page", str(broken), "--to", str(tmp_path / "broken.html"))
    read = taken_apart(tmp_path / "broken.html")
    assert done.code == 1 and done.error.startswith("broken at 3: ") and len(read.lines) == 3
    done = desk("page", desk.keep(small(change=lambda offer: {**offer, "game": "go"})))
    assert done.code == 4


# -- in a browser


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with browsing() as browser:
        yield browser


def seen(tab: Tab) -> tuple[str, list[str], str]:
    """What a person sees: where one is, the board, what is said."""
    return tab.text("#at"), [line.rstrip() for line in tab.text("#board").strip("\n").splitlines()], tab.text("#said")


def after(read: Read, seq: int) -> tuple[str, list[str], str]:
    """What there is to see after an event."""
    step = read.game["steps"][seq]
    said = step["said"] + (f"  [{step['mark']}]" if step["mark"] else "")
    return f"event {seq} of {len(read.lines) - 1}", boards(read)[seq], said


def test_keys_walk_through_the_game(desk: Desk, browser: Browser) -> None:
    """The keys of the replay on the screen; neither end can be walked over."""
    path = written(desk, small())
    read, tab = taken_apart(path), browser.open(path)
    marks = [seq for seq, step in enumerate(read.game["steps"]) if step["mark"]]
    assert seen(tab) == after(read, 24) and marks[0] > 2
    for keys, seq in (
        (["ArrowLeft"], 23), (["ArrowRight", "ArrowRight"], 24), (["Home"], 0), (["ArrowLeft"], 0),
        (["ArrowRight"] * 3, 3), (["Home", "]"], marks[0]), (["End", "["], marks[-2]), (["End"], 24),
    ):  # fmt: skip
        tab.press(*keys)
        assert seen(tab) == after(read, seq)
    assert tab.read("document.querySelector('a[aria-current]').textContent") == read.lines[24]
    assert not tab.faults


def test_clicks_do_the_same(desk: Desk, browser: Browser) -> None:
    """Buttons, the list of events, the slider; and the address leads back to an event."""
    path = written(desk, small())
    read, tab = taken_apart(path), browser.open(path, "#7")
    assert seen(tab) == after(read, 7)
    for where, seq in (("#first", 0), ("#on", 1), ("#end", 24), ("#back", 23), ("li:nth-child(5) a", 4)):
        tab.click(where)
        assert seen(tab) == after(read, seq)
    tab.click("#slider")
    assert seen(tab) == after(read, 12) and tab.read("location.hash") == "#12"
    assert not tab.faults


def test_it_runs_to_the_end_and_stays_there(desk: Desk, browser: Browser) -> None:
    """At the players' pace times the speed; the space bar starts and stops it."""
    tab = browser.open(written(desk, small()))
    tab.read("document.getElementById('speed').value = '16'")
    tab.press("Home", " ")
    assert tab.text("#run") == "Stop"
    tab.press(" ")
    assert tab.text("#run") == "Run" and tab.text("#at") != "event 24 of 24"
    tab.press("End", "ArrowLeft", "ArrowLeft", " ")
    ended = "new Promise(done => { const look = () => game.steps.length - 1 === at && timer === null ? done(at) : "
    assert tab.read(ended + "setTimeout(look, 5); look(); })") == 24
    assert tab.text("#run") == "Run" and not tab.faults


def test_a_hostile_name_is_seen_as_it_is(desk: Desk, browser: Browser) -> None:
    """Its script does not run, in the page as it is written or when one walks."""
    tab = browser.open(written(desk, small(names=(HOSTILE, "Bob"))))
    tab.press("Home", "ArrowRight", "End")
    assert tab.read("document.title").startswith("Dots and Boxes") and "</script>" in tab.text("#said, h1")
    assert tab.read("document.querySelectorAll('script').length") == 2 and not tab.faults


def test_scripts_switched_off(desk: Desk, browser: Browser) -> None:
    """The bar that needs them is not there."""
    path = written(desk, small())
    tab = browser.open(path)
    tab.ask("Emulation.setScriptExecutionDisabled", value=True)
    tab.go(path.as_uri())
    tab.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert tab.read("document.getElementById('bar').hidden") and tab.text("#board").strip()


def test_a_narrow_window_needs_no_scrolling_sideways(desk: Desk, browser: Browser) -> None:
    """A telephone, held upright, with the widest board."""
    sitting = Sitting("binary-scrabble")
    sitting.play(1)
    tab = browser.open(written(desk, sitting))
    tab.ask("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=True)
    wide = "[...document.querySelectorAll('body, #board, #panel')].filter(it => it.scrollWidth > it.clientWidth + 1)"
    assert tab.read(f"{wide}.length") == 0


def test_a_page_is_written_from_a_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`export` tells where it lies and stays at its event; again it replaces its own page, and nobody's file else."""
    monkeypatch.chdir(tmp_path)
    desk = Desk(tmp_path / "home")
    game = desk.keep(Sitting(options="size=1x1").play())
    mine, other = tmp_path / f"lantable-{game[:8]}.html", tmp_path / f"lantable-{game[:8]}-2.html"
    mine.write_text("my own notes")
    said = desk("replay", game, typed="goto 2\nexport\nexport\nexport ./there.html\nmoves\nquit\n")
    assert said.out.count(f"* {other} is written; open it in any browser") == 2
    assert f"* {tmp_path / 'there.html'} is written" in said.out
    assert any(re.match(r">\s+2 ", line) for line in said.lines), "it stays at its event"
    assert mine.read_text() == "my own notes" and other.read_text() == (tmp_path / "there.html").read_text()
    said = desk("replay", game, typed=f"export {mine}\nquit\n")
    assert "is there already, and no page of this game" in said.out and mine.read_text() == "my own notes"
