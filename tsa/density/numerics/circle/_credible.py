"""Highest-density credible sets of exp E(s): the arcs {E ≥ t} whose mass is p.

Moderate densities: from the level of the sorted weights of a grid, Newton's method for the level and all edges of the
arcs at once. The others, and the few that it does not solve: on a cell E is monotone, so the level cuts it at most
once. There what is inside of a cell that is cut is integrated from its higher end and what is outside from its lower
end; the smaller of p and 1 − p decides, so that neither is lost in rounding. Newton's method again; where it fails, and
for very small p or 1 − p, every cut is a bracketed root, and the level is one more.
"""

import numpy as np

from tsa._base import Array
from tsa.density.numerics import trigpoly
from tsa.density.numerics._roots import bracketed_newton
from tsa.density.numerics.circle._cells import PARTS, Cells, cells_of, find_peaks
from tsa.density.numerics.circle._cumulative import row_chunks
from tsa.density.numerics.circle._grid import EXTREMUM_NATS, grids, in_groups, sorted_by_method
from tsa.density.numerics.circle._grid_edges import Edges, edges_on_grid

_GRID_P = 1e-4  # smaller 1 − p need relative accuracy, which a grid does not have
_SMALL_SETS = 100  # times as large are the p that a grid has it for: it does not tell edges on a plateau at the top
_SEARCHES = (2, 4, 4)  # for the level, on the first grid and on finer ones
_FINER_VALUES = 2**15  # of a finer grid: evaluated in about the time that its calls take
_GUESS_STEPS = 7
_MAX_STEPS = 5
_ASIDE = 0.02  # of the way to an extremum: as far is a start from it
_SMALL_STEP = 1e-8  # relative, and in nats: the error left is about the square of it
_LEVEL_NATS = 1e-8  # by which E may change over a gap that is computed as if E were level there
_LEVEL_BISECTIONS = 50
_SAME_ANGLE = 1e-12  # two results for one angle in [0, 2π) differ by less
_ROUNDING = 2e-15  # relative; a search that comes so close has arrived


def credible_arcs(eta: Array, p: float) -> Array:
    """Arcs (start, stop) of the highest-density set of mass p of each row of `eta` (B, K), by start: (B, a, 2)."""
    chosen, others = sorted_by_method(eta) if _moderate(p) else ([], np.arange(len(eta)))
    parts: list[Edges] = []
    # Where Newton's method fails on a grid, an extremum is close to the level. Finer grids tell most of them apart, and
    # cells the others. Few rows are refined more at once, so that they are not refined often.
    for searches in _SEARCHES:
        unsolved = [np.empty(0, int)]
        for rows, grid in grids(eta, chosen):
            (row, side, angle, distance), solved = edges_on_grid(grid, eta.shape[1], p, searches)
            parts.append((rows[row], side, angle, distance))
            unsolved.append(rows[~solved])
        left = np.concatenate(unsolved)
        if not left.size:
            break
        n = max(n for _, n in chosen)
        finer = 2 ** int(np.log2(np.clip(_FINER_VALUES / (left.size * n), 4, 64)))
        chosen = in_groups(left, np.full(left.size, finer * n))
    others = np.sort(np.append(others, left))
    for chunk in row_chunks(eta[others]):
        rows = others[chunk]
        row, side, angle, distance = _Level(cells_of(find_peaks(eta[rows])), len(rows), p).edges()
        parts.append((rows[row], side, angle, distance))
    return assembled_arcs(parts, len(eta))


