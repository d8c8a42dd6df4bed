"""Whole signed records in one line of a test: every key is at hand, so every acknowledgement is given at once.

    lines = play_record(options="size=2x2", seats=3)          a finished game, moves by lot from `seed`
    sitting = Sitting(options="size=5x5"); sitting.play(9)     a game one can steer
    sitting.resign(1); sitting.agree("stop"); sitting.leave(2)
    Sitting("binary-scrabble", fair=True)      hidden tiles, dealt by all seats together
    file(lines)                                                the bytes of the record file

Everything goes through `lantable.table.Table`, as live play does. The same arguments give the same bytes.
`python -m tests.games` writes the golden records and the samples anew (docs/record-format.md says when that is right).
"""

import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, cast

import lantable_binary_scrabble
import lantable_dots_and_boxes
import lantable_rotated_equals
import lantable_xor_tiles
from lantable.clock import Clock
from lantable.dealing import Dealer, Dealing, Turn, dealt
from lantable.dealing.fair import FAULT, FairDealing
from lantable.dealing.fair_dealer import FairDealer
from lantable.dealing.seed import SeedDealer, SeedDealing, commitment
from lantable.errors import IllegalMove
from lantable.events import (
    FLAG,
    NO_GAME,
    NO_LINK,
    Ack,
    Event,
    Notice,
    NoticeKind,
    Offer,
    Seat,
    Signed,
    genesis_body,
    sign,
)
from lantable.fold import Position
from lantable.host import Host
from lantable.keys import PrivateKey, sha256
from lantable.private import eyes, move_body
from lantable.table import Table
from lantable_binary_scrabble.generator import best
from lantable_binary_scrabble.notation import show_move
from lantable_binary_scrabble.rules import Scrabble
from tests import tiles, toy

GOLDEN: Final = Path(__file__).parent / "golden"
SAMPLES: Final = Path(__file__).parent.parent / "console" / "lantable_console" / "samples"
NAMES: Final = ("Ada", "Bob", "Cyd", "Dan")
BEGIN: Final = 1_764_504_000_000
"""30 November 2025 in milliseconds: the tests' clock begins here and gives a second to every event."""


def key(number: int) -> PrivateKey:
    """The tests' key of that number; nobody else should trust it."""
    return PrivateKey(sha256(b"a key of the tests", bytes([number])))


def make_host() -> Host:
    """A host with the games of lantable and the toy game."""
    host = Host()
    host.register(lantable_dots_and_boxes, "dots-and-boxes", "1.0")
    host.register(toy, "count-to", "1.0")
    host.register(lantable_binary_scrabble, "binary-scrabble", "1.0")
    host.register(lantable_rotated_equals, "rotated-equals", "1.0")
    host.register(lantable_xor_tiles, "xor-tiles", "1.0")
    return host


def tile_host() -> Host:
    """The same with the toy game that has a bag."""
    host = make_host()
    host.register(tiles, "lay", "1.0")
    return host


def file(lines: Iterable[bytes]) -> bytes:
    """The bytes of a record file with these lines."""
    return b"".join(line + b"\n" for line in lines)


