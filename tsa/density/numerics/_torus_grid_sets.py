"""Integrals on the torus by grids, and modes and credible regions of a density that is known at the nodes of a grid.

For densities that are not exponentials of one trigonometric polynomial, such as mixtures; places and masses are as
good as the grid.
"""

from typing import NamedTuple

import numpy as np
from scipy import ndimage
from scipy.special import logsumexp

from tsa._base import Array
from tsa.density.numerics._torus_grids import values_on_grid
from tsa.density.numerics._torus_mixture import TorusGrid
from tsa.density.numerics._torus_partition import torus_partition

_INTEGRAL_NODES_PER_DEVIATION = 1.5  # the integral of a normal density is then right to 1e-19
_MAX_INTEGRAL_NODES = 2**18
_CHUNK_VALUES = 2**19  # held at once
_STEPS = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]


def torus_log_integrals(eta: Array, k: Array) -> Array:
    """log ∫ exp Re Σ conj(η_m) e^{ik_m·s} ds over the p-torus: rows of `eta` (n, M), frequencies k (M, p) → (n,).

    Sums over a grid that resolves every peak; by certified tiles where that would be too large.
    """
    widest = np.sqrt(np.abs(eta) @ (k**2).astype(np.float64))  # (n, p): at most 1/deviation along each axis
    least = np.maximum(_INTEGRAL_NODES_PER_DEVIATION * 2 * np.pi * widest, 2 * np.abs(k).max(axis=0, initial=0) + 2)
    sides = 2 ** np.ceil(np.log2(np.maximum(least, 8))).astype(np.int64)
    result = np.empty(len(eta))
    large = sides.prod(axis=1) > _MAX_INTEGRAL_NODES
    if large.any():
        solved = torus_partition(eta[large], k)
        result[large] = solved.height + solved.log_mass
    for shape in np.unique(sides[~large], axis=0):
        rows = np.flatnonzero((sides == shape).all(axis=1) & ~large)
        nodes = int(shape.prod())
        for part in np.array_split(rows, max(1, len(rows) * nodes // _CHUNK_VALUES)):
            values = values_on_grid(eta[part], k, tuple(shape.tolist())).reshape(len(part), nodes)
            result[part] = logsumexp(values, axis=1) + len(shape) * np.log(2 * np.pi) - np.log(nodes)
    return result


class GridPiece(NamedTuple):
    """One connected piece of a region: mass, area, centre (2,), length along `axis` (2,), width, whether it wraps."""

    mass: float
    area: float
    centre: Array
    length: float
    width: float
    axis: Array
    wraps: bool


def grid_modes(grid: TorusGrid) -> tuple[Array, Array]:
    """Maxima of log p at the nodes of a grid: angles (m, 2) and the masses of their basins (m,).

    Each node leads to the highest of its eight neighbours, and so on to a maximum; the maximum itself is moved to the
    vertex of a paraboloid through it and its neighbours.
    """
    log_p, shape = grid.log_p, np.array(grid.log_p.shape)
    index = np.arange(log_p.size).reshape(log_p.shape)
    best, uphill = log_p.copy(), index.copy()
    for step in _STEPS:
        value, other = (np.roll(a, step, axis=(0, 1)) for a in (log_p, index))
        # Among equals the smaller index, so that a plateau leads to one of its nodes.
        better = (value > best) | ((value == best) & (other < uphill))
        best, uphill = np.where(better, value, best), np.where(better, other, uphill)
    leads: Array = uphill.ravel()
    while not np.array_equal(leads, leads[leads]):
        leads = leads[leads]
    tops, basin = np.unique(leads, return_inverse=True)
    node = np.stack(np.unravel_index(tops, log_p.shape), axis=-1)
    vertex = node + _to_vertex(log_p, node)
    basins = np.bincount(basin.ravel(), grid.mass.ravel())
    # Where the grid ends, what is beyond its edge may be higher.
    inside = (grid.whole | ((node > 0) & (node < shape - 1))).all(axis=1)
    return grid.points(vertex)[inside], basins[inside]


def _to_vertex(log_p: Array, node: Array) -> Array:
    """From maxima among the nodes (m, 2) to the vertices of paraboloids through their neighbours, in nodes: (m, 2)."""

    def at(a: int, b: int) -> Array:
        return np.asarray(log_p[tuple((np.add(node, (a, b)) % log_p.shape).T)])

    slope = np.stack([at(1, 0) - at(-1, 0), at(0, 1) - at(0, -1)], axis=-1) / 2
    bend = np.empty((len(node), 2, 2))
    bend[:, 0, 0], bend[:, 1, 1] = at(1, 0) + at(-1, 0) - 2 * at(0, 0), at(0, 1) + at(0, -1) - 2 * at(0, 0)
    bend[:, 0, 1] = bend[:, 1, 0] = (at(1, 1) + at(-1, -1) - at(1, -1) - at(-1, 1)) / 4
    top = (bend[:, 0, 0] < 0) & (np.linalg.det(bend) > 0)
    bend[~top] = -np.eye(2)
    step = -np.linalg.solve(bend, slope[..., None])[..., 0]
    return np.where(top[:, None] & (np.abs(step) <= 1).all(axis=1, keepdims=True), step, 0.0)


def grid_region(grid: TorusGrid, p: float) -> tuple[float, list[GridPiece]]:
    """The level of log p above which the mass is p, and the connected pieces, heaviest first."""
    log_p, mass = grid.log_p, grid.mass
    order = np.argsort(-log_p, axis=None)
    rank = min(int(np.searchsorted(np.cumsum(mass.ravel()[order]), p)), log_p.size - 1)
    level = float(log_p.ravel()[order[rank]])
    labels = _labels_on_torus(log_p >= level)
    pieces = [_piece(grid, np.argwhere(labels == i), mass[labels == i]) for i in np.unique(labels[labels > 0])]
    return level, sorted(pieces, key=lambda piece: -piece.mass)


def _labels_on_torus(inside: Array) -> Array:
    """Connected pieces numbered from 1, those that meet across the edges of the grid joined; 0 outside."""
    labels, count = ndimage.label(inside, np.ones((3, 3)))
    name = np.arange(count + 1)
    for axis in range(2):
        first, last = np.take(labels, 0, axis), np.take(labels, -1, axis)
        for turn in (-1, 0, 1):
            other = np.roll(last, turn)
            for a, b in {(int(a), int(b)) for a, b in zip(first, other, strict=True) if a and b}:
                one, two = name[a], name[b]
                name[name == max(one, two)] = min(one, two)
    return name[labels]


def _piece(grid: TorusGrid, nodes: Array, mass: Array) -> GridPiece:
    angles, cell = grid.points(nodes), float(grid.step.prod())
    centre = np.angle((mass[:, None] * np.exp(1j * angles)).sum(axis=0))
    offset = angles - centre
    offset -= 2 * np.pi * np.rint(offset / (2 * np.pi))
    values, axes = np.linalg.eigh(offset.T @ offset)
    axis, area = axes[:, np.argmax(values)], len(nodes) * cell
    length = float(np.ptp(offset @ axis) + np.sqrt(cell))
    wraps = any(len(np.unique(nodes[:, a])) == grid.log_p.shape[a] for a in range(2))
    return GridPiece(float(mass.sum()), area, np.mod(centre, 2 * np.pi), length, area / length, axis, wraps)
