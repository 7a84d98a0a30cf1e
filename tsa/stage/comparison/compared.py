"""Scenes next to each other: a sweep of each, and what a comparison says of them at every angle of the dial."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tsa._base import Array, InputError
from tsa.stage.packing import distinct, pack_arrays
from tsa.stage.scene import Scene
from tsa.stage.words import comparison as words
from tsa.stage.words import sweep_words

MAX_PINS = len(words.LINES)


@dataclass(frozen=True, eq=False)
class Compared:
    """One scene of a comparison, at T angles of the dial (360, or one): its packed sweep and what is printed of it."""

    packed: bytes
    uncertainties: tuple[str, ...]  # T, as text
    answers: tuple[tuple[int, ...], ...]  # T: the turns that the answer names, in degrees

    @classmethod
    def of(cls, scene: Scene, whole: bool = True) -> "Compared":
        """A scene at every whole degree of the dial, by one sweep, or at its angle alone."""
        swept = scene.sweep(whole)
        said = sweep_words(swept)
        uncertainties = tuple(values[0] for values in said.values)
        return cls(scene.packed(whole, swept), uncertainties, tuple(said.told))


def comparison_words(pins: Sequence[Compared]) -> list[tuple[str, str]]:
    """At each angle: which pin is the most certain, and which answers they share."""
    if not 1 <= len(pins) <= MAX_PINS:
        raise InputError(f"One to {MAX_PINS} scenes can be compared; got {len(pins)}.")
    uncertainties = zip(*(pin.uncertainties for pin in pins), strict=True)
    answers = zip(*(pin.answers for pin in pins), strict=True)
    return [
        (words.certainty(values), words.shared(turns)) for values, turns in zip(uncertainties, answers, strict=True)
    ]


def pack_comparison(pins: Sequence[Compared], labels: Sequence[str]) -> bytes:
    """Up to four scenes as bytes for the browser: arrays `pin0`, `pin1`, … are packed sweeps of 360 angles.

    At angle t the pins differ in certainty as `certainties[certainty[t]]` says, and share answers as
    `shareds[shared[t]]` says. `labels` are words that tell the pins apart.
    """
    said = comparison_words(pins)
    certainties, certainty = distinct(first for first, _ in said)
    shareds, shared = distinct(second for _, second in said)
    arrays: dict[str, Array] = {"certainty": certainty, "shared": shared}
    arrays |= {f"pin{i}": np.frombuffer(pin.packed, np.uint8) for i, pin in enumerate(pins)}
    header = {"certainties": certainties, "shareds": shareds, "labels": list(labels), "title": words.TITLE}
    return pack_arrays(header | {"lines": words.LINES[: len(pins)]}, arrays)
