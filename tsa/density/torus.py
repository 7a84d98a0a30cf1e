"""The generalised von Mises density on the 2-torus, for groups with two parameters such as image translation.

    log p(s) = Re Σ_k conj(η_k) e^{ik·s} − log Z,     s = (s₁, s₂),  k in Z² without 0

Same method as on the circle: FFT grids whose size is certified beforehand. With the strip half-widths a = (a₁, a₂)
and equal decay a₁n₁ = a₂n₂ = x, the aliases of the trapezoid rule sum to

    |Z_n − Z| / Z  ≤  4q/(1 − q)² · (2π)² e^{C(a)} / L,     q = e^{−x},  C(a) = Σ κ_k (cosh(|k₁|a₁ + |k₂|a₂) − 1)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft
from scipy.special import erf

from tsa._base import Array, InputError, Rng, ShapeError, checks
from tsa.density.generalized import GeneralizedVonMises
from tsa.density.harmonics import fold
from tsa.density.numerics import TOLERANCE, basins, bracketed_newton, fast_length, grid_maxima, trigpoly
from tsa.density.protocol import Certificate, Modes

_SCALES = np.geomspace(1e-3, 1e3, 64)  # of the strip half-widths for which the bound is computed; any is valid
_MAX_NODES = 2**26


@dataclass(frozen=True, eq=False)
class TorusVonMises:
    """A batch of densities on the 2-torus: complex `eta` (..., M), integer `frequencies` (M, 2).

    Frequencies come out folded (the first coordinate other than 0 is positive), sorted, without repetition: k and −k
    are one harmonic, with conjugate η. Points s are (..., 2) and broadcast against the batch; points that come out
    lie in [0, 2π)².
    """

    eta: Array
    frequencies: Array

    def __init__(self, eta: ArrayLike, frequencies: ArrayLike) -> None:
        eta = checks.finite(checks.complex_(eta, "eta"), "eta")
        frequencies = np.asarray(frequencies)
        if frequencies.shape != (eta.shape[-1] if eta.ndim else -1, 2) or frequencies.dtype.kind not in "iu":
            raise ShapeError(
                f"frequencies must be integers of shape (M, 2) for eta (..., M); got {frequencies.dtype} "
                f"{frequencies.shape} for eta {eta.shape}."
            )
        if not np.all(frequencies.any(axis=1)):
            raise InputError("The frequency (0, 0) is a constant, which a density does not have; leave it out.")
        folded, negated = fold(frequencies.astype(np.int64))
        unique, inverse = np.unique(folded, axis=0, return_inverse=True)
        pooled = np.zeros((*eta.shape[:-1], len(unique)), eta.dtype)
        for m, target in enumerate(inverse.ravel()):
            pooled[..., target] += eta[..., m].conj() if negated[m] else eta[..., m]
        object.__setattr__(self, "eta", checks.frozen(pooled))
        object.__setattr__(self, "frequencies", checks.frozen(unique))

    @property
    def parameters(self) -> int:
        """2: these are densities on the 2-torus."""
        return 2

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density."""
        return self.eta.shape[:-1]

    @property
    def _reach(self) -> tuple[int, int]:
        """Largest |k₁| and |k₂|."""
        most = np.abs(self.frequencies).max(axis=0, initial=0)
        return int(most[0]), int(most[1])

    # -- grids -------------------------------------------------------------------------------------------

    @cached_property
    def _on_half_plane(self) -> tuple[Array, Array]:
        """The harmonics as a real FFT stores them, with k₂ ≥ 0: frequencies (M, 2), sorted, and η (B, M) complex128."""
        folded, negated = _with_second_positive(self.frequencies)
        order = np.lexsort((folded[:, 1], folded[:, 0]))
        eta = self.eta.astype(np.complex128).reshape(int(np.prod(self.batch_shape)), self.eta.shape[-1])
        return folded[order], np.ascontiguousarray(np.where(negated, eta.conj(), eta)[:, order])

    @property
    def _k(self) -> Array:
        return self._on_half_plane[0]

    @property
    def _eta64(self) -> Array:
        return self._on_half_plane[1]

    def _energy(self, eta: Array, shape: tuple[int, int]) -> Array:
        """E on the grid (2πm₁/n₁, 2πm₂/n₂): (B, M) → (B, n₁, n₂)."""
        half = np.zeros((len(eta), shape[0], shape[1] // 2 + 1), np.complex128)
        k1, k2 = self._k.T
        half[:, k1 % shape[0], k2] = eta.conj() / 2
        axis = np.flatnonzero(k2 == 0)  # the halved axis does not imply these conjugates
        half[:, -k1[axis] % shape[0], 0] = eta[:, axis] / 2
        return fft.irfft2(half, shape, norm="forward")

    def _log_growth(self) -> tuple[Array, Array, Array]:
        """log of (2π)² e^{C(a)}/L for each scale (B, scales), and the half-widths a₁, a₂ of the same shape."""
        kappa, k = np.abs(self._eta64), np.abs(self._k)
        # (k₁δ₁ + k₂δ₂)² ≤ 2k₁²δ₁² + 2k₂²δ₂², without the 2 where one of them is zero.
        both = np.where(k.all(axis=1), 2.0, 1.0)
        curvature = np.maximum(kappa @ (both[:, None] * k**2), 1e-300)
        log_mass = (0.5 * np.log(2 * np.pi / curvature) + np.log(erf(np.pi * np.sqrt(curvature / 2)))).sum(-1)
        # A flat direction would take any half-width; this one keeps cosh in range and still needs few nodes.
        widest = 8.0 / np.maximum(self._reach, 1)
        a1, a2 = (np.minimum(_SCALES / np.sqrt(c[:, None]), w) for c, w in zip(curvature.T, widest, strict=True))
        growth = np.zeros(a1.shape)
        for m in range(k.shape[0]):
            reach = np.minimum(k[m, 0] * a1 + k[m, 1] * a2, 600.0)
            growth += kappa[:, m, None] * 2 * np.sinh(reach / 2) ** 2
        return growth + 2 * np.log(2 * np.pi) - log_mass[:, None], a1, a2

    @cached_property
    def _nodes(self) -> Array:
        """Certified grid shape of each density: (B, 2)."""
        growth, a1, a2 = self._log_growth()
        decay = np.maximum(growth - np.log(TOLERANCE) + np.log(4.0) + 1e-9, 1.0)
        best = np.argmin(decay**2 / (a1 * a2), axis=-1)[:, None]
        x, a1, a2 = (np.take_along_axis(v, best, 1)[:, 0] for v in (decay, a1, a2))
        nodes = np.stack([x / a1, x / a2], axis=-1) + self._reach
        nodes = np.maximum(nodes, self._coarse)
        if nodes.size and nodes.prod(axis=-1).max() > _MAX_NODES:
            raise InputError(
                f"A density this concentrated (largest κ {np.abs(self._eta64).max():.3g}) needs "
                f"{nodes.prod(axis=-1).max():.2g} nodes, more than the {_MAX_NODES:,} supported. Raise the noise σ."
            )
        return fast_length(nodes)

    @property
    def _coarse(self) -> Array:
        """The grid on which maxima are looked for: eight nodes to the shortest period."""
        return 8 * np.maximum(np.array(self._reach), 1)

    def _grids(self) -> Iterator[tuple[Array, Array]]:
        """Densities that share a certified grid, a few at once: their rows, and their energies (r, n₁, n₂)."""
        for n1, n2 in np.unique(self._nodes, axis=0):
            rows = np.flatnonzero((self._nodes == (n1, n2)).all(axis=1))
            at_once = max(1, 2**20 // int(n1 * n2))
            for start in range(0, rows.size, at_once):
                chunk = rows[start : start + at_once]
                yield chunk, self._energy(self._eta64[chunk], (int(n1), int(n2)))

    # -- the normaliser and what follows from it ---------------------------------------------------------

    @cached_property
    def _partition(self) -> tuple[Array, Array]:
        """log Z (B,) and the moments at the density's own frequencies (B, M)."""
        log_z, moments = np.empty(len(self._eta64)), np.empty(self._eta64.shape, np.complex128)
        for rows, energy in self._grids():
            top = energy.max(axis=(1, 2))
            spectrum = fft.rfft2(np.exp(energy - top[:, None, None]))
            mass = spectrum[:, 0, 0].real
            log_z[rows] = top + np.log(mass * (4 * np.pi**2 / energy[0].size))
            k1, k2 = self._k.T
            moments[rows] = spectrum[:, k1 % energy.shape[1], k2].conj() / mass[:, None]
        return log_z, moments

    @property
    def log_normalizer(self) -> Array:
        """log Z, (...)."""
        return checks.precision_of(self.eta, self._partition[0].reshape(self.batch_shape))

    def log_normalizer_only(self) -> Array:
        """log Z as float64; on the torus the moments take no further nodes."""
        return np.asarray(self.log_normalizer, np.float64)

    @property
    def certificate(self) -> Certificate:
        """Grid shapes (..., 2) and guaranteed relative error of Z."""
        growth, a1, a2 = self._log_growth()
        x = np.minimum(a1 * self._nodes[:, :1], a2 * self._nodes[:, 1:])
        exponent = (growth + np.log(4.0) - x - 2 * np.log1p(-np.exp(-np.maximum(x, 1e-300)))).min(-1)
        depth = np.log2(self._nodes.prod(-1)) + 2
        rounding = np.finfo(np.float64).eps * (1 + np.abs(self._eta64).sum(-1)) * depth
        shape = self.batch_shape
        truncation = np.exp(np.minimum(exponent, 0.0))
        return Certificate(self._nodes.reshape(*shape, 2), truncation.reshape(shape), rounding.reshape(shape))

    def moments(self, frequencies: ArrayLike) -> Array:
        """E[e^{ik·s}] for each k in `frequencies` (m, 2): (..., m)."""
        wanted = np.asarray(frequencies)
        if wanted.ndim != 2 or wanted.shape[1] != 2 or wanted.dtype.kind not in "iu":
            raise ShapeError(f"frequencies must be integers (m, 2); got {wanted.dtype} {wanted.shape}.")
        # A harmonic with η = 0 leaves the density unchanged and makes the certified grid cover its order.
        widened = TorusVonMises(
            np.concatenate([self._eta64, np.zeros((len(self._eta64), len(wanted)))], axis=-1),
            np.concatenate([self._k, np.where(wanted.any(1, keepdims=True), wanted, 1)]),
        )
        folded, negated = _with_second_positive(wanted)
        places = [np.flatnonzero((widened._k == k).all(1)) for k in folded]
        own = widened._partition[1]
        picked = [own[:, p[0]] if k.any() else np.ones(len(own)) for p, k in zip(places, folded, strict=True)]
        result = np.stack(picked, axis=-1) if picked else np.empty((len(own), 0), complex)
        result = np.where(negated, result.conj(), result)
        return checks.precision_of(self.eta, result.reshape(*self.batch_shape, len(wanted)))

    def log_density(self, s: ArrayLike) -> Array:
        """log p(s) for points s (..., 2)."""
        points = checks.as_points(s, 2).astype(np.float64)
        checks.common_shape("The points and the batch", points.shape[:-1], self.batch_shape)
        eta = self._eta64.reshape(self.eta.shape)
        energy = (eta.conj() * np.exp(1j * (points @ self._k.T))).real.sum(-1)
        return checks.precision_of(self.eta, energy - self._partition[0].reshape(self.batch_shape))

    def density(self, s: ArrayLike) -> Array:
        """p(s) for points s (..., 2)."""
        return np.exp(self.log_density(s))

    def grid(self, n1: int, n2: int) -> Array:
        """Density at (2πi/n₁, 2πj/n₂): (..., n₁, n₂); n₁, n₂ must exceed twice the highest frequency."""
        if n1 <= 2 * self._reach[0] or n2 <= 2 * self._reach[1]:
            raise ShapeError(f"A {n1}×{n2} grid cannot hold frequencies up to {self._reach}; use a finer one.")
        values = np.exp(self._energy(self._eta64, (n1, n2)) - self._partition[0][:, None, None])
        return checks.precision_of(self.eta, values.reshape(*self.batch_shape, n1, n2))

    def entropy(self) -> Array:
        """Differential entropy in nats."""
        log_z, moments = self._partition
        entropy = log_z - (self._eta64.conj() * moments).real.sum(-1)
        return checks.precision_of(self.eta, entropy.reshape(self.batch_shape))

    def marginal(self, axis: int, n: int) -> Array:
        """Density of s₁ (axis 0) or s₂ (axis 1) alone, at 2πi/n: (..., n)."""
        if axis not in (0, 1) or checks.whole(n) < 1:
            raise InputError(f"A marginal is over axis 0 or 1 at n ≥ 1 points; got axis {axis!r}, n {n!r}.")
        result = np.empty((len(self._eta64), n))
        for row, series in enumerate(self._marginal_series(axis)):
            fine = n * -(-2 * (series.size + 1) // n)
            result[row] = (1 + trigpoly.on_grid(series, fine)[:: fine // n]) / (2 * np.pi)
        return checks.precision_of(self.eta, result.reshape(*self.batch_shape, n))

    def _marginal_series(self, axis: int) -> Iterator[Array]:
        """Each density's η with 2π p(s_axis) = 1 + Re Σ conj(η_k) e^{iks}."""
        for row, nodes in enumerate(self._nodes):
            # n nodes suffice for Z, but a series from n nodes ends at order n/2, so twice as many are taken.
            shape = (2 * int(nodes[0]), int(nodes[1])) if axis == 0 else (int(nodes[0]), 2 * int(nodes[1]))
            energy = self._energy(self._eta64[row : row + 1], shape)[0]
            weight = np.exp(energy - self._partition[0][row]).mean(axis=1 - axis) * (4 * np.pi**2)
            series = 2 * fft.rfft(weight, norm="forward")[1:-1].conj()
            yield series[: max(1, 1 + np.flatnonzero(np.abs(series) > 1e-18).max(initial=0))]

    # -- points ------------------------------------------------------------------------------------------

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` exact draws from each density, s₁ from its marginal, s₂ given s₁: (n, *batch, 2)."""
        uniform = checks.generator(rng).random((2, checks.whole(n), len(self._eta64)))
        first = (
            np.stack(
                [_series_quantile(eta, u) for eta, u in zip(self._marginal_series(0), uniform[0].T, strict=True)],
                axis=-1,
            )
            if len(self._eta64)
            else np.empty((n, 0))
        )
        # Given s₁ the density is a generalised von Mises in s₂ alone.
        conditional = np.zeros((*first.shape, self._reach[1] + 1), np.complex128)
        for m, (k1, k2) in enumerate(self._k):
            conditional[..., k2] += self._eta64[:, m] * np.exp(-1j * k1 * first)
        second = GeneralizedVonMises(conditional[..., 1:]).quantile(uniform[1])
        points = np.stack([first, second], axis=-1).reshape(n, *self.batch_shape, 2)
        return checks.precision_of(self.eta, points)

    def mode(self) -> Array:
        """The highest point of each density: (..., 2); (0, 0) where it is uniform."""
        best = np.zeros((len(self._eta64), 2))
        for row, eta in enumerate(self._eta64):
            tops = self._climb(eta, grid_maxima(self._energy(eta[None], tuple(self._coarse))[0]))
            best[row] = tops[np.argmax(self._values(eta, tops)[0])]
        return checks.precision_of(self.eta, best.reshape(*self.batch_shape, 2))

    def modes(self) -> Modes:
        """All maxima, heaviest first: angles (..., m, 2) and masses (..., m), padded with nan and 0.

        A mode's mass is that of the grid points from which steepest ascent leads to it. A ridge (the aperture
        problem: a density that is constant along one direction) is reported as one mode, by one of its points.
        """
        found = []
        for eta, shape in zip(self._eta64, self._nodes, strict=True):
            energy = self._energy(eta[None], (int(shape[0]), int(shape[1])))[0]
            starts, basin = basins(energy)
            weight = np.exp(energy - energy.max()).ravel()
            mass = np.bincount(basin, weight / weight.sum(), minlength=len(starts))
            found.append(self._merged(eta, self._climb(eta, starts), mass))
        width = max([len(mass) for _, mass in found], default=1)
        angles, masses = np.full((len(found), width, 2), np.nan), np.zeros((len(found), width))
        for row, (angle, mass) in enumerate(found):
            order = np.argsort(-mass, kind="stable")
            angles[row, : len(mass)], masses[row, : len(mass)] = angle[order], mass[order]
        return Modes(
            checks.precision_of(self.eta, angles.reshape(*self.batch_shape, width, 2)),
            checks.precision_of(self.eta, masses.reshape(*self.batch_shape, width)),
        )

    def _values(self, eta: Array, points: Array) -> tuple[Array, Array, Array]:
        """E, its gradient and its Hessian at points (m, 2) of one density."""
        k = self._k.astype(float)
        term = eta.conj() * np.exp(1j * points @ k.T)
        return term.real.sum(-1), -term.imag @ k, -np.einsum("pm,mi,mj->pij", term.real, k, k)

    def _climb(self, eta: Array, starts: Array) -> Array:
        """Refine each grid maximum to the nearby maximum of E, by Newton steps no longer than a grid cell."""
        points, longest = starts.copy(), 0.5 / max(1, *self._reach)
        for _ in range(100):
            _, gradient, hessian = self._values(eta, points)
            values, vectors = np.linalg.eigh(hessian)
            size = np.abs(values)
            saddle = (values[:, 1] > 1e-6 * size.max(axis=-1)) & (
                np.abs(gradient).max(axis=-1) < 1e-9 * size.max(axis=-1)
            )
            gradient[saddle] += 1e-3 * size[saddle].max(axis=-1, keepdims=True) * vectors[saddle, :, 1]
            floor = np.maximum(1e-10 * size.max(axis=-1, keepdims=True), 1e-300)
            along = np.einsum("pji,pj->pi", vectors, gradient) / np.maximum(size, floor)
            along[size < floor] = 0.0
            step = np.einsum("pij,pj->pi", vectors, along)
            length = np.linalg.norm(step, axis=-1, keepdims=True)
            points += step * np.minimum(1.0, longest / np.maximum(length, 1e-300))
            if length.max(initial=0.0) < 1e-15:
                break
        return trigpoly.wrap(points)

    def _merged(self, eta: Array, tops: Array, mass: Array) -> tuple[Array, Array]:
        """Join maxima that are the same point reached twice, or points of one ridge; their masses add."""
        height, _, hessian = self._values(eta, tops)
        bend = np.linalg.eigvalsh(hessian)
        on_ridge = np.abs(bend[:, 1]) <= 1e-8 * np.abs(bend[:, 0])
        scale = np.abs(eta).sum() + 1e-300
        kept: list[int] = []
        total: list[float] = []
        for i in range(len(tops)):
            for place, j in enumerate(kept):
                gap = np.abs(np.angle(np.exp(1j * (tops[i] - tops[j])))).max()
                level = abs(height[i] - height[j]) <= 1e-9 * scale
                if gap < 1e-6 or (on_ridge[i] and on_ridge[j] and level):
                    total[place] += mass[i]
                    break
            else:
                kept.append(i)
                total.append(mass[i])
        return tops[kept], np.array(total)

    # -- inference ---------------------------------------------------------------------------------------

    def fuse(self, other: "TorusVonMises") -> "TorusVonMises":
        """Normalised product of the two densities: η adds."""
        batch = checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        both = [np.broadcast_to(d.eta, (*batch, d.eta.shape[-1])) for d in (self, other)]
        return TorusVonMises(np.concatenate(both, -1), np.concatenate([self.frequencies, other.frequencies]))

    def fuse_batch(self, axis: int = 0) -> "TorusVonMises":
        """Product along one batch axis: the posterior of many pairs that were moved by the same s."""
        return TorusVonMises(self.eta.sum(axis=checks.batch_axis(axis, self.batch_shape)), self.frequencies)


def _with_second_positive(frequencies: Array) -> tuple[Array, Array]:
    """The one of ±k with k₂ > 0, or k₂ = 0 and k₁ ≥ 0, for k (m, 2), and which were negated: `fold`, axes exchanged."""
    folded, negated = fold(frequencies[:, ::-1])
    return folded[:, ::-1], negated


def _series_quantile(series: Array, p: Array) -> Array:
    """Inverse of F(s) = (s + Σ Re conj(η_k) (e^{iks} − 1)/(ik)) / 2π."""
    integral = (series.conj() / (1j * trigpoly.harmonics(series))).conj()
    start = trigpoly.evaluate(integral, np.zeros(()))

    def excess(s: Array, which: Array) -> tuple[Array, Array]:
        total = (s + trigpoly.evaluate(integral, s) - start) / (2 * np.pi)
        return total - p[which], (1 + trigpoly.evaluate(series, s)) / (2 * np.pi)

    n = 8 * series.size
    nodes = 2 * np.pi * np.arange(n + 1) / n
    table = np.maximum.accumulate((nodes + trigpoly.evaluate(integral, nodes) - start) / (2 * np.pi))
    cell = np.clip(np.searchsorted(table, p, "right") - 1, 0, n - 1)
    return bracketed_newton(excess, nodes[cell], nodes[cell + 1])
