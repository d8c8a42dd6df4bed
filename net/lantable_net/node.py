"""Everything one running table knows: its links, the tables it hosts and joins, its games. No I/O.

A node is a serial actor like the sessions inside it: each input returns effects to be carried out in order
before the next input. Two connections to one person, sitting down, agreeing on the rules and the birth of a
game are decided here; from event 0 on a game is its `Session`'s alone. Who may send what, and when, is the table in
`messages`; what a peer sends at another time is ignored, and what no honest peer sends ends its link.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lantable.chain import Chain
from lantable.dealing import Dealer
from lantable.errors import LantableError, Misuse, PluginFault, UnknownRules, Untrusted
from lantable.events import (
    NO_GAME,
    NO_LINK,
    Continued,
    Event,
    Offer,
    Seal,
    Seat,
    Signed,
    genesis_body,
    read_genesis,
    sign,
)
from lantable.keys import PublicKey
from lantable.table import FindRules, Table
from lantable.wording import msg
from lantable_net import messages
from lantable_net.again import Again, going_on_of, rematch_of
from lantable_net.effects import Append, Create, LinkId, Send
from lantable_net.effects import Effect as GameEffect
from lantable_net.effects import Reckon as GameReckon
from lantable_net.effects import Tell as GameTell
from lantable_net.handshake import Identity, Peer
from lantable_net.mark import Mark
from lantable_net.messages import (
    MAX_CHAT,
    MAX_TEXT,
    NOTHING,
    Accept,
    Address,
    Away,
    Beat,
    Bye,
    Chat,
    Decline,
    Head,
    Join,
    Message,
    Proposal,
    Rematch,
    Sender,
    TableInfo,
    Tables,
    Watch,
    game_of,
    sender_of,
)
from lantable_net.news import (
    Asked,
    AskedNoMore,
    Began,
    Declined,
    Met,
    NeverBegan,
    Parted,
    RematchOff,
    RematchWished,
    Said,
    SatDown,
    StoodUp,
    TablesChanged,
    Twice,
    WentAway,
)
from lantable_net.session import Session

MAX_UNKNOWN: Final = 64
"""Games that strangers speak of and this home does not hold: remembered at most so many."""
MAX_LINKS: Final = 64
"""Connections at once whose other side has proved a key, beyond those that a game needs."""
MAX_KNOWN: Final = 1024
"""Keys whose addresses are remembered."""


CROWDED: Final = msg("too many people are connected")
TAKEN: Final = msg("all seats are taken")
RATHER_NOT: Final = msg("the host would rather not")


# -- effects beyond a session's own


@dataclass(frozen=True, slots=True)
class OnDisk:
    """One of a session's effects on the record of a game."""

    game: bytes
    effect: GameEffect


@dataclass(frozen=True, slots=True)
class SetAside:
    """Move away the record of a game that was never begun."""

    game: bytes


