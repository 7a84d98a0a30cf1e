"""Boxes on the torus, and what the derivatives of polynomials at their centres say about them."""

from dataclasses import dataclass
from functools import cached_property
from math import factorial, pi, prod

import numpy as np
from scipy.special import erf

from tsa._base import Array
from tsa.density.numerics.tiles._nodes import Nodes
from tsa.density.numerics.tiles._polynomials import EPS, Polynomials

_CHUNK_CENTRES = 2**12


@dataclass(frozen=True, eq=False)
class Tiles:
    """Tiles of many rows, flat: centre 2πu/turn and half-widths 2π/turn on each axis, offsets from the row's peak."""

    row: Array
    u: Array
    turn: Array

    def __len__(self) -> int:
        return len(self.row)

    def __getitem__(self, which: Array | slice) -> "Tiles":
        return Tiles(self.row[which], self.u[which], self.turn[which])

    @cached_property
    def half(self) -> Array:
        """Half-widths, (T, p)."""
        return 2 * pi / self.turn

    @cached_property
    def centre(self) -> Array:
        """Centres, (T, p)."""
        return 2 * pi * self.u / self.turn

    @cached_property
    def log_volume(self) -> Array:
        """log of the volume of each tile, (T,)."""
        return np.log(2 * self.half).sum(axis=-1)

    def joined(self, other: "Tiles") -> "Tiles":
        """These tiles and the others."""
        pairs = ((self.row, other.row), (self.u, other.u), (self.turn, other.turn))
        return Tiles(*(np.concatenate(pair) for pair in pairs))

    def sorted(self) -> tuple["Tiles", Array]:
        """The tiles in the order that `Nodes` asks for, and their old places."""
        keys = [column for axis in range(self.u.shape[1]) for column in (self.turn[:, axis], self.u[:, axis])]
        order = np.lexsort((*reversed(keys), self.row))
        return self[order], order


