"""Sequences of a two-fold symmetric shape: coverage of the filter, a tracker with one guess, speed.

A letter S turns by a random walk; frames are 16×16 pixels with noise, and during two gaps nothing is seen. After a half
turn an S looks the same, so a tracker that follows one guess cannot know that it came out of a gap on the wrong side.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import fft
from scipy.special import i0e
from threadpoolctl import threadpool_limits

from tsa import files
from tsa._base import Array
from tsa.density import VonMises
from tsa.experiments.bench import print_ratio
from tsa.model import RandomWalk, Subgroup, Track, track, track_best_guess
from tsa.pictures import draw, to_disc, turned_patches

MODEL, SHAPE, SIDE = "rotation-16-refined", "S", 16
STEP_DEGREES, START_DEGREES = 8.0, 5.0  # standard deviations of a step and of the start
NOISE = 4.0  # standard deviation of a pixel; the picture's own is 1
GAPS = (slice(60, 90), slice(130, 160))  # frames that are missing
GRID_CELLS = 1024
LOST_FRAMES = 20  # a track is lost if it is more than a quarter turn off during all of the last frames


@dataclass(frozen=True, eq=False)
class Sequences:
    """Simulated sequences: the model, template (D,), frames (runs, T, D) with nan where missing, angles (runs, T)."""

    model: Subgroup
    template: Array
    frames: Array
    angles: Array

    @property
    def motion(self) -> RandomWalk:
        """The random walk that made them."""
        return RandomWalk(np.radians(STEP_DEGREES) ** -2.0)

    @property
    def start(self) -> VonMises:
        """The density of the first angle."""
        return VonMises(np.radians(START_DEGREES) ** -2.0)

    def track(self, smooth: bool = False) -> Track:
        """The filter of `tsa.track`."""
        return track(self.model, self.frames, self.template, self.motion, start=self.start, smooth=smooth)

    def best_guess(self) -> Array:
        """The angles of the tracker that keeps only its best guess (runs, T)."""
        return track_best_guess(self.model, self.frames, self.template, self.motion, start=self.start)


def simulate(runs: int = 100, frames: int = 200, seed: int = 0, gaps: tuple[slice, ...] = GAPS) -> Sequences:
    """Sequences of the turning letter. Angles are rounded to whole degrees, at which the camera turns exactly."""
    model = files.load(MODEL).with_noise(NOISE)
    assert isinstance(model, Subgroup)
    views = turned_patches(to_disc(draw(SHAPE)), SIDE)
    views /= views[0].std()
    rng = np.random.default_rng(seed)
    first = np.radians(START_DEGREES) * rng.standard_normal((runs, 1))
    steps = rng.vonmises(0.0, np.radians(STEP_DEGREES) ** -2.0, (runs, frames - 1))
    degrees = np.rint(np.degrees(np.cumsum(np.concatenate([first, steps], axis=1), axis=1))).astype(np.int64)
    seen = views[degrees % 360] + NOISE * rng.standard_normal((runs, frames, SIDE * SIDE))
    for gap in gaps:
        seen[:, gap] = np.nan
    return Sequences(model, views[0], seen, np.radians(degrees))


class Coverage(NamedTuple):
    """For each run (runs,): the share of frames whose 95 % set of the filter holds the truth, and which runs are lost.

    `one_guess` is of the tracker that keeps only its best guess, `highest_mode` of the highest mode of the filter.
    """

    inside: Array
    one_guess: Array
    highest_mode: Array

    def text(self) -> str:
        """Both as per cent with standard errors, and the range of the coverage over hundreds of runs."""
        mean, error = share_with_error(self.inside)
        gone, gone_error = share_with_error(self.one_guess)
        hundreds = [100 * part.mean() for part in np.array_split(self.inside, max(1, len(self.inside) // 100))]
        span = f" (each hundred: {min(hundreds):.1f} to {max(hundreds):.1f} %)" if len(hundreds) > 1 else ""
        return (
            f"95 % sets of the filter hold the truth in {mean:.1f} ± {error:.1f} % of frames{span}; a tracker that "
            f"keeps only its best guess is lost in {gone:.0f} ± {gone_error:.0f} % of runs"
        )


def share_with_error(values: Array) -> tuple[float, float]:
    """Mean and standard error of values, one for each run, in per cent."""
    return 100 * float(np.mean(values)), 100 * float(np.std(values, ddof=1) / np.sqrt(len(values)))


def coverage(runs: int = 1000, seed: int = 0) -> Coverage:
    """Coverage of so many runs, in hundreds with seeds from `seed` on.

    A run that left a gap on the side that seemed improbable is outside for long, so that frames of one run are far from
    independent: over 100 runs the coverage has a standard error of about 0.6 to 1.2 %.
    """
    parts = []
    for start in range(0, runs, 100):
        sequences = simulate(min(100, runs - start), seed=seed + start // 100)
        filtered = sequences.track().filtered
        gone = [lost(guesses, sequences.angles) for guesses in (sequences.best_guess(), filtered.mode())]
        parts.append((filtered.contains(sequences.angles).mean(axis=1), *gone))
    return Coverage(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def lost(guesses: Array, truth: Array) -> Array:
    """Which runs (…,) end on the wrong side: more than a quarter turn off in all of the last 20 frames."""
    off = np.abs(np.angle(np.exp(1j * (guesses - truth))))[..., -LOST_FRAMES:]
    return np.asarray((off > np.pi / 2).all(axis=-1))


class PlainGrid:
    """The filter as it is usually written: a likelihood and a probability for each of 1,024 cells.

    The transition is a matrix, or with `by_fft` a convolution by FFT.
    """

    def __init__(self, sequences: Sequences, cells: int = GRID_CELLS, by_fft: bool = False) -> None:
        model, kappa = sequences.model, np.radians(STEP_DEGREES) ** -2.0
        angles = 2 * np.pi * np.arange(cells) / cells
        self._views = model.act(sequences.template, angles) / model.noise**2
        self._energy = model.noise**2 * np.sum(self._views**2, axis=1) / 2
        step = np.exp(kappa * (np.cos(angles) - 1)) / (cells * i0e(kappa))
        self._spectrum = fft.rfft(step) if by_fft else None
        self._matrix = step[np.subtract.outer(np.arange(cells), np.arange(cells)) % cells]
        self._start = sequences.start.density(angles) * (2 * np.pi / cells)
        self._constant = -model.dimension / 2 * np.log(2 * np.pi * model.noise**2)
        self._variance = model.noise**2

    def filter(self, frames: Array) -> tuple[Array, Array]:
        """Masses (runs, T, cells) and log evidence (runs,) of frames (runs, T, D)."""
        missing = np.isnan(frames[..., 0])
        frames = np.where(missing[..., None], 0.0, frames)
        height = frames @ self._views.T - self._energy
        top = height.max(axis=-1)
        likelihood = np.exp(height - top[..., None])
        likelihood[missing] = 1.0
        log_evidence = np.zeros(len(frames))
        masses, mass = np.empty(likelihood.shape), np.broadcast_to(self._start, (len(frames), len(self._start)))
        for t in range(frames.shape[1]):
            if t:
                mass = self._moved(mass)
            mass = mass * likelihood[:, t]
            total = mass.sum(axis=-1)
            mass /= total[:, None]
            masses[:, t] = mass
            square = np.einsum("nd,nd->n", frames[:, t], frames[:, t]) / (2 * self._variance)
            log_evidence += np.where(missing[:, t], 0.0, np.log(total) + top[:, t] - square + self._constant)
        return masses, log_evidence

    def _moved(self, mass: Array) -> Array:
        if self._spectrum is None:
            return mass @ self._matrix.T
        moved = fft.irfft(fft.rfft(mass, axis=-1) * self._spectrum, mass.shape[-1], axis=-1)
        return np.maximum(moved, 0.0)


def _best_seconds(functions: list[Callable[[], object]], rounds: int) -> list[float]:
    """The best CPU time of each, measured alternately."""
    times = np.empty((rounds, len(functions)))
    for row in times:
        for i, function in enumerate(functions):
            begun = time.process_time()
            function()
            row[i] = time.process_time() - begun
    best: list[float] = times.min(axis=0).tolist()
    return best


def run_tracking(runs: int = 1000, seed: int = 0, rounds: int = 5) -> dict[str, float]:
    """Print and return coverage, the share of lost tracks, agreement with the plain grid, and ratios of times.

    The grid and the times are measured on the first hundred of the sequences, with one thread.
    """
    found = coverage(runs, seed)
    side = 100 * found.highest_mode.mean()
    print(
        f"{len(found.inside):,} runs of 200 frames of a turning {SHAPE}: σ = {NOISE}, "
        f"steps of {STEP_DEGREES:g}°, two gaps"
    )
    print(f"  {found.text()}")
    print(f"  {side:.0f} % of runs end with the highest mode on the wrong side, where the sets cover both")
    figures = {"coverage": float(found.inside.mean()), "lost": float(found.one_guess.mean())}
    with threadpool_limits(1, "blas"):
        return figures | _against_grids(simulate(min(100, runs), seed=seed), rounds)


def _against_grids(sequences: Sequences, rounds: int) -> dict[str, float]:
    """Print and return differences to the plain grid, and ratios of times."""
    result, runs = sequences.track(), len(sequences.frames)
    points = result.filtered.sides[0]
    plain, convolved = PlainGrid(sequences), PlainGrid(sequences, by_fft=True)
    masses, log_evidence = plain.filter(sequences.frames)
    gap = float(np.abs(log_evidence - result.log_evidence).max())
    nodes = 2 * np.pi * np.arange(GRID_CELLS) / GRID_CELLS
    some = result.filtered[0].density(nodes[:, None]).T * (2 * np.pi / GRID_CELLS)
    apart = float(np.abs(some - masses[0]).sum(axis=-1).max())
    print(f"  grid filter of {GRID_CELLS:,} cells: log evidence differs by {gap:.1e}, total variation {apart / 2:.1e}")
    print(f"time of the filter, with {points} points (error of the log evidence at most {result.error.max():.0e})")
    one = Sequences(sequences.model, sequences.template, sequences.frames[:1], sequences.angles[:1])
    figures = {"evidence gap": gap, "points": float(points)}
    for name, some_sequences in ((f"{runs} runs at once", sequences), ("one run", one)):
        ours, matrix, by_fft = _best_seconds(
            [
                some_sequences.track,
                partial(plain.filter, some_sequences.frames),
                partial(convolved.filter, some_sequences.frames),
            ],
            rounds,
        )
        print_ratio(f"a grid filter of {GRID_CELLS:,} cells with a matrix, {name}", ours, matrix)
        print_ratio(f"the same by FFT, {name}", ours, by_fft)
        figures |= {f"{name}: matrix": matrix / ours, f"{name}: FFT": by_fft / ours}
    begun = time.process_time()
    one.track(smooth=True)
    print(f"  {1e3 * (time.process_time() - begun):.0f} ms to filter and smooth {one.frames.shape[1]} frames")
    return figures
