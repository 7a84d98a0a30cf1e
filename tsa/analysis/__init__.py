"""Analysis of filters under a known action: weights, irreducible subspaces, recovery, equivariance, comparison."""

from tsa.analysis.ambiguity import AmbiguityScore, ambiguity_score, angular_error
from tsa.analysis.comparison import Comparison, compare
from tsa.analysis.equivariance import Equivariance, equivariance_error
from tsa.analysis.filter_sets import Cell, FilterReport, Relatives, mean_purity, report_filters
from tsa.analysis.identification import IdentifiedGroup, identify_group, pair_neighbours
from tsa.analysis.inspection import Inspection, inspect
from tsa.analysis.recovery import Recovery, ceilings, recovery
from tsa.analysis.refinement import RefinedSubgroup, refine
from tsa.analysis.spectra import (
    as_subgroup,
    estimate_weights,
    finite_difference_weights,
    frequencies,
    spectra,
    weights_of_spectra,
)

__all__ = [
    "AmbiguityScore",
    "Cell",
    "Comparison",
    "Equivariance",
    "FilterReport",
    "IdentifiedGroup",
    "Inspection",
    "Recovery",
    "RefinedSubgroup",
    "Relatives",
    "ambiguity_score",
    "angular_error",
    "as_subgroup",
    "ceilings",
    "compare",
    "equivariance_error",
    "estimate_weights",
    "finite_difference_weights",
    "frequencies",
    "identify_group",
    "inspect",
    "mean_purity",
    "pair_neighbours",
    "recovery",
    "refine",
    "report_filters",
    "spectra",
    "weights_of_spectra",
]
