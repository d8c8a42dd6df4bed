"""A house rule for Binary Scrabble: an equals tile laid turned by 90 degrees reads as the digits 11 (rule 5.7)."""

from collections.abc import Iterable

from lantable.game import HouseRule
from lantable.hookspecs import hookimpl
from lantable_binary_scrabble.tables import Change, Face

TURNED = Change(faces=(Face("E", tile="=", reads="11", typed="H"),))


@hookimpl
def lantable_house_rules() -> Iterable[HouseRule]:
    titles = {"en": "Turned equals", "it": "Uguale girato", "tr": "Döndürülmüş eşittir"}
    return [HouseRule(game="binary-scrabble", name="rotated-equals", version="1", titles=titles, change=TURNED)]
