"""`tsa discover`: the group behind pairs, frames or clips, as a report and a model file."""

import argparse
import math
import sys
from pathlib import Path

from tsa import files
from tsa._base import Array, Bar, InputError, ModelFileError
from tsa.cli._arguments import add_json, add_scheduler, mapper, print_json, shape, whole
from tsa.learning import Discovery, best_discovery, discover, discover_starts
from tsa.pictures import frame_pairs, read_clips

NOT_FOUND = 1  # exit code if there is no group


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `discover`."""
    command = commands.add_parser(
        "discover",
        help="which group turns x into y? learned from pairs, frames or clips alone",
        epilog="examples: tsa discover pairs.npz --out group.npz;  tsa discover X.npy Y.npy;  tsa discover clips/",
    )
    command.add_argument(
        "source",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="pairs.npz with arrays X and Y (n, D); X.npy Y.npy; a moving GIF; or a folder of GIFs or of frames",
    )
    command.add_argument("--size", type=whole(2), default=8, help="frames: pixels along a side of a patch (default 8)")
    command.add_argument("--lag", type=whole(1), default=1, help="frames: largest distance of a pair (default 1 frame)")
    command.add_argument(
        "--windows",
        type=whole(0),
        default=0,
        help="frames: random windows of each pair (default: scaled frames)",
    )
    command.add_argument("--seed", type=whole(0), default=0, help="seed of the split into pairs to learn and to judge")
    command.add_argument("--starts", type=whole(1), default=1, help="searches with seeds from --seed on; best is kept")
    add_scheduler(command)
    command.add_argument("--shape", type=shape, help="of a patch, like 8x3, for the model file (default: square)")
    command.add_argument("--out", type=Path, help="model file to write")
    add_json(command)
    command.set_defaults(run=_discover)


def _discover(options: argparse.Namespace) -> int:
    x, y = _pairs(options)
    if options.out:
        _check_out(options.out, options.shape, x)
    found = (
        _several(options, x, y)
        if options.starts > 1 or options.scheduler
        else discover(x, y, seed=options.seed, on_progress=Bar("discovering"))
    )
    if options.json:
        print_json(_summary(found))
    else:
        print(found.report())
    if not found.found:
        return NOT_FOUND
    if options.out:
        files.write_model(options.out, found.pack(options.shape))
        if not options.json:
            print(f"wrote {options.out}")
    return 0


def _check_out(path: Path, shape: tuple[int, ...] | None, x: Array) -> None:
    """Before the search, what would prevent the file from being written after it."""
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to write {path.name} to.")
    if shape and x.ndim == 2 and math.prod(shape) != x.shape[1]:
        raise InputError(f"A patch of {x.shape[1]} numbers does not have the shape {'×'.join(map(str, shape))}.")


def _summary(found: Discovery) -> dict[str, object]:
    """What was found, for programs: weights with the confidence of each plane."""
    summary: dict[str, object] = {"found": found.found, "sentence": found.sentence, "rank": found.rank}
    if found.found:
        summary |= {
            "group": found.group,
            "orders": found.orders,
            "weights": found.weights.values,
            "confidence": found.weights.confidence,
            "sigma": found.model.noise,
        }
    return summary | {"evidence": vars(found.evidence)}


def _several(options: argparse.Namespace, x: Array, y: Array) -> Discovery:
    seeds = range(options.seed, options.seed + options.starts)
    with mapper(options.scheduler, "discovering", len(seeds)) as mapped:
        found = discover_starts(x, y, seeds, mapped)
    for seed, one in zip(seeds, found, strict=True):
        print(f"seed {seed}: {one.sentence}", file=sys.stderr if options.json else sys.stdout)
    return best_discovery(found)


def _pairs(options: argparse.Namespace) -> tuple[Array, Array]:
    first, *rest = options.source
    if len(rest) > 1:
        raise InputError("Give one file of pairs, two arrays X.npy Y.npy, one film, or one folder.")
    if rest:
        x, y = (files.only_array(_arrays(path), str(path)) for path in (first, rest[0]))
        return x, y
    if first.suffix.lower() == ".npz":
        return files.pairs_of_arrays(_arrays(first), str(first))
    if first.suffix.lower() == ".npy":
        raise InputError(f"{first} is one array; pairs are two: tsa discover X.npy Y.npy.")
    x, y = frame_pairs(read_clips(first), options.size, options.lag, options.windows, options.seed)
    if len(x) < options.size**2:
        raise InputError(
            f"These frames give {len(x)} pairs of {options.size}×{options.size} pixels, and about {options.size**4:,} "
            "are needed: give more or longer clips, a smaller --size, or --windows 50 for random windows of each pair."
        )
    return x, y


def _arrays(path: Path) -> dict[str, Array]:
    """The arrays of a file, with its name in front of what is wrong with it."""
    try:
        return files.read_arrays(path)
    except ModelFileError as error:
        raise ModelFileError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
