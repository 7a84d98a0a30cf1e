"""The course: lessons are folders with a text, views, a question and claims; here they are read, checked and evaluated.
Pure: no Streamlit. `tsa` computes all that a lesson claims or asks.
"""

from explorer.course.bundled import COURSE, FOLDER_VARIABLE, find_lesson, lessons
from explorer.course.examine import computed, examine
from explorer.course.expression import LessonError, fact_names
from explorer.course.facts import DFT_NOISE, FACTS, Subject, drawn_dft, drawn_posterior, learned_phases
from explorer.course.lesson import Choice, Lesson, Step, Term
from explorer.course.printing import lesson_page
from explorer.course.reading import read_course, read_lesson
from explorer.course.text import inline_html, to_html

__all__ = [
    "COURSE",
    "DFT_NOISE",
    "FACTS",
    "FOLDER_VARIABLE",
    "Choice",
    "Lesson",
    "LessonError",
    "Step",
    "Subject",
    "Term",
    "computed",
    "drawn_dft",
    "drawn_posterior",
    "examine",
    "fact_names",
    "find_lesson",
    "inline_html",
    "learned_phases",
    "lesson_page",
    "lessons",
    "read_course",
    "read_lesson",
    "to_html",
]
