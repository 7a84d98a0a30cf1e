"""The two TSA models (paper, section 3): the maximal torus, and the subgroup whose phases move together.

A filter pair is one complex filter f_j, a patch's coordinate in that subspace is z_j = f_jᵀx, the group turns it
by a phase, and everything else is arithmetic on those complex numbers. A filter without imaginary part is a
one-dimensional subspace, a *line*: a real irreducible of weight 0, or the Nyquist line of a cyclic shift.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import i0e

from tsa import checks
from tsa.checks import Array
from tsa.errors import InputError, ShapeError
from tsa.gvm import GeneralizedVonMises
from tsa.pooling import Pooling
from tsa.quadrature import partition
from tsa.stiefel import check_orthonormal
from tsa.torus2 import TorusVonMises
from tsa.vonmises import VonMises, mean_rotation

Prior = VonMises | GeneralizedVonMises | TorusVonMises | None
_MOST_UNIT_VECTORS = 1024


class EvidenceGradient(NamedTuple):
    """Log evidence summed over a batch, and its derivatives.

    `filters` is (D, J) complex: its real and imaginary parts are the derivatives with respect to the two real
    filters of each pair. It is the Euclidean gradient; a step along it needs its tangent part, or a retraction.
    """

    log_evidence: float
    filters: Array
    noise: float


class Action(Protocol):
    """A group acting on patches: `apply` moves x (..., D) by s."""

    def apply(self, x: Array, s: Array) -> Array:
        """The moved patches."""


@dataclass(frozen=True, eq=False)
class _Model(ABC):
    """What both models share: filters (D, J), the noise σ, and arithmetic on coordinates."""

    filters: Array
    noise: float

    def __init__(self, filters: ArrayLike, noise: float) -> None:
        filters = checks.frozen(checks.finite(checks.complex_(filters, "filters"), "filters"))
        if filters.ndim != 2 or 0 in filters.shape:
            raise ShapeError(f"filters must have shape (D, J): D pixels, J subspaces; got {filters.shape}.")
        check_orthonormal(filters)
        object.__setattr__(self, "filters", filters)
        object.__setattr__(self, "noise", checks.positive(noise, "noise"))

    @property
    def dimension(self) -> int:
        """The number D of pixels in a patch."""
        return int(self.filters.shape[0])

    @property
    def subspaces(self) -> int:
        """The number J of subspaces, planes and lines."""
        return int(self.filters.shape[1])

    @cached_property
    def lines(self) -> Array:
        """(J,): which subspaces are one-dimensional."""
        return checks.frozen(np.asarray(~self.filters.imag.any(axis=0)))

    @cached_property
    def _bases(self) -> dict[np.dtype[Any], Array]:
        """Real (D, 2J) bases by precision: the real and imaginary parts of the filters, interleaved."""
        kinds = (np.complex64, np.complex128)
        return {b.dtype: b for b in (self.filters.astype(k).view(np.finfo(k).dtype) for k in kinds)}

    def _patches(self, *patches: ArrayLike) -> list[Array]:
        arrays = [checks.real(p, "patches") for p in patches]
        for array in arrays:
            if array.ndim == 0 or array.shape[-1] != self.dimension:
                raise ShapeError(
                    f"A patch of this model has {self.dimension} pixels in its last axis; got shape {array.shape}."
                )
        checks.common_shape("The batches of patches", *(array.shape for array in arrays))
        dtype = np.result_type(*arrays)
        return [array.astype(dtype, copy=False) for array in arrays]

    def coordinates(self, x: ArrayLike) -> Array:
        """z_j = f_jᵀx: patches (..., D) → complex (..., J)."""
        (x,) = self._patches(x)
        return checks.finite(self._coordinates(x), "the coordinates of the patches")

    def _coordinates(self, x: Array) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):  # nan and inf are looked for, and named, afterwards
            flat = x.reshape(-1, self.dimension) @ self._bases[x.dtype]
        return flat.view(np.result_type(x.dtype, np.complex64)).reshape(*x.shape[:-1], self.subspaces)

    def reconstruct(self, z: ArrayLike) -> Array:
        """x = Σ_j Re(conj(f_j) z_j): (..., J) → (..., D); undoes `coordinates` within the span of the filters."""
        z = checks.complex_(z, "z")
        if z.ndim == 0 or z.shape[-1] != self.subspaces:
            raise ShapeError(f"This model has {self.subspaces} subspaces in the last axis of z; got {z.shape}.")
        parts = np.ascontiguousarray(z).view(np.finfo(z.dtype).dtype)
        return parts @ self._bases[parts.dtype].T

    def invariants(self, x: ArrayLike) -> Array:
        """κ̂_j = |z_j|²/σ², the concentrations of p(φ | x, x): (..., D) → (..., J)."""
        z = self.coordinates(x)
        return (z.real**2 + z.imag**2) / self.noise**2

    def _natural(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array, Array, Array, Array]:
        """x, y, their coordinates, and the data's share conj(z(x)) z(y)/σ² of η̂ (eq. posterior_params)."""
        x, y = self._patches(x, y)
        checks.common_shape("The batches of x and y", x.shape[:-1], y.shape[:-1])
        u, v = self._coordinates(x), self._coordinates(y)
        with np.errstate(invalid="ignore", over="ignore"):
            eta = u.conj() * v
            eta *= 1 / self.noise**2
        return x, y, u, v, checks.finite(eta, "the natural parameters of the pair")

    # The parts of the evidence in which the models differ.
    @abstractmethod
    def _log_ratio(self, eta: Array, prior: Prior) -> Array:
        """Log of the ratio of the posterior's normaliser to the prior's."""

    @abstractmethod
    def _mean_rotation(self, eta: Array, prior: Prior) -> Array:
        """E[e^{iφ_j}] under the posterior."""

    def log_evidence(self, x: ArrayLike, y: ArrayLike, prior: Prior = None) -> Array:
        """log p(y | x), the transformation integrated out (eq. marginal_likelihood_uncoupled): (...).

        Where the paper prints ‖x‖² an undercomplete basis has ‖Wᵀx‖² (y is predicted from the part of x it
        can see), and the Gaussian constant is (2πσ²)^{D/2}, not the printed sqrt((2πσ)^D).
        """
        _, y, u, _, eta = self._natural(x, y)
        return checks.precision_of(eta, self._constant(u, y) + self._log_ratio(eta, prior))

    def _constant(self, u: Array, y: Array) -> Array:
        energy = _energy(u) + np.sum(y * y, axis=-1, dtype=np.float64)
        return -energy / (2 * self.noise**2) - self.dimension / 2 * np.log(2 * np.pi * self.noise**2)

    def evidence_gradient(self, x: ArrayLike, y: ArrayLike, prior: Prior = None) -> EvidenceGradient:
        """The log evidence of a batch, summed, with its gradient in the filters and the noise.

        d log p = Re Σ_j conj(m_j) dη̂_j + …, where m_j = E[e^{iφ_j}] under the posterior. (The printed a_jn and
        b_jn carry the *prior* κ_j as factor and divisor, which is 0 and ∞ for the uniform prior.)
        """
        x, y, u, v, eta = self._natural(x, y)
        mean = self._mean_rotation(eta, prior)
        u, v, mean = np.broadcast_arrays(u, v, mean)
        variance = self.noise**2
        d_u = (mean.conj() * v - u) / variance
        d_v = mean * u / variance
        batch = u.shape[:-1]
        columns = [np.broadcast_to(p, (*batch, self.dimension)).reshape(-1, self.dimension).T for p in (x, y)]
        filters = columns[0] @ d_u.reshape(-1, self.subspaces) + columns[1] @ d_v.reshape(-1, self.subspaces)
        filters[:, self.lines] = filters[:, self.lines].real

        constant = self._constant(u, y)
        pull = np.sum((mean.conj() * eta).real, axis=-1, dtype=np.float64)
        squares = _energy(u) + np.sum(y * y, axis=-1, dtype=np.float64)
        noise = np.sum(squares / variance - self.dimension - 2 * pull) / self.noise
        total = np.sum(constant + self._log_ratio(eta, prior))  # both have the full batch shape
        return EvidenceGradient(float(total), filters, float(noise))


