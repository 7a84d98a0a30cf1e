"""How often credible sets hold the truth: the coverage of a rotation model's posterior on pairs of real pictures.

The pairs are handwritten digits, turned by a program that shares no code with the models (`held_out`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tsa._base import Array, InputError, ProgressCallback, checks, split_progress
from tsa.density import Density, Mixture
from tsa.groups import ImageRotation
from tsa.model import Subgroup
from tsa.pictures import patches_of_pictures
from tsa.registration.held_out import digit_pictures
from tsa.registration.patches import register_patches
from tsa.registration.planes import Camera

LEVELS = (*(i / 10 for i in range(1, 10)), 0.95)
_NOISE = 0.2  # σ of the noise that is added to both patches, grey values 0…1


@dataclass(frozen=True, eq=False)
class Reliability:
    """Coverage of the credible sets of one way to the posterior on `pairs` pairs; angles in degrees.

    `coverage` (L,) is the share of pairs whose true turn is in the set of probability `levels` (L,): equal if the
    posterior is calibrated. `width` is the median length of the 95 % sets, `error` the median of |mode − truth|.
    """

    name: str
    levels: Array
    coverage: Array
    width: float
    error: float
    pairs: int

    def at(self, level: float) -> float:
        """The coverage of the sets of this probability."""
        return float(self.coverage[np.flatnonzero(np.isclose(self.levels, level))[0]])

    @property
    def standard_error(self) -> Array:
        """Of the coverage of a calibrated posterior on so many pairs, (L,)."""
        return np.sqrt(self.levels * (1 - self.levels) / self.pairs)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Reliabilities on the same pictures, and what these were."""

    rows: tuple[Reliability, ...]
    data: str

    def table(self) -> list[dict[str, str]]:
        """A row for each way to the posterior, lettered as in diagrams, in percent and degrees."""
        return [
            {"posterior": f"{letter}  {row.name}"}
            | {f"{100 * level:.0f} % sets": f"{100 * row.at(level):.0f} %" for level in (0.5, 0.8, 0.95)}
            | {"95 % width": f"{row.width:.3g}°", "median error": f"{row.error:.2g}°"}
            for letter, row in zip("abc", self.rows, strict=True)
        ]


def covered(density: Density | Mixture, turn: Array, level: float) -> tuple[Array, Array]:
    """Whether the credible sets of densities over the circle (n,) hold the turns (n,), and their lengths (n,)."""
    arcs = density.credible_set(level)
    length = arcs[..., 1] - arcs[..., 0]
    inside = np.mod(turn[:, None] - arcs[..., 0], 2 * np.pi) <= length
    return inside.any(axis=1), np.nansum(length, axis=1)


def reliability(name: str, density: Density | Mixture, turn: Array) -> Reliability:
    """The coverage of densities over the circle (n,) for true turns (n,)."""
    found = [covered(density, turn, level) for level in LEVELS]
    coverage = np.array([inside.mean() for inside, _ in found])
    gap = np.abs(np.angle(np.exp(1j * (density.mode() - turn))))
    width, error = (float(np.degrees(np.median(part))) for part in (found[-1][1], gap))
    return Reliability(name, np.array(LEVELS), coverage, width, error, len(turn))


def calibration(
    model: Subgroup, *, pairs: int = 100, rng: checks.Rng = 0, on_progress: ProgressCallback | None = None
) -> Calibration:
    """Measure a rotation model: as it is on clean pictures, and with noise in both, as the paper and as `register`.

    The paper has its noise in y alone; it is given the true σ of the difference, √2 · 0.2. `register` estimates σ from
    each pair.
    """
    size = ImageRotation(round(model.dimension**0.5)).size
    if model.parameters != 1 or size * size != model.dimension:
        raise InputError("Coverage is measured for rotations of square patches.")
    count = checks.whole(pairs, "pairs")
    making, *parts = split_progress(on_progress, 2, 1, 1, 4)
    generator = checks.generator(rng)
    x, y, turn = digit_pictures(size, count, generator)
    making(1.0)
    inside = ImageRotation(size).support
    x, y = (patches_of_pictures(p, size).astype(np.float64) for p in (x, y))
    noisy_x, noisy_y = x.copy(), y.copy()
    for patches in (noisy_x, noisy_y):
        patches[:, inside] += _NOISE * generator.normal(size=(count, len(inside)))
    sigma = f"σ = {_NOISE:g} in both"
    ways: tuple[tuple[str, Callable[[], Density | Mixture]], ...] = (
        (f"as it is (σ = {model.noise:.3g} in y), no noise", partial(model.posterior, x, y)),
        (f"paper (noise in y), {sigma}", partial(model.with_noise(np.sqrt(2) * _NOISE).posterior, noisy_x, noisy_y)),
        (f"tsa.register, {sigma}", partial(_registered, model, size, noisy_x, noisy_y)),
    )
    rows = []
    for (name, posterior), progress in zip(ways, parts, strict=True):
        rows.append(reliability(name, posterior(), turn))
        progress(1.0)
    return Calibration(tuple(rows), f"{count} pairs of handwritten digits, turned by Pillow")


def _registered(model: Subgroup, size: int, x: Array, y: Array) -> Mixture:
    return register_patches(model, x, y, camera=Camera(size, size, "patch")).posterior
