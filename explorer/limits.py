"""What the server does for one visitor in ten minutes: so many trainings, reports, uploads and downloads.

A person does not reach these limits. They keep a visitor who asks without end from making the others wait.
"""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable

from tsa._base import TSAError

MOST = {"trainings": 30, "reports": 60, "downloads": 120, "uploads": 300}  # of one visitor in that time
_MINUTES = 10
_MAX_VISITORS = 2000  # whose numbers are kept; the longest absent are forgotten first


class LimitError(TSAError):
    """The visitor has asked for as much as the server does for one; the text says when there is more."""


class Limits:
    """When each visitor had something done, in the last minutes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: OrderedDict[Hashable, dict[str, deque[float]]] = OrderedDict()
        self._lock = threading.Lock()

    def spend(self, visitor: Hashable, what: str) -> None:
        """Count one more of `what`, a key of `MOST`; a LimitError if this visitor has had them all."""
        now, most = self._clock(), MOST[what]
        with self._lock:
            times = self._times.setdefault(visitor, {}).setdefault(what, deque())
            self._times.move_to_end(visitor)
            while len(self._times) > _MAX_VISITORS:
                self._times.popitem(last=False)
            while times and times[0] <= now - 60 * _MINUTES:
                times.popleft()
            if len(times) < most:
                times.append(now)
                return
            wait = times[0] + 60 * _MINUTES - now
        minutes = max(1, round(wait / 60))
        raise LimitError(
            f"This server does at most {most} {what} for one visitor in {_MINUTES} minutes. Please try again in "
            f"{minutes} minute{'s' if minutes > 1 else ''}; on your own computer, the command line has no such limit."
        )


_limits = Limits()


def spend(visitor: Hashable, what: str) -> None:
    """Count one more of `what` for this visitor, on this server; see `Limits.spend`."""
    _limits.spend(visitor, what)
