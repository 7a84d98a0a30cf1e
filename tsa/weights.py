"""Which weight has each learned filter? The paper's finite difference, and the character projection over the group.

If the action turns z_j by e^{iω_j s}, then r_j(s) = f_jᵀ A_s conj(f_j)/‖f_j‖² *is* that phase factor, and its Fourier
transform over the group is a single peak of height one at ω_j. A filter that mixes irreducibles shows several lower
peaks; the height of the highest is the filter's *purity*, our confidence in its weight.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tsa import checks
from tsa.checks import Array
from tsa.groups import CyclicShift, ImageRotation, lattice_points
from tsa.model import Subgroup, Torus

Group = ImageRotation | CyclicShift
Report = Callable[[float], object]  # called with the fraction that is done


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of J filters, with the confidence in each; prints like `7x0 + 6x1 + 5x2`.

    `values` is (J,) or (J, 2) integers, `confidence` (J,) between 0 and 1. Usable wherever an array of weights is.
    """

    values: Array
    confidence: Array

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        return describe(self.values)


def describe(weights: Array) -> str:
    """How many filters of each |ω|: `7x0 + 6x1 + 5x2`, or `2x(0,1)` for two-parameter groups."""
    if weights.ndim == 1:
        counts = sorted(Counter(int(w) for w in np.abs(weights)).items())
        return " + ".join(f"{n}x{w}" for w, n in counts)
    folded = [max(tuple(int(c) for c in w), tuple(-int(c) for c in w)) for w in weights]
    counts2 = sorted(Counter(folded).items(), key=lambda item: (item[0][0] ** 2 + item[0][1] ** 2, item[0]))
    return " + ".join(f"{n}x({a},{b})" for (a, b), n in counts2)


def spectra(filters: Array, action: Group, report: Report | None = None) -> Array:
    """The character projection of each filter: complex (J, n), entry k belonging to DFT frequency k of the lattice.

    For a two-parameter group the last axis is the flattened (h, w) array of frequencies.
    """
    filters = filters / np.linalg.norm(filters, axis=0)
    response = np.empty((filters.shape[1], len(action.lattice)), np.complex128)
    for i, operator in enumerate(action.operators()):
        moved = (filters.view(filters.real.dtype).T @ operator.astype(filters.real.dtype)).T
        moved = np.ascontiguousarray(moved).view(filters.dtype)  # fᵀA_s, as columns
        response[:, i] = np.einsum("dj,dj->j", moved, filters.conj())
        if report is not None:
            report((i + 1) / len(action.lattice))
    shape = _frequency_shape(action)
    axes = tuple(range(1, 1 + len(shape)))
    return np.fft.fftn(response.reshape(-1, *shape), axes=axes, norm="forward").reshape(response.shape)


def _frequency_shape(action: Group) -> tuple[int, ...]:
    return (len(action.lattice),) if action.lattice.ndim == 1 else action.shape


def _frequencies(action: Group) -> Array:
    """The signed weight of each entry of a spectrum: (n,) or (n, 2); n/2 stays positive."""
    shape = _frequency_shape(action)
    index = lattice_points(shape)
    signed = np.where(2 * index > np.array(shape), index - shape, index)
    return signed[:, 0] if len(shape) == 1 else signed


def estimate_weights(model: Torus | Subgroup, action: Group, report: Report | None = None) -> Weights:
    """The weight of every filter by character projection, with its purity as confidence."""
    height = spectra(model.filters, action, report).real
    # A real filter has a symmetric spectrum, two peaks at ±ω: it is a line, and its weight is counted positive.
    frequencies = _frequencies(action)
    best = np.argmax(height, axis=1)
    values = frequencies[best]
    return Weights(values, np.clip(height[np.arange(len(best)), best], 0.0, 1.0))


def velocities(
    model: Torus | Subgroup, action: Group, delta: float = np.radians(0.1), n: int = 1000, rng: checks.Rng = 0
) -> Array:
    """The paper's estimate (section 3.4): ω_j = θ_j/δ from noise moved by a sub-pixel δ; real (J,) or (J, 2).

    Kept for comparison. On interpolated rotations it is biased towards 0, because what an interpolation loses in a
    small turn it loses first in the fast filters.
    """
    x = checks.generator(rng).standard_normal((n, action.dimension))
    still = model.coordinates(action.apply(x, np.zeros(action.lattice.shape[1:])))
    steps = [delta] if action.lattice.ndim == 1 else [np.array([delta, 0.0]), np.array([0.0, delta])]
    turned = [model.coordinates(action.apply(x, s)) for s in steps]
    rates = [np.angle((still.conj() * z).sum(axis=0)) / delta for z in turned]
    return rates[0] if action.lattice.ndim == 1 else np.stack(rates, axis=-1)


def as_subgroup(model: Torus | Subgroup, action: Group, **options: Any) -> Subgroup:
    """The model with the weights the action gives it."""
    return Subgroup(model.filters, estimate_weights(model, action, **options).values, model.noise)
