"""Everything raised on purpose, named by whose fault it is.

=================  ==================================================================================
`Untrusted`        strangers' bytes (a peer's or a file's) are not what they must be. The *only* error
                   that reading such bytes may raise; anything else is our bug.
`IllegalMove`      the rules say no, whoever asked.
`Misuse`           the person at this keyboard asked for something that does not exist or cannot be done.
`PluginFault`      a plugin broke its contract.
`UnknownRules`     nobody's: the plugin or version a record names is not installed here.
`DiskFault`        the disk (or its permissions) did not do what we need; nothing more is signed.
=================  ==================================================================================

What an error says is an English sentence, often a `wording.Text`; whoever shows it translates it then.
"""

from lantable.wording import verbatim


class LantableError(Exception):
    """Base of all errors raised on purpose. `str()` is one line fit to be shown to a person."""


class Untrusted(LantableError):
    """Bytes from a peer or a file were refused.

    `code` is a stable word for tests, nacks and JSON; `detail` says what was found.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(verbatim("{code}: {detail}", code=code, detail=detail) if detail else code)
        self.code = code
        self.detail = detail


class IllegalMove(LantableError):
    """The rules refuse a move. `code` is stable; `detail` is one plain sentence."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(detail or code)
        self.code = code
        self.detail = detail


class Misuse(LantableError):
    """What the local person or caller asked for cannot be done; the message says what to do instead."""


class PluginFault(LantableError):
    """A plugin raised, or returned something that is not what the hook promises."""


class DiskFault(LantableError):
    """Reading or writing local storage failed. After it this process signs nothing more for that game."""


class UnknownRules(LantableError):
    """The game, its version or its rules digest is not installed here, so nobody here can judge the moves."""
