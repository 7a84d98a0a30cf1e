"""The summed tiles of a batch divided into small cells, linked to their neighbours on the torus.

Basins of maxima and connected pieces of a credible region are both properties of this graph.
"""

from dataclasses import dataclass

import numpy as np

from tsa._base import Array
from tsa.density.numerics.tiles._bounds import Tiles
from tsa.density.numerics.tiles._nodes import Nodes
from tsa.density.numerics.tiles._polynomials import Polynomials
from tsa.density.numerics.tiles._rules import RULES
from tsa.density.numerics.tiles._tiling import Tiling

_CELLS_PER_AXIS = {1: (32,), 2: (8, 16, 16), 3: (4, 6)}  # by number of axes: on tiles of each rule of `RULES`
_NEGLIGIBLE = 1e-6  # share of the mass of a row: tiles that hold less are left out


@dataclass(frozen=True, eq=False)
class Links:
    """Neighbouring cells: the numbers of both, and the offset (n, p) from the first to the second."""

    first: Array
    second: Array
    offset: Array


class CellGraph:
    """Cells, flat: their row, offset from the peak and half-widths (n, p), g at the centre, probability.

    `spread` is about the range of g within each cell, `links` holds every pair of cells that share part of a face, and
    `log_mass` (B,) is log ∫ e^g of each row. Cells of negligible probability are left out.
    """

    def __init__(
        self, row: Array, offset: Array, half: Array, g: Array, probability: Array, spread: Array, log_mass: Array,
        links: Links,
    ) -> None:  # fmt: skip
        self.row, self.offset, self.half, self.g = row, offset, half, g
        self.probability, self.spread, self.log_mass, self.links = probability, spread, log_mass, links

    @property
    def volume(self) -> Array:
        """Volume of each cell, (n,)."""
        return (2 * self.half).prod(axis=-1)


def cells_of_grid(polynomials: Polynomials, shape: tuple[int, ...]) -> CellGraph:
    """One cell around each node of a grid that resolves the density."""
    g, gradient = polynomials.on_grid(shape)
    axes, rows, nodes = len(shape), len(g), g[0].size
    spread = np.tensordot(2 * np.pi / np.array(shape), np.abs(gradient), axes=1)
    weight = np.exp(g).reshape(rows, -1)
    total = weight.sum(axis=1)
    probability = weight / total[:, None]
    order = np.sort(probability, axis=1)
    floor = order[np.arange(rows), (np.cumsum(order, axis=1) < _NEGLIGIBLE).sum(axis=1).clip(max=nodes - 1)]
    kept = probability >= floor[:, None]
    row, node = np.nonzero(kept)
    number = np.full(kept.shape, -1)
    number[row, node] = np.arange(len(row))
    place = np.stack(np.unravel_index(node, shape), axis=-1)
    first, second = [], []
    for axis, n in enumerate(shape):
        beyond = place.copy()
        beyond[:, axis] = (beyond[:, axis] + 1) % n
        neighbour = number[row, np.ravel_multi_index(tuple(beyond.T), shape)]
        here = np.flatnonzero(neighbour >= 0)
        first += [here, neighbour[here]]
        second += [neighbour[here], here]
    offset = 2 * np.pi * place / np.array(shape)
    half = np.broadcast_to(np.pi / np.array(shape), offset.shape)
    log_mass = np.log(total * ((2 * np.pi) ** axes / nodes))
    columns = (g.reshape(rows, -1)[kept], probability[kept], spread.reshape(rows, -1)[kept])
    return CellGraph(
        row, offset, half, *columns, log_mass, _linked(offset, np.concatenate(first), np.concatenate(second))
    )


def cells_of_tiles(tiling: Tiling) -> CellGraph:
    """Each summed tile divided into equal cells."""
    return _TileCells(tiling).graph()


def _linked(offset: Array, first: Array, second: Array) -> Links:
    """Links between cells, with the shortest offsets around the torus."""
    gap = offset[second] - offset[first]
    return Links(first, second, gap - 2 * np.pi * np.rint(gap / (2 * np.pi)))


