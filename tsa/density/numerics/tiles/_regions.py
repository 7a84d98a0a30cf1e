"""Probabilities of the basins of maxima, and highest-density regions with their connected pieces, from cells."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components
from scipy.spatial import cKDTree

from tsa._base import Array
from tsa.density.numerics.tiles._cells import CellGraph
from tsa.density.numerics.tiles._coordinates import Coordinates
from tsa.density.numerics.tiles._maxima import Maxima
from tsa.density.numerics.tiles._polynomials import Polynomials

_BISECTIONS = 40


class PieceSums(NamedTuple):
    """Connected pieces of the regions of many rows, flat, in original coordinates.

    Probability, volume, centre (n, p), extent along the principal axis (n,), that axis as a unit vector (n, p), and
    whether the piece closes around the torus.
    """

    row: Array
    mass: Array
    volume: Array
    centre: Array
    length: Array
    axis: Array
    wraps: Array


def basin_masses(graph: CellGraph, maxima: Maxima, polynomials: Polynomials) -> Array:
    """The probability of the cells from which steepest ascent leads to each maximum, (n,); they sum to 1 by row."""
    uphill = np.arange(len(graph.g))
    order = np.lexsort((graph.g[graph.links.second], graph.links.first))
    last = np.flatnonzero(np.append(np.diff(graph.links.first[order]) != 0, True))
    best = order[last]
    first, second = graph.links.first[best], graph.links.second[best]
    rises = graph.g[second] > graph.g[first]
    uphill[first[rises]] = second[rises]
    while not np.array_equal(uphill, uphill[uphill]):
        uphill = uphill[uphill]
    tops, basin = np.unique(uphill, return_inverse=True)
    row = graph.row[tops]
    owner = _nearest_maximum(row, polynomials.climbed(row, graph.offset[tops]), maxima, polynomials)
    mass = np.bincount(owner[basin.ravel()], graph.probability, len(maxima.row))
    return mass / np.bincount(maxima.row, mass)[maxima.row]


def _nearest_maximum(row: Array, point: Array, maxima: Maxima, polynomials: Polynomials) -> Array:
    """The maximum of its row that each point belongs to: the one it coincides with, else the nearest ridge, if any."""
    speaks = polynomials.reach > 0  # along the other axes nothing changes

    def in_space(row: Array, point: Array) -> Array:
        on_circles = np.concatenate([np.cos(point), np.sin(point)], axis=1) * np.append(speaks, speaks)
        return np.concatenate([on_circles, 100.0 * row[:, None]], axis=1)

    distance, nearest = cKDTree(in_space(maxima.row, maxima.offset)).query(in_space(row, point))
    owner = np.asarray(nearest)
    ridges = np.flatnonzero(maxima.ridge)
    stray = np.flatnonzero(distance > 1e-3 / max(1, polynomials.reach.max(initial=1)))
    stray = stray[np.isin(row[stray], maxima.row[ridges])]
    if stray.size:
        tree = cKDTree(in_space(maxima.row[ridges], maxima.offset[ridges]))
        owner[stray] = ridges[tree.query(in_space(row[stray], point[stray]))[1]]
    return owner


def region_level(graph: CellGraph, probability: float, rows: int) -> tuple[Array, Array]:
    """The level of g above which each row has the given probability, (B,), and the part of each cell above it, (n,)."""
    order = np.lexsort((-graph.g, graph.row))
    starts = np.searchsorted(graph.row[order], np.arange(rows))
    total = np.cumsum(graph.probability[order])
    total -= np.append(0.0, total)[starts][graph.row[order]]
    last = np.minimum(
        np.searchsorted(total + 2.0 * graph.row[order], probability + 2.0 * np.arange(rows)), len(order) - 1
    )
    level = graph.g[order[last]]
    spread = np.maximum(graph.spread, 1e-300)
    # Within a cell g is taken as linear: the level passes through cells whose range it lies in.
    reach = np.zeros(rows)
    np.maximum.at(reach, graph.row, np.where(np.abs(graph.g - level[graph.row]) <= spread, spread, 0.0))
    low, high = level - 2 * reach - 1e-12, level + 2 * reach + 1e-12
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        inside = np.clip(0.5 + (graph.g - middle[graph.row]) / spread, 0.0, 1.0)
        enough = np.bincount(graph.row, inside * graph.probability, rows) >= probability
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return low, np.clip(0.5 + (graph.g - low[graph.row]) / spread, 0.0, 1.0)


def region_pieces(graph: CellGraph, inside: Array, coordinates: Coordinates, peak: Array) -> PieceSums:
    """The connected pieces of the cells that lie inside, at least in part, in the original coordinates of the torus.

    `peak` (B, p) is the peak of each row in own coordinates.
    """
    number, unrolled, loops = _unrolled(graph, inside)
    cells = np.flatnonzero(number >= 0)
    order = cells[np.argsort(number[cells], kind="stable")]
    weight, volume = inside * graph.probability, inside * graph.volume
    to_original = coordinates.to_original(np.eye(peak.shape[1]))  # row a: a step along own axis a
    none, parts = np.zeros((0, peak.shape[1]), np.int64), []
    for members in np.split(order, np.flatnonzero(np.diff(number[order])) + 1):
        row, windings = graph.row[members[0]], loops.get(int(number[members[0]]), none)
        for step, laps in coordinates.orbits(windings):
            turns = step + np.arange(laps)[:, None] * (windings[0] if len(windings) else 0)
            t = peak[row] + unrolled[members] + 2 * np.pi * turns[:, None]
            share = laps / len(coordinates.steps)
            extent = _extent(
                coordinates.to_original(t), graph.half[members] * (2 * inside[members] - 1)[:, None],
                volume[members], to_original,
            )  # fmt: skip
            if len(windings) and np.linalg.matrix_rank(windings) == 1:
                # A closed line is as long as its loop; a slanted box around it would be longer.
                loop = windings[np.argmin(np.abs(windings).sum(axis=1))]
                extent = (extent[0], laps * float(np.linalg.norm(coordinates.to_original(2 * np.pi * loop))), extent[2])
            sums = weight[members].sum() * share, volume[members].sum() * share
            parts.append((row, *sums, *extent, len(windings) > 0))
    return PieceSums(*(np.array(column) for column in zip(*parts, strict=True)))


def _extent(s: Array, half: Array, volume: Array, steps: Array) -> tuple[Array, float, Array]:
    """Centre (p,), extent along the principal axis, and that axis (p,), of cells at s (laps, n, p).

    A cell reaches `half` (n, p) beyond its centre along its own axes, whose steps in s are the rows of `steps`; less
    if part of it lies outside.
    """
    centre = np.average(s.mean(axis=0), axis=0, weights=volume)
    spread = (s - centre) * np.sqrt(volume / (volume.sum() * len(s)))[:, None]
    axis = np.linalg.eigh(np.einsum("lni,lnj->ij", spread, spread))[1][:, -1]
    axis = axis * (-1 if axis[np.argmax(np.abs(axis))] < 0 else 1)
    along, beyond = (s - centre) @ axis, half @ np.abs(steps @ axis)
    return centre, float((along + beyond).max() - (along - beyond).min()), axis


def _unrolled(graph: CellGraph, inside: Array) -> tuple[Array, Array, dict[int, Array]]:
    """Piece of each cell (−1 outside), its offset without jumps of 2π within the piece, and the loops of pieces.

    A loop is an integer vector: how often a closed path within the piece goes around each axis.
    """
    n, within = len(inside), inside > 0
    kept = within[graph.links.first] & within[graph.links.second]
    first, second, gap = graph.links.first[kept], graph.links.second[kept], graph.links.offset[kept]
    linked = coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    number = connected_components(linked, directed=False)[1]
    number = np.where(within, number, -1)
    pieces, roots = np.unique(number, return_index=True)
    roots = roots[pieces >= 0]
    compact = np.full(number.max() + 1, -1)
    compact[pieces[pieces >= 0]] = np.arange(len(roots))
    number = np.where(within, compact[number], -1)
    # One search from an extra node that is joined to a cell of every piece visits all of them.
    rooted = coo_array(
        (np.ones(len(first) + len(roots)), (np.append(first, np.full(len(roots), n)), np.append(second, roots))),
        shape=(n + 1, n + 1),
    )
    before = breadth_first_order(rooted.tocsr(), n, directed=False)[1][:n]
    parent = np.where((before >= 0) & (before < n), before, np.arange(n))
    step = graph.offset - graph.offset[parent]
    step -= 2 * np.pi * np.rint(step / (2 * np.pi))
    while not np.array_equal(parent, parent[parent]):
        step = step + step[parent]
        parent = parent[parent]
    unrolled = graph.offset[parent] + step
    winding = np.rint((unrolled[first] + gap - unrolled[second]) / (2 * np.pi)).astype(np.int64)
    closed = np.flatnonzero(winding.any(axis=1))
    loops = {
        int(piece): np.unique(winding[closed[number[first[closed]] == piece]], axis=0)
        for piece in np.unique(number[first[closed]])
    }
    return number, unrolled, loops
