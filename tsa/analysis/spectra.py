"""The weight of each filter under a known action: by character projection, and by the paper's finite difference.

If the action multiplies z_j by e^{iω_j s}, then r_j(s) = f_jᵀ A_s conj(f_j)/‖f_j‖² equals that phase factor, and its
Fourier transform over the group, the *spectrum* of the filter, is a single peak of height 1 at ω_j. The spectrum of a
filter that mixes irreducibles has several lower peaks; the height of the highest is the filter's *purity*, which is
the confidence in its weight.
"""

import math
from typing import Any

import numpy as np

from tsa._base import Array, InputError, ProgressCallback, checks
from tsa.groups import Action, CyclicShift, LatticeAction, as_lattice_action
from tsa.model import Subgroup, Torus, Weights, lattice_points


def spectra(filters: Array, action: Action, on_progress: ProgressCallback | None = None) -> Array:
    """The character projection of each filter (D, J), complex or real: real (J, n), n the size of the lattice.

    Entry k belongs to DFT frequency k of the lattice (`frequencies` gives its signed weight). For a two-parameter group
    the last axis is the flattened (h, w) array of frequencies.
    """
    unit, action = filters / np.linalg.norm(filters, axis=0), as_lattice_action(action)
    if isinstance(action, CyclicShift):
        # r_j is the filter's autocorrelation, whose transform is its power spectrum.
        pictures = unit.T.reshape(-1, *action.shape)
        waves = np.fft.fftn(pictures, axes=tuple(range(1, pictures.ndim)), norm="ortho")
        return np.square(np.abs(waves)).reshape(len(pictures), math.prod(waves.shape[1:]))
    if not np.iscomplexobj(unit):
        return _spectrum(_correlations(unit, action, on_progress)[0], action)
    own, across = _correlations(np.stack([unit.real, unit.imag], axis=-1).reshape(len(unit), -1), action, on_progress)
    return _spectrum(own[::2] + own[1::2] + 1j * across[::2], action)


def _correlations(columns: Array, action: LatticeAction, on_progress: ProgressCallback | None) -> tuple[Array, Array]:
    """The terms of r(s) at each angle of the lattice, for real columns c_i (D, n) and for neighbouring pairs of them.

    Returns c_iᵀ A_s c_i (n, lattice), which is r of one column, and c_{i+1}ᵀ A_s c_i − c_iᵀ A_s c_{i+1} (n − 1,
    lattice): for f = a + ib, r is aᵀAa + bᵀAb + i(bᵀAa − aᵀAb). Computed in single precision; the interpolation of the
    rotation is not more accurate.
    """
    x = columns[action.support].astype(np.float32)
    own, across = (np.empty((n, len(action.lattice))) for n in (x.shape[1], x.shape[1] - 1))
    for done, (i, moved) in enumerate(action.apply_all_to_columns(x), 1):
        own[:, i] = np.einsum("di,di->i", x, moved)
        across[:, i] = np.einsum("di,di->i", x[:, 1:], moved[:, :-1]) - np.einsum("di,di->i", x[:, :-1], moved[:, 1:])
        if on_progress is not None:
            on_progress(done / len(action.lattice))
    return own, across


def _spectrum(response: Array, action: LatticeAction) -> Array:
    """The Fourier transform over the group of responses (J, n), n the size of the lattice."""
    if action.parameters == 1:
        return np.fft.fft(response, axis=1, norm="forward").real
    grid = response.reshape(len(response), *action.lattice_shape)
    return np.fft.fftn(grid, axes=range(1, grid.ndim), norm="forward").real.reshape(response.shape)


def frequencies(action: Action) -> Array:
    """The signed weight of each entry of a spectrum: (n,), or (n, p) for p parameters.

    n/2 and −n/2 are one frequency: it stays positive, or takes the sign of its partner, so that conjugate filters
    have opposite weights.
    """
    shape = action.lattice_shape
    index = lattice_points(shape)
    signed = np.where(2 * index > np.array(shape), index - shape, index)
    if len(shape) == 1:
        return signed[:, 0]
    return np.where((2 * index == shape) & (signed[:, ::-1] < 0), -signed, signed)


def estimate_weights(model: Torus | Subgroup, action: Action, on_progress: ProgressCallback | None = None) -> Weights:
    """The weight of every filter by character projection, with its purity as confidence.

    >>> weights = tsa.estimate_weights(tsa.load("shift-32"), tsa.groups.CyclicShift(32))
    >>> str(weights)[:15], float(weights.confidence.max().round(2))
    ('1x0 + 1x1 + 1x2', 1.0)
    """
    check_same_patches(model, action)
    return weights_of_spectra(spectra(model.filters, action, on_progress), action)


def weights_of_spectra(heights: Array, action: Action) -> Weights:
    """The weights at which spectra (J, n) are highest, with these heights as confidence."""
    # The spectrum of a real filter (a line) is symmetric, with peaks at ±ω: argmax takes the positive one, which comes
    # first.
    best = np.argmax(heights, axis=1)
    return Weights(frequencies(action)[best], np.clip(heights[np.arange(len(best)), best], 0.0, 1.0))


def finite_difference_weights(
    model: Torus | Subgroup, action: Action, delta: float = np.radians(0.1), n: int = 1000, rng: checks.Rng = 0
) -> Array:
    """The paper's estimate (section 3.4): ω_j = θ_j/δ from noise moved by a sub-pixel δ; real (J,) or (J, 2).

    For comparison with `estimate_weights`. On interpolated rotations it is biased towards 0: interpolation damps high
    spatial frequencies, on which filters of large weight depend most.

    >>> model, action = tsa.fourier_model(9), tsa.groups.CyclicShift(9)
    >>> abs(tsa.finite_difference_weights(model, action)).round()
    array([0., 1., 2., 3., 4.])
    """
    check_same_patches(model, action)
    action = as_lattice_action(action)
    x = checks.generator(rng).standard_normal((n, action.dimension))
    still = model.coordinates(action.apply(x, np.zeros(action.lattice.shape[1:])))
    steps = [delta] if action.parameters == 1 else list(delta * np.eye(action.parameters))
    turned = [model.coordinates(action.apply(x, s)) for s in steps]
    rates = [np.angle((still.conj() * z).sum(axis=0)) / delta for z in turned]
    return rates[0] if action.parameters == 1 else np.stack(rates, axis=-1)


def check_same_patches(model: Torus | Subgroup, action: Action) -> None:
    """An error unless the action moves patches of the model's size."""
    pixels = math.prod(action.shape)
    if model.dimension != pixels:
        raise InputError(f"The model has {model.dimension} pixels, {action} has {pixels}: not the same patches.")


def as_subgroup(model: Torus | Subgroup, action: Action, **options: Any) -> Subgroup:
    """The model with the weights the action gives it."""
    return Subgroup(model.filters, estimate_weights(model, action, **options), model.noise)
