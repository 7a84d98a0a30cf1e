"""The errors of this package. Every message has what was given, what is expected, and what to do."""


class TSAError(Exception):
    """Base of every error this package raises on purpose.

    >>> try:
    ...     tsa.fourier_model(8, noise=-1.0)
    ... except tsa.TSAError as error:
    ...     print(type(error).__name__)
    InputError
    """


class InputError(TSAError, ValueError):
    """A value that cannot be used: nan, a negative noise, weights that are not integers.

    >>> try:
    ...     tsa.fourier_model(8, noise=-1.0)
    ... except tsa.InputError as error:
    ...     print(error)
    noise must be a positive number of ordinary size, got -1.0.
    """


class ShapeError(InputError):
    """An array whose shape does not fit.

    >>> try:
    ...     tsa.fourier_model(8).coordinates(np.zeros(9))
    ... except tsa.ShapeError as error:
    ...     print(error)
    A patch of this model has 8 pixels in its last axis; got shape (9,).
    """


class NotFittedError(InputError, AttributeError):
    """An estimator that was used before `fit`.

    >>> try:
    ...     tsa.TSA(3).transform(np.eye(8))
    ... except tsa.NotFittedError as error:
    ...     print(error)
    This TSA has not learned anything yet; call fit, partial_fit or fit_stream first.
    """


class NotOrthonormalError(InputError):
    """Filters whose columns are not orthonormal; `defect` is the largest entry of |WᵀW − I|.

    >>> try:
    ...     tsa.Torus(np.ones((8, 2)))
    ... except tsa.NotOrthonormalError as error:
    ...     print(error.defect > 1)
    True
    """

    def __init__(self, message: str, defect: float) -> None:
        super().__init__(message)
        self.defect = defect


class ConvergenceError(TSAError):
    """An iteration that did not reach its tolerance; `estimate` is its best result.

    >>> error = tsa.ConvergenceError("It did not converge; try more steps.", estimate=1.5)
    >>> error.estimate
    1.5
    """

    def __init__(self, message: str, estimate: object) -> None:
        super().__init__(message)
        self.estimate = estimate


class ModelFileError(TSAError):
    """A model file that cannot be read: damaged, of another format, or not safe to open.

    >>> try:
    ...     tsa.load("missing.npz")
    ... except tsa.ModelFileError as error:
    ...     print(str(error)[:35])
    There is no model file missing.npz,
    """


class ClusterError(TSAError):
    """A Dask cluster that cannot be reached, or that could not finish a search.

    >>> try:
    ...     with tsa.cluster.connect("nowhere"): ...
    ... except tsa.ClusterError as error:
    ...     print("ClusterError")
    ClusterError
    """


class DataFileError(TSAError):
    """A data file that cannot be read: missing, damaged, or not safe to open.

    >>> try:
    ...     tsa.datasets.read_idx("missing.idx")
    ... except tsa.DataFileError as error:
    ...     print(error)
    missing.idx cannot be read: [Errno 2] No such file or directory: 'missing.idx'.
    """
