"""The scene of the motion page, and the last one that could be shown."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st
from PIL import Image

from explorer.session import caches, models, pictures, view
from explorer.state import OWN_WORLD, SIDES, NamedModel, Source, ViewState, digest_of, fourier_side
from tsa._base import Array, InputError
from tsa.groups import CyclicShift
from tsa.model import Subgroup
from tsa.pictures import PERIODIC_PICTURES
from tsa.stage import MotionScene

MAX_SIDE_PIXELS = 64  # of the world of a learned model


@dataclass(frozen=True)
class ShownMotion:
    """A scene that can be shown, its digest, and why what was asked for cannot be shown, if so."""

    scene: MotionScene
    digest: str
    trouble: str = ""


def model_names() -> list[str]:
    """Fourier models by their side, and all models that shift square patches that are not too large."""
    sides = sorted({*SIDES, fourier_side(view.current().shift_model) or SIDES[0]})
    return [f"fourier-{side}" for side in sides] + [name for name in models.names() if _moves(models.named(name))]


def _moves(named: NamedModel) -> bool:
    shape = named.shape
    return isinstance(named.action, CyclicShift) and len(shape) == 2 and shape[0] == shape[1] <= MAX_SIDE_PIXELS


def side_of(name: str) -> int:
    """The side of the world of a model of the motion page, in pixels."""
    return fourier_side(name) or int(models.named(name).shape[0])


def model_name() -> str:
    """The model that the motion page uses: the chosen one if it moves pictures, or else the default."""
    chosen = view.current().shift_model
    return chosen if chosen in model_names() else ViewState().shift_model


def model() -> Subgroup:
    """The model of this name; its noise is not used."""
    name = model_name()
    side = fourier_side(name)
    return caches.fourier(side) if side else caches.shift_model(models.named(name))


def shown() -> ShownMotion:
    """The scene of the view; if there is none, the last one that was shown, with the reason."""
    chosen = view.current()
    source = pictures.source("x") if chosen.world == OWN_WORLD else None
    try:
        scene = scene_of(chosen, model(), source)
        found = ShownMotion(scene, _digest(scene, model_name()))
        st.session_state["motion_shown"] = found
        return replace(found, trouble=_replaced(chosen, scene))
    except InputError as error:
        last: ShownMotion | None = st.session_state.get("motion_shown")
        if last is None:
            default = scene_of(ViewState(), caches.fourier(side_of(ViewState().shift_model)), None)
            last = ShownMotion(default, _digest(default, ViewState().shift_model))
        return replace(last, trouble=str(error))


def warm() -> None:
    """Compute what the motion page opens with."""
    first = ViewState()
    scene = scene_of(first, caches.fourier(side_of(first.shift_model)), None)
    caches.packed_motion(_digest(scene, first.shift_model), scene)
    for name in PERIODIC_PICTURES:
        caches.world_icon(name)


def _replaced(chosen: ViewState, scene: MotionScene) -> str:
    """What is shown otherwise than was asked for, in a sentence; empty if nothing is."""
    if chosen.shift_model != model_name():
        return (
            f"Motion needs a model of two parameters for square patches of at most {MAX_SIDE_PIXELS} pixels a side; "
            f"{chosen.shift_model} is none, and the Fourier model of {scene.side}×{scene.side} pixels is used instead."
        )
    if chosen.window > scene.side:
        return f"The window is larger than the world, and is shown as wide as the world: {scene.side} pixels."
    return ""


def scene_of(chosen: ViewState, model: Subgroup, source: Source | None) -> MotionScene:
    """The scene of a view, with a model and, if the picture is one's own, its source. Does not use the session."""
    side = math.isqrt(model.dimension)
    x = caches.world(chosen.world, side) if source is None else resized(caches.picture(source), side)
    return MotionScene(
        model, x, chosen.shift, min(chosen.window, float(side)), chosen.window_at, chosen.shift_noise,
        chosen.shift_sigma, chosen.slow, chosen.looks, tried=chosen.tried_shift,
    )  # fmt: skip


def resized(picture: Array, side: int) -> Array:
    """A picture in 0…1 at another size."""
    image = Image.fromarray(picture.astype(np.float32)).resize((side, side), Image.Resampling.LANCZOS)
    return np.clip(np.asarray(image, np.float64), 0, 1)


def fitted(name: str) -> Mapping[str, Any]:
    """Motion and window scaled to the world of another model."""
    chosen, factor = view.current(), side_of(name) / side_of(model_name())
    right, up = (round(factor * value, 1) for value in chosen.shift)
    at = tuple(round(factor * value, 1) for value in chosen.window_at)
    window = max(1.0, round(2 * factor * chosen.window) / 2)
    return {"shift_model": name, "shift": (right, up), "window": window, "window_at": at, "tried_shift": None}


def _digest(scene: MotionScene, name: str) -> str:
    model = name if fourier_side(name) else models.named(name).digest
    return digest_of(
        model, scene.x, scene.motion, scene.window, scene.window_at, scene.pixel_noise, scene.sigma, scene.slow,
        scene.looks, scene.tried,
    )  # fmt: skip
