"""What is said of a film: at each frame, and of the tracker that keeps only its best guess."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tsa._base import Array
from tsa.density import GridDensity

_LEAST_MASS = 0.02  # of an answer that is named
_MAX_NAMED = 4
_FLAT = 1.2  # highest density, times that of a posterior that knows nothing, up to which no answer is named
_LOST_DEGREES = 45.0  # a guess that is further off, to the end of the film, is lost
_NEAR_DEGREES = 60.0  # probability is counted as near the truth within so many degrees


@dataclass(frozen=True)
class Movement:
    """What moves from frame to frame, and what a full circle of it is in its unit: 360° or the width in pixels."""

    noun: str
    full: float = 360.0
    unit: str = "°"
    decimals: int = 0

    @property
    def nearly_any(self) -> str:
        """What is said of a posterior that knows nearly nothing."""
        return f"nearly any {self.noun}"

    def say(self, degrees: float) -> str:
        """An amount of it, given in degrees of the full circle."""
        return f"{degrees * self.full / 360:.{self.decimals}f}{self.unit}"


TURN = Movement("turn")


def sideways(width: int) -> Movement:
    """A shift to the side of pictures that are `width` pixels wide."""
    return Movement("shift", float(width), " px", 1)


def lost_from(guesses: Array, truth: Array) -> int | None:
    """The first frame from which the guesses (T,), in degrees, are off to the end; None if they are not lost."""
    off = np.abs((guesses - truth + 180) % 360 - 180) > _LOST_DEGREES
    right = np.flatnonzero(~off)
    first = int(right[-1]) + 1 if right.size else 0
    return first if first < len(off) else None


def headline(filtered: GridDensity, guesses: Array, truth: Array | None, movement: Movement = TURN) -> tuple[str, str]:
    """What happens in the film, in a sentence and an explanation; guesses and truth are in degrees (T,)."""
    if truth is None:
        return (
            f"The posterior over the {movement.noun}, frame by frame.",
            f"Nobody knows the true {movement.noun} of these frames. "
            "Where best guess and posterior part, look at the frame.",
        )
    near = _mass_near(filtered[len(guesses) - 1], float(truth[-1]))
    first = lost_from(guesses, truth)
    if first is None:
        return (
            "The best guess stays with the truth.",
            f"At the end the posterior has {_percent(near)} near the truth. More noise or longer gaps may change that.",
        )
    return (
        f"The best guess is lost from frame {first + 1} on. The posterior is not.",
        f"At the end the best guess is {movement.say(_off(guesses, truth))} off and cannot know it. The posterior "
        f"still has {_percent(near)} near the truth.",
    )


def _off(guesses: Array, truth: Array) -> float:
    return float(abs((guesses[-1] - truth[-1] + 180) % 360 - 180))


def _mass_near(density: GridDensity, degrees: float) -> float:
    near = np.abs((np.degrees(density.points) - degrees + 180) % 360 - 180) <= _NEAR_DEGREES
    return float(density.masses[near].sum())


def frame_texts(filtered: GridDensity, guesses: Array, missing: Array, movement: Movement = TURN) -> list[str]:
    """One sentence for each frame: its answers with their masses, and the best guess."""
    angles, masses = filtered.modes()[:2]
    degrees = np.rint(np.degrees(np.nan_to_num(angles))).astype(int) % 360
    flat = filtered.masses.max(axis=1) * filtered.sides[0] < _FLAT
    said = [
        movement.nearly_any if none else _answers(d, m, movement)
        for d, m, none in zip(degrees, masses, flat, strict=True)
    ]
    return [
        f"{'No frame' if gone else 'Posterior'}: {answers}. Best guess: {movement.say(guess)}."
        for answers, guess, gone in zip(said, guesses, missing, strict=True)
    ]


def _answers(degrees: Sequence[int], masses: Sequence[float], movement: Movement) -> str:
    named = [(int(d), float(m)) for d, m in zip(degrees, masses, strict=True) if m >= _LEAST_MASS]
    if not named or len(named) > _MAX_NAMED:
        return movement.nearly_any
    return " or ".join(f"{movement.say(d)} ({_percent(m)})" for d, m in sorted(named, key=lambda one: -one[1]))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
