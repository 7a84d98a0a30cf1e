"""The film: the pairs to learn from, then filters while they are being learned, with the evidence curve."""

import numpy as np
from numpy.typing import NDArray

from explorer.components import component
from tsa.stage.blob import filter_bytes, pack

_mount = component(__name__, "instance.js", "canvas.js", "blob.js", "film.js")
_POINTS = 400  # of the curve that are drawn


def film(
    title: str,
    caption: str,
    filters: NDArray[np.complex128],
    shape: tuple[int, ...],
    curve: tuple[tuple[int, float], ...] = (),
    total: int = 0,
) -> None:
    """Show pairs (D, J) of patches of this shape, and the curve of a training that will see `total` of them, if any."""
    step = max(1, len(curve) // _POINTS)
    # The mean of every few batches: single ones are noisy.
    points = np.array(curve[: len(curve) // step * step], np.float32).reshape(-1, step, 2).mean(axis=1)
    header = {
        "shape": list(shape) if len(shape) == 2 else [1, shape[0]],
        "count": filters.shape[1],
        "total": total,
        "title": title,
        "caption": caption,
    }
    _mount(key="film", data=pack(header, {"filters": filter_bytes(filters), "curve": points}), height="content")
