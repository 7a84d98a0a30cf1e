"""`tsa`: the command line."""

import argparse
import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np

from tsa import bench, cluster, datasets, exports, files
from tsa.errors import InputError, TSAError
from tsa.experiments import mnist
from tsa.inspection import inspect
from tsa.learning import Progress
from tsa.model import Subgroup
from tsa.neighbours import nearest
from tsa.opening import Opened, Reading, open_model
from tsa.progress import Bar
from tsa.recipes import BUNDLED, Recipe, run
from tsa.refinement import refine
from tsa.scene import Scene
from tsa.sheet import filter_sheet, filter_sheet_svg
from tsa.stage.page import show, stage_page
from tsa.weights import describe, estimate_weights, velocities


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
        "posterior",
        help="by how much was a picture turned? the whole posterior, as a page, a picture or numbers",
        epilog="example: tsa posterior square --angle 30 --out report.html",
    )
    command.add_argument("x", help="an image file, or the name of a shape (square, F, pinwheel, …)")
    command.add_argument("y", nargs="?", help="a second picture; without it, x turned by --angle")
    command.add_argument("--angle", type=int, help="turn of the second picture, degrees (default 30; 0 if y is given)")
    command.add_argument("--model", default="rotation-16-refined", help="a bundled name or a file of a rotation model")
    command.add_argument("--sigma", type=float, default=0.5, help="model noise σ (default 0.5)")
    command.add_argument("--noise", type=float, default=0.0, help="noise added to the pixels of y (default 0)")
    command.add_argument("--out", type=Path, help=".html .png .svg .webp .gif .csv or .json (default: say it)")
    command.set_defaults(run=_posterior)

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
    command.add_argument("what", choices=["filters", "mnist"])
    command.add_argument("--model", help="bundled name or file (filters: rotation-16, mnist: rotation-16-refined)")
    command.add_argument("--group", choices=["rotation", "shift"], help="if the file does not say")
    command.add_argument("--data", type=Path, help="mnist: the folder with the idx files, plain or gzipped")
    command.add_argument("--quick", action="store_true", help="mnist: on the 1,300 digits that come with the package")
    command.add_argument("--scheduler", metavar="ADDRESS", help="mnist: search on a Dask cluster (tcp://host:port)")
    command.add_argument("--out", type=Path, help="filters: picture to write; mnist: folder, which a rerun continues")
    command.set_defaults(run=lambda options: {"filters": _filters, "mnist": _mnist}[options.what](options))

    command = commands.add_parser(
        "bench",
        help="measure speed, as ratios to the bare operations underneath",
        epilog="example: tsa bench densities",
    )
    command.add_argument("what", choices=["densities", "learning", "recognition"])
    command.add_argument("--data", type=Path, help="recognition: the folder with the MNIST files (else the sample)")
    command.set_defaults(run=_bench)
    return parser


def _posterior(options: argparse.Namespace) -> None:
    view = show(
        options.x, options.y, angle=options.angle, model=options.model, noise=options.sigma, pixel_noise=options.noise
    )
    writers: dict[str, Callable[[Scene], str | bytes]] = {
        ".html": stage_page, ".png": exports.picture_png, ".svg": exports.picture_svg,
        ".webp": exports.turning, ".gif": lambda scene: exports.turning(scene, "gif"),
        ".csv": exports.posterior_csv, ".json": exports.summary_json,
    }  # fmt: skip
    if options.out is None:
        print(exports.in_words(view.scene))
        return
    write = writers.get(options.out.suffix.lower())
    if write is None:
        raise InputError(f"{options.out} should end in one of {', '.join(writers)}.")
    _write(options.out, write(view.scene))
    print(f"wrote {options.out}")


def _write(path: Path, content: str | bytes) -> None:
    try:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}.") from error


def _takes_model(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", help=f"a bundled name ({', '.join(files.bundled())}) or a file")
    command.add_argument(
        "--group", choices=["rotation", "shift"], help="what it was trained on, if the file does not say"
    )
    command.add_argument("--patch", type=_shape, help="the shape of its patches, like 12x20, if the file does not say")


def _shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.lower().replace("×", "x").split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"a shape is a number or two, like 16 or 8x8; got {text!r}") from None


