"""The full screen typed at: prompt_toolkit's pipe input on one side, pyte on the other, trio in between."""

from pathlib import Path

import pytest

from lantable_console import commands
from lantable_console.commands import COMMANDS, Place, at, find
from lantable_console.screen import keys
from lantable_console.screen.app import Screen
from tests.games import GOLDEN, Sitting
from tests.screens import KEYS, Terminal, show, typed_at
from tests.test_host import good, write

ALONE = ("play", "dots-and-boxes", "--rules", "size=2x2", "--seed", "1")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


# -- the table


@pytest.mark.parametrize("place", Place)
def test_no_key_has_two_meanings_in_one_place(place: Place) -> None:
    """Enter answers one question at a time, an invitation never."""
    pressed = [key for row in at(place) for key in row.keys]
    assert len(set(pressed)) == len(pressed)
    assert not {"c-s", "c-q"} & set(pressed), "flow control on many terminals"


@pytest.mark.parametrize("place", Place)
def test_no_word_has_two_meanings_in_one_place(place: Place) -> None:
    """As for keys."""
    words = [word for row in at(place) for word in row.words]
    assert len({*words, *((place, row.name, row.argument) for row in at(place))}) == len(words) + len(list(at(place)))


def test_a_function_key_is_never_the_only_one() -> None:
    """Many terminals keep F keys for themselves; and what a key does can be typed as well."""
    for row in COMMANDS:
        assert not row.keys or [key for key in row.keys if not key.startswith("f1") and key != "f9"]
        assert row.name and find(row.places[0], row.name, screen=True) is not None


def test_every_key_has_a_name_and_every_row_a_help() -> None:
    """`s-left` is Shift-Left to a person."""
    assert [keys.shown(key) for key in ("s-left", "c-c", " ", "f9", "g", "pageup")] == [
        "Shift-Left", "Ctrl-C", "Space", "F9", "g", "PgUp",
    ]  # fmt: skip
    assert all(row.help and row.help[0].islower() for row in COMMANDS)


def test_line_mode_offers_what_needs_no_screen() -> None:
    """And the screen offers all of that."""
    for place in (Place.GAME, Place.LOBBY, Place.REPLAY):
        plain, full = list(at(place, screen=False)), list(at(place))
        assert set(map(id, plain)) < set(map(id, full))
        assert len(commands.help_lines(place)) == len(plain)


# -- a game


def test_a_move_is_played_by_cursor_and_by_text(home: Path) -> None:
    """Arrows and Enter, or typed into the line; the record has both."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE", "cursor on a1r")
        terminal.type(KEYS["down"])
        terminal.expect("cursor on a1d")
        terminal.type(KEYS["enter"])
        terminal.expect("1 player plays a1d", "YOUR MOVE")
        terminal.type("c2d")
        terminal.expect("move> c2d")
        terminal.type(KEYS["enter"])
        terminal.expect("3 player plays c2d")
        terminal.leave_by(":quit\r")

    assert typed_at(home, *ALONE, script=script) == 0
    (record,) = (home / "records").glob("*.jsonl")
    assert b'"move":"a1d"' in record.read_bytes() and b'"move":"c2d"' in record.read_bytes()


def test_keys_typed_while_it_opens_are_kept_in_order(home: Path) -> None:
    """Nothing is there yet that they could be for: cursor, moves, commands, a paste, all wait their turn."""

    def script(terminal: Terminal) -> None:
        assert not terminal.screen._opened
        terminal.type(KEYS["down"] + KEYS["enter"])
        terminal.type("c2d\r")
        terminal.paste("c1d\n")
        terminal.expect("1 player 1 plays a1d", "2 player 2 plays c2d", "move> c1d")
        terminal.type(KEYS["escape"] + ":board\r")
        terminal.expect("Esc close")
        terminal.leave_by(":quit\r")

    assert typed_at(home, "play", "dots-and-boxes", "--hotseat", "--rules", "size=2x2", script=script) == 0
    (record,) = (home / "records").glob("*.jsonl")
    assert b'"move":"a1d"' in record.read_bytes() and b'"move":"c2d"' in record.read_bytes()


def test_ctrl_c_while_it_opens_leaves_at_once(home: Path) -> None:
    """There is nothing to be asked about."""
    assert typed_at(home, *ALONE, script=lambda terminal: terminal.leave_by("ab\x03")) == 130


def test_a_whole_game_ends_and_stays_in_sight(home: Path) -> None:
    """Until the person has seen it: q then leaves. What is wrong is said and costs nothing."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        terminal.type("z9r\r")
        terminal.expect("not played (off_board)")
        while "GAME OVER" not in terminal.text:
            header = terminal.text.splitlines()[0]
            if "YOUR MOVE" in header:
                terminal.type(KEYS["enter"])
            terminal.changes_from(header)
        terminal.expect("wins", "q quit", "the record is complete")
        terminal.leave_by("q")

    assert typed_at(home, *ALONE, script=script) == 0


