"""Densities fitted to points: maximum likelihood, standard errors, order by BIC, goodness of fit.

The families are exponential: the likelihood is concave and highest where the density has the moments of the sample.
It has a maximum if no density of the family can be concentrated on the sample alone: on the circle, if there are more
distinct angles than harmonics.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, ConvergenceError, InputError, ShapeError, checks
from tsa.density._shared import in_double, statistics_from
from tsa.density.numerics import Statistics, circle_statistics, concentration, fitted_pvalue, matching_eta, watson_u2
from tsa.density.protocol import CircleDensity, Density, GoodnessOfFit

D = TypeVar("D", bound=Density)
C = TypeVar("C", bound=CircleDensity)
F = TypeVar("F")

_MAX_ORDER = 16  # of the orders that BIC chooses from
_LARGEST_LACK = 1e-6  # nats per sample: a thousandth of a standard error
_LEAST_INFORMATION = 1e-13  # eigenvalue of the Fisher information below which it is mostly rounding error
_QUANTILES = 1024  # of a fitted density, for the distribution of U²


class StandardErrors(NamedTuple):
    """Standard errors of the real and imaginary part of η and of κ = |η| and μ = arg η, each in the shape of η."""

    real: Array
    imag: Array
    kappa: Array
    mu: Array


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Generic[D]):
    """A density of highest likelihood for `points` (n, *batch), or (n, *batch, p) if p > 1.

    `count` (*batch) is the number of observations, the sum of their weights; `log_likelihood` (*batch) is in nats.
    `bic` has, for every number of harmonics that was tried, −2 log L + 2K log n: the smallest is the best.
    """

    density: D
    points: Array
    weights: Array | None
    count: Array
    log_likelihood: Array
    bic: dict[int, Array]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} to {len(self.points):,} points: {self.density!r}>"

    @property
    def harmonics(self) -> int:
        """The number of harmonics of the density: 2 real parameters each."""
        return _harmonics(self.density)

    @property
    def covariance(self) -> Array:
        """Covariance of the estimates of (Re η₁, Im η₁, Re η₂, …): the inverse Fisher information over n."""
        information = in_double(self.density).fisher_information()
        return np.linalg.inv(information) / np.asarray(self.count)[..., None, None]

    @property
    def standard_errors(self) -> StandardErrors:
        """From the Fisher information; those of κ and μ by the delta method, good where κ is large against its own."""
        eta = self.density.eta.astype(np.complex128)
        batch = self.density.batch_shape
        blocks = self.covariance.reshape(*batch, self.harmonics, 2, self.harmonics, 2)
        each = np.moveaxis(np.diagonal(blocks, axis1=-4, axis2=-2), -1, -3)  # (*batch, M, 2, 2)
        each = each.reshape(*eta.shape, 2, 2)
        direction = np.exp(1j * np.angle(eta))
        along = np.stack([direction.real, direction.imag], axis=-1)
        across = np.stack([-direction.imag, direction.real], axis=-1)
        kappa, arc = (np.sqrt(np.einsum("...i,...ij,...j->...", v, each, v)) for v in (along, across))
        with np.errstate(divide="ignore"):
            mu = arc / np.abs(eta)
        return StandardErrors(np.sqrt(each[..., 0, 0]), np.sqrt(each[..., 1, 1]), kappa, mu)


@dataclass(frozen=True, eq=False, repr=False)
class CircleFit(Fit[C]):
    """A fitted density on the circle, where a probability transform allows a test of the fit."""

    def goodness_of_fit(self) -> GoodnessOfFit:
        """Watson's U² of the probability transforms of the angles, which are uniform if the density is right.

        The p-value takes into account that the parameters were estimated from the same angles: it comes from the
        limiting distribution for large n with the score functions projected out, and needs no simulation. The choice of
        K by BIC is not taken into account.
        """
        if self.weights is not None:
            raise InputError("The test needs single observations: fit the angles without weights.")
        density = in_double(self.density)
        statistic = np.asarray(watson_u2(np.mod(density.cdf(self.points), 1.0)))
        nodes = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        quantiles = density.quantile(nodes.reshape(-1, *(1 for _ in density.batch_shape)))
        pvalue = np.empty(statistic.shape)
        for index in np.ndindex(statistic.shape):
            wave = np.exp(1j * quantiles[:, *index, None] * np.arange(1, self.harmonics + 1))
            pvalue[index] = fitted_pvalue(float(statistic[index]), np.concatenate([wave.real, wave.imag], axis=1))
        return GoodnessOfFit(statistic, pvalue)


class _Sample:
    """Points (n, *batch, p) with weights, and their moments."""

    def __init__(self, points: ArrayLike, weights: ArrayLike | None, parameters: int) -> None:
        self.given = checks.frozen(checks.finite(checks.real(points, "The points"), "The points").copy())
        self.points = checks.as_points(self.given, parameters).astype(np.float64)
        if self.points.ndim < 2 or not len(self.points):
            raise ShapeError(f"A sample has at least one point, in the first axis; got shape {self.given.shape}.")
        self.weights = None if weights is None else self._checked(weights)
        self.batch = self.points.shape[1:-1]
        self._weight = np.ones(self.points.shape[:-1]) if self.weights is None else self.weights
        self.count = self._weight.sum(axis=0)
        if np.any(self.count <= 0):
            raise InputError("The weights of a sample must not all be zero.")

    def _checked(self, weights: ArrayLike) -> Array:
        array = checks.finite(checks.real(weights, "weights"), "weights").astype(np.float64)
        shape = self.points.shape[:-1]
        if array.ndim == 1:
            array = array.reshape(-1, *(1 for _ in shape[1:]))
        if checks.common_shape("weights and points", array.shape, shape) != shape:
            raise ShapeError(f"weights must be (n,) or like the points, {shape}; got {np.shape(weights)}.")
        if np.any(array < 0):
            raise InputError(f"weights must not be negative, got {array.min():.3g}.")
        return checks.frozen(np.broadcast_to(array, shape).copy())

    def moments(self, harmonics: Array) -> Array:
        """Means of e^{ik·s}: (*batch, m)."""
        means = np.empty((*self.batch, len(harmonics)), np.complex128)
        for place, k in enumerate(harmonics):
            means[..., place] = self.mean(np.exp(1j * (self.points @ k)))
        return means

    def mean(self, values: Array) -> Array:
        """The weighted mean of values (n, *batch): (*batch)."""
        total: Array = (self._weight * values).sum(axis=0)
        return total / self.count

    def fit(self, kind: Callable[..., F], density: Density, log_likelihood: Array) -> F:
        """The result for this sample, of one number of harmonics."""
        order = _harmonics(density)
        bic = np.asarray(-2 * log_likelihood + 2 * order * np.log(self.count))
        return kind(density, self.given, self.weights, self.count, log_likelihood, {order: bic})

    def distinct_angles(self) -> int:
        """The number of distinct angles of positive weight, the least over the batch."""
        angle = np.where(self._weight > 0, np.mod(self.points[..., 0], 2 * np.pi), np.nan)
        return int((np.diff(np.sort(angle, axis=0), axis=0) > 0).sum(axis=0).min(initial=len(angle) - 1) + 1)


def fit_circle(
    make: Callable[[Array], C], angles: ArrayLike, harmonics: int | Literal["bic"], weights: ArrayLike | None
) -> CircleFit[C]:
    """The density `make(eta)` of highest likelihood, with K harmonics, or as many as BIC prefers."""
    sample = _Sample(angles, weights, 1)
    if harmonics == "bic":
        if sample.batch:
            raise InputError(
                f"BIC may choose another number of harmonics for each sample of the batch {sample.batch}: "
                "fit them one by one, or give the number of harmonics."
            )
        return _best_order(make, sample)
    if isinstance(harmonics, str):
        raise InputError(f'harmonics must be a whole number or "bic"; got {harmonics!r}.')
    order = checks.whole(harmonics, "harmonics")
    _check_existence(sample, order)
    if order == 1:
        return sample.fit(CircleFit[C], *_one_harmonic(lambda eta: make(eta[..., None]), sample))
    moments = sample.moments(np.arange(1, order + 1)[:, None])
    return sample.fit(
        CircleFit[C], *_highest_likelihood(make, sample, moments, np.zeros_like(moments), circle_statistics)
    )


def _best_order(make: Callable[[Array], C], sample: _Sample) -> CircleFit[C]:
    """The one of smallest BIC; each is the first guess for the next."""
    most = min(_MAX_ORDER, sample.distinct_angles() - 1)
    moments = sample.moments(np.arange(1, most + 1)[:, None])
    fits: list[CircleFit[C]] = []
    start = np.zeros(0, complex)
    for order in range(most + 1):
        try:
            if order == 1:
                found = _one_harmonic(lambda eta: make(eta[..., None]), sample)
            else:
                found = _highest_likelihood(make, sample, moments[:order], start, circle_statistics)
        except ConvergenceError:  # the sample cannot tell so many harmonics apart
            break
        fits.append(sample.fit(CircleFit[C], *found))
        start = np.append(found[0].eta, 0)
    bic = {fit.harmonics: fit.bic[fit.harmonics] for fit in fits}
    best = fits[min(bic, key=lambda order: float(bic[order]))]
    return replace(best, bic=bic)


def _check_existence(sample: _Sample, order: int) -> None:
    distinct = sample.distinct_angles()
    if order and distinct <= order:
        raise InputError(
            f"No density of highest likelihood exists: the sample has {distinct} distinct angle(s) and the density "
            f"{order} harmonic(s), so the likelihood grows without bound as it concentrates on the angles. Use more "
            "distinct angles than harmonics."
        )


def fit_one_harmonic(make: Callable[[Array], C], angles: ArrayLike, weights: ArrayLike | None) -> CircleFit[C]:
    """The von Mises density `make(eta)` of highest likelihood, in closed form."""
    sample = _Sample(angles, weights, 1)
    _check_existence(sample, 1)
    return sample.fit(CircleFit[C], *_one_harmonic(make, sample))


def _one_harmonic(make: Callable[[Array], C], sample: _Sample) -> tuple[C, Array]:
    """The same, `make` taking η (*batch), and its log likelihood."""
    first = sample.moments(np.array([[1]]))[..., 0]
    # 1 − |mean| as a mean of 1 − cos = 2 sin², so that nothing cancels for angles close together.
    half = (sample.points[..., 0] - np.angle(first)) / 2
    spread = np.clip(sample.mean(2 * np.sin(half) ** 2), 1e-300, 1.0)
    eta = concentration(spread) * np.exp(1j * np.angle(first))
    log_likelihood = -sample.count * np.asarray(make(eta).entropy())
    return make(checks.precision_of(sample.given, eta)), log_likelihood


def fit_torus(make: Callable[[Array], D], points: ArrayLike, harmonics: Array, weights: ArrayLike | None) -> Fit[D]:
    """The density `make(eta)` on the p-torus of highest likelihood for points (n, *batch, p); harmonics are (M, p)."""
    sample = _Sample(points, weights, harmonics.shape[1])
    moments = sample.moments(harmonics)
    statistics_of = statistics_from(make, harmonics)
    return sample.fit(Fit[D], *_highest_likelihood(make, sample, moments, np.zeros_like(moments), statistics_of))


def _highest_likelihood(
    make: Callable[[Array], D], sample: _Sample, moments: Array, start: Array, statistics_of: Statistics
) -> tuple[D, Array]:
    """The density with these moments (*batch, M) of the sample and its log likelihood (*batch), from a guess of η."""
    eta, lacking = matching_eta(moments, start, statistics_of)
    density, short = make(checks.precision_of(sample.given, eta)), lacking * sample.count
    log_z, _, information = statistics_of(eta.reshape(lacking.size, eta.shape[-1]))
    least = np.linalg.eigvalsh(information).min(initial=1.0)
    if least < _LEAST_INFORMATION or short.max(initial=0.0) > _LARGEST_LACK:
        raise ConvergenceError(
            f"These points do not determine {eta.shape[-1]} harmonic(s): they are so few or so close together that "
            f"many densities are almost equally likely (smallest eigenvalue of the Fisher information {least:.1e}, "
            f"{short.max():.1e} nats short of the maximum). Use fewer harmonics; for one narrow peak, VonMises.fit.",
            estimate=density,
        )
    return density, sample.count * ((eta.conj() * moments).real.sum(-1) - log_z.reshape(lacking.shape))


def _harmonics(density: Density) -> int:
    return int(density.eta.shape[-1]) if density.eta.ndim > len(density.batch_shape) else 1
