"""Output on consoles of any encoding."""

import io
import sys


def allow_any_console() -> None:
    """Print `?` for characters that the encoding of stdout or stderr lacks (ω in cp1252, say), instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
