"""The engine as `lantable.game.Rules`, dealt and explained, and the two games on offer.

A view is a state in which the tiles of other seats are `HIDDEN`, wherever they stand: on racks, among what is to be
swapped, and on the rack a play that may still be challenged would go back to. Once the game is over nothing is.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from lantable.canonical import Json
from lantable.dealing import HIDDEN, Answer, Spent, Swap, Want
from lantable.errors import IllegalMove, Misuse
from lantable.game import Assessed, Explanation, Game, HouseRule, Look, OptionValue, Outcome, Picture, Rules, Sketch
from lantable.wording import verbatim
from lantable_binary_scrabble import composing, generator, opponents, tutor
from lantable_binary_scrabble import state as engine
from lantable_binary_scrabble.composing import Draft
from lantable_binary_scrabble.notation import read_faces, read_move, read_position, show_move, show_position
from lantable_binary_scrabble.picture import WIDTHS, fitted, picture
from lantable_binary_scrabble.placement import Placement, unchecked
from lantable_binary_scrabble.reading import aloud
from lantable_binary_scrabble.rules_text import BINARY_TEXT, NUMBER_TEXT
from lantable_binary_scrabble.ruleset import BINARY, NUMBER, PRESETS, Kind, RuleSet
from lantable_binary_scrabble.shadow import shadow
from lantable_binary_scrabble.state import ACCEPT, CHALLENGE, PASS, Exchange, Move, State
from lantable_binary_scrabble.tables import Change
from lantable_binary_scrabble.wording import msg, msgs


@dataclass(frozen=True, slots=True)
class Scrabble:
    """One game of the family by its rule set."""

    rules: RuleSet
    pause: Callable[[], None] = field(default=generator.nothing, compare=False, repr=False)
    """Called again and again during long work, and may raise to end it."""

    def pausing(self, pause: Callable[[], None]) -> "Scrabble":
        return replace(self, pause=pause)

    # -- play

    def start(self, seats: int) -> State:
        return engine.start(self.rules, seats)

    def to_move(self, state: State) -> int | None:
        return state.to_move

    def play(self, state: State, seat: int, move: str) -> State:
        """Raises `IllegalMove` with a code of section 9 of the rules, or of `parse`."""
        return engine.play(self.rules, state, seat, read_move(self.rules, move))

    def legal(self, state: State, seat: int) -> Iterator[str]:
        """Words first, then placements, then exchanges. A stream: a rack with blanks can have 300,000 placements.

        Under a challenge rule wrong equations may be laid too; they are not listed.
        """
        for move in self._legal(state) if seat == state.to_move else ():
            yield show_move(self.rules, move)

    def analyse(self, view: State, seat: int, count: int, also: Sequence[str]) -> Sequence[Assessed]:
        """Placements by their score. None if the rack is not seen, or a play must be accepted or challenged first."""
        if view.phase != "play" or view.pending is not None or seat != view.turn or HIDDEN in view.racks[seat]:
            return ()
        best = generator.best(self.rules, view.board, view.racks[seat], count, self.pause)
        scores = {show_move(self.rules, move.placement): move.score for move in best}
        scores |= {move: self._score(view, seat, move) for move in also if move not in scores}
        return [Assessed(move, msgs("{n} point", "{n} points", score), score) for move, score in scores.items()]

    def _score(self, view: State, seat: int, move: str) -> int:
        read = read_move(self.rules, move)
        if not isinstance(read, Placement):
            return 0
        # What may be challenged can be played without being an equation.
        return unchecked(self.rules, view.board, view.racks[seat], read.on(view.board))[0]

    def set_up(self, text: str) -> State:
        """Raises `Untrusted`."""
        return read_position(self.rules, text)

    def _legal(self, state: State) -> Iterator[Move]:
        if state.pending is not None:
            yield from (CHALLENGE, ACCEPT)
        if state.phase != "play":
            return
        yield PASS
        # Other seats' tiles stay unseen in a view; this seat's own rack never is.
        rack = state.racks[state.turn].replace(HIDDEN, "")
        for found in generator.moves(self.rules, state.board, rack, self.pause):
            yield found.placement
        yield from map(Exchange, self._exchanges(state))

    def _exchanges(self, state: State) -> Iterator[str]:
        bag = engine.bag_after_pending(self.rules, state)
        if bag >= self.rules.settings.rack_size:
            rack = state.racks[state.turn].replace(HIDDEN, "")
            for count in range(1, len(rack) + 1):
                yield from sorted({"".join(tiles) for tiles in combinations(rack, count)})

    def withdraw(self, state: State, seat: int) -> State:
        """Raises `IllegalMove` with code `over` or `not_in`."""
        if state.phase == "over":
            raise IllegalMove("over", msg("the game is over"))
        if seat not in state.seats_in():
            raise IllegalMove("not_in", msg("player {seat} is not in the game", seat=seat + 1))
        return engine.withdraw(self.rules, state, seat)

    def standing(self, state: State) -> Outcome:
        return engine.standing(state)

    # -- the bag

    @property
    def only_alone(self) -> str:
        """8.7: "Only where one machine deals": who deals together sees no rack that could be dealt again."""
        return "redraw_dead_opening" if self.rules.settings.redraw_dead_opening else ""

    def bag(self) -> Sequence[str]:
        return [tile.code for tile in self.rules.tiles.values() for _ in range(tile.count)]

    def wants(self, state: State) -> Sequence[Want]:
        return state.wants

    def answer(self, state: State, answer: Answer) -> State:
        return engine.answer(self.rules, state, answer)

    def rack(self, state: State, seat: int) -> Sequence[str]:
        return tuple(state.racks[seat])

    def seen(self, state: State, seat: int, tiles: Sequence[str]) -> State:
        return engine.seen(state, seat, "".join(tiles))

    def spends(self, state: State, seat: int, move: str) -> Spent:
        match read_move(self.rules, move):
            case Placement() as placed:
                symbols = (tile.symbol for tile in placed.on(state.board))
                return Spent(tuple("".join(self.rules.tile_of.get(symbol, "") for symbol in symbols)), shown=True)
            case Exchange(tiles):
                return Spent(tuple(tiles), shown=False)
            case _:
                return Spent((), shown=True)

    def written(self, state: State, seat: int, move: str) -> str:
        """Of what is exchanged, tiles that everybody has seen are named, and of the others only how many they are."""
        read = read_move(self.rules, move)
        if not isinstance(read, Exchange):
            return move
        named = Counter(read.tiles) & Counter(state.racks[seat].replace(HIDDEN, ""))
        hidden = HIDDEN * (len(read.tiles) - named.total())
        return show_move(self.rules, Exchange("".join(sorted([*named.elements(), *hidden]))))

    # -- going on without a player

    def continued(self, position: str, seats: Sequence[int]) -> State:
        """Raises `Untrusted("position")` or `IllegalMove("from")`."""
        return engine.continued(self.rules, read_position(self.rules, position), seats)

    def bag_left(self, state: State) -> Sequence[str]:
        return engine.bag_left(self.rules, state)

    # -- text and picture

    def parse(self, text: str) -> str:
        """Raises `IllegalMove` with code `notation`, `bad_symbol`, `empty_move` or `off_board`."""
        return show_move(self.rules, read_move(self.rules, text))

    def read(self, state: State, text: str) -> str:
        """As `parse`; tiles in parentheses must lie where they are said to lie, squares that are taken are skipped."""
        return show_move(self.rules, read_move(self.rules, text, state.board))

    def told(self, move: str) -> str:
        """Which tiles were exchanged is nobody else's business; how many is."""
        return f"-{HIDDEN * len(move.removeprefix('-'))}" if move.startswith("-") else move

    def position(self, state: State) -> str:
        return show_position(state)

    def view(self, state: State, seat: int | None) -> State:
        return state if state.phase == "over" else _seen_by(state, seat)

    def revealed(self, state: State) -> State:
        return state

    def gloss(self, view: State) -> Sequence[str]:
        """The decimal shadow of what lies on the board."""
        return tuple(shadow(self.rules, view.board))

    def aloud(self, view: State, part: str) -> str | None:
        return aloud(self.rules, view, part)

    def picture(self, view: State) -> Picture:
        return picture(self.rules, view)

    def widths(self) -> Sequence[int]:
        return WIDTHS

    def fitted(self, view: State, look: Look) -> Picture:
        return fitted(self.rules, view, look)

    def describe(self) -> Json:
        return self.rules.describe()

    # -- a move put together

    def draft(self, view: State, seat: int, before: Draft | None = None) -> Draft:
        return composing.begin(self.rules, view, seat, before)

    def typed(self, draft: Draft, key: str) -> Draft | None:
        return composing.typed(self.rules, draft, key)

    def sketch(self, draft: Draft, look: Look) -> Sketch:
        return composing.sketch(self.rules, draft, look)

    def drafted(self, draft: Draft, move: str) -> Draft:
        return composing.of_move(self.rules, draft, move)

    # -- why

    def explain(self, view: State, seat: int, move: str) -> Explanation:
        """What a move would make and score, or the first thing that is wrong with it, with the working."""
        try:
            read = read_move(self.rules, move, view.board)
            if isinstance(read, Placement):
                laid = read.on(view.board)
                held = view.racks[seat]
                return _told(self.rules, tutor.check_move(self.rules, view.board, held, laid))
            engine.play(self.rules, view, seat, read)
        except IllegalMove as illegal:
            return Explanation(False, (verbatim("{why!c}.", why=illegal.detail),), {"reason": illegal.code})
        return Explanation(True, (msg("That may be played; it scores nothing."),), {"reason": None})


