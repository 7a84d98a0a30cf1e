"""From a candidate to all of its subspaces, once s is known for each pair: E[e^{−ik·s} y xᵀ] projects onto weight k.

These are second moments, so they need fewer pairs than the planes that s was first found from. Then EM with the phases
of all planes tied to one s.
"""

from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.analysis import irreducible_filters
from tsa.learning.discovery._lattice import integer_box
from tsa.learning.discovery._planes import complement, em, nearest_filters
from tsa.learning.discovery._pooled import LARGEST_WEIGHT, climbed, most_probable
from tsa.model import Weights, real_columns

_EM_STEPS, _EM_PAIRS = 6, 10_000
_GLOBAL_STEPS = 4
_CONVERGED = 3e-4  # largest change of a filter in a step
FINAL_EM_STEPS = 24  # until pairs without noise are explained to a few thousandths
_WHITE = 2.0  # largest ratio of the variances of x in two directions
_NEGLIGIBLE = 0.01  # share of the energy of planes that is left
_MIN_PREDICTED = 0.1  # of a plane's residual, by x, from which the action is not exact
_FURTHER = 2  # beyond the largest weight found
_MAX_STEP = 0.05  # of s, in radians, in one step
_WAVE_PAIRS, _SAME, _MAX_SHARED = 4000, 0.5, 0.2  # |mean e^{i(k−l)·s}| of two weights
_MAX_PRODUCTS = 2e9  # of a step, about two seconds of one core; there are at most twelve
_PROJECTION_STEPS, _LEAST_GAIN = 12, 0.01  # of least squares; of the residual in held-out pairs, by a step
_MAX_PROJECTED_RESIDUAL = 0.8  # of that of the planes, for projections to be preferred
_MIN_EIGENVALUE, _ABOVE_CHANCE = 0.3, 1.3  # of a projection: 1 on its weight space, less what noise takes


def with_further_subspaces(x: Array, y: Array, s: Array, filters: Array, weights: Array) -> tuple[Array, Array]:
    """The filters and weights given, and those that second moments show in the directions they leave.

    x, y (n, d) are whitened pairs, s (n, r) their group elements. Lines are weights 0, and those at which e^{ik·s} only
    takes the values ±1. A subspace is added if its eigenvalue exceeds that of permuted pairs.
    """
    span = complement(filters)
    if not span.size:
        return filters, weights
    xs, ys = x @ span, y @ span
    strangers = np.roll(ys, 1, axis=0)
    largest = min(int(np.abs(weights).max()) + 3, LARGEST_WEIGHT[s.shape[1]])
    found, chance = list[tuple[float, Array, Array, bool]](), 0.0
    for k in integer_box(s.shape[1], largest):
        if tuple(k) < (0,) * len(k):
            continue
        wave = np.exp(-1j * s @ k)[:, None]
        line = bool(np.mean(np.cos(2 * s @ k)) > 0.5)
        chance = max(chance, _eigen(wave * strangers, xs, line)[0][-1])
        for value, vector in zip(*_eigen(wave * ys, xs, line), strict=True):
            found.append((value - 1e-3 * np.abs(k).sum(), k, vector, line))  # of equals the smallest weight
    for value, k, vector, line in sorted(found, key=lambda item: -item[0]):
        if value <= max(_ABOVE_CHANCE * chance, _MIN_EIGENVALUE):
            break
        f = span @ (vector if line else vector.conj() * np.sqrt(2))
        independent = np.linalg.norm(real_columns(filters).T @ f) < 0.5 * np.linalg.norm(f)
        half_a_plane = not line and np.abs(vector @ vector) >= 0.5
        if independent and not half_a_plane:
            filters = np.concatenate([filters, f[:, None]], axis=1)
            weights = np.concatenate([weights, [k]])
    return nearest_filters(filters), weights


def _eigen(turned: Array, x: Array, line: bool) -> tuple[Array, Array]:
    """Eigenvalues, rising, and eigenvectors in rows of the Hermitian part of E[turned xᵀ]; its real part for lines."""
    projection = turned.T @ x / len(x)
    projection = projection.real if line else projection
    values, vectors = np.linalg.eigh((projection + projection.conj().T) / 2)
    return values, vectors.T


