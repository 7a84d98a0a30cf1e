"""Rotation of colours about the grey axis, alone and together with shifts of a row of colours."""

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, checks
from tsa.groups.custom import MatrixAction
from tsa.groups.permutation import Permutation
from tsa.groups.product import Product

_STEPS = 12  # elements of the lattice: hues have the weights 0 and ±1 only
_GREY = np.ones((3, 3)) / 3  # projection on the grey axis
_CROSS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]) / np.sqrt(3)  # turns by 90° about that axis


class HueRotation(MatrixAction):
    """Colours of n pixels, patches (n, 3) of red, green and blue, turned about the grey axis by the angle s.

    s = 2π/3 takes red to green, green to blue and blue to red. Brightness (R + G + B) does not change.

    >>> action, red_green = tsa.groups.HueRotation(2), [1.0, 0, 0, 0, 1, 0]
    >>> abs(action.apply(red_green, 2 * np.pi / 3).round(3))  # red to green, green to blue
    array([0., 1., 0., 0., 0., 1.])
    """

    def __init__(self, pixels: int) -> None:
        if pixels < 1:
            raise InputError(f"HueRotation is made for at least one pixel; got {pixels}.")
        self.pixels = int(pixels)

    def __repr__(self) -> str:
        return f"HueRotation({self.pixels})"

    @property
    def words(self) -> str:  # type: ignore[override]
        """`rotation of the hue of 8 pixels`."""
        return f"rotation of the hue of {self.pixels} pixels"

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """(pixels, 3)."""
        return (self.pixels, 3)

    @property
    def lattice_shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """(12,)."""
        return (_STEPS,)

    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., 3·pixels) with hues turned by s (...), broadcast against the batch of x.

        >>> abs(tsa.groups.HueRotation(1).apply([1.0, 0, 0], 2 * np.pi / 3).round(3))  # red to green
        array([0., 1., 0.])
        """
        x, s = self._patches(x), checks.finite(checks.real(s, "s"), "s")
        angle = s[..., None, None]
        turn = _GREY + np.cos(angle) * (np.eye(3) - _GREY) + np.sin(angle) * _CROSS  # Rodrigues' formula
        colours = x.reshape(*x.shape[:-1], self.pixels, 3)
        moved = colours @ np.swapaxes(turn, -1, -2)
        return moved.reshape(*moved.shape[:-2], self.dimension).astype(x.dtype)


def shift_and_hue(pixels: int) -> Product:
    """Cyclic shifts of a row of colours, and rotation of their hue: Z/pixels times a circle.

    >>> tsa.groups.shift_and_hue(4).lattice_shape
    (4, 12)
    """
    generator = np.roll(np.arange(3 * pixels).reshape(pixels, 3), 1, axis=0).ravel()
    return Product(Permutation(generator, (pixels, 3)), HueRotation(pixels))
