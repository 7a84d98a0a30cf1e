"""Messages that components send from the browser. A browser can send anything: what is not valid is read as None."""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from explorer.state.film import FILM_FRAMES
from explorer.state.shifts import MAX_SHIFT_PIXELS
from explorer.state.stops import STOPS
from explorer.state.view import (
    DRAWING_PIXELS,
    GREY_LEVELS,
    LESSON_STEPS,
    OWN_WORLD,
    SIGNAL_LENGTH,
    SIGNAL_LEVELS,
)
from tsa.pictures import PERIODIC_PICTURES, CropCircle

_MAX_SEQUENCE = 2**31
_MAX_SUBSPACES = 10_000
_MAX_SWITCHED_OFF = 64  # weights, as in a link
_MAX_PIXEL_CHARACTERS = 8192  # of base64: more than twice a drawing
_MAX_NAME_CHARACTERS = 100
_MAX_ACTIONS = 100  # that a run may not have heard of yet

# The fields of the view that a component shows and may change.
FIELDS: dict[str, tuple[str, ...]] = {
    "stage": ("angle", "log", "circle", "tried", "without", "predict", "describe"),
    "compare": ("angle", "log"),
    "recognise": ("angle",),
    "orbits": ("angle", "orbit"),
    "filters": ("filter",),
    "symmetry": (),
    "motion": ("world", "shift", "window", "window_at", "tried_shift", "on_torus"),
    "lesson": ("lesson", "step"),
    "dft": ("signal", "shifted"),
    "film": ("frame",),
}


class ViewMessage(NamedTuple):
    """What a component reports when one of its controls is released."""

    session: str  # of the run that the component last heard of
    obeyed: int  # revision of the last change by another writer that the component had adopted
    sequence: int  # grows with every message of a tab
    fields: Mapping[str, Any]  # of the view
    missing: str  # digest of the bytes that never arrived, or ""
    actions: tuple[tuple[int, str], ...]  # see `after_action`; each with the number of the message that first had it


class EditMessage(NamedTuple):
    """The part that messages of the pad and of the crop circle share; `done` is False while the pointer is down."""

    session: str
    obeyed: int
    sequence: int
    done: bool


def read_view(component: str, message: object) -> ViewMessage | None:
    """The message of one of the components in `FIELDS`."""
    if not isinstance(message, dict):
        return None
    session, obeyed, sequence = (message.get(name) for name in ("session", "obeyed", "sequence"))
    if not _is_text(session) or not _is_count(obeyed) or not _is_count(sequence):
        return None
    missing, actions = message.get("missing", ""), _actions(message.get("actions", []))
    fields = {name: _READERS[name](message.get(name)) for name in FIELDS[component]}
    if not _is_text(missing) or actions is None or _Invalid in fields.values():
        return None
    return ViewMessage(session, obeyed, sequence, fields, missing, actions)


def _actions(value: object) -> tuple[tuple[int, str], ...] | None:
    if not isinstance(value, list) or len(value) > _MAX_ACTIONS:
        return None
    valid = all(isinstance(one, list) and len(one) == 2 and _is_count(one[0]) and _is_text(one[1]) for one in value)
    return tuple((number, action) for number, action in value) if valid else None


def read_edit(message: object) -> EditMessage | None:
    """The numbers of a message from the pad or from the crop circle."""
    if not isinstance(message, dict):
        return None
    session, obeyed, sequence, done = (message.get(name) for name in ("session", "obeyed", "sequence", "done"))
    if not _is_text(session) or not _is_count(obeyed) or not _is_count(sequence) or not isinstance(done, bool):
        return None
    return EditMessage(session, obeyed, sequence, done)


