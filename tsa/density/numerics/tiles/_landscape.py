"""Highest points, modes with their masses, credible regions and samples of a batch of densities on the torus."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.density.numerics._node_counts import TOLERANCE
from tsa.density.numerics._torus_grids import certified_grids, few_nodes
from tsa.density.numerics.tiles._cells import CellGraph, cells_of_grid, cells_of_tiles
from tsa.density.numerics.tiles._coordinates import Coordinates
from tsa.density.numerics.tiles._integral import row_groups
from tsa.density.numerics.tiles._maxima import find_maxima
from tsa.density.numerics.tiles._polynomials import Polynomials
from tsa.density.numerics.tiles._regions import PieceSums, basin_masses, region_level, region_pieces
from tsa.density.numerics.tiles._samples import draw_from_tiles, draw_on_grid
from tsa.density.numerics.tiles._tiling import Tiling
from tsa.density.numerics.trigpoly import wrap

_GRID_TOLERANCE = 1e-9  # of sums over a grid; sums over parts of it are good to a few per cent
_LEAST_CELLS = 2**14  # of a grid on which regions are measured
_CONSTANT_CELLS = 12  # along an axis on which nothing changes


class Found(NamedTuple):
    """Maxima of many rows, flat: row, point (n, p) in [0, 2π)^p, probability of the basin, and if it is a ridge."""

    row: Array
    point: Array
    mass: Array
    ridge: Array


def highest_points(eta: Array, k: Array) -> Array:
    """The point where f is highest, (B, p) in [0, 2π)^p; the first in order of coordinates if several are equally high.

    Of a ridge, one of its points; 0 where f is constant.
    """
    points = np.zeros((len(eta), k.shape[1]))
    for rows, coordinates, used, m in row_groups(eta, k):
        polynomials = Polynomials(eta[np.ix_(rows, used)], m)
        maxima = find_maxima(polynomials, -4 * polynomials.rounding)
        top = np.zeros(len(rows))
        np.maximum.at(top, maxima.row, maxima.height)
        best = np.flatnonzero(maxima.height >= (top - 4 * polynomials.rounding)[maxima.row])
        t = polynomials.peak[maxima.row[best]] + maxima.offset[best]
        s = wrap(coordinates.to_original(t)[:, None] + coordinates.copies).reshape(-1, k.shape[1])
        row = np.repeat(maxima.row[best], len(coordinates.copies))
        order = np.lexsort((*np.round(s, 9).T[::-1], row))
        first = order[np.unique(row[order], return_index=True)[1]]
        points[rows[row[first]]] = s[first]
    return points


def find_modes(eta: Array, k: Array, least_mass: float) -> Found:
    """All maxima whose basins may have a probability of `least_mass`, 0 for all."""
    parts = []
    for rows, coordinates, polynomials, graph in _landscapes(eta, k):
        with np.errstate(divide="ignore"):
            # Elsewhere the density stays below least_mass/(2π)^p, so that no part of the torus has that mass.
            floor = np.log(least_mass) + graph.log_mass - k.shape[1] * np.log(2 * np.pi)
        maxima = find_maxima(polynomials, np.minimum(floor, 0.0))
        mass = basin_masses(graph, maxima, polynomials)
        copies = coordinates.copies
        s = coordinates.to_original(polynomials.peak[maxima.row] + maxima.offset)[:, None] + copies
        repeated = (np.repeat(v, len(copies)) for v in (rows[maxima.row], mass / len(copies), maxima.ridge))
        parts.append((*repeated, s.reshape(-1, s.shape[-1])))
    row, mass, ridge, point = (np.concatenate(v) for v in zip(*parts, strict=True))
    return Found(row, wrap(point), mass, ridge)


def find_regions(eta: Array, k: Array, probability: float) -> tuple[Array, PieceSums]:
    """The log density above which each row has the given probability, (B,), and the pieces of those regions."""
    level, found = np.empty(len(eta)), []
    for rows, coordinates, polynomials, graph in _landscapes(eta, k):
        own, inside = region_level(graph, probability, len(rows))
        level[rows] = own - graph.log_mass
        pieces = region_pieces(graph, inside, coordinates, polynomials.peak)
        found.append(pieces._replace(row=rows[pieces.row]))
    return level, PieceSums(*(np.concatenate(column) for column in zip(*found, strict=True)))


def draw_points(eta: Array, k: Array, n: int, rng: np.random.Generator) -> Array:
    """`n` exact draws from each row: (n, B, p) in [0, 2π)^p."""
    points = np.empty((n, len(eta), k.shape[1]))
    for rows, coordinates, polynomials, divided in _divided(eta, k):
        which = np.tile(np.arange(len(rows)), n)
        if isinstance(divided, Tiling):
            offset = draw_from_tiles(divided, which, rng)
        else:
            offset = draw_on_grid(polynomials, divided, which, rng)
        t = polynomials.peak[which] + offset
        copy = rng.integers(0, len(coordinates.copies), len(which))  # each is as probable as the others
        points[:, rows] = (coordinates.to_original(t) + coordinates.copies[copy]).reshape(n, len(rows), -1)
    return wrap(points)


def _landscapes(eta: Array, k: Array) -> Iterator[tuple[Array, Coordinates, Polynomials, CellGraph]]:
    """Rows that share coordinates, these, their polynomials and a graph of cells."""
    for rows, coordinates, polynomials, divided in _divided(eta, k):
        if isinstance(divided, Tiling):
            yield rows, coordinates, polynomials, cells_of_tiles(divided)
        else:
            finest = int(_LEAST_CELLS ** (1 / k.shape[1]))
            shape = tuple(
                max(n, finest) if r else _CONSTANT_CELLS for n, r in zip(divided, polynomials.reach, strict=True)
            )
            yield rows, coordinates, polynomials, cells_of_grid(polynomials, shape)


def _divided(eta: Array, k: Array) -> Iterator[tuple[Array, Coordinates, Polynomials, Tiling | tuple[int, ...]]]:
    """Rows that share coordinates, these, their polynomials, and the shape of a grid if that is small, or tiles."""
    for rows, coordinates, used, m in row_groups(eta, k):
        own = eta[np.ix_(rows, used)]
        small, shapes, _ = certified_grids(np.abs(own), m, _GRID_TOLERANCE, few_nodes(m))
        for shape in np.unique(shapes, axis=0):
            some = small[(shapes == shape).all(axis=1)]
            yield rows[some], coordinates, Polynomials(own[some], m), tuple(shape.tolist())
        some, start = np.setdiff1d(np.arange(len(rows)), small), None
        while some.size:
            tiling = Tiling(Polynomials(own[some], m, start), TOLERANCE, moments=False)
            if not tiling.higher:
                yield rows[some], coordinates, tiling.polynomials, tiling
                break
            # Start again from the higher points that were found.
            start = tiling.polynomials.peak
            for row, offset in tiling.higher:
                start[row] += offset
