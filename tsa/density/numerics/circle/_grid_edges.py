"""Edges of highest-density sets on a grid: Newton's method for each level and all edges of its arcs at once."""

import numpy as np

from tsa._base import Array
from tsa.density.numerics import trigpoly
from tsa.density.numerics.circle._grid import Extrema, NodeGrid, cubic

_CUBIC_STEPS = 2
_EXTREMUM_MARGIN = 2e-3  # of the second difference there: a level this close to an extremum is not told from it

# Edges of arcs, flat, by row and around each circle: (row, −1 where an arc starts and 1 where it stops, angle,
# outward distance from that angle). A start and the next stop bound an arc.
Edges = tuple[Array, Array, Array, Array]


def edges_on_grid(grid: NodeGrid, order: int, p: float, searches: int) -> tuple[Edges, Array]:
    """The edges of the densities of a grid by Newton's method for each level and all its edges, and which it solved.

    At every edge the log density is to be the level, and the arcs between the edges are to hold the mass p. Two
    searches for the level, and then two steps, suffice but where it is close to an extremum.
    """
    rows = len(grid.energy)
    t = _first_level(grid.weight, p) - grid.log_scale  # of the log density
    extrema = grid.extrema()

    def next_level(owner: Array, sign: Array, value: Array, slope: Array, cdf: Array) -> Array:
        """The level at which the arcs hold p, if E were linear at each edge, where it is `value`."""
        mass = around + np.bincount(owner, sign * cdf, minlength=rows)
        thin = sign * np.exp(value) / slope
        growth = np.bincount(owner, thin, minlength=rows)
        ahead = np.bincount(owner, thin * value, minlength=rows)
        return np.where(growth < 0, (p - mass + ahead) / growth, t)

    # First on cubics between the nodes, which cost much less than E and its integral. A better level may have other
    # edges; the mass falls with the level, so that every search narrows the bracket [low, high].
    low, high, before, last = np.full((4, rows), [[-np.inf], [np.inf], [np.inf], [np.inf]])
    for _ in range(searches):
        level = t + grid.log_scale
        around, row, node, side, start = _crossings(grid, extrema, level)
        log_density, cdf = grid.cubics(row, node)
        with np.errstate(all="ignore"):
            u = (t[row] - log_density[0]) / log_density[1:].sum(axis=0)
            u[u.size - start.size :] = start
            for _ in range(_CUBIC_STEPS):
                value, slope = cubic(log_density, u)
                u = np.clip(u + (t[row] - value) / slope, -1.0, 2.0)
            value, slope = cubic(log_density, u)
            proposal = next_level(row, side, value, slope / grid.step, cubic(cdf, u)[0])
            u = np.clip(u + (proposal[row] - value) / slope, -1.0, 2.0)
        low, high = np.where(proposal > t, t, low), np.where(proposal < t, t, high)
        with np.errstate(invalid="ignore"):
            slow = ~((proposal >= low) & (proposal <= high) & (2 * np.abs(proposal - t) <= before))
            proposal = np.where(slow & np.isfinite(low + high), (low + high) / 2, proposal)
            before, last = last, np.abs(proposal - t)
        t = proposal
    s = (node + np.where(np.isfinite(u), u, 0.5)) * grid.step

    solved = np.bincount(row, minlength=rows) > 0
    active = np.arange(row.size)
    for _ in range(searches):
        owner, sign = row[active], side[active]
        log_density, cdf = grid.expanded(owner, s[active])
        u = np.zeros(active.size)
        with np.errstate(all="ignore"):
            for _ in range(_CUBIC_STEPS):
                value, slope = cubic(log_density, u)
                t = next_level(owner, sign, value, slope / grid.step, cubic(cdf, u)[0])
                u += (t[owner] - value) / slope
        # An arc starts where the density rises; an edge that passed the peak, or jumps, is lost.
        lost = ~((np.abs(u) < 2) & (sign * slope < 0))
        s[active] += np.where(lost, 0.0, u * grid.step)
        lost_rows = np.bincount(owner, lost, minlength=rows) > 0
        solved &= ~lost_rows
        beyond = np.abs(u) * np.maximum(np.abs(slope), order * grid.step) > grid.reach
        far = np.bincount(owner, beyond, minlength=rows) > 0
        active = active[(far & ~lost_rows)[owner]]
        if not active.size:
            break
    solved[row[active]] = False
    # The edges are those of the level if no extremum lies between it and the level they were looked for at.
    final = t + grid.log_scale
    solved[extrema.row[extrema.between(level, final, _EXTREMUM_MARGIN)]] = False
    angle = trigpoly.wrap(s)
    kept = np.flatnonzero(solved[row])
    if start.size:
        kept = kept[np.lexsort((angle[kept], row[kept]))]
    return (row[kept], side[kept], angle[kept], np.zeros(kept.size)), solved


def _first_level(weight: Array, p: float) -> Array:
    """Nearly the logarithm of the weight above which the share of all is p, (B,)."""
    # Every fourth node, in single precision: this level is only where Newton's method starts.
    ascending = np.sort(weight[:, ::4].astype(np.float32), axis=1)
    below = np.cumsum(ascending, axis=1)
    rank = np.minimum((below < (1 - p) * below[:, -1:]).sum(axis=1), below.shape[1] - 1)
    return np.asarray(np.log(ascending[np.arange(len(rank)), rank].astype(np.float64)))


def _crossings(grid: NodeGrid, extrema: Extrema, level: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Where the energies of a grid cross their levels (B,): (around, row, node, side, start).

    `around` is 1 for each row that is above at the angle 0. A crossing lies between a `node` and the next, and has a
    `side` as edges have. The last crossings are beside extrema on the other side of the level than their node; for
    these the share of the step at which they lie is known nearly: `start`.
    """
    n = grid.energy.shape[1]
    inside = grid.closed > level[:, None]
    row, node = np.divmod(np.flatnonzero(inside[:, :-1] != inside[:, 1:]), n)
    side = np.where(inside[row, node], 1.0, -1.0)
    around = inside[:, 0].astype(float)
    height = extrema.height - level[extrema.row]
    hidden = np.flatnonzero((height > 0) != inside[extrema.row, extrema.node])
    if not hidden.size:
        return around, row, node, side, np.empty(0)
    before = np.floor(extrema.offset[hidden])
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.sqrt(np.abs(2 * height[hidden] / extrema.bend[hidden]))
    start = extrema.offset[hidden] - before + half * np.array([[-1.0], [1.0]])
    sides = np.where(height[hidden] > 0, -1.0, 1.0) * np.array([[1.0], [-1.0]])
    row = np.append(row, np.tile(extrema.row[hidden], 2))
    node = np.append(node, np.tile((extrema.node[hidden] + before.astype(int)) % n, 2))
    return around, row, node, np.append(side, sides), start.ravel()
