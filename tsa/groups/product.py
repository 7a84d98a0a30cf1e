"""The product of two commuting actions on the same patches: the parameters of both."""

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.groups.action import Action
from tsa.groups.custom import TOLERANCE, MatrixAction, as_lattice_action

_SAMPLED_ELEMENTS = 8


class Product(MatrixAction):
    """Both actions at once: s = (s of the first, s of the second); an error unless they commute.

    >>> action = tsa.groups.shift_and_hue(4)
    >>> action.parameters, action.dimension
    (2, 12)
    """

    def __init__(self, first: Action, second: Action, tolerance: float = TOLERANCE) -> None:
        self.first, self.second = as_lattice_action(first), as_lattice_action(second)
        if self.first.dimension != self.second.dimension:
            raise ShapeError(
                f"{self.first} moves patches of {self.first.dimension} pixels, {self.second} of "
                f"{self.second.dimension}: not the same patches."
            )
        rng, unit = np.random.default_rng(0), np.eye(self.first.dimension)
        for _ in range(_SAMPLED_ELEMENTS):
            s, t = (rng.choice(action.lattice) for action in (self.first, self.second))
            there = self.second.apply(self.first.apply(unit, s), t)
            defect = float(np.abs(there - self.first.apply(self.second.apply(unit, t), s)).max())
            if defect > tolerance:
                raise InputError(
                    f"{self.first} and {self.second} do not commute: one after the other, in either order, differ by "
                    f"up to {defect:.2g}. A product needs actions that commute."
                )

    def __repr__(self) -> str:
        return f"Product({self.first!r}, {self.second!r})"

    @property
    def words(self) -> str:  # type: ignore[override]
        """`… and …`."""
        return f"{self.first.words} and {self.second.words}"

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """That of the first action."""
        return self.first.shape

    @property
    def lattice_shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Those of both, one after the other."""
        return (*self.first.lattice_shape, *self.second.lattice_shape)

    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., D) moved by s (..., p), broadcast against the batch of x.

        >>> abs(tsa.groups.shift_and_hue(2).apply([1.0, 0, 0, 0, 0, 0], [np.pi, 2 * np.pi / 3]).round(3))
        array([0., 0., 0., 0., 1., 0.])
        """
        points, cut = checks.as_points(s, self.parameters), self.first.parameters
        parts = points[..., :cut], points[..., cut:]
        moved = self._patches(x)
        for action, part in zip((self.first, self.second), parts, strict=True):
            moved = action.apply(moved, part[..., 0] if action.parameters == 1 else part)
        return moved
