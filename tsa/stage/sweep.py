"""Everything the explorer shows of one picture, for every whole degree of the dial, computed at once.

The browser receives it once and needs no server while the dial turns. All numbers are those of the model called
directly; only the modes come from a fine grid (a parabola through three points, good to a hundredth of a degree).
"""

from dataclasses import dataclass, fields

import numpy as np

from tsa._base import Array
from tsa.density import Density
from tsa.density.numerics import CriticalPoints, certified_nodes, evaluate, on_grid, weighed_modes, wrap
from tsa.model import Subgroup
from tsa.pictures import SPOKES, patch_of, turn_disc, turned_patches
from tsa.registration import estimate_power

_EQUAL_PEAKS = 1e-6  # of the sum of all concentrations: the rounding of patches computed in single precision
_MAX_NODES = 2**24  # of the grid on which a posterior is drawn
_CHUNK_CELLS = 2**20  # grid cells held at once: sharp posteriors need fine grids


@dataclass(frozen=True, eq=False)
class Sweep:
    """One picture against its turned copies: index i of the first axis is the turn by i degrees (or the only one)."""

    x: Array  # (D,): the patch as the model sees it
    y: Array  # (360, D): its turned copies, with the pixel noise added
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
    unexplained: Array  # (360,): distance at the best turn over the norm of the moving coordinates: 0…1
    model: Subgroup  # the model that made it
    prior: Density | None
    likelihood: Array  # (360, K) complex: what the pair alone says of s, natural parameters; K as in `pooled`
    likelihood_peak: Array  # (360,): maximum of the likelihood as a density over s, times 2π; 1 if it is flat
    likelihood_entropy: Array  # (360,) nats, of that density
    best_turn: Array  # (360,) radians: where that maximum is
    sigma: float  # the noise that is expected of y; that of `model`, or √½ of it with noise in both
    both: bool  # whether it is expected of x too
    gain_of_pair: Array  # (360,) nats: KL(posterior ‖ prior)
    gain_of_prior: Array  # (360,) nats: KL(posterior ‖ likelihood)

    def rows(self, rows: slice) -> "Sweep":
        """The same for some of the turns."""
        shared = ("x", "coordinates", "model", "prior", "sigma", "both")
        picked = {f.name: getattr(self, f.name)[rows] for f in fields(self) if f.name not in shared}
        z = np.concatenate([self.coordinates[:1], self.coordinates[1:][rows]])
        rest = {name: getattr(self, name) for name in shared if name != "coordinates"}
        return Sweep(coordinates=z, **rest, **picked)


