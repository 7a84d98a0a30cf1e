"""What every kind of density does in the same way: its batch as a sequence, circular mean and deviation, how it prints.

`DensityMethods` is inherited by each of them; all of it follows from the rest of the interface `Density`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, TSAError, checks
from tsa.density._thumbnail import curves, heat_map
from tsa.density.numerics import FisherInformation, Statistics, known_pvalue, watson_u2, wrap
from tsa.density.protocol import CircleDensity, Density, GoodnessOfFit, Modes

D = TypeVar("D", bound=Density)

_TIE = 1e-9  # masses that differ by less, relative to the larger one, count as equal
_VANISHING = 64 * np.finfo(np.float64).eps  # a first moment this short is rounding error: it has no direction
_MAX_CURVES = 6
_CELLS = 120  # of a drawn curve


class BatchLength:
    """The batch of a density as a sequence: `len(density)` is the length of its first axis."""

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density. Each kind of density has its own."""
        return ()

    def __len__(self) -> int:
        """The length of the first axis of the batch."""
        if not self.batch_shape:
            raise TypeError("This is one density, not a batch: it has no length.")
        return self.batch_shape[0]

    def __bool__(self) -> bool:
        """True, as of any object; without this it would depend on the length of the batch."""
        return True


class DensityMethods(BatchLength):
    """Methods that follow from the others of `Density`."""

    @property
    def kappa(self: Density) -> Array:
        """Concentration of each harmonic, κ = |η| (eq. natural_to_conventional)."""
        return np.abs(self.eta)

    @property
    def mu(self: Density) -> Array:
        """Phase of each harmonic, μ = arg η in (−π, π]; 0 where η = 0. A parameter, not a point: see `mode`, `mean`."""
        return np.angle(self.eta)

    def __getitem__(self: D, index: Any) -> D:
        """The densities at `index` of the batch, any index that numpy takes; the same kind of density."""
        size = int(np.prod(self.batch_shape))
        rows = np.arange(size).reshape(self.batch_shape)[index]
        return with_eta(self, self.eta.reshape(size, *self.eta.shape[len(self.batch_shape) :])[rows])

    def __iter__(self: D) -> Iterator[D]:
        """The densities along the first axis of the batch."""
        return (self[i] for i in range(len(self)))

    def fuse_batch(self: D, axis: int = 0) -> D:
        """Product along one batch axis: the posterior of many pairs that were moved by the same s.

        >>> tsa.GeneralizedVonMises([[1.0, 0], [0, 2.0]]).fuse_batch().eta.real
        array([1., 2.])
        """
        return with_eta(self, self.eta.sum(axis=checks.batch_axis(axis, self.batch_shape)))

    def mean(self: Density) -> Array:
        """Circular mean arg E[e^{is_a}] of each coordinate in [0, 2π): (...), or (..., p) if p > 1.

        nan where E[e^{is_a}] is zero up to rounding, as for the uniform and for many symmetric densities: there every
        direction is as good as any other.

        >>> print(tsa.GeneralizedVonMises([2j]).mean().round(3))
        1.571
        """
        first = _first_moments(self)
        angle = np.where(np.abs(first) > _VANISHING, np.angle(first), np.nan)
        return wrap(checks.precision_of(self.eta, angle))

    def std(self: Density) -> Array:
        """Circular standard deviation √(−2 log |E[e^{is_a}]|) of each coordinate: (...), or (..., p) if p > 1.

        In radians: for a narrow density the usual one. inf where E[e^{is_a}] is zero up to rounding.

        >>> print(tsa.GeneralizedVonMises([4.0]).std().round(3))
        0.542
        """
        return checks.precision_of(self.eta, deviation(np.abs(_first_moments(self)) - 1))

    def __repr__(self: Density) -> str:
        count = self.kappa.shape[-1] if self.kappa.ndim > len(self.batch_shape) else 1
        facts = [f"{count} harmonic{'s' * (count != 1)}"]
        if self.batch_shape:
            facts.insert(0, f"batch {self.batch_shape}")
        elif not self.eta.any():
            facts.append("uniform")
        else:
            try:
                facts.append(f"mode {_rounded(self.mode())}")
                if self.parameters <= 2:  # of three parameters, moments may take seconds
                    facts.append(f"sd {_rounded(self.std())}")
            except TSAError:  # too concentrated for its numerics; printing must not fail
                facts.append(f"largest κ {self.kappa.max():.3g}")
        return f"<{type(self).__name__}: {', '.join(facts)}>"

    def _repr_html_(self: Density) -> str:
        """The line of `repr` and a small picture, for notebooks."""
        try:
            picture = _picture(self)
        except TSAError:
            picture = ""
        return f"<div><code>{escape(repr(self))}</code><br>{picture}</div>"


