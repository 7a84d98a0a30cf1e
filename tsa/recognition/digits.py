"""Recognition at every turn of a picture: the nearest digits under each distance, and their votes (section 4).

Euclidean distance compares pixels in place, so its neighbours change as the picture turns. The distances of orbits are
invariant; their neighbours are returned with the most probable turn s that brings them onto the picture.
"""

from dataclasses import dataclass

import numpy as np

from tsa._base import Array, ProgressCallback, split_progress
from tsa.model import Subgroup, balanced
from tsa.pictures import Patches, patch_of, turn_disc, turned_patches
from tsa.recognition.bispectrum import BispectralDistance
from tsa.recognition.classifier import majority, vote_counts
from tsa.recognition.manifold import ManifoldDistance
from tsa.recognition.metric import Euclidean, Metric, TorusDistance
from tsa.recognition.neighbours import Neighbours
from tsa.recognition.tangent import TangentDistance

# Name of each distance → how its neighbours are turned for display: "none" (compared in place), "tangent" (by the angle
# that tangent distance finds), "posterior" (by the most probable angle).
ALIGNMENTS = {"ED": "none", "TD": "tangent", "√κ̂": "posterior", "MD": "posterior", "bispectrum": "posterior"}
DISTANCES = tuple(ALIGNMENTS)
STEP_DEGREES = 5  # degrees between the turns that are searched
CLASSES = 10
_BISPECTRUM_AXES = 128  # principal axes kept of the bispectral invariants
_MIN_CONTRAST = 1e-9  # a picture with less, in 0…1, counts as blank


@dataclass(frozen=True, eq=False)
class Votes:
    """The k nearest neighbours and their votes under each of M distances, at each of T turns of a picture."""

    neighbours: Array  # (M, T, k): rows of the training set, nearest first
    distances: Array  # (M, T, k)
    turns: Array  # (M, T, k) radians: the turn that brings each neighbour onto the picture; 0 for Euclidean distance
    counts: Array  # (M, T, 10): how many vote for each digit
    winners: Array  # (M, T): the digit with most votes; of several, the one with the nearest neighbour

    @property
    def changes(self) -> Array:
        """How often the winner changes on the way round: (M,)."""
        return np.asarray((self.winners != np.roll(self.winners, 1, axis=1)).sum(axis=1))

    def accuracy(self, digit: int) -> Array:
        """The share of turns at which this digit wins: (M,)."""
        return np.asarray((self.winners == digit).mean(axis=1))


class DigitSearch:
    """Training digits of size×size pixels, prepared for searching under each distance of `DISTANCES`.

    Planes and axes that a distance needs are chosen from the training patches, without their labels.
    """

    def __init__(self, model: Subgroup, train: Patches, size: int, on_progress: ProgressCallback | None = None) -> None:
        fitting, preparing = split_progress(on_progress, 1, 1)
        self.model, self.train, self.size = model, train, size
        self._coordinates = model.coordinates(train.patches.astype(np.float64))
        self._tangent, even = TangentDistance(size), balanced(model, train.patches)
        metrics: dict[str, Metric] = {
            "ED": Euclidean(),
            "TD": self._tangent,
            "√κ̂": TorusDistance(even),
            "MD": ManifoldDistance(even),
            "bispectrum": BispectralDistance.fitted(model, train.patches, _BISPECTRUM_AXES),
        }
        fitting(1.0)
        searches = list[Neighbours]()
        for name in DISTANCES:
            searches.append(Neighbours(train.patches, metrics[name]))
            preparing(len(searches) / len(DISTANCES))
        self.searches = tuple(searches)

    def search(self, disc: Array, k: int = 7, only: float | None = None) -> Votes | None:
        """The votes on a picture (rings × spokes) every `STEP_DEGREES`, or at `only` degrees; None if it is blank."""
        if np.ptp(disc) < _MIN_CONTRAST:
            return None
        if only is None:
            x = turned_patches(disc, self.size)[::STEP_DEGREES]
        else:
            x = patch_of(turn_disc(disc, np.radians(only)), self.size)[None]
        neighbours, distances = (np.stack(part) for part in zip(*(s.query(x, k) for s in self.searches), strict=True))
        turns, alignment = np.zeros(distances.shape), np.array(list(ALIGNMENTS.values()))
        for distance in np.flatnonzero(alignment == "tangent"):
            turns[distance] = self._tangent.turn(self.train.patches[neighbours[distance]], x[:, None])
        turns[alignment == "posterior"] = self._aligned(neighbours[alignment == "posterior"], x)
        labels = self.train.labels[neighbours].reshape(-1, k)
        shape = neighbours.shape[:2]
        counts = vote_counts(labels, CLASSES)
        return Votes(neighbours, distances, turns, counts.reshape(*shape, -1), majority(labels, counts).reshape(shape))

    def _aligned(self, rows: Array, x: Array) -> Array:
        """The most probable turns, argmax p(s | training patch, x), of rows (M, T, k) onto x (T, D): (M, T, k).

        Each pair is computed once: the distances of orbits agree on most neighbours.
        """
        pair = np.arange(len(x))[:, None] * len(self.train) + rows
        pairs, place = np.unique(pair, return_inverse=True)
        which, row = np.divmod(pairs, len(self.train))
        posterior = self.model.posterior_from(self._coordinates[row], self.model.coordinates(x)[which])
        return posterior.mode()[place].reshape(rows.shape)
