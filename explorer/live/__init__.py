"""WebSockets beside Streamlit's own: the live line answers while a hand moves; a class follows the teacher's page."""

from explorer.live import classroom, line
from explorer.live.classroom import begin_class, current_class
from explorer.live.line import prepare, push

ROUTES = (line.ROUTE, classroom.ROUTE)

__all__ = [
    "ROUTES",
    "begin_class",
    "current_class",
    "prepare",
    "push",
]
