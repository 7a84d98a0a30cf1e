"""A finite mixture of generalised von Mises densities, on the circle or the 2-torus.

    p(s) = Σ_c w_c p_c(s),     log p_c(s) = Re Σ_k conj(η_ck) e^{ik·s} − log Z_c

It is what remains when something besides s is unknown (the spectrum of a picture, say) and is summed over. Densities,
distribution functions, moments and samples follow exactly from the components; modes, credible sets and entropy, which
do not, come from a grid fine enough for the sharpest component.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from tsa._base import Array, InputError, Rng, ShapeError, checks
from tsa.density._shared import _CELLS, _MAX_CURVES, BatchLength, deviation, heaviest_first, same_group
from tsa.density._thumbnail import curves
from tsa.density.generalized import GeneralizedVonMises
from tsa.density.numerics import (
    CircleMixture,
    TorusGrid,
    bracketed_newton,
    circle_log_integrals,
    evaluate,
    grid_modes,
    grid_region,
    mixture_grid,
    torus_log_integrals,
    wrap,
)
from tsa.density.protocol import Certificate, CredibleRegion, Density, Modes, Piece
from tsa.density.torus import TorusVonMises

_VANISHING = 64 * np.finfo(np.float64).eps  # a first moment this short has no direction
_NEGLIGIBLE_NATS = 25.0  # a component whose share is smaller than e^-25 changes nothing on a grid

Component = GeneralizedVonMises | TorusVonMises


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(BatchLength):
    """A batch of mixtures: `components` is a density of batch (..., C), `log_weights` (..., C) says how they are mixed.

    The weights need not be normalised: `log_normalizer` is the logarithm of their sum, and `weights` sum to 1. Points
    and batches behave as for the other densities. There is no η of a mixture; its components have one each.
    """

    components: Component
    log_weights: Array

    def __init__(self, components: Component, log_weights: ArrayLike) -> None:
        weights = checks.real(log_weights, "log_weights").astype(np.float64)
        if not isinstance(components, GeneralizedVonMises | TorusVonMises):
            raise InputError(f"A mixture is made of generalised von Mises densities; got {type(components).__name__}.")
        if weights.ndim == 0 or 0 in weights.shape[-1:]:
            raise ShapeError(f"log_weights have their components in the last axis, (..., C); got {weights.shape}.")
        shape = checks.common_shape("log_weights and the components", weights.shape, components.batch_shape)
        if np.isnan(weights).any() or np.any(weights == np.inf) or not np.all(weights.max(axis=-1) > -np.inf):
            raise InputError("log_weights are finite or −∞, and at least one of each mixture is finite.")
        if components.batch_shape != shape:
            eta = np.broadcast_to(components.eta, (*shape, components.eta.shape[-1]))
            components = _of_kind(components, eta)
        object.__setattr__(self, "components", components)
        object.__setattr__(self, "log_weights", checks.frozen(np.broadcast_to(weights, shape).copy()))

    @classmethod
    def from_exponents(cls, components: Component, levels: ArrayLike) -> "Mixture":
        """The mixture p(s) ∝ Σ_c exp(a_c + Re Σ_k conj(η_ck) e^{ik·s}), `levels` a (..., C).

        The weight of a component is its integral. Components with a share below e^-25 are left out; `log_normalizer`
        is the logarithm of the whole integral. The integrals are sums over a grid that resolves each peak, faster
        than the certified ones for many components.
        """
        levels = checks.real(levels, "levels").astype(np.float64)
        if isinstance(components, GeneralizedVonMises):
            eta = components.eta.astype(np.complex128, copy=False)
            log_z = circle_log_integrals(eta.reshape(-1, *eta.shape[-2:]), levels.reshape(-1, levels.shape[-1]))
            log_z = log_z.reshape(levels.shape)
        else:
            eta = components.eta.astype(np.complex128, copy=False)
            log_z = torus_log_integrals(eta.reshape(-1, eta.shape[-1]), components.frequencies).reshape(levels.shape)
        log_weights = levels + log_z
        negligible = log_weights < log_weights.max(axis=-1, keepdims=True) - _NEGLIGIBLE_NATS
        most = int((~negligible).sum(axis=-1).max(initial=1))
        log_weights, log_z = np.where(negligible, -np.inf, log_weights), np.where(negligible, 0.0, log_z)
        if most < log_weights.shape[-1]:  # sorted by weight, what is left out by every mixture of the batch goes
            order = np.argsort(-log_weights, axis=-1, kind="stable")[..., :most]
            components = _of_kind(components, np.take_along_axis(components.eta, order[..., None], -2))
            log_weights, log_z = (np.take_along_axis(part, order, -1) for part in (log_weights, log_z))
        mixture = cls(components, log_weights)
        vars(mixture)["_log_z"] = log_z
        return mixture

    # -- the batch ---------------------------------------------------------------------------------------

    @property
    def parameters(self) -> int:
        """The number p of angles: 1 on the circle, 2 or 3 on the torus."""
        return self.components.parameters

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one mixture."""
        return self.components.batch_shape[:-1]

    def __getitem__(self, index: Any) -> "Mixture":
        """The mixtures at `index` of the batch, any index that numpy takes."""
        size, count = int(np.prod(self.batch_shape)), self.log_weights.shape[-1]
        rows = np.arange(size).reshape(self.batch_shape)[index]
        eta = self.components.eta.reshape(size, count, -1)[rows]
        return Mixture(_of_kind(self.components, eta), self.log_weights.reshape(size, count)[rows])

    def __iter__(self) -> Iterator["Mixture"]:
        """The mixtures along the first axis of the batch."""
        return (self[i] for i in range(len(self)))

    def _repr_html_(self) -> str:
        """The line of `repr` and, on the circle, a small curve for each mixture, for notebooks."""
        picture = ""
        if self.parameters == 1:
            shown = self[None] if not self.batch_shape else self
            some = np.unravel_index(np.arange(min(_MAX_CURVES, int(np.prod(shown.batch_shape)))), shown.batch_shape)
            edges = np.linspace(0, 2 * np.pi, _CELLS + 1)[:, None]
            picture = curves(np.diff(shown[some].cdf(edges), axis=0).T)
        return f"<div><code>{escape(repr(self))}</code><br>{picture}</div>"

    def __repr__(self) -> str:
        batch = self.batch_shape
        try:
            facts = f"batch {batch}" if batch else f"mode {np.array2string(self.mode(), precision=4)}"
        except InputError:  # too concentrated for a grid; printing must not fail
            facts = "sharp"
        return f"<Mixture: {self.log_weights.shape[-1]} components, {facts}>"

    @cached_property
    def weights(self) -> Array:
        """w (..., C), summing to 1."""
        return checks.frozen(np.exp(self._log_shares))

    @cached_property
    def _log_shares(self) -> Array:
        return np.asarray(self.log_weights - self.log_normalizer[..., None])

    # -- what follows exactly from the components --------------------------------------------------------

    @property
    def log_normalizer(self) -> Array:
        """The logarithm of the sum of the weights as given, (...)."""
        return np.asarray(logsumexp(self.log_weights, axis=-1))

    def log_normalizer_only(self) -> Array:
        """The same."""
        return self.log_normalizer

    @property
    def certificate(self) -> Certificate:
        """Nodes and guaranteed relative error of the normalisers: of the components, the largest of each mixture."""
        found = self.components.certificate
        return Certificate(*(v.max(axis=-1) for v in (found.nodes, found.truncation, found.rounding)))

    def _answer(self, value: Array) -> Array:
        return checks.precision_of(self.components.eta, value)

    def _points(self, s: ArrayLike) -> Array:
        """Points with an axis for the components."""
        points = checks.finite(checks.real(s, "s"), "s")
        if self.parameters == 1:
            return points[..., None]
        return checks.as_points(points, self.parameters)[..., None, :]

    @cached_property
    def _log_z(self) -> Array:
        """log Z of the components, float64 (..., C)."""
        return self.components.log_normalizer_only()

    def log_density(self, s: ArrayLike) -> Array:
        """log p(s); the points s broadcast against the batch."""
        points = self._points(s)
        if isinstance(self.components, GeneralizedVonMises):
            checks.common_shape("s and the batch", points.shape[:-1], self.batch_shape)
            terms = evaluate(self.components.eta.astype(np.complex128, copy=False), points) - self._log_z
        else:
            terms = np.asarray(self.components.log_density(points), np.float64)
        return self._answer(np.asarray(logsumexp(terms + self._log_shares, axis=-1)))

    def density(self, s: ArrayLike) -> Array:
        """p(s); the points s broadcast against the batch."""
        return np.exp(self.log_density(s))

    def moments(self, orders: ArrayLike) -> Array:
        """E[e^{ik·s}] for each k in integer `orders` (m, p), and for p = 1 as of other densities: (..., m)."""
        return self._answer((self.weights[..., None] * self.components.moments(orders)).sum(axis=-2))

    def _first_moments(self) -> Array:
        first = self.moments(np.eye(self.parameters, dtype=np.int64)).astype(np.complex128)
        return first[..., 0] if self.parameters == 1 else first

    def mean(self) -> Array:
        """Circular mean of each coordinate in [0, 2π): (...), or (..., p) if p > 1; nan where it has no direction."""
        first = self._first_moments()
        return wrap(self._answer(np.where(np.abs(first) > _VANISHING, np.angle(first), np.nan)))

    def std(self) -> Array:
        """Circular standard deviation √(−2 log |E[e^{is_a}]|) of each coordinate: (...), or (..., p) if p > 1."""
        return self._answer(deviation(np.abs(self._first_moments()) - 1))

    def marginal(self, axis: int, n: int) -> Array:
        """Density of the coordinate s_axis alone, at the angles 2πi/n: (..., n)."""
        return self._answer((self.weights[..., None] * self.components.marginal(axis, n)).sum(axis=-2))

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` independent exact draws from each mixture: a component, then a point of it; (n, *batch) or (…, p)."""
        generator, count = checks.generator(rng), checks.whole(n)
        edges = np.cumsum(self.weights, axis=-1)
        chosen = (generator.random((count, *self.batch_shape))[..., None] > edges[..., :-1]).sum(axis=-1)
        points = np.empty((*chosen.shape, self.parameters))
        flat_eta = self.components.eta.reshape(-1, *self.log_weights.shape[-1:], self.components.eta.shape[-1])
        row = np.broadcast_to(np.arange(len(flat_eta)).reshape(self.batch_shape), chosen.shape)
        for pair in np.unique(np.stack([row.ravel(), chosen.ravel()], 1), axis=0):
            here = (row == pair[0]) & (chosen == pair[1])
            draws = _of_kind(self.components, flat_eta[tuple(pair)]).sample(int(here.sum()), generator)
            points[here] = draws.reshape(-1, self.parameters)
        return wrap(self._answer(points[..., 0] if self.parameters == 1 else points))

    def cdf(self, s: ArrayLike) -> Array:
        """F(s) = ∫_0^s p on the circle, so that F(0) = 0 and F(2π) = 1."""
        return self._answer((self.weights * self._circle.cdf(self._points(s))).sum(axis=-1))

    def quantile(self, p: ArrayLike) -> Array:
        """The s in [0, 2π) with F(s) = p, and 2π for p = 1, on the circle; p broadcasts against the batch."""
        p = checks.probabilities(p).astype(np.float64)
        shape = checks.common_shape("p and the batch", p.shape, self.batch_shape)
        wanted = np.broadcast_to(p, shape).ravel()
        each = self[None] if not self.batch_shape else self
        row = np.broadcast_to(np.arange(int(np.prod(self.batch_shape))).reshape(self.batch_shape), shape).ravel()
        flat = each[np.unravel_index(row, each.batch_shape)]

        def function(s: Array, which: Array) -> tuple[Array, Array]:
            some = flat[which]
            return some.cdf(s) - wanted[which], some.density(s)

        found = bracketed_newton(function, np.zeros(wanted.size), np.full(wanted.size, 2 * np.pi))
        found = np.where(wanted < 1, wrap(found), 2 * np.pi)
        return self._answer(np.where(wanted > 0, found, 0.0).reshape(shape))

    @property
    def _circle(self) -> GeneralizedVonMises:
        if not isinstance(self.components, GeneralizedVonMises):
            raise InputError("A density on the torus has no distribution function; its marginals and samples exist.")
        return self.components

    def fuse(self, other: Any) -> "Mixture":
        """Normalised product with a mixture or another density: each component with each, weighted by their overlap."""
        same_group(cast(Density, self), other)
        mine, its = self.components, other.components if isinstance(other, Mixture) else other[..., None]
        left = _of_kind(mine, mine.eta[..., :, None, :])
        right = its[..., None, :]
        both = left.fuse(cast(Any, right))
        overlap = both.log_normalizer_only() - left.log_normalizer_only() - right.log_normalizer_only()
        theirs = other._log_shares if isinstance(other, Mixture) else np.zeros(1)
        log_weights = self._log_shares[..., :, None] + theirs[..., None, :] + overlap
        batch = both.batch_shape[:-2]
        eta = both.eta.reshape(*batch, -1, both.eta.shape[-1])
        return Mixture(_of_kind(both, eta), log_weights.reshape(*batch, -1))

    def diffuse(self, kappa: float) -> "Mixture":
        """Prediction after a random step with density VonMises(κ) in each coordinate: that of each component."""
        return Mixture(self.components.diffuse(kappa), self.log_weights)

    # -- what needs a grid -------------------------------------------------------------------------------

    @cached_property
    def _offsets(self) -> Array:
        """log w_c − log Z_c, (B, C)."""
        offsets = self._log_shares - self._log_z
        return np.asarray(offsets.reshape(-1, offsets.shape[-1]))

    @cached_property
    def _flat_eta(self) -> Array:
        eta = self.components.eta.astype(np.complex128, copy=False)
        return eta.reshape(-1, *eta.shape[-2:])

    @cached_property
    def _on_circle(self) -> CircleMixture:
        shares = self._log_shares.reshape(self._offsets.shape)
        return CircleMixture(self._flat_eta, self._offsets, shares)

    def _torus_grids(self) -> Iterator[TorusGrid]:
        """A grid for each mixture."""
        if self.parameters != 2:
            raise InputError("Modes, regions and entropy of mixtures are known on the circle and the 2-torus.")
        k = cast(TorusVonMises, self.components).frequencies
        shares = self._log_shares.reshape(self._offsets.shape)
        for eta, offset, share in zip(self._flat_eta, self._offsets, shares, strict=True):
            active = share > share.max() - _NEGLIGIBLE_NATS
            yield mixture_grid(eta[active], k, offset[active])

    def entropy(self) -> Array:
        """Differential entropy in nats, (...); `entropy_error` says how far it may be off."""
        return self._answer(self._entropies[0])

    def entropy_error(self) -> Array:
        """The change of the entropy when every other node is left out, (...): an upper estimate of its error."""
        return self._answer(self._entropies[1])

    @cached_property
    def _entropies(self) -> Array:
        if self.parameters == 1:
            return np.stack(self._on_circle.entropy()).reshape(2, *self.batch_shape)
        found = []
        for log_p, mass, *_ in self._torus_grids():
            term = -mass * log_p
            coarse = mass[::2, ::2] / mass[::2, ::2].sum()
            found.append((term.sum(), abs(term.sum() + (coarse * log_p[::2, ::2]).sum())))
        return np.array(found).T.reshape(2, *self.batch_shape)

    def kl(self, other: Any) -> Array:
        """KL(self ‖ other) in nats, (...), for another density or mixture of the same group; by its grid."""
        same_group(cast(Density, self), other)
        batch = checks.common_shape("The two batches", self.batch_shape, other.batch_shape)
        rows = np.broadcast_to(np.arange(len(self._offsets)).reshape(self.batch_shape), batch)
        result = np.empty(batch)
        its = np.broadcast_to(np.arange(int(np.prod(other.batch_shape))).reshape(other.batch_shape), batch)
        for place in np.ndindex(batch):
            log_p, mass, points = self._tabulated(int(rows[place]))
            one = other[np.unravel_index(its[place], other.batch_shape)] if other.batch_shape else other
            result[place] = (mass * (log_p - one.log_density(points))).sum()
        return self._answer(np.maximum(result, 0.0))

    def _tabulated(self, row: int) -> tuple[Array, Array, Array]:
        """log p, masses and points of the grid of one mixture of the flattened batch."""
        if self.parameters == 1:
            found = self._on_circle
            _, grid = next(found.grids(found.nodes[[row]], np.array([row])))
            points = grid.step * np.arange(grid.energy.shape[1])
            return grid.energy[0] - grid.log_scale[0], grid.weight[0] / grid.mass[0], points
        flat = Mixture(
            _of_kind(self.components, self._flat_eta[row]), self.log_weights.reshape(self._offsets.shape)[row]
        )
        torus = next(flat._torus_grids())
        return torus.log_p, torus.mass, torus.points(np.moveaxis(np.indices(torus.log_p.shape), 0, -1))

    def mode(self) -> Array:
        """The highest point of each mixture."""
        if self.parameters == 1:
            return wrap(self._answer(self._on_circle.mode().reshape(self.batch_shape)))
        angle = np.moveaxis(self.modes().angle.astype(np.float64), len(self.batch_shape), 0)  # maxima first
        height = np.where(np.isnan(angle[..., 0]), -np.inf, self.log_density(np.nan_to_num(angle)))
        best = np.argmax(height, axis=0)[None]
        return self._answer(np.take_along_axis(angle, best[..., None], 0)[0])

    def modes(self) -> Modes:
        """Every maximum that the grid shows, heaviest first, with its probability, between valleys or of its basin."""
        if self.parameters == 1:
            found = heaviest_first(*self._on_circle.modes())
        else:
            parts = [grid_modes(grid) for grid in self._torus_grids()]
            width = max((len(mass) for _, mass in parts), default=1)
            angles, masses = np.full((len(parts), width, 2), np.nan), np.zeros((len(parts), width))
            for i, (angle, mass) in enumerate(parts):
                angles[i, : len(mass)], masses[i, : len(mass)] = wrap(angle), mass
            found = heaviest_first(angles, masses)
        trailing = found.angle.shape[1:]
        return Modes(
            wrap(self._answer(found.angle.reshape(*self.batch_shape, *trailing))),
            self._answer(found.mass.reshape(*self.batch_shape, trailing[0])),
        )

    def credible_set(self, p: float = 0.95) -> Any:
        """The smallest set of probability p: arcs (..., a, 2) on the circle, a `CredibleRegion` on the torus."""
        if np.ndim(p) or not 0 < p < 1:
            raise InputError(f"p must be one number between 0 and 1, got {p!r}.")
        if self.parameters == 1:
            arcs = self._on_circle.credible_arcs(float(p))
            return self._answer(arcs.reshape(*self.batch_shape, *arcs.shape[1:]))
        regions = []
        for grid in self._torus_grids():
            level, pieces = grid_region(grid, float(p))
            parts = tuple(Piece(*piece) for piece in pieces)
            regions.append(CredibleRegion(float(p), level, sum(piece.area for piece in parts), parts))
        return regions if self.batch_shape else regions[0]


def _of_kind(like: Component, eta: Array) -> Component:
    """A density of the same kind and harmonics with other natural parameters."""
    return GeneralizedVonMises(eta) if isinstance(like, GeneralizedVonMises) else TorusVonMises(eta, like.frequencies)
