"""Maximum marginal likelihood learning (paper, section 3.4): minibatch SGD on the evidence, filters kept orthonormal.

Training yields: `sgd` is an iterator of progress reports that ends when the pairs do, and everything a person or a
page wants while it runs (filters so far, evidence, speed) is in the report.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import i0e
from threadpoolctl import threadpool_limits

from tsa import checks
from tsa.checks import Array
from tsa.errors import InputError, ShapeError
from tsa.model import Subgroup, Torus
from tsa.stiefel import complex_filters, polar, real_columns, settled
from tsa.vonmises import mean_rotation

PAIRS_PER_PASS = 10_000  # on an endless stream: the pairs after which T grows by one in α = α₀/√T
_REPORT_EVERY = 50  # steps

Pairs = Iterable[tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Progress:
    """Where training stands after `step` minibatches."""

    step: int
    pairs: int
    log_evidence: float  # mean per pair, on the latest minibatch, before it was learned from
    pairs_per_second: float
    basis: Array  # (D, 2J) float32: the real and imaginary filters, interleaved

    @property
    def filters(self) -> Array:
        """The filters so far, complex (D, J)."""
        return self.basis.view(np.complex64)

    @property
    def orthogonality(self) -> float:
        """Largest entry of |WᵀW − I|."""
        return float(np.abs(self.basis.T @ self.basis - np.eye(self.basis.shape[1])).max())


def initial_basis(x: Array, n_subspaces: int, rng: np.random.Generator) -> Array:
    """A random orthonormal basis (D, 2J), zero on the pixels that are zero in every patch of x."""
    used = np.any(x != 0, axis=0)
    check_room(n_subspaces, used.sum())
    basis = np.zeros((x.shape[1], 2 * n_subspaces))
    basis[used] = np.linalg.qr(rng.standard_normal((used.sum(), 2 * n_subspaces)))[0]
    return basis.astype(np.float32)


def check_room(n_subspaces: int, pixels: int) -> None:
    """An error unless this many planes are orthogonal in patches with this many pixels that vary."""
    if pixels < 2 * n_subspaces:
        raise InputError(
            f"{n_subspaces} subspaces need 2·{n_subspaces} pixels that vary, but these patches have {pixels}. "
            "Learn fewer subspaces, or use larger patches."
        )


def sgd_step(basis: Array, x: Array, y: Array, rate: float, noise: float) -> tuple[Array, Array]:
    """One minibatch: the moved basis, and the coordinates (2n, J) of the batch in the old one.

    The gradient is that of `Torus.evidence_gradient`, as four matrix products in two.
    """
    n = len(x)
    both = np.concatenate([x, y])
    z = (both @ basis).view(np.complex64)
    u, v = z[:n], z[n:]
    mean = mean_rotation(u.conj() * v * np.float32(1 / noise**2))
    pull = np.concatenate([mean.conj() * v - u, mean * u])
    gradient = both.T @ pull.view(np.float32)
    gradient *= np.float32(rate / (n * noise**2))
    gradient += basis
    return polar(gradient), z


def sgd(
    batches: Pairs, basis: Array, *, noise: float, learning_rate: float, pairs_per_pass: int, step: int = 0
) -> Iterator[Progress]:
    """Learn from batches until they end, reporting after the first and then after every fiftieth step.

    The schedule is the paper's, α = α₀/√T with T the number of the pass. Started at `step` with the basis of that
    step (and batches from there on) it continues exactly as if it had never stopped.
    """
    pairs, seen, begun = step * 0, 0, time.perf_counter()

    def report() -> Progress:
        speed = seen / max(time.perf_counter() - begun, 1e-9)
        return Progress(step, pairs, _log_evidence(z, y, noise), speed, basis)

    # One BLAS thread for the small products here, the other core for the pairs to come.
    with threadpool_limits(1, "blas"):
        for x, y in ahead(batches):
            pairs = step * len(x) if not seen else pairs
            rate = learning_rate / np.sqrt(1 + pairs // pairs_per_pass)
            basis, z = sgd_step(basis, x, y, rate, noise)
            step, pairs, seen = step + 1, pairs + len(x), seen + len(x)
            if step % _REPORT_EVERY == 0 or step == 1:
                yield report()
        if seen and step % _REPORT_EVERY and step > 1:
            yield report()


def _log_evidence(z: Array, y: Array, noise: float) -> float:
    """Mean log evidence of a minibatch from the coordinates of both its halves (all subspaces are planes)."""
    u, v = z[: len(y)], z[len(y) :]
    kappa = np.abs(u * v).astype(np.float64) / noise**2
    energy = np.sum(np.abs(u) ** 2, dtype=np.float64) + np.sum(y * y, dtype=np.float64)
    gain = np.sum(kappa + np.log(i0e(kappa)))
    return float((gain - energy / (2 * noise**2)) / len(y) - y.shape[1] / 2 * np.log(2 * np.pi * noise**2))


def ahead(batches: Iterable[Any], chunk: int = 100) -> Iterator[Any]:
    """The same batches, made by a second thread while the first learns from those before."""
    source = iter(batches)
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(lambda: list(islice(source, chunk)))
        while ready := coming.result():
            coming = worker.submit(lambda: list(islice(source, chunk)))
            yield from ready


class TSA:
    """Toroidal Subgroup Analysis, shaped like a scikit-learn transformer: learns the filters of a maximal torus.

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

    def fit_stream(self, stream: Pairs, callback: Callable[[Progress], object] | None = None) -> "TSA":
        """Learn from a stream of batches (x, y) until n_pairs have been seen; returns self.

        `callback` gets a `Progress` now and then. Interrupted, the estimator keeps what it has learned so far.
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

    def _run(self, batches: Pairs, pairs_per_pass: int, callback: Callable[[Progress], object] | None = None) -> "TSA":
        settings = {"noise": self.noise, "learning_rate": self.learning_rate, "pairs_per_pass": pairs_per_pass}
        for report in sgd(batches, self.basis_, step=self.n_steps_, **settings):  # type: ignore[arg-type]
            self.basis_, self.n_steps_ = report.basis, report.step
            self.curve_.append((report.pairs, report.log_evidence))
            if callback is not None:
                callback(report)
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
        return Torus(settled(self.basis_.view(np.complex64)), self.noise)

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


def fine_tune(
    model: Subgroup, batches: Pairs, *, learning_rate: float = 0.05, learn_noise: bool = True
) -> Iterator[tuple[Subgroup, float]]:
    """SGD on the *coupled* evidence, weights held fixed: yields the model after each batch, and its mean log evidence.

    Beyond the paper, which trains only the decoupled model. Lines stay lines; σ moves by its own gradient on a
    logarithmic scale.
    """
    for step, (x, y) in enumerate(batches):
        value, gradient, slope = model.evidence_gradient(x.astype(np.float64), y.astype(np.float64))
        rate = learning_rate / np.sqrt(1 + step * len(x) // PAIRS_PER_PASS) / len(x)
        noise = model.noise
        if learn_noise:
            noise *= float(np.exp(np.clip(rate * slope * noise / model.dimension, -0.1, 0.1)))
        model = Subgroup(_moved(model.filters, rate * gradient), model.weights, noise)
        yield model, value / len(x)


def _moved(filters: Array, step: Array) -> Array:
    """filters + step, made orthonormal again; lines stay lines."""
    planes = filters.imag.any(axis=0)
    return complex_filters(polar(real_columns(filters + np.where(planes, step, step.real))), planes)
