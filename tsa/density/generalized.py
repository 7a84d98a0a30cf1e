"""The generalised von Mises density: K harmonics on one circle (paper, section 3.3).

    log p(s) = Re Σ_k conj(η_k) e^{iks} − log Z = Σ_k κ_k cos(ks − μ_k) − log Z,     k = 1…K

The phase convention is the paper's, cos(ks − μ_k); PyRecEst and R's circular package write cos(k(s − μ_k)).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, Rng, ShapeError, checks
from tsa.density._diffusion import diffused
from tsa.density._shared import CircleMethods, deviation, heaviest_first, in_double, same_group
from tsa.density.fitting import CircleFit, fit_circle
from tsa.density.numerics import (
    Cumulative,
    Partition,
    circle_information,
    circle_statistics,
    credible_arcs,
    modes,
    one_harmonic_diffused,
    one_harmonic_information,
    partition,
    trigpoly,
)
from tsa.density.protocol import Certificate, Density, Modes


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizedVonMises(CircleMethods):
    """A batch of generalised von Mises densities; `eta` is complex (..., K), any entry may be zero.

    Angles that are given broadcast against the batch shape (...): to put one grid through many densities use
    `GeneralizedVonMises(eta[..., None, :])`. Angles that come out lie in [0, 2π). Everything is computed in
    double precision and answered in the precision of `eta`.

    >>> p = tsa.GeneralizedVonMises([0, 3.0])  # one harmonic, k = 2: two equal modes
    >>> angle, mass = p.modes()[:2]
    >>> np.degrees(np.sort(angle)).round(), mass.round(2)
    (array([  0., 180.]), array([0.5, 0.5]))
    """

    eta: Array

    def __init__(self, eta: ArrayLike) -> None:
        array = checks.complex_(eta, "eta")
        if array.ndim == 0:
            raise ShapeError("eta must have its harmonics in the last axis, shape (..., K); got a scalar.")
        object.__setattr__(self, "eta", checks.frozen(checks.finite(array, "eta")))

    @classmethod
    def from_conventional(cls, *, mu: ArrayLike, kappa: ArrayLike) -> "GeneralizedVonMises":
        """η_k = κ_k e^{iμ_k}; by name only, because `generalized_bessel(n, kappa, mu)` has the other order.

        >>> tsa.GeneralizedVonMises.from_conventional(mu=[0, np.pi], kappa=[1, 2]).eta.round(3).real
        array([ 1., -2.])
        """
        return cls(checks.natural_parameter(kappa, mu))

    @classmethod
    def uniform(cls, harmonics: int = 0) -> "GeneralizedVonMises":
        """The uniform density.

        >>> print(tsa.GeneralizedVonMises.uniform(harmonics=2).density(1.0).round(4))
        0.1592
        """
        return cls(np.zeros(harmonics, complex))

    @classmethod
    def fit(
        cls, angles: ArrayLike, harmonics: int | Literal["bic"] = "bic", weights: ArrayLike | None = None
    ) -> "CircleFit[GeneralizedVonMises]":
        """The density of highest likelihood for `angles` (n, *batch), with K `harmonics` or as many as BIC prefers.

        An angle of weight w (`weights` (n,) or like the angles) counts as w observations. BIC chooses from 0 to 16
        harmonics, for one sample at a time. The result has the density, its standard errors and a test of the fit.

        >>> angles = tsa.GeneralizedVonMises([0, 3.0]).sample(2000, rng=0)
        >>> fit = tsa.GeneralizedVonMises.fit(angles, harmonics=2)
        >>> abs(fit.density.eta).round(1)
        array([0. , 3.1])
        """
        return fit_circle(cls, angles, harmonics, weights)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density."""
        return self.eta.shape[:-1]

    @property
    def harmonics(self) -> int:
        """The number K of harmonics."""
        return int(self.eta.shape[-1])

    @property
    def generalized(self) -> "GeneralizedVonMises":
        """This density itself; a `VonMises` answers with its equal of this kind."""
        return self

    # -- the normaliser and what follows from it ---------------------------------------------------------

    @cached_property
    def _eta64(self) -> Array:
        return self.eta.astype(np.complex128)

    @cached_property
    def _flat(self) -> Array:
        return self._eta64.reshape(int(np.prod(self.batch_shape)), self.harmonics)

    @cached_property
    def _cumulative(self) -> Cumulative:
        return Cumulative(self._flat)

    @cached_property
    def _partition(self) -> Partition:
        return Partition(self._flat, self.harmonics)

    def _answer(self, value: Array) -> Array:
        """A value of each row (B,) in the shape of the batch and the precision of eta."""
        return checks.precision_of(self.eta, value.reshape(self.batch_shape))

    @property
    def log_normalizer(self) -> Array:
        """log Z = log 2πI₀(κ; e^{−iμ}) (eq. GvM_Z), (...); `certificate` bounds its error."""
        return self._answer(self._partition.log_z)

    @property
    def certificate(self) -> Certificate:
        """Node count and guaranteed relative error of Z, as computed (in double precision)."""
        parts = (self._partition.nodes, *self._partition.error())
        return Certificate(*(part.reshape(self.batch_shape) for part in parts))

    def log_normalizer_only(self) -> Array:
        """log Z in double precision, (...), without the moments: fewer nodes, so the last bits may differ.

        >>> p = tsa.GeneralizedVonMises([0, 3.0])
        >>> np.allclose(p.log_normalizer_only(), p.log_normalizer)
        True
        """
        return partition(self._eta64)[0]

    def moments(self, orders: ArrayLike) -> Array:
        """E[e^{iks}] for each k in integer `orders` (m,) or (m, 1): (..., m); each to an absolute error of rounding.

        A whole number n stands for the orders 1…n. Orders may be 0 or negative: E[e^{−iks}] is the conjugate.

        >>> tsa.GeneralizedVonMises([0, 3.0]).moments([1, 2]).real.round(3) + 0.0
        array([0.  , 0.81])
        """
        k = checks.harmonics(orders, 1)[:, 0]
        upto = self._moments64(checks.whole(int(np.abs(k).max(initial=0)), "the order of a moment"))
        from_zero = np.concatenate([np.ones((*self.batch_shape, 1)), upto], axis=-1)[..., np.abs(k)]
        return checks.precision_of(self.eta, np.where(k < 0, from_zero.conj(), from_zero))

    def _moments64(self, n: int) -> Array:
        if n <= self.harmonics:
            return self._partition.moments[:, :n].reshape(*self.batch_shape, n)
        return partition(self._eta64, n)[1]

    def log_density(self, s: ArrayLike) -> Array:
        """log p(s), of sharp densities computed relative to the peak; s broadcasts against the batch.

        >>> print(tsa.GeneralizedVonMises([0, 3.0]).log_density(0.0).round(3))
        -0.423
        """
        s = checks.finite(checks.real(s, "s"), "s")
        checks.common_shape("s and the batch", s.shape, self.batch_shape)
        origin, log_mass = (v.reshape(self.batch_shape) for v in (self._partition.origin, self._partition.log_mass))
        return checks.precision_of(self.eta, trigpoly.rise(self._eta64, s, origin) - log_mass)

    def density(self, s: ArrayLike) -> Array:
        """p(s); s broadcasts against the batch.

        >>> tsa.GeneralizedVonMises([0, 3.0]).density([0, np.pi / 2]).round(3)
        array([0.655, 0.002])
        """
        return np.exp(self.log_density(s))

    def entropy(self) -> Array:
        """Differential entropy in nats: log Z − E[E(s)], in which the height of the peak cancels.

        >>> print(tsa.GeneralizedVonMises.uniform().entropy().round(4), np.log(2 * np.pi).round(4))
        1.8379 1.8379
        """
        return self._answer(self._partition.log_mass - self._partition.gain)

    def kl(self, other: Density) -> Array:
        """KL(self ‖ other) in nats, by the exponential-family identity; ≥ 0. K may differ.

        >>> p, q = tsa.GeneralizedVonMises([1.0]), tsa.GeneralizedVonMises([0, 3.0])
        >>> bool(p.kl(p) < 1e-12), bool(p.kl(q) > 0)
        (True, True)
        """
        other = self._same_kind(other)
        batch = checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        mine, its = (np.broadcast_to(np.arange(len(d._flat)).reshape(d.batch_shape), batch) for d in (self, other))
        own, theirs = self._with_order(other.harmonics), other._partition
        # The mean of the other exponent, less its value at the other origin: its rise to our origin, and from there.
        eta, origin = other._flat[its], own.origin[mine]
        turned = eta.conj() * np.exp(1j * trigpoly.harmonics(eta) * origin[..., None])
        gain = (turned * own.deficits[mine][..., : other.harmonics]).real.sum(axis=-1)
        gain += trigpoly.rise(eta, origin, theirs.origin[its])
        kl = theirs.log_mass[its] - own.log_mass[mine] + own.gain[mine] - gain
        return checks.precision_of(self.eta, np.maximum(kl, 0.0))

    def _with_order(self, n: int) -> Partition:
        """The partition with moments of at least the orders 1…n."""
        return self._partition if n <= self.harmonics else Partition(self._flat, n)

    def fisher_information(self) -> Array:
        """Covariance of T = (cos s, sin s, …, cos Ks, sin Ks): (..., 2K, 2K), the Hessian of log Z.

        >>> tsa.GeneralizedVonMises([0, 0]).fisher_information().round(2)
        array([[0.5, 0. , 0. , 0. ],
               [0. , 0.5, 0. , 0. ],
               [0. , 0. , 0.5, 0. ],
               [0. , 0. , 0. , 0.5]])
        """
        if self.harmonics == 1:  # in closed form, at any concentration
            return checks.precision_of(self.eta, one_harmonic_information(self._eta64[..., 0]))
        moments = in_double(self).moments(np.arange(2 * self.harmonics + 1))
        return checks.precision_of(self.eta, circle_information(self.harmonics)(moments))

    def std(self) -> Array:
        """Circular standard deviation √(−2 log |E[e^{is}]|), also of a sharp density; inf where E[e^{is}] vanishes.

        >>> print(tsa.GeneralizedVonMises([4.0]).std().round(3))
        0.542
        """
        return self._answer(deviation(self._with_order(1).deficits[:, 0]))

    # -- distribution function, samples, sets ------------------------------------------------------------

    def _rows(self, like: Array) -> tuple[Array, Array]:
        """`like` broadcast against the batch, and the row each of its entries belongs to."""
        shape = checks.common_shape("The points and the batch", like.shape, self.batch_shape)
        index = np.arange(len(self._flat)).reshape(self.batch_shape)
        return np.broadcast_to(like, shape), np.broadcast_to(index, shape)

    def cdf(self, s: ArrayLike) -> Array:
        """F(s) = ∫_0^s p, so F(0) = 0, F(2π) = 1, and F grows by one with each further turn.

        >>> tsa.GeneralizedVonMises([0, 3.0]).cdf([0, np.pi, 2 * np.pi]).round(3)
        array([0. , 0.5, 1. ])
        """
        s, row = self._rows(checks.finite(checks.real(s, "s"), "s"))
        result = self._cumulative.cdf(row.ravel(), s.ravel().astype(np.float64))
        return checks.precision_of(self.eta, result.reshape(s.shape))

    def quantile(self, p: ArrayLike) -> Array:
        """The s in [0, 2π) with F(s) = p, and 2π for p = 1; p broadcasts against the batch.

        >>> p = tsa.GeneralizedVonMises([1.0, 3.0])
        >>> p.cdf(p.quantile([0.25, 0.75])).round(6)
        array([0.25, 0.75])
        """
        p = checks.probabilities(p)
        s = checks.precision_of(self.eta, self._quantile64(p))
        return np.where(p < 1, trigpoly.wrap(s), s)

    def _quantile64(self, p: Array) -> Array:
        p, row = self._rows(p)
        return self._cumulative.quantile(row.ravel(), p.ravel().astype(np.float64)).reshape(p.shape)

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` independent exact draws from each density, by inverse cdf: (n, *batch).

        >>> tsa.GeneralizedVonMises([0, 3.0]).sample(5, rng=0).shape
        (5,)
        """
        draws = self._quantile64(checks.generator(rng).random((checks.whole(n), *self.batch_shape)))
        return trigpoly.wrap(checks.precision_of(self.eta, draws))

    def mode(self) -> Array:
        """Angle of the global maximum, proven to be global; 0 where the density is uniform.

        >>> print(tsa.GeneralizedVonMises([2j, 1.0]).mode().round(3))
        0.524
        """
        return trigpoly.wrap(checks.precision_of(self.eta, trigpoly.argmax(self._flat).reshape(self.batch_shape)))

    def modes(self) -> Modes:
        """Every local maximum with the probability between its two valleys; a uniform density has one mode, at 0.

        >>> angle, mass = tsa.GeneralizedVonMises([1.0, 3.0]).modes()[:2]
        >>> np.degrees(angle).round(), mass.round(2)
        (array([  0., 180.]), array([0.87, 0.13]))
        """
        angles, masses = modes(self._flat)
        angles, masses = heaviest_first(angles, masses)
        shape = (*self.batch_shape, angles.shape[1])
        return Modes(
            trigpoly.wrap(checks.precision_of(self.eta, angles.reshape(shape))),
            checks.precision_of(self.eta, masses.reshape(shape)),
        )

    def credible_set(self, p: float = 0.95) -> Array:
        """The smallest set of probability p, as arcs (..., a, 2) of (start, stop) where the density is highest.

        Arcs come in order of start, which lies in [0, 2π); stop lies in (start, start + 2π]; rows with fewer arcs end
        in nan. A uniform density gives the whole circle, its only level set. Lengths are accurate to many digits, but
        `stop` is rounded as any angle: stop − start has an error of up to 4e-16 for angles near 1 and 9e-16 near 2π.

        >>> np.degrees(tsa.GeneralizedVonMises([2j, 3.0]).credible_set(0.9)).round(1)
        array([[137.1, 200.3],
               [339.7, 402.9]])
        """
        if np.ndim(p) or not 0 < p <= 1:
            raise InputError(f"p must be one number in (0, 1], got {p!r}.")
        arcs = credible_arcs(self._flat, float(p))
        return checks.precision_of(self.eta, arcs.reshape(*self.batch_shape, *arcs.shape[1:]))

    # -- inference in time -------------------------------------------------------------------------------

    def _padded(self, harmonics: int) -> Array:
        missing = harmonics - self.harmonics
        return np.concatenate([self._eta64, np.zeros((*self.batch_shape, missing))], axis=-1)

    def _same_kind(self, other: Density) -> "GeneralizedVonMises":
        """`other`, which may be a `VonMises`, as a density of this kind."""
        same_group(self, other)
        return cast("GeneralizedVonMises", cast(Any, other).generalized)

    def fuse(self, other: Density) -> "GeneralizedVonMises":
        """Normalised product with a density on the circle: η adds (conjugate update). K may differ.

        >>> p = tsa.GeneralizedVonMises([1.0]).fuse(tsa.GeneralizedVonMises([0, 2.0]))
        >>> p.eta.real
        array([1., 2.])
        """
        other = self._same_kind(other)
        checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        order = max(self.harmonics, other.harmonics)
        dtype = np.result_type(self.eta, other.eta)
        return GeneralizedVonMises((self._padded(order) + other._padded(order)).astype(dtype))

    def diffuse(self, kappa: float) -> "GeneralizedVonMises":
        """Prediction after a random step with density VonMises(κ): moments multiply by I_k(κ)/I₀(κ).

        The result is the density of this family with the predicted moments 1…K.

        >>> sharp = tsa.GeneralizedVonMises([0, 3.0])
        >>> bool(sharp.diffuse(kappa=5.0).entropy() > sharp.entropy())
        True
        """
        if self.harmonics == 1:  # in closed form, at any concentration
            predicted = one_harmonic_diffused(self._eta64, checks.positive(kappa, "kappa"))
            return GeneralizedVonMises(predicted.astype(self.eta.dtype))
        return diffused(self, np.arange(1, self.harmonics + 1)[:, None], kappa, circle_statistics)
