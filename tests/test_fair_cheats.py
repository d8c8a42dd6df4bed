"""Every way to cheat in a fair dealing, one at a time: refused at once, or named by the audit.

A game of Binary Scrabble in which one seat deviates in one way and is honest otherwise.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lantable.dealing import Turn, egb1, group
from lantable.dealing.egb1 import Ciphertext, Ciphertexts, Secrets
from lantable.dealing.fair import (
    COMMIT,
    FAULT,
    KEY,
    REVEAL,
    SHARES,
    SHUFFLE,
    TOSS_COMMIT,
    TOSS_OPEN,
    FairDeal,
)
from lantable.dealing.fair_dealer import FairDealer
from lantable.errors import IllegalMove
from lantable.events import sign
from lantable.keys import sha256
from lantable_net.news import Refused
from lantable_replays.audit import CANNOT_JUDGE, GOOD, TAMPERED
from tests.cheats import CROOK, MOVE, Cheated, Deed, Twist, changed, cheat
from tests.games import NAMES, Sitting, key
from tests.mesh import Mesh, fair_dealer

SEATS = pytest.mark.parametrize("seats", [2, 3])
TWO_OR_THREE = pytest.mark.parametrize("seats", [2, pytest.param(3, marks=pytest.mark.evidence)])
"""Where a third seat makes no difference to what is checked."""
ANY = {"seed": "0" * 64, "commit": "1" * 64, "nonce": "2" * 64}


# -- what a crook may write


def listed(entries: Any) -> dict[str, Any]:
    """Body of a shuffle."""
    return {"list": Ciphertexts(tuple(entries)).as_json()}


def entries(deed: Deed) -> tuple[Ciphertext, ...]:
    """The list that an honest seat would write."""
    return Ciphertexts.from_json(deed.body["list"]).entries


def tagged(deed: Deed, *, second: bool) -> dict[str, Any]:
    """One entry marked by adding the point of order two to one of its points."""
    first, *rest = entries(deed)
    name = "c2" if second else "c1"
    return listed([replace(first, **{name: group.plus(getattr(first, name), group.ORDER_2)}), *rest])


def hidden_as(deed: Deed, tiles: list[int]) -> dict[str, Any]:
    """Own encryptions of these tiles, in this order, with scalars that the crook knows."""
    joint, made = egb1.joint(deed.deal.keys.values()), list[Ciphertext]()
    for at, number in enumerate(tiles):
        r = group.hashed(b"own encryption" + bytes([at]) + deed.turn.prev)
        made.append(Ciphertext(group.times_base(r), group.plus(egb1.tile(number), group.times(r, joint))))
    return listed(made)


def again(deed: Deed, entry: Ciphertext) -> Ciphertext:
    """The same tile under an entry that nobody recognizes."""
    return Ciphertext(group.plus(entry.c1, group.BASE), group.plus(entry.c2, egb1.joint(deed.deal.keys.values())))


def rogue(deed: Deed) -> dict[str, Any]:
    """A key that cancels another's: whoever posts it does not know its secret, and proves what it can."""
    others = [key for seat, key in deed.deal.keys.items() if seat != deed.turn.seat]
    cancelling = group.minus(deed.secrets.public, group.total(others))
    return {**deed.body, "key": cancelling.hex()}


def of_another(deed: Deed, **other: Any) -> Secrets:
    """The crook's secrets as if in another game, or on another seat."""
    return replace(deed.secrets, **other)


def share_of(deed: Deed, **other: Any) -> dict[str, Any]:
    """Shares with the right numbers, whose proofs were made for another event, list or game."""
    prev, game = other.get("prev", deed.turn.prev), other.get("game", deed.turn.game)
    pile = deed.deal.pile
    assert pile is not None
    slots = [(slot, pile.entry(slot).c1) for slot in deed.deal.owed_shares(deed.turn.seat)]
    listing = other.get("listing", pile.entries.digest)
    return {"shares": [share.as_json() for share in of_another(deed, game=game).shares(prev, listing, slots)]}


