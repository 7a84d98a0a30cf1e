"""Benchmarks: every figure is a ratio of two things timed side by side in one run, so it means the same anywhere."""

import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy import fft, integrate

from tsa.checks import Array
from tsa.gvm import GeneralizedVonMises
from tsa.model import Subgroup
from tsa.quadrature import partition
from tsa.trigpoly import evaluate


def densities(seed: int = 0) -> None:
    """Normaliser, moments and posterior against the bare transforms and matrix products they are made of."""
    rng = np.random.default_rng(seed)
    batch, K = 1000, 12
    print(f"log normaliser and {K} moments, batch of {batch:,}, K = {K}, κ ~ Gamma(1, scale)")
    for scale in (1.0, 10.0, 100.0):
        eta = rng.gamma(1.0, scale, (batch, K)) * np.exp(1j * rng.uniform(0, 2 * np.pi, (batch, K)))
        nodes = partition(eta, K)[2]
        ours, bare = _race(partial(partition, eta, K), partial(_bare, eta, nodes))
        _line(f"bare irfft + exp + rfft at the certified n, scale {scale:g}", ours, bare, f"{nodes.max()} nodes")
        if scale == 10.0:
            _against_others(eta, ours / batch)

    pairs, D, J = 10_000, 256, 50
    print(f"posterior of {pairs:,} pairs, D = {D}, J = {J}")
    w = np.linalg.qr(rng.normal(size=(D, 2 * J)))[0]
    model = Subgroup(w[:, ::2] + 1j * w[:, 1::2], np.sort(rng.integers(0, 13, J)))
    for dtype in (np.float32, np.float64):
        x, y = rng.normal(size=(2, pairs, D)).astype(dtype)
        ours, bare = _race(partial(model.posterior, x, y), partial(_two_products, x, y, w.astype(dtype)))
        _line(f"its two matrix products, {np.dtype(dtype).name}", ours, bare)


def _bare(eta: Array, nodes: Array) -> None:
    """The transforms alone, each density at its own certified size."""
    for n in np.unique(nodes):
        grid = fft.irfft(eta[nodes == n] * 1e-3, int(n), axis=-1, norm="forward")
        fft.rfft(np.exp(grid), axis=-1)


def _two_products(x: Array, y: Array, basis: Array) -> tuple[Array, Array]:
    return x @ basis, y @ basis


def _against_others(eta: Array, ours: float) -> None:
    """Seconds per normaliser of what can be installed today, on a few of the same densities."""
    few = eta[:5]

    orders = np.arange(1, eta.shape[-1] + 1)

    def quad() -> None:
        for one in few:
            kappa, mu = np.abs(one), np.angle(one)
            top = float(evaluate(one, np.asarray(GeneralizedVonMises(one).mode())))
            integrate.quad(lambda s, k=kappa, m=mu, t=top: np.exp(k @ np.cos(orders * s - m) - t), 0, 2 * np.pi)

    _line("scipy.integrate.quad, shifted by the maximum", ours, _clock(quad, 1) / len(few))
    if find_spec("pyrecest") is None:
        print("  PyRecEst is not installed here: pip install pyrecest to compare with it")
        return
    from pyrecest.distributions.circle.generalized_von_mises_distribution import GvMDistribution

    def pyrecest() -> object:  # it writes cos(k(s − μ_k)) where we write cos(ks − μ_k)
        return [GvMDistribution(np.angle(one) / orders, np.abs(one)).norm_const for one in few]

    _line("PyRecEst GvMDistribution", ours, _clock(pyrecest, 1) / len(few))


def _clock(function: Callable[[], object], repeat: int) -> float:
    """Best of `repeat` runs, in seconds."""
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def _race(ours: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Both timed alternately, so that a busy machine slows both."""
    times = np.array([(_clock(ours, 1), _clock(other, 1)) for _ in range(15)])
    return float(times[:, 0].min()), float(times[:, 1].min())


def _line(name: str, ours: float, other: float, note: str = "") -> None:
    ratio = f"{other / ours:8.1f}× faster than" if other > 2 * ours else f"{ours / other:8.2f}× the time of"
    print(f"  {ratio} {name} ({_readable(ours)} : {_readable(other)}{', ' + note if note else ''})")


def _readable(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"
