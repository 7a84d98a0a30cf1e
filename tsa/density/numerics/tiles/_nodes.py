"""Values of polynomials at the Gauss nodes of many tiles, and sums over those nodes, one axis after the other."""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.density.numerics.tiles._polynomials import Polynomials, expm1_imaginary, real_parts

_MANY_TILES = 16  # of one prefix, for which two matrix products take longer than their calls
_MANY_CHILDREN = 4  # of one prefix, on average, for which one product of all takes less time than one for each


class _Shared(NamedTuple):
    """Values that several entries share: the `distinct` ones (n, …) and `which` of them each entry has."""

    distinct: Array
    which: Array

    @property
    def all(self) -> Array:
        """The value of each entry."""
        return self.distinct[self.which]


class Nodes:
    """Tensor grids of nodes, one on each tile; tiles are sorted by row, then by place on the first axis, then the next.

    `row` is (T,), `u` and `turn` (T, p), `x` holds the nodes on [−1, 1] of each axis. Sums over frequencies are taken
    one axis at a time. Tiles that agree in their row and in their places on the first axes (a *prefix*) share the sums
    over those axes, so that most of the work is done once for many tiles. Differences of g within a tile are computed
    relative to its centre: their rounding error is that of the tile's size, not of its distance from the peak.
    """

    def __init__(self, polynomials: Polynomials, row: Array, u: Array, turn: Array, x: list[Array]) -> None:
        self._of, self._shape = polynomials, (len(row), *(len(one) for one in x))
        # By axis, for each prefix: its parent (of the first axis: the row), e^{imc} − 1 at the centre c, and which of
        # the arrays e^{imhx} − 1 (nodes, waves) of its tile size it takes.
        self._parents, self._centres, self._locals, self._local_of = [], [], [], []
        prefix, starts = row, changes(row)
        for axis, waves in enumerate(polynomials.waves):
            place, size = u[:, axis], turn[:, axis]
            starts = starts | changes(place, size)
            heads = np.flatnonzero(starts)
            # Prefixes of other parents may have the same place and size: these have the same phases.
            place, size = place[heads], size[heads]
            different, which = distinct(place, size)
            place, size = place[different], size[different]
            sizes, size_of = distinct(size)
            half = 2 * np.pi / size
            self._parents.append(prefix[heads])
            self._centres.append(_Shared(expm1_imaginary((place * half)[:, None] * waves), which))
            self._locals.append(expm1_imaginary(np.multiply.outer(half[sizes, None] * x[axis], waves)))
            self._local_of.append(size_of)
            prefix = np.cumsum(starts) - 1

    def _near(self, axis: int) -> tuple[_Shared, Array]:
        """On one axis e^{imc} − 1 at the centres c, (places, waves), and e^{imhx} − 1, (places, nodes, waves)."""
        return self._centres[axis], self._locals[axis][self._local_of[axis]]

    def values(self) -> Array:
        """g at the nodes, those of the last axis first: (T, Q_p, Q₁, …, Q_{p−1})."""
        # Σ C e^{im·c} (Π_a e^{imhx} − 1) telescopes over the axes: `full` sums Π e^{imhx} over the axes so far, `gain`
        # the same product less 1. Both are (prefixes, nodes so far, frequencies left).
        full = self._of.table.reshape(len(self._of.table), 1, -1)
        gain = np.zeros_like(full)
        for axis in range(self._of.axes - 1):
            parent, (centre, local) = self._parents[axis], self._near(axis)
            local, phase = local[centre.which], (centre.all + 1)[:, None]
            split = _of_parents(full.reshape(*full.shape[:2], local.shape[-1], -1), parent)
            step = (local * phase)[:, None] @ split
            rest = step + phase[:, None] @ split
            if axis:  # on the first axis nothing is gained yet
                step += phase[:, None] @ _of_parents(gain.reshape(*gain.shape[:2], local.shape[-1], -1), parent)
            full, gain = (v.reshape(len(parent), -1, v.shape[-1]) for v in (rest, step))
        # On the last axis the sums are real matrix products, one for all tiles of a prefix.
        left, aside = (real_parts(v.conj()).transpose(0, 2, 1) for v in (full, gain))
        phase = real_parts(self._centres[-1].distinct + 1)
        g = np.empty((self._shape[0], self._shape[-1], left.shape[-1]))
        middle = np.empty((len(g), 1, left.shape[-1]))  # where the last axis is at the centre of the tile
        for heads, tiles, places in self._families:
            prefixes = self._parents[-1][heads]
            mine, its = left[prefixes], aside[prefixes]
            right = self._last[places].reshape(len(mine), -1, mine.shape[1])
            if isinstance(tiles, slice):  # many nodes, in place
                np.matmul(right, mine, out=g[tiles].reshape(1, -1, g.shape[-1]))
            else:
                g[tiles] = (right @ mine).reshape(g[tiles].shape)
            at = phase[places].reshape(len(mine), -1, mine.shape[1])
            middle[tiles] = (at @ its).reshape(middle[tiles].shape)
        middle += self._at_centres()[:, None, None]
        g += middle
        return g.reshape(-1, self._shape[-1], *self._shape[1:-1])

    @cached_property
    def _last(self) -> Array:
        """e^{im(c + hx)} − e^{imc} on the last axis, real and imaginary parts: (places, nodes, 2 waves)."""
        centre, local = self._near(-1)
        return real_parts(local + local * centre.distinct[:, None])

    @cached_property
    def _families(self) -> list[tuple[Array, Array | slice, Array | slice]]:
        """The tiles by their prefix on all axes but the last: the first tile, all tiles, their distinct places there.

        Prefixes that have equally few tiles come together, as arrays (f,), (f, n) and (f, n), for few calls; the others
        alone, if possible as slices, which are not copied.
        """
        which, start = self._centres[-1].which, self._starts
        count = np.diff(start, append=len(which))
        families: list[tuple[Array, Array | slice, Array | slice]] = []
        for n in np.unique(count[count < _MANY_TILES]):
            heads = start[count == n]
            tiles = heads[:, None] + np.arange(n)
            families.append((heads, tiles, which[tiles]))
        for head, n in zip(*(column[count >= _MANY_TILES] for column in (start, count)), strict=True):
            tiles = slice(head, head + n)
            low, high = which[head], which[head + n - 1] + 1
            consecutive = high - low == n  # tiles are sorted by place
            families.append((head[None], tiles, slice(low, high) if consecutive else which[tiles]))
        return families

    @cached_property
    def _starts(self) -> Array:
        """The first tile of each prefix of the axes but the last."""
        return np.flatnonzero(changes(self._parents[-1]))

    def _at_centres(self) -> Array:
        """g at the centres of the tiles, (T,)."""
        full = self._of.table.reshape(len(self._of.table), -1)
        gain = np.zeros_like(full)
        for parent, places, waves in zip(self._parents, self._centres, self._of.waves, strict=True):
            split = _of_parents(full.reshape(len(full), len(waves), -1), parent)
            step = _product(places.all[:, None], split)[:, 0]
            full = step + split.sum(axis=1)
            gain = step + gain.reshape(len(gain), len(waves), -1).sum(axis=1)[parent]
        return gain[:, 0].real

    def derivatives(self) -> Array:
        """g and the derivatives of f up to order 2 at the centres of the tiles: (orders, T)."""
        states: dict[tuple[int, ...], Array] = {(): self._of.table.reshape(len(self._of.table), -1)}
        for axis, waves in enumerate(self._of.waves):
            parent, centre = self._parents[axis], self._centres[axis]
            powers = ((centre.distinct + 1)[:, None] * (1j * waves) ** np.arange(3)[:, None])[centre.which]
            states = {
                (*order, power): done
                for order, state in states.items()
                for power, done in enumerate(
                    _product(
                        powers[:, : 3 - sum(order)], _of_parents(state.reshape(len(state), len(waves), -1), parent)
                    ).swapaxes(0, 1)
                )
            }
        orders = [order for order in self._of.orders if 1 <= sum(order) <= 2]
        return np.stack([self._at_centres(), *(states[order][:, 0].real for order in orders)])

    def sums(self, weight: Array) -> tuple[Array, Array]:
        """The rows of these tiles (r,), and Σ weight (e^{im·δ} − 1) over their nodes, by frequency, (r, *table).

        `weight` is (T, Q_p, Q₁, …, Q_{p−1}), as `values`.
        """
        weight = weight.reshape(len(weight), self._shape[-1], -1)
        # e^{im(c + hx)} − 1 at the nodes of the last axis, in which one real matrix product sums over them.
        factors = self._last + real_parts(self._centres[-1].distinct)[:, None]
        shape = (len(self._starts), weight.shape[-1])
        mass: Array = np.empty(shape)
        sums: Array = np.empty((*shape, factors.shape[-1]))
        for heads, tiles, places in self._families:
            number = np.searchsorted(self._starts, heads)
            own = weight[tiles].reshape(len(heads), -1, shape[1])
            sums[number] = own.swapaxes(1, 2) @ factors[places].reshape(len(heads), -1, factors.shape[-1])
            mass[number] = own.sum(axis=1)
        total = _complex(sums)  # (prefixes, nodes left, frequencies)
        for axis in reversed(range(self._of.axes - 1)):
            centre, local = self._near(axis)
            local = local[centre.which]
            # e^{imx} − 1 at the nodes x of this axis, seen from the peak, and Σ w e^{im·δ} over the axes done so far.
            factor = local + centre.all[:, None] * (local + 1)
            mass = mass.reshape(len(mass), -1, local.shape[1])
            total = total.reshape(*mass.shape, -1)
            parent = self._parents[axis]
            heads = np.flatnonzero(changes(parent))
            moved = _pooled(factor, total + mass[..., None], heads)
            moved += np.add.reduceat(total.sum(axis=2), heads)[:, :, None]
            total, mass = moved.reshape(*moved.shape[:2], -1), np.add.reduceat(mass.sum(axis=-1), heads)
        heads = np.flatnonzero(changes(self._parents[0]))
        return self._parents[0][heads], total.reshape(len(heads), *self._of.table.shape[1:])


