"""What a command gets: its arguments, and the home and plugins, each made when first asked for."""

import argparse
import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

from lantable import __version__
from lantable.clock import Clock
from lantable.errors import LantableError, Misuse
from lantable.game import Game, OptionValue, nearest
from lantable.host import Host
from lantable_console.diary import Diary
from lantable_console.face import Face, Plain
from lantable_console.home import Home, default_folder
from lantable_console.questions import Questions
from lantable_console.settings import ALL_PLUGINS, USUAL, Settings
from lantable_replays.system import SYSTEM

_GAME_ID: Final = re.compile(r"[0-9a-fA-F]{1,32}")


class Context:
    """One run of one command."""

    def __init__(self, args: argparse.Namespace, face: Face | None = None, settings: Settings | None = None) -> None:
        self.args = args
        self.settings = settings or Settings.load(vars(args), os.environ)
        self.face: Face = face or Plain(self.settings)
        self.questions = Questions()

    @cached_property
    def home(self) -> Home:
        """--home, else as set, else the usual place of this system."""
        folder = self.settings.text("home")
        return Home(Path(folder).expanduser() if folder else default_folder())

    @cached_property
    def host(self) -> Host:
        """Plugins: all installed ones, or those that are set (nothing: none), and each --plugin file."""
        names = self.settings.text("plugins")
        only = None if names == ALL_PLUGINS else names.replace(",", " ").split()
        host = Host.load(only=only, files=self.args.plugin or ())
        for plugin in host.plugins:
            if plugin.error:
                self.warn(f"plugin {plugin.name} is broken and left out: {plugin.error}")
        return host

    @property
    def port(self) -> int | None:
        """The port to listen on; None: the usual one, or the next that is free."""
        given = self.settings.values["port"]
        return None if given.origin == USUAL else self.settings.number("port")

    @cached_property
    def diary(self) -> Diary:
        """The log file of this home. The home must be locked."""
        return Diary(self.home.folder / "log")

    def lock(self) -> None:
        """Be the one program that runs with this home; from here on its log is written. Raises `Misuse`."""
        self.home.lock()
        python = ".".join(map(str, sys.version_info[:3]))
        self.diary.note("began", version=__version__, command=self.args.command, python=python, system=SYSTEM)

    @contextmanager
    def opened(self) -> Generator[None]:
        """Whatever happens inside, what was opened is given back; a fault goes into the log first."""
        try:
            yield
        except Exception as error:
            self._note(error)
            raise
        finally:
            self.close()

    def _note(self, error: BaseException) -> None:
        if "diary" not in self.__dict__:
            return
        while isinstance(error, BaseExceptionGroup):
            members: tuple[BaseException, ...] = error.exceptions  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]  # isinstance cannot know the group's parameter
            error = members[0]
        if isinstance(error, LantableError):
            self.diary.note("error", kind=type(error).__name__, why=getattr(error, "code", "-"))
        else:
            self.diary.bug(error)

    def chosen_clock(self) -> Clock | None:
        """--clock and --overtime. Raises `Misuse`."""
        return None if self.args.clock is None else Clock.read(self.args.clock, self.args.overtime)

    def chosen_game(self) -> tuple[Game, dict[str, OptionValue]]:
        """GAME, --preset and --rules. Raises `Misuse`."""
        game = self.host.game(self.args.game)
        preset: str | None = getattr(self.args, "preset", None)
        if preset is not None and preset not in game.presets:
            raise Misuse(f"{game.id} has no preset {preset!r}" + nearest(preset, game.presets))
        return game, game.read_options(",".join(filter(None, (preset, self.args.rules))))

    def record_path(self, name: str) -> Path:
        """Where FILE|GAME-ID lies; a file that exists wins. Raises `Misuse` for digits that begin no one game's id."""
        if not os.path.exists(name) and _GAME_ID.fullmatch(name):
            return self.home.archive.path(self.home.archive.find(name))
        return Path(name)

    def say(self, text: str = "") -> None:
        """One line for the person. What peers and files supplied in it must have passed `safe_text`."""
        self.face.say(text)

    def warn(self, text: str) -> None:
        """One line about a fault; in line mode on stderr."""
        self.face.warn(text)

    def close(self) -> None:
        """Give back what was opened."""
        if "diary" in self.__dict__:
            self.diary.note("ended")
            self.diary.close()
        if "home" in self.__dict__:
            self.home.close()
