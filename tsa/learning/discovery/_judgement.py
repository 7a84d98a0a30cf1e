"""What becomes of a candidate: each test of it in pairs that were held out, and the result, or why there is none."""

import itertools
import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.density import mean_rotation
from tsa.learning.discovery._completion import FINAL_EM_STEPS, coupled_em, refined_by_projections
from tsa.learning.discovery._lattice import integer_box, reduced_modulo
from tsa.learning.discovery._planes import coherence, complement
from tsa.learning.discovery._pooled import most_probable
from tsa.learning.discovery._relations import noise_variance, phases_between, relation_heights
from tsa.learning.discovery._whitening import Whitening, sharpened
from tsa.learning.discovery.result import Discovery, DiscoveryEvidence
from tsa.model import Subgroup, Weights

MAX_STEP_CHANCE = 0.01  # share of random angles that fit integers as well
_MAX_EXCESS = 2.0  # residual over what noise of the size seen would leave
_MAX_LEFT = 0.6  # share of the dimensions that no subspace explains
_MAX_LEAK = 0.25
_MIN_PLANE_Z, _MIN_LOOSE_PLANE_Z = 3.0, 8.0  # of the coherence of a plane, with and without relations
_ABOVE_CHANCE = 1.3  # of the support of a plane, over the largest in permuted pairs
_COHERENCE_TOLERANCE = 0.01  # by which given coordinates may be worse than whitened ones and are still preferred
_SHARPENINGS = 2  # of the whitening, with filters learned anew between
_NEGLIGIBLE_RESIDUAL = 2e-3  # per dimension of unit variance: pairs without noise leave what the filters miss
_EVIDENCE_PAIRS = {1: 500, 2: 40}  # by rank; a density of three parameters takes half a second
_MAX_MINORS = 3000  # r×r minors of the weights that are looked at
_MAX_CYCLE = 64  # largest order of a finite factor that is looked for in s
_MAX_NEXT_PLANES = 8


class Candidate(NamedTuple):
    """Filters (d, J) in whitened coordinates with weights (J, r); the first `certain` came from tested relations."""

    filters: Array
    weights: Array
    certain: int
    evidence: DiscoveryEvidence

    @property
    def planes(self) -> Array:
        """(J,): which subspaces are planes; the others are lines."""
        return np.asarray(self.filters.imag.any(axis=0))


class Split(NamedTuple):
    """Pairs to learn from and pairs held out, in one system of coordinates."""

    x: Array
    y: Array
    held_x: Array
    held_y: Array

    def times(self, matrix: Array) -> "Split":
        """The same pairs in other coordinates."""
        return Split(*(part @ matrix for part in self))


class NoGroupFound(Exception):  # noqa: N818  an outcome, which `discover` turns into a result
    """Raised within the search when a candidate fails a test; `why` is the sentence for the result."""

    def __init__(self, why: str, evidence: DiscoveryEvidence | None = None) -> None:
        super().__init__(why)
        self.why, self.evidence = why, evidence


