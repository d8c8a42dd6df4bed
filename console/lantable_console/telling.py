"""What happens in a game, told in words: events, offers, endings. And everything done in it, which is news too.

Each line makes sense alone, since nothing that was told is ever rewritten.
"""

from functools import partial
from typing import Any, Final

from lantable.clock import RAN_OUT, shown
from lantable.dealing import fair
from lantable.dealing.kinds import EVENTS as DEALS
from lantable.events import Event, NoticeKind
from lantable.fold import Position
from lantable.game import Outcome, told
from lantable.text import safe_text
from lantable_console.board import Board
from lantable_console.driver import Do, News
from lantable_console.language import N_, tr
from lantable_console.log import event_words
from lantable_net.news import (
    Acknowledged,
    Agreed,
    Forked,
    NeverBegan,
    OfferClosed,
    Offered,
    Played,
    Refused,
    Settled,
    Stuck,
    Wished,
)
from lantable_net.offers import Closed, OpenOffer

DOUBT: Final = 5_000
"""Milliseconds by which two measures of a turn must differ to be worth telling."""
WISHES: Final[dict[NoticeKind, str]] = {
    "resign": N_("* {name} resigns"),
    "leave": N_("* {name} leaves the game"),
}


class Telling:
    """News of one game in, lines out."""

    def __init__(self, board: Board, news: News, told: int | None) -> None:
        self.board = board
        self.news = news
        self.told = told
        """The last event that was told, or had happened before this began; None: all that are there when it begins."""
        self.never_began = False
        """Whether the game turned out to be none: a seat could not accept its event 0 any more."""
        self._said_over = False

    async def act(self, do: Do) -> None:
        """Do something in the game and tell what came of it."""
        await self.board.driver.act(do)
        self.tell_all()

    def tell_all(self) -> None:
        """Tell all news there is by now."""
        for item in self.news.take():
            self.tell(item)

    def tell(self, news: Any) -> None:
        """One line of news."""
        match news:
            case Played(position, seen):
                self._tell_event(position, seen)
            case Offered(offer):
                self._ask_about(offer)
            case Agreed(seat, offer):
                self.board.say(
                    tr(
                        "* {name} agrees: {offer_words}",
                        name=self.board.name(seat),
                        offer_words=self.offer_words(offer),
                    )
                )
            case OfferClosed(offer, why, by):
                self._tell_closed(offer, why, by)
            case Acknowledged(position) if position.outcome is not None and not self._said_over:
                self._said_over = True
                self.board.say(tr("* game over: {ending}", ending=ending(self.board, position.outcome)))
            case Settled() if len(set(self.board.session.table.chain.owners)) > 1:
                self.board.say(tr("* everyone is here and has the same record; the game goes on"))
            case Wished(notice):
                words = WISHES[notice.kind]
                self.board.say(tr(words, name=self.board.name(notice.seat)))
            case NeverBegan():
                self.never_began = True
            case Forked() | Refused() | Stuck():
                self.board.say(_stop_words(self.board, news))
            case str():
                self.board.say(f"* {news}")
            case _:
                pass

    def _tell_event(self, position: Position, seen: int | None = None) -> None:
        event = position.last
        if event is None:
            return
        self.told = position.seq
        if position.tossed is not None and (position.before is None or position.before.tossed is None):
            self.board.say(tr("* the lot fell on {name}, who begins", name=self.board.name(position.tossed)))
        # Of the dealing's many events people want the outcome; `lantable log` has them all.
        if event.type in fair.EVENTS and event.type != fair.FAULT:
            return
        self.board.say(_event_line(self.board, position, event))
        used = event.body.get("used")
        if seen is not None and isinstance(used, int) and abs(seen - used) > DOUBT:
            here, there = round(seen / 1000), round(used / 1000)
            self.board.say(
                tr(
                    "* that took {here} s by the clock here and {there} s by the player's own, which counts",
                    here=here,
                    there=there,
                )
            )

    # -- offers

    def offer_words(self, offer: OpenOffer) -> str:
        """What it would do, in words."""
        if offer.to is None:
            return tr("a draw") if offer.kind == "draw" else tr("to stop here and count")
        events = self.board.session.table.chain.events[: offer.to + 1]
        event = next((one.event for one in reversed(events) if one.event.type not in DEALS), None)
        if event is None or event.type == "genesis":
            return tr("back to move {to}, the beginning", to=offer.to)
        tell = partial(told, self.board.position.rules)
        return tr(
            "back to move {to}, when {name} {event_words}",
            to=offer.to,
            name=self.board.name(event.seat),
            event_words=event_words(event, self.board.offer, tell),
        )

    def about(self, offer: OpenOffer) -> tuple[bytes, OpenOffer]:
        return self.board.session.game, offer

    def _ask_about(self, offer: OpenOffer) -> None:
        """Somebody's offer is a question with a number, so that no key answers another than was meant."""

        async def answer(agree: bool) -> None:
            await self.act(lambda session: session.answer(offer, agree=agree))

        text = tr("{name} offers {offer_words}", name=self.board.name(offer.seat), offer_words=self.offer_words(offer))
        question = self.board.context.questions.ask(
            self.about(offer), text, partial(answer, True), partial(answer, False)
        )  # fmt: skip
        self.board.say(tr("* {line}; playing on says no", line=question.line))

    def _tell_closed(self, offer: OpenOffer, why: Closed, by: int | None) -> None:
        question = self.board.context.questions.drop(self.about(offer))
        what = self.offer_words(offer)
        if by is not None:
            self.board.say(tr("* {name} declines: {what}", name=self.board.name(by), what=what))
        elif why is not Closed.GRANTED and (question is not None or offer.seat == self.board.session.me):
            number = "" if question is None else f"{question.number}: "
            self.board.say(
                tr(
                    "* {number}the offer of {name} is not open any more ({value}): {what}",
                    number=number,
                    name=self.board.name(offer.seat),
                    value=why.value,
                    what=what,
                )
            )


