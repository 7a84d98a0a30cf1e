"""Distribution functions, modes with their masses and credible arcs of densities on the circle.

Moderate densities by grids, sharp ones by cells around their peaks.
"""

from tsa.density.numerics.circle._credible import credible_arcs
from tsa.density.numerics.circle._cumulative import Cumulative
from tsa.density.numerics.circle._mixture import CircleMixture, circle_log_integrals
from tsa.density.numerics.circle._modes import modes, weighed_modes

__all__ = ["CircleMixture", "Cumulative", "circle_log_integrals", "credible_arcs", "modes", "weighed_modes"]