def _moderate(p: float) -> bool:
    """Whether neither p nor 1 − p is so small that it needs the relative accuracy of bracketed roots."""
    return _SMALL_SETS * _GRID_P < p < 1 - _GRID_P


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
        self._inside, self._moderate = p <= 0.5, _moderate(p)
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
        cells, guess = self._cells, self._guess()
        found = []
        left = np.arange(self._rows)
        if self._moderate:
            # Where it fails there is mostly an extremum near: once more from just beyond it, and from just before.
            start, extremum = guess**2, self._nearest_extremum(guess**2)
            for share in (0.0, 1 + _ASIDE, 1 - _ASIDE):
                depth = np.full(self._rows, -np.inf)
                depth[left] = (start + share * (extremum - start))[left]
                cell, x, solved = self._newton(depth)
                found.append((cell, x))
                left = left[~solved[left]]
                if not left.size:
                    break
        if left.size:
            found.append(self._bracketed(left, guess))
        cell, x = (np.concatenate(part) for part in zip(*found, strict=True))
        return cells.row[cell], cells.side[cell], cells.angle[cell], x

    def _nearest_extremum(self, depth: Array) -> Array:
        """The depth of the peak or valley of each row that is nearest to a depth (rows,)."""
        cells, valley = self._cells, self._valleys[0]
        row, extremum = np.append(cells.row, cells.row[valley]), np.append(-cells.height, self._below[valley])
        order = np.lexsort((np.abs(extremum - depth[row]), row))
        return extremum[order[np.searchsorted(row[order], np.arange(self._rows))]]

    def _newton(self, depth: Array) -> tuple[Array, Array, Array]:
        """The cells cut and where, by Newton's method for each level and all its edges, and which rows it solved.

        It starts at the levels of these depths (rows,). As on grids, E and the mass are linear at each edge in a step.
        """
        cells = self._cells
        cell, x = self._nearly_cut(depth)
        row, near, far = cells.row[cell], cells.near[cell], cells.far[cell]
        base, room = near if self._inside else far, 0.1 * (far - near)
        rest = (1.0 if self._inside else -1.0) * (self._target - self._mass_of_whole_cells(depth))
        solved = np.bincount(row, minlength=self._rows) > 0
        active = np.flatnonzero(solved[row])
        depth = depth.copy()
        for _ in range(_MAX_STEPS):
            mine, owner, at = cell[active], row[active], x[active]
            fallen, slope = cells.depth_and_slope(mine, at)
            fallen -= cells.height[mine]
            with np.errstate(all="ignore"):
                thin = np.exp(-fallen) / slope
                part = thin * fallen - cells.integral(mine, base[active], at)
                growth, ahead = (np.bincount(owner, each, minlength=self._rows) for each in (thin, part))
                wanted = ((rest + ahead) / growth)[owner]
                move = (wanted - fallen) / slope
            depth[owner] = wanted
            x[active] = at = at + move
            # The polynomial of a peak holds a little beyond a cell as well.
            lost = ~((slope > 0) & (at > near[active] - room[active]) & (at < far[active] + room[active]))
            lost_rows = np.bincount(owner, lost, minlength=self._rows) > 0
            solved &= ~lost_rows
            far_off = ~(np.abs(move) <= _SMALL_STEP * at) | ~(np.abs(wanted - fallen) <= _SMALL_STEP)
            go_on = (np.bincount(owner, far_off, minlength=self._rows) > 0) & ~lost_rows
            active = active[go_on[owner]]
            if not active.size:
                break
        solved[row[active]] = False
        solved &= np.abs(self._nearest_extremum(depth) - depth) > EXTREMUM_NATS
        # The same sides of peaks have to be cut at the level found, or the search started from other edges.
        sides = 2 * int(cells.peak[-1]) + 2
        found, expected = (
            np.bincount(2 * cells.peak[some] + (cells.side[some] > 0), minlength=sides)
            for some in (self._cut(depth), cell)
        )
        solved[cells.row[np.isin(cells.peak, np.flatnonzero(found != expected) // 2)]] = False
        kept = solved[row]
        return cell[kept], x[kept], solved

    def _bracketed(self, rows: Array, guess: Array) -> tuple[Array, Array]:
        """The cells of these rows that are cut and where, by a bracketed root for the level; `guess` is v of all."""
        cells, guess = self._cells, guess[rows] / self._root[rows]
        # In logarithms, because v may be anything between 1e-150 and 10, and the rise anything down to rounding.
        lowest = np.full(rows.size, -350.0 if self._inside else -80.0)
        start = np.log(np.maximum(guess if self._inside else (1 - guess) * (1 + guess), 1e-150))
        share = bracketed_newton(
            lambda share, which: self._missing(share, rows[which]), lowest, np.zeros(rows.size), start
        )
        depth = np.full(self._rows, -np.inf)
        depth[rows] = self._depth(share, rows)[0]
        cell, x = self._cuts(depth)
        if not self._inside:
            gaps, ends = self._narrow_gaps()
            kept = ~np.isin(cells.row[cell], cells.row[gaps])
            mine = np.isin(cells.row[gaps], rows)
            cell, x = np.append(cell[kept], gaps[mine]), np.append(x[kept], ends[mine])
        return cell, x

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
        mass = self._mass_of_whole_cells(depth)
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

    def _mass_of_whole_cells(self, depth: Array) -> Array:
        """The mass of the cells that lie inside, or outside if that is looked at, of the sets of these depths."""
        own = depth[self._cells.row]
        whole = self._below <= own if self._inside else self._above >= own
        return np.bincount(self._cells.row, np.where(whole, self._cells.mass, 0.0), minlength=self._rows)

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
        cells = self._cells
        cell = self._cut(depth)
        wanted = np.sqrt(depth[cells.row[cell]] + cells.height[cell])
        near, width = cells.near[cell], (cells.far - cells.near)[cell]

        def rise(share: Array, which: Array) -> tuple[Array, Array]:
            fallen, slope = cells.depth_and_slope(cell[which], near[which] + share * width[which])
            root = np.sqrt(np.maximum(fallen, 1e-300))
            gap = root - wanted[which]
            return np.where(np.abs(gap) < _ROUNDING * root, 0.0, gap), width[which] * slope / (2 * root)

        share = bracketed_newton(rise, np.zeros(cell.size), np.ones(cell.size), self._share(cell, wanted))
        return cell, near + share * width

    def _cut(self, depth: Array) -> Array:
        """The cells cut at the depths of their rows."""
        own = depth[self._cells.row]
        return np.flatnonzero((self._above < own) & (own < self._below))

    def _nearly_cut(self, depth: Array) -> tuple[Array, Array]:
        """The cells cut at the depths of their rows, and nearly at which distance from their peaks."""
        cells, cell = self._cells, self._cut(depth)
        share = self._share(cell, np.sqrt(depth[cells.row[cell]] + cells.height[cell]))
        return cell, cells.near[cell] + share * (cells.far - cells.near)[cell]

    def _share(self, cell: Array, root: Array) -> Array:
        """Nearly the share of the cell at which the depth below the peak has the given root."""
        roots, here = self._cells.roots[:, cell], np.arange(cell.size)
        part = (root > roots[1:-1]).sum(axis=0)
        begin, end = roots[part, here], roots[part + 1, here]
        with np.errstate(divide="ignore", invalid="ignore"):
            within = np.nan_to_num(np.clip((root - begin) / (end - begin), 0.0, 1.0), nan=0.5)
        return PARTS[part] + within * (PARTS[part + 1] - PARTS[part])
