"""Models that visitors have uploaded, trained or refined, kept on the server until a reloaded tab asks for them.

The tab has a ticket in its storage; whoever shows it gets the models. Nothing is written to disk.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from explorer.state import NamedModel

_MAX_VISITORS = 200
_MAX_BYTES = 512 * 2**20  # of all visitors together; what one visitor keeps is bounded in `models`
_IDLE_SECONDS = 2 * 3600.0  # without a run of the page, until the models are dropped


@dataclass(frozen=True, eq=False)
class Kept:
    """Models by name, and names of refined models by the digest of the original."""

    models: Mapping[str, NamedModel]
    refined: Mapping[str, str]

    @property
    def bytes(self) -> int:
        """About how much memory the models take: filters as read, filters as used, and their spectra."""
        models = self.models.values()
        sets = sum(model.report.filters.nbytes + model.report.heights.nbytes for model in models if model.report)
        return sets + sum(3 * model.model.filters.nbytes for model in models)


class KeptModels:
    """Models by ticket. The visitors longest absent are dropped if there are too many, or too many bytes."""

    def __init__(
        self, limit: int = _MAX_VISITORS, max_bytes: int = _MAX_BYTES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit, self._max_bytes, self._clock = limit, max_bytes, clock
        self._kept: OrderedDict[str, tuple[float, Kept]] = OrderedDict()  # time of the last use; longest absent first
        self._lock = threading.Lock()

    def put(self, ticket: str, kept: Kept) -> None:
        """Keep these models for this ticket, in the place of those kept before."""
        with self._lock:
            self._kept[ticket] = self._clock(), kept
            self._kept.move_to_end(ticket)
            self._tidy()

    def get(self, ticket: str) -> Kept | None:
        """The models kept for this ticket, if there are any; the call counts as a use."""
        with self._lock:
            self._tidy()
            if ticket not in self._kept:
                return None
            kept = self._kept[ticket][1]
            self._kept[ticket] = self._clock(), kept
            self._kept.move_to_end(ticket)
            return kept

    def _tidy(self) -> None:
        oldest = self._clock() - _IDLE_SECONDS
        total = sum(kept.bytes for _, kept in self._kept.values())
        while self._kept:
            seconds, kept = next(iter(self._kept.values()))
            if seconds >= oldest and len(self._kept) <= self._limit and total <= self._max_bytes:
                return
            self._kept.popitem(last=False)
            total -= kept.bytes
