"""Groups whose action is known, learned without it: against the model refined with the action, and from photos."""

import time

import numpy as np

from tsa._base import Array
from tsa.analysis import refine, spectra, weights_of_spectra
from tsa.experiments.discovery.cases import Case, Truth, equal_up_to_basis, score
from tsa.groups import CyclicShift, ImageRotation
from tsa.learning import discover
from tsa.model import Subgroup, Torus, Weights


def compare_with_refined(action: CyclicShift | ImageRotation, pairs: int, seed: int) -> str:
    """Discover from white noise, and measure the angles to the weight spaces refined with the action, in words."""
    x, y, _ = action.pairs(pairs, np.random.default_rng(seed))
    begun = time.perf_counter()
    found = discover(x, y)
    seconds = time.perf_counter() - begun
    if not found.found:
        return f"{action}: {found.sentence}"
    known = refine(Torus(_whole_span(action)), action)
    weights = weights_of_spectra(spectra(found.model.filters, action), action)
    same = _same_weights(weights.values, found.model, action)
    angles = _angles(found.model.filters, weights, known)
    return (
        f"{action}: {found.group}, {same} of {found.model.subspaces} weights as with the action (refined: "
        f"{known.subspaces}); angle to the weight space of the action: median {np.median(angles):.1f}°, "
        f"{np.mean(angles < 2):.0%} within 2°, worst {np.max(angles):.1f}°  {seconds:.1f} s"
    )


def _angles(filters: Array, weights: Weights, known: Subgroup) -> Array:
    """For each filter the largest principal angle to the known space of its weight, in degrees: (J,)."""
    return np.array([_largest_angle(filters[:, j], known, weight) for j, weight in enumerate(weights)])


def _whole_span(action: CyclicShift | ImageRotation) -> Array:
    """Filters that span all pixels the action moves, or all but one if their number is odd."""
    size = action.support.size // 2
    filters = np.zeros((action.dimension, size), np.complex128)
    filters[action.support[: 2 * size : 2], np.arange(size)] = 1
    filters[action.support[1 : 2 * size : 2], np.arange(size)] = 1j
    return filters


def _same_weights(estimated: Array, model: Subgroup, action: CyclicShift | ImageRotation) -> int:
    """How many weights agree with those estimated with the action, up to a change of basis or a unit of Z/n."""
    if model.parameters > 1:
        return int(equal_up_to_basis(model.irreps.values, estimated, action.shape[0]).sum())
    mine, estimated = np.abs(model.irreps.values), np.abs(estimated)
    if isinstance(action, ImageRotation):
        return int(np.sum(np.all(mine == estimated, axis=1)))
    n = action.dimension
    units = [unit for unit in range(1, n) if np.gcd(unit, n) == 1]
    folded = [np.minimum(mine * unit % n, -mine * unit % n) for unit in units]
    return max(int(np.sum(np.all(one == estimated, axis=1))) for one in folded)


def _largest_angle(filter_: Array, known: Subgroup, weight: object) -> float:
    """The largest principal angle, in degrees, of a subspace to the known space of its weight ±ω."""
    members = known.irreps.spaces().get(_folded(weight), np.zeros(0, np.int64))
    if not len(members):
        return 90.0
    space = np.concatenate([known.filters[:, members].real, known.filters[:, members].imag], axis=1)
    basis, size, _ = np.linalg.svd(space, full_matrices=False)
    basis = basis[:, size > 1e-6]
    columns = np.stack([filter_.real, filter_.imag], axis=1) if filter_.imag.any() else filter_.real[:, None]
    own = np.linalg.qr(columns)[0]
    if basis.shape[1] < own.shape[1]:
        return 90.0
    cosine = np.linalg.svd(basis.T @ own, compute_uv=False)[-1]
    return float(np.degrees(np.arccos(np.clip(cosine, 0, 1))))


def _folded(weight: object) -> int | tuple[int, ...]:
    values = np.atleast_1d(np.asarray(weight))
    first = values[np.flatnonzero(values)[0]] if values.any() else 1
    values = values if first > 0 else -values
    return int(values[0]) if len(values) == 1 else tuple(int(v) for v in values)


def photo_case(size: int = 12) -> Case | None:
    """Discs of two photographs of scikit-learn, brightness removed, turned; None where it is not installed."""
    try:
        from sklearn.datasets import load_sample_images
    except ImportError:
        return None
    pictures = [picture.mean(axis=2) for picture in load_sample_images().images]
    action = ImageRotation(size)

    def pairs(n: int, rng: np.random.Generator, noise: float) -> Truth:
        patches = np.zeros((n, size * size))
        for i, which in enumerate(rng.integers(len(pictures), size=n)):
            top, left = rng.integers(np.array(pictures[which].shape) - size)
            patches[i] = pictures[which][top : top + size, left : left + size].ravel()
        inside = patches[:, action.support]
        patches = np.zeros_like(patches)
        patches[:, action.support] = inside - inside.mean(axis=1, keepdims=True)
        x, y, index = action.pairs(n, rng, patches)
        return x, y + noise * rng.standard_normal(y.shape), action.lattice[index][:, None]

    return Case(f"photos turned, {size}×{size}", 1, pairs, None, exact=False)


def photos_in_words(pairs: int, seed: int) -> str:
    """Weights right and purity of turned photos; in words."""
    case = photo_case()
    if case is None:
        return "photos: skipped, scikit-learn is not installed"
    x, y, _ = case.pairs(pairs, np.random.default_rng(seed), 0.0)
    begun = time.perf_counter()
    found = discover(x, y)
    seconds = time.perf_counter() - begun
    if not found.found:
        return f"{case.name}, {pairs:,} pairs: {found.sentence}"
    right, equivariance = score(found, case.pairs(2000, np.random.default_rng([seed, 1]), 0.0), 0)
    planes = ~found.model.lines
    heights = spectra(found.model.filters[:, planes], ImageRotation(12)) if found.orthogonal else np.zeros((1, 1))
    pure = int(np.sum(heights.max(axis=1) > 0.9))
    return (
        f"{case.name}, {pairs:,} pairs: {right.sum()} of {len(right)} weights right, median equivariance "
        f"{np.median(equivariance):.2f}, {pure} planes of purity above 0.9  {seconds:.1f} s"
    )
