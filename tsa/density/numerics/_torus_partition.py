"""Normalisers and moments on the p-torus: a certified trapezoid grid where that is small, tiles everywhere else.

The number of nodes of a grid grows as the volume of the peak shrinks; that of the tiles does not. Across a ridge, which
is a problem of one dimension, only the nodes of the grid near the peaks are laid out. On a plateau the tiles may have
more nodes than the grid: then they are given up.
"""

from dataclasses import dataclass

import numpy as np

from tsa._base import Array
from tsa.density.numerics._harmonics import fold
from tsa.density.numerics._node_counts import TOLERANCE
from tsa.density.numerics._torus_grids import MAX_NODES, certified_grids, few_nodes, grid_sums
from tsa.density.numerics.tiles import Integral, RowGroup, line_sums, row_groups

_EPS = float(np.finfo(np.float64).eps)
_CHUNK_VALUES = 2**20
# Of grids along one axis: so many nodes of a group, or of each of its rows, take less time than a search for those that
# matter, which costs a batch little more than one row.
_FEW_NODES_OF_LINES, _FEW_NODES_OF_LINE = 2**14, 2**10
_MAX_NODES_OF_LINE = 2**50
_NODE_OF_TILE = 2.0  # time that a node of a tile takes, at least, in nodes of a grid


@dataclass(frozen=True, eq=False)
class TorusPartition:
    """log Z = height + log_mass of each row, relative to a high point `peak` (B, p) of f, and what follows from it.

    `gain` is E[f] − height, `deficits` E[e^{ik·(s − peak)}] − 1 at the given frequencies, (B, M), or (B, 0) if they
    were not asked for. `shape_error` bounds the error of log_mass, `height_error` that of the height, `truncation` is
    the part of both that is not rounding; `nodes` were evaluated. All (B,).
    """

    peak: Array
    height: Array
    log_mass: Array
    gain: Array
    deficits: Array
    nodes: Array
    truncation: Array
    shape_error: Array
    height_error: Array


def torus_partition(eta: Array, k: Array, moments: bool = False, tolerance: float = TOLERANCE) -> TorusPartition:
    """The partition of densities with natural parameters `eta` (B, M), complex128, at frequencies `k` (M, p)."""
    rows, p = len(eta), k.shape[1]
    number = (rows,)
    result = TorusPartition(
        peak=np.zeros((rows, p)), height=np.zeros(number), log_mass=np.zeros(number), gain=np.zeros(number),
        deficits=np.full(eta.shape if moments else (rows, 0), -1 + 0j), nodes=np.zeros(number, np.int64),
        truncation=np.zeros(number), shape_error=np.zeros(number), height_error=np.zeros(number),
    )  # fmt: skip
    left, larger, most_nodes = [], [], np.full(number, np.inf)
    for group in row_groups(eta, k):
        grids = _Grids(eta, group, tolerance)
        done = grids.nodes <= grids.few
        if done.any():
            grids.add_to(result, eta, moments, done)
        if grids.axis is not None and not done.all():
            done[~done] = grids.add_line_to(result, eta, moments, ~done, tolerance)
        most_nodes[grids.rows] = grids.nodes / _NODE_OF_TILE
        if np.count_nonzero(done) < len(group.rows):
            left.append(group._replace(rows=np.setdiff1d(group.rows, grids.rows[done], assume_unique=True)))
            larger.append(grids)
    if left:
        by_tiles = Integral(eta, k, tolerance, moments, left, most_nodes)
        for grids in larger:
            grids.add_to(result, eta, moments, by_tiles.crowded[grids.rows])
        sharp = np.concatenate([group.rows for group in left])
        sharp = sharp[~by_tiles.crowded[sharp]]
        for name in ("peak", "height", "log_mass", "gain", "nodes"):
            getattr(result, name)[sharp] = getattr(by_tiles, name)[sharp]
        result.truncation[sharp] = (by_tiles.quadrature + by_tiles.dropped + by_tiles.pruned)[sharp]
        result.shape_error[sharp] = result.truncation[sharp] + by_tiles.rounding[sharp]
        result.height_error[sharp] = by_tiles.height_rounding[sharp]
        if moments:
            result.deficits[sharp] = by_tiles.deficits[sharp]
    return result


