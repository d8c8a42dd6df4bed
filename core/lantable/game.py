"""What plugins implement: `Game`, `Rules`, `HouseRule`; and the values they speak in.

A `Game` is what a plugin offers. `Rules` is a game with its options and house rules chosen: pure, with frozen
states; it reads no clock, no random source, no locale, no environment and no set order. A table (`table.py`)
is one game being played. There is no base class to inherit from: write a class with these methods.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeVar, cast

from lantable import canonical
from lantable.canonical import Json
from lantable.errors import Misuse, PluginFault, Untrusted
from lantable.keys import RULES, sha256
from lantable.text import fold
from lantable.wording import msg

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
OptionValue = bool | int | str
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,63}\Z")
_OPTION_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}\Z")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game stands or ended: points per seat, the seats that share first place, and how it came to that."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    how: str = "played out"


@dataclass(frozen=True, slots=True)
class Cell:
    """One piece of a picture. `move` is what it starts. `mark` names its roles in words: `last` of the last move,
    `loose` not played yet, `apart` not to be read together with the cell before it, `seat0` and so on whose it is.

    `text` is ASCII as far as it can be; `rich` is the same, as wide, for people who want Unicode's signs.
    """

    text: str
    mark: str = ""
    move: str | None = None
    rich: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A position as rows of cells, and panel lines beside it. The console draws this and knows no game."""

    rows: tuple[tuple[Cell, ...], ...]
    panel: tuple[str, ...] = ()

    def text(self, *, rich: bool = False) -> list[str]:
        """The rows as plain lines, in ASCII or with Unicode's signs."""
        return ["".join((rich and cell.rich) or cell.text for cell in row).rstrip() for row in self.rows]


class Rules(Protocol[S]):
    """A game with everything chosen. States are frozen values; seats count from 0."""

    def start(self, seats: int) -> S:
        """The opening state for so many seats."""
        ...

    def to_move(self, state: S) -> int | None:
        """Who must move, or None when nothing more is expected."""
        ...

    def play(self, state: S, seat: int, move: str) -> S:
        """The state after a move in canonical notation. Raises `IllegalMove`."""
        ...

    def legal(self, state: S, seat: int) -> Iterable[str]:
        """Every legal move, in canonical notation and a fixed order."""
        ...

    def withdraw(self, state: S, seat: int) -> S:
        """The state after `seat` resigned or left: it is skipped and cannot win."""
        ...

    def standing(self, state: S) -> Outcome:
        """Scores and leaders as if the game stopped here."""
        ...

    def parse(self, text: str) -> str:
        """What a person typed, as canonical notation. Raises `IllegalMove("notation")`. Round-trips."""
        ...

    def position(self, state: S) -> str:
        """The whole state in one line; equal states and only those have equal positions."""
        ...

    def view(self, state: S, seat: int | None) -> Any:
        """What this seat, or a spectator (None), may see; handed to `picture`."""
        ...

    def picture(self, view: Any) -> Picture:
        """A view drawn."""
        ...

    def describe(self) -> Json:
        """Everything that makes these rules what they are, as data: hashed into the rules digest."""
        ...


# -- what rules may have besides: a game that needs none of it says nothing, and inherits nothing


class Explaining(Protocol[S_contra]):
    """Rules that can say why a move is or is not legal, and what it would make."""

    def explain(self, view: S_contra, seat: int, move: str) -> "Explanation":
        """Explain a move in canonical notation by `seat`, whether it may be played or not. Changes nothing.

        It must do with what `seat` may see: `view` is `Rules.view` for that seat."""
        ...


class Fitting(Protocol):
    """Rules that draw a view in several widths, or with other signs than ASCII."""

    def widths(self) -> Sequence[int]:
        """Columns of the pictures there are, widest first."""
        ...

    def fitted(self, view: Any, look: "Look") -> Picture:
        """The widest picture in at most `look.columns`, or the narrowest. Its panel leaves out what the table shows
        of every game: players, scores, whose turn it is."""
        ...


