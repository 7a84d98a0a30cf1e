"""Toroidal orbits (paper, section 2 and its first figure): integer weights close, others fill the torus."""

from fractions import Fraction

import numpy as np

from tsa import files
from tsa.experiments.report import Claim, Figure, Section
from tsa.groups import ExactWeight, TorusPath
from tsa.model import Subgroup
from tsa.stage import Chart, ChartLine

_OPEN_TURNS = 30  # of s, drawn of a path that never closes


def section(seed: int = 0) -> Section:
    """Paths of three pairs of weights, how densely the open one fills the torus, and the laws of the action."""
    model = files.load("rotation-16-refined")
    assert isinstance(model, Subgroup)
    rng = np.random.default_rng(seed)
    x = model.act(rng.standard_normal((50, model.dimension)), 0.0)
    s, t = rng.uniform(0, 2 * np.pi, (2, 50))
    scale = np.abs(x).max()
    closes = np.abs(model.act(x, 2 * np.pi) - x).max() / scale
    adds = np.abs(model.act(model.act(x, s), t) - model.act(x, s + t)).max() / scale
    kept, spread = (
        np.abs(f(model.act(x, s)) - f(x)).max() / f(x).max() for f in (model.invariants, model.pooled_norms)
    )
    paths = {
        "(1, 2)": TorusPath(_weight(1), _weight(2)),
        "(2, 3)": TorusPath(_weight(2), _weight(3)),
        "(1, √2)": TorusPath(_weight(1), ExactWeight(Fraction(1), "√2")),
    }
    windings = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    counts = [float(n) for n in windings]
    dense = ChartLine("(1, √2)", counts, [paths["(1, √2)"].gap(n) for n in windings])
    closed = ChartLine("(2, 3)", counts, [paths["(2, 3)"].gap(n) for n in windings])
    charts = [_path(name, path) for name, path in paths.items()]
    gaps = Chart("Largest gap on the torus", "windings", "turns", [dense, closed], log_x=True, log_y=True)
    return Section(
        "orbits",
        "Orbits on the torus",
        (
            Claim(
                "Integer weights give a compact group: R(s) = R(s + 2π) (section 2).",
                f"ρ(2π)x differs from x by {closes:.0e} of its largest pixel; ρ(s)ρ(t) from ρ(s + t) by {adds:.0e} (50 "
                "patches, learned filters of rotation).",
                "holds" if max(closes, adds) < 1e-5 else "does not hold",
            ),
            Claim(
                "Weights that are not commensurate give a path that never closes and comes close to every point.",
                f"With weights (1, √2) the largest gap falls from {dense.y[0]:.2f} turns after one winding to "
                f"{dense.y[-1]:.4f} after 1,000; with (2, 3) it stays at {closed.y[-1]:.2f}.",
                "holds" if dense.y[-1] < 0.01 < closed.y[-1] else "does not hold",
            ),
            Claim(
                "κ̂ and the pooled norms ‖η̂⁺‖ do not change along an orbit (sections 3.2 and 3.3).",
                f"Largest change over 50 random turns, relative to the largest: {kept:.0e} and {spread:.0e}.",
                "holds" if max(kept, spread) < 1e-3 else "does not hold",
            ),
        ),
        (
            Figure.of_charts(
                "orbits",
                "Paths s ↦ (ω₁s, ω₂s) on the torus, drawn as a square: what leaves it on one side comes back on the "
                f"other. The first two close; of the third, which never does, {_OPEN_TURNS} turns are drawn.",
                charts,
            ),
            Figure.of_charts(
                "orbits-gap",
                "How densely a path fills the torus: the largest distance between neighbouring strands. With whole "
                "weights it stays; with 1 and √2 every point comes arbitrarily near.",
                [gaps],
            ),
        ),
        seed,
    )


def _weight(n: int) -> ExactWeight:
    return ExactWeight(Fraction(n), "")


def _path(name: str, path: TorusPath) -> Chart:
    """The path in a square of turns: once around for closed ones, thirty turns of s otherwise."""
    speeds = [float(path.first), float(path.second)]
    turns = _OPEN_TURNS if path.common is None else path.period
    # Between two crossings of an edge of the square the path is a straight line.
    edges = np.unique(np.concatenate([[0.0, turns], *(np.arange(0, turns, 1 / w) for w in speeds)]))
    begin, middle, end = edges[:-1], (edges[:-1] + edges[1:]) / 2, edges[1:]
    first, second = (
        np.stack([w * begin, w * end, np.nan * end], axis=1) - np.floor(w * middle)[:, None] for w in speeds
    )
    first[:, 2] = first[:, 1]
    line = ChartLine("", first.ravel().tolist(), second.ravel().tolist())
    return Chart(f"Weights {name}", "phase 1 (turns)", "phase 2 (turns)", [line], y_range=(0, 1))
