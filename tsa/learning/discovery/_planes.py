"""Planes that the group leaves invariant, from whitened pairs: second moments of energies, then EM on the evidence."""

from collections.abc import Callable

import numpy as np

from tsa._base import Array
from tsa.density import mean_rotation
from tsa.learning.discovery._relations import noise_variances
from tsa.learning.discovery._whitening import mean_action
from tsa.model import complex_filters, real_columns

_FORMS, _SWEEPS = 4, 10  # quadratic forms of the subspace iteration, and its steps
_TRIES = 6  # times that planes of low coherence are solved again
_TEMPERATURE = 0.25  # σ² of the first EM, above that of most data: phases are not decided too early
_EM_STEPS, _EM_PAIRS = 40, 2000
_REPORT_STEPS = 8  # of EM between two reports
_MAX_REFLECTION = 0.3  # height of arg u + arg v being constant up to π, at least ½ for two lines that change sign
_MIN_RELATIVE_COHERENCE = 0.85  # of the upper quartile, below which a plane is solved again
_LAST_RELATIVE_COHERENCE = 0.5  # the same after the last try: what is left is judged by pairs held out


def complement(filters: Array) -> Array:
    """An orthonormal basis of the directions that filters (D, J) leave: (D, m)."""
    columns = real_columns(filters)
    return np.asarray(np.linalg.svd(columns)[0][:, columns.shape[1] :])


def nearest_filters(filters: Array) -> Array:
    """The nearest filters with orthonormal real and imaginary parts; lines stay lines."""
    u, _, v = np.linalg.svd(real_columns(filters), full_matrices=False)
    return complex_filters(u @ v, filters.imag.any(axis=0))


def coherence(u: Array, v: Array) -> Array:
    """The correlation of |u|² and |v|² over the pairs: 1, less noise, for an invariant plane; lower where it mixes."""
    a, b = (np.square(np.abs(z)) - np.mean(np.square(np.abs(z)), axis=0) for z in (u, v))
    return np.asarray((a * b).mean(axis=0) / np.sqrt((a * a).mean(axis=0) * (b * b).mean(axis=0)))


def em(
    x: Array,
    y: Array,
    filters: Array,
    rotation: Callable[[Array, Array], Array],
    rng: np.random.Generator,
    steps: int,
    pairs: int = _EM_PAIRS,
    tolerance: float = 0.0,
    on_filters: Callable[[Array], object] | None = None,
) -> Array:
    """EM on the evidence: m = rotation(u, v), then the filters nearest to Xᵀ(m̄v) + Yᵀ(mu). There is no step size.

    Ends early if no filter changes by more than `tolerance` in a step. `on_filters` gets the filters before every
    eighth step.
    """
    for step in range(steps):
        if on_filters is not None and step % _REPORT_STEPS == 0:
            on_filters(filters)
        rows = rng.integers(len(x), size=pairs) if pairs < len(x) else slice(None)
        xs, ys, columns = x[rows], y[rows], np.ascontiguousarray(filters).view(np.float64)
        u, v = ((a @ columns).view(np.complex128) for a in (xs, ys))
        mean = rotation(u, v)
        pull = (xs.T @ (mean.conj() * v).view(np.float64) + ys.T @ (mean * u).view(np.float64)).view(np.complex128)
        before, filters = filters, nearest_filters(np.where(filters.imag.any(axis=0), pull, pull.real))
        if np.abs(filters - before).max() <= tolerance:
            break
    return filters


