"""Trainings that visitors start: a few run at a time, each in its own process; the others wait in line.

A training belongs to the visitor who watches it. When nobody asks about it any more it is paused, and later forgotten.
Everything here may be called from any thread.
"""

import os
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import count

from explorer.film import Film, Frame
from explorer.trainer import Message, Snapshot, Trainer
from tsa import checks, files
from tsa.checks import Array
from tsa.errors import InputError
from tsa.files import ModelFile
from tsa.model import Subgroup
from tsa.recipes import Recipe

KINDS = {"rotation": ("rotation", 2), "shift in 1-D": ("shift", 1), "shift in 2-D": ("shift", 2)}
MOST_PIXELS = 32 * 32
MOST_PAIRS = 5_000_000
_AWAY = 90.0  # seconds without a question after which nobody watches: browsers let a hidden tab ask once a minute
_FORGOTTEN = 1800.0
_LEFT = 2.0  # seconds without a question after which a tab was reloaded; browsers let one just hidden ask once a second
_numbers = count(1)


def recipe_from(
    kind: str,
    size: int,
    subspaces: int,
    pairs: int = 250_000,
    rate: float = 0.25,
    noise: float = 1.0,
    seed: int = 0,
    refined: bool = False,
) -> Recipe:
    """The recipe of `tsa train` with these settings, within what a page may ask of its server.

    `kind` is one of `KINDS`, `size` the samples of a signal or the side of a square patch.
    """
    if kind not in KINDS:
        raise InputError(f"The group is one of {', '.join(KINDS)}; got {kind!r}.")
    group, dimensions = KINDS[kind]
    most = round(MOST_PIXELS ** (1 / dimensions))
    for name, value, least, largest in (("size", size, 2, most), ("number of pairs", pairs, 1, MOST_PAIRS)):
        if not isinstance(value, int) or not least <= value <= largest:
            raise InputError(f"The {name} must be a whole number from {least} to {largest:,}; got {value!r}.")
    for name, number in (("learning rate", rate), ("noise", noise)):
        if not 1e-3 <= checks.positive(number, f"The {name}") <= 1e3:
            raise InputError(f"The {name} must lie between 0.001 and 1000; got {number!r}.")
    return Recipe(group, (size,) * dimensions, subspaces, pairs, float(noise), float(rate), seed=seed, refined=refined)


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
    position: int  # in line, from 1; 0 when it does not wait
    fraction: float
    pairs: int
    pairs_per_second: float  # as it was last, if it is not learning; 0 if that is not known
    seconds_left: float | None  # of learning; None unless it is learning
    curve: tuple[tuple[int, float], ...]  # (pairs, mean log evidence)
    filters: Array | None  # complex (D, J), those of the latest snapshot
    film: tuple[Frame, ...]  # how they came about; at the end the refined ones, if there are any
    weights: Array | None  # of the filters of its last frame, once they are known
    has_model: bool
    sentence: str


