"""Warnings that strangers can cause: a flood of them must not fill the log."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_SECONDS = 10.0  # between two lines of a kind


@dataclass
class ThrottledLog:
    """Writes one line of each kind at most every ten seconds, and with it how many were left out since the last."""

    write: Callable[[str], object] = logging.getLogger("tsa-explorer").warning
    clock: Callable[[], float] = time.monotonic
    _written: dict[str, tuple[float, int]] = field(default_factory=dict)  # when a kind was written, and left out since

    def warn(self, kind: str, detail: str) -> None:
        """Write "kind: detail", unless a line of this kind was written just before. Kinds are few and our own."""
        now = self.clock()
        last, left_out = self._written.get(kind, (-_SECONDS, 0))
        if now - last < _SECONDS:
            self._written[kind] = (last, left_out + 1)
            return
        self._written[kind] = (now, 0)
        more = f" ({left_out} more were not logged)" if left_out else ""
        self.write(f"{kind}: {detail[:200]}{more}")
