"""A drawing placed as MNIST places its digits, so that the two can be compared.

MNIST fits the upright digit into a box of 20 of 28 pixels, its centre of mass in the middle. A drawing may have any
angle, so its size is measured in all directions: the longest extent of a digit's ink is 22 of 28 pixels (the median of
the bundled sample).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import ndimage

from tsa import checks
from tsa.checks import Array

_EXTENT = 22 / 28
_DIRECTIONS = np.radians(np.arange(0, 180, 5))


def framed(picture: ArrayLike) -> Array:
    """A square picture (n, n), white on black, moved and scaled so; one without ink comes back as it is."""
    picture = checks.square(picture, "The picture").astype(np.float64)
    side, top = len(picture), picture.max(initial=0.0)
    if not top > 0:
        return picture
    ink = np.argwhere(picture > top / 2)
    along = ink @ np.stack([np.sin(_DIRECTIONS), np.cos(_DIRECTIONS)])
    scale = (np.ptp(along, axis=0).max() + 1) / (_EXTENT * side)
    middle = np.array(ndimage.center_of_mass(np.maximum(picture, 0)))
    smooth = ndimage.gaussian_filter(picture, 0.5 * max(0.0, scale - 1))  # what shrinks must not alias
    return ndimage.affine_transform(smooth, [scale, scale], middle - scale * (side - 1) / 2, order=1)