class TileBounds:
    """Bounds of polynomials on tiles from the derivatives at the centre and the suprema of the third derivatives.

    Derivatives `d` are (orders up to 2, T), in the order of `Polynomials.orders`; the first is g = f − f(peak).
    """

    def __init__(self, polynomials: Polynomials) -> None:
        self._of, axes = polynomials, polynomials.axes
        unit = np.eye(axes, dtype=int)
        place = {order: i for i, order in enumerate(polynomials.orders)}
        self.first = [place[tuple(a.tolist())] for a in unit]
        self.second = [[place[tuple((a + b).tolist())] for b in unit] for a in unit]
        self._third = [[[place[tuple((a + b + c).tolist())] for c in unit] for b in unit] for a in unit]
        self.bend = polynomials.suprema[[self.second[a][a] for a in range(axes)]].T  # (B, p): sup|f_aa|

    def log_negligible(self, tolerance: float) -> Array:
        """log of a mass that does not matter, for a relative error of `tolerance` or of what rounding takes: (B,)."""
        p = self._of
        # Digits that rounding takes anyway are not worth a node.
        typical = EPS + (p.rounding_per_radian / np.sqrt(np.maximum(self.bend, 1.0))).sum(axis=-1)
        return np.asarray(self._log_least_mass() + np.log(np.maximum(tolerance, typical / 16) / 256))

    def _log_least_mass(self) -> Array:
        """log of a lower bound of ∫ e^g from the suprema of the second derivatives, (B,)."""
        own = np.maximum(self.bend, 1e-100)
        total = own.copy()
        for a in range(own.shape[1]):
            for b in range(own.shape[1]):
                if a != b:
                    total[:, a] += self._of.suprema[self.second[a][b]] * np.sqrt(own[:, a] / own[:, b])
        return np.asarray((0.5 * np.log(2 * pi / total) + np.log(erf(pi * np.sqrt(total / 2)))).sum(axis=-1))

    def on_coarse_cells(self) -> Array:
        """A bound of g on each cell of the coarse grid from its gradient and the suprema of the Hessian: (B, cells)."""
        p, h = self._of, pi / np.array(self._of.coarse)
        rise = p.rounding.copy()
        for a in range(p.axes):
            for b in range(p.axes):
                rise += 0.5 * h[a] * h[b] * p.suprema[self.second[a][b]]
        bound = p.on_coarse[0] + rise[:, None]
        for a in range(p.axes):
            bound += h[a] * np.abs(p.on_coarse[self.first[a]])
        return bound

    def coarse_tiles(self, which: Array) -> tuple[Tiles, Array]:
        """The cells of the coarse grid marked in `which` (B, cells) as tiles, and the derivatives at their centres."""
        coarse = np.array(self._of.coarse)
        row, cell = np.nonzero(which)
        place = np.stack(np.unravel_index(cell, self._of.coarse), axis=-1)
        u = 2 * np.where(2 * place >= coarse, place - coarse, place)  # on the near side of the peak
        d = np.stack([grid[row, cell] for grid in self._of.on_coarse])
        return Tiles(row, u, np.tile(2 * coarse, (len(row), 1))), d

    def at_centres(self, tiles: Tiles) -> Array:
        """The derivatives at the centres of sorted tiles, (orders, T)."""
        parts = [
            Nodes(self._of, part.row, part.u, part.turn, [np.zeros(1)] * self._of.axes).derivatives()
            for part in chunks(tiles, _CHUNK_CENTRES)
        ]
        return np.concatenate(parts, axis=1) if parts else np.empty((len(self._of.on_coarse), 0))

    def upper(self, tiles: Tiles, d: Array) -> Array:
        """A bound of g on each tile from the derivatives d (orders, T) at its centre."""
        p, half = self._of, tiles.half
        bound = d[0].copy()
        for place, order in enumerate(p.orders):
            if sum(order) == 3:
                share = 1 / prod(factorial(power) for power in order)
                factors = half.T[np.repeat(np.arange(p.axes), order)]  # h^α
                bound += share * p.suprema[place, tiles.row] * factors.prod(axis=0)
        for a in range(p.axes):
            h, slope, bend = half[:, a], np.abs(d[self.first[a]]), d[self.second[a][a]].copy()
            for b in range(p.axes):
                if a != b:
                    bend += np.abs(d[self.second[a][b]]) * (half[:, b] / h)
            inside = -bend * h > slope
            bound += np.where(inside, slope**2 / np.where(inside, -2 * bend, 1), slope * h + bend * h**2 / 2)
        return bound

    def scaled_derivatives(self, tiles: Tiles, d: Array) -> tuple[Array, Array, Array]:
        """Gradient (T, p) and Hessian (T, p, p) at the centres, and a bound of the Hessian's change within each tile.

        In units of the half-widths: a step of 1 leads from the centre to the edge.
        """
        axes, half = range(self._of.axes), tiles.half
        gradient = np.stack([d[self.first[a]] * half[:, a] for a in axes], axis=-1)
        hessian, change = np.empty((2, len(tiles), self._of.axes, self._of.axes))
        for a in axes:
            for b in axes:
                area = half[:, a] * half[:, b]
                hessian[:, a, b] = d[self.second[a][b]] * area
                change[:, a, b] = area * sum(
                    self._of.suprema[self._third[a][b][c], tiles.row] * half[:, c] for c in axes
                )
        return gradient, hessian, change

    def spread(self, tiles: Tiles) -> Array:
        """Half-widths in standard deviations of the sharpest possible peak, (T, p); 0 on constant axes."""
        return np.asarray(tiles.half * np.sqrt(self.bend[tiles.row]) * (self._of.reach > 0))

    def cut(self, tiles: Tiles) -> Tiles:
        """Tiles halved along the axes on which f bends most."""
        spread = self.spread(tiles)
        return cut(tiles, (spread >= spread.max(axis=-1, keepdims=True, initial=0.0) / 2).astype(np.int64))


def cut(tiles: Tiles, times: Array) -> Tiles:
    """Each tile halved so many `times` (T, p) along each axis: u becomes 2u ± 1 each time."""
    pieces = 1 << times
    count = pieces.prod(axis=1)
    which = np.repeat(np.arange(len(tiles)), count)
    place = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    pieces = pieces[which]
    u, turn = tiles.u[which] * pieces + 1 - pieces, tiles.turn[which] * pieces
    for axis in range(u.shape[1]):
        u[:, axis] += 2 * (place % pieces[:, axis])
        place //= pieces[:, axis]
    return Tiles(tiles.row[which], u, turn)


def chunks(tiles: Tiles, most: int) -> list[Tiles]:
    """The tiles in runs of at most `most`."""
    return [tiles[start : start + most] for start in range(0, len(tiles), most)]
