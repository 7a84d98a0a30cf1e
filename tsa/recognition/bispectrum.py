"""A stable maximal invariant, which the paper leaves open (end of section 3.3).

κ̂ does not depend on phases at all; ω_jθ_k − ω_kθ_j does, but is unstable where a subspace has little energy. Here, with
z_k the vector of coordinates in the weight space k, there are three kinds of invariants, all of the size of z:

    weight 0               z_0 itself
    within a weight space  z_k z_kᴴ / ‖z_k‖, which is z_k up to its phase
    between them           3 z_k z_l conj(z_{k+l}) / (‖z_k‖² + ‖z_l‖² + ‖z_{k+l}‖²), which ties the phases together

Each is smooth wherever its z are not all zero and homogeneous of degree one, hence Lipschitz: noise changes it by at
most a constant times the noise, and a phase without energy has no influence. Together they determine the orbit, if the
weights with energy are connected by triples k, l, k + l that all have energy, which holds for pictures. (Energy at the
weights 2 and 3 alone leaves their relative phase undetermined.)
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.model import Subgroup, principal
from tsa.recognition.metric import Euclidean

_SEARCH_STARTS, _SEARCH_STEPS = 24, 60  # starting points and iterations of the search for the phases
_CHUNK_PATCHES = 2**10  # patches whose invariants are held at once


@dataclass(frozen=True, eq=False)
class Bispectrum:
    """The invariants of a one-parameter `Subgroup`, and the way back.

    `leading` directions of each weight space enter the products between weight spaces: those in which `patches`
    (n, D) have most energy, or the first planes of the model without patches. Of all (k, l) only those are used in
    which k is a power of two or k = l: O(K log K) of them, several for each weight, so that a weight without energy
    does not leave the phases of others undetermined.
    """

    model: Subgroup
    leading: int

    def __init__(self, model: Subgroup, patches: ArrayLike | None = None, leading: int = 2) -> None:
        if model.parameters != 1:
            raise InputError("The bispectrum is for groups with one parameter; this model has more.")
        if leading < 1:
            raise InputError(f"At least one direction of each weight space must lead; got {leading}.")
        object.__setattr__(self, "model", principal(model, patches))
        object.__setattr__(self, "leading", leading)

    @cached_property
    def spaces(self) -> list[Array]:
        """The subspaces of each weight but 0, by increasing weight."""
        return [np.flatnonzero(self.model.weights == k) for k in self.weights]

    @cached_property
    def weights(self) -> Array:
        """The weights but 0."""
        present = np.unique(self.model.weights)
        return present[present > 0]

    @cached_property
    def triples(self) -> Array:
        """(T, 3): places in `weights` of k ≤ l and k + l."""
        place = {int(k): i for i, k in enumerate(self.weights)}
        chosen = [(k, n - k, n) for n in place for k in place if 2 * k == n or (2 * k < n and k & (k - 1) == 0)]
        return np.array([[place[k] for k in t] for t in chosen if t[1] in place], np.int64).reshape(-1, 3)

    def __call__(self, x: ArrayLike) -> Array:
        """The invariants of patches: (..., D) → (..., n)."""
        z = self.model.coordinates(x)
        spaces = [z[..., j] for j in self.spaces]
        still = self._still(z)
        within = [_projector(space) for space in spaces]
        between = [_product(spaces[k], spaces[p], spaces[n], self.leading, same=k == p) for k, p, n in self.triples]
        parts = [p for product in between for p in (product.real, product.imag)]
        return np.concatenate([still, *within, *parts], axis=-1)

    def _still(self, z: Array) -> Array:
        """The coordinates of weight 0 as real numbers: (..., J) → (..., n)."""
        fixed = self.model.weights == 0
        return np.concatenate([z[..., fixed].real, z[..., fixed & ~self.model.lines].imag], axis=-1)

    def invert(self, invariants: ArrayLike) -> Array:
        """A patch with these invariants, one of the orbit they belong to: (..., n) → (..., D).

        Exact for invariants of a patch in the span of the filters; otherwise a patch that fits them.
        """
        features = checks.finite(checks.real(invariants, "invariants"), "invariants").astype(np.float64)
        if features.ndim == 0 or features.shape[-1] != self._edges[-1][-1]:
            raise ShapeError(f"These are {self._edges[-1][-1]} invariants in the last axis; got {features.shape}.")
        flat = features.reshape(-1, features.shape[-1])
        still, within, between = ([flat[:, a:b] for a, b in pairwise(edges)] for edges in self._edges)
        spaces = [_generator(part, len(j)) for part, j in zip(within, self.spaces, strict=True)]
        phase = np.exp(1j * self._phases(spaces, between))
        z = np.zeros((len(flat), self.model.subspaces), np.complex128)
        fixed, planes = self.model.weights == 0, (self.model.weights == 0) & ~self.model.lines
        z[:, fixed] = still[0][:, : fixed.sum()]
        z[:, planes] += 1j * still[0][:, fixed.sum() :]
        for i, j in enumerate(self.spaces):
            z[:, j] = spaces[i] * phase[:, i, None]
        z *= np.exp(1j * np.multiply.outer(self._turn_to_real(z), self.model.weights))
        x = self.model.reconstruct(z).reshape(*features.shape[:-1], self.model.dimension)
        return checks.precision_of(np.asarray(invariants), x)

    def _turn_to_real(self, z: Array) -> Array:
        """The turn (n,) after which the strongest line that moves, a Nyquist line, is real, as lines are."""
        moving = np.flatnonzero(self.model.lines & (self.model.weights != 0))
        if not moving.size:
            return np.zeros(len(z))
        strongest = moving[np.abs(z[:, moving]).argmax(axis=1)]
        return -np.angle(z[np.arange(len(z)), strongest]) / self.model.weights[strongest]

    @cached_property
    def _edges(self) -> tuple[Array, Array, Array]:
        """Where the invariants of each weight space and of each triple begin and end."""
        fixed = self.model.weights == 0
        sizes = [min(self.leading, len(j)) for j in self.spaces]
        counts = [
            (sizes[k] * (sizes[k] + 1) // 2 if k == p else sizes[k] * sizes[p]) * sizes[n] for k, p, n in self.triples
        ]
        still = np.array([0, fixed.sum() + (fixed & ~self.model.lines).sum()])
        within = still[-1] + np.cumsum([0] + [len(j) ** 2 for j in self.spaces])
        return still, within, within[-1] + 2 * np.cumsum([0, *counts])

    def _phases(self, spaces: list[Array], between: list[Array]) -> Array:
        """The phases (n, H) of the weight spaces that fit the products between them best, up to a common turn."""
        target = np.zeros((len(spaces[0]) if spaces else 0, len(self.triples)), np.complex128)
        incidence = np.zeros((len(self.triples), len(self.spaces)))
        for t, (k, p, n) in enumerate(self.triples):
            real, imaginary = np.split(between[t], 2, axis=1)
            there = _product(spaces[k], spaces[p], spaces[n], self.leading, same=k == p)
            target[:, t] = np.sum(there.conj() * (real + 1j * imaginary), axis=1)
            np.add.at(incidence[t], [k, p, n], [1, 1, -1])
        return _synchronised(incidence, target / np.sqrt(np.abs(target) + 1e-300))


def _projector(z: Array) -> Array:
    """z zᴴ/‖z‖ as real numbers with the same Euclidean length: (..., m) → (..., m²)."""
    i, j = np.triu_indices(z.shape[-1], 1)
    _, (scaled,) = _in_units(z)
    direction = scaled / np.maximum(np.linalg.norm(scaled, axis=-1, keepdims=True), 1)
    above = np.sqrt(2).astype(z.real.dtype) * z[..., i] * direction[..., j].conj()
    return np.concatenate([(z * direction.conj()).real, above.real, above.imag], axis=-1)


def _in_units(*spaces: Array) -> tuple[Array, list[Array]]:
    """The largest coordinate, and all coordinates divided by it, so that no product over- or underflows."""
    unit = np.max([np.abs(z).max(axis=-1, keepdims=True) for z in spaces], axis=0)
    return unit, [z / np.where(unit > 0, unit, 1) for z in spaces]


def _generator(projector: Array, m: int) -> Array:
    """The z, up to its phase, of which this is the projector: (n, m²) → complex (n, m)."""
    i, j = np.triu_indices(m, 1)
    matrix = np.zeros((len(projector), m, m), np.complex128)
    matrix[:, np.arange(m), np.arange(m)] = projector[:, :m]
    above = (projector[:, m : m + i.size] + 1j * projector[:, m + i.size :]) / np.sqrt(2)
    matrix[:, i, j], matrix[:, j, i] = above, above.conj()
    values, vectors = np.linalg.eigh(matrix)
    return vectors[:, :, -1] * np.maximum(values[:, -1:], 0)


def _product(a: Array, b: Array, c: Array, leading: int, same: bool) -> Array:
    """3 a b conj(c) / (‖a‖² + ‖b‖² + ‖c‖²) over leading directions; ab = ba is taken once where a is b: (..., n)."""
    unit, (a, b, c) = _in_units(a, b, c)
    total = sum(np.sum(z.real**2 + z.imag**2, axis=-1, keepdims=True) for z in (a, b, c))
    if same:
        i, j = np.triu_indices(min(leading, a.shape[-1]))
        pairs = a[..., i] * a[..., j] * np.where(i == j, 1, np.sqrt(2)).astype(unit.dtype)
    else:
        pairs = _flattened(a[..., :leading, None] * b[..., None, :leading])
    products = _flattened(pairs[..., :, None] * c[..., None, :leading].conj())
    return np.asarray(unit * (3 / np.maximum(total, 1)) * products)


def _flattened(pairs: Array) -> Array:
    """(..., m, n) → (..., m·n), also of an empty batch."""
    return pairs.reshape(*pairs.shape[:-2], pairs.shape[-2] * pairs.shape[-1])


def _synchronised(incidence: Array, target: Array) -> Array:
    """Phases φ (n, H) that maximise Σ_t Re(conj(b_t) e^{i(Aφ)_t}), b = `target` (n, T), A = `incidence` (T, H).

    Each step maximises a quadratic lower bound that touches the objective, so the objective never decreases; near an
    exact solution it is a Newton step. There are local maxima, hence many starts, the first from `_climbed`.
    """
    n, H = len(target), incidence.shape[1]
    weight, angle = np.abs(target), np.angle(target)
    if not incidence.size:
        return np.zeros((n, H))
    normal = np.einsum("th,nt,tg->nhg", incidence, weight, incidence)
    inverse = np.linalg.pinv(normal, rcond=1e-11, hermitian=True)
    phases = np.random.default_rng(0).uniform(0, 2 * np.pi, (_SEARCH_STARTS, n, H))
    phases[0] = _climbed(incidence, target)
    for _ in range(_SEARCH_STEPS):
        pull = weight * np.sin(phases @ incidence.T - angle)
        phases -= np.einsum("snh,nhg->sng", pull @ incidence, inverse)
    fit = np.sum(weight * np.cos(phases @ incidence.T - angle), axis=-1)
    return np.asarray(phases[np.argmax(fit, axis=0), np.arange(n)])


def _climbed(incidence: Array, target: Array) -> Array:
    """Phases set one weight after the other, each by the products of the weights below it."""
    phases = np.zeros((len(target), incidence.shape[1]))
    for h in range(incidence.shape[1]):
        t = np.flatnonzero(incidence[:, h] < 0)
        below = phases @ np.maximum(incidence[t], 0).T
        phases[:, h] = np.angle(np.sum(target[:, t].conj() * np.exp(1j * below), axis=1))
    return phases


class BispectralDistance(Euclidean):
    """Euclidean distance of the invariants, or of their projection on `axes` (n, d): no group in the search."""

    def __init__(self, bispectrum: Bispectrum, axes: Array | None = None) -> None:
        self.bispectrum, self.axes = bispectrum, axes

    @classmethod
    def fitted(cls, model: Subgroup, patches: ArrayLike, dimensions: int, leading: int = 2) -> "BispectralDistance":
        """Directions and axes from patches (n, D) like those to be searched; no labels are needed."""
        bispectrum = Bispectrum(model, patches, leading)
        features = bispectrum(np.asarray(patches, np.float64))
        features = features - features.mean(axis=0)
        axes = np.linalg.eigh(features.T @ features)[1][:, ::-1][:, :dimensions]
        return cls(bispectrum, np.ascontiguousarray(axes))

    def embed(self, x: Array) -> Array:
        """The invariants, projected."""
        starts = range(0, max(1, len(x)), _CHUNK_PATCHES)
        blocks = (np.asarray(x[i : i + _CHUNK_PATCHES], np.float64) for i in starts)
        features = (self.bispectrum(block) for block in blocks)
        return np.concatenate([part if self.axes is None else part @ self.axes for part in features])
