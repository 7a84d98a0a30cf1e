"""The stage: dial, posterior and circles in one component, fed by a whole sweep so that turning needs no server."""

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from tsa.model import Subgroup
from tsa.sheet import by_weight
from tsa.sweep import Sweep
from tsa.vonmises import mean_rotation

_HERE = Path(__file__).parent
_LOG_RANGE = 20.0  # nats below the peak that the picture of a density keeps

_mount = st.components.v2.component(
    "tsa_stage",
    html=(_HERE / "stage.html").read_text(),
    css=(_HERE / "stage.css").read_text(),
    js=(_HERE / "draw.js").read_text() + (_HERE / "stage.js").read_text(),
)


def stage(blob: bytes, angle: int, on_angle_change: Callable[[], None]) -> None:
    """Show a packed sweep. The dial starts at `angle` degrees and reports the angle at which it is let go."""
    _mount(key="stage", data=blob, default={"angle": angle}, on_angle_change=on_angle_change, height="content")


def pack(
    sweep: Sweep,
    model: Subgroup,
    picture: NDArray[np.float64],
    size: int,
    copy: bool = True,
) -> bytes:
    """A sweep as bytes: a JSON header that lists the arrays, then the arrays, each aligned to eight bytes.

    `copy` says that y is a turned copy of x, so that the dial is the true turn.
    """
    order = by_weight(model.weights)
    eta = sweep.eta[:, order]
    peak = sweep.density.max(axis=1)
    with np.errstate(divide="ignore"):
        drop = np.log(sweep.density / peak[:, None])
    low, high = min(sweep.x.min(), sweep.y.min()), max(sweep.x.max(), sweep.y.max())
    filters = model.filters[:, order].T
    largest = np.abs(filters).max(axis=1, keepdims=True)
    parts = np.stack([filters.real, filters.imag], axis=1) / largest[:, None]
    arrays = {
        "picture": _bytes(picture),
        "x": _bytes((sweep.x - low) / max(high - low, 1e-9)),
        "y": _bytes((sweep.y - low) / max(high - low, 1e-9)),
        "density": np.rint(np.clip(1 + drop / _LOG_RANGE, 0, 1) * 65535).astype(np.uint16),
        "peak": peak.astype(np.float32),
        "modes": np.stack([np.nan_to_num(sweep.mode_angles, nan=-1.0), sweep.mode_masses], -1).astype(np.float32),
        "level": (sweep.level / peak).astype(np.float32),
        "entropy": sweep.entropy.astype(np.float32),
        "evidence": sweep.log_evidence.astype(np.float32),
        "eta": _pairs(eta),
        "certainty": _bytes(np.abs(mean_rotation(eta))),
        "z": _pairs(sweep.coordinates[:, order]),
        "filters": _bytes(0.5 + 0.5 * parts),
    }
    header: dict[str, object] = {
        "size": size,
        "turns": len(sweep.y),
        "copy": copy,
        "side": len(picture),
        "weights": model.weights[order].tolist(),
        "lines": model.lines[order].tolist(),
        "noise": model.noise,
        "logRange": _LOG_RANGE,
        "modesPerTurn": sweep.mode_angles.shape[1],
        "arrays": [[name, array.dtype.name, array.size] for name, array in arrays.items()],
    }
    text = json.dumps(header).encode()
    body = b"".join(array.tobytes() + bytes(-array.nbytes % 8) for array in arrays.values())
    text += b" " * (-(len(text) + 4) % 8)
    return struct.pack("<I", len(text)) + text + body


def _bytes(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Values between 0 and 1 as bytes."""
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)


def _pairs(values: NDArray[np.complex128]) -> NDArray[np.float32]:
    return np.stack([values.real, values.imag], -1).astype(np.float32)