def _seen_by(state: State, seat: int | None) -> State:
    """The state with every tile hidden that this seat, or a spectator, does not see."""
    racks = tuple(rack if holder == seat else HIDDEN * len(rack) for holder, rack in enumerate(state.racks))
    wants = tuple(
        Swap(want.seat, (HIDDEN,) * len(want.tiles)) if isinstance(want, Swap) and want.seat != seat else want
        for want in state.wants
    )
    pending = state.pending
    if pending is not None and pending.seat != seat:
        pending = replace(pending, rack=HIDDEN * len(pending.rack))
    return replace(state, racks=racks, wants=wants, pending=pending)


# -- the tutor


def _told(rules: RuleSet, told: tutor.Explanation) -> Explanation:
    """The tutor's words in the table's form: the sentence, then what helps, then the working."""
    more = [told.mistake, told.hint and verbatim("{hint!c}.", hint=told.hint)]
    lines = (told.sentence, *filter(None, more), *told.working)
    data: Json = told.as_json()
    return Explanation(told.valid, lines, data if isinstance(data, dict) else {})


def explain_text(rules: Rules[Any], text: str) -> Explanation:
    """Whether a typed expression is a valid equation under these rules, and why."""
    assert isinstance(rules, Scrabble)  # noqa: S101 - the game hands in its own
    return _told(rules.rules, tutor.check(read_faces(rules.rules, text), rules.rules))


