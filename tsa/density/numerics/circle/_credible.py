"""Highest-density credible sets of exp E(s): the arcs {E ≥ t} whose mass is p.

Moderate densities: from the level of the sorted weights of a grid, Newton's method for the level and all edges of the
arcs at once. The others, the few that Newton does not solve, and very small p or 1 − p: on a cell E is monotone, so
the level cuts it at most once, at a bracketed root. There what is inside of a cell that is cut is integrated from its
higher end and what is outside from its lower end; the smaller of p and 1 − p decides, so that neither is lost in
rounding. The level itself is one more root.
"""

import numpy as np

from tsa._base import Array
from tsa.density.numerics import trigpoly
from tsa.density.numerics._roots import bracketed_newton
from tsa.density.numerics.circle._cells import PARTS, Cells, cells_of, find_peaks
from tsa.density.numerics.circle._cumulative import row_chunks
from tsa.density.numerics.circle._grid import NodeGrid, grids, in_groups, sorted_by_method

_GRID_P = 1e-4  # smaller p or 1 − p need relative accuracy, which a grid does not have
_MAX_GRIDS = 3
_FINER_VALUES = 2**16  # of a finer grid: evaluated in about the time that its calls take
_CUBIC_STEPS = 2
_MAX_STEPS = 6
_SMALL_STEP = 1e-7  # in angles times the order K: the error left is about the square of it
_GUESS_STEPS = 7
_LEVEL_NATS = 1e-8  # by which E may change over a gap that is computed as if E were level there
_LEVEL_BISECTIONS = 50
_SAME_ANGLE = 1e-12  # two results for one angle in [0, 2π) differ by less
_ROUNDING = 2e-15  # relative; a search that comes so close has arrived

# Edges of arcs, flat, by row and around each circle: (row, −1 where an arc starts and 1 where it stops, angle,
# outward distance from that angle). A start and the next stop bound an arc.
Edges = tuple[Array, Array, Array, Array]


def credible_arcs(eta: Array, p: float) -> Array:
    """Arcs (start, stop) of the highest-density set of mass p of each row of `eta` (B, K), by start: (B, a, 2)."""
    chosen, others = sorted_by_method(eta) if _GRID_P < p < 1 - _GRID_P else ([], np.arange(len(eta)))
    parts: list[Edges] = []
    # Where Newton's method fails on a grid, an extremum is close to the level. Finer grids tell most of them apart, and
    # cells the others. Few rows are refined more at once, so that they are not refined often.
    for attempt in range(_MAX_GRIDS):
        unsolved = [np.empty(0, int)]
        for rows, grid in grids(eta, chosen):
            (row, side, angle, distance), solved = edges_on_grid(grid, eta.shape[1], p)
            parts.append((rows[row], side, angle, distance))
            unsolved.append(rows[~solved])
        left = np.concatenate(unsolved)
        if not left.size or attempt == _MAX_GRIDS - 1:
            others = np.sort(np.append(others, left))
            break
        n = max(n for _, n in chosen)
        finer = 2 ** int(np.log2(np.clip(_FINER_VALUES / (left.size * n), 4, 64)))
        chosen = in_groups(left, np.full(left.size, finer * n))
    for chunk in row_chunks(eta[others]):
        rows = others[chunk]
        row, side, angle, distance = _Level(cells_of(find_peaks(eta[rows])), len(rows), p).edges()
        parts.append((rows[row], side, angle, distance))
    return assembled_arcs(parts, len(eta))


