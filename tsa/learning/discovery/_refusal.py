"""When no group is found: each test of a candidate, and the sentence that says why it was refused."""

import itertools
import math

import numpy as np

from tsa._base import Array
from tsa.density import mean_rotation
from tsa.learning.discovery._planes import coherence, complement
from tsa.learning.discovery._pooled import most_probable

MAX_EXCESS = 2.0  # residual over what noise of the size seen would leave
MAX_LEFT, WARN_LEFT = 0.6, 0.3  # share of the dimensions that no subspace explains
MAX_STEP_CHANCE = 0.01  # share of random angles that fit integers as well
_MAX_LEAK = 0.25
_NEGLIGIBLE_RESIDUAL = 2e-3  # per dimension of unit variance: pairs without noise leave what the filters miss
_MAX_MINORS = 3000  # r×r minors of the weights that are looked at


class NoGroupFound(Exception):  # noqa: N818  an outcome, which `discover` turns into a result
    """Raised within the search when a candidate fails a test; the message is the sentence for the result."""


def coherent_planes(x: Array, y: Array, filters: Array, held_x: Array, held_y: Array) -> Array:
    """Those filters whose planes keep their energy in held-out pairs, and lose none to directions outside."""
    held = coherence(held_x @ filters, held_y @ filters)
    whole = coherence(np.linalg.norm(held_x, axis=1), np.linalg.norm(held_y, axis=1))
    least = max(0.15, 5 / np.sqrt(len(held_x)), 0.5 * held.max(initial=0.0), 0.7 * float(whole))
    filters = filters[:, held > least]
    filters = filters[:, _leaks(x, y, filters) < _MAX_LEAK]
    if not filters.size:
        raise NoGroupFound(
            "no plane keeps its energy: in no plane does |x|² foretell |y|² in pairs that were held out. A commutative "
            "group keeps it in all planes"
        )
    return filters


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
