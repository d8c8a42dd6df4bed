"""A dealer for tests: answers what a Binary Scrabble state wants from one seeded, shuffled bag."""

import random
from collections.abc import Callable, Iterator

from lantable.dealing import Draw, Swap, Toss
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import Move, State, answer, play, start

Player = Callable[[RuleSet, State, random.Random], Move]


class SeededBag:
    """All tiles of a rule set in an order that the seed decides."""

    def __init__(self, rules: RuleSet, seed: int) -> None:
        self._rules = rules
        self._random = random.Random(seed)
        self.tiles = [tile.code for tile in rules.tiles.values() for _ in range(tile.count)]
        self._random.shuffle(self.tiles)

    def draw(self, count: int) -> str:
        """The next tiles."""
        drawn, self.tiles = self.tiles[:count], self.tiles[count:]
        return "".join(drawn)

    def settle(self, state: State) -> State:
        """The state once everything it wants has been answered. Racks are all known here."""
        while state.wants:
            want = state.wants[0]
            if isinstance(want, Toss):
                state = answer(self._rules, state, self._random.choice(want.seats))
            elif isinstance(want, Draw):
                drawn = self.draw(want.count)
                while want.one_of and not set(drawn) & set(want.one_of):
                    self.tiles += drawn
                    self._random.shuffle(self.tiles)
                    drawn = self.draw(want.count)
                state = answer(self._rules, state, drawn)
            elif isinstance(want, Swap):
                # 8.1: "the new ones are drawn before the old ones go back".
                drawn = self.draw(len(want.tiles))
                self.tiles += want.tiles
                self._random.shuffle(self.tiles)
                state = answer(self._rules, state, drawn)
            else:
                state = answer(self._rules, state, state.racks[want.seat])
        return state


def states(
    rules: RuleSet, seats: int, seed: int, player: Player, limit: int = 400
) -> Iterator[tuple[State, SeededBag]]:
    """A whole self-play game: every state in which somebody is to move, and the last, each with the bag."""
    bag = SeededBag(rules, seed)
    rng = random.Random(seed)
    state = bag.settle(start(rules, seats))
    for _ in range(limit):
        yield state, bag
        if state.to_move is None:
            return
        state = bag.settle(play(rules, state, state.to_move, player(rules, state, rng)))
    raise AssertionError("the game does not end")
