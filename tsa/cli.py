"""`tsa`: the command line."""

import argparse
import sys
from pathlib import Path

import numpy as np

from tsa import bench, files
from tsa.errors import InputError, TSAError
from tsa.files import ModelFile
from tsa.learning import Progress
from tsa.model import Subgroup, equivariance_error
from tsa.progress import Bar
from tsa.recipes import BUNDLED, Recipe, group, run
from tsa.recovery import recovery
from tsa.refinement import refine
from tsa.sheet import filter_sheet
from tsa.stiefel import real_columns
from tsa.weights import Group, as_subgroup, describe, estimate_weights, velocities


def main(argv: list[str] | None = None) -> int:
    """Run one command; errors we know are one sentence on stderr and exit code 2."""
    options = _parser().parse_args(argv)
    try:
        options.run(options)
    except TSAError as error:
        print(f"tsa: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("tsa: stopped.", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tsa", description="Toroidal Subgroup Analysis.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    command = commands.add_parser(
        "train",
        help="learn a model from pairs of moved noise",
        epilog="example: tsa train rotation --shape 16 --subspaces 50 --out model.npz",
    )
    command.add_argument("group", nargs="?", choices=["rotation", "shift"], help="what moves the pairs")
    command.add_argument("--bundled", choices=sorted(BUNDLED), help="repeat the training of a bundled model")
    command.add_argument(
        "--shape", type=_shape, default=(16, 16), help="patch: 16 (16×16, or 16 samples), 8x8 (default 16)"
    )
    command.add_argument("--subspaces", type=int, default=50, help="planes to learn (default 50)")
    command.add_argument("--pairs", type=int, default=250_000, help="training pairs (default 250000)")
    command.add_argument("--noise", type=float, default=1.0, help="model noise σ (default 1)")
    command.add_argument("--rate", type=float, default=0.25, help="learning rate α₀ (default 0.25)")
    command.add_argument("--batch", type=int, default=100, help="pairs per step (default 100)")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--refine", action="store_true", help="take the result apart into irreducibles")
    command.add_argument("--resume", action="store_true", help="continue an interrupted run from its checkpoint")
    command.add_argument("--out", type=Path, required=True, help="model file to write; checkpoints go beside it")
    command.set_defaults(run=_train)

    command = commands.add_parser(
        "weights",
        help="the weight of every filter, with confidence, beside the paper's estimate",
        epilog="example: tsa weights rotation-16",
    )
    _takes_model(command)
    command.set_defaults(run=_weights)

    command = commands.add_parser(
        "inspect", help="a readable report on a model", epilog="example: tsa inspect rotation-16-refined"
    )
    _takes_model(command)
    command.set_defaults(run=_inspect)

    command = commands.add_parser(
        "refine",
        help="take a learned model apart into irreducibles",
        epilog="example: tsa refine model.npz --out refined.npz",
    )
    _takes_model(command)
    command.add_argument("--out", type=Path, required=True, help="model file to write")
    command.set_defaults(run=_refine)

    command = commands.add_parser(
        "reproduce",
        help="make a figure of the paper",
        epilog="example: tsa reproduce filters --model rotation-16 --out figure3.png",
    )
    command.add_argument("what", choices=["filters"])
    command.add_argument("--model", default="rotation-16", help="bundled name or file (default rotation-16)")
    command.add_argument("--group", choices=["rotation", "shift"], help="if the file does not say")
    command.add_argument("--out", type=Path, default=Path("filters.png"), help="picture to write")
    command.set_defaults(run=_reproduce)

    command = commands.add_parser(
        "bench",
        help="measure speed, as ratios to the bare operations underneath",
        epilog="example: tsa bench densities",
    )
    command.add_argument("what", choices=["densities", "learning"])
    command.set_defaults(run=lambda options: getattr(bench, options.what)())
    return parser


def _takes_model(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", help=f"a bundled name ({', '.join(files.bundled())}) or a file")
    command.add_argument(
        "--group", choices=["rotation", "shift"], help="what it was trained on, if the file does not say"
    )


def _shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.lower().replace("×", "x").split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"a shape is a number or two, like 16 or 8x8; got {text!r}") from None