def sweep(
    model: Subgroup,
    disc: Array,
    size: int,
    noise: Array | None = None,
    prior: Density | None = None,
    other: Array | None = None,
    only: int | None = None,
    noise_of_x: Array | None = None,
    both: bool = False,
) -> Sweep:
    """The posterior between a picture (rings × spokes) and its copy turned by every whole degree.

    `noise` (D,) is added to the turned patch; `prior` is a density over s; `other` is a second picture to turn and
    compare with, in place of a copy of the first; `only` is the one turn, in degrees, to be computed. With `both` the
    model expects its noise in x as well, where `noise_of_x` (D,) is added: the power of x in each weight is estimated
    from the pair, and what is left over is compared with √2 σ.
    """
    second = disc if other is None else other
    y = turned_patches(second, size) if only is None else patch_of(turn_disc(second, np.radians(only)), size)[None]
    x = patch_of(disc, size)
    if noise is not None:
        y = y + noise
    if noise_of_x is not None:
        x = x + noise_of_x
    z, sigma = model.coordinates(np.concatenate([x[None], y])), model.noise
    power = estimate_power(model, x, y) if both else None
    eta = natural_parameters(model, z, power)
    likelihood = model.posterior(x, y, noise_x=sigma, power=power) if both else model.posterior_from(z[:1], z[1:])
    posterior = likelihood if prior is None else likelihood.fuse(prior)
    # Half degrees, or as many nodes (an odd number for each degree) as the sharpest of them needs.
    nodes = certified_nodes(np.abs(posterior.eta.astype(np.complex128)), posterior.eta.shape[-1])
    each = -(-min(int(np.max(nodes)), _MAX_NODES) // SPOKES)
    each = 2 if each <= 2 else each | 1
    rows = max(1, _CHUNK_CELLS // (SPOKES * each))
    pieces = [slice(start, start + rows) for start in range(0, len(y), rows)]
    density, angles, masses, best, best_turn = _joined(
        [_read_off(posterior, likelihood, each, piece) for piece in pieces]
    )
    ranked = np.sort(density, axis=1)
    below = np.cumsum(ranked, axis=1)
    level = ranked[np.arange(len(ranked)), np.argmax(below > 0.05 * below[:, -1:], axis=1)]
    start = np.log(2 * np.pi) if prior is None else prior.log_normalizer
    if both:
        evidence = model.log_evidence(x, y, prior, noise_x=sigma, power=power)
        model = model.with_noise(np.sqrt(2) * sigma)
        overlap = z[:1].conj() * z[1:] / model.noise**2
        pooled = model.posterior_from(z[:1], z[1:]).eta
        nearest = _highest(pooled, on_grid(pooled, 2 * SPOKES))[0]
        distances, rest = _distances(model, z, overlap, nearest)
    else:
        evidence = _log_evidence(model, z, y, eta, posterior, start)
        distances, rest = _distances(model, z, eta, best)
    peak = 2 * np.pi * np.exp(best - likelihood.log_normalizer)
    alone = likelihood.entropy()
    by_pair, by_prior = _gains(posterior, likelihood, prior, start)
    return Sweep(
        x, y, z, eta, posterior.eta, density, angles, masses, level, posterior.entropy(), evidence, distances, rest,
        model, prior, _padded(likelihood.eta, posterior.eta.shape[1]), peak, alone, best_turn, sigma, both, by_pair,
        by_prior,
    )  # fmt: skip


def natural_parameters(model: Subgroup, z: Array, power: Array | None = None) -> Array:
    """η̂_j of x with each y, whose coordinates are z (1 + T, J): (T, J).

    `power` (T, J), τ², if the noise of the model is in both.
    """
    # Divided by σ², where `natural_from` multiplies by 1/σ²: equal but for signs of zeros, which the packed bytes show.
    eta = z[:1].conj() * z[1:] / model.noise**2
    return eta if power is None else eta * (power / (model.noise**2 + 2 * power))


def _log_evidence(model: Subgroup, z: Array, y: Array, eta: Array, posterior: Density, start: Array) -> Array:
    """As `log_evidence_from`, but with the log Z that is already computed."""
    squares = np.sum(np.abs(z[0]) ** 2) - _lost_energy(model, z[0]) + np.sum(y * y, axis=1)
    evidence = posterior.log_normalizer - start + eta[:, model.irreps.fixed].real.sum(axis=1)
    evidence -= squares / (2 * model.noise**2) + model.dimension / 2 * np.log(2 * np.pi * model.noise**2)
    return evidence


def _gains(posterior: Density, likelihood: Density, prior: Density | None, start: Array) -> tuple[Array, Array]:
    """KL(posterior ‖ prior) and KL(posterior ‖ likelihood): what pair and prior each add to the other, in nats."""
    if prior is None:
        return np.maximum(start - posterior.entropy(), 0.0), np.zeros(len(posterior.eta))
    harmonics = posterior.eta.shape[-1]
    moments = posterior.moments(np.arange(1, 1 + harmonics)[:, None]).conj()
    pair, before = (np.sum((moments * _padded(d.eta, harmonics)).real, axis=-1) for d in (likelihood, prior))
    log_z = posterior.log_normalizer
    return np.maximum(pair - log_z + start, 0.0), np.maximum(before - log_z + likelihood.log_normalizer, 0.0)


def _padded(eta: Array, harmonics: int) -> Array:
    missing = harmonics - eta.shape[-1]
    return np.concatenate([eta, np.zeros((*eta.shape[:-1], missing))], axis=-1) if missing else eta


def _read_off(posterior: Density, likelihood: Density, each: int, rows: slice) -> tuple[Array, ...]:
    """Density, mode angles, mode masses, maximum of the likelihood and its place, from `each` nodes per degree."""
    eta = posterior.eta[rows]
    energy = on_grid(eta, SPOKES * each)
    log_density = energy - posterior.log_normalizer[rows, None]
    finely = np.exp(log_density)
    angles, masses = _modes(log_density, finely)
    # Average the fine grid over each degree, so that a peak narrower than one degree keeps its mass.
    density = finely[:, ::2] if each == 2 else np.roll(finely, each // 2, axis=1).reshape(-1, SPOKES, each).mean(axis=2)
    if likelihood is not posterior:
        eta = likelihood.eta[rows]
        energy = on_grid(eta, SPOKES * each)
    return density, angles, masses, *_highest(eta, energy)


def _joined(pieces: list[tuple[Array, ...]]) -> list[Array]:
    """The rows of all pieces, modes padded to the same number."""
    most = max(angles.shape[1] for _, angles, *_ in pieces)
    padded = [
        (density, _widened(angles, most, np.nan), _widened(masses, most, 0.0), *best)
        for density, angles, masses, *best in pieces
    ]
    return [np.concatenate(part) for part in zip(*padded, strict=True)]


def _widened(values: Array, columns: int, filling: float) -> Array:
    return np.pad(values, ((0, 0), (0, columns - values.shape[1])), constant_values=filling)


def _distances(model: Subgroup, z: Array, eta: Array, best: Array) -> tuple[Array, Array]:
    """d² = ‖z(x)‖² + ‖z(y)‖² − 2σ²·(overlap): every phase free, one common turn free, nothing free.

    The common turn also changes the energy of lines; its part of d² is in `best`, but for the mean `_lost_energy`.

    And the distance that the best turn leaves, over the norm of the moving coordinates.
    """
    moves = ~model.irreps.fixed
    energy = np.square(np.abs(z))
    whole, moving = (part[1:].sum(axis=1) + part[0].sum() for part in (energy, energy[:, moves]))
    fixed = eta[:, ~moves].real.sum(axis=1)
    double = 2 * model.noise**2
    best = best + _lost_energy(model, z[0]) / double
    overlap = np.stack([np.abs(eta).sum(axis=1), best + fixed, eta.real.sum(axis=1)], axis=1)
    left = np.divide(moving - double * best, moving, out=np.zeros_like(moving), where=moving > 0)
    return np.sqrt(np.maximum(whole[:, None] - double * overlap, 0.0)), np.sqrt(np.maximum(left, 0.0))


def _lost_energy(model: Subgroup, z: Array) -> float:
    """What turning takes from the energy of z (J,) in the mean over all turns: half of that in lines that move."""
    return float(np.sum(z[model.moving_lines].real ** 2, dtype=np.float64)) / 2


def _highest(eta: Array, energy: Array) -> tuple[Array, Array]:
    """The maximum of each row and its place: Newton's method from every peak of the grid that could be the highest.

    Between two nodes a function rises by at most h²/8 · max|E''|; two steps leave only rounding.
    """
    width = 2 * np.pi / energy.shape[1]
    rise = np.abs(eta) @ np.arange(1.0, 1 + eta.shape[1]) ** 2 * width**2 / 8
    every_row, best = np.arange(len(energy)), energy.argmax(axis=1)
    row, node = np.nonzero(energy >= (energy[every_row, best] - rise)[:, None])
    left, here, right = (energy[row, (node + step) % energy.shape[1]] for step in (-1, 0, 1))
    peak = (left < here) & (here >= right) | (node == best[row])
    row, s = row[peak], node[peak] * width
    eta = eta[row]
    for _ in range(2):
        slope, bend = evaluate(eta, s, 1), evaluate(eta, s, 2)
        s = s - np.clip(np.divide(slope, bend, out=np.zeros_like(s), where=bend < 0), -width / 2, width / 2)
    value, starts = evaluate(eta, s), np.flatnonzero(np.diff(row, prepend=-1))
    highest = np.maximum.reduceat(value, starts)
    # Of equal peaks the first: rounding must not choose another one when the same turn is computed alone.
    at = np.flatnonzero(value >= highest[row] - _EQUAL_PEAKS * np.abs(eta).sum(axis=1))
    _, first = np.unique(row[at], return_index=True)
    return np.asarray(highest), wrap(s[at[first]])


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
