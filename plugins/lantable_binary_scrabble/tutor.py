"""The tutor: why a text is or is not a valid equation, shown with its working, and what would make it one.

It explains one cause at a time, in the order of section 9, and only claims what it has tried: a house rule is named
if with that option the text would be valid; a misconception, if the text holds under the mistaken reading; a change,
if the changed text holds under the rules.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lantable.canonical import Json
from lantable.errors import IllegalMove, Misuse
from lantable.game import Choice, Flag
from lantable.wording import joined, verbatim
from lantable_binary_scrabble import arithmetic
from lantable_binary_scrabble.board import SIZE, Board, Laid
from lantable_binary_scrabble.expression import (
    Calculation,
    Operand,
    Refused,
    Side,
    Sign,
    Verdict,
    judge,
    parse,
    spelled,
    widest_number,
)
from lantable_binary_scrabble.notation import COLUMNS, show_faces
from lantable_binary_scrabble.placement import Equation, Play, counted, judge_laid, runs_made, tolerated
from lantable_binary_scrabble.ruleset import OPTIONS, RuleSet
from lantable_binary_scrabble.tables import EQUALS, Operator, Undefined, Value, face_of
from lantable_binary_scrabble.wording import msg

_LONGEST_TRIED: Final = 40
"""Longest text for which changes are tried, in signs: a board line has 15."""
_LONGEST_VARIED: Final = 200
"""Longest text that is tried under other options: there are many, and explaining must not take longer than typing."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the tutor says. `sentence` is complete by itself; the rest is there when it applies."""

    text: str
    valid: bool
    reason: str | None
    sentence: str
    span: tuple[int, int] = (0, 0)
    working: tuple[str, ...] = ()
    """Lines for a fixed-width font: each step in binary and decimal, with padding and carries."""
    option: str | None = None
    """`name=value` of the one option under which the text would be valid."""
    misconception: str | None = None
    mistake: str | None = None
    """The misconception in a sentence."""
    nearest: str | None = None
    """A valid text one change away, in tile codes."""
    hint: str | None = None
    """That change in a sentence."""
    score: int | None = None
    """What a move would score."""
    gain: str = ""
    """What of, as the end of a sentence."""

    def as_json(self) -> Json:
        """The same inside the canonical JSON profile."""
        return {
            "text": self.text,
            "valid": self.valid,
            "reason": self.reason,
            "sentence": self.sentence,
            "span": list(self.span),
            "working": list(self.working),
            "option": self.option,
            "misconception": self.misconception,
            "mistake": self.mistake,
            "nearest": self.nearest,
            "hint": self.hint,
        }


def check(text: str, rules: RuleSet) -> Explanation:
    """Explain a text in tile codes (typed text goes through `read_faces` first). Never raises."""
    verdict = judge(rules, text)
    working = working_of(rules, text)
    if verdict.valid:
        return Explanation(text, True, None, _holds(rules, verdict), working=working)
    option = _option(rules, text, verdict)
    sentence = _why_not(rules, verdict)
    if option is not None and verdict.reason != "unequal":
        sentence += msg(" With {option} it would be valid.", option=option)
    misconception = _misconception(rules, verdict)
    nearest = _nearest(rules, text) if len(text) <= _LONGEST_TRIED else None
    return Explanation(
        text,
        False,
        verdict.reason,
        sentence,
        verdict.span,
        working,
        option,
        misconception,
        _MISTAKES.get(misconception or ""),
        nearest,
        None if nearest is None else _hint(rules, text, nearest),
    )


