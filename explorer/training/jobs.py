"""The jobs of all visitors: at most a few run at a time, each in its own process; the others wait in a queue.

When a page no longer asks for the status of its job, the job is paused, and later discarded.
"""

import os
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import suppress

from explorer.training._process import Trainer
from explorer.training.discovery_job import DiscoveryJob
from explorer.training.job import Job, State
from explorer.training.request import DiscoveryRequest
from explorer.training.training_job import TrainingJob
from tsa._base import Array
from tsa.learning import TrainingRun

_IDLE_SECONDS = 90.0  # without a request, until a job is paused; a hidden tab may send one a minute
_DISCARD_SECONDS = 1800.0  # without a request, until it is discarded
_RELOAD_SECONDS = 2.0  # without a request, until its tab counts as reloaded; a tab just hidden sends one a second


class Jobs:
    """The jobs of all visitors, one for each, at most `limit` of them running."""

    def __init__(self, limit: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit or max(1, (os.cpu_count() or 1) // 2)  # each training uses two cores
        self.clock = clock
        self.lock = threading.RLock()
        self._jobs: dict[Hashable, Job] = {}
        self.queue: list[Job] = []
        self._spare: Trainer | None = None  # a process that waits for an order
        self._preparing: object | None = None  # set while a spare process is being started

    def prepare(self) -> None:
        """Have a process ready for a training that may be requested soon: it takes a second to load its modules.

        Does nothing while a training runs, which the loading would slow down.
        """
        with self.lock:
            busy = any(job._state is State.RUNNING for job in self._jobs.values())
            if busy or self._preparing is not None or (self._spare is not None and self._spare.alive):
                return
            this = self._preparing = object()
        trainer = None
        with suppress(OSError):  # reported when a training is started
            trainer = Trainer()
        with self.lock:
            if self._preparing is this:
                self._preparing, self._spare = None, trainer
            elif trainer is not None:  # closed in the meantime
                trainer.kill()

    def take_spare(self) -> Trainer | None:
        """The process that is ready, if there is one; called with the lock held."""
        spare, self._spare = self._spare, None
        return spare if spare is not None and spare.alive else None

    def remove(self, job: Job) -> None:
        """Forget a job that was discarded; called with the lock held."""
        if self._jobs.get(job.owner) is job:
            del self._jobs[job.owner]

    def submit(self, wanted: TrainingRun | DiscoveryRequest, owner: Hashable, patches: Array | None = None) -> Job:
        """Start a job, or put it in the queue; it replaces an earlier one of this owner.

        `patches` (n, D) are those to train on, in place of white noise.
        """
        with self.lock:
            if owner in self._jobs:
                self._jobs[owner].discard()
            job: Job
            if isinstance(wanted, TrainingRun):
                job = TrainingJob(self, wanted, owner, patches)
            else:
                job = DiscoveryJob(self, wanted, owner)
            self._jobs[owner] = job
            job._enqueue()
            return job

    def of(self, owner: Hashable) -> Job | None:
        """The training of this owner, if there is one."""
        with self.lock:
            return self._jobs.get(owner)

    def hand_over(self, before: Hashable, owner: Hashable) -> bool:
        """Give this owner the training of `before`, their name until the tab was reloaded; True if to be called again.

        A copy of a tab claims the name of the original too: if the training is still watched, it stays where it is.
        """
        with self.lock:
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
        with self.lock:
            now = self.clock()
            for job in list(self._jobs.values()):
                unwatched = now - job._last_watched
                if unwatched > _IDLE_SECONDS and job._state in (State.WAITING, State.RUNNING):
                    job._halt(State.PAUSED, ", because its page was closed or hidden")
                if unwatched > _DISCARD_SECONDS:
                    job._drop(", because its page was not opened again")
            while self.queue and sum(job._state is State.RUNNING for job in self._jobs.values()) < self.limit:
                self.queue.pop(0)._start()

    def close(self) -> None:
        """Discard everything."""
        with self.lock:
            for job in list(self._jobs.values()):
                job._drop()
            if self._spare is not None:
                self._spare.kill()
            self._spare = self._preparing = None
