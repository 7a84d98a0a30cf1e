"""Facts about the motion page."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from explorer.course.expression import LessonError
from explorer.course.facts.subject import About
from explorer.state import OWN_WORLD, fourier_side
from tsa._base import Array
from tsa.model import fourier_model
from tsa.pictures import draw_periodic
from tsa.stage import MotionAnswer, MotionScene


@dataclass(frozen=True, eq=False)
class MotionFacts(About):
    """Motion: a picture moves behind a window, and the posterior over all shifts."""

    @cached_property
    def scene(self) -> MotionScene:
        """What moves, and what is seen of it."""
        view = self._view
        side = fourier_side(view.shift_model)
        if side is None or view.world == OWN_WORLD:
            raise LessonError("Lessons about motion use a Fourier model and one of its pictures")
        return MotionScene(
            _fourier(side), _world(view.world, side), view.shift, min(view.window, float(side)), view.window_at,
            view.shift_noise, view.shift_sigma, view.slow, view.looks,
        )  # fmt: skip

    @cached_property
    def _answer(self) -> MotionAnswer:
        return self.scene.answer

    @property
    def world(self) -> str:
        """The name of the picture."""
        return self._view.world

    @property
    def window(self) -> float:
        """The diameter of the window in pixels."""
        return self._view.window

    @cached_property
    def known(self) -> float:
        """How well the motion is known in the direction known least, from 0 (not at all) to 1."""
        return self._answer.resultant

    @cached_property
    def area(self) -> float:
        """The area of the set that holds 95 % of the probability, in square pixels."""
        return self._answer.area

    @cached_property
    def pieces(self) -> int:
        """How many separate pieces this set has."""
        return len(self._answer.pieces)

    @cached_property
    def length(self) -> float:
        """How far its heaviest piece reaches, in pixels."""
        first = self._answer.cells[0]
        along = first.places @ first.piece.axis
        return float(np.ptp(along))

    @cached_property
    def on_one_line(self) -> float:
        """The share of the loudness of all waves that is at waves in one direction."""
        return self._answer.on_one_line

    def probable(self, right: float, up: float) -> float:
        """How probable a shift is, relative to the most probable one, from 0 to 1."""
        return self._answer.density_at((right, up))


@cache
def _fourier(side: int) -> Any:
    return fourier_model((side, side))


@cache
def _world(name: str, side: int) -> Array:
    return draw_periodic(name, side)
