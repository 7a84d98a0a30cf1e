"""The sheet: all filters of a model by weight, and one of them taken apart; all of it in the browser."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.components import component
from explorer.library import Entry
from tsa.groups import ImageRotation
from tsa.sheet import by_weight
from tsa.stage import blob
from tsa.stage.blob import as_bytes, as_pairs, filter_bytes

_mount = component(
    __name__, "instance.js", "colour.js", "canvas.js", "blob.js", "words.js", "spectrum.js", "specimen.js", "sheet.js"
)


def sheet(blob: bytes) -> None:
    """Show packed filters; reports which one is chosen, counted in the order of the sheet."""
    _mount(key="sheet", data=blob, on_chosen_change=lambda: None, height="content")


def pack(
    entry: Entry,
    spectra: NDArray[np.float64],
    frequencies: NDArray[np.int64],
    response: NDArray[np.complex128] | None,
    chosen: int | None = None,
    sigma: float = 0.5,
    angle: int = 0,
) -> bytes:
    """Filters, their character projections and their responses to a patch, sorted by |ω|.

    If none was chosen, it is the plane that says most about the patch. The lab's σ and its angle, in degrees, are
    used for models that the lab can use.
    """
    model = entry.model
    order = by_weight(model.weights)
    weights, lines = model.weights[order], model.lines[order]
    if chosen is None:
        loud = np.ones(len(order)) if response is None else np.abs(response[order])
        chosen = int(np.argmax(loud * np.atleast_2d(weights.T).any(axis=0)))
    noise = sigma if entry.turns else model.noise
    heights = np.clip(spectra[order], 0, None)
    own = _own(entry, frequencies)[order]
    rows, two = np.arange(len(order)), own[:, 0] != own[:, 1]
    purity = heights[rows, own[:, 0]] + two * heights[rows, own[:, 1]]
    others = heights.copy()
    np.put_along_axis(others, own, -1, axis=1)
    runner = others.argmax(axis=1)
    top = heights.max(axis=1)
    header: dict[str, object] = {
        "name": entry.name,
        "digest": f"{entry.digest}-{noise}-{angle}-{0 if response is None else hash(response.tobytes())}",
        "chosen": chosen, "shape": list(entry.shape) if len(entry.shape) == 2 else [1, entry.shape[0]],
        "weights": weights.tolist(), "lines": lines.tolist(), "frequencies": frequencies.tolist(),
        "purity": np.clip(purity, 0, 1).round(4).tolist(), "top": top.tolist(), "own": own.tolist(),
        "runner": runner.tolist(), "runnerHeight": np.maximum(others[rows, runner], 0).round(4).tolist(),
        "planes": int(np.sum(~lines)), "singles": int(np.sum(lines)),
        "noise": noise, "lab": entry.turns, "rotation": isinstance(entry.action, ImageRotation), "angle": angle,
    }  # fmt: skip
    arrays: dict[str, NDArray[Any]] = {
        "filters": filter_bytes(model.filters[:, order]),
        # To be drawn, a byte is enough: roots of the share of the highest, so that what is small does not vanish.
        "spectrum": as_bytes(np.sqrt(heights / np.maximum(top, 1e-12)[:, None])),
        "response": as_pairs(response[order] if response is not None else np.empty(0, complex)),
    }
    return blob.pack(header, arrays)


def _own(entry: Entry, frequencies: NDArray[np.int64]) -> NDArray[np.intp]:
    """Where in its spectrum each filter has its own weight, (J, 2): a real one has half at ω and half at −ω.

    Both are one place for all others, and for n/2 and −n/2, which no lattice tells apart.
    """
    lattice = entry.action.lattice
    period = np.array(entry.shape if lattice.ndim == 2 else lattice.shape)
    index = {tuple(np.mod(np.atleast_1d(f), period)): i for i, f in enumerate(frequencies)}
    signs = np.where(entry.model.lines, -1, 1)

    def places(weights: NDArray[Any]) -> list[int]:
        return [index[tuple(np.mod(np.atleast_1d(w), period))] for w in weights]

    return np.stack([places(entry.model.weights), places((signs * entry.model.weights.T).T)], axis=1)
