"""Distribution functions of moderate densities on a uniform grid: faster than cells where few nodes are needed.

The cdf at a point is the sum of the nodes before it and what the Euler–Maclaurin formula adds, from the Taylor series
of the log density there. Its error is absolute, a few roundings of 1: tails are the business of cells. So many nodes
are taken that the Fourier coefficients c_k of the density fall below 2^-43 before order n/2; they fall at least as
2^{-43 (2k/n)²}, so that of the formula's remainder, about 2 (k/n)^D c_k, less than 1e-14/n is left after D = 18 terms.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import fft

from tsa._base import Array
from tsa.density.numerics import trigpoly
from tsa.density.numerics._node_counts import fast_length
from tsa.density.numerics._quadrature import certified_nodes, groups

_MIN_NODES, _MIN_NODES_PER_HARMONIC = 64, 32
_MARGIN = 7  # of nodes on either side, from which Taylor series follow
_NODES_PER_HARMONIC = 256  # with more than these, cells are faster
_TOLERANCE = 2.0**-43  # of the Fourier coefficients where the series ends; an integral divides them by their order
_GROUP_VALUES = 2**16  # evaluating so many values takes as long as the some hundred calls that a group costs
_CHUNK_VALUES = 2**18  # more than a cache holds: few calls of many small operations count for more
_VERTEX_STEPS = 3
EXTREMUM_NATS = 1e-8  # from an extremum; nearer to it, the rounding of a level moves its edges
_EULER_TERMS = 18
_BLOCK = 16  # of nodes; it divides their number
_BEFORE = np.tri(_BLOCK, k=-1)


def sorted_by_method(eta: Array) -> tuple[list[tuple[Array, int]], Array]:
    """Groups (rows, nodes) of the rows of `eta` (B, K) for which a grid is fast, and all the other rows."""
    # n nodes suffice for Z, but a series from n nodes ends at order n/2, so twice as many are taken.
    nodes = 2 * certified_nodes(np.abs(eta), tolerance=_TOLERANCE, strips=slice(None, None, 2))
    nodes = np.maximum(nodes, fast_length(np.array(max(_MIN_NODES, _MIN_NODES_PER_HARMONIC * eta.shape[1]))))
    small = nodes <= _NODES_PER_HARMONIC * max(1, eta.shape[1])
    chosen = np.flatnonzero(small)
    return in_groups(chosen, nodes[chosen]), np.flatnonzero(~small)


def in_groups(rows: Array, nodes: Array) -> list[tuple[Array, int]]:
    """Groups (rows, nodes) of the given rows with at least their numbers of nodes; small groups join the next size."""
    sizes, members = np.unique(nodes, return_counts=True)
    waiting = 0
    for i in range(sizes.size - 1):
        waiting += members[i]
        if waiting * (sizes[i + 1] - sizes[i]) < _GROUP_VALUES:
            nodes = np.where(nodes == sizes[i], sizes[i + 1], nodes)
        else:
            waiting = 0
    return [(rows[chunk], n) for chunk, n in groups(nodes, _CHUNK_VALUES)]


class NodeGrid(ABC):
    """A few densities from their log densities at n nodes each, `energy` (B, n) up to a constant of each row.

    A subclass says in `expanded` what they are between the nodes.
    """

    def __init__(self, energy: Array) -> None:
        self.step = 2 * np.pi / energy.shape[1]
        self._top = energy.max(axis=-1)
        energy -= self._top[:, None]
        self.energy = energy  # (B, n), less its maximum

    @cached_property
    def weight(self) -> Array:
        """exp(energy), (B, n); below e^-100 a node adds nothing, and clipping there avoids slow subnormal numbers."""
        weight = np.maximum(self.energy, -100.0)
        return np.asarray(np.exp(weight, out=weight))

    @cached_property
    def mass(self) -> Array:
        """Sums of the weights, (B,)."""
        return self.weight.sum(axis=1)

    @cached_property
    def log_scale(self) -> Array:
        """Of the density, relative to its maximum, (B,)."""
        return np.log(self.mass * self.step)

    @cached_property
    def _ripple(self) -> Array:
        """The integral of the weights from node to node, less its mean slope: (B, n)."""
        spectrum = fft.rfft(self.weight, axis=-1)
        # The last coefficient is below tolerance, and has no phase when n is even.
        factor = -1j / (2 * np.pi * np.maximum(np.arange(spectrum.shape[1]), 1))
        factor[[0, -1]] = 0
        spectrum *= factor
        return np.asarray(fft.irfft(spectrum, self.energy.shape[1], axis=-1, norm="forward"))

    @property
    @abstractmethod
    def reach(self) -> float:
        """Where the change of the log density, or the way times its order K, is less, `expanded` is exact."""

    @abstractmethod
    def expanded(self, local: Array, s: Array) -> tuple[Array, Array]:
        """Cubics in u, the way in steps, that are the log density and the cdf of `local` (m,) about s (m,): 2 × (4, m).

        The cdf may differ from the true one by a constant of each density.
        """

    def cdf_at_nodes(self, local: Array, node: Array) -> Array:
        """∫ p from the angle 0 to the nodes (m,) of the densities `local` (m,); 1 more with each turn."""
        n = self.energy.shape[1]
        ripple = self._ripple.take(local * n + node % n) - self._ripple[:, 0].take(local)
        return node / n + ripple / self.mass.take(local)

    @cached_property
    def _padded(self) -> Array:
        """The energy with `_MARGIN` nodes more before the angle 0 and after 2π: (B, n + 1 + 2 `_MARGIN`)."""
        return np.concatenate([self.energy[:, -_MARGIN:], self.energy, self.energy[:, : _MARGIN + 1]], axis=1)

    @property
    def closed(self) -> Array:
        """The energy at the nodes from 0 to 2π, both included: (B, n + 1)."""
        return self._padded[:, _MARGIN:-_MARGIN]

    def _around(self, local: Array, node: Array, first: int, last: int) -> Array:
        """The energies of the densities `local` (m,) at the nodes from `first` to `last` of each `node` (m,)."""
        start = local * self._padded.shape[1] + node + _MARGIN
        return self._padded.take(start + np.arange(first, last + 1)[:, None])

    def extrema(self) -> "Extrema":
        """Extrema of the energy of the nodes, from the quartics through five of them."""
        from_one_before = self._padded[:, _MARGIN - 1 : -_MARGIN]
        up = from_one_before[:, 1:] > from_one_before[:, :-1]
        row, node = np.divmod(np.flatnonzero(up[:, :-1] != up[:, 1:]), self.energy.shape[1])
        first, before, here, after, last = self._around(row, node, -2, 2)
        # Derivatives of orders 1 to 4, each by its factorial.
        odd, even = (after - before) / 2, (after + before) / 2 - here
        far_odd, far_even = (last - first) / 2, (last + first) / 2 - here
        rise, bend = (8 * odd - far_odd) / 6, (16 * even - far_even) / 12
        twist, quartic = (far_odd - 2 * odd) / 6, (far_even - 4 * even) / 12
        slope = np.stack([rise, 2 * bend, 3 * twist, 4 * quartic])
        offset = np.zeros(row.size)
        with np.errstate(divide="ignore", invalid="ignore"):
            for _ in range(_VERTEX_STEPS):
                value, change = cubic(slope, offset)
                offset = np.clip(offset - value / change, -1.0, 1.0)
        height = here + offset * (rise + offset * (bend + offset * (twist + offset * quartic)))
        return Extrema(row, node, offset, height, 2 * even)

    def cubics(self, local: Array, node: Array) -> tuple[Array, Array]:
        """Cubics in u ∈ [0, 1] that are nearly the log density and the cdf from each `node` to the next: 2 × (4, m)."""
        at = self._around(local, node, -1, 2)
        at -= self.log_scale.take(local)
        before, here, after, beyond = at
        bend, twist = (before + after) / 2 - here, (beyond - before + 3 * (here - after)) / 6
        log_density = np.stack([here, after - here - bend - twist, bend, twist])
        # The cdf has nearly the value and the slope of the true one at both ends.
        first, left, right, last = np.exp(at) * self.step
        start, gain = self.cdf_at_nodes(local, node), (13 * (left + right) - first - last) / 24
        return log_density, np.stack([start, left, 3 * gain - 2 * left - right, left + right - 2 * gain])


class Extrema(NamedTuple):
    """Extrema of the energies of a grid, flat, each beside the node that is above or below both its neighbours."""

    row: Array
    node: Array
    offset: Array  # from the node, in steps
    height: Array
    bend: Array  # the second difference of the nodes

    def between(self, level: Array, other: Array, margin: float) -> Array:
        """Which are between two levels (B,) of their row, or close to the other: within `margin` times their bend."""
        level, other = level[self.row], other[self.row]
        same_side = (self.height > level) == (self.height > other)
        return ~(same_side & (np.abs(self.height - other) > margin * np.abs(self.bend) + EXTREMUM_NATS))


def cubic(coefficients: Array, u: Array) -> tuple[Array, Array]:
    """Values and slopes of the cubics `coefficients` (4, n), from order 0 up, at u (n,)."""
    a, b, c, d = coefficients
    return a + u * (b + u * (c + u * d)), b + u * (2 * c + 3 * u * d)


class Grid(NodeGrid):
    """A few generalised von Mises densities, the rows of `eta` (B, K), on n nodes each."""

    def __init__(self, eta: Array, n: int) -> None:
        super().__init__(trigpoly.on_grid(eta, n))
        self._series = np.concatenate([-(self._top + self.log_scale)[None], eta.conj().T])  # of the log density
        # Terms of order d of its Taylor series are at most (K/n)^d in the cdf.
        self._terms = min(_EULER_TERMS, 4 + int(np.log(1e-14) / np.log(eta.shape[1] / n))) if eta.shape[1] else 4

    @property
    def reach(self) -> float:
        """Where the change of the log density, or the way times its order K, is less, `expanded` is exact."""
        return 1e-4

    def expanded(self, local: Array, s: Array) -> tuple[Array, Array]:
        """Cubics in u, the way in steps, that are the log density and the cdf of `local` (m,) about s (m,): 2 × (4, m).

        The cdf, up to a constant of each density, is the sum of the nodes before s and the Euler–Maclaurin formula at s

            F(s) = h Σ_{s − jh > 0} p(jh) + Σ_d (−h)^d B_{d+1}(θ)/(d + 1)! p^(d)(s) h,    θ = s/h − ⌊s/h⌋

        from the Taylor series of log p, with d = 0…17.
        """
        series = trigpoly.expansions(self._series, local, s, self._terms)
        series *= self.step ** np.arange(self._terms)[:, None]
        density = self._density(series)
        share = s / self.step
        node = np.floor(share)
        cdf = trigpoly.polynomial(_EULER @ density, share - node - 0.5)
        cdf += self._sum_before(local, node.astype(np.int64) + 1) / self.mass.take(local)
        return series[:4], np.stack([cdf, density[0], density[1] / 2, density[2] / 3])

    def cdf(self, local: Array, s: Array) -> Array:
        """The cdf of `local` (m,) at the points s (m,) in [0, 2π], up to a constant of each density.

        As in `expanded`, but from the Taylor series about the nearest node, which follow from the nodes around it. In
        less time than from η; only the way from that node uses them, so that they need not be right to rounding.
        """
        node = np.rint(s / self.step)
        start = local * self._padded.shape[1] + node.astype(np.int64)
        windows = np.lib.stride_tricks.sliding_window_view(self._padded.ravel(), 2 * _MARGIN + 1)[start]
        series = _TAYLOR @ windows.T
        series[0] -= self.log_scale.take(local)
        density = self._density(series)
        cdf = _EULER_AT_NODE @ density + self._sum_before(local, node.astype(np.int64)) / self.mass.take(local)
        way = s / self.step - node
        density /= np.arange(1, _EULER_TERMS + 1)[:, None]
        return np.asarray(cdf + way * trigpoly.polynomial(density, way))

    def _density(self, series: Array) -> Array:
        """Taylor coefficients of the density, times the step, from those of its logarithm (terms, m), all in steps."""
        # Of p = e^Σ a_d u^d they are c_d = Σ_j (j/d) a_j c_{d−j}.
        scaled = series * np.arange(len(series))[:, None]
        density = np.empty((_EULER_TERMS, series.shape[1]))
        density[0] = np.exp(series[0]) * self.step
        for d in range(1, _EULER_TERMS):
            k = min(d, len(series) - 1)
            np.einsum("ij,ij->j", scaled[1 : k + 1], density[d - k : d][::-1], out=density[d])
            density[d] /= d
        return density

    @cached_property
    def _blocks(self) -> Array:
        """Sums of the weights before each block of `_BLOCK` nodes, (B, n/_BLOCK)."""
        sums = (self.weight.reshape(-1, _BLOCK) @ np.ones(_BLOCK)).reshape(len(self.weight), -1)
        return np.asarray(np.cumsum(sums, axis=1) - sums)

    def _sum_before(self, local: Array, node: Array) -> Array:
        """Sums of the weights before the nodes (m,), counted from the angle 0; once more that of all with each turn."""
        n = self.energy.shape[1]
        turns, node = np.divmod(node, n)
        block = (local * n + node) // _BLOCK
        within = np.einsum("ij,ij->i", self.weight.reshape(-1, _BLOCK)[block], _BEFORE[node % _BLOCK])
        return turns * self.mass.take(local) + self._blocks.take(block) + within

    def cdf_at_nodes(self, local: Array, node: Array) -> Array:
        """Nearly the cdf at nodes, up to a constant of each density: the first terms of the formula in `expanded`."""
        beside = np.exp(self._around(local, node, -1, 1))
        part = self._sum_before(local, node) + beside[1] / 2 - (beside[2] - beside[0]) / 24
        return part / self.mass.take(local)


def _euler_maclaurin(terms: int) -> Array:
    """Coefficients in x = θ − ½, from order 0 up, of (−1)^d B_{d+1}(θ)/(d + 1), d < `terms`: (terms + 1, terms)."""
    polynomials = np.zeros((terms + 1, terms))
    previous = np.array([1.0])  # B_0; B_n' = n B_{n−1}, and the mean of B_n over [0, 1] is 0
    for d in range(terms):
        previous = (d + 1) * np.polynomial.polynomial.polyint(previous)
        even = np.arange(0, previous.size, 2)
        previous[0] -= (previous[even] * 0.5**even / (even + 1)).sum()
        polynomials[: d + 2, d] = (-1) ** d * previous / (d + 1)
    return polynomials


def _taylor_from_nodes(margin: int) -> Array:
    """Taylor coefficients about 0, from order 0 up, of the polynomial with given values at −`margin`…`margin`."""
    nodes = np.arange(-margin, margin + 1.0)
    columns = []
    for i, node in enumerate(nodes):
        others = np.delete(nodes, i)
        columns.append(np.poly(others)[::-1] / np.prod(node - others))
    return np.stack(columns, axis=1)


_TAYLOR = _taylor_from_nodes(_MARGIN)
_EULER = _euler_maclaurin(_EULER_TERMS)
_EULER_AT_NODE = 0.5 ** np.arange(_EULER_TERMS + 1) @ _EULER


def grids(eta: Array, chosen: list[tuple[Array, int]]) -> Iterator[tuple[Array, Grid]]:
    """The grid of each group of rows."""
    for rows, n in chosen:
        yield rows, Grid(eta[rows], n)
