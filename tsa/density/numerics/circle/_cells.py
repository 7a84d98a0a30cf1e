"""The circle cut into cells on which exp E(s) is integrated by one Gauss–Legendre rule each, around every peak.

About a peak a, with x = s − a and z = e^{ix}, the critical point is divided out of the polynomial twice:

    E(a + x) = E(a) − 4 sin²(x/2) g(x),     g(x) = Re Σ_j G_j z^j,  j = 0…K − 1

g costs one Horner pass, as E does, but E − E(a) has a small *relative* error however sharp the peak is. The cells of
a peak reach from it to the valleys beside it, or to where the density is negligible, so that their number does not
depend on the concentration.
"""

from dataclasses import dataclass

import numpy as np

from tsa._base import Array
from tsa.density.numerics import trigpoly

_NODES, _WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(16))
_NODES = _NODES + 0.5  # on [0, 1]
# The two highest Legendre coefficients that 16 values determine: small where the rule is exact.
_HIGHEST = (np.polynomial.legendre.legvander(2 * _NODES - 1, 15)[:, 14:] * _WEIGHTS[:, None] * [29, 31]).T
PARTS = np.cumsum(np.append(0.0, _WEIGHTS.reshape(8, 2).sum(axis=1)))  # where each two nodes after the other end
_ACCURATE = 3e-6  # of them; the error of the rule is about the square of this, or less
REACH_NATS = 50.0  # cells hold the density down to this depth below its highest peak
_MAX_HALVINGS = 40
_CHUNK_CELLS = 512  # measured at once: a chunk stays in cache


@dataclass(frozen=True, eq=False)
class Peaks:
    """Local maxima of a batch of polynomials, flat, by row and then by angle; a constant row has one, at 0.

    Only those less than `reach` nats below the highest of their row are developed; `developed` are their indices.
    """

    row: Array
    angle: Array
    height: Array  # E there, less the height of the highest peak of its row
    lengths: Array  # (2, peaks): distance to the valley before and after
    top: Array  # (rows,): the height of the highest peak
    reach: float
    developed: Array
    series: Array  # (K, developed): the coefficients G_j of g


def find_peaks(eta: Array, reach: float = REACH_NATS) -> Peaks:
    """All local maxima of the rows of `eta` (B, K)."""
    found = trigpoly.critical_points(eta)
    plain = np.flatnonzero(np.bincount(found.row, minlength=len(eta)) == 0)
    here = np.flatnonzero(found.is_maximum)
    before, after = found.neighbours()
    row, angle = found.row[here], found.angle[here]
    lengths = np.stack([angle - found.angle[before[here]], found.angle[after[here]] - angle])
    lengths += 2 * np.pi * (lengths <= 0)
    if plain.size:
        row, angle = np.append(row, plain), np.append(angle, np.zeros(plain.size))
        lengths = np.concatenate([lengths, np.full((2, plain.size), np.pi)], axis=1)
        order = np.argsort(row, kind="stable")
        row, angle, lengths = row[order], angle[order], lengths[:, order]
    height = trigpoly.series_values(np.concatenate([np.zeros((1, len(eta))), eta.conj().T]), row, angle)
    first = np.searchsorted(row, np.arange(len(eta)))
    top = np.maximum.reduceat(height, first) if len(eta) else height
    height -= top[row]
    developed = np.flatnonzero(height >= -reach)
    series = _deflated(eta, row[developed], angle[developed])
    return Peaks(row, angle, height, lengths, top, reach, developed, series)


def _deflated(eta: Array, row: Array, angle: Array) -> Array:
    """The coefficients G_j of g about each peak: (K, peaks)."""
    K = eta.shape[1]
    if not K:
        return np.zeros((1, row.size), complex)
    turned = np.multiply.accumulate(np.broadcast_to(np.exp(1j * angle), (K, row.size)), axis=0)
    turned *= eta.conj().T[:, row]
    once = np.cumsum(turned[::-1], axis=0)[::-1]  # quotient by z − 1
    series = np.empty_like(once)
    series[1:] = np.cumsum(once[:0:-1], axis=0)[::-1]  # and once more
    # The remainder Σ k c_k would be real at the exact peak: its imaginary part is the rounding of the angle.
    series[0] = once.sum(axis=0).real / 2
    return series


