"""Which weight has each learned filter? The paper's finite difference, and the character projection over the group.

If the action turns z_j by e^{iω_j s}, then r_j(s) = f_jᵀ A_s conj(f_j)/‖f_j‖² *is* that phase factor, and its Fourier
transform over the group is a single peak of height one at ω_j. A filter that mixes irreducibles shows several lower
peaks; the height of the highest is the filter's *purity*, our confidence in its weight.
"""

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tsa import checks
from tsa.checks import Array
from tsa.errors import InputError
from tsa.groups import CyclicShift, ImageRotation, lattice_points
from tsa.model import Subgroup, Torus
from tsa.progress import Report, shares
from tsa.stiefel import complex_filters, real_columns

Group = ImageRotation | CyclicShift
_PURE = 0.99


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
    """The character projection of each filter: real (J, n), entry k belonging to DFT frequency k of the lattice.

    Filters may be real. For a two-parameter group the last axis is the flattened (h, w) array of frequencies.
    """
    unit = filters / np.linalg.norm(filters, axis=0)
    if isinstance(action, CyclicShift):
        # r_j is the filter's autocorrelation, whose transform is its power spectrum.
        pictures = unit.T.reshape(-1, *action.shape)
        waves = np.fft.fftn(pictures, axes=tuple(range(1, pictures.ndim)), norm="ortho")
        return np.square(np.abs(waves)).reshape(len(pictures), math.prod(waves.shape[1:]))
    if not np.iscomplexobj(unit):
        return _spectrum(_correlations(unit, action, report)[0])
    own, across = _correlations(np.stack([unit.real, unit.imag], axis=-1).reshape(len(unit), -1), action, report)
    return _spectrum(own[::2] + own[1::2] + 1j * across[::2])


def _correlations(columns: Array, action: ImageRotation, report: Report | None) -> tuple[Array, Array]:
    """What r(s) is made of, for real columns c_i (D, n) and neighbours among them, at each angle of the lattice.

    c_iᵀ A_s c_i (n, lattice), which is r of one column, and c_{i+1}ᵀ A_s c_i − c_iᵀ A_s c_{i+1} (n − 1, lattice): for
    f = a + ib, r is aᵀAa + bᵀAb + i(bᵀAa − aᵀAb). In single precision, as precise as an interpolation is.
    """
    x = columns[action.support].astype(np.float32)
    own, across = (np.empty((n, len(action.lattice))) for n in (x.shape[1], x.shape[1] - 1))
    for done, (i, moved) in enumerate(action.orbit_of_columns(x), 1):
        own[:, i] = np.einsum("di,di->i", x, moved)
        across[:, i] = np.einsum("di,di->i", x[:, 1:], moved[:, :-1]) - np.einsum("di,di->i", x[:, :-1], moved[:, 1:])
        if report is not None:
            report(done / len(action.lattice))
    return own, across


def _spectrum(response: Array) -> Array:
    return np.fft.fft(response, axis=1, norm="forward").real


def _frequency_shape(action: Group) -> tuple[int, ...]:
    return (len(action.lattice),) if action.lattice.ndim == 1 else action.shape


def frequencies(action: Group) -> Array:
    """The signed weight of each entry of a spectrum: (n,) or (n, 2).

    n/2 and −n/2 are one frequency: it stays positive, or takes the sign of its partner, so that conjugate filters
    have opposite weights.
    """
    shape = _frequency_shape(action)
    index = lattice_points(shape)
    signed = np.where(2 * index > np.array(shape), index - shape, index)
    if len(shape) == 1:
        return signed[:, 0]
    return np.where((2 * index == shape) & (signed[:, ::-1] < 0), -signed, signed)


def estimate_weights(model: Torus | Subgroup, action: Group, report: Report | None = None) -> Weights:
    """The weight of every filter by character projection, with its purity as confidence."""
    return highest(spectra(model.filters, action, report), action)