def assembled_arcs(parts: list[Edges], rows: int) -> Array:
    """Edges of many rows as arcs (rows, most, 2) by start, ended by nan; rows without edges are whole circles."""
    if not parts:
        return np.full((rows, 1, 2), np.nan)
    row, side, angle, distance = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(row, kind="stable")
    row, side, angle, distance = row[order], side[order], angle[order], distance[order]
    opens = np.flatnonzero(side < 0)
    closes = trigpoly.following_in_group(row)[opens]
    gap = angle[closes] - angle[opens]
    length = gap + 2 * np.pi * (gap < 0) + distance[opens] + distance[closes]
    start, owner = trigpoly.wrap(angle[opens] - distance[opens]), row[opens]
    order = np.lexsort((start, owner))
    owner, start, length = owner[order], start[order], length[order]
    count = np.bincount(owner, minlength=rows)
    place = np.arange(owner.size) - (np.cumsum(count) - count)[owner]
    arcs = np.full((rows, max(1, int(count.max(initial=1))), 2), np.nan)
    arcs[owner, place, 0] = start
    arcs[owner, place, 1] = start + length
    arcs[count == 0, 0] = 0.0, 2 * np.pi
    return arcs


def edges_on_grid(grid: NodeGrid, order: int, p: float) -> tuple[Edges, Array]:
    """The edges of the densities of a grid by Newton's method for each level and all its edges, and which it solved.

    At every edge the log density is to be the level, and the arcs between the edges are to hold the mass p.
    """
    # Every other node, in single precision: this level is only where Newton's method starts.
    ascending = np.sort(grid.weight[:, ::2].astype(np.float32), axis=1)
    below = np.cumsum(ascending, axis=1, dtype=np.float64)
    rank = np.minimum((below < (1 - p) * below[:, -1:]).sum(axis=1), below.shape[1] - 1)
    rows = len(rank)
    level = np.log(ascending[np.arange(rows), rank].astype(np.float64))

    energy = np.concatenate([grid.energy, grid.energy[:, :1]], axis=1)
    t = level - grid.log_scale  # of the log density

    def next_level(owner: Array, sign: Array, value: Array, slope: Array, cdf: Array) -> Array:
        """The level at which the arcs hold p, if E were linear at each edge, where it is `value`."""
        mass = around + np.bincount(owner, sign * cdf, minlength=rows)
        thin = sign * np.exp(value) / slope
        growth = np.bincount(owner, thin, minlength=rows)
        ahead = np.bincount(owner, thin * value, minlength=rows)
        return np.where(growth < 0, (p - mass + ahead) / growth, t)

    # First on cubics between the nodes, which cost much less than E and its integral; twice, because a better level
    # may have other edges.
    for _ in range(2):
        inside = energy > (t + grid.log_scale)[:, None]
        around = inside[:, 0].astype(float)  # an arc goes over the angle 0
        row, node = np.divmod(np.flatnonzero(inside[:, :-1] != inside[:, 1:]), energy.shape[1] - 1)
        side = np.where(inside[row, node], 1.0, -1.0)
        log_density, cdf = grid.cubics(row, node)
        u = (t[row] - log_density[0]) / log_density[1:].sum(axis=0)
        with np.errstate(all="ignore"):
            for _ in range(_CUBIC_STEPS):
                value, slope = _cubic(log_density, u)
                t = next_level(row, side, value, slope / grid.step, _cubic(cdf, u)[0])
                u = np.clip(u + (t[row] - value) / slope, -1.0, 2.0)
    s = (node + np.where(np.isfinite(u), u, 0.5)) * grid.step

    solved = np.bincount(row, minlength=rows) > 0
    active = np.arange(row.size)
    for _ in range(_MAX_STEPS):
        owner, sign = row[active], side[active]
        value, slope, upto = grid.at(owner, s[active])
        with np.errstate(all="ignore"):
            t = next_level(owner, sign, value, slope, upto)
            move = (t[owner] - value) / slope
        # An arc starts where the density rises; an edge that passed the peak, or jumps, is lost.
        lost = ~((np.abs(move) < 2 * grid.step) & (sign * slope < 0))
        s[active] += np.where(lost, 0.0, move)
        lost_rows = np.bincount(owner, lost, minlength=rows) > 0
        solved &= ~lost_rows
        far = np.bincount(owner, np.abs(move) * order > _SMALL_STEP, minlength=rows) > 0
        active = active[(far & ~lost_rows)[owner]]
        if not active.size:
            break
    solved[row[active]] = False
    solved &= _same_edges(energy, (t + grid.log_scale)[:, None], inside)
    kept = solved[row]
    return (row[kept], side[kept], trigpoly.wrap(s[kept]), np.zeros(int(kept.sum()))), solved


