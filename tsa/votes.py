"""Recognition at every turn of the dial: the nearest digits under each distance, and what they vote for (section 4).

Euclidean distance compares pixels where they are, so its neighbours change as the picture turns. The distances of
orbits do not care; their neighbours are shown turned by the most probable s, so that one sees what was compared.
"""

from dataclasses import dataclass

import numpy as np

from tsa.checks import Array
from tsa.datasets import Patches
from tsa.distances import Euclidean, Metric, TorusDistance
from tsa.gauge import balanced
from tsa.invariants import BispectralDistance
from tsa.manifold import ManifoldDistance
from tsa.model import Subgroup
from tsa.neighbours import Neighbours, counted, elected
from tsa.polar import patch_of, turn, turned_patches
from tsa.tangent import TangentDistance
from tsa.trigpoly import argmax, wrap

DISTANCES = ("ED", "TD", "√κ̂", "MD", "bispectrum")
STEP = 5  # degrees between the turns that are looked at
CLASSES = 10
_AXES = 128  # of the bispectral invariants
_BLANK = 1e-9  # contrast of a picture on which there is nothing


@dataclass(frozen=True, eq=False)
class Votes:
    """What the neighbours say under each of M distances, at each of T turns of a picture."""

    neighbours: Array  # (M, T, k): rows of the training set, nearest first
    distances: Array  # (M, T, k)
    turns: Array  # (M, T, k) radians: what brings each neighbour onto the picture; 0 where a distance does not turn
    counts: Array  # (M, T, 10): how many vote for each digit
    winners: Array  # (M, T): the digit with most votes; of equals, the one with the nearest neighbour

    @property
    def changes(self) -> Array:
        """How often the winner changes on the way round: (M,)."""
        return np.asarray((self.winners != np.roll(self.winners, 1, axis=1)).sum(axis=1))

    def right(self, digit: int) -> Array:
        """The share of turns at which this digit wins: (M,)."""
        return np.asarray((self.winners == digit).mean(axis=1))


class Jury:
    """Training digits of size×size pixels, ready to be searched under each distance of `DISTANCES`.

    What a distance needs to know of the digits it learns from the training patches, without their labels.
    """

    def __init__(self, model: Subgroup, train: Patches, size: int) -> None:
        self.model, self.train, self.size = model, train, size
        self._coordinates = model.coordinates(train.patches.astype(np.float64))
        self._tangent, even = TangentDistance(size), balanced(model, train.patches)
        metrics: list[Metric] = [
            Euclidean(),
            self._tangent,
            TorusDistance(even),
            ManifoldDistance(even),
            BispectralDistance.fitted(model, train.patches, _AXES),
        ]
        self.searches = tuple(Neighbours(train.patches, metric) for metric in metrics)

    def ask(self, polar: Array, k: int = 7, only: float | None = None) -> Votes | None:
        """The votes on a picture (rings × spokes) at every `STEP` degrees, or at `only` these; None if it is blank."""
        if np.ptp(polar) < _BLANK:
            return None
        if only is None:
            x = turned_patches(polar, self.size)[::STEP]
        else:
            x = patch_of(turn(polar, np.radians(only)), self.size)[None]
        neighbours, distances = (np.stack(part) for part in zip(*(s.query(x, k) for s in self.searches), strict=True))
        turns = np.zeros(distances.shape)
        turns[1] = self._tangent.turn(self.train.patches[neighbours[1]], x[:, None])
        turns[2:] = self._aligned(neighbours[2:], x)
        labels = self.train.labels[neighbours].reshape(-1, k)
        shape = neighbours.shape[:2]
        counts = counted(labels, CLASSES)
        return Votes(neighbours, distances, turns, counts.reshape(*shape, -1), elected(labels, counts).reshape(shape))

    def _aligned(self, rows: Array, x: Array) -> Array:
        """The most probable turns, argmax p(s | training patch, x), of rows (M, T, k) onto x (T, D): (M, T, k).

        As `Subgroup.align`, but every pair once: the distances of orbits agree on most neighbours.
        """
        pair = np.arange(len(x))[:, None] * len(self.train) + rows
        pairs, place = np.unique(pair, return_inverse=True)
        which, row = np.divmod(pairs, len(self.train))
        eta = self._coordinates[row].conj() * self.model.coordinates(x)[which]
        return wrap(argmax(self.model.pool(eta)))[place].reshape(rows.shape)
