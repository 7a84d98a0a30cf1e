"""The film: the pairs to learn from, then how filters are learned, frame by frame, with the evidence curve."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.components import component
from explorer.film import Frame
from tsa.checks import Array
from tsa.sheet import by_weight
from tsa.stage.blob import pack

_mount = component(__name__, "instance.js", "canvas.js", "blob.js", "film.js")
_POINTS = 400  # of the curve that are drawn


@dataclass(frozen=True, eq=False)
class Reel:
    """All there is to show. What has another name is another film."""

    name: str
    title: str
    caption: str
    frames: Sequence[Frame]
    shape: tuple[int, ...]  # of a filter
    curve: tuple[tuple[int, float], ...] = ()
    total: int = 0  # pairs that the training will see, if it is one
    weights: Array | None = None  # of the filters of the last frame
    refined: bool = False  # whether the last frame has filters of its own
    resting: bool = False  # whether no more frames are to come for now: time to play it


def film(reel: Reel, known: int, ticket: str, before: str) -> None:
    """Show a reel of which the first `known` frames are there already; if they are not, `lost` will change.

    It keeps the ticket of this visitor for as long as its tab is open, and when it finds another one there, reports
    that as `before` until told that it was taken in.
    """
    _mount(
        key="film",
        data=packed(reel, known, ticket, before),
        default={"before": None, "lost": None},
        on_before_change=lambda: None,
        on_lost_change=lambda: None,
        height="content",
    )


def packed(reel: Reel, known: int, ticket: str, before: str) -> bytes:
    """All of it as bytes, but for the frames that are known."""
    step = max(1, len(reel.curve) // _POINTS)
    # The mean of every few batches: single ones are noisy.
    points = np.array(reel.curve[: len(reel.curve) // step * step], np.float32).reshape(-1, step, 2).mean(axis=1)
    new = [frame.pictures.ravel() for frame in reel.frames[known:]]
    header = {
        "film": reel.name,
        "title": reel.title,
        "caption": reel.caption,
        "pairs": [frame.pairs for frame in reel.frames],
        "counts": [len(frame.pictures) for frame in reel.frames],
        "known": known,
        "shape": list(reel.shape) if len(reel.shape) == 2 else [1, reel.shape[0]],
        "total": reel.total,
        "order": None if reel.weights is None else by_weight(reel.weights).tolist(),
        "weights": None if reel.weights is None else reel.weights.tolist(),
        "refined": reel.refined,
        "resting": reel.resting,
        "ticket": ticket,
        "before": before,
    }
    return pack(header, {"filters": np.concatenate([np.empty(0, np.uint8), *new]), "curve": points})
