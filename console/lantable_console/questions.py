"""What others ask the person here, each under a number of its own.

`y 17` and `n 17` answer question 17 and no other, for as long as the program runs. So no question can take the place of
another just as somebody answers, and none is answered by a key that also does something else.
"""

from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Final

from lantable.errors import Misuse
from lantable_console.language import tr

Answer = Callable[[], Awaitable[None]]
HOW: Final = "y {0} says yes, n {0} says no"


@dataclass(frozen=True, slots=True)
class Question:
    """An open question. `text` is safe to be shown; `about` is what it is about, so that it can be withdrawn."""

    number: int
    about: Hashable
    text: str
    yes: Answer
    no: Answer

    @property
    def line(self) -> str:
        """All of it on one line: the number, what is asked, and how to answer."""
        return f"{self.number}: {self.text}; {HOW.format(self.number)}"


class Questions:
    """The open questions, the oldest first."""

    def __init__(self) -> None:
        self._open: dict[int, Question] = {}
        self._asked = 0

    def open(self) -> tuple[Question, ...]:
        """All of them."""
        return tuple(self._open.values())

    def ask(self, about: Hashable, text: str, yes: Answer, no: Answer) -> Question:
        """A new question; an open one about the same thing goes."""
        self.drop(about)
        self._asked += 1
        question = self._open[self._asked] = Question(self._asked, about, text, yes, no)
        return question

    def drop(self, about: Hashable) -> Question | None:
        """Take a question back: nobody waits for its answer any more. None if there is none."""
        found = next((question for question in self._open.values() if question.about == about), None)
        return self._open.pop(found.number) if found is not None else None

    def numbers(self) -> list[str]:
        return [str(number) for number in self._open]

    async def answer(self, text: str, *, yes: bool) -> None:
        """Answer the question of that number. Raises `Misuse` if there is none, and what the answer raises."""
        known = "; ".join(f"{question.number}: {question.text}" for question in self._open.values())
        if not self._open:
            raise Misuse(tr("question {text} is not open any more", text=text) if text else tr("nothing is asked now"))
        number = int(text) if text.isdecimal() and len(text) < 10 else 0
        if number not in self._open:
            raise Misuse(tr("say which question by its number; open: {known}", known=known))
        question = self._open[number]
        await (question.yes() if yes else question.no())
        self._open.pop(number, None)