def twin(deed: Deed) -> dict[str, Any]:
    """A share of the wrong slot under the number of the right one."""
    first, second, *rest = deed.body["shares"]
    return {"shares": [{**second, "slot": first["slot"]}, second, *rest]}


REFUSED: dict[str, tuple[str, Twist, str]] = {
    # out of order: another event than the one that is due
    "a move while something is dealt": (SHARES, lambda deed: (MOVE, {"move": "pass"}), "deal"),
    "a key before its commitment": (COMMIT, lambda deed: (KEY, deed.secrets.key(deed.turn.prev).as_json()), "deal"),
    "a commitment once more": (KEY, lambda deed: (COMMIT, {"commit": deed.secrets.commit.hex()}), "deal"),
    "a shuffle before the keys": (KEY, lambda deed: (SHUFFLE, listed([])), "deal"),
    "shares in place of a shuffle": (SHUFFLE, lambda deed: (SHARES, {"shares": []}), "deal"),
    "a seed while the game goes on": (SHARES, lambda deed: (REVEAL, {"seed": deed.secrets.seed.hex()}), "deal"),
    "an opening before all have committed": (TOSS_COMMIT, lambda deed: (TOSS_OPEN, {"nonce": "0" * 64}), "deal"),
    # not of the form
    "a number for a commitment": (COMMIT, lambda deed: {"commit": 1}, "schema"),
    "something beside the seed": (REVEAL, lambda deed: {**deed.body, "more": 1}, "schema"),
    "no shares": (SHARES, lambda deed: {"shares": []}, "schema"),
    # the toss
    "a nonce that was not promised": (TOSS_OPEN, lambda deed: changed(deed, "nonce"), "toss"),
    # keys
    "a key that cancels another's": (KEY, rogue, "deal_key"),
    "a key proved for another game": (
        KEY,
        lambda deed: of_another(deed, game=bytes(16)).key(deed.turn.prev).as_json(),
        "deal_key",
    ),
    "a key proved for another seat": (
        KEY,
        lambda deed: of_another(deed, seat=3).key(deed.turn.prev).as_json(),
        "deal_key",
    ),
    "another seat's key and proof": (
        KEY,
        lambda deed: {**deed.body, "key": deed.deal.keys[0].hex()},
        "deal_key",
    ),
    # shuffles
    "an entry twice": (SHUFFLE, lambda deed: listed([*entries(deed)[:-1], entries(deed)[0]]), "deal_list"),
    "an entry dropped": (SHUFFLE, lambda deed: listed(entries(deed)[:-1]), "deal_list"),
    "an entry more": (SHUFFLE, lambda deed: listed([*entries(deed), again(deed, entries(deed)[0])]), "deal_list"),
    "a first point that is tagged": (SHUFFLE, lambda deed: tagged(deed, second=False), "deal_list"),
    "a second point that is tagged": (SHUFFLE, lambda deed: tagged(deed, second=True), "deal_list"),
    # shares
    "another point": (SHARES, lambda deed: changed(deed, "shares", 0, "point", to=group.BASE.hex()), "deal_share"),
    "no point at all": (SHARES, lambda deed: changed(deed, "shares", 0, "point", to="0" * 64), "point"),
    "a proof with another z": (SHARES, lambda deed: changed(deed, "shares", 0, "z"), "deal_share"),
    "a proof with another c": (SHARES, lambda deed: changed(deed, "shares", 3, "c"), "deal_share"),
    "a share kept back": (SHARES, lambda deed: {"shares": deed.body["shares"][1:]}, "schema"),
    "shares in another order": (SHARES, lambda deed: {"shares": deed.body["shares"][::-1]}, "schema"),
    "a share of its own draw too": (
        SHARES,
        lambda deed: {"shares": [*deed.body["shares"], {**deed.body["shares"][0], "slot": 99}]},
        "schema",
    ),
    "a share of another slot": (SHARES, twin, "deal_share"),
    "shares made for another event": (SHARES, lambda deed: share_of(deed, prev=bytes(32)), "deal_share"),
    "shares made for another list": (SHARES, lambda deed: share_of(deed, listing=bytes(32)), "deal_share"),
    "shares made in another game": (SHARES, lambda deed: share_of(deed, game=bytes(16)), "deal_share"),
    # plays
    "a play that shows nothing": (MOVE, lambda deed: {}, "schema"),
    "a play that shows too little": (MOVE, lambda deed: {"open": deed.body["open"][:-1]}, "not_drawn"),
    "a play that shows one tile twice": (MOVE, lambda deed: {"open": deed.body["open"][:1] * 2}, "schema"),
    "a play shown with a false share": (MOVE, lambda deed: changed(deed, "open", 0, "c"), "deal_share"),
    "a play shown with another's tiles": (
        MOVE,
        lambda deed: changed(deed, "open", -1, "slot", to=slot_of(deed, 0)),
        "not_in_rack",
    ),
    "a play of another tile than was drawn": (MOVE, lambda deed: {**deed.body, **other_tiles(deed)}, "not_drawn"),
    "a play that pays with slots": (
        MOVE,
        lambda deed: {"slots": [share["slot"] for share in deed.body["open"]]},
        "schema",
    ),
    # the end
    "another seed": (REVEAL, lambda deed: changed(deed, "seed"), "seed"),
    "the seed of another seat": (REVEAL, lambda deed: {"seed": deed.deal.shown[0].seed.hex()}, "seed"),
    "something else than the seed at the end": (REVEAL, lambda deed: (MOVE, {"move": "pass"}), "deal"),
}