class Composing(Protocol):
    """Rules whose moves are put together at a cursor, key by key, before anything is played.

    A *draft* is a frozen value that the game defines: where the cursor is, what is laid so far, in which order a
    person keeps what is theirs. It is made from what one seat may see, and lives at one keyboard; no other player
    and no record ever hears of it. All of these are asked at each key, so they must answer within milliseconds.
    """

    def draft(self, view: Any, seat: int, before: Any = None) -> Any:
        """A draft by `seat` on its view. `before` is its draft on an earlier view: whatever of it still fits is kept,
        and what does not goes back to where it came from."""
        ...

    def typed(self, draft: Any, key: str) -> Any | None:
        """The draft after a typed character, an `act` of one of its `Press`es, or `at ROW CELL` (that cell of the
        picture was pointed at, both from 0). None if that means nothing here."""
        ...

    def sketch(self, draft: Any, look: "Look") -> "Sketch":
        """The draft as it is to be shown."""
        ...

    def drafted(self, draft: Any, move: str) -> Any:
        """A draft of a whole move in canonical notation in place of what was laid. Raises `IllegalMove`."""
        ...


class Continuing(Protocol[S]):
    """Rules under which a game can go on without some of its players: as another game, from where it stands."""

    def continued(self, position: str, seats: Sequence[int]) -> S:
        """The opening with only these seats of a position in the notation of `Rules.position`.

        Raises `Untrusted` if it is no position of such a game, `IllegalMove` if it cannot go on so.
        """
        ...

    def bag_left(self, state: S) -> Sequence[str]:
        """Every tile that is in the bag at that opening; () if nothing is drawn."""
        ...


class Teaching(Protocol):
    """Rules with something more for learners, which a person may switch on and off."""

    def gloss(self, view: Any) -> Sequence[str]:
        """Lines to stand beside the picture of a view, such as what the binary numbers in it are in decimal."""
        ...


class Audible(Protocol):
    """Rules that can say in words what lies where, for whoever reads a board line by line."""

    def aloud(self, view: Any, part: str) -> str | None:
        """A row, a column or a cell of a view in one line that makes sense alone, such as `row 8: E 1, F plus`.

        `part` is what a person calls it, folded: `8`, `d`, `d8`. None if it is no part of the board."""
        ...


class Discreet(Protocol):
    """Rules under which a move tells its own seat more than the others may know."""

    def told(self, move: str) -> str:
        """A move in canonical notation as everybody may read it while the game goes on."""
        ...


class Situated(Protocol[S_contra]):
    """Rules under which what a person types can be read better, or held against the position."""

    def read(self, state: S_contra, text: str) -> str:
        """As `parse`, with the position before one's eyes. Raises `IllegalMove`."""
        ...


class Assessed(NamedTuple):
    """A move and what it is worth: in words, and as a number of which more is better."""

    move: str
    worth: str
    value: int


class Analysing(Protocol):
    """Rules that can tell which moves are best, and read a position as `Rules.position` writes it."""

    def analyse(self, view: Any, seat: int, count: int, also: Sequence[str]) -> Sequence[Assessed]:
        """The best moves of `seat`, at most so many, the best first, and behind them those of `also` (moves that can be
        played) that are not among them; none if that cannot be told in some seconds."""
        ...

    def set_up(self, text: str) -> Any:
        """The state of a position in the notation of `Rules.position`. Raises `Misuse` or `Untrusted`."""
        ...


class Patient(Protocol):
    """Rules that may have to compute for long, when they list moves, explain, or find a computer player's move."""

    def pausing(self, pause: Callable[[], None]) -> "Rules[Any]":
        """The same rules, which call `pause` again and again while they compute, and let through what it raises."""
        ...


# What is drawn by chance, or hidden: `lantable.dealing.Dealt`.


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a move or a text holds or not, for people (`lines`, the first complete by itself) and as plain data."""

    valid: bool
    lines: tuple[str, ...]
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture is wanted: `columns` for the board and `across` for all of the screen at most; in ASCII, or also
    with other signs."""

    columns: int = 80
    across: int = 80
    unicode: bool = False


