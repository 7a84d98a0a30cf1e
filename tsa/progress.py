"""A progress bar for the command line: appears only when the work takes more than two seconds."""

import sys
import time


class Bar:
    """`bar(fraction, note)` redraws one line on stderr; silent when it is not a terminal."""

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
