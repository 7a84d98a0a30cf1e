"""Longer sequences, which the paper names as a use of a tractable posterior (section 3.3): a section of the report."""

import numpy as np

from tsa.experiments.report import Claim, Figure, Section
from tsa.experiments.tracking import PlainGrid, lost, simulate
from tsa.stage import Chart, ChartLine


def section(seed: int = 0, runs: int = 100) -> Section:
    """Coverage of the filter, the share of runs that one guess loses, and agreement with a grid of 1,024 cells."""
    sequences = simulate(runs, seed=seed)
    result = sequences.track(smooth=True)
    assert result.smoothed is not None
    guesses = sequences.best_guess()
    inside, inside_smoothed = (d.contains(sequences.angles).mean(axis=1) for d in (result.filtered, result.smoothed))
    error = inside.std(ddof=1) / np.sqrt(runs)
    gone = lost(guesses, sequences.angles)
    gap = np.abs(PlainGrid(sequences).filter(sequences.frames[:1])[1] - result.log_evidence[:1]).max()
    shown = int(np.argmax(gone))
    frames = [float(t) for t in range(sequences.angles.shape[1])]
    chart = Chart(
        "One run",
        "frame",
        "degrees",
        [
            ChartLine("truth", frames, np.degrees(sequences.angles[shown]).tolist()),
            ChartLine("best guess", frames, np.degrees(np.unwrap(guesses[shown])).tolist()),
        ],
    )
    spread = Chart(
        "95 % set of the filter, mean over runs",
        "frame",
        "share of runs in which it holds the truth",
        [ChartLine("filter", frames, result.filtered.contains(sequences.angles).mean(axis=0).tolist())],
    )
    return Section(
        "sequences",
        "Sequences",
        (
            Claim(
                "A tractable posterior matters for longer sequences, which may have several high-density trajectories.",
                f"{runs} runs of 200 noisy frames of a letter S with two gaps: 95 % sets of the filter hold the truth "
                f"in {100 * inside.mean():.1f} ± {100 * error:.1f} % of frames, those of the smoother in "
                f"{100 * inside_smoothed.mean():.1f} %; one guess is lost in {100 * gone.mean():.0f} % of runs.",
                "holds" if gone.any() else "does not hold",
            ),
            Claim(
                "The posterior stays tractable.",
                f"Filter and smoother are exact up to {result.error.max():.0e} in the log evidence, with "
                f"{result.filtered.sides[0]} points; a grid of 1,024 cells agrees to {gap:.0e}.",
                "holds",
            ),
        ),
        (
            Figure.of_charts(
                "sequences", "Truth, one guess, and how often the 95 % set holds the truth.", [chart, spread]
            ),
        ),
        seed,
    )