class Job:
    """One training. What makes no sense in its present state, such as a second click on pause, does nothing."""

    def __init__(self, jobs: "Jobs", recipe: Recipe, owner: Hashable) -> None:
        self.recipe, self.owner, self.number = recipe, owner, next(_numbers)
        self._jobs, self._lock = jobs, jobs._lock
        self._state = State.WAITING
        self._trainer: Trainer | None = None  # only while running
        self._snapshot: Snapshot | None = None
        self._finish_now = False
        self._model: bytes | None = None
        self._film = Film(recipe)
        self._outcome: tuple[Frame, Array] | None = None  # the model's filters and weights
        self._claims: dict[Hashable, float] = {}  # who asked for it, and when first
        self._note = ""  # why it paused, or what went wrong
        self._watched()

    def status(self) -> Status:
        """Where it stands. To ask is to watch: see `Jobs.tend`."""
        with self._lock:
            self._watched()
            self._jobs.tend()
            learning = self._state is State.RUNNING and not self._learned
            progress = self._snapshot.progress if self._snapshot else None
            # The first step also waits for the first pairs to be made, and says nothing about speed.
            speed = progress.pairs_per_second if progress and progress.step > 1 else 0.0
            left = (self.recipe.n_pairs - self._pairs) / speed if speed and learning else None
            return Status(
                state=self._state,
                position=self._position,
                fraction=min(1.0, self._pairs / self.recipe.n_pairs),
                pairs=self._pairs,
                pairs_per_second=speed,
                seconds_left=left,
                curve=self._snapshot.curve if self._snapshot else (),
                filters=checks.frozen(progress.filters) if progress else None,
                film=(*self._film.frames, *([self._outcome[0]] if self._outcome and self.recipe.refined else [])),
                weights=self._outcome[1] if self._outcome else None,
                has_model=self._model is not None,
                sentence=self._sentence(left),
            )

    def pause(self) -> None:
        """Leave the line or stop computing, and keep what was learned."""
        with self._lock:
            self._watched()
            if self._state in (State.WAITING, State.RUNNING):
                self._halt(State.PAUSED)
                self._jobs.tend()

    def resume(self) -> None:
        """Go on from where it was paused, stopped or failed, behind those who wait."""
        with self._lock:
            self._watched()
            if self._state in (State.PAUSED, State.STOPPED, State.FAILED):
                self._finish_now, self._model, self._outcome = False, None, None
                self._line_up()

    def stop(self) -> None:
        """End early, with a model of what was learned so far if anything was."""
        with self._lock:
            self._watched()
            ending = self._learned and self._state in (State.WAITING, State.RUNNING)
            if ending or self._state in (State.FINISHED, State.STOPPED, State.DISCARDED):
                return
            self._halt(State.STOPPED)
            if self._snapshot is not None:
                self._finish_now = True
                self._line_up(first=True)
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
                raise InputError(f"There is no model yet: this training is {self._state}. Let it finish, or stop it.")
            return self._model

    # -- inside, with the lock held except by `_follow` ---------------------------------------------------------

    def _watched(self) -> None:
        self._last_watched = self._jobs.clock()

    @property
    def _pairs(self) -> int:
        return self._snapshot.progress.pairs if self._snapshot else 0

    @property
    def _learned(self) -> bool:
        """Whether only the model is left to be made."""
        return self._finish_now or self._pairs >= self.recipe.n_pairs

    @property
    def _position(self) -> int:
        return self._jobs._line.index(self) + 1 if self._state is State.WAITING else 0

    def _sentence(self, seconds_left: float | None) -> str:
        so_far = f"{self._pairs:,} of {self.recipe.n_pairs:,} pairs"
        limit = self._jobs.limit
        match self._state:
            case State.WAITING:
                rule = "one training runs" if limit == 1 else f"{limit} trainings run"
                return f"In line at place {self._position}: {rule} at a time."
            case State.RUNNING if self._learned:
                return f"Learned from {so_far}; now finding the weights."
            case State.RUNNING:
                return "Starting." if seconds_left is None else f"Learning: about {_duration(seconds_left)} left."
            case State.PAUSED:
                return f"Paused at {so_far}{self._note}."
            case State.FINISHED:
                return f"Finished: learned from {self._pairs:,} pairs."
            case State.STOPPED if self._model:
                return f"Stopped at {so_far}: the model has what was learned until then."
            case State.STOPPED:
                return "Stopped before anything was learned: there is no model."
            case State.FAILED:
                return self._note
        return f"Discarded{self._note}."

    def _line_up(self, first: bool = False) -> None:
        self._state, self._note = State.WAITING, ""
        self._jobs._line.insert(0 if first else len(self._jobs._line), self)
        self._jobs.tend()

    def _halt(self, state: State, note: str = "") -> None:
        """Out of the line, and no process; it is for the caller to let the next one start."""
        if self._state is State.WAITING:
            self._jobs._line.remove(self)
        if self._trainer is not None:
            self._trainer.kill()
            self._trainer = None
        self._state, self._note = state, note

    def _drop(self, note: str = "") -> None:
        self._halt(State.DISCARDED, note)
        self._snapshot = self._model = self._outcome = None
        self._film.frames = []
        if self._jobs._jobs.get(self.owner) is self:
            del self._jobs._jobs[self.owner]

    def _start(self) -> None:
        try:
            self._trainer = self._jobs._trainer()
        except OSError as error:
            self._state, self._note = State.FAILED, f"The training could not be started: {error.strerror}."
        else:
            self._state = State.RUNNING
            said = self._trainer.train(self.recipe, self._snapshot, self._finish_now)
            threading.Thread(target=self._follow, args=(self._trainer, said), daemon=True).start()

    def _follow(self, trainer: Trainer, said: Iterator[Message]) -> None:
        """Take in what the trainer says, in a thread that ends with it."""
        try:
            for message in said:
                self._take(message, trainer)
        finally:
            self._take("The training was cut off, perhaps for want of memory; it can go on from where it was.", trainer)

    def _take(self, message: Message, trainer: Trainer) -> None:
        # Pictures take a moment, in which others need not wait.
        if isinstance(message, Snapshot):
            frame = self._film.frame(message.progress.pairs, message.progress.filters)
        elif isinstance(message, bytes):
            model = files.read(message).model
            assert isinstance(model, Subgroup)
            last = self._film.frame(self._pairs, model.filters)
            outcome = last, model.weights[: len(last.pictures)]
        with self._lock:
            if trainer is not self._trainer:
                return  # last words of one that was halted
            if isinstance(message, Snapshot):
                self._snapshot = message
                self._film.add(frame)
            elif isinstance(message, bytes):
                self._trainer, self._model, self._outcome = None, message, outcome
                self._state = State.FINISHED if self._pairs >= self.recipe.n_pairs else State.STOPPED
            else:
                self._trainer = None
                self._state, self._note = State.FAILED, message
            self._jobs.tend()


