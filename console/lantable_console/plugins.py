"""`lantable plugins list`: every plugin, from where, in what state, and what it offers.

A fact a line for people, each of which makes sense alone, or one JSON object. A broken plugin is a line like
the others and no failure of this command: the exit code is 0.
"""

import json
from collections.abc import Iterator

from lantable.canonical import Json
from lantable.game import Game, HouseRule, typed
from lantable.host import Plugin
from lantable.text import safe_text
from lantable_console.context import Context


def run(context: Context) -> int:
    """`lantable plugins list`."""
    plugins = context.host.plugins
    if context.args.json:
        context.say(json.dumps({"plugins": [_as_json(plugin) for plugin in plugins]}, indent=2))
        return 0
    for plugin in plugins:
        for line in _lines(plugin):
            context.say(safe_text(line, 600))
    if not plugins:
        context.say("no plugin is loaded; LANTABLE_PLUGINS leaves out those it does not name")
    return 0


# -- for people


def _lines(plugin: Plugin) -> Iterator[str]:
    state = "ok" if plugin.error is None else f"broken: {plugin.error}"
    yield f"plugin {' '.join(filter(None, (plugin.name, plugin.version)))}, from {plugin.path}: {state}"
    for game in plugin.games:
        yield from _game_lines(game)
    for rule in plugin.house_rules:
        yield f"house rule {rule.name} {rule.version} of {rule.game}: {rule.titles['en']}"


def _game_lines(game: Game) -> Iterator[str]:
    low, high = game.seats
    yield f"game {game.id} {game.version}: {game.titles['en']}, for {low} to {high} players"
    for option in game.options:
        usual = f"{option.name}={typed(option.default)}"
        yield f"option of {game.id}: {usual} unless told otherwise; {option.title}: {option.values}"
    for preset, values in game.presets.items():
        settings = ",".join(f"{name}={typed(value)}" for name, value in values.items())
        yield f"preset of {game.id}: {preset}, that is {settings or 'every option as usual'}"
    for opponent in game.opponents:
        yield f"computer player of {game.id}: {opponent}"


# -- for programs


def _as_json(plugin: Plugin) -> dict[str, Json]:
    return {
        "name": plugin.name,
        "version": plugin.version,
        "path": plugin.path,
        "state": "ok" if plugin.error is None else "broken",
        "error": plugin.error,
        "games": [_game_json(game) for game in plugin.games],
        "house_rules": [_rule_json(rule) for rule in plugin.house_rules],
    }


def _game_json(game: Game) -> Json:
    return {
        "id": game.id,
        "version": game.version,
        "title": game.titles["en"],
        "seats": list(game.seats),
        "options": [
            {"name": option.name, "default": option.default, "values": option.values, "title": option.title}
            for option in game.options
        ],
        "presets": {name: dict(values) for name, values in game.presets.items()},
        "opponents": list(game.opponents),
    }


def _rule_json(rule: HouseRule) -> Json:
    return {"game": rule.game, "name": rule.name, "version": rule.version, "title": rule.titles["en"]}
