"""The normaliser Z = ∫ exp E(s) ds of a generalised von Mises density, with a guarantee.

The trapezoid rule on a circle converges geometrically. The number of nodes that guarantees a tolerance is computed
before any node is evaluated (Trefethen & Weideman 2014, theorem 3.2): with C(a) = Σ κ_k (cosh ka − 1)
the integrand grows by at most e^{C(a)} in the strip |Im s| ≤ a, hence

    |Z_n − Z| / Z  ≤  4π e^{C(a)} / ((e^{an} − 1) L),     L = √(2π/S) erf(π √(S/2)) ≤ Z e^{−max E},  S = Σ k² κ_k

for every a > 0. The bound needs no phases, only κ = |η|. The number of nodes grows as √S; where it is large, tiles
around the peak, which do not, take its place.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from scipy import fft
from scipy.special import erf

from tsa._base import Array, InputError
from tsa.density.numerics._node_counts import TOLERANCE, fast_length
from tsa.density.numerics.tiles import Integral
from tsa.density.numerics.trigpoly import harmonics, on_grid

_STRIP_HALF_WIDTHS = np.geomspace(1e-8, 32.0, 96)  # half-widths a on which the bound is tried; any of them is valid
# A grid of this size, or of so many nodes per harmonic, takes about as long as the tiles of a density.
_MAX_GRID_NODES, _MAX_NODES_PER_HARMONIC = 2**13, 2**9
_MAX_CURVATURE = 1e26  # of E: a peak narrower than 1e-13 radians has no place among angles in double precision
_CHUNK_VALUES = 2**16  # grid values held at once: a chunk stays in cache, memory stays bounded


def _log_growth(kappa: Array, strips: slice = slice(None)) -> Array:
    """log of 4π e^{C(a)} / L for each strip, or some of them: (..., K) → (..., strips)."""
    k = harmonics(kappa)
    cosh_minus_one = 2 * np.sinh(np.minimum(k[:, None] * _STRIP_HALF_WIDTHS[strips], 600.0) / 2) ** 2
    curvature = np.maximum((kappa * k**2).sum(-1, keepdims=True), 1e-300)
    log_mass = 0.5 * np.log(2 * np.pi / curvature) + np.log(erf(np.pi * np.sqrt(curvature / 2)))
    with np.errstate(over="ignore"):  # an infinite bound is true, and another strip has a finite one
        growth: Array = kappa @ cosh_minus_one
    growth += np.log(4 * np.pi) - log_mass
    return growth


def _check_width(kappa: Array) -> None:
    curvature = (kappa * harmonics(kappa) ** 2).sum(-1)
    if curvature.max(initial=0.0) > _MAX_CURVATURE:
        raise InputError(
            f"A density this concentrated (largest κ {kappa.max():.3g}) has a peak of {curvature.max() ** -0.5:.0e} "
            "radians, narrower than the 1e-13 that angles in double precision can hold. Raise the noise σ."
        )


def certified_nodes(kappa: Array, order: int = 0, tolerance: float = TOLERANCE, strips: slice = slice(None)) -> Array:
    """Nodes that guarantee Z to a relative, and moments up to `order` to an absolute, `tolerance`.

    Rounded up to a length for which the FFT is fast. `kappa` is (..., K), the result (...). With only some of the
    `strips` tried it takes less time, and asks for a few more nodes.
    """
    width = _STRIP_HALF_WIDTHS[strips]
    needed = (_log_growth(kappa, strips) - np.log(tolerance)) / width
    # log(1 + e^x) ≤ x + log 2 for x ≥ 0: the −1 in e^{an} − 1.
    best = np.argmin(needed, axis=-1)
    nodes = np.take_along_axis(needed, best[..., None], -1)[..., 0] + np.log(2) / width[best]
    least = max(2 * kappa.shape[-1], 2 * order, 8) + 1
    return fast_length(np.clip(nodes + order, least, 2.0**60))


def nodes_for_all(kappa: Array, tolerance: float) -> float:
    """One number of nodes, not rounded, that guarantees Z to a relative `tolerance` for every row of κ (N, K).

    The strip is the one that suits the largest concentrations, or one beside it: for many rows this is much less work
    than `certified_nodes` of each.
    """
    largest = kappa.max(axis=0, initial=0.0)
    best = int(np.argmin((_log_growth(largest) - np.log(tolerance)) / _STRIP_HALF_WIDTHS))
    strips = slice(max(0, best - 1), best + 3)  # smaller concentrations have wider strips
    needed = (_log_growth(kappa, strips) - np.log(tolerance) + np.log(2)) / _STRIP_HALF_WIDTHS[strips]
    return float(max(needed.max(axis=0).min(), 2 * kappa.shape[-1] + 1, 9))


def groups(nodes: Array, chunk_values: int = _CHUNK_VALUES) -> Iterator[tuple[Array, int]]:
    """Rows that share a node count, in chunks of so many grid values: (row indices, n)."""
    for n in np.unique(nodes):
        rows = np.flatnonzero(nodes == n)
        at_once = max(1, chunk_values // int(n))
        for start in range(0, rows.size, at_once):
            yield rows[start : start + at_once], int(n)


class Partition:
    """Normalisers and moments of the rows of `eta` (B, K): on a grid, or for sharp densities by tiles.

    `log_z` (B,), `moments` E[e^{iks}] of the orders 1…`order` (B, order), and the number of `nodes` (B,).
    """

    def __init__(self, eta: Array, order: int = 0) -> None:
        self._eta, self._order = eta, order
        self.log_z, self.moments, self.nodes, self._sharp = _on_grids(eta, order)
        self._tiles = _tiles(eta[self._sharp], order) if self._sharp.size else None
        if self._tiles:
            sharp, tiles = self._sharp, self._tiles
            self.log_z[sharp], self.nodes[sharp] = tiles.height + tiles.log_mass, tiles.nodes
            turn = np.exp(1j * tiles.peak * np.arange(1, order + 1))
            self.moments[sharp] = turn * (1 + tiles.deficits[:, :order])

    def error(self) -> tuple[Array, Array]:
        """Bounds on the relative error of Z: what follows from a theorem, and what floating point adds; both (B,)."""
        kappa = np.abs(self._eta)
        exponent = np.asarray(_log_growth(kappa) - _STRIP_HALF_WIDTHS * self.nodes[..., None]).min(axis=-1)
        truncation = 2 * np.exp(np.minimum(exponent, 0.0))
        rounding = np.finfo(np.float64).eps * (1 + kappa.sum(-1)) * (np.log2(self.nodes) + 2)
        if self._tiles:
            truncation[self._sharp] = self._tiles.quadrature + self._tiles.dropped + self._tiles.pruned
            rounding[self._sharp] = self._tiles.rounding + self._tiles.height_rounding
        return truncation, rounding

    # Relative to an origin, which is the peak of sharp densities and 0 for others, nothing large cancels.

    @cached_property
    def origin(self) -> Array:
        """The angles (B,) to which the following values are relative."""
        origin = np.zeros(len(self._eta))
        if self._tiles:
            origin[self._sharp] = self._tiles.peak[:, 0]
        return origin

    @cached_property
    def log_mass(self) -> Array:
        """log Z − E(origin), (B,)."""
        log_mass = self.log_z - self._eta.real.sum(axis=-1)
        if self._tiles:
            log_mass[self._sharp] = self._tiles.log_mass
        return log_mass

    @cached_property
    def deficits(self) -> Array:
        """E[e^{ik(s − origin)}] − 1 for the orders k of the moments, (B, order)."""
        deficits = self.moments - 1
        if self._tiles:
            deficits[self._sharp] = self._tiles.deficits[:, : self._order]
        return deficits

    @cached_property
    def gain(self) -> Array:
        """The mean of E(s) − E(origin), (B,), from the moments of orders 1…K."""
        gain = (self._eta.conj() * self.deficits[:, : self._eta.shape[1]]).real.sum(axis=-1)
        if self._tiles:
            gain[self._sharp] = self._tiles.gain
        return gain


def partition(eta: Array, order: int = 0) -> tuple[Array, Array, Array]:
    """log Z (...), the moments E[e^{iks}] of orders 1…`order` (..., order), and the node counts (...)."""
    batch = eta.shape[:-1]
    found = Partition(eta.reshape(int(np.prod(batch)), eta.shape[-1]), order)
    return found.log_z.reshape(batch), found.moments.reshape(*batch, order), found.nodes.reshape(batch)


def _tiles(eta: Array, order: int) -> Integral:
    """Tiles of sharp densities; orders beyond K are harmonics of η = 0, whose moments are computed with the others."""
    _check_width(np.abs(eta))
    harmonics_needed = max(order, eta.shape[1])
    padded = np.concatenate([eta, np.zeros((len(eta), harmonics_needed - eta.shape[1]))], axis=1)
    return Integral(padded, np.arange(1, harmonics_needed + 1)[:, None], TOLERANCE, order > 0)


def _on_grids(flat: Array, order: int) -> tuple[Array, Array, Array, Array]:
    """log Z, moments and node counts of the rows for which a grid is small enough, and the numbers of the others.

    The exponent is shifted by the maximum it attains, never by Σκ, so nothing over- or underflows.
    """
    nodes = certified_nodes(np.abs(flat), order)
    log_z = np.empty(flat.shape[0])
    moments = np.empty((flat.shape[0], order), np.complex128)
    most = max(_MAX_GRID_NODES, _MAX_NODES_PER_HARMONIC * flat.shape[1])
    small = np.flatnonzero(nodes <= most)
    for members, n in groups(nodes[small]):
        rows = small[members]
        weight = on_grid(flat[rows], n)
        top = weight.max(axis=-1)
        weight -= top[:, None]
        # Below e^-100 a node adds nothing; clipping there avoids subnormal numbers, which are slow.
        np.maximum(weight, -100.0, out=weight)
        np.exp(weight, out=weight)
        if order:
            spectrum = fft.rfft(weight, axis=-1)
            mass = spectrum[:, 0].real
            moments[rows] = spectrum[:, 1 : order + 1].conj() / mass[:, None]
        else:
            mass = weight.sum(axis=-1)
        log_z[rows] = top + np.log(mass * (2 * np.pi / n))
    return log_z, moments, nodes, np.flatnonzero(nodes > most)
