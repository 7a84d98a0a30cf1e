"""Longer sequences, which the paper names as a use of a tractable posterior (section 3.3): a section of the report."""

import numpy as np

from tsa._base import Array
from tsa.density import GridDensity
from tsa.experiments.report import Claim, Figure, Section
from tsa.experiments.tracking import GAPS, PlainGrid, coverage, lost, share_with_error, simulate
from tsa.stage import Chart, ChartLine

_ROWS = 180  # of the picture of a density over time, from 0 to 360 degrees


def section(seed: int = 0, runs: int = 1000) -> Section:
    """Coverage of the filter, the share of runs that one guess loses, and agreement with a grid of 1,024 cells."""
    found = coverage(runs, seed)
    sequences = simulate(min(100, runs), seed=seed)
    result = sequences.track(smooth=True)
    assert result.smoothed is not None
    smoothed, smoothed_error = share_with_error(result.smoothed.contains(sequences.angles).mean(axis=1))
    masses, log_evidence = PlainGrid(sequences).filter(sequences.frames[:1])
    gap = np.abs(log_evidence - result.log_evidence[:1]).max()
    guesses = sequences.best_guess()
    # A run in which one guess is lost while the filter is right.
    wrong = lost(guesses, sequences.angles) & ~lost(result.filtered.mode(), sequences.angles)
    shown = int(np.argmax(wrong))
    return Section(
        "sequences",
        "Sequences",
        (
            Claim(
                "A tractable posterior matters for longer sequences, which may have several high-density trajectories.",
                f"{len(found.inside):,} runs of 200 noisy frames of a letter S, which looks the same after half a "
                f"turn, with two gaps in which nothing is seen: {found.text()}. Smoothed sets: {smoothed:.1f} ± "
                f"{smoothed_error:.1f} % ({len(sequences.frames)} runs).",
                "holds" if found.one_guess.any() else "does not hold",
            ),
            Claim(
                "The posterior stays tractable.",
                f"Filter and smoother are exact up to {result.error.max():.0e} in the log evidence, with "
                f"{result.filtered.sides[0]} points; a grid of {masses.shape[-1]:,} cells agrees to {gap:.0e}.",
                "holds" if gap < 1e-4 else "does not hold",
            ),
        ),
        (
            Figure.of_charts(
                "sequences",
                "Blue: where the S may be, frame by frame; the darker, the more probable. In the gaps (frames "
                f"{' and '.join(f'{gap.start} to {gap.stop}' for gap in GAPS)}) what is known spreads; after them "
                "there are two answers, half a turn apart. The filter keeps both, the smoother knows later frames too; "
                "one guess settles on the wrong one.",
                [
                    _over_time(
                        "Filter, and one guess", result.filtered[shown], sequences.angles[shown], guesses[shown]
                    ),
                    _over_time("Smoother", result.smoothed[shown], sequences.angles[shown]),
                ],
            ),
        ),
        seed,
    )


def _over_time(title: str, densities: GridDensity, truth: Array, guess: Array | None = None) -> Chart:
    """Densities (T,) as columns of a picture from 0 to 360 degrees, each relative to its highest, under the truth."""
    frames = [float(t) for t in range(len(truth))]
    degrees = np.linspace(0, 360, _ROWS, endpoint=False)[::-1] + 180 / _ROWS
    ground = densities.density(np.radians(degrees)[:, None])
    ground = np.sqrt(ground / ground.max(axis=0))
    # A gap in the curve where it passes 360 degrees.
    lines = [("truth", truth)] if guess is None else [("truth", truth), ("one guess", guess)]
    curves = []
    for name, angles in lines:
        wrapped = np.degrees(np.mod(angles, 2 * np.pi))
        wrapped[1:][np.abs(np.diff(wrapped)) > 180] = np.nan
        curves.append(ChartLine(name, frames, wrapped.tolist()))
    return Chart(title, "frame", "degrees", curves, y_range=(0, 360), ground=0.75 * ground)