def highest(height: Array, action: Group) -> Weights:
    """The weights at which spectra are highest."""
    # A real filter has a symmetric spectrum, two peaks at ±ω: it is a line, and its weight is counted positive.
    known = frequencies(action)
    best = np.argmax(height, axis=1)
    values = known[best]
    return Weights(values, np.clip(height[np.arange(len(best)), best], 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class Guess:
    """The group that acts most purely on somebody's filters, with the weights it gives them.

    `model` holds the filters given, or the same columns paired otherwise where only that makes sense of them.
    """

    action: Group
    model: Torus | Subgroup
    weights: Weights

    @property
    def purity(self) -> float:
        """Mean purity of the filters: 1 if each of them is irreducible."""
        return float(self.weights.confidence.mean())

    @property
    def known(self) -> bool:
        """Whether a group we know acts on these filters: more than half of each, on average, is of one weight.

        A random basis of 12 samples has 0.26 and in 1000 draws never 0.4, one of 16×16 pixels 0.05; what the paper's
        algorithm learns has 0.86, and refined 0.96. Of fewer than 12 pixels one cannot tell.
        """
        return self.purity > 0.5


def guess_group(model: Torus | Subgroup, shape: tuple[int, ...], report: Report | None = None) -> Guess:
    """Which group acts on these filters: shifts, or for square patches rotation, whichever finds them purer.

    Few files say whether 256 numbers are a picture or a row, so a shift of the row is tried too: `action.shape` tells.
    """
    candidates: list[Group] = [CyclicShift(shape[0] if len(shape) == 1 else (shape[0], shape[1]))]
    if len(shape) == 2 and shape[0] == shape[1] > 1:
        candidates += [CyclicShift(model.dimension), ImageRotation(shape[0])]
    # Rotation is the one that takes time, and the only one that reports.
    weighing, pairing, weighing_pairs, done = shares(report, 1, 1, 1, 1e-9)
    guesses = [Guess(action, model, estimate_weights(model, action, weighing)) for action in candidates]
    unknown = not any(guess.known for guess in guesses)
    for action in candidates:
        if unknown or isinstance(action, CyclicShift):
            paired = pair_neighbours(model, action, pairing)
            if paired is not model:
                guesses.append(Guess(action, paired, estimate_weights(paired, action, weighing_pairs)))
    done(1.0)
    # Filters stay paired as given unless only another pairing makes them known, or all of them pure.
    return max(guesses, key=lambda g: (g.known, g.purity > _PURE, g.model is model, round(g.purity, 6)))


def pair_neighbours(model: Torus | Subgroup, action: Group, report: Report | None = None) -> Torus | Subgroup:
    """The same real columns in the same order, taken as neighbouring pairs and single lines as the action likes best.

    A real DFT written down in order begins 1, cos, sin, cos, sin: taken two by two, every pair would be a mixture.
    The model itself comes back if no pairing can help.
    """
    columns = real_columns(model.filters)
    n = columns.shape[1]
    if isinstance(action, ImageRotation):
        own, across = _correlations(columns, action, report)
        single, pair = _spectrum(own).max(axis=1), _spectrum(own[:-1] + own[1:] + 1j * across).max(axis=1)
    else:
        single = spectra(columns, action).max(axis=1)
        pair = 2 * spectra(columns[:, :-1] + 1j * columns[:, 1:], action).max(axis=1)
    if single.mean() <= 0.25:  # a plane is at most as pure as its two columns together, so none would be half pure
        return model
    # best[i]: the largest total purity of the first i columns, each counted.
    best, takes_two = np.zeros(n + 1), np.zeros(n + 1, bool)
    for i in range(1, n + 1):
        best[i] = best[i - 1] + single[i - 1]
        if i > 1 and best[i - 2] + pair[i - 2] > best[i]:
            best[i], takes_two[i] = best[i - 2] + pair[i - 2], True
    planes, i = list[bool](), n
    while i > 0:
        planes.append(bool(takes_two[i]))
        i -= 1 + planes[-1]
    return Torus(complex_filters(columns, planes[::-1]), model.noise)


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


def check_same_patches(model: Torus | Subgroup, action: Group) -> None:
    """An error unless the action moves patches of the model's size."""
    if model.dimension != action.dimension:
        raise InputError(
            f"The model has {model.dimension} pixels, {action} has {action.dimension}: not the same patches."
        )


def as_subgroup(model: Torus | Subgroup, action: Group, **options: Any) -> Subgroup:
    """The model with the weights the action gives it."""
    return Subgroup(model.filters, estimate_weights(model, action, **options).values, model.noise)
