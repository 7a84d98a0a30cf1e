"""Any set of filters under an action: a report that needs no orthonormality, models made from it, comparisons."""

from tsa.analysis.filter_sets._relatives import Relatives
from tsa.analysis.filter_sets._span import Cell
from tsa.analysis.filter_sets.comparison import SetComparison, compare_sets, nearest_in
from tsa.analysis.filter_sets.cost import Cost, cost_of
from tsa.analysis.filter_sets.report import FilterReport, mean_purity, report_filters
from tsa.analysis.filter_sets.subset import FilterModel, complex_features, orthonormal_subset, refined_span

__all__ = [
    "Cell",
    "Cost",
    "FilterModel",
    "FilterReport",
    "Relatives",
    "SetComparison",
    "compare_sets",
    "complex_features",
    "cost_of",
    "mean_purity",
    "nearest_in",
    "orthonormal_subset",
    "refined_span",
    "report_filters",
]
