"""Motion illusions as optimal percepts (Weiss, Simoncelli & Adelson, Nature Neuroscience 5, 2002), in two ways.

*Closed form*: an edge moving in a noisy picture says how fast it moves across itself, a Gaussian constraint a·v = d on
the velocity v; slow motion is more probable, a Gaussian prior of mean 0. The posterior is Gaussian too.

*From pictures*: the posterior of a Fourier model over all shifts, y seen through a round window, with a von Mises prior
for slow motion. Nothing is linearised and no edge is named. The two agree while the picture, moved by anything that is
still probable, changes in proportion to the motion.

Velocities are (right, up); directions are in degrees, counter-clockwise from the right.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, write_atomically
from tsa.model import fourier_model
from tsa.pictures import motion_from_shift, periodic, round_window, shift_from_motion
from tsa.stage import DirectionCurve, DirectionPanel, directions_svg, slow_prior

# -- closed form -------------------------------------------------------------------------------------------


def percept(normals: ArrayLike, speeds: ArrayLike, noise: ArrayLike, prior_sd: float) -> Array:
    """The mean and mode of the posterior over v, (Σ_i a_i a_iᵀ/σ_i² + I/τ²)⁻¹ Σ_i a_i d_i/σ_i²: (2,).

    The constraints a_i·v = d_i, `normals` (k, 2) and `speeds` (k,), hold up to Gaussian noise σ_i, one for all or (k,);
    the prior has standard deviation τ along each axis. Normals of another length than 1 weight their constraint.
    """
    a, d = np.asarray(normals, np.float64), np.asarray(speeds, np.float64)
    weighted = a.T / np.broadcast_to(np.square(noise), d.shape)
    return np.asarray(np.linalg.solve(weighted @ a + np.eye(2) / prior_sd**2, weighted @ d))


def direction(velocity: ArrayLike) -> float:
    """Degrees of (right, up), from −180 to 180."""
    right, up = np.asarray(velocity)
    return float(np.degrees(np.arctan2(up, right)))


RHOMBUS_NOISES = (1.0, 5.0, 10.0, 20.0)


def thin_rhombus(noise: float) -> float:
    """Where a thin rhombus seems to go that moves to the right: both its edges are nearly parallel.

    The constraint lines are v_y − v_x = −30 and v_y − 1.5 v_x = −45, the prior has a standard deviation of 25.
    """
    return direction(percept([[-1.0, 1.0], [-1.5, 1.0]], [-30.0, -45.0], noise, 25))


# Directions in degrees, and speeds in degrees of visual angle per second: the faster component first.
_PLAID_DIRECTIONS, PLAID_SPEEDS = (0.0, 15.0), (2.21, 1.80)
PLAID_RATIOS = (0.54, 1.0, 1.84)  # contrast of the faster component over that of the slower


def type_two_plaid(ratio: float, noise: float = 1e4) -> float:
    """Where a plaid seems to go whose true motion (−30.3°) lies outside its two components; 1e4 is "low contrast".

    0° is the direction of the faster component and 15° that of the slower one. The contrasts divide the noise.
    """
    angles = np.radians(_PLAID_DIRECTIONS)
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return direction(percept(normals, PLAID_SPEEDS, noise / np.array([ratio, 1.0]), 1.0))


# -- from pictures -----------------------------------------------------------------------------------------

_SIDE_PIXELS = 64
WINDOW = round_window((_SIDE_PIXELS, _SIDE_PIXELS), 56, edge=2)  # through which y is seen
_PRIOR_OVER_SPEED = 25 / 30  # the prior's standard deviation over the true speed, as for `thin_rhombus`


NOISES = (0.1, 0.3, 1.0, 3.0, 10.0)  # σ per pixel of pictures between 0 and 1


@dataclass(frozen=True, eq=False)
class Stimulus:
    """Pictures that add up to x, each with edges of one or more directions, and the motion of x in pixels.

    `normals` (k, 2) are unit vectors across the edges. `part_of` (k,) says which picture each belongs to; the edges of
    one picture share its gradient energy Σ m |∇x|² equally, which divides the noise of their constraints.
    """

    name: str
    parts: list[Array]
    normals: Array
    part_of: tuple[int, ...]
    motion: Array

    @property
    def prior_sd(self) -> float:
        """The standard deviation of the prior in pixels."""
        return float(_PRIOR_OVER_SPEED * np.hypot(*self.motion))

    @cached_property
    def _energies(self) -> Array:
        """(k,): what each edge adds to Σ m |∇x|²."""
        energy = np.array([np.sum(WINDOW * _squared_gradient(part)) for part in self.parts])
        return energy[list(self.part_of)] / np.bincount(self.part_of)[list(self.part_of)]

    def closed_form(self, noise: float) -> float:
        """The direction by `percept`, at σ = `noise` in each pixel."""
        noises = noise / np.sqrt(self._energies)
        return direction(percept(self.normals, self.normals @ self.motion, noises, self.prior_sd))

    def from_pictures(self, noise: float) -> tuple[float, float]:
        """The directions of the mean and of the mode of the posterior over shifts, for a y without noise of its own."""
        model, shape = fourier_model((_SIDE_PIXELS, _SIDE_PIXELS), noise), (_SIDE_PIXELS, _SIDE_PIXELS)
        x = np.sum(self.parts, axis=0).ravel()
        y = model.act(x, shift_from_motion(self.motion, shape))
        posterior = model.posterior(x, y, slow_prior(self.prior_sd, shape), seen=WINDOW.ravel())
        mean = np.angle(posterior.moments(np.array([[1, 0], [0, 1]])))
        return direction(motion_from_shift(mean, shape)), direction(motion_from_shift(posterior.mode(), shape))


def _squared_gradient(picture: Array) -> Array:
    """|∇x|² of the Fourier series through the pixels, per pixel."""
    spectrum = np.fft.fft2(picture)
    frequency = 2j * np.pi * np.fft.fftfreq(len(picture))
    along = (np.fft.ifft2(spectrum * f).real for f in (frequency, frequency[:, None]))
    return np.asarray(sum(np.square(one) for one in along))


def rhombus_stimulus(name: str, edges: tuple[float, float], speed: float) -> Stimulus:
    """A rhombus with sides in the directions `edges`, moving to the right by `speed` pixels."""
    across = np.radians(edges) + np.pi / 2
    picture = periodic.rhombus(_SIDE_PIXELS, edges, 0.42 * _SIDE_PIXELS)
    normals = np.stack([np.cos(across), np.sin(across)], axis=-1)
    return Stimulus(name, [picture], normals, (0, 0), np.array([speed, 0.0]))


def plaid_stimulus(ratio: float, scale: float) -> Stimulus:
    """The type II plaid as a picture: components 15.3° apart, which move by `scale` pixels per unit of `PLAID_SPEEDS`.

    The nearest to 15° that waves of whole periods per world come, with stripes wide enough for the pixels.
    """
    waves = ((11, 0), (11, 3))
    lengths = np.hypot(*np.transpose(waves))
    contrasts = np.array([ratio, 1.0]) / lengths  # a constraint's strength is that of the gradient
    parts = [
        periodic.grating(_SIDE_PIXELS, wave, contrast=float(c)) / 2
        for wave, c in zip(waves, contrasts / contrasts.max(), strict=True)
    ]
    normals = np.array(waves) / lengths[:, None]
    motion = np.linalg.solve(normals, scale * np.array(PLAID_SPEEDS))
    return Stimulus(f"plaid {ratio:g}", parts, normals, (0, 1), motion)


def pole_stimulus(speed: float) -> Stimulus:
    """Stripes at 45° on an upright pole. What moves them up by `speed` pixels also moves them across, along 45°."""
    pole = periodic.barber_pole(_SIDE_PIXELS, (3, 3), _SIDE_PIXELS / 4)
    return Stimulus("barber pole", [pole], np.full((1, 2), np.sqrt(0.5)), (0,), np.array([0.0, speed]))


_THIN, _FAT = (45.0, float(np.degrees(np.arctan(1.5)))), (-35.0, 35.0)


def small_motions() -> dict[str, list[Stimulus]]:
    """Motions small against the blur of the edges and the width of the stripes: the closed form should hold."""
    return {
        "Rhombi moving right": [
            rhombus_stimulus("thin rhombus", _THIN, 1.0),
            rhombus_stimulus("fat rhombus", _FAT, 1.0),
        ],
        "Type II plaids, by contrast faster:slower": [plaid_stimulus(ratio, 0.2) for ratio in PLAID_RATIOS],
    }


def other_motions() -> list[tuple[Stimulus, float, str]]:
    """Motions for which the closed form does not hold: each with σ, and why."""
    off_the_rhombus = (
        "The prior is wider than the rhombus. Moved off y, a rhombus fits equally badly wherever it goes, so its edges "
        "are no Gaussian constraints."
    )
    half_a_period = (
        "The faster stripes moved by half a period: forwards and backwards fit alike, and the mean lies in between."
    )
    backwards = "The faster stripes moved by more than half a period: the slowest motion that fits runs backwards."
    ends = "Stripes alone seem to move across themselves; here they end at the sides of the pole, and the ends go up."
    return [
        (rhombus_stimulus("thin rhombus", _THIN, 8.0), 24.0, off_the_rhombus),
        (plaid_stimulus(1.0, 1.3), 2.0, half_a_period),
        (plaid_stimulus(1.0, 1.6), 2.0, backwards),
        (pole_stimulus(2.0), 0.1, ends),
        (pole_stimulus(2.0), 3.0, ends),
    ]


@dataclass(frozen=True)
class Outcome:
    """Directions in degrees: by the closed form, and of the mean and the mode of the posterior from pictures."""

    noise: float
    closed_form: float
    mean: float
    mode: float

    @classmethod
    def of(cls, stimulus: Stimulus, noise: float) -> "Outcome":
        """Both ways, for one stimulus at σ = `noise`."""
        return cls(noise, stimulus.closed_form(noise), *stimulus.from_pictures(noise))


# -- table and figure --------------------------------------------------------------------------------------


def run_motion(folder: Path) -> str:
    """Write `table.txt` and `directions.svg` into the folder; returns the table."""
    panels = {
        title: [(one, [Outcome.of(one, noise) for noise in NOISES]) for one in stimuli]
        for title, stimuli in small_motions().items()
    }
    others = [(one, Outcome.of(one, noise), reason) for one, noise, reason in other_motions()]
    text = table(panels, others)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / "table.txt", text)
        write_atomically(folder / "directions.svg", figure(panels))
    except OSError as error:
        raise InputError(f"Cannot write into {folder}: {error.strerror}.") from error
    return text


Panels = dict[str, list[tuple[Stimulus, list[Outcome]]]]


def table(panels: Panels, others: list[tuple[Stimulus, Outcome, str]]) -> str:
    """Directions in degrees: first the published stimuli in closed form, then pictures both ways."""
    lines = [
        "Closed form, thin rhombus moving right",
        _line("  σ", RHOMBUS_NOISES, "g"),
        _line("  direction", [thin_rhombus(noise) for noise in RHOMBUS_NOISES]),
        "Closed form, type II plaid at low contrast; the vector sum of its components is at 6.7",
        _line("  faster:slower", PLAID_RATIOS, "g"),
        _line("  direction", [type_two_plaid(ratio) for ratio in PLAID_RATIOS]),
        "From pictures".ljust(24) + "".join(name.rjust(12) for name in ("σ", "closed form", "mean", "mode")),
    ]
    for title, rows in panels.items():
        lines.append(f"  {title}")
        lines += [_row(stimulus, outcome) for stimulus, outcomes in rows for outcome in outcomes]
    lines.append("  Where the closed form does not hold")
    for stimulus, outcome, reason in others:
        lines += [_row(stimulus, outcome), f"      {reason}"]
    return "\n".join(lines) + "\n"


def _line(name: str, values: Iterable[float], form: str = ".1f") -> str:
    return name.ljust(24) + "".join(format(value, form).rjust(12) for value in values)


def _row(stimulus: Stimulus, outcome: Outcome) -> str:
    name = f"    {stimulus.name}, {np.hypot(*stimulus.motion):.1f} px"
    directions = (outcome.closed_form, outcome.mean, outcome.mode)
    return name.ljust(24) + f"{outcome.noise:12g}" + "".join(f"{value:12.1f}" for value in directions)


def figure(panels: Panels) -> str:
    """Directions against σ: the closed form as lines, the posterior means from pictures as dots. SVG."""
    fine = np.geomspace(NOISES[0], NOISES[-1], 60).tolist()
    return directions_svg(
        [
            DirectionPanel(
                title,
                "noise σ",
                list(NOISES),
                [
                    DirectionCurve(
                        stimulus.name,
                        fine,
                        [stimulus.closed_form(noise) for noise in fine],
                        [(outcome.noise, outcome.mean) for outcome in outcomes],
                    )
                    for stimulus, outcomes in rows
                ],
            )
            for title, rows in panels.items()
        ]
    )
