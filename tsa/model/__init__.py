"""The two models of the paper: `Torus` (a free phase per subspace) and `Subgroup` (phases φ_j = ω_j·s).

With their parts: integer weights, orthonormal filters, the choice of planes, the DFT as a model.
"""

from tsa.model._shared import EvidenceGradient, squared_norm
from tsa.model.filters import (
    HALF_OF_DOUBLE,
    HALF_OF_SINGLE,
    complex_filters,
    nearest_orthonormal,
    orthonormal_again,
    orthonormality_defect,
    orthonormalize,
    real_columns,
)
from tsa.model.fourier import fourier_model
from tsa.model.planes import balanced, principal
from tsa.model.subgroup import Subgroup
from tsa.model.torus import Torus
from tsa.model.tracking import ConstantVelocity, RandomWalk, Track, track, track_best_guess
from tsa.model.weights import Weight, Weights, lattice_points, weight_name

__all__ = [
    "HALF_OF_DOUBLE",
    "HALF_OF_SINGLE",
    "ConstantVelocity",
    "EvidenceGradient",
    "RandomWalk",
    "Subgroup",
    "Torus",
    "Track",
    "Weight",
    "Weights",
    "balanced",
    "complex_filters",
    "fourier_model",
    "lattice_points",
    "nearest_orthonormal",
    "orthonormal_again",
    "orthonormality_defect",
    "orthonormalize",
    "principal",
    "real_columns",
    "squared_norm",
    "track",
    "track_best_guess",
    "weight_name",
]
