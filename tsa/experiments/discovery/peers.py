"""`tsa bench discover --part peers`: side by side with LieDetect and with Bispectral Networks, on the same patches.

LieDetect (Ennes & Tinarrage, 2025) reads the weights of a torus off points of one orbit. From pairs these are the phase
vectors e^{iθ_j}; it gets them in the planes that `discover` found, and is told the rank and the largest weight. It has
no package: its folder `src` has to be on the path of Python, with autograd, pymanopt and scikit-learn.
"""

import contextlib
import io
import math
import time
from importlib import import_module
from itertools import combinations
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tsa._base import Array
from tsa.experiments.discovery.bispectral_networks import import_bispectral_networks, learn_waves
from tsa.experiments.discovery.cases import Case, score, torus_case
from tsa.learning import Discovery, discover

_PAIRS, _NOISE, _GROUPS = 1000, 0.1, 18
_KINDS = ((1, 3, 4), (1, 4, 4), (2, 3, 2))  # rank, planes, largest weight
_NEIGHBOURS = 10  # as in LieDetect's tutorial
_SHIFT_SIZES, _ORBITS, _MEMBERS = (12, 16, 32), 300, 10
_MOST_SECONDS = 120.0  # of a training of Bispectral Networks


class LieDetect(NamedTuple):
    """The modules of LieDetect that are used here."""

    algebra: ModuleType
    liepca: ModuleType
    optimization: ModuleType


def import_liedetect() -> LieDetect | None:
    """The modules, or None where they are missing."""
    try:
        import_module("sklearn.neighbors")  # which LieDetect takes to be loaded
        return LieDetect(*(import_module(name) for name in LieDetect._fields))
    except ImportError:
        return None


def compare_with_peers(seed: int, groups: int = _GROUPS) -> None:
    """Print what each peer finds, and `discover` on the same patches, and the seconds it takes."""
    _compare_with_liedetect(seed, groups)
    _compare_with_bispectral_networks(seed)


def _compare_with_liedetect(seed: int, groups: int) -> None:
    peer = import_liedetect()
    if peer is None:
        print("LieDetect: skipped, its modules algebra, liepca and optimization cannot be imported")
    rng, rows = np.random.default_rng([seed, 5]), list[tuple[bool, float, bool, float]]()
    for i in range(groups):
        case, weights = _faithful_case(rng, *_KINDS[i % len(_KINDS)])
        x, y, _ = case.pairs(_PAIRS, np.random.default_rng([seed, 5, i]), _NOISE)
        begun = time.perf_counter()
        found = discover(x, y)
        seconds = time.perf_counter() - begun
        mine = _all_right(found, case, seed)
        theirs, their_seconds = (False, 0.0) if peer is None else _asked(peer, found, x, y, weights)
        rows.append((mine, seconds, theirs, their_seconds))
        words = "" if peer is None else f"; LieDetect {'right' if theirs else 'wrong'}, {their_seconds:.1f} s"
        print(f"  {weights.T.tolist()}: discover {'right' if mine else 'wrong'}, {seconds:.1f} s{words}", flush=True)
    right, total, their_right, their_total = np.sum(rows, axis=0)
    print(f"discover: {right:.0f} of {groups} right, {total:.0f} s in all")
    if peer is not None:
        print(
            f"LieDetect, given the planes and the rank: {their_right:.0f} of {groups} right, {their_total:.0f} s in all"
        )


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


def _asked(peer: LieDetect, found: Discovery, x: Array, y: Array, weights: Array) -> tuple[bool, float]:
    """Whether LieDetect finds these weights, up to its own equivalence of orbits, and the seconds it took."""
    if not found.found:
        return False, 0.0
    planes = ~found.model.lines
    u, v = (found.model.coordinates(found.transform(a))[:, planes] for a in (x, y))
    phase = u.conj() * v / np.abs(u * v)
    points = np.ascontiguousarray(phase).view(np.float64)
    rank, largest = weights.shape[1], int(np.abs(weights).max())
    begun = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        operator = peer.liepca.get_lie_pca_operator(pts=points, nb_neighbors=_NEIGHBOURS, orbit_dim=rank)
        rep, _ = peer.optimization.find_closest_algebra(
            group="torus", lie_pca=operator, group_dim=rank, frequency_max=largest, method="abelian", verbose=False
        )
    seconds = time.perf_counter() - begun
    truth: Any = tuple(tuple(int(w) for w in row) for row in weights.T)
    return bool(peer.algebra.are_representations_equivalent(group="torus", rep0=truth, rep1=rep)), seconds


def _compare_with_bispectral_networks(seed: int) -> None:
    """Frequencies of cyclic shifts from orbits of ten members; `discover` gets a member and each of the others."""
    peer = import_bispectral_networks()
    if peer is None:
        print("Bispectral Networks: skipped, torch or their package bispectral_networks cannot be imported")
        return
    for size in _SHIFT_SIZES:
        rng = np.random.default_rng([seed, 7, size])
        starts, classes = rng.standard_normal((_ORBITS, size)), np.arange(_ORBITS)[:, None, None]
        shifts = np.argsort(rng.random((_ORBITS, size)), axis=1)[:, :_MEMBERS]
        orbits = starts[classes, (np.arange(size) - shifts[:, :, None]) % size]
        begun = time.perf_counter()
        found = discover(np.repeat(orbits[:, 0], _MEMBERS - 1, axis=0), orbits[:, 1:].reshape(-1, size))
        seconds = time.perf_counter() - begun
        mine = frequencies(found.model.filters) if found.found else set()
        waves = set(range(1, size // 2 + 1))
        right, their_right, their_seconds = len(mine & waves), 0, 0.0
        for filters, passed in learn_waves(peer, orbits, seed):
            now = len(frequencies(filters) & waves)
            if now > their_right:  # the time counts at which they had most
                their_right, their_seconds = now, passed
            if now == len(waves) or passed > _MOST_SECONDS:
                break
        print(
            f"  shifts of {size}, {_ORBITS} orbits of {_MEMBERS}: discover {right} of {len(waves)} frequencies, "
            f"{seconds:.1f} s; Bispectral Networks {their_right}, the last of them after {their_seconds:.0f} s",
            flush=True,
        )


def frequencies(filters: Array) -> set[int]:
    """The frequencies, without their sign, of the filters (D, J) that have 0.9 of their power at one."""
    power = np.square(np.abs(np.fft.fft(filters, axis=0)))
    size = len(filters)
    folded = np.stack([power[k] + (power[-k] if 0 < 2 * k < size else 0) for k in range(size // 2 + 1)])
    share = folded / folded.sum(axis=0)
    return set(share.argmax(axis=0)[share.max(axis=0) > 0.9].tolist())
