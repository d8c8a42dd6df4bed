"""One game as one seat (or a spectator) lives it: messages in, effects out. No I/O.

Live play, retry, resume, late joining and watching are one idempotent loop. Each side says where its copy
ends (HEAD); whoever is ahead sends every line after it and every acknowledgement the other lacks; what does
not fit yet is dropped, and the next HEAD brings it back.

A session is a serial actor: `receive`, `beat`, `write` … each return effects, which must be carried out in
order, one after the other, before the next input is handed in. A crash may fall between any two of them. From
this the order of writing follows, and that a HEAD never speaks of less than is being written. The rules
marked (!) each stand in a method of their own; the simulator in tests/ switches each one off and must find
the fault.

If carrying out an effect fails, the session must be thrown away and built anew from the record.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from lantable import canonical
from lantable.chain import ForkProof, prove_acks, prove_events, read_proof
from lantable.clock import MAX_USED
from lantable.dealing import Dealer, Turn
from lantable.dealing.fair import FAULT
from lantable.errors import IllegalMove, LantableError, Misuse, PluginFault, Untrusted
from lantable.events import (
    Ack,
    Event,
    Nack,
    Notice,
    NoticeKind,
    Seal,
    Signed,
    read_event,
    sign,
)
from lantable.fold import Position, before_takeback
from lantable.keys import PrivateKey, PublicKey, sha256
from lantable.private import eyes, move_body
from lantable.table import Table
from lantable.wording import msg
from lantable_net.effects import Append, Create, Effect, Keep, LinkId, Reckon, Send, SetMark, Tell
from lantable_net.mark import Mark
from lantable_net.messages import NOTHING, Drop, Head, Message, Proof
from lantable_net.news import (
    Acknowledged,
    Agreed,
    Forked,
    OfferClosed,
    Offered,
    Played,
    Refused,
    Settled,
    Stuck,
    Wished,
)
from lantable_net.offers import OFFERS, Closed, Offers, OpenOffer

BATCH_BYTES: Final = 256 * 1024
"""Lines served in answer to one HEAD, a fraction of what a connection's queue holds. The HEAD that ends a batch
asks the other for its own, and so for more."""


class Session:
    """One game at one home. `key` is None for somebody who only watches.

    `clock` gives milliseconds for people, `timer` milliseconds that only ever grow, by which turns are measured.

    A `resumed` session signs nothing new until `_caught_up`; a fresh game has nothing to catch up with.
    """

    def __init__(
        self,
        table: Table,
        key: PrivateKey | None,
        *,
        clock: Callable[[], int],
        timer: Callable[[], int] = lambda: 0,
        mark: Mark | None = None,
        dealer: Dealer | None = None,
        resumed: bool = False,
        evidence: Iterable[Message] = (),
    ) -> None:
        self.table = table
        self.me: int | None = table.chain.owner_of(key.public) if key else None
        self._evidence: list[Message] = list(evidence)
        self.stopped = bool(self._evidence)
        """No more is written: a fork was proved, or an event refused."""
        self._key = key
        self._clock = clock
        self._timer = timer
        self._turn_began = timer()
        """When whoever is due could begin to think, as far as this program can know."""
        self._mark = mark
        self._dealer = dealer
        self._settled = not resumed
        self._refusals: dict[bytes, Nack] = {}
        """Refusals that came before the event they speak of, by its hash."""
        self._early: dict[int, Ack] = {}
        """Acknowledgements of the next event by seat: with three seats they may overtake it on another link."""
        self._links: dict[LinkId, PublicKey] = {}
        self._heard: dict[int, Head] = {}
        """By owner, the HEAD received since the start on the newest connection from that key."""
        self._said: dict[int, Head] = {}
        """By owner, the latest HEAD on any connection: who has the whole game has it, whatever becomes of the links."""
        self._told: dict[LinkId, int] = {}
        """What of ours the HEAD we last sent on a link covered, in lines."""
        self._wishes: dict[NoticeKind, int | None] = {}
        self._notices: dict[tuple[int, NoticeKind], Notice] = {}
        self.offers = Offers()

    # -- asking

    @property
    def game(self) -> bytes:
        return self.table.chain.game

    @property
    def may_sign(self) -> bool:
        """Whether this seat may sign anything new now."""
        chain = self.table.chain
        return self._settled and not self.stopped and self.me is not None and self.me in chain.present()

    @property
    def my_turn(self) -> bool:
        """Whether this seat may write the next event now."""
        due = self.table.position.due
        mine = due is not None and self._owner(due) == self.me and self.table.chain.sealed
        return mine and self.may_sign and not self._marked_beyond()

    @property
    def elapsed(self) -> int:
        """Milliseconds that whoever is due has been thinking, by our clock; 0 where nothing is timed.

        A turn begins when the event before has its K line, so nobody pays for the acknowledgements of others, and
        after a start when this program knows where the game stands.
        """
        ticking = self.table.chain.sealed and self.table.position.timed and not self.stopped
        return min(self._timer() - self._turn_began, MAX_USED) if ticking else 0

    def left(self, seat: int) -> int | None:
        """Milliseconds that a seat has left now, by our clock; None without clocks. Below zero is overtime."""
        position = self.table.position
        if position.clocks is None:
            return None
        return position.clocks.left[seat] - (self.elapsed if position.mover == seat else 0)

    def has_link(self, link: LinkId) -> bool:
        """Whether this game is spoken of on a connection."""
        return link in self._links

    @property
    def position(self) -> Position:
        """Where the game stands, as whoever sits here sees it."""
        return self.mine(self.table.position)

    def mine(self, position: Position) -> Position:
        """A position with the hidden tiles of my own seats seen. For the person only: it never goes into a fold."""
        mine = (seat for seat, owner in enumerate(position.owners) if owner == self.me)
        return eyes(position, self._dealer, mine)

    def everyone_has_it(self) -> bool:
        """Whether the game is complete here and every other seat said the same of its copy.

        Whoever only reads holds nothing that another could lack, and need not ask.
        """
        chain = self.table.chain
        said = [self._said.get(owner) for owner in self._others()] if self.me in chain.present() else []
        return self.table.complete and all(head is not None and head.sealed and head.seq == chain.seq for head in said)

    def missing(self) -> frozenset[int]:
        """Owners without a connection that the game needs."""
        linked = {self.table.chain.owner_of(key) for key in self._links.values()}
        return frozenset(owner for owner in self._others() if owner not in linked)

    def unheard(self) -> frozenset[int]:
        """After a start: owners whose HEAD is still awaited."""
        return frozenset() if self._settled else frozenset(o for o in self._others() if o not in self._heard)

    def head(self) -> Head:
        """Where this copy ends."""
        chain = self.table.chain
        file = None
        if self.table.complete:
            file = sha256(*(line + b"\n" for line in chain.lines()))
        acks = frozenset[int]() if chain.sealed else frozenset(self.table.acks)
        return Head(chain.game, chain.seq, chain.last.h, chain.sealed, acks, file)

    # -- inputs

    def begin(self, links: Mapping[LinkId, PublicKey]) -> list[Effect]:
        """The first effects of a fresh game, whose table holds event 0 alone: write it down, then say so.

        HEADs follow, since what others said of this game before it existed here was dropped.
        """
        self._links.update(links)
        chain = self.table.chain
        create = Create(chain.last.line)
        if self._owner(chain.last.event.seat) == self.me:
            disk: list[Effect] = [create, self._marked(Mark.of(chain.last, author=True))]
            effects = self._disk_then_send(disk, self._to_seats(chain.last))
        else:
            effects = [create] if self.me is None else self._acknowledged(create)
        return [*effects, *self._sealed_if_ready(), *self._owed(), *self.beat()]

    def link_up(self, link: LinkId, key: PublicKey) -> list[Effect]:
        """A new authenticated connection; the caller has closed the older one from this key before (!)."""
        self._links[link] = key
        owner = self.table.chain.owner_of(key)
        if owner is not None:
            # "each received on the newest connection to it"
            self._heard.pop(owner, None)
        sends: list[Effect] = [Send(link, notice) for notice in self._own_notices()]
        return [self._head_to(link), *sends, *(Send(link, message) for message in self._evidence)]

    def link_down(self, link: LinkId) -> None:
        """A connection ended."""
        self._links.pop(link, None)
        self._told.pop(link, None)

    def beat(self) -> list[Effect]:
        """A heartbeat: (!) HEAD goes out in every one."""
        return [self._head_to(link) for link in self._links]

    def receive(self, link: LinkId, message: Message) -> list[Effect]:
        """A message about this game. Raises `Untrusted` if the peer sent what no honest peer sends."""
        if link not in self._links or (self.stopped and not isinstance(message, Head)):
            return []
        effects = self._dispatch(link, message)
        return effects + self._settle() + self._owed()

    def write(self, kind: str, body: dict[str, Any]) -> list[Effect]:
        """Write the next event as the seat that is due. Raises `IllegalMove` or `Misuse` and changes nothing."""
        self._must_sign()
        event = self._draft(kind, body)
        if self._owner(event.seat) != self.me:
            raise IllegalMove("not_your_turn", msg("it is player {seat}'s turn", seat=event.seat + 1))
        if kind == "move" and self._dealer is not None:
            turn = Turn(event.game, event.prev, event.seat, event.seq)
            carried = move_body(self.table.position, self._dealer, turn, body["move"])
            event = replace(event, body={**event.body, **carried})
        return self._commit(event) + self._owed()

    def _draft(self, kind: str, body: dict[str, Any]) -> Event:
        return self.table.draft(kind, body, self._clock(), self.elapsed)

    def _must_sign(self) -> None:
        """Raise `Misuse` with the reason why this seat may not sign now, if there is one."""
        if self.stopped:
            raise Misuse(msg("this game was stopped; nothing more can be played in it"))
        if self.me is None:
            raise Misuse(msg("you only watch this game"))
        if self.me not in self.table.chain.present():
            raise Misuse(msg("you have left this game"))
        if not self._settled:
            waiting = ", ".join(msg("player {owner}", owner=owner + 1) for owner in sorted(self.unheard())) or msg(
                "the others"
            )
            raise Misuse(msg("still waiting to hear from {waiting} where the game stands", waiting=waiting))

    def wish(self, kind: NoticeKind, to: int | None = None) -> list[Effect]:
        """State a wish; it is signed anew for each head until `unwish`, or until it is granted.

        Whoever is due writes it down: at once to resign or leave, when all others agree for the rest.
        Raises `Misuse` or `IllegalMove`.
        """
        self._must_sign()
        self._must_make_sense(kind, to)
        if self.my_turn and kind in ("resign", "leave"):
            return self.write(kind, self._own_withdrawal(kind))
        if kind in OFFERS and self._others_in() and self.me is not None:
            offer = OpenOffer(self.me, kind, to)
            standing = self.offers.open.get(kind)
            if standing is None or standing.seat == self.me or standing.to != to:
                self.offers.make(offer)
        self._wishes[kind] = to
        sends = [send for notice in self._own_notices() if notice.kind == kind for send in self._to_seats(notice)]
        return [*sends, *self._owed()]

    def _must_make_sense(self, kind: NoticeKind, to: int | None) -> None:
        """Raise `IllegalMove` for a wish that nobody could ever grant."""
        position = self.table.position
        if position.outcome is not None:
            raise IllegalMove("over", msg("the game is over"))
        if to is not None:
            before_takeback(position, to)
        if kind in ("resign", "leave") and not self._seats_in():
            raise IllegalMove("not_in", msg("you are not in the game any more"))

    def unwish(self, kind: NoticeKind) -> list[Effect]:
        """Drop a wish: it is not signed again, though what was signed for this head still counts."""
        self._wishes.pop(kind, None)
        offer = self.offers.open.get(kind)
        return [] if offer is None or offer.seat != self.me else self._drop(offer)

    def answer(self, offer: OpenOffer, *, agree: bool) -> list[Effect]:
        """Agree to another's offer, or decline it. Raises `Misuse` if it is not open any more, and as `wish`."""
        if self.offers.open.get(offer.kind) != offer:
            raise Misuse(msg("that offer is not open any more"))
        return self.wish(offer.kind, offer.to) if agree else self._drop(offer)

    def _drop(self, offer: OpenOffer) -> list[Effect]:
        self._forget(offer)
        return self._to_seats(Drop(self.game, offer.seat, offer.kind))

    def wishes(self) -> dict[int, list[NoticeKind]]:
        """Standing wishes by owner, mine among them."""
        result: dict[int, list[NoticeKind]] = {}
        if self.me is not None and self._wishes:
            result[self.me] = list(self._wishes)
        for seat, kind in self._notices:
            result.setdefault(seat, []).append(kind)
        return result

    # -- what may arrive: one row a message

    def _dispatch(self, link: LinkId, message: Message) -> list[Effect]:
        match message:
            case Head():
                return self._on_head(link, message)
            case Signed():
                return self._on_event(link, message)
            case Seal():
                return self._on_seal(link, message)
            case Ack():
                return self._on_ack(link, message)
            case Notice():
                return self._on_notice(message)
            case Drop():
                return self._on_drop(link, message)
            case Nack():
                return self._on_nack(message)
            case Proof():
                return self._on_proof(message)
            case _:
                raise Untrusted("message", msg("{kind} is not about a game", kind=type(message).__name__))

    def _on_head(self, link: LinkId, head: Head) -> list[Effect]:
        chain = self.table.chain
        if 0 <= head.seq <= chain.seq and chain.events[head.seq].h != head.h:
            # "An ack or HEAD with another hash at a seq I hold: I send my line at that seq"
            return [Send(link, chain.events[head.seq])]
        owner = chain.owner_of(self._links[link])
        if owner is not None:
            self._heard[owner] = self._said[owner] = head
        effects = self._serve(link, head)
        behind = (head.seq, head.sealed) > (chain.seq, chain.sealed)
        if behind and self._told.get(link) != len(chain.events) + len(chain.seals):
            effects.append(self._head_to(link))
        return effects

    def _on_event(self, link: LinkId, signed: Signed) -> list[Effect]:
        chain, seq = self.table.chain, signed.event.seq
        if seq <= chain.seq:
            return self._conflict(link, signed) if signed.line != chain.events[seq].line else []
        if seq > chain.seq + 1 or not chain.sealed:
            return []  # "A line that does not fit yet is dropped; the next HEAD brings it back."
        if signed.event.seat >= len(chain.offer.seats) or not signed.by(chain.key(signed.event.seat)):
            raise Untrusted("signature", f"event {seq} is not signed by its author")
        # From here on the author's own signature stands behind it: what is wrong with it is the author's deed.
        if not self._takes_long():
            return self._judged(link, signed, self._verdict(signed))
        return [
            Reckon(
                lambda: self._verdict(signed),
                lambda verdict: [*self._judged(link, signed, verdict), *self._settle(), *self._owed()],
            )
        ]

    def _takes_long(self) -> bool:
        """Whether the next event is one whose proofs take long to make and to check."""
        deal = self.table.position.deal
        return deal is not None and deal.due is not None and deal.slow

    def _verdict(self, signed: Signed) -> Position | LantableError:
        """What the next event would lead to, or why it may not stand."""
        try:
            return self.table.judge(signed)
        except (Untrusted, IllegalMove, PluginFault) as error:
            return error

    def _judged(self, link: LinkId, signed: Signed, position: Position | LantableError) -> list[Effect]:
        seq = signed.event.seq
        match position:
            case Untrusted(code="link"):
                return self._show(link, self.table.chain.seq)
            case Untrusted(code=code) | IllegalMove(code=code):
                return self._refuse(signed, code)
            case LantableError():
                return [Tell(Stuck(str(position)))]
            case _:
                pass
        if self._mark is not None and not self._mark.allows(seq, signed.h):
            return [
                Tell(Stuck(msg("this seat signed another event {seq} before; it will not sign a second one", seq=seq)))
            ]
        return self._take(signed, position)

    def _on_seal(self, link: LinkId, seal: Seal) -> list[Effect]:
        chain = self.table.chain
        if seal.seq > chain.seq:
            return []
        signed = chain.events[seal.seq]
        if seal.head != signed.h:
            return [Send(link, signed)]
        sha = sha256(signed.line)
        acks = [Ack(chain.game, seal.seq, sha, seat, sig) for seat, sig in seal.sigs.items()]
        return [effect for ack in acks for effect in self._on_ack(link, ack)]

    def _on_ack(self, link: LinkId, ack: Ack) -> list[Effect]:
        chain = self.table.chain
        if ack.seq > chain.seq + 1:
            return []
        if ack.seat >= len(chain.offer.seats) or not ack.by(chain.key(ack.seat)):
            raise Untrusted("signature", f"an acknowledgement of event {ack.seq} is not by its seat")
        if ack.seq == chain.seq + 1:
            self._early[ack.seat] = ack
            return []
        signed = chain.events[ack.seq]
        if ack.sha != sha256(signed.line):
            return [Send(link, signed)]
        known = chain.seals[ack.seq].sigs if ack.seq < len(chain.seals) else self.table.acks
        if proof := prove_acks(chain, signed, known.get(ack.seat, ack.sig), ack.sig, ack.seat):
            return self._stop(proof)
        return self._sealed_if_ready() if self.table.take_ack(ack) else []

    def _on_notice(self, notice: Notice) -> list[Effect]:
        chain = self.table.chain
        if notice.head != chain.last.h:
            return []  # "valid only in the very next event after that head"
        if notice.seat >= len(chain.offer.seats) or not notice.by(chain.key(notice.seat)):
            raise Untrusted("signature", "a wish is not signed by its seat")
        news = (notice.seat, notice.kind) not in self._notices
        if notice.kind in OFFERS:
            return self._on_offer(notice, OpenOffer(notice.seat, notice.kind, notice.to))
        self._notices[notice.seat, notice.kind] = notice
        return [Tell(Wished(notice))] if news else []

    def _on_offer(self, notice: Notice, offer: OpenOffer) -> list[Effect]:
        """An offer, an offer signed anew, or agreement to one."""
        standing, effects = self.offers.open.get(offer.kind), list[Effect]()
        known = (notice.seat, notice.kind) in self._notices
        if standing is not None and standing.to != offer.to:
            if offer.seat > standing.seat:
                return []  # they crossed, and its own seat will see that another's came first
            effects = self._closed(standing, Closed.WITHDRAWN if standing.seat == offer.seat else Closed.CROSSED)
            standing = None
        if standing is not None:
            self._notices[notice.seat, notice.kind] = notice
            agrees = standing.seat != offer.seat and not known
            return [*effects, *([Tell(Agreed(offer.seat, standing))] if agrees else [])]
        if self.offers.spent(offer) or not self._could_grant(offer):
            return [*effects, *self._to_seats(Drop(self.game, offer.seat, offer.kind))]
        self.offers.make(offer)
        self._notices[notice.seat, notice.kind] = notice
        return [*effects, Tell(Offered(offer))]

    def _could_grant(self, offer: OpenOffer) -> bool:
        try:
            self._must_make_sense(offer.kind, offer.to)
        except LantableError:
            return False
        return True

    def _on_drop(self, link: LinkId, drop: Drop) -> list[Effect]:
        """ "y 17" or "n 17" name an offer, so it must go away when it is answered or withdrawn elsewhere."""
        offer, by = self.offers.open.get(drop.kind), self.table.chain.owner_of(self._links[link])
        if offer is None or offer.seat != drop.seat:
            return []
        return self._closed(offer, Closed.WITHDRAWN) if by == offer.seat else self._closed(offer, Closed.DECLINED, by)

    def _closed(self, offer: OpenOffer, why: Closed, by: int | None = None) -> list[Effect]:
        self._forget(offer)
        return [Tell(OfferClosed(offer, why, by))]

    def _forget(self, offer: OpenOffer) -> None:
        """An offer is closed, with all that was said to it."""
        self.offers.close(offer)
        self._wishes.pop(offer.kind, None)
        self._notices = {at: notice for at, notice in self._notices.items() if notice.kind != offer.kind}

    def _closed_by_event(self) -> list[Effect]:
        """Close what the last event answered: whoever plays on has answered too."""
        event, effects = self.table.chain.last.event, list[Effect]()
        over = self.table.position.due is None
        for offer in list(self.offers.open.values()):
            if event.type == offer.kind:
                effects += self._closed(offer, Closed.GRANTED)
            elif event.type == "move" and self._owner(event.seat) != offer.seat:
                effects += self._closed(offer, Closed.PLAYED_ON)
            elif over or not self._could_grant(offer):
                effects += self._closed(offer, Closed.TOO_LATE)
        return effects

    def _on_nack(self, nack: Nack) -> list[Effect]:
        chain = self.table.chain
        if nack.seat >= len(chain.offer.seats) or not nack.by(chain.key(nack.seat)):
            raise Untrusted("signature", "a refusal is not signed by its seat")
        if nack.seq > chain.seq:
            self._refusals = {nack.h: nack}
            return []
        held = chain.events[nack.seq]
        return self._end_with(held, nack) if held.h == nack.h else []

    def _on_proof(self, message: Proof) -> list[Effect]:
        return self._stop(read_proof(message.proof, self.table.chain))

    # -- serving

    def _serve(self, link: LinkId, head: Head) -> list[Effect]:
        """(!) Whoever is ahead sends every line after it and every ack the other lacks, whoever signed it."""
        chain = self.table.chain
        reader_only = self._only_reads(link)
        effects: list[Effect] = []
        if NOTHING < head.seq < len(chain.seals) and not head.sealed:
            effects.append(Send(link, chain.seals[head.seq]))
        last, budget = head.seq, BATCH_BYTES
        while last < chain.seq and budget > 0:
            last += 1
            event = chain.events[last]
            budget -= len(event.line)
            if last < len(chain.seals):
                effects += [Send(link, event), Send(link, chain.seals[last])]
            elif not reader_only:
                # "Lines without their K line go to seats only, never to spectators."
                effects.append(Send(link, event))
        if last < chain.seq:
            effects.append(self._head_to(link))
        elif not chain.sealed and not reader_only and (head.seq, head.sealed) <= (chain.seq, False):
            theirs = head.acks if head.seq == chain.seq else frozenset[int]()
            effects += [Send(link, ack) for ack in self._acks_held() if ack.seat not in theirs]
        return effects

    def _show(self, link: LinkId, seq: int) -> list[Effect]:
        """Send my lines at `seq`, so that the other side can find where our histories part."""
        chain = self.table.chain
        effects: list[Effect] = [Send(link, chain.events[seq])]
        if seq < len(chain.seals):
            effects.append(Send(link, chain.seals[seq]))
        return effects

    def _acks_held(self) -> list[Ack]:
        chain = self.table.chain
        sha = sha256(chain.last.line)
        return [Ack(chain.game, chain.seq, sha, seat, sig) for seat, sig in sorted(self.table.acks.items())]

    def _head_to(self, link: LinkId) -> Send:
        chain = self.table.chain
        self._told[link] = len(chain.events) + len(chain.seals)
        return Send(link, self.head())

    def _to_seats(self, message: Message) -> list[Effect]:
        """(!) Lines and acks go to every seat, never only to the author."""
        return [Send(link, message) for link in self._links if not self._only_reads(link)]

    def _to_readers(self, messages: Iterable[Message]) -> list[Effect]:
        reading = [link for link in self._links if self._only_reads(link)]
        return [Send(link, message) for link in reading for message in messages]

    def _only_reads(self, link: LinkId) -> bool:
        """A spectator's connection; also that of a seat that left: "it is served like a spectator"."""
        return self.table.chain.owner_of(self._links[link]) not in self.table.chain.present()

    # -- writing

    def _disk_then_send(self, disk: list[Effect], sends: list[Effect]) -> list[Effect]:
        """(!) The order of writing: one write, sync, mark, and only then anything leaves this machine.

        The mark comes after the line: a mark of something never written and never sent would forbid this seat
        for ever to acknowledge what a restored author honestly signs in its place.
        """
        return [*disk, *sends]

    def _marked_beyond(self) -> bool:
        """Whether this seat already signed something at the next number, of which no copy is at hand."""
        return self._mark is not None and self._mark.seq > self.table.chain.seq

    def _marked(self, mark: Mark) -> SetMark:
        """Raise the mark; it never goes back, even when an older acknowledgement is given again."""
        if self._mark is None or mark.seq >= self._mark.seq:
            self._mark = mark
        return SetMark(self._mark.write())

    def _commit(self, event: Event) -> list[Effect]:
        """Sign an event of mine, judge it as if it were anybody's, and write it down."""
        if self._marked_beyond():
            raise Misuse(
                msg("this seat signed another event {seq} before; it will not sign a second one", seq=event.seq)
            )
        return self._publish(*self._signed(event))

    def _signed(self, event: Event) -> tuple[Signed, Position]:
        assert self._key is not None  # noqa: S101 - may_sign implies a key
        signed = sign(event, self._key)
        return signed, self.table.judge(signed)

    def _publish(self, signed: Signed, position: Position) -> list[Effect]:
        # A third seat may still miss the second's acknowledgement; with the K line before it, the event fits at once.
        before = self._to_seats(self.table.chain.seals[-1]) if len(self._others()) > 1 else []
        self.table.add(signed, position)
        disk: list[Effect] = [Append(signed.line, sync=True), self._marked(Mark.of(signed, author=True))]
        effects = self._disk_then_send(disk, [*before, *self._to_seats(signed)])
        closed = self._forget_wishes()
        return [*effects, Tell(Played(self.mine(position))), *closed, *self._sealed_if_ready()]

    def _take(self, signed: Signed, position: Position) -> list[Effect]:
        """Take another's event that was judged good: write it down, then acknowledge it if I may."""
        seen = self.elapsed if self._settled and self.table.position.timed else None
        self.table.add(signed, position)
        append = Append(signed.line, sync=True)
        closed = self._forget_wishes()
        if nack := self._refusals.pop(signed.h, None):
            return [append, Tell(Played(self.mine(position))), *self._end_with(signed, nack)]
        effects = self._acknowledged(append) if self._owes_ack() else [append]
        for ack in self._early.values():
            self.table.take_ack(ack)
        self._early.clear()
        return [*effects, Tell(Played(self.mine(position), seen)), *closed, *self._sealed_if_ready()]

    def _owes_ack(self) -> bool:
        chain = self.table.chain
        owes = not chain.sealed and self.me in chain.awaited() and self.me not in self.table.acks
        return owes and self.may_sign and (self._mark is None or self._mark.allows(chain.seq, chain.last.h))

    def _acknowledged(self, write: Effect | None) -> list[Effect]:
        """Acknowledge the last event to every seat, writing it down first unless it already is."""
        assert self._key is not None and self.me is not None  # noqa: S101 - asked by _owes_ack
        signed = self.table.chain.last
        ack = Ack.make(signed, self.me, self._key)
        self.table.acks[self.me] = ack.sig
        mark = self._marked(Mark.of(signed, author=False))
        disk: list[Effect] = [mark] if write is None else [write, mark]
        return self._disk_then_send(disk, self._to_seats(ack))

    def _forget_wishes(self) -> list[Effect]:
        """Notices were for the head before; a wish that the event granted is fulfilled."""
        granted = self.table.chain.last.event.type
        self._notices.clear()
        self._wishes = {kind: to for kind, to in self._wishes.items() if kind != granted}
        return self._closed_by_event()

    def _sealed_if_ready(self) -> list[Effect]:
        """Write the K line once every awaited acknowledgement is there."""
        seal = self.table.ready_seal()
        if seal is None:
            return []
        self.table.seal(seal)
        self._turn_began = self._timer()
        chain, position = self.table.chain, self.table.position
        # "K lines need no sync of their own except the last."
        effects: list[Effect] = [Append(seal.line, sync=self.table.complete), Tell(Acknowledged(self.mine(position)))]
        effects += self._to_readers((chain.last, seal))
        if self.table.complete:
            # The others may close their program once they know that everyone has the whole game.
            effects += self.beat()
        for notice in self._own_notices():
            effects += self._to_seats(notice)
        return effects

    # -- after a start

    def _caught_up(self) -> bool:
        """(!) After every start a seat signs nothing new until it holds a HEAD from every other seat that has
        not left, each received on the newest connection to it, and has caught up with them."""
        chain = self.table.chain
        heard = [self._heard.get(owner) for owner in self._others()]
        return all(head is not None and (head.seq, head.sealed) <= (chain.seq, chain.sealed) for head in heard)

    def _settle(self) -> list[Effect]:
        """Once caught up: give again the acknowledgement I owe."""
        if self._settled or self.me is None or self.stopped or not self._caught_up():
            return []
        self._settled = True
        self._turn_began = self._timer()
        effects: list[Effect] = [Tell(Settled(self.position))]
        if self._owes_ack():
            effects += self._acknowledged(None)
        return effects + self._sealed_if_ready()

    def resettle(self) -> list[Effect]:
        """For a resumed game in which every seat shares my key: nobody is left to wait for."""
        return self._settle() + self._owed()

    def _marked_event(self) -> list[Effect]:
        """ "after a start a marked event that no copy holds is appended as it stands, never rebuilt" """
        mark, chain = self._mark, self.table.chain
        if mark is None or mark.line is None or mark.seq != chain.seq + 1 or not chain.sealed or not self.may_sign:
            return []
        try:
            signed = read_event(mark.line)
            return self._publish(signed, self.table.judge(signed))
        except (Untrusted, IllegalMove) as error:
            return [
                Tell(
                    Stuck(
                        msg(
                            "this seat signed an event {seq} that does not fit the others' copies: {error}",
                            seq=mark.seq,
                            error=error,
                        )
                    )
                )
            ]

    # -- wishes

    def _own_notices(self) -> list[Notice]:
        if not self.may_sign or self._key is None or self.me is None or self.table.position.outcome is not None:
            return []
        head = self.table.chain.last.h
        return [
            Notice(
                game=self.game,
                head=head,
                seat=self.me,
                kind=kind,
                to=to,
                seed=self._seed_given(self.me) if kind == "leave" else None,
            ).signed(self._key)
            for kind, to in self._wishes.items()
        ]

    def _owed(self) -> list[Effect]:
        """Write down what others have signed and I, being due, owe: "at once, before what it owes itself"."""
        effects: list[Effect] = []
        while self.my_turn and (event := self._owed_event()) is not None:
            effects += self._commit(event)
        return [*effects, *self._marked_event(), *self._owed_deal()]

    def _owed_event(self) -> Event | None:
        for (seat, kind), notice in sorted(self._notices.items()):
            body: dict[str, Any] | None = {"of": seat, "notice": notice.sig.hex(), **_seed_of(notice)}
            if kind in ("resign", "leave") and (event := self._draft_if_legal(kind, body)):
                return event
        for kind, to in self._wishes.items():
            body = self._own_withdrawal(kind) if kind in ("resign", "leave") else self._agreed_body(kind, to)
            if event := self._draft_if_legal(kind, body):
                return event
        return None

    def _owed_deal(self) -> list[Effect]:
        """What the dealing asks of a seat of mine. It follows from the record and my secret; nobody chooses it."""
        if not self.my_turn or self._dealer is None:
            return []
        if self._takes_long():
            return [Reckon(self._dealt, self._dealt_then)]
        return self._dealt_then(self._dealt())

    def _dealt_then(self, dealt: tuple[Signed, Position] | None) -> list[Effect]:
        return [] if dealt is None else [*self._publish(*dealt), *self._owed()]

    def _dealt(self) -> tuple[Signed, Position] | None:
        """My next event of the dealing, if it owes one, and what it leads to."""
        # Asked again here: what was reckoned before this may have been the very event that was owed.
        event = self._dealt_event() if self.my_turn else None
        return None if event is None else self._signed(event)

    def _dealt_event(self) -> Event | None:
        position, chain = self.table.position, self.table.chain
        due, deal = position.due, position.deal
        if self._dealer is None or deal is None or due is None:
            return None
        turn = Turn(chain.game, chain.next_prev(), due, chain.seq + 1)
        if (bad := self._dealer.fault(deal, turn)) is not None:
            return self._draft(FAULT, bad)
        return self._draft(*self._dealer.owes(deal, turn)) if position.deals else None

    def _own_withdrawal(self, kind: NoticeKind) -> dict[str, Any]:
        """Body of my own resigning or leaving."""
        seat = self._resigning_seat()
        seed = self._seed_given(seat) if kind == "leave" else None
        return {"of": seat} if seed is None else {"of": seat, "seed": seed.hex()}

    def _seed_given(self, seat: int) -> bytes | None:
        """The dealing secret that a seat of mine gives when it leaves, if it is bound to one."""
        deal = self.table.position.deal
        return None if self._dealer is None or deal is None else self._dealer.seed(deal, seat)

    def _agreed_body(self, kind: NoticeKind, to: int | None) -> dict[str, Any] | None:
        """Body of a takeback, draw or stop if every other key agrees to it, else None."""
        agreed = {
            notice.seat: notice.sig.hex()
            for (_, other), notice in self._notices.items()
            if other == kind and notice.to == to
        }
        if not self.table.position.consenters() <= set(agreed):
            return None
        body: dict[str, Any] = {"notices": {str(s): agreed[s] for s in self.table.position.consenters()}}
        return body if to is None else {**body, "to": to}

    def _draft_if_legal(self, kind: str, body: dict[str, Any] | None) -> Event | None:
        """The event, or None if the rules refuse it: another's odd wish must not stop my own move."""
        assert self._key is not None  # noqa: S101 - my_turn implies a key
        if body is None:
            return None
        event = self._draft(kind, body)
        try:
            self.table.judge(sign(event, self._key))
        except LantableError:
            return None
        return event

    def _resigning_seat(self) -> int:
        """Which of my seats resigns: the one that is due if it is mine, else my first that is still in."""
        due, mine = self.table.position.due, self._seats_in()
        return due if due in mine else mine[0]

    def _others_in(self) -> frozenset[int]:
        """Owners but me with a seat that neither resigned nor left."""
        position = self.table.position
        return frozenset(o for seat, o in enumerate(position.owners) if seat not in position.out) - {self.me}

    def _seats_in(self) -> list[int]:
        """My seats that neither resigned nor left."""
        position = self.table.position
        return [s for s, owner in enumerate(position.owners) if owner == self.me and s not in position.out]

    # -- when something is wrong

    def _conflict(self, link: LinkId, signed: Signed) -> list[Effect]:
        """Another event at a number I hold: a proof, or a sign that our histories part earlier."""
        chain, seq = self.table.chain, signed.event.seq
        proof = prove_events(chain, chain.events[seq], signed)
        if proof is not None:
            return self._stop(proof)
        if signed.event.seat >= len(chain.offer.seats) or not signed.by(chain.key(signed.event.seat)):
            raise Untrusted("signature", f"event {seq} is not signed by its author")
        return self._show(link, seq - 1) if seq > 0 else []

    def _stop(self, proof: ForkProof) -> list[Effect]:
        """Write the proof down, spread it, and stop."""
        self.stopped = True
        value = proof.as_json()
        keep = Keep("proof", canonical.write(value))
        return [keep, *self._spread(Proof(self.game, value)), Tell(Forked(proof))]

    def _spread(self, message: Message) -> list[Effect]:
        """(!) Evidence goes to every seat and spectator, those connected now and those who come later."""
        self._evidence.append(message)
        return [Send(link, message) for link in self._links]

    def _refuse(self, signed: Signed, code: str) -> list[Effect]:
        """The author signed what the rules forbid: say so under signature, keep both, and stop."""
        if not self.may_sign or self._key is None or self.me is None:
            return []
        nack = Nack(self.game, signed.event.seq, signed.h, code, self.me).signed(self._key)
        return self._end_with(signed, nack)

    def _end_with(self, signed: Signed, nack: Nack) -> list[Effect]:
        self.stopped = True
        refused = canonical.write({"line": signed.line.decode(), "nack": nack.as_json()})
        return [Keep("refused", refused), *self._spread(nack), Tell(Refused(nack))]

    def _others(self) -> frozenset[int]:
        return self.table.chain.present() - ({self.me} if self.me is not None else frozenset())

    def _owner(self, seat: int) -> int:
        return self.table.chain.owners[seat]


def _seed_of(notice: Notice) -> dict[str, Any]:
    return {} if notice.seed is None else {"seed": notice.seed.hex()}
