"""Everything on screen as one value, and that value as a query string; pure.

Whatever a link says that cannot be true is ignored, each part on its own: a broken link still opens.
"""

import base64
import binascii
import math
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.components.orbit import STOPS
from explorer.components.pad import LEVELS, SIDE
from tsa import files
from tsa.datasets import gallery
from tsa.shapes import SHAPES

HIDEABLE = ("x", "y", "noise", "sigma", "prior", "model", "observe", "save")
PHOTO = 64  # pixels along a side of a photo in a link
_MOST_HARMONICS = 64
_SHARPEST = 1e7  # Σ k²|η_k|, a bound on the curvature: of a peak of some hundredths of a degree


@dataclass(frozen=True)
class Shape:
    """A shape of known symmetry."""

    name: str


@dataclass(frozen=True)
class Digit:
    """A digit of the bundled sample."""

    index: int


@dataclass(frozen=True)
class Pixels:
    """A drawing (`SIDE` pixels, few grey levels) or a cut-out of a photo (`PHOTO` pixels, bytes), row by row."""

    values: bytes
    photo: bool = False

    @property
    def side(self) -> int:
        """Pixels along a side."""
        return PHOTO if self.photo else SIDE

    @property
    def picture(self) -> NDArray[np.float64]:
        """In 0…1."""
        most = 255 if self.photo else LEVELS - 1
        return np.frombuffer(self.values, np.uint8).reshape(self.side, self.side) / most

    @classmethod
    def of(cls, picture: NDArray[np.float64], photo: bool = False) -> "Pixels":
        """A picture of the right size, rounded to what a link holds."""
        most = 255 if photo else LEVELS - 1
        return cls(np.rint(picture * most).astype(np.uint8).tobytes(), photo)


Source = Shape | Digit | Pixels


@dataclass(frozen=True)
class ViewState:
    """What is on screen. Angles are whole degrees; `prior` and `observations` are those of observing again."""

    x: Source = Shape("square")
    y: Source | None = None
    angle: int = 30
    noise: float = 0.0
    sigma: float = 0.5
    strength: float = 0.0
    centre: int = 0
    observations: int = 0
    prior: tuple[complex, ...] = ()
    model: str = ""
    log: bool = False
    circle: int | None = None
    filter: int | None = None
    orbit: tuple[str, str] = ("2", "3")
    hide: frozenset[str] = frozenset()


def encode(state: ViewState) -> dict[str, str]:
    """The parts that are not as they are at first, as query parameters."""
    default = ViewState()
    values = {field.name: getattr(state, field.name) for field in fields(state)}
    return {
        key: write(values[name]) for name, (key, write, _) in _CODECS.items() if values[name] != getattr(default, name)
    }


def decode(parameters: Mapping[str, str]) -> ViewState:
    """The state that query parameters describe."""
    found: dict[str, Any] = {}
    for name, (key, _, read) in _CODECS.items():
        if key in parameters:
            try:
                found[name] = read(parameters[key])
            except (ValueError, KeyError, IndexError, OverflowError, UnicodeError, binascii.Error, zlib.error):
                continue
    if ("prior" in found) != ("observations" in found):  # one without the other says nothing
        found.pop("prior", None)
        found.pop("observations", None)
    return ViewState(**found)


def _write_source(source: Source) -> str:
    if isinstance(source, Shape):
        return f"shape.{source.name}"
    if isinstance(source, Digit):
        return f"digit.{source.index}"
    return f"{'photo' if source.photo else 'draw'}.{_text(zlib.compress(source.values, 9))}"


def _read_source(text: str) -> Source:
    kind, _, value = text.partition(".")
    if kind == "shape":
        return Shape(SHAPES[value].name)
    if kind == "digit":
        return Digit(_whole(0, _digits() - 1)(value))
    if kind not in ("draw", "photo"):
        raise ValueError(kind)
    photo = kind == "photo"
    size = (PHOTO if photo else SIDE) ** 2
    unpacker = zlib.decompressobj()
    values = unpacker.decompress(_bytes(value), size + 1)
    if len(values) != size or not unpacker.eof or (not photo and max(values) >= LEVELS):
        raise ValueError("not a picture")
    return Pixels(values, photo)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    if len(text) > 20_000 or not re.fullmatch(r"[\w-]*", text, re.ASCII):
        raise ValueError("not base64")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII) or not least <= int(text) <= most:
            raise ValueError(text)
        return int(text)

    return read


def _number(least: float, most: float, step: float) -> Callable[[str], float]:
    """A value a slider can stand at."""

    def read(text: str) -> float:
        value = float(text) if len(text) < 30 else math.nan
        if not least <= value <= most:
            raise ValueError(text)
        return round(round((value - least) / step) * step + least, 6)

    return read


def _write_prior(prior: tuple[complex, ...]) -> str:
    return _text(np.array(prior, np.complex64).tobytes())


def _read_prior(text: str) -> tuple[complex, ...]:
    values = np.frombuffer(_bytes(text), np.complex64)
    if not 0 < len(values) <= _MOST_HARMONICS or not np.isfinite(values).all():
        raise ValueError("not a prior")
    if np.abs(values).astype(float) @ np.arange(1, 1 + len(values)) ** 2 > _SHARPEST:
        raise ValueError("too sharp to be drawn")
    return tuple(complex(value) for value in values)


@cache
def _digits() -> int:
    return len(gallery()[1])


_bundled = cache(files.bundled)


def _read_model(text: str) -> str:
    if text not in _bundled():
        raise ValueError(text)
    return text


def _read_orbit(text: str) -> tuple[str, str]:
    first, second = text.split("-")
    if first not in STOPS or second not in STOPS:
        raise ValueError(text)
    return first, second


def _read_hide(text: str) -> frozenset[str]:
    return frozenset(part for part in text.split(",") if part in HIDEABLE)


# field → its name in a link, how it is written, how it is read
_CODECS: dict[str, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    "x": ("x", _write_source, _read_source),
    "y": ("y", _write_source, _read_source),
    "angle": ("angle", str, _whole(0, 359)),
    "noise": ("noise", repr, _number(0.0, 1.0, 0.05)),
    "sigma": ("sigma", repr, _number(0.2, 2.0, 0.05)),
    "strength": ("prior", repr, _number(0.0, 10.0, 0.5)),
    "centre": ("around", str, _whole(0, 359)),
    "observations": ("seen", str, _whole(1, 1000)),
    "prior": ("known", _write_prior, _read_prior),
    "model": ("model", str, _read_model),
    "log": ("log", lambda value: "1", lambda text: text == "1"),
    "circle": ("circle", str, _whole(0, 9999)),
    "filter": ("filter", str, _whole(0, 9999)),
    "orbit": ("orbit", "-".join, _read_orbit),
    "hide": ("hide", lambda parts: ",".join(sorted(parts)), _read_hide),
}