@dataclass(frozen=True, slots=True)
class Press:
    """A key that means something in a draft now. `key` is a character, or a name such as `left`, `escape`, `f3`,
    `c-r` (Ctrl-R); `act` is what `Composing.typed` gets for it, a word that can be typed as well; `words` what the bar
    of keys says, "" to keep it out of the bar."""

    key: str
    act: str
    words: str
    help: str
    anywhere: bool = True
    """Whether it is also a key on the board; if not (there it is text), only beside it."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """A draft as it is shown. Told again for every key, so that what stands there is always what would be played."""

    picture: Picture
    """The board as it would be."""
    at: tuple[int, int]
    """Row and cell of the picture where the cursor is, from 0."""
    tray: tuple[Cell, ...] = ()
    """What there is to lay, in one row below the board."""
    line: str = ""
    """What is laid so far, in words or notation."""
    more: str = ""
    """What else is to be said of it, where there is room."""
    move: str | None = None
    """The move in canonical notation, whether it may be played or not; None if there is none yet."""
    ready: bool = False
    """Whether the rules would take it."""
    verdict: str = ""
    """Why, in a word or two: where there is no room for more."""
    why: str = ""
    """Why, in a sentence."""
    presses: tuple[Press, ...] = ()


def explain(rules: Rules[S], view: S, seat: int, move: str) -> Explanation | None:
    """What the rules say of a move, or None if they explain nothing. `view` is what `seat` may see."""
    return cast("Explaining[S]", rules).explain(view, seat, move) if hasattr(rules, "explain") else None


def widths(rules: Rules[Any]) -> Sequence[int]:
    """Columns of the pictures there are to choose from, widest first; none if there is nothing to choose."""
    return cast("Fitting", rules).widths() if hasattr(rules, "widths") else ()


def fitted(rules: Rules[Any], view: Any, look: Look) -> Picture:
    """A view drawn for a look, or the one picture there is."""
    return cast("Fitting", rules).fitted(view, look) if hasattr(rules, "fitted") else rules.picture(view)


def composing(rules: Rules[Any]) -> Composing | None:
    """How moves are put together, or None if the rules leave that to typing and to the cells of their picture."""
    return cast("Composing", rules) if hasattr(rules, "sketch") else None


def continuing(rules: Rules[Any]) -> Continuing[Any] | None:
    """The rules' own word on going on without a player, or None if they have none."""
    return cast("Continuing[Any]", rules) if hasattr(rules, "continued") else None


def analyse(rules: Rules[Any], view: Any, seat: int, count: int, also: Sequence[str] = ()) -> Sequence[Assessed] | None:
    """As `Analysing.analyse`; None if the rules never tell."""
    return cast("Analysing", rules).analyse(view, seat, count, also) if hasattr(rules, "analyse") else None


def set_up(rules: Rules[Any], text: str) -> Any:
    """The state of a position that somebody typed. Raises `Misuse`, `Untrusted`."""
    if not hasattr(rules, "set_up"):
        raise Misuse(msg("positions of this game cannot be typed; name a record, and an event with --at"))
    return cast("Analysing", rules).set_up(text)


def told(rules: Rules[Any], move: str) -> str:
    """A move as everybody may read it while the game goes on."""
    return cast("Discreet", rules).told(move) if hasattr(rules, "told") else move


def gloss(rules: Rules[Any], view: Any) -> tuple[str, ...]:
    """What the rules have for learners beside a view; nothing if they have nothing."""
    return tuple(cast("Teaching", rules).gloss(view)) if hasattr(rules, "gloss") else ()


def aloud(rules: Rules[Any], view: Any, part: str) -> str | None:
    """A part of the board in one line, or None if there is none. Rules that say nothing have the rows of their picture.

    Such a row is called by what stands before it, else by its number from the top, from 1.
    """
    part = fold(part.strip())
    if hasattr(rules, "aloud"):
        return cast("Audible", rules).aloud(view, part)
    rows = [[cell.text.strip() for cell in row if cell.text.strip()] for row in rules.picture(view).rows]
    named = next((row[1:] for row in rows if len(row) > 1 and fold(row[0]) == part), None)
    if named is None and part.isascii() and part.isdecimal() and 1 <= int(part[:4]) <= len(rows):
        named = rows[int(part) - 1]
    return None if named is None else msg("row {row}: {cells}", row=part, cells=", ".join(named) or msg("empty"))


def read(rules: Rules[S], state: S, text: str) -> str:
    """What a person typed in this position, as canonical notation. Raises `IllegalMove`."""
    return cast("Situated[S]", rules).read(state, text) if hasattr(rules, "read") else rules.parse(text)


