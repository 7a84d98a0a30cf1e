"""A notch that breaks the symmetry of a picture little by little."""

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, checks

# In radii. So narrow that, on a square seen by `rotation-16-refined` at σ = 0.5, the four answers become one gradually:
# the first has 25 %, 45 %, 78 % and 99 % of the probability at depths 0, 0.3, 0.5 and 1.
_HALF_WIDTH = 0.05
_EDGE = 0.05  # over which the cut goes from nothing to black


def notched(picture: ArrayLike, depth: float) -> Array:
    """The square grey picture (n, n) with a slot cut from its top towards the centre, black and with soft edges.

    The slot starts at the first pixel in its way that is not black; `depth` 0…1 is how far it has come from there to
    the centre. Depth 0 changes nothing. Every pixel is a continuous function of the depth, and never
    becomes brighter as it grows.
    """
    picture = checks.square(picture, "The picture")
    if not 0 <= depth <= 1:
        raise InputError(f"The depth of a notch is a number from 0 to 1; got {depth!r}.")
    if not depth:
        return picture
    n = len(picture)
    place = (np.arange(n) - (n - 1) / 2) / (n / 2)
    across = np.clip(0.5 + (_HALF_WIDTH - np.abs(place)) / _EDGE, 0, 1)
    in_the_way = (picture[:, across > 0] > 0).any(axis=1)
    height = -place[:, None]
    # The upper edge of the first such pixel: at depth 0 the cut is nothing on every pixel that is not black.
    start = float(np.max(height[:, 0] + 1 / n, where=in_the_way, initial=0.0))
    cut = across * np.clip((height - start * (1 - depth)) / _EDGE, 0, 1)
    return (picture * (1 - cut)).astype(picture.dtype)
