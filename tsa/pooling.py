"""Weight spaces: which subspaces turn together (paper, section 3.3).

Signed weights fold onto one harmonic, ω and −ω with conjugate phase; weight 0 is set aside, because it shifts the
evidence and never the posterior.
"""

from dataclasses import dataclass

import numpy as np

from tsa.checks import Array
from tsa.torus2 import fold


@dataclass(frozen=True, eq=False)
class Pooling:
    """The map from J subspaces to the harmonics of the density over s; `weights` is (J,) or (J, 2)."""

    harmonics: Array  # 1…K, or the distinct frequencies (H, 2)
    place: Array  # (J,): the harmonic of each subspace, −1 for weight 0
    negated: Array  # (J,): whether it enters conjugated

    @classmethod
    def of(cls, weights: Array) -> "Pooling":
        """The pooling of these weights."""
        if weights.ndim == 1:
            harmonics = np.arange(1, np.abs(weights).max(initial=0) + 1)
            return cls(harmonics, np.abs(weights) - 1, weights < 0)
        folded, negated = fold(weights)
        moving = folded.any(axis=1)
        harmonics, inverse = np.unique(folded[moving], axis=0, return_inverse=True)
        place = np.full(len(weights), -1)
        place[moving] = inverse.ravel()
        return cls(harmonics, place, negated)

    @property
    def fixed(self) -> Array:
        """(J,): the subspaces of weight 0."""
        return self.place < 0

    def matrix(self) -> Array:
        """The real (2J, 2H) matrix of η⁺_k = Σ_{ω_j=k} η̂_j + Σ_{ω_j=−k} conj(η̂_j) on interleaved parts."""
        matrix = np.zeros((self.place.size, 2, len(self.harmonics), 2))
        j = np.flatnonzero(~self.fixed)
        matrix[j, 0, self.place[j], 0] = 1.0
        matrix[j, 1, self.place[j], 1] = np.where(self.negated[j], -1.0, 1.0)
        return matrix.reshape(2 * self.place.size, 2 * len(self.harmonics))

    def spread(self, moments: Array) -> Array:
        """E[e^{iω_j s}] of each subspace from the moments of each harmonic: (..., H) → (..., J); 1 at weight 0."""
        result = np.ones((*moments.shape[:-1], self.place.size), moments.dtype)
        j = np.flatnonzero(~self.fixed)
        picked = moments[..., self.place[j]]
        result[..., j] = np.where(self.negated[j], picked.conj(), picked)
        return result
