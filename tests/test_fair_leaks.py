"""In the middle of a fair game: what each home holds, writes, sends and shows says nothing of what is hidden from it.

What gives a hidden tile away is its seat's own share of it, or anything that this could be computed from: the seat's
secret, its seed, the dealing secret. So these are looked for, as bytes and as text, in everything another home has.
"""

import gc
import types
from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from pathlib import Path
from typing import Final

import pytest

from lantable.dealing import HIDDEN, egb1
from lantable.dealing.egb1 import Secrets
from lantable.dealing.fair import FairDeal, Held
from lantable.dealing.fair_dealer import FairDealer
from lantable.errors import IllegalMove
from lantable.keys import sha256
from lantable.table import Table
from lantable_binary_scrabble.state import State
from lantable_console.home import Home
from lantable_net.session import Session
from lantable_replays.record import split
from tests.cli import run
from tests.games import Sitting, key, make_host
from tests.mesh import Mesh, fair_dealer
from tests.programs import Stage

PLAN: Final = ("greedy", "-3", "pass")


def middle(seats: int = 3) -> Mesh:
    """Some people and an onlooker, after some moves of each sort."""
    net = Mesh(seats + 1, dealer_of=fair_dealer).sit("", seats, game="binary-scrabble")
    net.do(seats, lambda node: node.watch(key(0).public, "oak-7"))
    net.settle()
    for what in PLAN:
        who = next(who for who in range(seats) if net.session(who).my_turn)
        position = net.session(who).position
        state, seat = position.state, position.due
        assert seat is not None
        move = what.replace("-3", f"-{state.racks[seat][:3]}")
        if what == "greedy":
            move = net.host.game("binary-scrabble").opponents[what](
                position.rules, position.rules.view(state, seat), seat, bytes(32)
            )
        net.act(who, lambda session, move=move: session.write("move", {"move": move}))  # type: ignore[misc]  # binds
    return net


def deal_of(session: Session) -> FairDeal:
    deal = session.table.position.deal
    assert isinstance(deal, FairDeal)
    return deal


def giving_away(deal: FairDeal, secrets: Secrets, more: Iterable[bytes] = ()) -> list[bytes]:
    """Every value from which a hidden tile of this seat could be computed."""
    shares = [egb1.share_of(secrets.x, held.entry.c1) for held in deal.hidden(secrets.seat).values()]
    assert shares
    return [secrets.seed, secrets.x, *shares, *more]


def found_in(data: bytes, values: Iterable[bytes]) -> list[str]:
    return [value.hex() for value in values if value in data or value.hex().encode() in data.lower()]


# -- what is written and sent


@pytest.mark.parametrize("seats", [2, 3])
def test_nothing_that_is_written_or_sent_gives_a_hidden_tile_away(seats: int) -> None:
    """Records, marks and side files of everybody, and every frame that ever left a home, to players and onlookers."""
    net = middle(seats)
    everything = b"\n".join(
        chain(
            *(disk.lines[net.game] for disk in net.disks if net.game in disk.lines),
            *(disk.marks.values() for disk in net.disks),
            (data for disk in net.disks for _, data in disk.kept),
            (data for _, _, data in net.frames),
        )
    )
    assert all(any(to == who and b"deal.shares" in data for _, to, data in net.frames) for who in range(seats + 1))
    for who in range(seats):
        dealer = fair_dealer(who, net.session(who).table.chain)
        assert dealer is not None
        secret = sha256(b"a deal secret of the tests", bytes([who]))
        assert not found_in(everything, giving_away(deal_of(net.session(who)), dealer._secrets[who], [secret]))


def test_the_search_finds_what_is_there() -> None:
    """After the end the seeds are there; and a share that was posted is found in the middle of a game."""
    sitting = Sitting("binary-scrabble", "scoreless_limit=1", fair=True)
    dealer, deal = sitting.dealers[0], sitting.table.position.deal
    assert isinstance(dealer, FairDealer) and isinstance(deal, FairDeal)
    values = giving_away(deal, dealer._secrets[0])
    posted = next(iter(deal.hidden(1).values())).shares[0]
    assert found_in(sitting.data, values) == [] and found_in(sitting.data, [posted])
    while sitting.table.position.mover is not None:
        sitting.move("pass")
    assert found_in(sitting.data, values) == [values[0].hex()]


# -- what is in memory


def reachable(root: object) -> Iterator[object]:
    """Every object that can be reached from `root`, but for code, modules and classes."""
    seen, todo = {id(root)}, [root]
    while todo:
        one = todo.pop()
        yield one
        if isinstance(one, type | types.ModuleType | types.FunctionType | types.BuiltinFunctionType | types.CodeType):
            continue
        for other in gc.get_referents(one):
            if id(other) not in seen:
                seen.add(id(other))
                todo.append(other)


