"""A lesson as a value: what it teaches in four steps, the views it opens, its question, and what it claims."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from explorer.course.expression import Expression
from explorer.course.facts import FACTS, HiddenPairs, Subject
from explorer.state import LESSON_STEPS, ViewState


class Term(NamedTuple):
    """A word that the lesson introduces, what it means, and the step that uses it first."""

    name: str
    meaning: str
    step: int


class Choice(NamedTuple):
    """An answer to choose before the reveal, what is said to it, and whether it is right."""

    text: str
    reply: str
    right: bool


@dataclass(frozen=True)
class Step:
    """A step: its text, the link of the view it opens, and the controls that it shows."""

    text: str
    link: str  # query string, with the pictures of the lesson filled in
    view: ViewState
    controls: frozenset[str] = frozenset()


class Claim(NamedTuple):
    """A statement of the text, word for word; `template` filled with the values of the expressions must give it."""

    text: str
    values: tuple[Expression, ...]
    view: ViewState


class Trial(NamedTuple):
    """An answer to the question, as a link from the view of the question, and whether it is right."""

    link: str
    passes: bool


@dataclass(frozen=True)
class Lesson:
    """A lesson: see `reading` for its file."""

    name: str
    title: str
    idea: str
    page: str  # whose component is beside the text
    minutes: int
    steps: tuple[Step, ...]  # as `LESSON_STEPS`
    choices: tuple[Choice, ...]
    terms: tuple[Term, ...]
    check: Expression
    right: str  # said to a right answer
    hint: str  # said to a wrong one
    claims: tuple[Claim, ...]
    trials: tuple[Trial, ...]
    next: str = ""
    pairs: HiddenPairs | None = None
    pictures: Mapping[str, str] = field(default_factory=dict)  # name → source in a link

    @cached_property
    def texts(self) -> str:
        """All that a person reads, for tests of what it claims and which words it uses."""
        parts = [self.title, self.idea, *(step.text for step in self.steps), self.right, self.hint, self.next]
        parts += [part for choice in self.choices for part in (choice.text, choice.reply)]
        return "\n".join([*parts, *(term.meaning for term in self.terms)])

    def subject(self, view: ViewState) -> Subject:
        """What facts are about, with what the lesson brings."""
        return Subject(view, self.pairs)

    def passes(self, subject: Subject) -> bool:
        """Whether a view answers the question."""
        return self.check.holds(FACTS[self.page](subject))


def step_number(name: str) -> int:
    """The number of a step, from 1."""
    return LESSON_STEPS.index(name) + 1
