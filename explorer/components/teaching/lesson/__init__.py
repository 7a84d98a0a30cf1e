"""The component with the text of a lesson, or with the list of all lessons; progress is kept in the browser."""

from explorer.components import component
from explorer.course import Lesson, inline_html, to_html
from explorer.state import LESSON_STEPS
from tsa.stage import pack_arrays

_mount = component(__name__)
_LABELS = {"predict": "Predict", "do": "Do", "reveal": "Reveal", "question": "Question"}


def show_lesson(data: bytes) -> None:
    """Show what `session.view.data_for("lesson", …)` has prepared; the body is a packed lesson or course."""
    _mount(key="lesson", data=data, default={"message": None}, on_message_change=lambda: None, height="content")


def pack_course(lessons: tuple[Lesson, ...]) -> bytes:
    """The list of all lessons."""
    return pack_arrays({"kind": "course", "lessons": _listed(lessons)}, {})


def pack_lesson(lesson: Lesson, lessons: tuple[Lesson, ...]) -> bytes:
    """A lesson with all its texts, as HTML in which everything but our own marks is escaped."""
    names = [one.name for one in lessons]
    place = names.index(lesson.name)
    header: dict[str, object] = {
        "kind": "lesson",
        "name": lesson.name,
        "title": inline_html(lesson.title),
        "number": place + 1,
        "lessons": _listed(lessons),
        "steps": [
            {
                "label": _LABELS[name],
                "html": to_html(step.text),
                "terms": [
                    {"name": inline_html(term.name), "meaning": inline_html(term.meaning)}
                    for term in lesson.terms
                    if term.step == number
                ],
            }
            for number, (name, step) in enumerate(zip(LESSON_STEPS, lesson.steps, strict=True), 1)
        ],
        "choices": [
            {"html": inline_html(one.text), "reply": inline_html(one.reply), "right": one.right}
            for one in lesson.choices
        ],
        "right": inline_html(lesson.right),
        "hint": inline_html(lesson.hint),
        "next": inline_html(lesson.next),
        "nextName": names[place + 1] if place + 1 < len(names) else "",
        "noted": "Noted. Now find out.",
        "predicted": "You predicted:",
    }
    return pack_arrays(header, {})


def _listed(lessons: tuple[Lesson, ...]) -> list[dict[str, object]]:
    return [
        {
            "name": one.name, "title": inline_html(one.title), "idea": inline_html(one.idea), "minutes": one.minutes,
            "steps": len(one.steps),
        }
        for one in lessons
    ]  # fmt: skip
