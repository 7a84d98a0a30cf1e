"""Trainings and searches for a group that a page may request, and their limits."""

from dataclasses import dataclass

import numpy as np

from tsa._base import Array, InputError, checks
from tsa.learning import TrainingRun, patch_shape

KINDS = {"rotation": ("rotation", 2), "shift in 1-D": ("shift", 1), "shift in 2-D": ("shift", 2)}
_MAX_PIXELS = 32 * 32  # of a patch
_MAX_PAIRS = 5_000_000
MAX_SEARCH_PAIRS, MAX_SEARCH_NUMBERS = 20_000, 144  # of a search for a group, which takes a minute then


@dataclass(frozen=True, eq=False)
class DiscoveryRequest:
    """Pairs x, y (n, D), in which a group is looked for; the shape of a patch, and a name for the model."""

    x: Array
    y: Array
    shape: tuple[int, ...]
    name: str
    seed: int = 0


def requested_search(x: Array, y: Array, shape: tuple[int, ...] | None = None, name: str = "group") -> DiscoveryRequest:
    """A search for the group behind pairs; an error if it exceeds the limits of the server.

    Of more than 20,000 pairs so many are drawn at random. Without a shape, patches are square if they can be.
    """
    x, y = (checks.rows(a, what) for a, what in ((x, "X"), (y, "Y")))
    if x.shape != y.shape:
        raise InputError(f"Pairs are two arrays (n, D) of one shape; got {x.shape} and {y.shape}.")
    n, numbers = x.shape
    if numbers > MAX_SEARCH_NUMBERS:
        raise InputError(
            f"Patches of at most {MAX_SEARCH_NUMBERS} numbers can be searched here; these have {numbers}. The command "
            "`tsa discover` has no such limit."
        )
    if n > MAX_SEARCH_PAIRS:
        rows = np.sort(np.random.default_rng(0).choice(n, MAX_SEARCH_PAIRS, replace=False))
        x, y = x[rows], y[rows]
    return DiscoveryRequest(x.astype(np.float32), y.astype(np.float32), shape or patch_shape(numbers), name)


def requested_run(
    kind: str,
    size: int,
    subspaces: int,
    pairs: int = 250_000,
    rate: float = 0.25,
    noise: float = 1.0,
    seed: int = 0,
    refined: bool = False,
    pictures: str = "",
) -> TrainingRun:
    """The training run that `tsa train` makes of these settings; an error if it exceeds the limits of the server.

    `kind` is one of `KINDS`, `size` the number of samples of a signal or the side of a square patch in pixels.
    `pictures` identifies the patches of own pictures, if there are any.
    """
    if kind not in KINDS:
        raise InputError(f"The group is one of {', '.join(KINDS)}; got {kind!r}.")
    group, dimensions = KINDS[kind]
    most = round(_MAX_PIXELS ** (1 / dimensions))
    for name, value, least, largest in (("size", size, 2, most), ("number of pairs", pairs, 1, _MAX_PAIRS)):
        if not isinstance(value, int) or not least <= value <= largest:
            raise InputError(f"The {name} must be a whole number from {least} to {largest:,}; got {value!r}.")
    for name, number in (("learning rate", rate), ("noise", noise)):
        if not 1e-3 <= checks.positive(number, f"The {name}") <= 1e3:
            raise InputError(f"The {name} must lie between 0.001 and 1000; got {number!r}.")
    return TrainingRun(
        group, (size,) * dimensions, subspaces, pairs, float(noise), float(rate), seed=seed, refined=refined,
        pictures=pictures,
    )  # fmt: skip