def judged(
    given: Split, white: Split, whitening: Whitening, candidate: Candidate, rng: np.random.Generator
) -> Discovery:
    """The result, or a refusal, from the pairs held out; without the mean, and with σ still to be found."""
    variance = noise_variance(white.x @ candidate.filters, white.y @ candidate.filters)
    split, filters, matrix = _in_better_coordinates(given, white, whitening, candidate, variance, rng)
    refined = None if matrix is not None else refined_by_projections(*split, filters, candidate.weights, variance)
    if refined is not None:
        filters = refined[0]
        candidate = candidate._replace(filters=filters, weights=refined[1], certain=0)
    weights, planes = candidate.weights, candidate.planes
    size = np.sqrt(np.mean(np.square(np.abs(split.held_y @ filters)), axis=0) / (1 + planes))
    u, v = split.held_x @ filters / size, split.held_y @ filters / size
    s = most_probable(u[:, planes].conj() * v[:, planes] / variance, weights[planes])[0]
    support, chance = np.full(len(weights), np.nan), 0.0
    support[planes], chance = _supports_and_chance(u[:, planes], v[:, planes], weights[planes], variance)
    # Planes of relations have been tested already.
    sure = ~(support < _ABOVE_CHANCE * chance) | (np.arange(len(weights)) < candidate.certain)
    orders, turning = orders_of(s), planes & sure
    evidence = replace(
        candidate.evidence,
        support_by_chance=chance,
        excess=excess_residual(u, v, weights, planes, s),
        dimensions_left=candidate.evidence.dimensions - int(np.sum(1 + planes[sure])),
    )
    if not np.isfinite(evidence.step_chance):  # small steps leave every short combination of phases small
        further = next_relation(u[:, turning], v[:, turning], weights[turning], orders, variance)
        evidence = replace(evidence, next_relation=further)
    _refuse_what_explains_too_little(evidence, turning)
    # Slowest first, with weights folded: of ±ω the one whose first coordinate other than 0 is positive.
    kept = np.flatnonzero(sure)
    kept = kept[Weights(weights[kept]).order()]
    irreps = Weights(weights[kept])
    filters = np.where(irreps.negated, filters[:, kept].conj(), filters[:, kept])
    filters = with_standard_phases(whitening.directions @ filters if matrix is None else filters)
    return Discovery(
        "",
        evidence,
        orders,
        Subgroup(filters, np.asarray(irreps.folded)),
        whitening=matrix,
        support=support[kept],
        coherence=coherence(u, v)[kept],
    )


def _in_better_coordinates(
    given: Split, white: Split, whitening: Whitening, candidate: Candidate, variance: float, rng: np.random.Generator
) -> tuple[Split, Array, Array | None]:
    """Pairs and filters in the given coordinates, if the action is orthogonal there, or in whitened ones.

    Third is the matrix (D, d) that leads to whitened coordinates, or None. If the action is orthogonal in those given,
    planes are learned better there: noise mixes planes of variances a and b by √(ab)/(a + b), after whitening by ½.
    """
    filters, weights = candidate.filters, candidate.weights
    turned = given.times(whitening.directions)
    plain = coupled_em(turned.x, turned.y, filters, weights, variance, rng, FINAL_EM_STEPS)
    as_given, as_white = (
        float(np.mean(coherence(split.held_x @ f, split.held_y @ f)))
        for split, f in ((turned, plain), (white, filters))
    )
    if as_given > as_white - _COHERENCE_TOLERANCE:
        return turned, plain, None
    planes, matrix = candidate.planes, whitening.matrix
    for _ in range(_SHARPENINGS):
        filters = coupled_em(white.x, white.y, filters, weights, variance, rng, FINAL_EM_STEPS)
        eta = ((white.x @ filters).conj() * (white.y @ filters) / variance)[:, planes]
        better = sharpened(white.x, white.y, most_probable(eta, weights[planes])[0], filters, weights)
        white, matrix = white.times(better), matrix @ better
    return white, coupled_em(white.x, white.y, filters, weights, variance, rng, FINAL_EM_STEPS), matrix


def _refuse_what_explains_too_little(evidence: DiscoveryEvidence, turning: Array) -> None:
    dimensions, left = evidence.dimensions, evidence.dimensions_left
    if evidence.excess > _MAX_EXCESS or not turning.any():
        raise NoGroupFound(
            f"the best candidate leaves {evidence.excess:.1f} times the residual that noise would", evidence
        )
    if left > _MAX_LEFT * dimensions:
        raise NoGroupFound(f"the best candidate explains only {dimensions - left} of {dimensions} dimensions", evidence)


