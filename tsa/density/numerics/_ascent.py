"""Maxima of a function on a grid of the 2-torus, and the nodes from which steepest ascent leads to each."""

import numpy as np

from tsa._base import Array


def _uphill(energy: Array) -> Array:
    """Flat index of the highest of each node's nine neighbours (itself included) on the torus."""
    index = np.arange(energy.size).reshape(energy.shape)
    best, where = energy, index
    for d1 in (-1, 0, 1):
        for d2 in (-1, 0, 1):
            value, place = np.roll(energy, (d1, d2), (0, 1)), np.roll(index, (d1, d2), (0, 1))
            best, where = np.where(value > best, value, best), np.where(value > best, place, where)
    return where.ravel()


def _angles(flat: Array, shape: tuple[int, ...]) -> Array:
    return np.stack(np.unravel_index(flat, shape), axis=-1) * (2 * np.pi / np.array(shape))


def grid_maxima(energy: Array) -> Array:
    """Angles (m, 2) of the nodes of a grid (n₁, n₂) that are not below any neighbour."""
    return _angles(np.flatnonzero(_uphill(energy) == np.arange(energy.size)), energy.shape)


def basins(energy: Array) -> tuple[Array, Array]:
    """Angles of the grid maxima, and for every node the number of the maximum that steepest ascent reaches."""
    uphill = _uphill(energy)
    while True:
        further = uphill[uphill]
        if np.array_equal(further, uphill):
            break
        uphill = further
    tops, basin = np.unique(uphill, return_inverse=True)
    return _angles(tops, energy.shape), basin
