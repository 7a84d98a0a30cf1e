"""Pins: scenes of the lab that are kept to be compared.

A pin is a view that differs from the default in the fields of a scene only. The angle of the dial is not one of them:
one dial turns all pins.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from explorer.state.question import digest_of
from explorer.state.scenarios import SCENARIOS
from explorer.state.view import Digit, Shape, Source, ViewState
from tsa.pictures import gallery

MAX_PINS = 4
PIN_FIELDS = (
    "x", "y", "noise", "sigma", "both", "strength", "centre", "observations", "prior", "notch", "without", "model",
)  # fmt: skip


def pin_of(view: ViewState) -> ViewState:
    """The scene that a view shows, as a pin."""
    effective = view.effective
    return ViewState(**{name: getattr(effective, name) for name in PIN_FIELDS})


def pin_name(pin: ViewState) -> str:
    """What identifies a pin in messages; equal for equal pins."""
    return digest_of(pin)


def after_action(view: ViewState, action: str) -> dict[str, Any]:
    """The fields of the view that an action changes; one that is not known, or comes too late, changes nothing.

    "pin" pins what is on the stage, "compare" and "stage" switch between pins and stage, "open NAME" shows a pin on the
    stage, and "remove NAME" removes it. "start NAME" shows a scene to start with.
    """
    verb, _, name = action.partition(" ")
    if verb == "start":
        return next((scenario.fields for scenario in SCENARIOS if scenario.name == name), {})
    if verb == "pin":
        pin = pin_of(view)
        return {} if pin in view.pins or len(view.pins) == MAX_PINS else {"pins": (*view.pins, pin)}
    if verb in ("compare", "stage"):
        return {"comparing": verb == "compare" and bool(view.pins)}
    known = next((pin for pin in view.pins if pin_name(pin) == name), None)
    if known is None:
        return {}
    if verb == "open":
        return {field: getattr(known, field) for field in PIN_FIELDS} | {"tried": None, "comparing": False}
    if verb == "remove":
        rest = tuple(pin for pin in view.pins if pin != known)
        return {"pins": rest, "comparing": view.comparing and bool(rest)}
    return {}


def pin_labels(pins: tuple[ViewState, ...], models: Sequence[str]) -> list[str]:
    """What tells each pin from the others, in a few words; the picture and σ of a single one.

    `models` has the name of the model of each pin.
    """
    said = [[write(pin) for pin in pins] for write in _SAID] + [list(models)]
    telling = [texts for texts in said if len(set(texts)) > 1] or said[:2]
    return [", ".join(texts) for texts in zip(*telling, strict=True)]


def _pictures(pin: ViewState) -> str:
    x = _picture(pin.x) + (f" with a notch of {round(100 * pin.notch)} %" if pin.notch else "")
    return x if pin.y is None else f"{x} and {_picture(pin.y)}"


def _picture(source: Source) -> str:
    if isinstance(source, Shape):
        return source.name
    if isinstance(source, Digit):
        return f"digit {gallery()[1][source.index]}, number {source.index + 1}"
    return "photo" if source.photo else "drawing"


def _noise(pin: ViewState) -> str:
    if not pin.noise:
        return "no pixel noise"
    return f"pixel noise {pin.noise:g}{' in both' if pin.both else ''}"


def _prior(pin: ViewState) -> str:
    if pin.observations:
        return f"observed {pin.observations + 1} times"
    return f"prior {pin.strength:g} around {pin.centre}°" if pin.strength else "no prior"


def _without(pin: ViewState) -> str:
    return f"without weights {', '.join(map(str, pin.without))}" if pin.without else "all weights"


def _sigma(pin: ViewState) -> str:
    return f"σ = {pin.sigma:g}{' in both' if pin.both else ''}"


_SAID = (_pictures, _sigma, _noise, _prior, _without)  # what a label can say, in this order


def at_angle(pin: ViewState, angle: int) -> ViewState:
    """The pin with the dial at this angle."""
    return replace(pin, angle=angle)
