"""Who we are: on the first run with a folder a person is asked for a name, once.

A name goes to strangers and into every record. So it is never taken from the system (a login name is private, and
often a full name), and a script is never asked: off a terminal it is `player`, unless --name says otherwise.
"""

import sys
from typing import Final

from lantable.errors import Misuse
from lantable_console.context import Context
from lantable_console.language import tr
from lantable_net.handshake import Identity

DEFAULT: Final = "player"
TRIES: Final = 3


def introduce(context: Context) -> Identity:
    """Our identity, made on the first run; --name is kept. The home must be locked. Raises `Misuse`."""
    home = context.home
    if context.args.name is not None:
        home.rename(context.args.name)
    elif not home.has_key():
        _first_run(context)
    return home.identity()


def _first_run(context: Context) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        context.home.rename(DEFAULT)
        return
    for _ in range(TRIES):
        answer = context.face.ask(
            tr("What should others call you? They see it, and every record keeps it [{default}]: ", default=DEFAULT)
        )
        try:
            context.home.rename(answer.strip() or DEFAULT)
        except Misuse as error:
            context.say(str(error))
        else:
            context.say(tr("you are {name}; change it with: lantable id name NAME", name=context.home.key_file().name))
            return
    raise Misuse(tr("no name was chosen; say it as  --name NAME"))
