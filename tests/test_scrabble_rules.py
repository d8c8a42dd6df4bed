"""Rules as data, and the rules pages read line by line: expressions, house rules, options."""

import json
import time
from dataclasses import fields
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lantable_rotated_equals
import lantable_xor_tiles
from lantable import canonical
from lantable.errors import Misuse, PluginFault
from lantable.game import Choice, Game
from lantable.host import Host
from lantable_binary_scrabble.expression import judge
from lantable_binary_scrabble.ruleset import BINARY, NUMBER, OPTIONS, PRESETS, RuleSet, Settings
from lantable_binary_scrabble.tables import Bracket, Change, Face, Fragment, Operator, Tile, Value
from lantable_rotated_equals import TURNED
from lantable_xor_tiles import XOR
from tests.scrabble_games import BRACKETS, rule_sets

PLAIN = RuleSet()
XOR_TILES, ROTATED = ("xor-tiles", XOR), ("rotated-equals", TURNED)


def reason(text: str, rules: RuleSet = PLAIN) -> str | None:
    """Why a text is refused, or None."""
    return judge(rules, text).reason


@pytest.mark.parametrize(
    ("holds", "misprint"),
    [("100|1=101", "100&1=101"), ("1000x11=11000", "1001x11=11000"), ("1+1+1+1=100", "1+1+1+1=10")],
)
def test_known_misprints(holds: str, misprint: str) -> None:
    """Section 0: what circulating texts say, and what holds."""
    assert reason(holds) is None
    assert reason(misprint) == "unequal"


def test_the_span_points_at_what_is_wrong() -> None:
    """A caret can be put under the offending signs, also behind a turned equals, which reads as two."""
    turned = RuleSet(changes=[ROTATED])
    for text, code, span, rules in [
        ("1+2=1", "bad_symbol", "2", PLAIN),
        ("1+1=01", "leading_zero", "01", PLAIN),
        ("1=1-10+1", "arith", "-", PLAIN),
        ("10x1=10", "identity", "x1", RuleSet(options=PRESETS["strict"])),
        ("E=11+0+0", "identity", "+0", turned),
        ("1++1=10", "syntax", "+", PLAIN),
    ]:
        verdict = judge(rules, text)
        assert (verdict.reason, text[slice(*verdict.span)]) == (code, span)
    assert judge(turned, "E=11+0+0").span == (6, 8)


@given(rule_sets(), st.text("01=+-x/&|!^E[]sr9 ", max_size=40))
def test_any_text_gets_a_verdict(rules: RuleSet, text: str) -> None:
    """`judge` never raises, and its span lies in the text."""
    verdict = judge(rules, text)
    assert 0 <= verdict.span[0] <= verdict.span[1] <= len(text)
    assert verdict.valid == (verdict.value is not None) == (verdict.bonus is not None)


@pytest.mark.parametrize("piece", ["1+", "!", "1x", "1/1-", "1|0&1^", "=", "1=", "1-10+", "0", "(", "1" * 64 + "x"])
def test_judging_is_linear(piece: str) -> None:
    """Ten times the text takes about ten times as long, and the longest allowed a fraction of a second."""
    rules = RuleSet(options={"division": "rational", "negatives": "signed"}, changes=[XOR_TILES])
    started = time.process_time()
    judge(rules, (piece * 4096)[:4094] + "=1")
    assert time.process_time() - started < 0.5


def test_a_long_number_is_told_by_its_size() -> None:
    """Printing thousands of digits would cost more than the calculation."""
    verdict = judge(PLAIN, "x".join(["1" * 64] * 60) + "=1")
    assert verdict.detail == "a number of 3840 bits|1"


# -- number scrabble


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("-3=5-8", None),
        ("3=-5--8", None),
        ("r3s=3", None),
        ("-3s=-9", None),
        ("-r9=-3", None),
        ("2+3x4=14", None),
        ("2x2=1+3=4=5-1", None),
        ("63+3=66", None),
        ("3+xx4==12", "syntax"),
        ("r-9=3", "syntax"),
        ("rr16=2", "syntax"),
        ("2ss=16", "syntax"),
        ("r8=2", "arith"),
        ("7/2=3", "arith"),
        ("03=3", "leading_zero"),
        ("1&1=1", "bad_symbol"),
    ],
)
def test_number_scrabble(text: str, wanted: str | None) -> None:
    """The parent game, by the same engine."""
    assert reason(text, RuleSet(NUMBER)) == wanted


