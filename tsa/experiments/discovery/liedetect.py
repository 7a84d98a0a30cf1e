"""LieDetect (Ennes & Tinarrage, 2025) reading the weights of a torus off points of one orbit.

From pairs these are the phase vectors e^{iθ_j}, once the planes are known. It is told the planes, the rank and the
largest weight. It has no package: its folder `src` has to be on the path of Python, with autograd, pymanopt and
scikit-learn.
"""

import contextlib
import io
import time
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tsa._base import Array

_NEIGHBOURS = (10, 30)  # that of its tutorial, and more, which help against noise


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


def candidates(peer: LieDetect, rank: int, planes: int, largest: int) -> int:
    """How many groups it can choose from, once it knows the rank, the number of planes and the largest weight."""
    return len(
        peer.algebra.get_lattices(
            lattice_rank=rank, ambient_rank=planes, frequency_max=largest, method="orbit-equivalence", verbose=False
        )
    )


def finds_weights(peer: LieDetect, u: Array, v: Array, weights: Array) -> tuple[bool, float]:
    """Whether it finds these weights (J, r), up to its own equivalence of orbits, from coordinates (n, J) of pairs.

    With any number of neighbours; and the seconds it took with that which was right, or else with the first.
    """
    turn = u.conj() * v
    points = np.ascontiguousarray(turn / np.abs(turn)).view(np.float64)
    truth: Any = tuple(tuple(int(w) for w in row) for row in weights.T)
    seconds = []
    for neighbours in _NEIGHBOURS:
        begun = time.perf_counter()
        found = _weights(peer, points, weights.shape[1], int(np.abs(weights).max()), neighbours)
        seconds.append(time.perf_counter() - begun)
        if peer.algebra.are_representations_equivalent(group="torus", rep0=truth, rep1=found):
            return True, seconds[-1]
    return False, seconds[0]


def _weights(peer: LieDetect, points: Array, rank: int, largest: int, neighbours: int) -> Any:
    with contextlib.redirect_stdout(io.StringIO()):
        operator = peer.liepca.get_lie_pca_operator(pts=points, nb_neighbors=neighbours, orbit_dim=rank)
        return peer.optimization.find_closest_algebra(
            group="torus", lie_pca=operator, group_dim=rank, frequency_max=largest, method="abelian", verbose=False
        )[0]
