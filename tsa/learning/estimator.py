"""The estimator `TSA`: learns filters from pairs of patches, with the interface of a scikit-learn transformer."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, Estimator, InputError, ShapeError, checks, feature_rows
from tsa.groups import Group, named_group
from tsa.learning._blas import one_blas_thread
from tsa.learning._planes_by_em import doubt_in_words, fit_planes
from tsa.learning._sgd import PAIRS_PER_PASS, Pairs, TrainingProgress, initial_basis, sgd
from tsa.model import Torus, orthonormal_again


class TSA(Estimator):
    """Toroidal Subgroup Analysis as a scikit-learn transformer: learns the filters of a maximal torus.

    Parameters
    ----------
    n_subspaces : planes to learn (the paper's 100 filters are 50 subspaces)
    solver : what `fit` does. `em` needs no settings and works at any scale of the data; `sgd` is the paper's way
    noise : σ of the model; None finds it (`em`), or takes the paper's 1 (`sgd`)
    learning_rate : α₀ of the schedule α₀/√T of SGD
    batch_size, n_pairs : pairs per minibatch of SGD, and in all
    random_state : seed of the first filters and of the order of the pairs
    group : None to learn from the pairs (X, y) that `fit` is given; or an action, or its name `rotation` (of square
        patches) or `shift` (of the D values): then `fit` moves X by random elements of the group to make pairs, and
        what it is given as y is not used. So it stands in a `Pipeline` before a classifier, where y are labels.

    After fitting, `model_` is the `Torus`, `curve_` the evidence as (pairs, mean log evidence per pair), and after
    `em` two doubts for each plane, (J,): `coherence_`, the correlation of |z(x)|² and |z(y)|² in held-out pairs, and
    `errors_`, by about how many degrees the plane is off. A warning says which planes are uncertain, and how many pairs
    are needed. `partial_fit` and `fit_stream` are SGD.

    >>> learner = tsa.TSA(3, random_state=0)
    >>> x, y = tsa.groups.CyclicShift(8).pairs(2000, rng=0)[:2]
    >>> features = learner.fit(x, y).transform(x)
    >>> features.shape
    (2000, 3)
    >>> learner.model_.noise < 1
    True
    """

    parameter_names = (
        "n_subspaces",
        "solver",
        "noise",
        "learning_rate",
        "batch_size",
        "n_pairs",
        "random_state",
        "group",
    )

    def __init__(
        self,
        n_subspaces: int = 50,
        *,
        solver: str = "em",
        noise: float | None = None,
        learning_rate: float = 0.25,
        batch_size: int = 100,
        n_pairs: int = 250_000,
        random_state: int | None = None,
        group: Group | str | None = None,
    ) -> None:
        self.n_subspaces = n_subspaces
        self.solver = solver
        self.noise = noise
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_pairs = n_pairs
        self.random_state = random_state
        self.group = group

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        pairs = self.group is None
        target = TargetTags(required=pairs, two_d_labels=pairs, one_d_labels=False)
        kept = TransformerTags(preserves_dtype=["float64", "float32"])
        return Tags(estimator_type=None, target_tags=target, transformer_tags=kept, input_tags=InputTags())

    # -- learning ----------------------------------------------------------------------------------------

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> "TSA":
        """Learn from pairs (n, D); returns self.

        y is X moved, (n, D); with a `group` X alone is enough, and y is not used. `em` uses all pairs; `sgd`, which
        also learns with a `group`, passes over them in random order until n_pairs have been seen.

        >>> x, y = tsa.groups.CyclicShift(8).pairs(2000, rng=0)[:2]
        >>> tsa.TSA(3, random_state=0).fit(x, y).model_.subspaces
        3
        """
        if self.group is not None:
            return self._fit_moved(feature_rows(X, "X").astype(np.float32, copy=False), self.group)
        x, moved = _pair(X, y)
        rng = np.random.default_rng(self.random_state)
        self._begin(x, rng)
        if self.solver == "em":
            return self._fit_em(x, moved, rng)
        return self._run(self._shuffled(x, moved, rng), pairs_per_pass=len(x))

    def _fit_moved(self, x: Array, group: Group | str) -> "TSA":
        """Learn from x (n, D) moved by random elements of the group."""
        action = _action(group, x.shape[1])
        rng = np.random.default_rng(self.random_state)
        self._begin(x, rng)
        stream = action.stream(int(rng.integers(2**31)), self.batch_size, patches=x)
        return self._run(self._limited(next(stream), stream), pairs_per_pass=len(x))

    def partial_fit(self, X: ArrayLike, y: ArrayLike | None = None) -> "TSA":
        """One pass over these pairs (n, D), continuing from what was learned; returns self.

        >>> x, y = tsa.groups.CyclicShift(8).pairs(2000, rng=0)[:2]
        >>> learner = tsa.TSA(3, random_state=0)
        >>> for start in range(0, 2000, 500):
        ...     learner = learner.partial_fit(x[start : start + 500], y[start : start + 500])
        >>> learner.transform(x).shape
        (2000, 3)
        """
        if self.__sklearn_is_fitted__():
            X = self._query(X)
        if self.group is not None:
            x = feature_rows(X, "X").astype(np.float32, copy=False)
            seed = None if self.random_state is None else [self.random_state, getattr(self, "n_steps_", 0)]
            x, y, _ = _action(self.group, x.shape[1]).pairs(len(x), np.random.default_rng(seed), patches=x)
        x, y = _pair(X if self.group is None else x, y)
        if not hasattr(self, "basis_"):
            self._begin(x, np.random.default_rng(self.random_state))
        batches = ((x[i : i + self.batch_size], y[i : i + self.batch_size]) for i in range(0, len(x), self.batch_size))
        return self._run(batches, pairs_per_pass=PAIRS_PER_PASS)

    def fit_stream(self, stream: Pairs, callback: Callable[[TrainingProgress], object] | None = None) -> "TSA":
        """Learn from a stream of batches (x, y) until n_pairs have been seen; returns self.

        `callback` gets a `TrainingProgress` after the first and every fiftieth step. If interrupted, the estimator
        keeps what it has learned so far.

        >>> stream = tsa.groups.CyclicShift(8).stream(0)
        >>> tsa.TSA(3, n_pairs=2000, random_state=0).fit_stream(stream).model_.subspaces
        3
        """
        batches = iter(stream)
        first = next(batches, None)
        if first is None:
            raise InputError("The stream of training pairs is empty.")
        x, _ = first = _pair(*first)
        self._begin(x, np.random.default_rng(self.random_state))
        return self._run(self._limited(first, batches), PAIRS_PER_PASS, callback)

    def _fit_em(self, x: Array, y: Array, rng: np.random.Generator) -> "TSA":
        with one_blas_thread():
            fitted = fit_planes(x, y, self.n_subspaces, self.noise, rng)
        self.basis_ = np.ascontiguousarray(fitted.filters.astype(np.complex64)).view(np.float32)
        self.noise_, self.coherence_, self.converged_ = fitted.noise, fitted.coherence, fitted.converged
        self.errors_, self.n_steps_ = fitted.errors, fitted.steps
        self.curve_[:] = [(len(x), fitted.log_evidence)]
        if doubt := doubt_in_words(fitted, len(x)):
            warnings.warn(doubt, stacklevel=3)
        return self

    def _begin(self, x: Array, rng: np.random.Generator) -> None:
        if self.solver not in ("em", "sgd"):
            raise InputError(f"The solver is `em` or `sgd`; got {self.solver!r}.")
        self.noise_ = 1.0 if self.noise is None else checks.positive(self.noise, "noise")
        checks.positive(self.learning_rate, "learning_rate")
        if min(self.n_subspaces, self.batch_size, self.n_pairs) < 1:
            raise InputError("n_subspaces, batch_size and n_pairs must be at least 1.")
        self.basis_ = initial_basis(x, self.n_subspaces, rng)
        self.n_features_in_, self.n_steps_ = x.shape[1], 0
        self.curve_: list[tuple[int, float]] = []

    def _run(
        self, batches: Pairs, pairs_per_pass: int, callback: Callable[[TrainingProgress], object] | None = None
    ) -> "TSA":
        reports = sgd(
            batches,
            self.basis_,
            noise=self.noise_,
            learning_rate=self.learning_rate,
            pairs_per_pass=pairs_per_pass,
            step=self.n_steps_,
            curve=tuple(self.curve_),
        )
        with one_blas_thread():
            for progress in reports:
                self.basis_, self.n_steps_, self.curve_ = progress.basis, progress.step, list(progress.curve)
                if callback is not None:
                    callback(progress)
        return self

    def _shuffled(self, x: Array, y: Array, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
        left = self.n_pairs
        while left > 0:
            order = rng.permutation(len(x))[:left]
            for start in range(0, len(order), self.batch_size):
                rows = order[start : start + self.batch_size]
                yield x[rows], y[rows]
            left -= len(order)

    def _limited(self, first: tuple[Array, Array], rest: Pairs) -> Iterator[tuple[Array, Array]]:
        left = self.n_pairs
        for x, y in (pair for part in ([first], rest) for pair in part):
            yield x[:left], y[:left]
            left -= len(x)
            if left <= 0:
                return

    # -- using what was learned --------------------------------------------------------------------------

    @property
    def model_(self) -> Torus:
        """The learned maximal torus."""
        self._check_fitted("This TSA has not learned anything yet; call fit, partial_fit or fit_stream first.")
        return Torus(orthonormal_again(self.basis_.view(np.complex64)), self.noise_)

    def transform(self, X: ArrayLike) -> Array:
        """√κ̂ = |z|/σ, (n, J): the invariants whose Euclidean distance is the exact distance of the orbits.

        >>> x, y = tsa.groups.CyclicShift(8).pairs(2000, rng=0)[:2]
        >>> learner = tsa.TSA(3, random_state=0).fit(x, y)
        >>> bool(abs(learner.transform(x) - learner.transform(y)).mean() < 0.1)
        True
        """
        model = self.model_
        return np.sqrt(model.invariants(self._query(X)))

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> Array:
        """`fit`, then `transform` of X.

        >>> x, y = tsa.groups.CyclicShift(8).pairs(2000, rng=0)[:2]
        >>> tsa.TSA(3, random_state=0).fit_transform(x, y).shape
        (2000, 3)
        """
        return self.fit(X, y).transform(X)

    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """Mean log evidence per pair; with a `group`, of X moved by elements drawn with seed 0.

        >>> x, y = tsa.groups.CyclicShift(8).pairs(2000, rng=0)[:2]
        >>> few, many = (tsa.TSA(n, random_state=0).fit(x, y) for n in (1, 3))
        >>> bool(few.score(x, y) < many.score(x, y))
        True
        """
        model = self.model_
        x = self._query(X)
        if self.group is not None:
            x, y, _ = _action(self.group, x.shape[1]).pairs(len(x), 0, patches=x)
        elif y is None:
            raise InputError("score needs pairs: X and X moved. To have X moved for you: TSA(group='rotation').")
        return float(np.mean(model.log_evidence(x, y), dtype=np.float64))


def _action(group: Group | str, pixels: int) -> Group:
    """The action of this name on patches with so many pixels, or the action itself if it fits them."""
    if pixels < 2:
        raise ShapeError("A plane needs two pixels; got patches of 1 feature(s), n_features = 1.")
    if isinstance(group, str):
        side = math.isqrt(pixels)
        if group == "rotation" and side * side != pixels:
            raise ShapeError(f"Rotation is of square patches; {pixels} pixels are not a square.")
        group = named_group(group, (side, side) if group == "rotation" else (pixels,))
    if group.dimension != pixels:
        raise ShapeError(f"{group} moves patches of {group.dimension} pixels; got {pixels}.")
    return group


def _pair(x: ArrayLike, y: ArrayLike | None) -> tuple[Array, Array]:
    if y is None:
        raise InputError(
            "TSA requires y to be passed, but the target y is None: it learns from pairs, X and X moved. To have X "
            "moved for you, say by which group: TSA(group='rotation')."
        )
    arrays = [feature_rows(x, "X"), checks.finite(checks.real(y, "Y"), "Y")]
    arrays = [a.astype(np.float32, copy=False) for a in arrays]
    if arrays[0].ndim != 2 or arrays[0].shape != arrays[1].shape or not arrays[0].size:
        raise ShapeError(
            f"Training pairs are two arrays (n, D) of one shape; got {arrays[0].shape} and {arrays[1].shape}. If y are "
            "labels, say by which group to move X: TSA(group='rotation')."
        )
    return arrays[0], arrays[1]
