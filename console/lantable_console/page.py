"""`lantable page`: a recorded game as one page that any browser shows and steps through, without lantable or a network.

The page is made of what a replay shows: the same positions, seen with the same eyes, the same words and marks. It
stands alone: style, script and, once nothing is hidden any more, the record itself are in it, and its policy forbids
it to load or send anything. Without its script it still shows the last position and every event. Whatever a player or
a plugin supplied is escaped here and set as text there, never as markup.
"""

import json
from base64 import b64encode
from collections.abc import Hashable
from dataclasses import asdict, dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any, Final

from lantable import __version__
from lantable.dealing import dealt
from lantable.errors import Misuse
from lantable.text import safe_name
from lantable_console.context import Context
from lantable_console.home import local_time
from lantable_console.language import spoken, tr
from lantable_console.log import conclude, game_words, standing
from lantable_console.replay import SHORTEST, Viewer, chosen_record, panel, picture
from lantable_console.screen.frame import Row, width_of
from lantable_console.screen.picture import drawn
from lantable_console.screen.theme import enriched
from lantable_replays import system
from lantable_replays.audit import audit
from lantable_replays.cursor import Cursor
from lantable_replays.record import load

_PARTS: Final = Path(__file__).parent / "web"
SPEEDS: Final = ("0.25", "0.5", "1", "2", "4", "8", "16")


def run(context: Context) -> int:
    """`lantable page FILE|GAME-ID [--to FILE]`. Exit code as `replay`."""
    data = load(chosen_record(context))
    report = audit(data, context.host.rules_for)
    viewer = Viewer(context, Cursor(data, context.host.rules_for), report, cap=context.settings.number("idle_cap"))
    text = page(viewer, data).encode()
    path = Path(context.args.to or f"lantable-{report.game[:8]}.html")
    _write(path, text, report.game)
    context.say(tr("{path} is written; open it in any browser", path=str(path)))
    return conclude(context, report)


def export(viewer: Viewer, data: bytes, to: str = "") -> Path:
    """Write the game of a replay as a page, to a file of that name or to a free one; where it lies, in full.

    An older page of the same game is replaced and nothing else. Raises `Misuse`, `DiskFault`.
    """
    game, at = viewer.report.game, viewer.cursor.at
    path = Path(to).expanduser() if to else _free(game)
    try:
        _write(path, page(viewer, data).encode(), game)
    finally:
        viewer.cursor.seek(at)  # whoever looks at it stays where they are
    return path.absolute()


def _free(game: str) -> Path:
    """A name that nothing has, but for an older page of this game."""
    names = (Path(f"lantable-{game[:8]}{more}.html") for more in ("", *(f"-{number}" for number in range(2, 100))))
    return next(path for path in names if not path.exists() or _is_page(path, game))


def _is_page(path: Path, game: str) -> bool:
    return path.is_file() and load(path).startswith(_first_line(game).encode())


def _write(path: Path, text: bytes, game: str) -> None:
    """Write it, over an older page of the same game but over nothing else. Raises `Misuse`, `DiskFault`."""
    if path.exists() and not _is_page(path, game):
        raise Misuse(tr("{path} is there already, and no page of this game; name another file", path=str(path)))
    # A page is there to be shown, so others may read it as far as this person's files are read by others.
    new = path.with_name(path.name + ".new")
    with system.reporting("write", path):
        new.write_bytes(text)
        new.replace(path)


def _first_line(game: str) -> str:
    return f"<!doctype html><!-- lantable {game} -->\n"


# -- what there is to see


@dataclass(frozen=True, slots=True)
class Step:
    """One event: what is said of it, why it is marked, and what is seen after it, as places in lists of such."""

    said: str
    mark: str
    board: int
    panel: int
    pause: int
    """Milliseconds that a run rests before it."""


class Once:
    """Different things, each kept once: most events of a fair deal leave the board as it is. O(1) each."""

    def __init__(self) -> None:
        self._places: dict[Hashable, int] = {}

    def place(self, thing: Hashable) -> int:
        """Where it is kept."""
        return self._places.setdefault(thing, len(self._places))

    def all(self) -> list[Any]:
        return list(self._places)