def coupled_em(
    x: Array,
    y: Array,
    filters: Array,
    weights: Array,
    variance: float,
    rng: np.random.Generator,
    steps: int = _EM_STEPS,
) -> Array:
    """EM on the filters with the phases of all planes at ω_j·s, s the most probable element of each pair.

    s is searched globally every fourth step, and follows the filters by Newton's method in between.
    """
    planes = filters.imag.any(axis=0)
    if len(x) > _EM_PAIRS:
        rows = rng.choice(len(x), _EM_PAIRS, replace=False)
        x, y = x[rows], y[rows]
    s: Array | None = None
    step = 0

    def rotation(u: Array, v: Array) -> Array:
        nonlocal s, step
        eta = (u.conj() * v / (np.mean(np.square(np.abs(v)), axis=0) / 2 * variance))[:, planes]
        if s is None or step % _GLOBAL_STEPS == 0:
            s = most_probable(eta, weights[planes])[0]
        else:
            s = climbed(eta, weights[planes], s, steps=2)
        step += 1
        turn = np.exp(1j * (s @ weights.T))
        return np.where(planes, turn, turn.real)

    return em(x, y, filters, rotation, rng, steps, _EM_PAIRS, _CONVERGED)


def refined_by_projections(
    x: Array, y: Array, held_x: Array, held_y: Array, filters: Array, weights: Array, variance: float
) -> tuple[Array, Array] | None:
    """Filters and weights of an action that is not exact, as `tsa.refine` finds them with the action; None if it is.

    Turned pixels are interpolated: no plane turns exactly, and the planes that explain most pairs are not those of the
    projections P_k = mean of e^{−ik·s} A_s. With s known, y = Σ_k e^{ik·s} P_k x is a regression on white x. Its steps
    start at the planes found; each is as long as is best in pairs that are held out.
    """
    irreps = Weights(weights)
    filters = np.where(irreps.negated, filters.conj(), filters)
    weights = np.asarray(irreps.folded).reshape(weights.shape)
    s, held_s = (_elements(*pairs, filters, weights, variance) for pairs in ((x, y), (held_x, held_y)))
    spread = np.mean(np.square(x), axis=0)
    if spread.max() > _WHITE * spread.min() or not _loses_energy(x, y, s, filters, weights):
        return None
    characters, lines = _characters(s, weights)
    if not len(characters):
        return None
    few = slice(int(_MAX_PRODUCTS / (len(characters) * x.shape[1] ** 2)))
    x, y, s, held_x, held_y, held_s = (a[few] for a in (x, y, s, held_x, held_y, held_s))
    projections = np.zeros((len(characters), x.shape[1], x.shape[1]), np.complex128)
    for f, weight in zip(filters.T, weights, strict=True):
        projections[np.all(characters == weight, axis=1)] += np.outer(f.conj(), f) / np.vdot(f, f).real
    action, inverse, residuals = _Action(characters, lines, projections), np.linalg.inv(x.T @ x), list[float]()
    for _ in range(_PROJECTION_STEPS):
        if residuals:
            s, held_s = action.followed(x, y, s), action.followed(held_x, held_y, held_s)
        left, held_left = y - action.moved(x, s), held_y - action.moved(held_x, held_s)
        residuals.append(float(np.mean(np.square(held_left))))
        if len(residuals) > 1 and residuals[-1] > (1 - _LEAST_GAIN) * residuals[-2]:
            break
        step = action.pull(x, left, s) @ inverse
        change = action._replace(projections=step).moved(held_x, held_s)
        length = np.sum(held_left * change) / np.sum(np.square(change))
        action = action._replace(projections=action.projections + length * step)
    if residuals[-1] > _MAX_PROJECTED_RESIDUAL * residuals[0]:
        return None
    refined, found, _ = irreducible_filters(np.eye(x.shape[1]), action.projections, characters, lines)
    return (refined, np.array([item.weight for item in found])) if found else None


