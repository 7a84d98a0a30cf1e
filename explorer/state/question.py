"""The scene of a view, which the lab shows, and a digest that identifies it."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from explorer.state.view import ViewState
from tsa.model import Subgroup
from tsa.stage import Scene

Picture = NDArray[np.float64]


def scene(view: ViewState, model: Subgroup, x: Picture, y: Picture | None) -> Scene:
    """The scene of a view: its model at noise `view.sigma`, its pictures (y is None for a turned copy of x)."""
    off = _switched_off(view, model)
    return Scene(model, x, y, view.angle, view.noise, view.observations, prior(view), off, view.both)


def _switched_off(view: ViewState, model: Subgroup) -> tuple[int, ...]:
    """The weights of the model that are switched off; none if no subspace would be left."""
    weights = set(np.abs(model.weights).tolist())
    return () if weights <= set(view.without) else tuple(k for k in view.without if k in weights)


def prior(view: ViewState) -> tuple[complex, ...]:
    """Natural parameters of the prior over s: from the observations if there are any, else the von Mises prior."""
    if view.observations or not view.strength:
        return view.prior
    return (complex(view.strength * np.exp(1j * np.radians(view.centre))),)


def scene_digest(view: ViewState, model_digest: str, x: Picture, y: Picture | None) -> str:
    """Equal digests, equal sweeps: a hash of all that the sweep over the whole dial depends on.

    The angle, the scale and the chosen subspace are not part of it: they only select from the sweep.
    """
    settings = (view.sigma, view.both, view.noise, view.observations, prior(view), view.without)
    return digest_of(model_digest, *settings, x, y)


def digest_of(*parts: object) -> str:
    """A hash of arrays and of values that print exactly."""
    hashed = hashlib.blake2b(digest_size=8)
    for part in parts:
        if isinstance(part, np.ndarray):
            hashed.update(f"array {part.dtype.name} {part.shape}".encode() + part.tobytes())
        else:
            hashed.update(f"{part!r}\0".encode())
    return hashed.hexdigest()
