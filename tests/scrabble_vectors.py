"""Runs the language-neutral cases for Binary Scrabble, one runner a kind: case -> facts (what, expected, got).

An independent reference implementation wrote the cases; the encoding is described beside them. Tile codes in a
case are faces; a blank is told by a list of squares or a flag beside it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lantable.errors import IllegalMove
from lantable_binary_scrabble.board import SIZE, Board, Laid
from lantable_binary_scrabble.expression import judge
from lantable_binary_scrabble.generator import Move, moves
from lantable_binary_scrabble.placement import judge_laid
from lantable_binary_scrabble.ruleset import RuleSet
from lantable_binary_scrabble.state import check_exchange, final_account, winners
from lantable_binary_scrabble.tables import as_blank, face_of, is_blank
from lantable_rotated_equals import TURNED
from lantable_xor_tiles import XOR

Case = Mapping[str, Any]
Facts = Iterator[tuple[str, object, object]]
HOUSE_RULES = {"xor": ("xor-tiles", XOR), "rotated_equals": ("rotated-equals", TURNED)}
_RULES: dict[str, RuleSet] = {}


def rules_of(options: Mapping[str, Any]) -> RuleSet:
    """The rule set a case's options name; made once for each."""
    key = json.dumps(options, sort_keys=True)
    if key not in _RULES:
        changes = [change for name, change in HOUSE_RULES.items() if options.get(name)]
        _RULES[key] = RuleSet(options={k: v for k, v in options.items() if k not in HOUSE_RULES}, changes=changes)
    return _RULES[key]


def expr(case: Case) -> Facts:
    """An expression: valid with value and bonus, or the first reason of section 9."""
    verdict = judge(rules_of(case["options"]), case["text"])
    got = {
        "valid": verdict.valid,
        "value": None if verdict.value is None else str(verdict.value),
        "bonus": verdict.bonus,
        "reason": verdict.reason,
    }
    yield from differences(case, got)


def board_of(case: Case) -> Board:
    """The board of a case; its `blanks` show the face that stands in `board`."""
    squares = list("".join(case["board"]))
    for row, col in case["blanks"]:
        squares[row * SIZE + col] = as_blank(squares[row * SIZE + col])
    return Board("".join(squares))


def laid_of(move: list[Any]) -> list[Laid]:
    """Tiles on squares from [[row, col, face, is_blank], ...]."""
    return [Laid(row, col, as_blank(face) if blank else face) for row, col, face, blank in move]


def place(case: Case) -> Facts:
    """A placement: legal with score and equations, or any one of the codes the case lists."""
    try:
        play = judge_laid(rules_of(case["options"]), board_of(case), case["rack"], laid_of(case["move"]))
    except IllegalMove as illegal:
        codes = [code for code, _ in case["reasons"]]
        # "reporting any one of them passes"
        yield "reasons", codes, codes if illegal.code in codes else illegal.code
        return
    keys = ("dir", "row", "col", "text", "value", "score")
    got = [("h" if e.across else "v", e.row, e.col, e.text, str(e.value), e.score) for e in play.equations]
    wanted = [tuple(str(e[key]) if key == "value" else e[key] for key in keys) for e in case["equations"]]
    yield from differences(case, {"legal": True, "score": play.score})
    yield "equations", sorted(wanted), sorted(got)


def gen(case: Case) -> Facts:
    """All legal placements: how many, the best score and how often, and the sum of all scores."""
    board = board_of(case)
    found = list(moves(rules_of(case["options"]), board, case["rack"]))
    best = max((move.score for move in found), default=None)
    top = {_squares(move, board) for move in found if move.score == best}
    got = {
        "count": len(found),
        "best": best,
        "best_count": len(top),
        "total_score": sum(move.score for move in found),
    }
    listed = {frozenset(map(tuple, move)) for move in case["best_moves"]}
    yield from differences(case, got)
    yield "best_moves that are missing", 0, len(listed - top)


def _squares(move: Move, board: Board) -> frozenset[tuple[int, int, str, bool]]:
    return frozenset((t.row, t.col, face_of(t.symbol), is_blank(t.symbol)) for t in move.placement.on(board))


def final(case: Case) -> Facts:
    """The final account: totals and winners."""
    totals = final_account(rules_of(case["options"]), tuple(case["scores"]), list(case["racks"]))
    yield from differences(case, {"final": list(totals), "winners": list(winners(totals))})


def exchange(case: Case) -> Facts:
    """Whether tiles may be exchanged."""
    try:
        check_exchange(rules_of(case["options"]), case["rack"], case["chosen"], case["bag_count"])
        legal = True
    except IllegalMove:
        legal = False
    yield from differences(case, {"legal": legal})


def differences(case: Case, got: Mapping[str, Any]) -> Facts:
    """One fact a field."""
    for name, value in got.items():
        yield name, case[name], value


RUNNERS: dict[str, Callable[[Case], Facts]] = {
    "expr": expr,
    "place": place,
    "gen": gen,
    "final": final,
    "exchange": exchange,
}
