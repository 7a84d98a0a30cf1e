"""Planes from a fixed set of pairs, without a step size: moments to start from, EM on the evidence, σ by evidence.

SGD from random filters (`_sgd.py`, the paper's way) depends on the scale of the data, and half of its starts end with
a wrong plane. Here the start comes from quadratic forms that keep their value, xᵀQx = yᵀQy, whose eigenplanes are the
planes; several starts are compared by their evidence in pairs that were held out.
"""

from typing import NamedTuple

import numpy as np

from tsa._base import Array, ConvergenceError, InputError
from tsa.density import mean_rotation
from tsa.learning._sgd import check_room
from tsa.learning.discovery import (
    MIN_HEIGHT,
    MIN_Z,
    coherence,
    complement,
    em,
    invariant_planes,
    leading_directions,
    whitening_of,
)
from tsa.model import Torus

MIN_COHERENCE = 0.5  # of the best plane's, below which a plane is uncertain
MAX_ERROR = 7.5  # degrees, above which a plane is uncertain
_LARGEST_EXCESS = 3.0  # of an error over that, up to which it tells how many pairs are needed
_STARTS = 3
_ROUNDS, _STEPS_PER_ROUND = 12, 5  # of EM; σ is estimated anew after each round
_CONVERGED = 1e-3  # largest change of a filter within a round
_MIN_HELD_OUT = 20  # pairs; with fewer, starts are compared on the pairs learned from
_LEAST_NOISE = 1e-4  # of the spread of y: exact pairs have no noise, but a density needs some
_START_PAIRS = 10_000  # of a step while starts are compared
_STEP_NUMBERS = 5_000_000  # of a step at the end: all pairs, unless they have more numbers


class FittedPlanes(NamedTuple):
    """Filters (D, J), σ, steps of EM, and whether they converged; evidence (nats per pair), and two doubts (J,) each.

    `log_evidence` and `coherence` are of a fit to four fifths of the pairs, in those held out. `errors` are about how
    many degrees each plane is off.
    """

    filters: Array
    noise: float
    steps: int
    converged: bool
    log_evidence: float
    coherence: Array
    errors: Array


