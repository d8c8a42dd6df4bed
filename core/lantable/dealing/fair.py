"""egb1/1: tiles that nobody but their seat sees, from a bag whose order nobody knows and nobody chose.

This file is the protocol: what must be written, by whom, in which order, and what it leads to. The group, the proofs
and what is derived from a seat's secret are `egb1`'s; the construction and what it promises are told there.

    event         body            who, when                                                      everybody checks
    toss.commit   {commit}        every seat in turn, when it is to be drawn who starts          -
    toss.open     {nonce}         every seat in turn, once all have committed                    it opens the commitment
    deal.commit   {commit}        every seat in turn, before the first draw                      -
    deal.key      {key…}          every seat in turn, once all have committed                    proof of knowledge
    deal.shuffle  {list}          every seat in turn: the bag at the start, after an exchange,   length, points, no two
                                  and when tiles that were to be drawn are not drawn after all   entries equal
    deal.shares   {shares}        every seat in turn, for the slots that *others* draw           proof of every share
    move          {move, open}    a play: the player's own shares of the tiles it lays           proofs; the tiles are
                                                                                                 those of the move
    move          {move, slots}   an exchange: which slots go back, and no word of what they are the seat holds them
    deal.fault    {shares}        a seat that holds what is no tile, or a tile that is there     proofs, and it is so
                                  twice, in place of what it next has to write: the game stops
    deal.reveal   {seed}          every seat in turn, when play is over                          it opens the commitment

A seat that has left gave its secret (in `leave`): everybody computes its shares from then on, and it is skipped.

A *slot* is one entry of a list of ciphertexts. Lists are numbered through, so a slot's number is never used again, and
"a slot is never assigned twice". What a seat holds is the slots it drew, less those it gave back. A slot whose tile
everybody has seen is *open*; the hidden tiles of a rack are just the seat's slots that are not.

    what is wanted          what must be there before it is answered
    Toss                    commitments, then openings, of every seat
    Draw                    (once: commitments, keys, a shuffle by every seat;) the others' shares of the next slots
    Swap                    the others' shares of the next slots; a shuffle by every seat of the rest and what goes back
    Reveal                  that seat's seed

If a want goes away after shares for it were posted (the seat resigned or left), some seats have said more of the next
slots than they may for whoever draws them then. So the rest of the bag is shuffled once more: new entries, new slots.
"""

# pyright: reportPrivateUsage=false
# The tables below the class are made of its own methods.

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lantable.canonical import Fields, Json
from lantable.dealing import HIDDEN, MAX_TILES, Draw, Moved, Ready, Reveal, Spent, Swap, Toss, Turn, Want, egb1, short
from lantable.dealing.egb1 import Ciphertext, Ciphertexts, KeyPost, Secrets, Share
from lantable.dealing.lots import toss_commit, toss_start
from lantable.errors import IllegalMove, PluginFault, Untrusted

NAME: Final = "egb1/1"
TOSS_COMMIT: Final = "toss.commit"
TOSS_OPEN: Final = "toss.open"
COMMIT: Final = "deal.commit"
KEY: Final = "deal.key"
SHUFFLE: Final = "deal.shuffle"
SHARES: Final = "deal.shares"
FAULT: Final = "deal.fault"
REVEAL: Final = "deal.reveal"
EVENTS: Final = (TOSS_COMMIT, TOSS_OPEN, COMMIT, KEY, SHUFFLE, SHARES, FAULT, REVEAL)


@dataclass(frozen=True, slots=True)
class FairDealing:
    """`egb1/1`."""

    lot: bool = True
    """Whether the lot decides who starts; else it is the first seat, as in a rematch, where the start passes on."""

    @property
    def name(self) -> str:
        return NAME

    @property
    def alone(self) -> bool:
        return False

    def as_json(self) -> Json:
        return {"name": NAME} if self.lot else {"lot": False, "name": NAME}

    @classmethod
    def read(cls, fields: Fields) -> "FairDealing":
        """Raises `Untrusted`."""
        if not fields.has("lot"):
            return cls()
        if fields.value("lot") is not False:
            raise Untrusted("schema", "the lot decides unless it is said not to")
        return cls(lot=False)

    def begun(self, seats: int, tiles: Sequence[str]) -> "FairDeal":
        return FairDeal(seats, tuple(tiles), lot=self.lot)


