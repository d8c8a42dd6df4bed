"""The keys of the command table as prompt_toolkit has them, and their names for people.

Where a key applies is a filter on the place and on the row's own `when`, so a key with nothing behind it does nothing.
Two rows with one key in one place would be two meanings; a test refuses such a table.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys

from lantable_console import language
from lantable_console.commands import COMMANDS, PUTTING, Command, Place, at
from lantable_console.language import tr
from lantable_console.screen.state import Key

if TYPE_CHECKING:
    from lantable_console.screen.app import Screen

NAMES: Final = {
    " ": "Space", "pageup": "PgUp", "pagedown": "PgDn", "escape": "Esc", "enter": "Enter", "tab": "Tab",
    "backspace": "Backspace",
    "up": "Up", "down": "Down", "left": "Left", "right": "Right", "home": "Home", "end": "End",
}  # fmt: skip
HELP_COLUMN: Final = 20
NARROW: Final = 60
"""Columns below which help has none of its own."""
UNBOUND: Final = ("c-s", "c-q", "c-r")
"""Flow control on many terminals, and a search that has nothing to search: they do nothing, whatever is focused."""
ASKED: Final = ("advise", "why")
"""What comes early in the bar of a board."""
NAMED: Final = (
    "left", "right", "up", "down", "home", "end", "backspace", "delete", "escape", " ", "insert",
    "c-a", "c-e", "c-r", "c-u", "c-w", "f2", "f3", "f4", "f5", "f6", "f7", "f8",
)  # fmt: skip
"""Keys besides characters that a game may give a meaning on its board; all others are the table's."""


def shown(key: str) -> str:
    """A key's name for people: `s-left` is Shift-Left."""
    for prefix, word in (("s-", "Shift-"), ("c-", "Ctrl-")):
        if key.startswith(prefix):
            bare = key.removeprefix(prefix)
            return word + NAMES.get(bare, bare.upper())
    return NAMES.get(key, key.upper() if len(key) > 1 else key)


def bar(screen: "Screen", place: Place) -> tuple[Key, ...]:
    """The keys that do something there now, each once: Enter and what closes a page first, help at the end."""
    rows = [row for row in at(place) if row.bar and row.keys and screen.there(row)]
    rows.sort(key=lambda row: (row.name == "help", not {"enter", "escape"} & row.keys.keys()))
    keys = [Key(shown(next(iter(row.keys))), tr(row.bar), f"do {row.name}") for row in rows]
    own = [
        Key(shown(press.key), language.shown(press.words), f"press {press.act}")
        for press in screen.presses
        if press.words
    ]
    # What is laid goes first, then how to get rid of it, what can be asked about it, and what else the board can do.
    first = sum(bool({"enter", "escape"} & row.keys.keys()) for row in rows)
    asked = first + sum(row.name in ASKED for row in rows)
    closing = [key for key in own if key.key == NAMES["escape"]]
    return (*keys[:first], *closing, *keys[first:asked], *[key for key in own if key not in closing], *keys[asked:])


def help_lines(screen: "Screen", place: Place, width: int) -> tuple[str, ...]:
    """Every command of a place, those with keys first: its keys, how it is typed, what it does."""
    cells = [(shown(press.key), f":{press.act}", language.shown(press.help)) for press in screen.all_presses]
    rows = [*(at(Place.BESIDE) if cells else ()), *at(place)]
    if cells:
        rows = [row for row in rows if not row.screen or Place.BESIDE in row.places]
    for row in sorted(rows, key=lambda row: not row.keys):
        typed = "" if row.screen else f":{row.name} {row.argument}".rstrip()
        cells.append((" ".join(map(shown, row.keys)), typed, tr(row.help)))
    if width < NARROW:
        return tuple(dict.fromkeys(" ".join(part for part in cell if part) for cell in cells))
    keys, words = (min(max(len(cell[i]) for cell in cells), HELP_COLUMN) for i in range(2))
    return tuple(dict.fromkeys(f"{key:<{keys}}  {word:<{words}}  {text}" for key, word, text in cells))


def bindings(screen: "Screen") -> KeyBindings:
    """Every key of the table, and what makes typed text go to the input line."""
    keys = KeyBindings()
    for row in COMMANDS:
        for key, argument in row.keys.items():
            keys.add(key, filter=_there(screen, row), eager=True)(_pressed(screen, row, argument))
    for key in UNBOUND:
        keys.add(key, eager=True)(_nothing)
    for key in NAMED:
        keys.add(key, filter=Condition(lambda key=key: screen.takes(key)), eager=True)(_put(screen, key))  # type: ignore[misc]  # binds

    def begin(event: KeyPressEvent) -> None:
        screen.start_line(event.data if event.data.isprintable() else "")

    def paste(event: KeyPressEvent) -> None:
        screen.paste(event.data)

    def drop(event: KeyPressEvent) -> None:
        screen.drop_line()

    def keep(event: KeyPressEvent) -> None:
        screen.keep_for_later(event.key_sequence)

    def enter(event: KeyPressEvent) -> None:
        event.key_processor.feed(KeyPress(Keys.ControlM, "\r"), first=True)

    def put(event: KeyPressEvent) -> None:
        screen.put(event.data)

    opening = Condition(lambda: screen.place is Place.OPENING)
    keys.add(Keys.Any, filter=opening)(keep)
    # What was typed before the terminal was ours has a line feed for Enter.
    keys.add("c-j", filter=~opening, eager=True)(enter)
    keys.add(Keys.Any, filter=Condition(lambda: screen.place is Place.GAME))(begin)
    keys.add(Keys.Any, filter=Condition(lambda: screen.place in PUTTING))(put)
    keys.add(Keys.BracketedPaste, filter=~opening, eager=True)(paste)
    nearly_empty = Condition(lambda: screen.place is Place.LINE and len(screen.typed) <= 1)
    keys.add("backspace", filter=nearly_empty, eager=True)(drop)
    return keys


def _nothing(event: KeyPressEvent) -> None:
    pass


def _put(screen: "Screen", key: str) -> Callable[[KeyPressEvent], None]:
    return lambda event: screen.put(key)


def _there(screen: "Screen", row: Command) -> Condition:
    return Condition(lambda: screen.place in row.places and screen.there(row))


def _pressed(screen: "Screen", row: Command, argument: str) -> Callable[[KeyPressEvent], None]:
    return lambda event: screen.do(row, argument)
