"""argparse as the command line wants it: help that begins with examples, errors of one line.

It stands apart from the table of commands because `lantable --help` does without it, see `cli`; `typing` is left out
for the same reason.
"""

from __future__ import annotations

import argparse

from lantable_console.cli import USAGE
from lantable_console.language import shown, tr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """What a command takes. `examples` come first in its help; `page`, if there is one, is the whole of it."""

    examples: tuple[str, ...] = ()
    page: str = ""

    def format_help(self) -> str:
        lines = [tr("examples:"), *(f"  {example}" for example in self.examples), ""]
        return self.page or "\n".join(lines) + "\n" + super().format_help()

    def error(self, message: str) -> NoReturn:
        from lantable.text import safe_text

        see = tr("{what} See  {help}") if message.endswith("?") else tr("{what}; see  {help}")
        what = see.format(what=safe_text(message, 600), help=f"{self.prog} --help")
        self.exit(USAGE, f"lantable: {what}\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            from lantable.game import nearest

            # The word after the program is a command, any other word that is chosen is an option's value.
            wrong = (
                tr("{option} cannot be {value}", option=action.option_strings[0], value=repr(value))
                if action.option_strings
                else tr("no command is called {value}", value=repr(value))
            )
            self.error(wrong + shown(nearest(value, action.choices)))

    def add_options(self, options: Mapping[str, dict[str, Any]], default: Any = argparse.SUPPRESS) -> None:
        """Options from a table. Without a `default`, one that is not given changes nothing said before."""
        for flag, how in options.items():
            title: str = how["help"]
            told: dict[str, Any] = {**how, "help": tr(title)}
            self.add_argument(flag, default=default, **told)

    def add_verbs(self, summaries: Mapping[str, str]) -> dict[str, Parser]:
        """A command's own commands by name; their examples are those of the command that show them."""
        verbs = self.add_subparsers(dest="what", required=True, metavar="|".join(summaries), parser_class=Parser)
        result: dict[str, Parser] = {}
        for name, summary in summaries.items():
            result[name] = verbs.add_parser(name, help=summary, description=summary)
            result[name].examples = tuple(example for example in self.examples if f" {name}" in example)
        return result
