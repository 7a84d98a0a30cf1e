"""The filters of a model in words: what each one is, how sure its weight is, how the group moves it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from tsa._base import Array

T = TypeVar("T")

# Texts in which the browser fills in {names}: numbers of one filter among many, or numbers that run under a slider.
TEMPLATES = {
    "count": "{shown} of {all} shown",
    "size": "|ω| ≈ {size}",
    "name": "Subspace {number} · weight {weight}",
    "singleName": "Subspace {number} · weight {weight} · a single filter",
    "option": "Subspace {number}, weight {weight}, purity {percent} %.",
    "purity": "purity {percent} %",
    "part": "{part} of subspace {number}, weight {weight}.",
    "ownWeight": "its own weight {weight}",
    "negative": "and −ω",
    "across": "→ ω₂, periods across",
    "down": "↓ ω₁, periods down",
    "relative": "Nearest in {name}: filter {number}, cosine {cosine}",
    "noRelative": "No filter of {name} has this weight.",
    "scatter": "Purity of {count} filters against the size of their weight. Drag around some to show only them.",
}

# The same for a set of filters that are not orthonormal, in the place of those above.
SET_TEMPLATES = {
    "name": "Filter {number} · weight {weight}",
    "singleName": "Filter {number} · weight {weight} · real, without partner",
    "option": "Filter {number}, weight {weight}, purity {percent} %.",
    "part": "{part} of filter {number}, weight {weight}.",
    "pair": "Real; its quadrature partner is filter {partner} (score {score}), drawn as its imaginary part.",
    "copy": "A copy of filter {original}.",
    "dead": "Dead: zero, or outside the pixels that move.",
}

_CLEAR_PURITY = 0.9
_MOSTLY_PURITY = 0.6
_MIN_RUNNER_UP = 0.005  # share of the next weight that is named


@dataclass(frozen=True, eq=False)
class FilterFacts:
    """What is known of J filters in the order in which they are shown; weights are (J,) or (J, 2)."""

    weights: Array
    lines: Array  # (J,) bool: a single filter rather than a pair
    purity: Array  # (J,) share of the filter that has its own weight
    split: Array  # (J,) bool: a real filter, whose spectrum has half of it at ω and half at −ω
    runner_up_share: Array  # (J,) of the next weight in its spectrum
    shape: tuple[int, int]  # rows and columns of a filter; a signal has one row
    group: Literal["rotation", "shift", "other"]  # of pictures, of pixels, or one that has no name


class Movement(NamedTuple):
    """The text for phase φ of a plane, φ from 0° to 359°: {s} is φ · `per_degree`, plus `period` if it is negative."""

    template: str
    per_degree: float
    period: float


def weight_label(weight: Array) -> str:
    """3, −3, or (1, −2)."""
    numbers = [str(int(number)).replace("-", "−") for number in np.atleast_1d(weight)]
    return numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"


def weight_labels(weights: Array) -> list[str]:
    """The label of each of many weights, of which few differ."""
    return _for_each(weights, weight_label)


def title(name: str, lines: Array, order: str, of_set: bool = False) -> str:
    """The heading of all filters, `order` being what they are sorted by."""
    if of_set:
        return f"{name}: {len(lines)} filters, sorted by {order}"
    singles, pairs = int(np.sum(lines)), int(np.sum(~lines))
    both = f" and {singles} single filter{'s' if singles > 1 else ''}" if singles else ""
    return f"{name}: {pairs} filter pair{'s' if pairs != 1 else ''}{both}, sorted by {order}"


def histogram(weights: Array) -> str:
    """The number of filters for each size |ω| of a weight, rounded."""
    counts = Counter(np.rint(_speed(weights)).astype(int).tolist())
    return "Number of filters for each weight: " + ", ".join(f"{counts[size]} of weight {size}" for size in counts)


def verdicts(facts: FilterFacts) -> list[str]:
    """How sure the weight of each filter is: templates with {weight}, {percent}, {next} and {nextPercent}."""
    return [
        _verdict(purity, share, split)
        for purity, share, split in zip(facts.purity, facts.runner_up_share, facts.split, strict=True)
    ]


def motions(facts: FilterFacts, of_set: bool = False) -> list[str]:
    """What happens to each filter as its phase runs; of a set, a real filter may lack its partner."""
    moves = _speed(facts.weights) > 0
    return [
        "one of the two parts of a plane" if of_set and line and move else _motion(line, move)
        for line, move in zip(facts.lines.tolist(), moves.tolist(), strict=True)
    ]


def movements(facts: FilterFacts) -> list[Movement]:
    """What is done to the picture when each plane is at phase φ = ω·s."""
    return _for_each(facts.weights, lambda weight: _movement(facts, np.atleast_1d(weight)))


def response(noise: float, noise_of_lab: bool) -> str:
    """How strongly a filter responds to the patch x of the lab: a template with {length}, {rank}, {count}, {kappa}."""
    sigma = f"{'the lab’s' if noise_of_lab else 'the model’s own'} σ\u00a0=\u00a0{_short(noise, 2)}"
    return (
        "The lab’s patch x has a coordinate of length |z| = {length} here, rank {rank} of {count}."
        f" Its invariant is κ̂ = |z|\u2060²/σ² = {{kappa}} at {sigma}."
    )


def _for_each(weights: Array, make: Callable[[Array], T]) -> list[T]:
    """What is made of each weight, made once for equal ones."""
    distinct, place = np.unique(weights, axis=0, return_inverse=True)
    made = [make(weight) for weight in distinct]
    return [made[i] for i in place.ravel()]


def _verdict(purity: float, runner_up_share: float, split: bool) -> str:
    how = "Clearly" if purity > _CLEAR_PURITY else "Mostly" if purity > _MOSTLY_PURITY else "Perhaps"
    both = " (a real filter has half of it at ω and half at −ω)" if split else ""
    rest = f"No other weight exceeds {_short(100 * _MIN_RUNNER_UP, 1)} %."
    if runner_up_share > _MIN_RUNNER_UP:
        rest = "The next is weight {next}, with {nextPercent} %."
    return f"{how} weight {{weight}}: {{percent}} % of the filter has it{both}. {rest}"


def _motion(line: bool, moves: bool) -> str:
    if not moves:
        return "it does not change"
    return "it changes sign" if line else "the real part at phase φ"


def _movement(facts: FilterFacts, weight: Array) -> Movement:
    rotation = facts.group == "rotation"
    if not weight.any():
        what = {"rotation": "turn of the picture", "shift": "shift", "other": "element of the group"}[facts.group]
        return Movement(f"Weight 0: no {what} changes this filter.", 0.0, 1.0)
    moving = int(np.flatnonzero(weight)[0])
    rate = int(weight[moving])
    if facts.group == "other":
        name = "s" if len(weight) == 1 else f"s{'₁₂₃'[moving]}"
        period = 360 / abs(rate)
        more = f" (or any multiple of {_short(period, 1)}° more)" if abs(rate) > 1 else ""
        return Movement(f"φ = ω·s for {name} = {{s}}°{more}.", 1 / rate, period)
    down = len(weight) == 2 and moving == 0
    whole = 360 if rotation else facts.shape[0 if down else 1]
    period = whole / abs(rate)
    unit = "°" if rotation else ""
    how = "turned by s = {s}°" if rotation else f"shifted by s = {{s}} pixels {'down' if down else 'to the right'}"
    more = f" (or any multiple of {_short(period, 1)}{unit} more)" if abs(rate) > 1 else ""
    what = "picture" if facts.shape[0] > 1 else "signal"
    return Movement(f"φ = ω·s for the {what} {how}{more}.", whole / 360 / rate, period)


def _speed(weights: Array) -> Array:
    """|ω| of each weight."""
    return np.sqrt(np.square(weights.reshape(len(weights), -1).astype(float)).sum(axis=1))


def _short(value: float, digits: int) -> str:
    """At most so many decimals (one or more)."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
