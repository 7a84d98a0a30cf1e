"""Analysis of filters under a known action: weights, irreducible subspaces, recovery, equivariance, comparison."""

from tsa.analysis.ambiguity import AmbiguityScore, ambiguity_score, angular_error
from tsa.analysis.comparison import Comparison, compare
from tsa.analysis.equivariance import Equivariance, equivariance_error
from tsa.analysis.filter_sets import (
    Cell,
    Cost,
    FilterModel,
    FilterReport,
    Relatives,
    SetComparison,
    compare_sets,
    complex_features,
    cost_of,
    mean_purity,
    nearest_in,
    orthonormal_subset,
    refined_span,
    report_filters,
)
from tsa.analysis.identification import IdentifiedGroup, identify_group, pair_neighbours
from tsa.analysis.inspection import Inspection, inspect
from tsa.analysis.recovery import Recovery, ceilings, recovery
from tsa.analysis.refinement import RefinedSubgroup, irreducible_filters, refine
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
    "Cost",
    "Equivariance",
    "FilterModel",
    "FilterReport",
    "IdentifiedGroup",
    "Inspection",
    "Recovery",
    "RefinedSubgroup",
    "Relatives",
    "SetComparison",
    "ambiguity_score",
    "angular_error",
    "as_subgroup",
    "ceilings",
    "compare",
    "compare_sets",
    "complex_features",
    "cost_of",
    "equivariance_error",
    "estimate_weights",
    "finite_difference_weights",
    "frequencies",
    "identify_group",
    "inspect",
    "irreducible_filters",
    "mean_purity",
    "nearest_in",
    "orthonormal_subset",
    "pair_neighbours",
    "recovery",
    "refine",
    "refined_span",
    "report_filters",
    "spectra",
    "weights_of_spectra",
]
