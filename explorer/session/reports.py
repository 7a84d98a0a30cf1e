"""Results that take seconds: computed once for all visitors, and in a thread of its own where a page goes on without.

A function cached by Streamlit could neither show its progress nor outlive the run of a page.
"""

import pickle
import threading
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from tsa._base import ProgressCallback

T = TypeVar("T")
Key = tuple[str, str]  # kind of the result, and digest of the model it is about
_MAX_RESULTS, _MAX_BYTES = 32, 128 * 2**20
_MAX_THREADS = 2  # that compute at once
_ABANDONED_SECONDS = 15.0  # since a page has looked at a task


class AbandonedError(Exception):
    """No page waits for the result any more."""


class Task(Generic[T]):
    """A computation in another thread. It ends without a result when no page has looked at it for some seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._looked, self._fraction = clock, clock(), 0.0
        self._over = threading.Event()
        self._result: T | None = None
        self._error: BaseException | None = None

    def look(self) -> float:
        """The fraction that is done; the task knows from this that somebody waits."""
        self._looked = self._clock()
        return self._fraction

    def progress(self, fraction: float) -> None:
        """Called by the computation, which ends here if nobody waits for it."""
        if self._clock() - self._looked > _ABANDONED_SECONDS:
            raise AbandonedError
        self._fraction = fraction

    def wait(self, seconds: float) -> bool:
        """Wait so long for the end; whether it has come."""
        return self._over.wait(seconds)

    def result(self) -> T:
        """The result of a task that is over; what the computation raised is raised here."""
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    def end(self, result: T | None = None, error: BaseException | None = None) -> None:
        """Called by the thread, once."""
        self._result, self._error = result, error
        self._over.set()


class Reports:
    """Results by key, the newest ones only: so many, of so many bytes.

    Each key has a lock: of two threads that need the same result, the second waits for that of the first. If the
    first ends without one (its visitor has left), the second computes it.
    """

    def __init__(self, limit: int = _MAX_RESULTS, max_bytes: int = _MAX_BYTES) -> None:
        self._limit, self._max_bytes = limit, max_bytes
        self._found: dict[Key, tuple[Any, int]] = {}  # results and their bytes
        self._busy: WeakValueDictionary[Key, threading.Lock] = WeakValueDictionary()
        self._tasks: dict[Key, Task[Any]] = {}
        self._lock = threading.Lock()
        self._slots = threading.Semaphore(_MAX_THREADS)

    def get(self, key: Key, work: Callable[[], T]) -> T:
        """The result of `work` for this key, computed once, in this thread."""
        with self._lock:
            if (busy := self._busy.get(key)) is None:
                busy = self._busy[key] = threading.Lock()
        with busy:
            with self._lock:
                if key in self._found:
                    return self._found[key][0]
            result = work()
            size = _bytes_of(result)
            with self._lock:
                self._found[key] = result, size
                while len(self._found) > self._limit or self._too_large():
                    del self._found[next(iter(self._found))]
            return result

    def begin(self, key: Key, work: Callable[[ProgressCallback], T], allow: Callable[[], object]) -> Task[T]:
        """The task that computes the result for this key in a thread; one that is over if the result is known.

        `allow` is called before a thread is started, and may raise what the caller is to hear.
        """
        with self._lock:
            if key in self._found:
                known = Task[T]()
                known.end(self._found[key][0])
                return known
            if (task := self._tasks.get(key)) is None:
                allow()
                task = self._tasks[key] = Task()
                threading.Thread(target=self._run, args=(key, task, work), name="report", daemon=True).start()
            task.look()
            return task

    def _run(self, key: Key, task: Task[T], work: Callable[[ProgressCallback], T]) -> None:
        result, error = None, None
        try:
            while not self._slots.acquire(timeout=0.5):
                task.progress(0.0)
            try:
                result = self.get(key, lambda: work(task.progress))
            finally:
                self._slots.release()
        except BaseException as failure:  # whatever it is, the page that waits raises it
            error = failure
        with self._lock:
            del self._tasks[key]
        task.end(result, error)

    def _too_large(self) -> bool:
        return len(self._found) > 1 and sum(size for _, size in self._found.values()) > self._max_bytes


def _bytes_of(value: object) -> int:
    """About how much memory a value takes; large arrays are counted without being copied."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(value, 5, buffer_callback=arrays.append)
    return len(rest) + sum(array.raw().nbytes for array in arrays)
