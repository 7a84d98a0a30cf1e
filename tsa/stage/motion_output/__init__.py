"""A motion scene as it leaves Python: bytes for the browser, tables, drawings, an animation, an offline page."""

from tsa.stage.motion_output.animation import motion_animation
from tsa.stage.motion_output.drawing import motion_png, motion_svg
from tsa.stage.motion_output.packing import pack_motion
from tsa.stage.motion_output.page import motion_page
from tsa.stage.motion_output.tables import motion_csv, motion_json, motion_snippet

__all__ = [
    "motion_animation",
    "motion_csv",
    "motion_json",
    "motion_page",
    "motion_png",
    "motion_snippet",
    "motion_svg",
    "pack_motion",
]
