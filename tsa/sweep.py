"""Everything the explorer shows of one picture, for every whole degree of the dial, computed at once.

The stage is fed by this and needs no server while the dial turns. All numbers are those of the model called directly;
only the modes are read off a fine grid (a parabola through three points, good to a hundredth of a degree).
"""

from dataclasses import dataclass

import numpy as np

from tsa.checks import Array
from tsa.gvm import GeneralizedVonMises, weighed_modes
from tsa.model import Subgroup
from tsa.polar import SPOKES, patch_of, turn, turned_patches
from tsa.trigpoly import CriticalPoints, evaluate, on_grid, wrap

_CELLS = 2**20  # of grids that are held at once: sharp posteriors need fine ones


@dataclass(frozen=True, eq=False)
class Sweep:
    """One picture against its turned copies: index i of the first axis is the turn by i degrees (or the only one)."""

    x: Array  # (D,): the patch as the model sees it
    y: Array  # (360, D): its turned copies, with whatever noise was added
    coordinates: Array  # (361, J) complex: z(x), then z(y) for every turn
    eta: Array  # (360, J) complex: natural parameters of the subspaces, prior not included
    pooled: Array  # (360, K) complex: the posterior over s
    density: Array  # (360, 360): the posterior at whole degrees, or its mean over each if it is sharper than that
    mode_angles: Array  # (360, m) radians, heaviest first, nan where there are fewer
    mode_masses: Array  # (360, m)
    level: Array  # (360,): density above which 95 % of the mass lies
    entropy: Array  # (360,) nats
    log_evidence: Array  # (360,)
    distances: Array  # (360, 3): torus, manifold, Euclidean, all within the span of the filters
    unexplained: Array  # (360,): part of what moves that the best turn leaves over: 0 all explained, 1 nothing


