"""Every local maximum of a trigonometric polynomial on the torus, with proof that none is missed.

On a tile with centre c the Hessian departs from H(c) by at most E_ab = Σ_c sup|f_abc| h_c. Both are taken in units of
the half-widths h. A tile is decided when

- the gradient cannot vanish on it: |f_a(c)| > Σ_b (|H_ab| + ½ E_ab) for some axis a; or
- the Hessian is nowhere negative semidefinite on it: its largest eigenvalue at c exceeds the norm of E; or
- H(c)⁻¹E has norm q ≤ 1/6. Then t ↦ t − H(c)⁻¹∇f(t) contracts the box of three half-widths around c by the factor ½. A
  critical point on the tile lies within 1 + q of c − H(c)⁻¹∇f(c); if that is near enough, Newton's method finds it, and
  within the box it is the only one.

All three tests are independent of the scale of f, so the work does not grow with the concentration. Tiles that stay
undecided although they are small are points of a ridge, on which f is level to the accuracy of these bounds.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from tsa._base import Array
from tsa.density.numerics.tiles._bounds import TileBounds, Tiles
from tsa.density.numerics.tiles._polynomials import Polynomials

_CONTRACTION = 1 / 6
_SMALLEST = 2.0**-12  # half-width of a tile, in radians of the fastest wave, below which it is not cut further
_MOST_UNDECIDED = 512  # tiles of one polynomial: more, and more with each cut, are a ridge
_GROWTH = 1.4
_POINT_TILES = 64  # undecided tiles around one nearly degenerate maximum, at the most
_NEWTON_STEPS = 30


class Maxima(NamedTuple):
    """Local maxima of many rows, flat, by row: offsets from the peak (n, p), g there, and which are ridges."""

    row: Array
    offset: Array
    height: Array
    ridge: Array


def find_maxima(polynomials: Polynomials, floor: Array) -> Maxima:
    """All maxima with g ≥ `floor` (B,); a ridge is given by one of its points."""
    bounds = TileBounds(polynomials)
    tiles, d = bounds.coarse_tiles(bounds.on_coarse_cells() >= floor[:, None])
    hits, undecided, before, cuts = [], [], np.zeros(len(floor), np.int64), 0
    while len(tiles):
        holds, decided, step = _decide(bounds, tiles, d)
        hits.append((tiles.row[holds], tiles.centre[holds] + step[holds], tiles.half[holds]))
        tiles = tiles[~decided]
        small = (tiles.half * polynomials.reach).max(axis=-1, initial=0.0) <= _SMALLEST
        # Around points their number falls from cut to cut; along a ridge it doubles.
        count = np.bincount(tiles.row, minlength=len(floor))
        small |= ((count > _GROWTH * before) & (count > _MOST_UNDECIDED) & (cuts > 2))[tiles.row]
        before, cuts = count, cuts + 1
        undecided.append((tiles.row[small], tiles.centre[small], tiles.half[small]))
        tiles, _ = bounds.cut(tiles[~small]).sorted()
        d = bounds.at_centres(tiles)
        slack = polynomials.offset_rounding(tiles.row, tiles.u, tiles.turn)
        keep = bounds.upper(tiles, d) + slack >= floor[tiles.row]
        tiles, d = tiles[keep], d[:, keep]
    points = _points(polynomials, *(np.concatenate(part) for part in zip(*hits, strict=True)))
    ridges = _ridges(polynomials, points, *(np.concatenate(part) for part in zip(*undecided, strict=True)))
    row, offset, height, ridge = (np.concatenate(part) for part in zip(points, ridges, strict=True))
    kept = np.flatnonzero(height >= floor[row])
    kept = kept[np.lexsort((-height[kept], row[kept]))]
    return Maxima(row[kept], offset[kept], height[kept], ridge[kept])


def _decide(bounds: TileBounds, tiles: Tiles, d: Array) -> tuple[Array, Array, Array]:
    """Tiles that may contain a maximum, tiles that need not be cut, and the Newton step from their centres (T, p)."""
    gradient, hessian, change = bounds.scaled_derivatives(tiles, d)
    norm = change.sum(axis=-1).max(axis=-1)
    level = np.any(np.abs(gradient) > (np.abs(hessian) + change / 2).sum(axis=-1), axis=-1)
    eigenvalues, vectors = np.linalg.eigh(hessian)
    convex = eigenvalues[:, -1] > norm
    concave = eigenvalues[:, -1] < 0
    inverse = np.einsum(
        "tij,tj,tkj->tik", vectors, 1 / np.where(eigenvalues == 0, np.inf, eigenvalues), vectors, optimize=False
    )
    contraction = np.abs(inverse).sum(axis=-1).max(axis=-1) * norm
    regular = concave & (contraction <= _CONTRACTION)
    step = -np.einsum("tij,tj->ti", inverse, gradient)
    near = np.abs(step).max(axis=-1) <= 1 + contraction + 1e-9
    return regular & near & ~level, level | convex | regular, step * tiles.half


def _points(polynomials: Polynomials, row: Array, offset: Array, half: Array) -> Maxima:
    """Newton's method from near each maximum; a maximum found from several tiles is kept once."""
    point = offset.copy()
    for _ in range(_NEWTON_STEPS):
        _, gradient, hessian = polynomials.at(row, point)
        step = -np.linalg.solve(hessian, gradient[..., None])[..., 0]
        point += step
        if (np.abs(step) <= 1e-9 * half).all():
            break
    height, _, _ = polynomials.at(row, point)
    # The tile on which a maximum was found proves it the only one for several half-widths around.
    kept = np.unique(_clusters(row, point, 1e-3 * half.min(axis=-1, initial=np.inf)), return_index=True)[1]
    return Maxima(row[kept], point[kept], height[kept], np.zeros(len(kept), bool))


