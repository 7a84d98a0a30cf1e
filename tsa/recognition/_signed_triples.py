"""Triples of weights k ± l = ±n of a group of several parameters, and phases set along them, for the bispectrum.

Of each ±ω only one is a weight space, so a sum of two weights may be the negative of one.
"""

import numpy as np

from tsa._base import Array

_ALL_TRIPLES = 24  # weights up to which all triples are used


def signed_triples(weights: Array) -> tuple[Array, Array]:
    """Places (T, 3) and signs (T, 3) of all weights (H, p) with s₁k + s₂l = s₃n, each relation once; s₁ = 1."""
    place = {tuple(w): (i, 1) for i, w in enumerate(weights.tolist())}
    place |= {tuple(-np.array(w)): (i, -1) for w, (i, _) in list(place.items())}
    axis = [_along_an_axis(w) for w in weights]
    triples, signs, seen = list[list[int]](), list[list[int]](), set[tuple[tuple[int, int], ...]]()
    for i in range(len(weights)):
        for j in range(i, len(weights)):
            for sign in (1, -1) if i != j else (1,):
                found = place.get(tuple((weights[i] + sign * weights[j]).tolist()))
                if found is None:
                    continue
                n, last = found
                if len(weights) > _ALL_TRIPLES and not (i == j or axis[i] or axis[j] or axis[n]):
                    continue
                coefficients = np.bincount([i, j, n], [1, sign, -last], len(weights)).astype(int)
                used = np.flatnonzero(coefficients)
                first = int(np.sign(coefficients[used[0]]))
                relation = tuple((int(h), first * int(coefficients[h])) for h in used)
                if relation not in seen:
                    seen.add(relation)
                    triples.append([i, j, n])
                    signs.append([1, sign, last])
    return np.array(triples, np.int64).reshape(-1, 3), np.array(signs, np.int64).reshape(-1, 3)


def _along_an_axis(weight: Array) -> bool:
    """Whether one coordinate is a power of two and all others are 0."""
    used = np.abs(weight[weight != 0])
    return len(used) == 1 and int(used[0]) & (int(used[0]) - 1) == 0


def climbed_in_any_order(incidence: Array, target: Array) -> Array:
    """Phases (n, H) set one after the other, each by the triples whose other weights are set; the first ones are 0."""
    phases, known = np.zeros((len(target), incidence.shape[1])), np.zeros(incidence.shape[1], bool)
    while not known.all():
        unknown = (incidence[:, ~known] != 0).sum(axis=1)
        ready = np.flatnonzero((unknown == 1) & (np.abs(np.where(known, 0, incidence)).max(axis=1) == 1))
        if not ready.size:
            known[np.flatnonzero(~known)[0]] = True
            continue
        h = int(np.flatnonzero((incidence[ready[0]] != 0) & ~known)[0])
        t = ready[incidence[ready, h] != 0]
        rest = target[:, t] * np.exp(-1j * (phases @ np.where(known, incidence[t], 0).T))
        pointing = np.where(incidence[t, h] > 0, rest, rest.conj())
        phases[:, h], known[h] = np.angle(pointing.sum(axis=1)), True
    return phases
