"""The full screen as a running thing: the terminal, and trio as a guest on prompt_toolkit's asyncio loop.

One thread runs both, so a frame is drawn between two steps of trio and sees every game in a state that holds. What is
typed or pressed goes to trio as a line, exactly as in line mode, and is obeyed there by whatever is before the person;
nothing here changes a game. News may come many times a second and is drawn at most twenty times; a key is
answered at once.

Ways out: trio's part ends (quit, a game over, a fault), Ctrl-C, a signal, the terminal goes away, a fault in here.
Each first ends trio's part and waits for it, then the loop; on each the terminal is given back as it was.
"""

import asyncio
import importlib
import sys
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.layout import BufferControl, Dimension, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from lantable_console import commands
from lantable_console.commands import Command, Place
from lantable_console.screen import keys, views
from lantable_console.screen.form import Form
from lantable_console.screen.frame import Frame, Row, safe
from lantable_console.screen.picture import beyond, focused, spots
from lantable_console.screen.state import GameView, LobbyView, Page, Person, chosen_in
from lantable_replays.system import stop_group

if TYPE_CHECKING:
    from outcome import Outcome
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

    from lantable_console.context import Context
    from lantable_console.face import Main, OnAway
    from lantable_console.lobby import Desk
    from lantable_console.play import Loop
    from lantable_console.replay import Viewer
    from lantable_console.screen.guest import Guest

    Subject: TypeAlias = Loop | Desk | Viewer
    Load: TypeAlias = Callable[[], tuple[Context, Callable[[Context], int | Main]]]

INTERRUPTED: Final = 130
FASTEST: Final = 0.05
"""Seconds between two drawings because of news: 20 a second."""
AWAY_SECONDS: Final = 1.0
"""Seconds for telling the others that the program is suspended."""
LOOK_AGAIN: Final = 1.0
"""Seconds after which it is seen whether anything changed that nobody told of."""
ESCAPE: Final = 0.03
"""Seconds until an Esc is known to begin no other key."""
LONGEST_PAUSE: Final = 2.0
"""Seconds that a replay rests between two events at most, however long the players thought."""
MOST_KEYS: Final = 1000
"""Keys kept while there is nothing they could be for."""
SPEEDS: Final = (0.25, 16.0)
YOUR_MOVE: Final = "your move"


