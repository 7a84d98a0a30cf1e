"""Classification by the labels of the nearest neighbours."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, Estimator, class_labels, feature_rows
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


class NearestClassifier(Estimator):
    """Nearest neighbours, with the interface of a scikit-learn classifier.

    Parameters
    ----------
    metric : as for `nearest`
    n_neighbors : how many vote; of classes with equally many votes the one with the nearest neighbour wins

    >>> x, labels = np.eye(4), ["a", "b", "c", "d"]
    >>> tsa.NearestClassifier().fit(x, labels).predict(x[[2, 0]])
    array(['c', 'a'], dtype='<U1')
    """

    parameter_names = ("metric", "n_neighbors")
    _estimator_type = "classifier"  # what scikit-learn before 1.6 asks for, instead of tags

    def __init__(self, metric: Metric | Torus | Subgroup | str = "euclidean", *, n_neighbors: int = 1) -> None:
        self.metric = metric
        self.n_neighbors = n_neighbors

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        tags = {"target_tags": TargetTags(required=True), "input_tags": InputTags(), "transformer_tags": None}
        return Tags(estimator_type="classifier", classifier_tags=ClassifierTags(), **tags)

    def fit(self, X: ArrayLike, y: ArrayLike) -> "NearestClassifier":
        """Remember patches (n, D) and their labels (n,); returns self.

        >>> tsa.NearestClassifier().fit(np.eye(4), [0, 0, 1, 1]).classes_
        array([0, 1])
        """
        patches = feature_rows(X, "X")
        self.classes_, self.labels_ = class_labels(y, len(patches))
        self.neighbours_ = Neighbours(patches, self.metric)
        self.n_features_in_ = patches.shape[1]
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        """The share of each class among the neighbours: (n, classes).

        >>> tsa.NearestClassifier(n_neighbors=4).fit(np.eye(4), [0, 0, 0, 1]).predict_proba(np.eye(4)[:1])
        array([[0.75, 0.25]])
        """
        return vote_counts(self._neighbouring_labels(X), len(self.classes_)) / self.n_neighbors

    def predict(self, X: ArrayLike) -> Array:
        """The class most neighbours have.

        >>> tsa.NearestClassifier().fit(np.eye(4), [0, 0, 1, 1]).predict(np.eye(4)[3:])
        array([1])
        """
        labels = self._neighbouring_labels(X)
        return self.classes_[majority(labels, vote_counts(labels, len(self.classes_)))]

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """The share of patches given their own label.

        >>> print(tsa.NearestClassifier().fit(np.eye(4), [0, 0, 1, 1]).score(np.eye(4), [0, 0, 1, 1]))
        1.0
        """
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def _neighbouring_labels(self, X: ArrayLike) -> Array:
        self._check_fitted("This NearestClassifier has no training patches yet; call fit first.")
        return self.labels_[self.neighbours_.query(self._query(X), self.n_neighbors)[0]]