class CircleMethods(DensityMethods):
    """Methods of the densities on the circle that follow from the others of `CircleDensity`."""

    @property
    def parameters(self) -> int:
        """1: these are densities on the circle."""
        return 1

    def marginal(self: CircleDensity, axis: int, n: int) -> Array:
        """p at the angles 2πi/n: (..., n). There is one axis, 0; on the torus there are more.

        >>> tsa.GeneralizedVonMises([1.0]).marginal(0, 4).round(3)
        array([0.342, 0.126, 0.046, 0.126])
        """
        if axis != 0 or checks.whole(n) < 1:
            raise InputError(f"A density on the circle has axis 0 only, at n ≥ 1 points; got axis {axis!r}, n {n!r}.")
        angles = (2 * np.pi / n * np.arange(n)).reshape(n, *(1 for _ in self.batch_shape))
        return np.moveaxis(self.density(angles), 0, -1)

    def watson_u2(self: CircleDensity, angles: ArrayLike) -> GoodnessOfFit:
        """Watson's U² test of `angles` (n, *batch) against these densities, which were known beforehand.

        The p-value is too large for densities fitted to the same angles; use `fit(...).goodness_of_fit()` for those.

        >>> p = tsa.GeneralizedVonMises([0, 3.0])
        >>> bool(p.watson_u2(p.sample(200, rng=0)).pvalue > 0.05)
        True
        """
        angles = checks.finite(checks.real(angles, "angles"), "angles")
        if angles.ndim == 0 or len(angles) < 2:
            raise ShapeError(f"angles must be at least two, (n, *batch); got shape {angles.shape}.")
        statistic = watson_u2(np.mod(in_double(self).cdf(angles), 1.0))
        return GoodnessOfFit(statistic, known_pvalue(statistic))


def deviation(deficits: Array) -> Array:
    """Circular standard deviation from E[e^{i(s − a)}] − 1 for any angle a; to full precision if a is at the peak."""
    length = np.abs(1 + deficits)
    lost = np.maximum(2 * deficits.real + np.abs(deficits) ** 2, -0.99)  # |E|² − 1, without cancellation
    log_length = np.where(length > 0.5, np.log1p(lost) / 2, np.log(np.maximum(length, _VANISHING)))
    return np.where(length > _VANISHING, np.sqrt(np.maximum(-2 * log_length, 0.0)), np.inf)


def same_group(density: Density, other: object) -> None:
    """Refuse to combine a density with one over another group, or with something that is no density."""
    theirs = getattr(other, "parameters", None)
    if theirs is None:
        raise InputError(f"A {type(density).__name__} is combined with another density; got {type(other).__name__}.")
    if theirs != density.parameters:
        raise InputError(
            f"{type(density).__name__} is a density of {_angles(density.parameters)}, {type(other).__name__} of "
            f"{_angles(theirs)}: they have no product and no divergence. To place a density of one angle on axis a of "
            "the torus, use TorusVonMises(eta, k), where row j of k is the order of η_j at place a and 0 elsewhere."
        )


def _angles(parameters: int) -> str:
    return f"{parameters} angle{'s' * (parameters != 1)}"


