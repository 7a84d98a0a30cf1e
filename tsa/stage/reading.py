"""What a pair says about its turn, in numbers: the statistics behind the words, for all turns of a sweep at once.

Each question has its own statistic: does the best turn fit (a residual test against σ, and against the noise that y
itself shows), does the answer depend on the turn at all, which turns, and who says so (weights, pair, prior).
"""

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from scipy import special

from tsa._base import Array
from tsa.density import Density
from tsa.density.numerics import evaluate
from tsa.model import Subgroup
from tsa.pictures import SHAPES, patch
from tsa.stage.rows import is_loud
from tsa.stage.sweep import Sweep

ALPHA = 0.02  # a pair made by the model is called unexplained this often
MIN_MODE_MASS = 0.01  # of a mode that is named
FLAT_PEAK = 1.25  # peak density over the uniform density below which no mode is named
ROUND_SHARE = 0.004  # share of moving energy below which a picture is round: the pixel grid gives a disc 0.0003
BLANK_ENERGY = 0.01  # energy (grey values²) below which a picture is blank
_MISFIT = 0.1  # of what x has outside the span: the most that resampling a clean turned copy leaves over inside it
_CAMERA_GAIN = 2.0  # noise inside the span over noise outside it, if it went through the camera
_MIN_SEEN = 1e-6  # modulus of a filter at a pixel that it sees; refined filters have 1e-16 in the corners
_LARGE = 1e6  # noncentrality from which χ² is normal to five digits


@dataclass(frozen=True, eq=False)
class Readings:
    """The numbers behind the words of T turns. Noises are standard deviations of a pixel, in grey values."""

    sigma: Array  # (T,): σ of the model
    p: Array  # (T,): chance of a larger residual if the best turn and σ are right
    p_own: Array  # (T,): the same, with the noise that y shows outside the span of the filters in place of σ
    level: Array  # (T,) text: that noise, compared with σ: "as", "cleaner" or "noisier"
    sigma_own: Array  # (T,): that noise, as an upper bound: content that the filters do not see is counted as noise
    sigma_pair: Array  # (T,): the σ that the pair suggests if the best turn is right
    sigma_needed: Array  # (T,): the σ up to which an exact copy of x could be placed
    presence: Array  # (T,): log p(y | x) − log p(y | noise alone), nats
    flat: Array  # (T,) text: why the pair does not choose: "", "blank x", "blank y", "round x", "round y", "noise" or
    # "disjoint"
    bits: Array  # (T,): KL(posterior ‖ uniform)
    likelihood_bits: Array  # (T,): KL(likelihood ‖ uniform)
    pair_bits: Array  # (T,): KL(posterior ‖ prior), what the pair adds to the prior
    prior_bits: Array  # (T,): KL(posterior ‖ likelihood), what the prior adds to the pair
    has_prior: Array  # (T,) bool
    best: Array  # (T,) radians: the turn that fits best, prior aside
    pulled: Array  # (T,): log likelihood lost by following the prior from there to the heaviest mode, nats
    angles: Array  # (T, m) radians: the named modes in order of their whole degrees; nan where there are fewer
    masses: Array  # (T, m): their masses; −1 where there are fewer
    loud: Array  # (T, K) bool: the weights that carry the likelihood
    common: Array  # (T,) int: greatest common divisor of the loud weights, 0 if there is none

    @property
    def explained(self) -> Array:
        """(T,): whether some turn explains the pair, at noise σ or the noise of y.

        A y as noisy as σ has to fit at σ, a cleaner one at its own noise too, a noisier one only at its own.
        """
        decisive = np.where(self.level == "noisier", self.p_own, self.p)
        return np.where(self.level == "cleaner", np.minimum(decisive, self.p_own), decisive) >= ALPHA

    @property
    def z(self) -> Array:
        """(T,): the residual at noise σ as a standard normal score, Φ⁻¹(1 − p); ±∞ beyond double precision."""
        return -special.ndtri(self.p)


