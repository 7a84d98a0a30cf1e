"""The spaces of one weight under an action, as coordinates of any filters: no filter needs to be orthogonal to another.

Conventions of `tsa.analysis.spectra`: with P_k = mean over s of e^{−ik·s} A_s, the share of a filter f of weight
k is f̄ᴴP_k f̄ / ‖f‖². For small discs P_k is diagonalised once, after which a filter costs one matrix product.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
from scipy import fft

from tsa._base import Array, ProgressCallback, checks
from tsa.analysis.recovery import ceilings
from tsa.analysis.spectra import spectra
from tsa.groups import CyclicShift, ImageRotation, LatticeAction

_MAX_DISC_SIDE_PIXELS = 32  # up to which P_k is diagonalised: 0.3 s for 16 pixels, 6 s for 32
_MAX_CEILING_SIDE_PIXELS = 64  # as in `recovery`
_MIN_EIGENVALUE = 2e-4  # of P_k; what smaller ones add to a spectrum is less
_CHUNK_FILTERS = 1024
_CHUNK_NUMBERS = 2**22  # of moved filters held at once


class WeightSpaces(ABC):
    """Spectra of filters (D, n), and coordinates of their parts of one weight, under one action."""

    def __init__(self, action: LatticeAction) -> None:
        self.action = action

    @abstractmethod
    def spectra(self, filters: Array, on_progress: ProgressCallback | None = None) -> Array:
        """Shares of the whole of each filter: (n, lattice) float32, ordered as `frequencies`."""

    @abstractmethod
    def coordinates(self, weight: Array, filters: Array) -> Array:
        """Of P_k f, complex (m, n), with the same inner products; k is `weight`."""

    @abstractmethod
    def reference(self, weight: Array) -> Array:
        """Coordinates (m,) of the patch against which phases are measured."""

    def ceiling(self, weights: Array) -> Array:
        """The largest share of one weight that any filter can have, for folded weights (m, p): 1 without loss."""
        return np.ones(len(weights))


def weight_spaces(action: LatticeAction) -> WeightSpaces:
    """The fastest way there is for this action."""
    if isinstance(action, CyclicShift):
        return _Waves(action)
    if isinstance(action, ImageRotation):
        return _Discs(action) if action.size <= _MAX_DISC_SIDE_PIXELS else _LargeDiscs(action)
    return _Averages(action)


class _Waves(WeightSpaces):
    """Of cyclic shifts: a weight space holds one wave, and P_k f is a coefficient of the DFT."""

    def spectra(self, filters: Array, on_progress: ProgressCallback | None = None) -> Array:
        heights = np.empty((filters.shape[1], self.action.dimension), np.float32)
        for start in range(0, len(heights), _CHUNK_FILTERS):
            part = slice(start, start + _CHUNK_FILTERS)
            heights[part] = spectra(filters[:, part], self.action)
            if on_progress is not None:
                on_progress(min(1.0, (start + _CHUNK_FILTERS) / len(heights)))
        return heights

    def coordinates(self, weight: Array, filters: Array) -> Array:
        steps = checks.as_points(self.action.lattice, self.action.parameters)
        wave = np.exp(1j * steps @ weight) / np.sqrt(self.action.dimension)  # P_k projects onto conj of it
        return np.asarray(wave @ filters)[None]

    def reference(self, weight: Array) -> Array:
        return np.ones(1, np.complex128)  # an impulse at the first pixel


@dataclass(frozen=True, eq=False)
class _DiscTables:
    """Of one size of disc: pixels of a quarter turn's orbits, and eigenvectors of every P_k on one pixel of each."""

    orbits: Array  # (4, m): pixels of the disc, each orbit counter-clockwise
    lengths: Array  # (m,): 4, or 1 for a pixel in the centre
    values: list[Array]  # for k = 0…180: eigenvalues (r,), descending
    vectors: list[Array]  # for k = 0…180: (m, r)


@lru_cache(maxsize=4)
def _disc_tables(size: int) -> _DiscTables:
    """A quarter turn permutes pixels and commutes with all rotations, so P_k is known from one pixel of each orbit."""
    action = ImageRotation(size)
    pixels = np.arange(action.dimension).reshape(action.shape)
    orbits = np.stack([np.rot90(pixels, quarter).ravel()[action.support] for quarter in range(4)])
    first = orbits[:, orbits[0] == orbits.min(axis=0)]
    lengths = np.where(first[0] == first[1], 1.0, 4.0)
    inside = np.searchsorted(action.support, first[0])
    ones = np.zeros((action.support.size, inside.size), np.float32)
    ones[inside, np.arange(inside.size)] = 1.0
    moved = np.empty((len(action.lattice), inside.size, inside.size), np.float32)
    for i, columns in action.apply_all_to_columns(ones):
        moved[i] = columns[inside]
    scale = np.sqrt(np.multiply.outer(lengths, lengths))
    values, vectors = [], []
    for rows in fft.rfft(moved, axis=0, norm="forward", overwrite_x=True):
        square = (rows + rows.conj().T) / 2 * scale
        value, vector = np.linalg.eigh(square)
        keep = np.abs(value) > _MIN_EIGENVALUE
        values.append(value[keep][::-1].astype(np.float32))
        vectors.append(vector[:, keep][:, ::-1].astype(np.complex64))
    return _DiscTables(first, lengths, values, vectors)


