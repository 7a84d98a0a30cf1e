"""Benchmarks: every result is a ratio of two operations timed side by side in one run, comparable between machines."""

import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy import fft, integrate, ndimage
from threadpoolctl import threadpool_limits

from tsa._base import Array
from tsa.density import GeneralizedVonMises, TorusVonMises
from tsa.density.numerics import evaluate, partition, torus_partition
from tsa.files import load
from tsa.learning import BUNDLED, TrainingRun
from tsa.model import Subgroup, Torus, balanced, fourier_model
from tsa.pictures import Digits, rotated
from tsa.recognition import BispectralDistance, Euclidean, ManifoldDistance, Metric, Neighbours, TorusDistance


def densities(seed: int = 0) -> None:
    """Normaliser, moments and posterior against the bare transforms and matrix products they consist of."""
    rng = np.random.default_rng(seed)
    batch, K = 1000, 12
    print(f"log normaliser and {K} moments, batch of {batch:,}, K = {K}, κ ~ Gamma(1, scale)")
    for scale in (1.0, 10.0, 100.0):
        eta = rng.gamma(1.0, scale, (batch, K)) * np.exp(1j * rng.uniform(0, 2 * np.pi, (batch, K)))
        nodes = partition(eta, K)[2]
        ours, bare = _race(partial(partition, eta, K), partial(_bare, eta, nodes))
        print_ratio(f"bare irfft + exp + rfft at the certified n, scale {scale:g}", ours, bare, f"{nodes.max()} nodes")
        if scale == 10.0:
            _against_others(eta, ours / batch)

    pairs, D, J = 10_000, 256, 50
    print(f"posterior of {pairs:,} pairs, D = {D}, J = {J}")
    w = np.linalg.qr(rng.normal(size=(D, 2 * J)))[0]
    model = Subgroup(w[:, ::2] + 1j * w[:, 1::2], np.sort(rng.integers(0, 13, J)))
    for dtype in (np.float32, np.float64):
        x, y = rng.normal(size=(2, pairs, D)).astype(dtype)
        ours, bare = _race(partial(model.posterior, x, y), partial(_two_products, x, y, w.astype(dtype)))
        print_ratio(f"its two matrix products, {np.dtype(dtype).name}", ours, bare)
    _sets_and_modes(rng)


def _sets_and_modes(rng: np.random.Generator, batch: int = 1000) -> None:
    """Credible sets and modes as multiples of the log normaliser, and how far their time grows with κ."""
    scales = (1.0, 1e2, 1e4, 1e6)
    print(f"90 % credible sets and modes, batch of {batch}, as multiples of log Z; κ ~ Gamma(1, scale)")
    print("    K  " + "".join(f"{f'scale {scale:g}':>18}" for scale in scales) + "   slowest : fastest scale")
    worst = np.zeros(2)
    for K in (2, 4, 8, 16, 32, 64):
        times = np.empty((len(scales), 3))
        for i, scale in enumerate(scales):
            eta = rng.gamma(1.0, scale, (batch, K)) * np.exp(1j * rng.uniform(0, 2 * np.pi, (batch, K)))
            times[i] = _best_times(
                partial(_credible_set, eta), partial(_modes, eta), partial(_log_normalizer, eta), rounds=9
            )
        multiples = times[:, :2] / times[:, 2:]
        worst = np.maximum(worst, multiples.max(axis=0))
        growth = times[:, :2].max(axis=0) / times[:, :2].min(axis=0)
        columns = "".join(f"{sets:9.1f}× {modes:6.1f}×" for sets, modes in multiples)
        print(f"  {K:3d}  {columns}   {growth[0]:.1f}× {growth[1]:.1f}×")
    print(f"  at most {worst[0]:.1f}× for credible sets and {worst[1]:.1f}× for modes")
    many, K = 10_000, 12
    eta = rng.gamma(1.0, 1.0, (many, K)) * np.exp(1j * rng.uniform(0, 2 * np.pi, (many, K)))
    sets, log_z = _best_times(partial(_credible_set, eta), partial(_log_normalizer, eta))
    print_ratio(f"log Z: {many:,} credible sets, K = {K}, scale 1", sets, log_z)


