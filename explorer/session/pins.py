"""The pins of the view as scenes, and the bytes that compare them."""

from dataclasses import dataclass

from explorer.session import caches, models, view
from explorer.state import (
    MAX_PINS,
    NamedModel,
    ViewState,
    at_angle,
    digest_of,
    pin_labels,
    pin_name,
    pin_of,
    scene,
    scene_digest,
)
from tsa.pictures import notched
from tsa.stage import Compared, Scene, pack_comparison


@dataclass(frozen=True)
class Pinned:
    """A pin: its scene at the angle of the dial, the digest of its sweep, and what tells it from the others."""

    view: ViewState
    scene: Scene
    named: NamedModel
    digest: str
    label: str

    @property
    def name(self) -> str:
        """What identifies it in messages."""
        return pin_name(self.view)


def shown() -> list[Pinned]:
    """All pins of the view."""
    now = view.current()
    named = [models.for_lab(pin.model) for pin in now.pins]
    labels = pin_labels(now.pins, [one.name for one in named])
    return [_pinned(pin, now.angle, model, label) for pin, model, label in zip(now.pins, named, labels, strict=True)]


def _pinned(pin: ViewState, angle: int, named: NamedModel, label: str) -> Pinned:
    shown = scene_of(at_angle(pin, angle), named)
    return Pinned(pin, shown, named, scene_digest(pin, named.digest, shown.x, shown.y), label)


def scene_of(wanted: ViewState, named: NamedModel) -> Scene:
    """The scene of a view, with finished pictures."""
    x = notched(caches.picture(wanted.x), wanted.notch)
    y = None if wanted.y is None else caches.picture(wanted.y)
    return scene(wanted, caches.model(named, wanted.sigma), x, y)


def digest(pins: list[Pinned]) -> str:
    """Equal digests, equal bytes."""
    return digest_of(*((pin.digest, pin.label) for pin in pins))


def packed(pins: list[Pinned]) -> bytes:
    """The comparison as bytes; the sweep of each pin is cached."""
    compared: list[Compared] = [caches.compared(pin.digest, pin.scene) for pin in pins]
    return pack_comparison(compared, [pin.label for pin in pins])


def of_stage() -> dict[str, int]:
    """What the stage is told: how many pins there are, how many there can be, and the number of the scene it shows."""
    now = view.current()
    here = pin_of(now)
    number = 1 + now.pins.index(here) if here in now.pins else 0
    return {"count": len(now.pins), "most": MAX_PINS, "number": number}