def read_sweep(model: Subgroup, sweep: Sweep, prior: Density | None = None) -> Readings:
    """The statistics of every turn of a sweep, which `model` and `prior` made.

    With noise in both, what a turn leaves over has √2 times the noise of y, which is `model.noise` then.
    """
    sigma, turns = sweep.sigma, len(sweep.y)
    per_picture = sigma / model.noise  # 1, or √½ with noise in both
    energy = _energies(model, sweep)
    residual = _residual(model, sweep, _MISFIT * energy.beyond[0])
    own = _own_noise(energy, sweep)
    rest = energy.rest
    p = residual.chance(np.array(model.noise))
    left = residual.left.sum(axis=1)
    angles, masses = _named_modes(sweep, flat := _flat(model, sweep, energy), prior is not None)
    kappa = np.abs(sweep.likelihood)
    loud = is_loud(kappa)
    squares = np.einsum("ij,ij->i", sweep.y, sweep.y) / (2 * sigma**2)
    bits = 1 / np.log(2)
    return Readings(
        sigma=np.full(turns, sigma),
        p=p,
        p_own=residual.chance(own[:, None], rest) if rest else p,
        level=_level(energy, sigma),
        sigma_own=per_picture * own,
        sigma_pair=_sigma_of_pair(energy, left, sweep),
        sigma_needed=np.full(turns, per_picture * np.sqrt(energy.moving[0] / 2)),
        presence=sweep.log_evidence + squares + model.dimension / 2 * np.log(2 * np.pi * sigma**2),
        flat=flat,
        bits=bits * np.maximum(np.log(2 * np.pi) - sweep.entropy, 0.0),
        likelihood_bits=bits * np.maximum(np.log(2 * np.pi) - sweep.likelihood_entropy, 0.0),
        pair_bits=bits * sweep.gain_of_pair,
        prior_bits=bits * sweep.gain_of_prior,
        has_prior=np.full(turns, prior is not None),
        best=sweep.best_turn,
        pulled=np.zeros(turns) if prior is None else _pulled(sweep),
        angles=angles,
        masses=masses,
        loud=loud,
        common=np.gcd.reduce(np.where(loud, np.arange(1, 1 + loud.shape[1]), 0), axis=1),
    )


class _Energies(NamedTuple):
    """Squared norms of x, then of each y, (1 + T,), in grey values²; and dimensions."""

    moving: Array  # in subspaces of a weight other than 0
    span: Array  # in all subspaces
    beyond: Array  # in pixels that the filters see, outside their span
    seen: int  # pixels that the filters see: the scene adds noise to the corners too, where none looks
    rest: int  # dimensions outside the span
    moving_dimensions: int


def _energies(model: Subgroup, sweep: Sweep) -> _Energies:
    seen, sizes, moves = _seen(model), _sizes(model), ~model.irreps.fixed
    energy = _squared(sweep.coordinates)
    span, count = energy.sum(axis=1), int(seen.sum())
    pixels = np.concatenate([sweep.x[None], sweep.y])
    beyond = np.maximum(np.square(pixels) @ seen.astype(float) - span, 0.0)
    rest = max(count - int(sizes.sum()), 0)
    return _Energies(energy[:, moves].sum(axis=1), span, beyond, count, rest, int(sizes[moves].sum()))


def _level(energy: _Energies, sigma: float) -> Array:
    """Whether y has as much outside the span as noise σ leaves there, with what x has there or without."""
    before, after = energy.beyond[0] / sigma**2, energy.beyond[1:] / sigma**2
    if not energy.rest:
        return np.full(len(after), "as")
    upper = _upper_quantile(energy.rest, float(before))
    lower = special.chdtri(energy.rest, 1 - ALPHA / 2)
    return np.select([after > upper, after < lower], ["noisier", "cleaner"], "as")


def _upper_quantile(freedom: int, noncentrality: float) -> float:
    """What noncentral χ² exceeds with probability α/2."""
    if noncentrality < _LARGE:
        return float(special.chndtrix(1 - ALPHA / 2, freedom, noncentrality))
    spread = np.sqrt(2 * (freedom + 2 * noncentrality))
    return float(freedom + noncentrality + special.ndtri(1 - ALPHA / 2) * spread)