def with_noise_and_evidence(result: Discovery, pairs: Split) -> Discovery:
    """σ of the model from held-out residuals, and its evidence there beside that of free phases."""
    model = result.model
    x, y = (a if result.whitening is None else a @ result.whitening for a in pairs[2:])
    u, v = model.coordinates(x), model.coordinates(y)
    planes, weights = ~model.lines, model.irreps.values
    size = max(float(np.mean(np.square(np.abs(v[:, planes])))), 1e-300)
    s = most_probable((u.conj() * v)[:, planes] * (100 / size), weights[planes])[0]
    turn = np.exp(1j * s @ weights.T)
    residual = v - np.where(planes, turn, turn.real) * u
    freedom = max(1, int(np.sum(1 + planes)) - result.rank)
    noise = float(np.sqrt(np.sum(np.square(np.abs(residual))) / (len(x) * freedom)))
    model = model.with_noise(max(noise, 1e-6 * np.sqrt(size)))
    result = replace(result, found_model=model)
    if result.rank not in _EVIDENCE_PAIRS:
        return result
    few = slice(_EVIDENCE_PAIRS[result.rank])
    coupled, free = (float(np.mean(m.log_evidence(x[few], y[few]))) for m in (model, model.torus))
    evidence = replace(result.evidence, coupled_evidence=coupled, free_evidence=free)
    return replace(result, evidence=evidence)


# -- tests ------------------------------------------------------------------------------------------------------------


def coherent_planes(x: Array, y: Array, filters: Array, held_x: Array, held_y: Array) -> Array:
    """Those filters whose planes keep their energy in held-out pairs, and lose none to directions outside."""
    held = coherence(held_x @ filters, held_y @ filters)
    whole = coherence(np.linalg.norm(held_x, axis=1), np.linalg.norm(held_y, axis=1))
    least = max(0.15, _significant(_MIN_PLANE_Z, len(held_x)), 0.5 * held.max(initial=0.0), 0.7 * float(whole))
    filters = filters[:, held > least]
    filters = filters[:, _leaks(x, y, filters) < _MAX_LEAK]
    if not filters.size:
        raise NoGroupFound(
            "no plane keeps its energy: in no plane does |x|² foretell |y|² in pairs that were held out. A commutative "
            "group keeps it in all planes"
        )
    return filters


def refuse_loose_planes(filters: Array, held_x: Array, held_y: Array, evidence: DiscoveryEvidence) -> None:
    """Refuse planes without any relation between their phases, unless each keeps its energy beyond doubt."""
    least = float(coherence(held_x @ filters, held_y @ filters).min())
    if least < _significant(_MIN_LOOSE_PLANE_Z, len(held_x)):
        raise NoGroupFound(
            f"no relation ties the phases of the planes to each other, and of {len(held_x)} pairs that were held out a "
            f"coherence of {least:.2f} is too little to believe them without",
            evidence,
        )


def _significant(z: float, pairs: int) -> float:
    """The correlation that is z standard deviations from 0 by Fisher's transformation."""
    return float(np.tanh(z / np.sqrt(pairs - 3)))


def _leaks(x: Array, y: Array, filters: Array) -> Array:
    """The share of a plane's energy that goes to one direction outside: (J,); noise goes to none.

    The top eigenvalue of E[δ (yyᵀ − xxᵀ)] off the plane, δ = |u|² − |v|², over var |u|², less what δ with random signs
    gives. SO(3) on R³ loses the energy of a plane to the third axis.
    """
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=len(x))
    leaks = []
    for f in filters.T:
        outside = complement(f[:, None])
        xs, ys, energy = x @ outside, y @ outside, np.square(np.abs(x @ f))
        lost = energy - np.square(np.abs(y @ f))
        if not outside.size:
            leaks.append(0.0)
            continue
        top, chance = (np.linalg.eigvalsh((ys.T * d) @ ys - (xs.T * d) @ xs)[-1] for d in (lost, signs * lost))
        leaks.append((top - chance) / len(x) / np.var(energy))
    return np.array(leaks)


