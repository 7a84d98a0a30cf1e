"""Lessons as one HTML file that needs nothing else: to print, or to read without a network."""

import base64
import html
from collections.abc import Sequence
from pathlib import Path

from explorer.course.lesson import Lesson
from explorer.course.pictures import step_picture
from explorer.course.text import inline_html, to_html
from explorer.state import LESSON_STEPS

_STYLE = Path(__file__).with_name("printing.css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_WHERE = " · pictures stand below the text, in the explorer to the right of it"
_HEADINGS = dict(zip(LESSON_STEPS, ("Predict", "Do", "Reveal", "Question"), strict=True))


def lesson_page(lessons: Sequence[Lesson]) -> str:
    """These lessons as one page: texts, a drawing of what each step shows, words explained, and answers."""
    title = lessons[0].title if len(lessons) == 1 else "TSA Explorer: the course"
    articles = "".join(_article(lesson, number) for number, lesson in enumerate(lessons, 1))
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{html.escape(title)}</title><style>{_STYLE.read_text(encoding='utf-8')}</style>"
    )
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{articles}</body></html>'


def _article(lesson: Lesson, number: int) -> str:
    parts = [f'<article><p class="number">Lesson {number}{_WHERE}</p><h1>{inline_html(lesson.title)}</h1>']
    parts.append(f'<p class="idea">{inline_html(lesson.idea)}</p>')
    drawn = ""
    for place, (name, step) in enumerate(zip(LESSON_STEPS, lesson.steps, strict=True), 1):
        parts.append(f"<section><h2>{_HEADINGS[name]}</h2>{to_html(step.text)}")
        if place == 1:
            choices = "".join(f"<li>{inline_html(choice.text)}</li>" for choice in lesson.choices)
            parts.append(f'<ol class="choices">{choices}</ol>')
        if (svg := step_picture(lesson, place)) and svg != drawn:
            data = base64.b64encode(svg.encode()).decode()
            parts.append(f'<figure><img src="data:image/svg+xml;base64,{data}" alt="What this step shows."></figure>')
            drawn = svg
        terms = [term for term in lesson.terms if term.step == place]
        rows = "".join(f"<div><dt>{inline_html(t.name)}:</dt> <dd>{inline_html(t.meaning)}</dd></div>" for t in terms)
        parts.append(f"<dl>{rows}</dl></section>" if rows else "</section>")
    replies = "".join(
        f"<li>{'<strong>Right.</strong> ' * choice.right}{inline_html(choice.reply)}</li>" for choice in lesson.choices
    )
    parts.append(f'<section class="key"><h2>Answers</h2><ol class="choices">{replies}</ol>')
    parts.append(f"<p>{inline_html(lesson.right)}</p></section></article>")
    return "".join(parts)
