"""Gauss–Legendre rules on a tile, with what their certificate needs.

For g analytic in the Bernstein ellipse ρ, |g| ≤ M there, Q nodes on [−1, 1] err by at most
(64/15) M ρ^{−2Q}/(1 − ρ^{−2}) (Trefethen 2013, theorem 19.3). Any ρ is valid; the best of a few is taken.
"""

import math

import numpy as np
from scipy.special import eval_legendre

from tsa._base import Array

RHO = np.array([1.3, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.5, 8.5, 12.0, 20.0])
WIDE, TALL = (RHO + 1 / RHO) / 2, (RHO - 1 / RHO) / 2  # half-axes of the ellipses
DEGREES = np.arange(40)
DOUBLE_FACTORIALS = np.cumprod(np.append(1.0, 2.0 * np.arange(39) + 1))  # (2i − 1)!!


POWERS = RHO[:, None] ** DEGREES


def parabola_on_ellipses(slope: Array, bend: Array) -> Array:
    """The largest real part of slope z + bend z² on each ellipse for real `slope` and `bend` (...): (..., ρ)."""
    return _parabola(slope[..., None], bend[..., None], WIDE, TALL)


def parabola_on_interval(slope: Array, bend: Array) -> Array:
    """The largest value of slope x + bend x² on [−1, 1]: (...)."""
    return _parabola(slope, bend, np.ones(()), np.zeros(()))


def _parabola(slope: Array, bend: Array, wide: Array, tall: Array) -> Array:
    # With z = wide cos θ + i tall sin θ this is a parabola in cos θ.
    steep, fall = np.abs(slope) * wide, -bend * (wide**2 + tall**2)
    inside = steep < 2 * fall
    top = np.where(inside, steep**2 / np.where(inside, 4 * fall, 1.0), steep - fall)
    return np.asarray(top - bend * tall**2)


class Rule:
    """Gauss–Legendre with Q nodes, the transform to Legendre coefficients, and sup |P_i| on the ellipses."""

    def __init__(self, q: int) -> None:
        self.q = q
        self.x, self.w = np.polynomial.legendre.leggauss(q)
        degrees = np.arange(q)
        self.to_legendre = np.stack([(i + 0.5) * self.w * eval_legendre(i, self.x) for i in degrees])
        self._on_ellipse = np.stack([eval_legendre(i, WIDE) for i in degrees])
        self._on_ellipses: dict[int, Array] = {}
        self.log_error = math.log(64 / 15) - 2 * q * np.log(RHO) - np.log1p(-(RHO**-2.0))
        self.magnification = 2.0 * degrees + 1  # of an error in the node values, in coefficient i

    def coefficients(self, values: Array, axes: int) -> Array:
        """Legendre coefficients on a cube of `axes` axes from values at its nodes: (T, nodes) → (T, nodes)."""
        a: Array = values.reshape(-1, self.q) @ self.to_legendre.T
        for axis in range(axes - 1):
            a = self.to_legendre @ a.reshape(-1, self.q, self.q ** (axis + 1))
        return a.reshape(len(values), -1)

    def on_ellipses(self, axes: int) -> Array:
        """sup |Π P_{i_a}| if the variable of one axis is in an ellipse, for each i: (nodes, axes · ellipses)."""
        if axes not in self._on_ellipses:
            shape = (self.q,) * axes
            factors = [self._on_ellipse.reshape(*np.where(np.arange(axes) == a, self.q, 1), -1) for a in range(axes)]
            parts = [np.broadcast_to(factor, (*shape, len(RHO))).reshape(-1, len(RHO)) for factor in factors]
            self._on_ellipses[axes] = np.concatenate(parts, axis=1)
        return self._on_ellipses[axes]


RULES = {1: (Rule(16),), 2: (Rule(6), Rule(12), Rule(16)), 3: (Rule(6), Rule(10))}  # by number of axes; cheapest first
