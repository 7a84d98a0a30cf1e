"""The common part of the two TSA models (paper, section 3): coordinates, natural parameters, evidence and its gradient.

A filter pair is one complex filter f_j, a patch's coordinate in that subspace is z_j = f_jᵀx, the group multiplies it
by e^{iφ_j}, and everything else is arithmetic on those complex numbers. A filter without imaginary part is a
one-dimensional subspace, a *line*: a real irreducible of weight 0, or the Nyquist line of a cyclic shift.

Methods that end in `_from` take coordinates u = z(x) and v = z(y), complex (..., J), in place of the patches: for
callers that have them already.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, ShapeError, checks, model_html, model_line
from tsa.model.filters import check_orthonormal

Prior = TypeVar("Prior")  # the kind of density over the phases, or over s, that a model takes as prior


class EvidenceGradient(NamedTuple):
    """Log evidence summed over a batch, and its derivatives.

    `filters` is (D, J) complex: its real and imaginary parts are the derivatives with respect to the two real
    filters of each pair. It is the Euclidean gradient; a step along it needs its tangent part, or a retraction.

    >>> model = tsa.fourier_model(8)
    >>> gradient = model.evidence_gradient(np.eye(8)[:2], np.eye(8)[:2])
    >>> gradient.filters.shape == model.filters.shape
    True
    """

    log_evidence: float
    filters: Array
    noise: float


@dataclass(frozen=True, eq=False)
class PhaseModel(ABC, Generic[Prior]):
    """Base of both models: filters (D, J), the noise σ, and arithmetic on coordinates."""

    filters: Array
    noise: float

    def __init__(self, filters: ArrayLike, noise: float) -> None:
        filters = checks.frozen(checks.finite(checks.complex_(filters, "filters"), "filters"))
        if filters.ndim != 2 or 0 in filters.shape:
            raise ShapeError(f"filters must have shape (D, J): D pixels, J subspaces; got {filters.shape}.")
        check_orthonormal(filters)
        object.__setattr__(self, "filters", filters)
        object.__setattr__(self, "noise", checks.positive(noise, "noise"))

    def __repr__(self) -> str:
        return model_line(self)

    def _repr_html_(self) -> str:
        """The line of `repr` and some filters, for notebooks."""
        return model_html(self)

    def with_noise(self, noise: float) -> Self:
        """The same model with another σ, all other fields kept; the filters are not checked again.

        >>> tsa.fourier_model(8).with_noise(0.1).noise
        0.1
        """
        other = object.__new__(type(self))
        vars(other).update({field.name: vars(self)[field.name] for field in fields(self) if field.name in vars(self)})
        vars(other).update(noise=checks.positive(noise, "noise"), _bases=self._bases)
        return other

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
        """What `_basis` has made, which models that differ in σ alone share."""
        return {}

    def _basis(self, dtype: np.dtype[Any]) -> Array:
        """The real (D, 2J) basis in this precision: the real and imaginary parts of the filters, interleaved."""
        if dtype not in self._bases:
            self._bases[dtype] = np.ascontiguousarray(self.filters, np.result_type(dtype, np.complex64)).view(dtype)
        return self._bases[dtype]

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
        """z_j = f_jᵀx: patches (..., D) → complex (..., J).

        >>> tsa.fourier_model(8).coordinates(np.eye(8)).shape
        (8, 5)
        """
        (x,) = self._patches(x)
        return checks.finite(self._coordinates(x), "the coordinates of the patches")

    def _coordinates(self, x: Array) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):  # `checks.finite` reports nan and inf afterwards
            flat = x.reshape(-1, self.dimension) @ self._basis(x.dtype)
        return flat.view(np.result_type(x.dtype, np.complex64)).reshape(*x.shape[:-1], self.subspaces)

    def reconstruct(self, z: ArrayLike) -> Array:
        """x = Σ_j Re(conj(f_j) z_j): (..., J) → (..., D); undoes `coordinates` within the span of the filters.

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> np.allclose(model.reconstruct(model.coordinates(x)), x)
        True
        """
        z = self._checked_coordinates(z)
        parts = np.ascontiguousarray(z).view(np.finfo(z.dtype).dtype)
        return parts @ self._basis(parts.dtype).T

    def _checked_coordinates(self, z: ArrayLike) -> Array:
        z = checks.complex_(z, "z")
        if z.ndim == 0 or z.shape[-1] != self.subspaces:
            raise ShapeError(f"This model has {self.subspaces} subspaces in the last axis of z; got {z.shape}.")
        return z

    def invariants(self, x: ArrayLike) -> Array:
        """κ̂_j = |z_j|²/σ², the concentrations of p(φ | x, x): (..., D) → (..., J).

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> np.allclose(model.invariants(x), model.invariants(np.roll(x, 3)))
        True
        """
        z = self.coordinates(x)
        return (z.real**2 + z.imag**2) / self.noise**2

    def _pair(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array, Array, Array]:
        """x and y in one precision, and their coordinates u and v; batches broadcast."""
        x, y = self._patches(x, y)
        checks.common_shape("The batches of x and y", x.shape[:-1], y.shape[:-1])
        return x, y, self._coordinates(x), self._coordinates(y)

    def natural_from(self, u: Array, v: Array) -> Array:
        """conj(u_j) v_j / σ², which the pair adds to the prior's η_j (eq. posterior_params): (..., J).

        >>> model, x = tsa.fourier_model(8, noise=0.5), np.arange(8.0)
        >>> z = model.coordinates(x)
        >>> np.allclose(model.natural_from(z, z), abs(z) ** 2 / 0.5**2)
        True
        """
        for z in (u, v):
            if z.ndim == 0 or z.shape[-1] != self.subspaces or z.dtype.kind != "c":
                raise ShapeError(
                    f"Coordinates of this model are complex (..., {self.subspaces}); got {z.dtype} {z.shape}."
                )
        checks.common_shape("The batches of coordinates", u.shape, v.shape)
        with np.errstate(invalid="ignore", over="ignore"):
            eta = u.conj() * v
            eta *= 1 / self.noise**2
        return checks.finite(eta, "the natural parameters of the pair")

    # The parts of the likelihood and of the evidence in which the models differ.
    def likelihood_from(self, u: Array, v: Array) -> Array:
        """Natural parameters of all terms of log p(y | x, phases) that the phases change: `natural_from`, or more.

        >>> torus, x = tsa.fourier_model(8).torus, np.arange(8.0)
        >>> z = torus.coordinates(x)
        >>> torus.likelihood_from(z, z).shape
        (5,)
        """
        return self.natural_from(u, v)

    def _constant_energy(self, u: Array) -> Array:
        """The part of the squared norm of the moved x that does not depend on the phases: (...)."""
        return squared_norm(u)

    def _mean_energy_share(self, mean: Array) -> Array | float:
        """E‖moved z_j‖²/|z_j|² from the `_mean_rotation`: 1, or (..., J); less than 1 where moving loses energy."""
        return 1.0

    @abstractmethod
    def _log_ratio(self, eta: Array, prior: Prior | None) -> Array:
        """Log of the ratio of the posterior's normaliser to the prior's, with the parameters of `likelihood_from`."""

    @abstractmethod
    def _mean_rotation(self, eta: Array, prior: Prior | None) -> Array:
        """E[e^{iφ_j}] under the posterior, for each parameter of `likelihood_from`."""

    def log_evidence(self, x: ArrayLike, y: ArrayLike, prior: Prior | None = None) -> Array:
        """log p(y | x), the transformation integrated out (eq. marginal_likelihood_uncoupled): (...).

        Where the paper prints ‖x‖² an undercomplete basis has ‖Wᵀx‖² (y is predicted from the part of x in
        its span), and the Gaussian constant is (2πσ²)^{D/2}, not the printed sqrt((2πσ)^D).

        >>> torus, x = tsa.fourier_model(8).torus, np.arange(8.0)
        >>> torus.log_evidence(x, [x, np.roll(x, 1)]).shape
        (2,)
        """
        _, y, u, v = self._pair(x, y)
        return self.log_evidence_from(u, v, _squared_norm(y), prior)

    def log_evidence_from(self, u: Array, v: Array, squared_norm_y: Array, prior: Prior | None = None) -> Array:
        """log p(y | x) from coordinates and the squared norm ‖y‖² of the whole patch y, (...): (...).

        >>> model, x = tsa.fourier_model(8), np.arange(8.0)
        >>> z = model.coordinates(x)
        >>> np.allclose(model.log_evidence_from(z, z, x @ x), model.log_evidence(x, x))
        True
        """
        eta = self.likelihood_from(u, v)
        return checks.precision_of(eta, self._constant(u, squared_norm_y) + self._log_ratio(eta, prior))

    def _constant(self, u: Array, squared_norm_y: Array) -> Array:
        """−(constant energy + ‖y‖²)/2σ² − D/2 log 2πσ²: the part of the evidence that the phases do not change."""
        energy = self._constant_energy(u) + squared_norm_y
        return -energy / (2 * self.noise**2) - self.dimension / 2 * np.log(2 * np.pi * self.noise**2)

    def evidence_gradient(self, x: ArrayLike, y: ArrayLike, prior: Prior | None = None) -> EvidenceGradient:
        """The log evidence of a batch, summed, with its gradient in the filters and the noise.

        d log p = Re Σ_j conj(m_j) dη̂_j + …, where m_j = E[e^{iφ_j}] under the posterior. (The printed a_jn and
        b_jn carry the *prior* κ_j as factor and divisor, which is 0 and ∞ for the uniform prior.)

        >>> torus, x = tsa.fourier_model(8).torus, np.eye(8)
        >>> torus.evidence_gradient(x, x).filters.shape
        (8, 5)
        """
        x, y, u, v = self._pair(x, y)
        eta = self.likelihood_from(u, v)
        mean_terms = self._mean_rotation(eta, prior)
        u, v, mean = np.broadcast_arrays(u, v, mean_terms[..., : self.subspaces])
        variance = self.noise**2
        d_u = (mean.conj() * v - self._mean_energy_share(mean_terms) * u) / variance
        d_v = mean * u / variance
        batch = u.shape[:-1]
        columns = [np.broadcast_to(p, (*batch, self.dimension)).reshape(-1, self.dimension).T for p in (x, y)]
        filters = columns[0] @ d_u.reshape(-1, self.subspaces) + columns[1] @ d_v.reshape(-1, self.subspaces)
        filters[:, self.lines] = filters[:, self.lines].real

        squared_norm_y = _squared_norm(y)
        constant = self._constant(u, squared_norm_y)
        pull = np.sum((mean_terms.conj() * eta).real, axis=-1, dtype=np.float64)
        squares = self._constant_energy(u) + squared_norm_y
        noise = np.sum(squares / variance - self.dimension - 2 * pull) / self.noise
        total = np.sum(constant + self._log_ratio(eta, prior))  # both have the full batch shape
        return EvidenceGradient(float(total), filters, float(noise))


def squared_norm(z: Array) -> Array:
    """Σ_j |z_j|² in double precision."""
    return np.asarray(np.sum(z.real**2 + z.imag**2, axis=-1, dtype=np.float64))


def _squared_norm(y: Array) -> Array:
    """‖y‖² of real patches in double precision."""
    return np.asarray(np.sum(y * y, axis=-1, dtype=np.float64))
