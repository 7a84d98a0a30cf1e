"""`tsa weights`, `inspect`, `refine`, `calibrate`: what a model file holds, its irreducible subspaces, its noise σ."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from tsa import files
from tsa._base import Array, Bar
from tsa.analysis import finite_difference_weights, inspect, refine, weights_of_spectra
from tsa.cli._arguments import (
    add_channel,
    add_json,
    add_model,
    add_table_out,
    check_model_path,
    open_any,
    open_given,
    open_set,
    print_json,
)
from tsa.cli.filters import TABLES, print_report
from tsa.files import OpenedFilters
from tsa.groups import ImageRotation
from tsa.model import Weights
from tsa.registration import (
    Calibration,
    calibration,
    photographs_in,
    picture_files,
    slid_photo_patches,
    turned_photo_patches,
    with_fitted_noise,
)

_MARKS, _COLUMNS = "abc", 60  # of the reliability diagram


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the commands `weights`, `inspect`, `refine` and `calibrate`."""
    command = commands.add_parser(
        "weights",
        help="the weight of every filter, with confidence, beside the paper's estimate",
        epilog="example: tsa weights rotation-16",
    )
    add_model(command)
    add_json(command)
    command.set_defaults(run=_weights)

    command = commands.add_parser(
        "inspect",
        help="a readable report on a model, or on any set of filters",
        epilog="example: tsa inspect rotation-16-refined; tsa inspect net.pt --array conv1.weight --out filters.csv",
    )
    add_model(command)
    add_channel(command)
    command.add_argument("--filters", action="store_true", help="report on each filter, even of an orthonormal model")
    add_table_out(command, TABLES, "a table with a row for each filter")
    add_json(command)
    command.set_defaults(run=_inspect)

    command = commands.add_parser(
        "refine",
        help="split a learned model into irreducible subspaces",
        epilog="example: tsa refine model.npz --out refined.npz",
    )
    add_model(command)
    command.add_argument("--out", type=Path, required=True, help="model file to write")
    command.set_defaults(run=_refine)

    command = commands.add_parser(
        "calibrate",
        help="set the noise σ of a model to that of real photographs, moved by another program",
        epilog="example: tsa calibrate rotation-28 --images FOLDER --out model.npz",
    )
    add_model(command)
    command.add_argument("--images", type=Path, required=True, help="the folder with the photographs")
    command.add_argument("--pairs", type=int, default=400, help="pairs of patches to measure (default 400)")
    command.add_argument("--out", type=Path, required=True, help="model file to write")
    command.set_defaults(run=_calibrate)


def _weights(options: argparse.Namespace) -> None:
    opened = open_given(options.model, options.group, options.patch, array=options.array)
    weights = weights_of_spectra(opened.spectra, opened.action)
    paper = finite_difference_weights(opened.model, opened.action)
    if options.json:
        values, confidence = np.asarray(weights), weights.confidence
        rows = [
            {"filter": j, "weight": values[j], "confidence": confidence[j], "finite difference": paper[j]}
            for j in range(len(values))
        ]
        print_json({"weights": str(weights), "filters": rows})
        return
    print(weights)
    print("filter  weight  confidence  paper's finite difference")
    for j in np.argsort(-weights.confidence, kind="stable"):
        print(f"{j:6d}  {_text(np.asarray(weights)[j]):>6}  {weights.confidence[j]:10.3f}  {_text(paper[j].round(2))}")


def _text(weight: Array) -> str:
    return f"{weight:g}" if np.ndim(weight) == 0 else ",".join(f"{w:g}" for w in weight)


