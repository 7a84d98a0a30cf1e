"""Classification by the labels of the nearest neighbours."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError
from tsa.model import Subgroup, Torus
from tsa.recognition.metric import Metric
from tsa.recognition.neighbours import Neighbours


def vote_counts(labels: Array, classes: int) -> Array:
    """How many neighbours have each of the labels 0…classes − 1: (n, k) → (n, classes)."""
    return np.asarray((labels[:, :, None] == np.arange(classes)).sum(axis=1))


def majority(labels: Array, counts: Array) -> Array:
    """The label most neighbours (n, k) have; of equals, that of the nearest: (n,)."""
    won = np.take_along_axis(counts, labels, axis=1) == counts.max(axis=1, keepdims=True)
    return np.asarray(labels[np.arange(len(labels)), np.argmax(won, axis=1)])


class NearestClassifier:
    """Nearest neighbours, with the interface of a scikit-learn classifier.

    Parameters
    ----------
    metric : as for `nearest`
    n_neighbors : how many vote; of classes with equally many votes the one with the nearest neighbour wins
    """

    def __init__(self, metric: Metric | Torus | Subgroup | str = "euclidean", *, n_neighbors: int = 1) -> None:
        self.metric = metric
        self.n_neighbors = n_neighbors

    def __repr__(self) -> str:
        return f"NearestClassifier({self.metric!r}, n_neighbors={self.n_neighbors})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor."""
        return {"metric": self.metric, "n_neighbors": self.n_neighbors}

    def set_params(self, **params: Any) -> "NearestClassifier":
        """Change parameters; returns self."""
        for name, value in params.items():
            if name not in self.get_params():
                raise InputError(f"NearestClassifier has no parameter {name!r}; it has metric and n_neighbors.")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        tags = {"target_tags": TargetTags(required=True), "input_tags": InputTags(), "transformer_tags": None}
        return Tags(estimator_type="classifier", classifier_tags=ClassifierTags(), **tags)

    def fit(self, X: ArrayLike, y: ArrayLike) -> "NearestClassifier":
        """Remember patches (n, D) and their labels (n,); returns self."""
        labels = np.asarray(y)
        self.neighbours_ = Neighbours(X, self.metric)
        if labels.shape != self.neighbours_.shape[:1]:
            raise ShapeError(f"{self.neighbours_.shape[0]} patches need as many labels; got shape {labels.shape}.")
        self.classes_, self.labels_ = np.unique(labels, return_inverse=True)
        self.n_features_in_ = self.neighbours_.shape[1]
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        """The share of each class among the neighbours: (n, classes)."""
        return vote_counts(self._neighbouring_labels(X), len(self.classes_)) / self.n_neighbors

    def predict(self, X: ArrayLike) -> Array:
        """The class most neighbours have."""
        labels = self._neighbouring_labels(X)
        return self.classes_[majority(labels, vote_counts(labels, len(self.classes_)))]

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """The share of patches given their own label."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def _neighbouring_labels(self, X: ArrayLike) -> Array:
        if not hasattr(self, "neighbours_"):
            raise InputError("This NearestClassifier has no training patches yet; call fit first.")
        return self.labels_[self.neighbours_.query(X, self.n_neighbors)[0]]
