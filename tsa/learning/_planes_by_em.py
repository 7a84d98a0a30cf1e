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
from tsa.learning.discovery import coherence, complement, em, invariant_planes, leading_directions, whitening_of
from tsa.model import Torus

MIN_COHERENCE = 0.5  # of the best plane's, below which a plane counts as not found
_STARTS = 3
_ROUNDS, _STEPS_PER_ROUND = 12, 5  # of EM; σ is estimated anew after each round
_CONVERGED = 1e-3  # largest change of a filter within a round
_MIN_HELD_OUT = 20  # pairs; with fewer, starts are compared on the pairs learned from
_LEAST_NOISE = 1e-4  # of the spread of y: exact pairs have no noise, but a density needs some
_EM_PAIRS = 10_000


class FittedPlanes(NamedTuple):
    """Filters (D, J), σ, held-out coherence (J,) and evidence (nats per pair), steps of EM, whether they converged."""

    filters: Array
    noise: float
    coherence: Array
    log_evidence: float
    steps: int
    converged: bool


def fit_planes(x: Array, y: Array, n_subspaces: int, noise: float | None, rng: np.random.Generator) -> FittedPlanes:
    """The best of several starts on pairs (n, D) by held-out evidence; `noise` None finds σ too.

    Filters are learned from pairs less the mean of y, and scaled: neither changes the planes.
    """
    x, y = (a.astype(np.float64) for a in (x, y))
    mean = y.mean(axis=0)
    x, y = x - mean, y - mean
    scale = float(np.sqrt(np.mean(np.square(y))))
    if not scale > 0:
        raise InputError("All patches of Y are equal: there is nothing to learn from them.")
    x, y = x / scale, y / scale
    varies = np.ptp(y, axis=0) > 1e-9
    check_room(n_subspaces, int(varies.sum()))
    fits = [_one_start(x[:, varies], y[:, varies], n_subspaces, noise and noise / scale, rng) for _ in range(_STARTS)]
    best = max(fits, key=lambda fit: fit.log_evidence)
    if not np.isfinite(best.log_evidence):
        raise ConvergenceError(
            f"The evidence of these pairs is {best.log_evidence}: their numbers, or σ = {noise}, are out of range.",
            best,
        )
    filters = np.zeros((len(varies), n_subspaces), np.complex128)
    filters[varies] = best.filters
    # A density of y/scale is one of y divided by scale^D.
    evidence = best.log_evidence - int(varies.sum()) * np.log(scale)
    return best._replace(filters=filters, noise=best.noise * scale, log_evidence=evidence)


def _one_start(x: Array, y: Array, n_subspaces: int, noise: float | None, rng: np.random.Generator) -> FittedPlanes:
    order = rng.permutation(len(x))
    learn, held = np.split(order, [len(x) * 4 // 5])
    held = held if len(held) >= _MIN_HELD_OUT else order
    filters = _start(x[learn], y[learn], n_subspaces, rng)
    sigma = noise or max(_LEAST_NOISE, _best_noise(x[learn] @ filters, y[learn] @ filters, y[learn], 0.5))
    moved, steps = np.inf, 0
    while steps < _ROUNDS * _STEPS_PER_ROUND and moved > _CONVERGED:
        variance = sigma**2
        before = filters
        filters = em(
            x[learn],
            y[learn],
            filters,
            lambda u, v, variance=variance: mean_rotation(u.conj() * v / variance),  # type: ignore[misc]
            rng,
            _STEPS_PER_ROUND,
            _EM_PAIRS,
        )
        moved, steps = float(np.abs(filters - before).max()), steps + _STEPS_PER_ROUND
        if noise is None:
            sigma = max(_LEAST_NOISE, _best_noise(x[learn] @ filters, y[learn] @ filters, y[learn], sigma))
    with np.errstate(over="ignore", invalid="ignore"):
        evidence = float(np.mean(Torus(filters, sigma).log_evidence(x[held], y[held])))
    kept = coherence(x[held] @ filters, y[held] @ filters)
    return FittedPlanes(filters, sigma, kept, evidence, steps, moved <= _CONVERGED)


def _start(x: Array, y: Array, n_subspaces: int, rng: np.random.Generator) -> Array:
    """Invariant planes in whitened coordinates, the strongest first; random planes where there are too few."""
    white = whitening_of(x, y)
    matrix = white.matrix
    leading = leading_directions(matrix, len(x))
    basis = matrix / np.linalg.norm(matrix, axis=0)
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
