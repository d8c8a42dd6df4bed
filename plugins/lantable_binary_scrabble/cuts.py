"""Where the equals signs of a filling may be: the old ones, and some holes. What is between them are sides."""

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Final, NamedTuple

from lantable_binary_scrabble.cells import HOLE, RESTRICTED, Rack, is_hole
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import EQUALS


class Cut(NamedTuple):
    """A way to cut a pattern into sides. `signs` are the pattern characters at the cuts."""

    sides: tuple[str, ...]
    signs: str


class Choice(NamedTuple):
    """What may stand at cuts: the symbols ("" where it already lies there), their points, the tiles left with
    guards."""

    symbols: tuple[str, ...]
    points: int
    left: int


class Cuts:
    """The cuts of patterns for one rack. `sets` are the symbols that restricted holes take, in order."""

    def __init__(self, rules: RuleSet, rack: Rack, sets: list[frozenset[str]]) -> None:
        self._rules, self._rack, self._sets = rules, rack, sets
        self._choices: dict[str, list[Choice]] = {}

    def of(self, pattern: str) -> Iterator[Cut]:
        """Every cut that could have a filling."""
        yield from self.like(pattern, [pattern])

    def like(self, pattern: str, variants: Iterable[str]) -> Iterator[Cut]:
        """The cuts of variants of a pattern, in which some tiles are laid already."""
        there = [sign for sign in pattern if not is_hole(sign)]
        already, bring = there.count(EQUALS), sum(map(self._rules.digits_to_spare, there))
        counts = range(0 if already else 1, self._rules.settings.max_new_equals + 1)
        enough = [count for count in counts if self._enough_digits(len(pattern) - len(there), count, bring)]
        for variant in variants if enough else ():
            old = tuple(at for at, sign in enumerate(variant) if sign == EQUALS)
            free = [at for at, sign in enumerate(variant) if is_hole(sign) and self._equals_at(sign)]
            for new in (places for count in enough for places in combinations(free, count)):
                cuts = sorted(old + new)
                sides = _between(variant, cuts)
                if all(sides):
                    yield Cut(sides, "".join([variant[at] for at in cuts]))

    def _enough_digits(self, holes: int, equals: int, bring: int) -> bool:
        """Whether a filling with so many new equals signs could have a digit for every number it needs; what lies
        there brings so many."""
        laid = self._rack.digits_to_spare(holes, equals)
        return laid is not None and laid + bring >= 1

    def _equals_at(self, sign: str) -> list[tuple[str, int]]:
        """The symbols showing `=` that may be laid at a hole, each with the tile it takes."""
        if sign == HOLE:
            return self._rack.equals
        allowed = self._sets[ord(sign) - RESTRICTED]
        return [(symbol, unit) for symbol, unit in self._rack.equals if symbol in allowed]

    def choices(self, signs: str) -> list[Choice]:
        """What may stand at cuts where the pattern has these signs."""
        found = self._choices.get(signs)
        if found is None:
            found = self._choices[signs] = []
            whole, guards = self._rack.full | self._rack.guards, self._rack.guards
            options = [_LIES_THERE if sign == EQUALS else self._equals_at(sign) for sign in signs]
            for chosen in product(*options):
                taken = sum(unit for _, unit in chosen)
                if whole - taken & guards == guards:
                    symbols = tuple(symbol for symbol, _ in chosen)
                    found.append(Choice(symbols, self._rack.points(taken), whole - taken))
        return found

    def spare(self, signs: str) -> int:
        """How many blanks can be left for the sides; -1: there are not enough equals signs."""
        return max((self._rack.blanks_in(left) for _, _, left in self.choices(signs)), default=-1)


_LIES_THERE: Final = [("", 0)]


def _between(pattern: str, cuts: Iterable[int]) -> tuple[str, ...]:
    sides: list[str] = []
    start = 0
    for cut in cuts:
        sides.append(pattern[start:cut])
        start = cut + 1
    return (*sides, pattern[start:])
