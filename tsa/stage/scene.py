"""A scene: one pair of pictures, a model and the settings. Everything that the stage shows is computed from it."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tsa._base import Array, InputError
from tsa.density import GeneralizedVonMises
from tsa.model import Subgroup
from tsa.pictures import to_disc
from tsa.stage.packing import pack_sweep
from tsa.stage.sweep import Sweep, sweep


@dataclass(frozen=True, eq=False)
class Scene:
    """Pictures are square and grey, in 0…1; without `y` the second patch is a copy of x, turned by `angle` degrees.

    With `y` that picture is turned instead. `pixel_noise` is the standard deviation of what is added to every pixel of
    the second patch, drawn anew for each `observation`; `prior` has the natural parameters of a density over s. The
    posterior leaves out the subspaces whose weights are in `without`. With `both` the noise is in the first patch too:
    other noise is added to it, and the model expects it there, `estimate_power` giving the power of the clean picture.
    """

    model: Subgroup
    x: Array
    y: Array | None = None
    angle: int = 30
    pixel_noise: float = 0.0
    observation: int = 0
    prior: tuple[complex, ...] = ()
    without: tuple[int, ...] = ()
    both: bool = False

    def __post_init__(self) -> None:
        if self.size**2 != self.model.dimension or self.model.parameters != 1:
            raise InputError("A scene needs a model of rotation, with one parameter and square patches.")
        if not 0 <= self.pixel_noise < math.inf:
            raise InputError(f"The noise of the pixels is a number from 0 on; got {self.pixel_noise!r}.")
        if not isinstance(self.angle, int) or not 0 <= self.angle < 360:
            raise InputError(f"The angle is a whole number of degrees from 0 to 359; got {self.angle!r}.")

    @property
    def size(self) -> int:
        """Pixels along a side of a patch of the model."""
        return math.isqrt(self.model.dimension)

    @cached_property
    def used(self) -> Subgroup:
        """The model without the weights that are left out: the one that gives the posterior."""
        return self.model.without(self.without) if self.without else self.model

    @property
    def noise(self) -> Array:
        """What is added to the pixels of the second patch, (D,)."""
        return self.pixel_noise * np.random.default_rng(self.observation).normal(size=self.model.dimension)

    @property
    def noise_of_x(self) -> Array | None:
        """What is added to the pixels of the first patch, (D,); None if it is clean."""
        if not self.both or not self.pixel_noise:
            return None
        return self.pixel_noise * np.random.default_rng([self.observation, 1]).normal(size=self.model.dimension)

    def sweep(self, whole: bool = True) -> Sweep:
        """The posterior at every whole degree of the dial, or at `angle` alone (then to full precision)."""
        prior = GeneralizedVonMises(np.array(self.prior)) if self.prior else None
        other = None if self.y is None else to_disc(self.y)
        only = None if whole else self.angle
        x, first = to_disc(self.x), self.noise_of_x
        return sweep(self.used, x, self.size, self.noise, prior, other, only, first, self.both)

    def packed(self, whole: bool = True, swept: Sweep | None = None) -> bytes:
        """The sweep as bytes for the browser; `swept` is the result of `sweep` if it is known."""
        only, full = None if whole else self.angle, self.model if self.without else None
        swept = swept or self.sweep(whole)
        return pack_sweep(swept, self.used, self.x, self.size, self.y, self.prior, only, self.noise, full)

    def posterior(self) -> GeneralizedVonMises:
        """p(s | x, y) at this angle."""
        return GeneralizedVonMises(self.sweep(whole=False).pooled[0])

    def again(self) -> "Scene":
        """The same pair observed once more: the posterior becomes the prior, and the pixel noise is drawn anew."""
        # In single precision, as a link stores it.
        after = tuple(complex(value) for value in self.posterior().eta.astype(np.complex64))
        return replace(self, observation=self.observation + 1, prior=after)
