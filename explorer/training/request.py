"""Trainings that a page may request, and their limits."""

from tsa._base import InputError, checks
from tsa.learning import TrainingRun

KINDS = {"rotation": ("rotation", 2), "shift in 1-D": ("shift", 1), "shift in 2-D": ("shift", 2)}
_MAX_PIXELS = 32 * 32  # of a patch
_MAX_PAIRS = 5_000_000


def requested_run(
    kind: str,
    size: int,
    subspaces: int,
    pairs: int = 250_000,
    rate: float = 0.25,
    noise: float = 1.0,
    seed: int = 0,
    refined: bool = False,
) -> TrainingRun:
    """The training run that `tsa train` makes of these settings; an error if it exceeds the limits of the server.

    `kind` is one of `KINDS`, `size` the number of samples of a signal or the side of a square patch in pixels.
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
        group, (size,) * dimensions, subspaces, pairs, float(noise), float(rate), seed=seed, refined=refined
    )
