"""Everything shown of a pair: scene → sweep → words → packed bytes, drawings, pages, files to download.

Python computes, the scripts in `browser` only display.
"""

from tsa.stage import exports, words
from tsa.stage.browser import BROWSER, join, show, stage_page
from tsa.stage.comparison import (
    Compared,
    compare_csv,
    compare_json,
    compare_page,
    compare_png,
    compare_svg,
    comparison_words,
    pack_comparison,
)
from tsa.stage.draw import (
    Chart,
    ChartLine,
    Curve,
    DirectionCurve,
    DirectionPanel,
    accuracy_svg,
    charts_image,
    charts_svg,
    directions_svg,
    filters_image,
    filters_svg,
    phases_svg,
    png_address,
    shift_svg,
    signal_filters_svg,
    training_pairs_svg,
)
from tsa.stage.exports import table_csv
from tsa.stage.look import PICTURE_RADIUS, RIM_OVER_PICTURE, petal_scale
from tsa.stage.motion import Motion, MotionAnswer, MotionScene, slow_prior
from tsa.stage.motion_output import (
    motion_animation,
    motion_csv,
    motion_json,
    motion_page,
    motion_png,
    motion_snippet,
    motion_svg,
    pack_motion,
)
from tsa.stage.packing import as_bytes, as_pairs, data_url, distinct, filter_bytes, framed, pack_arrays, pack_sweep
from tsa.stage.reading import ALPHA, Readings, read_sweep
from tsa.stage.scene import Scene
from tsa.stage.sweep import sweep
from tsa.stage.symmetry import Symmetry, Verdict, symmetry_of

__all__ = [
    "ALPHA",
    "BROWSER",
    "PICTURE_RADIUS",
    "RIM_OVER_PICTURE",
    "Chart",
    "ChartLine",
    "Compared",
    "Curve",
    "DirectionCurve",
    "DirectionPanel",
    "Motion",
    "MotionAnswer",
    "MotionScene",
    "Readings",
    "Scene",
    "Symmetry",
    "Verdict",
    "accuracy_svg",
    "as_bytes",
    "as_pairs",
    "charts_image",
    "charts_svg",
    "compare_csv",
    "compare_json",
    "compare_page",
    "compare_png",
    "compare_svg",
    "comparison_words",
    "data_url",
    "directions_svg",
    "distinct",
    "exports",
    "filter_bytes",
    "filters_image",
    "filters_svg",
    "framed",
    "join",
    "motion_animation",
    "motion_csv",
    "motion_json",
    "motion_page",
    "motion_png",
    "motion_snippet",
    "motion_svg",
    "pack_arrays",
    "pack_comparison",
    "pack_motion",
    "pack_sweep",
    "petal_scale",
    "phases_svg",
    "png_address",
    "read_sweep",
    "shift_svg",
    "show",
    "signal_filters_svg",
    "slow_prior",
    "stage_page",
    "sweep",
    "symmetry_of",
    "table_csv",
    "training_pairs_svg",
    "words",
]
