"""The history of a training: the filters after various numbers of pairs, as pictures."""

import math
from typing import NamedTuple

from explorer.training._process import GROWTH
from tsa._base import Array
from tsa.learning import TrainingRun
from tsa.stage import filter_bytes

_MAX_HISTORY_BYTES = 3_000_000
_MAX_SNAPSHOT_BYTES = 2**18  # only the first filters are kept if all take more
_EARLY_PAIRS = 5_000  # before which hardly any structure is visible


class FilterSnapshot(NamedTuple):
    """Filters as pictures (J, 2, D), as `filter_bytes` makes them, after this many pairs.

    In a search for a group `pairs` is the number of the step instead, `coherence` (J,) says how nearly each plane is
    invariant, and so many `relations` between the phases leave so many `parameters`.
    """

    pairs: int
    pictures: Array
    coherence: Array | None = None
    relations: int = 0
    parameters: int = 0


class TrainingHistory:
    """Snapshots of the filters during a training.

    They are thinned geometrically: consecutive ones are a factor `_growth` in pairs apart, which bounds the history to
    about 3 MB.
    """

    def __init__(self, run: TrainingRun) -> None:
        filter_size = 2 * math.prod(run.shape)  # bytes
        self._max_filters = _MAX_SNAPSHOT_BYTES // filter_size
        snapshot_size = filter_size * min(self._max_filters, run.n_subspaces)
        self._growth = max(GROWTH, (run.n_pairs / _EARLY_PAIRS) ** (snapshot_size / _MAX_HISTORY_BYTES))
        self.snapshots: list[FilterSnapshot] = []

    def snapshot(self, pairs: int, filters: Array) -> FilterSnapshot:
        """A snapshot of filters (D, J): of the first ones, if there are very many."""
        return FilterSnapshot(pairs, filter_bytes(filters[:, : self._max_filters]))

    def add(self, snapshot: FilterSnapshot) -> None:
        """Add the newest snapshot; the one before is removed if it is too close to its own predecessor."""
        if len(self.snapshots) > 1 and self.snapshots[-1].pairs < self._growth * self.snapshots[-2].pairs:
            self.snapshots.pop()
        self.snapshots.append(snapshot)
