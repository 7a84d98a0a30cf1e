"""The sentences about one pair: answer, why and fit, chosen by its reading. Every threshold of wording stands here."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.stage.reading import ALPHA, Readings, whole_degrees

_COUNT = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_EVEN_SHARE = 0.8  # least mass of the smallest mode, as a share of the mean mass, if modes are about equally good
_EQUAL_SHARE = 0.9  # the same if they are equally good
_BROAD_DEGREES = 5.0  # standard deviation of a mode from which its angle is given as approximate
_WEAK_BITS = 0.5  # below which a peak is no answer
_SLIGHT_BITS = 0.1  # below which a contribution is not worth a number
_ODDS_NATS = 3.0  # 20 to 1 in favour of a turned x, below which y may be noise alone
_PULL_NATS = 3.0  # of likelihood, from which it is said that the prior moved the answer
_MIN_SIGMA = 0.05  # a suggested σ below this is not given a number: resampling leaves as much
_LOW_Z = -2.33  # a residual that noise σ undercuts in 1 of 100 draws
_MAX_Z = 8.0  # beyond which a score is not given a number
_MAX_LISTED_WEIGHTS = 6


class Turn(NamedTuple):
    """The reading of one turn, as plain numbers."""

    sigma: float
    p: float
    z: float
    level: str
    sigma_own: float
    sigma_pair: float
    sigma_needed: float
    presence: float
    flat: str
    bits: float
    likelihood_bits: float
    pair_bits: float
    prior_bits: float
    has_prior: bool
    pulled: float
    common: int
    explained: bool
    best: int  # degrees
    peaks: int  # number of named modes
    share: float  # mass of the lightest named mode over the mean mass, 1 if there is none
    even: bool  # whether the named modes have about the same mass
    alike: bool  # whether the loud weights alone account for the answer: as many turns as they have crests in common
    broad: bool  # whether the named modes are so broad that whole degrees would claim too much
    degrees: list[int]
    masses: list[float]
    percents: list[int]  # the masses, rounded
    loud: list[bool]

    @property
    def told(self) -> bool:
        """Whether the answer names turns as answers: some turn explains the pair, and is not hardly more probable."""
        return self.explained and self.peaks > 0 and self.bits >= _WEAK_BITS

    @property
    def repeats(self) -> bool:
        """Whether the named modes repeat as the waves of the loud weights do, every 360°/common."""
        step, rest = divmod(self.peaks, max(self.common, 1))
        masses = self.masses[: self.peaks]
        return not rest and all(
            _EVEN_SHARE * a <= b for a, b in zip(masses, masses[step:] + masses[:step], strict=True)
        )


def turns_of(readings: Readings, degrees: Array) -> list[Turn]:
    """The rows of a reading; `degrees` (T, m) are the angles of the named modes, −1 where there are fewer."""
    count = (degrees >= 0).sum(axis=1)
    lightest = np.where(degrees < 0, 1.0, readings.masses).min(axis=1)
    share = np.where(count > 0, lightest * count, 1.0)
    even, explained = share >= _EVEN_SHARE, readings.explained
    each = 360 / 2**readings.bits / np.maximum(count, 1)  # degrees that a mode takes up, √2πe standard deviations
    derived = {
        "best": whole_degrees(readings.best),
        "peaks": count,
        "share": share,
        "even": even,
        "alike": explained & (count == readings.common) & even,
        "broad": each > _BROAD_DEGREES * np.sqrt(2 * np.pi * np.e),
        "explained": explained,
        "degrees": degrees,
        "percents": np.rint(100 * readings.masses).astype(int),
    }
    columns = (derived[name] if name in derived else getattr(readings, name) for name in Turn._fields)
    return [Turn(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


# -- the answer --------------------------------------------------------------------------------------------------------

_NO_ANSWER = {  # by the reason why the pair does not choose
    "blank x": "By any angle: there is nothing in x to turn.",
    "blank y": "It cannot be told: y is blank.",
    "round x": "By any angle: every turn fits equally well.",
    "round y": "It cannot be told: y looks the same however it is turned.",
    "noise": "It cannot be told: noise of σ = {sigma} is too large.",
    "disjoint": "It cannot be told: every turn fits about equally well.",
    "": "It cannot be told: pair and prior cancel each other.",
}


def answer_of(turn: Turn) -> str:
    """The answer to "By how much was x turned to become y?"."""
    if not turn.explained:
        return f"No turn makes x into y{_closest(turn)}."
    if not turn.peaks:
        return _NO_ANSWER[turn.flat].format(sigma=_setting(turn.sigma))
    if turn.bits < _WEAK_BITS:
        these = joined([f"{angle}°" for angle in _named(turn)], "and")
        return f"It can hardly be told: {these} {_be(turn)} only a little more probable than the rest."
    if turn.flat or _is_prior_alone(turn):
        told = "cannot tell" if turn.flat else "can hardly tell"
        return f"The pair {told}; with the prior, {_about(turn)}{_listed(turn, 'and')} {_be(turn)} the most probable."
    said = f"By {_about(turn)}{_listed(turn, 'or')}"
    return f"{said}." if turn.peaks == 1 else f"{said}: {number_word(turn.peaks)} turns {_comparison(turn)}."


def _comparison(turn: Turn) -> str:
    if not turn.even:
        return "are possible, but not equally probable" if turn.has_prior else "fit, but not equally well"
    about = "" if turn.share >= _EQUAL_SHARE else "about "
    return f"are {about}equally probable" if turn.has_prior else f"fit {about}equally well"


def _closest(turn: Turn) -> str:
    """The end of "No turn makes x into y"."""
    if not turn.peaks:
        return ": there is nothing in x to turn" if turn.flat == "blank x" else ", and none comes closer than another"
    if turn.has_prior:
        return f"; with the prior, {_listed(turn, 'and')} would be the most probable"
    if turn.peaks == 1:
        return f"; {turn.degrees[0]}° comes closest"
    if turn.even:
        about = "" if turn.share >= _EQUAL_SHARE else "about "
        return f"; {_listed(turn, 'and')} come {about}equally close"
    first, *others = sorted(_named(turn), key=lambda angle: abs((angle - turn.best + 180) % 360 - 180))
    return f"; {first}° comes closest, ahead of {joined([f'{angle}°' for angle in sorted(others)], 'and')}"


def _is_prior_alone(turn: Turn) -> bool:
    return turn.has_prior and turn.pair_bits < _SLIGHT_BITS and turn.likelihood_bits < _WEAK_BITS


def _about(turn: Turn) -> str:
    return "about " if turn.broad else ""


def _named(turn: Turn) -> list[int]:
    return turn.degrees[: turn.peaks]


def _listed(turn: Turn, last: str) -> str:
    """30°, 120° or 210°; with shares in per cent where they differ, heaviest first."""
    if turn.even:
        return joined([f"{angle}°" for angle in _named(turn)], last)
    heaviest = sorted(range(turn.peaks), key=turn.masses.__getitem__, reverse=True)
    return joined([f"{turn.degrees[i]}° ({_percent(turn.percents[i])})" for i in heaviest], last)


def equation_of(turn: Turn) -> str:
    """The symmetry of the answer, "4 × 90° = 360°", or nothing."""
    return _multiplied(turn.common) if turn.alike and turn.common > 1 else ""


@lru_cache(maxsize=64)
def _multiplied(n: int) -> str:
    return f"{n} × {_step(n)} {'≈' if 3600 % n else '='} 360°"


# -- why ---------------------------------------------------------------------------------------------------------------

_WHY_FLAT = {
    "blank x": "x has no contrast.",
    "blank y": "y has no contrast.",
    "round x": "To this model x looks the same however it is turned: hardly any of it lies in subspaces that a turn"
    " moves.",
    "round y": "Hardly any of y lies in subspaces that a turn moves.",
    "noise": "Even an exact copy of x could not be placed at σ = {sigma}: that takes a σ of about {needed} or less.",
    "disjoint": "x and y share no weight that is loud enough to tell one turn from another.",
}  # fmt: skip


def why_of(turn: Turn) -> str:
    """Why the answer is what it is: weights, or why it is flat; noise alone; pair and prior."""
    return " ".join(filter(None, (_loud_or_flat(turn), _drowned(turn), _contributions(turn))))


def _loud_or_flat(turn: Turn) -> str:
    if turn.flat:
        return _WHY_FLAT[turn.flat].format(sigma=_setting(turn.sigma), needed=_short(turn.sigma_needed))
    return _loud(
        tuple(turn.loud),
        turn.common,
        turn.peaks,
        turn.alike,
        turn.alike or turn.has_prior or turn.repeats,
        turn.has_prior,
    )


@lru_cache(maxsize=1024)
def _loud(loud: tuple[bool, ...], common: int, count: int, alike: bool, repeats: bool, has_prior: bool) -> str:
    """`loud` has for each weight 1…K whether it is loud, `common` is the greatest common divisor of those."""
    weights = [k for k, listed in enumerate(loud, 1) if listed]
    if not weights:
        return "No weight is much louder than the others."
    subject = _weights(weights)
    alone = len(weights) == 1
    if common > 1:
        multiples = "" if alone else f", {'both' if len(weights) == 2 else 'all'} multiples of {common}"
        start, step = f"Only {subject} loud{multiples}", _step(common)
        if alike and not has_prior:
            return f"{start}: {number_word(count)} turns, {step} apart, fit alike."
        wave = "its wave repeats" if alone else "their waves repeat"
        quiet = "" if repeats or has_prior else ", and quieter weights make the difference"
        return f"{start}: {wave} every {step}{quiet}."
    if has_prior:
        return f"In the pair, {subject} loud."
    if alone:
        return "Only weight 1 is loud" + (": its wave has one crest." if count == 1 else ".")
    told = "their crests meet at one turn only" if count == 1 else f"at this σ they leave {number_word(count)} turns"
    return f"{subject[0].upper()}{subject[1:]} loud; {told}."


def _weights(weights: list[int]) -> str:
    """weight 4 is, weights 4 and 8 are, or only how many if they are many."""
    if len(weights) == 1:
        return f"weight {weights[0]} is"
    if len(weights) > _MAX_LISTED_WEIGHTS:
        return f"{number_word(len(weights))} weights from {weights[0]} to {weights[-1]} are"
    return f"weights {joined([str(k) for k in weights], 'and')} are"


def _drowned(turn: Turn) -> str:
    drowned = turn.explained and turn.presence < _ODDS_NATS and turn.level != "cleaner"
    return "y could also be noise alone." if drowned and not turn.flat.startswith("blank") else ""


def _contributions(turn: Turn) -> str:
    """What pair and prior each add, in bits."""
    if not turn.has_prior:
        return ""
    if _is_prior_alone(turn):
        return "The answer is the prior's: the pair adds less than 0.1 bits."
    if turn.pair_bits < _SLIGHT_BITS:
        return "The pair agrees with the prior and adds less than 0.1 bits to it."
    pair = f"The pair adds {turn.pair_bits:.1f} bits to the prior"
    if turn.prior_bits < _SLIGHT_BITS:
        return f"{pair}; the prior hardly changes what the pair says."
    pulled = turn.pulled > _PULL_NATS and turn.best not in _named(turn)
    moved = f" Without the prior, {turn.best}° would fit better." if pulled else ""
    return f"{pair}, the prior {turn.prior_bits:.1f} bits to the pair.{moved}"


# -- fit ---------------------------------------------------------------------------------------------------------------


def fit_of(turn: Turn) -> str:
    """Whether what the best turn leaves over is noise, and of which σ."""
    sigma, ratio = _setting(turn.sigma), turn.sigma_pair / turn.sigma
    any_turn = "any turn" if turn.flat in ("blank x", "round x") else "the best turn"
    if turn.explained:
        if turn.level == "noisier" and (turn.p < ALPHA or ratio > 1.25):
            surer = "" if turn.flat else ", so the posterior is surer than it should be"
            return f"y is noisier than σ = {sigma} assumes: this pair suggests σ ≈ {_short(turn.sigma_pair)}{surer}."
        less = f"{any_turn.capitalize()} leaves less over than noise of σ = {sigma} would"
        if turn.level == "cleaner" and ratio < 0.8:
            sure = turn.sigma_pair >= _MIN_SIGMA
            return (
                f"{less}: this pair suggests {f'σ ≈ {_short(turn.sigma_pair)}' if sure else f'a σ below {_MIN_SIGMA}'}."
            )
        if turn.z < _LOW_Z:
            return f"{less} ({_score(turn.z)})."
        return f"What {any_turn} leaves over looks like noise of σ = {sigma} ({_score(turn.z)})."
    if turn.level == "cleaner" and turn.p >= ALPHA:
        return (
            f"Noise of σ = {sigma} could hide what {any_turn} leaves over, "
            f"but y itself has noise of at most {_short(turn.sigma_own)}."
        )
    return f"{any_turn.capitalize()} leaves more over than noise of σ = {sigma} would ({_score(turn.z)})."


def _score(z: float) -> str:
    if abs(z) > _MAX_Z:
        return f"z {'>' if z > 0 else '<'} {signed(math.copysign(_MAX_Z, z), 0)}"
    return f"z = {signed(z, 1)}"


# -- numbers as text ---------------------------------------------------------------------------------------------------


def signed(value: float, decimals: int) -> str:
    """With a minus sign instead of a hyphen, and never a negative zero."""
    text = f"{value:.{decimals}f}"
    if text[0] != "-":
        return text
    return f"−{text[1:]}" if text.strip("-.0") else text[1:]


def _setting(sigma: float) -> str:
    """σ as it was set, to three digits."""
    return f"{sigma:.3g}"


def _short(value: float) -> str:
    """An estimate, to two digits: 0.35, 1.5, 120."""
    return f"{value:.0f}" if value >= 10 else f"{float(f'{value:.2g}'):g}"


def _step(n: int) -> str:
    return f"{360 / n:.1f}°".replace(".0°", "°")


def _percent(whole: int) -> str:
    return "> 99 %" if whole == 100 else f"{whole} %"


def number_word(n: int) -> str:
    return _COUNT[n] if n < len(_COUNT) else str(n)


def _be(turn: Turn) -> str:
    return "is" if turn.peaks == 1 else "are"


def joined(items: list[str], last: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"
