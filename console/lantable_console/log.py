"""`lantable log list|show`: what is in this home, and one record an event a line.

What happened is read off the record alone; its moves are shown in the game's own notation, so that no plugin
is needed. A record that is not good is shown to its last good event. Showing is not judging whether a game
was finished: the exit code is the audit's, but 0 for a good record that is unfinished.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from lantable.canonical import is_array
from lantable.chain import Chain
from lantable.dealing import fair, seed
from lantable.errors import LantableError
from lantable.events import FLAG, Event, Offer
from lantable.fold import MAX_MOVE
from lantable.game import told, typed
from lantable.host import Host
from lantable.text import safe_name, safe_text
from lantable_console.context import Context
from lantable_console.home import local_time
from lantable_console.language import N_, by_language, shown, tr, trs
from lantable_replays.archive import Summary
from lantable_replays.audit import GOOD, UNFINISHED, Report, audit, outcome_text
from lantable_replays.record import load, read


def run(context: Context) -> int:
    """`lantable log list|show`."""
    return {"list": _list, "show": _show}[context.args.what](context)


# -- list


def _list(context: Context) -> int:
    """Newest first. Broken records are listed as such, and cause no exit code."""
    summaries = list(context.home.archive.list(context.host.rules_for))
    for summary in sorted(summaries, key=lambda summary: -summary.began):
        context.say("  ".join((summary.game.hex()[:8], *_facts(context, summary), _state(context, summary))))
    if not summaries:
        context.say(tr("there is no record in {folder}", folder=safe_text(str(context.home.archive.folder))))
    return GOOD


def _facts(context: Context, summary: Summary) -> Iterator[str]:
    offer = summary.offer
    if offer is not None:
        yield local_time(summary.began)
        yield game_words(context.host, offer)
        yield ", ".join(safe_name(seat.name) for seat in offer.seats)


def _state(context: Context, summary: Summary) -> str:
    """How a game stands. What is not complete is read more closely, to say whose turn it is or what is wrong."""
    stopped = tr("stopped, lantable audit tells why; ") if summary.stopped else ""
    if summary.outcome is not None and summary.state == "complete":
        return tr("{stopped}complete: {outcome_text}", stopped=stopped, outcome_text=outcome_text(summary.outcome))
    if summary.state == "unknown rules" or summary.offer is None:
        return f"{stopped}{summary.state}: {safe_text(summary.note)}"
    report = audit(context.home.archive.read(summary.game), context.host.rules_for)
    if report.owes:
        return tr("{stopped}unfinished: {owes}", stopped=stopped, owes=report.owes)
    word, message = standing(report)
    return f"{stopped}{word.lower()}: {message}"


# -- show


def _show(context: Context) -> int:
    data = load(context.record_path(context.args.file))
    report = audit(data, context.host.rules_for)
    chain = read(data).chain if report.game else None
    if chain is not None:
        context.say(tr("game {game}: {game_words}", game=report.game, game_words=game_words(context.host, chain.offer)))
        for player in report.players:
            context.say(
                tr(
                    "seat {seat} {name}, key {words} {hex}",
                    seat=player.seat,
                    name=player.name,
                    words=player.key.words,
                    hex=player.key.hex,
                )
            )
        tell = None if report.complete else teller(context.host, chain.offer)
        for seq in range(good_events(report)):
            context.say(event_line(chain, seq, tell))
    if shown_code(report) == GOOD:
        context.say(ending(report))
    return conclude(context, report)


def good_events(report: Report) -> int:
    """How many events from the first on are worth showing: up to the first that breaks the rules."""
    breach = report.rules.event if report.rules.verdict == "broken" else None
    return report.events if breach is None else breach


def shown_code(report: Report) -> int:
    """The exit code of showing a record: the audit's, but a game need not be finished to be shown."""
    return GOOD if report.code == UNFINISHED else report.code


def conclude(context: Context, report: Report) -> int:
    """Say what is wrong with a record that was shown, if anything is, and give the exit code."""
    code = shown_code(report)
    if code != GOOD:
        word, message = standing(report)
        context.warn(f"{word.lower()}: {message}")
    return code


# -- in words


def standing(report: Report) -> tuple[str, str]:
    """How far a record can be believed: a word in capitals, and the sentence that says why.

    UNREADABLE, BROKEN at n, UNKNOWN RULES, UNSIGNED BY OTHERS or VERIFIED. UNSIGNED BY OTHERS is a record that is
    good but that one key made alone: it shows what that machine says, and nobody else vouches for it.
    """
    integrity, rules = report.integrity, report.rules
    if integrity.verdict == "unreadable":
        return N_("UNREADABLE"), shown(integrity.message)
    for level in (rules, report.deal, integrity):
        if level.verdict == "broken":
            return "BROKEN" if level.event is None else f"BROKEN at {level.event}", shown(level.message)
    for level in (rules, integrity):
        if level.verdict in ("unknown", "newer"):
            return N_("UNKNOWN RULES"), shown(level.message)
    if len({player.key for player in report.players}) == 1:
        return N_("UNSIGNED BY OTHERS"), tr("one machine signed everything, so nobody else vouches for it")
    return N_("VERIFIED"), shown(integrity.message)


def ending(report: Report) -> str:
    """How a good record ends."""
    return tr("unfinished: {owes}", owes=report.owes) if report.owes else tr("complete: {result}", result=report.result)