@dataclass(frozen=True, slots=True)
class Close:
    """End a connection; the reason is told to the other side and to the person."""

    link: LinkId
    reason: str


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell the person something about a game (`game` is its id) or about the lobby (None)."""

    game: bytes | None
    news: Any


@dataclass(frozen=True, slots=True)
class Reckon:
    """Something pure and slow in a game; see `effects.Reckon`."""

    game: bytes
    find: Callable[[], Any]
    then: Callable[[Any], "list[Effect]"]


Effect = Send | OnDisk | SetAside | Close | Tell | Reckon


# -- what is remembered


@dataclass(slots=True)
class Link:
    """One authenticated connection."""

    peer: Peer
    dialled: bool
    host: str
    port: int = 0
    """Where the other side listens, once it said so."""
    heard: bool = False
    """Whether it has carried a HEAD yet."""
    tables: tuple[TableInfo, ...] = ()
    told: bool = False
    """Whether it has said which tables are open."""
    asked: set[str] = field(default_factory=set[str])
    """Tables of the other side at which we asked for a seat on this connection."""
    away: bool = False
    """Whether the person there is away from the keyboard."""


@dataclass(slots=True)
class OpenTable:
    """A table of ours that waits for players. `offer` and `nonces` exist once the seats are filled."""

    info: TableInfo
    digest: bytes
    watch: bool
    ask: bool = False
    """Whether we are asked about everybody who would like to sit down."""
    private: bool = False
    """Not announced: for the players of a game that is played again."""
    continues: Continued | None = None
    asking: list[LinkId] = field(default_factory=list[LinkId])
    """Who waits for our answer."""
    answered: dict[PublicKey, bool] = field(default_factory=dict[PublicKey, bool])
    """Whom we let sit down, and whom not."""
    guests: list[LinkId] = field(default_factory=list[LinkId])
    offer: Offer | None = None
    nonces: dict[int, bytes] = field(default_factory=dict[int, bytes])


@dataclass(frozen=True, slots=True)
class Accepted:
    """An offer we said yes to, with the nonce that serves its one event 0."""

    offer: Offer
    nonce: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """A game as a home holds it on disk."""

    lines: list[bytes]
    mark: bytes | None
    evidence: tuple[Message, ...] = ()


class Node:
    """One running table.

    `clock` gives milliseconds for people, `timer` milliseconds that only ever grow, `entropy(n)` n random bytes,
    `stored(game)` what the disk holds of a game, `dealer_of(chain)` what we know of the dealing of a game of ours.
    """

    def __init__(
        self,
        identity: Identity,
        find_rules: FindRules,
        *,
        clock: Callable[[], int],
        timer: Callable[[], int] = lambda: 0,
        entropy: Callable[[int], bytes],
        stored: Callable[[bytes], Stored | None] = lambda _: None,
        dealer_of: Callable[[Chain], Dealer | None] = lambda _: None,
        port: int = 0,
    ) -> None:
        self.identity = identity
        self.port = port
        self.links: dict[LinkId, Link] = {}
        self.sessions: dict[bytes, Session] = {}
        self.hosting: dict[str, OpenTable] = {}
        self.away = False
        """Whether the person here is away from the keyboard."""
        self.addresses: dict[PublicKey, tuple[Address, ...]] = {}
        self._find_rules = find_rules
        self._clock = clock
        self._timer = timer
        self._entropy = entropy
        self._stored = stored
        self._dealer_of = dealer_of
        self._by_key: dict[PublicKey, LinkId] = {}
        self._names: dict[str, bytes] = {}
        self._asked: dict[tuple[PublicKey, str], TableInfo] = {}
        self._watching: set[PublicKey] = set()
        self._accepted: dict[bytes, Accepted] = {}
        self._orphans: dict[bytes, tuple[Signed, Head]] = {}
        """Event 0 of games that name a seat of ours, of which we hold neither record nor nonce."""
        self._unknown: dict[tuple[LinkId, bytes], Head] = {}
        self._given_up: set[bytes] = set()
        self._again: dict[Again, set[PublicKey]] = {}
        """Who would like to play a game again, or to go on with it, by what is proposed."""

    # -- asking

    def link_to(self, key: PublicKey) -> LinkId | None:
        """The connection to a key, if there is one."""
        return self._by_key.get(key)

    def wanted(self) -> dict[PublicKey, tuple[Address, ...]]:
        """Keys that a running, beginning or awaited game needs and that are not connected, and where to dial them."""
        keys = [s.table.chain.key(o) for s in self.sessions.values() if not self._over(s) for o in s.missing()]
        keys += [seat.key for accepted in self._accepted.values() for seat in accepted.offer.seats]
        keys += [key for key, _ in self._asked]
        own = self.identity.key.public
        return {key: self.addresses.get(key, ()) for key in keys if key != own and key not in self._by_key}

    @staticmethod
    def _over(session: Session) -> bool:
        return session.stopped or session.me is None or session.everyone_has_it()

    # -- links

    def link_up(self, link: LinkId, peer: Peer, *, dialled: bool, address: Address) -> list[Effect]:
        """A connection whose other side has proved its key."""
        older = self._by_key.get(peer.key)
        if older is not None:
            other = self.links[older]
            if other.peer.home != peer.home:
                twice = msg("this key is already at the table from another data folder")
                return [Close(link, twice), Tell(None, Twice(peer, address))]
            if self._older_stays(other, dialled, peer.key):
                return [Close(link, msg("another connection between us stays"))]
            # (!) "A new authenticated connection from a key first closes the older one and discards its unread bytes."
            effects = self._drop(older, msg("a newer connection took over"))
        elif self.has_room(peer.key, address[0]):
            effects = self._make_room(peer.key, address[0])
        else:
            return [Close(link, CROWDED)]
        self.links[link] = Link(peer, dialled, address[0], address[1] if dialled else 0)
        self._by_key[peer.key] = link
        if dialled:
            self.learn(peer.key, [address])
        effects += [Tell(None, Met(peer, older is not None)), Send(link, self._tables())]
        effects += [Send(link, Away(away=True))] if self.away else []
        for session in self.sessions.values():
            if session.table.chain.owner_of(peer.key) is not None:
                effects += self._of(session, session.link_up(link, peer.key))
        return effects

    # Keys are free to make, so connections need a limit that a crowd cannot turn against others. Places go round
    # fairly by host: a newcomer takes one from the host that has most, its oldest, if that host still has no fewer
    # than the newcomer's own afterwards. So a crowd displaces only itself, and among equals nobody is displaced:
    # whoever is would dial again and displace the next. What a game needs always has a place, and keeps it.

    def has_room(self, key: PublicKey, host: str) -> bool:
        """Whether a connection to this key, from this host, would get a place."""
        return (
            len(self.links) < MAX_LINKS or key in self._by_key or self.needs(key) or self._displaced(host) is not None
        )

    def needs(self, key: PublicKey) -> bool:
        """Whether a game that runs, begins or is awaited needs this key."""
        return (
            any(s.table.chain.owner_of(key) is not None for s in self.sessions.values() if not self._over(s))
            or any(key == seat.key for accepted in self._accepted.values() for seat in accepted.offer.seats)
            or any(key == host for host, _ in self._asked)
            or key in self._watching
            or any(self._by_key.get(key) in table.guests for table in self.hosting.values())
        )

    def _make_room(self, key: PublicKey, host: str) -> list[Effect]:
        """Drop whoever makes way for a newcomer, if somebody must."""
        displaced = self._displaced(None if self.needs(key) else host) if len(self.links) >= MAX_LINKS else None
        if displaced is None:
            return []
        peer = self.links[displaced].peer
        return [*self._drop(displaced, CROWDED), Tell(None, Parted(peer))]

    def _displaced(self, host: str | None) -> LinkId | None:
        """The link that makes way for a newcomer from this host (None: for whoever a game needs), if one does."""
        idle = {link: known.host for link, known in self.links.items() if not self.needs(known.peer.key)}
        ((crowd, most),) = Counter(idle.values()).most_common(1) or [("", 0)]
        fewer = host is None or sum(other == host for other in idle.values()) + 1 < most
        return next((link for link, other in idle.items() if other == crowd), None) if fewer else None

    def _older_stays(self, older: Link, dialled: bool, theirs: PublicKey) -> bool:
        """ "if both sides dial at once, the connection dialled by the smaller key stays", until it carried a HEAD"""
        smaller_dialled = older.dialled == (self.identity.key.public < theirs)
        return older.dialled != dialled and smaller_dialled and not older.heard

    def link_down(self, link: LinkId) -> list[Effect]:
        """A connection ended."""
        return self._drop(link, None)

    def _drop(self, link: LinkId, reason: str | None) -> list[Effect]:
        known = self.links.pop(link, None)
        if known is None:
            return []
        del self._by_key[known.peer.key]
        self._unknown = {at: head for at, head in self._unknown.items() if at[0] != link}
        for session in self.sessions.values():
            session.link_down(link)
        effects: list[Effect] = [] if reason is None else [Close(link, reason)]
        for table in list(self.hosting.values()):
            if link in table.guests:
                effects += self._stand_up(table, link, known.peer)
            if link in table.asking:
                table.asking.remove(link)
                effects.append(Tell(None, AskedNoMore(table.info.name, known.peer)))
        effects += self._no_rematch(known.peer)
        return [*effects, Tell(None, Parted(known.peer))] if reason is None else effects

    def learn(self, key: PublicKey, addresses: Iterable[Address]) -> None:
        """Remember where a key may be dialled, newest first. These are hints: only the channel proves a key."""
        known = dict.fromkeys([*addresses, *self.addresses.pop(key, ())])
        self.addresses[key] = tuple(known)[: messages.MAX_ADDRESSES]
        if len(self.addresses) > MAX_KNOWN:
            forgotten = next((k for k in self.addresses if k not in self._by_key and not self.needs(k)), key)
            del self.addresses[forgotten]

    def beat(self) -> list[Effect]:
        """A heartbeat on every link: I am alive, and where my copy of each game ends."""
        effects: list[Effect] = [Send(link, Beat()) for link in self.links]
        for session in self.sessions.values():
            effects += self._of(session, session.beat())
        return effects + self._remind()

    # -- messages

    def receive(self, link: LinkId, payload: bytes) -> list[Effect]:
        """One frame. Never raises: a peer that sends what no honest peer sends loses the link."""
        known = self.links.get(link)
        if known is None:
            return []
        try:
            message = messages.read(payload)
            known.heard |= isinstance(message, Head)
            if not SENDERS[sender_of(message)](self, link, known, message):
                return []
            return self._dispatch(link, known, message)
        except Untrusted as error:
            return [*self._drop(link, f"you sent what I cannot accept ({error})"), Tell(None, Parted(known.peer))]
        except PluginFault as error:
            return [Tell(None, Declined(known.peer, "a message", str(error)))]

    def _dispatch(self, link: LinkId, known: Link, message: Message) -> list[Effect]:
        match message:
            case Tables():
                return self._on_tables(link, known, message)
            case Join():
                return self._on_join(link, known, message)
            case Watch():
                return self._on_watch(link, message)
            case Proposal():
                return self._on_proposal(link, known, message)
            case Accept():
                return self._on_accept(link, message)
            case Rematch():
                return self._on_rematch(known, message)
            case Chat():
                return self._on_chat(known, message)
            case Away():
                same, known.away = known.away == message.away, message.away
                return [] if same else [Tell(None, WentAway(known.peer, message.away))]
            case Decline():
                return self._on_decline(link, known, message)
            case Bye():
                return [*self._drop(link, ""), Tell(None, Parted(known.peer, message.reason))]
            case Beat():
                return []
            case _:
                return self._on_game(link, known, message)

    def _on_tables(self, link: LinkId, known: Link, message: Tables) -> list[Effect]:
        news = [Tell(None, TablesChanged(known.peer, message.tables))]
        if known.told and (message.tables, message.port or known.port) == (known.tables, known.port):
            news = []  # the same again is no news
        known.tables, known.told = message.tables, True
        if message.port:
            known.port = message.port
            self.learn(known.peer.key, [(known.host, message.port)])
        # A seat at an open table is lost with the connection, so each new one asks for it again.
        names = {info.name for info in message.tables if (known.peer.key, info.name) in self._asked} - known.asked
        known.asked |= names
        joins = [Send(link, Join(name)) for name in sorted(names)]
        return [*news, *joins]

    # -- sitting down: as host

    def host(self, info: TableInfo, digest: bytes, *, watch: bool = True, ask: bool = False) -> list[Effect]:
        """Open a table; its host has the first seat. With `ask`, nobody sits down before `admit`. Raises `Misuse`."""
        if info.name in self.hosting:
            raise Misuse(msg("you already host a table called {name}", name=info.name))
        table = OpenTable(replace(info, taken=(self.identity.name,)), digest, watch, ask)
        self.hosting[info.name] = table
        return [*self._announce(), *self._fill(table)]

    def close_table(self, name: str) -> list[Effect]:
        """Take back an open table; its guests are told. Raises `Misuse`."""
        table = self.hosting.pop(name, None)
        if table is None:
            raise Misuse(msg("you host no table called {name}", name=name))
        sends = [Send(link, Decline(name, msg("the host closed the table"))) for link in table.guests]
        return [*sends, *self._nobody_asks(table, msg("the host closed the table")), *self._announce()]

    def _nobody_asks(self, table: OpenTable, reason: str) -> list[Effect]:
        """Whoever still waits for an answer gets this one."""
        asking, table.asking = table.asking, []
        effects: list[Effect] = [Send(link, Decline(table.info.name, reason)) for link in asking]
        return [*effects, *(Tell(None, AskedNoMore(table.info.name, self.links[link].peer)) for link in asking)]

    def open_tables(self) -> list[str]:
        """Names of our tables that everybody sees."""
        return [name for name, table in self.hosting.items() if not table.private]

    def _tables(self) -> Tables:
        return Tables(tuple(self.hosting[name].info for name in self.open_tables()), self.port)

    def _announce(self) -> list[Effect]:
        return [Send(link, self._tables()) for link in self.links]

    def _on_join(self, link: LinkId, known: Link, message: Join) -> list[Effect]:
        table = self.hosting.get(message.table)
        if table is None or table.private:
            return [Send(link, Decline(message.table, msg("there is no such open table any more")))]
        if link in table.guests or link in table.asking:
            return []
        if len(table.guests) + 1 >= table.info.seats:
            return [Send(link, Decline(message.table, TAKEN))]
        answer = table.answered.get(known.peer.key, None if table.ask else True)
        if answer is False:
            return [Send(link, Decline(message.table, RATHER_NOT))]
        if answer is None:
            table.asking.append(link)
            return [Tell(None, Asked(table.info.name, known.peer))]
        return self._sit_down(table, link, known)

    def _sit_down(self, table: OpenTable, link: LinkId, known: Link) -> list[Effect]:
        table.guests.append(link)
        self._refresh(table)
        free = table.info.seats - 1 - len(table.guests)
        others = self._nobody_asks(table, TAKEN) if free == 0 else []
        return [Tell(None, SatDown(table.info.name, known.peer, free)), *others, *self._announce(), *self._fill(table)]

    def admit(self, name: str, key: PublicKey) -> list[Effect]:
        """Let somebody who asked sit down, also when they come back on another connection. Raises `Misuse`."""
        table, link = self._answered(name, key, yes=True)
        return self._sit_down(table, link, self.links[link])

    def turn_away(self, name: str, key: PublicKey) -> list[Effect]:
        """Do not let somebody sit down there, now or later. Raises `Misuse` if they do not ask any more."""
        _, link = self._answered(name, key, yes=False)
        return [Send(link, Decline(name, RATHER_NOT))]

    def _answered(self, name: str, key: PublicKey, *, yes: bool) -> tuple[OpenTable, LinkId]:
        """The table and connection of somebody who asked there and has the answer now."""
        table, link = self.hosting.get(name), self._by_key.get(key)
        if table is None or link is None or link not in table.asking:
            raise Misuse(msg("they do not ask for that seat any more"))
        table.asking.remove(link)
        table.answered[key] = yes
        return table, link

    def _refresh(self, table: OpenTable) -> None:
        names = (self.identity.name, *(self.links[link].peer.name for link in table.guests))
        table.info = replace(table.info, taken=names)

    def _fill(self, table: OpenTable) -> list[Effect]:
        """Offer the game once every seat is taken."""
        if len(table.guests) + 1 < table.info.seats:
            return []
        info = table.info
        guests = [self.links[link] for link in table.guests]
        me = Seat(self.identity.key.public, self.identity.name)
        table.offer = Offer(
            game=info.game,
            version=info.version,
            digest=table.digest,
            options=info.options,
            house_rules=tuple((rule, version) for rule, version in info.house_rules),
            seats=(me, *(Seat(guest.peer.key, guest.peer.name) for guest in guests)),
            nonce=self._entropy(32),
            watch=table.watch,
            dealing=info.dealing,
            clock=info.clock,
            continues=table.continues,
        )
        table.nonces = {}
        addresses = {
            seat + 1: self.addresses.get(guest.peer.key, ()) for seat, guest in enumerate(guests) if guest.port
        }
        proposal = Proposal(info.name, table.offer, addresses)
        return [Send(link, proposal) for link in table.guests] or self._give_birth(table)

    def _on_accept(self, link: LinkId, message: Accept) -> list[Effect]:
        for table in self.hosting.values():
            if table.offer is not None and table.offer.hash == message.offer and link in table.guests:
                table.nonces[table.guests.index(link) + 1] = message.nonce
                return self._give_birth(table) if len(table.nonces) == len(table.guests) else []
        return []  # a nonce for an offer that no longer stands

    def _give_birth(self, table: OpenTable) -> list[Effect]:
        """Event 0: from here on it is a game."""
        assert table.offer is not None  # noqa: S101 - _fill made it
        event = Event(
            game=NO_GAME,
            prev=NO_LINK,
            seat=0,
            seq=0,
            t=self._clock(),
            type="genesis",
            body=genesis_body(table.offer, table.nonces),
        )
        del self.hosting[table.info.name]
        signed = sign(event, self.identity.key)
        self._names[table.info.name] = signed.game
        return [*self._begin(signed), *self._announce()]

    def _stand_up(self, table: OpenTable, link: LinkId, peer: Peer) -> list[Effect]:
        """A guest is gone before event 0: the offer falls, the seat is free again."""
        table.guests.remove(link)
        table.offer = None
        if table.private:
            del self.hosting[table.info.name]
            return self._no_rematch(peer)
        self._refresh(table)
        return [Tell(None, StoodUp(table.info.name, peer)), *self._announce()]

    # -- sitting down: as guest

    def join(self, key: PublicKey, table: str) -> list[Effect]:
        """Ask a connected host for a seat. Raises `Misuse`."""
        link, info = self._find(key, table)
        self._asked[key, table] = info
        self.links[link].asked.add(table)
        return [Send(link, Join(table))]

    def watch(self, key: PublicKey, table: str) -> list[Effect]:
        """Ask a connected host to see a game without playing. Raises `Misuse`."""
        link = self._by_key.get(key)
        if link is None:
            raise Misuse(msg("the host of that table is not connected"))
        self._watching.add(key)
        return [Send(link, Watch(table))]

    def _find(self, key: PublicKey, table: str) -> tuple[LinkId, TableInfo]:
        link = self._by_key.get(key)
        if link is None:
            raise Misuse(msg("the host of that table is not connected"))
        for info in self.links[link].tables:
            if info.name == table:
                return link, info
        raise Misuse(msg("{name} has no open table called {table}", name=self.links[link].peer.name, table=table))

    def _on_proposal(self, link: LinkId, known: Link, message: Proposal) -> list[Effect]:
        offer, key = message.offer, known.peer.key
        asked = self._asked[key, message.table]
        if reason := self._objection(offer, asked, known.peer):
            decline = Decline(offer.hash.hex(), reason[:MAX_TEXT])
            return [Send(link, decline), Tell(None, Declined(known.peer, message.table, reason))]
        for seat, addresses in message.addresses.items():
            if seat < len(offer.seats):
                self.learn(offer.seats[seat].key, addresses)
        # A new offer for the same table replaces the older: its nonce can serve no event 0 any more.
        self._accepted = {h: a for h, a in self._accepted.items() if a.offer.seats[0].key != key}
        nonce = self._entropy(32)
        self._accepted[offer.hash] = Accepted(offer, nonce)
        return [Send(link, Accept(offer.hash, nonce))]

    def _objection(self, offer: Offer, asked: TableInfo, host: Peer) -> str | None:
        """Why not to play under an offer, or None: the rules are known and as announced, the seats are right."""
        mine = Seat(self.identity.key.public, self.identity.name)
        if offer.seats.count(mine) != 1 or len({seat.key for seat in offer.seats}) != len(offer.seats):
            return msg("my name or key is not in the offer exactly once")
        if offer.seats[0].key != host.key:
            return msg("the host's own key has not the first seat")
        again = next((again for again in self._again if again.name == asked.name), None)
        agreed = None if again is None else again.keys(self._mine(again.game))
        if agreed is not None and [seat.key for seat in offer.seats] != agreed:
            return msg("the seats are not those that were agreed to")
        if offer.continues != (None if again is None else again.continues):
            return msg("it does not go on from where that was agreed")
        announced = (asked.game, asked.version, asked.options, asked.house_rules, asked.seats)
        offered = (offer.game, offer.version, offer.options, offer.house_rules, len(offer.seats))
        if offered != announced or (offer.clock, offer.dealing) != (asked.clock, asked.dealing):
            return msg("the rules are not those that were announced")
        try:
            self._find_rules(offer)
        except (UnknownRules, Misuse, PluginFault) as error:
            return str(error)
        return None

    def _on_decline(self, link: LinkId, known: Link, message: Decline) -> list[Effect]:
        if any(again.game.hex() == message.what for again in self._again):
            return self._no_rematch(known.peer)
        told = Tell(None, Declined(known.peer, message.what, message.reason))
        self._asked.pop((known.peer.key, message.what), None)
        for table in list(self.hosting.values()):
            if table.offer is not None and table.offer.hash.hex() == message.what and link in table.guests:
                return [told, *self._stand_up(table, link, known.peer)]
        for game, session in list(self.sessions.items()):
            chain = session.table.chain
            unborn = game.hex() == message.what and chain.seq == 0 and not chain.sealed
            if unborn and session.me is not None and _sits(session.table, known.peer.key):
                # "a seat that no longer has its nonce answers that event 0 with `decline`": nobody can go on with it.
                del self.sessions[game]
                return [told, SetAside(game), Tell(game, NeverBegan(game))]
        return [told]

    # -- once more

    def rematch(self, game: bytes) -> list[Effect]:
        """Ask the others to play a finished game again, or agree to it. Raises `Misuse`."""
        return self._propose(rematch_of(self._mine(game)))

    def go_on(self, game: bytes) -> list[Effect]:
        """Ask those who are here to go on, as another game, without those who are not. Raises `Misuse`."""
        return self._propose(going_on_of(self._mine(game), self.here(game)))

    def here(self, game: bytes) -> tuple[int, ...]:
        """The seats still in a game whose players are here, ours among them."""
        table = self._mine(game)
        keys = {self.identity.key.public, *self._by_key}
        seats = enumerate(table.chain.offer.seats)
        return tuple(at for at, seat in seats if seat.key in keys and at not in table.position.out)

    def _mine(self, game: bytes) -> Table:
        session = self.sessions.get(game)
        if session is None or session.me is None:
            raise Misuse(msg("that is no game of yours"))
        return session.table

    def _propose(self, again: Again) -> list[Effect]:
        table, own = self._mine(again.game), self.identity.key.public
        names = {seat.key: seat.name for seat in table.chain.offer.seats}
        if missing := [names[key] for key in again.keys(table) if key != own and key not in self._by_key]:
            raise Misuse(msg("{missing} is not connected any more", missing=missing[0]))
        wishing = self._again.setdefault(again, set())
        if own in wishing:
            raise Misuse(msg("you have asked for it already"))
        wishing.add(own)
        first, *_ = again.keys(table)
        if first != own:
            self._asked[first, again.name] = again.info(table)
        others = [self._by_key[key] for key in again.keys(table) if key != own]
        return [*(Send(link, again.message) for link in others), *self._play_again(again)]

    def _remind(self) -> list[Effect]:
        """Say again that we would go on: when it was said first, their copy of the old game may not have been as ours.

        If ours has come further meanwhile, it is proposed from there.
        """
        own, effects = self.identity.key.public, list[Effect]()
        for again, wishing in list(self._again.items()):
            if again.continues is None or own not in wishing:
                continue
            table = self._mine(again.game)
            with suppress(Misuse):
                now = going_on_of(table, again.seats)
                if now != again:
                    self._forget([again])
                    effects += self._propose(now)
                    continue
            waiting = [self._by_key[key] for key in again.keys(table) if key not in wishing and key in self._by_key]
            effects += [Send(link, again.message) for link in waiting]
        return effects

    def wishes_rematch(self, game: bytes) -> bool:
        """Whether we would like to play a game again, or go on with it."""
        return any(again.game == game and self.identity.key.public in who for again, who in self._again.items())

    def no_rematch(self, game: bytes) -> list[Effect]:
        """Say no to it, or that one does not want it any more."""
        seats = self._mine(game).chain.offer.seats
        self._forget([again for again in self._again if again.game == game])
        links = [link for seat in seats if (link := self._by_key.get(seat.key)) is not None]
        return [Send(link, Decline(game.hex(), msg("no rematch"))) for link in links]

    def _forget(self, proposals: Iterable[Again]) -> None:
        for again in proposals:
            del self._again[again]
            self._asked = {at: info for at, info in self._asked.items() if at[1] != again.name}

    def _on_rematch(self, known: Link, message: Rematch) -> list[Effect]:
        """Somebody proposes, or agrees; what is no game of ours, or stands elsewhere here, is no proposal."""
        try:
            table = self._mine(message.game)
            again = rematch_of(table) if message.head is None else going_on_of(table, message.seats)
        except Misuse:
            return []
        keys = again.keys(table)
        if again.message != message or known.peer.key not in keys or self.identity.key.public not in keys:
            return []
        wishing = self._again.setdefault(again, set())
        if known.peer.key in wishing:
            return []
        wishing.add(known.peer.key)
        return [Tell(None, RematchWished(known.peer, again)), *self._play_again(again)]

    def _play_again(self, again: Again) -> list[Effect]:
        """Once all wish it: whoever sits first now makes the offer, at a table that nobody else sees."""
        played = self._mine(again.game)
        first, *others = again.keys(played)
        all_wish = self._again[again] == {first, *others}
        if not all_wish or first != self.identity.key.public or again.name in self.hosting:
            return []
        offer = played.chain.offer
        table = OpenTable(again.info(played), offer.digest, offer.watch, private=True, continues=again.continues)
        table.guests = [self._by_key[key] for key in others]
        self.hosting[table.info.name] = table
        return self._fill(table)

    def _no_rematch(self, peer: Peer) -> list[Effect]:
        """Somebody who would have to take part in it does not."""
        off = [again for again in self._again if peer.key in again.keys(self._mine(again.game))]
        self._forget(off)
        return [Tell(None, RematchOff(peer, again)) for again in off]

    # -- words

    def say(self, text: str, game: bytes | None = None) -> list[Effect]:
        """Say something to the players of a game, or to everybody connected. Raises `Misuse`."""
        if not 0 < len(text) <= MAX_CHAT:
            raise Misuse(msg("one message has 1 to {max_chat} characters", max_chat=MAX_CHAT))
        keys = set(self._by_key) if game is None else {seat.key for seat in self._seats_of(game)}
        links = [link for key, link in self._by_key.items() if key in keys]
        if not links:
            raise Misuse(msg("nobody is connected who could read it"))
        return [Send(link, Chat(text, game)) for link in links]

    def _seats_of(self, game: bytes) -> tuple[Seat, ...]:
        session = self.sessions.get(game)
        return () if session is None or session.me is None else session.table.chain.offer.seats

    def _on_chat(self, known: Link, message: Chat) -> list[Effect]:
        """Words in a game count only from one of its players to another."""
        if message.game is not None and known.peer.key not in {seat.key for seat in self._seats_of(message.game)}:
            return []
        return [Tell(None, Said(known.peer, message.text, message.game))]

    def go_away(self, *, away: bool) -> list[Effect]:
        """Tell everybody connected, and whoever comes, whether the person here is away from the keyboard."""
        self.away = away
        return [Send(link, Away(away)) for link in self.links]

    # -- games

    def _begin(self, signed: Signed) -> list[Effect]:
        """A fresh game from its event 0, which this node wrote or accepted."""
        table = Table.begin(signed.line, self._find_rules)
        keys = {seat.key for seat in table.chain.offer.seats}
        self._again = {again: wishing for again, wishing in self._again.items() if not wishing <= keys}
        dealer = self._dealer_of(table.chain)
        session = Session(table, self.identity.key, clock=self._clock, timer=self._timer, dealer=dealer)
        self.sessions[session.game] = session
        seats = {link: known.peer.key for link, known in self.links.items() if _sits(table, known.peer.key)}
        return [*self._of(session, session.begin(seats)), Tell(session.game, Began(session.game, table.chain.offer))]

    def resume(self, stored: Stored) -> list[Effect]:
        """Take up a game from its record. Raises as `Table.load`, and `Untrusted` for a bad mark."""
        table = Table.load(stored.lines, self._find_rules)
        mark = Mark.read(stored.mark) if stored.mark is not None else None
        return self._take_up(table, mark, stored.evidence)

    def give_up(self, game: bytes) -> None:
        """The disk failed a game: nothing more is signed for it, or said about it, while this program runs."""
        self.sessions.pop(game, None)
        self._given_up.add(game)

    def _take_up(self, table: Table, mark: Mark | None, evidence: tuple[Message, ...] = ()) -> list[Effect]:
        key = self.identity.key
        dealer = self._dealer_of(table.chain)
        session = Session(
            table,
            key,
            clock=self._clock,
            timer=self._timer,
            mark=mark,
            dealer=dealer,
            resumed=True,
            evidence=evidence,
        )
        self.sessions[session.game] = session
        effects: list[Effect] = [Tell(session.game, Began(session.game, table.chain.offer, again=True))]
        effects += self._of(session, session.resettle())
        for link, known in self.links.items():
            if _sits(table, known.peer.key):
                effects += self._of(session, session.link_up(link, known.peer.key))
        return effects

    def _on_game(self, link: LinkId, known: Link, message: Message) -> list[Effect]:
        game = game_of(message)
        if game is None:
            raise Untrusted("message", msg("{kind} names no game", kind=type(message).__name__))
        session = self.sessions.get(game)
        if game in self._given_up:
            return []
        if session is None:
            return self._on_unknown_game(link, known, game, message)
        effects: list[Effect] = []
        if isinstance(message, Head) and not session.has_link(link) and session.table.chain.offer.watch:
            effects = self._of(session, session.link_up(link, known.peer.key))
        return effects + self._of(session, session.receive(link, message))

    def _on_unknown_game(self, link: LinkId, known: Link, game: bytes, message: Message) -> list[Effect]:
        """A game that has no session here: on disk, about to begin, to be watched, lost, or none of ours."""
        match message:
            case Head():
                try:
                    stored = self._stored(game)
                    taken_up = [] if stored is None else self.resume(stored)
                except LantableError as error:
                    # Our copy is damaged, or its plugin is missing: who speaks of the game is not to blame.
                    self.give_up(game)
                    return [Tell(None, Declined(known.peer, msg("game {game}", game=game.hex()[:8]), str(error)))]
                if stored is not None:
                    return [*taken_up, *self._on_game(link, known, message)]
                if len(self._unknown) < MAX_UNKNOWN:
                    self._unknown[link, game] = message
                return [Send(link, Head(game, NOTHING, bytes(32), False))] if message.seq != NOTHING else []
            case Signed() if message.event.seq == 0:
                return self._on_event_0(link, known, message)
            case Seal() if message.seq == 0 and game in self._orphans:
                return self._on_lost_game(link, game, message)
            case _:
                return []

    def _on_event_0(self, link: LinkId, known: Link, signed: Signed) -> list[Effect]:
        offer, nonces = read_genesis(signed.event.body)
        mine = next((s for s, seat in enumerate(offer.seats) if seat.key == self.identity.key.public), None)
        if mine is None:
            return self._on_watched_game(link, known, signed)
        accepted = self._accepted.get(offer.hash)
        # "A seat acknowledges only if the offer is unchanged and nonce, key and name are its own"
        if accepted is not None and nonces.get(mine) == accepted.nonce and offer == accepted.offer:
            del self._accepted[offer.hash]
            self._asked.clear()
            return self._begin(signed)
        head = self._unknown.get((link, signed.game))
        if head is not None and (head.sealed or head.seq > 0):
            # It was acknowledged by everyone, so by us: we lost our copy. Its K line will show our signature.
            if len(self._orphans) < MAX_UNKNOWN:
                self._orphans[signed.game] = signed, head
            return []
        return [Send(link, Decline(signed.game.hex(), msg("I no longer hold the nonce I gave for this game")))]

    def _on_lost_game(self, link: LinkId, game: bytes, seal: Seal) -> list[Effect]:
        """Take up a game of ours that this home lost, once its K line proves that we acknowledged it."""
        signed, _ = self._orphans.pop(game)
        try:
            table = Table.load([signed.line, seal.line], self._find_rules)
        except UnknownRules as error:
            return [
                Tell(None, Declined(self.links[link].peer, msg("a game of yours that this folder lost"), str(error)))
            ]
        disk = [OnDisk(game, Create(signed.line)), OnDisk(game, Append(seal.line, sync=True))]
        return [*disk, *self._take_up(table, None)]

    def _on_watched_game(self, link: LinkId, known: Link, signed: Signed) -> list[Effect]:
        if known.peer.key not in self._watching:
            return []
        try:
            table = Table.begin(signed.line, self._find_rules)
        except UnknownRules as error:
            return [Tell(None, Declined(known.peer, msg("a game to watch"), str(error)))]
        session = Session(table, None, clock=self._clock, timer=self._timer)
        self.sessions[session.game] = session
        began = Tell(session.game, Began(session.game, table.chain.offer))
        return [*self._of(session, session.begin({link: known.peer.key})), began]

    def _on_watch(self, link: LinkId, message: Watch) -> list[Effect]:
        game = self._names.get(message.table)
        session = self.sessions.get(game) if game else None
        if session is None or not session.table.chain.offer.watch:
            return [Send(link, Decline(message.table, msg("there is no such game to watch here")))]
        if session.has_link(link):
            return []
        return self._of(session, session.link_up(link, self.links[link].peer.key))

    # -- what the person does in a game

    def act(self, game: bytes, do: Callable[[Session], list[GameEffect]]) -> list[Effect]:
        """Do something in one game, such as `lambda s: s.write("move", {...})`. Raises as what is done."""
        session = self.sessions.get(game)
        if session is None:
            raise Misuse(msg("that game is not open here"))
        return self._of(session, do(session))

    def _of(self, session: Session, effects: Iterable[GameEffect]) -> list[Effect]:
        """A session's effects as this node's."""
        result: list[Effect] = []
        for effect in effects:
            match effect:
                case Send():
                    result.append(effect)
                case GameTell(news):
                    result.append(Tell(session.game, news))
                case GameReckon(find, then):
                    result.append(Reckon(session.game, find, self._then(session, then)))
                case _:
                    result.append(OnDisk(session.game, effect))
        return result

    def _then(self, session: Session, then: Callable[[Any], list[GameEffect]]) -> Callable[[Any], list[Effect]]:
        return lambda found: self._of(session, then(found))

    # -- who may send what: an answer for each `Sender` of the wire table

    def from_host(self, _link: LinkId, known: Link, message: Message) -> bool:
        """Somebody at whose table we asked to sit."""
        return isinstance(message, Proposal) and (known.peer.key, message.table) in self._asked

    def from_guest(self, link: LinkId, _known: Link, _message: Message) -> bool:
        """Somebody who sits at a filled table of ours."""
        return any(link in table.guests and table.offer is not None for table in self.hosting.values())

    def from_seat(self, _link: LinkId, known: Link, message: Message) -> bool:
        """A seat of the game the message names."""
        session = self.sessions.get(game_of(message) or b"")
        return session is not None and _sits(session.table, known.peer.key)

    def from_reader(self, link: LinkId, _known: Link, message: Message) -> bool:
        """Somebody with whom the game is spoken of; a HEAD, or event 0, may open that conversation."""
        session = self.sessions.get(game_of(message) or b"")
        return session is None or session.has_link(link) or isinstance(message, Head)


SENDERS: Final[dict[Sender, Callable[[Node, LinkId, Link, Message], bool]]] = {
    Sender.ANYONE: lambda _node, _link, _known, _message: True,
    Sender.HOST: Node.from_host,
    Sender.GUEST: Node.from_guest,
    Sender.SEAT: Node.from_seat,
    Sender.READER: Node.from_reader,
}
"""The wire table's second column, as code. What comes from anybody else is ignored."""


def _sits(table: Table, key: PublicKey) -> bool:
    return table.chain.owner_of(key) is not None
