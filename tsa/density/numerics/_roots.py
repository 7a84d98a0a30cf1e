"""Many one-dimensional roots at once: Newton's method that never leaves its bracket."""

from collections.abc import Callable

import numpy as np

from tsa._base import Array

# (points, which of the problems they belong to) → values and slopes there
Function = Callable[[Array, Array], tuple[Array, Array]]


def bracketed_newton(function: Function, lo: Array, hi: Array, start: Array | None = None) -> Array:
    """Roots of increasing functions, one in each bracket [lo, hi], to rounding. Shape (n,) throughout.

    A step that leaves the bracket, or is not half the step before the last, is replaced by bisection, so
    every root is found in a bounded number of steps; roots that have converged drop out of the work.
    """
    lo, hi = lo.copy(), hi.copy()
    x = 0.5 * (lo + hi) if start is None else np.clip(start, lo, hi)
    before = last = hi - lo
    before, last = before.copy(), last.copy()
    resolution = 2 * np.finfo(np.float64).eps * np.maximum(1.0, np.maximum(np.abs(lo), np.abs(hi)))
    newton = np.zeros(x.size, bool)  # whether the last step was Newton's own
    active = np.arange(x.size)
    for _ in range(200):
        if not active.size:
            break
        at = x[active]
        value, slope = function(at, active)
        below = value < 0
        lo[active] = left = np.where(below, at, lo[active])
        hi[active] = right = np.where(below, hi[active], at)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            proposal = at - value / slope
        slow = ~(2 * np.abs(proposal - at) <= before[active])
        outside = ~((proposal >= left) & (proposal <= right))
        step_to = np.where(slow | outside, 0.5 * (left + right), proposal)
        moved = np.abs(step_to - at)
        # Newton's steps d fall as their squares near a root, so that the next one will be about d³ / (last d)².
        free = ~(slow | outside)
        settled = free & newton[active] & (moved**3 <= resolution[active] * last[active] ** 2)
        newton[active] = free
        before[active], last[active] = last[active], moved
        x[active] = step_to
        done = (moved <= resolution[active]) | settled | (value == 0)
        x[active[value == 0]] = at[value == 0]
        active = active[~done]
    return x
