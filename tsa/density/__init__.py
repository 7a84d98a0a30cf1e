"""Densities on the circle and the torus: von Mises, its generalisation to K harmonics, and the 2-torus.

Each is a frozen batch in natural parameters η; normalisers carry a certified error bound.
"""

from tsa.density.bessel import generalized_bessel
from tsa.density.construction import from_harmonics
from tsa.density.generalized import GeneralizedVonMises
from tsa.density.harmonics import fold
from tsa.density.protocol import Certificate, Density, Modes
from tsa.density.torus import TorusVonMises
from tsa.density.vonmises import VonMises, mean_rotation

__all__ = [
    "Certificate",
    "Density",
    "GeneralizedVonMises",
    "Modes",
    "TorusVonMises",
    "VonMises",
    "fold",
    "from_harmonics",
    "generalized_bessel",
    "mean_rotation",
]
