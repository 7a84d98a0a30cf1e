"""Many starts of a search and many settings of a training, and the best by pairs that were held out.

Each is a task for a `mapper`: the built-in `map`, or that of a cluster (`tsa.cluster.connect_map`). A task uses one
BLAS thread wherever it runs, so that the results are the same.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tsa._base import Array, InputError
from tsa.files import ModelFile
from tsa.learning._blas import one_blas_thread
from tsa.learning.discovery import Discovery, discover
from tsa.learning.runs import TrainingRun, train_run
from tsa.model import Subgroup

Mapper = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
_HELD_OUT_PAIRS = 1000
_HELD_OUT_SEED = 2**40  # of their stream; seeds of trainings are smaller


class TrainedRun(NamedTuple):
    """Settings, what was learned with them, and its mean log evidence in pairs that no training has seen."""

    run: TrainingRun
    result: ModelFile
    log_evidence: float


def discover_starts(x: Array, y: Array, seeds: Sequence[int], mapper: Mapper = map) -> list[Discovery]:
    """`discover` with each of these seeds: other first planes, and other pairs held out."""
    return list(mapper(partial(_search, x, y), seeds))


def best_discovery(found: Sequence[Discovery]) -> Discovery:
    """The start that explains most dimensions, and of these the one of highest evidence; any if none found a group."""
    if not found:
        raise InputError("There must be at least one start.")
    return max(
        found,
        key=lambda one: (
            one.found,
            -one.evidence.dimensions_left,
            np.nan_to_num(one.evidence.coupled_evidence, nan=-np.inf),
        ),
    )


def train_runs(runs: Sequence[TrainingRun], patches: Array | None = None, mapper: Mapper = map) -> list[TrainedRun]:
    """Every training of a list, on one group and patches of one shape."""
    if len({(run.group, run.shape, run.pictures) for run in runs}) != 1:
        raise InputError("Trainings are compared on the same pairs: they need one group and one shape.")
    return list(mapper(partial(_train, patches), runs))


def _search(x: Array, y: Array, seed: int) -> Discovery:
    with one_blas_thread():
        return discover(x, y, seed=seed)


def _train(patches: Array | None, run: TrainingRun) -> TrainedRun:
    result = train_run(run, patches=patches)
    x, y = next(run.action.stream(_HELD_OUT_SEED, _HELD_OUT_PAIRS, patches))
    assert isinstance(result.model, Subgroup)
    with one_blas_thread():
        return TrainedRun(run, result, float(np.mean(result.model.torus.log_evidence(x, y), dtype=np.float64)))
