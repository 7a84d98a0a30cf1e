"""One training in a process of its own: what `tsa train` does, seen through a pipe.

Each report is a checkpoint too, so the process keeps no files and may be killed at any moment; and it ends by itself
once whoever started it is gone, however that came about.
"""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from typing import IO, Any

import numpy as np

from tsa import files
from tsa.errors import TSAError
from tsa.learning import Progress
from tsa.recipes import Recipe

_SECONDS_BETWEEN_SNAPSHOTS = 0.5
GROWTH = 1.05  # of the pairs from one snapshot to the next, if that is sooner: most is learned early on


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Where a training stands: enough to show it, and to go on from there to the same bits."""

    progress: Progress
    curve: tuple[tuple[int, float], ...]


Message = Snapshot | bytes | str  # where it stands; the model file at the end; or a sentence about what went wrong


class Trainer:
    """A process that waits for an order, then trains from a snapshot, or makes a model of what the snapshot has."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from explorer.trainer import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pipesize=2**20,  # room for a snapshot, so that a busy server does not keep the training waiting
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
            start_new_session=True,  # Ctrl-C is for the server, whose end ends this too
        )

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def train(self, recipe: Recipe, start: Snapshot | None = None, finish_now: bool = False) -> Iterator[Message]:
        """Give it its one order (from the start, without a snapshot); what it says, until it ends."""
        with suppress(BrokenPipeError, EOFError, ValueError), self._process as process:
            assert process.stdin is not None
            assert process.stdout is not None
            _send(process.stdin, {"recipe": asdict(recipe), "finish": finish_now, "start": start is not None})
            if start is not None:
                _send_snapshot(process.stdin, start)
            while True:
                yield _receive_message(process.stdout)

    def kill(self) -> None:
        """End it now."""
        self._process.kill()


def main() -> None:
    """The process: take the order from stdin, train, send messages to stdout."""
    if hasattr(os, "nice"):
        _step_back()
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not get among the messages
    try:
        order = _receive(sys.stdin.buffer)
    except EOFError:
        return  # nobody wanted anything
    start = _receive_message(sys.stdin.buffer) if order["start"] else None
    assert start is None or isinstance(start, Snapshot)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def tell(message: Message) -> None:
        if isinstance(message, Snapshot):
            _send_snapshot(channel, message)
        elif isinstance(message, str):
            _send(channel, {"kind": "sentence"}, message.encode())
        else:
            _send(channel, {"kind": "model"}, message)

    try:
        recipe = Recipe(**order["recipe"] | {"shape": tuple(order["recipe"]["shape"])})
        tell(_train(recipe, start, order["finish"], tell))
    except TSAError as error:
        tell(str(error))
    except MemoryError:
        tell("There is not enough memory for patches of this size.")
    except Exception as error:
        traceback.print_exc()
        tell(f"The training stumbled ({type(error).__name__}); the server's log says more.")


def _step_back() -> None:
    """Pages come first, this takes what they leave of the processor.

    Linux may share it out between sessions before it looks at who is nice in each; ours has a session of its own, which
    must be told to be nice as well.
    """
    os.nice(19)
    with suppress(OSError), open("/proc/self/autogroup", "w") as ours:
        ours.write("19")


def _end_with_parent() -> None:
    os.read(0, 1)  # nothing more is ever sent: this returns when the other end of the pipe is closed
    os._exit(1)


def _train(recipe: Recipe, start: Snapshot | None, finish_now: bool, tell: Callable[[Message], None]) -> bytes:
    basis, step, curve = None, 0, list[tuple[int, float]]()
    if start is not None:
        basis, step, curve = start.progress.basis, start.progress.step, list(start.curve)
    told, told_pairs = -np.inf, 0
    for progress in () if finish_now else recipe.train(basis, step):
        basis = progress.basis
        curve.append((progress.pairs, progress.log_evidence))
        due = time.monotonic() - told > _SECONDS_BETWEEN_SNAPSHOTS or progress.pairs >= GROWTH * told_pairs
        if due or progress.step == recipe.steps:
            tell(Snapshot(progress, tuple(curve)))
            told, told_pairs = time.monotonic(), progress.pairs
    assert basis is not None
    result = recipe.finish(basis.view(np.complex64), curve)
    return files.pack(result.model, result.shape, result.about)


# -- messages on a pipe: a line of JSON that says how many bytes follow, then the bytes ------------------------------


def _send(pipe: IO[bytes], header: dict[str, Any], body: bytes = b"") -> None:
    pipe.write(json.dumps({**header, "bytes": len(body)}).encode() + b"\n" + body)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> dict[str, Any]:
    line = pipe.readline()
    if not line:
        raise EOFError
    header = json.loads(line)
    header["body"] = pipe.read(header["bytes"])
    return header


def _send_snapshot(pipe: IO[bytes], snapshot: Snapshot) -> None:
    progress = snapshot.progress
    numbers = {field.name: getattr(progress, field.name) for field in fields(progress) if field.name != "basis"}
    header = {"kind": "snapshot", "shape": progress.basis.shape, "progress": numbers}
    _send(pipe, header, np.array(snapshot.curve, np.float64).tobytes() + progress.basis.astype(np.float32).tobytes())


def _receive_message(pipe: IO[bytes]) -> Message:
    header = _receive(pipe)
    if header["kind"] == "sentence":
        return header["body"].decode()
    if header["kind"] == "model":
        return header["body"]
    size = 4 * math.prod(header["shape"])
    basis = np.frombuffer(header["body"][-size:], np.float32).reshape(header["shape"])
    points = np.frombuffer(header["body"][:-size]).reshape(-1, 2)
    return Snapshot(Progress(basis=basis, **header["progress"]), tuple((int(n), float(v)) for n, v in points))