class _Discs(WeightSpaces):
    """Of rotations of small pictures."""

    def _symmetric(self, filters: Array, quarter: int) -> Array:
        """The part of filters (D, n) with f(p turned by 90°) = i^quarter f(p), on one pixel of each orbit: (m, n)."""
        tables = _disc_tables(self._size)
        phases = np.array([1, -1j, -1, 1j])[(quarter * np.arange(4)) % 4].astype(np.complex64)
        total = sum(phase * filters[pixels] for phase, pixels in zip(phases, tables.orbits, strict=True))
        return np.asarray(total * (np.sqrt(tables.lengths) / 4)[:, None], np.complex64)

    @property
    def _size(self) -> int:
        return int(self.action.shape[0])

    def spectra(self, filters: Array, on_progress: ProgressCallback | None = None) -> Array:
        tables, n = _disc_tables(self._size), len(self.action.lattice)
        heights = np.empty((filters.shape[1], n), np.float32)
        real = not np.iscomplexobj(filters)
        for start in range(0, len(heights), _CHUNK_FILTERS):
            part = slice(start, start + _CHUNK_FILTERS)
            unit = filters[:, part] / np.linalg.norm(filters[:, part], axis=0)
            for conjugate in (False,) if real else (False, True):  # P_{−k} is the conjugate of P_k
                symmetric = [self._symmetric(unit if conjugate else unit.conj(), quarter) for quarter in range(4)]
                for k, (value, vector) in enumerate(zip(tables.values, tables.vectors, strict=True)):
                    share = value @ np.square(np.abs(vector.conj().T @ symmetric[k % 4]))
                    heights[part, -k % n if conjugate else k] = share
            if on_progress is not None:
                on_progress(min(1.0, (start + _CHUNK_FILTERS) / len(heights)))
        if real:
            heights[:, n // 2 + 1 :] = heights[:, n // 2 - 1 : 0 : -1]
        return heights

    def _space(self, weight: Array) -> tuple[Array, int, bool]:
        k = int(weight[0])
        tables = _disc_tables(self._size)
        value, vector = tables.values[abs(k)], tables.vectors[abs(k)]
        return vector * np.sqrt(np.maximum(value, 0)), abs(k) % 4, k < 0

    def coordinates(self, weight: Array, filters: Array) -> Array:
        vector, quarter, negative = self._space(weight)
        parts = vector.conj().T @ self._symmetric(filters.conj() if negative else filters, quarter)
        return np.asarray(parts.conj() if negative else parts)

    def reference(self, weight: Array) -> Array:
        return self.coordinates(weight, _ray(self._size)[:, None])[:, 0]

    def ceiling(self, weights: Array) -> Array:
        tables = _disc_tables(self._size)
        return np.array([tables.values[abs(int(k))].max(initial=_MIN_EIGENVALUE) for k in weights[:, 0]])


def _ray(size: int) -> Array:
    """A patch with a ray from the centre to the right: a filter of phase 0 has a positive response to it."""
    patch = np.zeros((size, size))
    patch[(size - 1) // 2 : size // 2 + 1, size // 2 :] = 1.0
    return patch.ravel()


class _Averages(WeightSpaces):
    """Of any action: P_k is applied by moving the filters through the whole lattice."""

    def spectra(self, filters: Array, on_progress: ProgressCallback | None = None) -> Array:
        return spectra(filters, self.action, on_progress).astype(np.float32)

    def coordinates(self, weight: Array, filters: Array) -> Array:
        lattice = checks.as_points(self.action.lattice, self.action.parameters)
        phases = (np.exp(-1j * lattice @ weight) / len(lattice)).astype(np.complex64)
        columns = filters[self.action.support]
        if np.iscomplexobj(columns):
            parts = np.concatenate([columns.real, columns.imag], axis=1).astype(np.float32)
        else:
            parts = columns.astype(np.float32)
        total = np.zeros(parts.size, np.complex64)
        at_once = max(1, _CHUNK_NUMBERS // max(1, parts.size))
        moved = ((i, x.ravel()) for i, x in self.action.apply_all_to_columns(parts))
        while block := list(islice(moved, at_once)):
            which, stack = zip(*block, strict=True)
            total += phases[list(which)] @ np.stack(stack)
        result = total.reshape(parts.shape)
        if np.iscomplexobj(columns):
            half = columns.shape[1]
            result = result[:, :half] + 1j * result[:, half:]
        return np.asarray(result)

    def _reference_patch(self) -> Array:
        return np.eye(self.action.dimension, 1)[:, 0]

    def reference(self, weight: Array) -> Array:
        return self.coordinates(weight, self._reference_patch()[:, None])[:, 0]


class _LargeDiscs(_Averages):
    """Of rotations of pictures too large to keep P_k."""

    def _reference_patch(self) -> Array:
        return _ray(int(self.action.shape[0]))

    def ceiling(self, weights: Array) -> Array:
        action = self.action
        if not isinstance(action, ImageRotation) or action.size > _MAX_CEILING_SIDE_PIXELS:
            return np.ones(len(weights))
        return np.maximum(ceilings(action, weights[:, 0])[:, 0], _MIN_EIGENVALUE)