# -- how far it has come


@dataclass(frozen=True, slots=True)
class Held:
    """A slot that was drawn: by whom, its entry, the hash of the list it stood in, and the others' shares of it."""

    seat: int
    entry: Ciphertext
    listing: bytes
    shares: Mapping[int, bytes]
    tile: int | None = None
    """Number of the tile, once everybody has seen it."""


@dataclass(frozen=True, slots=True)
class Pile:
    """The bag: a list that every seat has shuffled, of which the first `drawn` entries are drawn."""

    entries: Ciphertexts
    first: int = 0
    """Number of the first slot."""
    drawn: int = 0

    @property
    def next(self) -> int:
        """Number of the slot that is drawn next."""
        return self.first + self.drawn

    @property
    def rest(self) -> tuple[Ciphertext, ...]:
        return self.entries.entries[self.drawn :]

    def entry(self, slot: int) -> Ciphertext:
        return self.entries.entries[slot - self.first]


@dataclass(frozen=True, slots=True)
class Stir:
    """A list on its way round the table."""

    entries: Ciphertexts
    by: tuple[int, ...] = ()
    """The seats that have shuffled it."""
    swap: bool = False
    """Whether it holds what an exchange gave back; else it is the start, or the rest of the bag once more."""


@dataclass(frozen=True, slots=True)
class Made:
    """What the home of one table has itself made from the secrets of its seats, so that it need not check it.

    An entry is the whole statement that a check would look at. Each is true, since it was made as the theory of `egb1`
    says, of a list that this table had checked; it says nothing of anything that differs from it in one bit. Nobody
    else is in here: `FairDealer` alone adds to it, and a table that audits or reads has only what it makes itself.
    """

    shares: set[tuple[Turn, bytes, bytes, bytes, Share]] = field(
        default_factory=set[tuple[Turn, bytes, bytes, bytes, Share]]
    )
    """Where, digest of the list, key, C1, and the share."""
    shuffles: set[tuple[bytes, bytes]] = field(default_factory=set[tuple[bytes, bytes]])
    """Digests of a list and of what was made of it."""