def _read(options: argparse.Namespace) -> tuple[ModelFile, Group]:
    file = files.read(files.bundled_path(options.model) or options.model)
    name = options.group or file.about.get("group") or ("rotation" if len(file.shape) == 2 else "shift")
    return file, group(name, file.shape)


def _train(options: argparse.Namespace) -> None:
    if options.bundled:
        recipe = BUNDLED[options.bundled]
    elif options.group:
        shape = options.shape * 2 if options.group == "rotation" and len(options.shape) == 1 else options.shape
        recipe = Recipe(
            options.group, shape, options.subspaces, options.pairs, options.noise,
            options.rate, options.batch, options.seed, options.refine,
        )  # fmt: skip
    else:
        raise InputError("Say what to train: a group (rotation, shift), or --bundled NAME.")
    bar = Bar("training")

    def show(progress: Progress) -> None:
        note = f"evidence {progress.log_evidence:.1f}  {progress.pairs_per_second:,.0f} pairs/s"
        bar(progress.pairs / recipe.n_pairs, note)

    checkpoint = options.out.with_name(options.out.name + ".checkpoint")
    result = run(recipe, checkpoint, options.resume, show)
    files.save(result.model, options.out, result.shape, result.about)
    print(f"{options.out}: {describe(result.model.weights)}" if isinstance(result.model, Subgroup) else options.out)


def _weights(options: argparse.Namespace) -> None:
    file, action = _read(options)
    weights = estimate_weights(file.model, action, Bar("projecting"))
    paper = velocities(file.model, action)
    print(weights)
    print("filter  weight  confidence  paper's finite difference")
    for j in np.argsort(-weights.confidence, kind="stable"):
        print(f"{j:6d}  {_text(weights.values[j]):>6}  {weights.confidence[j]:10.3f}  {_text(paper[j].round(2))}")


def _text(weight: np.ndarray) -> str:
    return f"{weight:g}" if np.ndim(weight) == 0 else ",".join(f"{w:g}" for w in weight)


def _inspect(options: argparse.Namespace) -> None:
    file, action = _read(options)
    model = (
        file.model if isinstance(file.model, Subgroup) else as_subgroup(file.model, action, report=Bar("projecting"))
    )
    score = recovery(model, action, Bar("comparing"))
    columns = real_columns(model.filters).astype(np.float64)
    angles = action.lattice[:: max(1, len(action.lattice) // 24)]
    error = equivariance_error(model, action, angles)
    rows = {
        "patches": f"{'×'.join(map(str, file.shape))} pixels, {action}",
        "subspaces": f"{model.subspaces}: {np.sum(~model.lines)} planes, {np.sum(model.lines)} lines",
        "weights": describe(model.weights),
        "noise σ": f"{model.noise:g}",
        "orthogonality": f"|WᵀW − I| ≤ {np.abs(columns.T @ columns - np.eye(columns.shape[1])).max():.1e}",
        "purity": f"from {score.purity.min():.3f}; relative to its ceiling, from {score.relative_purity.min():.3f}",
        "affinity to truth": f"{score.affinity.min():.4f} to {score.affinity.max():.4f}, mean {score.score:.4f}",
        "equivariance error": f"{error.mean():.3f} on white noise, worst {error.max():.3f}",
    }
    recipe = file.about.get("recipe")
    if recipe:
        rows["trained on"] = f"{recipe['n_pairs']:,} pairs of white noise, seed {recipe['seed']}"
    for name, value in rows.items():
        print(f"{name:>18}  {value}")


def _refine(options: argparse.Namespace) -> None:
    file, action = _read(options)
    refined = refine(file.model, action, Bar("refining"))
    files.save(refined, options.out, file.shape, {**file.about, "refined": True})
    print(f"{options.out}: {describe(refined.weights)}")
    for name, weights in (("completed with their turned partner", refined.completed), ("dropped", refined.dropped)):
        if len(weights):
            print(f"half-learned planes {name}: {describe(weights)}")


def _reproduce(options: argparse.Namespace) -> None:
    file, action = _read(options)
    model = (
        file.model if isinstance(file.model, Subgroup) else as_subgroup(file.model, action, report=Bar("projecting"))
    )
    filter_sheet(model, file.shape).save(options.out)
    print(f"{options.out}: {model.subspaces} filter pairs by |ω|: {describe(model.weights)}")


if __name__ == "__main__":
    sys.exit(main())
