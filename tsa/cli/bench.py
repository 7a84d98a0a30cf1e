"""`tsa bench`: speed, as ratios to the bare operations underneath."""

import argparse
from functools import partial
from pathlib import Path

from tsa.experiments import bench
from tsa.pictures import datasets


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `bench`."""
    command = commands.add_parser(
        "bench",
        help="measure speed, as ratios to the bare operations underneath",
        epilog="example: tsa bench densities",
    )
    command.add_argument("what", choices=["densities", "learning", "recognition"])
    command.add_argument("--data", type=Path, help="recognition: the folder with the MNIST files (else the sample)")
    command.set_defaults(run=_bench)


def _bench(options: argparse.Namespace) -> None:
    if options.what == "recognition":
        read = partial(datasets.mnist, options.data) if options.data else datasets.sample
        bench.recognition(read("train"), read("test"))
    else:
        getattr(bench, options.what)()
