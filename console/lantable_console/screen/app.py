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
import time
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import DynamicStyle

from lantable.game import Look, Press, Sketch
from lantable.text import fold
from lantable_console import commands, language
from lantable_console.commands import Command, Place
from lantable_console.language import N_, tr
from lantable_console.screen import keys, theme, views
from lantable_console.screen.canvas import Canvas
from lantable_console.screen.compose import Composer
from lantable_console.screen.form import Form
from lantable_console.screen.frame import safe
from lantable_console.screen.line import InputLine
from lantable_console.screen.picture import Spot, beyond, focused, spots
from lantable_console.screen.state import GameView, LobbyView, Page, Person, chosen_in
from lantable_console.settings import Looks, Settings
from lantable_replays.system import stop_group

if TYPE_CHECKING:
    from outcome import Outcome

    from lantable_console.context import Context
    from lantable_console.desk import Desk
    from lantable_console.face import Main, OnAway
    from lantable_console.loop import Loop
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
MOST_KEYS: Final = 1000
"""Keys kept while there is nothing they could be for."""
YOUR_MOVE: Final = N_("your move")


class Screen:
    """The full screen; a `face.Face`. `input` and `output` are the terminal's unless given."""

    full = True
    lingers = True

    def __init__(
        self,
        settings: Settings,
        *,
        input: Input | None = None,  # noqa: A002 - as prompt_toolkit calls it
        output: Output | None = None,
    ) -> None:
        self.on_away: OnAway | None = None
        self.looks = Looks.of(settings)
        self.mouse = settings.flag("mouse")
        self._bell = settings.flag("bell")
        self._subjects: list[tuple[Place, Subject]] = []
        self._composers: list[Composer | None] = []
        self._aside = False
        self._paged = False
        self._fresh = False
        self._said: list[str] = []
        self._warned: list[str] = []
        self._answers: list[str] = []
        self._shown: Page | None = None
        self._at: tuple[int, int] | None = None
        self._page = 0
        self._scroll = 0
        self._help = False
        self._form: Form | None = None
        self._asked = False
        self._question: str | None = None
        self._titled = False
        self._pending = False
        self._drawn = self._composed = self._wanted = 0.0
        """When a frame was last done, was last begun, and was last asked for."""
        self._error: BaseException | None = None
        self._seen: views.View | Page | None = None
        self._guest: Guest | None = None
        self._ending = False
        self._first_frame = asyncio.Event()
        self._early: list[KeyPress] = []
        self._holding = True
        self._opened = False
        self.line = InputLine()
        self.canvas = Canvas(self.looks, self.line.buffer, lambda: self.mouse, self.click)
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
        self._fresh, text = True, language.shown(text)
        if text.startswith("  "):
            self._answers.append(text[2:].rstrip())
        else:
            self._said.append(text.removeprefix("* "))
        self.refresh()

    def warn(self, text: str) -> None:
        self._warned.append(language.shown(text))
        self.say(f"* {language.shown(text)}")

    def card(self, lines: Sequence[str], code: Sequence[str]) -> None:
        self._shown = Page("", tuple(lines), tuple(code))
        self.refresh()

    def suggest(self, move: str) -> None:
        view = self._seen
        spot = next((spot for spot in _spots(view) if spot.move == move), None)
        if self._composer is not None and self._composer.take(move):
            self._said.append(tr("a hint: Enter plays it, Esc takes it back"))
        elif spot is not None:
            self._at = spot.at
            self._said.append(tr("a hint: {move}", move=safe(move)))
        else:
            self.say(tr("* a hint: {move}", move=safe(move)))
        self.refresh()

    def lines(self, prompt: Callable[[], str] = str) -> AsyncIterator[str]:
        assert self._guest is not None  # noqa: S101 - only what it runs asks for lines
        return self._guest.lines(self.refresh)

    def ask(self, question: str) -> str:
        from lantable_console.screen.guest import from_thread

        return from_thread(self._ask, question)

    async def _ask(self, question: str) -> str:
        self._question = question
        self.line.open("")
        self.canvas.focus(typing=True)
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
        self._composers.append(Composer(cast("Loop", subject).board) if subject.place is Place.GAME else None)
        self._turn_to()
        try:
            yield
        finally:
            self._subjects.pop()
            self._composers.pop()
            self._turn_to()

    def _turn_to(self) -> None:
        """Something else is before the person. What is being typed stays; with nothing there, keys wait."""
        self._holding = self._holding or not self._subjects
        self._at, self._page, self._form, self._asked, self._aside = None, 0, None, False, False
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
        self._wanted = time.monotonic()
        if not self._pending and self.app.is_running and self.app.loop is not None:
            self._pending = True
            self.app.loop.call_soon_threadsafe(self._schedule)

    def _schedule(self) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(max(self._drawn + FASTEST - loop.time(), 0.0), self._refreshed)

    def _refreshed(self) -> None:
        self._pending = False
        # The answer to a key may have shown it meanwhile; a second frame would only keep the next key waiting.
        if self._composed <= self._wanted:
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
        if self.line.is_open:
            return Place.LINE
        if self._form is not None:
            return Place.FORM
        if self._sketch is not None and not self._paged:
            return Place.BESIDE if self._aside else Place.BOARD
        return self._under

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
        return self.line.text

    @property
    def _composer(self) -> Composer | None:
        return self._composers[-1] if self._composers else None

    @property
    def _sketch(self) -> Sketch | None:
        """The move that is being put together, as it was last shown."""
        return self._seen.sketch if isinstance(self._seen, GameView) and self._under is Place.GAME else None

    def _view(self) -> views.View | Page:
        from lantable_console.screen import state

        if self._form is not None:
            return self._form
        if self._question is not None:
            return Page("lantable", (self._question,))
        if not self._subjects:
            kept = tr("  keys kept until then: {early}", early=len(self._early)) if self._early else ""
            return Page("lantable", (tr("opening ..{kept}", kept=kept) if not self._opened else tr("closing .."),))
        place, subject = self._subjects[-1]
        width, composer = self.app.output.get_size().columns, self._composer
        looks: dict[Place, Callable[[Any], views.View]] = {
            Place.GAME: lambda loop: state.game_view(loop, composer or Composer(loop.board), width),
            Place.LOBBY: lambda desk: state.lobby_view(desk, self._looked_for),
            Place.REPLAY: lambda viewer: state.replay_view(viewer, width),
        }
        return looks[place](subject)

    @property
    def _looked_for(self) -> str | None:
        """What is being typed to filter the lists by."""
        return self.typed[1:].strip() if self.line.is_open and self.typed.startswith("/") else None

    def _person(self, width: int) -> Person:
        return Person(
            message=self._message(width),
            typing=self.line.is_open,
            hints=self._hints() if self.line.is_open else "",
            page=self._page,
            scroll=self._scroll,
            at=self._at,
            over=self._over(width),
            bar=keys.bar(self, self.place) if self._subjects else (),
            aside=self._aside,
            fresh=self._fresh and bool(self._answers or self._said),
            clicks=self.mouse,
        )

    def _hints(self) -> str:
        """How what is typed may go on; of a whole move, what it would make."""
        judged = self._composer.judged(self.typed) if self._composer is not None and " " in self.typed else ""
        return judged or "  ".join(self.candidates()[:12])

    def _message(self, width: int) -> str:
        if self._asked:
            return tr("a game is running: Ctrl-C again leaves; it is kept and can be resumed")
        if self._thinking:
            return tr("looking for a hint; Esc drops the question")
        if self._answers:
            return self._answers[0] if len(self._answers) == 1 else ""
        return self._said[-1] if self._said else ""

    def _over(self, width: int) -> Page | None:
        if self._help:
            place = self._under if self._form is None else Place.FORM
            return Page(tr("Keys and commands"), keys.help_lines(self, place, width))
        if self._shown is not None:
            return self._shown
        if len(self._answers) > 1 or any(len(line) > width for line in self._answers):
            return Page("", tuple(self._answers))
        return None

    # -- drawing

    def _application(self, source: Input | None, output: Output | None) -> "Application[None]":
        app: Application[None] = Application(
            self.canvas.layout,
            style=DynamicStyle(lambda: theme.style(self.looks.theme)),
            key_bindings=keys.bindings(self),
            # NO_COLOR, if the person set it; else as many as the terminal says it has.
            color_depth=ColorDepth.from_env(),
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
        self._composed = time.monotonic()
        size = self.app.output.get_size()
        self._seen = view = self._view()
        self._paged = self._over(size.columns) is not None
        self.canvas.frame = views.compose(view, self._person(size.columns), size.columns, size.rows)
        mine = isinstance(view, GameView) and view.mine
        if mine != self._titled:
            self._titled = mine
            if mine:
                self.app.output.set_title(YOUR_MOVE)
                if self._bell:
                    self.app.output.bell()
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

    # -- the mouse

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
        elif kind == "at":
            self._act(act)
        elif kind == "press":
            self._act(what)
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
        self._said.append(tr("clicks act here") if self.mouse else tr("clicks are the terminal's again"))

    # -- keys

    def do(self, row: Command, argument: str = "") -> None:
        """A key was pressed that stands for a command."""
        if row.name != "interrupt":
            self._asked = False
        self._fresh = False
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
        row = self._row(word) if word else None
        composer = self._composer
        if line.startswith(":") and row is None and composer is not None and composer.names(word):
            self._act(word)
        elif row is not None and row.name == "help":
            self.open_help()
        elif row is not None and row.screen and (line.startswith(":") or self._under is not Place.GAME):
            row.do(self, line.partition(" ")[2].strip())
        else:
            self._send(line)

    def _row(self, word: str) -> Command | None:
        """The command that a word means here, also one of a board."""
        row = commands.find(self._under, word, screen=True)
        return row or (commands.find(Place.BESIDE, word, screen=True) if self._sketch is not None else None)

    def _send(self, line: str) -> None:
        if self._guest is not None:
            self._guest.send(line)

    # -- a move being put together

    @property
    def all_presses(self) -> tuple[Press, ...]:
        """Every key that the game gives a meaning to, wherever the person is."""
        return self._sketch.presses if self._sketch is not None else ()

    @property
    def presses(self) -> tuple[Press, ...]:
        """The game's own keys where the person is now. In the panel those are its letters."""
        if self.place is Place.BOARD:
            return tuple(press for press in self.all_presses if press.anywhere and not self._is_ours(press.key))
        letters = self.all_presses if self.place is Place.BESIDE else ()
        return tuple(press for press in letters if press.key.isalpha() and len(press.key) == 1)

    def _is_ours(self, key: str) -> bool:
        """Whether a key is the table's on a board now."""
        return any(key in row.keys and self.there(row) for row in commands.at(Place.BOARD))

    def takes(self, key: str) -> bool:
        """Whether the game has a meaning for a key that is no character."""
        return self.place is Place.BOARD and any(press.key == key for press in self.presses)

    def lays(self, key: str) -> bool:
        """Whether a character lays something on the board."""
        composer = self._composer
        return self.place is Place.BOARD and composer is not None and composer.means(key)

    def put(self, key: str) -> None:
        """A key that is the game's: it lays something, or is one of the game's own."""
        press = next((press for press in self.presses if press.key == key), None)
        if press is not None:
            self._act(press.act)
        elif self.place is Place.BESIDE:
            self.start_line(key if key.isprintable() else "")
        elif not self._act(key) and key.isprintable():
            self._said.append(tr("{key} lays nothing here; : begins a command, and ? lists the keys", key=safe(key)))
            self._fresh = True

    def _act(self, act: str) -> bool:
        self._answers.clear()
        self._asked = self._fresh = False
        if self._thinking:
            # Whoever goes on laying tiles has thought of something.
            cast("Loop", self.subject).computers.drop()
        composer = self._composer
        meant = composer is not None and composer.press(act)
        # The next key may come before the next frame, and must find what this one did.
        self._seen = self._view()
        return meant

    def play_draft(self) -> None:
        """Send what is laid. It is judged once more: something may have happened since it was drawn."""
        sketch = self._composer.sketch(Look()) if self._composer is not None else None
        if sketch is not None and sketch.ready and sketch.move is not None:
            self.submit(sketch.move)

    @property
    def can_play_draft(self) -> bool:
        view = self._seen
        return isinstance(view, GameView) and view.mine and view.sketch is not None and view.sketch.ready

    def explain_draft(self) -> None:
        if self._sketch is not None and self._sketch.move is not None:
            self.submit(f"try {self._sketch.move}")

    @property
    def can_explain(self) -> bool:
        return self._sketch is not None and self._sketch.move is not None

    @property
    def can_advise(self) -> bool:
        return self._under is Place.GAME and cast("Loop", self.subject).computers.can_hint

    def turn_aside(self) -> None:
        self._aside, self._scroll = not self._aside, 0

    def change_size(self, size: str) -> None:
        if not size or size.isdecimal():
            self.looks.size = int(size[:3] or "0")
        else:
            self._said.append(
                tr("size takes 1, 2, 3 and so on, 1 being the smallest; or nothing, to follow the window")
            )

    # -- the input line

    def start_line(self, text: str) -> None:
        """Begin to type."""
        if text and self._under is not Place.LINE:
            self._asked = False
            self.line.open(text)
            self.canvas.focus(typing=True)

    def drop_line(self) -> None:
        """Nothing is typed any more; keys are for the board again, unless an answer is awaited."""
        if self._question is not None:
            self.line.open("")
            return
        self.line.close()
        self.canvas.focus(typing=False)

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
        if self.line.is_open:
            self.line.buffer.insert_text(text)
        elif self._form is None:
            self.start_line(text)

    def candidates(self) -> list[str]:
        """How the line may go on: commands, moves, arguments."""
        base = self.line.begun
        colon = ":" if base.startswith(":") else ""
        word, space, rest = base.removeprefix(":").partition(" ")
        if not space:
            known = [row.name for row in commands.at(self._under) if not row.screen and self.there(row)]
            known += [] if colon else self._moves()
            return [colon + name for name in dict.fromkeys(known) if name.startswith(fold(word))]
        row = commands.find(self._under, word, screen=bool(colon))
        offered = row.completes(self.subject) if row is not None else ()
        return [f"{colon}{word} {one}" for one in offered if one.startswith(rest)]

    def _moves(self) -> list[str]:
        return [spot.move for spot in _spots(self._seen)]

    def complete(self, step: int) -> None:
        """The next way to go on with what was typed."""
        self.line.cycle(self.candidates(), step)

    # -- what only the screen does

    def escape(self) -> None:
        if self.line.is_open:
            self.drop_line()
        elif self._thinking:
            cast("Loop", self.subject).computers.drop()
        elif self._page_open:
            self._close_page()
        elif self._form is not None:
            self._form = None
        elif self._filtered:
            self.submit("filter")
        else:
            self._aside = False
        self._asked = False

    @property
    def can_escape(self) -> bool:
        open_ = self.line.is_open or self._page_open or self._form is not None or self._filtered
        return open_ or self._thinking or (self._aside and self._sketch is not None)

    @property
    def _filtered(self) -> bool:
        return isinstance(self._seen, LobbyView) and bool(self._seen.wanted) and not self.line.is_open

    @property
    def _thinking(self) -> bool:
        """Whether a hint is being looked for."""
        return self._under is Place.GAME and cast("Loop", self.subject).computers.thinking

    def open_help(self) -> None:
        self._close_page()
        self._help = True

    def interrupt(self) -> None:
        """Ctrl-C: out; while a game runs, only when asked twice."""
        running = self._under is Place.GAME and not cast("Loop", self.subject).board.over
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

    def choose_theme(self, name: str) -> None:
        """Another theme; without a name the next one."""
        names = list(theme.THEMES)
        if name and name not in names:
            self.say(tr("* there is no theme {name}; there is {names}", name=repr(name), names=", ".join(names)))
            return
        self.looks.theme = name or names[(names.index(self.looks.theme) + 1) % len(names)]
        self.say(tr("* theme {theme}; for good:  lantable config set theme {theme}", theme=self.looks.theme))

    def redraw(self) -> None:
        self.app.renderer.clear()

    def scroll(self, way: str) -> None:
        step = 10 if way == "up" else -10
        if self._paged:
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
        return isinstance(view, GameView) and view.mine and view.sketch is None and bool(_spots(view))

    def open_selected(self) -> None:
        if line := self._obvious():
            self.submit(line)

    @property
    def can_open_selected(self) -> bool:
        return bool(self._obvious())

    def _obvious(self) -> str:
        """What Enter stands for: sit down at a table, learn more of a person."""
        for name in ("join", "resume", "info"):
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


def _spots(view: object) -> list[Spot]:
    return spots(view.picture) if isinstance(view, GameView) and view.picture is not None else []


def _import_guest() -> Any:
    return importlib.import_module("lantable_console.screen.guest")
