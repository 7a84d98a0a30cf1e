"""One job of a visitor: what every training and every search for a group has in common.

A job belongs to one visitor, whose page requests its status while it is shown. Everything here may be called from any
thread; one lock guards all jobs, and nothing slow is done while it is held (processes are started and pictures
rendered outside it).
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Protocol

from explorer.training._process import Message, Trainer
from explorer.training.history import FilterSnapshot
from tsa import files
from tsa._base import Array, InputError
from tsa.files import ModelFile

_numbers = count(1)


class State(StrEnum):
    """What a job is doing."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    DISCARDED = "discarded"


@dataclass(frozen=True, eq=False)
class Status:
    """A job at one moment, for a page to show."""

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
    report: str = ""  # of a search for a group that has ended


class JobQueue(Protocol):
    """What a job needs of the jobs of all visitors, see `Jobs`; everything but `lock` with the lock held."""

    lock: threading.RLock
    limit: int
    clock: Callable[[], float]
    queue: list["Job"]

    def tend(self) -> None:
        """Start as many jobs as the limit allows, and pause those whose page is not shown."""

    def take_spare(self) -> Trainer | None:
        """The process that is ready, if there is one."""

    def remove(self, job: "Job") -> None:
        """Forget a job that was discarded."""


class Job(ABC):
    """One job. A call that does not apply to its state, such as pausing it twice, has no effect."""

    def __init__(self, jobs: JobQueue, owner: Hashable) -> None:
        self.owner, self.number = owner, next(_numbers)
        self._jobs, self._lock = jobs, jobs.lock
        self._state = State.WAITING
        self._start_number = 0  # counts the starts: messages of an earlier one are ignored
        self._trainer: Trainer | None = None  # only while running, once its process has been started
        self._model: bytes | None = None
        self._claims: dict[Hashable, float] = {}  # owners who want to take it over, and the time of their first request
        self._note = ""  # why it was paused or discarded, or what went wrong
        self._watched()

    @abstractmethod
    def _status(self) -> Status:
        """The present state, with the lock held."""

    @abstractmethod
    def _work(self) -> Callable[[Trainer], Iterator[Message]]:
        """What a process is to do if the job is started now."""

    @abstractmethod
    def _prepare(self, message: Message) -> Callable[[], None]:
        """Render what a message shows, without the lock; what is returned takes it in, with the lock held."""

    @abstractmethod
    def _forget(self) -> None:
        """Drop all that was learned."""

    @abstractmethod
    def _can_stop(self) -> bool:
        """Whether stopping means anything now."""

    @abstractmethod
    def _after_stop(self) -> None:
        """Called when the job was stopped: make a model of what was learned, if anything was."""

    @abstractmethod
    def _before_resume(self) -> None:
        """Called before the job is started again."""

    def status(self) -> Status:
        """The present state. The call counts as watching: see `Jobs.tend`."""
        with self._lock:
            self._watched()
            self._jobs.tend()
            return self._status()

    def pause(self) -> None:
        """Leave the queue or stop computing, and keep what was learned."""
        with self._lock:
            self._watched()
            if self._state in (State.WAITING, State.RUNNING):
                self._halt(State.PAUSED)
                self._jobs.tend()

    def resume(self) -> None:
        """Continue a paused, stopped or failed job, at the end of the queue."""
        with self._lock:
            self._watched()
            if self._state in (State.PAUSED, State.STOPPED, State.FAILED):
                self._model = None
                self._before_resume()
                self._enqueue()

    def stop(self) -> None:
        """End early, with a model of what was learned so far if anything was."""
        with self._lock:
            self._watched()
            if not self._can_stop() or self._state in (State.FINISHED, State.STOPPED, State.DISCARDED):
                return
            self._halt(State.STOPPED)
            self._after_stop()
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
        """The model file, byte for byte what the command line writes."""
        with self._lock:
            self._watched()
            if self._model is None:
                raise InputError(
                    f"There is no model yet, because this job is {self._state}. Let it finish, or stop it."
                )
            return self._model

    # -- private; called with the lock held, except `_follow` and `_take` -----------------------------------------

    def _watched(self) -> None:
        self._last_watched = self._jobs.clock()

    @property
    def _position(self) -> int:
        return self._jobs.queue.index(self) + 1 if self._state is State.WAITING else 0

    @property
    def _waiting(self) -> str:
        """The sentence of a job that waits."""
        limit = self._jobs.limit
        rule = "one training runs" if limit == 1 else f"{limit} trainings run"
        return f"In the queue at position {self._position}: {rule} at a time."

    def _enqueue(self, first: bool = False) -> None:
        self._state, self._note = State.WAITING, ""
        self._jobs.queue.insert(0 if first else len(self._jobs.queue), self)
        self._jobs.tend()

    def _halt(self, state: State, note: str = "") -> None:
        """Leave the queue and end the process; the caller calls `tend`, to start the next training."""
        if self._state is State.WAITING:
            self._jobs.queue.remove(self)
        if self._trainer is not None:
            self._trainer.kill()
            self._trainer = None
        self._state, self._note = state, note

    def _drop(self, note: str = "") -> None:
        self._halt(State.DISCARDED, note)
        self._model = None
        self._forget()
        self._jobs.remove(self)

    def _start(self) -> None:
        self._state = State.RUNNING
        self._start_number += 1
        self._trainer = self._jobs.take_spare()
        follow = self._trainer, self._start_number, self._work()
        threading.Thread(target=self._follow, args=follow, daemon=True).start()

    def _is_current(self, start_number: int) -> bool:
        """Whether the training still runs and was not started again since that start."""
        return self._state is State.RUNNING and self._start_number == start_number

    def _follow(self, trainer: Trainer | None, start_number: int, work: Callable[[Trainer], Iterator[Message]]) -> None:
        """Start a process unless one was ready, and handle its messages: in a thread that ends with the process.

        If the job was halted while its process was being started, the process is ended at once.
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
            for message in work(trainer):
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
        take_in = None if isinstance(message, str) else self._prepare(message)
        with self._lock:
            if not self._is_current(start_number):
                return  # halted since, or its end was already handled
            if take_in is not None:
                take_in()
            else:
                assert isinstance(message, str)
                self._trainer = None
                self._state, self._note = State.FAILED, message
            self._jobs.tend()
