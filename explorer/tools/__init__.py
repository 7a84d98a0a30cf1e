"""Tools that run the app in Chromium: benchmark, screenshots."""

from explorer.tools import bench, shots
from explorer.tools.chromium import CHROMIUM, browsing, serving

__all__ = [
    "CHROMIUM",
    "bench",
    "browsing",
    "serving",
    "shots",
]
