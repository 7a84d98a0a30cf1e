"""A `ViewState` as query parameters and back.

Each parameter is read on its own, and one that is not valid is ignored: a broken link still opens.
"""

import base64
import binascii
import math
import re
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from explorer.state.film import FILM_FRAMES, FILM_GAPS, FILM_NOISES, FILM_STEPS, FILMS, MAX_FILM_SEED, SLIDES
from explorer.state.pins import MAX_PINS, PIN_FIELDS
from explorer.state.shifts import MAX_LOOKS, MAX_SHIFT_PIXELS, NOISES, SIGMAS, SLOWS, fourier_side
from explorer.state.stops import STOPS
from explorer.state.view import (
    DRAWING_PIXELS,
    GREY_LEVELS,
    HIDEABLE,
    LESSON_STEPS,
    OWN_WORLD,
    PHOTO_PIXELS,
    SIGMA,
    SIGNAL_LENGTH,
    Digit,
    Pixels,
    Shape,
    Source,
    ViewState,
)
from tsa import files
from tsa.pictures import PERIODIC_PICTURES, SHAPES, gallery

_MAX_HARMONICS = 64
_MAX_WEIGHT = 9999
_MAX_CHARACTERS = 20_000  # of base64 in one parameter
_UNREADABLE = (ValueError, KeyError, IndexError, OverflowError, UnicodeError, binascii.Error, zlib.error)
_MAX_CURVATURE = 1e7  # Σ k²|η_k|, a bound on the curvature: a peak some hundredths of a degree wide


def encode_link(state: ViewState) -> dict[str, str]:
    """The fields that differ from the default view, as query parameters."""
    default = ViewState()
    values = {field.name: getattr(state, field.name) for field in fields(state)}
    return {
        key: write(values[name]) for name, (key, write, _) in _CODECS.items() if values[name] != getattr(default, name)
    }


def decode_link(parameters: Mapping[str, str]) -> ViewState:
    """The view that query parameters describe."""
    found: dict[str, Any] = {}
    for name, (key, _, read) in _CODECS.items():
        if key in parameters:
            with suppress(*_UNREADABLE):
                found[name] = read(parameters[key])
    if ("prior" in found) != ("observations" in found):  # neither has a meaning without the other
        found.pop("prior", None)
        found.pop("observations", None)
    return ViewState(**found)


def unreadable(parameters: Mapping[str, str]) -> list[str]:
    """The names of those parameters that `decode_link` would ignore."""
    readers = {key: read for key, _, read in _CODECS.values()}
    ignored = []
    for key, text in parameters.items():
        try:
            readers[key](text)
        except _UNREADABLE:
            ignored.append(key)
    return ignored


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
        return Digit(_whole(0, _digit_count() - 1)(value))
    if kind not in ("draw", "photo"):
        raise ValueError(kind)
    photo = kind == "photo"
    size = (PHOTO_PIXELS if photo else DRAWING_PIXELS) ** 2
    unpacker = zlib.decompressobj()
    values = unpacker.decompress(_bytes(value), size + 1)
    if len(values) != size or not unpacker.eof or (not photo and max(values) >= GREY_LEVELS):
        raise ValueError("not a picture")
    return Pixels(values, photo)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    if len(text) > _MAX_CHARACTERS or not re.fullmatch(r"[\w-]*", text, re.ASCII):
        raise ValueError("not base64")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII) or not least <= int(text) <= most:
            raise ValueError(text)
        return int(text)

    return read


def _number(least: float, most: float, step: float) -> Callable[[str], float]:
    """Read a number, rounded to the nearest position of its slider."""

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
    if not 0 < len(values) <= _MAX_HARMONICS or not np.isfinite(values).all():
        raise ValueError("not a prior")
    if np.abs(values).astype(float) @ np.arange(1, 1 + len(values)) ** 2 > _MAX_CURVATURE:
        raise ValueError("too sharp to be drawn")
    return tuple(complex(value) for value in values)


@cache
def _digit_count() -> int:
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


def _read_without(text: str) -> tuple[int, ...]:
    weights = [_whole(1, _MAX_WEIGHT)(part) for part in text.split(",")[:_MAX_HARMONICS]]
    return tuple(sorted(set(weights)))


def _read_flag(text: str) -> bool:
    return text == "1"


def _write_place(place: tuple[float, float]) -> str:
    return ",".join(f"{value:g}" for value in place)


def _read_place(text: str) -> tuple[float, float]:
    right, up = (_number(-MAX_SHIFT_PIXELS, MAX_SHIFT_PIXELS, 0.1)(part) for part in text.split(","))
    return right, up


def _read_world(text: str) -> str:
    if text != OWN_WORLD and text not in PERIODIC_PICTURES:
        raise ValueError(text)
    return text


def _read_shift_model(text: str) -> str:
    if fourier_side(text) is None and text not in _bundled():
        raise ValueError(text)
    return text


def _read_lesson(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,39}", text, re.ASCII):
        raise ValueError(text)
    return text