@dataclass(frozen=True, slots=True)
class FairDeal:
    """How far it has come, as everybody sees it; see `dealing.Deal`."""

    seats: int
    tiles: tuple[str, ...]
    """The kind of every tile, by its number."""
    lot: bool = True
    wants: tuple[Want, ...] = ()
    over: bool = False
    stopped: bool = False
    """A bad bag was proved."""
    lots: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    """Commitments to a nonce for the toss, by seat, and then the nonces."""
    nonces: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    commits: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    keys: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    shown: Mapping[int, Secrets] = field(default_factory=dict[int, Secrets])
    """Secrets that are none any more: of seats that left, and of all when play is over."""
    gone: frozenset[int] = frozenset()
    pile: Pile | None = None
    stir: Stir | None = None
    shares: Mapping[int, Mapping[int, bytes]] = field(default_factory=dict[int, Mapping[int, bytes]])
    """Shares posted of slots that are being drawn: by slot, by seat."""
    drawing: Mapping[int, int] = field(default_factory=dict[int, int])
    """Which seat draws a slot, fixed by the first share posted for a slot that is being drawn."""
    held: Mapping[int, Held] = field(default_factory=dict[int, Held])
    returning: tuple[int, ...] = ()
    """Slots that an exchange under way gives back."""
    assigned: Mapping[int, int] = field(default_factory=dict[int, int])
    """By slot, in order, who draws it: the draws that are wanted before anything else, or one exchange."""
    events: int = 0
    made: Made = field(default_factory=Made, compare=False, repr=False)
    present: tuple[int, ...] = field(init=False, compare=False)
    """The seats that take part: all that have not left."""
    step: str | None = field(init=False, compare=False)
    """Which of its events comes next; None if nothing is owed now."""
    due: int | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        # Asked dozens of times an event, so it is answered once.
        object.__setattr__(self, "present", tuple(seat for seat in range(self.seats) if seat not in self.gone))
        object.__setattr__(self, "step", self._next_step())
        object.__setattr__(self, "due", None if self.step is None else self._next_to(self.step))

    # -- asking

    @property
    def left(self) -> int:
        return len(self.tiles) if self.pile is None else len(self.pile.rest)

    @property
    def count(self) -> int:
        return self.events

    @property
    def want(self) -> Want | None:
        return self.wants[0] if self.wants else None

    def _next_step(self) -> str | None:
        if self.over or isinstance(self.want, Reveal):
            return REVEAL if self._lacking(REVEAL) else None
        if isinstance(self.want, Toss):
            return TOSS_COMMIT if self._lacking(TOSS_COMMIT) else TOSS_OPEN
        if self.stir is not None:
            return SHUFFLE
        if self.want is None:
            return None
        if self.pile is None:
            return COMMIT if self._lacking(COMMIT) else KEY
        return SHARES

    @property
    def slow(self) -> bool:
        return True

    def _next_to(self, step: str) -> int | None:
        """The first seat that has still to take a step; None if all have."""
        return next((seat for seat in self.present if _LACKS[step](self, seat)), None)

    def _lacking(self, step: str) -> bool:
        """Whether some seat has still to take a step."""
        return self._next_to(step) is not None

    def owed_shares(self, seat: int) -> list[int]:
        """The slots being drawn of which a seat must still post its share, in order."""
        drawing = self.assigned.items()
        return [slot for slot, to in drawing if to != seat and seat not in self.shares.get(slot, ())]

    def hidden(self, seat: int) -> dict[int, Held]:
        """The slots on a seat's rack whose tiles not everybody has seen, in the order of their numbers."""
        mine = ((slot, held) for slot, held in sorted(self.held.items()) if held.seat == seat and held.tile is None)
        return {slot: held for slot, held in mine if slot not in self.returning}

    @property
    def seen(self) -> frozenset[int]:
        """Numbers of the tiles that everybody has seen and that did not go back."""
        return frozenset(held.tile for held in self.held.values() if held.tile is not None)

    def opened(self, held: Held, own: bytes | None = None) -> int | None:
        """Number of the tile in a slot, given its seat's own share unless its secret is known; None for no tile."""
        shares = dict(held.shares)
        if own is not None:
            shares[held.seat] = own
        for seat in self.keys.keys() - shares.keys():
            shares[seat] = egb1.share_of(self.shown[seat].x, held.entry.c1)
        return egb1.open_(held.entry, list(shares.values()), len(self.tiles))

    # -- going on

    def faces(self, wants: Sequence[Want], *, over: bool) -> "FairDeal":
        # Whoever stops playing in the middle of an exchange keeps the tiles it would have given back.
        returning = self.returning if any(isinstance(want, Swap) for want in wants) else ()
        deal = replace(self, wants=tuple(wants), over=over, returning=returning, assigned={})
        if over or (deal.want is not None and not isinstance(deal.want, Draw | Swap)):
            return deal
        return deal._begun() if deal.pile is None else deal._assigning()._minded()

    def _assigning(self) -> "FairDeal":
        """What is wanted now, given out by slots of the bag."""
        if self.pile is None:
            return self
        if isinstance(self.want, Swap):
            to = [self.want.seat] * len(self.want.tiles)
        else:
            to = list[int]()
            for want in self.wants:
                if not isinstance(want, Draw):
                    break
                to += [want.seat] * want.count
        if len(to) > len(self.pile.rest):
            raise PluginFault(f"{len(to)} tiles are wanted from a bag of {len(self.pile.rest)}")
        return replace(self, assigned=dict(enumerate(to, self.pile.next)))

    def _begun(self) -> "FairDeal":
        """Once every seat has posted its key the bag goes round the table for the first time."""
        if self.want is None or self.stir is not None or self._lacking(COMMIT) or self._lacking(KEY):
            return self._stirred()._assigning()
        joint = egb1.joint(self.keys.values())
        return replace(self, stir=Stir(egb1.initial(len(self.tiles), joint)))

    def _minded(self) -> "FairDeal":
        """The bag goes round again for an exchange, and when shares were posted for draws that are none any more."""
        assert self.pile is not None  # noqa: S101 - asked only once there is a bag
        swapping = isinstance(self.want, Swap)
        changed = any(self.assigned.get(slot) != to for slot, to in self.drawing.items())
        if changed or (self.stir is not None and self.stir.swap and not swapping):
            again = Stir(Ciphertexts(self.pile.rest))
            return replace(self, stir=again, shares={}, drawing={})
        if self.stir is not None:
            return self if self.stir.swap else self._stirred()._assigning()
        if swapping and not self._lacking(SHARES):
            back = tuple(self.held[slot].entry for slot in self.returning)
            return replace(self, stir=Stir(Ciphertexts(self.pile.rest[len(self.assigned) :] + back), swap=True))
        return self

    def _stirred(self) -> "FairDeal":
        """The list that has been all round the table is the bag."""
        if self.stir is None or self._lacking(SHUFFLE):
            return self
        first = 0 if self.pile is None else self.pile.first + len(self.pile.entries)
        return replace(self, pile=Pile(self.stir.entries, first), stir=None)

    def answer(self) -> Ready | None:
        want = self.want
        if want is None or (self.stir is not None and not self.stir.swap):
            return None
        return _ANSWERS[type(want)](self, want)

    def _tossed(self, want: Any) -> Ready | None:
        if not self.lot:
            return Ready(want.seats[0], self)
        if self._lacking(TOSS_COMMIT) or self._lacking(TOSS_OPEN):
            return None
        nonces = [self.nonces[seat] for seat in sorted(self.nonces)]
        return Ready(toss_start(nonces, want.seats), replace(self, lots={}, nonces={}))

    def _drawn(self, want: Any) -> Ready | None:
        if self.pile is None:
            return None
        slots = range(self.pile.next, self.pile.next + want.count)
        if any(not {*slots}.isdisjoint(self.owed_shares(seat)) for seat in self.present):
            return None
        deal = self._into_hand(want.seat, slots)
        return Ready((HIDDEN,) * want.count, replace(deal, pile=replace(self.pile, drawn=self.pile.drawn + want.count)))

    def _swapped(self, want: Any) -> Ready | None:
        if self.pile is None or self.stir is None or self._lacking(SHUFFLE):
            return None
        count = len(want.tiles)
        deal = self._into_hand(want.seat, range(self.pile.next, self.pile.next + count))
        held = {slot: there for slot, there in deal.held.items() if slot not in self.returning}
        return Ready((HIDDEN,) * count, replace(deal, held=held, returning=())._stirred())

    def _into_hand(self, seat: int, slots: Iterable[int]) -> "FairDeal":
        assert self.pile is not None  # noqa: S101 - asked only once there is a bag
        listing = self.pile.entries.digest
        drawn = {slot: Held(seat, self.pile.entry(slot), listing, self.shares.get(slot, {})) for slot in slots}
        return replace(
            self,
            held={**self.held, **drawn},
            shares={slot: shares for slot, shares in self.shares.items() if slot not in drawn},
            drawing={slot: to for slot, to in self.drawing.items() if slot not in drawn},
        )

    def _revealed(self, want: Any) -> Ready | None:
        """The rack itself is the rules' to say: all of it has been seen with the seed."""
        return Ready((), self) if want.seat in self.shown else None

    # -- its events

    def take(self, turn: Turn, kind: str, body: Mapping[str, Any]) -> Moved:
        if kind not in _TAKES:
            raise IllegalMove("deal", "this game is dealt by all players together")
        # "written by a seat in place of whatever it next has to write"
        if kind != FAULT and kind != self.step:
            raise IllegalMove("deal", f"the dealing asks for {self.step}" if self.step else "nothing is to be dealt")
        return _counted(_TAKES[kind](self, turn, body))

    def _take_lot(self, turn: Turn, body: Mapping[str, Any]) -> Moved:
        return Moved(replace(self, lots={**self.lots, turn.seat: _bytes(body, TOSS_COMMIT, "commit")}))

    def _take_nonce(self, turn: Turn, body: Mapping[str, Any]) -> Moved:
        nonce = _bytes(body, TOSS_OPEN, "nonce")
        if toss_commit(turn.game, turn.seat, nonce) != self.lots[turn.seat]:
            raise IllegalMove("toss", "this does not open what the seat committed to for the toss")
        return Moved(replace(self, nonces={**self.nonces, turn.seat: nonce}))

    def _take_commit(self, turn: Turn, body: Mapping[str, Any]) -> Moved:
        return Moved(replace(self, commits={**self.commits, turn.seat: _bytes(body, COMMIT, "commit")}))

    def _take_key(self, turn: Turn, body: Mapping[str, Any]) -> Moved:
        post = KeyPost.from_json(body)
        egb1.check_key(turn.game, turn.seat, self.commits[turn.seat], post)
        return Moved(replace(self, keys={**self.keys, turn.seat: post.key}))

    def _take_shuffle(self, turn: Turn, body: Mapping[str, Any]) -> Moved:
        assert self.stir is not None  # noqa: S101 - `step` has said so
        fields = Fields(body, SHUFFLE)
        entries = Ciphertexts.from_json(fields.value("list"))
        fields.done()
        if (self.stir.entries.digest, entries.digest) not in self.made.shuffles:
            egb1.check_list(len(self.stir.entries), entries)
        return Moved(replace(self, stir=replace(self.stir, entries=entries, by=(*self.stir.by, turn.seat))))

    def _take_shares(self, turn: Turn, body: Mapping[str, Any]) -> Moved:
        assert self.pile is not None  # noqa: S101 - `step` has said so
        shares = _shares(body, SHARES, "shares")
        if [share.slot for share in shares] != self.owed_shares(turn.seat):
            raise Untrusted("schema", f"{SHARES}: shares of other slots than those that are being drawn by others")
        posted = dict(self.shares)
        for share in shares:
            self._check_share(turn, self.pile.entries.digest, self.pile.entry(share.slot), share)
            posted[share.slot] = {**posted.get(share.slot, {}), turn.seat: share.point}
        return Moved(replace(self, shares=posted, drawing=self.assigned))

    def _take_fault(self, turn: Turn, body: Mapping[str, Any]) -> Moved:
        if self.stopped:
            # Else whoever owes its seed could write faults for ever in its place.
            raise IllegalMove("deal_fault", "the game was stopped by a bad bag already")
        shares = _shares(body, FAULT, "shares")
        tiles = self._opened(turn, shares)
        if None not in tiles and not self._twice(tiles):
            raise IllegalMove("deal_fault", "the tiles shown are good ones: they do not prove the bag bad")
        return Moved(replace(self, stopped=True))

    def _take_seed(self, turn: Turn, body: Mapping[str, Any]) -> Moved:
        moved, good = self._with_seed(turn.game, turn.seat, _bytes(body, REVEAL, "seed"))
        if not good and not self.stopped:
            raise IllegalMove("deal_fault", "this seat holds what is no tile, or one that is there twice, and hides it")
        return moved

    def _with_seed(self, game: bytes, seat: int, seed: bytes) -> tuple[Moved, bool]:
        """The deal once a seat's seed is known, with the rack it shows; and whether that is a rack of tiles at all."""
        secrets = Secrets(seed, game, seat)
        if secrets.commit != self.commits[seat]:
            raise IllegalMove("seed", "this is not the seed that was committed to before the game")
        if self.keys.get(seat, secrets.public) != secrets.public:
            raise IllegalMove("seed", "the seat's dealing key does not come from this seed")
        deal = replace(self, shown={**self.shown, seat: secrets})
        hidden = self.hidden(seat)
        tiles = [deal.opened(held) for held in hidden.values()]
        if None in tiles or self._twice(tiles):
            return Moved(deal), False
        return deal._showing(seat, dict(zip(hidden, tiles, strict=True))), True

    def moved(self, turn: Turn, body: Mapping[str, Any], spent: Spent, rack: Sequence[str]) -> Moved:
        needed = short(spent.tiles, rack)
        carried = "slots" if spent.tiles and not spent.shown else "open" if needed else None
        if set(body) != {"move"} | ({carried} - {None}):
            raise Untrusted("schema", f"this move must carry {carried or 'nothing'} besides its notation")
        if carried is None:
            return Moved(self)
        return _counted((self._given_back if carried == "slots" else self._laid)(turn, body, spent, needed))

    def _laid(self, turn: Turn, body: Mapping[str, Any], spent: Spent, needed: Counter[str]) -> Moved:
        """ "A play posts the player's own shares and proofs: all see the tiles and that they are the ones drawn." """
        shares = _shares({"open": body["open"]}, "move", "open")
        tiles = self._opened(turn, shares)
        good = [tile for tile in tiles if tile is not None]
        if len(good) != len(tiles) or self._twice(good):
            raise IllegalMove("deal_fault", "what is opened is no tile, or one that is there twice")
        if Counter(self.tiles[tile] for tile in good) != needed:
            raise IllegalMove("not_drawn", "the tiles laid are not the tiles that were drawn")
        return self._showing(turn.seat, {share.slot: tile for share, tile in zip(shares, good, strict=True)})

    def _given_back(self, turn: Turn, body: Mapping[str, Any], spent: Spent, needed: Counter[str]) -> Moved:
        """An exchange names slots: hidden ones stay hidden, of open ones everybody knows the tile."""
        slots = _slots(body["slots"])
        mine = [self.held[slot] for slot in slots if slot in self.held and self.held[slot].seat == turn.seat]
        kinds = Counter(HIDDEN if held.tile is None else self.tiles[held.tile] for held in mine)
        if len(mine) != len(slots) or set(needed) - {HIDDEN} or kinds != Counter(spent.tiles):
            raise IllegalMove("not_in_rack", "the slots given back do not hold those tiles of this seat")
        return Moved(replace(self, returning=slots))

    def left_by(self, game: bytes, seat: int, seed: bytes | None) -> Moved:
        if (seed is None) != (seat not in self.commits or seat in self.shown):
            raise IllegalMove("seed", "a seat that leaves gives the seed it committed to")
        giving = any(self.held[slot].seat == seat for slot in self.returning)
        deal = replace(self, gone=self.gone | {seat}, returning=() if giving else self.returning)
        return _counted(Moved(deal) if seed is None else deal._with_seed(game, seat, seed)[0])

    def _showing(self, seat: int, tiles: Mapping[int, int | None]) -> Moved:
        held = {slot: replace(there, tile=tiles.get(slot, there.tile)) for slot, there in self.held.items()}
        kinds = tuple(self.tiles[tile] for tile in tiles.values() if tile is not None)
        return Moved(replace(self, held=held), seat, kinds)

    def _opened(self, turn: Turn, shares: Sequence[Share]) -> list[int | None]:
        """The tiles in slots of the seat, of which it shows its own shares. Raises as `take`."""
        hidden = self.hidden(turn.seat)
        for share in shares:
            if share.slot not in hidden:
                raise IllegalMove("not_in_rack", "a seat can open only what it holds")
            self._check_share(turn, hidden[share.slot].listing, hidden[share.slot].entry, share)
        return [self.opened(hidden[share.slot], share.point) for share in shares]

    def _twice(self, tiles: Sequence[int | None]) -> bool:
        return len(set(tiles)) != len(tiles) or not self.seen.isdisjoint(tiles)

    def _check_share(self, turn: Turn, listing: bytes, entry: Ciphertext, share: Share) -> None:
        key = self.keys[turn.seat]
        if (turn, listing, key, entry.c1, share) not in self.made.shares:
            egb1.check_share(turn.game, turn.seat, turn.prev, listing, key, entry.c1, share)


