"""A move put together key by key: nothing is lost or conjured, and what is shown is what would be played."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lantable.dealing import HIDDEN
from lantable.errors import IllegalMove
from lantable.game import Look, Sketch
from lantable_binary_scrabble import generator
from lantable_binary_scrabble import state as engine
from lantable_binary_scrabble.board import EMPTY, SIZE, Board, Laid
from lantable_binary_scrabble.composing import _ACTS, SLOTS, Draft, Put, typed_faces
from lantable_binary_scrabble.notation import read_move, show_move
from lantable_binary_scrabble.picture import WIDTHS
from lantable_binary_scrabble.placement import Placement
from lantable_binary_scrabble.rules import Scrabble
from lantable_binary_scrabble.ruleset import BINARY, NUMBER, RuleSet
from lantable_binary_scrabble.state import State
from lantable_binary_scrabble.tables import face_of, is_blank
from tests.scrabble_games import CHANGES, random_position, rule_sets

PLAIN = Scrabble(RuleSet(BINARY))
LOOK = Look(48, 80)
KEYS = st.one_of(
    st.sampled_from([*_ACTS]),
    st.sampled_from([*"0011==+-x/aOn^&|!.123", "swap"]),
    st.builds("at {} {}".format, st.integers(1, SIZE), st.integers(1, SIZE)),
)


def example() -> Board:
    """The position of the drawings: 8F 1+1=10, 8E 11+1=100, J4 100OR1=101."""
    board = Board().with_tiles(Laid(7, 4 + at, face) for at, face in enumerate("11+1=100"))
    return board.with_tiles(Laid(3 + at, 9, face) for at, face in enumerate("100|1=101") if at != 4)


def table(rack: str, board: Board | None = None, seat: int = 0, **more: object) -> State:
    """Seat 0 sees its own rack and is to move, unless told otherwise."""
    state = State((rack, HIDDEN * 9), (32, 27), 59, (), example() if board is None else board, "play", seat)
    return replace(state, **more)  # type: ignore[arg-type]  # whatever a test changes


def typed(draft: Draft, *keys: str, game: Scrabble = PLAIN) -> Draft:
    """The draft after these keys, each of which must mean something."""
    for key in keys:
        after = game.typed(draft, key)
        assert after is not None, key
        draft = after
    return draft


def sketched(draft: Draft, *keys: str, game: Scrabble = PLAIN) -> Sketch:
    return game.sketch(typed(draft, *keys, game=game), LOOK)


def tray(sketch: Sketch) -> str:
    return "".join(cell.text for cell in sketch.tray)


# -- nothing is lost or conjured


def check(rules: RuleSet, draft: Draft) -> None:
    """Every tile of the rack is in one place, as itself."""
    assert sorted(draft.rack) == sorted(draft.view.racks[draft.seat])
    assert all(rules.tile_of[put.symbol] == draft.rack[put.slot] for put in draft.puts)
    assert len({put.slot for put in draft.puts}) == len({put.square for put in draft.puts}) == len(draft.puts)
    assert all(draft.view.board.squares[put.square] == EMPTY for put in draft.puts)


@given(rule_sets(), st.integers(0, 10_000), st.lists(KEYS, max_size=30))
def test_whatever_is_typed_every_tile_is_in_one_place(rules: RuleSet, seed: int, keys: list[str]) -> None:
    """And what may be played is what the rules take, and says so; nothing else."""
    board, rack = random_position(rules, seed, seed % 4, 7)
    game, view = Scrabble(rules), table(rack, board)
    draft = game.draft(view, 0)
    for key in keys:
        draft = game.typed(draft, key) or draft
        check(rules, draft)
    sketch = game.sketch(draft, LOOK)
    if sketch.move is not None:
        try:
            engine.play(rules, view, 0, engine_move(game, sketch.move))
        except IllegalMove:
            assert not sketch.ready
        else:
            assert sketch.ready


def engine_move(game: Scrabble, text: str) -> engine.Move:
    """A move in its canonical form."""
    assert game.parse(text) == text
    return read_move(game.rules, text)


@given(st.integers(0, 10_000), st.lists(KEYS, max_size=12), st.data())
def test_a_move_that_arrives_loses_and_conjures_no_tile(seed: int, keys: list[str], data: st.DataObject) -> None:
    """What still lies on an empty square stays, and nothing else; the order of the rack stays too."""
    rng, rules = random.Random(seed), PLAIN.rules
    board, rack = random_position(rules, seed, seed % 3, 7)
    bag = [tile.code for tile in rules.tiles.values() for _ in range(tile.count)]
    draft = PLAIN.draft(table(rack, board, 1), 0)
    for key in keys:
        draft = PLAIN.typed(draft, key) or draft
    found = sorted(generator.moves(rules, board, "".join(rng.sample(bag, 5))))
    if found:
        board = board.with_tiles(data.draw(st.sampled_from(found[:: max(len(found) // 50, 1)])).placement.on(board))
    after = PLAIN.draft(table(rack, board), 0, draft)
    check(rules, after)
    assert after.rack == draft.rack
    assert {put[:2] for put in after.puts} == {put[:2] for put in draft.puts if board.squares[put.square] == EMPTY}


@given(st.integers(0, 10_000), st.lists(KEYS, max_size=12), st.text("01=+x&!?", min_size=7, max_size=7))
def test_a_new_rack_is_taken_up_as_it_is(seed: int, keys: list[str], drawn: str) -> None:
    """After a play, an exchange or a takeback, whatever was on its way meanwhile."""
    board, rack = random_position(PLAIN.rules, seed, 2, 7)
    draft = PLAIN.draft(table(rack, board), 0)
    for key in keys:
        draft = PLAIN.typed(draft, key) or draft
    kept = rack[: seed % 8]
    after = PLAIN.draft(table(kept + drawn[len(kept) :], board, 1), 0, draft)
    check(PLAIN.rules, after)
    assert after.picked is None and not after.word and after.blank is None


def test_a_draft_that_cannot_be_is_not_built() -> None:
    """A tile from nowhere, two on one square, one on a square that is taken."""
    draft = PLAIN.draft(table("01="), 0)
    for change in (
        {"rack": "011"},
        {"puts": (Put(0, "0", 0), Put(0, "1", 1))},
        {"puts": (Put(0, "0", 0), Put(1, "0", 0))},
        {"puts": (Put(7 * SIZE + 4, "0", 0),)},
    ):
        with pytest.raises(ValueError, match=r"tiles? "):
            replace(draft, **change)


# -- typing


def test_the_drawing() -> None:
    """4D 10+1=1(1): six tiles, the last one next to what lies there already; 18 points."""
    draft = PLAIN.draft(table("1110+=!x|"), 0)
    sketch = sketched(draft, "at 4 4", *"10+1=1")
    assert (sketch.move, sketch.ready, sketch.verdict) == ("4D 10+1=1", True, "ok 18")
    assert (sketch.line, sketch.more) == ("4D> 10+1=1(1)", "across, 6 tiles from the rack")
    assert sketch.why == "valid: 10+1=11 for 18 (tiles 7, bonus 2, times 2)."
    assert sketch.picture.text()[4].startswith(" 4  d  .  . [1][0][+][1][=][1] 1 ")
    assert tray(sketch) == "rack 1[.] 2[.] 3[.] 4[.] 5[.] 6[.] 7[x] 8[OR] 9[NOT]"


@given(st.integers(0, 3000))
def test_every_legal_move_can_be_typed_and_scores_what_is_shown(seed: int) -> None:
    """Sign by sign from its first square; a blank as a dot and its meaning."""
    board, rack = random_position(PLAIN.rules, seed, 3, 5)
    found = sorted(generator.moves(PLAIN.rules, board, rack))
    for move in random.Random(seed).sample(found, min(len(found), 5)):
        whole = PLAIN.drafted(PLAIN.draft(table(rack, board), 0), show_move(PLAIN.rules, move.placement))
        sketch = PLAIN.sketch(whole, LOOK)
        assert (sketch.move, sketch.ready) == (show_move(PLAIN.rules, move.placement), True)
        assert sketch.verdict == f"ok {move.score}"
        signs = [key for symbol in move.tiles for key in as_keys(symbol)]
        begun = typed(whole, "clear", f"at {move.row + 1} {move.col + 1}")
        begun = begun if begun.across == move.across else typed(begun, "flip")
        assert sketched(begun, *signs).move == sketch.move


def as_keys(symbol: str) -> str:
    return ("." if is_blank(symbol) else "") + face_of(symbol)


def test_the_cursor_steps_over_what_lies_there() -> None:
    """And stepping on a tile by typing what it shows lays nothing."""
    draft = typed(PLAIN.draft(table("1110+=!x|"), 0), "at 8 4", "1")
    assert (draft.at, len(draft.puts)) == (7 * SIZE + 12, 1)
    draft = typed(PLAIN.draft(table("1110+=!x|"), 0), "at 8 5", "1")
    assert draft.puts == () and draft.at == 7 * SIZE + 12
    taken = sketched(PLAIN.draft(table("1110+=!x|"), 0), "at 8 5", "0")
    assert taken.why == "E8 is taken" and taken.move is None


def test_backspace_takes_back_one_and_escape_all() -> None:
    """The cursor goes back too; typing over a loose tile returns it."""
    draft = typed(PLAIN.draft(table("1110+=!x|"), 0), "at 4 4", *"10+")
    assert draft.at == 3 * SIZE + 6
    assert typed(draft, "takeback").at == 3 * SIZE + 5
    assert typed(draft, "at 4 4", "n").puts[-1].symbol == "!" and len(typed(draft, "at 4 4", "n").puts) == 3
    cleared = typed(draft, "clear")
    assert (cleared.puts, cleared.at) == ((), 3 * SIZE + 3)
    assert PLAIN.typed(cleared, "clear") is None and PLAIN.typed(cleared, "takeback") is None


def test_words_are_laid_by_their_first_letter() -> None:
    """In either case; `^` is XOR, since x multiplies; a turned equals is a capital H, so that h is free."""
    game = Scrabble(RuleSet(BINARY, changes=CHANGES))
    faces = {key: typed_faces(game.rules).get(key) for key in "AaOoNnXx*^HhEe[.?"}
    assert "".join(face or "_" for face in faces.values()) == "&&||!!xxx^E___[__"


def test_what_is_not_on_the_rack_is_said() -> None:
    """Never a blank of itself: it is offered."""
    sketch = sketched(PLAIN.draft(table("0?"), 0), "at 4 4", "1")
    assert sketch.why == "no 1 left: . lays a blank as one" and sketch.verdict == "no 1 left"


def test_a_blank_never_lies_without_its_meaning() -> None:
    """`.` asks; Esc and Backspace drop it; taken back it is a blank again; a turned equals it cannot be."""
    game = Scrabble(RuleSet(BINARY, changes=CHANGES[1:2]))
    draft = typed(game.draft(table("0?"), 0), "at 11 12", ".", game=game)
    assert draft.puts == () and game.sketch(draft, LOOK).why.startswith("type what the blank stands for")
    assert game.typed(draft, "H") is None and game.typed(draft, "escape") is None
    assert typed(draft, "clear").blank is typed(draft, "takeback").blank is None
    laid = typed(draft, "a", game=game)
    assert (
        tray(game.sketch(laid, LOOK)) == "rack 1[0] 2[.]"
        and " and " in f"{game.sketch(laid, LOOK).picture.text()[11]} "
    )
    assert tray(sketched(laid, "takeback", game=game)) == "rack 1[0] 2[?]"


def test_slots_pick_tiles_where_digits_are_tiles() -> None:
    """Only while they are asked for; a blank picked so asks for its meaning too."""
    draft = typed(PLAIN.draft(table("01=?"), 0), "at 4 4", "slots")
    assert [put.symbol for put in typed(draft, "3", "1").puts] == ["=", "0"]
    assert typed(draft, "4").blank == 3
    assert sketched(draft, "3", "3").why.startswith("valid") or "no tile 3" in sketched(draft, "3", "3").why
    assert [put.symbol for put in typed(draft, "slots", "1").puts] == ["1"]


def test_an_exchange_is_picked_and_what_was_laid_waits() -> None:
    """1 to 9 pick; nothing is picked by what is no slot; Esc shows the tiles where they were."""
    draft = typed(PLAIN.draft(table("01=+"), 0), "at 4 4", "1", "swap")
    assert PLAIN.sketch(draft, LOOK).why == "pick the tiles to give back" and PLAIN.typed(draft, "9") is None
    sketch = sketched(draft, "1", "2", "2", "4")
    assert (sketch.move, sketch.ready) == ("-+0", True)
    assert tray(sketch) == "rack <0> 2[1] 3[=] <+>"
    assert [put.symbol for put in typed(draft, "1", "clear").puts] == ["1"]
    low = PLAIN.sketch(typed(replace(draft, view=replace(draft.view, bag=3)), "1"), LOOK)
    assert not low.ready and low.verdict == "no: bag_low"


def test_a_pass_waits_for_enter() -> None:
    """It is shown like any move; Esc drops it."""
    draft = typed(PLAIN.draft(table("01"), 0), "pass")
    assert (PLAIN.sketch(draft, LOOK).move, PLAIN.sketch(draft, LOOK).ready) == ("pass", True)
    assert PLAIN.sketch(typed(draft, "clear"), LOOK).move is None


def test_sorting_moves_no_laid_tile() -> None:
    """The order of the rack is this person's own."""
    draft = typed(PLAIN.draft(table("01=+"), 0), "at 4 4", "=", "1")
    mixed = replace(draft, rack="=+01", puts=(Put(48, "=", 0), Put(49, "1", 3)))
    sorted_ = typed(mixed, "sort")
    assert sorted_.rack == "01=+" and [(put.symbol, put.slot) for put in sorted_.puts] == [("=", 2), ("1", 1)]


