"""The posterior of a pair in words and numbers: for the lab, its pictures, alternative texts and the terminal.

All thresholds that select a sentence stand here. `sweep_words` gives the words of every turn of a sweep at once; the
functions that take a row give those of one turn.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.stage.sweep import Sweep

NUMBERS = ("Uncertainty", "Log evidence", "Torus distance", "Manifold distance", "Euclidean distance")

_COUNT = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_MIN_MODE_MASS = 0.01  # of a mode that is named
_FLAT_PEAK = 1.25  # peak density over the uniform density below which no mode is named
_MAX_UNEXPLAINED = 0.6  # share of the moving part that the best turn may leave over if it explains the pair
_EVEN_SHARE = 0.8  # least mass of the smallest mode, as a share of the mean mass, if modes are equally good
_MIN_EVIDENCE_SHARE = 0.04  # of the sum of all concentrations, for a weight that is listed
_MAX_LISTED_WEIGHTS = 4


class Mode(NamedTuple):
    """A local maximum of the posterior: its angle in radians, and the probability mass between its two minima."""

    angle: float
    mass: float

    @property
    def degrees(self) -> int:
        """The angle in whole degrees, 0 to 359."""
        return int(_whole_degrees(np.array(self.angle)))


@dataclass(frozen=True, eq=False)
class SweepWords:
    """The texts about each of T turns. A turn without named modes has a flat posterior."""

    sentences: list[str]  # T: which turns explain the pair
    reasons: list[str]  # T: why; may be empty
    values: list[tuple[str, ...]]  # T: the five numbers that `NUMBERS` names, as text
    degrees: Array  # (T, m) int: the angles of the named modes, ascending, 0 to 359; −1 where there are fewer
    masses: Array  # (T, m): their masses; −1 where there are fewer


def sweep_words(sweep: Sweep, rows: slice = slice(None)) -> SweepWords:
    """The words of the turns of a sweep, or of some of its rows."""
    angles, masses = _named_modes(sweep, rows)
    degrees = np.where(masses < 0, -1, _whole_degrees(np.where(masses < 0, 0.0, angles)))
    counts = (masses >= 0).sum(axis=1)
    even = np.where(masses < 0, 1, masses).min(axis=1) > _EVEN_SHARE / np.maximum(counts, 1)
    explained = (sweep.unexplained[rows] <= _MAX_UNEXPLAINED).tolist()
    kappa = np.abs(sweep.pooled[rows])
    strong = kappa > _MIN_EVIDENCE_SHARE * kappa.sum(axis=1, keepdims=True)
    turns = zip(degrees.tolist(), counts.tolist(), explained, even.tolist(), strict=True)
    reasons = zip(counts.tolist(), explained, map(tuple, strong.tolist()), strict=True)
    return SweepWords(
        [_sentence(row[:count], ok, equal) for row, count, ok, equal in turns],
        [_reason(count, ok, weights) for count, ok, weights in reasons],
        _values(sweep.entropy[rows], sweep.log_evidence[rows], sweep.distances[rows]),
        degrees,
        masses,
    )


def modes(sweep: Sweep, row: int = 0) -> list[Mode]:
    """The modes that are named, in order of their degrees; none where the posterior is nearly flat."""
    angles, masses = (values[0].tolist() for values in _named_modes(sweep, slice(row, row + 1)))
    return [Mode(angle, mass) for angle, mass in zip(angles, masses, strict=True) if mass >= 0]


def is_flat(sweep: Sweep, row: int = 0) -> bool:
    """Whether the posterior hardly varies, so that no mode is named."""
    return bool(2 * np.pi * sweep.density[row].max() < _FLAT_PEAK)


def sentence(sweep: Sweep, row: int = 0) -> str:
    """Which turns explain the pair, and how well: "Four turns explain this pair equally well: 30°, 120°, …"."""
    return sweep_words(sweep, slice(row, row + 1)).sentences[0]


def reason(sweep: Sweep, row: int = 0) -> str:
    """Why: which weights carry evidence, and how many answers a single best one leaves out; may be empty."""
    return sweep_words(sweep, slice(row, row + 1)).reasons[0]


def numbers(sweep: Sweep, row: int = 0) -> dict[str, str]:
    """The uncertainty over whole degrees, the log evidence in nats and three distances, each by its name."""
    return dict(zip(NUMBERS, sweep_words(sweep, slice(row, row + 1)).values[0], strict=True))


def templates(copy: bool) -> dict[str, str]:
    """Texts in which the browser fills in {names} that change while the dial turns or another subspace is chosen.

    `copy` says whether y is a turned copy of x, rather than another picture.
    """
    turned, mark = ("x", "true turn") if copy else ("another picture", "turn of y")
    return {
        "mark": mark,
        "circles": "{count} subspaces, slowest first",
        "turnedY": f"The patch y: {turned} turned by {{angle}}°.",
        "posterior": f"Posterior over the turn s: {{shape}}. The {mark} is {{angle}}°. Uncertainty {{uncertainty}}.",
        "flat": "nearly flat",
        "peaks": "peaks at {peaks}",
        "peak": "{degrees}° with {percent} % of the probability",
        "subspace": "Subspace {number}, weight {weight}: phase {degrees}°, certainty {percent} %.",
        "noEvidence": "Subspace {number}, weight {weight}: no evidence.",
        "title": "Subspace {number} · weight {weight}",
        "moving": "A turn by s turns this plane by {weight}·s. η̂ points to the estimated phase; its modulus is κ̂.",
        "fixed": "No turn changes this {kind}, so it carries no evidence about the turn.",
        "filter": "{part} of subspace {number}, weight {weight}.",
        "sum": "{prior}this + {others} more of weight {weight} = posterior (broad)",
        "sumPrior": "prior (dashed) + ",
        "noSum": "not part of the sum",
    }


def _named_modes(sweep: Sweep, rows: slice) -> tuple[Array, Array]:
    """Angles and masses (T, m) of the named modes, in order of their whole degrees; masses −1 where there are fewer."""
    angles, masses = sweep.mode_angles[rows], sweep.mode_masses[rows]
    flat = 2 * np.pi * sweep.density[rows].max(axis=1) < _FLAT_PEAK
    named = (masses >= np.minimum(_MIN_MODE_MASS, masses.max(axis=1, keepdims=True))) & ~flat[:, None]
    degrees = np.where(named, _whole_degrees(np.where(named, angles, 0.0)), 360)
    order = np.argsort(degrees, axis=1, kind="stable")[:, : max(1, int(named.sum(axis=1).max()))]
    masses = np.where(named, masses, -1.0)
    return np.take_along_axis(angles, order, axis=1), np.take_along_axis(masses, order, axis=1)


def _whole_degrees(radians: Array) -> Array:
    return np.floor(np.degrees(radians) + 0.5).astype(int) % 360


def _sentence(degrees: list[int], explained: bool, even: bool) -> str:
    if not degrees:
        return "Every turn explains this pair about equally well."
    turns = "°, ".join(map(str, degrees)) + "°"
    if not explained:
        most = "turn is" if len(degrees) == 1 else "turns are"
        return f"No turn explains this pair well. The most probable {most} {turns}."
    if len(degrees) == 1:
        return f"One turn explains this pair: {turns}."
    return (
        f"{_count(len(degrees))} turns explain this pair{' equally well' if even else ', not equally well'}: {turns}."
    )


@lru_cache(maxsize=1024)
def _reason(named: int, explained: bool, strong: tuple[bool, ...]) -> str:
    """`strong` has for each weight 1…K whether it carries a good part of the evidence."""
    if not named and explained:
        return "The patch is empty, weak compared with the noise, or looks the same however it is turned."
    if not named:
        return "No weight that x and y share is strong enough to distinguish one turn from another."
    weights = _listed([str(k) for k, listed in enumerate(strong, 1) if listed])
    if named == 1 or not explained:
        return weights
    return f"{weights} A single best answer would have hidden {_count(named - 1).lower()} of them.".strip()


def _listed(weights: list[str]) -> str:
    """The weights that carry evidence, if they are few: a square has four answers because they are multiples of 4."""
    if not 1 <= len(weights) <= _MAX_LISTED_WEIGHTS:
        return ""
    if len(weights) == 1:
        return f"Only weight {weights[0]} carries substantial evidence."
    return f"Only weights {', '.join(weights[:-1])} and {weights[-1]} carry substantial evidence."


def _values(entropy: Array, log_evidence: Array, distances: Array) -> list[tuple[str, ...]]:
    """The numbers as text; entropies below that of one degree count as 0 bits."""
    bits = np.maximum(0.0, (entropy - np.log(2 * np.pi / 360)) / np.log(2))
    columns = zip(bits.tolist(), log_evidence.tolist(), *distances.T.tolist(), strict=True)
    return [
        (f"{b:.1f} of 8.5 bits", f"{e:.1f}".replace("-", "−"), f"{torus:.2f}", f"{manifold:.2f}", f"{euclid:.2f}")
        for b, e, torus, manifold, euclid in columns
    ]


def _count(n: int) -> str:
    return _COUNT[n] if n < len(_COUNT) else str(n)
