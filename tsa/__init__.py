"""Toroidal Subgroup Analysis (Cohen & Welling, ICML 2014): learn a group from pairs, infer the whole posterior over it.

image → patch x → coordinates z → natural parameters η̂ → pooled η⁺ → density over s
"""

from tsa import cluster, datasets, groups
from tsa.bessel import generalized_bessel
from tsa.comparison import Comparison, compare
from tsa.errors import (
    ClusterError,
    ConvergenceError,
    DataFileError,
    InputError,
    ModelFileError,
    NotOrthonormalError,
    ShapeError,
    TSAError,
)
from tsa.files import bundled, load, save
from tsa.fourier import fourier_model
from tsa.gauge import balanced, principal
from tsa.gvm import GeneralizedVonMises, Modes
from tsa.inspection import Inspection, inspect
from tsa.invariants import BispectralDistance, Bispectrum
from tsa.learning import TSA, fine_tune
from tsa.model import EvidenceGradient, Subgroup, Torus, equivariance_error
from tsa.neighbours import NearestClassifier, Neighbours, nearest
from tsa.pictures import patch, rotate
from tsa.quadrature import Certificate
from tsa.recovery import Recovery, recovery
from tsa.refinement import RefinedSubgroup, refine
from tsa.stage.page import show
from tsa.stiefel import orthonormalize
from tsa.tangent import TangentDistance
from tsa.torus2 import TorusVonMises
from tsa.vonmises import VonMises
from tsa.weights import Weights, estimate_weights

__all__ = [
    "TSA",
    "BispectralDistance",
    "Bispectrum",
    "Certificate",
    "ClusterError",
    "Comparison",
    "ConvergenceError",
    "DataFileError",
    "EvidenceGradient",
    "GeneralizedVonMises",
    "InputError",
    "Inspection",
    "ModelFileError",
    "Modes",
    "NearestClassifier",
    "Neighbours",
    "NotOrthonormalError",
    "Recovery",
    "RefinedSubgroup",
    "ShapeError",
    "Subgroup",
    "TSAError",
    "TangentDistance",
    "Torus",
    "TorusVonMises",
    "VonMises",
    "Weights",
    "balanced",
    "bundled",
    "cluster",
    "compare",
    "datasets",
    "equivariance_error",
    "estimate_weights",
    "fine_tune",
    "fourier_model",
    "generalized_bessel",
    "groups",
    "inspect",
    "load",
    "nearest",
    "orthonormalize",
    "patch",
    "principal",
    "recovery",
    "refine",
    "rotate",
    "save",
    "show",
]