def game_words(host: Host, offer: Offer) -> str:
    """`TITLE 1.0, size=3x3`: the title if the game is installed, and the options that are not as usual."""
    game = host.games.get(offer.game)
    title = by_language(game.titles) if game else offer.game
    usual = {option.name: option.default for option in game.options} if game else {}
    odd = [
        f"{name}={typed(value)}" for name, value in sorted(offer.options.items()) if (name, value) not in usual.items()
    ]
    rules = [tr("house rule {name} {version}", name=name, version=version) for name, version in offer.house_rules]
    clock = [] if offer.clock is None else [tr("clock {clock}", clock=offer.clock)]
    clock += (
        [tr("overtime {overtime}", overtime=offer.clock.overtime)]
        if offer.clock is not None and offer.clock.points
        else []
    )
    return ", ".join(safe_text(part, 80) for part in (f"{title} {offer.version}", *odd, *rules, *clock))


Tell = Callable[[str], str]
"""A move as everybody may read it before the game is over."""


def teller(host: Host, offer: Offer) -> Tell | None:
    """What hides from the reader of an unfinished record what the players still hide from each other."""
    try:
        rules = host.rules_for(offer)
    except LantableError:
        unknown = tr("(not shown: the game is not over, and its rules are unknown)")
        return None if offer.dealing is None else lambda _: unknown
    return lambda move: told(rules, move)


def event_line(chain: Chain, seq: int, tell: Tell | None = None) -> str:
    """One event of a record: number, time, who, what, and how many acknowledged it."""
    event = chain.events[seq].event
    who, what = _by(chain.offer, event.seat), event_words(event, chain.offer, tell)
    return f"{seq:>4}  {local_time(event.t)}  {who}  {what}  ({_acknowledgements(chain, seq)})"


def short_line(event: Event, offer: Offer, tell: Tell | None = None) -> str:
    """Number, name and deed, for a list beside a picture."""
    name = (
        safe_name(offer.seats[event.seat].name)
        if event.seat < len(offer.seats)
        else tr("seat {seat}", seat=event.seat + 1)
    )
    return f"{event.seq:>3} {name} {event_words(event, offer, tell)}"


def event_words(event: Event, offer: Offer, tell: Tell | None = None) -> str:
    """What an event did, as a verb phrase for its author. Nothing is hidden without `tell`: then the game is over."""
    if event.type == "move":
        move = str(event.body.get("move"))
        return tr("plays {what}", what=safe_text(tell(move) if tell else move, MAX_MOVE))
    if event.type == seed.TILES:
        return _tiles(event, offer, shown=tell is None)
    return _WHAT[event.type](event, offer)


def _by(offer: Offer, seat: int) -> str:
    """`seat 2 Bob`. A record that was not judged by the rules may name seats that do not exist."""
    return (
        tr("seat {seat} {name}", seat=seat + 1, name=safe_name(offer.seats[seat].name))
        if seat < len(offer.seats)
        else tr("seat {seat}", seat=seat + 1)
    )


def _tiles(event: Event, offer: Offer, *, shown: bool) -> str:
    # A record that was not judged by the rules may hold anything here.
    body: dict[str, Any] = event.body
    tiles: list[Any] = body["tiles"] if is_array(body.get("tiles")) else []
    whom = _by(offer, body["to"]) if isinstance(body.get("to"), int) else "nobody"
    what = safe_text(" ".join(map(str, tiles)), MAX_MOVE) if shown else ""
    count = trs("{n} tile", "{n} tiles", len(tiles))
    return tr("draws {count} for {whom}", count=count, whom=whom) + (f": {what}" if what else "")


def _toss(event: Event, offer: Offer) -> str:
    seat = event.body.get("seat")
    return tr("draws lots: {what} begins", what=_by(offer, seat) if isinstance(seat, int) else tr("nobody"))


def _shares(event: Event, offer: Offer) -> str:
    shares: Any = event.body.get("shares")
    count = len(shares) if is_array(shares) else 0
    return tr("gives its share of {tiles} to who draws them", tiles=trs("{n} tile", "{n} tiles", count))


def _withdrawal(verb: str) -> Callable[[Event, Offer], str]:
    def words(event: Event, offer: Offer) -> str:
        of: Any = event.body["of"]
        return verb if of == event.seat else tr("writes that {by} {verb}", by=_by(offer, of), verb=verb)

    return words


_WHAT: Final[dict[str, Callable[[Event, Offer], str]]] = {
    "genesis": lambda event, offer: tr("begins a game of {seats} seats", seats=len(offer.seats)),
    FLAG: lambda event, offer: tr("runs out of time"),
    "resign": _withdrawal("resigns"),
    "leave": _withdrawal("leaves"),
    "takeback": lambda event, offer: tr("takes back to event {to}, as all agreed", to=event.body["to"]),
    "draw": lambda event, offer: tr("ends the game as a draw, as all agreed"),
    "stop": lambda event, offer: tr("stops the game, as all agreed"),
    seed.TOSS: _toss,
    seed.SEED: lambda event, offer: tr("shows the seed from which everything was drawn"),
    fair.TOSS_COMMIT: lambda event, offer: tr("commits to a number for the toss"),
    fair.TOSS_OPEN: lambda event, offer: tr("opens that number"),
    fair.COMMIT: lambda event, offer: tr("commits to a secret for the dealing"),
    fair.KEY: lambda event, offer: tr("gives a key for the dealing"),
    fair.SHUFFLE: lambda event, offer: tr("shuffles the bag"),
    fair.SHARES: _shares,
    fair.FAULT: lambda event, offer: tr("proves that the bag is bad"),
    fair.REVEAL: lambda event, offer: tr("shows the secret of the dealing"),
}


def _acknowledgements(chain: Chain, seq: int) -> str:
    if seq >= len(chain.seals):
        return tr("not yet acknowledged")
    count = len(chain.seals[seq].sigs)
    return trs("{n} acknowledgement", "{n} acknowledgements", count)
