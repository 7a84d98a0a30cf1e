"""Holds a lesson against `tsa`: do right answers pass and wrong ones fail, and are its claims true?"""

from collections.abc import Iterator

from explorer.course.expression import LessonError
from explorer.course.facts import FACTS
from explorer.course.lesson import Claim, Lesson


def examine(lesson: Lesson) -> list[str]:
    """A sentence for everything that is wrong with a lesson."""
    return [*_trials(lesson), *_claims(lesson)]


def _trials(lesson: Lesson) -> Iterator[str]:
    asked = lesson.subject(lesson.steps[-1].view)
    for trial in lesson.trials:
        try:
            passed = lesson.passes(asked.with_link(trial.link))
        except LessonError as error:
            yield str(error)
            continue
        if passed and not trial.passes:
            yield f"The answer “{trial.link[:80]}” passes, and should fail."
        if trial.passes and not passed:
            yield f"The answer “{trial.link[:80]}” fails, and should pass."


def _claims(lesson: Lesson) -> Iterator[str]:
    for claim in lesson.claims:
        try:
            said = computed(lesson, claim)
        except LessonError as error:
            yield str(error)
            continue
        if " ".join(said.split()) not in " ".join(lesson.texts.split()):
            yield f"tsa computes “{said}”, which the lesson does not say."


def computed(lesson: Lesson, claim: Claim) -> str:
    """The text of a claim with the values that `tsa` computes."""
    facts = FACTS[lesson.page](lesson.subject(claim.view))
    try:
        return claim.text.format(*(value.value(facts) for value in claim.values))
    except (ValueError, TypeError) as error:
        raise LessonError(f"A value of the claim “{claim.text[:60]}” cannot be written: {error}.") from error