class Sitting:
    """A game whose players all sit at this test: `table`, and methods that write, sign and seal the next event."""

    def __init__(
        self,
        game: str = "dots-and-boxes",
        options: str = "",
        seats: int = 2,
        *,
        seed: int = 0,
        shared_keys: bool = False,
        fair: bool = False,
        house_rules: tuple[str, ...] = (),
        keys: list[PrivateKey] | None = None,
        names: tuple[str, ...] = NAMES,
        clock: Clock | None = None,
        host: Host | None = None,
        change: Callable[[dict[str, Any]], dict[str, Any]] = lambda offer: offer,
    ) -> None:
        """`change` may rewrite the offer as JSON, to make records that name what does not exist."""
        self.host = host or make_host()
        self._random = random.Random(seed)
        offered = self.host.game(game)
        chosen = offered.read_options(options)
        made, rules, digest = self.host.rules(offered, chosen, house_rules)
        # Without `fair` hidden tiles are dealt by one machine.
        shared_keys = shared_keys or (dealt(made) is not None and not fair)
        self.keys = keys or [key(0 if shared_keys else seat) for seat in range(seats)]
        self.seed = sha256(b"a seed of the tests", seed.to_bytes(8))
        offer = Offer(
            game=offered.id,
            version=offered.version,
            digest=digest,
            options=dict(chosen),
            house_rules=tuple((rule.name, rule.version) for rule in rules),
            seats=tuple(Seat(self.keys[seat].public, names[seat]) for seat in range(seats)),
            nonce=self._nonce(0),
            dealing=self._dealing(fair=fair) if fair or dealt(made) else None,
            clock=clock,
        )
        offer = Offer.from_json(change(offer.as_json()))
        nonces = {owner: self._nonce(owner) for owner in set(offer.owners()) - {0}}
        body = genesis_body(offer, nonces)
        first = Event(game=NO_GAME, prev=NO_LINK, seat=0, seq=0, t=BEGIN, type="genesis", body=body)
        self.table = Table.begin(sign(first, self.keys[0]).line, lambda _: self._rules(game, options, house_rules))
        self.dealers = [self._dealer(seat) for seat in range(seats)]
        self.seal()
        self.deal()

    def _dealing(self, *, fair: bool) -> Dealing:
        return FairDealing() if fair else SeedDealing(commitment(self.seed))

    def _dealer(self, seat: int) -> Dealer | None:
        """What the seat's home knows of the dealing."""
        dealing = self.table.chain.offer.dealing
        if isinstance(dealing, SeedDealing):
            return SeedDealer(self.seed, dealing)
        return None if dealing is None else FairDealer.of(sha256(self.seed, bytes([seat])), self.game, [seat])

    def _rules(self, game: str, options: str, house_rules: tuple[str, ...]) -> Any:
        offered = self.host.game(game)
        return self.host.rules(offered, offered.read_options(options), house_rules)[0]

    def _nonce(self, owner: int) -> bytes:
        return sha256(b"a nonce of the tests", bytes([owner]), self._random.randbytes(8))

    # -- asking

    @property
    def lines(self) -> list[bytes]:
        """The record so far."""
        return self.table.chain.lines()

    @property
    def data(self) -> bytes:
        """The record file so far."""
        return file(self.lines)

    @property
    def game(self) -> bytes:
        return self.table.chain.game

    @property
    def turn(self) -> Turn | None:
        """Where the next event will stand; None once the game is over."""
        chain, due = self.table.chain, self.table.position.due
        return None if due is None else Turn(chain.game, chain.next_prev(), due, chain.seq + 1)

    def seen(self, seat: int) -> Position:
        """Where the game stands, as one seat sees it."""
        return eyes(self.table.position, self.dealers[seat], [seat])

    def copy(self, seed: int = 1) -> "Sitting":
        """A second table with the same history, which may part from this one: the other side of a fork."""
        other: Sitting = object.__new__(Sitting)
        other.host, other.keys, other._random = self.host, self.keys, random.Random(seed)
        other.seed, other.dealers = self.seed, self.dealers
        other.table = Table.load(self.lines, self.host.rules_for)
        return other

    # -- writing

    def draft(self, kind: str, body: dict[str, Any]) -> Signed:
        """The next event, signed by whoever is due."""
        seq = self.table.chain.seq + 1
        used = self._random.randrange(20_000) if self.table.position.timed else 0
        event = self.table.draft(kind, body, self.moment(seq), used)
        return sign(event, self.keys[event.seat])

    moment = staticmethod(lambda seq: BEGIN + 1000 * seq)
    """When event `seq` is written: a second apart, unless a test wants pauses."""

    def write(self, kind: str, body: dict[str, Any]) -> None:
        """The next event with its K line, if the rules allow it."""
        signed = self.draft(kind, body)
        self.table.add(signed, self.table.judge(signed))
        self.seal()
        self.deal()

    def deal(self) -> None:
        """Everything that is to be dealt now."""
        position, turn = self.table.position, self.turn
        if position.deal is None or turn is None or (dealer := self.dealers[turn.seat]) is None:
            return
        if (bad := dealer.fault(position.deal, turn)) is not None:
            self.write(FAULT, bad)
        elif position.deals:
            self.write(*dealer.owes(position.deal, turn))

    def force(self, kind: str, body: dict[str, Any], seat: int | None = None) -> None:
        """The next event with its K line whatever the rules say, perhaps by a `seat` that is not due."""
        chain = self.table.chain
        author = self.table.position.due if seat is None else seat
        seq, prev = chain.seq + 1, chain.next_prev()
        event = Event(game=chain.game, prev=prev, seat=author or 0, seq=seq, t=BEGIN + 1000 * seq, type=kind, body=body)
        chain.add(sign(event, self.keys[author or 0]))
        self.seal()

    def seal(self) -> None:
        """The K line of the last event, signed by everyone it needs."""
        for owner in self.table.chain.awaited():
            assert self.table.take_ack(Ack.make(self.table.chain.last, owner, self.keys[owner]))
        seal = self.table.ready_seal()
        assert seal is not None
        self.table.seal(seal)

    def move(self, move: str | None = None) -> None:
        """One move, by lot among the legal ones unless given."""
        turn = self.turn
        assert turn is not None
        position = self.seen(turn.seat)
        if move is None:
            move = self._random.choice(list(position.rules.legal(position.state, turn.seat)))
        self.write("move", move_body(self.table.position, self.dealers[turn.seat], turn, move))

    def robots(self, name: str, moves: int = 100_000) -> "Sitting":
        """So many moves, or to the end, by the game's computer player of that name."""
        opponent = self.host.game(self.table.chain.offer.game).opponents[name]
        while moves > 0 and (seat := self.table.position.mover) is not None:
            position = self.seen(seat)
            view = position.rules.view(position.state, seat)
            self.move(opponent(position.rules, view, seat, self.seed))
            moves -= 1
        return self

    def play(self, moves: int = 100_000) -> "Sitting":
        """So many moves, or to the end of the game."""
        while moves > 0 and self.table.position.outcome is None:
            self.move()
            moves -= 1
        return self

    def until_late(self) -> "Sitting":
        """Moves, until whoever is to move takes too long and says so."""
        while self.table.position.outcome is None:
            try:
                self.write(FLAG, {})
            except IllegalMove:
                self.move()
        return self

    def resign(self, seat: int) -> "Sitting":
        """`seat` resigns; whoever is due writes it down."""
        return self._withdraw("resign", seat)

    def leave(self, seat: int) -> "Sitting":
        """`seat` leaves; whoever is due writes it down."""
        return self._withdraw("leave", seat)

    def agree(self, kind: NoticeKind, to: int | None = None) -> "Sitting":
        """Everyone agrees to a takeback, a draw or a stop."""
        notices = {str(seat): self._wish(kind, seat, to) for seat in sorted(self.table.position.consenters())}
        self.write(kind, {"notices": notices} if to is None else {"notices": notices, "to": to})
        return self

    def _withdraw(self, kind: NoticeKind, seat: int) -> "Sitting":
        due = self.table.position.due
        assert due is not None
        own, seed = self.keys[due] == self.keys[seat], self._seed_given(kind, seat)
        body: dict[str, Any] = {"of": seat} if own else {"of": seat, "notice": self._wish(kind, seat)}
        self.write(kind, body if seed is None else {**body, "seed": seed.hex()})
        return self

    def _seed_given(self, kind: NoticeKind, seat: int) -> bytes | None:
        dealer, deal = self.dealers[seat], self.table.position.deal
        return None if kind != "leave" or dealer is None or deal is None else dealer.seed(deal, seat)

    def _wish(self, kind: NoticeKind, seat: int, to: int | None = None) -> str:
        chain, seed = self.table.chain, self._seed_given(kind, seat)
        notice = Notice(game=chain.game, head=chain.last.h, seat=seat, kind=kind, to=to, seed=seed)
        return notice.signed(self.keys[seat]).sig.hex()