def invariant_planes(
    x: Array, y: Array, rng: np.random.Generator, on_filters: Callable[[Array], object] | None = None
) -> Array:
    """Filters (d, J) of planes that keep their energy in whitened pairs (n, d).

    Planes that do not are solved again within their span. `on_filters` gets all planes as they are, now and then.
    """
    good = np.zeros((x.shape[1], 0), np.complex128)
    moving = span = mean_action(x, y)[1]
    for attempt in range(_TRIES):
        if span.shape[1] < 2:
            break
        least = _MIN_RELATIVE_COHERENCE if attempt < _TRIES - 1 else _LAST_RELATIVE_COHERENCE
        xs, ys = x @ span, y @ span
        start = _paired_eigenvectors(xs, ys, _invariant_form(xs, ys, rng))
        report = None if on_filters is None else _with_planes(on_filters, good, span)
        moved = em(
            xs, ys, start, lambda u, v: mean_rotation(u.conj() * v / _TEMPERATURE), rng, _EM_STEPS, on_filters=report
        )
        both = np.concatenate([good, span @ moved], axis=1)
        u, v = x @ both, y @ both
        kept = coherence(u, v)
        upper = np.sort(kept)[-max(1, len(kept) // 4)]
        good = both[:, planes_that_turn(u, v) & (kept > least * upper - 1 / np.sqrt(len(x)))]
        span = moving @ complement(moving.T @ good)
    return good


def planes_that_turn(u: Array, v: Array) -> Array:
    """Which planes turn (J,): two lines of which one changes its sign also keep their energy.

    Where it does, arg u + arg v is the same, up to π. The height of this relation is at least ½ for such lines, and for
    planes that turn it is 0.
    """
    mirrored = mean_rotation(u * v / noise_variances(u, v))
    left = np.abs(mirrored) ** 4  # what noise leaves of a cosine of twice the angle
    height = np.abs((np.abs(mirrored) ** 2 * mirrored**2).sum(axis=0)) / np.square(left).sum(axis=0)
    return np.asarray(height < _MAX_REFLECTION)


def _with_planes(on_filters: Callable[[Array], object], good: Array, span: Array) -> Callable[[Array], object]:
    return lambda moved: on_filters(np.concatenate([good, span @ moved], axis=1))


def _invariant_form(x: Array, y: Array, rng: np.random.Generator) -> Array:
    """A generic symmetric matrix Q with xᵀQx = yᵀQy: it (nearly) commutes with the group.

    For white x, E[y yᵀ (xᵀAx − tr A)] = 2 ∫ ρ_s A ρ_sᵀ ds, the projection of A onto these matrices. From n pairs it is
    estimated with eigenvalues of noise up to √(d²/n), against 1 for the signal: hence the subspace iteration.
    """
    d = x.shape[1]
    forms = rng.standard_normal((_FORMS, d, d))
    for _ in range(_SWEEPS):
        for i, form in enumerate(forms + forms.transpose(0, 2, 1)):
            of_x, of_y = (np.einsum("nd,nd->n", z @ form, z) for z in (x, y))
            moment = y.T @ (y * (of_x - of_x.mean())[:, None]) + x.T @ (x * (of_y - of_y.mean())[:, None])
            forms[i] = moment - np.trace(moment) / d * np.eye(d)
        forms = np.linalg.qr(forms.reshape(_FORMS, -1).T)[0].T.reshape(-1, d, d)
    return np.tensordot(rng.standard_normal(len(forms)), forms, 1)


def _paired_eigenvectors(x: Array, y: Array, form: Array) -> Array:
    """Filters from the eigenvectors of a form, two by two such that cov(x_i², y_j²) + cov(x_j², y_i²) is largest."""
    vectors = np.linalg.eigh(form)[1]
    x2, y2 = (x @ vectors) ** 2, (y @ vectors) ** 2
    shared = (x2 - x2.mean(axis=0)).T @ (y2 - y2.mean(axis=0))
    shared = np.where(np.eye(len(shared)) > 0, -np.inf, shared + shared.T)
    pairs = []
    for _ in range(len(shared) // 2):
        i, j = pair = list(np.unravel_index(np.argmax(shared), shared.shape))
        pairs.append(vectors[:, i] + 1j * vectors[:, j])
        shared[pair, :] = shared[:, pair] = -np.inf
    return np.array(pairs).T
