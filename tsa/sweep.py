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
from tsa.trigpoly import CriticalPoints, on_grid, wrap

_FINE = 720


@dataclass(frozen=True, eq=False)
class Sweep:
    """One picture against its turned copies: index i of the first axis is the turn by i degrees (or the only one)."""

    x: Array  # (D,): the patch as the model sees it
    y: Array  # (360, D): its turned copies, with whatever noise was added
    coordinates: Array  # (361, J) complex: z(x), then z(y) for every turn
    eta: Array  # (360, J) complex: natural parameters of the subspaces, prior not included
    pooled: Array  # (360, K) complex: the posterior over s
    density: Array  # (360, 360): the posterior at whole degrees
    mode_angles: Array  # (360, m) radians, heaviest first, nan where there are fewer
    mode_masses: Array  # (360, m)
    level: Array  # (360,): density above which 95 % of the mass lies
    entropy: Array  # (360,) nats
    log_evidence: Array  # (360,)


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
    posterior = model.posterior(x, y, prior)
    energy = on_grid(posterior.eta, _FINE)
    log_density = energy - posterior.log_normalizer[:, None]
    fine = np.exp(log_density)
    angles, masses = _modes(log_density, fine)
    density = fine[:, :: _FINE // SPOKES]
    ranked = -np.sort(-density, axis=1)
    share = np.cumsum(ranked, axis=1) / ranked.sum(axis=1, keepdims=True)
    level = np.take_along_axis(ranked, np.argmax(share >= 0.95, axis=1)[:, None], 1)[:, 0]
    # The evidence from what is already there: the constant, the fixed subspaces, and log Z over the prior's.
    squares = np.sum(np.abs(z[0]) ** 2) + np.sum(y * y, axis=1)
    start = np.log(2 * np.pi) if prior is None else prior.log_normalizer
    evidence = posterior.log_normalizer - start + eta[:, model.pooling.fixed].real.sum(axis=1)
    evidence -= squares / (2 * model.noise**2) + model.dimension / 2 * np.log(2 * np.pi * model.noise**2)
    return Sweep(x, y, z, eta, posterior.eta, density, angles, masses, level, posterior.entropy(), evidence)


def _modes(log_density: Array, density: Array) -> tuple[Array, Array]:
    """Maxima of each row and their masses between valleys, from a fine grid."""
    before, after = np.roll(log_density, 1, axis=1), np.roll(log_density, -1, axis=1)
    scale = np.ptp(log_density, axis=1, keepdims=True) + 1e-12
    rises = log_density - before > 0
    is_maximum, is_minimum = rises & ~np.roll(rises, -1, axis=1), ~rises & np.roll(rises, -1, axis=1)
    alive = scale[:, 0] > 1e-9
    row, cell = np.nonzero((is_maximum | is_minimum) & alive[:, None])
    left, here, right = (part[row, cell] for part in (before, log_density, after))
    bend = left - 2 * here + right
    shift = np.where(bend != 0, 0.5 * (left - right) / np.where(bend != 0, bend, 1.0), 0.0)
    angle = wrap((cell + np.clip(shift, -0.5, 0.5)) * (2 * np.pi / _FINE))
    upto = (np.cumsum(density, axis=1) * (2 * np.pi / _FINE))[row, cell]
    found = CriticalPoints(row, angle, is_maximum[row, cell])
    return weighed_modes(found, upto, len(density))
