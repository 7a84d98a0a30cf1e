"""Inputs that break naive code, shared by all tests: sharp, flat, sparse, conflicting and symmetric densities."""

import numpy as np

TURN = 2 * np.pi


def random_eta(rng, K, scale, batch=()):
    """Random phases, exponential concentrations."""
    return rng.gamma(1.0, scale, (*batch, K)) * np.exp(1j * rng.uniform(0, TURN, (*batch, K)))


def fejer(K, scale):
    """−scale times a Fejér kernel without its mean: all pull down at 0, and the top is a plateau of ripples."""
    return -scale * 2 * (1 - np.arange(1, K + 1) / (K + 1)) + 0j


def cancelling(rng, K, scale):
    """Random harmonics of wildly different size, then the largest one turned against the sum of the others."""
    eta = random_eta(rng, K, 1.0) * scale ** rng.uniform(0, 1, K)
    eta[0] = -eta[1:].sum()
    return eta


def symmetric(n, K, kappa=5.0, turn=0.3):
    """n-fold symmetric: only multiples of n speak, all agreeing on the turn."""
    k = np.arange(1, K + 1)
    return np.where(k % n == 0, kappa * 3.0 ** (1 - k / n), 0.0) * np.exp(1j * k * turn)


def sparse(rng, K, scale):
    """One low and one high harmonic, the rest exactly zero."""
    eta = np.zeros(K, complex)
    eta[[0, K - 1]] = random_eta(rng, 2, scale)
    return eta


def all_eta(rng):
    """(name, eta) pairs over orders and scales, κ from 0 to 1e6, K up to 64."""
    yield "uniform", np.zeros(5, complex)
    yield "no harmonics", np.zeros(0, complex)
    for K in (1, 2, 12, 64):
        for scale in (1e-9, 1e-2, 1.0, 30.0, 1e3, 1e6):
            yield f"random K={K} {scale:g}", np.minimum(1.0, 1e6 / scale) * random_eta(rng, K, scale)
            yield f"fejer K={K} {scale:g}", fejer(K, scale / 2)
            if K > 1:
                yield f"cancelling K={K} {scale:g}", cancelling(rng, K, scale)
                yield f"sparse K={K} {scale:g}", sparse(rng, K, scale)
    for n in (2, 3, 4, 5, 6):
        yield f"{n}-fold", symmetric(n, 12)


def random_filters(rng, D, planes, lines=0):
    """Random orthonormal filters: complex (D, planes + lines), the lines last and real."""
    w = np.linalg.qr(rng.normal(size=(D, 2 * planes + lines)))[0]
    return np.concatenate([w[:, : 2 * planes : 2] + 1j * w[:, 1 : 2 * planes : 2], w[:, 2 * planes :]], axis=1)
