"""∫ exp f along one axis by the trapezoid rule, of whose nodes only those are laid out where f is high.

A density across an exact ridge depends on one coordinate. A grid certified for it has a node or two to the standard
deviation of its peak, so that a few dozen nodes carry the mass, however sharp it is. The circle is divided into cells
of neighbouring nodes; from the cells of the coarse grid down, those that provably do not matter are dropped by the
bounds of the tiles and the others are cut, until they hold a few nodes each.
"""

from functools import reduce
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.density.numerics.tiles._bounds import TileBounds, Tiles, cut
from tsa.density.numerics.tiles._polynomials import EPS, Polynomials, expm1_imaginary

_NODES = 8  # of a cell
_X = (2 * np.arange(_NODES) + 1) / _NODES - 1  # their places on [−1, 1]
_MAX_CELLS = 256  # of one row: tiles take less time where more matter
_HALVINGS = 3  # of each cell in one round
_MUCH_HIGHER = 5.0  # nats above the peak, at which another point should have been the peak
_CHUNK_TERMS = 2**18


class LineSums(NamedTuple):
    """Integrals relative to the peak (r,), where f is `height`; rows (r,) that are not `served` are not valid.

    `mass` is ∫ e^g, `gain` ∫ g e^g, `deficits` E[e^{im·(t − peak)}] − 1, (r, M) or (r, 0). To the error of the grid in
    `mass`, nodes left out add at most `dropped`, floating point `rounding`; the height errs by `height_rounding`.
    """

    served: Array
    peak: Array
    height: Array
    mass: Array
    gain: Array
    deficits: Array
    nodes: Array
    dropped: Array
    rounding: Array
    height_rounding: Array


def line_sums(eta: Array, m: Array, nodes: Array, tolerance: float, moments: bool) -> LineSums:
    """The sums of densities `eta` (r, M) at frequencies `m` (M,) over certified grids of at least so many `nodes` (r,).

    `tolerance` is that of the grids.
    """
    polynomials = Polynomials(eta, m[:, None])
    cells, served, dropped = _cells_that_matter(polynomials, nodes, tolerance)
    rows, numbers = len(eta), np.zeros(len(eta), np.int64)
    mass, gain, rounding = np.zeros((3, rows))
    sums = np.zeros(eta.shape if moments else (rows, 0), np.complex128)
    turned = eta.conj() * np.exp(1j * (polynomials.peak * m))
    at_once = max(1, _CHUNK_TERMS // (_NODES * max(1, len(m))))
    for start in range(0, len(cells), at_once):
        part = cells[start : start + at_once]
        first = np.flatnonzero(np.append(True, part.row[1:] != part.row[:-1]))
        own, row = part.row[first], np.repeat(part.row, _NODES)
        wave = expm1_imaginary((part.centre + part.half * _X).reshape(-1, 1) * m)
        g = (turned[row] * wave).real.sum(axis=1)
        # Subnormal numbers are slow; a node that far below the peak adds nothing.
        weight = np.exp(np.maximum(g, -700.0)) * np.repeat(part.half[:, 0] * (2 / _NODES), _NODES)
        of_cells = weight.reshape(-1, _NODES).sum(axis=1)
        error = of_cells * (polynomials.offset_rounding(part.row, part.u, part.turn) + 64 * EPS)
        for total, values in ((mass, of_cells), (rounding, error)):
            total[own] += np.add.reduceat(values, first)
        gain[own] += np.add.reduceat(weight * g, _NODES * first)
        numbers[own] += _NODES * np.diff(first, append=len(part))
        if moments:
            wave *= weight[:, None]
            sums[own] += np.add.reduceat(wave, _NODES * first)
    deficits = sums / np.where(served, mass, 1.0)[:, None]
    return LineSums(
        served, polynomials.peak[:, 0], polynomials.height, mass, gain, deficits, numbers, dropped, rounding,
        polynomials.rounding,
    )  # fmt: skip


def _cells_that_matter(polynomials: Polynomials, nodes: Array, tolerance: float) -> tuple[Tiles, Array, Array]:
    """Cells of `_NODES` nodes, row by row; which rows they serve, and a bound on the mass outside, (B,)."""
    rows, bounds = len(nodes), TileBounds(polynomials)
    limit = bounds.log_negligible(tolerance)
    left = np.ceil(np.log2(np.maximum(nodes / (_NODES * polynomials.coarse[0]), 1.0))).astype(np.int64)  # halvings
    bound = bounds.on_coarse_cells() + np.log(2 * np.pi / polynomials.coarse[0])
    matters = bound > limit[:, None]
    dropped = np.where(matters, 0.0, np.exp(np.minimum(bound, 0.0))).sum(axis=1)
    cells, d = bounds.coarse_tiles(matters)
    served, finished = np.ones(rows, bool), []
    slack = polynomials.rounding[cells.row]
    while True:
        bound = bounds.upper(cells, d) + slack + cells.log_volume
        out = bound <= limit[cells.row]
        dropped += np.bincount(cells.row[out], np.exp(bound[out]), rows)
        served[cells.row[d[0] > _MUCH_HIGHER + slack]] = False
        served &= np.bincount(cells.row[~out], minlength=rows) <= _MAX_CELLS
        cells = cells[~out & served[cells.row]]
        done = left[cells.row] == 0
        finished.append(cells[done])
        cells = cells[~done]
        if not len(cells):
            break
        cells = cut(cells, np.minimum(left[cells.row], _HALVINGS)[:, None])
        left = np.maximum(left - _HALVINGS, 0)
        g, slope, bend = polynomials.at(cells.row, cells.centre)
        d = np.stack([g, slope[:, 0], bend[:, 0, 0]])
        slack = polynomials.offset_rounding(cells.row, cells.u, cells.turn)
    return reduce(Tiles.joined, finished), served, dropped