@dataclass(frozen=True, eq=False)
class Cells:
    """Intervals [near, far] of the distance from a peak, on one side of it, flat: by peak, side and distance."""

    series: Array  # of the developed peaks
    row: Array
    peak: Array  # a developed peak
    side: Array  # −1 before the peak, 1 after it
    angle: Array  # of the peak
    height: Array  # of the peak
    near: Array
    far: Array
    mass: Array  # ∫ exp(E − top) over the cell
    roots: Array  # (9, cells): the root of the depth below the peak at the ends of eight parts of the cell, nearly
    parts: Array  # (8, cells): the masses of the parts, nearly

    @property
    def shallow(self) -> Array:
        """Root of the depth below the peak at the near end."""
        return self.roots[0]

    @property
    def deep(self) -> Array:
        """Root of the depth below the peak at the far end."""
        return self.roots[-1]

    def depth(self, cell: Array, x: Array) -> Array:
        """E(a) − E(a ± x) ≥ 0 at the distances `x` (..., n) from the peaks of the cells `cell` (n,)."""
        return _depth(self.series, self.peak[cell], self.side[cell] * x)

    def depth_and_slope(self, cell: Array, x: Array) -> tuple[Array, Array]:
        """The same for `x` (n,), and its derivative in x."""
        side = self.side[cell]
        g, slope = trigpoly.series_slopes(self.series, self.peak[cell], side * x)
        square = (2 * np.sin(x / 2)) ** 2
        return square * g, 2 * np.sin(x) * g + square * side * slope

    def integral(self, cell: Array, start: Array, stop: Array) -> Array:
        """∫ exp(E − top) from one distance from the peak of each `cell` (n,) to another; negative if that is less."""
        width = stop - start
        depth = self.depth(cell, start + _NODES[:, None] * width)
        depth -= self.height[cell]
        return width * (_WEIGHTS @ np.exp(-depth))


def _depth(series: Array, peak: Array, x: Array) -> Array:
    return (2 * np.sin(x / 2)) ** 2 * trigpoly.series_values(series, peak, x)


def cells_of(peaks: Peaks) -> Cells:
    """Cells that hold all of the mass but what lies deeper than the reach of the peaks."""
    count = peaks.developed.size
    peak, side = np.repeat(np.arange(count), 2), np.tile([-1.0, 1.0], count)
    height = peaks.height[peaks.developed][peak]
    length = peaks.lengths[:, peaks.developed].T.ravel()
    depth = np.maximum(_depth(peaks.series, peak, side * length), 0.0)
    length, depth = _shortened(peaks, peak, side, length, depth, peaks.reach + height)
    # One rule resolves about four nats from a peak to a valley, and more where less accuracy is needed.
    many = 1 + (depth > 4.5 - height) + (depth > 16 - 2 * height)
    many = np.where(depth <= 1.3 * REACH_NATS, many, np.ceil(depth / 8)).astype(int)
    piece = np.repeat(np.arange(peak.size), many)
    number = np.arange(piece.size) - np.repeat(np.cumsum(many) - many, many)
    step = (length / many)[piece]
    near, far = number * step, (number + 1) * step
    # The angle 0, where distribution functions begin, is an end of cells.
    peak, side = peak[piece], side[piece]
    angle = peaks.angle[peaks.developed][peak]
    cut = np.where(side > 0, 2 * np.pi - angle, angle)
    across = np.flatnonzero((near < cut) & (cut < far))
    again = np.insert(np.arange(near.size), across + 1, across)
    second = across + 1 + np.arange(across.size)
    near, far = near[again], far[again]
    far[second - 1] = near[second] = cut[across]
    return _accurate(peaks, peak[again], side[again], near, far)


def _shortened(
    peaks: Peaks, peak: Array, side: Array, length: Array, depth: Array, reach: Array
) -> tuple[Array, Array]:
    """Lengths at which E has fallen by `reach` nats or a little more, where it falls so far, and how far it falls."""
    low, high = np.zeros(length.size), length.copy()
    active = np.flatnonzero(depth > 1.3 * reach)
    # Exact where the peak is Gaussian, as sharp ones are.
    middle = peaks.series.real.sum(axis=0)[peak[active]]
    with np.errstate(divide="ignore", invalid="ignore"):
        guess = np.sqrt(1.15 * reach[active] / middle)
    while active.size:
        a, b = low[active], high[active]
        x = np.where(np.isfinite(guess), np.clip(guess, a + 0.01 * (b - a), b - 0.01 * (b - a)), (a + b) / 2)
        fallen = np.maximum(_depth(peaks.series, peak[active], side[active] * x), 0.0)
        enough = fallen >= reach[active]
        low[active], high[active] = np.where(enough, a, x), np.where(enough, x, b)
        length[active], depth[active] = x, fallen
        go_on = ~(enough & (fallen <= 1.3 * reach[active]))
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = (x * np.sqrt(1.15 * reach[active] / fallen))[go_on]
        active = active[go_on]
    return length, depth