def slot_of(deed: Deed, seat: int) -> int:
    """The last slot that a seat holds."""
    return max(slot for slot, held in deed.deal.held.items() if held.seat == seat)


def other_tiles(deed: Deed) -> dict[str, Any]:
    """As many of the crook's own tiles as it lays, shown truly, but others; what it lays if it holds no others."""
    laid = {share["slot"] for share in deed.body.get("open", ())}
    kinds = sorted(deed.deal.tiles[number] for slot, number in numbers(deed).items() if slot in laid)
    others = [slot for slot in numbers(deed) if slot not in laid]
    for count in range(len(laid), 0, -1):
        chosen = [*others[:count], *sorted(laid)[count:]]
        if len(chosen) == len(laid) and sorted(deed.deal.tiles[numbers(deed)[slot]] for slot in chosen) != kinds:
            return {"open": deed.openings(chosen)}
    return {}


def numbers(deed: Deed) -> dict[int, int]:
    """The tiles in the crook's own hidden slots."""
    found = deed.dealer._numbers(deed.deal, deed.turn.seat)
    return {slot: number for slot, number in found.items() if number is not None}


@TWO_OR_THREE
@pytest.mark.parametrize("how", REFUSED)
def test_it_is_refused_at_once(how: str, seats: int) -> None:
    """By every honest seat, with the same code; and the record holds no trace of it."""
    kind, twist, code = REFUSED[how]
    sitting = cheat(kind, twist, seats=seats)
    assert sitting.refusal == code
    if seats == 2:  # the code is the same; once is enough
        assert_found_by_the_audit(sitting)


def assert_found_by_the_audit(sitting: Cheated) -> None:
    """Even if all the others had acknowledged it: the rules are judged again, and the event is named."""
    assert sitting.refused is not None
    sitting.force(*sitting.refused)
    report = sitting.report
    assert (report.code, report.rules.verdict, report.rules.event) == (TAMPERED, "broken", sitting.table.chain.seq)


# -- exchanges


