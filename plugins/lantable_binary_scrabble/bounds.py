"""How large a value can be, seen from far: from lengths, and from which signs there are.

Theory. A row of n signs of which at least so many are no digits cannot have a large value, since digits are what
makes a value large. What is laid as a sign is known in advance to a degree: of tiles that must all find a place,
those that cannot be digits are signs; a blank may be either. So `largest` asks for a length, how many signs there are
at least besides those blanks may add, and how many blanks may be signs; and takes the best over all ways to cut such
a row at an operator. It does not look at which digits there are, nor where what lies there lies.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from lantable_binary_scrabble.inverse import Reach, dressed_reach, largest_reaches, reach
from lantable_binary_scrabble.ruleset import MAX_DIGITS, RuleSet

Signs = frozenset[str]


class _Means(NamedTuple):
    """What some signs, and some others of which there are few, allow: how operators reach; how numbers may be dressed,
    each with its length, how many of the few it takes, and the signs before and after; and for each kind of brackets
    how many of the few it takes."""

    reaches: tuple[Reach, ...]
    few: tuple[Reach, ...]
    dressings: tuple[tuple[int, int, str, str], ...]
    brackets: tuple[int, ...]


class Bounds:
    """Bounds under one rule set. `widest` see `parts.Parts`."""

    def __init__(self, rules: RuleSet, widest: int) -> None:
        self._rules, self._widest = rules, widest
        self._reach = {code: reach(rules, code) for code in rules.operators}
        befores = ["", *rules.prefixes]
        if rules.settings.not_width == "widest" and not widest:
            befores = [code for code in befores if not code or rules.prefixes[code].function is not None]
        if rules.settings.negatives == "signed":
            befores += ["-", *(f"-{code}" for code in befores if code and rules.prefixes[code].signed)]
        self._dressings = list(product(befores, ("", *rules.postfixes)))
        self._means: dict[tuple[Signs, Signs], _Means] = {}
        self._found: dict[_Means, dict[tuple[int, int, int], int]] = {}

    def largest(self, length: int, odd: int, wild: int, signs: Signs, others: Signs) -> int:
        """The largest value of so many signs at most; -1: there is none.

        At least `odd` of them are of `signs`; any number may be of these, but only `wild` of the `others`.
        """
        if not wild:
            others = frozenset()
        means = self._means.get((signs, others))
        if means is None:
            means = self._means[signs, others] = self._meant(signs, others)
        found = self._found.get(means)
        if found is None:
            found = self._found[means] = {}
        return self._largest(length, odd, wild, means, found)

    def _meant(self, signs: Signs, others: Signs) -> _Means:
        dressings = [
            (len(before + after), sum(sign not in signs for sign in before + after), before, after)
            for before, after in self._dressings
            if signs | others >= set(before + after)
        ]
        pairs = [pair for pair in self._rules.closing.items() if signs | others >= set(pair)]
        brackets = sorted({sum(sign not in signs for sign in pair) for pair in pairs})
        return _Means(self._reaches(signs), self._reaches(others - signs), tuple(dressings), tuple(brackets))

    def _reaches(self, signs: Iterable[str]) -> tuple[Reach, ...]:
        return largest_reaches(self._reach[sign] for sign in signs if sign in self._reach)

    def _largest(self, length: int, odd: int, wild: int, means: _Means, found: dict[tuple[int, int, int], int]) -> int:
        if length <= odd:
            return -1
        largest = found.get((length, odd, wild))
        if largest is None:
            largest = self._largest(length - 1, odd, wild, means, found)
            largest = max(largest, self._number(length, odd, wild, means))
            for lent in means.brackets if length > 2 else ():
                if lent <= wild:
                    inside = self._largest(length - 2, max(odd - 2 + lent, 0), wild - lent, means, found)
                    largest = max(largest, inside)
            if means.reaches:
                rest = max(odd - 1, 0)
                largest = max(largest, self._calculated(length, rest, wild, means.reaches, means, found))
            if means.few and wild:
                largest = max(largest, self._calculated(length, odd, wild - 1, means.few, means, found))
            found[length, odd, wild] = largest
        return largest

    def _number(self, length: int, odd: int, wild: int, means: _Means) -> int:
        """The largest number, with signs around it."""
        largest, base, chain = -1, self._rules.kind.base, self._rules.settings.not_chain
        for around, lent, before, after in means.dressings:
            digits = min(length - around, self._widest or MAX_DIGITS)
            if digits > 0 and lent <= wild and (around - lent >= odd or (chain and before)):
                number = dressed_reach(self._rules, before, after, base**digits - 1, (digits, digits), self._widest)
                largest = max(largest, number)
        return largest

    def _calculated(
        self,
        length: int,
        odd: int,
        wild: int,
        reaches: tuple[Reach, ...],
        means: _Means,
        found: dict[tuple[int, int, int], int],
    ) -> int:
        """The largest result of one operator, where its operands still have so many signs."""
        largest = -1
        for at in range(1, length - 1):
            for left_odd, left_wild in product(range(odd + 1), range(wild + 1)):
                a = self._largest(at, left_odd, left_wild, means, found)
                if a >= 0:
                    b = self._largest(length - at - 1, odd - left_odd, wild - left_wild, means, found)
                    if b >= 0:
                        for reaches_to in reaches:
                            largest = max(largest, reaches_to(a, b))
        return largest


@lru_cache(maxsize=256)
def bounds(rules: RuleSet, widest: int) -> Bounds:
    """The bounds under these rules; kept, since they serve the next position as well."""
    return Bounds(rules, widest)
