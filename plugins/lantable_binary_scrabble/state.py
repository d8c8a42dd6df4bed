"""A game being played, as a frozen value: turns, the bag, challenges, the end (section 8 of the rules).

The state never draws. It says what it *wants* from the bag, in order, and gets the answers as values: who starts
(`Toss`), tiles for a seat (`Draw`), tiles for others given back (`Swap`), what is left on a rack (`Reveal`). Nobody
moves while something is wanted. Whoever holds a state may not see every rack: a tile it cannot see is `HIDDEN`, and a
rack is a row of tile codes and hidden tiles. A play shows its tiles; if the rack holds hidden ones they may be those.
The wants and their answers are those of `lantable.dealing`.

    phase    who acts                          what leads out of it
    toss     the bag: who starts               Toss answered
    play     the seat to move                  any turn; the end of the game
    answer   the same seat, under a challenge  challenge or accept
             rule, after what may be the last play
    reveal   the bag: last draws, and racks    all of it answered
             for the account
    over     nobody

Under a challenge rule a play lies on the board but is `pending` until the next seat challenges, accepts, or moves.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lantable.dealing import HIDDEN, Answer, Draw, Reveal, Swap, Toss, Want
from lantable.errors import IllegalMove, Misuse
from lantable.game import Outcome
from lantable_binary_scrabble.board import SIZE, Board
from lantable_binary_scrabble.placement import Placement, judge_laid, unchecked
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.tables import BLANK, EQUALS
from lantable_binary_scrabble.wording import msg

PHASES: Final = ("toss", "play", "answer", "reveal", "over")


# -- moves


@dataclass(frozen=True, slots=True)
class Exchange:
    """Tiles given back for others: tile codes, or `HIDDEN` where they are not told."""

    tiles: str


@dataclass(frozen=True, slots=True)
class Word:
    """`pass`, or an answer under a challenge rule: `challenge`, `accept`."""

    word: str

    def __post_init__(self) -> None:
        if self.word not in ("pass", "challenge", "accept"):
            raise ValueError(f"no move is called {self.word!r}")


PASS: Final = Word("pass")
CHALLENGE: Final = Word("challenge")
ACCEPT: Final = Word("accept")
Move = Placement | Exchange | Word


@dataclass(frozen=True, slots=True)
class Pending:
    """A play that may still be challenged: what to go back to, and whether it was right."""

    seat: int
    score: int
    legal: bool
    board: Board
    rack: str


@dataclass(frozen=True, slots=True)
class State:
    """Where a game stands. `bag` is the number of tiles in it once everything wanted has been drawn."""

    racks: tuple[str, ...]
    scores: tuple[int, ...]
    bag: int
    wants: tuple[Want, ...]
    board: Board = field(default_factory=Board)
    phase: str = "toss"
    turn: int = 0
    scoreless: int = 0
    out: tuple[int, ...] = ()
    """Seats that resigned or left."""
    pending: Pending | None = None
    how: str = ""
    last: tuple[int, ...] = field(default=(), compare=False)
    """The squares of the newest play, for the picture; what comes next does not depend on it."""

    @property
    def to_move(self) -> int | None:
        """Who must move; None while something is wanted from the bag, and when the game is over."""
        return self.turn if self.phase in ("play", "answer") and not self.wants else None

    def seats_in(self) -> list[int]:
        """The seats still playing."""
        return [seat for seat in range(len(self.racks)) if seat not in self.out]


def start(rules: RuleSet, seats: int) -> State:
    """The opening: who starts is tossed, then every rack is drawn. Raises `Misuse` unless 2 to 4 play."""
    if not 2 <= seats <= 4:
        raise Misuse(msg("{name} is for 2 to 4 players, not {seats}", name=rules.kind.name, seats=seats))
    tiles = sum(tile.count for tile in rules.tiles.values())
    return State(("",) * seats, (0,) * seats, tiles, (Toss(tuple(range(seats))),))


def continued(rules: RuleSet, broken: State, seats: Sequence[int]) -> State:
    """The opening of a game that goes on from another with only these of its seats, in order. Raises `IllegalMove`.

    Board and scores stay; "all tiles not on the board go into a new bag, and everyone draws anew". A play that could
    still have been challenged stands.
    """
    if broken.phase not in ("play", "answer") or broken.how:
        raise IllegalMove("from", msg("there is no play yet, or no more, to go on from"))
    if len(seats) < 2 or not {*seats} <= {*broken.seats_in()}:
        raise IllegalMove("from", msg("only players who are still in a game can go on with it, and two at least"))
    if broken.pending is not None:
        broken = replace(_stands(rules, broken), turn=_following(broken) if broken.phase == "answer" else broken.turn)
    first = next(at for at in range(broken.turn, broken.turn + len(broken.racks)) if at % len(broken.racks) in seats)
    scores = tuple(broken.scores[seat] for seat in seats)
    turn = seats.index(first % len(broken.racks))
    state = State(("",) * len(seats), scores, 0, (), broken.board, "play", turn, broken.scoreless)
    state = replace(state, bag=len(bag_left(rules, state)))
    for offset in range(len(seats)):
        state = _refilled(rules, state, (turn + offset) % len(seats))
    return state


def bag_left(rules: RuleSet, state: State) -> list[str]:
    """Every tile that does not lie on the board."""
    left = Counter({tile.code: tile.count for tile in rules.tiles.values()})
    left.subtract(rules.tile_of[symbol] for symbol in state.board.squares if symbol in rules.tile_of)
    return list((+left).elements())


def answer(rules: RuleSet, state: State, given: Answer) -> State:
    """The state after its first want was answered. Raises `Misuse` if that is no answer to it."""
    if not state.wants:
        raise Misuse(msg("nothing is wanted from the bag"))
    want, rest = state.wants[0], state.wants[1:]
    if isinstance(want, Toss):
        if not isinstance(given, int) or given not in want.seats:
            raise Misuse(msg("who starts must be one of {seats}", seats=want.seats))
        return _opened(rules, replace(state, wants=rest, turn=given, phase="play"))
    if isinstance(given, int) or not {*given} <= {*rules.tiles, HIDDEN}:
        raise Misuse(msg("tiles must be tile codes"))
    tiles = "".join(given)
    if isinstance(want, Reveal):
        return _revealed(rules, replace(state, wants=rest), want.seat, tiles)
    count = want.count if isinstance(want, Draw) else len(want.tiles)
    if len(tiles) != count:
        raise Misuse(msg("{count} tiles were wanted, not {tiles}", count=count, tiles=len(tiles)))
    drawn = _with_rack(replace(state, wants=rest), want.seat, state.racks[want.seat] + tiles)
    return _account(rules, drawn) if state.phase == "reveal" else drawn


def _opened(rules: RuleSet, state: State) -> State:
    size, count = rules.settings.rack_size, len(state.racks)
    order = [(state.turn + offset) % count for offset in range(count)]
    # 8.7: with it on, a first rack with "neither `=` nor a blank" is dealt again.
    one_of = (EQUALS, BLANK) if rules.settings.redraw_dead_opening else ()
    wants = tuple(Draw(seat, size, one_of) for seat in order if seat not in state.out)
    return replace(state, wants=wants, bag=state.bag - size * len(wants))


# -- turns


def play(rules: RuleSet, state: State, seat: int, move: Move) -> State:
    """The state after a move. Raises `IllegalMove`."""
    if state.to_move != seat:
        raise IllegalMove("not_your_turn", msg("it is not player {seat}'s turn", seat=seat + 1))
    if isinstance(move, Word) and move.word != "pass":
        if state.pending is None:
            raise IllegalMove("no_play", msg("there is no play to challenge or accept"))
        return _ANSWERS[move.word](rules, state)
    if state.phase == "answer":
        raise IllegalMove("answer", msg("the last play must first be answered: challenge or accept"))
    if state.pending is not None:
        # 8.6: "a play stands until the next player moves or challenges it".
        state = _stands(rules, state)
    if isinstance(move, Placement):
        return _place(rules, state, move)
    return _pass(rules, state) if isinstance(move, Word) else _exchange(rules, state, move)


def _place(rules: RuleSet, state: State, move: Placement) -> State:
    laid = move.on(state.board)
    seat, rack = state.turn, state.racks[state.turn]
    used = "".join(rules.tile_of.get(tile.symbol, "") for tile in laid)
    left = without(rack, used)
    holds = rack if left is None else used
    if rules.settings.validation == "automatic":
        result = judge_laid(rules, state.board, holds, laid)
        score, legal, board = result.score, True, result.board
    else:
        score, legal, board = unchecked(rules, state.board, holds, laid)
    pending = Pending(seat, score, legal, state.board, known(rack, used))
    squares = tuple(tile.row * SIZE + tile.col for tile in laid)
    after = _with_rack(replace(state, board=board, pending=pending, last=squares), seat, left or "")
    if rules.settings.validation == "automatic":
        return _next(rules, _stands(rules, after))
    return _offered(rules, after)


def _offered(rules: RuleSet, state: State) -> State:
    """A play waits for the next seat. 8.6: after what may be the last one, it must answer."""
    last = _stands(rules, state)
    ends = _ended(rules, last)
    return replace(state, turn=_following(state), phase="answer" if ends else "play")


def _stands(rules: RuleSet, state: State) -> State:
    """The pending play counts, and its rack is refilled."""
    done = state.pending
    assert done is not None  # noqa: S101 - callers have looked
    scores = tuple(score + (done.score if seat == done.seat else 0) for seat, score in enumerate(state.scores))
    scoreless = 0 if done.score else state.scoreless + 1
    return _refilled(rules, replace(state, pending=None, scores=scores, scoreless=scoreless), done.seat)


def _refilled(rules: RuleSet, state: State, seat: int) -> State:
    count = min(rules.settings.rack_size - len(state.racks[seat]), state.bag)
    if not count or seat in state.out:
        return state
    return replace(state, wants=(*state.wants, Draw(seat, count)), bag=state.bag - count)


def _challenge(rules: RuleSet, state: State) -> State:
    done = state.pending
    assert done is not None  # noqa: S101 - `play` has looked
    if done.legal:
        stands = _stands(rules, state)
        if _ended(rules, stands) or rules.settings.validation == "challenge_single":
            return _next(rules, replace(stands, turn=done.seat))
        # 8.6: "a wrong challenge costs ... the challenger's next turn under `double`", which "counts as scoring 0".
        return _next(rules, replace(stands, scoreless=stands.scoreless + 1))
    # "A challenged illegal play is taken back and its turn is lost."
    back = _with_rack(replace(state, board=done.board, pending=None), done.seat, done.rack)
    return _next(rules, replace(back, turn=done.seat, scoreless=back.scoreless + 1))


def _accept(rules: RuleSet, state: State) -> State:
    assert state.pending is not None  # noqa: S101 - `play` has looked
    return _next(rules, replace(_stands(rules, state), turn=state.pending.seat))


_ANSWERS: Final[Mapping[str, Callable[[RuleSet, State], State]]] = {"challenge": _challenge, "accept": _accept}


def _pass(rules: RuleSet, state: State) -> State:
    return _next(rules, replace(state, scoreless=state.scoreless + 1))


def _exchange(rules: RuleSet, state: State, move: Exchange) -> State:
    seat = state.turn
    left = check_exchange(rules, state.racks[seat], move.tiles, state.bag)
    after = _with_rack(state, seat, left)
    after = replace(after, wants=(*after.wants, Swap(seat, tuple(move.tiles))), scoreless=state.scoreless + 1)
    return _next(rules, after)


def bag_after_pending(rules: RuleSet, state: State) -> int:
    """Tiles in the bag for whoever moves now: a play that is not challenged stands and is refilled first."""
    return state.bag if state.pending is None else _stands(rules, state).bag


def check_exchange(rules: RuleSet, rack: str, tiles: str, bag: int) -> str:
    """What is left of the rack without the tiles. Raises `IllegalMove`: `empty_move`, `not_in_rack`, `bag_low`."""
    if not tiles:
        raise IllegalMove("empty_move", msg("no tile was named"))
    left = without(rack, tiles)
    if left is None:
        raise IllegalMove("not_in_rack", msg("the rack does not hold these tiles"))
    # 8.1: "while the bag holds at least `rack_size`".
    if bag < rules.settings.rack_size:
        raise IllegalMove(
            "bag_low",
            msg("the bag holds {bag} tiles; exchanging needs {rack_size}", bag=bag, rack_size=rules.settings.rack_size),
        )
    return left


def withdraw(rules: RuleSet, state: State, seat: int) -> State:
    """The state after a seat resigned or left (5.1): it is skipped and cannot win, its tiles stay out of play."""
    out = _unwanted(replace(state, out=(*state.out, seat)), seat)
    if state.phase == "over":
        return out
    if len(last := out.seats_in()) == 1:
        # Whoever is left may have been exchanging.
        return replace(_unwanted(out, last[0]), phase="over", wants=(), pending=None, how="resigned")
    if state.phase == "toss":
        return out
    if state.phase == "reveal":
        return _account(rules, out)
    if state.turn == seat:
        out = replace(out, turn=_following(out))
    # "`scoreless_limit` counts the players still in", so the limit may have been reached just now.
    if out.pending is None and out.scoreless and (how := _ended(rules, out)):
        return _account(rules, replace(out, how=how, phase="reveal"))
    return out


def _unwanted(state: State, seat: int) -> State:
    """Nothing is wanted any more for a seat: tiles reserved for it stay in the bag, given tiles stay with it."""
    wants: list[Want] = []
    bag, rack = state.bag, state.racks[seat]
    for want in state.wants:
        if isinstance(want, Toss):
            wants.append(Toss(tuple(other for other in want.seats if other != seat)))
        elif want.seat != seat:
            wants.append(want)
        elif isinstance(want, Draw):
            bag += want.count
        elif isinstance(want, Swap):
            rack += "".join(want.tiles)
    return _with_rack(replace(state, wants=tuple(wants), bag=bag), seat, rack)


# -- racks


def without(rack: str, tiles: str) -> str | None:
    """The rack less these tiles, hidden ones standing in for what is not seen; None if it cannot hold them."""
    left = Counter(rack)
    left.subtract(tile for tile in tiles)
    short = sum(-count for tile, count in left.items() if count < 0 and tile != HIDDEN)
    left[HIDDEN] -= short
    if left[HIDDEN] < 0:
        return None
    return "".join(sorted((+left).elements()))


def known(rack: str, tiles: str) -> str:
    """The rack once these tiles of it have been seen."""
    left = without(rack, tiles)
    return rack if left is None else "".join(sorted(left + tiles))


def seen(state: State, seat: int, tiles: str) -> State:
    """The state once so many hidden tiles of a rack are known to be these, wherever the rack stands.

    Where a game ends in the middle of an exchange its seat keeps what it would have given back; then these are more
    than the rack hides by just those.
    """
    given = "".join(tile for want in state.wants if isinstance(want, Swap) and want.seat == seat for tile in want.tiles)
    if HIDDEN in given and len(tiles) == (state.racks[seat] + given).count(HIDDEN):
        state = _unwanted(state, seat)
    pending = state.pending
    if pending is not None and pending.seat == seat:
        pending = replace(pending, rack=_unhidden(pending.rack, tiles))
    return _with_rack(replace(state, pending=pending), seat, _unhidden(state.racks[seat], tiles))


def _unhidden(rack: str, tiles: str) -> str:
    # Never a tile of the same kind that was seen before: a rack may hold both.
    return "".join(sorted(rack.replace(HIDDEN, "", len(tiles)) + tiles)) if rack.count(HIDDEN) >= len(tiles) else rack


def _with_rack(state: State, seat: int, rack: str) -> State:
    racks = list(state.racks)
    racks[seat] = "".join(sorted(rack))
    return replace(state, racks=tuple(racks))


# -- the end


def _following(state: State) -> int:
    seats, count = state.seats_in(), len(state.racks)
    return next(seat for offset in range(1, count + 1) if (seat := (state.turn + offset) % count) in seats)


def _next(rules: RuleSet, state: State) -> State:
    """The turn is over: the game ends or the next seat is to move."""
    if how := _ended(rules, state):
        return _account(rules, replace(state, how=how, phase="reveal"))
    return replace(state, turn=_following(state), phase="play")


def _ended(rules: RuleSet, state: State) -> str:
    """8.3: how the game has ended, or ""."""
    if state.bag == 0 and any(not state.racks[seat] and not _draws(state, seat) for seat in state.seats_in()):
        return "played out"
    limit = rules.settings.scoreless_limit * len(state.seats_in())
    return "scoreless turns" if state.scoreless >= limit else ""


def _draws(state: State, seat: int) -> bool:
    return any(not isinstance(want, Toss) and want.seat == seat for want in state.wants)


def _account(rules: RuleSet, state: State) -> State:
    """8.4: the final account, once all that was to be drawn is and every rack it looks at can be seen."""
    if state.wants:
        return state
    hidden = [seat for seat in state.seats_in() if HIDDEN in state.racks[seat]]
    if rules.settings.endgame != "none" and hidden:
        return replace(state, wants=tuple(map(Reveal, hidden)))
    racks = [state.racks[seat] if seat not in state.out else None for seat in range(len(state.racks))]
    return replace(state, phase="over", scores=final_account(rules, state.scores, racks))


def _revealed(rules: RuleSet, state: State, seat: int, tiles: str) -> State:
    if len(tiles) != len(state.racks[seat]) or HIDDEN in tiles or without(state.racks[seat], tiles) != "":
        raise Misuse(msg("these are not the tiles of that rack"))
    return _account(rules, _with_rack(state, seat, tiles))


def final_account(rules: RuleSet, scores: tuple[int, ...], racks: "list[str | None]") -> tuple[int, ...]:
    """8.4: the scores after the account. A rack is "" of who went out, None of who left the game."""
    endgame = rules.settings.endgame
    if endgame == "none":
        return scores
    counted = set(rules.digits) if endgame == "digits_only" else set(rules.tiles)
    worth = [sum(rules.tiles[tile].points for tile in rack or "" if tile in counted) for rack in racks]
    someone = "" in racks
    result: list[int] = []
    for score, rack, points in zip(scores, racks, worth, strict=True):
        if someone and rack == "":
            # "who went out adds the points of all tiles left on the other racks"
            result.append(score + sum(worth))
        else:
            # "the others also subtract their own; if nobody went out, everybody subtracts"
            result.append(score - points if endgame == "scrabble" else score)
    return tuple(result)


def winners(scores: tuple[int, ...], out: tuple[int, ...] = ()) -> tuple[int, ...]:
    """8.5: "Highest total wins; equal totals are a draw." Who left the game cannot win."""
    best = max(score for seat, score in enumerate(scores) if seat not in out)
    return tuple(seat for seat, score in enumerate(scores) if score == best and seat not in out)


def standing(state: State) -> Outcome:
    """Scores and leaders as if the game stopped here."""
    return Outcome(state.scores, winners(state.scores, state.out), state.how or "in play")


def total(rules: RuleSet, state: State) -> Counter[str]:
    """Every tile there is in this state: on the board, on racks, in what is wanted, in the bag (as `HIDDEN`).

    The number is the same in every state of a game.
    """
    tiles: Counter[str] = Counter()
    for symbol in state.board.squares:
        tiles.update(rules.tile_of.get(symbol, ""))
    for rack in state.racks:
        tiles.update(rack)
    wanted = sum(want.count for want in state.wants if isinstance(want, Draw))
    swapped = sum(len(want.tiles) for want in state.wants if isinstance(want, Swap))
    tiles[HIDDEN] += state.bag + wanted + swapped
    return tiles
