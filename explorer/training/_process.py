"""One job in a process of its own, which does what `tsa train` or `tsa discover` does, with reports through a pipe.

Training can continue from any report, so the process writes no files and may be killed at any moment. It ends by itself
when the server that started it ends, for whatever reason.
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
from dataclasses import asdict, fields
from typing import IO, Any, NamedTuple

import numpy as np

from explorer.training.request import DiscoveryRequest
from tsa import files
from tsa._base import Array, TSAError
from tsa.learning import DiscoveryStep, TrainingProgress, TrainingRun, discover, one_blas_thread, train_run

_STEP_ARRAYS = ("filters", "coherence", "relations")
_REPORT_SECONDS = 0.5  # between two reports to the server
GROWTH = 1.05  # a report is also sent when the pairs have grown by this factor: most is learned early on


class SearchStep(NamedTuple):
    """What a search for a group has found so far, see `tsa.learning.DiscoveryStep`, and the share that is done."""

    fraction: float
    filters: Array
    coherence: Array
    relations: Array
    parameters: int


class SearchResult(NamedTuple):
    """The end of a search: the model file, empty if there is no group, the result in a sentence, and the report."""

    model: bytes
    sentence: str
    report: str


# A report, the model file at the end of a training, the same of a search, or a sentence about what went wrong.
Message = TrainingProgress | bytes | SearchStep | SearchResult | str


class Trainer:
    """A process that waits for one order: train (from the beginning or a report), or search for a group."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", "from explorer.training._process import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pipesize=2**20,  # bytes: room for a report, so that the training need not wait for a busy server
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
            start_new_session=True,  # Ctrl-C ends the server, and this process ends with it
        )

    @property
    def alive(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def train(
        self,
        run: TrainingRun,
        start: TrainingProgress | None = None,
        finish_now: bool = False,
        patches: Array | None = None,
    ) -> Iterator[Message]:
        """Send the order, and yield the messages of the process until it ends.

        Training begins at `start` if given; `finish_now` makes the model of `start` without further training. It is on
        `patches` (n, D), if given, in place of white noise.
        """

        def order(pipe: IO[bytes]) -> None:
            arrays = b"" if patches is None else files.zip_arrays({"patches": patches})
            _send(pipe, {"recipe": asdict(run), "finish": finish_now, "start": start is not None}, arrays)
            if start is not None:
                _send_progress(pipe, start)

        return self._messages(order)

    def discover(self, request: DiscoveryRequest) -> Iterator[Message]:
        """Send the order to look for the group behind pairs, and yield the messages of the process until it ends."""
        arrays = files.zip_arrays({"x": request.x, "y": request.y})
        order = {"search": True, "shape": request.shape, "seed": request.seed}
        return self._messages(lambda pipe: _send(pipe, order, arrays))

    def _messages(self, send_order: Callable[[IO[bytes]], None]) -> Iterator[Message]:
        with suppress(BrokenPipeError, EOFError, ValueError), self._process as process:
            assert process.stdin is not None
            assert process.stdout is not None
            send_order(process.stdin)
            while True:
                yield _receive_message(process.stdout)

    def kill(self) -> None:
        """End it now."""
        self._process.kill()


def main() -> None:
    """The process: take the order from stdin, train, send messages to stdout."""
    if hasattr(os, "nice"):
        _lower_priority()
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not get among the messages
    try:
        order = _receive(sys.stdin.buffer)
    except EOFError:
        return  # the server ended, or did not need this process
    start = _receive_message(sys.stdin.buffer) if order.get("start") else None
    assert start is None or isinstance(start, TrainingProgress)
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def send(message: Message) -> None:
        if isinstance(message, TrainingProgress):
            _send_progress(channel, message)
        elif isinstance(message, str):
            _send(channel, {"kind": "sentence"}, message.encode())
        elif isinstance(message, bytes):
            _send(channel, {"kind": "model"}, message)
        elif isinstance(message, SearchStep):
            numbers = {"fraction": message.fraction, "parameters": message.parameters}
            arrays = {name: getattr(message, name) for name in _STEP_ARRAYS}
            _send(channel, {"kind": "step", "numbers": numbers}, files.zip_arrays(arrays))
        else:
            texts = {"sentence": message.sentence, "report": message.report}
            _send(channel, {"kind": "result", "texts": texts}, message.model)

    try:
        arrays = files.read_arrays(order["body"]) if order["body"] else {}
        if "search" in order:
            send(_search(arrays["x"], arrays["y"], tuple(order["shape"]), order["seed"], send))
            return
        run = TrainingRun(**order["recipe"] | {"shape": tuple(order["recipe"]["shape"])})
        send(_train(run, start, order["finish"], arrays.get("patches"), send))
    except TSAError as error:
        send(str(error))
    except MemoryError:
        send("There is not enough memory for patches of this size.")
    except Exception as error:
        traceback.print_exc()
        send(f"The training failed ({type(error).__name__}); the server's log has the details.")


def _lower_priority() -> None:
    """Run at the lowest priority, so that the training does not slow down the pages.

    Linux may divide the processor between sessions before it compares priorities within each (autogroups); this process
    has a session of its own, whose priority is lowered too.
    """
    os.nice(19)
    with suppress(OSError), open("/proc/self/autogroup", "w") as autogroup:
        autogroup.write("19")


def _end_with_parent() -> None:
    os.read(0, 1)  # nothing more is ever sent: this returns when the other end of the pipe is closed
    os._exit(1)


def _search(x: Array, y: Array, shape: tuple[int, ...], seed: int, send: Callable[[Message], None]) -> SearchResult:
    fraction = 0.0

    def note(share: float) -> None:
        nonlocal fraction
        fraction = share

    def report(step: DiscoveryStep) -> None:
        filters = step.filters.astype("complex64")
        send(SearchStep(fraction, filters, step.coherence, step.relations, step.parameters))

    with one_blas_thread():  # a second one gains little, and takes the other core from the pages
        found = discover(x, y, seed=seed, on_progress=note, on_step=report)
    return SearchResult(found.pack(shape) if found.found else b"", found.sentence, found.report())


def _train(
    run: TrainingRun,
    start: TrainingProgress | None,
    finish_now: bool,
    patches: Array | None,
    send: Callable[[Message], None],
) -> bytes:
    told_at, told_pairs = -np.inf, 0

    def report(progress: TrainingProgress) -> None:
        nonlocal told_at, told_pairs
        due = time.monotonic() - told_at > _REPORT_SECONDS or progress.pairs >= GROWTH * told_pairs
        if due or progress.step == run.steps:
            send(progress)
            told_at, told_pairs = time.monotonic(), progress.pairs

    if finish_now and start is not None:
        result = run.to_model_file(start.filters, start.curve)
    else:
        result = train_run(run, start, report, patches)
    return files.pack_model(result.model, result.shape, result.about)


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


def _send_progress(pipe: IO[bytes], progress: TrainingProgress) -> None:
    arrays = ("basis", "curve")
    numbers = {field.name: getattr(progress, field.name) for field in fields(progress) if field.name not in arrays}
    header = {"kind": "progress", "shape": progress.basis.shape, "numbers": numbers}
    _send(pipe, header, np.array(progress.curve, np.float64).tobytes() + progress.basis.astype(np.float32).tobytes())


def _receive_message(pipe: IO[bytes]) -> Message:
    header = _receive(pipe)
    if header["kind"] == "sentence":
        return header["body"].decode()
    if header["kind"] == "model":
        return header["body"]
    if header["kind"] == "step":
        arrays, numbers = files.read_arrays(header["body"]), header["numbers"]
        filters, coherence, relations = (arrays[name] for name in _STEP_ARRAYS)
        return SearchStep(numbers["fraction"], filters, coherence, relations, numbers["parameters"])
    if header["kind"] == "result":
        return SearchResult(header["body"], **header["texts"])
    size = 4 * math.prod(header["shape"])
    basis = np.frombuffer(header["body"][-size:], np.float32).reshape(header["shape"])
    points = np.frombuffer(header["body"][:-size]).reshape(-1, 2)
    return TrainingProgress(basis=basis, curve=tuple((int(n), float(v)) for n, v in points), **header["numbers"])
