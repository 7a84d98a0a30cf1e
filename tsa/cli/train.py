"""`tsa train`: learn a model from pairs of moved noise or pictures, with checkpoints to resume from."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from tsa import files
from tsa._base import Array, Bar, InputError
from tsa.cli._arguments import GROUPS, shape
from tsa.learning import BUNDLED, Checkpoint, TrainingProgress, TrainingRun, patches_digest, train_run
from tsa.model import Subgroup
from tsa.pictures import TRAINING_PATCHES, read_pictures, white_patches

_MIN_AFFINITY = 0.5


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `train`."""
    command = commands.add_parser(
        "train",
        help="learn a model from pairs of moved noise or pictures",
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
    command.add_argument("--sigma", type=float, default=1.0, help="model noise σ (default 1)")
    command.add_argument("--rate", type=float, default=0.25, help="learning rate α₀ (default 0.25)")
    command.add_argument("--batch", type=int, default=100, help="pairs per step (default 100)")
    command.add_argument("--seed", type=int, default=0, help="seed of the first filters and of the pairs (default 0)")
    command.add_argument("--refine", action="store_true", help="split the result into irreducible subspaces")
    command.add_argument("--resume", action="store_true", help="continue an interrupted run from its checkpoint")
    command.add_argument("--out", type=Path, required=True, help="model file to write; checkpoints go beside it")
    command.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> None:
    if options.out.is_dir():
        raise InputError(f"{options.out} is a folder; --out is the model file to write.")
    run, patches = _requested_run(options)
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
    assert isinstance(result.model, Subgroup)
    print(f"{options.out}: {result.model.irreps}")
    if (affinity := result.about["recovery"]["score"]) < _MIN_AFFINITY:
        print(
            f"tsa: warning: the filters are far from irreducible (mean affinity {affinity:.2f}; trained ones 0.9). "
            f"{run.n_pairs:,} pairs were not enough: raise --pairs, or --rate.",
            file=sys.stderr,
        )


def _requested_run(options: argparse.Namespace) -> tuple[TrainingRun, Array | None]:
    """The settings, and the patches of the folder of pictures, if there is one."""
    if options.bundled:
        return BUNDLED[options.bundled], None
    if not options.group:
        raise InputError("Say what to train: a group (rotation, shift), or --bundled NAME.")
    square = options.group == "rotation" and len(options.shape) == 1
    run = TrainingRun(
        options.group,
        options.shape * 2 if square else options.shape,
        options.subspaces,
        options.pairs,
        options.sigma,
        options.rate,
        options.batch,
        options.seed,
        options.refine,
    )
    if options.images is None:
        return run, None
    if len(run.shape) != 2 or run.shape[0] != run.shape[1]:
        raise InputError(f"Patches of pictures are square; got --shape {'x'.join(map(str, run.shape))}.")
    patches = white_patches(read_pictures(options.images), run.shape[0], TRAINING_PATCHES, options.seed)
    return replace(run, pictures=patches_digest(patches)), patches
