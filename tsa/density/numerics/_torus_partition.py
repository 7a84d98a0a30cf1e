"""Normalisers and moments on the p-torus: a certified trapezoid grid where that is small, tiles everywhere else.

The number of nodes of a grid grows as the volume of the peak shrinks; that of the tiles does not.
"""

from dataclasses import dataclass

import numpy as np
from scipy import fft

from tsa._base import Array
from tsa.density.numerics._harmonics import fold
from tsa.density.numerics._node_counts import TOLERANCE
from tsa.density.numerics._torus_grids import small_grids
from tsa.density.numerics.tiles import Integral, RowGroup, row_groups

_CHUNK_VALUES = 2**20


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
    left = []
    for group, coordinates, used, m in row_groups(eta, k):
        own = eta[np.ix_(group, used)]
        pruned = np.abs(eta[group]).sum(axis=1) - np.abs(own).sum(axis=1)
        small, nodes, truncation = small_grids(np.abs(own), np.abs(m), tolerance)
        result.truncation[group[small]] = truncation + pruned[small]
        for shape in np.unique(nodes, axis=0):
            same = small[(nodes == shape).all(axis=1)]
            at_once = max(1, _CHUNK_VALUES // int(shape.prod()))
            for start in range(0, same.size, at_once):
                part = same[start : start + at_once]
                deficits = _on_grid(result, group[part], own[part], m, tuple(shape.tolist()), moments)
                result.peak[group[part]] = coordinates.to_original(result.peak[group[part]])
                if moments:
                    result.deficits[np.ix_(group[part], used)] = deficits
        if small.size < len(group):
            left.append(RowGroup(np.delete(group, small), coordinates, used, m))
    if left:
        sharp = np.concatenate([group.rows for group in left])
        by_tiles = Integral(eta, k, tolerance, moments, left)
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


def values_on_grid(eta: Array, k: Array, shape: tuple[int, ...]) -> Array:
    """f at the nodes 2πj/n of a grid whose sides exceed twice the highest frequency: (B, M) → (B, *shape)."""
    half = np.zeros((len(eta), *shape[:-1], shape[-1] // 2 + 1), np.complex128)
    for sign, coefficients in ((1, eta.conj() / 2), (-1, eta / 2)):
        stored = np.flatnonzero(sign * k[:, -1] >= 0)  # a real transform stores these; k_p = 0 needs both signs
        places = tuple((sign * k[stored] % np.array(shape)).T)
        half[(slice(None), *places)] += coefficients[:, stored]
    return np.asarray(fft.irfftn(half, shape, axes=tuple(range(1, len(shape) + 1)), norm="forward"))


def _on_grid(result: TorusPartition, rows: Array, eta: Array, k: Array, shape: tuple[int, ...], moments: bool) -> Array:
    """Fill in `rows` of the result, densities `eta` (r, M), from one grid; their deficits (r, M), if asked for."""
    f = values_on_grid(eta, k, shape)
    flat = f.reshape(len(rows), -1)
    top = np.argmax(flat, axis=1)
    height = flat[np.arange(len(rows)), top]
    g = f - height.reshape(-1, *(1,) * len(shape))
    weight = np.exp(g)
    mass = weight.reshape(len(rows), -1).sum(axis=1)
    result.peak[rows] = np.stack(np.unravel_index(top, shape), axis=-1) * (2 * np.pi / np.array(shape))
    result.height[rows], result.nodes[rows] = height, flat.shape[1]
    result.log_mass[rows] = np.log(mass * ((2 * np.pi) ** len(shape) / flat.shape[1]))
    result.gain[rows] = (weight * g).reshape(len(rows), -1).sum(axis=1) / mass
    rounding = np.finfo(np.float64).eps * (1 + np.abs(eta).sum(axis=-1)) * (np.log2(flat.shape[1]) + 2)
    result.shape_error[rows] = result.truncation[rows] + rounding
    if not moments:
        return np.empty((len(rows), 0))
    spectrum = fft.rfftn(weight, axes=tuple(range(1, len(shape) + 1)))
    negated = k[:, -1] < 0
    places = tuple((np.where(negated[:, None], -k, k) % np.array(shape)).T)
    picked = spectrum[(slice(None), *places)] / mass[:, None]
    moment = np.where(negated, picked, picked.conj())
    return moment * np.exp(-1j * (result.peak[rows] @ k.T)) - 1