def _event_line(board: Board, position: Position, event: Event) -> str:
    """An event and what it made of the score and of its author's time."""
    tell = None if position.outcome is not None else partial(told, position.rules)
    what = event_words(event, board.offer, tell)
    if event.type == "move" and (event.seat, RAN_OUT) in position.withdrawn:
        what += tr(", but ran out of time before")
    clocks = position.clocks if "used" in event.body else None
    time = "" if clocks is None else tr("; {left} left", left=shown(clocks.left[event.seat]))
    return tr(
        "* {seq} {name} {what}; score {score}{time}",
        seq=event.seq,
        name=board.name(event.seat),
        what=what,
        score=board.score(position.standing),
        time=time,
    )


def _stop_words(board: Board, news: Forked | Refused | Stuck) -> str:
    """Why a game does not go on."""
    match news:
        case Forked(proof):
            return tr(
                "* STOPPED: the key of {name} signed two different things as event {seq}; "
                "the proof is kept beside the record",
                name=board.name(proof.seat),
                seq=proof.seq,
            )
        case Refused(nack):
            return tr(
                "* STOPPED: {name} refuses event {seq} ({code}); both are kept beside the "
                "record, and an audit judges them",
                name=board.name(nack.seat),
                seq=nack.seq,
                code=safe_text(nack.code, 40),
            )
        case Stuck(reason):
            return tr("* the game cannot go on here now: {reason}", reason=safe_text(reason))


def ending(board: Board, outcome: Outcome) -> str:
    """Who won, in words."""
    winners = [board.name(seat) for seat in outcome.winners]
    who = (
        tr("{winners} wins", winners=winners[0])
        if len(winners) == 1
        else tr("a draw between {winners}", winners=" and ".join(winners))
    )
    return f"{who} ({board.score(outcome)}; {outcome.how})"
