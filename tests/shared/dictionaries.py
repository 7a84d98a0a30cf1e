"""Made-up dictionaries with known truth, and spectra by brute force: code that shares nothing with the reports."""

from dataclasses import dataclass

import numpy as np
from scipy import ndimage


def shares_under_shifts(f):
    """The share of a picture (h, w) at each frequency, by sums over pixels: {(k1, k2): share}, k in 0…n−1."""
    h, w = f.shape
    rows = np.exp(-2j * np.pi * np.outer(np.arange(h), np.arange(h)) / h)
    columns = np.exp(-2j * np.pi * np.outer(np.arange(w), np.arange(w)) / w)
    power = np.abs(rows @ f @ columns.T) ** 2
    return power / power.sum()


def turned(pictures, degrees):
    """Pictures (n, side, side) turned counter-clockwise about their centre by scipy, cubic splines, mirrored border."""
    return ndimage.rotate(pictures, degrees, axes=(2, 1), reshape=False, order=3, mode="mirror")


def shares_under_rotations(f, weights, number=360):
    """The share of complex pictures (n, side, side) at each weight, inside the disc: (n, weights)."""
    n, side = f.shape[:2]
    y, x = np.indices((side, side)) - (side - 1) / 2
    disc = np.hypot(x, y) <= side / 2
    inside = np.where(disc, f, 0)
    norm = (np.abs(inside) ** 2).sum(axis=(1, 2))
    total = np.zeros((n, len(weights)))
    for m in range(number):
        moved = turned(inside.real, 360 * m / number) - 1j * turned(inside.imag, 360 * m / number)
        response = (inside * np.where(disc, moved, 0)).sum(axis=(1, 2)) / norm
        total += (response[:, None] * np.exp(-2j * np.pi * m * np.asarray(weights) / number)).real / number
    return total


@dataclass
class Truth:
    """What each filter of a made-up dictionary is: its weight, its share, its partner, what it copies; −1 for none."""

    weight: np.ndarray
    share: np.ndarray
    partner: np.ndarray
    original: np.ndarray
    dead: np.ndarray
    noisy: np.ndarray


def wave(shape, k, phase):
    """A cosine of frequency k on a torus of pixels, as a unit vector."""
    y, x = np.indices(shape)
    f = np.cos(2 * np.pi * (k[0] * y / shape[0] + k[1] * x / shape[1]) + phase).ravel()
    return f / np.linalg.norm(f)


def harmonic(side, k, order, phase):
    """A real disc harmonic: a bump of the radius times cos(kθ + phase), as a unit vector."""
    y, x = np.indices((side, side)) - (side - 1) / 2
    r, theta = np.hypot(x, y) / (side / 2), np.arctan2(-y, x)
    centre = 0.35 + 0.06 * min(k, 6) + 0.16 * order
    f = np.where(r <= 1, np.exp(-(((r - centre) / 0.16) ** 2)) * np.cos(k * theta + phase), 0.0).ravel()
    return f / np.linalg.norm(f)


def dictionary(number, pure, weights, rng, shape):
    """A real dictionary of `number` filters and its truth; `pure(k, phase)` makes a filter of weights[i].

    A third are quadrature pairs, scattered; then mixtures of two weights at known ratios, copies with the other sign,
    dead and noisy ones; in random order.
    """
    filters, truth = [], []
    planes = [k for k in weights if np.any(k)]
    spare = [planes[i] for i in rng.permutation(len(planes))]
    pixels = int(np.prod(shape))

    def put(f, weight=None, share=0.0, partner=-1, original=-1, dead=False, noisy=False):
        filters.append(f)
        truth.append((weight, share, partner, original, dead, noisy))
        return len(filters) - 1

    pairs, copies = [], []
    while spare and len(filters) < number * 0.6:
        k, phase = spare.pop(), rng.uniform(0, 2 * np.pi)
        first = put(pure(k, phase), k, 1.0)
        second = put(pure(k, phase + np.pi / 2), k, 1.0, partner=first)
        truth[first] = (k, 1.0, second, -1, False, False)
        pairs.append(first)
    while len(filters) < number * 0.75:
        a, b = rng.choice(len(planes), 2, replace=False)
        share = float(rng.choice([0.65, 0.75, 0.85]))
        put(
            np.sqrt(share) * pure(planes[a], rng.uniform(0, 6)) + np.sqrt(1 - share) * pure(planes[b], 0.3),
            planes[a],
            share,
        )
    while len(filters) < number * 0.9:
        source = int(rng.choice(pairs))
        copies.append(put(-2.5 * filters[source], truth[source][0], 1.0, original=source))
    while len(filters) < number * 0.95:
        put(np.zeros(pixels) if len(filters) % 2 else 1e-5 * rng.standard_normal(pixels), dead=True)
    while len(filters) < number:
        f = rng.standard_normal(pixels)
        put(f / np.linalg.norm(f), noisy=True)
    order = rng.permutation(number)
    place = np.argsort(order)
    at = lambda j: int(place[j]) if j >= 0 else -1  # noqa: E731
    truth = [truth[j] for j in order]
    columns = zip(*truth, strict=True)
    weight, share, partner, original, dead, noisy = columns
    zero = np.zeros_like(np.atleast_1d(planes[0]))
    return np.stack([filters[j] for j in order], axis=1), Truth(
        np.stack([np.atleast_1d(zero if k is None else k) for k in weight]),
        np.array(share),
        np.array([at(j) for j in partner]),
        np.array([at(j) for j in original]),
        np.array(dead),
        np.array(noisy),
    )


def gabors(side, rng, number=96):
    """Kernels as a first layer has them: Gabor functions of random places, directions and phases."""
    y, x = np.indices((side, side)) - (side - 1) / 2
    kernels = []
    for _ in range(number):
        angle, phase, wave = rng.uniform(0, np.pi), rng.uniform(0, 2 * np.pi), rng.uniform(0.8, 2.2)
        dy, dx = rng.uniform(-1.5, 1.5, 2)
        u = (x - dx) * np.cos(angle) + (y - dy) * np.sin(angle)
        kernels.append(np.exp(-((x - dx) ** 2 + (y - dy) ** 2) / (side / 2.2) ** 2) * np.cos(wave * u + phase))
    return np.stack(kernels)


def photograph_patches(number, side, rng):
    """Patches of a photograph that comes with scikit-learn, without their mean."""
    from sklearn.datasets import load_sample_image

    image = load_sample_image("china.jpg").mean(axis=2)[::2, ::2]
    corners = rng.integers(0, np.array(image.shape) - side, (number, 2))
    patches = np.stack([image[y : y + side, x : x + side].ravel() for y, x in corners]) / 255
    return patches - patches.mean(axis=1, keepdims=True)


def learned(learner):
    """The components (n, 144) that scikit-learn finds in patches of a photograph: "ica" 48 of them, else 200."""
    from sklearn.decomposition import FastICA, MiniBatchDictionaryLearning

    x = photograph_patches(4000, 12, np.random.default_rng(8))
    if learner == "ica":
        return FastICA(48, whiten="unit-variance", max_iter=1000, tol=1e-2, random_state=0).fit(x).components_
    fitted = MiniBatchDictionaryLearning(200, alpha=0.5, max_iter=20, batch_size=200, random_state=0).fit(x)
    return fitted.components_
