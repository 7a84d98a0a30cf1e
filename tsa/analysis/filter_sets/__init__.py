"""Any set of filters under an action: a report that needs no orthonormality, models made from it, comparisons."""

from tsa.analysis.filter_sets._relatives import Relatives
from tsa.analysis.filter_sets._span import Cell
from tsa.analysis.filter_sets.report import FilterReport, mean_purity, report_filters

__all__ = ["Cell", "FilterReport", "Relatives", "mean_purity", "report_filters"]