def check_move(rules: RuleSet, board: Board, rack: str, laid: Sequence[Laid], *, briefly: bool = False) -> Explanation:
    """Explain a placement: what it makes and scores, or the first thing that is wrong with it. Never raises.

    `briefly` leaves out what takes long to find, so that it can be asked at every key: what would make it right,
    and the working.
    """
    try:
        play = judge_laid(rules, board, rack, laid)
    except IllegalMove as illegal:
        if illegal.code == "equation":
            return _wrong_run(rules, board, laid, briefly=briefly)
        return Explanation("", False, illegal.code, verbatim("{why!c}.", why=illegal.detail))
    counts = [_count(rules, play, equation, laid) for equation in play.equations]
    bingo = (
        msg("; {bingo} more for the full rack", bingo=rules.settings.bingo)
        if play.bingo and rules.settings.bingo
        else ""
    )
    total = msg(": {score} in all", score=play.score) if bingo or len(counts) > 1 else ""
    working = () if briefly else [line for made in play.equations for line in working_of(rules, made.text)]
    gain = verbatim("{counts}{bingo}{total}.", counts=joined("; ", counts), bingo=bingo, total=total)
    sentence = msg("That makes {what}", what=gain)
    return Explanation(
        play.equations[0].text, True, None, sentence, working=tuple(working), score=play.score, gain=gain
    )


def _count(rules: RuleSet, play: Play, made: Equation, laid: Sequence[Laid]) -> str:
    """An equation and how its score comes about."""
    new = {tile.row * SIZE + tile.col for tile in laid}
    points, factor = counted(rules, play.board.run(made.row, made.col, across=made.across), new)
    bonus = made.score // factor - points
    times = msg(", times {factor}", factor=factor) if factor > 1 else ""
    return msg(
        "{rules} for {score} (tiles {points}, bonus {bonus}{times})",
        rules=show_faces(rules, made.text),
        score=made.score,
        points=points,
        bonus=bonus,
        times=times,
    )


def _wrong_run(rules: RuleSet, board: Board, laid: Sequence[Laid], *, briefly: bool) -> Explanation:
    """The first run of a placement that is no equation, and where it is."""
    run, verdict = next(
        (run, verdict)
        for run, along in runs_made(board.with_tiles(laid), laid)
        if not (verdict := judge(rules, "".join(map(face_of, run.text)))).valid
        and (along or not tolerated(rules, run.text))
    )
    text = verdict.text
    told = Explanation(text, False, verdict.reason, _why_not(rules, verdict)) if briefly else check(text, rules)
    place = msg("Row {row}", row=run.row + 1) if run.across else msg("Column {columns}", columns=COLUMNS[run.col])
    return replace(
        told,
        sentence=msg(
            "{place} would read {text}: {why}",
            place=place,
            text=show_faces(rules, told.text, words=True),
            why=told.sentence,
        ),
    )


# -- sentences


def _holds(rules: RuleSet, verdict: Verdict) -> str:
    values = " = ".join(map(spelled, verdict.sides))
    return msg("It holds: {values}; bonus {bonus}.", values=values, bonus=verdict.bonus)


_SYNTAX: Final = {
    "empty_side": msg("One side of an equals sign is empty."),
    "operand_expected": msg("A number must stand here: no two operators in a row, and none at the end of a side."),
    "operator_expected": msg("An operator must stand between two numbers."),
    "too_long": msg("That is too long to be read."),
    "bracket": msg("A bracket has no partner."),
}
_ARITH: Final = {
    "div_zero": msg("Nothing can be divided by zero."),
    "inexact": msg("A division does not come out whole."),
    "negative": msg("The calculation goes below zero."),
    "logic_domain": msg("AND, OR and the like need whole numbers that are not below zero."),
    "not_width": msg("NOT stands before a number with more digits than its word has."),
}
_IDENTITY: Final = {
    "chained": msg("There is more than one identity fragment on a side."),
}


def _why_not(rules: RuleSet, verdict: Verdict) -> str:
    start, end = verdict.span
    piece = show_faces(rules, verdict.text[start:end])
    detail = verdict.detail or ""
    match verdict.reason:
        case "bad_symbol":
            return msg("The sign {piece} is not in use here.", piece=piece)
        case "no_equals":
            return msg("An equation needs an equals sign.")
        case "syntax":
            return _SYNTAX.get(detail, "A sign stands where it cannot stand.")
        case "leading_zero":
            return msg("The number {piece} starts with a zero.", piece=piece)
        case "arith":
            return _ARITH.get(detail, f"One step has no result ({detail}).")
        case "unequal":
            return msg("The sides differ: {sides_told}.", sides_told=_sides_told(rules, verdict))
        case "identity":
            return _IDENTITY.get(detail, f"The fragment {piece} changes nothing and is switched off here.")
        case _:
            return msg("All sides are spelled alike, which is switched off here.")


