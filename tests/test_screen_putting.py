"""Moves put together on the full screen: typed at, read back with pyte, and nothing sent before Enter."""

from pathlib import Path
from typing import Any, cast

import pytest

from lantable_console.commands import Place, at
from lantable_console.screen import keys
from tests.screens import KEYS, SIZES, Terminal, after, show, typed_at
from tests.test_host import write
from tests.test_scrabble_console import FILES

SCRABBLE = (*FILES, "play", "binary-scrabble")
DOWN_TO_C1 = KEYS["up"] * 4 + KEYS["left"] * 4


def sent(terminal: Terminal) -> list[str]:
    """The moves that were played."""
    return list(cast("Any", terminal.screen.subject).board.session.sent)


def putting(script: Any, width: int = 80, height: int = 24) -> None:
    """A script at the position of the drawings, with the cursor on 4D."""

    def whole(terminal: Terminal) -> None:
        terminal.type(DOWN_TO_C1)
        terminal.expect("4D>")
        script(terminal)

    show("putting", whole, width, height)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


# -- putting a move together


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_move_is_typed_judged_and_sent_by_enter_alone(width: int, height: int) -> None:
    """In every layout, as fast as one can type; what does not hold is not sent."""

    def script(terminal: Terminal) -> None:
        terminal.type("10+=\r")
        terminal.expect("4D> 10+=")
        terminal.type(KEYS["backspace"] + "1=1")
        terminal.expect("10+1=1(1)", "18")
        assert sent(terminal) == []
        terminal.type("\r")
        terminal.until(lambda: sent(terminal) == ["4D 10+1=1"], "the move")

    putting(script, width, height)


def test_keys_typed_ahead_find_what_those_before_them_did() -> None:
    """A whole move and Enter in one burst."""

    def script(terminal: Terminal) -> None:
        terminal.type("10+1=1\r")
        terminal.until(lambda: sent(terminal) == ["4D 10+1=1"], "the move")

    putting(script)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (60, 24), (40, 20)])
def test_the_terminal_s_own_cursor_is_on_the_focused_square(width: int, height: int) -> None:
    """Screen readers follow it; it goes to the panel and back with the focus."""

    def script(terminal: Terminal) -> None:
        terminal.type("1")
        terminal.expect("4D> 1")
        cursor = terminal.paper.screen.cursor
        row = terminal.row_of_cursor
        assert row.lstrip().startswith("4 ") and row[cursor.x] == "."
        letters = next(line for line in terminal.paper.text() if "A" in line and " O" in line)
        assert letters[cursor.x] == "E"

    putting(script, width, height)


def test_space_turns_escape_clears_and_the_rack_is_whole() -> None:
    """Nothing of it was ever sent."""

    def script(terminal: Terminal) -> None:
        terminal.type("10 1")
        terminal.expect("3 tiles, not in one line yet", "rack 1[.] 2[.] 3[.] 4[1]")
        terminal.type(KEYS["escape"])
        terminal.expect("rack 1[0] 2[1] 3[1] 4[1]", "D4v")
        assert sent(terminal) == []

    putting(script)


def test_letters_are_tiles_on_the_board_and_commands_beside_it() -> None:
    """Tab goes there and back; what is no command there begins a line."""

    def script(terminal: Terminal) -> None:
        terminal.type("on")
        terminal.expect(" ORNOT")
        terminal.type("z")
        terminal.expect("z lays nothing here")
        terminal.type("\t" + "o")
        terminal.expect("move> o")
        terminal.type(KEYS["escape"] + "s")
        terminal.expect("exchange ..")
        terminal.type("\t" + "1")
        terminal.expect("exchange 0")
        terminal.type(KEYS["escape"])
        terminal.expect(" ORNOT")

    putting(script)


def test_a_narrow_screen_turns_to_the_panel() -> None:
    """Tab, and Esc or Tab back; the draft waits."""

    def script(terminal: Terminal) -> None:
        terminal.type("10")
        terminal.expect("4D> 10")
        terminal.type("\t")
        terminal.expect("> 1 Ada, you", "T 3x equation", "4D> 10")
        terminal.type(KEYS["escape"])
        terminal.expect("A B C D", "4D> 10")

    putting(script, 40, 20)


def test_an_exchange_a_pass_and_a_blank_wait_for_enter() -> None:
    """Each can be dropped."""

    def script(terminal: Terminal) -> None:
        terminal.type("s13")
        terminal.expect("exchange 0 1", "<0> 2[1] <1>")
        terminal.type(KEYS["escape"] + "p")
        terminal.expect("it scores nothing", "Enter play")
        terminal.type(KEYS["escape"] + ".")
        terminal.expect("a blank at D4")
        terminal.type(KEYS["escape"] + ".a")
        terminal.expect(" and ", "AND?")
        assert sent(terminal) == []
        terminal.type(KEYS["escape"] + "s1\r")
        terminal.until(lambda: sent(terminal) == ["-0"], "the exchange")

    putting(script)


