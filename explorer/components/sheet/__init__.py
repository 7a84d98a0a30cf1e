"""The sheet: all filters of a model by weight, and one of them taken apart; all of it in the browser."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.components import component
from tsa.model import Subgroup
from tsa.sheet import by_weight
from tsa.stage import blob
from tsa.stage.blob import as_pairs, filter_bytes

_mount = component(__name__, "instance.js", "colour.js", "canvas.js", "blob.js", "specimen.js", "sheet.js")


def sheet(blob: bytes) -> None:
    """Show packed filters; reports which one is chosen, counted in the order of the sheet."""
    _mount(key="sheet", data=blob, on_chosen_change=lambda: None, height="content")


def pack(
    name: str,
    digest: str,
    model: Subgroup,
    shape: tuple[int, ...],
    spectra: NDArray[np.float64],
    frequencies: NDArray[np.int64],
    response: NDArray[np.complex128] | None,
    chosen: int | None = None,
) -> bytes:
    """Filters, their character projections and their responses to a patch, sorted by |ω|.

    If none was chosen, it is the plane that says most about the patch.
    """
    order = by_weight(model.weights)
    if chosen is None:
        loud = np.ones(len(order)) if response is None else np.abs(response[order])
        chosen = int(np.argmax(loud * np.atleast_2d(model.weights[order].T).any(axis=0)))
    index = {tuple(np.atleast_1d(f)): i for i, f in enumerate(frequencies)}
    own = [index[tuple(np.atleast_1d(model.weights[j]))] for j in order]
    purity = spectra[order, own]
    # A real filter has the two peaks ±ω, half each, and is as pure as both together.
    purity = np.where(model.lines[order] & np.atleast_2d(model.weights[order].T).any(axis=0), 2 * purity, purity)
    header: dict[str, object] = {
        "name": name, "digest": f"{digest}-{0 if response is None else hash(response.tobytes())}", "chosen": chosen,
        "shape": list(shape) if len(shape) == 2 else [1, shape[0]],
        "weights": model.weights[order].tolist(), "lines": model.lines[order].tolist(),
        "purity": np.clip(purity, 0, 1).round(4).tolist(), "frequencies": frequencies.tolist(),
        "planes": int(np.sum(~model.lines)), "singles": int(np.sum(model.lines)), "noise": model.noise,
    }  # fmt: skip
    arrays: dict[str, NDArray[Any]] = {
        "filters": filter_bytes(model.filters[:, order]),
        "spectrum": spectra[order].astype(np.float32),
        "response": as_pairs(response[order] if response is not None else np.empty(0, complex)),
    }
    return blob.pack(header, arrays)
