"""Trapezoid grids on the p-torus that guarantee a tolerance, where they are small.

The rule converges geometrically on the torus as on the circle. With strip half-widths a and equal decay
a₁n₁ = … = a_p n_p = x, q = e^{−x}, its aliases sum to

    |Z_n − Z| / Z  ≤  (((1 + q)/(1 − q))^p − 1) (2π)^p e^{C(a)} / L,     C(a) = Σ κ_k (cosh(Σ_i |k_i| a_i) − 1)

for a lower bound L e^{max f} of Z, as for the tiles.
"""

import numpy as np
from scipy.special import erf

from tsa._base import Array
from tsa.density.numerics._node_counts import fast_length

_SCALES = np.geomspace(0.1, 100, 16)  # of the strip half-widths for which the bound is computed; any is valid
_MIN_LIMIT, _MAX_LIMIT = 2**15, 2**20  # nodes of the largest grid that is laid out, whatever the frequencies
_NODES_PER_CELL = 16  # of a grid, for each cell of the coarse grid from which tiles start: about equal cost
_CHUNK_VALUES = 2**20


def small_grids(kappa: Array, k: Array, tolerance: float) -> tuple[Array, Array, Array]:
    """Rows that a small grid serves, its shape for each (r, p), and the relative error of Z that it guarantees (r,)."""
    p = k.shape[1]
    reach = np.maximum(k.max(axis=0, initial=0), 1)
    constant = ~k.any(axis=0)  # one node serves an axis along which nothing changes
    axes = np.count_nonzero(k, axis=1)  # (Σ_i k_i δ_i)² ≤ axes · Σ_i k_i² δ_i²
    curvature = np.maximum(kappa @ (np.maximum(axes, 1)[:, None] * k.astype(np.float64) ** 2), 1e-300)
    # Nine nodes to the width of a Gaussian peak is less than any certified grid has.
    limit = np.clip(_NODES_PER_CELL * float(np.prod(5.0 * reach[~constant])), _MIN_LIMIT, _MAX_LIMIT)
    rows = np.flatnonzero(np.maximum(4 * np.sqrt(curvature), 3 * reach)[:, ~constant].prod(axis=1) <= limit)
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
    fits = nodes.prod(axis=1) <= limit
    decay = np.where(constant, np.inf, widths[fits] * nodes[fits][:, None]).min(axis=-1, initial=700.0)
    exponent = (growth[fits] + np.log(2.0 ** (p + 1) - 2) - decay).min(axis=-1, where=decay >= 2.1, initial=0.0)
    return rows[fits], nodes[fits], np.exp(exponent)
