"""The estimator `TSA`: learns filters from pairs of patches, with the interface of a scikit-learn transformer."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.learning._blas import one_blas_thread
from tsa.learning._sgd import PAIRS_PER_PASS, Pairs, TrainingProgress, initial_basis, sgd
from tsa.model import Torus, orthonormal_again


class TSA:
    """Toroidal Subgroup Analysis as a scikit-learn transformer: learns the filters of a maximal torus.

    Parameters
    ----------
    n_subspaces : planes to learn (the paper's 100 filters are 50 subspaces)
    noise : σ of the model
    learning_rate : α₀ of the schedule α₀/√T
    batch_size, n_pairs : pairs per minibatch, and in all
    random_state : seed of the first filters and of the order of the pairs

    After fitting, `model_` is the `Torus`, `curve_` the evidence as (pairs, mean log evidence per pair).
    """

    def __init__(
        self,
        n_subspaces: int = 50,
        *,
        noise: float = 1.0,
        learning_rate: float = 0.25,
        batch_size: int = 100,
        n_pairs: int = 250_000,
        random_state: int | None = None,
    ) -> None:
        self.n_subspaces = n_subspaces
        self.noise = noise
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_pairs = n_pairs
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"TSA({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor."""
        names = ("n_subspaces", "noise", "learning_rate", "batch_size", "n_pairs", "random_state")
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> "TSA":
        """Change parameters; returns self."""
        for name, value in params.items():
            if name not in self.get_params():
                raise InputError(f"TSA has no parameter {name!r}; it has {', '.join(self.get_params())}.")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        target = TargetTags(required=True, two_d_labels=True, one_d_labels=False)
        return Tags(estimator_type=None, target_tags=target, transformer_tags=TransformerTags(), input_tags=InputTags())

    # -- learning ----------------------------------------------------------------------------------------

    def fit(self, X: ArrayLike, Y: ArrayLike) -> "TSA":
        """Learn from pairs (n, D): passes over them in random order until n_pairs have been seen; returns self."""
        x, y = _pair(X, Y)
        rng = np.random.default_rng(self.random_state)
        self._begin(x, rng)
        return self._run(self._shuffled(x, y, rng), pairs_per_pass=len(x))

    def partial_fit(self, X: ArrayLike, Y: ArrayLike) -> "TSA":
        """One pass over these pairs (n, D), continuing from what was learned; returns self."""
        x, y = _pair(X, Y)
        if not hasattr(self, "basis_"):
            self._begin(x, np.random.default_rng(self.random_state))
        batches = ((x[i : i + self.batch_size], y[i : i + self.batch_size]) for i in range(0, len(x), self.batch_size))
        return self._run(batches, pairs_per_pass=PAIRS_PER_PASS)

    def fit_stream(self, stream: Pairs, callback: Callable[[TrainingProgress], object] | None = None) -> "TSA":
        """Learn from a stream of batches (x, y) until n_pairs have been seen; returns self.

        `callback` gets a `TrainingProgress` after the first and every fiftieth step. If interrupted, the estimator
        keeps what it has learned so far.
        """
        batches = iter(stream)
        first = next(batches, None)
        if first is None:
            raise InputError("The stream of training pairs is empty.")
        x, _ = first = _pair(*first)
        self._begin(x, np.random.default_rng(self.random_state))
        return self._run(self._limited(first, batches), PAIRS_PER_PASS, callback)

    def _begin(self, x: Array, rng: np.random.Generator) -> None:
        checks.positive(self.noise, "noise")
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
            noise=self.noise,
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
        if not hasattr(self, "basis_"):
            raise InputError("This TSA has not learned anything yet; call fit, partial_fit or fit_stream first.")
        return Torus(orthonormal_again(self.basis_.view(np.complex64)), self.noise)

    def transform(self, X: ArrayLike) -> Array:
        """√κ̂ = |z|/σ, (n, J): the invariants whose Euclidean distance is the exact distance of the orbits."""
        return np.sqrt(self.model_.invariants(X))

    def fit_transform(self, X: ArrayLike, Y: ArrayLike) -> Array:
        """`fit`, then `transform` of X."""
        return self.fit(X, Y).transform(X)

    def score(self, X: ArrayLike, Y: ArrayLike) -> float:
        """Mean log evidence per pair."""
        return float(np.mean(self.model_.log_evidence(X, Y), dtype=np.float64))


def _pair(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    arrays = [
        checks.finite(checks.real(a, name), name).astype(np.float32, copy=False) for a, name in ((x, "X"), (y, "Y"))
    ]
    if arrays[0].ndim != 2 or arrays[0].shape != arrays[1].shape or not arrays[0].size:
        raise ShapeError(
            f"Training pairs are two arrays (n, D) of one shape; got {arrays[0].shape} and {arrays[1].shape}."
        )
    return arrays[0], arrays[1]