def read_drawing(message: object) -> tuple[NDArray[np.float64], EditMessage] | None:
    """The drawing in a message of the pad: grey values (48, 48) in 0…1, rounded to the levels that a link holds."""
    edit = read_edit(message)
    if edit is None:
        return None
    assert isinstance(message, dict)
    pixels = message.get("pixels")
    if not isinstance(pixels, str) or len(pixels) > _MAX_PIXEL_CHARACTERS:
        return None
    try:
        data = base64.b64decode(pixels, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(data) != DRAWING_PIXELS * DRAWING_PIXELS:
        return None
    levels = np.rint(np.frombuffer(data, np.uint8).reshape(DRAWING_PIXELS, DRAWING_PIXELS) / 255 * (GREY_LEVELS - 1))
    return levels / (GREY_LEVELS - 1), edit


def read_circle(message: object) -> tuple[CropCircle, str, EditMessage] | None:
    """The circle in a message of the crop component, and the name of the photo it lies on."""
    edit = read_edit(message)
    if edit is None:
        return None
    assert isinstance(message, dict)
    place, name = message.get("circle"), message.get("name")
    if not isinstance(place, list) or len(place) != 3 or not _is_text(name):
        return None
    if not all(isinstance(c, int | float) and 0 <= c <= 1 for c in place):  # which nan does not satisfy
        return None
    return CropCircle(*map(float, place)), name, edit


def read_motion(message: object) -> Mapping[str, Any] | None:
    """The fields of the view that the motion component sends while a hand moves."""
    if read_edit(message) is None:
        return None
    assert isinstance(message, dict)
    fields = {name: _READERS[name](message.get(name)) for name in FIELDS["motion"]}
    return None if _Invalid in fields.values() else fields


def read_orbit_weights(message: object) -> tuple[str, str] | None:
    """The names of two weights (`STOPS`) in a message of the orbits component."""
    if not isinstance(message, list) or len(message) != 2:
        return None
    first, second = message
    known = isinstance(first, str) and isinstance(second, str) and first in STOPS and second in STOPS
    return (first, second) if known else None


class _Invalid:
    """Marks a field that is not valid; None is a valid value of some fields."""


def _angle(value: object) -> object:
    return value if type(value) is int and 0 <= value < 360 else _Invalid


def _optional_angle(value: object) -> object:
    return None if value is None else _angle(value)


def _flag(value: object) -> object:
    return value if isinstance(value, bool) else _Invalid


def _weights(value: object) -> object:
    if not isinstance(value, list) or len(value) > _MAX_SWITCHED_OFF:
        return _Invalid
    return (
        tuple(sorted(set(value))) if all(type(one) is int and 0 < one < _MAX_SUBSPACES for one in value) else _Invalid
    )


def _subspace(value: object) -> object:
    return value if value is None or (type(value) is int and 0 <= value < _MAX_SUBSPACES) else _Invalid


def _world(value: object) -> object:
    return value if value == OWN_WORLD or (isinstance(value, str) and value in PERIODIC_PICTURES) else _Invalid


def _place(value: object) -> object:
    """A motion or a place (right, up), rounded as in a link."""
    if not isinstance(value, list) or len(value) != 2:
        return _Invalid
    if not all(type(one) in (int, float) and abs(one) <= MAX_SHIFT_PIXELS for one in value):
        return _Invalid
    return tuple(round(float(one), 1) + 0.0 for one in value)


def _optional_place(value: object) -> object:
    return None if value is None else _place(value)


def _diameter(value: object) -> object:
    return round(2 * value) / 2 if isinstance(value, int | float) and 0.5 <= value <= 2 * MAX_SHIFT_PIXELS else _Invalid


def _orbit(value: object) -> object:
    return read_orbit_weights(value) or _Invalid


def _lesson(value: object) -> object:
    return value if isinstance(value, str) and re.fullmatch(r"([a-z][a-z0-9-]{0,39})?", value, re.ASCII) else _Invalid


def _step(value: object) -> object:
    return value if type(value) is int and 1 <= value <= len(LESSON_STEPS) else _Invalid


def _signal(value: object) -> object:
    if not isinstance(value, list) or len(value) != SIGNAL_LENGTH:
        return _Invalid
    return tuple(value) if all(type(one) is int and 0 <= one < SIGNAL_LEVELS for one in value) else _Invalid


def _shifted(value: object) -> object:
    return value if type(value) is int and 0 <= value < SIGNAL_LENGTH else _Invalid


def _frame(value: object) -> object:
    return value if type(value) is int and 0 <= value < FILM_FRAMES else _Invalid


_READERS: dict[str, Callable[[object], object]] = {
    "angle": _angle,
    "log": _flag,
    "tried": _optional_angle,
    "without": _weights,
    "predict": _flag,
    "describe": _flag,
    "circle": _subspace,
    "filter": _subspace,
    "orbit": _orbit,
    "world": _world,
    "shift": _place,
    "window": _diameter,
    "window_at": _place,
    "tried_shift": _optional_place,
    "on_torus": _flag,
    "lesson": _lesson,
    "step": _step,
    "signal": _signal,
    "shifted": _shifted,
    "frame": _frame,
}


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < _MAX_SEQUENCE


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= _MAX_NAME_CHARACTERS
