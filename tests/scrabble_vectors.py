"""Runs the language-neutral cases for Binary Scrabble, one runner a kind: case -> list of failures (empty: passed).

An independent reference implementation wrote the cases; the encoding is described beside them. Tile codes in a
case are faces; a blank is told by a list of squares or a flag beside it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lantable_binary_scrabble.expression import judge
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_rotated_equals import TURNED
from lantable_xor_tiles import XOR

Case = dict[str, Any]
HOUSE_RULES = {"xor": ("xor-tiles", XOR), "rotated_equals": ("rotated-equals", TURNED)}
_RULES: dict[str, RuleSet] = {}


def rules_of(options: Mapping[str, Any]) -> RuleSet:
    """The rule set a case's options name; made once for each."""
    key = json.dumps(options, sort_keys=True)
    if key not in _RULES:
        changes = [change for name, change in HOUSE_RULES.items() if options.get(name)]
        _RULES[key] = RuleSet(options={k: v for k, v in options.items() if k not in HOUSE_RULES}, changes=changes)
    return _RULES[key]


def expr(case: Case) -> list[str]:
    """An expression: valid with value and bonus, or the first reason of section 9."""
    verdict = judge(rules_of(case["options"]), case["text"])
    got = {
        "valid": verdict.valid,
        "value": None if verdict.value is None else str(verdict.value),
        "bonus": verdict.bonus,
        "reason": verdict.reason,
    }
    return differences(case, got)


def differences(case: Case, got: Mapping[str, Any]) -> list[str]:
    """One line per field that came out otherwise than the case says."""
    return [f"{name}: expected {case[name]!r}, got {value!r}" for name, value in got.items() if case[name] != value]


RUNNERS: dict[str, Callable[[Case], list[str]]] = {"expr": expr}


def failures(path: Path) -> Iterator[tuple[str, str]]:
    """(id, what is wrong) for every failing case of a file; kinds that are not this game's are left out."""
    for line in path.read_text("utf-8").splitlines():
        case = json.loads(line)
        if case["kind"] in RUNNERS:
            for failure in RUNNERS[case["kind"]](case):
                yield f"{case['kind']} {case['id']}", failure
