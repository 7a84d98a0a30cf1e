"""Filter and smoother of a chain s_1, s_2, … on a grid, with a certified error.

With von Mises steps the joint density of a sequence, seen as a function of one s_t while all others are held, is the
exponential of a trigonometric polynomial: the frame's own harmonics and those of the steps to its neighbours. The
trapezoid rule in s_t therefore has a relative error of at most ε, whatever the others are, if it has the number of
points that `nodes_for_all` gives for these concentrations. All terms are positive, so replacing one integral after
the other changes the evidence of T frames by a factor within (1 ± ε)^T. The filter on this grid is not an approximation
by cells: it is exact up to the stated error.

Sums over points are kept positive and are scaled at each frame. Numbers below 1e-45 of the largest are raised to
that, which avoids subnormal numbers; where a frame contradicts the prediction so strongly that this could matter, the
sequence is computed again with logarithms.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import circulant
from scipy.special import i0e, logsumexp

from tsa._base import Array
from tsa.density.numerics import nodes_for_all, on_grid, values_on_grid

TOLERANCE = 1e-9  # of the log evidence of a sequence, all frames together
FLOOR = 1e-45  # relative to the largest likelihood of a frame, or the largest step probability
_RESCALE_FRAMES = 8  # after which masses are divided by their sum: 1e-25 to this power is still a normal number
_LEAST_SCALE = 1e-25  # of a frame's mean likelihood over its largest, below which floors could be felt


class Chain(NamedTuple):
    """Masses of the filter and the smoother (T, …), the log evidence, and log p(frame | earlier frames) (T,)."""

    filtered: Array
    smoothed: Array | None
    log_evidence: Array
    surprise: Array


def points_needed(
    kappa: Array,
    harmonics: Array,
    steps: Array,
    frames: int,
    second_order: bool,
    start: tuple[Array, Array],
) -> tuple[int, ...]:
    """Points along each parameter for sequences of `frames` frames, whose concentrations are κ (N, H) at (H, p).

    A step of concentration c along a parameter adds 2c to its first harmonic: the step to the frame and the one from
    it. In a chain of second order, c·cos(s_{t+1} − 2s_t + s_{t−1}) adds 2c to the first harmonic and c to the second.
    `start` are concentrations and harmonics of the density of the first angle, to which no step leads.
    """
    sides = []
    for axis, step in enumerate(steps):
        orders = [np.abs(some[:, axis]) for some in (harmonics, start[1])]
        size = max(2, *(int(order.max(initial=0)) for order in orders)) + 1
        along, first = kappa @ (orders[0][:, None] == np.arange(size)), np.zeros(size)
        np.add.at(first, orders[1], start[0])
        first[1] -= step
        along += np.maximum(first, 0.0)
        along[:, 1] += 2 * step
        along[:, 2] += step if second_order else 0.0
        needed = nodes_for_all(along[:, 1:], TOLERANCE / (frames * len(steps)))
        sides.append(8 * -int(-needed // 8))  # a multiple of 8
    return tuple(sides)


def log_likelihoods(eta: Array, harmonics: Array, sides: tuple[int, ...]) -> Array:
    """Re Σ_k conj(η_k) e^{ik·s} at the points of the grid: (N, H) → (N, *sides)."""
    if len(sides) == 1:
        return on_grid(eta, sides[0])
    return values_on_grid(eta, harmonics, sides)


def log_step_matrix(kappa: float, drift: float, n: int) -> Array:
    """(n, n): log of the probability, up to quadrature, to step from point j to point i: VonMises(κ) about `drift`."""
    rise = -2 * kappa * np.sin((2 * np.pi / n * np.arange(n) - drift) / 2) ** 2
    return np.asarray(circulant(rise - np.log(n * i0e(kappa))))


def step_matrix(kappa: float, drift: float, n: int) -> Array:
    """The exponential of `log_step_matrix`, with the floor."""
    rise = -2 * kappa * np.sin((2 * np.pi / n * np.arange(n) - drift) / 2) ** 2
    return np.asarray(circulant(np.maximum(np.exp(rise), FLOOR) / (n * i0e(kappa))))


def walk(log_likelihood: Array, start: Array, kappa: Array, drift: Array, smooth: bool) -> Chain:
    """Filter and smoother of a random walk: log likelihoods (T, B, *sides), start masses (*sides) or (B, *sides).

    Steps have concentrations κ (p,) about `drift` (p,). Masses come out as (B, T, *sides).
    """
    frames, batch, *sides = log_likelihood.shape
    top = log_likelihood.reshape(frames, batch, -1).max(axis=-1)
    likelihood = scaled(log_likelihood, top.reshape(frames, batch, *(1,) * len(sides)))
    steps = [step_matrix(k, d, n) for k, d, n in zip(kappa, drift, sides, strict=True)]
    masses, scale = _forward(likelihood, start, steps)
    surprise = (np.log(scale) + top).T
    smoothed = _by_sequence(_backward(likelihood, masses, steps)) if smooth else None
    filtered = _by_sequence(masses)
    for row in np.flatnonzero(~(scale.min(axis=0) >= _LEAST_SCALE)):  # nan too
        begin = np.broadcast_to(start, (batch, *sides))[row]
        exact = _walk_in_logarithms(log_likelihood[:, row], begin, kappa, drift, smooth)
        filtered[row], surprise[row] = exact.filtered, exact.surprise
        if smoothed is not None and exact.smoothed is not None:
            smoothed[row] = exact.smoothed
    return Chain(filtered, smoothed, surprise.sum(axis=1), surprise)


def scaled(log_likelihood: Array, top: Array) -> Array:
    """Likelihoods relative to the largest of their frame, at least 1e-45."""
    likelihood = log_likelihood - top
    np.maximum(likelihood, np.log(FLOOR), out=likelihood)
    return np.exp(likelihood, out=likelihood)


def _forward(likelihood: Array, start: Array, steps: Sequence[Array]) -> tuple[Array, Array]:
    """Filtered masses (T, B, *sides) of any scale, and the mean likelihood of each frame under its prediction (T, B).

    Masses are divided by their sum at every eighth frame only: two operations are left for each of the others.
    """
    frames, batch, *sides = likelihood.shape
    masses, predicted = np.empty(likelihood.shape), np.empty((batch, *sides))
    mass = np.broadcast_to(start, (batch, *sides))
    before = np.ones((frames, batch))  # the sum of the masses from which a frame is predicted
    for t in range(frames):
        if t and t % _RESCALE_FRAMES == 0:
            mass = mass / _sums(mass[None])[0].reshape(-1, *(1,) * len(sides))
        if t:
            mass = _carried(mass, steps, predicted)
        np.multiply(mass, likelihood[t], out=masses[t])
        mass = masses[t]
    total = _sums(masses)
    carried_on = np.arange(1, frames) % _RESCALE_FRAMES != 0
    before[1:][carried_on] = total[:-1][carried_on]
    with np.errstate(invalid="ignore", divide="ignore"):  # where masses vanish, logarithms take over
        return masses, total / before


def _backward(likelihood: Array, masses: Array, steps: Sequence[Array]) -> Array:
    """Smoothed masses of any scale: each filtered mass times p(later frames | s_t)."""
    smoothed, back = masses.copy(), [np.ascontiguousarray(matrix.T) for matrix in steps]
    frames, batch, *sides = masses.shape
    weighted, carried = np.empty((2, batch, *sides))
    message = np.ones((batch, *sides))
    for t in range(frames - 2, -1, -1):
        np.multiply(message, likelihood[t + 1], out=weighted)
        if t % _RESCALE_FRAMES == 0:
            weighted /= np.maximum(_sums(weighted[None])[0], 1e-300).reshape(-1, *(1,) * len(sides))
        message = _carried(weighted, back, carried)
        smoothed[t] *= message
    return smoothed


def _carried(mass: Array, matrices: Sequence[Array], out: Array) -> Array:
    """Masses (B, n) or (B, n₁, n₂) after one step; backward messages with transposed matrices."""
    if len(matrices) == 1:
        return np.matmul(mass, matrices[0].T, out=out)
    return np.matmul(matrices[0] @ mass, matrices[1].T, out=out)


def _sums(masses: Array) -> Array:
    """The sum of the masses of each sequence at each frame: (T, B, *sides) → (T, B)."""
    flat = masses.reshape(*masses.shape[:2], -1)
    return np.asarray(flat @ np.ones(flat.shape[-1]))  # faster than a sum


def _by_sequence(masses: Array) -> Array:
    """Masses (T, B, *sides) of any scale with sum 1, sequences first: (B, T, *sides)."""
    result = np.empty((masses.shape[1], masses.shape[0], *masses.shape[2:]))
    total = _sums(masses).reshape(*masses.shape[:2], *(1,) * (masses.ndim - 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        np.divide(masses.swapaxes(0, 1), total.swapaxes(0, 1), out=result)
    return result


def _walk_in_logarithms(log_likelihood: Array, start: Array, kappa: Array, drift: Array, smooth: bool) -> Chain:
    """`walk` of one sequence (T, *sides), slower, for frames that contradict each other beyond 1e-25."""
    frames, *sides = log_likelihood.shape
    axes = tuple(range(len(sides)))
    steps = [log_step_matrix(k, d, n) for k, d, n in zip(kappa, drift, sides, strict=True)]

    def carried(values: Array, matrices: Sequence[Array]) -> Array:
        for axis, matrix in enumerate(matrices):
            along = np.moveaxis(values, axis, -1)
            values = np.moveaxis(logsumexp(along[..., None, :] + matrix, axis=-1), -1, axis)
        return values

    filtered, surprise = np.empty_like(log_likelihood), np.empty(frames)
    with np.errstate(divide="ignore"):
        predicted = np.log(start)
    for t in range(frames):
        joint = (predicted if t == 0 else carried(filtered[t - 1], steps)) + log_likelihood[t]
        surprise[t] = logsumexp(joint, axis=axes)
        filtered[t] = joint - surprise[t]
    smoothed = filtered.copy() if smooth else None
    if smoothed is not None:
        message, back = np.zeros(sides), [matrix.T for matrix in steps]
        for t in range(frames - 2, -1, -1):
            message = carried(message + log_likelihood[t + 1], back) - surprise[t + 1]
            smoothed[t] += message
    return Chain(np.exp(filtered), None if smoothed is None else np.exp(smoothed), np.asarray(surprise.sum()), surprise)
