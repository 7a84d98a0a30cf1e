"""Connected pieces of a region on the torus, from a mask on a grid whose opposite edges are one."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import ndimage

from tsa._base import Array

_EIGHT_NEIGHBOURS = np.ones((3, 3), int)


class Piece(NamedTuple):
    """A connected piece of a region. Lengths are in pixels, places and directions (right, up).

    `length` is its extent along its principal axis once it is unrolled, `width` its area over that. A piece that
    `closes` leads around the torus and back into itself.
    """

    mass: float
    area: float
    length: float
    width: float
    axis: tuple[float, float]
    closes: bool
    peak: tuple[float, float]
    centre: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one piece, unrolled: places in pixels (cells, 2), and the probability of each (cells,)."""

    places: Array
    mass: Array
    piece: Piece


def pieces_of(inside: Array, mass: Array, cell: float) -> list[Cells]:
    """The pieces of the cells `inside` (N, N), heaviest first; `mass` (N, N) has the probability of each cell.

    `cell` is the side of a cell in pixels; cell (i, j) lies j cells to the right of no motion and i cells below it.
    """
    n = len(inside)
    labels, count = ndimage.label(inside, _EIGHT_NEIGHBOURS)
    group, offset, closes = _joined_over_edges(labels, count)
    rows, columns = np.nonzero(inside)
    part = labels[rows, columns] - 1
    down, right = (np.stack([rows, columns]) + n * offset[part].T) * cell
    found = []
    for one in np.unique(group):
        own = group[part] == one
        places, weight = np.stack([right[own], -down[own]], axis=1), mass[rows[own], columns[own]]
        found.append(Cells(places, weight, _measured(places, weight, cell, bool(closes[one]), n * cell)))
    return sorted(found, key=lambda cells: -cells.piece.mass)


def _joined_over_edges(labels: Array, count: int) -> tuple[Array, Array, Array]:
    """For each labelled part its group, and how many worlds (down, right) it lies from where the group was entered.

    The third array says of each group whether it closes: whether two ways through it lead to the same cell with
    different offsets.
    """
    links: dict[int, set[tuple[int, int, int]]] = {part: set() for part in range(count)}
    n = len(labels)
    for axis, (last, first) in enumerate([(labels[-1], labels[0]), (labels[:, -1], labels[:, 0])]):
        for step in (-1, 0, 1) if last.any() and first.any() else ():
            # At a corner a diagonal neighbour lies over the other edge as well.
            over, neighbour = np.divmod(np.arange(n) + step, n)
            both = (last > 0) & (first[neighbour] > 0)
            if not both.any():
                continue
            ends = np.unique(np.stack([last[both] - 1, first[neighbour[both]] - 1, over[both]]), axis=1)
            for a, b, sideways in ends.T.tolist():
                down, right = (1, sideways) if axis == 0 else (sideways, 1)
                links[a].add((b, down, right))
                links[b].add((a, -down, -right))
    group, offset = np.full(count, -1), np.zeros((count, 2), int)
    closes = np.zeros(count, bool)
    for start in range(count):
        if group[start] >= 0:
            continue
        group[start], waiting = start, [start]
        while waiting:
            here = waiting.pop(0)
            # A line that closes has neighbours in several worlds: the nearest first, or it would be unrolled too far.
            for there, down, right in sorted(links[here], key=lambda link: (abs(link[1]) + abs(link[2]), link)):
                expected = offset[here] + (down, right)
                if group[there] < 0:
                    group[there], offset[there] = start, expected
                    waiting.append(there)
                elif np.any(offset[there] != expected):
                    closes[start] = True
    return group, offset, closes


def _measured(places: Array, weight: Array, cell: float, closes: bool, world: float) -> Piece:
    centred = places - places.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axis = vectors[:, -1] * (1 if vectors[1, -1] >= 0 else -1)
    length = float(np.ptp(centred @ axis)) + cell
    area = len(places) * cell**2
    peak = nearest_world(places[np.argmax(weight)], world)
    centre = nearest_world(weight @ places / weight.sum(), world)
    return Piece(
        float(weight.sum()), area, length, area / length, (float(axis[0]), float(axis[1])), closes,
        (float(peak[0]), float(peak[1])), (float(centre[0]), float(centre[1])),
    )  # fmt: skip


def nearest_world(places: Array, world: float) -> Array:
    """Of all places that are whole worlds apart, those nearest to no motion."""
    return np.asarray(np.mod(places + world / 2, world) - world / 2)
