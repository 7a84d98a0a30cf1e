"""Maximum marginal likelihood learning (paper, section 3.4): minibatch SGD on the evidence, filters kept orthonormal.

The one training loop: `sgd` is an iterator of progress reports that ends when the pairs do. The estimator, the
training runs, and through them the command line and the app take everything they show or keep from the reports.
"""

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy.special import i0e

from tsa._base import Array, ConvergenceError, InputError
from tsa.density import mean_rotation
from tsa.model import nearest_orthonormal

PAIRS_PER_PASS = 10_000  # length of a pass over an endless stream: T grows by one after so many pairs in α = α₀/√T
_REPORT_STEPS = 50  # minibatches between two reports
_MAX_BATCHES_AHEAD = 100  # batches made before they are needed
Pairs = Iterable[tuple[Array, Array]]
Curve = tuple[tuple[int, float], ...]  # (pairs, mean log evidence per pair) of each report


@dataclass(frozen=True, eq=False)
class TrainingProgress:
    """The state of a training after `step` minibatches: enough to show it, and to continue it with identical bits."""

    step: int
    pairs: int
    log_evidence: float  # mean per pair, on the latest minibatch, before it was learned from
    pairs_per_second: float
    basis: Array  # (D, 2J) float32: the real and imaginary filters, interleaved
    curve: Curve  # of all reports up to this one

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
    return nearest_orthonormal(gradient), z


def sgd(
    batches: Pairs,
    basis: Array,
    *,
    noise: float,
    learning_rate: float,
    pairs_per_pass: int,
    step: int = 0,
    curve: Curve = (),
) -> Iterator[TrainingProgress]:
    """Learn from batches until they end, reporting after the first and then after every fiftieth step.

    The schedule is the paper's, α = α₀/√T with T the number of the pass. Started at `step` with the basis and the curve
    of that step (and batches from there on) it continues exactly as if it had never stopped.

    A generator must not change a setting of the whole process, because it may stay suspended: callers that run it to
    its end do so within `one_blas_thread()`.
    """
    pairs, seen, begun = 0, 0, time.perf_counter()

    def progress_now() -> TrainingProgress:
        nonlocal curve
        speed, evidence = seen / max(time.perf_counter() - begun, 1e-9), _log_evidence(z, y, noise)
        if not (np.isfinite(evidence) and np.all(np.isfinite(basis))):
            raise _diverged(basis, y, step, noise, learning_rate)
        curve = (*curve, (pairs, evidence))
        return TrainingProgress(step, pairs, evidence, speed, basis, curve)

    for x, y in _made_ahead(batches):
        pairs = step * len(x) if not seen else pairs
        rate = learning_rate / np.sqrt(1 + pairs // pairs_per_pass)
        try:
            basis, z = sgd_step(basis, x, y, rate, noise)
        except np.linalg.LinAlgError:  # of filters that are not finite
            raise _diverged(basis, y, step, noise, learning_rate) from None
        step, pairs, seen = step + 1, pairs + len(x), seen + len(x)
        if step % _REPORT_STEPS == 0 or step == 1:
            yield progress_now()
    if seen and step % _REPORT_STEPS and step > 1:
        yield progress_now()


def _diverged(basis: Array, y: Array, step: int, noise: float, learning_rate: float) -> ConvergenceError:
    size = float(np.sqrt(np.mean(np.square(y, dtype=np.float64))))
    return ConvergenceError(
        f"The training diverged after {step} steps: its filters are no longer finite. The pixels have size {size:.3g} "
        f"at σ = {noise:g}, and a step is proportional to (size/σ)². Scale the patches to σ, or lower the learning "
        f"rate ({learning_rate:g}).",
        basis,
    )


def _log_evidence(z: Array, y: Array, noise: float) -> float:
    """Mean log evidence of a minibatch from the coordinates of both its halves (all subspaces are planes)."""
    u, v = z[: len(y)], z[len(y) :]
    kappa = np.abs(u * v).astype(np.float64) / noise**2
    energy = np.sum(np.abs(u) ** 2, dtype=np.float64) + np.sum(y * y, dtype=np.float64)
    gain = np.sum(kappa + np.log(i0e(kappa)))
    return float((gain - energy / (2 * noise**2)) / len(y) - y.shape[1] / 2 * np.log(2 * np.pi * noise**2))


def _made_ahead(batches: Pairs) -> Iterator[tuple[Array, Array]]:
    """The same batches, made by a second thread while the first learns from those before."""
    source = iter(batches)
    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(lambda: list(islice(source, _MAX_BATCHES_AHEAD)))
        while ready := coming.result():
            coming = worker.submit(lambda: list(islice(source, _MAX_BATCHES_AHEAD)))
            yield from ready
