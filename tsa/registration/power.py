"""The power of a clean picture in each subspace of a model, from a noisy pair of it: one answer, not a mixture.

`Subgroup.posterior(x, y, noise_x=σ, power=…)` takes such a power; each weight then still adds one wave to the log
posterior. Credible sets cover 94 to 99 % where they say 95 %; those of `pair_posterior`, which mixes spectra and
symmetries, are narrower and calibrated.
"""

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, checks
from tsa.model import Subgroup

_RUNGS = np.logspace(-3.0, 4.0, 15)  # of τ², relative to the noise
_SILENCE = 0.5  # probability of τ² = 0
_NODES = 16  # of a half turn
_MAX_SHARE = 1 - 1e-9


def estimate_power(model: Subgroup, x: ArrayLike, y: ArrayLike, noise_x: float | None = None) -> Array:
    """τ_j², the mean square of the clean coordinates in each real dimension, of pairs (..., D): (..., J).

    The power τ² of a weight space is not known: zero with probability ½, else log-uniform over seven decades. Summed
    over it, the weight adds log f(k·s) to the log posterior; the answer is the τ² whose single wave has the size of
    the first harmonic of log f. For weight 0 it is the τ² of highest evidence. `noise_x` is the standard deviation of
    the noise in x (the model's σ if not given, as in y).

    >>> model, rng = tsa.fourier_model(8), np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 8))
    >>> tsa.estimate_power(model, x, np.roll(x, 3, axis=1)).shape
    (200, 5)
    """
    n_y = model.noise**2
    n_x = n_y if noise_x is None else checks.positive(noise_x, "noise_x") ** 2
    u, v = (model.coordinates(p).astype(np.complex128) for p in (x, y))
    u, v = np.broadcast_arrays(u, v)
    dimensions, fixed = np.where(model.lines, 1.0, 2.0), model.irreps.fixed
    powers = np.concatenate([[0.0], _RUNGS * np.sqrt(n_x * n_y)])[:, *[None] * (u.ndim - 1)]
    prior = np.log(np.r_[_SILENCE, np.full(len(_RUNGS), (1 - _SILENCE) / len(_RUNGS))])
    det = n_x * n_y + powers * (n_x + n_y)
    wave = np.cos(np.pi * np.arange(_NODES + 1) / _NODES)
    trapezoid = np.r_[0.5, np.ones(_NODES - 1), 0.5] * wave * (2 / _NODES)  # to the first cosine coefficient
    found = np.zeros(u.shape)
    for members in model.irreps.spaces().values():
        a, b = u[..., members], v[..., members]
        energy_x, energy_y = (np.sum(c.real**2 + c.imag**2, axis=-1) for c in (a, b))
        level = -dimensions[members].sum() / 2 * np.log(det)
        level = level - ((n_y + powers) * energy_x + (n_x + powers) * energy_y) / (2 * det)
        overlap = _overlap(model, members, a, b)
        if fixed[members[0]]:
            best = np.argmax(level + overlap * powers / det, axis=0)
            found[..., members] = powers.ravel()[best][..., None]
            continue
        kappa = overlap * powers / det
        # At each node relative to the largest term there.
        terms = (level.T + prior).T[..., None] + kappa[..., None] * wave
        top = terms.max(axis=0)
        log_f = top + np.log(np.exp(np.maximum(terms - top, -700.0)).sum(axis=0))
        share = np.divide((n_x + n_y) * (log_f @ trapezoid), overlap, out=np.zeros_like(overlap), where=overlap > 0)
        share = np.clip(share, 0.0, _MAX_SHARE)
        found[..., members] = (n_x * n_y / (n_x + n_y) * share / (1 - share))[..., None]
    return found


def _overlap(model: Subgroup, members: Array, a: Array, b: Array) -> Array:
    """The greatest Re Σ conj(a) e^{iωs} b over s within one weight ±ω; where nothing moves, its value."""
    first = model.irreps.values[members[0]]
    product = a.conj() * b
    if not first.any():
        return np.asarray(product.real.sum(axis=-1))
    same = (model.irreps.values[members] == first).all(axis=-1)
    return np.abs(np.sum(np.where(same, product, product.conj()), axis=-1))