class Jobs:
    """The trainings of all visitors, one for each, at most `limit` of them running."""

    def __init__(self, limit: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit or max(1, (os.cpu_count() or 1) // 2)  # each keeps two cores busy
        self.clock = clock
        self._lock = threading.RLock()
        self._jobs: dict[Hashable, Job] = {}
        self._line: list[Job] = []
        self._spare: Trainer | None = None

    def prepare(self) -> None:
        """Somebody may soon start a training: have a process ready, with all that takes a second to load.

        Not while one is running, whose time that would be.
        """
        with self._lock:
            busy = any(job._state is State.RUNNING for job in self._jobs.values())
            if not busy and (self._spare is None or not self._spare.alive):
                with suppress(OSError):  # then it will be told when it is wanted
                    self._spare = Trainer()

    def _trainer(self) -> Trainer:
        spare, self._spare = self._spare, None
        return spare if spare is not None and spare.alive else Trainer()

    def submit(self, recipe: Recipe, owner: Hashable) -> Job:
        """Start a training, or put it in line; it takes the place of an earlier one of this owner."""
        with self._lock:
            if owner in self._jobs:
                self._jobs[owner].discard()
            job = self._jobs[owner] = Job(self, recipe, owner)
            job._line_up()
            return job

    def of(self, owner: Hashable) -> Job | None:
        """The training of this owner, if there is one."""
        with self._lock:
            return self._jobs.get(owner)

    def hand_over(self, before: Hashable, owner: Hashable) -> bool:
        """Give this owner what they had `before` their tab was reloaded; whether to ask again in a moment.

        A tab that was copied has the name of the other one too: who still watches keeps the training.
        """
        with self._lock:
            job = self._jobs.get(before)
            if job is None or before == owner:
                return False
            now = self.clock()
            asked = job._claims.setdefault(owner, now)
            if job._last_watched > asked + _LEFT / 2:  # by a tab that is still open
                return False
            if now - job._last_watched < _LEFT:
                return True
            if owner in self._jobs:  # they have not waited, and begun another
                job.discard()
            else:
                del self._jobs[before]
                self._jobs[owner], job.owner, job._claims = job, owner, {}
                job._watched()
            return False

    def tend(self) -> None:
        """Pause what nobody watches, forget what nobody came back to, start what may start.

        Runs with every question and with every word from a trainer, so as long as there is something to pause.
        """
        with self._lock:
            now = self.clock()
            for job in list(self._jobs.values()):
                unwatched = now - job._last_watched
                if unwatched > _AWAY and job._state in (State.WAITING, State.RUNNING):
                    job._halt(State.PAUSED, ", because nobody was watching")
                if unwatched > _FORGOTTEN:
                    job._drop(", because nobody came back to it")
            while self._line and sum(job._state is State.RUNNING for job in self._jobs.values()) < self.limit:
                self._line.pop(0)._start()

    def close(self) -> None:
        """Discard everything."""
        with self._lock:
            for job in list(self._jobs.values()):
                job._drop()
            if self._spare is not None:
                self._spare.kill()
                self._spare = None


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
