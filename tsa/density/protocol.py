"""The interface of the densities over a group of any number of parameters, and their result types."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, Rng


class _AngleAndMass(NamedTuple):
    angle: Array
    mass: Array


class Modes(_AngleAndMass):
    """All modes of each density, heaviest first: (..., m), where m is the most any of the batch has.

    `angle` is (..., m), or (..., m, p) if p > 1. `mass` is the probability of all points from which steepest ascent
    leads to the mode; masses sum to 1. Modes whose masses agree to nine digits are ordered by angle. Rows with fewer
    modes end in nan angles of mass 0. It unpacks into those two; `ridge` (..., m) tells which modes are not single
    points but lines or surfaces of equal height, given by one of their points.

    >>> modes = tsa.VonMises([1j, -2.0]).modes()
    >>> np.degrees(modes.angle).T, modes.mass.T
    (array([[ 90., 180.]]), array([[1., 1.]]))
    """

    ridge: Array

    def __new__(cls, angle: Array, mass: Array, ridge: Array | None = None) -> Self:
        """Modes with `ridge` False everywhere unless given."""
        modes = super().__new__(cls, angle, mass)
        modes.ridge = np.zeros(mass.shape, bool) if ridge is None else ridge
        return modes


class Piece(NamedTuple):
    """One connected piece of a credible region on the torus; angles in radians.

    `length` is its extent along its principal `axis`, a unit vector (p,), and `width` that of a box of the same volume;
    a piece that `wraps` closes around the torus, and is measured as it unrolls from one of its points.
    """

    mass: float
    area: float
    centre: Array
    length: float
    width: float
    axis: Array
    wraps: bool


@dataclass(frozen=True, eq=False)
class CredibleRegion:
    """The smallest region of a given probability on the p-torus: all points where log p(s) ≥ `log_density`.

    `area` is its volume in radians^p; `pieces` are its connected pieces, heaviest first.
    """

    probability: float
    log_density: float
    area: float
    pieces: tuple[Piece, ...]

    @property
    def kind(self) -> str:
        """What the region looks like: "plateau", "ridge", "ridges", "point", "lattice" or "points".

        A plateau covers a quarter of the torus or more; ridges are pieces longer than a sixth of a turn and six times
        as long as wide that hold most of the region; a lattice is several pieces of about equal probability.
        """
        p = len(self.pieces[0].centre)
        if self.area > (2 * np.pi) ** p / 4:
            return "plateau"
        long = [piece for piece in self.pieces if piece.length > np.pi / 3 and piece.length > 6 * piece.width]
        if sum(piece.mass for piece in long) > self.probability / 2:
            return "ridge" if len(long) == 1 else "ridges"
        if len(self.pieces) == 1:
            return "point"
        equal = min(piece.mass for piece in self.pieces) > 0.8 * self.probability / len(self.pieces)
        return "lattice" if equal else "points"


@dataclass(frozen=True, eq=False)
class Certificate:
    """The guarantee for a normaliser: relative error of Z ≤ truncation + rounding.

    `nodes` and `truncation` follow from a theorem; `rounding` is the first-order bound on what floating point adds.

    >>> p = tsa.GeneralizedVonMises([1, 2 + 1j])
    >>> bool(p.certificate.error < 1e-12)
    True
    """

    nodes: Array
    truncation: Array
    rounding: Array

    @property
    def error(self) -> Array:
        """Bound on the relative error of Z, which is the absolute error of log Z."""
        return self.truncation + self.rounding


class GoodnessOfFit(NamedTuple):
    """A test of the hypothesis that points were drawn from a density: its statistic and p-value, each (...).

    Under the hypothesis the p-value is uniform on [0, 1]; a small one speaks against the density.
    """

    statistic: Array
    pvalue: Array


class Density(Protocol):
    """A batch of densities over s, log p(s) = Re Σ_k conj(η_k) e^{ik·s} − log Z, on the circle or the p-torus.

    Points s are (...) for p = 1 and (..., p) otherwise. Points that are given may be any real numbers; points that
    come out (samples, modes, means, starts of arcs) lie in [0, 2π). The phases `mu` are parameters, not points.
    """

    @property
    def parameters(self) -> int:
        """The number p of parameters of the group: the dimension of s."""

    @property
    def eta(self) -> Array:
        """Natural parameters, complex (..., harmonics), or (...) for a kind that has one harmonic only."""

    @property
    def kappa(self) -> Array:
        """Concentration |η| of each harmonic, in the shape of η."""

    @property
    def mu(self) -> Array:
        """Phase arg η of each harmonic, in (−π, π] and in the shape of η."""

    # -- the batch ---------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density."""

    def __len__(self) -> int:
        """Length of the first axis of the batch."""

    def __getitem__(self, index: Any) -> Self:
        """The densities at `index` of the batch."""

    def __iter__(self) -> Iterator[Self]:
        """The densities along the first axis of the batch."""

    # -- the normaliser and what follows from it ---------------------------------------------------------

    @property
    def log_normalizer(self) -> Array:
        """log Z, (...)."""

    @property
    def certificate(self) -> Certificate:
        """Node counts and guaranteed relative error of Z."""

    def log_normalizer_only(self) -> Array:
        """log Z as float64, (...), without computing moments where those need more nodes."""

    def log_density(self, s: ArrayLike, /) -> Array:
        """log p(s); the points s broadcast against the batch."""

    def density(self, s: ArrayLike, /) -> Array:
        """p(s); the points s broadcast against the batch."""

    def moments(self, orders: ArrayLike, /) -> Array:
        """E[e^{ik·s}] for each k in integer `orders` (m, p): (..., m). Any k, also 0 and negative.

        For p = 1 also for orders (m,), or for a whole number n, which stands for the orders 1…n.
        """

    def entropy(self) -> Array:
        """Differential entropy in nats, (...)."""

    def kl(self, other: Self, /) -> Array:
        """KL(self ‖ other) in nats, (...)."""

    def fisher_information(self) -> Array:
        """Covariance of (cos k·s, sin k·s) over all harmonics k, the Hessian of log Z: (..., 2M, 2M)."""

    def mean(self) -> Array:
        """Circular mean of each coordinate: (...), or (..., p) if p > 1."""

    def std(self) -> Array:
        """Circular standard deviation of each coordinate: (...), or (..., p) if p > 1."""

    # -- points and sets ---------------------------------------------------------------------------------

    def mode(self) -> Array:
        """The highest point of each density."""

    def modes(self) -> Modes:
        """Every local maximum with its probability mass."""

    def credible_set(self, p: float = 0.95) -> Any:
        """The smallest set of probability p: arcs (..., a, 2) on the circle, a `CredibleRegion` on the torus."""

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` independent draws from each density, the draws in the first axis."""

    # -- inference ---------------------------------------------------------------------------------------

    def fuse(self, other: Self, /) -> Self:
        """Normalised product of two densities: η adds."""

    def fuse_batch(self, axis: int = 0) -> Self:
        """Normalised product along one batch axis."""

    def diffuse(self, kappa: float) -> Self:
        """Prediction after a random step, independent in each coordinate, with density VonMises(κ)."""

    def marginal(self, axis: int, n: int) -> Array:
        """Density of the coordinate s_axis alone, at the angles 2πi/n: (..., n)."""


class CircleDensity(Density, Protocol):
    """A density on the circle, which has a distribution function: 0 at s = 0."""

    def cdf(self, s: ArrayLike, /) -> Array:
        """F(s) = ∫_0^s p; s broadcasts against the batch."""

    def quantile(self, p: ArrayLike, /) -> Array:
        """The s with F(s) = p; p broadcasts against the batch."""
