"""log ∫ exp f and moments of a batch of densities on the p-torus, from tiles in own coordinates."""

from collections.abc import Iterable, Iterator
from math import log, pi, prod
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.density.numerics.tiles._coordinates import Coordinates, own_coordinates
from tsa.density.numerics.tiles._polynomials import Polynomials, coarse_grid, core_of, derivative_orders
from tsa.density.numerics.tiles._tiling import Tiling

_CHUNK_VALUES = 2**21  # coarse grid values of all derivatives held at once


class RowGroup(NamedTuple):
    """Rows of a batch that share own coordinates: numbers of rows and of frequencies used, and those as m (n, p)."""

    rows: Array
    coordinates: Coordinates
    used: Array
    m: Array


class Integral:
    """∫ exp f over the torus for each row of `eta` (B, M), f(s) = Re Σ_k conj(η_k) e^{ik·s}, integer `k` (M, p).

    Everything is relative to `peak` (B, p), a high maximum of f of value `height` (B,), so that no digits are lost for
    sharp densities: log Z = height + log_mass. `gain` is E[f] − height ≤ 0 up to rounding. With `moments`, `deficits`
    is E[e^{ik·(s − peak)}] − 1, (B, M). The error of log_mass is at most the sum of four bounds (B,): `quadrature`,
    `dropped` (tiles left out), `pruned` (frequencies left out) and `rounding`; that of height is `height_rounding`.
    With `groups`, only their rows are computed; without those, marked `crowded` (B,), whose tiles would have more than
    `most_nodes` (B,).
    """

    def __init__(
        self, eta: Array, k: Array, tolerance: float, moments: bool, groups: Iterable[RowGroup] | None = None,
        most_nodes: Array | None = None,
    ) -> None:  # fmt: skip
        rows, p = len(eta), k.shape[1]
        self.peak, self.height, self.log_mass, self.gain = np.zeros((rows, p)), *np.zeros((3, rows))
        self.quadrature, self.dropped, self.pruned, self.rounding, self.height_rounding = np.zeros((5, rows))
        self.nodes, self.deficits = np.zeros(rows, np.int64), np.full(eta.shape if moments else (rows, 0), -1 + 0j)
        self.crowded = np.zeros(rows, bool)
        self._most_nodes = np.full(rows, np.inf) if most_nodes is None else most_nodes
        for part, coordinates, used, m in row_groups(eta, k) if groups is None else groups:
            unused = np.delete(np.arange(len(k)), used)
            self.pruned[part] = np.abs(eta[np.ix_(part, unused)]).sum(axis=1)
            self._add(part, eta[np.ix_(part, used)], coordinates, used, m, None, tolerance, moments)

    def _add(
        self, rows: Array, eta: Array, coordinates: Coordinates, used: Array, m: Array, start: Array | None,
        tolerance: float, moments: bool,
    ) -> None:  # fmt: skip
        axes = np.flatnonzero(m.any(axis=0)) if m.any() else np.zeros(1, np.int64)  # f is constant along the others
        tiling = Tiling(Polynomials(eta, m[:, axes], start), tolerance, moments, self._most_nodes[rows])
        polynomials = tiling.polynomials
        higher = np.array([row for row, _ in tiling.higher], np.int64)
        self.crowded[rows] = tiling.crowded
        good = np.delete(np.arange(len(rows)), np.append(higher, np.flatnonzero(tiling.crowded)))
        ours, mass = rows[good], tiling.mass[good]
        peak = np.zeros((len(good), m.shape[1]))
        peak[:, axes] = polynomials.peak[good]
        self.peak[ours] = coordinates.to_original(peak)
        self.height[ours], self.height_rounding[ours] = polynomials.height[good], polynomials.rounding[good]
        self.log_mass[ours] = np.log(mass) + (m.shape[1] - len(axes)) * log(2 * pi)
        self.gain[ours] = tiling.gain[good] / mass
        for name in ("quadrature", "dropped", "rounding"):
            getattr(self, name)[ours] = getattr(tiling, name)[good] / mass
        self.nodes[ours] = tiling.nodes[good]
        if moments:
            self.deficits[np.ix_(ours, used)] = polynomials.picked(tiling.table[good]) / mass[:, None]
        if higher.size:
            starts = polynomials.peak[higher] + np.stack([offset for _, offset in tiling.higher])
            self._add(rows[higher], eta[higher], coordinates, used, m, starts, tolerance, moments)


def row_groups(eta: Array, k: Array) -> Iterator[RowGroup]:
    """Rows that share own coordinates and a coarse grid, in chunks that fit in memory."""
    kappa = np.abs(eta)
    for rows, coordinates, used, m in own_coordinates(k, kappa):
        core, matters = core_of(m, kappa[np.ix_(rows, used)])
        for some, reach in ((rows[~matters], core), (rows[matters], np.abs(m).max(axis=0, initial=0))):
            at_once = max(1, int(_CHUNK_VALUES // (len(derivative_orders(k.shape[1])) * prod(coarse_grid(reach)))))
            for start in range(0, len(some), at_once):
                yield RowGroup(some[start : start + at_once], coordinates, used, m)
