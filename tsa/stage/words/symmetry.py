"""The symmetry of a picture in words: which turns leave it unchanged, how surely, and which weights say so."""

from typing import NamedTuple

import numpy as np

from tsa.stage.symmetry import Symmetry, Verdict

_MIN_LOUD_SHARE = 0.04  # of the sum of all κ̂, for a weight that is listed
_MIN_LOUD = 0.1  # nats
_MANY_COPIES = 24  # overlaid for a picture that looks the same after every turn
_COUNT = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class SymmetryWords(NamedTuple):
    """The texts of the panel "Symmetry of x"."""

    title: str
    text: str  # what a turn does to the picture
    strength: str  # how surely, with a number; may be empty
    copies: int  # of the picture to overlay, turned by equal steps; 0 for none
    overlay: str  # below them; empty if there are none
    bars: str  # below the bars of κ̂
    dial_label: str  # alternative text of the stabiliser
    bars_label: str  # and of the bars
    loud: tuple[int, ...]  # weights whose bars have their number below them


def symmetry_words(found: Symmetry) -> SymmetryWords:
    """The texts about the symmetry of a picture."""
    title, text, strength = _TEXTS[found.verdict](found)
    copies = _MANY_COPIES if found.verdict is Verdict.EVERY else found.copies
    overlay = f"{_count(copies).capitalize()} copies, overlaid" if copies else ""
    loud = np.flatnonzero(found.kappa > max(_MIN_LOUD, _MIN_LOUD_SHARE * float(found.kappa.sum()))) + 1
    bars = f"Loudness κ̂ of weights 1 to {len(found.kappa)}. Turning x does not change it."
    labels = _dial(found), _listed(found, loud.tolist())
    return SymmetryWords(title, text, strength, copies, overlay, bars, *labels, tuple(loud.tolist()))


def _same(found: Symmetry) -> tuple[str, str, str]:
    return f"{found.order}-fold", f"Looks the same after every {_angle(found)}.", _least(found)


def _similar(found: Symmetry) -> tuple[str, str, str]:
    return f"Almost {found.order}-fold", f"Looks similar after every {_angle(found)}.", _least(found)


def _none(found: Symmetry) -> tuple[str, str, str]:
    strength = ""
    if found.next_ratio:
        turn = round(float(np.degrees(found.next_turn)))
        strength = f"The next best turn, {turn}°, is {_likely(found.next_ratio)}."
    return "No symmetry", "Looks the same only after a whole turn.", strength


def _every(found: Symmetry) -> tuple[str, str, str]:
    percent = np.floor(1000 * found.fixed_share) / 10
    return "Every turn", "Looks the same however it is turned.", f"{percent:g} % of it has weight 0: no turn moves it."


def _noise(found: Symmetry) -> tuple[str, str, str]:
    # The least density of all turns; the half degrees are fine enough where it is nearly flat.
    least = float(found.density.min() / found.density[0])
    return (
        "Cannot be told",
        f"Noise of σ = {found.sigma:g} hides what a turn changes.",
        f"Every turn is at least {_likely(least)}." if least >= 0.01 else "",
    )


def _blank(found: Symmetry) -> tuple[str, str, str]:
    return "Nothing to turn", "The picture is empty.", ""


_TEXTS = {
    Verdict.SAME: _same,
    Verdict.SIMILAR: _similar,
    Verdict.NONE: _none,
    Verdict.EVERY: _every,
    Verdict.NOISE: _noise,
    Verdict.BLANK: _blank,
}


def _angle(found: Symmetry) -> str:
    degrees = f"{360 / found.copies:.1f}".removesuffix(".0")
    return f"{degrees}°"


def _least(found: Symmetry) -> str:
    """The likelihood of the n turns; one that rounds to 100 % is not called less."""
    if found.ratio >= 0.995:
        return f"Its {_count(found.copies)} turns are equally likely."
    if found.copies == 2:
        return f"The half turn is {_likely(found.ratio)}."
    return f"The least likely of its {_count(found.copies)} turns is {_likely(found.ratio)}."


def _likely(ratio: float) -> str:
    """A likelihood ratio compared with no turn; very small ones in powers of ten at most."""
    if ratio >= 0.995:
        return "as likely as no turn"
    if ratio >= 0.0095:
        return f"{100 * ratio:.0f} % as likely as no turn"
    if ratio >= 1e-3:
        return f"{100 * ratio:.1f} % as likely as no turn"
    if ratio >= 1e-6:
        return f"{_rounded(1 / ratio):,} times less likely than no turn"
    return "more than a million times less likely than no turn"


def _rounded(number: float) -> int:
    """To one digit."""
    scale = 10 ** int(np.floor(np.log10(number)))
    return round(number / scale) * scale


def _dial(found: Symmetry) -> str:
    peaks = ", ".join(f"{round(float(np.degrees(s))) % 360}°" for s in found.petals)
    shape = f"peaks at {peaks}" if peaks else "nearly the same all around"
    return f"How likely each turn is if x is compared with itself: {shape}."


def _listed(found: Symmetry, loud: list[int]) -> str:
    each = ", ".join(f"weight {k} has {found.kappa[k - 1]:.1f}" for k in loud)
    return f"Loudness κ̂: {each}; all others have less." if each else "Loudness κ̂: none of the weights is loud."


def _count(n: int) -> str:
    return _COUNT[n] if n < len(_COUNT) else str(n)
