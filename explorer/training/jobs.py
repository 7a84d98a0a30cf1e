"""Trainings that visitors start: at most a few run at a time, each in its own process; the others wait in a queue.

A training belongs to one visitor, whose page requests its status while it is shown. When the requests stop, the
training is paused, and later discarded. Everything here may be called from any thread; one lock guards all trainings,
and nothing slow is done while it is held (processes are started and pictures rendered outside it).
"""

import os
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from explorer.training._process import Message, Trainer
from explorer.training.history import FilterSnapshot, TrainingHistory
from tsa import files
from tsa._base import Array, InputError, checks
from tsa.files import ModelFile
from tsa.learning import TrainingProgress, TrainingRun
from tsa.model import Subgroup

_IDLE_SECONDS = 90.0  # without a request, until a training is paused; a hidden tab may send one a minute
_DISCARD_SECONDS = 1800.0  # without a request, until it is discarded
_RELOAD_SECONDS = 2.0  # without a request, until its tab counts as reloaded; a tab just hidden sends one a second
_numbers = count(1)


class State(StrEnum):
    """What a training is doing."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    DISCARDED = "discarded"


@dataclass(frozen=True, eq=False)
class Status:
    """A training at one moment, for a page to show."""

    state: State
    position: int  # in the queue, from 1; 0 when it does not wait
    fraction: float
    pairs: int
    pairs_per_second: float  # of the latest report; 0 before it is known
    seconds_left: float | None  # of learning; None unless it is learning
    curve: tuple[tuple[int, float], ...]  # (pairs, mean log evidence)
    filters: Array | None  # complex (D, J), those of the latest report
    snapshots: tuple[FilterSnapshot, ...]  # the filters so far; at the end the refined ones, if there are any
    weights: Array | None  # of the filters of the last one of `snapshots`, once they are known
    has_model: bool
    sentence: str


class Job:
    """One training. A call that does not apply to its state, such as pausing it twice, has no effect."""

    def __init__(self, jobs: "Jobs", run: TrainingRun, owner: Hashable) -> None:
        self.run, self.owner, self.number = run, owner, next(_numbers)
        self._jobs, self._lock = jobs, jobs._lock
        self._state = State.WAITING
        self._start_number = 0  # counts the starts: messages of an earlier one are ignored
        self._trainer: Trainer | None = None  # only while running, once its process has been started
        self._progress: TrainingProgress | None = None  # the latest report
        self._finish_now = False
        self._model: bytes | None = None
        self._history = TrainingHistory(run)
        self._outcome: tuple[FilterSnapshot, Array] | None = None  # the model's filters and weights
        self._claims: dict[Hashable, float] = {}  # owners who want to take it over, and the time of their first request
        self._note = ""  # why it was paused or discarded, or what went wrong
        self._watched()

    def status(self) -> Status:
        """The present state. The call counts as watching: see `Jobs.tend`."""
        with self._lock:
            self._watched()
            self._jobs.tend()
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

    def pause(self) -> None:
        """Leave the queue or stop computing, and keep what was learned."""
        with self._lock:
            self._watched()
            if self._state in (State.WAITING, State.RUNNING):
                self._halt(State.PAUSED)
                self._jobs.tend()

    def resume(self) -> None:
        """Continue a paused, stopped or failed training, at the end of the queue."""
        with self._lock:
            self._watched()
            if self._state in (State.PAUSED, State.STOPPED, State.FAILED):
                self._finish_now, self._model, self._outcome = False, None, None
                self._enqueue()

    def stop(self) -> None:
        """End early, with a model of what was learned so far if anything was."""
        with self._lock:
            self._watched()
            ending = self._learned and self._state in (State.WAITING, State.RUNNING)
            if ending or self._state in (State.FINISHED, State.STOPPED, State.DISCARDED):
                return
            self._halt(State.STOPPED)
            if self._progress is not None:
                self._finish_now = True
                self._enqueue(first=True)
            self._jobs.tend()

    def discard(self) -> None:
        """End it and keep nothing."""
        with self._lock:
            self._drop()
            self._jobs.tend()

    def result(self) -> ModelFile:
        """The trained model, with its weights and provenance."""
        return files.read(self.download())

    def download(self) -> bytes:
        """The model file, byte for byte what `tsa train` writes."""
        with self._lock:
            self._watched()
            if self._model is None:
                raise InputError(
                    f"There is no model yet, because this training is {self._state}. Let it finish, or stop it."
                )
            return self._model

    # -- private; called with the lock held, except `_follow` and `_take` -----------------------------------------

    def _watched(self) -> None:
        self._last_watched = self._jobs.clock()

    @property
    def _pairs(self) -> int:
        return self._progress.pairs if self._progress else 0

    @property
    def _learned(self) -> bool:
        """Whether training is over and only the model remains to be made."""
        return self._finish_now or self._pairs >= self.run.n_pairs

    @property
    def _position(self) -> int:
        return self._jobs._queue.index(self) + 1 if self._state is State.WAITING else 0

    def _sentence(self, seconds_left: float | None) -> str:
        so_far = f"{self._pairs:,} of {self.run.n_pairs:,} pairs"
        limit = self._jobs.limit
        match self._state:
            case State.WAITING:
                rule = "one training runs" if limit == 1 else f"{limit} trainings run"
                return f"In the queue at position {self._position}: {rule} at a time."
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

    def _enqueue(self, first: bool = False) -> None:
        self._state, self._note = State.WAITING, ""
        self._jobs._queue.insert(0 if first else len(self._jobs._queue), self)
        self._jobs.tend()

    def _halt(self, state: State, note: str = "") -> None:
        """Leave the queue and end the process; the caller calls `tend`, to start the next training."""
        if self._state is State.WAITING:
            self._jobs._queue.remove(self)
        if self._trainer is not None:
            self._trainer.kill()
            self._trainer = None
        self._state, self._note = state, note

    def _drop(self, note: str = "") -> None:
        self._halt(State.DISCARDED, note)
        self._progress = self._model = self._outcome = None
        self._history.snapshots = []
        if self._jobs._jobs.get(self.owner) is self:
            del self._jobs._jobs[self.owner]

    def _start(self) -> None:
        self._state = State.RUNNING
        self._start_number += 1
        order = self._start_number, self._progress, self._finish_now
        self._trainer = self._jobs._take_spare()
        threading.Thread(target=self._follow, args=(self._trainer, *order), daemon=True).start()

    def _is_current(self, start_number: int) -> bool:
        """Whether the training still runs and was not started again since that start."""
        return self._state is State.RUNNING and self._start_number == start_number

    def _follow(
        self, trainer: Trainer | None, start_number: int, progress: TrainingProgress | None, finish_now: bool
    ) -> None:
        """Start a process unless one was ready, and handle its messages: in a thread that ends with the process.

        If the training was halted while its process was being started, the process is ended at once.
        """
        if trainer is None:
            try:
                trainer = Trainer()
            except OSError as error:
                self._take(f"The training could not be started: {error.strerror}.", start_number)
                return
            with self._lock:
                if self._is_current(start_number):
                    self._trainer = trainer
                else:
                    trainer.kill()
        try:
            for message in trainer.train(self.run, progress, finish_now):
                self._take(message, start_number)
        finally:
            self._take(
                "The training process ended unexpectedly, possibly because memory ran out. "
                "Press Continue to resume from the last snapshot.",
                start_number,
            )

    def _take(self, message: Message, start_number: int) -> None:
        # Render the snapshot before taking the lock: it takes milliseconds, during which every other visitor's call
        # would block.
        if isinstance(message, TrainingProgress):
            snapshot = self._history.snapshot(message.pairs, message.filters)
        elif isinstance(message, bytes):
            model = files.read(message).model
            assert isinstance(model, Subgroup)
            last = self._history.snapshot(self._pairs, model.filters)
            outcome = last, model.weights[: len(last.pictures)]
        with self._lock:
            if not self._is_current(start_number):
                return  # halted since, or its end was already handled
            if isinstance(message, TrainingProgress):
                self._progress = message
                self._history.add(snapshot)
            elif isinstance(message, bytes):
                self._trainer, self._model, self._outcome = None, message, outcome
                self._state = State.FINISHED if self._pairs >= self.run.n_pairs else State.STOPPED
            else:
                self._trainer = None
                self._state, self._note = State.FAILED, message
            self._jobs.tend()


class Jobs:
    """The trainings of all visitors, one for each, at most `limit` of them running."""

    def __init__(self, limit: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit or max(1, (os.cpu_count() or 1) // 2)  # each training uses two cores
        self.clock = clock
        self._lock = threading.RLock()
        self._jobs: dict[Hashable, Job] = {}
        self._queue: list[Job] = []
        self._spare: Trainer | None = None  # a process that waits for an order
        self._preparing: object | None = None  # set while a spare process is being started

    def prepare(self) -> None:
        """Have a process ready for a training that may be requested soon: it takes a second to load its modules.

        Does nothing while a training runs, which the loading would slow down.
        """
        with self._lock:
            busy = any(job._state is State.RUNNING for job in self._jobs.values())
            if busy or self._preparing is not None or (self._spare is not None and self._spare.alive):
                return
            this = self._preparing = object()
        trainer = None
        with suppress(OSError):  # reported when a training is started
            trainer = Trainer()
        with self._lock:
            if self._preparing is this:
                self._preparing, self._spare = None, trainer
            elif trainer is not None:  # closed in the meantime
                trainer.kill()

    def _take_spare(self) -> Trainer | None:
        spare, self._spare = self._spare, None
        return spare if spare is not None and spare.alive else None

    def submit(self, run: TrainingRun, owner: Hashable) -> Job:
        """Start a training, or put it in the queue; it replaces an earlier one of this owner."""
        with self._lock:
            if owner in self._jobs:
                self._jobs[owner].discard()
            job = self._jobs[owner] = Job(self, run, owner)
            job._enqueue()
            return job

    def of(self, owner: Hashable) -> Job | None:
        """The training of this owner, if there is one."""
        with self._lock:
            return self._jobs.get(owner)

    def hand_over(self, before: Hashable, owner: Hashable) -> bool:
        """Give this owner the training of `before`, their name until the tab was reloaded; True if to be called again.

        A copy of a tab claims the name of the original too: if the training is still watched, it stays where it is.
        """
        with self._lock:
            job = self._jobs.get(before)
            if job is None or before == owner:
                return False
            now = self.clock()
            asked = job._claims.setdefault(owner, now)
            if job._last_watched > asked + _RELOAD_SECONDS / 2:  # a tab of this name is still open
                return False
            if now - job._last_watched < _RELOAD_SECONDS:
                return True
            if owner in self._jobs:  # they did not wait, and started another
                job.discard()
            else:
                del self._jobs[before]
                self._jobs[owner], job.owner, job._claims = job, owner, {}
                job._watched()
            return False

    def tend(self) -> None:
        """Pause trainings whose page is not shown, discard those long not shown, start as many as the limit allows.

        Runs with every request of a page and every message of a trainer, hence at least while a training runs.
        """
        with self._lock:
            now = self.clock()
            for job in list(self._jobs.values()):
                unwatched = now - job._last_watched
                if unwatched > _IDLE_SECONDS and job._state in (State.WAITING, State.RUNNING):
                    job._halt(State.PAUSED, ", because its page was closed or hidden")
                if unwatched > _DISCARD_SECONDS:
                    job._drop(", because its page was not opened again")
            while self._queue and sum(job._state is State.RUNNING for job in self._jobs.values()) < self.limit:
                self._queue.pop(0)._start()

    def close(self) -> None:
        """Discard everything."""
        with self._lock:
            for job in list(self._jobs.values()):
                job._drop()
            if self._spare is not None:
                self._spare.kill()
            self._spare = self._preparing = None


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