EXCHANGED: dict[str, tuple[Callable[[Deed], dict[str, Any]], str]] = {
    "fewer slots than tiles": (lambda deed: {"slots": deed.body["slots"][:-1]}, "not_in_rack"),
    "more slots than tiles": (lambda deed: {"slots": sorted(deed.deal.hidden(deed.turn.seat))[:3]}, "not_in_rack"),
    "another's slots": (lambda deed: {"slots": sorted(deed.deal.hidden(0))[:2]}, "not_in_rack"),
    "one slot of another's": (
        lambda deed: {"slots": sorted([deed.body["slots"][0], min(deed.deal.hidden(0))])},
        "not_in_rack",
    ),
    "slots still in the bag": (lambda deed: {"slots": [deed.deal.pile.next, deed.deal.pile.next + 1]}, "not_in_rack"),  # type: ignore[union-attr]  # the bag is there
    "slots that never were": (lambda deed: {"slots": [10_000, 10_001]}, "not_in_rack"),
    "one slot twice": (lambda deed: {"slots": deed.body["slots"][:1] * 2}, "schema"),
    "no slots": (lambda deed: {}, "schema"),
    "slots and openings": (lambda deed: {**deed.body, "open": []}, "schema"),
    "openings in place of slots": (lambda deed: {"open": deed.openings(deed.body["slots"])}, "schema"),
    "tiles named that nobody saw": (lambda deed: {**deed.body, "move": f"-{deed.deal.tiles[0] * 2}"}, "not_in_rack"),
}


@TWO_OR_THREE
@pytest.mark.parametrize("how", EXCHANGED)
def test_an_exchange_gives_back_as_many_tiles_of_its_own(how: str, seats: int) -> None:
    """What was kept back, or never held, is refused at once."""
    twist, code = EXCHANGED[how]
    assert cheat(MOVE, twist, seats=seats, plan=["pass", "-2", "-2", "-2"], options="").refusal == code


@SEATS
def test_what_was_exchanged_is_gone(seats: int) -> None:
    """A tile that went back can be laid or given back no more."""
    remembered: list[int] = []

    def twice(deed: Deed) -> dict[str, Any]:
        remembered.append(deed.body["slots"][0])
        return deed.body if len(remembered) == 1 else {"slots": sorted({remembered[0], *deed.body["slots"][1:]})}

    assert cheat(MOVE, twice, seats=seats, plan=["-2"] * 2 * seats, options="").refusal == "not_in_rack"


# -- dishonest shuffles


def at_the_start(twist: Callable[[Deed], dict[str, Any]]) -> Twist:
    return lambda deed: deed.body if deed.deal.pile is not None else twist(deed)


def in_an_exchange(twist: Callable[[Deed], dict[str, Any]]) -> Twist:
    return lambda deed: deed.body if deed.deal.pile is None else twist(deed)


def stolen(deed: Deed) -> dict[str, Any]:
    """A tile on another's rack, re-randomized, in place of one that an exchange gave back."""
    rest = entries(deed)[:-1]
    return listed([*rest, again(deed, min(deed.deal.hidden(0).items())[1].entry)])


DISHONEST: dict[str, tuple[Twist, tuple[str, ...]]] = {
    "own encryptions of the whole bag": (
        at_the_start(lambda deed: hidden_as(deed, list(range(len(deed.stirred))))),
        ("greedy",) * 100,
    ),
    "no shuffle at all": (at_the_start(lambda deed: listed(deed.stirred.entries)), ("greedy",) * 2),
    "a shuffle with chance of its own": (
        at_the_start(
            lambda deed: listed(
                of_another(deed, seed=bytes(32))
                .shuffle(deed.turn.prev, deed.stirred, egb1.joint(deed.deal.keys.values()))
                .entries
            )
        ),
        ("greedy",) * 2,
    ),
    "two entries changed about": (lambda deed: listed([*entries(deed)[1:], entries(deed)[0]]), ("greedy",) * 2),
    "no shuffle in an exchange": (in_an_exchange(lambda deed: listed(deed.stirred.entries)), ("-3",) * 2),
    "a tile of another's rack into the bag of an exchange": (in_an_exchange(stolen), ("-3",) * 2),
}


@SEATS
@pytest.mark.parametrize("how", DISHONEST)
def test_a_dishonest_shuffle_plays_on_and_the_audit_names_it(how: str, seats: int) -> None:
    """ "plays normally and is proved with certainty only at the audit (a test must show exactly that)" """
    twist, plan = DISHONEST[how]
    sitting = cheat(SHUFFLE, twist, seats=seats, plan=plan)
    assert sitting.refusal is None and sitting.table.complete
    named(sitting)