def _sigma_of_pair(energy: _Energies, left: Array, sweep: Sweep) -> Array:
    """The σ that is left over, (T,): in and outside the span; with noise in both inside, where x and y are compared."""
    if sweep.both:
        return np.sqrt(left / (2 * max(energy.seen - energy.rest - 1, 1)))
    return np.sqrt(np.maximum(left + energy.beyond[1:] - energy.beyond[0], 0.0) / max(energy.seen - 1, 1))


def _own_noise(energy: _Energies, sweep: Sweep) -> Array:
    """The noise of y as it reaches the span, from what x and y have outside it; larger if it came before the camera."""
    own = np.sqrt((energy.beyond[0] + energy.beyond[1:]) / max(energy.rest, 1))
    corners = ~_seen(sweep.model)
    if corners.any():  # no noise in the corners: the camera, which blurs, was in between
        own = np.where(sweep.y[:, corners].any(axis=1), own, _CAMERA_GAIN * own)
    return np.maximum(own, 1e-6)


@dataclass(frozen=True)
class _Residual:
    """Q = Σ_j a_j |r_j|²/σ², a_j = τ_j²/(τ_j² + σ²): most powerful if pictures differ by N(0, τ_j²) in subspace j."""

    left: Array  # (T, J): |r_j|² at the best turn
    sizes: Array  # (J,): dimensions of each subspace
    tangent: Array  # (T, J): squares of the unit direction that fitting the turn uses up, summing to 1, or 0
    power: Array  # (J,): τ_j²
    misfit: float  # what resampling leaves over, which is no evidence against a turn

    def chance(self, sigma: Array, freedom: float = np.inf) -> Array:
        """Chance (T,) of a larger Q ≈ c χ²_ν (Satterthwaite).

        σ, () or (T, 1), is known, or estimated from so many dimensions: then Q has an F distribution.
        """
        a = np.broadcast_to(self.power / (self.power + sigma**2), self.left.shape)
        spent = np.sum(a * self.tangent, axis=1)
        mean = a @ self.sizes - spent
        squares = a * a
        variance = 2 * (squares @ self.sizes - 2 * np.sum(squares * self.tangent, axis=1) + spent**2)
        possible = (mean > 1e-12) & (variance > 0)  # without any subspace left to test, everything fits
        mean, variance = np.where(possible, mean, 1.0), np.where(possible, variance, 1.0)
        excess = np.maximum(np.sum(a * self.left, axis=1) - self.misfit, 0.0)
        ratio, nu = excess / np.reshape(sigma, -1) ** 2 / mean, 2 * mean**2 / variance
        p = special.chdtrc(nu, ratio * nu) if np.isinf(freedom) else special.fdtrc(nu, freedom, ratio)
        return np.where(possible, p, 1.0)


def _residual(model: Subgroup, sweep: Sweep, misfit: float) -> _Residual:
    """r = z(y) − e^{iωŝ} z(x) at ŝ, the maximum of the likelihood: a prior does not change the fit."""
    irreps, z = model.irreps, sweep.coordinates
    turned = irreps.spread(np.exp(1j * sweep.best_turn[:, None] * irreps.harmonics[:, 0])) * z[0]
    if model.moving_lines.any():
        turned = np.where(model.moving_lines, turned.real, turned)  # as `act` does
    tangent = _squared(model.weights * z[0])
    whole = tangent.sum()
    unit = np.broadcast_to(tangent / whole if whole > 0 else 0.0, turned.shape)
    return _Residual(_squared(z[1:] - turned), _sizes(model), unit, _power(model), float(misfit))


