"""The path (ω₁ s, ω₂ s) on the torus in words: whether it closes, how it winds, and what that means for the group."""

import math
from itertools import pairwise
from typing import NamedTuple

from tsa.groups import ExactWeight, TorusPath

MAX_WINDINGS = 100  # of the faster phase that are shown of a path that never closes

# Texts in which the browser fills in {names}. `turn` is the turn s with no, one or more whole turns; the others are
# the alternative texts of the drawings, {first} and {second} being the weights.
TEMPLATES: dict[str, str | tuple[str, ...]] = {
    "turn": ("{degrees}°", "1 turn + {degrees}°", "{turns} turns + {degrees}°"),
    "flat": "The path on the torus, cut open into a square, weights {first} and {second}. {sentence}",
    "torus": "The same path on a torus in space, weights {first} and {second}. {sentence} Arrow keys turn the torus.",
    "dials": "Three circles: the turn s of the picture, and the phases {first}·s and {second}·s of the subspaces.",
}


class PathWords(NamedTuple):
    """The texts about one pair of weights."""

    sentence: str
    reason: str
    meaning: str
    closes: str  # the change of s until both phases are back
    winds: str  # how often each phase goes round until then
    identity: str  # the turns that change neither phase


def weight_label(weight: ExactWeight) -> str:
    """The weight as it is written on screen: 3, 1½, √2, 2π."""
    return str(weight).replace("3/2", "1½")


def path_words(path: TorusPath) -> PathWords:
    """The texts about a path, except how densely the part shown covers the torus (`coverage`)."""
    sentence, reason, meaning = _explanation(path)
    windings = path.windings
    still = windings == (0, 0)
    return PathWords(
        sentence,
        reason,
        meaning,
        "does not move" if still else _duration(path) if windings else "never",
        " and ".join(f"{n} ×" for n in windings) if windings else "unlimited",
        "all turns" if still else f"multiples of {_step(path)}" if windings else "only 0°",
    )


def coverage(path: TorusPath) -> list[tuple[int, str]]:
    """How close the part of the path that is shown comes to every pair of phases, in degrees.

    Pairs (n, text): the text holds from n windings of the faster phase on. Of a path that closes all is shown.
    """
    if path.windings == (0, 0):
        return [(0, "–")]
    if path.windings:
        return [(0, f"{_half_gap(path, max(path.windings))}°")]
    gaps = [math.inf, *(path.gap(n) for n in range(1, MAX_WINDINGS + 1))]
    shrinking = [n for n, (before, gap) in enumerate(pairwise(gaps), 1) if gap < before - 1e-11]
    return [(0, "–"), *((n, f"{_half_gap(path, n)}° so far") for n in shrinking)]


def _half_gap(path: TorusPath, windings: int) -> str:
    """Half of the largest gap, in degrees, rounded up to a tenth: no pair of phases is further away."""
    return _short(math.ceil(1800 * path.gap(windings) - 1e-6) / 10)


def _explanation(path: TorusPath) -> tuple[str, str, str]:
    """Sentence, reason and meaning."""
    if path.windings == (0, 0):
        return (
            "Nothing moves: both weights are 0.",
            "The path is a single point, and every turn acts as the identity.",
            "A subspace of weight 0 does not change when the picture turns: it is an invariant. It carries information"
            " about what the picture shows, and none about how it was turned.",
        )
    if path.windings is None:
        return (
            "The path never closes and comes arbitrarily close to every point of the torus.",
            f"The ratio {weight_label(path.first)} : {weight_label(path.second)} is irrational, so no two values of s"
            " give the same pair of phases. This is a representation of the line, not of the circle.",
            "Its closure is the whole torus: the maximal torus, on which both phases are free. Coupling the phases by"
            " one s then rules nothing out, so the paper's decoupled model does equally well.",
        )
    if path.whole_turns is None:
        return (
            f"The path closes after {_duration(path)} of s, which is not a whole number of turns.",
            f"{_winding(path, 'Until then it')} It is a circle, but a turn of the picture by 360° does not close it.",
            "A representation of the line that runs around a circle. Turns of a picture need R(s + 360°) = R(s), which"
            " holds for integer weights only; that is why the paper requires integers.",
        )
    if path.whole_turns > 1:
        after = ", ".join(f"{round(360 * (float(weight) % 1))}°" for weight in (path.first, path.second))
        return (
            f"The path closes after {_duration(path)} of s, but one whole turn does not lead back to its start.",
            f"{_winding(path, 'Until then it')} After one turn the picture is back where it was, but the phases are at"
            f" ({after}).",
            "This represents not the rotation group but its double cover, as spin does. The paper requires integer"
            " weights, so that R(s + 360°) = R(s).",
        )
    if path.kernel == 1:
        return (
            "The path closes after exactly one turn of s.",
            f"{_winding(path, 'It')} It is a circle inside the torus: a representation of the rotation group in which"
            " no two turns act alike.",
            "Of all pairs of phases, only those on this circle belong to a turn of the picture. The coupled model uses"
            " this fact; the maximal torus does not.",
        )
    step, times = _step(path), _times(path.kernel or 0)
    return (
        f"The path closes after {_duration(path)}, so a full turn of s runs through it {times}.",
        f"{_winding(path, 'Each time it')} A turn by {step} acts as the identity here: the kernel has order"
        f" {path.kernel}.",
        f"These two subspaces cannot distinguish s from s + {step}, so each of their answers occurs {times}."
        f" {_symmetry(path)}",
    )


def _symmetry(path: TorusPath) -> str:
    if sorted((float(path.first), float(path.second))) == [4, 8]:
        return "That is why a square, whose evidence comes mostly from weights 4 and 8, has four answers."
    return f"In a picture with {path.kernel}-fold symmetry, only multiples of {path.kernel} carry evidence."


def _winding(path: TorusPath, start: str) -> str:
    p, q = path.windings or (0, 0)
    if not p or not q:
        return f"{start} winds {_times(p or q)} around one way; the other phase, of weight 0, does not move."
    return f"{start} winds {_times(p)} around one way while it winds {_times(q)} around the other."


def _duration(path: TorusPath) -> str:
    """Turns of s until the path closes, exact where they are a fraction."""
    if path.whole_turns is None or path.kernel is None:
        return f"{path.period:.3f} turns"
    if path.kernel > 1:
        return f"{path.whole_turns}/{path.kernel} of a turn"
    return "one turn" if path.whole_turns == 1 else f"{path.whole_turns} turns"


def _step(path: TorusPath) -> str:
    """The smallest angle that acts as the identity: exact, or marked as rounded."""
    if path.whole_turns is None or path.kernel is None:
        return f"about {_short(360 * path.period)}°"
    if (3600 * path.whole_turns) % path.kernel:
        return f"{360 * path.whole_turns}°/{path.kernel}"
    return f"{_short(360 * path.period)}°"


def _times(n: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(n, f"{n} times")


def _short(value: float) -> str:
    """At most one decimal."""
    return f"{value:.1f}".removesuffix(".0")
