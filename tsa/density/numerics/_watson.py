"""Watson's U², a test of uniformity on the circle that does not depend on where the circle is cut, and its p-values.

With probability transforms u_i = F(s_i), and as a sum over the harmonics of u (Watson 1961),

    U² = n ∫ (F_n(u) − u − mean)² du = Σ_j n |φ_j|² / (2π²j²),     φ_j = mean of e^{2πiju}

Under the truth √n φ_j are independent standard Gaussians (complex) in the limit; estimating parameters projects the
score functions out of them. Either way U² has the distribution of Σ λ_i χ²₁ in the limit, which is accurate from about
n = 20 on.
"""

import numpy as np

from tsa._base import Array

_HARMONICS = 64  # of u; those beyond are replaced by their mean, 0.0008 of 0.083
_FREQUENCIES = 1000  # at which the characteristic function of U² is taken; beyond, it is negligible


def watson_u2(u: Array) -> Array:
    """U² of the probability transforms u (n, ...): (...)."""
    n = len(u)
    rank = (np.arange(1, n + 1) - 0.5) / n
    gap = np.sort(u, axis=0) - rank.reshape(n, *(1 for _ in u.shape[1:]))
    squares: Array = (gap**2).sum(axis=0) + 1 / (12 * n) - n * gap.mean(axis=0) ** 2
    return squares


def known_pvalue(u2: Array) -> Array:
    """P(U² > u2) where the density was known beforehand: 2 Σ_m (−1)^{m−1} e^{−2m²π²u2}."""
    x = np.maximum(u2, 5e-3)[..., None]  # below, the probability is 1 to ten digits
    m = np.arange(1, 30)
    series = 2 * ((-1.0) ** (m - 1) * np.exp(-2 * m**2 * np.pi**2 * x)).sum(-1)
    return np.clip(series, 0.0, 1.0)


def fitted_pvalue(u2: float, statistics: Array) -> float:
    """P(U² > u2) where natural parameters were estimated by maximum likelihood, to an absolute error of 1e-6.

    `statistics` (N, q) are those whose expectations are the estimated moments, cos ks and sin ks, at the N quantiles
    (i + ½)/N of the fitted density.
    """
    nodes = len(statistics)
    centred = statistics - statistics.mean(axis=0)
    information = centred.T @ centred / nodes
    phases = np.exp(-1j * np.pi * np.arange(1, _HARMONICS + 1) / nodes)[:, None]  # the nodes start at ½/N
    series = np.fft.rfft(centred, axis=0)[1 : _HARMONICS + 1] * phases * (np.sqrt(2) / nodes)
    projected = np.concatenate([series.real, series.imag])
    covariance = np.eye(2 * _HARMONICS) - projected @ np.linalg.solve(information, projected.T)
    scale = np.tile(1 / (2 * np.pi * np.arange(1, _HARMONICS + 1)), 2)
    eigenvalues = np.linalg.eigvalsh(scale[:, None] * covariance * scale)
    remainder = 1 / 12 - (scale**2).sum()
    return _tail(u2 - remainder, np.maximum(eigenvalues, 0.0))


def _tail(x: float, eigenvalues: Array) -> float:
    """P(Σ λ_i χ²₁ > x) from the characteristic function at the midpoints of a grid (Davies 1973).

    What the grid adds is the probability beyond x + period, which e^{−40} bounds.
    """
    period = max(x, 0.0) + eigenvalues.sum() + 80 * eigenvalues.max()
    middle = np.arange(_FREQUENCIES) + 0.5
    t = middle * (2 * np.pi / period)
    wave = 2 * t[:, None] * eigenvalues
    size, phase = np.exp(-np.log1p(wave**2).sum(-1) / 4), np.arctan(wave).sum(-1) / 2
    tail = 0.5 + (size * np.sin(phase - t * x) / (np.pi * middle)).sum()
    return float(np.clip(tail, 0.0, 1.0))
