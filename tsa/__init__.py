"""Toroidal Subgroup Analysis (Cohen & Welling, ICML 2014): learn a group from pairs, infer the whole posterior over it.

image → patch x → coordinates z → natural parameters η̂ → pooled η⁺ → density over s
"""

from tsa import groups
from tsa.bessel import generalized_bessel
from tsa.errors import ConvergenceError, InputError, ModelFileError, NotOrthonormalError, ShapeError, TSAError
from tsa.files import bundled, load, save
from tsa.fourier import fourier_model
from tsa.gvm import GeneralizedVonMises, Modes
from tsa.learning import TSA, fine_tune
from tsa.model import EvidenceGradient, Subgroup, Torus, equivariance_error
from tsa.quadrature import Certificate
from tsa.recovery import Recovery, recovery
from tsa.refinement import RefinedSubgroup, refine
from tsa.stiefel import orthonormalize
from tsa.torus2 import TorusVonMises
from tsa.vonmises import VonMises
from tsa.weights import Weights, estimate_weights

__all__ = [
    "TSA",
    "Certificate",
    "ConvergenceError",
    "EvidenceGradient",
    "GeneralizedVonMises",
    "InputError",
    "ModelFileError",
    "Modes",
    "NotOrthonormalError",
    "Recovery",
    "RefinedSubgroup",
    "ShapeError",
    "Subgroup",
    "TSAError",
    "Torus",
    "TorusVonMises",
    "VonMises",
    "Weights",
    "bundled",
    "equivariance_error",
    "estimate_weights",
    "fine_tune",
    "fourier_model",
    "generalized_bessel",
    "groups",
    "load",
    "orthonormalize",
    "recovery",
    "refine",
    "save",
]
