"""Exact draws by rejection: a box of a grid or a tile, a uniform point in it, accepted by the ratio of the densities.

*Grid.* A box around a node is drawn in proportion to e^{g(node) + B}, B a bound of g(point) − g(node) on the box.

*Tiles.* A tile is drawn by its mass, then a point in it. The Gauss weights w_i divide [−1, 1] into intervals of these
lengths, each of which contains its node (Chebyshev, Markov, Stieltjes). A node drawn by its share of the tile's mass
and a uniform point of its box is a proposal of density e^{g(node)}; it is accepted with probability
e^{g(point) − g(node) − B}, B a bound of g(point) − g(node) on the tile.
"""

import numpy as np

from tsa._base import Array
from tsa.density.numerics.tiles._bounds import TileBounds, Tiles
from tsa.density.numerics.tiles._nodes import Nodes
from tsa.density.numerics.tiles._polynomials import Polynomials
from tsa.density.numerics.tiles._rules import Rule
from tsa.density.numerics.tiles._tiling import Tiling


def draw_on_grid(polynomials: Polynomials, shape: tuple[int, ...], rows: Array, rng: np.random.Generator) -> Array:
    """One draw for each entry of `rows` (n,), as an offset from the peak of that row: (n, p)."""
    g, gradient = polynomials.on_grid(shape)
    half, bounds = np.pi / np.array(shape), TileBounds(polynomials)
    curvature = np.array([[polynomials.suprema[place] for place in line] for line in bounds.second])  # (p, p, B)
    most = np.tensordot(half, np.abs(gradient), axes=1)
    most += 0.5 * np.einsum("a,b,abr->r", half, half, curvature).reshape(-1, *(1,) * len(shape))
    g, most = g.reshape(len(g), -1), most.reshape(len(g), -1)
    upto = np.cumsum(np.exp(g + most), axis=1)
    upto = (upto / upto[:, -1:] + np.arange(len(g))[:, None]).ravel()
    result, todo = np.empty((len(rows), polynomials.axes)), np.arange(len(rows))
    while todo.size:
        row = rows[todo]
        place = np.searchsorted(upto, row + rng.random(len(todo)), "right")
        node = np.clip(place - row * g.shape[1], 0, g.shape[1] - 1)
        centre = 2 * np.pi * np.stack(np.unravel_index(node, shape), axis=-1) / np.array(shape)
        offset = centre + half * rng.uniform(-1, 1, centre.shape)
        log_ratio = polynomials.values_at(row, offset) - g[row, node] - most[row, node]
        accepted = np.log(rng.random(len(todo))) < log_ratio
        result[todo[accepted]] = offset[accepted]
        todo = todo[~accepted]
    return result


def draw_from_tiles(tiling: Tiling, rows: Array, rng: np.random.Generator) -> Array:
    """One draw for each entry of `rows` (n,), as an offset from the peak of that row: (n, p)."""
    row = np.concatenate([part.tiles.row for part in tiling.summed])
    mass = np.concatenate([part.mass for part in tiling.summed])
    order = np.argsort(row, kind="stable")
    share = np.cumsum(mass[order] / tiling.mass[row[order]])
    first = np.searchsorted(row[order], rows)
    last = np.searchsorted(row[order], rows, "right")
    start, stop = np.append(0.0, share)[first], share[last - 1]
    uniform = start + (stop - start) * rng.random(len(rows))
    chosen = order[np.clip(np.searchsorted(share, uniform, "right"), first, last - 1)]
    result = np.empty((len(rows), tiling.polynomials.axes))
    begin = 0
    for part in tiling.summed:
        mine = np.flatnonzero((chosen >= begin) & (chosen < begin + len(part.tiles)))
        if mine.size:
            tiles, which = np.unique(chosen[mine] - begin, return_inverse=True)
            result[mine] = _within(tiling, part.rule, part.tiles[tiles], which.ravel(), rng)
        begin += len(part.tiles)
    return result


def _within(tiling: Tiling, rule: Rule, tiles: Tiles, which: Array, rng: np.random.Generator) -> Array:
    """One draw (n, p) from the density on the tile numbered in `which` (n,)."""
    polynomials = tiling.polynomials
    tiles, order = tiles.sorted()
    which = np.argsort(order)[which]
    x = polynomials.nodes_per_axis(rule.x)
    g = np.moveaxis(Nodes(polynomials, tiles.row, tiles.u, tiles.turn, x).values(), 1, -1)
    shape = g.shape[1:]
    # On an axis along which f is constant, one interval is as long as all.
    lengths = [rule.w if n > 1 else np.full(1, 2.0) for n in shape]
    starts = [np.cumsum(w) - w - 1 for w in lengths]
    weight = np.ones(1)
    for w in lengths:
        weight = np.multiply.outer(weight, w).ravel()
    g = g.reshape(len(tiles), -1)
    upto = np.cumsum(np.exp(g - g.max(axis=1, keepdims=True)) * weight, axis=1)
    upto /= upto[:, -1:]
    left = rule.x - (np.cumsum(rule.w) - rule.w - 1)  # from a node to the ends of its interval
    farthest = np.maximum(left, rule.w - left).max()
    bounds = TileBounds(polynomials)
    gradient, hessian, change = bounds.scaled_derivatives(tiles, bounds.at_centres(tiles))
    steepest = np.abs(gradient) + (np.abs(hessian) + change / 2).sum(axis=-1)
    most = farthest * steepest.sum(axis=-1)  # B of each tile
    result, todo = np.empty((len(which), polynomials.axes)), np.arange(len(which))
    while todo.size:
        tile = which[todo]
        node = (upto[tile] <= rng.random((len(todo), 1))).sum(axis=1)
        place = np.unravel_index(node, shape)
        inside = [first[i] + w[i] * rng.random(len(i)) for first, w, i in zip(starts, lengths, place, strict=True)]
        offset = tiles.centre[tile] + tiles.half[tile] * np.stack(inside, axis=-1)
        log_ratio = polynomials.values_at(tiles.row[tile], offset) - g[tile, node] - most[tile]
        accepted = np.log(rng.random(len(todo))) < log_ratio
        result[todo[accepted]] = offset[accepted]
        todo = todo[~accepted]
    return result
