"""Tools that run the app in Chromium (benchmark, screenshots), and those for lessons."""

from explorer.tools import bench, shots
from explorer.tools.chromium import CHROMIUM, browsing, serving, serving_class
from explorer.tools.lessons import lesson_command

__all__ = [
    "CHROMIUM",
    "bench",
    "browsing",
    "lesson_command",
    "serving",
    "serving_class",
    "shots",
]
