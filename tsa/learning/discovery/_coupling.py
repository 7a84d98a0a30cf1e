"""How planes are coupled: from the coordinates of pairs in J planes to an integer weight for each plane."""

from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.density import mean_rotation
from tsa.learning.discovery._character_group import CharacterGroup, RelationsCallback, character_group
from tsa.learning.discovery._lattice import quotient, reduced_modulo, short_combinations, smallest_generator
from tsa.learning.discovery._pooled import MAX_RANK, best_character, most_probable, pooled_relations
from tsa.learning.discovery._relations import (
    MIN_HEIGHT,
    MIN_Z,
    Phases,
    noise_variance,
    phases_between,
    relation_heights,
)

_LATTICE_PAIRS = 3000
_MAX_MULTIPLE = 8  # of a weight that is asked to be a combination of the others
_LARGEST_HIDDEN = {2: 30, 3: 14}  # entry of a relation of pooled s, by rank
_MIN_CHARACTER_HEIGHT = 0.1  # below which a plane is not taken to follow s
_OWN_CIRCLE_COHERENCE = 0.9  # of the best plane's, from which an unrelated plane counts as a circle of its own


class Coupling(NamedTuple):
    """Weights (J, r) of J planes, which of them are known (J,), and the group of characters they came from."""

    weights: Array
    known: Array
    characters: CharacterGroup
    moving: int  # planes that turn at all

    @property
    def relations(self) -> int:
        """The number of independent relations that hold between the phases of the known planes."""
        if self.characters.orders.any():
            return len(self.characters.relations)
        return max(0, int(self.known.sum()) - self.weights.shape[1])


def coupling_of(u: Array, v: Array, coherence: Array, on_relations: RelationsCallback | None = None) -> Coupling:
    """The weights of planes from their coordinates u, v (n, J) in pairs.

    `on_relations` gets the relations (m, J) found so far, and the number of parameters they leave. A plane in no
    relation is asked again, with s pooled over the others; then it counts as a circle of its own, if its coherence is
    high and the rank stays within `MAX_RANK`. Planes that remain are not known.
    """
    variance = noise_variance(u, v)
    phases, permuted = phases_between(u, v, variance), phases_between(u, np.roll(v, 1, axis=0), variance)
    stands_still = relation_heights(phases, np.eye(u.shape[1], dtype=np.int64))[0] >= 0.5
    moving = np.flatnonzero(~stands_still)
    few = slice(_LATTICE_PAIRS)
    # The same variances for both: only the angles are of strangers.
    strangers = Phases(permuted.angle, phases.variance)
    embed = np.eye(u.shape[1], dtype=np.int64)[moving]
    found = character_group(
        phases.rows(few).planes(moving),
        strangers.rows(few).planes(moving),
        coherence[moving],
        None if on_relations is None else lambda used, left: on_relations(used @ embed, left),
    )
    weights, known = _named(found, moving, u.shape[1])
    if weights.shape[1] > MAX_RANK:
        return Coupling(weights, np.zeros_like(known), found, len(moving))
    finite = bool(found.orders.any())
    if not finite:
        weights = _without_hidden_relations(u, v, weights, known)
    weights, known = _asked_again(u, v, weights, known, moving, finite)
    for j in moving[~known[moving]]:
        if coherence[j] > _OWN_CIRCLE_COHERENCE * coherence.max() and weights.shape[1] < MAX_RANK:
            own = (np.arange(len(weights)) == j).astype(np.int64)
            weights, known[j] = np.concatenate([weights, own[:, None]], axis=1), True
    weights, known = _asked_again(u, v, weights, known, moving, finite)
    if not finite:
        weights = _without_hidden_relations(u, v, weights, known)
    return Coupling(weights, known, found, len(moving))


def _named(found: CharacterGroup, moving: Array, size: int) -> tuple[Array, Array]:
    """Weights (J, r) of all planes in a basis in which they are small, and which planes are related (J,)."""
    known = np.zeros(size, bool)
    known[moving] = related = found.related
    used = found.weights[related].any(axis=0)
    weights, orders = found.weights[:, used], found.orders[used]
    if len(orders) == 1 and orders[0]:
        weights = smallest_generator(weights, int(orders[0]))
    elif len(orders) and not orders.any():
        weights = weights @ short_combinations(weights.T.astype(np.float64)).T
    named = np.zeros((size, len(orders)), np.int64)
    named[moving] = weights.astype(np.int64)
    return named, known


def _without_hidden_relations(u: Array, v: Array, weights: Array, known: Array) -> Array:
    """Weights of lower rank, if s obeys a relation that noise hides between the phases of single planes."""
    eta = (u.conj() * v / noise_variance(u, v))[:, known]
    while weights.shape[1] > 1 and known.any():
        s = most_probable(eta, weights[known])[0]
        relations, height, z = pooled_relations(s, eta, weights[known], _LARGEST_HIDDEN[weights.shape[1]])
        for relation in relations[(height > MIN_HEIGHT) & (z > MIN_Z)]:
            images, orders = quotient(relation[None, :])
            lower = weights @ images
            if not orders.any() and lower[known].any(axis=1).all():
                break
        else:
            return weights
        basis = short_combinations(lower[known].T.astype(np.float64))
        weights = np.asarray(lower @ basis.T).astype(np.int64)
    return weights


def _asked_again(u: Array, v: Array, weights: Array, known: Array, moving: Array, finite: bool) -> tuple[Array, Array]:
    """Weights of further planes from s, pooled over the planes whose weights are known.

    Where the known weights span only a part of Z^r, a multiple q of the unknown weight is a combination of them: q is
    tried from 1 on, and the weights are then written in the basis of the larger lattice.
    """
    variance = noise_variance(u, v)
    mean, strange = (mean_rotation(u.conj() * w / variance) for w in (v, np.roll(v, 1, axis=0)))
    weights, known = weights.copy(), known.copy()
    multiple = 1
    while known.any() and not known[moving].all() and multiple <= _MAX_MULTIPLE:
        rest = moving[~known[moving]]
        s = most_probable((u.conj() * v / variance)[:, known], weights[known])[0]
        sure = np.abs(mean[:, known]).mean(axis=1, keepdims=True)
        chance = best_character(strange[:, rest] * sure, s, multiple)[1].max()
        found, height = best_character(mean[:, rest] * sure, s, multiple)
        new = (height > max(3 * chance, _MIN_CHARACTER_HEIGHT)) & (height > 0.6 * height.max())
        if not new.any():
            multiple = multiple + 1 if not finite else _MAX_MULTIPLE + 1
        elif multiple == 1:
            weights[rest[new]], known[rest[new]] = found[new], True
        else:
            first = int(np.flatnonzero(new)[0])
            enlarged = _in_larger_lattice(weights, known, int(rest[first]), found[first], multiple)
            if enlarged is None:
                multiple += 1
                continue
            weights, known[rest[first]], multiple = enlarged, True, 1
    return weights, known


def _in_larger_lattice(weights: Array, known: Array, j: int, combination: Array, multiple: int) -> Array | None:
    """The weights in a basis of Z^r + Z·combination/multiple, the weight of plane j; None if that would be torsion."""
    rank = weights.shape[1]
    images, orders = quotient(np.append(combination, -multiple)[None, :])
    if orders.any() or images.shape[1] != rank:
        return None
    larger = weights @ images[:rank]
    larger[j] = images[rank]
    basis = short_combinations(larger[known | (np.arange(len(weights)) == j)].T.astype(np.float64))
    return np.asarray(reduced_modulo(larger, np.zeros(rank, object)) @ basis.T).astype(np.int64)
