"""Densities on the circle and the torus: von Mises, its generalisation to K harmonics, and the 2-torus.

Each is a frozen batch in natural parameters η; normalisers carry a certified error bound.
"""

from tsa.density.bessel import generalized_bessel
from tsa.density.construction import from_harmonics
from tsa.density.fitting import CircleFit, Fit, StandardErrors
from tsa.density.generalized import GeneralizedVonMises
from tsa.density.grid import GridDensity
from tsa.density.mixture import Mixture
from tsa.density.numerics import fold
from tsa.density.protocol import Certificate, Density, GoodnessOfFit, Modes
from tsa.density.torus import TorusVonMises
from tsa.density.two_point import TwoPointVonMises
from tsa.density.vonmises import VonMises, mean_rotation

__all__ = [
    "Certificate",
    "CircleFit",
    "Density",
    "Fit",
    "GeneralizedVonMises",
    "GoodnessOfFit",
    "GridDensity",
    "Mixture",
    "Modes",
    "StandardErrors",
    "TorusVonMises",
    "TwoPointVonMises",
    "VonMises",
    "fold",
    "from_harmonics",
    "generalized_bessel",
    "mean_rotation",
]