def named(sitting: Cheated, kind: str = SHUFFLE) -> None:
    """The audit says 1, and names the crook and the event."""
    report = sitting.report
    assert (report.code, report.integrity.verdict, report.rules.verdict) == (TAMPERED, "good", "good")
    assert report.deal.verdict == "broken" and report.deal.event is not None
    event = sitting.table.chain.events[report.deal.event].event
    assert (event.seat, event.type) == (sitting.crook, kind)
    assert f"seat {sitting.crook + 1} ({NAMES[sitting.crook]}) wrote a {kind}" in report.deal.message


@SEATS
@pytest.mark.parametrize("last", [True, False])
def test_own_encryptions_show_the_crook_everything_until_the_next_shuffle(seats: int, *, last: bool) -> None:
    """ "knows where its tiles lie until the next honest shuffle": only the last to shuffle knows all racks."""
    bag = at_the_start(lambda deed: hidden_as(deed, list(range(100))))
    sitting = cheat(SHUFFLE, bag, crook=seats - 1 if last else 0, seats=seats)
    deal = sitting.table.position.deal
    assert sitting.refusal is None and isinstance(deal, FairDeal)
    first = sorted(slot for slot in deal.held if slot < 9 * seats)
    foreseen = [deal.opened(replace(deal.held[slot], shares={})) == slot for slot in first]
    assert all(foreseen) if last else not all(foreseen)
    named(sitting)


# -- bad bags


def bad_bag(number: Callable[[int], int], crook: int, seats: int) -> Cheated:
    """The last seat makes its own bag, in which the tile on place `at` is `number(at)`; they play until it shows."""
    return cheat(
        SHUFFLE,
        at_the_start(lambda deed: hidden_as(deed, [number(at) for at in range(len(deed.stirred))])),
        crook=crook,
        seats=seats,
        plan=["greedy"] * 100,
        options="",
    )


BAD: dict[str, Callable[[int], int]] = {
    "one tile twice on one rack": lambda at: 0 if at == 1 else at,
    "no tile": lambda at: 1000 if at == 3 else at,
    "one tile on two racks": lambda at: 0 if at == 9 else at,
    "one tile twice, the second far down": lambda at: 0 if at == 60 else at,
    "nothing but one tile": lambda at: 7,
}


@SEATS
@pytest.mark.parametrize("how", BAD)
def test_a_bad_bag_is_proved_by_a_fault(how: str, seats: int) -> None:
    """The game stops, nobody wins, everybody shows the seed, and the audit names whoever shuffled it in."""
    sitting = bad_bag(BAD[how], seats - 1, seats)
    assert sitting.refusal is None and sitting.table.complete
    types = [signed.event.type for signed in sitting.table.chain.events]
    assert types.count(FAULT) == 1 and set(types[types.index(FAULT) + 1 :]) == {REVEAL}
    outcome = sitting.table.position.outcome
    assert outcome is not None and outcome.winners == () and "bad" in outcome.how
    named(sitting)


@SEATS
def test_a_fault_is_no_way_out(seats: int) -> None:
    """Claimed with good tiles, of one's own, another's, or none, it is refused: "nobody can be made to reveal"."""
    claims: list[Callable[[Deed], list[dict[str, Any]]]] = [
        lambda deed: deed.openings(list(deed.deal.hidden(CROOK))[:2]),
        lambda deed: [],
        lambda deed: [{**deed.openings([min(deed.deal.hidden(CROOK))])[0], "slot": slot_of(deed, 0)}],
        lambda deed: [{**deed.openings([min(deed.deal.hidden(CROOK))])[0], "point": group.BASE.hex()}],
    ]
    codes = ["deal_fault", "schema", "not_in_rack", "deal_share"]
    for claim, code in zip(claims, codes, strict=True):
        once_dealt = lambda deed, claim=claim: (  # noqa: E731 - bound to the claim
            (FAULT, {"shares": claim(deed)}) if deed.deal.hidden(CROOK) else deed.body
        )
        assert cheat(SHARES, once_dealt, seats=seats).refusal == code
        assert cheat(REVEAL, once_dealt, seats=seats).refusal == code