def _pooled(factor: Array, total: Array, heads: Array) -> Array:
    """Σ factor · total over q and over runs of n that begin at `heads`: (n, q, w), (n, m, q, r) → (runs, m, w, r)."""
    if len(factor) < _MANY_CHILDREN * len(heads):
        return np.add.reduceat(factor.transpose(0, 2, 1)[:, None] @ total, heads)
    factor, total = factor.reshape(-1, factor.shape[-1]), total.swapaxes(1, 2)
    q = len(factor) // len(total)
    runs = zip(heads, [*heads[1:], len(total)], strict=True)
    sums = [factor[q * start : q * stop].T @ total[start:stop].reshape(q * (stop - start), -1) for start, stop in runs]
    return np.stack(sums).reshape(len(heads), factor.shape[1], *total.shape[2:]).swapaxes(1, 2)


def _complex(parts: Array) -> Array:
    """The inverse of `real_parts`."""
    n = parts.shape[-1] // 2
    return parts[..., :n] + 1j * parts[..., n:]


def _product(left: Array, right: Array) -> Array:
    """left @ right for stacks of small matrices; those of one column faster than by a call of BLAS for each."""
    return left @ right if right.shape[-1] > 1 else np.einsum("tpw,twr->tpr", left, right)


def _of_parents(state: Array, parent: Array) -> Array:
    """The entry of `state` for each parent; a single entry is broadcast instead of copied."""
    return state if len(state) == 1 else state[parent]


def changes(*columns: Array) -> Array:
    """True for the first of some rows, given by equally long columns, and for each that differs from the one before."""
    new = np.ones(len(columns[0]), bool)
    np.not_equal(columns[0][1:], columns[0][:-1], out=new[1:])
    for column in columns[1:]:
        new[1:] |= column[1:] != column[:-1]
    return new


def distinct(*columns: Array) -> tuple[Array, Array]:
    """Indices of the distinct rows of some equally long columns, and for each row the number of the one it equals."""
    if all(column[0] == column[-1] for column in columns) and not changes(*columns)[1:].any():
        return np.zeros(1, np.int64), np.zeros(len(columns[0]), np.int64)
    order = np.lexsort(columns)
    new = changes(*(column[order] for column in columns))
    which = np.empty(len(order), np.int64)
    which[order] = np.cumsum(new) - 1
    return order[new], which
