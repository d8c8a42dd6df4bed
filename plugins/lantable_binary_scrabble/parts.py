"""What a stretch of squares can be filled with so that it has a given value.

Theory. A *part* is a pattern (cells.py) read as an expression of some level. Level 0 is a whole side; the next level
holds only what binds tighter; the last level is a single operand, a number with what is dressed on it. As equal ranks
go from left to right, whatever the precedence, a part of a level is either a part of the next level or

    a part of this level,  an operator of this level's rank,  a part of the next level

and so its last operator cuts its pattern into two shorter ones. Of a filling only two things matter to what surrounds
it: its value, and its *entry*, which says what tiles it takes. That is little: four holes have some hundred pairs of
value and entry where ten thousand rows of tiles fit. Two things can be asked of a part:

* `table`: every value with its entries, for short parts; or a `shelf` of it, the values of so many bits;
* `find`: the entries of one value, for long parts, by meeting in the middle. For every value b of the shorter piece,
  the longer must have that value a for which a op b is what is wanted, and nearly every operator can be undone so
  (inverse.py). A number, however long, is not searched for but written down.

Blanks multiply everything. So each is asked with a limit: what one piece takes, the other cannot have. In base ten that
holds for every tile; with two digits so many rows have one value that it pays to look at the blanks alone.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any, Final, NamedTuple

from lantable_binary_scrabble.bounds import Signs, bounds
from lantable_binary_scrabble.cells import Cells, Entries, is_hole
from lantable_binary_scrabble.expression import FOLLOWS, kind_of
from lantable_binary_scrabble.inverse import (
    EVEN,
    EVERY,
    MANY,
    Sizes,
    Undo,
    Undoing,
    dressed_reach,
    least_dressed,
    number_sizes,
    reach,
    undoing,
    undress,
)
from lantable_binary_scrabble.ruleset import MAX_DIGITS
from lantable_binary_scrabble.tables import Value

WIDE: Final = 1
"""A part that must hold a number as wide as the widest may be. Only `not_width=widest` asks for it."""
NOT: Final = 2
"""There, a part that must hold a NOT; without this flag it must not."""
MAYBE: Final = 4
"""There, a part that may hold a NOT or not. Such a part has bounds and nothing else."""
_FEW: Final = 600
"""Parts that fit no more rows of symbols are tabulated at once, ..."""
_SOME: Final = 8000
"""... up to so many shelf by shelf; in longer ones single values are searched for."""

Pause = Callable[[], None]
"""Called again and again during long work; it may raise to end it."""
Table = dict[Value, Entries]
"""Value -> its entries."""
Met = tuple[Value, Entries, Value, Entries]
"""Two values, each with entries."""
Bundle = tuple[Entries, list[Value]]
"""Entries, and the values that have them all, the largest first."""


def size(value: Value) -> int:
    """The whole part of the absolute value: what a bonus is earned for."""
    return abs(value.numerator) // value.denominator


class Part:
    """A pattern read as an expression of one level, with what is known of it, mostly by how many blanks it may use."""

    __slots__ = (
        "bounds", "bundles", "flags", "found", "holes", "keys", "level", "meetings", "next", "pattern", "ready", "rows",
        "shelves", "sized", "splits", "tables",
    )  # fmt: skip

    def __init__(self, pattern: str, level: int, flags: int, next_level: "Part | None", rows: list[int]) -> None:
        self.pattern, self.level, self.flags, self.next, self.rows = pattern, level, flags, next_level, rows
        self.holes = sum(map(is_hole, pattern))
        self.splits: list[Split] | None = None
        self.tables: dict[int, Table] = {}
        self.shelves: dict[tuple[int, int], Table] = {}
        self.keys: dict[tuple[int, int | None], list[Value]] = {}
        """Values in order, of a table (None) or a shelf."""
        self.bundles: dict[tuple[int, int | None], list[Bundle]] = {}
        self.meetings: dict[int, list[Meeting]] = {}
        self.ready: dict[int, list[tuple[int, Meeting, int, int]]] = {}
        """Tiles at hand -> meetings."""
        self.bounds: dict[int, int] = {}
        """Tiles at hand -> bound."""
        self.sized: dict[int, list[tuple[int, int, Dressing]]] = {}
        self.found: dict[tuple[Value, int], Entries] = {}
        """Value and tiles at hand -> entries."""

    @property
    def operand(self) -> "Part":
        """The same pattern read as a single operand."""
        part = self
        while part.next is not None:
            part = part.next
        return part


class Operator(NamedTuple):
    """An operator that may stand at a pattern character, what it may take, and how many blanks of that at least."""

    code: str
    costs: Entries
    blanks: int


class Piece:
    """One piece of a split by its values, to be gone through."""

    __slots__ = ("least", "most", "table", "values")

    def __init__(self, table: Table) -> None:
        self.table = table
        self.values = list(table)
        self.least, self.most = min(table, default=0), max(table, default=0)


class Split(NamedTuple):
    """A way to cut a part in two at an operator, which may be one of several."""

    sign: str
    operators: list[Operator]
    left: Part
    right: Part
    pieces: dict[tuple[int, int], tuple[Piece, Piece]]
    """By how many blanks both have together, and tiles at hand: which values of the right piece to go through, and
    which of the left."""
    products: dict[tuple[str, int], dict[int, Table]]
    """By operator and blanks, and then by shelf: every value with its entries."""


class Meeting(NamedTuple):
    """How to search a split with one operator for one value. No value is larger than `most`; of the tiles left after
    the operator, both pieces together have `spare` blanks. `undo` is None where the operator cannot be undone."""

    split: Split
    operator: Operator
    costs: Entries
    spare: int
    most: int
    undo: Undoing | None


class Dressing(NamedTuple):
    """A way to read a pattern as one number: signs before and after it, what they may take, and how many digits it may
    have."""

    before: str
    after: str
    costs: Entries
    number: str
    shortest: int
    longest: int
    flips: bool


class Bracketed(NamedTuple):
    """A way to read a pattern as something in brackets."""

    opening: str
    closing: str
    costs: Entries
    inside: Part


_SHARED: Final = {
    0: ((0, 0),),
    WIDE: ((WIDE, 0), (0, WIDE)),
    NOT: ((NOT, 0), (0, NOT), (NOT, NOT)),
    WIDE | NOT: tuple(
        (wide | flips, WIDE - wide | also) for wide in (WIDE, 0) for flips, also in ((NOT, 0), (0, NOT), (NOT, NOT))
    ),
}
"""Flags of a part -> those its left piece and its right one may have."""


def nothing() -> None:
    """What is done in a pause by default."""


class Parts:
    """Everything a rack can fill, under one rule set.

    `widest` is needed only under `not_width=widest`, where the value of a NOT depends on the widest number of the whole
    equation: that number's digits, or 0 for sides without any NOT, to which it does not matter; `plain` is then the
    same for `widest` 0. `pause` is called again and again during long work, and may raise to end it.
    """

    def __init__(
        self,
        cells: Cells,
        widest: int = 0,
        plain: "Parts | None" = None,
        pause: Pause = nothing,
    ) -> None:
        rules = cells.rules
        self.cells, self.widest, self._plain, self._pause = cells, widest, plain, pause
        self._rules = rules
        self._flipless = rules.settings.not_width == "widest" and not widest
        self._negative = rules.settings.negatives != "none"
        self._plain_decimals = rules.kind.base == 10 and not rules.leading_zero("")
        self._levels = sorted(set(rules.rank.values()))
        self._undo = {code: undoing(rules, code) for code in rules.operators}
        self._reach = {code: reach(rules, code) for code in rules.operators}
        counted = {row.literal for row in rules.fragments.values() if cells.fragment or not rules.allows(row)}
        self._literals: list[int] = sorted(counted)
        self._begins = {literal: index << cells.first for index, literal in enumerate(self._literals, 1)}
        self._parts: dict[tuple[str, int, int], Part] = {}
        self._operators: dict[str, list[list[Operator]]] = {}
        self._dressings: dict[str, list[Dressing]] = {}
        self._bounds = bounds(rules, widest)

    # -- parts

    def part(self, pattern: str, level: int = 0, flags: int = 0) -> Part:
        """A pattern read as an expression of a level; the same one for the same question."""
        part = self._parts.get((pattern, level, flags))
        if part is None:
            if self._plain is not None and not flags and self.cells.longest_number(pattern) < self.widest:
                # Without NOT, how wide another number is does not matter.
                part = self._plain.part(pattern, level)
            elif level == len(self._levels):
                part = self._new(pattern, level, flags, None)
            else:
                part = self.part(pattern, level + 1, flags)
                if any(self._operators_at(sign)[level] for sign in pattern[1:-1]):
                    part = self._new(pattern, level, flags, part)
            self._parts[pattern, level, flags] = part
        return part

    def _new(self, pattern: str, level: int, flags: int, next_level: Part | None) -> Part:
        holes = self.cells.measured(pattern).holes
        return Part(pattern, level, flags, next_level, self.cells.rows(holes))

    def splits(self, part: Part) -> list[Split]:
        """Every way to cut a part in two at an operator of its level."""
        if part.splits is None:
            part.splits = list(self._cut(part)) if part.next is not None else []
        return part.splits

    def _cut(self, part: Part) -> Iterator[Split]:
        pattern, level = part.pattern, part.level
        for at in range(1, len(pattern) - 1):
            if operators := self._operators_at(pattern[at])[level]:
                for flags, others in _SHARED[part.flags]:
                    left = self.part(pattern[:at], level, flags)
                    right = self.part(pattern[at + 1 :], level + 1, others)
                    yield Split(pattern[at], operators, left, right, {}, {})

    def _operators_at(self, sign: str) -> list[list[Operator]]:
        """By level, what operators may stand at a pattern character."""
        found = self._operators.get(sign)
        if found is None:
            found = self._operators[sign] = [[] for _ in self._levels]
            for code, rank in self._rules.rank.items():
                if costs := self.cells.costs(sign, code):
                    blanks = min(int(cost == self.cells.blank != 0) for cost in costs)
                    found[self._levels.index(rank)].append(Operator(code, costs, blanks))
        return found

    # -- how large a value can be

    def bound(self, part: Part, have: int) -> int:
        """No value from these tiles is larger, or smaller than minus that; -1: there is none."""
        bound = part.bounds.get(have)
        if bound is None:
            bound = part.bounds[have] = self.common_bound((part,), have)
        return bound

    def common_bound(self, parts: tuple[Part, ...], have: int) -> int:
        """As `bound`, for the value that several sides have which are filled from the same tiles."""
        cells = self.cells
        if any(part.flags & WIDE and cells.longest_number(part.pattern) < self.widest for part in parts):
            return -1
        holes, spare = sum(part.holes for part in parts), sum(cells.measured(part.pattern).spare for part in parts)
        if not cells.can_fill(holes, spare, len(parts), have):
            return -1
        # Where digits are missing, other tiles must be laid; blanks are not counted among these, whatever they show.
        missing = max(holes - len(cells.best_digits(have)), 0)
        signs, others = cells.signs_in(have)
        return self._shared_bound(parts, missing, cells.rack.blanks_in(have), signs, others)

    def _shared_bound(self, parts: tuple[Part, ...], odd: int, wild: int, signs: Signs, others: Signs) -> int:
        """The largest value all parts can have if so many of the signs, and up to so many others, are laid among
        them."""
        part, more = parts[0], parts[1:]
        if not more:
            return self._part_bound(part, odd, wild, signs, others)
        bound = -1
        for here, lent in product(range(odd + 1), range(wild + 1)):
            most = self._part_bound(part, here, lent, signs, others)
            if most > bound:
                bound = max(bound, min(most, self._shared_bound(more, odd - here, wild - lent, signs, others)))
        return bound

    def _part_bound(self, part: Part, odd: int, wild: int, signs: Signs, others: Signs) -> int:
        measure, flips = self.cells.measured(part.pattern), self.cells.flips
        digits = len(part.pattern) - odd - measure.odd + measure.more + self.cells.more_digits
        if part.flags & WIDE and digits < self.widest:
            return -1
        signs = signs | measure.signs
        if self.widest and not part.flags & (NOT | MAYBE):
            signs, others = signs - flips, others - flips
        elif part.flags & NOT and not signs & flips and not (wild and others & flips):
            return -1
        return self._bounds.largest(measure.length, odd + measure.odd, wild, signs, others)

    # -- every value

    def table(self, part: Part, blanks: int) -> Table:
        """Every value with its entries. The work grows with the pairs of entries of the two pieces at each operator."""
        table = part.tables.get(blanks)
        if table is None:
            self._pause()
            found: dict[Value, set[int]] = {}
            if part.next is None:
                self._add_operands(part, blanks, EVERY, found)
            else:
                found = {value: set(entries) for value, entries in self.table(part.next, blanks).items()}
                for split in self.splits(part):
                    for operator in split.operators:
                        for products in self._products(split, operator, blanks).values():
                            for value, entries in products.items():
                                found.setdefault(value, set()).update(entries)
            table = part.tables[blanks] = _as_table(found)
        return table

    def is_small(self, part: Part, blanks: int) -> bool:
        """Whether a part is tabulated at once."""
        return part.rows[blanks] <= _FEW

    def shelf(self, part: Part, blanks: int, shelf: int) -> Table:
        """The part of the table whose values have a size of so many bits."""
        on_shelf = part.shelves.get((blanks, shelf))
        if on_shelf is None:
            if self.is_small(part, blanks):
                for value, entries in self.table(part, blanks).items():
                    part.shelves.setdefault((blanks, size(value).bit_length()), {})[value] = entries
                return part.shelves.setdefault((blanks, shelf), {})
            self._pause()
            found: dict[Value, set[int]] = {}
            sizes = (1 << shelf >> 1, (1 << shelf) - 1)
            if part.next is None:
                self._add_operands(part, blanks, sizes, found)
            else:
                found = {value: set(entries) for value, entries in self.shelf(part.operand, blanks, shelf).items()}
                for meeting in self.meetings(part, blanks):
                    if meeting.most < sizes[0]:
                        break
                    for value, entries in (
                        self._products(meeting.split, meeting.operator, blanks).get(shelf, {}).items()
                    ):
                        found.setdefault(value, set()).update(entries)
            on_shelf = part.shelves[blanks, shelf] = _as_table(found)
        return on_shelf

    def next_shelf(self, part: Part, blanks: int, shelf: int) -> int:
        """The next shelf below this one that may hold something; -1: none."""
        if not self.is_small(part, blanks):
            return shelf - 1
        bits = (size(value).bit_length() for value in self.table(part, blanks))
        return max((other for other in bits if other < shelf), default=-1)

    def bundles(self, part: Part, blanks: int, shelf: int | None = None) -> list[Bundle]:
        """A table, or one shelf of it, turned around: what is left for other parts depends on entries only."""
        bundles = part.bundles.get((blanks, shelf))
        if bundles is None:
            table = self.table(part, blanks) if shelf is None else self.shelf(part, blanks, shelf)
            if self._rules.kind.base == 2:
                # What is left is only looked at roughly then, and is nearly the same for all entries.
                bundles = [(entries, [value]) for value, entries in table.items()]
            else:
                values: dict[int, list[Value]] = {}
                for value, entries in table.items():
                    for entry in entries:
                        values.setdefault(entry, []).append(value)
                bundles = [((entry,), sorted(found, key=size, reverse=True)) for entry, found in values.items()]
            part.bundles[blanks, shelf] = bundles
        return bundles

    def _products(self, split: Split, operator: Operator, blanks: int) -> dict[int, Table]:
        """Every value of a split by one operator with its entries, shelf by shelf."""
        shelves = split.products.get((operator.code, blanks))
        if shelves is None:
            shelves = split.products[operator.code, blanks] = {}
            spare = blanks - operator.blanks
            lefts = self.table(split.left, spare) if spare >= 0 else {}
            rights = self.table(split.right, spare) if lefts else {}
            found: dict[Value, set[int]] = {}
            apply, code, have = self._rules.apply, operator.code, self.cells.full[blanks]
            for b, right in rights.items():
                for a, left in lefts.items():
                    try:
                        value = apply(code, a, b)
                    except ArithmeticError:
                        continue
                    into = found.setdefault(value, set())
                    for cost in operator.costs:
                        self._join(code, a, left, right, have - cost, cost, into)
            for value, entries in _as_table(found).items():
                shelves.setdefault(size(value).bit_length(), {})[value] = entries
        return shelves

    def _join(
        self, operator: str, a: Value, lefts: Entries, rights: Entries, have: int, cost: int, found: set[int]
    ) -> None:
        """Add what pairs of entries make with an operator of this cost, where these tiles suffice for both."""
        guards, below = self.cells.guards, self.cells.below_first
        for right in rights:
            taken = right if right <= below else self.behind(operator, a, right)
            if taken is None:
                continue
            rest = have - taken
            taken += cost
            if rest & guards == guards:
                for left in lefts:
                    if rest - left & guards == guards:
                        found.add(left + taken)

    def behind(self, operator: str, left: Value, entry: int) -> int | None:
        """What an entry takes that begins with a literal, if it stands behind an operator with this value before it.

        Literal and operator may be an identity fragment; None if they must not be.
        """
        literal = self._literals[(entry >> self.cells.first) - 1]
        taken, fragment = entry & self.cells.below_first, self._rules.fragment(operator, literal, left)
        if fragment is None:
            return taken
        return taken + self.cells.fragment if self._rules.allows(fragment) else None

    def _add_operands(self, part: Part, blanks: int, sizes: Sizes, found: dict[Value, set[int]]) -> None:
        """Add the operands whose size is within `sizes`."""
        have = self.cells.full[blanks]
        for row in self.dressed(part):
            numbers = self.cells.numbers(row.number, number_sizes(self._rules, row.before, row.after, sizes), have)
            for digits, entries in numbers.items():
                value = self._value(part, row, digits)
                if value is not None and sizes[0] <= size(value) <= sizes[1]:
                    paid = self._paid(entries, row.costs, self.marked(row, digits), have)
                    if value in found:
                        found[value].update(paid)
                    else:
                        found[value] = set(paid)
        for bracket in self.bracketed(part):
            for value, inside in self.table(bracket.inside, blanks).items():
                if sizes[0] <= size(value) <= sizes[1]:
                    bare = [entry & self.cells.below_first for entry in inside]
                    found.setdefault(value, set()).update(self._paid(bare, bracket.costs, 0, have))

    def _paid(self, entries: Iterable[int], costs: Entries, marks: int, have: int) -> Iterator[int]:
        guards = self.cells.guards
        for cost in costs:
            rest = have - cost
            yield from (entry + cost + marks for entry in entries if rest - entry & guards == guards)

    # -- one value

    def find(self, part: Part, value: Value, have: int) -> Entries:
        """The entries of one value that these tiles suffice for."""
        blanks = self.cells.rack.blanks_in(have)
        if part.rows[blanks] <= _SOME:
            entries = self._looked_up(part, blanks, value)
            return self.cells.within(entries, have) if entries else ()
        found = part.found.get((value, have))
        if found is None:
            found = part.found[value, have] = self._searched(part, value, have, blanks)
        return found

    def _looked_up(self, part: Part, blanks: int, value: Value) -> Entries:
        if part.rows[blanks] <= _FEW:
            return self.table(part, blanks).get(value, ())
        return self.shelf(part, blanks, size(value).bit_length()).get(value, ())

    def _searched(self, part: Part, value: Value, have: int, blanks: int) -> Entries:
        whole = size(value)
        if whole > self.bound(part, have) or (value < 0 and not self._negative):
            return ()
        self._pause()
        found = self._operands(part, value, whole, have)
        for most, meeting, left_most, right_most in self._ready(part, have, blanks):
            if most < whole:
                break
            if meeting.undo is None:
                products = self._products(meeting.split, meeting.operator, blanks)
                found.update(self.cells.within(products.get(whole.bit_length(), {}).get(value, ()), have))
                continue
            for a, left, _, right in self._met(meeting, value, have - meeting.costs[0], left_most, right_most):
                for cost in meeting.costs:
                    self._join(meeting.operator.code, a, left, right, have - cost, cost, found)
        return tuple(sorted(found))

    def _ready(self, part: Part, have: int, blanks: int) -> list[tuple[int, Meeting, int, int]]:
        """The meetings that these tiles suffice for, with no value of them and of their pieces larger; largest
        first."""
        ready = part.ready.get(have)
        if ready is None:
            ready = part.ready[have] = []
            guards = self.cells.guards
            for meeting in self.meetings(part, blanks):
                rest, split = have - meeting.costs[0], meeting.split
                if rest & guards == guards:
                    left, right = self.bound(split.left, rest), self.bound(split.right, rest)
                    if left >= 0 <= right:
                        ready.append((self._reach[meeting.operator.code](left, right), meeting, left, right))
            ready.sort(key=lambda row: -row[0])
        return ready

    def meetings(self, part: Part, blanks: int) -> list[Meeting]:
        """How to search the splits of a part, of its level and all that bind tighter; the largest values first."""
        found = part.meetings.get(blanks)
        if found is None:
            found = list[Meeting]()
            level: Part | None = part
            while level is not None:
                for split in self.splits(level):
                    found += self._meetings_of(split, blanks)
                level = level.next
            found.sort(key=lambda meeting: -meeting.most)
            part.meetings[blanks] = found
        return found

    def _meetings_of(self, split: Split, blanks: int) -> Iterator[Meeting]:
        most = {spare: self._pieces_bound(split, spare) for spare in (blanks, blanks - 1) if spare >= 0}
        for operator in split.operators:
            left, right = most.get(blanks - operator.blanks, (-1, -1))
            if left >= 0 <= right:
                reaches, undo = self._reach[operator.code](left, right), self._undo[operator.code]
                for costs in self._priced(operator, blanks):
                    spare = blanks - (costs[0] == self.cells.blank != 0)
                    yield Meeting(split, operator, costs, spare, reaches, undo)

    def _pieces_bound(self, split: Split, spare: int) -> tuple[int, int]:
        have = self.cells.full[spare]
        left = self.bound(split.left, have)
        return left, self.bound(split.right, have) if left >= 0 else -1

    def _priced(self, operator: Operator, blanks: int) -> Iterator[Entries]:
        """What an operator takes, tile by tile where that matters (`Cells.roughly`); a blank last."""
        costs = sorted(operator.costs, key=lambda cost: (cost == self.cells.blank, cost))
        if not blanks and len(costs) > 1:
            costs = [cost for cost in costs if cost != self.cells.blank]
        if self._rules.kind.base == 2:
            yield tuple(costs)
        else:
            yield from ((cost,) for cost in costs)

    def met(self, part: Part, meeting: Meeting, value: Value, have: int) -> list[Met]:
        """As `_met`, for a meeting of a part."""
        for _, ready, left_most, right_most in self._ready(part, have, self.cells.rack.blanks_in(have)):
            if ready is meeting:
                return self._met(meeting, value, have - meeting.costs[0], left_most, right_most)
        return []

    def _met(self, meeting: Meeting, value: Value, rest: int, left_most: int, right_most: int) -> list[Met]:
        """Pairs of values, with entries, that give `value`. A pair may come twice, with other entries."""
        undo, split = meeting.undo, meeting.split
        assert undo is not None  # noqa: S101 - the callers have looked
        found: list[Met] = []
        by_right, by_left = self._pieces(split, meeting.spare, rest)
        if by_right.values:
            for b, right, a, left in self._partners(
                by_right, undo.left, undo.right, value, split.left, left_most, rest
            ):
                found.append((a, left, b, right))
        if by_left.values:
            found += self._partners(by_left, undo.right, undo.left, value, split.right, right_most, rest)
        return [met for met in found if self.result(meeting.operator.code, met[0], met[2]) == value]

    def _pieces(self, split: Split, spare: int, rest: int) -> tuple[Piece, Piece]:
        """The values to go through of the right piece and of the left, from tiles that leave the other enough."""
        pieces = split.pieces.get((spare, rest))
        if pieces is None:
            of_right, of_left = self.plan(split.left, split.right, spare)
            right = self._piece(split.right, of_right, split.left, rest)
            left = self._piece(split.left, of_left, split.right, rest)
            pieces = split.pieces[spare, rest] = right, left
        return pieces

    def _piece(self, part: Part, blanks: int, other: Part, rest: int) -> Piece:
        guards, payload, can_fill = self.cells.guards, self.cells.payload, self.cells.can_fill
        holes, digits = other.holes, self.cells.measured(other.pattern).spare
        fitting: Table = {}
        for value, entries in self.table(part, blanks).items() if blanks >= 0 else ():
            if some := [
                entry
                for entry in entries
                if (left := rest - (entry & payload)) & guards == guards and can_fill(holes, digits, 1, left)
            ]:
                fitting[value] = tuple(some)
        return Piece(fitting)

    def _partners(
        self, piece: Piece, to_other: Undo, back: Undo, value: Value, other: Part, most: int, rest: int
    ) -> list[Met]:
        """The values of a piece, with entries, whose partner the other piece can have; and that, with entries."""
        blanks, least = self.cells.rack.blanks_in(rest), -most if self._negative else 0
        if other.rows[blanks] > _SOME:
            return self._deep_partners(piece, to_other(value, piece.values), other, (least, most), rest)
        if to_other in EVEN:
            first, last = to_other(value, (piece.least, piece.most))
            if first > last:
                first, last = last, first
            keys = self._between(other, blanks, max(first, least), min(last, most))
            if keys is not None and len(keys) < len(piece.values):
                table = piece.table
                return [
                    (known, table[known], partner, self._looked_up(other, blanks, partner))
                    for partner, known in zip(keys, back(value, keys) if keys else keys, strict=True)
                    if known in table
                ]
        found: list[Met] = []
        for known, partner in zip(piece.values, to_other(value, piece.values), strict=True):
            if partner is MANY:
                everything = self.table(other, blanks)
                found += [(known, piece.table[known], any_value, entries) for any_value, entries in everything.items()]
            elif (
                partner is not None
                and least <= partner <= most
                and (partners := self._looked_up(other, blanks, partner))
            ):
                found.append((known, piece.table[known], partner, partners))
        return found

    def _deep_partners(
        self, piece: Piece, undone: list[Any], other: Part, within: tuple[int, int], rest: int
    ) -> list[Met]:
        """As `_partners` where each value of the other piece must be searched for, with what is left of the tiles."""
        cells, found = self.cells, list[Met]()
        for known, partner in zip(piece.values, undone, strict=True):
            if partner is MANY:
                everything = self.table(other, cells.rack.blanks_in(rest))
                found += [(known, piece.table[known], any_value, entries) for any_value, entries in everything.items()]
            elif partner is not None and within[0] <= partner <= within[1]:
                entries = cells.within(piece.table[known], rest)
                if entries:
                    left = cells.roughly(cells.left(rest, entries))
                    if partners := self.find(other, partner, left):
                        found.append((known, entries, partner, partners))
        return found

    def _between(self, part: Part, blanks: int, least: Value, most: Value) -> list[Value] | None:
        """The values of a tabulated part from `least` to `most`; None where they stand on many shelves."""
        if least > most:
            return []
        if part.rows[blanks] <= _FEW:
            keys = self._keys(part, blanks, None)
            return keys[bisect_left(keys, least) : bisect_right(keys, most)]
        bits = sorted((size(least).bit_length(), size(most).bit_length()))
        if (least < 0) != (most < 0) or bits[1] - bits[0] > 1:
            return None
        found: list[Value] = []
        for shelf in range(bits[0], bits[1] + 1):
            keys = self._keys(part, blanks, shelf)
            found += keys[bisect_left(keys, least) : bisect_right(keys, most)]
        return found

    def _keys(self, part: Part, blanks: int, shelf: int | None) -> list[Value]:
        keys = part.keys.get((blanks, shelf))
        if keys is None:
            table = self.table(part, blanks) if shelf is None else self.shelf(part, blanks, shelf)
            keys = part.keys[blanks, shelf] = sorted(table)
        return keys

    def result(self, operator: str, a: Value, b: Value) -> Value | None:
        """What an operator gives; None if nothing."""
        try:
            return self._rules.apply(operator, a, b)
        except ArithmeticError:
            return None

    def plan(self, left: Part, right: Part, spare: int) -> tuple[int, int]:
        """How many blanks the right piece may use when its values are gone through, and the left (-1: it is not).

        Every filling has a piece that keeps to its limit. The longer piece is gone through only without the many blanks
        that make it long.
        """
        costs = [
            (right.rows[of_right] if of_right >= 0 else 0)
            + (left.rows[spare - of_right - 1] if of_right < spare else 0)
            for of_right in range(-1, spare + 1)
        ]
        of_right = costs.index(min(costs)) - 1
        return of_right, spare - of_right - 1

    def _operands(self, part: Part, value: Value, whole: int, have: int) -> set[int]:
        found: set[int] = set()
        for least, most, row in self._sized(part, have):
            if least <= whole <= most:
                for digits in self.written(part, row, value):
                    if entries := self.cells.fit(row.number, digits):
                        found.update(self._paid(entries, row.costs, self.marked(row, digits), have))
        for bracket in self.bracketed(part):
            inside = [entry & self.cells.below_first for entry in self.find(bracket.inside, value, have)]
            found.update(self._paid(inside, bracket.costs, 0, have))
        return found

    # -- operands

    def dressed(self, part: Part) -> Iterator[Dressing]:
        """The ways to read a part as one number that are good for its flags."""
        for row in self._dressings_of(part.pattern):
            if not self.widest or row.flips == bool(part.flags & NOT):
                yield row

    def written(self, part: Part, row: Dressing, value: Value) -> Iterable[str]:
        """The numbers, in digits, that have this value with the signs around them."""
        if not row.before + row.after and row.shortest == row.longest and self._plain_decimals:
            # Most numbers, by far.
            digits = str(value)
            return [digits] if len(digits) == row.longest and value >= 0 else []
        written: list[str] = []
        for width in range(row.shortest, row.longest + 1):
            number = undress(self._rules, row.before, row.after, value, width, self.widest)
            if number is MANY:
                every = self.cells.numbers(row.number, EVERY, self.cells.full[-1])
                return [digits for digits in every if self._value(part, row, digits) == value]
            if isinstance(number, int) and number >= 0:
                digits = (f"{number:b}" if self._rules.kind.base == 2 else str(number)).zfill(width)
                if len(digits) == width and self._value(part, row, digits) == value:
                    written.append(digits)
        return written

    def marked(self, row: Dressing, digits: str) -> int:
        """What an entry says of a number besides its tiles."""
        marks = self.cells.wide if len(digits) == self.widest else 0
        return marks if row.before else marks + self._begins.get(int(digits, self._rules.kind.base), 0)

    def bracketed(self, part: Part) -> Iterator[Bracketed]:
        """The ways to read a part as something in brackets."""
        if self._rules.closing and len(part.pattern) > 2:
            for opening, closing in self._rules.closing.items():
                first = self.cells.costs(part.pattern[0], opening)
                if costs := self.cells.added(first, self.cells.costs(part.pattern[-1], closing)):
                    yield Bracketed(opening, closing, costs, self.part(part.pattern[1:-1], 0, part.flags))

    def _value(self, part: Part, row: Dressing, digits: str) -> Value | None:
        """The value of a number with the signs around it; None if it must not stand there."""
        rules, width = self._rules, len(digits)
        if width > MAX_DIGITS or (
            self.widest and (width > self.widest or (part.flags & WIDE and width != self.widest))
        ):
            return None
        if width > 1 and digits[0] == "0" and not rules.leading_zero(row.before):
            return None
        value: Value = int(digits, rules.kind.base)
        try:
            value = rules.postfixed(row.after, value) if row.after else value
            return rules.operand(row.before, value, width, self.widest) if row.before else value
        except ArithmeticError:
            return None

    def _sized(self, part: Part, have: int) -> list[tuple[int, int, Dressing]]:
        """The ways to read a part as one number from these tiles, and how large that can be."""
        found = part.sized.get(have)
        if found is None:
            found = part.sized[have] = []
            best = self.cells.best_digits(have)
            for row in self.dressed(part):
                number = self._largest(row, best)
                if number >= 0:
                    widths = row.shortest, row.longest
                    most = dressed_reach(self._rules, row.before, row.after, number, widths, self.widest)
                    found.append((self._least(row), most, row))
        return found

    def _least(self, row: Dressing) -> int:
        if row.shortest == 1 or self._rules.leading_zero(row.before):
            return 0
        return least_dressed(self._rules, row.before, row.after, int(self._rules.kind.base ** (row.shortest - 1)))

    def _largest(self, row: Dressing, best: list[int]) -> int:
        """The largest number that may stand there with these digits, or more; -1: none may."""
        base = self._rules.kind.base
        if sum(map(is_hole, row.number)) > len(best):
            return -1
        if row.shortest < row.longest or row.shortest > len(row.number):
            return int(base**row.longest) - 1
        value = 0
        for sign, digit in zip(row.number, [*best, *([0] * len(row.number))], strict=False):
            shown = [int(lay.reads) for lay in self.cells.laid(sign) if lay.reads in self.cells.digits]
            value = value * base + (min(max(shown), digit) if is_hole(sign) else max(shown))
        return value

    def _dressings_of(self, pattern: str) -> list[Dressing]:
        found = self._dressings.get(pattern)
        if found is None:
            found = self._dressings[pattern] = [
                row for before, costs in self._befores(pattern) for row in self._ended(pattern, before, costs)
            ]
        return found

    def _befores(self, pattern: str) -> Iterator[tuple[str, Entries]]:
        """What may stand before a number at the beginning of a pattern, and what it can take."""
        todo: list[tuple[str, str, Entries]] = [("operand", "", (0,))]
        while todo:
            state, before, costs = todo.pop()
            yield before, costs
            if len(before) == len(pattern) - 1:
                continue
            for sign in ("-", *self._rules.prefixes):
                follows = FOLLOWS.get((state, kind_of(self._rules, state, before, sign)))
                if follows not in ("sign", "prefix") or (self._flipless and sign in self.cells.flips):
                    continue
                if more := self.cells.added(costs, self.cells.costs(pattern[len(before)], sign)):
                    todo.append((follows, before + sign, more))

    def _ended(self, pattern: str, before: str, costs: Entries) -> Iterator[Dressing]:
        """The number behind `before`, and what may stand behind it."""
        cells = self.cells
        for after in ("", *self._rules.postfixes):
            number = pattern[len(before) : len(pattern) - len(after)]
            paid = cells.added(costs, cells.costs(pattern[-1], after)) if after else costs
            if number and paid and all(map(cells.digit_counts, number)):
                counts = list(map(cells.digit_counts, number))
                shortest = sum(count[0] for count in counts)
                longest = min(cells.longest_number(number), self.widest or MAX_DIGITS)
                yield Dressing(
                    before, after, paid, number, shortest, longest, any(map(cells.flips.__contains__, before))
                )


def _as_table(found: dict[Value, set[int]]) -> Table:
    # Sorted, so that the order of a set decides nothing: not even which of equal moves are found first.
    return {value: tuple(sorted(entries)) for value, entries in found.items() if entries}
