"""The interface of the densities over a group of any number of parameters, and their result types."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

from numpy.typing import ArrayLike

from tsa._base import Array, Rng


class Modes(NamedTuple):
    """All modes of each density, heaviest first: (..., m), where m is the most any of the batch has.

    `mass` is the probability between the two valleys beside the mode; masses sum to 1. Rows with fewer
    modes end in nan angles of mass 0.
    """

    angle: Array
    mass: Array


@dataclass(frozen=True, eq=False)
class Certificate:
    """The guarantee for a normaliser: relative error of Z ≤ truncation + rounding.

    `nodes` and `truncation` follow from a theorem; `rounding` is the first-order bound on what floating point adds.
    """

    nodes: Array
    truncation: Array
    rounding: Array

    @property
    def error(self) -> Array:
        """Bound on the relative error of Z, which is the absolute error of log Z."""
        return self.truncation + self.rounding


class Density(Protocol):
    """A batch of densities over s, log p(s) = Re Σ_k conj(η_k) e^{ik·s} − log Z, on the circle or the p-torus.

    Points s are (...) for p = 1 and (..., p) otherwise. Not part of it, because only the circle has them today:
    `kl`, `credible_set`, `cdf`, `quantile`, `diffuse`.
    """

    @property
    def parameters(self) -> int:
        """The number p of parameters of the group: the dimension of s."""

    @property
    def eta(self) -> Array:
        """Natural parameters, complex (..., harmonics)."""

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Shape of the batch: () for one density."""

    @property
    def log_normalizer(self) -> Array:
        """log Z, (...)."""

    @property
    def certificate(self) -> Certificate:
        """Node counts and guaranteed relative error of Z."""

    def log_normalizer_only(self) -> Array:
        """log Z as float64, (...), without computing moments where those need more nodes."""

    def log_density(self, s: ArrayLike) -> Array:
        """log p(s); the points s broadcast against the batch."""

    def density(self, s: ArrayLike) -> Array:
        """p(s); the points s broadcast against the batch."""

    def moments(self, harmonics: Array, /) -> Array:
        """E[e^{ik·s}] for each k in integer `harmonics` (m, p): (..., m)."""

    def entropy(self) -> Array:
        """Differential entropy in nats, (...)."""

    def mode(self) -> Array:
        """The highest point of each density."""

    def modes(self) -> Modes:
        """Every local maximum with its probability mass."""

    def sample(self, n: int, rng: Rng = None) -> Array:
        """`n` independent draws from each density, the draws in the first axis."""

    def fuse(self, other: Self) -> Self:
        """Normalised product of two densities: η adds."""

    def fuse_batch(self, axis: int = 0) -> Self:
        """Normalised product along one batch axis."""