def _cubic(coefficients: Array, u: Array) -> tuple[Array, Array]:
    """Values and slopes of the cubics `coefficients` (4, n), from order 0 up, at u (n,)."""
    a, b, c, d = coefficients
    return a + u * (b + u * (c + u * d)), b + u * (2 * c + 3 * u * d)


def _same_edges(energy: Array, level: Array, before: Array) -> Array:
    """Whether each row has the crossings it had `before`, and none hides between its nodes: (B,)."""
    inside, n = energy > level, energy.shape[1] - 1
    up = energy[:, 1:] > energy[:, :-1]
    # At a node beside an extremum the parabola through three nodes tells on which side of the level the extremum is.
    row, node = np.divmod(np.flatnonzero(up[:, :-1] != up[:, 1:]), n - 1)
    ends = np.flatnonzero(up[:, 0] != up[:, -1])
    row, node = np.append(row, ends), np.append(node + 1, np.zeros(ends.size, int))
    middle = energy[row, node]
    first, second = middle - energy[row, (node - 1) % n], energy[row, node + 1] - middle
    with np.errstate(all="ignore"):
        vertex = middle - (first + second) ** 2 / (8 * (second - first))
    margin = 0.02 * np.abs(second - first)
    here = level[row, 0]
    unclear = ~(((vertex > here) == (middle > here)) & (np.abs(vertex - here) > margin))
    changes = (inside[:, :-1] != inside[:, 1:]).sum(axis=1) == (before[:, :-1] != before[:, 1:]).sum(axis=1)
    return changes & (np.bincount(row, unclear, minlength=len(energy)) == 0)


def _sides_of_valleys(cells: Cells) -> tuple[Array, Array]:
    """The cells before and after each valley between two peaks, as far as cells reach it from both."""
    last = np.flatnonzero(np.diff(cells.peak * 2 + (cells.side > 0), append=-1))
    before, after = last[cells.side[last] > 0], last[cells.side[last] < 0]
    after = after[trigpoly.following_in_group(cells.row[after])]
    ends = [cells.angle[cell] + cells.side[cell] * cells.far[cell] for cell in (before, after)]
    gap = np.remainder(ends[1] - ends[0] + np.pi, 2 * np.pi) - np.pi
    meet = np.abs(gap) < _SAME_ANGLE
    return before[meet], after[meet]