def heaviest_first(angle: Array, mass: Array, ridge: Array | None = None) -> Modes:
    """Modes (B, m) or (B, m, p) in their stated order: by mass, and by angle where masses agree to nine digits."""
    order = np.argsort(-mass, axis=-1, kind="stable")
    sorted_mass = np.take_along_axis(mass, order, -1)
    coordinates = angle if angle.ndim > mass.ndim else angle[..., None]
    near = (sorted_mass[..., 1:] >= sorted_mass[..., :-1] * (1 - _TIE)) & (sorted_mass[..., 1:] > 0)
    tied = np.flatnonzero(near.any(axis=-1))
    if tied.size:
        order[tied] = _by_angle_in_ties(coordinates[tied], order[tied], sorted_mass[tied])
    placed = np.take_along_axis(coordinates, order[..., None], -2)
    marks = None if ridge is None else np.take_along_axis(ridge, order, -1)
    return Modes(placed.reshape(angle.shape), np.take_along_axis(mass, order, -1), marks)


def _by_angle_in_ties(coordinates: Array, order: Array, sorted_mass: Array) -> Array:
    """The `order` of the modes (B, m, p), heaviest first, with those of one mass in order of their coordinates."""
    # Compare with the first of a tie, not with the one before: many small gaps would add up.
    rank, first = np.zeros(order.shape, np.int64), sorted_mass[:, 0].copy()
    for column in range(1, order.shape[1]):
        lower = sorted_mass[:, column] < first * (1 - _TIE)
        rank[:, column] = rank[:, column - 1] + lower
        first = np.where(lower, sorted_mass[:, column], first)
    keys = [np.take_along_axis(axis, order, 1) for axis in np.moveaxis(coordinates, -1, 0)[::-1]]
    return np.take_along_axis(order, np.lexsort((*keys, rank), axis=-1), 1)


def with_eta(density: D, eta: Array) -> D:
    """A density of the same kind and harmonics with other natural parameters."""
    return cast(D, replace(cast(Any, density), eta=eta))


def in_double(density: D) -> D:
    """The same density in double precision."""
    return density if density.eta.dtype == np.complex128 else with_eta(density, density.eta.astype(np.complex128))


def statistics_from(make: Callable[[Array], Density], harmonics: Array) -> Statistics:
    """What moment matching needs to know of the densities `make(eta)` with harmonics (M, p), by their interface."""
    information = FisherInformation(harmonics)

    def statistics_of(eta: Array) -> tuple[Array, Array, Array]:
        density = make(eta)
        moments = density.moments(information.harmonics)
        return density.log_normalizer, information.mean(moments), information(moments)

    return statistics_of


def _first_moments(density: Density) -> Array:
    """E[e^{is_a}] in double precision: (...), or (..., p) if p > 1."""
    axes = np.eye(density.parameters, dtype=np.int64)
    first = in_double(density).moments(axes)
    return first[..., 0] if density.parameters == 1 else first


def _rounded(value: Array) -> str:
    """A number, or a point in brackets, to four significant digits."""
    digits = [f"{float(v):.4g}" for v in np.ravel(value)]
    return digits[0] if np.ndim(value) == 0 else f"({', '.join(digits)})"


def _picture(density: Density) -> str:
    if density.parameters == 1:
        size = int(np.prod(density.batch_shape))
        eta = density.eta.reshape(size, *density.eta.shape[len(density.batch_shape) :])[:_MAX_CURVES]
        edges = np.linspace(0, 2 * np.pi, _CELLS + 1)[:, None]
        # The mean over each cell, from the cdf: a peak narrower than a cell keeps its mass.
        circle = cast(CircleDensity, with_eta(density, eta))
        return curves(np.diff(circle.cdf(edges), axis=0).T)
    if density.parameters == 2 and not density.batch_shape:
        return heat_map(density.eta, cast(Any, density).frequencies, density.mode())
    return ""