def _sides_told(rules: RuleSet, verdict: Verdict) -> str:
    told = [
        msg("{rules} is {value}", rules=show_faces(rules, side, words=True), value=spelled(value))
        for side, value in zip(verdict.text.split(EQUALS), verdict.sides, strict=False)
    ]
    return joined(", ", told)


# -- the working


def working_of(rules: RuleSet, text: str) -> tuple[str, ...]:
    """The working of a text in tile codes, in lines; none if it cannot be read or is too long."""
    return tuple(_working(rules, text))


def _working(rules: RuleSet, text: str) -> Iterator[str]:
    """Every step of every side, as far as it can be calculated."""
    try:
        signs = "".join(rules.reading[face] for face in text)
        sides = parse(rules, signs)
    except (KeyError, Refused):
        return
    if len(text) > _LONGEST_TRIED:
        return
    widest = widest_number(sides)
    for side in sides:
        calculation = Calculation(rules, widest, traced=True)
        try:
            calculation.run(side)
        except Refused as refused:
            yield from _side_steps(rules, side, calculation, widest)
            yield f"{'':2}no result: {refused.detail}"
            return
        yield from _side_steps(rules, side, calculation, widest)


def _side_steps(rules: RuleSet, side: Side, calculation: Calculation, widest: int) -> Iterator[str]:
    numbers = [item for item in side if isinstance(item, Operand)]
    for number in numbers:
        if number.before or number.after:
            yield from _dressed(rules, number, widest)
    if not calculation.steps and len(numbers) == 1 and not numbers[0].before + numbers[0].after:
        yield f"{'':2}{numbers[0].digits}   {int(numbers[0].digits, rules.kind.base)}"
    for left, operator, right, result in calculation.steps:
        yield from _step(rules, left, operator, right, result)


def _dressed(rules: RuleSet, number: Operand, widest: int) -> Iterator[str]:
    """A number under NOT, a root, a square or a sign."""
    value: Value = int(number.digits, rules.kind.base)
    shown = show_faces(rules, number.before + number.digits + number.after, words=True)
    try:
        if number.after:
            value = rules.postfixed(number.after, value)
        result = rules.operand(number.before, value, len(number.digits), widest)
    except Undefined:
        return
    yield f"{'':2}{shown} = {_digits(rules, result)}   {spelled(result)}"


def _step(rules: RuleSet, left: Value, operator: str, right: Value, result: Value) -> Iterator[str]:
    named = show_faces(rules, operator, words=True).strip()
    decimal = f"{spelled(left)} {named} {spelled(right)} = {spelled(result)}"
    columns = rules.operators[operator].table is not None or operator in "+-"
    whole = [value for value in (left, right, result) if isinstance(value, int) and value >= 0]
    if rules.kind.base != 2 or not columns or len(whole) < 3:
        binary = f"{_digits(rules, left)} {named} {_digits(rules, right)} = {_digits(rules, result)}"
        yield f"{'':2}{binary}   {decimal}" if rules.kind.base == 2 else f"{'':2}{decimal}"
        return
    yield from _columns(
        named, whole[0], whole[1], whole[2], decimal, padded=rules.operators[operator].table is not None
    )