class _Level:
    """The level of each row above which the mass is p, as its depth v² below the highest peak."""

    def __init__(self, cells: Cells, rows: int, p: float) -> None:
        self._cells, self._rows = cells, rows
        self._inside = p <= 0.5
        self._above, self._below = cells.shallow**2 - cells.height, cells.deep**2 - cells.height
        # A valley seen from the peaks on both sides differs by rounding. A level must cut both sides of it or none.
        self._valleys = first, second = _sides_of_valleys(cells)
        self._below[first] = self._below[second] = np.minimum(self._below[first], self._below[second])
        self._total = np.bincount(cells.row, cells.mass, minlength=rows)
        self._target = min(p, 1 - p) * self._total
        deepest = np.zeros(rows)
        np.maximum.at(deepest, cells.row, self._below)
        self._root = np.sqrt(np.maximum(deepest, 1e-300))

    def edges(self) -> Edges:
        """All edges; a row without one is all of its circle."""
        # In logarithms, because v may be anything between 1e-150 and 10, and the rise anything down to rounding.
        guess, lowest = self._guess() / self._root, -350.0 if self._inside else -80.0
        start = np.log(np.maximum(guess if self._inside else (1 - guess) * (1 + guess), 1e-150))
        share = bracketed_newton(self._missing, np.full(self._rows, lowest), np.zeros(self._rows), start)
        cell, x = self._cuts(self._depth(share, slice(None))[0])
        cells = self._cells
        if not self._inside:
            gaps, ends = self._narrow_gaps()
            kept = ~np.isin(cells.row[cell], cells.row[gaps])
            cell, x = np.append(cell[kept], gaps), np.append(x[kept], ends)
        return cells.row[cell], cells.side[cell], cells.angle[cell], x

    def _narrow_gaps(self) -> tuple[Array, Array]:
        """Cuts of the rows whose outside are so narrow gaps about the deepest valleys that E is level there.

        A level does not tell the edges of such gaps. Their widths sum to the mass over the density in the valleys; a
        valley of depth d and curvature c, when r is the depth of the level, has the half-width √(2 (d − r)/c).
        """
        cells, valleys = self._cells, np.stack(self._valleys)
        deepest = np.full(self._rows, -np.inf)
        np.maximum.at(deepest, cells.row[valleys[0]], self._below[valleys[0]])
        deepest[(deepest <= 0) | (deepest < self._root**2 - _LEVEL_NATS)] = np.inf  # elsewhere is deeper
        valleys = valleys[:, self._below[valleys[0]] > deepest[cells.row[valleys[0]]] - _LEVEL_NATS]
        row = cells.row[valleys[0]]
        rise = deepest[row] - self._below[valleys[0]]  # of the valley above the deepest of its row
        rise[rise < _ROUNDING * (1 + 10 * deepest[row])] = 0.0  # equal
        room = (cells.far - cells.near)[valleys].min(axis=0, initial=np.inf)
        aside = 1e-3 * room
        bend = cells.depth_and_slope(valleys[0], cells.far[valleys[0]] - aside)[1] / aside
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            wanted = self._target * np.exp(deepest) / 2
            low, high = np.zeros((2, self._rows))
            high += _LEVEL_NATS
            for _ in range(_LEVEL_BISECTIONS):
                middle = (low + high) / 2
                half = np.sqrt(2 * np.maximum(middle[row] - rise, 0.0) / bend)
                enough = np.bincount(row, half, minlength=self._rows) >= wanted
                low, high = np.where(enough, low, middle), np.where(enough, middle, high)
            half *= (wanted / np.bincount(row, half, minlength=self._rows))[row]
        cut = half > 0
        valleys, row, half, room = valleys[:, cut], row[cut], half[cut], room[cut]
        narrow = half < room
        ends = cells.far[valleys] - np.where(narrow, half, room)
        risen = deepest[row] + cells.height[valleys] - [cells.depth(*side) for side in zip(valleys, ends, strict=True)]
        level = narrow & (np.abs(risen) < _LEVEL_NATS).all(axis=0)
        kept = np.bincount(row, ~level, minlength=self._rows)[row] == 0
        return valleys[:, kept].T.ravel(), ends[:, kept].T.ravel()  # around the circle

    def _depth(self, share: Array, rows: Array | slice) -> tuple[Array, Array]:
        """Depths of the level below the highest peak, and how fast they change with the `share`, in size.

        Of a small set e^share is v in units of its largest value; of a large one the rise above the lowest point.
        """
        lowest = self._root[rows] ** 2
        if self._inside:
            depth = np.exp(2 * share) * lowest
            return depth, 2 * depth
        rise = np.exp(share) * lowest
        return lowest - rise, rise

    def _missing(self, share: Array, rows: Array) -> tuple[Array, Array]:
        """How much of the target is missing, as a share of it, at the levels of `rows`, and its slope; increasing."""
        cells = self._cells
        depth = np.full(self._rows, -np.inf)
        depth[rows], change = self._depth(share, rows)
        cell, x = self._cuts(depth)
        own = depth[cells.row]
        whole = self._below <= own if self._inside else self._above >= own
        mass: Array = np.bincount(cells.row, np.where(whole, cells.mass, 0.0), minlength=self._rows)
        ends = (cells.near[cell], x) if self._inside else (x, cells.far[cell])
        mass = mass + np.bincount(cells.row[cell], cells.integral(cell, *ends), minlength=self._rows)
        fallen, slope = cells.depth_and_slope(cell, x)
        with np.errstate(divide="ignore", over="ignore"):
            thin = np.exp(cells.height[cell] - fallen) / slope
        growth = np.bincount(cells.row[cell], thin, minlength=self._rows)[rows] * change
        target = np.maximum(self._target[rows], 1e-300)
        gap = (mass[rows] - self._target[rows]) / target
        with np.errstate(over="ignore"):  # where nearly nothing is to be outside, an infinite slope is a step of 0
            return np.where(np.abs(gap) < _ROUNDING, 0.0, gap), growth / target

    def _guess(self) -> Array:
        """v if, within each part of a cell, mass were proportional to the root of the depth below the peak."""
        cells, row = self._cells, self._cells.row
        begin, end = cells.roots[:-1], cells.roots[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            density = np.where(end > begin, cells.parts / (end - begin), 0.0)
        sign = 1.0 if self._inside else -1.0
        fixed: Array = np.bincount(row, (density * (begin if self._inside else end)).sum(axis=0), minlength=self._rows)
        fixed = fixed + sign * self._target
        # A bracket [old, new] in either order, and the excess of mass at its ends.
        old, new = np.zeros(self._rows), self._root
        f_old = (0.0 if self._inside else self._total) - self._target
        f_new = (self._total if self._inside else 0.0) - self._target
        for _ in range(_GUESS_STEPS):
            with np.errstate(divide="ignore", invalid="ignore"):
                proposal = np.nan_to_num(new - f_new * (new - old) / (f_new - f_old), nan=0.5)
            v = np.clip(proposal, np.minimum(old, new), np.maximum(old, new))
            at = np.sqrt(np.maximum((v**2)[row] + cells.height, 0.0))
            upto = (density * np.minimum(np.maximum(at, begin), end)).sum(axis=0)
            f = sign * (np.bincount(row, upto, minlength=self._rows) - fixed)
            same = (f > 0) == (f_new > 0)
            # Illinois: the end that stays counts half, so that both ends move.
            f_old, f_new = np.where(same, f_old / 2, f_new), f
            old, new = np.where(same, old, new), v
        return new

    def _cuts(self, depth: Array) -> tuple[Array, Array]:
        """The cells cut at the depths of their rows, and at which distance from their peaks, by bracketed roots."""
        cells, own = self._cells, depth[self._cells.row]
        cell = np.flatnonzero((self._above < own) & (own < self._below))
        wanted = np.sqrt(own[cell] + cells.height[cell])
        near, width = cells.near[cell], (cells.far - cells.near)[cell]

        def rise(share: Array, which: Array) -> tuple[Array, Array]:
            fallen, slope = cells.depth_and_slope(cell[which], near[which] + share * width[which])
            root = np.sqrt(np.maximum(fallen, 1e-300))
            gap = root - wanted[which]
            return np.where(np.abs(gap) < _ROUNDING * root, 0.0, gap), width[which] * slope / (2 * root)

        share = bracketed_newton(rise, np.zeros(cell.size), np.ones(cell.size), self._share(cell, wanted))
        return cell, near + share * width

    def _share(self, cell: Array, root: Array) -> Array:
        """Nearly the share of the cell at which the depth below the peak has the given root."""
        roots, here = self._cells.roots[:, cell], np.arange(cell.size)
        part = (root > roots[1:-1]).sum(axis=0)
        begin, end = roots[part, here], roots[part + 1, here]
        with np.errstate(divide="ignore", invalid="ignore"):
            within = np.nan_to_num(np.clip((root - begin) / (end - begin), 0.0, 1.0), nan=0.5)
        return PARTS[part] + within * (PARTS[part + 1] - PARTS[part])