def _credible_set(eta: Array) -> Array:
    return GeneralizedVonMises(eta).credible_set(0.9)


def _modes(eta: Array) -> object:
    return GeneralizedVonMises(eta).modes()


def _log_normalizer(eta: Array) -> Array:
    return GeneralizedVonMises(eta).log_normalizer


def torus(seed: int = 0) -> None:
    """log Z and moments of posteriors over shifts of pictures: time by concentration, memory, and batches."""
    rng, noises = np.random.default_rng(seed), (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
    print("log normaliser and all moments over the 2-torus, CPU milliseconds by σ, slowest : fastest, largest memory")
    print(f"  {'':22}" + "".join(f"{noise:8g}" for noise in noises))
    for side in (16, 32, 64):
        for name, x in _torus_pictures(side, rng).items():
            times, memory = [], 0.0
            for noise in noises:
                density = _shift_posterior(x, noise, rng, hidden=name == "dot out of sight")
                solve = partial(torus_partition, density.eta[None], density.frequencies, True)
                times.append(float(_best_times(solve, rounds=7 if side < 64 else 3)[0]))
                memory = max(memory, _peak_megabytes(solve))
            row = "".join(f"{1e3 * t:8.1f}" for t in times)
            print(f"  {f'{side}×{side} {name}':22}{row}   {max(times) / min(times):.1f}×  {memory:.0f} MB")
    for noise in (1.0, 0.1):
        pairs = [_shift_posterior(rng.standard_normal((16, 16)), noise, rng) for _ in range(1000)]
        eta, k = np.stack([p.eta for p in pairs]), pairs[0].frequencies
        batch, some = _best_times(partial(torus_partition, eta, k, True), partial(_one_by_one, eta[:50], k), rounds=2)
        some *= 20
        print_ratio(f"one by one: 1,000 pairs of 16×16, σ = {noise:g} (50 measured)", batch, some)


def _torus_pictures(side: int, rng: np.random.Generator) -> dict[str, Array]:
    """White noise, noise with the spectrum of photographs, a bar, and a dot that will be hidden."""
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side)))
    clouds = np.fft.ifft2(np.fft.fft2(rng.standard_normal((side, side))) / np.maximum(frequency, 1 / side)).real
    axis = np.arange(side) - side / 2
    return {
        "noise": rng.standard_normal((side, side)),
        "clouds": clouds / clouds.std(),
        "bar": np.exp(-(axis**2) / 2) * np.ones((side, 1)),
        "dot out of sight": np.exp(-(axis[:, None] ** 2 + axis**2) / 2),
    }


