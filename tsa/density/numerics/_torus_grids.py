"""Trapezoid grids on the p-torus that guarantee a tolerance, and sums over them.

The rule converges geometrically on the torus as on the circle. With strip half-widths a and equal decay
a₁n₁ = … = a_p n_p = x, q = e^{−x}, its aliases sum to

    |Z_n − Z| / Z  ≤  (((1 + q)/(1 − q))^p − 1) (2π)^p e^{C(a)} / L,     C(a) = Σ κ_k (cosh(Σ_i |k_i| a_i) − 1)

for a lower bound L e^{max f} of Z, as for the tiles.
"""

from typing import NamedTuple

import numpy as np
from scipy import fft
from scipy.special import erf

from tsa._base import Array
from tsa.density.numerics._node_counts import fast_length

_SCALES = np.geomspace(0.1, 100, 16)  # of the strip half-widths for which the bound is computed; any is valid
_MIN_FEW, _MAX_FEW = 2**15, 2**20  # nodes of a small grid, whatever the frequencies
MAX_NODES = 2**24  # of the largest grid that is laid out, where tiles would have even more
_NODES_PER_CELL = 16  # of a grid, for each cell of the coarse grid from which tiles start: about equal cost
_CHUNK_VALUES = 2**20
_PART_NODES = 2**18  # of a grid, laid out at once: memory stays bounded


def few_nodes(k: Array) -> int:
    """Nodes of the largest grid for which tiles need not be tried, for densities at frequencies `k` (M, p)."""
    reach = np.abs(k).max(axis=0, initial=0)
    return int(np.clip(_NODES_PER_CELL * np.prod(5.0 * reach[reach > 0]), _MIN_FEW, _MAX_FEW))


