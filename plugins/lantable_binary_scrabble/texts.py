"""Rows of tiles for a part and a value (parts.py): written out once it is known that somebody wants them."""

from collections.abc import Iterable
from itertools import product

from lantable_binary_scrabble.cells import Cells
from lantable_binary_scrabble.parts import WIDE, Bracketed, Meeting, Part, Parts, Split, size
from lantable_binary_scrabble.tables import Value

Rows = dict[int, list[str]]
"""Entry -> rows of symbols laid, in order of place; each row comes about in just one way."""
Pairs = dict[Value, list[tuple[Value, Value]]]


class Texts:
    """Writes out what `parts` find."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._cells: Cells = parts.cells
        self._rows: dict[tuple[Part, Value, int], Rows] = {}
        self._tried: dict[tuple[int, str, int], tuple[Split, Pairs]] = {}

    def of(self, part: Part, value: Value, entry: int) -> list[str]:
        """Every filling with this value and entry."""
        cells = self._cells
        have = cells.roughly((entry & cells.rack.tiles) + cells.fragment | cells.guards)
        return self._rows_of(part, value, have)[entry]

    def _rows_of(self, part: Part, value: Value, have: int) -> Rows:
        """Every filling with this value from these tiles, by entry."""
        rows = self._rows.get((part, value, have))
        if rows is None:
            rows = self._rows[part, value, have] = {}
            self._add_operands(part, value, have, rows)
            whole = size(value)
            for meeting in self._parts.meetings(part, self._cells.rack.blanks_in(have)):
                if meeting.most < whole:
                    break
                for cost in meeting.costs:
                    if have - cost & self._cells.guards == self._cells.guards:
                        self._add_split(part, meeting, cost, value, have, rows)
        return rows

    def _add_split(self, part: Part, meeting: Meeting, cost: int, value: Value, have: int, rows: Rows) -> None:
        parts, cells, split, code = self._parts, self._cells, meeting.split, meeting.operator.code
        guards, below, rest = cells.guards, cells.below_first, have - cost
        symbols = [lay.symbol for lay in cells.laid(split.sign) if (lay.reads, lay.cost) == (code, cost)]
        # If the left piece has what the right one is asked for, that is another split.
        apart = cells.wides if split.right.flags & WIDE else 0
        some = cells.roughly(rest)
        for a, b in self._pairs(part, meeting, value, have):
            lefts = self._rows_of(split.left, a, some)
            for right, after in self._rows_of(split.right, b, some).items() if lefts else ():
                taken = right if right <= below else parts.behind(code, a, right)
                if taken is None:
                    continue
                for left, before in lefts.items():
                    if rest - taken - left & guards == guards and not left & apart:
                        texts = [first + symbol + last for symbol in symbols for first in before for last in after]
                        entry = left + taken + cost
                        if entry in rows:
                            rows[entry] += texts
                        else:
                            rows[entry] = texts

    def _pairs(self, part: Part, meeting: Meeting, value: Value, have: int) -> Iterable[tuple[Value, Value]]:
        """Every pair of values that gives `value`, once."""
        if meeting.undo is not None:
            return dict.fromkeys((a, b) for a, _, b, _ in self._parts.met(part, meeting, value, have))
        key = id(meeting.split), meeting.operator.code, meeting.spare
        if key not in self._tried:
            # The split is kept as well, so that its id stays its own.
            self._tried[key] = meeting.split, self._try_all(meeting)
        return self._tried[key][1].get(value, ())

    def _try_all(self, meeting: Meeting) -> Pairs:
        parts, split, pairs = self._parts, meeting.split, Pairs()
        lefts, rights = parts.table(split.left, meeting.spare), parts.table(split.right, meeting.spare)
        for a, b in product(lefts, rights):
            value = parts.result(meeting.operator.code, a, b)
            if value is not None:
                pairs.setdefault(value, []).append((a, b))
        return pairs

    def _add_operands(self, part: Part, value: Value, have: int, rows: Rows) -> None:
        parts = self._parts
        for row in parts.dressed(part):
            for digits in parts.written(part, row, value):
                marks = parts.marked(row, digits)
                for text, cost in self._cells.spelled(part.pattern, row.before + digits + row.after, have):
                    rows.setdefault(cost + marks, []).append(text)
        for bracket in parts.bracketed(part):
            self._add_bracket(part, bracket, value, have, rows)

    def _add_bracket(self, part: Part, bracket: Bracketed, value: Value, have: int, rows: Rows) -> None:
        cells, pattern = self._cells, part.pattern
        opening = cells.spelled(pattern[0], bracket.opening, have)
        closing = cells.spelled(pattern[-1], bracket.closing, have)
        inside = self._rows_of(bracket.inside, value, have)
        for (before, cost), (after, more), (taken, texts) in product(opening, closing, inside.items()):
            entry = (taken & cells.below_first) + cost + more
            if have - entry & cells.guards == cells.guards:
                rows.setdefault(entry, []).extend(before + text + after for text in texts)