def test_extra_turns_are_said(home: Path) -> None:
    """In words, whoever draws the game."""

    def script(terminal: Terminal) -> None:
        for player, move in (("1", "a1r"), ("2", "a1d"), ("1", "a2r"), ("2", "b1d")):
            terminal.expect(f"player {player}, YOUR MOVE")
            terminal.type(f"{move}\r")
        terminal.expect("player 2, YOUR MOVE AGAIN", "box! move again")
        terminal.leave_by(":q\r")

    assert typed_at(home, "play", "dots-and-boxes", "--hotseat", "--rules", "size=1x2", script=script) == 0


def test_what_happens_never_disturbs_what_is_being_typed(home: Path) -> None:
    """The line stands while the game goes on beside it."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        terminal.type("half a li")
        terminal.expect("move> half a li")
        for number in range(30):
            terminal.screen.say(f"* news {number}")
        terminal.expect("move> half a li")
        terminal.type("ne")
        terminal.expect("move> half a line")
        terminal.type(KEYS["escape"])
        terminal.until(lambda: "half" not in terminal.text)

    typed_at(home, *ALONE, script=script)


def test_pasted_text_commits_nothing(home: Path) -> None:
    """Bracketed paste: newlines in it are spaces, on the board and in the line."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        terminal.paste("a1r\nb1r\n")
        terminal.expect("move> a1r b1r", "log ok #0")
        terminal.paste("\r\nc")
        terminal.expect("move> a1r b1r", "log ok #0")

    typed_at(home, *ALONE, script=script)
    (record,) = (home / "records").glob("*.jsonl")
    assert b'"move"' not in record.read_bytes()


def test_tab_completes_commands_and_moves(home: Path) -> None:
    """Again for the next way; what is typed in between is completed as it then stands."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        terminal.type(":re")
        terminal.expect("> :re", "resign")
        terminal.type(KEYS["tab"])
        terminal.expect("> :resign")
        terminal.type(KEYS["escape"])
        terminal.type("c")
        terminal.expect("chat  c1d  c2d")
        terminal.type(KEYS["tab"] * 3)
        terminal.expect("> c2d")
        terminal.type(KEYS["escape"] + ":re" + KEYS["tab"])
        terminal.expect("> :resign")
        terminal.type(KEYS["backspace"] * 5 + "u" + KEYS["tab"])
        terminal.expect("> :rules")
        terminal.type(KEYS["backspace"] * 5 + "theme c" + KEYS["tab"])
        terminal.expect("> :theme contrast")

    typed_at(home, *ALONE, script=script)


def test_help_and_answers_open_over_the_board_and_close(home: Path) -> None:
    """`?` for the keys of this place; an answer of several lines likewise; Esc is fast."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        terminal.type("?")
        terminal.expect("play the move under the cursor", "PgDn: more of it", "Esc close")
        terminal.type(KEYS["pagedown"] * 2)
        terminal.expect(":undo [N]")
        terminal.type(KEYS["escape"])
        terminal.expect("cursor on a1r")
        terminal.type(":who\r")
        terminal.expect("player 1 player, key", "player 2 easy, key")
        terminal.type(KEYS["escape"])
        terminal.expect("cursor on a1r")

    typed_at(home, *ALONE, script=script)