def _accurate(peaks: Peaks, peak: Array, side: Array, near: Array, far: Array) -> Cells:
    """The cells with their masses; those that one rule does not resolve are halved until it does."""
    heights, rows = peaks.height[peaks.developed], peaks.row[peaks.developed]
    done: list[tuple[Array, ...]] = []
    place = np.arange(peak.size)  # the position of the first cell a halved one comes from
    total: Array = np.zeros(0)
    for halving in range(_MAX_HALVINGS):
        mass, highest, roots, parts = _measured(peaks.series, heights, peak, side, near, far)
        row = rows[peak]
        if not halving:
            total = np.bincount(row, mass, minlength=peaks.top.size)
        rough = highest > _ACCURATE * np.sqrt(mass * total[row])
        fine = slice(None) if halving == _MAX_HALVINGS - 1 or not rough.any() else np.flatnonzero(~rough)
        done.append(tuple(part[..., fine] for part in (place, peak, side, near, far, mass, roots, parts)))
        if isinstance(fine, slice):
            break
        place, peak, side = (np.repeat(part[rough], 2) for part in (place, peak, side))
        ends = np.stack([near[rough], (near[rough] + far[rough]) / 2, far[rough]])
        near, far = ends[:2].T.ravel(), ends[1:].T.ravel()
    if len(done) > 1:
        done = [tuple(np.concatenate(part, axis=-1) for part in zip(*done, strict=True))]
        order = np.lexsort((done[0][3], done[0][0]))
        done = [tuple(part[..., order] for part in done[0])]
    _, peak, side, near, far, mass, roots, parts = done[0]
    roots[0] = np.where(near > 0, np.roll(roots[-1], 1), 0.0)
    np.maximum.accumulate(roots, axis=0, out=roots)
    angle = peaks.angle[peaks.developed][peak]
    return Cells(peaks.series, rows[peak], peak, side, angle, heights[peak], near, far, mass, roots, parts)


def _measured(
    series: Array, heights: Array, peak: Array, side: Array, near: Array, far: Array
) -> tuple[Array, Array, Array, Array]:
    """Masses, sizes of the highest Legendre coefficients, roots and parts of cells."""
    count = peak.size
    mass, highest, roots, parts = np.empty(count), np.empty(count), np.empty((9, count)), np.empty((8, count))
    for first in range(0, count, _CHUNK_CELLS):
        part = slice(first, first + _CHUNK_CELLS)
        mine = peak[part]
        half = (far[part] - near[part]) / 2
        # The nodes lie in pairs about the middle.
        turn = np.exp(1j * (side[part] * (near[part] + half)))
        aside = np.exp(1j * (2 * _NODES[8:, None] - 1) * (side[part] * half))
        z = np.empty((17, mine.size), complex)
        np.multiply(turn, aside, out=z[8:16])
        np.multiply(turn, aside.conj(), out=z[7::-1])
        np.exp(1j * (side[part] * far[part]), out=z[16])
        g = np.zeros_like(z)
        for coefficient in series[::-1]:
            g *= z
            g += coefficient.take(mine)
        depth = np.maximum(((1 - z.real) ** 2 + z.imag**2) * g.real, 0.0)  # |z − 1|² = 4 sin²(x/2)
        values = np.exp(heights[mine] - depth[:-1])
        values *= 2 * half
        highest[part] = np.abs(_HIGHEST @ values).max(axis=0)
        values *= _WEIGHTS[:, None]
        parts[:, part] = values[::2] + values[1::2]
        mass[part] = parts[:, part].sum(axis=0)
        root = np.sqrt(depth)
        roots[1:-1, part] = (root[1:-2:2] + root[2:-2:2]) / 2  # the parts end between two nodes
        roots[-1, part] = root[-1]
    return mass, highest, roots, parts
