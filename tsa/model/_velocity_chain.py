"""Filter and smoother of a chain with velocity: s_t = s_{t−1} + v_t, and v_t is v_{t−1} plus a von Mises step.

The state is a pair of s and a velocity on one grid, so that adding the velocity permutes points and needs no
interpolation. As a chain of second order in s it has the certificate of `_chains`. Arrays of states have the velocities
first, (m, n), or (m₁, m₂, n₁, n₂) for two parameters.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import i0e

from tsa._base import Array
from tsa.model._chains import FLOOR, scaled

_BLOCK_ROWS = 64  # velocities whose steps are summed in one matrix product
_SMALLEST = 1e-300  # of a backward message, which avoids subnormal numbers

Blocks = list[tuple[slice, Array | slice, Array]]


class VelocityChain(NamedTuple):
    """Masses over s and over velocities (T, *sides), from the filter and the smoother; log p(frame | earlier) (T,).

    `rim` is the largest probability that the smoother (or else the filter) gives to the outermost velocities of a
    restricted range, and `least` the smallest mean likelihood of a frame relative to its largest.
    """

    filtered: Array
    filtered_velocity: Array
    smoothed: Array | None
    smoothed_velocity: Array | None
    surprise: Array
    rim: float
    least: float


def velocities(sides: tuple[int, ...], max_speed: Array) -> list[Array]:
    """Along each parameter the velocities in points per frame: all n, or those up to `max_speed` (p,) radians."""
    result = []
    for n, fastest in zip(sides, max_speed, strict=True):
        reach = int(min(fastest * n / (2 * np.pi), n // 2))
        result.append(np.arange(-reach, reach + 1) if 2 * reach + 1 < n else np.arange(n) - n // 2)
    return result


def velocity_walk(log_likelihood: Array, start: Array, kappa: Array, max_speed: Array, smooth: bool) -> VelocityChain:
    """Filter and smoother of one sequence: log likelihoods (T, *sides), start masses (*sides), κ and max_speed (p,).

    At the first frame every velocity is equally probable.
    """
    frames, *grid = log_likelihood.shape
    sides, p = tuple(grid), len(grid)
    speeds = velocities(sides, max_speed)
    counts = tuple(map(len, speeds))
    steps = [_steps(v, k, n) for v, k, n in zip(speeds, kappa, sides, strict=True)]
    over_velocities, over_angles = tuple(range(p)), tuple(range(p, 2 * p))
    top = log_likelihood.reshape(frames, -1).max(axis=1)
    likelihood = scaled(log_likelihood, top.reshape(frames, *(1,) * p))
    states, scale = np.empty((frames if smooth else 1, *counts, *sides)), np.empty(frames)
    angles, filtered_velocity = np.empty((frames, *sides)), np.zeros((frames, *sides))
    forward = [_blocks(matrix) for matrix in steps]
    state = np.broadcast_to(start / np.prod(counts), (*counts, *sides))
    places = np.ix_(*(np.mod(v, n) for v, n in zip(speeds, sides, strict=True)))
    for t in range(frames):
        predicted = state if t == 0 else _moved(_stepped(state, forward), speeds, sides, 1)
        state = states[t if smooth else 0]
        np.multiply(predicted, likelihood[t], out=state)
        scale[t] = state.sum()
        state /= scale[t]
        np.maximum(state, FLOOR, out=state)
        angles[t] = state.sum(axis=over_velocities)
        filtered_velocity[t][places] = state.sum(axis=over_angles)
    smoothed = smoothed_velocity = None
    if smooth:
        backward = [_blocks(np.ascontiguousarray(matrix.T)) for matrix in steps]
        smoothed, smoothed_velocity = angles.copy(), filtered_velocity.copy()
        message = np.ones((*counts, *sides))
        for t in range(frames - 2, -1, -1):
            message *= likelihood[t + 1]
            message = _stepped(_moved(message, speeds, sides, -1), backward)
            message /= scale[t + 1]
            np.maximum(message, _SMALLEST, out=message)
            states[t] *= message
            smoothed[t] = states[t].sum(axis=over_velocities)
            smoothed_velocity[t][places] = states[t].sum(axis=over_angles)
    known = smoothed_velocity if smoothed_velocity is not None else filtered_velocity
    surprise = np.log(scale) + top
    return VelocityChain(
        angles,
        filtered_velocity,
        smoothed,
        smoothed_velocity,
        surprise,
        _rim(known[1:], speeds),
        float(scale.min()),
    )


def _steps(speeds: Array, kappa: float, n: int) -> Array:
    """(m, m): the probability that velocity j becomes i; 0 where it is below 1e-45 of the largest.

    In a restricted range it is conditional on staying there.
    """
    turn = 2 * np.pi / n * np.subtract.outer(speeds, speeds)
    steps = np.exp(-2 * kappa * np.sin(turn / 2) ** 2)
    steps[steps < FLOOR] = 0.0
    return steps / (steps.sum(axis=0) if len(speeds) < n else n * i0e(kappa))


def _blocks(matrix: Array) -> Blocks:
    """Rows of a matrix in blocks, each with the columns in which it is not 0: (rows, columns, entries)."""
    blocks: Blocks = []
    for start, stop in pairwise([*range(0, len(matrix), _BLOCK_ROWS), len(matrix)]):
        used = np.flatnonzero(matrix[start:stop].any(axis=0))
        together = used[-1] - used[0] + 1 == len(used)
        columns = slice(int(used[0]), int(used[-1]) + 1) if together else used
        blocks.append((slice(start, stop), columns, np.ascontiguousarray(matrix[start:stop, columns])))
    return blocks


def _stepped(state: Array, blocks: list[Blocks]) -> Array:
    """States after a step of the velocity along each parameter; messages with the blocks of transposed matrices."""
    for axis, some in enumerate(blocks):
        before = int(np.prod(state.shape[:axis]))
        flat = state.reshape(before, state.shape[axis], -1)
        result = np.empty(flat.shape)
        for rows, columns, entries in some:
            np.matmul(entries, flat[:, columns], out=result[:, rows])
        state = result.reshape(state.shape)
    return state


def _moved(state: Array, speeds: list[Array], sides: tuple[int, ...], sign: int) -> Array:
    """The states at s − v (`sign` 1), or s + v (−1), for each velocity v and s.

    Velocities are consecutive, so in an array that continues over both ends a step to the next velocity is a constant
    distance in memory: the result is a view of such an array.
    """
    p = len(sides)
    reaches = [-int(v[0]) for v in speeds]
    padded = np.pad(state, [(0, 0)] * p + [(reach, reach) for reach in reaches], mode="wrap")
    starts = [slice(2 * reach if sign > 0 else 0, None) for reach in reaches]
    begin = padded[(slice(None),) * p + tuple(starts)]
    along = padded.strides[p:]
    strides = tuple(v - sign * s for v, s in zip(padded.strides[:p], along, strict=True))
    shape = (*map(len, speeds), *sides)
    return np.lib.stride_tricks.as_strided(begin, shape, (*strides, *along), writeable=False)


def _rim(mass: Array, speeds: list[Array]) -> float:
    """The largest probability (T,) of the outermost velocities along a restricted parameter; masses (T, *sides)."""
    worst = 0.0
    for axis, (some, n) in enumerate(zip(speeds, mass.shape[1:], strict=True)):
        if len(some) < n:
            others = tuple(1 + a for a in range(len(speeds)) if a != axis)
            along = mass.sum(axis=others)
            worst = max(worst, float(along[:, [some[0], some[-1]]].sum(axis=1).max(initial=0.0)))
    return worst