def test_number_scrabble_bonus_and_precedence() -> None:
    """ "The square root of the equation's absolute value, rounded up"; `ltr` takes squares and roots first too."""
    numbers = RuleSet(NUMBER)
    assert [judge(numbers, text).bonus for text in ("2+2=4", "3+3=6", "3-20=-17", "0=0")] == [2, 3, 5, 0]
    assert reason("2+3x4=20", RuleSet(NUMBER, {"precedence": "ltr"})) is None
    assert reason("2+3s=11", RuleSet(NUMBER, {"precedence": "ltr"})) is None
    assert sum(tile.count for tile in numbers.tiles.values()) == 102
    with pytest.raises(Misuse):
        RuleSet(NUMBER, {"precedence": "pascal"})


# -- options and house rules


def test_options_and_settings_agree() -> None:
    """Every option has a setting of the same default, and the other way round."""
    assert {o.name: o.default for o in OPTIONS} == {f.name: f.default for f in fields(Settings)}
    assert sum(tile.count for tile in PLAIN.tiles.values()) == 100
    assert sum(tile.count for tile in RuleSet(changes=[XOR_TILES]).tiles.values()) == 104


def test_the_options_make_a_game() -> None:
    """The option schemas fit the core's `Game`, whose defaults are the rules' defaults."""
    for kind in (BINARY, NUMBER):
        game = Game(
            id=kind.name,
            version="1",
            titles={"en": kind.name},
            options=kind.options(),
            make=lambda _options, _rules: None,  # type: ignore[arg-type,return-value]  # not dealt here
            presets=PRESETS,
        )
        assert RuleSet(kind, game.read_options("")).settings == RuleSet(kind).settings
        assert RuleSet(kind, game.read_options("strict,bingo=0")).settings.allow_trivial is False


REASONS = [
    "bad_symbol",
    "no_equals",
    "syntax",
    "leading_zero",
    "arith",
    "unequal",
    "identity",
    "trivial",
    "empty_move",
    "off_board",
    "occupied",
    "not_in_rack",
    "too_many_equals",
    "not_in_line",
    "gap",
    "centre",
    "not_connected",
    "equation",
    "no_equation",
    "bag_low",
    "not_your_turn",
    "notation",
    "no_play",
    "answer",
    "div_zero",
    "inexact",
    "negative",
    "logic_domain",
    "not_width",
]


def test_the_rules_page_is_complete() -> None:
    """Every option with its values, every preset, every reason."""
    page = (Path(__file__).parents[1] / "docs" / "binary-scrabble.md").read_text("utf-8")
    words = [option.name for option in OPTIONS] + list(PRESETS) + REASONS
    for option in OPTIONS:
        if isinstance(option, Choice):
            words += [value for value in option.choices if not value.startswith("fixed:")]
    assert [word for word in words if f"`{word}`" not in page] == []


def test_presets() -> None:
    """4.4: training allows everything, strict switches 4.3 and trivial equations off."""
    chained = "1+1=10+0+0+0x1x1"
    assert reason(chained, RuleSet(options=PRESETS["training"])) is None
    assert reason(chained, RuleSet(options=PRESETS["standard"])) == "identity"
    strict = RuleSet(options=PRESETS["strict"])
    assert [reason(t, strict) for t in ("1=1", "1+0=1", "1=1x1", "1=1/1", "1|0=1", "1&1=1", "11&1=1")] == [
        "trivial",
        *["identity"] * 5,
        None,
    ]


@pytest.mark.parametrize("options", [{"rack_size": 13}, {"bonus": "double"}, {"no_such": 1}, {"not_width": "fixed:0"}])
def test_wrong_options_are_misuse(options: dict[str, object]) -> None:
    """A rule set that cannot be cannot be built."""
    with pytest.raises(Misuse):
        RuleSet(options=options)  # type: ignore[arg-type]  # wrong on purpose


def test_house_rules_do_not_depend_on_order() -> None:
    """The same house rules in any order are the same rules, but for the order of tiles."""
    rules = [XOR_TILES, ROTATED, ("brackets", BRACKETS), ("no-bingo", Change(settings={"bingo": 0}))]
    described = []
    for order in permutations(rules):
        data = RuleSet(changes=order).describe()
        assert isinstance(data, dict)
        described.append({**data, "tiles": sorted(data["tiles"])})
    assert all(data == described[0] for data in described)


