"""Phases of which some are signs: von Mises densities, restricted to the phases 0 and π where a subspace is a line.

The orthogonal maps of a line are ±1, so that its phase is 0 or π, with the probabilities e^{±Re η} / 2 cosh(Re η).
"""

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, Rng, checks
from tsa.density._shared import heaviest_first
from tsa.density.generalized import GeneralizedVonMises
from tsa.density.protocol import Modes
from tsa.density.vonmises import VonMises

_AT_A_POINT = 1e-6  # radians: how near to 0 or π a phase given as a float must be


@dataclass(frozen=True, eq=False, repr=False)
class TwoPointVonMises(VonMises):
    """A batch of von Mises laws; those with `two_points` (of the batch's shape) have the phases 0 and π only.

    For these `density` is the probability of the point (0 elsewhere), sums take the place of integrals, Z is 2 cosh κ,
    and Im η has no effect: it is stored as 0. What leads away from the two points (`diffuse`, a product with several
    harmonics) is an error. Distribution functions count the phase 0 at 2π, so that F(0) = 0.
    """

    two_points: Array

    def __init__(self, eta: ArrayLike, two_points: ArrayLike = False) -> None:
        super().__init__(eta)
        checks.common_shape("eta and two_points", self.eta.shape, np.shape(two_points))
        marks = np.broadcast_to(np.asarray(two_points, bool), self.eta.shape)
        object.__setattr__(self, "two_points", checks.frozen(marks.copy()))
        object.__setattr__(self, "eta", checks.frozen(np.where(marks, self.eta.real, self.eta).astype(self.eta.dtype)))

    def __getitem__(self, index: Any) -> "TwoPointVonMises":
        """The laws at `index` of the batch."""
        return TwoPointVonMises(self.eta[index], self.two_points[index])

    def fuse_batch(self, axis: int = 0) -> "TwoPointVonMises":
        """Product along one batch axis, whose members are all of one kind."""
        axis = checks.batch_axis(axis, self.batch_shape)
        marks = np.all(self.two_points, axis=axis)
        if np.any(marks != np.any(self.two_points, axis=axis)):
            raise InputError("Phases that are signs and phases that are any angle have no product.")
        return TwoPointVonMises(self.eta.sum(axis=axis), marks)

    @property
    def generalized(self) -> GeneralizedVonMises:
        """An error, unless no member has two points: a probability at a point is no density."""
        if self.two_points.any():
            raise InputError("A phase that is 0 or π (of a line) has no density on the circle.")
        return self._planes.generalized

    @property
    def _planes(self) -> VonMises:
        """The densities without the restriction."""
        return VonMises(self.eta)

    @property
    def _restricted(self) -> Array:
        return self.two_points

    def _chosen(self, points: Array, planes: Array) -> Array:
        return checks.precision_of(self.eta, np.where(self.two_points, points, planes))

    # -- the normaliser and what follows from it ---------------------------------------------------------

    @cached_property
    def _minus_log_peak(self) -> Array:
        """−log of the largest density, or of the larger probability, 1/(1 + e^{−2κ})."""
        return np.where(self.two_points, np.log1p(np.exp(-2 * self._kappa64)), self._planes._minus_log_peak)

    @cached_property
    def _mean_gap(self) -> Array:
        """1 − |E[e^{iφ}]|: 1 − tanh κ at two points."""
        return np.where(self.two_points, 2 / (np.exp(2 * np.minimum(self._kappa64, 350)) + 1), self._planes._mean_gap)

    @cached_property
    def _lesser(self) -> Array:
        """The probability of the less likely of the two points."""
        return self._mean_gap / 2

    def log_density(self, phi: ArrayLike) -> Array:
        """log p(φ), or the log probability of the point φ: −∞ elsewhere."""
        values = super().log_density(phi)
        elsewhere = np.abs(np.sin(np.asarray(phi, np.float64))) > _AT_A_POINT
        return np.where(self.two_points & elsewhere, -np.inf, values).astype(values.dtype)

    def moments(self, orders: ArrayLike) -> Array:
        """E[e^{inφ}]: at two points 1 for even n, tanh(Re η) for odd."""
        n = checks.harmonics(orders, 1)[:, 0]
        points = np.where(n % 2, np.tanh(self.eta.real.astype(np.float64))[..., None], 1.0)
        return checks.precision_of(self.eta, np.where(self.two_points[..., None], points, self._planes.moments(orders)))

    def fisher_information(self) -> Array:
        """Covariance of (cos φ, sin φ): (..., 2, 2); at two points the sine is 0."""
        points = np.zeros((*self.batch_shape, 2, 2))
        points[..., 0, 0] = self._mean_gap * (2 - self._mean_gap)  # 1 − tanh²
        marks = self.two_points[..., None, None]
        return checks.precision_of(self.eta, np.where(marks, points, self._planes.fisher_information()))

    def std(self) -> Array:
        """Circular standard deviation √(−2 log |E[e^{iφ}]|); inf where κ = 0."""
        with np.errstate(divide="ignore"):
            points = np.sqrt(-2 * np.log1p(-self._mean_gap))
        return self._chosen(points, self._planes.std())

    # -- points and sets ---------------------------------------------------------------------------------

    def cdf(self, phi: ArrayLike) -> Array:
        """F(φ) = P(0 < s ≤ φ): at two points a jump at π and one at 2π; F grows by one with each further turn."""
        phi = checks.finite(checks.real(phi, "phi"), "phi")
        checks.common_shape("phi and the batch", phi.shape, self.batch_shape)
        turns, inside = np.divmod(phi.astype(np.float64), 2 * np.pi)
        half = np.where(self.mode() > 1, 1 - self._lesser, self._lesser)  # the probability of π
        return self._chosen(turns + half * (inside >= np.pi), self._planes.cdf(phi))

    def quantile(self, p: ArrayLike) -> Array:
        """The φ with F(φ) = p; at two points π for 0 < p ≤ P(π), then 0, and 2π for p = 1."""
        planes = self._planes.quantile(p)
        level = np.asarray(p, np.float64)
        half = np.where(self.mode() > 1, 1 - self._lesser, self._lesser)
        points = np.where(level >= 1, 2 * np.pi, np.where((level > 0) & (level <= half), np.pi, 0.0))
        return self._chosen(points, planes)

    def modes(self) -> Modes:
        """The mode of each density, or both points with their probabilities: (..., 2), or (..., 1) without any."""
        first = self._planes.modes()
        if not self.two_points.any():
            return first
        mode = np.asarray(self.mode(), np.float64)
        angle = np.stack([mode, np.where(self.two_points, np.where(mode > 1, 0.0, np.pi), np.nan)], axis=-1)
        mass = np.where(self.two_points, self._lesser, 0.0)
        found = heaviest_first(angle, np.stack([1 - mass, mass], axis=-1))
        return Modes(*(checks.precision_of(self.eta, values) for values in found))

    def credible_set(self, p: float = 0.95) -> Array:
        """The smallest set of probability p as arcs (..., a, 2), nan where there are fewer; points have length 0."""
        arcs = self._planes.credible_set(p)
        if not self.two_points.any():
            return arcs
        both = np.full((*self.batch_shape, 2, 2), np.nan)
        both[..., : arcs.shape[-2], :] = arcs
        mode = np.asarray(self.mode(), np.float64)
        second = np.where(1 - self._lesser >= p, np.nan, np.where(mode > 1, 0.0, np.pi))
        points = np.stack([np.stack([mode, mode], axis=-1), np.stack([second, second], axis=-1)], axis=-2)
        return checks.precision_of(self.eta, np.where(self.two_points[..., None, None], points, both))

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` independent draws from each law: (n, *batch); 0 or π at two points."""
        rng = checks.generator(rng)
        planes = self._planes.sample(n, rng)
        mode = np.asarray(self.mode(), np.float64)
        other = rng.random(planes.shape) < self._lesser
        return self._chosen(np.where(other != (mode > 1), np.pi, 0.0), planes)

    # -- inference ---------------------------------------------------------------------------------------

    def fuse(self, other: Any) -> Any:
        """Normalised product with von Mises laws: η adds, and a phase that is 0 or π in either stays so."""
        if not isinstance(other, VonMises):
            raise InputError(f"A phase that is 0 or π has a product with von Mises laws; got {type(other).__name__}.")
        checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        return TwoPointVonMises(self.eta + other.eta, self.two_points | other._restricted)

    def diffuse(self, kappa: float) -> VonMises:
        """An error, unless no member has two points: a random step leads away from 0 and π."""
        if self.two_points.any():
            raise InputError("A random step by any angle leads away from the phases 0 and π of a line.")
        return self._planes.diffuse(kappa)

    def _repr_html_(self) -> str:
        return f"<div><code>{escape(repr(self))}</code></div>"
