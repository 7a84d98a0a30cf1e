"""The tolerance of normalisers, and numbers of nodes for which FFTs are fast."""

import numpy as np

from tsa._base import Array

TOLERANCE = 2.0**-52  # relative, of Z


def fast_length(n: Array) -> Array:
    """The next 2^a, 5·2^(a−2) or 3·2^(a−1): few distinct lengths, so a mixed batch falls into few groups."""
    power = 2.0 ** np.floor(np.log2(n))
    steps = np.ceil(4 * n / power)
    steps = np.where(steps == 7, 8, steps)
    return (power * steps / 4).astype(np.int64)
