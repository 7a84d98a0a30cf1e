"""What is asked about motion: a picture in a world that closes at its edges, how it moved, and what was seen of it.

A person reads motions as (right, up), in pixels. Shifts of `tsa` are (down, right), in radians: they are converted
here and in `answer`, and nowhere else.
"""

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from tsa._base import Array, InputError
from tsa.density import TorusVonMises
from tsa.model import Subgroup, fourier_model
from tsa.pictures import round_window, shift_from_motion
from tsa.stage.motion.answer import MotionAnswer, answer_from

Motion = tuple[float, float]  # (right, up) in pixels
_MIN_CONTRAST = 1e-6  # between the darkest and the brightest pixel
_MAX_WINDOW_WORLDS = 1.5  # diameter over the side of the world: more than its diagonal, so that everything is seen


@dataclass(frozen=True, eq=False)
class MotionScene:
    """A picture x (n, n), moved by `motion`, of which a round window shows a part.

    `pixel_noise` is the standard deviation of the noise on y in each of `looks` observations, drawn from `seed`;
    `sigma` is the noise that the model expects. `slow` is the width in pixels of a prior for slow motion, 0 for none.
    `tried` is the motion by which x is laid over y, None for the most probable one.
    """

    model: Subgroup
    x: Array
    motion: Motion = (6.4, 2.6)
    window: float = 24.0
    window_at: Motion = (0.0, 0.0)
    pixel_noise: float = 0.2
    sigma: float = 1.0
    slow: float = 0.0
    looks: int = 1
    seed: int = 5
    tried: Motion | None = None

    def __post_init__(self) -> None:
        n = math.isqrt(self.model.dimension)
        height, width = getattr(self.model, "sizes", (n, n)) if self.model.parameters == 2 else (0, 1)
        if height != width or n**2 != self.model.dimension:
            raise InputError("Motion needs a model of two parameters, for shifts of square pictures.")
        if np.shape(self.x) != (n, n):
            raise InputError(f"The picture must have {n}×{n} pixels, as the model; got {np.shape(self.x)}.")
        numbers = [*self.motion, *self.window_at, self.window, self.pixel_noise, self.sigma, self.slow]
        if not np.isfinite(np.sum(self.x)) or not np.isfinite(numbers).all():
            raise InputError("Pictures and settings of motion must be finite numbers.")
        if np.ptp(self.x) < _MIN_CONTRAST:
            raise InputError("This picture is the same everywhere, so nobody could see it move. Choose another one.")
        if not 0 < self.window <= _MAX_WINDOW_WORLDS * n:
            raise InputError(f"The window must be wider than 0 and at most {_MAX_WINDOW_WORLDS * n:g} pixels.")
        if self.sigma <= 0 or self.pixel_noise < 0 or self.slow < 0 or self.looks < 1:
            raise InputError("σ must be positive, noise and the prior's width 0 or more, and looks 1 or more.")

    @property
    def side(self) -> int:
        """Pixels along a side of the world."""
        return len(self.x)

    @cached_property
    def seen(self) -> Array:
        """1 for each pixel in the window, else 0: (n, n)."""
        return round_window((self.side, self.side), self.window, self.window_at)

    @cached_property
    def y(self) -> Array:
        """x moved by `motion`, with noise: the mean of all looks, (n, n)."""
        draws = np.random.default_rng(self.seed).normal(size=(self.looks, self.side, self.side))
        return self.after + self.pixel_noise * draws.mean(axis=0)

    @cached_property
    def after(self) -> Array:
        """x moved by `motion`, without noise: (n, n)."""
        return self.moved(self.motion)

    def moved(self, motion: Motion) -> Array:
        """x moved by any motion, exactly as its Fourier series moves: (n, n)."""
        shift = shift_from_motion(motion, (self.side, self.side))
        return _mover(self.side).act(self.x.ravel(), shift).reshape(self.x.shape)

    def through(self, window: float) -> "MotionScene":
        """The same picture with the same noise on y through a window of another diameter, and no motion tried."""
        other = replace(self, window=window, tried=None)
        other.__dict__.update(after=self.after, y=self.y)  # do not depend on the window
        return other

    @cached_property
    def natural(self) -> tuple[Array, Array]:
        """Natural parameters (H,) of the posterior over shifts, and their harmonics (H, 2), down and right.

        Several looks at the same motion have the likelihood of one look at their mean, to the power of their number.
        """
        pixels = (a.ravel() for a in (self.x, self.y, self.seen))
        eta, harmonics = self.model.log_likelihood_series(*pixels)
        eta = eta * (self.looks * self.model.noise**2 / self.sigma**2)
        if self.slow:
            prior = slow_prior(self.slow, (self.side, self.side))
            for value, frequency in zip(prior.eta, prior.frequencies, strict=True):
                eta[np.all(harmonics == frequency, axis=1)] += value
        return eta, harmonics

    def posterior(self) -> TorusVonMises:
        """The density over shifts."""
        return TorusVonMises(*self.natural)

    @cached_property
    def answer(self) -> MotionAnswer:
        """Everything that is shown of the posterior."""
        return answer_from(*self.natural, self.side)

    @cached_property
    def shown_motion(self) -> Motion:
        """The motion by which x is laid over y: the one tried, or the most probable one."""
        return self.tried or self.answer.mode

    @cached_property
    def laid(self) -> Array:
        """x moved by the motion shown: (n, n)."""
        return self.moved(self.shown_motion)

    @cached_property
    def left_over(self) -> Array:
        """What it leaves of y in the window: (n, n)."""
        return self.seen * (self.y - self.laid)

    @cached_property
    def excess(self) -> float:
        """By how many standard deviations what the most probable motion leaves over exceeds what σ allows."""
        left = self.left_over if self.tried is None else self.seen * (self.y - self.moved(self.answer.mode))
        squares = self.looks * float(np.sum(left**2)) / self.sigma**2
        pixels = max(1.0, float(self.seen.sum()))
        return (squares - pixels) / math.sqrt(2 * pixels)

    @cached_property
    def out_of_sight(self) -> bool:
        """Whether nothing of the picture, moved as it was, is in the window: no pixel differs from the background."""
        contrast = np.abs(self.after - np.median(self.x)) * self.seen
        return bool(contrast.max() < 0.1 * np.ptp(self.x))


@cache
def _mover(side: int) -> Subgroup:
    return fourier_model((side, side))


def slow_prior(sd_pixels: float, shape: tuple[int, int]) -> TorusVonMises:
    """A prior for slow motion over shifts of h×w pixels: von Mises around 0 in both directions, of this width."""
    if not 0 < sd_pixels < np.inf:
        raise InputError(f"The width of a prior is a positive number of pixels; got {sd_pixels!r}.")
    kappa = np.square(np.array(shape) / (2 * np.pi * sd_pixels))
    return TorusVonMises(kappa, np.array([[1, 0], [0, 1]]))