# -- on offer


def _player(choose: opponents.Player) -> Any:
    def move(rules: Scrabble, view: State, seat: int, seed: bytes) -> str:
        return show_move(rules.rules, choose(rules.rules, view, seat, seed, rules.pause))

    return move


def _game(kind: Kind, titles: Mapping[str, str], rules_text: str) -> Game:
    def make(options: Mapping[str, OptionValue], house_rules: Sequence[HouseRule]) -> Scrabble:
        for rule in house_rules:
            if not isinstance(rule.change, Change):
                raise Misuse(
                    msg("the house rule {name} is not made for {name2}; leave it out", name=rule.name, name2=kind.name)
                )
        return Scrabble(RuleSet(kind, options, [(rule.name, rule.change) for rule in house_rules]))

    return Game(
        id=kind.name,
        version="1.0",
        titles=titles,
        options=kind.options(),
        make=make,
        seats=(2, 4),
        presets=PRESETS,
        opponents={"easy": _player(opponents.easy), "greedy": _player(opponents.greedy)},
        rules_text={"en": rules_text},
        tutor=explain_text,
    )


BINARY_SCRABBLE = _game(
    BINARY, {"en": "Binary Scrabble", "it": "Scarabeo binario", "tr": "İkili Scrabble"}, BINARY_TEXT
)
NUMBER_SCRABBLE = _game(
    NUMBER, {"en": "Number Scrabble", "it": "Scarabeo dei numeri", "tr": "Sayı Scrabble"}, NUMBER_TEXT
)
