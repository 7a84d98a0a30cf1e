"""How much of each weight space a set of filters spans: a map of weights and orders, in which what is missing shows.

For rotations the orders are those of the disk harmonics, from the coarsest radial profile to the finest that the pixels
resolve; a weight of cyclic shifts has one order. The span leaves out directions that the set holds only weakly.
"""

from dataclasses import dataclass

import numpy as np

from tsa._base import Array
from tsa.analysis.filter_sets._weight_spaces import WeightSpaces
from tsa.analysis.recovery import known_space
from tsa.groups import CyclicShift, LatticeAction
from tsa.model import Weight, Weights

_MIN_SINGULAR_VALUE = 0.01  # of the largest, for unit filters: weaker directions do not count
MIN_SPANNED = 0.5  # below which a cell is a hole
_MIN_CELL_PURITY = 0.5  # of an irreducible: finer ones are lost between the pixels
_MIN_INDEPENDENT = 1e-6  # length of what a column adds to those before it
_MAX_PIXELS = 4096  # of patches whose map is computed


@dataclass(frozen=True)
class Cell:
    """One irreducible of the action: `spanned` is the share of it (0…1) that lies in the span of the set.

    `held` is the same for the span of its own filters alone: the pure ones of its weight, `filters` in number.
    """

    weight: Weight
    order: int
    spanned: float
    held: float
    filters: int

    @property
    def hole(self) -> bool:
        """Whether less than half of it is spanned."""
        return self.spanned < MIN_SPANNED


def span_of(unit: Array, action: LatticeAction) -> tuple[Array, Array]:
    """An orthonormal basis (D, r) of the span of unit filters (D, n), and all singular values of their real columns."""
    columns = np.concatenate([unit.real, unit.imag], axis=1) if np.iscomplexobj(unit) else unit
    inside = columns[action.support].astype(np.float64)
    gram = inside @ inside.T if inside.shape[0] <= inside.shape[1] else inside.T @ inside
    values, vectors = np.linalg.eigh(gram)
    singular = np.sqrt(np.maximum(values, 0.0))[::-1]
    keep = (singular > _MIN_SINGULAR_VALUE * singular.max(initial=0.0))[::-1]
    wide = inside.shape[0] <= inside.shape[1]
    basis = vectors[:, keep] if wide else inside @ (vectors[:, keep] / np.sqrt(values[keep]))
    full = np.zeros((action.dimension, basis.shape[1]))
    full[action.support] = basis
    return full, singular


def span_map(basis: Array, unit: Array, weights: Weights, spaces: WeightSpaces) -> tuple[Cell, ...]:
    """The cells of every weight of the action, by |ω|: of `basis`, and of pure unit filters (D, n) of known weights."""
    action = spaces.action
    if action.dimension > _MAX_PIXELS:
        return ()
    members = Weights(weights.folded.values).spaces()
    characters = Weights(action.characters).folded
    cells = []
    for i in characters.order():
        value, weight = characters.values[i], list(characters)[i]
        own = members.get(weight, np.empty(0, np.int64))
        pure = span_of(unit[:, own], action)[0] if own.size else basis[:, :0]
        for order, plane in enumerate(_irreducibles(value, weight, spaces)):
            spanned, held = (min(1.0, float(np.square(b.T @ plane).sum() / plane.shape[1])) for b in (basis, pure))
            cells.append(Cell(weight, order, spanned, held, int(own.size)))
    return tuple(cells)


def _irreducibles(value: Array, weight: Weight, spaces: WeightSpaces) -> list[Array]:
    """Those of one weight that the pixels resolve, as orthonormal columns: (D, 2) for planes, (D, 1) for lines."""
    planes = _planes(known_space(spaces.action, weight), spaces.action.is_real(value))
    if isinstance(spaces.action, CyclicShift) or not planes:
        return planes
    heights = spaces.spectra(np.stack([plane[:, 0] for plane in planes], axis=1))
    index = np.ravel_multi_index(tuple(value % spaces.action.lattice_shape), spaces.action.lattice_shape)
    share = heights[:, index] * (1 if planes[0].shape[1] == 1 else 2)  # a real filter has half of it at −ω
    return [plane for plane, purity in zip(planes, share, strict=True) if purity > _MIN_CELL_PURITY]


def _planes(columns: Array, line: bool) -> list[Array]:
    """Orthonormal real planes (D, 2), or lines (D, 1), from complex columns (D, m), each orthogonal to those before."""
    if line:
        q, r = np.linalg.qr(columns.real)
        return [q[:, i : i + 1] for i in np.flatnonzero(np.abs(r.diagonal()) > _MIN_INDEPENDENT)]
    pairs = np.stack([columns.real, columns.imag], axis=-1).reshape(len(columns), -1)
    q, r = np.linalg.qr(pairs)
    size = np.abs(r.diagonal()).reshape(-1, 2).min(axis=1)
    return [q[:, 2 * i : 2 * i + 2] for i in np.flatnonzero(size > _MIN_INDEPENDENT)]
