"""What can be set on the motion page: ranges of its sliders, models by name, presets of perception."""

import re
from typing import Any, NamedTuple

MAX_SHIFT_PIXELS = 32.0  # of a motion, in the largest world
MAX_LOOKS = 9
NOISES = (0.0, 1.0, 0.05)  # least, most and step of the sliders
SIGMAS = (0.3, 6.0, 0.1)
SLOWS = (0.0, 10.0, 0.1)
SIDES = (8, 16, 24, 32, 40, 48, 56, 64)  # of the worlds of Fourier models in the menu; links may have any between
_FOURIER = re.compile(r"fourier-(\d{1,3})")


def fourier_side(name: str) -> int | None:
    """The side of the world of the Fourier model of this name; None for the name of another model."""
    found = _FOURIER.fullmatch(name)
    return int(found[1]) if found and SIDES[0] <= int(found[1]) <= SIDES[-1] else None


class Preset(NamedTuple):
    """A result of Weiss, Simoncelli & Adelson (2002) as a view of the motion page, with a line of text."""

    name: str
    text: str
    fields: dict[str, Any]


def _preset(name: str, text: str, world: str, sigma: float, shift: tuple[float, float] = (2.0, 0.0)) -> Preset:
    fields = {
        "world": world, "shift": shift, "window": 44.0, "window_at": (0.0, 0.0), "tried_shift": None,
        "shift_noise": 0.0, "shift_sigma": sigma, "slow": 1.7, "looks": 1, "shift_model": "fourier-48",
    }  # fmt: skip
    return Preset(name, text, fields)


PRESETS = (
    _preset(
        "Thin rhombus, clear", "At high contrast its ends decide: it is seen going right, as it does.",
        "thin rhombus", 0.3,
    ),
    _preset(
        "Thin rhombus, faint", "At low contrast its long edges decide: it seems to go across them, down to the right.",
        "thin rhombus", 6.0,
    ),
    _preset(
        "Fat rhombus, faint", "Its edges run in very different directions: even at low contrast it seems to go right.",
        "fat rhombus", 6.0,
    ),
    _preset(
        "Fat rhombus, clear", "Its edges decide, and at high contrast too it is seen going right, as it does.",
        "fat rhombus", 0.3,
    ),
    _preset(
        "Plaid, clear", "Two gratings 14° apart: at high contrast it goes where both of them fit, −31° from the right.",
        "slanted plaid", 0.3, (1.8, -1.1),
    ),
    _preset(
        "Plaid, faint", "At low contrast it seems to go between the directions of its gratings, about 40° away.",
        "slanted plaid", 6.0, (1.8, -1.1),
    ),
    _preset(
        "Barber pole", "Stripes at 45° on an upright pole go up it, because the window shows where they end.",
        "barber pole", 0.3, (0.0, 2.0),
    ),
    _preset(
        "Stripes alone", "Without ends the slowest motion that fits is across the stripes.", "grating", 1.0,
    ),
)  # fmt: skip


def preset_of(view: object) -> Preset | None:
    """The preset that a view shows, if it shows one."""
    return next((one for one in PRESETS if all(getattr(view, n) == v for n, v in one.fields.items())), None)
