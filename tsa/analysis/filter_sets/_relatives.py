"""Which filters of a set are copies of each other up to phase, and which stand 90° apart: quadrature partners.

Filters of one weight are compared through the coordinates c of their parts of that weight. For unit vectors, |c_iᴴc_j|
is the overlap of their planes and arg c_iᴴc_j the difference of their phases.
"""

from dataclasses import dataclass

import numpy as np

from tsa._base import Array

_MIN_COPY_COSINE = 0.97  # between filters that count as copies; an angle of 14°
_MIN_COPY_PURITY = 0.9  # of what the pixels allow, from which the plane of a real filter says all about it
_MIN_QUADRATURE = 0.8  # of a pair that counts: both in one plane, and 90° apart, to within 37° in all
_CHUNK_FILTERS = 1024


@dataclass(frozen=True, eq=False)
class Relatives:
    """For each of n filters: `partner` and `original` are indices or −1; `quadrature` is the score of the pair, 0…1.

    `original` is the filter that this one copies up to a phase (a sign, if both are real and of the same phase), the
    purest of its copies. Copies share the partner of their original.
    """

    partner: Array
    quadrature: Array
    original: Array


class Relations:
    """Collects the relatives of filters, one weight space after another."""

    def __init__(self, count: int) -> None:
        self.partner = np.full(count, -1)
        self.quadrature = np.zeros(count)
        self.original = np.full(count, -1)

    def add(self, members: Array, unit: Array, parts: Array, purity: Array, real: Array, line: bool) -> None:
        """Compare `members`, purest first: unit filters (D, m), their coordinates (r, m), relative purities and kinds.

        `line` says that the weight space is real: then nothing turns, and there are no partners.
        """
        directions = _unit(parts)
        left = np.ones(len(members), bool)
        self._copies(members, unit, left, real)
        if not line:
            self._partners(members[left & real], directions[:, left & real])
        open_ = left & (self.partner[members] < 0) & (purity >= _MIN_COPY_PURITY) & real
        # A real filter without a partner may still lie in the plane of a purer one, at another phase.
        planes = np.flatnonzero(left & (purity >= _MIN_COPY_PURITY) & real)
        overlap = np.abs(directions[:, open_].conj().T @ directions[:, planes]) >= _MIN_COPY_COSINE
        for row, j in zip(overlap, np.flatnonzero(open_), strict=True):
            first = planes[row][0] if row.any() else j
            if first < j:
                self.original[members[j]] = self._root(int(members[first]))
        paired = self.original[members] >= 0
        copies = members[paired]
        self.partner[copies] = self.partner[self.original[copies]]
        self.quadrature[copies] = self.quadrature[self.original[copies]]

    def _root(self, j: int) -> int:
        return j if self.original[j] < 0 else int(self.original[j])

    def _copies(self, members: Array, unit: Array, left: Array, real: Array) -> None:
        """Mark filters that equal a purer one up to a phase, or are its conjugate."""
        for start in range(0, len(members), _CHUNK_FILTERS):
            block = unit[:, start : start + _CHUNK_FILTERS]
            earlier = unit[:, : start + block.shape[1]]
            cosine = np.abs(earlier.conj().T @ block)
            if np.iscomplexobj(unit):
                cosine = np.maximum(cosine, np.abs(earlier.T @ block))
            alike = cosine >= _MIN_COPY_COSINE
            for column in range(block.shape[1]):
                j = start + column
                before = np.flatnonzero(alike[:j, column] & left[:j] & (real[:j] == real[j]))
                if before.size:
                    left[j] = False
                    self.original[members[j]] = members[before[0]]

    def _partners(self, members: Array, directions: Array) -> None:
        """Pair real filters, those closest to quadrature first."""
        score = np.zeros((len(members), len(members)), np.float32)
        for start in range(0, len(members), _CHUNK_FILTERS):
            rows = slice(start, start + _CHUNK_FILTERS)
            score[rows] = np.abs((directions[:, rows].conj().T @ directions).imag)
        while score.size:
            best = score.argmax(axis=1)
            value = score[np.arange(len(best)), best]
            mutual = np.flatnonzero((best[best] == np.arange(len(best))) & (value >= _MIN_QUADRATURE))
            if not mutual.size:
                return
            self.partner[members[mutual]] = members[best[mutual]]
            self.quadrature[members[mutual]] = value[mutual]
            score[mutual] = score[:, mutual] = 0.0

    def found(self) -> Relatives:
        """What has been found."""
        return Relatives(self.partner, self.quadrature, self.original)


def _unit(columns: Array) -> Array:
    length = np.linalg.norm(columns, axis=0)
    return columns / np.where(length > 0, length, 1.0)
