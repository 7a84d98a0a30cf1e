"""`tsa bench`: speed, as ratios to the bare operations underneath, and how right the results of some functions are."""

import argparse
from functools import partial
from pathlib import Path

from tsa.experiments import DISCOVERY_PARTS, adaptation, bench, discovery_benchmark, registration, tracking
from tsa.pictures import datasets

_SPEED = ["densities", "torus", "learning"]


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `bench`."""
    command = commands.add_parser(
        "bench",
        help="measure speed, as ratios to the bare operations underneath; and how right results are",
        epilog="example: tsa bench densities",
    )
    command.add_argument("what", choices=[*_SPEED, "recognition", "adapt", "registration", "tracking", "discover"])
    command.add_argument(
        "--data",
        type=Path,
        help="recognition: the folder with the MNIST files (else the sample); registration: with photographs",
    )
    command.add_argument(
        "--pairs",
        type=int,
        help="registration: pairs for each row (default 300); discover: of each group (default 3000)",
    )
    command.add_argument(
        "--kinds",
        nargs="+",
        default=[],
        help="registration: photos, shapes, digits, drawings, maps, text, fingerprints, leaves, cells, discs",
    )
    command.add_argument(
        "--models",
        nargs="+",
        default=["rotation-28", "rotation-16-refined"],
        help="registration: bundled names or files",
    )
    command.add_argument(
        "--noise-on", choices=["patch", "pixels"], default="patch", help="registration: where the noise is"
    )
    command.add_argument("--seeds", type=int, default=5, help="adapt: how often each size is measured (default 5)")
    command.add_argument("--groups", type=int, default=60, help="discover: random groups (default 60)")
    command.add_argument("--seed", type=int, default=0, help="discover: seed of groups and pairs (default 0)")
    command.add_argument("--part", choices=DISCOVERY_PARTS, help="discover: only this part")
    command.set_defaults(run=_bench)


def _bench(options: argparse.Namespace) -> None:
    if options.what == "discover":
        discovery_benchmark(options.pairs or 3000, options.groups, options.seed, options.part)
    elif options.what == "recognition":
        read = partial(datasets.mnist, options.data) if options.data else datasets.sample
        bench.recognition(read("train"), read("test"))
    elif options.what == "adapt":
        adaptation.adaptation(seeds=options.seeds)
    elif options.what == "registration":
        registration.run_registration(
            tuple(options.models), options.pairs or 300, options.noise_on, tuple(options.kinds), options.data
        )
    elif options.what == "tracking":
        tracking.run_tracking()
    else:
        getattr(bench, options.what)()