@dataclass(frozen=True, eq=False)
class Torus(_Model):
    """The maximal torus: every subspace has a phase of its own (paper, section 3).

    `filters` is complex (D, J) with orthonormal real and imaginary parts, `noise` is σ. On a line the only
    orthogonal maps are ±1, so its phase is 0 or π: the posterior is the von Mises law restricted to those two,
    and its normaliser is cosh where a plane has I₀.
    """

    def __init__(self, filters: ArrayLike, noise: float = 1.0) -> None:
        super().__init__(filters, noise)

    def posterior(self, x: ArrayLike, y: ArrayLike, prior: VonMises | None = None) -> VonMises:
        """p(φ | x, y) = ∏_j VonMises(η̂_j), η̂_j = η_j + conj(z_j(x)) z_j(y)/σ² (eq. posterior_params): (..., J)."""
        eta = self._natural(x, y)[-1]
        return VonMises(self._with_prior(eta, prior))

    def distance(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Distance of the two orbits within the span of the filters (eq. manifold_dist_maximal_torus): (...).

        d² = Σ_j (|z_j(x)| − |z_j(y)|)², which is 2σ² times the squared Hellinger distance of the κ̂.
        """
        x, y = self._patches(x, y)
        gap = np.abs(self._coordinates(x)) - np.abs(self._coordinates(y))
        return checks.finite(np.sqrt(np.sum(gap * gap, axis=-1)), "the distance of the patches")

    def _with_prior(self, eta: Array, prior: Prior) -> Array:
        if prior is None:
            return eta
        if not isinstance(prior, VonMises):
            raise InputError(f"The prior of a Torus is a VonMises of shape (..., J); got {type(prior).__name__}.")
        checks.common_shape("The prior and the subspaces", prior.eta.shape, eta.shape)
        return eta + prior.eta.astype(eta.dtype)

    def _log_ratio(self, eta: Array, prior: Prior) -> Array:
        ratio = self._log_normalizers(self._with_prior(eta, prior))
        if isinstance(prior, VonMises):
            ratio = ratio - self._log_normalizers(np.broadcast_to(prior.eta, (*prior.eta.shape[:-1], self.subspaces)))
        return ratio

    def _log_normalizers(self, eta: Array) -> Array:
        """Σ_j log I₀(|η_j|) over planes + log cosh(Re η_j) over lines."""
        kappa = np.abs(np.where(self.lines, eta.real, eta)).astype(np.float64)
        planes = np.log(i0e(kappa))
        lines = np.log1p(np.exp(-2 * kappa)) - np.log(2)
        return np.sum(kappa + np.where(self.lines, lines, planes), axis=-1)

    def _mean_rotation(self, eta: Array, prior: Prior) -> Array:
        total = self._with_prior(eta, prior)
        return np.where(self.lines, np.tanh(total.real), mean_rotation(total))


@dataclass(frozen=True, eq=False)
class Subgroup(_Model):
    """A one- or two-parameter subgroup: the phases are φ_j = ω_j s (paper, section 3.3).

    `weights` are integers (J,), or (J, 2) for a two-parameter group. The posterior over s is one generalised von
    Mises density. A line of non-zero weight (the Nyquist line) belongs to a cyclic group: e^{iωs} is ±1 at the
    shifts that exist. In between, where the group has no element, posterior, evidence and distance treat the line as
    the real axis of a plane (they interpolate as a Fourier series does), while `act` returns its real part.
    """

    weights: Array

    def __init__(self, filters: ArrayLike, weights: ArrayLike, noise: float = 1.0) -> None:
        super().__init__(filters, noise)
        object.__setattr__(self, "weights", checks.frozen(_integer_weights(weights, self.subspaces)))

    @cached_property
    def torus(self) -> Torus:
        """The same filters without the coupling."""
        return Torus(self.filters, self.noise)

    @cached_property
    def pooling(self) -> Pooling:
        """How the subspaces share harmonics."""
        return Pooling.of(self.weights)

    @cached_property
    def _pooling_matrices(self) -> dict[np.dtype[Any], Array]:
        matrix = self.pooling.matrix()
        return {np.dtype(t): matrix.astype(t) for t in (np.float32, np.float64)}

    def pool(self, eta: Array) -> Array:
        """η⁺_k = Σ_{ω_j=k} η̂_j + Σ_{ω_j=−k} conj(η̂_j), summed over the subspaces of a weight: (..., J) → (..., K)."""
        parts = eta.reshape(-1, self.subspaces).view(np.finfo(eta.dtype).dtype)
        pooled: Array = (parts @ self._pooling_matrices[parts.dtype]).view(eta.dtype)
        return pooled.reshape(*eta.shape[:-1], len(self.pooling.harmonics))

    def _density(self, pooled: Array) -> GeneralizedVonMises | TorusVonMises:
        if self.weights.ndim == 1:
            return GeneralizedVonMises(pooled)
        return TorusVonMises(pooled, self.pooling.harmonics)

    def posterior(self, x: ArrayLike, y: ArrayLike, prior: Prior = None) -> Any:
        """p(s | x, y): a `GeneralizedVonMises`, or a `TorusVonMises` for a two-parameter group.

        η⁺_k = Σ_{ω_j=k} η̂_j + Σ_{ω_j=−k} conj(η̂_j). Several pairs moved by the same s: `.fuse_batch()`.
        """
        return self._with_prior(self._density(self.pool(self._natural(x, y)[-1])), prior)

    def _with_prior(self, density: Any, prior: Prior) -> Any:
        if prior is None:
            return density
        if not isinstance(prior, type(density)):
            raise InputError(
                f"The prior over s must be a {type(density).__name__} for this model; got {type(prior).__name__}."
            )
        return density.fuse(prior)

    def stabilizer(self, x: ArrayLike) -> Any:
        """p(s | x, x): the symmetries of x, as a density that does not move when x does."""
        return self.posterior(x, x)

    def pooled_norms(self, x: ArrayLike) -> Array:
        """‖η̂⁺_k‖ of x with itself, the energy in each weight space over σ²: (..., H), invariant."""
        return np.abs(self.pool(self._natural(x, x)[-1]))

    def _phases(self, s: ArrayLike, dtype: np.dtype[Any]) -> Array:
        """e^{iω_j s}: s (...) or (..., 2) → (..., J)."""
        s = checks.finite(checks.real(s, "s"), "s")
        if self.weights.ndim == 2 and (s.ndim == 0 or s.shape[-1] != 2):
            raise ShapeError(f"This group has two parameters: s must be (..., 2), got {s.shape}.")
        angle = s[..., None] * self.weights if self.weights.ndim == 1 else s @ self.weights.T
        return np.exp(1j * angle).astype(dtype)

    def act(self, x: ArrayLike, s: ArrayLike) -> Array:
        """ρ_s x = W R(ω s) Wᵀ x (eq. block_diag_omega_s1); s broadcasts against the batch of x."""
        z = self.coordinates(x)
        return self.reconstruct(self._phases(s, z.dtype) * z)

    def align(self, x: ArrayLike, y: ArrayLike, prior: Prior = None) -> Array:
        """The most probable s, argmax p(s | x, y): (...) or (..., 2)."""
        return self.posterior(x, y, prior).mode()

    def distance(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Exact manifold distance min_s ‖z(y) − e^{iωs} z(x)‖ within the span of the filters: (...)."""
        _, _, u, v, eta = self._natural(x, y)
        # Summed as squares at the best s: the expanded form would lose half the digits of a small distance.
        best = self._density(self.pool(eta.astype(np.complex128))).mode()
        gap = v - self._phases(best, np.dtype(np.complex128)) * u
        return checks.precision_of(eta, np.sqrt(_energy(gap)))

    def _log_ratio(self, eta: Array, prior: Prior) -> Array:
        fixed = np.sum(eta[..., self.pooling.fixed].real, axis=-1, dtype=np.float64)
        density = self._with_prior(self._density(self.pool(eta.astype(np.complex128))), prior)
        start = self.weights.ndim * np.log(2 * np.pi) if prior is None else _log_z(prior)
        return fixed + _log_z(density) - start

    def _mean_rotation(self, eta: Array, prior: Prior) -> Array:
        density = self._with_prior(self._density(self.pool(eta)), prior)
        if isinstance(density, TorusVonMises):
            return self.pooling.spread(density.moments(self.pooling.harmonics))
        return self.pooling.spread(density.moments(len(self.pooling.harmonics)))


def _log_z(density: Any) -> Array:
    """log Z in double precision, without the moments where only Z is wanted."""
    if isinstance(density, GeneralizedVonMises):
        return partition(density.eta.astype(np.complex128))[0]
    return np.asarray(density.log_normalizer, np.float64)


def _energy(z: Array) -> Array:
    """Σ_j |z_j|² in double precision."""
    return np.asarray(np.sum(z.real**2 + z.imag**2, axis=-1, dtype=np.float64))


def _integer_weights(weights: ArrayLike, subspaces: int) -> Array:
    array = np.asarray(weights)
    if array.shape not in ((subspaces,), (subspaces, 2)):
        raise ShapeError(
            f"weights must be ({subspaces},) or ({subspaces}, 2) for {subspaces} subspaces; got {array.shape}."
        )
    if np.any(np.abs(array) > 10_000):
        raise InputError(f"weights up to 10,000 are supported; got {np.abs(array).max():.3g}.")
    if array.dtype.kind not in "biuf" or not np.all(np.isfinite(array)) or np.any(array != np.rint(array)):
        raise InputError(
            "weights must be integers: only then does the group close after one turn (s and s + 2π are the same). "
            f"Got {np.array2string(array.ravel()[:6], precision=3)}…; round them, or scale s."
        )
    return array.astype(np.int64)


def equivariance_error(model: Subgroup, action: Action, angles: ArrayLike, patches: ArrayLike | None = None) -> Array:
    """How far the model is from ρ_s being the action, at each s: ‖z(s·x) − e^{iωs} z(x)‖ / ‖z(x)‖, root mean square.

    Over `patches` if given, else over all unit vectors, which is the expectation for white noise; over some noise if
    they are very many. `angles` is (n,), or (n, 2) for a two-parameter group; the result is (n,).
    """
    if patches is not None:
        x = checks.real(patches, "patches")
    elif model.dimension <= _MOST_UNIT_VECTORS:
        x = np.eye(model.dimension)
    else:
        x = np.random.default_rng(0).standard_normal((_MOST_UNIT_VECTORS // 4, model.dimension))
    z = model.coordinates(x)
    scale = np.sqrt(_energy(z).sum())
    errors = []
    for s in np.atleast_1d(checks.real(angles, "angles")):
        moved = model.coordinates(action.apply(x, s))
        errors.append(np.sqrt(_energy(moved - model._phases(s, z.dtype) * z).sum()) / scale)
    return np.array(errors)
