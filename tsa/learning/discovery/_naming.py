"""How a group that was found is described: orders of its factors, phases of filters, what would lower its rank."""

import numpy as np

from tsa._base import Array
from tsa.learning.discovery._lattice import integer_box, reduced_modulo
from tsa.learning.discovery._relations import phases_between, relation_heights

_MAX_CYCLE = 64  # largest order of a finite factor that is looked for in s
_MAX_NEXT_PLANES = 8


def with_standard_phases(filters: Array) -> Array:
    """The same filters with phases (signs, on lines) that make their response to a reference patch positive."""
    response = np.random.default_rng(0).standard_normal(len(filters)) @ filters
    return np.asarray(filters * (np.abs(response) / response))


def orders_of(s: Array) -> tuple[int, ...]:
    """The order of each parameter: n if it takes multiples of 2π/n only, 0 if it takes all values."""
    closed = np.cos(np.arange(1, _MAX_CYCLE + 1)[:, None, None] * s).mean(axis=1) > 0.5
    return tuple(1 + int(np.argmax(c)) if c.any() and not c[0] else 0 for c in closed.T)


def next_relation(u: Array, v: Array, weights: Array, orders: tuple[int, ...], variance: float) -> float:
    """The height of the strongest short relation that the weights do not imply: it would lower the rank by one."""
    few = slice(min(_MAX_NEXT_PLANES, len(weights)))
    if len(weights) < 2:
        return np.nan
    relations = integer_box(len(weights[few]), 1)
    relations = relations[len(relations) // 2 + 1 :]
    image = reduced_modulo(relations @ weights[few], np.array(orders))
    relations = relations[image.any(axis=1) & (np.count_nonzero(relations, axis=1) > 1)]
    height, z = relation_heights(phases_between(u[:, few], v[:, few], variance), relations)
    return float(height[np.argmax(z)]) if len(relations) else np.nan
