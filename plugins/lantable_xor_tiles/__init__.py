"""A house rule for Binary Scrabble: four more tiles, XOR, one point each (rule 1.4)."""

from collections.abc import Iterable

from lantable.game import HouseRule
from lantable.hookspecs import hookimpl
from lantable_binary_scrabble.tables import Change, Fragment, Operator, Tile

XOR = Change(
    tiles=(Tile("^", count=4, points=1),),
    operators=(Operator("^", {"math": 2, "ltr": 1, "pascal": 1}, table=0b0110, words=("XOR",)),),
    fragments=(Fragment("^", 0, "allow_logic_id"),),
)


@hookimpl
def lantable_house_rules() -> Iterable[HouseRule]:
    titles = {"en": "XOR tiles", "it": "Tessere XOR", "tr": "XOR taşları"}
    return [HouseRule(game="binary-scrabble", name="xor-tiles", version="1", titles=titles, change=XOR)]
