"""Progress of long computations: one callback split among parts, and a bar for the command line."""

import sys
import time
from collections.abc import Callable

ProgressCallback = Callable[[float], object]  # called with the fraction that is done


def split_progress(on_progress: ProgressCallback | None, *parts: float) -> list[ProgressCallback]:
    """One callback for each part of a job; together they move `on_progress` from 0 to 1 in proportion to `parts`."""
    whole, begun = sum(parts), 0.0
    callbacks = list[ProgressCallback]()
    for part in parts:

        def callback(fraction: float, start: float = begun / whole, span: float = part / whole) -> None:
            if on_progress is not None:
                on_progress(start + span * fraction)

        callbacks.append(callback)
        begun += part
    return callbacks


class Bar:
    """`bar(fraction, note)` redraws one line on stderr, from two seconds on; silent if stderr is not a terminal."""

    def __init__(self, title: str) -> None:
        self._title, self._begun, self._drawn = title, time.monotonic(), 0.0

    def __call__(self, fraction: float, note: str = "") -> None:
        """Show how much is done."""
        now = time.monotonic()
        elapsed = now - self._begun
        if not sys.stderr.isatty() or elapsed < 2 or (now - self._drawn < 0.1 and fraction < 1):
            return
        self._drawn = now
        left = elapsed * (1 - fraction) / max(fraction, 1e-9)
        cells = round(30 * fraction)
        line = f"{self._title} {'█' * cells}{'·' * (30 - cells)} {fraction:4.0%}  {left:.0f} s left  {note}"
        sys.stderr.write(f"\r\x1b[K{line[:118]}" + ("\n" if fraction >= 1 else ""))
        sys.stderr.flush()
