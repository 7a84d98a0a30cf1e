"""From critical points and a cumulative distribution to modes with their probability masses."""

import numpy as np

from tsa._base import Array
from tsa.density.numerics import trigpoly


def weighed_modes(found: trigpoly.CriticalPoints, upto: Array, rows: int) -> tuple[Array, Array]:
    """Angles and masses of all maxima, heaviest first, (rows, most), from the cdf `upto` each minimum."""
    top = np.flatnonzero(found.is_maximum)
    row, angle = found.row[top], found.angle[top]
    # Maxima and minima alternate, so the neighbours of a maximum are the valleys that bound its mass.
    before, after = (neighbour[top] for neighbour in found.neighbours())
    mass = np.clip(upto[after] - upto[before] + (after <= before), 0.0, 1.0)

    order = np.lexsort((-mass, row))
    count = np.bincount(row, minlength=rows)
    place = np.arange(row.size) - (np.cumsum(count) - count)[row]
    width = max(1, int(count.max(initial=1)))
    angles, masses = np.full((rows, width), np.nan), np.zeros((rows, width))
    angles[row, place], masses[row, place] = angle[order], mass[order]
    angles[count == 0, 0], masses[count == 0, 0] = 0.0, 1.0
    return angles, masses
