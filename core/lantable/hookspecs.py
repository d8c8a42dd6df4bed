"""The hooks a plugin may implement. Few, synchronous, asked once when plugins are loaded, never during play."""

from collections.abc import Iterable
from typing import Final

import pluggy

from lantable.game import Game, HouseRule

PROJECT: Final = "lantable"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def lantable_games() -> Iterable[Game]:  # type: ignore[empty-body]  # a hook specification has no body
    """The games this plugin offers."""


@hookspec
def lantable_house_rules() -> Iterable[HouseRule]:  # type: ignore[empty-body]  # a hook specification has no body
    """The house rules this plugin offers, each for one game."""