class _Action(NamedTuple):
    """A_s = Σ_k e^{ik·s} P_k over characters (K, r), of which there is one of each ±k; complex ones count twice."""

    characters: Array
    lines: Array  # (K,): where the character is real
    projections: Array  # (K, d, d)

    def moved(self, x: Array, s: Array, along: int | None = None) -> Array:
        """A_s x: (n, d); or its derivative along one coordinate of s."""
        moved, waves = np.zeros_like(x), np.exp(1j * s @ self.characters.T)
        if along is not None:
            waves = 1j * self.characters[:, along] * waves
        for wave, projection, line in zip(waves.T, self.projections, self.lines.tolist(), strict=True):
            part = wave.real[:, None] * (x @ projection.real.T)
            if not line:  # two products of real matrices take half the time of one of complex ones
                part -= wave.imag[:, None] * (x @ projection.imag.T)
            moved += part if line else 2 * part
        return moved

    def pull(self, x: Array, left: Array, s: Array) -> Array:
        """The sum over pairs of e^{−ik·s} left xᵀ, for each character: (K, d, d); real where the character is."""
        pulls = np.zeros_like(self.projections)
        for pull, angle, line in zip(pulls, (s @ self.characters.T).T, self.lines.tolist(), strict=True):
            pull.real = (left * np.cos(angle)[:, None]).T @ x
            if not line:
                pull.imag = -(left * np.sin(angle)[:, None]).T @ x
        return pulls

    def followed(self, x: Array, y: Array, s: Array) -> Array:
        """s after a Gauss–Newton step on |y − A_s x|²."""
        slopes = np.stack([self.moved(x, s, along=a) for a in range(s.shape[1])], axis=-1)
        pull = np.einsum("nda,nd->na", slopes, y - self.moved(x, s))
        hessian = np.einsum("nda,ndb->nab", slopes, slopes) + 1e-9 * np.eye(s.shape[1])
        change = np.linalg.solve(hessian, pull[..., None])[..., 0]
        return np.asarray(s + np.clip(change, -_MAX_STEP, _MAX_STEP))


def _elements(x: Array, y: Array, filters: Array, weights: Array, variance: float) -> Array:
    """The most probable element of each pair: (n, r)."""
    planes = filters.imag.any(axis=0)
    u, v = x @ filters[:, planes], y @ filters[:, planes]
    return most_probable(u.conj() * v / (np.mean(np.square(np.abs(v)), axis=0) / 2 * variance), weights[planes])[0]


def _loses_energy(x: Array, y: Array, s: Array, filters: Array, weights: Array) -> bool:
    """Whether x foretells what is left of y in a plane after turning back: from an exact action it cannot."""
    v = y @ filters
    left = v * np.exp(-1j * s @ weights.T) - x @ filters
    energy = np.sum(np.square(np.abs(left)))
    if energy < _NEGLIGIBLE * np.sum(np.square(np.abs(v))):
        return False
    foretold = np.sum(np.square(np.abs(left.T @ x))) / np.sum(np.mean(np.square(x), axis=0)) * x.shape[1] / len(x)
    return bool(foretold - x.shape[1] / len(x) * energy > _MIN_PREDICTED * energy)


def _characters(s: Array, weights: Array) -> tuple[Array, Array]:
    """Small weights (K, r), one of each ±k, whose waves differ on these s (n, r), and at which they are real.

    None if s is so uneven that waves of different weights are not nearly orthogonal.
    """
    box = integer_box(s.shape[1], int(np.abs(weights).max()) + _FURTHER)
    box = box[len(box) // 2 :]
    box = box[np.argsort(np.abs(box).sum(axis=1), kind="stable")]
    waves = np.exp(1j * s[:_WAVE_PAIRS] @ box.T)
    shared, mirrored = (np.abs(other.T @ waves) / len(waves) for other in (waves.conj(), waves))
    kept = list[int]()
    for k in range(len(box)):
        if all(shared[k, j] < _SAME and mirrored[k, j] < _SAME for j in kept):
            kept.append(k)
    off = shared[np.ix_(kept, kept)] - np.eye(len(kept))
    if off.max() > _MAX_SHARED:
        kept = []
    return box[kept], np.diag(mirrored)[kept] > _SAME
