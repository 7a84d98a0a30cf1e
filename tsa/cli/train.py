"""`tsa train`: learn a model from pairs of moved noise or pictures, with checkpoints to resume from."""

import argparse
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

from tsa import files
from tsa._base import Array, Bar, InputError
from tsa.cli._arguments import GROUPS, add_scheduler, check_model_path, mapper, shape
from tsa.learning import BUNDLED, Checkpoint, TrainingProgress, TrainingRun, patches_digest, train_run, train_runs
from tsa.model import Subgroup
from tsa.pictures import TRAINING_PATCHES, read_pictures, white_patches

_MIN_AFFINITY = 0.5
_MAX_RATE = 100.0  # the page Train has the same


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `train`."""
    command = commands.add_parser(
        "train",
        help="learn a model from pairs of moved noise or pictures",
        description="Several values of --sigma or --rate, or --starts, are all tried, and the model of highest "
        "evidence in held-out pairs is kept.",
        epilog="example: tsa train rotation --shape 16 --subspaces 50 --out model.npz",
    )
    command.add_argument("group", nargs="?", choices=GROUPS, help="what moves the pairs")
    command.add_argument("--images", type=Path, metavar="FOLDER", help="learn from patches of these pictures")
    command.add_argument("--bundled", choices=sorted(BUNDLED), help="repeat the training of a bundled model")
    command.add_argument(
        "--shape", type=shape, default=(16, 16), help="patch: 16 (16×16, or 16 samples), 8x8 (default 16)"
    )
    command.add_argument("--subspaces", type=int, default=50, help="planes to learn (default 50)")
    command.add_argument("--pairs", type=int, default=250_000, help="training pairs (default 250000)")
    command.add_argument("--sigma", type=float, nargs="+", default=[1.0], help="model noise σ (default 1)")
    command.add_argument("--rate", type=float, nargs="+", default=[0.25], help="learning rate α₀ (default 0.25)")
    command.add_argument("--batch", type=int, default=100, help="pairs per step (default 100)")
    command.add_argument("--seed", type=int, default=0, help="seed of the first filters and of the pairs (default 0)")
    command.add_argument("--starts", type=int, default=1, help="trainings with seeds from --seed on; the best is kept")
    add_scheduler(command)
    command.add_argument("--refine", action="store_true", help="split the result into irreducible subspaces")
    command.add_argument("--resume", action="store_true", help="continue an interrupted run from its checkpoint")
    command.add_argument("--out", type=Path, required=True, help="model file to write; checkpoints go beside it")
    command.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> None:
    check_model_path(options.out)
    runs, patches = _requested_runs(options)
    if len(runs) > 1 or options.scheduler:
        _train_many(options, runs, patches)
        return
    run = runs[0]
    checkpoint = Checkpoint(options.out.with_name(options.out.name + ".checkpoint"), run)
    bar, latest = Bar("training"), checkpoint.read() if options.resume else None

    def on_progress(progress: TrainingProgress) -> None:
        nonlocal latest
        latest = progress
        note = f"evidence {progress.log_evidence:.1f}  {progress.pairs_per_second:,.0f} pairs/s"
        bar(progress.pairs / run.n_pairs, note)
        checkpoint.update(progress)

    try:
        result = train_run(run, latest, on_progress, patches)
    except KeyboardInterrupt:
        if latest is None:
            raise KeyboardInterrupt("Nothing had been learned yet.") from None
        checkpoint.write(latest)
        raise KeyboardInterrupt(
            f"{latest.pairs:,} of {run.n_pairs:,} pairs are kept in {checkpoint.path}. Repeat the command with "
            "--resume to continue."
        ) from None
    files.save(result.model, options.out, result.shape, result.about)
    checkpoint.delete()
    _say(options.out, result, run)


def _train_many(options: argparse.Namespace, runs: list[TrainingRun], patches: Array | None) -> None:
    if options.resume:
        raise InputError("Only a single training is resumed; these are several, which keep no checkpoints.")
    with mapper(options.scheduler, "training", len(runs)) as mapped:
        trained = train_runs(runs, patches, mapped)
    for one in trained:
        run = one.run
        print(f"σ {run.noise:g}, rate {run.learning_rate:g}, seed {run.seed}: evidence {one.log_evidence:.2f}")
    best = max(trained, key=lambda one: one.log_evidence)
    files.save(best.result.model, options.out, best.result.shape, best.result.about)
    _say(options.out, best.result, best.run)


def _say(out: Path, result: files.ModelFile, run: TrainingRun) -> None:
    assert isinstance(result.model, Subgroup)
    print(f"{out}: {result.model.irreps}")
    if (affinity := result.about["recovery"]["score"]) < _MIN_AFFINITY:
        print(
            f"tsa: warning: the filters are far from irreducible (mean affinity {affinity:.2f}; trained ones 0.9). "
            f"{run.n_pairs:,} pairs were not enough: raise --pairs, or --rate.",
            file=sys.stderr,
        )


def _requested_runs(options: argparse.Namespace) -> tuple[list[TrainingRun], Array | None]:
    """All settings that were asked for, and the patches of the folder of pictures, if there is one."""
    if options.bundled and options.group not in (None, BUNDLED[options.bundled].group):
        raise InputError(f"{options.bundled} is a model of {BUNDLED[options.bundled].group}; got {options.group}.")
    for rate in options.rate:
        if not 0 < rate <= _MAX_RATE:
            raise InputError(f"--rate is a number from 0 to {_MAX_RATE:g}; got {rate:g}.")
    if options.bundled:
        return [BUNDLED[options.bundled]], None
    if not options.group:
        raise InputError("Say what to train: a group (rotation, shift), or --bundled NAME.")
    square = options.group == "rotation" and len(options.shape) == 1
    seeds = range(options.seed, options.seed + max(1, options.starts))
    runs = [
        TrainingRun(
            options.group,
            options.shape * 2 if square else options.shape,
            options.subspaces,
            options.pairs,
            sigma,
            rate,
            options.batch,
            seed,
            options.refine,
        )
        for sigma, rate, seed in product(options.sigma, options.rate, seeds)
    ]
    if options.images is None:
        return runs, None
    shape = runs[0].shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"Patches of pictures are square; got --shape {'x'.join(map(str, shape))}.")
    patches = white_patches(read_pictures(options.images), shape[0], TRAINING_PATCHES, options.seed)
    return [replace(run, pictures=patches_digest(patches)) for run in runs], patches