@SEATS
def test_a_bag_is_proved_bad_once(seats: int) -> None:
    """A second fault would keep the game from its end."""
    sitting = bad_bag(BAD["one tile twice on one rack"], seats - 1, seats)
    faults = [signed.event for signed in sitting.table.chain.events if signed.event.type == FAULT]
    again = Sitting("binary-scrabble", "", seats, fair=True)
    lines, at = sitting.lines, faults[0].seq
    again.table = type(again.table).load(lines[: 2 * at + 2], again.host.rules_for)
    due = again.table.position.due
    while due != faults[0].seat:
        seq = again.table.chain.seq + 1
        again.table.accept(lines[2 * seq])
        again.table.accept(lines[2 * seq + 1])
        due = again.table.position.due
    dealer = sitting.dealers[faults[0].seat]
    honest = getattr(dealer, "honest", dealer)
    assert isinstance(honest, FairDealer) and isinstance(again.table.position.deal, FairDeal) and again.turn
    slots = [share["slot"] for share in faults[0].body["shares"]]
    with pytest.raises(IllegalMove, match="stopped"):
        again.write(FAULT, {"shares": honest._openings(again.table.position.deal, again.turn, slots)})


@SEATS
def test_bad_tiles_are_not_hidden_at_the_end(seats: int) -> None:
    """A seat that holds one and shows its seed without a word is refused: the fault comes first."""
    bag = at_the_start(lambda deed: hidden_as(deed, [7] * len(deed.stirred)))
    sitting = Blind(SHUFFLE, bag, crook=0, seats=seats).follow([])
    assert sitting.refusal == "deal_fault"
    assert_found_by_the_audit(sitting)


class Blind(Cheated):
    """Nobody looks at the tiles."""

    def _dealer(self, seat: int) -> Any:
        dealer = super()._dealer(seat)
        vars(dealer)["fault"] = lambda deal, turn: None
        return dealer


# -- seeds


@SEATS
@pytest.mark.parametrize("plan", [["greedy", "greedy"], []])
def test_a_withheld_seed_is_named(plan: list[str], seats: int) -> None:
    """ "A withheld seed is reported by name as 'unaudited' (exit 4)." """
    sitting = Cheated(REVEAL, lambda deed: (MOVE, {"move": "pass"}), seats=seats).follow(plan)
    assert sitting.refusal == "deal"
    report = sitting.report
    assert (report.code, report.deal.verdict) == (CANNOT_JUDGE, "unaudited")
    assert "seat 2 (Bob)" in report.deal.message and "seat 1" not in report.deal.message
    assert "seat 2 owes" in report.owes


@SEATS
def test_whoever_resigns_owes_the_seed_too(seats: int) -> None:
    """Giving up a lost game hides nothing."""
    sitting = Cheated(REVEAL, lambda deed: changed(deed, "seed"), seats=seats)
    for seat in range(1, seats):
        sitting.resign(seat)
    assert sitting.refusal == "seed"
    assert (sitting.report.code, sitting.report.deal.verdict) == (CANNOT_JUDGE, "unaudited")


@SEATS
def test_a_commitment_holds_in_one_game_and_seat(seats: int) -> None:
    """Copied from another game or another seat it is opened by nothing, even if its owner proves a key for it."""
    for other in ({"game": bytes(16)}, {"seat": 3}):

        def copied(deed: Deed, other: dict[str, Any] = other) -> dict[str, Any]:
            commit = of_another(deed, **other).commit
            return {"commit": commit.hex()} if deed.kind == COMMIT else proved_for(deed, commit)

        assert cheat(COMMIT, copied, seats=seats).refusal == "deal_key"
        sitting = cheat((COMMIT, KEY), copied, seats=seats)
        assert sitting.refusal == "seed"
        assert (sitting.report.code, sitting.report.deal.verdict) == (CANNOT_JUDGE, "unaudited")


def proved_for(deed: Deed, commit: bytes) -> dict[str, Any]:
    """The crook's key with a good proof beside a commitment that is not its seed's."""
    secrets, nonce = deed.secrets, group.hashed(b"any")
    statement, r = egb1._key_statement(secrets.game, secrets.seat, commit, secrets.public), group.times_base(nonce)
    z = group.multiply_add(egb1._challenge(statement, r), secrets.x, nonce)
    return egb1.KeyPost(secrets.public, r, z).as_json()


