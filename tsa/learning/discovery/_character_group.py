"""The group behind phases: its rank, the orders of its finite factors, and the weight of every plane.

The characters of the group are Z^J / Λ, with Λ the lattice of relations between the phases of J planes: Z for each
circle, Z/n for each finite factor, and the image of the j-th unit vector is the weight of plane j. Relations are
guessed, each guess is tested on the phases, and the Smith normal form divides by those that hold: a wrong guess costs
time, never a wrong answer.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from tsa._base import Array
from tsa.learning.discovery._lattice import integer_box, quotient, reduced_modulo, short_combinations
from tsa.learning.discovery._relations import (
    MIN_HEIGHT,
    MIN_Z,
    Phases,
    relation_heights,
    relations_of_three,
    tangent,
)

_TRIPLE_PAIRS = 1500  # pairs on which all relations of three are screened
_TANGENT_PAIRS = 800  # the clearest pairs, whose differences span the tangent
_SCREEN_PAIRS, _SCREEN_Z = 400, 4.0  # the clearest pairs, on which short vectors are screened
_FIRST_Z = 1.0  # on a quarter of the pairs; a relation that is accepted has 3 there, give or take 1
_MAX_SEEDS, _MAX_BOX_SEEDS = 10, 8  # planes among which longer relations are guessed
_MAX_BOX_RELATIONS, _MAX_BOX_VECTORS, _MAX_ENTRY = 50_000, 1e6, 12
_MAX_COST = 7.0  # Σ m² var of a guess: beyond it noise leaves 3 % of the cosine
RelationsCallback = Callable[[Array, int], object]  # relations (m, J), and the parameters left
_RADII, _STRETCHES = (0.6, 1.0, 1.4), (3, 10, 30, 100)  # of the tangent, in radians; weight of its span in the LLL


@dataclass(frozen=True, eq=False)
class CharacterGroup:
    """The characters that phases of J planes leave: weights (J, k) in k cyclic factors, and what speaks for them.

    `orders` (k,) are 0 for a circle and n for Z/n. `relations` (m, J) are those that were used; `least_z` is the
    weakest of them, `chance_z` the strongest that the same guesses reach on permuted pairs, both in standard
    deviations. `gap` is the ratio of the variances of the tangent on either side of the rank; nan if there is none.
    """

    weights: Array
    orders: Array
    relations: Array
    least_z: float
    chance_z: float
    gap: float

    @property
    def related(self) -> Array:
        """(J,): which planes occur in a relation."""
        return np.asarray(self.relations.any(axis=0)) if len(self.relations) else np.zeros(len(self.weights), bool)


class _Quotient:
    """Z^J divided by the relations accepted so far."""

    def __init__(self, phases: Phases, permuted: Phases, on_relations: RelationsCallback | None) -> None:
        self._phases, self._permuted, self._on_relations = phases, permuted, on_relations
        size = phases.angle.shape[1]
        self.weights, self.orders = np.eye(size, dtype=object), np.zeros(size, object)
        self.used: list[Array] = []
        self.least_z, self.chance_z = np.inf, 0.0

    @property
    def circles(self) -> int:
        """The number of factors Z that are left."""
        return int(np.sum(self.orders == 0))

    def try_relations(self, relations: Array) -> None:
        """Test relations (m, J) in their order, and divide by each that holds and is not implied by those before."""
        if not len(relations):
            return
        height, z = _screened_heights(self._phases, relations)
        self.chance_z = max(self.chance_z, float(_screened_heights(self._permuted, relations)[1].max()))
        for i in np.flatnonzero((height > MIN_HEIGHT) & (z > MIN_Z)):
            image = reduced_modulo(relations[i].astype(object) @ self.weights, self.orders)
            if not image.any():
                continue
            images, orders = quotient(np.vstack([np.diag(self.orders), image]))
            weights = reduced_modulo(self.weights @ images, orders)
            # A plane of order 1 or 2 would not turn, but planes that do not turn were set aside before.
            if reduced_modulo(2 * weights, orders).any(axis=1).all():
                self.weights, self.orders = weights, orders
                self.least_z = min(self.least_z, float(z[i]))
                self.used.append(relations[i])
                if self._on_relations is not None:
                    self._on_relations(np.array(self.used), len(self.orders))


def _screened_heights(phases: Phases, relations: Array) -> tuple[Array, Array]:
    """`relation_heights`, after a quarter of the pairs has ruled out most guesses: these have height and z 0."""
    height, z = np.zeros((2, len(relations)))
    passed = np.flatnonzero(relation_heights(phases.rows(slice(None, None, 4)), relations)[1] > _FIRST_Z)
    if len(passed):
        height[passed], z[passed] = relation_heights(phases, relations[passed])
    return height, z


def character_group(
    phases: Phases, permuted: Phases, coherence: Array, on_relations: RelationsCallback | None = None
) -> CharacterGroup:
    """Find the characters behind the phases of J planes; `permuted` are phases of permuted pairs, for comparison.

    `on_relations` gets the relations found so far, and the number of parameters they leave, with each new one.

    First all relations of three planes: they settle finite groups and most others. Then, while circles are left, short
    integer vectors orthogonal to the tangent of the group; at last all short vectors on eight planes. `coherence` (J,)
    decides which planes are asked first.
    """
    size = phases.angle.shape[1]
    found = _Quotient(phases, permuted, on_relations)
    if not size:
        return CharacterGroup(found.weights, found.orders, np.zeros((0, 0), np.int64), np.inf, 0.0, np.nan)
    found.try_relations(relations_of_three(phases.rows(slice(_TRIPLE_PAIRS))))
    unrelated = ~np.any(found.used, axis=0) if found.used else np.ones(size, bool)
    seeds = np.lexsort((-coherence, ~unrelated))[:_MAX_SEEDS]
    clearest = np.argsort(phases.variance[:, seeds].mean(axis=1))
    near = phases.rows(clearest[:_TANGENT_PAIRS]).planes(seeds)
    embed = np.eye(size, dtype=np.int64)[seeds]
    for guesses in _across_the_tangent(near, found):
        found.try_relations(guesses @ embed)
    if found.circles > 1:
        found.try_relations(_short_relations(phases, found, seeds[:_MAX_BOX_SEEDS], clearest[:_SCREEN_PAIRS]))
    values = tangent(near, 1.0)[0]
    gap = values[found.circles - 1] / values[found.circles] if 0 < found.circles < len(values) else np.nan
    used = np.array(found.used, np.int64).reshape(-1, size)
    return CharacterGroup(found.weights, found.orders, used, found.least_z, found.chance_z, float(gap))


def _across_the_tangent(near: Phases, found: _Quotient) -> Iterator[Array]:
    """Guesses on the seed planes: short integer vectors nearly orthogonal to the tangent, for each possible rank."""
    size, seen = near.angle.shape[1], set[tuple[int, ...]]()
    sums = integer_box(size, 2 if size < 6 else 1)
    sums = sums[len(sums) // 2 + 1 :]  # one of each ±m
    sums = sums[np.count_nonzero(sums, axis=1) <= (3 if size > 7 else size)]
    middle = np.median(near.variance, axis=0)
    for radius, rank in product(_RADII, range(1, min(5, size))):
        if found.circles <= rank:
            continue
        span = np.linalg.qr(tangent(near, radius)[1][:, :rank])[0]
        for stretch in _STRETCHES:
            short = short_combinations(np.concatenate([np.eye(size), stretch * span @ span.T], axis=1))
            guesses = sums @ short
            guesses = guesses[np.exp(-0.5 * middle @ (guesses**2).T) > 0.02]
            new = [m for m in guesses if tuple(m) not in seen]
            seen.update(tuple(m) for m in new)
            yield np.array(new, np.int64).reshape(-1, size)


def _short_relations(phases: Phases, found: _Quotient, seeds: Array, clearest: Array) -> Array:
    """All short integer vectors on a few planes that pass a screening, one of each coset of the relations known."""
    size, middle = len(seeds), np.median(phases.variance[:, seeds], axis=0)
    largest = min(_MAX_ENTRY, int((_MAX_BOX_VECTORS ** (1 / size) - 1) / 2))
    m = np.indices((2 * largest + 1,) * size).reshape(size, -1).T - largest
    m = m[len(m) // 2 + 1 :]
    cost = m**2 @ middle
    m = m[np.argsort(cost)][: np.sum(cost < _MAX_COST)]
    # Vectors of one coset have the same image, and a random functional of the images tells cosets apart.
    images = found.weights[seeds].astype(np.float64)
    labels = m @ (images @ np.random.default_rng(0).standard_normal(images.shape[1]))
    first = np.sort(np.unique(labels.round(7), return_index=True)[1])[:_MAX_BOX_RELATIONS]
    relations = m[first] @ np.eye(phases.angle.shape[1], dtype=np.int64)[seeds]
    if not len(relations):
        return relations
    return np.asarray(relations[relation_heights(phases.rows(clearest), relations)[1] > _SCREEN_Z])