def _counted(moved: Moved) -> Moved:
    deal = moved.deal
    assert isinstance(deal, FairDeal)  # noqa: S101 - its own
    return replace(moved, deal=replace(deal, events=deal.events + 1))


def _bytes(body: Mapping[str, Any], kind: str, name: str) -> bytes:
    """The one value of a body, 32 bytes. Raises `Untrusted`."""
    fields = Fields(body, kind)
    value = fields.hex(name, 32)
    fields.done()
    return value


def _shares(body: Mapping[str, Any], kind: str, name: str) -> list[Share]:
    """One or more shares in the order of their slots. Raises `Untrusted`."""
    fields = Fields(body, kind)
    shares = [Share.from_json(item) for item in fields.array(name, MAX_TILES)]
    fields.done()
    _ascending([share.slot for share in shares])
    return shares


def _slots(value: Any) -> tuple[int, ...]:
    """One or more slots in their order. Raises `Untrusted`."""
    items = Fields({"slots": value}, "move").array("slots", MAX_TILES)
    slots = tuple(item for item in items if isinstance(item, int) and not isinstance(item, bool))
    if len(slots) != len(items):
        raise Untrusted("schema", "a slot is a number")
    _ascending(slots)
    return slots


def _ascending(slots: Sequence[int]) -> None:
    if not slots or list(slots) != sorted(set(slots)):
        raise Untrusted("schema", "slots stand in ascending order, each once")