def certified_grids(kappa: Array, k: Array, tolerance: float, most: int = MAX_NODES) -> tuple[Array, Array, Array]:
    """Rows that a grid of at most so many nodes serves, its shape for each (r, p), and its relative error of Z (r,)."""
    p, k = k.shape[1], np.abs(k)
    reach = np.maximum(k.max(axis=0, initial=0), 1)
    constant = ~k.any(axis=0)  # one node serves an axis along which nothing changes
    axes = np.count_nonzero(k, axis=1)  # (Σ_i k_i δ_i)² ≤ axes · Σ_i k_i² δ_i²
    curvature = np.maximum(kappa @ (np.maximum(axes, 1)[:, None] * k.astype(np.float64) ** 2), 1e-300)
    # Nine nodes to the width of a Gaussian peak is less than any certified grid has.
    rows = np.flatnonzero(np.maximum(4 * np.sqrt(curvature), 3 * reach)[:, ~constant].prod(axis=1) <= most)
    kappa, curvature = kappa[rows], curvature[rows]
    log_mass = (0.5 * np.log(2 * np.pi / curvature) + np.log(erf(np.pi * np.sqrt(curvature / 2)))).sum(axis=-1)
    # A flat direction would take any half-width; this one keeps cosh in range and still needs few nodes.
    widths = np.minimum(_SCALES[:, None] / np.sqrt(curvature)[:, None, :], 8.0 / reach)  # (r, scales, p)
    growth = np.empty(widths.shape[:2])
    at_once = max(1, _CHUNK_VALUES // (len(_SCALES) * max(1, len(k))))
    for start in range(0, len(rows), at_once):
        part = slice(start, start + at_once)
        cosh_minus_one = 2 * np.sinh(np.minimum(widths[part] @ k.T, 600.0) / 2) ** 2
        growth[part] = (cosh_minus_one @ kappa[part, :, None])[..., 0]
    growth += p * np.log(2 * np.pi) - log_mass[:, None]
    # ((1 + q)/(1 − q))^p − 1 ≤ (2^{p+1} − 2) q for q ≤ 1/8.
    decay = np.maximum(growth - np.log(tolerance) + np.log(2.0 ** (p + 1) - 2), 2.1)
    best = np.argmin(decay**p / widths.prod(axis=-1), axis=-1)[:, None]
    needed = np.take_along_axis(decay, best, 1) / np.take_along_axis(widths, best[..., None], 1)[:, 0]
    nodes = np.where(constant, 1, fast_length(np.maximum(needed + reach, 2 * reach + 1)))
    fits = nodes.prod(axis=1) <= most
    decay = np.where(constant, np.inf, widths[fits] * nodes[fits][:, None]).min(axis=-1, initial=700.0)
    exponent = (growth[fits] + np.log(2.0 ** (p + 1) - 2) - decay).min(axis=-1, where=decay >= 2.1, initial=0.0)
    return rows[fits], nodes[fits], np.exp(exponent)


def values_on_grid(eta: Array, k: Array, shape: tuple[int, ...]) -> Array:
    """f at the nodes 2πj/n of a grid whose sides exceed twice the highest frequency: (B, M) → (B, *shape)."""
    half = np.zeros((len(eta), *shape[:-1], shape[-1] // 2 + 1), np.complex128)
    for sign, coefficients in ((1, eta.conj() / 2), (-1, eta / 2)):
        stored = np.flatnonzero(sign * k[:, -1] >= 0)  # a real transform stores these; k_p = 0 needs both signs
        places = tuple((sign * k[stored] % np.array(shape)).T)
        half[(slice(None), *places)] += coefficients[:, stored]
    return np.asarray(fft.irfftn(half, shape, axes=tuple(range(1, len(shape) + 1)), norm="forward"))


class GridSums(NamedTuple):
    """Sums over the nodes of a grid, relative to the highest node `peak` (r, p), where f is `height` (r,).

    `log_mass` is log ∫ e^g, `gain` E[g], both (r,), and `deficits` E[e^{ik·(s − peak)}] − 1, (r, M) or (r, 0).
    """

    peak: Array
    height: Array
    log_mass: Array
    gain: Array
    deficits: Array


def grid_sums(eta: Array, k: Array, shape: Array, moments: bool) -> GridSums:
    """The sums of densities `eta` (r, M) over a grid of `shape` (p,), and if asked for the deficits.

    A large grid is laid out in parts, each of every second, fourth, … node of an axis.
    """
    every, least = np.ones_like(shape), 2 * np.abs(k).max(axis=0, initial=0) + 1
    while (shape // every).prod() > _PART_NODES:
        halves = (shape % (2 * every) == 0) & (shape // (2 * every) >= least)
        if not halves.any():
            break
        every[np.argmax(np.where(halves, shape // every, 0))] *= 2
    shifts = np.indices(tuple(every.tolist())).reshape(len(shape), -1).T * (2 * np.pi / shape)
    part = tuple((shape // every).tolist())
    parts = [_part_sums(eta, k, part, shift, moments) for shift in shifts]
    peak, height, mass, gain, sums = (np.stack(column) for column in zip(*parts, strict=True))
    top = np.argmax(height, axis=0), np.arange(len(eta))
    below = height - height[top]
    scale = np.exp(below)
    total = (scale * mass).sum(axis=0)
    mean = (scale[..., None] * sums).sum(axis=0) / total[:, None]
    return GridSums(
        peak[top],
        height[top],
        np.log(total * np.prod(2 * np.pi / shape)),
        (scale * (gain + below * mass)).sum(axis=0) / total,
        mean * np.exp(-1j * (peak[top] @ k.T)) - 1 if moments else mean,
    )


def _part_sums(
    eta: Array, k: Array, shape: tuple[int, ...], shift: Array, moments: bool
) -> tuple[Array, Array, Array, Array, Array]:
    """The highest node of a grid moved by `shift` (p,), and f there; with g = f − that, Σ e^g, Σ g e^g, Σ e^{g + ik·s}.

    (r, p), three times (r,), and (r, M) or (r, 0).
    """
    rows, turn = np.arange(len(eta)), np.exp(1j * (k @ shift))
    g = values_on_grid(eta * turn.conj(), k, shape).reshape(len(eta), -1)
    top = np.argmax(g, axis=1)
    peak = np.stack(np.unravel_index(top, shape), axis=-1) * (2 * np.pi / np.array(shape)) + shift
    height = g[rows, top]
    g -= height[:, None]
    weight = np.exp(g)
    mass, gain = weight.sum(axis=1), np.einsum("rn,rn->r", weight, g)
    if not moments:
        return peak, height, mass, gain, np.empty((len(eta), 0))
    spectrum = fft.rfftn(weight.reshape(-1, *shape), axes=tuple(range(1, len(shape) + 1)))
    negated = k[:, -1] < 0
    places = tuple((np.where(negated[:, None], -k, k) % np.array(shape)).T)
    picked = spectrum[(slice(None), *places)]
    return peak, height, mass, gain, np.where(negated, picked, picked.conj()) * turn