def pausing(rules: Rules[S], pause: Callable[[], None]) -> Rules[S]:
    """The rules so that long work can be ended: `pause` is called during it, and may raise. Others stay as they are."""
    return cast("Patient", rules).pausing(pause) if hasattr(rules, "pausing") else rules


Opponent = Callable[[Rules[Any], Any, int, bytes], str]
"""A computer player: (rules, view of its seat, seat, seed) -> move. The same arguments give the same move."""


# -- options


@dataclass(frozen=True, slots=True)
class Flag:
    """An option that is on or off."""

    name: str
    default: bool
    title: str

    def read(self, text: str) -> bool:
        word = fold(text)
        if word not in _YES | _NO:
            raise Misuse(msg("{name} must be yes or no, not {text}", name=self.name, text=repr(text)))
        return word in _YES

    def check(self, value: object) -> bool:
        return isinstance(value, bool)

    @property
    def values(self) -> str:
        return msg("yes or no")


_YES: Final = frozenset({"yes", "true", "on", "1", "y"})
_NO: Final = frozenset({"no", "false", "off", "0", "n"})


@dataclass(frozen=True, slots=True)
class Number:
    """An option that is a whole number in low..high."""

    name: str
    default: int
    low: int
    high: int
    title: str

    def read(self, text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,9}", text) or not self.check(int(text)):
            raise Misuse(
                msg("{name} must be {values}, not {text}", name=self.name, values=self.values, text=repr(text))
            )
        return int(text)

    def check(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    @property
    def values(self) -> str:
        return msg("a whole number from {low} to {high}", low=self.low, high=self.high)


@dataclass(frozen=True, slots=True)
class Choice:
    """An option that is one of some words."""

    name: str
    default: str
    choices: tuple[str, ...]
    title: str

    def read(self, text: str) -> str:
        if not self.check(text):
            raise Misuse(
                msg("{name} must be {values}, not {text}", name=self.name, values=self.values, text=repr(text))
                + nearest(text, self.choices)
            )
        return text

    def check(self, value: object) -> bool:
        return value in self.choices

    @property
    def values(self) -> str:
        return " or ".join(self.choices)


@dataclass(frozen=True, slots=True)
class Size:
    """An option that is ROWSxCOLUMNS, each in low..high."""

    name: str
    default: str
    low: int
    high: int
    title: str

    def read(self, text: str) -> str:
        value = text.lower()
        if not self.check(value):
            raise Misuse(
                msg("{name} must be {values}, not {text}", name=self.name, values=self.values, text=repr(text))
            )
        return value

    def check(self, value: object) -> bool:
        # One spelling: no leading zeros, since two spellings of one size would be two rules digests.
        match = re.fullmatch(r"([1-9][0-9]?)x([1-9][0-9]?)", value) if isinstance(value, str) else None
        return match is not None and all(self.low <= int(part) <= self.high for part in match.groups())

    @property
    def values(self) -> str:
        return msg("ROWSxCOLUMNS from {low}x{low} to {high}x{high}", low=self.low, high=self.high)


Option = Flag | Number | Choice | Size


def typed(value: object) -> str:
    """An option's value as a person types it: what the option's `read` takes."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


# -- what a plugin offers


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRule:
    """A change to one game's rules. What `change` is, that game defines; the core only carries it."""

    game: str
    name: str
    version: str
    titles: Mapping[str, str]
    change: Any

    def __post_init__(self) -> None:
        _check_names("house rule", self.name, self.version, self.titles)


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game on offer. `make(options, house_rules)` gives its `Rules`; both come in genesis order.

    `make` raises `Misuse` for options or house rules that do not go together. `titles` maps language codes
    to names and must hold "en". Raises `PluginFault` when it could not work.
    """

    id: str
    version: str
    titles: Mapping[str, str]
    options: tuple[Option, ...]
    make: Callable[[Mapping[str, OptionValue], Sequence[HouseRule]], Rules[Any]]
    seats: tuple[int, int] = (2, 4)
    presets: Mapping[str, Mapping[str, OptionValue]] = field(default_factory=dict[str, Mapping[str, OptionValue]])
    opponents: Mapping[str, Opponent] = field(default_factory=dict[str, Opponent])
    """Computer players by name, the strongest last: that one is asked for hints."""
    rules_text: Mapping[str, str] = field(default_factory=dict[str, str])
    """By language code: the rules for people, in paragraphs separated by blank lines, with every option."""
    tutor: Callable[[Rules[Any], str], Explanation] | None = None
    """Explains a text of the game, such as an expression, apart from any position: `lantable check`."""

    def __post_init__(self) -> None:
        _check_names("game", self.id, self.version, self.titles)
        names = [option.name for option in self.options]
        if len(set(names)) != len(names) or not all(_OPTION_NAME.match(name) for name in names):
            raise PluginFault(f"game {self.id}: option names must be different and lower case")
        for option in self.options:
            if not option.check(option.default):
                raise PluginFault(f"game {self.id}: the default of {option.name} is not allowed by itself")
        low, high = self.seats
        if not 1 <= low <= high <= 4:
            raise PluginFault(f"game {self.id}: seats must lie within 1 to 4")
        for preset, values in self.presets.items():
            if bad := [name for name, value in values.items() if not self._allows(name, value)]:
                raise PluginFault(f"game {self.id}: preset {preset} sets {bad[0]} to what it cannot be")

    def _allows(self, name: str, value: object) -> bool:
        return any(option.name == name and option.check(value) for option in self.options)

    def check(self, options: Mapping[str, object]) -> dict[str, OptionValue]:
        """`options` as a record holds them: every option, each with an allowed value. Raises `Misuse`."""
        names = {option.name for option in self.options}
        if set(options) != names:
            odd = min(set(options) ^ names)
            raise Misuse(
                msg(
                    "{id} {version}: option {odd} is missing or unknown",
                    id=self.id,
                    version=self.version,
                    odd=repr(odd),
                )
            )
        result: dict[str, OptionValue] = {}
        for option in self.options:
            value = options[option.name]
            if not option.check(value) or not isinstance(value, bool | int | str):
                raise Misuse(
                    msg(
                        "{id} {version}: {name} must be {values}",
                        id=self.id,
                        version=self.version,
                        name=option.name,
                        values=option.values,
                    )
                )
            result[option.name] = value
        return result

    def read_options(self, text: str) -> dict[str, OptionValue]:
        """The option grammar: `PRESET,name=value,…`; preset and values are both optional. Raises `Misuse`.

        Later values win over earlier ones, so a preset comes first.
        """
        result: dict[str, OptionValue] = {option.name: option.default for option in self.options}
        known = {option.name: option for option in self.options}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals:
                if name not in self.presets:
                    raise Misuse(
                        msg("{id} has no preset {name}", id=self.id, name=repr(name))
                        + nearest(name, [*self.presets, *known])
                    )
                result.update(self.presets[name])
            elif name not in known:
                raise Misuse(msg("{id} has no option {name}", id=self.id, name=repr(name)) + nearest(name, known))
            else:
                result[name] = known[name].read(value)
        return result


def _check_names(what: str, name: str, version: str, titles: Mapping[str, str]) -> None:
    if not _NAME.match(name) or not re.fullmatch(r"[0-9A-Za-z.]{1,32}", version):
        raise PluginFault(f"{what} {name!r} {version!r}: names are [a-z][a-z0-9-]*, versions [0-9A-Za-z.]+")
    if "en" not in titles:
        raise PluginFault(f"{what} {name}: an English title is needed")


def rules_digest(
    game: Game, options: Mapping[str, OptionValue], house_rules: Sequence[HouseRule], rules: Rules[Any]
) -> bytes:
    """Hash of a canonical description of the rules (32 bytes), not of program files: two programs that
    describe the same rules may play each other. Raises `PluginFault` if the description is outside the profile."""
    description: Json = {
        "game": game.id,
        "version": game.version,
        "options": dict(options),
        "house_rules": [{"name": rule.name, "version": rule.version} for rule in house_rules],
        "rules": rules.describe(),
    }
    try:
        return sha256(RULES, canonical.write(description))
    except Untrusted as error:
        raise PluginFault(f"game {game.id}: describe() must give plain data: {error.detail}") from error


def nearest(name: str, known: Iterable[str]) -> str:
    """`"; did you mean …?"` for a mistyped name, or the list of what there is."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return msg("; did you mean {name}?", name=repr(close[0]))
    return msg("; there is {names}", names=", ".join(names)) if names else msg("; there is none")
