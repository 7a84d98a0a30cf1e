"""The generalised von Mises density on the p-torus, for groups with two or three parameters such as image translation.

    log p(s) = Re Σ_k conj(η_k) e^{ik·s} − log Z,     s = (s₁, …, s_p),  k in Z^p without 0

Normaliser and moments come from a certified grid where that is small, and from certified tiles otherwise
(`numerics.tiles`), at a cost that hardly depends on the concentration. Everything is computed relative to the highest
peak, so that sharp densities lose no digits.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, Rng, ShapeError, checks
from tsa.density._diffusion import diffused
from tsa.density._shared import DensityMethods, deviation, heaviest_first, in_double, same_group, statistics_from
from tsa.density.fitting import Fit, fit_torus
from tsa.density.numerics import (
    FisherInformation,
    TorusPartition,
    draw_points,
    expm1_imaginary,
    find_modes,
    find_regions,
    fold,
    highest_points,
    pooled,
    torus_log_marginal,
    torus_partition,
    values_on_grid,
    wrap,
)
from tsa.density.protocol import Certificate, CredibleRegion, Modes, Piece

_PARAMETERS = (2, 3)
_CHUNK_TERMS = 2**21  # terms of log densities held at once


@dataclass(frozen=True, eq=False, repr=False)
class TorusVonMises(DensityMethods):
    """A batch of densities on the p-torus, p = 2 or 3: complex `eta` (..., M), integer `frequencies` (M, p).

    Frequencies come out folded (the first coordinate other than 0 is positive), sorted, without repetition: k and −k
    are one harmonic, with conjugate η. Points s are (..., p) and broadcast against the batch; points that come out
    lie in [0, 2π)^p.

    >>> p = tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]])
    >>> print(p.mode(), p.certificate.error < 1e-10)
    [0. 0.] True
    """

    eta: Array
    frequencies: Array

    def __init__(self, eta: ArrayLike, frequencies: ArrayLike) -> None:
        eta = checks.finite(checks.complex_(eta, "eta"), "eta")
        frequencies = np.asarray(frequencies)
        if (
            frequencies.ndim != 2
            or frequencies.shape[1] not in _PARAMETERS
            or frequencies.shape[:1] != eta.shape[-1:]
            or frequencies.dtype.kind not in "iu"
        ):
            raise ShapeError(
                f"frequencies must be integers of shape (M, 2) or (M, 3) for eta (..., M); got {frequencies.dtype} "
                f"{frequencies.shape} for eta {eta.shape}."
            )
        if not np.all(frequencies.any(axis=1)):
            zero = f"({', '.join('0' * frequencies.shape[1])})"
            raise InputError(f"The frequency {zero} is a constant, which a density does not have; leave it out.")
        unique, own = pooled(frequencies.astype(np.int64), eta)
        object.__setattr__(self, "eta", checks.frozen(own))
        object.__setattr__(self, "frequencies", checks.frozen(unique))

    @classmethod
    def fit(cls, points: ArrayLike, frequencies: ArrayLike, weights: ArrayLike | None = None) -> "Fit[TorusVonMises]":
        """The density of highest likelihood for `points` (n, *batch, p) with these frequencies (M, p).

        A point of weight w (`weights` (n,) or (n, *batch)) counts as w observations.

        >>> points = tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]]).sample(2000, rng=0)
        >>> fit = tsa.TorusVonMises.fit(points, [[1, 0], [1, 1]])
        >>> abs(fit.density.eta).round()
        array([3., 2.])
        """
        k = cls(np.zeros(np.shape(frequencies)[:1]), frequencies).frequencies
        return fit_torus(lambda eta: cls(eta, k), points, k, weights)

    @property
    def parameters(self) -> int:
        """The number p of angles, 2 or 3."""
        return int(self.frequencies.shape[1])

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density."""
        return self.eta.shape[:-1]

    @cached_property
    def _flat(self) -> Array:
        """η in double precision with one batch axis, (B, M)."""
        return self.eta.astype(np.complex128).reshape(int(np.prod(self.batch_shape)), self.eta.shape[-1])

    # -- the normaliser and what follows from it ---------------------------------------------------------

    @cached_property
    def _partition(self) -> TorusPartition:
        return torus_partition(self._flat, self.frequencies)

    @cached_property
    def _with_moments(self) -> TorusPartition:
        return torus_partition(self._flat, self.frequencies, moments=True)

    def _answer(self, value: Array, *trailing: int) -> Array:
        """`value` (B, *trailing) in the shape of the batch and the precision of η."""
        return checks.precision_of(self.eta, value.reshape((*self.batch_shape, *trailing)))

    @property
    def log_normalizer(self) -> Array:
        """log Z, (...)."""
        return self._answer(self._partition.height + self._partition.log_mass)

    def log_normalizer_only(self) -> Array:
        """log Z as float64, without the moments.

        >>> p = tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]])
        >>> np.allclose(p.log_normalizer_only(), p.log_normalizer)
        True
        """
        return np.asarray(self.log_normalizer, np.float64)

    @property
    def certificate(self) -> Certificate:
        """Numbers of nodes, and the guaranteed relative error of Z, all (...)."""
        solved = self._partition
        rounding = solved.shape_error + solved.height_error - solved.truncation
        return Certificate(*(v.reshape(self.batch_shape) for v in (solved.nodes, solved.truncation, rounding)))

    def moments(self, frequencies: ArrayLike) -> Array:
        """E[e^{ik·s}] for each k in `frequencies` (m, p): (..., m).

        >>> tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]]).moments([[1, 0], [0, 1]]).real.round(3)
        array([0.81 , 0.565])
        """
        wanted = checks.harmonics(frequencies, self.parameters)
        deficits, peak = self._deficits(wanted)
        return self._answer((1 + deficits) * np.exp(1j * (peak @ wanted.T)), len(wanted))

    def _deficits(self, wanted: Array) -> tuple[Array, Array]:
        """E[e^{ik·(s − peak)}] − 1 for each k in `wanted` (m, p): (B, m), and the peaks (B, p)."""
        if np.array_equal(wanted, self.frequencies):
            return self._with_moments.deficits, self._with_moments.peak
        # A harmonic with η = 0 leaves the density unchanged, and its moment is computed with the others.
        zeros = np.zeros((len(self._flat), len(wanted)))
        folded, negated = fold(wanted)
        nonzero = folded.any(axis=1)
        widened = TorusVonMises(
            np.concatenate([self._flat, zeros[:, nonzero]], axis=-1),
            np.concatenate([self.frequencies, folded[nonzero]]),
        )
        solved = widened._with_moments
        own = np.concatenate([solved.deficits, np.zeros((len(zeros), 1))], axis=-1)
        place = {tuple(k): i for i, k in enumerate(widened.frequencies.tolist())}
        picked = own[:, [place.get(tuple(k), -1) for k in folded.tolist()]]  # E[e^{i0·s}] − 1 = 0
        return np.where(negated, picked.conj(), picked), solved.peak

    def log_density(self, s: ArrayLike) -> Array:
        """log p(s) for points s (..., p), computed relative to the peak.

        >>> print(tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]]).log_density([0, 0]).round(3))
        -1.085
        """
        points = checks.as_points(s, self.parameters).astype(np.float64)
        shape = checks.common_shape("The points and the batch", points.shape[:-1], self.batch_shape)
        row = np.broadcast_to(np.arange(len(self._flat)).reshape(self.batch_shape), shape).ravel()
        points = np.broadcast_to(points, (*shape, self.parameters)).reshape(-1, self.parameters)
        values = _rise(self._flat, self.frequencies, row, self._partition.peak[row], points)
        return checks.precision_of(self.eta, (values - self._partition.log_mass[row]).reshape(shape))

    def density(self, s: ArrayLike) -> Array:
        """p(s) for points s (..., p).

        >>> tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]]).density([[0, 0], [np.pi, 0]]).round(4)
        array([0.3379, 0.    ])
        """
        return np.exp(self.log_density(s))

    def grid(self, *sides: int) -> Array:
        """Density at (2πi/n₁, 2πj/n₂, …): (..., n₁, n₂, …); each side must exceed twice the highest frequency.

        >>> tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]]).grid(8, 16).shape
        (8, 16)
        """
        reach = np.abs(self.frequencies).max(axis=0, initial=0)
        if len(sides) != self.parameters or any(n <= 2 * r for n, r in zip(sides, reach, strict=True)):
            raise ShapeError(
                f"A grid of {' × '.join(map(str, sides))} cannot hold frequencies up to {tuple(reach.tolist())}; "
                f"use a finer one: {self.parameters} sides, each more than twice that."
            )
        log_z = (self._partition.height + self._partition.log_mass).reshape(-1, *(1,) * self.parameters)
        return self._answer(np.exp(values_on_grid(self._flat, self.frequencies, sides) - log_z), *sides)

    def entropy(self) -> Array:
        """Differential entropy in nats: log Z − E[f], in which the height of the peak cancels.

        >>> print(tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]]).entropy().round(3))
        2.26
        """
        return self._answer(self._partition.log_mass - self._partition.gain)

    def kl(self, other: "TorusVonMises") -> Array:
        """KL(self ‖ other) in nats, ≥ 0; the frequencies may differ.

        >>> p, q = tsa.TorusVonMises([3.0], [[1, 0]]), tsa.TorusVonMises([2.0], [[0, 1]])
        >>> bool(p.kl(q) > 0)
        True
        """
        same_group(self, other)
        batch = checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        mine, its = (
            np.broadcast_to(np.arange(len(d._flat)).reshape(d.batch_shape), batch).ravel() for d in (self, other)
        )
        deficits, peak = self._deficits(other.frequencies)
        own, peak = self._partition, peak[mine]
        # E[f_other] relative to the other peak: first at this density's peak, then the mean around it.
        at_peak = _rise(other._flat, other.frequencies, its, other._partition.peak[its], peak)
        turned = other._flat[its].conj() * np.exp(1j * (peak @ other.frequencies.T))
        around = (turned * deficits[mine]).real.sum(axis=-1)
        gain = own.gain[mine] - own.log_mass[mine]
        result = np.maximum(gain - at_peak - around + other._partition.log_mass[its], 0.0)
        return checks.precision_of(self.eta, result.reshape(batch))

    def std(self) -> Array:
        """Circular standard deviation √(−2 log |E[e^{is_a}]|) of each coordinate, (..., p), also of a sharp density.

        >>> tsa.TorusVonMises([3.0, 2.0], [[1, 0], [0, 1]]).std().round(3)
        array([0.649, 0.848])
        """
        deficits, _ = self._deficits(np.eye(self.parameters, dtype=np.int64))
        return self._answer(deviation(deficits), self.parameters)

    def fisher_information(self) -> Array:
        """Covariance of (cos k·s, sin k·s) for each frequency k, the Hessian of log Z: (..., 2M, 2M).

        >>> tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]]).fisher_information().shape
        (4, 4)
        """
        information = FisherInformation(self.frequencies)
        return checks.precision_of(self.eta, information(in_double(self).moments(information.harmonics)))

    def marginal(self, axis: int, n: int | Array) -> Array:
        """Density of the coordinate s_axis alone, at the angles 2πi/n or at given angles (n,): (..., n).

        >>> tsa.TorusVonMises([3.0], [[1, 0]]).marginal(1, 4).round(4)  # uniform
        array([0.1592, 0.1592, 0.1592, 0.1592])
        """
        if axis not in range(self.parameters):
            raise InputError(f"This density has the axes 0 to {self.parameters - 1}; got axis {axis!r}.")
        if np.ndim(n) == 0 and checks.whole(int(n)) < 1:
            raise InputError(f"A marginal is computed at n ≥ 1 points; got {n!r}.")
        angles = 2 * np.pi * np.arange(int(n)) / int(n) if np.ndim(n) == 0 else checks.finite(np.asarray(n), "angles")
        log_values = torus_log_marginal(self._flat, self.frequencies, axis, angles)
        log_z = self._partition.height + self._partition.log_mass
        return self._answer(np.exp(log_values - log_z[:, None]), len(angles))

    # -- points and sets ---------------------------------------------------------------------------------

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` independent exact draws from each density: (n, *batch, p).

        >>> tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]]).sample(5, rng=0).shape
        (5, 2)
        """
        count, generator = checks.whole(n), checks.generator(rng)
        points = draw_points(self._flat, self.frequencies, count, generator)
        return wrap(checks.precision_of(self.eta, points.reshape(count, *self.batch_shape, self.parameters)))

    def mode(self) -> Array:
        """The highest point of each density: (..., p), proven to be the highest; (0, …, 0) where it is uniform.

        Of points that are equally high up to rounding, the first in order of their coordinates.

        >>> tsa.TorusVonMises([3j, 2.0], [[1, 0], [0, 1]]).mode().round(3)
        array([1.571, 0.   ])
        """
        return wrap(self._answer(highest_points(self._flat, self.frequencies), self.parameters))

    def modes(self, least_mass: float = 0.0) -> Modes:
        """All maxima, heaviest first: angles (..., m, p) and masses (..., m), padded with nan and 0.

        None is missed that has a probability of `least_mass` or more. A density of many frequencies has many maxima of
        negligible mass; with least_mass = 0.01, say, those are not searched for. Masses are sums over small cells,
        good to about two digits. A ridge (the aperture problem: a density that is constant along a line) is reported
        as one mode, by one of its points, and marked in `ridge`.

        >>> angle, mass = tsa.TorusVonMises([3.0, 3.0], [[2, 0], [0, 1]]).modes()[:2]
        >>> angle.shape, mass.round(2)
        ((2, 2), array([0.5, 0.5]))
        """
        if not 0 <= least_mass < 1:
            raise InputError(f"least_mass is a probability from 0 to below 1; got {least_mass!r}.")
        if not len(self._flat):
            return Modes(
                self._answer(np.empty((0, 1, self.parameters)), 1, self.parameters), self._answer(np.empty(0), 1)
            )
        found = find_modes(self._flat, self.frequencies, least_mass)
        count = np.bincount(found.row, minlength=len(self._flat))
        width = int(count.max(initial=1))
        order = np.argsort(found.row, kind="stable")
        place = np.arange(len(order)) - (np.cumsum(count) - count)[found.row[order]]
        angles = np.full((len(self._flat), width, self.parameters), np.nan)
        mass, ridge = np.zeros((len(self._flat), width)), np.zeros((len(self._flat), width), bool)
        at = (found.row[order], place)
        angles[at], mass[at], ridge[at] = found.point[order], found.mass[order], found.ridge[order]
        ranked = heaviest_first(angles, mass, ridge)
        return Modes(
            self._answer(ranked.angle, width, self.parameters),
            self._answer(ranked.mass, width),
            ranked.ridge.reshape(*self.batch_shape, width),
        )

    def credible_set(self, p: float = 0.95) -> CredibleRegion | list[CredibleRegion]:
        """The smallest region of probability p, where the density is highest; for a batch, a list in C order.

        Areas, lengths and the level are measured on small cells, and good to a few per cent.

        >>> p = tsa.TorusVonMises([30.0, 20.0], [[1, 0], [1, 1]])
        >>> p.credible_set(0.9).kind
        'point'
        """
        if np.ndim(p) or not 0 < p < 1:
            raise InputError(f"p must be one number between 0 and 1, got {p!r}.")
        if not len(self._flat):
            return []
        level, pieces = find_regions(self._flat, self.frequencies, float(p))
        regions = []
        for row in range(len(self._flat)):
            own = np.flatnonzero(pieces.row == row)
            own = own[np.argsort(-pieces.mass[own], kind="stable")]
            width = (pieces.volume / pieces.length) ** (1 / (self.parameters - 1))
            parts = tuple(
                Piece(
                    float(pieces.mass[i]), float(pieces.volume[i]), wrap(pieces.centre[i]), float(pieces.length[i]),
                    float(width[i]), pieces.axis[i], bool(pieces.wraps[i]),
                )
                for i in own
            )  # fmt: skip
            regions.append(CredibleRegion(float(p), float(level[row]), float(pieces.volume[own].sum()), parts))
        return regions if self.batch_shape else regions[0]

    # -- inference ---------------------------------------------------------------------------------------

    def fuse(self, other: "TorusVonMises") -> "TorusVonMises":
        """Normalised product of the two densities: η adds.

        >>> p = tsa.TorusVonMises([3.0], [[1, 0]]).fuse(tsa.TorusVonMises([2.0], [[0, 1]]))
        >>> len(p.frequencies)
        2
        """
        same_group(self, other)
        batch = checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        both = [np.broadcast_to(d.eta, (*batch, d.eta.shape[-1])) for d in (self, other)]
        return TorusVonMises(np.concatenate(both, -1), np.concatenate([self.frequencies, other.frequencies]))

    def diffuse(self, kappa: float) -> "TorusVonMises":
        """Prediction after a random step, independent in each coordinate, with density VonMises(κ).

        The moment at k multiplies by Π_a I_{k_a}(κ)/I₀(κ). The result is the density of this family with the predicted
        moments at its frequencies.

        >>> sharp = tsa.TorusVonMises([3.0, 2.0], [[1, 0], [1, 1]])
        >>> bool(sharp.diffuse(5.0).entropy() > sharp.entropy())
        True
        """
        k = self.frequencies
        return diffused(self, k, kappa, statistics_from(lambda eta: TorusVonMises(eta, k), k))


def _rise(eta: Array, k: Array, row: Array, start: Array, end: Array) -> Array:
    """f(end) − f(start) for points (n, p) of the densities `row` (n,), without cancellation where they are near."""
    gap = end - start
    gap -= 2 * np.pi * np.rint(gap / (2 * np.pi))
    result = np.empty(len(row))
    at_once = max(1, _CHUNK_TERMS // max(1, len(k)))
    for begin in range(0, len(row), at_once):
        part = slice(begin, begin + at_once)
        turned = eta[row[part]].conj() * np.exp(1j * (start[part] @ k.T))
        result[part] = (turned * expm1_imaginary(gap[part] @ k.T)).real.sum(axis=-1)
    return result
