"""`tsa bench discover --part peers`: side by side with LieDetect and with Bispectral Networks, on the same patches.

Settings go from easy to hard: more noise, fewer pairs. Each peer has several of its own settings to try, counts as
right if it is with any of them, and its time is that of the best alone.
"""

import math
import time
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.experiments.discovery.bispectral_networks import (
    BispectralNetworks,
    frequencies,
    import_bispectral_networks,
    learn_shifts,
)
from tsa.experiments.discovery.cases import Case, equal_up_to_basis, pairs_of_orbits, score, shifted_orbits, torus_case
from tsa.experiments.discovery.liedetect import LieDetect, candidates, finds_weights, import_liedetect
from tsa.learning import Discovery, discover
from tsa.learning.discovery import coherence, coupling_of

_GROUPS = 18
_KINDS = ((1, 3, 6), (1, 4, 6), (2, 3, 2))  # rank, planes, largest weight
_NOISES, _PAIRS = (0.1, 0.3, 0.6, 1.0), (1000, 300, 100)
_MEMBERS = 10  # of an orbit
_SHIFTS = {  # number of orbits and their noise, by the number of samples
    16: ((300, 0.0), (10, 0.0), (20, 0.3), (40, 0.6), (300, 1.0)),
    32: ((300, 0.0), (20, 0.0), (40, 0.3), (100, 0.6), (300, 1.0)),
}


class _Tally(NamedTuple):
    """Of one setting: groups right and seconds of `discover`; right in the true planes; the same two of the peer."""

    right: int
    seconds: float
    in_planes: int
    peer_right: int
    peer_seconds: float


def compare_with_peers(seed: int, groups: int = _GROUPS) -> None:
    """Print how often each peer is right, and `discover` on the same patches, and the seconds it takes."""
    _compare_with_liedetect(seed, groups)
    peer = import_bispectral_networks()
    if peer is None:
        print("Bispectral Networks: skipped, torch or their package bispectral_networks cannot be imported")
        return
    print(f"shifts, from orbits of {_MEMBERS}; `discover` gets all pairs of each orbit")
    for size, settings in _SHIFTS.items():
        for orbits, noise in settings:
            print(f"  {_compare_on_shifts(peer, size, orbits, noise, seed)}", flush=True)


def _compare_with_liedetect(seed: int, groups: int) -> None:
    peer = import_liedetect()
    if peer is None:
        print("LieDetect: skipped, its modules algebra, liepca and optimization cannot be imported")
    print(f"{groups} random groups in each setting; `discover` is told nothing, LieDetect planes, rank, largest weight")
    if peer is not None:
        print(f"  so that it has {', '.join(str(candidates(peer, *kind)) for kind in _KINDS)} groups to choose from")
    tallies = []
    for noise in _NOISES:
        for pairs in _PAIRS:
            tallies.append(_tally(peer, pairs, noise, seed, groups))
            print(f"  σ {noise}, {pairs:4d} pairs: {_in_words(tallies[-1], groups, peer is not None)}", flush=True)
    print(f"  in all: {_in_words(_total(tallies), groups * len(tallies), peer is not None)}")


def _total(tallies: list[_Tally]) -> _Tally:
    return _Tally(*(sum(column) for column in zip(*tallies, strict=True)))


def _in_words(tally: _Tally, groups: int, beside_peer: bool) -> str:
    ours = (
        f"discover {tally.right} of {groups} right, {tally.seconds:.1f} s; "
        f"its relations in the true planes {tally.in_planes}"
    )
    if not beside_peer:
        return ours
    ahead = "; LieDetect is ahead of discover" if tally.peer_right > tally.right else ""
    return f"{ours}; LieDetect in the true planes {tally.peer_right}, {tally.peer_seconds:.1f} s{ahead}"


def _tally(peer: LieDetect | None, pairs: int, noise: float, seed: int, groups: int) -> _Tally:
    """Random groups in one setting: the same groups in each."""
    rng, rows = np.random.default_rng([seed, 5]), list[_Tally]()
    for i in range(groups):
        case, weights = _faithful_case(rng, *_KINDS[i % len(_KINDS)])
        x, y, _ = case.pairs(pairs, np.random.default_rng([seed, 5, i]), noise)
        begun = time.perf_counter()
        found = discover(x, y)
        seconds = time.perf_counter() - begun
        assert case.filters is not None
        u, v = x @ case.filters, y @ case.filters
        coupling = coupling_of(u, v, coherence(u, v))
        same_rank = coupling.known.all() and coupling.weights.shape == weights.shape
        coupled = bool(same_rank and equal_up_to_basis(coupling.weights, weights, 0).all())
        theirs, their_seconds = (False, 0.0) if peer is None else finds_weights(peer, u, v, weights)
        rows.append(_Tally(_all_right(found, case, seed), seconds, coupled, theirs, their_seconds))
    return _total(rows)


def _faithful_case(rng: np.random.Generator, rank: int, planes: int, largest: int) -> tuple[Case, Array]:
    """A random torus no element of which but 0 acts as the identity, and its weights (J, r)."""
    while True:
        weights = rng.integers(-largest, largest + 1, (planes, rank))
        minors = [round(np.linalg.det(weights[list(rows)])) for rows in combinations(range(planes), rank)]
        distinct = len({tuple(np.abs(row)) for row in weights.tolist()}) == planes
        if math.gcd(*minors) == 1 and weights.any(axis=1).all() and distinct:
            return torus_case(f"rank {rank}", weights), weights


def _all_right(found: Discovery, case: Case, seed: int) -> bool:
    if found.rank != case.rank:
        return False
    right, _ = score(found, case.pairs(1000, np.random.default_rng([seed, 6]), 0.0), 0)
    return bool(right.all()) and len(right) == case.planes


def _compare_on_shifts(peer: BispectralNetworks, size: int, orbits: int, noise: float, seed: int) -> str:
    """Frequencies of cyclic shifts that are found in noisy orbits, in words."""
    patches = shifted_orbits(size, orbits, _MEMBERS, noise, np.random.default_rng([seed, 7, size]))
    x, y = pairs_of_orbits(patches)
    begun = time.perf_counter()
    found = discover(x, y)
    seconds = time.perf_counter() - begun
    waves = set(range(1, size // 2 + 1))
    right = len(frequencies(found.model.filters) & waves) if found.found else 0
    theirs = learn_shifts(peer, patches, waves, seed)
    ahead = "; Bispectral Networks are ahead" if theirs.frequencies > right else ""
    return (
        f"{size} samples, {orbits} orbits, σ {noise}: discover {right} of {len(waves)} frequencies, {seconds:.1f} s; "
        f"Bispectral Networks {theirs.frequencies}, the last of them after {theirs.seconds:.0f} s{ahead}"
    )
