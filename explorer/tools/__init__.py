"""Tools that run the app in Chromium or as visitors without one (benchmarks, screenshots), and those for lessons."""

from explorer.tools import bench, load, shots
from explorer.tools.chromium import CHROMIUM, browsing, serving, serving_class
from explorer.tools.lessons import lesson_command
from explorer.tools.visitor import STREAM, Visitor, exceptions

__all__ = [
    "CHROMIUM",
    "STREAM",
    "Visitor",
    "bench",
    "browsing",
    "exceptions",
    "lesson_command",
    "load",
    "serving",
    "serving_class",
    "shots",
]
