"""Distribution function and quantiles of exp E(s), to rounding, for a batch of polynomials at once.

At the certified nodes the cumulative is the spectral antiderivative (one more FFT). Between nodes it is
completed by Gauss–Legendre on the short way to the nearest node, where the integrand is nearly Gaussian and
eight points are exact. Inversion is a bracketed Newton; sampling is quantile(uniform), no Markov chain.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import fft

from tsa._base import Array
from tsa.density.numerics._quadrature import certified_nodes, groups
from tsa.density.numerics._roots import bracketed_newton
from tsa.density.numerics.trigpoly import evaluate, on_grid

_ABSCISSAE, _WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(8))
_CHUNK_POINTS = 2**16  # points evaluated at once
_MAX_KEPT_NODES = 2**23  # tables with more nodes than this are computed anew for each call


class Cumulative:
    """The distribution functions of the densities in the rows of `eta` (B, K).

    Points come flat, each with the row it belongs to. Tables are kept between calls unless they are huge.
    """

    def __init__(self, eta: Array) -> None:
        self._eta = eta
        # n nodes suffice for Z, but a series from n nodes ends at order n/2, so twice as many are taken.
        nodes = 2 * certified_nodes(np.abs(eta))
        self._groups = list(groups(nodes))
        self._group_of, self._place = np.empty((2, len(eta)), np.int64)
        for g, (rows, _) in enumerate(self._groups):
            self._group_of[rows], self._place[rows] = g, np.arange(rows.size)
        self._keep = nodes.sum() <= _MAX_KEPT_NODES
        self._kept: dict[int, _Table] = {}

    def cdf(self, row: Array, s: Array) -> Array:
        """F(s) = ∫_0^s p for points `s` (n,); F(s + 2π) = F(s) + 1."""
        result = np.empty(s.shape)
        for table, which in self._tables(row):
            result[which] = table.cdf(self._place[row[which]], s[which])
        return result

    def density(self, row: Array, s: Array) -> Array:
        """p(s) for points `s` (n,)."""
        result = np.empty(s.shape)
        for table, which in self._tables(row):
            result[which] = table.density(self._place[row[which]], s[which])
        return result

    def quantile(self, row: Array, p: Array) -> Array:
        """The s in [0, 2π] with F(s) = p, for p in [0, 1] (n,)."""
        result = np.empty(p.shape)
        for table, which in self._tables(row):
            result[which] = table.quantile(self._place[row[which]], p[which])
        return result

    def _tables(self, row: Array) -> Iterator[tuple["_Table", Array]]:
        """Each table that is needed, with the indices of the points it evaluates."""
        group = self._group_of[row]
        order = np.argsort(group, kind="stable")
        for g in np.unique(group):
            which = order[np.searchsorted(group[order], g) : np.searchsorted(group[order], g, "right")]
            table = self._kept.get(g)
            if table is None:
                rows, n = self._groups[g]
                table = _table(self._eta[rows], n)
                if self._keep:
                    self._kept[g] = table
            for start in range(0, which.size, _CHUNK_POINTS):
                yield table, which[start : start + _CHUNK_POINTS]


@dataclass(frozen=True, eq=False)
class _Table:
    """Cumulative at the nodes of a few densities that share a node count."""

    eta: Array  # (r, K)
    log_scale: Array  # (r,): log Z
    cumulative: Array  # (r, n + 1), from 0 to 1

    @property
    def step(self) -> float:
        return 2 * np.pi / (self.cumulative.shape[1] - 1)

    def density(self, local: Array, s: Array) -> Array:
        # One density for all points needs no copy of its coefficients per point.
        pick = 0 if len(self.eta) == 1 else local
        return np.exp(evaluate(self.eta[pick], s) - self.log_scale[pick])

    def cdf(self, local: Array, s: Array) -> Array:
        turns = np.floor(s / (2 * np.pi))
        s = s - 2 * np.pi * turns
        node = np.rint(s / self.step)
        start = node * self.step
        way = s - start
        total = self.cumulative[local, node.astype(np.int64)] + turns
        for x, w in zip(_ABSCISSAE + 0.5, _WEIGHTS, strict=True):
            total += w * way * self.density(local, start + x * way)
        return total

    def quantile(self, local: Array, p: Array) -> Array:
        n = self.cumulative.shape[1] - 1
        below, above = np.zeros(p.size, np.int64), np.full(p.size, n)
        while np.any(above - below > 1):
            middle = (below + above) // 2
            left = self.cumulative[local, middle] <= p
            below, above = np.where(left, middle, below), np.where(left, above, middle)
        low, high = self.cumulative[local, below], self.cumulative[local, above]
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(high > low, (p - low) / (high - low), 0.5)

        def excess(s: Array, which: Array) -> tuple[Array, Array]:
            mine = local[which]
            return self.cdf(mine, s) - p[which], self.density(mine, s)

        lo, hi = below * self.step, above * self.step
        s = bracketed_newton(excess, lo, hi, start=lo + part * self.step)
        return np.where(p <= 0, 0.0, np.where(p >= 1, 2 * np.pi, s))


def _table(eta: Array, n: int) -> _Table:
    energy = on_grid(eta, n)
    top = energy.max(axis=-1)
    spectrum = fft.rfft(np.exp(energy - top[:, None]), axis=-1)
    mass = spectrum[:, 0].real
    orders = np.arange(spectrum.shape[-1])
    antiderivative = np.zeros_like(spectrum)
    # The last coefficient is below tolerance, and has no phase when n is even.
    antiderivative[:, 1:-1] = spectrum[:, 1:-1] / (1j * orders[1:-1] * mass[:, None])
    ripple = fft.irfft(antiderivative, n, axis=-1, norm="forward")
    cumulative = np.empty((len(eta), n + 1))
    cumulative[:, :-1] = np.arange(n) / n + (ripple - ripple[:, :1]) / (2 * np.pi)
    cumulative[:, -1] = 1.0
    np.maximum.accumulate(cumulative, axis=-1, out=cumulative)
    return _Table(eta, top + np.log(mass * (2 * np.pi / n)), np.minimum(cumulative, 1.0))
