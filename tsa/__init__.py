"""Toroidal Subgroup Analysis (Cohen & Welling, ICML 2014): learn a group from pairs, infer the whole posterior over it.

image → patch x → coordinates z → natural parameters η̂ → pooled η⁺ → density over s
"""

from tsa.bessel import generalized_bessel
from tsa.errors import ConvergenceError, InputError, NotOrthonormalError, ShapeError, TSAError
from tsa.fourier import fourier_model
from tsa.gvm import GeneralizedVonMises, Modes
from tsa.model import EvidenceGradient, Subgroup, Torus, equivariance_error, orthonormalize
from tsa.quadrature import Certificate
from tsa.torus2 import TorusVonMises
from tsa.vonmises import VonMises

__all__ = [
    "Certificate",
    "ConvergenceError",
    "EvidenceGradient",
    "GeneralizedVonMises",
    "InputError",
    "Modes",
    "NotOrthonormalError",
    "ShapeError",
    "Subgroup",
    "TSAError",
    "Torus",
    "TorusVonMises",
    "VonMises",
    "equivariance_error",
    "fourier_model",
    "generalized_bessel",
    "orthonormalize",
]
