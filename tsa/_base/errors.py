"""The errors of this package. Every message has what was given, what is expected, and what to do."""


class TSAError(Exception):
    """Base of every error this package raises on purpose."""


class InputError(TSAError, ValueError):
    """A value that cannot be used: nan, a negative noise, weights that are not integers."""


class ShapeError(InputError):
    """An array whose shape does not fit."""


class NotFittedError(InputError, AttributeError):
    """An estimator that was used before `fit`."""


class NotOrthonormalError(InputError):
    """Filters whose columns are not orthonormal; `defect` is the largest entry of |WᵀW − I|."""

    def __init__(self, message: str, defect: float) -> None:
        super().__init__(message)
        self.defect = defect


class ConvergenceError(TSAError):
    """An iteration that did not reach its tolerance; `estimate` is its best result."""

    def __init__(self, message: str, estimate: object) -> None:
        super().__init__(message)
        self.estimate = estimate


class ModelFileError(TSAError):
    """A model file that cannot be read: damaged, of another format, or not safe to open."""


class ClusterError(TSAError):
    """A Dask cluster that cannot be reached, or that could not finish a search."""


class DataFileError(TSAError):
    """A data file that cannot be read: missing, damaged, or not safe to open."""
