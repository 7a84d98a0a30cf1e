"""The standard deviation σ of the noise in two patches, from the patches themselves: the σ of highest evidence.

The evidence is p(x, y | σ) with everything else summed over: s, the clean picture and its spectrum. Pictures have few
directions with much power and many with little; the noise is what all of them share.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft
from scipy.optimize import minimize

from tsa._base import Array, ShapeError, checks
from tsa.model import Subgroup
from tsa.registration.hyperprior import FreeSpectrum, Hyperprior, NoisyPair, PhotographicSpectrum
from tsa.registration.planes import Camera, NoisyPlanes
from tsa.registration.posterior import PlanePair, log_evidence, noisy_pair

# Coarser than the prior of the posterior: σ needs less of the density over s.
_SEARCH = Hyperprior(
    (
        (0.5, FreeSpectrum(rungs=15, harmonics=4, nodes=16)),
        (0.5, PhotographicSpectrum(scales=5, tilts=(0.0, 1.0))),
    )
)
MIN_SHARE = 1e-3  # of σ in that of a pair that is nothing but noise: below it is not looked for
_RATIO = 1.25  # of the three σ that are tried at once
_MAX_ROUNDS = 8
_CHUNK_PAIRS = 300  # whose evidence is found at once
_NODES_PER_WAVE, _NEWTON_STEPS = 8, 3  # for the best s of a first look


Evidence = Callable[[NoisyPair], Array]  # of B pairs with their noise: (B,)


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
        found = find_noise(planes, pair, shared=not each)
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


def find_noise(planes: NoisyPlanes, pair: PlanePair, shared: bool = False) -> Array:
    """The σ of highest evidence of each pair, or `shared` by all of them; σ is the same in x and y: (B,)."""
    start = _unexplained(planes, pair)
    if shared:
        start = np.full_like(start, np.sqrt(np.mean(start**2)))
    return climb(planes, pair, lambda noisy: log_evidence(planes, noisy, _SEARCH), start, shared)[0]


def climb(
    planes: NoisyPlanes, pair: PlanePair, evidence: Evidence, start: Array, shared: bool = False
) -> tuple[Array, Array]:
    """The σ of highest evidence near `start` (B,), and the highest log evidence of those that were tried: (B,) each.

    Three σ at once are tried, again around the best until that is among them.
    """
    found, lowest = np.log(start), np.log(MIN_SHARE * all_noise(planes, pair))
    highest = np.full(len(found), -np.inf)
    steps = np.log(_RATIO) * np.array([[-1.0], [0.0], [1.0]])
    left = np.arange(len(found))
    for _ in range(_MAX_ROUNDS):
        tried = found[left] + steps
        reached = log_evidences(planes, pair.rows(left), evidence, np.exp(tried))
        if shared:
            reached = np.broadcast_to(reached.sum(axis=1, keepdims=True), reached.shape)
        highest[left] = np.maximum(highest[left], reached.max(axis=0))
        best = _peak(tried, reached)
        outside = (np.abs(best - found[left]) >= steps[-1]) & (best > lowest[left])
        found[left] = best
        left = left[outside]
        if not left.size:
            break
    return np.exp(found), highest


def log_evidences(planes: NoisyPlanes, pair: PlanePair, evidence: Evidence, sigma: Array) -> Array:
    """The log evidence of each pair at several σ (n, B), as many at once as stay in cache: (n, B)."""
    count, found = len(pair.x), np.empty(sigma.shape)
    at_once = max(1, _CHUNK_PAIRS // max(1, count))
    for start in range(0, len(sigma), at_once):
        some = sigma[start : start + at_once]
        many, flat = pair.rows(np.tile(np.arange(count), len(some))), some.ravel()
        found[start : start + at_once] = evidence(noisy_pair(planes, many, flat, flat)).reshape(some.shape)
    return found


def all_noise(planes: NoisyPlanes, pair: PlanePair) -> Array:
    """σ of each pair if there is nothing but noise in its planes, (B,)."""
    energy = (pair.x.real**2 + pair.x.imag**2 + pair.y.real**2 + pair.y.imag**2).sum(axis=1) / 2
    return np.sqrt(np.maximum(energy, 1e-24) / (planes.noise_gain + pair.gain_y).sum())


def _unexplained(planes: NoisyPlanes, pair: PlanePair) -> Array:
    """σ from what the best s leaves of y − act(x, s), each plane counted by its noise: (B,)."""
    weight = 2 / (planes.noise_gain + pair.gain_y)
    shift = planes.pooled(pair.x.conj() * pair.y * weight)
    energy = ((pair.x.real**2 + pair.x.imag**2 + pair.y.real**2 + pair.y.imag**2) * weight).sum(axis=1)
    found = _highest(shift, planes.spaces)
    most = all_noise(planes, pair)
    resampled = planes.resampled * (np.abs(pair.x) ** 2 + np.abs(pair.y) ** 2).sum(axis=1) / 4 * weight.mean()
    left = (energy - 2 * found) / (4 * len(weight)) - resampled
    return np.clip(np.sqrt(np.maximum(left, 0.0)), 2 * MIN_SHARE * most, most)


def _highest(eta: Array, spaces: Array) -> Array:
    """The highest value of Re Σ_k conj(η_k) e^{ik·s} over s, for η (B, K): a grid, then Newton's method: (B,)."""
    p = spaces.shape[1]
    sides = [2 ** int(np.ceil(np.log2(_NODES_PER_WAVE * max(1, int(k))))) for k in np.abs(spaces).max(axis=0)]
    half = np.zeros((len(eta), *sides), complex)
    half[(slice(None), *(spaces.T % np.array(sides)[:, None]))] = eta
    values = fft.fftn(half, axes=range(1, p + 1)).real.reshape(len(eta), -1)
    node = np.unravel_index(values.argmax(axis=1), sides)
    s = np.stack([2 * np.pi * place / side for place, side in zip(node, sides, strict=True)], axis=1)
    outer = (spaces[:, :, None] * spaces[:, None, :]).reshape(len(spaces), -1)
    highest = values.max(axis=1)
    for _ in range(_NEWTON_STEPS):
        terms = eta.conj() * np.exp(1j * s @ spaces.T)
        slope, bend = -terms.imag @ spaces, (terms.real @ outer).reshape(len(eta), p, p)
        flat = 1e-12 * np.abs(terms).sum(axis=1) + 1e-300  # where nothing depends on s
        s += np.linalg.solve(bend + flat[:, None, None] * np.eye(p), slope[..., None])[..., 0]
        # The highest value so far: a step that missed does no harm.
        highest = np.maximum(highest, (eta.conj() * np.exp(1j * s @ spaces.T)).real.sum(axis=1))
    return highest


