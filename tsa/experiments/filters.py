"""The learned filters (paper, section 4 and its figure of filters): trained as in the paper, or the bundled result."""

import numpy as np

from tsa import files
from tsa.analysis import estimate_weights, finite_difference_weights
from tsa.experiments.report import Claim, Figure, Section
from tsa.groups import ImageRotation
from tsa.learning import BUNDLED, train_run
from tsa.model import Subgroup
from tsa.stage import Chart, ChartLine, filters_image, filters_svg

_NAME = "rotation-16"


def section(quick: bool) -> Section:
    """Weights by character projection and by the paper's 0.1°; trained again from its seed unless quick."""
    run = BUNDLED[_NAME]
    model = files.load(_NAME) if quick else train_run(run).model
    assert isinstance(model, Subgroup)
    action = ImageRotation(16)
    weights = estimate_weights(model, action)
    paper = finite_difference_weights(model, action)
    values, rounded = np.asarray(weights), np.rint(paper).astype(int)
    wrong = int(np.sum(rounded != values))
    to_zero = int(np.sum((rounded == 0) & (values != 0)))
    pure = values[weights.confidence > 0.8]
    clean = len(pure)
    order = np.argsort(np.abs(values), kind="stable")
    chart = Chart(
        "Two estimates of each weight",
        "character projection |ω|",
        "finite difference at 0.1°, |ω|",
        [ChartLine("filters", np.abs(values[order]).tolist(), np.abs(paper[order]).tolist(), dots=True)],
    )
    return Section(
        "filters",
        "Learned filters",
        (
            Claim(
                "100 filters learned from 250,000 pairs of rotated noise are very clean (section 4).",
                f"{run.n_pairs:,} pairs{' (bundled result)' if quick else ', trained again'}: {clean} of "
                f"{len(values)} pairs have a purity above 0.8 (median {np.median(weights.confidence):.2f}); the others "
                "mix several weights.",
                "holds" if clean >= 0.9 * len(values) else "holds in part",
            ),
            Claim(
                "The learned weights range from −11 to 12.",
                f"From {values.min()} to {values.max()}, those above 0.8 from {pure.min()} to {pure.max()}; the sign "
                "is a convention of each pair.".replace("-", "−"),
                "holds" if 10 <= np.abs(pure).max() <= 14 else "holds in part",
            ),
            Claim(
                "Weights estimated at 0.1° are correct except for a few that are assigned 0.",
                f"{wrong} of {len(values)} differ from the character projection, {to_zero} of them assigned 0: "
                "interpolation damps what filters of large weight depend on.",
                "holds" if to_zero <= 5 and wrong <= 10 else "holds in part",
            ),
        ),
        (
            Figure.of_picture(
                "filters",
                "The learned pairs, cosine beside sine, sorted by weight, which stands above each pair.",
                filters_svg(model, (16, 16)),
                filters_image(model, (16, 16)),
            ),
            Figure.of_charts(
                "filters-weights",
                "Each dot is a pair of filters. Across: its weight by character projection, over the whole circle. Up: "
                "the paper's estimate from a turn of 0.1°, which comes out too low for large weights.",
                [chart],
            ),
        ),
        run.seed,
    )
