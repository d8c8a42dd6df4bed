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
from lantable_console.language import by_language, tr


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
        context.say(tr("no plugin is loaded; LANTABLE_PLUGINS leaves out those it does not name"))
    return 0


# -- for people


def _lines(plugin: Plugin) -> Iterator[str]:
    state = "ok" if plugin.error is None else tr("broken: {error}", error=plugin.error)
    yield tr(
        "plugin {name}, from {path}: {state}",
        name=" ".join(filter(None, (plugin.name, plugin.version))),
        path=plugin.path,
        state=state,
    )
    for game in plugin.games:
        yield from _game_lines(game)
    for rule in plugin.house_rules:
        yield tr(
            "house rule {name} {version} of {game}: {titles}",
            name=rule.name,
            version=rule.version,
            game=rule.game,
            titles=by_language(rule.titles),
        )


def _game_lines(game: Game) -> Iterator[str]:
    low, high = game.seats
    yield tr(
        "game {id} {version}: {titles}, for {low} to {high} players",
        id=game.id,
        version=game.version,
        titles=by_language(game.titles),
        low=low,
        high=high,
    )
    for option in game.options:
        usual = f"{option.name}={typed(option.default)}"
        yield tr(
            "option of {id}: {usual} unless told otherwise; {title}: {values}",
            id=game.id,
            usual=usual,
            title=option.title,
            values=option.values,
        )
    for preset, values in game.presets.items():
        settings = ",".join(f"{name}={typed(value)}" for name, value in values.items())
        yield tr(
            "preset of {id}: {preset}, that is {settings}",
            id=game.id,
            preset=preset,
            settings=settings or "every option as usual",
        )
    for opponent in game.opponents:
        yield tr("computer player of {id}: {opponent}", id=game.id, opponent=opponent)


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
