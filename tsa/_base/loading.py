"""Ctrl-C while a command is being loaded, which takes a second or two: exit code 130, and no traceback.

Python would raise KeyboardInterrupt in the middle of an import, before a line of the command can catch it.
"""

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

_MODULES, _SCRIPTS = ("tsa", "tsa.cli", "explorer"), ("tsa", "tsa-explorer")
_INTERRUPTED = 130  # exit code of what was stopped by Ctrl-C: 128 + SIGINT, as shells have it


def _begin_loading() -> None:
    """Let Ctrl-C end this process at once, if it is one of our commands and has no other use for Ctrl-C."""
    if is_command(sys.orig_argv) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def end_loading() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again; called where a command can catch it."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def is_command(argv: Sequence[str]) -> bool:
    """Whether Python was started with these arguments, as in `sys.orig_argv`, for one of our commands."""
    options = [*argv[1:], ""]
    named = next(i for i, one in enumerate(options) if one in ("-m", "-c") or not one.startswith("-"))
    if options[named] == "-m":
        return options[named + 1] in _MODULES
    return os.path.splitext(os.path.basename(options[named]))[0] in _SCRIPTS


def _leave(number: int, frame: FrameType | None) -> None:
    """Without clean-up, which there is no need for yet: a half-loaded library may fail at it."""
    os._exit(_INTERRUPTED)


_begin_loading()