def _columns(named: str, left: int, right: int, result: int, decimal: str, *, padded: bool) -> Iterator[str]:
    """Two numbers digit under digit: logic padded with zeros, sums with what is carried or borrowed."""
    width = max(value.bit_length() for value in (left, right, result, 1))
    indent = len(named) + 3
    carried = 0 if padded else left ^ right ^ result
    if carried:
        marks = "".join("1" if bit == "1" else " " for bit in f"{carried:0{width}b}")
        yield verbatim(
            "{marks}   {word}", marks=" " * indent + marks, word=msg("carried") if result >= left else msg("borrowed")
        )
    fill = "0" if padded else " "
    yield f"{'':{indent}}{left:{fill}{width}b}"
    yield f"{'':2}{named} {right:{fill}{width}b}"
    yield f"{'':{indent}}{'-' * width}"
    yield f"{'':{indent}}{result:{fill}{width}b}   {decimal}"


def _digits(rules: RuleSet, value: Value) -> str:
    if not isinstance(value, int):
        return f"{_digits(rules, value.numerator)}/{_digits(rules, value.denominator)}"
    return f"{value:b}" if rules.kind.base == 2 else spelled(value)


# -- the house rule


def _option(rules: RuleSet, text: str, verdict: Verdict) -> str | None:
    """The first single option under which the text would be valid."""
    if len(text) > _LONGEST_VARIED:
        return None
    for option in OPTIONS:
        values: Sequence[bool | str] = ()
        if isinstance(option, Flag):
            values = (True, False)
        elif isinstance(option, Choice):
            values = [value for value in option.choices if not value.startswith("fixed:")]
        for value in values:
            if value != getattr(rules.settings, option.name) and _valid_with(rules, option.name, value, text):
                shown = ("no", "yes")[value] if isinstance(value, bool) else value
                return f"{option.name}={shown}"
    return None


def _valid_with(rules: RuleSet, name: str, value: bool | str, text: str) -> bool:
    try:
        return judge(rules.varied({name: value}), text).valid
    except Misuse:
        return False


# -- misconceptions


def _without_carry(a: Value, b: Value) -> Value:
    return arithmetic.bitwise(0b0110, a, b)


def _glued(a: Value, b: Value) -> Value:
    if not isinstance(a, int) or not isinstance(b, int) or a < 0 or b < 0:
        raise Undefined("logic_domain")
    return (a << max(b.bit_length(), 1)) + b


def _to_the_power(a: Value, b: Value) -> Value:
    if not isinstance(a, int) or not isinstance(b, int) or not 0 <= b <= _LONGEST_TRIED:
        raise Undefined("logic_domain")
    return int(a**b)


_MISREADINGS: Final[tuple[tuple[str, str, Callable[[Value, Value], Value]], ...]] = (
    ("glued", "+", _glued),
    ("carry", "+", _without_carry),
    ("and_as_plus", "&", arithmetic.add),
    ("or_as_plus", "|", arithmetic.add),
    ("times_as_power", "x", _to_the_power),
)
"""(name, operator, what it is mistaken for): the text holds if the operator did that."""
_MISTAKES: Final = {
    "glued": msg("Adding is not writing side by side: 1+1 is 10, not 11."),
    "carry": msg("A carry was lost: 1+1 gives 0 and carries 1 to the next column."),
    "and_as_plus": msg("AND does not add: it keeps only the ones that both numbers have in the same place."),
    "or_as_plus": msg(
        "OR does not add: where both numbers have a one there is still only one, and nothing is carried."
    ),
    "times_as_power": msg("x multiplies; it does not raise to a power."),
    "precedence": msg("Operators are taken in another order here."),
    "not_width": msg("NOT flips exactly as many digits as its rule says: check which zeros in front count."),
    "leading_zero": msg("Zeros in front do not change a number, and so are not written."),
}


