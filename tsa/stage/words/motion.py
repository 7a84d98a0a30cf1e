"""Sentences about motion: how far did it move? All thresholds that choose among them are here."""

import math
from dataclasses import dataclass, replace

import numpy as np

from tsa._base import InputError
from tsa.stage.motion import Motion, MotionAnswer, MotionScene, Piece

QUESTION = "How far did it move?"
_MIN_PEAK = 1.25  # highest density over that of a flat posterior: below it, nothing is known
_MAX_AREA_WORLDS = 0.25  # of the 95 % region: above it, an area rather than lines or points
_MIN_LINE_WORLDS = 1 / 6  # length of a line
_MIN_LINE_SLENDERNESS = 6  # length over width of a line
_MIN_LINE_SHARE = 0.5  # of the region's probability, for lines to be the answer
_MIN_EQUAL_SHARE = 0.8  # of an equal share: the least probable of pieces that fit equally well
_MAX_EXCESS = 5.0  # standard deviations by which what is left over may exceed what σ allows
_MIN_ON_ONE_LINE = 0.6  # share of the waves' certainty that makes a line of waves
_MIN_RESULTANT = 0.3  # |E[e^{is}]| along each axis, for the mean of a motion to mean anything
_WINDOW_STEPS = 16  # sizes of the window for which the answer is computed

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
        second += " The prior for slow motion is part of this answer."
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
            "What is in the window looks the same wherever the picture goes. Widen the window, or move it.",
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
        end = "" if line.closes else " The line ends where an end of the picture would come into sight."
        return (
            "Every shift on one line fits: the aperture problem.",
            f"The window shows how far the picture went across itself, {signed(across)} ± {spread:.1f} px, and nothing "
            f"of how far it went along.{end}",
            "one line of shifts",
        )
    if found == "lines":
        period = _spacing(answer)
        apart = f": one line for each period, {period:.1f} px" if period else ""
        return (
            f"Every shift on these lines fits{apart}.",
            "Moved by a whole period across its stripes the picture looks the same, and along them it always does.",
            f"lines a period apart, {period:.1f} px" if period else "several lines of shifts",
        )
    if found == "point":
        return (
            f"One shift fits: {where}.",
            f"95 % of the probability lies within {answer.area:.1f} px² around it.",
            f"one shift: {where}",
        )
    if found == "patch":
        return (
            f"A patch of shifts fits, {answer.area:.0f} px² around {place(answer.pieces[0].centre)}.",
            "Shifts in the outlined area fit about equally well. A wider window or less noise would make it smaller.",
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
        "More of the picture in the window, or less noise, would tell them apart.",
        f"{count} groups of shifts",
    )


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
    """The distance of neighbouring lines in pixels, 0 if they are not parallel: the world's area over their length."""
    lines = _lines(answer)
    first = np.array(lines[0].axis)
    if any(abs(abs(first @ np.array(line.axis)) - 1) > 1e-2 for line in lines) or not all(one.closes for one in lines):
        return 0.0
    return answer.side**2 / sum(_closed_length(line, answer.side) for line in lines)


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
    """What the answer would be at other sizes of the window: the diameter at which each begins, and its label."""
    steps: list[tuple[float, str]] = []
    for diameter in np.linspace(scene.side / _WINDOW_STEPS, scene.side, _WINDOW_STEPS).tolist():
        try:
            label = WINDOW_LABELS[kind(replace(scene, window=diameter, tried=None))]
        except InputError:
            continue
        if not steps or steps[-1][1] != label:
            steps.append((diameter, label))
    return steps


HELP = {
    "window": "Diameter of the round window through which y is seen. Below stands the answer at each size.",
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
    "tried": "x moved by {place} leaves over {left} of what is seen; its density is {density} of the highest.",
}
