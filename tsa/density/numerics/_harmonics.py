"""Harmonics k in Z^p. k and −k belong to the same real wave, cos(k·s − μ), so one of the two stands for both."""

import numpy as np

from tsa._base import Array


def fold(frequencies: Array) -> tuple[Array, Array]:
    """The one of ±k whose first coordinate other than 0 is positive, for k (m, p), and (m,) which were negated."""
    first = np.argmax(frequencies != 0, axis=1)
    negated = np.take_along_axis(frequencies, first[:, None], axis=1)[:, 0] < 0
    return np.where(negated[:, None], -frequencies, frequencies), negated


def pooled(frequencies: Array, eta: Array) -> tuple[Array, Array]:
    """Distinct folded frequencies in order, and for each the sum of its η (..., M), conjugated where it was −k."""
    folded, negated = fold(frequencies)
    order = np.lexsort(folded.T[::-1])
    new = np.append(True, np.diff(folded[order], axis=0).any(axis=1))[: len(order)]
    turned = np.where(negated, eta.conj(), eta)[..., order] if negated.any() else eta[..., order]
    if new.all():
        return folded[order], turned
    return folded[order[new]], np.add.reduceat(turned, np.flatnonzero(new), axis=-1)
