"""Filter and smoother of a chain with velocity: s_t = s_{t−1} + v_t, and v_t is v_{t−1} plus a von Mises step.

The state is a pair of an angle and a velocity on one grid of n points, so that adding the velocity permutes points and
needs no interpolation. As a chain of second order in s it has the certificate of `_chains`.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import i0e

from tsa._base import Array
from tsa.model._chains import FLOOR, scaled


class VelocityChain(NamedTuple):
    """Masses over angles and over velocities (T, n), from the filter and the smoother; log p(frame | earlier) (T,).

    `rim` is the largest probability that the smoother gives to the outermost velocities of a restricted range, and
    `least` the smallest mean likelihood of a frame relative to its largest.
    """

    filtered: Array
    filtered_velocity: Array
    smoothed: Array | None
    smoothed_velocity: Array | None
    surprise: Array
    rim: float
    least: float


def velocity_walk(
    log_likelihood: Array, start: Array, kappa: float, max_speed: float | None, smooth: bool
) -> VelocityChain:
    """Filter and smoother of one sequence: log likelihoods (T, n), start masses (n,), velocities uniform at first."""
    frames, n = log_likelihood.shape
    speeds = _speeds(n, max_speed)
    steps = _steps(speeds, kappa, n, restricted=len(speeds) < n)
    before = np.mod(np.arange(n)[:, None] - speeds, n)  # where an angle came from, given the velocity that led to it
    columns = np.arange(len(speeds))
    top = log_likelihood.max(axis=1)
    likelihood = scaled(log_likelihood, top[:, None])
    states, scale = np.empty((frames, n, len(speeds))), np.empty(frames)
    state = np.multiply.outer(start, np.full(len(speeds), 1 / len(speeds)))
    for t in range(frames):
        predicted = state if t == 0 else (state @ steps.T)[before, columns]
        state = states[t]
        np.multiply(predicted, likelihood[t, :, None], out=state)
        scale[t] = state.sum()
        state /= scale[t]
        np.maximum(state, FLOOR, out=state)
    angles, velocities = states.sum(axis=2), _on_circle(states.sum(axis=1), speeds, n)
    smoothed = smoothed_velocity = None
    if smooth:
        after = np.mod(np.arange(n)[:, None] + speeds, n)
        message = np.ones((n, len(speeds)))
        for t in range(frames - 2, -1, -1):
            message = (message * likelihood[t + 1, :, None])[after, columns] @ steps
            message /= scale[t + 1]
            states[t] *= message
        smoothed, smoothed_velocity = states.sum(axis=2), _on_circle(states.sum(axis=1), speeds, n)
    rim = float(states[1:, :, [0, -1]].sum(axis=(1, 2)).max(initial=0.0)) if len(speeds) < n else 0.0
    surprise = np.log(scale) + top
    return VelocityChain(angles, velocities, smoothed, smoothed_velocity, surprise, rim, float(scale.min()))


def _speeds(n: int, max_speed: float | None) -> Array:
    """The velocities of the grid in points per frame: all n, or those up to `max_speed` radians in either direction."""
    reach = n // 2 if max_speed is None else int(max_speed * n / (2 * np.pi))
    return np.arange(-reach, reach + 1) if 2 * reach + 1 < n else np.arange(n) - n // 2


def _steps(speeds: Array, kappa: float, n: int, restricted: bool) -> Array:
    """(m, m): the probability that velocity j becomes i. In a restricted range it is conditional on staying there."""
    turn = 2 * np.pi / n * np.subtract.outer(speeds, speeds)
    steps = np.maximum(np.exp(-2 * kappa * np.sin(turn / 2) ** 2), FLOOR)
    return steps / (steps.sum(axis=0) if restricted else n * i0e(kappa))


def _on_circle(mass: Array, speeds: Array, n: int) -> Array:
    """Masses of velocities (T, m) at their places on the circle (T, n)."""
    result = np.zeros((len(mass), n))
    result[:, np.mod(speeds, n)] = mass
    return result
