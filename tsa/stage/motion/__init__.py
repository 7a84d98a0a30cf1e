"""Motion: a picture that moved, seen through a window, and the posterior over its shift as it is shown."""

from tsa.stage.motion._pieces import Piece
from tsa.stage.motion.answer import FAN, MAP_PER_PIXEL, REGION, MotionAnswer, answer_from
from tsa.stage.motion.scene import Motion, MotionScene, slow_prior

__all__ = [
    "FAN",
    "MAP_PER_PIXEL",
    "REGION",
    "Motion",
    "MotionAnswer",
    "MotionScene",
    "Piece",
    "answer_from",
    "slow_prior",
]