def _ridges(polynomials: Polynomials, points: Maxima, row: Array, centre: Array, half: Array) -> Maxima:
    """What the undecided tiles hold: the top of each connected set of them, unless it is one of the `points`.

    A set of few tiles is a maximum that is nearly degenerate, or none; a long one is a ridge.
    """
    size = half.max(axis=-1, initial=0.0, where=polynomials.reach > 0)
    number = _clusters(row, centre, 3 * size)
    height, _, _ = polynomials.at(row, centre)
    order = np.lexsort((-height, number))
    first = order[np.unique(number[order], return_index=True)[1]]
    row, size, point = row[first], size[first], polynomials.climbed(row[first], centre[first])
    height, gradient, hessian = polynomials.at(row, point)
    bend = np.linalg.eigvalsh(hessian)
    scale = np.abs(bend).max(axis=-1, initial=0.0)
    is_top = (bend[:, -1] <= 1e-9 * scale) & (np.abs(gradient).max(axis=-1, initial=0.0) <= 1e-6 * size * scale)
    ridge = (np.bincount(number)[: len(first)] > _POINT_TILES) | (bend[:, -1] > -1e-9 * scale)
    both = np.concatenate([row, points.row]), np.concatenate([point, points.offset])
    joined = _clusters(*both, np.append(size, np.zeros(len(points.row))))
    new = np.flatnonzero(~np.isin(joined[: len(row)], joined[len(row) :]) & (is_top | ridge))
    new = new[np.unique(joined[new], return_index=True)[1]]
    return Maxima(row[new], point[new], height[new], ridge[new])


def _clusters(row: Array, point: Array, distance: Array) -> Array:
    """A number for each point, equal for points of one row linked by steps no longer than their `distance`."""
    if not len(row):
        return np.empty(0, np.int64)
    # Points of the torus as points in space, rows far apart: e^{it} on each axis.
    circles = np.concatenate([np.cos(point), np.sin(point), 10.0 * row[:, None]], axis=1)
    pairs = cKDTree(circles).query_pairs(float(distance.max()), output_type="ndarray")
    gap = np.linalg.norm(circles[pairs[:, 0]] - circles[pairs[:, 1]], axis=-1)
    first, second = pairs[gap <= np.maximum(distance[pairs[:, 0]], distance[pairs[:, 1]])].T
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(len(row), len(row)))
    return np.asarray(connected_components(graph, directed=False)[1])
