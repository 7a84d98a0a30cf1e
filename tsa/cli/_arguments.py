"""Arguments and actions that several commands share: a model with what is known about it, shapes, files to write."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from tsa import files
from tsa._base import Bar, InputError, write_atomically
from tsa.files import Hints, OpenedFilters, OpenedModel, open_file, open_filters, open_model
from tsa.learning import Mapper
from tsa.recognition import cluster

GROUPS = ("rotation", "shift")


def shape(text: str) -> tuple[int, ...]:
    """The shape of a patch, from `16` or `8x8`."""
    try:
        return tuple(int(part) for part in text.lower().replace("×", "x").split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"a shape is a number or two, like 16 or 8x8; got {text!r}") from None


def whole(least: int) -> Callable[[str], int]:
    """An argument that is a whole number, at least `least`."""

    def number(text: str) -> int:
        if not text.removeprefix("-").isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"a whole number from {least} on is needed; got {text!r}")
        return int(text)

    return number


def add_scheduler(command: argparse.ArgumentParser) -> None:
    """Add the option `--scheduler`."""
    command.add_argument("--scheduler", metavar="ADDRESS", help="many tasks on a Dask cluster (tcp://host:port)")


@contextmanager
def mapper(scheduler: str | None, label: str, tasks: int) -> Iterator[Mapper]:
    """`map`, here or on the cluster at this address, with a bar that counts so many tasks."""
    bar = Bar(label)

    def counted(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for done, result in enumerate(run(function, items), 1):
            bar(done / tasks)
            yield result

    with nullcontext(map) if scheduler is None else cluster.connect_map(scheduler) as run:
        yield counted


def add_model(command: argparse.ArgumentParser) -> None:
    """Add the argument `model`, and the options that complete a file."""
    command.add_argument("model", help=f"a bundled name ({', '.join(files.bundled())}) or a file")
    command.add_argument("--group", choices=GROUPS, help="the group it was trained on, if the file does not say")
    command.add_argument("--patch", type=shape, help="the shape of its patches, like 12x20, if the file does not say")
    command.add_argument("--array", help="the array with the filters, if the file has several")


def add_channel(command: argparse.ArgumentParser) -> None:
    """Add the option that says which channel of kernels is meant."""
    command.add_argument("--channel", type=_channel, help="of kernels (n, channels, h, w): a number, each, or mean")


def _channel(text: str) -> int | str:
    if text in ("each", "mean"):
        return text
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a channel is a number, each or mean; got {text!r}") from None


def open_given(
    name: str,
    group: str | None,
    patch: tuple[int, ...] | None = None,
    array: str | None = None,
) -> OpenedModel:
    """Open a bundled model or a file; what had to be inferred from the filters is printed on stderr."""
    source, hints = files.bundled_path(name) or name, Hints(patch, group)
    opened = open_model(source, hints=hints, on_progress=Bar("weighing"), array=array)
    if opened.note:
        print(f"tsa: {opened.note}", file=sys.stderr)
    return opened


def open_any(options: argparse.Namespace) -> OpenedModel | OpenedFilters:
    """The model of these options, or else the set of filters in its file."""
    source, hints = files.bundled_path(options.model) or options.model, Hints(options.patch, options.group)
    return open_file(source, hints, options.array, options.channel, Bar("weighing"))


def open_set(name: str, options: argparse.Namespace) -> OpenedFilters:
    """A bundled model or a file as a set of filters; what had to be inferred is printed on stderr."""
    source, hints = files.bundled_path(name) or name, Hints(options.patch, options.group)
    opened = open_filters(source, hints, options.array, options.channel, Bar("weighing"))
    if opened.note:
        print(f"tsa: {opened.note}", file=sys.stderr)
    return opened


def add_json(command: argparse.ArgumentParser) -> None:
    """Add the option `--json`."""
    command.add_argument("--json", action="store_true", help="print the result as JSON")


def print_json(result: object) -> None:
    """Print a result as JSON; nan and infinity, which JSON does not have, become null."""
    print(json.dumps(_plain(result), indent=1, ensure_ascii=False))


def _plain(value: Any) -> Any:
    """The same in what JSON has."""
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def add_table_out(command: argparse.ArgumentParser, endings: Iterable[str], what: str) -> None:
    """Add `--out` for a file whose ending says its format, and `--format` for standard output."""
    listed = " ".join(endings)
    command.add_argument("--out", type=Path, help=f"{what}: {listed}, or - for standard output")
    command.add_argument("--format", metavar="FORMAT", help=f"format if --out has no ending: {listed.replace('.', '')}")


def ending(options: argparse.Namespace, known: Iterable[str]) -> str:
    """The ending, one of `known`, of the file that `--out` and `--format` ask for."""
    given = f".{options.format.lstrip('.')}" if options.format else options.out.suffix
    if given.lower() not in known:
        listed = ", ".join(known)
        if to_standard_output(options.out):
            raise InputError(f"Say with --format what to write to standard output: {listed.replace('.', '')}.")
        raise InputError(f"{options.out} should end in one of {listed}.")
    return str(given.lower())


def to_standard_output(path: Path) -> bool:
    """Whether `--out` is `-`."""
    return str(path) == "-"


def check_model_path(path: Path) -> None:
    """Refuse to write a model where it would be taken for something else later."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; --out is the model file to write.")
    if path.suffix.lower() != ".npz":
        raise InputError(f"{path} should end in .npz, as model files do.")


def write(path: Path, content: str | bytes) -> None:
    """Write a file, or to standard output if the path is `-`; text as UTF-8."""
    data = content.encode() if isinstance(content, str) else content
    if to_standard_output(path):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    try:
        write_atomically(path, data)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}.") from error
