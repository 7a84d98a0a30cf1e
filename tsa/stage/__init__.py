"""Everything shown of a pair: scene → sweep → words → packed bytes, drawings, pages, files to download.

Python computes, the scripts in `browser` only display.
"""

from tsa.stage import exports, words
from tsa.stage.browser import BROWSER, join
from tsa.stage.draw import Curve, accuracy_svg, filters_image, filters_svg
from tsa.stage.exports import table_csv
from tsa.stage.look import PICTURE_RADIUS, RIM_OVER_PICTURE, petal_scale
from tsa.stage.packing import as_bytes, as_pairs, data_url, distinct, filter_bytes, framed, pack_arrays, pack_sweep
from tsa.stage.page import show, stage_page
from tsa.stage.reading import Readings, read_sweep
from tsa.stage.scene import Scene
from tsa.stage.sweep import sweep
from tsa.stage.symmetry import Symmetry, Verdict, symmetry_of

__all__ = [
    "BROWSER",
    "PICTURE_RADIUS",
    "RIM_OVER_PICTURE",
    "Curve",
    "Readings",
    "Scene",
    "Symmetry",
    "Verdict",
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
    "petal_scale",
    "read_sweep",
    "show",
    "stage_page",
    "sweep",
    "symmetry_of",
    "table_csv",
    "words",
]
