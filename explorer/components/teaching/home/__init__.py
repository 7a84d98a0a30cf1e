"""The component of the home page: what this is, for whom, and three doors."""

from explorer.components import component

_mount = component(__name__)


def doors(has_lessons: int) -> None:
    """Three links: to the lessons, to the lab, to one's own data."""
    _mount(key="home", data={"lessons": has_lessons}, height="content")
