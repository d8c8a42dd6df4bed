"""Strings and coins: what is left of a drawing as a graph, in which the same endings look the same.

Theory (Berlekamp, Conway and Guy, *Winning Ways*, ch. 16). An open box is a coin, an undrawn line a string that ties it
to a neighbour, or to the ground where the board ends or the neighbour is taken. To draw a line is to cut a string; a
coin without strings is taken. What the two players still get depends on this graph alone.

A coin with three or more strings is a *joint*. Coins with two strings stand in *chains* between joints or ground, or
in a ring, a *loop*. A coin with one string can be taken now. While there is none, a graph is its joints and the chains
between them, each with its number of coins (none, where two joints are tied directly). So a graph is small, and many
drawings have the same one: mirrored boards, a corner with either of its two outer lines, chains of any course.

A `Shape` is one connected graph, with joints numbered so that equal graphs (nearly always) get equal shapes; one that
does not costs time, never a wrong value. A drawing is a multiset of shapes. All that can be done in a shape is worked
out once (`Shapes.cuts`), whatever drawing it is met in.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

GROUND: Final = -1
_RING: Final = -2
"""Both ends of a loop that has no joint."""

Chain = tuple[int, int, int]
"""Two ends, each a joint or `GROUND`, and the number of coins between them. The first end is never the lower one."""


class Shape(NamedTuple):
    """One connected graph without a coin that can be taken at once."""

    joints: int
    chains: tuple[Chain, ...]

    @property
    def is_loop(self) -> bool:
        """Whether it is a ring of coins, and nothing else."""
        return self.chains[0][0] == _RING


class Cut(NamedTuple):
    """What comes of cutting a string, for both players together.

    The other player can take `taken` coins, after which the shapes numbered `left` remain. Of these coins it may leave
    `spared` to whoever cut the string, in such a way that they must be taken and then something else be cut.
    """

    taken: int
    spared: int
    left: tuple[int, ...]


class Shapes:
    """Shapes by number: what they are, how many coins they hold, and what cutting each of their strings comes to."""

    def __init__(self) -> None:
        self.coins: list[int] = []
        self.worked_out = 0
        """Shapes whose cuts are known: a measure of the work done, the same on every machine."""
        self._shapes: list[Shape] = []
        self._numbers: dict[Shape, int] = {}
        self._cuts: list[tuple[Cut, ...] | None] = []

    def __getitem__(self, number: int) -> Shape:
        return self._shapes[number]

    def number(self, shape: Shape) -> int:
        """The number of a shape."""
        found = self._numbers.get(shape)
        if found is None:
            found = self._numbers[shape] = len(self._shapes)
            self._shapes.append(shape)
            self.coins.append(shape.joints + sum(coins for _, _, coins in shape.chains))
            self._cuts.append(None)
        return found

    def cuts(self, number: int) -> tuple[Cut, ...]:
        """What can be done in a shape, each result once. O(chains squared) the first time."""
        found = self._cuts[number]
        if found is None:
            self.worked_out += 1
            best: dict[tuple[int, tuple[int, ...]], int] = {}
            for cut in self._worked_out(self._shapes[number]):
                # Of two ways to the same end, whoever cuts takes the one that leaves the other no choice.
                best[cut.taken, cut.left] = min(cut.spared, best.get((cut.taken, cut.left), cut.spared))
            found = tuple(sorted(Cut(taken, spared, left) for (taken, left), spared in best.items()))
            self._cuts[number] = found
        return found

    def _worked_out(self, shape: Shape) -> Iterator[Cut]:
        """One string of every chain: within a chain or loop all are equal, but for a chain of two.

        A row of coins that is opened can be taken whole, or but for the last two, which are left tied to each other; a
        loop but for the last four, left as two pairs. Of a chain of two coins the string between them is cut: then both
        must be taken, and nothing is left in that way.
        """
        if not shape.joints:
            ((_, _, coins),) = shape.chains
            yield Cut(coins, 4 if shape.is_loop else 2 if coins > 2 else 0, ())
            return
        for at, (one, other, coins) in enumerate(shape.chains):
            if at and shape.chains[at - 1] == (one, other, coins):
                continue
            graph = Graph(shape.chains[:at] + shape.chains[at + 1 :])
            taken = coins + graph.settle([end for end in (one, other) if end != GROUND])
            yield Cut(taken, 2 if coins and taken > 2 else 0, self.numbers(graph))

    def numbers(self, graph: "Graph") -> tuple[int, ...]:
        """The shapes of a settled graph, by number, in order."""
        return tuple(sorted(map(self.number, graph.shapes())))


class Graph:
    """Joints and chains while they change."""

    def __init__(self, chains: Iterable[Chain]) -> None:
        self._chains = dict(enumerate(chains))
        self._next = len(self._chains)
        self._at: dict[int, list[int]] = {}
        """Joint -> its chains; one that comes back to it stands there twice."""
        self._lone: list[Shape] = []
        for number, (one, other, _) in self._chains.items():
            for end in (one, other):
                if end != GROUND:
                    self._at.setdefault(end, []).append(number)

    def settle(self, joints: Iterable[int] | None = None) -> int:
        """Take every coin with one string, again and again, and let those with two be parts of chains. How many
        were taken. Looks only at `joints`, if they are named, and at what changes beside them."""
        taken, todo = 0, list(self._at if joints is None else joints)
        while todo:
            joint = todo.pop()
            chains = self._at.get(joint)
            if chains is None or len(chains) > 2:
                continue
            if not chains:
                del self._at[joint]
            elif len(chains) == 1:
                taken += self._take(joint, todo)
            else:
                self._join(joint)
        return taken

    def _take(self, joint: int, todo: list[int]) -> int:
        """Take a coin by its one string, and the row of coins behind it, to the next joint."""
        (number,) = self._at.pop(joint)
        one, other, coins = self._chains.pop(number)
        end = other if one == joint else one
        if end == GROUND:
            return coins + 1
        self._at[end].remove(number)
        if self._at[end]:
            todo.append(end)
            return coins + 1
        # Both coins hung on this one string.
        del self._at[end]
        return coins + 2

    def _join(self, joint: int) -> None:
        """A coin with two strings and what is on both sides of it make one chain."""
        first, second = self._at.pop(joint)
        if first == second:
            self._lone.append(Shape(0, ((_RING, _RING, self._chains.pop(first)[2] + 1),)))
            return
        coins, ends = 1, list[int]()
        for number in (first, second):
            one, other, more = self._chains.pop(number)
            ends.append(other if one == joint else one)
            coins += more
            if ends[-1] != GROUND:
                self._at[ends[-1]].remove(number)
        if max(ends) == GROUND:
            self._lone.append(Shape(0, ((GROUND, GROUND, coins),)))
            return
        self._chains[self._next] = (max(ends), min(ends), coins)
        for end in ends:
            if end != GROUND:
                self._at[end].append(self._next)
        self._next += 1

    def rows(self) -> list[Chain]:
        """Every chain, and every loop that has no joint. It must be settled."""
        return [*self._chains.values(), *(chain for shape in self._lone for chain in shape.chains)]

    def shapes(self) -> list[Shape]:
        """Its connected parts. It must be settled."""
        found, seen = self._lone[:], set[int]()
        for start in self._at:
            if start not in seen:
                seen.add(start)
                part = [start]
                for joint in part:
                    for number in self._at[joint]:
                        for end in self._chains[number][:2]:
                            if end != GROUND and end not in seen:
                                seen.add(end)
                                part.append(end)
                found.append(self._shape(part))
        return found

    def _shape(self, part: Sequence[int]) -> Shape:
        place = {joint: at for at, joint in enumerate(part)}
        place[GROUND] = GROUND
        beside: list[list[tuple[int, int]]] = []
        for at, joint in enumerate(part):
            ways: list[tuple[int, int]] = []
            for number in self._at[joint]:
                one, other, coins = self._chains[number]
                ways.append((coins, at if one == other else place[other if one == joint else one]))
            beside.append(ways)
        order = _ordered(beside)
        order.append(GROUND)  # so that order[GROUND] is GROUND
        chains: list[Chain] = []
        for at, ways in enumerate(beside):
            mine = order[at]
            for coins, end in ways:
                other = order[end]
                if other < mine:
                    chains.append((mine, other, coins))
                elif end == at:
                    chains.append((mine, mine, coins))
        chains.sort()
        # A chain that comes back to its joint was met from both of its ends.
        loops = [chain for chain in chains if chain[0] == chain[1]]
        for chain in loops[::2]:
            chains.remove(chain)
        return Shape(len(part), tuple(chains))


def _ordered(beside: list[list[tuple[int, int]]]) -> list[int]:
    """For each joint its number: by what is beside it, then by what is beside that, and so on; where nothing tells two
    apart, one of them is taken for the first (they are then mirror images of each other, or nearly always)."""
    colors = _ranked([sorted([(coins, min(end, 0)) for coins, end in ways]) for ways in beside])
    most = max(colors)
    while most + 1 < len(colors):
        finer = _ranked(
            [
                [(color, color), *sorted([(coins, colors[end] if end >= 0 else end) for coins, end in ways])]
                for color, ways in zip(colors, beside, strict=True)
            ]
        )
        finest = max(finer)
        if finest == most:
            tied = next(color for color in range(most + 1) if finer.count(color) > 1)
            first = finer.index(tied)
            finer = [color + (color > tied or (color == tied and at != first)) for at, color in enumerate(finer)]
            finest += 1
        colors, most = finer, finest
    return colors


def _ranked(keys: list[list[tuple[int, int]]]) -> list[int]:
    """The place of each key among the different ones."""
    whole = [tuple(key) for key in keys]
    rank = {key: at for at, key in enumerate(sorted(set(whole)))}
    return [rank[key] for key in whole]
