"""The panel "Symmetry of x": the stabiliser around the picture, its turned copies overlaid, and its invariants."""

import numpy as np
from numpy.typing import NDArray

from explorer.components import component
from tsa.stage import Symmetry, as_bytes, pack_arrays, petal_scale, words

_mount = component(__name__)

# Radii as shares of half the side of the dial.
_PICTURE, _RIM, _RIM_HALF_WIDTH, _EDGE = 0.5, 0.555, 0.035, 0.98
_MIN_BAR_SCALE = 1.0  # κ̂ of the highest bar at least, so that the ripples of a disc are not drawn large


def symmetry(data: bytes) -> None:
    """Show what `session.view.data_for("symmetry", …)` has prepared; the body is what `pack_symmetry` returns."""
    _mount(key="symmetry", data=data, default={"message": None}, on_message_change=lambda: None, height="content")


def pack_symmetry(found: Symmetry, picture: NDArray[np.float64]) -> bytes:
    """The symmetry of a picture as bytes, with its texts.

    `density` has p(s | x, x) per radian all around. Petals are r(s) = √(r₀² + 2A·p(s)), so that their areas are
    A·probability; r₀ = `rim` + `rimHalfWidth` and A = `petalScale` for a dial of radius 1.
    """
    said = words.symmetry_words(found)
    arrays = {
        "picture": as_bytes(picture),
        "density": found.density.astype(np.float32),
        "bars": (found.kappa / max(_MIN_BAR_SCALE, float(found.kappa.max(initial=0.0)))).astype(np.float32),
    }
    header: dict[str, object] = {
        "side": len(picture),
        "verdict": found.verdict.value,
        "order": found.order,
        "petals": len(found.petals),
        "words": said._asdict(),
        "pictureRadius": _PICTURE,
        "rim": _RIM,
        "rimHalfWidth": _RIM_HALF_WIDTH,
        "petalScale": petal_scale(_RIM + _RIM_HALF_WIDTH, _EDGE, float(found.density.max())),
    }
    return pack_arrays(header, arrays)
