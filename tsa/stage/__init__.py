"""The stage: a whole sweep packed for a browser, so that turning needs no server, and a page that holds all of it.

Python does the mathematics, the scripts beside this file only show it: in the explorer, in a notebook, or in one HTML
file that works without a network.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tsa.checks import Array
from tsa.model import Subgroup
from tsa.sheet import by_weight
from tsa.stage.blob import as_bytes, as_pairs, filter_bytes, pack
from tsa.sweep import Sweep
from tsa.vonmises import mean_rotation

FILES = Path(__file__).parent
SCRIPTS = (
    "instance.js",
    "colour.js",
    "canvas.js",
    "blob.js",
    "dial.js",
    "draw.js",
    "subspaces.js",
    "words.js",
    "stage.js",
)
LOG_RANGE = 20.0  # nats below the peak that the picture of a density keeps


def pack_sweep(
    sweep: Sweep,
    model: Subgroup,
    picture: Array,
    size: int,
    other: Array | None = None,
    prior: Sequence[complex] = (),
    only: int | None = None,
) -> bytes:
    """A sweep as bytes.

    `other` is the picture of y; without it y is a turned copy of x, and the dial is the true turn. `only` is the
    turn, in degrees, of a sweep of one turn.
    """
    order = by_weight(model.weights)
    eta = sweep.eta[:, order]
    peak = sweep.density.max(axis=1)
    with np.errstate(divide="ignore"):
        drop = np.log(sweep.density / peak[:, None])
    low, high = min(sweep.x.min(), sweep.y.min()), max(sweep.x.max(), sweep.y.max())
    arrays = {
        "first": as_bytes(picture if other is not None else np.empty(0)),
        "picture": as_bytes(picture if other is None else other),
        "x": as_bytes((sweep.x - low) / max(high - low, 1e-9)),
        "y": as_bytes((sweep.y - low) / max(high - low, 1e-9)),
        "density": np.rint(np.clip(1 + drop / LOG_RANGE, 0, 1) * 65535).astype(np.uint16),
        "peak": peak.astype(np.float32),
        "modes": np.stack([np.nan_to_num(sweep.mode_angles, nan=-1.0), sweep.mode_masses], -1).astype(np.float32),
        "level": (sweep.level / peak).astype(np.float32),
        "entropy": sweep.entropy.astype(np.float32),
        "evidence": sweep.log_evidence.astype(np.float32),
        "distances": sweep.distances.astype(np.float32),
        "unexplained": sweep.unexplained.astype(np.float32),
        "pooled": as_pairs(sweep.pooled),
        "eta": as_pairs(eta),
        "certainty": as_bytes(np.abs(mean_rotation(eta))),
        "z": as_pairs(sweep.coordinates[:, order]),
        "filters": filter_bytes(model.filters[:, order]),
    }
    header: dict[str, object] = {
        "size": size,
        "only": only,
        "copy": other is None,
        "sides": [len(picture), len(picture if other is None else other)],
        "harmonics": sweep.pooled.shape[1],
        "prior": [[value.real, value.imag] for value in prior],
        "weights": model.weights[order].tolist(),
        "lines": model.lines[order].tolist(),
        "noise": model.noise,
        "logRange": LOG_RANGE,
        "modesPerTurn": sweep.mode_angles.shape[1],
    }
    return pack(header, arrays)