class _TileCells:
    """Cells of tiles of different sizes, and the search for their neighbours."""

    def __init__(self, tiling: Tiling) -> None:
        self._of, self._log_mass = tiling.polynomials, np.log(np.maximum(tiling.mass, 1e-300))
        axes = self._of.axes
        parts, counts = [], []
        for rule, tiles, mass in tiling.summed:
            heavy = mass > _NEGLIGIBLE * tiling.mass[tiles.row]
            counts.append(np.full(heavy.sum(), _CELLS_PER_AXIS[axes][RULES[axes].index(rule)]))
            parts.append((tiles[heavy], mass[heavy] / tiling.mass[tiles.row[heavy]]))
        tiles = Tiles(*(np.concatenate([getattr(t, name) for t, _ in parts]) for name in ("row", "u", "turn")))
        share, count = np.concatenate([m for _, m in parts]), np.concatenate(counts)
        order = np.argsort(count, kind="stable")
        self._tiles, self._count, self._share = tiles[order], count[order], share[order]
        self._coarse, self._axes = np.array(self._of.coarse), axes
        per_tile = self._count**axes
        self._start = np.cumsum(per_tile) - per_tile

    def graph(self) -> CellGraph:
        """The cells and their links."""
        fills = [self._fill(int(n)) for n in np.unique(self._count)]
        row, offset, half, g, probability, spread = (np.concatenate(part) for part in zip(*fills, strict=True))
        found = [self._neighbours(axis, sign) for axis in range(self._axes) for sign in (1, -1)]
        first, second = (np.concatenate(part) for part in zip(*found, strict=True))
        return CellGraph(row, offset, half, g, probability, spread, self._log_mass, _linked(offset, first, second))

    def _fill(self, n: int) -> tuple[Array, ...]:
        """Row, offset, half-widths, g, probability and spread of the cells of all tiles with n cells per axis."""
        which = np.flatnonzero(self._count == n)
        tiles, order = self._tiles[which].sorted()
        x = (2 * np.arange(n) + 1) / n - 1
        g = np.empty((len(tiles), *(n,) * self._axes))
        values = Nodes(self._of, tiles.row, tiles.u, tiles.turn, [x] * self._axes).values()
        g[order] = np.moveaxis(values, 1, -1)
        tiles = self._tiles[which]
        slopes = np.gradient(g, axis=tuple(range(1, self._axes + 1)))
        spread = sum(np.abs(slope) for slope in (slopes if self._axes > 1 else [slopes]))
        weight = np.exp(g - g.max(axis=tuple(range(1, self._axes + 1)), keepdims=True)).reshape(len(tiles), -1)
        probability = weight * (self._share[which] / weight.sum(axis=1))[:, None]
        places = np.indices((n,) * self._axes).reshape(self._axes, -1).T
        offset = tiles.centre[:, None] + tiles.half[:, None] * x[places]
        cells = n**self._axes
        half = np.repeat(tiles.half / n, cells, axis=0)
        return (
            np.repeat(tiles.row, cells), offset.reshape(-1, self._axes), half, g.ravel(), probability.ravel(),
            np.asarray(spread).ravel(),
        )  # fmt: skip

    def _neighbours(self, axis: int, sign: int) -> tuple[Array, Array]:
        """Each cell that has a neighbour beyond its face on one side of one axis, and that neighbour."""
        per_tile = self._count**self._axes
        tile = np.repeat(np.arange(len(self._count)), per_tile)
        n = self._count[tile]
        inside = np.arange(len(tile)) - self._start[tile]
        place = np.stack([inside // n ** (self._axes - 1 - a) % n for a in range(self._axes)], axis=-1)
        beyond = place[:, axis] + sign
        within = (beyond >= 0) & (beyond < n)
        here = np.flatnonzero(within)
        there = here + sign * n[here] ** (self._axes - 1 - axis)
        edge = np.flatnonzero(~within)
        # In units of the tile's half-width: the centre of the cell, and on `axis` a little beyond the face.
        position = self._tiles.u[tile[edge]] + (2 * place[edge] + 1) / n[edge, None] - 1
        position[:, axis] = self._tiles.u[tile[edge], axis] + sign * (1 + 1e-6 / n[edge])
        target, fraction = self._located(tile[edge], position)
        hit = np.flatnonzero(target >= 0)
        target, fraction, edge = target[hit], fraction[hit], edge[hit]
        n = self._count[target]
        cell = np.clip((fraction * n[:, None]).astype(np.int64), 0, n[:, None] - 1)
        number = self._start[target]
        for a in range(self._axes):
            number = number + cell[:, a] * n ** (self._axes - 1 - a)
        return np.concatenate([here, edge]), np.concatenate([there, number])

    def _located(self, tile: Array, position: Array) -> tuple[Array, Array]:
        """The tile of the same row that holds each position, −1 if none, and where in it, from 0 to 1 on each axis.

        `position` is in units of the half-widths of `tile`.
        """
        tiles = self._tiles
        sizes, size_of = np.unique(tiles.turn, axis=0, return_inverse=True)
        keys = _key(tiles.row, size_of.ravel(), tiles.u % tiles.turn)
        order = np.argsort(keys)
        target, fraction = np.full(len(tile), -1), np.zeros(position.shape)
        for number, size in enumerate(sizes):
            scaled = position * (size / tiles.turn[tile])
            # Uncut, the cells of an axis are centred on even u; cut ones lie between even numbers.
            u = np.where(size == 2 * self._coarse, 2 * np.rint(scaled / 2), 2 * np.floor(scaled / 2) + 1)
            key = _key(tiles.row[tile], np.full(len(tile), number), u.astype(np.int64) % size)
            at = np.minimum(np.searchsorted(keys[order], key), len(order) - 1)
            same = (keys[order[at]] == key) & (target < 0)
            target[same] = order[at[same]]
            fraction[same] = ((scaled - u + 1) / 2)[same]
        return target, fraction


def _key(row: Array, size: Array, u: Array) -> Array:
    """One number for a row, a size and a place (n, p): a hash whose collisions are negligibly rare."""
    key = row.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + size.astype(np.uint64)
    for column in u.T:
        key = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + column.astype(np.uint64)
    return (key ^ (key >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