def test_slots_and_sorting() -> None:
    """F3 or its word; Ctrl-R and its word."""

    def script(terminal: Terminal) -> None:
        terminal.type(":slots\r")
        terminal.expect("F3 signs")
        terminal.type("7")
        terminal.expect("4D> OR", "7[.]")
        terminal.type("\x1bOR")
        terminal.expect("F3 slots")
        terminal.type("\x12")
        terminal.expect("7[.]")

    putting(script)


def test_a_whole_move_can_be_typed() -> None:
    """Behind a colon, with what it would make told while it is typed."""

    def script(terminal: Terminal) -> None:
        terminal.type(":4D 10+1=1")
        terminal.expect("move> :4D 10+1=1", "valid: 10+1=11 for 18")
        assert sent(terminal) == []
        terminal.type("\r")
        terminal.until(lambda: sent(terminal) == ["4D 10+1=1"], "the move")

    putting(script)


def test_pasted_text_is_only_typed() -> None:
    """Newlines in it commit nothing, on the board or beside it."""

    def script(terminal: Terminal) -> None:
        terminal.paste("10+1=1\r\n4D 10+1=1\n")
        terminal.expect("move> 10+1=1 4D 10+1=1")
        terminal.type(KEYS["escape"])
        terminal.expect("4D>", "rack 1[0] 2[1]")
        assert sent(terminal) == []

    putting(script)


def test_the_working_opens_over_the_board_and_closes() -> None:
    """While it is open no letter lays a tile unseen."""

    def script(terminal: Terminal) -> None:
        terminal.type("1=10+1w")
        terminal.expect("carried", "2 + 3 = 5", "Esc close")
        terminal.type(KEYS["escape"])
        terminal.expect("1=10+1(1)", "NOT VALID")

    putting(script)


# -- what happens meanwhile


def test_a_move_that_arrives_takes_no_tile() -> None:
    """A tile whose square is taken goes back to the rack, and that is said; Enter sends what is seen then."""

    def script(terminal: Terminal) -> None:
        terminal.type("10+1=1")
        terminal.expect("10+1=1(1)")
        loop = cast("Any", terminal.screen.subject)
        loop.board.session.table.position = after(loop.board.position, 1, "G4 10=11")
        terminal.type("\r")
        terminal.expect("4D> 10+(1)=1(1)", "1 tile back")
        terminal.until(lambda: sent(terminal) in ([], ["4D 10+=1"]), "no other move")

    putting(script)


def test_every_layout_in_turn_keeps_the_draft() -> None:
    """Down to too small, where a few words say so, and back."""

    def script(terminal: Terminal) -> None:
        terminal.type("10+1=1")
        for width, height in (*SIZES, (39, 20), (2, 2), (500, 200), (80, 22), (80, 20), (80, 24)):
            terminal.resize(width, height)
            terminal.until_width(width)
            if width >= 40:
                terminal.expect("10+1=1(1)", "15 ", " O", "? help")
        terminal.resize(39, 20)
        terminal.expect("too small: 39x20, need 40x20")
        terminal.resize(80, 24)
        terminal.expect("10+1=1(1)")

    putting(script)


def test_a_click_goes_to_a_square_and_a_key_of_the_bar_can_be_clicked() -> None:
    """With the mouse on; a click alone lays and plays nothing."""

    def script(terminal: Terminal) -> None:
        terminal.type("\x14")
        terminal.expect("clicks act here")
        terminal.type("\x1b[<0;6;3M\x1b[<0;6;3m")
        terminal.expect("1A>", "3x the equation")
        terminal.type("1")
        terminal.expect("1A> 1", "Esc clear")
        x = terminal.paper.text()[-1].index("Esc clear") + 2
        terminal.type(f"\x1b[<0;{x};24M\x1b[<0;{x};24m")
        terminal.expect("rack 1[0] 2[1]")
        assert sent(terminal) == []

    putting(script)


def test_other_signs_by_choice() -> None:
    """ASCII until asked for."""

    def script(terminal: Terminal) -> None:
        assert terminal.text.isascii()
        terminal.type(":unicode\r")
        terminal.expect("\u00b7")
        terminal.type(":unicode\r")
        terminal.until(lambda: terminal.text.isascii(), "ASCII again")

    putting(script, 60, 24)


def test_the_board_has_three_sizes_to_choose_from() -> None:
    """It follows the window unless told otherwise; what is too large scrolls with its cursor."""

    def script(terminal: Terminal) -> None:
        terminal.expect("    A  B  C")
        for size, letters in (("1", "    A B C"), ("3", "     A   B   C"), ("x", "size takes 1"), ("", "    A  B  C")):
            terminal.type(f":size {size}\r")
            terminal.expect(letters, "4D>")
        terminal.resize(48, 24)
        terminal.until_width(48)
        terminal.type(":size 3\r" + KEYS["end"])
        terminal.expect("   N   O", "4O>")

    putting(script)


# -- hints