_LACKS: Final[dict[str, Callable[[FairDeal, int], bool]]] = {
    TOSS_COMMIT: lambda deal, seat: seat not in deal.lots,
    TOSS_OPEN: lambda deal, seat: seat not in deal.nonces,
    COMMIT: lambda deal, seat: seat not in deal.commits,
    KEY: lambda deal, seat: seat not in deal.keys,
    SHUFFLE: lambda deal, seat: deal.stir is not None and seat not in deal.stir.by,
    SHARES: lambda deal, seat: bool(deal.owed_shares(seat)),
    REVEAL: lambda deal, seat: seat in deal.commits and seat not in deal.shown,
}
_TAKES: Final[dict[str, Callable[[FairDeal, Turn, Mapping[str, Any]], Moved]]] = {
    TOSS_COMMIT: FairDeal._take_lot,
    TOSS_OPEN: FairDeal._take_nonce,
    COMMIT: FairDeal._take_commit,
    KEY: FairDeal._take_key,
    SHUFFLE: FairDeal._take_shuffle,
    SHARES: FairDeal._take_shares,
    FAULT: FairDeal._take_fault,
    REVEAL: FairDeal._take_seed,
}
_ANSWERS: Final[dict[type, Callable[[FairDeal, Any], Ready | None]]] = {
    Toss: FairDeal._tossed,
    Draw: FairDeal._drawn,
    Swap: FairDeal._swapped,
    Reveal: FairDeal._revealed,
}


# -- once play is over


def owing(deal: FairDeal) -> list[int]:
    """The seats whose secrets the audit lacks."""
    return sorted(deal.commits.keys() - deal.shown.keys())


def conserved(deal: FairDeal) -> bool:
    """Whether slots and bag hold every tile just once, now that every secret is known. O(tiles x seats)."""
    if deal.pile is None:
        return True
    held = (replace(there, shares={}) for there in deal.held.values())
    bag = (Held(0, entry, b"", {}) for entry in deal.pile.rest)
    return Counter(deal.opened(each) for each in (*held, *bag)) == Counter(range(len(deal.tiles)))
