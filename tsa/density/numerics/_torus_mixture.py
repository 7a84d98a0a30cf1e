"""A mixture of densities exp E(s) on the 2-torus at the nodes of a grid that resolves its sharpest component.

Where the grid of the whole torus would be large, nodes are laid out only in a window around what matters: outside,
the density is below e^-40 of its maximum. The window is found by grids of few nodes, each within the last one. A
component with Σ_m |η_m| (k_m·d)² ≤ S for every d that leads from a node to the edge of its cell can be higher there
than at the node, but not without being high at the node too: |∇E|² ≤ 2S (max E − E), so that where E ≥ M − 40
somewhere in the cell, at the node E ≥ M − (√80 + √S)²/2.
"""

from typing import NamedTuple

import numpy as np

from tsa._base import Array, InputError
from tsa.density.numerics._torus_grids import values_on_grid

_NODES_PER_DEVIATION = 3  # of the sharpest component, along each axis
_MIN_SIDE = 64  # nodes along each axis
_MAX_WHOLE_NODES = 2**20  # of a grid of the whole torus; larger ones are laid out in a window
_MAX_NODES = 2**24
_SEARCH_SIDE = 96  # nodes along each axis of a grid that looks for the window
_OUTSIDE_NATS = 40.0
_WHOLE = 2 * np.pi * (1 - 1e-12)  # a width that is the whole circle but for rounding
_CHUNK_VALUES = 2**20  # of complex waves held at once


class TorusGrid(NamedTuple):
    """log p and the masses of the cells at the nodes `origin` + index·`step` (n₁, n₂); axes that are `whole` close."""

    log_p: Array
    mass: Array
    origin: Array
    step: Array
    whole: Array

    def points(self, index: Array) -> Array:
        """The places (..., 2) of nodes, or of points between them, by their indices (..., 2)."""
        return self.origin + index * self.step


def mixture_grid(eta: Array, k: Array, offset: Array) -> TorusGrid:
    """The grid of Σ_c exp(offset_c + E_c), components `eta` (C, M) at frequencies `k` (M, 2)."""
    widest = np.sqrt((np.abs(eta)[:, :, None] * k**2).sum(axis=1).max(axis=0))
    least = np.maximum(_NODES_PER_DEVIATION * 2 * np.pi * widest, 2 * np.abs(k).max(axis=0, initial=0) + 1)
    sides = 2 ** np.ceil(np.log2(np.maximum(least, _MIN_SIDE))).astype(np.int64)
    step = 2 * np.pi / sides
    if sides.prod() <= _MAX_WHOLE_NODES:
        log_p = _log_sum(values_on_grid(eta, k, tuple(sides.tolist())), offset)
        return _grid(log_p, np.zeros(2), step, np.ones(2, bool))
    origin, width = _window(eta, k, offset)
    whole = width > _WHOLE
    count = np.where(whole, sides, np.ceil(width / step)).astype(np.int64)
    if count.prod() > _MAX_NODES:
        raise InputError(
            f"This mixture has peaks of {1 / widest.max():.1e} radians that lie far apart: too much for a grid of "
            f"{_MAX_NODES} nodes. Raise the noise σ."
        )
    log_p = np.full(count, -np.inf)
    for one, level in zip(eta, offset, strict=True):
        np.logaddexp(log_p, _values(one, k, origin, step, count) + level, out=log_p)
    return _grid(log_p, origin, step, whole)


def _grid(log_p: Array, origin: Array, step: Array, whole: Array) -> TorusGrid:
    mass = np.exp(log_p)
    return TorusGrid(log_p, mass / mass.sum(), origin, step, whole)


def _log_sum(values: Array, offset: Array) -> Array:
    values += offset[:, None, None]
    top = values.max(axis=0)
    return np.asarray(top + np.log(np.exp(values - top).sum(axis=0)))


def _values(eta: Array, k: Array, origin: Array, step: Array, count: Array) -> Array:
    """E at origin + index·step, for one component `eta` (M,): (n₁, n₂)."""
    used = np.flatnonzero(eta)
    found = np.zeros(tuple(count.tolist()))
    at_once = max(1, _CHUNK_VALUES // int(count.max()))
    for start in range(0, len(used), at_once):
        some = used[start : start + at_once]
        first, second = (
            np.exp(1j * k[some, axis] * (origin[axis] + step[axis] * np.arange(count[axis]))[:, None])
            for axis in range(2)
        )
        first *= eta[some].conj()
        found += first.real @ second.real.T - first.imag @ second.imag.T
    return found


def _window(eta: Array, k: Array, offset: Array) -> tuple[Array, Array]:
    """Origin and widths of a rectangle outside which the mixture is below e^-40 of its maximum."""
    origin, width = np.zeros(2), np.full(2, 2 * np.pi)
    count = np.full(2, _SEARCH_SIDE)
    while True:
        step = width / count
        reach = np.sqrt(np.abs(eta) @ (np.abs(k) @ step / 2) ** 2)  # √S of each component
        values = [
            _values(one, k, origin + step / 2, step, count) + level for one, level in zip(eta, offset, strict=True)
        ]
        top = max(value.max() for value in values)
        drops = (np.sqrt(2 * _OUTSIDE_NATS) + reach) ** 2 / 2 + np.log(len(eta))
        near = np.any([value >= top - drop for value, drop in zip(values, drops, strict=True)], axis=0)
        arcs = [_arc(near.any(axis=1 - axis), bool(width[axis] > _WHOLE)) for axis in range(2)]
        first, length = (np.array(part) for part in zip(*arcs, strict=True))
        smaller = step * length
        if smaller.prod() > width.prod() / 2:
            return origin, width
        origin, width = origin + step * first, smaller


def _arc(near: Array, closes: bool) -> tuple[int, int]:
    """First node and number of nodes of the shortest stretch that holds all that are `near`; around, if it closes."""
    place = np.flatnonzero(near)
    if not closes:
        return int(place[0]), int(place[-1] - place[0] + 1)
    gap = np.diff(place, append=place[0] + len(near))
    widest = int(np.argmax(gap))
    return int(place[(widest + 1) % len(place)]), int(len(near) - gap[widest] + 1)