def fit_planes(x: Array, y: Array, n_subspaces: int, noise: float | None, rng: np.random.Generator) -> FittedPlanes:
    """The best of several starts on pairs (n, D) by held-out evidence, then EM on all pairs; `noise` None finds σ too.

    Filters are learned from pairs less the mean of y, and scaled: neither changes the planes.
    """
    x, y = (a.astype(np.float64) for a in (x, y))
    mean = y.mean(axis=0)
    x, y = x - mean, y - mean
    scale = float(np.sqrt(np.mean(np.square(y))))
    if not scale > 0:
        raise InputError("All patches of Y are equal: there is nothing to learn from them.")
    varies = np.ptp(y / scale, axis=0) > 1e-9
    check_room(n_subspaces, int(varies.sum()))
    order = rng.permutation(len(x))
    x, y = (a[order][:, varies] / scale for a in (x, y))
    count = len(x) * 4 // 5
    learn = slice(count)
    held = slice(count if len(x) - count >= _MIN_HELD_OUT else 0, None)
    starts = [_fitted(x[learn], y[learn], n_subspaces, noise and noise / scale, rng) for _ in range(_STARTS)]
    with np.errstate(over="ignore", invalid="ignore"):
        evidence = [np.mean(Torus(s.filters, s.noise).log_evidence(x[held], y[held])) for s in starts]
    best, highest = starts[int(np.argmax(evidence))], float(np.max(evidence))  # nan, if there is one
    if not np.isfinite(highest):
        raise ConvergenceError(
            f"The evidence of these pairs is {highest}: their numbers, or σ = {noise}, are out of range.", best
        )
    kept = coherence(x[held] @ best.filters, y[held] @ best.filters)
    pairs = max(_START_PAIRS, _STEP_NUMBERS // x.shape[1])
    final = _em_until_settled(x, y, best.filters, best.noise, rng, pairs, find_noise=noise is None)
    filters = np.zeros((len(varies), n_subspaces), np.complex128)
    filters[varies] = final.filters
    return FittedPlanes(
        filters,
        final.noise * scale,
        best.steps + final.steps,
        final.converged,
        highest - int(varies.sum()) * np.log(scale),  # a density of y/scale is one of y divided by scale^D
        kept,
        _errors(x, y, final, rng, pairs),
    )


def doubt_in_words(fit: FittedPlanes, pairs: int) -> str:
    """Which planes are uncertain, why, and about how many pairs would do; empty if none is."""
    best = float(fit.coherence.max())
    mixed = ~((fit.coherence > MIN_COHERENCE * best) & (best > 5 / np.sqrt(pairs / 5)))
    vague = ~(fit.errors <= MAX_ERROR)
    which = np.flatnonzero(mixed | vague)
    if not which.size:
        return ""
    named = f"Planes {which.tolist()} of {len(vague)}" if len(which) < len(vague) else f"All {len(vague)} planes"
    why = []
    if mixed.any():
        why.append("they do not keep their energy from x to y")
    if vague.any():
        why.append(f"the two halves of the pairs lead to planes that differ by up to {2 * fit.errors.max():.0f}°")
    # The error falls as 1/√n, once it is small.
    needed = pairs * max(2.0, min(float(fit.errors.max()) / MAX_ERROR, _LARGEST_EXCESS) ** 2)
    return (
        f"{named} are uncertain: {' and '.join(why)}. {pairs:,} pairs were given; with noise like this at least "
        f"{float(f'{needed:.1g}'):,.0f} are needed. Learn fewer planes if the group has fewer."
    )


class _Fit(NamedTuple):
    filters: Array
    noise: float
    steps: int
    converged: bool


def _fitted(x: Array, y: Array, n_subspaces: int, noise: float | None, rng: np.random.Generator) -> _Fit:
    filters = _start(x, y, n_subspaces, rng)
    sigma = noise or _best_noise(x @ filters, y @ filters, y, 0.5)
    return _em_until_settled(x, y, filters, sigma, rng, _START_PAIRS, find_noise=noise is None)


def _em_until_settled(
    x: Array, y: Array, filters: Array, sigma: float, rng: np.random.Generator, pairs: int, find_noise: bool
) -> _Fit:
    for i in range(_ROUNDS):
        before, variance = filters, sigma**2
        filters = em(
            x,
            y,
            filters,
            lambda u, v, variance=variance: mean_rotation(u.conj() * v / variance),  # type: ignore[misc]
            rng,
            _STEPS_PER_ROUND,
            pairs,
        )
        if find_noise:
            sigma = _best_noise(x @ filters, y @ filters, y, sigma)
        if np.abs(filters - before).max() <= _CONVERGED:
            return _Fit(filters, sigma, (i + 1) * _STEPS_PER_ROUND, converged=True)
    return _Fit(filters, sigma, _ROUNDS * _STEPS_PER_ROUND, converged=False)


def _errors(x: Array, y: Array, fit: _Fit, rng: np.random.Generator, pairs: int) -> Array:
    """About how many degrees each plane is off: half the angle between the fits to one half of the pairs and the other.

    Each of these is off by √2 times the error of a fit to all pairs, in a direction of its own: they differ by twice
    that error. Planes of one weight are a space that splits into planes in any way, so the angle is to that space.
    """
    one, other = (
        _em_until_settled(x[rows], y[rows], fit.filters, fit.noise, rng, pairs, find_noise=False).filters
        for rows in (slice(0, None, 2), slice(1, None, 2))
    )
    together = _of_one_weight(x @ fit.filters, y @ fit.filters, fit.noise)
    return np.array([_angle(f, other[:, same]) / 2 for f, same in zip(one.T, together, strict=True)])


def _of_one_weight(u: Array, v: Array, sigma: float) -> Array:
    """Which planes turn by the same angle, or the opposite one, in all pairs: (J, J).

    Σ Re(m_i m̄_j) / Σ|m_i m_j|² with m = E[e^{iθ}] is 1 for them and 0 for others, whatever the noise.
    """
    mean = mean_rotation(u.conj() * v / sigma**2)
    size = np.square(np.abs(mean))
    expected = np.maximum(size.T @ size, 1e-300)
    agreement = np.maximum((mean.conj().T @ mean).real, (mean.T @ mean).real)
    same = (agreement > MIN_HEIGHT * expected) & (agreement > MIN_Z * np.sqrt(expected / 2))
    return np.asarray(same | np.eye(len(same), dtype=bool))


def _angle(f: Array, space: Array) -> float:
    """The largest principal angle from the plane of a filter (D,) to the space of filters (D, m), in degrees."""
    plane, columns = (np.concatenate([z.real, z.imag], axis=1) for z in (f[:, None], space))
    cosines = np.linalg.svd(np.linalg.qr(plane)[0].T @ np.linalg.qr(columns)[0], compute_uv=False)
    return float(np.degrees(np.arccos(min(1.0, cosines[-1]))))


def _start(x: Array, y: Array, n_subspaces: int, rng: np.random.Generator) -> Array:
    """Invariant planes in whitened coordinates, the strongest first; random planes where there are too few."""
    white = whitening_of(x, y)
    matrix = white.matrix
    leading = leading_directions(matrix, len(x))
    basis = white.directions
    found = np.zeros((x.shape[1], 0), np.complex128)
    if leading > 1:
        u, v = (a / white.contrast @ matrix[:, :leading] for a in (x, y))
        found = basis[:, :leading] @ invariant_planes(u, v, rng)
    shared = np.abs((x @ found) * (y @ found)).mean(axis=0)
    found = found[:, np.argsort(-shared)[:n_subspaces]]
    missing = n_subspaces - found.shape[1]
    if missing:
        span = complement(found)
        columns = np.linalg.qr(rng.standard_normal((span.shape[1], 2 * missing)))[0]
        found = np.concatenate([found, span @ (columns[:, ::2] + 1j * columns[:, 1::2])], axis=1)
    return found


def _best_noise(u: Array, v: Array, y: Array, sigma: float) -> float:
    """σ of highest evidence: σ² = E[‖y‖² + ‖u‖² − 2 Σ_j |u_j v_j| I₁/I₀(κ_j)]/D, κ_j = |u_j v_j|/σ², iterated."""
    size = np.abs(u * v)
    energy = np.sum(np.square(y), axis=1) + np.sum(np.square(np.abs(u)), axis=1)
    for _ in range(20):
        pull = np.sum(size * np.abs(mean_rotation((size / sigma**2).astype(np.complex128))), axis=1)
        new = float(np.sqrt(max(np.mean(energy - 2 * pull) / y.shape[1], _LEAST_NOISE**2)))
        if abs(new - sigma) < 1e-4 * sigma:
            return new
        sigma = new
    return sigma