def test_a_hint_is_laid_and_not_played(home: Path) -> None:
    """By the strongest computer player, while the game goes on; Enter plays it."""
    records = home / "records"

    def script(terminal: Terminal) -> None:
        terminal.expect("s sit down")
        terminal.type("s")
        terminal.expect("YOUR MOVE", "h hint", "rack 1[")
        terminal.type("h")
        terminal.until(lambda: "a hint:" in terminal.text or "exchange " in terminal.text)
        terminal.expect("Enter play")
        (record,) = records.glob("*.jsonl")
        assert b'"type":"move"' not in record.read_bytes()
        terminal.type("\r")
        terminal.until(lambda: b'"type":"move"' in record.read_bytes(), "the move")
        terminal.leave_by(":q\r")

    assert typed_at(home, *SCRABBLE, "--hotseat", script=script) == 0


SLOW = """
import threading
asked = threading.Event()
def patient(rules, view, seat, seed):
    asked.wait(5)
    return list(rules.legal(view, seat))[-1]
COUNT_TO.opponents["patient"] = patient
"""


def test_whoever_waits_for_a_hint_can_drop_it(home: Path, tmp_path: Path) -> None:
    """The screen answers meanwhile; Esc forgets the question, and so does a key that goes on."""
    source = (Path(__file__).parent / "toy.py").read_text().replace("count-to", "count-up") + SLOW
    plugin = write(tmp_path, "slow", source)

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        terminal.type(":hint\r")
        terminal.expect("looking for a hint", "Esc close")
        terminal.type(KEYS["right"])
        terminal.expect("cursor on 2")
        terminal.type(KEYS["escape"])
        terminal.until(lambda: "looking for a hint" not in terminal.text)
        terminal.leave_by(":q\r")

    line = ("--plugin", plugin, "play", "count-up", "--rules", "short", "--hotseat")
    assert typed_at(home, *line, script=script) == 0


# -- several at one keyboard


def test_racks_are_hidden_between_turns(home: Path) -> None:
    """Until whoever is to move sits down there is no rack, no cursor and nothing laid on the screen."""

    def script(terminal: Terminal) -> None:
        terminal.expect("sit down", "s sit down")
        assert "rack " not in terminal.text and "[" not in terminal.text
        terminal.type("s")
        terminal.expect("YOUR MOVE", "rack 1[")
        first = next(line for line in terminal.paper.text() if "rack 1[" in line)
        terminal.type("p\r")
        terminal.expect("sit down: s")
        assert "rack " not in terminal.text and "[" not in terminal.text
        terminal.type("s")
        terminal.expect("YOUR MOVE", "rack 1[")
        terminal.type(":pass\r")
        terminal.expect("sit down: s")
        terminal.type("s")
        terminal.expect(first)
        terminal.leave_by(":q\r")

    assert typed_at(home, *SCRABBLE, "--hotseat", script=script) == 0


# -- strangers


BROKEN_SKETCH = """
def draft(self, view, seat, before=None):
    return 0
def typed(self, draft, key):
    return None
def sketch(self, draft, look):
    raise ZeroDivisionError("no sketch")
CountTo.draft, CountTo.typed, CountTo.sketch, CountTo.drafted = draft, typed, sketch, typed
"""


def test_a_game_whose_sketch_fails_is_typed(home: Path, tmp_path: Path) -> None:
    """The fault is the plug-in's, and named; the cells of its picture still work."""
    source = (Path(__file__).parent / "toy.py").read_text().replace("count-to", "count-up") + BROKEN_SKETCH
    plugin = write(tmp_path, "broken", source)

    def script(terminal: Terminal) -> None:
        terminal.expect("moves must be typed here: ZeroDivisionError: no sketch", "cursor on 1")
        terminal.type("3\r")
        terminal.expect("GAME OVER")
        terminal.leave_by("q")

    line = ("--plugin", plugin, "play", "count-up", "--rules", "short", "--against", "greedy")
    assert typed_at(home, *line, script=script) == 0


# -- keys


def test_no_key_on_a_board_has_two_meanings() -> None:
    """The table's and the game's together, whatever is being done; each is in the help."""

    def script(terminal: Terminal) -> None:
        back = KEYS["escape"]
        steps = {"": "4D>", "1": "4D> 1", "s": "exchange", "2": "exchange 1", "p": "pass", f"{back}.": "a blank"}
        for typed, seen in (*steps.items(), (back, "4D> 1"), ("\t", "Esc close")):
            terminal.type(typed)
            terminal.expect(seen)
            screen = terminal.screen
            ours = [key for row in at(screen.place) if screen.there(row) for key in row.keys]
            game = [press.key for press in screen.presses]
            assert len({*ours, *game}) == len(ours) + len(game)
            shown = [item.key for item in keys.bar(screen, screen.place)]
            assert len(set(shown)) == len(shown)
            assert not [key for key in ours if len(key) == 1 and screen.place is Place.BOARD and screen.lays(key)]
        help_text = "\n".join(keys.help_lines(terminal.screen, Place.GAME, 80))
        assert all(word in help_text for word in (":swap", ":sort", "Backspace", "why what is laid", ":undo"))

    putting(script)