def _read_signal(text: str) -> tuple[int, ...]:
    if not re.fullmatch(rf"\d{{{SIGNAL_LENGTH}}}", text, re.ASCII):
        raise ValueError(text)
    return tuple(map(int, text))


def _read_film(text: str) -> str:
    if text not in (*FILMS, *SLIDES):
        raise ValueError(text)
    return text


def _read_hide(text: str) -> frozenset[str]:
    return frozenset(part for part in text.split(",") if part in HIDEABLE)


def _write_pins(pins: tuple[ViewState, ...]) -> str:
    """Names and values of each pin, joined by one asterisk, which neither contains and an address does not escape."""
    return "**".join("*".join(map(_plain, chain(*_written_pin(pin).items()))) for pin in pins)


def _written_pin(pin: ViewState) -> dict[str, str]:
    return {"x": _write_source(pin.x)} | encode_link(pin)


def _plain(text: str) -> str:
    """Without asterisks: the name of a visitor's own model may have some, but a link cannot include that model."""
    return text.replace("*", "")


def _read_pins(text: str) -> tuple[ViewState, ...]:
    """The pins in a link, without those of which anything is not valid."""
    pins = list[ViewState]()
    for part in text.split("**")[:MAX_PINS]:
        words = part.split("*")
        values = dict(zip(words[::2], words[1::2], strict=False))
        if len(words) % 2 == 0 and values.keys() <= _PIN_KEYS and not unreadable(values):
            pin = decode_link(values)
            pins.extend([] if pin in pins else [pin])
    if not pins:
        raise ValueError("no pin")
    return tuple(pins)


# field → its name in a link, how it is written, how it is read
_CODECS: dict[str, tuple[str, Callable[[Any], str], Callable[[str], Any]]] = {
    "x": ("x", _write_source, _read_source),
    "y": ("y", _write_source, _read_source),
    "angle": ("angle", str, _whole(0, 359)),
    "noise": ("noise", repr, _number(0.0, 1.0, 0.05)),
    "sigma": ("sigma", repr, _number(*SIGMA)),
    "both": ("both", lambda value: "1", _read_flag),
    "strength": ("prior", repr, _number(0.0, 10.0, 0.5)),
    "centre": ("around", str, _whole(0, 359)),
    "observations": ("seen", str, _whole(1, 1000)),
    "prior": ("known", _write_prior, _read_prior),
    "model": ("model", str, _read_model),
    "notch": ("notch", repr, _number(0.0, 1.0, 0.05)),
    "without": ("without", lambda weights: ",".join(map(str, weights)), _read_without),
    "tried": ("try", str, _whole(0, 359)),
    "predict": ("predict", lambda value: "1", _read_flag),
    "log": ("log", lambda value: "1", _read_flag),
    "circle": ("circle", str, _whole(0, 9999)),
    "filter": ("filter", str, _whole(0, 9999)),
    "orbit": ("orbit", "-".join, _read_orbit),
    "world": ("world", str, _read_world),
    "shift": ("shift", _write_place, _read_place),
    "window": ("window", repr, _number(0.5, 2 * MAX_SHIFT_PIXELS, 0.5)),
    "window_at": ("at", _write_place, _read_place),
    "tried_shift": ("tryshift", _write_place, _read_place),
    "on_torus": ("torus", lambda value: "1", _read_flag),
    "shift_noise": ("pixelnoise", repr, _number(*NOISES)),
    "shift_sigma": ("expected", repr, _number(*SIGMAS)),
    "slow": ("slow", repr, _number(*SLOWS)),
    "looks": ("looks", str, _whole(1, MAX_LOOKS)),
    "shift_model": ("moves", str, _read_shift_model),
    "lesson": ("lesson", str, _read_lesson),
    "step": ("step", str, _whole(1, len(LESSON_STEPS))),
    "signal": ("signal", lambda values: "".join(map(str, values)), _read_signal),
    "shifted": ("by", str, _whole(0, SIGNAL_LENGTH - 1)),
    "film": ("film", str, _read_film),
    "film_slides": ("slides", lambda value: "1", _read_flag),
    "film_noise": ("filmnoise", repr, _number(*FILM_NOISES)),
    "film_step": ("steps", str, _whole(*FILM_STEPS)),
    "film_gap": ("missing", str, _whole(*FILM_GAPS)),
    "film_seed": ("draw", str, _whole(0, MAX_FILM_SEED)),
    "frame": ("frame", str, _whole(0, FILM_FRAMES - 1)),
    "hide": ("hide", lambda parts: ",".join(sorted(parts)), _read_hide),
    "pins": ("pins", _write_pins, _read_pins),
    "comparing": ("compare", lambda value: "1", _read_flag),
    "describe": ("describe", lambda value: "1", _read_flag),
    "presenting": ("present", lambda value: "1", _read_flag),
}
_PIN_KEYS = {_CODECS[name][0] for name in PIN_FIELDS}
