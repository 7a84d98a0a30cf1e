"""Which commutative group turns x into y? Learned from pairs (x, y) alone: lines, planes, rank, integer weights, σ.

The model is y = ρ_s x + noise with ρ: T^r → GL(D) unknown, and s unknown for every pair. Five steps, each sharpened by
the next: whitening makes ρ orthogonal; planes keep their energy; relations between their phases give rank and weights;
with s known, further planes and lines are second moments; held-out and permuted pairs judge the result.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ProgressCallback, ShapeError, checks, split_progress
from tsa.learning.discovery._completion import coupled_em, with_further_subspaces
from tsa.learning.discovery._coupling import Coupling, coupling_of
from tsa.learning.discovery._judgement import (
    MAX_STEP_CHANCE,
    Candidate,
    NoGroupFound,
    Split,
    coherent_planes,
    judged,
    refuse_loose_planes,
    with_noise_and_evidence,
)
from tsa.learning.discovery._planes import coherence, invariant_planes
from tsa.learning.discovery._pooled import MAX_RANK, climbed, most_probable
from tsa.learning.discovery._relations import noise_variance
from tsa.learning.discovery._small_steps import planes_of_small_steps, steps_are_small
from tsa.learning.discovery._watching import StepCallback, Watcher
from tsa.learning.discovery._whitening import Whitening, leading_directions, whitening_of
from tsa.learning.discovery.result import Discovery, DiscoveryEvidence
from tsa.model import Subgroup

_MIN_PAIRS = 100
_FEW_PAIRS = slice(0, 4000)  # enough for tests of relations and of leaks
_STARTS, _PAIRS_FOR_ONE_START = 6, 400
_ALIKE = 0.85  # the least coherence of a plane over the largest, if all are right
_LEAST_ROUNDS, _MOST_ROUNDS = 2, 10  # of completion
_MAX_CHANCE_MEAN = 25.0  # of |m|² over its variance, whose expectation is 1
_NEAR = 0.2  # of the distance of the mean to 0
_FIXED_POINT_ROUNDS = 6


def discover(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    seed: int = 0,
    on_progress: ProgressCallback | None = None,
    on_step: StepCallback | None = None,
) -> Discovery:
    """The commutative group behind pairs X, Y (n, D) with Y = ρ_s(X) + noise, s unknown: a `Discovery`.

    Finds groups of one to three parameters, circles and finite cyclic factors; about D² pairs are needed. A fifth of
    the pairs is held out to judge the result. If no group is found the result says why, and has rank 0. Same pairs,
    same seed, same result. `on_step` gets what has been found so far, a `DiscoveryStep`, from time to time.

    >>> x, y = tsa.groups.CyclicShift(8).pairs(1000, rng=0)[:2]
    >>> found = tsa.discover(x, y)
    >>> print(found.sentence)
    A group of 1 parameter (Z/8) with weights 1x0 + 1x1 + 1x2 + 1x3 + 1x4: 3 planes and 2 lines, σ = 0.000131.
    """
    x, y, scale = _checked_pairs(X, Y)
    single = np.result_type(np.asarray(X), np.asarray(Y)) == np.float32
    result = _discovered(x, y, np.random.default_rng(seed), on_progress, on_step)
    if on_progress is not None:
        on_progress(1.0)
    if result.found_model is None:
        return result
    model = result.found_model
    if result.whitening is None:  # the model works on patches as given, with their σ
        model = model.with_noise(model.noise * scale)
    if single:
        model = Subgroup(model.filters.astype(np.complex64), model.weights, model.noise)
    assert result.mean is not None
    whitening = None if result.whitening is None else result.whitening / scale
    return replace(result, found_model=model, mean=result.mean * scale, whitening=whitening)


def _checked_pairs(X: ArrayLike, Y: ArrayLike) -> tuple[Array, Array, float]:
    """X and Y (n, D) divided by the spread of Y, and that spread."""
    x, y = (checks.rows(a, name).astype(np.float64) for a, name in ((X, "X"), (Y, "Y")))
    if x.shape != y.shape:
        raise ShapeError(f"Pairs are two arrays (n, D) of one shape; got {x.shape} and {y.shape}.")
    if len(x) < _MIN_PAIRS or x.shape[1] < 2:
        raise InputError(
            f"A group is learned from at least {_MIN_PAIRS} pairs of at least 2 numbers each; got {len(x)} pairs of "
            f"{x.shape[1]}. About D² pairs are needed."
        )
    for name, a in (("X", x), ("Y", y)):
        if not np.ptp(a, axis=0).any():
            raise InputError(f"All patches of {name} are equal: there is nothing to learn from them.")
    if np.array_equal(x, y):
        raise InputError("X and Y are equal: Y has to hold the patches of X after they have moved.")
    largest = float(max(np.abs(x).max(), np.abs(y).max()))
    if not 1e-100 < largest < 1e100:  # squares must not over- or underflow
        raise InputError(f"The largest number of X and Y is {largest:.0e}: scale the pairs to an ordinary size.")
    scale = float(np.std(y - y.mean(axis=0)))
    return x / scale, y / scale, scale


def _discovered(
    x: Array,
    y: Array,
    rng: np.random.Generator,
    on_progress: ProgressCallback | None,
    on_step: StepCallback | None,
) -> Discovery:
    whiten, find, couple, judge = split_progress(on_progress, 1, 4, 4, 1)
    mean = y.mean(axis=0)
    whitening = whitening_of(x - mean, y - mean)
    whiten(1.0)
    learn, held = np.split(rng.permutation(len(x)), [len(x) * 4 // 5])

    def split(mean: Array, contrast: Array) -> Split:
        return Split(*((a[rows] - mean) / contrast[rows] for rows in (learn, held) for a in (x, y)))

    given = split(mean, whitening.contrast)  # coordinates as given
    evidence = DiscoveryEvidence(len(x), whitening.matrix.shape[1])
    try:
        white = given.times(whitening.matrix)
        candidate = _first_candidate(white, whitening, rng, evidence, Watcher(on_step, whitening.directions))
        find(1.0)
        candidate = _completed(white, candidate, rng, couple)
        again = _coupled_again(white, candidate)
        if again is not None:
            candidate = _completed(white, again, rng, couple)
        mean = _fixed_point(mean, white, whitening.matrix, candidate)
        given = split(mean, whitening.contrast)
        result = judged(given, given.times(whitening.matrix), whitening, candidate, rng)
    except NoGroupFound as refusal:
        return Discovery(refusal.why, refusal.evidence or evidence)
    judge(0.5)
    # The σ of the model is that of the data, with their contrast.
    return replace(with_noise_and_evidence(result, split(mean, np.ones((len(x), 1)))), mean=mean)


def _fixed_point(mean: Array, white: Split, matrix: Array, candidate: Candidate) -> Array:
    """The point about which planes turn, in place of the mean: the same where nothing turns.

    With s known, y − ρ_s x = (1 − ρ_s) m: its regression on 1 − ρ_s, which does not ask that x has the mean m, as a few
    clips would not. An offset also pulls at s, so both are found in turns. Where m is within chance it is 0, as in data
    without an offset: by what is left over, or, in pairs with hardly any noise, because the mean is within chance of 0
    and m is much nearer to it.
    """
    filters, weights, planes = candidate.filters, candidate.weights, candidate.planes
    moving = weights.any(axis=1)
    u, v = white.x @ filters, white.y @ filters
    eta = u.conj() * v / noise_variance(u, v)
    s = most_probable(eta[:, planes], weights[planes])[0]
    off = np.zeros(len(weights), np.complex128)
    for _ in range(_FIXED_POINT_ROUNDS):
        lag = 1 - np.exp(1j * s @ weights.T)
        precision = np.maximum(np.sum(np.square(np.abs(lag)), axis=0), 1e-300)
        residual = v - u + lag * u
        off = np.where(moving, np.sum(lag.conj() * residual, axis=0) / precision, 0)
        eta = (u - off).conj() * (v - off) / noise_variance(u - off, v - off)
        s = climbed(eta[:, planes], weights[planes], s)
    variance = np.mean(np.square(np.abs(residual - lag * off)), axis=0)
    now = filters.T @ (mean @ matrix)
    point = np.abs(now + off)
    chance = np.square(point) * precision < _MAX_CHANCE_MEAN * variance
    chance |= (np.square(np.abs(now)) * len(u) < _MAX_CHANCE_MEAN) & (point < _NEAR * np.abs(now))
    change = (filters.conj() @ np.where(moving & chance, -now, off)).real
    return np.asarray(mean + change @ np.linalg.pinv(matrix))


def _first_candidate(
    white: Split, whitening: Whitening, rng: np.random.Generator, evidence: DiscoveryEvidence, watcher: Watcher
) -> Candidate:
    """Planes and their weights, from small steps or from relations between phases."""
    x, y, held_x, held_y = white
    if steps_are_small(x, y):
        steps = planes_of_small_steps(x, y)
        watcher.planes(steps.filters, lambda: coherence(x @ steps.filters, y @ steps.filters))
        watcher.weights(steps.weights)
        evidence = replace(evidence, step_chance=steps.chance, moving_planes=len(steps.weights))
        if steps.chance > MAX_STEP_CHANCE:
            raise NoGroupFound(
                f"the steps are small, and the mean angles of the {len(steps.weights)} planes that turn are not "
                f"clearly multiples of one unit: {steps.chance:.0%} of random angles are as nearly. By small steps "
                "only groups of one parameter are found; all others need pairs that are further apart",
                evidence,
            )
        return Candidate(steps.filters, steps.weights, 0, evidence)
    leading = leading_directions(whitening.matrix, len(x))
    few = (x[_FEW_PAIRS, :leading], y[_FEW_PAIRS, :leading])
    found = _best_planes(
        x[:, :leading],
        y[:, :leading],
        rng,
        lambda f: watcher.planes(f, lambda: coherence(few[0] @ f, few[1] @ f)),
    )
    filters = np.zeros((x.shape[1], found.shape[1]), np.complex128)
    filters[:leading] = found
    filters = coherent_planes(x[_FEW_PAIRS], y[_FEW_PAIRS], filters, held_x, held_y)
    kept = coherence(x @ filters, y @ filters)
    watcher.planes(filters, lambda: kept)
    coupling = coupling_of(x[_FEW_PAIRS] @ filters, y[_FEW_PAIRS] @ filters, kept, watcher.relations)
    watcher.weights(coupling.weights)
    evidence = _with_relations(evidence, coupling)
    if not coupling.known.any():
        rank = coupling.weights.shape[1]
        why = (
            f"the phases of its {coupling.moving} planes leave {rank} parameters, and groups of at most {MAX_RANK} are "
            "looked for"
            if rank > MAX_RANK
            else f"the phases of {coupling.moving} planes have no relation that holds in all pairs"
        )
        raise NoGroupFound(why, evidence)
    known = coupling.known
    if coupling.relations == 0:
        refuse_loose_planes(filters[:, known], held_x, held_y, evidence)
    return Candidate(filters[:, known], coupling.weights[known], int(known.sum()), evidence)


def _best_planes(x: Array, y: Array, rng: np.random.Generator, on_filters: Callable[[Array], object]) -> Array:
    """Invariant planes (d, J); if pairs are few, those of the start in which planes keep most energy.

    Starts end with one in which planes that keep about the same energy leave at most one direction.
    """
    best, most = np.zeros((x.shape[1], 0), np.complex128), -np.inf
    for _ in range(_STARTS if len(x) < _PAIRS_FOR_ONE_START else 1):
        filters = invariant_planes(x, y, rng, on_filters)
        kept = coherence(x @ filters, y @ filters)
        if kept.sum() > most:
            best, most = filters, float(kept.sum())
        if 2 * len(kept) >= x.shape[1] - 1 and kept.min() > _ALIKE * kept.max():
            break
    return best


def _with_relations(evidence: DiscoveryEvidence, coupling: Coupling) -> DiscoveryEvidence:
    group = coupling.characters
    return replace(
        evidence,
        moving_planes=coupling.moving,
        relations=coupling.relations,
        least_z=group.least_z if len(group.relations) else np.nan,
        chance_z=group.chance_z,
    )


def _coupled_again(white: Split, candidate: Candidate) -> Candidate | None:
    """The candidate with weights of lower rank, if relations with planes that were found later show any.

    With few pairs the first planes may be too few for a relation between them to be short.
    """
    planes = candidate.planes
    rank = candidate.weights.shape[1]
    if rank == 1 or planes.sum() <= candidate.certain:
        return None
    filters = candidate.filters[:, planes]
    u, v = (a[_FEW_PAIRS] @ filters for a in white[:2])
    coupling = coupling_of(u, v, coherence(u, v))
    if not coupling.known.all() or coupling.weights.shape[1] >= rank:
        return None
    evidence = _with_relations(candidate.evidence, coupling)
    return Candidate(filters, coupling.weights, len(coupling.weights), evidence)


def _completed(white: Split, start: Candidate, rng: np.random.Generator, on_progress: ProgressCallback) -> Candidate:
    """Lines and planes that second moments show, and all filters by EM with coupled phases.

    With more planes s is known better, and shows further planes: again, until there are no more.
    """
    x, y = white[:2]
    filters, weights = start.filters, start.weights
    variance = noise_variance(x @ filters, y @ filters)
    for i in range(_MOST_ROUNDS):
        planes, before = filters.imag.any(axis=0), len(weights)
        eta = ((x @ filters).conj() * (y @ filters) / variance)[:, planes]
        s = most_probable(eta, weights[planes])[0]
        filters, weights = with_further_subspaces(x, y, s, filters, weights)
        filters = coupled_em(x, y, filters, weights, variance, rng)
        on_progress(1 - 0.5 ** (i + 1))
        if i + 1 >= _LEAST_ROUNDS and len(weights) == before:
            break
    on_progress(1.0)
    return start._replace(filters=filters, weights=weights)