@SEATS
def test_a_key_not_from_the_seed_is_found_when_it_is_shown(seats: int) -> None:
    """With a good proof it passes until then; the seat never gets a seed in that opens both."""
    other = lambda deed: replace(deed.secrets, seed=bytes(32)).key(deed.turn.prev).as_json()  # noqa: E731 - said once
    assert cheat(KEY, other, seats=seats).refusal == "deal_key"


def test_the_seed_of_a_leaver_must_be_its_own() -> None:
    """Another, or none, is refused; the right one shows the rack."""
    sitting = Sitting("binary-scrabble", "", 3, fair=True)
    with pytest.raises(IllegalMove) as refused:
        sitting.write("leave", {"of": sitting.table.position.due, "seed": sha256(b"another").hex()})
    assert refused.value.code == "seed"
    with pytest.raises(IllegalMove) as refused:
        sitting.write("leave", {"of": sitting.table.position.due})
    assert refused.value.code == "seed"


# -- the honest


@SEATS
def test_without_deviation_the_same_games_are_good(seats: int) -> None:
    """Else the tests above would show nothing."""
    for plan in (["greedy"] * 4, ["-2", "greedy", "-3", "pass"], []):
        sitting = cheat("none", lambda deed: deed.body, seats=seats, plan=plan)
        assert sitting.refusal is None and sitting.report.code == GOOD


# -- between nodes


HOME_OF_THE_CROOK = 1


def only_honest(who: int, chain: Any) -> FairDealer | None:
    """The crook's program is its own: it writes what it is told to."""
    return None if who == HOME_OF_THE_CROOK else fair_dealer(who, chain)


@SEATS
@pytest.mark.parametrize(
    "how",
    ["a key that cancels another's", "an entry twice", "a second point that is tagged", "a proof with another z"],
)
def test_honest_programs_refuse_and_stop(how: str, seats: int) -> None:
    """The false event comes over the wire: every honest seat answers with a signed refusal, and writes nothing."""
    kind, twist, code = REFUSED[how]
    net = Mesh(seats, dealer_of=only_honest).sit("", game="binary-scrabble")
    crook = net.session(HOME_OF_THE_CROOK)
    dealer = fair_dealer(HOME_OF_THE_CROOK, crook.table.chain)
    assert dealer is not None
    due, body, deal, turn = owed(net, dealer)
    while due != kind:
        net.act(HOME_OF_THE_CROOK, lambda session, due=due, body=body: session.write(due, body))  # type: ignore[misc]
        due, body, deal, turn = owed(net, dealer)
    made = twist(Deed(due, body, deal, turn, dealer._secrets[1], dealer))
    assert isinstance(made, dict)
    before = [list(disk.lines[net.game]) for disk in net.disks]
    false = sign(crook.table.draft(kind, made, 0), key(HOME_OF_THE_CROOK))
    honest = [who for who in range(seats) if who != HOME_OF_THE_CROOK]
    for who in honest:
        net.send(HOME_OF_THE_CROOK, who, false)
    for who in honest:
        assert net.session(who).stopped and not net.session(who).my_turn
        (nack,) = {news.nack.code: news.nack for news in net.told(who, Refused)}.values()
        assert (nack.code, nack.h) == (code, false.h) and nack.seat != HOME_OF_THE_CROOK
        assert [kind for kind, _ in net.disks[who].kept] and net.disks[who].lines[net.game] == before[who]


def owed(net: Mesh, dealer: FairDealer) -> tuple[str, dict[str, Any], FairDeal, Turn]:
    """What an honest program would write in the crook's place, and where it would stand."""
    table = net.session(HOME_OF_THE_CROOK).table
    event, deal = table.draft("", {}, 0), table.position.deal
    assert event.seat == HOME_OF_THE_CROOK and isinstance(deal, FairDeal)
    turn = Turn(event.game, event.prev, event.seat, event.seq)
    return (*dealer.owes(deal, turn), deal, turn)