def test_under_a_challenge_rule_wrong_equations_may_be_laid() -> None:
    """It says that they are wrong, and that they may be challenged."""
    game = Scrabble(RuleSet(BINARY, {"validation": "challenge_single"}))
    sketch = sketched(game.draft(table("1111+=!x|"), 0), "at 4 4", *"11+1=1", game=game)
    assert sketch.ready and sketch.verdict == "no: unequal" and sketch.why.endswith("It may be laid, and challenged.")
    floating = sketched(game.draft(table("1110+=!x|"), 0), "at 1 1", *"1=1", game=game)
    assert not floating.ready


# -- what is shown


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("unicode", [False, True])
def test_a_picture_has_the_width_it_says(width: int, unicode: bool) -> None:
    """Every row, whatever lies there; the cursor is on its square."""
    board = example().with_tiles(Laid(0, at, face) for at, face in enumerate("&|!^x\ue026\ue031"))
    game = Scrabble(RuleSet(BINARY, changes=CHANGES[:1]))
    draft = typed(game.draft(table("!&^1?.".replace(".", "|"), board), 0), "at 2 1", *"NA^1.A", game=game)
    sketch = game.sketch(draft, Look(width, 80, unicode))
    for row in sketch.picture.rows:
        assert sum(len(cell.text) for cell in row) == width
    assert sketch.picture.rows[sketch.at[0]][sketch.at[1]].text.strip() == "t"
    text = "\n".join(sketch.picture.text())
    assert text.isascii() != unicode
    loose = [cell for cell in sketch.picture.rows[2] if "[" in cell.text or "loose" in cell.mark]
    assert len(loose) == 5


