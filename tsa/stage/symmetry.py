"""The symmetry of one picture, read from its stabiliser p(s | x, x) (paper, section 3.3)."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError
from tsa.model import Subgroup
from tsa.stage.reading import BLANK_ENERGY, FLAT_PEAK, MIN_MODE_MASS, ROUND_SHARE

POINTS = 720  # at which the density is given: two per degree
_SAME, _SIMILAR = 0.5, 0.01  # least likelihood ratio of turns that count as equal, and as similar
_GRID_SHARE = 0.0015  # of ‖z(x)‖²: squared difference that the pixel grid makes; polygons have 0.0003 to 0.0011
# Least share of the moving energy that has a symmetry which is named, and one which is almost there. Of the shapes
# under the bundled models, those with the symmetry have 0.89 or more, those without it 0.58 or less.
_SAME_SHARE, _SIMILAR_SHARE = 0.85, 2 / 3
_MISSING_FACTOR, _MISSING_SLACK = 2.0, 0.1  # a higher order may lack that much more of the moving energy than the best


class Verdict(Enum):
    """What can be said about the turns that leave a picture unchanged."""

    SAME = "same"  # n turns leave it unchanged, as far as noise of σ lets one see
    SIMILAR = "similar"  # n turns leave it similar
    NONE = "none"  # only the whole turn
    EVERY = "every"  # every turn, as for a disc
    NOISE = "noise"  # noise of σ is too large to tell
    BLANK = "blank"  # there is nothing to turn


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The symmetry of x under a model with noise σ; it does not change when x is turned.

    Let x̄ be the mean of the n copies of x turned by multiples of 360°/n, and ρ_s x the picture turned by s.

    `ratio` = min_m p(2πm/n) / p(0) = exp(−max_m ‖x − ρ_{2πm/n} x‖² / 2σ²): how likely the least likely of the n turns
    is compared with no turn, if x is seen a second time with pixel noise σ. It is the likelihood ratio of the two, in
    the geometric mean over that noise. The larger σ, the closer to 1: noise hides small differences.

    `share` = Σ_{n|k} κ̂_k / Σ_k κ̂_k = 1 − ‖x − x̄‖² / ‖x − x̄_∞‖²: the share of what turning moves at all (x less its
    mean x̄_∞ over all turns) that the n turns leave unchanged. The mean over the n turns keeps exactly the weights that
    n divides, so that ‖x − x̄‖² / σ² = Σ_{n∤k} κ̂_k, a sum of invariants; it is also the mean of −log p(2πm/n)/p(0) over
    m = 0…n−1. The share does not depend on σ: noise does not make a picture symmetric.
    """

    verdict: Verdict
    order: int | None  # n of the n-fold symmetry; 1 for none, 0 for every turn, None if it cannot be told
    copies: int  # the n of `ratio` and `share`: the order, or the symmetry that comes closest; 0 if there is none
    ratio: float
    share: float
    next_turn: float  # the most likely turn besides no turn, in radians, at most π; 0 if there is no other mode
    next_ratio: float  # its density over that of no turn
    fixed_share: float  # share of ‖z(x)‖² of weight 0, which no turn moves
    petals: Array  # modes of the stabiliser with at least 1 % of the probability, ascending radians; none if it is flat
    kappa: Array  # (K,): κ̂ of the weights 1…K, invariant
    density: Array  # (720,): p(s | x, x) per radian at every half degree, from 0
    sigma: float