def sweep(
    model: Subgroup,
    polar: Array,
    size: int,
    noise: Array | None = None,
    prior: GeneralizedVonMises | None = None,
    other: Array | None = None,
    only: int | None = None,
) -> Sweep:
    """The posterior between a picture (rings × spokes) and its copy turned by every whole degree.

    `noise` (D,) is added to the turned patch; `prior` is a density over s; `other` is a second picture to turn and
    compare with, in place of a copy of the first; `only` asks for a single turn, which is quicker.
    """
    second = polar if other is None else other
    y = turned_patches(second, size) if only is None else patch_of(turn(second, np.radians(only)), size)[None]
    x = patch_of(polar, size)
    if noise is not None:
        y = y + noise
    z = model.coordinates(np.concatenate([x[None], y]))
    eta = z[:1].conj() * z[1:] / model.noise**2
    likelihood = GeneralizedVonMises(model.pool(eta))
    posterior = likelihood if prior is None else likelihood.fuse(prior)
    # Half degrees, or as many nodes (an odd number for each degree) as the sharpest of them needs.
    each = -(-int(np.max(posterior.certificate.nodes)) // SPOKES)
    each = 2 if each <= 2 else each | 1
    rows = max(1, _CELLS // (SPOKES * each))
    pieces = [slice(start, start + rows) for start in range(0, len(y), rows)]
    density, angles, masses, best = _joined([_read_off(posterior, likelihood, each, piece) for piece in pieces])
    ranked = np.sort(density, axis=1)
    below = np.cumsum(ranked, axis=1)
    level = ranked[np.arange(len(ranked)), np.argmax(below > 0.05 * below[:, -1:], axis=1)]
    # The evidence from what is already there: the constant, the fixed subspaces, and log Z over the prior's.
    squares = np.sum(np.abs(z[0]) ** 2) + np.sum(y * y, axis=1)
    start = np.log(2 * np.pi) if prior is None else prior.log_normalizer
    evidence = posterior.log_normalizer - start + eta[:, model.pooling.fixed].real.sum(axis=1)
    evidence -= squares / (2 * model.noise**2) + model.dimension / 2 * np.log(2 * np.pi * model.noise**2)
    distances, rest = _distances(model, z, eta, best)
    return Sweep(
        x, y, z, eta, posterior.eta, density, angles, masses, level, posterior.entropy(), evidence, distances, rest
    )


def _read_off(
    posterior: GeneralizedVonMises, likelihood: GeneralizedVonMises, each: int, rows: slice
) -> tuple[Array, Array, Array, Array]:
    """What a grid of so many nodes for each degree tells of some rows: density, modes, the likelihood's maximum."""
    eta = posterior.eta[rows]
    energy = on_grid(eta, SPOKES * each)
    log_density = energy - posterior.log_normalizer[rows, None]
    finely = np.exp(log_density)
    angles, masses = _modes(log_density, finely)
    # A peak narrower than a degree must not fall between two of them.
    density = finely[:, ::2] if each == 2 else np.roll(finely, each // 2, axis=1).reshape(-1, SPOKES, each).mean(axis=2)
    if likelihood is not posterior:
        eta = likelihood.eta[rows]
        energy = on_grid(eta, SPOKES * each)
    return density, angles, masses, _highest(eta, energy)


def _joined(pieces: list[tuple[Array, Array, Array, Array]]) -> list[Array]:
    """The rows of all pieces, some of which have more modes than others."""
    most = max(angles.shape[1] for _, angles, _, _ in pieces)
    padded = [
        (density, _widened(angles, most, np.nan), _widened(masses, most, 0.0), best)
        for density, angles, masses, best in pieces
    ]
    return [np.concatenate(part) for part in zip(*padded, strict=True)]


def _widened(values: Array, columns: int, filling: float) -> Array:
    return np.pad(values, ((0, 0), (0, columns - values.shape[1])), constant_values=filling)


def _distances(model: Subgroup, z: Array, eta: Array, best: Array) -> tuple[Array, Array]:
    """d² = ‖z(x)‖² + ‖z(y)‖² − 2σ²·(overlap): every phase free, one common turn free, nothing free.

    And what the best turn leaves over, as a part of what moves at all.
    """
    moves = ~model.pooling.fixed
    energy = np.square(np.abs(z))
    whole, moving = (part[1:].sum(axis=1) + part[0].sum() for part in (energy, energy[:, moves]))
    fixed = eta[:, ~moves].real.sum(axis=1)
    overlap = np.stack([np.abs(eta).sum(axis=1), best + fixed, eta.real.sum(axis=1)], axis=1)
    double = 2 * model.noise**2
    left = np.divide(moving - double * best, moving, out=np.zeros_like(moving), where=moving > 0)
    return np.sqrt(np.maximum(whole[:, None] - double * overlap, 0.0)), np.sqrt(np.maximum(left, 0.0))


def _highest(eta: Array, energy: Array) -> Array:
    """The maximum of each row: Newton's method from every peak of the grid that could be the highest.

    Between two nodes a function rises by at most h²/8 · max|E''|; two steps leave only rounding.
    """
    width = 2 * np.pi / energy.shape[1]
    rise = np.abs(eta) @ np.arange(1.0, 1 + eta.shape[1]) ** 2 * width**2 / 8
    everyone, best = np.arange(len(energy)), energy.argmax(axis=1)
    row, node = np.nonzero(energy >= (energy[everyone, best] - rise)[:, None])
    left, here, right = (energy[row, (node + step) % energy.shape[1]] for step in (-1, 0, 1))
    peak = (left < here) & (here >= right) | (node == best[row])
    row, s = row[peak], node[peak] * width
    eta = eta[row]
    for _ in range(2):
        slope, bend = evaluate(eta, s, 1), evaluate(eta, s, 2)
        s = s - np.clip(np.divide(slope, bend, out=np.zeros_like(s), where=bend < 0), -width / 2, width / 2)
    return np.asarray(np.maximum.reduceat(evaluate(eta, s), np.flatnonzero(np.diff(row, prepend=-1))))


def _modes(log_density: Array, density: Array) -> tuple[Array, Array]:
    """Maxima of each row and their masses between valleys, from a fine grid."""
    n = log_density.shape[1]
    rises = np.empty(log_density.shape, bool)  # towards this cell, from the one before
    np.greater(log_density[:, 1:], log_density[:, :-1], out=rises[:, 1:])
    np.greater(log_density[:, 0], log_density[:, -1], out=rises[:, 0])
    varies = log_density.max(axis=1) - log_density.min(axis=1) > 1e-9
    turns = np.empty(rises.shape, bool)
    np.not_equal(rises[:, 1:], rises[:, :-1], out=turns[:, :-1])
    np.not_equal(rises[:, 0], rises[:, -1], out=turns[:, -1])
    flat = np.flatnonzero(turns & varies[:, None])
    row, cell = np.divmod(flat, n)
    left, here, right = (log_density[row, (cell + step) % n] for step in (-1, 0, 1))
    bend = left - 2 * here + right
    shift = np.where(bend != 0, 0.5 * (left - right) / np.where(bend != 0, bend, 1.0), 0.0)
    angle = wrap((cell + np.clip(shift, -0.5, 0.5)) * (2 * np.pi / n))
    upto = _sums_before(density.ravel(), flat + 1, row * n) * (2 * np.pi / n)
    found = CriticalPoints(row, angle, rises[row, cell])
    return weighed_modes(found, upto, len(density))


def _sums_before(values: Array, ends: Array, starts: Array) -> Array:
    """Σ values[start:end] for every pair; only the pieces between the given places are summed."""
    places = np.unique(np.concatenate([[0], starts, ends]))
    places = places[places < len(values)]
    total = np.concatenate([[0.0], np.cumsum(np.add.reduceat(values, places))])  # before each place, and at the end
    return total[np.searchsorted(places, ends)] - total[np.searchsorted(places, starts)]
