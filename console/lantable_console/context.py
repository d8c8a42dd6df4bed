"""What a command gets: its arguments, and the home and plugins, each made when first asked for."""

import argparse
import os
import re
from functools import cached_property
from pathlib import Path
from typing import Final

from lantable.clock import Clock
from lantable.errors import Misuse
from lantable.game import Game, OptionValue, nearest
from lantable.host import Host
from lantable_console.face import Face, Plain
from lantable_console.home import Home, default_folder
from lantable_console.questions import Questions

_GAME_ID: Final = re.compile(r"[0-9a-fA-F]{1,32}")


class Context:
    """One run of one command."""

    def __init__(self, args: argparse.Namespace, face: Face | None = None) -> None:
        self.args = args
        self.face: Face = face or Plain()
        self.questions = Questions()

    @cached_property
    def home(self) -> Home:
        """--home, else LANTABLE_HOME, else the usual place of this system."""
        folder = self.args.home or os.environ.get("LANTABLE_HOME")
        return Home(Path(folder).expanduser() if folder else default_folder())

    @cached_property
    def host(self) -> Host:
        """Plugins: all installed ones, or those named in LANTABLE_PLUGINS (empty: none), and each --plugin file."""
        names = os.environ.get("LANTABLE_PLUGINS")
        only = None if names is None else [name for name in names.replace(",", " ").split() if name]
        host = Host.load(only=only, files=self.args.plugin or ())
        for plugin in host.plugins:
            if plugin.error:
                self.warn(f"plugin {plugin.name} is broken and left out: {plugin.error}")
        return host

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
        if "home" in self.__dict__:
            self.home.close()
