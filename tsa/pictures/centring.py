"""Centring and scaling a drawing as MNIST does with its digits, so that the two can be compared.

MNIST fits an upright digit into a box of 20 of 28 pixels, with its centre of mass in the middle. A drawing may have any
angle, so its longest extent in any direction is used instead: 22 of 28 pixels, the median of the bundled digits.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import ndimage

from tsa._base import Array, checks

_EXTENT_SIDES = 22 / 28  # longest extent of the ink, relative to the side of the picture
_DIRECTIONS = np.radians(np.arange(0, 180, 5))  # in which the extent is measured


def centred(picture: ArrayLike) -> Array:
    """A square picture (n, n), white on black, centred and scaled; an empty one is returned unchanged."""
    picture = checks.square(picture, "The picture").astype(np.float64)
    side, top = len(picture), picture.max(initial=0.0)
    if not top > 0:
        return picture
    ink = np.argwhere(picture > top / 2)
    along = ink @ np.stack([np.sin(_DIRECTIONS), np.cos(_DIRECTIONS)])
    scale = (np.ptp(along, axis=0).max() + 1) / (_EXTENT_SIDES * side)
    middle = np.array(ndimage.center_of_mass(np.maximum(picture, 0)))
    smooth = ndimage.gaussian_filter(picture, 0.5 * max(0.0, scale - 1))  # anti-aliasing when it is scaled down
    return ndimage.affine_transform(smooth, np.diag([scale, scale]), middle - scale * (side - 1) / 2, order=1)
