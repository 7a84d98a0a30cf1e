"""Two-sided tangent distance (Simard, LeCun, Denker & Victorri): the distance of two tangent planes, by least squares.

A small turn (or shift) moves a patch along its tangents; the distance is minimised over both patches moving along
theirs. It uses only the derivative of the group at the identity, and is accurate only for small turns.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import ndimage

from tsa._base import Array
from tsa.groups import ImageRotation
from tsa.recognition.metric import SINGLE_EPSILON, Metric

_CHUNK_COLUMNS = 2**9  # training patches whose products are held at once
_MIN_SQUARED_SINE = 1e-2  # of the angle between tangent planes; below it their bound is unreliable and set to 0


class Planes(NamedTuple):
    """Patches and orthonormal tangents at them, zero where a patch has none."""

    patches: Array  # (n, D)
    tangents: Array  # (n, m, D)
    along: Array  # (n, m): the patch's own components along its tangents
    square: Array  # (n,)


class TangentDistance(Metric):
    """min ‖(x + Σ a_i t_i(x)) − (y + Σ b_i t_i(y))‖ for patches of size×size pixels on the disc.

    `shifts` adds the tangents of horizontal and vertical shifts to that of rotation; `smoothing` is the standard
    deviation, in pixels, of the Gaussian the patches are smoothed with before they are differentiated.

    >>> x = tsa.patch("F", 16)
    >>> metric = tsa.TangentDistance(16)
    >>> y = tsa.patch("F", 16, turn=np.radians(5))
    >>> bool(metric.distance(x, y) < np.linalg.norm(x - y) / 2)
    True
    """

    seeds = 2

    def __init__(self, size: int, smoothing: float = 0.3, shifts: bool = False) -> None:
        self.size, self.smoothing, self.shifts = size, smoothing, shifts

    @cached_property
    def generators(self) -> Array:
        """The derivatives of a turn (counter-clockwise) and of shifts to the right and down: (m, D, D)."""
        support, D = ImageRotation(self.size).support, self.size**2
        row, column = np.indices((self.size, self.size)).reshape(2, D) - (self.size - 1) / 2
        inside = np.zeros(D)
        inside[support] = 1
        pixels = np.eye(D).reshape(D, self.size, self.size)
        smooth = ndimage.gaussian_filter(pixels, (0, self.smoothing, self.smoothing)).reshape(D, D)
        # Averages over the disc only: pixels beyond the rim are unknown, not black.
        smooth = (inside[:, None] * smooth * inside) / np.where(inside, smooth.T @ inside, 1.0)
        slopes = np.stack(np.gradient(smooth.reshape(D, self.size, self.size), axis=(1, 2)))
        by_row, by_column = slopes.reshape(2, D, D) * inside
        turn = column * by_row - row * by_column
        return np.stack([turn, -by_column, -by_row] if self.shifts else [turn])

    def prepare(self, x: Array) -> Planes:
        """Patches in double precision, with their tangents made orthonormal (Gram and Schmidt).

        >>> metric = tsa.TangentDistance(16)
        >>> type(metric.prepare(tsa.patch("F", 16)[None])).__name__
        'Planes'
        """
        x = np.asarray(x, np.float64)
        tangents = np.stack([x @ generator for generator in self.generators], axis=1)
        size = np.linalg.norm(x, axis=1)
        for i in range(tangents.shape[1]):
            t = tangents[:, i]
            before = np.maximum(np.linalg.norm(t, axis=1), size)
            for _ in range(2 if i else 0):  # twice is enough
                t -= np.einsum("nj,njd->nd", np.einsum("njd,nd->nj", tangents[:, :i], t), tangents[:, :i])
            length = np.linalg.norm(t, axis=1)
            t *= np.where(length > 1e-9 * before, 1 / np.maximum(length, 1e-300), 0.0)[:, None]
        along = np.einsum("nmd,nd->nm", tangents, x)
        return Planes(x, np.ascontiguousarray(tangents), along, np.einsum("nd,nd->n", x, x))

    def turn(self, x: Array, y: Array) -> Array:
        """The turn of x (radians) that brings it nearest to y, to first order in both: (..., D), (..., D) → (...).

        >>> x, y = tsa.patch("F", 16), tsa.patch("F", 16, turn=np.radians(5))
        >>> print(np.degrees(tsa.TangentDistance(16).turn(x, y)).round())
        6.0
        """
        x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        ours, theirs = (np.stack([p @ generator for generator in self.generators], axis=-2) for p in (x, y))
        both = np.concatenate([ours, -theirs], axis=-2)  # y − x ≈ Σ a_i t_i(x) − Σ b_i t_i(y)
        gram = both @ np.swapaxes(both, -1, -2)
        steps = (np.linalg.pinv(gram, rcond=1e-9, hermitian=True) @ (both @ (y - x)[..., None]))[..., 0]
        return np.asarray(steps[..., 0] - steps[..., len(self.generators)])

    def bounds(self, queries: Planes, train: Planes, out: Array) -> Array:
        """The squared distances themselves, from (1 + m)² products; zero where two planes nearly touch.

        >>> metric, x = tsa.TangentDistance(16), tsa.patch("F", 16)[None]
        >>> prepared = metric.prepare(x)
        >>> metric.bounds(prepared, prepared, np.empty((1, 1))).shape
        (1,)
        """
        for start in range(0, out.shape[1], _CHUNK_COLUMNS):
            part = slice(start, start + _CHUNK_COLUMNS)
            out[:, part] = self._squares(queries, Planes(*(a[part] for a in train)))
        longest = np.sqrt(train.square.max(initial=0.0))
        return np.asarray(-4 * SINGLE_EPSILON * (np.sqrt(queries.square) + longest) ** 2)

    def _squares(self, queries: Planes, train: Planes) -> Array:
        """‖r‖² − ‖gₓ‖² − hᵀ(I − CᵀC)⁻¹h with r = x − y, g its components, C = TₓᵀT_y, h = g_y − Cᵀgₓ."""
        m = queries.tangents.shape[1]
        squares = queries.square[:, None] + train.square - 2 * queries.patches @ train.patches.T
        ours, theirs = queries.tangents, train.tangents
        g = [queries.along[:, i, None] - ours[:, i] @ train.patches.T for i in range(m)]
        h = [queries.patches @ theirs[:, i].T - train.along[:, i] for i in range(m)]
        C = [[ours[:, i] @ theirs[:, j].T for j in range(m)] for i in range(m)]
        touching = np.zeros(squares.shape, bool)
        for i in range(m):
            squares -= g[i] ** 2
            for j in range(m):
                h[j] -= C[i][j] * g[i]
        # Forward substitution with the Cholesky factor of I − CᵀC, entry by entry for all pairs at once.
        L: list[list[Array]] = []
        for j in range(m):
            L.append([])
            for i in range(j + 1):
                entry = float(i == j) - sum(C[a][j] * C[a][i] for a in range(m))
                entry = entry - sum((L[j][a] * L[i][a] for a in range(i)), start=np.zeros(()))
                if i == j:
                    touching |= entry < _MIN_SQUARED_SINE
                    L[j].append(np.sqrt(np.maximum(entry, _MIN_SQUARED_SINE)))
                else:
                    L[j].append(entry / L[i][i])
            h[j] = (h[j] - sum((L[j][a] * h[a] for a in range(j)), start=np.zeros(()))) / L[j][j]
            squares -= h[j] ** 2
        return np.where(touching, 0.0, squares)

    def pairs(self, queries: Planes, train: Planes, row: Array, column: Array) -> Array:
        """The norm of the least-squares residual of x − y.

        >>> metric, x = tsa.TangentDistance(16), tsa.patch("F", 16)[None]
        >>> prepared, one = metric.prepare(x), np.array([0])
        >>> metric.pairs(prepared, prepared, one, one).round(6)
        array([0.])
        """
        result = np.empty(row.size)
        for start in range(0, row.size, _CHUNK_COLUMNS):
            part = slice(start, start + _CHUNK_COLUMNS)
            x, y = row[part], column[part]
            gap = queries.patches[x] - train.patches[y]
            both = np.concatenate([queries.tangents[x], train.tangents[y]], axis=1)
            _, size, directions = np.linalg.svd(both, full_matrices=False)
            components = np.einsum("nmd,nd->nm", directions, gap) * (size > 1e-7)
            gap -= np.einsum("nm,nmd->nd", components, directions)
            result[part] = np.linalg.norm(gap, axis=1)
        return result
