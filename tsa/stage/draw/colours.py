"""Colours: hue stands for angle in every picture, greys for the rest. `browser/shared/colour.js` has the same hues."""

from typing import NamedTuple

import numpy as np

from tsa._base import Array, InputError


class Colour(NamedTuple):
    """sRGB components from 0 to 255, and an opacity from 0 to 1."""

    red: int
    green: int
    blue: int
    opacity: float = 1.0

    def faint(self, opacity: float) -> "Colour":
        """The same colour with this opacity."""
        return self._replace(opacity=float(opacity))

    def over(self, ground: "Colour", share: float) -> "Colour":
        """The opaque colour that results from drawing this one with opacity `share` on `ground`."""
        return Colour(*(round(share * a + (1 - share) * b) for a, b in zip(self[:3], ground[:3], strict=True)))


class Theme(NamedTuple):
    """The colours that do not stand for an angle."""

    paper: Colour
    card: Colour
    border: Colour
    faint: Colour  # lines and areas that only help to read
    against: Colour  # troughs of waves
    soft: Colour  # ground of what stands out on a card
    quiet: Colour  # secondary text
    text: Colour


def hue(angle: float) -> Colour:
    """The colour of an angle in radians: OKLCH with one lightness and chroma all around, to the whole degree."""
    return _WHEEL[int(np.floor(np.degrees(angle) + 0.5)) % 360]


def theme(name: str) -> Theme:
    """The theme called "light" or "dark"."""
    if name not in _THEMES:
        raise InputError(f"There is no theme {name!r}; there are {', '.join(_THEMES)}.")
    return _THEMES[name]


def _wheel(lightness: float = 0.7, chroma: float = 0.13, start: float = 15.0) -> Array:
    """OKLCH at each whole degree as sRGB bytes (360, 3); the matrices are those of OKLab's definition."""
    angle = np.radians(np.arange(360) + start)
    lab = np.stack([np.full(360, lightness), chroma * np.cos(angle), chroma * np.sin(angle)])
    from_lab = [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]]
    from_lms = [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.707614701],
    ]
    linear = np.clip(np.array(from_lms) @ (np.array(from_lab) @ lab) ** 3, 0, 1)
    encoded = np.where(linear > 0.0031308, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear)
    return np.floor(255 * encoded.T + 0.5).astype(int)


def _theme(*codes: str) -> Theme:
    return Theme(*(Colour(*bytes.fromhex(code)) for code in codes))


_WHEEL = [Colour(*row) for row in _wheel().tolist()]
_THEMES = {
    "light": _theme("f8f7f3", "ffffff", "dcdcdc", "b2b1b0", "d8d7d7", "f1f1f1", "676564", "2f2d2b"),
    "dark": _theme("141413", "1d1d1b", "373735", "5c5b59", "3b3b39", "272725", "a8a7a4", "edebe8"),
}
