"""Sentences about motion: how far did it move? All thresholds that choose among them are here."""

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from tsa.stage.motion import Motion, MotionAnswer, MotionScene, Piece

QUESTION = "How far did it move?"
_MIN_PEAK = 1.25  # highest density over that of a flat posterior: below it, nothing is known
_MAX_AREA_WORLDS = 0.25  # of the 95 % region: above it, an area rather than lines or points
_MIN_LINE_WORLDS = 1 / 6  # length of a line
_MIN_LINE_SLENDERNESS = 6  # length over width of a line
_MIN_LINE_SHARE = 0.5  # of the region's probability, for lines to be the answer
_MIN_ONLY_SHARE = 0.9  # of the region's probability, for a line to be all of the answer
_MAX_UNEVENNESS = 0.2  # of the spacing of lines, by which one may be out of place
_MAX_POINT_WORLDS = 1 / 8  # length of a point that is told without its extent
_MIN_EQUAL_SHARE = 0.8  # of an equal share: the least probable of pieces that fit equally well
_MAX_EXCESS = 5.0  # standard deviations by which what is left over may exceed what σ allows
_MIN_ON_ONE_LINE = 0.6  # share of the waves' certainty that makes a line of waves
_MIN_RESULTANT = 0.3  # |E[e^{is}]| along each axis, for the mean of a motion to mean anything
_MIN_SPEED = 0.2  # pixels of the mean motion, for its direction to be told
_WINDOW_STEPS = 8  # sizes of the window for which the answer is computed, and more where it changes

MAX_NAMED = 24  # groups of shifts of which the map says how probable each is

KINDS = ("unexplained", "nothing", "area", "line", "lines", "point", "patch", "equal", "points")
# What stands under the slider of the window.
WINDOW_LABELS = {
    "unexplained": "nothing fits", "nothing": "nothing", "area": "nothing", "line": "line", "lines": "lines",
    "point": "point", "patch": "patch", "equal": "points", "points": "points",
}  # fmt: skip


def kind(scene: MotionScene) -> str:
    """What the 95 % region looks like: one of `KINDS`."""
    answer = scene.answer
    if scene.excess > _MAX_EXCESS:
        return "unexplained"
    if answer.peak < _MIN_PEAK:
        return "nothing"
    if answer.area > _MAX_AREA_WORLDS * scene.side**2:
        return "area"
    lines = _lines(answer)
    if sum(line.mass for line in lines) > _MIN_LINE_SHARE * _total(answer.pieces):
        return "line" if len(lines) == 1 else "lines"
    if len(answer.pieces) == 1:
        return "point" if answer.pieces[0].length <= _MIN_LINE_WORLDS * scene.side else "patch"
    least = min(piece.mass for piece in answer.pieces)
    equal = least > _MIN_EQUAL_SHARE * _total(answer.pieces) / len(answer.pieces)
    return "equal" if equal else "points"


def _lines(answer: MotionAnswer) -> list[Piece]:
    return [
        piece
        for piece in answer.pieces
        if piece.length > _MIN_LINE_WORLDS * answer.side and piece.length > _MIN_LINE_SLENDERNESS * piece.width
    ]


def _total(pieces: list[Piece]) -> float:
    return sum(piece.mass for piece in pieces)


@dataclass(frozen=True)
class MotionWords:
    """Texts about one scene: `headline` answers `QUESTION`, `second` says why; `short` fits under a small map."""

    kind: str
    headline: str
    second: str
    short: str
    waves: str
    numbers: list[tuple[str, str]]
    spoken: str


def motion_words(scene: MotionScene) -> MotionWords:
    """All texts about a scene."""
    found = kind(scene)
    headline, second, short = _sentences(scene, found)
    if scene.slow and found != "unexplained":
        second += f" {_with_prior(scene.answer)}"
    numbers = _numbers(scene)
    spoken = f"{QUESTION} {headline} {second} " + " ".join(f"{name}: {value}." for name, value in numbers)
    return MotionWords(found, headline, second, short, waves_text(scene.answer, found), numbers, spoken)


