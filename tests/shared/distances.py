"""Nearest neighbours by comparing everything with everything."""

import numpy as np


def by_brute_force(distances, k, tie=1e-9):
    """The k smallest of each row; of those equal to rounding the first."""
    taken, found = distances.copy(), []
    for _ in range(k):
        found.append(np.argmax(taken <= taken.min(axis=1, keepdims=True) + tie, axis=1))
        taken[np.arange(len(taken)), found[-1]] = np.inf
    index = np.stack(found, axis=1)
    return index, np.take_along_axis(distances, index, axis=1)


def all_distances(metric, train, queries):
    return metric.distance(queries[:, None].astype(float), train[None].astype(float))
