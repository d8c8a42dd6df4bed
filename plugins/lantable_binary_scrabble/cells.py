"""Tiles at hand, and what they can show at the characters of a pattern.

A *pattern* is what a stretch of a line reads, with a dot for each hole; a hole that takes only some symbols is a
character of its own (`RESTRICTED` and up). A turned equals sign reads as two digits, so a pattern may be read as more
signs than it has characters.

Packing. What a filling takes is one integer, its *entry*. Five bits count each kind of tile; the highest of the five
is a guard bit, set only in what there *is* (`have`). So "does that suffice" is a subtraction and a mask: the guard
bits are all still there. Above the tiles stand, in the same way, the identity fragments, where a side may hold only
one; then how many numbers are as wide as the widest, and which literal the filling begins with (parts.py says what
for).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import accumulate, product
from math import comb
from typing import Final, NamedTuple

from lantable_binary_scrabble.board import EMPTY, SIZE
from lantable_binary_scrabble.inverse import EVERY, Sizes
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import BLANK, EQUALS, face_of

HOLE: Final = EMPTY
RESTRICTED: Final = 0xF000
"""Pattern characters from here on are holes that take only some symbols, ..."""
LAID: Final = 0xF800
"""... and from here on, tiles laid in a way that reads as more than digits, by their first sign (`Cells.variants`)."""
_RESTRICTED: Final = chr(RESTRICTED)
_LAID: Final = chr(LAID)
_FIELD: Final = 5
_MASK: Final = (1 << _FIELD) - 1
_FEW: Final = 600
"""Rows of digits are kept where there are not more than so many rows of symbols."""

Entries = tuple[int, ...]


def is_hole(sign: str) -> bool:
    """Whether a pattern character is a hole."""
    return sign == HOLE or _RESTRICTED <= sign < _LAID


class Rack:
    """The tiles at hand as a packed multiset, with what each can show."""

    def __init__(self, rules: RuleSet, tiles: str) -> None:
        kinds = [kind for kind in rules.tiles if kind in tiles]
        self.size = len(tiles)
        self.blanks = tiles.count(BLANK)
        self.unit = {kind: 1 << index * _FIELD for index, kind in enumerate(kinds)}
        self.bits = len(kinds) * _FIELD
        self.tiles = (1 << self.bits) - 1
        self.guards = sum(unit << _FIELD - 1 for unit in self.unit.values())
        self.full = sum(self.unit[tile] for tile in tiles)
        self.laid_with = {symbol: tile for symbol, tile in rules.tile_of.items() if tile in self.unit}
        self.equals = [(s, self.unit[tile]) for s, tile in self.laid_with.items() if face_of(s) == EQUALS]
        self.operators = sum(not rules.is_digits(tile) for tile in tiles if tile not in (EQUALS, BLANK))
        self._blank = kinds.index(BLANK) * _FIELD if self.blanks else 0
        self._worth = [(index * _FIELD, rules.tiles[kind].points) for index, kind in enumerate(kinds)]
        self._each = sorted((rules.tiles[tile].points for tile in tiles), reverse=True)
        self._points: dict[int, int] = {}
        self._to_spare: dict[tuple[int, int], int | None] = {}
        self._count_digits_to_spare(rules, tiles)

    def _count_digits_to_spare(self, rules: RuleSet, tiles: str) -> None:
        most: dict[str, int] = {}
        for symbol, tile in self.laid_with.items():
            if face_of(symbol) != EQUALS:
                most[tile] = max(rules.digits_to_spare(symbol), most.get(tile, -1))
        as_equals = {self.laid_with[symbol] for symbol, _ in self.equals}
        self._bring = [most[tile] for tile in tiles if tile in most]
        self._either = sorted(most[tile] for tile in tiles if tile in most and tile in as_equals)
        self._only_equals = sum(tile not in most for tile in tiles)

    def blanks_in(self, tiles: int) -> int:
        """How many blanks there are in packed tiles, with or without guard bits."""
        return (tiles >> self._blank) & _MASK >> 1 if self.blanks else 0

    def points(self, entry: int) -> int:
        """Points of the tiles an entry takes, without premiums."""
        tiles = entry & self.tiles
        points = self._points.get(tiles)
        if points is None:
            points = self._points[tiles] = sum((tiles >> shift & _MASK) * worth for shift, worth in self._worth)
        return points

    def most_points(self, tiles: int) -> int:
        """The most that so many of these tiles are worth."""
        return sum(self._each[:tiles])

    def most_on(self, premiums: list[int]) -> int:
        """The most that tiles can be worth that lie on these premiums."""
        return sum(points * more for points, more in zip(self._each, sorted(premiums, reverse=True), strict=False))

    def digits_to_spare(self, tiles: int, equals: int) -> int | None:
        """The most that so many tiles can bring, of which `equals` are laid as `=`; None: they cannot be had."""
        if (tiles, equals) not in self._to_spare:
            self._to_spare[tiles, equals] = self._most_to_spare(tiles, equals)
        return self._to_spare[tiles, equals]

    def _most_to_spare(self, tiles: int, equals: int) -> int | None:
        bring = list(self._bring)
        # Tiles that can only be `=` go first; then those that would bring least.
        for spare in self._either[: max(equals - self._only_equals, 0)]:
            bring.remove(spare)
        wanted = tiles - equals
        if not 0 <= wanted <= len(bring) or equals > self._only_equals + len(self._either):
            return None
        return sum(sorted(bring, reverse=True)[:wanted]) - equals


class Lay(NamedTuple):
    """What may lie at a pattern character: the symbol laid ("" if it lies there already), how it reads, what it
    takes."""

    symbol: str
    reads: str
    cost: int


class Measure(NamedTuple):
    """What there is to a pattern: its holes, the signs it reads as at most, the longest run of digits that lies there,
    and what lies there that is no digit."""

    holes: int
    length: int
    more: int
    """How many digits more than characters there are, of what lies there."""
    run: int
    odd: int
    signs: frozenset[str]
    spare: int
    """How many digits what lies there brings beyond those it calls for (`RuleSet.digits_to_spare`)."""


class Cells:
    """What a rack can show in patterns. `sets` are the symbols that restricted holes take, in order."""

    def __init__(self, rules: RuleSet, rack: Rack, sets: list[frozenset[str]]) -> None:
        self.rules, self.rack, self._sets = rules, rack, sets
        self.digits = frozenset(rules.digits)
        self.flips = frozenset(code for code, row in rules.prefixes.items() if row.function is None)
        self._laid: dict[str, list[Lay]] = {}
        self._wordy = [
            symbol
            for symbol in rack.laid_with
            if len(rules.reading[symbol]) > 1 and not self.digits.issuperset(rules.reading[symbol])
        ]
        self._costs: dict[tuple[str, str], Entries] = {}
        self._counts: dict[str, tuple[int, ...]] = {}
        self._longest: dict[str, int] = {}
        self._measures: dict[str, Measure] = {}
        self._fitted: dict[tuple[str, str], Entries] = {}
        self._every_number: dict[tuple[str, int], dict[str, set[int]]] = {}
        self._brings: dict[int, list[int]] = {}
        self._digits_in: dict[int, list[int]] = {}
        self._signs_in: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
        self._lay_out()
        self._count_tiles()

    def _lay_out(self) -> None:
        rack = self.rack
        fragment, wide, self.first = (rack.bits + index * _FIELD for index in range(3))
        # 4.4: without chained fragments a side has one, so that using it up is like using up a tile.
        self.fragment = 0 if self.rules.settings.allow_chained_id else 1 << fragment
        self.wide = 1 << wide
        self.wides = self.wide * _MASK
        self.below_first = (1 << self.first) - 1
        self.guards = rack.guards | self.fragment << _FIELD - 1
        self.payload = (1 << wide) - 1
        self._fields = [_MASK << place for place in range(0, wide, _FIELD)]
        self.blank = rack.unit.get(BLANK, 0)
        self._blanks = self.blank * _MASK
        spare = [(rack.blanks - blanks) * self.blank for blanks in range(rack.blanks + 1)]
        self.full: list[int] = [(rack.full - less + self.fragment) | self.guards for less in spare]
        """All tiles, with so many of the blanks."""

    def _count_tiles(self) -> None:
        held = self.held(self.full[-1])
        self._digit_tiles = sum(count for _, count in held)
        self._long_tiles = sum(count for length, count in held if length > 1)
        self.more_digits = sum(count * (length - 1) for length, count in held)
        """How many digits more than tiles there can be."""
        laid = [tile for symbol, tile in self.rack.laid_with.items() if face_of(symbol) != EQUALS]
        blank = laid.count(BLANK)
        plain = len(laid) - blank
        self._rows: list[list[int]] = [
            [
                sum(comb(holes, used) * blank**used * plain ** (holes - used) for used in range(min(blanks, holes) + 1))
                for blanks in range(self.rack.blanks + 1)
            ]
            for holes in range(SIZE + 1)
        ]

    def held(self, have: int) -> list[tuple[int, int]]:
        """Of each kind of tile that can be digits: how many digits at most, and how many of them there are."""
        most: dict[int, int] = {}
        for lay in self.laid(HOLE):
            if self.digits.issuperset(lay.reads):
                most[lay.cost] = max(len(lay.reads), most.get(lay.cost, 0))
        return [(length, have // cost & _MASK >> 1) for cost, length in most.items()]

    def rows(self, holes: int) -> list[int]:
        """By blanks, how many rows of symbols so many holes take, not minding that tiles run out."""
        return self._rows[holes]

    # -- characters

    def laid(self, sign: str) -> list[Lay]:
        """What may lie at a pattern character, but for `=`."""
        found = self._laid.get(sign)
        if found is None:
            found = self._laid[sign] = list(self._lay(sign))
        return found

    def _lay(self, sign: str) -> Iterator[Lay]:
        reading = self.rules.reading
        if ord(sign) >= LAID:
            symbol = self._wordy[ord(sign) - LAID]
            yield Lay(symbol, reading[symbol][0], self.rack.unit[self.rack.laid_with[symbol]])
            return
        if not is_hole(sign):
            yield Lay("", reading[sign], 0)
            return
        for symbol, tile in self.rack.laid_with.items():
            if face_of(symbol) != EQUALS and (sign == HOLE or symbol in self._sets[ord(sign) - RESTRICTED]):
                yield Lay(symbol, reading[symbol], self.rack.unit[tile])

    def costs(self, sign: str, reads: str) -> Entries:
        """What it can take to have a sign read at a pattern character; none if it cannot be."""
        found = self._costs.get((sign, reads))
        if found is None:
            costs = {lay.cost for lay in self.laid(sign) if lay.reads == reads}
            found = self._costs[sign, reads] = tuple(sorted(costs))
        return found

    def digit_counts(self, sign: str) -> tuple[int, ...]:
        """How many digits may be read at a pattern character."""
        found = self._counts.get(sign)
        if found is None:
            counts = {len(lay.reads) for lay in self.laid(sign) if self.digits.issuperset(lay.reads)}
            found = self._counts[sign] = tuple(sorted(counts))
        return found

    # -- patterns

    def variants(self, pattern: str) -> Iterator[str]:
        """A pattern with some holes filled by symbols that read as several signs, not all of them digits, sign by sign.

        Elsewhere a character is read as one sign, or as digits. House rules may have other faces; few do.
        """
        options: list[list[str]] = []
        for sign in pattern:
            if not is_hole(sign):
                digits = self.digits.issuperset(self.rules.reading[sign])
                options.append([sign if digits else self.rules.reading[sign]])
                continue
            allowed = None if sign == HOLE else self._sets[ord(sign) - RESTRICTED]
            options.append([sign])
            for index, symbol in enumerate(self._wordy):
                if allowed is None or symbol in allowed:
                    options[-1].append(chr(LAID + index) + self.rules.reading[symbol][1:])
        yield from map("".join, product(*options))

    def measured(self, pattern: str) -> Measure:
        found = self._measures.get(pattern)
        if found is None:
            holes = sum(map(is_hole, pattern))
            reads = sum(max((len(lay.reads) for lay in self.laid(sign)), default=1) for sign in pattern)
            there = [self.laid(sign)[0].reads for sign in pattern if not is_hole(sign)]
            odd = [sign for sign in there if not self.digits.issuperset(sign)]
            spelled = "".join(HOLE if is_hole(sign) else self.laid(sign)[0].reads for sign in pattern)
            run = max(map(len, re.split(f"[^{re.escape(self.rules.digits)}]", spelled)))
            more = sum(len(sign) - 1 for sign in there if self.digits.issuperset(sign))
            signs, spare = frozenset("".join(odd)), sum(map(self.rules.digits_to_spare, "".join(there)))
            found = self._measures[pattern] = Measure(holes, reads, more, run, len(odd), signs, spare)
        return found

    def longest_number(self, pattern: str) -> int:
        """No number in a pattern has more digits."""
        longest = self._longest.get(pattern)
        if longest is None:
            longest = max((self._run(pattern[start:]) for start in range(len(pattern))), default=0)
            self._longest[pattern] = longest
        return longest

    def _run(self, pattern: str) -> int:
        digits, tiles, longer = 0, self._digit_tiles, self._long_tiles
        for sign in pattern:
            counts = self.digit_counts(sign)
            if not counts or (is_hole(sign) and not tiles):
                break
            if is_hole(sign):
                tiles -= 1
                digits += counts[-1] if longer else 1
                longer -= counts[-1] > 1 and longer > 0
            else:
                digits += counts[-1]
        return digits

    def can_flip(self, pattern: str) -> bool:
        """Whether a pattern may hold a NOT."""
        return any(self.costs(sign, flip) for sign in pattern for flip in self.flips)

    def numbers(self, pattern: str, sizes: Sizes, have: int) -> Mapping[str, Collection[int]]:
        """Every row of digits that can be had there from these tiles, of numbers within `sizes`, and what it can
        take."""
        blanks = self.rack.blanks_in(have)
        if self._rows[self.measured(pattern).holes][blanks] > _FEW:
            return self._numbers(pattern, sizes, have)
        found = self._every_number.get((pattern, have))
        if found is None:
            found = self._every_number[pattern, have] = self._numbers(pattern, EVERY, have)
        return found

    def _numbers(self, pattern: str, sizes: Sizes, have: int) -> dict[str, set[int]]:
        guards, base = self.guards, self.rules.kind.base
        counts = [self.digit_counts(sign) for sign in pattern]
        least, most = sum(count[0] for count in counts), sum(count[-1] for count in counts)
        rows: dict[str, set[int]] = {"": {0}}
        for sign, count in zip(pattern, counts, strict=True):
            digits = [(lay.reads, lay.cost) for lay in self.laid(sign) if self.digits.issuperset(lay.reads)]
            least, most = least - count[0], most - count[0]
            more: dict[str, set[int]] = {}
            for before, entries in rows.items():
                for reads, cost in digits:
                    after = before + reads
                    number = int(after, base)
                    if number * base**least > sizes[1] or (number + 1) * base**most <= sizes[0]:
                        continue
                    paid = [entry + cost for entry in entries if have - entry - cost & guards == guards]
                    if paid:
                        more.setdefault(after, set()).update(paid)
            rows = more
        return rows

    def fit(self, pattern: str, digits: str) -> Entries:
        """What it can take to have these digits read there."""
        found = self._fitted.get((pattern, digits))
        if found is None:
            full, guards = self.full[-1], self.guards
            reached: dict[int, set[int]] = {0: {0}}
            for sign in pattern:
                more: dict[int, set[int]] = {}
                for at, entries in reached.items():
                    for _, reads, cost in self.laid(sign):
                        if digits.startswith(reads, at):
                            paid = [entry + cost for entry in entries if full - entry - cost & guards == guards]
                            if paid:
                                more.setdefault(at + len(reads), set()).update(paid)
                reached = more
            found = self._fitted[pattern, digits] = tuple(sorted(reached.get(len(digits), ())))
        return found

    def spelled(self, pattern: str, signs: str, have: int) -> list[tuple[str, int]]:
        """The symbols laid, and what they take, wherever a pattern is read as these signs."""
        guards = self.guards
        rows: list[tuple[str, int, int]] = [("", 0, 0)]
        for sign in pattern:
            rows = [
                (text + symbol, cost + more, at + len(reads))
                for text, cost, at in rows
                for symbol, reads, more in self.laid(sign)
                if signs.startswith(reads, at) and have - cost - more & guards == guards
            ]
        return [(text, cost) for text, cost, at in rows if at == len(signs)]

    # -- tiles

    def within(self, entries: Iterable[int], have: int) -> Entries:
        """Those of the entries that these tiles suffice for."""
        guards = self.guards
        return tuple([entry for entry in entries if have - entry & guards == guards])

    def added(self, costs: Entries, more: Entries) -> Entries:
        """All sums of two costs that the rack can pay."""
        sums = {cost + other for cost in costs for other in more}
        return self.within(sorted(sums), self.full[-1])

    def left(self, have: int, entries: Entries) -> int:
        """The most that is left of each kind of tile after one of these entries."""
        payload = self.payload
        if len(entries) == 1:
            return have - (entries[0] & payload)
        if self.rules.kind.base == 2:
            # Only blanks will be looked at, see `roughly`.
            return have - min(entry & self._blanks for entry in entries)
        rests = [have - (entry & payload) for entry in entries]
        return sum(max(rest & field for rest in rests) for field in self._fields)

    def roughly(self, have: int) -> int:
        """What it pays to tell apart: with two digits so many rows have one value that it is only how many blanks."""
        return self.full[self.rack.blanks_in(have)] if self.rules.kind.base == 2 else have

    def beside(self, have: int, entries: Entries) -> int:
        """What is left for a side where other sides take one of these entries: each has fragments of its own."""
        tiles = self.left(have, tuple([entry & self.rack.tiles for entry in entries]))
        return self.roughly(tiles | self.guards | self.fragment)

    def can_fill(self, holes: int, spare: int, sides: int, have: int) -> bool:
        """Whether so many of these tiles could make so many sides of what lies there, to judge by digits alone."""
        brings = self._brings.get(have)
        if brings is None:
            most: dict[int, int] = {}
            for lay in self.laid(HOLE):
                most[lay.cost] = max(self.rules.digits_to_spare(lay.symbol), most.get(lay.cost, -1))
            each = sorted(
                (spare for cost, spare in most.items() for _ in range(have // cost & _MASK >> 1)), reverse=True
            )
            brings = self._brings[have] = list(accumulate(each, initial=0))
        return holes < len(brings) and brings[holes] + spare >= sides

    def best_digits(self, have: int) -> list[int]:
        """The digits of these tiles from the highest, a blank being the highest there is; -1 is several digits."""
        found = self._digits_in.get(have)
        if found is None:
            highest: dict[int, int] = {}
            for lay in self.laid(HOLE):
                if self.digits.issuperset(lay.reads):
                    digit = int(lay.reads) if len(lay.reads) == 1 else -1
                    highest[lay.cost] = max(digit, highest.get(lay.cost, -1))
            digits = [digit for cost, digit in highest.items() for _ in range(have // cost & _MASK >> 1)]
            found = self._digits_in[have] = sorted(digits, reverse=True)
        return found

    def signs_in(self, have: int) -> tuple[frozenset[str], frozenset[str]]:
        """The signs, but for digits, of these tiles, and of the blanks among them."""
        found = self._signs_in.get(have)
        if found is None:
            held = [lay for lay in self.laid(HOLE) if have // lay.cost & _MASK >> 1]
            plain = "".join(lay.reads for lay in held if lay.cost != self.blank)
            blank = "".join(lay.reads for lay in held if lay.cost == self.blank)
            found = self._signs_in[have] = frozenset(plain) - self.digits, frozenset(blank) - self.digits
        return found
