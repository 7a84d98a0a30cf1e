"""The lowest folder, used by all others: checks of input, typed errors, progress, bundled data.

Imports nothing else of the package.
"""

from tsa._base.loading import end_loading  # first: it prepares for Ctrl-C while the others load numpy

# isort: split

from tsa._base import checks
from tsa._base.assets import assets
from tsa._base.checks import Array, Rng, frozen
from tsa._base.console import allow_any_console
from tsa._base.errors import (
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
from tsa._base.estimators import Estimator, class_labels, feature_rows, not_fitted
from tsa._base.notebook import model_html, model_line
from tsa._base.progress import Bar, ProgressCallback, split_progress
from tsa._base.writing import write_atomically

__all__ = [
    "Array",
    "Bar",
    "ClusterError",
    "ConvergenceError",
    "DataFileError",
    "Estimator",
    "InputError",
    "ModelFileError",
    "NotFittedError",
    "NotOrthonormalError",
    "ProgressCallback",
    "Rng",
    "ShapeError",
    "TSAError",
    "allow_any_console",
    "assets",
    "checks",
    "class_labels",
    "end_loading",
    "feature_rows",
    "frozen",
    "model_html",
    "model_line",
    "not_fitted",
    "split_progress",
    "write_atomically",
]
