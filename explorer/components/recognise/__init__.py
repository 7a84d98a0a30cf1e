"""A digit in a dial, its nearest neighbours and their votes: all turns are sent, so that turning needs no server."""

import struct

import numpy as np
from numpy.typing import NDArray

from explorer.components import component
from tsa.stage import blob as packing
from tsa.stage.blob import as_bytes
from tsa.votes import DISTANCES, Jury, Votes

_SHARED = ("instance.js", "colour.js", "canvas.js", "blob.js", "dial.js")
_mount = component(__name__, *_SHARED, "neighbours.js", "round.js", "words.js", "recognise.js")


def recognise(blob: bytes, command: tuple[int, int, bool, int | None]) -> None:
    """Show packed votes; the dial, told where to stand as for the stage, reports the angle at which it is let go."""
    data = struct.pack("<II", *command[:2]) + blob
    _mount(key="recognise", data=data, default={"angle": None}, on_angle_change=lambda: None, height="content")


def pack(
    votes: Votes,
    jury: Jury,
    images: NDArray[np.uint8],
    picture: NDArray[np.float64],
    label: int | None,
    only: int | None = None,
) -> bytes:
    """Votes as bytes, with the pictures of all neighbours that ever show.

    Without a label, what manifold distance says most often takes its place. `only` is the turn of votes on one turn.
    """
    digit = int(np.bincount(votes.winners[DISTANCES.index("MD")]).argmax()) if label is None else label
    shown, place = np.unique(votes.neighbours, return_inverse=True)
    train = jury.train
    arrays = {
        "picture": as_bytes(picture),
        "images": images[shown],
        "labels": train.labels[shown].astype(np.uint8),
        "degrees": train.degrees[shown].astype(np.uint16),
        "neighbours": place.astype(np.uint16),
        "turns": np.degrees((votes.turns + np.pi) % (2 * np.pi) - np.pi).astype(np.float32),
        "distances": votes.distances.astype(np.float32),
        "counts": votes.counts.astype(np.uint8),
        "winners": votes.winners.astype(np.uint8),
    }
    header: dict[str, object] = {
        "names": DISTANCES,
        "only": only,
        "steps": votes.winners.shape[1],
        "k": votes.neighbours.shape[2],
        "side": len(picture),
        "imageSide": images.shape[1],
        "known": label is not None,
        "digit": digit,
        "changes": votes.changes.tolist(),
        "right": votes.right(digit).tolist(),
    }
    return packing.pack(header, arrays)
