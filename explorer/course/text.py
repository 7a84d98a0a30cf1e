"""The text of a lesson: paragraphs, lists, **bold**, *italic* and `code`, escaped, so that nothing else is HTML."""

import html
import re

from explorer.course.expression import LessonError

_TAG = re.compile(r"<\s*[a-zA-Z/!?]|javascript:|&#", re.IGNORECASE)
_MARKS = (
    (re.compile(r"`([^`\n]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*\n]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*\n]+)\*"), r"<em>\1</em>"),
)


def checked_text(value: object, what: str, most: int) -> str:
    """A text of a lesson without HTML, of at most so many characters; line breaks within paragraphs are spaces."""
    if not isinstance(value, str) or not value.strip():
        raise LessonError(f"{what} is missing.")
    if len(value) > most:
        raise LessonError(f"{what} has {len(value):,} characters; at most {most:,} are read.")
    if _TAG.search(value):
        raise LessonError(f"{what} contains HTML or a script; lessons have plain text, **bold**, *italic* and `code`.")
    if any(ord(c) < 32 and c not in "\n\t" for c in value):
        raise LessonError(f"{what} contains characters that cannot be printed.")
    return value.strip()


def to_html(text: str) -> str:
    """Paragraphs and lists of a text as HTML. All that the text contains is escaped first."""
    return "".join(map(_block, re.split(r"\n\s*\n", text.strip())))


def inline_html(text: str) -> str:
    """A text without paragraphs as HTML."""
    escaped = html.escape(" ".join(text.split()))
    for mark, replacement in _MARKS:
        escaped = mark.sub(replacement, escaped)
    return escaped


def _block(block: str) -> str:
    lines = block.strip().splitlines()
    if all(line.startswith(("- ", "  ")) for line in lines):
        items = re.split(r"\n(?=- )", block.strip())
        return "<ul>" + "".join(f"<li>{inline_html(item[2:])}</li>" for item in items) + "</ul>"
    return f"<p>{inline_html(block)}</p>"
