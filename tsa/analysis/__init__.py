"""Analysis of filters under a known action: weights, irreducible subspaces, recovery, equivariance, comparison."""

from tsa.analysis.comparison import Comparison, compare
from tsa.analysis.equivariance import Equivariance, equivariance_error
from tsa.analysis.identification import IdentifiedGroup, identify_group, pair_neighbours
from tsa.analysis.inspection import Inspection, inspect
from tsa.analysis.recovery import Recovery, ceilings, recovery
from tsa.analysis.refinement import RefinedSubgroup, refine
from tsa.analysis.spectra import (
    as_subgroup,
    estimate_weights,
    frequencies,
    spectra,
    velocities,
    weights_of_spectra,
)

__all__ = [
    "Comparison",
    "Equivariance",
    "IdentifiedGroup",
    "Inspection",
    "Recovery",
    "RefinedSubgroup",
    "as_subgroup",
    "ceilings",
    "compare",
    "equivariance_error",
    "estimate_weights",
    "frequencies",
    "identify_group",
    "inspect",
    "pair_neighbours",
    "recovery",
    "refine",
    "spectra",
    "velocities",
    "weights_of_spectra",
]