def steps(viewer: Viewer, boards: Once, panels: Once) -> list[Step]:
    """Every good event, from the first on; what is seen is kept in `boards` and `panels`."""
    found: list[Step] = []
    for seq, said in enumerate(viewer.event_words()[: viewer.last + 1]):
        viewer.cursor.seek(seq)
        seen, more = _seen(viewer)
        rest = min(viewer.thought(seq), viewer.cap) if viewer.cap else viewer.thought(seq)
        pause = round(max(rest, SHORTEST) * 1000)
        found.append(Step(said.strip(), viewer.marks().get(seq, ""), boards.place(seen), panels.place(more), pause))
    return found


def _seen(viewer: Viewer) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    looks = viewer.context.face.looks
    image = picture(viewer.cursor.position, viewer.eyes())
    rows = drawn(enriched(image) if looks.unicode else image, None)
    return tuple(rows), tuple(panel(viewer.cursor.position, image, viewer.eyes(), looks))


# -- the page


def page(viewer: Viewer, data: bytes) -> str:
    """The whole page. `data` is the record as it lies on disk."""
    boards, panels = Once(), Once()
    walk = steps(viewer, boards, panels)
    script = _part("replay.js")
    game = {
        "steps": [asdict(step) for step in walk],
        "boards": [[[[piece.text, piece.style] for piece in row] for row in board] for board in boards.all()],
        "panels": panels.all(),
        "words": {"at": tr("event {at} of {last}"), "run": tr("Run"), "stop": tr("Stop")},
    }
    last = walk[-1]
    return Template(_part("replay.html")).substitute(
        first_line=_first_line(viewer.report.game).strip(),
        lang=spoken(),
        # The policy names the one script there is; data that a browser does not run need not be named.
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        style=_part("replay.css"),
        script=script,
        # "<" cannot end the element that the data stands in, nor begin another.
        game=json.dumps(game, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        columns=max(width_of(row) for board in boards.all() for row in board or ((),)),
        board="".join(_line(row) for row in boards.all()[last.board]),
        panel=escape("\n".join(panels.all()[last.panel])),
        said=escape(last.said),
        count=len(walk) - 1,
        events="\n".join(_event(number, step) for number, step in enumerate(walk)),
        speeds="".join(_speed(speed) for speed in SPEEDS),
        record=_record(viewer, data),
        **{name: escape(text) for name, text in _words(viewer).items()},
    )


def _part(name: str) -> str:
    return (_PARTS / name).read_text(encoding="utf-8")


def _line(row: Row) -> str:
    return "".join(f'<span class="{escape(piece.style)}">{escape(piece.text)}</span>' for piece in row) + "\n"


def _event(number: int, step: Step) -> str:
    mark = f"  [{step.mark}]" if step.mark else ""
    return f'<li><a href="#{number}">{escape(step.said + mark)}</a></li>'


def _speed(speed: str) -> str:
    chosen = " selected" if speed == "1" else ""
    return f'<option value="{speed}"{chosen}>{speed}x</option>'


def _record(viewer: Viewer, data: bytes) -> str:
    """A link to the record, which is in the page; nothing where it would show what players still hide."""
    if not viewer.report.complete and dealt(viewer.cursor.position.rules) is not None:
        return ""
    name = f"lantable-{viewer.report.game[:8]}.jsonl"
    what = escape(tr("Save the record: {name}", name=name))
    return f'<p><a download="{name}" href="data:application/jsonl;base64,{b64encode(data).decode()}">{what}</a></p>'


def _words(viewer: Viewer) -> dict[str, str]:
    offer, report = viewer.cursor.offer, viewer.report
    word, why = standing(report)
    players = ", ".join(f"{player.name} ({player.key.words})" for player in report.players)
    return {
        "title": game_words(viewer.context.host, offer),
        "names": ", ".join(safe_name(seat.name) for seat in offer.seats),
        "players": players,
        "began": local_time(viewer.cursor.chain.events[0].event.t),
        "word": tr(word),
        "why": why,
        "ending": viewer.at_the_end(),
        "secrecy": viewer.secrecy(),
        "to_first": tr("First"),
        "to_back": tr("Back"),
        "to_on": tr("On"),
        "to_end": tr("Last"),
        "to_run": tr("Run"),
        "of_slider": tr("event"),
        "of_speed": tr("speed"),
        "of_board": tr("the board"),
        "of_events": tr("all events"),
        "keys": tr("Left, Right: one event. Home, End: first, last. [ ]: marks. Space: run. , .: speed."),
        "made": tr(
            "Written by lantable {version}, which checked the record then. To check it yourself: lantable audit",
            version=__version__,
        ),
    }
