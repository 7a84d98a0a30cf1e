"""The group element s of each pair, pooled over all planes of known weight, and what a plane of unknown weight does.

p(s | pair) ∝ exp Re Σ_j conj(η_j) e^{iω_j·s}. Its mode is enough here, for many pairs at once and any number of
parameters: the densities of `tsa.density` are exact, and a thousand times slower.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from tsa._base import Array
from tsa.learning.discovery._lattice import integer_box

MAX_RANK = 3  # of the groups that are looked for
LARGEST_WEIGHT = {1: 40, 2: 9, 3: 4}  # |ω| that is looked for with s known, by rank
_NODES_PER_WEIGHT = {1: 8, 2: 4, 3: 4}  # nodes of the grid along each axis, for each unit of the largest weight
_CHUNK_NUMBERS = 2_000_000
_SCREEN_PAIRS, _SCREEN_Z = 400, 4.0  # the clearest pairs, on which relations of s are screened
_NEWTON_STEPS, _MAX_NEWTON_STEP = 4, 0.3


def most_probable(eta: Array, weights: Array, left_out: Sequence[int] = ()) -> Array:
    """The modes of p(s | pair) from natural parameters η (n, J) and weights (J, r): (1 + len(left_out), n, r).

    The first is from all planes; the others leave out one plane each.
    """
    rank, planes = weights.shape[1], np.arange(len(weights))
    size = _NODES_PER_WEIGHT[rank] * int(np.abs(weights).max(initial=1)) + 8
    grid = np.array(list(itertools.product(2 * np.pi * np.arange(size) / size, repeat=rank)))
    waves = np.exp(1j * grid @ weights.T)
    modes = np.empty((1 + len(left_out), len(eta), rank))
    for rows in np.array_split(np.arange(len(eta)), max(1, len(eta) * len(grid) // _CHUNK_NUMBERS)):
        level = eta[rows].real @ waves.real.T + eta[rows].imag @ waves.imag.T
        for i, j in enumerate([-1, *left_out]):
            own = 0.0 if j < 0 else (eta[rows, j, None].conj() * waves[:, j]).real
            start = grid[(level - own).argmax(axis=1)]
            modes[i, rows] = climbed(eta[rows] * (planes != j), weights, start)
    return modes


def climbed(eta: Array, weights: Array, s: Array, steps: int = _NEWTON_STEPS) -> Array:
    """Newton's method from s (n, r) on log p(s | pair), with curvatures kept positive: (n, r)."""
    rank, directions = weights.shape[1], weights.astype(np.float64)
    outer = (directions[:, :, None] * directions[:, None, :]).reshape(len(directions), -1)
    least = 0.05 * np.abs(eta)
    for _ in range(steps):
        angle = s @ directions.T
        cosine, sine = np.cos(angle), np.sin(angle)
        curvature = np.maximum(eta.real * cosine + eta.imag * sine, least)
        slope = (eta.imag * cosine - eta.real * sine) @ directions
        hessian = (curvature @ outer).reshape(-1, rank, rank) + 1e-9 * np.eye(rank)
        step = np.linalg.solve(hessian, slope[..., None])[..., 0]
        s = s + np.clip(step, -_MAX_NEWTON_STEP, _MAX_NEWTON_STEP)
    return s


def pooled_relations(s: Array, eta: Array, weights: Array, largest: int) -> tuple[Array, Array, Array]:
    """Relations a·s = 0 with entries up to `largest` that seem to hold, shortest first; their heights and z.

    As `relation_heights` between phases, but s is pooled over all planes and has the inverse of the curvature of
    log p(s) as covariance: relations hold visibly here that noise hides between single phases.
    """
    rank = weights.shape[1]
    curvature = np.maximum((eta * np.exp(-1j * s @ weights.T)).real, 0.05 * np.abs(eta))
    precision = np.einsum("nj,ja,jb->nab", curvature, weights, weights) + 1e-9 * np.eye(rank)
    covariance = np.linalg.inv(precision).reshape(len(s), -1)
    candidates = integer_box(rank, largest)
    candidates = candidates[len(candidates) // 2 + 1 :]
    clearest = np.argsort(covariance[:, :: rank + 1].sum(axis=1))
    height, z = np.zeros((2, len(candidates)))
    for rows, least_z in ((clearest[:_SCREEN_PAIRS], _SCREEN_Z), (clearest, 0.0)):
        squares = (candidates[:, :, None] * candidates[:, None, :]).reshape(-1, rank**2)
        weight = np.exp(-0.5 * covariance[rows] @ squares.T)
        total = np.einsum("nm,nm->m", weight, np.cos(s[rows] @ candidates.T))
        square = np.maximum(np.einsum("nm,nm->m", weight, weight), 1e-300)
        height, z = total / square, total / np.sqrt(square / 2)
        kept = z > least_z
        candidates, height, z = candidates[kept], height[kept], z[kept]
    order = np.argsort(np.square(candidates).sum(axis=1), kind="stable")
    return candidates[order], height[order], z[order]


def best_character(targets: Array, s: Array, multiple: int = 1) -> tuple[Array, Array]:
    """For each target t (n, J) the integers a with the highest Re Σ_i t_i^q e^{−ia·s_i} / Σ|t_i|^{q²}, and that height.

    `multiple` is q: q·ω = a is asked where ω itself is no integer combination of the weights that s is known from.
    """
    rank = s.shape[1]
    candidates = integer_box(rank, LARGEST_WEIGHT[rank])
    size = np.abs(targets)
    # Noise damps the q-th power of a phase by |t|^{q²}, where it damps the phase itself by |t|.
    damped = size ** (multiple**2)
    powers = damped * np.exp(1j * multiple * np.angle(targets))
    heights = (powers.T @ np.exp(-1j * s @ candidates.T)).real / np.maximum(damped.sum(axis=0), 1e-300)[:, None]
    heights -= 1e-4 * np.abs(candidates).sum(axis=1)  # of equals the smallest
    return candidates[heights.argmax(axis=1)], heights.max(axis=1)