def torus_log_marginal(eta: Array, k: Array, axis: int, angles: Array) -> Array:
    """log ∫ exp f over all coordinates but s_axis, at the given angles (n,) of that: (B, M) → (B, n).

    Given s_axis the other coordinates have a density of the same family, whose normaliser this is.
    """
    folded, negated = fold(np.delete(k, axis, axis=1))
    kinds, kind_of = np.unique(folded, axis=0, return_inverse=True)
    term = eta[:, None] * np.exp(-1j * angles[:, None] * k[:, axis])
    given = np.zeros((*term.shape[:2], len(kinds)), np.complex128)
    for m, kind in enumerate(kind_of.ravel()):
        given[..., kind] += term[..., m].conj() if negated[m] else term[..., m]
    alone = ~kinds.any(axis=1)
    rows = given[..., ~alone].reshape(-1, np.count_nonzero(~alone))
    solved = torus_partition(np.ascontiguousarray(rows), kinds[~alone])
    return (solved.height + solved.log_mass).reshape(given.shape[:2]) + given[..., alone].real.sum(axis=-1)


class _Grids:
    """The rows of a group that a certified grid serves: their numbers `rows`, and how many `nodes` theirs has, (r,).

    So `few` nodes need no tiles. `axis` is the only one along which these densities vary, if there is only one.
    """

    def __init__(self, eta: Array, group: RowGroup, tolerance: float) -> None:
        self._group = group
        kappa = np.abs(eta[group.rows])
        own = kappa[:, group.used]
        varying = np.flatnonzero(group.m.any(axis=0))
        self.axis = varying[0] if len(varying) == 1 else None
        if self.axis is None:
            most, self.few = MAX_NODES, few_nodes(group.m)
        else:
            most, self.few = _MAX_NODES_OF_LINE, max(_FEW_NODES_OF_LINE, _FEW_NODES_OF_LINES // len(own))
        served, self._shapes, truncation = certified_grids(own, group.m, tolerance, most)
        pruned = kappa[served].sum(axis=1) - own[served].sum(axis=1)
        self.rows, self._truncation = group.rows[served], truncation + pruned
        self.nodes = self._shapes.prod(axis=1)

    def add_to(self, result: TorusPartition, eta: Array, moments: bool, which: Array) -> None:
        """Fill in the rows `which` (r,) of the result from their grids."""
        _, coordinates, used, m = self._group
        for shape in np.unique(self._shapes[which], axis=0):
            same = np.flatnonzero(which & (self._shapes == shape).all(axis=1))
            at_once = max(1, _CHUNK_VALUES // int(shape.prod()))
            for start in range(0, same.size, at_once):
                part = same[start : start + at_once]
                rows = self.rows[part]
                own = eta[np.ix_(rows, used)]
                sums = grid_sums(own, m, shape, moments)
                result.peak[rows], result.height[rows] = coordinates.to_original(sums.peak), sums.height
                result.log_mass[rows], result.gain[rows] = sums.log_mass, sums.gain
                result.nodes[rows], result.truncation[rows] = self.nodes[part], self._truncation[part]
                rounding = _EPS * (1 + np.abs(own).sum(axis=1)) * (np.log2(self.nodes[part]) + 2)
                result.shape_error[rows] = self._truncation[part] + rounding
                if moments:
                    result.deficits[np.ix_(rows, used)] = sums.deficits

    def add_line_to(self, result: TorusPartition, eta: Array, moments: bool, which: Array, tolerance: float) -> Array:
        """Fill in those of the rows `which` (r,) in whose grids few nodes matter; True for these, by row of `which`."""
        _, coordinates, used, m = self._group
        p, rows = m.shape[1], self.rows[which]
        sums = line_sums(eta[np.ix_(rows, used)], m[:, self.axis], self.nodes[which], tolerance, moments)
        ok = sums.served
        rows, mass = rows[ok], sums.mass[ok]
        peak = np.zeros((len(rows), p))
        peak[:, self.axis] = sums.peak[ok]
        result.peak[rows], result.height[rows] = coordinates.to_original(peak), sums.height[ok]
        result.log_mass[rows], result.gain[rows] = np.log(mass) + (p - 1) * np.log(2 * np.pi), sums.gain[ok] / mass
        result.nodes[rows], result.height_error[rows] = sums.nodes[ok], sums.height_rounding[ok]
        result.truncation[rows] = self._truncation[which][ok] + sums.dropped[ok] / mass
        result.shape_error[rows] = result.truncation[rows] + sums.rounding[ok] / mass
        if moments:
            result.deficits[np.ix_(rows, used)] = sums.deficits[ok]
        return ok
