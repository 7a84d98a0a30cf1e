"""Integer changes of coordinates on the torus that make a density cheap to integrate.

With t = W s, W an integer matrix, k·s = m·t for k = Wᵀm, and ∫ ds = ∫ dt over the whole torus. The first rows of W are
a basis of the lattice that the frequencies generate: a lattice of equal peaks becomes one peak, and along the remaining
axes (if the frequencies do not span the space, as for a ridge) the density is constant. Among the bases, Gauss's
lattice reduction of the form Σ κ mmᵀ chooses one in which a slanted peak lies along the axes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tsa._base import Array
from tsa.density.numerics.tiles._lattice import completed, lattice_basis, representatives

_EPS = float(np.finfo(np.float64).eps)
_MAX_GROWTH = (
    8  # of the number of frequencies up to the highest on each axis: beyond it a table of them is mostly zeros
)


@dataclass(frozen=True, eq=False)
class Coordinates:
    """The map t = W s for an integer matrix `matrix` W (p, p)."""

    matrix: Array

    @cached_property
    def _inverse(self) -> Array:
        return np.linalg.inv(self.matrix)

    def to_original(self, t: Array) -> Array:
        """A point s of each t (..., p); the other points with this t differ from it by `copies`."""
        return t @ self._inverse.T

    @cached_property
    def steps(self) -> Array:
        """Integer vectors (n, p): t + 2π·step are the points that differ in s; 0 first."""
        return representatives(self.matrix)

    @cached_property
    def copies(self) -> Array:
        """Offsets (n, p) between the points s that share one t, the offset 0 first."""
        return self.to_original(2 * np.pi * self.steps)

    def orbits(self, loops: Array) -> list[tuple[Array, int]]:
        """How the copies of a connected set join: of each piece in s one step (p,), and the number of copies it joins.

        Going once around a loop of the set, an integer vector (p,) in `loops` (n, p), leads from one copy to another.
        """
        place = {_residue(step, self._inverse): i for i, step in enumerate(self.steps)}
        n = len(self.steps)
        there = [place[_residue(step + loop, self._inverse)] for loop in loops for step in self.steps]
        here = np.tile(np.arange(n), len(loops))
        joined = coo_array((np.ones(len(here)), (here, there)), shape=(n, n))
        _, first, size = np.unique(
            connected_components(joined, directed=False)[1], return_index=True, return_counts=True
        )
        return [(self.steps[i], int(count)) for i, count in zip(first, size, strict=True)]


def _residue(step: Array, inverse: Array) -> tuple[int, ...]:
    """What is left of W⁻¹step without whole turns, as integers that identify it."""
    part = inverse @ step
    return tuple(np.rint((part - np.floor(part + 1e-9)) * 1e6).astype(int).tolist())


def own_coordinates(k: Array, kappa: Array) -> Iterator[tuple[Array, Coordinates, Array, Array]]:
    """Rows of `kappa` (B, M) that share coordinates: rows, coordinates, frequencies used (indices), and m (used, p).

    A frequency whose κ is rounding noise (an FFT leaves 1e-16 where a picture of a bar has zeros) and which the
    coordinates of the others cannot represent is not used.
    """
    order = np.argsort(kappa, axis=1, kind="stable")
    upto = np.cumsum(np.take_along_axis(kappa, order, axis=1), axis=1)
    large = np.zeros(kappa.shape, bool)
    np.put_along_axis(large, order, upto > 16 * _EPS * (1 + upto[:, -1:]), axis=1)
    for rows in _equal_rows(np.packbits(large, axis=1)):
        speaks = large[rows[0]]
        basis = lattice_basis(k[speaks])
        matrix = completed(basis, k.shape[1])
        m = np.linalg.solve(matrix.T, k.T).T  # integers for the frequencies that the lattice holds
        whole = np.rint(m)
        held = (np.abs(m - whole) < 1e-6).all(axis=1) & ~whole[:, len(basis) :].any(axis=1)
        used, whole = np.flatnonzero(held), whole[held].astype(np.int64)
        for some, change in _reduced(whole, kappa[np.ix_(rows, used)] * speaks[used]):
            inverse = np.rint(np.linalg.inv(change)).astype(np.int64)
            yield rows[some], Coordinates(inverse @ matrix), used, whole @ change


def _reduced(m: Array, kappa: Array) -> Iterator[tuple[Array, Array]]:
    """Rows of `kappa` (B, M) that share a reduced basis, and that unimodular matrix V (p, p): mV replaces m.

    Axis b is replaced by b − turn·a while that shortens it in the form Σ κ mmᵀ (Gauss, Lagrange).
    """
    rows, p = len(kappa), m.shape[1]
    form = (kappa @ (m[:, :, None] * m[:, None, :]).reshape(len(m), p * p)).reshape(rows, p, p)
    basis = np.broadcast_to(np.eye(p, dtype=np.int64), (rows, p, p)).copy()
    largest = _MAX_GROWTH * _table_size(m)
    active = np.arange(rows)
    while active.size:
        own = basis[active].transpose(0, 2, 1) @ form[active] @ basis[active]
        changed = np.zeros(active.size, bool)
        for a, b in permutations(range(p), 2):
            shorter = ~changed & (own[:, a, a] > 0) & (own[:, a, a] <= own[:, b, b])
            turn = np.rint(np.divide(own[:, a, b], own[:, a, a], where=shorter, out=np.zeros(active.size)))
            which = np.flatnonzero(turn != 0)
            trial = basis[active[which]]
            trial[:, :, b] -= turn[which, None].astype(np.int64) * trial[:, :, a]
            fits = np.array([_table_size(m @ one) <= largest for one in trial], bool)
            basis[active[which[fits]]] = trial[fits]
            changed[which[fits]] = True
        active = active[changed]
    for same in _equal_rows(basis.reshape(rows, p * p)):
        yield same, basis[same[0]]


def _equal_rows(table: Array) -> list[Array]:
    """The numbers of equal rows of a table (B, n), one array for each kind of row."""
    if (table == table[:1]).all():
        return [np.arange(len(table))] if len(table) else []
    _, kind = np.unique(table, axis=0, return_inverse=True)
    return [np.flatnonzero(kind.ravel() == number) for number in range(kind.max() + 1)]


def _table_size(m: Array) -> float:
    """Entries of a table of all frequencies up to the highest in m (M, p)."""
    return float((2.0 * np.abs(m).max(axis=0, initial=0) + 1).prod())
