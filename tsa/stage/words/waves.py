"""Texts of the drawing of waves: heading, labels, and how much less probable another turn is than the best."""

from collections.abc import Sequence

import numpy as np

ODDS_STEP = 0.05  # nats between two texts of `odds`
NEARLY_BEST = 0.7  # nats below the best turn (a ratio of 2) up to which a turn is called nearly as probable
MIN_PRINTED_KAPPA = 0.05  # a loudness below it is printed as 0
_MAX_ODDS = 1e15  # ratio of probabilities; a larger one is not worth a number
_MAX_LISTED_WEIGHTS = 5

LABELS = {
    "weight": "weight",
    "circles": "its circles",
    "loudness": "loudness κ",
    "fixed": "the same for every turn: no say",
    "off": "off",
    "prior": "prior",
    "sum": "Sum",
    "formula": "Σ κ cos(ks − μ)",
    "sumText": "how well x, turned by s, covers y",
    "for": "for",
    "against": "against this turn",
    "posterior": "Posterior",
    "posteriorText": "exp of the sum, scaled to area 1",
    "priorLine": "dashed: prior",
    "pairLine": "dotted: pair alone",
    "left": "Left over",
    "leftText": "x turned by s, minus y",
    "nats": "{count} nats",
    "tried": "try {angle}°",
    "turned": "x, turned {angle}°",
    "area": "area of 5 %",
    "switch": "Weight {weights}",
    "switches": "Weights {weights}",
    "less": "About {ratio} times less probable than the best turn.",
    "best": "No turn is more probable.",
    "nearly": "Nearly as probable as the best turn.",
}


def waves_heading(loud: Sequence[int], weights: int) -> str:
    """What the drawing shows: "Each weight adds one wave. Only 4 and 8 are loud."; `weights` counts those that move."""
    many = f"{len(loud)} of {weights} are loud."
    few = {0: "None is loud.", 1: f"Only {loud[0] if loud else ''} is loud."}
    listed = f"Only {', '.join(map(str, loud[:-1]))} and {loud[-1] if loud else ''} are loud."
    return "Each weight adds one wave. " + few.get(len(loud), listed if len(loud) <= _MAX_LISTED_WEIGHTS else many)


def row_label(weights: Sequence[int]) -> str:
    """The weights that share a row: "4", "13, 15" or "5–7"."""
    return f"{weights[0]}–{weights[-1]}" if len(weights) > 2 else ", ".join(map(str, weights))


def kappa_label(kappa: float) -> str:
    """A concentration to the tenth; below a twentieth, 0."""
    return "0" if kappa < MIN_PRINTED_KAPPA else f"{kappa:.1f}" if kappa < 99.95 else f"{kappa:.0f}"


def odds() -> list[str]:
    """e^{nats} in words for 0, 0.05, 0.1, … nats: "3.3", "30 billion"; the last stands for everything above it."""
    nats = np.arange(0.0, np.log(_MAX_ODDS) + ODDS_STEP, ODDS_STEP)
    return [_ratio(value) for value in np.exp(nats)]


def _ratio(value: float) -> str:
    """As many digits as a step of `ODDS_STEP` tells apart."""
    if value >= _MAX_ODDS:
        return "10¹⁵ or more"
    if value < 9.95:
        return f"{value:.1f}"
    rounded = float(f"{value:.1g}")
    for name, size in (("trillion", 1e12), ("billion", 1e9), ("million", 1e6)):
        if rounded >= size:
            return f"{rounded / size:.0f} {name}"
    return f"{rounded:,.0f}"