def _shift_posterior(x: Array, noise: float, rng: np.random.Generator, hidden: bool = False) -> TorusVonMises:
    """The posterior of x moved by whole pixels, with noise; `hidden`: seen in the corners only, where x is not."""
    y = np.roll(x, (3, 5), (0, 1)) + noise * rng.standard_normal(x.shape)
    seen = None
    if hidden:
        seen = np.ones(x.shape)
        seen[tuple(slice(n // 8, n - n // 8) for n in x.shape)] = 0.0
    posterior = fourier_model(x.shape, noise).posterior(
        x.ravel(), y.ravel(), seen=None if seen is None else seen.ravel()
    )
    assert isinstance(posterior, TorusVonMises)
    return posterior


def _one_by_one(eta: Array, k: Array) -> None:
    for one in eta:
        torus_partition(one[None], k, True)


def _peak_megabytes(function: Callable[[], object]) -> float:
    """Largest memory that numpy held at once during a call."""
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def learning(steps: int = 2500) -> None:
    """The paper's training run, data included, against its bare matrix products and the plain way to write it."""
    run = replace(BUNDLED["rotation-16"], n_pairs=100 * steps)
    print(f"the paper's run: {run.n_pairs:,} pairs of 16×16 noise, 100 filters, batches of 100")
    ours = _clock(partial(_train, run), 1)
    bare = _clock(partial(_four_products, 256, 100, 100, steps), 1)
    print_ratio("the four bare float32 products of each step", ours, bare)
    plain = _clock(partial(_plain_training, steps // 10), 1) * 10
    print_ratio("float64, scipy.ndimage per image, SVD per step (a tenth measured)", ours, plain)
    half = _clock(partial(_train, replace(run, n_pairs=50 * steps)), 1)
    print(f"  {ours / half:8.2f}× the time for twice the pairs")
    _print_peak_memory()
    print("time per pair, and per pair and D·J, as the patch grows; a batch has as many pairs as there are filters")
    for side, subspaces in ((8, 12), (16, 50), (28, 150)):
        sized = replace(
            run, shape=(side, side), n_subspaces=subspaces, batch_size=2 * subspaces, n_pairs=400 * subspaces
        )
        next(sized.action.stream(0))  # makes the matrices that move pairs
        seconds = _clock(partial(_train, sized), 1) / sized.n_pairs
        per_unit = seconds / (side * side * subspaces)
        print(f"  D = {side * side:4d}, J = {subspaces:3d}: {_readable(seconds)}, {per_unit * 1e9:.3f} ns")


def recognition(train: Digits, test: Digits, slices: int = 20) -> None:
    """Exact searches among rotated digits against the plain matrix product, timed alternately on slices of queries."""
    x, queries = (rotated(digits, seed).patches for seed, digits in enumerate((train, test)))
    model = load("rotation-16-refined")
    assert isinstance(model, Subgroup)
    print(f"nearest of {len(x):,} rotated digits, 16×16, for each of {len(queries):,}; preparation included")
    metrics: dict[str, Metric] = {
        "manifold distance": ManifoldDistance(balanced(model, x[:10_000])),
        "√κ̂": TorusDistance(model),
        "bispectrum, 128 axes": BispectralDistance.fitted(model, x[:10_000], 128),
        "Euclidean distance": Euclidean(),
    }
    ours, plain = dict.fromkeys(metrics, 0.0), dict.fromkeys(metrics, 0.0)
    for name, metric in metrics.items():
        start = time.perf_counter()
        search = Neighbours(x, metric)
        ours[name] = time.perf_counter() - start
        for part in np.array_split(queries, slices):
            ours[name] += _clock(partial(search.query, part), 1)
            plain[name] += _clock(partial(_plain_nearest, x, part), 1)
        print_ratio(f"a plain Euclidean search by matrix product: {name}, exact", ours[name], plain[name])
    few = queries[:20]
    turned = _clock(partial(_turned_nearest, model, x, few), 1) * len(queries) / len(few)
    print_ratio("products with queries turned by 360 angles (20 queries measured)", ours["manifold distance"], turned)
    _print_peak_memory()


def _plain_nearest(train: Array, queries: Array) -> Array:
    """argmax ⟨x, y⟩ − ‖y‖²/2 in single precision, in place, in blocks of 128: not exact, but the fastest known way."""
    half = np.einsum("nd,nd->n", train, train) / 2
    scores, best = np.empty((128, len(train)), np.float32), []
    for start in range(0, len(queries), 128):
        block = queries[start : start + 128]
        some = np.matmul(block, train.T, out=scores[: len(block)])
        some -= half
        best.append(np.argmax(some, axis=1))
    return np.concatenate(best)


def _turned_nearest(model: Subgroup, train: Array, queries: Array) -> Array:
    """Brute force: the coordinates of each query turned by every degree, one product for each query."""
    z, squares = model.coordinates(train).view(np.float32), np.einsum("nd,nd->n", train, train)
    angles = np.radians(np.arange(360))
    turns = np.exp(1j * np.multiply.outer(angles, model.weights)).astype(np.complex64)
    best = [((turns * u).view(np.float32) @ z.T).max(axis=0) for u in model.coordinates(queries)]
    return np.argmin(squares - 2 * np.stack(best), axis=1)


def _train(run: TrainingRun) -> None:
    with threadpool_limits(1, "blas"):  # as `train_run`
        for _ in run.train():
            pass


def _four_products(D: int, filters: int, batch: int, steps: int) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, batch, D), np.float32)
    w, g = rng.standard_normal((D, filters), np.float32), rng.standard_normal((batch, filters), np.float32)
    for _ in range(steps):
        x @ w, y @ w, x.T @ g, y.T @ g


def _plain_training(steps: int) -> None:
    """The paper's algorithm, written without regard to speed."""
    rng = np.random.default_rng(0)
    w = np.linalg.qr(rng.normal(size=(256, 100)))[0]
    for step in range(steps):
        x = rng.normal(size=(100, 16, 16))
        angles = rng.uniform(0, 360, 100)
        y = np.stack([ndimage.rotate(one, a, reshape=False) for one, a in zip(x, angles, strict=True)])
        x, y = x.reshape(100, -1), y.reshape(100, -1)
        gradient = Torus(w[:, ::2] + 1j * w[:, 1::2]).evidence_gradient(x, y).filters / 100
        columns = np.stack([gradient.real, gradient.imag], -1).reshape(w.shape)
        u, _, v = np.linalg.svd(w + 0.25 / np.sqrt(1 + step // 100) * columns, full_matrices=False)
        w = u @ v


def _bare(eta: Array, nodes: Array) -> None:
    """The transforms alone, each density at its own certified size."""
    for n in np.unique(nodes):
        grid = fft.irfft(eta[nodes == n] * 1e-3, int(n), axis=-1, norm="forward")
        fft.rfft(np.exp(grid), axis=-1)


def _two_products(x: Array, y: Array, basis: Array) -> tuple[Array, Array]:
    return x @ basis, y @ basis


def _against_others(eta: Array, ours: float) -> None:
    """Seconds per normaliser of other packages, on a few of the same densities."""
    few = eta[:5]

    orders = np.arange(1, eta.shape[-1] + 1)

    def quad() -> None:
        for one in few:
            kappa, mu = np.abs(one), np.angle(one)
            top = float(evaluate(one, np.asarray(GeneralizedVonMises(one).mode())))
            integrate.quad(lambda s, k=kappa, m=mu, t=top: np.exp(k @ np.cos(orders * s - m) - t), 0, 2 * np.pi)

    print_ratio("scipy.integrate.quad, shifted by the maximum", ours, _clock(quad, 1) / len(few))
    if find_spec("pyrecest") is None:
        print("  PyRecEst is not installed here: pip install pyrecest to compare with it")
        return
    from pyrecest.distributions.circle.generalized_von_mises_distribution import GvMDistribution

    def pyrecest() -> object:  # it writes cos(k(s − μ_k)) where we write cos(ks − μ_k)
        return [GvMDistribution(np.angle(one) / orders, np.abs(one)).norm_const for one in few]

    print_ratio("PyRecEst GvMDistribution", ours, _clock(pyrecest, 1) / len(few))


def _print_peak_memory() -> None:
    """Print the peak memory of this process; nothing where Python cannot measure it (Windows)."""
    try:
        import resource
    except ImportError:
        return
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    print(f"  {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20:8.0f} MB at the most")


def _clock(function: Callable[[], object], repeat: int) -> float:
    """Best of `repeat` runs, in seconds."""
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def _best_times(*functions: Callable[[], object], rounds: int = 3) -> Array:
    """The best time of each in seconds of CPU; timed alternately, so that a busy machine slows all."""
    times = np.empty((rounds, len(functions)))
    with threadpool_limits(1, "blas"):  # threads that wait for each other use CPU as well
        for row in times:
            for i, function in enumerate(functions):
                start = time.process_time()
                function()
                row[i] = time.process_time() - start
    best: Array = times.min(axis=0)
    return best


def _race(ours: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """The best times of both, in seconds; timed alternately, so that a busy machine slows both."""
    times = np.array([(_clock(ours, 1), _clock(other, 1)) for _ in range(15)])
    return float(times[:, 0].min()), float(times[:, 1].min())


def print_ratio(name: str, ours: float, other: float, note: str = "") -> None:
    """Print the ratio of two times in seconds: how much faster `ours` is than `other`, or its multiple."""
    ratio = f"{other / ours:8.1f}× faster than" if other > 2 * ours else f"{ours / other:8.2f}× the time of"
    print(f"  {ratio} {name} ({_readable(ours)} : {_readable(other)}{', ' + note if note else ''})")


def _readable(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"