def _sentences(scene: MotionScene, found: str) -> tuple[str, str, str]:
    answer = scene.answer
    where, count = place(answer.mode), len(answer.pieces)
    if found == "unexplained":
        return (
            f"No shift explains what is seen. The closest is {where}.",
            f"It leaves over more than noise of σ = {scene.sigma:g} allows. Raise σ, or lower the noise.",
            "no shift explains it",
        )
    if found == "nothing":
        return (
            "Nothing in the window says how far it moved.",
            "What is seen is about as likely wherever the picture went. Widen the window, move it, or lower σ.",
            "nothing is known",
        )
    if found == "area":
        if scene.out_of_sight:
            return (
                "Every shift that keeps it out of sight fits.",
                "The window shows where the picture is not, and that excludes only the shifts that bring it in.",
                "all that keep it out of sight",
            )
        return (
            "A quarter of all shifts fit, or more.",
            "The window shows too little against the noise that the model expects. Widen it, or lower σ.",
            "a quarter of all shifts, or more",
        )
    if found == "line":
        line = _lines(answer)[0]
        across, spread = _across(answer, line)
        others = ", and others" if line.mass < _MIN_ONLY_SHARE * _total(answer.pieces) else ""
        along = (
            "and nothing of how far it went along."
            if line.closes
            else f"and not how far along. The line ({line.length:.0f} px) ends where {_end(scene)}."
        )
        return (
            f"Every shift on one line fits{others}: the aperture problem.",
            f"The window shows how far the picture went across itself, {signed(across)} ± {spread:.1f} px, {along}",
            f"one line of shifts{others}",
        )
    if found == "lines":
        if period := _spacing(answer):
            return (
                f"Every shift on these lines fits: one line for each period, {period:.1f} px.",
                "Moved by a whole period across its stripes the picture looks the same, and along them it always does.",
                f"lines a period apart, {period:.1f} px",
            )
        closed = all(line.closes for line in _lines(answer))
        return (
            "Shifts on several lines fit.",
            "Along each of them what is seen stays nearly the same"
            + (f"; they end where {_end(scene)}." if not closed else "."),
            "several lines of shifts",
        )
    if found == "point":
        length = answer.pieces[0].length
        spread_out = f", give or take {length / 2:.0f} px" if length > _MAX_POINT_WORLDS * scene.side else ""
        return (
            f"One shift fits{spread_out}: {where}.",
            f"95 % of the probability lies within {answer.area:.1f} px² around it.",
            f"one shift{spread_out}: {where}",
        )
    if found == "patch":
        return (
            f"A patch of shifts fits, {answer.area:.0f} px² around {place(answer.pieces[0].centre)}.",
            "95 % of the probability lies in the outlined area. With more of the picture in sight it would be smaller.",
            f"a patch of {answer.area:.0f} px²",
        )
    if found == "equal":
        return (
            f"{_counted(count)} shifts fit equally well, one for each common period.",
            "Each of them lays the picture over itself again, as far as the window shows.",
            f"{count} shifts, one for each period",
        )
    return (
        f"{_counted(count)} groups of shifts fit to some degree; the most probable is {where}.",
        "How probable each of them is stands beside it in the map."
        if count <= MAX_NAMED
        else "The map shows them all.",
        f"{count} groups of shifts",
    )


def _with_prior(answer: MotionAnswer) -> str:
    """That the prior is part of the answer, and where its mean goes: what people see, if they are as this model."""
    right, up = answer.mean
    speed = math.hypot(right, up)
    if answer.resultant <= _MIN_RESULTANT or speed < _MIN_SPEED:
        return "The prior for slow motion is part of this answer."
    degrees = math.degrees(math.atan2(up, right))
    return (
        f"With the prior for slow motion the mean is {speed:.1f} px towards {signed(degrees, 0)}° (0° right, 90° up)."
    )


def _end(scene: MotionScene) -> str:
    """Why a line of shifts ends."""
    if scene.slow:
        return "the motion is too fast for the prior, or something else would show"
    return "something else would show, like the picture's end"


def _counted(count: int) -> str:
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
    return words[count] if count < len(words) else str(count)


def _across(answer: MotionAnswer, line: Piece) -> tuple[float, float]:
    """The distance of a line from no motion, across it, and the standard deviation of the posterior across it."""
    cells = next(one for one in answer.cells if one.piece is line)
    normal = np.array([line.axis[1], -line.axis[0]])
    centre = np.array(line.centre)
    from_line = (cells.places - cells.mass @ cells.places / cells.mass.sum()) @ normal
    spread = math.sqrt(float(cells.mass @ from_line**2) / float(cells.mass.sum()))
    return abs(float(centre @ normal)), spread


def _spacing(answer: MotionAnswer) -> float:
    """The distance of neighbouring lines in pixels, 0 unless all are parallel, close, and lie equally far apart.

    Closed lines of one direction cross a distance of the world's area over the length of one before they come again.
    """
    lines = _lines(answer)
    first = np.array(lines[0].axis)
    if any(abs(abs(first @ np.array(line.axis)) - 1) > 1e-2 for line in lines) or not all(one.closes for one in lines):
        return 0.0
    again = answer.side**2 / _closed_length(lines[0], answer.side)
    spacing = again / len(lines)
    across = np.array([line.centre for line in lines]) @ (-first[1], first[0])
    turns = np.mod(np.subtract.outer(across, across), spacing) / spacing
    return spacing if np.minimum(turns, 1 - turns).max() < _MAX_UNEVENNESS else 0.0