class Screen:
    """The full screen; a `face.Face`. `input` and `output` are the terminal's unless given."""

    full = True
    lingers = True

    def __init__(self, *, input: Input | None = None, output: Output | None = None) -> None:  # noqa: A002 - as prompt_toolkit calls it
        self.on_away: OnAway | None = None
        self.speed = 1.0
        self.running = False
        self.mouse = False
        self._subjects: list[tuple[Place, Subject]] = []
        self._said: list[str] = []
        self._warned: list[str] = []
        self._answers: list[str] = []
        self._shown: Page | None = None
        self._at: tuple[int, int] | None = None
        self._page = 0
        self._scroll = 0
        self._help = False
        self._form: Form | None = None
        self._cycle: tuple[str, int] | None = None
        self._asked = False
        self._question: str | None = None
        self._titled = False
        self._pending = False
        self._drawn = 0.0
        self._error: BaseException | None = None
        self._seen: views.View | Page | None = None
        self._guest: Guest | None = None
        self._ending = False
        self._first_frame = asyncio.Event()
        self._early: list[KeyPress] = []
        self._holding = True
        self._opened = False
        self.frame = Frame((), 0)
        self._line_open = False
        self._buffer = Buffer(multiline=False)
        self.app: Application[None] = self._application(input, output)

    # -- the face

    def open(self, load: "Load") -> int:
        """Draw the first frame, then load a command and run it; its exit code."""

        async def main() -> int:
            from lantable_console.screen.guest import loaded

            return await loaded(load)

        return self.run(main)

    def run(self, main: "Main") -> int:
        """Run `main` beside the screen; its exit code, or 130 if the person left by Ctrl-C."""
        try:
            return asyncio.run(self._host(main))
        finally:
            self._say_goodbye()

    def say(self, text: str) -> None:
        if text.startswith("  "):
            self._answers.append(text[2:].rstrip())
        else:
            self._said.append(text.removeprefix("* "))
        self.refresh()

    def warn(self, text: str) -> None:
        self._warned.append(text)
        self.say(f"* {text}")

    def card(self, lines: Sequence[str], code: Sequence[str]) -> None:
        self._shown = Page("", tuple(lines), tuple(code))
        self.refresh()

    def lines(self) -> AsyncIterator[str]:
        assert self._guest is not None  # noqa: S101 - only what it runs asks for lines
        return self._guest.lines(self.refresh)

    def ask(self, question: str) -> str:
        from lantable_console.screen.guest import from_thread

        return from_thread(self._ask, question)

    async def _ask(self, question: str) -> str:
        self._question, self._line_open = question, True
        self.app.layout.focus(self._line)
        self.refresh()
        try:
            return await anext(self.lines())
        finally:
            self._question = None
            self._holding = not self._subjects
            self.drop_line()

    @contextmanager
    def show(self, subject: "Subject") -> Generator[None]:
        self._subjects.append((subject.place, subject))
        self._turn_to()
        try:
            yield
        finally:
            self._subjects.pop()
            self._turn_to()

    def _turn_to(self) -> None:
        """Something else is before the person. What is being typed stays; with nothing there, keys wait."""
        self._holding = self._holding or not self._subjects
        self._at, self._page, self._form, self._asked = None, 0, None, False
        self._close_page()
        self.refresh()

    def _close_page(self) -> None:
        self._help, self._scroll, self._shown = False, 0, None
        self._answers.clear()

    @property
    def _page_open(self) -> bool:
        return self._help or bool(self._answers) or self._shown is not None

    # -- running

    async def _host(self, main: "Main") -> int:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._fault)
        drawing = loop.create_task(self.app.run_async(set_exception_handler=False, handle_sigint=False))
        looking = loop.create_task(self._look())
        running = loop.create_task(self._run_guest(main))
        either: list[asyncio.Future[Any]] = [drawing, running]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass  # a SIGINT from outside; as a key, Ctrl-C never gets here
        finally:
            looking.cancel()
        self._cancel()
        await asyncio.wait([running])
        if self.app.is_running and not self.app.is_done:
            self.app.exit()
        await asyncio.wait([drawing])
        error = self._error or drawing.exception()
        # EOFError: the terminal went away, and there is nobody left to tell.
        if error is not None and not isinstance(error, EOFError):
            raise error
        return running.result()

    async def _run_guest(self, main: "Main") -> int:
        """trio's part, from after the first frame to its end."""
        await self._first_frame.wait()
        guest = await asyncio.get_running_loop().run_in_executor(None, _import_guest)
        if self._ending:
            return INTERRUPTED
        begun: Guest = guest.Guest(INTERRUPTED)
        self._guest = begun
        result: Outcome[int] = await begun.start(main)
        return result.unwrap()

    def _cancel(self) -> None:
        """End trio's part, or do not begin it."""
        self._ending = True
        self._first_frame.set()
        if self._guest is not None:
            self._guest.cancel()

    def _fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A callback or a task of this loop failed: everything ends, and `run` raises it."""
        error = context.get("exception")
        self._error = self._error or error or RuntimeError(str(context.get("message")))
        self._cancel()

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AGAIN)
            if self._view() != self._seen:
                self.refresh()

    def refresh(self) -> None:
        """Draw soon: at once if that is not too often. From any thread."""
        if not self._pending and self.app.is_running and self.app.loop is not None:
            self._pending = True
            self.app.loop.call_soon_threadsafe(self._schedule)

    def _schedule(self) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(max(self._drawn + FASTEST - loop.time(), 0.0), self._refreshed)

    def _refreshed(self) -> None:
        self._pending = False
        self.app.invalidate()

    def _say_goodbye(self) -> None:
        """On the ordinary screen: what was wrong, and what is worth knowing after leaving."""
        if self._titled:
            self.app.output.clear_title()
            self.app.output.flush()
        for text in self._warned:
            print(f"lantable: {safe(text)}", file=sys.stderr, flush=True)
        if self._said and self._said[-1].startswith(("the game is kept", "the record is complete")):
            print(f"* {self._said[-1]}", flush=True)

    # -- what is before the person

    @property
    def subject(self) -> "Subject | None":
        return self._subjects[-1][1] if self._subjects else None

    @property
    def place(self) -> Place:
        """What keys mean now."""
        if self._holding:
            return Place.OPENING
        if self._line_open:
            return Place.LINE
        return Place.FORM if self._form is not None else self._under

    @property
    def _under(self) -> Place:
        """What a typed line is for."""
        return self._subjects[-1][0] if self._subjects else Place.LINE

    def there(self, row: Command) -> bool:
        """Whether there is anything behind a command now."""
        if row.screen:
            return row.when(self)
        return self.subject is not None and row.when(self.subject)

    @property
    def typed(self) -> str:
        return self._buffer.text

    def _view(self) -> views.View | Page:
        from lantable_console.screen import state

        if self._form is not None:
            return self._form
        if self._question is not None:
            return Page("lantable", (self._question,))
        if not self._subjects:
            kept = f"  keys kept until then: {len(self._early)}" if self._early else ""
            return Page("lantable", (f"opening ..{kept}" if not self._opened else "closing ..",))
        place, subject = self._subjects[-1]
        looks: dict[Place, Callable[[Any], views.View]] = {
            Place.GAME: state.game_view,
            Place.LOBBY: lambda desk: state.lobby_view(desk, self._looked_for),
            Place.REPLAY: lambda viewer: state.replay_view(viewer, self._pace()),
        }
        return looks[place](subject)

    @property
    def _looked_for(self) -> str | None:
        """What is being typed to filter the lists by."""
        return self.typed[1:].strip() if self._line_open and self.typed.startswith("/") else None

    def _person(self, width: int) -> Person:
        return Person(
            message=self._message(width),
            typing=self._line_open,
            hints="  ".join(self.candidates()[:12]) if self._line_open else "",
            page=self._page,
            scroll=self._scroll,
            at=self._at,
            over=self._over(width),
            bar=keys.bar(self, self.place) if self._subjects else (),
        )

    def _message(self, width: int) -> str:
        if self._asked:
            return "a game is running: Ctrl-C again leaves; it is kept and can be resumed"
        if self._answers:
            return self._answers[-1]
        return self._said[-1] if self._said else ""

    def _over(self, width: int) -> Page | None:
        if self._help:
            return Page("Keys and commands", keys.help_lines(self, self._under))
        if self._shown is not None:
            return self._shown
        if len(self._answers) > 1 or any(len(line) > width for line in self._answers):
            return Page("", tuple(self._answers))
        return None

    def _pace(self) -> str:
        low = f"{self.speed:g}x"
        return f"{low} runs, pauses cut to {LONGEST_PAUSE:g} s" if self.running else f"{low} stands"

    # -- drawing

    def _application(self, source: Input | None, output: Output | None) -> "Application[None]":
        self._top = Window(
            FormattedTextControl(self._above, focusable=True, get_cursor_position=self._cursor),
            height=lambda: _exactly(len(self.frame.rows) if self.frame.line is None else self.frame.line),
        )
        self._line = Window(
            BufferControl(self._buffer, input_processors=[BeforeInput(lambda: self.frame.prompt)]),
            height=lambda: _exactly(0 if self.frame.line is None else 1),
        )
        below = Window(
            FormattedTextControl(self._below),
            height=lambda: _exactly(0 if self.frame.line is None else len(self.frame.rows) - self.frame.line - 1),
        )
        app: Application[None] = Application(
            Layout(HSplit([self._top, self._line, below]), focused_element=self._top),
            style=Style.from_dict({}),
            key_bindings=keys.bindings(self),
            full_screen=True,
            mouse_support=Condition(lambda: self.mouse),
            input=source,
            output=output,
        )
        app.ttimeoutlen = ESCAPE
        app.before_render.add_handler(self._compose)
        app.after_render.add_handler(self._mark_drawn)
        # Keys may come faster than frames; each means what it would mean if what the one before did were drawn.
        app.key_processor.before_key_press.add_handler(self._look_at)
        return app

    def _look_at(self, _: object = None) -> None:
        self._seen = self._view()

    def _compose(self, _: object = None) -> None:
        size = self.app.output.get_size()
        self._seen = view = self._view()
        self.frame = views.compose(view, self._person(size.columns), size.columns, size.rows)
        mine = isinstance(view, GameView) and view.mine
        if mine != self._titled:
            self._titled = mine
            if mine:
                self.app.output.set_title(YOUR_MOVE)
            else:
                self.app.output.clear_title()

    def _mark_drawn(self, _: object = None) -> None:
        self._first_frame.set()
        self._drawn = asyncio.get_running_loop().time()
        if self._holding and (self._subjects or self._question is not None):
            asyncio.get_running_loop().call_soon(self._release)

    # -- keys that come before there is anything they could be for

    def keep_for_later(self, pressed: Sequence[KeyPress]) -> None:
        """Keep keys, in order, until something is before the person. A cat on the keyboard is not kept for ever."""
        self._early += pressed[: MOST_KEYS - len(self._early)]

    def _release(self) -> None:
        """Something is there and was drawn: the keys that were kept are pressed now, before any later one."""
        self._holding, self._opened = False, True
        early, self._early = self._early, []
        self.app.key_processor.feed_multiple(early, first=True)
        self.app.key_processor.process_keys()
        self.app.invalidate()

    def _above(self) -> StyleAndTextTuples:
        return self._fragments(self.frame.rows[: self.frame.line])

    def _below(self) -> StyleAndTextTuples:
        return [] if self.frame.line is None else self._fragments(self.frame.rows[self.frame.line + 1 :])

    def _fragments(self, rows: tuple[Row, ...]) -> StyleAndTextTuples:
        result: StyleAndTextTuples = []
        for row in rows:
            for piece in row:
                if piece.act and self.mouse:
                    result.append((piece.style, piece.text, self._clicks(piece.act)))
                else:
                    result.append((piece.style, piece.text))
            result.append(("", "\n"))
        return result[:-1]

    def _cursor(self) -> Point:
        """The cursor's place counted in characters, as prompt_toolkit wants it."""
        column, line = self.frame.cursor
        if line >= len(self.frame.rows):
            return Point(0, 0)
        text = "".join(piece.text for piece in self.frame.rows[line])
        at = cells = 0
        while at < len(text) and cells < column:
            cells += get_cwidth(text[at])
            at += 1
        return Point(at, line)

    # -- the mouse

    def _clicks(self, act: str) -> "Callable[[MouseEvent], NotImplementedOrNone]":
        def clicked(event: MouseEvent) -> "NotImplementedOrNone":
            if event.event_type is not MouseEventType.MOUSE_UP:
                return NotImplemented
            self.click(act)
            return None

        return clicked

    def click(self, act: str) -> None:
        """What a click on a piece does: run a command, type a line, or go there; there a second one is Enter."""
        kind, _, what = act.partition(" ")
        if kind == "do":
            row = commands.find(self.place, what, screen=True)
            if row is not None and self.there(row):
                self.do(row, next(iter(row.keys.values()), ""))
        elif kind == "type":
            self.submit(what)
        elif kind == "spot":
            self._click_spot(what)
        elif kind == "row":
            which, at = map(int, what.split())
            if self._at == (which, at):
                self.open_selected()
            self._at = (which, at)
        self.app.invalidate()

    def _click_spot(self, move: str) -> None:
        view = self._seen
        if not isinstance(view, GameView) or view.picture is None:
            return
        focus = focused(view.picture, self._at)
        if self._at is not None and focus is not None and focus.move == move:
            self.play_focused()
        self._at = next((spot.at for spot in spots(view.picture) if spot.move == move), self._at)

    def toggle_mouse(self) -> None:
        self.mouse = not self.mouse
        self._said.append("clicks act here" if self.mouse else "clicks are the terminal's again")

    # -- keys

    def do(self, row: Command, argument: str = "") -> None:
        """A key was pressed that stands for a command."""
        if row.name != "interrupt":
            self._asked = False
        if row.screen:
            row.do(self, argument)
        elif row.name == "help":
            self.open_help()
        elif row.needs_argument and not argument and not (argument := self._selected(row)):
            self.start_line(f":{row.name} ")
        else:
            self.submit(f"{row.name} {argument}".strip())

    def _selected(self, row: Command) -> str:
        """The chosen row of a list as it is typed, where it can be the argument."""
        typed = chosen_in(self._seen, self._at).typed if isinstance(self._seen, LobbyView) else ""
        return typed if typed in row.completes(self.subject) else ""

    def submit(self, line: str) -> None:
        """A whole line: for the screen itself if it names something of it, else for what is before the person."""
        self._close_page()
        word = line.removeprefix(":").partition(" ")[0]
        row = commands.find(self._under, word, screen=True) if word else None
        if row is not None and row.name == "help":
            self.open_help()
        elif row is not None and row.screen and (line.startswith(":") or self._under is not Place.GAME):
            row.do(self, line.partition(" ")[2].strip())
        else:
            self._send(line)

    def _send(self, line: str) -> None:
        if self._guest is not None:
            self._guest.send(line)

    # -- the input line

    def start_line(self, text: str) -> None:
        """Begin to type."""
        if text and self._under is not Place.LINE:
            self._line_open, self._cycle, self._asked = True, None, False
            self._buffer.text = text
            self._buffer.cursor_position = len(text)
            self.app.layout.focus(self._line)

    def drop_line(self) -> None:
        """Nothing is typed any more; keys are for the board again, unless an answer is awaited."""
        self._buffer.reset()
        if self._question is not None:
            return
        self._line_open, self._cycle = False, None
        self.app.layout.focus(self._top)

    def submit_line(self) -> None:
        line = self.typed.strip()
        self.drop_line()
        if self._question is not None:
            self._send(line)
        elif line and line != ":":
            self.submit(line)
            self._at = None if line.startswith("/") else self._at

    def paste(self, data: str) -> None:
        """Pasted text is only typed, whatever it holds: a pasted newline commits no move."""
        text = safe(" ".join(data.split()))
        if self._line_open:
            self._buffer.insert_text(text)
        elif self._form is None:
            self.start_line(text)

    def candidates(self) -> list[str]:
        """How the line may go on: commands, moves, arguments."""
        base = self._cycle[0] if self._cycle is not None else self.typed
        colon = ":" if base.startswith(":") else ""
        word, space, rest = base.removeprefix(":").partition(" ")
        if not space:
            known = [row.name for row in commands.at(self._under) if not row.screen and self.there(row)]
            known += [] if colon else self._moves()
            return [colon + name for name in dict.fromkeys(known) if name.startswith(word.lower())]
        row = commands.find(self._under, word)
        offered = row.completes(self.subject) if row is not None else ()
        return [f"{colon}{word} {one}" for one in offered if one.startswith(rest)]

    def _moves(self) -> list[str]:
        view = self._seen
        if not isinstance(view, GameView) or view.picture is None:
            return []
        return [cell.move for cells in view.picture.rows for cell in cells if cell.move is not None]

    def complete(self, step: int) -> None:
        """The next way to go on with what was typed."""
        offered = self.candidates()
        if not offered:
            return
        base, at = self._cycle or (self.typed, -1)
        at = (at + step) % len(offered)
        self._buffer.text = offered[at]
        self._buffer.cursor_position = len(offered[at])
        self._cycle = (base, at)

    # -- what only the screen does

    def escape(self) -> None:
        if self._line_open:
            self.drop_line()
        elif self._page_open:
            self._close_page()
        elif self._form is not None:
            self._form = None
        elif self._filtered:
            self.submit("filter")
        self._asked = False

    @property
    def can_escape(self) -> bool:
        return self._line_open or self._page_open or self._form is not None or self._filtered

    @property
    def _filtered(self) -> bool:
        return isinstance(self._seen, LobbyView) and bool(self._seen.wanted) and not self._line_open

    def open_help(self) -> None:
        self._close_page()
        self._help = True

    def interrupt(self) -> None:
        """Ctrl-C: out; while a game runs, only when asked twice."""
        subject = self.subject
        running = self._under is Place.GAME and not getattr(subject, "over", True)
        if running and not self._asked:
            self._asked = True
        else:
            self._cancel()

    def leave(self) -> None:
        """End it all, asking nothing. From any thread."""
        if self.app.loop is not None:
            self.app.loop.call_soon_threadsafe(self._cancel)

    def suspend(self) -> None:
        self.app.create_background_task(self._suspend())

    async def _suspend(self) -> None:
        """Tell the others, give the terminal back and stop; after `fg` draw everything anew and tell them again."""
        await self._tell_away(away=True)
        await run_in_terminal(stop_group)
        await self._tell_away(away=False)

    async def _tell_away(self, *, away: bool) -> None:
        if self._guest is not None and (tell := self.on_away) is not None:
            # Whoever waits for the shell does not wait for a network.
            await asyncio.wait([self._guest.call(lambda: tell(away))], timeout=AWAY_SECONDS)

    def redraw(self) -> None:
        self.app.renderer.clear()

    def scroll(self, way: str) -> None:
        step = 10 if way == "up" else -10
        if self._page_open:
            self._scroll = min(self._scroll + step, 0)
        else:
            self._scroll = max(self._scroll + step, 0)

    def turn_page(self) -> None:
        if self._under is Place.LOBBY:
            self._at = (1 - (self._at or (0, 0))[0], 0)
        else:
            self._page += 1

    @property
    def has_pages(self) -> bool:
        size = self.app.output.get_size()
        return views.has_pages(self._seen, size.columns, size.rows)

    def move_cursor(self, way: str) -> None:
        view = self._seen
        if isinstance(view, Form):
            self._form = view.moved(way)
        elif isinstance(view, LobbyView):
            which, at = chosen_in(view, self._at).at
            many = len(view.tables if which else view.people)
            self._at = which, min(max(at + (1 if way == "down" else -1), 0), max(many - 1, 0))
        elif isinstance(view, GameView) and view.picture is not None:
            focus = focused(view.picture, self._at)
            there = beyond(view.picture, focus.at, way) if focus is not None else None
            self._at = there.at if there is not None else focus.at if focus is not None else None

    def play_focused(self) -> None:
        view = self._seen
        if isinstance(view, GameView) and view.picture is not None:
            focus = focused(view.picture, self._at)
            if focus is not None:
                self._at = focus.at
                self.submit(focus.move)

    @property
    def can_play_focused(self) -> bool:
        view = self._seen
        return isinstance(view, GameView) and view.mine and view.picture is not None and bool(spots(view.picture))

    def open_selected(self) -> None:
        if line := self._obvious():
            self.submit(line)

    @property
    def can_open_selected(self) -> bool:
        return bool(self._obvious())

    def _obvious(self) -> str:
        """What Enter stands for: sit down at a table, learn more of a person."""
        for name in ("join", "info"):
            row = commands.find(Place.LOBBY, name)
            if row is not None and (typed := self._selected(row)):
                return f"{name} {typed}"
        return ""

    # -- the form

    def open_form(self, command: str) -> None:
        games = tuple(self._subjects[-1][1].context.host.games.values()) if self._subjects else ()
        if games and self._under is Place.LOBBY:
            self._form = Form.blank(command, games)

    def change_value(self, way: str) -> None:
        if self._form is not None:
            self._form = self._form.changed(way)

    def confirm_form(self) -> None:
        if self._form is not None:
            line = self._form.line()
            self._form = None
            self.submit(line)

    # -- a replay that runs

    def run_replay(self) -> None:
        self.running = not self.running
        if self.running:
            self.app.create_background_task(self._roll())

    def change_speed(self, factor: float) -> None:
        self.speed = min(max(self.speed * factor, SPEEDS[0]), SPEEDS[1])

    async def _roll(self) -> None:
        """Step on at the players' own pace, times the speed, until the end or until it is stopped."""
        viewer: Any = self.subject
        while self.running and self._under is Place.REPLAY and viewer.cursor.at < viewer.last:
            at, events = viewer.cursor.at, viewer.cursor.chain.events
            pause = (events[at + 1].event.t - events[at].event.t) / 1000
            await asyncio.sleep(max(min(pause, LONGEST_PAUSE), 0.1) / self.speed)
            if self.running and viewer.cursor.at == at:
                self.submit("next")
                await asyncio.sleep(0)
        self.running = False
        self.refresh()


def _import_guest() -> Any:
    return importlib.import_module("lantable_console.screen.guest")


def _exactly(rows: int) -> Dimension:
    """So many rows, and never a complaint that they do not fit."""
    return Dimension(min=0, preferred=rows, max=rows)
