"""Everything shown of a pair: scene → sweep → words → packed bytes, drawings, pages, files to download.

Python computes, the scripts in `browser` only display.
"""

from tsa.stage import exports, words
from tsa.stage.browser import BROWSER, join
from tsa.stage.draw import Curve, accuracy_svg, filters_image, filters_svg
from tsa.stage.exports import table_csv
from tsa.stage.packing import as_bytes, as_pairs, data_url, distinct, filter_bytes, framed, pack_arrays, pack_sweep
from tsa.stage.page import show, stage_page
from tsa.stage.scene import Scene
from tsa.stage.sweep import sweep

__all__ = [
    "BROWSER",
    "Curve",
    "Scene",
    "accuracy_svg",
    "as_bytes",
    "as_pairs",
    "data_url",
    "distinct",
    "exports",
    "filter_bytes",
    "filters_image",
    "filters_svg",
    "framed",
    "join",
    "pack_arrays",
    "pack_sweep",
    "show",
    "stage_page",
    "sweep",
    "table_csv",
    "words",
]
