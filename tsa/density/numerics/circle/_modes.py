"""Modes with their probability masses."""

import numpy as np

from tsa._base import Array
from tsa.density.numerics import trigpoly
from tsa.density.numerics.circle._cells import cells_of, find_peaks
from tsa.density.numerics.circle._cumulative import row_chunks
from tsa.density.numerics.circle._grid import grids, sorted_by_method


def modes(eta: Array) -> tuple[Array, Array]:
    """Angles and masses of all maxima of the rows of `eta` (B, K), by angle: (B, most), ended by nan of mass 0.

    A constant row has one maximum, at 0, of mass 1.
    """
    chosen, others = sorted_by_method(eta)
    parts = [(np.empty(0, int), np.empty(0), np.empty(0))]
    if chosen:
        parts.append(_from_grids(eta, chosen))
    for chunk in row_chunks(eta[others]):
        rows = others[chunk]
        local, angle, mass = _from_cells(eta[rows])
        parts.append((rows[local], angle, mass))
    row, angle, mass = (np.concatenate(part) for part in zip(*parts, strict=True))
    if chosen and others.size:
        order = np.argsort(row, kind="stable")
        row, angle, mass = row[order], angle[order], mass[order]
    return mode_rectangles(row, angle, mass, len(eta))


def _from_grids(eta: Array, chosen: list[tuple[Array, int]]) -> tuple[Array, Array, Array]:
    rows = np.sort(np.concatenate([rows for rows, _ in chosen]))
    found = trigpoly.critical_points(eta[rows])
    found = found._replace(row=rows[found.row])
    group, place = np.empty((2, len(eta)), int)
    for number, (members, _) in enumerate(chosen):
        group[members], place[members] = number, np.arange(members.size)
    valley = np.flatnonzero(~found.is_maximum)
    group_of = group[found.row[valley]]
    valley = valley[np.argsort(group_of, kind="stable")]
    starts = np.cumsum(np.bincount(group_of, minlength=len(chosen)))[:-1]
    upto = np.zeros(found.row.size)
    for mine, (_, grid) in zip(np.split(valley, starts), grids(eta, chosen), strict=True):
        upto[mine] = grid.cdf(place[found.row[mine]], found.angle[mine])
    return _between_valleys(found, upto)


def _from_cells(eta: Array) -> tuple[Array, Array, Array]:
    peaks = find_peaks(eta)
    cells = cells_of(peaks)
    # Peaks that are not developed hold less than e^-50: Laplace's approximation puts them in order.
    slopes = trigpoly.series_slopes(trigpoly.slope_series(eta), peaks.row, peaks.angle)[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        width = np.fmin(np.sqrt(2 * np.pi / -slopes), peaks.lengths.sum(axis=0))
    mass = np.exp(peaks.height) * width
    mass[peaks.developed] = np.bincount(cells.peak, cells.mass, minlength=peaks.developed.size)
    mass /= np.bincount(peaks.row, mass, minlength=len(eta))[peaks.row]
    return peaks.row, peaks.angle, mass


def mode_rectangles(row: Array, angle: Array, mass: Array, rows: int) -> tuple[Array, Array]:
    """Flat modes, ordered by row, as rectangles (rows, most) ended by nan of mass 0. Rows without one: 0, of mass 1."""
    count = np.bincount(row, minlength=rows)
    place = np.arange(row.size) - (np.cumsum(count) - count)[row]
    width = max(1, int(count.max(initial=1)))
    angles, masses = np.full((rows, width), np.nan), np.zeros((rows, width))
    angles[row, place], masses[row, place] = angle, mass
    angles[count == 0, 0], masses[count == 0, 0] = 0.0, 1.0
    return angles, masses


def weighed_modes(found: trigpoly.CriticalPoints, upto: Array, rows: int) -> tuple[Array, Array]:
    """The same from critical points and the cdf `upto` each minimum, heaviest first."""
    angles, masses = mode_rectangles(*_between_valleys(found, upto), rows)
    order = np.argsort(-masses, axis=1, kind="stable")
    return np.take_along_axis(angles, order, 1), np.take_along_axis(masses, order, 1)


def _between_valleys(found: trigpoly.CriticalPoints, upto: Array) -> tuple[Array, Array, Array]:
    top = np.flatnonzero(found.is_maximum)
    # Maxima and minima alternate, so the neighbours of a maximum are the valleys that bound its mass.
    before, after = (neighbour[top] for neighbour in found.neighbours())
    mass = np.clip(upto[after] - upto[before] + (after <= before), 0.0, 1.0)
    return found.row[top], found.angle[top], mass
