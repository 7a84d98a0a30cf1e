"""Densities on the torus that are hard to integrate, by family, and a plain grid to hold the answers against."""

import numpy as np

from tests.hard import TURN, random_eta


def box(reach, p=2):
    """All frequencies up to `reach` on each axis, one of each pair ±k."""
    axes = np.indices((2 * reach + 1,) * p).reshape(p, -1).T - reach
    first = np.argmax(axes != 0, axis=1)
    return axes[np.take_along_axis(axes, first[:, None], 1)[:, 0] > 0]


def aligned(k, kappa, point):
    """All harmonics agree on one point: what a pair without noise gives."""
    return kappa * np.exp(1j * (k @ point))


def families(rng, count):
    """(name, eta (count, M), frequencies (M, 2)): points, ridges, lattices, nearly flat, conflicting, plateaus."""
    k = box(int(rng.integers(1, 4)))
    spread = 10 ** rng.uniform(-3, 0.7, (count, 1))
    yield "random", random_eta(rng, len(k), 1.0, (count,)) * spread, k
    points = rng.uniform(0, TURN, (2, count, 2))
    yield "point", np.stack([aligned(k, rng.gamma(1.0, 1.0, len(k)), t) for t in points[0]]) * spread, k
    both = [aligned(k, rng.gamma(1.0, 1.0, len(k)), t) for t in points[0]]
    other = [aligned(k, rng.gamma(1.0, 1.0, len(k)), t) for t in points[1]]
    yield "conflicting", (np.stack(both) + np.stack(other)) * spread, k
    direction = np.array([(1, 0), (1, 1), (2, -1), (3, 2), (1, -4)][int(rng.integers(5))])
    line = np.arange(1, 4)[:, None] * direction
    yield "ridge", random_eta(rng, 3, 1.0, (count,)) * spread, line
    near = np.concatenate([line, k[~(k[:, None] == line).all(-1).any(-1)]])
    weak = np.append(np.ones(3), np.full(len(near) - 3, 1.0)) * 10.0 ** np.where(np.arange(len(near)) < 3, 0, -5)
    yield "near-ridge", random_eta(rng, len(near), 1.0, (count,)) * weak * spread, near
    lattice = k @ np.array([[(2, 0), (0, 3)], [(3, 0), (3, 4)], [(1, 2), (-2, 1)]][int(rng.integers(3))])
    yield "lattice", random_eta(rng, len(k), 0.5, (count,)) * spread, lattice
    yield "nearly flat", random_eta(rng, len(k), 1e-9, (count,)), k
    hill = np.prod(1 - np.abs(k) / (np.abs(k).max(axis=0) + 1), axis=1)
    yield "plateau", -aligned(k, 4 * hill, rng.uniform(0, TURN, 2)) * spread, k


def plain_grid(eta, k, wanted):
    """log Z and E[e^{ik·s}] by the trapezoid rule on a generous grid: numpy's FFT and nothing else."""
    bend = np.sqrt((np.abs(eta)[:, None] * k.astype(float) ** 2).sum(0)).max()
    n = int(max(14 * bend, 18 * np.abs(np.concatenate([k, wanted])).max(), 32))  # aliases are far below rounding
    n += n % 2
    spectrum = np.zeros((n, n), complex)
    for one, (a, b) in zip(eta, k, strict=True):
        spectrum[a % n, b % n] += one.conjugate() / 2
        spectrum[-a % n, -b % n] += one / 2
    f = np.fft.ifft2(spectrum).real * n * n
    weight = np.exp(f - f.max())
    moments = np.fft.fft2(weight).conj() / weight.sum()
    return f.max() + np.log(weight.mean() * TURN**2), np.array([moments[a % n, b % n] for a, b in wanted])
