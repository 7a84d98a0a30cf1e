"""`tsa weights`, `tsa inspect`, `tsa refine`: what a model file holds, and its irreducible subspaces."""

import argparse
from pathlib import Path

import numpy as np

from tsa import files
from tsa._base import Array, Bar
from tsa.analysis import finite_difference_weights, inspect, refine, weights_of_spectra
from tsa.cli._arguments import add_model, open_given
from tsa.model import Weights


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the commands `weights`, `inspect` and `refine`."""
    command = commands.add_parser(
        "weights",
        help="the weight of every filter, with confidence, beside the paper's estimate",
        epilog="example: tsa weights rotation-16",
    )
    add_model(command)
    command.set_defaults(run=_weights)

    command = commands.add_parser(
        "inspect", help="a readable report on a model", epilog="example: tsa inspect rotation-16-refined"
    )
    add_model(command)
    command.set_defaults(run=_inspect)

    command = commands.add_parser(
        "refine",
        help="split a learned model into irreducible subspaces",
        epilog="example: tsa refine model.npz --out refined.npz",
    )
    add_model(command)
    command.add_argument("--out", type=Path, required=True, help="model file to write")
    command.set_defaults(run=_refine)


def _weights(options: argparse.Namespace) -> None:
    opened = open_given(options.model, options.group, options.patch)
    weights = weights_of_spectra(opened.spectra, opened.action)
    paper = finite_difference_weights(opened.model, opened.action)
    print(weights)
    print("filter  weight  confidence  paper's finite difference")
    for j in np.argsort(-weights.confidence, kind="stable"):
        print(f"{j:6d}  {_text(np.asarray(weights)[j]):>6}  {weights.confidence[j]:10.3f}  {_text(paper[j].round(2))}")


def _text(weight: Array) -> str:
    return f"{weight:g}" if np.ndim(weight) == 0 else ",".join(f"{w:g}" for w in weight)


def _inspect(options: argparse.Namespace) -> None:
    opened = open_given(options.model, options.group, options.patch, print_note=False)
    report = inspect(opened.model, opened.action, spectra=opened.spectra, on_progress=Bar("inspecting"))
    rows = {"patches": f"{'×'.join(map(str, opened.action.shape))} pixels, {opened.action}"}
    data = report.data()
    for name, (value, meaning) in report.summary().items():
        rows[name] = value if isinstance(value, str) else f"{value:<9.4g}  {meaning[:-1]}; on {data[name]}."
    if opened.note:
        rows["as read"] = opened.note
    settings = opened.file.about.get("recipe")
    if settings:
        seen = opened.file.about["curve"][-1][0] if opened.file.about.get("curve") else settings["n_pairs"]
        early = f" of the {settings['n_pairs']:,} planned" if seen < settings["n_pairs"] else ""
        source = "pictures" if settings.get("pictures") else "white noise"
        rows["trained on"] = f"{seen:,} pairs{early} of {source}, seed {settings['seed']}"
    for name, value in rows.items():
        print(f"{name:>26}  {value}")


def _refine(options: argparse.Namespace) -> None:
    opened = open_given(options.model, options.group, options.patch)
    refined = refine(opened.model, opened.action, Bar("refining"))
    files.save(refined, options.out, opened.action.shape, {**opened.file.about, "refined": True})
    print(f"{options.out}: {refined.irreps}")
    for name, weights in (("completed with their turned partner", refined.completed), ("dropped", refined.dropped)):
        if len(weights):
            print(f"half-learned planes {name}: {Weights(weights)}")
