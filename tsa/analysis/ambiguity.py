"""How well a density over turns describes an ambiguous answer: scores for shapes of known symmetry, for any method.

A shape of order n looks the same after each of n equivalent turns. A good answer gives all of them, sharply. A method
that names one turn can be scored too, as the density that it stands for.
"""

from typing import NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density import GridDensity

_POINTS = 2880  # an eighth of a degree
_LEAST = 1e-9  # of the uniform density: what values at angles count at least


def angular_error(estimate: ArrayLike, truth: ArrayLike, symmetry: int = 1) -> Array:
    """The angle between estimate and truth modulo the stabiliser, in radians from 0 to π/n; both broadcast.

    `symmetry` n is the number of turns that leave the shape unchanged; 0 means every turn, and the error is 0.

    >>> np.degrees(tsa.angular_error(np.radians([10, 95]), 0.0, symmetry=4)).round(3)
    array([10.,  5.])
    """
    n = checks.whole(symmetry, "symmetry")
    both = [checks.finite(checks.real(a, name), name) for a, name in ((estimate, "estimate"), (truth, "truth"))]
    checks.common_shape("estimate and truth", *(a.shape for a in both))
    gap = np.asarray(both[0] - both[1])
    if n == 0:
        return np.zeros_like(gap)
    return np.abs(np.remainder(gap + np.pi / n, 2 * np.pi / n) - np.pi / n)


class _HasDensity(Protocol):
    @property
    def batch_shape(self) -> tuple[int, ...]: ...

    def density(self, s: ArrayLike, /) -> Array: ...


class AmbiguityScore(NamedTuple):
    """Scores of densities over turns, each (...).

    `log_likelihood`: the mean of log p at the equivalent turns, less that of the uniform density, in nats; an answer
    that names one of n turns is punished by the others. `spread`: the mean angle to the nearest equivalent turn, in
    radians. `named`: the share of the equivalent turns that lie in the smallest set of probability 0.95.

    >>> square = tsa.GeneralizedVonMises([0, 0, 0, 50])  # four equal answers
    >>> score = tsa.ambiguity_score(square, truth=np.pi / 2, symmetry=4)
    >>> print(score.log_likelihood.round(2), score.named)
    2.87 1.0
    """

    log_likelihood: Array
    spread: Array
    named: Array


def ambiguity_score(
    density: _HasDensity | ArrayLike, truth: ArrayLike, symmetry: int = 1, probability: float = 0.95
) -> AmbiguityScore:
    """Score densities over turns (...) against true turns (...) of a shape of `symmetry` n (0: every turn is one).

    The density is any of ours on the circle, or values at equally spaced angles from 0, (..., m), of any scale: the
    output of another method. Ours are read at 2,880 angles. Given values below 1e-9 of the uniform density count as
    that, so that one impossible turn does not decide everything.

    >>> square = tsa.GeneralizedVonMises([0, 0, 0, 50])  # four equal answers
    >>> print(tsa.ambiguity_score(square, truth=np.pi / 2, symmetry=4).log_likelihood.round(2))
    2.87
    """
    n = checks.whole(symmetry, "symmetry")
    truth = checks.finite(checks.real(truth, "truth"), "truth").astype(np.float64)
    grid = _on_grid(density)
    truth = np.broadcast_to(truth, checks.common_shape("densities and truth", grid.batch_shape, truth.shape))
    turns = 2 * np.pi / _POINTS * np.arange(_POINTS) if n == 0 else 2 * np.pi / n * np.arange(n)
    points = np.add.outer(turns, truth)
    if hasattr(density, "log_density") and not isinstance(density, GridDensity):
        heights = density.log_density(points)
    else:
        heights = np.log(np.maximum(grid.density(points), _LEAST / (2 * np.pi)))
    log_likelihood = np.mean(heights, axis=0) + np.log(2 * np.pi)
    angles = grid.points.reshape(-1, *(1,) * truth.ndim)
    errors = angular_error(angles, truth, n)
    masses = np.broadcast_to(grid.masses, (*truth.shape, len(grid.points)))
    spread = np.sum(np.moveaxis(masses, -1, 0) * errors, axis=0)
    named = np.mean(grid.contains(points, probability), axis=0)
    return AmbiguityScore(np.asarray(log_likelihood), np.asarray(spread), np.asarray(named))


def _on_grid(density: _HasDensity | ArrayLike) -> GridDensity:
    if isinstance(density, GridDensity):
        values = density.masses
        if density.parameters != 1:
            raise InputError("The score is for turns: densities on the circle.")
    elif hasattr(density, "density"):
        if getattr(density, "parameters", 1) != 1:
            raise InputError("The score is for turns: densities on the circle.")
        angles = 2 * np.pi / _POINTS * np.arange(_POINTS)
        ours = cast(_HasDensity, density)
        values = np.moveaxis(ours.density(angles.reshape(-1, *(1 for _ in ours.batch_shape))), 0, -1)
    else:
        values = checks.finite(checks.real(density, "density"), "density")
        if values.ndim == 0 or values.shape[-1] < 3:
            raise ShapeError(f"Values of a density are (..., m) at m ≥ 3 equally spaced angles; got {values.shape}.")
    values = np.asarray(values, np.float64)
    total = values.sum(axis=-1, keepdims=True)
    if np.any(values < 0) or np.any(total <= 0):
        raise InputError("The values of a density must not be negative, nor all be zero.")
    return GridDensity(values / total)
