"""The normaliser Z = ∫ exp E(s) ds of a generalised von Mises density, with a guarantee.

The trapezoid rule on a circle converges geometrically. The number of nodes that guarantees a tolerance is computed
before any node is evaluated (Trefethen & Weideman 2014, theorem 3.2): with C(a) = Σ κ_k (cosh ka − 1)
the integrand grows by at most e^{C(a)} in the strip |Im s| ≤ a, hence

    |Z_n − Z| / Z  ≤  4π e^{C(a)} / ((e^{an} − 1) L),     L = √(2π/S) erf(π √(S/2)) ≤ Z e^{−max E},  S = Σ k² κ_k

for every a > 0. The bound needs no phases, only κ = |η|.
"""

from collections.abc import Iterator

import numpy as np
from scipy import fft
from scipy.special import erf

from tsa._base import Array, InputError
from tsa.density.numerics.trigpoly import harmonics, on_grid
from tsa.density.protocol import Certificate

TOLERANCE = 2.0**-52  # relative, of Z
_STRIP_HALF_WIDTHS = np.geomspace(1e-8, 32.0, 96)  # half-widths a on which the bound is tried; any of them is valid
_MAX_NODES = 2**26
_CHUNK_VALUES = 2**16  # grid values held at once: a chunk stays in cache, memory stays bounded


def _log_growth(kappa: Array) -> Array:
    """log of 4π e^{C(a)} / L for each strip: (..., K) → (..., strips)."""
    k = harmonics(kappa)
    cosh_minus_one = 2 * np.sinh(np.minimum(k[:, None] * _STRIP_HALF_WIDTHS, 600.0) / 2) ** 2
    curvature = np.maximum((kappa * k**2).sum(-1, keepdims=True), 1e-300)
    log_mass = 0.5 * np.log(2 * np.pi / curvature) + np.log(erf(np.pi * np.sqrt(curvature / 2)))
    growth: Array = kappa @ cosh_minus_one
    growth += np.log(4 * np.pi) - log_mass
    return growth


def certified_nodes(kappa: Array, order: int = 0, tolerance: float = TOLERANCE) -> Array:
    """Nodes that guarantee Z to a relative, and moments up to `order` to an absolute, `tolerance`.

    Rounded up to a length for which the FFT is fast. `kappa` is (..., K), the result (...).
    """
    needed = (_log_growth(kappa) - np.log(tolerance)) / _STRIP_HALF_WIDTHS
    # log(1 + e^x) ≤ x + log 2 for x ≥ 0: the −1 in e^{an} − 1.
    best = np.argmin(needed, axis=-1)
    nodes = np.take_along_axis(needed, best[..., None], -1)[..., 0] + np.log(2) / _STRIP_HALF_WIDTHS[best]
    if nodes.size and nodes.max() > _MAX_NODES:
        raise InputError(
            f"A density this concentrated (largest κ {kappa.max():.3g}) needs {nodes.max():.2g} nodes, more than "
            f"the {_MAX_NODES:,} supported. Raise the noise σ, or rescale the patches."
        )
    least = max(2 * kappa.shape[-1], 2 * order, 8) + 1
    return fast_length(np.maximum(nodes + order, least))


def fast_length(n: Array) -> Array:
    """The next 2^a, 5·2^(a−2) or 3·2^(a−1): few distinct lengths, so a mixed batch falls into few groups."""
    power = 2.0 ** np.floor(np.log2(n))
    steps = np.ceil(4 * n / power)
    steps = np.where(steps == 7, 8, steps)
    return (power * steps / 4).astype(np.int64)


def certificate(kappa: Array, nodes: Array) -> Certificate:
    """The guarantee that `nodes` nodes give a density of concentrations `kappa` (..., K)."""
    exponent = np.asarray(_log_growth(kappa) - _STRIP_HALF_WIDTHS * nodes[..., None]).min(axis=-1)
    depth = np.log2(nodes) + 2
    rounding = np.finfo(np.float64).eps * (1 + kappa.sum(-1)) * depth
    return Certificate(nodes, 2 * np.exp(np.minimum(exponent, 0.0)), rounding)


def groups(nodes: Array) -> Iterator[tuple[Array, int]]:
    """Rows that share a node count, in chunks that fit in cache: (row indices, n)."""
    for n in np.unique(nodes):
        rows = np.flatnonzero(nodes == n)
        at_once = max(1, _CHUNK_VALUES // int(n))
        for start in range(0, rows.size, at_once):
            yield rows[start : start + at_once], int(n)


def partition(eta: Array, order: int = 0) -> tuple[Array, Array, Array]:
    """log Z (...), the moments E[e^{iks}] of orders 1…`order` (..., order), and the node counts (...).

    The exponent is shifted by the maximum it attains, never by Σκ, so nothing over- or underflows.
    """
    flat = eta.reshape(-1, eta.shape[-1]) if eta.shape[-1] else np.empty((int(np.prod(eta.shape[:-1])), 0))
    nodes = certified_nodes(np.abs(flat), order)
    log_z = np.empty(flat.shape[0])
    moments = np.empty((flat.shape[0], order), np.complex128)
    for rows, n in groups(nodes):
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
    batch = eta.shape[:-1]
    return log_z.reshape(batch), moments.reshape(*batch, order), nodes.reshape(batch)
