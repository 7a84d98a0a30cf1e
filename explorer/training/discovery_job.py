"""A search for the group behind pairs: the planes as they become coherent, relations between their phases, the result.

A search takes seconds to a minute and cannot be continued in the middle: after a pause it begins again.
"""

from collections.abc import Callable, Hashable, Iterator

import numpy as np

from explorer.training._process import Message, SearchResult, SearchStep, Trainer
from explorer.training.history import FilterSnapshot
from explorer.training.job import Job, JobQueue, State, Status
from explorer.training.request import DiscoveryRequest
from tsa import files
from tsa._base import Array
from tsa.model import Subgroup
from tsa.stage import filter_bytes, words

_MAX_SNAPSHOTS = 120


class DiscoveryJob(Job):
    """A search in the pairs of a request."""

    def __init__(self, jobs: JobQueue, request: DiscoveryRequest, owner: Hashable) -> None:
        self.request = request
        self._begin()
        super().__init__(jobs, owner)

    def _begin(self) -> None:
        self._fraction = 0.0
        self._steps = 0
        self._snapshots: list[FilterSnapshot] = []
        self._relations = np.zeros((0, 0), np.int64)
        self._result: SearchResult | None = None
        self._weights: Array | None = None  # of the filters of the model
        self._found = ""  # what the group is, in words

    @property
    def relations(self) -> Array:
        """All relations (m, J) found so far between the phases of J planes."""
        return self._relations

    def _status(self) -> Status:
        result = self._result
        return Status(
            state=self._state,
            position=self._position,
            fraction=1.0 if result else self._fraction,
            pairs=len(self.request.x),
            pairs_per_second=0.0,
            seconds_left=None,
            curve=(),
            filters=None,
            snapshots=tuple(self._snapshots),
            weights=self._weights,
            has_model=self._model is not None,
            sentence=self._sentence(),
            report=result.report if result else "",
        )

    def _sentence(self) -> str:
        match self._state:
            case State.WAITING:
                return self._waiting
            case State.RUNNING if not self._snapshots:
                return "Starting."
            case State.RUNNING:
                last = self._snapshots[-1]
                if not last.parameters:
                    return "Looking for planes that keep their energy."
                return f"Testing relations between phases: {last.parameters} parameters are left."
            case State.PAUSED:
                return f"Paused{self._note}. To continue is to begin again."
            case State.STOPPED:
                return "Stopped before a group was found."
            case State.FINISHED:
                assert self._result is not None
                return self._found or self._result.sentence
            case State.FAILED:
                return self._note
        return f"Discarded{self._note}."

    def _work(self) -> Callable[[Trainer], Iterator[Message]]:
        self._begin()
        return lambda trainer: trainer.discover(self.request)

    def _prepare(self, message: Message) -> Callable[[], None]:
        if isinstance(message, SearchStep):
            step = message
            pictures = filter_bytes(step.filters)
            count = len(step.relations)
            snapshot = FilterSnapshot(self._steps, pictures, step.coherence, count, step.parameters)

            def add() -> None:
                self._steps += 1
                self._fraction = step.fraction
                self._relations = step.relations if count else self._relations
                if len(self._snapshots) < _MAX_SNAPSHOTS:
                    self._snapshots.append(snapshot)
                else:
                    self._snapshots[-1] = snapshot

            return add
        assert isinstance(message, SearchResult)
        result, last, weights, found = message, None, None, ""
        if result.model:
            file = files.read(result.model)
            model = file.model
            assert isinstance(model, Subgroup)
            weights = model.weights
            count = len(self._relations)
            ones = np.ones(model.subspaces)
            whitening = files.read_arrays(result.model).get("whitening")
            seen = model.filters if whitening is None else whitening @ model.filters  # in the coordinates of the pairs
            pictures = filter_bytes(seen)
            found = words.training.group_found(file.about["orders"], model.irreps)
            last = FilterSnapshot(self._steps, pictures, ones, count, model.parameters)

        def end() -> None:
            self._trainer, self._result, self._state, self._found = None, result, State.FINISHED, found
            if last is not None:
                self._model, self._weights = result.model, weights
                self._snapshots.append(last)

        return end

    def _forget(self) -> None:
        self._begin()

    def _can_stop(self) -> bool:
        return True

    def _after_stop(self) -> None:
        """A part of a search is no model."""

    def _before_resume(self) -> None:
        self._begin()