def _open(options: argparse.Namespace) -> Opened:
    reading = Reading(getattr(options, "patch", None), options.group)
    opened = open_model(files.bundled_path(options.model) or options.model, False, reading, Bar("weighing"))
    if opened.note and options.command != "inspect":  # whose report has it
        print(f"tsa: {opened.note}", file=sys.stderr)
    return opened


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
    if options.out.is_dir():
        raise InputError(f"{options.out} is a folder; --out is the model file to write.")
    bar = Bar("training")

    def show(progress: Progress) -> None:
        note = f"evidence {progress.log_evidence:.1f}  {progress.pairs_per_second:,.0f} pairs/s"
        bar(progress.pairs / recipe.n_pairs, note)

    checkpoint = options.out.with_name(options.out.name + ".checkpoint")
    result = run(recipe, checkpoint, options.resume, show)
    files.save(result.model, options.out, result.shape, result.about)
    checkpoint.unlink(missing_ok=True)
    print(f"{options.out}: {describe(result.model.weights)}" if isinstance(result.model, Subgroup) else options.out)


def _weights(options: argparse.Namespace) -> None:
    opened = _open(options)
    weights = estimate_weights(opened.model, opened.action, Bar("projecting"))
    paper = velocities(opened.model, opened.action)
    print(weights)
    print("filter  weight  confidence  paper's finite difference")
    for j in np.argsort(-weights.confidence, kind="stable"):
        print(f"{j:6d}  {_text(weights.values[j]):>6}  {weights.confidence[j]:10.3f}  {_text(paper[j].round(2))}")


def _text(weight: np.ndarray) -> str:
    return f"{weight:g}" if np.ndim(weight) == 0 else ",".join(f"{w:g}" for w in weight)


def _inspect(options: argparse.Namespace) -> None:
    opened = _open(options)
    rows = {"patches": f"{'×'.join(map(str, opened.action.shape))} pixels, {opened.action}"}
    for name, (value, meaning) in inspect(opened.model, opened.action, report=Bar("inspecting")).summary().items():
        rows[name] = value if isinstance(value, str) else f"{value:<9.4g}  {meaning}"
    if opened.note:
        rows["as read"] = opened.note
    recipe = opened.file.about.get("recipe")
    if recipe:
        rows["trained on"] = f"{recipe['n_pairs']:,} pairs of white noise, seed {recipe['seed']}"
    for name, value in rows.items():
        print(f"{name:>21}  {value}")


def _refine(options: argparse.Namespace) -> None:
    opened = _open(options)
    refined = refine(opened.model, opened.action, Bar("refining"))
    files.save(refined, options.out, opened.action.shape, {**opened.file.about, "refined": True})
    print(f"{options.out}: {describe(refined.weights)}")
    for name, weights in (("completed with their turned partner", refined.completed), ("dropped", refined.dropped)):
        if len(weights):
            print(f"half-learned planes {name}: {describe(weights)}")


def _filters(options: argparse.Namespace) -> None:
    options.model, out = options.model or "rotation-16", options.out or Path("filters.png")
    if out.suffix.lower() not in (".png", ".svg"):
        raise InputError(f"{out} should end in .png or .svg.")
    opened = _open(options)
    model, shape, vector = opened.model, opened.action.shape, out.suffix.lower() == ".svg"
    _write(out, filter_sheet_svg(model, shape) if vector else exports.png(filter_sheet(model, shape)))
    print(f"{out}: {model.subspaces} filter pairs by |ω|: {describe(model.weights)}")


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
        outcomes = mnist.run(train, test, options.model or "rotation-16-refined", out, sizes, Bar, search)
    print(mnist.table(outcomes), end="")
    print(f"{out / 'accuracy.svg'}, {out / 'outcomes.json'}")


def _bench(options: argparse.Namespace) -> None:
    if options.what == "recognition":
        read = partial(datasets.mnist, options.data) if options.data else datasets.sample
        bench.recognition(read("train"), read("test"))
    else:
        getattr(bench, options.what)()


if __name__ == "__main__":
    sys.exit(main())