def _inspect(options: argparse.Namespace) -> None:
    per_filter = options.filters or options.out is not None
    opened = open_set(options.model, options) if per_filter else open_any(options)
    if isinstance(opened, OpenedFilters):
        print_report(opened, options)
        return
    about = opened.file.about
    report = inspect(opened.model, opened.action, spectra=opened.spectra, about=about, on_progress=Bar("inspecting"))
    coverage = None
    if isinstance(opened.action, ImageRotation):
        coverage = calibration(opened.model, on_progress=Bar("covering"))
    if options.json:
        result = {name: value for name, (value, _) in report.summary().items()}
        ways = None if coverage is None else [vars(row) for row in coverage.rows]
        print_json({"patches": opened.action.shape, **result, "coverage": ways})
        return
    rows = {"patches": f"{'×'.join(map(str, opened.action.shape))} pixels, {opened.action}"}
    data = report.data()
    for name, (value, meaning) in report.summary().items():
        rows[name] = value if isinstance(value, str) else f"{value:<9.4g}  {meaning[:-1]}; on {data[name]}."
    if opened.note:
        rows["as read"] = opened.note
    if trained := _trained_on(about):
        rows["trained on"] = trained
    for name, value in rows.items():
        print(f"{name:>26}  {value}")
    if coverage is not None:
        _print_coverage(coverage)


def _trained_on(about: dict[str, Any]) -> str:
    """On what the model was trained, as its file says; empty if it does not say so in the way that we write it."""
    settings, curve = about.get("recipe"), about.get("curve")
    try:
        planned, seed = int(settings["n_pairs"]), int(settings["seed"])  # type: ignore[index]
        seen = int(curve[-1][0]) if curve else planned
        source = "pictures" if settings.get("pictures") else "white noise"  # type: ignore[union-attr]
    except (AttributeError, KeyError, IndexError, OverflowError, TypeError, ValueError):
        return ""
    early = f" of the {planned:,} planned" if seen < planned else ""
    return f"{seen:,} pairs{early} of {source}, seed {seed}"


def _print_coverage(found: Calibration) -> None:
    """The table of coverages, and the reliability diagram: found coverage across, one line for each level."""
    print(f"\nhow often credible sets hold the true turn: {found.data}")
    table = found.table()
    widths = {name: max(len(name), *(len(row[name]) for row in table)) for name in table[0]}
    for row in ({name: name for name in table[0]}, *table):
        print("  ".join(f"{row[name]:{'<' if name == 'posterior' else '>'}{width}}" for name, width in widths.items()))
    error = 100 * found.rows[0].standard_error.max()
    print(
        f"\nreliability: level of the set, and coverage from 0 to 100 % ({_MARKS} as above, + if equal; standard error"
    )
    print(f"up to {error:.0f} points); | is the level, where a calibrated posterior is")
    for i, level in enumerate(found.rows[0].levels):
        line = [" "] * (_COLUMNS + 1)
        line[round(_COLUMNS * level)] = "|"
        for mark, way in zip(_MARKS, found.rows, strict=True):
            place = round(_COLUMNS * float(way.coverage[i]))
            line[place] = mark if line[place] in " |" else "+"
        print(f"{100 * level:>4.0f} % {''.join(line)}")


def _refine(options: argparse.Namespace) -> None:
    check_model_path(options.out)
    opened = open_given(options.model, options.group, options.patch, array=options.array)
    refined = refine(opened.model, opened.action, Bar("refining"))
    files.save(refined, options.out, opened.action.shape, {**opened.file.about, "refined": True})
    print(f"{options.out}: {refined.irreps}")
    for name, weights in (("completed with their turned partner", refined.completed), ("dropped", refined.dropped)):
        if len(weights):
            print(f"half-learned planes {name}: {Weights(weights)}")


def _calibrate(options: argparse.Namespace) -> None:
    opened = open_given(options.model, options.group, options.patch)
    photographs = photographs_in(options.images)
    rotates = isinstance(opened.action, ImageRotation)
    make = turned_photo_patches if rotates else slid_photo_patches
    x, y = make(photographs, opened.action.shape, options.pairs, seed=0)
    model, _ = with_fitted_noise(opened.model, x, y)
    moved = "turned by Pillow" if rotates else "from windows that slide by up to an eighth of a side"
    measured = {
        "sigma": model.noise,
        "what": "highest evidence with noise in y alone, in the units of the patches (grey values 0…1)",
        "measured on": f"{options.pairs} pairs of patches of {len(photographs)} photographs, {moved}",
        "photographs": [path.name for path in picture_files(options.images)],
    }
    files.save(model, options.out, opened.action.shape, {**opened.file.about, "noise": measured})
    print(f"{options.out}: σ = {model.noise:.4g}, {measured['measured on']}")
