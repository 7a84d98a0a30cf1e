"""Modes, credible arcs and integrals of mixtures of densities exp E(s) on the circle, from a grid of nodes.

log p(s) = log Σ_c exp(a_c + E_c(s)), E_c a trigonometric polynomial. A peak of E_c has a standard deviation of at least
1/√S_c, S_c = Σ_k k²κ_k; with several nodes in each of the narrowest, sums over the nodes are integrals to rounding, and
between nodes everything is evaluated exactly.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from tsa._base import Array, InputError
from tsa.density.numerics._quadrature import groups
from tsa.density.numerics._roots import bracketed_newton
from tsa.density.numerics.circle._credible import assembled_arcs
from tsa.density.numerics.circle._grid import NodeGrid
from tsa.density.numerics.circle._grid_edges import Edges, edges_on_grid
from tsa.density.numerics.circle._modes import mode_rectangles
from tsa.density.numerics.trigpoly import on_grid, wrap

_NODES_PER_DEVIATION = 3  # of the sharpest peak, where levels and extrema are looked for
_INTEGRAL_NODES_PER_DEVIATION = 1.2  # the integral of a normal density is then right to 1e-12
_MIN_NODES, _MIN_INTEGRAL_NODES = 384, 64
_MAX_NODES = 2**20
_COARSE_NODES = 256  # for a first look at which components matter
_NEGLIGIBLE_NATS = 25.0  # a component whose share is smaller than e^-25 changes nothing that is computed here
_SUMMED_NATS = 200.0  # below the maximum, where a sum of components is not told from the largest of them
_BETWEEN_NODES_NATS = 0.1  # a maximum is at most this much higher than the highest node beside it
_KEPT_NODES = 2**21  # of all rows, for which grids are kept: 48 MB
_CHUNK_INTEGRAL_VALUES = 2**16  # of components that are only integrated: they stay in cache
_CHUNK_VALUES = 2**19  # values of components held at once
_CHUNK_TERMS = 2**20  # terms of series evaluated at once
_SEARCHES = 2  # for the level of a set, on each grid
_POINTS_AT_ONCE = 6  # of each mixture: few have more edges, and most have two
_ABSCISSAE, _NODE_WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(3))  # right to 1e-11 on half a step


def circle_log_integrals(eta: Array, level: Array) -> Array:
    """log ∫ exp E_c(s) ds of the components `eta` (B, C, K), each on as many nodes as its sharpest peak needs: (B, C).

    −∞ for components that cannot reach a share of e^-40 beside the others with these levels (B, C).
    """
    rows, count, order = eta.shape
    flat = eta.reshape(-1, order)
    sharpness = np.sqrt((np.abs(flat) * np.arange(1, order + 1) ** 2).sum(axis=1))
    own_order = order - np.argmax(flat[:, ::-1] != 0, axis=1)  # many components have a few low harmonics only
    least = np.maximum(_MIN_INTEGRAL_NODES, 2 * own_order + 2)
    needed = _fast_length(np.maximum(_INTEGRAL_NODES_PER_DEVIATION * 2 * np.pi * sharpness, least))
    _check_nodes(needed, sharpness)
    log_z = np.full(rows * count, -np.inf)
    coarse = np.minimum(needed, np.maximum(_COARSE_NODES, _fast_length(least)))
    highest = np.empty(rows * count)
    for members, n in groups(coarse, _CHUNK_INTEGRAL_VALUES):
        values = on_grid(flat[members, : (n - 1) // 2], n)
        highest[members] = values.max(axis=1)
        fine = members[needed[members] == n]
        if fine.size:
            log_z[fine] = _log_sum(values[needed[members] == n])
    # Between coarse nodes E rises by at most its curvature times the square of the step over 8.
    peak = (highest + level.ravel()).reshape(rows, count)
    slack = (sharpness**2 * (2 * np.pi / coarse) ** 2 / 8).reshape(rows, count)
    hopeless = peak + slack < (peak - np.log1p(sharpness.reshape(rows, count))).max(axis=1, keepdims=True) - 40.0
    wanted = np.flatnonzero((needed > coarse) & ~hopeless.ravel())
    for members, n in groups(needed[wanted], _CHUNK_INTEGRAL_VALUES):
        log_z[wanted[members]] = _log_sum(on_grid(flat[wanted[members], : (n - 1) // 2], n))
    return log_z.reshape(rows, count)


def _log_sum(values: Array) -> Array:
    top = values.max(axis=1)
    values -= top[:, None]
    np.maximum(values, -100.0, out=values)  # below, a node adds nothing, and subnormal numbers are slow
    return np.asarray(top + np.log(np.exp(values, out=values).sum(axis=1) * (2 * np.pi / values.shape[1])))


def _fast_length(needed: Array) -> Array:
    """The next 2^k or 3·2^k: FFTs are fast, and rows share few lengths."""
    power = 2 ** np.ceil(np.log2(needed)).astype(np.int64)
    return np.where(needed <= 3 * (power // 4), 3 * (power // 4), power)


def _check_nodes(nodes: Array, sharpness: Array) -> None:
    if nodes.max(initial=0) > _MAX_NODES:
        raise InputError(
            f"A component of this mixture has a peak of {1 / sharpness.max():.1e} radians; mixtures are tabulated "
            f"down to {_NODES_PER_DEVIATION * 2 * np.pi / _MAX_NODES:.1e}. Raise the noise σ."
        )


class CircleMixture:
    """Mixtures in rows: `eta` (B, C, K) of the components, `offset` a (B, C); their sums integrate to 1."""

    def __init__(self, eta: Array, offset: Array, share: Array) -> None:
        top = share.max(axis=1, keepdims=True, initial=-np.inf)
        self.row, component = np.nonzero(share > top - _NEGLIGIBLE_NATS)
        self.eta, self.offset = eta[self.row, component], offset[self.row, component]
        self.rows, self.order = len(eta), eta.shape[2]
        sharpness = np.sqrt((np.abs(self.eta) * np.arange(1, self.order + 1) ** 2).sum(axis=1))
        widest = np.zeros(self.rows)
        np.maximum.at(widest, self.row, sharpness)
        needed = np.maximum(_NODES_PER_DEVIATION * 2 * np.pi * widest, max(_MIN_NODES, 2 * self.order + 2))
        self.nodes = _fast_length(needed)
        _check_nodes(self.nodes, widest)

    def grids(self, nodes: Array, rows: Array) -> Iterator[tuple[Array, "MixtureGrid"]]:
        """Grids of the given rows (r,) with these numbers of nodes (r,): some rows and their grid at a time."""
        first = np.searchsorted(self.row, np.arange(self.rows + 1))
        most = int(np.diff(first).max(initial=1))
        for members, n in groups(nodes, max(1, _CHUNK_VALUES // most)):
            chosen = rows[members]
            own = np.concatenate([np.arange(first[r], first[r + 1]) for r in chosen])
            local = np.repeat(np.arange(len(chosen)), first[chosen + 1] - first[chosen])
            yield chosen, MixtureGrid(self.eta[own], self.offset[own], local, len(chosen), n)

    def modes(self) -> tuple[Array, Array]:
        """Angles and masses of all maxima, in no order within a row: (B, most), see `mode_rectangles`."""
        found = [(rows[row], angle, mass) for rows, grid in self._all() for row, angle, mass in [grid.modes()]]
        row, angle, mass = (np.concatenate(part) for part in zip(*found, strict=True))
        order = np.argsort(row, kind="stable")
        return mode_rectangles(row[order], wrap(angle)[order], mass[order], self.rows)

    def mode(self) -> Array:
        """The angle of the highest point of each row, (B,)."""
        angle = np.empty(self.rows)
        for rows, grid in self._all():
            angle[rows] = grid.mode()
        return wrap(angle)

    def _all(self) -> Iterable[tuple[Array, "MixtureGrid"]]:
        """All rows; a few are kept, because modes and sets are often asked for one after the other."""
        if self.nodes.sum() > _KEPT_NODES:
            return self.grids(self.nodes, np.arange(self.rows))
        return self._kept

    @cached_property
    def _kept(self) -> list[tuple[Array, "MixtureGrid"]]:
        return list(self.grids(self.nodes, np.arange(self.rows)))

    def credible_arcs(self, p: float) -> Array:
        """Arcs (start, stop) of the highest-density set of mass p, by start: (B, a, 2)."""
        parts: list[Edges] = []
        rows, nodes = np.arange(self.rows), self.nodes
        for finer in (1, 4, 16):
            left = []
            last = finer == 16
            finest = np.minimum(finer * nodes, _MAX_NODES)
            for chosen, grid in self._all() if finer == 1 else self.grids(finest, rows):
                (row, side, angle, distance), solved = edges_on_grid(grid, self.order, p, _SEARCHES)
                parts.append((chosen[row], side, angle, distance))
                left.append(chosen[~solved])
                if last and not solved.all():
                    row, side, angle, distance = _edges_by_sorting(grid, p, ~solved)
                    parts.append((chosen[row], side, angle, distance))
            rows = np.sort(np.concatenate(left))
            nodes = self.nodes[rows]
            if not rows.size:
                break
        return assembled_arcs(parts, self.rows)

    def entropy(self) -> tuple[Array, Array]:
        """−∫p log p (B,), and the change when every other node is left out (B,), which bounds its error in practice."""
        value, change = np.empty((2, self.rows))
        for rows, grid in self._all():
            log_p = grid.energy - grid.log_scale[:, None]
            term = -np.exp(log_p) * log_p * grid.step
            value[rows], change[rows] = term.sum(axis=1), np.abs(term.sum(axis=1) - 2 * term[:, ::2].sum(axis=1))
        return value, change


class MixtureGrid(NodeGrid):
    """A few mixtures on n nodes: the components `eta` (A, K), `offset` (A,) belong to the mixtures `local` (A,)."""

    def __init__(self, eta: Array, offset: Array, local: Array, rows: int, n: int) -> None:
        self._eta, self._offset = eta, offset
        self._first = np.searchsorted(local, np.arange(rows))
        self._count = np.diff(np.append(self._first, len(local)))
        energy = on_grid(eta, n)
        energy += offset[:, None]
        super().__init__(energy if len(local) == rows else self._summed(energy))

    def _summed(self, energy: Array) -> Array:
        """log Σ_c exp of the components' energies (A, n) of each mixture: (B, n).

        Where a mixture is below e^-200 of its maximum, the largest component stands for the sum.
        """
        found = np.empty((len(self._first), energy.shape[1]))
        for row, start, count in zip(found, self._first, self._count, strict=True):
            parts = energy[start : start + count]
            np.max(parts, axis=0, out=row)
            near: Any = row > row.max() - _SUMMED_NATS
            near = slice(None) if near.mean() > 0.5 else np.flatnonzero(near)  # a view, not a copy
            share = parts[:, near]
            share -= row[near]
            np.maximum(share, -100.0, out=share)  # below, a term adds nothing, and subnormal numbers are slow
            row[near] += np.log(np.exp(share, out=share).sum(axis=0))
        return found

    @cached_property
    def _tables(self) -> list[tuple[Array, Array]]:
        """Components of each mixture, (B, C, 2K'), and their offsets, (B, C), −∞ where a mixture has fewer.

        Rows are the real and imaginary parts of η in turn, so that times those of z they are Re conj(η)·z. The first
        table is of the components with a few low harmonics only, often most of them; the second of the others.
        """
        few = max(1, self._eta.shape[1] // 4)
        long = (self._eta[:, few:] != 0).any(axis=1)
        mixture = np.repeat(np.arange(len(self._first)), self._count)
        return [self._table(mixture[some], some, cut) for some, cut in ((~long, few), (long, None)) if some.any()]

    def _table(self, mixture: Array, components: Array, cut: int | None) -> tuple[Array, Array]:
        count = np.bincount(mixture, minlength=len(self._first))
        place = np.arange(len(mixture)) - np.repeat(np.cumsum(count) - count, count)
        eta = np.ascontiguousarray(self._eta[components, :cut]).view(np.float64)
        table = np.zeros((len(count), count.max(), eta.shape[1]))
        table[mixture, place] = eta
        offset = np.full(table.shape[:2], -np.inf)
        offset[mixture, place] = self._offset[components]
        return table, offset

    def _terms(self, local: Array, s: Array, derivatives: int = 2) -> Array:
        """The log density of each mixture at a point of its own, and up to two derivatives: (1 + derivatives, m)."""
        found = np.empty((derivatives + 1, len(s)))
        if not len(s):
            return found
        tables = self._tables
        offset = np.concatenate([offset for _, offset in tables], axis=1)
        count = np.bincount(local, minlength=len(offset))
        by_row = np.argsort(local, kind="stable")
        place = np.empty(len(s), np.int64)  # of each point among those of its mixture
        place[by_row] = np.arange(len(s)) - np.repeat(np.cumsum(count) - count, count)
        slope_of_power = 1j * np.arange(1, self._eta.shape[1] + 1)
        at_once = min(_POINTS_AT_ONCE, max(1, _CHUNK_TERMS // max(table.size for table, _ in tables)))
        for begin in range(0, int(count.max()), at_once):
            part = np.flatnonzero((begin <= place) & (place < begin + at_once))
            rows = np.flatnonzero(count > begin)
            some = slice(None) if len(rows) == len(offset) else rows
            where = np.searchsorted(rows, local[part]), place[part] - begin
            angle = np.zeros((len(rows), min(at_once, int(count.max()) - begin)))
            angle[where] = s[part]
            # e^{iks} and its derivatives, (rows, derivatives + 1, points, K).
            powers = np.empty((len(rows), derivatives + 1, angle.shape[1], len(slope_of_power)), complex)
            powers[:, 0] = np.exp(1j * angle)[..., None]
            np.cumprod(powers[:, 0], axis=-1, out=powers[:, 0])
            for order in range(derivatives):
                np.multiply(powers[:, order], slope_of_power, out=powers[:, order + 1])
            waves = powers.view(np.float64).reshape(len(rows), -1, 2 * len(slope_of_power)).transpose(0, 2, 1)
            # (rows, C, (derivatives + 1)·points)
            values = np.concatenate([table[some] @ waves[:, : table.shape[2]] for table, _ in tables], axis=1)
            height, *slopes = np.split(values, derivatives + 1, axis=2)
            height += offset[some][:, :, None]
            top = height.max(axis=1)
            height -= top[:, None]
            share = np.exp(height, out=height)
            total = share.sum(axis=1)
            found[0, part] = (top + np.log(total))[where]
            if derivatives:
                rise = (share * slopes[0]).sum(axis=1) / total
                found[1, part] = rise[where]
            if derivatives == 2:
                bend = (share * (slopes[1] + slopes[0] ** 2)).sum(axis=1) / total - rise**2
                found[2, part] = bend[where]
        return found

    def at(self, local: Array, s: Array) -> tuple[Array, Array, Array]:
        """The log density, its slope and the cdf at points `s` near [0, 2π] (m,) of the mixtures `local` (m,)."""
        node = np.rint(s / self.step)
        way = s - node * self.step
        inner = s - (0.5 - _ABSCISSAE[:, None]) * way
        density = np.exp(self._terms(np.tile(local, len(inner)), inner.ravel(), 0)[0]).reshape(inner.shape)
        value, slope = self._terms(local, s, 1)
        return value, slope, self.cdf_at_nodes(local, node.astype(np.int64)) + way * (_NODE_WEIGHTS @ density)

    @property
    def reach(self) -> float:
        """Where the change of the log density, or the way times its order K, is less, `expanded` is exact."""
        return 1e-7

    def expanded(self, local: Array, s: Array) -> tuple[Array, Array]:
        """Polynomials in u, the way in steps, that are the log density and the cdf about s (m,): 2 × (4, m)."""
        value, slope, cdf = self.at(local, s)
        slope, density, nothing = slope * self.step, np.exp(value) * self.step, np.zeros(s.size)
        return np.stack([value, slope, nothing, nothing]), np.stack([cdf, density, density * slope / 2, nothing])

    def mode(self) -> Array:
        """The highest point of each mixture; of maxima that differ by less than the nodes can tell, the higher one."""
        up = np.roll(self.energy, -1, axis=1) > self.energy
        row, top = np.nonzero(np.roll(up, 1, axis=1) & ~up & (self.energy > -_BETWEEN_NODES_NATS))
        result = np.zeros(len(self.energy))
        angle = self._extrema(row, top, -1.0)
        if len(row) > len(np.unique(row)):
            order = np.argsort(self._terms(row, angle, 0)[0], kind="stable")
            row, angle = row[order], angle[order]
        result[row] = angle
        return result

    def modes(self) -> tuple[Array, Array, Array]:
        """Rows, angles and masses of all maxima that the nodes show."""
        up = np.roll(self.energy, -1, axis=1) > self.energy
        top_row, top = np.nonzero(np.roll(up, 1, axis=1) & ~up)
        low_row, low = np.nonzero(~np.roll(up, 1, axis=1) & up)
        if not top.size:
            return np.empty(0, int), np.empty(0), np.empty(0)
        angle = self._extrema(top_row, top, -1.0)
        valley = self._extrema(low_row, low, 1.0)
        upto = self.at(low_row, wrap(valley))[2] + np.floor(valley / (2 * np.pi))
        # In a row as many valleys as maxima, in turn; the first maximum may come before the first valley.
        firsts = np.searchsorted(low_row, np.arange(len(self.energy) + 1))
        begins, count = firsts[:-1][top_row], np.diff(firsts)[top_row]
        place = np.arange(len(top)) - np.searchsorted(top_row, top_row)
        starts_high = (low[begins] > top[np.searchsorted(top_row, top_row)]).astype(int)
        before = begins + (place - starts_high) % count
        after = begins + (place - starts_high + 1) % count
        mass = np.clip(upto[after] - upto[before] + (after <= before), 0.0, 1.0)
        return top_row, angle, mass

    def _extrema(self, row: Array, node: Array, sign: float) -> Array:
        """The extremum beside each node: where sign times the slope rises through 0."""
        n = self.energy.shape[1]
        before, here, after = (self.energy[row, (node + i) % n] for i in (-1, 0, 1))
        bend = before + after - 2 * here
        with np.errstate(divide="ignore", invalid="ignore"):
            vertex = np.nan_to_num((before - after) / (2 * bend), nan=0.0)  # of the parabola through the three
        middle = node * self.step

        def function(s: Array, which: Array) -> tuple[Array, Array]:
            _, slope, bend = self._terms(row[which], s)
            return sign * slope, sign * bend

        start = middle + np.clip(vertex, -1.0, 1.0) * self.step
        return bracketed_newton(function, middle - self.step, middle + self.step, start)


def _edges_by_sorting(grid: MixtureGrid, p: float, wanted: Array) -> Edges:
    """Edges from the sorted weights of the nodes, for the rows in `wanted` (rows,): exact to a fraction of a node."""
    rows = np.flatnonzero(wanted)
    descending = -np.sort(-grid.weight[rows], axis=1)
    rank = (np.cumsum(descending, axis=1) < p * grid.mass[rows, None]).sum(axis=1)
    level = np.log(descending[np.arange(len(rows)), np.minimum(rank, descending.shape[1] - 1)])
    energy = np.concatenate([grid.energy[rows], grid.energy[rows, :1]], axis=1)
    inside = energy >= level[:, None]
    row, node = np.nonzero(inside[:, :-1] != inside[:, 1:])
    left, right = energy[row, node], energy[row, node + 1]
    s = (node + (level[row] - left) / (right - left)) * grid.step
    return rows[row], np.where(inside[row, node], 1.0, -1.0), wrap(s), np.zeros(len(row))