def _flat(model: Subgroup, sweep: Sweep, energy: _Energies) -> Array:
    """Why the pair does not choose a turn, "" if it does; the first reason that holds."""
    moving, whole, beyond = energy.moving, energy.span + energy.beyond, energy.beyond
    undecided = sweep.likelihood_peak < FLAT_PEAK
    noise = np.maximum(beyond[1:] - beyond[0], 0.0) * energy.moving_dimensions / max(energy.rest, 1)
    reasons = {
        "blank x": np.broadcast_to(whole[0] < BLANK_ENERGY, undecided.shape),
        "blank y": whole[1:] < BLANK_ENERGY,
        "round x": np.broadcast_to(moving[0] < ROUND_SHARE * whole[0], undecided.shape),
        "noise": undecided & (undecided.any() and _peak_of_copy(model, sweep.coordinates[0]) < FLAT_PEAK),
        "round y": undecided & (moving[1:] - noise < ROUND_SHARE * whole[1:]),
        "disjoint": undecided,
    }
    return np.select(list(reasons.values()), list(reasons), "")


def _peak_of_copy(model: Subgroup, z: Array) -> float:
    """2π times the maximum of p(s | x, x), which is at s = 0: whether an exact copy of x could be placed."""
    copy = model.posterior_from(z, z)
    return float(2 * np.pi * np.exp(copy.eta.real.sum() - copy.log_normalizer))


def _named_modes(sweep: Sweep, flat: Array, has_prior: bool) -> tuple[Array, Array]:
    """Angles and masses (T, m) of the named modes, in order of their whole degrees; nan and −1 where there are fewer.

    None is named if the posterior is flat. Nor if the pair does not choose and there is no prior: a round x has ripples
    from the pixel grid, which at small σ are sharp peaks.
    """
    angles, masses = sweep.mode_angles, sweep.mode_masses
    peaked = 2 * np.pi * sweep.density.max(axis=1) >= FLAT_PEAK if has_prior else flat == ""
    named = (masses >= np.minimum(MIN_MODE_MASS, masses.max(axis=1, keepdims=True))) & peaked[:, None]
    degrees = np.where(named, whole_degrees(np.where(named, angles, 0.0)), 360)
    order = np.argsort(degrees, axis=1, kind="stable")[:, : max(1, int(named.sum(axis=1).max(initial=0)))]
    angles, masses = np.where(named, angles, np.nan), np.where(named, masses, -1.0)
    return np.take_along_axis(angles, order, axis=1), np.take_along_axis(masses, order, axis=1)


def whole_degrees(radians: Array) -> Array:
    """Angles in whole degrees, 0 to 359."""
    return np.floor(np.degrees(radians) + 0.5).astype(int) % 360


def _pulled(sweep: Sweep) -> Array:
    heaviest = np.nan_to_num(sweep.mode_angles[:, 0])
    there, best = (evaluate(sweep.likelihood, s) for s in (heaviest, sweep.best_turn))
    return np.maximum(best - there, 0.0)


def _squared(z: Array) -> Array:
    return np.asarray(np.square(z.real) + np.square(z.imag), np.float64)


def _sizes(model: Subgroup) -> Array:
    return np.where(model.lines, 1, 2)


class _Profile(NamedTuple):
    """What every reading with a model needs of it."""

    seen: Array  # (D,) bool: pixels that some filter sees
    power: Array  # (J,): τ_j²


_PROFILES: WeakKeyDictionary[Subgroup, _Profile] = WeakKeyDictionary()  # forgotten with their model


def _profile(model: Subgroup) -> _Profile:
    found = _PROFILES.get(model)
    if found is None:
        z = model.coordinates(_shape_patches(isqrt(model.dimension)))
        seen = np.abs(model.filters).max(axis=1) > _MIN_SEEN
        found = _PROFILES[model] = _Profile(seen, np.mean(_squared(z), axis=0) / _sizes(model))
    return found


def _seen(model: Subgroup) -> Array:
    return _profile(model).seen


def _power(model: Subgroup) -> Array:
    """τ_j²: mean energy of the built-in shapes per dimension of each subspace, (J,)."""
    return _profile(model).power


@lru_cache(maxsize=4)
def _shape_patches(size: int) -> Array:
    return np.stack([patch(name, size) for name in SHAPES])
