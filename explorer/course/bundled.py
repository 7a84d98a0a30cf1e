"""The lessons that the app shows: those that come with it, then those of the folder that `--lessons` names."""

import os
from functools import cache
from pathlib import Path

from explorer.course.lesson import Lesson
from explorer.course.reading import read_course

COURSE = Path(__file__).parents[1] / "lessons"
FOLDER_VARIABLE = "TSA_EXPLORER_LESSONS"  # set by the launcher


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, in order; of two with the same name the first."""
    folder = os.environ.get(FOLDER_VARIABLE)
    own = read_course(folder) if folder else []
    found: dict[str, Lesson] = {}
    for lesson in [*read_course(COURSE), *own]:
        found.setdefault(lesson.name, lesson)
    return tuple(found.values())


def find_lesson(name: str) -> Lesson | None:
    """The lesson of this name, if there is one."""
    return next((lesson for lesson in lessons() if lesson.name == name), None)
