"""The posterior over shifts as it is shown: a map, its 95 % region, the motions that stand out, and its waves.

Everything comes from one grid of values, by FFT, so that sentence, map and numbers agree, at a cost of milliseconds.
The grid has four nodes to a pixel, and more where the posterior is sharper than that.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft
from scipy.special import i0e, i1e

from tsa._base import Array
from tsa.pictures import motion_from_shift, shift_from_motion
from tsa.stage.motion._maximum import highest_maximum
from tsa.stage.motion._pieces import Cells, Piece, nearest_world, pieces_of

MAP_PER_PIXEL = 4  # cells of the map along a pixel
_FINER = (1, 2, 4)  # nodes along a cell of the map
_MAX_CELLS_PER_SD = 1.25  # side of a grid cell over the least standard deviation around the mode
_NO_MASS = 1e-20  # of a cell: all such cells together have no entropy
_FAINT = 1e-9  # of a cell over the heaviest: not in the region
REGION = 0.95  # probability of the credible region
FAN = 13  # motions drawn beside the picture


@dataclass(frozen=True, eq=False)
class MotionAnswer:
    """The posterior over shifts of an n×n world, from its natural parameters (H,) at harmonics (H, 2).

    Motions are (right, up) in pixels. Arrays over shifts have cell (i, j) at i cells down and j cells to the right.
    """

    eta: Array
    harmonics: Array
    side: int
    mode: tuple[float, float]
    mass: Array  # (N, N): the probability of each cell, of sum 1
    inside: Array  # (N, N): which cells are in the 95 % region

    @property
    def cell(self) -> float:
        """The side of a grid cell in pixels."""
        return self.side / len(self.mass)

    @cached_property
    def cells(self) -> list[Cells]:
        """The pieces of the region with their cells, heaviest first."""
        return pieces_of(self.inside, self.mass, self.cell)

    @property
    def pieces(self) -> list[Piece]:
        """The connected pieces of the region, heaviest first."""
        return [one.piece for one in self.cells]

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        """Rows and columns of the cells of the region."""
        rows, columns = np.nonzero(self.inside)
        return rows, columns

    @property
    def area(self) -> float:
        """The area of the region in squared pixels."""
        return len(self._places[0]) * self.cell**2

    @cached_property
    def peak(self) -> float:
        """The highest density, times that of a posterior that knows nothing: 1 for a flat one."""
        return float(self.mass.max()) * self.mass.size

    @cached_property
    def bits(self) -> float:
        """The entropy in bits, relative to one pixel: log₂ n² if nothing is known, negative if it is sharper than 1."""
        mass = self.mass[self.mass > _NO_MASS]
        return float(-np.sum(mass * np.log2(mass)) + 2 * np.log2(self.cell))

    @property
    def most_bits(self) -> float:
        """The entropy if nothing is known."""
        return float(2 * np.log2(self.side))

    @cached_property
    def slowest(self) -> tuple[float, float]:
        """The motion in the region nearest to no motion."""
        down, right = (nearest_world(i * self.cell, self.side) for i in self._places)
        best = int(np.argmin(down**2 + right**2))
        return float(right[best]), float(-down[best])

    @cached_property
    def _first_moments(self) -> Array:
        turn = np.exp(2j * np.pi * np.arange(len(self.mass)) / len(self.mass))
        return np.array([self.mass.sum(axis=1) @ turn, self.mass.sum(axis=0) @ turn])

    @cached_property
    def mean(self) -> tuple[float, float]:
        """The circular mean of the motion, in each direction by itself."""
        right, up = motion_from_shift(np.angle(self._first_moments), (self.side, self.side))
        return float(right), float(up)

    @property
    def resultant(self) -> float:
        """The smaller |E[e^{is}]| of the two directions: 1 if the motion is known, 0 if it has no mean."""
        return float(np.abs(self._first_moments).min())

    @cached_property
    def fan(self) -> Array:
        """`FAN` motions of the region (FAN, 2), one from the middle of each slice of equal probability.

        Slices follow one another along each piece, and from piece to piece.
        """
        orders = [np.argsort(one.places @ one.piece.axis) for one in self.cells]
        places = np.concatenate([one.places[order] for one, order in zip(self.cells, orders, strict=True)])
        reached = np.cumsum(np.concatenate([one.mass[order] for one, order in zip(self.cells, orders, strict=True)]))
        middles = (np.arange(FAN) + 0.5) / FAN * reached[-1]
        return nearest_world(places[np.searchsorted(reached, middles)], self.side)

    def density_at(self, motion: tuple[float, float]) -> float:
        """The density at a motion relative to the highest one, from 0 to 1."""
        s = shift_from_motion([motion, self.mode], (self.side, self.side))
        value, best = (np.exp(1j * (s @ self.harmonics.T)) @ self.eta.conj()).real
        return float(np.exp(min(0.0, value - best)))

    @cached_property
    def map(self) -> Array:
        """The density on the map (4n, 4n) as a person sees it: right to the right, up upwards, no motion in the middle.

        Cell averages, so that a peak narrower than a cell keeps its mass; relative to a flat posterior.
        """
        mass = self.mass
        while len(mass) > MAP_PER_PIXEL * self.side:
            mass = _halved(_halved(mass).T).T
        return np.asarray(fft.fftshift(mass)) * mass.size

    @cached_property
    def log_map(self) -> Array:
        """The logarithm of `map`, 0 where it is highest."""
        return np.log(np.maximum(self.map / self.map.max(), 1e-300))

    @cached_property
    def edge_nats(self) -> float:
        """The log density at the edge of the 95 % region, on the scale of `log_map`."""
        level = float(self.mass[self._places].min()) * self.mass.size
        return min(0.0, float(np.log(level / self.map.max())))

    @cached_property
    def marginals(self) -> tuple[Array, Array]:
        """The densities of the motion to the right and up, each (4n,) on the axis of the map, per pixel."""
        seen = self.map / self.map.sum() * MAP_PER_PIXEL
        return seen.sum(axis=0), seen.sum(axis=1)[::-1]

    # -- waves: each harmonic as (right, up), of which k and −k are one -------------------------------------

    @cached_property
    def waves(self) -> Array:
        """The harmonics as waves (H, 2): periods per world to the right and up."""
        return np.stack([self.harmonics[:, 1], -self.harmonics[:, 0]], axis=1)

    @cached_property
    def loudest(self) -> Array:
        """Indices of all harmonics, the most certain first."""
        return np.argsort(-np.abs(self.eta), kind="stable")

    def certainty(self, harmonics: Array) -> Array:
        """I₁(κ̂)/I₀(κ̂) of each of these harmonics (m,), given by their indices, alone."""
        kappa = np.abs(self.eta[harmonics])
        return np.asarray(i1e(kappa) / i0e(kappa))

    @cached_property
    def wave_axis(self) -> tuple[float, float]:
        """The direction (right, up) of the line through 0 along which the waves are most certain."""
        weighted = self.waves * np.abs(self.eta)[:, None]
        _, vectors = np.linalg.eigh(self.waves.T @ weighted)
        return float(vectors[0, -1]), float(vectors[1, -1])

    @cached_property
    def on_one_line(self) -> float:
        """The share of Σκ̂ of the waves within one wave of that line."""
        kappa = np.abs(self.eta)
        across = np.abs(self.waves @ np.array([-self.wave_axis[1], self.wave_axis[0]]))
        return float(kappa[across <= 1].sum() / max(kappa.sum(), 1e-300))

    def partial_map(self, count: int, per_pixel: int = 2) -> Array:
        """The density of the `count` most certain waves alone, relative to its peak, as a person sees it."""
        kept = self.loudest[:count]
        values = _grid_values(self.eta[kept], self.harmonics[kept], per_pixel * self.side)
        return np.asarray(fft.fftshift(np.exp(values - values.max())))


def answer_from(eta: Array, harmonics: Array, side: int) -> MotionAnswer:
    """The answer for natural parameters η (H,) at harmonics (H, 2), down and right, of a world of n×n pixels."""
    nodes = MAP_PER_PIXEL * side
    values = _grid_values(eta, harmonics, nodes)
    step = 2 * np.pi / nodes
    shift, curvature = highest_maximum(eta, harmonics, values)
    radians = _MAX_CELLS_PER_SD / np.sqrt(max(curvature, 1e-12))
    finer = next((f for f in _FINER if step / f <= radians), _FINER[-1])
    if finer > 1:
        values = _grid_values(eta, harmonics, finer * nodes)
    mass = np.exp(values - values.max())
    mass /= mass.sum()
    right, up = motion_from_shift(shift, (side, side))
    return MotionAnswer(eta, harmonics, side, (float(right), float(up)), mass, _highest(mass, REGION))


def _halved(mass: Array) -> Array:
    """Cells (N, m) → (N/2, m): each takes the cell in its middle and half of those before and after it."""
    odd = mass[1::2]
    return np.asarray(mass[::2] + (odd + np.roll(odd, 1, axis=0)) / 2)


def _grid_values(eta: Array, harmonics: Array, nodes: int) -> Array:
    """Re Σ_k conj(η_k) e^{ik·s} at s = 2π(i, j)/nodes, for harmonics below half the nodes."""
    down, right = harmonics.T
    spectrum = np.zeros((nodes, int(np.abs(right).max(initial=0)) + 1), np.complex128)
    sign = np.where(right < 0, -1, 1)
    coefficient = np.where(right < 0, eta, eta.conj()) / 2
    # Where `right` is 0 the column holds both k and −k; elsewhere the inverse transform adds −k itself.
    np.add.at(spectrum, (np.mod(sign * down, nodes), sign * right), coefficient)
    alone = right == 0
    np.add.at(spectrum, (np.mod(-down[alone], nodes), right[alone]), eta[alone] / 2)
    rows = fft.ifft(spectrum, axis=0, norm="forward")
    return np.asarray(fft.irfft(rows, nodes, axis=1, norm="forward"))  # adds zeros for higher harmonics


def _highest(mass: Array, probability: float) -> Array:
    """The smallest set of cells, highest first, that holds this probability."""
    ordered = np.sort(mass[mass > _FAINT * mass.max()])[::-1]  # the rest holds less than 1e-3
    count = int(np.searchsorted(np.cumsum(ordered), probability))
    return np.asarray(mass >= ordered[min(count, len(ordered) - 1)])
