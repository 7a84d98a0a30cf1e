"""Integrals of exp f over the p-torus, p = 1, 2, 3, for trigonometric polynomials f of any concentration.

Adaptive Gauss–Legendre tiles with a certificate; the tiles of a batch are handled together.
"""

from tsa.density.numerics.tiles._integral import Integral, RowGroup, row_groups
from tsa.density.numerics.tiles._landscape import Found, draw_points, find_modes, find_regions, highest_points
from tsa.density.numerics.tiles._line import LineSums, line_sums
from tsa.density.numerics.tiles._polynomials import expm1_imaginary
from tsa.density.numerics.tiles._regions import PieceSums

__all__ = [
    "Found",
    "Integral",
    "LineSums",
    "PieceSums",
    "RowGroup",
    "draw_points",
    "expm1_imaginary",
    "find_modes",
    "find_regions",
    "highest_points",
    "line_sums",
    "row_groups",
]
