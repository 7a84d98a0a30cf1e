"""Relations between phases: integer vectors m with Σ_j m_j θ_j = 0 in all pairs, tested and guessed.

θ_j is the angle by which plane j turns in a pair. If plane j has weight ω_j, then θ_j = ω_j·s, and m is a relation
exactly if Σ_j m_j ω_j = 0. The relations are therefore a lattice that determines the weights up to a change of basis.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import hyp2f1

from tsa._base import Array
from tsa.density import mean_rotation

MIN_HEIGHT, MIN_Z = 0.6, 6.0  # from which a relation is accepted; true ones have height 1, false ones 0
_TRIPLE_HEIGHT = 0.5  # from which a relation of three phases is tested on all pairs
_CHUNK_NUMBERS = 2**22  # cosines held at once
_CORRELATIONS = np.linspace(0.01, 1, 1000)
_PRODUCTS_OF_LENGTHS = np.pi / 4 * hyp2f1(-0.5, -0.5, 1, _CORRELATIONS**2)


class Phases(NamedTuple):
    """The phase of each plane in each pair, and the variance of its error: (n, J) each."""

    angle: Array
    variance: Array

    def rows(self, which: slice | Array) -> "Phases":
        """Some of the pairs."""
        return Phases(self.angle[which], self.variance[which])

    def planes(self, which: Array) -> "Phases":
        """Some of the planes."""
        return Phases(self.angle[:, which], self.variance[:, which])


def noise_variance(u: Array, v: Array) -> float:
    """The variance of `noise_variances` with all planes taken together."""
    return float(noise_variances(u.reshape(-1, 1), v.reshape(-1, 1))[0])


def noise_variances(u: Array, v: Array) -> Array:
    """σ² of each plane (J,), at least 0.01, for which |u v|/σ² is the precision κ of its phase in a pair.

    It is read from lengths, which turning does not change. Of Gaussian u and v with variances a, b in each dimension
    and correlation ρ, the phase between them has κ = |u v| ρ / ((1 − ρ²) √(ab)), in whichever of them the noise is, and
    E|u v| / √(E|u|² E|v|²) = π/4 · ₂F₁(−½, −½; 1; ρ²).
    """
    size = np.sqrt(np.mean(np.square(np.abs(u)), axis=0) * np.mean(np.square(np.abs(v)), axis=0))
    product = np.mean(np.abs(u * v), axis=0) / np.maximum(size, 1e-300)
    correlation = np.interp(product, _PRODUCTS_OF_LENGTHS, _CORRELATIONS)
    return np.asarray(np.maximum(0.01, size / 2 * (1 - correlation**2) / correlation))


def phases_between(u: Array, v: Array, variance: float | Array) -> Phases:
    """The phases of pairs from their coordinates u = z(x) and v = z(y).

    The posterior of a phase is von Mises with κ = |u v|/σ². A wrapped normal with the same mean resultant length
    I₁(κ)/I₀(κ) has the variance −2 log(I₁/I₀).
    """
    mean = mean_rotation(u.conj() * v / variance)
    return Phases(np.angle(mean), -2 * np.log(np.clip(np.abs(mean), 1e-9, 1 - 1e-9)))


def relation_heights(phases: Phases, relations: Array) -> tuple[Array, Array]:
    """The height of each relation (m, J), and the same in units of what chance gives: (m,) each.

    The height is Σ w cos(m·θ) / Σ w², with w = exp(−½ Σ_j m_j² var_j) what noise leaves of the cosine in a pair: its
    expectation is 1 if the relation holds and 0 if not, whatever the noise.
    """
    heights, z = np.empty((2, len(relations)))
    at_once = max(1, _CHUNK_NUMBERS // len(phases.angle))
    for start in range(0, len(relations), at_once):
        part = slice(start, start + at_once)
        m = relations[part].astype(np.float64)
        weight = np.exp(-0.5 * phases.variance @ (m**2).T)
        total = np.einsum("nm,nm->m", weight, np.cos(phases.angle @ m.T))
        square = np.maximum(np.einsum("nm,nm->m", weight, weight), 1e-300)
        heights[part], z[part] = total / square, total / np.sqrt(square / 2)
    return heights, z


def relations_of_three(phases: Phases) -> Array:
    """All θ_i ± θ_j ± θ_k = 0 and θ_i ± θ_k = 0 that seem to hold, highest first: (m, J).

    One matrix product computes the heights of all of them; this is the bispectrum of the phases.
    """
    n, size = phases.angle.shape
    wave = np.concatenate([np.exp(1j * phases.angle - phases.variance / 2), np.ones((n, 1))], axis=1)
    combined = [(i, j, sign) for i in range(size) for j in range(i, size + 1) for sign in (1, -1)[: 1 + (i < j)]]
    i, j, sign = np.array(combined).T
    # θ_i + θ_i has four times the variance, of which the product of the two waves has only two.
    left = np.where(i == j, np.abs(wave[:, i]) ** 2, 1) * wave[:, i] * np.where(sign > 0, wave[:, j], wave[:, j].conj())
    expected = (np.abs(left) ** 2).T @ np.abs(wave[:, :size]) ** 2
    found: list[tuple[float, Array]] = []
    for last_sign, right in ((1, wave[:, :size]), (-1, wave[:, :size].conj())):
        height = (left.T @ right).real / expected
        for p, k in np.argwhere(height > _TRIPLE_HEIGHT):
            if k not in (i[p], j[p]):
                relation = np.bincount([i[p], j[p], k], [1, sign[p], last_sign], size + 1)[:size]
                found.append((float(height[p, k]), relation.astype(np.int64)))
    found.sort(key=lambda item: -item[0])
    return np.array([relation for _, relation in found], np.int64).reshape(-1, size)


def tangent(phases: Phases, radius: float) -> tuple[Array, Array]:
    """The span of the group near the identity: variances, largest first, in units of noise; and directions (J, J).

    The difference of the phases of two pairs is the phase of another element of the group. Where all differences are
    below `radius` they are linear in s, and their covariance spans the columns of the weights.
    """
    angle, variance = phases
    unit = np.concatenate([np.cos(angle), np.sin(angle)], axis=1)
    a, b = np.nonzero(np.triu(unit @ unit.T, 1) > angle.shape[1] * np.cos(0.7 * radius))
    difference = (angle[a] - angle[b] + np.pi) % (2 * np.pi) - np.pi
    near = np.abs(difference).max(axis=1) < radius
    count = max(1, int(near.sum()))
    scale = np.sqrt((variance[a] + variance[b])[near].sum(axis=0) / count + 1e-9)
    scaled = difference[near] / scale
    values, vectors = np.linalg.eigh(scaled.T @ scaled / count)
    return values[::-1], vectors[:, ::-1] * scale[:, None]