def test_words_that_touch_are_told_apart() -> None:
    """Where they fill their squares, the second is marked; and the line below spells the run."""
    board = Board().with_tiles(Laid(7, 5 + at, face) for at, face in enumerate("1&!0=1"))
    sketch = sketched(PLAIN.draft(table("01", board), 0), "at 8 7")
    assert "ANDNOT" in sketch.picture.text()[8] and sketch.picture.rows[8][8].mark == "apart"
    assert "1 AND NOT 0=1" in sketch.line


def test_the_last_play_is_marked() -> None:
    """By the squares of it; a pass after it changes nothing."""
    after = engine.play(PLAIN.rules, table("1110+=!x|"), 0, Placement(3, 3, True, "10+1=1"))
    picture = PLAIN.picture(replace(after, turn=1))
    assert [cell.text.strip() for cell in picture.rows[4] if cell.mark == "last"] == [*"10+1=1"]


@pytest.mark.parametrize(
    "rules", [RuleSet(BINARY, changes=CHANGES), RuleSet(NUMBER), RuleSet(BINARY)], ids=["house", "number", "plain"]
)
def test_no_key_of_a_draft_has_two_meanings(rules: RuleSet) -> None:
    """What lays a tile does nothing else on the board; a slot's name neither, while slots are named."""
    game = Scrabble(rules)
    begun = game.draft(table("01=", Board(), pending=None), 0)
    faces = typed_faces(rules)
    for draft in (
        begun,
        typed(begun, "1", game=game),
        typed(begun, "slots", game=game),
        typed(begun, "swap", game=game),
    ):
        presses = game.sketch(draft, LOOK).presses
        keys = [press.key for press in presses]
        assert len(set(keys)) == len(keys)
        text = {*SLOTS} if draft.picked is not None else {*faces, "."} | ({*SLOTS} if draft.slots else set())
        assert not {press.key for press in presses if press.anywhere} & text
        assert all(game.typed(draft, press.act) is not None for press in presses)
    assert not {*faces} & {"h", "w", "?", ":", " "}
