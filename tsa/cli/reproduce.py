"""`tsa reproduce`: figures and tables of the paper, of the perception of motion, and the spectrum of photographs."""

import argparse
import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tsa._base import Bar, InputError
from tsa.cli._arguments import GROUPS, open_given, write
from tsa.experiments import dft, filters, mnist, motion, orbits, posteriors, report, sequences
from tsa.pictures import datasets
from tsa.recognition import cluster, nearest
from tsa.registration import spectrum_table
from tsa.stage import exports, filters_image, filters_svg


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `reproduce`."""
    command = commands.add_parser(
        "reproduce",
        help="make a figure of the paper, or all of them with a report",
        epilog="example: tsa reproduce filters --model rotation-16 --out figure3.png, or tsa reproduce all --quick",
    )
    command.add_argument("what", choices=[*_SECTIONS, "filters", "mnist", "motion", "photographs", "all"])
    command.add_argument("--model", help="bundled name or file (filters: rotation-16, mnist: rotation-16-refined)")
    command.add_argument("--group", choices=GROUPS, help="filters: the group of the model, if the file does not say")
    command.add_argument(
        "--data",
        type=Path,
        help="mnist, all: the folder with the idx files; photographs: with photographs",
    )
    command.add_argument("--quick", action="store_true", help="smaller samples; digits and models of the package")
    command.add_argument(
        "--literature-split",
        action="store_true",
        help="mnist: split as mnist-rot, 12,000 / 50,000 digits",
    )
    command.add_argument("--scheduler", metavar="ADDRESS", help="mnist: search on a Dask cluster (tcp://host:port)")
    command.add_argument("--out", type=Path, help="picture (filters), table (photographs) or folder (else) to write")
    runs = {"filters": _filters, "mnist": _mnist, "motion": _motion, "photographs": _photographs, "all": _all}
    command.set_defaults(run=lambda options: runs.get(options.what, _one_section)(options))


_SECTIONS: dict[str, Callable[[bool], report.Section]] = {
    "orbits": lambda quick: orbits.section(),
    "posteriors": lambda quick: posteriors.section(turns=10 if quick else 40),
    "dft": lambda quick: dft.section(),
    "sequences": lambda quick: sequences.section(runs=100 if quick else 1000),
}


def _one_section(options: argparse.Namespace) -> None:
    out = options.out or Path(options.what)
    _print_claims(_section(options.what, out, options.quick))
    print(f"{out / options.what}.json, with each figure as PNG and SVG")


def _section(name: str, folder: Path, quick: bool) -> report.Section:
    return report.run_section(folder, name, {"quick": quick}, lambda: _SECTIONS[name](quick))


def _print_claims(section: report.Section) -> None:
    print(section.title)
    for claim in section.claims:
        print(f"  {claim.verdict:14} {claim.paper}\n{'':17}{claim.ours}")


def _all(options: argparse.Namespace) -> None:
    out = options.out or Path("reproduction-quick" if options.quick else "reproduction")
    settings = {"quick": options.quick, "model": options.model or ""}
    outcomes = _mnist_outcomes(options, out / "mnist", literature=False)
    sections = [_section("orbits", out, options.quick), _section("dft", out, options.quick)]
    sections.append(report.run_section(out, "filters", settings, lambda: filters.section(options.quick)))
    sections.append(_section("posteriors", out, options.quick))
    sections.append(_digits(out, "mnist", settings, outcomes, mnist.section))
    if not options.quick:
        split = _mnist_outcomes(options, out / "mnist-rot", literature=True)
        sections.append(_digits(out, "mnist-rot", settings, split, mnist.literature_section))
    sections.append(_section("sequences", out, options.quick))
    for section in sections:
        _print_claims(section)
    print(report.write_report(out, sections, options.quick))


def _digits(
    out: Path,
    name: str,
    settings: dict[str, Any],
    outcomes: list[mnist.Outcome],
    make: Callable[[list[mnist.Outcome]], report.Section],
) -> report.Section:
    """A section made from outcomes, made again if one of them differs."""
    counts = [[outcome.method, outcome.n, outcome.right] for outcome in outcomes]
    return report.run_section(out, name, {**settings, "outcomes": counts}, lambda: make(outcomes))


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
    full = "mnist-rot" if options.literature_split else "mnist"
    name = "mnist-quick" if options.quick else full
    out = options.out or Path(name)
    outcomes = _mnist_outcomes(options, out, options.literature_split)
    print(mnist.table(outcomes), end="")
    print(f"{out / 'accuracy.svg'}, {out / 'outcomes.json'}")


def _mnist_outcomes(options: argparse.Namespace, folder: Path, literature: bool) -> list[mnist.Outcome]:
    if options.quick:
        train, test = (datasets.sample(split) for split in ("train", "test"))
    elif options.data is not None:
        train, test = (datasets.mnist(options.data, split) for split in ("train", "test"))
        if literature:
            train, test = mnist.literature_split(train, test)
    else:
        raise InputError("Say where the MNIST files are (--data FOLDER), or take the bundled sample (--quick).")
    sizes: tuple[int, ...] = mnist.QUICK_SIZES if options.quick else mnist.SIZES
    if literature and not options.quick:
        sizes = (mnist.LITERATURE_COUNTS[0], sum(mnist.LITERATURE_COUNTS[:2]))
    where = nullcontext(nearest) if options.scheduler is None else cluster.connect(options.scheduler)
    with where as search:
        return mnist.run_mnist(train, test, options.model or "rotation-16-refined", folder, sizes, Bar, search)


def _motion(options: argparse.Namespace) -> None:
    out = options.out or Path("motion")
    print(motion.run_motion(out), end="")
    print(f"{out / 'table.txt'}, {out / 'directions.svg'}")


def _photographs(options: argparse.Namespace) -> None:
    """Write the mean power spectrum of photographs, as `assets/photographs.json` has it."""
    if options.data is None:
        raise InputError("Say where the photographs are (--data FOLDER).")
    out = options.out or Path("photographs.json")
    write(out, json.dumps(spectrum_table(options.data), indent=1, ensure_ascii=False) + "\n")
    print(f"wrote {out}")
