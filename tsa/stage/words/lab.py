"""The posterior of a pair in words and numbers: for the lab, its pictures, alternative texts and the terminal.

`tsa.stage.reading` has the statistics that decide what is true of a pair; here they become sentences. `sweep_words`
gives the words of every turn of a sweep at once; the functions that take a row give those of one turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.stage.reading import Readings, read_sweep, whole_degrees
from tsa.stage.sweep import Sweep
from tsa.stage.words._sentences import answer_of, equation_of, fit_of, signed, turns_of, why_of

QUESTION = "By how much was x turned to become y?"
NUMBERS = ("Uncertainty", "Log evidence", "Torus distance", "Manifold distance", "Euclidean distance")


class Mode(NamedTuple):
    """A local maximum of the posterior: its angle in radians, and the probability mass between its two minima."""

    angle: float
    mass: float

    @property
    def degrees(self) -> int:
        """The angle in whole degrees, 0 to 359."""
        return int(whole_degrees(np.array(self.angle)))


@dataclass(frozen=True, eq=False)
class SweepWords:
    """The texts about each of T turns. A turn without named modes has no answer: every turn is as good as another."""

    answers: list[str]  # T: to `QUESTION`
    whys: list[str]  # T: which weights, and whether pair or prior, make the answer
    fits: list[str]  # T: whether what the best turn leaves over is noise
    equations: list[str]  # T: "4 × 90° = 360°" where the answer has that symmetry, else empty
    values: list[tuple[str, ...]]  # T: the five numbers that `NUMBERS` names, as text
    degrees: Array  # (T, m) int: the angles of the named modes, ascending, 0 to 359; −1 where there are fewer
    masses: Array  # (T, m): their masses; −1 where there are fewer
    loud: Array  # (T, K) bool: the weights 1…K that carry the likelihood
    told: list[tuple[int, ...]]  # T: the turns that the answer names as answers, in degrees; none if it names none


def question(without: Sequence[int] = ()) -> str:
    """What is asked of a pair, and which weights (|ω|, ascending) are left out of the answer."""
    if not without:
        return QUESTION
    listed = str(without[0]) if len(without) == 1 else f"{', '.join(map(str, without[:-1]))} and {without[-1]}"
    return f"Without weight{'s' * (len(without) > 1)} {listed}: {QUESTION[0].lower()}{QUESTION[1:]}"


def sweep_words(sweep: Sweep, rows: slice = slice(None)) -> SweepWords:
    """The words of the turns of a sweep, or of some of its rows."""
    part, readings = _read(sweep, rows)
    degrees = np.where(readings.masses < 0, -1, whole_degrees(np.nan_to_num(readings.angles)))
    turns = turns_of(readings, degrees)
    return SweepWords(
        [answer_of(turn) for turn in turns],
        [why_of(turn) for turn in turns],
        [fit_of(turn) for turn in turns],
        [equation_of(turn) for turn in turns],
        _values(part.entropy, part.log_evidence, part.distances),
        degrees,
        readings.masses,
        readings.loud,
        [tuple(turn.degrees[: turn.peaks]) if turn.told else () for turn in turns],
    )


def modes(sweep: Sweep, row: int = 0) -> list[Mode]:
    """The modes that are named, in order of their degrees; none where every turn is as good as another."""
    _, readings = _read(sweep, slice(row, row + 1))
    pairs = zip(readings.angles[0].tolist(), readings.masses[0].tolist(), strict=True)
    return [Mode(angle, mass) for angle, mass in pairs if mass >= 0]


def is_flat(sweep: Sweep, row: int = 0) -> bool:
    """Whether no mode is named: the posterior hardly varies, or only because of the pixel grid."""
    return not modes(sweep, row)


def answer(sweep: Sweep, row: int = 0) -> str:
    """The answer to `QUESTION`: "By 30°, 120°, 210° or 300°: four turns fit equally well."."""
    return sweep_words(sweep, slice(row, row + 1)).answers[0]


def why(sweep: Sweep, row: int = 0) -> str:
    """Which weights make the answer, or why there is none; and what pair and prior each contribute."""
    return sweep_words(sweep, slice(row, row + 1)).whys[0]


def fit(sweep: Sweep, row: int = 0) -> str:
    """Whether what the best turn leaves over is noise, and of which σ."""
    return sweep_words(sweep, slice(row, row + 1)).fits[0]


def numbers(sweep: Sweep, row: int = 0) -> dict[str, str]:
    """The uncertainty over whole degrees, the log evidence in nats and three distances, each by its name."""
    return dict(zip(NUMBERS, sweep_words(sweep, slice(row, row + 1)).values[0], strict=True))


def templates(copy: bool) -> dict[str, str]:
    """Texts in which the browser fills in {names} that change while the dial turns or another subspace is chosen.

    `copy` says whether y is a turned copy of x, rather than another picture. A plane of negative weight −3 has
    `backwards` with {weight} 3; a κ̂ below 0.01 has `slight`.
    """
    turned, mark = ("x", "true turn") if copy else ("another picture", "turn of y")
    arrow = "η̂ points to the estimated phase; its modulus is κ̂."
    return {
        "mark": mark,
        "turnedY": f"The patch y: {turned} turned by {{angle}}°.",
        "posterior": f"Posterior over the turn s: {{shape}}. The {mark} is {{angle}}°. Uncertainty {{uncertainty}}.",
        "hidden": "Waves of the weights. The posterior is hidden until the answer is shown.",
        "flat": "no turn stands out",
        "peaks": "peaks at {peaks}",
        "peak": "{degrees}° with {percent} % of the probability",
        "subspace": "Subspace {number}, weight {weight}: phase {degrees}°, certainty {percent} %.",
        "noEvidence": "Subspace {number}, weight {weight}: no evidence.",
        "title": "Subspace {number} · weight {weight}",
        "moving": f"A turn by s turns this plane by {{weight}}·s. {arrow}",
        "backwards": f"A turn by s turns this plane backwards, by {{weight}}·s. {arrow}",
        "why": "Why?",
        "fixed": "No turn changes this {kind}, so it carries no evidence about the turn.",
        "concentration": "κ̂ = {kappa}",
        "slight": "κ̂ < 0.01",
        "filter": "{part} of subspace {number}, weight {weight}.",
        "sum": "{prior}this + {others} more of weight {weight} = posterior (broad)",
        "sumPrior": "prior (dashed) + ",
        "noSum": "not part of the sum",
    }


def _read(sweep: Sweep, rows: slice) -> tuple[Sweep, Readings]:
    part = sweep if rows == slice(None) else sweep.rows(rows)
    return part, read_sweep(part.model, part, part.prior)


def _values(entropy: Array, log_evidence: Array, distances: Array) -> list[tuple[str, ...]]:
    """The numbers as text; entropies below that of one degree count as 0 bits."""
    bits = np.maximum(0.0, (entropy - np.log(2 * np.pi / 360)) / np.log(2))
    columns = zip(bits.tolist(), log_evidence.tolist(), *distances.T.tolist(), strict=True)
    return [
        (f"{b:.1f} of 8.5 bits", signed(e, 1), f"{torus:.2f}", f"{manifold:.2f}", f"{euclid:.2f}")
        for b, e, torus, manifold, euclid in columns
    ]
