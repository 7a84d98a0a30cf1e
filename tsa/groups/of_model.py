"""The group that a model itself describes: for models whose group is none of the built-in ones."""

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, checks
from tsa.groups.custom import MatrixAction
from tsa.model import Subgroup


class ModelAction(MatrixAction):
    """Patches moved by s as a model says, ρ_s x = W R(ωs) Wᵀ x; what no filter holds stays as it is.

    `orders` has an entry for each parameter: 0 for a circle, n for a finite group Z/n.

    >>> action = tsa.groups.ModelAction(tsa.fourier_model(8), (8,))
    >>> action.dimension, action.parameters
    (8, 1)
    """

    def __init__(self, model: Subgroup, shape: tuple[int, ...], orders: tuple[int, ...] = ()) -> None:
        self.model, self._shape, self.orders = model, shape, orders or (0,) * model.parameters
        if len(self.orders) != model.parameters or int(np.prod(shape)) != model.dimension:
            raise InputError(
                f"A model of {model.parameters} parameters and {model.dimension} pixels has no orders {orders} on "
                f"patches {shape}."
            )

    def __repr__(self) -> str:
        return f"ModelAction({self.group}, {self._shape})"

    @property
    def group(self) -> str:
        """`circle × Z/8`."""
        return " × ".join(f"Z/{order}" if order else "circle" for order in self.orders)

    @property
    def words(self) -> str:  # type: ignore[override]
        """`a group found in pairs (circle × Z/8)`."""
        return f"a group found in pairs ({self.group})"

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """That of the patches."""
        return self._shape

    @property
    def lattice_shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The order of each finite factor, and for a circle more than twice its largest weight."""
        largest = np.abs(self.model.irreps.values).max(axis=0)
        return tuple(order or 2 * int(most) + 2 for order, most in zip(self.orders, largest, strict=True))

    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., D) moved by s (...) or (..., p), broadcast against the batch of x.

        >>> action = tsa.groups.ModelAction(tsa.fourier_model(8), (8,))
        >>> action.apply(np.arange(1.0, 9), 2 * np.pi / 8).round(3)
        array([8., 1., 2., 3., 4., 5., 6., 7.])
        """
        x = self._patches(x)
        points = checks.as_points(s, self.parameters)
        s = points[..., 0] if self.parameters == 1 else points
        return np.asarray(x - self.model.reconstruct(self.model.coordinates(x)) + self.model.act(x, s))