def symmetry_of(model: Subgroup, x: ArrayLike) -> Symmetry:
    """Which turns leave the patch x (D,) unchanged, under a model of one parameter at its own noise.

    An order n = 2…K is a candidate if its n turns are at least 1 % as likely as no turn, and two thirds of what turns
    move have its symmetry. Of these the largest is named that lacks little more than the best. The picture looks the
    same if those turns are at least half as likely as no turn, or differ by no more than the pixel grid explains.
    Without a candidate there is no symmetry, unless another turn is at least half as likely as no turn: then noise
    hides the difference.
    """
    if model.parameters != 1:
        raise InputError(f"Symmetry is found for models of one parameter; this one has {model.parameters}.")
    kappa = model.pooled_norms(x)
    if kappa.ndim != 1:
        raise ShapeError(f"Symmetry is found for one patch (D,); got a batch of shape {kappa.shape[:-1]}.")
    kappa = kappa.astype(np.float64)
    energy = float(np.sum(np.abs(model.coordinates(x)) ** 2, dtype=np.float64))
    moving = float(kappa.sum()) * model.noise**2
    stabilizer = model.stabilizer(x)
    density = stabilizer.density(2 * np.pi * np.arange(POINTS) / POINTS)
    angles, masses = stabilizer.modes()
    flat = 2 * np.pi * float(density[0]) < FLAT_PEAK
    round_ = moving < ROUND_SHARE * energy
    others = np.arccos(np.cos(angles[np.isfinite(angles)]))  # p(−s) = p(s): a turn and its reverse are one
    others = others[others > np.pi / POINTS]
    next_turn = float(others[_log_ratio(kappa, others).argmax()]) if len(others) else 0.0
    next_ratio = float(np.exp(_log_ratio(kappa, next_turn))) if len(others) else 0.0
    orders = np.arange(2, len(kappa) + 1)
    ratios, shares = _ratios(kappa, orders), _shares(kappa, orders)
    similar = (ratios >= _SIMILAR) & (shares >= _SIMILAR_SHARE)
    same = (ratios >= np.exp(-_GRID_SHARE * energy / (2 * model.noise**2))) | (ratios >= _SAME)

    order: int | None
    closest = _largest(similar, shares)
    if energy < BLANK_ENERGY:
        verdict, order, closest = Verdict.BLANK, None, None
    elif round_:
        verdict, order, closest = Verdict.EVERY, 0, None
    elif not flat and closest is not None:
        verdict = Verdict.SAME if same[closest] and shares[closest] >= _SAME_SHARE else Verdict.SIMILAR
        order = int(orders[closest])
    else:
        told = not flat and next_ratio < _SAME
        verdict, order = (Verdict.NONE, 1) if told else (Verdict.NOISE, None)
        closest = _largest(shares >= _SIMILAR_SHARE, shares)
        closest = int(ratios.argmax()) if closest is None and len(orders) else closest
    return Symmetry(
        verdict,
        order,
        0 if closest is None else int(orders[closest]),
        1.0 if closest is None else float(ratios[closest]),
        1.0 if closest is None else float(shares[closest]),
        next_turn,
        next_ratio,
        1 - moving / energy if energy else 1.0,
        np.empty(0) if flat or round_ else np.sort(_positive(angles[masses >= MIN_MODE_MASS])),
        kappa,
        density,
        model.noise,
    )


def _positive(angles: Array) -> Array:
    """Angles in [0, 2π); one that rounding has put just below 0 is 0."""
    return np.where(np.abs(angles) < np.pi / POINTS, 0.0, angles % (2 * np.pi))


def _log_ratio(kappa: Array, s: ArrayLike) -> Array:
    """log p(s)/p(0) = −Σ_k κ̂_k (1 − cos ks) = −‖x − ρ_s x‖² / 2σ²; without lines that move."""
    k = np.arange(1, 1 + len(kappa))
    return -(1 - np.cos(np.asarray(s)[..., None] * k)) @ kappa


def _ratios(kappa: Array, orders: Array) -> Array:
    return np.array([np.exp(_log_ratio(kappa, 2 * np.pi * np.arange(1, n) / n).min()) for n in orders])


def _shares(kappa: Array, orders: Array) -> Array:
    k = np.arange(1, 1 + len(kappa))
    total = max(float(kappa.sum()), np.finfo(float).tiny)
    return np.array([kappa[k % n == 0].sum() / total for n in orders])


def _largest(candidates: Array, shares: Array) -> int | None:
    """The last candidate that lacks little more of the moving energy than the best one."""
    missing = np.where(candidates, 1 - shares, np.inf)
    limit = _MISSING_FACTOR * missing.min(initial=np.inf) + _MISSING_SLACK
    found = np.flatnonzero(candidates & (missing <= limit))
    return int(found[-1]) if len(found) else None