def _misconception(rules: RuleSet, verdict: Verdict) -> str | None:
    """The mistake that would explain the text best, if one does."""
    if verdict.reason == "leading_zero":
        return "leading_zero"
    if verdict.reason not in ("unequal", "arith") or len(verdict.text) > _LONGEST_TRIED:
        return None
    for name, operator, function in _MISREADINGS:
        if operator in verdict.text and operator in rules.operators and rules.kind.base == 2:
            mistaken = Operator(operator, rules.operators[operator].ranks, function=function)
            if judge(rules.with_operator(mistaken), verdict.text).valid:
                return name
    for style in rules.kind.styles:
        if style != rules.settings.precedence and _valid_with(rules, "precedence", style, verdict.text):
            return "precedence"
    flips = [sign for sign, row in rules.prefixes.items() if row.function is None and sign in verdict.text]
    if flips:
        # NOT 0101 taken for NOT 101: the zeros in front were not flipped.
        if judge(rules, re.sub(f"(?<=[{re.escape(''.join(flips))}])0+(?=[0-9])", "", verdict.text)).valid:
            return "not_width"
        others = [w for w in ("written", "widest", "fixed:4", "fixed:8") if w != rules.settings.not_width]
        if any(_valid_with(rules, "not_width", width, verdict.text) for width in others):
            return "not_width"
    return None


# -- the nearest change


def _nearest(rules: RuleSet, text: str) -> str | None:
    """A valid text one change away: an operator, then a digit, then one digit more or less, then a side."""
    return next((changed for changed in _changes(rules, text) if judge(rules, changed).valid), None)


def _changes(rules: RuleSet, text: str) -> Iterator[str]:
    operators, places = list(rules.operators), range(len(text) - 1, -1, -1)
    for at in range(len(text)):
        if text[at] in rules.operators:
            # Logic is mistaken for logic, and sums for sums, more often than one for the other.
            table = rules.operators[text[at]].table
            nearer = sorted(operators, key=lambda code: (rules.operators[code].table is None) != (table is None))
            yield from (_put(text, at, 1, code) for code in nearer)
    for at in places:
        if text[at] in rules.digits:
            yield from (_put(text, at, 1, digit) for digit in rules.digits)
    for at in places:
        yield _put(text, at, 1, "")
        yield from (_put(text, at + 1, 0, digit) for digit in rules.digits)
    yield from _other_sides(rules, text)


def _put(text: str, at: int, length: int, sign: str) -> str:
    return text[:at] + sign + text[at + length :]


def _other_sides(rules: RuleSet, text: str) -> Iterator[str]:
    """Each side but one replaced by that one's value."""
    sides = text.split(EQUALS)
    for side in sides:
        value = judge(rules, f"{side}={side}").value
        if isinstance(value, int) and value >= 0 and value.bit_length() <= _LONGEST_TRIED:
            yield f"{side}={_digits(rules, value)}"


def _hint(rules: RuleSet, text: str, nearest: str) -> str:
    shown = _spaced(rules, nearest)
    changed = [at for at, (old, new) in enumerate(zip(text, nearest, strict=False)) if old != new]
    if len(text) == len(nearest) and len(changed) == 1 and nearest[changed[0]] in rules.operators:
        return msg(
            "with {operator} it would hold: {shown}",
            operator=show_faces(rules, nearest[changed[0]], words=True).strip(),
            shown=shown,
        )
    return msg("this would hold: {shown}", shown=shown)


def _spaced(rules: RuleSet, text: str) -> str:
    """An equation for a sentence: words, spaces, and logic with its operands padded to one width."""
    sides: list[str] = []
    for side in parse(rules, "".join(rules.reading[face] for face in text)):
        numbers = [item for item in side if isinstance(item, Operand)]
        signs = [item.text for item in side if not isinstance(item, Operand)]
        logic = len(numbers) == 2 and len(signs) == 1 and _is_logic(rules, signs) and not any(n.before for n in numbers)
        width = max(len(number.digits) for number in numbers) if logic else 0
        pieces = [_piece(rules, item, width) for item in side]
        sides.append(" ".join(pieces))
    return " = ".join(sides)


def _is_logic(rules: RuleSet, signs: Iterable[str]) -> bool:
    return all(sign in rules.operators and rules.operators[sign].table is not None for sign in signs)


def _piece(rules: RuleSet, item: Operand | Sign, width: int) -> str:
    if isinstance(item, Operand):
        return show_faces(rules, f"{item.before}{item.digits.zfill(width)}{item.after}", words=True)
    return show_faces(rules, item.text, words=True)
