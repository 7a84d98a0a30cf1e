"""Harmonics k in Z^p. k and −k belong to the same real wave, cos(k·s − μ), so one of the two stands for both."""

import numpy as np

from tsa._base import Array


def fold(frequencies: Array) -> tuple[Array, Array]:
    """The one of ±k whose first coordinate other than 0 is positive, for k (m, p), and (m,) which were negated."""
    first = np.argmax(frequencies != 0, axis=1)
    negated = np.take_along_axis(frequencies, first[:, None], axis=1)[:, 0] < 0
    return np.where(negated[:, None], -frequencies, frequencies), negated
