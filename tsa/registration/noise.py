"""The standard deviation σ of the noise in two patches, from the patches themselves: the σ of highest evidence.

The evidence is p(x, y | σ) with everything else summed over: s, the clean picture and its spectrum. Pictures have few
directions with much power and many with little; the noise is what all of them share.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from tsa._base import Array, ShapeError, checks
from tsa.model import Subgroup
from tsa.registration.hyperprior import FreeSpectrum, Hyperprior, PhotographicSpectrum
from tsa.registration.planes import Camera, NoisyPlanes
from tsa.registration.posterior import PlanePair, noisy_pair, pair_posterior

# For a first look, fewer rungs, contrasts and harmonics, and no symmetries.
_QUICK = Hyperprior(
    (
        (0.5, FreeSpectrum(rungs=8, symmetries=(1,), harmonics=1, nodes=16)),
        (0.5, PhotographicSpectrum(scales=3)),
    )
)
_CLOSE = Hyperprior(((0.5, FreeSpectrum(rungs=15, harmonics=4, nodes=32)), (0.5, PhotographicSpectrum(scales=5))))
# Of σ, relative to that of a pair that is nothing but noise; on a torus, where the grid of a density has 1/σ² nodes,
# from a larger one on.
_LADDER, _LADDER_ON_TORUS = np.logspace(-2.8, 0.0, 8), np.logspace(-1.6, 0.0, 5)
_CLOSER = (1.4, 1.12)  # ratios of the three points of each later round


class FoundNoise(NamedTuple):
    """σ of each pair if y is x moved, and if y is another picture; the highest log evidence of both: (B,) each."""

    sigma: Array
    sigma_apart: Array
    log_evidence: Array
    log_unrelated: Array


def estimate_noise(
    model: Subgroup, x: ArrayLike, y: ArrayLike, *, equal: bool = True, each: bool = False, camera: Camera | None = None
) -> float | Array:
    """σ of the noise in x and y (..., D), which show the same thing moved, by maximum evidence.

    One number for all pairs, in the units of the patches; `each=True` gives one for each pair, (...). With
    `equal=False` x and y have a σ each: (2,), or (..., 2). `camera` says how the patches were made; then σ is in the
    units of the pictures. Without it the noise is taken to be white on the patches. `model.with_noise(σ)` uses it.

    >>> model, rng = tsa.fourier_model(32), np.random.default_rng(0)
    >>> x = np.cumsum(rng.normal(size=(50, 32)), axis=1)
    >>> y = np.roll(x, 5, axis=1) + 0.2 * rng.normal(size=x.shape)
    >>> bool(abs(tsa.estimate_noise(model, x + 0.2 * rng.normal(size=x.shape), y) - 0.2) < 0.02)
    True
    """
    planes = NoisyPlanes.of(model, camera)
    pair, batch = pairs_of_patches(model, planes, x, y)
    if equal:
        found = find_noise(planes, pair, shared=not each).sigma
        return found.reshape(batch) if each else float(found[0])
    rows = [[i] for i in range(len(pair.x))] if each else [list(range(len(pair.x)))]
    pairs = np.array([_two_sigmas(planes, pair.rows(row)) for row in rows])
    return pairs.reshape(*batch, 2) if each else pairs[0]


def pairs_of_patches(
    model: Subgroup, planes: NoisyPlanes, x: ArrayLike, y: ArrayLike
) -> tuple[PlanePair, tuple[int, ...]]:
    """Pairs of patches (..., D) in the planes, flat, and their batch."""
    x, y = (checks.finite(checks.real(p, "patches"), "patches").astype(np.float64) for p in (x, y))
    for patches in (x, y):
        if patches.ndim == 0 or patches.shape[-1] != model.dimension:
            raise ShapeError(f"A patch of this model has {model.dimension} pixels; got shape {patches.shape}.")
    batch = checks.common_shape("The batches of x and y", x.shape[:-1], y.shape[:-1])
    flat = (np.broadcast_to(p, (*batch, p.shape[-1])).reshape(-1, p.shape[-1]) for p in (x, y))
    return PlanePair.of(planes, *flat), batch


def find_noise(planes: NoisyPlanes, pair: PlanePair, shared: bool = False) -> FoundNoise:
    """The σ of highest evidence of each pair, or `shared` by all of them; σ is the same in x and y."""
    energy = (np.abs(pair.x) ** 2 + np.abs(pair.y) ** 2).sum(axis=1) / 2
    both = planes.noise_gain.sum() + pair.gain_y.sum()
    most = np.sqrt(np.maximum(energy.mean(keepdims=True) if shared else energy, 1e-24) / both)
    most = np.broadcast_to(most, energy.shape)

    def tried(sigma: Array, hyperprior: Hyperprior) -> tuple[Array, Array, Array]:
        """log p(x, y) of related and of unrelated patches at each σ (n, B): σ and both, (n, B)."""
        found = [pair_posterior(planes, noisy_pair(planes, pair, one, one), hyperprior) for one in sigma]
        evidence, apart = (np.stack([getattr(f, name) for f in found]) for name in ("log_evidence", "log_unrelated"))
        if shared:
            evidence, apart = (np.broadcast_to(a.sum(axis=1, keepdims=True), sigma.shape) for a in (evidence, apart))
        return sigma, evidence, apart

    ladder = _LADDER if planes.weights.parameters == 1 else _LADDER_ON_TORUS
    sigma, evidence, apart = tried(most * ladder[:, None], _QUICK)
    sigma_apart = _vertex(sigma, apart)
    centre = _vertex(sigma, evidence)
    for ratio in _CLOSER:
        around = centre * ratio ** np.array([[-1.0], [0.0], [1.0]])
        sigma, evidence, apart = tried(around, _CLOSE)
        centre = _vertex(sigma, evidence, reach=1.5 * np.log(ratio))
    alone = tried(sigma_apart[None], _CLOSE)[2]
    return FoundNoise(centre, sigma_apart, evidence.max(axis=0), np.concatenate([apart, alone]).max(axis=0))


def _vertex(sigma: Array, value: Array, reach: float = 0.0) -> Array:
    """Where the parabola in log σ through the highest of n points and its neighbours is highest: (n, B) → (B,).

    At most `reach` beyond the outer ones.
    """
    best = np.clip(np.argmax(value, axis=0), 1, len(value) - 2)
    t, f = (
        np.stack([np.take_along_axis(a, (best + i)[None], 0)[0] for i in (-1, 0, 1)]) for a in (np.log(sigma), value)
    )
    left, right = (f[1] - f[0]) / (t[1] - t[0]), (f[2] - f[1]) / (t[2] - t[1])
    bend = (right - left) / (t[2] - t[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = (t[0] + t[1]) / 2 - left / (2 * bend)
    return np.exp(
        np.clip(np.where(bend < 0, vertex, t[np.argmax(f, axis=0), np.arange(f.shape[1])]), t[0] - reach, t[2] + reach)
    )


def _two_sigmas(planes: NoisyPlanes, pair: PlanePair) -> Array:
    """σ of x and of y, shared by all pairs, by a simplex search in their logarithms from the common one."""
    start = np.log(find_noise(planes, pair, shared=True).sigma[0])

    def lack(log_sigma: Array) -> float:
        noise = np.exp(np.broadcast_to(log_sigma[:, None], (2, len(pair.x))))
        return -float(pair_posterior(planes, noisy_pair(planes, pair, *noise), _CLOSE).log_evidence.sum())

    simplex = start + np.array([[0.0, 0.0], [0.3, -0.3], [-0.3, 0.3]])
    found = minimize(
        lack, simplex[0], method="Nelder-Mead", options={"initial_simplex": simplex, "xatol": 5e-3, "maxfev": 120}
    )
    return np.exp(found.x)
