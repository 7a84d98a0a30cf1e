"""Up to four scenes next to each other: what is said of them, bytes for the browser, pictures, tables, a page."""

from tsa.stage.comparison.compared import Compared, comparison_words, pack_comparison
from tsa.stage.comparison.drawing import compare_png, compare_svg
from tsa.stage.comparison.page import compare_page
from tsa.stage.comparison.tables import compare_csv, compare_json

__all__ = [
    "Compared",
    "compare_csv",
    "compare_json",
    "compare_page",
    "compare_png",
    "compare_svg",
    "comparison_words",
    "pack_comparison",
]