def play_record(
    game: str = "dots-and-boxes",
    options: str = "size=1x1",
    seats: int = 2,
    seed: int = 0,
    shared_keys: bool = False,
) -> list[bytes]:
    """The lines of a finished game with moves by lot."""
    if game != "dots-and-boxes" and options == "size=1x1":
        options = ""
    return Sitting(game, options, seats, seed=seed, shared_keys=shared_keys).play().lines


def _challenged() -> Sitting:
    """A wrong play that is found, an exchange, and a takeback that goes past no draw."""
    sitting = Sitting("binary-scrabble", "validation=challenge_double", seed=11)
    sitting.robots("greedy", 2)
    sitting.move("pass")
    sitting.move("pass")
    sitting.agree("takeback", sitting.table.position.seq - 1)
    rack = sitting.table.position.state.racks[sitting.table.position.mover]
    sitting.move(f"-{rack[0]}")
    return sitting.robots("greedy", 3).agree("stop")


def _golden() -> dict[str, Sitting]:
    """The golden records by name: every kind of event, of ending and of seating once."""
    return {
        "1x1-two-seats": Sitting(options="size=1x1").play(),
        "2x3-three-seats": Sitting(options="size=2x3", seats=3, seed=1).play(),
        "3x3-four-seats-leave-and-resign": Sitting(options="size=3x3", seats=4, seed=2)
        .play(3)
        .leave(2)
        .play(4)
        .resign(0)
        .play(),
        "2x2-one-machine": Sitting(options="size=2x2", shared_keys=True, seed=3).play(),
        "2x2-takeback-and-draw": Sitting(options="size=2x2", seed=4).play(5).agree("takeback", 3).play(2).agree("draw"),
        "5x5-stopped": Sitting(options="size=5x5", seed=5).play(30).agree("stop"),
        "2x2-resigned-award-rest": Sitting(options="size=2x2,award_rest=yes", seed=6).play(4).resign(1),
        # One for each preset: a later version that scores or deals differently would not find them good.
        "scrabble-training": Sitting("binary-scrabble", "training", seed=8).robots("greedy"),
        "scrabble-standard-three-seats": Sitting("binary-scrabble", "", 3, seed=9)
        .robots("easy", 12)
        .resign(1)
        .robots("greedy"),
        "scrabble-strict-xor": Sitting(
            "binary-scrabble", "strict,redraw_dead_opening=yes", seed=10, house_rules=("xor-tiles", "rotated-equals")
        ).robots("greedy"),
        "scrabble-challenged": _challenged(),
        "number-scrabble": Sitting("number-scrabble", "scoreless_limit=1", seed=12).robots("greedy"),
        "clock-10+5": Sitting(options="size=2x2", seed=20, clock=Clock.read("10+5"))
        .play(3)
        .agree("takeback", 2)
        .play(),
        "clock-ran-out-three-seats": Sitting(options="size=3x3", seats=3, seed=21, clock=Clock.read("30s"))
        .play(5)
        .resign(1)
        .play(),
        "clock-flag": Sitting(options="size=2x2", seed=22, clock=Clock.read("15s/move")).until_late(),
        "clock-penalty": Sitting(options="size=3x3", seed=23, clock=Clock.read("5s+1", "penalty=2")).play(),
        "scrabble-clock-stopped": Sitting("binary-scrabble", seed=24, clock=Clock.read("10s/move", "penalty=10"))
        .robots("greedy", 6)
        .agree("stop"),
        "names": Sitting(options="size=1x1", names=("../../x", "Çağrı 한", "", ""), seed=7).play(),
    }


def _showing(sitting: Sitting, signs: str) -> Sitting:
    """A whole game in which, of the ten best placements, one that matches `signs` is played if there is one."""
    while (seat := sitting.table.position.mover) is not None:
        position = sitting.table.position
        rules, state = cast("Scrabble", position.rules).rules, position.state
        found = [show_move(rules, move.placement) for move in best(rules, state.board, state.racks[seat], 10)]
        shown = [move for move in found if re.search(signs, move.partition(" ")[2])]
        if found:
            sitting.move((shown or found)[0])
        else:
            sitting.robots("greedy", 1)
    return sitting


def _samples() -> dict[str, Sitting]:
    """The records that come with lantable: one with all toggles on, one with turned equals."""
    return {
        "training": _showing(Sitting("binary-scrabble", "training", seed=1), r"x1(?![01])|[+-]0(?![01])"),
        "turned": _showing(Sitting("binary-scrabble", "", seed=2, house_rules=("rotated-equals",)), "H"),
    }


if __name__ == "__main__":
    for folder, sittings in ((GOLDEN, _golden()), (SAMPLES, _samples())):
        for name, sitting in sittings.items():
            (folder / f"{name}.jsonl").write_bytes(sitting.data)
