"""A training that a visitor starts: pairs of moved noise or pictures, filters after various numbers of pairs."""

from collections.abc import Callable, Hashable, Iterator

from explorer.training._process import Message, Trainer
from explorer.training.history import FilterSnapshot, TrainingHistory
from explorer.training.job import Job, JobQueue, State, Status
from tsa import files
from tsa._base import Array, checks
from tsa.learning import TrainingProgress, TrainingRun
from tsa.model import Subgroup


class TrainingJob(Job):
    """A training run; `patches` (n, D) are those of the visitor's own pictures, None for white noise."""

    def __init__(self, jobs: JobQueue, run: TrainingRun, owner: Hashable, patches: Array | None = None) -> None:
        self.run, self._patches = run, patches
        self._progress: TrainingProgress | None = None  # the latest report
        self._finish_now = False
        self._history = TrainingHistory(run)
        self._outcome: tuple[FilterSnapshot, Array] | None = None  # the model's filters and weights
        super().__init__(jobs, owner)

    def _status(self) -> Status:
        learning = self._state is State.RUNNING and not self._learned
        progress = self._progress
        # The first step includes waiting for the first pairs, so its speed is not representative.
        speed = progress.pairs_per_second if progress and progress.step > 1 else 0.0
        left = (self.run.n_pairs - self._pairs) / speed if speed and learning else None
        return Status(
            state=self._state,
            position=self._position,
            fraction=min(1.0, self._pairs / self.run.n_pairs),
            pairs=self._pairs,
            pairs_per_second=speed,
            seconds_left=left,
            curve=progress.curve if progress else (),
            filters=checks.frozen(progress.filters) if progress else None,
            snapshots=(
                *self._history.snapshots,
                *([self._outcome[0]] if self._outcome and self.run.refined else []),
            ),
            weights=self._outcome[1] if self._outcome else None,
            has_model=self._model is not None,
            sentence=self._sentence(left),
        )

    def _work(self) -> Callable[[Trainer], Iterator[Message]]:
        progress, finish_now = self._progress, self._finish_now
        return lambda trainer: trainer.train(self.run, progress, finish_now, self._patches)

    def _prepare(self, message: Message) -> Callable[[], None]:
        if isinstance(message, TrainingProgress):
            progress, snapshot = message, self._history.snapshot(message.pairs, message.filters)

            def add() -> None:
                self._progress = progress
                self._history.add(snapshot)

            return add
        assert isinstance(message, bytes)
        model = files.read(message).model
        assert isinstance(model, Subgroup)
        last = self._history.snapshot(self._pairs, model.filters)
        outcome = last, model.weights[: len(last.pictures)]

        def end() -> None:
            self._trainer, self._model, self._outcome = None, message, outcome
            self._state = State.FINISHED if self._pairs >= self.run.n_pairs else State.STOPPED

        return end

    def _forget(self) -> None:
        self._progress = self._outcome = None
        self._history.snapshots = []

    def _can_stop(self) -> bool:
        return not (self._learned and self._state in (State.WAITING, State.RUNNING))

    def _after_stop(self) -> None:
        if self._progress is not None:
            self._finish_now = True
            self._enqueue(first=True)

    def _before_resume(self) -> None:
        self._finish_now, self._outcome = False, None

    @property
    def _pairs(self) -> int:
        return self._progress.pairs if self._progress else 0

    @property
    def _learned(self) -> bool:
        """Whether training is over and only the model remains to be made."""
        return self._finish_now or self._pairs >= self.run.n_pairs

    def _sentence(self, seconds_left: float | None) -> str:
        so_far = f"{self._pairs:,} of {self.run.n_pairs:,} pairs"
        match self._state:
            case State.WAITING:
                return self._waiting
            case State.RUNNING if self._learned:
                return f"Learned from {so_far}; now estimating the weights."
            case State.RUNNING:
                return "Starting." if seconds_left is None else f"Learning: about {_duration(seconds_left)} left."
            case State.PAUSED:
                return f"Paused at {so_far}{self._note}."
            case State.FINISHED:
                return f"Finished: learned from {self._pairs:,} pairs."
            case State.STOPPED if self._model:
                return f"Stopped at {so_far}. The model contains what was learned until then."
            case State.STOPPED:
                return "Stopped before anything was learned, so there is no model."
            case State.FAILED:
                return self._note
        return f"Discarded{self._note}."


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