@pytest.mark.parametrize("seats", [2, 3])
def test_no_object_of_another_program_holds_a_hidden_tile(seats: int) -> None:
    """Of a player's program that has shown its own racks, and of an onlooker's."""
    net = middle(seats)
    for who in range(seats + 1):
        table = Table.load(list(net.disks[0].lines[net.game]), net.host.rules_for)
        me = key(who) if who < seats else None
        session = Session(table, me, clock=int, dealer=fair_dealer(who, table.chain))
        session.begin({0: key(0).public}) if me is None else None
        shown = [session.position, session.table.position]
        things = list(reachable([session, shown]))
        assert sum(isinstance(thing, State) for thing in things) > 5
        for seat in set(range(seats)) - {who}:
            dealer = fair_dealer(seat, table.chain)
            assert dealer is not None
            secret = giving_away(deal_of(session), dealer._secrets[seat])
            assert not [thing for thing in things if isinstance(thing, bytes) and thing in secret]
            hidden = set(deal_of(session).hidden(seat))
            for thing in things:
                if isinstance(thing, State) and thing.racks[seat]:
                    assert HIDDEN in thing.racks[seat] or len(hidden) == 0
                if isinstance(thing, FairDeal):
                    assert all(thing.held[slot].tile is None for slot in hidden if slot in thing.held)
                    assert seat not in thing.shown
                if isinstance(thing, FairDealer):
                    assert all(of == who for of, _ in thing._tiles) and seat not in thing._secrets


# -- what can be computed


@pytest.mark.parametrize("seats", [2, 3])
def test_what_others_know_opens_no_slot(seats: int) -> None:
    """Neither on another's rack nor in the bag, with any of the shares that are there, even if all others collude."""
    net = middle(seats)
    deal = deal_of(net.session(0))
    assert deal.pile is not None
    for victim in range(seats):
        secrets = [_secrets(net, seat) for seat in range(seats) if seat != victim]
        bag = [Held(victim, entry, b"", {}) for entry in deal.pile.rest]
        for held in chain(deal.hidden(victim).values(), bag):
            known = {*held.shares.values(), *(egb1.share_of(each.x, held.entry.c1) for each in secrets)}
            for count in range(1, len(known) + 1):
                for some in combinations(sorted(known), count):
                    assert egb1.open_(held.entry, some, len(deal.tiles)) is None


def _secrets(net: Mesh, seat: int) -> Secrets:
    dealer = fair_dealer(seat, net.session(seat).table.chain)
    assert dealer is not None
    return dealer._secrets[seat]


def test_no_two_entries_of_all_lists_look_alike() -> None:
    """A tile cannot be followed from list to list, nor from a rack into the bag, by its bytes."""
    net = middle(2)
    lists = [e.event.body["list"] for e in net.session(0).table.chain.events if e.event.type == "deal.shuffle"]
    halves = [half for listed in lists for entry in listed for half in (entry[:64], entry[64:])]
    assert len(lists) == 4 and len(set(halves)) == len(halves)


# -- takebacks


def test_a_takeback_never_reveals_or_undoes_a_draw() -> None:
    """Past shown tiles, a draw or an exchange there is none; past passes there is, and racks stay as they were."""
    sitting = Sitting("binary-scrabble", fair=True)
    begin = sitting.table.position.seq
    racks = [sitting.seen(seat).state.racks for seat in range(2)]
    sitting.move("pass")
    sitting.move("pass")
    sitting.agree("takeback", begin)
    assert [sitting.seen(seat).state.racks for seat in range(2)] == racks
    for plan in ("greedy", "exchange"):
        before = sitting.table.position.seq
        seat = sitting.table.position.mover
        assert seat is not None
        if plan == "greedy":
            sitting.robots("greedy", 1)
        else:
            sitting.move(f"-{sitting.seen(seat).state.racks[seat][:2]}")
        for to in range(before + 1):
            with pytest.raises(IllegalMove, match="drawn"):
                sitting.agree("takeback", to)


# -- real programs


def test_the_home_of_one_player_holds_nothing_of_the_others(tmp_path: Path) -> None:
    """Two programs, killed in the middle: every file of each, and all they and the log commands have printed."""
    with Stage(tmp_path) as stage:
        players = [stage.start("ada", "host", "binary-scrabble")]
        players.append(stage.start("bob", "join", players[0].address()))
        first = players[0].match(r"the lot fell on (\w+)")[1]
        next(player for player in players if player.name == first).expect("your turn")
        for player in players:
            player.kill()
        record = stage.records("ada")[0]
        printed = {player.name: "\n".join(player.lines) for player in players}
        for words in (("log", "show", str(record)), ("replay", str(record)), ("audit", str(record))):
            printed[words[0]] = run("--home", str(tmp_path / "nobody"), *words).out
        table = Table.load(split(record.read_bytes())[0], make_host().rules_for)
        for name in ("ada", "bob"):
            dealer = Home(tmp_path / name).dealer_of(table.chain)
            deal = table.position.deal
            assert isinstance(dealer, FairDealer) and isinstance(deal, FairDeal)
            (seat,) = dealer._secrets
            values = giving_away(deal, dealer._secrets[seat], [Home(tmp_path / name).key_file().deal])
            other = "bob" if name == "ada" else "ada"
            files = [path for path in (tmp_path / other).rglob("*") if path.is_file()]
            assert files and not [path for path in files if found_in(path.read_bytes(), values)]
            rack = "".join(sorted(dealer.knows(deal, seat)))
            for teller in {*printed} - {name}:
                text = printed[teller]
                assert not found_in(text.encode(), values)
                assert rack not in text and " ".join(rack) not in text
