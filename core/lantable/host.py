"""The plugin host: owns pluggy, one typed method per hook, loads plugins one by one.

Nothing outside this file touches pluggy's relay: its calls are untyped and its order depends on what happens
to be installed. A plugin that fails to load, or returns what the hook does not promise, is listed as broken
with its error, and the others are unaffected. There is no module-global manager: every program and test
makes its own `Host`.
"""

import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, TypeVar

import pluggy

from lantable import hookspecs
from lantable.dealing import dealt, only_alone, starting
from lantable.errors import LantableError, Misuse, PluginFault, UnknownRules
from lantable.events import Offer
from lantable.game import Game, HouseRule, OptionValue, Rules, nearest, rules_digest
from lantable.wording import msg

GROUP: Final = "lantable"
T = TypeVar("T")
N = TypeVar("N", bound=str | tuple[str, str])


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin as listed: where it came from, its error if it is broken, else what it offers."""

    name: str
    version: str
    path: str
    error: str | None = None
    games: tuple[Game, ...] = ()
    house_rules: tuple[HouseRule, ...] = ()


class Host:
    """Games and house rules by name, from the plugins that loaded."""

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self.plugins: list[Plugin] = []
        self.games: dict[str, Game] = {}
        self.house_rules: dict[tuple[str, str], HouseRule] = {}

    @classmethod
    def load(cls, *, only: Iterable[str] | None = None, files: Iterable[str] = ()) -> "Host":
        """A host with every installed plugin (or `only` those named), then each plugin file."""
        host = cls()
        wanted = None if only is None else set(only)
        for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda point: point.name):
            if wanted is None or point.name in wanted:
                host.load_entry_point(point)
        for path in files:
            host.load_file(path)
        return host

    def load_entry_point(self, point: importlib.metadata.EntryPoint) -> None:
        """Load one installed plugin, or list it as broken."""
        version = point.dist.version if point.dist else ""
        self._load(point.name, version, point.value, point.load)

    def load_file(self, path: str) -> None:
        """Load a single plugin file that needs no packaging, or list it as broken."""
        name = f"file-{path}"

        def load() -> ModuleType:
            spec = importlib.util.spec_from_file_location(f"lantable_file_{len(self.plugins)}", path)
            if spec is None or spec.loader is None:
                raise PluginFault(msg("{path} is not a Python file", path=path))
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            return module

        self._load(name, "", path, load)

    def register(self, module: object, name: str, version: str = "", path: str = "") -> None:
        """Register a loaded plugin and take in what it offers. Raises `PluginFault` and takes in nothing."""
        if self._manager.has_plugin(name) or self._manager.is_registered(module):
            raise PluginFault(msg("a plugin of this name is already loaded"))
        try:
            self._manager.register(module, name)
            self._manager.check_pending()  # refuses a misspelt hook, which would never be called
            games = self._offered("lantable_games", module, Game, lambda game: game.id, self.games)
            rules = self._offered(
                "lantable_house_rules", module, HouseRule, lambda rule: (rule.game, rule.name), self.house_rules
            )
        except (Exception, SystemExit) as error:
            if self._manager.is_registered(module):
                self._manager.unregister(module)
            raise PluginFault(_blame(error)) from error
        self.games |= games
        self.house_rules |= rules
        self.plugins.append(Plugin(name, version, path, games=tuple(games.values()), house_rules=tuple(rules.values())))

    def game(self, name: str) -> Game:
        """The game of that id. Raises `Misuse` that suggests the nearest."""
        if name not in self.games:
            raise Misuse(msg("no game is called {name}", name=repr(name)) + nearest(name, self.games))
        return self.games[name]

    def rules(
        self, game: Game, options: Mapping[str, OptionValue], house_rules: Iterable[str] = ()
    ) -> tuple[Rules[Any], tuple[HouseRule, ...], bytes]:
        """Rules with everything chosen, the house rules in order, their digest. Raises `Misuse` or `PluginFault`."""
        chosen = tuple(self._house_rule(game, name) for name in house_rules)
        try:
            rules = game.make(options, chosen)
            return rules, chosen, rules_digest(game, options, chosen, rules)
        except LantableError:
            raise
        except Exception as error:
            raise PluginFault(f"{game.id} could not be set up: {type(error).__name__}: {error}") from error

    def rules_for(self, offer: Offer) -> Rules[Any]:
        """The rules an offer names, exactly. Raises `UnknownRules`, or `PluginFault` if the plugin itself breaks.

        Looks only among plugins that are already registered: a record can name anything, and naming never
        imports.
        """
        game = self._named(offer)
        for name, version in offer.house_rules:
            self._check_house_rule(offer.game, name, version)
        try:
            rules, chosen, digest = self.rules(game, game.check(offer.options), [name for name, _ in offer.house_rules])
        except Misuse as error:
            raise UnknownRules(str(error)) from error
        if digest != offer.digest:
            parts: list[Game | HouseRule] = [game, *chosen]
            raise UnknownRules(
                msg(
                    "{game} {version}: the digest differs, {digest} there, {digest2} here, so one of "
                    "us plays other rules; both need the same {plugins}",
                    game=offer.game,
                    version=offer.version,
                    digest=offer.digest.hex()[:8],
                    digest2=digest.hex()[:8],
                    plugins=", ".join(map(self._from, parts)),
                )
            )
        _check_dealing(offer, rules)
        return rules

    def _named(self, offer: Offer) -> Game:
        """The very game an offer names, for as many seats. Raises `UnknownRules`."""
        game = self.games.get(offer.game)
        if game is None:
            raise UnknownRules(msg("the game {game} is not installed here", game=repr(offer.game)))
        if game.version != offer.version:
            raise UnknownRules(
                msg(
                    "{game} {version} is needed, {version2} is installed: the versions differ; both "
                    "need the same plugin, here {origin}",
                    game=offer.game,
                    version=offer.version,
                    version2=game.version,
                    origin=self._from(game),
                )
            )
        low, high = game.seats
        if not low <= len(offer.seats) <= high:
            raise UnknownRules(
                msg(
                    "{game} is for {low} to {high} seats, not {seats}",
                    game=offer.game,
                    low=low,
                    high=high,
                    seats=len(offer.seats),
                )
            )
        return game

    def _check_house_rule(self, game: str, name: str, version: str) -> None:
        """Raises `UnknownRules` unless this very house rule is here."""
        rule = self.house_rules.get((game, name))
        if rule is None:
            raise UnknownRules(
                msg("the house rule {name} {version} is not installed here", name=repr(name), version=version)
            )
        if rule.version != version:
            raise UnknownRules(
                msg(
                    "the house rule {name} differs in its version: {version} there, {version2} "
                    "here; both need the same plugin, here {origin}",
                    name=repr(name),
                    version=version,
                    version2=rule.version,
                    origin=self._from(rule),
                )
            )

    def _from(self, offered: Game | HouseRule) -> str:
        """The plugin that offers something, and where it lies."""
        plugin = next(plugin for plugin in self.plugins if offered in (*plugin.games, *plugin.house_rules))
        return f"{plugin.name} ({plugin.path})" if plugin.path else plugin.name

    def _house_rule(self, game: Game, name: str) -> HouseRule:
        rule = self.house_rules.get((game.id, name))
        if rule is None:
            known = [name for of, name in self.house_rules if of == game.id]
            raise Misuse(msg("{id} has no house rule {name}", id=game.id, name=repr(name)) + nearest(name, known))
        return rule

    def _load(self, name: str, version: str, path: str, load: Any) -> None:
        # A plugin runs arbitrary code when imported; even SystemExit in it must not take the table down.
        try:
            self.register(load(), name, version, path)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - listed with its error, which is the point
            self.plugins.append(Plugin(name, version, path, _blame(error)))

    def _offered(
        self, hook: str, module: object, kind: type[T], name_of: Callable[[T], N], known: Mapping[N, T]
    ) -> dict[N, T]:
        """What one plugin answers to one hook, checked and by name."""
        offered: dict[N, T] = {}
        for item in self._call(hook, module):
            if not isinstance(item, kind):
                raise PluginFault(f"{hook} must give {kind.__name__} values, not {type(item).__name__}")
            name = name_of(item)
            if name in known or name in offered:
                raise PluginFault(f"{hook}: {name!r} is already offered")
            offered[name] = item
        return offered

    def _call(self, hook: str, module: object) -> list[Any]:
        """The items of what one plugin answers to one hook; its answer is a list of them."""
        relay = self._manager.subset_hook_caller(hook, [p for p in self._manager.get_plugins() if p is not module])
        answers: list[Any] = relay()
        if odd := [answer for answer in answers if not isinstance(answer, Iterable)]:
            raise PluginFault(f"{hook} must return a list, not {type(odd[0]).__name__}")
        return [item for answer in answers for item in answer]


def _blame(error: BaseException) -> str:
    """An error of a plugin in one line; what we found ourselves needs no name of a class before it."""
    text = " ".join(str(error).split())
    return text if isinstance(error, LantableError) else f"{type(error).__name__}: {text}"


def _check_dealing(offer: Offer, rules: Rules[Any]) -> None:
    """Raises `UnknownRules` unless the dealing an offer names is one that its rules can do with."""
    if dealt(rules) is not None and offer.dealing is None:
        raise UnknownRules(
            msg("{game} {version} needs a dealing, and none is named", game=offer.game, version=offer.version)
        )
    if dealt(rules) is None and offer.dealing is not None and starting(rules) is None:
        raise UnknownRules(
            msg("{game} {version} deals nothing, yet names a dealing", game=offer.game, version=offer.version)
        )
    if offer.dealing is not None and not offer.dealing.alone and (option := only_alone(rules)):
        raise UnknownRules(
            msg(
                "{game} {version}: {option} is only for games that one machine deals",
                game=offer.game,
                version=offer.version,
                option=option,
            )
        )