@pytest.mark.parametrize(
    "change",
    [
        Change(settings={"bingo": 0}),
        Change(tiles=(Tile("^", 2, 1),)),
        Change(operators=XOR.operators),
        Change(fragments=(Fragment("^", 0),)),
        Change(faces=TURNED.faces),
    ],
)
def test_two_house_rules_may_not_define_one_thing(change: Change) -> None:
    """It is named before the game starts, with both rules."""
    first = Change(
        tiles=XOR.tiles,
        operators=XOR.operators,
        fragments=XOR.fragments,
        faces=TURNED.faces,
        settings={"bingo": 30},
    )
    for order in permutations([("first", first), ("second", change)]):
        with pytest.raises(Misuse, match=r"first.*second|second.*first"):
            RuleSet(changes=order)


def test_a_house_rule_against_a_chosen_option() -> None:
    """An option left at its default is no choice; one chosen otherwise is, unless both say the same."""
    change = ("no-bingo", Change(settings={"bingo": 0}))
    assert RuleSet(options={"bingo": 50}, changes=[change]).settings.bingo == 0
    assert RuleSet(options={"bingo": 0}, changes=[change]).settings.bingo == 0
    with pytest.raises(Misuse, match="no-bingo"):
        RuleSet(options={"bingo": 20}, changes=[change])


def test_brackets_are_a_house_rule_of_two_lines() -> None:
    """They group, nest, and must match."""
    rules = RuleSet(changes=[("brackets", BRACKETS)])
    for text, wanted in [
        ("[1+1]x10=100", None),
        ("[[1]]=1", None),
        ("10x[1+[1-1]]=10", None),
        ("[1=1]", "syntax"),
        ("1]=1", "syntax"),
        ("[]=1", "syntax"),
        ("1[1]=1", "syntax"),
        ("[1]1=1", "syntax"),
        ("![1]=0", "syntax"),
        ("1x[1]+0=1", None),
    ]:
        assert reason(text, rules) == wanted, text


def _power(a: Value, b: Value) -> Value:
    return int(a**b) if isinstance(b, int) and b >= 0 else 0


def _product(a: Value, b: Value) -> Value:
    return a * b


def test_functions_are_told_apart_by_what_they_do() -> None:
    """Two operators of one name and another function are other rules: the description differs."""
    ranks = {"math": 6, "ltr": 1, "pascal": 3}

    def with_function(function: object) -> str:
        change = Change(
            tiles=(Tile("@", 2, 3),),
            operators=(Operator("@", ranks, function=function),),  # type: ignore[arg-type]  # both are functions
        )
        return json.dumps(RuleSet(changes=[("power", change)]).describe())

    assert with_function(_power) == with_function(lambda a, b: _power(a, b)) != with_function(_product)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tile("ab", 1, 1),
        lambda: Tile("1", 0, 1),
        lambda: Tile(".", 1, 1),
        lambda: Face("E", "=", "=", "H"),
        lambda: Operator("@", {}),
        lambda: Operator("@", {}, table=1),
        lambda: Bracket("", "]"),
    ],
)
def test_rows_that_cannot_be(make: object) -> None:
    """Whose fault it is: the plugin's."""
    with pytest.raises(PluginFault):
        make()  # type: ignore[operator]  # each is a function


@pytest.mark.parametrize(
    "change",
    [
        Change(tiles=(Tile("@", 1, 1),)),
        Change(faces=(Face("E", "@", "11", "H"),)),
        Change(operators=(Operator("@", {"ltr": 1}, table=2),)),
    ],
)
def test_rows_must_refer_to_rows_that_exist(change: Change) -> None:
    """A tile without meaning, a face without tile, an operator without rank."""
    with pytest.raises(Misuse):
        RuleSet(changes=[("odd", change)])


def test_the_description_is_inside_the_profile() -> None:
    """It can be hashed into the rules digest, and differs where the rules do."""
    described = {
        canonical.write(RuleSet(kind, options).describe())
        for kind in (BINARY, NUMBER)
        for options in ({}, {"bingo": 0}, {"precedence": "ltr"}, {"division": "floor"})
    }
    assert len(described) == 8


def test_house_rules_come_as_plugins() -> None:
    """The two worked examples load through the host."""
    host = Host()
    for module in (lantable_xor_tiles, lantable_rotated_equals):
        host.register(module, module.__name__)
    changes = [(name, rule.change) for (_, name), rule in host.house_rules.items()]
    assert [name for name, _ in changes] == ["xor-tiles", "rotated-equals"]
    assert reason("E^1=10", RuleSet(changes=changes)) is None