def test_ctrl_c_asks_once_while_a_game_runs(home: Path) -> None:
    """The second one leaves with 130; the game can be resumed."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        terminal.type("\x03")
        terminal.expect("Ctrl-C again leaves")
        terminal.type(KEYS["down"])
        terminal.until(lambda: "Ctrl-C again" not in terminal.text)
        terminal.type("\x03")
        terminal.expect("Ctrl-C again leaves")
        terminal.type("\x03")
        terminal.until(lambda: not terminal.screen.app.is_running)

    assert typed_at(home, *ALONE, script=script) == 130

    def again(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE", "log ok #0")
        terminal.leave_by(":quit\r")

    assert typed_at(home, "resume", script=again) == 0


def test_live_resizing_keeps_the_game(home: Path) -> None:
    """Down to next to nothing and back, while keys are pressed."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        for width, height in ((500, 200), (79, 24), (48, 24), (40, 20), (20, 5), (2, 2), (1, 1), (80, 24)):
            terminal.resize(width, height)
            terminal.until_width(width)
            terminal.type(KEYS["down"])
        terminal.expect("YOUR MOVE", "cursor on", "? help")
        assert "too small" not in terminal.text

    typed_at(home, *ALONE, script=script)


def test_the_mouse_is_off_until_asked_for(home: Path) -> None:
    """Then a click takes a cell, and a second one there plays it."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        assert b"\x1b[?1000h" not in terminal.paper.raw
        terminal.type("\x14")
        terminal.expect("clicks act here")
        terminal.until(lambda: b"\x1b[?1000h" in terminal.paper.raw)
        for _ in range(2):
            terminal.type("\x1b[<0;12;4M\x1b[<0;12;4m")
        terminal.expect("1 player plays b1r")
        terminal.type(KEYS["f9"])
        terminal.until(lambda: b"\x1b[?1000l" in terminal.paper.raw)

    typed_at(home, *ALONE, script=script)


def test_the_title_says_your_move_and_is_cleared(home: Path) -> None:
    """OSC 2, and nothing rings."""
    raw: list[bytes] = []

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        terminal.until(lambda: b"\x1b]2;your move\x07" in terminal.paper.raw)
        terminal.leave_by(":quit\r")
        terminal.until(lambda: terminal.paper.raw.rindex(b"\x1b]2;\x07") > terminal.paper.raw.rindex(b"your move"))
        raw.append(terminal.paper.raw)

    typed_at(home, *ALONE, script=script)
    assert b"\x07" not in raw[0].replace(b"\x1b]2;your move\x07", b"").replace(b"\x1b]2;\x07", b"")


def test_a_stranger_s_game_is_played_like_any_other(home: Path) -> None:
    """Its cells, its notation, its house rules: the console knows none of it."""

    def script(terminal: Terminal) -> None:
        terminal.expect("0 of 4 [1][2][3]", "YOUR MOVE")
        terminal.type(KEYS["right"])
        terminal.expect("cursor on 2")
        terminal.type(KEYS["enter"])
        terminal.expect("GAME OVER: greedy wins")
        terminal.leave_by("q")

    line = ("play", "count-to", "--rules", "short", "--against", "greedy")
    assert typed_at(home, *line, script=script) == 0


BROKEN_PICTURE = """
def picture(self, view):
    raise ZeroDivisionError("no \\x1b[2J picture")
