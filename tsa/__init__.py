"""Toroidal Subgroup Analysis (Cohen & Welling, ICML 2014): learn a group from pairs, infer the whole posterior over it.

image → patch x → coordinates z → natural parameters η̂ → pooled η⁺ → density over s
"""

from tsa import groups
from tsa._base import (
    ClusterError,
    ConvergenceError,
    DataFileError,
    InputError,
    ModelFileError,
    NotOrthonormalError,
    ShapeError,
    TSAError,
)
from tsa.analysis import (
    Comparison,
    Inspection,
    Recovery,
    RefinedSubgroup,
    compare,
    equivariance_error,
    estimate_weights,
    inspect,
    recovery,
    refine,
)
from tsa.density import (
    Certificate,
    GeneralizedVonMises,
    Modes,
    TorusVonMises,
    VonMises,
    generalized_bessel,
)
from tsa.files import bundled, load, save
from tsa.learning import TSA, fine_tune
from tsa.model import EvidenceGradient, Subgroup, Torus, Weights, balanced, fourier_model, orthonormalize, principal
from tsa.pictures import datasets, patch, rotate, shapes
from tsa.recognition import (
    BispectralDistance,
    Bispectrum,
    NearestClassifier,
    Neighbours,
    TangentDistance,
    cluster,
    nearest,
)
from tsa.stage import show

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
    "shapes",
    "show",
]