def _peak(t: Array, value: Array) -> Array:
    """Where a − Nt − S/2 e^{-2t} through three equally spaced points (3, B) is highest: (B,).

    That is the log likelihood of a variance e^{2t}. It is looked for up to three steps from the middle; without a
    peak, the better end is returned.
    """
    step = t[1] - t[0]
    both, rise = value[2] + value[0] - 2 * value[1], value[2] - value[0]
    s = -both / (np.cosh(2 * step) - 1)
    n = (s * np.sinh(2 * step) - rise) / (2 * step)
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = np.where((s > 0) & (n > 0), np.log(s / n) / 2, np.sign(rise) * step)
    return np.asarray(t[1] + np.clip(vertex, -3 * step, 3 * step))


def _two_sigmas(planes: NoisyPlanes, pair: PlanePair) -> Array:
    """σ of x and of y, shared by all pairs, by a simplex search in their logarithms from the common one."""
    start = np.log(find_noise(planes, pair, shared=True)[0])

    def lack(log_sigma: Array) -> float:
        noise = np.exp(np.broadcast_to(log_sigma[:, None], (2, len(pair.x))))
        return -float(log_evidence(planes, noisy_pair(planes, pair, *noise), _SEARCH).sum())

    simplex = start + np.array([[0.0, 0.0], [0.3, -0.3], [-0.3, 0.3]])
    found = minimize(
        lack, simplex[0], method="Nelder-Mead", options={"initial_simplex": simplex, "xatol": 5e-3, "maxfev": 120}
    )
    return np.exp(found.x)
