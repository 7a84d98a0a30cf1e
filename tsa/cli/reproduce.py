"""`tsa reproduce`: figures and tables of the paper."""

import argparse
from contextlib import nullcontext
from pathlib import Path

from tsa._base import Bar, InputError
from tsa.cli._arguments import GROUPS, open_given, write
from tsa.experiments import mnist
from tsa.pictures import datasets
from tsa.recognition import cluster, nearest
from tsa.stage import exports, filters_image, filters_svg


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `reproduce`."""
    command = commands.add_parser(
        "reproduce",
        help="make a figure of the paper",
        epilog="example: tsa reproduce filters --model rotation-16 --out figure3.png",
    )
    command.add_argument("what", choices=["filters", "mnist"])
    command.add_argument("--model", help="bundled name or file (filters: rotation-16, mnist: rotation-16-refined)")
    command.add_argument("--group", choices=GROUPS, help="filters: the group of the model, if the file does not say")
    command.add_argument("--data", type=Path, help="mnist: the folder with the idx files, plain or gzipped")
    command.add_argument("--quick", action="store_true", help="mnist: on the 1,300 digits that come with the package")
    command.add_argument("--scheduler", metavar="ADDRESS", help="mnist: search on a Dask cluster (tcp://host:port)")
    command.add_argument("--out", type=Path, help="filters: picture to write; mnist: folder, which a rerun continues")
    command.set_defaults(run=lambda options: {"filters": _filters, "mnist": _mnist}[options.what](options))


def _filters(options: argparse.Namespace) -> None:
    out = options.out or Path("filters.png")
    if out.suffix.lower() not in (".png", ".svg"):
        raise InputError(f"{out} should end in .png or .svg.")
    opened = open_given(options.model or "rotation-16", options.group)
    model, shape = opened.model, opened.action.shape
    as_svg = out.suffix.lower() == ".svg"
    write(out, filters_svg(model, shape) if as_svg else exports.png(filters_image(model, shape)))
    print(f"{out}: {model.subspaces} filter pairs by |ω|: {model.irreps}")


def _mnist(options: argparse.Namespace) -> None:
    if options.quick:
        train, test = (datasets.sample(split) for split in ("train", "test"))
    elif options.data is not None:
        train, test = (datasets.mnist(options.data, split) for split in ("train", "test"))
    else:
        raise InputError("Say where the MNIST files are (--data FOLDER), or take the bundled sample (--quick).")
    out = options.out or Path("mnist-quick" if options.quick else "mnist")
    sizes = mnist.QUICK_SIZES if options.quick else mnist.SIZES
    where = nullcontext(nearest) if options.scheduler is None else cluster.connect(options.scheduler)
    with where as search:
        outcomes = mnist.run_mnist(train, test, options.model or "rotation-16-refined", out, sizes, Bar, search)
    print(mnist.table(outcomes), end="")
    print(f"{out / 'accuracy.svg'}, {out / 'outcomes.json'}")
