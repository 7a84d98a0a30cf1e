"""What estimators with the interface of scikit-learn share: parameters, checks of X and labels, `NotFittedError`.

scikit-learn is never imported here. Messages contain the phrases that its `check_estimator` looks for.
"""

import sys
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import checks
from tsa._base.checks import Array
from tsa._base.errors import InputError, NotFittedError, ShapeError


class Estimator:
    """Parameters by name, as scikit-learn reads and clones them; `parameter_names` are those of the constructor."""

    parameter_names: ClassVar[tuple[str, ...]] = ()
    n_features_in_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor.

        >>> tsa.TSA(3).get_params()["n_subspaces"]
        3
        """
        return {name: getattr(self, name) for name in self.parameter_names}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; returns self.

        >>> tsa.TSA(3).set_params(n_subspaces=5).n_subspaces
        5
        """
        for name, value in params.items():
            if name not in self.parameter_names:
                known = " and ".join(self.parameter_names)
                raise InputError(f"{type(self).__name__} has no parameter {name!r}; it has {known}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def _check_fitted(self, message: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(message)

    def _query(self, X: ArrayLike) -> Array:
        """X with as many features as in `fit`."""
        array = feature_rows(X, "X")
        if array.shape[1] != self.n_features_in_:
            raise ShapeError(
                f"X has {array.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                f"features as input: patches of {self.n_features_in_} pixels, as it was fitted with."
            )
        return array


def not_fitted(message: str) -> NotFittedError:
    """The error of an estimator used before `fit`; if scikit-learn is loaded it is also its own `NotFittedError`.

    Code can catch scikit-learn's class only after it was imported, so looking among the loaded modules is enough.
    """
    theirs = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", None)
    if theirs is None:
        return NotFittedError(message)
    return type("NotFittedError", (NotFittedError, theirs), {"__module__": NotFittedError.__module__})(message)


def feature_rows(X: Any, name: str) -> Array:
    """X as real rows (n, D), n and D at least 1, all finite; objects that hold numbers are converted."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise InputError(f"{name} is sparse: sparse input is not supported. Pass {name}.toarray().")
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise InputError(f"Complex data not supported: {name} must be real numbers, got dtype {array.dtype}.")
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else InputError
            raise kind(f"{name} must be real numbers; argument must be a string or a number: {error}.") from error
    if array.ndim == 1:
        raise ShapeError(
            f"{name} must be patches in rows, (n, D); got shape {array.shape}. Reshape your data: "
            f"{name}.reshape(1, -1) if it is one patch, {name}.reshape(-1, 1) if each patch has one pixel."
        )
    if array.ndim == 2 and 0 in array.shape:
        what = "sample" if array.shape[0] == 0 else "feature"
        raise ShapeError(f"Found array with 0 {what}(s) (shape={array.shape}) while a minimum of 1 is required.")
    return checks.rows(array, name)


def class_labels(y: Any, n: int) -> tuple[Array, Array]:
    """The classes (c,), and the number of each label's class (n,), of labels (n,) or (n, 1)."""
    if y is None:
        raise InputError("requires y to be passed, but the target y is None: labels are needed for classification.")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        _warn_of_a_column(labels.shape)
        labels = labels[:, 0]
    if labels.shape != (n,):
        raise ShapeError(f"{n} patches need as many labels; got shape {labels.shape}.")
    if labels.dtype.kind == "f":
        checks.finite(labels, "Input y contains NaN or infinity: labels")
        if np.any(labels != np.rint(labels)):
            raise InputError(
                "Unknown label type: continuous. Labels are classes: integers, or names; round them, or form bins."
            )
    if labels.dtype.kind == "c":
        raise InputError("Unknown label type: complex. Labels are classes: integers, or names.")
    classes, numbers = np.unique(labels, return_inverse=True)
    return classes, numbers


def _warn_of_a_column(shape: tuple[int, ...]) -> None:
    """scikit-learn's warning about labels (n, 1), of its own class where it is loaded."""
    import warnings

    kind = getattr(sys.modules.get("sklearn.exceptions"), "DataConversionWarning", UserWarning)
    warnings.warn(
        f"A column-vector y was passed when a 1d array was expected: labels of shape {shape} are read as {shape[:1]}.",
        kind,
        stacklevel=4,
    )
