"""Rotation and scaling of pictures about their centre, on a disc in logarithmic polar coordinates."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import ndimage

from tsa._base import Array, InputError, checks
from tsa.groups.shift import CyclicShift

_SAMPLES = 4  # along each side of a cell, whose mean is its value


class LogPolar(CyclicShift):
    """Scaling and rotation of pictures: cyclic shifts of patches (rings, spokes), s = (scaling, rotation).

    Ring i has the radius R·q^{1 − (i + ½)/rings}, R the half side of the picture and q = `inner`, so that to enlarge is
    to shift the rings outwards: s = 2πm/rings enlarges by q^{−m/rings}, and s = 2πm/spokes turns counter-clockwise.
    Both are exact on the patch. What leaves at the rim comes back in the middle: scaling has the period 1/q.

    >>> action = tsa.groups.LogPolar(rings=8, spokes=16)
    >>> action.shape, action.parameters
    ((8, 16), 2)
    """

    def __init__(self, rings: int = 16, spokes: int = 32, inner: float = 0.125) -> None:
        super().__init__((rings, spokes))
        if not 0 < inner < 1:
            raise InputError(f"`inner` is the radius of the hole in the middle, between 0 and 1; got {inner!r}.")
        object.__setattr__(self, "inner", float(inner))

    inner: float

    def __repr__(self) -> str:
        return f"LogPolar({self.sizes[0]}, {self.sizes[1]}, {self.inner:g})"

    @property
    def words(self) -> str:  # type: ignore[override]
        """`scaling and rotation of 16 rings × 32 spokes`."""
        return f"scaling and rotation of {self.sizes[0]} rings × {self.sizes[1]} spokes"

    def scale(self, s: ArrayLike) -> Array:
        """The factor by which the first parameter s (...) enlarges.

        >>> action = tsa.groups.LogPolar(rings=8, spokes=16)
        >>> print(action.scale(0.0), action.scale(2 * np.pi / 8) > 1)
        1.0 True
        """
        return np.asarray(self.inner ** (-np.asarray(s, np.float64) / (2 * np.pi)))

    @cached_property
    def _places(self) -> Array:
        """Where cells are sampled, relative to the centre, in half sides: row and column, (2, D, samples)."""
        rings, spokes = self.sizes
        part = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
        radius = self.inner ** (1 - (np.arange(rings)[:, None] + part) / rings)
        angle = 2 * np.pi * (np.arange(spokes)[:, None] + part - 0.5) / spokes
        r, a = radius[:, None, :, None], angle[None, :, None, :]
        return np.stack([-r * np.sin(a), r * np.cos(a)]).reshape(2, rings * spokes, -1)

    def patch(self, image: ArrayLike) -> Array:
        """The patch (D,) of a square grey picture (n, n): the mean of the picture over each cell of the disc.

        >>> tsa.groups.LogPolar(rings=8, spokes=16).patch(tsa.shapes.draw("F", 64)).shape
        (128,)
        """
        image = checks.square(image, "The picture").astype(np.float64)
        centre = (len(image) - 1) / 2
        places = centre + len(image) / 2 * self._places
        values = ndimage.map_coordinates(image, places.reshape(2, -1), order=1, mode="nearest")
        return np.asarray(values.reshape(self.dimension, -1).mean(axis=1))