def _supports_and_chance(u: Array, v: Array, weights: Array, variance: float) -> tuple[Array, float]:
    """The support of each plane (J,), and the largest of any in permuted pairs."""
    strange = supports(u, np.roll(v, 1, axis=0), weights, variance)
    return supports(u, v, weights, variance), float(np.nanmax([0.0, *strange]))


def supports(u: Array, v: Array, weights: Array, variance: float) -> Array:
    """How well the other planes foretell the phase of each: |Σ w e^{i(θ_j − ω_j·s)}| / Σ w, from 0 to 1: (J,).

    s is pooled over the other planes and w = I₁/I₀(κ_j). nan where ω_j is no integer combination of the other weights,
    so that they cannot tell: where the greatest common divisor of their r×r minors is not 1.
    """
    mean, (size, rank) = mean_rotation(u.conj() * v / variance), weights.shape
    s = most_probable(u.conj() * v / variance, weights, range(size))[1:]
    turned = mean * np.exp(-1j * np.einsum("jnr,jr->nj", s, weights))
    support = np.abs(turned.sum(axis=0)) / np.abs(mean).sum(axis=0)
    for j in range(size):
        if not _generate_all(np.delete(weights, j, axis=0), rank):
            support[j] = np.nan
    return np.asarray(support)


def _generate_all(weights: Array, rank: int) -> bool:
    """Whether these weights generate Z^r; judged by the first few thousand minors."""
    minors = itertools.islice(itertools.combinations(weights, rank), _MAX_MINORS)
    divisor = 0
    for rows in minors:
        divisor = math.gcd(divisor, round(np.linalg.det(np.array(rows, np.float64))))
        if divisor == 1:
            return True
    return False


def excess_residual(u: Array, v: Array, weights: Array, planes: Array, s: Array) -> float:
    """The residual per dimension over the variance of ‖v‖ − ‖u‖, which noise alone changes: near 1 if the group fits.

    u, v (n, J) are scaled to unit variance in each dimension.
    """
    turn = s @ weights.T
    residual = v - np.where(planes, np.exp(1j * turn), np.cos(turn)) * u
    radial = np.linalg.norm(v, axis=1) - np.linalg.norm(u, axis=1)
    per_dimension = np.mean(np.square(np.abs(residual))) * len(planes) / np.sum(1 + planes)
    return float(per_dimension / max(np.var(radial), _NEGLIGIBLE_RESIDUAL))


# -- how a group that was found is written down ------------------------------------------------------------------------


def with_standard_phases(filters: Array) -> Array:
    """The same filters with phases (signs, on lines) that make their response to a reference patch positive."""
    response = np.random.default_rng(0).standard_normal(len(filters)) @ filters
    return np.asarray(filters * (np.abs(response) / response))


def orders_of(s: Array) -> tuple[int, ...]:
    """The order of each parameter: n if it takes multiples of 2π/n only, 0 if it takes all values."""
    closed = np.cos(np.arange(1, _MAX_CYCLE + 1)[:, None, None] * s).mean(axis=1) > 0.5
    return tuple(1 + int(np.argmax(c)) if c.any() and not c[0] else 0 for c in closed.T)


def next_relation(u: Array, v: Array, weights: Array, orders: tuple[int, ...], variance: float) -> float:
    """The height of the strongest short relation that the weights do not imply: it would lower the rank by one."""
    few = slice(min(_MAX_NEXT_PLANES, len(weights)))
    if len(weights) < 2:
        return np.nan
    relations = integer_box(len(weights[few]), 1)
    relations = relations[len(relations) // 2 + 1 :]
    image = reduced_modulo(relations @ weights[few], np.array(orders))
    relations = relations[image.any(axis=1) & (np.count_nonzero(relations, axis=1) > 1)]
    height, z = relation_heights(phases_between(u[:, few], v[:, few], variance), relations)
    return float(height[np.argmax(z)]) if len(relations) else np.nan
