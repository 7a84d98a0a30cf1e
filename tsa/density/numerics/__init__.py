"""Numerics behind the densities: trigonometric polynomials, certified quadrature, roots, quantiles, credible arcs.

Pure functions of arrays; no density classes here.
"""

from tsa.density.numerics import trigpoly
from tsa.density.numerics._harmonics import fold, pooled
from tsa.density.numerics._matching import (
    FisherInformation,
    Statistics,
    circle_information,
    circle_statistics,
    matching_eta,
)
from tsa.density.numerics._node_counts import TOLERANCE
from tsa.density.numerics._quadrature import Partition, certified_nodes, nodes_for_all, partition
from tsa.density.numerics._ratio import (
    bessel_ratio,
    concentration,
    one_harmonic_diffused,
    one_harmonic_information,
    one_minus_ratio,
    ratio_over_kappa,
    ratio_slope,
)
from tsa.density.numerics._roots import bracketed_newton
from tsa.density.numerics._torus_grid_sets import grid_modes, grid_region, torus_log_integrals
from tsa.density.numerics._torus_grids import values_on_grid
from tsa.density.numerics._torus_mixture import TorusGrid, mixture_grid
from tsa.density.numerics._torus_partition import TorusPartition, torus_log_marginal, torus_partition
from tsa.density.numerics._watson import fitted_pvalue, known_pvalue, watson_u2
from tsa.density.numerics.circle import (
    CircleMixture,
    Cumulative,
    circle_log_integrals,
    credible_arcs,
    modes,
    weighed_modes,
)
from tsa.density.numerics.tiles import (
    Integral,
    draw_points,
    expm1_imaginary,
    find_modes,
    find_regions,
    highest_points,
)
from tsa.density.numerics.trigpoly import CriticalPoints, critical_points, evaluate, on_grid, wrap

__all__ = [
    "TOLERANCE",
    "CircleMixture",
    "CriticalPoints",
    "Cumulative",
    "FisherInformation",
    "Integral",
    "Partition",
    "Statistics",
    "TorusGrid",
    "TorusPartition",
    "bessel_ratio",
    "bracketed_newton",
    "certified_nodes",
    "circle_information",
    "circle_log_integrals",
    "circle_statistics",
    "concentration",
    "credible_arcs",
    "critical_points",
    "draw_points",
    "evaluate",
    "expm1_imaginary",
    "find_modes",
    "find_regions",
    "fitted_pvalue",
    "fold",
    "grid_modes",
    "grid_region",
    "highest_points",
    "known_pvalue",
    "matching_eta",
    "mixture_grid",
    "modes",
    "nodes_for_all",
    "on_grid",
    "one_harmonic_diffused",
    "one_harmonic_information",
    "one_minus_ratio",
    "partition",
    "pooled",
    "ratio_over_kappa",
    "ratio_slope",
    "torus_log_integrals",
    "torus_log_marginal",
    "torus_partition",
    "trigpoly",
    "values_on_grid",
    "watson_u2",
    "weighed_modes",
    "wrap",
]
