"""Toroidal Subgroup Analysis (Cohen & Welling, ICML 2014): learn a group from pairs, infer the whole posterior over it.

image → patch x → coordinates z → natural parameters η̂ → pooled η⁺ → density over s

Conventions, everywhere in the package:

- Angles are radians, and positive s turns a picture counter-clockwise as seen on screen. Degrees stand only in what a
  person reads, and in `tsa.show(angle=…)`. For n cyclic shifts, s = 2πm/n moves a signal as `numpy.roll(x, m)` does.
- Batches come first: patches x are (..., D), coordinates z complex (..., J), natural parameters η complex (..., K).
  Every function takes any leading shape; float32 stays float32.
- A filter pair is one complex filter: `model.filters` is (D, J), z = x @ filters, and s multiplies z_j by e^{iω_j s}.
- The phase is cos(ks − μ_k), as in the paper, where others write cos(k(s − μ_k)); modes and moments are angles s.
- σ is the standard deviation of the noise on each value of a patch, in the unit of the patch; log densities, evidences
  and entropies are in nats; pictures are grey values from 0 to 1.
- Models and densities are frozen: nothing changes them, and training returns new ones. What is learned ends in `_`.
- Chance is a `numpy.random.Generator` or a seed that is passed in: same seed, same machine, same bits.
- Mistakes raise a `TSAError`, which says what was given and what was expected: `InputError` for values, `ShapeError`
  for shapes, `ModelFileError` and `DataFileError` for files.

Where to begin: `fourier_model` or `load` give a `Subgroup`; its `posterior(x, y)` is a density with `modes()`,
`credible_set()` and `certificate`. `TSA` and `discover` learn from pairs. `tsa-explorer docs --out FOLDER` writes the
manual.

>>> model = tsa.fourier_model(8, noise=0.5)
>>> x = np.arange(8.0)
>>> print((model.posterior(x, np.roll(x, 3)).mode() * 8 / (2 * np.pi)).round(3))
3.0
"""

import tsa._base  # noqa: F401  # first: see `tsa._base.loading`

# isort: split
from tsa import groups
from tsa._base import (
    ClusterError,
    ConvergenceError,
    DataFileError,
    InputError,
    ModelFileError,
    NotFittedError,
    NotOrthonormalError,
    ShapeError,
    TSAError,
)
from tsa.analysis import (
    AmbiguityScore,
    Comparison,
    FilterModel,
    FilterReport,
    Inspection,
    Recovery,
    RefinedSubgroup,
    ambiguity_score,
    angular_error,
    compare,
    cost_of,
    equivariance_error,
    estimate_weights,
    finite_difference_weights,
    inspect,
    orthonormal_subset,
    recovery,
    refine,
    refined_span,
)
from tsa.density import (
    Certificate,
    GeneralizedVonMises,
    GridDensity,
    Modes,
    TorusVonMises,
    VonMises,
    generalized_bessel,
)
from tsa.files import bundled, load, open_filters, save
from tsa.learning import TSA, Discovery, adapt, discover, fine_tune
from tsa.model import (
    ConstantVelocity,
    EvidenceGradient,
    RandomWalk,
    Subgroup,
    Torus,
    Track,
    Weights,
    balanced,
    fourier_model,
    orthonormalize,
    principal,
    track,
    track_best_guess,
)
from tsa.pictures import datasets, patch, random_patches, rotate, shapes
from tsa.recognition import (
    BispectralDistance,
    Bispectrum,
    InvariantFeatures,
    NearestClassifier,
    Neighbours,
    TangentDistance,
    cluster,
    max_pooled,
    nearest,
    phase_differences,
)
from tsa.registration import estimate_noise, estimate_power, register, register_patches
from tsa.stage import show

__version__ = "0.1.0"
__all__ = [
    "TSA",
    "AmbiguityScore",
    "BispectralDistance",
    "Bispectrum",
    "Certificate",
    "ClusterError",
    "Comparison",
    "ConstantVelocity",
    "ConvergenceError",
    "DataFileError",
    "Discovery",
    "EvidenceGradient",
    "FilterModel",
    "FilterReport",
    "GeneralizedVonMises",
    "GridDensity",
    "InputError",
    "Inspection",
    "InvariantFeatures",
    "ModelFileError",
    "Modes",
    "NearestClassifier",
    "Neighbours",
    "NotFittedError",
    "NotOrthonormalError",
    "RandomWalk",
    "Recovery",
    "RefinedSubgroup",
    "ShapeError",
    "Subgroup",
    "TSAError",
    "TangentDistance",
    "Torus",
    "TorusVonMises",
    "Track",
    "VonMises",
    "Weights",
    "adapt",
    "ambiguity_score",
    "angular_error",
    "balanced",
    "bundled",
    "cluster",
    "compare",
    "cost_of",
    "datasets",
    "discover",
    "equivariance_error",
    "estimate_noise",
    "estimate_power",
    "estimate_weights",
    "fine_tune",
    "finite_difference_weights",
    "fourier_model",
    "generalized_bessel",
    "groups",
    "inspect",
    "load",
    "max_pooled",
    "nearest",
    "open_filters",
    "orthonormal_subset",
    "orthonormalize",
    "patch",
    "phase_differences",
    "principal",
    "random_patches",
    "recovery",
    "refine",
    "refined_span",
    "register",
    "register_patches",
    "rotate",
    "save",
    "shapes",
    "show",
    "track",
    "track_best_guess",
]
