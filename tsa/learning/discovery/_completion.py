"""From a candidate to all of its subspaces, once s is known for each pair: E[e^{−ik·s} y xᵀ] projects onto weight k.

These are second moments, so they need fewer pairs than the planes that s was first found from. Then EM with the phases
of all planes tied to one s.
"""

import numpy as np

from tsa._base import Array
from tsa.learning.discovery._lattice import integer_box
from tsa.learning.discovery._planes import complement, em, nearest_filters
from tsa.learning.discovery._pooled import LARGEST_WEIGHT, climbed, most_probable
from tsa.model import real_columns

_EM_STEPS, _EM_PAIRS = 6, 10_000
_GLOBAL_STEPS = 4
_CONVERGED = 3e-4  # largest change of a filter in a step
FINAL_EM_STEPS = 24  # until pairs without noise are explained to a few thousandths
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
