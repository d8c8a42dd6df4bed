"""`lantable config show|set|path`: what is set and from where, and the person's file."""

import os

from lantable.text import safe_text
from lantable_console.context import Context
from lantable_console.language import tr
from lantable_console.settings import SETTINGS, config_file, toml, write_setting


def run(context: Context) -> int:
    """`lantable config show|set|path`."""
    {"show": _show, "set": _set, "path": _path}[context.args.what](context)
    return 0


def _show(context: Context) -> None:
    """A setting a line, as the file would have it; where it comes from stands behind it as a comment."""
    for setting in SETTINGS:
        given = context.settings.values[setting.name]
        origin = f"  # {given.origin}" if context.args.origin else ""
        context.say(safe_text(f"{setting.name} = {toml(given.value)}{origin}", 600))


def _set(context: Context) -> None:
    path = config_file(os.environ)
    line = write_setting(path, context.args.name, context.args.value)
    context.say(tr("{line} is written to {path}", line=safe_text(line, 600), path=safe_text(str(path), 600)))
    given = context.settings.values[context.args.name]
    if given.origin.startswith(("--", "LANTABLE_")):
        context.say(tr("but {origin} says otherwise now, and wins", origin=given.origin))


def _path(context: Context) -> None:
    path = config_file(os.environ)
    context.say(tr("none: LANTABLE_CONFIG is empty") if path is None else safe_text(str(path), 600))