def _closed_length(line: Piece, side: int) -> float:
    """How long a line that closes is: that of the closed straight line nearest to its direction and length.

    An unrolled line is measured with the width of its ends; one that closes is a whole number of worlds in each
    direction.
    """
    worlds = np.rint(np.array(line.axis) * line.length / side)
    return float(np.hypot(*worlds) * side) or line.length


def waves_text(answer: MotionAnswer, found: str) -> str:
    """What the waves in the frequency plane say together, for an answer of this kind."""
    if found == "nothing":
        return "No wave is certain of its phase, so none excludes any shift."
    share = answer.on_one_line
    if found in ("line", "lines") and share > _MIN_ON_ONE_LINE:
        return (
            f"{100 * share:.0f} % of the certainty lies on one line of waves. Each lets stripes of shifts through; "
            f"these all run the same way, so together they leave {'a line' if found == 'line' else 'lines'}."
        )
    return (
        "Waves in several directions are certain. Each lets stripes of shifts through; the stripes cross, and only "
        "shifts where they cross are left."
    )


def wave_label(wave: tuple[int, int], phase: float, kappa: float, side: int) -> str:
    """One wave: its periods per world, the turn that it asks for, and how far apart its stripes of shifts are."""
    right, up = (signed(k, 0) for k in wave)
    return (
        f"Wave ({right}, {up}) turned by {signed(math.degrees(phase), 0)}°, κ̂ = {kappa:.3g}: one stripe every "
        f"{side / math.hypot(*wave):.1f} px."
    )


def _numbers(scene: MotionScene) -> list[tuple[str, str]]:
    answer = scene.answer
    return [
        ("True motion", place(scene.motion)),
        ("Most probable", place(answer.mode)),
        ("Slowest that fits", place(answer.slowest)),
        ("Mean", place(answer.mean) if answer.resultant > _MIN_RESULTANT else "undefined"),
        ("Uncertainty", f"{signed(answer.bits)} of {answer.most_bits:.1f} bits"),
        ("95 % region", f"{answer.area:.1f} px²"),
    ]


def place(motion: Motion) -> str:
    """A motion as a person reads it: (right, up) in pixels."""
    return f"({signed(motion[0])}, {signed(motion[1])})"


def signed(value: float, digits: int = 1) -> str:
    """A number with a minus sign rather than a hyphen, and no sign before zero."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("-") and float(text) == 0 else text.replace("-", "−")


def window_answers(scene: MotionScene) -> list[tuple[float, str]]:
    """What the answer would be at other sizes of the window: the diameter at which each begins, and its label.

    Looked at in `_WINDOW_STEPS` steps, and between two that differ to a pixel; what comes and goes within a step, and
    what differs by less than a pixel, is not seen.
    """

    @cache
    def label(diameter: int) -> str:
        return WINDOW_LABELS[kind(scene.through(float(diameter)))]

    def changes(below: int, above: int) -> list[int]:
        """The diameters at which the label changes, between two at which it differs."""
        if above - below == 1:
            return [above]
        middle = (below + above) // 2
        return [
            diameter
            for one, other in ((below, middle), (middle, above))
            if label(one) != label(other)
            for diameter in changes(one, other)
        ]

    sizes = sorted({max(1, round(scene.side * i / _WINDOW_STEPS)) for i in range(_WINDOW_STEPS + 1)})
    starts = [
        sizes[0],
        *(d for one, other in pairwise(sizes) if label(one) != label(other) for d in changes(one, other)),
    ]
    return [(float(diameter), label(diameter)) for diameter in starts]


HELP = {
    "noise": "Standard deviation of Gaussian noise added to every pixel of y, where black is 0 and white is 1.",
    "sigma": "Standard deviation of the noise that the model expects. The outlined 95 % is what the model believes: if "
    "σ is larger than the noise, the truth lies inside more often than that.",
    "slow": "How much the model prefers slow motion before it sees anything: a bell around no motion, as wide as this "
    "many pixels. Off, every shift is equally probable.",
    "looks": "Observes the same motion once more with new noise. All looks count together.",
    "model": "The exact Fourier model of a world of n×n pixels, or a model that learned shifts from pairs of patches.",
}
MARKERS = {"truth": "true motion", "mode": "most probable", "slowest": "slowest that fits"}
TEMPLATES = {
    "world": "Picture in a round window. Arrow keys move the picture, with Shift by 4 pixels; + and − size the window. "
    "{headline}",
    "plane": "Posterior over shifts. {headline} Arrow keys move the shift that is tried, Home returns to the most "
    "probable one.",
    "waves": "Waves in the frequency plane. {waves}",
    "tried": "x moved by {place} leaves over {left} of what is seen. Its density is {density} of the highest.",
    "untried": "x moved by the most probable shift, {place}, leaves over {left} of what is seen. Click to try another.",
    "size": "{size} px",
}