COUNT_TO.make(dict(target=4), ()).__class__.picture = picture
"""


def test_a_game_that_cannot_be_drawn_says_so_and_goes_on(home: Path, tmp_path: Path) -> None:
    """The plug-in's fault, named in its place; moves can still be typed."""
    source = (Path(__file__).parent / "toy.py").read_text().replace("count-to", "count-up") + BROKEN_PICTURE
    plugin = write(tmp_path, "broken", source)

    def script(terminal: Terminal) -> None:
        terminal.expect("the game could not be drawn: ZeroDivisionError: no ?[2J picture")
        terminal.type("3\r")
        terminal.expect("GAME OVER")
        terminal.leave_by("q")

    line = ("--plugin", plugin, "play", "count-up", "--rules", "short", "--against", "greedy")
    assert typed_at(home, *line, script=script) == 0


def test_an_error_before_anything_is_shown_is_told_afterwards(home: Path) -> None:
    """Misuse leaves the screen first."""
    done = typed_at(home, "play", "no-such-game", script=lambda terminal: None)
    assert "no game is called" in str(done)


def test_a_fault_in_here_ends_the_screen_and_is_raised(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong while drawing or in a key: the terminal is given back, and `cli` says it in one line."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        monkeypatch.setattr(Screen, "escape", lambda self: 1 / 0)
        monkeypatch.setattr(Screen, "can_escape", property(lambda self: True))
        terminal.type(KEYS["escape"])
        terminal.until(lambda: not terminal.screen.app.is_running)
        terminal.until(lambda: b"\x1b[?1049l" in terminal.paper.raw)

    assert isinstance(typed_at(home, *ALONE, script=script), ZeroDivisionError)


def test_nothing_a_stranger_wrote_reaches_the_terminal(home: Path, tmp_path: Path) -> None:
    """Names that move cursors, ring, turn text around or set clipboards are shown inert, in replays as in games."""
    nasty = "\x1b[2J\x07\x9b31m\u202e\u200b\x1b]52;c;cm0=\x07"
    (tmp_path / "game.jsonl").write_bytes(Sitting(options="size=1x1", names=(nasty, nasty, "", "")).play().data)
    raw: list[bytes] = []

    def script(terminal: Terminal) -> None:
        terminal.expect("?[2J??31m", "0/4")
        terminal.type(KEYS["end"])
        terminal.expect("4/4")
        raw.append(terminal.paper.raw)

    typed_at(home, "replay", str(tmp_path / "game.jsonl"), script=script)
    text = raw[0].decode()
    assert "\x1b]52" not in text and "\u202e" not in text and "\u200b" not in text and "\x9b" not in text
    assert "\x07" not in text.replace("\x1b]2;\x07", "")


# -- a replay


def test_a_replay_steps_both_ways_and_stays_on_the_last_frame(home: Path) -> None:
    """Right and Left, ten with Shift, Home and End, g and a number; past the end it says so."""
    data = Sitting(options="size=4x4", seed=2).play().data
    (home.parent / "game.jsonl").write_bytes(data)

    def script(terminal: Terminal) -> None:
        terminal.expect(" 0/40 ")
        for key, at_event in (("right", 1), ("s-right", 11), ("left", 10), ("end", 40), ("home", 0), ("s-right", 10)):
            terminal.type(KEYS[key])
            terminal.expect(f" {at_event}/40 ", "VERIFIED")
        terminal.type("g37\r")
        terminal.expect(" 37/40 ")
        terminal.type(KEYS["s-right"])
        terminal.expect(" 40/40 ")
        terminal.type(KEYS["right"])
        terminal.expect(" 40/40 ", "event 40 is the last one")
        terminal.leave_by("q")

    assert typed_at(home, "replay", str(home.parent / "game.jsonl"), script=script) == 0


def test_a_replay_runs_faster_and_slower(home: Path) -> None:
    """0.25x to 16x; Space stops it; it stays at the end."""

    def script(terminal: Terminal) -> None:
        terminal.expect("0/17", "stands 1x")
        terminal.type(",,,,")
        terminal.expect("stands 0.25x")
        terminal.type("." * 9)
        terminal.expect("stands 16x")
        terminal.type(" ")
        terminal.expect("17/17", "stands 16x", "is the last one", "pauses cut to 2 s")
        terminal.type("[")
        terminal.until(lambda: "17/17" not in terminal.text)
        terminal.expect("* ")
        terminal.type("]")
        terminal.expect("17/17")
        terminal.leave_by("q")

    assert typed_at(home, "replay", str(GOLDEN / "2x3-three-seats.jsonl"), script=script) == 0


def test_a_broken_record_is_shown_to_its_last_good_event(home: Path, tmp_path: Path) -> None:
    """The header says so in words, and the exit code is the audit's."""
    data = Sitting(options="size=1x1").play().data.replace(b'"move":"b1d"', b'"move":"a1d"')
    (tmp_path / "bad.jsonl").write_bytes(data)

    def script(terminal: Terminal) -> None:
        terminal.expect("BROKEN at 1")
        terminal.type(KEYS["end"])
        terminal.expect("is the last good one")
        terminal.leave_by("q")

    assert typed_at(home, "replay", str(tmp_path / "bad.jsonl"), script=script) == 1


# -- the lobby


def test_an_invitation_takes_no_key_from_anything_else() -> None:
    """It is announced below the lists; Enter is for what is selected, a and d for the invitation."""

    def script(terminal: Terminal) -> None:
        terminal.expect("INVITATION from Bob (compared) to fig-2", "(1 more)", "> Bob")
        terminal.type(KEYS["enter"])
        terminal.expect("words for now", "if they are:  compared Bob")
        terminal.type("d")
        terminal.expect("INVITATION from Cyd (seen) to elm-9", "fig-2", "put aside")
        terminal.type("d")
        terminal.until(lambda: "INVITATION" not in terminal.text)
        assert "a accept" not in terminal.text and "fig-2" in terminal.text

    show("lobby", script)


def test_an_invitation_leaves_what_is_typed_alone() -> None:
    """The line stays, and so does the cursor."""

    def script(terminal: Terminal) -> None:
        terminal.expect("INVITATION")
        terminal.type(":connect 10.0.0.9")
        terminal.expect("> :connect 10.0.0.9")
        terminal.screen.say("* open table elm-9")
        terminal.until(lambda: ":connect 10.0.0.9" in terminal.row_of_cursor)

    show("lobby", script)


def test_lists_are_walked_with_arrows_and_tab() -> None:
    """One mark, in one of the lists; j sits down at the table that is marked."""

    def script(terminal: Terminal) -> None:
        terminal.expect("> Bob")
        terminal.type(KEYS["down"])
        terminal.expect("> Cyd")
        terminal.type(KEYS["tab"])
        terminal.expect("> fig-2", "Enter open")
        terminal.type(KEYS["down"] * 5)
        terminal.expect("> elm-9")
        assert terminal.text.count("\n > ") == 1, "one mark in both lists"

    show("lobby", script)


def test_lists_are_filtered_while_one_types() -> None:
    """`/`: only what has the text in its line, at once; Enter keeps it so, Esc shows all again."""

    def script(terminal: Terminal) -> None:
        terminal.expect("> Bob", "elm-9")
        terminal.type("/cy")
        terminal.expect("PEOPLE /cy", "> Cyd", "elm-9")
        lists = terminal.text.partition("INVITATION")[0]
        assert "Bob" not in lists and "fig-2" not in lists
        terminal.type("d\r")
        terminal.expect("PEOPLE /cyd", "> Cyd", "Esc close")
        terminal.type(KEYS["tab"])
        terminal.expect("> elm-9")
        terminal.type(KEYS["escape"])
        terminal.expect("fig-2", "PEOPLE (")
        terminal.type("/nobody such")
        terminal.expect("nobody matches", "no table matches")
        terminal.type(KEYS["escape"])
        terminal.expect("PEOPLE (")

    show("lobby", script)


def test_whoever_could_pass_for_another_is_marked() -> None:
    """In the list by two question marks, and in words for whoever is chosen."""

    def script(terminal: Terminal) -> None:
        terminal.expect("> Bob")
        terminal.type(KEYS["down"] * 4)
        terminal.expect("not proved ??", "letters of Cyrillic and Latin", "not the key you know as Bob")

    show("lobby", script)


def test_help_and_forms_that_are_longer_than_the_screen_say_so(home: Path) -> None:
    """At 40x20 too: what is chosen is in sight, what it may be stands below, and `? help` is never gone."""

    def script(terminal: Terminal) -> None:
        terminal.expect("nobody yet")
        terminal.type("?")
        terminal.expect("PgDn: more of it", "Esc close", "? help")
        terminal.type(KEYS["pagedown"])
        terminal.expect("PgUp PgDn: more of it")
        terminal.type(KEYS["escape"] + ":host dots-and-boxes\r")
        terminal.expect("yours, 1 free" if "TABLES" in terminal.text else "is open")
        terminal.type("n")
        terminal.expect("typed: host", "? help", "Enter do it")
        terminal.type("?")
        terminal.expect("change the value")
        terminal.leave_by("\x03")

    assert typed_at(home, "lobby", "--no-discovery", "--port", "0", script=script, width=40, height=20) == 130


def test_a_form_of_the_game_s_own_options_opens_a_table(home: Path) -> None:
    """And of what every table has: clock, who begins, who may sit down. It is shown as it would be typed."""

    def script(terminal: Terminal) -> None:
        terminal.expect("nobody yet")
        terminal.type("n")
        terminal.expect("< Count To >" if "< Count" in terminal.text else "<", "typed: host")
        terminal.type(KEYS["down"] + KEYS["right"])
        terminal.expect("typed: host", "=")
        terminal.type(KEYS["down"] * 9 + KEYS["right"])
        terminal.expect("whether anybody may sit down", "open=yes")
        terminal.type(KEYS["up"] + KEYS["right"] + KEYS["up"] + KEYS["right"] * 2)
        terminal.expect("how long each may think", "clock=10+5 first=me open=yes")
        terminal.type(KEYS["enter"])
        terminal.expect("is open", "1 free")
        terminal.leave_by("q")

    assert typed_at(home, "lobby", "--no-discovery", "--port", "0", script=script) == 0


def test_a_game_against_the_computer_begins_in_the_lobby(home: Path) -> None:
    """And the lobby is there again after it."""

    def script(terminal: Terminal) -> None:
        terminal.expect("lantable lobby")
        terminal.type(":solo count-to short\r")
        terminal.expect("0 of 4", "YOUR MOVE")
        terminal.type("2\r")
        terminal.expect("GAME OVER")
        terminal.type("q")
        terminal.expect("lantable lobby")
        terminal.type(":nonsense\r")
        terminal.expect("'nonsense' is not understood")
        terminal.leave_by("q")

    assert typed_at(home, "lobby", "--no-discovery", "--port", "0", script=script) == 0


def test_the_code_of_an_invitation_fits_the_screen_whole(home: Path) -> None:
    """`k`: the QR code with the link and the addresses beside it at 80x24, below it at 60, and on 40x20 in words."""

    def script(terminal: Terminal) -> None:
        terminal.expect("nobody yet")
        terminal.type("k")
        terminal.expect("open a table first", "you can be reached at", "your key: ")
        terminal.type(":host dots-and-boxes\r")
        terminal.expect("is open")
        terminal.type("k")
        terminal.expect("INVITATION to", "'lantable://", "Or, to be typed:", "Esc close")
        assert_whole(terminal)
        terminal.resize(60, 24)
        terminal.until_width(60)
        terminal.until(lambda: "lantable join" not in terminal.text)
        assert_whole(terminal)
        terminal.type(KEYS["pagedown"])
        terminal.expect("'lantable://", "your key: ")
        terminal.resize(40, 20)
        terminal.until_width(40)
        terminal.type(KEYS["pageup"] * 3)
        terminal.expect("the QR code needs a screen", "this one is 40x20")
        terminal.resize(80, 24)
        terminal.until_width(80)
        terminal.type(KEYS["escape"])
        terminal.expect("PEOPLE")
        terminal.leave_by("q")

    def assert_whole(terminal: Terminal) -> None:
        shown = terminal.screen._shown
        assert shown is not None and 0 < len(shown.code) <= 23
        code = [line.rstrip() for line in shown.code]
        terminal.until(lambda: all(map(str.startswith, terminal.paper.text(), code)), "the whole code")

    assert typed_at(home, "lobby", "--no-discovery", "--port", "0", script=script) == 0


def test_a_table_waits_before_one_s_eyes(home: Path) -> None:
    """`host` shows the lobby until somebody comes; quit leaves it."""

    def script(terminal: Terminal) -> None:
        terminal.expect("oak-7", "yours, 1 free")
        terminal.type(":who\r")
        terminal.expect("0 connected")
        terminal.leave_by("q")

    line = ("host", "dots-and-boxes", "--table", "oak-7", "--no-discovery", "--port", "0")
    assert typed_at(home, *line, script=script) == 0


def test_a_broken_plugin_is_named_after_leaving(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings belong on stderr, and the screen has it to itself until then."""
    bad = write(tmp_path, "bad", "raise ValueError('sorry')")
    fine = write(tmp_path, "fine", good("a-rule"))

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE")
        terminal.leave_by(":q\r")

    typed_at(home, "--plugin", bad, "--plugin", fine, *ALONE, script=script)
    assert "is broken and left out: ValueError: sorry" in capsys.readouterr().err


# -- playing together


def test_a_clock_ticks_on_one_line(home: Path) -> None:
    """Once a second the first row says less, and nothing else is drawn."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE", "10:0", "2 player 2, 10:00 left, you")
        terminal.until(lambda: "  9:59" in terminal.text, "the clock")
        rows, drawn = terminal.text.splitlines(), len(terminal.paper.raw)
        terminal.until(lambda: "  9:58" in terminal.text or "  9:57" in terminal.text, "the next second")
        assert [row for row, before in zip(terminal.text.splitlines(), rows, strict=True) if row != before] == [
            terminal.text.splitlines()[0]
        ]
        assert len(terminal.paper.raw) - drawn < 200
        terminal.type("time\r")
        terminal.expect("10 min each")
        terminal.leave_by(":q\r")

    line = ("play", "dots-and-boxes", "--rules", "size=2x2", "--hotseat", "--clock", "10")
    typed_at(home, *line, script=script, width=100)


def test_little_time_is_told_in_words(home: Path) -> None:
    """LOW beside the time, and a line; when it is over the game says so. Colour tells nothing."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE", "1:0")
        terminal.expect("0:59 LOW", "time is low")
        terminal.type("a1r\r")
        terminal.expect("left")
        terminal.leave_by(":q\r")

    line = ("play", "dots-and-boxes", "--rules", "size=2x2", "--hotseat", "--clock", "61s")
    typed_at(home, *line, script=script)


def test_a_game_at_one_keyboard_is_played_again(home: Path) -> None:
    """`r` when it is over: the seats have moved on."""

    def script(terminal: Terminal) -> None:
        terminal.expect("YOUR MOVE", "1 player 1, you")
        terminal.type("resign\r")
        terminal.expect("GAME OVER", "r rematch")
        terminal.type("r")
        terminal.expect("1 player 2, you", "YOUR MOVE")
        terminal.leave_by(":q\r")

    typed_at(home, "play", "dots-and-boxes", "--rules", "size=2x2", "--hotseat", script=script)
