"""Numerics behind the densities: trigonometric polynomials, certified quadrature, roots, quantiles, credible arcs.

Pure functions of arrays; no density classes here.
"""

from tsa.density.numerics import trigpoly
from tsa.density.numerics._ascent import basins, grid_maxima
from tsa.density.numerics._credible import credible_arcs
from tsa.density.numerics._cumulative import Cumulative
from tsa.density.numerics._matching import fisher_information, matching_eta
from tsa.density.numerics._modes import weighed_modes
from tsa.density.numerics._quadrature import TOLERANCE, certificate, certified_nodes, fast_length, partition
from tsa.density.numerics._roots import bracketed_newton
from tsa.density.numerics.trigpoly import CriticalPoints, critical_points, evaluate, on_grid, wrap

__all__ = [
    "TOLERANCE",
    "CriticalPoints",
    "Cumulative",
    "basins",
    "bracketed_newton",
    "certificate",
    "certified_nodes",
    "credible_arcs",
    "critical_points",
    "evaluate",
    "fast_length",
    "fisher_information",
    "grid_maxima",
    "matching_eta",
    "on_grid",
    "partition",
    "trigpoly",
    "weighed_modes",
    "wrap",
]
